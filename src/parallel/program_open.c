/* An objective that programs evaluate, before and after it is at work: its options are checked, its workers
 * made, the first program started and its greeting awaited; in the end all of it is freed. */
#include "base/memory.h"
#include "base/numbers.h"
#include "parallel/program.h"

#include <errno.h>
#include <string.h>
#include <sys/timerfd.h>
#include <unistd.h>

enum { JOBS_MOST = 4096, AHEAD_MOST = 4096 };

/* ---- Opening and closing -------------------------------------------------------------------------- */

zilch_program_options zilch_program_defaults(void)
{
    return (zilch_program_options){
        .size = sizeof(zilch_program_options), .jobs = 1, .ahead = 1, .max_failures = 100};
}

static zilch_status check_options(const zilch_program_options *o)
{
    if (o->size != sizeof *o) {
        return zi_fail(ZILCH_EARG, "program: begin from zilch_program_defaults()");
    }
    if (o->jobs > JOBS_MOST) {
        return zi_fail(ZILCH_EARG, "program: jobs must be from 0 to %d, not %zu", JOBS_MOST, o->jobs);
    }
    if (o->ahead < 1 || o->ahead > AHEAD_MOST) {
        return zi_fail(ZILCH_EARG, "program: ahead must be from 1 to %d, not %zu", AHEAD_MOST, o->ahead);
    }
    if (!zilch_protocol_name(o->protocol)) {
        return zi_fail(ZILCH_EARG, "program: %d is no protocol", (int)o->protocol);
    }
    if (!(o->timeout >= 0.0 && o->timeout <= 1e9)) {
        return zi_fail(ZILCH_EARG, "program: timeout must be from 0 to 1e9 seconds, not %g", o->timeout);
    }
    if (o->is_named && (!o->names || o->protocol == ZILCH_PROTOCOL_PLAIN)) {
        return zi_fail(ZILCH_EARG, "program: points by names need names, and a protocol but plain");
    }
    return ZILCH_OK;
}

static zilch_status copy_words(zilch_program *p, const char *const *words)
{
    size_t count = 0;
    size_t bytes = 0;
    for (; words[count]; count++) {
        bytes += strlen(words[count]) + 1;
    }
    ZI_TRY(zi_alloc_bytes((void *)&p->words, 1, (count + 1) * sizeof *p->words + bytes));
    char *at = (char *)(p->words + count + 1);
    for (size_t i = 0; i < count; i++) {
        const size_t length = strlen(words[i]) + 1;
        p->words[i] = memcpy(at, words[i], length);
        at += length;
    }
    p->words[count] = NULL;
    return ZILCH_OK;
}

static zilch_status make_workers(zilch_program *p)
{
    const zilch_program_options *o = &p->options;
    const size_t count = o->jobs ? o->jobs : zilch_processors();
    ZI_TRY(zi_alloc(&p->look, ZI_WORKER_POLLED * count + 1));
    ZI_TRY(zi_alloc(&p->again, o->ahead * count));
    ZI_TRY(zi_alloc(&p->arrived, o->ahead * count));
    ZI_TRY(zi_alloc(&p->worker, count));
    for (size_t k = 0; k < count; k++) {
        p->count = k + 1; /* what is half made is freed too */
        ZI_TRY(zi_worker_make(&p->worker[k], o->ahead, o->timeout > 0.0));
    }
    return ZILCH_OK;
}

static zilch_status make_tick(zilch_program *p)
{
    const struct timespec often = {.tv_nsec = 200000000};
    const struct itimerspec times = {often, often};
    if (!p->options.watcher) {
        return ZILCH_OK;
    }
    p->tick = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    return p->tick < 0 || timerfd_settime(p->tick, 0, &times, NULL) != 0
               ? zi_fail(ZILCH_EIO, "program: no timer: %s", strerror(errno))
               : ZILCH_OK;
}

/* The first is started here, so that a wrong name is known at once. */
static zilch_status open_program(zilch_program *p, const char *const *words)
{
    int is_new;
    ZI_TRY(copy_words(p, words));
    if (p->options.is_named) {
        ZI_TRY(zi_labels_make(&p->labels, p->options.dim, p->options.names));
    }
    ZI_TRY(make_workers(p));
    ZI_TRY(make_tick(p));
    p->starts = 1;
    return zi_worker_ready(&p->worker[0], p->words, &is_new);
}

zilch_status zilch_program_open(zilch_program **out, const char *const *words,
                                const zilch_program_options *options)
{
    zilch_program *p;
    const zilch_program_options chosen = options ? *options : zilch_program_defaults();
    if (!out) {
        return zi_fail(ZILCH_EARG, "program: no place for it given");
    }
    *out = NULL;
    if (!words || !words[0] || !*words[0]) {
        return zi_fail(ZILCH_EARG, "program: no program given");
    }
    ZI_TRY(check_options(&chosen));
    ZI_TRY(zi_alloc(&p, 1));
    *p = (zilch_program){.options = chosen, .prepared = ZI_NO_POINT, .tick = -1};
    const zilch_status status = open_program(p, words);
    if (status != ZILCH_OK) {
        zilch_program_close(p);
        return status;
    }
    *out = p;
    return ZILCH_OK;
}

void zilch_program_close(zilch_program *program)
{
    if (!program) {
        return;
    }
    for (size_t k = 0; k < program->count; k++) {
        zi_worker_free(&program->worker[k]);
    }
    if (program->tick >= 0) {
        (void)close(program->tick);
    }
    zi_text_free(&program->next);
    zi_free(program->greeting);
    zi_free(program->labels);
    zi_free(program->worker);
    zi_free(program->again);
    zi_free(program->arrived);
    zi_free(program->look);
    zi_free(program->words);
    zi_free(program);
}

/* ---- Its greeting ------------------------------------------------------------------------------------ */

zilch_status zilch_program_greeting(zilch_program *program, double seconds, size_t *dim,
                                    const char *const **names)
{
    zi_plain_locale locale;
    if (!program || !dim || !names || !(seconds > 0.0 && seconds <= 1e6)) {
        return zi_fail(ZILCH_EARG, "program: it, up to 1e6 seconds, and places for the answer must be given");
    }
    if (!program->greeting) {
        int is_new;
        ZI_TRY(zi_worker_ready(&program->worker[0], program->words, &is_new));
        ZI_TRY(zi_locale_enter(&locale));
        const zilch_status status =
            zi_greeting_await(&program->worker[0], seconds, &program->options, &program->greeting);
        zi_locale_leave(&locale);
        ZI_TRY(status);
    }
    *dim = program->greeting->dim;
    *names = (const char *const *)program->greeting->name;
    return ZILCH_OK;
}

uint64_t zilch_program_starts(const zilch_program *program)
{
    return program ? program->starts : 0;
}
