/* The publication's three tables, and what it lacks: what the recommended points are worth, and whether
 * methods differ by more than chance. */
#include "compare/compare_summaries.h"

#include "terminal/cli.h"
#include "terminal/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One run's number in a column; NaN: it has none. */
typedef double (*figure)(const compare_setting *s, const compare_run *run, size_t column);

/* ---- Figures -------------------------------------------------------------------------- */

static double last_value(const compare_setting *s, const compare_run *run, size_t column)
{
    (void)s;
    (void)column;
    return run->moments > 0 ? run->moment[run->moments - 1].value : NAN;
}

double compare_generations_to(const compare_setting *s, const compare_run *run, size_t target)
{
    const double sign = s->info.direction == ZILCH_MAXIMIZE ? -1.0 : 1.0;
    for (size_t g = 0; g < run->moments; g++) {
        if (sign * run->moment[g].value <= sign * s->target[target]) {
            return (double)(g + 1);
        }
    }
    return NAN;
}

int compare_is_by_generations(const compare_setting *s)
{
    return s->generations >= COMPARE_QUARTERS && !s->evaluations;
}

uint64_t compare_quarter(const compare_setting *s, size_t index)
{
    return s->generations * (index + 1) / COMPARE_QUARTERS;
}

double compare_active_at(const compare_setting *s, const compare_run *run, size_t quarter)
{
    const uint64_t generation = compare_quarter(s, quarter);
    return generation >= 1 && generation <= run->moments ? (double)run->moment[generation - 1].active : NAN;
}

static double recommended(const compare_setting *s, const compare_run *run, size_t column)
{
    (void)s;
    const double figures[] = {run->end.value, run->end.error, (double)run->end.active, run->end.fitness};
    return run->end.evaluations ? figures[column] : NAN; /* it may have recommended nothing */
}

/* ---- Cells ---------------------------------------------------------------------------- */

static summary_cell cell_of(const compare_setting *s, const compare_run *run, figure f, size_t column)
{
    summary_cell cell = {0};
    zilch_tally tally = {0};
    for (size_t i = 0; i < s->seeds; i++) {
        const double x = run[i].is_finished ? f(s, &run[i], column) : NAN;
        cell.of += run[i].is_finished != 0;
        if (!isnan(x)) {
            zilch_tally_add(&tally, x);
        }
    }
    cell.count = tally.count;
    cell.number = tally.count > 0 ? tally.mean : NAN;
    cell.spread = zilch_tally_deviation(&tally);
    return cell;
}

/* Two methods by the fitness of what they recommend. 0, or 1 after printing why. */
static int test(const compare_setting *s, const compare_run *run, size_t a, size_t b, summary_cell *out)
{
    double *x = calloc(2 * s->seeds, sizeof *x);
    double *y = x ? x + s->seeds : NULL;
    size_t n = 0;
    size_t m = 0;
    for (size_t i = 0; i < s->seeds && x; i++) {
        const compare_run *first = &run[a * s->seeds + i];
        const compare_run *second = &run[b * s->seeds + i];
        if (first->is_finished && !isnan(first->end.fitness)) {
            x[n++] = first->end.fitness;
        }
        if (second->is_finished && !isnan(second->end.fitness)) {
            y[m++] = second->end.fitness;
        }
    }
    *out = (summary_cell){.number = x && n > 0 && m > 0 && a != b ? compare_rank_sum(n, x, m, y) : NAN,
                          .spread = NAN};
    free(x);
    return x ? 0 : cli_fail("out of memory");
}

static void format_number(int is_power, int digits, double number, char out[SUMMARY_NUMBER_SIZE])
{
    snprintf(out, SUMMARY_NUMBER_SIZE, is_power ? "%.*e" : "%.*f", is_power ? 1 : digits, number);
}

void summary_cell_format(const summary *p, const summary_cell *cell, summary_cell_text *out)
{
    const double size = fabs(cell->number);
    const int is_power = (size > 0.0 && size < 5.0 * pow(10.0, -p->digits)) || size >= 1e9;
    format_number(is_power, p->digits, cell->number, out->number);
    format_number(is_power, p->digits, cell->spread, out->spread);
}

