/* A report as one HTML page: cli/pages/report.html with its places filled. The tables are a comparison's;
 * where the publication has a figure, it stands below ours. */
#include "cli.h"
#include "draw_lander.h"
#include "figures.h"
#include "page_template.h"
#include "report.h"
#include "report_tables.h"
#include "search_texts.h"
#include "svg_inline.h"
#include "text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What may fail is made beforehand. */
typedef struct sheet {
    const report *report;
    const char *drawings, *tables, *point, *asked;
} sheet;

static const report *report_of(const void *context)
{
    return ((const sheet *)context)->report;
}

static const zilch_run *shown_run(const report *r)
{
    return &r->source[r->shown].run->run;
}

/* ---- Words ----------------------------------------------------------------------- */

static const char *plural(size_t count)
{
    return count == 1 ? "" : "s";
}

static void put_title(FILE *stream, const void *context)
{
    const report *r = report_of(context);
    if (r->best.problem.is_lander) {
        fputs("Lunar Lander", stream);
    } else {
        text_put_escaped(stream, r->name);
    }
    if (r->setting.methods > 1) {
        fprintf(stream, ": %zu methods, %zu runs", r->setting.methods, r->ended);
    } else {
        fprintf(stream, ": %zu run%s", r->ended, plural(r->ended));
    }
}

static void put_value(FILE *stream, const report *r, const compare_score *score)
{
    fprintf(stream, r->best.problem.is_lander ? "%.1f" : "%.6g", score->value);
    if (score->error > 0.0) {
        fprintf(stream, r->best.problem.is_lander ? " ± %.1f" : " ± %.2g", score->error);
    }
}

static void put_shown_name(FILE *stream, const report *r)
{
    char name[REPORT_NAME_SIZE];
    report_run_name(r, r->shown, name);
    text_put_escaped(stream, name);
}

static void put_lead(FILE *stream, const void *context)
{
    const report *r = report_of(context);
    const compare_score *end = &r->run[r->shown].end;
    fputs(r->ended == 1 ? "The run" : r->is_chosen ? "The run asked for" : "The best run", stream);
    fputs(" (", stream);
    put_shown_name(stream, r);
    if (!r->best.conclusion.is_recommending) {
        fputs(") has recommended nothing.", stream);
        return;
    }
    fprintf(stream, ") recommends a point with <strong>%zu of %zu</strong> coordinates active", end->active,
            r->best.dim);
    if (isfinite(end->value)) {
        fprintf(stream, " and a %s of <strong>", report_value_name(r));
        put_value(stream, r, end);
        fputs("</strong>", stream);
    }
    if (isfinite(end->value) && r->setting.info.is_noisy) {
        fprintf(stream, ", measured in %llu %s that no search has met",
                (unsigned long long)r->best.conclusion.held_out_count,
                r->best.problem.is_lander ? "episodes" : "evaluations");
    }
    fputs(".", stream);
}

/* ---- Summary --------------------------------------------------------------------- */

static void begin_fact(FILE *stream, const char *name)
{
    fprintf(stream, "<div><dt>%s</dt><dd>", name);
}

static void end_fact(FILE *stream)
{
    fputs("</dd></div>\n", stream);
}

static uint64_t count_evaluations(const report *r)
{
    uint64_t count = 0;
    for (size_t i = 0; i < r->setting.methods * r->setting.seeds; i++) {
        count += r->source[i].run ? r->source[i].run->run.evaluations : 0;
    }
    return count;
}

static void put_runs_fact(FILE *stream, const report *r)
{
    begin_fact(stream, "runs");
    fprintf(stream, "%zu", r->ended);
    if (r->open) {
        fprintf(stream, "; %zu more ha%s not ended", r->open, r->open == 1 ? "s" : "ve");
    }
    if (r->other) {
        fprintf(stream, "; %zu of other problems", r->other);
    }
    end_fact(stream);
}

static void put_generations(FILE *stream, const report *r)
{
    uint64_t least = r->setting.generations;
    for (size_t i = 0; i < r->setting.methods * r->setting.seeds; i++) {
        const study_run *run = r->source[i].run;
        least = run && run->run.generations < least ? run->run.generations : least;
    }
    if (least < r->setting.generations) {
        fprintf(stream, "%llu to ", (unsigned long long)least);
    }
    fprintf(stream, "%llu", (unsigned long long)r->setting.generations);
}

