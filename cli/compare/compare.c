/* The runs of a comparison, one a thread. A run is what 'zilch optimize' with its seed would be, its values
 * looked at as they come; it has its own problem, its own optimiser and its own place in the results, and
 * gives up its memory when it ends. Seeds go by before methods do: whatever ends a comparison early, the
 * methods have as many runs behind them. With several ranks there is one run after the other, and all ranks
 * evaluate for it. */
#include "compare/compare.h"

#include "compare/compare_steering.h"
#include "compare/compare_study.h"
#include "request/search_program.h"
#include "run/arrivals.h"
#include "run/device.h"
#include "run/ranks.h"
#include "run/search.h"
#include "terminal/cli.h"
#include "terminal/progress.h"

#include <assert.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef struct contest {
    const compare_setting *setting;
    compare_run *run;
    size_t jobs;            /* programs of each run */
    zilch_journal *journal; /* of the run under way, if there is one at a time: with several ranks */
    progress line;
    compare_steering steering;
    atomic_size_t done; /* generations, or evaluations if the runs are limited by these */
} contest;

/* A run under way. */
typedef struct racer {
    contest *contest;
    const compare_method *method;
    compare_run *run;
    size_t place; /* among all runs */
    search_request request;
    search_problem problem;
    device *device; /* of its own, so that several runs are on the card at once */
    zilch_optimizer *optimizer;
    zilch_journal *journal; /* NULL: nothing is kept */
    arrivals_parts parts;
    uint64_t number; /* in the study */
    double *x;
    uint64_t evaluations;
    size_t counted;    /* what it has added to the contest's done */
    double marked;     /* when the last generation was over and done with */
    double evaluating; /* seconds in the objective since then */
} racer;

/* ---- The clock -------------------------------------------------------------------- */

/* Of this thread: on a busy machine a method shall not seem slower than it is. Of several ranks, this one
 * mostly waits for the others: the clock on the wall. */
