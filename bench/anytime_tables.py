"""Tables, the figure and the best known values from the runs of anytime.py, whose head defines share and score."""
import collections
import dataclasses
import json
import math
import pathlib
import platform
import statistics

import numpy as np

import anytime_problems

SCORED = [round(10 ** (k / 4)) for k in range(8, 18)]  # 100, 178, ..., 17,783
SHOWN = [100, 316, 1000, 3162, 10000, 50000]
DECADES = 4
DEEPEST = 1e-8  # of the first gap: what is below it is no longer told apart
EXACT = ["sphere-20", "ellipsoid-20", "rosenbrock-20", "smop1-100", "smop5-100"]


# ---- What there is

@dataclasses.dataclass
class Runs:
    """By problem and method, a list of runs; and of each problem the best known value and the first gap."""

    by_key: dict
    problems: list
    methods: list
    best: dict
    first: dict


def load(arguments, titles):
    by_key = collections.defaultdict(list)
    for path in sorted((arguments.keep / "runs").glob("*.json")):
        problem, method, _, budget = path.name.removesuffix(".json").rsplit(".", 3)
        is_wanted = problem in arguments.problems and (not arguments.methods or method in arguments.methods)
        if is_wanted and int(budget) == arguments.budgets.get(method, arguments.budgets["zilch"]):
            by_key[problem, method].append(json.loads(path.read_text()))
    present = {method for _, method in by_key}
    methods = sorted(present - set(titles)) + [method for method in titles if method in present]
    runs = Runs(by_key, [name for name in arguments.problems if any(key[0] == name for key in by_key)], methods, {}, {})
    for problem in runs.problems:
        known = anytime_problems.best_known(problem)
        runs.best[problem] = least(runs, problem) if known is None else known
        runs.first[problem] = anytime_problems.found().get(problem, {}).get("first") or first_gap(runs, problem)
    return runs


def value_at(run, n):
    """After n evaluations; a run that ended before keeps its last value."""
    index = np.searchsorted(run["places"], n, side="right") - 1
    return run["values"][index] if 0 <= index < len(run["values"]) else math.inf


def least(runs, problem):
    return min(value for (name, _), found in runs.by_key.items() if name == problem for run in found for value in run["values"])


def first_gap(runs, problem):
    """The median over methods, without the oracle, of their median gap after 100 evaluations; no more than that of x0."""
    medians = [statistics.median(value_at(run, 100) for run in found) - runs.best[problem]
               for (name, method), found in runs.by_key.items() if name == problem and method != "oracle"]
    return max(min([statistics.median(medians), *guess_gap(runs, problem)]), 1e-300) if medians else 1.0


def guess_gap(runs, problem):
    """The gap of the first guess that a problem gives to everybody, if it gives one."""
    given = anytime_problems.problem(problem)
    return [] if given.x0 is None else [float(given.penalised(given.x0[None])[0]) - runs.best[problem]]


# ---- Shares

def share(runs, problem, value):
    gap = value - runs.best[problem]
    return 1.0 if gap <= 0.0 else min(max(math.log10(runs.first[problem] / gap) / DECADES, 0.0), 1.0)


def share_at(runs, problem, method, n):
    """The mean over seeds; None if there are no runs."""
    found = runs.by_key.get((problem, method))
    return statistics.fmean(share(runs, problem, value_at(run, n)) for run in found) if found else None


def score(runs, problem, method):
    shares = [share_at(runs, problem, method, n) for n in SCORED]
    return None if None in shares else statistics.fmean(shares)


def mean(values):
    values = [value for value in values if value is not None]
    return statistics.fmean(values) if values else None


def common(runs, problems, *methods):
    return [problem for problem in problems if all((problem, method) in runs.by_key for method in methods)]


# ---- Evaluations to a gap

