#!/usr/bin/env python3
"""A long search, watched: docs/explanation/reliability.md's lines on memory, speed and the growth of a study.

    python3 tools/soak.py ZILCH [--generations N] [--study FILE] [OPTION...]

Runs 'zilch lander', with further options if given, and looks at it once a second from outside: resident memory,
processor time, the sizes of the study and of the journal beside it, and how many generations and points are
recorded. Prints a table of eighths of the run. Processor time, as it hardly depends on what else a machine does.
"""
import argparse
import os
import sqlite3
import subprocess
import sys
import tempfile
import time

TICK = os.sysconf("SC_CLK_TCK")
PAGE = os.sysconf("SC_PAGE_SIZE")


def size_of(path):
    try:
        return os.stat(path).st_size
    except FileNotFoundError:
        return 0


def recorded(study):
    """Generations and points in the study, None while it cannot be read."""
    try:
        with sqlite3.connect(f"file:{study}?mode=ro", uri=True, timeout=5) as connection:
            return connection.execute("SELECT max(generation), max(points) FROM generations").fetchone()
    except sqlite3.Error:
        return None


def look(pid, study):
    """One sample, None if there is nothing to see yet or any more."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            fields = file.read().rsplit(")", 1)[1].split()
    except FileNotFoundError:
        return None
    counts = recorded(study)
    if not counts or not counts[0]:
        return None
    return {"generation": counts[0], "points": counts[1],
            "seconds": (int(fields[11]) + int(fields[12])) / TICK, "memory": int(fields[21]) * PAGE,
            "file": size_of(study), "journal": size_of(study + "-wal") + size_of(study + "-journal")}


def watch(command, study):
    samples = []
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        while process.poll() is None:
            sample = look(process.pid, study)
            if sample and (not samples or sample["generation"] > samples[-1]["generation"]):
                samples.append(sample)
            time.sleep(1)
    if process.returncode != 0:
        sys.exit(f"{command[0]} ended with {process.returncode}")
    return samples


def show(samples, parts=8):
    last = samples[-1]["generation"]
    print("| generations | points | s of processor a generation | memory, MB | study, MB | kB a generation | journal, MB |")
    print("|---|---|---|---|---|---|---|")
    before = {"generation": 0, "points": 0, "seconds": 0.0, "file": 0}
    for part in range(1, parts + 1):
        inside = [s for s in samples if s["generation"] <= last * part / parts]
        now = inside[-1] if inside else samples[0]
        generations = now["generation"] - before["generation"]
        if generations <= 0:
            continue
        journal = max(s["journal"] for s in inside)
        print(f"| {before['generation'] + 1} to {now['generation']} | {now['points']} "
              f"| {(now['seconds'] - before['seconds']) / generations:.3f} | {now['memory'] / 1e6:.1f} "
              f"| {now['file'] / 1e6:.1f} | {(now['file'] - before['file']) / generations / 1e3:.1f} "
              f"| {journal / 1e6:.1f} |", flush=True)
        before = now


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("zilch")
    parser.add_argument("--generations", type=int, default=2000)
    parser.add_argument("--study", help="kept; without it, in a folder that goes away")
    arguments, options = parser.parse_known_args()
    with tempfile.TemporaryDirectory() as folder:
        study = arguments.study or os.path.join(folder, "soak.study")
        command = [arguments.zilch, "lander", "--generations", str(arguments.generations), "--study", study, *options]
        show(watch(command, study))


if __name__ == "__main__":
    main()