static double processor_seconds(void)
{
    if (ranks_count() > 1) {
        return cli_seconds();
    }
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

static int watch(void *context, size_t done, size_t total)
{
    (void)context;
    (void)done;
    (void)total;
    return cli_is_stopped();
}

static zilch_status evaluate_unless_stopped(void *racer_given, const zilch_batch *batch, double *value)
{
    racer *r = racer_given;
    const unsigned threads = (unsigned)r->contest->setting->threads;
    const search_problem *p = &r->problem;
    const zilch_batch heard = arrivals_heard(batch);
    zilch_pool pool = {.threads = threads ? threads : 1, .inner = arrivals_in_parts, .context = &r->parts};
    if (cli_is_stopped()) {
        return ZILCH_ESTOPPED;
    }
    if (ranks_count() > 1) {
        return p->is_spreading ? ranks_evaluate(p->objective, p->context, &heard, value)
                               : ranks_evaluate(zilch_pool_objective, &pool, &heard, value);
    }
    return p->is_spreading ? p->objective(p->context, &heard, value)
                           : arrivals_in_parts(&r->parts, &heard, value);
}

/* What the journal has of an earlier attempt is not evaluated again. */
static zilch_status evaluate_and_keep(void *racer_given, const zilch_batch *batch, double *value)
{
    racer *r = racer_given;
    zilch_journaled journaled = {.journal = r->journal, .inner = evaluate_unless_stopped, .context = r};
    return r->journal ? zilch_journal_objective(&journaled, batch, value)
                      : evaluate_unless_stopped(r, batch, value);
}

/* A new one knows what is in the study, and nothing of a final check that was concluded. */
static zilch_status open_journal(racer *r)
{
    compare_study *kept = r->contest->setting->study;
    zilch_journal *journal;
    const zilch_status status =
        zilch_journal_open(&journal, compare_study_lock(kept), r->number, cli_seconds);
    compare_study_unlock(kept);
    if (r->problem.program) {
        search_program_write_to(r->problem.program, journal);
    }
    if (ranks_count() > 1) { /* else others write here too, at the same time */
        r->contest->journal = journal;
    }
    zilch_journal_close(r->journal);
    r->journal = journal;
    return status;
}

/* The standard error of a mean of fresh evaluations, where there is noise. */
static double error_of(const zilch_recommendation *r)
{
    return r->deviation > 0.0 && r->evaluations ? r->deviation / sqrt((double)r->evaluations) : 0.0;
}

compare_score compare_score_of(const compare_setting *s, const compare_run *run, uint64_t generation,
                               const zilch_conclusion *c, const double *x)
{
    compare_score out = {.generations = generation,
                         .evaluations = run->moment[generation - 1].evaluations + c->recommendation.spent,
                         .active = c->recommendation.active,
                         .violation = c->recommendation.violation,
                         .value = s->info.is_noisy ? c->held_out_mean : c->recommendation.mean,
                         .error = s->info.is_noisy ? c->held_out_error : error_of(&c->recommendation),
                         .support = NAN};
    double cost = s->penalty * (double)out.active;
    for (size_t i = 0; s->penalties && i < s->info.dim; i++) {
        cost += x[i] != (s->defaults ? s->defaults[i] : 0.0) ? s->penalties[i] : 0.0;
    }
    out.fitness = out.value + (s->info.direction == ZILCH_MAXIMIZE ? -cost : cost);
    return out;
}

static compare_score score_of(const racer *r, uint64_t generation, const zilch_conclusion *c, const double *x)
{
    compare_score out = compare_score_of(r->contest->setting, r->run, generation, c, x);
    if (!r->problem.problem || zilch_problem_support(r->problem.problem, x, &out.support) != ZILCH_OK) {
        out.support = NAN;
    }
    return out;
}

/* The point that the search recommends now, kept if anything is. Its values are no part of the search, which
 * they do not change. At the end they are a part of the budget; before, they come on top of it. */
static zilch_status score(racer *r, zilch_stop stop, compare_score *out)
{
    const compare_setting *s = r->contest->setting;
    zilch_final_options o = r->request.final;
    o.budget = stop == ZILCH_STOP_NONE ? 0 : r->request.limits.evaluations;
    zilch_conclusion c = {.stop = stop, .is_recommending = 1, .held_out_mean = NAN, .held_out_error = NAN};
    zilch_status status =
        zilch_optimizer_recommend(r->optimizer, evaluate_and_keep, r, &o, r->x, &c.recommendation);
    if (status == ZILCH_OK && r->journal) { /* what follows may take long */
        status = zilch_journal_flush(r->journal);
    }
    if (status == ZILCH_OK && s->info.is_noisy) {
        const unsigned threads = ranks_count() > 1 ? (unsigned)s->threads : 1; /* the others are idle */
        c.held_out_count = s->held_out;
        status = zilch_problem_held_out(r->problem.problem, r->x, s->held_out, threads, watch, NULL,
                                        &c.held_out_mean, &c.held_out_error);
    }
    if (status == ZILCH_OK && s->study) {
        status = zilch_study_conclude(compare_study_lock(s->study), r->number, &c, r->x);
        compare_study_unlock(s->study);
        status = status == ZILCH_OK ? open_journal(r) : status;
    }
    if (status == ZILCH_OK) {
        *out = score_of(r, zilch_optimizer_progress(r->optimizer).generations, &c, r->x);
    }
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
    const double begin = processor_seconds();
    const zilch_status status = evaluate_and_keep(r, batch, value);
    r->evaluating += processor_seconds() - begin;
    for (size_t i = 0; i < batch->n && status == ZILCH_OK; i++) {
        look_at(r, value[i]);
    }
    return status;
}

static zilch_status note_moment(compare_run *run, const compare_moment *moment)
{
    if (run->moments == run->moments_most) {
        const size_t most = run->moments_most ? 2 * run->moments_most : 128;
        compare_moment *more = realloc(run->moment, most * sizeof *more);
        if (!more) {
            return ZILCH_ENOMEM;
        }
        run->moment = more;
        run->moments_most = most;
    }
    run->moment[run->moments++] = *moment;
    return ZILCH_OK;
}

/* Whether a generation, from 1, is the first that has got to a checkpoint. */
static int is_at(const compare_setting *s, const compare_run *run, uint64_t generation, size_t checkpoint)
{
    const uint64_t at = s->checkpoint[checkpoint];
    if (s->generations) {
        return generation == at;
    }
    return run->moment[generation - 1].evaluations >= at &&
           (generation == 1 || run->moment[generation - 2].evaluations < at);
}

/* At the checkpoints that the last generation has got to, unless they have their scores. */
static zilch_status score_checkpoints(racer *r)
{
    const compare_setting *s = r->contest->setting;
    const uint64_t generation = r->run->moments;
    compare_score now = {.evaluations = 0};
    zilch_status status = ZILCH_OK;
    for (size_t k = 0; k < s->checkpoints && generation > 0 && status == ZILCH_OK; k++) {
        if (r->run->checkpoint[k].evaluations || !is_at(s, r->run, generation, k)) {
            continue;
        }
        status = now.evaluations ? ZILCH_OK : score(r, ZILCH_STOP_NONE, &now);
        r->run->checkpoint[k] = now;
    }
    return status;
}

/* What was asked of this run. What it recommends then comes on top of its budget, as at a checkpoint. */
static zilch_status heed(racer *r)
{
    compare_score now;
    int is_recommending;
    const zilch_status status =
        compare_steering_heed(&r->contest->steering, r->place, r->run->moments, &is_recommending);
    return status == ZILCH_OK && is_recommending && !cli_is_stopped() ? score(r, ZILCH_STOP_NONE, &now)
                                                                      : status;
}

static zilch_status observe(void *context, const zilch_optimizer *optimizer)
{
    racer *r = context;
    const compare_setting *s = r->contest->setting;
    const zilch_progress p = zilch_optimizer_progress(optimizer);
    const compare_moment moment = {p.evaluations, p.best_value, p.best_active};
    const double elapsed = processor_seconds() - r->marked;
    const zilch_timings timings = {r->evaluating, elapsed - r->evaluating};
    zilch_status status = note_moment(r->run, &moment);
    if (status == ZILCH_OK && r->problem.program) {
        status = search_program_keep(r->problem.program);
    }
    r->run->seconds += elapsed;
    if (status == ZILCH_OK && s->study) {
        status = zilch_study_record(compare_study_lock(s->study), r->number, optimizer, &timings);
        compare_study_unlock(s->study);
    }
    show(r, (size_t)(s->evaluations ? r->evaluations : p.generations));
    status = status == ZILCH_OK ? heed(r) : status;
    if (status == ZILCH_OK) {
        status = cli_is_stopped() ? ZILCH_ESTOPPED : score_checkpoints(r);
    }
    r->evaluating = 0.0;
    r->marked = processor_seconds();
    return status;
}

/* ---- Going on ----------------------------------------------------------------------- */

zilch_status compare_run_restore(compare_run *run, const zilch_generation *g)
{
    const compare_moment moment = {g->evaluations, g->best_value, g->best_active};
    run->seconds += g->timings.evaluating + g->timings.searching;
    return note_moment(run, &moment);
}

static zilch_status restore_generation(void *context, const zilch_generation *g)
{
    const racer *r = context;
    return compare_run_restore(r->run, g);
}

static zilch_status restore_evaluation(void *context, const zilch_evaluation *e)
{
    look_at(context, e->value);
    return ZILCH_OK;
}

/* Taken as it is, if it was measured in as many episodes as this comparison measures in. */
static zilch_status restore_conclusion(void *context, uint64_t generation, const zilch_conclusion *c,
                                       const double *x)
{
    racer *r = context;
    const compare_setting *s = r->contest->setting;
    if (!x || generation < 1 || generation > r->run->moments ||
        (s->info.is_noisy && c->held_out_count != s->held_out)) {
        return ZILCH_OK;
    }
    const compare_score score = score_of(r, generation, c, x);
    for (size_t k = 0; k < s->checkpoints; k++) {
        if (is_at(s, r->run, generation, k)) {
            r->run->checkpoint[k] = score;
        }
    }
    zilch_stop reached = ZILCH_STOP_NONE;
    zilch_status status = ZILCH_OK;
    if (generation == r->run->moments && c->stop != ZILCH_STOP_NONE) {
        status = zilch_limits_reached(&r->request.limits, r->optimizer, &reached);
    }
    if (reached != ZILCH_STOP_NONE) {
        r->run->end = score;
    }
    return status;
}

/* What the study has of the run, as if it had happened here. */
static zilch_status restore(racer *r)
{
    compare_study *kept = r->contest->setting->study;
    r->number = compare_study_run(kept, r->method->name, r->request.seed);
    zilch_study *study = compare_study_lock(kept);
    zilch_status status = zilch_study_resume(study, r->number, &r->optimizer);
    if (status == ZILCH_OK) {
        status = zilch_study_generations(study, r->number, restore_generation, r);
    }
    if (status == ZILCH_OK) {
        status = zilch_study_evaluations(study, r->number, restore_evaluation, r);
    }
    if (status == ZILCH_OK) {
        status = zilch_study_conclusions(study, r->number, restore_conclusion, r);
    }
    compare_study_unlock(kept);
    if (status != ZILCH_OK || r->run->end.evaluations) {
        return status;
    }
    status = open_journal(r);
    return status == ZILCH_OK ? score_checkpoints(r) : status;
}

/* ---- A run -------------------------------------------------------------------------- */

/* 0, or 1 after printing why. */
static int prepare(racer *r)
{
    search_request shared = r->request; /* by all ranks */
    shared.threads = r->contest->setting->threads;
    r->request.jobs = r->contest->jobs;
    if (device_open(&r->device, "compare", r->contest->setting->device) ||
        search_problem_open(&r->problem, &r->request) || device_attach(r->device, r->problem.problem) ||
        search_problem_start(&r->problem, &r->request) || ranks_open(&shared, r->problem.text) ||
        (!r->contest->setting->study && search_optimizer_create(&r->request, &r->problem, &r->optimizer))) {
        return 1;
    }
    assert(r->problem.info.dim > 0);
    if (r->problem.program) {
        search_program_watch(r->problem.program, watch, NULL);
    }
    r->parts = (arrivals_parts){r->problem.objective, r->problem.context,
                                r->device ? ARRIVALS_EACH_ON_CARD : ARRIVALS_EACH};
    r->request.final.is_noisy = r->problem.info.is_noisy;
    r->request.limits.final = &r->request.final;
    r->x = malloc(r->problem.info.dim * sizeof *r->x);
    return r->x ? 0 : cli_fail("out of memory");
}

static zilch_status race(racer *r)
{
    zilch_stop stop = ZILCH_STOP_NONE;
    zilch_status status = r->contest->setting->study ? restore(r) : ZILCH_OK;
    if (status != ZILCH_OK || r->run->end.evaluations) {
        return status;
    }
    r->marked = processor_seconds();
    status = zilch_optimizer_run(r->optimizer, evaluate, r, &r->request.limits, observe, r, &stop);
    if (status == ZILCH_OK) {
        status = cli_is_stopped() ? ZILCH_ESTOPPED : score(r, stop, &r->run->end);
    }
    return status;
}

/* The last words of a program, whose error stays the last of this thread. */
static void fail_program(const racer *r)
{
    if (r->problem.program) {
        search_program_print(r->problem.program);
    }
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
               .place = method * s->seeds + seed,
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
        fail_program(&r);
        snprintf(r.run->why, sizeof r.run->why, "%s",
                 status == ZILCH_ENOMEM && !r.device ? "out of memory" : cli_error_text());
    }
    show(&r, quota(s)); /* a run that has ended early has no more to do */
    free(r.x);
    zilch_optimizer_destroy(r.optimizer);
    search_problem_close(&r.problem);
    device_close(r.device);
    if (ranks_count() > 1) {
        c->journal = NULL;
    }
    zilch_journal_close(r.journal);
    return status;
}

