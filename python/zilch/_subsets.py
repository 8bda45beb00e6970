"""Subsets of columns, each valued once, the search among them, and what their values come to without chance."""

from __future__ import annotations

import contextlib
import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _arrays
from ._arrays import Floats
from ._optimizer import Optimizer

Mask = NDArray[np.bool_]

_LENGTHS = (2, 4, 8, 16, 32, 64)  # of how many different columns two values are related
_NOISES = (0.03, 0.1, 0.3, 1.0, 3.0)  # variance of chance over that of the values
_PATIENCE = 50  # asks in a row without a new subset, after which all that the search would try is known


class Subsets:
    """What is known of subsets; the greatest value is the best, NaN is one that failed."""

    def __init__(self, columns: int, evaluate: Callable[[list[Mask]], Sequence[float]]) -> None:
        self.columns = columns
        self._evaluate = evaluate
        self._known: dict[bytes, tuple[Mask, float]] = {}

    def __len__(self) -> int:
        return len(self._known)

    def items(self) -> list[tuple[Mask, float]]:
        """In the order in which they were tried."""
        return list(self._known.values())

    def values(self, masks: Sequence[Mask]) -> list[float]:
        new = {mask.tobytes(): mask for mask in masks if mask.tobytes() not in self._known}
        if new:
            self._known.update(zip(new, zip(new.values(), self._evaluate(list(new.values())))))
        return [self._known[mask.tobytes()][1] for mask in masks]

    def best(self, penalty: float, most: int, smoothed: bool = False) -> Mask | None:
        """With the penalty; of equals the one with fewer columns. None if all have failed. The greatest of many values is great by
        chance, too: smoothed, a subset is worth what those like it are worth."""
        known = [(mask, value) for mask, value in self.items() if math.isfinite(value)]
        masks, values = [mask for mask, _ in known], np.array([value for _, value in known])
        if smoothed and known:
            values = _smooth(np.array(masks), values)
        allowed = [(value - penalty * mask.sum(), -mask.sum(), mask) for mask, value in zip(masks, values) if mask.sum() <= most]
        return max(allowed, key=lambda each: each[:2])[2] if allowed else None

    def front(self, most: int) -> list[tuple[Mask, float]]:
        """The best for each number of columns, where more of them are better."""
        found: list[tuple[Mask, float]] = []
        for mask, value in sorted(self.items(), key=lambda each: (each[0].sum(), -each[1])):
            if mask.sum() <= most and value > max((other for _, other in found), default=-math.inf):
                found.append((mask, value))
        return found

    def search(self, start: Mask, *, penalty: float, most: int, evaluations: int, seed: int) -> None:
        """From a subset that is known, until so many are."""
        options: dict[str, Any] = {"direction": "maximize", "penalty": penalty, "min_active": 1, "max_active": most,
                                   "expected_evaluations": evaluations}
        optimizer = Optimizer(self.columns, seed=seed, x0=start.astype(float), values={i: [1.0] for i in range(self.columns)}, **options)
        for mask, value in self.items():
            if mask.sum() <= most and math.isfinite(value):
                optimizer.tell_point(mask.astype(float), value)
        fruitless = 0
        while len(self) < min(evaluations, count(self.columns, most)) and fruitless < _PATIENCE:
            before = len(self)
            ids, x = optimizer.ask(min(optimizer.wanted() or 1, evaluations - before))
            values = self.values(list(x != 0))
            with contextlib.suppress(RuntimeError):  # all of a generation have failed; its points are asked for again
                optimizer.tell(ids, values)
            fruitless = fruitless + 1 if len(self) == before else 0


def _smooth(masks: NDArray[np.bool_], values: Floats) -> Floats:
    """The posterior mean of a Gaussian process whose correlation falls exponentially with the number of columns in which two subsets
    differ; of a few lengths and shares of noise, those that are most likely (Rasmussen and Williams, Gaussian Processes for Machine
    Learning, 2006, chapters 2 and 5)."""
    n, mean = len(values), values.mean()
    signs = np.where(masks, 1.0, -1.0)
    apart = (masks.shape[1] - signs @ signs.T) / 2
    best, found = -math.inf, values
    for length, noise in itertools.product(_LENGTHS, _NOISES):
        kernel = np.exp(-apart / length)
        factor = np.linalg.cholesky(kernel + noise * np.eye(n))
        half = np.linalg.solve(factor, values - mean)
        likelihood = -n / 2 * math.log(max(float(half @ half), 1e-300)) - float(np.log(np.diag(factor)).sum())
        if likelihood > best:
            best, found = likelihood, mean + kernel @ np.linalg.solve(factor.T, half)
    return np.asarray(found)


def count(columns: int, most: int) -> int:
    """How many subsets have 1 to so many columns."""
    return sum(math.comb(columns, k) for k in range(1, most + 1))


def most_of(max_features: float | None, columns: int) -> int:
    """How many columns a subset may have."""
    if max_features is None:
        return columns
    if isinstance(max_features, float):
        if not 0 < max_features <= 1:
            raise ValueError(f"max_features: a share of the columns must be above 0 and at most 1, not {max_features!r}")
        return max(1, int(max_features * columns))
    return min(columns, _arrays.count(max_features, "max_features", 1))
