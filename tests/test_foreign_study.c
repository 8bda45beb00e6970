/* Studies that come from somebody else, and the files that come with them: nothing beside a study makes zilch
 * open, change or delete another file; a reader changes nothing at all; what is read of a file is bounded by
 * its size. */
#include "store/study.h"
#include "support.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define OK(call) assert_int_equal((call), ZILCH_OK)

enum { DIM = 4, POPULATION = 10, NAME_SIZE = 160, SECONDS = 60 };
static const char *const endings[] = {"-journal", "-wal", "-shm"};

static char victim[NAME_SIZE]; /* a file of the user that has nothing to do with the study */
static const char precious[] = "precious\n";

/* ---- Studies --------------------------------------------------------------------------------------- */

static zilch_optimizer *make_optimizer(uint64_t seed)
{
    zilch_optimizer *optimizer;
    zilch_optimizer_options options = zilch_optimizer_defaults();
    options.population = POPULATION;
    options.elites = 3;
    OK(zilch_optimizer_create(&optimizer, DIM, seed, &options));
    return optimizer;
}

static void advance(zilch_study *study, uint64_t run, zilch_optimizer *optimizer)
{
    uint64_t id[POPULATION];
    double x[POPULATION * DIM], value[POPULATION];
    OK(zilch_optimizer_ask(optimizer, POPULATION, id, x));
    for (size_t i = 0; i < POPULATION; i++) {
        value[i] = (double)(id[i] % 7);
    }
    OK(zilch_optimizer_tell(optimizer, POPULATION, id, value));
    OK(zilch_study_record(study, run, optimizer, NULL));
}

static zilch_study *open_study(zilch_study_mode mode)
{
    zilch_study *study;
    const zilch_status status = zilch_study_open(&study, scratch.file, mode);
    if (status != ZILCH_OK) {
        fail_msg("%s", zilch_last_error());
    }
    return study;
}

/* One run of two generations, told by the text of its problem. */
static void add_run(const char *problem)
{
    uint64_t run;
    zilch_optimizer *optimizer = make_optimizer(1);
    zilch_study *study = open_study(ZILCH_STUDY_CREATE);
    const zilch_request request = {.problem = problem};
    OK(zilch_study_start(study, &request, optimizer, &run));
    advance(study, run, optimizer);
    advance(study, run, optimizer);
    zilch_study_close(study);
    zilch_optimizer_destroy(optimizer);
}

typedef struct count {
    uint64_t runs, generations, letters;
} count;

static zilch_status count_run(void *context, const zilch_run *run)
{
    count *c = context;
    c->runs++;
    c->letters += strlen(run->request.problem);
    c->generations = run->run == 1 ? run->generations : c->generations;
    return ZILCH_OK;
}

static count count_all(zilch_study *study)
{
    count c = {0};
    zilch_optimizer *optimizer;
    OK(zilch_study_runs(study, count_run, &c));
    OK(zilch_study_resume(study, 1, &optimizer));
    assert_int_equal(zilch_optimizer_progress(optimizer).generations, c.generations);
    zilch_optimizer_destroy(optimizer);
    return c;
}

static count read_all(void)
{
    zilch_study *study = open_study(ZILCH_STUDY_READ);
    const count c = count_all(study);
    zilch_study_close(study);
    return c;
}

/* ---- Files ------------------------------------------------------------------------------------------- */

static const char *beside(const char *ending)
{
    static char path[NAME_SIZE];
    snprintf(path, sizeof path, "%s%s", scratch.file, ending);
    return path;
}

static void write_file(const char *path, const void *bytes, size_t length)
{
    FILE *stream = fopen(path, "wb");
    assert_non_null(stream);
    assert_int_equal(fwrite(bytes, 1, length, stream), length);
    assert_int_equal(fclose(stream), 0);
}

static void check_victim(void)
{
    char text[sizeof precious] = "";
    struct stat info;
    FILE *stream = fopen(victim, "rb");
    assert_non_null(stream);
    assert_int_equal(fread(text, 1, sizeof text, stream), sizeof precious - 1);
    fclose(stream);
    assert_string_equal(text, precious);
    assert_int_equal(stat(victim, &info), 0);
}

/* Sizes, times and inodes of the folder and all in it, added up in an order that does not matter; the folder
 * above is everybody's. The time of the log's index is the kernel's, which writes what a writer has in memory
 * when it likes. */
