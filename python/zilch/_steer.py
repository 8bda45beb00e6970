"""What is asked of a search while it goes on: by the live page, by the command ``zilch steer``, or by ``zilch.Study.ask``."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable
from typing import Any

from . import _core
from ._evaluate import Ending
from ._optimizer import Optimizer

_LOOK = 0.1  # seconds between two looks at whether somebody has written to the study
_LIMITS = ("evaluations", "generations")


class Steering:
    """Listens to what is asked of one run. `check` makes an ending of limits, or refuses those that the run cannot have with a ValueError."""

    def __init__(self, study: Any, run: int, limits: dict[str, str], check: Callable[[dict[str, str]], Ending]) -> None:
        self.study = study
        self.run = run
        self.limits = limits
        self.check = check
        self.is_stopping = self.is_recommending = self.is_limited = False
        self._read: int | None = None  # the study as it was when it was read last, between generations
        self._seen: int | None = None  # and when it was looked at last, within one
        self._next = 0.0

    @property
    def interrupts(self) -> bool:
        """Whether the search has to pause for something, and goes on or ends afterwards."""
        return self.is_stopping or self.is_recommending or self.is_limited

    def begin(self, optimizer: Optimizer) -> None:
        """What waits from before is passed over, but for limits and the penalty."""
        with contextlib.suppress(KeyboardInterrupt):
            self._take(optimizer)
        self.take()

    def take(self) -> bool:
        """Whether the final check was asked for; from now on nothing is."""
        was = self.is_recommending
        self.is_stopping = self.is_recommending = self.is_limited = False
        return was

    def heed(self, optimizer: Optimizer) -> float:
        """After a generation. Gives how many seconds the search was paused."""
        began = time.perf_counter()
        is_paused = self._take(optimizer)
        if is_paused:
            print("paused, as was asked; it goes on with 'zilch steer STUDY go-on', or Ctrl-C ends it", file=sys.stderr)
        while is_paused and not self.is_stopping and not self.is_recommending:
            time.sleep(_LOOK)
            is_paused = self._take(optimizer, is_paused)
        return time.perf_counter() - began

    def look(self) -> None:
        """Within a generation, as often as you like: to stop now is to be interrupted."""
        now = time.perf_counter()
        if now < self._next:
            return
        self._next = now + _LOOK
        changes = _core.study_changes(self.study)
        if changes == self._seen:
            return
        self._seen = changes
        for command in _core.study_commands(self.study, self.run, True):
            if command["action"] == "stop-now":
                raise KeyboardInterrupt

    def _take(self, optimizer: Optimizer, is_paused: bool = False) -> bool:
        """Everything that waits is heeded. Gives whether the search is paused then."""
        changes = _core.study_changes(self.study)
        is_now = False
        if changes == self._read:
            return is_paused
        for command in _core.study_commands(self.study, self.run, True):
            action, value = command["action"], command["value"]
            if action in _LIMITS:
                self._set_limit(action, int(value))
            elif action == "penalty":
                _core.study_set_penalty(self.study, self.run, optimizer._optimizer, value)
            is_now |= action == "stop-now"
            self.is_stopping |= action == "stop"
            self.is_recommending |= action == "recommend"
            is_paused = action == "pause" or (is_paused and action != "go-on")
            _core.study_heed(self.study, command["command"], optimizer.progress.generations)
        self._read = changes
        if is_now:
            raise KeyboardInterrupt
        return is_paused

    def _set_limit(self, name: str, value: int) -> None:
        """A limit that the run cannot have is none."""
        limits = {**self.limits, name: str(value)}
        try:
            self.check(limits)
        except ValueError as error:
            print(f"{name}: not taken: {error}", file=sys.stderr)
            return
        self.limits = limits
        self.is_limited = True
        _core.study_set_limits(self.study, self.run, limits)
