"""zilch inside Optuna and nevergrad, beside what these use by default: python bench/hosts.py [EVALUATIONS [SEEDS]].

Prints, for each problem, the median over the seeds of the best value found, and how many parameters were active there.
"""
import statistics
import sys
import warnings

import nevergrad as ng
import numpy as np
import optuna

import zilch.nevergrad
import zilch.optuna

DIM = 20
PENALTY = 0.01


def sphere(x):
    """Three of twenty coordinates matter."""
    return (x[3] - 1.5)**2 + (x[11] + 0.5)**2 + (x[17] - 2.5)**2


def valley(x):
    """A curved valley in two coordinates; the others cost where they are not zero."""
    return (1 - x[4])**2 + 10 * (x[9] - x[4]**2)**2 + 0.1 * (np.abs(x).sum() - abs(x[4]) - abs(x[9]))


def by_optuna(f, sampler, budget):
    study = optuna.create_study(sampler=sampler)
    study.optimize(lambda trial: penalised(f, np.array([trial.suggest_float(f"x{i:02}", -5, 5) for i in range(DIM)])), n_trials=budget)
    return np.array([study.best_params[f"x{i:02}"] for i in range(DIM)])


def by_nevergrad(f, maker, seed, budget):
    optimizer = maker(ng.p.Array(shape=(DIM,)), budget=budget)
    optimizer.parametrization.random_state.seed(seed)
    return optimizer.minimize(lambda x: penalised(f, x)).value


def penalised(f, x):
    """Every package is asked for the same: the value, and a penalty for each coordinate that is not zero."""
    return float(f(x)) + PENALTY * np.count_nonzero(x)


WAYS = {
    "Optuna, TPE": lambda f, seed, n: by_optuna(f, optuna.samplers.TPESampler(seed=seed), n),
    "Optuna, zilch": lambda f, seed, n: by_optuna(f, zilch.optuna.Sampler(seed=seed, expected_evaluations=n), n),
    "nevergrad, NGOpt": lambda f, seed, n: by_nevergrad(f, ng.optimizers.registry["NGOpt"], seed, n),
    "nevergrad, Zilch": lambda f, seed, n: by_nevergrad(f, ng.optimizers.registry["Zilch"], seed, n),
}


def main(budget=300, seeds=5):
    warnings.simplefilter("ignore")
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    for f in (sphere, valley):
        for name, way in WAYS.items():
            found = [way(f, seed, budget) for seed in range(1, seeds + 1)]
            value = statistics.median(penalised(f, x) for x in found)
            active = statistics.median(np.count_nonzero(x) for x in found)
            print(f"{f.__name__:8} {name:18} {value:8.3f} {active:3.0f}", flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