/* Others may be gone, so none is waited for. A thread of this rank may be evaluating, and bring values to the
 * study, which is therefore not closed: its log lies beside it, and the next to open it reads that. */
static void end_now(void *context)
{
    const contest *c = context;
    if (c->journal) {
        (void)!zilch_journal_flush(c->journal);
    }
    cli_fail("stopped from outside, as when a rank has died%s",
             c->setting->study ? "; all is kept, and the same command goes on from there" : "");
    _exit(CLI_FAILED);
}

/* How many runs there are at the same time; 0: one for each processor. Programs are the work then, and --jobs
 * says how many of them there are in all: rather one for each of several runs than several for one, which has
 * generations of few points. */
static unsigned share_out(contest *c, size_t count)
{
    const compare_setting *s = c->setting;
    const search_request *r = &s->method[0].request;
    c->jobs = (size_t)r->jobs;
    if (ranks_count() > 1) {
        return 1;
    }
    if (!r->program) {
        return (unsigned)s->threads;
    }
    const size_t jobs = r->jobs ? (size_t)r->jobs : zilch_processors();
    size_t runs = s->threads ? (size_t)s->threads : jobs;
    runs = runs < count ? runs : count;
    c->jobs = jobs > runs ? jobs / runs : 1;
    return (unsigned)runs;
}

zilch_status compare_run_all(const compare_setting *setting, compare_run *runs)
{
    contest c = {.setting = setting, .run = runs};
    const size_t count = setting->methods * (size_t)setting->seeds;
    const unsigned threads = share_out(&c, count);
    progress_begin(&c.line, "compare", setting->evaluations ? "evaluations" : "generations",
                   count * quota(setting));
    cli_set_stop_notice(
        setting->study ? "ending with the evaluations under way; press Ctrl-C again to stop now"
                       : "giving up the runs under way; press Ctrl-C again to stop now",
        setting->study ? "stopped; what was recorded is safe, and the same command goes on from there"
                       : NULL);
    ranks_set_ending(end_now, &c);
    zilch_status status = compare_steering_begin(&c.steering, setting);
    status = status == ZILCH_OK ? zilch_parallel(threads, count, run, &c) : status;
    compare_steering_end(&c.steering);
    ranks_set_ending(NULL, NULL);
    cli_set_stop_notice(NULL, NULL);
    progress_end(&c.line);
    return status;
}
