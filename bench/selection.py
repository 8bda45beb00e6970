"""SparseSelector beside scikit-learn's selectors, in nested cross-validation on data that ship with it.

    python bench/selection.py JOBS [DATA ...]     diabetes, cancer, wine, digits, iris; all of them by default
    python bench/selection.py 2 wide              300 columns, two processes: the time alone

Each outer split has its own selection, by inner five-fold cross-validation on its training rows; the score is that of the estimator
with the selected columns on the outer test rows. SequentialFeatureSelector (SFS) selects forward, half of the columns as it does by
default, and also with tol=0, until nothing improves. Prints the median score, the median number of columns and the mean number of fits.
"""
import sys
import time
import warnings

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_iris, load_wine, make_classification
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.feature_selection import RFECV, SequentialFeatureSelector
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import KFold, RepeatedKFold, RepeatedStratifiedKFold, StratifiedKFold

import zilch

LINE, PLANE = LinearRegression(), LinearDiscriminantAnalysis()
DATA = {"diabetes": (load_diabetes, LINE, 5, 2), "cancer": (load_breast_cancer, PLANE, 5, 2), "wine": (load_wine, PLANE, 5, 2),
        "digits": (load_digits, PLANE, 3, 1), "iris": (load_iris, PLANE, 5, 2)}  # with their outer splits, and how often these are repeated


class Counting:
    """Counts the fits of an estimator's class while it is open."""

    def __init__(self, kind):
        self.kind, self.fit, self.count = kind, kind.fit, 0

    def __enter__(self):
        def fit(model, *args, **kwargs):
            self.count += 1
            return self.fit(model, *args, **kwargs)
        self.kind.fit = fit
        return self

    def __exit__(self, *_):
        self.kind.fit = self.fit


def ways(estimator, inner):
    return {"zilch": zilch.SparseSelector(estimator, cv=inner),
            "zilch, at most half": zilch.SparseSelector(estimator, cv=inner, max_features=0.5),
            "SFS, half": SequentialFeatureSelector(estimator, cv=inner),
            "SFS, tol": SequentialFeatureSelector(estimator, cv=inner, n_features_to_select="auto", tol=1e-12),
            "RFECV": RFECV(estimator, cv=inner)}


def one(estimator, inner, X, y, train, test):
    warnings.simplefilter("ignore")
    found = {}
    for way, selector in ways(estimator, inner).items():
        with Counting(type(estimator)) as counting:
            chosen = clone(selector).fit(X[train], y[train]).get_support()
        score = clone(estimator).fit(X[train][:, chosen], y[train]).score(X[test][:, chosen], y[test])
        found[way] = score, chosen.sum(), counting.count
    return found


def compare(name, jobs):
    load, estimator, splits, repeats = DATA[name]
    X, y = load(return_X_y=True)
    if name == "digits":  # pixels that are nearly always empty stop the discriminant analysis where they are alone
        X = X[:, (X != 0).mean(axis=0) > 0.05]
    is_line = estimator is LINE
    outer = (RepeatedKFold if is_line else RepeatedStratifiedKFold)(n_splits=splits, n_repeats=repeats, random_state=11)
    inner = (KFold if is_line else StratifiedKFold)(5, shuffle=True, random_state=2)
    rows = Parallel(jobs)(delayed(one)(estimator, inner, X, y, *split) for split in outer.split(X, y))
    for way in rows[0]:
        score, columns, fits = zip(*(row[way] for row in rows))
        print(f"| {name}, {X.shape[1]} columns | {way} | {np.median(score):.3f} | {np.median(columns):g} | {np.mean(fits):,.0f} |", flush=True)


def wide(jobs):
    X, y = make_classification(1000, 300, n_informative=15, n_redundant=15, random_state=1)
    began = time.perf_counter()
    selector = zilch.SparseSelector(PLANE, n_jobs=jobs).fit(X, y)
    print(f"300 columns, 1000 rows: {time.perf_counter() - began:.0f} s, {selector.n_fits_:,} fits, {selector.n_features_} columns, "
          f"score {selector.best_score_:.3f}; all columns {selector.cv_results_['mean_test_score'][0]:.3f}")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    for each in sys.argv[2:] or DATA:
        wide(int(sys.argv[1])) if each == "wide" else compare(each, int(sys.argv[1]))
