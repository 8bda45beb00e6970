/* Reading a file whole, and replacing one so that a reader, a crash or a full disk
 * meets either the old content or the new: write beside it, flush to the disk,
 * rename, flush the folder. */
#include "base/file.h"

#include "base/memory.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static zilch_status fail_errno(const char *path, const char *what)
{
    const zilch_status status = errno == ENOMEM ? ZILCH_ENOMEM : ZILCH_EIO;
    return zi_fail(status, "%s: %s: %s", path, what, strerror(errno));
}

/* How much of a file of that size is worth reading: of a large one that does not begin as all of ours do, no
 * more than the beginning. Whoever unpacks that says what it is not. */
static size_t worth_reading(FILE *stream, size_t size)
{
    static const char ours[] = "zilch";
    enum { MAGIC = 8, SMALL = 1 << 20 };
    char begin[MAGIC] = {0};
    if (size <= SMALL) {
        return size;
    }
    const size_t taken = fread(begin, 1, MAGIC, stream);
    rewind(stream);
    return taken < MAGIC || strncmp(begin, ours, strlen(ours)) == 0 ? size : MAGIC;
}

static zilch_status read_stream(FILE *stream, const char *path, int is_ours, unsigned char **out,
                                size_t *length)
{
    struct stat info;
    if (fstat(fileno(stream), &info) != 0 || !S_ISREG(info.st_mode)) {
        return zi_fail(ZILCH_EIO, "%s: not a regular file", path);
    }
    const size_t all = (size_t)info.st_size;
    const size_t size = is_ours ? worth_reading(stream, all) : all;
    ZI_TRY(zi_alloc(out, size));
    *length = fread(*out, 1, size, stream);
    if (*length == size) {
        return ZILCH_OK;
    }
    zi_free(*out);
    *out = NULL;
    return ferror(stream) ? fail_errno(path, "cannot read")
                          : zi_fail(ZILCH_EIO, "%s: became shorter while it was read", path);
}

static zilch_status read_path(const char *path, int is_ours, unsigned char **out, size_t *length)
{
    *out = NULL;
    /* Not to wait for the other end, should it be a pipe; that is refused below. */
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    FILE *stream = file >= 0 ? fdopen(file, "rb") : NULL;
    if (!stream) {
        const zilch_status status = fail_errno(path, "cannot open");
        if (file >= 0) {
            close(file);
        }
        return status;
    }
    const zilch_status status = read_stream(stream, path, is_ours, out, length);
    fclose(stream);
    return status;
}

zilch_status zi_file_read(const char *path, unsigned char **out, size_t *length)
{
    assert(path && out && length);
    return read_path(path, 0, out, length);
}

/* Run the writer and close; the bytes are on the disk when this returns OK. */
static zilch_status write_and_close(FILE *stream, const char *path, int sync, zilch_file_writer write,
                                    void *context)
{
    zilch_status status = write(context, stream);
    /* A stream's first error may show only at the flush, or have shown already. */
    if (status == ZILCH_OK && (fflush(stream) != 0 || ferror(stream))) {
        status = fail_errno(path, "cannot write");
    }
    if (status == ZILCH_OK && sync && fsync(fileno(stream)) != 0) {
        status = fail_errno(path, "cannot write");
    }
    if (fclose(stream) != 0 && status == ZILCH_OK) {
        status = fail_errno(path, "cannot write");
    }
    return status;
}

/* Best effort: a file system that cannot flush a folder has still renamed. */
static void flush_folder(char *path)
{
    char *slash = strrchr(path, '/');
    if (slash) {
        slash[slash == path] = '\0'; /* keeps the root's own slash */
    }
    const int folder = open(slash ? path : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder >= 0) {
        fsync(folder);
        close(folder);
    }
}

/* What is replaced: the file, and how its owner calls it. */
typedef struct target {
    const char *path, *name;
    const struct stat *old; /* NULL: there is none yet */
} target;

/* A name beside the file. One that would be too long is cut, since the file's own may be as long as can be.
 */
static void name_temporary(const char *path, unsigned attempt, char *out, size_t size)
{
    enum { KEPT = 200 };
    const char *slash = strrchr(path, '/');
    const size_t folder = slash ? (size_t)(slash + 1 - path) : 0;
    const size_t length = strlen(path + folder);
    snprintf(out, size, "%.*s.%ld-%u.tmp", (int)(folder + (length < KEPT ? length : KEPT)), path,
             (long)getpid(), attempt);
}

