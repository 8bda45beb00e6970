"""The README's Python examples print what stands below them."""
import contextlib
import io
import pathlib
import re

import pytest

README = (pathlib.Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```python\n(.*?)```\n+(?:<!--[^\n]*-->\n)?```\n(.*?)```", README, re.DOTALL)


def test_there_are_examples():
    assert len(EXAMPLES) == README.count("```python") >= 2


@pytest.mark.parametrize(("source", "shown"), EXAMPLES)
def test_an_example_prints_what_is_shown(source, shown):
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(source, "README.md", "exec"), {})
    assert printed.getvalue() == shown
