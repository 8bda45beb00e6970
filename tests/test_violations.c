/* Limits that only an evaluation knows: which of two points is better, what is kept of a violation, and
 * searches in which half of all points break a limit. */
#include "base/bytes.h"
#include "search_support.h"

#include <sqlite3.h>
#include <unistd.h>

#define OK(call) assert_int_equal((call), ZILCH_OK)

enum { DIM = 6 };

static zilch_record best_of(const zilch_optimizer *o)
{
    zilch_record best;
    OK(zilch_optimizer_best(o, NULL, &best));
    return best;
}

static void a_violation_is_a_sum(void **state)
{
    (void)state;
    assert_true(zilch_violation(0, NULL) == 0.0);
    assert_true(zilch_violation(3, (const double[]){-1.0, 0.0, -INFINITY}) == 0.0);
    assert_true(zilch_violation(3, (const double[]){0.25, -1.0, 0.5}) == 0.75);
    assert_true(isnan(zilch_violation(2, (const double[]){1.0, NAN})));
    assert_true(isinf(zilch_violation(2, (const double[]){1.0, INFINITY})));
}

/* ---- Order ------------------------------------------------------------------------------------------ */

static const struct {
    double value, violation;
    size_t rank; /* from 0; failed ones have none */
} told[] = {{5.0, 0.0, 1},  {1.0, 0.5, 4},  {0.0, 0.25, 3},     {-9.0, 0.25, 2},
            {4.0, -3.0, 0}, {2.0, NAN, 99}, {2.0, INFINITY, 99}};

static zilch_optimizer *tell_all(zilch_direction direction)
{
    zilch_optimizer_options options = small_defaults(ZILCH_METHOD_DEFAULT, 12, 4);
    options.direction = direction;
    zilch_optimizer *o = create_with(DIM, 1, &options);
    for (size_t i = 0; i < COUNT(told); i++) {
        const double x[DIM] = {1.0 + (double)i, i == 4 || i == 3 ? 1.0 : 0.0};
        const double sign = direction == ZILCH_MINIMIZE ? 1.0 : -1.0;
        OK(zilch_optimizer_tell_point_violation(o, x, sign * told[i].value, told[i].violation));
    }
    OK(zilch_optimizer_advance(o));
    assert_true(zi_optimizer_is_valid(o));
    return o;
}

static void feasible_points_come_first(void **state)
{
    (void)state;
    for (zilch_direction direction = ZILCH_MINIMIZE; direction <= ZILCH_MAXIMIZE; direction++) {
        zilch_optimizer *o = tell_all(direction);
        zilch_record top[COUNT(told)];
        size_t count;
        OK(zilch_optimizer_top(o, COUNT(told), top, &count));
        assert_int_equal(count, 5);
        for (size_t k = 0; k < count; k++) {
            assert_int_equal(told[top[k].point].rank, k);
            assert_true(top[k].violation == fmax(told[top[k].point].violation, 0.0));
        }
        const zilch_progress progress = zilch_optimizer_progress(o);
        assert_true(progress.best_violation == 0.0);
        assert_int_equal(progress.failures, 2);
        assert_true(fabs(progress.best_value) == 4.0);
        zilch_record failed;
        OK(zilch_optimizer_point(o, 5, NULL, &failed));
        assert_true(isnan(failed.value) && isnan(failed.violation));
        zilch_optimizer_destroy(o);
    }
}

/* Of one active coordinate the best value is infeasible, and so is that of two but one. */
static void the_front_is_feasible(void **state)
{
    (void)state;
    zilch_optimizer *o = tell_all(ZILCH_MINIMIZE);
    zilch_record front[DIM + 1];
    size_t count;
    OK(zilch_optimizer_front(o, DIM + 1, front, &count));
    assert_int_equal(count, 2);
    assert_int_equal(front[0].point, 0);
    assert_int_equal(front[1].point, 4);
    zilch_optimizer_destroy(o);

    o = create_with(DIM, 1, NULL); /* nothing feasible: as without limits */
    OK(zilch_optimizer_tell_point_violation(o, (const double[DIM]){1.0}, 3.0, 0.5));
    OK(zilch_optimizer_tell_point_violation(o, (const double[DIM]){2.0, 1.0}, 2.0, 2.0));
    OK(zilch_optimizer_advance(o));
    OK(zilch_optimizer_front(o, DIM + 1, front, &count));
    assert_int_equal(count, 2);
    assert_true(zilch_optimizer_progress(o).best_violation == 0.5);
    zilch_optimizer_destroy(o);
}

