/* What the tests of the library share: the reference tables, the worst error of many, a folder for files. */
#ifndef ZILCH_TESTS_SUPPORT_H
#define ZILCH_TESTS_SUPPORT_H

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* With the address sanitizer all takes several times as long. What only repeats itself is divided by this. */
#if defined(__SANITIZE_ADDRESS__)
enum { SLOWNESS = 4 };
#else
enum { SLOWNESS = 1 };
#endif

/* cmocka 1 knows only float. */
#ifndef assert_double_equal
#define assert_double_equal(a, b, tolerance) assert_true(fabs((double)(a) - (double)(b)) <= (tolerance))
#endif

/* ---- Reference tables ------------------------------------------------------- */

/* tests/reference/NAME. The sources are where ZILCH_SOURCE_DIR says, else here. */
static inline FILE *open_table(const char *name)
{
    const char *source = getenv("ZILCH_SOURCE_DIR");
    char path[1024];
    snprintf(path, sizeof path, "%s/tests/reference/%s", source ? source : ".", name);
    FILE *table = fopen(path, "r");
    if (!table) {
        fail_msg("%s: cannot be opened; set ZILCH_SOURCE_DIR or run in the source folder", path);
    }
    return table;
}

/* The next row's numbers, exactly `cols` of them; false at the end. A long double holds more of the
 * digits than any test looks at. */
static inline int read_long_row(FILE *table, long double *row, size_t cols)
{
    char line[1024];
    do {
        if (!fgets(line, sizeof line, table)) {
            return 0;
        }
    } while (*line == '#');
    char *next = line;
    for (size_t j = 0; j < cols; j++) {
        const char *begin = next;
        row[j] = strtold(begin, &next);
        assert_ptr_not_equal(begin, next);
    }
    assert_string_equal(next, "\n");
    return 1;
}

/* The same, rounded. */
static inline int read_row(FILE *table, double *row, size_t cols)
{
    long double exact[16];
    assert_true(cols <= COUNT(exact));
    const int found = read_long_row(table, exact, cols);
    for (size_t j = 0; found && j < cols; j++) {
        row[j] = (double)exact[j];
    }
    return found;
}

/* ---- The worst of many ------------------------------------------------------ */

/* Errors as multiples of what is allowed: none may be above 1. */
typedef struct worst_error {
    const char *what;
    size_t count;
    double ratio;
    char where[120];
} worst_error;

/* A NaN, from a NaN among the results, is the worst of all. */
__attribute__((format(printf, 3, 4))) static inline void note_error(worst_error *w, double ratio,
                                                                    const char *format, ...)
{
    ratio = isnan(ratio) ? INFINITY : ratio;
    if (!w->count++ || ratio > w->ratio) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(w->where, sizeof w->where, format, arguments);
        va_end(arguments);
        w->ratio = ratio;
    }
}

static inline void check_errors(const worst_error *w)
{
    print_message("    %-44s %8zu checked, worst %.3g of the bound, at %s\n", w->what, w->count, w->ratio,
                  w->where);
    assert_true(w->count > 0);
    assert_true(w->ratio <= 1.0);
}

/* The error in units in the last place of the double nearest to `exact`. */
static inline double ulps(double got, long double exact)
{
    int exponent;
    (void)frexpl(exact, &exponent);
    const int last = exponent - DBL_MANT_DIG;
    return (double)(fabsl((long double)got - exact) / ldexpl(1.0L, last > -1074 ? last : -1074));
}

/* ---- A folder for files ----------------------------------------------------- */

/* A test's own, by make_folder and remove_folder as its setup and teardown. */
static struct {
    char folder[32], file[64];
} scratch;

static inline int make_folder(void **state)
{
    (void)state;
    strcpy(scratch.folder, "/tmp/zilch_test_XXXXXX");
    if (!mkdtemp(scratch.folder)) {
        return -1;
    }
    snprintf(scratch.file, sizeof scratch.file, "%s/file", scratch.folder);
    return 0;
}

static inline int remove_folder(void **state)
{
    (void)state;
    unlink(scratch.file);
    return rmdir(scratch.folder); /* fails if anything else was left */
}

#endif
