"""Equations from data: which polynomial terms make up a system of differential equations, from one noisy trajectory?

    python3 examples/gallery/equations.py [--small]

needs zilch, SciPy and PySINDy. The systems are those of ODEBench that polynomials to degree 3 can express. An equation is a regression of
integrals: the slope of a bump around each time takes the place of the slope of the data (the weak form). Prints lines of JSON.
"""
import itertools
import json
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import pysindy
from numpy.lib.stride_tricks import sliding_window_view
from scipy.integrate import solve_ivp

import zilch

LINES = Path(__file__).with_name("systems.txt").read_text(encoding="utf-8").splitlines()
SYSTEMS = {int(line.split(":")[0]): line.split(": ")[1] for line in LINES if "|" in line}
TIMES, S, EVALUATIONS, FLOOR = np.linspace(0, 10, 150), np.arange(-7, 8) / 8, 5000, 1e-8
BUMP, SLOPE = (1 - S**2)**4, -S * (1 - S**2)**3 / TIMES[1]
ECHO = np.correlate(SLOPE, SLOPE, "full") / (SLOPE @ SLOPE)
ROWS = (len(TIMES) - len(S) + 1) / (ECHO @ ECHO)  # bumps overlap: they say as much as so many that do not
SETTINGS = list(itertools.product(np.geomspace(1e-4, 10, 16), (False, True)))  # thresholds, and whether columns are normalised
PEERS = {"STLSQ": [pysindy.STLSQ(threshold=t, normalize_columns=n) for t, n in SETTINGS],
         "SR3": [pysindy.SR3(reg_weight_lam=t, normalize_columns=n) for t, n in SETTINGS], "FROLS": [pysindy.FROLS(max_iter=k) for k in range(1, 11)]}


def system(number):
    """The slopes as a function, and two first points."""
    slopes, *starts = SYSTEMS[number].split("|")
    code = compile(f"({slopes.replace(';', ',')},)", "systems.txt", "eval")
    return lambda x: eval(code, {}, dict(zip("xyzw", x))), [np.array(start.split(","), float) for start in starts]


def terms(X):
    """The constant and all products of at most three variables."""
    products = (t for k in range(4) for t in itertools.combinations_with_replacement(range(X.shape[1]), k))
    return np.column_stack([np.prod(X[:, list(t)], axis=1) for t in products])


def trajectory(slopes, start):
    calls = itertools.count()  # NaN if it takes too long or becomes too large
    limited = lambda _, x: slopes(x) if next(calls) < 20000 and np.abs(x).max() < 1e6 else np.full(len(x), np.nan)  # noqa: E731
    X = solve_ivp(limited, (0, 10), start, "LSODA", TIMES, rtol=1e-5, atol=1e-7).y.T
    return X if len(X) == len(TIMES) else np.full((len(TIMES), len(start)), np.nan)


def integrals(X):
    return sliding_window_view(terms(X), len(S), axis=0) @ BUMP, -sliding_window_view(X, len(S), axis=0) @ SLOPE


def fitted(A, b, mask):
    """Least squares with some of the terms; and its misfit as in the Bayesian information criterion, to which each term adds log ROWS."""
    c = np.zeros(A.shape[1])
    c[mask] = np.linalg.lstsq(A[:, mask], b, rcond=None)[0]
    return c, float(ROWS * np.log(np.sum((b - A @ c)**2) / np.sum(b**2) + FLOOR))


def chosen(method, A, b, evaluations):
    """The coefficients that a method finds; of several settings those that are best by the same criterion."""
    if method == "zilch":
        value = lambda x: fitted(A, b, x != 0)[1]  # noqa: E731
        masks = [zilch.minimize(value, A.shape[1], bounds=(1, 1), penalty=np.log(ROWS), evaluations=evaluations, noisy=False).x != 0]
    else:
        masks = [optimizer.fit(A, b[:, np.newaxis]).coef_.ravel() != 0 for optimizer in PEERS[method]]
    return min((fitted(A, b, mask)[0] for mask in masks), key=lambda c: fitted(A, b, c != 0)[1] + np.log(ROWS) * np.count_nonzero(c))


def solve(number, noise, evaluations=EVALUATIONS):
    warnings.simplefilter("ignore")
    slopes, starts = system(number)
    tracks, some = [trajectory(slopes, start) for start in starts], np.random.default_rng(0).normal(size=(200, len(starts[0])))
    truth = np.abs(np.linalg.lstsq(terms(some), np.array([slopes(x) for x in some]), rcond=None)[0]) > 1e-6
    X = tracks[0] * (1 + noise * np.random.default_rng([number, int(100 * noise)]).normal(size=tracks[0].shape))
    row, (A, B) = {}, integrals(X)
    for method in ("zilch", *PEERS, "PySINDy as it comes"):
        began = time.process_time()
        if method not in ("zilch", *PEERS):
            C = pysindy.SINDy(pysindy.STLSQ(), pysindy.PolynomialLibrary(3), pysindy.SmoothedFiniteDifference()).fit(X, t=TIMES).coefficients().T
        else:
            C = np.column_stack([chosen(method, A, b, evaluations) for b in B.T])
        seconds, again = time.process_time() - began, [trajectory(lambda x: terms(x[np.newaxis])[0] @ C, start) for start in starts]
        values = sum(fitted(A, b, c != 0)[1] + np.log(ROWS) * np.count_nonzero(c) for b, c in zip(B.T, C.T))
        r2 = [float(max(np.nan_to_num(1 - np.sum((a - t)**2) / np.sum((t - t.mean(axis=0))**2), nan=-1), -1)) for a, t in zip(again, tracks)]
        row[method] = {"exact": bool(((C != 0) == truth).all()), "wrong": int(((C != 0) != truth).sum()), "criterion": values, "r2": r2, "seconds": seconds}
    return row


def jobs(small):
    return [{"number": number, "noise": noise} for noise in (0, 0.01, 0.05) for number in (list(SYSTEMS)[::20] if small else SYSTEMS)]


if __name__ == "__main__":
    for job in jobs("--small" in sys.argv):
        print(json.dumps(job | solve(**job)), flush=True)
