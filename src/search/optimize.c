/* Drives an objective to a limit: ask, evaluate, tell, look at the limits. */
#include "search/front.h"

#include "base/memory.h"
#include "base/option.h"
#include "search/repeats.h"

#include <math.h>

ZI_OPTION_TABLE(zilch_limits, ZILCH_LIMIT_LIST, zilch_limit_list)

zilch_limits zilch_limits_defaults(void)
{
    return ZI_OPTION_DEFAULTS(ZILCH_LIMIT_LIST);
}

static zilch_status check_limits(const zilch_limits *limits)
{
    if (limits->size != sizeof *limits) {
        return zi_fail(ZILCH_EARG, "limits: begin from zilch_limits_defaults()");
    }
    ZI_TRY(zi_options_check("limits", ROWS, rows, limits));
    if (limits->final && limits->evaluations && limits->final->final_evaluations >= limits->evaluations) {
        return zi_fail(
            ZILCH_EARG,
            "limits: evaluations must be more than the %llu final_evaluations, which are a part of "
            "them, not %llu",
            (unsigned long long)limits->final->final_evaluations, (unsigned long long)limits->evaluations);
    }
    if (limits->final && limits->final->final_front && !limits->evaluations) {
        return zi_fail(ZILCH_EARG, "limits: final_front needs evaluations, of which it takes a part");
    }
    return ZILCH_OK;
}

/* All but those of the final check: what the search and the front have together. */
static uint64_t left_of(const zilch_limits *limits, const zilch_optimizer *o)
{
    const uint64_t made = zi_optimizer_budgeted(o);
    if (!limits->evaluations) {
        return UINT64_MAX;
    }
    if (made >= limits->evaluations) {
        return 0;
    }
    const uint64_t left = limits->evaluations - made;
    if (!limits->final) {
        return left;
    }
    zilch_final_options final = *limits->final;
    final.budget = limits->evaluations;
    return left - zilch_final_budget(&final, o);
}

/* What the front lacks, and a fifth of the budget at most, as for the final check. Without memory to find it,
 * the search has that too. */
static uint64_t front_share(const zilch_limits *limits, const zilch_optimizer *o)
{
    enum { PART = 5 };
    uint64_t lack;
    if (!limits->final || !limits->evaluations ||
        zi_front_lack(o, limits->final->final_front, &lack) != ZILCH_OK) {
        return 0;
    }
    return lack < limits->evaluations / PART ? lack : limits->evaluations / PART;
}

uint64_t zilch_limits_left(const zilch_limits *limits, const zilch_optimizer *o)
{
    const uint64_t left = left_of(limits, o);
    const uint64_t front = front_share(limits, o);
    return left > front ? left - front : 0;
}

/* A search that nothing else ends has converged when half of its evaluations, and enough to try every
 * coordinate several times, have found nothing better. The methods that are there to compare with have as
 * many generations as in the publication. */
static zilch_stop end_by_itself(const zilch_optimizer *o, const zilch_limits *limits)
{
    enum { PUBLISHED_GENERATIONS = 100 };
    const uint64_t since = o->evaluations - o->turns.improved;
    if (limits->evaluations || limits->generations || limits->stagnation) {
        return ZILCH_STOP_NONE;
    }
    if (o->options.method != ZILCH_METHOD_DEFAULT) {
        return o->generations >= PUBLISHED_GENERATIONS ? ZILCH_STOP_GENERATIONS : ZILCH_STOP_NONE;
    }
    return since >= 1000 + 20 * (uint64_t)o->dim && since >= o->evaluations / 2 ? ZILCH_STOP_CONVERGED
                                                                                : ZILCH_STOP_NONE;
}

static zilch_stop reached(const zilch_optimizer *o, const zilch_limits *limits)
{
    const zilch_progress p = zilch_optimizer_progress(o);
    const double sign = o->archive.sign;
    if (p.best_violation == 0.0 &&
        sign * p.best_value <= sign * limits->target) { /* false where either is NaN */
        return ZILCH_STOP_TARGET;
    }
    if (limits->generations && p.generations >= limits->generations) {
        return ZILCH_STOP_GENERATIONS;
    }
    if (zilch_limits_left(limits, o) == 0) {
        return ZILCH_STOP_EVALUATIONS;
    }
    if (o->turns.refine && !(zi_noise_deviation(&o->noise) > 0.0) && zi_points_are_exhausted(o)) {
        return ZILCH_STOP_EXHAUSTED;
    }
    if (limits->stagnation && p.generations - p.improved >= limits->stagnation) {
        return ZILCH_STOP_STAGNATION;
    }
    return end_by_itself(o, limits);
}

