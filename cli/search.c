/* The run. The library drives; the observer keeps each generation in the study before anything else, so that
 * whatever happens afterwards costs one generation at most. */
#include "search.h"

#include "cli.h"
#include "play.h"
#include "progress.h"
#include "search_report.h"
#include "study_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FRONT_SHOWN = 20, COORDINATES_SHOWN = 40 };

/* A run under way. */
typedef struct driver {
    search *search;
    zilch_limits limits;
    progress line;
    zilch_progress first; /* where this process began */
    double start;         /* when it did */
    double marked;        /* when the last generation was recorded */
    double evaluating;    /* seconds in the objective since then */
    size_t checked;       /* evaluations after the search */
    int is_out_of_time;
} driver;

/* ---- What can be said when it does not end -------------------------------------------------- */

static int say_how_it_goes_on(const search *s)
{
    fputs(*s->path == '-' ? "zilch resume ./" : "zilch resume ", stderr);
    cli_print_word(stderr, s->path);
    if (s->run > 1) {
        fprintf(stderr, " --run %llu", (unsigned long long)s->run);
    }
    fprintf(stderr, "%s\n", s->more);
    return CLI_FAILED;
}

static int fail(const search *s)
{
    cli_fail("%s; what was recorded is safe, and this goes on from there:", zilch_last_error());
    return say_how_it_goes_on(s);
}

static int say_stopped(const search *s)
{
    const unsigned long long generations = zilch_optimizer_progress(s->optimizer).generations;
    cli_fail("stopped after generation %llu, which is recorded; this goes on from there:", generations);
    return say_how_it_goes_on(s);
}

/* ---- The live line ---------------------------------------------------------------------------- */

static void keep_least(double *least, double seconds)
{
    *least = isnan(*least) || seconds < *least ? seconds : *least;
}

/* Until the first limit that can be foreseen; NaN without one. */
static double seconds_left(const driver *d, const zilch_progress *p)
{
    const double elapsed = d->marked - d->start;
    const double generations = (double)(p->generations - d->first.generations);
    const double evaluations = (double)(p->evaluations - d->first.evaluations);
    const double seconds = d->search->request->limits.seconds;
    double left = NAN;
    if (d->limits.generations > p->generations && generations > 0) {
        keep_least(&left, (double)(d->limits.generations - p->generations) * elapsed / generations);
    }
    if (d->limits.evaluations > p->evaluations && evaluations > 0) {
        keep_least(&left, (double)(d->limits.evaluations - p->evaluations) * elapsed / evaluations);
    }
    if (!isnan(seconds)) {
        keep_least(&left, seconds > elapsed ? seconds - elapsed : 0);
    }
    return left;
}

/* "generation 37/100  12 s left  fitness 251.3  value 277.3  active 13  4210 evaluations/s": what a narrow
 * terminal cuts off stands last. */
static void show(driver *d)
{
    char line[256];
    char left[64] = "";
    char limit[32] = "";
    const zilch_progress p = zilch_optimizer_progress(d->search->optimizer);
    const double seconds = seconds_left(d, &p);
    const double elapsed = d->marked - d->start;
    if (d->limits.generations > 0) {
        snprintf(limit, sizeof limit, "/%llu", (unsigned long long)d->limits.generations);
    }
    if (!isnan(seconds)) {
        progress_duration(seconds, left, sizeof left);
    }
    const int used = snprintf(line, sizeof line, "generation %llu%s%s%s%s", (unsigned long long)p.generations,
                              limit, *left ? "  " : "", left, *left ? " left" : "");
    if (p.generations > d->first.generations) {
        snprintf(line + used, sizeof line - (size_t)used,
                 "  fitness %.6g  value %.6g  active %zu  %.0f evaluations/s", p.best_fitness, p.best_value,
                 p.best_active, (double)(p.evaluations - d->first.evaluations) / (elapsed > 0 ? elapsed : 1));
    }
    progress_show(&d->line, line, p.generations == d->first.generations);
}

/* ---- Generations ------------------------------------------------------------------------------- */

