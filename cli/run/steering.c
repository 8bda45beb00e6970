/* A thread looks ten times a second whether somebody has written to the study, which costs the search nothing
 * that could be measured; only then it looks for commands. */
#include "run/steering.h"

#include "terminal/cli.h"
#include "terminal/waiting.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const double pause_between = 0.1; /* seconds between two looks */

/* ---- Listening ----------------------------------------------------------------------------------- */

typedef struct hearing {
    int count, is_now;
} hearing;

static zilch_status hear(void *context, const zilch_command *command)
{
    hearing *h = context;
    h->count++;
    h->is_now |= command->action == ZILCH_ACTION_STOP_NOW;
    return ZILCH_OK;
}

/* A study that cannot be read just now is asked again: the search itself will say what is wrong with it. */
static void *listen(void *context)
{
    steering *s = context;
    uint64_t seen = UINT64_MAX;
    pthread_mutex_lock(&s->lock);
    while (!s->is_ending) {
        uint64_t changes;
        hearing heard = {0};
        pthread_mutex_unlock(&s->lock);
        const int is_new = zilch_study_changes(s->study, &changes) == ZILCH_OK && changes != seen;
        const int is_read = is_new && zilch_study_commands(s->study, s->run, 1, hear, &heard) == ZILCH_OK;
        seen = is_read ? changes : seen;
        if (heard.is_now) {
            kill(getpid(), SIGTERM);
        }
        pthread_mutex_lock(&s->lock);
        s->has_news |= heard.count > 0;
        if (heard.is_now) {
            break;
        }
        if (!s->is_ending) {
            cli_wait(&s->change, &s->lock, pause_between);
        }
    }
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

/* ---- Heeding ------------------------------------------------------------------------------------- */

typedef struct taking {
    zilch_command *list;
    size_t count, capacity;
} taking;

static zilch_status take(void *context, const zilch_command *command)
{
    taking *t = context;
    if (t->count == t->capacity) {
        const size_t capacity = t->capacity ? 2 * t->capacity : 8;
        zilch_command *grown = realloc(t->list, capacity * sizeof *grown);
        if (!grown) {
            return ZILCH_ENOMEM;
        }
        t->list = grown;
        t->capacity = capacity;
    }
    t->list[t->count] = *command;
    t->list[t->count++].asked = NULL;
    return ZILCH_OK;
}

/* A limit that the run cannot have is none. */
static zilch_status set_limit(steering *s, const zilch_optimizer *optimizer, const zilch_command *c,
                              zilch_limits *limits, steering_wish *out)
{
    zilch_limits asked = *limits;
    zilch_stop reason;
    uint64_t *field = c->action == ZILCH_ACTION_EVALUATIONS ? &asked.evaluations : &asked.generations;
    *field = (uint64_t)c->value;
    if (zilch_limits_reached(&asked, optimizer, &reason) != ZILCH_OK) {
        cli_say("%s: not taken: %s", zilch_action_name(c->action), cli_error_text());
        return ZILCH_OK;
    }
    *limits = asked;
    out->is_limited = 1;
    return zilch_study_set_limits(s->study, s->run, limits);
}

/* The run goes on with it, and would from here on after an interruption. */
static zilch_status set_penalty(steering *s, zilch_optimizer *optimizer, double penalty)
{
    const zilch_status status = zilch_optimizer_set_penalty(optimizer, penalty);
    return status == ZILCH_OK ? zilch_study_set_penalty(s->study, s->run, optimizer) : status;
}

/* *is_paused changes by what is asked; `is_old`: it was asked of nobody. */
static zilch_status heed_all(steering *s, zilch_optimizer *optimizer, zilch_limits *limits, int is_old,
                             int *is_paused, steering_wish *out)
{
    taking t = {0};
    const uint64_t generation = zilch_optimizer_progress(optimizer).generations;
    zilch_status status = zilch_study_commands(s->study, s->run, 1, take, &t);
    for (size_t i = 0; i < t.count && status == ZILCH_OK; i++) {
        const zilch_command *c = &t.list[i];
        const int is_limit = c->action == ZILCH_ACTION_EVALUATIONS || c->action == ZILCH_ACTION_GENERATIONS;
        if (is_limit) {
            status = set_limit(s, optimizer, c, limits, out);
        } else if (c->action == ZILCH_ACTION_PENALTY) {
            status = set_penalty(s, optimizer, c->value);
        } else if (!is_old) {
            out->is_stopping |= c->action == ZILCH_ACTION_STOP;
            out->is_recommending |= c->action == ZILCH_ACTION_RECOMMEND;
            *is_paused = c->action == ZILCH_ACTION_PAUSE || (*is_paused && c->action != ZILCH_ACTION_GO_ON);
        }
        status = status == ZILCH_OK ? zilch_study_heed(s->study, c->command, generation) : status;
    }
    free(t.list);
    return status;
}

static int has_news(steering *s, int is_waiting)
{
    pthread_mutex_lock(&s->lock);
    if (is_waiting && !s->has_news) {
        cli_wait(&s->change, &s->lock, pause_between);
    }
    const int is_there = s->has_news;
    s->has_news = 0;
    pthread_mutex_unlock(&s->lock);
    return is_there;
}

zilch_status steering_heed(steering *s, zilch_optimizer *optimizer, zilch_limits *limits, steering_wish *out)
{
    int is_paused = 0;
    zilch_status status = ZILCH_OK;
    *out = (steering_wish){0};
    if (!s->is_begun || !has_news(s, 0)) {
        return ZILCH_OK;
    }
    status = heed_all(s, optimizer, limits, 0, &is_paused, out);
    if (is_paused && status == ZILCH_OK) {
        cli_say("paused, as was asked; it goes on with 'zilch steer STUDY go-on', or Ctrl-C ends it");
    }
    while (is_paused && status == ZILCH_OK && !out->is_stopping && !out->is_recommending &&
           !cli_is_stopped()) {
        status = has_news(s, 1) ? heed_all(s, optimizer, limits, 0, &is_paused, out) : ZILCH_OK;
    }
    return status;
}

/* ---- Beginning and ending ------------------------------------------------------------------------ */

zilch_status steering_begin(steering *s, zilch_study *study, uint64_t run, zilch_optimizer *optimizer,
                            zilch_limits *limits)
{
    int is_paused = 0;
    steering_wish wish = {0};
    *s = (steering){
        .study = study, .run = run, .lock = PTHREAD_MUTEX_INITIALIZER, .change = PTHREAD_COND_INITIALIZER};
    const zilch_status status = heed_all(s, optimizer, limits, 1, &is_paused, &wish);
    if (status == ZILCH_OK) {
        s->is_begun = pthread_create(&s->thread, NULL, listen, s) == 0;
    }
    return status;
}

void steering_end(steering *s)
{
    if (s->is_begun) {
        pthread_mutex_lock(&s->lock);
        s->is_ending = 1;
        pthread_cond_broadcast(&s->change);
        pthread_mutex_unlock(&s->lock);
        pthread_join(s->thread, NULL);
        s->is_begun = 0;
    }
}
