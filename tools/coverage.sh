#!/bin/sh
# coverage.sh BUILD: how much of src/ the tests reached that have just run in this build of the preset "coverage".
# Fails below 90 % of the lines or 80 % of the branches. Lists every file, the least covered last.
set -eu
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
build=${1:?the build folder}

status=0
gcovr --root "$root" --filter "$root/src/" --object-directory "$build" --gcov-ignore-parse-errors \
  --json-summary "$build/coverage.json" --fail-under-line 90 --fail-under-branch 80 "$build" >/dev/null || status=$?
python3 - "$build/coverage.json" <<'END'
import json
import sys

with open(sys.argv[1]) as file:
    summary = json.load(file)
for one in sorted(summary["files"], key=lambda one: -one["line_covered"] / max(one["line_total"], 1)):
    print("%-36s %5d of %5d lines  %5d of %5d branches" %
          (one["filename"], one["line_covered"], one["line_total"], one["branch_covered"], one["branch_total"]))
for what in ("line", "branch"):
    covered, total = summary[what + "_covered"], summary[what + "_total"]
    print("%s coverage of src: %.1f %% (%d of %d)" % (what, 100 * covered / total, covered, total))
END
exit "$status"