/* The old file's owner, as far as we may, and its mode. Where its group cannot be kept, ours gets no more
 * than everybody. */
static int take_over(int file, const struct stat *old)
{
    struct stat now;
    mode_t mode = old->st_mode & 0777;
    if (fstat(file, &now) != 0) {
        return -1;
    }
    const int is_theirs = now.st_uid != old->st_uid && fchown(file, old->st_uid, old->st_gid) == 0;
    if (!is_theirs && now.st_gid != old->st_gid && fchown(file, (uid_t)-1, old->st_gid) != 0) {
        mode &= ~(mode_t)070 | (mode & 07) << 3;
    }
    return fchmod(file, mode);
}

/* A stream on a new file; its name goes to `temporary`, which has room for it. A name that is taken, by a
 * link to anywhere too, is left alone. Mode as a plain fopen would give, or that of the old file; of that
 * nobody but us may open the new one before it has its mode. */
static FILE *open_temporary(const target *t, char *temporary, size_t size)
{
    assert(temporary);
    int file = -1;
    for (unsigned attempt = 0; file < 0 && attempt < 100; attempt++) {
        name_temporary(t->path, attempt, temporary, size);
        file =
            open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, t->old ? t->old->st_mode & 0600 : 0666);
        if (file < 0 && errno != EEXIST) {
            return NULL;
        }
    }
    if (file < 0) {
        return NULL;
    }
    FILE *stream = !t->old || take_over(file, t->old) == 0 ? fdopen(file, "wb") : NULL;
    if (!stream) {
        const int error = errno;
        close(file);
        unlink(temporary);
        errno = error;
    }
    return stream;
}

static zilch_status replace(const target *t, zilch_file_writer write, void *context)
{
    enum { SUFFIX = 40 }; /* longer than any ".PID-attempt.tmp" */
    const size_t size = strlen(t->path) + SUFFIX;
    char *temporary;
    ZI_TRY(zi_alloc(&temporary, size));
    FILE *stream = open_temporary(t, temporary, size);
    zilch_status status = stream ? write_and_close(stream, t->name, 1, write, context)
                                 : fail_errno(t->name, "cannot create a file beside it");
    if (status == ZILCH_OK && rename(temporary, t->path) != 0) {
        status = fail_errno(t->name, "cannot rename into place");
    }
    if (status == ZILCH_OK) {
        flush_folder(temporary);
    } else if (stream) {
        unlink(temporary);
    }
    zi_free(temporary);
    return status;
}

/* Whether a link or a pipe is one that we made, that the system made, or that the owner of its folder made.
 * Others can be planted in a folder that everybody may write to (the kernel's rule for links in sticky
 * folders, protected_symlinks). */
static int is_planted(const char *path)
{
    char folder[PATH_MAX];
    struct stat info;
    struct stat around;
    const char *slash = strrchr(path, '/');
    if (lstat(path, &info) != 0 || info.st_uid == geteuid() || info.st_uid == 0) {
        return 0;
    }
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path + 1) : 1, slash ? path : ".");
    return stat(folder, &around) != 0 || around.st_uid != info.st_uid;
}

static zilch_status fail_planted(const char *path, const char *what)
{
    return zi_fail(ZILCH_EIO, "%s: is a %s that somebody else has made; remove it or choose another name",
                   path, what);
}

/* Where the links at the end of a path lead, be there a file yet or not. */
static zilch_status follow_links(const char *path, char end[PATH_MAX])
{
    enum { MOST_LINKS = 40 }; /* as many as the system follows */
    char link[PATH_MAX];
    char joined[2 * PATH_MAX];
    int length = snprintf(end, PATH_MAX, "%s", path);
    for (int i = 0; i < MOST_LINKS && length < PATH_MAX; i++) {
        const ssize_t bytes = readlink(end, link, sizeof link - 1);
        if (bytes < 0) {
            return ZILCH_OK;
        }
        link[bytes] = '\0';
        if (is_planted(end)) {
            return fail_planted(path, "link");
        }
        const char *slash = *link == '/' ? NULL : strrchr(end, '/');
        snprintf(joined, sizeof joined, "%.*s%s", slash ? (int)(slash - end + 1) : 0, end, link);
        length = snprintf(end, PATH_MAX, "%.*s", PATH_MAX, joined);
    }
    errno = length < PATH_MAX ? ELOOP : ENAMETOOLONG;
    return fail_errno(path, "cannot write");
}

