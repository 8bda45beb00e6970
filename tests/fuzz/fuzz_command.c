/* The command line: every command's own parser, and what it checks before it begins to work. Words are
 * separated by line ends, the first is the command. The linker puts the functions below in the place of those
 * that would open files, start programs or take long (CMakeLists.txt has the list). */
#include "fuzz.h"

#include "bench.h"
#include "commands/commands.h"
#include "options/option_help.h"
#include "run/play.h"
#include "run/search.h"
#include "terminal/cli.h"

#include <errno.h>
#include <sys/stat.h>

enum { WORDS_MOST = 40, DIM_MOST = 300, POPULATION_MOST = 1000 };

static int is_running;     /* a command, which must not go beyond its options */
static int is_comparing;   /* it is compare */
static char message[4096]; /* what it says */

/* ---- In place of work -------------------------------------------------------------------------------- */

/* The names are the linker's. */
FILE *__real_fopen(const char *path, const char *mode);
FILE *__wrap_fopen(const char *path, const char *mode);
int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __real_access(const char *path, int mode);
int __wrap_access(const char *path, int mode);
int __real_stat(const char *path, struct stat *info);
int __wrap_stat(const char *path, struct stat *info);
int __real_mkdir(const char *path, mode_t mode);
int __wrap_mkdir(const char *path, mode_t mode);
int __real_unlink(const char *path);
int __wrap_unlink(const char *path);
zilch_status __wrap_zilch_study_open(zilch_study **out, const char *path, zilch_study_mode mode);
zilch_status __wrap_zilch_program_open(zilch_program **out, const char *const *words,
                                       const zilch_program_options *options);
zilch_status __wrap_zilch_file_replace(const char *path, zilch_file_writer write, void *context);
zilch_status __real_zilch_problem_open(zilch_problem **out, const char *name, uint64_t seed);
zilch_status __wrap_zilch_problem_open(zilch_problem **out, const char *name, uint64_t seed);
zilch_status __real_zilch_optimizer_create(zilch_optimizer **out, size_t dim, uint64_t seed,
                                           const zilch_optimizer_options *options);
zilch_status __wrap_zilch_optimizer_create(zilch_optimizer **out, size_t dim, uint64_t seed,
                                           const zilch_optimizer_options *options);
int __real_cli_try_output(const char *path);
int __wrap_cli_try_output(const char *path);
void __wrap_cli_watch_signals(void);
zilch_status __wrap_zilch_examples_create(zilch_examples **out, const zilch_examples_options *options,
                                          unsigned threads, zilch_watcher watch, void *context);
zilch_status __wrap_zilch_recover(zilch_recovery **out, const zilch_recover_options *options,
                                  zilch_watcher watch, void *context);
zilch_status __wrap_zilch_episodes_run(const double *parameters, const zilch_lander_options *options,
                                       uint64_t seed, size_t count, unsigned threads, zilch_watcher watch,
                                       void *context, zilch_episode *out);
zilch_status __wrap_zilch_episode_record(const zilch_pilot *pilot, const zilch_lander_options *options,
                                         uint64_t seed, size_t capacity, zilch_lander_frame *frame,
                                         size_t *steps);

/* The command writes no file so, but libFuzzer does: what it has found. */
FILE *__wrap_fopen(const char *path, const char *mode)
{
    errno = ENOENT;
    return is_running && *mode == 'r' ? NULL : __real_fopen(path, mode);
}

/* Without files that are made: those have a third argument. */
int __wrap_open(const char *path, int flags, ...)
{
    errno = ENOENT;
    return is_running ? -1 : __real_open(path, flags, 0666);
}

int __wrap_access(const char *path, int mode)
{
    errno = ENOENT;
    return is_running ? -(strlen(path) % 2 != 0) : __real_access(path, mode);
}

int __wrap_stat(const char *path, struct stat *info)
{
    errno = ENOENT;
    return is_running ? -1 : __real_stat(path, info);
}

int __wrap_mkdir(const char *path, mode_t mode)
{
    errno = EACCES;
    return is_running ? -1 : __real_mkdir(path, mode);
}

int __wrap_unlink(const char *path)
{
    errno = ENOENT;
    return is_running ? -1 : __real_unlink(path);
}

zilch_status __wrap_zilch_study_open(zilch_study **out, const char *path, zilch_study_mode mode)
{
    (void)mode;
    *out = NULL;
    return zilch_fail(ZILCH_EIO, *path ? "not here" : "no path");
}

zilch_status __wrap_zilch_program_open(zilch_program **out, const char *const *words,
                                       const zilch_program_options *options)
{
    size_t letters = 0;
    for (; *words; words++) {
        letters += strlen(*words);
    }
    *out = NULL;
    return zilch_fail(ZILCH_EIO, letters && options->jobs ? "is not started" : "is nothing");
}

