#!/usr/bin/env python3
"""What it costs to have points evaluated by a program: microseconds a point beyond the evaluation itself.

    bench/program.py ZILCH [--dim 90] [--rounds 5]

A program in C that reads a point and answers 0 at once is timed from zilch's side: the seconds that a study says were
spent in evaluating, divided by the evaluations. Beside it, in the same run, the floor: the same bytes through two pipes,
a line out and a short line back, with nothing made of them.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import tempfile
import time

EVALUATOR = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv)
{
    static char line[1 << 24];
    const int is_plain = argc > 1 && strcmp(argv[1], "plain") == 0, is_blind = argc > 1 && strcmp(argv[1], "blind") == 0;
    while (fgets(line, sizeof line, stdin)) {
        double sum = 0;
        const char *id = is_plain || is_blind ? NULL : strstr(line, "\"id\":") + 5;
        char *at = is_plain ? line : strpbrk(line, "[") ? strpbrk(line, "[") + 1 : NULL;
        for (char *end = at; at && !is_blind; at = *end == ',' ? end + 1 : end) {
            const double x = strtod(at, &end);
            if (end == at) break;
            sum += x * x;
        }
        if (id) printf("{\"id\":%llu,\"value\":%.17g}\n", strtoull(id, NULL, 10), sum); else printf("%.17g\n", sum);
        fflush(stdout);
    }
    return 0;
}
"""
WAYS = {"json": ["json"], "json, two jobs": ["json", "--jobs", "2"], "json, 8 ahead": ["json", "--ahead", "8"],
        "sparse": ["json", "--sparse"], "plain": ["plain", "--plain"]}


def microseconds(zilch, folder, words, dim):
    """Of one point, from the study of a short search; the first generation, in which programs start, left out."""
    study = folder / "program.study"
    study.unlink(missing_ok=True)
    subprocess.run([zilch, "optimize", "--program", f"./evaluator {words[0]}", "--dim", str(dim), "--generations", "11",
                    "--final-evaluations", "20", "--final-pruning", "no", "--study", study, *words[1:]], cwd=folder, check=True,
                   stdout=subprocess.DEVNULL)
    rows = json.loads(subprocess.run([zilch, "export", study, "--generations", "--json"], check=True,
                                     capture_output=True).stdout)
    rows = sorted(rows, key=lambda row: row["generation"])
    seconds = sum(row["timings"]["evaluating"] if "timings" in row else row["evaluating_seconds"] for row in rows[1:])
    return 1e6 * seconds / (rows[-1]["evaluations"] - rows[0]["evaluations"])


def floor(folder, dim, points=5000):
    """Of a line as long as a point's in JSON with half of it active, answered without being read."""
    line = ("{\"id\":1,\"x\":[" + ",".join("0" if i % 2 else "0.12345678901234567" for i in range(dim)) + "]}\n").encode()
    with subprocess.Popen([folder / "evaluator", "blind"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0) as run:
        began = time.perf_counter()
        for _ in range(points):
            os.write(run.stdin.fileno(), line)
            os.read(run.stdout.fileno(), 100)
        seconds = time.perf_counter() - began
        run.stdin.close()
    return 1e6 * seconds / points


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("zilch", type=pathlib.Path)
    parser.add_argument("--dim", type=int, default=90)
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    zilch = arguments.zilch.resolve()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "evaluator.c").write_text(EVALUATOR)
        subprocess.run(["cc", "-O2", "-o", "evaluator", "evaluator.c"], cwd=folder, check=True)
        figures = {way: [] for way in ["two pipes alone", *WAYS]}
        for _ in range(arguments.rounds):
            figures["two pipes alone"].append(floor(folder, arguments.dim))
            for way, words in WAYS.items():
                figures[way].append(microseconds(zilch, folder, words, arguments.dim))
    print(f"| d = {arguments.dim} | microseconds a point, median of {arguments.rounds} (least) |\n|---|---|")
    for way, values in figures.items():
        print(f"| {way} | {statistics.median(values):.1f} ({min(values):.1f}) |")


if __name__ == "__main__":
    main()
