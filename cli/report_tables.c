/* The tables: those of a comparison, with the publication's figures below ours where it has any, and every
 * run by itself. */
#include "report_tables.h"

#include "cli.h"
#include "compare_pages.h"
#include "report_published.h"
#include "search_texts.h"
#include "text.h"

#include <math.h>
#include <string.h>

/* ---- A table --------------------------------------------------------------------- */

static void begin_table(FILE *stream, const char *name, const char *title)
{
    fprintf(stream, "<section id=\"table-%s\"><h3>", name);
    text_put_escaped(stream, title);
    fputs("</h3>\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"", stream);
    text_put_escaped(stream, title);
    fputs("\">\n<table>\n<thead><tr>", stream);
}

static void end_table(FILE *stream, const char *note)
{
    fprintf(stream, "</tbody>\n</table>\n</div>\n%s</section>\n", note);
}

static void put_head(FILE *stream, const char *text)
{
    fputs("<th scope=\"col\">", stream);
    text_put_escaped(stream, text);
    fputs("</th>", stream);
}

static void put_number(FILE *stream, int digits, double number, double spread)
{
    const page form = {.digits = digits};
    const page_cell cell = {.number = number, .spread = spread};
    page_cell_text text;
    page_cell_format(&form, &cell, &text);
    fputs(isnan(number) ? "–" : text.number, stream);
    if (!isnan(number) && !isnan(spread)) {
        fprintf(stream, " ± %s", text.spread);
    }
}

/* ---- Ours and theirs ------------------------------------------------------------- */

/* The words of the publication's methods, behind what is said to all: its preset and a law, dense without a
 * price. */
static int is_published_word(const zilch_run *run, const char *word)
{
    static const char *const begins[] = {"--preset=published", "--law=", "--seed="};
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++) {
        if (strncmp(word, begins[i], strlen(begins[i])) == 0) {
            return 1;
        }
    }
    return run->law == ZILCH_LAW_DENSE && strcmp(word, "--price=0") == 0;
}

static int is_published(const zilch_run *run)
{
    json_arguments a;
    int is_preset = 0;
    int is_other = 0;
    if (strcmp(run->texts.name, zilch_law_name(run->law)) != 0 ||
        json_arguments_parse(run->texts.arguments, &a)) {
        return 0;
    }
    for (size_t i = search_words_shared(&a); i < a.count; i++) {
        is_preset |= strcmp(a.words[i], "--preset=published") == 0;
        is_other |= !is_published_word(run, a.words[i]);
    }
    json_arguments_free(&a);
    return is_preset && !is_other;
}

/* The publication ran the lander for 100 generations, with a price of 2. */
static const published_figure *find_published(const report *r, size_t method, const page *p, size_t column)
{
    const zilch_run *run = &r->source[method * r->setting.seeds].run->run;
    const int is_setting =
        strcmp(r->name, "lander") == 0 && r->setting.generations == 100 && r->setting.price == 2.0;
    return is_setting && is_published(run) ? published_find(run->texts.name, p->name, column) : NULL;
}

static int is_outside(const page_cell *cell, const published_figure *published)
{
    return published && isfinite(cell->number) && fabs(cell->number - published->mean) > published->deviation;
}

static void put_cell(FILE *stream, const page *p, const page_cell *cell, int is_marked)
{
    fprintf(stream, "<td%s>", is_marked ? " class=\"outside\"" : "");
    put_number(stream, p->digits, cell->number, cell->spread);
    if (cell->count < cell->of) {
        fprintf(stream, " <small>(%zu of %zu)</small>", cell->count, cell->of);
    }
    fputs(is_marked ? " †</td>" : "</td>", stream);
}

/* Gives whether any of ours is outside. */
static int put_row(FILE *stream, const report *r, const page *p, size_t method)
{
    int marks = 0;
    fputs("<tr><th scope=\"row\">", stream);
    text_put_escaped(stream, r->setting.method[method].name);
    fputs("</th>", stream);
    for (size_t c = 0; c < p->columns; c++) {
        const page_cell *cell = &p->cell[method * p->columns + c];
        const int is_marked = is_outside(cell, find_published(r, method, p, c));
        put_cell(stream, p, cell, is_marked);
        marks += is_marked;
    }
    fputs("</tr>\n", stream);
    return marks > 0;
}

