/* Disks that fail. Writes are refused at every byte and every call at every turn: what was there is as it
 * was, what went wrong is said, nothing is left behind, and the next attempt does it. And power fails after
 * every step, with what was not synced lost in several ways: a file is the old one or the new one, and a
 * study holds all that was said to be recorded.
 *
 * Every byte of models, networks, trainings, optimisers and files that are replaced; of studies every call,
 * and a full disk at each 512th byte. */
#include "disk_faults.h"
#include "faults.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static size_t entries(const char *folder)
{
    size_t count = 0;
    DIR *listing = opendir(folder);
    assert_non_null(listing);
    for (const struct dirent *entry = readdir(listing); entry; entry = readdir(listing)) {
        count += entry->d_name[0] != '.';
    }
    closedir(listing);
    return count;
}

typedef struct content {
    unsigned char bytes[1 << 18];
    size_t length;
    int is_there;
} content;

static void read_content(const char *path, content *out)
{
    FILE *file = fopen(path, "rb");
    out->is_there = file != NULL;
    out->length = file ? fread(out->bytes, 1, sizeof out->bytes, file) : 0;
    assert_true(out->length < sizeof out->bytes);
    if (file) {
        fclose(file);
    }
}

static void write_bytes(const char *path, const void *bytes, size_t length)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    fclose(file);
}

static int is_same(const content *a, const content *b)
{
    return a->is_there == b->is_there && a->length == b->length && memcmp(a->bytes, b->bytes, a->length) == 0;
}

static mode_t mode_of(const char *path)
{
    struct stat info;
    assert_int_equal(lstat(path, &info), 0);
    return info.st_mode & 0777;
}

/* ---- Objects to save ----------------------------------------------------------------------------------- */

static struct {
    zilch_model *model;
    zilch_networks *networks;
    zilch_trainer *trainer;
    zilch_optimizer *optimizer;
} objects;

static zilch_trainer *train_little(zilch_block block)
{
    zilch_examples_options examples_options = zilch_examples_defaults();
    zilch_training_options options = zilch_training_defaults(block);
    zilch_examples *examples;
    zilch_trainer *trainer;
    examples_options.count = 5;
    options.units = 8;
    options.batch = 2;
    OK(zilch_examples_create(&examples, &examples_options, 1, NULL, NULL));
    OK(zilch_trainer_create(&trainer, block, examples, &options));
    OK(zilch_trainer_epoch(trainer));
    zilch_examples_destroy(examples);
    return trainer;
}

static int make_objects(void **state)
{
    (void)state;
    static const double p[] = {0.5}, mu[] = {1.0}, sigma[] = {2.0};
    OK(zilch_model_create(&objects.model, 1, p, mu, sigma, NULL));
    OK(zilch_networks_create(&objects.networks));
    for (int block = 0; block < ZILCH_BLOCKS; block++) {
        zilch_trainer_destroy(objects.trainer);
        objects.trainer = train_little((zilch_block)block);
        OK(zilch_networks_put(objects.networks, objects.trainer));
    }
    objects.optimizer = small_optimizer(ZILCH_METHOD_DEFAULT, 2, 1);
    run_generations(objects.optimizer, 1);
    signal(SIGXFSZ, SIG_IGN);
    return 0;
}

static int drop_objects(void **state)
{
    (void)state;
    zilch_model_destroy(objects.model);
    zilch_networks_destroy(objects.networks);
    zilch_trainer_destroy(objects.trainer);
    zilch_optimizer_destroy(objects.optimizer);
    return 0;
}

static zilch_status save_model(const char *path)
{
    return zilch_model_save(objects.model, path);
}

static zilch_status save_networks(const char *path)
{
    return zilch_networks_save(objects.networks, path);
}

static zilch_status save_trainer(const char *path)
{
    return zilch_trainer_save(objects.trainer, path);
}

static zilch_status save_optimizer(const char *path)
{
    return zilch_optimizer_save(objects.optimizer, path);
}

/* Takes no notice of failing writes: the library must. Longer than a stream's buffer. */
static zilch_status write_words(void *context, FILE *stream)
{
    (void)context;
    for (int i = 0; i < 900; i++) {
        fprintf(stream, "word %d\n", i);
    }
    return ZILCH_OK;
}

