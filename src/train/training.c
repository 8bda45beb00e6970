/* Training that may be interrupted. A job trains one block, epoch by epoch, and shares nothing with the
 * others but the watcher and the wish to stop, so threads change nothing in the result. Parts are written
 * before the first epoch too: a folder that cannot be written is noticed at once. */
#include "base/memory.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* One block's training, beside what the watcher is shown of it. */
typedef struct part {
    zilch_block block;
    char *path;
    zilch_trainer *trainer;
    uint64_t saved; /* the epoch that is in the file */
} part;

typedef struct training {
    const zilch_networks_options *options;
    const char *path;
    char *folder, *names; /* the folder of the path; the memory of all names */
    zilch_training_watcher watch;
    void *context;
    part part[ZILCH_BLOCKS];
    pthread_mutex_t lock;             /* guards the progress, and the watcher */
    zilch_training_progress progress; /* its parts are in the order of the parts here */
    atomic_int is_ending;             /* one part has failed or the watcher stopped, so all shall stop */
} training;

zilch_networks_options zilch_networks_defaults(void)
{
    zilch_networks_options options = {
        .size = sizeof options, .block = ZILCH_BLOCKS, .examples = zilch_examples_defaults()};
    for (int block = 0; block < ZILCH_BLOCKS; block++) {
        options.training[block] = zilch_training_defaults((zilch_block)block);
    }
    return options;
}

/* ---- The watcher ------------------------------------------------------------------------- */

/* Shows how far it is; the caller holds the lock, or is alone. */
static zilch_training_answer tell(training *t)
{
    const zilch_training_answer answer =
        t->watch ? t->watch(t->context, &t->progress) : ZILCH_TRAINING_CONTINUE;
    if (answer == ZILCH_TRAINING_STOP) {
        atomic_store(&t->is_ending, 1);
    }
    return answer;
}

static zilch_status begin_stage(training *t, zilch_training_stage stage, size_t total)
{
    t->progress.stage = stage;
    t->progress.done = 0;
    t->progress.total = total;
    return tell(t) == ZILCH_TRAINING_STOP ? zi_fail(ZILCH_ESTOPPED, "training: stopped") : ZILCH_OK;
}

static int watch_examples(void *context, size_t done, size_t total)
{
    training *t = context;
    pthread_mutex_lock(&t->lock);
    t->progress.done = done > t->progress.done ? done : t->progress.done;
    t->progress.total = total;
    const zilch_training_answer answer = tell(t);
    pthread_mutex_unlock(&t->lock);
    return answer == ZILCH_TRAINING_STOP;
}

/* Epochs one after the other until all is done: those of the longest part, or of all shared among the
 * threads. */
static size_t epochs_left(const training *t)
{
    const size_t threads = t->options->threads ? t->options->threads : zilch_processors();
    size_t sum = 0;
    size_t longest = 0;
    for (size_t i = 0; i < t->progress.parts; i++) {
        const zilch_training_part *p = &t->progress.part[i];
        assert(p->report.epoch <= p->epochs);
        const size_t left = (size_t)(p->epochs - p->report.epoch);
        sum += left;
        longest = left > longest ? left : longest;
    }
    const size_t shared = (sum + threads - 1) / threads;
    return longest > shared ? longest : shared;
}

/* How far part `index` is. */
static zilch_training_answer show(training *t, size_t index, int is_running)
{
    zilch_training_part *shown = &t->progress.part[index];
    pthread_mutex_lock(&t->lock);
    shown->report = zilch_trainer_report(t->part[index].trainer);
    shown->is_running = is_running;
    t->progress.changed = index;
    t->progress.done = t->progress.total - epochs_left(t);
    const zilch_training_answer answer = tell(t);
    pthread_mutex_unlock(&t->lock);
    return answer;
}

/* ---- Before anything that takes long ------------------------------------------------- */

/* The parts that are trained, and all names, in one block of memory. */
static zilch_status name_parts(training *t)
{
    enum { SUFFIX = 16 }; /* longer than any ".mm.part" */
    const char *slash = strrchr(t->path, '/');
    const size_t size = strlen(t->path) + SUFFIX;
    ZI_TRY(zi_alloc(&t->names, (ZILCH_BLOCKS + 1) * size));
    t->folder = t->names;
    snprintf(t->folder, size, "%.*s", slash ? (int)(slash - t->path) + 1 : 1, slash ? t->path : ".");
    for (int block = 0; block < ZILCH_BLOCKS; block++) {
        if (t->options->block != ZILCH_BLOCKS && t->options->block != block) {
            continue;
        }
        const size_t i = t->progress.parts++;
        t->part[i] = (part){.block = (zilch_block)block, .path = t->names + (i + 1) * size};
        snprintf(t->part[i].path, size, "%s.%s.part", t->path, zilch_block_name((zilch_block)block));
        t->progress.part[i] =
            (zilch_training_part){.block = (zilch_block)block, .epochs = t->options->training[block].epochs};
    }
    return ZILCH_OK;
}

