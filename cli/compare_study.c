#include "compare_study.h"

#include "cli.h"
#include "search.h"
#include "search_texts.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* A run that is there. */
typedef struct kept {
    uint64_t run, seed, generations, evaluations;
    size_t dim;
    char *name, *arguments, *problem;
} kept;

struct compare_study {
    const char *path;
    zilch_study *study;
    pthread_mutex_t lock;
    kept *runs;
    size_t count, capacity;
};

/* ---- Words ---------------------------------------------------------------------------- */

/* The words of the method with the run's seed behind them. 0, or 1 after printing why. */
static int make_texts(search_texts *out, const compare_method *m, const search_request *r,
                      const search_problem *problem)
{
    char seed[32];
    char **words = calloc(m->all_count + 1, sizeof *words);
    if (!words) {
        return cli_fail("out of memory");
    }
    memcpy(words, m->all, m->all_count * sizeof *words);
    snprintf(seed, sizeof seed, "--seed=%llu", (unsigned long long)r->seed);
    words[m->all_count] = seed;
    const int status = search_texts_make(out, r, problem, (int)m->all_count + 1, words);
    free(words);
    out->run.name = m->name;
    return status;
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
                .dim = run->dim,
                .name = strdup(run->texts.name),
                .arguments = strdup(run->texts.arguments),
                .problem = strdup(run->texts.problem)};
    return k->name && k->arguments && k->problem ? ZILCH_OK : ZILCH_ENOMEM;
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

static int is_beyond(uint64_t done, uint64_t most)
{
    return most > 0 && done > most;
}

/* Whatever its seed: a name stands for one method. */
static int check_words(const compare_study *c, const compare_method *m, const char *arguments)
{
    for (size_t i = 0; i < c->count; i++) {
        const kept *k = &c->runs[i];
        if (strcmp(k->name, m->name) == 0 && !search_words_are_same(arguments, k->arguments)) {
            return cli_fail(
                "%s: run %llu is called '%s' too, but was asked for in other words, or with other "
                "data; give another --study, or the method another name",
                c->path, (unsigned long long)k->run, m->name);
        }
    }
    return 0;
}

/* Its words say what was asked for; what it began with may be something else, if the study was altered. */
static int check_problem(const compare_study *c, const compare_setting *s, const compare_method *m)
{
    for (size_t i = 0; i < c->count; i++) {
        const kept *k = &c->runs[i];
        if (strcmp(k->name, m->name) == 0 &&
            (k->dim != s->info.dim || !search_problem_is_same(k->problem, s->problem))) {
            return cli_fail(
                "%s: run %llu is called '%s' too, but is of the problem %s with %zu coordinates, not "
                "of %s with %zu; give another --study, or the method another name",
                c->path, (unsigned long long)k->run, m->name, k->problem, k->dim, s->problem, s->info.dim);
        }
    }
    return 0;
}

static int check_method(const compare_study *c, const compare_setting *s, const compare_method *m)
{
    search_problem problem = {.text = NULL};
    search_texts texts;
    snprintf(problem.checksum, sizeof problem.checksum, "%s", s->checksum);
    if (make_texts(&texts, m, &m->request, &problem)) {
        return CLI_FAILED;
    }
    const int failed = check_words(c, m, texts.arguments);
    search_texts_free(&texts);
    return failed;
}

static int check_budget(const compare_study *c, const compare_setting *s, const compare_method *m,
                        uint64_t seed)
{
    const kept *k = find(c, m->name, seed);
    if (k && (is_beyond(k->generations, s->generations) || is_beyond(k->evaluations, s->evaluations))) {
        return cli_fail("%s: run %llu, '%s' with seed %llu, has %llu generations and %llu evaluations "
                        "already: more than the budget of this comparison",
                        c->path, (unsigned long long)k->run, m->name, (unsigned long long)seed,
                        (unsigned long long)k->generations, (unsigned long long)k->evaluations);
    }
    return 0;
}

/* ---- Runs that are not ------------------------------------------------------------------- */

