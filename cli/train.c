/* Training that may be interrupted. A job trains one block, epoch by epoch, and shares nothing with
 * the others but the live line and the wish to stop; so threads change nothing in the result. Parts
 * are written before the first epoch too: a folder that cannot be written is noticed at once. */
#include "train.h"

#include "cli.h"
#include "progress.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static const double save_seconds = 10; /* between two writings of a part, at least */

/* One block's training. */
typedef struct part {
    zilch_block block;
    char *path;
    zilch_trainer *trainer;
    zilch_training_report report; /* of the last epoch done; guarded by the training's lock */
    int is_running;               /* as well */
    int has_failed;
    int is_new;     /* there was no file at the beginning */
    uint64_t kept;  /* the epoch that is in the file */
    double kept_at; /* when it was written */
} part;

typedef struct training {
    const train_setting *setting;
    part part[ZILCH_BLOCKS];
    size_t parts;
    progress line;
    pthread_mutex_t lock;
    atomic_int is_ending; /* one part has failed, so the others shall stop */
} training;

/* ---- Before anything that takes long ------------------------------------------------- */

/* To be freed; NULL without memory. */
static char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
}

static int check_folder(const char *path)
{
    char *folder = folder_of(path);
    if (!folder) {
        return cli_fail("out of memory");
    }
    const int failed = access(folder, W_OK | X_OK) != 0;
    const int reason = errno;
    free(folder);
    return failed ? cli_fail("%s: cannot write into its folder: %s", path, strerror(reason)) : 0;
}

/* A file that is there is replaced, so it must be weights. */
static int check_output(const char *path)
{
    struct stat info;
    if (stat(path, &info) != 0) {
        return check_folder(path);
    }
    if (!S_ISREG(info.st_mode)) {
        return cli_fail("%s: not a regular file, which weights and their parts need", path);
    }
    zilch_networks *old;
    if (zilch_networks_load(&old, path) != ZILCH_OK) {
        return cli_fail("%s; it is left as it is: give another name, or remove it", zilch_last_error());
    }
    zilch_networks_destroy(old);
    return check_folder(path);
}

static char *part_path(const char *weights, zilch_block block)
{
    const char *name = zilch_block_name(block);
    const size_t size = strlen(weights) + strlen(name) + sizeof "..part";
    char *path = malloc(size);
    if (path) {
        snprintf(path, size, "%s.%s.part", weights, name);
    }
    return path;
}

/* ---- Examples ------------------------------------------------------------------------- */

static int watch_examples(void *context, size_t done, size_t total)
{
    (void)total;
    progress_update(context, done);
    return cli_is_stopped();
}

static int make_examples(const train_setting *s, zilch_examples **out)
{
    progress line;
    progress_begin(&line, "train", "examples", s->examples.count);
    const zilch_status status =
        zilch_examples_create(out, &s->examples, (unsigned)s->threads, watch_examples, &line);
    progress_end(&line);
    return status == ZILCH_OK         ? 0
           : status == ZILCH_ESTOPPED ? cli_fail("stopped; the same command makes the examples again")
                                      : cli_fail_library();
}

/* ---- Parts ------------------------------------------------------------------------------ */

static uint64_t epochs_of(const training *t, const part *p)
{
    return t->setting->options[p->block].epochs;
}

static zilch_status keep(part *p)
{
    const zilch_status status = zilch_trainer_save(p->trainer, p->path);
    if (status == ZILCH_OK) {
        p->kept = zilch_trainer_report(p->trainer).epoch;
        p->kept_at = cli_seconds();
    }
    return status;
}

/* Behind the library's reason, what can be done. */
static const char *remedy(zilch_status status)
{
    return status == ZILCH_EARG ? "; give the same options, or remove the file to begin anew"
           : status == ZILCH_EFORMAT || status == ZILCH_EVERSION ? "; remove the file to begin anew"
                                                                 : "";
}

static int fail_part(zilch_status status)
{
    return cli_fail("%s%s", zilch_last_error(), remedy(status));
}

/* Where its part is, and if there is one, whether it is of this training. */
static int find_part(const training *t, part *p)
{
    const train_setting *s = t->setting;
    p->path = part_path(s->weights, p->block);
    if (!p->path) {
        return cli_fail("out of memory");
    }
    p->is_new = access(p->path, F_OK) != 0;
    const zilch_status status =
        p->is_new ? ZILCH_OK : zilch_trainer_check(p->path, p->block, &s->examples, &s->options[p->block]);
    return status == ZILCH_OK ? 0 : fail_part(status);
}

