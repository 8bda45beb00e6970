#!/usr/bin/env python3
"""zilch beside the black-box searches on PyPI, at every budget from 100 to 50,000 evaluations, as tables and a figure.

    python3 bench/anytime.py run --keep FOLDER --zilch01 FOLDER       everything: days on two cores
    python3 bench/anytime.py run --keep FOLDER --methods zilch,pycma --problems smop1-100,sphere-20 --seeds 3
    python3 bench/anytime.py run --keep FOLDER --group bbob
    python3 bench/anytime.py table --keep FOLDER [-o tables.md]       the tables of what is there
    python3 bench/anytime.py figure --keep FOLDER -o anytime.svg      shares over evaluations
    python3 bench/anytime.py best --keep FOLDER                       brings anytime_best.json up to date

The rivals are installed at fixed versions, and zilch from this checkout (or, with --package, as it is built there), into a
virtual environment, FOLDER/env. --zilch01 names a folder with the Python package of zilch 0.1. Every problem, method and seed is a
process of its own (anytime_job.py, which says how each method is used), with one thread, whose result is kept as one JSON file in
FOLDER/runs and not computed again: interrupt it when you like. --label gives the runs of zilch another name, so that two versions,
or two values of --options, can be compared.

The score. `best` is the best known penalised value of a problem, and `first` the gap to it of an ordinary first guess: the
median over the methods, without the oracle, after 100 evaluations, or that of the problem's x0 where this is smaller. A run's
share after n evaluations is log10(first / gap) / 4, cut to [0, 1]. A method's score is the mean share over n = 100, 178, 316,
..., 17,783, over seeds and over problems.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import threading
import time
import venv

HERE = pathlib.Path(__file__).resolve().parent
PACKAGES = ["numpy==2.3.5", "scipy==1.17.1", "cmaes==0.13.1", "cma==4.5.0", "nevergrad==1.0.12", "optuna==5.0.0",
            "scikit-learn==1.9.1", "coco-experiment==2.8.2", "matplotlib==3.11.2"]
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
METHODS = {"zilch": "**zilch**", "zilch01-500": "zilch 0.1", "zilch01-100": "zilch 0.1, population 100",
           "zilch01-50": "zilch 0.1, population 50", "zilch01-20": "zilch 0.1, population 20", "pycma": "pycma, restarts, cut",
           "catcmawm": "cmaes, CatCMAwM, restarts", "cmawm": "cmaes, CMAwM, restarts", "ng-sparse": "nevergrad, sparse (1+1)",
           "ngopt": "nevergrad, NGOpt, cut", "tpe": "Optuna, TPE, to 1,000", "oracle": "oracle: pycma, told the support"}
BUDGETS = {"main": 50000, "bbob": 20000}
SEEDS = {"main": 5, "bbob": 2}
FEW = 3                # seeds of problems with 300 coordinates
MOST = {"tpe": 1000}   # evaluations of what takes longer with each of them
INSIDE = "ZILCH_ANYTIME_INSIDE"  # set where the environment's Python runs this


# ---- The environment

def environment(arguments):
    """Its Python; made and filled if it is not there as it should be."""
    if arguments.python:
        return arguments.python
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


def variables(arguments, method):
    package = arguments.zilch01 if method.startswith("zilch01") else arguments.package
    return os.environ | dict.fromkeys(THREADS, "1") | {"PYTHONPATH": str(package or ""), "PYTHONDONTWRITEBYTECODE": "1"}


# ---- Runs

def seeds_of(arguments, problem):
    count = arguments.seeds or SEEDS[arguments.group]
    return range(1, (min(count, FEW) if problem.endswith("-300") else count) + 1)


def budget_of(arguments, method):
    whole = arguments.budget or BUDGETS[arguments.group]
    return min(whole, MOST.get(method, whole))


def path_of(arguments, problem, method, seed):
    name = arguments.label if method == "zilch" else method
    return arguments.keep / "runs" / f"{problem}.{name}.{seed}.{budget_of(arguments, method)}.json"


def missing(arguments):
    """Seeds come last: what is there when it is interrupted can be compared. There is no oracle where no support is known."""
    most = max((len(seeds_of(arguments, problem)) for problem in arguments.problems), default=0)
    has_support = {name: anytime_problems.problem(name).support is not None for name in arguments.problems}
    runs = [(problem, method, seed) for seed in range(1, most + 1) for problem in arguments.problems
            if seed in seeds_of(arguments, problem) for method in arguments.methods if method != "oracle" or has_support[problem]]
    return [run for run in runs if not path_of(arguments, *run).exists()]


class Race:
    """Runs jobs side by side until all are done or the time is over; one that fails is said and left out."""

    def __init__(self, arguments, python):
        self.arguments, self.python = arguments, python
        self.ends = time.monotonic() + arguments.time if arguments.time else None
        (arguments.keep / "runs").mkdir(parents=True, exist_ok=True)
        self.todo = missing(arguments)
        self.done, self.failed, self.lock = 0, 0, threading.Lock()

    def run(self):
        executor = concurrent.futures.ThreadPoolExecutor(self.arguments.jobs)
        try:
            list(executor.map(self.job, self.todo))
        finally:
            executor.shutdown(wait=True, cancel_futures=True)
        return self.failed

    def left(self):
        return None if self.ends is None else self.ends - time.monotonic()

    def job(self, key):
        problem, method, seed = key
        left, path = self.left(), path_of(self.arguments, *key)
        if left is not None and left < 1:
            return
        words = [self.python, HERE / "anytime_job.py", problem, method, str(seed), str(budget_of(self.arguments, method)),
                 str(self.arguments.seconds), path]
        if method == "zilch" and self.arguments.options:
            words.append(json.dumps(self.arguments.options))
        try:
            done = subprocess.run(words, env=variables(self.arguments, method), cwd=self.arguments.keep, stdin=subprocess.DEVNULL,
                                  capture_output=True, text=True, check=False, timeout=left)
        except subprocess.TimeoutExpired:
            return
        with self.lock:
            self.done += 1
            self.failed += done.returncode != 0
            said = result_text(json.loads(path.read_text())) if done.returncode == 0 else done.stderr[-2000:] or "failed"
            print(f"[{self.done}/{len(self.todo)}] {problem} {method} seed {seed}: {said}", file=sys.stderr, flush=True)


def result_text(run):
    late = "" if run["ended_by"] == "budget" else f", ended by {run['ended_by']} after {run['evaluations']:,}"
    value = f"{run['values'][-1]:.4g}" if run["values"] else "nothing"
    return f"{value}, {run['active']} active, {run['cpu_seconds']:.1f} s{late}"


# ---- The command

def names(text):
    return [name.strip() for name in text.split(",") if name.strip()]


def options(text):
    """name=value,...: numbers as numbers."""
    found = {}
    for word in names(text):
        name, value = word.split("=")
        try:
            found[name] = json.loads(value)
        except ValueError:
            found[name] = value
    return found


def folder(text):
    return pathlib.Path(text).resolve()


def parsed():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", choices=["run", "table", "figure", "best"])
    parser.add_argument("--keep", type=folder, required=True, metavar="FOLDER", help="for the environment and the results")
    parser.add_argument("--group", choices=list(BUDGETS), default="main")
    parser.add_argument("--problems", type=names, metavar="A,B", help="all of the group")
    parser.add_argument("--methods", type=names, metavar="A,B", help=", ".join(METHODS) + "; in tables also labels")
    parser.add_argument("--seeds", type=int, metavar="N", help="1 to N (main 5, with 300 coordinates 3; bbob 2)")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="runs at once (2)")
    parser.add_argument("--budget", type=int, metavar="N", help="at most so many evaluations (main 50,000, bbob 20,000)")
    parser.add_argument("--seconds", type=float, default=600, metavar="S", help="processor time of a run (600)")
    parser.add_argument("--time", type=float, metavar="S", help="end after so many seconds; unfinished runs are lost")
    parser.add_argument("--package", type=folder, metavar="FOLDER", help="with a built zilch, which is not installed then")
    parser.add_argument("--zilch01", type=folder, metavar="FOLDER", help="with the Python package of zilch 0.1")
    parser.add_argument("--python", type=pathlib.Path, metavar="FILE", help="a Python that has all the packages")
    parser.add_argument("--label", default="zilch", metavar="NAME", help="of the runs of zilch")
    parser.add_argument("--options", type=options, default={}, metavar="A=1,B=2", help="of zilch.Optimizer")
    parser.add_argument("-o", dest="output", metavar="FILE", help="for the tables or the figure")
    return parser.parse_args()


def settle(arguments):
    """Names become those of the group; a wrong one is said."""
    known = anytime_problems.GROUPS[arguments.group]
    wrong = [name for name in arguments.problems or [] if name not in known]
    if arguments.action == "run":
        wrong += [name for name in arguments.methods or [] if name not in METHODS]
        arguments.methods = arguments.methods or [name for name in METHODS if arguments.zilch01 or not name.startswith("zilch01")]
    if wrong:
        sys.exit(f"anytime.py: there is no {', '.join(wrong)}")
    arguments.problems = arguments.problems or known


def main():
    """All but the making of the environment is done by the Python of the environment."""
    global anytime_problems
    arguments = parsed()
    arguments.keep.mkdir(parents=True, exist_ok=True)
    python = environment(arguments)
    if INSIDE not in os.environ:
        os.execve(python, [str(python), *sys.argv], os.environ | {INSIDE: "1"})
    import anytime_problems
    import anytime_tables
    settle(arguments)
    if arguments.action == "run":
        sys.exit(1 if Race(arguments, python).run() else 0)
    arguments.budgets = {name: budget_of(arguments, name) for name in METHODS}
    anytime_tables.ACTIONS[arguments.action](arguments, METHODS, PACKAGES)


if __name__ == "__main__":
    main()
