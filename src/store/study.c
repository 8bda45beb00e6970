/* Studies, the side that writes. Each function is one transaction: what it says is on the disk when it
 * returns OK, and nothing has changed otherwise. The tables are in schema.sql. */
#include "store/study.h"

#include "base/bytes.h"
#include "base/memory.h"
#include "search/optimizer.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static const char *const texts[ZI_STUDY_WRITES] = {
    [ZI_FIND_RUN] = "SELECT " ZI_RUN_TRAITS ", generation, points, points_sum, evaluations_sum"
                    " FROM runs JOIN checkpoints USING (run) WHERE run = ?",
    [ZI_ADD_RUN] = "INSERT INTO runs (name, problem, data, fingerprint, machine, started, version, seed, dim,"
                   " method, direction, penalty) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    [ZI_PUT_SETTING] = "INSERT OR REPLACE INTO settings (run, kind, name, value) VALUES (?, ?, ?, ?)",
    [ZI_ADD_COORDINATE] = "INSERT INTO coordinates (run, coordinate, name) VALUES (?, ?, ?)",
    [ZI_ADD_POINT] = "INSERT INTO points (run, point, active, genome) VALUES (?, ?, ?, ?)",
    [ZI_FORGET_POINT] = "UPDATE points SET genome = ? WHERE run = ? AND point = ?",
    [ZI_ADD_GENERATION] = "INSERT INTO generations (run, generation, evaluations, failures, points,"
                          " noise, evaluating, searching, best_value, best_fitness, best_active, best_point)"
                          " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    [ZI_ADD_EVALUATION] = "INSERT INTO evaluations (run, generation, position, id, point, value, fitness,"
                          " weight) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
    [ZI_PUT_CHECKPOINT] = "INSERT OR REPLACE INTO checkpoints (run, generation, points, points_sum,"
                          " evaluations_sum, state) VALUES (?, ?, ?, ?, ?, ?)",
    [ZI_PUT_FAILURE] = "INSERT OR REPLACE INTO failures (run, generation, id, reason, output)"
                       " VALUES (?, ?, ?, ?, ?)",
    [ZI_FORGET_MENDED] =
        "DELETE FROM failures WHERE run = ? AND generation = ? AND id IN"
        " (SELECT id FROM evaluations WHERE run = ? AND generation = ? AND value IS NOT NULL)",
    [ZI_PUT_HANDED] = "INSERT OR REPLACE INTO handed (run, points) VALUES (?, ?)",
    [ZI_ADD_TOLD] = "INSERT INTO told (run, id, is_early, value, error) VALUES (?, ?, ?, ?, ?)",
    [ZI_FORGET_HANDED] = "DELETE FROM handed WHERE run = ?",
    [ZI_FORGET_TOLD] = "DELETE FROM told WHERE run = ?",
    [ZI_PUT_JOURNAL] = "INSERT OR REPLACE INTO journal (run, generation, id, sum, value, error, violation)"
                       " VALUES (?, ?, ?, ?, ?, ?, ?)",
    [ZI_FORGET_JOURNAL] = "DELETE FROM journal WHERE run = ?",
    [ZI_FORGET_JOURNAL_FAILURES] = "DELETE FROM journal WHERE run = ? AND value IS NULL",
    [ZI_SET_VIOLATION] =
        "UPDATE evaluations SET violation = ? WHERE run = ? AND generation = ? AND position = ?",
    [ZI_SET_BEST_VIOLATION] = "UPDATE generations SET best_violation = ? WHERE run = ? AND generation = ?",
    [ZI_SET_CONCLUSION_VIOLATION] = "UPDATE conclusions SET violation = ? WHERE run = ? AND generation = ?",
    [ZI_SET_TOLD_VIOLATION] = "UPDATE told SET violation = ? WHERE run = ? AND id = ?",
    [ZI_ADD_COMMAND] = "INSERT INTO commands (run, action, value, asked) VALUES (?, ?, ?, ?)",
    [ZI_SET_PENALTY] = "UPDATE runs SET penalty = ? WHERE run = ?",
    [ZI_HEED_COMMAND] = "UPDATE commands SET generation = ? WHERE command = ? AND generation IS NULL",
    [ZI_PUT_CONCLUSION] = "INSERT OR REPLACE INTO conclusions (run, generation, stop, point, mean, deviation,"
                          " fitness, evaluations, failures, spent, active, pruned, held_out_mean,"
                          " held_out_error, held_out_count, x)"
                          " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
};