/* A trainer, in the state of its part if there is one. */
static int open_part(const training *t, const zilch_examples *examples, part *p)
{
    if (zilch_trainer_create(&p->trainer, p->block, examples, &t->setting->options[p->block]) != ZILCH_OK) {
        return cli_fail_library();
    }
    const zilch_status status = p->is_new ? ZILCH_OK : zilch_trainer_load(p->trainer, p->path);
    if (status != ZILCH_OK) {
        return fail_part(status);
    }
    p->report = zilch_trainer_report(p->trainer);
    p->kept = p->report.epoch;
    p->kept_at = cli_seconds();
    return 0;
}

/* The files of new parts; all of them, or none. */
static int begin_parts(training *t)
{
    for (size_t i = 0; i < t->parts; i++) {
        if (t->part[i].is_new && keep(&t->part[i]) != ZILCH_OK) {
            const int failed = cli_fail_library();
            while (i-- > 0) {
                if (t->part[i].is_new) {
                    unlink(t->part[i].path);
                }
            }
            return failed;
        }
    }
    return 0;
}

static void say_where_it_goes_on(const training *t)
{
    for (size_t i = 0; i < t->parts; i++) {
        const part *p = &t->part[i];
        const char *name = zilch_block_name(p->block);
        if (!p->is_new && p->report.epoch == epochs_of(t, p)) {
            fprintf(stderr, "zilch train: %s has had all its epochs\n", name);
        } else if (!p->is_new) {
            fprintf(stderr, "zilch train: %s goes on from epoch %llu\n", name,
                    (unsigned long long)p->report.epoch);
        }
    }
}

static int prepare(training *t)
{
    zilch_examples *examples;
    int status = 0;
    for (size_t i = 0; i < t->parts && !status; i++) {
        status = find_part(t, &t->part[i]);
    }
    if (!status) {
        status = make_examples(t->setting, &examples);
    }
    if (status) {
        return status;
    }
    for (size_t i = 0; i < t->parts && !status; i++) {
        status = open_part(t, examples, &t->part[i]);
    }
    zilch_examples_destroy(examples); /* the trainers have their copies */
    if (!status) {
        status = begin_parts(t);
    }
    if (!status) {
        say_where_it_goes_on(t);
    }
    return status;
}

/* ---- Training ---------------------------------------------------------------------------- */

/* Epochs one after the other until all is done: those of the longest part, or of all shared among the
 * threads. */
static size_t epochs_left(const training *t)
{
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    const size_t threads = t->setting->threads ? (size_t)t->setting->threads
                           : processors > 0    ? (size_t)processors
                                               : 1;
    size_t sum = 0;
    size_t longest = 0;
    for (size_t i = 0; i < t->parts; i++) {
        const size_t left = (size_t)(epochs_of(t, &t->part[i]) - t->part[i].report.epoch);
        sum += left;
        longest = left > longest ? left : longest;
    }
    const size_t shared = (sum + threads - 1) / threads;
    return longest > shared ? longest : shared;
}

/* "mm 120/1200: 1.23e-03 1.25e-03; vm 7/250: ...": training and validation error of what is running. */
static void note_running(const training *t, char *out, size_t size)
{
    size_t used = 0;
    *out = '\0';
    for (size_t i = 0; i < t->parts && used < size; i++) {
        const part *p = &t->part[i];
        if (p->is_running) {
            used += (size_t)snprintf(out + used, size - used, "%s%s %llu/%llu: %.2e %.2e", used ? "; " : "",
                                     zilch_block_name(p->block), (unsigned long long)p->report.epoch,
                                     (unsigned long long)epochs_of(t, p), p->report.training_error,
                                     p->report.validation_error);
        }
    }
}

/* For the live line: how far this part is. */
static void show(training *t, part *p, int is_running)
{
    char note[sizeof t->line.note];
    pthread_mutex_lock(&t->lock);
    p->report = zilch_trainer_report(p->trainer);
    p->is_running = is_running;
    const size_t done = t->line.total - epochs_left(t);
    note_running(t, note, sizeof note);
    progress_note(&t->line, note);
    pthread_mutex_unlock(&t->lock);
    progress_update(&t->line, done);
}

