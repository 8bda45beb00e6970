"""A search while it goes on: the live page, which the command serves, and a view for notebooks."""

from __future__ import annotations

import atexit
import contextlib
import html
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from . import _arrays
from ._optimizer import Optimizer
from ._result import best_so_far, labels

_BETWEEN = 0.5  # seconds between two drawings in a notebook
_SHOWN = 8  # active coordinates


class Server:
    """The live page of a study: `address` is what a browser opens. It ends with ``close()``, with a ``with`` block, or with Python."""

    def __init__(self, process: subprocess.Popen[str], address: str) -> None:
        self.address = address
        self._process = process
        atexit.register(self.close)

    def close(self) -> None:
        """More than once is as good as once."""
        atexit.unregister(self.close)
        if self._process.poll() is None:
            self._process.terminate()
        self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()

    def __enter__(self) -> Server:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<zilch.Server at {self.address}>"

    def _repr_html_(self) -> str:
        return f"<a href='{html.escape(self.address)}' target='_blank' rel='noopener'>live page of the study</a>"


def serve(study: str | os.PathLike[str], port: int = 0) -> Server:
    """Serve the live page of a study to the browsers of this machine, beside what this program does.

    The page shows the runs of the study while they search, and later, and can ask a search to stop, to pause, and more. The address has a
    token behind its #, without which the page shows nothing. The installed command ``zilch serve`` does it, as a process of its own,
    which ends with Python at the latest.

    Parameters
    ----------
    study : path
        The file, which must be there.
    port : int
        At 127.0.0.1; 0 for one that is free.

    >>> import zilch
    >>> page = zilch.serve("lander.study")  # doctest: +SKIP
    >>> page.address  # doctest: +SKIP
    'http://127.0.0.1:34431/#863ec9058f93aa6c20b47f9f7163bbb2'
    >>> page.close()  # doctest: +SKIP
    """
    path = os.fspath(study)
    if not Path(path).exists():
        raise FileNotFoundError(f"study: {path} is not there")
    number = _arrays.count(port, "port", 0, 65535)
    commands = list(_commands())
    if not commands:
        raise RuntimeError("serve: the command zilch is not installed, neither beside this Python nor in the PATH; "
                           "on Linux it comes with the package, as 'pip install zilch' or as Debian's zilch")
    said = ""
    for command in commands:
        found = _start(command, path, number)
        if isinstance(found, Server):
            return found
        said = f"{command}: {found}"
        if "built without the live page" not in found:
            break  # another one would say the same
    raise RuntimeError(f"serve: {said}")


def _commands() -> Iterator[str]:
    """Beside this Python, and in the PATH: the one of a wheel has no live page."""
    beside = shutil.which("zilch", path=sysconfig.get_path("scripts"))
    found = shutil.which("zilch")
    yield from dict.fromkeys(each for each in (beside, found) if each)


def _start(command: str, study: str, port: int) -> Server | str:
    """A server, or what the command says instead. It is in a session of its own, so that Ctrl-C reaches the search alone."""
    words = [command, "serve", "--beside", str(os.getpid()), "--port", str(port), "--", study]
    with tempfile.TemporaryFile("w+", errors="replace") as complaints:
        process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=complaints, text=True,
                                   start_new_session=True)
        line = process.stdout.readline() if process.stdout else ""
        found = re.match(r"live page: (\S+)", line)
        if found:
            return Server(process, found[1])
        process.kill()
        process.communicate()
        complaints.seek(0)
        return complaints.read().strip() or "it says no address"


# ---- In a notebook

class View:
    """HTML that is drawn anew as a search goes on: no widgets, and no server."""

    def __init__(self, names: Sequence[str] | None) -> None:
        from IPython.display import HTML, display
        self.names = names
        self._make = HTML
        self._handle = display(HTML(_page("The search begins.")), display_id=True)
        self._drawn = 0.0

    def draw(self, optimizer: Optimizer, history: Sequence[tuple[Any, ...]], ending: str | None = None) -> None:
        """Twice a second at most, and at the end, with what it ended by."""
        now = time.perf_counter()
        if ending is None and now - self._drawn < _BETWEEN:
            return
        self._drawn = now
        self._handle.update(self._make(_page(_text(optimizer, ending), _table(optimizer, self.names), best_so_far(
            [row[1] for row in history], [row[2] for row in history]))))


def _text(optimizer: Optimizer, ending: str | None) -> str:
    p = optimizer.progress
    place = f"{p.evaluations} evaluations and {p.generations} generations" + (f", {p.failures} failed" if p.failures else "")
    state = "searching, at" if ending is None else f"{ending}, after"
    return f"{state} {place}; best value {p.best_value:.6g}, {p.best_active} of {optimizer.dim} coordinates active"


def _table(optimizer: Optimizer, names: Sequence[str] | None) -> str:
    if not optimizer.top(1):
        return ""
    x = optimizer.best.x
    active = [i for i in range(len(x)) if x[i] != optimizer.default[i]]
    called = [f"x[{i}]" for i in range(len(x))] if names is None else labels(names, len(x))
    rows = "".join(f"<tr><td style='text-align:left'>{html.escape(called[i])}</td><td>{x[i]:.6g}</td></tr>"
                   for i in sorted(active, key=lambda i: -abs(x[i]))[:_SHOWN])
    more = len(active) - _SHOWN
    return f"<table>{rows}{f'<tr><td colspan=2>and {more} smaller ones</td></tr>' if more > 0 else ''}</table>"


def _page(text: str, table: str = "", drawing: str = "") -> str:
    return (f"<div style='display:flex;gap:2em;flex-wrap:wrap'><div><b>zilch</b> {html.escape(text)}{table}</div>"
            f"<div>{drawing}</div></div>")


def is_notebook() -> bool:
    """Whether what is displayed is seen by somebody who has a kernel, not a terminal."""
    module = sys.modules.get("IPython")
    shell = module.get_ipython() if module is not None else None
    return getattr(shell, "kernel", None) is not None


# ---- For a search

@contextlib.contextmanager
def path_for(live: bool, study: str | os.PathLike[str] | None) -> Iterator[str | os.PathLike[str] | None]:
    """The study that the page is made from: without one, a page has one of its own for as long as the search lasts."""
    if not isinstance(live, bool):
        raise TypeError(f"live: must be True or False, not {live!r}")
    if not live or study is not None or is_notebook():
        yield study
        return
    with tempfile.TemporaryDirectory(prefix="zilch-") as folder:
        yield Path(folder, "search.study")


@contextlib.contextmanager
def shown(live: bool, study: str | os.PathLike[str] | None, names: Sequence[str] | None) -> Iterator[View | None]:
    """In a notebook a view; elsewhere the page, whose address is printed on standard error."""
    if not live:
        yield None
    elif is_notebook():
        yield View(names)
    else:
        assert study is not None
        with serve(study) as page:
            print(f"live page: {page.address}", file=sys.stderr, flush=True)
            yield None