static uint64_t sum_of_folder(void)
{
    uint64_t sum = 0;
    DIR *listing = opendir(scratch.folder);
    for (const struct dirent *entry = readdir(listing); entry; entry = readdir(listing)) {
        struct stat info;
        char path[sizeof scratch.folder + sizeof entry->d_name + 1];
        if (strcmp(entry->d_name, "..") == 0) {
            continue;
        }
        snprintf(path, sizeof path, "%s/%s", scratch.folder, entry->d_name);
        assert_int_equal(lstat(path, &info), 0);
        uint64_t one = UINT64_C(0xcbf29ce484222325);
        const int is_timed = !strstr(entry->d_name, "-shm");
        const uint64_t facts[] = {(uint64_t)info.st_ino, (uint64_t)info.st_size, (uint64_t)info.st_nlink,
                                  is_timed ? (uint64_t)info.st_mtim.tv_sec : 0,
                                  is_timed ? (uint64_t)info.st_mtim.tv_nsec : 0};
        for (size_t i = 0; i < COUNT(facts); i++) {
            one = (one ^ facts[i]) * UINT64_C(0x100000001b3);
        }
        sum += one;
    }
    closedir(listing);
    return sum;
}

static int make_all(void **state)
{
    if (make_folder(state)) {
        return -1;
    }
    snprintf(victim, sizeof victim, "%s/victim", scratch.folder);
    write_file(victim, precious, sizeof precious - 1);
    alarm(SECONDS);
    return 0;
}

static int remove_all(void **state)
{
    alarm(0);
    for (size_t i = 0; i < COUNT(endings); i++) {
        if (unlink(beside(endings[i])) != 0) {
            (void)rmdir(beside(endings[i]));
        }
    }
    unlink(victim);
    return remove_folder(state);
}

/* ---- Files beside a study ------------------------------------------------------------------------------ */

static zilch_status try_open(zilch_study_mode mode)
{
    zilch_study *study;
    const zilch_status status = zilch_study_open(&study, scratch.file, mode);
    zilch_study_close(study);
    return status;
}

static void expect_refusal(const char *ending, const char *words)
{
    char name[32];
    snprintf(name, sizeof name, "'file%s'", ending);
    for (int mode = ZILCH_STUDY_READ; mode <= ZILCH_STUDY_CREATE; mode++) {
        assert_int_equal(try_open((zilch_study_mode)mode), ZILCH_EIO);
        assert_non_null(strstr(zilch_last_error(), scratch.file));
        assert_non_null(strstr(zilch_last_error(), name));
        assert_non_null(strstr(zilch_last_error(), words));
        check_victim();
    }
}

static void test_links_pipes_and_folders_are_refused(void **state)
{
    (void)state;
    add_run("sphere");
    for (size_t i = 0; i < COUNT(endings); i++) {
        const char *path = beside(endings[i]);
        assert_int_equal(symlink(victim, path), 0);
        expect_refusal(endings[i], "is not a regular file");
        unlink(path);
        assert_int_equal(symlink("nowhere", path), 0);
        expect_refusal(endings[i], "is not a regular file");
        unlink(path);
        assert_int_equal(mkfifo(path, 0600), 0);
        expect_refusal(endings[i], "is not a regular file");
        unlink(path);
        assert_int_equal(mkdir(path, 0700), 0);
        expect_refusal(endings[i], "is not a regular file");
        rmdir(path);
        assert_int_equal(link(victim, path), 0);
        expect_refusal(endings[i], "several names");
        unlink(path);
    }
    assert_int_equal(read_all().runs, 1);
}

static void put_number(unsigned char *out, uint32_t value)
{
    for (int i = 0; i < 4; i++) {
        out[i] = (unsigned char)(value >> (24 - 8 * i));
    }
}

/* A journal that is to be played back, and that names the victim as its super-journal: SQLite would delete
 * the victim. */
static void write_journal(size_t pages)
{
    static const unsigned char magic[] = {0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7};
    enum { SECTOR = 512, PAGE = 4096 };
    unsigned char bytes[SECTOR + NAME_SIZE + 32] = {0};
    const size_t length = strlen(victim);
    uint32_t sum = 0;
    unsigned char *next = bytes + SECTOR;
    memcpy(bytes, magic, sizeof magic);
    put_number(bytes + 12, 1); /* no page, a nonce, */
    put_number(bytes + 16, (uint32_t)pages);
    put_number(bytes + 20, SECTOR);
    put_number(bytes + 24, PAGE);
    put_number(next, (1U << 30) / PAGE + 1); /* the page that is never used, */
    memcpy(next + 4, victim, length);
    for (size_t i = 0; i < length; i++) {
        sum += (unsigned char)victim[i];
    }
    next += 4 + length;
    put_number(next, (uint32_t)length); /* the name, its length and sum */
    put_number(next + 4, sum);
    memcpy(next + 8, magic, sizeof magic);
    write_file(beside("-journal"), bytes, (size_t)(next + 16 - bytes));
}

