"""What the pages of the gallery show of a case's rows: a figure, and tables in Markdown."""
import json
import math
import statistics

import matplotlib

matplotlib.use("svg")
matplotlib.rcParams.update({"svg.hashsalt": "zilch", "font.size": 10, "axes.spines.top": False, "axes.spines.right": False})
from matplotlib import pyplot  # noqa: E402


def as_text(found):
    """JSON with a line for each row, and six digits for each number."""
    def short(value):
        if isinstance(value, dict):
            return {key: short(part) for key, part in value.items()}
        if isinstance(value, list):
            return [short(part) for part in value]
        return float(f"{value:.6g}") if isinstance(value, float) else value
    rows = ",\n".join(json.dumps(short(row)) for row in found["rows"])
    head = json.dumps(short({key: value for key, value in found.items() if key != "rows"}), indent=1)
    return f'{head[:-2]},\n "rows": [\n{rows}\n]}}\n'


def markdown(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def save(figure, path):
    figure.savefig(path, metadata={"Date": None})
    pyplot.close(figure)


def median(values):
    return statistics.median(values)


def groups(rows, *names):
    """The rows by what they have under these names, in the order in which that comes."""
    found = {}
    for row in rows:
        found.setdefault(tuple(row[name] for name in names), []).append(row)
    return found


COLOURS = dict(zip("012345", ("black", "#d55e00", "#0072b2", "#009e73", "#cc79a7", "#999999")))


def style(place):
    """The colour and marker of a method; zilch, which comes first, is black."""
    return {"color": COLOURS[str(place)], "marker": "osD^vP"[place], "linewidth": 2 if place == 0 else 1.2, "markersize": 5}


def legend(figure, axis):
    handles, labels = axis.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=len(labels), frameon=False, fontsize=9)


# ---- Equations from data

def fits(row, place):
    return row["r2"][place] > 0.9


def equations_table(rows):
    lines = []
    methods = [name for name in rows[0] if isinstance(rows[0][name], dict)]
    for (noise,), those in groups(rows, "noise").items():
        for name in methods:
            best = sum(row[name]["criterion"] <= min(row[other]["criterion"] for other in methods) + 1e-6 for row in those)
            lines.append([f"{100 * noise:g} %", name, f"{sum(row[name]['exact'] for row in those)}", f"{sum(row[name]['wrong'] for row in those)}",
                          f"{sum(fits(row[name], 0) for row in those)}", f"{sum(fits(row[name], 1) for row in those)}", f"{best}",
                          f"{sum(row[name]['seconds'] for row in those):.1f}"])
    return markdown(["noise", "method", "recovered exactly", "wrong terms", "R² > 0.9, same start", "R² > 0.9, other start", "best criterion", "seconds"], lines)


def equations_figure(rows, path):
    figure, axes = pyplot.subplots(1, 3, figsize=(9, 3.2), layout="constrained", facecolor="white", sharey=True)
    methods = [name for name in rows[0] if isinstance(rows[0][name], dict)]
    by_noise = groups(rows, "noise")
    counts = [("recovered exactly", lambda found: found["exact"]), ("R² > 0.9 from the same start", lambda found: fits(found, 0)),
              ("R² > 0.9 from another start", lambda found: fits(found, 1))]
    for axis, (title, holds) in zip(axes, counts):
        for place, name in enumerate(methods):
            heights = [sum(holds(row[name]) for row in those) for those in by_noise.values()]
            axis.bar([at + 0.16 * (place - 2) for at in range(len(heights))], heights, 0.15, color=COLOURS[str(place)], label=name)
        axis.set_title(title, fontsize=10)
        axis.set_xticks(range(len(by_noise)), [f"{100 * noise:g} %" for (noise,) in by_noise])
        axis.set_xlabel("noise")
    axes[0].set_ylabel(f"systems, of {len(next(iter(by_noise.values())))}")
    legend(figure, axes[0])
    save(figure, path)


