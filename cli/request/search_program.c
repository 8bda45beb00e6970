/* A program as the problem of a search: its command line, and what is heard of its failures. */
#include "request/search_program.h"

#include "terminal/cli.h"
#include "terminal/text.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { KEPT_MOST = 1000, SHOWN = 3 }; /* failures of a generation; those that are shown at the end */
static const double most_silence = 5; /* seconds without any answer after which something is said */
static const double share = 0.8;      /* of a timeout that comes before them */

typedef struct failure {
    uint64_t generation, id;
    char *reason, *output;
} failure;

struct search_program {
    zilch_program *program;
    char **words;
    const char *command;
    int is_once;
    double silence; /* after which something is said */
    zilch_watcher watcher;
    void *watcher_context;
    double since;        /* when the first point was waited for; 0: not yet */
    int is_judged;       /* it has answered, or its silence was spoken of */
    failure last[SHOWN]; /* a ring */
    zilch_journal *journal;
    uint64_t generation; /* of the last failure, */
    size_t kept;         /* and how many of it are kept */
    uint64_t failures;
};

/* ---- Failures ----------------------------------------------------------------------------------------- */

static void failure_free(failure *f)
{
    free(f->reason);
    free(f->output);
    *f = (failure){0};
}

static failure failure_copy(const zilch_failure *f)
{
    return (failure){f->generation, f->id, strdup(f->reason), strdup(f->output)};
}

/* What cannot be remembered for want of memory is counted all the same. */
static zilch_status remember(void *context, const zilch_failure *f)
{
    search_program *p = context;
    failure *last = &p->last[p->failures++ % SHOWN];
    failure_free(last);
    *last = failure_copy(f);
    p->kept = f->generation == p->generation ? p->kept : 0;
    p->generation = f->generation;
    return p->journal && p->kept++ < KEPT_MOST ? zilch_journal_fail(p->journal, f) : ZILCH_OK;
}

void search_program_write_to(search_program *p, zilch_journal *journal)
{
    p->journal = journal;
    p->kept = 0;
}

zilch_status search_program_keep(search_program *p)
{
    return p->journal && p->kept ? zilch_journal_flush(p->journal) : ZILCH_OK;
}

/* Each line of what a program wrote stands behind a bar. */
void search_program_print(const search_program *p)
{
    const uint64_t shown = p->failures < SHOWN ? p->failures : SHOWN;
    if (shown) {
        fprintf(stderr, "the last failures of %llu:\n", (unsigned long long)p->failures);
    }
    for (uint64_t i = p->failures - shown; i < p->failures; i++) {
        const failure *f = &p->last[i % SHOWN];
        fprintf(stderr, "point %llu: the program ", (unsigned long long)f->id);
        text_put_between(stderr, "", f->reason ? f->reason : "failed", "\n");
        for (const char *at = f->output ? f->output : ""; *at;) {
            const size_t length = strcspn(at, "\n");
            char *line = strndup(at, length);
            text_put_between(stderr, "  | ", line ? line : "", "\n");
            free(line);
            at += length + (at[length] == '\n');
        }
    }
}

/* ---- Opening ---------------------------------------------------------------------------------------- */

/* A program that prints into a buffer of its own waits for the next point, and zilch for its value. */
static void listen(search_program *p, size_t done)
{
    static atomic_int is_said; /* in a comparison many of them are silent for one reason */
    const double now = cli_seconds();
    p->since = p->since > 0 ? p->since : now;
    if (p->is_judged) {
        return;
    }
    const int is_early = now - p->since < p->silence;
    p->is_judged = !is_early || done > 0;
    if (is_early || done > p->failures || atomic_exchange(&is_said, 1)) { /* a timeout is no answer */
        return;
    }
    cli_say("no answer yet from '%s' after %.2g s; %s", p->command, p->silence,
            p->is_once ? "with --once its answer counts when it ends: does it end?"
                       : "does the program flush its output?");
    cli_say(p->is_once
                ? "if an evaluation takes longer than that, all is well"
                : "in Python print(value, flush=True), in C fflush(stdout), in awk fflush(); a program "
                  "that reads ahead, as many awks do, needs --once; if an evaluation takes longer than "
                  "that, all is well");
}

static int watch(void *context, size_t done, size_t total)
{
    search_program *p = context;
    if (!p->watcher) { /* another rank's, which does not talk */
        return 0;
    }
    listen(p, done);
    return p->watcher(p->watcher_context, done, total);
}

void search_program_watch(search_program *p, zilch_watcher watcher, void *context)
{
    p->watcher = watcher;
    p->watcher_context = context;
}

