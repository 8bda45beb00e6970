"""The problems of anytime.py: what is minimised, where, and what is known about the optimum.

A problem is data. Its function takes rows of points and gives their values without the penalty and without noise, unless it draws
the noise itself (`episodes`). Every instance is fixed; the seed of a run changes the search and the noise, not the problem. The
optimum of no dense problem is at zero.

A third of the problems of each kind is held out: no setting of zilch may be chosen by them. `held_out` marks these.
"""
import dataclasses
import functools
import json
import math
import operator
import os
import pathlib
import tempfile
from collections.abc import Callable

import numpy as np

THIRD_OF_PI = np.pi / 3
BEST = pathlib.Path(__file__).resolve().parent / "anytime_best.json"
FRESH = 1000  # episodes that judge a controller


@dataclasses.dataclass(frozen=True)
class Problem:
    """`best` is the least penalised value, None where it is known only as the best that any run has found."""

    name: str
    kind: str
    dim: int
    function: Callable
    bounds: tuple | None = None     # lower and upper, numbers or one for each coordinate
    x0: np.ndarray | None = None    # a first guess, and how far from it the optimum may be
    scale: np.ndarray | None = None
    penalty: float = 0.0
    noise: float = 0.0              # standard deviation that is added to each value
    episodes: Callable | None = None  # (rows, generator) gives noisy values; the function is their mean over fresh ones
    support: tuple | None = None    # coordinates that are active in the optimum
    best: float | None = None
    optimum: np.ndarray | None = None
    is_dense: bool = False          # nobody who knows the problem would look for zeros
    held_out: bool = False

    @property
    def is_noisy(self):
        return self.noise > 0 or self.episodes is not None

    def penalised(self, x):
        """Without noise, for rows of points."""
        return self.function(x) + self.penalty * np.count_nonzero(x, axis=1)

    def observed(self, x, rng):
        """What a search sees."""
        values = self.episodes(x, rng) if self.episodes else self.function(x)
        if self.noise:
            values = values + rng.normal(0.0, self.noise, len(x))
        return values + self.penalty * np.count_nonzero(x, axis=1)

    def box(self):
        low, high = self.bounds or (-np.inf, np.inf)
        return np.broadcast_to(np.asarray(low, float), self.dim), np.broadcast_to(np.asarray(high, float), self.dim)


def generator(*words):
    """For the data of a problem: the same numbers for the same words, whatever is added later."""
    return np.random.default_rng([int.from_bytes(str(word).encode(), "little") for word in words])


def rotation(dim, rng):
    q, r = np.linalg.qr(rng.normal(size=(dim, dim)))
    return q * np.sign(np.diag(r))


def first(count):
    return tuple(range(count))


# ---- Dense: sphere, ellipsoid with condition 1e6, Rosenbrock

def rosenbrock_sum(z):
    return np.sum(100.0 * (z[:, 1:] - z[:, :-1]**2)**2 + (1.0 - z[:, :-1])**2, axis=1)


def dense(shape, dim, held_out):
    rng = generator("dense", shape, dim)
    optimum = rng.choice([-1.0, 1.0], dim) * rng.uniform(0.5, 3.0, dim)
    q, weights = rotation(dim, rng), 1e6 ** (np.arange(dim) / (dim - 1))
    functions = {"sphere": lambda x: np.sum((x - optimum)**2, axis=1),
                 "ellipsoid": lambda x: ((x - optimum) @ q.T)**2 @ weights,
                 "rosenbrock": lambda x: rosenbrock_sum(x - optimum + 1.0)}
    return Problem(f"{shape}-{dim}", "dense", dim, functions[shape], support=first(dim), best=0.0, optimum=optimum, is_dense=True,
                   held_out=held_out)


# ---- Sparse, with values on the support and decoys beside it: SMOP1-8, ellipsoid, Rosenbrock, as zilch has them but for SMOP4

def g1(v):
    return v**2


def g2(v):
    return 2.0 * v**2 + np.sin(2.0 * np.pi * v)**2


def g3(v):
    return 4.0 - v - 4.0 * np.exp(-100.0 * v**2)


def g3_least():
    """The least value of g3, just above 0: Newton's method on its derivative."""
    v = 1.0 / 800.0
    for _ in range(20):
        e = np.exp(-100.0 * v**2)
        v -= (800.0 * v * e - 1.0) / (800.0 * e * (1.0 - 200.0 * v**2))
    return v, g3(v)


