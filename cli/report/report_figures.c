/* Figures of all runs: best value and active count over generations, final values, arrivals, active counts at
 * the quarters. And the order of all figures. */
#include "report/report_figures.h"

#include "compare/compare_summaries.h"
#include "report/figures.h"
#include "terminal/cli.h"
#include "terminal/text.h"

#include <math.h>
#include <string.h>

/* ---- All runs ------------------------------------------------------------------------------------- */

enum { NAME_LETTERS = 28 }; /* of a method: it shall leave room for its figures */

static const compare_run *run_of(const report *r, size_t method, size_t index)
{
    const compare_run *run = &r->run[method * r->setting.seeds + index];
    return run->is_finished ? run : NULL;
}

static zilch_status write_study_meta(void *context, FILE *stream)
{
    const report *r = context;
    const compare_setting *s = &r->setting;
    double quarter[COMPARE_QUARTERS];
    for (size_t i = 0; i < COMPARE_QUARTERS; i++) {
        quarter[i] = (double)compare_quarter(s, i);
    }
    fprintf(stream, "texts = %zu\nmethods = %zu\narray runs[%zu] = [", 1 + s->methods, s->methods,
            s->methods);
    for (size_t k = 0; k < s->methods; k++) {
        size_t runs = 0;
        for (size_t i = 0; i < s->seeds; i++) {
            runs += run_of(r, k, i) != NULL;
        }
        fprintf(stream, "%s%zu", k ? ", " : "", runs);
    }
    fprintf(stream, "]\ngenerations = %llu\nis_log = %d\nis_return = %d\nis_noisy = %d\ntargets = %zu\n",
            (unsigned long long)s->generations, report_is_logarithmic(r), r->best.problem.is_lander,
            s->info.is_noisy, s->targets);
    figure_put_numbers(stream, "target", s->targets, s->target);
    fprintf(stream, "quarters = %d\n", COMPARE_QUARTERS);
    figure_put_numbers(stream, "quarter", COMPARE_QUARTERS, quarter);
    return ZILCH_OK;
}

/* The problem and the methods. */
static zilch_status write_study_texts(void *context, FILE *stream)
{
    const report *r = context;
    char text[FIGURE_TEXT_SIZE];
    figure_put_text(stream, 1, figure_escape(r->name, text));
    for (size_t k = 0; k < r->setting.methods; k++) {
        char name[REPORT_NAME_SIZE];
        text_shorten(r->setting.method[k].name, NAME_LETTERS, name, sizeof name);
        figure_put_text(stream, 2 + k, figure_escape(name, text));
    }
    return ZILCH_OK;
}

int report_is_logarithmic(const report *r)
{
    double least = INFINITY;
    double most = 0.0;
    int is_negative = 0;
    for (size_t i = 0; i < r->setting.methods * r->setting.seeds; i++) {
        for (size_t g = 0; g < r->run[i].moments; g++) {
            const double value = r->run[i].moment[g].value;
            is_negative |= value < 0.0;
            least = value > 0.0 && value < least ? value : least;
            most = isfinite(value) && value > most ? value : most;
        }
    }
    return r->setting.info.direction == ZILCH_MINIMIZE && !is_negative && most > 1e3 * least;
}

/* A generation of a method: the means over its runs, geometric ones for a log scale, and each run as far as
 * it goes. In the means a run that has ended stays where it is. */
static void put_progress(FILE *stream, const report *r, size_t method, size_t generation, int is_log)
{
    double value = 0.0;
    double active = 0.0;
    size_t count = 0;
    for (size_t i = 0; i < r->setting.seeds; i++) {
        const compare_run *run = run_of(r, method, i);
        const size_t at = run && generation >= run->moments ? run->moments - 1 : generation;
        if (run && isfinite(run->moment[at].value)) {
            value += is_log ? log(run->moment[at].value) : run->moment[at].value;
            active += (double)run->moment[at].active;
            count++;
        }
    }
    fprintf(stream, "%zu", generation + 1);
    const double mean = count ? value / (double)count : NAN;
    figure_put_number(stream, is_log ? exp(mean) : mean);
    figure_put_number(stream, count ? active / (double)count : NAN);
    for (size_t i = 0; i < r->setting.seeds; i++) {
        const compare_run *run = run_of(r, method, i);
        if (run) {
            const compare_moment *m = generation < run->moments ? &run->moment[generation] : NULL;
            figure_put_number(stream, m ? m->value : NAN);
            figure_put_number(stream, m ? (double)m->active : NAN);
        }
    }
    fputc('\n', stream);
}

static zilch_status write_progress(void *context, FILE *stream)
{
    const report *r = context;
    const int is_log = report_is_logarithmic(r);
    fputs("# generation mean_value mean_active, then value active of each run; a block a method\n", stream);
    for (size_t k = 0; k < r->setting.methods; k++) {
        fputs(k ? "\n\n" : "", stream);
        for (size_t g = 0; g < r->setting.generations; g++) {
            put_progress(stream, r, k, g, is_log);
        }
    }
    return ZILCH_OK;
}