def evaluations_to(runs, problem, method, gap):
    """Median over seeds of the evaluations after which the gap is reached; infinity if half of the runs or more never are."""
    counts = []
    for run in runs.by_key[problem, method]:
        reached = (n for n, value in zip(run["places"], run["values"]) if value - runs.best[problem] <= gap)
        counts.append(next(reached, math.inf))
    return sorted(counts)[len(counts) // 2]


def decades(runs, problem):
    """Powers of ten from below the first gap to a part of 1e-8 of it, the smallest last."""
    top = math.floor(math.log10(runs.first[problem]))
    return [10.0 ** k for k in range(top, math.ceil(math.log10(DEEPEST * runs.first[problem])) - 1, -1)]


def against(runs, method, rival):
    """For noise-free problems: the ratio of evaluations at the deepest decade both reach, and where the rival got deeper."""
    ratios, behind = {}, []
    for problem in common(runs, runs.problems, method, rival):
        if anytime_problems.problem(problem).is_noisy:
            continue
        counts = [[evaluations_to(runs, problem, each, gap) for each in (method, rival)] for gap in decades(runs, problem)]
        both = [pair for pair in counts if max(pair) < math.inf]
        if both:
            ratios[problem] = both[-1][0] / both[-1][1]
        if any(mine == math.inf and other < math.inf for mine, other in counts):
            behind.append(problem)
    return ratios, behind


# ---- Tables

def markdown(head, rows):
    return "\n".join(["| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
                     + ["| " + " | ".join(cells) + " |" for cells in rows])


def number(value, form=".3f"):
    return "–" if value is None else "never" if value == math.inf else format(value, form)


def score_table(runs, titles, sides):
    """A row for each method: its score on each side, and over all problems its shares. Ratios are over the problems that zilch and
    the method both have, seconds of processor time are the median run's."""
    name = runs.methods[0]
    rows = []
    for method in runs.methods:
        has, both = common(runs, runs.problems, method), common(runs, runs.problems, method, name)
        ratio = divided(mean_score(runs, both, name), mean_score(runs, both, method))
        seconds = statistics.median(run["cpu_seconds"] for problem in has for run in runs.by_key[problem, method])
        rows.append([titles.get(method, method)]
                    + [number(mean_score(runs, problems, method)) for problems in sides.values()]
                    + [number(mean(share_at(runs, p, method, n) for p in has), ".2f") for n in SHOWN]
                    + [number(ratio, ".2f"), number(seconds, ".1f"), str(len(has)), seeds_text(runs, has, method)])
    return markdown(["method", *sides, *(f"{n:,}" for n in SHOWN), f"{titles.get(name, name)} / it", "seconds", "problems", "seeds"],
                    rows)


def mean_score(runs, problems, method):
    return mean(score(runs, problem, method) for problem in problems)


def divided(a, b):
    return a / b if a is not None and b else None


def seeds_text(runs, problems, method):
    counts = {len(runs.by_key[problem, method]) for problem in problems}
    return str(max(counts)) if len(counts) == 1 else f"{min(counts)} to {max(counts)}"


def kind_table(runs):
    """The mean score of each method on each kind of problems, and the mean of the kinds where a method has them all."""
    kinds = collections.defaultdict(list)
    for problem in runs.problems:
        kinds[anytime_problems.problem(problem).kind].append(problem)
    means = {kind: [mean_score(runs, problems, method) for method in runs.methods] for kind, problems in kinds.items()}
    rows = [[f"{kind}, {len(kinds[kind])}", *marked(runs, values)] for kind, values in means.items()]
    whole = [None if None in values else statistics.fmean(values) for values in zip(*means.values())]
    return markdown(["kind, problems", *runs.methods], [*rows, ["mean of the kinds", *marked(runs, whole)]])


def marked(runs, values):
    """Cells for all methods, the best without the oracle in bold."""
    top = max((value for method, value in zip(runs.methods, values) if value is not None and method != "oracle"), default=None)
    return [f"**{number(value)}**" if value is not None and value == top and method != "oracle" else number(value)
            for method, value in zip(runs.methods, values)]


def problem_table(runs):
    """The score of each method on each problem."""
    rows = []
    for problem in runs.problems:
        held_out = ", held out" if anytime_problems.problem(problem).held_out else ""
        rows.append([problem + held_out, f"{runs.best[problem]:.4g}", f"{runs.first[problem]:.3g}",
                     *marked(runs, [score(runs, problem, method) for method in runs.methods])])
    return markdown(["problem", "best", "first gap", *runs.methods], rows)


def oracle_text(runs, titles):
    """What not knowing the support costs."""
    rows = []
    for method in runs.methods:
        if method == "oracle" or ("oracle" not in runs.methods):
            continue
        ratios, behind = against(runs, method, "oracle")
        if ratios:
            rows.append([titles.get(method, method), number(statistics.median(ratios.values()), ".1f"), str(len(ratios)),
                         str(len(behind))])
    return rows and ("Evaluations to the deepest decade of the gap that a method and the oracle both reach (medians over seeds), as "
                     "a multiple of the oracle's: the median over the problems without noise. The last column counts the problems on "
                     "which the oracle gets deeper.\n\n"
                     + markdown(["method", "times the oracle's", "problems", "oracle deeper"], rows))


def exact_table(runs, titles):
    """Evaluations to a gap of 1e-8 where zilch promises something."""
    problems = [problem for problem in EXACT if problem in runs.problems]
    rows = [[titles.get(method, method)] + [number(evaluations_to(runs, problem, method, 1e-8), ",")
                                            if (problem, method) in runs.by_key else "–" for problem in problems]
            for method in runs.methods]
    return problems and ("Evaluations to a gap of 1e-8, median over seeds:\n\n" + markdown(["method", *problems], rows))


def late_text(runs):
    """Which runs keep a value from before their budget's end."""
    late = []
    for method in runs.methods:
        found = [run for (_, name), each in runs.by_key.items() if name == method for run in each]
        for why, what in {"time": "ended by the limit of processor time", "hanging": "hung"}.items():
            counts = sorted(run["evaluations"] for run in found if run["ended_by"] == why)
            late += [f"- {method}: {len(counts)} of {len(found)} runs {what}, after {counts[0]:,} to {counts[-1]:,} evaluations (median "
                     f"{statistics.median(counts):,.0f})."] if counts else []
    return late and "These runs keep their last value:\n\n" + "\n".join(late)


def tables(arguments, titles, packages):
    runs = load(arguments, titles)
    if not runs.methods:
        raise SystemExit("anytime.py: there are no runs yet")
    held_out = [name for name in runs.problems if anytime_problems.problem(name).held_out]
    tuning = [name for name in runs.problems if name not in held_out]
    sides = {"tuning": tuning, "held out": held_out, "all": runs.problems} if tuning and held_out else {"score": runs.problems}
    parts = [f"Python {platform.python_version()}, {', '.join(packages).replace('==', ' ')}; one thread.",
             score_table(runs, titles, sides), late_text(runs), oracle_text(runs, titles), exact_table(runs, titles),
             "## Each kind", kind_table(runs), "## Each problem", problem_table(runs)]
    text = "\n\n".join(part for part in parts if part) + "\n"
    print(text, end="")
    if arguments.output:
        pathlib.Path(arguments.output).write_text(text)


# ---- The figure

def style(method, is_first):
    """The first method is thick and blue, the oracle black, versions of zilch 0.1 are thin and grey, the rivals have colours."""
    if is_first:
        return {"color": "tab:blue", "linewidth": 3.0}
    if method == "oracle":
        return {"color": "black", "linestyle": ":", "linewidth": 1.6}
    if method.startswith("zilch01"):
        dashes = {"zilch01-500": "-", "zilch01-100": "--", "zilch01-50": "-.", "zilch01-20": (0, (1, 1.5))}
        return {"color": "0.55", "linestyle": dashes[method], "linewidth": 1.2}
    colours = {"pycma": "tab:green", "catcmawm": "tab:red", "cmawm": "tab:orange", "ng-sparse": "tab:purple", "ngopt": "tab:pink",
               "tpe": "tab:brown"}
    return {"color": colours.get(method), "linewidth": 1.6}


def figure(arguments, titles, packages):
    """Shares over evaluations, tuning and held-out problems side by side."""
    import matplotlib
    matplotlib.use("svg")
    import matplotlib.pyplot as plt
    plt.rcParams |= {"svg.hashsalt": "zilch", "svg.fonttype": "none", "font.family": "sans-serif"}
    runs = load(arguments, titles)
    sides = {"tuning problems": [p for p in runs.problems if not anytime_problems.problem(p).held_out],
             "held-out problems": [p for p in runs.problems if anytime_problems.problem(p).held_out]}
    sides = {title: problems for title, problems in sides.items() if problems}
    drawing, axes = plt.subplots(1, len(sides), figsize=(5.5 * len(sides), 4.6), sharey=True, squeeze=False)
    whole = max(run["budget"] for found in runs.by_key.values() for run in found)
    counts = [round(10 ** (k / 4)) for k in range(8, math.floor(4 * math.log10(whole)) + 1)] + [whole]
    for (title, problems), ax in zip(sides.items(), axes[0]):
        for method in runs.methods:
            has = common(runs, problems, method)
            most = max((run["budget"] for p in has for run in runs.by_key[p, method]), default=0)
            shown = [n for n in counts if n <= most]
            ax.plot(shown, [mean(share_at(runs, p, method, n) for p in has) for n in shown],
                    label=titles.get(method, method).replace("*", ""), **style(method, method == runs.methods[0]))
        ax.set(xscale="log", xlabel="evaluations", title=f"{len(problems)} {title}", ylim=(0, 1), xlim=(counts[0], whole))
        ax.xaxis.set_major_formatter("{x:,.0f}")
        ax.grid(alpha=0.3)
    axes[0][0].set_ylabel("share of four decades")
    drawing.legend(*axes[0][0].get_legend_handles_labels(), loc="lower center", ncols=3, fontsize=9, frameon=False)
    drawing.tight_layout(rect=(0, 0.19, 1, 1))
    drawing.savefig(arguments.output or arguments.keep / "anytime.svg", metadata={"Date": None})


# ---- The best known values

def best(arguments, titles, packages):
    """Keeps the least value that any run has found, where no better is known, and the first gaps."""
    runs = load(arguments, titles)
    table = dict(anytime_problems.found())
    for problem in runs.problems:
        known, seen = anytime_problems.problem(problem).best, least(runs, problem)
        if known is not None and seen < known - 1e-9 * max(1.0, abs(known)):
            print(f"{problem}: {seen!r} was found, below the best that was thought possible, {known!r}")
        before = table.get(problem, {}).get("best")
        runs.best[problem] = known if known is not None else seen if before is None else min(seen, before)
        entry = {} if known is not None else {"best": runs.best[problem]}
        table[problem] = entry | {"first": float(f"{first_gap(runs, problem):.4g}")}
    ordered = {name: table[name] for name in anytime_problems.MAKERS if name in table}
    rows = ",\n".join(f" {json.dumps(name)}: {json.dumps(entry)}" for name, entry in ordered.items())
    anytime_problems.BEST.write_text("{\n" + rows + "\n}\n")


ACTIONS = {"table": tables, "figure": figure, "best": best}