static zilch_status replace_words(const char *path)
{
    return zilch_file_replace(path, write_words, NULL);
}

static const struct saver {
    const char *function;
    zilch_status (*save)(const char *path);
} savers[] = {{"zilch_model_save", save_model},
              {"zilch_networks_save", save_networks},
              {"zilch_trainer_save", save_trainer},
              {"zilch_optimizer_save", save_optimizer},
              {"zilch_file_replace", replace_words}};

/* What is there before a file is saved. */
enum { NOTHING, OLD_FILE, LINK, LINK_TO_NOTHING, BEFORES };

static char link_path[80];

/* The file is where the content is, whatever leads there; gives the path to save to. */
static const char *put_before(int before)
{
    unlink(scratch.file);
    unlink(link_path);
    if (before == OLD_FILE || before == LINK) {
        write_bytes(scratch.file, "what was there", 14);
        assert_int_equal(chmod(scratch.file, 0640), 0);
    }
    if (before == LINK || before == LINK_TO_NOTHING) {
        assert_int_equal(symlink("file", link_path), 0);
    }
    return before == LINK || before == LINK_TO_NOTHING ? link_path : scratch.file;
}

static size_t entries_before(int before)
{
    static const size_t count[] = {0, 1, 2, 1};
    return count[before];
}

static void check_refused(int before, zilch_status status, const content *old)
{
    static content now;
    assert_int_equal(status, ZILCH_EIO);
    const char *given = before == LINK || before == LINK_TO_NOTHING ? link_path : scratch.file;
    assert_ptr_equal(strstr(zilch_last_error(), given), zilch_last_error());
    read_content(scratch.file, &now);
    assert_true(is_same(&now, old));
    assert_int_equal(entries(scratch.folder), entries_before(before));
    assert_true(before != OLD_FILE || mode_of(scratch.file) == 0640);
}

static int make_both(void **state)
{
    const int code = make_folder(state);
    snprintf(link_path, sizeof link_path, "%s/link", scratch.folder);
    return code;
}

static int remove_both(void **state)
{
    unlink(link_path);
    return remove_folder(state);
}

/* ---- Every byte, every call ------------------------------------------------------------------------------
 */

