"""SparseRegressor and SparseClassifier beside scikit-learn's lassos, on rows that none of them has seen.

    python bench/regression_cv.py [JOBS [FIRST LAST]]

Twelve outer splits, a quarter of the rows held out: diabetes with its 55 squares and products, R²; breast cancer, accuracy and log
loss. Columns are standardised for those that do not do so by themselves. skscope, which has gradients, is shown if it is installed
(pip install skscope); its number of columns is chosen by its information criterion. Prints medians.
"""
import sys
import time
import warnings

import numpy as np
from joblib import Parallel, delayed
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.linear_model import LassoCV, LinearRegression, LogisticRegression, LogisticRegressionCV
from sklearn.metrics import log_loss
from sklearn.model_selection import ShuffleSplit, StratifiedShuffleSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler

import zilch

try:
    import jax.numpy as jnp
    from skscope import ScopeSolver
    from skscope.utilities import SIC, LinearSIC
except ImportError:
    ScopeSolver = None

SPLITS, MOST = 12, 25


def scope(X, y, is_line):
    """The support that skscope finds, and a fit without penalty on it."""
    z = StandardScaler().fit_transform(X)
    n, p = z.shape
    design, target = np.column_stack([z, np.ones(n)]), (y - y.mean()) / y.std() if is_line else y

    def squares(b):
        return jnp.sum((target - design @ b) ** 2)

    def deviance(b):
        eta = design @ b
        return jnp.sum(jnp.logaddexp(0.0, eta) - target * eta)

    solver = ScopeSolver(p + 1, sparsity=range(1, MOST + 1), sample_size=n, preselect=[p], ic_method=LinearSIC if is_line else SIC)
    beta = solver.solve(squares if is_line else deviance, jit=True)
    support = np.flatnonzero(beta[:p])
    model = make_pipeline(StandardScaler(), LinearRegression() if is_line else LogisticRegression(C=np.inf, max_iter=10_000))
    return model.fit(X[:, support], y), support


def lasso(X, y, is_line):
    own = (LassoCV(max_iter=100_000, random_state=1) if is_line else
           LogisticRegressionCV(Cs=10, l1_ratios=(1,), solver="liblinear", scoring="neg_log_loss", use_legacy_attributes=False, random_state=1))
    model = make_pipeline(StandardScaler(), own).fit(X, y)
    return model, np.flatnonzero(np.ravel(model[-1].coef_)), slice(None)


def sparse(X, y, is_line):
    model = (zilch.SparseRegressor() if is_line else zilch.SparseClassifier()).fit(X, y)
    return model, np.flatnonzero(model.support_), slice(None)


def scoped(X, y, is_line):
    model, support = scope(X, y, is_line)
    return model, support, support


WAYS = {"zilch": sparse, "LassoCV or LogisticRegressionCV": lasso, **({} if ScopeSolver is None else {"skscope": scoped})}


def one(X, y, is_line, train, test):
    warnings.simplefilter("ignore")
    found = {}
    for name, way in WAYS.items():
        began = time.process_time()
        model, support, columns = way(X[train], y[train], is_line)
        seconds = time.process_time() - began
        held_out = X[test][:, columns]
        loss = np.nan if is_line else log_loss(y[test], model.predict_proba(held_out))
        score = model.score(held_out, y[test]) if is_line else np.mean(model.predict(held_out) == y[test])
        found[name] = score, loss, len(support), seconds
    return found


def main(jobs=2, first=0, last=2):
    squares = PolynomialFeatures(2, include_bias=False)
    for name, (X, y), is_line in (("diabetes, squares and products", load_diabetes(return_X_y=True), True),
                                  ("breast cancer", load_breast_cancer(return_X_y=True), False))[first:last]:
        X = squares.fit_transform(X) if is_line else X
        splits = (ShuffleSplit if is_line else StratifiedShuffleSplit)(SPLITS, test_size=0.25, random_state=1).split(X, y)
        rows = Parallel(jobs)(delayed(one)(X, y, is_line, *split) for split in splits)
        for way in WAYS:
            score, loss, columns, seconds = np.median([row[way] for row in rows], axis=0)
            behind = np.median([row["zilch"][0] - row[way][0] for row in rows])
            print(f"| {name}, {X.shape[1]} columns | {way} | {score:.3f} | {'–' if is_line else f'{loss:.3f}'} | {columns:g} | "
                  f"{behind:+.3f} | {seconds:.1f} s |", flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
