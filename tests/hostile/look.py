"""What Python offers on a study: all of zilch.Study for reading and for writing, and the curves that plots are made of."""
import sys

EXPECTED = (ValueError, OSError, RuntimeError, MemoryError, KeyError, IndexError, OverflowError)
FEW = 3


def read(zilch, path):
    with zilch.Study(path) as study:
        for run in study.runs[:FEW]:
            number = run["run"]
            attempt(study.generations, number)
            attempt(study.evaluations, number)
            attempt(study.conclusions, number)
            attempt(go_on, study, number)
            repr(run)
    for column in ("best_value", "best_active"):
        attempt(zilch.plot._histories, path, column)


def go_on(study, number):
    """The optimiser of a run, with a few points asked for; nothing of it is written."""
    optimizer = study.resume(number)
    repr(optimizer)
    optimizer.ask(2)


def write(zilch, path):
    with zilch.Study(path, "write") as study:
        for run in study.runs[:FEW]:
            attempt(go_on, study, run["run"])
    zilch.minimize(lambda x: float(x[0]), 3, population=6, elites=2, generations=1, study=path)


def attempt(function, *arguments):
    """What is refused is said, as an interpreter does; anything unexpected goes up."""
    try:
        return function(*arguments)
    except EXPECTED as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        return None


def look(zilch, path, mode):
    attempt({"read": read, "write": write}[mode], zilch, path)
    sys.stderr.flush()
