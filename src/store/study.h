/* A study's inside, for the files of the store and the tests. */
#ifndef ZI_STUDY_H
#define ZI_STUDY_H

#include "store/sql.h"

/* A study has this in the place of the genome of a point that the archive has forgotten; no genome reads like
 * it. Where coordinates have penalties of their own, the sum of those of its active ones follows, as a
 * double. */
#define ZI_FORGOTTEN "forgotten"
enum { ZI_FORGOTTEN_LENGTH = sizeof ZI_FORGOTTEN - 1, ZI_FORGOTTEN_MOST = ZI_FORGOTTEN_LENGTH + 8 };

/* Statements that write, each prepared when first used and kept. */
typedef enum zi_study_write {
    ZI_FIND_RUN,
    ZI_ADD_RUN,
    ZI_PUT_SETTING,
    ZI_ADD_COORDINATE,
    ZI_ADD_POINT,
    ZI_FORGET_POINT,
    ZI_ADD_GENERATION,
    ZI_ADD_EVALUATION,
    ZI_PUT_CHECKPOINT,
    ZI_PUT_CONCLUSION,
    ZI_PUT_FAILURE,
    ZI_FORGET_MENDED,
    ZI_PUT_HANDED,
    ZI_ADD_TOLD,
    ZI_FORGET_HANDED,
    ZI_FORGET_TOLD,
    ZI_PUT_JOURNAL,
    ZI_FORGET_JOURNAL,
    ZI_FORGET_JOURNAL_FAILURES,
    ZI_SET_VIOLATION,
    ZI_SET_BEST_VIOLATION,
    ZI_SET_CONCLUSION_VIOLATION,
    ZI_SET_TOLD_VIOLATION,
    ZI_ADD_COMMAND,
    ZI_HEED_COMMAND,
    ZI_SET_PENALTY,
    ZI_STUDY_WRITES
} zi_study_write;

struct zilch_study {
    zi_sql *sql;
    zilch_study_mode mode;
    uint64_t openings; /* how often a study that is read without locks was opened again */
    zi_statement write[ZI_STUDY_WRITES];
    unsigned char *bytes; /* of what is written, a state or a point */
    size_t capacity;
};

/* A statement, ready to be bound. */
zilch_status zi_study_prepare(zilch_study *study, zi_study_write which, zi_statement **out);

/* Before reading: a study that is read without locks, and was written to since, is opened again. */
zilch_status zi_study_refresh(zilch_study *study);

/* EARG without a study or what is to be written, ESTATE if it was opened for reading. */
zilch_status zi_study_check_writable(const zilch_study *study, const void *what);

/* Why evaluations failed, in a transaction that is under way. */
zilch_status zi_study_put_failures(zilch_study *study, uint64_t run, size_t n, const zilch_failure *failure);

/* Runs a statement whose one parameter is the run. */
zilch_status zi_study_run_statement(zilch_study *study, zi_study_write which, uint64_t run);

/* zilch_study_record in two steps: the state is packed, in or before a transaction, and then recorded in it.
 */
zilch_status zi_study_pack(zilch_study *study, const zilch_optimizer *optimizer, size_t *length);
zilch_status zi_study_record(zilch_study *study, uint64_t run, const zilch_optimizer *optimizer,
                             const zilch_timings *timings, size_t length);

/* Calls `read` for all rows of a query, in order; the query's one parameter is the run, if that is not NULL.
 */
typedef zilch_status (*zi_row_reader)(zi_statement *row, void *context);
zilch_status zi_sql_rows(zi_sql *sql, const char *text, const uint64_t *run, zi_row_reader read,
                         void *context);
/* The same with several parameters. */
zilch_status zi_sql_rows_by(zi_sql *sql, const char *text, size_t keys, const uint64_t *key,
                            zi_row_reader read, void *context);
/* The same after zi_study_refresh(). */
zilch_status zi_study_rows(zilch_study *study, const char *text, uint64_t run, zi_row_reader read,
                           void *context);

