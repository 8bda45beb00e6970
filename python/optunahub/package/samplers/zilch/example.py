"""Two of ten parameters matter, and the others stay at 0."""

import optuna
import optunahub


def objective(trial: optuna.Trial) -> float:
    x = [trial.suggest_float(f"x{i}", -5, 5) for i in range(10)]
    return (x[3] - 1.5) ** 2 + (x[7] + 0.5) ** 2


module = optunahub.load_module("samplers/zilch")
study = optuna.create_study(sampler=module.ZilchSampler(seed=1, penalty=0.01))
study.optimize(objective, n_trials=200)
print({name: value for name, value in study.best_params.items() if value})
