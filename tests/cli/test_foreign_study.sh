#!/bin/sh
# Studies and the files beside them, made to do harm: every command refuses them and touches nothing else. Then studies
# that go away while they are written, and a disk without room for another file: what is said is true.
. "$(dirname "$0")/lib.sh"

small='--problem sphere:dim=5,active=2 --population 20 --elites 5 --threads 1'
# shellcheck disable=SC2086
expect_status 0 "$zilch" optimize $small --generations 3 --study base.study
echo precious >victim

readers='show STUDY
show STUDY --json
best STUDY
best STUDY --json
export STUDY --csv -o out
report STUDY -o out
ask STUDY --waiting'
writers="resume STUDY --generations 9
ask STUDY --dim 3
optimize $small --generations 2 --study STUDY
compare --problem sphere:dim=5,active=2 --methods default,ea --seeds 1 --generations 2 --study STUDY"

# expect_harmless WORDS COMMANDS: each fails and says WORDS, and the victim stays what it is
expect_harmless()
{
  printf '%s\n' "$2" | sed 's/STUDY/foreign.study/' >commands
  while read -r words; do
    # shellcheck disable=SC2086
    expect_status 1 timeout 60 "$zilch" $words
    expect_in_error "$1"
    [ "$(cat victim)" = precious ] || complain "the victim has changed: $words"
  done <commands
}

for ending in -journal -wal -shm; do
  cp base.study foreign.study
  ln -s ../work/victim "foreign.study$ending"
  expect_harmless "'foreign.study$ending' is not a regular file" "$readers
$writers"
  rm -f "foreign.study$ending"
  mkfifo "foreign.study$ending"
  expect_harmless "'foreign.study$ending' is not a regular file" "$readers
$writers"
  rm -f "foreign.study$ending"
done

# A journal that names the victim as its super-journal, which SQLite would delete.
cp base.study foreign.study
"${numpy:-python3}" - <<'PYTHON'
import os, struct
victim = (os.getcwd() + '/victim').encode()
magic = bytes.fromhex('d9d505f920a163d7')
head = magic + struct.pack('>IIIII', 0, 1, os.path.getsize('foreign.study') // 4096, 512, 4096)
name = struct.pack('>I', (1 << 30) // 4096 + 1) + victim + struct.pack('>II', len(victim), sum(victim)) + magic
open('foreign.study-journal', 'wb').write(head.ljust(512, b'\0') + name)
PYTHON
expect_harmless 'a write to it was interrupted' "$readers"
expect_harmless "'victim' is named by a journal" "$writers"
rm -f foreign.study*

# A column that is computed, for ever.
cp base.study foreign.study
"${numpy:-python3}" - <<'PYTHON'
import re, sqlite3
base = sqlite3.connect('foreign.study')
base.execute('PRAGMA writable_schema = ON')
sql = base.execute("SELECT sql FROM sqlite_schema WHERE name = 'runs'").fetchone()[0]
endless = "TEXT AS (instr(printf('%.*c', 20000000, 'a'), printf('%.*c', 10000000, 'a') || 'b') || '') VIRTUAL,"
changed = re.sub(r"(machine +)TEXT +NOT NULL,", lambda found: found[1] + endless, sql)
assert changed != sql
base.execute("UPDATE sqlite_schema SET sql = ? WHERE name = 'runs'", (changed,))
base.commit()
PYTHON
expect_harmless 'its tables are not those of a zilch study' "$readers
$writers"

# One file with two names is read, and not written.
rm -f foreign.study
ln base.study foreign.study
expect_harmless 'has several names (hard links)' "$writers"
expect_status 0 "$zilch" show foreign.study
rm foreign.study
expect_status 0 "$zilch" resume base.study --generations 4

# begin_long: a search that goes on until its study is in the way; its number is $search
begin_long()
{
  rm -f long.study* elsewhere
  # shellcheck disable=SC2086
  "$zilch" optimize $small --generations 100000000 --study long.study >"$out" 2>"$err" &
  search=$!
  tries=0
  until [ -e long.study-wal ] && "$zilch" show long.study 2>/dev/null | grep -q sphere || [ "$tries" -gt 100 ]; do
    sleep 0.1
    tries=$((tries + 1))
  done
}

# expect_moved: the search ends, and does not promise what is not so
expect_moved()
{
  status=0
  wait "$search" || status=$?
  [ "$status" -eq 1 ] || complain "status $status after $1"
  expect_in_error 'was moved or deleted while it was open; nothing was recorded since'
  expect_in_error "put the file back as 'long.study'"
  if grep -q safe "$err"; then complain "safe, after $1"; fi
}

begin_long
mv long.study elsewhere
expect_moved 'a move'
mv elsewhere long.study
expect_status 0 "$zilch" show long.study
begin_long
rm long.study
expect_moved 'a removal'

# No room for another file, though there are bytes.
mkdir -p box
if [ "$(id -u)" -eq 0 ] && mount -t tmpfs -o nr_inodes=3,size=4m zilch box 2>/dev/null; then
  trap 'cd /; umount "$scratch/work/box"; rm -rf "$scratch"' EXIT
  touch box/other
  # shellcheck disable=SC2086
  expect_failure 'box/new.study: cannot open it or a file beside it: there is no room for another file' \
    "$zilch" optimize $small --generations 2 --study box/new.study
else
  echo 'no disk without inodes was tried: it takes root, and the right to mount'
fi
verdict