/* Generations from the first to the last of a run, as a query's three parameters: run, first, last. */
zilch_status zi_study_rows_between(zilch_study *study, const char *text, uint64_t run, zilch_span span,
                                   zi_row_reader read, void *context);

/* zilch_study_open, with another patience than ten seconds for locks that others hold. */
zilch_status zi_study_open(zilch_study **out, const char *path, zilch_study_mode mode, int milliseconds);

/* Sums over what an archive is made of, in order: the next from the one before. zilch_fingerprint() goes on
 * from any sum, so that a generation costs what it adds; every change within one byte changes it for certain.
 */
uint64_t zi_sum_point(uint64_t sum, const unsigned char *genome, size_t length);
uint64_t zi_sum_evaluation(uint64_t sum,
                           const zilch_evaluation *evaluation); /* all but fitness and point's own */

/* What an optimiser keeps for as long as its run lasts, as the table of runs has it: from the next columns of
 * a row, which are these. */
#define ZI_RUN_TRAITS "dim, seed, method, direction, penalty"
typedef struct zi_run_traits {
    uint64_t dim, seed;
    zilch_method method;
    zilch_direction direction;
    double penalty;
} zi_run_traits;

zi_run_traits zi_run_traits_read(zi_statement *row);
int zi_run_traits_fit(const zi_run_traits *traits, const zilch_optimizer *optimizer);

/* What must be known of a run to read the rest of it. */
typedef struct zi_run_shape {
    size_t dim;
    zilch_method method;
    int is_found;
} zi_run_shape;

zilch_status zi_run_shape_find(zilch_study *study, uint64_t run, zi_run_shape *shape);

/* Next columns of a row: a number of coordinates, at least one; why a run stopped, NULL: it did not. */
size_t zi_column_dim(zi_statement *row);
zilch_stop zi_column_stop(zi_statement *row);

/* What a run was asked for (study_request.c): written with the run, and read back. Whatever reading returns,
 * free it. */
typedef struct zi_request {
    uint64_t run;
    size_t dim;
    zilch_limits limits;
    zilch_final_options final;
    zilch_setting *setting;
    const char **name; /* of coordinates */
    size_t settings, setting_capacity, names, name_capacity;
} zi_request;

zilch_status zi_request_write(zilch_study *study, uint64_t run, const zilch_request *request,
                              const zilch_optimizer *optimizer);
zilch_status zi_request_read(zilch_study *study, uint64_t run, size_t dim, zilch_method method,
                             zi_request *out);
void zi_request_give(const zi_request *request, zilch_request *out); /* which points into it */
void zi_request_free(zi_request *request);

/* The penalty that a run began with. */
double zi_run_first_penalty(const zilch_run *run);

/* The rows of a kind of settings that are options: option, limit, final. */
const zilch_option *zi_setting_rows(zilch_setting_kind kind, size_t *count);
const char *zi_text_or_empty(const char *text);

/* Studies of version 4, which zilch 0.1 wrote (study_version4.c). For reading, what has changed since is made
 * in tables of this connection alone, in memory, which hide those of the file. For writing, the file is
 * brought up to date, in one transaction. */
zilch_status zi_version4_show(zi_sql *sql);
zilch_status zi_version4_upgrade(zilch_study *study);
zilch_status zi_version4_schema(char **out); /* what makes the tables of a file that was; to be freed */
zilch_status zi_study_version(zi_sql *sql, int *version);

/* Violations (study_violations.c). One above 0 is put into a row that is there, which the run and so many
 * keys find. A text is chosen by whether the file has columns for them. */
zilch_status zi_study_set_violation(zilch_study *study, zi_study_write which, double violation, uint64_t run,
                                    size_t keys, const uint64_t *key);
zilch_status zi_study_choose(zilch_study *study, const char *with, const char *without, const char **out);
double zi_column_violation(zi_statement *row);

zilch_status zi_study_fail_run(const zilch_study *study, uint64_t run); /* there is no such run */

#endif
