"""The lander under Gymnasium's names, one world at a time and many."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._lander import LunarLander

_NO_LIMIT = 10**9  # one world's limit is kept by gymnasium.make's TimeLimit

try:
    import gymnasium
except ImportError:
    HAS_GYMNASIUM = False
else:
    HAS_GYMNASIUM = True

    class SingleLander(gymnasium.Env[Any, Any]):
        """One world, as Gymnasium's own: what ``gymnasium.make("zilch/LunarLander-v3")`` gives."""

        metadata = {"render_modes": [], "render_fps": 50}

        def __init__(self, **arguments: Any) -> None:
            self._worlds = LunarLander(1, autoreset_mode="Disabled", max_episode_steps=_NO_LIMIT, **arguments)
            self.continuous = self._worlds.continuous  # which gymnasium's heuristic() asks for
            self.observation_space = self._worlds.single_observation_space
            self.action_space = self._worlds.single_action_space
            self.render_mode = None

        def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
            super().reset(seed=seed)
            observations, _ = self._worlds.reset(seed=seed)
            return observations[0], {}

        def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
            observations, rewards, terminations, truncations, _ = self._worlds.step(np.asarray(action)[np.newaxis])
            return observations[0], float(rewards[0]), bool(terminations[0]), bool(truncations[0]), {}


def register() -> None:
    """``gymnasium.make`` and ``make_vec`` then know zilch/LunarLander-v3 and zilch/LunarLanderContinuous-v3."""
    if not HAS_GYMNASIUM:
        return
    for name, continuous in (("zilch/LunarLander-v3", False), ("zilch/LunarLanderContinuous-v3", True)):
        if name not in gymnasium.registry:
            gymnasium.register(name, entry_point="zilch._register:SingleLander", kwargs={"continuous": continuous},
                               vector_entry_point="zilch:LunarLander", max_episode_steps=1000, reward_threshold=200)
