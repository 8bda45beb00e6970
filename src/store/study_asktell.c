/* Studies whose points are evaluated elsewhere. Each call is one transaction that begins by writing, so that
 * of several processes one after the other has its turn. In it the optimiser of the last checkpoint goes
 * through the open generation once more: what was handed out is asked for, what came back is told. That gives
 * the same points and the same state, as neither depends on the order of the values. Only what is new is
 * written. */
#include "store/study.h"

#include "base/memory.h"
#include "search/optimizer.h"

#include <math.h>
#include <string.h>

/* How many points of a generation may be out, and how many coordinates they may have together. All that are
 * out are made again at every turn: larger numbers on file are damage, and are not believed. */
enum { MOST_MORE = 1 << 20, MOST_COORDINATES = 1 << 26 };

typedef struct turn {
    zilch_study *study;
    uint64_t run;
    zilch_optimizer *optimizer;
    uint64_t handed;
    uint64_t *id; /* of what was handed out, */
    double *x;    /* and the points */
} turn;

/* ---- The open generation, gone through again -------------------------------------------------------- */

static zilch_status read_handed(zi_statement *row, void *context)
{
    turn *t = context;
    t->handed = zi_column_count(row);
    return zi_columns_check(row, "run", t->run);
}

static zilch_status read_told(zi_statement *row, void *context)
{
    const turn *t = context;
    const uint64_t id = zi_column_u64(row);
    const double value = zi_column_double(row);
    const double error = zi_column_double(row);
    const double violation = zi_column_violation(row);
    ZI_TRY(zi_columns_check(row, "run", t->run));
    const uint64_t generations = t->optimizer->generations;
    const zilch_status status =
        zilch_optimizer_tell_violation(t->optimizer, 1, &id, &value, &error, &violation);
    if (status == ZILCH_ENOMEM) {
        return status;
    }
    if (status != ZILCH_OK || t->optimizer->generations != generations) {
        return zi_fail_within(ZILCH_EFORMAT, "%s: damaged: run %llu: value of %llu",
                              zi_sql_path(t->study->sql), (unsigned long long)t->run, (unsigned long long)id);
    }
    return ZILCH_OK;
}

static uint64_t most_handed(const turn *t)
{
    const uint64_t most = t->optimizer->population + (uint64_t)MOST_MORE;
    const uint64_t room = MOST_COORDINATES / t->optimizer->dim;
    return most < room ? most : room;
}

/* So many points of the generation, as an ask gave them. */
static zilch_status ask_again(turn *t)
{
    const size_t dim = t->optimizer->dim;
    if (t->handed > most_handed(t)) {
        return zi_sql_fail(t->study->sql, ZILCH_EFORMAT, "damaged: run %llu: more points than can be",
                           (unsigned long long)t->run);
    }
    ZI_TRY(zi_alloc(&t->id, t->handed));
    ZI_TRY(zi_alloc(&t->x, t->handed * dim));
    return t->handed ? zilch_optimizer_ask(t->optimizer, t->handed, t->id, t->x) : ZILCH_OK;
}

#define TOLD(violation, is_early) \
    "SELECT id, value, error, " violation " FROM told WHERE run = ? AND is_early = " is_early " ORDER BY id"

static zilch_status tell_again(turn *t, int is_early)
{
    const char *text;
    ZI_TRY(is_early ? zi_study_choose(t->study, TOLD("violation", "1"), TOLD("0.0", "1"), &text)
                    : zi_study_choose(t->study, TOLD("violation", "0"), TOLD("0.0", "0"), &text));
    return zi_study_rows(t->study, text, t->run, read_told, t);
}

static zilch_status catch_up(turn *t)
{
    ZI_TRY(zilch_study_resume(t->study, t->run, &t->optimizer));
    ZI_TRY(zi_study_rows(t->study, "SELECT points FROM handed WHERE run = ?", t->run, read_handed, t));
    ZI_TRY(tell_again(t, 1));
    ZI_TRY(ask_again(t));
    return tell_again(t, 0);
}

