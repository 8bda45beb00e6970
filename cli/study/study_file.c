/* Reading a study: its runs are few, so they are all read when it is opened; their generations are not. */
#include "study/study_file.h"

#include "terminal/cli.h"
#include "terminal/text.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- Runs -------------------------------------------------------------------------------- */

/* What the copy of a run holds beside its texts. */
typedef struct run_memory {
    zilch_limits limits;
    zilch_final_options final;
    zilch_setting setting[];
} run_memory;

/* The texts of a run, by their places in it. */
static const size_t texts[] = {offsetof(zilch_run, request.name),    offsetof(zilch_run, request.problem),
                               offsetof(zilch_run, request.data),    offsetof(zilch_run, request.fingerprint),
                               offsetof(zilch_run, request.machine), offsetof(zilch_run, request.started),
                               offsetof(zilch_run, version)};
enum { TEXTS = sizeof texts / sizeof *texts };

static const char **text_of(zilch_run *run, size_t index)
{
    return (const char **)((char *)run + texts[index]);
}

static void run_free(zilch_run *run)
{
    const zilch_request *r = &run->request;
    for (size_t i = 0; i < TEXTS; i++) {
        free((char *)*text_of(run, i));
    }
    for (size_t i = 0; i < r->settings && r->setting; i++) {
        free((char *)r->setting[i].name);
        free((char *)r->setting[i].value);
    }
    for (size_t i = 0; i < run->dim && r->coordinate_names; i++) {
        free((char *)r->coordinate_names[i]);
    }
    free((void *)r->limits); /* which begins its memory */
    free((void *)r->coordinate_names);
}

/* A copy, to be freed; *is_whole becomes 0 without memory. */
static char *copy(const char *text, int *is_whole)
{
    char *copied = strdup(text ? text : "");
    *is_whole &= copied != NULL;
    return copied;
}

/* Gives whether there was memory for all of it; free it in any case. */
static int run_copy(zilch_run *out, const zilch_run *run)
{
    const zilch_request *from = &run->request;
    run_memory *memory = calloc(1, sizeof *memory + from->settings * sizeof *memory->setting);
    char **names = from->coordinate_names ? calloc(run->dim, sizeof *names) : NULL;
    int is_whole = memory && (names || !from->coordinate_names);
    *out = *run;
    for (size_t i = 0; i < TEXTS; i++) {
        *text_of(out, i) = copy(*text_of(out, i), &is_whole);
    }
    for (size_t i = 0; i < run->dim && names; i++) {
        names[i] = copy(from->coordinate_names[i], &is_whole);
    }
    for (size_t i = 0; i < from->settings && memory; i++) {
        memory->setting[i] = (zilch_setting){from->setting[i].kind, copy(from->setting[i].name, &is_whole),
                                             copy(from->setting[i].value, &is_whole)};
    }
    if (memory) {
        memory->limits = *from->limits;
        memory->final = *from->final;
    }
    out->request.limits = memory ? &memory->limits : NULL;
    out->request.final = memory ? &memory->final : NULL;
    out->request.setting = memory ? memory->setting : NULL;
    out->request.coordinate_names = (const char *const *)names;
    return is_whole;
}

static zilch_status take_run(void *context, const zilch_run *run)
{
    study_file *f = context;
    if (f->count == f->capacity) {
        const size_t capacity = f->capacity ? 2 * f->capacity : 8;
        study_run *grown = realloc(f->runs, capacity * sizeof *grown);
        if (!grown) {
            return ZILCH_ENOMEM;
        }
        f->runs = grown;
        f->capacity = capacity;
    }
    study_run *r = &f->runs[f->count++];
    const zilch_request *request = &r->run.request;
    *r = (study_run){.program = NULL};
    if (!run_copy(&r->run, run)) {
        return ZILCH_ENOMEM;
    }
    r->program = zilch_request_find(request, ZILCH_SETTING_PROBLEM, "program");
    r->is_disguised = (strcmp(request->problem, "program") == 0) != (r->program != NULL);
    return ZILCH_OK;
}

static int fail_reading(zilch_status status)
{
    return status == ZILCH_ENOMEM ? cli_fail("out of memory") : cli_fail_library();
}

int study_file_open(study_file *out, const char *path, zilch_study_mode mode)
{
    *out = (study_file){.path = path};
    zilch_status status = zilch_study_open(&out->study, path, mode);
    if (status == ZILCH_OK) {
        status = zilch_study_runs(out->study, take_run, out);
    }
    if (status != ZILCH_OK) {
        return fail_reading(status);
    }
    return out->count ? 0 : cli_fail("%s: has no runs yet", path);
}

int study_file_read_last(study_file *f, uint64_t number)
{
    zilch_status status = ZILCH_OK;
    for (size_t i = 0; i < f->count && status == ZILCH_OK; i++) {
        study_run *r = &f->runs[i];
        if (r->run.generations > 0 && (number == STUDY_ALL_RUNS || r->run.run == number)) {
            status = zilch_study_last(f->study, r->run.run, &r->last);
        }
    }
    return status == ZILCH_OK ? 0 : fail_reading(status);
}

