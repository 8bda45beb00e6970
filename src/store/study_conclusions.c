/* What runs came to, read from a study: why they stopped, what was recommended, and what that was worth on
 * evaluations held out. As in study_read.c, everything is checked before anything follows from it. */
#include "store/study.h"

#include "base/bytes.h"
#include "base/memory.h"

#include <math.h>

static void read_point_bytes(zi_statement *row, size_t dim, double *x)
{
    size_t length;
    const unsigned char *bytes = zi_column_blob(row, &length);
    zi_reader reader = {.data = bytes, .length = length, .ok = 1};
    row->is_sound &= length == 8 * dim;
    for (size_t i = 0; i < dim && row->is_sound; i++) {
        const double coordinate = zi_read_double(&reader);
        row->is_sound &= isfinite(coordinate);
        if (x) {
            x[i] = coordinate;
        }
    }
}

static void read_recommendation(zi_statement *row, zilch_conclusion *out)
{
    zilch_recommendation *r = &out->recommendation;
    r->point = zi_column_u64(row);
    r->mean = zi_column_double(row);
    r->deviation = zi_column_double(row);
    r->fitness = zi_column_double(row);
    r->evaluations = zi_column_count(row);
    r->failures = zi_column_count(row);
    r->spent = zi_column_count(row);
    r->active = (size_t)zi_column_count(row);
    r->pruned = (size_t)zi_column_count(row);
    r->violation = zi_column_violation(row);
    r->violation = isnan(r->mean) ? NAN : r->violation;
    out->held_out_mean = zi_column_double(row);
    out->held_out_error = zi_column_double(row);
    out->held_out_count = zi_column_count(row);
}

#define CONCLUSION(violation)                                                                         \
    "SELECT dim, c.generation, stop, point, mean, deviation, fitness, evaluations, failures, spent, " \
    "active, "                                                                                        \
    "pruned, " violation ","                                                                          \
    " held_out_mean, held_out_error, held_out_count, x FROM runs r"

/* The columns of CONCLUSION; the generation is NULL where there is none. `x` may be NULL. */
static zilch_status read_conclusion_row(zi_statement *row, uint64_t *generation, zilch_conclusion *out,
                                        double *x)
{
    const size_t dim = zi_column_dim(row);
    *out = (zilch_conclusion){.held_out_mean = NAN, .held_out_error = NAN};
    if (zi_column_is_null(row)) {
        return zi_columns_check(row, "the conclusion of a run", 0);
    }
    *generation = zi_column_count(row);
    out->stop = zi_column_stop(row);
    out->is_recommending = !zi_column_is_null(row);
    if (out->is_recommending) {
        read_recommendation(row, out);
        read_point_bytes(row, dim, x);
    }
    row->is_sound &= out->is_recommending || out->stop != ZILCH_STOP_NONE;
    return zi_columns_check(row, "the conclusion of generation", *generation);
}

typedef struct concluding {
    zilch_conclusion *out;
    double *x;
    int is_found;
} concluding;

static zilch_status read_conclusion(zi_statement *row, void *context)
{
    concluding *c = context;
    uint64_t generation = 0;
    c->is_found = 1;
    return read_conclusion_row(row, &generation, c->out, c->x);
}

#define LAST                                                                   \
    " JOIN checkpoints k USING (run) LEFT JOIN conclusions c ON c.run = r.run" \
    " AND c.generation = k.generation WHERE r.run = ?"
#define ALL " JOIN conclusions c USING (run) WHERE r.run = ? ORDER BY c.generation"

zilch_status zilch_study_conclusion(zilch_study *study, uint64_t run, zilch_conclusion *out, double *x)
{
    if (!study || !out) {
        return zi_fail(ZILCH_EARG, "study: it and a place for the conclusion must be given");
    }
    concluding c = {.out = out, .x = x};
    const char *text;
    ZI_TRY(zi_study_choose(study, CONCLUSION("violation") LAST, CONCLUSION("0.0") LAST, &text));
    ZI_TRY(zi_study_rows(study, text, run, read_conclusion, &c));
    return c.is_found ? ZILCH_OK : zi_study_fail_run(study, run);
}

typedef struct conclusions_reading {
    double *x;
    zilch_conclusion_reader reader;
    void *context;
} conclusions_reading;

static zilch_status read_each_conclusion(zi_statement *row, void *context)
{
    const conclusions_reading *reading = context;
    uint64_t generation = 0;
    zilch_conclusion conclusion;
    ZI_TRY(read_conclusion_row(row, &generation, &conclusion, reading->x));
    return reading->reader(reading->context, generation, &conclusion,
                           conclusion.is_recommending ? reading->x : NULL);
}

zilch_status zilch_study_conclusions(zilch_study *study, uint64_t run, zilch_conclusion_reader reader,
                                     void *context)
{
    zi_run_shape shape;
    if (!study || !reader) {
        return zi_fail(ZILCH_EARG, "study: it and a reader must be given");
    }
    conclusions_reading reading = {.reader = reader, .context = context};
    const char *text;
    ZI_TRY(zi_run_shape_find(study, run, &shape));
    ZI_TRY(zi_study_choose(study, CONCLUSION("violation") ALL, CONCLUSION("0.0") ALL, &text));
    ZI_TRY(zi_alloc(&reading.x, shape.dim));
    const zilch_status status = zi_study_rows(study, text, run, read_each_conclusion, &reading);
    zi_free(reading.x);
    return status;
}