zilch_status zilch_limits_reached(const zilch_limits *limits, const zilch_optimizer *optimizer,
                                  zilch_stop *reason)
{
    if (!limits || !optimizer || !reason) {
        return zi_fail(ZILCH_EARG, "limits: limits, optimizer and a place for the reason must be given");
    }
    ZI_TRY(check_limits(limits));
    *reason = reached(optimizer, limits);
    return ZILCH_OK;
}

typedef struct run {
    zilch_optimizer *optimizer;
    zilch_objective objective;
    void *context;
    size_t capacity;
    uint64_t *id;
    double *x, *value, *error, *violation;
} run;

static void free_room(run *r)
{
    zi_free(r->id);
    zi_free(r->x);
    zi_free(r->value);
    zi_free(r->error);
    zi_free(r->violation);
    r->id = NULL;
    r->x = r->value = r->error = r->violation = NULL;
    r->capacity = 0;
}

static zilch_status make_room(run *r, size_t n)
{
    if (n <= r->capacity) {
        return ZILCH_OK;
    }
    free_room(r);
    ZI_TRY(zi_alloc(&r->id, n));
    ZI_TRY(zi_alloc(&r->x, n * r->optimizer->dim));
    ZI_TRY(zi_alloc(&r->value, n));
    ZI_TRY(zi_alloc(&r->error, n));
    ZI_TRY(zi_alloc(&r->violation, n));
    r->capacity = n;
    return ZILCH_OK;
}

/* Takes the values and closes, where a limit has cut it short too; without memory for that, or with errors
 * that are none, it is as if they had not come. */
static zilch_status take(run *r, size_t n)
{
    zilch_optimizer *o = r->optimizer;
    const uint64_t evaluations = o->evaluations;
    const uint64_t failures = o->failures;
    zilch_status status = zilch_optimizer_tell_violation(o, n, r->id, r->value, r->error, r->violation);
    status = status == ZILCH_OK ? zilch_optimizer_advance(o) : status;
    if (status == ZILCH_ENOMEM || status == ZILCH_EARG) {
        zi_optimizer_reopen(o);
        o->evaluations = evaluations;
        o->failures = failures;
    }
    return status;
}

/* A generation whose evaluation failed as a whole is asked again. */
static zilch_status evaluate(run *r, size_t n)
{
    zilch_optimizer *o = r->optimizer;
    const zilch_batch batch = {.n = n,
                               .dim = o->dim,
                               .generation = o->generations,
                               .id = r->id,
                               .x = r->x,
                               .error = r->error,
                               .violation = r->violation};
    ZI_TRY(zilch_optimizer_ask(o, n, r->id, r->x));
    for (size_t i = 0; i < n; i++) {
        r->error[i] = NAN;
        r->violation[i] = 0.0;
    }
    zi_error_clear();
    const zilch_status status = r->objective(r->context, &batch, r->value);
    if (status != ZILCH_OK) {
        zi_optimizer_reopen(o);
        return *zilch_last_error()
                   ? status
                   : zi_fail(status, "generation %llu: %s", (unsigned long long)o->generations + 1,
                             zilch_status_text(status));
    }
    return take(r, n);
}

/* What is left of the population, or of what must come back, but not more evaluations than are allowed. *stop
 * says whether the search has come to where no law can follow. */
static zilch_status advance(run *r, const zilch_limits *limits, zilch_stop *stop)
{
    zilch_optimizer *o = r->optimizer;
    if (o->slots == 0) {
        ZI_TRY(zi_optimizer_settle(o));
        zilch_status status = zi_generation_open(o, stop);
        if (*stop != ZILCH_STOP_NONE && o->turns.refine) { /* which is not all that there is */
            status = zi_generation_restart(o);
            *stop = ZILCH_STOP_NONE;
        }
        if (*stop != ZILCH_STOP_NONE) {
            return ZILCH_OK;
        }
        ZI_TRY(status);
    }
    size_t n = o->handed < o->population ? o->population - o->handed : o->handed - o->told;
    const uint64_t left = zilch_limits_left(limits, o);
    n = n > left ? (size_t)left : n;
    ZI_TRY(make_room(r, n));
    return evaluate(r, n);
}

