/* zilch export: every evaluation, or every generation, of a study's runs as CSV or JSON. */
#include "commands/commands.h"
#include "options/option_parser.h"
#include "study/study_file.h"
#include "study/study_json.h"
#include "terminal/cli.h"
#include "terminal/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct request {
    const char *study, *output;
    uint64_t run;
    int csv, json, generations, failures;
} request;

static const char about[] =
    "Print every evaluation of a study, in the order of runs, generations and ids: run, generation, id, "
    "value, fitness, active count, violation if the study has any, and the point, whose columns have the "
    "names of its coordinates, or else x1, x2, ... Numbers have all digits; what failed is nan, null in "
    "JSON. "
    "In CSV a row is a line: control characters of a text are shown, such as \\n, and an apostrophe stands "
    "before a text that begins with = + - or @, which a spreadsheet would compute. JSON has the texts as "
    "they "
    "are.";

static int parse(request *r, int argc, char **argv)
{
    const cli_option options[] = {
        {"run", 'r', "N", CLI_COUNT, &r->run, 1, 0x1p64, NULL, "Print this run alone. Without it, all runs."},
        {"generations", 'g', NULL, CLI_FLAG, &r->generations, 0, 0, NULL,
         "Print a row for each generation instead: counts so far, the best so far, seconds."},
        {"failures", 0, NULL, CLI_FLAG, &r->failures, 0, 0, NULL,
         "Print a row for each failed evaluation for which a program or a person gave a reason: the reason, "
         "and the end of what the program wrote to its standard error. Generation 0 is after the search."},
        {"csv", 0, NULL, CLI_FLAG, &r->csv, 0, 0, NULL, "Print CSV, which is the default."},
        {"json", 0, NULL, CLI_FLAG, &r->json, 0, 0, NULL,
         "Print JSON: an array with an object for each row."},
        {"output", 'o', "FILE", CLI_TEXT, &r->output, 0, 0, NULL, "Write to this file, whole or not at all."},
        {0},
    };
    const cli_usage usage = {"export", "STUDY", about, options, &r->study, 1, 1};
    const int status = cli_parse(&usage, argc, argv);
    if (!status && r->csv && r->json) {
        return cli_wrong_usage(&usage, "--csv and --json: give one of them");
    }
    if (!status && r->generations && r->failures) {
        return cli_wrong_usage(&usage, "--generations and --failures: give one of them");
    }
    if (!status && r->output && !*r->output) {
        return cli_wrong_usage(&usage, "-o: the file's name is empty");
    }
    if (!status && cli_is_study_file(r->output, r->study)) {
        return cli_wrong_usage(&usage, "-o: %s is the study itself, or a file of it", r->output);
    }
    return status;
}

/* ---- Rows ------------------------------------------------------------------------------------- */

typedef struct writer {
    const request *request;
    const study_file *file;
    const study_run *run; /* that is being written */
    FILE *stream;
    int is_first;
    int has_violations;       /* CSV has a column for them only then */
    const char *const *names; /* of the coordinates, for the header of a CSV; NULL: x1, x2, ... */
    const double *defaults;   /* of the coordinates of the run; NULL: 0, or nobody asks for them */
    int has_failed;           /* and said so */
} writer;

/* The same text on every machine, where printf may say -nan. */
static void print_number(FILE *stream, double value)
{
    if (isnan(value)) {
        fputs(",nan", stream);
    } else {
        fprintf(stream, ",%.17g", value);
    }
}

/* Every row begins with three numbers; JSON has them under their names. */
static void begin_row(const writer *w, uint64_t generation, uint64_t third)
{
    if (w->request->json) {
        fputs(w->is_first ? "" : ",\n", w->stream);
    } else {
        fprintf(w->stream, "%llu,%llu,%llu", (unsigned long long)w->run->run.run,
                (unsigned long long)generation, (unsigned long long)third);
    }
}

