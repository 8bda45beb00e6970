"""Subsets of columns, each valued once, and the search among them."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _arrays
from ._optimizer import Optimizer

Mask = NDArray[np.bool_]

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

    def best(self, penalty: float, most: int) -> Mask | None:
        """With the penalty; of equals the one with fewer columns. None if all have failed."""
        allowed = [(value - penalty * mask.sum(), -mask.sum(), mask) for mask, value in self.items()
                   if mask.sum() <= most and math.isfinite(value)]
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
