/* Lines about what a search has found. Six digits: what is beyond them is noise to a reader; 'zilch export'
 * and --json have them all. */
#include "study/search_report.h"

#include "study/study_file.h"
#include "terminal/cli.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- How it begins -------------------------------------------------------------------------- */

void search_report_budget(const zilch_limits *limits, double seconds)
{
    const char *before = "budget: ";
    const char *const between = " or ";
    if (limits->evaluations) {
        printf("%s%llu evaluations", before, (unsigned long long)limits->evaluations);
        before = between;
    }
    if (limits->generations) {
        printf("%s%llu generations", before, (unsigned long long)limits->generations);
        before = between;
    }
    if (!isnan(seconds)) {
        printf("%s%g seconds", before, seconds);
        before = between;
    }
    printf("%s", before == between ? "" : "budget: none; it ends when it has converged");
    if (!isnan(limits->target)) {
        printf("; it ends at a value of %.6g", limits->target);
    }
    if (limits->stagnation) {
        printf("; it ends after %llu generations without progress", (unsigned long long)limits->stagnation);
    }
    putchar('\n');
}

static int has_defaults(const zilch_optimizer *optimizer)
{
    return zilch_optimizer_settings(optimizer)->defaults != NULL;
}

/* What active means, in brackets. */
static const char *meaning(const zilch_optimizer *optimizer)
{
    return has_defaults(optimizer) ? "not default" : "nonzero";
}

void search_report_penalty(const zilch_optimizer *optimizer)
{
    const zilch_optimizer_options *o = zilch_optimizer_settings(optimizer);
    const char *const more = o->penalties ? ", and penalties of single coordinates" : "";
    if (o->penalty == 0) {
        printf("penalty: none%s\n", more);
    } else {
        printf("penalty: %.6g for each active (%s) coordinate%s\n", o->penalty, meaning(optimizer), more);
    }
}

/* An automatic population has as many elites as suit it. */
static int is_automatic(const zilch_option *option, const zilch_optimizer_options *o)
{
    return o->population == 0 &&
           (strcmp(option->name, "population") == 0 || strcmp(option->name, "elites") == 0);
}

/* The most important options, and those that are not as the method has them. */
void search_report_settings(const zilch_optimizer *optimizer)
{
    static const char *const always[] = {"method", "population", "elites", "penalty"};
    const zilch_optimizer_options *o = zilch_optimizer_settings(optimizer);
    const zilch_optimizer_options usual = zilch_method_defaults(o->method);
    size_t count;
    const zilch_option *list = zilch_optimizer_option_list(&count);
    const char *before = "search: ";
    for (size_t i = 0; i < count; i++) {
        char text[ZILCH_OPTION_SIZE];
        char other[ZILCH_OPTION_SIZE];
        zilch_option_format(&list[i], o, text);
        zilch_option_format(&list[i], &usual, other);
        int is_shown = strcmp(text, other) != 0 && strcmp(list[i].name, "direction") != 0 &&
                       strcmp(list[i].name, "expected_evaluations") != 0; /* a limit, once it has begun */
        for (size_t k = 0; k < sizeof always / sizeof *always; k++) {
            is_shown |= strcmp(list[i].name, always[k]) == 0;
        }
        if (!is_shown || (is_automatic(&list[i], o) && strcmp(list[i].name, "elites") == 0)) {
            continue;
        }
        fputs(before, stdout);
        for (const char *c = list[i].name; *c; c++) {
            putchar(*c == '_' ? ' ' : *c);
        }
        if (list[i].type == ZILCH_OPTION_NUMBER) {
            printf(" %.6g", *(const double *)((const char *)o + list[i].offset));
        } else {
            printf(" %s", is_automatic(&list[i], o) ? "automatic" : text);
        }
        before = ", ";
    }
    if (o->penalties) {
        fputs(", and penalties of single coordinates", stdout);
    }
    printf("\nseed: %llu\n", (unsigned long long)zilch_optimizer_seed(optimizer));
}

/* ---- How it ends ----------------------------------------------------------------------------- */

void search_report_stop(const char *before, zilch_stop stop)
{
    printf("%s: %s%s\n", before, study_stop_name(stop),
           stop == ZILCH_STOP_EXHAUSTED ? ", every possible point was evaluated" : "");
}

int search_is_noisy(const zilch_progress *state)
{
    return isfinite(state->noise) && state->noise > 0;
}

void search_report_noise(const zilch_progress *state)
{
    if (state->restarts > 0) {
        printf("restarts: %llu\n", (unsigned long long)state->restarts);
    }
    if (search_is_noisy(state)) {
        printf("noise: %.3g, the standard deviation of one evaluation of a good point\n", state->noise);
    }
}

void search_report_violation(double violation)
{
    if (violation > 0) {
        printf(", infeasible, violation %.6g", violation);
    }
}