static void put_summary(FILE *stream, const void *context)
{
    const report *r = report_of(context);
    const compare_score *end = &r->run[r->shown].end;
    begin_fact(stream, "problem");
    text_put_escaped(stream, r->name);
    fprintf(stream, ", %s", zilch_direction_name(r->setting.info.direction));
    end_fact(stream);
    put_runs_fact(stream, r);
    begin_fact(stream, "generations of a run");
    put_generations(stream, r);
    end_fact(stream);
    begin_fact(stream, "evaluations in all");
    fprintf(stream, "%llu", (unsigned long long)count_evaluations(r));
    end_fact(stream);
    begin_fact(stream, "price of an active coordinate");
    fprintf(stream, "%.6g", r->setting.price);
    end_fact(stream);
    if (isfinite(end->fitness)) {
        begin_fact(stream, "fitness of the run shown, with its price");
        fprintf(stream, r->best.problem.is_lander ? "%.1f" : "%.6g", end->fitness);
        end_fact(stream);
    }
}

/* ---- Tables, figures, the point -------------------------------------------------- */

static void put_tables(FILE *stream, const void *context)
{
    fputs(((const sheet *)context)->tables, stream);
}

static const struct {
    const char *name, *caption;
} captions[] = {
    {"return", "The best on record after each generation: the mean of a method thick, its runs thin."},
    {"active", "Active coordinates of the best on record."},
    {"scores", "What runs end with: the best on record and, with noise, what is recommended, free of luck."},
    {"arrival", "Generations until the best on record is as good as a target, and how many runs got there."},
    {"counts", "Active coordinates of the best on record at four generations."},
    {"run", "The run shown: fitness with the price, value without, and active coordinates."},
    {"activity", "The share of evaluations in which a coordinate was active."},
    {"correlations",
     "What the law has learned: correlations between the latents of the likeliest coordinates."},
    {"landing", "The first of the flights above, pose upon pose."},
    {"formulas", "The controller."},
};

static const char *caption_of(const char *name)
{
    for (size_t i = 0; i < sizeof captions / sizeof *captions; i++) {
        if (strcmp(captions[i].name, name) == 0) {
            return captions[i].caption;
        }
    }
    return name;
}

static int print_figure(FILE *stream, const private_folder *folder, const char *name)
{
    const char *caption = caption_of(name);
    FILE *picture = figures_read(folder, name, ".svg");
    fprintf(stream, "<figure id=\"figure-%s\">\n", name);
    const int failed = svg_put_inline(stream, picture, name, caption);
    if (picture) {
        fclose(picture);
    }
    fprintf(stream, "<figcaption>%s</figcaption>\n</figure>\n", caption);
    return failed;
}

static void put_figures(FILE *stream, const void *context)
{
    fputs(((const sheet *)context)->drawings, stream);
}

static void put_lines(FILE *stream, const char *text)
{
    while (*text) {
        const size_t length = strcspn(text, "\n");
        char *line = strndup(text, length);
        text_put_escaped(stream, line ? line : "");
        free(line);
        fputc('\n', stream);
        text += length + (text[length] == '\n');
    }
}

static void put_point(FILE *stream, const void *context)
{
    const sheet *s = context;
    const study_best *b = &s->report->best;
    const size_t active =
        b->conclusion.is_recommending ? b->conclusion.recommendation.active : b->seen.active;
    fputs("<p>", stream);
    put_shown_name(stream, s->report);
    fprintf(stream, ", %s: %zu active.", b->conclusion.is_recommending ? "recommended" : "the best seen",
            active);
    if (b->problem.is_regression && !b->problem.problem) {
        fputs(" The data are missing or have changed: columns go by their numbers, without coefficients.",
              stream);
    }
    fputs("</p>\n<pre>", stream);
    put_lines(stream, s->point);
    fputs("</pre>\n", stream);
}

/* ---- The landing ----------------------------------------------------------------- */

static void put_episodes(FILE *stream, const void *context)
{
    const report *r = report_of(context);
    const play_episode *episode[REPORT_EPISODES];
    memcpy(episode, r->episode, sizeof episode);
    draw_lander_episodes(stream, episode, REPORT_EPISODES);
}

