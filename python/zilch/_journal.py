"""Values that are kept as they arrive, in a study or, without one, in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._arrays import Floats, Ids

if TYPE_CHECKING:
    from ._optimizer import Optimizer


class Journal:
    def __init__(self, study: Any, run: int) -> None:
        self.core = _core.journal_open(study, run)

    def recall(self, generation: int, ids: Ids, x: Floats) -> tuple[Floats, NDArray[np.bool_]]:
        """Begins a batch. Values and violations, a row for each point, and which of them are known."""
        columns = np.zeros((2, len(ids)))
        known = np.zeros(len(ids), dtype=bool)
        _core.journal_recall(self.core, generation, np.ascontiguousarray(ids), np.ascontiguousarray(x), columns, known)
        return columns.T, known

    def keep(self, generation: int, ids: Ids, x: Floats, got: Floats) -> None:
        """What has arrived, a row for each point; no rows: time has passed."""
        _core.journal_keep(self.core, generation, np.ascontiguousarray(ids), np.ascontiguousarray(x),
                           np.ascontiguousarray(got.T))

    def flush(self) -> None:
        _core.journal_flush(self.core)

    def tell(self, optimizer: Optimizer) -> None:
        """The generation that was interrupted closes with what is known of it."""
        _core.journal_tell(self.core, optimizer._optimizer)
