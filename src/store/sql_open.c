/* Opening a study with SQLite, and what SQLite may do with it then.
 *
 * The file itself is never opened here but by SQLite: POSIX drops all locks that a process holds on a file as
 * soon as it closes any descriptor of it, and with them the safety of every other connection to it.
 *
 * A reader changes nothing on the disk (see vfs.c). It meets a study in one of four states.
 *   A log, and an index that is in use: a writer is at work. SQLite's locks on the index keep both apart.
 *   A log without one: a writer was killed, or the files were copied. The index is made in memory.
 *   No log, and the file was written with one: no writer is at work, and the file is read as it stands.
 *   No log, and the file was written with a rollback journal: SQLite's locks on the file suffice.
 * In the second and third state there is no lock that a writer would see. Should one begin, the reader finds
 * out from the size and time of the files, and fails. */
#include "store/sql_inside.h"

#include "base/memory.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum { PAUSE = 10 }; /* milliseconds between two attempts */

/* ---- Files ---------------------------------------------------------------------------------------- */

static zi_stamp stamp_of(const char *path)
{
    struct stat info;
    const zi_stamp none = {.size = -1};
    if (stat(path, &info) != 0) {
        return none;
    }
    return (zi_stamp){info.st_dev, info.st_ino, info.st_size, info.st_mtim};
}

static int is_same_stamp(const zi_stamp *a, const zi_stamp *b)
{
    return a->device == b->device && a->inode == b->inode && a->size == b->size &&
           a->written.tv_sec == b->written.tv_sec && a->written.tv_nsec == b->written.tv_nsec;
}

static const char *log_path(const zi_sql *sql, char out[ZI_PATH_SIZE + sizeof "-wal"])
{
    snprintf(out, ZI_PATH_SIZE + sizeof "-wal", "%s-wal", sql->vfs.path);
    return out;
}

static zi_stamp stamp_of_log(const zi_sql *sql)
{
    char path[ZI_PATH_SIZE + sizeof "-wal"];
    return stamp_of(log_path(sql, path));
}

static void take_stamps(const zi_sql *sql, zi_stamp out[2])
{
    out[0] = stamp_of(sql->path);
    out[1] = stamp_of_log(sql);
}

int zi_sql_is_overtaken(const zi_sql *sql)
{
    zi_stamp now[2];
    if (!sql->is_immutable && !sql->vfs.is_private) {
        return 0;
    }
    take_stamps(sql, now);
    return !is_same_stamp(&now[0], &sql->begin[0]) || !is_same_stamp(&now[1], &sql->begin[1]);
}

/* The size of a file, but not that of its holes, which can be as large as anybody likes. A file system that
 * compresses has less on the disk than there is, but hardly less than the 64th part. One that counts no
 * blocks is believed. */
static uint64_t bytes_of(const char *path)
{
    enum { BLOCK = 512, COMPRESSED = 64 };
    struct stat info;
    if (stat(path, &info) != 0 || info.st_size < 0) {
        return 0;
    }
    const uint64_t size = (uint64_t)info.st_size;
    const uint64_t most = (uint64_t)info.st_blocks * BLOCK * COMPRESSED;
    return most && most < size ? most : size;
}

uint64_t zi_sql_bytes(const zi_sql *sql)
{
    char path[ZI_PATH_SIZE + sizeof "-wal"];
    return bytes_of(sql->path) + bytes_of(log_path(sql, path));
}

/* With the mode that the process gives new files, which SQLite would narrow. An empty file is an empty
 * database. */
