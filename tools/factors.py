"""How well laws of three factors are found again from 100 points: the table of docs/explanation/large.md.

python3 tools/factors.py, with the package zilch installed. Root mean square errors of all latent correlations, the
median of five laws.
"""

import numpy as np
import zilch

LAWS = 5
ROWS = 100


def draw_law(rng, d, share, common):
    """Loadings of any direction on a share of the latents; a value and its mask have nothing in common."""
    loadings = rng.normal(size=(3, 2 * d)) * (rng.uniform(size=2 * d) < share)
    length = np.linalg.norm(loadings, axis=0)
    loadings *= np.sqrt(common) / np.where(length > 0, length, 1)
    value, mask = loadings[:, :d], loadings[:, d:]
    square = (value**2).sum(axis=0)
    mask -= value * ((value * mask).sum(axis=0) / np.where(square > 0, square, 1))
    p = rng.uniform(0.3, 0.9, d)
    return zilch.ZeroInflatedGaussian.from_parameters(p, np.ones(d), np.ones(d), loadings=loadings)


def error(a, b):
    return np.sqrt(np.mean((a - b)[np.triu_indices(len(a), 1)] ** 2))


def measure(d, share, common):
    found = []
    for seed in range(LAWS):
        truth = draw_law(np.random.default_rng(seed), d, share, common)
        x = truth.sample(ROWS, seed=seed)
        fits = [zilch.ZeroInflatedGaussian(structure="low-rank", shrinkage="fisher").fit(x),
                zilch.ZeroInflatedGaussian(shrinkage="fisher", projection="clip").fit(x)]
        found.append([error(fit.corr_, truth.corr_) for fit in fits] + [error(np.eye(2 * d), truth.corr_)])
    return np.median(found, axis=0)


print("| d | latents with loadings | their common variance | low-rank | full, fisher | 0 |\n|---|---|---|---|---|---|")
for d, share, common in ((50, 1, 0.5), (100, 1, 0.5), (100, 0.2, 0.7), (500, 1, 0.4), (500, 0.05, 0.8), (500, 0, 0)):
    print(f"| {d} | {share:g} | {common:g} |", " | ".join(f"{e:.3f}" for e in measure(d, share, common)), "|", flush=True)
