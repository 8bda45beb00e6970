"""Sensors: at which 10 of 200 positions should a factory measure, so that a map of the concentration in the air can be drawn from them?

    python3 examples/gallery/sensors.py [--small]

needs zilch, SciPy and PySensors. Somewhere on a site of 2 km by 1 km a source leaks into the wind: a Gaussian plume. The map is made of ten
noisy readings by kernel ridge regression, which has learned from simulated leaks. Prints a line of JSON for each run.
"""
import json
import sys
import time
import warnings

import numpy as np
import pysensors
from scipy.linalg import cho_factor, cho_solve

import zilch

SENSORS, EVALUATIONS = 10, 2000
EAST, NORTH = (axis.ravel() for axis in np.meshgrid((np.arange(20) + 0.5) / 10, (np.arange(10) + 0.5) / 10))  # km


def leaks(count, rng):
    """Maps, (count, 200): decades above what is always in the air."""
    source, wind = rng.uniform((0.1, 0.1), (1.2, 0.9), (count, 2)), rng.uniform(-0.6, 0.6, (count, 1))
    speed, rate = rng.uniform(1, 6, (count, 1)), 10**rng.uniform(0, 1, (count, 1))
    east, north = EAST - source[:, :1], NORTH - source[:, 1:]
    along, across = east * np.cos(wind) + north * np.sin(wind), north * np.cos(wind) - east * np.sin(wind)
    reach = np.maximum(along, 1e-3)
    width, height = 0.16 * reach / np.sqrt(1 + 0.1 * reach), 0.14 * reach / np.sqrt(1 + 0.3 * reach)  # a slightly unstable day
    cloud = rate / (speed * width * height) * np.exp(-0.5 * (across / width)**2 - 0.5 * (0.02 / height)**2)
    return np.log10(1 + np.where(along > 0, cloud, 0))


class Site:  # leaks to learn from, to choose positions by, and to judge them by at last
    def __init__(self, noise, seed):
        rng = np.random.default_rng([seed, int(1000 * noise)])
        self.learn, self.choose, self.judge = leaks(300, rng), leaks(200, rng), leaks(400, rng)
        self.noise = noise * self.learn.std()
        self.errors = {len(part): self.noise * rng.normal(size=part.shape) for part in (self.learn, self.choose, self.judge)}

    def readings(self, part, positions):
        return (part + self.errors[len(part)])[:, positions]

    def maps(self, part, positions):
        """By kernel ridge regression; the width of its kernel is the median distance."""
        known, asked, mean = *(self.readings(leak, positions) for leak in (self.learn, part)), self.learn.mean(axis=0)
        apart = [np.maximum(np.sum(a**2, axis=1)[:, np.newaxis] + np.sum(known**2, axis=1) - 2 * a @ known.T, 0) for a in (known, asked)]
        kernel, between = (np.exp(-squares / np.median(apart[0])) for squares in apart)
        return mean + between @ cho_solve(cho_factor(kernel + 0.01 * np.eye(len(kernel))), self.learn - mean)

    def share(self, difference):  # of the error of the mean map
        return float(np.sqrt(np.mean(difference**2) / np.mean(self.learn.var(axis=0))))

    def error(self, positions, part):
        return self.share(self.maps(part, positions) - part)


def by_zilch(site, seed, evaluations):
    return np.flatnonzero(zilch.minimize(lambda x: site.error(np.flatnonzero(x), site.choose), len(EAST), bounds=(1, 1), min_active=SENSORS,
                                         max_active=SENSORS, evaluations=evaluations, noisy=False, seed=seed).x)


def by_chance(site, seed, evaluations):
    draws = (np.random.default_rng([seed, i]).choice(len(EAST), SENSORS, False) for i in range(evaluations))
    return min(draws, key=lambda p: site.error(p, site.choose))


def one_by_one(site, seed, evaluations):
    chosen = []  # each time the position that helps most: 200 + 199 + ... + 191 evaluations
    for _ in range(SENSORS):
        others = (i for i in range(0, len(EAST), max(EVALUATIONS // evaluations, 1)) if i not in chosen)
        chosen.append(min(others, key=lambda i: site.error([*chosen, i], site.choose)))
    return chosen


def solve(noise, seed, evaluations=EVALUATIONS):
    warnings.simplefilter("ignore")
    site, row = Site(noise, seed), {}
    model = pysensors.reconstruction.SSPOR(basis=pysensors.basis.SVD(n_basis_modes=SENSORS, random_state=seed), n_sensors=SENSORS).fit(site.learn)
    ways = {"zilch": by_zilch, "one by one": one_by_one, "by chance": by_chance, "PySensors QR": lambda *_: model.get_selected_sensors()[:SENSORS]}
    for name, way in ways.items():
        began = time.process_time()
        positions = np.sort(way(site, seed, evaluations))
        seconds, errors = time.process_time() - began, {part: site.error(positions, getattr(site, part)) for part in ("choose", "judge")}
        row[name] = errors | {"seconds": seconds, "positions": positions.tolist()}
    readings = site.readings(site.judge, model.get_selected_sensors())
    linear = [model.predict(readings, method="unregularized"), model.predict(readings, noise=site.noise)]
    return row | {"PySensors QR, linear map": {"judge": min(site.share(maps - site.judge) for maps in linear)}}  # the better of its two


def jobs(small):
    every = [{"noise": noise, "seed": seed} for noise in (0.02, 0.05, 0.1) for seed in (1, 2, 3)]
    return [every[0] | {"evaluations": 100}] if small else every


if __name__ == "__main__":
    for job in jobs("--small" in sys.argv):
        print(json.dumps(job | solve(**job)), flush=True)
