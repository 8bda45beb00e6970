"""Compressed sensing and best subsets: how near do values alone come to methods that see the matrix or the gradient?

    python3 examples/gallery/sensing.py [--small]

needs zilch, SciPy, scikit-learn, skscope and abess. First, 100 unknowns, of which k are not zero, are to be found from 50 exact measurements
with a Gaussian matrix; then, of 65 columns of scikit-learn's diabetes data, those k whose least squares explain most. Prints lines of JSON.
"""
import json
import sys
import time
import warnings

import jax.numpy as jnp
import numpy as np
from abess import LinearRegression
from scipy.optimize import linprog
from skscope import ScopeSolver
from sklearn.datasets import load_diabetes
from sklearn.linear_model import lars_path, orthogonal_mp
from sklearn.preprocessing import PolynomialFeatures, scale

import zilch

EVALUATIONS = 50000


def by_zilch(A, y, k, seed, evaluations):
    cost = lambda X: np.mean((y - X @ A.T)**2, axis=1)  # noqa: E731
    return zilch.minimize(cost, A.shape[1], max_active=k, evaluations=evaluations, vectorized=True, noisy=False, seed=seed).x


def by_subsets(A, y, k, seed, evaluations):
    cost = lambda x: np.mean((y - A @ refitted(A, y, np.flatnonzero(x)))**2)  # noqa: E731
    found = zilch.minimize(cost, A.shape[1], bounds=(1, 1), max_active=k, evaluations=evaluations // 10, noisy=False, seed=seed)
    return refitted(A, y, np.flatnonzero(found.x))


def by_lasso(A, y, k, *_):
    if len(y) < A.shape[1]:  # exact measurements: basis pursuit, its limit
        x = linprog(np.ones(2 * A.shape[1]), A_eq=np.hstack([A, -A]), b_eq=y, method="highs").x
        return x[:A.shape[1]] - x[A.shape[1]:]
    path = lars_path(A, y, method="lasso")[2]
    return refitted(A, y, np.flatnonzero(path[:, max(i for i in range(path.shape[1]) if np.count_nonzero(path[:, i]) <= k)]))


def refitted(A, y, columns):
    x = np.zeros(A.shape[1])
    x[columns] = np.linalg.lstsq(A[:, columns], y, rcond=None)[0]
    return x


WAYS = {"zilch": by_zilch, "zilch, least squares inside": by_subsets,
        "skscope": lambda A, y, k, *_: ScopeSolver(A.shape[1], k).solve(lambda x: jnp.mean((y - A @ x)**2)),
        "abess": lambda A, y, k, *_: LinearRegression(support_size=range(k + 1), ic_coef=0, fit_intercept=False).fit(A, y).coef_,
        "matching pursuit": lambda A, y, k, *_: orthogonal_mp(A, y, n_nonzero_coefs=k),
        "lasso": by_lasso}


def measurements(k, seed):
    rng = np.random.default_rng([k, seed])
    truth = np.zeros(100)
    truth[rng.choice(100, k, replace=False)] = rng.normal(size=k)
    A = rng.normal(size=(50, 100))
    return A, A @ truth, truth


def diabetes():
    X, y = load_diabetes(return_X_y=True)
    return scale(PolynomialFeatures(2, include_bias=False).fit_transform(scale(X))), scale(y)


def solve(data, k, seed, evaluations=EVALUATIONS):
    warnings.simplefilter("ignore")
    A, y, *truth = measurements(k, seed) if data == "measurements" else diabetes()
    row = {}
    for name, way in WAYS.items():
        began = time.process_time()
        x = np.asarray(way(A, y, k, seed, evaluations))
        row[name] = {"seconds": time.process_time() - began, "active": int(np.count_nonzero(np.abs(x) > 1e-6))}
        if truth:
            largest = np.argsort(-np.abs(x))[:k]
            row[name] |= {"found": bool(np.all(truth[0][largest] != 0)), "error": float(np.linalg.norm(x - truth[0]) / np.linalg.norm(truth[0]))}
        else:
            row[name]["r2"] = float(1 - np.mean((y - A @ x)**2))
    return row


def jobs(small):
    if small:
        return [{"data": data, "k": 3, "seed": 1, "evaluations": 2000} for data in ("measurements", "diabetes")]
    return [{"data": "measurements", "k": k, "seed": seed} for k in (4, 8, 12, 16, 20, 24) for seed in range(1, 6)] + [
        {"data": "diabetes", "k": k, "seed": seed} for k in (3, 6, 9, 12, 15) for seed in (1, 2, 3)]


if __name__ == "__main__":
    for job in jobs("--small" in sys.argv):
        print(json.dumps(job | solve(**job)), flush=True)
