/* A layer between SQLite and its own access to files ("VFS"), one for each connection.
 *
 * SQLite opens four files for a study: the study, a rollback journal, a write-ahead log, and the log's index,
 * whose names are the study's with an ending. It trusts what it finds there, and more: a journal may name
 * another file, its super-journal, which SQLite opens, and deletes. Here only the four are opened, and only
 * if they are regular files with one name each; a link, a pipe or a folder in their place is refused. For a
 * reader all of them are opened for reading, and nothing is created or deleted.
 *
 * A reader needs the log's index, which only a writer may make. Where a log has none that is in use, because
 * its writer was killed or the files were copied, the index is made in memory, for this connection alone. */
#include "store/vfs.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char journal_ending[] = "-journal";
static const char log_ending[] = "-wal";
static const char index_ending[] = "-shm";

static const char is_foreign[] =
    "is named by a journal beside the study, which zilch did not write; remove the journal";

static zi_vfs *self(sqlite3_vfs *vfs)
{
    return (zi_vfs *)vfs;
}

/* ---- What may be opened ------------------------------------------------------------------------- */

static int refuse(zi_vfs *v, int code, const char *name, const char *why)
{
    const char *slash = strrchr(name, '/');
    snprintf(v->refusal, sizeof v->refusal, "'%.80s' %s", slash ? slash + 1 : name, why);
    return code;
}

/* A file that is not there yet may be made. */
static int check_file(zi_vfs *v, const char *name, int is_study)
{
    struct stat info;
    if (lstat(name, &info) != 0) {
        return SQLITE_OK;
    }
    if (!S_ISREG(info.st_mode)) {
        return refuse(v, SQLITE_CANTOPEN, name, "is not a regular file, and so nothing that zilch wrote");
    }
    if (info.st_nlink > 1 && !(is_study && v->is_reader)) {
        return refuse(v, SQLITE_CANTOPEN, name,
                      "has several names (hard links), and would be damaged by writing through two of them; "
                      "copy it and use the copy");
    }
    if (is_study) {
        v->device = info.st_dev;
        v->inode = info.st_ino;
        v->owner = info.st_uid;
        snprintf(v->path, sizeof v->path, "%s", name);
    }
    return SQLITE_OK;
}

/* The study, and whatever is beside it. */
static int check_all(zi_vfs *v, const char *name)
{
    const char *const endings[] = {journal_ending, log_ending, index_ending};
    char path[ZI_PATH_SIZE];
    int code = check_file(v, name, 1);
    for (size_t i = 0; i < sizeof endings / sizeof *endings && code == SQLITE_OK; i++) {
        snprintf(path, sizeof path, "%s%s", name, endings[i]);
        code = check_file(v, path, 0);
    }
    return code;
}

/* Whether it is the study's path with that ending. */
static int is_beside(const zi_vfs *v, const char *name, const char *ending)
{
    const size_t length = strlen(v->path);
    return length && strncmp(name, v->path, length) == 0 && strcmp(name + length, ending) == 0;
}

static int is_ours(const zi_vfs *v, const char *name)
{
    return is_beside(v, name, "") || is_beside(v, name, journal_ending) || is_beside(v, name, log_ending);
}

/* ---- The log's index ---------------------------------------------------------------------------- */

/* Behind SQLite's own data of the study's file. */
typedef struct shared_index {
    const sqlite3_io_methods *system; /* SQLite's own, of which `methods` differs in four */
    sqlite3_io_methods methods;
    zi_vfs *vfs;
    int is_known; /* whether the index is private has been found out */
    void **region;
    int count;
} shared_index;

