"""A recipe with 200 evaluations: which 5 of 40 ingredients, and how much of each, if a batch costs a day?

    python3 examples/gallery/recipe.py [--small | --slow]

needs zilch and Optuna; with --slow, BoFire instead. The instances, their limits and the searches are those of bench/recipes.py; this script
adds BoFire, and keeps what was best on the way and the processor time. Prints a line of JSON for each instance and seed.
"""
import json
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench"))
import recipes  # noqa: E402

EVALUATIONS = 200
FIRST, BATCH = 20, 10  # BoFire: so many random recipes, then as many at once


class Watched(recipes.Recipe):
    """A recipe that keeps the best value after each evaluation, and the processor time of the evaluations."""

    def __init__(self, number, evaluations):
        super().__init__(number, evaluations)
        self.course, self.seconds = [], 0.0

    def __call__(self, x):
        began = time.process_time()
        value = super().__call__(x)
        self.seconds += time.process_time() - began
        self.course.append(self.best)
        return value


def by_bofire(f, seed):
    """BoFire's Bayesian optimisation; it gets the limits as they are."""
    import pandas
    from bofire.data_models.constraints.api import LinearEqualityConstraint, NChooseKConstraint
    from bofire.data_models.domain.api import Domain
    from bofire.data_models.features.api import ContinuousInput, ContinuousOutput
    from bofire.data_models.kernels.api import RBFKernel
    from bofire.data_models.objectives.api import MinimizeObjective
    from bofire.data_models.priors.api import HVARFNER_LENGTHSCALE_PRIOR, GreaterThan
    from bofire.data_models.strategies.api import BotorchOptimizer, RandomStrategy, SoboStrategy
    from bofire.data_models.surrogates.api import BotorchSurrogates, SingleTaskGPSurrogate
    from bofire.strategies.api import map as strategy
    names = [f"x{i:02}" for i in range(recipes.DIM)]
    domain = Domain.from_lists(
        inputs=[ContinuousInput(key=name, bounds=(recipes.LOW, recipes.HIGH), allow_zero=True) for name in names],
        outputs=[ContinuousOutput(key="cost", objective=MinimizeObjective())],
        constraints=[LinearEqualityConstraint(features=names, coefficients=[1] * recipes.DIM, rhs=1),
                     NChooseKConstraint(features=names, min_count=1, max_count=recipes.MOST, none_also_valid=False)])
    kernel = RBFKernel(ard=True, lengthscale_prior=HVARFNER_LENGTHSCALE_PRIOR(), lengthscale_constraint=GreaterThan(lower_bound=0.025))
    model = SingleTaskGPSurrogate(inputs=domain.inputs, outputs=domain.outputs, kernel=kernel)  # BoTorch's bound; without it fits fail
    one_by_one = BotorchOptimizer(sequential=True, batch_limit=2)  # the default, a batch as one problem, takes minutes
    search = strategy(SoboStrategy(domain=domain, seed=seed, acquisition_optimizer=one_by_one, surrogate_specs=BotorchSurrogates(surrogates=[model])))
    asked = strategy(RandomStrategy(domain=domain, seed=seed)).ask(FIRST)
    while f.left:
        recipe = [recipes.recipe_of(np.flatnonzero(x > 1e-6), x[x > 1e-6]) for x in asked[names].to_numpy()]  # as asked, but for rounding
        cost = [f(x) for x in recipe]
        if f.left:
            search.tell(pandas.DataFrame(recipe, columns=names).assign(cost=cost, valid_cost=1))
            asked = search.ask(min(BATCH, f.left))


def solve(instance, seed, evaluations=EVALUATIONS, slow=False):
    row = {}
    for name, search in ({"BoFire": by_bofire} if slow else recipes.SEARCHES).items():
        watched, began = Watched(instance, evaluations), time.process_time()
        try:
            search(watched, seed)
        except StopIteration:
            pass
        seconds = time.process_time() - began - watched.seconds
        course = watched.course + [watched.best] * (evaluations - len(watched.course))
        row[name] = {"best": watched.best, "course": course[9::10], "milliseconds": 1000 * seconds / evaluations}
    return row


def slow_jobs():
    return [{"instance": 1, "seed": 1, "slow": True}] + [{"instance": instance, "seed": 1, "slow": True, "evaluations": 100} for instance in (2, 3)]


def jobs(small):
    every = [{"instance": instance, "seed": seed} for seed in (1, 2, 3) for instance in range(1, 16)]
    return every[:1] if small else every


if __name__ == "__main__":
    for job in slow_jobs() if "--slow" in sys.argv else jobs("--small" in sys.argv):
        print(json.dumps(job | solve(**job)), flush=True)