/* A pipe that nobody reads any more ends the reading. */
static zilch_status end_row(writer *w, int failed)
{
    fputs(w->request->json ? "" : "\n", w->stream);
    w->has_failed |= failed;
    w->is_first = 0;
    return failed || ferror(w->stream) || cli_is_stopped() ? ZILCH_ESTOPPED : ZILCH_OK;
}

static zilch_status write_evaluation(void *context, const zilch_evaluation *e)
{
    writer *w = context;
    begin_row(w, e->generation, e->id);
    if (w->request->json) {
        return end_row(w, study_json_write_evaluation(w->stream, &w->run->run, w->defaults, e));
    }
    print_number(w->stream, e->value);
    print_number(w->stream, e->fitness);
    fprintf(w->stream, ",%zu", e->active);
    if (w->has_violations) {
        print_number(w->stream, e->violation);
    }
    for (size_t i = 0; i < w->run->run.dim; i++) {
        print_number(w->stream, e->x ? e->x[i] : NAN);
    }
    return end_row(w, 0);
}

static zilch_status write_generation(void *context, const zilch_generation *g)
{
    writer *w = context;
    begin_row(w, g->generation, g->evaluations);
    if (w->request->json) {
        return end_row(w, study_json_write_generation(w->stream, &w->run->run, g));
    }
    fprintf(w->stream, ",%llu,%llu", (unsigned long long)g->failures, (unsigned long long)g->points);
    print_number(w->stream, g->best_value);
    print_number(w->stream, g->best_fitness);
    fprintf(w->stream, ",%zu", g->best_active);
    print_number(w->stream, g->noise);
    print_number(w->stream, g->timings.evaluating);
    print_number(w->stream, g->timings.searching);
    if (w->has_violations) {
        print_number(w->stream, g->best_violation);
    }
    return end_row(w, 0);
}

static zilch_status write_failure(void *context, const zilch_failure *f)
{
    writer *w = context;
    begin_row(w, f->generation, f->id);
    if (w->request->json) {
        return end_row(w, study_json_write_failure(w->stream, &w->run->run, f));
    }
    fputc(',', w->stream);
    text_put_field(w->stream, f->reason, 1);
    fputc(',', w->stream);
    text_put_field(w->stream, f->output, 1);
    return end_row(w, 0);
}

static void write_header(const writer *w, size_t dim)
{
    if (w->request->failures) {
        fputs("run,generation,id,reason,output\n", w->stream);
        return;
    }
    if (w->request->generations) {
        fputs("run,generation,evaluations,failures,points,best_value,best_fitness,best_active,noise,"
              "evaluating_seconds,searching_seconds",
              w->stream);
        fputs(w->has_violations ? ",best_violation\n" : "\n", w->stream);
        return;
    }
    fputs("run,generation,id,value,fitness,active", w->stream);
    fputs(w->has_violations ? ",violation" : "", w->stream);
    for (size_t i = 0; i < dim; i++) {
        if (w->names) {
            fputc(',', w->stream);
            text_put_field(w->stream, w->names[i], 0);
        } else {
            fprintf(w->stream, ",x%zu", i + 1);
        }
    }
    fputc('\n', w->stream);
}

/* ---- Runs ---------------------------------------------------------------------------------------- */

/* JSON has by name what differs from the defaults, which are in the optimiser alone. */
static zilch_status write_evaluations(writer *w)
{
    zilch_study *study = w->file->study;
    const zilch_request *asked_for = &w->run->run.request;
    zilch_optimizer *optimizer = NULL;
    zilch_status status = ZILCH_OK;
    if (w->request->json && asked_for->coordinate_names &&
        (zilch_request_find(asked_for, ZILCH_SETTING_PROBLEM, "default") ||
         zilch_request_find(asked_for, ZILCH_SETTING_PROBLEM, "defaults"))) {
        status = zilch_study_resume(study, w->run->run.run, &optimizer);
        w->defaults = optimizer ? zilch_optimizer_settings(optimizer)->defaults : NULL;
    }
    status =
        status == ZILCH_OK ? zilch_study_evaluations(study, w->run->run.run, write_evaluation, w) : status;
    w->defaults = NULL;
    zilch_optimizer_destroy(optimizer);
    return status;
}