static zilch_status evaluate(void *context, const zilch_batch *batch, double *value)
{
    driver *d = context;
    zilch_pool pool = {.threads = (unsigned)d->search->request->limits.threads,
                       .inner = zilch_problem_objective,
                       .context = d->search->problem.problem};
    const double before = cli_seconds();
    const zilch_status status = zilch_pool_objective(&pool, batch, value);
    d->evaluating += cli_seconds() - before;
    return status;
}

static zilch_status observe(void *context, const zilch_optimizer *optimizer)
{
    driver *d = context;
    const search *s = d->search;
    const double now = cli_seconds();
    const double seconds = s->request->limits.seconds;
    const zilch_timings timings = {d->evaluating, now - d->marked - d->evaluating};
    const zilch_status status = zilch_study_record(s->study, s->run, optimizer, &timings);
    if (status != ZILCH_OK) {
        return status;
    }
    d->marked = now;
    d->evaluating = 0;
    show(d);
    d->is_out_of_time = !isnan(seconds) && now - d->start >= seconds;
    return cli_is_stopped() || d->is_out_of_time ? ZILCH_ESTOPPED : ZILCH_OK;
}

static int search_generations(driver *d, zilch_stop *reason)
{
    search *s = d->search;
    d->first = zilch_optimizer_progress(s->optimizer);
    d->start = d->marked = cli_seconds();
    progress_begin(&d->line, "search", "generations", 0);
    show(d);
    const zilch_status status = zilch_optimize(s->optimizer, evaluate, d, &d->limits, observe, d, reason);
    progress_end(&d->line);
    if (status != ZILCH_OK && status != ZILCH_ESTOPPED) {
        return fail(s);
    }
    return cli_is_stopped() ? say_stopped(s) : 0;
}

/* ---- After the search ---------------------------------------------------------------------------- */

static zilch_status evaluate_again(void *context, const zilch_batch *batch, double *value)
{
    driver *d = context;
    if (cli_is_stopped()) {
        return ZILCH_ESTOPPED;
    }
    const zilch_status status = evaluate(context, batch, value);
    d->checked += batch->n;
    progress_update(&d->line, d->checked < d->line.total ? d->checked : d->line.total);
    return status;
}

/* Without noise once is enough, and the best is the best. */
static zilch_recommend_options recommend_options(const search *s)
{
    const search_request *r = s->request;
    zilch_recommend_options o = zilch_recommend_defaults();
    if (!s->problem.info.is_noisy) {
        o.shortlist = 1;
        o.evaluations = 1;
    }
    if (r->shortlist != UINT64_MAX) {
        o.shortlist = (size_t)r->shortlist;
        o.evaluations = o.evaluations > o.shortlist ? o.evaluations : o.shortlist;
    }
    if (r->recheck != UINT64_MAX) {
        o.evaluations = r->recheck;
        o.shortlist = o.shortlist < r->recheck ? o.shortlist : (size_t)r->recheck;
    }
    o.prune = r->prune;
    return o;
}

static int recommend(driver *d, double *x, zilch_conclusion *c)
{
    const search *s = d->search;
    const zilch_recommend_options o = recommend_options(s);
    progress_begin(&d->line, "recommend", "evaluations", o.evaluations);
    const zilch_status status = zilch_recommend(s->optimizer, evaluate_again, d, &o, x, &c->recommendation);
    progress_end(&d->line);
    if (status != ZILCH_OK) {
        return cli_is_stopped() ? say_stopped(s) : fail(s);
    }
    c->is_recommending = 1;
    return 0;
}

static void show_episodes(void *context, size_t done)
{
    progress_update(context, done);
}

