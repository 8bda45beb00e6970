#!/bin/sh
# What reads a study changes nothing: every system call of every reader is watched, on studies in all states that they are
# met in. No file is opened for writing, made, removed, renamed or given other rights, besides the reader's own outputs.
. "$(dirname "$0")/lib.sh"

strace -f --seccomp-bpf -qq -e trace=execve -o /dev/null true 2>/dev/null || {
  echo 'strace is missing or may not trace here'
  exit 77
}
work=$PWD
mkdir states "$work/out"
small='--population 6 --elites 2 --threads 1'
# shellcheck disable=SC2086 # words
{
  expect_status 0 "$zilch" compare --problem sphere:dim=5,active=2 --methods 'a:default+population=6+elites=2,b:default+population=7+elites=2' \
    --seeds 1 --generations 2 --threads 1 --study ended.study
  expect_status 0 "$zilch" lander --episodes 1 --generations 2 --held-out 1 --final-evaluations 2 --final-candidates 1 --study lander.study $small
  expect_status 0 "$zilch" ask turns.study --dim 3 --population 6 --elites 2
}

# state NAME STUDY: a folder with a copy of the study, to be brought into that state
state()
{
  mkdir "states/$1"
  cp "$2" "states/$1/a.study"
}

state ended ended.study
state lander lander.study
state turns turns.study
state read_only_file ended.study
chmod 444 states/read_only_file/a.study
state read_only_folder ended.study
state deleting ended.study
state link ended.study
mv states/link/a.study states/link/b.study
ln -s b.study states/link/a.study
for name in live live_without_shm live_in_read_only_folder live_turns; do
  case $name in
    live_turns) state "$name" turns.study ;;
    *) state "$name" ended.study ;;
  esac
done
# As while another process writes: rows are in the log that are not in the file yet.
python3 - <<'P'
import os, shutil, sqlite3
connection = sqlite3.connect("states/deleting/a.study")
connection.execute("PRAGMA journal_mode=delete")
connection.close()
for name in ("live", "live_without_shm", "live_in_read_only_folder", "live_turns"):
    study = f"states/{name}/a.study"
    shutil.copy(study, "copy")
    connection = sqlite3.connect("copy", isolation_level=None)
    connection.execute("PRAGMA wal_autocheckpoint=0")
    connection.execute("UPDATE runs SET machine='written to the log'")
    for suffix in ("", "-wal", "-shm"):
        shutil.copy("copy" + suffix, study + suffix)
    connection.close()
    if name == "live_without_shm":
        os.unlink(study + "-shm")
P
chmod 444 states/live_in_read_only_folder/*
chmod 555 states/read_only_folder states/live_in_read_only_folder

calls=open,openat,openat2,creat,unlink,unlinkat,rename,renameat,renameat2,mkdir,mkdirat,rmdir,link,linkat,symlink,symlinkat
calls=$calls,chmod,fchmod,fchmodat,chown,fchown,lchown,fchownat,truncate,ftruncate,mknod,mknodat,utimensat

contents()
{
  (cd "states/$1" && ls -la --time-style=full-iso && sha256sum ./*)
}

# reads STATUS STATE WORDS...: with this status, no call that writes, and the same files afterwards
reads()
{
  expected=$1 name=$2
  shift 2
  contents "$name" >"$scratch/io/before"
  # Leaks cannot be looked for under a tracer.
  expect_status "$expected" env ASAN_OPTIONS=detect_leaks=0 TMPDIR="$work/out" strace -f --seccomp-bpf -qq -y -e signal=none -e "trace=$calls" \
    -o "$scratch/io/calls" "$zilch" "$@"
  contents "$name" >"$scratch/io/after"
  expect_same "$scratch/io/before" "$scratch/io/after"
  # All that is left in the list writes; what is under out is the reader's own. Folders that are there are not made, and when
  # root, SQLite gives files to the owner that they have.
  grep -E 'O_(WRONLY|RDWR|CREAT|TRUNC)|^[0-9]+ +[a-np-z][a-z0-9]*\(' "$scratch/io/calls" |
    grep -vE '"/dev/(null|tty)"|exited with|<\.\.\. .* resumed>|^[0-9]+ +mkdir.* EEXIST' | grep -vE "chown\\(.*, $(id -u), $(id -g)\\) += 0" |
    grep -vF "$work/out" >"$scratch/io/writes" || true
  if [ -s "$scratch/io/writes" ]; then
    head -n 3 "$scratch/io/writes" >"$err"
    : >"$out"
    complain "$name: writes: $*"
  fi
}

for name in $(ls states); do
  study=$work/states/$name/a.study
  reads 0 "$name" show "$study"
  reads 0 "$name" show --json "$study"
  reads 0 "$name" show --run 1 --all "$study"
  case $name in
    live*) expect_in_output 'written to the log' ;;
  esac
  reads 0 "$name" export "$study"
  reads 0 "$name" export --json "$study" -o "$work/out/rows.json"
  reads 0 "$name" export --generations "$study"
  reads 0 "$name" export --failures "$study"
  case $name in
    *turns)
      reads 0 "$name" ask --waiting "$study"
      reads 0 "$name" best "$study"
      reads 1 "$name" report "$study" -o "$work/out/page.html" ;;
    *)
      reads 0 "$name" best "$study"
      reads 0 "$name" best --json "$study"
      reads 0 "$name" best "$study" -o "$work/out/best.csv"
      reads 1 "$name" ask --waiting "$study"
      reads 0 "$name" report "$study" -o "$work/out/page.html" --figures "$work/out/figures" ;;
  esac
done
chmod 755 states/read_only_folder states/live_in_read_only_folder
verdict
