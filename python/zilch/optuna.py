"""A sampler for Optuna: ``pip install optuna``, and ``optuna.create_study(sampler=zilch.optuna.Sampler())``.

Each parameter becomes a coordinate of a search, which is zero where the parameter is inactive. Everything that the search needs
to go on is in the storage of the study: each trial keeps which values the search knew when it suggested the trial.
"""

from __future__ import annotations

import contextlib
import math
import secrets
import threading
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from . import _arrays
from ._optimizer import Optimizer

try:
    from optuna.distributions import BaseDistribution, CategoricalDistribution, FloatDistribution, IntDistribution
    from optuna.samplers import BaseSampler, RandomSampler
    from optuna.trial import FrozenTrial, TrialState
except ImportError as error:
    raise ImportError("zilch.optuna: needs Optuna; install it with: pip install optuna") from error

if TYPE_CHECKING:
    from typing import Unpack

    from optuna.study import Study

    from ._option_types import OptimizerOptions

_KEY = "zilch:ask"  # the attribute of a trial that says what was known when it was suggested
_PATIENCE = 10  # values beyond the generation, after which it closes without those that are missing
_GRID = 1e-9  # of a step, by which a value may miss its grid


class Sampler(BaseSampler):
    """Suggests trials in which few parameters are active.

    Parameters
    ----------
    seed : int
        The same seed and the same trials in the storage give the same suggestions. None: another one in each process. Processes
        that work on one study at the same time need different seeds.
    inactive : dict of values by parameter
        What a parameter is where it is inactive. Without it, a float or an int whose range contains 0 is inactive where it is 0,
        and a categorical parameter with two choices where it is the one that is false, or else the first. A parameter that cannot
        be 0 is always active.
    switches : dict of a parameter, or several, by the parameter that turns them on
        Parameters that the objective asks for only if a categorical parameter with two choices is on. Without it,
        ``use_x`` turns on ``x``. Such parameters become one coordinate, or a group of them, which is inactive where the switch is off.
    search_space : dict of distributions by parameter
        All parameters, if you know them. Without it, the first trial has every switch on, to find them.
    constraints_func : callable
        Takes a trial and returns numbers, which are 0 or less where a constraint is kept, as for Optuna's own samplers.
    independent_sampler : sampler
        For parameters that are no coordinate: categorical ones with more than two choices. Without it, they are drawn at random.
    options
        Of ``zilch.Optimizer``, such as ``penalty=0.01``. ``expected_evaluations`` tells the search how many trials there will be.

    >>> import optuna, zilch.optuna
    >>> optuna.logging.set_verbosity(optuna.logging.WARNING)
    >>> def objective(trial):
    ...     x = [trial.suggest_float(f"x{i}", -5, 5) for i in range(10)]
    ...     return (x[3] - 1.5)**2 + (x[7] + 0.5)**2
    >>> study = optuna.create_study(sampler=zilch.optuna.Sampler(seed=1, penalty=0.01))
    >>> study.optimize(objective, n_trials=200)
    >>> {name: round(x, 2) for name, x in study.best_params.items() if x}
    {'x3': 1.5, 'x7': -0.5}
    """

    _search: _Search
    _fresh: list[int]
    _sequence: int

    def __init__(self, seed: int | None = None, *, inactive: Mapping[str, Any] | None = None,
                 switches: Mapping[str, str | Sequence[str]] | None = None,
                 search_space: Mapping[str, BaseDistribution] | None = None,
                 constraints_func: Callable[[FrozenTrial], Sequence[float]] | None = None,
                 independent_sampler: BaseSampler | None = None, **options: Unpack[OptimizerOptions]) -> None:
        if "direction" in options:
            raise TypeError("direction: give it to optuna.create_study")
        Optimizer(1, **options)  # what is wrong with them is said now
        self._seed = secrets.randbits(32) if seed is None else _arrays.seed(seed)
        self._rules = _Rules(dict(inactive or {}), {switch: [names] if isinstance(names, str) else list(names)
                                                    for switch, names in (switches or {}).items()})
        self._given = None if search_space is None else dict(search_space)
        self._constraints_func = constraints_func
        self._independent_sampler = independent_sampler
        self._options = options
        self._lock = threading.Lock()
        self._study_name: str | None = None

    def __getstate__(self) -> dict[str, Any]:
        """The search itself follows from the storage."""
        dropped = ("_lock", "_search", "_fresh", "_sequence")
        return {name: value for name, value in vars(self).items() if name not in dropped} | {"_study_name": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._lock = threading.Lock()

    # ---- What Optuna calls

    def infer_relative_search_space(self, study: Study, trial: FrozenTrial) -> dict[str, BaseDistribution]:
        if len(study.directions) > 1:
            raise ValueError("zilch.optuna.Sampler: the study has several objectives; it can have one only")
        with self._lock:
            self._learn(study)
            return self._search.distributions()

    def sample_relative(self, study: Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]) -> dict[str, Any]:
        if not search_space:
            return {}
        with self._lock:
            self._learn(study)
            known: dict[str, Any] = {"seed": self._seed, "sequence": self._sequence, "told": self._fresh}
            study._storage.set_trial_system_attr(trial._trial_id, _KEY, known)
            self._sequence += 1
            self._fresh = []
            values = self._search.ask(trial.number)
        return {name: value for name, value in values.items() if name in search_space}

    def sample_independent(self, study: Study, trial: FrozenTrial, param_name: str, param_distribution: BaseDistribution) -> Any:
        if self._independent_sampler is not None:
            return self._independent_sampler.sample_independent(study, trial, param_name, param_distribution)
        with self._lock:
            self._learn(study)
            is_first = trial.number == 0 or bool(self._search.told)
        if is_first and self._rules.is_coordinate(param_distribution):
            return self._rules.first(param_name, param_distribution)
        seed = zlib.crc32(f"{self._seed} {trial.number} {param_name}".encode())
        return RandomSampler(seed=seed).sample_independent(study, trial, param_name, param_distribution)

    def before_trial(self, study: Study, trial: FrozenTrial) -> None:
        if self._independent_sampler is not None:
            self._independent_sampler.before_trial(study, trial)

    def after_trial(self, study: Study, trial: FrozenTrial, state: TrialState, values: Sequence[float] | None) -> None:
        if self._constraints_func is not None and state == TrialState.COMPLETE:
            constraints = [float(number) for number in self._constraints_func(trial)]
            study._storage.set_trial_system_attr(trial._trial_id, "constraints", constraints)
        if self._independent_sampler is not None:
            self._independent_sampler.after_trial(study, trial, state, values)

    # ---- What is in the storage

    def _learn(self, study: Study) -> None:
        """The search gets to know what has finished. A new study, or a new process, goes through all that was suggested before."""
        trials = {trial.number: trial for trial in study.get_trials(deepcopy=False)}
        if study.study_name != self._study_name:
            options = {**self._options, "direction": study.direction.name.lower()}
            self._search = _Search(self._rules, self._seed, options, self._given)
            self._sequence = 0
            self._fresh = []
            asked = [trial for trial in trials.values() if trial.system_attrs.get(_KEY, {}).get("seed") == self._seed]
            for trial in sorted(asked, key=lambda trial: (trial.system_attrs[_KEY]["sequence"], trial.number)):
                for number in trial.system_attrs[_KEY]["told"]:
                    if number in trials:
                        self._search.tell(trials[number])
                self._search.ask(trial.number)
                self._sequence = trial.system_attrs[_KEY]["sequence"] + 1
            self._study_name = study.study_name
        for number, trial in trials.items():
            if trial.state.is_finished() and number not in self._search.told:
                self._search.tell(trial)
                self._fresh.append(number)


