"""How a search scales over ranks: measures, fits a model of a generation's cost, and says what it predicts.

    python3 bench/scale.py --zilch build/release/cli/zilch --test-mpi build/release/tests/test_mpi [--quick] [--json FILE] [--write docs/explanation/scale.md]

Needs numpy and mpirun; best on a machine with nothing else to do: 5 minutes then. Prints tables in Markdown; --write puts
them into the document, between the comments that name them.

A generation of N points of d coordinates on R ranks takes

    T = F(d) + max(n s + N d w, (N e + n l) / R + (R - 1) / R e / 2)

F is what the search does outside the objective, e the mean length of an evaluation, n the number of parts that a batch is
handed out in. To rank 0 each part costs s, and each coordinate w; while it sends, the others evaluate, so only the longer of
the two counts. Between two parts a rank waits for l, and at the end for the others, half an evaluation on average.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OPENBLAS_NUM_THREADS="1")
POPULATION = 500
SHARES = 4  # parts for each rank if all were of the first one's size: SHARES in src/parallel/mpi.c


SECTIONS = {}  # name: lines, as they are said


def section(name):
    SECTIONS[name] = []


def say(text, **options):
    """Prints, and keeps it for the section that was begun last."""
    print(text, **options)
    SECTIONS[next(reversed(SECTIONS))].append(text)


def write(path):
    """Each section between its comments: <!-- measured: lander --> ... <!-- end -->."""
    document = Path(path).read_text()
    for name, lines in SECTIONS.items():
        pattern = re.compile(f"(<!-- measured: {name} -->\n).*?(<!-- end -->)", re.S)
        text = "\n".join(lines).strip() + "\n"
        document, count = pattern.subn(lambda found: found[1] + text + found[2], document)
        if count != 1:
            sys.exit(f"{path}: has {count} places for '{name}'")
    Path(path).write_text(document)


def parts(ranks, points):
    """How many parts a batch is handed out in: each is a share of what is left over."""
    left, count = points, 0
    while left > 0:
        left -= min(left, max(1, -(-left // (SHARES * ranks))))
        count += 1
    return count


def run(ranks, *words, **options):
    command = ["mpirun", "--oversubscribe", "-n", str(ranks), *map(str, words)]
    return subprocess.run(command, env=ENVIRONMENT, stdin=subprocess.DEVNULL, check=True, text=True,
                          capture_output=True, **options).stdout


def search_seconds(zilch, ranks, generations, *words):
    """Seconds of a generation in the objective and outside it: medians over a run, without its first two generations."""
    with tempfile.TemporaryDirectory() as folder:
        study = Path(folder) / "study"
        words = [*words, "--generations", generations, "--study", study]
        if ranks == 0:  # no mpirun at all, one thread
            subprocess.run([zilch, *map(str, words), "--threads", "1"], env=ENVIRONMENT, check=True, capture_output=True)
        else:
            run(ranks, zilch, *words)
        text = subprocess.run([zilch, "export", study, "--generations", "--json"], check=True, text=True,
                              capture_output=True).stdout
    rows = json.loads(text)[2:]
    return np.median([row["evaluating_seconds"] for row in rows]), np.median([row["searching_seconds"] for row in rows])


def measure_lander(zilch, quick):
    section("lander")
    say("A generation of 500 points, 8 landings each: median seconds.\n")
    say("| ranks | in the objective | outside it | speed |\n|---:|---:|---:|---:|")
    base, rows = None, []
    for ranks in (0, 1, 2, 4):
        inside, outside = search_seconds(zilch, ranks, 5 if quick else 12, "lander", "--held-out", 1, "--final-evaluations", 20)
        base = base or inside + outside
        rows.append({"ranks": ranks, "inside": inside, "outside": outside})
        name = "no mpirun" if ranks == 0 else ranks
        say(f"| {name} | {inside:.3f} | {outside:.3f} | {base / (inside + outside):.2f} |", flush=True)
    return rows


def measure_busy(program, quick):
    points = 100 if quick else 500
    section("uneven")
    say(f"\n{points} points of 90 coordinates that sleep for 1 to 50 ms, uniformly.\n")
    say("| ranks | parts | seconds | busy |\n|---:|---:|---:|---:|")
    rows = []
    for ranks in (1, 2, 4, 8):
        text = run(ranks, program, "measure", points, 90, 50)
        found = re.search(r"parts (\d+), seconds ([\d.]+), busy ([\d.]+)", text)
        rows.append({"ranks": ranks, "points": points, "parts": int(found[1]), "seconds": float(found[2]),
                     "busy": float(found[3])})
        say(f"| {ranks} | {found[1]} | {float(found[2]):.3f} | {100 * float(found[3]):.1f} % |", flush=True)
    return rows


def measure_messages(program, quick):
    """What a message costs the one who sends it, and how long the one who waits for it waits."""
    section("messages")
    say("\nBytes to every other rank and an answer from each: the least of 30 times.\n")
    say("| ranks | bytes | milliseconds | by the model |\n|---:|---:|---:|---:|")
    rows = []
    for ranks in (2, 3, 4):
        for size in (800, 8_000, 80_000, 800_000) if quick else (800, 8_000, 80_000, 800_000, 8_000_000):
            found = re.search(r"seconds ([\d.]+)", run(ranks, program, "send", size))
            rows.append({"ranks": ranks, "bytes": size, "seconds": float(found[1])})
    others = np.array([r["ranks"] - 1 for r in rows], float)
    words = np.array([r["bytes"] / 8 for r in rows])
    seconds = np.array([r["seconds"] for r in rows])
    # Relative residuals: small messages count as much as large ones.
    matrix = np.stack([others, others * words], axis=1)
    message, word = np.linalg.lstsq(matrix / seconds[:, None], np.ones_like(seconds), rcond=None)[0]
    for r, fitted in zip(rows, matrix @ [message, word]):
        say(f"| {r['ranks']} | {r['bytes']} | {1e3 * r['seconds']:.3f} | {1e3 * fitted:.3f} |")
    waits = []
    for ranks in (2, 4):
        points = 500
        found = re.search(r"parts (\d+), seconds ([\d.]+), busy ([\d.]+)", run(ranks, program, "measure", points, 90, 1))
        count, wall, share = int(found[1]), float(found[2]), float(found[3])
        evaluation = share * ranks * wall / points
        waits.append((ranks * wall * (1 - share) - (ranks - 1) * evaluation / 2) / count)
    wait = max(float(np.mean(waits)), 0.0)
    say(f"\nFitted: s = {1e6 * message:.1f} µs for a part, w = {1e9 * word:.2f} ns for a coordinate. Between two parts a rank "
          f"waits for l = {1e6 * wait:.0f} µs (evaluations of 1 ms, 2 and 4 ranks).")
    return {"rows": rows, "message": message, "word": word, "wait": wait}


def bench(zilch, name):
    text = subprocess.run([zilch, "bench", name, "--json"], env=ENVIRONMENT, check=True, text=True,
                          capture_output=True).stdout
    return {row["case"]: row["value"] * {"ms": 1e-3, "s": 1.0, "us": 1e-6}[row["unit"]] for row in json.loads(text)}


def measure_fit(zilch):
    rows = bench(zilch, "search")
    for case, seconds in bench(zilch, "large").items():
        if case in ("low-rank d = 1000", "low-rank d = 10000"):
            rows["generation " + case] = seconds
    section("outside")
    say("\nOutside the objective: a generation of 500 points, `zilch bench search` and `zilch bench large`, one thread.\n")
    say("| case | seconds |\n|---|---:|")
    for case, seconds in rows.items():
        say(f"| {case} | {seconds:.4f} |")
    return rows


def measure_idle(program):
    """Processor time of ranks that wait for another, as a share of a processor."""
    begin = time.perf_counter()
    text = run(3, program, "idle", 5)
    share = float(re.search(r"idle ([\d.]+)", text)[1])
    say(f"\nA rank that waits uses {100 * share:.2f} % of a processor (three ranks, {time.perf_counter() - begin:.0f} s).")
    return share


def structures(fits):
    """Kinds of the law that were measured: {name: {d: seconds}}. "generation default d = 90" is the full one."""
    found = {}
    for case, seconds in fits.items():
        match = re.fullmatch(r"generation (default|low-rank) d = (\d+)", case)
        if match:
            found.setdefault("full" if match[1] == "default" else match[1], {})[int(match[2])] = seconds
    return found


def outside(known, dim):
    """F(d), and whether it was measured: the full law's eigendecomposition grows with the cube of d."""
    if dim in known:
        return known[dim], True
    largest = max(known)
    return (known[largest] * (dim / largest) ** 3, False) if dim > largest else (None, False)


