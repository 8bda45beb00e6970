"""Drives a headless Chromium through --remote-debugging-pipe, with the standard library alone.

    with Browser(scratch_folder) as browser:
        browser.open("page.html")
        browser.press("End")
        assert browser.evaluate("document.title") == "..." and not browser.complaints

The protocol: messages of JSON, each ended by a NUL, to the browser's descriptor 3 and from its 4.
https://chromedevtools.github.io/devtools-protocol/
"""
import base64
import contextlib
import json
import os
import select
import shutil
import signal
import subprocess
import time
from pathlib import Path

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")

# As root and in a container; nothing that the browser would do of its own accord.
OPTIONS = """--headless --no-sandbox --disable-gpu --disable-dev-shm-usage --remote-debugging-pipe
--no-first-run --disable-background-networking --disable-component-update --disable-sync --disable-extensions
--disable-breakpad --mute-audio --hide-scrollbars --force-color-profile=srgb""".split()

# The keys' numbers, beside those of letters. Other names and codes are the same.
NUMBERS = {" ": 32, "Tab": 9, "Enter": 13, "End": 35, "Home": 36,
           "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40}


class BrowserError(Exception):
    """The browser did not do what it was asked."""


class Browser:
    """One browser, one page. `complaints` are the page's errors, and its requests for anything but itself."""

    def __init__(self, scratch, limit=240):
        """Files go into the folder `scratch`; after `limit` seconds in all, whatever is asked fails."""
        self.deadline = time.monotonic() + limit
        self.log, self.profile = Path(scratch, "browser.log"), Path(scratch, "profile")
        self.pending, self.number, self.session = b"", 0, None
        self.url, self.state, self.complaints = None, None, []
        self.origin = None  # of a page that is served: what it asks for there is its own
        program = next((name for name in PROGRAMS if shutil.which(name)), None)
        if not program:
            raise BrowserError("no Chromium: none of " + ", ".join(PROGRAMS))
        # The shell moves the two pipes to where the browser wants them.
        command = ["sh", "-c", 'exec "$0" "$@" 3<&0 4>&1 </dev/null >&2', program, *OPTIONS]
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                command + [f"--user-data-dir={self.profile}"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                stderr=log, bufsize=0, start_new_session=True, env={**os.environ, "HOME": str(scratch)})
        try:
            target = self.ask("Target.createTarget", url="about:blank")["targetId"]
            self.session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
            for domain in ("Page", "Runtime", "Log", "Network"):
                self.ask(domain + ".enable")
        except BaseException:
            self.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """Ask it to end; end it, and all that it has started, if it does not."""
        self.session, self.deadline = None, time.monotonic() + 5
        with contextlib.suppress(BrowserError, OSError, subprocess.TimeoutExpired):
            self.ask("Browser.close")
            self.process.wait(5)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        # What is killed may still be writing for a moment.
        for _ in range(100):
            shutil.rmtree(self.profile, ignore_errors=True)
            if not self.profile.exists():
                break
            time.sleep(0.02)

    def ask(self, method, **parameters):
        """Send a command and give its result; events that come before it are noted."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        self.process.stdin.write(json.dumps(message).encode() + b"\0")
        while (answer := self.receive(method)).get("id") != self.number:
            pass
        if "error" in answer:
            raise BrowserError(f"{method}: {answer['error']['message']}")
        return answer["result"]

    def receive(self, waiting_for):
        """The next message; if it is an event, it is noted."""
        pipe = self.process.stdout.fileno()
        while b"\0" not in self.pending:
            left = self.deadline - time.monotonic()
            if left <= 0 or not select.select([pipe], [], [], left)[0]:
                raise BrowserError(f"{waiting_for}: no answer in time; {self.url}")
            data = os.read(pipe, 1 << 20)
            if not data:
                log = self.log.read_text(errors="replace")
                raise BrowserError(f"{waiting_for}: the browser has ended:\n{log[-2000:]}")
            self.pending += data
        text, _, self.pending = self.pending.partition(b"\0")
        message = json.loads(text)
        self.note(message.get("method"), message.get("params"))
        return message

    def note(self, event, about):
        """How far the page is, and what there is to complain of."""
        if event == "Page.frameNavigated" and about["frame"]["url"] == self.url:
            self.state = "begun"
        elif event == "Page.loadEventFired" and self.state == "begun":  # else that of the page before
            self.state = "loaded"
        elif event == "Runtime.exceptionThrown":
            thrown = about["exceptionDetails"]
            text = thrown.get("exception", {}).get("description", thrown["text"])
            self.complaints.append("exception: " + text)
        elif event == "Runtime.consoleAPICalled" and about["type"] in ("error", "assert", "warning"):
            words = (str(word.get("value", word.get("description"))) for word in about["args"])
            self.complaints.append(f"console, {about['type']}: {' '.join(words)}")
        elif event == "Log.entryAdded" and about["entry"]["level"] in ("error", "warning"):
            self.complaints.append("log: " + about["entry"]["text"])
        elif event == "Network.requestWillBeSent" and not self.is_own(about["request"]["url"]):
            self.complaints.append("request: " + about["request"]["url"][:200])

    def is_own(self, url):
        """Whether a page may ask for this: itself, or something of its server."""
        return url == self.url or (self.origin and url.startswith((self.origin + "/", "data:,")))

    def open(self, path):
        """Show a file, and wait until it is loaded. Complaints about the page before are forgotten."""
        self.visit(Path(path).resolve().as_uri())

    def visit(self, address):
        """The same for an address, which may have a part behind a #."""
        self.complaints, self.url, self.state = [], address.partition("#")[0], "asked for"
        scheme, _, rest = self.url.partition("://")
        self.origin = f"{scheme}://{rest.partition('/')[0]}" if scheme == "http" else None
        self.ask("Page.navigate", url="about:blank")  # with another part behind the #, it would not be loaded anew
        self.ask("Page.navigate", url=address)
        while self.state != "loaded":
            self.receive("open")

    def evaluate(self, expression):
        """The value of an expression of JavaScript; of a promise, what it comes to."""
        answer = self.ask("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise BrowserError(f"{expression}: {answer['result'].get('description')}")
        return answer["result"].get("value")

    def press(self, key):
        """A key, down and up, for whatever has the focus."""
        code = "Space" if key == " " else "Key" + key.upper() if len(key) == 1 else key
        about = {"key": key, "code": code, "windowsVirtualKeyCode": NUMBERS.get(key) or ord(key.upper())}
        text = {"text": key} if len(key) == 1 else {"text": "\r"} if key == "Enter" else {}
        self.ask("Input.dispatchKeyEvent", type="keyDown", **about, **text)
        self.ask("Input.dispatchKeyEvent", type="keyUp", **about)

    def set_size(self, width, height):
        """The viewport, in pixels of CSS; a narrow one is a phone's."""
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                 mobile=width < 600)

    def set_media(self, medium="", **features):
        """Such as "print", or prefers_color_scheme="dark", prefers_reduced_motion="reduce"."""
        named = [{"name": name.replace("_", "-"), "value": value} for name, value in features.items()]
        self.ask("Emulation.setEmulatedMedia", media=medium, features=named)

    def screenshot(self, path, whole=True):
        """A PNG file of the whole page, or of what is in view."""
        data = self.ask("Page.captureScreenshot", captureBeyondViewport=whole)["data"]
        Path(path).write_bytes(base64.b64decode(data))
