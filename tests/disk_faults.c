/* The functions that write files, replaced by ones that watch and then make the system's call. Those of
 * shared libraries come here too. */
#define _GNU_SOURCE
#include "disk_faults.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define EXPORTED __attribute__((visibility("default")))

enum { EVENTS_MOST = 100000, FILES_MOST = 256 };

static char folder[100];
static int is_watching, is_keeping;
static char names[FILES_MOST][64]; /* of open files; those of others are "?" */
static disk_event *events;
static size_t event_count;

static struct {
    int is_on, kinds, error, is_lasting;
    size_t k, count;
    size_t room, written;
} faults;

/* ---- Files by name ------------------------------------------------------------------------------------- */

/* The name in the folder; NULL: elsewhere. */
static const char *name_of(const char *path)
{
    const size_t length = strlen(folder);
    if (!length || strncmp(path, folder, length) != 0 || (path[length] && path[length] != '/')) {
        return NULL;
    }
    return path[length] ? path + length + 1 : path + length;
}

static const char *name_at(int file)
{
    return file >= 0 && file < FILES_MOST && *names[file] != '?' && folder[0] ? names[file] : NULL;
}

static void note_open(int file, const char *name)
{
    if (file >= 0 && file < FILES_MOST) {
        snprintf(names[file], sizeof names[file], "%s", name ? name : "?");
    }
}

static int is_index(const char *name)
{
    const size_t length = strlen(name);
    return length > 4 && strcmp(name + length - 4, "-shm") == 0;
}

/* ---- Writing down -----------------------------------------------------------------------------------------
 */

static disk_event *note(disk_kind kind, const char *name)
{
    static disk_event nowhere;
    if (!is_watching || !name) {
        return &nowhere;
    }
    if (!events) {
        events = calloc(EVENTS_MOST, sizeof *events);
    }
    if (!events || event_count == EVENTS_MOST) {
        abort();
    }
    disk_event *event = &events[event_count++];
    event->kind = kind;
    snprintf(event->name, sizeof event->name, "%s", name);
    return event;
}

static void keep(disk_event *event, const void *bytes, size_t length)
{
    if (is_watching && is_keeping && length) {
        event->bytes = malloc(length);
        memcpy(event->bytes, bytes, length);
    }
}

/* What is in a file when it is synced, whoever wrote it. */
static void keep_file(disk_event *event, const char *name)
{
    char path[200];
    struct stat info;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    const int file = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
    if (file >= 0 && fstat(file, &info) == 0 && S_ISREG(info.st_mode)) {
        event->length = (size_t)info.st_size;
        if (is_keeping && event->length) {
            event->bytes = malloc(event->length);
            if (read(file, event->bytes, event->length) != (ssize_t)event->length) {
                abort();
            }
        }
    }
    if (file >= 0) {
        syscall(SYS_close, file);
    }
}

void disk_watch(const char *watched, int keep_bytes)
{
    disk_forget();
    snprintf(folder, sizeof folder, "%s", watched);
    for (size_t i = 0; i < FILES_MOST; i++) {
        strcpy(names[i], "?");
    }
    is_keeping = keep_bytes;
    is_watching = 1;
}

void disk_mark(off_t number)
{
    note(DISK_MARK, "")->offset = number;
}

size_t disk_events(const disk_event **out)
{
    is_watching = 0;
    *out = events;
    return event_count;
}

void disk_forget(void)
{
    for (size_t i = 0; i < event_count; i++) {
        free(events[i].bytes);
    }
    free(events);
    events = NULL;
    event_count = 0;
    is_watching = 0;
}

/* ---- Refusing --------------------------------------------------------------------------------------------
 */

void disk_fail(int kinds, size_t k, int error, int is_lasting)
{
    memset(&faults, 0, sizeof faults);
    faults.is_on = 1;
    faults.kinds = kinds;
    faults.k = k;
    faults.error = error;
    faults.is_lasting = is_lasting;
    faults.room = SIZE_MAX;
}

void disk_fill(size_t room)
{
    disk_fail(0, 0, 0, 0);
    faults.room = room;
}

size_t disk_well(size_t *bytes)
{
    faults.is_on = 0;
    if (bytes) {
        *bytes = faults.written;
    }
    return faults.count;
}

static int is_refused(disk_kind kind, const char *name)
{
    if (!faults.is_on || !name || !(faults.kinds & (int)kind)) {
        return 0;
    }
    faults.count++;
    if (!faults.k || faults.count < faults.k || (faults.count > faults.k && !faults.is_lasting)) {
        return 0;
    }
    errno = faults.error;
    return 1;
}

