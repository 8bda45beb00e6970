"""The live page in a browser: python3 test_live.py ARTEFACTS

A search is started, the page fills, runs are isolated, a search is stopped, the server goes away and comes back; hostile texts are
texts; the report shows the same. Screenshots go into the folder ARTEFACTS.
"""
import json
import re
import socket
import sqlite3
import subprocess
import sys
import threading
import time
from pathlib import Path

from browser import Browser
from live import ZILCH, Server, check, failures, zilch

SIZES = {"desktop": (1400, 900), "phone": (390, 844)}
STATE = "document.getElementById('state').dataset.state"
GENERATION = "Charts && Number([...document.querySelectorAll('#chart-facts dt')].find(t => t.textContent === 'generations')" \
             "?.nextSibling.textContent.split(' ')[0] ?? 0)"


def wait_until(browser, condition, text, limit=60):
    """Check that a condition in JavaScript comes to hold."""
    end = time.monotonic() + limit
    while not (holds := browser.evaluate(f"Boolean({condition})")) and time.monotonic() < end:
        time.sleep(0.05)
    return check(holds, text)


def check_quiet(browser, text, *expected):
    """No errors, and no requests of others; `expected` may be complained of."""
    for complaint in browser.complaints:
        check(any(word in complaint for word in expected), f"{text}: {complaint}")
    browser.complaints.clear()


def show(browser, address, size="desktop", scheme="light"):
    """Open a page, still, and wait for its figures."""
    browser.set_size(*SIZES[size])
    browser.set_media(prefers_color_scheme=scheme, prefers_reduced_motion="reduce")
    browser.visit(address)
    wait_until(browser, "document.querySelector('#charts svg .line') !== null", f"{address}: no figure is drawn")


def leave(browser):
    """The page hears no more of its server."""
    browser.ask("Page.navigate", url="about:blank")
    wait_until(browser, "location.href === 'about:blank'", "the page does not go away")
    browser.complaints.clear()


class Proxy:
    """Hands on what comes to a port of its own, as ssh does, until it is cut."""

    def __init__(self, port):
        self.to, self.open = port, True
        self.pairs = []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            here = self.listener.accept()[0]
            there = self.connect() if self.open else None
            if there is None:
                here.close()
                continue
            self.pairs += [here, there]
            for source, sink in ((here, there), (there, here)):
                threading.Thread(target=self.copy, args=(source, sink), daemon=True).start()

    def connect(self):
        try:
            return socket.create_connection(("127.0.0.1", self.to))
        except ConnectionRefusedError:
            return None  # the server has ended

    @staticmethod
    def copy(source, sink):
        try:
            while data := source.recv(65536):
                sink.sendall(data)
        except OSError:
            pass
        for end in (source, sink):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def cut(self):
        self.open = False
        for end in self.pairs:
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


# ---- A search that goes on


