"""Make the reference tables that zilch's tests compare against.

Run from the repository root (needs only Debian's python3-mpmath; two to three minutes; always the same bytes):
    /usr/bin/python3 tests/reference/make_tables.py

It writes four text tables beside itself. Inputs are C99 hex floats, so exactly the doubles a C program reads; outputs
are decimal. Each table is computed in multiple precision by a method the C code does not use, and checked by a second
one: the script stops where the two disagree.
  normal.txt       Phi, Phibar, phi, log phi by mpmath's erfc, exp, log; every 25th row checked by quadrature of
                   Phibar(x) = phi(x) int_0^inf exp(-xt - t^2/2) dt, x >= 0.
  quantile.txt     Phi^-1 by Newton's method on erfc; the solution is put back into erfc.
  bivariate.txt    P(X > h, Y > k) as int_h^inf phi(x) Phibar((k - rho x)/sqrt(1 - rho^2)) dx; every row with |rho| < 1
                   checked by Owen's T function (Owen 1956).
  attenuation.txt  The published double integrals (boxed in the paper's appendix "Attenuation of Empirical
                   Correlations") as two nested quadratures, nothing integrated by hand; every row checked by the other
                   order of integration. The collapsed closed forms are not used.

Quadrature: Gauss-Legendre with n = 48 points on panels of at most 6 scales, the scale being the width of the narrowest
Gaussian in the integrand. The integrands are analytic; for two unit Gaussians on such a panel the error is near
exp(n - n log(n/2.25)), below 1e-40. Ranges stop at CUT = 12, for Phibar(12) < 2e-33.
"""
import itertools
import math
import random
import re
from decimal import Decimal
from pathlib import Path
from statistics import NormalDist
from mpmath import mp, mpf
from mpmath.calculus.quadrature import GaussLegendre

CUT = 12                                                # where every range of integration ends

def hexa(x):
    """The double x as a C99 hex float, without the trailing zeros of float.hex()."""
    return re.sub(r"\.?0+p", "p", x.hex())

def fixed(v, decimals):
    """v to a fixed number of decimals: the way to print what is known to an absolute accuracy."""
    return format(Decimal(mp.nstr(v, 40)), f".{decimals}f")

def neighbours(x):
    """The double x and the two next to it, for places where implementations change formula."""
    return [math.nextafter(x, -math.inf), x, math.nextafter(x, math.inf)]

def write(name, header, rows):
    lines = [f"# {line}" for line in ("Made by tests/reference/make_tables.py; do not edit.", *header)]
    lines += [" ".join(row) for row in rows]
    Path(__file__).with_name(name).write_text("\n".join(lines) + "\n", encoding="ascii")
    print(f"{name}: {len(rows)} rows")

def upper(x):
    """Phibar(x) = P(X > x)."""
    return mp.erfc(x / mp.sqrt(2)) / 2

def density(x):
    return mp.exp(-x * x / 2) / mp.sqrt(2 * mp.pi)

def quantile(p):
    """The x with Phi(x) = p, for an mpf p in (0, 1)."""
    if p > 0.5:
        return -quantile(1 - p)
    x, step = mpf(NormalDist().inv_cdf(float(p))), mpf(1)
    while abs(step) > mpf(10) ** -40 * abs(x):          # convergence is quadratic: the error left is far below the step
        step = (p - upper(-x)) / density(x)
        x += step
    assert abs(upper(-x) / p - 1) < mpf(10) ** (6 - mp.dps)
    return x

