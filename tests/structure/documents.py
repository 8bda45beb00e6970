"""Runs the examples in the documents, and checks their relative links.

A comment before each fenced block says what to do with the block. All blocks of one
document share a scratch folder, in order, with the built zilch first on PATH.

    <!-- test: shell -->           Lines that begin with "$ " are commands (a trailing backslash
                                   continues one); what follows each, up to the next, is its
                                   output, stdout and stderr together, compared exactly. A line
                                   "..." stands for any number of lines. Without a "$ " line
                                   the block is one script, whose output is not compared.
                                   Every command must succeed.
    <!-- test: shell, status 1 --> The same, but the last command must end with that status.
    <!-- test: c -->               A program: compiled without a warning, linked with the
                                   built library, run; it must succeed.
    <!-- test: output -->          What the program before printed, compared as above.
    <!-- test: file NAME -->       Written to NAME in the scratch folder.
    <!-- test: runs -->            Commands as of shell, whose output is not compared: it has
                                   times in it, or last digits that differ between processors.
    <!-- not run: REASON -->       Left alone; a reader of this comment learns why.

README.md must show at least one shell and one C example.
"""
import os
import re
import subprocess
import sys
from pathlib import Path

MARK = re.compile(r"<!--\s*((?:test|not run):\s*.*?)\s*-->")
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
FLAGS = "-std=c17 -Wall -Wextra -Werror -D_POSIX_C_SOURCE=200809L".split()


class Failure(Exception):
    """A document and the program disagree."""


def blocks(lines):
    """Yield (line number, mark, text) for each marked fenced block."""
    mark, number = None, 0
    while number < len(lines):
        line = lines[number]
        if line.startswith("```"):
            start, number = number, number + 1
            while number < len(lines) and not lines[number].startswith("```"):
                number += 1
            if number == len(lines):
                raise Failure(f"line {start + 1}: a fence is not closed")
            if not mark:
                raise Failure(f"line {start + 1}: a block without a comment that says how it is tested")
            if mark.startswith("test:"):
                yield start + 1, mark.removeprefix("test:").strip(), lines[start + 1 : number]
            mark = None
        elif MARK.fullmatch(line.strip()):
            mark = MARK.fullmatch(line.strip()).group(1)
        elif mark and line.strip():
            raise Failure(f"line {number + 1}: no fenced block after the mark before")
        number += 1


def same(shown, printed):
    """Whether the lines agree, a shown "..." standing for any number of lines."""
    pattern = "".join("(?:.*\n)*?" if line == "..." else re.escape(line) + "\n" for line in shown)
    return re.fullmatch(pattern, "".join(line + "\n" for line in printed)) is not None


def compare(shown, text):
    """Compare shown lines with printed text, blank lines at the end aside."""
    printed = text.rstrip("\n").split("\n") if text.strip() else []
    while shown and not shown[-1].strip():
        shown = shown[:-1]
    if not same(shown, printed):
        raise Failure("shown:\n" + "\n".join(shown) + "\nprinted:\n" + "\n".join(printed))


def commands(lines):
    """Split a block into [(command, shown output)]; output None for a plain script."""
    if not any(line.startswith("$ ") for line in lines):
        return [("set -e\n" + "\n".join(lines), None)]
    found = []
    continued = False
    for line in lines:
        if line.startswith("$ "):
            found.append((line[2:], []))
        elif not found:
            raise Failure("output before the first command")
        elif continued:
            found[-1] = (found[-1][0] + "\n" + line, [])
        else:
            found[-1][1].append(line)
        continued = (line.startswith("$ ") or continued) and line.endswith("\\")
    return found


class Runner:
    """Runs the blocks of one document in a folder."""

    def __init__(self, source, build, zilch, folder):
        self.include, self.library, self.folder = source / "include", build / "libzilch.a", folder
        self.environment = dict(os.environ, PATH=f"{Path(zilch).parent}:{os.environ['PATH']}")
        self.printed = None

    def run(self, command, status=0, merged=True):
        """Run argv in the folder; return what it printed."""
        errors = subprocess.STDOUT if merged else subprocess.PIPE
        done = subprocess.run(command, cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=errors, text=True, timeout=240, check=False)
        if done.returncode != status:
            raise Failure(f"{command[-1]}: status {done.returncode}, not {status}\n{done.stdout}{done.stderr or ''}")
        return done.stdout

    def shell(self, lines, last_status, is_compared=True):
        parts = commands(lines)
        for index, (command, shown) in enumerate(parts):
            printed = self.run(["sh", "-c", command], last_status if index == len(parts) - 1 else 0)
            if is_compared and shown is not None:
                compare(shown, printed)

    def program(self, lines):
        (self.folder / "example.c").write_text("\n".join(lines) + "\n", encoding="utf-8")
        blas = self.run(["pkg-config", "--libs", "openblas"]).split()
        self.run(["cc", *FLAGS, f"-I{self.include}", "example.c", str(self.library), *blas, "-lm", "-pthread",
                  "-o", "example"])
        self.printed = self.run(["./example"], merged=False)

    def block(self, mark, lines):
        """Do what the mark says; return its kind."""
        shell = re.fullmatch(r"shell(?:,\s*status (\d+))?", mark)
        file = re.fullmatch(r"file ([\w.-]+)", mark)
        if shell:
            self.shell(lines, int(shell.group(1) or 0))
            return "shell"
        if mark == "runs":
            self.shell(lines, 0, is_compared=False)
        elif mark == "c":
            self.program(lines)
        elif mark == "output" and self.printed is not None:
            compare(lines, self.printed)
        elif file:
            (self.folder / file.group(1)).write_text("\n".join(lines) + "\n", encoding="utf-8")
        else:
            raise Failure(f'"{mark}" is no mark, or has no program before it')
        return mark.split()[0]


def check_document(path, runner):
    """Run a document's blocks and look up its links; return how many of each kind."""
    text = path.read_text(encoding="utf-8")
    counts = {}
    for number, mark, lines in blocks(text.split("\n")):
        try:
            kind = runner.block(mark, lines)
        except Failure as failure:
            raise Failure(f"line {number}: {failure}") from None
        counts[kind] = counts.get(kind, 0) + 1
    for link in LINK.findall(text):
        if "://" not in link and not link.startswith("mailto:") and not (path.parent / link).exists():
            raise Failure(f"a link leads nowhere: {link}")
    return counts


def main():
    source, build, zilch, scratch = (Path(argument).resolve() for argument in sys.argv[1:])
    documents = sorted([*source.glob("*.md"), *source.glob("docs/**/*.md")])
    bad = 0
    for index, path in enumerate(documents):
        folder = scratch / str(index)
        folder.mkdir()
        name = path.relative_to(source)
        try:
            counts = check_document(path, Runner(source, build, zilch, folder))
            if name == Path("README.md") and not (counts.get("shell") and counts.get("c")):
                raise Failure("shows no shell example, or no C example, that is run")
            print(f"{name}: {sum(counts.values())} blocks {counts if counts else ''}")
        except Failure as failure:
            print(f"{name}: {failure}")
            bad += 1
    if source / "README.md" not in documents:
        print("there is no README.md")
        bad += 1
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
