/* The runs of a comparison, one a thread. A run is what 'zilch optimize' with its seed would be, its values
 * looked at as they come; it has its own problem, its own optimiser and its own place in the results, and
 * gives up its memory when it ends. Seeds go by before methods do: whatever ends a comparison early, the
 * methods have as many runs behind them. */
#include "compare.h"

#include "cli.h"
#include "progress.h"
#include "search.h"

#include <assert.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Noise that is held out: searches have ids below 2^63, recommendations fewer than 2^62 from there on. */
static const uint64_t held_out_id = UINT64_C(3) << 62;

typedef struct contest {
    const compare_setting *setting;
    compare_run *run;
    progress line;
    atomic_size_t done; /* generations, or evaluations if the runs are limited by these */
} contest;

/* A run under way. */
typedef struct racer {
    contest *contest;
    const compare_method *method;
    compare_run *run;
    search_request request;
    search_problem problem;
    zilch_optimizer *optimizer;
    double *x;
    uint64_t evaluations;
    size_t next;    /* checkpoint */
    size_t counted; /* what it has added to the contest's done */
    double paused;  /* seconds for checkpoints, which are no part of the search */
} racer;

/* ---- The clock -------------------------------------------------------------------- */

/* Of this thread: on a busy machine a method shall not seem slower than it is. */
static double processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- The live line ---------------------------------------------------------------- */

/* What a run has to do at most, in the unit of the line. */
static size_t quota(const compare_setting *s)
{
    return (size_t)(s->evaluations ? s->evaluations : s->generations);
}

static void show(racer *r, size_t done)
{
    contest *c = r->contest;
    const size_t most = quota(c->setting);
    const size_t now = done < most ? done : most;
    char note[192];
    snprintf(note, sizeof note, "%.120s, seed %llu", r->method->name, (unsigned long long)r->request.seed);
    progress_note(&c->line, note);
    progress_update(&c->line, atomic_fetch_add(&c->done, now - r->counted) + now - r->counted);
    r->counted = now;
}

/* ---- What a point is worth -------------------------------------------------------- */

static void show_no_episodes(void *context, size_t done)
{
    (void)context;
    (void)done;
}

/* Mean and standard error of values on noise that neither the search nor the recommendation has met. */
static zilch_status measure_noise(const racer *r, compare_score *out)
{
    enum { EACH = 64 };
    const size_t dim = r->problem.info.dim;
    const uint64_t count = r->contest->setting->held_out;
    uint64_t id[EACH];
    double value[EACH];
    double sum = 0.0;
    double squares = 0.0; /* of deviations (Welford) */
    double *x = malloc(EACH * dim * sizeof *x);
    zilch_status status = x ? ZILCH_OK : ZILCH_ENOMEM;
    for (size_t i = 0; i < EACH && x; i++) {
        memcpy(x + i * dim, r->x, dim * sizeof *x);
    }
    for (uint64_t begin = 0; begin < count && status == ZILCH_OK; begin += EACH) {
        const size_t n = count - begin < EACH ? (size_t)(count - begin) : EACH;
        const zilch_batch batch = {.n = n, .dim = dim, .generation = UINT64_MAX, .id = id, .x = x};
        for (size_t i = 0; i < n; i++) {
            id[i] = held_out_id + begin + i;
        }
        status =
            cli_is_stopped() ? ZILCH_ESTOPPED : zilch_problem_objective(r->problem.problem, &batch, value);
        for (size_t i = 0; i < n && status == ZILCH_OK; i++) {
            const double k = (double)(begin + i);
            const double delta = k > 0.0 ? value[i] - sum / k : 0.0;
            sum += value[i];
            squares += delta * (value[i] - sum / (k + 1.0));
        }
    }
    free(x);
    const double n = (double)count;
    out->value = sum / n;
    out->error = n > 1.0 ? sqrt(squares / (n - 1.0) / n) : NAN;
    return status;
}

static zilch_status measure_held_out(const racer *r, compare_score *out)
{
    if (!r->problem.is_lander) {
        return measure_noise(r, out);
    }
    const search_flight flight = {
        .episodes = r->contest->setting->held_out, .threads = 1, .progress = show_no_episodes};
    zilch_conclusion c = {.held_out_mean = NAN, .held_out_error = NAN};
    const zilch_status status = search_fly(&r->problem, &flight, r->x, &c);
    out->value = c.held_out_mean;
    out->error = c.held_out_error;
    return status;
}

static zilch_status objective_unless_stopped(void *problem, const zilch_batch *batch, double *value)
{
    return cli_is_stopped() ? ZILCH_ESTOPPED : zilch_problem_objective(problem, batch, value);
}

/* The point that the search recommends now. Its values are no part of the search, which they do not change.
 */
