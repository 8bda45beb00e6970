"""Holds a built zilch against the real Gymnasium: every bit of whole episodes, and the speed of Gymnasium.

    $(tools/gymnasium.sh) tools/lander_parity.py build/release/cli/zilch [--first 1000] [--count 200]
    $(tools/gymnasium.sh) tools/lander_parity.py --speed SECONDS

For each seed, Gymnasium plays an episode with the published controller, with its own heuristic and with random
actions. zilch replays the actions (play --actions FILE --seed S --trace), and all observations, rewards and flags must
be equal in every bit; zilch plays the two controllers itself (play --controller), and return, steps and outcome must
be the same. The last line is "equal" (status 0) or "different" (status 1).

--speed plays the published controller in one process for so many seconds of the processor, resets included, and prints steps/s.
"""
import argparse
import csv
import struct
import subprocess
import sys
import tempfile
import time
from multiprocessing import Pool
from pathlib import Path

from lander_golden import make, play, total

KINDS = "published", "heuristic", "random"


def single(x):
    return struct.pack("<f", float(x)).hex()


def double(x):
    return struct.pack("<d", float(x)).hex()


def is_number(text):
    try:
        float(text)
    except ValueError:
        return False
    return True


def rows_of(command):
    """What the command prints, as rows of text; a head, remarks and empty lines are left out."""
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return [row for row in csv.reader(done.stdout.splitlines()) if row and is_number(row[0])]


def compare_trace(zilch, seed, episode, folder):
    """The differences between an episode and zilch's replay of it, as lines of text."""
    actions = folder / f"{seed}.csv"
    actions.write_text("".join(f"{a[0]:.17g},{a[1]:.17g}\n" for a, *_ in episode.steps))
    rows = rows_of([zilch, "play", "--actions", actions, "--seed", str(seed), "--trace"])
    expected = [[single(x) for x in episode.start]]
    expected += [[*map(single, s), double(r), int(te), int(tr)] for _, s, r, te, tr in episode.steps]
    found = [[*map(single, rows[0][:8])]] if rows else []
    found += [[*map(single, row[:8]), double(row[8]), int(row[9]), int(row[10])] for row in rows[1:]]
    if len(found) != len(expected):
        yield f"{len(found)} rows instead of {len(expected)}"
    for number, (a, b) in enumerate(zip(expected, found)):
        if a != b:
            columns = ", ".join(str(i + 1) for i, (x, y) in enumerate(zip(a, b)) if x != y)
            yield f"row {number + 1} column {columns}"


def examine(task):
    """Play one episode in Gymnasium and compare it: kind, seed, number of steps, differences, the summary row."""
    zilch, kind, seed = task
    episode = play(examine.env, kind, seed)
    with tempfile.TemporaryDirectory() as folder:
        different = list(compare_trace(zilch, seed, episode, Path(folder)))
    return kind, seed, len(episode.steps), different, [str(seed), double(total(episode)), str(len(episode.steps)),
                                                       episode.outcome]


def compare_returns(zilch, kind, expected):
    """The differences between the summary rows and those that zilch prints for a controller of its own."""
    first, count = expected[0][0], len(expected)
    rows = rows_of([zilch, "play", "--controller", kind, "--seed", first, "--episodes", str(count)])
    found = [[seed, double(result), steps, outcome] for seed, result, steps, outcome in rows]
    if len(found) != count:
        yield f"{kind}: {len(found)} rows of returns instead of {count}"
    for a, b in zip(expected, found):
        if a != b:
            yield f"{kind}, seed {a[0]}: return, steps, outcome {a[1:]}, zilch's {b[1:]}"


def parity(zilch, first, count):
    examine.env = make()  # before the processes part, so that each has its own
    with Pool() as pool:
        results = pool.map(examine, [(zilch, kind, seed) for kind in KINDS for seed in range(first, first + count)], 10)
    bad = False
    for kind in KINDS:
        mine = [r for r in results if r[0] == kind]
        worse = [r for r in mine if r[3]]
        for _, seed, _, different, _ in worse[:5]:
            print(f"{kind}, seed {seed}: {len(different)} rows differ, the first: {different[0]}")
        print(f"{kind}: {len(mine)} episodes, {sum(r[2] for r in mine)} steps, "
              f"{len(worse)} episodes and {sum(len(r[3]) for r in mine)} rows differ")
        bad = bad or bool(worse)
        if kind != "random":
            different = list(compare_returns(zilch, kind, [r[4] for r in mine]))
            print("".join(f"{line}\n" for line in different[:5]), end="")
            print(f"{kind}: {len(mine)} returns, {len(different)} differ")
            bad = bad or bool(different)
    print("different" if bad else "equal")
    return bad


def speed(seconds):
    env = make()
    play(env, "published", 0)
    episodes = steps = 0
    start = time.process_time()
    while (passed := time.process_time() - start) < seconds:
        steps += len(play(env, "published", 1000 + episodes).steps)
        episodes += 1
    print(f"Gymnasium: {episodes} episodes, {steps} steps in {passed:.2f} s: {steps / passed:.0f} steps/s")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("zilch", nargs="?")
    parser.add_argument("--first", type=int, default=1000)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--speed", type=float, metavar="SECONDS")
    options = parser.parse_args()
    if options.speed is not None:
        speed(options.speed)
    if options.zilch is not None:
        sys.exit(parity(options.zilch, options.first, options.count))
    if options.speed is None:
        parser.error("which zilch?")


if __name__ == "__main__":
    main()
