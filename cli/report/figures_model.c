/* The four figures of the model:
 *
 *   histogram   draws of a univariate law: the point mass at zero beside the Gaussian
 *   shift       active values where corr(V, M) is not 0: neither mu nor sigma is seen
 *   recovered   recovered against true latent correlations
 *   error       absolute error of value-value correlations by the rarer activation
 *
 * Every number is a function of the pairs given and of fixed seeds: the same run gives the same files.
 * Functions that return int give 0, or 1 after printing why. */
#include "report/figures_model.h"

#include "report/figures.h"
#include "terminal/cli.h"
#include "zilch.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- Recovered against true: a histogram in two dimensions ---------------------- */

/* Some 200,000 points hide one another; counts in cells do not. */

enum { GRID = 100 }; /* cells a side, over [-1, 1] */

typedef struct density {
    const figure_pairs *pairs;
    size_t cell[GRID][GRID]; /* [true][recovered] */
} density;

/* The ends belong to the outer cells: an inverter clamps to -1 and 1 exactly. */
static size_t grid_index(float correlation)
{
    const double scaled = ((double)correlation + 1) / 2 * GRID;
    return scaled > 0 ? (size_t)fmin(scaled, GRID - 1) : 0;
}

/* The blank line after each column of cells is what gnuplot's grids need. */
static zilch_status density_write(void *context, FILE *stream)
{
    const density *d = context;
    fputs("# true recovered count\n", stream);
    for (size_t x = 0; x < GRID; x++) {
        for (size_t y = 0; y < GRID; y++) {
            fprintf(stream, "%.2f %.2f %zu\n", ((double)x + 0.5) * 2 / GRID - 1,
                    ((double)y + 0.5) * 2 / GRID - 1, d->cell[x][y]);
        }
        fputc('\n', stream);
    }
    return ZILCH_OK;
}

static zilch_status density_write_meta(void *context, FILE *stream)
{
    const density *d = context;
    size_t most = 0;
    for (size_t i = 0; i < (size_t)GRID * GRID; i++) {
        most = d->cell[i / GRID][i % GRID] > most ? d->cell[i / GRID][i % GRID] : most;
    }
    fprintf(stream, "# correlations, their mean absolute and squared error, concordance; fullest cell\n");
    fprintf(stream, "n = %zu\nmae = %.6g\nmse = %.6g\nccc = %.8g\nmost = %zu\n", d->pairs->count,
            d->pairs->mae, d->pairs->mse, d->pairs->ccc, most);
    return ZILCH_OK;
}

static int recovered_write(const private_folder *f, const figure_pairs *pairs)
{
    density *d = calloc(1, sizeof *d);
    if (!d) {
        return cli_fail("out of memory");
    }
    d->pairs = pairs;
    for (size_t i = 0; i < pairs->count; i++) {
        d->cell[grid_index(pairs->truth[i])][grid_index(pairs->recovered[i])]++;
    }
    const int failed = figures_write(f, "recovered", ".dat", density_write, d) ||
                       figures_write(f, "recovered", ".meta.gp", density_write_meta, d);
    free(d);
    return failed;
}

/* ---- Error of value-value pairs by the rarer activation --------------------------- */

/* Points shown: enough for the eye, few enough for an SVG of a megabyte. */
enum { SCATTER = 10000, BINS = 40, BIN_LEAST = 25 };

typedef struct error_point {
    double min_p, error;
} error_point;

typedef struct error_points {
    size_t count;
    error_point *point; /* by min_p, ascending */
    double *error;      /* room for those of a bin */
} error_points;

static int by_min_p(const void *a, const void *b)
{
    const double x = ((const error_point *)a)->min_p;
    const double y = ((const error_point *)b)->min_p;
    return (x > y) - (x < y);
}

/* The bins are even on a square-root scale, where the rare end has room; neighbours
 * are joined until a bin holds enough for its quantiles to mean something. */