/* ---- Shared with the side that reads ---------------------------------------------------------------- */

static uint64_t sum_u64(uint64_t sum, uint64_t value)
{
    unsigned char bytes[8] = {0};
    zi_writer writer = {.data = bytes, .capacity = sizeof bytes};
    zi_write_u64(&writer, value);
    return zilch_fingerprint(sum, bytes, sizeof bytes);
}

uint64_t zi_sum_point(uint64_t sum, const unsigned char *genome, size_t length)
{
    return zilch_fingerprint(sum_u64(sum, length), genome, length);
}

uint64_t zi_sum_evaluation(uint64_t sum, const zilch_evaluation *evaluation)
{
    uint64_t bits = UINT64_MAX; /* one NaN for all that failed */
    uint64_t weight;
    if (isfinite(evaluation->value)) {
        memcpy(&bits, &evaluation->value, sizeof bits);
    }
    memcpy(&weight, &evaluation->weight, sizeof weight);
    sum = sum_u64(sum, evaluation->generation);
    sum = sum_u64(sum, evaluation->id);
    sum = sum_u64(sum, evaluation->point);
    sum = sum_u64(sum_u64(sum, bits), weight);
    if (evaluation->violation > 0.0) { /* sums of runs without any are as they always were */
        memcpy(&bits, &evaluation->violation, sizeof bits);
        sum = sum_u64(sum, bits);
    }
    return sum;
}

zi_run_traits zi_run_traits_read(zi_statement *row)
{
    zi_run_traits traits = {.dim = zi_column_count(row)};
    traits.seed = zi_column_u64(row);
    row->is_sound &= zilch_method_parse(zi_column_text(row), &traits.method) == ZILCH_OK;
    row->is_sound &= zilch_direction_parse(zi_column_text(row), &traits.direction) == ZILCH_OK;
    traits.penalty = zi_column_double(row);
    row->is_sound &= isfinite(traits.penalty);
    return traits;
}

int zi_run_traits_fit(const zi_run_traits *traits, const zilch_optimizer *optimizer)
{
    const zilch_optimizer_options *options = &optimizer->options;
    return traits->dim == optimizer->dim && traits->seed == optimizer->seed &&
           traits->method == options->method && traits->direction == options->direction &&
           traits->penalty == options->penalty;
}

zilch_status zi_study_fail_run(const zilch_study *study, uint64_t run)
{
    return zi_sql_fail(study->sql, ZILCH_EARG, "there is no run %llu", (unsigned long long)run);
}

/* ---- What the functions below share ----------------------------------------------------------------- */

zilch_status zi_study_check_writable(const zilch_study *study, const void *what)
{
    if (!study || !what) {
        return zi_fail(ZILCH_EARG, "study: it and what to write must be given");
    }
    if (study->mode == ZILCH_STUDY_READ) {
        return zi_sql_fail(study->sql, ZILCH_ESTATE, "was opened for reading only");
    }
    return ZILCH_OK;
}

zilch_status zi_study_prepare(zilch_study *study, zi_study_write which, zi_statement **out)
{
    assert(which < ZI_STUDY_WRITES && out);
    *out = &study->write[which];
    return zi_statement_prepare(*out, study->sql, texts[which]);
}

