"""Runs the examples in the documents, and checks their links, their shape and their words.

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
    <!-- test: python -->          A Python program: python/tests/test_readme.py runs it, where
                                   the package is. Here it is counted.
    <!-- test: output -->          What the program before printed, compared as above.
    <!-- test: file NAME -->       Written to NAME in the scratch folder.
    <!-- test: runs -->            Commands as of shell, whose output is not compared: it has
                                   times in it, or digits that differ between processors. With
                                   ZILCH_EXACT=1 in the environment it is compared all the same:
                                   for the machine that the documents were written on.
    <!-- not run: REASON -->       Left alone; a reader of this comment learns why.

The shape of the documents is checked too: MUST_SHOW says what some pages must have, README.md has at
most README_WORDS words, the index docs/README.md leads to the tutorial first and to every page of
docs/, a relative link and its #part lead somewhere, pages that sources name are there, and no
sentence has the forms of UNCLEAR.
"""
import os
import re
import subprocess
import sys
from pathlib import Path

MARK = re.compile(r"<!--\s*((?:test|not run):\s*.*?)\s*-->")
LINK = re.compile(r"\]\(([^)#\s]*)(?:#([^)\s]*))?\)")
HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)
PAGE = re.compile(rb"\bdocs/[\w/-]+\.md\b")
SOURCES = "bench cli cmake examples include python src tests tools".split()
README_WORDS = 900
MUST_SHOW = {"README.md": {"shell", "python"}, "docs/tutorial.md": {"file", "runs"}, "docs/reference/c.md": {"c"}}
UNCLEAR = re.compile(r"(?:(?:^|[.:!?]\s+)(?:Of|Who|Whoever)\s|\bsuch an?\s|that there is not|is none of any)", re.MULTILINE)
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
        self.is_python = False  # the program before

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
            self.shell(lines, 0, is_compared=os.environ.get("ZILCH_EXACT") == "1")
        elif mark in ("c", "python"):
            self.is_python = mark == "python"
            if not self.is_python:
                self.program(lines)
        elif mark == "output" and self.is_python:
            pass
        elif mark == "output" and self.printed is not None:
            compare(lines, self.printed)
        elif file:
            (self.folder / file.group(1)).write_text("\n".join(lines) + "\n", encoding="utf-8")
        else:
            raise Failure(f'"{mark}" is no mark, or has no program before it')
        return mark.split()[0]


def parts(text):
    """What #part of a link may be: GitHub's name of each heading."""
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in HEADING.findall(text)}


def prose(text):
    """A document without its fenced blocks."""
    return re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)


def check_links(path, text):
    for link, part in LINK.findall(prose(text)):
        if "://" in link or link.startswith("mailto:"):
            continue
        target = path.parent / link if link else path
        if not target.exists():
            raise Failure(f"a link leads nowhere: {link}")
        if part and target.suffix == ".md" and part not in parts(target.read_text(encoding="utf-8")):
            raise Failure(f"a link leads to a part that its page does not have: {link}#{part}")


def check_shape(name, text, counts):
    """What MUST_SHOW, README_WORDS and UNCLEAR say."""
    missing = MUST_SHOW.get(name, set()) - counts.keys()
    if missing:
        raise Failure(f"shows no example of this kind: {', '.join(sorted(missing))}")
    if name == "README.md" and len(text.split()) > README_WORDS:
        raise Failure(f"has {len(text.split())} words; at most {README_WORDS} are for it: move the others to docs/")
    unclear = UNCLEAR.search(prose(text)) if name == "README.md" or name.startswith("docs/") else None
    if unclear:
        raise Failure(f"write a plain sentence instead of this: {unclear.string[unclear.start() :][:60].strip()!r}")


def check_index(source, documents):
    """The index leads to the tutorial first, and to every page."""
    index = source / "docs" / "README.md"
    links = [link for link, _ in LINK.findall(index.read_text(encoding="utf-8")) if "://" not in link]
    if not links or links[0] != "tutorial.md":
        raise Failure("the first link must be the tutorial's")
    reached = {(index.parent / link).resolve() for link in links} | {index}
    for page in documents:
        if index.parent in page.parents and page not in reached:
            raise Failure(f"no link leads to {page.relative_to(source)}")


def check_mentions(source):
    """A page that a source names is there."""
    for path in sorted(path for folder in SOURCES for path in (source / folder).rglob("*.*") if path.is_file()):
        for page in PAGE.findall(path.read_bytes()) if path.stat().st_size < 1 << 20 else ():
            if not (source / page.decode()).exists():
                raise Failure(f"{path.relative_to(source)} names {page.decode()}, which is not there")


def check_document(path, name, runner):
    """Run a document's blocks and look at its links and words; return how many blocks of each kind."""
    text = path.read_text(encoding="utf-8")
    counts = {}
    for number, mark, lines in blocks(text.split("\n")):
        try:
            kind = runner.block(mark, lines)
        except Failure as failure:
            raise Failure(f"line {number}: {failure}") from None
        counts[kind] = counts.get(kind, 0) + 1
    check_links(path, text)
    check_shape(name, text, counts)
    return counts


def main():
    source, build, zilch, scratch = (Path(argument).resolve() for argument in sys.argv[1:])
    documents = sorted([*source.glob("*.md"), *source.glob("docs/**/*.md")])
    bad = 0
    for index, path in enumerate(documents):
        folder = scratch / str(index)
        folder.mkdir()
        name = path.relative_to(source).as_posix()
        try:
            counts = check_document(path, name, Runner(source, build, zilch, folder))
            print(f"{name}: {sum(counts.values())} blocks {counts if counts else ''}")
        except Failure as failure:
            print(f"{name}: {failure}")
            bad += 1
    for name in ("docs/README.md", *MUST_SHOW):
        if source / name not in documents:
            print(f"there is no {name}")
            bad += 1
    for check in (lambda: check_index(source, documents), lambda: check_mentions(source)):
        try:
            check()
        except (Failure, FileNotFoundError) as failure:
            print(f"the documents as a whole: {failure}")
            bad += 1
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