def evaluation_phase(model, ranks, dim, evaluation, points):
    if ranks == 1:
        return points * evaluation
    m, n = model["messages"], parts(ranks, points)
    used = min(ranks, points)  # the others have nothing to do
    sending = n * m["message"] + points * dim * m["word"]
    working = (points * evaluation + n * m["wait"]) / used + (used - 1) / used * evaluation / 2
    return max(sending, working, evaluation)


def generation(model, fit, ranks, dim, evaluation, points=POPULATION):
    """Seconds of a generation, and the share of the ranks' time that is spent evaluating."""
    total = fit + evaluation_phase(model, ranks, dim, evaluation, points)
    return total, points * evaluation / (ranks * total)


def predict(model):
    section("predictions")
    say("\nWhat the model predicts: seconds of a generation of 500 points, and the share of the ranks' time that is "
          "spent evaluating.\n")
    say("| law | d | outside | an evaluation | 1 rank | 10 ranks | 100 ranks | 1,000 ranks |")
    say("|---|---:|---:|---:|---:|---:|---:|---:|")
    for name, known in structures(model["fit"]).items():
        for dim in (90, 1000, 10000):
            fit, is_measured = outside(known, dim)
            if fit is None or (name != "full" and not is_measured):
                continue
            for evaluation, length in ((0.01, "10 ms"), (1, "1 s"), (60, "1 min")):
                cells = []
                for ranks in (1, 10, 100, 1000):
                    total, share = generation(model, fit, ranks, dim, evaluation)
                    cells.append(f"{seconds_text(total)}, {100 * share:.0f} %")
                mark = "" if is_measured else " (by d³)"
                say(f"| {name} | {dim:,} | {seconds_text(fit)}{mark} | {length} | {' | '.join(cells)} |")


