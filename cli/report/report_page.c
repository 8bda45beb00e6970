/* A report as one HTML page: cli/report/pages/report.html with its places filled. The tables are a
 * comparison's; where the publication has a figure, it stands below ours. */
#include "report/draw_lander.h"
#include "report/figures.h"
#include "report/page_template.h"
#include "report/report.h"
#include "report/report_failures.h"
#include "report/report_tables.h"
#include "report/svg_inline.h"
#include "study/follow.h"
#include "study/run_record.h"
#include "terminal/cli.h"
#include "terminal/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Parts that may fail are printed beforehand. */
enum { DRAWINGS, TABLES, POINT, FAILURES, ASKED, DOCUMENT, PARTS };

typedef struct sheet {
    const report *report;
    const report_figures *figures;
    const private_folder *folder;
    char *part[PARTS];
} sheet;

static const report *report_of(const void *context)
{
    return ((const sheet *)context)->report;
}

/* ---- Words ----------------------------------------------------------------------- */

static void put_title(FILE *stream, const void *context)
{
    const report *r = report_of(context);
    text_put_escaped(stream, r->best.problem.is_lander ? "Lunar Lander" : r->name);
    if (r->setting.methods > 1) {
        fprintf(stream, ": %zu methods, %zu runs", r->setting.methods, r->ended);
    } else {
        fprintf(stream, ": %zu run%s", r->ended, r->ended == 1 ? "" : "s");
    }
    fputs(r->is_open ? ", not ended" : "", stream);
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
    const int is_lander = r->best.problem.is_lander;
    fputs(r->ended == 1 ? "The run (" : r->is_chosen ? "The run asked for (" : "The best run (", stream);
    put_shown_name(stream, r);
    if (!r->best.conclusion.is_recommending && (!r->is_open || r->best.seen.evaluations == 0)) {
        fputs(r->is_open ? ") has no value yet." : ") has recommended nothing.", stream);
        return;
    }
    if (r->is_open) {
        const zilch_run *run = &r->source[r->shown]->run;
        fprintf(stream, ") has not ended: this is its state after %llu generation%s and %llu evaluations",
                (unsigned long long)run->generations, run->generations == 1 ? "" : "s",
                (unsigned long long)run->evaluations);
    }
    fputs(r->is_open ? ". Its best point has " : ") recommends a point with ", stream);
    fprintf(stream, "<strong>%zu of %zu</strong> coordinates active", end->active, r->best.dim);
    if (isfinite(end->value)) {
        fprintf(stream, " and a %s of <strong>", report_value_name(r));
        fprintf(stream, is_lander ? "%.1f" : "%.6g", end->value);
        if (end->error > 0.0) {
            fprintf(stream, is_lander ? " ± %.1f" : " ± %.2g", end->error);
        }
        fputs("</strong>", stream);
    }
    if (isfinite(end->value) && r->setting.info.is_noisy && !r->is_open) {
        fprintf(stream, ", measured in %llu %s that no search has met",
                (unsigned long long)r->best.conclusion.held_out_count,
                is_lander ? "episodes" : "evaluations");
    }
    fputs(".", stream);
}

/* How well a regression predicts: R squared, or the accuracy. */
static void put_fit(FILE *stream, const report *r)
{
    const search_problem *p = &r->best.problem;
    zilch_regression_fit fit;
    if (!p->is_regression || !p->problem ||
        zilch_problem_fit(p->problem, report_point(r), NULL, &fit) != ZILCH_OK) {
        return;
    }
    fprintf(stream, "<div><dt>%s of the point shown</dt><dd>%.4g in training, %.4g held out</dd></div>\n",
            strcmp(p->info.name, "logistic") == 0 ? "accuracy" : "R²", fit.training_score,
            fit.validation_score);
}

static void put_summary(FILE *stream, const void *context)
{
    const report *r = report_of(context);
    const compare_score *end = &r->run[r->shown].end;
    uint64_t least = r->setting.generations;
    uint64_t evaluations = 0;
    for (size_t i = 0; i < r->setting.methods * r->setting.seeds; i++) {
        const zilch_run *run = r->source[i] ? &r->source[i]->run : NULL;
        least = run && run->generations < least ? run->generations : least;
        evaluations += run ? run->evaluations : 0;
    }
    fputs("<div><dt>problem</dt><dd>", stream);
    text_put_escaped(stream, r->name);
    fprintf(stream, ", %s</dd></div>\n<div><dt>runs</dt><dd>%zu",
            zilch_direction_name(r->setting.info.direction), r->ended);
    if (r->open) {
        fprintf(stream, "; %zu more ha%s %sended", r->open, r->open == 1 ? "s" : "ve",
                r->is_open ? "" : "not ");
    }
    if (r->other) {
        fprintf(stream, "; %zu of other problems", r->other);
    }
    fputs("</dd></div>\n<div><dt>generations of a run</dt><dd>", stream);
    if (least < r->setting.generations) {
        fprintf(stream, "%llu to ", (unsigned long long)least);
    }
    fprintf(stream, "%llu</dd></div>\n", (unsigned long long)r->setting.generations);
    fprintf(stream, "<div><dt>evaluations in all</dt><dd>%llu</dd></div>\n", (unsigned long long)evaluations);
    fprintf(stream, "<div><dt>penalty of an active coordinate</dt><dd>%.6g%s</dd></div>\n",
            r->setting.penalty, r->setting.penalties ? ", and its own beside it" : "");
    if (isfinite(end->fitness)) {
        fputs("<div><dt>fitness of the run shown, with its penalty</dt><dd>", stream);
        fprintf(stream, r->best.problem.is_lander ? "%.1f</dd></div>\n" : "%.6g</dd></div>\n", end->fitness);
    }
    put_fit(stream, r);
}

