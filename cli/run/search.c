/* The run. The library drives. The journal keeps each value when it arrives, and the observer each generation
 * before anything else, so that whatever happens costs the evaluations under way at most. */
#include "run/search.h"

#include "request/search_program.h"
#include "run/arrivals.h"
#include "run/beside.h"
#include "run/ranks.h"
#include "run/steering.h"
#include "study/search_report.h"
#include "study/study_file.h"
#include "terminal/cli.h"
#include "terminal/progress.h"
#include "terminal/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FRONT_SHOWN = 20, COORDINATES_SHOWN = 40 };
static const double between_shows = 0.2; /* seconds */

/* A run under way. */
typedef struct driver {
    search *search;
    zilch_journaled journaled; /* the objective of the search, and then that of the final check */
    zilch_limits limits;       /* with what follows the search */
    zilch_final_options final;
    progress line;
    zilch_progress first; /* where this process began */
    double start;         /* when it did */
    double marked;        /* when the last generation was recorded */
    double evaluating;    /* seconds in the objective since then */
    double shown;         /* when the live line was last made in the midst of a generation */
    size_t done;          /* evaluations of the generation under way, where that is known, */
    size_t of;            /* of so many */
    size_t checked;       /* evaluations after the search */
    arrivals_parts parts; /* of a batch, on a thread */
    steering steering;
    steering_wish wish; /* the last */
    int is_searching;
    int is_out_of_time;
} driver;

/* ---- What can be said when it does not end -------------------------------------------------- */

/* The study as a word of a command. */
static void print_study(FILE *stream, const search *s)
{
    fputs(*s->path == '-' ? "./" : "", stream);
    text_put_word(stream, s->path);
}

static void print_command(FILE *stream, const search *s)
{
    fputs("zilch resume ", stream);
    print_study(stream, s);
    if (s->run > 1) {
        fprintf(stream, " --run %llu", (unsigned long long)s->run);
    }
    if (s->request->program) {
        fputs(" --program ", stream);
        text_put_word(stream, s->request->program);
    }
    fputs(s->more, stream);
}

int search_say_command(const search *s)
{
    print_command(stderr, s);
    fputc('\n', stderr);
    return CLI_FAILED;
}

/* What follows from the points and their values would only happen again. */
static int fail(const search *s, zilch_status status)
{
    if (s->problem.program) {
        search_program_print(s->problem.program);
    }
    const int is_mended = status == ZILCH_EOBJECTIVE && s->problem.program; /* the program, perhaps */
    if (!is_mended && (status == ZILCH_EARG || status == ZILCH_ENUMERIC || status == ZILCH_EOBJECTIVE ||
                       status == ZILCH_EVERSION)) {
        return cli_fail_library();
    }
    if (zilch_study_is_moved(s->study)) {
        return cli_fail(
            "%s; nothing was recorded since. To go on, put the file back as '%s', beside its -wal "
            "file, and use 'zilch resume'",
            cli_error_text(), s->path);
    }
    cli_fail("%s; what was recorded is safe, and this goes on from there:", cli_error_text());
    return search_say_command(s);
}

static int say_stopped(const search *s)
{
    const unsigned long long generations = zilch_optimizer_progress(s->optimizer).generations;
    if (generations) {
        cli_fail(
            "stopped after generation %llu; it and every evaluation since are recorded, and this goes on "
            "from there:",
            generations);
    } else {
        cli_fail("stopped in the first generation; every evaluation that has ended is recorded, and this "
                 "goes on from there:");
    }
    return search_say_command(s);
}

/* ---- The live line ---------------------------------------------------------------------------- */

/* Until the first limit that can be foreseen; NaN without one, which fmin() passes over. */
static double seconds_left(const driver *d, const zilch_progress *p)
{
    const double elapsed = d->marked - d->start;
    const double generations = (double)(p->generations - d->first.generations);
    const double evaluations = (double)(p->evaluations - d->first.evaluations);
    const double seconds = d->search->request->seconds;
    double left = isnan(seconds) ? NAN : fmax(seconds - elapsed, 0);
    if (d->limits.generations > p->generations && generations > 0) {
        left = fmin(left, (double)(d->limits.generations - p->generations) * elapsed / generations);
    }
    if (d->limits.evaluations && evaluations > 0) {
        left =
            fmin(left, (double)zilch_limits_left(&d->limits, d->search->optimizer) * elapsed / evaluations);
    }
    return left;
}