zilch_status zi_study_run_statement(zilch_study *study, zi_study_write which, uint64_t run)
{
    zi_statement *statement;
    ZI_TRY(zi_study_prepare(study, which, &statement));
    zi_bind_u64(statement, run);
    return zi_statement_run(statement);
}

/* What is known of a run before something is added to it. */
typedef struct known_run {
    uint64_t run;
    zi_run_traits traits;
    uint64_t generation, points, points_sum, evaluations_sum;
} known_run;

static zilch_status find_run(zilch_study *study, uint64_t run, known_run *known)
{
    zi_statement *find;
    int is_row;
    *known = (known_run){.run = run};
    ZI_TRY(zi_study_prepare(study, ZI_FIND_RUN, &find));
    zi_bind_u64(find, run);
    ZI_TRY(zi_statement_step(find, &is_row));
    if (!is_row) {
        return zi_study_fail_run(study, run);
    }
    known->traits = zi_run_traits_read(find);
    known->generation = zi_column_count(find);
    known->points = zi_column_count(find);
    known->points_sum = zi_column_u64(find);
    known->evaluations_sum = zi_column_u64(find);
    const zilch_status status = zi_columns_check(find, "run", run);
    ZI_TRY(zi_statement_run(find));
    return status;
}

/* The bytes are packed before the transaction begins, so that nobody waits for that. */
zilch_status zi_study_pack(zilch_study *study, const zilch_optimizer *optimizer, size_t *length)
{
    assert(optimizer && length);
    ZI_TRY(zi_optimizer_pack_state(optimizer, NULL, 0, length));
    ZI_TRY(zi_grow(&study->bytes, 1, 0, *length, &study->capacity));
    return zi_optimizer_pack_state(optimizer, study->bytes, study->capacity, length);
}

static zilch_status put_checkpoint(zilch_study *study, const known_run *known, size_t length)
{
    zi_statement *put;
    ZI_TRY(zi_study_prepare(study, ZI_PUT_CHECKPOINT, &put));
    zi_bind_u64(put, known->run);
    zi_bind_u64(put, known->generation);
    zi_bind_u64(put, known->points);
    zi_bind_u64(put, known->points_sum);
    zi_bind_u64(put, known->evaluations_sum);
    zi_bind_blob(put, study->bytes, length);
    return zi_statement_run(put);
}

/* ---- Starting --------------------------------------------------------------------------------------- */

static zilch_status add_run(zilch_study *study, const zilch_request *request,
                            const zilch_optimizer *optimizer, size_t length, uint64_t *run)
{
    zi_statement *add;
    ZI_TRY(zi_study_prepare(study, ZI_ADD_RUN, &add));
    zi_bind_text(add, zi_text_or_empty(request->name));
    zi_bind_text(add, zi_text_or_empty(request->problem));
    zi_bind_text(add, zi_text_or_empty(request->data));
    zi_bind_text(add, zi_text_or_empty(request->fingerprint));
    zi_bind_text(add, zi_text_or_empty(request->machine));
    zi_bind_text(add, zi_text_or_empty(request->started));
    zi_bind_text(add, zilch_version());
    zi_bind_u64(add, optimizer->seed);
    zi_bind_u64(add, optimizer->dim);
    zi_bind_text(add, zilch_method_name(optimizer->options.method));
    zi_bind_text(add, zilch_direction_name(optimizer->options.direction));
    zi_bind_double(add, optimizer->options.penalty);
    ZI_TRY(zi_statement_run(add));
    const known_run known = {.run = zi_sql_last_row(study->sql),
                             .points_sum = ZILCH_FINGERPRINT_BEGIN,
                             .evaluations_sum = ZILCH_FINGERPRINT_BEGIN};
    if (request->is_first && known.run > 1) {
        return zi_sql_fail(study->sql, ZILCH_ESTATE, "has a run already");
    }
    ZI_TRY(put_checkpoint(study, &known, length));
    ZI_TRY(zi_request_write(study, known.run, request, optimizer));
    *run = known.run;
    return ZILCH_OK;
}

