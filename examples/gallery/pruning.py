"""A network to prune by values alone: how well does a tenth of its weights read digits, if nobody may see a gradient?

    python3 examples/gallery/pruning.py [--small]

needs zilch, scikit-learn and cma. 64 pixels, 16 hidden units and 10 digits make 1,210 weights with the biases; scikit-learn trains them on
1,200 of its 1,797 digits, the others are the test. A value is the cross-entropy on the digits of training. Prints lines of JSON.
"""
import json
import sys
import time
import warnings

import cma
import numpy as np
from sklearn.datasets import load_digits
from sklearn.neural_network import MLPClassifier

import zilch

HIDDEN, EVALUATIONS = 16, 10000
ENDS = np.cumsum([64 * HIDDEN, HIDDEN * 10, HIDDEN])  # of what the vector of weights is made of
PIXELS, DIGITS = load_digits(return_X_y=True)
PIXELS /= 16


class Network:
    def __init__(self, seed):
        self.train, self.test = np.split(np.random.default_rng(seed).permutation(len(PIXELS)), [1200])
        self.model = MLPClassifier((HIDDEN,), alpha=1e-3, max_iter=1000, random_state=seed).fit(PIXELS[self.train], DIGITS[self.train])
        self.weights = self.vector()

    def vector(self):
        return np.concatenate([part.ravel() for part in (*self.model.coefs_, *self.model.intercepts_)])

    def answers(self, w, which):
        first, second, a, b = np.split(w, ENDS)
        return np.maximum(PIXELS[which] @ first.reshape(64, HIDDEN) + a, 0) @ second.reshape(HIDDEN, 10) + b

    def loss(self, w):
        z = self.answers(w, self.train)
        z -= z.max(axis=1, keepdims=True)
        return float(np.mean(np.log(np.exp(z).sum(axis=1)) - z[np.arange(len(z)), DIGITS[self.train]]))

    def accuracy(self, w):
        return float(np.mean(self.answers(w, self.test).argmax(axis=1) == DIGITS[self.test]))


def largest(w, count):
    return np.where(np.abs(w) >= np.sort(np.abs(w))[-count], w, 0)


def by_worth(network, count, seed, evaluations):  # in rounds: each tries every weight at zero; those go that cost least
    w, rounds = network.weights.copy(), max(evaluations // 650, 2)
    for left in np.geomspace(len(w), count, rounds + 1)[1:]:
        costs = [network.loss(np.where(np.arange(len(w)) == i, 0, w)) if w[i] else np.inf for i in range(len(w))]
        w[np.argsort(costs)[:np.count_nonzero(w) - round(left)]] = 0
    return w


def by_zilch(network, count, seed, evaluations):  # which weights, and their values; it begins with what size leaves
    return zilch.minimize(network.loss, x0=largest(network.weights, count), max_active=count, evaluations=evaluations, noisy=False, seed=seed).x


def by_cma(network, count, seed, evaluations):  # the values of those weights that size leaves
    spread, options = np.eye(len(network.weights))[largest(network.weights, count) != 0], {"maxfevals": evaluations, "seed": seed, "verbose": -9}
    return cma.fmin2(lambda values: network.loss(values @ spread), spread @ network.weights, 0.3, options)[0] @ spread


def by_gradient(network, count, seed, evaluations):  # ten times: the smallest weights go, the others are trained by 100 passes
    for left in np.geomspace(len(network.weights), count, 11)[1:]:
        masks = np.split(largest(network.vector(), round(left)) != 0, ENDS)
        for _ in range(evaluations // 100):
            network.model.partial_fit(PIXELS[network.train], DIGITS[network.train])
            for part, mask in zip((*network.model.coefs_, *network.model.intercepts_), masks):
                part *= mask.reshape(part.shape)
    return network.vector()


WAYS = {"whole": lambda network, *_: network.weights, "zilch": by_zilch, "CMA-ES": by_cma, "by worth": by_worth,
        "by size": lambda network, count, *_: largest(network.weights, count), "gradients": by_gradient}


def solve(count, seed, evaluations=EVALUATIONS):
    warnings.simplefilter("ignore")
    network, row = Network(seed), {}
    for name, way in WAYS.items():
        began, w = time.process_time(), way(network, count, seed, evaluations)
        row[name] = {"active": int(np.count_nonzero(w)), "accuracy": network.accuracy(w), "loss": network.loss(w), "seconds": time.process_time() - began}
    return row


def jobs(small):
    return [{"count": 121, "seed": 1, "evaluations": 1500}] if small else [{"count": k, "seed": seed} for k in (121, 61, 242) for seed in (1, 2)]


if __name__ == "__main__":
    for job in jobs("--small" in sys.argv):
        print(json.dumps(job | solve(**job)), flush=True)
