/* The server of the live page. One thread reads the study and tells what is new; the server's own thread
 * answers; a third looks closely at one run after the other, which takes as long as it takes. */
#include "live/live.h"

#include "live/http.h"
#include "live/live_flight.h"
#include "report/page_template.h"
#include "study/follow.h"
#include "terminal/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static const double tick = 0.08;        /* seconds between two looks at whether there is something new */
static const double read_share = 40.0;  /* reading rests so many times as long as it took, */
static const double look_share = 400.0; /* and looking closely */
static const double look_pause = 0.5;
static const double life_pause = 5.0;
enum { CHUNK = 8000, ASKED_MOST = 32 };

typedef struct asked {
    uint64_t run;
    zilch_action action;
    double value;
} asked;

/* What a thread of its own looks at. */
typedef struct looking {
    pthread_t thread;
    int is_begun, is_done;
    const char *path;
    uint64_t run, generations;
    double cost;
    char *text;
} looking;

/* When a run was looked at last, and at which generation. */
typedef struct looked {
    uint64_t generations;
    double next;
    int is_over;
} looked;

typedef struct server {
    const live_options *options;
    char token[LIVE_TOKEN_LETTERS + 1];
    http *http;
    follow *follow;
    pthread_mutex_t lock; /* guards what both threads use: */
    asked queue[ASKED_MOST];
    size_t queued;
    live_flights flights;
    /* The rest is the reader's. */
    looking look;
    looked *run;
    size_t runs;
    double read_next, life_next;
} server;

/* ---- Answers, on the server's thread ------------------------------------------------------------------- */

static const char *type_of(const char *file)
{
    const char *end = strrchr(file, '.');
    return strcmp(end, ".css") == 0  ? "text/css; charset=utf-8"
           : strcmp(end, ".js") == 0 ? "text/javascript; charset=utf-8"
                                     : "text/html; charset=utf-8";
}

/* A flight is there only when it is asked for by the page. */
static void put_no_episodes(FILE *stream, const void *context)
{
    (void)context;
    fputs("[]", stream);
}

static const page_place places[] = {{"@EPISODES@", put_no_episodes}, {NULL, NULL}};

static char *make_file(const char *file)
{
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    if (!stream) {
        return NULL;
    }
    page_template_put(stream, file, places, NULL);
    return fclose(stream) == 0 ? text : NULL;
}

/* 202: the study will have it in a moment, and the search when it looks. */
static http_answer take_command(server *s, const live_call *call)
{
    pthread_mutex_lock(&s->lock);
    const int is_room = s->queued < ASKED_MOST;
    if (is_room) {
        s->queue[s->queued++] = (asked){call->run, call->action, call->value};
    }
    pthread_mutex_unlock(&s->lock);
    http_wake(s->http);
    return (http_answer){.status = is_room ? 202 : 429};
}

static http_answer answer(void *context, const live_request *request)
{
    server *s = context;
    live_call call;
    const unsigned status = live_request_read(request, s->token, &call);
    if (status != 200) {
        return (http_answer){.status = status};
    }
    if (call.kind == LIVE_COMMAND) {
        return take_command(s, &call);
    }
    if (call.kind == LIVE_EVENTS) {
        return (http_answer){.status = 200, .type = "text/event-stream; charset=utf-8", .is_stream = 1};
    }
    http_answer a = {.status = 200};
    if (call.kind == LIVE_FILE) {
        a.type = type_of(call.file);
        a.body = make_file(call.file);
    } else {
        a.type = "application/json";
        pthread_mutex_lock(&s->lock);
        a.body = live_flight_copy(&s->flights, call.run);
        pthread_mutex_unlock(&s->lock);
        a.status = a.body ? 200 : 404;
    }
    a.status = a.body || a.status != 200 ? a.status : 500;
    return a;
}

/* ---- Commands ---------------------------------------------------------------------------------------------
 */

/* By another process of this program: SQLite cannot have a file open in one process both as a reader that
 * changes nothing and as a writer. */
