"""What is done with each mutant: (name, words, what is read from standard input). Readers may change nothing beside the study."""
SMALL = ["--population", "6", "--elites", "2", "--generations", "1", "--threads", "1"]
TOLD = '{"id":8,"value":1.5}\n{"id":9,"error":"none"}\n'

READERS = [
    ("show", ["show", "{study}"]),
    ("show --json", ["show", "--json", "{study}"]),
    ("show --run", ["show", "--run", "1", "--all", "{study}"]),
    ("best", ["best", "{study}"]),
    ("best --json", ["best", "--json", "{study}"]),
    ("best -o", ["best", "{study}", "-o", "best.csv"]),
    ("export --csv", ["export", "--csv", "{study}"]),
    ("export --json", ["export", "--json", "{study}"]),
    ("export --generations", ["export", "--generations", "{study}"]),
    ("export --failures", ["export", "--failures", "{study}"]),
    ("ask --waiting", ["ask", "--waiting", "{study}"]),
    ("report", ["report", "{study}", "-o", "page.html", "--figures", "figures"]),
]
WRITERS = [
    ("resume", ["resume", "{study}", "--generations", "3", "--time", "0.01", "--final-candidates", "1", "--final-evaluations", "1", "--threads", "1"]),
    ("ask", ["ask", "{study}", "-n", "2"]),
    ("tell", ["tell", "{study}"]),
    ("optimize --study", ["optimize", "--problem", "sphere:dim=3,active=1", "--study", "{study}"] + SMALL),
    ("compare --study", ["compare", "--problem", "sphere:dim=5,active=2", "--methods", "a:default+population=6+elites=2,b:default+population=7+elites=2",
                         "--seeds", "2", "--generations", "2", "--threads", "1", "--study", "{study}"]),
]
READER_NAMES = {name for name, _ in READERS} | {"Python"}
# The rest of the readers read the same by other ways: one in turn is enough where time is short.
ALWAYS = {"show", "show --json", "best", "export --json", "ask --waiting"}


def chosen(number, notes, everything):
    """The commands for a mutant: all, or the quick ones, and of the others those whose turn it is."""
    if everything:
        return READERS + WRITERS
    others = [command for command in READERS if command[0] not in ALWAYS and command[0] != "report"]
    picked = [command for command in READERS if command[0] in ALWAYS] + [others[number % len(others)], others[(number + 3) % len(others)]]
    # Texts are what figures and pages are made of.
    if number % 4 == 0 or "links" in notes or "names" in notes or "all texts" in notes or "runs.name" in notes or "runs.problem" in notes:
        picked.append(READERS[-1])
    # Settings are what a run goes on with; of version 4, arguments.
    writers = [WRITERS[number % len(WRITERS)], WRITERS[(number + 2) % len(WRITERS)]]
    if ("arguments" in notes or "settings" in notes) and WRITERS[0] not in writers:
        writers.insert(0, WRITERS[0])
    return picked + writers
