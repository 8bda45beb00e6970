"""What the tests of the live page share: a server, the search beside it, and a listener to its events."""
import http.client
import json
import os
import re
import select
import socket
import subprocess
import sys
import threading
import time

ZILCH = os.environ["ZILCH"]
failures = []


def check(holds, text):
    """Note what does not hold."""
    if not holds:
        failures.append(text)
        print("FAILED:", text, file=sys.stderr)
    return holds


def wait_for(condition, text, limit=60):
    """Check that a condition comes to hold; gives what it gave last."""
    end = time.monotonic() + limit
    while not (holds := condition()) and time.monotonic() < end:
        time.sleep(0.02)
    check(holds, text)
    return holds


def zilch(*words, status=0):
    """Run the command; gives its standard output."""
    done = subprocess.run([ZILCH, *words], capture_output=True, text=True, check=False)
    check(done.returncode == status, f"{words}: status {done.returncode}, {done.stderr[-600:]}")
    return done.stdout


class Server:
    """`zilch serve STUDY`, until the end of the block."""

    def __init__(self, study, *options):
        self.process = subprocess.Popen([ZILCH, "serve", study, *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        ready = select.select([self.process.stdout], [], [], 30)[0]
        line = self.process.stdout.readline() if ready else ""
        found = re.fullmatch(r"live page: (http://127\.0\.0\.1:(\d+)/#([0-9a-f]{32}))\n", line)
        if not found:
            self.process.kill()
            raise RuntimeError(f"no address: {line!r} {self.process.communicate()}")
        self.address, self.port, self.token = found[1], int(found[2]), found[3]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()

    def end(self, status=None):
        """End it as Ctrl-C does."""
        if self.process.poll() is None:
            self.process.terminate()
        try:
            _, complaints = self.process.communicate(timeout=30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise
        check("runtime error" not in complaints and "Sanitizer" not in complaints, complaints)
        if status is not None:
            check(self.process.returncode == status, f"serve: status {self.process.returncode}, {complaints}")

    def request(self, method, path, headers=None, body=None):
        """The status of an answer, and the body."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        try:
            connection.request(method, path, body=body, headers=headers or {})
            answer = connection.getresponse()
            return answer.status, answer.read(), dict(answer.getheaders())
        finally:
            connection.close()


class Listener(threading.Thread):
    """Keeps the events of a server: their names, what they say, and when they came."""

    def __init__(self, server):
        super().__init__(daemon=True)
        self.events, self.error = [], None
        self.socket = socket.create_connection(("127.0.0.1", server.port), timeout=60)
        self.socket.sendall(f"GET /events?token={server.token} HTTP/1.0\r\nHost: 127.0.0.1:{server.port}\r\n\r\n".encode())
        self.start()

    def run(self):
        try:
            with self.socket.makefile("rb") as lines:
                name = None
                for line in lines:
                    if line.startswith(b"event: "):
                        name = line[7:].strip().decode()
                    elif line.startswith(b"data: "):
                        self.events.append((time.time(), name, json.loads(line[6:])))
        except (OSError, ValueError) as error:
            self.error = error

    def close(self):
        self.socket.close()

    def named(self, *names):
        """Events of these names."""
        return [event for event in self.events if event[1] in names]


def merge(document, news):
    """As charts.js does."""
    for part in news["runs"]:
        run = document.setdefault(part["run"], {})
        for key, value in part.items():
            if isinstance(value, dict) and "from" in value:
                run[key] = run.get(key, [])[: value["from"]] + value["list"]
            else:
                run[key] = value
    return document
