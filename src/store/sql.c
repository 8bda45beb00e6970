/* SQLite behind sql.h: the only file that knows it.
 *
 * The file itself is never opened here but by SQLite: POSIX drops all locks that a process holds on a file as
 * soon as it closes any descriptor of it, and with them the safety of every other connection to it. */
#include "store/sql.h"

#include "base/memory.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct zi_sql {
    sqlite3 *handle;
    int patience; /* milliseconds */
    char path[];  /* as the caller named it */
};

/* ---- Failures --------------------------------------------------------------------------------------- */

/* SQLite's codes, the special before the general. A text that ends in ": " is followed by what the system
 * says (EIO) or what SQLite says (EFORMAT). */
static const struct {
    int code;
    zilch_status status;
    const char *text;
} failures[] = {
    {SQLITE_READONLY_DBMOVED, ZILCH_EIO, "was moved or deleted while it was open"},
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
    {SQLITE_NOMEM, ZILCH_ENOMEM, "out of memory"},
    {SQLITE_NOTADB, ZILCH_EFORMAT, "is no SQLite file, and so no zilch study"},
    {SQLITE_OK, ZILCH_EFORMAT, "damaged: "}, /* all others: rows or tables are not what they should be */
};

zilch_status zi_sql_fail(const zi_sql *sql, zilch_status status, const char *format, ...)
{
    char text[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return zi_fail(status, "%s: %s", sql->path, text);
}

static zilch_status fail_code(const zi_sql *sql, int code)
{
    const int last_error = errno;
    size_t i = 0;
    while (failures[i].code != code && failures[i].code != (code & 0xff) && failures[i].code != SQLITE_OK) {
        i++;
    }
    const char *text = failures[i].text;
    const char *detail = "";
    if (text[strlen(text) - 1] == ' ') {
        const int told = sqlite3_system_errno(sql->handle);
        const int number = told ? told : last_error;
        detail = failures[i].status == ZILCH_EIO && number ? strerror(number) : sqlite3_errmsg(sql->handle);
    }
    return zi_sql_fail(sql, failures[i].status, "%s%s", text, detail);
}

static zilch_status check(const zi_sql *sql, int code)
{
    return code == SQLITE_OK ? ZILCH_OK : fail_code(sql, code);
}

/* ---- Opening ---------------------------------------------------------------------------------------- */

/* The path as a URI, which is how SQLite takes further wishes. What could mean something in one is encoded,
 * and "./" before a relative path leaves no room for the names that SQLite treats specially. */
static zilch_status make_uri(const char *path, int is_immutable, char **out)
{
    static const char digit[] = "0123456789ABCDEF";
    const char *prefix = *path == '/' ? "file://" : "file:./";
    const char *suffix = is_immutable ? "?immutable=1" : "";
    ZI_TRY(zi_alloc(out, strlen(prefix) + 3 * strlen(path) + strlen(suffix) + 1));
    char *next = *out + sprintf(*out, "%s", prefix);
    for (; *path; path++) {
        const unsigned char byte = (unsigned char)*path;
        if (byte < 128 && (isalnum(byte) || strchr("/._-~", byte))) {
            *next++ = *path;
        } else {
            *next++ = '%';
            *next++ = digit[byte >> 4];
            *next++ = digit[byte & 15];
        }
    }
    memcpy(next, suffix, strlen(suffix) + 1);
    return ZILCH_OK;
}

/* Nothing is read yet. A file that cannot be written is opened for reading. */
static zilch_status connect(zi_sql *sql, int is_immutable)
{
    char *uri;
    ZI_TRY(make_uri(sql->path, is_immutable, &uri));
    sqlite3_close(sql->handle);
    sql->handle = NULL;
    const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
    int code = sqlite3_open_v2(uri, &sql->handle, flags, NULL);
    zi_free(uri);
    ZI_TRY(check(sql, code));
    sqlite3_busy_timeout(sql->handle, sql->patience);
    /* What the file says about itself is data: it must not run functions, triggers and views, which may be
     * without end, nor break the file's form. */
    static const struct {
        int option, value;
    } wishes[] = {{SQLITE_DBCONFIG_DEFENSIVE, 1},
                  {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
                  {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
                  {SQLITE_DBCONFIG_ENABLE_VIEW, 0}};
    for (size_t i = 0; i < sizeof wishes / sizeof *wishes; i++) {
        code = sqlite3_db_config(sql->handle, wishes[i].option, wishes[i].value, NULL);
        ZI_TRY(check(sql, code));
    }
    return ZILCH_OK;
}

/* With the mode that the process gives new files, which SQLite would narrow. An empty file is an empty
 * database. */
static zilch_status make_file(const zi_sql *sql)
{
    const int file = open(sql->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file >= 0) {
        close(file);
        return ZILCH_OK;
    }
    return errno == EEXIST ? ZILCH_OK : zi_sql_fail(sql, ZILCH_EIO, "cannot create: %s", strerror(errno));
}

static zilch_status check_file(const zi_sql *sql)
{
    struct stat info;
    if (stat(sql->path, &info) != 0) {
        return zi_sql_fail(sql, ZILCH_EIO, "cannot open: %s", strerror(errno));
    }
    return S_ISREG(info.st_mode) ? ZILCH_OK : zi_sql_fail(sql, ZILCH_EIO, "not a regular file");
}

/* Bytes of the write-ahead log beside the file, -1 if there is none. */
static long long log_size(const zi_sql *sql)
{
    struct stat info;
    const char *path = sqlite3_filename_wal(sqlite3_db_filename(sql->handle, "main"));
    return stat(path, &info) == 0 ? (long long)info.st_size : -1;
}

/* errno is cleared before the calls that read and write: SQLite does not always say what the system said. */
static int execute(const zi_sql *sql, const char *text)
{
    errno = 0;
    return sqlite3_exec(sql->handle, text, NULL, NULL, NULL);
}

static int look(const zi_sql *sql)
{
    return execute(sql, "SELECT 1 FROM sqlite_schema LIMIT 1");
}

/* A reader of a write-ahead log writes too, into the log's index, and tidies up behind itself. Where it may
 * not, one of two things is the case. There is a log: then a writer is at work and has made the index. Or
 * there is none: then nobody is, all is in the file, and it can be read as one that never changes. */
static zilch_status look_first(zi_sql *sql)
{
    if (sqlite3_db_readonly(sql->handle, "main") == 1 && log_size(sql) < 0) {
        ZI_TRY(connect(sql, 1));
        return check(sql, look(sql));
    }
    const int code = look(sql);
    const int is_refused = (code & 0xff) == SQLITE_CANTOPEN || (code & 0xff) == SQLITE_READONLY;
    if (!is_refused) {
        return check(sql, code);
    }
    if (log_size(sql) > 0) {
        return zi_sql_fail(sql, ZILCH_EIO,
                           "was left by a writer with a write-ahead log, which cannot be read in a read-only "
                           "folder; copy both to another");
    }
    ZI_TRY(connect(sql, 1));
    return check(sql, look(sql));
}

static zilch_status open_writable(zi_sql *sql)
{
    if (sqlite3_db_readonly(sql->handle, "main") == 1) {
        return fail_code(sql, SQLITE_READONLY);
    }
    return check(sql, look(sql));
}

static zilch_status open_file(zi_sql *sql, zilch_study_mode mode)
{
    const int is_reader = mode == ZILCH_STUDY_READ;
    if (mode == ZILCH_STUDY_CREATE) {
        ZI_TRY(make_file(sql));
    }
    ZI_TRY(check_file(sql));
    ZI_TRY(connect(sql, 0));
    ZI_TRY(is_reader ? look_first(sql) : open_writable(sql));
    /* Temporary tables in memory: SQLite would ask the environment where to put them. */
    ZI_TRY(zi_sql_execute(sql, "PRAGMA cell_size_check = ON; PRAGMA foreign_keys = ON;"
                               "PRAGMA synchronous = FULL; PRAGMA temp_store = MEMORY"));
    return is_reader ? zi_sql_execute(sql, "PRAGMA query_only = ON") : ZILCH_OK;
}

zilch_status zi_sql_open(zi_sql **out, const char *path, zilch_study_mode mode, int patience)
{
    zi_sql *sql;
    *out = NULL;
    ZI_TRY(zi_alloc_bytes(&sql, 1, sizeof *sql + strlen(path) + 1));
    sql->handle = NULL;
    sql->patience = patience;
    memcpy(sql->path, path, strlen(path) + 1);
    const zilch_status status = open_file(sql, mode);
    if (status != ZILCH_OK) {
        zi_sql_close(sql);
        return status;
    }
    *out = sql;
    return ZILCH_OK;
}

void zi_sql_close(zi_sql *sql)
{
    if (sql) {
        const int code = sqlite3_close(sql->handle);
        assert(code == SQLITE_OK);
        (void)code;
        zi_free(sql);
    }
}

/* ---- Whole statements and transactions -------------------------------------------------------------- */

zilch_status zi_sql_execute(zi_sql *sql, const char *text)
{
    return check(sql, execute(sql, text));
}

zilch_status zi_sql_log_ahead(zi_sql *sql)
{
    enum { PAUSE = 10 }; /* milliseconds */
    int code = execute(sql, "PRAGMA journal_mode = WAL");
    /* Here SQLite does not wait by itself, and two may open a new file at once. */
    for (int waited = 0; (code & 0xff) == SQLITE_BUSY && waited < sql->patience; waited += PAUSE) {
        sqlite3_sleep(PAUSE);
        code = execute(sql, "PRAGMA journal_mode = WAL");
    }
    return check(sql, code);
}

/* What hinders this is no failure: then it is done later, by whoever closes the file last. */
zilch_status zi_sql_log_apply(zi_sql *sql, int is_waiting)
{
    return zi_sql_execute(sql, is_waiting ? "PRAGMA wal_checkpoint(FULL)" : "PRAGMA wal_checkpoint(PASSIVE)");
}

/* SQLite looks for this only when it closes a file with a log. Until then a log that lost its file takes all
 * that is written, and nobody ever finds it there. A file system that cannot tell leaves the answer as it is.
 */
static int is_moved(const zi_sql *sql)
{
    int answer = 0;
    (void)sqlite3_file_control(sql->handle, "main", SQLITE_FCNTL_HAS_MOVED, &answer);
    return answer;
}

/* Immediate: whoever begins may write, so that nothing changes between a look and the write after it. */
zilch_status zi_sql_begin(zi_sql *sql)
{
    if (is_moved(sql)) {
        return fail_code(sql, SQLITE_READONLY_DBMOVED);
    }
    return zi_sql_execute(sql, "BEGIN IMMEDIATE");
}

zilch_status zi_sql_end(zi_sql *sql, zilch_status status)
{
    if (status == ZILCH_OK) {
        status = zi_sql_execute(sql, "COMMIT");
    }
    /* After some failures SQLite has taken it all back itself. */
    if (status != ZILCH_OK && !sqlite3_get_autocommit(sql->handle)) {
        execute(sql, "ROLLBACK");
    }
    return status;
}

zilch_status zi_sql_begin_reading(zi_sql *sql)
{
    return zi_sql_execute(sql, "SAVEPOINT reading");
}

zilch_status zi_sql_end_reading(zi_sql *sql, zilch_status status)
{
    const int code = execute(sql, "RELEASE reading");
    return status != ZILCH_OK ? status : check(sql, code);
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
}

zilch_status zi_statement_prepare(zi_statement *statement, zi_sql *sql, const char *text)
{
    if (statement->handle) {
        make_ready(statement);
        return ZILCH_OK;
    }
    *statement = (zi_statement){.sql = sql, .next = 1, .is_sound = 1};
    return check(sql, sqlite3_prepare_v2(sql->handle, text, -1, &statement->handle, NULL));
}

void zi_statement_finish(zi_statement *statement)
{
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
    note_bind(statement, sqlite3_bind_int64(statement->handle, statement->next, (sqlite3_int64)value));
}

void zi_bind_double(zi_statement *statement, double value)
{
    note_bind(statement, sqlite3_bind_double(statement->handle, statement->next, value));
}

void zi_bind_text(zi_statement *statement, const char *text)
{
    note_bind(statement, sqlite3_bind_text(statement->handle, statement->next, text, -1, SQLITE_STATIC));
}

void zi_bind_blob(zi_statement *statement, const void *bytes, size_t length)
{
    note_bind(statement,
              sqlite3_bind_blob64(statement->handle, statement->next, bytes, length, SQLITE_STATIC));
}

zilch_status zi_statement_step(zi_statement *statement, int *is_row)
{
    int code = statement->bind_code;
    if (code == SQLITE_OK) {
        errno = 0;
        code = sqlite3_step(statement->handle);
    }
    *is_row = code == SQLITE_ROW;
    if (*is_row) {
        statement->next = 0;
        statement->is_sound = 1;
        return ZILCH_OK;
    }
    const zilch_status status = code == SQLITE_DONE ? ZILCH_OK : fail_code(statement->sql, code);
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

/* A zero byte inside would hide the rest. */
const char *zi_column_text(zi_statement *statement)
{
    const int column = take_column(statement, SQLITE_TEXT);
    const char *text = column < 0 ? NULL : (const char *)sqlite3_column_text(statement->handle, column);
    if (!text || strlen(text) != (size_t)sqlite3_column_bytes(statement->handle, column)) {
        statement->is_sound = 0;
        return "";
    }
    return text;
}

const unsigned char *zi_column_blob(zi_statement *statement, size_t *length)
{
    const int column = take_column(statement, SQLITE_BLOB);
    const unsigned char *bytes = column < 0 ? NULL : sqlite3_column_blob(statement->handle, column);
    *length = bytes ? (size_t)sqlite3_column_bytes(statement->handle, column) : 0;
    return bytes ? bytes : (const unsigned char *)"";
}

int zi_column_is_null(zi_statement *statement)
{
    return sqlite3_column_type(statement->handle, statement->next) == SQLITE_NULL;
}

void zi_column_skip(zi_statement *statement)
{
    statement->next++;
}

zilch_status zi_columns_check(const zi_statement *statement, const char *what, uint64_t number)
{
    if (statement->is_sound) {
        return ZILCH_OK;
    }
    return zi_sql_fail(statement->sql, ZILCH_EFORMAT, "damaged: %s %llu holds a value that cannot be", what,
                       (unsigned long long)number);
}
