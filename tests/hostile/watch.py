"""python3 watch.py JOBS RESULTS, under strace: runs the commands of each job, one after another, and writes a line of JSON for each
with what can be seen from outside. Calls to access() with paths under /mutant tell the tracer what runs when."""
import hashlib
import json
import os
import re
import resource
import select
import signal
import stat
import sys
import time

try:  # where the package was built, Python looks at the studies too: in a child of this process, with its modules loaded
    import zilch
    import zilch.plot
    import look
except ImportError:
    zilch = None

RAW = re.compile(rb"[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xd8\x9c|\xe2\x80[\x8e\x8f\xaa-\xae]|\xe2\x81[\xa6-\xa9]")
SANITIZER = re.compile(rb"(?:ERROR: |WARNING: |SUMMARY: )?\w*Sanitizer[^\n]*|[^\n]*runtime error:[^\n]*")
FILE_MOST = 2 * 10**8
HASHED_MOST = 2**24
KILLED = -signal.SIGKILL


def mark(number, name, what):
    os.access(f"/mutant/{number}/{name}/{what}", os.F_OK)


def contents(path, most):
    """Of a file, up to so many bytes; no more memory than it needs."""
    with open(path, "rb") as file:
        return file.read(min(os.fstat(file.fileno()).st_size, most))


def fingerprint(folder):
    """{path: what it is} of all in a folder, links not followed."""
    found = {}
    for base, folders, files in os.walk(folder):
        for name in folders + files:
            path = os.path.join(base, name)
            info = os.lstat(path)
            what = [info.st_mode, info.st_size if not stat.S_ISDIR(info.st_mode) else 0]
            if stat.S_ISREG(info.st_mode):
                what.append(hashlib.blake2b(contents(path, HASHED_MOST)).hexdigest())
            elif stat.S_ISLNK(info.st_mode):
                what.append(os.readlink(path))
            found[path] = what
    return found


def changes(before, after):
    words = []
    for path in sorted(before.keys() | after.keys()):
        if before.get(path) != after.get(path):
            verb = "is gone" if path not in after else "is new" if path not in before else "has changed"
            words.append(f"{os.path.basename(path)} {verb}")
    return words


def fork():
    """Others may have used up all processes for a moment."""
    for _ in range(100):
        try:
            return os.fork()
        except BlockingIOError:
            time.sleep(0.1)
    return os.fork()