static void only_a_feasible_point_reaches_a_target(void **state)
{
    (void)state;
    zilch_limits limits = zilch_limits_defaults();
    zilch_stop stop;
    limits.target = 4.0;
    limits.evaluations = 1000;
    zilch_optimizer *o = create_with(DIM, 1, NULL);
    OK(zilch_optimizer_tell_point_violation(o, (const double[DIM]){1.0}, -3.0, 1e-9));
    OK(zilch_optimizer_advance(o));
    OK(zilch_limits_reached(&limits, o, &stop));
    assert_int_equal(stop, ZILCH_STOP_NONE);
    OK(zilch_optimizer_tell_point(o, (const double[DIM]){2.0}, 4.0));
    OK(zilch_optimizer_advance(o));
    OK(zilch_limits_reached(&limits, o, &stop));
    assert_int_equal(stop, ZILCH_STOP_TARGET);
    zilch_optimizer_destroy(o);
}

/* ---- Several evaluations of one point ------------------------------------------------------------- */

static void violations_are_aggregated_like_values(void **state)
{
    (void)state;
    static const double value[] = {1.0, 3.0, 5.0};
    static const double violation[] = {0.5, 0.0, 1.0};
    static const struct {
        zilch_aggregate aggregate;
        double value[3], violation[3];
    } rows[] = {{ZILCH_AGGREGATE_LATEST, {1.0, 3.0, 5.0}, {0.5, 0.0, 1.0}},
                {ZILCH_AGGREGATE_MEAN, {1.0, 2.0, 3.0}, {0.5, 0.25, 0.5}},
                {ZILCH_AGGREGATE_LATER, {1.0, 3.0, 4.0}, {0.5, 0.0, 0.5}}};
    for (size_t k = 0; k < COUNT(rows); k++) {
        zilch_optimizer_options options = small_defaults(ZILCH_METHOD_DEFAULT, 12, 4);
        options.aggregate = rows[k].aggregate;
        zilch_optimizer *o = create_with(DIM, 1, &options);
        for (size_t i = 0; i < COUNT(value); i++) {
            OK(zilch_optimizer_tell_point_violation(o, (const double[DIM]){1.0}, value[i], violation[i]));
            OK(zilch_optimizer_advance(o));
            const zilch_record record = best_of(o);
            assert_true(fabs(record.value - rows[k].value[i]) < 1e-15);
            assert_true(fabs(record.violation - rows[k].violation[i]) < 1e-15);
        }
        zilch_optimizer_destroy(o);
    }
}

/* ---- Searches ----------------------------------------------------------------------------------- */

/* Half of all points break the first limit, and the best value is beyond it; the second one leaves a ring. */
typedef struct limited {
    int kind;
    double noise;
    int is_told; /* are violations? */
    size_t evaluations, infeasible;
} limited;

static double violation_at(int kind, const double *x)
{
    const double square = x[2] * x[2] + x[3] * x[3];
    const double half[] = {1.0 - x[0] - x[1]};
    const double ring[] = {1.0 - square, square - 4.0};
    const double never[] = {1.0 + fabs(x[0] - 0.5) + x[1] * x[1]};
    return kind == 0   ? zilch_violation(1, half)
           : kind == 1 ? zilch_violation(2, ring)
           : kind == 2 ? zilch_violation(1, half) + zilch_violation(2, ring)
                       : zilch_violation(1, never);
}

