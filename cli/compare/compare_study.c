#include "compare/compare_study.h"

#include "run/search.h"
#include "study/run_record.h"
#include "study/study_file.h"
#include "terminal/cli.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* A run that is there. */
typedef struct kept {
    uint64_t run, seed, generations, evaluations;
    char *name;
} kept;

struct compare_study {
    const char *path;
    zilch_study *study;
    pthread_mutex_t lock;
    kept *runs;
    size_t count, capacity;
};

/* ---- What a run is asked for ------------------------------------------------------------ */

/* The method's request and its optimiser; what its fitness is compared with is kept beside it. */
typedef struct asked {
    search_request request;
    run_record record;
    zilch_optimizer *optimizer;
    char penalty[32];
} asked;

static int ask(asked *out, const compare_setting *s, const compare_method *m, const search_problem *problem,
               uint64_t seed)
{
    out->optimizer = NULL;
    out->request = m->request;
    out->request.name = m->name;
    out->request.seed = seed;
    if (run_record_make(&out->record, &out->request, problem)) {
        return CLI_FAILED;
    }
    search_settings *settings = &out->record.settings;
    snprintf(out->penalty, sizeof out->penalty, "%.17g", s->penalty);
    settings->setting[settings->count] = (zilch_setting){ZILCH_SETTING_MEANS, STUDY_COMPARISON, out->penalty};
    out->record.request.settings = settings->count + 1;
    return search_optimizer_create(&out->request, problem, &out->optimizer);
}

static void asked_free(asked *a)
{
    zilch_optimizer_destroy(a->optimizer);
    run_record_free(&a->record);
}

/* ---- Runs that are there ---------------------------------------------------------------- */

static zilch_status keep(void *context, const zilch_run *run)
{
    compare_study *c = context;
    if (c->count == c->capacity) {
        const size_t capacity = c->capacity ? 2 * c->capacity : 8;
        kept *more = realloc(c->runs, capacity * sizeof *more);
        if (!more) {
            return ZILCH_ENOMEM;
        }
        c->runs = more;
        c->capacity = capacity;
    }
    kept *k = &c->runs[c->count++];
    *k = (kept){.run = run->run,
                .seed = run->seed,
                .generations = run->generations,
                .evaluations = run->evaluations,
                .name = strdup(run->request.name)};
    return k->name ? ZILCH_OK : ZILCH_ENOMEM;
}

static const kept *find(const compare_study *c, const char *name, uint64_t seed)
{
    for (size_t i = 0; i < c->count; i++) {
        if (c->runs[i].seed == seed && strcmp(c->runs[i].name, name) == 0) {
            return &c->runs[i];
        }
    }
    return NULL;
}

/* Whatever its seed: a name stands for one method. */
typedef struct check {
    const compare_study *study;
    const zilch_request *request;
    const zilch_optimizer *optimizer;
    int failed;
} check;

static zilch_status check_run(void *context, const zilch_run *run)
{
    check *c = context;
    if (c->failed || strcmp(run->request.name, c->request->name) != 0 ||
        zilch_run_matches(run, c->request, c->optimizer)) {
        return ZILCH_OK;
    }
    c->failed =
        strcmp(run->request.problem, c->request->problem) != 0 ||
                run->dim != zilch_optimizer_dim(c->optimizer)
            ? cli_fail("%s: run %llu is called '%s' too, but is of the problem %s with %zu coordinates; give "
                       "another --study, or the method another name",
                       c->study->path, (unsigned long long)run->run, run->request.name, run->request.problem,
                       run->dim)
            : cli_fail("%s: run %llu is called '%s' too, but was asked for with other options, or with other "
                       "data; give another --study, or the method another name",
                       c->study->path, (unsigned long long)run->run, run->request.name);
    return ZILCH_OK;
}

