"""Attacks that succeeded on zilch once, as mutations: (base, [mutation]). They are the first mutants of every run."""
import re

import damage
import rows
import schema
import values


def gnuplot_runs_a_command(mutant):
    connection = rows.connect(mutant.path)
    connection.execute("UPDATE runs SET name='it''s' WHERE run=1")
    connection.execute("UPDATE runs SET name='@problem' WHERE run>1")
    connection.execute("UPDATE runs SET problem=?", (f"x']; system('id >{mutant.place}/{values.PWNED}'); array q[1]=['",))
    connection.close()
    return "names and problem are gnuplot's"


def resume_runs_a_program(mutant):
    connection = rows.connect(mutant.path)
    program = f"sh -c 'id >{mutant.place}/{values.PWNED}; cat'"
    is_old = bool(rows.there(connection, ["runs.arguments"]))
    if is_old:
        connection.execute("UPDATE runs SET arguments=?", (values.arguments(["optimize", "--program", program, "--dim", "5"]),))
    else:
        connection.execute("INSERT OR REPLACE INTO settings SELECT run, 'problem', 'program', ? FROM runs", (program,))
    connection.execute("DELETE FROM conclusions")
    connection.close()
    return ("arguments" if is_old else "settings") + " name a program that writes"


def settings_are_codes(mutant):
    """In the line that says what a run was asked for: a name of a setting."""
    connection = rows.connect(mutant.path)
    connection.execute("INSERT INTO settings SELECT run, 'problem', ?, ? FROM runs", ("\x1b]0;PWN\x07\u009b31m\u202e", "\x1b[2J"))
    connection.close()
    return "settings are codes of a terminal"


def column_takes_for_ever(mutant):
    sql = schema.text_of(mutant, "runs")
    cost = "instr(printf('%.*c',20000000,'a'),printf('%.*c',10000000,'a')||'b')||''"
    schema.reopen_with(mutant, {"runs": re.sub(r"machine +TEXT +NOT NULL,", lambda _: f"machine TEXT AS ({cost}) VIRTUAL,", sql)})
    return "runs.machine is generated, for ever"


def column_takes_memory(mutant):
    sql = schema.text_of(mutant, "runs")
    cost = "replace(printf('%.*c',90000000,'a'),'a','bbbbbbbb')"
    schema.reopen_with(mutant, {"runs": re.sub(r"machine +TEXT +NOT NULL,", lambda _: f"machine TEXT AS ({cost}) VIRTUAL,", sql)})
    return "runs.machine is generated, of 720 MB"


def terminal_codes(mutant):
    connection = rows.connect(mutant.path)
    for column in ("problem", "name", "machine", "version"):
        connection.execute(f"UPDATE runs SET {column}=?", ("\x1b]0;PWN\x07\u009b31m\u202e",))
    connection.execute("UPDATE failures SET reason=?, output=?", ("\x1b[2J", "\x1b]52;c;UFdO\x07"))
    connection.close()
    return "texts are codes of a terminal"


ALL = [
    ("compare", [gnuplot_runs_a_command]),
    ("compare", [damage.super_journal]),
    ("deleting", [damage.super_journal]),
    ("sphere", [resume_runs_a_program]),
    ("compare", [resume_runs_a_program]),
    ("compare", [column_takes_for_ever]),
    ("compare", [column_takes_memory]),
    ("compare", [terminal_codes]),
    ("turns", [terminal_codes]),
    ("compare", [damage.links_in_figures]),
    ("sphere", [settings_are_codes]),
    ("old-sphere", [resume_runs_a_program]),
    ("old-compare", [column_takes_for_ever]),
    ("old-compare", [terminal_codes]),
]