void study_file_close(study_file *f)
{
    for (size_t i = 0; i < f->count; i++) {
        run_free(&f->runs[i].run);
    }
    free(f->runs);
    zilch_study_close(f->study);
}

const study_run *study_file_find(const study_file *f, uint64_t number)
{
    if (number == 0) {
        return &f->runs[f->count - 1];
    }
    for (size_t i = 0; i < f->count; i++) {
        if (f->runs[i].run.run == number) {
            return &f->runs[i];
        }
    }
    cli_fail("%s: has no run %llu; the last is %llu", f->path, (unsigned long long)number,
             (unsigned long long)f->runs[f->count - 1].run.run);
    return NULL;
}

const char study_by_hand[] = "by hand";

const study_run *study_file_find_by_hand(const study_file *f, uint64_t number)
{
    const study_run *found = NULL;
    for (size_t i = 0; i < f->count && number == 0; i++) {
        const study_run *run = &f->runs[i];
        if (strcmp(run->run.request.problem, study_by_hand) != 0) {
            continue;
        }
        if (found) {
            cli_fail(
                "%s: runs %llu and %llu are both evaluated by hand; say which one is meant, with --run N",
                f->path, (unsigned long long)found->run.run, (unsigned long long)run->run.run);
            return NULL;
        }
        found = run;
    }
    return found ? found : study_file_find(f, number);
}

void study_program_print(FILE *stream, const char *before, const study_run *run)
{
    if (run->program) {
        fprintf(stream, "%sevaluated by the program: ", before);
        text_put_word(stream, run->program);
        fputc('\n', stream);
    }
    if (run->is_disguised) {
        fprintf(stream,
                "%sits problem and its settings disagree about the program; 'zilch resume' refuses it\n",
                before);
    }
}

int study_is_compared(const study_run *run)
{
    return zilch_request_find(&run->run.request, ZILCH_SETTING_MEANS, STUDY_COMPARISON) != NULL;
}

/* The only observer is the command's own, and it ends a run in good order when its time is over. */
const char *study_stop_name(zilch_stop stop)
{
    return stop == ZILCH_STOP_NONE       ? "not ended"
           : stop == ZILCH_STOP_OBSERVER ? "time"
           : stop == ZILCH_STOP_ASKED    ? "request"
                                         : zilch_stop_name(stop);
}

/* ---- The best of a run --------------------------------------------------------------------- */

int study_best_read(study_best *out, const study_file *f, const study_run *run)
{
    const size_t dim = run->run.dim;
    *out = (study_best){.dim = dim};
    search_problem_recognise(&out->problem, &run->run.request);
    out->seen_x = calloc(dim, sizeof *out->seen_x);
    out->recommended_x = calloc(dim, sizeof *out->recommended_x);
    if (!out->seen_x || !out->recommended_x) {
        return cli_fail("out of memory");
    }
    zilch_status status = zilch_study_resume(f->study, run->run.run, &out->optimizer);
    if (status == ZILCH_OK) {
        out->problem.defaults = zilch_optimizer_settings(out->optimizer)->defaults;
        status = zilch_optimizer_best(out->optimizer, out->seen_x, &out->seen);
        if (status == ZILCH_ESTATE) {
            out->seen = (zilch_record){0};
            status = ZILCH_OK;
        }
    }
    if (status == ZILCH_OK) {
        status = zilch_study_conclusion(f->study, run->run.run, &out->conclusion, out->recommended_x);
    }
    return status == ZILCH_OK ? 0 : cli_fail_library();
}

void study_best_free(study_best *b)
{
    free(b->seen_x);
    free(b->recommended_x);
    zilch_optimizer_destroy(b->optimizer);
    search_problem_close(&b->problem);
}

/* ---- What was asked for ---------------------------------------------------------------------- */

void study_best_open_data(study_best *b, const study_run *run, int is_loud)
{
    static const char remedy[] = "columns are shown without coefficients";
    char why[SEARCH_WHY];
    search_request asked;
    search_problem opened = {0};
    if (!b->problem.is_regression || !*run->run.request.data) {
        return;
    }
    if (search_request_restore(&asked, &run->run, why)) {
        if (is_loud) {
            cli_fail("run %llu: %s", (unsigned long long)run->run.run, why);
        }
        return;
    }
    if (access(asked.data, R_OK) != 0) {
        if (is_loud) {
            cli_fail("%s: the data are missing (%s); %s", asked.data, strerror(errno), remedy);
        }
        return;
    }
    const int failed = search_problem_open(&opened, &asked);
    if (!failed && opened.info.dim == b->dim) { /* the same as then */
        b->problem = opened;                    /* what was only recognised holds no memory */
        return;
    }
    if (is_loud && (!failed || opened.is_changed)) {
        cli_fail("%s: is not as it was when the run began; %s", asked.data, remedy);
    }
    search_problem_close(&opened);
}
