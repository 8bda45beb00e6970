#!/bin/sh
# A run as text: once where nobody sees a terminal, again and again where somebody does.
. "$(dirname "$0")/lib.sh"
expect_status 0 "$zilch" optimize --problem sphere:active=2 --dim 6 --evaluations 400 --population 20 --refinement no --penalty 0.1 \
  --study w.study --quiet
expect_status 0 "$zilch" watch w.study
for line in '^run 1: default, sphere' '^generation 20, ' '^ended by: evaluations$' '^value .*, after the penalty .*, active 2' \
  '^after the penalty, from ' '^front:$' '^active, by the share' '^  x1 .* %$'; do
  grep -q "$line" "$out" || complain "no line '$line'"
done
awk 'length($0) > 300' "$out" | grep -q . && complain 'a line is too long'
grep -q "$(printf '\033')" "$out" && complain 'control characters in a pipe'
expect_status 1 "$zilch" watch w.study --run 2
expect_status 1 "$zilch" watch missing.study

# On a terminal it draws anew, until the run ends; Ctrl-C ends it alone.
expect_status 0 python3 - "$zilch" <<'PY'
import os, pty, signal, subprocess, sys, time
zilch = sys.argv[1]
search = subprocess.Popen([zilch, "optimize", "--problem", "sphere:active=2", "--dim", "6", "--evaluations", "100000000", "--population", "20",
                           "--refinement", "no", "--study", "long.study", "--progress", "none"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
while not (os.path.exists("long.study") and b"generation" in subprocess.run([zilch, "watch", "long.study"], capture_output=True).stdout):
    time.sleep(0.1)
def watch(until):
    pid, terminal = pty.fork()
    if pid == 0:
        os.execv(zilch, [zilch, "watch", "long.study"])
    seen = b""
    while True:
        try:
            data = os.read(terminal, 65536)
        except OSError:
            break
        seen += data
        if until and until(seen):
            until = None
            os.kill(pid, signal.SIGINT)
    return os.waitpid(pid, 0)[1], seen
status, seen = watch(lambda seen: seen.count(b"\x1b[2J") >= 3)
assert status == 0, status
assert search.poll() is None, "the search has ended with the watcher"
subprocess.run([zilch, "steer", "long.study", "stop"], check=True, stdout=subprocess.DEVNULL)
status, seen = watch(None)
assert status == 0 and b"ended by: request" in seen, seen[-500:]
assert search.wait(60) == 0
PY

# On a terminal all of it is seen at once, whatever there is to show.
expect_status 0 "$zilch" optimize --problem sphere:active=9 --dim 30 --evaluations 3000 --population 50 --refinement no --penalty 0.1 \
  --study wide.study --quiet
python3 - <<'PY'
import sqlite3
with sqlite3.connect("wide.study") as c:
    c.executemany("INSERT INTO failures VALUES (1, 2, ?, ?, '')", [(k, "z" * 500) for k in range(1, 30)])
PY
expect_status 0 python3 - "$zilch" <<'PY'
import fcntl, os, pty, struct, sys, termios
for rows, columns in (24, 80), (40, 120), (60, 200):
    pid, terminal = pty.fork()
    if pid == 0:
        fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        os.execv(sys.argv[1], [sys.argv[1], "watch", "wide.study"])
    seen = b""
    try:
        while data := os.read(terminal, 65536):
            seen += data
    except OSError:
        pass
    os.waitpid(pid, 0)
    lines = seen.decode().split("\x1b[2J")[-1].split("\r\n")
    assert lines[-1] == "" and len(lines) <= rows, f"{len(lines)} lines on a terminal of {rows}"
    assert max(map(len, lines)) <= columns, f"{max(map(len, lines))} letters in a line of {columns}"
    assert len(lines) > 20 and any("z" * 60 in line for line in lines) and any("active" in line for line in lines), lines
PY

# What somebody else has written is text.
python3 - <<'PY'
import sqlite3
with sqlite3.connect("w.study") as c:
    c.execute("UPDATE runs SET name = ?", ("a\x1b[31mb\nc",))
    c.execute("INSERT INTO failures VALUES (1, 1, 5, ?, '')", ("\x1b]0;x\x07" + "z" * 5000,))
PY
expect_status 0 "$zilch" watch w.study
grep -q 'a\\x1b\[31mb\\nc' "$out" || complain 'a name is not shown as text'
grep -q "$(printf '\033')" "$out" && complain 'control characters of others'
verdict