/* "3 min left", shorter than elsewhere; "" without an end that can be foreseen. */
static void format_left(double seconds, char *out, size_t size)
{
    char text[32];
    *out = '\0';
    if (isnan(seconds)) {
        return;
    }
    progress_duration(seconds, text, sizeof text);
    if (seconds >= 60 && seconds < 3600) {
        text[strcspn(text, "n") + 1] = '\0'; /* up to "min" */
    }
    snprintf(out, size, "  %s left", text);
}

/* Whether the generations will come to their limit before the evaluations do, as far as it can be foreseen:
 * without a fixed population, a generation has as many points as suit it. */
static int is_counting_generations(const driver *d, const zilch_progress *p)
{
    const double population = (double)zilch_optimizer_settings(d->search->optimizer)->population;
    const double each = p->generations ? (double)p->evaluations / (double)p->generations : population;
    return d->limits.generations > 0 &&
           (d->limits.evaluations == 0 ||
            (each > 0 && (double)d->limits.generations * each < (double)d->limits.evaluations));
}

/* "generation 37/100  next: 3/20" or "evaluation 370/1000", whichever ends it. */
static int format_place(const driver *d, const zilch_progress *p, char *out, size_t size)
{
    char limit[32] = "";
    char next[48] = "";
    if (!is_counting_generations(d, p)) {
        if (d->limits.evaluations) {
            snprintf(limit, sizeof limit, "/%llu", (unsigned long long)d->limits.evaluations);
        }
        return snprintf(out, size, "evaluation %llu%s", (unsigned long long)p->evaluations + d->done, limit);
    }
    if (d->of) {
        snprintf(next, sizeof next, "  next: %zu/%zu", d->done, d->of);
    }
    return snprintf(out, size, "generation %llu/%llu%s", (unsigned long long)p->generations,
                    (unsigned long long)d->limits.generations, next);
}

/* "evaluation 370/1000  12 s left  value 277.3  after penalty 251.3  active 13  noise 12.3  421/s": what does
 * not fit a narrow terminal stands last. */
static void show(driver *d)
{
    char line[256];
    char noise[32] = "";
    char restarts[32] = "";
    char violation[40] = "";
    char penalised[40] = "";
    char left[64];
    const zilch_progress p = zilch_optimizer_progress(d->search->optimizer);
    const double elapsed = d->marked - d->start;
    if (search_is_noisy(&p)) {
        snprintf(noise, sizeof noise, "  noise %.3g", p.noise);
    }
    if (p.best_fitness != p.best_value) {
        snprintf(penalised, sizeof penalised, "  after penalty %.4g", p.best_fitness);
    }
    if (p.best_violation > 0) {
        snprintf(violation, sizeof violation, "  violation %.3g", p.best_violation);
    }
    if (p.restarts > 0) {
        snprintf(restarts, sizeof restarts, "  restarts %llu", (unsigned long long)p.restarts);
    }
    format_left(seconds_left(d, &p), left, sizeof left);
    int used = format_place(d, &p, line, sizeof line);
    used += snprintf(line + used, sizeof line - (size_t)used, "%s", left);
    if (p.generations > d->first.generations) {
        snprintf(line + used, sizeof line - (size_t)used, "  value %.4g%s  active %zu%s%s%s  %.0f/s",
                 p.best_value, penalised, p.best_active, violation, noise, restarts,
                 (double)(p.evaluations - d->first.evaluations) / (elapsed > 0 ? elapsed : 1));
    }
    progress_show(&d->line, line, p.generations == d->first.generations);
}

/* What Ctrl-C says, and what it says the second time. */
static void prepare_notices(const search *s)
{
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    if (stream) {
        fputs("stopped; what was recorded is safe, and this goes on from there:\n", stream);
        print_command(stream, s);
        fclose(stream);
    }
    cli_set_stop_notice("finishing the evaluations under way; press Ctrl-C again to stop now", text);
    free(text);
}

static zilch_status recommend_now(driver *d);

/* ---- Generations ------------------------------------------------------------------------------- */

/* Of this process. Several ranks are there to have a processor each. */
static size_t threads_of(const search *s)
{
    const size_t usual = ranks_count() > 1 ? 1 : zilch_processors();
    return s->request->threads ? (size_t)s->request->threads : usual;
}

static zilch_status evaluate(void *context, const zilch_batch *batch, double *value)
{
    driver *d = context;
    search_problem *p = &d->search->problem;
    zilch_pool pool = {
        .threads = (unsigned)threads_of(d->search), .inner = arrivals_in_parts, .context = &d->parts};
    const int is_alone = p->is_spreading || d->search->device; /* without threads of ours */
    const zilch_objective side_by_side = p->is_spreading ? p->objective
                                         : is_alone      ? arrivals_in_parts
                                                         : zilch_pool_objective;
    void *inner = p->is_spreading ? p->context : is_alone ? (void *)&d->parts : &pool;
    const zilch_batch heard = arrivals_heard(batch);
    const double before = cli_seconds();
    const zilch_status status = ranks_count() > 1 ? ranks_evaluate(side_by_side, inner, &heard, value)
                                                  : side_by_side(inner, &heard, value);
    d->evaluating += cli_seconds() - before;
    return status;
}

