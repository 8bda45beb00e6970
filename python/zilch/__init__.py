"""Sparse black-box optimisation: points that are good and mostly exact zeros, from function values alone.

``minimize`` and ``maximize`` search from beginning to end, and ``serve`` shows a study in a browser; ``Optimizer`` asks and is told; ``ZeroInflatedGaussian`` is the
distribution that they draw from; ``Study`` reads what was kept; ``problem`` and ``regression`` are objectives;
``LunarLander`` is Gymnasium's, many worlds at once. With scikit-learn there are ``SparseSelector``, ``SparseRegressor`` and
``SparseClassifier``, which are imported when they are asked for.
"""

import importlib
import importlib.util
from typing import TYPE_CHECKING, Any

from . import _core, plot
from ._evaluate import Evaluation
from ._lander import Controller, Episodes, LunarLander, heuristic
from ._live import Server, serve
from ._minimize import maximize, minimize
from ._model import ZeroInflatedGaussian
from ._optimizer import Optimizer, Point, Progress, Recommendation
from ._problem import HeldOut, Problem, Regression, problem, regression
from ._register import register
from ._result import Result
from ._study import Study

if TYPE_CHECKING:
    from ._linear import SparseClassifier, SparseRegressor
    from ._selection import SparseSelector

__all__ = [
    "Controller", "Episodes", "Evaluation", "HeldOut", "LunarLander", "Optimizer", "Point", "Problem", "Progress",
    "Recommendation", "Regression", "Result", "Server", "Study", "ZeroInflatedGaussian", "heuristic", "maximize", "minimize", "plot", "problem", "regression", "serve",
]
if TYPE_CHECKING or importlib.util.find_spec("sklearn") is not None:
    __all__ += ["SparseClassifier", "SparseRegressor", "SparseSelector"]
__version__ = _core.version()

_LAZY = {"SparseClassifier": "_linear", "SparseRegressor": "_linear", "SparseSelector": "_selection"}
"""What needs scikit-learn, and where it is."""


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f".{_LAZY[name]}", __name__), name)


register()
