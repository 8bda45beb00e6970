"""Linear limits, in whatever form they are given, as one matrix with two columns of ends."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _arrays, _core
from ._arrays import Floats

Rows = tuple[Floats, Floats, Floats]


def rows(limits: Any, dim: int, names: tuple[str, ...] | None = None) -> Rows | None:
    """The matrix, its lower and its upper ends; None if there are none."""
    if limits is None:
        return None
    given = [limits] if isinstance(limits, str) or _is_constraint(limits) else list(limits)
    parts = [_read(each, dim, names) for each in given]
    if not parts:
        return None
    matrix, lower, upper = (np.concatenate(column) for column in zip(*parts))
    return _arrays.floats(matrix, "limits", None, dim), _arrays.floats(lower, "limits", None), _arrays.floats(upper, "limits", None)


def _is_constraint(limit: Any) -> bool:
    """Like scipy.optimize.LinearConstraint."""
    return all(hasattr(limit, name) for name in ("A", "lb", "ub"))


def _read(limit: Any, dim: int, names: tuple[str, ...] | None) -> Rows:
    if isinstance(limit, str):
        found = _core.limits_parse(limit, dim, names)
        matrix = np.zeros((len(found), dim))
        for row, (_, _, weights) in zip(matrix, found):
            row[list(weights)] = list(weights.values())
        return matrix, np.array([lower for lower, _, _ in found]), np.array([upper for _, upper, _ in found])
    if not _is_constraint(limit):
        raise TypeError(f"limits: must be texts such as 'sum = 1', or have A, lb and ub as scipy.optimize.LinearConstraint has, not {limit!r}")
    dense = limit.A.toarray() if hasattr(limit.A, "toarray") else limit.A
    matrix = np.atleast_2d(_arrays.real(dense, "limits"))
    if matrix.shape[1] != dim:
        raise ValueError(f"limits: A must have {dim} columns, one for each coordinate, not {matrix.shape[1]}")
    lower, upper = (np.broadcast_to(_arrays.real(end, "limits"), len(matrix)) for end in (limit.lb, limit.ub))
    return matrix, lower, upper
