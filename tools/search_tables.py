"""docs/search.md's tables of the published behaviour on the lander, measured with the built command.

    python3 tools/search_tables.py ZILCH [--seeds 10] [--generations 100] [--study FILE]

Every run is kept in the study; a run that is there and has ended is not made again, so that an interrupted
measurement goes on where it was.
"""
import argparse
import csv
import io
import json
import statistics
import subprocess
import sys

LANDER = {
    "published (amortised)": ["--preset", "published"],
    "published, exact inverter": ["--preset", "published", "--inverter", "exact"],
    "entrywise shrinkage": ["--preset", "published", "--inverter", "exact", "--shrinkage", "entrywise"],
    "bayes shrinkage": ["--preset", "published", "--inverter", "exact", "--shrinkage", "bayes"],
}


def output(*words):
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


def known_runs(zilch, study):
    """Ended runs of the study, by the words they were asked for in, which leave the study out."""
    try:
        runs = json.loads(output(zilch, "show", study, "--json"))["runs"]
    except subprocess.CalledProcessError:
        return {}
    return {json.dumps(run["arguments"]["words"]): run["run"] for run in runs if run["ended_by"]}


def ensure(zilch, study, words):
    """The number of the run asked for by these words, made if it is not there."""
    runs = known_runs(zilch, study)
    if json.dumps(words) not in runs:
        print(" ".join(words), file=sys.stderr)
        output(zilch, *words, "--study", study)
        runs = known_runs(zilch, study)
    return runs[json.dumps(words)]


def spread(values, digits=1):
    if not values:
        return "-"
    deviation = statistics.stdev(values) if len(values) > 1 else 0.0
    return f"{statistics.mean(values):.{digits}f} ± {deviation:.{digits}f}"


def arrival(rows, value):
    return next((int(row["generation"]) for row in rows if float(row["best_value"]) >= value), None)


def lander_row(zilch, study, name, words, arguments):
    runs = []
    for seed in range(1, arguments.seeds + 1):
        run = ensure(zilch, study, ["lander", *words, "--generations", str(arguments.generations), "--seed", str(seed)])
        rows = list(csv.DictReader(io.StringIO(output(zilch, "export", study, "--generations", "--run", str(run)))))
        best = json.loads(output(zilch, "best", study, "--json", "--run", str(run)))
        runs.append((rows, best))
    cells = [name]
    for value in (200, 250, 300):
        times = [time for rows, _ in runs if (time := arrival(rows, value))]
        cells.append(spread(times) + ("" if len(times) == len(runs) else f" ({len(times)} of {len(runs)})"))
    for generation in (25, 50, 75, 100):
        cells.append(spread([int(rows[generation - 1]["best_active"]) for rows, _ in runs if len(rows) >= generation]))
    cells.append(spread([float(rows[-1]["best_value"]) for rows, _ in runs]))
    held = [best["recommended"]["held_out_mean"] for _, best in runs]
    active = [best["recommended"]["active"] for _, best in runs]
    cells += [spread(held), spread(active), spread([h - 2 * a for h, a in zip(held, active)])]
    return cells


def lander(arguments):
    head = ["refit", "200", "250", "300", "active 25", "50", "75", "100", "best seen", "held out", "active", "held out - 2 active"]
    print("| " + " | ".join(head) + " |\n" + "|---" * len(head) + "|")
    for name, words in LANDER.items():
        print("| " + " | ".join(lander_row(arguments.zilch, arguments.study, name, words, arguments)) + " |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("zilch")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--generations", type=int, default=100)
    parser.add_argument("--study", default="tables.study")
    arguments = parser.parse_args()
    lander(arguments)


if __name__ == "__main__":
    main()
