/* What a watcher prints. Bars are the eight block characters, the lowest for the least. */
#include "study/follow_print.h"

#include "study/follow_inside.h"
#include "study/search_report.h"
#include "terminal/cli.h"
#include "terminal/progress.h"
#include "terminal/text.h"

#include <math.h>
#include <stdlib.h>

enum {
    WIDE = 60,
    BAR_BINS = 24,
    NAME_WIDTH = 22,
    FRONT_ROWS = 8,
    ACTIVE_ROWS = 10,
    REASONS = 4,
    REASON_LETTERS = 66
};

static const char *bar(double share)
{
    static const char *const bars[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    const long level = lround(7 * share);
    return bars[level < 0 ? 0 : level > 7 ? 7 : level];
}

static const followed *find(const follow *f, uint64_t run)
{
    for (size_t i = 0; i < f->count; i++) {
        if (f->list[i].run == run || (!run && i + 1 == f->count)) {
            return &f->list[i];
        }
    }
    cli_fail("%s: has no run %llu", f->path, (unsigned long long)run);
    return NULL;
}

int follow_has_ended(const follow *f, uint64_t *run)
{
    const followed *r = find(f, *run);
    *run = r ? r->run : 0;
    return r ? r->stop != ZILCH_STOP_NONE : -1;
}

/* ---- How far it is ---------------------------------------------------------------------------------- */

static void print_left(const followed *r, FILE *stream)
{
    const zilch_generation *last = &r->row[r->rows - 1];
    const size_t begin = r->rows > 50 ? r->rows - 50 : 0;
    const double made = (double)(last->evaluations - (begin ? r->row[begin - 1].evaluations : 0));
    double seconds = 0;
    char text[32];
    for (size_t i = begin; i < r->rows; i++) {
        seconds += r->row[i].timings.evaluating + r->row[i].timings.searching;
    }
    if (!(seconds > 0)) {
        return;
    }
    fprintf(stream, ", %.3g a second", made / seconds);
    if (r->stop == ZILCH_STOP_NONE && r->limits.evaluations > last->evaluations && made > 0) {
        progress_duration((double)(r->limits.evaluations - last->evaluations) * seconds / made, text,
                          sizeof text);
        fprintf(stream, ", %s left", text);
    }
}

static void print_place(const followed *r, FILE *stream)
{
    const zilch_run *run = &r->source->run;
    const zilch_generation *last = &r->row[r->rows - 1];
    fprintf(stream, "run %llu: ", (unsigned long long)r->run);
    text_put_within(stream, *run->request.name ? run->request.name : zilch_method_name(run->method),
                    NAME_WIDTH);
    fputs(", ", stream);
    text_put_within(stream, run->request.problem, WIDE);
    fprintf(stream, "\ngeneration %llu, %llu evaluations", (unsigned long long)last->generation,
            (unsigned long long)last->evaluations);
    if (r->limits.evaluations) {
        fprintf(stream, " of %llu", (unsigned long long)r->limits.evaluations);
    }
    fprintf(stream, ", %llu failed", (unsigned long long)last->failures);
    print_left(r, stream);
    fprintf(stream, "\n%s%s\n", r->stop == ZILCH_STOP_NONE ? "" : "ended by: ",
            r->stop == ZILCH_STOP_NONE ? "it has not ended" : study_stop_name(r->stop));
    if (!isnan(last->best_fitness)) {
        fprintf(stream, "value %.6g, after the penalty %.6g, active %zu", last->best_value,
                last->best_fitness, last->best_active);
        fprintf(stream, last->noise > 0 ? ", noise %.3g\n" : "\n", last->noise);
    }
}

/* ---- Values -------------------------------------------------------------------------------------------- */

static void print_values(const followed *r, FILE *stream)
{
    double least = INFINITY;
    double most = -INFINITY;
    const size_t columns = r->rows < WIDE ? r->rows : WIDE;
    for (size_t i = 0; i < r->rows; i++) {
        least = fmin(least, r->row[i].best_fitness);
        most = fmax(most, r->row[i].best_fitness);
    }
    if (!(least <= most)) {
        return;
    }
    fprintf(stream, "\nafter the penalty, from %.4g to %.4g:\n  ", least, most);
    for (size_t k = 0; k < columns; k++) {
        const double value = r->row[(k + 1) * r->rows / columns - 1].best_fitness;
        fputs(isnan(value) ? " " : bar(most > least ? (value - least) / (most - least) : 1), stream);
    }
    fputc('\n', stream);
}

static int print_front(const zilch_optimizer *optimizer, FILE *stream)
{
    size_t count;
    size_t recommended;
    zilch_record *front = search_front_read(optimizer, NULL, &count, &recommended);
    if (!front) {
        return CLI_FAILED;
    }
    const size_t shown = count < FRONT_ROWS ? count : FRONT_ROWS;
    fputs(shown ? "\nfront:\n  active         value\n" : "", stream);
    for (size_t k = 0; k < shown; k++) {
        const zilch_record *r = &front[shown > 1 ? k * (count - 1) / (shown - 1) : 0];
        fprintf(stream, "  %6zu  %12.6g\n", r->active, r->value);
    }
    free(front);
    return 0;
}

/* ---- What is active, and what has failed -----------------------------------------------------------------
 */

static double share_of(const followed *r, size_t bin, size_t index)
{
    return r->all[bin] ? (double)r->active[bin * r->dim + index] / r->all[bin] : 0.0;
}

/* Those that are active most often now; each is put in its place, and the last falls out. */
static size_t choose(const followed *r, size_t bin, size_t out[ACTIVE_ROWS + 1])
{
    size_t count = 0;
    for (size_t i = 0; i < r->dim; i++) {
        const double share = share_of(r, bin, i);
        size_t at = count;
        if (!(share > 0)) {
            continue;
        }
        for (; at > 0 && share_of(r, bin, out[at - 1]) < share; at--) {
            out[at] = out[at - 1];
        }
        out[at] = i;
        count += count < ACTIVE_ROWS;
    }
    return count;
}

static void print_active(const followed *r, FILE *stream)
{
    size_t chosen[ACTIVE_ROWS + 1];
    const size_t bins = (size_t)((r->seen + r->width - 1) / r->width);
    const size_t columns = bins < BAR_BINS ? bins : BAR_BINS;
    const size_t count = bins ? choose(r, bins - 1, chosen) : 0;
    fputs(count ? "\nactive, by the share of evaluations:\n" : "", stream);
    for (size_t k = 0; k < count; k++) {
        char name[NAME_SHOWN];
        follow_name(r->source, chosen[k], name);
        const size_t letters = text_width(name);
        fputs("  ", stream);
        text_put_within(stream, name, NAME_WIDTH);
        fprintf(stream, "%*s ", (int)(letters < NAME_WIDTH ? NAME_WIDTH - letters : 0), "");
        for (size_t c = 0; c < columns; c++) {
            fputs(bar(share_of(r, (c + 1) * bins / columns - 1, chosen[k])), stream);
        }
        fprintf(stream, " %3.0f %%\n", 100 * share_of(r, bins - 1, chosen[k]));
    }
}

static void print_failures(const followed *r, FILE *stream)
{
    fputs(r->failures ? "\nthe last failures:\n" : "", stream);
    for (size_t k = 0; k < REASONS && k < r->failures; k++) {
        const follow_failure *failure = &r->failure[(r->failures - 1 - k) % FAILURES_SHOWN];
        fprintf(stream, "  generation %llu: ", (unsigned long long)failure->generation);
        text_put_within(stream, failure->reason, REASON_LETTERS);
        fputc('\n', stream);
    }
}

int follow_print(const follow *f, uint64_t run, const zilch_optimizer *optimizer, FILE *stream)
{
    const followed *r = find(f, run);
    if (!r) {
        return CLI_FAILED;
    }
    if (!r->rows) {
        fprintf(stream, "run %llu: no generation yet\n", (unsigned long long)r->run);
        return 0;
    }
    print_place(r, stream);
    print_values(r, stream);
    if (optimizer && print_front(optimizer, stream)) {
        return CLI_FAILED;
    }
    print_active(r, stream);
    print_failures(r, stream);
    return 0;
}
