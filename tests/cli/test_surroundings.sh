#!/bin/sh
# What is around the command: a clock that is set back and forth, a locale with a decimal comma. Neither changes a result
# or a file.
. "$(dirname "$0")/lib.sh"
evaluator=${ZILCH_EVALUATOR:?the program to evaluate with}
sanitizer=
if nm "$zilch" 2>/dev/null | grep -q __asan_init; then sanitizer='-fsanitize=address,undefined'; fi

awk 'BEGIN {print "a,b,c,y"; for (i = 1; i < 60; i++) for (j = 1; j <= 4; j++)
  printf "%.3f%s", ((i * j * 7 + i * i * 3) % 11 > 5 ? (i * i * j) % 13 / 7 : 0), j < 4 ? "," : "\n"}' >data.csv
small='--population 30 --elites 8 --generations 4'

# make FOLDER: everything that is the same each time, made there by "$@" before zilch
make()
{
  folder=$1
  shift
  mkdir -p "$folder"
  (
    cd "$folder"
    # shellcheck disable=SC2086 # words
    {
      "$@" "$zilch" fit ../data.csv -o law
      "$@" "$zilch" sample law -n 20 -o points.csv
      "$@" "$zilch" show law
      "$@" "$zilch" show --json law
      "$@" "$zilch" optimize --problem sphere:dim=6,active=2,noise=0.25 --penalty 0.125 --bounds -2.5:2.5 --target 1e-9 $small --study plain
      "$@" "$zilch" optimize --problem linear --data ../data.csv $small --study fitted
      "$@" "$zilch" optimize --program "$evaluator plain" --plain --dim 4 $small --final-evaluations 5 --study asked
      "$@" "$zilch" lander --population 20 --elites 5 --generations 2 --episodes 1 --final-evaluations 20 --held-out 10 --study flown
      "$@" "$zilch" resume plain --generations 5
      for study in plain fitted asked flown; do
        "$@" "$zilch" export "$study" -o "$study.csv"
        "$@" "$zilch" best "$study"
      done
      "$@" "$zilch" export plain --json
      "$@" "$zilch" best fitted --json
      "$@" "$zilch" best flown -o formulas
      "$@" "$zilch" play --controller formulas -n 3
      "$@" "$zilch" play --trace -o trace.csv --svg scene.svg --html scene.html
      cut -d, -f1,2 trace.csv >actions.csv
      "$@" "$zilch" play --actions actions.csv --json
      "$@" "$zilch" compare --problem smop1 --dim 5 --methods default,ea --seeds 2 --generations 2 --latex -o table.tex
      "$@" "$zilch" recover --models 1 -d 3 --rows 200
      "$@" "$zilch" train -o weights --examples 200 --epochs 2 --units 8 --batch 16
      "$@" "$zilch" ask by_hand --dim 3 --population 4 --elites 2 --csv -o handed.csv
      awk -F, 'NR > 1 {print $1 "," $2 + 0.5}' handed.csv >values.csv
      "$@" "$zilch" tell by_hand values.csv
      if command -v gnuplot >/dev/null; then "$@" "$zilch" report flown -o page.html --figures figures; fi
    } >printed 2>said
  ) || complain "status of $folder: $(cat "$folder/said")"
}
# without_times PAGE: the page of a report without when its run began, and without what its generations took
without_times()
{
  python3 - "$1" <<'END'
import json, re, sys

def timeless(match):
    document = json.loads(match[2])
    for run in document["runs"]:
        del run["started"]
        run["rows"]["list"] = [row[:-2] for row in run["rows"]["list"]]
    return match[1] + json.dumps(document)

page = re.sub("began at [^<]*", "", open(sys.argv[1], encoding="utf-8").read())
page, found = re.subn('(<script type="application/json" id="document">)([^<]*)', timeless, page)
assert found == 1
print(page)
END
}
# expect_made FOLDER: what usual has; when and where a run began, and seconds, are not asked for
expect_made()
{
  for file in printed law points.csv plain.csv fitted.csv asked.csv flown.csv formulas trace.csv scene.svg scene.html table.tex weights handed.csv; do
    expect_same "usual/$file" "$1/$file"
  done
  if [ -d usual/figures ]; then
    without_times usual/page.html >page.usual
    without_times "$1/page.html" >page.other
    expect_same page.usual page.other
    for file in usual/figures/*.svg usual/figures/*.dat usual/figures/*.gp; do expect_same "$file" "$1/figures/${file##*/}"; done
  fi
}
make usual env

