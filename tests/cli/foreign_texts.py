"""Texts of others, with all in them that a terminal, a spreadsheet, LaTeX or a browser might obey.

foreign_texts.py ZILCH. They are planted in every text of a study, whatever its tables are, in the answers and
the stderr of an evaluator, in the names of files, columns and methods; then every command that might show them
runs. Neither its output nor a file it writes has a control character but the newline, a format character or a
byte that is not UTF-8, and no newline of theirs begins a line."""
import csv
import io
import json
import os
import pty
import re
import sqlite3
import subprocess
import sys
import unicodedata

ZILCH = sys.argv[1]
FORGED = "FORGED"
SEEN = "é\u0416\u65e5"  # ordinary letters, which stay
CODES = ("\x1b]0;title\x07\x1b[31m\x9b32m\x85\x7f\x08\r\u200b\u200e\u202e\u2066\u2028\u2029\u00ad\u061c\ufeff"
         "\u2060\u180e\ufff9\ue000\U000e0041\U0001d173")
ONE_LINE = SEEN + CODES + "end"  # for a place where a newline cannot be
MARK = SEEN + CODES + "\n" + FORGED + "\tend"
BAD_BYTES = b"\xff\x9b33m\xc3".decode("utf-8", "surrogateescape")
FORMULA = "=HYPERLINK(1)"
SMALL = ["--population", "20", "--elites", "5", "--generations", "2", "--final-evaluations", "3"]
problems = []
runs = 0


def complain(what, text=""):
    problems.append(what)
    print("FAILED:", ascii(what), ascii(text)[:300])


def is_seen(character):
    category = unicodedata.category(character)
    return character == "\n" or category not in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")


def check(what, data):
    """What is printed or written is seen as it is."""
    text = data.decode("utf-8", "surrogateescape")
    for match in re.finditer("[^\x20-\x7e\n]", text):
        if not is_seen(match[0]):
            complain(f"{what}: {match[0]!a} comes out", text[max(0, match.start() - 60):match.end() + 20])
            return
    for line in text.split("\n"):
        if line.lstrip().startswith(FORGED):
            complain(f"{what}: a newline of theirs begins a line", text)
            return


def zilch(*words, status=None, stdin="", **options):
    """The stdout and stderr of the command, which are looked at."""
    global runs
    runs += 1
    done = subprocess.run([ZILCH, *words], input=stdin.encode(), capture_output=True, check=False, timeout=60,
                          **options)
    name = "zilch " + " ".join(words)
    check(name + " (stdout)", done.stdout)
    check(name + " (stderr)", done.stderr)
    if status is not None and done.returncode != status:
        complain(f"{name}: status {done.returncode}", done.stderr.decode("utf-8", "replace"))
    return done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")


def check_file(path):
    with open(path, "rb") as file:
        data = file.read()
    check(f"the file {path}", data)
    return data.decode("utf-8", "replace")


def expect(what, where, text):
    if text not in where:
        complain(f"{what} lacks {text!a}", where)


# ---- A study of somebody else's.

FREE = {"name", "problem", "data", "fingerprint", "machine", "started", "version", "reason", "output"}  # the others are names of lists


def text_columns(connection):
    tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
    return [(table, column[1]) for table in tables for column in connection.execute(f"PRAGMA table_info('{table}')")
            if column[2].upper() == "TEXT"]


def plant(path, value, is_chosen):
    """In the texts of the study, of whatever table; gives their columns. What SQLite itself refuses stays."""
    connection = sqlite3.connect(path)
    planted = set()
    for table, column in text_columns(connection):
        try:
            if is_chosen(table, column):
                connection.execute(f'UPDATE "{table}" SET "{column}" = ?', (value,))
                planted.add(column)
        except sqlite3.Error:
            pass
    connection.commit()
    connection.close()
    return planted


def plant_free(path, value):
    planted = plant(path, value, lambda table, column: column in FREE and table != "settings")
    if planted != FREE:
        complain(f"{path}: has no text {FREE - planted}")


def set_settings(path, kind, settings):
    """These, and no others of this kind; and a name for each coordinate."""
    with sqlite3.connect(path) as connection:
        connection.execute("DELETE FROM settings WHERE kind = ?", (kind,))
        for name, value in settings.items():
            connection.execute("INSERT INTO settings SELECT run, ?, ?, ? FROM runs", (kind, name, value))
        connection.executemany("INSERT OR REPLACE INTO coordinates VALUES (1, ?, ?)", [(k, MARK + str(k)) for k in range(3)])
    connection.close()