zilch_status zilch_study_start(zilch_study *study, const zilch_request *request,
                               const zilch_optimizer *optimizer, uint64_t *run)
{
    size_t length;
    uint64_t number = 0;
    ZI_TRY(zi_study_check_writable(study, optimizer));
    if (!run) {
        return zi_fail(ZILCH_EARG, "study: no place for the number of the run given");
    }
    if (optimizer->generations || optimizer->archive.rows.count) {
        return zi_sql_fail(
            study->sql, ZILCH_ESTATE,
            "a run is started before its first points are asked for; this optimiser is further");
    }
    ZI_TRY(zi_study_pack(study, optimizer, &length));
    ZI_TRY(zi_sql_begin(study->sql));
    const zilch_request none = {0};
    ZI_TRY(zi_sql_end(study->sql, add_run(study, request ? request : &none, optimizer, length, &number)));
    *run = number;
    return ZILCH_OK;
}

/* ---- Recording -------------------------------------------------------------------------------------- */

static zilch_status check_turn(const zilch_study *study, const known_run *known,
                               const zilch_optimizer *optimizer)
{
    const unsigned long long run = known->run;
    if (!zi_run_traits_fit(&known->traits, optimizer)) {
        return zi_sql_fail(
            study->sql, ZILCH_EARG,
            "run %llu is of another optimiser: its seed, dimension, method, direction or penalty differs",
            run);
    }
    if (known->generation + 1 != optimizer->generations) {
        return zi_sql_fail(
            study->sql, ZILCH_ESTATE,
            "run %llu is recorded to generation %llu, this optimiser is at %llu: another process "
            "has gone on with it, or a generation was left out or is recorded already",
            run, (unsigned long long)known->generation, (unsigned long long)optimizer->generations);
    }
    if (!optimizer->fresh.is_closed || known->points > optimizer->archive.rows.count) {
        return zi_sql_fail(
            study->sql, ZILCH_ESTATE,
            "run %llu: a generation is recorded when it has closed, before the next is asked for", run);
    }
    return ZILCH_OK;
}

/* What stands in the place of a genome that was forgotten; gives its length. The sum is over what is behind
 * the word. */
static size_t forgotten_bytes(const zi_archive *archive, size_t row, unsigned char out[ZI_FORGOTTEN_MOST])
{
    zi_writer writer = {.data = out, .capacity = ZI_FORGOTTEN_MOST};
    zi_write_bytes(&writer, ZI_FORGOTTEN, ZI_FORGOTTEN_LENGTH);
    if (archive->penalties) {
        zi_write_double(&writer, archive->entry[row].penalties);
    }
    return writer.length;
}

static uint64_t sum_row(uint64_t sum, const zi_archive *archive, size_t row)
{
    unsigned char forgotten[ZI_FORGOTTEN_MOST];
    size_t length;
    const unsigned char *genome = zi_rows_bytes(&archive->rows, row, &length);
    if (length) {
        return zi_sum_point(sum, genome, length);
    }
    length = forgotten_bytes(archive, row, forgotten);
    return zi_sum_point(sum, forgotten + ZI_FORGOTTEN_LENGTH, length - ZI_FORGOTTEN_LENGTH);
}

static zilch_status add_points(zilch_study *study, known_run *known, const zi_archive *archive)
{
    unsigned char forgotten[ZI_FORGOTTEN_MOST];
    zi_statement *add;
    ZI_TRY(zi_study_prepare(study, ZI_ADD_POINT, &add));
    for (; known->points < archive->rows.count; known->points++) {
        size_t length;
        const unsigned char *genome = zi_rows_bytes(&archive->rows, (size_t)known->points, &length);
        zi_bind_u64(add, known->run);
        zi_bind_u64(add, known->points);
        zi_bind_u64(add, archive->entry[known->points].active);
        if (length) {
            zi_bind_blob(add, genome, length);
        } else {
            zi_bind_blob(add, forgotten, forgotten_bytes(archive, (size_t)known->points, forgotten));
        }
        ZI_TRY(zi_statement_run(add));
        known->points_sum = sum_row(known->points_sum, archive, (size_t)known->points);
    }
    return ZILCH_OK;
}

