"""One run of one method on one problem, as anytime.py asks for it, in the environment that it made.

    python anytime_job.py PROBLEM METHOD SEED BUDGET SECONDS FILE [OPTIONS]

Every method minimises the same penalised value, which is counted one evaluation at a time and ends the search where the budget or
the processor time ends. What was reached after so many evaluations goes into FILE, as JSON. Without noise that is the best value
so far, at 32 places in each decade of evaluations. With noise it is the value without noise of the point that the method would
give at that moment, at four places in each decade.

Methods for which zero is nothing special see the parameters in units of their first spread (class Space). Where a problem is
sparse, those with categories or integers get a mask beside the values, x = value * mask, and pycma's and NGOpt's small values are
cut to zero. Where it is dense, nobody gets a mask or a cut. OPTIONS, as JSON, are for zilch alone.
"""
import inspect
import itertools
import json
import math
import os
import signal
import statistics
import sys
import time
import traceback
import warnings

import numpy as np

import anytime_problems

CUT = 0.05     # pycma and NGOpt: what is below this part of the first deviation is zero
STEP = 0.3     # first deviation as a part of the width of the box, where a method has none of its own
SPREAD = 2.0   # first deviation where the problem says nothing
BOX = 4.0      # Optuna needs a box: where there is none, so many first deviations to both sides
MARGIN = 0.2   # a box that does not hold zero is this part of its width longer, and in there a value means zero
HANGS = 20     # seconds in which a search that runs uses some processor time
FINE, COARSE = 32, 4  # places in each decade of evaluations


# ---- Counting

class Ended(BaseException):
    """The budget or the time is spent. No Exception, so that nobody catches it."""


def places(budget, density):
    """Numbers of evaluations from 10, or from 100, on, as many in each decade, up to the budget, which is the last."""
    first = density if density == FINE else 2 * density
    steps = range(first, math.floor(density * math.log10(budget)) + 1)
    return sorted({round(10 ** (k / density)) for k in steps} | {budget})


class Objective:
    """Called with rows of points, gives what a search sees of them, and records."""

    def __init__(self, problem, seed, budget):
        self.problem, self.budget, self.count = problem, budget, 0
        self.rng = np.random.default_rng([seed, 1])
        self.best, self.best_x = np.inf, np.zeros(problem.dim)
        self.places = places(budget, COARSE if problem.is_noisy else FINE)
        self.values, self.active = [], 0
        self.recommendations = []

    def __call__(self, x):
        """The rows are cut where something is recorded, and where the budget ends."""
        x = np.array(x, dtype=float, ndmin=2) + 0.0  # -0 is 0
        parts = []
        while len(x):
            part, x = np.split(x, [self.places[len(self.values)] - self.count])
            parts.append(self.problem.observed(part, self.rng))
            self.count += len(part)
            least = parts[-1].argmin()
            if parts[-1][least] < self.best:
                self.best, self.best_x = float(parts[-1][least]), part[least]
            if self.count == self.places[len(self.values)]:
                self.record()
        return np.concatenate(parts)

    def record(self):
        x = self.best_x
        if not self.problem.is_noisy:
            value = self.best
        else:
            x = self.recommended()
            value = float(self.problem.penalised(x[None])[0])
        self.values.append(value)
        self.active = int(np.count_nonzero(x))
        if self.count == self.budget:
            raise Ended

    def recommend(self, point, level=lambda: 0.0):
        """A start of a method tells how to get the point it would give now, and how good it thinks that is."""
        self.recommendations.append((point, level))

    def recommended(self):
        """The point of the best start; the best seen, if the method recommends nothing."""
        if not self.recommendations:
            return self.best_x
        point, _ = min(self.recommendations, key=lambda each: each[1]())
        return np.array(point(), dtype=float) + 0.0


# ---- Parameters in their own units