def look_at(study):
    shown, _ = zilch("show", study)
    expect("show", shown, SEEN + "\\x1b]0;title")  # and what else of it fits in the column
    shown, _ = zilch("show", study, "--run", "1")
    expect("show --run", shown, SEEN + "\\x1b]0;title\\x07")
    expect("show --run", shown, "\\u202e")
    expect("show --run", shown, "\\U000e0041")
    expect("show --run", shown, "\\n" + FORGED + "\\tend")
    shown, _ = zilch("show", study, "--json", status=0)
    run = json.loads(shown)["runs"][0]
    for name in ("name", "problem", "machine", "started", "version"):
        if run[name] != MARK:
            complain(f"show --json: {name} has changed", run[name])
    expect("show --json", shown, SEEN)
    expect("show --json", shown, "\\ue000")
    zilch("show", study, "--run", "1", "--json", status=0)
    zilch("show", study, "--run", "1", "--all", status=0)
    zilch("best", study)
    zilch("best", study, "--json")
    zilch("best", study, "-o", "-")
    for kind in ([], ["--generations"], ["--failures"]):
        zilch("export", study, *kind, status=0)
        shown, _ = zilch("export", study, *kind, "--json", status=0)
        rows = json.loads(shown)
        if kind == ["--failures"] and (rows[0]["reason"], rows[0]["output"]) != (MARK, MARK):
            complain("export --failures --json: texts have changed", ascii(rows[0]))
    shown, _ = zilch("export", study, "--failures", status=0)
    if len(shown.splitlines()) != len(rows) + 1:
        complain("export --failures: a row is not a line", shown)
    zilch("resume", study)
    zilch("resume", study, "--generations", "9")
    zilch("ask", study)
    zilch("tell", study, "-", stdin="1 2\n")
    zilch("report", study, "-o", "page.html", env={"PATH": "/nowhere"})  # the page itself, without figures
    if os.path.exists("page.html"):
        check_file("page.html")
        os.remove("page.html")


def try_studies():
    with open("evaluate", "w", encoding="utf-8") as file:
        file.write(f"""#!/usr/bin/python3
import json, sys
for line in sys.stdin:
    id = json.loads(line)["id"]
    print({MARK!r}.encode(), file=sys.stderr)
    sys.stderr.buffer.write({MARK!r}.encode() + b"\\n\\xff\\n")
    sys.stderr.flush()
    answer = {{"id": id, "error": {MARK!r}}} if id % 2 or sys.argv[1:] == ["always"] else {{"id": id, "value": id}}
    print(json.dumps(answer, ensure_ascii=id % 4 == 1), flush=True)
""")
    os.chmod("evaluate", 0o755)
    _, said = zilch("optimize", "--program", "./evaluate", "--dim", "3", *SMALL, "--study", "program", status=0)
    zilch("export", "program", "--failures", status=0)
    zilch("export", "program", "--failures", "--json", status=0)
    _, said = zilch("optimize", "--program", "./evaluate always", "--dim", "3", *SMALL,
                    "--max-failures", "2", "--study", "never", status=1)
    expect("failures", said, "  | ")
    zilch("optimize", "--program", "sh -c \"echo '" + MARK.replace("\n", "") + "'\"", "--dim", "3", *SMALL,
          "--max-failures", "2", "--study", "garbage")
    zilch("optimize", "--program", "./none" + MARK, "--dim", "3", *SMALL, "--study", "none")
    with open("program", "rb") as file:
        study = file.read()
    program = {"program": "./evaluate " + MARK}
    for kind, settings in (("problem", program), ("problem", {**program, "response": MARK, "groups": MARK}), ("problem", {MARK: MARK}),
                           ("means", {MARK: MARK}), ("option", {"population": MARK, MARK: MARK}), ("limit", {MARK: MARK}),
                           ("final", {MARK: MARK})):
        with open("planted", "wb") as file:
            file.write(study)
        plant_free("planted", MARK)
        set_settings("planted", kind, settings)
        look_at("planted")
    connection = sqlite3.connect("program")
    columns = text_columns(connection)
    connection.close()
    for one in columns:  # where only some names are right, the message tells which is not
        with open("planted", "wb") as file:
            file.write(study)
        plant("planted", MARK, lambda table, column, one=one: (table, column) == one)
        zilch("show", "planted")
        zilch("show", "planted", "--run", "1", "--json")
        zilch("resume", "planted", "--generations", "3")
    with open("planted", "wb") as file:
        file.write(study)
    plant_free("planted", FORMULA)
    shown, _ = zilch("export", "planted", "--failures", status=0)
    row = list(csv.reader(io.StringIO(shown)))[1]
    if row[3:] != ["'" + FORMULA, "'" + FORMULA]:
        complain("export: a formula is not guarded", shown)