def seconds_text(seconds):
    return f"{seconds:.3f} s" if seconds < 10 else f"{seconds:,.0f} s"


def check(model, lander, busy):
    """The model against what it was not fitted to."""
    section("check")
    say("\nThe model against measurements that it was not fitted to:\n")
    say("| | ranks | measured | predicted |\n|---|---:|---:|---:|")
    for row in busy:
        predicted = evaluation_phase(model, row["ranks"], 90, busy[0]["seconds"] / row["points"], row["points"])
        say(f"| asleep | {row['ranks']} | {row['seconds']:.3f} s | {predicted:.3f} s |")
    one = lander[0]["inside"] / POPULATION
    cores = os.cpu_count()
    for row in lander[1:]:
        total, _ = generation(model, structures(model["fit"])["full"][90], min(row["ranks"], cores), 90, one)
        say(f"| lander, {cores} processors | {row['ranks']} | {row['inside'] + row['outside']:.3f} s | {total:.3f} s |")


def processor():
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return "unknown"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--zilch", required=True)
    parser.add_argument("--test-mpi", required=True)
    parser.add_argument("--quick", action="store_true", help="fewer and smaller measurements")
    parser.add_argument("--json", help="the measurements and the model, for other uses")
    parser.add_argument("--write", metavar="FILE", help="the document to put the tables into")
    arguments = parser.parse_args()
    section("machine")
    say(f"{os.cpu_count()} processors ({processor()}), load {os.getloadavg()[0]:.1f} before it began.\n")
    model = {"fit": None, "messages": None}
    lander = measure_lander(arguments.zilch, arguments.quick)
    busy = measure_busy(arguments.test_mpi, arguments.quick)
    model["messages"] = measure_messages(arguments.test_mpi, arguments.quick)
    model["idle"] = measure_idle(arguments.test_mpi)
    model["fit"] = measure_fit(arguments.zilch)
    check(model, lander, busy)
    predict(model)
    if arguments.write:
        write(arguments.write)
    if arguments.json:
        Path(arguments.json).write_text(json.dumps({"lander": lander, "busy": busy, **model}, indent=1))


if __name__ == "__main__":
    sys.exit(main())