static void test_journal_names_another_file(void **state)
{
    (void)state;
    struct stat info;
    add_run("sphere");
    assert_int_equal(stat(scratch.file, &info), 0);
    for (int mode = ZILCH_STUDY_READ; mode <= ZILCH_STUDY_CREATE; mode++) {
        write_journal((size_t)info.st_size / 4096);
        assert_int_equal(try_open((zilch_study_mode)mode), ZILCH_EIO);
        assert_non_null(strstr(zilch_last_error(), mode == ZILCH_STUDY_READ
                                                       ? "a write to it was interrupted"
                                                       : "'victim' is named by a journal beside the study"));
        check_victim();
    }
    unlink(beside("-journal"));
    assert_int_equal(read_all().generations, 2);
}

/* ---- One file with two names -----------------------------------------------------------------------------
 */

static void test_two_names(void **state)
{
    (void)state;
    char other[NAME_SIZE];
    zilch_study *study;
    snprintf(other, sizeof other, "%s/other", scratch.folder);
    add_run("sphere");
    assert_int_equal(link(scratch.file, other), 0);
    assert_int_equal(try_open(ZILCH_STUDY_WRITE), ZILCH_EIO);
    assert_non_null(strstr(zilch_last_error(), "several names"));
    assert_int_equal(zilch_study_open(&study, other, ZILCH_STUDY_CREATE), ZILCH_EIO);
    assert_int_equal(read_all().runs, 1);
    unlink(other);
    OK(try_open(ZILCH_STUDY_WRITE));
    /* A name that is taken away and given to another file is another study, whatever it holds. */
    zilch_optimizer *optimizer = make_optimizer(2);
    uint64_t run;
    study = open_study(ZILCH_STUDY_WRITE);
    assert_int_equal(rename(scratch.file, other), 0);
    write_file(scratch.file, "", 0);
    assert_int_equal(zilch_study_start(study, NULL, optimizer, &run), ZILCH_EIO);
    assert_non_null(strstr(zilch_last_error(), "was moved or deleted"));
    assert_true(zilch_study_is_moved(study));
    unlink(scratch.file);
    assert_int_equal(rename(other, scratch.file), 0);
    assert_false(zilch_study_is_moved(study));
    OK(zilch_study_start(study, NULL, optimizer, &run));
    zilch_study_close(study);
    zilch_optimizer_destroy(optimizer);
}

/* ---- Readers change nothing
 * --------------------------------------------------------------------------------
 */

/* A child that has written so many generations into the log, and waits. */
static pid_t begin_writer(uint64_t generations)
{
    int pipes[2];
    char byte;
    assert_int_equal(pipe(pipes), 0);
    const pid_t child = fork();
    if (child == 0) {
        uint64_t run;
        zilch_optimizer *optimizer = make_optimizer(3);
        zilch_study *study = open_study(ZILCH_STUDY_CREATE);
        OK(zilch_study_start(study, NULL, optimizer, &run));
        for (uint64_t g = 0; g < generations; g++) {
            advance(study, run, optimizer);
        }
        assert_int_equal(write(pipes[1], "x", 1), 1);
        pause();
    }
    close(pipes[1]);
    assert_int_equal(read(pipes[0], &byte, 1), 1);
    close(pipes[0]);
    return child;
}

static void kill_writer(pid_t child)
{
    int status;
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, &status, 0), child);
}

static void test_readers_change_nothing(void **state)
{
    (void)state;
    add_run("sphere");
    uint64_t before = sum_of_folder();
    assert_int_equal(read_all().generations, 2); /* nobody at work */
    assert_true(sum_of_folder() == before);
    unlink(scratch.file);
    const pid_t writer = begin_writer(3);
    before = sum_of_folder();
    assert_int_equal(read_all().generations, 3); /* a writer at work */
    assert_true(sum_of_folder() == before);
    kill_writer(writer);
    before = sum_of_folder();
    assert_int_equal(read_all().generations, 3); /* a log and its index, left behind */
    assert_true(sum_of_folder() == before);
    assert_int_equal(unlink(beside("-shm")), 0);
    before = sum_of_folder();
    assert_int_equal(read_all().generations, 3); /* a log alone */
    assert_true(sum_of_folder() == before);
}

