#!/bin/sh
# Names that a shell, SQLite, gnuplot, printf, HTML or a terminal would take for more than names: of studies, of what is
# read and written, of programs, methods and columns. It works or is refused in one line, and nothing of them is run.
. "$(dirname "$0")/lib.sh"
evaluator=${ZILCH_EVALUATOR:?the program to evaluate with}
small='--population 20 --elites 5 --generations 2'

awk 'BEGIN {for (i = 1; i < 60; i++) for (j = 1; j <= 4; j++)
  printf "%d%s", ((i * j * 7 + i * i * 3) % 11 > 5 ? (i * i * j) % 13 : 0), j < 4 ? "," : "\n"}' >data.csv
expect_status 0 "$zilch" fit data.csv -o law
mkdir box

# Nobody has touched it, wherever one might have been.
expect_unharmed()
{
  [ -z "$(find / -xdev -maxdepth 1 -name 'TOUCHED*')$(find "$scratch" -name 'TOUCHED*')" ] || complain "something was run: $*"
  [ -z "$(find "$scratch" -name '*.tmp' -o -name 'tmp-*')" ] || complain "left behind: $*"
}

# is_json FILE
is_json()
{
  /usr/bin/python3 -c 'import json, sys; json.load(open(sys.argv[1], encoding="utf-8"))' "$1" || complain "no JSON: $1"
}

# use_name NAME: as a study, as what is written, as what is read; in a folder of its own
use_name()
{
  name=$1
  rm -rf box
  mkdir box
  cd box || exit
  # shellcheck disable=SC2086 # words
  {
    expect_status 0 "$zilch" optimize --problem smop1 --dim 5 $small "--study=$name"
    expect_file "$name"
    expect_status 0 "$zilch" resume --generations 3 -- "$name"
    expect_status 0 "$zilch" show --json -- "$name"
    is_json "$out"
    expect_status 0 "$zilch" export -o all.csv -- "$name"
    expect_status 0 "$zilch" best -o "x$name" -- "$name"
    [ "$(find . -type f -exec echo one \; | wc -l)" -eq 3 ] || complain "other files: $(ls -A)"
    rm "./$name"
    expect_status 0 "$zilch" fit ../data.csv -o "$name"
    expect_same ../law "./$name"
    expect_status 0 "$zilch" fit ../data.csv -o "$name"
    expect_status 0 "$zilch" sample -n 10 -o "y$name" -- "$name"
    expect_status 0 "$zilch" play -o "z$name" --svg "s$name" --html "h$name"
    expect_file "h$name"
    cp ../data.csv "./$name"
    expect_status 0 "$zilch" fit -o model -- "$name"
    expect_same ../law model
    expect_failure "zilch play: " "$zilch" play --controller "$name"
    expect_in_error "line 1, column 1"
  }
  cd ..
  expect_unharmed "$name"
}

# draw_name NAME: figures in a folder of that name, a page of that name, data of that name
draw_name()
{
  cd box || exit
  # shellcheck disable=SC2086 # words
  {
    cp ../data.csv "./$1"
    expect_status 0 "$zilch" optimize --problem linear --data "$1" $small --study fitted
    expect_status 0 "$zilch" report fitted -o "p$1" --figures "f$1"
    [ ! -s "$err" ] || complain "gnuplot says something: $1"
    expect_file "f$1/activity.svg"
    expect_status 0 "$zilch" recover --models 1 -d 3 --rows 50 --figures "f$1"
  }
  cd ..
  expect_unharmed "$1"
}

# program_name NAME: the evaluator, called so
program_name()
{
  cd box || exit
  ln -sf "$evaluator" "./$1"
  quoted="'./$(printf '%s' "$1" | sed "s/'/'\\\\''/g")'"
  # shellcheck disable=SC2086 # words
  expect_status 0 "$zilch" optimize --program "$quoted json" --dim 3 $small --final-evaluations 3 --study program.study
  expect_status 0 "$zilch" resume program.study --generations 3 --program "$quoted json"
  cd ..
  expect_unharmed "$1"
}

