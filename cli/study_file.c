/* Reading a study: its runs are few, so they are all read when it is opened; their generations are not. */
#include "study_file.h"

#include "cli.h"
#include "json.h"
#include "search_program.h"
#include "search_texts.h"
#include "text.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- Runs -------------------------------------------------------------------------------- */

static void run_free(zilch_run *run)
{
    free((char *)run->texts.name);
    free((char *)run->texts.problem);
    free((char *)run->texts.arguments);
    free((char *)run->texts.machine);
    free((char *)run->texts.started);
    free((char *)run->version);
}

static char *copy(const char *text)
{
    return strdup(text ? text : "");
}

/* Whether one of its words can be read as --program. To read all of them as options takes ten times as long,
 * and a study may have many runs. */
static int may_have_program(const char *arguments)
{
    static const char shortest[] = "--prog";
    json_arguments a;
    int is_found = 0;
    if (json_arguments_parse(arguments, &a)) {
        return 0;
    }
    for (size_t i = 0; i < a.count; i++) {
        is_found |= strncmp(a.words[i], shortest, strlen(shortest)) == 0;
    }
    json_arguments_free(&a);
    return is_found;
}

/* By what its arguments say, which is what 'zilch resume' would start, and not by its problem's text alone.
 */
static zilch_status find_program(study_run *r)
{
    char why[SEARCH_WHY];
    search_kept kept;
    const char *problem = r->run.texts.problem;
    if (!search_program_is_text(problem, NULL) && !may_have_program(r->run.texts.arguments)) {
        return ZILCH_OK;
    }
    const int is_known = !search_kept_read(&kept, r->run.texts.arguments, why);
    const char *program = is_known ? kept.request.program : NULL;
    r->program = program ? strdup(program) : NULL;
    r->is_disguised = is_known && search_program_is_text(problem, program) != (program != NULL);
    search_kept_free(&kept);
    return program && !r->program ? ZILCH_ENOMEM : ZILCH_OK;
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
    *r = (study_run){.run = *run};
    r->run.texts.name = copy(run->texts.name);
    r->run.texts.problem = copy(run->texts.problem);
    r->run.texts.arguments = copy(run->texts.arguments);
    r->run.texts.machine = copy(run->texts.machine);
    r->run.texts.started = copy(run->texts.started);
    r->run.version = copy(run->version);
    return r->run.texts.name && r->run.texts.problem && r->run.texts.arguments && r->run.texts.machine &&
                   r->run.texts.started && r->run.version
               ? find_program(r)
               : ZILCH_ENOMEM;
}

static zilch_status take_generation(void *context, const zilch_generation *generation)
{
    *(zilch_generation *)context = *generation;
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
            status = zilch_study_generations(f->study, r->run.run, take_generation, &r->last);
        }
    }
    return status == ZILCH_OK ? 0 : fail_reading(status);
}

void study_file_close(study_file *f)
{
    for (size_t i = 0; i < f->count; i++) {
        run_free(&f->runs[i].run);
        free(f->runs[i].program);
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

void study_program_print(FILE *stream, const char *before, const study_run *run)
{
    if (run->program) {
        fprintf(stream, "%sevaluated by the program: ", before);
        text_put_word(stream, run->program);
        fputc('\n', stream);
    }
    if (run->is_disguised) {
        fprintf(stream,
                "%sits problem and its arguments disagree about the program; 'zilch resume' refuses it\n",
                before);
    }
}

/* The only observer is the command's own, and it ends a run in good order when its time is over. */
const char *study_stop_name(zilch_stop stop)
{
    return stop == ZILCH_STOP_NONE       ? "not ended"
           : stop == ZILCH_STOP_OBSERVER ? "time"
                                         : zilch_stop_name(stop);
}

/* ---- The best of a run --------------------------------------------------------------------- */

int study_best_read(study_best *out, const study_file *f, const study_run *run)
{
    const size_t dim = run->run.dim;
    *out = (study_best){.dim = dim, .over_ask = NAN};
    search_problem_recognise(&out->problem, run->run.texts.problem);
    out->seen_x = calloc(dim, sizeof *out->seen_x);
    out->recommended_x = calloc(dim, sizeof *out->recommended_x);
    if (!out->seen_x || !out->recommended_x) {
        return cli_fail("out of memory");
    }
    zilch_status status = zilch_study_resume(f->study, run->run.run, &out->optimizer);
    if (status == ZILCH_OK) {
        status = zilch_best(out->optimizer, out->seen_x, &out->seen);
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

/* The same data as then, or none: 0 or 1. */
static int open_data(study_best *b, const search_request *asked, int is_loud)
{
    static const char remedy[] = "columns are named by their numbers, without coefficients";
    search_problem opened = {0};
    if (access(asked->data, R_OK) != 0) {
        return is_loud ? cli_fail("%s: the data are missing (%s); %s", asked->data, strerror(errno), remedy)
                       : 1;
    }
    const int failed = search_problem_open(&opened, asked);
    if (failed && !opened.is_changed) {
        search_problem_close(&opened);
        return 1;
    }
    if (failed || opened.info.dim != b->dim) {
        search_problem_close(&opened);
        return is_loud ? cli_fail("%s: is not as it was when the run began; %s", asked->data, remedy) : 1;
    }
    b->problem = opened; /* what was only recognised holds no memory */
    return 0;
}

void study_best_open_data(study_best *b, const study_run *run, int is_loud)
{
    char why[SEARCH_WHY];
    search_kept kept;
    if (search_kept_read(&kept, run->run.texts.arguments, why) == 0) {
        b->over_ask = kept.request.over_ask;
        if (b->problem.is_regression && kept.request.data) { /* what the words say may be another problem */
            open_data(b, &kept.request, is_loud);
        }
    } else if (is_loud && *why) {
        cli_fail("%s: the words that the study keeps are not understood: %s", run->run.texts.problem, why);
    }
    search_kept_free(&kept);
}