class Space:
    """A problem as a search without zeros sees it: u about 0 with a deviation of 1, and x(u).

    Where zero is outside of a coordinate's box, the box is made longer at the end that is nearer to zero.
    """

    def __init__(self, problem, support=None, step=STEP, is_from_zero=True):
        self.problem = problem
        self.chosen = np.arange(problem.dim) if support is None else np.array(support)
        self.dim, self.is_sparse = len(self.chosen), support is None and not problem.is_dense
        low, high = (side[self.chosen] for side in problem.box())
        self.low, self.high, self.is_boxed = low, high, problem.bounds is not None
        self.has_zero = (low <= 0.0) & (high >= 0.0)
        width = high - low if self.is_boxed else np.ones(self.dim)
        self.deviation = step * width if self.is_boxed else np.full(self.dim, SPREAD)
        self.middle = (low + high) / 2 if self.is_boxed else np.zeros(self.dim)
        if self.is_sparse and is_from_zero:
            self.middle = np.where((low < 0.0) & (high > 0.0), 0.0, self.middle)
        if problem.scale is not None:
            self.middle, self.deviation = problem.x0[self.chosen], problem.scale[self.chosen]
        longer = MARGIN * width * (self.is_sparse & ~self.has_zero)
        self.wide_low, self.wide_high = low - longer * (low > 0.0), high + longer * (high < 0.0)

    def unit_box(self):
        return (self.wide_low - self.middle) / self.deviation, (self.wide_high - self.middle) / self.deviation

    def values(self, u):
        """Within the true box, for rows or one point."""
        return np.clip(self.middle + self.deviation * np.asarray(u), self.low, self.high)

    def cut(self, u):
        """The point that u means, for one: what is small, or in the longer part of the box, is zero."""
        x = self.middle + self.deviation * np.asarray(u)
        if self.is_sparse:
            is_zero = np.where(self.has_zero, np.abs(x) < CUT * self.deviation, (x < self.low) | (x > self.high))
            x = np.where(is_zero, 0.0, x)
        return self.whole(np.where(x == 0.0, 0.0, np.clip(x, self.low, self.high)))

    def whole(self, x):
        """With zeros where the search does not look."""
        point = np.zeros(self.problem.dim)
        point[self.chosen] = x
        return point

    def anywhere(self, rng):
        """A first point for another start, in u."""
        if not self.is_boxed:
            return rng.normal(size=self.dim)
        return (rng.uniform(self.low, self.high) - self.middle) / self.deviation


# ---- Methods: each searches until Ended

def starts(seed):
    """A seed for each start, and from the second on what draws its first point."""
    rng = np.random.default_rng(seed)
    for k in itertools.count():
        yield int(rng.integers(1, 2**31)), rng if k else None


def latest(values):
    """How good a start is: the median of the last values that it was told."""
    return statistics.median(values) if values else math.inf


def pycma(problem, f, seed, support=None):
    """pycma's BIPOP-CMA-ES from zero, or from the first guess; its noise handler; it would give its mean."""
    import cma
    space = Space(problem, support)
    options = {"verbose": -9, "verb_log": 0}
    if space.is_boxed:
        options["bounds"] = [side.tolist() for side in space.unit_box()]
    if space.dim == 1:
        raise SystemExit("pycma: needs two coordinates")
    firsts = (np.zeros(space.dim) if rng is None else space.anywhere(rng) for _, rng in starts(seed))
    told = [[]]

    def begin(es):
        told[0] = said = []
        f.recommend(lambda: space.cut(es.result.xfavorite), lambda: latest(said))

    def evaluate(points):
        told[0][:] = f([space.cut(u) for u in points]).tolist()
        return list(told[0])
    for number, _ in starts(seed):
        cma.fmin2(None, lambda: next(firsts), 1.0, options | {"seed": number}, restarts=9, bipop=True, parallel_objective=evaluate,
                  noise_handler=cma.NoiseHandler(space.dim, [1, 1, 30]) if problem.is_noisy else None, init_callback=begin)


def oracle(problem, f, seed):
    """pycma that is told the support."""
    pycma(problem, f, seed, problem.support)


def restarted(space, f, seed, make, point, step):
    """Makes a strategy and steps it until it stops, then one of twice the population from elsewhere, and so on."""
    population = None
    for number, rng in starts(seed):
        strategy = make(np.zeros(space.dim) if rng is None else space.anywhere(rng), number, population)
        population, said = 2 * strategy.population_size, []
        f.recommend(lambda strategy=strategy: point(strategy), lambda said=said: latest(said))
        while not strategy.should_stop():
            said[:] = step(strategy).tolist()


