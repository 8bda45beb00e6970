#!/bin/sh
# 1,000 random sets of limits, against the solver HiGHS of SciPy: limits_highs.py. Not run without SciPy.
for python in "$ZILCH_SOURCE_DIR/build/env/bin/python" python3 /usr/bin/python3; do
  if "$python" -c 'from scipy.optimize import milp' 2>/dev/null; then
    exec "$python" "$ZILCH_SOURCE_DIR/tests/limits_highs.py" "$ZILCH_LIMITS_SETS" "${ZILCH_SETS:-1000}"
  fi
done
exit 77
