"""A mutant: a base study in a folder of its own, changed by one to three mutations that its number and the seed decide.
The first numbers are attacks that once succeeded.

    in/m.study     the study, and what is beside it
    out/, tmp/     where a command may write
    precious       is elsewhere, in a folder that nothing may change"""
import os
import random
import resource
import shutil
import signal
import sys

import attacks
import damage
import forge
import rows
import schema

# In the order in which they are done: what needs a whole file comes before what breaks it.
PHASES = [(rows.ALL, 10), (forge.ALL, 4), (schema.ALL, 5), (damage.MODES, 3), (damage.PAGES, 5), (damage.BESIDE, 5), (damage.ITSELF, 1)]
PATIENCE = 10


class Mutant:
    def __init__(self, seed, number, root, bases):
        self.number, self.bases = number, bases
        self.rng = random.Random(f"{seed}/{number}")
        self.folder = os.path.join(root, "mutants", str(number))
        self.path = os.path.join(self.folder, "in", "m.study")
        self.place = os.path.join(root, "victims", str(number))
        self.victim = os.path.join(self.place, "precious")
        self.notes = os.path.join(self.folder, "notes")

    def plan(self):
        """The base, and the mutations in their order."""
        if self.number <= len(attacks.ALL):
            return attacks.ALL[self.number - 1]
        # A comparison has the most to show.
        base = self.rng.choice(sorted(self.bases) + ["compare"] * 2)
        weights = [weight for _, weight in PHASES]
        chosen = sorted(self.rng.choices(range(len(PHASES)), weights, k=self.rng.choice([1, 1, 2, 2, 3])))
        # Two mutations of a schema, or of what the file is, get into each other's way.
        phases = [phase for i, phase in enumerate(chosen) if phase in (0, 4) or phase not in chosen[:i]]
        return base, [self.rng.choice(PHASES[phase][0]) for phase in phases]

    def build(self):
        """In a process of its own: SQLite here is as slow on what is built as elsewhere."""
        child = os.fork()
        if child:
            os.waitpid(child, 0)
            with open(self.notes, encoding="utf-8") as file:
                return "; ".join(file.read().split("\n")[:-1])
        try:
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            signal.alarm(PATIENCE)
            resource.setrlimit(resource.RLIMIT_AS, (2 * 10**9, 2 * 10**9))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            self.make()
        except BaseException as error:  # the mutant is as far as it came
            print(f"hostile: mutant {self.number}: {type(error).__name__}: {error}", file=sys.stderr)
        finally:
            os._exit(0)

    def make(self):
        for folder in (os.path.dirname(self.path), os.path.join(self.folder, "out"), os.path.join(self.folder, "tmp"), self.place):
            os.makedirs(folder)
        with open(self.victim, "w", encoding="utf-8") as file:
            file.write("precious\n")
        base, mutations = self.plan()
        with open(self.notes, "w", encoding="utf-8") as notes:
            notes.write(base + "\n")
            shutil.copy(self.bases[base], self.path)
            for mutation in mutations:
                notes.flush()
                try:
                    said = mutation(self)
                except Exception as error:  # built on what is broken already
                    said = f"({mutation.__name__}: {error})"
                notes.write(said.encode("unicode_escape").decode().replace("\n", " ") + "\n")
