/* zilch report: a study to look at, as one page with its tables and figures. */
#include "commands/commands.h"
#include "compare/compare_json.h"
#include "options/option_parser.h"
#include "report/figures.h"
#include "report/report.h"
#include "terminal/cli.h"
#include "terminal/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct request {
    const char *study, *output, *figures;
    uint64_t run;
    int is_json;
} request;

static const char about[] =
    "Make one page, complete in itself, of the runs in STUDY that have ended, or, where none has, of those "
    "that go on, were interrupted or are evaluated by hand: a summary, the tables of "
    "'zilch compare', figures, and one run closely, the best or the one asked for, with the point it "
    "recommends and, of a lander, landings that play. Runs of several problems in one study: those of the "
    "run shown, or else of the last that has ended.";

static int parse(request *r, int argc, char **argv)
{
    const cli_option options[] = {
        {"output", 'o', "FILE", CLI_TEXT, &r->output, 0, 0, NULL, "The page to write."},
        {"run", 'r', "N", CLI_COUNT, &r->run, 1, 0x1p64, NULL,
         "The run that is shown closely. Without it, the best."},
        {"figures", 'f', "DIR", CLI_TEXT, &r->figures, 0, 0, NULL,
         "Keep the figures in this folder as well: SVG, PNG and PDF, with the data and scripts that drew "
         "them."},
        {"json", 0, NULL, CLI_FLAG, &r->is_json, 0, 0, NULL,
         "Print what was made, and its numbers, as JSON."},
        {0},
    };
    const cli_usage usage = {"report", "STUDY", about, options, &r->study, 1, 1};
    const int status = cli_parse(&usage, argc, argv);
    if (!status && !*r->output) {
        return cli_wrong_usage(&usage, "-o: the file's name is empty");
    }
    if (!status && strcmp(r->output, "-") == 0) {
        return cli_wrong_usage(&usage, "-o: is written to a file, not to standard output");
    }
    if (!status && cli_is_study_file(r->output, r->study)) {
        return cli_wrong_usage(&usage, "-o: %s is the study itself, or a file of it", r->output);
    }
    return status;
}

/* ---- The page -------------------------------------------------------------------- */

/* Each point as it is on record, and evaluated again, if it was. */
static json_node *front_array(const report_front *front, int *failed)
{
    json_node *array = node_array();
    for (size_t i = 0; i < front->count; i++) {
        const report_front_point *p = &front->point[i];
        json_node *object = node_object();
        json_node *again = front->again ? node_object() : node_null();
        node_put(object, "active", node_whole(p->record.active), failed);
        node_put(object, "value", node_real(p->record.value), failed);
        node_put(object, "error", node_real(p->record.error), failed);
        node_put(object, "evaluations", node_whole(p->record.evaluations), failed);
        if (front->again) {
            node_put(again, "mean", node_real(p->mean), failed);
            node_put(again, "error", node_real(p->error), failed);
            node_put(again, "evaluations", node_whole(front->again), failed);
        }
        node_put(object, "again", again, failed);
        node_append(array, object, failed);
    }
    return array;
}

/* What was made: the page, its figures, what each method came to, and the front. */
static int print_json(const request *r, const report *content, const report_figures *figures)
{
    int failed = 0;
    json_node *document = node_object();
    json_node *drawn = node_array();
    for (size_t i = 0; i < figures->count; i++) {
        if (figures->is_drawn[i]) {
            node_append(drawn, node_text(figures->name[i]), &failed);
        }
    }
    node_put(document, "study", node_name(r->study), &failed);
    node_put(document, "page", node_name(r->output), &failed);
    node_put(document, "figures", node_name(r->figures), &failed);
    node_put(document, "drawn", drawn, &failed);
    node_put(document, "problem", node_name(content->name), &failed);
    node_put(document, "run", node_whole(content->source[content->shown]->run.run), &failed);
    node_put(document, "methods", compare_methods_array(&content->setting, content->run, &failed), &failed);
    node_put(document, "front", front_array(&content->front, &failed), &failed);
    return node_print(document, failed);
}

/* What can be made is made: a page without figures, where gnuplot fails or there is no folder for them. */
static int make(const request *r, const report *content, const private_folder *folder,
                report_figures *figures)
{
    const int undrawn = folder ? report_draw(content, folder, figures) : CLI_FAILED;
    if (cli_is_stopped()) {
        return cli_fail("stopped");
    }
    if (report_write_page(content, folder, figures, r->output)) {
        figures->is_undrawn = 0; /* of no use without a page */
        return CLI_FAILED;
    }
    if (undrawn) {
        return cli_fail("%s: made without %s", r->output,
                        figures->is_drawn[0] ? "all of its figures" : "figures");
    }
    return CLI_OK;
}

/* A folder that was asked for gets all that was made. Else the data of figures that could not be drawn are
 * kept, if there is a page that lacks them. */
static int make_in(const request *r, const report *content, const char *path, report_figures *figures)
{
    private_folder folder;
    const int is_missing = private_folder_make(&folder, path);
    const int status = make(r, content, is_missing ? NULL : &folder, figures);
    const int is_kept = !cli_is_stopped() && (r->figures ? figures->has_data : figures->is_undrawn);
    const int failed = is_kept ? report_publish(&folder) : 0;
    private_folder_remove(&folder);
    return status ? status : failed;
}

/* In a folder that goes away. */
static int make_in_scratch(const request *r, const report *content, report_figures *figures)
{
    char path[4096];
    const char *parent = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/zilch-XXXXXX", parent && *parent ? parent : "/tmp");
    if (!mkdtemp(path)) {
        cli_fail("%s: cannot make a folder for the figures: %s", path, strerror(errno));
        return make(r, content, NULL, figures);
    }
    const int status = make_in(r, content, path, figures);
    (void)rmdir(path); /* unless something is kept there */
    return status;
}

int cmd_report(int argc, char **argv)
{
    request r = {.output = "report.html", .run = UINT64_MAX};
    const int usage = parse(&r, argc, argv);
    if (usage) {
        return usage;
    }
    if (cli_try_output(r.output)) {
        return CLI_FAILED;
    }
    report content;
    report_figures figures = {.count = 0};
    int status = report_open(&content, r.study, r.run != UINT64_MAX ? r.run : 0);
    if (!status) {
        cli_watch_signals();
        status = !r.figures                       ? make_in_scratch(&r, &content, &figures)
                 : figures_make_folder(r.figures) ? CLI_FAILED
                                                  : make_in(&r, &content, r.figures, &figures);
    }
    status = !status && r.is_json ? print_json(&r, &content, &figures) : status;
    report_close(&content);
    if (status) {
        cli_end_if_stopped();
        return status;
    }
    if (!r.is_json) {
        text_put_between(stdout, "", r.output, "\n");
    }
    if (r.figures && !r.is_json) {
        text_put_between(stdout, "", r.figures, "\n");
    }
    return CLI_OK;
}
