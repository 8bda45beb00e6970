"""What a search has found, as an object that shows itself."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._arrays import Floats
from ._optimizer import Optimizer, Point, Recommendation
from ._problem import HeldOut

_SHOWN = 5  # coordinates, and points of the front, that a text names
_WIDTH, _HEIGHT, _EDGE = 360, 140, 30  # of the small plot, in pixels
_POINTS = 2000  # of it, at most


@dataclass(eq=False, repr=False)
class Result:
    """What a search has found. `x` and `fun` are the recommended point and its mean value in fresh evaluations, or, if
    none were to be made, the best seen.

    >>> import zilch
    >>> zilch.minimize(lambda x: (x[3] - 1.5)**2 + (x[11] + 0.5)**2, 20, penalty=0.01, evaluations=800)  # doctest: +ELLIPSIS
    zilch.Result: value ..., 2 of 20 coordinates active
      x[3]  = 1.5
      x[11] = -0.5
      stopped by: evaluations, after ... evaluations and ... generations
      front, as active: value: 0: 2.5, 1: 0.25, 2: ...
    """

    x: Floats
    fun: float
    nfev: int
    """All evaluations: of x0, of the search and of the final check. Never more than `evaluations`, if you gave that."""
    nit: int
    success: bool
    message: str
    active: int
    """Number of coordinates of x that are not zero, or not at their default."""
    recommended: Recommendation | None
    best: Point
    """The best seen; with noise, two standard errors are taken off."""
    front: list[Point]
    """The best value for each number of active coordinates. A point that was evaluated again has the mean of its values; its
    `evaluations` say how many there were, and its `error` is the standard error. If the final check has left out coordinates, the
    point that it made is here, too, unless one as sparse is as good; its `point` is the one that it was made of."""
    history: NDArray[Any] = field(repr=False)
    """A row for each generation: generation, evaluations, best_value, best_fitness, best_active, noise."""
    optimizer: Optimizer = field(repr=False)
    held_out: HeldOut | None = None
    """Mean value of x on noise that the search has not met, if `held_out` asked for it."""
    names: list[str] | None = None
    """Names of the coordinates, if they have some."""
    violation: float = 0.0
    """By how much x breaks limits that f told with ``zilch.Evaluation``; 0: it is feasible. If not, `success` is False."""

    def keys(self) -> list[str]:
        """With these, result["x"] and dict(result) are as in SciPy."""
        return [each.name for each in fields(self)]

    def __getitem__(self, name: str) -> Any:
        if name not in self.keys():
            raise KeyError(name)
        return getattr(self, name)

    @property
    def support(self) -> NDArray[np.intp]:
        """The active coordinates of x, counted from 0, in ascending order: ``result.x[result.support]`` are their values."""
        return np.flatnonzero(self.x != self.optimizer.default)

    def plot(self) -> Any:
        """The search at a glance, as one figure of matplotlib: the best value, the front, and the values of x."""
        from . import plot
        return plot.result(self)

    # ---- As text

    def _label(self, i: int) -> str:
        return f"x[{i}]" if self.names is None else self.names[i]

    def _largest(self) -> list[int]:
        """The active coordinates that a text names: those furthest from their default, in ascending order."""
        support = self.support
        order = np.argsort(-np.abs((self.x - self.optimizer.default)[support]), kind="stable")
        return sorted(int(i) for i in support[order[:_SHOWN]])

    def _value(self) -> str:
        """With its standard error, if it is a mean."""
        chosen = self.recommended
        if chosen is None or not chosen.evaluations or not chosen.error > 0:
            return f"{self.fun:.6g}"
        return f"{self.fun:.6g} +- {chosen.error:.2g} (mean of {chosen.evaluations})"

    def _ending(self) -> str:
        return f"{self.message}, after {self.nfev} evaluations and {self.nit} generations"

    def _front(self) -> str:
        """The sparsest, and the last."""
        points = self.front if len(self.front) <= _SHOWN else [*self.front[:_SHOWN - 1], self.front[-1]]
        texts = [f"{point.active}: {point.value:.4g}" for point in points]
        if len(points) < len(self.front):
            texts.insert(-1, "...")
        return ", ".join(texts)

    def __repr__(self) -> str:
        shown = self._largest()
        labels = [_printable(self._label(i)) for i in shown]
        width = max(map(len, labels), default=0)
        lines = [f"zilch.Result: value {self._value()}, {self.active} of {len(self.x)} coordinates active"]
        lines += [f"  {label:{width}} = {self.x[i]:.6g}" for i, label in zip(shown, labels)]
        if len(self.support) > len(shown):
            lines.append(f"  and {len(self.support) - len(shown)} smaller ones: result.support has all")
        lines.append(f"  {self._ending()}")
        if self.held_out is not None:
            lines.append(f"  held out: {self.held_out.mean:.6g} +- {self.held_out.error:.2g} (mean of {self.held_out.count})")
        if self.front:
            lines.append(f"  front, as active: value: {self._front()}")
        return "\n".join(lines)

    # ---- As a page

    def _repr_html_(self) -> str:
        rows = "".join(f"<tr><td style='text-align:left'>{html.escape(self._label(i))}</td><td>{self.x[i]:.6g}</td></tr>"
                       for i in self._largest())
        more = len(self.support) - len(self._largest())
        rows += f"<tr><td colspan='2'>and {more} smaller ones</td></tr>" if more > 0 else ""
        return ("<div style='display:flex;gap:2em;flex-wrap:wrap'><div>"
                f"<b>zilch.Result</b>: value {html.escape(self._value())}, {self.active} of {len(self.x)} coordinates active"
                f"<table>{rows}</table><div>{html.escape(self._ending())}</div>"
                f"<div>front, as active: value: {html.escape(self._front())}</div></div>{self._svg()}</div>")

    def _svg(self) -> str:
        return best_so_far(self.history["evaluations"], self.history["best_value"])


def best_so_far(evaluations: ArrayLike, values: ArrayLike) -> str:
    """A small plot of the best value over evaluations, as SVG; nothing for fewer than two values."""
    y = np.asarray(values, dtype=float)
    shown = np.isfinite(y)
    if np.count_nonzero(shown) < 2:
        return ""
    x, y = np.asarray(evaluations, dtype=float)[shown], y[shown]
    kept = np.unique(np.linspace(0, len(x) - 1, min(len(x), _POINTS)).astype(int))
    x, y = x[kept], y[kept]
    points = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(_EDGE + _unit(x) * (_WIDTH - 2 * _EDGE),
                                                        _HEIGHT - _EDGE - _unit(y) * (_HEIGHT - 2 * _EDGE)))
    text = "font-family='sans-serif' font-size='11' fill='currentColor'"
    return (f"<svg width='{_WIDTH}' height='{_HEIGHT}' viewBox='0 0 {_WIDTH} {_HEIGHT}' role='img'>"
            f"<title>best value over evaluations</title>"
            f"<text x='{_EDGE}' y='14' {text}>best value: {y[0]:.4g} to {y[-1]:.4g}</text>"
            f"<path d='M{_EDGE},{_EDGE - 6}V{_HEIGHT - _EDGE}H{_WIDTH - _EDGE}' fill='none' stroke='currentColor' opacity='0.4'/>"
            f"<polyline points='{points}' fill='none' stroke='#1f77b4' stroke-width='1.5'/>"
            f"<text x='{_EDGE}' y='{_HEIGHT - 12}' {text}>{x[0]:.0f}</text>"
            f"<text x='{_WIDTH - _EDGE}' y='{_HEIGHT - 12}' text-anchor='end' {text}>{x[-1]:.0f} evaluations</text></svg>")


def _unit(values: Floats) -> Floats:
    """From 0 to 1; all 0 where they are equal."""
    low, high = float(values.min()), float(values.max())
    return np.zeros(len(values)) if not high > low else np.asarray((values / 2 - low / 2) / (high / 2 - low / 2))


def _printable(text: str) -> str:
    """A name may have control characters, which are shown as repr() shows them."""
    return text if text.isprintable() else repr(text)[1:-1]


def labels(names: Sequence[str] | None, dim: int) -> list[str]:
    """What the coordinates are called in figures: by their names, or by their numbers from 0."""
    return [str(i) for i in range(dim)] if names is None else list(names)
