"""Hostile studies: mutants of real ones, on which every command and Python are run while strace watches.

    python3 hostile.py ZILCH      with these in the environment:

ZILCH_MUTANTS=200        how many; 10000 by hand. With sanitizers half as many; ZILCH_CASES=4 makes four times as many
ZILCH_SEED=1             of the mutations: the same seed makes the same mutants
ZILCH_CASE=7             this one alone, with all commands
ZILCH_COMMANDS=all       every command on every mutant, instead of the slow ones in turn
ZILCH_TIMES=1            say how long each command takes
ZILCH_SANITIZE=...       the command was built with the address sanitizer
ZILCH_PYTHON_PACKAGE=DIR holds the package zilch, for which this interpreter has what it needs
ZILCH_PRELOAD=...        libraries that the interpreter needs before it loads the package
ZILCH_BUILD_DIR=DIR      the mutants of the first violations are kept in artefacts/hostile there

Whatever a study says, for every command: the status is 0, 1 or 2; no signal and no sanitizer's report; bounded time, memory and
output; nothing is written, removed or renamed outside the folders for it; no process is started but gnuplot by 'zilch report'; no
control character is printed; and readers change nothing beside the study. Ends with 0, 1 after violations, 77 without strace."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

import bases
import commands
import trace
import values
from mutant import Mutant

BATCH = 20
KEPT = 20
PRINTED = 200
HERE = os.path.dirname(os.path.abspath(__file__))


def setting(name, default):
    return os.environ.get(name) or default


class Hostile:
    def __init__(self, zilch, root):
        self.zilch, self.root = os.path.realpath(zilch), root
        self.seed = setting("ZILCH_SEED", "1")
        self.case = int(setting("ZILCH_CASE", "0"))
        self.everything = setting("ZILCH_COMMANDS", "") == "all" or self.case > 0
        self.sanitized = bool(setting("ZILCH_SANITIZE", ""))
        self.studies = bases.make(self.zilch, os.path.join(root, "bases"))
        # The system's list of fonts, which whoever draws first may have to make.
        subprocess.call([self.zilch, "report", self.studies["compare"], "-o", os.path.join(root, "fonts.html")],
                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.empty, self.told = os.path.join(root, "empty"), os.path.join(root, "told")
        for path, text in ((self.empty, ""), (self.told, commands.TOLD)):
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)

    def mutant(self, number):
        return Mutant(self.seed, number, self.root, self.studies)

    def environment(self, folder):
        sanitizer = "detect_leaks=0:exitcode=99:abort_on_error=0:allocator_may_return_null=1:max_allocation_size_mb=800:hard_rss_limit_mb=1500"
        return {"PATH": os.environ.get("PATH", "/usr/bin:/bin"), "HOME": os.path.join(folder, "out"), "TMPDIR": os.path.join(folder, "tmp"),
                "LC_ALL": "C.UTF-8", "OPENBLAS_NUM_THREADS": "1", "ASAN_OPTIONS": sanitizer,
                "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1:exitcode=99"}

    def job(self, number):
        """What the watcher is told about a mutant; the mutant is made here."""
        mutant = self.mutant(number)
        notes = mutant.build()
        seconds = 20 if self.sanitized else 5
        limits = {"RLIMIT_CPU": seconds, "RLIMIT_FSIZE": 2 * 10**8, "RLIMIT_CORE": 0}
        if not self.sanitized:
            limits["RLIMIT_AS"] = 2 * 10**9
        chosen = commands.chosen(number, notes, self.everything)
        lines = [[name, [self.zilch] + [word.format(study=mutant.path) for word in words], name in commands.READER_NAMES] for name, words in chosen]
        # Python reads before anything is written.
        first = sum(is_reader for _, _, is_reader in lines)
        lines.insert(first, ["Python", ["Python", mutant.path, "read"], True])
        if self.everything or number % 5 == 0:
            lines.append(["Python, writing", ["Python", mutant.path, "write"], False])
        return {"number": number, "notes": notes, "folder": mutant.folder, "place": mutant.place, "commands": lines, "limits": limits,
                "environment": self.environment(mutant.folder), "input": self.empty, "told": self.told, "seconds": seconds,
                "patience": 4 * seconds, "memory": 1500 if self.sanitized else 600, "pwned": values.PWNED, "marker": values.MARK}

    def watch(self, jobs, name):
        """Run a batch under strace; {(number, command): [what was seen]} and the results."""
        files = {kind: os.path.join(self.root, f"{name}.{kind}") for kind in ("jobs", "results", "trace", "said")}
        with open(files["jobs"], "w", encoding="utf-8") as file:
            json.dump(jobs, file)
        environment = dict(self.environment(self.root), TMPDIR=self.root, PYTHONPATH=setting("ZILCH_PYTHON_PACKAGE", ""), PYTHONDONTWRITEBYTECODE="1")
        # Under ptrace, the watcher alone has the sanitizer's libraries: commands have their own.
        words = ["strace", "-f", "-qq", "-y", "--seccomp-bpf", "-e", "signal=none", "-e", trace.TRACED, "-o", files["trace"]]
        if setting("ZILCH_PRELOAD", ""):
            words += ["-E", "LD_PRELOAD=" + setting("ZILCH_PRELOAD", "")]
        with open(files["said"], "w", encoding="utf-8") as said:
            status = subprocess.call(words + [sys.executable, os.path.join(HERE, "watch.py"), files["jobs"], files["results"]], env=environment,
                                     stdout=said, stderr=said, stdin=subprocess.DEVNULL)
        with open(files["results"], encoding="utf-8") as file:
            results = [json.loads(line) for line in file]
        found = {}
        for row in results:
            if row["found"]:
                found.setdefault((row["number"], row["name"]), []).extend(row["found"])
        judge = trace.Judge(files["trace"], self.root, self.zilch)
        for number, command, what in judge.verdicts(commands.READER_NAMES):
            found.setdefault((number, command), []).append(what)
        # A tracer that sees nothing finds nothing.
        expected = sum(not row["name"].startswith("Python") for row in results)
        if judge.seen != expected:
            found.setdefault((jobs[0]["number"], "the watcher itself"), []).append(f"the tracer saw {judge.seen} of {expected} commands")
        if status != 0:
            with open(files["said"], encoding="utf-8", errors="replace") as said:
                found.setdefault((jobs[0]["number"], "the watcher itself"), []).append(f"status {status}: {said.read()[-500:]}")
        for path in files.values():
            os.unlink(path)
        return found, results

    def batch(self, numbers, name):
        jobs = [self.job(number) for number in numbers]
        found, results = self.watch(jobs, name)
        notes = {job["number"]: job["notes"] for job in jobs}
        lines = [{"number": number, "command": command, "notes": notes.get(number, ""), "found": what} for (number, command), what in found.items()]
        for job in jobs:
            shutil.rmtree(job["folder"], ignore_errors=True)
            shutil.rmtree(job["place"], ignore_errors=True)
        return lines, results

    def shard(self, numbers, name, path):
        """Some of the batches, in a process of its own: what was found goes to a file."""
        with open(path, "w", encoding="utf-8") as file:
            for i in range(0, len(numbers), BATCH):
                lines, results = self.batch(numbers[i:i + BATCH], name)
                json.dump({"found": lines, "results": results}, file)
                file.write("\n")
                file.flush()

    def run(self, count):
        numbers = [self.case] if self.case else list(range(1, count + 1))
        shards = min(os.cpu_count() or 1, (len(numbers) + BATCH - 1) // BATCH)
        children = {}
        for i in range(shards):
            path = os.path.join(self.root, f"shard{i}")
            child = os.fork()
            if child == 0:
                status = 1
                try:
                    self.shard(numbers[i::shards], f"batch{i}", path)
                    status = 0
                finally:
                    os._exit(status)
            children[child] = path
        found, results = [], []
        for child, path in children.items():
            if os.waitpid(child, 0)[1] != 0:
                found.append({"number": 0, "command": "a shard", "notes": "", "found": ["ended before its time"]})
            with open(path, encoding="utf-8") as file:
                for line in file:
                    row = json.loads(line)
                    found += row["found"]
                    results += row["results"]
        return sorted(found, key=lambda row: (row["number"], row["command"])), results

    def lines(self, found):
        """One for each thing that was seen of a mutant, with the commands that did it."""
        together = {}
        for row in found:
            for what in row["found"]:
                for part in ("mutants", "victims"):
                    what = what.replace(os.path.join(self.root, part, str(row["number"])), part[:-1].upper())
                together.setdefault((row["number"], row["notes"], what), []).append(row["command"])
        return [f"VIOLATION mutant {number} seed {self.seed} [{notes[:400]}] {', '.join(names)}: {what}" for (number, notes, what), names in together.items()]

    def keep(self, found):
        """The mutants of the first violations, made again as they were."""
        place = artefacts(self.root)
        os.makedirs(place)
        with open(os.path.join(place, "violations.txt"), "w", encoding="utf-8") as file:
            file.write("".join(line + "\n" for line in self.lines(found)))
        kept = list(dict.fromkeys(row["number"] for row in found if row["number"]))[:KEPT]
        for number in kept:
            mutant = Mutant(self.seed, number, place, self.studies)
            mutant.build()
        return place


def artefacts(root):
    return os.path.join(setting("ZILCH_BUILD_DIR", root), "artefacts", "hostile")


def can_trace():
    if shutil.which("strace") is None:
        return False
    words = ["strace", "-f", "-qq", "--seccomp-bpf", "-e", "trace=execve", "-o", "/dev/null", "true"]
    return subprocess.call(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) == 0


def main():
    if not can_trace():
        print("hostile: strace is missing or may not trace here; nothing was tested")
        return 77
    usual = (100 if setting("ZILCH_SANITIZE", "") else 200) * int(setting("ZILCH_CASES", "1"))
    count = int(setting("ZILCH_MUTANTS", str(usual)))
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="zilch-hostile-", ignore_cleanup_errors=True) as root:
        shutil.rmtree(artefacts(root), ignore_errors=True)
        hostile = Hostile(sys.argv[1], os.path.realpath(root))
        found, results = hostile.run(count)
        if found:
            lines = hostile.lines(found)
            print("\n".join(lines[:PRINTED]))
            print(f"hostile: {len(lines)} lines like these, and the mutants, are in {hostile.keep(found)}; ZILCH_CASE=N runs one of them again")
    statuses = {status: sum(row["status"] == status for row in results) for status in sorted({row["status"] for row in results}, key=str)}
    slowest = max(results, key=lambda row: row["seconds"], default={"number": 0, "name": "", "seconds": 0})
    most = max(results, key=lambda row: row["memory"], default={"number": 0, "name": "", "memory": 0})
    print(f"hostile: {len({row['number'] for row in results})} mutants, {len(results)} commands, by status {statuses}, "
          f"{sum(len(row['found']) for row in found)} violations in {len({row['number'] for row in found})} mutants, "
          f"{time.monotonic() - started:.0f} s; slowest {slowest['seconds']} s (mutant {slowest['number']}, {slowest['name']}), "
          f"most memory {most['memory']} MB (mutant {most['number']}, {most['name']})")
    if not any(row["name"] == "Python" for row in results):
        print("hostile: Python was not tried: the package was not built, or cannot be loaded here")
    if setting("ZILCH_TIMES", ""):
        for name in sorted({row["name"] for row in results}):
            times = [row["seconds"] for row in results if row["name"] == name]
            print(f"hostile: {name}: {len(times)} times, {sum(times) / len(times):.3f} s each")
    return 1 if found or not results else 0


if __name__ == "__main__":
    sys.exit(main())
