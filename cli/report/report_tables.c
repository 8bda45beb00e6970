/* The tables: those of a comparison, with the publication's figures below ours where it has any, and every
 * run by itself. */
#include "report/report_tables.h"

#include "compare/compare_summaries.h"
#include "report/report_published.h"
#include "terminal/cli.h"
#include "terminal/text.h"

#include <math.h>
#include <string.h>

/* ---- A table --------------------------------------------------------------------- */

/* Its first column, which is headed by `first`, names the rows. */
static void begin_table(FILE *stream, const char *name, const char *title, const char *first, size_t count,
                        const char (*heads)[SUMMARY_HEAD_SIZE])
{
    fprintf(stream, "<section id=\"table-%s\"><h3>", name);
    text_put_escaped(stream, title);
    fputs("</h3>\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"", stream);
    text_put_escaped(stream, title);
    fprintf(stream, "\">\n<table>\n<thead><tr><th scope=\"col\">%s</th>", first);
    for (size_t i = 0; i < count; i++) {
        fputs("<th scope=\"col\">", stream);
        text_put_escaped(stream, heads[i]);
        fputs("</th>", stream);
    }
    fputs("</tr></thead>\n<tbody>\n", stream);
}

static void end_table(FILE *stream, const char *note)
{
    fprintf(stream, "</tbody>\n</table>\n</div>\n%s</section>\n", note);
}

static void begin_row(FILE *stream, const char *row, const char *name)
{
    fprintf(stream, "%s<th scope=\"row\">", row);
    text_put_escaped(stream, name);
    fputs("</th>", stream);
}

static void put_number(FILE *stream, int digits, double number, double spread)
{
    const summary form = {.digits = digits};
    const summary_cell cell = {.number = number, .spread = spread};
    summary_cell_text text;
    summary_cell_format(&form, &cell, &text);
    fputs(isnan(number) ? "–" : text.number, stream);
    if (!isnan(number) && !isnan(spread)) {
        fprintf(stream, " ± %s", text.spread);
    }
}

static void put_cell(FILE *stream, int digits, double number, double spread)
{
    fputs("<td>", stream);
    put_number(stream, digits, number, spread);
    fputs("</td>", stream);
}

/* ---- Ours and theirs ------------------------------------------------------------- */

/* A run of the publication's study, as 'zilch compare' asks for it: every option as it has them, and a
 * penalty of 2, but none for the Gaussian. */
static int is_published(const zilch_run *run)
{
    zilch_optimizer_options published = zilch_method_defaults(run->method);
    size_t count;
    const zilch_option *list = zilch_optimizer_option_list(&count);
    if (run->method == ZILCH_METHOD_DEFAULT ||
        strcmp(run->request.name, zilch_method_name(run->method)) != 0) {
        return 0;
    }
    published.elites = 100;
    published.direction = ZILCH_MAXIMIZE;
    published.penalty = run->method == ZILCH_METHOD_GAUSSIAN ? 0.0 : 2.0;
    published.reevaluate = ZILCH_REEVALUATE_ALL;
    published.initial_spread = 0.0;
    for (size_t i = 0; i < count; i++) {
        char text[ZILCH_OPTION_SIZE];
        const char *value = zilch_request_find(&run->request, ZILCH_SETTING_OPTION, list[i].name);
        zilch_option_format(&list[i], &published, text);
        if (!value || strcmp(value, text) != 0) {
            return 0;
        }
    }
    return 1;
}

/* The publication ran the lander for 100 generations, with a penalty of 2. */
static const published_figure *find_published(const report *r, size_t method, const summary *p, size_t column)
{
    const zilch_run *run = &r->source[method * r->setting.seeds]->run;
    const int is_setting =
        strcmp(r->name, "lander") == 0 && r->setting.generations == 100 && r->setting.penalty == 2.0;
    return is_setting && is_published(run) ? published_find(run->request.name, p->name, column) : NULL;
}

/* Gives whether any of ours is outside. */
static int put_row(FILE *stream, const report *r, const summary *p, size_t method)
{
    int marks = 0;
    begin_row(stream, "<tr>", r->setting.method[method].name);
    for (size_t c = 0; c < p->columns; c++) {
        const summary_cell *cell = &p->cell[method * p->columns + c];
        const published_figure *f = find_published(r, method, p, c);
        const int is_marked = f && isfinite(cell->number) && fabs(cell->number - f->mean) > f->deviation;
        fputs(is_marked ? "<td class=\"outside\">" : "<td>", stream);
        put_number(stream, p->digits, cell->number, cell->spread);
        if (cell->count < cell->of) {
            fprintf(stream, " <small>(%zu of %zu)</small>", cell->count, cell->of);
        }
        fputs(is_marked ? " †</td>" : "</td>", stream);
        marks += is_marked;
    }
    fputs("</tr>\n", stream);
    return marks > 0;
}

static void put_published_row(FILE *stream, const report *r, const summary *p, size_t method)
{
    begin_row(stream, "<tr class=\"published\">", "published");
    for (size_t c = 0; c < p->columns; c++) {
        const published_figure *f = find_published(r, method, p, c);
        fputs("<td>", stream);
        put_number(stream, p->digits, f ? f->mean : NAN, f ? f->deviation : NAN);
        if (f && f->count < 10) {
            fprintf(stream, " <small>(%zu of 10)</small>", f->count);
        }
        fputs("</td>", stream);
    }
    fputs("</tr>\n", stream);
}

static const char outside_note[] =
    "<p>† The mean is outside the publication's mean ± standard deviation. Generations are counted from 1, "
    "the first population's; if the publication counts it as 0, which it does not say, ours are one less. Of "
    "ten runs a mean is outside such a range now and then by chance.</p>\n";

static void put_summary(FILE *stream, const report *r, const summary *p)
{
    int marks = 0;
    begin_table(stream, p->name, p->title, "method", p->columns, p->head);
    for (size_t k = 0; k < r->setting.methods; k++) {
        marks |= put_row(stream, r, p, k);
        if (find_published(r, k, p, 0)) {
            put_published_row(stream, r, p, k);
        }
    }
    end_table(stream, marks ? outside_note : "");
}

/* ---- All in one line a method ---------------------------------------------------- */

static int put_statistics(FILE *stream, const report *r)
{
    static const char heads[][SUMMARY_HEAD_SIZE] = {"runs", "median", "25 %", "75 %", "worst", "active", "p"};
    const int digits = r->best.problem.is_lander ? 1 : 4;
    begin_table(stream, "summary",
                r->is_open ? "fitness of the best on record, with the penalty"
                           : "fitness of what is recommended, with the penalty",
                "method", sizeof heads / sizeof *heads, heads);
    for (size_t k = 0; k < r->setting.methods; k++) {
        compare_statistics m;
        if (compare_statistics_make(&r->setting, r->run, k, COMPARE_END, &m)) {
            return CLI_FAILED;
        }
        begin_row(stream, "<tr>", r->setting.method[k].name);
        fprintf(stream, "<td>%zu</td>", m.runs);
        put_cell(stream, digits, m.median, NAN);
        put_cell(stream, digits, m.low, NAN);
        put_cell(stream, digits, m.high, NAN);
        put_cell(stream, digits, m.worst, NAN);
        put_cell(stream, 1, m.active, NAN);
        put_cell(stream, 4, m.p, NAN);
        fputs("</tr>\n", stream);
    }
    char note[256] = "";
    const double least = compare_least_p((size_t)r->setting.seeds, (size_t)r->setting.seeds);
    if (r->setting.methods > 1 && least > 0.001) {
        snprintf(note, sizeof note,
                 "<p>p: two-sided rank-sum test against the first method. With %llu run%s of each it cannot "
                 "be below %.2g.</p>\n",
                 (unsigned long long)r->setting.seeds, r->setting.seeds == 1 ? "" : "s", least);
    } else if (r->setting.methods > 1) {
        snprintf(note, sizeof note, "<p>p: two-sided rank-sum test against the first method.</p>\n");
    }
    end_table(stream, note);
    return 0;
}

/* ---- Every run ------------------------------------------------------------------- */

static void put_runs(FILE *stream, const report *r)
{
    static const char heads[][SUMMARY_HEAD_SIZE] = {"seed",        "generations", "best on record", "active",
                                                    "recommended", "active",      "fitness"};
    const int digits = r->best.problem.is_lander ? 1 : 4;
    begin_table(stream, "runs",
                r->setting.info.is_noisy
                    ? "every run: the best on record, and what is recommended with its standard error"
                    : "every run: the best on record, and what is recommended",
                "method", sizeof heads / sizeof *heads, heads);
    for (size_t i = 0; i < r->setting.methods * r->setting.seeds; i++) {
        const compare_run *run = &r->run[i];
        if (!run->is_finished) {
            continue;
        }
        const compare_moment *last = &run->moment[run->moments - 1];
        begin_row(stream, i == r->shown ? "<tr class=\"shown\">" : "<tr>",
                  r->setting.method[i / r->setting.seeds].name);
        fprintf(stream, "<td>%llu</td><td>%zu</td>", (unsigned long long)r->source[i]->run.seed,
                run->moments);
        put_cell(stream, digits, last->value, NAN);
        fprintf(stream, "<td>%zu</td>", last->active);
        put_cell(stream, digits, r->is_open ? NAN : run->end.value,
                 run->end.error > 0.0 ? run->end.error : NAN);
        if (run->end.evaluations && !r->is_open) {
            fprintf(stream, "<td>%zu</td>", run->end.active);
        } else {
            fputs("<td>–</td>", stream);
        }
        put_cell(stream, digits, run->end.fitness, NAN);
        fputs("</tr>\n", stream);
    }
    end_table(stream, "");
}

/* ---- The front ------------------------------------------------------------------- */

static void put_front(FILE *stream, const report *r)
{
    static const char heads[][SUMMARY_HEAD_SIZE] = {"on record", "evaluations", "evaluated again"};
    const report_front *f = &r->front;
    const int digits = r->best.problem.is_lander ? 1 : 4;
    const size_t chosen =
        r->best.conclusion.is_recommending ? r->best.conclusion.recommendation.active : r->best.seen.active;
    if (f->count == 0) {
        return;
    }
    begin_table(stream, "front", "front: the best value for each number of active coordinates", "active",
                f->again ? 3 : 2, heads);
    for (size_t i = 0; i < f->count; i++) {
        const report_front_point *p = &f->point[i];
        char active[32];
        snprintf(active, sizeof active, "%zu", p->record.active);
        begin_row(stream, p->record.active == chosen ? "<tr class=\"shown\">" : "<tr>", active);
        put_cell(stream, digits, p->record.value, f->is_noisy && !f->again ? p->record.error : NAN);
        fprintf(stream, "<td>%llu</td>", (unsigned long long)p->record.evaluations);
        if (f->again) {
            put_cell(stream, digits, p->mean, p->error);
        }
        fputs("</tr>\n", stream);
    }
    char note[512] = "";
    if (f->again) {
        snprintf(note, sizeof note,
                 "<p>Values on record are the best of many, and lucky. Each point was evaluated %llu times "
                 "again, with noise that no search has met: mean ± standard error.</p>\n",
                 (unsigned long long)f->again);
    } else if (f->is_noisy) {
        snprintf(
            note, sizeof note,
            "<p>There is noise: a value ± its standard error, but one of few evaluations may be lucky. A "
            "search with '--final-front N' evaluates each of these points N times.</p>\n");
    }
    end_table(stream, note);
}

/* ---- All of them ----------------------------------------------------------------- */

int report_tables_print(const report *r, FILE *stream)
{
    size_t count;
    summary *summaries = compare_summaries_make(&r->setting, r->run, &count);
    if (!summaries) {
        return CLI_FAILED;
    }
    const int failed = put_statistics(stream, r);
    for (size_t i = 0; i < count; i++) {
        put_summary(stream, r, &summaries[i]);
    }
    put_runs(stream, r);
    put_front(stream, r);
    compare_summaries_free(summaries, count);
    return failed;
}
