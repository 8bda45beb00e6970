"""A recipe with few ingredients: a noisy function of your own, and a penalty for everything that is put in."""
import numpy as np

import zilch

rng = np.random.default_rng(1)
WORTH = rng.normal(size=40) * (rng.random(40) < 0.15)  # what 40 ingredients do to the taste; most do nothing


def distaste(amounts):
    """How bad a batch tastes. Nobody bakes the same twice."""
    return float(np.sum((amounts - 1) ** 2 * WORTH**2) + 0.05 * rng.normal())


result = zilch.minimize(distaste, 40, penalty=0.02, evaluations=10_000, bounds=(0, 3), seed=1)
print(result.message)
print(f"{result.active} ingredients: {np.flatnonzero(result.x).tolist()}")
print(f"that matter: {np.flatnonzero(np.abs(WORTH) > 0.3).tolist()}")
print(f"distaste {result.fun:.3f} +- {result.recommended.error:.3f}, tried {result.nfev} times")
for point in result.front:
    print(f"  {point.active:2d} ingredients: {point.value:.3f}")