zilch_status zilch_optimizer_open_front(zilch_optimizer *o, const zilch_limits *limits, size_t *n)
{
    uint64_t lack;
    if (!o || !limits || !n) {
        return zi_fail(ZILCH_EARG, "front: optimizer, limits and a place for the number must be given");
    }
    *n = 0;
    ZI_TRY(check_limits(limits));
    const uint64_t each = limits->final ? limits->final->final_front : 0;
    const uint64_t left = left_of(limits, o);
    ZI_TRY(zi_front_lack(o, each, &lack));
    if (lack && left && o->slots == 0) {
        ZI_TRY(zi_optimizer_settle(o));
        ZI_TRY(zi_front_open(o, each, left));
    }
    *n = zi_front_is_open(o) ? o->population - o->handed : 0;
    return ZILCH_OK;
}

/* One generation of it, after a limit is reached; 0 in *n if there is none to make. If all of it fails, there
 * is no more of it. */
static zilch_status check_front(run *r, const zilch_limits *limits, size_t *n)
{
    zilch_optimizer *o = r->optimizer;
    ZI_TRY(zilch_optimizer_open_front(o, limits, n));
    if (*n == 0) {
        return ZILCH_OK;
    }
    ZI_TRY(make_room(r, *n));
    const zilch_status status = evaluate(r, *n);
    if (status == ZILCH_EOBJECTIVE && o->handed == 0) {
        zi_generation_forget(o);
        *n = 0;
        return ZILCH_OK;
    }
    return status;
}

/* A generation of the search, or, once it has come to its end, of the front. *stop: there is none to make. */
static zilch_status step(run *r, const zilch_limits *limits, zilch_stop *stop)
{
    size_t n;
    *stop = reached(r->optimizer, limits);
    if (*stop == ZILCH_STOP_NONE) {
        return advance(r, limits, stop);
    }
    const zilch_status status = check_front(r, limits, &n);
    *stop = n || status != ZILCH_OK ? ZILCH_STOP_NONE : *stop;
    return status;
}

zilch_status zilch_optimizer_run(zilch_optimizer *o, zilch_objective objective, void *context,
                                 const zilch_limits *limits, zilch_observer observer, void *observer_context,
                                 zilch_stop *reason)
{
    const zilch_limits chosen = limits ? *limits : zilch_limits_defaults();
    run r = {.optimizer = o, .objective = objective, .context = context};
    zilch_stop stop = ZILCH_STOP_NONE;
    if (reason) {
        *reason = stop;
    }
    if (!o || !objective) {
        return zi_fail(ZILCH_EARG, "optimize: optimizer and objective must be given");
    }
    ZI_TRY(check_limits(&chosen));
    if (o->generations == 0 && o->slots == 0 && o->options.expected_evaluations == 0) {
        o->options.expected_evaluations = chosen.evaluations;
    }
    zilch_status status = zi_optimizer_settle(o); /* a foreign point may be good enough */
    while (status == ZILCH_OK) {
        status = step(&r, &chosen, &stop);
        if (stop != ZILCH_STOP_NONE) {
            break;
        }
        /* A last generation of few points, all of which failed, takes nothing from what was found before. */
        if (status == ZILCH_EOBJECTIVE && !isnan(zilch_optimizer_progress(o).best_value) &&
            reached(o, &chosen) == ZILCH_STOP_EVALUATIONS) {
            stop = ZILCH_STOP_EVALUATIONS;
            break;
        }
        if (status == ZILCH_OK && observer) {
            status = observer(observer_context, o);
            if (status == ZILCH_ESTOPPED) {
                stop = ZILCH_STOP_OBSERVER;
                break;
            }
        }
    }
    free_room(&r);
    if (reason) {
        *reason = stop;
    }
    return stop == ZILCH_STOP_NONE ? status : ZILCH_OK;
}
