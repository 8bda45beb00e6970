/* The publication's three tables, and what it lacks: what the recommended points are worth, and whether
 * methods differ by more than chance. */
#include "compare_pages.h"

#include "cli.h"
#include "rank_test.h"
#include "text.h"

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

static page_cell cell_of(const compare_setting *s, const compare_run *run, figure f, size_t column)
{
    page_cell cell = {.number = NAN, .spread = NAN};
    double mean = 0.0;
    double squares = 0.0; /* of deviations (Welford) */
    for (size_t i = 0; i < s->seeds; i++) {
        const double x = run[i].is_finished ? f(s, &run[i], column) : NAN;
        cell.of += run[i].is_finished != 0;
        if (!isnan(x)) {
            const double delta = x - mean;
            mean += delta / (double)++cell.count;
            squares += delta * (x - mean);
        }
    }
    if (cell.count > 0) {
        cell.number = mean;
    }
    if (cell.count > 1) {
        cell.spread = sqrt(squares / (double)(cell.count - 1));
    }
    return cell;
}

/* Two methods by the fitness of what they recommend. 0, or 1 after printing why. */
static int test(const compare_setting *s, const compare_run *run, size_t a, size_t b, page_cell *out)
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
    *out = (page_cell){.number = x && n > 0 && m > 0 && a != b ? rank_test(n, x, m, y) : NAN, .spread = NAN};
    free(x);
    return x ? 0 : cli_fail("out of memory");
}

static void format_number(int is_power, int digits, double number, char out[PAGE_NUMBER_SIZE])
{
    snprintf(out, PAGE_NUMBER_SIZE, is_power ? "%.*e" : "%.*f", is_power ? 1 : digits, number);
}

void page_cell_format(const page *p, const page_cell *cell, page_cell_text *out)
{
    const double size = fabs(cell->number);
    const int is_power = (size > 0.0 && size < 5.0 * pow(10.0, -p->digits)) || size >= 1e9;
    format_number(is_power, p->digits, cell->number, out->number);
    format_number(is_power, p->digits, cell->spread, out->spread);
}

/* ---- Pages ---------------------------------------------------------------------------- */

static int page_begin(page *p, const compare_setting *s, const char *name, const char *title, int digits,
                      size_t columns)
{
    *p = (page){.name = name, .title = title, .digits = digits, .columns = columns};
    p->cell = calloc(s->methods * columns, sizeof *p->cell);
    return p->cell ? 0 : cli_fail("out of memory");
}

static void page_fill(page *p, const compare_setting *s, const compare_run *run, figure f)
{
    for (size_t k = 0; k < s->methods; k++) {
        for (size_t c = 0; c < p->columns; c++) {
            p->cell[k * p->columns + c] = cell_of(s, run + k * s->seeds, f, c);
        }
    }
}

static int make_scores(page *p, const compare_setting *s, const compare_run *run)
{
    if (page_begin(p, s, "scores", "value of the best on record at the end, without the price", 1, 1)) {
        return CLI_FAILED;
    }
    snprintf(p->head[0], sizeof p->head[0], "value");
    page_fill(p, s, run, last_value);
    return 0;
}

static int make_arrivals(page *p, const compare_setting *s, const compare_run *run)
{
    if (page_begin(p, s, "arrivals",
                   "generations until the best on record has a value as good, over the runs that got there",
                   1, s->targets)) {
        return CLI_FAILED;
    }
    for (size_t t = 0; t < s->targets; t++) {
        snprintf(p->head[t], sizeof p->head[t], "%.6g", s->target[t]);
    }
    page_fill(p, s, run, compare_generations_to);
    return 0;
}

static int make_active(page *p, const compare_setting *s, const compare_run *run)
{
    if (page_begin(p, s, "active", "active coordinates of the best on record after a generation", 1,
                   COMPARE_QUARTERS)) {
        return CLI_FAILED;
    }
    for (size_t c = 0; c < COMPARE_QUARTERS; c++) {
        snprintf(p->head[c], sizeof p->head[c], "%llu", (unsigned long long)compare_quarter(s, c));
    }
    page_fill(p, s, run, compare_active_at);
    return 0;
}

static int make_recommended(page *p, const compare_setting *s, const compare_run *run)
{
    static const char *const heads[] = {"value", "its standard error", "active", "fitness"};
    if (page_begin(p, s, "recommended", "what is recommended at the end, on noise that no search has met", 1,
                   sizeof heads / sizeof *heads)) {
        return CLI_FAILED;
    }
    for (size_t c = 0; c < p->columns; c++) {
        snprintf(p->head[c], sizeof p->head[c], "%s", heads[c]);
    }
    page_fill(p, s, run, recommended);
    return 0;
}

static int make_tests(page *p, const compare_setting *s, const compare_run *run)
{
    if (page_begin(p, s, "tests", "p of the two-sided rank-sum test between the fitness of two methods", 4,
                   s->methods)) {
        return CLI_FAILED;
    }
    for (size_t a = 0; a < s->methods; a++) {
        text_shorten(s->method[a].name, PAGE_HEAD_LETTERS, p->head[a], sizeof p->head[a]);
        for (size_t b = 0; b < s->methods; b++) {
            if (test(s, run, a, b, &p->cell[a * p->columns + b])) {
                return CLI_FAILED;
            }
        }
    }
    return 0;
}

/* ---- All of them ---------------------------------------------------------------------- */

static int has_arrivals(const compare_setting *s)
{
    return compare_is_by_generations(s) && s->targets > 0;
}

static int is_noisy(const compare_setting *s)
{
    return s->info.is_noisy;
}

/* With two methods there is one p, which the summary has. Of too many nobody reads them. */
static int has_pairs(const compare_setting *s)
{
    return s->methods > 2 && s->methods <= PAGE_COLUMNS_MOST;
}

/* Generations of populations of different sizes do not compare: where the budget is one of evaluations, there
 * are none of them. */
static const struct {
    int (*is_wanted)(const compare_setting *s);
    int (*make)(page *p, const compare_setting *s, const compare_run *run);
} kinds[] = {{compare_is_by_generations, make_scores},
             {has_arrivals, make_arrivals},
             {compare_is_by_generations, make_active},
             {is_noisy, make_recommended},
             {has_pairs, make_tests}};
enum { KINDS = sizeof kinds / sizeof *kinds };

page *compare_pages_make(const compare_setting *s, const compare_run *run, size_t *count)
{
    page *pages = calloc(KINDS, sizeof *pages);
    *count = 0;
    if (!pages) {
        cli_fail("out of memory");
        return NULL;
    }
    for (size_t i = 0; i < KINDS; i++) {
        if (kinds[i].is_wanted(s) && kinds[i].make(&pages[(*count)++], s, run)) {
            compare_pages_free(pages, *count);
            return NULL;
        }
    }
    return pages;
}

void compare_pages_free(page *pages, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(pages[i].cell);
    }
    free(pages);
}
