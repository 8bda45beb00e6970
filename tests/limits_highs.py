"""Random sets of limits, against HiGHS: a set is refused exactly if no point keeps it, and points keep what they must.

limits_highs.py PROGRAM [SETS [SEED]]: PROGRAM is limits_sets. Sets that only just can be kept, or only just cannot, are
left out: HiGHS is asked with a little less room (1e-5), and with a little more.
"""

import random
import subprocess
import sys

try:
    import numpy as np
    from scipy.optimize import Bounds, LinearConstraint, milp
except ImportError:
    sys.exit(77)

INFINITE = 1e3  # stands for no bound
ROOM = 1e-5


def random_bounds(rng):
    a, b = rng.gauss(0, 2), 0.05 + 3 * rng.random()
    return rng.choice([(-np.inf, np.inf), (a, a + b), (a, np.inf), (-np.inf, a), (0, b), (-b, 0), (0.05, 0.6), (0.05, 0.6),
                       (0, 1), (0, 1), (-1, 1), (a, a), (0, np.inf)])


def random_set(rng):
    dim = rng.randint(2, 12)
    uniform = rng.random() < 0.4 and random_bounds(rng)
    bounds = [uniform or random_bounds(rng) for _ in range(dim)]
    has_forced, has_group = rng.random() < 0.4, rng.random() < 0.3
    group = [rng.choice([0, 0, 1, 2]) if has_group else 0 for _ in range(dim)]
    forced = [rng.choice([0, 0, 0, 1, 2]) if has_forced and group[i] == 0 else 0 for i in range(dim)]
    least = rng.randint(0, dim) if rng.random() < 0.3 else 0
    most = rng.randint(max(1, least), dim) if rng.random() < 0.6 else 0
    rows = []
    for _ in range(rng.randint(0, 4)):
        weight = [rng.choice([0, 0, 1, 1, 1, -1, round(rng.gauss(0, 2), 2)]) for _ in range(dim)]
        if rng.random() < 0.3:
            weight = [1.0] * dim
        middle = rng.choice([0.0, 1.0, rng.gauss(0, 3), rng.gauss(0, 3)])
        width = rng.choice([0, 0, rng.random(), 3])
        low, high = rng.choice([(middle, middle + width), (middle, middle + width), (middle, np.inf), (-np.inf, middle)])
        rows.append((low, high, weight))
    return dict(dim=dim, bounds=bounds, group=group, forced=forced, least=least, most=most, rows=rows)


def as_text(s, points, seed):
    lines = [f"{s['dim']} {s['least']} {s['most']} {points} {seed}"]
    lines += [f"{s['forced'][i]} {s['group'][i]} {s['bounds'][i][0]!r} {s['bounds'][i][1]!r}" for i in range(s["dim"])]
    lines.append(str(len(s["rows"])))
    lines += [f"{low!r} {high!r} " + " ".join(repr(float(w)) for w in weight) for low, high, weight in s["rows"]]
    return "\n".join(lines) + "\n"


