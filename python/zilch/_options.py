"""The options of the library's tables, as keywords: their types, their checks, their documentation and their signature.

_option_types.pyi, which tells the same to type checkers, is the text that ``stub`` gives.
"""

from __future__ import annotations

import difflib
import functools
import inspect
import math
import operator
import textwrap
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ParamSpec, TypeVar

import numpy as np

from . import _core, _foreign

_CHOICE, _COUNT, _NUMBER, _FLAG = range(4)
_NOUNS = {_COUNT: "int", _NUMBER: "float", _FLAG: "bool"}
_ARRAYS = ("penalty",)  # numbers that may also be one for each coordinate


@dataclass(frozen=True)
class Option:
    """A row of a table."""

    name: str
    type: int
    group: int
    least: float
    greatest: float
    may_be_none: bool
    choices: str
    about: str
    default: str

    def text(self, value: Any) -> str:
        """A value as the library reads it. A wrong type is a TypeError; the library checks the rest."""
        return _TEXTS[self.type](self, value)

    def value(self, text: str) -> Any:
        """What the library wrote."""
        if self.type == _NUMBER:
            return None if text == "none" else float(text)
        return int(text) if self.type == _COUNT else text == "yes" if self.type == _FLAG else text

    @property
    def kind(self) -> str:
        """The type, in words."""
        if self.type == _CHOICE:
            return "{" + ", ".join(f'"{name}"' for name in self.choices.split("|")) + "}"
        return f"{_NOUNS[self.type]}{self._range()}{', or an array of dim' if self.name in _ARRAYS else ''}"

    @property
    def annotation(self) -> str:
        """The type, as Python writes it."""
        if self.type == _CHOICE:
            return "Literal[" + ", ".join(f'"{name}"' for name in self.choices.split("|")) + "]"
        return "ArrayLike" if self.name in _ARRAYS else _NOUNS[self.type]

    def _range(self) -> str:
        if self.type == _FLAG or self.least == -math.inf:
            return ""
        if self.greatest >= 2.0**64:
            return f" of at least {self.least:g}"
        return f" from {self.least:.15g} to {self.greatest:.15g}"


def _wrong_type(option: Option, what: str, value: Any) -> TypeError:
    return TypeError(f"{option.name}: must be {what}, not {value!r}")


def _choice(option: Option, value: Any) -> str:
    if not isinstance(value, str) or "\0" in value:
        raise _wrong_type(option, "one of " + ", ".join(map(repr, option.choices.split("|"))), value)
    if value not in option.choices.split("|"):
        near = difflib.get_close_matches(value, option.choices.split("|"), 1)
        raise ValueError(f"{option.name}: must be one of {', '.join(map(repr, option.choices.split('|')))}, not {value!r}"
                         f"{f'; did you mean {near[0]!r}?' if near else ''}")
    return value


def _count(option: Option, value: Any) -> str:
    try:
        return str(operator.index(value))
    except TypeError:
        raise _wrong_type(option, "a whole number", value) from None


def _number(option: Option, value: Any) -> str:
    if not (hasattr(value, "__float__") or hasattr(value, "__index__")):  # as float() does, but no text
        raise _wrong_type(option, "a number", value)
    try:
        number = float(value)
    except TypeError:
        raise _wrong_type(option, "a number", value) from None
    except OverflowError as error:
        raise ValueError(f"{option.name}: {error}") from None
    return "none" if math.isnan(number) and option.may_be_none else repr(number)


def _flag(option: Option, value: Any) -> str:
    if not isinstance(value, (bool, np.bool_)):
        raise _wrong_type(option, "True or False", value)
    return "yes" if value else "no"


_TEXTS = {_CHOICE: _choice, _COUNT: _count, _NUMBER: _number, _FLAG: _flag}


@functools.cache
def table(kind: str) -> dict[str, Option]:
    """The options of one kind by name: "option" has those of the optimizer, "limit" says when a search ends, and "final" how
    its result is found."""
    return {row["name"]: Option(**row) for row in _core.option_rows(kind)}


def values(kind: str, texts: dict[str, str]) -> dict[str, Any]:
    """What the library gave, in Python's types. A name that is not in the table, of an older study, stays a text."""
    return {name: table(kind)[name].value(text) if name in table(kind) else text for name, text in texts.items()}


