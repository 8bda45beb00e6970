"""Portfolios of ten assets: OR-Library's five instances, by zilch and, where it finishes, by SCIP.

    python3 bench/portfolio.py FOLDER [--instances 1,2,3,4,5] [--evaluations 20000] [--lambdas 50] [--scip SECONDS]

FOLDER has port1.txt to port5.txt and portef1.txt to portef5.txt of J. E. Beasley's OR-Library. The problem is that of Chang,
Meade, Beasley and Sharaiha (2000): for 50 values of lambda from 0 to 1, minimise

    lambda * variance - (1 - lambda) * return

over portfolios of exactly 10 assets, each with a weight of 0.01 to 1, which add up to 1. The error of a portfolio is that of
Cura (2009), which the published figures have: of the points of the unconstrained efficient frontier, take the one whose
variance and return are nearest; by how many percent of the portfolio's variance do the two variances differ? The error of an
instance is the mean over the values of lambda. With --scip each problem is solved by SCIP (pip install pyscipopt), up to so many seconds,
and the gap of zilch's objective to SCIP's is printed, relative to the spread of the objective.

zilch knows values of the objective only.
"""

import argparse
import pathlib
import time

import numpy as np

import zilch

COUNT, LEAST = 10, 0.01
NAMES = {1: "Hang Seng", 2: "DAX", 3: "FTSE", 4: "S&P", 5: "Nikkei"}
PUBLISHED = {1: 1.239, 2: 6.859, 3: 2.709, 4: 3.480, 5: 1.2015}  # the best of five, Bacanin and Tuba (2014)


class Instance:
    def __init__(self, folder, number):
        numbers = [float(word) for word in (folder / f"port{number}.txt").read_text().split()]
        self.dim = int(numbers[0])
        each = np.array(numbers[1:1 + 2 * self.dim]).reshape(self.dim, 2)
        self.mean, deviation = each[:, 0], each[:, 1]
        self.covariance = np.zeros((self.dim, self.dim))
        for i, j, correlation in np.array(numbers[1 + 2 * self.dim:]).reshape(-1, 3):
            i, j = int(i) - 1, int(j) - 1
            self.covariance[i, j] = self.covariance[j, i] = correlation * deviation[i] * deviation[j]
        frontier = np.loadtxt(folder / f"portef{number}.txt")
        self.frontier = frontier[np.argsort(frontier[:, 0])]

    def error(self, x):
        """Percent of the variance that lie between it and the nearest point of the frontier."""
        variance = x @ self.covariance @ x
        nearest = np.argmin((self.frontier[:, 0] - self.mean @ x)**2 + (self.frontier[:, 1] - variance)**2)
        return 100.0 * abs(self.frontier[nearest, 1] - variance) / variance


def by_zilch(instance, share, evaluations, seed):
    def cost(x):
        return share * np.einsum("ni,ij,nj->n", x, instance.covariance, x, optimize=True) - (1 - share) * (x @ instance.mean)

    found = zilch.minimize(cost, instance.dim, bounds=(LEAST, 1.0), min_active=COUNT, max_active=COUNT, limits="sum = 1",
                           evaluations=evaluations, seed=seed, vectorized=True, noisy=False)
    return found.x


def by_scip(instance, share, seconds):
    """A portfolio and whether it is proved to be the best."""
    import pyscipopt
    model = pyscipopt.Model()
    model.hideOutput()
    model.setParam("limits/time", seconds)
    x = [model.addVar(lb=0.0, ub=1.0) for _ in range(instance.dim)]
    z = [model.addVar(vtype="B") for _ in range(instance.dim)]
    variance = model.addVar(lb=0.0)
    model.addCons(pyscipopt.quicksum(x) == 1)
    model.addCons(pyscipopt.quicksum(z) == COUNT)
    for amount, chosen in zip(x, z):
        model.addCons(amount >= LEAST * chosen)
        model.addCons(amount <= chosen)
    model.addCons(pyscipopt.quicksum(instance.covariance[i, j] * x[i] * x[j] for i in range(instance.dim)
                                     for j in range(instance.dim)) <= variance)
    model.setObjective(share * variance - (1 - share) * pyscipopt.quicksum(m * a for m, a in zip(instance.mean, x)))
    model.optimize()
    return np.array([model.getVal(a) for a in x]), model.getStatus() == "optimal"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--instances", default="1,2,3,4,5")
    parser.add_argument("--evaluations", type=int, default=20000)
    parser.add_argument("--lambdas", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--scip", type=float, default=0.0, metavar="SECONDS")
    arguments = parser.parse_args()
    for number in map(int, arguments.instances.split(",")):
        instance = Instance(arguments.folder, number)
        errors, gaps, times = [], [], [0.0, 0.0]
        for share in np.linspace(0.0, 1.0, arguments.lambdas):
            def cost(x):
                return share * x @ instance.covariance @ x - (1 - share) * instance.mean @ x
            began = time.perf_counter()
            x = by_zilch(instance, share, arguments.evaluations, arguments.seed)
            times[0] += time.perf_counter() - began
            errors.append(instance.error(x))
            if arguments.scip:
                began = time.perf_counter()
                exact, is_proved = by_scip(instance, share, arguments.scip)
                times[1] += time.perf_counter() - began
                if is_proved:
                    gaps.append((cost(x) - cost(exact)) / abs(cost(exact)))
        line = f"{NAMES[number]:<10} {instance.dim:4} assets  error {np.mean(errors):.4f} % (published {PUBLISHED[number]})  {times[0]:.0f} s"
        if arguments.scip:
            line += f"  SCIP: {len(gaps)} of {arguments.lambdas} proved, {times[1]:.0f} s, gap at most {100 * max(gaps, default=np.nan):.4f} %"
        print(line, flush=True)


if __name__ == "__main__":
    main()