/* A reader of what a killed writer left does not stand in the way of a writer in its own process. */
static void test_reader_then_writer(void **state)
{
    (void)state;
    kill_writer(begin_writer(3));
    zilch_study *reader = open_study(ZILCH_STUDY_READ);
    assert_int_equal(count_all(reader).runs, 1);
    add_run("sphere");
    assert_int_equal(count_all(reader).runs, 2);
    zilch_study_close(reader);
    OK(try_open(ZILCH_STUDY_WRITE)); /* the last writer puts all in order */
    assert_int_equal(access(beside("-wal"), F_OK), -1);
    assert_int_equal(read_all().generations, 3);
}

/* What is read without locks is read anew when somebody has written; in the middle of a reading it is said.
 */
static zilch_status write_meanwhile(void *context, const zilch_run *found)
{
    uint64_t run;
    (void)context;
    (void)found;
    zilch_optimizer *optimizer = make_optimizer(5);
    zilch_study *writer = open_study(ZILCH_STUDY_WRITE);
    OK(zilch_study_start(writer, NULL, optimizer, &run));
    advance(writer, run, optimizer);
    zilch_study_close(writer);
    zilch_optimizer_destroy(optimizer);
    return ZILCH_OK;
}

static void test_reader_is_overtaken(void **state)
{
    (void)state;
    add_run("sphere");
    zilch_study *reader = open_study(ZILCH_STUDY_READ);
    assert_int_equal(count_all(reader).runs, 1);
    add_run("sphere");
    assert_int_equal(count_all(reader).runs, 2);
    assert_int_equal(zilch_study_runs(reader, write_meanwhile, NULL), ZILCH_EIO);
    assert_non_null(strstr(zilch_last_error(), "somebody began to write to it"));
    assert_true(count_all(reader).runs > 2);
    zilch_study_close(reader);
}

/* ---- Pages without end -------------------------------------------------------------------------------- */

enum { PAGE = 4096, LEVELS = 12, CHILDREN = 300 };

static void put_short(unsigned char *out, int value)
{
    out[0] = (unsigned char)(value >> 8);
    out[1] = (unsigned char)(value & 255);
}

/* A page of a table whose children are all the same one (SQLite's file format, b-tree pages). In the first
 * page of a file it begins behind the file's own head. */
static void make_parent(unsigned char page[PAGE], size_t begin, uint32_t child)
{
    enum { HEAD = 12, CELL = 5 };
    const int content = PAGE - CHILDREN * CELL;
    unsigned char *head = page + begin;
    memset(head, 0, PAGE - begin);
    head[0] = 5;
    put_short(head + 3, CHILDREN);
    put_short(head + 5, content);
    put_number(head + 8, child);
    for (int i = 0; i < CHILDREN; i++) {
        const int at = content + i * CELL;
        put_short(head + HEAD + 2 * i, at);
        put_number(page + at, child);
        page[at + 4] = 1; /* the key */
    }
}