/* What the archive has forgotten in this generation, the file forgets too. The sum then is over what is left,
 * made anew each time. */
static zilch_status forget_points(zilch_study *study, known_run *known, uint64_t before,
                                  const zi_archive *archive)
{
    unsigned char forgotten[ZI_FORGOTTEN_MOST];
    zi_statement *forget;
    ZI_TRY(zi_study_prepare(study, ZI_FORGET_POINT, &forget));
    for (size_t i = 0; i < archive->forgotten_count && archive->forgotten[i] < before; i++) {
        zi_bind_blob(forget, forgotten, forgotten_bytes(archive, archive->forgotten[i], forgotten));
        zi_bind_u64(forget, known->run);
        zi_bind_u64(forget, archive->forgotten[i]);
        ZI_TRY(zi_statement_run(forget));
    }
    known->points_sum = ZILCH_FINGERPRINT_BEGIN;
    for (size_t row = 0; row < archive->rows.count; row++) {
        known->points_sum = sum_row(known->points_sum, archive, row);
    }
    return ZILCH_OK;
}

static zilch_status add_generation(zilch_study *study, const known_run *known,
                                   const zilch_optimizer *optimizer, const zilch_timings *timings)
{
    const zilch_progress progress = zilch_optimizer_progress(optimizer);
    zi_statement *add;
    ZI_TRY(zi_study_prepare(study, ZI_ADD_GENERATION, &add));
    zi_bind_u64(add, known->run);
    zi_bind_u64(add, progress.generations);
    zi_bind_u64(add, progress.evaluations);
    zi_bind_u64(add, progress.failures);
    zi_bind_u64(add, progress.points);
    zi_bind_double(add, progress.noise);
    zi_bind_double(add, timings->evaluating);
    zi_bind_double(add, timings->searching);
    size_t best;
    if (zi_archive_best(&optimizer->archive, &best)) { /* what is not bound is NULL */
        zi_bind_double(add, progress.best_value);
        zi_bind_double(add, progress.best_fitness);
        zi_bind_u64(add, progress.best_active);
        zi_bind_u64(add, best);
    }
    ZI_TRY(zi_statement_run(add));
    return zi_study_set_violation(study, ZI_SET_BEST_VIOLATION, progress.best_violation, known->run, 1,
                                  &progress.generations);
}

static zilch_status add_evaluations(zilch_study *study, known_run *known, const zilch_optimizer *optimizer)
{
    size_t count;
    const zi_evaluation *told = zi_optimizer_new_evaluations(optimizer, &count);
    const zi_archive *archive = &optimizer->archive;
    zi_statement *add;
    ZI_TRY(zi_study_prepare(study, ZI_ADD_EVALUATION, &add));
    for (size_t i = 0; i < count; i++) {
        const double value = isfinite(told[i].value) ? told[i].value : NAN;
        const zilch_evaluation evaluation = {.generation = optimizer->generations,
                                             .id = told[i].id,
                                             .point = told[i].point,
                                             .value = value,
                                             .weight = told[i].weight,
                                             .violation = told[i].violation};
        zi_bind_u64(add, known->run);
        zi_bind_u64(add, evaluation.generation);
        zi_bind_u64(add, i);
        zi_bind_u64(add, evaluation.id);
        zi_bind_u64(add, evaluation.point);
        zi_bind_double(add, value);
        const zi_archive_entry *entry = &archive->entry[told[i].point];
        zi_bind_double(add, zi_archive_fitness(archive, value, entry->active, entry->penalties));
        zi_bind_double(add, evaluation.weight);
        ZI_TRY(zi_statement_run(add));
        ZI_TRY(zi_study_set_violation(study, ZI_SET_VIOLATION, evaluation.violation, known->run, 2,
                                      (const uint64_t[]){evaluation.generation, i}));
        known->evaluations_sum = zi_sum_evaluation(known->evaluations_sum, &evaluation);
    }
    return ZILCH_OK;
}

