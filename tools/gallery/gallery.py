"""Runs cases of the gallery, draws their figures and prints their tables; tools/gallery.sh calls it.

    gallery.py [--small | --slow] FOLDER [CASE ...]

A case is a script of examples/gallery with jobs(small), a list of dictionaries, and solve(**job), which gives what is found. Each
row, a job with what was found, is added to FOLDER/CASE.rows when it is there, and jobs that are there are not done again. When all are
done, FOLDER/CASE.json has the rows, the machine, the versions and the processor time, and FOLDER/CASE.svg is the figure; then
the case is not run again. Two processes work. With --small, a case has a few small jobs, which say that it works and nothing more.

A script may also have slow_jobs(), for a peer that takes an hour. With --slow, one process adds the rows of these to FOLDER/CASE.json,
which must be there, and under "slow" machine, versions and processor time. These packages are in requirements-slow.txt.
"""
import argparse
import concurrent.futures
import importlib
import importlib.metadata
import json
import multiprocessing
import os
import platform
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "examples" / "gallery"))
import pages  # noqa: E402

CASES = sorted(pages.CASES)


def solved(case, job):
    """A row, and the processor time that it took."""
    began = time.process_time()
    row = job | importlib.import_module(case).solve(**job)
    return row | {"processor": time.process_time() - began}


def processor():
    """What the machine says of its processor."""
    for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines() if Path("/proc/cpuinfo").exists() else ():
        if line.startswith("model name"):
            return line.split(":")[1].strip()
    return platform.processor()


def versions(requirements):
    """Those of zilch, of Python and of what this file beside the script names."""
    import zilch
    lines = Path(__file__).with_name(requirements).read_text(encoding="utf-8").splitlines()
    names = [line.split("==")[0].split("[")[0] for line in lines if "==" in line]
    return {"zilch": zilch.__version__, "python": platform.python_version(), **{name: importlib.metadata.version(name) for name in names}}


def rows_of(path):
    """The rows that are there; the last line may be broken off."""
    rows = []
    for line in path.read_text(encoding="utf-8").splitlines(keepends=True) if path.exists() else ():
        if line.endswith("\n"):
            rows.append(json.loads(line))
    return rows


def run(case, jobs, path, processes):
    """All rows of a case, in the order of its jobs; path is where they are kept meanwhile."""
    rows = rows_of(path)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    missing = [job for job in jobs if not any(job.items() <= row.items() for row in rows)]
    with concurrent.futures.ProcessPoolExecutor(processes, multiprocessing.get_context("spawn")) as pool, path.open("a", encoding="utf-8") as file:
        pending = [pool.submit(solved, case, job) for job in missing]
        for count, future in enumerate(concurrent.futures.as_completed(pending), 1):
            rows.append(future.result())
            file.write(json.dumps(rows[-1]) + "\n")
            file.flush()
            print(f"{case}: {count} of {len(missing)}", file=sys.stderr)
    return [next(row for row in rows if job.items() <= row.items()) for job in jobs]


def measured(rows, requirements):
    """Where rows come from, and how long they took."""
    machine = {"processor": processor(), "cores": os.cpu_count(), "system": f"{platform.system()} {platform.machine()}"}
    return {"machine": machine, "versions": versions(requirements), "processor seconds": sum(row["processor"] for row in rows)}


def keep(path, found):
    part = path.with_suffix(".part")
    part.write_text(pages.as_text(found), encoding="utf-8")
    part.replace(path)


def measure(case, folder, is_small):
    """Makes the numbers of a case."""
    rows = run(case, importlib.import_module(case).jobs(is_small), folder / f"{case}.rows", 2)
    keep(folder / f"{case}.json", {"case": case} | measured(rows, "requirements.txt") | {"rows": rows})
    (folder / f"{case}.rows").unlink()


def measure_slow(case, folder):
    """Adds the slow rows to the numbers of a case."""
    module, path = importlib.import_module(case), folder / f"{case}.json"
    if not hasattr(module, "slow_jobs") or not path.exists():
        sys.exit("has no slow jobs" if path.exists() else f"{path} must be there first")
    found = json.loads(path.read_text(encoding="utf-8"))
    if "slow" not in found:
        rows = run(case, module.slow_jobs(), folder / f"{case}-slow.rows", 1)
        keep(path, found | {"slow": measured(rows, "requirements-slow.txt"), "rows": found["rows"] + rows})
        (folder / f"{case}-slow.rows").unlink()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--slow", action="store_true")
    parser.add_argument("folder", type=Path)
    parser.add_argument("cases", nargs="*", metavar="CASE")
    arguments = parser.parse_args()
    for case in arguments.cases:
        if case not in CASES:
            parser.error(f"{case}: is no case; these are: {', '.join(CASES)}")
    arguments.folder.mkdir(parents=True, exist_ok=True)
    status = 0
    for case in arguments.cases or CASES:
        path = arguments.folder / f"{case}.json"
        try:
            if arguments.slow:
                measure_slow(case, arguments.folder)
            elif not path.exists():
                measure(case, arguments.folder, arguments.small)
        except SystemExit as reason:  # it lacks data
            print(f"{case}: {reason}", file=sys.stderr)
            status = 1
            continue
        found = json.loads(path.read_text(encoding="utf-8"))
        pages.draw(case, found["rows"], arguments.folder / f"{case}.svg")
        print(f"{case}, {found['processor seconds']:.0f} s of one processor\n\n{pages.table(case, found['rows'])}\n", flush=True)
    return status


if __name__ == "__main__":
    sys.exit(main())