/* ---- Tables, figures, the point -------------------------------------------------- */

static void put_tables(FILE *stream, const void *context)
{
    fputs(((const sheet *)context)->part[TABLES], stream);
}

static void put_failures(FILE *stream, const void *context)
{
    fputs(((const sheet *)context)->part[FAILURES], stream);
}

/* JSON within a page: a '<' would be one of the page. */
static void put_document(FILE *stream, const void *context)
{
    for (const char *at = ((const sheet *)context)->part[DOCUMENT]; *at; at++) {
        if (*at == '<') {
            fputs("\\u003c", stream);
        } else {
            fputc(*at, stream);
        }
    }
}

static void put_chosen(FILE *stream, const void *context)
{
    const report *r = report_of(context);
    fprintf(stream, "%llu", (unsigned long long)r->source[r->shown]->run.run);
}

static void put_figures(FILE *stream, const void *context)
{
    fputs(((const sheet *)context)->part[DRAWINGS], stream);
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

static void put_point_name(FILE *stream, const void *context)
{
    fputs(report_of(context)->best.conclusion.is_recommending ? "Recommended point" : "Best point so far",
          stream);
}

static void put_point(FILE *stream, const void *context)
{
    const sheet *s = context;
    const study_best *b = &s->report->best;
    const size_t active =
        b->conclusion.is_recommending ? b->conclusion.recommendation.active : b->seen.active;
    const double violation =
        b->conclusion.is_recommending ? b->conclusion.recommendation.violation : b->seen.violation;
    fputs("<p>", stream);
    put_shown_name(stream, s->report);
    fprintf(stream, ", %s: %zu active.", b->conclusion.is_recommending ? "recommended" : "the best seen",
            active);
    if (violation > 0) {
        fprintf(stream, " It is infeasible, with a violation of %.6g.", violation);
    }
    if (b->problem.is_regression && !b->problem.problem) {
        fputs(" The data are missing or have changed: columns go by their numbers, without coefficients.",
              stream);
    }
    fputs("</p>\n<pre>", stream);
    put_lines(stream, s->part[POINT]);
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
    const zilch_run *run = &s->report->source[s->report->shown]->run;
    fprintf(stream, "<p>Run %llu of the study, with seed %llu, began", (unsigned long long)run->run,
            (unsigned long long)run->seed);
    put_origin(stream, " at ", run->request.started);
    put_origin(stream, " on ", run->request.machine);
    put_origin(stream, ", by zilch ", run->version);
    fputs(".</p>\n", stream);
    if (*s->part[ASKED]) {
        fputs("<pre>", stream);
        put_lines(stream, s->part[ASKED]);
        fputs("</pre>\n", stream);
    }
    fprintf(stream, "<p>This page was made by zilch %s from that study, and needs nothing else.</p>\n",
            zilch_version());
}

/* ---- The page -------------------------------------------------------------------- */

static const page_place places[] = {
    {"@TITLE@", put_title},
    {"@POINTNAME@", put_point_name},
    {"@LEAD@", put_lead},
    {"@SUMMARY@", put_summary},
    {"@TABLES@", put_tables},
    {"@FIGURES@", put_figures},
    {"@DOCUMENT@", put_document},
    {"@CHOSEN@", put_chosen},
    {"@POINT@", put_point},
    {"@LANDING@", put_landing},
    {"@FAILURES@", put_failures},
    {"@NOTES@", put_notes},
    {NULL, NULL},
};

static zilch_status write_page(void *context, FILE *stream)
{
    page_template_put(stream, "report.html", places, context);
    return ZILCH_OK;
}

/* ---- Its parts ------------------------------------------------------------------- */

static const struct {
    const char *name, *caption;
} captions[] = {
    {"return", "The best on record after each generation: the mean of a method thick, its runs thin."},
    {"active", "Active coordinates of the best on record."},
    {"scores", "What runs end with: the best on record and, with noise, what is recommended, free of luck."},
    {"arrival", "Generations until the best on record is as good as a target, and how many runs got there."},
    {"counts", "Active coordinates of the best on record at four generations."},
    {"run", "The run shown: fitness with the penalty, value without, and active coordinates."},
    {"front", "The front of the run shown: the best value for each number of active coordinates."},
    {"predicted", "What the point shown predicts for each row of the data, against what was observed."},
    {"probability", "How probable the point shown finds a 1 in each row of the data: rows that were a 1, and "
                    "rows that were a 0. "
                    "Beyond the dashed line a row is told as a 1."},
    {"activity", "The share of evaluations in which a coordinate was active."},
    {"correlations",
     "What the law has learned: correlations between the latents of the likeliest coordinates."},
    {"landing", "The first of the flights above, pose upon pose."},
    {"formulas", "The controller."},
};

static int print_figure(FILE *stream, const private_folder *folder, const char *name)
{
    const char *caption = name;
    FILE *picture = figures_read(folder, name, ".svg");
    for (size_t i = 0; i < sizeof captions / sizeof *captions; i++) {
        caption = strcmp(captions[i].name, name) == 0 ? captions[i].caption : caption;
    }
    fprintf(stream, "<figure id=\"figure-%s\">\n", name);
    const int failed = svg_put_inline(stream, picture, name, caption);
    if (picture) {
        fclose(picture);
    }
    fprintf(stream, "<figcaption>%s</figcaption>\n</figure>\n", caption);
    return failed;
}

static int print_drawings(const sheet *s, FILE *stream)
{
    const report_figures *f = s->figures;
    size_t drawn = 0;
    int failed = 0;
    for (size_t i = 0; i < f->count && !failed; i++) {
        drawn += f->is_drawn[i] != 0;
        failed = f->is_drawn[i] && print_figure(stream, s->folder, f->name[i]);
    }
    if (drawn < f->count || drawn == 0) {
        fputs(drawn ? "<p>Some figures could not be drawn.</p>\n"
                    : "<p>Without figures: gnuplot is missing or has failed.</p>\n",
              stream);
    }
    return failed;
}

static int print_tables(const sheet *s, FILE *stream)
{
    return report_tables_print(s->report, stream);
}

static int print_point(const sheet *s, FILE *stream)
{
    const study_best *b = &s->report->best;
    return search_point_print(&b->problem, b->dim, report_point(s->report), SIZE_MAX, stream);
}

static int print_failures(const sheet *s, FILE *stream)
{
    return report_failures_print(s->report, stream);
}

static int print_asked(const sheet *s, FILE *stream)
{
    const study_run *run = s->report->source[s->report->shown];
    run_print_command(stream, &run->run);
    fputs(run->program || run->is_disguised ? "\n" : "", stream);
    study_program_print(stream, "", run);
    return run_print_steered(stream, "\nsteered: ", s->report->file.study, run->run.run, "");
}

/* What the live page would show now, of all runs if they are few. */
static int print_document(const sheet *s, FILE *stream)
{
    enum { FEW = 16 };
    const report *r = s->report;
    const uint64_t shown = r->source[r->shown]->run.run;
    follow *f;
    int is_more;
    int failed = follow_open(&f, r->file.path);
    if (!failed && follow_count(f) > FEW) {
        follow_only(f, shown);
    }
    failed = failed || follow_read(f, FOLLOW_ALL, &is_more);
    for (size_t i = 0; !failed && i < follow_count(f); i++) {
        const follow_state state = follow_at(f, i);
        if (state.generations && (follow_count(f) <= FEW || state.run == shown)) {
            follow_take_look(f, state.run, follow_look(r->file.path, state.run));
        }
    }
    char *text = failed ? NULL : follow_text(f, 1);
    failed = failed || (!text && cli_fail("out of memory"));
    fputs(text ? text : "", stream);
    free(text);
    follow_close(f);
    return failed;
}

int report_write_page(const report *r, const private_folder *folder, const report_figures *figures,
                      const char *path)
{
    static int (*const print[PARTS])(const sheet *s, FILE *stream) = {
        print_drawings, print_tables, print_point, print_failures, print_asked, print_document};
    sheet s = {r, figures, folder, {NULL}};
    int failed = 0;
    for (size_t i = 0; i < PARTS && !failed; i++) {
        size_t size = 0;
        FILE *stream = open_memstream(&s.part[i], &size);
        failed = stream ? print[i](&s, stream) : cli_fail("out of memory");
        if (stream && fclose(stream) != 0 && !failed) {
            failed = cli_fail("out of memory");
        }
    }
    if (!failed && zilch_file_replace(path, write_page, &s) != ZILCH_OK) {
        failed = cli_fail_library();
    }
    for (size_t i = 0; i < PARTS; i++) {
        free(s.part[i]);
    }
    return failed;
}