zilch_status __wrap_zilch_file_replace(const char *path, zilch_file_writer write, void *context)
{
    (void)write;
    (void)context;
    return zilch_fail(ZILCH_EIO, *path ? "not here" : "no path");
}

/* Large problems take long to open. */
zilch_status __wrap_zilch_problem_open(zilch_problem **out, const char *name, uint64_t seed)
{
    for (const char *at = strchr(name, '='); at; at = strchr(at + 1, '=')) {
        if (strtod(at + 1, NULL) > DIM_MOST) {
            *out = NULL;
            return zilch_fail(ZILCH_ENOMEM, "too large to try");
        }
    }
    return __real_zilch_problem_open(out, name, seed);
}

zilch_status __wrap_zilch_optimizer_create(zilch_optimizer **out, size_t dim, uint64_t seed,
                                           const zilch_optimizer_options *options)
{
    if (dim > DIM_MOST || options->population > POPULATION_MOST) {
        *out = NULL;
        return zilch_fail(ZILCH_ENOMEM, "too large to try");
    }
    return __real_zilch_optimizer_create(out, dim, seed, options);
}

zilch_status __wrap_zilch_examples_create(zilch_examples **out, const zilch_examples_options *options,
                                          unsigned threads, zilch_watcher watch, void *context)
{
    (void)threads;
    (void)watch;
    (void)context;
    MUST(options->count >= 5);
    *out = NULL;
    return zilch_fail(ZILCH_EUNAVAILABLE, "not here");
}

/* Where a comparison would begin. */
int __wrap_cli_try_output(const char *path)
{
    return is_comparing ? cli_fail("%s: cannot be written", path ? path : "-") : __real_cli_try_output(path);
}

void __wrap_cli_watch_signals(void)
{
}

zilch_status __wrap_zilch_recover(zilch_recovery **out, const zilch_recover_options *options,
                                  zilch_watcher watch, void *context)
{
    (void)watch;
    (void)context;
    MUST(options->dim >= 2 && options->p_min <= options->p_max);
    *out = NULL;
    return zilch_fail(ZILCH_EUNAVAILABLE, "not here");
}

zilch_status __wrap_zilch_episodes_run(const double *parameters, const zilch_lander_options *options,
                                       uint64_t seed, size_t count, unsigned threads, zilch_watcher watch,
                                       void *context, zilch_episode *out)
{
    (void)parameters;
    (void)options;
    (void)seed;
    (void)threads;
    (void)watch;
    (void)context;
    (void)out;
    MUST(count >= 1);
    return zilch_fail(ZILCH_EUNAVAILABLE, "not here");
}

zilch_status __wrap_zilch_episode_record(const zilch_pilot *pilot, const zilch_lander_options *options,
                                         uint64_t seed, size_t capacity, zilch_lander_frame *frame,
                                         size_t *steps)
{
    (void)pilot;
    (void)options;
    (void)seed;
    (void)capacity;
    (void)frame;
    (void)steps;
    return zilch_fail(ZILCH_EUNAVAILABLE, "not here");
}

/* The benchmarks are none of these. */
static zilch_status run_nothing(size_t index, bench_row *out)
{
    (void)index;
    (void)out;
    return zilch_fail(ZILCH_EUNAVAILABLE, "not here");
}

static const bench_suite nothing = {.name = "model", .about = "nothing", .count = 1, .run = run_nothing};
const bench_suite *const bench_suites[] = {&nothing, NULL};
const bench_suite bench_flights = {.name = "lander", .about = "nothing", .count = 1, .run = run_nothing};

void bench_set_flyer(zilch_flyer flyer, void *context)
{
    (void)flyer;
    (void)context;
}

/* ---- Words ------------------------------------------------------------------------------------------- */

static size_t split(char *text, char **words)
{
    size_t count = 0;
    for (char *at = text; at && count < WORDS_MOST; count++) {
        char *end = strchr(at, '\n');
        words[count] = at;
        if (end) {
            *end = '\0';
        }
        at = end ? end + 1 : NULL;
    }
    words[count] = NULL;
    return count;
}

static void run(const command *c, int argc, char **argv)
{
    cli_set_help_printer(option_help_print);
    is_comparing = c->run == cmd_compare;
    is_running = 1;
    const int status = command_run(c, argc, argv);
    is_running = 0;
    MUST(status == CLI_FAILED || status == CLI_USAGE || status == CLI_OK);
    MUST(status == CLI_OK || *message);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    zilch_set_blas_threads(1);
    cli_keep_messages(message, sizeof message);
    MUST(freopen("/dev/null", "r", stdin) && freopen("/dev/null", "w", stdout));
    stderr = fopen("/dev/null", "w"); /* the descriptor is the sanitizers' */
    MUST(stderr);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *words[WORDS_MOST + 1];
    char *text = fuzz_text(data, size);
    const size_t count = split(text, words);
    *message = '\0';
    const command *c = command_find(words[0]);
    if (c) {
        run(c, (int)count, words);
    }
    free(text);
    return 0;
}
