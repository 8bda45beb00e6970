/* Files: read whole, and replaced whole or not at all. */
#include "base/file.h"
#include "base/memory.h"
#include "base/status.h"
#include "support.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

static size_t entries(void)
{
    size_t count = 0;
    DIR *listing = opendir(scratch.folder);
    assert_non_null(listing);
    for (const struct dirent *entry = readdir(listing); entry; entry = readdir(listing)) {
        count += entry->d_name[0] != '.';
    }
    closedir(listing);
    return count;
}

/* `count` times the letter, then this status. */
typedef struct content {
    size_t count;
    char letter;
    zilch_status status;
} content;

/* Takes no notice of failing writes: the library must. */
static zilch_status write_content(void *context, FILE *stream)
{
    const content *c = context;
    for (size_t i = 0; i < c->count; i++) {
        fputc(c->letter, stream);
    }
    return c->status == ZILCH_OK ? ZILCH_OK : zi_fail(c->status, "the writer gave up");
}

static zilch_status put(const char *path, size_t count, char letter)
{
    content c = {count, letter, ZILCH_OK};
    return zilch_file_replace(path, write_content, &c);
}

/* The file is so many of one letter, and alone in its folder. */
static void check_file(size_t count, char letter)
{
    unsigned char *bytes;
    size_t length;
    assert_int_equal(zi_file_read(scratch.file, &bytes, &length), ZILCH_OK);
    assert_int_equal(length, count);
    for (size_t i = 0; i < length; i++) {
        assert_int_equal(bytes[i], letter);
    }
    zi_free(bytes);
    assert_int_equal(entries(), 1);
}

static mode_t mode_of(const char *path)
{
    struct stat info;
    assert_int_equal(lstat(path, &info), 0);
    return info.st_mode;
}

static void test_file_read(void **state)
{
    (void)state;
    unsigned char every[256];
    for (size_t i = 0; i < sizeof every; i++) {
        every[i] = (unsigned char)i;
    }
    FILE *stream = fopen(scratch.file, "wb");
    assert_non_null(stream);
    fwrite(every, 1, sizeof every, stream);
    fclose(stream);
    unsigned char *bytes;
    size_t length;
    assert_int_equal(zi_file_read(scratch.file, &bytes, &length), ZILCH_OK);
    assert_int_equal(length, sizeof every);
    assert_memory_equal(bytes, every, sizeof every);
    zi_free(bytes);
    assert_int_equal(truncate(scratch.file, 0), 0);
    assert_int_equal(zi_file_read(scratch.file, &bytes, &length), ZILCH_OK);
    assert_int_equal(length, 0);
    assert_non_null(bytes);
    zi_free(bytes);
}

/* What is missing or no regular file; a pipe that nobody writes must not be waited for. */
static void test_file_read_fails(void **state)
{
    (void)state;
    char pipe[100];
    snprintf(pipe, sizeof pipe, "%s/pipe", scratch.folder);
    assert_int_equal(mkfifo(pipe, 0600), 0);
    const char *const paths[] = {scratch.file, scratch.folder, pipe, "/dev/null", ""};
    for (size_t i = 0; i < COUNT(paths); i++) {
        unsigned char *bytes = (unsigned char *)scratch.file;
        size_t length;
        assert_int_equal(zi_file_read(paths[i], &bytes, &length), ZILCH_EIO);
        assert_null(bytes);
        assert_ptr_equal(strstr(zilch_last_error(), paths[i]), zilch_last_error());
    }
    unlink(pipe);
}

/* A new file has the mode that the process gives new files; one that was there keeps its own. */
static void test_replace(void **state)
{
    (void)state;
    const mode_t mask = umask(027);
    assert_int_equal(put(scratch.file, 3, 'a'), ZILCH_OK);
    umask(mask);
    assert_int_equal(mode_of(scratch.file) & 0777, 0640);
    check_file(3, 'a');
    static const mode_t modes[] = {0600, 0644, 0751, 0400};
    for (size_t i = 0; i < COUNT(modes); i++) {
        assert_int_equal(chmod(scratch.file, modes[i]), 0);
        assert_int_equal(put(scratch.file, 100000 * i, 'b'), ZILCH_OK);
        assert_int_equal(mode_of(scratch.file) & 0777, modes[i]);
        check_file(100000 * i, 'b');
    }
}

