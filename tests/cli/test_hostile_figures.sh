#!/bin/sh
# Figures of studies and tables that come from somebody with bad intentions, in folders that others can write to: no text
# becomes a command, gnuplot can start no program whatever its scripts say, and no file is written but those of the figures.
. "$(dirname "$0")/lib.sh"
command -v gnuplot >/dev/null || { echo 'skipped: gnuplot is not installed'; exit 77; }
gnuplot=$(command -v gnuplot)
small='--population 20 --elites 5 --generations 2'

expect_unharmed()
{
  [ -z "$(find "$scratch" -name 'PWNED*')" ] || complain "something was run: $*"
  find "$scratch" -name 'PWNED*' -exec rm -rf {} +
  [ -z "$(find "$scratch" -name '*.tmp' -o -name 'tmp-*')" ] || complain "left behind: $*"
}

# expect_numbers FOLDER: what gnuplot loads from there has no text, and data have none but in comments; all other scripts are
# those of the command
number='-?([0-9]+(\.[0-9]+)?(e[-+]?[0-9]+)?|NaN)'
expect_numbers()
{
  for file in "$1"/*.meta.gp; do
    if grep -Evn -e "^([a-z_]+ = $number|array [a-z_]+\[[0-9]+\]( = \[ ?$number(, ?$number)*\])?|# [a-z ,;]+)\$" "$file"; then
      complain "$file has more than numbers"
    fi
  done
  for file in "$1"/*.dat; do
    if grep -Evn -e "^(#.*|( ?$number)*)\$" "$file"; then complain "$file has more than numbers"; fi
  done
  for file in "$1"/*.gp; do
    case $file in *.meta.gp) ;; *) cmp -s "$ZILCH_SOURCE_DIR/cli/report/figures/${file##*/}" "$file" || complain "$file is another script" ;; esac
  done
}

# ---- Texts of a study: names of runs, the problem, the settings.
cat >plant.py <<'PYTHON'
# plant.py STUDY PROBLEM NAME...: what a study of so many methods is about, and their names
import sqlite3, sys
path, problem, *names = sys.argv[1:]
with sqlite3.connect(path) as db:
    db.execute("UPDATE runs SET problem = ?, data = ?, fingerprint = ?, machine = ?", [problem] * 4)
    db.execute("UPDATE settings SET value = ? WHERE kind IN ('problem', 'means')", (problem,))
    db.execute("INSERT OR REPLACE INTO settings SELECT run, 'problem', 'response', ? FROM runs", (problem,))
    for run, name in enumerate(names, 1):
        db.execute("UPDATE runs SET name = ? WHERE run = ?", (name, run))
PYTHON
cat >shown.py <<'PYTHON'
# shown.py FOLDER TEXT...: each is drawn, to the letter
import glob, html, re, sys
folder, *texts = sys.argv[1:]
drawn = [html.unescape(re.sub(r"<[^>]*>", "", text))
         for path in glob.glob(folder + "/*.svg") for text in re.findall("<text>.*?</text>", open(path, encoding="utf-8").read(), re.S)]
for text in texts:
    if not any(text in other for other in drawn):
        sys.exit(f"not drawn: {text}")
PYTHON

# report_planted STUDY PROBLEM NAME...
report_planted()
{
  rm -rf figures
  cp "$1" planted.study
  shift
  python3 plant.py planted.study "$@"
  expect_status 0 "$zilch" report planted.study -o page.html --figures figures
  # What zilch says of such settings is tested elsewhere.
  if grep -qv '^zilch report: \|^Try ' "$err"; then complain "gnuplot says something: $*"; fi
  expect_numbers figures
  expect_unharmed "$*"
}
methods='a:default+population=20,b:default+population=21'
compare='compare --problem sphere:dim=5,active=2 --seeds 1 --generations 2 --methods'
# shellcheck disable=SC2086 # words
{
  expect_status 0 "$zilch" $compare "$methods" --study two.study
  expect_status 0 "$zilch" $compare "$methods$(printf ',c%d:default+population=20' 1 2 3 4 5 6 7 8)" --study ten.study
}

# The way that was found: two names by which gnuplot loses count of its quotes, and a problem to put between them.
payload="x']; system('touch $PWD/PWNED1'); array q[1]=['"
report_planted two.study "$payload" "it's" '@problem'
python3 shown.py figures "$payload" "it's" '@problem' 2>"$err" || complain 'a text is not drawn'