/* An attempt that was given up may have left words about points that a later one has evaluated after all. */
static zilch_status forget_mended(zilch_study *study, uint64_t run, uint64_t generation)
{
    zi_statement *forget;
    ZI_TRY(zi_study_prepare(study, ZI_FORGET_MENDED, &forget));
    for (int i = 0; i < 2; i++) {
        zi_bind_u64(forget, run);
        zi_bind_u64(forget, generation);
    }
    return zi_statement_run(forget);
}

zilch_status zi_study_record(zilch_study *study, uint64_t run, const zilch_optimizer *optimizer,
                             const zilch_timings *timings, size_t length)
{
    assert(optimizer && length <= study->capacity);
    known_run known;
    ZI_TRY(find_run(study, run, &known));
    ZI_TRY(check_turn(study, &known, optimizer));
    const uint64_t before = known.points;
    ZI_TRY(add_points(study, &known, &optimizer->archive));
    if (optimizer->options.archive_size) {
        ZI_TRY(forget_points(study, &known, before, &optimizer->archive));
    }
    ZI_TRY(add_generation(study, &known, optimizer, timings));
    ZI_TRY(add_evaluations(study, &known, optimizer));
    ZI_TRY(forget_mended(study, run, optimizer->generations));
    ZI_TRY(zi_study_run_statement(study, ZI_FORGET_JOURNAL, run));
    known.generation = optimizer->generations;
    return put_checkpoint(study, &known, length);
}

zilch_status zilch_study_record(zilch_study *study, uint64_t run, const zilch_optimizer *optimizer,
                                const zilch_timings *timings)
{
    size_t length;
    const zilch_timings none = {0};
    ZI_TRY(zi_study_check_writable(study, optimizer));
    if (timings && !(isfinite(timings->evaluating) && isfinite(timings->searching))) {
        return zi_fail(ZILCH_EARG, "study: the timings of a generation must be finite");
    }
    ZI_TRY(zi_study_pack(study, optimizer, &length));
    ZI_TRY(zi_sql_begin(study->sql));
    return zi_sql_end(study->sql, zi_study_record(study, run, optimizer, timings ? timings : &none, length));
}

/* ---- Another penalty ---------------------------------------------------------------------------------- */

/* The checkpoint is of the same generation as before. */
static zilch_status set_penalty(zilch_study *study, uint64_t run, const zilch_optimizer *optimizer,
                                size_t length)
{
    known_run known;
    zi_statement *set;
    ZI_TRY(find_run(study, run, &known));
    known.traits.penalty = optimizer->options.penalty;
    if (!zi_run_traits_fit(&known.traits, optimizer) || known.generation != optimizer->generations ||
        known.points != optimizer->archive.rows.count || optimizer->slots) {
        return zi_sql_fail(study->sql, ZILCH_ESTATE,
                           "run %llu: its penalty changes when generation %llu is recorded and the next is "
                           "not asked for, with the optimiser of this run",
                           (unsigned long long)run, (unsigned long long)known.generation);
    }
    ZI_TRY(zi_study_prepare(study, ZI_SET_PENALTY, &set));
    zi_bind_double(set, optimizer->options.penalty);
    zi_bind_u64(set, run);
    ZI_TRY(zi_statement_run(set));
    return put_checkpoint(study, &known, length);
}

