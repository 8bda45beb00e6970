/* A connection's inside, for the files behind sql.h. */
#ifndef ZI_SQL_INSIDE_H
#define ZI_SQL_INSIDE_H

#include "store/sql.h"
#include "store/vfs.h"

#include <pthread.h>
#include <stdint.h>
#include <sys/stat.h>
#include <time.h>

#if defined(__APPLE__)
#define st_mtim st_mtimespec
#define O_TMPFILE 0 /* so that a folder cannot be opened */
#endif

/* How a file is recognised as unchanged. */
typedef struct zi_stamp {
    dev_t device;
    ino_t inode;
    off_t size; /* -1: it is not there */
    struct timespec written;
} zi_stamp;

struct zi_sql {
    sqlite3 *handle;
    zi_vfs vfs;
    pthread_mutex_t lock; /* held by the thread that has a transaction or a reading under way */
    int patience;         /* milliseconds */
    int is_made;          /* the file, by this process */
    int is_immutable;     /* nobody writes it, so it is read without locks */
    int depth;            /* of transactions and readings that are under way */
    uint64_t operations;  /* thousands that the statement at work may still do */
    zi_stamp begin[2];    /* study and log as they were when they were opened */
    char path[];          /* as the caller named it */
};

/* Whether somebody has written to a study that is read without locks. */
int zi_sql_is_overtaken(const zi_sql *sql);

/* errno is cleared before calls that read and write: SQLite does not always say what the system said. */
int zi_sql_try(zi_sql *sql, const char *text);              /* statements without parameters: SQLite's code */
zilch_status zi_sql_fail_code(const zi_sql *sql, int code); /* what SQLite's code means */
zilch_status zi_sql_check(const zi_sql *sql, int code);     /* the same, where it may be SQLITE_OK */

#endif