zilch_status zilch_file_replace(const char *path, zilch_file_writer write, void *context)
{
    char end[PATH_MAX];
    struct stat info, found;
    if (!path || !*path || !write) {
        return zi_fail(ZILCH_EARG, "file: path and writer must be given");
    }
    const int exists = stat(path, &info) == 0;
    /* Through links: what is replaced is the file they lead to. One that leads elsewhere than it says is the
     * system's own, such as that of an open file whose name is gone. */
    ZI_TRY(follow_links(path, end));
    if (exists && S_ISFIFO(info.st_mode) && is_planted(end)) {
        return fail_planted(path, "pipe");
    }
    const int is_same =
        exists && lstat(end, &found) == 0 && found.st_dev == info.st_dev && found.st_ino == info.st_ino;
    if (exists && (!S_ISREG(info.st_mode) || !is_same)) {
        FILE *stream = fopen(path, "wbe");
        return stream ? write_and_close(stream, path, 0, write, context) : fail_errno(path, "cannot write");
    }
    const target t = {.path = end, .name = path, .old = exists ? &info : NULL};
    return replace(&t, write, context);
}

/* ---- Objects ---------------------------------------------------------------------- */

typedef struct packed {
    unsigned char *bytes;
    size_t length;
} packed;

static zilch_status write_packed(void *context, FILE *stream)
{
    const packed *p = context;
    fwrite(p->bytes, 1, p->length, stream);
    return ZILCH_OK; /* the stream remembers its errors */
}

zilch_status zi_file_save(const char *path, zi_packer pack, const void *object)
{
    assert(pack);
    packed p;
    if (!path) {
        return zi_fail(ZILCH_EARG, "save: no path given");
    }
    ZI_TRY(pack(object, NULL, 0, &p.length));
    ZI_TRY(zi_alloc(&p.bytes, p.length));
    zilch_status status = pack(object, p.bytes, p.length, &p.length);
    if (status == ZILCH_OK) {
        status = zilch_file_replace(path, write_packed, &p);
    }
    zi_free(p.bytes);
    return status;
}

zilch_status zi_file_load(const char *path, zi_unpacker unpack, void *out)
{
    assert(unpack);
    packed p;
    if (!path) {
        return zi_fail(ZILCH_EARG, "load: no path given");
    }
    ZI_TRY(read_path(path, 1, &p.bytes, &p.length));
    const zilch_status status = unpack(out, p.bytes, p.length);
    zi_free(p.bytes);
    return status == ZILCH_OK ? ZILCH_OK : zi_fail_within(status, "%s", path);
}

/* ---- Lines ----------------------------------------------------------------------------------------- */

/* Not getline(), for which a device without an end is one long line. */
zilch_status zilch_line_read(zilch_line *line, FILE *stream, int *is_line)
{
    enum { FIRST = 256, MOST = 1 << 30 };
    int letter = 0;
    line->length = 0;
    *is_line = 0;
    while (letter != EOF && letter != '\n') {
        if (line->length == line->capacity) {
            const size_t capacity = line->capacity ? 2 * line->capacity : FIRST;
            char *text;
            if (capacity > MOST) {
                return zi_fail(ZILCH_EFORMAT, "is longer than a gigabyte: this is no text file");
            }
            ZI_TRY(zi_alloc(&text, capacity));
            memcpy(text, line->text ? line->text : "", line->length);
            zi_free(line->text);
            line->text = text;
            line->capacity = capacity;
        }
        letter = getc_unlocked(stream);
        if (letter == '\0') {
            return zi_fail(ZILCH_EFORMAT, "a NUL byte: this is no text file");
        }
        line->text[line->length++] = (char)(letter == EOF || letter == '\n' ? '\0' : letter);
    }
    if (ferror(stream)) {
        return zi_fail(ZILCH_EIO, "cannot be read: %s", strerror(errno));
    }
    line->length--;
    *is_line = letter != EOF || line->length > 0;
    return ZILCH_OK;
}

void zilch_line_free(zilch_line *line)
{
    zi_free(line->text);
    *line = (zilch_line){0};
}
