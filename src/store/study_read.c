/* Studies, the side that reads. The file may come from anywhere: numbers, types, lengths and the order of
 * rows are checked before anything follows from them, and what cannot be is EFORMAT. Statements are prepared
 * for each reading, so that a reader may begin another one of the same kind. */
#include "store/study.h"

#include "base/bytes.h"
#include "base/memory.h"
#include "search/optimizer.h"

#include <math.h>
#include <string.h>

enum { MOST_DIM = 1000000 }; /* as an optimiser takes */
#define MOST_RUN                                                                               \
    (UINT64_C(1) << 53) /* every number of JSON up to it is exact, and a larger one can follow \
                         */

static zilch_status fail_damaged(const zilch_study *study, uint64_t run, const char *what)
{
    return zi_sql_fail(study->sql, ZILCH_EFORMAT, "damaged: run %llu: %s", (unsigned long long)run, what);
}

size_t zi_column_dim(zi_statement *row)
{
    const uint64_t dim = zi_column_count(row);
    row->is_sound &= dim >= 1 && dim <= MOST_DIM;
    return row->is_sound ? (size_t)dim : 1;
}

static zilch_method read_method(zi_statement *row)
{
    zilch_method method = ZILCH_METHOD_DEFAULT;
    row->is_sound &= zilch_method_parse(zi_column_text(row), &method) == ZILCH_OK;
    return method;
}

zilch_stop zi_column_stop(zi_statement *row)
{
    zilch_stop stop = ZILCH_STOP_NONE;
    if (zi_column_is_null(row)) {
        zi_column_skip(row);
    } else {
        row->is_sound &= zilch_stop_parse(zi_column_text(row), &stop) == ZILCH_OK && stop != ZILCH_STOP_NONE;
    }
    return stop;
}

static int is_forgotten(const unsigned char *genome, size_t length)
{
    return (length == ZI_FORGOTTEN_LENGTH || length == ZI_FORGOTTEN_MOST) &&
           memcmp(genome, ZI_FORGOTTEN, ZI_FORGOTTEN_LENGTH) == 0;
}

static const zilch_span whole = {0, UINT64_MAX}; /* all generations */

/* ---- Runs ------------------------------------------------------------------------------------------- */

typedef struct runs_reading {
    zilch_study *study;
    uint64_t last;
    zilch_run_reader reader;
    void *context;
} runs_reading;

static const char runs_text[] =
    "SELECT r.run, name, problem, data, fingerprint, machine, started, version, seed, dim, method, "
    "direction, penalty,"
    " coalesce(g.generation, 0), coalesce(g.evaluations, 0), coalesce(g.failures, 0), stop,"
    " CASE WHEN stop IS NULL THEN 0 ELSE coalesce(c.spent, 0) END,"
    " (SELECT count(*) FROM journal WHERE run = r.run) + (SELECT count(*) FROM told WHERE run = r.run)"
    " FROM runs r LEFT JOIN generations g ON g.run = r.run AND g.generation ="
    " (SELECT max(generation) FROM generations WHERE run = r.run)"
    " LEFT JOIN conclusions c ON c.run = r.run AND c.generation = coalesce(g.generation, 0)"
    " ORDER BY r.run";

static zilch_status read_run(zi_statement *row, void *context)
{
    runs_reading *reading = context;
    zilch_run run = {.run = zi_column_count(row)};
    row->is_sound &= run.run > reading->last && run.run <= MOST_RUN;
    reading->last = run.run;
    run.request.name = zi_column_text(row);
    run.request.problem = zi_column_text(row);
    run.request.data = zi_column_text(row);
    run.request.fingerprint = zi_column_text(row);
    run.request.machine = zi_column_text(row);
    run.request.started = zi_column_text(row);
    run.version = zi_column_text(row);
    run.seed = zi_column_u64(row);
    run.dim = zi_column_dim(row);
    run.method = read_method(row);
    row->is_sound &= zilch_direction_parse(zi_column_text(row), &run.direction) == ZILCH_OK;
    run.penalty = zi_column_double(row);
    run.generations = zi_column_count(row);
    run.evaluations = zi_column_count(row);
    run.failures = zi_column_count(row);
    run.stop = zi_column_stop(row);
    run.spent = zi_column_count(row);
    run.arrived = zi_column_count(row);
    row->is_sound &= isfinite(run.penalty) && run.failures <= run.evaluations;
    run.evaluations += run.spent;
    ZI_TRY(zi_columns_check(row, "run", run.run));
    zi_request request;
    zilch_status status = zi_request_read(reading->study, run.run, run.dim, run.method, &request);
    if (status == ZILCH_OK) {
        zi_request_give(&request, &run.request);
        status = reading->reader(reading->context, &run);
    }
    zi_request_free(&request);
    return status;
}