static zilch_status observe(void *context, const zilch_optimizer *optimizer)
{
    driver *d = context;
    const search *s = d->search;
    const double now = cli_seconds();
    const double seconds = s->request->seconds;
    const zilch_timings timings = {d->evaluating, now - d->marked - d->evaluating};
    zilch_status status = s->problem.program ? search_program_keep(s->problem.program) : ZILCH_OK;
    status = status == ZILCH_OK ? zilch_study_record(s->study, s->run, optimizer, &timings) : status;
    if (status != ZILCH_OK) {
        return status;
    }
    d->marked = now;
    d->evaluating = 0;
    d->done = d->of = 0;
    show(d);
    d->is_out_of_time = !isnan(seconds) && now - d->start >= seconds;
    status = steering_heed(&d->steering, s->optimizer, &d->limits, &d->wish);
    d->final.budget = d->limits.evaluations;
    if (status == ZILCH_OK && d->wish.is_recommending && !d->wish.is_stopping) {
        status = recommend_now(d);
    }
    const double paused = cli_seconds() - now; /* counts nowhere */
    d->start += paused;
    d->marked += paused;
    const int is_ending = cli_is_stopped() || d->is_out_of_time || d->wish.is_stopping || d->wish.is_limited;
    return status == ZILCH_OK && is_ending ? ZILCH_ESTOPPED : status;
}

/* A program calls this while it evaluates: the live line moves within a generation, and SIGTERM is heard at
 * once. */
static int watch(void *context, size_t done, size_t total)
{
    driver *d = context;
    const double now = cli_seconds();
    d->done = done;
    d->of = total;
    if (d->is_searching &&
        now - d->shown > between_shows) { /* the best of the archive is looked for in all of it */
        d->shown = now;
        show(d);
    }
    return cli_is_told_to_end();
}

static int search_generations(driver *d, zilch_stop *reason)
{
    search *s = d->search;
    d->is_searching = 1;
    if (s->problem.program) {
        search_program_watch(s->problem.program, watch, d);
    }
    d->first = zilch_optimizer_progress(s->optimizer);
    d->start = d->marked = cli_seconds();
    progress_begin(&d->line, "search", "generations", 0);
    show(d);
    zilch_status status = steering_begin(&d->steering, s->study, s->run, s->optimizer, &d->limits);
    d->final.budget = d->limits.evaluations;
    do { /* once, and again with each new limit */
        d->wish = (steering_wish){0};
        status = status == ZILCH_OK ? zilch_optimizer_run(s->optimizer, zilch_journal_objective,
                                                          &d->journaled, &d->limits, observe, d, reason)
                                    : status;
    } while (status == ZILCH_OK && d->wish.is_limited && !d->wish.is_stopping && !d->is_out_of_time &&
             !cli_is_stopped());
    steering_end(&d->steering);
    if (status == ZILCH_OK && *reason == ZILCH_STOP_OBSERVER && d->wish.is_stopping) {
        *reason = ZILCH_STOP_ASKED;
    }
    d->is_searching = 0;
    progress_end(&d->line);
    if (status != ZILCH_OK && status != ZILCH_ESTOPPED) {
        return fail(s, status);
    }
    return cli_is_stopped() ? say_stopped(s) : 0;
}

/* ---- After the search ---------------------------------------------------------------------------- */

/* In slices that keep every thread busy, so that the live line moves. */
static zilch_status evaluate_again(void *context, const zilch_batch *batch, double *value)
{
    enum { EACH = 64, EACH_ON_CARD = 1 << 16 };
    driver *d = context;
    const size_t most = d->search->device ? EACH_ON_CARD : EACH * threads_of(d->search) * ranks_count();
    zilch_status status = ZILCH_OK;
    for (size_t begin = 0; begin < batch->n && status == ZILCH_OK; begin += most) {
        const size_t left = batch->n - begin;
        const zilch_batch slice = zilch_batch_part(batch, begin, left < most ? left : most);
        status = evaluate(d, &slice, value + begin);
        d->checked += slice.n;
        progress_update(&d->line, d->checked < d->line.total ? d->checked : d->line.total);
    }
    return status;
}

