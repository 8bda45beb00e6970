"""The studies that mutants are made of: one of each kind, made with the command that is tested."""
import json
import os
import random
import shutil
import sqlite3
import subprocess

import forge
import rows

HERE = os.path.dirname(os.path.abspath(__file__))
SMALL = ["--population", "6", "--elites", "2", "--threads", "1"]


def data_file(path):
    rng = random.Random(1)
    with open(path, "w") as file:
        file.write('length,"wi,dth",it\'s,y\n')
        for _ in range(30):
            row = [rng.random() for _ in range(3)]
            file.write(",".join(map(repr, row + [2 * row[0] + row[2]])) + "\n")


def run(zilch, words, cwd, text=None):
    done = subprocess.run([zilch] + words, cwd=cwd, input=text, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"hostile: cannot make a base study: zilch {' '.join(words)}: {done.stderr or done.stdout}")


def edit(path, *statements):
    connection = sqlite3.connect(path, isolation_level=None)
    for statement in statements:
        connection.execute(statement)
    connection.close()


def words_of(connection, run):
    """A run's settings as the command line of zilch 0.1 that a study of version 4 keeps."""
    old = {"forced_on": "on", "forced_off": "off", "max_failures": "most-failures", "final_evaluations": "recheck", "final_candidates": "shortlist"}
    problem, data, checksum = connection.execute("SELECT problem, data, fingerprint FROM runs WHERE run=?", (run,)).fetchone()
    words = ["optimize"] + ([] if problem == "program" else ["--problem", problem.split(":")[0] if data else problem]) + (["--data", data] if data else [])
    for kind, name, value in connection.execute("SELECT kind, name, value FROM settings WHERE run=? AND kind IN ('problem', 'limit', 'final')", (run,)):
        if value not in ("none", "automatic") and name != "final_pruning":
            words.append("--" + old.get(name, name).replace("_", "-") + ("" if value == "yes" else "=" + value))
    # As zilch 0.1 wrote it: without blanks.
    return json.dumps({"words": words, "checksum": checksum}, ensure_ascii=False, separators=(",", ":"))


def age(path, to):
    """The same study as one of version 4, which zilch 0.1 wrote."""
    connection = sqlite3.connect(to, isolation_level=None)
    with open(os.path.join(HERE, "../../src/store/schema4.sql"), encoding="utf-8") as file:
        connection.executescript(file.read())
    connection.execute("ATTACH ? AS new", (path,))
    connection.execute("PRAGMA foreign_keys=off")
    new = sqlite3.connect(path)
    for run, name, problem, data, machine, started, seed, dim, method, direction, penalty in new.execute(
            "SELECT run, name, problem, data, machine, started, seed, dim, method, direction, penalty FROM runs").fetchall():
        program = new.execute("SELECT value FROM settings WHERE run=? AND kind='problem' AND name='program'", (run,)).fetchone()
        problem = f"program:{program[0]}" if program else problem.replace(":", f":data={data},", 1) if data else problem
        law = {"default": "zig", "published": "zig", "gaussian": "dense"}.get(method, method)
        connection.execute("INSERT INTO runs VALUES (?, ?, ?, ?, ?, ?, '0.1.0', ?, ?, ?, ?, ?)",
                           (run, name, problem, words_of(new, run), machine, started, seed, dim, law, direction, penalty))
    new.close()
    for table in ("generations", "points", "evaluations", "checkpoints", "conclusions", "failures", "handed", "told"):
        connection.execute(f"INSERT INTO {table} SELECT * FROM new.{table}")
    connection.close()


def make(zilch, folder):
    """{name: path} of the base studies in the folder."""
    os.makedirs(folder)
    data_file(os.path.join(folder, "data.csv"))
    compare = ["compare", "--problem", "sphere:dim=5,active=2", "--seeds", "2", "--generations", "2", "--threads", "1",
               "--methods", "a:default+population=6+elites=2,b:default+population=7+elites=2"]
    run(zilch, compare + ["--study", "compare.study"], folder)
    run(zilch, ["lander", "--episodes", "1", "--generations", "2", "--held-out", "1", "--final-evaluations", "2", "--final-candidates", "1",
                "--study", "lander.study"] + SMALL, folder)
    run(zilch, ["optimize", "--problem", "linear", "--data", "data.csv", "--response", "y", "--generations", "2",
                "--study", "regression.study"] + SMALL, folder)
    # The program is interrupted: its run has no conclusion.
    run(zilch, ["optimize", "--program", "sh -c 'while read line; do echo 1; done'", "--plain", "--dim", "5", "--generations",
                "2", "--study", "program.study"] + SMALL, folder)
    edit(os.path.join(folder, "program.study"), "DELETE FROM conclusions")
    # The second generation is open, with a value that is back and one that failed; the first has failures with reasons.
    run(zilch, ["ask", "turns.study", "--dim", "3", "--refinement", "no", "--population", "6", "--elites", "2"], folder)
    lines = ['{"id":%d,"value":%d.5}' % (i, i) for i in range(4)] + ['{"id":%d,"error":"no licence for %d"}' % (i, i) for i in (4, 5)]
    run(zilch, ["tell", "turns.study"], folder, "\n".join(lines) + "\n")
    run(zilch, ["ask", "turns.study", "-n", "4"], folder)
    run(zilch, ["tell", "turns.study"], folder, '{"id":6,"value":0.5}\n{"id":7,"error":"out of memory"}\n')
    # A sphere that was interrupted: the study that is resumed at once.
    run(zilch, ["optimize", "--problem", "sphere:dim=5,active=2", "--generations", "2", "--study", "sphere.study"] + SMALL, folder)
    edit(os.path.join(folder, "sphere.study"), "DELETE FROM conclusions")
    names = ["compare", "lander", "regression", "program", "turns", "sphere"]
    studies = {name: os.path.join(folder, name + ".study") for name in names}
    studies["deleting"] = os.path.join(folder, "deleting.study")
    shutil.copy(studies["compare"], studies["deleting"])
    edit(studies["deleting"], "PRAGMA journal_mode=DELETE")
    for name in ("compare", "regression", "program", "turns", "sphere"):
        studies["old-" + name] = os.path.join(folder, "old-" + name + ".study")
        age(studies[name], studies["old-" + name])
    written = os.path.join(HERE, "../old_study")  # by zilch 0.1 itself
    for file in sorted(os.listdir(written)):
        with open(os.path.join(written, file), "rb") as stream:
            is_study = stream.read(15) == b"SQLite format 3"
        if is_study:
            studies["written-" + file] = os.path.join(folder, f"written-{file}.study")
            shutil.copy(os.path.join(written, file), studies["written-" + file])
    for name, path in studies.items():
        run(zilch, ["show", path], folder)
        connection = rows.connect(path)
        if not forge.seal(connection):
            raise SystemExit(f"hostile: the sums of {name} are others: forge.py does not know them any more")
        connection.close()
    return studies
