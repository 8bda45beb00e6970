"""Portfolios of ten assets: OR-Library's five instances, by zilch and, where it finishes, by SCIP.

    python3 bench/portfolio.py FOLDER [--instances 1,2,3,4,5] [--evaluations 30000] [--lambdas 50] [--scip SECONDS [--every N]]
                               [--jobs 1] [--results FILE]

FOLDER has port1.txt to port5.txt and portef1.txt to portef5.txt of J. E. Beasley's OR-Library. The problem is that of Chang,
Meade, Beasley and Sharaiha (2000): for 50 values of lambda from 0 to 1, minimise

    lambda * variance - (1 - lambda) * return

over portfolios of exactly 10 assets, each with a weight of 0.01 to 1, which add up to 1. The error of a portfolio is that of
Cura (2009), which the published figures have: of the points of the unconstrained efficient frontier, take the one whose
variance and return are nearest; by how many percent of the portfolio's variance do the two variances differ? The error of an
instance is the mean over the values of lambda. MEASURES has other readings of it, which are printed too.

With --scip each N-th problem is solved by SCIP (pip install pyscipopt), up to so many seconds of the processor, and the gap of zilch's
objective to SCIP's is printed, relative to SCIP's, together with the errors of both where SCIP has proved its portfolio to be
the best. Every portfolio is a line of JSON in --results; what is there already is not computed again, so a run that was
stopped goes on.

zilch knows values of the objective only.
"""

import argparse
import concurrent.futures
import json
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

    def point(self, x):
        """Return and variance."""
        return self.mean @ x, x @ self.covariance @ x

    def nearest(self, x, power=1.0):
        """The point of the frontier that is nearest in (return, variance to that power)."""
        gain, variance = self.point(x)
        far = (self.frontier[:, 0] - gain)**2 + (self.frontier[:, 1]**power - variance**power)**2
        return self.frontier[np.argmin(far)]


def of_portfolio(instance, x):
    """Cura's: percent of the portfolio's variance between it and the nearest point."""
    variance = instance.point(x)[1]
    return 100.0 * abs(instance.nearest(x)[1] - variance) / variance


def of_frontier(instance, x):
    """The same in percent of the frontier's variance."""
    found = instance.nearest(x)[1]
    return 100.0 * abs(found - instance.point(x)[1]) / found


def by_deviation(instance, x):
    """The nearest point in (return, standard deviation)."""
    variance = instance.point(x)[1]
    return 100.0 * abs(instance.nearest(x, 0.5)[1] - variance) / variance


def by_return(instance, x):
    """The frontier's variance at the same return, between its points by a line."""
    gain, variance = instance.point(x)
    return 100.0 * abs(np.interp(gain, instance.frontier[:, 0], instance.frontier[:, 1]) - variance) / variance


def by_either(instance, x):
    """Chang's: the smaller of the deviations in standard deviation and in return, between points by a line."""
    gain, deviation = instance.point(x)[0], np.sqrt(instance.point(x)[1])
    gains, deviations = instance.frontier[:, 0], np.sqrt(instance.frontier[:, 1])
    across = 100.0 * abs(deviation / np.interp(gain, gains, deviations) - 1.0)
    along = 100.0 * abs(gain / np.interp(deviation, deviations, gains) - 1.0)
    return min(across if gains[0] <= gain <= gains[-1] else np.inf, along if deviations[0] <= deviation <= deviations[-1] else np.inf)


MEASURES = {"of portfolio": of_portfolio, "of frontier": of_frontier, "by deviation": by_deviation, "by return": by_return,
            "by either": by_either}


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
    model.setParam("timing/clocktype", 1)  # seconds of the processor, which other work on the machine does not change
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
    if model.getNSols() == 0:
        return None, False
    return np.array([model.getVal(a) for a in x]), model.getStatus() == "optimal"


def solved(folder, number, share, seconds, evaluations, seed):
    """A portfolio as a line of the results: by SCIP if there are seconds for it."""
    instance = Instance(folder, number)
    began, is_proved = time.process_time(), False
    if seconds:
        x, is_proved = by_scip(instance, share, seconds)
    else:
        x = by_zilch(instance, share, evaluations, seed)
    x = np.zeros(0) if x is None else x  # SCIP has found none in its time
    return {"by": f"SCIP {seconds:g} s" if seconds else f"zilch {evaluations} seed {seed}", "instance": number, "share": share,
            "seconds": time.process_time() - began, "proved": is_proved, "x": {int(i): float(x[i]) for i in np.flatnonzero(x)}}


