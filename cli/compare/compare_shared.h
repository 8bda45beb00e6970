/* Options of 'zilch optimize' that a comparison takes for all its searches, and hands on to them in words. */
#ifndef COMPARE_SHARED_H
#define COMPARE_SHARED_H

#include "options/option_parser.h"

/* X(constant, name, its own help or NULL, whether it is for experts, whether a method must not say it) */
#define COMPARE_SHARED_LIST(X)                                                                               \
    X(PROBLEM, "problem", "The problem with its settings, as for 'zilch optimize'. Without it, lander.", 0,  \
      1)                                                                                                     \
    X(PROGRAM, "program", "In its place, a program of yours that reads points and prints values.", 0, 1)     \
    X(DIM, "dim", NULL, 0, 1)                                                                                \
    X(PENALTY, "penalty",                                                                                    \
      "Penalty for each active coordinate in every fitness shown, and in searches whose methods do not say " \
      "theirs. Without it, the problem's own.",                                                              \
      0, 0)                                                                                                  \
    X(DIRECTION, "direction", "Whether values of a program are to be small or large: minimize or maximize.", \
      0, 1)                                                                                                  \
    X(BOUNDS, "bounds", NULL, 0, 0)                                                                          \
    X(TIMEOUT, "timeout", NULL, 0, 1)                                                                        \
    X(PLAIN, "plain", NULL, 0, 1)                                                                            \
    X(DATA, "data", NULL, 1, 1)                                                                              \
    X(RESPONSE, "response", NULL, 1, 1)                                                                      \
    X(SEARCHED, "searched", "What a regression searches: subset or coefficients.", 1, 1)                     \
    X(VALIDATION, "validation", NULL, 1, 1)                                                                  \
    X(PENALTY_FILE, "penalty-file", NULL, 1, 0)                                                              \
    X(DEFAULT, "default", NULL, 1, 1)                                                                        \
    X(BOUNDS_FILE, "bounds-file", NULL, 1, 0)                                                                \
    X(X0, "x0", NULL, 1, 0)                                                                                  \
    X(SCALE, "scale", NULL, 1, 0)                                                                            \
    X(SUM, "sum", NULL, 1, 0)                                                                                \
    X(LIMITS, "limits", NULL, 1, 0)                                                                          \
    X(NAMES, "names", NULL, 1, 0)                                                                            \
    X(STEP, "step", NULL, 1, 0)                                                                              \
    X(VALUES_FILE, "values-file", NULL, 1, 0)                                                                \
    X(SPARSE, "sparse", NULL, 1, 1)                                                                          \
    X(ONCE, "once", NULL, 1, 1)                                                                              \
    X(AHEAD, "ahead", NULL, 1, 1)                                                                            \
    X(MAX_FAILURES, "max-failures", NULL, 1, 1)

#define X(constant, name, about, is_expert, is_fixed) COMPARE_##constant,
enum { COMPARE_SHARED_LIST(X) COMPARE_SHARED };
#undef X

/* What was said. */
typedef struct compare_shared {
    const char *text[COMPARE_SHARED]; /* NULL: not */
    int flag[COMPARE_SHARED];         /* of an option without a value */
} compare_shared;

/* COMPARE_SHARED rows, and which of them only --help-all shows. */
void compare_shared_rows(compare_shared *shared, cli_option *row, unsigned char *is_expert);

/* "--name=value" for each that was said, to be freed; *count grows. 0, or 1 after printing why. */
int compare_shared_words(const compare_shared *shared, char **words, size_t *count);

#endif