# Everything that means something to gnuplot, a shell or printf. What is short and has no control characters is drawn as it is.
# shellcheck disable=SC2016 # as they are
{
  set -- "it's" "'" "''" '"' '@title' '`touch PWNED2`' '$(touch PWNED3)' '< touch PWNED6' '%s%n%d%T' '#'
  report_planted ten.study '"; system("touch PWNED4"); "' "$@"
  python3 shown.py figures '"; system("touch PWNED4"); "' "$@" 2>"$err" || complain 'a text is not drawn'
  set -- "'.system('touch PWNED5').'" '| touch PWNED7' '!touch PWNED8' '# 1 2' 'NaN' '1e999' '{/Symbol a}' 'x_{^}' '~a{.8-}' 'ä&amp;'
  report_planted ten.study "'; \`touch PWNED9\`'" "$@"
  python3 shown.py figures "'; \`touch PWNED9\`'" "$@" 2>"$err" || complain 'a text is not drawn'
  report_planted ten.study "$(printf '\\%.0s' $(seq 1 3000))" '\n' '\042' 'a\' ' ' '""' '?' "$(printf 'new\nline\rfeed\ttab\033[31m')" \
    "$(printf '\342\200\250')" "$(printf 'n%.0s' $(seq 1 3000))" "$(printf "'%.0s" $(seq 1 3000))"
}

# ---- Texts of a table: names of columns, and its own.
cat >table.py <<'PYTHON'
# table.py FILE NAME...: a table whose last column depends on all others
import csv, random, sys
path, *names = sys.argv[1:]
random.seed(1)
with open(path, "w", encoding="utf-8") as file:
    rows = csv.writer(file)
    rows.writerow(names + ["y"])
    for _ in range(60):
        x = [random.gauss(0, 1) for _ in names]
        rows.writerow([f"{value:.4f}" for value in x + [sum(x)]])
PYTHON
# shellcheck disable=SC2016 # as they are
{
  table="d'; system('touch PWNED14'); '\`touch PWNED10\`.csv"
  set -- "it's" '@title' '`touch PWNED12`' '$(touch PWNED13)' 'a "quote"' 'x_1^{2}%d' 'ä'
}
python3 table.py "$table" "$@" "$payload"
# shellcheck disable=SC2086 # words
expect_status 0 "$zilch" optimize --problem linear --penalty 0 --data "$table" $small --study fitted.study
expect_status 0 "$zilch" report fitted.study -o page.html --figures fitted
[ ! -s "$err" ] || complain 'gnuplot says something of a table'
expect_numbers fitted
python3 shown.py fitted "$@" 2>"$err" || complain 'a column is not drawn'
expect_unharmed 'a table'

# The other figures, of a lander and of the model.
expect_status 0 "$zilch" lander --population 20 --elites 5 --generations 2 --episodes 1 --final-evaluations 20 --held-out 5 --study flown.study
expect_status 0 "$zilch" report flown.study -o page.html --figures flown
expect_file flown/formulas.text.dat
expect_numbers flown
expect_status 0 "$zilch" recover --models 1 -d 3 --rows 50 --figures model
expect_numbers model

# ---- Whatever a script says, gnuplot starts no program; and it still has threads. The filter is known for two processors.
touch=$(command -v touch)
mkdir path

# draw_by SCRIPT: what is drawn by that instead of gnuplot
draw_by()
{
  printf '#!/bin/sh\nexec %s\n' "$1" >path/gnuplot
  chmod +x path/gnuplot
  rm -f began
  expect_status 1 env PATH="$PWD/path" "$zilch" recover --models 1 -d 3 --rows 50 --figures planted
  expect_file began
}

# Each of these runs a command in a gnuplot of its own, and none in ours.
i=20
while read -r line; do
  i=$((i + 1))
  printf 'set print "%s"\nprint 1\nunset print\n%s\n' "$PWD/began" "$line" | sed "s|RUN|$touch $PWD/PWNED$i|" >planted.gp
  "$gnuplot" planted.gp >"$out" 2>"$err" || :
  [ -e "PWNED$i" ] || complain "gnuplot alone runs nothing, so this is no test: $line"
  rm -f PWNED*
  case $(uname -m) in
    x86_64 | aarch64)
      draw_by "$gnuplot -d $PWD/planted.gp"
      expect_unharmed "$line"
      ;;
  esac
done <<'GNUPLOT'
system("RUN")
a = system("RUN")
! RUN
a = `RUN; echo 1`
a = "`RUN`"
load "< RUN"
plot "< RUN" using 1
stats "< RUN"
set terminal dumb; set output "| RUN"; plot x; unset output
set print "| RUN"; print 1; unset print
GNUPLOT
cat >wall.py <<'PYTHON'
import os, subprocess, sys, threading
began = open(sys.argv[1], "w")
thread = threading.Thread(target=lambda: began.write("thread\n"))
thread.start()
thread.join()
for start in os.fork, lambda: os.posix_spawn("/bin/true", ["true"], {}), lambda: subprocess.run(["/bin/true"]), lambda: os.popen("true").close():
    try:
        if start() == 0:
            os._exit(0)
        began.write("started\n")
    except OSError:
        began.write("refused\n")
