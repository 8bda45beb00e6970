"""Mutations of what a study says, by SQL: its rows and its schema. A mutation is a function of a Mutant that returns what it did."""
import json
import sqlite3

import values

TABLES = ["runs", "settings", "coordinates", "generations", "points", "evaluations", "checkpoints", "conclusions", "failures", "handed", "told", "journal"]
# What decides which column: the texts and blobs are where programs, pages and readers of bytes are reached.
# Those that a study does not have are of another version.
TEXTS = ["runs.name", "runs.problem", "runs.arguments", "runs.data", "runs.fingerprint", "runs.machine", "runs.started", "runs.version",
         "runs.method", "runs.law", "runs.direction", "settings.kind", "settings.name", "settings.value", "settings.value", "coordinates.name",
         "failures.reason", "failures.output", "conclusions.stop"]
FAVOURED = TEXTS + ["conclusions.x", "points.genome", "checkpoints.state", "runs.dim", "runs.run"]


def connect(path):
    connection = sqlite3.connect(path, isolation_level=None)
    connection.text_factory = bytes
    connection.execute("PRAGMA foreign_keys=off")
    connection.execute("PRAGMA ignore_check_constraints=on")
    return connection


def columns(connection, table):
    """[(name, declared type)] of what can be set."""
    rows = connection.execute(f"PRAGMA table_info({table})").fetchall()
    return [(row[1].decode("utf-8", "replace"), row[2].decode("utf-8", "replace")) for row in rows]


def there(connection, names):
    """Of these columns, TABLE.COLUMN, those that the study has."""
    return [name for name in names if name.split(".")[1] in dict(columns(connection, name.split(".")[0]))]


def choose_table(mutant, connection=None):
    own = connection or connect(mutant.path)
    found = [table for table in TABLES if columns(own, table)]
    if not connection:
        own.close()
    return mutant.rng.choice(found or TABLES)


def choose_column(mutant, connection):
    if mutant.rng.random() < 0.6:
        table, name = mutant.rng.choice(there(connection, FAVOURED) or FAVOURED).split(".")
        return table, name, dict(columns(connection, table)).get(name, "ANY")
    table = choose_table(mutant, connection)
    name, kind = mutant.rng.choice(columns(connection, table))
    return table, name, kind


def rewrite_schema(connection, edits):
    """Set the SQL of tables without SQLite's looking at it."""
    connection.execute("PRAGMA writable_schema=on")
    for name, sql in edits.items():
        connection.execute("UPDATE sqlite_schema SET sql=? WHERE name=?", (sql, name))
    connection.execute("PRAGMA writable_schema=off")


def schema_of(connection, table):
    row = connection.execute("SELECT sql FROM sqlite_schema WHERE name=?", (table,)).fetchone()
    if row is None or row[0] is None:
        raise sqlite3.OperationalError(f"no table {table}")
    return row[0].decode("utf-8", "replace")


def put(connection, mutant, table, name, value):
    """Into one row or all; a text is bytes, which need be no UTF-8. Returns which."""
    holder = "CAST(? AS TEXT)" if isinstance(value, bytearray) else "?"
    value = bytes(value) if isinstance(value, bytearray) else value
    if mutant.rng.random() < 0.5:
        connection.execute(f'UPDATE OR IGNORE {table} SET "{name}"={holder}', (value,))
        return "all rows"
    rows = connection.execute(f"SELECT COUNT(*) FROM {table}").fetchone()[0]
    at = mutant.rng.randrange(max(rows, 1))
    key = columns(connection, table)[0][0]
    connection.execute(f'UPDATE OR IGNORE {table} SET "{name}"={holder} WHERE "{key}" IN (SELECT "{key}" FROM {table} LIMIT 1 OFFSET ?)',
                       (value, at))
    return f"row {at}"


def shown(value):
    text = repr(bytes(value) if isinstance(value, bytearray) else value)
    return text if len(text) < 60 else f"{text[:40]}... ({len(text)} characters)"


def change_text(mutant):
    connection = connect(mutant.path)
    table, name = mutant.rng.choice(there(connection, TEXTS) or TEXTS).split(".")
    value = bytearray(mutant.rng.choice(values.texts(mutant.place)))
    where = put(connection, mutant, table, name, value)
    connection.close()
    return f"{table}.{name} = {shown(value)} in {where}"


