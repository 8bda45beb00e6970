"""Make the reference tables of test problems that zilch's tests compare against.

Run from the repository root (needs Debian's python3-numpy and python3-mpmath; a few seconds; always the same bytes):
    /usr/bin/python3 tests/reference/make_problems.py

It writes two tables beside itself.

smop.txt: values of SMOP1-8 by the formulas as they stand in the paper, in 40-digit arithmetic, at points that the test
makes by the same integer formulas (coordinate(), below).

regression.txt: sparse regressions on small data, made by integer formulas as well (data(), below). The split is drawn
from the published generator (Philox4x32-10), written down here once more. Least squares by NumPy's lstsq (a singular
value decomposition), logistic regression by Newton's method with the ridge of 1e-6 and the whole Hessian, until the
gradient is at rounding.
"""
from pathlib import Path
import mpmath as mp
import numpy as np

mp.mp.dps = 40

# ---- SMOP -------------------------------------------------------------------------------------------------------

DIMS = 2, 10, 11, 28, 100, 101
POINTS = 6

def coordinate(k, i, d):
    """Coordinate i of point k: a multiple of 1/100 in [-1, 2], or 0."""
    active = (False, True, i % 2 == 0, (7 * i * i + 3 * i) % 5 == 0, i < d // 2, 10 <= i < 15)[k]
    return ((7919 * i + 10473 * k + 37) % 301 - 100) / 100 if active else 0.0

def g1(x, t): return (x - t) ** 2
def g2(x, t): return 2 * (x - t) ** 2 + mp.sin(2 * mp.pi * (x - t)) ** 2
def g3(x, t): return 4 - (x - t) - 4 * mp.exp(-100 * (x - t) ** 2)
def g4(x, t): return (x - mp.pi / 3) ** 2 + t * mp.sin(6 * mp.pi * (x - mp.pi / 3)) ** 2

def smop(problem, x):
    """g(x) / d; x[i - 1] is the paper's x_i."""
    d = len(x)
    K = -(-d // 10)
    third = mp.pi / 3
    on, off = x[:K], x[K:]
    if problem == 1:
        g = sum(g1(v, third) for v in on) + sum(g2(v, 0) for v in off)
    elif problem == 2:
        g = sum(g2(v, third) for v in on) + sum(g3(v, 0) for v in off)
    elif problem == 3:
        blocks = [off[b:b + 10] for b in range(0, len(off), 10)]
        g = sum(g1(v, third) for v in on) + sum(50 - sum(v * v for v in b) for b in blocks if any(b))
    elif problem == 4:
        g = sum(sorted(g3(v, 0) for v in x)[:d - K])
    elif problem == 5:
        g = sum(g1(v, third) * g2(v, 0) for v in x) + abs(K - sum(v != 0 for v in x))
    elif problem == 6:
        ranked = sorted((g4(v, mp.mpf(i) / (d - 1)), i) for i, v in enumerate(x))
        g = sum(value for rank, (value, i) in enumerate(ranked) if rank < K or x[i] != 0)
    elif problem == 7:
        g = sum(g2(v, third) for v in on) + sum(g2(v, mp.mpf("0.9") * off[(i + 1) % len(off)]) for i, v in enumerate(off))
    else:
        g = sum(g3(x[i], mp.fmod(x[i + 1] + mp.pi, 2)) for i in range(K))
        g += sum(g3(x[i], mp.mpf("0.9") * x[i + 1]) for i in range(K, d - 1))
    return g / d

def smop_table():
    yield "# Made by tests/reference/make_problems.py; do not edit."
    yield "# SMOP1-8, from 40-digit arithmetic, 20 significant digits."
    yield "# problem  dim  point  value"
    for problem in range(1, 9):
        for d in DIMS:
            for k in range(POINTS):
                x = [mp.mpf(coordinate(k, i, d)) for i in range(d)]
                yield f"{problem} {d} {k} {mp.nstr(smop(problem, x), 20)}"

# ---- Regression -------------------------------------------------------------------------------------------------

ROWS, COLS, SEED, SHARE, RIDGE = 61, 5, 7, 0.3, 1e-6

def data(logistic):
    """Columns of different sizes; y of columns 0, 2 and 3, and something that looks like noise."""
    i, j = np.meshgrid(np.arange(ROWS), np.arange(COLS), indexing="ij")
    x = ((31 * i * i + 17 * (i + 3) * j * j + 7 * i * j + 5 * i) % 97) / 10 * (1 + 3.0 * j) + j
    r = np.arange(ROWS)
    noise = ((r * r * r + 11 * r) % 53) / 53 - 0.5
    y = 3 + 2 * x[:, 0] - 0.5 * x[:, 2] + 0.125 * x[:, 3] + 6 * noise
    return x, (y > 8.5).astype(float) if logistic else y

def philox(key, stream, block):
    """The two 64-bit words of a block: Salmon, Moraes, Dror and Shaw, 2011."""
    low, k = 0xFFFFFFFF, [key & 0xFFFFFFFF, key >> 32]
    c = [block & low, block >> 32, stream & low, stream >> 32]
    for _ in range(10):
        a, b = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [(b >> 32) ^ c[1] ^ k[0], b & low, (a >> 32) ^ c[3] ^ k[1], a & low]
        k = [(k[0] + 0x9E3779B9) & low, (k[1] + 0xBB67AE85) & low]
    return c[0] | c[1] << 32, c[2] | c[3] << 32

def uniform(key, draw):
    return (philox(key, 0, draw // 2)[draw % 2] >> 12) * 2.0 ** -52 + 2.0 ** -53

def split():
    """Training and validation rows: Fisher and Yates' shuffle, the first validate."""
    key = SEED ^ int.from_bytes(b"problem\0", "big")
    order = list(range(ROWS))
    for draw, i in enumerate(range(ROWS - 1, 0, -1)):
        j = int(uniform(key, draw) * (i + 1))
        order[i], order[j] = order[j], order[i]
    held = round(SHARE * ROWS)
    return np.array(order[held:]), np.array(order[:held])

def logistic_newton(design, y, ridge):
    """Coefficients of the design's columns; ridge has one entry for each."""
    beta = np.zeros(design.shape[1])
    for _ in range(60):
        p = 1 / (1 + np.exp(-design @ beta))
        gradient = design.T @ (p - y) / len(y) + ridge * beta
        hessian = (design * (p * (1 - p))[:, None]).T @ design / len(y) + np.diag(ridge)
        beta = beta - np.linalg.solve(hessian, gradient)
    assert np.abs(gradient).max() < 1e-13
    return beta

def judge(logistic, eta, y):
    """Error and score."""
    if logistic:
        return np.mean(np.logaddexp(0, eta) - y * eta), np.mean((eta > 0) == (y > 0.5))
    error = np.mean((y - eta) ** 2)
    return error, 1 - error / np.var(y)

def regression_rows(logistic, coefficients):
    x, y = data(logistic)
    train, held = split()
    mean, scale = x[train].mean(axis=0), x[train].std(axis=0)
    z = (x - mean) / scale
    for mask in range(2 ** COLS):
        chosen = [j for j in range(COLS) if mask >> j & 1]
        ones = np.ones((ROWS, 1))
        beta = np.zeros(COLS)
        if coefficients:
            beta[chosen] = [(j - 1.25) * 0.5 for j in chosen]
            rest = z @ beta
            if logistic:
                low, high = -50.0, 50.0
                for _ in range(200):
                    middle = (low + high) / 2
                    low, high = (middle, high) if np.sum(1 / (1 + np.exp(-middle - rest[train])) - y[train]) < 0 else (low, middle)
                intercept = (low + high) / 2
            else:
                intercept = np.mean(y[train] - rest[train])
        else:
            design = np.hstack([ones, z[:, chosen]])
            if logistic:
                found = logistic_newton(design[train], y[train], np.array([0.0] + [RIDGE] * len(chosen)))
            else:
                found = np.linalg.lstsq(design[train], y[train], rcond=None)[0]
            intercept, beta[chosen] = found[0], found[1:]
        eta = intercept + z @ beta
        errors = judge(logistic, eta[train], y[train]), judge(logistic, eta[held], y[held])
        numbers = [intercept - np.sum(beta * mean / scale), *errors[0], *errors[1], *(beta / scale)]
        yield f"{int(logistic)} {int(coefficients)} {mask} " + " ".join(f"{v:.12g}" for v in numbers)

def regression_table():
    yield "# Made by tests/reference/make_problems.py; do not edit."
    yield "# Regressions on small data, 12 digits. Columns are chosen by the bits of the mask; where coefficients are given,"
    yield "# column j has (j - 1.25) / 2. Coefficients and intercept are in the units of the data."
    yield "# logistic  coefficients  mask  intercept  training error, score  validation error, score  coefficients (5)"
    for logistic in (False, True):
        for coefficients in (False, True):
            yield from regression_rows(logistic, coefficients)

def write(name, lines):
    Path(__file__).with_name(name).write_text("".join(f"{line}\n" for line in lines))

if __name__ == "__main__":
    write("smop.txt", smop_table())
    write("regression.txt", regression_table())
