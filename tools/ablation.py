#!/usr/bin/env python3
"""What each part of the distribution is worth: docs/explanation/search.md's tables, as Markdown.

    python3 tools/ablation.py ZILCH smop      SMOP1 to 8 and the ellipsoid, d = 100, 20 seeds
    python3 tools/ablation.py ZILCH lander    10 seeds, measured after 25 generations
    python3 tools/ablation.py ZILCH final     the lander, default and published, after 25, 50 and 100
    python3 tools/ablation.py ZILCH large     SMOP1, 2, 7 at d = 1,000, N = 1,000, 3 seeds
    python3 tools/ablation.py ZILCH dense     functions without zeros, d = 20

Every method and problem is one call of 'zilch compare --json', whose result is kept in a folder (--keep) and
not computed again: interrupt it when you like. Delete the folder after a change of the search. --only takes
the rows whose name matches a regular expression.
"""
import argparse
import json
import math
import pathlib
import re
import statistics
import subprocess

DEFAULT = "default+population=500+refinement=no+smoothing=no"  # the distribution alone
PARTS = {
    "initial spread": "initial-spread=0.1",
    "prior sigma": "prior-sigma=5",
    "margin": "margin=0.5",
    "margin, reactivation": "margin=0.5+reactivation=0.5",
    "mean shift": "mean-shift=0.25",
    "recombination": "recombination=0.02",
    "immigrants": "immigrants=0.05",
    "variance scaling": "variance-scaling=yes",
    "linear weights": "weighting=linear",
    "fisher": "inverter=exact+shrinkage=fisher",
    "reevaluate uncertain": "reevaluate=uncertain",
}
LEFT_OUT = {
    "initial spread": "initial-spread=0",
    "prior sigma": "prior-sigma=0",
    "margin": "margin=0",
    "reactivation": "reactivation=0",
    "mean shift": "mean-shift=0",
    "recombination": "recombination=0",
    "immigrants": "immigrants=0",
    "variance scaling": "variance-scaling=no",
    "linear weights": "weighting=equal",
    "shrinkage": "shrinkage=none",
    "reevaluate uncertain": "reevaluate=all",
    "correlations": "shrinkage=all",
}
TRIED = {
    "initial spread 0.5": "initial-spread=0.5",
    "bayes": "shrinkage=bayes",
    "entrywise": "shrinkage=entrywise",
    "amortised": "inverter=amortised",
    "mean of values": "aggregate=mean",
}
# On the lander, what the end and the noise take part in; and of what was tried, what noise may decide.
LANDER_PARTS = PARTS | {"pruning": "final-pruning=yes"}
LANDER_LEFT_OUT = LEFT_OUT | {"pruning": "final-pruning=no"}
LANDER_TRIED = {name: TRIED[name] for name in ("bayes", "entrywise", "mean of values")}
LANDER_TRIED |= {"common seeds": "seeds=common"}


def methods(baselines, parts=PARTS, left_out=LEFT_OUT, tried=TRIED):
    """Name to method."""
    rows = {"published": "published", "published, exact inverter": "published+inverter=exact"}
    rows |= {f"published with {name}": f"published+{words}" for name, words in parts.items()}
    rows |= {"**default: all of these**": DEFAULT}
    rows |= {f"default without {name}": f"{DEFAULT}+{words}" for name, words in left_out.items()}
    rows |= {f"default with {name}": f"{DEFAULT}+{words}" for name, words in tried.items()}
    return rows | {f"baseline {name}": name for name in baselines}


def compare(arguments, problem, method, words):
    """Runs of a method, from the folder if they are there."""
    name = f"{problem}_{method}_{'_'.join(words)}".replace("/", "")
    path = pathlib.Path(arguments.keep, "".join(c if c.isalnum() or c in "=.,+-" else "_" for c in name) + ".json")
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists():
        partial = path.with_suffix(".part")
        subprocess.run([arguments.zilch, "compare", "--problem", problem, "--methods", method, *words, "--threads",
                        str(arguments.threads), "--json", "-o", partial], check=True, stdout=subprocess.DEVNULL)
        partial.rename(path)
    return json.loads(path.read_text())["runs"]


def chosen(arguments, rows):
    return {name: method for name, method in rows.items() if re.search(arguments.only, name)}


def table(head, rows):
    print("| " + " | ".join(head) + " |\n" + "|---" * len(head) + "|", flush=True)
    for cells in rows:
        print("| " + " | ".join(cells) + " |", flush=True)


def scores(runs):
    return [run["fitness"] for run in runs]


