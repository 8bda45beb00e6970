/* zilch bench: times beside the times of the bare calls that cannot be avoided. */
#include "bench.h"
#include "commands/commands.h"
#include "json/json.h"
#include "options/option_parser.h"
#include "options/option_shared.h"
#include "run/device.h"
#include "terminal/cli.h"
#include "terminal/progress.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* An array of {case, value, unit, limit, ratio}. */
static int print_json(const bench_row *rows, size_t count)
{
    json_node *document = node_array();
    int failed = 0;
    for (size_t i = 0; i < count; i++) {
        json_node *row = node_object();
        node_put(row, "case", node_text(rows[i].name), &failed);
        node_put(row, "value", node_real(rows[i].value), &failed);
        node_put(row, "unit", node_text(rows[i].unit), &failed);
        node_put(row, "limit", node_real(rows[i].limit), &failed);
        node_put(row, "ratio", node_real(rows[i].value / rows[i].limit), &failed);
        node_append(document, row, &failed);
    }
    return node_print(document, failed);
}

static int measure(const bench_suite *suite, int json)
{
    bench_row *rows = calloc(suite->count, sizeof *rows);
    if (!rows) {
        return cli_fail("out of memory");
    }
    int result = run(suite, rows);
    if (!result && json) {
        result = print_json(rows, suite->count);
    } else if (!result) {
        print_rows(suite, rows);
    }
    free(rows);
    return result;
}

int cmd_bench(int argc, char **argv)
{
    const char *name = NULL;
    int json = 0;
    int kind = DEVICE_CPU;
    device *card;
    const cli_option options[] = {
        {"json", 0, NULL, CLI_FLAG, &json, 0, 0, NULL,
         "Print an array of {case, value, unit, limit, ratio}."},
        {"device", 0, "NAME", CLI_CHOICE, &kind, 0, 0, "cpu|cuda",
         "What flies the lander: the processor, or an NVIDIA graphics card, which flies whole episodes."},
        OPTION_PROGRESS,
        OPTION_QUIET,
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
    char known[256] = "";
    size_t used = 0;
    const bench_suite *const *at = bench_suites;
    for (; *at && strcmp((*at)->name, name) != 0; at++) {
        assert(used < sizeof known);
        used += (size_t)snprintf(known + used, sizeof known - used, " %s", (*at)->name);
    }
    const bench_suite *suite = *at;
    if (!suite) {
        return cli_wrong_usage(&usage, "there is no benchmark '%s'; there is:%s", name, known);
    }
    if (kind != DEVICE_CPU && strcmp(name, "lander") != 0) {
        return cli_wrong_usage(&usage, "--device: is for the benchmark lander, not for %s", name);
    }
    const int failed = device_open(&card, "bench", kind);
    if (failed) {
        return failed;
    }
    if (card) {
        bench_set_flyer(device_fly, card);
        suite = &bench_flights;
    }
    const int result = measure(suite, json);
    device_close(card);
    return result;
}
