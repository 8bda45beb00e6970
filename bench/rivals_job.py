"""One run of one rival on one problem, as rivals.py asks for it, in the environment that it made.

    python rivals_job.py PROBLEM RIVAL SEED BUDGET FILE

Everybody minimises the same fitness, value + penalty * active (the lander's value with a minus), which is counted one
evaluation at a time and ends the search where the budget ends. A rival without zeros of its own gets a mask beside
the values: x = value * mask. What is worth knowing goes into FILE, as JSON.
"""
import importlib
import itertools
import json
import os
import resource
import sys
import time
import warnings

import numpy as np
import zilch

SHORTLIST, AGAIN = 20, 20  # with noise: the best on record, and how often each is evaluated again
FRESH = 2**62              # ids of evaluations that no search makes
CUT = 0.05                 # pycma: what is below this part of the first deviation is zero
BOX = 5.0                  # Optuna needs one: where there is none, so many first deviations to both sides


# ---- Problems

class Task:
    """A problem, and how its points are judged."""

    def __init__(self, name, seed):
        self.is_regression = name == "diabetes"
        self.problem = diabetes(seed) if self.is_regression else named(name, seed)
        self.dim, self.penalty = self.problem.dim, self.problem.penalty
        self.is_noisy = self.problem.is_noisy
        self.sign = -1.0 if self.problem.direction == "maximize" else 1.0
        self.bounds = (-2.0, 2.0) if self.is_regression else self.problem.bounds
        self.spread = 2.0 if self.bounds is None else (self.bounds[1] - self.bounds[0]) / 4

    def box(self):
        low, high = self.bounds or (-np.inf, np.inf)
        return np.full(self.dim, low), np.full(self.dim, high)

    def fitness(self, x, **ids):
        """To be minimised, of rows of points."""
        return self.sign * self.problem(x, threads=1, **ids) + self.penalty * np.count_nonzero(x, axis=1)

    def held_out(self, x):
        """Fitness where no search has looked: landings of seeds from 0 on, or rows that did not train."""
        if self.is_regression:
            return self.problem.explain(x)["validation_error"] + self.penalty * np.count_nonzero(x)
        return fly(x) - self.penalty * np.count_nonzero(x) if self.is_noisy else None

    def support(self, x):
        try:
            return self.problem.support(x)
        except RuntimeError:  # the optimum is not known
            return None


def named(name, seed):
    is_whole = name == "lander" or ":" in name
    return zilch.problem(name, seed=seed) if is_whole else zilch.problem(name, dim=100, seed=seed)


def diabetes(seed):
    """Efron, Hastie, Johnstone and Tibshirani's 442 patients: ten columns, their products and squares (sex has none)."""
    from sklearn.datasets import load_diabetes
    x, y = load_diabetes(return_X_y=True)
    pairs = [(i, j) for i in range(10) for j in range(i, 10) if (i, j) != (1, 1)]
    columns = np.column_stack([x] + [x[:, i] * x[:, j] for i, j in pairs])
    return zilch.regression(columns, y / y.std(), searched="coefficients", seed=seed)


def fly(x, worlds=1000):
    """Mean return of landings of seeds 0, 1, ..., which are not the search's: those begin at 2^63."""
    lander = zilch.LunarLander(num_envs=worlds, continuous=True)
    observations, _ = lander.reset(seed=0)
    controller, total, is_flying = zilch.Controller(x), np.zeros(worlds), np.ones(worlds, bool)
    while is_flying.any():
        observations, rewards, terminations, truncations, _ = lander.step(controller(observations))
        total += rewards * is_flying
        is_flying &= ~(terminations | truncations)
    return float(total.mean())


# ---- Counting

class Spent(Exception):
    """The budget is."""