# ---- Every character there is.

def try_all_characters():
    """Those that Unicode calls controls, formats, separators of lines or private, each in a problem's text."""
    codes = [c for c in map(chr, range(1, 0x110000)) if not is_seen(c) and unicodedata.category(c) not in ("Cs", "Co")]
    codes += ["\ue000", "\uf8ff", "\ufdd0", "\ufffe", "\U0001ffff", "\U000f0000", "\U0010ffff"]
    zilch("optimize", "--problem", "smop1", "--dim", "3", *SMALL, "--study", "all", status=0)
    with sqlite3.connect("all") as connection:
        connection.execute("UPDATE runs SET problem = ?", ("".join(codes),))
    connection.close()
    shown, _ = zilch("show", "all", "--run", "1", status=0)
    if len(re.findall(r"\\[ntr]|\\x[0-9a-f]{2}|\\u[0-9a-f]{4}|\\U[0-9a-f]{8}", shown)) < len(codes):
        complain("show: not every character is there", shown)
    shown, _ = zilch("show", "all", "--json", status=0)
    if json.loads(shown)["runs"][0]["problem"] != "".join(codes):
        complain("show --json: some character has changed")


# ---- Names of files, columns, methods.

def try_names():
    header = [ONE_LINE, FORMULA, "-dash", "y"]
    rows = [[(i * j * 7 + i * i * 3) % 11 for j in range(1, 4)] for i in range(1, 60)]
    rows = [[*row, 2 * row[0] - 3 * row[1] + 4 * row[2]] for row in rows]
    for name in (MARK + ".csv", MARK + BAD_BYTES + ".csv"):
        with open(name, "w", encoding="utf-8", newline="\n") as file:
            file.write(",".join('"' + h + '"' for h in header) + "\n")
            file.writelines(",".join(map(str, row)) + "\n" for row in rows)
        zilch("fit", name, "-o", "law" + name, status=0)
        zilch("show", "law" + name, status=0)
        zilch("show", "law" + name, "--json", status=0)
        zilch("sample", "law" + name, "-n", "3", status=0)
        zilch("fit", name, "-o", "nowhere/" + name, status=1)
        zilch("play", "--controller", name)
        zilch("tell", "program", name)
        for command in ("show", "best", "export", "resume", "ask", "tell", "report", "sample", "fit", "play", "train",
                        "recover", "compare", "optimize", "lander"):
            zilch(command, name)
            zilch(command, "none" + name)
            zilch(command, "--" + name)
            zilch(command, "--weights=" + name, "--study=" + name, "--run=" + name)
        zilch(name)
        zilch("help", name)
        os.mkdir("box")
        zilch("optimize", "--problem", "linear", "--penalty", "0", "--data", name, *SMALL, "--study", "box/" + name)
        zilch("optimize", "--problem", "linear", "--data", name, "--response", name, *SMALL, "--study", "no")
        zilch("optimize", "--problem", "smop1", "--dim", "4", *SMALL, "--study", "box/s" + name, status=0)
        zilch("resume", "box/s" + name, "--generations", "3", status=0)
        zilch("show", "box/s" + name, "--json", status=0)
        zilch("optimize", "--problem", "lander", "--episodes", "1", "--held-out", "2", *SMALL, "--study", "box/-l" + name)
        zilch("report", "box/s" + name, "-o", "box/p" + name, env={"PATH": "/nowhere"})
        subprocess.run(["rm", "-r", "box"], check=True)
    data = MARK + ".csv"
    zilch("optimize", "--problem", "linear", "--penalty", "0", "--data", data, *SMALL, "--study", "fitted", status=0)
    shown, _ = zilch("best", "fitted", status=0)
    expect("best", shown, SEEN + "\\x1b")
    shown, _ = zilch("best", "fitted", "--json", status=0)
    names = [c["name"] for c in json.loads(shown)["best"]["fit"]["coefficients"]]
    if ONE_LINE not in names or FORMULA not in names:
        complain("best --json: names have changed", ascii(names))
    zilch("best", "fitted", "-o", "coefficients.csv", status=0)
    written = list(csv.reader(io.StringIO(check_file("coefficients.csv"))))
    if written[0][2:] != ["'" + FORMULA, "'-dash"] or any(not re.match(r"-?[0-9]", n) for n in written[1]):
        complain("best -o: formulas are guarded, and numbers are not", written)
    # What was written reads as the same names.
    with open("again.csv", "w", encoding="utf-8") as file:
        file.write("'=a,'b,-c,y\n" + "".join(",".join(map(str, row)) + "\n" for row in rows))
    zilch("optimize", "--problem", "linear", "--penalty", "0", "--data", "again.csv", *SMALL, "--study", "again", status=0)
    shown, _ = zilch("best", "again", "--json", status=0)
    names = {c["name"] for c in json.loads(shown)["best"]["fit"]["coefficients"]}
    if not names <= {"=a", "'b", "-c"} or "=a" not in names:
        complain("names do not read as they were", names)