def solve(s, room):
    """Whether a point keeps the set, with so much room to the limits on every side (less than 0: beyond them)."""
    dim = s["dim"]
    # positive part, negative part, active, active and positive
    p, n, b, t = (np.arange(dim) + k * dim for k in range(4))
    rows, lows, highs = [], [], []

    def add(entries, low, high):
        row = np.zeros(4 * dim)
        for index, value in entries:
            row[index] += value
        rows.append(row)
        lows.append(low)
        highs.append(high)

    lower_b, upper_b = np.zeros(dim), np.ones(dim)
    least = max(room, 0.0)
    for i, (low, high) in enumerate(s["bounds"]):
        low, high = max(low, -INFINITE), min(high, INFINITE)
        add([(t[i], 1), (b[i], -1)], -np.inf, 0)
        if high > 0:  # positive: from max(low, least) to high
            add([(p[i], 1), (t[i], -high)], -np.inf, 0)
            add([(p[i], 1), (t[i], -min(max(low, least), high))], 0, np.inf)
        else:
            add([(p[i], 1), (t[i], 1)], 0, 0)
        if low < 0:
            add([(n[i], 1), (b[i], low), (t[i], -low)], -np.inf, 0)
            near = min(max(-high, least), -low)
            add([(n[i], 1), (b[i], -near), (t[i], near)], 0, np.inf)
        else:
            add([(n[i], 1)], 0, 0)
            add([(b[i], 1), (t[i], -1)], 0, 0)
        if low == high == 0:
            upper_b[i] = 0
        if s["forced"][i]:
            lower_b[i] = upper_b[i] = float(s["forced"][i] == 1)
    for i in range(dim):
        for j in range(i):
            if s["group"][i] and s["group"][i] == s["group"][j]:
                add([(b[i], 1), (b[j], -1)], 0, 0)
    add([(k, 1) for k in b], s["least"], s["most"] or dim)
    for low, high, weight in s["rows"]:
        inside = room if low < high else min(room, 0.0)
        add([(p[i], weight[i]) for i in range(dim)] + [(n[i], -weight[i]) for i in range(dim)], low + inside, high - inside)
    if (lower_b > upper_b).any():
        return False
    bound = Bounds(np.concatenate([np.zeros(2 * dim), lower_b, np.zeros(dim)]),
                   np.concatenate([np.full(2 * dim, INFINITE), upper_b, np.ones(dim)]))
    constraint = LinearConstraint(np.array(rows), lows, highs)
    kind = np.concatenate([np.zeros(2 * dim), np.ones(2 * dim)])
    found = milp(np.zeros(4 * dim), integrality=kind, bounds=bound, constraints=constraint)
    if found.x is None:
        return False
    if room < 0:
        return True
    # Numbers that are nearly whole have leaks: once more with whole ones.
    whole = np.round(found.x[2 * dim:])
    bound = Bounds(np.concatenate([np.zeros(2 * dim), whole]), np.concatenate([np.full(2 * dim, INFINITE), whole]))
    return milp(np.zeros(4 * dim), bounds=bound, constraints=constraint).x is not None


def broken_by(s, x):
    on = [v != 0 for v in x]
    for i, v in enumerate(x):
        low, high = s["bounds"][i]
        if on[i] and not low <= v <= high:
            return f"bounds of {i}"
        if s["forced"][i] and on[i] != (s["forced"][i] == 1):
            return f"forced {i}"
        for j in range(i):
            if s["group"][i] and s["group"][i] == s["group"][j] and on[i] != on[j]:
                return f"group of {i}"
    if not s["least"] <= sum(on) <= (s["most"] or s["dim"]):
        return "count"
    for r, (low, high, weight) in enumerate(s["rows"]):
        terms = [w * v for w, v in zip(weight, x)]
        size, total = sum(map(abs, terms)), float(np.sum(np.array(terms, dtype=np.longdouble)))
        if total < low - 1.1e-12 * (size + abs(low)) or total > high + 1.1e-12 * (size + abs(high)):
            return f"limit {r + 1}: {total - low} {total - high}"
    return None


def main():
    program, count, seed = sys.argv[1], int((sys.argv[2:] or [1000])[0]), int((sys.argv[3:] or [1])[0])
    points, rng = 20, random.Random(seed)
    sets = [random_set(rng) for _ in range(count)]
    text = "".join(as_text(s, points, seed) for seed, s in enumerate(sets))
    lines = iter(subprocess.run([program], input=text, capture_output=True, text=True, check=True).stdout.splitlines())
    wrong = refused = kept = left_out = 0
    for number, s in enumerate(sets):
        word, rest = next(lines).split(" ", 1)
        found = [[float(v) for v in next(lines).split()] for _ in range(int(rest))] if word == "kept" else []
        why = None
        for x in found:
            why = why or broken_by(s, x)
        if word == "failed" or why:
            wrong += 1
            print(number, word, why or rest, s)
            continue
        can, may = solve(s, ROOM), solve(s, -ROOM)
        if can and word == "refused":
            wrong += 1
            print(number, "is refused, but can be kept:", rest, s)
        elif not may and word == "kept":
            wrong += 1
            print(number, "is accepted, but cannot be kept", s)
        left_out += can != may
        refused += word == "refused"
        kept += word == "kept"
    print(f"{count} sets: {kept} kept, {refused} refused, {left_out} on the edge, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