def cmawm(problem, f, seed):
    """cmaes' CMA-ES with margin: values are continuous, masks have steps of 1. A sixth of the box wide, as Optuna has it: a wider
    law is drawn from a hundred times, as too much of it is outside."""
    from cmaes import CMAwM
    space = Space(problem, step=1 / 6, is_from_zero=False)
    d, masks = space.dim, space.dim if space.is_sparse else 0
    low, high = (space.low - space.middle) / space.deviation, (space.high - space.middle) / space.deviation
    bounds = np.concatenate([np.stack([low, high], 1), np.tile([0.0, 1.0], (masks, 1))])

    def make(mean, number, population):
        return CMAwM(np.append(mean, np.full(masks, 0.5)), 1.0, bounds, np.repeat([0.0, 1.0], [d, masks]), seed=number,
                     population_size=population, cov=np.diag(np.repeat([1.0, 1.0 / 6], [d, masks])**2))

    def point(cma):
        return space.values(cma.mean[:d]) * (cma.mean[d:] > 0.5 if masks else 1.0)

    def step(cma):
        asked = [cma.ask() for _ in range(cma.population_size)]
        x = np.array([encoded for encoded, _ in asked])
        values = f(space.values(x[:, :d]) * (x[:, d:] if masks else 1.0))
        cma.tell([(raw, value) for (_, raw), value in zip(asked, values)])
        return values
    restarted(space, f, seed, make, point, step)


def catcmawm(problem, f, seed):
    """cmaes' CatCMA with margin: masks are categories, as it recommends for what is binary; its own first law in a box."""
    from cmaes import CatCMAwM
    space = Space(problem, step=1 / 12, is_from_zero=False)
    d = space.dim
    low, high = (space.low - space.middle) / space.deviation, (space.high - space.middle) / space.deviation

    def make(mean, number, population):
        return CatCMAwM(x_space=np.stack([low, high], 1), c_space=[2] * d if space.is_sparse else None, mean=mean, cov=np.eye(d),
                        seed=number, population_size=population)

    def point(cma):
        return space.values(cma._mean) * (cma._q[:, 1] > 0.5 if space.is_sparse else 1.0)

    def step(cma):
        asked = [cma.ask() for _ in range(cma.population_size)]
        values = f([space.values(one.x) * (one.c[:, 1] if space.is_sparse else 1.0) for one in asked])
        cma.tell(list(zip(asked, values)))
        return values
    restarted(space, f, seed, make, point, step)


def nevergrad(problem, f, seed, name, is_cut):
    """Asks and tells, one at a time.

    It prefers a point told twice, whose deviation it then thinks it knows, to better ones told once, and would stay
    there (its pull request 951): without noise a point that it already has is counted, but not told again.
    """
    import nevergrad as ng
    space = Space(problem)
    zero = -space.middle / space.deviation if space.is_sparse else np.zeros(space.dim)
    if space.is_boxed:
        low, high = space.unit_box()
        at_zero = np.where(space.low > 0.0, 0.5 * MARGIN / STEP + low, high - 0.5 * MARGIN / STEP)
        zero = np.where(space.has_zero | (not space.is_sparse), np.clip(zero, low, high), at_zero)
    parameters = ng.p.Array(init=zero)
    if space.is_boxed:
        parameters.set_bounds(low, high)
    parameters.set_mutation(sigma=1.0)
    np.random.seed(seed)
    parameters.random_state.seed(seed)
    parameters.function.deterministic = not problem.is_noisy
    search = ng.optimizers.registry[name]
    if problem.is_noisy and name.startswith("Sparse"):
        search = ng.families.ParametrizedOnePlusOne(mutation="doublefastga", sparse=True, noise_handling="optimistic")
    optimizer = search(parameters, budget=f.budget, num_workers=1)

    def point(u):
        return space.cut(u) if is_cut else exact(space, u, zero)
    f.recommend(lambda: point(optimizer.recommend().value))
    while True:
        asked = optimizer.ask()
        value = float(f([point(asked.value)])[0])
        if problem.is_noisy or asked.get_standardized_data(reference=optimizer.parametrization) not in optimizer.archive:
            optimizer.tell(asked, value)


def exact(space, u, zero):
    """A coordinate that is where the search began, or in the longer part of the box, is zero."""
    x = space.middle + space.deviation * u
    if not space.is_sparse:
        return np.clip(x, space.low, space.high)
    is_zero = (u == zero) | ~space.has_zero & ((x < space.low) | (x > space.high))
    return np.where(is_zero, 0.0, np.clip(x, space.low, space.high))


def ng_sparse(problem, f, seed):
    """nevergrad's SparseDoubleFastGADiscreteOnePlusOne from zero; with noise the same with its optimistic noise handling."""
    nevergrad(problem, f, seed, "SparseDoubleFastGADiscreteOnePlusOne", False)


def ngopt(problem, f, seed):
    """nevergrad's NGOpt, which chooses a method by dimension, budget and noise."""
    nevergrad(problem, f, seed, "NGOpt", True)