static zilch_status score(const racer *r, compare_score *out)
{
    const compare_setting *s = r->contest->setting;
    const zilch_recommend_options o = search_recommend_options(&r->request, &r->problem.info);
    zilch_recommendation found;
    zilch_status status =
        zilch_recommend(r->optimizer, objective_unless_stopped, r->problem.problem, &o, r->x, &found);
    if (status != ZILCH_OK) {
        return status;
    }
    out->active = found.active;
    out->value = found.mean;
    out->error = 0.0;
    if (s->info.is_noisy) {
        status = measure_held_out(r, out);
    }
    const double cost = s->price * (double)out->active;
    out->fitness = out->value + (s->info.direction == ZILCH_MAXIMIZE ? -cost : cost);
    if (zilch_problem_support(r->problem.problem, r->x, &out->support) != ZILCH_OK) {
        out->support = NAN;
    }
    const zilch_progress p = zilch_optimizer_progress(r->optimizer);
    out->generations = p.generations;
    out->evaluations = r->evaluations;
    return status;
}

/* ---- The search ------------------------------------------------------------------- */

static void look_at(racer *r, double value)
{
    const compare_setting *s = r->contest->setting;
    const double sign = s->info.direction == ZILCH_MAXIMIZE ? -1.0 : 1.0;
    r->evaluations++;
    if (isfinite(value) && !(sign * r->run->seen <= sign * value)) { /* none seen yet is NaN */
        r->run->seen = value;
        for (size_t t = 0; t < s->targets; t++) {
            const int is_reached = sign * value <= sign * s->target[t];
            r->run->reached[t] = is_reached && !r->run->reached[t] ? r->evaluations : r->run->reached[t];
        }
    }
}

static zilch_status evaluate(void *context, const zilch_batch *batch, double *value)
{
    racer *r = context;
    const zilch_status status = objective_unless_stopped(r->problem.problem, batch, value);
    for (size_t i = 0; i < batch->n && status == ZILCH_OK; i++) {
        look_at(r, value[i]);
    }
    return status;
}

static zilch_status observe(void *context, const zilch_optimizer *optimizer)
{
    racer *r = context;
    const compare_setting *s = r->contest->setting;
    const uint64_t generation = zilch_optimizer_progress(optimizer).generations;
    zilch_status status = cli_is_stopped() ? ZILCH_ESTOPPED : ZILCH_OK;
    show(r, (size_t)(s->evaluations ? r->evaluations : generation));
    if (status == ZILCH_OK && r->next < s->checkpoints && generation == s->checkpoint[r->next]) {
        const double begin = processor_seconds();
        status = score(r, &r->run->checkpoint[r->next++]);
        r->paused += processor_seconds() - begin;
    }
    return status;
}

static zilch_status race(racer *r)
{
    const zilch_limits limits = search_limits_of(&r->request);
    const double begin = processor_seconds();
    zilch_status status = zilch_optimize(r->optimizer, evaluate, r, &limits, observe, r, NULL);
    r->run->seconds = processor_seconds() - begin - r->paused;
    if (status == ZILCH_OK) {
        status = cli_is_stopped() ? ZILCH_ESTOPPED : score(r, &r->run->end);
    }
    return status;
}

/* 0, or 1 after printing why. */
static int prepare(racer *r)
{
    if (search_problem_open(&r->problem, &r->request) ||
        search_optimizer_create(&r->request, &r->problem.info, &r->optimizer)) {
        return 1;
    }
    assert(r->problem.info.dim > 0);
    r->x = malloc(r->problem.info.dim * sizeof *r->x);
    return r->x ? 0 : cli_fail("out of memory");
}

static void clear_up(racer *r)
{
    free(r->x);
    zilch_optimizer_destroy(r->optimizer);
    search_problem_close(&r->problem);
}

static zilch_status run(void *context, size_t index)
{
    contest *c = context;
    const compare_setting *s = c->setting;
    const size_t method = index % s->methods;
    const size_t seed = index / s->methods;
    racer r = {.contest = c,
               .method = &s->method[method],
               .run = &c->run[method * s->seeds + seed],
               .request = s->method[method].request};
    zilch_status status = cli_is_stopped() ? ZILCH_ESTOPPED : ZILCH_OK;
    r.request.seed = s->seed + seed;
    r.run->seen = NAN;
    if (status == ZILCH_OK) {
        show(&r, 0);
        r.run->has_failed = prepare(&r);
        status = r.run->has_failed ? ZILCH_ESTATE : race(&r);
    }
    if (status == ZILCH_OK) {
        r.run->is_finished = 1;
    } else if (!r.run->has_failed && !cli_is_stopped()) {
        r.run->has_failed = 1;
        snprintf(r.run->why, sizeof r.run->why, "%s",
                 status == ZILCH_ENOMEM ? "out of memory" : cli_error_text());
    }
    show(&r, quota(s)); /* a run that has ended early has no more to do */
    clear_up(&r);
    return status;
}

zilch_status compare_run_all(const compare_setting *setting, compare_run *runs)
{
    contest c = {.setting = setting, .run = runs};
    const size_t count = setting->methods * (size_t)setting->seeds;
    progress_begin(&c.line, "compare", setting->evaluations ? "evaluations" : "generations",
                   count * quota(setting));
    cli_set_stop_notice("giving up the runs under way; press Ctrl-C again to stop now");
    const zilch_status status = zilch_parallel((unsigned)setting->threads, count, run, &c);
    cli_set_stop_notice(NULL);
    progress_end(&c.line);
    return status;
}