static int steer(const char *study, const asked *a)
{
    char run[24];
    char value[ZILCH_NUMBER_SIZE];
    char *words[] = {"zilch",
                     "steer",
                     "--run",
                     run,
                     "--",
                     (char *)study,
                     (char *)zilch_action_name(a->action),
                     isnan(a->value) ? NULL : value,
                     NULL};
    posix_spawn_file_actions_t actions;
    pid_t process;
    int status = -1;
    snprintf(run, sizeof run, "%llu", (unsigned long long)a->run);
    zilch_number_format(a->value, value);
    if (posix_spawn_file_actions_init(&actions) != 0) {
        return CLI_FAILED;
    }
    const int failed =
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0) != 0 ||
        posix_spawn(&process, "/proc/self/exe", &actions, NULL, words, environ) != 0;
    posix_spawn_file_actions_destroy(&actions);
    while (!failed && waitpid(process, &status, 0) < 0 && errno == EINTR) {
    }
    return failed || status != 0;
}

static void take_commands(server *s)
{
    asked list[ASKED_MOST];
    pthread_mutex_lock(&s->lock);
    const size_t count = s->queued;
    memcpy(list, s->queue, count * sizeof *list);
    s->queued = 0;
    pthread_mutex_unlock(&s->lock);
    for (size_t i = 0; i < count; i++) {
        if (steer(s->options->study, &list[i])) {
            http_tell(
                s->http, 0, "refused",
                "\"The study did not take this: can it be written, and may this run be asked for it?\"");
        }
        s->read_next = 0;
    }
}

/* ---- Looking closely
 * ---------------------------------------------------------------------------------------- */

/* What a thread has cost so far, in seconds of a processor: waiting costs nothing. */
static double cost_so_far(void)
{
    struct timespec now;
    return clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now) == 0 ? (double)now.tv_sec + 1e-9 * (double)now.tv_nsec
                                                             : 0.0;
}

static void *look(void *context)
{
    looking *l = context;
    const double before = cost_so_far();
    char *text = follow_look(l->path, l->run);
    l->cost = cost_so_far() - before;
    l->text = text;
    __atomic_store_n(&l->is_done, 1, __ATOMIC_RELEASE);
    return NULL;
}

static void take_look(server *s)
{
    looking *l = &s->look;
    if (!l->is_begun || !__atomic_load_n(&l->is_done, __ATOMIC_ACQUIRE)) {
        return;
    }
    pthread_join(l->thread, NULL);
    for (size_t i = 0; i < s->runs; i++) {
        if (follow_at(s->follow, i).run == l->run) {
            s->run[i].next = cli_seconds() + fmax(look_pause, look_share * l->cost);
        }
    }
    if (l->text) {
        follow_take_look(s->follow, l->run, l->text);
    }
    *l = (looking){.is_begun = 0};
}

/* One after the other; the end of a run is looked at at once. */
static void begin_look(server *s)
{
    const double now = cli_seconds();
    for (size_t i = 0; i < s->runs && !s->look.is_begun; i++) {
        const follow_state state = follow_at(s->follow, i);
        looked *last = &s->run[i];
        const int is_end = state.is_over && !last->is_over;
        if (state.generations == 0 || (state.generations == last->generations && !is_end) ||
            (now < last->next && !is_end)) {
            continue;
        }
        s->look = (looking){.is_begun = 1, .path = s->options->study, .run = state.run};
        last->generations = state.generations;
        last->is_over = state.is_over;
        if (pthread_create(&s->look.thread, NULL, look, &s->look) != 0) {
            s->look.is_begun = 0;
            return;
        }
    }
}

/* ---- What is told
 * --------------------------------------------------------------------------------------------- */

static int make_places(server *s)
{
    const size_t count = follow_count(s->follow);
    if (count == s->runs) {
        return 0;
    }
    looked *grown = realloc(s->run, count * sizeof *grown);
    if (!grown) {
        return cli_fail("out of memory");
    }
    memset(grown + s->runs, 0, (count - s->runs) * sizeof *grown);
    s->run = grown;
    s->runs = count;
    return 0;
}