class Objective:
    """Called with rows of points, gives their fitness, and remembers: the best and, with noise, everything."""

    def __init__(self, task, budget):
        self.task, self.budget, self.count = task, budget, 0
        self.best, self.best_x = np.inf, np.zeros(task.dim)
        self.seconds, self.points, self.values = 0.0, [], []

    def __call__(self, x):
        x = np.array(x, dtype=float, ndmin=2)[:self.budget - self.count] + 0.0  # -0 is 0
        if not len(x):
            raise Spent
        began = time.perf_counter()
        values = self.task.fitness(x)
        self.seconds += time.perf_counter() - began
        self.count += len(x)
        if values.min() < self.best:
            self.best, self.best_x = float(values.min()), x[values.argmin()]
        if self.task.is_noisy:
            self.points.append(x)
            self.values.append(values)
        if self.count == self.budget:
            raise Spent
        return values

    def top(self):
        """The best on record, by the mean of all their values."""
        seen = {}
        for x, value in zip(np.concatenate(self.points), np.concatenate(self.values)):
            seen.setdefault(x.tobytes(), []).append(value)
        best = sorted(seen, key=lambda key: sum(seen[key]) / len(seen[key]))[:SHORTLIST]
        return [np.frombuffer(key) for key in best]


# ---- Rivals: each searches until Spent, and may `keep`, for every start, what gives the point it would itself recommend

def starts(seed):
    """A seed for each start, and from the second on what draws its first point."""
    rng = np.random.default_rng(seed)
    for k in itertools.count():
        yield int(rng.integers(1, 2**31)), rng if k else None


def anywhere(task, rng):
    """In the box; without one, around zero."""
    return rng.normal(0.0, task.spread, task.dim) if task.bounds is None else rng.uniform(*task.box())


def mean_and_deviation(task, rng, part):
    """Of a first law: the middle of the box and a part of its width; without a box zero and the usual deviation."""
    low, high = task.bounds or (0.0, 0.0)
    mean = np.full(task.dim, (low + high) / 2) if rng is None else anywhere(task, rng)
    return mean, task.spread if task.bounds is None else part * (high - low)


def ipop(task, seed, part, make, step):
    """Makes a strategy and steps it until it stops, then one of twice the population from elsewhere, and so on."""
    population = None
    for number, rng in starts(seed):
        strategy = make(*mean_and_deviation(task, rng, part), number, population)
        population = 2 * strategy.population_size
        while not strategy.should_stop():
            step(strategy)


def cmawm(task, f, seed, keep):
    """cmaes' CMA-ES with margin: values are continuous, masks have steps of 1; all a sixth wide, as Optuna has it."""
    from cmaes import CMAwM
    d, (low, high) = task.dim, task.box()
    bounds = np.concatenate([np.stack([low, high], 1), np.tile([0.0, 1.0], (d, 1))])

    def make(mean, deviation, number, population):
        cma = CMAwM(np.append(mean, np.full(d, 0.5)), 1.0, bounds, np.repeat([0.0, 1.0], d), seed=number,
                    population_size=population, cov=np.diag(np.repeat([deviation, 1 / 6], d)**2))
        keep(lambda: np.clip(cma.mean[:d], low, high) * (cma.mean[d:] > 0.5))
        return cma

    def step(cma):
        asked = [cma.ask() for _ in range(cma.population_size)]
        x = np.array([encoded for encoded, _ in asked])
        cma.tell([(raw, value) for (_, raw), value in zip(asked, f(x[:, :d] * x[:, d:]))])
    ipop(task, seed, 1 / 6, make, step)


def catcmawm(task, f, seed, keep):
    """cmaes' CatCMA with margin: masks are categories, as it recommends for what is binary; first law its default."""
    from cmaes import CatCMAwM
    d, (low, high) = task.dim, task.box()

    def make(mean, deviation, number, population):
        cma = CatCMAwM(x_space=np.stack([low, high], 1), c_space=[2] * d, mean=mean, cov=np.eye(d) * deviation**2,
                       seed=number, population_size=population)
        keep(lambda: np.clip(cma._mean, low, high) * (cma._q[:, 1] > 0.5))
        return cma

    def step(cma):
        asked = [cma.ask() for _ in range(cma.population_size)]
        cma.tell(list(zip(asked, f([one.x * one.c[:, 1] for one in asked]))))
    ipop(task, seed, 1 / 12, make, step)