/* The unconstrained best is at (0, 0, 3, 0, 0, 0); with limits x0 = x1 = 0.5, and x2 = 2. */
static double value_at(const double *x)
{
    double sum = 0.0;
    for (size_t i = 0; i < DIM; i++) {
        const double difference = x[i] - (i == 2 ? 3.0 : 0.0);
        sum += difference * difference;
    }
    return sum;
}

static double best_value(int kind)
{
    return kind == 0 ? 0.5 : kind == 1 ? 1.0 : 1.5;
}

static zilch_status limited_objective(void *context, const zilch_batch *batch, double *value)
{
    limited *l = context;
    for (size_t i = 0; i < batch->n; i++) {
        const double *x = batch->x + i * DIM;
        const double violation = violation_at(l->kind, x);
        value[i] = value_at(x) + l->noise * (noise_of(batch->id[i]) - 0.5);
        assert_true(batch->violation && batch->violation[i] == 0.0);
        batch->violation[i] = l->is_told ? violation > 0.0 ? violation : -1.0 : 0.0;
        l->evaluations++;
        l->infeasible += violation > 0.0;
    }
    return ZILCH_OK;
}

static zilch_recommendation search(uint64_t seed, limited *l, const zilch_optimizer_options *options,
                                   uint64_t evaluations, double x[DIM])
{
    zilch_limits limits = zilch_limits_defaults();
    zilch_final_options final = zilch_final_defaults(options->method);
    zilch_recommendation out;
    zilch_optimizer *o = create_with(DIM, seed, options);
    limits.evaluations = final.budget = evaluations;
    limits.final = &final;
    OK(zilch_optimizer_run(o, limited_objective, l, &limits, NULL, NULL, NULL));
    OK(zilch_optimizer_recommend(o, limited_objective, l, &final, x, &out));
    assert_true(zi_optimizer_is_valid(o));
    zilch_optimizer_destroy(o);
    return out;
}

/* Twenty seeds of each: always feasible, and near the best that is. Of 200 runs with kind 2, 7 were more than
 * 0.1 above it, so more than 4 of 20 would be by chance once in 2,000 times. */
static void what_is_recommended_is_feasible(void **state)
{
    (void)state;
    enum { SEEDS = 20 };
    for (int kind = 0; kind < 3; kind++) {
        double worst = 0.0;
        size_t far = 0;
        limited l = {.kind = kind, .is_told = 1};
        for (uint64_t seed = 1; seed <= SEEDS; seed++) {
            zilch_optimizer_options options = zilch_optimizer_defaults();
            options.penalty = 1e-3;
            double x[DIM];
            const zilch_recommendation r = search(seed, &l, &options, 2000, x);
            assert_true(r.violation == 0.0 && violation_at(kind, x) == 0.0);
            const double above = value_at(x) - best_value(kind);
            worst = fmax(worst, above);
            far += above > 0.1;
        }
        const double share = (double)l.infeasible / (double)l.evaluations;
        print_message("kind %d: at most %.3g above the best, %.2f of all infeasible\n", kind, worst, share);
        assert_true(far <= (kind == 2 ? 4 : 0));
        assert_true(share > 0.3 && share < 0.8);
    }
}

/* With every method, without refinement, and with noise. */
static void every_method_keeps_limits(void **state)
{
    (void)state;
    for (size_t k = 0; k < COUNT(four_methods); k++) {
        for (int is_noisy = 0; is_noisy < 2; is_noisy++) {
            limited l = {.kind = 0, .is_told = 1, .noise = is_noisy ? 0.2 : 0.0};
            zilch_optimizer_options options = zilch_method_defaults(four_methods[k]);
            options.population = 50;
            options.refinement = 0;
            double x[DIM];
            const zilch_recommendation r = search(3, &l, &options, 2500, x);
            assert_true(r.violation == 0.0 && violation_at(0, x) == 0.0);
            assert_true(value_at(x) < best_value(0) + 1.5);
        }
    }
}