static void turn_free(turn *t)
{
    zilch_optimizer_destroy(t->optimizer);
    zi_free(t->id);
    zi_free(t->x);
}

/* ---- Asking -------------------------------------------------------------------------------------------- */

static zilch_status ask(turn *t, size_t n, int is_more, uint64_t *id, double *x, size_t *count)
{
    zi_statement *put;
    ZI_TRY(catch_up(t));
    size_t left;
    ZI_TRY(zilch_optimizer_wanted(t->optimizer, &left));
    const size_t given = is_more || n < left ? n : left;
    if (given > most_handed(t) - t->handed) {
        return zi_sql_fail(t->study->sql, ZILCH_EARG,
                           "run %llu: at most %llu points of a generation can be out at once",
                           (unsigned long long)t->run, (unsigned long long)most_handed(t));
    }
    if (given) {
        ZI_TRY(zilch_optimizer_ask(t->optimizer, given, id, x));
        ZI_TRY(zi_study_prepare(t->study, ZI_PUT_HANDED, &put));
        zi_bind_u64(put, t->run);
        zi_bind_u64(put, t->handed + given);
        ZI_TRY(zi_statement_run(put));
    }
    *count = given;
    return ZILCH_OK;
}

zilch_status zilch_study_ask(zilch_study *study, uint64_t run, size_t n, int is_more, uint64_t *id, double *x,
                             size_t *count)
{
    turn t = {.study = study, .run = run};
    ZI_TRY(zi_study_check_writable(study, study));
    if (!count || (n && (!id || !x))) {
        return zi_fail(ZILCH_EARG, "study: places for ids, points and their number must be given");
    }
    *count = 0;
    ZI_TRY(zi_sql_begin(study->sql));
    const zilch_status status = zi_sql_end(study->sql, ask(&t, n, is_more, id, x, count));
    turn_free(&t);
    *count = status == ZILCH_OK ? *count : 0;
    return status;
}

/* Of generations that have closed without them. */
static zilch_status list_late(const zilch_optimizer *o, size_t capacity, uint64_t *id, double *x,
                              size_t *count)
{
    double *genome;
    ZI_TRY(zi_alloc(&genome, o->width));
    for (size_t i = 0; i < o->stragglers.rows.count; i++) {
        if (o->stragglers.slot[i].state != ZI_SLOT_ASKED) {
            continue;
        }
        if (*count < capacity) {
            id[*count] = zi_id_number(o->stragglers.slot[i].id);
            zi_rows_read(&o->stragglers.rows, i, genome);
            zi_optimizer_show(o, genome, x + *count * o->dim);
        }
        *count += 1;
    }
    zi_free(genome);
    return ZILCH_OK;
}

static zilch_status list_waiting(turn *t, size_t capacity, uint64_t *id, double *x, size_t *count)
{
    ZI_TRY(catch_up(t));
    const zilch_optimizer *o = t->optimizer;
    ZI_TRY(list_late(o, capacity, id, x, count));
    for (size_t i = 0; i < t->handed; i++) {
        if (o->slot[i].state != ZI_SLOT_ASKED) {
            continue;
        }
        if (*count < capacity) {
            id[*count] = t->id[i];
            memcpy(x + *count * o->dim, t->x + i * o->dim, o->dim * sizeof *x);
        }
        *count += 1;
    }
    return ZILCH_OK;
}

zilch_status zilch_study_waiting(zilch_study *study, uint64_t run, size_t capacity, uint64_t *id, double *x,
                                 size_t *count)
{
    turn t = {.study = study, .run = run};
    if (!study || !count || (capacity && (!id || !x))) {
        return zi_fail(ZILCH_EARG, "study: it, and places for ids, points and their number must be given");
    }
    *count = 0;
    ZI_TRY(zi_study_refresh(study));
    ZI_TRY(zi_sql_begin_reading(study->sql));
    const zilch_status status = zi_sql_end_reading(study->sql, list_waiting(&t, capacity, id, x, count));
    turn_free(&t);
    *count = status == ZILCH_OK ? *count : 0;
    return status;
}