static void test_replace_in_current_folder(void **state)
{
    (void)state;
    const int before = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_int_equal(chdir(scratch.folder), 0);
    const zilch_status status = put("file", 5, 'c');
    assert_int_equal(fchdir(before), 0);
    close(before);
    assert_int_equal(status, ZILCH_OK);
    check_file(5, 'c');
}

/* Status and text are the writer's, the old file is as it was, nothing is left beside it. */
static void test_replace_with_failing_writer(void **state)
{
    (void)state;
    content bad = {100000, 'x', ZILCH_EOBJECTIVE};
    assert_int_equal(zilch_file_replace(scratch.file, write_content, &bad), ZILCH_EOBJECTIVE);
    assert_string_equal(zilch_last_error(), "the writer gave up");
    assert_int_equal(entries(), 0);
    assert_int_equal(put(scratch.file, 7, 'a'), ZILCH_OK);
    assert_int_equal(zilch_file_replace(scratch.file, write_content, &bad), ZILCH_EOBJECTIVE);
    check_file(7, 'a');
}

/* A disk with room for 1000 bytes, as the file size limit makes one. The error shows at the last flush (3000
 * bytes are buffered), or long before. */
static void test_replace_on_full_disk(void **state)
{
    (void)state;
    static const size_t counts[] = {3000, 1000000};
    struct rlimit before;
    assert_int_equal(put(scratch.file, 7, 'a'), ZILCH_OK);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    for (size_t i = 0; i < COUNT(counts); i++) {
        const struct rlimit small = {1000, before.rlim_max};
        setrlimit(RLIMIT_FSIZE, &small);
        const zilch_status status = put(scratch.file, counts[i], 'x');
        setrlimit(RLIMIT_FSIZE, &before);
        assert_int_equal(status, ZILCH_EIO);
        assert_ptr_equal(strstr(zilch_last_error(), scratch.file), zilch_last_error());
        check_file(7, 'a');
    }
    signal(SIGXFSZ, handler);
}

/* /dev/null (3) or /dev/full (7). Root could lose it to a library that replaces devices, so for root it is a
 * node in the folder, named as the file; NULL where none can be made. */
static const char *device(unsigned number)
{
    if (geteuid() != 0) {
        return number == 3 ? "/dev/null" : "/dev/full";
    }
    if (mknod(scratch.file, S_IFCHR | 0600, makedev(1, number)) != 0) {
        return NULL;
    }
    const int node = open(scratch.file, O_WRONLY | O_CLOEXEC); /* a mount may forbid that */
    if (node >= 0) {
        close(node);
        return scratch.file;
    }
    unlink(scratch.file);
    return NULL;
}

static void check_replace_fails(const char *path)
{
    assert_int_equal(put(path, 10, 'x'), ZILCH_EIO);
    assert_ptr_equal(strstr(zilch_last_error(), path), zilch_last_error());
}

static void test_replace_fails(void **state)
{
    (void)state;
    char path[100];
    snprintf(path, sizeof path, "%s/missing/file", scratch.folder);
    check_replace_fails(path);
    check_replace_fails(scratch.folder);
    assert_int_equal(put(NULL, 10, 'x'), ZILCH_EARG);
    assert_int_equal(put("", 10, 'x'), ZILCH_EARG);
    assert_int_equal(zilch_file_replace(scratch.file, NULL, NULL), ZILCH_EARG);
    assert_int_equal(entries(), 0);
}

static zilch_status write_after_error(void *context, FILE *stream)
{
    (void)context;
    fgetc(stream); /* it is not open for reading */
    fputc('x', stream);
    return ZILCH_OK;
}