def normal_table():
    rng, limit = random.Random(1), 37.35                # Phibar(37.35) is about 1e-305
    xs = [i / 8 for i in range(int(limit * 8) + 1)] + [limit]
    xs += [m * 10.0 ** -e for e in (1, 2, 3, 5, 8, 12, 16, 20, 50, 100, 200, 300) for m in (1, 3.7)]
    xs += [x for c in (0.46875, 0.67448975, 4.0, 32 ** 0.5, 0.5 * 2 ** 0.5, 2 ** 0.5, 8.0) for x in neighbours(c)]
    xs += [rng.uniform(0, limit) for _ in range(200)] + [rng.uniform(0, 6) for _ in range(200)]
    rows = []
    with mp.workdps(60):
        for i, x in enumerate(dict.fromkeys(sign * x if x else x for x in xs for sign in (1, -1))):
            z = mpf(x)
            if i % 25 == 0:
                mills = mp.quad(lambda t: mp.exp(-abs(z) * t - t * t / 2), [0, 1 / (1 + abs(z)), 4 / (1 + abs(z)), 20])
                assert abs(density(z) * mills / upper(abs(z)) - 1) < mpf(10) ** -45
            values = upper(-z), upper(z), density(z), -z * z / 2 - mp.log(2 * mp.pi) / 2
            rows.append([hexa(x)] + [mp.nstr(v, 40) for v in values])
    write("normal.txt", ["Standard normal, 40 significant digits, from 60-digit arithmetic.",
                         "x  Phi(x)  Phibar(x)=1-Phi(x)  phi(x)  log(phi(x))"], rows)

def quantile_table():
    rng = random.Random(2)
    ps = [10 ** (-300 + i * 299.69 / 499) for i in range(500)] + [10 ** -rng.uniform(0.3, 300) for _ in range(150)]
    ps += [float(f"1e-{e}") for e in range(1, 21)] + [rng.random() for _ in range(550)] + [i / 64 for i in range(1, 64)]
    ps += [0.5 + sign * 2.0 ** -k for k in range(2, 51) for sign in (1, -1)] + neighbours(0.5)
    ps += [1 - 2.0 ** -k for k in range(1, 54)] + [1 - 10.0 ** -k for k in range(1, 16)]
    ps += [p for c in (0.075, 0.925, math.exp(-25), 1 - math.exp(-25), 0.02425) for p in neighbours(c)]
    with mp.workdps(75):                                # near p = 1/2 up to 16 of the 75 digits cancel
        rows = [[hexa(p), mp.nstr(quantile(mpf(p)), 40)] for p in dict.fromkeys(ps)]
    write("quantile.txt", ["Standard normal, 40 significant digits, from 75-digit arithmetic.", "p  Phi^-1(p)"], rows)

RULE = GaussLegendre(mp).calc_nodes(5, 200)             # 48 points and weights on [-1, 1], to 200 bits

def panels(lo, hi, scale):
    """Quadrature points and weights on [lo, hi] for an integrand that varies over lengths no shorter than scale."""
    n = int(mp.ceil((hi - lo) / (6 * scale)))
    for i in range(n):
        half = (hi - lo) / (2 * n)
        for t, w in RULE:
            yield lo + half * (2 * i + 1 + t), half * w

def orthant_conditional(h, k, rho):
    """P(X > h, Y > k), |rho| < 1, by integrating phi(x) P(Y > k | x) over x > h.

    As a function of x the inner probability goes from 0 to 1 (from 1 to 0 if rho < 0) about x = k/rho, over a width
    w = s/|rho|. It is integrated within CUT widths of there; where it is 1 the outer integral is a difference of tails.
    """
    h, k = max(h, k), min(h, k)                         # the shorter range
    s = mp.sqrt(1 - rho * rho)
    lo, hi, sure, scale = h, mpf(CUT), mpf(0), mpf(1)
    if rho:
        w = s / abs(rho)
        lo, hi = (min(max(k / rho + side * CUT * w, h), mpf(CUT)) for side in (-1, 1))
        sure = upper(hi) if rho > 0 else upper(h) - upper(lo)
        scale = min(scale, w)
    return sure + mp.fsum(weight * density(x) * upper((k - rho * x) / s) for x, weight in panels(lo, hi, scale))

def owen_t(h, a):
    """Owen's T(h, a) = 1/(2 pi) int_0^a exp(-h^2 (1 + x^2)/2)/(1 + x^2) dx."""
    h = abs(h)
    if a < 0:
        return -owen_t(h, -a)
    if h == 0 or h > CUT:
        return mpf(0) if h else mp.atan(a) / (2 * mp.pi)
    if a > 1:
        p, q = upper(h), upper(a * h)
        return (p + q) / 2 - p * q - owen_t(a * h, 1 / a)
    return mp.fsum(weight * mp.exp(-h * h * (1 + x * x) / 2) / (1 + x * x)
                   for x, weight in panels(mpf(0), a, min(mpf(1), 1 / h))) / (2 * mp.pi)

