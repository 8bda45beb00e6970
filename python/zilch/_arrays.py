"""Arguments as the arrays that the extension takes: copied only where type or layout ask for it."""

from __future__ import annotations

import operator
import warnings
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Ids = NDArray[np.uint64]


def floats(values: ArrayLike, name: str, *shape: int | None) -> Floats:
    """`values` as contiguous float64 of this shape, where None is any length; errors name the argument."""
    array = real(values, name)
    if len(shape) != array.ndim or any(want not in (None, got) for want, got in zip(shape, array.shape)):
        hint = f"; if it is one column, give {name}.reshape(-1, 1)" if len(shape) == 2 and array.ndim == 1 else ""
        raise ValueError(f"{name}: must have the shape {_shape(shape)}, not {_shape(array.shape)}{hint}")
    return np.require(array, np.float64, ("C", "A"))


def real(values: ArrayLike, name: str) -> NDArray[Any]:
    """`values` as an array of numbers, of whatever type and shape they are."""
    array = _array(values, name)
    if array.dtype.kind not in "fiub":
        raise TypeError(f"{name}: must be real numbers, not {array.dtype}")
    return array


def violations(values: ArrayLike, name: str, n: int) -> Floats:
    """The violation of each of n points: the sum of what is above 0. One number for each, or a row of them."""
    array = real(values, name)
    if array.ndim not in (1, 2) or len(array) != n:
        raise ValueError(f"{name}: must have the shape ({n},) or ({n}, limits), not {_shape(array.shape)}")
    numbers = array.astype(np.float64).reshape(n, -1)
    return np.asarray(np.where(numbers <= 0, 0.0, numbers).sum(axis=1), np.float64)


def ids(values: ArrayLike, name: str, *shape: int | None) -> Ids:
    """The same for whole numbers from 0 on."""
    array = _array(values, name)
    if array.size and array.dtype.kind not in "iu":
        raise TypeError(f"{name}: must be whole numbers, not {array.dtype}")
    if len(shape) != array.ndim or any(want not in (None, got) for want, got in zip(shape, array.shape)):
        raise ValueError(f"{name}: must have the shape {_shape(shape)}, not {_shape(array.shape)}")
    if array.size and array.min() < 0:
        raise ValueError(f"{name}: must not be negative")
    return np.require(array, np.uint64, ("C", "A"))


def count(value: Any, name: str, least: int = 0, most: int = 2**63 - 1) -> int:
    """A whole number within limits."""
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name}: must be a whole number, not {value!r}") from None
    if not least <= number <= most:
        raise ValueError(f"{name}: must be from {least} to {most}, not {number}")
    return number


def seed(value: Any, name: str = "seed") -> int:
    return count(value, name, 0, 2**64 - 1)


def seed_of(random_state: Any) -> int:
    """A seed by scikit-learn's rules: a whole number, a generator, which moves on, or None, which is NumPy's own generator."""
    if random_state is None or random_state is np.random:
        return int(np.random.randint(2**31))
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**63))
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31))
    try:
        return seed(random_state, "random_state")
    except TypeError:
        raise ValueError(f"random_state: must be a whole number, a generator of NumPy or None, not {random_state!r}") from None


def table(values: Any, model: object, columns: int | None = None, names: Any = None, least: int = 1) -> Floats:
    """Rows for a model in scikit-learn's manner, which is told in scikit-learn's words what is wrong: they are part of its rules."""
    who = type(model).__name__
    if hasattr(values, "toarray") and hasattr(values, "nnz"):
        raise TypeError(f"{who}: X is a sparse matrix, but dense data are needed; use X.toarray()")
    array = _array(values, "X")
    if array.dtype.kind == "c":
        raise ValueError("X: Complex data not supported; must be real numbers")
    if array.dtype.kind == "O":
        if any(each is None for each in array.ravel().tolist()):
            raise TypeError("X: must be real numbers, not None")
        try:
            array = array.astype(np.float64)
        except (TypeError, ValueError) as error:
            raise type(error)(f"X: must be real numbers: {error}") from None
    if array.ndim == 1:
        raise ValueError(f"X: Expected 2D array, got 1D array instead, of the shape {_shape(array.shape)}. "
                         f"Reshape your data: one column is X.reshape(-1, 1), one row is X.reshape(1, -1)")
    array = floats(array, "X", None, None)
    for size, what, minimum in zip(array.shape, ("sample", "feature"), (least, 1)):
        if size < minimum:
            raise ValueError(f"X: Found array with {size} {what}(s) (shape={array.shape}) while a minimum of {minimum} is required by {who}.")
    for row, column in np.argwhere(~np.isfinite(array))[:1].tolist():
        wrong = ValueError(f"X: row {row}, column {column} (counted from 0): the value is not finite; NaN and infinity cannot be used")
        vars(wrong).update(row=row, column=column)
        raise wrong
    if columns is not None:
        _same_names(values, who, names)
        if array.shape[1] != columns:
            raise ValueError(f"X has {array.shape[1]} features, but {who} is expecting {columns} features as input")
    return array


def _same_names(values: Any, who: str, names: Any) -> None:
    if not has_names(values) and names is not None:
        warnings.warn(f"X does not have valid feature names, but {who} was fitted with feature names", UserWarning, stacklevel=4)
    elif has_names(values) and names is None:
        warnings.warn(f"X has feature names, but {who} was fitted without feature names", UserWarning, stacklevel=4)
    elif has_names(values) and list(values.columns) != list(names):
        unseen, missing = sorted(set(values.columns) - set(names)), sorted(set(names) - set(values.columns))
        parts = ["The feature names should match those that were passed during fit."]
        parts += ["Feature names unseen at fit time:", *(f"- {name}" for name in unseen)] if unseen else []
        parts += ["Feature names seen at fit time, yet now missing:", *(f"- {name}" for name in missing)] if missing else []
        parts += ["Feature names must be in the same order as they were in fit."] if not unseen and not missing else []
        raise ValueError("\n".join(parts) + "\n")


def has_names(values: Any) -> bool:
    """A DataFrame whose columns are called by texts; numbers say nothing."""
    return hasattr(values, "columns") and all(isinstance(name, str) for name in values.columns)


def columns(values: Any) -> tuple[str, ...] | None:
    """The names of the columns of a DataFrame."""
    return tuple(map(str, values.columns)) if hasattr(values, "columns") else None


def _array(values: ArrayLike, name: str) -> NDArray[Any]:
    try:
        return np.asarray(values)
    except ValueError as error:  # ragged
        raise ValueError(f"{name}: {error}") from None


def _shape(shape: tuple[int | None, ...]) -> str:
    free = ("rows", "columns") if shape.count(None) == 2 else ("n",)
    names = iter(free)
    inner = ", ".join(next(names) if length is None else str(length) for length in shape)
    return f"({inner},)" if len(shape) == 1 else f"({inner})"


def names(values: Iterable[str], dim: int) -> tuple[str, ...]:
    """Names of the coordinates, all different."""
    found = tuple(values)
    if len(found) != dim or not all(isinstance(name, str) and name for name in found) or len(set(found)) != dim:
        raise ValueError(f"names: must be {dim} different texts, one for each coordinate")
    return found
