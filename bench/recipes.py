"""Recipes of few ingredients, with few evaluations: zilch beside Optuna's TPE, random search and a hill climber.

    python3 bench/recipes.py [--evaluations 200] [--instances 15] [--seeds 3]

A recipe has 40 ingredients, of which at most 5 are used, each with 5 to 60 % if it is used, 100 % in all. What is minimised is
the cost of the ingredients, what a blend lacks of six wanted properties (each a saturating function of a linear blend), and
what pairs do to each other. Every rival is told the limits as well as it can be: TPE chooses five ingredients and their
amounts, which are then moved into the limits; random search draws ingredients and amounts in the same way; the hill climber
changes one thing at a time (an amount, from one ingredient to another; or an ingredient), and keeps what is not worse.

It needs NumPy, zilch and, for TPE, Optuna. Prints the best values of each instance, the median over seeds, and the ranks.
"""

import argparse

import numpy as np

DIM, MOST, LOW, HIGH = 40, 5, 0.05, 0.6


class Recipe:
    """An instance of the problem, and the evaluations that were made."""

    def __init__(self, number, evaluations):
        rng = np.random.default_rng([20261117, number])
        self.expense = rng.lognormal(0.0, 0.5, DIM)
        self.property = rng.gamma(0.7, 1.0, (6, DIM))
        self.wanted = rng.uniform(0.8, 1.6, 6)
        self.pairs = np.triu(rng.normal(0.0, 2.0, (DIM, DIM)) * (rng.random((DIM, DIM)) < 0.15), 1)
        self.left = evaluations
        self.best = np.inf

    def __call__(self, x):
        if self.left == 0:
            raise StopIteration
        assert is_allowed(x), x
        lack = np.maximum(self.wanted - np.tanh(self.property @ x) * 2.0, 0.0)
        value = float(self.expense @ x + 4.0 * np.sum(lack**2) + x @ self.pairs @ x)
        self.left -= 1
        self.best = min(self.best, value)
        return value


def is_allowed(x):
    used = x[x != 0]
    return len(used) <= MOST and abs(x.sum() - 1.0) < 1e-9 and used.min() >= LOW - 1e-12 and used.max() <= HIGH + 1e-12


def within(amounts):
    """Amounts moved into the limits: by the same share of what is left to the bound that helps."""
    y = np.clip(amounts, LOW, HIGH)
    room = (HIGH - y) if y.sum() < 1.0 else (LOW - y)
    return y + room * ((1.0 - y.sum()) / room.sum() if room.sum() else 0.0)


def recipe_of(chosen, amounts):
    x = np.zeros(DIM)
    x[chosen] = within(amounts)
    return x


def random_recipe(rng):
    count = rng.integers(2, MOST + 1)
    return recipe_of(rng.choice(DIM, count, replace=False), rng.uniform(LOW, HIGH, count))


# ---- Searches: each evaluates until there are no evaluations left

def random_search(f, seed):
    rng = np.random.default_rng(seed)
    while True:
        f(random_recipe(rng))


def neighbour(x, rng):
    used, unused = np.flatnonzero(x), np.flatnonzero(x == 0)
    move = rng.integers(4)
    if move == 0:  # another ingredient in the place of one
        chosen = used.copy()
        chosen[rng.integers(len(used))] = rng.choice(unused)
        return recipe_of(chosen, x[used])
    if move == 1 and len(used) < MOST:
        return recipe_of(np.append(used, rng.choice(unused)), np.append(x[used], rng.uniform(LOW, 0.2)))
    if move == 2 and len(used) > 2:
        kept = np.delete(used, rng.integers(len(used)))
        return recipe_of(kept, x[kept])
    step = rng.normal(0.0, 0.1, len(used))
    return recipe_of(used, x[used] + step - step.mean())


def hill_climber(f, seed):
    rng = np.random.default_rng(seed)
    x = random_recipe(rng)
    value = f(x)
    while True:
        other = neighbour(x, rng)
        found = f(other)
        if found <= value:
            x, value = other, found


def tpe(f, seed):
    import optuna
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=seed))
    while True:
        trial = study.ask()
        amounts = {}
        for place in range(MOST):
            ingredient = trial.suggest_categorical(f"ingredient{place}", [-1, *range(DIM)])
            amount = trial.suggest_float(f"amount{place}", LOW, HIGH)
            if ingredient >= 0:
                amounts[ingredient] = amount
        if len(amounts) < 2:  # 60 % at most each: one is not enough
            amounts = {**amounts, **{i: LOW for i in range(2) if i not in amounts}}
        study.tell(trial, f(recipe_of(list(amounts), np.array(list(amounts.values())))))


def zilch_search(f, seed):
    import zilch
    zilch.minimize(f, DIM, bounds=(LOW, HIGH), max_active=MOST, limits="sum = 1", evaluations=f.left, noisy=False, seed=seed)


SEARCHES = {"zilch": zilch_search, "hill climber": hill_climber, "TPE": tpe, "random": random_search}


def best_of(search, number, evaluations, seed):
    f = Recipe(number, evaluations)
    try:
        search(f, seed)
    except StopIteration:
        pass
    return f.best


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--evaluations", type=int, default=200)
    parser.add_argument("--instances", type=int, default=15)
    parser.add_argument("--first", type=int, default=1, help="number of the first instance")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--searches", default=",".join(SEARCHES))
    arguments = parser.parse_args()
    names = arguments.searches.split(",")
    print(f"{'instance':<10}" + "".join(f"{name:>14}" for name in names))
    table = []
    for number in range(arguments.first, arguments.first + arguments.instances):
        row = [np.median([best_of(SEARCHES[name], number, arguments.evaluations, seed) for seed in range(1, arguments.seeds + 1)])
               for name in names]
        table.append(row)
        print(f"{number:<10}" + "".join(f"{value:14.4f}" for value in row), flush=True)
    table = np.array(table)
    print(f"{'median':<10}" + "".join(f"{value:14.4f}" for value in np.median(table, axis=0)))
    ranks = np.argsort(np.argsort(table, axis=1), axis=1) + 1.0
    print(f"{'mean rank':<10}" + "".join(f"{value:14.2f}" for value in ranks.mean(axis=0)))
    print(f"{'first in':<10}" + "".join(f"{value:14.0f}" for value in (ranks == 1).sum(axis=0)))


if __name__ == "__main__":
    main()