static zilch_status write_run(writer *w)
{
    zilch_study *study = w->file->study;
    const uint64_t number = w->run->run.run;
    return w->request->failures      ? zilch_study_failures(study, number, write_failure, w)
           : w->request->generations ? zilch_study_generations(study, number, write_generation, w)
                                     : write_evaluations(w);
}

static zilch_status write_all(void *context, FILE *stream)
{
    writer *w = context;
    const study_file *f = w->file;
    const request *r = w->request;
    zilch_status status = ZILCH_OK;
    w->stream = stream;
    w->is_first = 1;
    if (r->json) {
        fputc('[', stream);
    } else {
        write_header(w, study_file_find(f, r->run != UINT64_MAX ? r->run : 0)->run.dim);
    }
    for (size_t i = 0; i < f->count && status == ZILCH_OK; i++) {
        w->run = &f->runs[i];
        status = r->run == UINT64_MAX || w->run->run.run == r->run ? write_run(w) : ZILCH_OK;
    }
    fputs(r->json ? "]\n" : "", stream);
    return status == ZILCH_ESTOPPED && ferror(stream) ? ZILCH_OK : status; /* its owner looks for errors */
}

/* The columns of a CSV are the same for all its rows. */
static int check_runs(const request *r, const study_file *f)
{
    if (r->run != UINT64_MAX) {
        return study_file_find(f, r->run) ? 0 : CLI_FAILED;
    }
    for (size_t i = 1; i < f->count && !r->json && !r->generations && !r->failures; i++) {
        if (f->runs[i].run.dim != f->runs[0].run.dim) {
            return cli_fail(
                "%s: its runs have different numbers of coordinates; choose one with --run, or use --json",
                f->path);
        }
    }
    return 0;
}

static int has_names_of(const zilch_run *a, const zilch_run *b)
{
    const char *const *first = a->request.coordinate_names;
    const char *const *second = b->request.coordinate_names;
    size_t i = 0;
    while (first && second && i < a->dim && strcmp(first[i], second[i]) == 0) {
        i++;
    }
    return first && second ? i == a->dim : first == second;
}

/* Those of the rows' runs, if all of them have the same. */
static const char *const *choose_names(const request *r, const study_file *f)
{
    if (r->json || r->generations || r->failures) {
        return NULL;
    }
    const zilch_run *run = &study_file_find(f, r->run != UINT64_MAX ? r->run : 0)->run;
    for (size_t i = 0; i < f->count && r->run == UINT64_MAX; i++) {
        if (!has_names_of(&f->runs[i].run, run)) {
            fprintf(stderr,
                    "zilch export: the runs call their coordinates by different names, so the columns are "
                    "x1, x2, ...; --run N has the names of one\n");
            return NULL;
        }
    }
    return run->request.coordinate_names;
}

static int export(const request *r, const study_file *f)
{
    writer w = {.request = r, .file = f};
    if (check_runs(r, f)) {
        return CLI_FAILED;
    }
    w.names = choose_names(r, f);
    if (zilch_study_has_violations(f->study, &w.has_violations) != ZILCH_OK) {
        return cli_fail_library();
    }
    const int is_file = r->output && strcmp(r->output, "-") != 0;
    cli_watch_signals();
    const zilch_status status =
        is_file ? zilch_file_replace(r->output, write_all, &w) : write_all(&w, stdout);
    if (status == ZILCH_OK || w.has_failed) {
        return w.has_failed;
    }
    return cli_is_stopped() ? cli_fail("stopped") : cli_fail_library();
}

int cmd_export(int argc, char **argv)
{
    request r = {.run = UINT64_MAX};
    const int usage = parse(&r, argc, argv);
    if (usage) {
        return usage;
    }
    study_file f;
    int status = study_file_open(&f, r.study, ZILCH_STUDY_READ);
    if (!status) {
        status = export(&r, &f);
    }
    study_file_close(&f);
    if (status) {
        cli_end_if_stopped();
    }
    return status;
}