/* Where nothing is feasible, the violation is what is minimised, and the report says so. */
static void the_least_violation_is_found(void **state)
{
    (void)state;
    limited l = {.kind = 3, .is_told = 1};
    const zilch_optimizer_options options = zilch_optimizer_defaults();
    double x[DIM];
    const zilch_recommendation r = search(1, &l, &options, 1000, x);
    assert_true(r.violation == violation_at(3, x));
    assert_true(r.violation < 1.001);
}

/* Leaving x0 or x1 out would be better for the value, and break the limit. */
static void pruning_keeps_limits(void **state)
{
    (void)state;
    for (int is_noisy = 0; is_noisy < 2; is_noisy++) {
        limited l = {.kind = 0, .is_told = 1, .noise = is_noisy ? 0.01 : 0.0};
        zilch_optimizer *o = create_with(DIM, 1, NULL);
        const double start[DIM] = {0.5, 0.5, 3.0, 0.01};
        zilch_recommendation r;
        double x[DIM];
        OK(zilch_optimizer_tell_point_violation(o, start, value_at(start), 0.0));
        OK(zilch_optimizer_advance(o));
        zilch_final_options final = zilch_final_defaults(ZILCH_METHOD_DEFAULT);
        final.is_noisy = is_noisy;
        OK(zilch_optimizer_recommend(o, limited_objective, &l, &final, x, &r));
        assert_true(r.violation == 0.0 && x[0] == 0.5 && x[1] == 0.5 && x[2] == 3.0);
        assert_int_equal(r.pruned, is_noisy ? r.pruned : 1);
        zilch_optimizer_destroy(o);
    }
}

/* The trend is that of feasible points, and estimates no other. */
static void the_trend_is_of_feasible_points(void **state)
{
    (void)state;
    limited l = {.kind = 0, .is_told = 1, .noise = 0.5};
    zilch_limits limits = zilch_limits_defaults();
    limits.evaluations = 3000;
    zilch_optimizer *o = create_with(DIM, 1, NULL);
    OK(zilch_optimizer_run(o, limited_objective, &l, &limits, NULL, NULL, NULL));
    assert_true(o->trend.terms > 0);
    size_t estimated = 0;
    for (size_t row = 0; row < o->archive.rows.count; row++) {
        const zi_archive_entry *w = &o->archive.entry[row];
        assert_true(!(w->violation > 0.0) || w->estimate == w->value);
        estimated += w->estimate != w->value;
    }
    assert_true(estimated > 100);
    zilch_optimizer_destroy(o);
}

/* ---- Files ------------------------------------------------------------------------------------------ */

/* A few evaluations at a time, with other orders; interrupted after each, or not. */
static void advance(zilch_optimizer **o, const limited *l, int is_interrupted)
{
    asked a = {.dim = DIM};
    double violation[MOST_ASKED];
    OK(zilch_optimizer_wanted(*o, &a.n));
    assert_in_range(a.n, 1, MOST_ASKED);
    OK(zilch_optimizer_ask(*o, a.n, a.id, a.x));
    for (size_t i = 0; i < a.n; i++) {
        a.value[i] = value_at(a.x + i * DIM) + l->noise * noise_of(a.id[i]);
        violation[i] = violation_at(l->kind, a.x + i * DIM);
    }
    for (size_t k = 0; k < a.n; k++) {
        const size_t i = is_interrupted ? a.n - 1 - k : k;
        OK(zilch_optimizer_tell_violation(*o, 1, &a.id[i], &a.value[i], NULL, &violation[i]));
        if (is_interrupted && k % 3 == 0) {
            zilch_optimizer *copy = copy_of(*o);
            assert_true(is_same_state(copy, *o));
            zilch_optimizer_destroy(*o);
            *o = copy;
        }
    }
    assert_true(zi_optimizer_is_valid(*o));
}

