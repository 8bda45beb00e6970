"""Mutations of a study's schema: SQL that another program wrote, and that SQLite runs when a reader reads."""
import re
import sqlite3

import rows

COSTLY = ["instr(printf('%.*c',20000000,'a'),printf('%.*c',10000000,'a')||'b')", "length(zeroblob(900000000))", "length(hex(zeroblob(300000000)))",
          "length(replace(hex(zeroblob(3000000)),'0','aaaaaaaaaa'))", "printf('%.*c',200000000,'a')", "'a' LIKE printf('%.*c',100000,'%a')",
          "replace(printf('%.*c',20000000,'a'),'a','bbbbbbbb')", "abs(-9223372036854775807-1)", "json('[1')", "load_extension('/tmp/x.so')",
          "writefile('PWNED','x')", "edit('x')", "zeroblob(999999999)", "group_concat('x')", "randomblob(500000000)"]
# Against queries that scan: an endless or a very long one.
ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n) SELECT count(*) FROM n"


def reopen_with(mutant, edits):
    connection = rows.connect(mutant.path)
    rows.rewrite_schema(connection, edits)
    connection.close()


def text_of(mutant, table):
    connection = rows.connect(mutant.path)
    sql = rows.schema_of(connection, table)
    connection.close()
    return sql


def execute(mutant, *statements):
    connection = rows.connect(mutant.path)
    connection.execute("PRAGMA trusted_schema=on")
    for statement in statements:
        connection.execute(statement)
    connection.close()


def pick(mutant):
    """A table, one of its columns, and the line that declares it."""
    table = rows.choose_table(mutant)
    sql = text_of(mutant, table)
    lines = re.findall(r"^ +(\w+) +(?:INTEGER|TEXT|REAL|BLOB|ANY)\b[^\n]*\n", sql, re.M)
    name = mutant.rng.choice(lines)
    line = re.search(rf"^ +{name} +(?:INTEGER|TEXT|REAL|BLOB|ANY)\b[^\n]*\n", sql, re.M)[0]
    return table, name, sql, line


def asked(mutant):
    """Columns with what a run was asked for, as the study's version has them."""
    connection = rows.connect(mutant.path)
    found = rows.there(connection, ["runs.arguments", "settings.value", "settings.name", "coordinates.name"])
    connection.close()
    return [tuple(name.split(".")) for name in found]


def generated_column(mutant):
    table, name, sql, line = pick(mutant)
    if mutant.rng.random() < 0.6:
        table, name = mutant.rng.choice([("runs", "machine"), ("runs", "problem"), ("runs", "name"), ("points", "genome"), *asked(mutant)])
        sql = text_of(mutant, table)
        line = re.search(rf"^ +{name} [^\n]*\n", sql, re.M)[0]
    cost = mutant.rng.choice(COSTLY)
    kind = {"genome": "BLOB", "dim": "INTEGER"}.get(name, "TEXT")
    # The last column has no comma behind it.
    comma = "," if "," in re.sub(r"\(.*?\)|--.*", "", line) else ""
    new = f"    {name} {kind} AS ({cost}||'') {mutant.rng.choice(['VIRTUAL', 'VIRTUAL', 'STORED'])}{comma}\n"
    reopen_with(mutant, {table: sql.replace(line, new)})
    return f"{table}.{name} is generated: {cost}"


def check_constraint(mutant):
    table, name, sql, line = pick(mutant)
    cost = mutant.rng.choice(COSTLY)
    reopen_with(mutant, {table: sql.replace(f"    {name} ", f"    CHECK_{name} INTEGER DEFAULT 0 CHECK ({cost} IS NOT 7),\n    {name} ", 1)
                         if mutant.rng.random() < 0.3 else re.sub(r"\n\)", f",\n CHECK ({cost} IS NOT 7)\n)", sql)})
    return f"{table} has a constraint: {cost}"


def default_value(mutant):
    table, name, sql, line = pick(mutant)
    cost = mutant.rng.choice(COSTLY)
    reopen_with(mutant, {table: re.sub(r"\n\)", f",\n extra TEXT DEFAULT ({cost})\n)", sql)})
    return f"{table} has a column with the default {cost}"


