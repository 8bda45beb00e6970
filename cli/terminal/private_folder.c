/* A private folder has mode 0700 and is known by its descriptor from the beginning: whatever others do with
 * its name does not matter. Its name ends with the process and ".tmp", as the names of all temporary files
 * of zilch do. */
#include "terminal/private_folder.h"

#include "terminal/cli.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int fail_file(const private_folder *p, const char *name, const char *what)
{
    return cli_fail("%s/%s: %s: %s", p->path, name, what, strerror(errno));
}

/* Calls `act` for each file inside, and gives whether one of the calls has failed. */
static int each_file(const private_folder *p, int (*act)(const private_folder *p, const char *name))
{
    const int again = openat(p->inside, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *folder = again >= 0 ? fdopendir(again) : NULL;
    if (!folder) {
        if (again >= 0) {
            close(again);
        }
        return fail_file(p, p->name, "cannot read the folder");
    }
    int failed = 0;
    for (const struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
            failed |= act(p, entry->d_name);
        }
    }
    closedir(folder);
    return failed;
}

/* ---- Making it ------------------------------------------------------------------- */

static int is_there(const private_folder *p, const char *name)
{
    (void)p;
    (void)name;
    return 1;
}

/* Between mkdirat and openat somebody may have put another folder in its place: one of theirs, or one of ours
 * that has something in it. */
static int check_inside(const private_folder *p)
{
    struct stat info;
    int is_ours = fstat(p->inside, &info) == 0 && info.st_uid == geteuid();
    if (is_ours) {
        (void)fchmod(p->inside, 0700); /* not every file system has modes */
        is_ours = !each_file(p, is_there);
    }
    return is_ours
               ? 0
               : cli_fail("%s/%s: somebody else has put another folder in its place; choose a folder that "
                          "only you can write to",
                          p->path, p->name);
}

/* A name that is taken, by a link to anywhere too, is left alone. */
int private_folder_make(private_folder *p, const char *path)
{
    enum { ATTEMPTS = 100 };
    int is_missing = 1;
    *p = (private_folder){.path = path, .inside = -1};
    p->outside = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (p->outside < 0) {
        return cli_fail("%s: cannot open the folder: %s", path, strerror(errno));
    }
    errno = EEXIST;
    for (unsigned attempt = 0; is_missing && errno == EEXIST && attempt < ATTEMPTS; attempt++) {
        snprintf(p->name, sizeof p->name, "figures.%ld-%u.tmp", (long)getpid(), attempt);
        is_missing = mkdirat(p->outside, p->name, 0700) != 0;
    }
    if (is_missing) {
        const int failed = cli_fail("%s: cannot make a folder in it: %s", path, strerror(errno));
        *p->name = '\0';
        private_folder_remove(p);
        return failed;
    }
    p->inside = openat(p->outside, p->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    const int failed = p->inside < 0 ? fail_file(p, p->name, "cannot open the folder") : check_inside(p);
    if (failed && p->inside >= 0) { /* nothing in it is ours */
        close(p->inside);
        p->inside = -1;
    }
    if (failed) {
        private_folder_remove(p);
    }
    return failed;
}

/* ---- Files ------------------------------------------------------------------------ */

int private_folder_write(const private_folder *p, const char *name, zilch_file_writer write, void *context)
{
    const int file = openat(p->inside, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    FILE *stream = file >= 0 ? fdopen(file, "wb") : NULL;
    if (!stream) {
        const int failed = fail_file(p, name, "cannot write");
        if (file >= 0) {
            close(file);
        }
        return failed;
    }
    const int failed = write(context, stream) == ZILCH_OK ? 0 : cli_fail_library();
    const int is_lost = fflush(stream) != 0 || ferror(stream);
    const int reason = errno;
    if (fclose(stream) == 0 && !is_lost && !failed) {
        return 0;
    }
    errno = is_lost ? reason : errno;
    const int is_said = failed || fail_file(p, name, "cannot write");
    (void)unlinkat(p->inside, name, 0);
    return is_said;
}

/* Flushed to the disk first: after a crash it is the old file or the new one. */
static int publish(const private_folder *p, const char *name)
{
    const int file = openat(p->inside, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    int failed = file < 0 || fsync(file) != 0;
    failed = failed || renameat(p->inside, name, p->outside, name) != 0;
    failed = failed ? fail_file(p, name, "cannot be written") : 0;
    if (file >= 0) {
        close(file);
    }
    return failed;
}

int private_folder_publish(const private_folder *p)
{
    const int failed = each_file(p, publish);
    (void)fsync(p->outside);
    return failed;
}

static int drop(const private_folder *p, const char *name)
{
    (void)unlinkat(p->inside, name, 0);
    return 0;
}

void private_folder_remove(private_folder *p)
{
    if (p->inside >= 0) {
        (void)each_file(p, drop);
        close(p->inside);
    }
    if (p->outside >= 0) {
        (void)(*p->name && unlinkat(p->outside, p->name, AT_REMOVEDIR));
        close(p->outside);
    }
    *p = (private_folder){.outside = -1, .inside = -1};
}