int search_program_start(search_problem *out, const search_request *r)
{
    search_program *p = out->program;
    zilch_program_options o = zilch_program_defaults();
    p->command = r->program;
    p->is_once = r->is_once;
    p->silence = r->timeout > 0 ? fmin(most_silence, share * r->timeout) : most_silence;
    o.jobs = (size_t)r->jobs;
    o.ahead = (size_t)r->ahead;
    o.protocol = r->is_plain    ? ZILCH_PROTOCOL_PLAIN
                 : r->is_sparse ? ZILCH_PROTOCOL_SPARSE
                                : ZILCH_PROTOCOL_JSON;
    o.is_once = r->is_once;
    o.dim = out->info.dim;
    o.names = out->names;
    o.is_named = r->is_named;
    o.timeout = r->timeout;
    o.max_failures = r->max_failures;
    o.failure = remember;
    o.failure_context = p;
    o.watcher = watch;
    o.watcher_context = p;
    if (zilch_program_open(&p->program, (const char *const *)p->words, &o) != ZILCH_OK) {
        return cli_fail_library();
    }
    out->objective = zilch_program_objective;
    out->context = p->program;
    return 0;
}

/* ---- Its greeting ------------------------------------------------------------------------------------ */

static int is_to_stop(void *context, size_t done, size_t total)
{
    (void)context;
    (void)done;
    (void)total;
    return cli_is_stopped();
}

/* The names as --names has them, to be freed; NULL after printing why. */
static char *join_names(const char *const *names, size_t dim)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    for (size_t i = 0; i < dim && stream; i++) {
        const int is_quoted = strpbrk(names[i], ",\"") != NULL;
        fputs(i ? "," : "", stream);
        fputs(is_quoted ? "\"" : "", stream);
        for (const char *c = names[i]; *c; c++) {
            fputs(*c == '"' ? "\"" : "", stream);
            fputc(*c, stream);
        }
        fputs(is_quoted ? "\"" : "", stream);
    }
    if (!stream || fclose(stream) != 0) {
        cli_fail("out of memory");
    }
    return text;
}

static int take_greeting(search_request *r, zilch_program *program, char **text)
{
    const double patience = r->timeout > 0 ? r->timeout : 10.0;
    size_t dim;
    const char *const *names;
    if (zilch_program_greeting(program, patience, &dim, &names) != ZILCH_OK) {
        return cli_is_stopped()
                   ? cli_fail("stopped")
                   : cli_fail("%s; with --hello its first line, flushed before it reads a point, "
                              "is {\"names\": [...]} or {\"dim\": N}. A program that does not "
                              "greet needs --dim N instead",
                              cli_error_text());
    }
    if (names && r->names) {
        return search_wrong_usage(r->command, "--names: the program says its names; leave it out");
    }
    r->dim = dim;
    if (names && !(*text = join_names(names, dim))) {
        return CLI_FAILED;
    }
    r->names = names ? *text : r->names;
    return r->is_named && !r->names
               ? search_wrong_usage(r->command, "--named: the program says no names; give them with --names")
               : 0;
}

int search_program_greet(search_request *r, char **text)
{
    zilch_program_options o = zilch_program_defaults();
    zilch_program *program = NULL;
    char **words = NULL;
    o.watcher = is_to_stop;
    *text = NULL;
    if (!r->is_greeting) {
        return 0;
    }
    int status = zilch_program_words(&words, r->program) == ZILCH_OK &&
                         zilch_program_open(&program, (const char *const *)words, &o) == ZILCH_OK
                     ? take_greeting(r, program, text)
                     : cli_fail_library();
    zilch_program_close(program);
    zilch_program_words_destroy(words);
    return status;
}

/* What is known of it is what was said here; whether it is noisy is found out at the end. */
int search_program_open(search_problem *out, const search_request *r)
{
    search_program *p = calloc(1, sizeof *p);
    out->program = p;
    if (!p) {
        return cli_fail("out of memory");
    }
    const zilch_status status = zilch_program_words(&p->words, r->program);
    if (status == ZILCH_EARG) {
        return search_wrong_request(r, "--program: %s", zilch_last_error_details().message);
    }
    if (status != ZILCH_OK) {
        return cli_fail_library();
    }
    out->is_spreading = 1;
    out->info = (zilch_problem_info){.name = "program",
                                     .setting = "",
                                     .dim = (size_t)r->dim,
                                     .direction = r->options.direction,
                                     .lower = -INFINITY,
                                     .upper = INFINITY,
                                     .is_noisy = 1};
    out->text = strdup("program");
    return out->text ? 0 : cli_fail("out of memory");
}

void search_program_close(search_program *p)
{
    if (!p) {
        return;
    }
    zilch_program_close(p->program);
    zilch_program_words_destroy(p->words);
    for (size_t i = 0; i < SHOWN; i++) {
        failure_free(&p->last[i]);
    }
    free(p);
}
