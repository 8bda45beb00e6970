"""Figures of searches and distributions, drawn with matplotlib: ``pip install zilch[plot]``.

Each function draws on the axes that it is given, or on new ones, and returns them.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from ._model import ZeroInflatedGaussian
from ._result import Result, labels
from ._study import Study

_NAMED = 60  # coordinates, from which on their names are not readable any more
_SEVERAL = 12  # runs, from which on a legend says nothing any more


def study(path: str | os.PathLike[str], run: int | None = None) -> Any:
    """A study at a glance, as one figure: values, active coordinates, and which of them were active in one run."""
    figure, axes = _pyplot().subplots(1, 3, figsize=(15, 4.5), layout="constrained")
    with Study(path) as opened:
        runs = [row["run"] for row in opened.runs if row["generations"]]
    if not runs:
        raise ValueError(f"{os.fspath(path)}: has no run with a generation yet")
    values(path, ax=axes[0])
    active(path, ax=axes[1])
    activity(path, runs[-1] if run is None else run, ax=axes[2])
    return figure


def result(found: Result) -> Any:
    """A result at a glance, as one figure: the best value, the front, and the active coordinates of x."""
    figure, axes = _pyplot().subplots(1, 3, figsize=(15, 4.5), layout="constrained")
    values(found, ax=axes[0])
    front(found, ax=axes[1])
    coordinates(found, ax=axes[2])
    return figure


def coordinates(found: Result, ax: Any = None) -> Any:
    """The active coordinates of x and their values, as bars: by their names, or by their numbers from 0."""
    ax = _axes(ax)
    support = found.support
    places = np.arange(len(support))
    called = labels(found.names, len(found.x))
    ax.barh(places, found.x[support])
    ax.set_yticks(places, [_plain(called[i]) for i in support])
    ax.axvline(0, color="black", linewidth=0.5)
    ax.invert_yaxis()
    ax.set(xlabel="value", ylabel="coordinate" if found.names is None else None, title=f"{len(support)} active coordinates")
    return ax


def values(source: Result | str | os.PathLike[str], ax: Any = None) -> Any:
    """The best value over generations, of a result or of all runs of a study."""
    return _curves(source, "best_value", "best value", ax)


def active(source: Result | str | os.PathLike[str], ax: Any = None) -> Any:
    """The number of active coordinates of the best over generations."""
    return _curves(source, "best_active", "active coordinates of the best", ax)


def front(result: Result, ax: Any = None) -> Any:
    """The best value for each number of active coordinates."""
    ax = _axes(ax)
    errors = np.array([p.error for p in result.front])
    ax.errorbar([p.active for p in result.front], [p.value for p in result.front],
                yerr=errors if np.isfinite(errors).all() and errors.any() else None, fmt="o-", capsize=3, label="best seen")
    ax.plot(result.active, result.fun, "*", markersize=14, label="recommended")
    ax.set(xlabel="active coordinates", ylabel="value")
    ax.legend()
    return ax


def activity(path: str | os.PathLike[str], run: int = 1, ax: Any = None) -> Any:
    """How often each coordinate is active among the points of each generation, as a heat map."""
    with Study(path) as opened:
        rows = opened.evaluations(run)
        default = opened.resume(run).default
        names = next((row.get("names") for row in opened.runs if row["run"] == run), None)
    generation = np.array([row["generation"] for row in rows])
    mask = np.array([row["x"] != default for row in rows])
    share = np.array([mask[generation == g].mean(axis=0) for g in range(1, generation.max() + 1)])
    ax = _axes(ax)
    image = ax.imshow(share.T, aspect="auto", interpolation="nearest", vmin=0, vmax=1, cmap="viridis",
                      extent=(0.5, len(share) + 0.5, mask.shape[1] - 0.5, -0.5))
    ax.figure.colorbar(image, ax=ax, label="share of points")
    ax.set(xlabel="generation", ylabel="coordinate", title=f"run {run}")
    if names is not None and len(names) <= _NAMED:
        ax.set_yticks(range(len(names)), [_plain(name) for name in names])
    return ax


def correlations(model: ZeroInflatedGaussian, ax: Any = None) -> Any:
    """The latent correlations of a distribution: values first, then masks."""
    ax = _axes(ax)
    image = ax.imshow(model.corr_, vmin=-1, vmax=1, cmap="RdBu_r", interpolation="nearest")
    ax.figure.colorbar(image, ax=ax, label="latent correlation")
    d = model.n_features_in_
    ax.axhline(d - 0.5, color="black", linewidth=0.5)
    ax.axvline(d - 0.5, color="black", linewidth=0.5)
    ax.set_xticks([d / 2 - 0.5, 1.5 * d - 0.5], ["values", "masks"])
    ax.set_yticks([d / 2 - 0.5, 1.5 * d - 0.5], ["values", "masks"])
    return ax


def _curves(source: Result | str | os.PathLike[str], column: str, label: str, ax: Any) -> Any:
    ax = _axes(ax)
    curves = _histories(source, column)
    for name, generation, value in curves:
        ax.plot(generation, value, label=name, linewidth=1.2)
    if 1 < len(curves) <= _SEVERAL:
        ax.legend()
    ax.set(xlabel="generation", ylabel=label)
    return ax


def _histories(source: Result | str | os.PathLike[str], column: str) -> list[tuple[str, Any, Any]]:
    if isinstance(source, Result):
        return [("", source.history["generation"], source.history[column])]
    with Study(source) as opened:
        runs = [(row, opened.generations(row["run"])) for row in opened.runs]
    return [(f"{row['run']}: {row['name'] or row['method']}", [g["generation"] for g in history], [g[column] for g in history])
            for row, history in runs if history]


def _plain(name: str) -> str:
    """Matplotlib reads what is between two dollars as a formula."""
    return name.replace("$", r"\$")


def _axes(ax: Any) -> Any:
    return _pyplot().subplots(layout="constrained")[1] if ax is None else ax


def _pyplot() -> Any:
    try:
        from matplotlib import pyplot
    except ImportError:
        raise ImportError("zilch.plot needs matplotlib: pip install matplotlib") from None
    return pyplot