zilch_status zilch_study_runs(zilch_study *study, zilch_run_reader reader, void *context)
{
    if (!study || !reader) {
        return zi_fail(ZILCH_EARG, "study: it and a reader must be given");
    }
    runs_reading reading = {.study = study, .reader = reader, .context = context};
    ZI_TRY(zi_study_refresh(study));
    return zi_sql_rows(study->sql, runs_text, NULL, read_run, &reading);
}

static zilch_status read_shape(zi_statement *row, void *context)
{
    zi_run_shape *shape = context;
    shape->is_found = 1;
    shape->dim = zi_column_dim(row);
    shape->method = read_method(row);
    return zi_columns_check(row, "run", zi_column_u64(row));
}

zilch_status zi_run_shape_find(zilch_study *study, uint64_t run, zi_run_shape *shape)
{
    *shape = (zi_run_shape){0};
    ZI_TRY(zi_study_rows(study, "SELECT dim, method, run FROM runs WHERE run = ?", run, read_shape, shape));
    return shape->is_found ? ZILCH_OK : zi_study_fail_run(study, run);
}

/* ---- Generations ------------------------------------------------------------------------------------ */

typedef struct generations_reading {
    zilch_study *study;
    uint64_t run, last;
    zilch_generation_reader reader;
    void *context;
} generations_reading;

static void read_best(zi_statement *row, zilch_generation *generation)
{
    generation->best_value = generation->best_fitness = generation->best_violation = NAN;
    const double violation = zi_column_violation(row);
    if (zi_column_is_null(row)) {
        return; /* nothing has succeeded */
    }
    generation->best_violation = violation;
    generation->best_value = zi_column_double(row);
    generation->best_fitness = zi_column_double(row);
    generation->best_active = (size_t)zi_column_count(row);
    generation->best_point = zi_column_count(row);
    row->is_sound &= !isnan(generation->best_fitness) && generation->best_point < generation->points;
}

static zilch_status read_generation(zi_statement *row, void *context)
{
    generations_reading *reading = context;
    zilch_generation generation = {.generation = zi_column_count(row)};
    generation.evaluations = zi_column_count(row);
    generation.failures = zi_column_count(row);
    generation.points = zi_column_count(row);
    generation.noise = zi_column_double(row);
    generation.timings.evaluating = zi_column_double(row);
    generation.timings.searching = zi_column_double(row);
    read_best(row, &generation);
    row->is_sound &= generation.failures <= generation.evaluations;
    row->is_sound &= !(generation.noise < 0.0) && !isinf(generation.noise);
    ZI_TRY(zi_columns_check(row, "generation", generation.generation));
    if (generation.generation != ++reading->last) {
        return fail_damaged(reading->study, reading->run, "a generation is missing");
    }
    return reading->reader(reading->context, &generation);
}

#define GENERATIONS(violation)                                                                           \
    "SELECT generation, evaluations, failures, points, noise, evaluating, searching, " violation         \
    ", best_value, best_fitness, best_active, best_point FROM generations WHERE run = ? AND generation " \
    "BETWEEN ? AND ?"                                                                                    \
    " ORDER BY generation"

zilch_status zilch_study_generations_between(zilch_study *study, uint64_t run, zilch_span span,
                                             zilch_generation_reader reader, void *context)
{
    zi_run_shape shape;
    if (!study || !reader) {
        return zi_fail(ZILCH_EARG, "study: it and a reader must be given");
    }
    ZI_TRY(zi_run_shape_find(study, run, &shape));
    generations_reading reading = {.study = study,
                                   .run = run,
                                   .last = span.first > 1 ? span.first - 1 : 0,
                                   .reader = reader,
                                   .context = context};
    const char *text;
    ZI_TRY(zi_study_choose(study, GENERATIONS("best_violation"), GENERATIONS("0.0"), &text));
    return zi_study_rows_between(study, text, run, span, read_generation, &reading);
}

