#!/usr/bin/env python3
"""Polynomial coefficients and quadrature nodes that stand in src/, made with mpmath.

    /usr/bin/python3 tools/coefficients.py       (Debian: python3-mpmath)

Polynomials interpolate at Chebyshev nodes in 150-digit arithmetic, which is within a
small factor of the best possible; the largest relative error is printed behind each.
"""
import struct

from mpmath import atanh, cos, exp, log, log1p, lu_solve, matrix, mp, mpf, pi, polyval, sin, sqrt

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


def show_single(name, values):
    """Rounded to single precision, in hexadecimal."""
    singles = [struct.unpack("f", struct.pack("f", float(v)))[0] for v in values]
    print(f"/* {name} */")
    print(", ".join(v.hex() for v in singles))


def rational(name, function, high, middle, upper, lower):
    """Interpolates function on [0, high] by polynomials of these degrees, upper / lower, at nodes
    that are Chebyshev's in t / (t + middle)."""
    count = upper + lower + 1
    end = mpf(high) / (high + middle)
    system, values, nodes = matrix(count, count), matrix(count, 1), []
    for i in range(count):
        u = end * (1 - cos(pi * (2 * i + 1) / (2 * count))) / 2
        t = middle * u / (1 - u)
        nodes.append(t)
        for j in range(upper + 1):
            system[i, j] = t ** j
        for j in range(1, lower + 1):
            system[i, upper + j] = -function(t) * t ** j
        values[i] = function(t)
    found = list(lu_solve(system, values))
    numerator, denominator = found[:upper + 1], [mpf(1)] + found[upper + 1:]
    worst = max(abs(polyval(numerator[::-1], t) / polyval(denominator[::-1], t) - function(t))
                for t in [mpf(high) * i / 997 for i in range(998)])
    show_single(f"{name}: absolute error {float(worst):.1e}; numerator", numerator)
    show_single("denominator", denominator)


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
show_single("single precision: (exp(r) - 1 - r) / r^2",
            fit(at_zero(lambda r: (exp(r) - 1 - r) / r ** 2, mpf(1) / 2), -half_log_2, half_log_2, 4))
rational("single precision: log(1 + exp(-t))", lambda t: log1p(exp(-t)), 16, 4, 5, 6)
for points in (4, 8, 16, 24):
    gauss_legendre(points)