def try_words():
    """What may be copied to a shell is taken back by it as it was."""
    with open(MARK + ".csv", "rb") as data, open("it's\\" + MARK, "wb") as copy:
        copy.write(data.read())
    zilch("optimize", "--problem", "linear", "--data", "it's\\" + MARK, *SMALL, "--study", "words", status=0)
    shown, _ = zilch("show", "words", "--run", "1", status=0)
    line = re.search("^asked for: zilch ((.*\\\\\n)*.*)$", shown, re.M)[1]
    words = subprocess.run(["bash", "-c", f"printf '%s\\0' {line}"], capture_output=True, check=True).stdout.split(b"\0")
    if os.path.join(os.getcwd(), "it's\\" + MARK).encode() not in words:
        complain("a shell does not take the word back", line)


def try_comparisons():
    data = MARK + ".csv"
    methods = f"{MARK}:default+population=20,@SUM(1):ea+population=20"
    for name in (data, "plain.csv"):
        problem = ["--problem", "linear", "--data", name] if name == data else ["--problem", "smop1", "--dim", "4"]
        words = ["compare", *problem, "--methods", methods, "--seeds", "2", "--generations", "4", "--targets", "1"]
        zilch(*words, "--at", "2", status=0)
        shown, _ = zilch(*words, "--csv", status=0)
        rows = list(csv.reader(io.StringIO(shown)))
        if len(rows) != 5 or {len(row) for row in rows} != {len(rows[0])} or rows[3][0] != "'@SUM(1)":
            complain("compare --csv", shown)
        shown, _ = zilch(*words, "--json", status=0)
        if json.loads(shown)["methods"][0]["method"] != MARK:
            complain("compare --json: a name has changed", shown)
        shown, _ = zilch(*words, "--latex", status=0)
        for line in shown.splitlines():
            if not re.match(r"%|\\|method|$|" + SEEN + "|@SUM", line):
                complain("compare --latex: a line of theirs", line)
        for kind in ("--csv", "--json", "--latex"):
            zilch(*words, kind, "-o", "compared", status=0)
            check_file("compared")
        zilch(*words, "--study", "s" + name, status=0)
        zilch("show", "s" + name, status=0)
        zilch("report", "s" + name, "-o", "page.html", env={"PATH": "/nowhere"})
        check_file("page.html")


def try_terminal():
    """The live line, which has codes of its own to be drawn over."""
    leader, follower = pty.openpty()
    with subprocess.Popen([ZILCH, "compare", "--problem", "smop1:dim=40", "--methods", MARK + ":default", "--seeds", "2",
                           "--evaluations", "30000"], stdout=subprocess.DEVNULL, stderr=follower) as started:
        os.close(follower)
        drawn = b""
        try:
            while piece := os.read(leader, 4096):
                drawn += piece
        except OSError:
            pass
    os.close(leader)
    if started.returncode != 0 or SEEN.encode() not in drawn:
        complain("no live line with the method's name", drawn.decode("utf-8", "replace"))
    check("the live line", drawn.replace(b"\r\x1b[K", b"").replace(b"\r\n", b"\n"))


for part in (try_studies, try_all_characters, try_names, try_words, try_comparisons, try_terminal):
    part()
    if len(problems) > 20:
        break
print(f"{runs} commands, {len(problems)} wrong")
sys.exit(bool(problems))