# ---- A clock that nobody can trust: at every look the day is years before or behind; time goes on for those who measure it.
cat >clock.c <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdatomic.h>
#include <sys/time.h>
#include <time.h>

static long long wrong(void)
{
    static const long long years[] = {0, -40, 30, -3000, 9000, -1, 250000};
    static atomic_uint looks;
    return years[atomic_fetch_add(&looks, 1) % (sizeof years / sizeof *years)] * 31556952;
}

int clock_gettime(clockid_t clock, struct timespec *out)
{
    static int (*real)(clockid_t, struct timespec *);
    real = real ? real : (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    const int status = real(clock, out);
    out->tv_sec += status == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE) ? wrong() : 0;
    return status;
}

time_t time(time_t *out)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (out) {
        *out = now.tv_sec;
    }
    return now.tv_sec;
}

int gettimeofday(struct timeval *restrict out, void *restrict zone)
{
    struct timespec now;
    (void)zone;
    clock_gettime(CLOCK_REALTIME, &now);
    *out = (struct timeval){now.tv_sec, now.tv_nsec / 1000};
    return 0;
}
C
if cc -shared -fPIC -O1 -o clock.so clock.c -ldl 2>"$err"; then
  wrong_clock="env LD_PRELOAD=$PWD/clock.so ASAN_OPTIONS=verify_asan_link_order=0"
  # shellcheck disable=SC2086 # words
  {
    make clock $wrong_clock
    expect_made clock
    # A limit of a second is one, by a clock that goes on; nothing takes less than no time.
    begun=$(date +%s)
    expect_status 0 $wrong_clock "$zilch" optimize --problem smop1 --dim 20 --evaluations 1000000000 --time 1 --stagnation 0 --study timed
    elapsed=$(($(date +%s) - begun))
    expect_in_output 'stopped by: time'
    if [ "$elapsed" -lt 1 ] || [ "$elapsed" -gt 20 ]; then complain "a second took $elapsed"; fi
    expect_status 0 $wrong_clock "$zilch" export timed --generations
    ! grep -q ',-' "$out" || complain 'less than no time'
    awk -F, 'NR > 1 {sum += $10 + $11} END {exit !(sum > 0.5 && sum < 20)}' "$out" || complain 'the seconds of its generations are not a second'
    expect_status 0 $wrong_clock "$zilch" show timed
    # A program that hangs is given its time, no more and no less.
    export ZILCH_TEST_LOG="$scratch/log"
    begun=$(date +%s)
    expect_status 0 $wrong_clock "$zilch" optimize --program "$evaluator json hang=0.02" --timeout 0.5 --dim 5 $small --final-evaluations 5 --study hangs
    [ $(($(date +%s) - begun)) -le 40 ] || complain 'hanging took its time'
    expect_status 0 "$zilch" export hangs --failures
    expect_in_output 'did not answer within 0.5 seconds'
    [ "$(grep -c 'did not answer' "$out")" -eq "$(grep -c ^hang "$ZILCH_TEST_LOG")" ] || complain 'who did not hang was ended'
    # The live line, on a terminal.
    LC_ALL=C.UTF-8 /usr/bin/python3 -c 'import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))' \
      $wrong_clock "$zilch" optimize --problem smop1 --dim 20 --refinement no --population 500 --generations 60 --study live >"$out" 2>"$err" </dev/null || complain 'no live line'
    expect_in_output ' s left'
    ! grep -qE -e '-[0-9]+ (s|min|h)|[0-9]+ h [0-9]+ min left' "$out" || complain 'a live line with years in it'
  }
