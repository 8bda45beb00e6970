"""What other libraries call things, so that whoever comes from there is told our word."""

from __future__ import annotations

WORDS = {
    "popsize": "population", "pop_size": "population", "population_size": "population", "n_pop": "population", "CMA_mu": "elites",
    "maxiter": "generations", "max_iter": "generations", "n_generations": "generations", "ngen": "generations",
    "maxfev": "evaluations", "maxfevals": "evaluations", "max_evals": "evaluations", "maxfun": "evaluations", "max_nfev": "evaluations",
    "budget": "evaluations", "n_trials": "evaluations", "n_calls": "evaluations", "n_iter": "evaluations",
    "tol": "stagnation", "ftol": "stagnation", "tolfun": "stagnation", "atol": "stagnation", "patience": "stagnation",
    "ftarget": "target", "stop_fitness": "target", "fmin": "target",
    "sigma0": "scale", "sigma": "scale", "stds": "scale", "CMA_stds": "scale", "x_init": "x0", "x_start": "x0",
    "lower": "bounds", "upper": "bounds", "lb": "bounds", "ub": "bounds", "search_space": "bounds", "domain": "bounds",
    "constraints": "limits", "integrality": "step", "args": "functools.partial around f",
    "random_state": "seed", "rng": "seed", "random_seed": "seed",
    "timeout": "time", "max_time": "time", "maxtime": "time", "time_limit": "time", "seconds": "time",
    "n_jobs": "executor, or threads for a problem of the library's own", "workers": "executor, or threads for a problem of the library's own",
    "num_workers": "executor, or threads for a problem of the library's own", "parallel": "executor",
    "verbose": "disp", "verbosity": "disp", "show_progress_bar": "disp", "iprint": "disp", "callbacks": "callback",
    "maximize": "zilch.maximize", "minimize": "zilch.minimize", "storage": "study", "study_name": "study", "sampler": "method",
    "algorithm": "method", "optimizer": "method", "l0": "penalty", "alpha": "penalty", "lambda_": "penalty", "regularization": "penalty",
    "max_features": "max_active", "n_features_to_select": "max_active", "k": "max_active", "n_nonzero_coefs": "max_active",
    "sparsity": "max_active", "penalties": "penalty, which takes an array of dim numbers too", "vectorised": "vectorized",
    "feature_names": "names", "dimensions": "dim", "n": "dim",
}
"""A name of another library's option, and ours, or what to do."""


def word(name: str, known: object) -> str | None:
    """Our word for another library's option, if the function has it."""
    ours = WORDS.get(name)
    first = (ours or "").partition(",")[0]
    is_here = ours is not None and (not first.isidentifier() or first in known)  # type: ignore[operator]
    return ours if is_here else None