/* An error that the writer met and did not tell, though all that came after it went well. */
static void test_replace_finds_old_errors(void **state)
{
    (void)state;
    assert_int_equal(put(scratch.file, 7, 'a'), ZILCH_OK);
    assert_int_equal(zilch_file_replace(scratch.file, write_after_error, NULL), ZILCH_EIO);
    check_file(7, 'a');
}

/* Devices are written, not replaced; what they refuse is told. */
static void test_replace_writes_devices(void **state)
{
    (void)state;
    const char *sink = device(3);
    if (sink) {
        assert_int_equal(put(sink, 100000, 'x'), ZILCH_OK);
        assert_true(S_ISCHR(mode_of(sink)));
    }
    unlink(scratch.file);
    const char *full = device(7);
    if (full) {
        check_replace_fails(full);
        assert_true(S_ISCHR(mode_of(full)));
    }
    print_message("    /dev/null %s, /dev/full %s\n", sink ? "written" : "skipped",
                  full ? "written" : "skipped");
}

static void test_replace_writes_pipes(void **state)
{
    (void)state;
    assert_int_equal(mkfifo(scratch.file, 0600), 0);
    const int pipe = open(scratch.file, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    char bytes[20];
    assert_int_equal(put(scratch.file, 10, 'p'), ZILCH_OK);
    assert_int_equal(read(pipe, bytes, sizeof bytes), 10);
    assert_memory_equal(bytes, "pppppppppp", 10);
    close(pipe);
    assert_true(S_ISFIFO(mode_of(scratch.file)));
    assert_int_equal(entries(), 1);
}

/* A link stays one; what it leads to is replaced, or made. */
/* A link or a pipe that somebody else has put into a folder of ours is not written through. */
static void test_planted_link(void **state)
{
    (void)state;
    char link[100];
    if (geteuid() != 0) {
        skip(); /* nobody else's link can be made */
    }
    assert_int_equal(put(scratch.file, 1, 'a'), ZILCH_OK);
    snprintf(link, sizeof link, "%s/link", scratch.folder);
    assert_int_equal(symlink("file", link), 0);
    assert_int_equal(lchown(link, 65534, 65534), 0);
    assert_int_equal(put(link, 1, 'b'), ZILCH_EIO);
    assert_non_null(strstr(zilch_last_error(), "is a link that somebody else has made"));
    assert_int_equal(chown(scratch.folder, 65534, 65534), 0); /* whose folder it is, may have links there */
    assert_int_equal(put(link, 1, 'c'), ZILCH_OK);
    assert_int_equal(chown(scratch.folder, 0, 0), 0);
    unlink(link);
    assert_int_equal(mkfifo(link, 0666), 0);
    assert_int_equal(chown(link, 65534, 65534), 0);
    assert_int_equal(put(link, 1, 'b'), ZILCH_EIO);
    assert_non_null(strstr(zilch_last_error(), "is a pipe that somebody else has made"));
    unlink(link);
    check_file(1, 'c');
}

static void test_replace_through_link(void **state)
{
    (void)state;
    char link[100];
    snprintf(link, sizeof link, "%s/link", scratch.folder);
    assert_int_equal(symlink("file", link), 0);
    for (size_t count = 1; count < 3; count++) {
        assert_int_equal(put(link, count, 'b'), ZILCH_OK);
        assert_true(S_ISLNK(mode_of(link)));
        assert_true(S_ISREG(mode_of(scratch.file)));
        assert_int_equal(entries(), 2);
    }
    unlink(link);
    check_file(2, 'b');
}

static zilch_status replace_with_letter(void *context, size_t index)
{
    (void)context;
    return put(scratch.file, 20000, (char)('a' + index));
}

/* Whoever comes last, the file is whole. */
static void test_replace_by_many(void **state)
{
    (void)state;
    assert_int_equal(zilch_parallel(8, 24, replace_with_letter, NULL), ZILCH_OK);
    unsigned char *bytes;
    size_t length;
    assert_int_equal(zi_file_read(scratch.file, &bytes, &length), ZILCH_OK);
    const char letter = (char)*bytes;
    zi_free(bytes);
    check_file(20000, letter);
}

/* ---- Objects ---------------------------------------------------------------------- */

/* An object that packs to `count` letters, and what was done with it. */
typedef struct thing {
    size_t count, packings, unpackings;
    char letter;
    zilch_status failing;
    size_t failing_at; /* packing number, from 1 */
} thing;

static zilch_status pack_thing(const void *object, void *buffer, size_t capacity, size_t *length)
{
    thing *t = (thing *)(uintptr_t)object;
    if (++t->packings == t->failing_at) {
        return zi_fail(t->failing, "packing %d failed", (int)t->packings);
    }
    *length = t->count;
    if (buffer) {
        assert_int_equal(capacity, t->count);
        memset(buffer, t->letter, t->count);
    }
    return ZILCH_OK;
}

static zilch_status unpack_thing(void *out, const void *buffer, size_t length)
{
    thing *t = out;
    const unsigned char *bytes = buffer;
    t->unpackings++;
    if (t->failing != ZILCH_OK) {
        return zi_fail(t->failing, "not unpacked");
    }
    t->count = length;
    t->letter = length ? (char)bytes[0] : '-';
    return ZILCH_OK;
}

static void test_save_and_load(void **state)
{
    (void)state;
    static const size_t counts[] = {1, 0, 100000};
    for (size_t i = 0; i < COUNT(counts); i++) {
        thing saved = {.count = counts[i], .letter = 'q'};
        thing loaded = {.letter = 'x', .count = 7};
        assert_int_equal(zi_file_save(scratch.file, pack_thing, &saved), ZILCH_OK);
        assert_int_equal(saved.packings, 2); /* once to learn the length */
        check_file(counts[i], 'q');
        assert_int_equal(zi_file_load(scratch.file, unpack_thing, &loaded), ZILCH_OK);
        assert_int_equal(loaded.count, counts[i]);
        assert_int_equal(loaded.letter, counts[i] ? 'q' : '-');
        assert_int_equal(loaded.unpackings, 1);
    }
}

/* Of what is large and none of ours, only the beginning is read. */
static void test_load_foreign(void **state)
{
    (void)state;
    thing t = {.letter = 'x'};
    assert_int_equal(put(scratch.file, 2000000, 'q'), ZILCH_OK);
    assert_int_equal(zi_file_load(scratch.file, unpack_thing, &t), ZILCH_OK);
    assert_int_equal(t.count, 8);
    assert_int_equal(t.letter, 'q');
}

/* A name as long as can be, whose temporary one would be longer. */
static void test_replace_long_name(void **state)
{
    (void)state;
    char path[600];
    const size_t folder = (size_t)snprintf(path, sizeof path, "%s/", scratch.folder);
    memset(path + folder, 'n', 255);
    path[folder + 255] = '\0';
    assert_int_equal(put(path, 5, 'a'), ZILCH_OK);
    assert_int_equal(put(path, 7, 'b'), ZILCH_OK);
    assert_int_equal(unlink(path), 0);
}

/* A failing packing leaves the old file; the text is its own. */
static void test_save_fails(void **state)
{
    (void)state;
    char path[100];
    assert_int_equal(put(scratch.file, 7, 'a'), ZILCH_OK);
    for (size_t k = 1; k <= 2; k++) {
        thing t = {.count = 10, .letter = 'x', .failing = ZILCH_ENUMERIC, .failing_at = k};
        assert_int_equal(zi_file_save(scratch.file, pack_thing, &t), ZILCH_ENUMERIC);
        assert_non_null(strstr(zilch_last_error(), k == 1 ? "packing 1 failed" : "packing 2 failed"));
        check_file(7, 'a');
    }
    thing t = {.count = 10, .letter = 'x'};
    assert_int_equal(zi_file_save(NULL, pack_thing, &t), ZILCH_EARG);
    assert_int_equal(t.packings, 0);
    snprintf(path, sizeof path, "%s/missing/file", scratch.folder);
    assert_int_equal(zi_file_save(path, pack_thing, &t), ZILCH_EIO);
    assert_ptr_equal(strstr(zilch_last_error(), path), zilch_last_error());
}

/* What the unpacking says comes behind the path. */
static void test_load_fails(void **state)
{
    (void)state;
    char text[200];
    thing t = {.failing = ZILCH_EVERSION};
    assert_int_equal(zi_file_load(scratch.file, unpack_thing, &t), ZILCH_EIO);
    assert_int_equal(zi_file_load(scratch.folder, unpack_thing, &t), ZILCH_EIO);
    assert_int_equal(zi_file_load(NULL, unpack_thing, &t), ZILCH_EARG);
    assert_int_equal(t.unpackings, 0);
    assert_int_equal(put(scratch.file, 7, 'a'), ZILCH_OK);
    assert_int_equal(zi_file_load(scratch.file, unpack_thing, &t), ZILCH_EVERSION);
    snprintf(text, sizeof text, "%s: not unpacked", scratch.file);
    assert_string_equal(zilch_last_error(), text);
    check_file(7, 'a');
}

/* ---- Lines ------------------------------------------------------------------------------------------ */

static zilch_status read_all(const void *bytes, size_t size, char *out)
{
    zilch_line line = {0};
    int is_line = 1;
    zilch_status status = ZILCH_OK;
    FILE *stream = tmpfile();
    assert_non_null(stream);
    assert_int_equal(fwrite(bytes, 1, size, stream), size);
    rewind(stream);
    *out = '\0';
    while (status == ZILCH_OK && is_line) {
        status = zilch_line_read(&line, stream, &is_line);
        if (status == ZILCH_OK && is_line) {
            assert_int_equal(strlen(line.text), line.length);
            strcat(out, line.text);
            strcat(out, "|");
        }
    }
    zilch_line_free(&line);
    assert_null(line.text);
    fclose(stream);
    return status;
}

static void lines_are_read_without_their_ends(void **state)
{
    char out[4096];
    char longer[1500];
    (void)state;
    assert_int_equal(read_all("a\n\nbc", 5, out), ZILCH_OK);
    assert_string_equal(out, "a||bc|");
    assert_int_equal(read_all("", 0, out), ZILCH_OK);
    assert_string_equal(out, "");
    assert_int_equal(read_all("a\n", 2, out), ZILCH_OK);
    assert_string_equal(out, "a|");
    memset(longer, 'x', sizeof longer); /* memory grows */
    assert_int_equal(read_all(longer, sizeof longer, out), ZILCH_OK);
    assert_int_equal(strlen(out), sizeof longer + 1);
    assert_int_equal(read_all("a\nb\0c\n", 6, out), ZILCH_EFORMAT);
    assert_string_equal(out, "a|");
    assert_non_null(strstr(zilch_last_error(), "NUL byte"));
}

#define FILE_TEST(name) cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_read_without_their_ends),
        FILE_TEST(test_file_read),
        FILE_TEST(test_file_read_fails),
        FILE_TEST(test_replace),
        FILE_TEST(test_replace_in_current_folder),
        FILE_TEST(test_replace_with_failing_writer),
        FILE_TEST(test_replace_on_full_disk),
        FILE_TEST(test_replace_fails),
        FILE_TEST(test_replace_finds_old_errors),
        FILE_TEST(test_replace_writes_devices),
        FILE_TEST(test_replace_writes_pipes),
        FILE_TEST(test_replace_through_link),
        FILE_TEST(test_planted_link),
        FILE_TEST(test_replace_by_many),
        FILE_TEST(test_save_and_load),
        FILE_TEST(test_load_foreign),
        FILE_TEST(test_replace_long_name),
        FILE_TEST(test_save_fails),
        FILE_TEST(test_load_fails),
    };
    return cmocka_run_group_tests_name("file", tests, NULL, NULL);
}