# shellcheck disable=SC2016 # as they are
set -- 'a b' "it's" "''" 'say "x"' '-dash' '--help' '100%s%n%d' 'back\slash\n' '`touch TOUCHED1`' '$(touch TOUCHED2)' '; touch TOUCHED3' \
  '| touch TOUCHED4' '@macro{}^_' 'q?mode=memory' 'h#ash' 'file:x?mode=ro' ':memory:' '%41%2f' '<b>&amp;"' '*' '~' "$(printf 'new\nline')" \
  "$(printf 'escape\033[31m')" "$(printf 'tab\there')"
for name; do use_name "$name"; done
use_name "$(printf 'n%.0s' $(seq 1 240))"
# shellcheck disable=SC2016 # as they are
for name in "it's a \"name\"" "'\`touch TOUCHED6\`''\`touch TOUCHED7\`'" '`touch TOUCHED1`' '$(touch TOUCHED2) 100%d\n' '@macro{}^_#?' "$(printf 'new\nline')"; do
  rm -rf box
  mkdir box
  if command -v gnuplot >/dev/null; then draw_name "$name"; fi
  program_name "$name"
done

# Bytes that are no UTF-8: they are kept as they are, and what is printed is UTF-8.
latin=$(printf 'latin\351\377')
use_name "$latin"
program_name "$latin"
rm "box/$latin"
cp data.csv "box/$latin"
# shellcheck disable=SC2086 # words
expect_status 0 "$zilch" optimize --problem linear --data "box/$latin" $small --study box/kept
expect_status 0 "$zilch" resume box/kept --generations 3
for words in 'show box/kept' 'show box/kept --run 1' 'best box/kept' 'show box/program.study' 'show box/program.study --run 1'; do
  # shellcheck disable=SC2086 # words
  expect_status 0 "$zilch" $words
  LC_ALL=C grep -q "$(printf '[\200-\377]')" "$out" && complain "bytes of others are printed: $words"
  # shellcheck disable=SC2086 # words
  expect_status 0 "$zilch" $words --json
  is_json "$out"
done

# Names that are too long, and paths that are: what is wrong is said to the end.
long=$(printf 'n%.0s' $(seq 1 255))
rm -rf box
mkdir box
expect_status 0 "$zilch" fit data.csv -o "box/$long"
expect_same law "box/$long"
rm "box/$long"
expect_failure 'File name too long' "$zilch" optimize --problem smop1 --dim 5 --study "box/$long" # its log's would be longer
expect_failure 'File name too long' "$zilch" fit data.csv -o "box/n$long"
expect_failure 'File name too long' "$zilch" fit "box/n$long" -o box/new
expect_failure 'File name too long' "$zilch" show "box/n$long"
expect_failure 'File name too long' "$zilch" report "box/n$long" -o box/new
expect_failure 'File name too long' "$zilch" play --controller "n$long"
expect_failure 'File name too long' "$zilch" recover --models 1 -d 3 --rows 50 --figures "box/n$long"
[ -z "$(ls -A box)" ] || complain "left behind: $(ls -A box)"
deep=box
for _ in 1 2 3 4 5 6 7 8 9 10; do deep=$deep/$(printf 'd%.0s' $(seq 1 200)); done
mkdir -p "$deep"
expect_failure ': cannot open: No such file or directory' "$zilch" fit "$deep/none" -o new
expect_failure ': cannot open: No such file or directory' "$zilch" sample "$deep/none"
expect_failure ': cannot open: No such file or directory' "$zilch" best "$deep/none"
# shellcheck disable=SC2016 # the inner shell's
expect_failure ': this is not a zilch model' sh -c 'cp data.csv "$2/data" && exec "$1" sample "$2/data"' sh "$zilch" "$deep"
expect_status 0 "$zilch" fit data.csv -o "$deep/law"
# shellcheck disable=SC2086 # words
{
  expect_failure 'the whole path is too long for SQLite' "$zilch" optimize --problem smop1 --dim 5 $small --study "$deep/study"
  expect_no_file "$deep/study"
  expect_status 0 "$zilch" optimize --problem linear --data "$deep/data" $small --study study
}
if command -v gnuplot >/dev/null; then expect_status 0 "$zilch" report study -o "$deep/page" --figures "$deep/figures"; fi