static size_t bin_length(const error_points *all, size_t start)
{
    const size_t left = all->count - start;
    const double edge = (floor(sqrt(all->point[start].min_p) * BINS) + 1) / BINS;
    size_t length = 0;
    while (length < left && (length < BIN_LEAST || sqrt(all->point[start + length].min_p) < edge)) {
        length++;
    }
    return left - length < BIN_LEAST ? left : length;
}

/* Two blank lines part the blocks: `index 0` and `index 1` in the script. Thinning by rank keeps the
 * distribution over min_p as it is. A bin has quantiles, because errors are skewed and span decades, and the
 * mean for those who want it. */
static zilch_status error_write(void *context, FILE *stream)
{
    const error_points *all = context;
    const size_t stride = (all->count + SCATTER - 1) / SCATTER;
    double *error = all->error;
    fprintf(stream, "# min_p abs_error: every point of rank k * %zu by min_p\n", stride);
    for (size_t i = 0; i < all->count; i += stride) {
        fprintf(stream, "%.5g %.4g\n", all->point[i].min_p, all->point[i].error);
    }
    fputs("\n\n# min_p median q10 q90 mean count\n", stream);
    for (size_t start = 0, count; start < all->count; start += count) {
        double min_p = 0, mean = 0;
        count = bin_length(all, start);
        for (size_t i = 0; i < count; i++) {
            const error_point *point = &all->point[start + i];
            min_p += point->min_p / (double)count;
            mean += point->error / (double)count;
            error[i] = point->error;
        }
        fprintf(stream, "%.6g %.6g %.6g %.6g %.6g %zu\n", min_p, zilch_quantile(count, error, 0.5),
                zilch_quantile(count, error, 0.1), zilch_quantile(count, error, 0.9), mean, count);
    }
    return ZILCH_OK;
}

static int error_figure_write(const private_folder *f, const figure_pairs *pairs)
{
    error_points all = {.point = malloc((pairs->count + 1) * sizeof *all.point),
                        .error = malloc((pairs->count + 1) * sizeof *all.error)};
    const int has_room = all.point && all.error;
    for (size_t i = 0; i < pairs->count && has_room; i++) {
        if (pairs->is_vv[i]) {
            const double error = fabs((double)pairs->recovered[i] - (double)pairs->truth[i]);
            all.point[all.count++] = (error_point){(double)pairs->min_p[i], error};
        }
    }
    if (all.count > 0) {
        qsort(all.point, all.count, sizeof *all.point, by_min_p);
    }
    const int failed = !has_room        ? cli_fail("out of memory")
                       : all.count == 0 ? cli_fail("no pairs of values: nothing to draw")
                                        : figures_write(f, "error", ".dat", error_write, &all);
    free(all.point);
    free(all.error);
    return failed;
}

/* ---- Histograms of one-dimensional laws ------------------------------------------ */

/* Zero is in the middle of a cell, the bar that has exact zeros on top of values near
 * zero. */
enum { ZERO_CELL = 80, CELLS = 2 * ZERO_CELL };

typedef struct univariate {
    const char *name;
    zilch_file_writer write;
    double p, mu, sigma, corr; /* corr(V, M) */
    size_t rows;
    double width; /* of a cell; they are centred on 0 and its multiples */
    size_t active, zeros, cell[CELLS];
    double mean, deviation; /* of the active values drawn */
} univariate;

static double cell_centre(const univariate *u, size_t index)
{
    return ((double)index - ZERO_CELL) * u->width;
}

/* Zeros add nothing to the sums, so these are sums over the active values. No draw of
 * these laws comes near the outer cells, almost six deviations away. */
static void univariate_count(univariate *u, const double *x)
{
    double sum = 0, squares = 0;
    for (size_t i = 0; i < u->rows; i++) {
        const double index = round(x[i] / u->width) + ZERO_CELL;
        if (x[i] == 0) {
            u->zeros++;
        } else if (index >= 0 && index < CELLS) {
            u->cell[(size_t)index]++;
        }
        sum += x[i];
        squares += x[i] * x[i];
    }
    u->active = u->rows - u->zeros;
    u->mean = sum / (double)u->active;
    u->deviation = sqrt(squares / (double)u->active - u->mean * u->mean);
}

