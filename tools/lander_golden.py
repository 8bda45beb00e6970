"""Makes tests/reference/lander/: episodes and returns of the real Gymnasium, which zilch's must equal in every bit.

    $(tools/gymnasium.sh) tools/lander_golden.py [FOLDER]

Takes ten seconds on two cores, and writes the same bytes again, on x86-64. README.md there tells the format.
tools/lander_parity.py uses the controllers and play() from here.
"""
import struct
import sys
from collections import namedtuple
from multiprocessing import Pool
from pathlib import Path

import gymnasium
import numpy as np
from gymnasium.envs.box2d.lunar_lander import heuristic

KINDS = "published", "heuristic", "random", "wide", "edges", "hover"
OUTCOMES = "landed", "crashed", "out", "truncated"
OPTIONS = dict(discrete=False, wind=False, gravity=-10.0, wind_power=15.0, turbulence_power=1.5)

Episode = namedtuple("Episode", "start steps outcome")  # steps: (action, observation, reward, terminated, truncated)


def published(s):
    """The controller of 13 coefficients: in double precision, the linear terms first, each sum from left to right."""
    x, y, vx, vy, angle, spin, _, leg = map(float, s)
    main = 0.0 + -2.5988 * y + -1.7162 * vy
    main = main + -0.0226 * (x * leg) + -2.8239 * (y * y) + 4.0005 * (vy * vy) + -0.4014 * (leg * leg)
    side = 0.0 + -1.6502 * vx + 3.6608 * angle
    side = side + -2.1 * (x * y) + 2.7215 * (y * spin) + 3.0316 * (vx * vy) + -3.3986 * (vy * spin)
    side = side + 0.0506 * (angle * leg)
    return np.array([min(max(main, -1.0), 1.0), min(max(side, -1.0), 1.0)])


def hover(s):
    """Stays in the air, over the middle, until time is up."""
    s = s.astype(np.float64)
    angle = min(max(0.5 * s[0] + s[2], -0.4), 0.4)
    return np.clip([20.0 * (0.5 * (0.8 - s[1]) - 0.5 * s[3]) - 1.0, -20.0 * (0.5 * (angle - s[4]) - s[5])], -1.0, 1.0)


def controller(kind, seed, env):
    """A function from the observation to the action."""
    rng = np.random.default_rng(1000 + seed)
    if kind == "random" and not env.unwrapped.continuous:
        return lambda s: int(rng.integers(4))
    return {
        "published": published,
        "heuristic": lambda s: heuristic(env, s),
        "random": lambda s: rng.uniform(-1, 1, 2),
        "wide": lambda s: rng.uniform(-3, 3, 2),
        "edges": lambda s: rng.choice([-1.0, -0.5, -0.0, 0.0, 5e-324, 0.5, np.nextafter(0.5, 1.0), 1.0], 2),
        "hover": hover,
    }[kind]


def make(discrete=False, wind=False, **options):
    return gymnasium.make("LunarLander-v3", continuous=not discrete, enable_wind=wind, **options)


def outcome(env, terminated):
    """One of OUTCOMES. Lying still is to have landed, even on its back; a crash outside is a crash."""
    if not terminated:
        return "truncated"
    if not env.unwrapped.lander.awake:
        return "landed"
    return "crashed" if env.unwrapped.game_over else "out"


def play(env, kind, seed):
    """A whole episode."""
    act = controller(kind, seed, env)
    start = s = env.reset(seed=seed)[0]
    steps, over = [], False
    while not over:
        a = act(s)
        s, reward, terminated, truncated, _ = env.step(a)
        steps.append((a, s, float(reward), terminated, truncated))
        over = terminated or truncated
    return Episode(start, steps, outcome(env, terminated))


def total(episode):
    """The return: the rewards added one after the other."""
    result = 0.0
    for step in episode.steps:
        result += step[2]
    return result


def packed(task):
    """The bytes of an episode in episodes.bin."""
    kind, seed, options = task
    o = {**OPTIONS, **options}
    episode = play(make(**o), kind, seed)
    chunks = [struct.pack("<4BIQ3d8f", KINDS.index(kind), o["discrete"], o["wind"], OUTCOMES.index(episode.outcome),
                          len(episode.steps), seed, o["gravity"], o["wind_power"], o["turbulence_power"],
                          *episode.start)]
    for a, s, reward, terminated, truncated in episode.steps:
        action = (float(a), 0.0) if o["discrete"] else a
        chunks.append(struct.pack("<2d8fdB", *action, *s, reward, terminated | truncated << 1))
    return b"".join(chunks)


def summed(seed):
    """The bytes of an episode in returns.bin."""
    episode = play(summed.env, "published", seed)
    return struct.pack("<dIB", total(episode), len(episode.steps), OUTCOMES.index(episode.outcome))


def tasks():
    """The episodes of episodes.bin, in order: kind, seed, options that are not the default."""
    for kind in "published", "heuristic", "random":
        yield from ((kind, seed, {}) for seed in range(20))
    yield from (("heuristic" if seed < 5 else "published", seed, {"wind": True}) for seed in range(10))
    yield from zip(("published", "heuristic", "random"), range(3), [{"gravity": -5.0}] * 3)
    yield from (("random", seed, {"discrete": True}) for seed in range(5))
    for kind in "wide", "edges":
        yield from ((kind, seed, {}) for seed in range(2))
    yield "hover", 0, {}


def main(folder):
    summed.env = make()  # before the processes part, so that each has its own
    with Pool() as pool:
        episodes = pool.map(packed, tasks(), 1)
        returns = pool.map(summed, range(1000), 20)
    for name, parts in ("episodes.bin", episodes), ("returns.bin", returns):
        content = b"zlander1" + struct.pack("<I", len(parts)) + b"".join(parts)
        (folder / name).write_bytes(content)
        print(f"{name}: {len(parts)} episodes, {len(content)} bytes")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[1] / "tests/reference/lander")