static void a_search_goes_on_from_bytes(void **state)
{
    (void)state;
    for (int kind = 0; kind < 4; kind++) {
        const limited l = {.kind = kind, .noise = kind == 1 ? 0.1 : 0.0};
        zilch_optimizer_options options = zilch_optimizer_defaults();
        options.penalty = 0.01;
        options.expected_evaluations = 3000;
        options.aggregate = kind == 1 ? ZILCH_AGGREGATE_LATEST : ZILCH_AGGREGATE_LATER;
        zilch_optimizer *whole = create_with(DIM, 5, &options);
        zilch_optimizer *cut = create_with(DIM, 5, &options);
        for (int k = 0; k < 60; k++) {
            advance(&whole, &l, 0);
            advance(&cut, &l, 1);
            assert_true(is_same_state(whole, cut));
        }
        zilch_optimizer_destroy(whole);
        zilch_optimizer_destroy(cut);
    }
}

/* Nothing is written of violations where there are none, and nothing of them is believed that cannot be. */
static void bytes_are_checked(void **state)
{
    (void)state;
    enum { FLAGS = 12, LAST = 8 };
    limited l = {.kind = 0};
    zilch_optimizer *o = create_with(DIM, 5, NULL);
    const double x[DIM] = {1.0};
    OK(zilch_optimizer_tell_point(o, x, 3.0));
    OK(zilch_optimizer_advance(o));
    packed p = pack_of(o);
    assert_int_equal(p.data[FLAGS], 1);
    free(p.data);
    zilch_optimizer_destroy(o);
    o = create_with(DIM, 5, NULL);
    advance(&o, &l, 0);
    p = pack_of(o);
    assert_int_equal(p.data[FLAGS], 1 | 4);
    static const double wrong[] = {-1.0, NAN, INFINITY};
    for (size_t k = 0; k < COUNT(wrong); k++) { /* the last number is a violation of the archive */
        zilch_optimizer *read;
        zi_writer w = {.data = p.data, .capacity = p.length, .length = p.length - LAST - 8};
        zi_write_double(&w, wrong[k]);
        zi_write_u64(&w, zi_crc64(p.data, p.length - LAST));
        assert_int_equal(zilch_optimizer_unpack(&read, p.data, p.length), ZILCH_EFORMAT);
        assert_null(read);
    }
    free(p.data);
    zilch_optimizer_destroy(o);
}

/* ---- Studies ---------------------------------------------------------------------------------------- */

static zilch_study *open_study(zilch_study_mode mode)
{
    zilch_study *study;
    if (zilch_study_open(&study, scratch.file, mode) != ZILCH_OK) {
        fail_msg("%s", zilch_last_error());
    }
    return study;
}

/* Of a study whose reader was closed last. */
static void remove_study(void)
{
    static const char *const ends[] = {"", "-wal", "-shm"};
    for (size_t k = 0; k < COUNT(ends); k++) {
        char path[80];
        snprintf(path, sizeof path, "%s%s", scratch.file, ends[k]);
        (void)unlink(path);
    }
}

/* Whether the tables have columns for violations, as another program sees them. */
static int has_columns(void)
{
    sqlite3 *database;
    sqlite3_stmt *statement;
    assert_int_equal(sqlite3_open(scratch.file, &database), SQLITE_OK);
    assert_int_equal(
        sqlite3_prepare_v2(
            database, "SELECT count(*) FROM sqlite_schema WHERE sql LIKE '%violation%' AND name <> 'journal'",
            -1, &statement, NULL),
        SQLITE_OK);
    assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
    const int tables = sqlite3_column_int(statement, 0);
    sqlite3_finalize(statement);
    sqlite3_close(database);
    assert_true(tables == 0 || tables == 4);
    return tables > 0;
}

static void ask_and_evaluate(zilch_study *study, uint64_t run, int kind, asked *a, double *violation)
{
    OK(zilch_study_ask(study, run, MOST_ASKED, 0, a->id, a->x, &a->n));
    for (size_t i = 0; i < a->n; i++) {
        a->value[i] = value_at(a->x + i * DIM);
        violation[i] = kind < 0 ? 0.0 : violation_at(kind, a->x + i * DIM);
    }
}