/* How many of the bytes there is room for. */
static size_t room_for(const char *name, size_t length)
{
    if (!faults.is_on || !name || is_index(name)) {
        return length;
    }
    const size_t left = faults.room - faults.written;
    const size_t fitting = length < left ? length : left;
    faults.written += fitting;
    return fitting;
}

/* ---- The functions
 * ------------------------------------------------------------------------------------------ */

static int open_file(const char *path, int flags, mode_t mode)
{
    const char *name = name_of(path);
    struct stat info;
    const int is_there = name && lstat(path, &info) == 0;
    if (is_refused(DISK_OPEN, name)) {
        return -1;
    }
    const int file = (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
    note_open(file, name);
    if (file >= 0 && name) {
        disk_event *event = note(DISK_OPEN, name);
        event->flags = flags;
        event->mode = mode;
        event->is_new = !is_there;
    }
    return file;
}

EXPORTED int open(const char *path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    const mode_t mode = flags & O_CREAT ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    return open_file(path, flags, mode);
}

EXPORTED int open64(const char *path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    const mode_t mode = flags & O_CREAT ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    return open_file(path, flags, mode);
}

EXPORTED int close(int file)
{
    note_open(file, NULL);
    return (int)syscall(SYS_close, file);
}

static ssize_t write_at(int file, const void *bytes, size_t length, off_t offset)
{
    const char *name = name_at(file);
    if (is_refused(DISK_WRITE, name)) {
        return -1;
    }
    const size_t fitting = room_for(name, length);
    if (fitting == 0 && length > 0) {
        errno = ENOSPC;
        return -1;
    }
    const ssize_t written = syscall(SYS_pwrite64, file, bytes, fitting, offset);
    if (written > 0 && name) {
        disk_event *event = note(DISK_WRITE, name);
        event->offset = offset;
        event->length = (size_t)written;
        keep(event, bytes, (size_t)written);
    }
    return written;
}

EXPORTED ssize_t pwrite(int file, const void *bytes, size_t length, off_t offset)
{
    return write_at(file, bytes, length, offset);
}

EXPORTED ssize_t pwrite64(int file, const void *bytes, size_t length, off_t offset)
{
    return write_at(file, bytes, length, offset);
}

static int sync_file(int file)
{
    const char *name = name_at(file);
    if (is_refused(DISK_SYNC, name)) {
        return -1;
    }
    if (name && is_watching) {
        keep_file(note(DISK_SYNC, name), name);
    }
    if (name) { /* the disk itself is not this test's concern */
        return 0;
    }
    return (int)syscall(SYS_fsync, file);
}

EXPORTED int fsync(int file)
{
    return sync_file(file);
}

EXPORTED int fdatasync(int file)
{
    return sync_file(file);
}

static int truncate_file(int file, off_t length)
{
    const char *name = name_at(file);
    if (is_refused(DISK_TRUNCATE, name)) {
        return -1;
    }
    if (name) {
        note(DISK_TRUNCATE, name)->offset = length;
    }
    return (int)syscall(SYS_ftruncate, file, length);
}

EXPORTED int ftruncate(int file, off_t length)
{
    return truncate_file(file, length);
}

EXPORTED int ftruncate64(int file, off_t length)
{
    return truncate_file(file, length);
}

EXPORTED int rename(const char *from, const char *to)
{
    const char *name = name_of(from);
    if (is_refused(DISK_RENAME, name)) {
        return -1;
    }
    if (name) {
        disk_event *event = note(DISK_RENAME, name);
        snprintf(event->new_name, sizeof event->new_name, "%s", name_of(to) ? name_of(to) : "?");
    }
    return (int)syscall(SYS_renameat, AT_FDCWD, from, AT_FDCWD, to);
}

EXPORTED int unlink(const char *path)
{
    const char *name = name_of(path);
    if (is_refused(DISK_UNLINK, name)) {
        return -1;
    }
    const int code = (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
    if (code == 0 && name) {
        note(DISK_UNLINK, name);
    }
    return code;
}

EXPORTED int fchmod(int file, mode_t mode)
{
    const char *name = name_at(file);
    if (is_refused(DISK_MODE, name)) {
        return -1;
    }
    if (name) {
        note(DISK_MODE, name)->mode = mode;
    }
    return (int)syscall(SYS_fchmod, file, mode);
}

EXPORTED int fchown(int file, uid_t owner, gid_t group)
{
    const char *name = name_at(file);
    if (is_refused(DISK_OWNER, name)) {
        return -1;
    }
    if (name) {
        note(DISK_OWNER, name);
    }
    return (int)syscall(SYS_fchown, file, owner, group);
}