/* `error` is the standard error of the value; 0 or NaN: there is none to speak of. */
static void print_point(const zilch_optimizer *optimizer, const char *label, double value, double error,
                        size_t active)
{
    printf("%s: value %.6g", label, value);
    if (error > 0) {
        printf(" +- %.3g", error);
    }
    printf(" with %zu active (%s) coordinate%s", active, meaning(optimizer), active == 1 ? "" : "s");
}

void search_report_penalised(double value, double fitness)
{
    if (fitness != value) {
        printf(", %.6g after the penalty", fitness);
    }
}

void search_report_seen(const zilch_optimizer *optimizer, const zilch_record *best)
{
    const zilch_progress state = zilch_optimizer_progress(optimizer);
    if (best->evaluations == 0) {
        puts("best seen: nothing yet");
        return;
    }
    print_point(optimizer, "best seen", best->value, NAN, best->active);
    search_report_penalised(best->value, best->fitness);
    search_report_violation(best->violation);
    puts(search_is_noisy(&state) ? "; with noise, the best of many values is a lucky one" : "");
}

void search_report_spent(uint64_t spent)
{
    printf(spent ? "; %llu of the evaluations in the final check\n" : "\n", (unsigned long long)spent);
}

/* Of the mean; 0 or NaN if there is none to speak of. */
static double recommended_error(const zilch_recommendation *r)
{
    return r->evaluations > 1 ? r->deviation / sqrt((double)r->evaluations) : NAN;
}

/* How well it is known: by evaluations that were made for it after the search. */
static void print_check(const zilch_recommendation *r)
{
    if (r->evaluations + r->failures > 0) {
        printf(", the mean of %llu new evaluation%s", (unsigned long long)r->evaluations,
               r->evaluations == 1 ? "" : "s");
        if (r->spent > r->evaluations) {
            printf(" out of %llu in the final check", (unsigned long long)r->spent);
        }
    } else if (isnan(r->deviation)) { /* the budget had none for it */
        fputs(", not evaluated again", stdout);
    }
    if (r->failures > 0) {
        printf(", %llu failed", (unsigned long long)r->failures);
    }
}

void search_report_recommended(const zilch_optimizer *optimizer, const zilch_conclusion *c)
{
    const zilch_recommendation *r = &c->recommendation;
    if (!c->is_recommending) {
        return;
    }
    print_point(optimizer, "recommended", r->mean, recommended_error(r), r->active);
    print_check(r);
    if (r->pruned) {
        printf(", %zu more set to %s at the end", r->pruned, has_defaults(optimizer) ? "default" : "zero");
    }
    search_report_violation(r->violation);
    putchar('\n');
    if (!isnan(c->held_out_mean)) {
        printf("held out: mean return %.2f", c->held_out_mean);
        if (!isnan(c->held_out_error)) {
            printf(" +- %.2f", c->held_out_error);
        }
        printf(" in %llu episodes of seeds from 0 on, which no search draws\n",
               (unsigned long long)c->held_out_count);
    }
}

/* ---- The front -------------------------------------------------------------------------------- */

zilch_record *search_front_read(const zilch_optimizer *optimizer, const zilch_conclusion *conclusion,
                                size_t *count, size_t *recommended)
{
    const size_t capacity = zilch_optimizer_dim(optimizer) + 2;
    zilch_record *front = calloc(capacity, sizeof *front);
    *count = 0;
    *recommended = SIZE_MAX;
    if (!front) {
        cli_fail("out of memory");
        return NULL;
    }
    const zilch_status status = conclusion && conclusion->is_recommending
                                    ? zilch_optimizer_front_with(optimizer, &conclusion->recommendation,
                                                                 capacity, front, count, recommended)
                                    : zilch_optimizer_front(optimizer, capacity, front, count);
    if (status != ZILCH_OK) {
        cli_fail_library();
        free(front);
        return NULL;
    }
    return front;
}

int search_report_front(const zilch_optimizer *optimizer, const zilch_conclusion *c, size_t most)
{
    size_t count;
    size_t recommended;
    zilch_record *front = search_front_read(optimizer, c, &count, &recommended);
    if (!front) {
        return CLI_FAILED;
    }
    const zilch_progress state = zilch_optimizer_progress(optimizer);
    const int is_noisy = search_is_noisy(&state);
    printf("\nbest value seen with each number of active coordinates:\n%8s %14s", "active", "value");
    if (is_noisy) {
        printf(" %10s %12s", "+-", "evaluations");
    }
    printf(" %14s\n", "after penalty");
    const size_t shown = count < most ? count : most;
    for (size_t k = 0; k < shown; k++) { /* the sparsest, the best, and some between them */
        const zilch_record *r = &front[shown > 1 ? k * (count - 1) / (shown - 1) : 0];
        printf("%8zu %14.6g", r->active, r->value);
        if (is_noisy) {
            printf(" %10.3g %12llu", r->error, (unsigned long long)r->evaluations);
        }
        printf(" %14.6g\n", r->fitness);
    }
    if (shown < count) {
        printf("%8s %zu in all (zilch show STUDY --run N --all shows them)\n", "...", count);
    }
    free(front);
    return 0;
}
