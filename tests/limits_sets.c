/* Reads sets of limits and says of each whether an optimiser takes it, with some of the points that it asks
 * for: what limits_highs.py compares with another solver.
 *
 * A set is: dim min_active max_active points seed; for each coordinate forced (0, 1 on, 2 off) group lower
 * upper step, the length of a list of values and the list; the number of rows, and for each lower upper and
 * dim weights. The answer is a line "refused MESSAGE", or "kept N" and N lines of dim numbers. */
#include <zilch.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_DIM = 64, MOST_ROWS = 32, MOST_POINTS = 64, MOST_VALUES = 16 };

/* The step and the list of a coordinate. */
static int read_values(double *step, double *list, zilch_values *values)
{
    *values = (zilch_values){.value = list};
    if (scanf("%lf %zu", step, &values->count) != 2 || values->count > MOST_VALUES) {
        return 0;
    }
    for (size_t k = 0; k < values->count; k++) {
        if (scanf("%lf", &list[k]) != 1) {
            return 0;
        }
    }
    return 1;
}

static int read_set(zilch_optimizer_options *options, size_t *dim, size_t *points, uint64_t *seed)
{
    static zilch_forced forced[MOST_DIM];
    static size_t group[MOST_DIM];
    static double lower[MOST_DIM], upper[MOST_DIM], weight[MOST_ROWS][MOST_DIM];
    static double step[MOST_DIM], list[MOST_DIM][MOST_VALUES];
    static zilch_values values[MOST_DIM];
    static zilch_linear_limit limit[MOST_ROWS];
    size_t rows;
    *options = zilch_optimizer_defaults();
    if (scanf("%zu %" SCNu64 " %" SCNu64 " %zu %" SCNu64, dim, &options->min_active, &options->max_active,
              points, seed) != 5 ||
        *dim > MOST_DIM || *points > MOST_POINTS) {
        return 0;
    }
    for (size_t i = 0; i < *dim; i++) {
        unsigned wanted;
        if (scanf("%u %zu %lf %lf", &wanted, &group[i], &lower[i], &upper[i]) != 4 ||
            !read_values(&step[i], list[i], &values[i])) {
            return 0;
        }
        forced[i] = (zilch_forced)wanted;
    }
    if (scanf("%zu", &rows) != 1 || rows > MOST_ROWS) {
        return 0;
    }
    for (size_t r = 0; r < rows; r++) {
        limit[r] = (zilch_linear_limit){.count = *dim, .weight = weight[r]};
        int read = scanf("%lf %lf", &limit[r].lower, &limit[r].upper);
        for (size_t i = 0; i < *dim; i++) {
            read += scanf("%lf", &weight[r][i]);
        }
        if (read != 2 + (int)*dim) {
            return 0;
        }
    }
    options->forced = forced;
    options->group = group;
    options->lower = lower;
    options->upper = upper;
    options->step = step;
    options->values = values;
    options->linear_limits = limit;
    options->linear_limit_count = rows;
    options->population = 40;
    options->refinement = *seed % 2 == 0;
    return 1;
}

static void print_points(zilch_optimizer *optimizer, size_t dim, size_t points)
{
    static uint64_t id[MOST_POINTS];
    static double x[MOST_POINTS * MOST_DIM];
    const zilch_status status = zilch_optimizer_ask(optimizer, points, id, x);
    if (status != ZILCH_OK) {
        printf("failed %s\n", zilch_last_error());
        return;
    }
    printf("kept %zu\n", points);
    for (size_t k = 0; k < points; k++) {
        for (size_t i = 0; i < dim; i++) {
            printf("%.17g ", x[k * dim + i]);
        }
        printf("\n");
    }
}

int main(void)
{
    zilch_optimizer_options options;
    size_t dim, points;
    uint64_t seed;
    while (read_set(&options, &dim, &points, &seed)) {
        zilch_optimizer *optimizer;
        if (zilch_optimizer_create(&optimizer, dim, seed, &options) != ZILCH_OK) {
            printf("refused %s\n", zilch_last_error());
        } else {
            print_points(optimizer, dim, points);
        }
        zilch_optimizer_destroy(optimizer);
    }
    return 0;
}
