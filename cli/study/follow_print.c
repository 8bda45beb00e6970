/* What a watcher prints. Bars are the eight block characters, the lowest for the least. On a terminal all of
 * it is seen at once: there the front lies on its side, and rows of coordinates and failures take what is
 * left. */
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
    NAME_WIDTH = 22,
    FRONT_ROWS = 8,
    ACTIVE_ROWS = 10,
    ACTIVE_ROWS_MOST = 40,
    REASONS = 4,
    REASONS_OF_FEW_ROWS = 2,
    FIXED_ROWS = 14,     /* beside coordinates and failures, with the line of the cursor */
    ACTIVE_LETTERS = 31, /* of a coordinate's row, beside its bars */
    FEWEST_COLUMNS = 40
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
    if (r->limits.evaluations > last->evaluations && made > 0) {
        progress_duration((double)(r->limits.evaluations - last->evaluations) * seconds / made, text,
                          sizeof text);
        fprintf(stream, ", about %s left", text);
    }
    fprintf(stream, ", %.4g evaluations a second", made / seconds);
}

static void print_place(const followed *r, size_t columns, FILE *stream)
{
    const zilch_run *run = &r->source->run;
    const zilch_generation *last = &r->row[r->rows - 1];
    fprintf(stream, "run %llu: ", (unsigned long long)r->run);
    text_put_within(stream, *run->request.name ? run->request.name : zilch_method_name(run->method),
                    NAME_WIDTH);
    fputs(", ", stream);
    text_put_within(stream, run->request.problem, columns < WIDE + NAME_WIDTH ? columns - NAME_WIDTH : WIDE);
    fprintf(stream, "\ngeneration %llu, %llu evaluations", (unsigned long long)last->generation,
            (unsigned long long)last->evaluations);
    if (r->limits.evaluations) {
        fprintf(stream, " of %llu", (unsigned long long)r->limits.evaluations);
    }
    fprintf(stream, ", %llu failed\n", (unsigned long long)last->failures);
    if (r->stop == ZILCH_STOP_NONE) {
        fputs("it has not ended", stream);
        print_left(r, stream);
        fputc('\n', stream);
    } else {
        fprintf(stream, "ended by: %s\n", study_stop_name(r->stop));
    }
    if (!isnan(last->best_fitness)) {
        fprintf(stream, "value %.6g, after the penalty %.6g, active %zu", last->best_value,
                last->best_fitness, last->best_active);
        fprintf(stream, last->noise > 0 ? ", noise %.3g\n" : "\n", last->noise);
    }
}

/* ---- Values -------------------------------------------------------------------------------------------- */

static void print_values(const followed *r, size_t most_columns, FILE *stream)
{
    double least = INFINITY;
    double most = -INFINITY;
    const size_t columns = r->rows < most_columns ? r->rows : most_columns;
    for (size_t i = 0; i < r->rows; i++) {
        least = fmin(least, r->row[i].best_fitness);
        most = fmax(most, r->row[i].best_fitness);
    }
    if (!(least <= most)) {
        return;
    }
    fprintf(stream, "\nafter the penalty, from %.4g to %.4g, in generations 1 to %zu:\n  ", least, most,
            r->rows);
    for (size_t k = 0; k < columns; k++) {
        const double value = r->row[(k + 1) * r->rows / columns - 1].best_fitness;
        fputs(isnan(value) ? " " : bar(most > least ? (value - least) / (most - least) : 1), stream);
    }
    fputc('\n', stream);
}

/* Place k of those that are shown, evenly spread, from the sparsest to the best. */
static const zilch_record *front_at(const zilch_record *front, size_t count, size_t k, size_t shown)
{
    return &front[shown > 1 ? k * (count - 1) / (shown - 1) : 0];
}