static const page_place landing_places[] = {{"@EPISODES@", put_episodes}, {NULL, NULL}};

static void put_landing(FILE *stream, const void *context)
{
    if (report_of(context)->episode[0]) {
        page_template_put(stream, "landing.html", landing_places, context);
    }
}

/* ---- Notes ----------------------------------------------------------------------- */

/* What a study tells; that of another program may be silent. */
static void put_origin(FILE *stream, const char *before, const char *text)
{
    if (*text) {
        fputs(before, stream);
        text_put_escaped(stream, text);
    }
}

static void put_notes(FILE *stream, const void *context)
{
    const sheet *s = context;
    const zilch_run *run = shown_run(s->report);
    fprintf(stream, "<p>Run %llu of the study, with seed %llu, began", (unsigned long long)run->run,
            (unsigned long long)run->seed);
    put_origin(stream, " at ", run->texts.started);
    put_origin(stream, " on ", run->texts.machine);
    put_origin(stream, ", by zilch ", run->version);
    fputs(".</p>\n", stream);
    if (*s->asked) {
        fputs("<pre>", stream);
        put_lines(stream, s->asked);
        fputs("</pre>\n", stream);
    }
    fprintf(stream, "<p>This page was made by zilch %s from that study, and needs nothing else.</p>\n",
            zilch_version());
}

/* ---- The page -------------------------------------------------------------------- */

static const page_place places[] = {
    {"@TITLE@", put_title},     {"@LEAD@", put_lead},       {"@SUMMARY@", put_summary},
    {"@TABLES@", put_tables},   {"@FIGURES@", put_figures}, {"@POINT@", put_point},
    {"@LANDING@", put_landing}, {"@NOTES@", put_notes},     {NULL, NULL},
};

static zilch_status write_page(void *context, FILE *stream)
{
    page_template_put(stream, "report.html", places, context);
    return ZILCH_OK;
}

/* What there is to print from. */
typedef struct origin {
    const report *report;
    const report_figures *figures;
    const private_folder *folder;
} origin;

/* What a function prints, to be freed; NULL after printing why. */
static char *format(const origin *from, int (*print)(const origin *from, FILE *stream))
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    const int failed = stream ? print(from, stream) : cli_fail("out of memory");
    if (stream && (fclose(stream) != 0 || failed)) {
        free(text);
        return NULL;
    }
    return text;
}

static int print_drawings(const origin *from, FILE *stream)
{
    const report_figures *f = from->figures;
    size_t drawn = 0;
    int failed = 0;
    for (size_t i = 0; i < f->count && !failed; i++) {
        drawn += f->is_drawn[i] != 0;
        failed = f->is_drawn[i] && print_figure(stream, from->folder, f->name[i]);
    }
    if (drawn < f->count || drawn == 0) {
        fputs(drawn ? "<p>Some figures could not be drawn.</p>\n"
                    : "<p>Without figures: gnuplot is missing or has failed.</p>\n",
              stream);
    }
    return failed;
}

static int print_tables(const origin *from, FILE *stream)
{
    return report_tables_print(from->report, stream);
}

static int print_point(const origin *from, FILE *stream)
{
    const study_best *b = &from->report->best;
    const double *x = b->conclusion.is_recommending ? b->recommended_x : b->seen_x;
    return search_point_print(&b->problem, b->dim, x, SIZE_MAX, stream);
}

static int print_asked(const origin *from, FILE *stream)
{
    const report *r = from->report;
    const study_run *run = r->source[r->shown].run;
    search_words_print(stream, run->run.texts.arguments);
    fputs(run->program || run->is_disguised ? "\n" : "", stream);
    study_program_print(stream, "", run);
    return 0;
}

int report_write_page(const report *r, const private_folder *folder, const report_figures *figures,
                      const char *path)
{
    const origin from = {r, figures, folder};
    char *drawings = format(&from, print_drawings);
    char *tables = format(&from, print_tables);
    char *point = format(&from, print_point);
    char *asked = format(&from, print_asked);
    sheet s = {r, drawings, tables, point, asked};
    int failed = CLI_FAILED;
    if (drawings && tables && point && asked) {
        failed = zilch_file_replace(path, write_page, &s) == ZILCH_OK ? 0 : cli_fail_library();
    }
    free(drawings);
    free(tables);
    free(point);
    free(asked);
    return failed;
}