static zilch_status train_epochs(training *t, part *p)
{
    const uint64_t epochs = epochs_of(t, p);
    zilch_status status = ZILCH_OK;
    while (status == ZILCH_OK && zilch_trainer_report(p->trainer).epoch < epochs && !cli_is_stopped() &&
           !atomic_load(&t->is_ending)) {
        status = zilch_trainer_epoch(p->trainer);
        show(t, p, 1);
        if (status == ZILCH_OK && cli_seconds() - p->kept_at >= save_seconds) {
            status = keep(p);
        }
    }
    if (status == ZILCH_OK && zilch_trainer_report(p->trainer).epoch > p->kept) {
        status = keep(p);
    }
    return status;
}

/* One that is stopped, or stops because another failed, has not failed itself. */
static zilch_status train_part(void *context, size_t index)
{
    training *t = context;
    part *p = &t->part[index];
    const zilch_status status = train_epochs(t, p);
    show(t, p, 0);
    if (status != ZILCH_OK) {
        p->has_failed = 1;
        atomic_store(&t->is_ending, 1);
    }
    if (status == ZILCH_ENUMERIC) {
        unlink(p->path); /* the same options lead to the same end, others cannot go on from here */
    }
    return status;
}

/* The library's reason is that of the first part that failed. */
static int say_what_failed(const training *t)
{
    for (size_t i = 0; i < t->parts; i++) {
        if (t->part[i].has_failed) {
            return cli_fail("%s: %s", zilch_block_name(t->part[i].block), zilch_last_error());
        }
    }
    return cli_fail_library();
}

static int train(training *t)
{
    progress_begin(&t->line, "train", "epochs", epochs_left(t));
    pthread_mutex_init(&t->lock, NULL);
    const zilch_status status = zilch_parallel((unsigned)t->setting->threads, t->parts, train_part, t);
    pthread_mutex_destroy(&t->lock);
    progress_end(&t->line);
    if (status != ZILCH_OK) {
        return say_what_failed(t);
    }
    return cli_is_stopped() ? cli_fail("stopped; the same command goes on from here") : 0;
}

/* ---- The weights --------------------------------------------------------------------------- */

/* Nobody else trains into this folder until it is closed; -1 if that cannot be had, which is no reason
 * to lose a training. */
static int lock_folder(const char *path)
{
    char *folder = folder_of(path);
    const int file = folder ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    free(folder);
    if (file >= 0) {
        (void)flock(file, LOCK_EX);
    }
    return file;
}

/* The others are read now, not at the beginning: another training may have ended since. */
static zilch_status write_weights(const training *t, zilch_networks **out)
{
    const char *path = t->setting->weights;
    zilch_status status =
        access(path, F_OK) == 0 ? zilch_networks_load(out, path) : zilch_networks_create(out);
    for (size_t i = 0; i < t->parts && status == ZILCH_OK; i++) {
        status = zilch_networks_put(*out, t->part[i].trainer);
    }
    return status == ZILCH_OK ? zilch_networks_save(*out, path) : status;
}

static int finish(training *t, zilch_networks **out)
{
    const int lock = lock_folder(t->setting->weights);
    const zilch_status written = write_weights(t, out);
    if (lock >= 0) {
        close(lock);
    }
    if (written != ZILCH_OK) {
        const int status = cli_fail("%s; the training is kept in %s.*.part: the same command writes it",
                                    zilch_last_error(), t->setting->weights);
        zilch_networks_destroy(*out);
        *out = NULL;
        return status;
    }
    for (size_t i = 0; i < t->parts; i++) {
        unlink(t->part[i].path);
    }
    return 0;
}

int train_run(const train_setting *setting, zilch_networks **out)
{
    training t = {.setting = setting};
    *out = NULL;
    for (int block = 0; block < ZILCH_BLOCKS; block++) {
        if (setting->block == ZILCH_BLOCKS || setting->block == block) {
            t.part[t.parts++].block = (zilch_block)block;
        }
    }
    int status = check_output(setting->weights);
    if (!status) {
        status = prepare(&t);
    }
    if (!status) {
        status = train(&t);
    }
    if (!status) {
        status = finish(&t, out);
    }
    for (size_t i = 0; i < t.parts; i++) {
        zilch_trainer_destroy(t.part[i].trainer);
        free(t.part[i].path);
    }
    return status;
}