/* The summaries of a comparison, one of them for a file. */
typedef struct summarised {
    const report *report;
    const summary *summary;     /* of rows a method and columns */
    const summary *recommended; /* beside the scores; NULL: none */
} summarised;

static const summary *find_summary(const summary *summaries, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(summaries[i].name, name) == 0) {
            return &summaries[i];
        }
    }
    return NULL;
}

static void put_cell(FILE *stream, const summary *p, size_t method, size_t column)
{
    const summary_cell none = {.number = NAN, .spread = NAN};
    const summary_cell *cell = p ? &p->cell[method * p->columns + column] : &none;
    figure_put_number(stream, cell->number);
    figure_put_number(stream, cell->spread);
}

/* The geometric mean of what runs end with, and the factor that is one standard deviation of the logarithms:
 * NaN of one run. */
static void put_geometric(FILE *stream, const report *r, size_t method)
{
    double sum = 0.0;
    double squares = 0.0;
    double count = 0.0;
    for (size_t i = 0; i < r->setting.seeds; i++) {
        const compare_run *run = run_of(r, method, i);
        const double value = run ? run->moment[run->moments - 1].value : NAN;
        if (isfinite(value)) {
            sum += log(value);
            squares += log(value) * log(value);
            count++;
        }
    }
    const double mean = sum / count; /* NaN of none */
    figure_put_number(stream, exp(mean));
    const double variance = fmax(squares - count * mean * mean, 0.0) / (count - 1.0);
    figure_put_number(stream, isfinite(mean) ? exp(sqrt(variance)) : NAN);
}

static zilch_status write_scores(void *context, FILE *stream)
{
    const summarised *p = context;
    const int is_log = report_is_logarithmic(p->report);
    fputs("# method best_mean best_deviation held_out_mean held_out_deviation\n", stream);
    for (size_t k = 0; k < p->report->setting.methods; k++) {
        fprintf(stream, "%zu", k + 1);
        if (is_log) {
            put_geometric(stream, p->report, k);
        } else {
            put_cell(stream, p->summary, k, 0);
        }
        put_cell(stream, is_log ? NULL : p->recommended, k, 0);
        fputc('\n', stream);
    }
    return ZILCH_OK;
}

static zilch_status write_columns(void *context, FILE *stream)
{
    const summarised *p = context;
    fputs("# method column mean deviation count of\n", stream);
    for (size_t k = 0; k < p->report->setting.methods; k++) {
        for (size_t c = 0; c < p->summary->columns; c++) {
            const summary_cell *cell = &p->summary->cell[k * p->summary->columns + c];
            fprintf(stream, "%zu %zu", k + 1, c + 1);
            put_cell(stream, p->summary, k, c);
            fprintf(stream, " %zu %zu\n", cell->count, cell->of);
        }
    }
    return ZILCH_OK;
}

static int write_summaries(const report *r, const private_folder *folder, report_figures *out)
{
    static const struct {
        const char *summary, *figure;
        zilch_file_writer write;
    } kinds[] = {{"scores", "scores", write_scores},
                 {"arrivals", "arrival", write_columns},
                 {"active", "counts", write_columns}};
    size_t count;
    int failed = 0;
    summary *summaries = compare_summaries_make(&r->setting, r->run, &count);
    if (!summaries) {
        return CLI_FAILED;
    }
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds && !failed; i++) {
        summarised p = {r, find_summary(summaries, count, kinds[i].summary),
                        find_summary(summaries, count, "recommended")};
        if (p.summary) {
            out->name[out->count++] = kinds[i].figure;
            failed = figures_write(folder, kinds[i].figure, ".dat", kinds[i].write, &p);
        }
    }
    compare_summaries_free(summaries, count);
    return failed;
}

/* ---- All of it ----------------------------------------------------------------------------------------- */

int report_publish(const private_folder *folder)
{
    static const char *const all[] = {"return", "active",    "scores",       "arrival", "counts",
                                      "run",    "activity",  "correlations", "landing", "formulas",
                                      "front",  "predicted", "probability"};
    return figures_publish(folder, sizeof all / sizeof *all, all);
}

/* All data first. */
int report_draw(const report *r, const private_folder *folder, report_figures *out)
{
    report copy = *r; /* writers are given what they may change */
    *out = (report_figures){.count = 2, .name = {"return", "active"}};
    if (figures_write(folder, "study", ".meta.gp", write_study_meta, &copy) ||
        figures_write(folder, "study", ".text.dat", write_study_texts, &copy) ||
        figures_write(folder, "progress", ".dat", write_progress, &copy) || write_summaries(r, folder, out) ||
        report_write_shown(r, folder, out) || report_write_front(r, folder, out) ||
        report_write_fit(r, folder, out) || (r->episode[0] && report_write_landing(r, folder, out))) {
        return CLI_FAILED;
    }
    out->has_data = 1;
    out->is_undrawn = figures_draw(folder, out->count, out->name, out->is_drawn);
    return out->is_undrawn;
}
