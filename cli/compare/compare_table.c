/* The tables: a row a method. Five digits: what is beyond them is chance. */
#include "compare/compare.h"

#include "compare/compare_study.h"
#include "compare/compare_summaries.h"
#include "terminal/cli.h"
#include "terminal/text.h"

#include <math.h>
#include <string.h>

enum { NUMBER_WIDTH = 10, NAME_LEAST = 6 };

static int name_width(const compare_setting *s)
{
    size_t width = NAME_LEAST;
    for (size_t k = 0; k < s->methods; k++) {
        const size_t length = text_width(s->method[k].name);
        width = length > width ? length : width;
    }
    return (int)width;
}

/* "-" for what is not known. */
static void print_number(FILE *stream, int width, int digits, double value)
{
    if (isfinite(value)) {
        fprintf(stream, "  %*.*g", width, digits, value);
    } else {
        fprintf(stream, "  %*s", width, isnan(value) ? "-" : value > 0 ? "inf" : "-inf");
    }
}

static void print_fixed(FILE *stream, int width, int digits, double value)
{
    if (isfinite(value)) {
        fprintf(stream, "  %*.*f", width, digits, value);
    } else {
        fprintf(stream, "  %*s", width, "-");
    }
}

/* ---- What was compared ----------------------------------------------------------- */

static void print_heading(const compare_setting *s, FILE *stream)
{
    const unsigned long long first = s->seed;
    const unsigned long long last = s->seed + (s->seeds - 1);
    text_put_between(stream, "problem: ", s->problem, ", ");
    fprintf(stream, "%zu coordinates, %s\n", s->info.dim, zilch_direction_name(s->info.direction));
    if (s->method[0].request.program) {
        fputs("program: ", stream);
        text_put_word(stream, s->method[0].request.program);
        fputc('\n', stream);
    }
    if (s->method[0].request.data) {
        text_put_between(stream, "data: ", s->method[0].request.data, "\n");
    }
    fprintf(stream, "runs: %llu of each method, seed%s %llu", (unsigned long long)s->seeds,
            s->seeds == 1 ? "" : "s", first);
    if (s->seeds > 1) {
        fprintf(stream, " to %llu", last);
    }
    if (s->generations) {
        fprintf(stream, ", %llu generations", (unsigned long long)s->generations);
    }
    if (s->evaluations) {
        fprintf(stream, ", %llu evaluations", (unsigned long long)s->evaluations);
    }
    fprintf(stream, s->generations && s->evaluations ? " at most\n" : "\n");
    fprintf(stream,
            "fitness: of the point that is recommended, with a penalty of %.6g for each active coordinate%s",
            s->penalty, s->penalties ? ", and its own beside it" : "");
    if (s->info.is_noisy) {
        fprintf(stream, ";\n  its value is the mean of %llu %s that no search has met",
                (unsigned long long)s->held_out,
                strcmp(s->info.name, "lander") == 0 ? "episodes" : "evaluations with noise");
    }
    fputc('\n', stream);
    if (s->study) {
        text_put_between(stream, "study: ", compare_study_path(s->study), "\n");
    }
}

/* ---- The end --------------------------------------------------------------------- */

static void print_fitness(FILE *stream, const compare_statistics *m)
{
    fprintf(stream, "  %4zu", m->runs);
    print_number(stream, NUMBER_WIDTH, 5, m->median);
    print_number(stream, NUMBER_WIDTH, 5, m->low);
    print_number(stream, NUMBER_WIDTH, 5, m->high);
    print_number(stream, NUMBER_WIDTH, 5, m->worst);
}

static int has_penalty(const compare_setting *s)
{
    return s->penalty != 0 || s->penalties;
}

/* Two lines of titles, then a row a method; a fitness without a penalty is the value. */
static int print_ends(const compare_setting *s, const compare_run *run, FILE *stream)
{
    const int width = name_width(s);
    int has_support = 0;
    for (size_t i = 0; i < s->methods * s->seeds; i++) {
        has_support |= run[i].is_finished && !isnan(run[i].end.support);
    }
    fprintf(stream, "\n%-*s        %*s%*s%s  %6s%s  %7s\n", width, "", NUMBER_WIDTH, "fitness",
            3 * (NUMBER_WIDTH + 2), "", has_penalty(s) ? "       value" : "", "active",
            has_support ? "      support %" : "", "CPU s");
    fprintf(stream, "%-*s  runs  %*s  %*s  %*s  %*s%s  %6s%s  %7s  %8s\n", width, "method", NUMBER_WIDTH,
            "median", NUMBER_WIDTH, "25 %", NUMBER_WIDTH, "75 %", NUMBER_WIDTH, "worst",
            has_penalty(s) ? "      median" : "", "median", has_support ? "  median  least" : "", "a run",
            "p");
    for (size_t k = 0; k < s->methods; k++) {
        compare_statistics m;
        if (compare_statistics_make(s, run, k, COMPARE_END, &m)) {
            return CLI_FAILED;
        }
        text_put_aligned(stream, s->method[k].name, -width);
        print_fitness(stream, &m);
        if (has_penalty(s)) {
            print_number(stream, NUMBER_WIDTH, 5, m.value);
        }
        print_fixed(stream, 6, 1, m.active);
        if (has_support) {
            print_fixed(stream, 6, 1, 100 * m.support);
            print_fixed(stream, 5, 1, 100 * m.least_support);
        }
        print_fixed(stream, 7, 2, m.seconds);
        print_number(stream, 8, 2, m.p);
        fputc('\n', stream);
    }
    if (s->methods > 1) {
        text_put_between(stream, "p: two-sided rank-sum test of the fitness against that of ",
                         s->method[0].name, "");
        const double least = compare_least_p((size_t)s->seeds, (size_t)s->seeds);
        if (least > 0.001) {
            fprintf(stream, "; with %llu run%s of each it cannot be below %.2g", (unsigned long long)s->seeds,
                    s->seeds == 1 ? "" : "s", least);
        }
        fputc('\n', stream);
    }
    return 0;
}