static zilch_status make_file(zi_sql *sql)
{
    const int file = open(sql->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file >= 0) {
        sql->is_made = 1;
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

/* The file and what SQLite may have left beside it. */
static void remove_files(const zi_sql *sql)
{
    static const char *const suffix[] = {"-wal", "-shm", "-journal", ""};
    const size_t size = strlen(sql->path) + sizeof "-journal";
    char *path;
    if (zi_alloc(&path, size) != ZILCH_OK) {
        return;
    }
    for (size_t i = 0; i < sizeof suffix / sizeof *suffix; i++) {
        snprintf(path, size, "%s%s", sql->path, suffix[i]);
        (void)unlink(path);
    }
    zi_free(path);
}

/* ---- Limits ------------------------------------------------------------------------------------------ */

/* What the file says about itself is data: it must not run functions, triggers or views, break the file's
 * form, nor reach other files. */
static const struct {
    int what, is_on;
} settings[] = {{SQLITE_DBCONFIG_DEFENSIVE, 1},      {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
                {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0}, {SQLITE_DBCONFIG_ENABLE_VIEW, 0},
                {SQLITE_DBCONFIG_DQS_DML, 0},        {SQLITE_DBCONFIG_DQS_DDL, 0}};

/* Several times what our own statements need. Anything longer or deeper is not ours. */
static const struct {
    int what, most;
} limits[] = {{SQLITE_LIMIT_ATTACHED, 0},         {SQLITE_LIMIT_SQL_LENGTH, 1 << 16},
              {SQLITE_LIMIT_EXPR_DEPTH, 40},      {SQLITE_LIMIT_COLUMN, 64},
              {SQLITE_LIMIT_COMPOUND_SELECT, 4},  {SQLITE_LIMIT_VDBE_OP, 20000},
              {SQLITE_LIMIT_FUNCTION_ARG, 8},     {SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 64},
              {SQLITE_LIMIT_VARIABLE_NUMBER, 64}, {SQLITE_LIMIT_TRIGGER_DEPTH, 1},
              {SQLITE_LIMIT_WORKER_THREADS, 0}};

enum { OPERATIONS = 1000 }; /* of SQLite's machine, after which it asks whether it may go on */

/* Not 0: the statement ends. */
static int count_operations(void *context)
{
    zi_sql *sql = context;
    return sql->operations-- == 0;
}

static zilch_status harden(zi_sql *sql)
{
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        ZI_TRY(zi_sql_check(sql, sqlite3_db_config(sql->handle, settings[i].what, settings[i].is_on, NULL)));
    }
    ZI_TRY(zi_sql_check(
        sql, sqlite3_db_config(sql->handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, sql->vfs.is_reader, NULL)));
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        (void)sqlite3_limit(sql->handle, limits[i].what, limits[i].most);
    }
    sqlite3_progress_handler(sql->handle, OPERATIONS, count_operations, sql);
    return ZILCH_OK;
}

/* ---- Connecting -------------------------------------------------------------------------------------- */

/* The path as a URI, which is how SQLite takes further wishes. What could mean something in one is encoded,
 * and "./" before a relative path leaves no room for the names that SQLite treats specially. */
static zilch_status make_uri(const char *path, const char *wishes, char **out)
{
    static const char digit[] = "0123456789ABCDEF";
    const char *prefix = *path == '/' ? "file://" : "file:./";
    ZI_TRY(zi_alloc(out, strlen(prefix) + 3 * strlen(path) + strlen(wishes) + 1));
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
    memcpy(next, wishes, strlen(wishes) + 1);
    return ZILCH_OK;
}

/* SQLite refuses whole paths that are longer, and does not say so. */
static int is_path_too_long(const zi_sql *sql)
{
    enum { MOST = 512 };
    char folder[MOST];
    return strlen(sql->path) >= MOST ||
           (*sql->path != '/' &&
            (!getcwd(folder, sizeof folder) || strlen(folder) + 1 + strlen(sql->path) >= MOST));
}

static zilch_status fail_connect(const zi_sql *sql, int code)
{
    return (code & 0xff) == SQLITE_CANTOPEN && !*sql->vfs.refusal && is_path_too_long(sql)
               ? zi_sql_fail(sql, ZILCH_EIO, "the whole path is too long for SQLite, which takes 512 bytes")
               : zi_sql_fail_code(sql, code);
}

/* Nothing is read yet. */
static zilch_status connect(zi_sql *sql, int is_reader, int is_immutable)
{
    char *uri;
    const char *wishes = is_immutable ? "?immutable=1" : is_reader ? "?readonly_shm=1" : "";
    const int access = is_reader ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE;
    ZI_TRY(make_uri(sql->path, wishes, &uri));
    sqlite3_close(sql->handle);
    sql->handle = NULL;
    sql->is_immutable = is_immutable;
    int code = zi_vfs_offer(&sql->vfs, is_reader);
    if (code == SQLITE_OK) {
        code = sqlite3_open_v2(uri, &sql->handle,
                               access | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE,
                               sql->vfs.name);
        zi_vfs_withdraw(&sql->vfs);
    }
    zi_free(uri);
    if (code != SQLITE_OK) {
        return fail_connect(sql, code);
    }
    sqlite3_busy_timeout(sql->handle, sql->patience);
    take_stamps(sql, sql->begin);
    return harden(sql);
}

static int look(zi_sql *sql)
{
    return zi_sql_try(sql, "SELECT 1 FROM sqlite_schema LIMIT 1");
}

/* Whether a writer is about to make or repair the log's index. */
static int is_passing(int code)
{
    return code == SQLITE_READONLY_RECOVERY || code == SQLITE_READONLY_CANTLOCK;
}

static zilch_status open_reader(zi_sql *sql)
{
    ZI_TRY(connect(sql, 1, 0));
    int code = look(sql);
    for (int waited = 0; is_passing(code) && waited < sql->patience; waited += PAUSE) {
        sqlite3_sleep(PAUSE);
        code = look(sql);
    }
    const int has_no_log =
        (code & 0xff) == SQLITE_CANTOPEN && !*sql->vfs.refusal && stamp_of_log(sql).size < 0;
    if (has_no_log) {
        ZI_TRY(connect(sql, 1, 1));
        code = look(sql);
    }
    return zi_sql_check(sql, code);
}

static zilch_status open_writer(zi_sql *sql)
{
    ZI_TRY(connect(sql, 0, 0));
    return zi_sql_check(sql, sqlite3_db_readonly(sql->handle, "main") == 1 ? SQLITE_READONLY : look(sql));
}

zilch_status zi_sql_only_read(zi_sql *sql, int is_only)
{
    return zi_sql_execute(sql, is_only ? "PRAGMA query_only = ON" : "PRAGMA query_only = OFF");
}

static zilch_status open_file(zi_sql *sql, zilch_study_mode mode)
{
    if (mode == ZILCH_STUDY_CREATE) {
        ZI_TRY(make_file(sql));
    }
    ZI_TRY(check_file(sql));
    ZI_TRY(mode == ZILCH_STUDY_READ ? open_reader(sql) : open_writer(sql));
    /* Temporary tables in memory: SQLite would ask the environment where to put them. */
    ZI_TRY(zi_sql_execute(sql, "PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0; PRAGMA foreign_keys = ON;"
                               "PRAGMA synchronous = FULL; PRAGMA temp_store = MEMORY"));
    return mode == ZILCH_STUDY_READ ? zi_sql_only_read(sql, 1) : ZILCH_OK;
}

/* Readings are nested, and rows are read in transactions. */
static void make_lock(pthread_mutex_t *lock)
{
    pthread_mutexattr_t kind;
    pthread_mutexattr_init(&kind);
    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(lock, &kind);
    pthread_mutexattr_destroy(&kind);
}

zilch_status zi_sql_open(zi_sql **out, const char *path, zilch_study_mode mode, int patience)
{
    assert(out && path && patience >= 0);
    zi_sql *sql;
    *out = NULL;
    ZI_TRY(zi_alloc_bytes(&sql, 1, sizeof *sql + strlen(path) + 1));
    memset(sql, 0, sizeof *sql);
    sql->patience = patience;
    make_lock(&sql->lock);
    memcpy(sql->path, path, strlen(path) + 1);
    const zilch_status status = open_file(sql, mode);
    if (status != ZILCH_OK) {
        zi_sql_close_failed(sql);
        return status;
    }
    *out = sql;
    return ZILCH_OK;
}

/* One that writes is never overtaken, and other threads may be using it now: nothing else of it is looked at.
 */
int zi_sql_is_stale(const zi_sql *sql)
{
    return sql->vfs.is_reader && sql->depth == 0 && !sqlite3_next_stmt(sql->handle, NULL) &&
           zi_sql_is_overtaken(sql);
}

zilch_status zi_sql_open_again(const zi_sql *sql, zi_sql **out)
{
    assert(sql->vfs.is_reader);
    return zi_sql_open(out, sql->path, ZILCH_STUDY_READ, sql->patience);
}

void zi_sql_close(zi_sql *sql)
{
    if (sql) {
        const int code = sqlite3_close(sql->handle);
        assert(code == SQLITE_OK);
        (void)code;
        pthread_mutex_destroy(&sql->lock);
        zi_free(sql);
    }
}

void zi_sql_close_failed(zi_sql *sql)
{
    if (sql && sql->is_made) {
        (void)sqlite3_close(sql->handle);
        sql->handle = NULL;
        remove_files(sql);
    }
    zi_sql_close(sql);
}

/* ---- The tables -------------------------------------------------------------------------------------- */

static const char tables_text[] = "SELECT type, name, tbl_name, sql FROM main.sqlite_schema ORDER BY name";
enum { TABLE_COLUMNS = 4 };

static int is_same_cell(sqlite3_stmt *a, sqlite3_stmt *b, int column)
{
    const int type = sqlite3_column_type(a, column);
    const unsigned char *text = sqlite3_column_text(a, column);
    const unsigned char *other = sqlite3_column_text(b, column);
    const int length = sqlite3_column_bytes(a, column);
    return type == sqlite3_column_type(b, column) && length == sqlite3_column_bytes(b, column) &&
           (type == SQLITE_NULL || (text && other && memcmp(text, other, (size_t)length) == 0));
}

/* SQLite's code of the first step that gave no row where one was due, or one too many. */
static int compare_tables(sqlite3_stmt *found, sqlite3_stmt *known, int *is_same)
{
    int code, other;
    *is_same = 1;
    do {
        code = sqlite3_step(found);
        other = sqlite3_step(known);
        for (int i = 0; i < TABLE_COLUMNS && code == SQLITE_ROW && other == SQLITE_ROW; i++) {
            *is_same &= is_same_cell(found, known, i);
        }
    } while (code == SQLITE_ROW && other == SQLITE_ROW && *is_same);
    *is_same &= code == other;
    return code == SQLITE_ROW || code == SQLITE_DONE ? (other == SQLITE_NOMEM ? other : SQLITE_OK) : code;
}

/* What SQLite makes of the text is found out in a database in memory. */
zilch_status zi_sql_has_tables(zi_sql *sql, const char *text, int *is_same)
{
    assert(text && is_same);
    sqlite3 *memory = NULL;
    sqlite3_stmt *found = NULL, *known = NULL;
    int code = sqlite3_open_v2(":memory:", &memory,
                               SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY | SQLITE_OPEN_NOMUTEX, NULL);
    code = code == SQLITE_OK ? sqlite3_exec(memory, text, NULL, NULL, NULL) : code;
    code = code == SQLITE_OK ? sqlite3_prepare_v2(memory, tables_text, -1, &known, NULL) : code;
    code = code == SQLITE_OK ? sqlite3_prepare_v2(sql->handle, tables_text, -1, &found, NULL) : code;
    code = code == SQLITE_OK ? compare_tables(found, known, is_same) : code;
    const zilch_status status = zi_sql_check(sql, code);
    sqlite3_finalize(found);
    sqlite3_finalize(known);
    (void)sqlite3_close(memory);
    return status;
}