zilch_status zilch_study_generations(zilch_study *study, uint64_t run, zilch_generation_reader reader,
                                     void *context)
{
    return zilch_study_generations_between(study, run, whole, reader, context);
}

static zilch_status take_last(void *context, const zilch_generation *generation)
{
    *(zilch_generation *)context = *generation;
    return ZILCH_OK;
}

/* All of them are gone through, so that a missing one is noticed. */
zilch_status zilch_study_last(zilch_study *study, uint64_t run, zilch_generation *out)
{
    if (!out) {
        return zi_fail(ZILCH_EARG, "study: no place for the generation given");
    }
    *out = (zilch_generation){.best_value = NAN, .best_fitness = NAN, .noise = NAN, .best_violation = NAN};
    return zilch_study_generations(study, run, take_last, out);
}

/* ---- Evaluations ------------------------------------------------------------------------------------ */

/* Rows in the order in which they were recorded, and that none is missing between them. */
typedef struct sequence {
    uint64_t generation, next; /* position */
} sequence;

/* The columns generation, position, id, point, value, weight and violation. */
static void read_evaluation_row(zi_statement *row, sequence *order, zilch_evaluation *out)
{
    *out = (zilch_evaluation){.generation = zi_column_count(row)};
    const uint64_t position = zi_column_count(row);
    out->id = zi_column_u64(row);
    out->point = zi_column_count(row);
    out->value = zi_column_double(row);
    out->weight = zi_column_double(row);
    out->violation = zi_column_violation(row);
    if (out->generation == order->generation + 1) {
        *order = (sequence){.generation = out->generation};
    }
    row->is_sound &= out->generation == order->generation && position == order->next;
    row->is_sound &= !isinf(out->value) && out->weight > 0.0 && isfinite(out->weight);
    order->next++;
}

typedef struct evaluations_reading {
    zilch_study *study;
    uint64_t run;
    zilch_method method;
    zi_constraints allowed; /* what values stand for the offsets of its points */
    sequence order;
    double *x;
    zilch_evaluation_reader reader;
    void *context;
} evaluations_reading;

static zilch_status read_evaluation(zi_statement *row, void *context)
{
    evaluations_reading *reading = context;
    zilch_evaluation evaluation;
    size_t length;
    read_evaluation_row(row, &reading->order, &evaluation);
    evaluation.fitness = zi_column_double(row);
    evaluation.active = (size_t)zi_column_count(row);
    const unsigned char *genome = zi_column_blob(row, &length);
    row->is_sound &= isnan(evaluation.fitness) == isnan(evaluation.value);
    ZI_TRY(zi_columns_check(row, "an evaluation of generation", evaluation.generation));
    evaluation.id = zi_id_number(evaluation.id);
    if (is_forgotten(genome, length)) {
        return reading->reader(reading->context, &evaluation);
    }
    size_t active = 0;
    const zilch_status status =
        zi_point_decode(reading->method, &reading->allowed.allowed, genome, length, reading->x, &active);
    if (status == ZILCH_ENOMEM) {
        return status;
    }
    if (status != ZILCH_OK || active != evaluation.active) {
        return fail_damaged(reading->study, reading->run, "a point is none");
    }
    evaluation.x = reading->x;
    return reading->reader(reading->context, &evaluation);
}

static zilch_status read_allowed(zi_statement *row, void *context)
{
    evaluations_reading *reading = context;
    size_t length;
    const unsigned char *state = zi_column_blob(row, &length);
    ZI_TRY(zi_columns_check(row, "the checkpoint of run", reading->run));
    const size_t dim = reading->allowed.dim;
    zi_constraints_free(&reading->allowed);
    const zilch_status status = zi_optimizer_unpack_allowed(&reading->allowed, dim, state, length);
    return status == ZILCH_OK ? ZILCH_OK
                              : zi_fail_within(status, "%s: run %llu", zi_sql_path(reading->study->sql),
                                               (unsigned long long)reading->run);
}

static zilch_status read_evaluations(evaluations_reading *reading, const char *text, zilch_span span)
{
    ZI_TRY(zi_study_rows(reading->study, "SELECT state FROM checkpoints WHERE run = ?", reading->run,
                         read_allowed, reading));
    return zi_study_rows_between(reading->study, text, reading->run, span, read_evaluation, reading);
}