# A name with a newline or an escape sequence in it still makes one line, and tells a terminal nothing.
expect_failure 'zilch fit: new\nline: cannot open' "$zilch" fit "$(printf 'new\nline')" -o new
expect_failure 'zilch show: escape\x1b[31m: cannot open' "$zilch" show "$(printf 'escape\033[31m')"
expect_status 2 "$zilch" "$(printf 'un\nknown')"
[ "$(wc -l <"$err")" -eq 2 ] || complain 'not two lines on stderr'

# ---- Pages and pictures: whatever is somebody's text is only text there.
evil="<script>alert(1)</script>&\"''\`touch TOUCHED5\`'"
rm -rf box
mkdir -p 'box/<script>alert(1)<'
cd box || exit
csv_name=$(printf '%s' "$evil" | sed 's/"/""/g')
awk -v name="\"$csv_name\"" 'NR == 1 {print name ",b,c,y"} {print}' ../data.csv >"$evil"
# Named by paths, columns, methods, programs, failures and what a file of somebody else says.
# shellcheck disable=SC2086 # words
{
  expect_status 0 "$zilch" compare --problem linear --data "$evil" --methods "$evil:default+population=20,b:ea+population=20" --seeds 1 --generations 2 --study compared
  expect_status 0 "$zilch" optimize --problem linear --data "$evil" --penalty 0 $small --study "$evil.study"
  ln -s "$evaluator" "$evil.program"
  quoted="'./$(printf '%s' "$evil.program" | sed "s/'/'\\\\''/g")'"
  expect_status 0 "$zilch" optimize --program "$quoted json error=0.1" --dim 3 $small --final-evaluations 3 --study program
  cat >"fails" <<'SH'
#!/bin/sh
while read -r line; do
  id=$(printf '%s' "$line" | sed 's/.*"id":\([0-9]*\).*/\1/')
  echo '<script>alert(1)</script>&' >&2
  case $id in
    *[13579]) printf '{"id":%s,"error":"<script>alert(1)</script>&\\"\\u001b[31m"}\n' "$id" ;;
    *) printf '{"id":%s,"value":%s.5}\n' "$id" "$id" ;;
  esac
done
SH
  chmod +x fails
  expect_status 0 "$zilch" optimize --program ./fails --dim 3 $small --final-evaluations 3 --study failed
  expect_status 0 "$zilch" lander --population 20 --elites 5 --generations 2 --episodes 1 --final-evaluations 20 --held-out 5 --study told
  printf 'a_main = x\n' >"$evil.formulas"
  expect_status 0 "$zilch" play --controller "$evil.formulas" --html flown.html --svg flown.svg
  printf '0.5,0.5\n' >"$evil.csv"
  expect_status 0 "$zilch" play --actions "$evil.csv" --html acted.html --svg acted.svg
}
EVIL=$evil /usr/bin/python3 -c 'import os, sqlite3
with sqlite3.connect("told") as study:
    for column in "name", "machine", "started", "version": study.execute(f"UPDATE runs SET {column} = ?", (os.environ["EVIL"],))'
for study in compared "$evil.study" program failed told; do
  page="$(printf '%s' "$study" | tr -c 'a-z\n' _).html"
  if command -v gnuplot >/dev/null; then
    expect_status 0 "$zilch" report "$study" -o "$page" --figures "$page.figures"
    [ ! -s "$err" ] || complain "gnuplot says something: $study"
  else
    "$zilch" report "$study" -o "$page" >"$out" 2>"$err" || :
  fi
  expect_file "$page"
done
expect_status 0 "$zilch" export failed --failures --json
is_json "$out"
expect_status 0 "$zilch" best "$evil.study" --json
is_json "$out"
for file in *.html *.svg *.figures/*.svg; do
  [ -e "$file" ] || continue
  if grep -qi '<script>alert' "$file"; then complain "$file runs it"; fi
  if grep -q '&amp;amp;lt;\|&amp;lt;' "$file"; then complain "$file escapes twice"; fi
  # What is escaped is what was meant, not left out.
  case $file in
    program.html | compared.html) grep -q '&lt;script&gt;alert(1)&lt;/script&gt;&amp;' "$file" || complain "$file lacks it" ;;
    flown.* | acted.*) grep -q 'script&gt;&amp;&quot;' "$file" || complain "$file lacks it" ;; # behind the last slash
  esac
done
cd ..
expect_unharmed "$evil"
verdict