# ---- Sensors

def sensors_table(rows):
    by_noise = groups(rows, "noise")
    methods = [name for name in rows[0] if isinstance(rows[0][name], dict)]
    used = {"zilch": "2,000", "one by one": "1,955", "by chance": "2,000"}
    lines = []
    for name in methods:
        seconds, chosen = ([row[name][what] for row in rows if what in row[name]] for what in ("seconds", "choose"))
        lines.append([name, used.get(name, "0"), f"{statistics.fmean(chosen):.4f}" if chosen else "", f"{statistics.fmean([row[name]['judge'] for row in rows]):.4f}",
                      *(" ".join(f"{row[name]['judge']:.3f}" for row in those) for those in by_noise.values()), f"{median(seconds):.1f}" if seconds else ""])
    return markdown(["positions", "evaluations", "leaks of the choice", "new leaks", *(f"at {100 * noise:g} %" for (noise,) in by_noise), "seconds"], lines)


def sensors_figure(rows, path):
    import numpy as np
    import sensors
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(9, 3.9), layout="constrained", facecolor="white", width_ratios=(1, 1.5))
    by_noise = groups(rows, "noise")
    for place, name in enumerate(name for name in rows[0] if isinstance(rows[0][name], dict)):
        noises = [100 * noise for (noise,) in by_noise]
        left.plot(noises, [statistics.fmean([row[name]["judge"] for row in those]) for those in by_noise.values()], label=name, **style(place))
    left.set(xlabel="noise, percent", ylabel="error of the map, new leaks", ylim=(0.38, 0.57), xticks=noises)
    left.legend(frameon=False, fontsize=8, loc="upper center", bbox_to_anchor=(0.45, -0.2), ncols=2)
    spread = sensors.leaks(400, np.random.default_rng(5)).std(axis=0).reshape(10, 20)
    site = right.imshow(spread, extent=(0, 2, 0, 1), origin="lower", cmap="Oranges", vmin=0, vmax=1.5)
    right.spines[:].set_visible(False)
    middle = rows[len(rows) // 2]
    for place, name in enumerate(("zilch", "PySensors QR")):
        positions = middle[name]["positions"]
        right.plot(sensors.EAST[positions], sensors.NORTH[positions], "os"[place], color=("black", "#0072b2")[place], markersize=(11, 6)[place], label=name,
                   markerfacecolor=("none", "#0072b2")[place], markeredgewidth=2)
    right.set(xlabel="km to the east", ylabel="km to the north")
    right.set_title("ten positions, and how much leaks differ there", fontsize=10)
    right.legend(loc="upper center", bbox_to_anchor=(0.5, -0.2), ncols=2, frameon=False, fontsize=9)
    figure.colorbar(site, ax=right, shrink=0.6, label="decades")
    save(figure, path)


# ---- Compressed sensing and best subsets

def half_found(measured):
    """The share of active unknowns up to which basis pursuit finds at least half of all signals from measured, a share of as many
    Gaussian measurements as unknowns. This is the weak threshold of Donoho and Tanner, as the statistical dimension of the l1 norm's
    descent cone gives it, for many unknowns: Amelunxen, Lotz, McCoy and Tropp, arXiv 1303.6672."""
    def dimension(active):
        return min(active * (1 + t * t) + (1 - active) * ((1 + t * t) * math.erfc(t / math.sqrt(2)) - t * math.sqrt(2 / math.pi) * math.exp(-t * t / 2))
                   for t in (step / 1000 for step in range(5000)))
    low, high = 0.0, 1.0
    while high - low > 1e-6:
        middle = (low + high) / 2
        low, high = (middle, high) if dimension(middle) < measured else (low, middle)
    return low


def sensing_table(rows):
    methods = [name for name in rows[0] if isinstance(rows[0][name], dict)]
    found = {part: groups([row for row in rows if row["data"] == part], "k") for part in ("measurements", "diabetes")}
    first = [[name] + [f"{sum(row[name]['found'] for row in those)}/{len(those)}" for those in found["measurements"].values()] +
             [f"{median([row[name]['seconds'] for row in rows if row['data'] == 'measurements']):.3f}"] for name in methods]
    second = [[name] + [f"{median([row[name]['r2'] for row in those]):.4f}" for those in found["diabetes"].values()] +
              [f"{median([row[name]['seconds'] for row in rows if row['data'] == 'diabetes']):.3f}"] for name in methods]
    return "\n\n".join([markdown(["found", *(f"k = {k}" for (k,) in found["measurements"]), "seconds"], first),
                        markdown(["R²", *(f"k = {k}" for (k,) in found["diabetes"]), "seconds"], second)])


def sensing_figure(rows, path):
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(9, 3.5), layout="constrained", facecolor="white")
    found = {part: groups([row for row in rows if row["data"] == part], "k") for part in ("measurements", "diabetes")}
    for place, name in enumerate(name for name in rows[0] if isinstance(rows[0][name], dict)):
        shares = [100 * sum(row[name]["found"] for row in those) / len(those) for those in found["measurements"].values()]
        left.plot([k for (k,) in found["measurements"]], shares, label=name, **style(place))
        behind = [max(row[other]["r2"] for row in those for other in row if isinstance(row[other], dict)) - median([row[name]["r2"] for row in those])
                  for those in found["diabetes"].values()]
        right.plot([k for (k,) in found["diabetes"]], [1000 * part for part in behind], label=name, **style(place))
    half = 100 * half_found(0.5)
    left.axvline(half, color="grey", linestyle=":", linewidth=1)
    left.text(half + 0.3, 92, "the lasso's half,\nby theory", fontsize=8, color="grey")
    left.set(xlabel="k of 100 that are not zero", ylabel="percent found from 50 measurements", xticks=[k for (k,) in found["measurements"]])
    right.set(xlabel="k of 65 columns", ylabel="R² below the best, thousandths", xticks=[k for (k,) in found["diabetes"]])
    legend(figure, left)
    save(figure, path)


