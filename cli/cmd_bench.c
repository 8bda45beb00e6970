/* zilch bench: times beside the times of the bare calls that cannot be avoided. */
#include "bench.h"
#include "cli.h"
#include "commands.h"
#include "json.h"
#include "options.h"
#include "progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const bench_suite *find_suite(const char *name)
{
    for (const bench_suite *const *suite = bench_suites; *suite; suite++) {
        if (strcmp((*suite)->name, name) == 0) {
            return *suite;
        }
    }
    return NULL;
}

static int unknown_suite(const cli_usage *usage, const char *name)
{
    char known[256] = "";
    size_t used = 0;
    for (const bench_suite *const *suite = bench_suites; *suite && used < sizeof known; suite++) {
        used += (size_t)snprintf(known + used, sizeof known - used, " %s", (*suite)->name);
    }
    return cli_wrong_usage(usage, "there is no benchmark '%s'; there is:%s", name, known);
}

static int run(const bench_suite *suite, bench_row *rows)
{
    progress line;
    zilch_status status = ZILCH_OK;
    progress_begin(&line, "bench", "cases", suite->count);
    for (size_t i = 0; i < suite->count && status == ZILCH_OK; i++) {
        status = suite->run(i, &rows[i]);
        progress_update(&line, i + 1);
    }
    progress_end(&line);
    return status == ZILCH_OK ? CLI_OK : cli_fail_library();
}

static void print_rows(const bench_suite *suite, const bench_row *rows)
{
    printf("%s: %s\n\n%-25s %12s %12s %8s\n", suite->name, suite->about, "case", "time", "limit", "ratio");
    for (size_t i = 0; i < suite->count; i++) {
        const bench_row *r = &rows[i];
        printf("%-25s %9.3f %s %9.3f %s %8.2f\n", r->name, r->value, r->unit, r->limit, r->unit,
               r->value / r->limit);
    }
}

int cmd_bench(int argc, char **argv)
{
    const char *name = NULL;
    int json = 0;
    const cli_option options[] = {
        {"json", 'j', NULL, CLI_FLAG, &json, 0, 0, NULL,
         "Print an array of {case, value, unit, limit, ratio}"},
        {0},
    };
    const char *about =
        "Measure the speed of NAME: model (fitting, inverting and sampling), train (the networks of the "
        "amortised inverter), lander (steps of the Lunar Lander), search (a generation outside the "
        "objective) or large (the same by structure and number of coordinates). Each case stands beside a "
        "limit from the same run, such as the bare BLAS and LAPACK "
        "calls that it cannot avoid. On a shared machine only the ratio means something.";
    const cli_usage usage = {"bench", "NAME", about, options, &name, 1, 1};
    const int status = cli_parse(&usage, argc, argv);
    if (status) {
        return status;
    }
    const bench_suite *suite = find_suite(name);
    if (!suite) {
        return unknown_suite(&usage, name);
    }
    bench_row *rows = calloc(suite->count, sizeof *rows);
    if (!rows) {
        return cli_fail("out of memory");
    }
    const int failed = run(suite, rows);
    if (!failed && !json) {
        print_rows(suite, rows);
    }
    const int result = !failed && json ? json_print_bench(rows, suite->count) : failed;
    free(rows);
    return result;
}
