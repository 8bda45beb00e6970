"""Random command lines of 'zilch optimize', made of what its help says.

python3 random_options.py ZILCH COUNT. Each must end with status 0 and nothing on stderr, or with status 1 or
2 and a clean message: one line, and for status 2 the one that names the help. The options and their ranges are
read from the help, so that new ones are tried too. ZILCH_CASE=7 runs number 7 alone and shows it."""
import os
import random
import re
import subprocess
import sys
import tempfile

PROBLEMS = ["sphere", "smop1", "smop3", "smop5", "smop8", "ellipsoid", "rosenbrock"]
# Not tried: what needs a file or a program, what would be long, and a live line or page, which is not nothing on stderr.
LEFT_OUT = {"progress", "live", "problem", "program", "data", "warm-start", "weights", "bounds-file", "penalty-file", "default", "step", "values-file", "study", "help", "help-all", "dim",
            "timeout", "population", "generations", "evaluations", "held-out", "threads", "final-candidates",
            "final-evaluations", "seed", "episodes", "max-failures", "jobs", "ahead", "response", "time"}
# Refused for most problems: rarely tried.
SELDOM = {"quorum", "plain", "sparse", "once", "direction", "searched", "validation", "seeds", "gravity", "wind",
          "wind-power", "turbulence-power"}
JUNK = ["", "nan", "inf", "-1", "1e999", "0x10", "ten", "1,2", "--", "18446744073709551616", "é", "-",
        "1e-400"]


def options_of(text):
    """{name: (argument, what is said of it)}, the argument None of a flag."""
    found = {}
    start = r"^  (?:-\w, |    )--"
    for match in re.finditer(start + r"([a-z-]+)(?:=(\S+))?(.*?)(?=" + start + r"|\Z)", text, re.M | re.S):
        found[match[1]] = (match[2], " ".join(match[3].split()))
    return found


def number(rng, low, high, is_whole):
    """One of the range, its ends and what is small or large in it among them."""
    if is_whole and rng.random() < 0.95:
        small = rng.randint(int(low), int(min(high, low + 9)))
        return str(rng.choice([int(low), int(min(high, 2**64 - 1)), small]))
    whole = rng.randint(int(low), int(min(high, low + 40)))
    candidates = [low, high, rng.uniform(low, min(high, low + 10)), whole]
    if low <= 0:
        candidates += [10 ** rng.uniform(-300, 0), 5e-324] if high >= 1 else [low / 2]
    if high > 1e6:
        candidates += [10 ** rng.uniform(0, 300)]
    return repr(rng.choice(candidates))


def coordinates(rng, dim):
    return ",".join(rng.choice([str(rng.randint(1, dim + 1)), f"{rng.randint(1, dim)}-{rng.randint(1, dim)}"])
                    for _ in range(rng.randint(1, 3)))


def value_for(rng, name, argument, said, dim):
    if rng.random() < 0.02:
        return rng.choice(JUNK)
    if name in ("forced-on", "forced-off"):
        return coordinates(rng, dim)
    if name == "groups":
        return ";".join(coordinates(rng, dim) for _ in range(rng.randint(1, 3)))
    if name == "bounds":
        ends = ["none", "0", "-0", "1", "-1", "1e300", "-1e308", "1.7e308", "5e-324", "0.5", "-3"]
        return f"{rng.choice(ends)}:{rng.choice(ends)}"
    if name in ("min-active", "max-active"):
        return str(rng.randint(0, dim + (rng.random() < 0.05)))
    if name in ("elites", "archive-size"):
        return str(rng.choice([0, 2, 2, 3, 40 if name == "archive-size" else 5]))
    choices = re.search(r"\(([a-z-]+(?:\|[a-z-]+)+)", said)
    if choices:
        return rng.choice(choices[1].split("|"))
    within = re.search(r"\((-?[\d.][\de.+-]*) to (-?[\d.][\de.+-]*)", said)
    if within:
        return number(rng, float(within[1]), float(within[2]), argument == "N")
    # Help is silent about ends that say nothing: most numbers are at least 0.
    least = re.search(r"\(at least (\d+)", said)
    return number(rng, float(least[1]) if least else 0.0 if rng.random() < 0.9 else -1e300, 1e300, argument == "N")


def command_line(rng, options):
    dim = rng.randint(1, 30)
    name = rng.choice(PROBLEMS)
    more = f",active={rng.randint(0, dim)},noise={rng.choice([0, 1, 1e9])}" if name == "sphere" else ""
    problem = f"{name}:dim={dim}{more}"
    lander = ["--problem", "lander", "--episodes", "1", "--held-out", "2"]
    words = ["--problem", problem] if rng.random() < 0.95 else lander
    words += ["--population", str(rng.randint(3, 30)), "--generations", str(rng.randint(1, 3))]
    words += ["--threads", "1", "--seed", str(rng.choice([0, 1, 2**64 - 1, rng.randint(0, 10**6)]))]
    usual = sorted(set(options) - SELDOM) if rng.random() < 0.95 else sorted(options)
    for option in rng.sample(usual, rng.choice([0, 1, 2, 4, 6, 10])):
        argument, said = options[option]
        value = f"={value_for(rng, option, argument, said, dim)}" if argument else ""
        words.append(f"--{option}{value}")
    return words


def complaint(status, out, err):
    """What is wrong with how it ended; None if nothing is."""
    lines = err.splitlines()
    if status == 0:
        return None if out and not err else "status 0, but not a word, or something on stderr"
    if status not in (1, 2):
        return f"status {status}"
    hint = ["Try 'zilch optimize --help'."] if status == 2 else []
    clean = lines and lines[0].startswith("zilch optimize: ") and len(lines[0]) > 20 and \
        (lines[1:] == hint or (status == 1 and lines[1:] == ["zilch resume s.study"]))
    return None if clean else f"status {status} without a clean message"


def main():
    zilch, count = sys.argv[1], int(sys.argv[2])
    only = os.environ.get("ZILCH_CASE")
    text = subprocess.run([zilch, "optimize", "--help-all"], capture_output=True, text=True, check=True).stdout
    options = {name: said for name, said in options_of(text).items() if name not in LEFT_OUT}
    assert len(options) > 40, options
    ended = {0: 0, 1: 0, 2: 0}
    wrong = 0
    for case in [int(only)] if only else range(count):
        words = command_line(random.Random(case), options)
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([zilch, "optimize", "--study", "s.study", *words], cwd=folder, text=True,
                                  capture_output=True, stdin=subprocess.DEVNULL, timeout=120, check=False)
        bad = complaint(done.returncode, done.stdout, done.stderr)
        if bad or only:
            wrong += bool(bad)
            print(f"case {case}: {bad}\n  {words}\n{done.stderr}")
        ended[done.returncode] = ended.get(done.returncode, 0) + 1
    print(f"{sum(ended.values())} command lines of {len(options)} options, by status: {ended}")
    return 1 if wrong else 0


sys.exit(main())