/* ---- Failures in words ---------------------------------------------------------------------------- */

zilch_status zi_study_put_failures(zilch_study *study, uint64_t run, size_t n, const zilch_failure *failure)
{
    zi_statement *put;
    ZI_TRY(zi_study_prepare(study, ZI_PUT_FAILURE, &put));
    for (size_t i = 0; i < n; i++) {
        zi_bind_u64(put, run);
        zi_bind_u64(put, failure[i].generation);
        zi_bind_u64(put, failure[i].id);
        zi_bind_text(put, failure[i].reason ? failure[i].reason : "");
        zi_bind_text(put, failure[i].output ? failure[i].output : "");
        ZI_TRY(zi_statement_run(put));
    }
    return ZILCH_OK;
}

zilch_status zilch_study_fail(zilch_study *study, uint64_t run, size_t n, const zilch_failure *failure)
{
    ZI_TRY(zi_study_check_writable(study, study));
    if (n && !failure) {
        return zi_fail(ZILCH_EARG, "study: failures must be given");
    }
    if (!n) {
        return ZILCH_OK;
    }
    ZI_TRY(zi_sql_begin(study->sql));
    return zi_sql_end(study->sql, zi_study_put_failures(study, run, n, failure));
}

typedef struct failures_reading {
    uint64_t run;
    zilch_failure_reader reader;
    void *context;
} failures_reading;

static zilch_status read_failure(zi_statement *row, void *context)
{
    const failures_reading *r = context;
    zilch_failure failure = {.generation = zi_column_count(row)};
    failure.id = zi_column_u64(row);
    failure.reason = zi_column_text(row);
    failure.output = zi_column_text(row);
    ZI_TRY(zi_columns_check(row, "run", r->run));
    return r->reader(r->context, &failure);
}

/* In the order of the table's own index: to sort, SQLite would keep all texts in memory. */
static const char failures_text[] = "SELECT generation, id, reason, output FROM failures"
                                    " WHERE run = ? AND generation BETWEEN ? AND ? ORDER BY generation, id";

zilch_status zilch_study_failures_between(zilch_study *study, uint64_t run, zilch_span span,
                                          zilch_failure_reader reader, void *context)
{
    failures_reading r = {.run = run, .reader = reader, .context = context};
    if (!study || !reader) {
        return zi_fail(ZILCH_EARG, "study: it and a reader must be given");
    }
    return zi_study_rows_between(study, failures_text, run, span, read_failure, &r);
}

zilch_status zilch_study_failures(zilch_study *study, uint64_t run, zilch_failure_reader reader,
                                  void *context)
{
    if (!study || !reader) {
        return zi_fail(ZILCH_EARG, "study: it and a reader must be given");
    }
    ZI_TRY(zi_study_refresh(study));
    ZI_TRY(zi_sql_begin_reading(study->sql));
    zilch_status status =
        zilch_study_failures_between(study, run, (zilch_span){1, UINT64_MAX}, reader, context);
    if (status == ZILCH_OK) {
        status = zilch_study_failures_between(study, run, (zilch_span){0, 0}, reader, context);
    }
    return zi_sql_end_reading(study->sql, status);
}

/* ---- Telling -------------------------------------------------------------------------------------- */

static zilch_status forget(const turn *t)
{
    ZI_TRY(zi_study_run_statement(t->study, ZI_FORGET_HANDED, t->run));
    return zi_study_run_statement(t->study, ZI_FORGET_TOLD, t->run);
}

/* What is to be told; n 0: what is back closes the generation. */
typedef struct news {
    size_t n;
    const uint64_t *id;
    const double *value, *error, *violation;
    size_t dim;                /* of the points that the values are said to belong to, */
    const double *x;           /* n of them; NaN: not said. NULL: none is */
    const char *const *reason; /* n; NULL: none */
    int is_closed;
    int is_failed; /* nothing of it succeeded: that stays so, whatever the status */
} news;

