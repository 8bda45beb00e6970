/* SQLite behind sql.h: failures, transactions, statements. sql_open.c opens the file, vfs.c says what SQLite
 * may do on the disk; nobody else knows SQLite. */
#define _GNU_SOURCE
#include "store/sql_inside.h"

#include "base/memory.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

/* ---- Failures --------------------------------------------------------------------------------------- */

/* SQLite's codes, the special before the general. A text that ends in ": " is followed by what the system
 * says (EIO) or what SQLite says (EFORMAT). */
static const struct {
    int code;
    zilch_status status;
    const char *text;
} failures[] = {
    {SQLITE_READONLY_DBMOVED, ZILCH_EIO, "was moved or deleted while it was open"},
    {SQLITE_READONLY_ROLLBACK, ZILCH_EIO,
     "a write to it was interrupted, and a reader cannot take that back; open it for writing once"},
    {SQLITE_READONLY_RECOVERY, ZILCH_EIO, "is just being written; try again"},
    {SQLITE_READONLY_CANTINIT, ZILCH_EIO, "is just being written; try again"},
    {SQLITE_READONLY_CANTLOCK, ZILCH_EIO, "is just being written; try again"},
    {SQLITE_BUSY, ZILCH_EIO, "is locked by another process; try again when it has finished"},
    {SQLITE_LOCKED, ZILCH_EIO, "is locked by another process; try again when it has finished"},
    {SQLITE_FULL, ZILCH_EIO, "the disk is full; make room and try again"},
    {SQLITE_READONLY, ZILCH_EIO, "cannot be written: the file or its folder is read-only"},
    {SQLITE_PERM, ZILCH_EIO, "cannot be written: no permission"},
    {SQLITE_CANTOPEN, ZILCH_EIO, "cannot open it or a file beside it: "},
    {SQLITE_IOERR, ZILCH_EIO, "cannot read or write: "},
    {SQLITE_PROTOCOL, ZILCH_EIO, "is in use by too many others; try again"},
    {SQLITE_NOLFS, ZILCH_EIO, "is too large for this system"},
    {SQLITE_TOOBIG, ZILCH_EIO, "a value is longer than SQLite can keep"},
    {SQLITE_INTERRUPT, ZILCH_EFORMAT, "damaged: its pages refer to each other without end"},
    {SQLITE_NOMEM, ZILCH_ENOMEM, "out of memory"},
    {SQLITE_NOTADB, ZILCH_EFORMAT, "is no SQLite file, and so no zilch study"},
    {SQLITE_OK, ZILCH_EFORMAT, "damaged: "}, /* all others: rows or tables are not what they should be */
};

const char *zi_sql_path(const zi_sql *sql)
{
    return sql->path;
}