/* A file that is there is replaced, so it must be weights; and its folder must be one to write into. */
static zilch_status check_output(const training *t)
{
    struct stat info;
    if (stat(t->path, &info) == 0) {
        if (!S_ISREG(info.st_mode)) {
            return zi_fail(ZILCH_EIO, "%s: not a regular file, which weights and their parts need", t->path);
        }
        zilch_networks *old;
        const zilch_status status = zilch_networks_load(&old, t->path);
        if (status != ZILCH_OK) {
            return zi_fail(status, "%s; it is left as it is: give another name, or remove it",
                           zilch_last_error());
        }
        zilch_networks_destroy(old);
    }
    if (access(t->folder, W_OK | X_OK) != 0) {
        return zi_fail(ZILCH_EIO, "%s: cannot write into its folder: %s", t->path, strerror(errno));
    }
    return ZILCH_OK;
}

/* ---- Parts ------------------------------------------------------------------------------ */

/* Behind the reason, what can be done. */
static zilch_status fail_part(zilch_status status)
{
    const char *remedy = status == ZILCH_EARG ? "; give the same options, or remove the file to begin anew"
                         : status == ZILCH_EFORMAT || status == ZILCH_EVERSION
                             ? "; remove the file to begin anew"
                             : "";
    return status == ZILCH_OK ? ZILCH_OK : zi_fail(status, "%s%s", zilch_last_error(), remedy);
}

/* Whether each part that is there is of this training, before the examples are made. */
static zilch_status find_parts(training *t)
{
    const zilch_networks_options *o = t->options;
    for (size_t i = 0; i < t->progress.parts; i++) {
        const part *p = &t->part[i];
        t->progress.part[i].is_continued = access(p->path, F_OK) == 0;
        if (t->progress.part[i].is_continued) {
            ZI_TRY(fail_part(zilch_trainer_check(p->path, p->block, &o->examples, &o->training[p->block])));
        }
    }
    return ZILCH_OK;
}

/* Trainers, in the state of their parts where there are some. */
static zilch_status open_parts(training *t, const zilch_examples *examples)
{
    for (size_t i = 0; i < t->progress.parts; i++) {
        part *p = &t->part[i];
        ZI_TRY(zilch_trainer_create(&p->trainer, p->block, examples, &t->options->training[p->block]));
        if (t->progress.part[i].is_continued) {
            ZI_TRY(fail_part(zilch_trainer_load(p->trainer, p->path)));
        }
        t->progress.part[i].report = zilch_trainer_report(p->trainer);
        p->saved = t->progress.part[i].report.epoch;
    }
    return ZILCH_OK;
}

/* The files of new parts; all of them, or none. */
static zilch_status begin_parts(const training *t)
{
    zilch_status status = ZILCH_OK;
    size_t i = 0;
    for (; i < t->progress.parts && status == ZILCH_OK; i++) {
        if (!t->progress.part[i].is_continued) {
            status = zilch_trainer_save(t->part[i].trainer, t->part[i].path);
        }
    }
    if (status != ZILCH_OK) {
        for (i--; i-- > 0;) {
            if (!t->progress.part[i].is_continued) {
                unlink(t->part[i].path);
            }
        }
    }
    return status;
}

static zilch_status prepare(training *t)
{
    const zilch_networks_options *o = t->options;
    zilch_examples *examples;
    ZI_TRY(name_parts(t));
    ZI_TRY(check_output(t));
    ZI_TRY(find_parts(t));
    ZI_TRY(begin_stage(t, ZILCH_TRAINING_EXAMPLES, o->examples.count));
    ZI_TRY(zilch_examples_create(&examples, &o->examples, o->threads, watch_examples, t));
    const zilch_status status = open_parts(t, examples);
    zilch_examples_destroy(examples); /* the trainers have their copies */
    return status == ZILCH_OK ? begin_parts(t) : status;
}

/* ---- Training ---------------------------------------------------------------------------- */