static zilch_status add_told(const turn *t, const news *w)
{
    zi_statement *add;
    ZI_TRY(zi_study_prepare(t->study, ZI_ADD_TOLD, &add));
    for (size_t i = 0; i < w->n; i++) {
        const double violation = w->violation ? w->violation[i] : 0.0;
        const int is_good = isfinite(w->value[i]) && isfinite(zilch_violation(1, &violation));
        zi_bind_u64(add, t->run);
        zi_bind_u64(add, w->id[i]);
        zi_bind_u64(add, t->handed == 0);
        zi_bind_double(add, is_good ? w->value[i] : NAN);
        zi_bind_double(add, w->error ? w->error[i] : NAN);
        ZI_TRY(zi_statement_run(add));
        if (is_good) {
            ZI_TRY(zi_study_set_violation(t->study, ZI_SET_TOLD_VIOLATION, violation, t->run, 1, &w->id[i]));
        }
    }
    return ZILCH_OK;
}

/* The coordinates of a point that is out: in the open generation, or late. 0 if no point has this id. */
static int find_point(const turn *t, uint64_t id, double *genome, double *x)
{
    const zilch_optimizer *o = t->optimizer;
    for (size_t i = 0; i < o->stragglers.rows.count; i++) {
        if (zi_id_number(o->stragglers.slot[i].id) == id) {
            zi_rows_read(&o->stragglers.rows, i, genome);
            zi_law_point(o->options.method, o->dim, genome, x);
            return 1;
        }
    }
    const int is_open = id >= o->first_id && id - o->first_id < t->handed;
    if (is_open) {
        memcpy(x, t->x + (id - o->first_id) * o->dim, o->dim * sizeof *x);
    }
    return is_open;
}

/* Those who print with fewer digits round; but what is zero is the point itself. */
static int is_rounded(double said, double x)
{
    static const double six_digits = 5.001e-6;
    return x == 0.0 ? said == 0.0 : fabs(said - x) <= six_digits * fabs(x);
}

static zilch_status check_point(const turn *t, const news *w, size_t i, double *genome, double *x)
{
    const size_t dim = t->optimizer->dim;
    const double *defaults = t->optimizer->options.defaults;
    if (!find_point(t, w->id[i], genome, x)) {
        return ZILCH_OK; /* telling says so */
    }
    for (size_t j = 0; j < dim; j++) {
        const double given = w->x[i * dim + j];
        const int is_absent = given == 0.0 && signbit(given); /* not active */
        const double said = !is_absent ? given : defaults ? defaults[j] : 0.0;
        if (!isnan(said) && !is_rounded(said, x[j])) {
            return zi_fail_at(
                ZILCH_EARG, &(zi_location){NULL, {{ZI_POINT, i}, {ZI_COORDINATE, j}}, NULL},
                "is %.10g, but point %llu of run %llu has %.10g there: the value belongs to another point, "
                "or to another run",
                said, (unsigned long long)w->id[i], (unsigned long long)t->run, x[j]);
        }
    }
    return ZILCH_OK;
}

static zilch_status check_points(const turn *t, const news *w)
{
    double *genome;
    double *x;
    if (!w->x) {
        return ZILCH_OK;
    }
    if (w->dim != t->optimizer->dim) {
        return zi_fail(ZILCH_EARG, "study: the answers have %zu coordinates, run %llu has %zu", w->dim,
                       (unsigned long long)t->run, t->optimizer->dim);
    }
    ZI_TRY(zi_alloc(&genome, t->optimizer->width + t->optimizer->dim));
    x = genome + t->optimizer->width;
    zilch_status status = ZILCH_OK;
    for (size_t i = 0; i < w->n && status == ZILCH_OK; i++) {
        status = check_point(t, w, i, genome, x);
    }
    zi_free(genome);
    return status;
}

