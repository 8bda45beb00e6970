/* The front of the run shown: the best value for each number of active coordinates. Values on record are
 * the best of many, so with noise they are lucky. Where the problem can be evaluated here, as the lander can,
 * the points are evaluated again, on noise that no search has met. */
#include "report/report_front.h"

#include "report/figures.h"
#include "report/report_figures.h"
#include "study/search_report.h"
#include "terminal/cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { AGAIN = 200 }; /* evaluations of each point */

static int evaluate_again(report *r, double *x)
{
    report_front *f = &r->front;
    zilch_status status = ZILCH_OK;
    for (size_t i = 0; i < f->count && status == ZILCH_OK && !cli_is_stopped(); i++) {
        status = i == f->recommended
                     ? ZILCH_OK
                     : zilch_optimizer_point(r->best.optimizer, f->point[i].record.point, x, NULL);
        if (status == ZILCH_ESTATE) { /* its coordinates were dropped */
            status = ZILCH_OK;
            continue;
        }
        const double *const point = i == f->recommended ? r->best.recommended_x : x;
        status = status == ZILCH_OK ? zilch_problem_held_out(r->problem, point, AGAIN, 0, NULL, NULL,
                                                             &f->point[i].mean, &f->point[i].error)
                                    : status;
        f->again = AGAIN;
    }
    return status == ZILCH_OK ? 0 : cli_fail_library();
}

int report_front_read(report *r)
{
    report_front *f = &r->front;
    const zilch_progress state = zilch_optimizer_progress(r->best.optimizer);
    size_t count;
    size_t recommended;
    zilch_record *record = search_front_read(r->best.optimizer, &r->best.conclusion, &count, &recommended);
    double *x = calloc(r->best.dim, sizeof *x);
    const size_t shown = count < REPORT_FRONT_MOST ? count : REPORT_FRONT_MOST;
    f->is_noisy = search_is_noisy(&state) || r->best.problem.is_lander;
    f->all = count;
    f->count = shown;
    f->recommended = SIZE_MAX;
    for (size_t k = 0; k < shown && record; k++) { /* the sparsest, the best, and some between them */
        const size_t at = shown > 1 ? k * (count - 1) / (shown - 1) : 0;
        f->point[k] = (report_front_point){record[at], NAN, NAN};
        f->recommended = at == recommended ? k : f->recommended;
    }
    const int is_here = r->problem && r->best.problem.is_lander;
    const int failed = !record ? CLI_FAILED
                       : !x    ? cli_fail("out of memory")
                               : is_here && evaluate_again(r, x);
    free(record);
    free(x);
    return failed;
}

/* ---- The figure ---------------------------------------------------------------------------------- */

static zilch_status write_data(void *context, FILE *stream)
{
    const report_front *f = &((const report *)context)->front;
    fputs("# active value evaluations again_mean again_error error\n", stream);
    for (size_t i = 0; i < f->count; i++) {
        const report_front_point *p = &f->point[i];
        fprintf(stream, "%zu", p->record.active);
        figure_put_number(stream, p->record.value);
        fprintf(stream, " %llu", (unsigned long long)p->record.evaluations);
        figure_put_number(stream, p->mean);
        figure_put_number(stream, p->error);
        figure_put_number(stream, f->is_noisy ? p->record.error : NAN);
        fputc('\n', stream);
    }
    return ZILCH_OK;
}

/* Positive values over several decades, where less is better. */
static int is_logarithmic(const report *r)
{
    double least = INFINITY;
    double most = 0.0;
    for (size_t i = 0; i < r->front.count; i++) {
        least = fmin(least, r->front.point[i].record.value);
        most = fmax(most, r->front.point[i].record.value);
    }
    return r->setting.info.direction == ZILCH_MINIMIZE && least > 0.0 && most > 1e3 * least;
}

static zilch_status write_meta(void *context, FILE *stream)
{
    const report *r = context;
    fprintf(stream, "texts = 2\nis_return = %d\nis_log = %d\nagain = %llu\n", r->best.problem.is_lander,
            is_logarithmic(r), (unsigned long long)r->front.again);
    figure_put_setting(stream, "chosen",
                       r->best.conclusion.is_recommending ? (double)r->best.conclusion.recommendation.active
                                                          : (double)r->best.seen.active);
    return ZILCH_OK;
}

static zilch_status write_texts(void *context, FILE *stream)
{
    const report *r = context;
    char text[FIGURE_TEXT_SIZE];
    figure_put_text(stream, 1, figure_title(r, text));
    figure_put_text(stream, 2, figure_escape(r->name, text));
    return ZILCH_OK;
}

int report_write_front(const report *r, const private_folder *folder, report_figures *out)
{
    report copy = *r; /* writers are given what they may change */
    if (r->front.count < 2) {
        return 0;
    }
    out->name[out->count++] = "front";
    return figures_write(folder, "front", ".dat", write_data, &copy) ||
           figures_write(folder, "front", ".meta.gp", write_meta, &copy) ||
           figures_write(folder, "front", ".text.dat", write_texts, &copy);
}