def view_for_table(mutant):
    table = rows.choose_table(mutant)
    names = [name for name, _ in _columns(mutant, table)]
    other = f"hidden_{table}"
    cost = mutant.rng.choice(COSTLY + [f"({ENDLESS})"])
    body = ", ".join(f"({cost})||'' AS \"{name}\"" if mutant.rng.random() < 0.3 else f'"{name}"' for name in names)
    tail = mutant.rng.choice(["", f", ({ENDLESS})", f" UNION ALL SELECT * FROM {other}", f", {other} AS b, {other} AS c, {other} AS d"])
    if "AS b" in tail:
        body = ", ".join(f'{other}."{name}"' for name in names)
    execute(mutant, f"ALTER TABLE {table} RENAME TO {other}", f"CREATE VIEW {table} AS SELECT {body} FROM {other}{tail}")
    return f"{table} is a view: {body[:80]}{tail}"


def _columns(mutant, table):
    connection = rows.connect(mutant.path)
    found = rows.columns(connection, table)
    connection.close()
    if not found:
        raise sqlite3.OperationalError("no columns")
    return found


def trigger(mutant):
    table = rows.choose_table(mutant)
    when = mutant.rng.choice(["BEFORE", "AFTER"])
    event = mutant.rng.choice(["INSERT", "UPDATE", "DELETE"])
    body = mutant.rng.choice([f"SELECT {mutant.rng.choice(COSTLY)}", f"INSERT INTO failures SELECT 1, 1, i, 'x', 'y' FROM ({ENDLESS.replace('count(*)', 'i')})",
                              "DELETE FROM runs", "UPDATE settings SET value='x'", "UPDATE runs SET problem='x'", f"SELECT ({ENDLESS})", "SELECT RAISE(IGNORE)"])
    name = mutant.rng.choice(["t", "runs_t", "sqlite_t"[1:]])
    execute(mutant, f"CREATE TRIGGER {name} {when} {event} ON {table} BEGIN {body}; END")
    return f"trigger {when} {event} ON {table}: {body}"


def index(mutant):
    table = rows.choose_table(mutant)
    name = mutant.rng.choice(_columns(mutant, table))[0]
    cost = mutant.rng.choice(["hex({0})", "{0}||'x'", "length({0})"]).format(f'"{name}"')
    execute(mutant, f"CREATE INDEX extra ON {table} ({cost}) WHERE {name} IS NOT 3")
    expensive = mutant.rng.choice(COSTLY)
    reopen_with(mutant, {"extra": f"CREATE INDEX extra ON {table} ({expensive}) WHERE {expensive} IS NOT 3"})
    return f"index on {table}: {expensive}"


def extra_table(mutant):
    made = mutant.rng.choice([
        "CREATE TABLE extra (a)", "CREATE TABLE \"a'b\"\"c\" (a)", "CREATE TABLE sqlite_x (a)", "CREATE VIRTUAL TABLE extra USING fts5(a)",
        "CREATE VIRTUAL TABLE extra USING rtree(a,b,c)", "CREATE VIRTUAL TABLE extra USING fts4(a)", "CREATE VIRTUAL TABLE extra USING dbstat",
        "CREATE TABLE extra (a TEXT COLLATE nocase) WITHOUT ROWID", "CREATE TABLE Runs2 (a)", "ANALYZE"])
    execute(mutant, made)
    return made


def virtual_table(mutant):
    """A table of the schema becomes a module's."""
    table = rows.choose_table(mutant)
    module = mutant.rng.choice(["fts5(run,name)", "rtree(run,a,b)", "csv(filename='/etc/passwd')", "dbstat", "zipfile('/etc/passwd')", "fts3_tokenizer",
                                "generate_series", "pragma_table_info", "json_each", "sqlite_dbpage", "echo(runs)"])
    connection = rows.connect(mutant.path)
    connection.execute("PRAGMA writable_schema=on")
    connection.execute("UPDATE sqlite_schema SET rootpage=0, sql=? WHERE name=?", (f"CREATE VIRTUAL TABLE {table} USING {module}", table))
    connection.close()
    return f"{table} is a virtual table of {module}"


