#!/usr/bin/env python3
"""Polynomial coefficients and quadrature nodes that stand in src/, made with mpmath.

    /usr/bin/python3 tools/coefficients.py       (Debian: python3-mpmath)

Polynomials interpolate at Chebyshev nodes in 150-digit arithmetic, which is within a
small factor of the best possible; the largest relative error is printed behind each.
"""
from mpmath import atanh, cos, exp, log, lu_solve, matrix, mp, mpf, pi, polyval, sin, sqrt

mp.dps = 150


def fit(function, low, high, degree):
    """Monomial coefficients, constant first, of the Chebyshev interpolant."""
    nodes = [(low + high) / 2 + (high - low) / 2 * cos(pi * (2 * i + 1) / (2 * degree + 2))
             for i in range(degree + 1)]
    vandermonde = matrix(degree + 1, degree + 1)
    for i, x in enumerate(nodes):
        for j in range(degree + 1):
            vandermonde[i, j] = x ** j
    return list(lu_solve(vandermonde, matrix([function(x) for x in nodes])))


def show(name, function, low, high, degree):
    low, high = mpf(low), mpf(high)
    found = [mpf(float(c)) for c in fit(function, low, high, degree)]
    worst = max(abs(polyval(found[::-1], x) / function(x) - 1)
                for x in [low + (high - low) * i / 997 for i in range(998)])
    print(f"/* {name}: relative error {float(worst):.1e} */")
    print(", ".join(float(c).hex() for c in found))


def at_zero(function, value):
    return lambda x: value if abs(x) < mpf(10) ** -40 else function(x)


def gauss_legendre(count):
    """Nodes and weights on [0, 1], by Newton's method on the Legendre polynomial."""
    nodes, weights = [], []
    for i in range(count):
        x = cos(pi * (i + mpf(3) / 4) / (count + mpf(1) / 2))
        for _ in range(9):
            previous, current = mpf(1), x
            for n in range(2, count + 1):
                previous, current = current, ((2 * n - 1) * x * current - (n - 1) * previous) / n
            slope = count * (x * current - previous) / (x * x - 1)
            x -= current / slope
        nodes.append((1 - x) / 2)
        weights.append(1 / ((1 - x * x) * slope * slope))
    for name, values in (("nodes", nodes), ("weights", weights)):
        print(f"/* Gauss-Legendre on [0, 1], {count} {name} */")
        print(", ".join(float(v).hex() for v in values))


half_log_2 = log(2) / 2
show("(exp(r) - 1 - r) / r^2", at_zero(lambda r: (exp(r) - 1 - r) / r ** 2, mpf(1) / 2), -half_log_2, half_log_2, 10)
show("(2 atanh(s) - 2 s) / s^3 in s^2", at_zero(lambda z: (2 * atanh(sqrt(z)) - 2 * sqrt(z)) / sqrt(z) ** 3, mpf(2) / 3),
     0, (3 - 2 * sqrt(mpf(2))) ** 2, 6)
show("sin(pi f / 2) / f in f^2", at_zero(lambda z: sin(pi * sqrt(z) / 2) / sqrt(z), pi / 2), 0, mpf(1) / 4, 7)
show("sin(pi f / 2) / f in f^2, for f up to 0.76", at_zero(lambda z: sin(pi * sqrt(z) / 2) / sqrt(z), pi / 2), 0, mpf("0.58"), 9)
show("cos(pi f / 2) in f^2", lambda z: cos(pi * sqrt(z) / 2), 0, mpf(1) / 4, 7)
for points in (4, 8, 16, 24):
    gauss_legendre(points)
