"""Gymnasium's Lunar Lander, many worlds at once and bit for bit, and controllers for it."""

from __future__ import annotations

import contextlib
import secrets
import threading
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _arrays, _core
from ._arrays import Floats

try:
    import gymnasium
    from gymnasium.vector import AutoresetMode, VectorEnv
    from gymnasium.vector.utils import batch_space

    _Base: Any = VectorEnv
except ImportError:  # then it is a plain class with the same methods
    gymnasium = None  # type: ignore[assignment]
    _Base = object

Observations = NDArray[np.float32]
Flags = NDArray[np.bool_]

_DISCRETE = np.array([[0.0, 0.0], [0.0, -1.0], [1.0, 0.0], [0.0, 1.0]])  # nothing, left, main, right
_MODES = ("NextStep", "SameStep", "Disabled")

# Gymnasium's own, for x y vx vy theta omega and the two legs.
_HIGH = np.array([2.5, 2.5, 10.0, 10.0, 2 * np.pi, 10.0, 1.0, 1.0], dtype=np.float32)
_LOW = np.concatenate([-_HIGH[:6], np.zeros(2, dtype=np.float32)])


class LunarLander(_Base):  # type: ignore[misc]
    """Gymnasium's LunarLander-v3 as a vector environment: the same bits for the same seeds and actions.

    Parameters
    ----------
    num_envs : int
        Worlds, which are stepped together.
    continuous, gravity, enable_wind, wind_power, turbulence_power
        As those of ``gymnasium.make("LunarLander-v3", ...)``, with the same defaults.
    max_episode_steps : int
        An episode that is longer is truncated.
    autoreset_mode : "NextStep", "SameStep" or "Disabled", or one of gymnasium.vector.AutoresetMode
        What happens to a world that has ended, as Gymnasium defines it.
    device : "cpu", "cuda", or a card as in "cuda:1"
        With a graphics card, what worlds give stays there as arrays with ``__dlpack__`` and ``__cuda_array_interface__``, and
        actions come from there. libzilch_cuda is needed for that.

    >>> import zilch
    >>> worlds = zilch.LunarLander(num_envs=3, continuous=True)
    >>> observations, info = worlds.reset(seed=1)
    >>> controller = zilch.Controller.published()
    >>> total = 0
    >>> for step in range(100):
    ...     observations, rewards, terminations, truncations, info = worlds.step(controller(observations))
    ...     total += rewards
    >>> total.shape
    (3,)
    """

    def __init__(self, num_envs: int = 1, *, continuous: bool = False, gravity: float = -10.0, enable_wind: bool = False,
                 wind_power: float = 15.0, turbulence_power: float = 1.5, max_episode_steps: int = 1000,
                 autoreset_mode: Any = "NextStep", render_mode: None = None, device: str = "cpu") -> None:
        self._configure(num_envs, continuous, autoreset_mode, render_mode)
        self._lander = _core.lander_create(self.num_envs, {
            "gravity": gravity, "wind": enable_wind, "wind_power": wind_power, "turbulence_power": turbulence_power,
            "max_steps": _arrays.count(max_episode_steps, "max_episode_steps", 1, 10**9)})

    def __new__(cls, *arguments: Any, device: str = "cpu", **options: Any) -> LunarLander:
        if cls is LunarLander and str(device) != "cpu":
            from ._cuda import CudaLander

            return object.__new__(CudaLander)
        return object.__new__(cls)

    def _configure(self, num_envs: int, continuous: bool, autoreset_mode: Any, render_mode: None) -> None:
        """What all worlds have in common, wherever they are."""
        if render_mode is not None:
            raise ValueError("render_mode: there is none; the command 'zilch play --html' makes a page that plays a landing")
        self.num_envs = _arrays.count(num_envs, "num_envs", 1)
        self.continuous = bool(continuous)
        self.autoreset_mode = _mode(autoreset_mode)
        self.render_mode = None
        self._lock = threading.Lock()
        self._is_fresh = np.ones(self.num_envs, dtype=np.bool_)  # never reset, so without random numbers
        self._has_ended = np.zeros(self.num_envs, dtype=np.bool_)
        self._make_spaces()

    def __getstate__(self) -> dict[str, Any]:
        """The worlds as they are, in the middle of their episodes too: a copy goes on with the same bits."""
        with self._alone():
            return {**{name: value for name, value in vars(self).items() if name not in ("_lander", "_lock")},
                    "_lander": _core.lander_pack(self._lander)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._lander = _core.lander_unpack(state["_lander"])
        self._lock = threading.Lock()
        self._is_fresh, self._has_ended = self._is_fresh.copy(), self._has_ended.copy()

    def _make_spaces(self) -> None:
        if gymnasium is None:
            return
        self.metadata = {"render_modes": [], "render_fps": 50, "autoreset_mode": AutoresetMode(self.autoreset_mode)}
        self.single_observation_space = gymnasium.spaces.Box(_LOW, _HIGH)
        self.single_action_space = (gymnasium.spaces.Box(-1, 1, (2,), np.float32) if self.continuous
                                    else gymnasium.spaces.Discrete(4))
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)

    # ---- Resetting

    def reset(self, *, seed: int | Sequence[int | None] | NDArray[np.integer[Any]] | None = None,
              options: dict[str, Any] | None = None) -> tuple[Observations, dict[str, Any]]:
        """All worlds begin anew, or those of ``options["reset_mask"]``.

        World i gets seed + i, or the i-th of a list of seeds; None goes on in its random numbers.
        """
        mask = _mask(options, self.num_envs)
        seeds, is_seeded = self._seeds(seed)
        with self._alone():
            _core.lander_reset(self._lander, mask & is_seeded, seeds)
            _core.lander_reset(self._lander, mask & ~is_seeded, None)
            self._is_fresh &= ~mask
            self._has_ended &= ~mask
            return self._read()[0], {}

    @contextlib.contextmanager
    def _alone(self) -> Iterator[None]:
        """A step is several calls of the library, between which no other thread may come."""
        if not self._lock.acquire(blocking=False):
            raise RuntimeError("lander: another thread is using it")
        try:
            yield
        finally:
            self._lock.release()

    def _seeds(self, seed: Any) -> tuple[NDArray[np.uint64], Flags]:
        """A seed for each world and whether it is to be used; a world that has none yet gets one by chance."""
        if isinstance(seed, Iterable):
            given = [None if one is None else _arrays.seed(one) for one in seed]
        else:
            given = [None if seed is None else _arrays.seed(seed) + i for i in range(self.num_envs)]
        if len(given) != self.num_envs:
            raise ValueError(f"seed: must be {self.num_envs} seeds for {self.num_envs} worlds, not {len(given)}")
        if any(one is not None and one >= 2**64 for one in given):
            raise ValueError("seed: must be from 0 to 2^64 - 1 for every world")
        is_seeded = np.array([one is not None for one in given]) | self._is_fresh
        return np.array([secrets.randbits(63) if one is None else one for one in given], dtype=np.uint64), is_seeded

    # ---- Stepping

    def step(self, actions: ArrayLike) -> tuple[Observations, Floats, Flags, Flags, dict[str, Any]]:
        """One step of every world: observations, rewards, terminations, truncations, info."""
        with self._alone():
            return self._step(self._actions(actions))

    def _step(self, actions: Floats) -> tuple[Observations, Floats, Flags, Flags, dict[str, Any]]:
        ended = self._has_ended
        if self.autoreset_mode == "Disabled" and ended.any():
            raise RuntimeError(f"step: world {int(ended.argmax())} has ended; reset it, with options={{'reset_mask': ...}}")
        _core.lander_step(self._lander, actions)
        if ended.any():  # and has stood still; what it does instead of a step
            _core.lander_reset(self._lander, ended, None)
        observations, rewards, terminations, truncations = self._read()
        self._has_ended = terminations | truncations
        if self.autoreset_mode == "SameStep" and self._has_ended.any():
            return self._begin_anew(observations, rewards, terminations, truncations)
        return observations, rewards, terminations, truncations, {}

    def _begin_anew(self, final: Observations, rewards: Floats, terminations: Flags,
                    truncations: Flags) -> tuple[Observations, Floats, Flags, Flags, dict[str, Any]]:
        """In the step in which they ended; what they ended with goes to the info."""
        ended = self._has_ended
        _core.lander_reset(self._lander, ended, None)
        self._has_ended = np.zeros(self.num_envs, dtype=np.bool_)
        last = np.full(self.num_envs, None, dtype=object)
        for i in np.flatnonzero(ended):
            last[i] = final[i].copy()
        info = {"final_obs": last, "_final_obs": ended, "final_info": {}, "_final_info": ended.copy()}
        return self._read()[0], rewards, terminations, truncations, info

    def _actions(self, actions: ArrayLike) -> Floats:
        if self.continuous:
            return _arrays.floats(actions, "actions", self.num_envs, 2)
        chosen = _arrays.ids(actions, "actions", self.num_envs)
        if chosen.max() > 3:
            raise ValueError(f"actions: must be from 0 to 3, not {int(chosen.max())}")
        return _DISCRETE[chosen]

    def _read(self) -> tuple[Observations, Floats, Flags, Flags]:
        n = self.num_envs
        out = np.empty((n, 8), np.float32), np.empty(n), np.empty(n, np.bool_), np.empty(n, np.bool_)
        _core.lander_read(self._lander, *out)
        return out

    # ---- Looking

    def look(self, world: int = 0) -> dict[str, Any]:
        """Where lander, legs and ground of a world are, in metres; whether it flies, has landed, crashed or left."""
        return _core.lander_view(self._lander, _arrays.count(world, "world", 0, self.num_envs - 1))