static uint32_t root_of(const char *table)
{
    sqlite3 *database;
    sqlite3_stmt *row;
    char text[100];
    assert_int_equal(sqlite3_open(scratch.file, &database), SQLITE_OK);
    assert_int_equal(sqlite3_exec(database, "PRAGMA journal_mode = DELETE", NULL, NULL, NULL), SQLITE_OK);
    snprintf(text, sizeof text, "SELECT rootpage FROM sqlite_schema WHERE name = '%s'", table);
    assert_int_equal(sqlite3_prepare_v2(database, text, -1, &row, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(row), SQLITE_ROW);
    const uint32_t root = (uint32_t)sqlite3_column_int(row, 0);
    sqlite3_finalize(row);
    sqlite3_close(database);
    return root;
}

static void put_page(FILE *file, uint32_t number, const unsigned char page[PAGE])
{
    fseek(file, (long)(number - 1) * PAGE, SEEK_SET); /* pages are counted from 1 */
    assert_int_equal(fwrite(page, 1, PAGE, file), PAGE);
}

/* Above the table's page come LEVELS others, each 301 times the next: more rows than anybody can count. */
static void make_endless(const char *table)
{
    static unsigned char page[PAGE], leaf[PAGE];
    struct stat info;
    const uint32_t root = strcmp(table, "sqlite_schema") == 0 ? 1 : root_of(table);
    const size_t begin = root == 1 ? 100 : 0;
    FILE *file = fopen(scratch.file, "r+b");
    assert_non_null(file);
    assert_int_equal(fstat(fileno(file), &info), 0);
    const uint32_t first = (uint32_t)(info.st_size / PAGE) + 1;
    fseek(file, (long)(root - 1) * PAGE, SEEK_SET);
    assert_int_equal(fread(page, 1, PAGE, file), PAGE);
    memcpy(leaf, page, PAGE);
    memmove(leaf, leaf + begin, 1000); /* head and pointers; the cells stay where they are */
    put_page(file, first, leaf);
    make_parent(page, begin, first + LEVELS - 1);
    put_page(file, root, page);
    for (uint32_t level = 1; level < LEVELS; level++) {
        make_parent(page, 0, first + level - 1);
        put_page(file, first + level, page);
    }
    put_number(page, first + LEVELS - 1); /* how many there are now */
    fseek(file, 28, SEEK_SET);
    assert_int_equal(fwrite(page, 1, 4, file), 4);
    assert_int_equal(fclose(file), 0);
}

static void check_endless(uint64_t most_runs, uint64_t most_letters)
{
    count c = {0};
    zilch_study *study = open_study(ZILCH_STUDY_READ);
    assert_int_equal(zilch_study_runs(study, count_run, &c), ZILCH_EFORMAT);
    assert_non_null(strstr(zilch_last_error(), "damaged"));
    assert_true(c.runs <= most_runs && c.letters <= most_letters);
    zilch_study_close(study);
}

static void test_pages_without_end(void **state)
{
    (void)state;
    struct stat info;
    static char text[1000];
    memset(text, 'x', sizeof text - 1);
    add_run("");
    make_endless("runs");
    assert_int_equal(stat(scratch.file, &info), 0);
    check_endless(1000 + (uint64_t)info.st_size / 4, 0); /* by the number of rows, */
    unlink(scratch.file);
    add_run(text);
    make_endless("runs");
    assert_int_equal(stat(scratch.file, &info), 0);
    check_endless(1000, (uint64_t)info.st_size); /* and by what they hold */
    unlink(scratch.file);
    add_run("");
    make_endless("sqlite_schema");
    for (int mode = ZILCH_STUDY_READ; mode <= ZILCH_STUDY_CREATE; mode++) {
        assert_int_equal(try_open((zilch_study_mode)mode), ZILCH_EFORMAT);
    }
}

/* A hole makes a file as large as anybody likes, and is no reason to read on. */
static void test_holes_do_not_count(void **state)
{
    (void)state;
    struct stat info;
    add_run("");
    make_endless("runs");
    assert_int_equal(stat(scratch.file, &info), 0);
    assert_int_equal(truncate(scratch.file, (off_t)400 * 1000 * 1000 * 1000), 0);
    check_endless(1000 + 64 * (uint64_t)info.st_size / 4, 0);
}

static void edit(const char *sql)
{
    sqlite3 *database;
    assert_int_equal(sqlite3_open(scratch.file, &database), SQLITE_OK);
    assert_int_equal(sqlite3_exec(database, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(database);
}

/* Numbers that no writer makes: they would be asked for again, in memory or in time. */
static void test_numbers_without_end(void **state)
{
    (void)state;
    count c = {0};
    size_t n;
    add_run("");
    edit("INSERT INTO handed VALUES (1, 1000000000)");
    zilch_study *study = open_study(ZILCH_STUDY_READ);
    assert_int_equal(zilch_study_waiting(study, 1, 0, NULL, NULL, &n), ZILCH_EFORMAT);
    assert_non_null(strstr(zilch_last_error(), "more points than can be"));
    zilch_study_close(study);
    edit("DELETE FROM handed; PRAGMA foreign_keys = OFF; UPDATE runs SET run = 9223372036854775807");
    study = open_study(ZILCH_STUDY_READ);
    assert_int_equal(zilch_study_runs(study, count_run, &c), ZILCH_EFORMAT);
    zilch_study_close(study);
    assert_int_equal(c.runs, 0);
}

#define STUDY_TEST(name) cmocka_unit_test_setup_teardown(name, make_all, remove_all)

int main(void)
{
    const struct CMUnitTest tests[] = {
        STUDY_TEST(test_links_pipes_and_folders_are_refused),
        STUDY_TEST(test_journal_names_another_file),
        STUDY_TEST(test_two_names),
        STUDY_TEST(test_readers_change_nothing),
        STUDY_TEST(test_reader_then_writer),
        STUDY_TEST(test_reader_is_overtaken),
        STUDY_TEST(test_pages_without_end),
        STUDY_TEST(test_holes_do_not_count),
        STUDY_TEST(test_numbers_without_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