def rank_test(a, b):
    """Two-sided p of Wilcoxon, Mann and Whitney's test, by the normal law; held-out means are never equal."""
    wins = sum((x > y) + 0.5 * (x == y) for x in a for y in b)
    pairs = len(a) * len(b)
    deviation = math.sqrt(pairs * (len(a) + len(b) + 1) / 12)
    return math.erfc(max(abs(wins - pairs / 2) - 0.5, 0) / deviation / math.sqrt(2))


def solved_cell(runs):
    """Median (how many of the runs got below 1e-8)."""
    solved = sum(run["best_value_seen"] <= 1e-8 for run in runs)
    return f"{statistics.median(scores(runs)):.0e} ({solved})"


def smop(arguments):
    problems = {f"smop{k}:dim={arguments.dim}": 50000 for k in range(1, 9)} | {f"ellipsoid:dim={arguments.dim}": 100000}
    rows = chosen(arguments, methods(["ea", "gaussian", "adhoc"]))

    def cells():
        for name, method in rows.items():
            yield [name] + [solved_cell(compare(arguments, problem, method, ["--seeds", str(arguments.seeds or 20),
                                                                             "--evaluations", str(evaluations)]))
                            for problem, evaluations in problems.items()]
    table(["refit"] + [problem.split(":")[0] for problem in problems], cells())


def at(run, generation):
    """Held-out fitness and active count after a generation."""
    for checkpoint in run["checkpoints"]:
        if checkpoint["generations"] == generation:
            return checkpoint["fitness"], checkpoint["active"]
    return run["fitness"], run["active"]


def lander_cells(arguments, rows, generations, marks):
    published = None
    for name, method in rows.items():
        words = ["--seeds", str(arguments.seeds or 10), "--generations", str(generations)]
        runs = compare(arguments, "lander", method, words + (["--at", ",".join(map(str, marks[:-1]))] if marks[1:] else []))
        cells = [name]
        for k, target in enumerate((200, 250)):
            reached = [run["evaluations_to_targets"][k] or float("inf") for run in runs]
            cells.append(f"{statistics.median(reached) / 500:.1f}")
        for mark in marks:
            fitness, active = zip(*(at(run, mark) for run in runs))
            published = published or {mark: [at(run, mark)[0] for run in runs] for mark in marks}
            p = rank_test(fitness, published[mark]) if name != "published" else None
            cells.append(f"{statistics.median(fitness):.1f} ({min(fitness):.0f} to {max(fitness):.0f}), "
                         f"{statistics.median(active):.0f}" + (f", p {p:.1g}" if p is not None else ""))
        yield cells


def lander(arguments, generations=25, marks=(25,), rows=None):
    rows = chosen(arguments, rows or methods(["ea"], LANDER_PARTS, LANDER_LEFT_OUT, LANDER_TRIED))
    table(["refit", "to 200", "to 250"] + [f"after {mark}" for mark in marks],
          lander_cells(arguments, rows, generations, marks))


def final(arguments):
    lander(arguments, 100, (25, 50, 100), {"published": "published", "**default**": DEFAULT})


def large(arguments):
    def cells():
        large = {"default": f"{DEFAULT}+population=1000", "published": "published+population=1000+elites=200"}
        for name, method in large.items():
            row = [name]
            for problem in (1, 2, 7):
                runs = compare(arguments, f"smop{problem}:dim=1000", method,
                               ["--seeds", str(arguments.seeds or 3), "--evaluations", "100000"])
                row.append(f"{statistics.median(scores(runs)):.0e}, {100 * min(run['support'] for run in runs):.1f} %")
            yield row
    table(["refit", "SMOP1", "SMOP2", "SMOP7"], cells())


def dense(arguments):
    problems = ["sphere:dim=20,active=20", "ellipsoid:dim=20,active=20", "rosenbrock:dim=20,active=20"]

    def cells():
        for method in (DEFAULT, "gaussian"):
            row = [method.split("+")[0]]
            for problem in problems:
                runs = compare(arguments, problem, method, ["--seeds", str(arguments.seeds or 20), "--evaluations", "200000",
                                                            "--targets", "1e-8"])
                reached = [run["evaluations_to_targets"][0] or float("inf") for run in runs]
                row.append(f"{statistics.median(reached):.0f} ({sum(r < float('inf') for r in reached)}), "
                           f"{statistics.median(scores(runs)):.1e}")
            yield row
    table(["method", "sphere", "ellipsoid", "Rosenbrock"], cells())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("zilch")
    parser.add_argument("table", choices=["smop", "lander", "final", "large", "dense"])
    parser.add_argument("--seeds", type=int, help="other than the table's")
    parser.add_argument("--dim", type=int, default=100)
    parser.add_argument("--only", default="")
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--keep", default="ablation")
    arguments = parser.parse_args()
    globals()[arguments.table](arguments)


if __name__ == "__main__":
    main()