def key_of(row):
    return row["by"], row["instance"], row["share"]


def all_solved(arguments, numbers):
    """The rows of the results by their keys."""
    rows = {}
    if arguments.results and arguments.results.exists():
        rows = {key_of(row): row for row in map(json.loads, arguments.results.read_text().splitlines())}
    kinds = [(0.0, 1)] + ([(arguments.scip, arguments.every)] if arguments.scip else [])
    with concurrent.futures.ProcessPoolExecutor(arguments.jobs) as pool:
        pending = []
        for seconds, every in kinds:
            by = f"SCIP {seconds:g} s" if seconds else f"zilch {arguments.evaluations} seed {arguments.seed}"
            for number in numbers:
                for share in map(float, np.linspace(0.0, 1.0, arguments.lambdas)[::every]):
                    if (by, number, share) not in rows:
                        pending.append(pool.submit(solved, arguments.folder, number, share, seconds, arguments.evaluations, arguments.seed))
        for done, future in enumerate(concurrent.futures.as_completed(pending), 1):
            row = future.result()
            rows[key_of(row)] = row
            print(f"{done} of {len(pending)}: {row['by']}, {NAMES[row['instance']]}, lambda {row['share']:.4f}, {row['seconds']:.1f} s", flush=True)
            if arguments.results:
                with arguments.results.open("a") as file:
                    file.write(json.dumps(row) + "\n")
    return rows


def report(instance, number, rows):
    """What the rows of one instance say."""
    mine = {row["share"]: row for row in rows if row["by"].startswith("zilch")}
    exact = {row["share"]: row for row in rows if row["by"].startswith("SCIP")}  # x is empty where it has none

    def weights(row):
        x = np.zeros(instance.dim)
        for i, weight in row["x"].items():
            x[int(i)] = weight
        return x

    def cost(share, row):
        gain, variance = instance.point(weights(row))
        return share * variance - (1 - share) * gain

    def errors(chosen):
        return "  ".join(f"{name} {np.mean([measure(instance, weights(row)) for row in chosen]):.4f} %" for name, measure in MEASURES.items())

    print(f"{NAMES[number]}, {instance.dim} assets, published {PUBLISHED[number]} %")
    print(f"  zilch, {len(mine)} lambdas, {np.mean([row['seconds'] for row in mine.values()]):.2f} s each: {errors(mine.values())}")
    if not exact:
        return
    proved = [share for share in exact if exact[share]["proved"] and share in mine]
    gaps = {share: 100 * (cost(share, mine[share]) - cost(share, exact[share])) / abs(cost(share, exact[share])) for share in exact if share in mine and exact[share]["x"]}
    print(f"  SCIP: {len(proved)} of {len(exact)} proved, {np.mean([row['seconds'] for row in exact.values()]):.1f} s each")
    if proved:
        print(f"  on these, SCIP:  {errors([exact[share] for share in proved])}")
        print(f"  on these, zilch: {errors([mine[share] for share in proved])}")
        print(f"  gap of zilch on these: at most {max(gaps[share] for share in proved):.4f} %")
    others = [gaps[share] for share in gaps if share not in proved]
    if others:
        print(f"  where SCIP did not finish, zilch is {-max(others):.4f} to {-min(others):.4f} % better than what it has found")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--instances", default="1,2,3,4,5")
    parser.add_argument("--evaluations", type=int, default=30000)
    parser.add_argument("--lambdas", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--scip", type=float, default=0.0, metavar="SECONDS")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="SCIP solves each N-th lambda")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--results", type=pathlib.Path, metavar="FILE")
    arguments = parser.parse_args()
    numbers = [int(number) for number in arguments.instances.split(",")]
    rows = all_solved(arguments, numbers)
    for number in numbers:
        report(Instance(arguments.folder, number), number, [row for row in rows.values() if row["instance"] == number])


if __name__ == "__main__":
    main()