static zilch_status save(part *p)
{
    ZI_TRY(zilch_trainer_save(p->trainer, p->path));
    p->saved = zilch_trainer_report(p->trainer).epoch;
    return ZILCH_OK;
}

static zilch_status train_epochs(training *t, size_t index)
{
    part *p = &t->part[index];
    const uint64_t epochs = t->progress.part[index].epochs;
    while (zilch_trainer_report(p->trainer).epoch < epochs && !atomic_load(&t->is_ending)) {
        ZI_TRY(zilch_trainer_epoch(p->trainer));
        if (show(t, index, 1) == ZILCH_TRAINING_SAVE) {
            ZI_TRY(save(p));
        }
    }
    return zilch_trainer_report(p->trainer).epoch > p->saved ? save(p) : ZILCH_OK;
}

/* One that is stopped, or stops because another failed, has not failed itself. */
static zilch_status train_part(void *context, size_t index)
{
    training *t = context;
    const part *p = &t->part[index];
    const zilch_status status = train_epochs(t, index);
    if (status == ZILCH_OK) {
        (void)show(t, index, 0);
        return ZILCH_OK;
    }
    atomic_store(&t->is_ending, 1);
    if (status == ZILCH_ENUMERIC) {
        unlink(p->path); /* the same options lead to the same end, others cannot go on from here */
    }
    return zi_fail(status, "%s: %s", zilch_block_name(p->block), zilch_last_error());
}

/* ---- The weights --------------------------------------------------------------------------- */

/* The others are read now, not at the beginning: another training may have ended since. */
static zilch_status write_weights(const training *t, zilch_networks **out)
{
    ZI_TRY(access(t->path, F_OK) == 0 ? zilch_networks_load(out, t->path) : zilch_networks_create(out));
    for (size_t i = 0; i < t->progress.parts; i++) {
        ZI_TRY(zilch_networks_put(*out, t->part[i].trainer));
    }
    return zilch_networks_save(*out, t->path);
}

/* Nobody else trains into the folder while the weights are written; that this cannot be had is no reason to
 * lose a training. */
static zilch_status finish(const training *t, zilch_networks **out)
{
    const int folder = open(t->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder >= 0) {
        (void)flock(folder, LOCK_EX);
    }
    const zilch_status status = write_weights(t, out);
    if (folder >= 0) {
        close(folder);
    }
    if (status != ZILCH_OK) {
        zilch_networks_destroy(*out);
        *out = NULL;
        return status;
    }
    for (size_t i = 0; i < t->progress.parts; i++) {
        unlink(t->part[i].path);
    }
    return ZILCH_OK;
}

static zilch_status run(training *t, zilch_networks **out)
{
    ZI_TRY(prepare(t));
    ZI_TRY(begin_stage(t, ZILCH_TRAINING_EPOCHS, epochs_left(t)));
    ZI_TRY(zilch_parallel(t->options->threads, t->progress.parts, train_part, t));
    if (atomic_load(&t->is_ending)) {
        return zi_fail(ZILCH_ESTOPPED, "training: stopped");
    }
    ZI_TRY(begin_stage(t, ZILCH_TRAINING_WRITING, 1));
    return finish(t, out);
}

zilch_status zilch_networks_train(zilch_networks **out, const char *path,
                                  const zilch_networks_options *options, zilch_training_watcher watch,
                                  void *context)
{
    if (!out) {
        return zi_fail(ZILCH_EARG, "training: no place for the networks given");
    }
    *out = NULL;
    if (!path || !*path) {
        return zi_fail(ZILCH_EARG, "training: the path of the weights must be given");
    }
    const zilch_networks_options chosen = options ? *options : zilch_networks_defaults();
    if (chosen.size != sizeof chosen) {
        return zi_fail(ZILCH_EARG, "training: begin from zilch_networks_defaults()");
    }
    if (chosen.block != ZILCH_BLOCKS && !zilch_block_name((zilch_block)chosen.block)) {
        return zi_fail(ZILCH_EARG, "training: block is not one of the known ones");
    }
    training t = {.options = &chosen,
                  .path = path,
                  .watch = watch,
                  .context = context,
                  .lock = PTHREAD_MUTEX_INITIALIZER};
    const zilch_status status = run(&t, out);
    for (size_t i = 0; i < t.progress.parts; i++) {
        zilch_trainer_destroy(t.part[i].trainer);
    }
    zi_free(t.names);
    pthread_mutex_destroy(&t.lock);
    return status;
}