else
  complain 'no compiler for the clock'
fi

# ---- A decimal comma, in the command's surroundings and in a program that uses the library.
if localedef -i de_DE -f UTF-8 "$scratch/de_DE.UTF-8" >/dev/null 2>&1; then
  # glibc's newlocale("POSIX"), which a library behind libmicrohttpd calls, forgets the memory of LOCPATH.
  echo 'leak:__argz_add_sep' >leaks
  comma="env LOCPATH=$scratch LC_ALL=de_DE.UTF-8 LSAN_OPTIONS=suppressions=$PWD/leaks:print_suppressions=0"
  # shellcheck disable=SC2086 # words
  [ "$($comma printf %.1f 0,5)" = 0,5 ] || complain 'the locale has no decimal comma'
  # shellcheck disable=SC2086 # words
  make comma $comma
  expect_made comma
  cat >comma.c <<'C'
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zilch.h>

#define TRY(call)                                                   \
    if ((call) != ZILCH_OK) {                                       \
        return fprintf(stderr, #call ": %s\n", zilch_last_error()); \
    }

int main(int argc, char **argv)
{
    const char *const words[] = {argv[1], "plain", NULL};
    const char *const json_words[] = {argv[1], "json", "sigma=0.5", NULL};
    const double x[] = {0.5, 1.25, -2.5e-7, 0.1};
    const uint64_t id[] = {0};
    double policy[ZILCH_POLICY_PARAMETERS], value[2], error[2] = {0};
    char text[4096];
    size_t length;
    uint64_t bits;
    zilch_problem *problem;
    zilch_program *program;
    zilch_program_options options = zilch_program_defaults();
    if (argc != 2 || !setlocale(LC_ALL, "")) {
        return 1;
    }
    snprintf(text, sizeof text, "%.1f", 0.5);
    const int has_comma = strcmp(text, "0,5") == 0;
    TRY(zilch_problem_open(&problem, "sphere:dim=4,active=2,noise=0.125", 1));
    printf("%s\n", zilch_problem_describe(problem).setting);
    zilch_problem_close(problem);
    TRY(zilch_policy_parse("a_main = -2.5988 y - 1.5e-3 vy\na_side = .5 theta", policy));
    TRY(zilch_policy_format(policy, text, sizeof text, &length));
    printf("%s", text);
    for (int json = 0; json <= 1; json++) {
        const zilch_batch batch = {.n = 1, .dim = 4, .id = id, .x = x, .error = error};
        options.protocol = json ? ZILCH_PROTOCOL_JSON : ZILCH_PROTOCOL_PLAIN;
        TRY(zilch_program_open(&program, json ? json_words : words, &options));
        TRY(zilch_program_objective(program, &batch, &value[json]));
        zilch_program_close(program);
    }
    value[1] -= value[0];
    memcpy(&bits, &value[0], sizeof bits);
    printf("%llx %d %d\n", (unsigned long long)bits, value[1] == 0, error[0] == 0.5);
    return has_comma == (strcmp(setlocale(LC_NUMERIC, NULL), "C") != 0) ? 0 : 3;
}
C
  # shellcheck disable=SC2086 # words
  {
    expect_status 0 cc -std=c17 -D_DEFAULT_SOURCE $sanitizer -I"$ZILCH_SOURCE_DIR/include" -o program comma.c -L"$ZILCH_BUILD_DIR" -lzilch -Wl,-rpath,"$ZILCH_BUILD_DIR"
    expect_status 0 ./program "$evaluator"
    cp "$out" with_point
    expect_in_output 'dim=4,active=2,noise=0.125'
    expect_status 0 $comma ./program "$evaluator"
    expect_same with_point "$out"
    # These look at it too, where there is such a locale.
    for test in policy problem dataset; do expect_status 0 $comma "$ZILCH_BUILD_DIR/tests/test_$test"; done
  }
else
  echo 'no decimal comma was tried: localedef has no de_DE (apt install locales)'
fi

verdict
