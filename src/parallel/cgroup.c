/* Leaf cgroups of programs (version 2 of Linux's control groups).
 *
 * A child is in the cgroup of its parent, whatever its session, its user and its parent's fate. One write to
 * cgroup.kill (Linux 5.14) kills all that are inside and all that they are just forking. No process can
 * outrun that, unless it was allowed to move to another cgroup. The leaf has no controllers, so that the
 * limits of the cgroup above it hold as before.
 *
 * A program is born into its leaf, by clone3(): moving a process there takes milliseconds, and is done only
 * where clone3() may not be called.
 *
 * Our own cgroup is looked for once, in /proc. Most often it belongs to root, and then nothing is made. If we
 * and both guards are killed, an empty folder may be left: the next process that looks removes it. */
#define _GNU_SOURCE
#include "parallel/cgroup.h"

#include "parallel/pidfd.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <linux/sched.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { NUMBER_SIZE = 16, ENTRIES_SIZE = 1024, DEEPEST = 8, REMOVED_MOST = 1024 };

/* ---- Removing ----------------------------------------------------------------------------------------- */

typedef struct removal {
    int depth, count;
} removal;

static int remove_one(removal *r, int above, const char *name);

/* The cgroups below one. A program may have made some, and so has zilch if the program was one. */
static void remove_below(removal *r, int folder)
{
    _Alignas(struct dirent64) char entries[ENTRIES_SIZE];
    ssize_t length;
    while ((length = getdents64(folder, entries, sizeof entries)) > 0) {
        for (ssize_t at = 0; at < length;) {
            const struct dirent64 *entry = (const void *)(entries + at);
            if (entry->d_type == DT_DIR && entry->d_name[0] != '.' && r->count < REMOVED_MOST) {
                (void)remove_one(r, folder, entry->d_name);
            }
            at += entry->d_reclen;
        }
    }
}

