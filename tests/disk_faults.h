/* What the library and SQLite ask of a disk: watched, written down, and refused. Files of one folder only. */
#ifndef ZILCH_TESTS_DISK_FAULTS_H
#define ZILCH_TESTS_DISK_FAULTS_H

#include <stddef.h>
#include <sys/types.h>

typedef enum disk_kind {
    DISK_OPEN = 1,
    DISK_WRITE = 2, /* not those of C's streams, which the C library keeps to itself */
    DISK_SYNC = 4,
    DISK_TRUNCATE = 8,
    DISK_RENAME = 16,
    DISK_UNLINK = 32,
    DISK_MODE = 64,
    DISK_OWNER = 128,
    DISK_MARK = 256 /* nothing: where the test has come to */
} disk_kind;

typedef struct disk_event {
    disk_kind kind;
    char name[64];        /* of the file, in the folder; "" is the folder itself */
    char new_name[64];    /* of a renaming */
    int flags;            /* of an opening */
    mode_t mode;          /* of an opening, or a change of it */
    int is_new;           /* an opening made the file */
    off_t offset;         /* of a write; the new length of a truncation; the number of a mark */
    size_t length;        /* of a write; of the file at a sync */
    unsigned char *bytes; /* of a write, and of a sync, if `keep_bytes` */
} disk_event;

/* From here on calls on files of the folder are written down. */
void disk_watch(const char *folder, int keep_bytes);
void disk_mark(off_t number);
size_t disk_events(const disk_event **out); /* so far */
void disk_forget(void);                     /* all, and watches no more */

/* Number k, from 1, of the calls of these kinds fails with this error; 0: none. With is_lasting all after it
 * too. */
void disk_fail(int kinds, size_t k, int error, int is_lasting);
/* So many bytes can be written, but none to files whose name ends in -shm counts; then ENOSPC. */
void disk_fill(size_t room);
/* Everything works; how many of these calls there were, and in bytes. */
size_t disk_well(size_t *bytes);

#endif