def change_all_texts(mutant):
    """The same text everywhere, and figures' labels among it."""
    connection = connect(mutant.path)
    value = mutant.rng.choice(values.texts(mutant.place))
    for column in there(connection, TEXTS):
        table, name = column.split(".")
        if name not in ("method", "law", "direction", "stop", "arguments", "kind") and column != "settings.name":
            connection.execute(f'UPDATE {table} SET "{name}"=CAST(? AS TEXT)', (value,))
    connection.close()
    return f"all texts = {shown(value)}"


def change_names_and_problem(mutant):
    """Names that are macros or end a string, together with a problem that goes on behind it."""
    connection = connect(mutant.path)
    rng, texts = mutant.rng, values.texts(mutant.place)
    enders = [b"it's", b"@problem", b"it's", b"@problem", b"'", b"\\", b"\\'", b'"', b"`", b"x'.problem.'", b"a\nb", rng.choice(texts)]
    names = [rng.choice(enders) for _ in range(4)]
    for run, name in enumerate(names):
        connection.execute("UPDATE runs SET name=CAST(? AS TEXT) WHERE run=?", (name, run + 1))
    problem = rng.choice([text for text in texts if values.PWNED.encode() in text])
    connection.execute("UPDATE runs SET problem=CAST(? AS TEXT)", (problem,))
    connection.close()
    return f"names {names}, problem {shown(problem)}"


def grafted(mutant, old):
    """The run's own words, with an option more that names a program or a file, or asks for much."""
    try:
        words = json.loads(old)["words"]
    except (ValueError, KeyError, TypeError):
        words = ["optimize"]
    touch = f"sh -c 'touch {mutant.place}/{values.PWNED}; cat'"
    dim = str(mutant.dim)
    if mutant.rng.random() < 0.5:
        kept = [word for i, word in enumerate(words) if not word.startswith("--problem") and words[i - 1] != "--problem"]
        return kept + [mutant.rng.choice(["--program=" + touch, "--program=sh -c touch${IFS}PWNED", "--program=/bin/sh"]), "--dim=" + dim]
    return words + mutant.rng.choice([
        ["--program=" + touch], ["--program", touch, "--dim", dim], ["--study", f"{mutant.place}/{values.PWNED}"], ["--threads=1024"],
        ["--weights=/dev/zero", "--inverter=amortised"], ["--warm-start=/dev/zero"], ["--bounds-file=/dev/zero"], ["--data=/dev/zero"],
        ["--data=/etc/passwd"], ["--population=1000000"], ["--dim=1000000"], ["--generations=1000000000"], ["--recheck=10000000"],
        ["--held-out=1000000"], ["--shortlist=100000"], ["--time=1e300"], ["--jobs=4096"], ["--remember=1"], ["--prior-p=1e6"], ["--restart=1"],
        ["--over-ask=10"], ["--help"]])


def change_request(mutant):
    """What a run goes on with: its settings; of version 4, its arguments."""
    connection = connect(mutant.path)
    is_old = bool(there(connection, ["runs.arguments"]))
    connection.close()
    return change_arguments(mutant) if is_old else change_settings(mutant)


def change_settings(mutant):
    connection = connect(mutant.path)
    rng = mutant.rng
    settings = rng.choice(values.settings(mutant.place))
    is_graft = rng.random() < 0.6
    if not is_graft:
        connection.execute("DELETE FROM settings" + rng.choice(["", " WHERE kind='problem'", " WHERE kind IN ('problem', 'means')"]))
    for kind, name, value in settings:
        kind = kind if rng.random() < 0.9 else rng.choice(["option", "limit", "final", "problem", "means", "", "Problem"])
        connection.execute("INSERT OR REPLACE INTO settings SELECT run, ?, ?, ? FROM runs", (kind, name, value))
    # A run that is evaluated by a program says so twice; and data are named beside the settings.
    said = ""
    if rng.random() < 0.5:
        said = rng.choice(["program", "program", "linear:response=1,searched=subset,validation=0.3", "by hand", "sphere:dim=5,active=2,noise=0"])
        connection.execute("UPDATE runs SET problem=?, data=?", (said, rng.choice(["", "-", "/dev/zero", "/etc/passwd", mutant.place + "/" + values.PWNED])))
    if rng.random() < 0.8:
        connection.execute("DELETE FROM conclusions")
    connection.close()
    return f"settings {'go on' if is_graft else 'are'} {settings!r:.160} {said}"