static int check_method(const compare_study *c, const compare_setting *s, const compare_method *m,
                        const search_problem *problem)
{
    asked a;
    int failed = ask(&a, s, m, problem, s->seed);
    if (!failed) {
        check k = {c, &a.record.request, a.optimizer, 0};
        failed = zilch_study_runs(c->study, check_run, &k) == ZILCH_OK ? k.failed : cli_fail_library();
    }
    asked_free(&a);
    for (uint64_t seed = s->seed; seed - s->seed < s->seeds && !failed; seed++) {
        const kept *k = find(c, m->name, seed);
        if (k && ((s->generations && k->generations > s->generations) ||
                  (s->evaluations && k->evaluations > s->evaluations))) {
            failed = cli_fail("%s: run %llu, '%s' with seed %llu, has %llu generations and %llu evaluations "
                              "already: more than the budget of this comparison",
                              c->path, (unsigned long long)k->run, m->name, (unsigned long long)seed,
                              (unsigned long long)k->generations, (unsigned long long)k->evaluations);
        }
    }
    return failed;
}

/* ---- Runs that are not ------------------------------------------------------------------- */

static int library_failure(zilch_status status)
{
    return status == ZILCH_OK ? 0 : status == ZILCH_ENOMEM ? cli_fail("out of memory") : cli_fail_library();
}

static int begin(compare_study *c, const compare_setting *s, const compare_method *m,
                 const search_problem *problem, uint64_t seed)
{
    asked a;
    int failed = ask(&a, s, m, problem, seed);
    if (!failed) {
        zilch_run begun = {.seed = seed, .request = a.record.request};
        const zilch_status status = zilch_study_start(c->study, &a.record.request, a.optimizer, &begun.run);
        failed = library_failure(status == ZILCH_OK ? keep(c, &begun) : status);
    }
    asked_free(&a);
    return failed;
}

/* Those of a seed that are not there. The problem is the same for all methods. */
static int begin_seed(compare_study *c, const compare_setting *s, uint64_t seed)
{
    search_request r = s->method[0].request;
    search_problem problem = {.problem = NULL};
    int failed = 0;
    r.seed = seed;
    for (size_t k = 0; k < s->methods && !failed; k++) {
        if (!find(c, s->method[k].name, seed)) {
            failed = (!problem.text && search_problem_open(&problem, &r)) ||
                     begin(c, s, &s->method[k], &problem, seed);
        }
    }
    search_problem_close(&problem);
    return failed;
}

int compare_study_open(compare_study **out, const char *path, const compare_setting *setting)
{
    compare_study *c = calloc(1, sizeof *c);
    *out = c;
    if (!c) {
        return cli_fail("out of memory");
    }
    c->path = path;
    pthread_mutex_init(&c->lock, NULL);
    zilch_status status = zilch_study_open(&c->study, path, ZILCH_STUDY_CREATE);
    if (status == ZILCH_OK) {
        status = zilch_study_runs(c->study, keep, c);
    }
    search_problem problem = {.problem = NULL};
    int failed = library_failure(status) || search_problem_open(&problem, &setting->method[0].request);
    for (size_t k = 0; k < setting->methods && !failed; k++) {
        failed = check_method(c, setting, &setting->method[k], &problem);
    }
    search_problem_close(&problem);
    /* Seeds go by before methods do, as in the comparison, and whatever the threads do then. */
    for (uint64_t i = 0; i < setting->seeds && !failed; i++) {
        failed = begin_seed(c, setting, setting->seed + i);
    }
    return failed;
}

void compare_study_close(compare_study *study)
{
    if (!study) {
        return;
    }
    for (size_t i = 0; i < study->count; i++) {
        free(study->runs[i].name);
    }
    free(study->runs);
    zilch_study_close(study->study);
    pthread_mutex_destroy(&study->lock);
    free(study);
}

const char *compare_study_path(const compare_study *study)
{
    return study->path;
}

/* ---- A run under way ------------------------------------------------------------------- */

uint64_t compare_study_run(const compare_study *study, const char *method, uint64_t seed)
{
    const kept *k = find(study, method, seed);
    assert(k); /* all of them have begun */
    return k->run;
}

zilch_study *compare_study_lock(compare_study *study)
{
    pthread_mutex_lock(&study->lock);
    return study->study;
}

void compare_study_unlock(compare_study *study)
{
    pthread_mutex_unlock(&study->lock);
}