# ---- Parameters and coordinates

@dataclass(frozen=True)
class _Coordinate:
    """A parameter as a coordinate: the distance from where it is inactive, or, if it is never so, or if a switch says when, from one
    width below its range. A switch that turns nothing on is 1 where it is on."""

    name: str
    distribution: BaseDistribution
    switch: str | None = None
    inactive: Any = None  # None: it is always active while its switch is on

    @property
    def is_choice(self) -> bool:
        return isinstance(self.distribution, CategoricalDistribution)

    @property
    def step(self) -> float:
        found = None if self.is_choice or _is_log(self.distribution) else self.distribution.step  # type: ignore[attr-defined]
        return 0.0 if found is None else float(found)

    @property
    def bounds(self) -> tuple[float, float] | tuple[None, None]:
        if self.is_choice:
            return None, None
        low, high = _range(self.distribution)
        return low - self._zero, high - self._zero

    @property
    def _zero(self) -> float:
        if self.inactive is not None:
            return _scaled(self.distribution, self.inactive)
        low, high = _range(self.distribution)
        return low - (self.step or high - low)

    def encode(self, params: Mapping[str, Any], off: Callable[[str], Any]) -> float:
        if self.switch is not None and params.get(self.switch, off(self.switch)) == off(self.switch):
            return 0.0
        if self.name not in params:
            return 0.0 if self.inactive is not None else sum(_range(self.distribution)) / 2 - self._zero
        if self.is_choice:
            return float(params[self.name] != self.inactive)
        return _scaled(self.distribution, params[self.name]) - self._zero

    def decode(self, z: float) -> Any:
        if self.is_choice:
            return self.inactive if z == 0 else _other(self.distribution, self.inactive)
        if z == 0 and self.inactive is not None:
            return self.inactive
        return _value(self.distribution, z + self._zero if z else sum(_range(self.distribution)) / 2)