static void put_published_row(FILE *stream, const report *r, const page *p, size_t method)
{
    if (!find_published(r, method, p, 0)) {
        return;
    }
    fputs("<tr class=\"published\"><th scope=\"row\">published</th>", stream);
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

static void put_page(FILE *stream, const report *r, const page *p)
{
    int marks = 0;
    begin_table(stream, p->name, p->title);
    put_head(stream, "method");
    for (size_t c = 0; c < p->columns; c++) {
        put_head(stream, p->head[c]);
    }
    fputs("</tr></thead>\n<tbody>\n", stream);
    for (size_t k = 0; k < r->setting.methods; k++) {
        marks |= put_row(stream, r, p, k);
        put_published_row(stream, r, p, k);
    }
    end_table(stream, marks ? outside_note : "");
}

/* ---- All in one line a method ---------------------------------------------------- */

static void put_summary_row(FILE *stream, const report *r, size_t method, const compare_summary *m)
{
    const int digits = r->best.problem.is_lander ? 1 : 4;
    const double fitness[] = {m->median, m->low, m->high, m->worst};
    fputs("<tr><th scope=\"row\">", stream);
    text_put_escaped(stream, r->setting.method[method].name);
    fprintf(stream, "</th><td>%zu</td>", m->runs);
    for (size_t i = 0; i < sizeof fitness / sizeof *fitness; i++) {
        fputs("<td>", stream);
        put_number(stream, digits, fitness[i], NAN);
        fputs("</td>", stream);
    }
    fputs("<td>", stream);
    put_number(stream, 1, m->active, NAN);
    fputs("</td><td>", stream);
    put_number(stream, 4, m->p, NAN);
    fputs("</td></tr>\n", stream);
}

static int put_summaries(FILE *stream, const report *r)
{
    static const char *const heads[] = {"method", "runs", "median", "25 %", "75 %", "worst", "active", "p"};
    begin_table(stream, "summary", "fitness of what is recommended, with the price");
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        put_head(stream, heads[i]);
    }
    fputs("</tr></thead>\n<tbody>\n", stream);
    for (size_t k = 0; k < r->setting.methods; k++) {
        compare_summary summary;
        if (compare_summarise(&r->setting, r->run, k, COMPARE_END, &summary)) {
            return CLI_FAILED;
        }
        put_summary_row(stream, r, k, &summary);
    }
    end_table(stream,
              r->setting.methods > 1 ? "<p>p: two-sided rank-sum test against the first method.</p>\n" : "");
    return 0;
}

/* ---- Every run ------------------------------------------------------------------- */

static void put_run(FILE *stream, const report *r, size_t place)
{
    const compare_run *run = &r->run[place];
    const compare_moment *last = &run->moment[run->moments - 1];
    const int digits = r->best.problem.is_lander ? 1 : 4;
    fprintf(stream, "<tr%s><th scope=\"row\">", place == r->shown ? " class=\"shown\"" : "");
    text_put_escaped(stream, r->setting.method[place / r->setting.seeds].name);
    fprintf(stream, "</th><td>%llu</td><td>%zu</td><td>", (unsigned long long)r->source[place].run->run.seed,
            run->moments);
    put_number(stream, digits, last->value, NAN);
    fprintf(stream, "</td><td>%zu</td><td>", last->active);
    put_number(stream, digits, run->end.value, run->end.error > 0.0 ? run->end.error : NAN);
    fputs("</td><td>", stream);
    put_number(stream, 0, run->end.evaluations ? (double)run->end.active : NAN, NAN);
    fputs("</td><td>", stream);
    put_number(stream, digits, run->end.fitness, NAN);
    fputs("</td></tr>\n", stream);
}

static void put_runs(FILE *stream, const report *r)
{
    static const char *const heads[] = {"method", "seed",        "generations", "best on record",
                                        "active", "recommended", "active",      "fitness"};
    begin_table(stream, "runs",
                r->setting.info.is_noisy
                    ? "every run: the best on record, and what is recommended with its standard error"
                    : "every run: the best on record, and what is recommended");
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        put_head(stream, heads[i]);
    }
    fputs("</tr></thead>\n<tbody>\n", stream);
    for (size_t place = 0; place < r->setting.methods * r->setting.seeds; place++) {
        if (r->run[place].is_finished) {
            put_run(stream, r, place);
        }
    }
    end_table(stream, "");
}

/* ---- All of them ----------------------------------------------------------------- */

int report_tables_print(const report *r, FILE *stream)
{
    size_t count;
    page *pages = compare_pages_make(&r->setting, r->run, &count);
    if (!pages) {
        return CLI_FAILED;
    }
    const int failed = put_summaries(stream, r);
    for (size_t i = 0; i < count; i++) {
        put_page(stream, r, &pages[i]);
    }
    put_runs(stream, r);
    compare_pages_free(pages, count);
    return failed;
}
