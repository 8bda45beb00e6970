/* A file of SQLite as the store needs it: the connection, statements whose parameters and columns are gone
 * through in order, transactions, and failures as one line that names the file. Nothing that is read is
 * trusted: a column of another type than asked for gives 0 and is remembered. */
#ifndef ZI_SQL_H
#define ZI_SQL_H

#include "base/status.h"

typedef struct zi_sql zi_sql;

/* Waits for the locks of others up to `patience` milliseconds, here and later. Opened for reading, nothing on
 * the disk is changed. */
zilch_status zi_sql_open(zi_sql **out, const char *path, zilch_study_mode mode, int patience);
void zi_sql_close(zi_sql *sql); /* its statements have been finished */

/* Whether it is read without locks, nothing is being read of it, and somebody has written to it since: then
 * it has to be opened again, which this does. */
int zi_sql_is_stale(const zi_sql *sql);
zilch_status zi_sql_open_again(const zi_sql *sql, zi_sql **out);

/* Before anything was put into it: a file that was made by opening it goes away again. */
void zi_sql_close_failed(zi_sql *sql);

/* Bytes of the study and its write-ahead log. What is read of it is bounded by them, in time and memory. */
uint64_t zi_sql_bytes(const zi_sql *sql);

/* Whether the tables are those that the text makes, to the letter, and no others. */
zilch_status zi_sql_has_tables(zi_sql *sql, const char *text, int *is_same);

/* Whether every statement that writes is refused, also to tables of this connection alone. A reader begins
 * so; its file is not opened for writing in any case. */
zilch_status zi_sql_only_read(zi_sql *sql, int is_only);

/* Whether the file is no longer where it was opened: another is there, or none. */
int zi_sql_is_moved(const zi_sql *sql);

const char *zi_sql_path(const zi_sql *sql);

/* zi_fail() that says the path as where. */
zilch_status zi_sql_fail(const zi_sql *sql, zilch_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4), cold));

/* Statements without parameters; what they give is not looked at. */
zilch_status zi_sql_execute(zi_sql *sql, const char *text);

/* Into the write-ahead log, so that others read while this connection writes. Where the file system cannot
 * keep one, they wait instead. */
zilch_status zi_sql_log_ahead(zi_sql *sql);

/* What the log holds goes into the file too, as far as the readers and writers at work let it; they are
 * waited for, or not. */
zilch_status zi_sql_log_apply(zi_sql *sql, int is_waiting);

/* All or nothing: begin, then end(work(...)), which commits if the work went well and takes everything back
 * if not; what it returns is the work's status, or that of the commit. EIO if the file is no longer where it
 * was opened: what is written then would be lost. Another thread that begins meanwhile waits. */
zilch_status zi_sql_begin(zi_sql *sql);
zilch_status zi_sql_end(zi_sql *sql, zilch_status status);

/* The same for reading: between them the file is seen as it was at the first look. May be nested. */
zilch_status zi_sql_begin_reading(zi_sql *sql);
zilch_status zi_sql_end_reading(zi_sql *sql, zilch_status status);

/* For this thread alone until it is unlocked, as between begin and end; may be nested, with these too. */
void zi_sql_lock(zi_sql *sql);
void zi_sql_unlock(zi_sql *sql);

/* The number that the last INSERT gave its row. */
uint64_t zi_sql_last_row(const zi_sql *sql);

/* ---- Statements ------------------------------------------------------------------------------------- */

typedef struct zi_statement {
    zi_sql *sql;
    struct sqlite3_stmt *handle; /* NULL: not prepared yet */
    int next;                    /* the parameter or the column that is next */
    int bind_code;               /* SQLite's, of the first parameter that was not taken */
    int is_sound;                /* the columns of this row were what they were asked for as */
    uint64_t bytes;              /* of the file when it was prepared */
    uint64_t rows, letters;      /* that it has given */
} zi_statement;

/* Ready to be bound. A statement that is prepared already is only made ready: who keeps it, pays once. Begins
 * as {0}. */
zilch_status zi_statement_prepare(zi_statement *statement, zi_sql *sql, const char *text);
void zi_statement_finish(zi_statement *statement);

/* Parameters from the first on. Texts and blobs are not copied: they must live until the end of the run. NaN
 * is bound as NULL, and so is what is not bound at all. */
void zi_bind_u64(zi_statement *statement, uint64_t value);
void zi_bind_double(zi_statement *statement, double value);
void zi_bind_text(zi_statement *statement, const char *text);
void zi_bind_blob(zi_statement *statement, const void *bytes, size_t length);

/* The next row; after the last, or a failure, the statement is ready to be bound again. */
zilch_status zi_statement_step(zi_statement *statement, int *is_row);
/* To its end, without looking at rows. */
zilch_status zi_statement_run(zi_statement *statement);

/* Columns of the row from the first on; texts and blobs live until the next step. */
uint64_t zi_column_u64(zi_statement *statement);   /* any 64 bits */
uint64_t zi_column_count(zi_statement *statement); /* not negative */
double zi_column_double(zi_statement *statement);  /* NaN if NULL */
const char *zi_column_text(zi_statement *statement);
const unsigned char *zi_column_blob(zi_statement *statement, size_t *length);
int zi_column_is_null(zi_statement *statement); /* of the next column, which stays the next */
void zi_column_skip(zi_statement *statement);

/* EFORMAT if one of them was not what it was asked for as; `what` is the row, as in "run 3". */
zilch_status zi_columns_check(const zi_statement *statement, const char *what, uint64_t number);

#endif