def pycma(task, f, seed, keep):
    """pycma's BIPOP-CMA-ES from zero, a quarter of the box wide; small values are cut to zero; its noise handler."""
    import cma

    def cut(x):
        return np.where(np.abs(x) < CUT * task.spread, 0.0, x)

    options = {"verbose": -9, "verb_log": 0} | ({} if task.bounds is None else {"bounds": list(task.bounds)})
    firsts = (np.zeros(task.dim) if rng is None else anywhere(task, rng) for _, rng in starts(seed))
    for number, _ in starts(seed):
        cma.fmin2(None, lambda: next(firsts), task.spread, options | {"seed": number}, restarts=9, bipop=True,
                  parallel_objective=lambda points: f([cut(x) for x in points]).tolist(),
                  noise_handler=cma.NoiseHandler(task.dim, [1, 1, 30]) if task.is_noisy else None,
                  init_callback=lambda es: keep(lambda: cut(es.result.xfavorite)))


def nevergrad(task, f, seed, keep, search, parameters, point, workers=1):
    """Asks and tells; `point` says what is meant by a value of the parameters.

    It prefers a point told twice, whose deviation it then thinks it knows, to better ones told once, and would stay
    there (its pull request 951): without noise a point that it already has is counted, but not told again.
    """
    np.random.seed(seed)
    parameters.random_state.seed(seed)
    parameters.function.deterministic = not task.is_noisy
    optimizer = search(parameters, budget=f.budget, num_workers=workers)
    keep(lambda: point(optimizer.recommend().value))
    while True:
        asked = [optimizer.ask() for _ in range(workers)]
        for candidate, value in zip(asked, f([point(one.value) for one in asked])):
            if task.is_noisy or candidate.get_standardized_data(reference=optimizer.parametrization) not in optimizer.archive:
                optimizer.tell(candidate, float(value))


def ng_array(task):
    """Begins at zero, which is also where nevergrad's sparse mutations go."""
    import nevergrad as ng
    values = ng.p.Array(init=np.zeros(task.dim))
    if task.bounds is not None:
        values.set_bounds(*task.bounds)
    return values.set_mutation(sigma=task.spread)


def ng_sparse(task, f, seed, keep):
    """nevergrad's SparseDoubleFastGADiscreteOnePlusOne; with noise the same with its optimistic noise handling."""
    import nevergrad as ng
    search = ng.optimizers.registry["SparseDoubleFastGADiscreteOnePlusOne"]
    if task.is_noisy:
        search = ng.families.ParametrizedOnePlusOne(mutation="doublefastga", sparse=True, noise_handling="optimistic")
    nevergrad(task, f, seed, keep, search, ng_array(task), np.asarray)


def ng_de(task, f, seed, keep):
    """nevergrad's DE, with noise NoisyDE, over values and masks, its population of 30 at once."""
    import nevergrad as ng
    parameters = ng.p.Tuple(ng_array(task), ng.p.TransitionChoice([0, 1], repetitions=task.dim))
    search = ng.optimizers.registry["NoisyDE" if task.is_noisy else "DE"]
    nevergrad(task, f, seed, keep, search, parameters, lambda value: value[0] * np.array(value[1]), 30)


def tpe(task, f, seed, _):
    """Optuna's TPE as it comes: a coordinate's value is asked for where its mask is on."""
    import optuna
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    low, high = task.bounds or (-BOX * task.spread, BOX * task.spread)
    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=seed))
    while True:
        trial = study.ask()
        x = [trial.suggest_float(f"x{i}", low, high) if trial.suggest_categorical(f"m{i}", [False, True]) else 0.0
             for i in range(task.dim)]
        study.tell(trial, float(f([x])[0]))


