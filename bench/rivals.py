#!/usr/bin/env python3
"""zilch beside the sparse and mixed black-box searches on PyPI: docs/rivals.md's tables, as Markdown.

    python3 bench/rivals.py --keep FOLDER -o tables.md                everything: hours on two cores
    python3 bench/rivals.py --keep FOLDER --problems smop1,ellipsoid --rivals zilch,catcmawm --seeds 3
    python3 bench/rivals.py --keep FOLDER --table                     the tables of what is there

The rivals are installed at fixed versions, and zilch from this checkout (or, with --package, as it is built there),
into a virtual environment, FOLDER/env. Every problem, rival and seed is a process of its own (rivals_job.py, which says
how each rival is used), with one thread, whose result is kept in FOLDER as one JSON file and not computed again: interrupt
it when you like, and say --table for what there is. Delete FOLDER, which has zilch as it was, after a change of the search.

Problems: lander, smop1 to smop8, ellipsoid (d = 100), diabetes; others of zilch's, such as smop1:dim=20, by their names.
Rivals: zilch, zilch-ea, cmawm, catcmawm, pycma, ng-sparse, ng-de, tpe.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import platform
import statistics
import subprocess
import sys
import threading
import venv

HERE = pathlib.Path(__file__).resolve().parent
PACKAGES = ["numpy==2.4.6", "scipy==1.17.1", "cmaes==0.13.1", "cma==4.5.0", "nevergrad==1.0.12", "optuna==5.0.0",
            "scikit-learn==1.9.1"]
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
BUDGETS = {"lander": 50000} | {f"smop{k}": 50000 for k in range(1, 9)} | {"ellipsoid": 100000, "diabetes": 20000}
MOST = {"tpe": 1000}  # evaluations of what takes longer with each of them
RIVALS = {"zilch": "**zilch**", "zilch-ea": "zilch, method `ea`", "cmawm": "cmaes, CMAwM", "catcmawm": "cmaes, CatCMAwM",
          "pycma": "pycma, cut", "ng-sparse": "nevergrad, sparse (1+1)", "ng-de": "nevergrad, DE", "tpe": "Optuna, TPE"}
SOLVED = 1e-8


# ---- The environment

def environment(arguments):
    """Its Python; made and filled if it is not there as it should be."""
    where = arguments.keep / "env"
    python, stamp = where / "bin" / "python", where / "packages.txt"
    wanted = "\n".join(PACKAGES + [f"zilch {arguments.package or HERE.parent}"])
    if not stamp.exists() or stamp.read_text() != wanted:
        venv.create(where, clear=True, with_pip=True)
        install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run(install + PACKAGES, check=True)
        if not arguments.package:
            subprocess.run(install + [HERE.parent], check=True)
        stamp.write_text(wanted)
    return python


def variables(arguments):
    return os.environ | dict.fromkeys(THREADS, "1") | {"PYTHONPATH": str(arguments.package or "")}


# ---- Runs

def budget_of(arguments, problem, rival):
    whole = BUDGETS.get(problem, 50000)
    return min(whole, arguments.budget or whole, MOST.get(rival, whole))


def path_of(arguments, problem, rival, seed):
    name = f"{problem}-{rival}-{seed}-{budget_of(arguments, problem, rival)}"
    return arguments.keep / (name.replace(":", "_") + ".json")


def missing(arguments):
    """Seeds come last: what is there when it is interrupted can be compared."""
    runs = [(problem, rival, seed) for seed in range(1, arguments.seeds + 1) for problem in arguments.problems
            for rival in arguments.rivals]
    return [run for run in runs if not path_of(arguments, *run).exists()]


class Race:
    """Runs jobs side by side; one that fails is said and left out."""

    def __init__(self, arguments):
        self.arguments, self.python = arguments, environment(arguments)
        self.todo = missing(arguments)
        self.done, self.failed, self.lock = 0, 0, threading.Lock()

    def run(self):
        executor = concurrent.futures.ThreadPoolExecutor(self.arguments.jobs)
        try:
            list(executor.map(self.job, self.todo))
        finally:
            executor.shutdown(wait=True, cancel_futures=True)
        return self.failed

    def job(self, key):
        problem, rival, seed = key
        path = path_of(self.arguments, *key)
        words = [self.python, HERE / "rivals_job.py", problem, rival, str(seed),
                 str(budget_of(self.arguments, problem, rival)), path]
        done = subprocess.run(words, env=variables(self.arguments), cwd=self.arguments.keep, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, check=False)
        with self.lock:
            self.done += 1
            self.failed += done.returncode != 0
            said = result_text(json.loads(path.read_text())) if done.returncode == 0 else done.stderr[-2000:] or "failed"
            print(f"[{self.done}/{len(self.todo)}] {problem} {rival} seed {seed}: {said}", file=sys.stderr, flush=True)


def result_text(run):
    held_out = "" if run["held_out"] is None else f", held out {run['held_out']:.6g}"
    return f"{run['best']:.4g}{held_out}, {run['active']} active, {run['seconds']:.0f} s"


# ---- Tables

def runs_of(arguments, problem, rival):
    paths = [path_of(arguments, problem, rival, seed) for seed in range(1, arguments.seeds + 1)]
    return [json.loads(path.read_text()) for path in paths if path.exists()]


def markdown(head, rows):
    return "\n".join(["| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
                     + ["| " + " | ".join(cells) + " |" for cells in rows])


def number(value):
    return f"{value:.1f}" if 10 <= abs(value) < 1e5 else f"{value:.3g}"


def spread(values, is_greater_better=False, text=number):
    """Median (best to worst)."""
    values = sorted((v for v in values if v is not None), reverse=is_greater_better)
    if not values:
        return "–"
    middle = text(statistics.median(values))
    return middle if len(values) == 1 else f"{middle} ({text(values[0])} to {text(values[-1])})"


def counts(values):
    return spread(values, text="{:g}".format)


def share(runs):
    values = [run["support"] for run in runs if run["support"] is not None]
    return f"{100 * statistics.median(values):.0f} %" if values else "–"


def title(arguments, problem, rival):
    """With its budget, where that is not everybody's."""
    budget = budget_of(arguments, problem, rival)
    name = RIVALS[rival]
    return name if budget == budget_of(arguments, problem, "zilch") else f"{name}, {budget:,} evaluations"


