"""clang-tidy, cppcheck and clang-format, all of the processors busy.

    python3 lint.py SOURCE BUILD

Each file is read by clang-tidy once, whatever number of programs it is compiled for, the longest first. What had nothing
wrong is noted in BUILD/lint under a sum over the file, every header of ours, the settings and the tool, and is not read
again while the sum is the same; cppcheck has a folder of its own there. Prints what they find; ends with 1 if that is something.

The analyser of clang-tidy follows the paths through a function for at most STEPS. Most functions end before; the others are
followed for three times as long, which is the analyser's own limit, where ZILCH_CASES asks for more of everything.
"""
import hashlib
import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

UNITS = ("src", "bench", "cli", "python")
FORMATTED = ("include", *UNITS, "tests", "examples")
# The build is gcc's: options that clang does not know are not our concern here.
# Asserts are on: they tell the analyser what is known.
STEPS = 225000 if os.environ.get("ZILCH_CASES") else 75000
CLANG = ["-UNDEBUG", "-Wno-unknown-warning-option", "-Wno-ignored-optimization-argument",
         "-Xclang", "-analyzer-config", "-Xclang", f"max-nodes={STEPS}"]
TIDY = ["clang-tidy", "--quiet", *(f"--extra-arg={word}" for word in CLANG)]
# Memory that the caller knows to be large enough and aligned is divided among arrays of several types.
CPPCHECK = ["cppcheck", "--quiet", "--std=c11", "--enable=warning,performance,portability", "--inline-suppr",
            "--suppress=invalidPointerCast", "--error-exitcode=1", "-Iinclude", "-Isrc", "-Icli", "-Ibench", "-Ipython"]


def files(folders, suffixes):
    return sorted(path.as_posix() for folder in folders for path in Path(folder).rglob("*.*") if path.suffix in suffixes)


def run(words):
    """What a tool printed, if it found something; else nothing."""
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    lines = [line for line in done.stdout.splitlines() if "warnings generated" not in line and "warning generated" not in line]
    return "\n".join([f"{words[0]}:", *lines]) if done.returncode else ""


class Tidy:
    """Reads units that it has not found clean before, with one command of the build each."""

    def __init__(self, build, folder):
        self.folder = folder
        text = (build / "compile_commands.json").read_text(encoding="utf-8")
        commands = json.loads(text.replace(" -fsched-pressure", ""))  # which clang does not know
        self.command = {os.path.relpath(row["file"]): row for row in reversed(commands)}  # the first one counts
        (folder / "compile_commands.json").write_text(json.dumps(list(self.command.values())), encoding="utf-8")
        version = subprocess.run([TIDY[0], "--version"], stdout=subprocess.PIPE, check=True).stdout
        self.common = hashlib.sha256(version + " ".join(TIDY).encode() + Path(".clang-tidy").read_bytes())
        for header in files(("include", *UNITS), {".h"}):
            self.common.update(header.encode() + Path(header).read_bytes())

    def read(self, unit):
        total = self.common.copy()
        total.update(json.dumps(self.command.get(unit)).encode() + Path(unit).read_bytes())
        clean = self.folder / (unit.replace("/", "-") + ".clean")
        if clean.exists() and clean.read_text(encoding="utf-8") == total.hexdigest():
            return ""
        found = run([*TIDY, "-p", str(self.folder), unit])
        if not found:
            clean.write_text(total.hexdigest(), encoding="utf-8")
        return found


def main():
    source, build = (Path(argument).resolve() for argument in sys.argv[1:])
    os.chdir(source)
    folder = build / "lint"
    (folder / "cppcheck").mkdir(parents=True, exist_ok=True)
    units, formatted = files(UNITS, {".c"}), files(FORMATTED, {".c", ".h"})
    tidy, processors = Tidy(build, folder), os.cpu_count() or 1
    with ThreadPoolExecutor(processors) as pool:
        work = [pool.submit(tidy.read, unit) for unit in sorted(units, key=os.path.getsize, reverse=True)]
        work.append(pool.submit(run, ["clang-format", "--dry-run", "-Werror", *formatted]))
        work.append(pool.submit(run, [*CPPCHECK, f"-j{processors}", f"--cppcheck-build-dir={folder / 'cppcheck'}", *units]))
        found = [text for text in (one.result() for one in work) if text]
    print("\n".join(found))
    print(f"{len(units)} files read by clang-tidy and cppcheck, {len(formatted)} by clang-format")
    return 1 if found or not units else 0


if __name__ == "__main__":
    sys.exit(main())
