"""Draws docs/recipe.svg and docs/portfolio.svg from the results of the Python blocks of docs/recipes.md.

    python3 tools/recipes_figures.py

needs the package and matplotlib; always writes the same bytes.
"""
import os
import pathlib
import re
import tempfile

import matplotlib

matplotlib.use("svg")
matplotlib.rcParams.update({"svg.hashsalt": "zilch", "font.size": 10})
from matplotlib import pyplot  # noqa: E402

DOCS = pathlib.Path(__file__).parents[1] / "docs"
BLOCK = re.compile(r"<!-- test: (python|file [\w.-]+) -->\n```\w*\n(.*?)^```", re.DOTALL | re.MULTILINE)


def results_of(page):
    """The names that the blocks of a page leave."""
    names, blocks = {"__name__": "page"}, BLOCK.findall(page.read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for mark, text in blocks:
            if mark != "python":
                pathlib.Path(mark.removeprefix("file ")).write_text(text, encoding="utf-8")
        for mark, text in blocks:
            if mark == "python":
                exec(compile(text, page.name, "exec"), names)
        os.chdir(DOCS)
    return names


def draw(front, names, things, value, path):
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(9, 3.6), layout="constrained", facecolor="white")
    counts = [result.active for result in front]
    left.plot(counts, [result.fun for result in front], "o-", color="black")
    left.set(xlabel=f"number of {things}", ylabel=value, xticks=counts, ylim=(0, None))
    used = [i for i in range(len(names)) if any(result.x[i] for result in front)]
    colours = pyplot.get_cmap("tab10").colors
    bottom = [0.0] * len(front)
    for colour, i in zip(colours, used):
        shares = [100 * float(result.x[i]) for result in front]
        right.bar(counts, shares, bottom=bottom, color=colour, edgecolor="white", label=names[i])
        bottom = [b + s for b, s in zip(bottom, shares)]
    right.set(xlabel=f"number of {things}", ylabel="share in percent", xticks=counts)
    handles, labels = right.get_legend_handles_labels()
    right.legend(handles[::-1], labels[::-1], loc="center left", bbox_to_anchor=(1, 0.5), frameon=False)
    figure.savefig(path, metadata={"Date": None})


def main():
    found = results_of(DOCS / "recipes.md")
    draw(found["bar"], found["names"], "ingredients", "value (cost and differences)", DOCS / "recipe.svg")
    draw(found["portfolio"], found["sectors"], "sectors", "risk, percent a year", DOCS / "portfolio.svg")


if __name__ == "__main__":
    main()
