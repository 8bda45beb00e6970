"""Sparse black-box optimisation: points that are good and mostly exact zeros, from function values alone.

``minimize`` and ``maximize`` search from beginning to end; ``Optimizer`` asks and is told; ``ZeroInflatedGaussian`` is the
distribution that they draw from; ``Study`` reads what was kept; ``problem`` and ``regression`` are objectives;
``LunarLander`` is Gymnasium's, many worlds at once.
"""

from . import _core, plot
from ._evaluate import Evaluation
from ._lander import Controller, Episodes, LunarLander, heuristic
from ._minimize import maximize, minimize
from ._model import ZeroInflatedGaussian
from ._optimizer import Optimizer, Point, Progress, Recommendation
from ._problem import HeldOut, Problem, Regression, problem, regression
from ._register import register
from ._result import Result
from ._study import Study

__all__ = [
    "Controller", "Episodes", "Evaluation", "HeldOut", "LunarLander", "Optimizer", "Point", "Problem", "Progress",
    "Recommendation", "Regression", "Result", "Study", "ZeroInflatedGaussian", "heuristic", "maximize", "minimize", "plot", "problem", "regression",
]
__version__ = _core.version()

register()
