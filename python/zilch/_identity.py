"""What tells objectives apart: a function is known by its code, wherever it is written."""

from __future__ import annotations

import dis
import functools
import hashlib
import pickle
import types
from collections.abc import Iterable
from typing import Any

import numpy as np

from ._problem import Problem


def digest(*parts: Any) -> str:
    """The same for the same values, in every process: two functions with one code have one, whatever their lines and files."""
    return hashlib.sha256(b"".join(_Reader().read(part) for part in parts)).hexdigest()


class _Reader:
    """Bytes for values. A function gives its code, its defaults, what it has enclosed, and the functions of its own module that
    it calls; not the data of its module. An object that is called gives the code of its class, not what it has: that may change
    with every call."""

    def __init__(self) -> None:
        self.seen: dict[int, int] = {}  # functions, which may call each other

    def read(self, value: Any) -> bytes:
        if isinstance(value, types.CodeType):
            body = self._code(value)
        elif isinstance(value, types.FunctionType):
            body = self._function(value)
        elif isinstance(value, types.MethodType):
            body = self.read(value.__func__)
        elif isinstance(value, functools.partial):
            body = self._all([value.func, value.args, value.keywords])
        elif isinstance(value, np.ndarray) and not value.dtype.hasobject:
            body = self._all([value.dtype.str, value.shape, value.tobytes()])
        elif isinstance(value, (tuple, list)):
            body = self._all(value)
        elif isinstance(value, (set, frozenset)):
            body = b"".join(sorted(map(self.read, value)))
        elif isinstance(value, dict):
            body = b"".join(sorted(self._all(pair) for pair in value.items()))
        else:
            body = self._other(value)
        return f"{type(value).__qualname__} {len(body)}:".encode() + body

    def _all(self, values: Iterable[Any]) -> bytes:
        return b"".join(map(self.read, values))

    def _code(self, code: types.CodeType) -> bytes:
        """Neither lines nor files."""
        return self._all([code.co_code, code.co_consts, code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars,
                          code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags,
                          getattr(code, "co_exceptiontable", b"")])

    def _function(self, f: types.FunctionType) -> bytes:
        if id(f) in self.seen:
            return str(self.seen[id(f)]).encode()
        self.seen[id(f)] = len(self.seen)
        changed = {step.argval for step in dis.get_instructions(f) if step.opname == "STORE_DEREF"}  # counters, and so on
        enclosed = [cell.cell_contents for name, cell in zip(f.__code__.co_freevars, f.__closure__ or ())
                    if name not in changed and cell != types.CellType()]
        helpers = [helper for name in _names(f.__code__) if isinstance(helper := f.__globals__.get(name), types.FunctionType)
                   and helper.__module__ == f.__module__]
        return self._all([f.__code__, f.__defaults__, f.__kwdefaults__, enclosed, helpers])

    def _other(self, value: Any) -> bytes:
        """Numbers, texts and other plain values; of an object its class, and how it is called."""
        if value is None or isinstance(value, (bool, int, float, complex, str, bytes, type(...))):
            return value if isinstance(value, bytes) else repr(value).encode()
        if isinstance(value, Problem):
            return pickle.dumps(value, protocol=4)
        if callable(value) and isinstance(getattr(type(value), "__call__", None), types.FunctionType):
            return self._all([type(value).__module__, type(value).__call__])
        try:
            return pickle.dumps(value, protocol=4)
        except Exception:  # what cannot be written down has its class
            return type(value).__module__.encode()


def _names(code: types.CodeType) -> list[str]:
    """Global names that a code, or one within it, uses."""
    inner = [name for constant in code.co_consts if isinstance(constant, types.CodeType) for name in _names(constant)]
    return sorted({*code.co_names, *inner})