def orthant_owen(h, k, rho):
    """P(X > h, Y > k), |rho| < 1, by Owen's T function."""
    if h == k == 0:
        return mpf(1) / 4 + mp.asin(rho) / (2 * mp.pi)
    s = mp.sqrt(1 - rho * rho)
    a_h = (k - rho * h) / (h * s) if h else -mp.inf * mp.sign(k)
    a_k = (h - rho * k) / (k * s) if k else -mp.inf * mp.sign(h)
    apart = h * k < 0 or (h * k == 0 and h + k > 0)
    return (upper(h) + upper(k) - apart) / 2 - owen_t(h, a_h) - owen_t(k, a_k)

def bivariate_points():
    rng = random.Random(3)
    edges = (-8.0, -5.0, -3.0, -2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0, 3.0, 5.0, 8.0)
    rhos = (0.0, 1e-8, 0.1, 0.3, 0.5, 0.75, 0.9, 0.92, 0.93, 0.95, 0.99, 0.999999, 1.0)
    for h, k in itertools.combinations_with_replacement(edges, 2):
        for rho in dict.fromkeys(sign * r for r in rhos for sign in (1, -1)):
            yield rng.choice(((h, k), (k, h))) + (rho,)
    for _ in range(350):
        yield rng.uniform(-8, 8), rng.uniform(-8, 8), rng.uniform(-1, 1)
        yield rng.uniform(-3, 3), rng.uniform(-3, 3), math.sin(rng.uniform(-1.57, 1.57))
    for sign in (1, -1):                                # places where implementations change formula
        for rho in neighbours(0.925) + neighbours(0.8) + [0.9249, 0.9251, 0.799, 0.801]:
            yield 1.25, sign * 1.25, sign * rho
            for _ in range(8):
                yield rng.uniform(-4, 4), rng.uniform(-4, 4), sign * rho
    for e, sign in itertools.product(range(3, 16), (1, -1)):    # |rho| next to 1, about the ridge k = h or k = -h
        rho = sign * (1 - 10.0 ** -e)
        for h in (-2.0, -0.3, 0.0, 0.7, 4.0):
            yield h, sign * h, rho
            for offset in rng.sample((1e-1, 1e-2, 1e-3, 1e-4, 1e-6, 1e-8, 1e-10, 1e-12), 4):
                yield h, sign * (h + rng.choice((1, -1)) * offset), rho
        h = rng.uniform(-3, 3)
        yield from ((h, k, rho) for k in (sign * h, -sign * h, sign * rng.gauss(h, 10.0 ** (-e / 2))))

def bivariate_table():
    rows = []
    for h, k, rho in dict.fromkeys(bivariate_points()):
        x, y, r, pdf = mpf(h), mpf(k), mpf(rho), "nan"
        with mp.workdps(42):
            if abs(rho) == 1:
                p = upper(max(x, y)) if rho > 0 else max(upper(x) - upper(-y), mpf(0))
            else:
                p = orthant_conditional(x, y, r)
                assert abs(p - orthant_owen(x, y, r)) < mpf(10) ** -29, (h, k, rho)
        with mp.workdps(70):
            v = 1 - r * r
            if v:
                v = mp.exp(-(x * x - 2 * r * x * y + y * y) / (2 * v)) / (2 * mp.pi * mp.sqrt(v))
                pdf = mp.nstr(v, 25) if v > mpf(10) ** -330 else "0"
        rows.append([hexa(h), hexa(k), hexa(rho), fixed(p, 28), pdf])
    write("bivariate.txt", [
        "Standard bivariate normal. The probability is rounded to 28 decimals (an absolute accuracy: in the far tail",
        "few significant digits are left), certain to 1e-27: two methods, from 42-digit arithmetic, agree to 1e-29.",
        "The density has 25 significant digits, from 70-digit arithmetic; below 1e-330 it is 0, at rho = +-1 nan.",
        "h  k  rho  P(X>h,Y>k)  phi2(h,k;rho)"], rows)

