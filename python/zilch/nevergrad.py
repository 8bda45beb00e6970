"""An optimizer for nevergrad: ``import zilch.nevergrad`` puts ``Zilch`` into ``nevergrad.optimizers.registry``.

The search takes place in the standardized space of a parametrization, where 0 is the initial value of a parameter: a parameter is
inactive where it keeps its initial value.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from ._optimizer import Optimizer

try:
    import nevergrad.optimization.base as _base
    from nevergrad.optimization.base import registry
except ImportError as error:
    raise ImportError("zilch.nevergrad: needs nevergrad; install it with: pip install nevergrad") from error

if TYPE_CHECKING:
    from typing import Unpack

    from ._arrays import Floats
    from ._option_types import OptimizerOptions

_FAILED = 5e20  # what nevergrad makes of a loss that is NaN or infinite
_KEY = "zilch"  # the id of a candidate
_PATIENCE = 10  # values beyond the generation, after which it closes without those that are missing


class Zilch(_base.Optimizer):  # type: ignore[misc]
    """A sparse search for nevergrad, with options of ``zilch.Optimizer``, such as ``penalty=0.01``.

    A budget tells the search how many evaluations there will be. A loss that is NaN is a failed evaluation. An optimizer that is
    dumped and loaded goes on to the same bits.

    >>> import nevergrad as ng, zilch.nevergrad
    >>> optimizer = zilch.nevergrad.Zilch(ng.p.Array(shape=(10,)), budget=300, penalty=0.01)
    >>> optimizer.parametrization.random_state.seed(1)
    >>> best = optimizer.minimize(lambda x: (x[3] - 1.5)**2 + (x[7] + 0.5)**2)
    >>> best.value.round(2) + 0
    array([ 0. ,  0. ,  0. ,  1.5,  0. ,  0. ,  0. , -0.5,  0. ,  0. ])
    """

    def __init__(self, parametrization: Any, budget: int | None = None, num_workers: int = 1,
                 **options: Unpack[OptimizerOptions]) -> None:
        if options.get("direction") not in (None, "minimize"):
            raise TypeError("direction: nevergrad minimizes; negate the loss")
        Optimizer(1, **options)  # what is wrong with them is said now
        super().__init__(parametrization, budget=budget, num_workers=num_workers)
        self._options: dict[str, Any] = dict(options)
        self._search: Optimizer | None = None
        self._beyond = 0  # values since the generation had all that it wanted

    def _prepared(self) -> Optimizer:
        """Begun late: a seed of the parametrization may be set until the first candidate is asked for."""
        if self._search is None:
            options = {"expected_evaluations": self.budget or 0, **self._options}
            if self._options.get("method") not in (None, "default") and "expected_evaluations" not in self._options:
                del options["expected_evaluations"]
            self._search = Optimizer(self.dimension, seed=int(self._rng.randint(2**32, dtype=np.uint32)),
                                     **options)
        return self._search

    def _internal_ask_candidate(self) -> Any:
        search = self._prepared()
        if search.wanted() == 0 and self._beyond > max(_PATIENCE, 2 * self.num_workers):
            self._beyond = 0
            try:
                search.advance()
            except RuntimeError:  # nothing has succeeded yet
                pass
        ids, x = search.ask(1)
        candidate = self.parametrization.spawn_child().set_standardized_data(x[0])
        candidate._meta[_KEY] = int(ids[0])
        return candidate

    def _internal_tell_candidate(self, candidate: Any, loss: float) -> None:
        search = self._prepared()
        value = loss if loss < _FAILED else math.nan
        self._beyond = self._beyond + 1 if search.wanted() == 0 else 0
        try:
            search.tell([candidate._meta[_KEY]], [value])
        except RuntimeError:  # all of a generation have failed; its points are asked for again
            pass

    def _internal_tell_not_asked(self, candidate: Any, loss: float) -> None:
        if loss < _FAILED:
            x = candidate.get_standardized_data(reference=self.parametrization)
            self._prepared().tell_point(x, float(loss))

    def _internal_provide_recommendation(self) -> Floats | None:
        """The best with its penalty."""
        best = self._search.top(1) if self._search is not None else []
        return best[0].x if best else None


if "Zilch" not in registry:
    registry.register(Zilch)
