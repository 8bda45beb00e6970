/* Opening studies: a file is known to be a study before anything of it is used. And the rows of one that is
 * open. */
#include "base/memory.h"
#include "store/schema.h"
#include "store/study.h"

#include <assert.h>
#include <string.h>

enum { APPLICATION = 0x7a696c63, VERSION = 5, OLDEST = 4 }; /* as in schema.sql */
enum { PATIENCE = 10000 };                                  /* milliseconds */

/* A number that the file has in its head. */
static zilch_status read_number(zi_sql *sql, const char *text, uint64_t *out)
{
    zi_statement statement = {0};
    int is_row = 0;
    zilch_status status = zi_statement_prepare(&statement, sql, text);
    if (status == ZILCH_OK) {
        status = zi_statement_step(&statement, &is_row);
    }
    *out = is_row ? zi_column_u64(&statement) : 0;
    zi_statement_finish(&statement);
    return status;
}

zilch_status zi_study_version(zi_sql *sql, int *version)
{
    uint64_t number;
    ZI_TRY(read_number(sql, "PRAGMA user_version", &number));
    *version = number <= VERSION ? (int)number : VERSION + 1;
    return ZILCH_OK;
}

/* Whether the tables are those that the text makes, with the columns for violations or without. */
static zilch_status has_tables(zi_sql *sql, const char *text, int *is_same)
{
    char *both;
    ZI_TRY(zi_sql_has_tables(sql, text, is_same));
    if (*is_same) {
        return ZILCH_OK;
    }
    const size_t size = strlen(text) + strlen(zi_schema_texts[2].text) + 1;
    ZI_TRY(zi_alloc(&both, size));
    snprintf(both, size, "%s%s", text, zi_schema_texts[2].text);
    const zilch_status status = zi_sql_has_tables(sql, both, is_same);
    zi_free(both);
    return status;
}

/* The tables must be ours to the letter: in tables of another making a column could be computed, without end.
 * A file of an earlier version that was brought up to date has some tables as they were. */
static zilch_status check_tables(zi_sql *sql, int version)
{
    int is_same;
    char *text;
    ZI_TRY(version == 4 ? zi_sql_has_tables(sql, zi_schema_texts[1].text, &is_same)
                        : has_tables(sql, zi_schema_texts[0].text, &is_same));
    if (!is_same && version == VERSION) {
        ZI_TRY(zi_version4_schema(&text));
        const zilch_status status = has_tables(sql, text, &is_same);
        zi_free(text);
        ZI_TRY(status);
    }
    return is_same ? ZILCH_OK
                   : zi_sql_fail(sql, ZILCH_EFORMAT,
                                 "its tables are not those of a zilch study of version %d", version);
}

static zilch_status read_identity(zi_sql *sql, int *version)
{
    uint64_t application, entries;
    ZI_TRY(read_number(sql, "PRAGMA application_id", &application));
    ZI_TRY(zi_study_version(sql, version));
    ZI_TRY(read_number(sql, "SELECT EXISTS (SELECT 1 FROM sqlite_schema)", &entries));
    if (!application && !*version && !entries) {
        return ZILCH_OK;
    }
    if (application != APPLICATION) {
        return zi_sql_fail(sql, ZILCH_EFORMAT, "is an SQLite file, but not a zilch study");
    }
    if (*version < OLDEST || *version > VERSION) {
        return zi_sql_fail(sql, ZILCH_EVERSION,
                           "is a study of %s version than those that this library reads, %d to %d",
                           *version > VERSION ? "a later" : "an earlier", OLDEST, VERSION);
    }
    return check_tables(sql, *version);
}

/* Whether the file is a study, and of which version; 0: it is nothing at all yet. */
static zilch_status identify(zi_sql *sql, int *version)
{
    ZI_TRY(zi_sql_begin_reading(sql));
    return zi_sql_end_reading(sql, read_identity(sql, version));
}

/* Another process may have been faster. */
static zilch_status fill(zi_sql *sql)
{
    int version;
    ZI_TRY(zi_sql_begin(sql));
    zilch_status status = identify(sql, &version);
    if (status == ZILCH_OK && version == 0) {
        status = zi_sql_execute(sql, zi_schema_texts[0].text);
    }
    return zi_sql_end(sql, status);
}

static zilch_status check_study(zi_sql *sql, zilch_study_mode mode, int *version)
{
    ZI_TRY(identify(sql, version));
    if (*version == 4 && mode == ZILCH_STUDY_READ) {
        ZI_TRY(zi_sql_only_read(sql, 0));
        ZI_TRY(zi_version4_show(sql));
        return zi_sql_only_read(sql, 1);
    }
    return *version || mode == ZILCH_STUDY_CREATE
               ? ZILCH_OK
               : zi_sql_fail(sql, ZILCH_EFORMAT,
                             "is empty, not a zilch study; if it was copied, its -wal file is missing");
}