zilch_status zi_sql_fail(const zi_sql *sql, zilch_status status, const char *format, ...)
{
    assert(status != ZILCH_OK && format);
    char text[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return zi_fail_at(status, &(zi_location){.where = sql->path}, "%s", text);
}

/* Where a file cannot be made for want of room or permission, SQLite tries to read it, and reports that it is
 * not there. What is wrong is found out with a file that has no name. */
static int creation_error(const zi_sql *sql, int error)
{
    char folder[ZI_PATH_SIZE];
    const char *slash = strrchr(sql->vfs.path, '/');
    if (error != ENOENT || !slash || sql->vfs.is_reader) {
        return error;
    }
    snprintf(folder, sizeof folder, "%.*s", slash == sql->vfs.path ? 1 : (int)(slash - sql->vfs.path),
             sql->vfs.path);
    const int file = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
    const int found = file < 0 && errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL ? errno : error;
    if (file >= 0) {
        (void)close(file);
    }
    return found;
}

zilch_status zi_sql_fail_code(const zi_sql *sql, int code)
{
    assert(code != SQLITE_OK);
    const int last_error = errno;
    size_t i = 0;
    if (*sql->vfs.refusal) {
        return zi_sql_fail(sql, ZILCH_EIO, "%s", sql->vfs.refusal);
    }
    if (sql->handle && code != SQLITE_NOMEM && zi_sql_is_overtaken(sql)) {
        return zi_sql_fail(sql, ZILCH_EIO, "somebody began to write to it while it was read; try again");
    }
    while (failures[i].code != code && failures[i].code != (code & 0xff) && failures[i].code != SQLITE_OK) {
        i++;
    }
    const char *text = failures[i].text;
    const char *detail = "";
    if (text[strlen(text) - 1] == ' ') {
        const int told = sqlite3_system_errno(sql->handle);
        const int number = creation_error(sql, told ? told : last_error);
        detail = failures[i].status != ZILCH_EIO || !number ? sqlite3_errmsg(sql->handle)
                 : number == ENOSPC ? "there is no room for another file (bytes or inodes); make some"
                                    : strerror(number);
    }
    return zi_sql_fail(sql, failures[i].status, "%s%s", text, detail);
}

zilch_status zi_sql_check(const zi_sql *sql, int code)
{
    return code == SQLITE_OK ? ZILCH_OK : zi_sql_fail_code(sql, code);
}

/* ---- Whole statements and transactions -------------------------------------------------------------- */

/* A statement may do ten million operations of SQLite's machine, and more in a larger file. */
static void allow_operations(zi_sql *sql, uint64_t bytes)
{
    enum { ALWAYS = 10000, BYTES = 64 };
    sql->operations = ALWAYS + bytes / BYTES;
}

/* What is read is in the file, and so no longer than it. */
static void limit_length(zi_sql *sql, uint64_t bytes)
{
    enum { ALWAYS = 1 << 16 };
    if (sql->vfs.is_reader && bytes < INT_MAX) {
        (void)sqlite3_limit(sql->handle, SQLITE_LIMIT_LENGTH, bytes < ALWAYS ? ALWAYS : (int)bytes);
    }
}

int zi_sql_try(zi_sql *sql, const char *text)
{
    allow_operations(sql, 0);
    errno = 0;
    return sqlite3_exec(sql->handle, text, NULL, NULL, NULL);
}

zilch_status zi_sql_execute(zi_sql *sql, const char *text)
{
    return zi_sql_check(sql, zi_sql_try(sql, text));
}

zilch_status zi_sql_log_ahead(zi_sql *sql)
{
    enum { PAUSE = 10 }; /* milliseconds */
    int code = zi_sql_try(sql, "PRAGMA journal_mode = WAL");
    /* Here SQLite does not wait by itself, and two may open a new file at once. */
    for (int waited = 0; (code & 0xff) == SQLITE_BUSY && waited < sql->patience; waited += PAUSE) {
        sqlite3_sleep(PAUSE);
        code = zi_sql_try(sql, "PRAGMA journal_mode = WAL");
    }
    return zi_sql_check(sql, code);
}

/* What hinders this is no failure: then it is done later, by whoever closes the file last. */
zilch_status zi_sql_log_apply(zi_sql *sql, int is_waiting)
{
    return zi_sql_execute(sql, is_waiting ? "PRAGMA wal_checkpoint(FULL)" : "PRAGMA wal_checkpoint(PASSIVE)");
}

/* SQLite looks for this only when it closes a file with a log. Until then a log that lost its file takes all
 * that is written, and nobody ever finds it there. */
int zi_sql_is_moved(const zi_sql *sql)
{
    return zi_vfs_is_moved(&sql->vfs);
}

/* SQLite's own locks are off: they would keep two statements apart, but not two transactions. */
void zi_sql_lock(zi_sql *sql)
{
    pthread_mutex_lock(&sql->lock);
}

void zi_sql_unlock(zi_sql *sql)
{
    pthread_mutex_unlock(&sql->lock);
}

/* To take back, or to end a reading, SQLite needs memory too. What could not be ended when it was time is
 * ended before the next begins: nothing of it was committed. */
static zilch_status enter(zi_sql *sql, const char *text)
{
    zilch_status status = ZILCH_OK;
    zi_sql_lock(sql);
    if (sql->depth == 0 && !sqlite3_get_autocommit(sql->handle)) {
        status = zi_sql_execute(sql, "ROLLBACK");
    }
    status = status == ZILCH_OK ? zi_sql_execute(sql, text) : status;
    if (status != ZILCH_OK) {
        zi_sql_unlock(sql);
        return status;
    }
    sql->depth++;
    return ZILCH_OK;
}

/* Immediate: whoever begins may write, so that nothing changes between a look and the write after it. */
zilch_status zi_sql_begin(zi_sql *sql)
{
    if (zi_sql_is_moved(sql)) {
        return zi_sql_fail_code(sql, SQLITE_READONLY_DBMOVED);
    }
    return enter(sql, "BEGIN IMMEDIATE");
}

zilch_status zi_sql_end(zi_sql *sql, zilch_status status)
{
    assert(sql->depth > 0);
    sql->depth--;
    if (status == ZILCH_OK) {
        status = zi_sql_execute(sql, "COMMIT");
    }
    /* After some failures SQLite has taken it all back itself. */
    if (status != ZILCH_OK && !sqlite3_get_autocommit(sql->handle)) {
        zi_sql_try(sql, "ROLLBACK");
    }
    zi_sql_unlock(sql);
    return status;
}

zilch_status zi_sql_begin_reading(zi_sql *sql)
{
    return enter(sql, "SAVEPOINT reading");
}

zilch_status zi_sql_end_reading(zi_sql *sql, zilch_status status)
{
    sql->depth--;
    const int code = zi_sql_try(sql, "RELEASE reading");
    status = status != ZILCH_OK ? status : zi_sql_check(sql, code);
    zi_sql_unlock(sql);
    return status;
}

uint64_t zi_sql_last_row(const zi_sql *sql)
{
    return (uint64_t)sqlite3_last_insert_rowid(sql->handle);
}

/* ---- Statements ------------------------------------------------------------------------------------- */

/* No row, no lock, and nothing bound: neither values of the last time nor addresses that may be gone. */
static void make_ready(zi_statement *statement)
{
    sqlite3_reset(statement->handle);
    sqlite3_clear_bindings(statement->handle);
    statement->next = 1;
    statement->bind_code = SQLITE_OK;
    statement->rows = statement->letters = 0;
}

zilch_status zi_statement_prepare(zi_statement *statement, zi_sql *sql, const char *text)
{
    assert(text);
    if (statement->handle) {
        make_ready(statement);
        return ZILCH_OK;
    }
    const uint64_t bytes = zi_sql_bytes(sql);
    *statement = (zi_statement){.sql = sql, .next = 1, .is_sound = 1, .bytes = bytes};
    allow_operations(sql, bytes);
    limit_length(sql, bytes);
    return zi_sql_check(sql, sqlite3_prepare_v2(sql->handle, text, -1, &statement->handle, NULL));
}

/* What is sorted is in memory as a whole, whatever the file makes of it: our statements follow indices. */
void zi_statement_finish(zi_statement *statement)
{
    assert(!statement->handle || (!sqlite3_stmt_status(statement->handle, SQLITE_STMTSTATUS_SORT, 0) &&
                                  !sqlite3_stmt_status(statement->handle, SQLITE_STMTSTATUS_AUTOINDEX, 0)));
    sqlite3_finalize(statement->handle);
    statement->handle = NULL;
}

static void note_bind(zi_statement *statement, int code)
{
    statement->next++;
    if (statement->bind_code == SQLITE_OK) {
        statement->bind_code = code;
    }
}

void zi_bind_u64(zi_statement *statement, uint64_t value)
{
    assert(statement->handle);
    note_bind(statement, sqlite3_bind_int64(statement->handle, statement->next, (sqlite3_int64)value));
}

void zi_bind_double(zi_statement *statement, double value)
{
    note_bind(statement, sqlite3_bind_double(statement->handle, statement->next, value));
}

void zi_bind_text(zi_statement *statement, const char *text)
{
    assert(statement->handle);
    note_bind(statement, sqlite3_bind_text(statement->handle, statement->next, text, -1, SQLITE_STATIC));
}

void zi_bind_blob(zi_statement *statement, const void *bytes, size_t length)
{
    note_bind(statement,
              sqlite3_bind_blob64(statement->handle, statement->next, bytes, length, SQLITE_STATIC));
}

/* A row takes bytes of the file, so there are no more of them than its size allows. */
static uint64_t most_rows(const zi_statement *statement)
{
    enum { ALWAYS = 1000, BYTES = 4 };
    return ALWAYS + statement->bytes / BYTES;
}

zilch_status zi_statement_step(zi_statement *statement, int *is_row)
{
    assert(statement->handle && is_row);
    zi_sql *sql = statement->sql;
    int code = statement->bind_code;
    if (code == SQLITE_OK) {
        allow_operations(sql, statement->bytes);
        errno = 0;
        code = sqlite3_step(statement->handle);
    }
    *is_row = code == SQLITE_ROW;
    if (*is_row && statement->rows++ < most_rows(statement)) {
        statement->next = 0;
        statement->is_sound = 1;
        return ZILCH_OK;
    }
    code = *is_row ? SQLITE_INTERRUPT : code == SQLITE_DONE && zi_sql_is_overtaken(sql) ? SQLITE_BUSY : code;
    *is_row = 0;
    const zilch_status status = code == SQLITE_DONE ? ZILCH_OK : zi_sql_fail_code(sql, code);
    make_ready(statement);
    return status;
}

zilch_status zi_statement_run(zi_statement *statement)
{
    int is_row;
    do {
        ZI_TRY(zi_statement_step(statement, &is_row));
    } while (is_row);
    return ZILCH_OK;
}

/* ---- Columns ---------------------------------------------------------------------------------------- */

/* Goes on to the next column; -1 if this one is not of the type. */
static int take_column(zi_statement *statement, int type)
{
    const int column = statement->next++;
    if (sqlite3_column_type(statement->handle, column) == type) {
        return column;
    }
    statement->is_sound = 0;
    return -1;
}

uint64_t zi_column_u64(zi_statement *statement)
{
    const int column = take_column(statement, SQLITE_INTEGER);
    return column < 0 ? 0 : (uint64_t)sqlite3_column_int64(statement->handle, column);
}

uint64_t zi_column_count(zi_statement *statement)
{
    const uint64_t value = zi_column_u64(statement);
    if (value > INT64_MAX) {
        statement->is_sound = 0;
        return 0;
    }
    return value;
}

double zi_column_double(zi_statement *statement)
{
    if (zi_column_is_null(statement)) {
        zi_column_skip(statement);
        return NAN;
    }
    const int column = take_column(statement, SQLITE_FLOAT);
    return column < 0 ? 0.0 : sqlite3_column_double(statement->handle, column);
}

/* A zero byte inside would hide the rest. Every letter is in the file once: together they are no more than
 * its size, unless rows share them, which no writer does. */
const char *zi_column_text(zi_statement *statement)
{
    const int column = take_column(statement, SQLITE_TEXT);
    const char *text = column < 0 ? NULL : (const char *)sqlite3_column_text(statement->handle, column);
    const size_t length = text ? strlen(text) : 0;
    statement->letters += length;
    if (!text || length != (size_t)sqlite3_column_bytes(statement->handle, column) ||
        statement->letters > statement->bytes) {
        statement->is_sound = 0;
        return "";
    }
    return text;
}

const unsigned char *zi_column_blob(zi_statement *statement, size_t *length)
{
    assert(length);
    const int column = take_column(statement, SQLITE_BLOB);
    const unsigned char *bytes = column < 0 ? NULL : sqlite3_column_blob(statement->handle, column);
    *length = bytes ? (size_t)sqlite3_column_bytes(statement->handle, column) : 0;
    return bytes ? bytes : (const unsigned char *)"";
}

int zi_column_is_null(zi_statement *statement)
{
    assert(statement->handle);
    return sqlite3_column_type(statement->handle, statement->next) == SQLITE_NULL;
}

void zi_column_skip(zi_statement *statement)
{
    statement->next++;
}

zilch_status zi_columns_check(const zi_statement *statement, const char *what, uint64_t number)
{
    assert(what);
    if (statement->is_sound) {
        return ZILCH_OK;
    }
    return zi_sql_fail(statement->sql, ZILCH_EFORMAT, "damaged: %s %llu holds a value that cannot be", what,
                       (unsigned long long)number);
}