static void limit_files(rlim_t bytes)
{
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = bytes == RLIM_INFINITY ? limit.rlim_max : bytes;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static size_t fill_up(const struct saver *saver, int before)
{
    static content whole, old, now;
    OK(saver->save(put_before(NOTHING)));
    read_content(scratch.file, &whole);
    for (size_t room = 0;; room++) {
        const char *path = put_before(before);
        read_content(scratch.file, &old);
        limit_files(room);
        const zilch_status status = saver->save(path);
        limit_files(RLIM_INFINITY);
        if (status == ZILCH_OK) {
            read_content(scratch.file, &now);
            assert_int_equal(room, whole.length);
            assert_true(is_same(&now, &whole));
            assert_int_equal(entries(scratch.folder), before == LINK || before == LINK_TO_NOTHING ? 2 : 1);
            return room;
        }
        check_refused(before, status, &old);
    }
}

static void every_byte_may_be_one_too_many(void **state)
{
    (void)state;
    size_t bytes = 0;
    for (size_t i = 0; i < COUNT(savers); i++) {
        size_t length = 0;
        for (int before = 0; before < BEFORES; before++) {
            length = fill_up(&savers[i], before);
            bytes += length;
        }
        print_message("    %-22s %zu bytes\n", savers[i].function, length);
    }
    print_message("    %zu bytes refused\n", bytes);
    limit_files(RLIM_INFINITY);
}

/* A call that fails after the new file is in place changes nothing any more. */
static int fail_once(const struct saver *saver, int before, size_t k, int error, int is_lasting)
{
    static content old, now, whole;
    OK(saver->save(put_before(NOTHING)));
    read_content(scratch.file, &whole);
    const char *path = put_before(before);
    read_content(scratch.file, &old);
    disk_fail(DISK_OPEN | DISK_SYNC | DISK_RENAME | DISK_MODE, k, error, is_lasting);
    const zilch_status status = saver->save(path);
    const int is_hit = disk_well(NULL) >= k;
    if (status == ZILCH_OK) {
        read_content(scratch.file, &now);
        assert_true(is_same(&now, &whole));
    } else {
        assert_true(is_hit);
        check_refused(before, status, &old);
        assert_non_null(strstr(zilch_last_error(), strerror(error)));
        OK(saver->save(path));
    }
    return is_hit;
}

static void every_call_may_fail(void **state)
{
    (void)state;
    static const int errors[] = {EIO, ENOSPC, EACCES, EMFILE};
    size_t count = 0;
    disk_watch(scratch.folder, 0);
    for (size_t i = 0; i < COUNT(savers); i++) {
        for (int way = 0; way < 2 * BEFORES; way++) {
            for (size_t e = 0; e < COUNT(errors); e++) {
                size_t k = 1;
                while (fail_once(&savers[i], way / 2, k, errors[e], way % 2)) {
                    k++;
                }
                count += k - 1;
                assert_true(k > 4);
            }
        }
    }
    disk_forget();
    print_message("    %zu calls refused\n", count);
}

/* ---- The order of things ---------------------------------------------------------------------------------
 */

static int is_temporary(const char *name)
{
    const size_t length = strlen(name);
    return strncmp(name, "file.", 5) == 0 && length > 4 && strcmp(name + length - 4, ".tmp") == 0;
}

/* The next event, which must be of this kind and on this file: "" for the folder, "*" for the temporary one.
 */
static const disk_event *expect_event(const disk_event **next, disk_kind kind, const char *name)
{
    const disk_event *event = (*next)++;
    assert_int_equal(event->kind, kind);
    if (*name == '*') {
        assert_true(is_temporary(event->name));
    } else {
        assert_string_equal(event->name, name);
    }
    return event;
}

/* Made beside it, all of it synced, renamed, and the folder synced; and in that order. */
static void a_file_is_on_the_disk_before_it_has_its_name(void **state)
{
    (void)state;
    static content now;
    for (size_t i = 0; i < 2 * COUNT(savers); i++) {
        const int is_old = i % 2;
        put_before(is_old ? OLD_FILE : NOTHING);
        disk_watch(scratch.folder, 1);
        OK(savers[i / 2].save(scratch.file));
        const disk_event *next;
        const size_t count = disk_events(&next);
        const disk_event *end = next + count;
        const disk_event *opening = expect_event(&next, DISK_OPEN, "*");
        assert_true(opening->is_new && (opening->flags & O_EXCL) && (opening->flags & O_CREAT));
        if (is_old) {
            assert_int_equal(expect_event(&next, DISK_MODE, "*")->mode, 0640);
        }
        const disk_event *sync = expect_event(&next, DISK_SYNC, "*");
        read_content(scratch.file, &now);
        assert_int_equal(sync->length, now.length); /* nothing was written after it */
        assert_memory_equal(sync->bytes, now.bytes, now.length);
        const disk_event *renaming = expect_event(&next, DISK_RENAME, "*");
        assert_string_equal(renaming->name, sync->name);
        assert_string_equal(renaming->new_name, "file");
        expect_event(&next, DISK_OPEN, "");
        expect_event(&next, DISK_SYNC, "");
        assert_ptr_equal(next, end);
        disk_forget();
    }
}

/* ---- Modes and names
 * --------------------------------------------------------------------------------------- */

/* A new file has the mode that the process gives new files; of an old one it is kept, and the temporary file
 * is never open to anybody that the old one was not open to. */
static void modes_are_kept(void **state)
{
    (void)state;
    static const mode_t masks[] = {022, 002, 077, 0}, modes[] = {0600, 0400, 0640, 0644, 0666, 0604, 0444};
    for (size_t m = 0; m < COUNT(masks); m++) {
        const mode_t before = umask(masks[m]);
        put_before(NOTHING);
        OK(save_model(scratch.file));
        assert_int_equal(mode_of(scratch.file), 0666 & ~masks[m]);
        for (size_t i = 0; i < COUNT(modes); i++) {
            assert_int_equal(chmod(scratch.file, modes[i]), 0);
            const disk_event *next;
            disk_watch(scratch.folder, 0);
            OK(save_model(scratch.file));
            (void)disk_events(&next);
            const disk_event *opening = expect_event(&next, DISK_OPEN, "*");
            assert_int_equal(opening->mode & ~(modes[i] & 0700), 0);
            assert_int_equal(mode_of(scratch.file), modes[i]);
            disk_forget();
        }
        umask(before);
    }
}

/* A file of another group stays one; if it cannot, ours is given no more than everybody had. */
static void groups_are_kept(void **state)
{
    (void)state;
    enum { OWNER = 12345, GROUP = 23456 };
    struct stat info;
    put_before(OLD_FILE);
    if (chown(scratch.file, OWNER, GROUP) != 0) {
        print_message("    not root: skipped\n");
        return;
    }
    OK(save_model(scratch.file));
    assert_int_equal(stat(scratch.file, &info), 0);
    assert_int_equal(info.st_uid, OWNER);
    assert_int_equal(info.st_gid, GROUP);
    assert_int_equal(info.st_mode & 0777, 0640);
    assert_int_equal(chmod(scratch.file, 0664), 0);
    disk_watch(scratch.folder, 0);
    disk_fail(DISK_OWNER, 1, EPERM, 1);
    OK(save_model(scratch.file));
    disk_well(NULL);
    disk_forget();
    assert_int_equal(stat(scratch.file, &info), 0);
    assert_int_equal(info.st_uid, geteuid());
    assert_int_equal(info.st_mode & 0777, 0644);
}

/* Whoever guesses the temporary file's name gets nothing written through a link of that name. */
static void planted_links_are_not_followed(void **state)
{
    (void)state;
    static content victim, expected;
    char path[120], link[120];
    snprintf(path, sizeof path, "%s/victim", scratch.folder);
    write_bytes(path, "precious", 8);
    read_content(path, &expected);
    put_before(OLD_FILE);
    for (unsigned planted = 0; planted < 100; planted++) {
        snprintf(link, sizeof link, "%s.%ld-%u.tmp", scratch.file, (long)getpid(), planted);
        assert_int_equal(symlink(planted % 2 ? "victim" : "nowhere", link), 0);
        if (planted < 3) {
            OK(save_model(scratch.file));
            assert_true(!S_ISLNK(mode_of(scratch.file)));
        }
    }
    assert_int_equal(save_model(scratch.file), ZILCH_EIO); /* all names are taken */
    read_content(path, &victim);
    assert_true(is_same(&victim, &expected));
    snprintf(link, sizeof link, "%s/nowhere", scratch.folder);
    assert_int_not_equal(access(link, F_OK), 0);
    assert_int_equal(entries(scratch.folder), 102);
    for (unsigned planted = 0; planted < 100; planted++) {
        snprintf(link, sizeof link, "%s.%ld-%u.tmp", scratch.file, (long)getpid(), planted);
        assert_int_equal(unlink(link), 0);
    }
    unlink(path);
}

/* What SQLite puts beside a study is as open as the study, and no more at any moment. */
static void files_beside_a_study_have_its_mode(void **state)
{
    (void)state;
    static const mode_t modes[] = {0600, 0640, 0666, 0604}, masks[] = {022, 077, 0};
    for (size_t i = 0; i < COUNT(modes) * COUNT(masks); i++) {
        const mode_t mode = modes[i % COUNT(modes)];
        char path[100];
        uint64_t run;
        zilch_study *study;
        const mode_t before = umask(masks[i / COUNT(modes)]);
        OK(zilch_study_open(&study, scratch.file, ZILCH_STUDY_CREATE));
        zilch_study_close(study);
        assert_int_equal(mode_of(scratch.file), 0666 & ~masks[i / COUNT(modes)]);
        assert_int_equal(chmod(scratch.file, mode), 0);
        disk_watch(scratch.folder, 0);
        OK(zilch_study_open(&study, scratch.file, ZILCH_STUDY_WRITE));
        zilch_optimizer *o = small_optimizer(ZILCH_METHOD_DEFAULT, 2, 1);
        OK(zilch_study_start(study, NULL, o, &run));
        snprintf(path, sizeof path, "%s-wal", scratch.file);
        assert_int_equal(mode_of(path), mode);
        snprintf(path, sizeof path, "%s-shm", scratch.file);
        assert_int_equal(mode_of(path), mode);
        zilch_study_close(study);
        zilch_optimizer_destroy(o);
        umask(before);
        const disk_event *event;
        for (size_t left = disk_events(&event); left > 0; left--, event++) {
            assert_true(event->kind != DISK_OPEN || !event->is_new || (event->mode & ~mode) == 0);
        }
        disk_forget();
        unlink(scratch.file);
    }
}

/* ---- Studies: every call, every 512 bytes
 * ------------------------------------------------------------------ */

static const char *study_path;
static char study_folder[64], other_path[80];

static void path_of(char *out, size_t size, const char *path, const char *suffix)
{
    snprintf(out, size, "%s%s", path, suffix);
}

/* As if the process had been killed now: the sum over what is found then. */
static uint64_t sum_after_kill(void)
{
    static const char *const suffixes[] = {"", "-wal", "-journal"};
    static content file;
    char path[100];
    for (size_t i = 0; i < COUNT(suffixes); i++) {
        path_of(path, sizeof path, study_path, suffixes[i]);
        read_content(path, &file);
        path_of(path, sizeof path, other_path, suffixes[i]);
        unlink(path);
        if (file.is_there) {
            write_bytes(path, file.bytes, file.length);
        }
    }
    const uint64_t sum = study_sum(other_path);
    unlink(other_path);
    return sum;
}

/* What a call starts from and comes to, as sums over the study; and what it gives. */
typedef struct course {
    const fault_call *call;
    uint64_t before, after, expected;
} course;

static course course_of(const fault_call *call)
{
    course c = {.call = call};
    object made;
    call->prepare();
    c.before = access(study_path, F_OK) == 0 ? study_sum(study_path) : 0;
    OK(call->run(&made));
    c.expected = call->finish(made);
    c.after = study_sum(study_path);
    return c;
}

static size_t refusals; /* calls that said so */

/* After disk_fail() or disk_fill(); whether the call came to the fault is for the caller to know. */
static void run_on_bad_disk(const course *c, const char *what, size_t k)
{
    const fault_call *call = c->call;
    object made = {.any = NULL};
    zilch_status status = call->run(&made);
    disk_well(NULL);
    if (status != ZILCH_OK) {
        if (status != ZILCH_EIO || strstr(zilch_last_error(), study_path) != zilch_last_error()) {
            fail_msg("%s, %s, %s %zu: %d, %s", call->function, call->variant, what, k, (int)status,
                     zilch_last_error());
        }
        assert_null(made.any);
        refusals++;
        const uint64_t killed = sum_after_kill();
        assert_true(killed == c->before || killed == c->after);
        if (c->before) {
            assert_int_equal(study_sum(study_path), c->before);
            assert_true(study_is_free(study_path));
        }
        status = call->run(&made);
    }
    if (status != ZILCH_OK || call->finish(made) != c->expected) {
        fail_msg("%s, %s, %s %zu: in the end %s", call->function, call->variant, what, k,
                 status == ZILCH_OK ? "another result" : zilch_last_error());
    }
    assert_int_equal(study_sum(study_path), c->after);
    assert_int_equal(entries(study_folder), 1);
}

static size_t fail_calls(const course *c, int kind, int error, int is_lasting)
{
    size_t k = 0;
    int is_hit = 1;
    while (is_hit) {
        c->call->prepare();
        disk_fail(kind, ++k, error, is_lasting);
        run_on_bad_disk(c, kind == DISK_WRITE ? "write" : "call", k);
        is_hit = disk_well(NULL) >= k;
    }
    return k - 1;
}

static size_t fill_disk(const course *c)
{
    enum { STEP = 512 };
    size_t room = 0, written = 0;
    do {
        c->call->prepare();
        disk_fill(room);
        run_on_bad_disk(c, "room", room);
        (void)disk_well(&written);
        room += STEP;
    } while (written + STEP >= room);
    return room / STEP;
}

static void studies_survive_bad_disks(void **state)
{
    (void)state;
    static const struct {
        int kind, error;
    } faults[] = {{DISK_WRITE, ENOSPC}, {DISK_WRITE, EIO},   {DISK_SYNC, EIO},
                  {DISK_TRUNCATE, EIO}, {DISK_OPEN, EMFILE}, {DISK_OPEN, EACCES}};
    size_t calls = 0, fills = 0;
    study_path = study_scene_make();
    snprintf(study_folder, sizeof study_folder, "%.*s", (int)(strrchr(study_path, '/') - study_path),
             study_path);
    snprintf(other_path, sizeof other_path, "%s/other", scratch.folder);
    disk_watch(study_folder, 0);
    disk_forget();
    for (size_t i = 0; i < study_call_count; i++) {
        const course c = course_of(&study_calls[i]);
        size_t count = 0;
        for (size_t f = 0; f < 2 * COUNT(faults); f++) {
            count += fail_calls(&c, faults[f / 2].kind, faults[f / 2].error, f % 2);
        }
        const size_t filled = fill_disk(&c);
        print_message("    %-24s %-13s %4zu calls, %4zu full disks\n", c.call->function, c.call->variant,
                      count, filled);
        calls += count;
        fills += filled;
    }
    print_message("    %zu calls refused, %zu full disks; %zu times it was said\n", calls, fills, refusals);
    assert_true(refusals > 500);
    study_scene_drop();
}

/* ---- Studies: power fails
 * -------------------------------------------------------------------------------------
 */

/* A file as a disk has it: what was synced, and what was written since. Names are another matter: which file
 * one leads to is on the disk when the folder was synced. */
enum { INODES_MOST = 64, NAMES_MOST = 8, PENDING_MOST = 4096 };

typedef struct inode {
    unsigned char *bytes;
    size_t length;
    const disk_event *pending[PENDING_MOST];
    size_t pending_count;
} inode;

static struct {
    inode node[INODES_MOST];
    size_t node_count;
    char name[NAMES_MOST][64];
    int now[NAMES_MOST], durable[NAMES_MOST]; /* numbers of inodes; -1: no such file */
    size_t name_count;
} disk;

static void apply(inode *node, const disk_event *event, size_t length)
{
    const size_t end = event->kind == DISK_WRITE ? (size_t)event->offset + length : (size_t)event->offset;
    if (end > node->length || event->kind == DISK_TRUNCATE) {
        node->bytes = realloc(node->bytes, end + 1);
        assert_non_null(node->bytes);
        memset(node->bytes + (end > node->length ? node->length : end), 0,
               end > node->length ? end - node->length : 0);
        node->length = end;
    }
    if (event->kind == DISK_WRITE) {
        memcpy(node->bytes + event->offset, event->bytes, length);
    }
}

static size_t find_name(const char *name)
{
    for (size_t i = 0; i < disk.name_count; i++) {
        if (strcmp(disk.name[i], name) == 0) {
            return i;
        }
    }
    assert_true(disk.name_count < NAMES_MOST);
    snprintf(disk.name[disk.name_count], sizeof *disk.name, "%s", name);
    disk.now[disk.name_count] = disk.durable[disk.name_count] = -1;
    return disk.name_count++;
}

static void sync_inode(inode *node)
{
    for (size_t i = 0; i < node->pending_count; i++) {
        apply(node, node->pending[i], node->pending[i]->length);
    }
    node->pending_count = 0;
}

/* The index of the log is made anew by whoever comes first: it is not looked at. */
static void happen(const disk_event *event)
{
    const size_t length = strlen(event->name);
    if (event->kind == DISK_MARK || (length > 4 && strcmp(event->name + length - 4, "-shm") == 0)) {
        return;
    }
    if (!*event->name) {
        memcpy(disk.durable, disk.now, event->kind == DISK_SYNC ? sizeof disk.now : 0);
        return;
    }
    const size_t name = find_name(event->name);
    if (event->kind == DISK_OPEN && event->is_new) {
        assert_true(disk.node_count < INODES_MOST);
        disk.now[name] = (int)disk.node_count++;
    } else if (event->kind == DISK_UNLINK) {
        disk.now[name] = -1;
    } else if (event->kind == DISK_SYNC) {
        sync_inode(&disk.node[disk.now[name]]);
    } else if (event->kind == DISK_WRITE || event->kind == DISK_TRUNCATE) {
        inode *node = &disk.node[disk.now[name]];
        assert_true(node->pending_count < PENDING_MOST);
        node->pending[node->pending_count++] = event;
    }
}

static void clear_disk(void)
{
    for (size_t i = 0; i < disk.node_count; i++) {
        free(disk.node[i].bytes);
    }
    memset(&disk, 0, sizeof disk);
}

/* What becomes of writes that were not synced: none, all, all but the last, the last alone, or all with the
 * last one torn; and each with names as they were at the last sync of the folder, or as they are. */
enum { LOST, KEPT, LAST_LOST, LAST_KEPT, TORN, FATES, WAYS = 2 * FATES };

static int is_kept(size_t i, size_t count, int fate)
{
    const int is_last = i + 1 == count;
    return fate == KEPT || fate == TORN || (fate == LAST_LOST && !is_last) || (fate == LAST_KEPT && is_last);
}

/* The file after the power has failed. */
static void settle(const inode *node, int fate, inode *out)
{
    *out = (inode){.length = node->length, .bytes = malloc(node->length + 1)};
    assert_non_null(out->bytes);
    memcpy(out->bytes, node->bytes ? node->bytes : (unsigned char *)"", node->length);
    for (size_t i = 0; i < node->pending_count; i++) {
        const disk_event *event = node->pending[i];
        const int is_torn = fate == TORN && i + 1 == node->pending_count && event->kind == DISK_WRITE;
        if (is_kept(i, node->pending_count, fate)) {
            apply(out, event, is_torn ? event->length / 2 : event->length);
        }
    }
}

/* Puts the files of a disk whose power has failed into the folder; a sum over them, and whether the study is
 * there. */
static uint64_t put_disk(int way, int *is_there)
{
    uint64_t sum = 1;
    *is_there = 0;
    for (size_t i = 0; i < disk.name_count; i++) {
        char path[160];
        const int number = way / FATES ? disk.now[i] : disk.durable[i];
        snprintf(path, sizeof path, "%s/%s", scratch.folder, disk.name[i]);
        unlink(path);
        if (number >= 0) {
            inode node;
            settle(&disk.node[number], way % FATES, &node);
            write_bytes(path, node.bytes, node.length);
            sum = sum_of(sum_of(sum, disk.name[i], strlen(disk.name[i]) + 1), node.bytes, node.length);
            *is_there |= strcmp(disk.name[i], "file") == 0;
            free(node.bytes);
        }
    }
    return sum;
}

enum { STEPS_MOST = 32 };

static struct {
    uint64_t sum[STEPS_MOST]; /* over the study, after each step that was said to be done */
    uint64_t generations[STEPS_MOST];
    size_t count;
} steps;

/* A step is done: nothing may take it back. */
static void step_done(uint64_t generations)
{
    assert_true(steps.count < STEPS_MOST);
    steps.generations[steps.count] = generations;
    disk_mark((off_t)steps.count++);
}

static void record_some(zilch_study *study, zilch_optimizer *o, int count)
{
    for (int g = 0; g < count; g++) {
        run_generations(o, 1);
        OK(zilch_study_record(study, 1, o, NULL));
        step_done(zilch_optimizer_progress(o).generations);
    }
}

static void take_a_turn(zilch_study *study, zilch_optimizer *o)
{
    uint64_t id[12];
    double x[24], value[12];
    size_t count;
    int is_closed;
    OK(zilch_study_ask(study, 1, 12, 0, id, x, &count));
    step_done(zilch_optimizer_progress(o).generations);
    for (size_t i = 0; i < count; i++) {
        value[i] = noisy_value(2, id[i], x + 2 * i);
    }
    OK(zilch_study_tell(study, 1, 5, id, value, NULL, NULL));
    step_done(zilch_optimizer_progress(o).generations);
    OK(zilch_study_tell(study, 1, count - 5, id + 5, value + 5, NULL, &is_closed));
    assert_true(is_closed);
    step_done(zilch_optimizer_progress(o).generations + 1);
}

/* Made, used, closed, opened again, by hand too; long enough for the log to go into the file on the way. */
static void lead_a_life(const char *path)
{
    zilch_study *study;
    zilch_optimizer *o = small_optimizer(ZILCH_METHOD_DEFAULT, 2, 1);
    uint64_t run;
    OK(zilch_study_open(&study, path, ZILCH_STUDY_CREATE));
    step_done(0);
    OK(zilch_study_start(study, NULL, o, &run));
    step_done(0);
    record_some(study, o, 3);
    zilch_study_close(study);
    step_done(3);
    OK(zilch_study_open(&study, path, ZILCH_STUDY_WRITE));
    step_done(3);
    record_some(study, o, 2);
    OK(zilch_study_conclude(study, 1, &(zilch_conclusion){.stop = ZILCH_STOP_TARGET}, NULL));
    step_done(5);
    take_a_turn(study, o);
    zilch_study_close(study);
    step_done(6);
    zilch_optimizer_destroy(o);
}

/* The study as it is found: of the last step that was done, or of the one that was under way. */
static void check_found(size_t done, int is_there, size_t cut, int way)
{
    char path[100];
    uint64_t found = 0;
    zilch_study *study;
    zilch_optimizer *o = NULL;
    if (done == 0) { /* it was just being made: there may be nothing yet */
        OK(zilch_study_open(&study, scratch.file, ZILCH_STUDY_CREATE));
        zilch_study_close(study);
        return;
    }
    found = is_there ? study_sum(scratch.file) : 0;
    const size_t under_way = done < steps.count ? done : done - 1;
    if (found != steps.sum[done - 1] && found != steps.sum[under_way]) {
        fail_msg("step %zu, cut after event %zu, way %d: %s", done, cut, way, found ? "another" : "lost");
    }
    OK(zilch_study_open(&study, scratch.file, ZILCH_STUDY_WRITE));
    if (done > 1) {
        OK(zilch_study_resume(study, 1, &o));
        const uint64_t generations = zilch_optimizer_progress(o).generations;
        assert_true(generations == steps.generations[done - 1] ||
                    generations == steps.generations[under_way]);
        zilch_optimizer_destroy(o);
    }
    zilch_study_close(study);
    snprintf(path, sizeof path, "%s-wal", scratch.file);
    assert_int_not_equal(access(path, F_OK), 0);
}

/* What the study says after each step, if all that was written is there. */
static void sum_steps(const disk_event *event, size_t count)
{
    int is_there;
    for (size_t i = 0; i < count; i++) {
        happen(&event[i]);
        if (event[i].kind == DISK_MARK) {
            (void)put_disk(FATES + KEPT, &is_there);
            steps.sum[event[i].offset] = study_sum(scratch.file);
            assert_true(steps.sum[event[i].offset] != 0);
        }
    }
    clear_disk();
}

static void studies_survive_power_failures(void **state)
{
    (void)state;
    const disk_event *event;
    size_t done = 0, syncs = 0, tried = 0, different = 0;
    uint64_t last = 0;
    memset(&steps, 0, sizeof steps);
    disk_watch(scratch.folder, 1);
    lead_a_life(scratch.file);
    const size_t count = disk_events(&event);
    unlink(scratch.file);
    sum_steps(event, count);
    for (size_t cut = 0; cut < count; cut++) {
        happen(&event[cut]);
        done = event[cut].kind == DISK_MARK ? (size_t)event[cut].offset + 1 : done;
        syncs += event[cut].kind == DISK_SYNC;
        for (int way = 0; way < WAYS; way++) {
            int is_there;
            const uint64_t sum = put_disk(way, &is_there) ^ done;
            tried++;
            if (sum != last) { /* often nothing is pending, and all ways are one */
                check_found(done, is_there, cut, way);
                different++;
            }
            last = sum;
        }
    }
    assert_int_equal(done, steps.count);
    print_message("    %zu events, %zu of them syncs, %zu steps; %zu power failures, %zu of them different\n",
                  count, syncs, steps.count, tried, different);
    clear_disk();
    disk_forget();
    unlink(scratch.file);
}

#define DISK_TEST(name) cmocka_unit_test_setup_teardown(name, make_both, remove_both)

int main(void)
{
    const struct CMUnitTest tests[] = {
        DISK_TEST(every_byte_may_be_one_too_many),
        DISK_TEST(every_call_may_fail),
        DISK_TEST(a_file_is_on_the_disk_before_it_has_its_name),
        DISK_TEST(modes_are_kept),
        DISK_TEST(groups_are_kept),
        DISK_TEST(planted_links_are_not_followed),
        DISK_TEST(files_beside_a_study_have_its_mode),
        DISK_TEST(studies_survive_bad_disks),
        DISK_TEST(studies_survive_power_failures),
    };
    return cmocka_run_group_tests_name("faults_disk", tests, make_objects, drop_objects);
}