/* One that has no violations yet, as an earlier zilch would have made it; a reader is there all the time. */
static zilch_study *begin_study(uint64_t *run, zilch_optimizer **plain, zilch_study **reader)
{
    static asked a;
    static double violation[MOST_ASKED];
    int is_closed;
    *plain = create_with(DIM, 7, NULL);
    zilch_study *study = open_study(ZILCH_STUDY_CREATE);
    OK(zilch_study_start(study, NULL, *plain, run));
    ask_and_evaluate(study, *run, -1, &a, violation);
    OK(zilch_study_tell(study, *run, a.n, a.id, a.value, NULL, &is_closed));
    assert_true(is_closed);
    OK(zilch_optimizer_ask(*plain, a.n, a.id, a.x));
    OK(zilch_optimizer_tell(*plain, a.n, a.id, a.value));
    *reader = open_study(ZILCH_STUDY_READ);
    assert_false(has_columns());
    return study;
}

typedef struct seen {
    size_t evaluations, infeasible;
    double violation;
} seen;

static zilch_status see_evaluation(void *context, const zilch_evaluation *evaluation)
{
    seen *s = context;
    const double expected = evaluation->generation == 1 ? 0.0 : violation_at(0, evaluation->x);
    assert_true(evaluation->violation == expected);
    s->evaluations++;
    s->infeasible += evaluation->violation > 0.0;
    return ZILCH_OK;
}

static zilch_status see_conclusion(void *context, uint64_t generation, const zilch_conclusion *conclusion,
                                   const double *x)
{
    (void)generation;
    (void)x;
    ((seen *)context)->violation = conclusion->recommendation.violation;
    return ZILCH_OK;
}

/* One value at a time, the study opened anew for each, against the optimiser without a study. */
static void a_study_keeps_violations(void **state)
{
    (void)state;
    static asked a;
    static double violation[MOST_ASKED];
    zilch_optimizer *plain;
    zilch_study *reader;
    uint64_t run;
    zilch_study *study = begin_study(&run, &plain, &reader);
    for (size_t g = 0; g < 12; g++) {
        ask_and_evaluate(study, run, 0, &a, violation);
        for (size_t i = 0; i < a.n; i++) {
            int is_closed;
            zilch_study_close(study);
            study = open_study(ZILCH_STUDY_WRITE);
            OK(zilch_study_tell_violation(study, run, 1, &a.id[i], &a.value[i], NULL, &violation[i],
                                          &is_closed));
        }
        size_t n;
        OK(zilch_optimizer_wanted(plain, &n));
        assert_int_equal(n, a.n);
        OK(zilch_optimizer_ask(plain, n, a.id, a.x));
        OK(zilch_optimizer_tell_violation(plain, n, a.id, a.value, NULL, violation));
        zilch_generation last;
        zilch_optimizer *resumed;
        OK(zilch_study_last(reader, run, &last));
        assert_true(last.best_violation == zilch_optimizer_progress(plain).best_violation);
        OK(zilch_study_resume(reader, run, &resumed));
        assert_true(is_same_state(resumed, plain));
        zilch_optimizer_destroy(resumed);
    }
    assert_true(has_columns());
    seen s = {0};
    OK(zilch_study_evaluations(reader, run, see_evaluation, &s));
    assert_int_equal(s.evaluations, zilch_optimizer_progress(plain).evaluations);
    assert_true(s.infeasible > 5 && s.infeasible < s.evaluations);
    const double x[DIM] = {0};
    zilch_conclusion conclusion = {.stop = ZILCH_STOP_EVALUATIONS,
                                   .is_recommending = 1,
                                   .recommendation = {.mean = 1.0, .violation = 0.25}};
    OK(zilch_study_conclude(study, run, &conclusion, x));
    OK(zilch_study_conclusion(reader, run, &conclusion, NULL));
    assert_true(conclusion.recommendation.violation == 0.25);
    OK(zilch_study_conclusions(reader, run, see_conclusion, &s));
    assert_true(s.violation == 0.25);
    zilch_study_close(study);
    zilch_study_close(reader);
    zilch_optimizer_destroy(plain);
    remove_study();
}