# ---- A network to prune

def pruning_table(rows):
    methods = [name for name in rows[0] if isinstance(rows[0][name], dict)]
    by_count = {key: by for key, by in sorted(groups(rows, "count").items())}
    lines = [[name] + [" ".join(f"{100 * row[name]['accuracy']:.1f}" for row in those) for those in by_count.values()] +
             [" ".join(f"{row[name]['loss']:.3f}" for row in by_count.get((121,), rows)), f"{median([row[name]['seconds'] for row in rows]):.1f}"] for name in methods]
    return markdown(["weights", *(f"accuracy, {count} weights" for (count,) in by_count), "loss, 121 weights", "seconds"], lines)


def pruning_figure(rows, path):
    figure, axis = pyplot.subplots(figsize=(6.5, 3.8), layout="constrained", facecolor="white")
    by_count = {count: by for (count,), by in sorted(groups(rows, "count").items())}
    whole = rows[0]["whole"]
    axis.axhline(100 * median([row["whole"]["accuracy"] for row in rows]), color="grey", linestyle=":", linewidth=1, label=f"all {whole['active']:,} weights")
    for place, name in enumerate(name for name in rows[0] if isinstance(rows[0][name], dict) and name != "whole"):
        axis.plot(list(by_count), [100 * statistics.fmean(row[name]["accuracy"] for row in those) for those in by_count.values()], label=name, **style(place))
    axis.set(xlabel="weights that are left", ylabel="percent of test digits read", xticks=list(by_count), ylim=(0, 102))
    axis.legend(frameon=False, fontsize=9, loc="center left", bbox_to_anchor=(1, 0.5))
    save(figure, path)


# ---- A recipe

def recipe_of(rows):
    """For each instance, the median over seeds of the course of each method."""
    methods = [name for name in rows[0] if isinstance(rows[0][name], dict)]
    return [{name: [median(part) for part in zip(*(row[name]["course"] for row in those))] for name in methods} for those in groups(rows, "instance").values()]