def problem_table(arguments, problem):
    """A row for each rival: medians, and from the best to the worst."""
    table = {rival: runs_of(arguments, problem, rival) for rival in arguments.rivals}
    table = {rival: runs for rival, runs in table.items() if runs}
    if not table:
        return None
    first = next(iter(table.values()))[0]
    is_greater_better = first["direction"] == "maximize"
    columns = {"best seen": lambda runs: spread([run["best"] for run in runs], is_greater_better)}
    if first["held_out"] is not None:
        columns["held out"] = lambda runs: spread([run["held_out"] for run in runs], is_greater_better)
    columns["active"] = lambda runs: counts([run["active"] for run in runs])
    if "pruned" in first:
        columns["held out, pruned"] = lambda runs: spread([run["pruned"] for run in runs], is_greater_better)
        columns["active, pruned"] = lambda runs: counts([run["pruned_active"] for run in runs])
    if first["support"] is not None:
        columns["support"] = share
    columns |= {"seconds": lambda runs: spread([run["cpu_seconds"] for run in runs]), "runs": lambda runs: str(len(runs))}
    rows = [[title(arguments, problem, rival)] + [column(runs) for column in columns.values()]
            for rival, runs in table.items()]
    said = f"{budget_of(arguments, problem, 'zilch'):,} evaluations, penalty {first['penalty']:.3g}, {first['direction']}."
    return f"## {problem}\n\n{said}\n\n" + markdown(["rival", *columns], rows)


def solved_table(arguments):
    """Problems whose optimum is at 0, side by side: median of the best seen (how many runs got below 1e-8)."""
    problems = [name for name in arguments.problems if name.startswith(("smop", "ellipsoid"))]
    rows = []
    for rival in arguments.rivals:
        cells = []
        for problem in problems:
            best = [run["best"] for run in runs_of(arguments, problem, rival)]
            cells.append(f"{statistics.median(best):.0e} ({sum(b <= SOLVED for b in best)})" if best else "–")
        if any(cell != "–" for cell in cells):
            rows.append([title(arguments, problems[0], rival)] + cells)
    return markdown(["rival", *problems], rows) if rows else None


def tables(arguments):
    cpu = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), "")
    parts = [f"Python {platform.python_version()}, {', '.join(PACKAGES).replace('==', ' ')}; {cpu or platform.machine()}, "
             f"one thread. Median over seeds 1 to {arguments.seeds}, or as many as there are runs (best to worst). Seconds are of "
             "processor time: with one thread, those of the clock on a machine that has nothing else to do.",
             solved_table(arguments), *(problem_table(arguments, problem) for problem in arguments.problems)]
    return "\n\n".join(part for part in parts if part) + "\n"


# ---- The command

def names(known, is_open=False):
    def parse(text):
        chosen = [name.strip() for name in text.split(",") if name.strip()]
        for name in chosen:
            if name not in known and not (is_open and ":" in name):
                raise argparse.ArgumentTypeError(f"'{name}' is none of {', '.join(known)}")
        return chosen
    return parse


def folder(text):
    return pathlib.Path(text).resolve()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--keep", type=folder, required=True, metavar="FOLDER", help="for the environment and the results")
    parser.add_argument("--problems", type=names(BUDGETS, True), default=list(BUDGETS), metavar="A,B")
    parser.add_argument("--rivals", type=names(RIVALS), default=list(RIVALS), metavar="A,B")
    parser.add_argument("--seeds", type=int, default=5, metavar="N", help="1 to N (5)")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="runs at once (2)")
    parser.add_argument("--budget", type=int, metavar="N", help="at most so many evaluations")
    parser.add_argument("--package", type=folder, metavar="FOLDER", help="with a built zilch, which is not installed then")
    parser.add_argument("--table", action="store_true", help="run nothing")
    parser.add_argument("-o", dest="output", metavar="FILE", help="for the tables too")
    arguments = parser.parse_args()
    arguments.keep.mkdir(parents=True, exist_ok=True)
    failed = 0 if arguments.table else Race(arguments).run()
    text = tables(arguments)
    print(text, end="")
    if arguments.output:
        pathlib.Path(arguments.output).write_text(text)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