def split(function: Callable[..., Any], options: Mapping[str, object], *kinds: str) -> list[dict[str, str]]:
    """Keywords of a function as the texts of each kind; None is the default. What is wrong is named."""
    found: dict[str, dict[str, str]] = {kind: {} for kind in kinds}
    for name, value in options.items():
        kind = next((kind for kind in kinds if name in table(kind)), None)
        if kind is None:
            raise TypeError(f"{name}: {_unknown(name, inspect.signature(function).parameters)}")
        if value is not None:
            found[kind][name] = table(kind)[name].text(value)
    for kind, texts in found.items():
        _core.option_check(kind, texts)
    return list(found.values())


def _unknown(name: str, known: Iterable[str]) -> str:
    renamed = _core.option_renamed(name)
    if renamed is not None:
        return f"since zilch 0.2 it is called {renamed}" if renamed else "zilch 0.2 has it no longer"
    names = list(known)
    ours = _foreign.word(name, names)
    if ours is not None:
        return f"zilch calls it {ours}" if ours.partition(",")[0].isidentifier() else f"there is no option of this name; use {ours}"
    near = difflib.get_close_matches(name, names, 1)
    return f"there is no option of this name{f'; did you mean {near[0]}?' if near else ''}"


# ---- Documentation

_T = TypeVar("_T", bound=Callable[..., Any])
_P = ParamSpec("_P")
_R = TypeVar("_R")


def documented(*kinds: str) -> Callable[[_T], _T]:
    """Options of these kinds become keywords in the signature of a function or class, and stand in its documentation instead
    of OPTIONS, common ones first. What it has as a parameter of its own is described there."""
    def decorate(target: _T) -> _T:
        function: Any = vars(target)["__init__"] if isinstance(target, type) else target
        signature = inspect.signature(function)
        own = {name: each for name, each in signature.parameters.items() if each.kind != inspect.Parameter.VAR_KEYWORD}
        rows = sorted((row for kind in kinds for row in table(kind).values() if row.name not in own), key=lambda row: row.group)
        keywords = [inspect.Parameter(row.name, inspect.Parameter.KEYWORD_ONLY, default=row.value(row.default),
                                      annotation=f"{row.annotation} | None") for row in rows]
        function.__signature__ = signature.replace(parameters=[*own.values(), *keywords])
        target.__doc__ = _fill(target.__doc__, rows)
        return target
    return decorate


def like(function: Callable[_P, _R], *without: str) -> Callable[[Callable[..., _R]], Callable[_P, _R]]:
    """The signature of another function, without some of its parameters."""
    def decorate(target: Callable[..., _R]) -> Callable[_P, _R]:
        signature = inspect.signature(function)
        parameters = [each for name, each in signature.parameters.items() if name not in without]
        target.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
        rows = [row for kind in ("option", "limit", "final") for row in table(kind).values() if row.name in signature.parameters]
        target.__doc__ = _fill(target.__doc__, sorted((row for row in rows if row.name not in without), key=lambda row: row.group))
        return target
    return decorate


def _fill(words: str | None, rows: Iterable[Option]) -> str | None:
    """With python -OO there is no documentation; from Python 3.13 on it is not indented."""
    if words is None:
        return None
    lines = []
    for row in rows:
        lines.append(f"{row.name} : {row.kind}, default {_shown(row)}")
        lines += textwrap.wrap(row.about, 118, initial_indent=" " * 4, subsequent_indent=" " * 4)
    return inspect.cleandoc(words).replace("OPTIONS", "\n".join(lines))


def _shown(row: Option) -> str:
    value = row.value(row.default)
    return f"{value:g}" if isinstance(value, float) else f'"{value}"' if isinstance(value, str) else str(value)


# ---- Types

_HEAD = '''"""The options of the library's tables, for type checkers. The text of zilch._options.stub()."""

from typing import Literal, TypedDict

from numpy.typing import ArrayLike
'''


def stub(own: Iterable[str] = ("final_evaluations",)) -> str:
    """The text of _option_types.pyi, without what `minimize` has as a parameter of its own."""
    parts = [_HEAD]
    for name, kinds in (("OptimizerOptions(TypedDict", ("option",)), ("SearchOptions(OptimizerOptions", ("limit", "final"))):
        parts.append(f"\nclass {name}, total=False):\n")
        parts += [_entry(row) for kind in kinds for _, row in sorted(table(kind).items()) if row.name not in own]
    return "".join(parts)


def _entry(row: Option) -> str:
    """Its type; and its sentences and default, which an editor shows."""
    words = textwrap.wrap(f"{row.about} Default: {_shown(row)}.", 118, initial_indent='    """', subsequent_indent="    ")
    return f"    {row.name}: {row.annotation} | None\n" + "\n".join(words) + '"""\n'