def recipe_parts(rows):
    """The rows of all recipes, and those of the recipes and seeds that slow methods have tried, too, with all methods in a row."""
    fast, slow = [row for row in rows if "slow" not in row], {(row["instance"], row["seed"]): row for row in rows if "slow" in row}
    return fast, [row | slow[row["instance"], row["seed"]] for row in fast if (row["instance"], row["seed"]) in slow]


def milliseconds(name, rows):
    return median([row[name]["milliseconds"] for row in rows if name in row])


def in_milliseconds(name, rows):
    value = milliseconds(name, rows)
    return f"{value:.2f}" if value < 100 else f"{value:,.0f}"


def recipe_table(rows):
    fast, both = recipe_parts(rows)
    found, lines = recipe_of(fast), []
    for name in found[0]:
        ranks = [1 + sum(each[other][-1] < each[name][-1] for other in each) for each in found]
        values = [f"{median([each[name][after // 10 - 1] for each in found]):.3f}" for after in (50, 100, 200)]
        lines.append([name, *values, f"{sum(rank == 1 for rank in ranks)}", f"{statistics.fmean(ranks):.2f}", in_milliseconds(name, rows)])
    table = markdown(["search", "after 50", "after 100", "after 200", "first in", "mean rank", "ms for a suggestion"], lines)
    if not both:
        return table
    reached = {after: [row for row in both if all(len(part["course"]) >= after // 10 for part in row.values() if isinstance(part, dict))] for after in (50, 100, 200)}
    lines = [[name, *(" ".join(f"{row[name]['course'][after // 10 - 1]:.3f}" for row in those) for after, those in reached.items()), in_milliseconds(name, rows)]
             for name in recipe_of(both)[0]]
    return table + "\n\n" + markdown(["search, recipes with BoFire", "after 50", "after 100", "after 200", "ms for a suggestion"], lines)


def recipe_courses(axis, found, order, title):
    """How far the best value of each method is above the best that any has found: the median of the recipes."""
    count = min(len(course) for each in found for course in each.values())
    best = [min(min(course) for course in each.values()) for each in found]
    for name in found[0]:
        gaps = [median([each[name][at] - low for each, low in zip(found, best)]) for at in range(count)]
        axis.plot([10 * (at + 1) for at in range(count)], gaps, label=name, markevery=5, **style(order.index(name)))
    axis.set(xlabel="evaluations", ylim=(0, 2.2), xlim=(0, None))
    axis.set_title(f"{len(found)} recipe{'s' * (len(found) > 1)}{title}", fontsize=10)


def recipe_figure(rows, path):
    fast, both = recipe_parts(rows)
    order = list(recipe_of(both or fast)[0])
    figure, axes = pyplot.subplots(1, 3 if both else 2, figsize=(10 if both else 9, 3.6), layout="constrained", facecolor="white")
    recipe_courses(axes[0], recipe_of(fast), order, ", three seeds")
    axes[0].set_ylabel("value above the best found, median")
    if both:
        recipe_courses(axes[1], recipe_of(both), order, ", one seed")
    for place, name in enumerate(order):
        axes[-1].barh(place, milliseconds(name, rows), color=COLOURS[str(place)])
    axes[-1].set(xlabel="milliseconds for a suggestion", xscale="log", yticks=range(len(order)), yticklabels=order)
    axes[-1].invert_yaxis()
    legend(figure, axes[-2])
    save(figure, path)


# ---- Features around any model

def features_table(rows):
    methods = [name for name in rows[0] if isinstance(rows[0][name], dict)]
    lines = []
    for (data, columns), those in groups(rows, "data", "columns").items():
        for name in methods:
            score, used, fits, seconds = ([row[name][what] for row in those] for what in ("score", "columns", "fits", "seconds"))
            lines.append([f"{data}, {columns} columns", name, f"{statistics.fmean(score):.3f}", f"{median(used):g}", f"{statistics.fmean(fits):,.0f}",
                          f"{statistics.fmean(seconds):.1f}"])
    return markdown(["data", "selector", "score", "columns", "fits", "seconds"], lines)


def features_figure(rows, path):
    by_data = groups(rows, "data", "columns")
    figure, [axes] = pyplot.subplots(1, len(by_data), figsize=(10, 3.2), layout="constrained", facecolor="white", squeeze=False)
    methods = [name for name in rows[0] if isinstance(rows[0][name], dict)]
    for axis, ((data, columns), those) in zip(axes, by_data.items()):
        for place, name in enumerate(methods):
            used, score = (statistics.fmean([row[name][what] for row in those]) for what in ("columns", "score"))
            axis.plot(used, score, label=name, linestyle="none", markersize=7, marker="osD^vPX"[place], markerfacecolor="none" if place else "black",
                      color=["black", "#555555", "#d55e00", "#0072b2", "#009e73", "#cc79a7", "#999999"][place])
        axis.set_title(f"{data}, {columns} columns", fontsize=9)
        axis.set_xlabel("columns used", fontsize=9)
        axis.tick_params(labelsize=8)
        axis.margins(0.15)
    axes[0].set_ylabel("score on outer test rows")
    legend(figure, axes[0])
    save(figure, path)


# ---- Portfolios

PUBLISHED = {1: ("Hang Seng", 1.239), 2: ("DAX", 6.859), 3: ("FTSE", 2.709), 4: ("S&P", 3.480), 5: ("Nikkei", 1.2015)}  # of Bacanin and Tuba


def portfolios_table(rows):
    lines = []
    for (number, assets), those in groups(rows, "number", "assets").items():
        name, published = PUBLISHED[number]
        exact = [row for row in those if "SCIP" in row]
        proved = [row for row in exact if row["SCIP"]["proved"]]
        gaps = [100 * (row["zilch"]["cost"] - row["SCIP"]["cost"]) / abs(row["SCIP"]["cost"]) for row in proved]
        both = [f"{statistics.fmean([row[by]['error'] for row in proved]):.3f}" if proved else "" for by in ("zilch", "SCIP")]
        lines.append([f"{name}, {assets}", f"{published:g}", f"{statistics.fmean([row['zilch']['error'] for row in those]):.3f}",
                      f"{statistics.fmean([row['zilch']['seconds'] for row in those]):.1f}", f"{len(proved)} of {len(exact)}",
                      f"{statistics.fmean([row['SCIP']['seconds'] for row in exact]):.1f}" if exact else "", *both, f"{round(max(gaps), 3) + 0.0:.3f} %" if gaps else ""])
    return markdown(["assets", "published error", "zilch's error", "zilch, s", "SCIP proved", "SCIP, s", "zilch where proved", "SCIP where proved", "gap at most"], lines)


def portfolios_figure(rows, path):
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(9, 3.3), layout="constrained", facecolor="white")
    by_number = groups(rows, "number", "assets")
    at = range(len(by_number))
    names = [f"{PUBLISHED[number][0]}\n{assets}" for number, assets in by_number]
    left.bar([place - 0.2 for place in at], [PUBLISHED[number][1] for number, _ in by_number], 0.38, color=COLOURS["5"], label="published, best of five heuristics")
    left.bar([place + 0.2 for place in at], [statistics.fmean([row["zilch"]["error"] for row in those]) for those in by_number.values()], 0.38,
             color="black", label="zilch")
    left.set(ylabel="error, percent of the variance", xticks=at, xticklabels=names, ylim=(0, 8.5))
    left.legend(frameon=False, fontsize=9)
    seconds = {by: [statistics.fmean([row[by]["seconds"] for row in those if by in row]) for those in by_number.values()] for by in ("SCIP", "zilch")
               if any(by in row for row in rows)}
    for place, (by, heights) in enumerate(seconds.items()):
        right.bar([x - 0.2 + 0.4 * place for x in at], heights, 0.38, color={"zilch": "black", "SCIP": COLOURS["2"]}[by], label=by)
    right.set(ylabel="seconds for a portfolio", yscale="log", xticks=at, xticklabels=names, ylim=(0.1, 100))
    right.legend(frameon=False, fontsize=9)
    save(figure, path)


# ---- Controllers

REACHED = {"CartPole-v1": (500, 1e5), "Acrobot-v1": (-83.17, 2e5), "MountainCarContinuous-v0": (99.31, 9e5), "Pendulum-v1": (-154.36, 1.1e6),
           "BipedalWalker-v3": (268.85, 1.1e6), "LunarLander-v3": (287.58, 1e6)}  # nevergrad's genetic programming: return, and evaluations


def controllers_of(rows):
    """For each environment, in the order of REACHED, the rows of each method."""
    found = {(row["task"], row["method"]): [] for row in rows}
    for row in rows:
        found[row["task"], row["method"]].append(row)
    return [(task, {method: found[task, method] for method in ("zilch", "pycma") if (task, method) in found}) for task in REACHED if (task, "zilch") in found]


def controllers_table(rows):
    lines, formulas = [], []
    for task, by in controllers_of(rows):
        published, evaluations = REACHED[task]
        for method, those in by.items():
            lines.append([task, method, " ".join(f"{row['return']:.2f}" for row in those), f"{median([row['error'] for row in those]):.2f}", f"{published:.2f}",
                          " ".join(f"{row['active']}" for row in those), f"{those[0]['dim']}", f"{median([row['episodes'] for row in those]):,.0f}", f"{evaluations:,.0f}",
                          f"{median([row['seconds'] for row in those]):.0f}"])
        first = by["zilch"][0]
        formulas.append([task, f"{first['return']:.2f}", "<br>".join(f"`{formula}`" for formula in first["formulas"])])
    return "\n\n".join([markdown(["environment", "search", "return", "±", "published", "active", "parameters", "episodes", "published at", "seconds"], lines),
                        markdown(["environment", "return", "zilch's controller, seed 1"], formulas)])


def controllers_figure(rows, path):
    figure, axes = pyplot.subplots(2, 3, figsize=(9, 4.6), layout="constrained", facecolor="white", sharex=True)
    for axis, (task, by) in zip(axes.flat, controllers_of(rows)):
        published, evaluations = REACHED[task]
        axis.axhline(published, color="grey", linestyle=":", linewidth=1)
        axis.plot(evaluations, published, "D", color="#d55e00", markersize=7, label="genetic programming, published")
        for place, (method, those) in enumerate(by.items()):
            axis.plot([row["episodes"] for row in those], [row["return"] for row in those], "os"[place], color=("black", "#0072b2")[place], markersize=(8, 6)[place],
                      markerfacecolor=("black", "none")[place], label=method, zorder=3)
        axis.set(xscale="log", xlim=(2e3, 2e6))
        axis.margins(y=0.25)
        axis.set_title(task, fontsize=10)
        axis.tick_params(labelsize=8)
    for axis in axes[1]:
        axis.set_xlabel("episodes of the search", fontsize=9)
    for axis in axes[:, 0]:
        axis.set_ylabel("mean return, 1,000 new episodes", fontsize=8)
    legend(figure, axes[0, 0])
    save(figure, path)


CASES = {"controllers": (controllers_figure, controllers_table),
         "equations": (equations_figure, equations_table),
         "recipe": (recipe_figure, recipe_table),
         "sensors": (sensors_figure, sensors_table),
         "sensing": (sensing_figure, sensing_table),
         "pruning": (pruning_figure, pruning_table),
         "features": (features_figure, features_table),
         "portfolios": (portfolios_figure, portfolios_table)}


def draw(case, rows, path):
    CASES[case][0](rows, path)


def table(case, rows):
    return CASES[case][1](rows)
