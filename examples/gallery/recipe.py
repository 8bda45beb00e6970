"""A recipe with 200 evaluations: which 5 of 40 ingredients, and how much of each, if a batch costs a day?

    python3 examples/gallery/recipe.py [--small]

needs zilch and Optuna. The instances, their limits and the searches are those of bench/recipes.py; this script also keeps what was best on
the way, and the processor time. Prints a line of JSON for each instance and seed.
"""
import json
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench"))
import recipes  # noqa: E402

EVALUATIONS = 200


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


def solve(instance, seed, evaluations=EVALUATIONS):
    row = {}
    for name, search in recipes.SEARCHES.items():
        watched, began = Watched(instance, evaluations), time.process_time()
        try:
            search(watched, seed)
        except StopIteration:
            pass
        seconds = time.process_time() - began - watched.seconds
        course = watched.course + [watched.best] * (evaluations - len(watched.course))
        row[name] = {"best": watched.best, "course": course[9::10], "milliseconds": 1000 * seconds / evaluations}
    return row


def jobs(small):
    every = [{"instance": instance, "seed": seed} for seed in (1, 2, 3) for instance in range(1, 16)]
    return every[:1] if small else every


if __name__ == "__main__":
    for job in jobs("--small" in sys.argv):
        print(json.dumps(job | solve(**job)), flush=True)