def tpe(problem, f, seed):
    """Optuna's TPE as it comes: a coordinate's value is asked for where its mask is on. It would give its best trial."""
    import optuna
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    space = Space(problem)
    low = space.low if space.is_boxed else space.middle - BOX * space.deviation
    high = space.high if space.is_boxed else space.middle + BOX * space.deviation
    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=seed))
    while True:
        trial = study.ask()
        x = [trial.suggest_float(f"x{i}", low[i], high[i])
             if not space.is_sparse or trial.suggest_categorical(f"m{i}", [False, True]) else 0.0 for i in range(space.dim)]
        study.tell(trial, float(f([x])[0]))


def zilch(problem, f, seed, **options):
    """zilch by ask and tell. It gets what the problem says, as far as its version can be told: 0.1 knows no first guess."""
    import zilch as package
    is_old = package.__version__.startswith("0.1")
    options["price" if is_old else "penalty"] = problem.penalty  # since zilch 0.2 it is called penalty
    if problem.bounds is not None:
        options["bounds"] = np.stack(problem.box(), 1)
    known = inspect.signature(package.Optimizer.__init__).parameters
    if problem.scale is not None:
        options |= {name: value for name, value in {"x0": problem.x0, "scale": problem.scale}.items() if name in known}
    search = package.Optimizer(problem.dim, seed=seed, **options)
    f.recommend(lambda: next((point.x for point in search.top(1)), f.best_x))
    count = options["population"] if is_old else 1
    while True:
        ids, x = search.ask(count)
        penalised = f(x)
        search.tell(ids, penalised - problem.penalty * np.count_nonzero(x, axis=1))


def zilch01(population):
    return lambda problem, f, seed: zilch(problem, f, seed, population=population)


METHODS = {"zilch": zilch, "zilch01-20": zilch01(20), "zilch01-50": zilch01(50), "zilch01-100": zilch01(100),
           "zilch01-500": zilch01(500), "pycma": pycma, "catcmawm": catcmawm, "cmawm": cmawm, "ng-sparse": ng_sparse,
           "ngopt": ngopt, "tpe": tpe, "oracle": oracle}
MODULES = {"pycma": "cma", "oracle": "cma", "catcmawm": "cmaes", "cmawm": "cmaes", "ng-sparse": "nevergrad",
           "ngopt": "nevergrad", "tpe": "optuna"}


# ---- A run

def limited(seconds, search):
    """Runs a search until it raises Ended, and says what ended it: the budget, the processor time, or that it hangs. NGOpt may
    wait for ever for a thread that is gone."""
    why, used = "budget", time.process_time()

    def late(*_):
        nonlocal why
        why = "time"
        raise Ended

    def look(*_):
        nonlocal why, used
        before, used = used, time.process_time()
        if used - before < 0.1:
            why = "hanging"
            raise Ended
    signal.signal(signal.SIGPROF, late)
    signal.signal(signal.SIGALRM, look)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    signal.setitimer(signal.ITIMER_REAL, HANGS, HANGS)
    try:
        search()
    except Ended:
        pass
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)
    return why


def run(name, method, seed, budget, seconds, options):
    """What is kept of it. A run that ends early keeps its last value."""
    problem = anytime_problems.problem(name)
    problem.observed(np.zeros((1, problem.dim)), np.random.default_rng(0))
    __import__(MODULES.get(method, "zilch"))  # which takes a second, and none of the search's
    f = Objective(problem, seed, budget)
    began = time.process_time()
    ended_by = limited(seconds, lambda: METHODS[method](problem, f, seed, **options))
    return {"problem": name, "method": method, "seed": seed, "budget": budget, "evaluations": f.count, "ended_by": ended_by,
            "starts": len(f.recommendations), "active": f.active, "cpu_seconds": round(time.process_time() - began, 3),
            "places": f.places[:len(f.values)], "values": f.values}


def main():
    name, method, seed, budget, seconds, path = sys.argv[1:7]
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    try:
        options = json.loads(sys.argv[7]) if sys.argv[7:] else {}
        result = run(name, method, int(seed), int(budget), float(seconds), options)
        with open(path + ".part", "w") as file:
            json.dump(result, file)
        os.replace(path + ".part", path)
    except Exception:
        traceback.print_exc()
        os._exit(1)
    os._exit(0)  # NGOpt leaves threads that wait for ever


if __name__ == "__main__":
    main()
