/* A study for people: a line for each run, or of one run how it was asked for, how it went, what it found. */
#include "study/show_study.h"

#include "study/run_record.h"
#include "study/search_report.h"
#include "study/study_file.h"
#include "study/study_json.h"
#include "terminal/cli.h"
#include "terminal/text.h"
#include "terminal/wrap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_SHOWN = 20 };

/* ---- All runs ---------------------------------------------------------------------------------- */

/* The columns whose texts are ours. Problem and method stand behind the first of them. */
enum { RUN, SEED, ENDED_BY, EVALUATIONS, FITNESS, VALUE, ACTIVE, CELLS, CELL_SIZE = 32 };
typedef char cells[CELLS][CELL_SIZE];

static void format_run(const study_run *run, cells out)
{
    const zilch_run *r = &run->run;
    const zilch_generation *g = &run->last;
    const int has_best = g->generation > 0;
    snprintf(out[RUN], CELL_SIZE, "%llu", (unsigned long long)r->run);
    snprintf(out[SEED], CELL_SIZE, "%llu", (unsigned long long)r->seed);
    snprintf(out[ENDED_BY], CELL_SIZE, "%s", study_stop_name(r->stop));
    snprintf(out[EVALUATIONS], CELL_SIZE, "%llu", (unsigned long long)r->evaluations);
    snprintf(out[FITNESS], CELL_SIZE, has_best ? "%.6g" : "-", g->best_fitness);
    snprintf(out[VALUE], CELL_SIZE, has_best ? "%.6g" : "-", g->best_value);
    snprintf(out[ACTIVE], CELL_SIZE, has_best ? "%zu" : "-", g->best_active);
}