def smop4_shift(d, active):
    """Zero is all but the optimum of SMOP4. Here twice as many coordinates as may be wrong have theirs elsewhere."""
    return np.where(np.arange(d) < 2 * active, THIRD_OF_PI, 0.0)


def smop_function(k, d, active):
    third, shift = THIRD_OF_PI, smop4_shift(d, active)

    def block_sum(x):
        total = g1(x[:, :active] - third).sum(1)
        for begin in range(active, d, 10):
            block = x[:, begin:begin + 10]
            total = total + np.where(np.any(block != 0.0, axis=1), 50.0 - np.sum(block**2, axis=1), 0.0)
        return total

    def always_and_active(x):
        terms = g1(x - third) + np.arange(d) / (d - 1) * np.sin(6.0 * np.pi * (x - third))**2
        rank = np.argsort(np.argsort(terms, axis=1, kind="stable"), axis=1, kind="stable")
        return np.sum(np.where((rank < active) | (x != 0.0), terms, 0.0), axis=1)

    def chain(x):
        head = x[:, :active] - np.mod(x[:, 1:active + 1] + np.pi, 2.0)
        return g3(head).sum(1) + g3(x[:, active:d - 1] - 0.9 * x[:, active + 1:]).sum(1)

    return {1: lambda x: g1(x[:, :active] - third).sum(1) + g2(x[:, active:]).sum(1),
            2: lambda x: g2(x[:, :active] - third).sum(1) + g3(x[:, active:]).sum(1),
            3: block_sum,
            4: lambda x: np.sort(g3(x - shift), axis=1)[:, :d - active].sum(1),
            5: lambda x: np.sum(g1(x - third) * g2(x), axis=1) + np.abs(active - np.count_nonzero(x, axis=1)),
            6: always_and_active,
            7: lambda x: g2(x[:, :active] - third).sum(1) + g2(x[:, active:] - 0.9 * np.roll(x[:, active:], -1, axis=1)).sum(1),
            8: chain}[k]


def smop_optimum(k, d, active):
    """Where g3 counts (2, 4, 8), its least value is a little above its target: the optimum is not sparse, but nearly so."""
    x = np.zeros(d)
    x[:active] = THIRD_OF_PI
    if k == 2:
        x[active:] = g3_least()[0]
    if k == 4:
        x[:d - active] = (smop4_shift(d, active) + g3_least()[0])[:d - active]
    if k == 8:
        for i in range(d - 2, -1, -1):
            x[i] = g3_least()[0] + (0.9 * x[i + 1] if i >= active else np.mod(x[i + 1] + np.pi, 2.0))
    return x