@dataclass(frozen=True)
class _Rules:
    """How parameters become coordinates."""

    inactive: dict[str, Any]
    switches: dict[str, list[str]]

    def is_coordinate(self, distribution: BaseDistribution) -> bool:
        if isinstance(distribution, CategoricalDistribution):
            return len(distribution.choices) == 2
        return isinstance(distribution, (FloatDistribution, IntDistribution))

    def off(self, name: str, distribution: BaseDistribution) -> Any:
        """What the parameter is where it is inactive; None: it never is."""
        if isinstance(distribution, CategoricalDistribution):
            return self.inactive.get(name, min(distribution.choices, key=bool))
        assert isinstance(distribution, (FloatDistribution, IntDistribution))
        value = self.inactive.get(name, 0)
        if not distribution.low <= value <= distribution.high or (_is_log(distribution) and value <= 0):
            if name in self.inactive:
                raise ValueError(f"inactive: {name} cannot be {value!r}, which is not in its range")
            return None
        steps = 0.0 if distribution.step is None or _is_log(distribution) else (value - distribution.low) / distribution.step
        is_on_grid = abs(steps - round(steps)) <= _GRID
        return (int(value) if isinstance(distribution, IntDistribution) else float(value)) if is_on_grid else None

    def first(self, name: str, distribution: BaseDistribution) -> Any:
        """Before anything is known: switches are on, so that everything is asked for; everything else is inactive."""
        off = self.off(name, distribution)
        if isinstance(distribution, CategoricalDistribution):
            return _other(distribution, off)
        return _value(distribution, sum(_range(distribution)) / 2) if off is None else off

    def coordinates(self, space: Mapping[str, BaseDistribution]) -> list[_Coordinate]:
        known = {name: each for name, each in sorted(space.items()) if self.is_coordinate(each) and not each.single()}
        pairs = self.switches or {name: [name[4:]] for name in known if name.startswith("use_")}
        turned = {name: switch for switch, names in pairs.items() for name in names
                  if name in known and isinstance(known.get(switch), CategoricalDistribution)}
        return [_Coordinate(name, each, turned.get(name), None if name in turned else self.off(name, each))
                for name, each in known.items() if name not in turned.values()]


def _is_log(distribution: BaseDistribution) -> bool:
    return bool(getattr(distribution, "log", False))


def _scaled(distribution: BaseDistribution, value: Any) -> float:
    return math.log(value) if _is_log(distribution) else float(value)


def _range(distribution: Any) -> tuple[float, float]:
    return _scaled(distribution, distribution.low), _scaled(distribution, distribution.high)


def _value(distribution: Any, scaled: float) -> Any:
    """The nearest value that the parameter may have."""
    x = math.exp(scaled) if _is_log(distribution) else scaled
    if distribution.step is not None:
        x = distribution.low + round((x - distribution.low) / distribution.step) * distribution.step
    x = min(max(x, distribution.low), distribution.high)
    return int(x) if isinstance(distribution, IntDistribution) else float(x)


def _other(distribution: Any, choice: Any) -> Any:
    return next(each for each in distribution.choices if each != choice)


# ---- The search