def boxed_integrals(h, k, rho, i_outside):
    """Integrals over m_i > h, m_j > k of phi2(m_i, m_j; rho) times 1, m_j - rho m_i, and
    -rho (m_i^2 + m_j^2) + (1 + rho^2) m_i m_j, by nested quadrature: outside over m_i or, if not i_outside, over m_j.

    The ranges leave out only the plane's points with exponent of phi2 below -CUT^2/2, which weigh exp(-72) < 1e-31.
    """
    out_from, in_from = (h, k) if i_outside else (k, h)
    v = 1 - rho * rho
    s = mp.sqrt(v)
    total = [mpf(0)] * 3
    for m, outer in panels(out_from, mpf(CUT), min(1, s / abs(rho)) if rho else 1):
        reach = s * mp.sqrt(CUT * CUT - m * m)
        s0 = s1 = s2 = mpf(0)                           # sums for n^0, n^1, n^2, with n the inside variable
        for n, inner in panels(max(in_from, rho * m - reach), rho * m + reach, s):
            f = inner * mp.exp((m * (2 * rho * n - m) - n * n) / (2 * v))
            s0, s1, s2 = s0 + f, s1 + n * f, s2 + n * n * f
        total[0] += outer * s0
        total[1] += outer * (s1 - rho * m * s0 if i_outside else m * s0 - rho * s1)
        total[2] += outer * ((1 + rho * rho) * m * s1 - rho * (m * m * s0 + s2))
    return [t / (2 * mp.pi * s) for t in total]

def attenuation_settings():
    """p_i, p_j, rho_v, rho_ij, rho_ji, rho_m without end, the eigenvalues of the latent matrix all above 0.01."""
    rng = random.Random(4)
    for i in itertools.count():
        a, b, c, d = (rng.uniform(-1, 1) for _ in range(4))
        if i % 40 == 0:                                 # strongly correlated masks
            a, b, c, d = a / 2, b / 4, c / 4, math.copysign(rng.uniform(0.9, 0.97), d)
        p = [rng.choice((0.01, 0.5, 0.99, rng.uniform(0.01, 0.99), rng.uniform(0.01, 0.99))) for _ in range(2)]
        latent = mp.matrix([[1, a, 0, b], [a, 1, c, 0], [0, c, 1, d], [b, 0, d, 1]])
        if min(mp.eigsy(latent, eigvals_only=True)) > 0.01:
            yield *p, a, c, b, d

def attenuation_table():
    rows = []
    with mp.workdps(40):
        for setting in itertools.islice(attenuation_settings(), 200):
            p_i, p_j, rho_v, rho_ij, rho_ji, rho_m = map(mpf, setting)
            v, product, results = 1 - rho_m * rho_m, rho_ij * rho_ji, []
            for i_outside in (True, False):
                j0, j1, j2 = boxed_integrals(-quantile(p_i), -quantile(p_j), rho_m, i_outside)
                results.append((
                    (j0 - p_i * p_j) / mp.sqrt(p_i * (1 - p_i) * p_j * (1 - p_j)),
                    rho_ji / v * j1 / mp.sqrt(p_i * p_j * (1 - p_j)),
                    ((rho_v + rho_m * product / v) * j0 + product / v ** 2 * j2) / mp.sqrt(p_i * p_j)))
            assert all(abs(x - y) < mpf(10) ** -26 for x, y in zip(*results)), setting
            rows.append([hexa(x) for x in setting] + [fixed(x, 25) for x in results[0]])
    write("attenuation.txt", [
        "Correlations of masked variables, rounded to 25 decimals, certain to 1e-24: two orders of integration, in",
        "40-digit arithmetic, agree to 1e-26. X_i = V_i and I_i = 1 where M_i >= tau_i = Phi^-1(1 - p_i), else both 0.",
        "Latent correlations: rho_v = (V_i,V_j), rho_ij = (M_i,V_j), rho_ji = (M_j,V_i), rho_m = (M_i,M_j).",
        "p_i  p_j  rho_v  rho_ij  rho_ji  rho_m  corr(I_i,I_j)  corr(X_i,I_j)  corr(X_i,X_j)"], rows)

if __name__ == "__main__":
    for make in normal_table, quantile_table, bivariate_table, attenuation_table:
        make()