static zilch_status put_reasons(const turn *t, const news *w)
{
    for (size_t i = 0; i < w->n && w->reason; i++) {
        if (w->reason[i]) {
            const zilch_failure failure = {t->optimizer->generations + 1, w->id[i], w->reason[i], ""};
            ZI_TRY(zi_study_put_failures(t->study, t->run, 1, &failure));
        }
    }
    return ZILCH_OK;
}

static zilch_status tell(turn *t, news *w)
{
    ZI_TRY(catch_up(t));
    ZI_TRY(check_points(t, w));
    ZI_TRY(put_reasons(t, w));
    const uint64_t generations = t->optimizer->generations;
    const zilch_status status =
        w->n ? zilch_optimizer_tell_violation(t->optimizer, w->n, w->id, w->value, w->error, w->violation)
             : zilch_optimizer_advance(t->optimizer);
    w->is_closed = t->optimizer->generations > generations;
    w->is_failed = status == ZILCH_EOBJECTIVE && t->optimizer->handed == 0;
    if (w->is_failed) {
        return forget(t);
    }
    ZI_TRY(status);
    if (!w->is_closed) {
        return add_told(t, w);
    }
    const zilch_timings unknown = {0};
    size_t length;
    ZI_TRY(forget(t));
    ZI_TRY(zi_study_pack(t->study, t->optimizer, &length));
    return zi_study_record(t->study, t->run, t->optimizer, &unknown, length);
}

static zilch_status take_turn(zilch_study *study, uint64_t run, news *w, int *is_closed)
{
    turn t = {.study = study, .run = run};
    ZI_TRY(zi_sql_begin(study->sql));
    const zilch_status status = zi_sql_end(study->sql, tell(&t, w));
    turn_free(&t);
    if (is_closed) {
        *is_closed = w->is_closed && status == ZILCH_OK;
    }
    if (status == ZILCH_OK && w->is_failed) {
        return zi_fail(ZILCH_EOBJECTIVE,
                       "not one evaluation of the generation succeeded; its points will be asked again");
    }
    return status;
}

zilch_status zilch_study_tell(zilch_study *study, uint64_t run, size_t n, const uint64_t *id,
                              const double *value, const double *error, int *is_closed)
{
    return zilch_study_tell_violation(study, run, n, id, value, error, NULL, is_closed);
}

zilch_status zilch_study_tell_violation(zilch_study *study, uint64_t run, size_t n, const uint64_t *id,
                                        const double *value, const double *error, const double *violation,
                                        int *is_closed)
{
    news w = {.n = n, .id = id, .value = value, .error = error, .violation = violation};
    ZI_TRY(zi_study_check_writable(study, study));
    if (n && (!id || !value)) {
        return zi_fail(ZILCH_EARG, "study: ids and values must be given");
    }
    if (is_closed) {
        *is_closed = 0;
    }
    return n ? take_turn(study, run, &w, is_closed) : ZILCH_OK;
}

zilch_status zilch_study_tell_answers(zilch_study *study, uint64_t run, const zilch_answers *a,
                                      int *is_closed)
{
    ZI_TRY(zi_study_check_writable(study, study));
    if (!a || (a->count && (!a->id || !a->value))) {
        return zi_fail(ZILCH_EARG, "study: answers with ids and values must be given");
    }
    news w = {.n = a->count,
              .id = a->id,
              .value = a->value,
              .error = a->sigma,
              .violation = a->violation,
              .dim = a->dim,
              .x = a->x,
              .reason = a->reason};
    if (is_closed) {
        *is_closed = 0;
    }
    return w.n ? take_turn(study, run, &w, is_closed) : ZILCH_OK;
}

zilch_status zilch_study_advance(zilch_study *study, uint64_t run, int *is_closed)
{
    news w = {.n = 0};
    ZI_TRY(zi_study_check_writable(study, study));
    if (is_closed) {
        *is_closed = 0;
    }
    return take_turn(study, run, &w, is_closed);
}
