"""The Python examples of the README and of docs/ print what stands below them.

All examples of a page share their names and a scratch folder, in order, as a reader would type them; files that the page
shows (<!-- test: file NAME -->) are in the folder.
"""
import contextlib
import io
import pathlib
import re

import pytest

SOURCE = pathlib.Path(__file__).parents[2]
PAGES = [SOURCE / "README.md", *sorted(SOURCE.glob("docs/**/*.md"))]
BLOCK = re.compile(r"<!-- test: (python|c|output|file [\w.-]+) -->\n```\w*\n(.*?)^```", re.DOTALL | re.MULTILINE)


def blocks(page):
    return BLOCK.findall(page.read_text(encoding="utf-8"))


def with_python():
    return [page for page in PAGES if any(mark == "python" for mark, _ in blocks(page))]


def test_there_are_examples():
    assert {"README.md", "docs/how-to/python.md"} <= {page.relative_to(SOURCE).as_posix() for page in with_python()}
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        shown = re.findall(r"<!-- (test: python|test: file [^ ]*|not run: [^\n]*) -->\n```python\n", text)
        assert len(shown) == text.count("```python\n"), page


@pytest.mark.parametrize("page", with_python(), ids=lambda page: page.relative_to(SOURCE).as_posix())
def test_a_page_prints_what_it_shows(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names, printed = {"__name__": "__main__"}, None
    for mark, text in blocks(page):
        if mark == "output":
            assert printed in (None, text)
        elif mark == "python":
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                exec(compile(text, page.name, "exec"), names)
            printed = out.getvalue()
        else:
            printed = None  # an output that comes now is not Python's
            if mark != "c":
                (tmp_path / mark.removeprefix("file ")).write_text(text, encoding="utf-8")
