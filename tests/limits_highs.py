"""Random sets of limits, against HiGHS: a set is refused exactly if no point keeps it, and points keep what they must.

limits_highs.py PROGRAM [SETS [SEED]]: PROGRAM is limits_sets. Every other set has steps or lists of values. A set that is
accepted can be kept, because its points are checked. One that is refused is given to HiGHS with a little less room (1e-5):
sets that only just can be kept are left out.
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


def random_values(rng, bounds):
    """A step, and a list of values: one of them, or neither."""
    low, high = max(bounds[0], -4), min(bounds[1], 4)
    if rng.random() < 0.25:
        values = sorted({round(rng.uniform(low, high), 1) for _ in range(rng.randint(1, 5))})
        return 0, [v for v in values if bounds[0] <= v <= bounds[1]]
    step = rng.choice([0, 0.05, 0.1, 0.25, 0.3, 0.5, 1, 1])
    can = step and (np.isinf(bounds[0]) or np.isinf(bounds[1]) or bounds[1] - bounds[0] >= step)
    return (step if can else 0), []


def random_row(rng, dim, grain):
    """Ends, and weights; the ends are multiples of `grain` more often than not, where that is not 0."""
    weight = [rng.choice([0, 0, 1, 1, 1, -1, round(rng.gauss(0, 2), 2)]) for _ in range(dim)]
    if grain and rng.random() < 0.7:
        weight = [rng.choice([0, 1, 1, 1, -1, 2, 3, -2]) for _ in range(dim)]
    if rng.random() < 0.3:
        weight = [1.0] * dim
    middle = rng.choice([0.0, 1.0, rng.gauss(0, 3), rng.gauss(0, 3)])
    width = rng.choice([0, 0, rng.random(), 3])
    if grain and rng.random() < 0.8:
        middle = round(round(middle / grain) * grain, 10)
    low, high = rng.choice([(middle, middle + width), (middle, middle + width), (middle, np.inf), (-np.inf, middle)])
    return low, high, weight


def random_set(rng, has_steps):
    dim = rng.randint(2, 12)
    uniform = rng.random() < 0.4 and random_bounds(rng)
    bounds = [uniform or random_bounds(rng) for _ in range(dim)]
    has_forced, has_group = rng.random() < 0.4, rng.random() < 0.3
    group = [rng.choice([0, 0, 1, 2]) if has_group else 0 for _ in range(dim)]
    forced = [rng.choice([0, 0, 0, 1, 2]) if has_forced and group[i] == 0 else 0 for i in range(dim)]
    least = rng.randint(0, dim) if rng.random() < 0.3 else 0
    most = rng.randint(max(1, least), dim) if rng.random() < 0.6 else 0
    values = [(0, [])] * dim
    if has_steps:
        common = rng.random() < 0.5 and rng.choice([0.05, 0.1, 0.25, 1])
        some = rng.choice([0.5, 1, 1])
        values = [(common, []) if common and b[1] - b[0] >= common else random_values(rng, b) for b in bounds]
        values = [v if rng.random() < some else (0, []) for v in values]
    grain = max([step for step, _ in values])
    rows = [random_row(rng, dim, grain) for _ in range(rng.randint(0, 4))]
    return dict(dim=dim, bounds=bounds, group=group, forced=forced, least=least, most=most, rows=rows, values=values)


def as_text(s, points, seed):
    lines = [f"{s['dim']} {s['least']} {s['most']} {points} {seed}"]
    for i, (step, values) in enumerate(s["values"]):
        lines.append(f"{s['forced'][i]} {s['group'][i]} {s['bounds'][i][0]!r} {s['bounds'][i][1]!r} {float(step)!r} "
                     + " ".join(map(repr, [len(values), *values])))
    lines.append(str(len(s["rows"])))
    lines += [f"{low!r} {high!r} " + " ".join(repr(float(w)) for w in weight) for low, high, weight in s["rows"]]
    return "\n".join(lines) + "\n"


class Program:
    """Variables with bounds, and rows of them, for HiGHS."""

    def __init__(self):
        self.low, self.high, self.whole, self.rows = [], [], [], []

    def variable(self, low, high, is_whole=False):
        self.low.append(low)
        self.high.append(high)
        self.whole.append(is_whole)
        return len(self.low) - 1

    def add(self, entries, low, high):
        self.rows.append((entries, low, high))

    def solve(self):
        matrix = np.zeros((len(self.rows), len(self.low)))
        for k, (entries, _, _) in enumerate(self.rows):
            for index, value in entries:
                matrix[k, index] += value
        ends = np.array([row[1:] for row in self.rows]).reshape(-1, 2)
        bounds = Bounds(np.array(self.low), np.array(self.high))
        return milp(np.zeros(len(self.low)), integrality=np.array(self.whole, dtype=float), bounds=bounds,
                    constraints=LinearConstraint(matrix, ends[:, 0], ends[:, 1])).x


def add_coordinate(program, s, i, room):
    """Its positive part, its negative part, and whether it is active."""
    low, high = max(s["bounds"][i][0], -INFINITE), min(s["bounds"][i][1], INFINITE)
    step, values = s["values"][i]
    p, n = program.variable(0, INFINITE), program.variable(0, INFINITE)
    active, positive = program.variable(0, 1, True), program.variable(0, 1, True)
    program.add([(positive, 1), (active, -1)], -np.inf, 0)
    if high > 0:  # positive: from max(low, room) to high
        program.add([(p, 1), (positive, -high)], -np.inf, 0)
        program.add([(p, 1), (positive, -min(max(low, room), high))], 0, np.inf)
    else:
        program.add([(p, 1), (positive, 1)], 0, 0)
    if low < 0:
        near = min(max(-high, room), -low)
        program.add([(n, 1), (active, low), (positive, -low)], -np.inf, 0)
        program.add([(n, 1), (active, -near), (positive, near)], 0, np.inf)
    else:
        program.add([(n, 1)], 0, 0)
        program.add([(active, 1), (positive, -1)], 0, 0)
    if low == high == 0:
        program.high[active] = 0
    if s["forced"][i]:
        program.low[active] = max(program.low[active], float(s["forced"][i] == 1))
        program.high[active] = min(program.high[active], float(s["forced"][i] == 1))
    if step:
        number = program.variable(np.ceil(-INFINITE / step), np.floor(INFINITE / step), True)
        program.add([(p, 1), (n, -1), (number, -step)], 0, 0)
        program.add([(p, 1), (n, 1), (active, -min(step, max(-low, high)))], 0, np.inf)
    if values:
        chosen = [program.variable(0, 1, True) for v in values if v]
        program.add([(k, 1) for k in chosen] + [(active, -1)], 0, 0)
        program.add([(p, 1), (n, -1)] + [(k, -v) for k, v in zip(chosen, [v for v in values if v])], 0, 0)
    return p, n, active


def has_only_zero(s, i):
    low, high = s["bounds"][i]
    step, values = s["values"][i]
    return (low == high == 0 or (values and not any(values))
            or (step and np.floor(high / step) <= 0 and np.ceil(low / step) >= 0))


def solve(s, room):
    """Whether a point keeps the set, with so much room to the limits on every side.

    A coordinate that must be active with its group and can only be 0 is refused, though its group might be off.
    """
    if any(s["group"].count(g) > 1 and has_only_zero(s, i) for i, g in enumerate(s["group"]) if g):
        return False
    program, dim = Program(), s["dim"]
    x = [add_coordinate(program, s, i, room) for i in range(dim)]
    for i in range(dim):
        for j in range(i):
            if s["group"][i] and s["group"][i] == s["group"][j]:
                program.add([(x[i][2], 1), (x[j][2], -1)], 0, 0)
    program.add([(active, 1) for _, _, active in x], s["least"], s["most"] or dim)
    for low, high, weight in s["rows"]:
        inside = room if low < high else 0.0
        program.add([(x[i][0], weight[i]) for i in range(dim)] + [(x[i][1], -weight[i]) for i in range(dim)],
                    low + inside, high - inside)
    if (np.array(program.low) > np.array(program.high)).any():
        return False
    found = program.solve()
    if found is None:
        return False
    # Numbers that are nearly whole have leaks: once more with whole ones.
    for k in np.flatnonzero(program.whole):
        program.low[k] = program.high[k] = np.round(found[k])
    return program.solve() is not None


def broken_by(s, x):
    on = [v != 0 for v in x]
    for i, v in enumerate(x):
        low, high = s["bounds"][i]
        step, values = s["values"][i]
        if on[i] and ((step and abs(v / step - round(v / step)) > 1e-9) or (values and v not in values)):
            return f"steps of {i}"
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
    sets = [random_set(rng, k % 2) for k in range(count)]
    text = "".join(as_text(s, points, seed) for seed, s in enumerate(sets))
    lines = iter(subprocess.run([program], input=text, capture_output=True, text=True, check=True).stdout.splitlines())
    wrong = refused = kept = 0
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
        if word == "refused" and solve(s, ROOM):
            wrong += 1
            print(number, "is refused, but can be kept:", rest, s)
        refused += word == "refused"
        kept += word == "kept"
    print(f"{count} sets: {kept} kept, {refused} refused, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
