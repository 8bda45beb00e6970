"""Search a controller that you can read for Gymnasium's Lunar Lander, and fly it: about a minute on two cores."""
import numpy as np

import zilch

result = zilch.maximize(zilch.problem("lander"), evaluations=50_000, seed=1)
controller = zilch.Controller(result.x)
print(controller)

worlds = zilch.LunarLander(num_envs=1000, continuous=True)
observations, _ = worlds.reset(seed=0)
total, flying = np.zeros(1000), np.ones(1000, dtype=bool)
while flying.any():
    observations, rewards, terminated, truncated, _ = worlds.step(controller(observations))
    total += rewards * flying
    flying &= ~(terminated | truncated)
print(f"{controller.active} coefficients, mean return {total.mean():.2f} in 1000 landings that the search never saw")