def statistics(mutant):
    table = rows.choose_table(mutant)
    execute(mutant, "ANALYZE", "DELETE FROM sqlite_stat1")
    connection = rows.connect(mutant.path)
    for value in ("9" * 100, "-1 -1", "a" * 100000, "1 1 1 1 1 1 1 1 1 1 1 1 1", "\x00", "unordered noskipscan sz=-1"):
        connection.execute("INSERT INTO sqlite_stat1 VALUES (?, ?, ?)", (table, f"sqlite_autoindex_{table}_1", value))
    connection.close()
    return f"statistics of {table} are nonsense"


def reworded(mutant):
    """The SQL of a table in other words: comments, names, collations, keys."""
    table, name, sql, line = pick(mutant)
    kind = mutant.rng.randrange(9)
    if kind == 0:
        new = re.sub(r"--[^\n]*", "-- \x1b]0;PWN\x07 '\"`", sql)
    elif kind == 1:
        new = sql.replace(f" {name} ", f" {name}_ ")
    elif kind == 2:
        new = sql.replace(line, re.sub(r"(INTEGER|TEXT|REAL|BLOB|ANY)", r"\1 COLLATE none_such", line, 1))
    elif kind == 3:
        new = sql.replace(", WITHOUT ROWID", "") if "WITHOUT ROWID" in sql else sql.replace("STRICT", "STRICT, WITHOUT ROWID")
    elif kind == 4:
        new = sql.replace("PRIMARY KEY", "UNIQUE", 1)
    elif kind == 5:
        new = sql + " -- " + "x" * mutant.rng.choice([1, 1000000])
    elif kind == 6:
        new = re.sub(r"\n\)", ",\n" + ",\n".join(f"c{i} INTEGER" for i in range(mutant.rng.choice([1, 1900, 3000]))) + "\n)", sql)
    elif kind == 7:
        new = mutant.rng.choice(["", "CREATE", "SELECT 1", "CREATE TABLE x AS SELECT 1", sql[:len(sql) // 2], "DROP TABLE runs", sql + "; DROP TABLE runs"])
    else:
        new = sql.replace(line, line.replace("INTEGER", "TEXT").replace("REAL", "ANY"))
    reopen_with(mutant, {table: new})
    return f"the SQL of {table} is reworded ({kind}, {name})"


def misplaced(mutant):
    """Tables at other tables' pages, twice, or nowhere."""
    connection = rows.connect(mutant.path)
    connection.execute("PRAGMA writable_schema=on")
    one, other = mutant.rng.sample(rows.TABLES, 2)
    statement = mutant.rng.choice([
        f"UPDATE sqlite_schema SET rootpage=(SELECT rootpage FROM sqlite_schema WHERE name='{other}') WHERE name='{one}'",
        f"UPDATE sqlite_schema SET rootpage={mutant.rng.choice([0, 1, 2, -1, 99999999, 3, 14])} WHERE name='{one}'",
        f"DELETE FROM sqlite_schema WHERE tbl_name='{one}'",
        f"UPDATE sqlite_schema SET name='{other}', tbl_name='{other}' WHERE name='{one}'",
        f"UPDATE sqlite_schema SET type='{mutant.rng.choice(['view', 'index', 'trigger', 'x'])}' WHERE name='{one}'",
        f"INSERT INTO sqlite_schema SELECT * FROM sqlite_schema WHERE name='{one}'",
        f"UPDATE sqlite_schema SET sql=NULL WHERE name='{one}'",
        f"UPDATE sqlite_schema SET sql=zeroblob(100) WHERE name='{one}'"])
    connection.execute(statement)
    connection.close()
    return statement


ALL = [generated_column, generated_column, generated_column, check_constraint, default_value, view_for_table, view_for_table, trigger, trigger,
       index, extra_table, virtual_table, statistics, reworded, reworded, misplaced]
