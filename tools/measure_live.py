"""Measures the live page with headless Chromium, in a scratch folder:

    python3 tools/measure_live.py delay [SECONDS]     from the commit of a generation to its drawing
    python3 tools/measure_live.py open STUDY          until a study is drawn, and the memory of the browser's page
    python3 tools/measure_live.py cost [PAIRS]        processor time of a search of the lander, alone and served to a client

The command is $ZILCH. Other work on the machine changes what is measured: the load is printed, too.
"""
import json
import os
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests/cli"))
from browser import Browser  # noqa: E402
from live import ZILCH, Listener, Server  # noqa: E402

# Notes when each generation was drawn: after the frame that follows its drawing.
NOTE = """(() => {
  window.drawnAt = {}; let last = 0;
  document.getElementById('charts').addEventListener('drawn', ({ detail: run }) => {
    const generation = run.rows.at(-1)[0];
    requestAnimationFrame(() => {
      const channel = new MessageChannel();
      channel.port1.onmessage = () => {
        const now = performance.timeOrigin + performance.now();
        for (let k = last + 1; k <= generation; k++) window.drawnAt[k] = now;
        last = Math.max(last, generation);
      };
      channel.port2.postMessage(0);
    });
  });
})()"""


def lander(study, *words):
    """A search on one thread."""
    return subprocess.Popen([ZILCH, "lander", "--threads", "1", "--held-out", "0", "--study", study, "--progress", "none", *words],
                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def delay(seconds=60):
    """A reader that looks every two milliseconds says when a generation was there."""
    search = lander("delay.study", "--evaluations", "100000000", "--population", "30")
    time.sleep(2)
    try:
        with Browser(".", limit=seconds + 120) as browser, Server("delay.study") as server:
            browser.set_size(1400, 900)
            browser.visit(server.address)
            time.sleep(3)
            browser.evaluate(NOTE)
            study = sqlite3.connect("file:delay.study?mode=ro", uri=True)
            last, seen, end = None, {}, time.time() + seconds
            while time.time() < end:
                generation = study.execute("SELECT max(generation) FROM generations").fetchone()[0]
                for k in range((last or generation) + 1, generation + 1):
                    seen[k] = time.time()
                last = generation
                time.sleep(0.002)
            time.sleep(1)
            drawn = json.loads(browser.evaluate("JSON.stringify(window.drawnAt)"))
    finally:
        search.kill()
        search.wait()
    late = sorted(float(drawn[str(k)]) - 1000 * seen[k] for k in seen if str(k) in drawn)
    print(f"{len(late)} of {len(seen)} generations: median {statistics.median(late):.0f} ms, 99 % within {late[int(0.99 * len(late))]:.0f} ms, "
          f"worst {late[-1]:.0f} ms, {sum(x > 200 for x in late)} over 200 ms")


def memory():
    """Of the pages of browsers, in MiB: what is their own, and all that is resident."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            if "--type=renderer" in (place / "cmdline").read_text():
                rows = dict(line.split(":") for line in (place / "smaps_rollup").read_text().splitlines()[1:])
                found.append([round(sum(int(rows[name].split()[0]) for name in names) / 1024)
                              for names in (("Private_Clean", "Private_Dirty"), ("Rss",))])
        except OSError:
            continue
    return max(found)


def open_study(study):
    """Five times."""
    for _ in range(5):
        with tempfile.TemporaryDirectory() as folder, Browser(folder) as browser, Server(study) as server:
            browser.set_size(1400, 900)
            began = time.time()
            browser.visit(server.address)
            while not browser.evaluate("document.querySelector('#charts svg .line') !== null"):
                time.sleep(0.005)
            drawn = time.time() - began
            time.sleep(2)
            heap = browser.ask("Runtime.getHeapUsage")["usedSize"] / 2**20
            own, resident = memory()
            print(f"drawn after {drawn:.2f} s; script {heap:.1f} MiB, page {own} MiB of its own, {resident} MiB resident")


def cost(pairs=5):
    """Each search has the same evaluations."""
    ratios = []
    for k in range(pairs):
        spent = {}
        for served in (False, True) if k % 2 else (True, False):
            study = f"cost{k}{served}.study"
            search = lander(study, "--evaluations", "2500", "--population", "100", "--seed", str(k + 1))
            while served and not Path(study).exists():
                time.sleep(0.05)
            time.sleep(0.5)
            server = Server(study) if served else None
            listener = Listener(server) if served else None
            usage = os.wait4(search.pid, 0)[2]
            search.returncode = 0
            spent[served] = usage.ru_utime + usage.ru_stime
            if served:
                listener.close()
                server.end()
        ratios.append(spent[True] / spent[False])
        print(f"alone {spent[False]:.2f} s, served {spent[True]:.2f} s, ratio {ratios[-1]:.4f}", flush=True)
    print(f"median {statistics.median(ratios):.4f}, mean {statistics.mean(ratios):.4f}")


def main():
    """What is asked for."""
    what, *rest = sys.argv[1:] or ["help"]
    if what not in ("delay", "open", "cost") or len(rest) > 1 or (what == "open" and not rest):
        print(__doc__, file=sys.stderr)
        return 2
    print("load:", os.getloadavg()[0])
    given = [str(Path(rest[0]).resolve())] if what == "open" else [int(word) for word in rest]
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        {"delay": delay, "open": open_study, "cost": cost}[what](*given)
        os.chdir("/")
    return 0


sys.exit(main())