static zilch_status start(compare_study *c, const compare_method *m, const search_request *r,
                          const search_problem *problem, const zilch_optimizer *optimizer)
{
    search_texts texts;
    uint64_t run;
    if (make_texts(&texts, m, r, problem)) {
        return ZILCH_ENOMEM;
    }
    zilch_status status = zilch_study_start(c->study, &texts.run, optimizer, &run);
    if (status == ZILCH_OK) {
        const zilch_run begun = {.run = run, .seed = r->seed, .texts = texts.run};
        status = keep(c, &begun);
    }
    search_texts_free(&texts);
    return status;
}

static int begin(compare_study *c, const compare_method *m, const search_problem *problem, uint64_t seed)
{
    search_request r = m->request;
    zilch_optimizer *optimizer = NULL;
    r.seed = seed;
    int failed = search_optimizer_create(&r, &problem->info, &optimizer);
    if (!failed) {
        const zilch_status status = start(c, m, &r, problem, optimizer);
        failed = status == ZILCH_OK       ? 0
                 : status == ZILCH_ENOMEM ? cli_fail("out of memory")
                                          : cli_fail_library();
    }
    zilch_optimizer_destroy(optimizer);
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
            failed = (!problem.problem && search_problem_open(&problem, &r)) ||
                     begin(c, &s->method[k], &problem, seed);
        }
    }
    search_problem_close(&problem);
    return failed;
}

/* Seeds go by before methods do, as in the comparison, and whatever the threads do then. */
static int begin_all(compare_study *c, const compare_setting *s)
{
    for (uint64_t i = 0; i < s->seeds; i++) {
        if (begin_seed(c, s, s->seed + i)) {
            return CLI_FAILED;
        }
    }
    return 0;
}

static int check_all(const compare_study *c, const compare_setting *s)
{
    for (size_t k = 0; k < s->methods; k++) {
        if (check_method(c, s, &s->method[k]) || check_problem(c, s, &s->method[k])) {
            return CLI_FAILED;
        }
        for (uint64_t i = 0; i < s->seeds; i++) {
            if (check_budget(c, s, &s->method[k], s->seed + i)) {
                return CLI_FAILED;
            }
        }
    }
    return 0;
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
    if (status != ZILCH_OK) {
        return status == ZILCH_ENOMEM ? cli_fail("out of memory") : cli_fail_library();
    }
    return check_all(c, setting) || begin_all(c, setting);
}

void compare_study_close(compare_study *study)
{
    if (!study) {
        return;
    }
    for (size_t i = 0; i < study->count; i++) {
        free(study->runs[i].name);
        free(study->runs[i].arguments);
        free(study->runs[i].problem);
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

zilch_status compare_study_resume(compare_study *study, const char *method, uint64_t seed,
                                  zilch_optimizer **out, uint64_t *run)
{
    const kept *k = find(study, method, seed);
    assert(k); /* all of them have begun */
    pthread_mutex_lock(&study->lock);
    const zilch_status status = zilch_study_resume(study->study, k->run, out);
    pthread_mutex_unlock(&study->lock);
    *run = k->run;
    return status;
}

zilch_status compare_study_record(compare_study *study, uint64_t run, const zilch_optimizer *optimizer,
                                  const zilch_timings *timings)
{
    pthread_mutex_lock(&study->lock);
    const zilch_status status = zilch_study_record(study->study, run, optimizer, timings);
    pthread_mutex_unlock(&study->lock);
    return status;
}

zilch_status compare_study_conclude(compare_study *study, uint64_t run, const zilch_conclusion *conclusion,
                                    const double *x)
{
    pthread_mutex_lock(&study->lock);
    const zilch_status status = zilch_study_conclude(study->study, run, conclusion, x);
    pthread_mutex_unlock(&study->lock);
    return status;
}

zilch_status compare_study_read(compare_study *study, uint64_t run, const compare_readers *readers,
                                void *context)
{
    pthread_mutex_lock(&study->lock);
    zilch_status status = zilch_study_generations(study->study, run, readers->generation, context);
    if (status == ZILCH_OK) {
        status = zilch_study_evaluations(study->study, run, readers->evaluation, context);
    }
    if (status == ZILCH_OK) {
        status = zilch_study_conclusions(study->study, run, readers->conclusion, context);
    }
    pthread_mutex_unlock(&study->lock);
    return status;
}
