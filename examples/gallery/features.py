"""Features around any model: which columns should an estimator see, by nested cross-validation on five data sets?

    python3 examples/gallery/features.py [--small]

needs zilch, scikit-learn and Boruta. Data, estimators, splits and selectors are those of bench/selection.py, without the second repetition; Boruta and
all columns stand beside them. Prints a line of JSON for each outer split.
"""
import json
import sys
import time
import warnings
from pathlib import Path

import numpy as np
from boruta import BorutaPy
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.model_selection import KFold, StratifiedKFold

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench"))
import selection  # noqa: E402


class Boruta:
    """Those columns that a forest finds better than shuffled copies of all columns; all, if there are none."""

    def __init__(self, is_line):
        forest = (RandomForestRegressor if is_line else RandomForestClassifier)(max_depth=5, random_state=1)
        self.boruta = BorutaPy(forest, n_estimators="auto", random_state=1)

    def fit(self, X, y):
        self.boruta.fit(X, y)
        return self

    def get_support(self):
        return self.boruta.support_ if self.boruta.support_.any() else np.ones_like(self.boruta.support_)


class Everything:
    def fit(self, X, y):
        self.count = X.shape[1]
        return self

    def get_support(self):
        return np.ones(self.count, dtype=bool)


def solve(data, split):
    warnings.simplefilter("ignore")
    load, estimator, splits, _ = selection.DATA[data]
    X, y = load(return_X_y=True)
    if data == "digits":  # as in bench/selection.py: pixels that are nearly always empty
        X = X[:, (X != 0).mean(axis=0) > 0.05]
    is_line = estimator is selection.LINE
    kind = KFold if is_line else StratifiedKFold
    train, test = list(kind(splits, shuffle=True, random_state=11).split(X, y))[split]
    row = {"columns": X.shape[1]}
    for name, selector in {**selection.ways(estimator, kind(5, shuffle=True, random_state=2)), "Boruta": Boruta(is_line), "all columns": Everything()}.items():
        began = time.process_time()
        with selection.Counting(type(estimator)) as counting:
            chosen = selector.fit(X[train], y[train]).get_support()
        seconds = time.process_time() - began
        score = clone(estimator).fit(X[train][:, chosen], y[train]).score(X[test][:, chosen], y[test])
        row[name] = {"score": float(score), "columns": int(chosen.sum()), "fits": counting.count, "seconds": seconds}
    return row


def jobs(small):
    if small:
        return [{"data": "iris", "split": 0}]
    return [{"data": data, "split": split} for data in selection.DATA for split in range(selection.DATA[data][2])]


if __name__ == "__main__":
    for job in jobs("--small" in sys.argv):
        print(json.dumps(job | solve(**job)), flush=True)
