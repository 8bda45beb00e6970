"""Arguments as the arrays that the extension takes: copied only where type or layout ask for it."""

from __future__ import annotations

import operator
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