/* Nothing of a file is changed before it is known to be a study, or blank. The tables of a new one are in the
 * file itself before it is used, and are brought there if a kill came between: whatever happens to the log,
 * the file says what it is. */
static zilch_status open_study(zilch_study *study, const char *path, int milliseconds)
{
    int version;
    ZI_TRY(zi_sql_open(&study->sql, path, study->mode, milliseconds));
    ZI_TRY(check_study(study->sql, study->mode, &version));
    if (study->mode == ZILCH_STUDY_READ) {
        return ZILCH_OK;
    }
    ZI_TRY(zi_sql_log_ahead(study->sql));
    if (version == 0) {
        ZI_TRY(fill(study->sql));
    } else if (version == 4) {
        ZI_TRY(zi_version4_upgrade(study));
    }
    return zi_sql_log_apply(study->sql, version == 0);
}

zilch_status zi_study_open(zilch_study **out, const char *path, zilch_study_mode mode, int milliseconds)
{
    assert(milliseconds >= 0);
    zilch_study *study;
    ZI_TRY(zi_alloc(&study, 1));
    *study = (zilch_study){.mode = mode};
    const zilch_status status = open_study(study, path, milliseconds);
    if (status != ZILCH_OK) {
        zi_sql_close_failed(study->sql);
        study->sql = NULL;
        zilch_study_close(study);
        return status;
    }
    *out = study;
    return ZILCH_OK;
}

zilch_status zilch_study_open(zilch_study **out, const char *path, zilch_study_mode mode)
{
    if (!out) {
        return zi_fail(ZILCH_EARG, "study: no place for it given");
    }
    *out = NULL;
    if (!path || !*path) {
        return zi_fail(ZILCH_EARG, "study: no path given");
    }
    if (mode != ZILCH_STUDY_READ && mode != ZILCH_STUDY_WRITE && mode != ZILCH_STUDY_CREATE) {
        return zi_fail(ZILCH_EARG, "study: to be opened for reading, writing or creating, not for %d",
                       (int)mode);
    }
    return zi_study_open(out, path, mode, PATIENCE);
}

zilch_status zi_study_refresh(zilch_study *study)
{
    zi_sql *anew;
    int version;
    if (!zi_sql_is_stale(study->sql)) {
        return ZILCH_OK;
    }
    ZI_TRY(zi_sql_open_again(study->sql, &anew));
    const zilch_status status = check_study(anew, ZILCH_STUDY_READ, &version);
    if (status != ZILCH_OK) {
        zi_sql_close(anew);
        return status;
    }
    zi_sql_close(study->sql);
    study->sql = anew;
    study->openings++;
    return ZILCH_OK;
}

void zilch_study_close(zilch_study *study)
{
    if (!study) {
        return;
    }
    for (size_t i = 0; i < ZI_STUDY_WRITES; i++) {
        zi_statement_finish(&study->write[i]);
    }
    zi_sql_close(study->sql);
    zi_free(study->bytes);
    zi_free(study);
}

int zilch_study_is_moved(const zilch_study *study)
{
    return study && zi_sql_is_moved(study->sql);
}

/* ---- Reading rows -------------------------------------------------------------------- */

zilch_status zi_sql_rows_by(zi_sql *sql, const char *text, size_t keys, const uint64_t *key,
                            zi_row_reader read, void *context)
{
    assert(text && read);
    zi_statement statement = {0};
    int is_row = 1;
    zi_sql_lock(sql);
    zilch_status status = zi_statement_prepare(&statement, sql, text);
    for (size_t i = 0; i < keys && status == ZILCH_OK; i++) {
        zi_bind_u64(&statement, key[i]);
    }
    while (status == ZILCH_OK && is_row) {
        status = zi_statement_step(&statement, &is_row);
        status = status == ZILCH_OK && is_row ? read(&statement, context) : status;
    }
    zi_statement_finish(&statement);
    zi_sql_unlock(sql);
    return status;
}

zilch_status zi_sql_rows(zi_sql *sql, const char *text, const uint64_t *run, zi_row_reader read,
                         void *context)
{
    return zi_sql_rows_by(sql, text, run != NULL, run, read, context);
}

zilch_status zi_study_rows(zilch_study *study, const char *text, uint64_t run, zi_row_reader read,
                           void *context)
{
    ZI_TRY(zi_study_refresh(study));
    return zi_sql_rows(study->sql, text, &run, read, context);
}

/* Numbers of 64 bits have a sign in the file. */
zilch_status zi_study_rows_between(zilch_study *study, const char *text, uint64_t run, zilch_span span,
                                   zi_row_reader read, void *context)
{
    const uint64_t last = span.last < INT64_MAX ? span.last : INT64_MAX;
    const uint64_t key[] = {run, span.first < last ? span.first : last, last};
    ZI_TRY(zi_study_refresh(study));
    return span.first > span.last ? ZILCH_OK : zi_sql_rows_by(study->sql, text, 3, key, read, context);
}