/* The recommended controller where the search never was: its own seeds are all 2^63 and above. */
static int fly_held_out(driver *d, const double *x, zilch_conclusion *c)
{
    const search *s = d->search;
    play_setting setting = {.options = search_problem_lander(s->problem.text),
                            .episodes = s->request->held_out,
                            .threads = s->request->limits.threads};
    play_result result = {0};
    memcpy(setting.controller.parameters, x, sizeof setting.controller.parameters);
    progress_begin(&d->line, "held out", "episodes", setting.episodes);
    const zilch_status status = play_run(&setting, show_episodes, &d->line, &result);
    progress_end(&d->line);
    if (status == ZILCH_OK) {
        const play_summary summary = play_summarise(&result);
        c->held_out_mean = summary.mean;
        c->held_out_error = summary.deviation / sqrt((double)result.count);
        c->held_out_count = result.count;
    }
    play_free(&result);
    return status == ZILCH_OK ? 0 : cli_is_stopped() ? say_stopped(s) : fail(s);
}

/* ---- What is printed ---------------------------------------------------------------------------- */

static void print_heading(const search *s)
{
    const zilch_problem_info *info = &s->problem.info;
    const uint64_t generations = zilch_optimizer_progress(s->optimizer).generations;
    printf("problem: %s, %zu coordinates, %s\n", s->problem.text, info->dim,
           zilch_direction_name(info->direction));
    search_report_settings(s->optimizer);
    if (generations > 0) {
        printf("goes on from generation %llu\n", (unsigned long long)generations);
    }
    fflush(stdout); /* now, not after minutes; a failure shows at the end */
}

static void print_counts(const driver *d, zilch_stop reason)
{
    const zilch_progress p = zilch_optimizer_progress(d->search->optimizer);
    printf("stopped by: %s\n", study_stop_name(reason));
    printf("generations: %llu\n", (unsigned long long)p.generations);
    printf("evaluations: %llu of %llu points, %llu failed\n", (unsigned long long)p.evaluations,
           (unsigned long long)p.points, (unsigned long long)p.failures);
}

static void print_support(const search *s, const double *x)
{
    double share;
    if (zilch_problem_support(s->problem.problem, x, &share) == ZILCH_OK) {
        printf("support: %.4g %% of the coordinates are active or not as in the optimum\n", 100 * share);
    }
}

static int print_result(const driver *d, const zilch_conclusion *c, const double *x)
{
    const search *s = d->search;
    zilch_record best;
    if (zilch_best(s->optimizer, NULL, &best) != ZILCH_OK) {
        return cli_fail_library();
    }
    print_counts(d, c->stop);
    search_report_seen(&best);
    search_report_recommended(c);
    print_support(s, x);
    putchar('\n');
    if (search_point_print(&s->problem, s->problem.is_lander, s->problem.info.dim, x, COORDINATES_SHOWN,
                           stdout) ||
        search_report_front(s->optimizer, FRONT_SHOWN)) {
        return CLI_FAILED;
    }
    if (s->problem.is_lander) {
        printf("\nto fly it: zilch best STUDY -o FILE, then zilch play --controller FILE\n");
    }
    printf("%sstudy: %s, run %llu\n", s->problem.is_lander ? "" : "\n", s->path, (unsigned long long)s->run);
    return 0;
}

/* ---- From beginning to end ------------------------------------------------------------------------ */

static int finish(driver *d, zilch_stop reason)
{
    search *s = d->search;
    zilch_conclusion c = {.stop = reason, .held_out_mean = NAN, .held_out_error = NAN};
    double *x = malloc(s->problem.info.dim * sizeof *x);
    if (!x) {
        return cli_fail("out of memory");
    }
    int status = recommend(d, x, &c);
    if (!status && s->problem.is_lander && s->request->held_out > 0) {
        status = fly_held_out(d, x, &c);
    }
    if (!status) {
        status = print_result(d, &c, x);
    }
    if (!status && zilch_study_conclude(s->study, s->run, &c, x) != ZILCH_OK) {
        status = fail(s);
    }
    free(x);
    return status;
}

int search_run(search *s)
{
    driver d = {.search = s, .limits = search_limits_of(s->request)};
    zilch_stop reason = ZILCH_STOP_NONE;
    print_heading(s);
    const int status = search_generations(&d, &reason);
    return status ? status : finish(&d, reason);
}