def smop(k, d, held_out):
    active = -(-d // 10)
    total = smop_function(k, d, active)
    terms = {2: d - active, 4: d - active, 8: d - 1}.get(k, 0)
    best = terms * g3_least()[1] / d if terms else 0.0
    return Problem(f"smop{k}-{d}", "smop", d, lambda x: total(x) / d, bounds=(-1.0, 2.0), best=best,
                   support=None if k == 4 else first(active), optimum=smop_optimum(k, d, active), held_out=held_out)


def sparse_ellipsoid(d, held_out):
    k = -(-d // 10)
    q, weights = rotation(k, generator("sparse ellipsoid", d)), 1000.0 ** (np.arange(k) / (k - 1))

    def function(x):
        y = (x[:, :k] - THIRD_OF_PI) @ q.T
        return (y**2 @ weights + np.sum(x[:, k:]**2 + 0.1 * (x[:, k:] != 0.0), axis=1)) / d
    return Problem(f"sparse-ellipsoid-{d}", "sparse", d, function, bounds=(-1.0, 2.0), support=first(k), best=0.0,
                   optimum=np.where(np.arange(d) < k, THIRD_OF_PI, 0.0), held_out=held_out)


def sparse_rosenbrock(d, held_out):
    k = max(-(-d // 10), 2)
    return Problem(f"sparse-rosenbrock-{d}", "sparse", d,
                   lambda x: rosenbrock_sum(x[:, :k]) + np.sum(x[:, k:]**2, axis=1), support=first(k), best=0.0,
                   optimum=np.where(np.arange(d) < k, 1.0, 0.0), held_out=held_out)


# ---- Data: regression, compressed sensing, equations

def standardised(a):
    return (a - a.mean(0)) / a.std(0)


def least_squares(name, kind, a, y, truth, penalty, **words):
    """Mean squares of a x - y. The best is the fit on the true support, which the penalty keeps best."""
    support = np.flatnonzero(truth)
    optimum = np.zeros(len(truth))
    optimum[support] = np.linalg.lstsq(a[:, support], y, rcond=None)[0]

    def function(x):
        return np.mean((x @ a.T - y)**2, axis=1)
    best = float(function(optimum[None])[0] + penalty * len(support))
    return Problem(name, kind, len(truth), function, penalty=penalty, support=tuple(int(i) for i in support), best=best,
                   optimum=optimum, **words)


def diabetes(held_out):
    """442 patients, ten columns and their 54 products and squares: mean squared error in units of the variance. The nine columns
    are the best that are known: a search that adds, drops and exchanges columns ended nowhere better from 25 random beginnings."""
    from sklearn.datasets import load_diabetes
    columns, y = load_diabetes(return_X_y=True)
    pairs = [(i, j) for i in range(10) for j in range(i, 10) if (i, j) != (1, 1)]
    a = standardised(np.column_stack([columns] + [columns[:, i] * columns[:, j] for i, j in pairs]))
    chosen = np.isin(np.arange(a.shape[1]), [1, 2, 3, 4, 5, 8, 11, 29, 63])
    return least_squares("diabetes", "regression", a, standardised(y), chosen, 0.005, bounds=(-2.0, 2.0), held_out=held_out)


def breast_cancer(held_out):
    """569 samples, 30 columns and an intercept: mean logistic loss."""
    from sklearn.datasets import load_breast_cancer
    columns, y = load_breast_cancer(return_X_y=True)
    a = np.column_stack([standardised(columns), np.ones(len(y))])
    sign = 2.0 * y - 1.0
    return Problem("breast-cancer", "regression", 31, lambda x: np.logaddexp(0.0, -sign * (x @ a.T)).mean(1), penalty=0.005,
                   held_out=held_out)


def sensing(d, rows, active, held_out, **words):
    """A sparse signal from fewer measurements than coordinates."""
    rng = generator("sensing", d)
    truth = np.zeros(d)
    truth[rng.choice(d, active, replace=False)] = rng.choice([-1.0, 1.0], active) * rng.uniform(1.0, 3.0, active)
    a = rng.normal(size=(rows, d))
    return least_squares(f"sensing-{d}", "sensing", a, a @ truth + rng.normal(0.0, 0.01, rows), truth, 0.01, held_out=held_out,
                         **words)


def powers(states, degree):
    """Products of the states up to a degree, the constant first, and their names' exponents."""
    n = states.shape[-1]
    exponents = [e for e in np.ndindex(*[degree + 1] * n) if sum(e) <= degree]
    exponents.sort(key=lambda e: (sum(e), [-k for k in e]))
    return np.stack([np.prod(states**np.array(e), axis=-1) for e in exponents], axis=-1), exponents


def runge_kutta(slope, state, step):
    a = slope(state)
    b = slope(state + 0.5 * step * a)
    c = slope(state + 0.5 * step * b)
    return state + step / 6.0 * (a + 2.0 * b + 2.0 * c + slope(state + step * c))


def lorenz(held_out):
    """Which of ten polynomial terms are in each of Lorenz' three equations, from measured slopes: 7 of 30."""
    rng = generator("lorenz")

    def slope(s):
        return np.array([10.0 * (s[1] - s[0]), s[0] * (28.0 - s[2]) - s[1], s[0] * s[1] - 8.0 / 3.0 * s[2]])
    states = [np.array([1.0, 1.0, 20.0])]
    for _ in range(400):
        states.append(runge_kutta(slope, states[-1], 0.02))
    states = np.array(states[200:])
    library, exponents = powers(states / 10.0, 2)
    slopes = np.array([slope(s) for s in states]) / 100.0
    slopes += rng.normal(0.0, 0.01, slopes.shape)
    at = {e: k for k, e in enumerate(exponents)}
    truth = np.zeros((3, 10))
    truth[0, [at[1, 0, 0], at[0, 1, 0]]] = -1.0, 1.0
    truth[1, [at[1, 0, 0], at[0, 1, 0], at[1, 0, 1]]] = 2.8, -0.1, -1.0
    truth[2, [at[0, 0, 1], at[1, 1, 0]]] = -0.8 / 3.0, 1.0
    return least_squares("lorenz", "equation", np.kron(np.eye(3), library), slopes.T.ravel(), truth.ravel(), 0.0001,
                         bounds=(-5.0, 5.0), held_out=held_out)


def clip(value, low, high):
    return low if value < low else high if value > high else value


def lotka_volterra_path(c, steps=40, step=0.15):
    """States of two equations with ten terms each, for one list of coefficients; they stay within 10."""
    def slope(u, v):
        terms = (1.0, u, v, u * u, u * v, v * v, u * u * u, u * u * v, u * v * v, v * v * v)
        return sum(map(operator.mul, c[:10], terms)), sum(map(operator.mul, c[10:], terms))
    u, v, states = 1.0, 0.5, []
    for _ in range(steps):
        a, b = slope(u, v)
        a2, b2 = slope(u + 0.5 * step * a, v + 0.5 * step * b)
        a3, b3 = slope(u + 0.5 * step * a2, v + 0.5 * step * b2)
        a4, b4 = slope(u + step * a3, v + step * b3)
        u = clip(u + step / 6.0 * (a + 2.0 * a2 + 2.0 * a3 + a4), -10.0, 10.0)
        v = clip(v + step / 6.0 * (b + 2.0 * b2 + 2.0 * b3 + b4), -10.0, 10.0)
        states.append((u, v))
    return np.array(states)


def lotka_volterra(held_out):
    """Which of ten terms up to the third degree are in two equations, by integrating them: 4 of 20, far from linear."""
    truth = np.zeros(20)
    truth[[1, 4, 12, 14]] = 1.1, -0.9, -1.0, 0.8
    measured = lotka_volterra_path(truth.tolist())

    def function(x):
        return np.array([np.mean((lotka_volterra_path(row) - measured)**2) for row in x.tolist()])
    return Problem("lotka-volterra", "equation", 20, function, bounds=(-3.0, 3.0), penalty=0.001, best=0.004,
                   support=(1, 4, 12, 14), optimum=truth, held_out=held_out)


# ---- Networks, a portfolio

def network(name, inputs, hidden, labels, penalty, held_out):
    """One hidden layer of tanh units and a logistic output on made data; mean logistic loss, a penalty for each weight."""
    rng = generator(name)
    a = rng.uniform(-1.0, 1.0, (200, inputs))
    sign = np.where(labels(a), 1.0, -1.0)
    dim = inputs * hidden + 2 * hidden + 1

    def function(x):
        w = x[:, :inputs * hidden].reshape(len(x), inputs, hidden)
        bias, out = x[:, inputs * hidden:-hidden - 1], x[:, -hidden - 1:-1]
        units = np.tanh(np.einsum("si,nih->nsh", a, w) + bias[:, None])
        return np.logaddexp(0.0, -sign * (np.einsum("nsh,nh->ns", units, out) + x[:, -1:])).mean(1)
    return Problem(name, "network", dim, function, penalty=penalty, held_out=held_out)


def ring(held_out):
    """Inside or outside of a circle, two inputs."""
    return network("network-ring", 2, 8, lambda a: np.sum(a**2, axis=1) < 0.6, 0.002, held_out)


def exclusive_or(held_out):
    """The sign of a product of two of the six inputs."""
    return network("network-xor", 6, 6, lambda a: a[:, 1] * a[:, 4] > 0.0, 0.004, held_out)


def portfolio(d, held_out):
    """Variance less a part of the mean return of weights that are made to add up to 1; each holding costs."""
    rng = generator("portfolio", d)
    factors = rng.normal(0.0, 0.1, (d, 4)) + np.array([0.15, 0.0, 0.0, 0.0])
    covariance = factors @ factors.T + np.diag(rng.uniform(0.01, 0.08, d))
    returns = rng.uniform(0.0, 0.12, d)

    def function(x):
        total = np.sum(x, axis=1, keepdims=True)
        w = np.divide(x, total, out=np.full(x.shape, 1.0 / d), where=total > 0.0)
        return 10.0 * (np.einsum("ni,ni->n", w @ covariance, w) - 0.5 * w @ returns) + (total[:, 0] <= 0.0)
    return Problem(f"portfolio-{d}", "portfolio", d, function, bounds=(0.0, 1.0), penalty=0.01, held_out=held_out)


# ---- Controllers for Gymnasium's classic control, and noisy spheres

@dataclasses.dataclass(frozen=True)
class Arithmetic:
    """What an episode needs: on numbers, which is fast for one episode, or on arrays, which is fast for a thousand."""

    cos: Callable
    sin: Callable
    clip: Callable
    greater: Callable


NUMBERS = Arithmetic(math.cos, math.sin, clip, max)
ARRAYS = Arithmetic(np.cos, np.sin, np.clip, np.maximum)


def action(x, a, b, c):
    """A controller is a polynomial of the second degree in three inputs."""
    return (x[0] + a * (x[1] + x[4] * a + x[5] * b + x[6] * c) + b * (x[2] + x[7] * b + x[8] * c) + c * (x[3] + x[9] * c))


def pendulum_cost(x, angle, speed, m, steps=100):
    """Gymnasium's Pendulum-v1: torque within 2, 0.05 s a step; mean cost of a step."""
    total = 0.0
    for _ in range(steps):
        sine = m.sin(angle)
        torque = m.clip(2.0 * action(x, m.cos(angle), sine, speed / 8.0), -2.0, 2.0)
        total = total + ((angle + math.pi) % (2.0 * math.pi) - math.pi)**2 + 0.1 * speed**2 + 0.001 * torque**2
        speed = m.clip(speed + (15.0 * sine + 3.0 * torque) * 0.05, -8.0, 8.0)
        angle = angle + speed * 0.05
    return total / steps


def car_cost(x, position, speed, m, steps=200):
    """Gymnasium's MountainCarContinuous-v0: 100 for the hill, less 0.1 for a squared force; here also less the way that is missing,
    and all of it in units of 10."""
    used, top, is_going = 0.0, position, position < 0.45
    for _ in range(steps):
        slope = m.cos(3.0 * position)
        force = m.clip(action(x, position + 0.5, 20.0 * speed, slope), -1.0, 1.0)
        used = used + 0.1 * force**2 * is_going
        speed = m.clip(speed + 0.0015 * force - 0.0025 * slope, -0.07, 0.07) * is_going
        position = m.clip(position + speed, -1.2, 0.6)
        speed = speed * ((position > -1.2) | (speed > 0.0))
        top = m.greater(top, position)
        is_going = is_going & (position < 0.45)
    return (used - 100.0 * (top >= 0.45) + 100.0 * m.greater(0.45 - top, 0.0)) / 10.0


def controller(name, cost, low, high, penalty, held_out, flown=2):
    """Noise is where an episode begins. A value is the mean of two of them; what counts is the mean of fresh ones."""
    def episodes(x, rng):
        begun = rng.uniform(low, high, (len(x), flown, 2)).tolist()
        return np.array([sum(cost(row, *state, NUMBERS) for state in states) / flown for row, states in zip(x.tolist(), begun)])

    def function(x):
        begun = generator("fresh", name).uniform(low, high, (FRESH, 2)).T
        return np.array([cost(row, *begun, ARRAYS).mean() for row in x.tolist()])
    return Problem(name, "control", 10, function, episodes=episodes, penalty=penalty, held_out=held_out)


def pendulum(held_out):
    return controller("pendulum", pendulum_cost, (-math.pi, -1.0), (math.pi, 1.0), 0.02, held_out)


def mountain_car(held_out):
    return controller("mountain-car", car_cost, (-0.6, 0.0), (-0.4, 0.0), 0.02, held_out)


def noisy_sphere(name, d, active, noise, penalty, held_out):
    optimum = np.zeros(d)
    optimum[:active] = np.resize([2.0, -1.5, 1.0, -2.5, 1.5], active)
    return Problem(name, "noisy", d, lambda x: np.sum((x - optimum)**2, axis=1), noise=noise, penalty=penalty,
                   support=first(active), best=penalty * active, optimum=optimum, is_dense=active == d, held_out=held_out)


# ---- Units and bounds

def mixed_bounds(held_out):
    """Five parameters in [100, 400] and five in [0.001, 0.01], of which two matter."""
    low, high = np.repeat([100.0, 0.001], 5), np.repeat([400.0, 0.01], 5)
    optimum = np.zeros(10)
    optimum[[1, 6]] = 273.0, 0.0042
    return Problem("units-bounds", "units", 10, lambda x: ((x[:, 1] - 273.0) / 100.0)**2 + ((x[:, 6] - 0.0042) / 0.003)**2,
                   bounds=(low, high), penalty=0.01, support=(1, 6), best=0.02, optimum=optimum, held_out=held_out)


def mixed_scales(held_out):
    """Thirty parameters of sizes from 1e-3 to 1e3, without bounds; five of them are active."""
    rng = generator("scales")
    scale = 10.0 ** rng.uniform(-3.0, 3.0, 30)
    optimum = np.zeros(30)
    chosen = np.sort(rng.choice(30, 5, replace=False))
    optimum[chosen] = scale[chosen] * np.array([1.5, -1.0, 2.0, -1.2, 0.8])
    return Problem("units-scales", "units", 30, lambda x: np.sum(((x - optimum) / scale)**2, axis=1), x0=np.zeros(30), scale=scale,
                   penalty=0.02, support=tuple(int(i) for i in chosen), best=0.1, optimum=optimum, held_out=held_out)


def from_guess(name, d, wrong, held_out):
    """All parameters matter, jointly; a first guess is some way off. `wrong` is how many times too large the scale is."""
    rng = generator(name)
    x0 = 10.0 ** rng.uniform(-2.0, 3.0, d)
    scale = 0.2 * x0
    optimum, q, weights = x0 + scale * rng.normal(0.0, 1.5, d), rotation(d, rng), 100.0 ** (np.arange(d) / (d - 1))
    return Problem(name, "units", d, lambda x: (((x - optimum) / scale) @ q.T)**2 @ weights, x0=x0, scale=scale * wrong,
                   support=first(d), best=0.0, optimum=optimum, is_dense=True, held_out=held_out)


def corner(held_out):
    """A bowl whose bottom is outside of the box in two coordinates of three: the optimum is on bounds."""
    rng = generator("corner")
    bottom, weights = rng.uniform(-4.0, 4.0, 20), 10.0 ** rng.uniform(0.0, 2.0, 20)
    bottom[::3] = rng.uniform(-0.9, 0.9, 7)
    optimum = np.clip(bottom, -1.0, 1.0)

    def function(x):
        return (x - bottom)**2 @ weights
    return Problem("bounds-corner", "bounds", 20, function, bounds=(-1.0, 1.0), support=first(20),
                   best=float(function(optimum[None])[0]), optimum=optimum, is_dense=True, held_out=held_out)


def narrow(held_out):
    """Rosenbrock's valley in a box that is a thousandth as wide as it is far from zero."""
    low, high = np.full(8, 50.0), np.full(8, 50.05)
    optimum = low + 0.6 * (high - low)
    return Problem("bounds-narrow", "bounds", 8, lambda x: rosenbrock_sum((x - optimum) / 0.0125 + 1.0), bounds=(low, high),
                   support=first(8), best=0.0, optimum=optimum, is_dense=True, held_out=held_out)


def sparse_corner(held_out):
    """Six of sixty are at the upper bound, the others at zero, which is the lower one; pairs are coupled."""
    rng = generator("sparse corner")
    chosen = np.sort(rng.choice(60, 6, replace=False))
    optimum = np.zeros(60)
    optimum[chosen] = 1.0
    a = rng.normal(size=(30, 60))
    pull = np.where(optimum > 0.0, -3.0, 1.0)

    def function(x):
        return np.mean(((x - optimum) @ a.T)**2, axis=1) + (x - optimum) @ pull
    return Problem("bounds-sparse", "bounds", 60, function, bounds=(0.0, 1.0), penalty=0.01,
                   support=tuple(int(i) for i in chosen), best=0.06, optimum=optimum, held_out=held_out)


# ---- COCO's bbob

def bbob(f, d, held_out):
    """Function f of the suite, its first instance."""
    @functools.cache
    def opened():
        """The function, and its least value at the place that it writes into a file of the folder that it is in."""
        import cocoex
        suite = cocoex.Suite("bbob", "instances: 1", f"dimensions: {d} function_indices: {f}")
        opened_problem, before = suite.get_problem(0), os.getcwd()
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            opened_problem._best_parameter("print")
            optimum = np.loadtxt("._bbob_problem_best_parameter.txt")
            os.chdir(before)
        return suite, opened_problem, opened_problem(optimum)

    def function(x):
        _, opened_problem, least = opened()
        return np.array([opened_problem(row) for row in x]) - least
    return Problem(f"bbob{f}-{d}", "bbob", d, function, bounds=(-5.0, 5.0), support=first(d), best=0.0, is_dense=True,
                   held_out=held_out)


# ---- All of them

HELD_OUT = {"sphere-40", "ellipsoid-5", "rosenbrock-40", "sparse-ellipsoid-300", "sparse-rosenbrock-30", "breast-cancer",
            "sensing-200", "lotka-volterra", "network-ring", "portfolio-120", "mountain-car", "noisy-sparse", "units-scales",
            "units-wrong", "bounds-sparse"}
SIZES = (30, 100, 300)


def listing():
    """Name and maker of each, in the order of the tables; a maker is told whether its problem is held out."""
    yield from ((f"{shape}-{d}", functools.partial(dense, shape, d)) for shape in ("sphere", "ellipsoid", "rosenbrock")
                for d in (5, 20, 40))
    yield from ((f"smop{k}-{d}", functools.partial(smop, k, d)) for k in range(1, 9) for d in SIZES)
    yield from ((f"sparse-ellipsoid-{d}", functools.partial(sparse_ellipsoid, d)) for d in SIZES)
    yield from ((f"sparse-rosenbrock-{d}", functools.partial(sparse_rosenbrock, d)) for d in SIZES)
    yield from {"diabetes": diabetes, "breast-cancer": breast_cancer,
                "sensing-100": functools.partial(sensing, 100, 50, 6),
                "sensing-200": functools.partial(sensing, 200, 80, 8, scale=np.ones(200), x0=np.zeros(200)),
                "lorenz": lorenz, "lotka-volterra": lotka_volterra, "network-xor": exclusive_or, "network-ring": ring,
                "portfolio-60": functools.partial(portfolio, 60), "portfolio-120": functools.partial(portfolio, 120),
                "pendulum": pendulum, "mountain-car": mountain_car,
                "noisy-sphere": functools.partial(noisy_sphere, "noisy-sphere", 20, 20, 0.5, 0.0),
                "noisy-wide": functools.partial(noisy_sphere, "noisy-wide", 40, 5, 0.5, 0.25),
                "noisy-sparse": functools.partial(noisy_sphere, "noisy-sparse", 40, 5, 5.0, 0.5),
                "units-bounds": mixed_bounds, "units-scales": mixed_scales,
                "units-guess": functools.partial(from_guess, "units-guess", 10, 1.0),
                "units-small": functools.partial(from_guess, "units-small", 10, 1e-3),
                "units-wrong": functools.partial(from_guess, "units-wrong", 15, 1e3),
                "bounds-corner": corner, "bounds-narrow": narrow, "bounds-sparse": sparse_corner}.items()
    yield from ((f"bbob{f}-{d}", functools.partial(bbob, f, d)) for d in (5, 20) for f in range(1, 25))


MAKERS = dict(listing())
GROUPS = {"main": [name for name in MAKERS if not name.startswith("bbob")],
          "bbob": [name for name in MAKERS if name.startswith("bbob")]}


def is_held_out(name):
    """Of the 24 SMOP, a third by number and dimension, so that each number and each dimension is on both sides."""
    if name.startswith("smop"):
        k, d = name[4:].split("-")
        return (int(k) + SIZES.index(int(d))) % 3 == 1
    return name in HELD_OUT


@functools.cache
def problem(name):
    made = MAKERS[name](is_held_out(name))
    assert made.name == name
    return made


@functools.cache
def found():
    """By problem: the least penalised value that any run has found, where no better is known, and the first gap."""
    return json.loads(BEST.read_text()) if BEST.exists() else {}


def best_known(name):
    """None if nothing is known yet."""
    known = problem(name).best
    return found().get(name, {}).get("best") if known is None else known