static int univariate_draw(univariate *u)
{
    const double correlation[] = {1, u->corr, u->corr, 1};
    zilch_rng rng = zilch_rng_make(1, 0);
    zilch_model *model = NULL;
    double *x = malloc(u->rows * sizeof *x);
    if (!x) {
        return cli_fail("out of memory");
    }
    const int failed = zilch_model_create(&model, 1, &u->p, &u->mu, &u->sigma, correlation) != ZILCH_OK ||
                       zilch_model_sample(model, &rng, u->rows, x) != ZILCH_OK;
    if (!failed) {
        univariate_count(u, x);
    }
    zilch_model_destroy(model);
    free(x);
    return failed ? cli_fail_library() : 0;
}

static zilch_status histogram_write(void *context, FILE *stream)
{
    const univariate *u = context;
    fprintf(stream, "# bin width %g\n# bin_centre active_count zero_count\n", u->width);
    for (size_t i = 0; i < CELLS; i++) {
        fprintf(stream, "%.2f %zu %zu\n", cell_centre(u, i), u->cell[i], i == ZERO_CELL ? u->zeros : 0);
    }
    return ZILCH_OK;
}

static zilch_status shift_write(void *context, FILE *stream)
{
    const univariate *u = context;
    fprintf(stream, "# bin width %g\n# bin_centre density\n", u->width);
    for (size_t i = 0; i < CELLS; i++) {
        fprintf(stream, "%.2f %.6g\n", cell_centre(u, i),
                (double)u->cell[i] / ((double)u->active * u->width));
    }
    return ZILCH_OK;
}

/* The scripts draw the exact densities from these, and name them in their headlines. */
static zilch_status univariate_write_meta(void *context, FILE *stream)
{
    const univariate *u = context;
    fprintf(stream, "# the law\np = %g\nmu = %g\nsigma = %g\ng = %g\n", u->p, u->mu, u->sigma, u->corr);
    fprintf(stream, "# what was drawn from it\nn = %zu\nzeros = %zu\nbin = %g\n", u->rows, u->zeros,
            u->width);
    fprintf(stream, "drawn_mean = %.6g\ndrawn_deviation = %.6g\n", u->mean, u->deviation);
    return ZILCH_OK;
}

/* Both laws give 90,000 to 100,000 active values. */
static int univariates_write(const private_folder *f)
{
    univariate laws[] = {
        {"histogram", histogram_write, .p = 0.9, .mu = 2, .sigma = 1, .rows = 100000, .width = 0.2},
        {"shift", shift_write, .p = 0.1, .mu = 2, .sigma = 1, .corr = 0.6, .rows = 1000000, .width = 0.1}};
    int failed = 0;
    for (univariate *law = laws; law < laws + 2 && !failed; law++) {
        failed = univariate_draw(law) || figures_write(f, law->name, ".dat", law->write, law) ||
                 figures_write(f, law->name, ".meta.gp", univariate_write_meta, law);
    }
    return failed;
}

/* All data come before the first picture: without gnuplot they are still complete. */
int figures_draw_model(const char *folder, const figure_pairs *pairs)
{
    static const char *const names[] = {"histogram", "shift", "recovered", "error"};
    enum { COUNT = sizeof names / sizeof *names };
    int is_drawn[COUNT] = {0};
    private_folder f;
    if (figures_make_folder(folder) || private_folder_make(&f, folder)) {
        return CLI_FAILED;
    }
    int failed = univariates_write(&f) || recovered_write(&f, pairs) || error_figure_write(&f, pairs);
    if (!failed) {
        failed = figures_draw(&f, COUNT, names, is_drawn);
        failed |= cli_is_stopped() || figures_publish(&f, COUNT, names);
    }
    private_folder_remove(&f);
    return failed;
}