def change_arguments(mutant):
    connection = connect(mutant.path)
    old = (connection.execute("SELECT arguments FROM runs").fetchone() or [b""])[0]
    mutant.dim = (connection.execute("SELECT dim FROM runs").fetchone() or [5])[0]
    is_graft = mutant.rng.random() < 0.6
    words = grafted(mutant, old) if is_graft else mutant.rng.choice(values.programs(mutant.place))
    checksum = mutant.rng.choice(["", "", "4f90df93f5cdd291", "x" * 1000])
    connection.execute("UPDATE runs SET arguments=?", (values.arguments(words, checksum),))
    if mutant.rng.random() < 0.8:
        connection.execute("DELETE FROM conclusions")
    connection.close()
    return f"arguments {'go on' if is_graft else 'are'} {' '.join(words)[-160:]}"


def change_value(mutant):
    """Of any column, by its type."""
    connection = connect(mutant.path)
    table, name, kind = choose_column(mutant, connection)
    rng = mutant.rng
    if kind == "BLOB":
        old = connection.execute(f"SELECT {name} FROM {table} LIMIT 1 OFFSET ?", (rng.randrange(3),)).fetchone()
        value = values.blob(rng, old[0] if old else b"")
    elif kind == "TEXT":
        value = bytearray(rng.choice(values.texts(mutant.place)))
    else:
        value = values.number(rng, kind == "INTEGER")
    where = put(connection, mutant, table, name, value)
    connection.close()
    return f"{table}.{name} = {shown(value)} in {where}"


def change_type(mutant):
    """A value of another type than the column's. The table says again that it is strict afterwards, or no longer does."""
    connection = connect(mutant.path)
    table, name, _ = choose_column(mutant, connection)
    old = schema_of(connection, table)
    loose = old.replace("STRICT, WITHOUT ROWID", "WITHOUT ROWID").replace(") STRICT", ")").replace("NOT NULL", "")
    rewrite_schema(connection, {table: loose})
    connection.close()
    connection = connect(mutant.path)
    rng = mutant.rng
    value = rng.choice([None, None, bytearray(rng.choice(values.texts(mutant.place))), rng.choice(values.INTEGERS), values.double(rng),
                        values.blob(rng, b"12345678"), rng.randbytes(10**6)])
    where = put(connection, mutant, table, name, value)
    kept = rng.random() < 0.7
    if kept:
        rewrite_schema(connection, {table: old})
    connection.close()
    return f"{table}.{name} = {shown(value)} in {where}, {'still' if kept else 'no longer'} strict"


def change_rows(mutant):
    """Rows go away, come twice, or change their numbers."""
    connection = connect(mutant.path)
    rng = mutant.rng
    table = choose_table(mutant, connection)
    key = rng.choice([name for name, kind in columns(connection, table) if kind == "INTEGER"])
    statement = rng.choice([
        f"DELETE FROM {table}",
        f"DELETE FROM {table} WHERE run % 2 = 1",
        f"DELETE FROM {table} WHERE {key} > 1",
        f"DELETE FROM {table} WHERE {key} = (SELECT MAX({key}) FROM {table})",
        f"UPDATE OR IGNORE {table} SET {key} = -{key}",
        f"UPDATE OR IGNORE {table} SET {key} = {key} + 1000",
        f"UPDATE OR IGNORE {table} SET {key} = (SELECT MAX({key}) FROM {table}) - {key}",
        f"UPDATE OR IGNORE {table} SET {key} = {key} * 4294967296",
        f"UPDATE OR IGNORE {table} SET {key} = {rng.choice(values.INTEGERS)} WHERE {key} = (SELECT MIN({key}) FROM {table})",
    ])
    if rng.random() < 0.3:
        others = ", ".join(f'"{name}"' for name, _ in columns(connection, table) if name != key)
        count = rng.choice([2, 100, 20000])
        statement = (f"WITH RECURSIVE n(i) AS (SELECT 1000 UNION ALL SELECT i + 1 FROM n WHERE i < 999 + {count}) INSERT OR IGNORE INTO "
                     f"{table} ({key}, {others}) SELECT n.i, {others} FROM n, (SELECT * FROM {table} LIMIT 1)")
    connection.execute(statement)
    connection.close()
    return statement


def change_identity(mutant):
    connection = connect(mutant.path)
    pragma = mutant.rng.choice(["user_version", "application_id", "schema_version"])
    value = mutant.rng.choice([0, 1, 2, 3, 4, 4, 5, 5, 6, -1, 2**31 - 1, -2**31])
    connection.execute(f"PRAGMA {pragma}={value}")
    connection.close()
    return f"{pragma} = {value}"


ALL = [change_text, change_all_texts, change_names_and_problem, change_request, change_request, change_value, change_value, change_type,
       change_rows, change_identity]