class _Search:
    """What the trials so far have led to. The same asks and tells in the same order give the same search."""

    def __init__(self, rules: _Rules, seed: int, options: dict[str, Any], given: dict[str, BaseDistribution] | None) -> None:
        self.rules = rules
        self.seed = seed
        self.options = options
        self.is_given = given is not None
        self.space: dict[str, BaseDistribution] = {}
        self.told: dict[int, tuple[dict[str, Any], float, list[float]]] = {}  # trials that have finished
        self.asked: dict[int, tuple[int, dict[str, Any]]] = {}  # trials that have not: their ids and values
        self.beyond = 0  # values since the generation had all that it wanted
        self.optimizer: Optimizer | None = None
        self._extend(given or {})

    def distributions(self) -> dict[str, BaseDistribution]:
        switches = {each.switch for each in self.coordinates if each.switch is not None}
        return {name: self.space[name] for name in (*sorted(switches), *(each.name for each in self.coordinates))}

    def ask(self, trial: int) -> dict[str, Any]:
        if not self.coordinates:
            return {}
        optimizer = self._prepared()
        if optimizer.wanted() == 0 and self.beyond > max(_PATIENCE, 2 * len(self.asked)):
            self.beyond = 0
            with contextlib.suppress(RuntimeError):  # nothing has succeeded yet
                optimizer.advance()
        ids, x = optimizer.ask(1)
        values = {each.name: each.decode(z) for each, z in zip(self.coordinates, x[0].tolist())}
        for each, z in zip(self.coordinates, x[0].tolist()):
            if each.switch is not None:
                off = self._off(each.switch)
                values[each.switch] = _other(self.space[each.switch], off) if z else off
        self.asked[trial] = int(ids[0]), values
        return values

    def tell(self, trial: FrozenTrial) -> None:
        """A trial that has failed or was pruned has no value. One whose parameters somebody has changed is a point from elsewhere."""
        value = trial.value if trial.state == TrialState.COMPLETE and trial.value is not None else math.nan
        self.told[trial.number] = dict(trial.params), value, _violations(trial)
        if not self.is_given:
            self._extend({name: each for name, each in trial.distributions.items() if name not in self.space})
        number, values = self.asked.pop(trial.number, (None, {}))
        if self.optimizer is None:
            return
        if number is None or any(value != values.get(name, value) for name, value in trial.params.items()):
            self._tell_point(self.optimizer, *self.told[trial.number])
            return
        self.beyond = self.beyond + 1 if self.optimizer.wanted() == 0 else 0
        with contextlib.suppress(RuntimeError):  # all of a generation have failed; its points are asked for again
            self.optimizer.tell([number], [value], violations=[self.told[trial.number][2] or [0.0]])

    def _extend(self, new: Mapping[str, BaseDistribution]) -> None:
        """With more parameters, another search begins, which knows what the trials have found."""
        self.space.update(new)
        if new or not self.is_given:
            before = getattr(self, "coordinates", [])
            self.coordinates = self.rules.coordinates(self.space)
            if self.coordinates != before:
                self.optimizer = None
                self.asked.clear()

    def _prepared(self) -> Optimizer:
        if self.optimizer is None:
            groups: dict[str, list[int]] = {}
            for i, each in enumerate(self.coordinates):
                if each.switch is not None:
                    groups.setdefault(each.switch, []).append(i)
            always = [i for i, each in enumerate(self.coordinates) if each.inactive is None and each.switch is None]
            self.optimizer = Optimizer(
                len(self.coordinates), seed=self.seed, bounds=[each.bounds for each in self.coordinates],
                step=[each.step for each in self.coordinates], forced_on=always,
                values={i: [1.0] for i, each in enumerate(self.coordinates) if each.is_choice},
                groups=[members for members in groups.values() if len(members) > 1], **self.options)
            for found in self.told.values():
                self._tell_point(self.optimizer, *found)
        return self.optimizer

    def _tell_point(self, optimizer: Optimizer, params: dict[str, Any], value: float, violations: list[float]) -> None:
        if math.isfinite(value):
            optimizer.tell_point([each.encode(params, self._off) for each in self.coordinates], value, violations)

    def _off(self, switch: str) -> Any:
        return self.rules.off(switch, self.space[switch])


def _violations(trial: FrozenTrial) -> list[float]:
    """Constraints, wherever this version of Optuna has them."""
    attributes = trial.system_attrs
    return [*(attributes.get("constraints") or ()), *(each for key, each in attributes.items() if key.startswith("constraints:"))]