def check_growing(browser, artefacts):
    """The page fills, goes away, comes back, and stops the search."""
    process = subprocess.Popen([ZILCH, "lander", "--evaluations", "1000000", "--population", "20", "--threads", "1", "--held-out", "0",
                                "--final-evaluations", "40", "--study", "a.study", "--progress", "none"],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    time.sleep(3)
    with Server("a.study") as server:
        proxy = Proxy(server.port)
        address = f"http://127.0.0.1:{proxy.port}/#{server.token}"
        show(browser, address)
        wait_until(browser, f"{STATE} === 'live'", "the page does not say that it is connected")
        first = browser.evaluate(GENERATION)
        wait_until(browser, f"{GENERATION} > {first} + 2", "the page does not grow")
        wait_until(browser, "document.querySelector('#chart-front svg') && document.querySelector('#chart-law table')", "no front, or no law")
        wait_until(browser, "!document.getElementById('flying').hidden", "no controller flies")
        for size in SIZES:
            for scheme in ("light", "dark"):
                show(browser, address, size, scheme)
                wait_until(browser, "document.querySelector('#chart-law table')", "no law")
                browser.screenshot(Path(artefacts, f"live_{size}_{scheme}.png"))
                wide = browser.evaluate("document.documentElement.scrollWidth")
                check(wide <= SIZES[size][0], f"live, {size}: is {wide} wide and scrolls sideways")
        check_quiet(browser, "live")
        proxy.cut()
        wait_until(browser, f"{STATE} === 'away'", "a server that is away is not noticed")
        proxy.open = True
        last = browser.evaluate(GENERATION)
        wait_until(browser, f"{STATE} === 'live' && {GENERATION} > {last}", "a server that is back is not noticed")
        check_quiet(browser, "away", "ERR_")
        browser.evaluate("document.querySelector('[data-action=pause]').focus()")
        browser.press("Enter")
        wait_until(browser, "document.getElementById('commands').textContent.includes('heeded')", "a pause is not heeded, or not said so")
        browser.evaluate("document.querySelector('[data-action=go-on]').click()")
        browser.evaluate("document.querySelector('[data-action=stop]').click()")
        output, complaints = process.communicate(timeout=60)
        check(process.returncode == 0 and "stopped by: request" in output, f"stop: {process.returncode}, {output[-300:]}, {complaints}")
        wait_until(browser, "document.getElementById('steering').hidden", "the page does not notice that the search has ended")
        wait_until(browser, "document.querySelector('#chart-point').textContent.includes('Recommended')", "nothing is recommended")
        check_same(browser, "a.study")
        check_quiet(browser, "stopped")
        show(browser, address)
        server.end(0)
        wait_until(browser, f"['over', 'away'].includes({STATE})", "the end of the server is not noticed")
        with Server("a.study", "--port", str(server.port)):
            wait_until(browser, "document.getElementById('state').textContent.includes('not the one of this page')",
                       "a server with another token is not told apart", limit=40)
        check_quiet(browser, "another server", "ERR_", "403", "request")
    zilch("resume", "a.study", "--run", "1", "--time", "0.1", "--progress", "none")


def check_same(browser, study):
    """The report draws what the page shows."""
    generation = browser.evaluate("Charts && document.querySelector('#charts').textContent")
    parts = "JSON.stringify([...document.querySelectorAll('#charts section .body')].map(b => b.innerHTML))"
    browser.set_size(700, 900)
    time.sleep(1)
    live = json.loads(browser.evaluate(parts))
    address = browser.evaluate("location.href")
    zilch("report", study, "-o", "same.html")
    leave(browser)
    browser.open("same.html")
    kept = json.loads(browser.evaluate(parts))
    check(len(live) == len(kept) == 9, f"{len(live)} and {len(kept)} parts, not 9")
    check(sum(len(part) > 100 for part in live) >= 6, "the page shows next to nothing")
    # Widths of drawings follow from those of their places, which differ by margins.
    plain = [[re.sub(r"<svg.*?</svg>", "", part) for part in page] for page in (live, kept)]
    for k, (a, b) in enumerate(zip(*plain)):
        check(a == b, f"part {k} of the report differs from the live page: {a[:300]} {b[:300]}")
    count = [[part.count("<path") + part.count("<circle") for part in page] for page in (live, kept)]
    check(count[0] == count[1] and sum(count[0]) > 10, f"drawings differ: {count}")
    check(generation, "nothing was shown")
    browser.visit(address)


# ---- Several runs, and texts of others


EVIL = ['<img src=x onerror="document.title=1">', "</script><script>throw 1</script>", "\"'&lt;\\", "a\u202eb\x1b[31m\nc", "{{7*7}}${1}"]


def make_hostile():
    """Three runs, whose texts somebody has written."""
    for seed in "123":
        zilch("optimize", "--problem", "sphere:active=2", "--dim", "5", "--evaluations", "400", "--population", "20", "--refinement", "no",
              "--penalty", "0.1", "--seed", seed, "--study", "evil.study", "--quiet")
    with sqlite3.connect("evil.study") as connection:
        connection.execute("UPDATE runs SET name = ?, machine = ?, started = ?, version = ?", EVIL[:4])
        for run in (1, 2, 3):
            connection.executemany("INSERT INTO coordinates VALUES (?, ?, ?)", [(run, k, text) for k, text in enumerate(EVIL)])
        connection.execute("INSERT INTO failures VALUES (3, 1, 5, ?, ?)", (EVIL[0], "\n".join(EVIL)))
        connection.execute("INSERT INTO commands (run, action, asked) VALUES (3, 'pause', ?)", (EVIL[0],))
    connection.close()


def check_runs(browser, artefacts):
    """Side by side, one alone by a click and by a key; and whatever is said is shown as text."""
    make_hostile()
    with Server("evil.study") as server:
        show(browser, server.address)
        lines = "document.querySelectorAll('#chart-values .line:not(.value)').length"
        wait_until(browser, f"{lines} === 3", "three runs are not three lines")
        browser.evaluate("[...document.querySelectorAll('.runs button')][1].click()")
        check(browser.evaluate(lines) == 1, "a click does not isolate a run")
        check(browser.evaluate("document.querySelectorAll('.runs button')[1].getAttribute('aria-pressed')") == "true", "the button does not say so")
        browser.press("2")
        check(browser.evaluate(lines) == 3, "a key does not show all again")
        browser.press("3")
        check(browser.evaluate(lines) == 1, "a key does not isolate a run")
        before = browser.evaluate("document.querySelector('#chart-values svg').outerHTML")
        browser.press("x")
        check(before != browser.evaluate("document.querySelector('#chart-values svg').outerHTML"), "the key x does nothing")
        browser.press("3")
        wait_until(browser, "document.querySelector('#chart-front svg')", "no front")
        text = browser.evaluate("document.body.innerText")
        check(browser.evaluate("document.querySelectorAll('img, #charts script').length") == 0, "a text of others has become markup")
        check("<img src=x" in text and "</script><script>" in text and "\u202e" not in text and "\\u202e" in text, "texts of others are not shown as they are")
        check(browser.evaluate("document.title").startswith("zilch: "), "a text of others has run")
        for size in SIZES:
            show(browser, server.address, size)
            browser.screenshot(Path(artefacts, f"live_runs_{size}.png"))
            wide = browser.evaluate("document.documentElement.scrollWidth")
            check(wide <= SIZES[size][0], f"runs, {size}: is {wide} wide and scrolls sideways")
        check_quiet(browser, "hostile", "404")
        leave(browser)
    zilch("report", "evil.study", "-o", "evil.html")
    browser.open("evil.html")
    check(browser.evaluate("document.querySelectorAll('img').length") == 0, "the report: a text of others has become markup")
    check(browser.evaluate("document.querySelectorAll('#chart-values .line').length") > 2, "the report draws no search")
    check_quiet(browser, "hostile report")


# ---- Regressions and comparisons


def check_regressions(browser, artefacts):
    """Predicted against observed, on the page and in the report; names of columns are texts."""
    with open("rows.csv", "w", encoding="utf-8") as file:
        print("a,b,<b>c</b>,y,z", file=file)
        for k in range(60):
            row = [(7 * k % 13) - 6, (5 * k % 11) - 5, k % 3 - 1]
            print(*row, 2 * row[0] - row[1] + k % 2, int(2 * row[0] - row[1] + k % 5 > 1), sep=",", file=file)
    for problem, response, mark in (("linear", 4, "circle.dot"), ("logistic", 5, "path.line")):
        zilch("optimize", "--problem", problem, "--response", str(response), "--data", "rows.csv", "--evaluations", "200",
              "--study", f"{problem}.study", "--quiet")
        count = f"document.querySelectorAll('#chart-fit {mark}').length"
        many = {"linear": 60, "logistic": 2}[problem]
        with Server(f"{problem}.study") as server:
            show(browser, server.address)
            wait_until(browser, f"{count} === {many}", f"{problem}: predicted values are not drawn")
            browser.screenshot(Path(artefacts, f"live_{problem}.png"))
            check_quiet(browser, problem)
            leave(browser)
        zilch("report", f"{problem}.study", "-o", f"{problem}.html")
        browser.open(f"{problem}.html")
        check(browser.evaluate(count) == many, f"{problem}: the report draws no predicted values")
        check(browser.evaluate("document.querySelectorAll('#charts td b, #charts th b').length") == 0, "a name has become markup")


def check_comparison(browser):
    """Its runs have one budget and one penalty, so the page does not offer others."""
    process = subprocess.Popen([ZILCH, "compare", "--problem", "sphere:active=2", "--dim", "8", "--evaluations", "100000000", "--seeds", "1",
                                "--methods", "gaussian+population=20,ea+population=20", "--study", "both.study", "--progress", "none"],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(3)
    with Server("both.study") as server:
        show(browser, server.address)
        wait_until(browser, "!document.getElementById('steering').hidden", "a comparison cannot be steered")
        check(browser.evaluate("document.getElementById('limits').hidden && !document.getElementById('compared').hidden"),
              "another budget is offered for a run of a comparison")
        browser.evaluate("document.querySelector('[data-action=stop]').click()")
        process.wait(60)
        check(process.returncode == -2, f"a comparison that was stopped from the page: status {process.returncode}")
        leave(browser)


def main():
    """All of it."""
    artefacts = sys.argv[1]
    with Browser(".", limit=280) as browser:
        check_runs(browser, artefacts)
        check_regressions(browser, artefacts)
        check_comparison(browser)
        check_growing(browser, artefacts)
    return 1 if failures else 0


sys.exit(main())