/* A line for each point; on a terminal, two lines. */
static void put_front(const zilch_record *front, size_t count, size_t shown, int is_flat, FILE *stream)
{
    if (!is_flat) {
        fputs("\nfront:\n  active         value\n", stream);
        for (size_t k = 0; k < shown; k++) {
            const zilch_record *r = front_at(front, count, k, shown);
            fprintf(stream, "  %6zu  %12.6g\n", r->active, r->value);
        }
        return;
    }
    fputs("\nfront, the best value with so many active coordinates:\n  active", stream);
    for (size_t k = 0; k < shown; k++) {
        fprintf(stream, " %10zu", front_at(front, count, k, shown)->active);
    }
    fputs("\n  value ", stream);
    for (size_t k = 0; k < shown; k++) {
        fprintf(stream, " %10.4g", front_at(front, count, k, shown)->value);
    }
    fputc('\n', stream);
}

static int print_front(const zilch_optimizer *optimizer, size_t columns, int is_flat, FILE *stream)
{
    enum { HEAD_LETTERS = 8, POINT_LETTERS = 11 };
    size_t count;
    size_t recommended;
    const size_t fitting = is_flat ? (columns - HEAD_LETTERS) / POINT_LETTERS : FRONT_ROWS;
    const size_t most = fitting < FRONT_ROWS ? fitting : FRONT_ROWS;
    zilch_record *front = search_front_read(optimizer, NULL, &count, &recommended);
    if (!front) {
        return CLI_FAILED;
    }
    if (count) {
        put_front(front, count, count < most ? count : most, is_flat, stream);
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
static size_t choose(const followed *r, size_t bin, size_t most, size_t *out)
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
        count += count < most;
    }
    return count;
}

static void print_active(const followed *r, size_t most, size_t bars, FILE *stream)
{
    size_t chosen[ACTIVE_ROWS_MOST + 1];
    const size_t bins = (size_t)((r->seen + r->width - 1) / r->width);
    const size_t columns = bins < bars ? bins : bars;
    const size_t count = bins ? choose(r, bins - 1, most, chosen) : 0;
    fputs(count ? "\nactive, by the share of evaluations, over generations:\n" : "", stream);
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

static void print_failures(const followed *r, size_t most, size_t columns, FILE *stream)
{
    fputs(r->failures ? "\nthe last failures:\n" : "", stream);
    for (size_t k = 0; k < most && k < r->failures; k++) {
        const follow_failure *failure = &r->failure[(r->failures - 1 - k) % FAILURES_SHOWN];
        const int used = fprintf(stream, "  generation %llu: ", (unsigned long long)failure->generation);
        const size_t left = used > 0 && (size_t)used < columns ? columns - (size_t)used : 1;
        text_put_within(stream, failure->reason, left);
        fputc('\n', stream);
    }
}

/* What is left for coordinates, 1 at least. */
static size_t active_rows(const followed *r, follow_size size, size_t reasons)
{
    const size_t failed = r->failures < reasons ? r->failures : reasons;
    const size_t used = FIXED_ROWS + (failed ? failed + 2 : 0);
    const size_t left = size.rows > used ? size.rows - used : 1;
    return left < ACTIVE_ROWS_MOST ? left : ACTIVE_ROWS_MOST;
}

int follow_print(const follow *f, uint64_t run, const zilch_optimizer *optimizer, follow_size size,
                 FILE *stream)
{
    const followed *r = find(f, run);
    if (!r) {
        return CLI_FAILED;
    }
    if (!r->rows) {
        fprintf(stream, "run %llu: no generation yet\n", (unsigned long long)r->run);
        return 0;
    }
    const size_t columns = size.columns > FEWEST_COLUMNS ? size.columns : FEWEST_COLUMNS;
    const size_t reasons = size.rows && size.rows < 30 ? REASONS_OF_FEW_ROWS : REASONS;
    print_place(r, columns, stream);
    print_values(r, columns - 3, stream);
    if (optimizer && print_front(optimizer, columns, size.rows > 0, stream)) {
        return CLI_FAILED;
    }
    print_active(r, size.rows ? active_rows(r, size, reasons) : ACTIVE_ROWS, columns - ACTIVE_LETTERS - 1,
                 stream);
    print_failures(r, reasons, columns, stream);
    return 0;
}