static size_t system_size(const zi_vfs *v)
{
    enum { ALIGNMENT = 16 };
    return ((size_t)v->system->szOsFile + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* The methods are a part of it. */
static shared_index *index_of(sqlite3_file *file)
{
    return (shared_index *)((char *)file->pMethods - offsetof(shared_index, methods));
}

/* SQLite gives the index the owner of the study too, should root open it: one of another owner is not used.
 */
static int find_out(shared_index *s)
{
    char path[ZI_PATH_SIZE + sizeof index_ending];
    struct stat info;
    snprintf(path, sizeof path, "%s%s", s->vfs->path, index_ending);
    const int code = check_file(s->vfs, path, 0);
    s->vfs->is_private =
        s->vfs->is_reader && (lstat(path, &info) != 0 || (info.st_uid != s->vfs->owner && geteuid() == 0));
    s->is_known = 1;
    return code;
}

/* Zeros in new memory where there was none. */
static int map_private(shared_index *s, int number, int size, int is_extending, void volatile **out)
{
    *out = NULL;
    if (number >= s->count && is_extending) {
        void **grown = sqlite3_realloc64(s->region, ((sqlite3_uint64)number + 1) * sizeof *grown);
        if (!grown) {
            return SQLITE_NOMEM;
        }
        s->region = grown;
        for (; s->count <= number; s->count++) {
            s->region[s->count] = NULL;
        }
    }
    if (number < s->count && !s->region[number]) {
        s->region[number] = sqlite3_malloc(size);
        if (!s->region[number]) {
            return SQLITE_NOMEM;
        }
        memset(s->region[number], 0, (size_t)size);
    }
    *out = number < s->count ? s->region[number] : NULL;
    return SQLITE_OK;
}

static int map_index(sqlite3_file *file, int number, int size, int is_extending, void volatile **out)
{
    shared_index *s = index_of(file);
    const int code = s->is_known ? SQLITE_OK : find_out(s);
    if (code != SQLITE_OK) {
        s->is_known = 0;
        return code;
    }
    if (!s->vfs->is_private) {
        const int mapped = s->system->xShmMap(file, number, size, is_extending, out);
        if (mapped != SQLITE_READONLY_CANTINIT) {
            return mapped;
        }
        (void)s->system->xShmUnmap(file, 0); /* nobody uses it; a writer of this process may want it */
        s->vfs->is_private = 1;
    }
    return map_private(s, number, size, is_extending, out);
}

static int lock_index(sqlite3_file *file, int offset, int count, int flags)
{
    const shared_index *s = index_of(file);
    return s->vfs->is_private ? SQLITE_OK : s->system->xShmLock(file, offset, count, flags);
}

static void order_index(sqlite3_file *file)
{
    const shared_index *s = index_of(file);
    if (!s->vfs->is_private) {
        s->system->xShmBarrier(file);
    }
}

static int unmap_index(sqlite3_file *file, int is_deleted)
{
    shared_index *s = index_of(file);
    if (!s->vfs->is_private) {
        return s->system->xShmUnmap(file, is_deleted && !s->vfs->is_reader);
    }
    for (int i = 0; i < s->count; i++) {
        sqlite3_free(s->region[i]);
    }
    sqlite3_free(s->region);
    s->region = NULL;
    s->count = 0;
    return SQLITE_OK;
}

static void take_over_index(zi_vfs *v, sqlite3_file *file)
{
    shared_index *s = (shared_index *)((char *)file + system_size(v));
    *s = (shared_index){.system = file->pMethods, .methods = *file->pMethods, .vfs = v};
    s->methods.xShmMap = map_index;
    s->methods.xShmLock = lock_index;
    s->methods.xShmBarrier = order_index;
    s->methods.xShmUnmap = unmap_index;
    file->pMethods = &s->methods;
}

/* ---- What SQLite calls -------------------------------------------------------------------------- */

/* To a journal or log SQLite gives the owner of the study, should root open it; not to a super-journal, which
 * therefore is what a reader's files are called here. */
static int open_file(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *out_flags)
{
    zi_vfs *v = self(vfs);
    const int is_study = (flags & SQLITE_OPEN_MAIN_DB) != 0;
    file->pMethods = NULL;
    if (!name || !(is_study || (flags & (SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_WAL)))) {
        return refuse(v, SQLITE_CANTOPEN, name ? name : "a temporary file", is_foreign);
    }
    const int refused = is_study ? check_all(v, name) : check_file(v, name, 0);
    if (refused) {
        return refused;
    }
    if (v->is_reader) {
        flags = SQLITE_OPEN_READONLY | (is_study ? SQLITE_OPEN_MAIN_DB : SQLITE_OPEN_SUPER_JOURNAL);
    }
    const int code = v->system->xOpen(v->system, name, file, flags, out_flags);
    if (code == SQLITE_OK && is_study && file->pMethods->iVersion >= 2) {
        take_over_index(v, file);
    }
    return code;
}

static int delete_file(sqlite3_vfs *vfs, const char *name, int is_synced)
{
    zi_vfs *v = self(vfs);
    if (v->is_reader) {
        return SQLITE_OK; /* it stays, and nobody misses its going */
    }
    if (!is_beside(v, name, journal_ending) && !is_beside(v, name, log_ending)) {
        return refuse(v, SQLITE_IOERR_DELETE, name, is_foreign);
    }
    return v->system->xDelete(v->system, name, is_synced);
}

static int look_at_file(sqlite3_vfs *vfs, const char *name, int flags, int *answer)
{
    zi_vfs *v = self(vfs);
    if (!is_ours(v, name)) {
        return refuse(v, SQLITE_IOERR_ACCESS, name, is_foreign);
    }
    return v->system->xAccess(v->system, name, flags, answer);
}

static int complete_path(sqlite3_vfs *vfs, const char *name, int size, char *out)
{
    zi_vfs *v = self(vfs);
    return v->system->xFullPathname(v->system, name, size, out);
}

static int make_random(sqlite3_vfs *vfs, int size, char *out)
{
    zi_vfs *v = self(vfs);
    return v->system->xRandomness(v->system, size, out);
}

static int sleep_for(sqlite3_vfs *vfs, int microseconds)
{
    zi_vfs *v = self(vfs);
    return v->system->xSleep(v->system, microseconds);
}

static int tell_time(sqlite3_vfs *vfs, double *out)
{
    zi_vfs *v = self(vfs);
    return v->system->xCurrentTime(v->system, out);
}

static int tell_error(sqlite3_vfs *vfs, int size, char *out)
{
    zi_vfs *v = self(vfs);
    return v->system->xGetLastError(v->system, size, out);
}

int zi_vfs_offer(zi_vfs *v, int is_reader)
{
    sqlite3_vfs *system = sqlite3_vfs_find(NULL);
    if (!system) {
        return SQLITE_NOMEM; /* SQLite could not be made ready */
    }
    *v = (zi_vfs){.system = system, .is_reader = is_reader};
    snprintf(v->name, sizeof v->name, "zilch-%p", (void *)v);
    v->vfs = (sqlite3_vfs){.iVersion = 1,
                           .szOsFile = (int)(system_size(v) + sizeof(shared_index)),
                           .mxPathname = system->mxPathname,
                           .zName = v->name,
                           .xOpen = open_file,
                           .xDelete = delete_file,
                           .xAccess = look_at_file,
                           .xFullPathname = complete_path,
                           .xRandomness = make_random,
                           .xSleep = sleep_for,
                           .xCurrentTime = tell_time,
                           .xGetLastError = tell_error};
    return sqlite3_vfs_register(&v->vfs, 0);
}

void zi_vfs_withdraw(zi_vfs *v)
{
    assert(*v->name);
    (void)sqlite3_vfs_unregister(&v->vfs);
}

int zi_vfs_is_moved(const zi_vfs *v)
{
    struct stat info;
    return stat(v->path, &info) != 0 || info.st_dev != v->device || info.st_ino != v->inode;
}
