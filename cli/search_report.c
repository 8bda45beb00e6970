/* Lines about what a search has found. Six digits: what is beyond them is noise to a reader; 'zilch export'
 * and --json have them all. */
#include "search_report.h"

#include "cli.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* One part of a line that begins with "refit: ", behind those that were there before. */
static void print_part(int *is_first, const char *name, const char *value)
{
    printf("%s%s%s%s", *is_first ? "refit: " : ", ", name, *value ? " " : "", value);
    *is_first = 0;
}

static void print_number_part(int *is_first, const char *name, double value)
{
    char text[32];
    if (value > 0) {
        snprintf(text, sizeof text, "%.6g", value);
        print_part(is_first, name, text);
    }
}

/* Parts that are on: "refit: prior sigma 5, margin 0.5, widened". */
static void print_refit(const zilch_refit *r)
{
    int is_first = 1;
    print_number_part(&is_first, "prior p", r->prior_p);
    print_number_part(&is_first, "prior mu", r->prior_mu);
    print_number_part(&is_first, "prior sigma", r->prior_sigma);
    print_number_part(&is_first, "prior correlation", r->prior_correlation);
    if (r->weighting != ZILCH_WEIGHTING_EQUAL) {
        print_part(&is_first, "weighting", zilch_weighting_name(r->weighting));
    }
    if (r->values != ZILCH_VALUES_NORMAL) {
        print_part(&is_first, "values", zilch_values_name(r->values));
    }
    print_number_part(&is_first, "margin", r->margin);
    print_number_part(&is_first, "shift", r->shift);
    print_number_part(&is_first, "copied", r->copied);
    print_number_part(&is_first, "redrawn", r->redrawn);
    print_number_part(&is_first, "timid", r->timid);
    if (r->is_widened) {
        print_part(&is_first, "widened", "");
    }
    fputs(is_first ? "" : "\n", stdout);
}

void search_report_settings(const zilch_optimizer *optimizer)
{
    const zilch_optimizer_options *o = zilch_optimizer_settings(optimizer);
    printf("search: law %s, population %zu, elites %zu, archive %s, again %s, price %.6g",
           zilch_law_name(o->law), o->population, o->elites, zilch_archive_name(o->archive),
           zilch_again_name(o->again), o->price);
    if (o->remember > 0) {
        printf(", remember %zu", o->remember);
    }
    if (o->restart > 0) {
        printf(", restart %llu", (unsigned long long)o->restart);
    }
    putchar('\n');
    if (o->law == ZILCH_LAW_ZIG && o->model.structure != ZILCH_STRUCTURE_FULL) {
        printf("fit: structure %s", zilch_structure_name(o->model.structure));
        if (o->model.structure == ZILCH_STRUCTURE_LOW_RANK) {
            printf(", rank %zu, shrinkage %s", o->model.rank, zilch_shrinkage_name(o->model.shrinkage));
        }
        putchar('\n');
        print_refit(&o->refit);
    } else if (o->law == ZILCH_LAW_ZIG) {
        printf("fit: inverter %s, shrinkage %s, projection %s\n", zilch_inverter_name(o->model.inverter),
               zilch_shrinkage_name(o->model.shrinkage), zilch_projection_name(o->model.projection));
        print_refit(&o->refit);
    }
    printf("seed: %llu\n", (unsigned long long)zilch_optimizer_seed(optimizer));
}

int search_is_noisy(const zilch_progress *progress)
{
    return isfinite(progress->noise) && progress->noise > 0;
}

void search_report_noise(const zilch_progress *progress)
{
    if (progress->restarts > 0) {
        printf("restarts: %llu\n", (unsigned long long)progress->restarts);
    }
    if (search_is_noisy(progress)) {
        printf("noise: %.3g, the standard deviation of one evaluation of a good point\n", progress->noise);
    }
}

void search_report_seen(const zilch_record *best)
{
    if (best->evaluations == 0) {
        puts("best seen: nothing yet");
        return;
    }
    printf("best seen: fitness %.6g, value %.6g, active %zu\n", best->fitness, best->value, best->active);
}

/* The standard error of the mean, where there is noise to speak of. */
static void print_mean(const zilch_recommendation *r)
{
    printf("recommended: value %.6g", r->mean);
    if (r->deviation > 0 && r->evaluations > 1) {
        printf(" +- %.3g", r->deviation / sqrt((double)r->evaluations));
    }
    printf(" in %llu", (unsigned long long)r->evaluations);
    if (r->spent > r->evaluations) {
        printf(" of %llu", (unsigned long long)r->spent);
    }
    printf(" fresh evaluation%s", r->spent == 1 ? "" : "s");
    if (r->failures > 0) {
        printf(", %llu failed", (unsigned long long)r->failures);
    }
    printf(", active %zu", r->active);
    if (r->pruned) {
        printf(", %zu pruned", r->pruned);
    }
    putchar('\n');
}

void search_report_recommended(const zilch_conclusion *conclusion)
{
    if (!conclusion->is_recommending) {
        return;
    }
    print_mean(&conclusion->recommendation);
    if (!isnan(conclusion->held_out_mean)) {
        printf("held out: mean return %.2f", conclusion->held_out_mean);
        if (!isnan(conclusion->held_out_error)) {
            printf(" +- %.2f", conclusion->held_out_error);
        }
        printf(" in %llu episodes of seeds from 0 on, which no search draws\n",
               (unsigned long long)conclusion->held_out_count);
    }
}

zilch_record *search_front_read(const zilch_optimizer *optimizer, size_t *count)
{
    const size_t capacity = zilch_optimizer_dim(optimizer) + 1;
    zilch_record *front = calloc(capacity, sizeof *front);
    *count = 0;
    if (!front) {
        cli_fail("out of memory");
    } else if (zilch_front(optimizer, capacity, front, count) != ZILCH_OK) {
        cli_fail_library();
        free(front);
        front = NULL;
    }
    return front;
}

int search_report_front(const zilch_optimizer *optimizer, size_t most)
{
    size_t count;
    zilch_record *front = search_front_read(optimizer, &count);
    if (!front) {
        return CLI_FAILED;
    }
    printf("\nfront, the best value for each number of active coordinates:\n%8s %14s %14s\n", "active",
           "value", "fitness");
    const size_t shown = count < most ? count : most;
    for (size_t k = 0; k < shown; k++) { /* the sparsest, the best, and some between them */
        const zilch_record *r = &front[shown > 1 ? k * (count - 1) / (shown - 1) : 0];
        printf("%8zu %14.6g %14.6g\n", r->active, r->value, r->fitness);
    }
    if (shown < count) {
        printf("%8s %zu in all (zilch show STUDY --run N --all shows them)\n", "...", count);
    }
    free(front);
    return 0;
}