/* A violation that was changed in the file is noticed, and so is one that is none. */
static void a_changed_violation_is_noticed(void **state)
{
    (void)state;
    static const char *const changes[] = {
        "UPDATE evaluations SET violation = violation + 1 WHERE violation > 0",
        "UPDATE evaluations SET violation = 0", "UPDATE evaluations SET violation = -1"};
    static asked a;
    static double violation[MOST_ASKED];
    for (size_t k = 0; k < COUNT(changes); k++) {
        zilch_optimizer *plain;
        zilch_study *reader;
        uint64_t run;
        int is_closed;
        zilch_study *study = begin_study(&run, &plain, &reader);
        ask_and_evaluate(study, run, 0, &a, violation);
        OK(zilch_study_tell_violation(study, run, a.n, a.id, a.value, NULL, violation, &is_closed));
        zilch_study_close(study);
        sqlite3 *database;
        assert_int_equal(sqlite3_open(scratch.file, &database), SQLITE_OK);
        assert_int_equal(sqlite3_exec(database, changes[k], NULL, NULL, NULL), SQLITE_OK);
        sqlite3_close(database);
        zilch_optimizer *resumed;
        assert_int_equal(zilch_study_resume(reader, run, &resumed), ZILCH_EFORMAT);
        assert_non_null(
            strstr(zilch_last_error(), k < 2 ? "not those that were recorded" : "an evaluation of"));
        zilch_study_close(reader);
        zilch_optimizer_destroy(plain);
        remove_study();
    }
}

/* Nothing is feasible, and a better value costs a little more violation, beside which others are large. */
static zilch_status hardly_worse(void *context, const zilch_batch *batch, double *value)
{
    (void)context;
    for (size_t k = 0; k < batch->n; k++) {
        const double *x = batch->x + 2 * k;
        value[k] = (x[0] - 3.0) * (x[0] - 3.0);
        batch->violation[k] = 1.0 + 1e-6 * fabs(sin(x[0])) + 1e3 * x[1] * x[1];
    }
    return ZILCH_OK;
}

/* A step that is known, gains nothing, and is proposed again would leave no evaluation to end the search. */
static void a_search_that_is_nowhere_feasible_ends(void **state)
{
    (void)state;
    static const double step[] = {1.0, 1.0};
    for (int has_steps = 0; has_steps < 2; has_steps++) {
        zilch_optimizer_options options = zilch_optimizer_defaults();
        zilch_limits limits = zilch_limits_defaults();
        zilch_stop stop;
        options.step = has_steps ? step : NULL;
        limits.evaluations = 500;
        zilch_optimizer *o = create_with(2, 1, &options);
        alarm(120);
        OK(zilch_optimizer_run(o, hardly_worse, NULL, &limits, NULL, NULL, &stop));
        alarm(0);
        assert_int_equal(stop, ZILCH_STOP_EVALUATIONS);
        assert_true(best_of(o).violation == 1.0);
        zilch_optimizer_destroy(o);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_violation_is_a_sum),
        cmocka_unit_test(feasible_points_come_first),
        cmocka_unit_test(the_front_is_feasible),
        cmocka_unit_test(only_a_feasible_point_reaches_a_target),
        cmocka_unit_test(violations_are_aggregated_like_values),
        cmocka_unit_test(what_is_recommended_is_feasible),
        cmocka_unit_test(every_method_keeps_limits),
        cmocka_unit_test(the_least_violation_is_found),
        cmocka_unit_test(pruning_keeps_limits),
        cmocka_unit_test(the_trend_is_of_feasible_points),
        cmocka_unit_test(a_search_that_is_nowhere_feasible_ends),
        cmocka_unit_test(a_search_goes_on_from_bytes),
        cmocka_unit_test(bytes_are_checked),
        cmocka_unit_test_setup_teardown(a_study_keeps_violations, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(a_changed_violation_is_noticed, make_folder, remove_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