/* What a comparison calls it, or which one it is. */
static const char *method_of(const zilch_run *r)
{
    return *r->request.name ? r->request.name : zilch_method_name(r->method);
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* Widths of the columns: of ours as their texts are, of the others as much as is left of the page, but not
 * less than some letters. */
typedef struct columns {
    size_t own[CELLS], problem, method;
} columns;

static const cells heading = {"run", "seed", "ended by", "evaluations", "fitness", "value", "active"};

static columns measure_runs(const study_file *f)
{
    enum { LEAST = 12, GAPS = 4 * 2 + 5 };
    columns c = {.problem = strlen("problem"), .method = strlen("method")};
    size_t used = GAPS;
    for (size_t i = 0; i < f->count; i++) {
        cells row;
        format_run(&f->runs[i], row);
        c.problem = larger(c.problem, text_width(f->runs[i].run.request.problem));
        c.method = larger(c.method, text_width(method_of(&f->runs[i].run)));
        for (int k = 0; k < CELLS; k++) {
            c.own[k] = larger(c.own[k], larger(strlen(row[k]), strlen(heading[k])));
        }
    }
    for (int k = 0; k < CELLS; k++) {
        used += c.own[k];
    }
    const size_t left = used + LEAST < WRAP_COLUMNS ? WRAP_COLUMNS - used : LEAST;
    if (c.problem + c.method > left) {
        c.problem = c.problem < left / 2 ? c.problem : c.method < left / 2 ? left - c.method : left / 2;
        c.method = left - c.problem;
    }
    return c;
}

/* As much of a text of others as the column has room for. */
static void put_shortened(const char *text, size_t width)
{
    if (text_width(text) <= width) {
        text_put_aligned(stdout, text, -(int)width);
    } else {
        text_put_within(stdout, text, width - 3);
        fputs("...", stdout);
    }
}

static void put_row(const columns *c, const cells row, const char *problem, const char *method)
{
    printf("%*s  ", (int)c->own[RUN], row[RUN]);
    put_shortened(problem, c->problem);
    fputs("  ", stdout);
    put_shortened(method, c->method);
    printf("  %*s  %-*s ", (int)c->own[SEED], row[SEED], (int)c->own[ENDED_BY], row[ENDED_BY]);
    for (int k = EVALUATIONS; k < CELLS; k++) {
        printf(" %*s", (int)c->own[k], row[k]);
    }
    putchar('\n');
}

static int print_runs(const study_file *f)
{
    const columns c = measure_runs(f);
    put_row(&c, heading, "problem", "method");
    for (size_t i = 0; i < f->count; i++) {
        const zilch_run *r = &f->runs[i].run;
        cells row;
        format_run(&f->runs[i], row);
        put_row(&c, row, r->request.problem, method_of(r));
    }
    for (size_t i = 0; i < f->count; i++) {
        char before[40];
        snprintf(before, sizeof before, "run %llu: ", (unsigned long long)f->runs[i].run.run);
        study_program_print(stdout, before, &f->runs[i]);
    }
    return CLI_OK;
}

/* ---- One run ------------------------------------------------------------------------------------- */

/* Which generations are printed: all, or so many of them, the first and the last among them. */
typedef struct thinning {
    uint64_t count, rows;
    uint64_t printed;
} thinning;

/* Row k of the rows is that of generation 1 + k (count - 1) / (rows - 1). */
static zilch_status print_generation(void *context, const zilch_generation *g)
{
    thinning *t = context;
    const uint64_t due = t->rows > 1 ? 1 + t->printed * (t->count - 1) / (t->rows - 1) : 1;
    if (g->generation < due) {
        return ZILCH_OK;
    }
    t->printed++;
    printf("%10llu %12llu %9llu %14.6g %14.6g %7zu", (unsigned long long)g->generation,
           (unsigned long long)g->evaluations, (unsigned long long)g->failures, g->best_fitness,
           g->best_value, g->best_active);
    if (g->best_violation > 0) {
        printf("  violation %.6g", g->best_violation);
    }
    putchar('\n');
    return ZILCH_OK;
}

static int print_generations(const study_file *f, const study_run *run, int is_all)
{
    const uint64_t count = run->run.generations;
    thinning t = {.count = count, .rows = is_all || count < ROWS_SHOWN ? count : ROWS_SHOWN};
    printf("\n%10s %12s %9s %14s %14s %7s\n", "generation", "evaluations", "failures", "best fitness",
           "value", "active");
    if (zilch_study_generations(f->study, run->run.run, print_generation, &t) != ZILCH_OK) {
        return cli_fail_library();
    }
    if (t.rows < count) {
        printf("%10s %llu generations in all (--all shows them)\n", "...", (unsigned long long)count);
    }
    return 0;
}

/* "names: flour, sugar, ... 90 in all", if they have some; one with a comma or a quote as in --names. */
static void print_names(const zilch_run *r, int is_all)
{
    const char *const *names = r->request.coordinate_names;
    const size_t shown = is_all || r->dim <= ROWS_SHOWN ? r->dim : ROWS_SHOWN;
    for (size_t i = 0; i < shown && names; i++) {
        fputs(i ? ", " : "names: ", stdout);
        if (strpbrk(names[i], ",\"")) {
            text_put_field(stdout, names[i], 1);
        } else {
            text_put(stdout, names[i]);
        }
    }
    if (names && shown < r->dim) {
        printf(", ... %zu in all (--all shows them)", r->dim);
    }
    fputs(names ? "\n" : "", stdout);
}

/* What asks for the same run again, to be copied. */
static void print_command(const zilch_run *r)
{
    static const char before[] = "asked for: ";
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    if (stream) {
        run_print_command(stream, r);
    }
    fputs(before, stdout);
    if (stream && fclose(stream) == 0) {
        wrap_put_command(stdout, text, strlen(before));
    }
    putchar('\n');
    free(text);
}

static int print_run(const study_file *f, const study_run *run, const study_best *b, int is_all)
{
    const zilch_run *r = &run->run;
    const zilch_progress state = zilch_optimizer_progress(b->optimizer);
    printf("run %llu: ", (unsigned long long)r->run);
    text_put_between(stdout, "", r->request.problem, ", ");
    printf("%zu coordinates, %s\n", r->dim, zilch_direction_name(r->direction));
    study_program_print(stdout, "", run);
    if (*r->request.name) {
        text_put_between(stdout, "method: ", r->request.name, "\n");
    }
    print_names(r, is_all);
    if (*r->request.data) {
        text_put_between(stdout, "data: ", r->request.data, "\n");
    }
    print_command(r);
    if (run_print_steered(stdout, "steered: ", f->study, r->run, "\n")) {
        return CLI_FAILED;
    }
    search_report_settings(b->optimizer);
    text_put_between(stdout, "started: ", r->request.started, " on ");
    text_put_between(stdout, "", r->request.machine, ", by zilch ");
    text_put_between(stdout, "", r->version, "\n");
    search_report_stop("ended by", r->stop);
    printf("generations: %llu\nevaluations: %llu, %llu failed", (unsigned long long)r->generations,
           (unsigned long long)r->evaluations, (unsigned long long)r->failures);
    if (r->arrived) {
        printf("; %llu more since the last generation", (unsigned long long)r->arrived);
    }
    search_report_spent(r->spent);
    search_report_noise(&state);
    search_report_seen(b->optimizer, &b->seen);
    search_report_recommended(b->optimizer, &b->conclusion);
    if (r->generations == 0) {
        return CLI_OK;
    }
    return print_generations(f, run, is_all) ||
                   search_report_front(b->optimizer, &b->conclusion, is_all ? SIZE_MAX : ROWS_SHOWN)
               ? CLI_FAILED
               : CLI_OK;
}

static int show_run(study_file *f, uint64_t number, int is_json, int is_all)
{
    const study_run *run = study_file_find(f, number);
    study_best b = {0};
    int status = run ? study_best_read(&b, f, run) : CLI_FAILED;
    if (!status && is_json) {
        study_best_open_data(&b, run, 0);
        status = study_file_read_last(f, run->run.run);
    }
    if (!status) {
        status = is_json ? study_json_print_run(f, run, &b) : print_run(f, run, &b, is_all);
    }
    study_best_free(&b);
    return status;
}

int show_study(const char *path, uint64_t run, int is_json, int is_all)
{
    study_file f;
    int status = study_file_open(&f, path, ZILCH_STUDY_READ);
    if (!status && run == UINT64_MAX) {
        status = study_file_read_last(&f, STUDY_ALL_RUNS);
    }
    if (!status) {
        status = run != UINT64_MAX ? show_run(&f, run, is_json, is_all)
                 : is_json         ? study_json_print_all(&f)
                                   : print_runs(&f);
    }
    study_file_close(&f);
    return status;
}