static int recommend(driver *d, double *x, zilch_conclusion *c)
{
    const search *s = d->search;
    progress_begin(&d->line, "recommend", "evaluations", zilch_final_budget(&d->final, s->optimizer));
    d->journaled.inner = evaluate_again;
    const zilch_status status = zilch_optimizer_recommend(s->optimizer, zilch_journal_objective,
                                                          &d->journaled, &d->final, x, &c->recommendation);
    progress_end(&d->line);
    if (status != ZILCH_OK) {
        return cli_is_stopped() ? say_stopped(s) : fail(s, status);
    }
    const zilch_status kept =
        zilch_journal_flush(d->journaled.journal); /* held-out evaluations may take long */
    if (kept != ZILCH_OK) {
        return fail(s, kept);
    }
    c->is_recommending = 1;
    return 0;
}

/* The final check in the midst of a search, which goes on as if it had not been. */
static zilch_status recommend_now(driver *d)
{
    const search *s = d->search;
    zilch_conclusion c = {.stop = ZILCH_STOP_NONE, .held_out_mean = NAN, .held_out_error = NAN};
    double *x = malloc(s->problem.info.dim * sizeof *x);
    if (!x) {
        return ZILCH_ENOMEM;
    }
    progress_end(&d->line);
    d->is_searching = 0;
    d->checked = 0;
    const int failed = recommend(d, x, &c);
    d->checked = 0;
    d->is_searching = 1;
    d->journaled.inner = evaluate;
    progress_begin(&d->line, "search", "generations", 0);
    const zilch_status status = failed ? ZILCH_ESTOPPED : zilch_study_conclude(s->study, s->run, &c, x);
    d->evaluating = 0;
    free(x);
    return status;
}

static int fly_held_out(driver *d, const double *x, zilch_conclusion *c)
{
    const search *s = d->search;
    const uint64_t count = s->request->held_out;
    progress_begin(&d->line, "held out", "episodes", count);
    const zilch_status status =
        zilch_problem_held_out(s->problem.problem, x, count, (unsigned)s->request->threads, progress_watch,
                               &d->line, &c->held_out_mean, &c->held_out_error);
    progress_end(&d->line);
    c->held_out_count = count;
    return status == ZILCH_OK ? 0 : cli_is_stopped() ? say_stopped(s) : fail(s, status);
}

/* ---- What is printed ---------------------------------------------------------------------------- */

static void print_heading(const search *s)
{
    const zilch_problem_info *info = &s->problem.info;
    if (s->request->is_json || progress_is_quiet) {
        return;
    }
    const uint64_t generations = zilch_optimizer_progress(s->optimizer).generations;
    text_put_between(stdout, "problem: ", s->problem.text, ", ");
    printf("%zu coordinates, %s\n", info->dim, zilch_direction_name(info->direction));
    if (s->request->program) {
        fputs("program: ", stdout);
        text_put_word(stdout, s->request->program);
        putchar('\n');
    }
    if (s->request->data) {
        text_put_between(stdout, "data: ", s->request->data, "\n");
    }
    search_report_budget(&s->request->limits, s->request->seconds);
    search_report_penalty(s->optimizer);
    if (s->request->is_verbose) {
        search_report_settings(s->optimizer);
    }
    if (generations > 0 && !s->is_over) {
        printf("goes on from generation %llu\n", (unsigned long long)generations);
    }
    fflush(stdout); /* now, not after minutes; a failure shows at the end */
}

/* A line for the shell that gives the mean return on held-out seeds again. */
static void print_how_it_flies(const search *s)
{
    const zilch_lander_options o = search_problem_lander(s->problem.text);
    char number[ZILCH_NUMBER_SIZE];
    fputs("\nto fly it: zilch best ", stdout);
    print_study(stdout, s);
    printf(" --run %llu -o - | zilch play --controller -", (unsigned long long)s->run);
    if (s->request->held_out > 0) {
        printf(" --episodes %llu", (unsigned long long)s->request->held_out);
    }
    if (o.gravity != zilch_lander_defaults().gravity) {
        zilch_number_format(o.gravity, number);
        printf(" --gravity %s", number);
    }
    if (o.wind) {
        zilch_number_format(o.wind_power, number);
        printf(" --wind --wind-power %s", number);
        zilch_number_format(o.turbulence_power, number);
        printf(" --turbulence-power %s", number);
    }
    putchar('\n');
}

