"""The server of the live page, without a browser: what it tells, what it refuses, and what it heeds."""
import json
import re
import signal
import socket
import sqlite3
import statistics
import subprocess
import sys
import threading
import time
import types

from live import ZILCH, Listener, Server, check, failures, merge, wait_for, zilch


def search(*words):
    """A search beside this program."""
    return subprocess.Popen([ZILCH, *words, "--progress", "none"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def slow_program():
    """An evaluator that takes its time."""
    with open("slow.sh", "w", encoding="utf-8") as file:
        answer = r's/{"id": *\([0-9]*\), *"x": *\[\([^],]*\).*/{"id":\1,"value":\2}/'
        file.write(f"while read -r line; do sleep 0.2; echo \"$line\" | sed '{answer}'; done\n")
    return "sh slow.sh"


def rows(study):
    """The generations that a study has."""
    with sqlite3.connect(f"file:{study}?mode=ro", uri=True, timeout=10) as connection:
        return connection.execute("SELECT generation, evaluations, best_value, best_fitness FROM generations").fetchall()


def begun(study):
    """Whether a run has generations."""
    try:
        return len(rows(study)) > 1
    except sqlite3.Error:
        return False


# ---- What it refuses


def check_refusals(server):
    """Wrong host, origin, method, token, path, run, action, value; bodies; too much, too slow, and no HTTP."""
    here, token = f"127.0.0.1:{server.port}", {"X-Zilch-Token": server.token}
    stop = "/command?run=1&action=pause"
    wrong = server.token[:-1] + ("0" if server.token[-1] != "0" else "1")
    cases = [
        (200, "GET", "/", {}), (200, "GET", "/charts.js", {}), (200, "GET", "/", {"Host": "localhost:1234"}),
        (200, "GET", "/", {"Host": "[::1]"}), (200, "GET", "/", {"Origin": f"http://{here}"}),
        (403, "GET", "/", {"Host": "example.com"}), (403, "GET", "/", {"Host": "127.0.0.1.example.com"}),
        (403, "GET", "/", {"Host": "localhost:80@example.com"}), (403, "GET", "/", {"Host": "localhost:"}),
        (403, "GET", "/", {"Host": "localhost:123456"}), (403, "GET", "/", {"Host": ""}),
        (403, "GET", "/", {"Origin": "http://example.com"}), (403, "GET", "/", {"Origin": "null"}),
        (403, "GET", "/", {"Origin": f"https://{here}"}), (403, "GET", "/", {"Sec-Fetch-Site": "cross-site"}),
        (403, "GET", "/", {"Sec-Fetch-Site": "same-site"}),
        (404, "GET", "/none", {}), (404, "GET", "/../etc/passwd", {}), (404, "GET", "//", {}), (404, "GET", "/live.html", {}),
        (404, "GET", "/report.css", {}),
        (405, "POST", "/", {}), (405, "PUT", "/", {}), (405, "DELETE", stop, token), (405, "GET", stop, token),
        (405, "HEAD", "/events", token), (405, "OPTIONS", "/command", {}),
        (403, "GET", "/events", {}), (403, "GET", "/events?token=" + wrong, {}), (403, "GET", "/events?token=", {}),
        (403, "GET", "/flight?run=1", {}), (403, "POST", stop, {}), (403, "POST", stop, {"X-Zilch-Token": wrong}),
        (403, "POST", stop, {"X-Zilch-Token": server.token + "0"}), (403, "POST", stop, {**token, "Origin": "http://example.com"}),
        (400, "POST", "/command", token), (400, "POST", "/command?run=0&action=stop", token),
        (400, "POST", "/command?run=-1&action=stop", token), (400, "POST", "/command?run=1e9&action=stop", token),
        (400, "POST", "/command?run=99999999999999999999&action=stop", token),
        (400, "POST", "/command?run=1&action=dance", token), (400, "POST", "/command?run=1&action=stop&value=1", token),
        (400, "POST", "/command?run=1&action=evaluations", token), (400, "POST", "/command?run=1&action=evaluations&value=nan", token),
        (400, "POST", "/command?run=1&action=evaluations&value=1.5", token), (400, "POST", "/command?run=1&action=generations&value=-1", token),
        (400, "POST", "/command?run=1&action=penalty", token), (400, "POST", "/command?run=1&action=penalty&value=-0.5", token),
        (400, "POST", "/command?run=1&action=penalty&value=inf", token), (400, "POST", "/command?run=1%00&action=st%00op", token), (404, "GET", "/flight?run=9", token),
    ]
    for status, method, path, headers in cases:
        got = server.request(method, path, headers)[0]
        check(got == status, f"{method} {path} {headers}: status {got}, not {status}")
    got = server.request("POST", stop, token, body=b"x" * 10)[0]
    check(got == 413, f"a body: status {got}, not 413")
    headers = server.request("GET", "/")[2]
    check("default-src 'none'" in headers.get("Content-Security-Policy", ""), "no strict policy")
    check(not begun("none.study") and not commands("a.study"), "a refused command is in the study")


def raw(server, data, limit=20):
    """What comes back for bytes, and after how long."""
    begin = time.monotonic()
    with socket.create_connection(("127.0.0.1", server.port), timeout=limit) as connection:
        answer = b""
        try:
            connection.sendall(data)
            while part := connection.recv(65536):
                answer += part
        except OSError:
            pass
    return answer, time.monotonic() - begin


def check_odd_bytes(server):
    """Requests that are too large, too slow, or none; the server answers others all the while."""
    head = f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n".encode()
    for name, data in {"a long path": b"GET /" + b"a" * 100000 + b" HTTP/1.1\r\n\r\n",
                       "a long header": head + b"X: " + b"a" * 100000 + b"\r\n\r\n",
                       "many headers": head + b"".join(b"X%d: y\r\n" % i for i in range(5000)) + b"\r\n",
                       "no HTTP": b"\x16\x03\x01" + b"\xff" * 200 + b"\r\n\r\n",
                       "a great length": b"POST /command HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999\r\n\r\n" + b"a" * 1000,
                       "a chunked body": b"POST /command HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
                       "two hosts": head + b"Host: example.com\r\nConnection: close\r\n\r\n"}.items():
        answer, _ = raw(server, data)
        check(not answer.startswith(b"HTTP/1.1 2") or name == "two hosts", f"{name}: {answer[:60]}")
    took = {}
    slow = threading.Thread(target=lambda: took.update(slow=raw(server, head, limit=40)))
    slow.start()
    for _ in range(20):
        check(server.request("GET", "/")[0] == 200, "beside a slow client, others are not answered")
    slow.join()
    check(took["slow"][1] < 30 and not took["slow"][0].startswith(b"HTTP/1.1 2"), f"a slow client is kept: {took['slow']}")


# ---- What it tells


def check_news(server, study):
    """Events add up to the study, each with only what is new, soon after its commit."""
    listener = Listener(server)
    wait_for(lambda: listener.named("whole"), "no document comes")
    committed = dict.fromkeys(row[0] for row in rows(study))
    begin = len(committed)
    while len(committed) < begin + 10:
        for row in rows(study):
            committed.setdefault(row[0], time.time())
        time.sleep(0.002)
    last = max(committed)
    document = merge({}, listener.named("whole")[0][2])
    told = {}
    time.sleep(1)
    for when, _, news in listener.named("news"):
        for part in news["runs"]:
            for row in part.get("rows", {"list": []})["list"]:
                told.setdefault(row[0], when)
        check(len(json.dumps(news.get("runs"))) < 60000, "an event tells more than what is new")
        merge(document, news)
    after = sorted(told[g] - seen for g, seen in committed.items() if seen and g in told)
    check(len(after) >= 3, f"of generations {sorted(committed)}, {sorted(told)} were told")
    print(f"told after its commit: median {1000 * statistics.median(after):.0f} ms, at most {1000 * after[-1]:.0f} ms, of {len(after)} generations")
    check(after[0] < 0.2, f"no generation is told within 200 ms: {after}")
    known = {row[0]: row for row in rows(study)}
    for generation, evaluations, _, value, fitness, *_ in document[1]["rows"]:
        if generation <= last:
            check((evaluations, value, fitness) == known[generation][1:], f"generation {generation} is told otherwise than recorded")
    listener.close()


def check_many(server):
    """A hundred at once hear everything."""
    listeners = [Listener(server) for _ in range(100)]
    wait_for(lambda: all(one.named("whole") for one in listeners), "of a hundred clients, some hear nothing")
    latest = max(row[0] for row in rows("a.study"))
    wait_for(lambda: all(heard(one) > latest for one in listeners), "of a hundred clients, some hear no news")
    for one in listeners:
        one.close()


def heard(listener):
    """The last generation that somebody was told."""
    return max((row[0] for _, _, news in listener.named("whole", "news") for part in news["runs"]
                for row in part.get("rows", {"list": []})["list"]), default=0)


# ---- What it heeds


def commands(study):
    """What was asked of runs."""
    with sqlite3.connect(f"file:{study}?mode=ro", uri=True, timeout=10) as connection:
        return connection.execute("SELECT action, value, generation FROM commands ORDER BY command").fetchall()


def is_heeded(study, action):
    """Whether the last command is this one, and was heeded."""
    return bool(found := commands(study)) and found[-1][0] == action and found[-1][2] is not None


def ask(server, action, value=None):
    """By the page's way."""
    path = f"/command?run=1&action={action}" + (f"&value={value}" if value is not None else "")
    status = server.request("POST", path, {"X-Zilch-Token": server.token, "Origin": f"http://127.0.0.1:{server.port}"})[0]
    check(status == 202, f"{action}: status {status}, not 202")


def check_steering(server, study, process):
    """Pause, go on, a new budget, a recommendation, and the end."""
    ask(server, "pause")
    wait_for(lambda: commands(study) and commands(study)[-1][2] is not None, "pause: is not heeded")
    before = len(rows(study))
    time.sleep(1.0)
    check(len(rows(study)) == before, "paused, the search goes on")
    ask(server, "go-on")
    wait_for(lambda: len(rows(study)) > before, "it does not go on")
    ask(server, "recommend")
    with sqlite3.connect(f"file:{study}?mode=ro", uri=True, timeout=10) as connection:
        found = wait_for(lambda: connection.execute("SELECT stop FROM conclusions WHERE point IS NOT NULL").fetchall(), "nothing is recommended")
    check(found == [(None,)], f"a recommendation ends the run: {found}")
    before = len(rows(study))
    wait_for(lambda: len(rows(study)) > before, "after a recommendation, the search does not go on")
    ask(server, "penalty", 3.5)
    wait_for(lambda: is_heeded(study, "penalty"), "another penalty: is not heeded")
    before = len(rows(study))
    wait_for(lambda: len(rows(study)) > before, "with another penalty, the search does not go on")
    with sqlite3.connect(f"file:{study}?mode=ro", uri=True, timeout=10) as connection:
        cost, active = connection.execute("SELECT best_value - best_fitness, best_active FROM generations ORDER BY generation DESC LIMIT 1").fetchone()
        kept = connection.execute("SELECT penalty FROM runs").fetchall()
    check(kept == [(3.5,)] and abs(cost - 3.5 * active) < 1e-9, f"another penalty: {kept}, {cost} for {active}")
    ask(server, "evaluations", 5000000)
    wait_for(lambda: is_heeded(study, "evaluations"), "a new budget: is not heeded")
    before = len(rows(study))
    wait_for(lambda: len(rows(study)) > before, "with a new budget, the search does not go on")
    with sqlite3.connect(f"file:{study}?mode=ro", uri=True, timeout=10) as connection:
        limit = connection.execute("SELECT value FROM settings WHERE kind = 'limit' AND name = 'evaluations'").fetchall()
    check(limit == [("5000000",)], f"the new budget is not recorded: {limit}")
    ask(server, "stop")
    output, complaints = process.communicate(timeout=60)
    check(process.returncode == 0 and "stopped by: request" in output, f"stop: status {process.returncode}, {output[-300:]} {complaints}")
    check([c[0] for c in commands(study)] == ["pause", "go-on", "recommend", "penalty", "evaluations", "stop"], f"what was asked: {commands(study)}")
    check("request" in zilch("show", study), "show does not say why it has ended")


def check_replay():
    """A search that was steered, and one that is made to stop there, steered and gone on with, are the same."""
    words = ["optimize", "--problem", "sphere:active=3", "--dim", "40", "--penalty", "0.05", "--population", "100", "--seed", "3"]
    process = search(*words, "--generations", "1000000", "--study", "steered.study")
    wait_for(lambda: begun("steered.study"), "the search does not begin")
    zilch("steer", "steered.study", "penalty", "0.2")
    wait_for(lambda: commands("steered.study")[-1][2] is not None, "another penalty: is not heeded")
    zilch("steer", "steered.study", "stop")
    process.communicate(timeout=60)
    after = [c[2] for c in commands("steered.study")]
    zilch(*words, "--generations", str(after[0]), "--study", "again.study", "--quiet")
    zilch("steer", "again.study", "penalty", "0.2")
    zilch("resume", "again.study", "--generations", str(after[1]), "--quiet")
    check(rows("steered.study") == rows("again.study"), f"another penalty after generation {after[0]}: its search is another one when it is made again")
    shown = zilch("show", "steered.study", "--run", "1")
    check(f"steered: penalty 0.2 after generation {after[0]}, stop after" in shown and "--penalty 0.05" in shown, f"show: {shown[:900]}")
    check(json.loads(zilch("show", "steered.study", "--run", "1", "--json"))["steered"][0]["value"] == 0.2, "show --json does not say so")


def check_stop_now():
    """In the midst of evaluations; what has arrived is kept, and the run goes on from there."""
    program = slow_program()
    process = search("optimize", "--program", program, "--dim", "4", "--study", "now.study", "--evaluations", "30",
                     "--population", "6", "--refinement", "no")
    wait_for(lambda: begun("now.study"), "the slow search does not begin")
    zilch("steer", "now.study", "stop-now")
    begin = time.monotonic()
    _, complaints = process.communicate(timeout=60)
    check(process.returncode == -15 or process.returncode == 143, f"stop-now: status {process.returncode}")
    check(time.monotonic() - begin < 10 and "goes on from there" in complaints, f"stop-now: {complaints}")
    output = zilch("resume", "now.study", "--program", program, "--progress", "none")
    check("stopped by: evaluations" in output, f"after stop-now, the run does not come to its end: {output[-400:]}")


def check_live_option():
    """A search brings its own server, which ends with it."""
    process = search("optimize", "--problem", "sphere:active=2", "--dim", "8", "--evaluations", "100000000", "--population", "20",
                     "--refinement", "no", "--study", "own.study", "--live")
    found = re.search(r"http://127\.0\.0\.1:(\d+)/#([0-9a-f]{32})", process.stderr.readline())
    if not check(found, "--live says no address"):
        process.kill()
        return
    server = types.SimpleNamespace(port=int(found[1]), token=found[2])
    listener = Listener(server)
    wait_for(lambda: heard(listener) > 1, "the server of --live tells nothing")
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    wait_for(lambda: not listener.is_alive() and listener.named("end"), "the server of --live does not say that it ends")
    check(heard(listener) == max(row[0] for row in rows("own.study")), "the last generation was not told")
    try:
        socket.create_connection(("127.0.0.1", server.port), timeout=5).close()
        check(False, "the server of --live is left behind")
    except ConnectionRefusedError:
        pass


def asked_of(study, run):
    """What was asked of a run, and after which generation it was heeded."""
    with sqlite3.connect(f"file:{study}?mode=ro", uri=True, timeout=10) as connection:
        return connection.execute("SELECT action, generation FROM commands WHERE run = ? ORDER BY command", (run,)).fetchall()


def generations(study, run):
    """How many a run has."""
    with sqlite3.connect(f"file:{study}?mode=ro", uri=True, timeout=10) as connection:
        return connection.execute("SELECT count(*) FROM generations WHERE run = ?", (run,)).fetchone()[0]


def check_compare():
    """A comparison brings its own server; its runs pause, go on and recommend, and all of them stop."""
    words = ["compare", "--problem", "sphere:active=2", "--dim", "8", "--evaluations", "300000", "--seeds", "2", "--threads", "2",
             "--methods", "slow:gaussian+population=20,ea+population=20", "--study", "both.study"]
    process = search(*words, "--live")
    found = re.search(r"http://127\.0\.0\.1:(\d+)/#([0-9a-f]{32})", process.stderr.readline())
    if not check(found, "compare --live says no address"):
        process.kill()
        return
    listener = Listener(types.SimpleNamespace(port=int(found[1]), token=found[2]))
    wait_for(lambda: generations("both.study", 1) > 2 and generations("both.study", 2) > 2, "the comparison does not begin")
    zilch("steer", "both.study", "pause", "--run", "1")
    wait_for(lambda: asked_of("both.study", 1)[-1][1], "a pause of a run of a comparison is not heeded")
    before, other = generations("both.study", 1), generations("both.study", 2)
    time.sleep(0.5)
    check(generations("both.study", 1) == before, "a run of a comparison goes on while it is paused")
    check(generations("both.study", 2) > other, "a run of a comparison waits for another one that is paused")
    zilch("steer", "both.study", "go-on", "--run", "1")
    wait_for(lambda: generations("both.study", 1) > before, "a run of a comparison does not go on")
    zilch("steer", "both.study", "recommend", "--run", "2")
    wait_for(lambda: asked_of("both.study", 2)[-1][1], "a run of a comparison is not asked to recommend")
    with sqlite3.connect("file:both.study?mode=ro", uri=True, timeout=10) as connection:
        wait_for(lambda: connection.execute("SELECT count(*) FROM conclusions WHERE run = 2").fetchone()[0], "nothing is recommended")
    for words_of_all in (["penalty", "0.5"], ["evaluations", "10"], ["generations", "10"]):
        done = subprocess.run([ZILCH, "steer", "both.study", *words_of_all, "--run", "2"], capture_output=True, text=True, check=False)
        check(done.returncode == 1 and "belongs to a comparison" in done.stderr, f"steer of a comparison: {done}")
    zilch("steer", "both.study", "stop", "--run", "1")
    _, complaints = process.communicate(timeout=60)
    check(process.returncode == -signal.SIGINT and "the same command goes on from there" in complaints, f"compare, stop: {process.returncode}, {complaints}")
    check(asked_of("both.study", 1)[-1][1], "the stop of a comparison is not on record")
    wait_for(lambda: not listener.is_alive() and listener.named("end"), "the server of compare --live does not say that it ends")
    # The same runs as if nothing had been asked.
    words[words.index("300000")] = str(20 * (max(generations("both.study", run) for run in (1, 2, 3, 4)) + 3))
    went_on = json.loads(zilch(*words, "--json", "--quiet"))
    words[-1] = "once.study"
    at_once = json.loads(zilch(*words, "--json", "--quiet"))
    ends = [[[run["fitness"], run["evaluations"]] for run in each["runs"]] for each in (went_on, at_once)]
    check(ends[0] == ends[1] and len(ends[0]) == 4, f"a comparison that was steered ends in another way: {ends}")
    done = subprocess.run([ZILCH, *words[:-2], "--live"], capture_output=True, text=True, check=False)
    check(done.returncode == 2 and "--study" in done.stderr, f"compare --live without a study: {done}")


def check_steer_words():
    """What the command refuses."""
    for words in (["a.study"], ["a.study", "dance"], ["a.study", "evaluations"], ["a.study", "stop", "3"], ["a.study", "evaluations", "x"]):
        done = subprocess.run([ZILCH, "steer", *words], capture_output=True, text=True, check=False)
        check(done.returncode in (1, 2) and done.stderr.startswith("zilch steer: "), f"steer {words}: {done}")
    zilch("steer", "a.study", "stop", "--run", "9", status=1)
    zilch("serve", "missing.study", status=1)


def main():
    """All of it."""
    process = search("lander", "--evaluations", "1000000", "--population", "20", "--threads", "1", "--held-out", "0", "--final-evaluations", "40",
                     "--study", "a.study")
    try:
        wait_for(lambda: begun("a.study"), "the search does not begin")
        with Server("a.study") as server:
            check_refusals(server)
            check_odd_bytes(server)
            check_news(server, "a.study")
            check_many(server)
            check_steering(server, "a.study", process)
        check_steer_words()
        check_replay()
        check_stop_now()
        check_live_option()
        check_compare()
    finally:
        process.kill()
    return 1 if failures else 0


sys.exit(main())