static void tell_flights(server *s)
{
    for (size_t i = 0; i < s->runs; i++) {
        const follow_state state = follow_at(s->follow, i);
        if (state.is_lander && state.best &&
            live_flight_fly(&s->flights, &s->lock, &state, follow_problem(s->follow, i))) {
            char text[32];
            snprintf(text, sizeof text, "%llu", (unsigned long long)state.run);
            http_tell(s->http, 0, "flight", text);
        }
    }
}

static void tell(server *s, size_t is_somebody_new)
{
    const double now = cli_seconds();
    char *news = follow_text(s->follow, 0);
    if (news) {
        http_tell(s->http, 0, "news", news);
    }
    free(news);
    if (is_somebody_new) {
        char *whole = follow_text(s->follow, 1);
        if (whole) {
            http_tell(s->http, 1, "whole", whole);
        }
        free(whole);
    }
    if (now >= s->life_next) {
        http_tell(s->http, 0, NULL, NULL);
        s->life_next = now + life_pause;
    }
}

static int read_news(server *s)
{
    const double before = cost_so_far();
    int is_more = 0;
    if (cli_seconds() < s->read_next) {
        return 0;
    }
    if (follow_read(s->follow, CHUNK, &is_more) || make_places(s)) {
        return CLI_FAILED;
    }
    const double rest = is_more ? 0.0 : fmin(2.0, read_share * (cost_so_far() - before));
    s->read_next = cli_seconds() + rest;
    return 0;
}

static int is_alone(const server *s)
{
    return s->options->beside && kill(s->options->beside, 0) != 0 && errno == ESRCH;
}

static int serve(server *s)
{
    int failed = 0;
    int is_last = 0;
    while (!failed && !is_last) {
        is_last = cli_is_stopped() || is_alone(s); /* then once more */
        const size_t is_somebody_new = http_wait(s->http, is_last ? 0 : tick);
        if (is_somebody_new) { /* hears what is known, before more is read */
            tell(s, is_somebody_new);
        }
        take_commands(s);
        s->read_next = is_last ? 0 : s->read_next;
        failed = read_news(s);
        take_look(s);
        if (!failed) {
            tell(s, 0);
        }
        if (!failed && !is_last && http_listeners(s->http)) {
            begin_look(s);
            tell_flights(s);
        }
    }
    return failed;
}

/* ---- From beginning to end
 * --------------------------------------------------------------------------------------- */

/* A close look at a long run takes minutes, and nobody waits for it: it only reads, so the process ends in
 * the midst of it. */
static void end_look(server *s, int status)
{
    if (s->look.is_begun && !__atomic_load_n(&s->look.is_done, __ATOMIC_ACQUIRE)) {
        fflush(NULL);
        pthread_detach(s->look.thread);
        _exit(status);
    }
    if (s->look.is_begun) {
        pthread_join(s->look.thread, NULL);
        free(s->look.text);
    }
}

static void close_server(server *s, int status)
{
    if (s->http) {
        http_tell(s->http, 0, "end", "0");
    }
    http_close(s->http);
    end_look(s, status);
    follow_close(s->follow);
    live_flights_free(&s->flights);
    pthread_mutex_destroy(&s->lock);
    free(s->run);
}

int live_serve(const live_options *options)
{
    server s = {.options = options, .lock = PTHREAD_MUTEX_INITIALIZER};
    cli_watch_signals();
    (void)!nice(5); /* the search goes first */
    int failed = http_is_missing() || follow_open(&s.follow, options->study) || live_token_make(s.token) ||
                 make_places(&s) || http_open(&s.http, options->port, answer, &s);
    if (!failed) {
        printf("live page: " LIVE_ADDRESS "\n", http_port(s.http), s.token);
        fflush(stdout);
        failed = serve(&s);
    }
    close_server(&s, failed);
    return failed;
}
