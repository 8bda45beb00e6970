"""Controllers to read: few terms that balance, swing, climb, land and walk in Gymnasium.

    python3 examples/gallery/controllers.py [--small]

needs zilch, gymnasium[box2d] and cma. An action is a sum of terms of what an environment shows, cut to [-1, 1]. A value is the mean return of new
episodes: 4 or 20 in classical control, and 1 in the worlds of Box2D. The lander is searched in zilch's own simulation. Prints lines of JSON.
"""
import itertools
import json
import sys
import time
import types

import cma
import gymnasium
import numpy as np
import zilch

MOST, METHODS = 20, ("zilch", "pycma")  # active parameters at most


# Units divide what is observed; `published` is the return of nevergrad's genetic programming; a value is the mean of some episodes.
def made(names, units, outputs, published, episodes, evaluations, terms="linear", scale=2, steps=None, act=list, options={}):
    return types.SimpleNamespace(**locals())


LEGS = "hip hip_speed knee knee_speed foot other_hip other_hip_speed other_knee other_knee_speed other_foot"
TASKS = {
    "CartPole-v1": made("x v theta omega", [1, 1, 0.1, 1], "push", 500, 20, 300, act=lambda u: int(u[0] > 0)),
    "Acrobot-v1": made("cos1 sin1 cos2 sin2 omega1 omega2", [1, 1, 1, 1, 4, 9], "torque", -83.17, 4, 5000, act=lambda u: round(u[0]) + 1),
    "MountainCarContinuous-v0": made("x v", [1, 0.07], "force", 99.31, 20, 1500, "sign(v)", scale=0.1),
    "Pendulum-v1": made("cos sin omega", [1, 1, 8], "torque", -154.36, 20, 4000, "quadratic", act=lambda u: [2 * u[0]]),
    "BipedalWalker-v3": made(f"theta omega vx vy {LEGS}", [1] * 14, "hip knee", 268.85, 1, 4000, steps=400),
    "LunarLander-v3": made("x y vx vy theta omega leg1 leg2", [1] * 8, "main side", 287.58, 1, 100000, "quadratic", act=np.array, options={"continuous": True})}


class Controller:
    """What a vector of parameters says: a formula for each output, as text and as a function."""

    def __init__(self, name, parameters=None):
        self.name, self.task = name, TASKS[name]
        names, outputs = self.task.names.split(), self.task.outputs.split()
        products = list(map(" ".join, itertools.combinations_with_replacement(names, 2)))
        terms = ["", *names] + {"linear": [], "quadratic": products}.get(self.task.terms, [self.task.terms])
        self.dim = len(outputs) * len(terms)
        rows = np.reshape(np.zeros(self.dim) if parameters is None else parameters, (len(outputs), -1))
        sums = [" ".join(f"{value:+.3g} {term}".strip() for value, term in zip(row, terms) if value) or "0" for row in rows]
        self.formulas = [f"{output} = {text.lstrip('+').replace(' +', ' + ').replace(' -', ' - ')}" for output, text in zip(outputs, sums)]
        code = ", ".join(" ".join(word if word[0] in "+-0" else f"* {word}" for word in text.split()) for text in sums)
        self.function = eval(f"lambda {', '.join(names)}: ({code},)", {"sign": np.sign})

    def action(self, seen):
        if self.name == "BipedalWalker-v3":  # both legs have one rule, which does not look at the lidar
            hull, left, right = seen[:4], seen[4:9], seen[9:14]
            return np.clip(self.function(*hull, *left, *right) + self.function(*hull, *right, *left), -1, 1)
        return self.task.act([min(max(float(u), -1.0), 1.0) for u in self.function(*(value / unit for value, unit in zip(seen, self.task.units)))])


def episode(world, controller, seed):
    seen, total, is_over = world.reset(seed=int(seed))[0], 0.0, False
    while not is_over:
        seen, reward, *ends, _ = world.step(controller.action(seen.tolist()))
        total, is_over = total + float(reward), any(ends)
    return total


def solve(task, method, seed, evaluations=None, held_out=1000):
    began, chosen, draws = time.process_time(), TASKS[task], np.random.default_rng(seed)
    dim, limit, count = Controller(task).dim, evaluations or chosen.evaluations, itertools.count()
    world = gymnasium.make(task, max_episode_steps=chosen.steps, disable_env_checker=True, **chosen.options)

    def cost(x):
        next(count)
        return -np.mean([episode(world, Controller(task, x), start) for start in draws.integers(2**20, 2**31, chosen.episodes)])

    def cut(x):  # small values become zero, and all but the largest
        return np.where((np.abs(x) >= 0.05 * chosen.scale) & (np.argsort(np.argsort(-np.abs(x))) < MOST), x, 0)

    options = {"max_active": min(MOST, dim), "penalty": abs(chosen.published) / 500, "evaluations": limit, "seed": seed}
    if task == "LunarLander-v3":  # zilch's own has the same bits and these parameters
        x, count = zilch.maximize(zilch.problem("lander:episodes=1"), threads=1, **options).x, itertools.count(limit)
    elif method == "zilch":
        x = zilch.minimize(cost, dim, scale=chosen.scale, noisy=True, **options).x
    else:
        options = {"maxfevals": limit, "seed": seed, "verbose": -9, "tolfun": 0, "tolfunhist": 0, "tolflatfitness": np.inf, "tolstagnation": np.inf}
        x = cut(cma.fmin2(lambda x: cost(cut(x)), np.zeros(dim), chosen.scale, options)[1].result.xfavorite)
    searched, whole = time.process_time() - began, gymnasium.make(task, disable_env_checker=True, **chosen.options)
    returns = [episode(whole, Controller(task, x), start) for start in range(held_out)]  # no search has these seeds
    return {"return": float(np.mean(returns)), "error": float(np.std(returns) / np.sqrt(held_out)), "active": int(np.count_nonzero(x)), "dim": dim,
            "episodes": next(count) * chosen.episodes, "seconds": searched, "formulas": Controller(task, x).formulas}


def jobs(small):
    names, few = (["CartPole-v1"], {"evaluations": 100, "held_out": 5}) if small else (reversed(TASKS), {})
    return [{"task": task, "method": method, "seed": 1, **few} for task in names for method in METHODS if method == "zilch" or TASKS[task].episodes > 1]


if __name__ == "__main__":
    for job in jobs("--small" in sys.argv):
        print(json.dumps(job | solve(**job)), flush=True)