#define EVALUATIONS(violation)                                                                        \
    "SELECT generation, position, id, e.point, value, weight, " violation ", fitness, active, genome" \
    " FROM evaluations e LEFT JOIN points p ON p.run = e.run AND p.point = e.point"                   \
    " WHERE e.run = ? AND generation BETWEEN ? AND ? ORDER BY generation, position"

zilch_status zilch_study_evaluations_between(zilch_study *study, uint64_t run, zilch_span span,
                                             zilch_evaluation_reader reader, void *context)
{
    if (!study || !reader) {
        return zi_fail(ZILCH_EARG, "study: it and a reader must be given");
    }
    zi_run_shape shape;
    const char *text;
    ZI_TRY(zi_run_shape_find(study, run, &shape));
    ZI_TRY(zi_study_choose(study, EVALUATIONS("violation"), EVALUATIONS("0.0"), &text));
    evaluations_reading reading = {.study = study,
                                   .run = run,
                                   .method = shape.method,
                                   .allowed = {.dim = shape.dim, .allowed.dim = shape.dim},
                                   .order = {.generation = span.first > 1 ? span.first - 1 : 0},
                                   .reader = reader,
                                   .context = context};
    ZI_TRY(zi_alloc(&reading.x, shape.dim));
    const zilch_status status = read_evaluations(&reading, text, span);
    zi_constraints_free(&reading.allowed);
    zi_free(reading.x);
    return status;
}

zilch_status zilch_study_evaluations(zilch_study *study, uint64_t run, zilch_evaluation_reader reader,
                                     void *context)
{
    return zilch_study_evaluations_between(study, run, whole, reader, context);
}

/* ---- Going on --------------------------------------------------------------------------------------- */

typedef struct resuming {
    zilch_study *study;
    uint64_t run;
    zilch_optimizer *optimizer;
    uint64_t points_sum, evaluations_sum; /* on file */
    uint64_t points_found, evaluations_found;
    uint64_t genome_bytes, file_bytes;
    sequence order;
} resuming;

/* What the optimiser says about bytes, with the file and the run before it. */
static zilch_status name_failure(const resuming *r, zilch_status status)
{
    if (status == ZILCH_OK) {
        return ZILCH_OK;
    }
    return zi_fail_within(status, "%s: run %llu", zi_sql_path(r->study->sql), (unsigned long long)r->run);
}

static zilch_status read_checkpoint(zi_statement *row, void *context)
{
    resuming *r = context;
    size_t length;
    const zi_run_traits traits = zi_run_traits_read(row);
    const uint64_t generation = zi_column_count(row);
    r->points_sum = zi_column_u64(row);
    r->evaluations_sum = zi_column_u64(row);
    const unsigned char *state = zi_column_blob(row, &length);
    ZI_TRY(zi_columns_check(row, "the checkpoint of run", r->run));
    ZI_TRY(name_failure(r, zi_optimizer_unpack_state(&r->optimizer, state, length)));
    zilch_optimizer *o = r->optimizer;
    zi_optimizer_take_method(o, traits.method);
    if (!zi_run_traits_fit(&traits, o) || o->generations != generation) {
        return fail_damaged(r->study, r->run, "the checkpoint is not of this run");
    }
    return ZILCH_OK;
}

/* `penalties`: what is behind the word, if anything. */
static zilch_status restore_forgotten(resuming *r, uint64_t active, const unsigned char *penalties,
                                      size_t length)
{
    zi_reader reader = {.data = penalties, .length = length, .ok = 1};
    r->points_found = zi_sum_point(r->points_found, penalties, length);
    return name_failure(
        r, zi_optimizer_restore_forgotten(r->optimizer, active, length ? zi_read_double(&reader) : NAN));
}