/* 1: it is gone. A cgroup with a process in it stays. */
static int remove_one(removal *r, int above, const char *name)
{
    r->count++;
    if (unlinkat(above, name, AT_REMOVEDIR) == 0 || errno == ENOENT) {
        return 1;
    }
    const int folder =
        r->depth < DEEPEST ? openat(above, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;
    if (folder < 0) {
        return 0;
    }
    r->depth++;
    remove_below(r, folder);
    r->depth--;
    (void)close(folder);
    return unlinkat(above, name, AT_REMOVEDIR) == 0;
}

/* ---- Our own cgroup ------------------------------------------------------------------------------------ */

static pthread_once_t is_looked_for = PTHREAD_ONCE_INIT;
static char home[PATH_MAX]; /* "": there is none, or we may make nothing in it */
static atomic_int is_off;
static atomic_uint made;

/* Reads the next line of a file in /proc and drops what does not fit; 0 at the end. */
static int read_line(FILE *file, char *line, int size)
{
    if (!fgets(line, size, file)) {
        return 0;
    }
    const size_t length = strcspn(line, "\n");
    for (int c = line[length] == '\n' ? '\n' : 0; c != '\n' && c != EOF;) {
        c = fgetc(file);
    }
    line[length] = '\0';
    return 1;
}

/* "0::/user.slice/session-1.scope" */
static int find_own(char own[PATH_MAX])
{
    FILE *file = fopen("/proc/self/cgroup", "re");
    int is_found = 0;
    while (file && !is_found && read_line(file, own, PATH_MAX)) {
        is_found = strncmp(own, "0::/", 4) == 0;
    }
    if (file) {
        (void)fclose(file);
    }
    if (is_found) {
        memmove(own, own + 3, strlen(own + 3) + 1);
    }
    return is_found && !strstr(own, "/.."); /* that would be above what we can see */
}

/* "\040" is a blank. */
static void unescape(char *text)
{
    char *to = text;
    for (const char *from = text; *from; to++) {
        const int is_escape = *from == '\\' && strspn(from + 1, "01234567") >= 3;
        *to = (char)(is_escape ? (from[1] - '0') * 64 + (from[2] - '0') * 8 + (from[3] - '0') : *from);
        from += is_escape ? 4 : 1;
    }
    *to = '\0';
}

/* "41 31 0:38 ROOT POINT rw,relatime - cgroup2 cgroup2 rw": the part of the tree that begins at ROOT is seen
 * at POINT. */
static int is_mount_of(char *line, const char *own, char path[PATH_MAX])
{
    char *field[5] = {NULL};
    char *rest = NULL;
    if (!strstr(line, " - cgroup2 ")) {
        return 0;
    }
    for (int i = 0; i < 5; i++) {
        field[i] = strtok_r(i ? NULL : line, " ", &rest);
        if (!field[i]) {
            return 0;
        }
    }
    unescape(field[3]);
    unescape(field[4]);
    const size_t length = strcmp(field[3], "/") == 0 ? 0 : strlen(field[3]);
    if (strncmp(own, field[3], length) != 0 || (own[length] != '/' && own[length] != '\0')) {
        return 0;
    }
    return snprintf(path, PATH_MAX, "%s%s", field[4], own + length) < PATH_MAX;
}

static int find_home(void)
{
    char own[PATH_MAX];
    char line[2 * PATH_MAX];
    struct statfs kind;
    int is_found = 0;
    FILE *file = find_own(own) ? fopen("/proc/self/mountinfo", "re") : NULL;
    while (file && !is_found && read_line(file, line, sizeof line)) {
        is_found = is_mount_of(line, own, home) && statfs(home, &kind) == 0 &&
                   kind.f_type == CGROUP2_SUPER_MAGIC &&
                   faccessat(AT_FDCWD, home, W_OK | X_OK, AT_EACCESS) == 0;
    }
    if (file) {
        (void)fclose(file);
    }
    return is_found;
}

/* "zilch.PID.NUMBER", and no process has that number now. */
static int is_leftover(const char *name)
{
    char *end;
    if (strncmp(name, "zilch.", 6) != 0) {
        return 0;
    }
    const long process = strtol(name + 6, &end, 10);
    if (process <= 0 || process > INT_MAX || *end != '.') {
        return 0;
    }
    const int handle = zi_pidfd_open((int)process);
    if (handle >= 0) {
        (void)close(handle);
        return 0;
    }
    return errno == ESRCH;
}

static void look_for_home(void)
{
    DIR *folder = find_home() ? opendir(home) : NULL;
    if (!folder) {
        home[0] = '\0';
        return;
    }
    for (const struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) {
        if (is_leftover(entry->d_name)) {
            (void)remove_one(&(removal){0}, dirfd(folder), entry->d_name);
        }
    }
    (void)closedir(folder);
}

/* ---- Leaves -------------------------------------------------------------------------------------------- */

/* A name may be taken, by a process of the same number that is gone, or in another namespace. */
zi_cgroup zi_cgroup_make(void)
{
    enum { TRIES = 16 };
    char path[PATH_MAX + sizeof zi_no_cgroup.name];
    zi_cgroup out = zi_no_cgroup;
    (void)pthread_once(&is_looked_for, look_for_home);
    int is_made = 0;
    for (int k = 0; k < TRIES && !is_made && *home && !atomic_load(&is_off); k++) {
        (void)snprintf(out.name, sizeof out.name, "zilch.%d.%u", (int)getpid(), atomic_fetch_add(&made, 1));
        (void)snprintf(path, sizeof path, "%s/%s", home, out.name);
        is_made = mkdir(path, 0755) == 0;
        if (!is_made && errno != EEXIST) {
            break;
        }
    }
    if (!is_made) {
        return zi_no_cgroup;
    }
    const int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder >= 0) { /* above the standard streams, as all descriptors of a launch */
        out.folder = fcntl(folder, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
        (void)close(folder);
    }
    if (out.folder < 0 || faccessat(out.folder, "cgroup.kill", W_OK, AT_EACCESS) != 0) {
        (void)rmdir(path);
        zi_cgroup_close(&out);
    }
    return out;
}

static void write_to(const zi_cgroup *cgroup, const char *name, const char *digit)
{
    const int file = openat(cgroup->folder, name, O_WRONLY | O_CLOEXEC);
    if (file >= 0) {
        (void)!write(file, digit, 1);
        (void)close(file);
    }
}

/* The thread sanitizer has to know of every fork: a process that clone3() makes would wait for ever in it. */
#ifdef __SANITIZE_THREAD__
enum { MAY_CLONE = 0 };
#else
enum { MAY_CLONE = 1 };
#endif

/* Where the child may not be put inside, the guards have to do alone. */
int zi_cgroup_fork(const zi_cgroup *cgroup)
{
    struct clone_args how = {
        .flags = CLONE_INTO_CGROUP, .exit_signal = SIGCHLD, .cgroup = (unsigned long long)cgroup->folder};
    const long cloned = MAY_CLONE && cgroup->folder >= 0 ? syscall(SYS_clone3, &how, sizeof how) : -1;
    const int child = cloned >= 0 ? (int)cloned : fork();
    if (child == 0 && cloned < 0 && cgroup->folder >= 0) {
        write_to(cgroup, "cgroup.procs", "0"); /* ourselves */
    }
    return child;
}

void zi_cgroup_kill(const zi_cgroup *cgroup)
{
    if (cgroup->folder >= 0) {
        write_to(cgroup, "cgroup.kill", "1");
    }
}

/* The first of those inside. */
static int first_of(const zi_cgroup *cgroup)
{
    char text[NUMBER_SIZE];
    const int file = openat(cgroup->folder, "cgroup.procs", O_RDONLY | O_CLOEXEC);
    const ssize_t length = file < 0 ? 0 : read(file, text, sizeof text - 1);
    int number = 0;
    for (ssize_t i = 0; i < length && text[i] >= '0' && text[i] <= '9'; i++) {
        number = 10 * number + (text[i] - '0');
    }
    if (file >= 0) {
        (void)close(file);
    }
    return number;
}

/* It can be removed once nobody is inside; those that have ended do not count. */
int zi_cgroup_end(const zi_cgroup *cgroup)
{
    enum { PASSES = 200, SOON = 10 };
    const int above =
        cgroup->folder >= 0 ? openat(cgroup->folder, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    int is_gone = above < 0;
    for (int k = 0; k < PASSES && !is_gone; k++) {
        is_gone = remove_one(&(removal){0}, above, cgroup->name);
        if (is_gone || errno != EBUSY) {
            break;
        }
        zi_cgroup_kill(cgroup);
        (void)poll(NULL, 0, k < SOON ? 1 : SOON);
    }
    if (above >= 0) {
        (void)close(above);
    }
    return is_gone ? 0 : first_of(cgroup);
}

void zi_cgroup_close(zi_cgroup *cgroup)
{
    if (cgroup->folder >= 0) {
        (void)close(cgroup->folder);
    }
    *cgroup = zi_no_cgroup;
}

void zi_cgroup_forbid(int is_forbidden)
{
    atomic_store(&is_off, is_forbidden);
}