static int print_result(const search *s, const zilch_conclusion *c, const double *x)
{
    const zilch_progress p = zilch_optimizer_progress(s->optimizer);
    zilch_record best;
    double share;
    if (zilch_optimizer_best(s->optimizer, NULL, &best) != ZILCH_OK) {
        return cli_fail_library();
    }
    search_report_stop("stopped by", c->stop);
    printf("generations: %llu\n", (unsigned long long)p.generations);
    printf("evaluations: %llu of %llu points, %llu failed",
           (unsigned long long)(p.evaluations + c->recommendation.spent), (unsigned long long)p.points,
           (unsigned long long)p.failures);
    search_report_spent(c->recommendation.spent);
    search_report_noise(&p);
    search_report_seen(s->optimizer, &best);
    search_report_recommended(s->optimizer, c);
    if (s->problem.problem && zilch_problem_support(s->problem.problem, x, &share) == ZILCH_OK) {
        printf("support: %.4g %% of the coordinates are active or not as in the optimum\n", 100 * share);
    }
    putchar('\n');
    search_problem shown = s->problem;
    shown.defaults = zilch_optimizer_settings(s->optimizer)->defaults;
    if (search_point_print(&shown, shown.info.dim, x, COORDINATES_SHOWN, stdout) ||
        search_report_front(s->optimizer, c, FRONT_SHOWN)) {
        return CLI_FAILED;
    }
    if (s->problem.is_lander) {
        print_how_it_flies(s);
    }
    text_put_between(stdout, s->problem.is_lander ? "study: " : "\nstudy: ", s->path, ", ");
    printf("run %llu\n", (unsigned long long)s->run);
    return 0;
}

/* ---- Several ranks ----------------------------------------------------------------------------------- */

/* Others may be gone, so none is waited for. A thread of this rank may be evaluating, and bring values to the
 * study, which is therefore not closed: its log lies beside it, and the next to open it reads that. */
static void end_now(void *context)
{
    const driver *d = context;
    const search *s = d->search;
    (void)!zilch_journal_flush(d->journaled.journal);
    cli_fail(
        "stopped from outside, as when a rank has died; generation %llu is recorded, and this goes on from "
        "there:",
        (unsigned long long)zilch_optimizer_progress(s->optimizer).generations);
    search_say_command(s);
    _exit(CLI_FAILED);
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
    if (!status && !s->request->is_json) {
        status = print_result(s, &c, x);
    }
    if (!status) {
        const zilch_status kept = zilch_study_conclude(s->study, s->run, &c, x);
        status = kept == ZILCH_OK ? 0 : fail(s, kept);
    }
    free(x);
    return status;
}

static int run(driver *d)
{
    zilch_stop reason = ZILCH_STOP_NONE;
    prepare_notices(d->search);
    ranks_set_ending(end_now, d);
    const int status = search_generations(d, &reason);
    const int ended = status ? status : finish(d, reason);
    ranks_set_ending(NULL, NULL);
    cli_set_stop_notice(NULL, NULL);
    return ended;
}

/* What an earlier call has found. */
static int show_result(search *s)
{
    zilch_conclusion c;
    double *x = malloc(s->problem.info.dim * sizeof *x);
    if (!x) {
        return cli_fail("out of memory");
    }
    cli_fail("run %llu of %s has ended with this very request, and this is its result; to search anew, give "
             "another --seed",
             (unsigned long long)s->run, s->path);
    const zilch_status status = zilch_study_conclusion(s->study, s->run, &c, x);
    const int failed = status == ZILCH_OK ? print_result(s, &c, x) : cli_fail_library();
    free(x);
    return failed;
}

int search_run(search *s)
{
    driver d = {.search = s, .limits = s->request->limits, .final = s->request->final};
    d.parts.each = s->device ? ARRIVALS_EACH_ON_CARD : ARRIVALS_EACH;
    d.parts.inner = s->problem.objective;
    d.parts.context = s->problem.context;
    d.journaled = (zilch_journaled){.inner = evaluate, .context = &d};
    d.final.is_noisy = s->problem.info.is_noisy;
    d.final.budget = d.limits.evaluations;
    d.limits.final = &d.final;
    print_heading(s);
    if (s->is_over) {
        return show_result(s);
    }
    if (zilch_journal_open(&d.journaled.journal, s->study, s->run, cli_seconds) != ZILCH_OK) {
        return cli_fail_library();
    }
    if (s->problem.program) {
        search_program_write_to(s->problem.program, d.journaled.journal);
    }
    const pid_t server = s->request->is_live ? beside_begin(s->path) : 0;
    const int status = run(&d);
    if (status) { /* of a final check, too, that has not come to its end */
        (void)!zilch_journal_flush(d.journaled.journal);
    }
    if (s->problem.program) {
        search_program_write_to(s->problem.program, NULL);
    }
    zilch_journal_close(d.journaled.journal);
    beside_end(server);
    return status;
}
