"""Which columns predict? zilch on data of scikit-learn, beside the lasso with its cross-validated penalty."""
import numpy as np
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.linear_model import LassoCV, LogisticRegressionCV
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler

import zilch


def compare(name, X, y, kind, rival):
    X, X_new, y, y_new = train_test_split(X, y, test_size=0.3, random_state=1)
    problem = zilch.regression(X, y, kind=kind, searched="coefficients", seed=1)
    result = zilch.minimize(problem, evaluations=10_000, seed=1)
    fit = problem.explain(result.x)
    score = X_new @ fit["coefficients"] + fit["intercept"]
    model = make_pipeline(StandardScaler(), rival).fit(X, y)
    kept = np.count_nonzero(model[-1].coef_)
    if kind == "linear":
        ours = 1 - np.mean((y_new - score) ** 2) / np.var(y_new)
    else:
        ours = np.mean((score > 0) == y_new)
    print(f"{name}: {X.shape[1]} columns, rows that neither saw")
    print(f"  zilch  {result.active:3d} columns, score {ours:.3f}")
    print(f"  lasso  {kept:3d} columns, score {model.score(X_new, y_new):.3f}")


X, y = load_diabetes(return_X_y=True)
terms = PolynomialFeatures(2, include_bias=False).fit_transform(X)
compare("diabetes, squares and products", terms, y, "linear", LassoCV(max_iter=100_000, random_state=1))
X, y = load_breast_cancer(return_X_y=True)
rival = LogisticRegressionCV(Cs=10, penalty="l1", solver="liblinear", random_state=1)
compare("breast cancer", X, y, "logistic", rival)