/* ---- Summaries ------------------------------------------------------------------------ */

enum { SCORES, ARRIVALS, ACTIVE, RECOMMENDED, TESTS, KINDS };

static const struct {
    const char *name, *title;
    int digits;
    figure figure; /* NULL: tests between methods */
} kinds[KINDS] = {
    [SCORES] = {"scores", "value of the best on record at the end, without the penalty", 1, last_value},
    [ARRIVALS] = {"arrivals",
                  "generations until the best on record has a value as good, over the runs that got there", 1,
                  compare_generations_to},
    [ACTIVE] = {"active", "active coordinates of the best on record after a generation", 1,
                compare_active_at},
    [RECOMMENDED] = {"recommended", "what is recommended at the end, on noise that no search has met", 1,
                     recommended},
    [TESTS] = {"tests", "p of the two-sided rank-sum test between the fitness of two methods", 4, NULL}};

static void write_head(const compare_setting *s, size_t kind, size_t column, char out[SUMMARY_HEAD_SIZE])
{
    static const char *const recommendation[] = {"value", "its standard error", "active", "fitness"};
    if (kind == ARRIVALS) {
        snprintf(out, SUMMARY_HEAD_SIZE, "%.6g", s->target[column]);
    } else if (kind == ACTIVE) {
        snprintf(out, SUMMARY_HEAD_SIZE, "%llu", (unsigned long long)compare_quarter(s, column));
    } else if (kind == TESTS) {
        text_shorten(s->method[column].name, SUMMARY_HEAD_LETTERS, out, SUMMARY_HEAD_SIZE);
    } else {
        snprintf(out, SUMMARY_HEAD_SIZE, "%s",
                 recommendation[column]); /* a score's only column is the value */
    }
}

static int summary_make(summary *p, const compare_setting *s, const compare_run *run, size_t kind)
{
    int failed = 0;
    p->cell = calloc(s->methods * p->columns, sizeof *p->cell);
    if (!p->cell) {
        return cli_fail("out of memory");
    }
    for (size_t c = 0; c < p->columns && !failed; c++) {
        write_head(s, kind, c, p->head[c]);
        for (size_t k = 0; k < s->methods && !failed; k++) {
            summary_cell *cell = &p->cell[k * p->columns + c];
            if (kinds[kind].figure) {
                *cell = cell_of(s, run + k * s->seeds, kinds[kind].figure, c);
            } else {
                failed = test(s, run, k, c, cell);
            }
        }
    }
    return failed;
}

/* Generations of populations of different sizes do not compare: where the budget is one of evaluations, there
 * are none of them. With two methods there is one p, which the first table has; nobody reads too many. */
summary *compare_summaries_make(const compare_setting *s, const compare_run *run, size_t *count)
{
    const int is_paired = s->methods > 2 && s->methods <= SUMMARY_COLUMNS_MOST;
    const int is_by_generations = compare_is_by_generations(s);
    const size_t columns[KINDS] = {[SCORES] = is_by_generations ? 1 : 0,
                                   [ARRIVALS] = is_by_generations ? s->targets : 0,
                                   [ACTIVE] = is_by_generations ? COMPARE_QUARTERS : 0,
                                   [RECOMMENDED] = s->info.is_noisy ? 4 : 0,
                                   [TESTS] = is_paired ? s->methods : 0};
    summary *summaries = calloc(KINDS, sizeof *summaries);
    *count = 0;
    if (!summaries) {
        cli_fail("out of memory");
        return NULL;
    }
    for (size_t i = 0; i < KINDS; i++) {
        summary *p = &summaries[*count];
        if (columns[i] == 0) {
            continue;
        }
        p->name = kinds[i].name;
        p->title = kinds[i].title;
        p->digits = kinds[i].digits;
        p->columns = columns[i];
        ++*count;
        if (summary_make(p, s, run, i)) {
            compare_summaries_free(summaries, *count);
            return NULL;
        }
    }
    return summaries;
}

void compare_summaries_free(summary *summaries, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(summaries[i].cell);
    }
    free(summaries);
}