/* ---- The way there --------------------------------------------------------------- */

static int print_checkpoints(const compare_setting *s, const compare_run *run, FILE *stream)
{
    const int width = name_width(s);
    fprintf(stream, "\nfitness of what is recommended after %s\n",
            s->generations ? "a generation" : "so many evaluations");
    fprintf(stream, "%10s  %-*s  runs  %*s  %*s  %*s  %*s  %6s  %11s  %8s\n",
            s->generations ? "generation" : "after", width, "method", NUMBER_WIDTH, "median", NUMBER_WIDTH,
            "25 %", NUMBER_WIDTH, "75 %", NUMBER_WIDTH, "worst", "active", "evaluations", "p");
    for (size_t c = 0; c < s->checkpoints; c++) {
        for (size_t k = 0; k < s->methods; k++) {
            compare_statistics m;
            if (compare_statistics_make(s, run, k, c, &m)) {
                return CLI_FAILED;
            }
            fprintf(stream, "%10llu  ", (unsigned long long)s->checkpoint[c]);
            text_put_aligned(stream, s->method[k].name, -width);
            print_fitness(stream, &m);
            print_fixed(stream, 6, 1, m.active);
            print_fixed(stream, 11, 0, m.evaluations);
            print_number(stream, 8, 2, m.p);
            fputc('\n', stream);
        }
    }
    return 0;
}

static int print_targets(const compare_setting *s, const compare_run *run, FILE *stream)
{
    enum { CELL = 18 };
    const int width = name_width(s);
    fprintf(stream,
            "\nevaluations until a value as good was seen: median of all runs (runs that got there)\n");
    fprintf(stream, "%-*s", width, "method");
    for (size_t t = 0; t < s->targets; t++) {
        fprintf(stream, "  %*.6g", CELL, s->target[t]);
    }
    fputc('\n', stream);
    for (size_t k = 0; k < s->methods; k++) {
        text_put_aligned(stream, s->method[k].name, -width);
        for (size_t t = 0; t < s->targets; t++) {
            compare_arrival a;
            char cell[64];
            char median[32];
            if (compare_reached(s, run, k, t, &a)) {
                return CLI_FAILED;
            }
            snprintf(median, sizeof median, isfinite(a.median) ? "%.0f" : "-", a.median);
            snprintf(cell, sizeof cell, "%s (%zu of %zu)", median, a.arrived, a.runs);
            fprintf(stream, "  %*s", CELL, cell);
        }
        fputc('\n', stream);
    }
    return 0;
}

/* ---- Means ----------------------------------------------------------------------- */

/* "306.1 +- 2.5", and behind it "(9 of 10)" if not all runs have a number. */
static void format_cell(const summary *p, const summary_cell *cell, char *out, size_t size)
{
    summary_cell_text text;
    char runs[48] = "";
    if (isnan(cell->number)) {
        snprintf(out, size, "-");
        return;
    }
    summary_cell_format(p, cell, &text);
    if (cell->count < cell->of) {
        snprintf(runs, sizeof runs, " (%zu of %zu)", cell->count, cell->of);
    }
    const int is_spread = !isnan(cell->spread);
    snprintf(out, size, "%s%s%s%s", text.number, is_spread ? " +- " : "", is_spread ? text.spread : "", runs);
}

static int column_width(const compare_setting *s, const summary *p, size_t column)
{
    size_t width = text_width(p->head[column]);
    char text[128];
    for (size_t k = 0; k < s->methods; k++) {
        format_cell(p, &p->cell[k * p->columns + column], text, sizeof text);
        width = strlen(text) > width ? strlen(text) : width;
    }
    return (int)width;
}

static void print_summary(const compare_setting *s, const summary *p, FILE *stream)
{
    const int name = name_width(s);
    char text[128];
    fprintf(stream, "\n%s\n%-*s", p->title, name, "method");
    for (size_t c = 0; c < p->columns; c++) {
        fputs("  ", stream);
        text_put_aligned(stream, p->head[c], column_width(s, p, c));
    }
    for (size_t k = 0; k < s->methods; k++) {
        fputc('\n', stream);
        text_put_aligned(stream, s->method[k].name, -name);
        for (size_t c = 0; c < p->columns; c++) {
            format_cell(p, &p->cell[k * p->columns + c], text, sizeof text);
            fprintf(stream, "  %*s", column_width(s, p, c), text);
        }
    }
    fputc('\n', stream);
}

static int print_summaries(const compare_setting *s, const compare_run *run, FILE *stream)
{
    size_t count;
    summary *summaries = compare_summaries_make(s, run, &count);
    for (size_t i = 0; i < count && summaries; i++) {
        print_summary(s, &summaries[i], stream);
    }
    compare_summaries_free(summaries, summaries ? count : 0);
    return summaries ? 0 : CLI_FAILED;
}

int compare_write_table(const compare_setting *s, const compare_run *run, FILE *stream)
{
    print_heading(s, stream);
    int status = print_ends(s, run, stream);
    if (!status && s->checkpoints > 0) {
        status = print_checkpoints(s, run, stream);
    }
    if (!status && s->targets > 0) {
        status = print_targets(s, run, stream);
    }
    return status ? status : print_summaries(s, run, stream);
}
