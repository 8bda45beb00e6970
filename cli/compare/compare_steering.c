/* One thread looks ten times a second whether somebody has written to the study, and then what waits for each
 * run. A stop comes to the comparison as a signal does: nothing else has to end it in good order. */
#include "compare/compare_steering.h"

#include "terminal/cli.h"
#include "terminal/waiting.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

static const double pause_between = 0.1; /* seconds between two looks */

/* ---- What waits for a run -------------------------------------------------------------------------- */

enum { TAKEN_MOST = 64 }; /* at once; the rest waits for the next look */

typedef struct taking {
    uint64_t number[TAKEN_MOST];
    zilch_action action[TAKEN_MOST];
    size_t count;
} taking;

/* A limit and a penalty are the same for all runs, so nobody can have asked for them; if they are there all
 * the same, nobody heeds them. */
static zilch_status take(void *context, const zilch_command *command)
{
    taking *t = context;
    const zilch_action action = command->action;
    const int is_other = action == ZILCH_ACTION_EVALUATIONS || action == ZILCH_ACTION_GENERATIONS ||
                         action == ZILCH_ACTION_PENALTY;
    if (t->count < TAKEN_MOST && !is_other) {
        t->number[t->count] = command->command;
        t->action[t->count++] = action;
    }
    return ZILCH_OK;
}

static zilch_status read_waiting(compare_study *study, uint64_t run, taking *out)
{
    out->count = 0;
    const zilch_status status = zilch_study_commands(compare_study_lock(study), run, 1, take, out);
    compare_study_unlock(study);
    return status;
}

static zilch_status heed_all(compare_study *study, const taking *t, uint64_t generation)
{
    zilch_status status = ZILCH_OK;
    for (size_t i = 0; i < t->count && status == ZILCH_OK; i++) {
        status = zilch_study_heed(compare_study_lock(study), t->number[i], generation);
        compare_study_unlock(study);
    }
    return status;
}

static int has(const taking *t, zilch_action action)
{
    for (size_t i = 0; i < t->count; i++) {
        if (t->action[i] == action) {
            return 1;
        }
    }
    return 0;
}

/* ---- Listening ----------------------------------------------------------------------------------- */

/* The signal that what was asked of a run comes to; 0: none. */
static int hear(compare_steering *s, size_t place)
{
    taking t;
    if (read_waiting(s->study, s->run[place], &t) != ZILCH_OK || !t.count) {
        return 0;
    }
    const int signal = has(&t, ZILCH_ACTION_STOP_NOW) ? SIGTERM : has(&t, ZILCH_ACTION_STOP) ? SIGINT : 0;
    pthread_mutex_lock(&s->lock);
    const uint64_t generation = s->generations[place];
    s->has_news[place] = 1;
    pthread_cond_broadcast(&s->change);
    pthread_mutex_unlock(&s->lock);
    if (signal) {
        (void)heed_all(s->study, &t, generation);
    }
    return signal;
}

/* A study that cannot be read just now is asked again: the runs themselves will say what is wrong with it. */
static int look(compare_steering *s, uint64_t *seen)
{
    uint64_t changes;
    int signal = 0;
    const zilch_status status = zilch_study_changes(compare_study_lock(s->study), &changes);
    compare_study_unlock(s->study);
    if (status != ZILCH_OK || changes == *seen) {
        return 0;
    }
    *seen = changes;
    for (size_t i = 0; i < s->runs && !signal; i++) {
        signal = hear(s, i);
    }
    return signal;
}

static void *listen(void *context)
{
    compare_steering *s = context;
    uint64_t seen = UINT64_MAX;
    int signal = 0;
    pthread_mutex_lock(&s->lock);
    while (!s->is_ending && !signal) {
        pthread_mutex_unlock(&s->lock);
        signal = look(s, &seen);
        if (signal) { /* once: a second one would end the process at once */
            kill(getpid(), signal);
        }
        pthread_mutex_lock(&s->lock);
        if (!s->is_ending) {
            cli_wait(&s->change, &s->lock, pause_between);
        }
    }
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

/* ---- Heeding ------------------------------------------------------------------------------------- */

static int take_news(compare_steering *s, size_t place, uint64_t generation, int is_waiting)
{
    pthread_mutex_lock(&s->lock);
    s->generations[place] = generation;
    if (is_waiting && !s->has_news[place]) {
        cli_wait(&s->change, &s->lock, pause_between);
    }
    const int is_there = s->has_news[place];
    s->has_news[place] = 0;
    pthread_mutex_unlock(&s->lock);
    return is_there;
}

zilch_status compare_steering_heed(compare_steering *s, size_t place, uint64_t generation,
                                   int *is_recommending)
{
    int is_paused = 0;
    zilch_status status = ZILCH_OK;
    *is_recommending = 0;
    do {
        taking t = {.count = 0};
        if (!s->is_begun || !take_news(s, place, generation, is_paused)) {
            continue;
        }
        status = read_waiting(s->study, s->run[place], &t);
        for (size_t i = 0; i < t.count; i++) {
            is_paused = t.action[i] == ZILCH_ACTION_PAUSE || (is_paused && t.action[i] != ZILCH_ACTION_GO_ON);
            *is_recommending |= t.action[i] == ZILCH_ACTION_RECOMMEND;
        }
        status = status == ZILCH_OK ? heed_all(s->study, &t, generation) : status;
    } while (is_paused && status == ZILCH_OK && !*is_recommending && !cli_is_stopped());
    return status;
}

/* ---- Beginning and ending ------------------------------------------------------------------------ */

static zilch_status number_runs(compare_steering *s, const compare_setting *setting)
{
    zilch_status status = ZILCH_OK;
    for (size_t i = 0; i < s->runs && status == ZILCH_OK; i++) {
        taking t;
        const compare_method *method = &setting->method[i / (size_t)setting->seeds];
        s->run[i] = compare_study_run(s->study, method->name, setting->seed + i % (size_t)setting->seeds);
        status = read_waiting(s->study, s->run[i], &t);
        status = status == ZILCH_OK ? heed_all(s->study, &t, 0) : status;
    }
    return status;
}

zilch_status compare_steering_begin(compare_steering *s, const compare_setting *setting)
{
    *s = (compare_steering){.study = setting->study,
                            .runs = setting->methods * (size_t)setting->seeds,
                            .lock = PTHREAD_MUTEX_INITIALIZER,
                            .change = PTHREAD_COND_INITIALIZER};
    if (!s->study) {
        return ZILCH_OK;
    }
    s->run = calloc(s->runs, sizeof *s->run);
    s->generations = calloc(s->runs, sizeof *s->generations);
    s->has_news = calloc(s->runs, sizeof *s->has_news);
    const int is_there = s->run && s->generations && s->has_news;
    const zilch_status status = is_there ? number_runs(s, setting) : ZILCH_ENOMEM;
    s->is_begun = status == ZILCH_OK && pthread_create(&s->thread, NULL, listen, s) == 0;
    return status;
}

void compare_steering_end(compare_steering *s)
{
    if (s->is_begun) {
        pthread_mutex_lock(&s->lock);
        s->is_ending = 1;
        pthread_cond_broadcast(&s->change);
        pthread_mutex_unlock(&s->lock);
        pthread_join(s->thread, NULL);
    }
    free(s->run);
    free(s->generations);
    free(s->has_news);
}
