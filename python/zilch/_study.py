"""Studies: runs that are kept in one file, by the command or from Python."""

from __future__ import annotations

import os
import time
from types import TracebackType
from typing import Any

import numpy as np

from . import _arrays, _core, _options
from ._optimizer import Optimizer, Repair

_TABLES = ("option", "limit", "final")
_MODES = {"read": 0, "write": 1, "create": 2}


class Study:
    """A file of runs, to read while others write. A context manager.

    >>> import zilch, tempfile, os
    >>> path = os.path.join(tempfile.mkdtemp(), "a.study")
    >>> result = zilch.minimize(lambda x: (x[0] - 1)**2, 4, penalty=0.1, population=20, generations=5, study=path)
    >>> with zilch.Study(path) as study:
    ...     [run["generations"] for run in study.runs], len(study.generations(1))
    ([5], 5)
    """

    def __init__(self, path: str | os.PathLike[str], mode: str = "read") -> None:
        if mode not in _MODES:
            raise ValueError(f"mode: must be one of {', '.join(_MODES)}, not {mode!r}")
        self._study = _core.study_open(path, _MODES[mode])
        self._is_closed = False

    @property
    def runs(self) -> list[dict[str, Any]]:
        """A dict for each run: its number, problem, seed, method, generations, why it stopped ...

        ``run["settings"]`` has what was asked for, a dict for each kind: "option", "limit" and "final" have the options of
        ``zilch.minimize``, "problem" what tells the objective apart, and "means" what does not change the result.
        """
        return [{**run, "settings": {kind: _options.values(kind, texts) if kind in _TABLES else texts
                                     for kind, texts in run["settings"].items()}} for run in _core.study_runs(self._study)]

    def generations(self, run: int = 1) -> list[dict[str, Any]]:
        """A dict for each generation of a run."""
        return _core.study_generations(self._study, _arrays.count(run, "run", 1))

    def evaluations(self, run: int = 1) -> list[dict[str, Any]]:
        """A dict for each evaluation of a run, its point as `x`."""
        return [_with_point(row) for row in _core.study_evaluations(self._study, _arrays.count(run, "run", 1))]

    def conclusions(self, run: int = 1) -> list[dict[str, Any]]:
        """What a run recommended, and after which generation."""
        return [_with_point(row) for row in _core.study_conclusions(self._study, _arrays.count(run, "run", 1))]

    def commands(self, run: int = 1) -> list[dict[str, Any]]:
        """What was asked of a run while it searched: a dict for each, with the `generation` after which it was heeded, or None."""
        return _core.study_commands(self._study, _arrays.count(run, "run", 1), False)

    def ask(self, action: str, value: float | None = None, run: int = 1) -> None:
        """Ask something of a run that is searching in another process, as the command ``zilch steer`` does. The study must be open to
        write. `action` is "stop", "stop-now", "pause", "go-on" or "recommend", or with a value "evaluations", "generations" or "penalty"."""
        when = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        _core.study_ask_run(self._study, _arrays.count(run, "run", 1), action, value, when)

    def resume(self, run: int = 1, repair: Repair | None = None) -> Optimizer:
        """The optimizer as it was after the last generation recorded. A search with a `repair` function needs it again."""
        return Optimizer._wrap(_core.study_resume(self._study, _arrays.count(run, "run", 1)), repair)

    def close(self) -> None:
        """The file is free then. More than once is as good as once."""
        if not self._is_closed:
            _core.study_close(self._study)
        self._is_closed = True

    def __enter__(self) -> Study:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


def _with_point(row: dict[str, Any]) -> dict[str, Any]:
    return row if row["x"] is None else {**row, "x": np.frombuffer(row["x"])}