zilch_status zilch_study_set_penalty(zilch_study *study, uint64_t run, const zilch_optimizer *optimizer)
{
    size_t length;
    ZI_TRY(zi_study_check_writable(study, optimizer));
    ZI_TRY(zi_study_pack(study, optimizer, &length));
    ZI_TRY(zi_sql_begin(study->sql));
    return zi_sql_end(study->sql, set_penalty(study, run, optimizer, length));
}

/* ---- Concluding ------------------------------------------------------------------------------------- */

static zilch_status bind_recommendation(zilch_study *study, zi_statement *put,
                                        const zilch_conclusion *conclusion, const double *x, size_t dim)
{
    const zilch_recommendation *r = &conclusion->recommendation;
    for (size_t i = 0; i < dim; i++) {
        if (!isfinite(x[i])) {
            return zi_fail_at(ZILCH_EARG, &(zi_location){"study", {{ZI_COORDINATE, i}}, NULL},
                              "the recommended point is not finite");
        }
    }
    ZI_TRY(zi_grow(&study->bytes, 1, 0, 8 * dim, &study->capacity));
    zi_writer writer = {.data = study->bytes, .capacity = 8 * dim};
    zi_write_doubles(&writer, x, dim);
    zi_bind_u64(put, r->point);
    zi_bind_double(put, r->mean);
    zi_bind_double(put, r->deviation);
    zi_bind_double(put, r->fitness);
    zi_bind_u64(put, r->evaluations);
    zi_bind_u64(put, r->failures);
    zi_bind_u64(put, r->spent);
    zi_bind_u64(put, r->active);
    zi_bind_u64(put, r->pruned);
    zi_bind_double(put, conclusion->held_out_mean);
    zi_bind_double(put, conclusion->held_out_error);
    zi_bind_u64(put, conclusion->held_out_count);
    zi_bind_blob(put, study->bytes, 8 * dim);
    return ZILCH_OK;
}

static zilch_status conclude(zilch_study *study, uint64_t run, const zilch_conclusion *conclusion,
                             const double *x)
{
    known_run known;
    zi_statement *put;
    ZI_TRY(find_run(study, run, &known));
    ZI_TRY(zi_study_run_statement(study, ZI_FORGET_JOURNAL, run));
    ZI_TRY(zi_study_prepare(study, ZI_PUT_CONCLUSION, &put));
    zi_bind_u64(put, run);
    zi_bind_u64(put, known.generation);
    if (conclusion->stop == ZILCH_STOP_NONE) {
        zi_bind_double(put, NAN); /* NULL */
    } else {
        zi_bind_text(put, zilch_stop_name(conclusion->stop));
    }
    if (conclusion->is_recommending) {
        ZI_TRY(bind_recommendation(study, put, conclusion, x, (size_t)known.traits.dim));
    }
    ZI_TRY(zi_statement_run(put));
    return conclusion->is_recommending
               ? zi_study_set_violation(study, ZI_SET_CONCLUSION_VIOLATION,
                                        conclusion->recommendation.violation, run, 1, &known.generation)
               : ZILCH_OK;
}

zilch_status zilch_study_conclude(zilch_study *study, uint64_t run, const zilch_conclusion *conclusion,
                                  const double *x)
{
    ZI_TRY(zi_study_check_writable(study, conclusion));
    if (!zilch_stop_name(conclusion->stop)) {
        return zi_fail(ZILCH_EARG, "study: %d is no reason to stop", (int)conclusion->stop);
    }
    if (conclusion->stop == ZILCH_STOP_NONE && !conclusion->is_recommending) {
        return zi_fail(ZILCH_EARG, "study: a run that goes on and recommends nothing has nothing to tell");
    }
    if (conclusion->is_recommending && !x) {
        return zi_fail(ZILCH_EARG, "study: a point is recommended, but not given");
    }
    ZI_TRY(zi_sql_begin(study->sql));
    return zi_sql_end(study->sql, conclude(study, run, conclusion, x));
}