def run(job, words, place):
    """One command; [status, what was used], a status below 0 for a signal, None if it had to be ended."""
    out = os.open(os.path.join(place, "stdout"), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    err = os.open(os.path.join(place, "stderr"), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    given = os.open(job["told"] if "tell" in words else job["input"], os.O_RDONLY)
    child = fork()
    if child == 0:
        try:
            os.setsid()
            for kind, most in job["limits"].items():
                resource.setrlimit(getattr(resource, kind), (most, most + 1 if kind == "RLIMIT_CPU" else most))
            os.dup2(given, 0)
            os.dup2(out, 1)
            os.dup2(err, 2)
            os.chdir(os.path.join(job["folder"], "out"))
            if words[0] != "Python":
                os.execve(words[0], words, job["environment"])
            look.look(zilch, words[1], words[2])
            os._exit(0)
        except BaseException as error:
            os.write(2, f"{type(error).__name__}: {error}\n".encode("utf-8", "replace"))
        finally:
            os._exit(98)
    for file in (out, err, given):
        os.close(file)
    handle = os.pidfd_open(child)
    poller = select.poll()
    poller.register(handle, select.POLLIN)
    in_time = bool(poller.poll(1000 * job["patience"]))
    # Whatever the command has started goes with it.
    try:
        os.killpg(child, signal.SIGKILL)
    except ProcessLookupError:
        pass
    _, status, usage = os.wait4(child, 0)
    os.close(handle)
    return (os.waitstatus_to_exitcode(status) if in_time else None), usage


def complaints_about_output(place):
    words = []
    for name in ("stdout", "stderr"):
        data = contents(os.path.join(place, name), FILE_MOST)
        reports = SANITIZER.findall(data) if name == "stderr" else []
        if reports:
            words.append("sanitizer: " + " / ".join(line.decode("utf-8", "replace") for line in reports[:1] + reports[-1:])[:300])
            continue
        raw = RAW.search(data)
        if raw:
            near = data[max(0, raw.start() - 20):raw.end() + 20]
            words.append(f"raw control character on {name}: {near!r}")
        try:
            data.decode()
        except UnicodeDecodeError as error:
            words.append(f"no UTF-8 on {name}: {data[max(0, error.start - 20):error.start + 20]!r}")
    return words


def complaints_about_pages(folder, marker):
    """Elements and programs of a text's own in what was drawn."""
    words = []
    for base, _, files in os.walk(os.path.join(folder, "out")):
        for name in files:
            if name.endswith((".html", ".svg")):
                data = contents(os.path.join(base, name), FILE_MOST)
                if marker in data:
                    at = data.index(marker)
                    words.append(f"{name} holds a text as it is: {data[max(0, at - 30):at + 30]!r}")
    return words


def look_after(job, before, is_reader):
    words = []
    study = fingerprint(os.path.join(job["folder"], "in"))
    if is_reader:
        words += changes(before["study"], study)
    words += [f"victim: {word}" for word in changes(before["place"], fingerprint(job["place"]))]
    for base, folders, files in os.walk(job["folder"]):
        words += [f"{job['pwned']} was made in {base}" for name in folders + files if job["pwned"] in name]
    return words


def state(job):
    return {"study": fingerprint(os.path.join(job["folder"], "in")), "place": fingerprint(job["place"])}


def restore(job):
    """The victims, so that one break is told once."""
    victim = os.path.join(job["place"], "precious")
    if os.path.lexists(victim) and not os.path.isdir(victim):
        with open(victim, "w", encoding="utf-8") as file:
            file.write("precious\n")
    for name in os.listdir(job["place"]):
        if name != "precious":
            os.rename(os.path.join(job["place"], name), os.path.join(job["folder"], f"found-{time.monotonic_ns()}"))
    if not os.path.lexists(victim):
        with open(victim, "w", encoding="utf-8") as file:
            file.write("precious\n")


def run_command(job, name, words, is_reader, results):
    place = job["folder"]
    before = state(job)
    started = time.monotonic()
    mark(job["number"], name, "begin")
    status, usage = run(job, words, place)
    mark(job["number"], name, "end")
    found = []
    if status is None:
        found.append(f"still at work after {job['patience']} s")
    elif status < 0:
        found.append(f"ended by signal {-status} ({signal.Signals(-status).name})")
    elif status not in (0, 1, 2):
        found.append(f"exit status {status}")
    if usage.ru_maxrss > job["memory"] * 1000:
        found.append(f"{usage.ru_maxrss // 1000} MB of memory")
    if usage.ru_utime + usage.ru_stime > job["seconds"]:
        found.append(f"{usage.ru_utime + usage.ru_stime:.1f} s of processor time")
    found += complaints_about_output(place) + look_after(job, before, is_reader)
    if name == "report":
        found += complaints_about_pages(place, job["marker"].encode())
    if any("victim" in word for word in found):
        restore(job)
    results.write(json.dumps({"number": job["number"], "name": name, "status": status, "found": found,
                              "seconds": round(time.monotonic() - started, 3), "memory": usage.ru_maxrss // 1000}) + "\n")
    results.flush()
    # What one command cannot end, the others cannot either.
    return status is not None and (status >= 0 or status not in (KILLED, -signal.SIGXCPU))


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        jobs = json.load(file)
    with open(sys.argv[2], "a", encoding="utf-8") as results:
        for job in jobs:
            for name, words, is_reader in job["commands"]:
                if words[0] == "Python" and zilch is None:
                    continue
                if not run_command(job, name, words, is_reader, results):
                    break


main()
