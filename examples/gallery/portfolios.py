"""Portfolios of exactly ten assets: how near to the proved optimum does a search come that knows values alone?

    ORLIB=FOLDER python3 examples/gallery/portfolios.py
    python3 examples/gallery/portfolios.py --small

needs zilch and, for the proof, PySCIPOpt. FOLDER has port1.txt to port5.txt and portef1.txt to portef5.txt of OR-Library. The problem, both
solvers and the measure of the error are those of bench/portfolio.py; of its 50 values of lambda, the mixture of risk and return,
zilch has each second one here and SCIP four. With --small the portfolio is one of 12 assets that are made up. Prints lines of JSON.
"""
import json
import os
import sys
import tempfile
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench"))
import portfolio  # noqa: E402

SHARES, SECONDS, EVALUATIONS = np.linspace(0, 1, 50), 60.0, 30000


def made_up(folder):
    """OR-Library's two files of an instance of 12 assets."""
    rng = np.random.default_rng(1)
    lines = ["12"] + [f"{mean:.6f} {deviation:.6f}" for mean, deviation in zip(rng.uniform(0, 0.01, 12), rng.uniform(0.02, 0.06, 12))]
    lines += [f"{i + 1} {j + 1} {1.0 if i == j else 0.3}" for i in range(12) for j in range(i, 12)]
    (folder / "port1.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / "portef1.txt").write_text("0.004 0.0004\n0.006 0.0006\n0.008 0.0012\n", encoding="utf-8")


def judged(instance, share, row):
    """What a portfolio costs, its error, and how long it took."""
    if not row["x"]:
        return {"seconds": row["seconds"], "proved": False}
    x = np.zeros(instance.dim)
    for i, weight in row["x"].items():
        x[i] = weight
    gain, variance = instance.point(x)
    return {"cost": float(share * variance - (1 - share) * gain), "error": float(portfolio.of_portfolio(instance, x)), "seconds": row["seconds"],
            "proved": row["proved"]}


def solve(number, at, evaluations=EVALUATIONS):
    with tempfile.TemporaryDirectory() as made:
        folder = Path(os.environ.get("ORLIB", made) if evaluations == EVALUATIONS else made)
        if folder == Path(made):
            made_up(folder)
        instance, share = portfolio.Instance(folder, number), float(SHARES[at])
        row = {"assets": instance.dim, "zilch": judged(instance, share, portfolio.solved(folder, number, share, 0.0, evaluations, 1))}
        if at % 14 == 0:
            row["SCIP"] = judged(instance, share, portfolio.solved(folder, number, share, SECONDS, evaluations, 1))
    return row


def jobs(small):
    if small:
        return [{"number": 1, "at": 14, "evaluations": 2000}]
    if "ORLIB" not in os.environ:
        sys.exit("ORLIB: must name the folder with OR-Library's port1.txt to port5.txt and portef1.txt to portef5.txt")
    return [{"number": number, "at": at} for number in portfolio.NAMES for at in range(0, 50, 2)]


if __name__ == "__main__":
    for job in jobs("--small" in sys.argv):
        print(json.dumps(job | solve(**job)), flush=True)