RIVALS = {"cmawm": (cmawm, "cmaes"), "catcmawm": (catcmawm, "cmaes"), "pycma": (pycma, "cma"),
          "ng-sparse": (ng_sparse, "nevergrad"), "ng-de": (ng_de, "nevergrad"), "tpe": (tpe, "optuna")}
METHODS = {"zilch": {}, "zilch-ea": {"method": "ea"}}


# ---- A run

def run_zilch(task, options, seed, budget):
    """Its defaults, evaluated by the library; the best seen, and with noise its shortlist and what it recommends."""
    search = zilch.minimize if task.sign > 0 else zilch.maximize
    result = search(task.problem, seed=seed, bounds=task.bounds, generations=0, evaluations=budget, threads=1,
                    final_evaluations=500 if task.is_noisy else 0, **options)
    shortlist = [point.x for point in result.optimizer.top(SHORTLIST)] if task.is_noisy else []
    return {"evaluations": result.optimizer.progress.evaluations, "best": task.sign * result.best.fitness,
            "x": result.best.x, "final_candidates": shortlist, "pruned": result.x if task.is_noisy else None}


def run_rival(task, rival, seed, budget):
    """The best seen; with noise the best on record, and beside them the points that the rival would recommend."""
    f, kept = Objective(task, budget), []
    try:
        RIVALS[rival][0](task, f, seed, kept.append)
    except Spent:
        pass
    shortlist = f.top() + [recommend() for recommend in kept[-SHORTLIST:]] if task.is_noisy else []
    return {"evaluations": f.count, "best": f.best, "x": f.best_x, "final_candidates": shortlist, "pruned": None,
            "restarts": max(len(kept) - 1, 0), "objective_seconds": f.seconds}


def choose(task, shortlist):
    """The best of it, evaluated again on noise that is the same for all."""
    ids = np.arange(FRESH, FRESH + AGAIN, dtype=np.uint64)
    return min(shortlist, key=lambda x: task.fitness(np.tile(x, (AGAIN, 1)), ids=ids).mean())


def prune(task, shortlist):
    """As zilch ends a search, here at once, as any value is good enough: halving, then leaving out what is not missed."""
    search = zilch.minimize if task.sign > 0 else zilch.maximize
    result = search(task.problem, x0=shortlist, target=task.sign * 1e300, final_evaluations=500, threads=1)
    assert result.nit == 0
    return result.x


def run(name, rival, seed, budget):
    """What is kept of it."""
    task = Task(name, seed)
    if rival in RIVALS:
        importlib.import_module(RIVALS[rival][1])  # which takes a second, and none of the search's
    began, cpu = time.perf_counter(), time.process_time()
    found = run_zilch(task, METHODS[rival], seed, budget) if rival in METHODS else run_rival(task, rival, seed, budget)
    result = {"problem": name, "rival": rival, "seed": seed, "budget": budget, "direction": task.problem.direction,
              "penalty": task.penalty, "seconds": time.perf_counter() - began, "cpu_seconds": time.process_time() - cpu}
    shortlist, pruned, x = found.pop("final_candidates"), found.pop("pruned"), found.pop("x")
    assert found["evaluations"] <= budget
    if shortlist:
        x = choose(task, shortlist)
        pruned = prune(task, shortlist) if pruned is None else pruned
        result |= {"pruned": task.held_out(pruned), "pruned_active": int(np.count_nonzero(pruned))}
    else:
        assert task.fitness(x[None])[0] == found["best"]
    return result | found | {
        "best": task.sign * found["best"], "held_out": task.held_out(x), "active": int(np.count_nonzero(x)),
        "support": task.support(x), "memory_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "x": {int(i): float(x[i]) for i in np.flatnonzero(x)}}


def main():
    name, rival, seed, budget, path = sys.argv[1:]
    warnings.simplefilter("ignore")
    result = run(name, rival, int(seed), int(budget))
    with open(path + ".part", "w") as file:
        json.dump(result, file, indent=1)
    os.replace(path + ".part", path)


if __name__ == "__main__":
    main()