PYTHON
case $(uname -m) in
  x86_64 | aarch64)
    draw_by "$(python3 -c 'import sys; print(sys.executable)') $PWD/wall.py $PWD/began"
    printf 'thread\nrefused\nrefused\nrefused\nrefused\n' | cmp -s - began || complain "the wall: $(cat began)"
    ;;
esac

# ---- Names that somebody else has planted in the folder: where pictures are drawn, and where they shall be.
echo precious >victim
mkdir victims

# expect_spared: neither is written to
expect_spared()
{
  [ "$(cat victim)" = precious ] || complain "a file was written through a link: $*"
  echo precious >victim
  [ -z "$(ls -A victims)" ] || complain "files were written through a link: $*"
}

# A shell's number is that of the program it becomes. These are the names that are drawn to, now and in zilch 0.1.
rm -rf shared
mkdir -m 777 shared
# shellcheck disable=SC2016 # the inner shell's
expect_status 0 sh -c 'for kind in svg png pdf; do ln -s ../victim "shared/tmp-$$-return.$kind"; done
  ln -s ../victims "shared/figures.$$-0.tmp"
  mkdir "shared/figures.$$-1.tmp"
  ln -s nowhere "shared/figures.$$-2.tmp"
  exec "$@"' sh "$zilch" report two.study -o page.html --figures shared
expect_spared 'names in the making'
[ "$(find shared -name '*tmp*' | wc -l)" -eq 6 ] || complain "what was planted has changed: $(ls shared)"
expect_same fitted/style.gp shared/style.gp
[ -s shared/return.svg ] && [ -s shared/return.pdf ] || complain 'no pictures'
rm -rf shared/*tmp*

# Every name that is written, as a link to a file, to a folder and to nothing, as a hard link, and as a pipe.
for plant in 'ln -s ../victim' 'ln -s ../victims' 'ln -s ../victims/new' 'ln victim' 'mkfifo'; do
  ls shared >names
  while read -r name; do
    rm -f "shared/$name"
    case $plant in
      mkfifo) mkfifo "shared/$name" ;;
      *) $plant "shared/$name" ;;
    esac
  done <names
  expect_status 0 timeout 60 "$zilch" report two.study -o page.html --figures shared
  expect_spared "$plant"
  while read -r name; do
    [ -f "shared/$name" ] && [ ! -L "shared/$name" ] && [ "$(stat -c %h "shared/$name")" -eq 1 ] || complain "$plant: $name is no new file"
  done <names
  ls shared | cmp -s - names || complain "other files: $(ls shared)"
done

# Pictures that this report does not have go away, not what they lead to.
ln -s ../victim shared/landing.svg
expect_status 0 "$zilch" report two.study -o page.html --figures shared
[ ! -L shared/landing.svg ] || complain 'a picture of another report is left'
expect_spared 'a picture that goes away'

# A folder in the way is named, and stays; the page is whole, and so are the other figures.
rm shared/return.svg page.html
mkdir shared/return.svg
: >shared/return.svg/mine
expect_failure 'shared/return.svg: cannot be written: Is a directory' "$zilch" report two.study -o page.html --figures shared
expect_file shared/return.svg/mine
expect_file page.html
grep -q 'figure-return' page.html || complain 'the page lacks the figure'
expect_unharmed 'a folder in the way'
rm -r shared/return.svg

# After a failure, all is as it was: data that cannot be written, and a stop while gnuplot draws.
ls -l --time-style=full-iso shared >before
(ulimit -f 0 && trap '' XFSZ && "$zilch" report two.study -o page.html --figures shared) >"$out" 2>"$err" && complain 'writes to a full disk'
ls -l --time-style=full-iso shared | cmp -s - before || complain 'the folder has changed after a failure'
printf '#!/bin/sh\necho >"%s"\nexec %s 1\n' "$PWD/began" "$(command -v sleep)" >path/gnuplot
rm -f began
PATH="$PWD/path" "$zilch" report two.study -o page.html --figures shared >"$out" 2>"$err" &
process=$!
while [ ! -e began ]; do sleep 0.1; done
kill -s TERM "$process"
status=0
wait "$process" 2>>"$err" || status=$?
[ "$status" -ge 128 ] || complain "stopped, but status $status"
ls -l --time-style=full-iso shared | cmp -s - before || complain 'the folder has changed after a stop'
expect_unharmed 'a stop'
verdict