static zilch_status read_point(zi_statement *row, void *context)
{
    resuming *r = context;
    size_t length;
    const uint64_t point = zi_column_count(row);
    const uint64_t active = zi_column_count(row);
    const unsigned char *genome = zi_column_blob(row, &length);
    ZI_TRY(zi_columns_check(row, "point", point));
    if (point != r->optimizer->archive.rows.count || length == 0) {
        return fail_damaged(r->study, r->run, "a point is missing");
    }
    if (is_forgotten(genome, length)) {
        return restore_forgotten(r, active, genome + ZI_FORGOTTEN_LENGTH, length - ZI_FORGOTTEN_LENGTH);
    }
    r->genome_bytes += length; /* each is in the file once, unless rows share them, which no writer does */
    if (r->genome_bytes > r->file_bytes) {
        return fail_damaged(r->study, r->run, "its points are larger than the file");
    }
    r->points_found = zi_sum_point(r->points_found, genome, length);
    return name_failure(r, zi_optimizer_restore_point(r->optimizer, genome, length));
}

static zilch_status read_value(zi_statement *row, void *context)
{
    resuming *r = context;
    zilch_evaluation evaluation;
    read_evaluation_row(row, &r->order, &evaluation);
    row->is_sound &= evaluation.point < r->optimizer->archive.rows.count;
    ZI_TRY(zi_columns_check(row, "an evaluation of generation", evaluation.generation));
    r->evaluations_found = zi_sum_evaluation(r->evaluations_found, &evaluation);
    const zi_evaluation restored = {.id = evaluation.id,
                                    .point = (size_t)evaluation.point,
                                    .value = evaluation.value,
                                    .error = NAN,
                                    .violation = evaluation.violation,
                                    .weight = evaluation.weight};
    return name_failure(r, zi_optimizer_restore_value(r->optimizer, &restored));
}

/* Every generation has its row: whoever goes on counts on them. */
static zilch_status read_count(zi_statement *row, void *context)
{
    const resuming *r = context;
    const uint64_t count = zi_column_count(row);
    const uint64_t last = zi_column_count(row);
    ZI_TRY(zi_columns_check(row, "the generations of run", r->run));
    return count == r->optimizer->generations && last == count
               ? ZILCH_OK
               : fail_damaged(r->study, r->run, "a generation is missing");
}

#define VALUES(violation)                                                                   \
    "SELECT generation, position, id, point, value, weight, " violation " FROM evaluations" \
    " WHERE run = ? ORDER BY generation, position"

static zilch_status resume(resuming *r)
{
    const char *text;
    zilch_study *study = r->study;
    ZI_TRY(zi_study_rows(study,
                         "SELECT " ZI_RUN_TRAITS ", generation, points_sum, evaluations_sum, state"
                         " FROM runs JOIN checkpoints USING (run) WHERE run = ?",
                         r->run, read_checkpoint, r));
    if (!r->optimizer) {
        return zi_study_fail_run(study, r->run);
    }
    r->file_bytes = zi_sql_bytes(study->sql);
    ZI_TRY(zi_study_rows(study,
                         "SELECT count(*), coalesce(max(generation), 0) FROM generations WHERE run = ?",
                         r->run, read_count, r));
    ZI_TRY(zi_study_rows(study, "SELECT point, active, genome FROM points WHERE run = ? ORDER BY point",
                         r->run, read_point, r));
    ZI_TRY(zi_study_choose(study, VALUES("violation"), VALUES("0.0"), &text));
    ZI_TRY(zi_study_rows(study, text, r->run, read_value, r));
    if (r->points_found != r->points_sum || r->evaluations_found != r->evaluations_sum) {
        return fail_damaged(study, r->run, "points or evaluations are not those that were recorded");
    }
    return name_failure(r, zi_optimizer_restored(r->optimizer));
}

zilch_status zilch_study_resume(zilch_study *study, uint64_t run, zilch_optimizer **out)
{
    if (!study || !out) {
        return zi_fail(ZILCH_EARG, "study: it and a place for the optimiser must be given");
    }
    *out = NULL;
    resuming r = {.study = study,
                  .run = run,
                  .points_found = ZILCH_FINGERPRINT_BEGIN,
                  .evaluations_found = ZILCH_FINGERPRINT_BEGIN};
    ZI_TRY(zi_study_refresh(study));
    ZI_TRY(zi_sql_begin_reading(study->sql));
    const zilch_status status = zi_sql_end_reading(study->sql, resume(&r));
    if (status != ZILCH_OK) {
        zilch_optimizer_destroy(r.optimizer);
        return status;
    }
    *out = r.optimizer;
    return ZILCH_OK;
}