def _mode(mode: Any) -> str:
    name = str(getattr(mode, "value", mode))
    if name not in _MODES:
        raise ValueError(f"autoreset_mode: must be one of {', '.join(_MODES)}, not {mode!r}")
    return name


def _mask(options: dict[str, Any] | None, n: int) -> Flags:
    mask = None if options is None else options.get("reset_mask")
    if mask is None:
        return np.ones(n, dtype=np.bool_)
    if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_ or mask.shape != (n,):
        raise ValueError(f"reset_mask: must be an array of {n} bools")
    return mask


@dataclass(frozen=True, eq=False)
class Episodes:
    """How episodes went, in the order of their seeds, and what they come to."""

    returns: Floats = field(repr=False)
    steps: NDArray[np.uint32] = field(repr=False)
    mean: float
    """Mean of the returns."""
    deviation: float
    """The sample's standard deviation of the returns; NaN for one episode."""
    quartiles: tuple[float, ...]
    """Returns: the least, first quartile, median, third quartile, largest."""
    solved: float
    """Share of the episodes with a return of at least 200."""
    endings: dict[str, int]
    """How many landed, crashed, flew out or were truncated."""


class Controller:
    """The sparse quadratic controller: a formula of the observation for each engine, 45 coefficients each.

    >>> print(Controller.published())  # doctest: +ELLIPSIS
    a_main = ...
    a_side = ...
    """

    def __init__(self, parameters: ArrayLike) -> None:
        self.parameters = _arrays.floats(parameters, "parameters", 90)

    @classmethod
    def parse(cls, text: str) -> Controller:
        """From formulas, as str() and ``zilch best`` give them."""
        parameters = np.empty(90)
        _core.policy_parse(text, parameters)
        return cls(parameters)

    @classmethod
    def published(cls) -> Controller:
        """The publication's, of 13 coefficients."""
        return cls.parse(_core.policy_published())

    def __call__(self, observations: ArrayLike) -> Floats:
        """Actions (n, 2) for observations (n, 8), or (2,) for one."""
        return _act(self.parameters, observations)

    def evaluate(self, episodes: int = 100, *, seed: int = 0, gravity: float = -10.0, enable_wind: bool = False,
                 wind_power: float = 15.0, turbulence_power: float = 1.5, max_episode_steps: int = 1000,
                 threads: int = 0) -> Episodes:
        """Fly whole episodes of the seeds seed, seed + 1, ..., on `threads` threads (0: one for each processor).

        >>> import zilch
        >>> flown = zilch.Controller.published().evaluate(50)
        >>> round(flown.mean), flown.endings["landed"]
        (277, 49)
        """
        options = {"gravity": gravity, "wind": enable_wind, "wind_power": wind_power, "turbulence_power": turbulence_power,
                   "max_steps": _arrays.count(max_episode_steps, "max_episode_steps", 1, 10**9)}
        n = _arrays.count(episodes, "episodes", 1, 10**9)
        returns, steps = np.empty(n), np.empty(n, np.uint32)
        summary = _core.episodes_run(self.parameters, options, _arrays.seed(seed), _arrays.count(threads, "threads", 0, 4096),
                                     returns, steps)
        return Episodes(returns=returns, steps=steps, **summary)

    @property
    def active(self) -> int:
        return int(np.count_nonzero(self.parameters))

    def __str__(self) -> str:
        return _core.policy_format(self.parameters)

    def __repr__(self) -> str:
        return f"<zilch.Controller: {self.active} coefficients>"


def heuristic(observations: ArrayLike) -> Floats:
    """Gymnasium's own heuristic controller, in double precision."""
    return _act(None, observations)


def _act(parameters: Floats | None, observations: ArrayLike) -> Floats:
    rows = _arrays.real(observations, "observations")
    if rows.ndim not in (1, 2) or rows.shape[-1] != 8:
        raise ValueError(f"observations: must have the shape (n, 8) or (8,), not {rows.shape}")
    actions = np.empty((*rows.shape[:-1], 2))
    _core.policy_act(parameters, np.ascontiguousarray(rows, dtype=np.float32), actions)
    return actions
