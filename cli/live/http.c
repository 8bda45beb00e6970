/* The server, by libmicrohttpd on a thread of its own, which never waits for anybody: a stream without news
 * is suspended, and woken when there are some. Texts that are told are shared by all who wait for them. */
#include "live/http.h"

#include "terminal/cli.h"
#include "terminal/waiting.h"

#include <errno.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { QUEUE = 64, CONNECTIONS = 256, SLOW_SECONDS = 10, HEAD_BYTES = 16384 };

typedef struct message {
    size_t holders;
    size_t length;
    char text[];
} message;

typedef struct stream {
    http *server;
    struct MHD_Connection *connection;
    struct stream *next;
    message *queue[QUEUE];
    size_t count, sent; /* messages that wait, and bytes of the first that are gone */
    int is_new;         /* has heard nothing yet, or has missed something */
    int is_suspended;
} stream;

struct http {
    struct MHD_Daemon *daemon;
    http_handler handler;
    void *context;
    unsigned port;
    pthread_mutex_t lock; /* guards all below */
    pthread_cond_t change;
    stream *streams;
    int is_woken, is_ending;
};

/* ---- Messages --------------------------------------------------------------------------------------- */

static void release(message *m)
{
    if (--m->holders == 0) {
        free(m);
    }
}

static void drop_first(stream *s)
{
    release(s->queue[0]);
    s->count--;
    memmove(s->queue, s->queue + 1, s->count * sizeof(message *));
    s->sent = 0;
}

static message *make_message(const char *name, const char *data)
{
    static const char alive[] = "event: alive\ndata: 0\n\n";
    const size_t size = (data ? strlen(data) + strlen(name) : 0) + 48;
    message *m = malloc(sizeof *m + size);
    if (m) {
        const int length = data ? snprintf(m->text, size, "event: %s\ndata: %s\n\n", name, data)
                                : snprintf(m->text, size, "%s", alive);
        m->holders = 1;
        m->length = (size_t)length;
    }
    return m;
}

static void resume(stream *s)
{
    if (s->is_suspended) {
        s->is_suspended = 0;
        MHD_resume_connection(s->connection);
    }
}

/* A message that is half sent has to be finished. */
static void enqueue(stream *s, message *m)
{
    if (s->count == QUEUE) {
        while (s->count > 1) {
            release(s->queue[--s->count]);
        }
        s->is_new = 1;
        return;
    }
    m->holders++;
    s->queue[s->count++] = m;
    resume(s);
}

void http_tell(http *h, int is_new, const char *name, const char *data)
{
    message *m = make_message(name, data);
    if (!m) {
        return;
    }
    pthread_mutex_lock(&h->lock);
    for (stream *s = h->streams; s; s = s->next) {
        if (s->is_new == is_new) {
            s->is_new = 0;
            enqueue(s, m);
        }
    }
    release(m);
    pthread_mutex_unlock(&h->lock);
}

/* ---- Streams ---------------------------------------------------------------------------------------- */

static ssize_t read_stream(void *context, uint64_t position, char *out, size_t most)
{
    stream *s = context;
    http *h = s->server;
    ssize_t length = 0;
    (void)position;
    pthread_mutex_lock(&h->lock);
    if (s->count) {
        const message *m = s->queue[0];
        const size_t left = m->length - s->sent;
        const size_t part = left < most ? left : most;
        memcpy(out, m->text + s->sent, part);
        s->sent += part;
        length = (ssize_t)part;
        if (s->sent == m->length) {
            drop_first(s);
        }
    } else if (h->is_ending) {
        length = MHD_CONTENT_READER_END_OF_STREAM;
    } else {
        s->is_suspended = 1;
        MHD_suspend_connection(s->connection);
    }
    pthread_mutex_unlock(&h->lock);
    return length;
}

static void end_stream(void *context)
{
    stream *s = context;
    http *h = s->server;
    pthread_mutex_lock(&h->lock);
    for (stream **at = &h->streams; *at; at = &(*at)->next) {
        if (*at == s) {
            *at = s->next;
            break;
        }
    }
    while (s->count) {
        drop_first(s);
    }
    pthread_cond_broadcast(&h->change);
    pthread_mutex_unlock(&h->lock);
    free(s);
}

static struct MHD_Response *begin_stream(http *h, struct MHD_Connection *connection)
{
    enum { BLOCK = 1 << 16 };
    stream *s = calloc(1, sizeof *s);
    if (!s) {
        return NULL;
    }
    *s = (stream){.server = h, .connection = connection, .is_new = 1};
    struct MHD_Response *response =
        MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, BLOCK, read_stream, s, end_stream);
    if (!response) {
        free(s);
        return NULL;
    }
    pthread_mutex_lock(&h->lock);
    s->next = h->streams;
    h->streams = s;
    pthread_cond_broadcast(&h->change);
    pthread_mutex_unlock(&h->lock);
    return response;
}

/* ---- Answers ---------------------------------------------------------------------------------------- */

/* Nothing but our own files, no frame around them, nothing kept. */
static const struct {
    const char *name, *value;
} headers[] = {
    {"Content-Security-Policy",
     "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
     "img-src 'self' data:; base-uri 'none'; form-action 'none'; "
     "frame-ancestors 'none'"},
    {"X-Content-Type-Options", "nosniff"},
    {"X-Frame-Options", "DENY"},
    {"Referrer-Policy", "no-referrer"},
    {"Cross-Origin-Resource-Policy", "same-origin"},
    {"Cross-Origin-Opener-Policy", "same-origin"},
    {"Cache-Control", "no-store"},
};

static enum MHD_Result send_answer(http *h, struct MHD_Connection *connection, const http_answer *a)
{
    struct MHD_Response *response =
        a->is_stream ? begin_stream(h, connection)
        : a->body    ? MHD_create_response_from_buffer(strlen(a->body), a->body, MHD_RESPMEM_MUST_FREE)
                     : MHD_create_response_from_buffer(0, NULL, MHD_RESPMEM_PERSISTENT);
    if (!response) {
        free(a->body);
        return MHD_NO;
    }
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
        (void)MHD_add_response_header(response, headers[i].name, headers[i].value);
    }
    if (a->type) {
        (void)MHD_add_response_header(response, "Content-Type", a->type);
    }
    if (a->status != 200) { /* whatever else it sends is not read */
        (void)MHD_add_response_header(response, "Connection", "close");
    }
    const enum MHD_Result result = MHD_queue_response(connection, a->status, response);
    MHD_destroy_response(response);
    return result;
}

static const char *header(struct MHD_Connection *connection, const char *name)
{
    return MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
}

static const char *argument(struct MHD_Connection *connection, const char *name)
{
    return MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, name);
}

static enum MHD_Result handle(void *context, struct MHD_Connection *connection, const char *url,
                              const char *method, const char *version, const char *upload,
                              size_t *upload_size, void **state)
{
    http *h = context;
    const char *token = header(connection, "X-Zilch-Token");
    (void)version;
    (void)upload;
    (void)state;
    if (*upload_size) { /* a body was refused before */
        return MHD_NO;
    }
    const live_request request = {.method = method,
                                  .path = url,
                                  .host = header(connection, MHD_HTTP_HEADER_HOST),
                                  .origin = header(connection, MHD_HTTP_HEADER_ORIGIN),
                                  .site = header(connection, "Sec-Fetch-Site"),
                                  .length = header(connection, MHD_HTTP_HEADER_CONTENT_LENGTH),
                                  .encoding = header(connection, MHD_HTTP_HEADER_TRANSFER_ENCODING),
                                  .token = token ? token : argument(connection, "token"),
                                  .run = argument(connection, "run"),
                                  .action = argument(connection, "action"),
                                  .value = argument(connection, "value")};
    const http_answer answer = h->handler(h->context, &request);
    return send_answer(h, connection, &answer);
}

/* ---- Opening, waiting, closing ------------------------------------------------------------------------ */

int http_is_missing(void)
{
    return 0;
}

int http_open(http **out, unsigned port, http_handler handler, void *context)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    http *h = calloc(1, sizeof *h);
    *out = NULL;
    if (!h) {
        return cli_fail("out of memory");
    }
    *h = (http){.handler = handler,
                .context = context,
                .lock = PTHREAD_MUTEX_INITIALIZER,
                .change = PTHREAD_COND_INITIALIZER};
    errno = 0;
    h->daemon = MHD_start_daemon(MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_POLL | MHD_ALLOW_SUSPEND_RESUME,
                                 (uint16_t)port, NULL, NULL, handle, h, MHD_OPTION_SOCK_ADDR, &address,
                                 MHD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTIONS,
                                 MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)SLOW_SECONDS,
                                 MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)HEAD_BYTES, MHD_OPTION_END);
    const union MHD_DaemonInfo *info =
        h->daemon ? MHD_get_daemon_info(h->daemon, MHD_DAEMON_INFO_BIND_PORT) : NULL;
    if (!info) {
        const int reason = errno;
        pthread_cond_destroy(&h->change);
        pthread_mutex_destroy(&h->lock);
        free(h);
        return cli_fail("127.0.0.1, port %u: cannot be served: %s", port,
                        reason ? strerror(reason) : "the server does not start");
    }
    h->port = info->port;
    *out = h;
    return 0;
}

unsigned http_port(const http *h)
{
    return h->port;
}

static size_t count(const http *h, int is_new)
{
    size_t found = 0;
    for (const stream *s = h->streams; s; s = s->next) {
        found += !is_new || s->is_new;
    }
    return found;
}

size_t http_wait(http *h, double seconds)
{
    pthread_mutex_lock(&h->lock);
    if (!h->is_woken && !count(h, 1)) {
        cli_wait(&h->change, &h->lock, seconds);
    }
    h->is_woken = 0;
    const size_t found = count(h, 1);
    pthread_mutex_unlock(&h->lock);
    return found;
}

void http_wake(http *h)
{
    pthread_mutex_lock(&h->lock);
    h->is_woken = 1;
    pthread_cond_broadcast(&h->change);
    pthread_mutex_unlock(&h->lock);
}

size_t http_listeners(http *h)
{
    pthread_mutex_lock(&h->lock);
    const size_t found = count(h, 0);
    pthread_mutex_unlock(&h->lock);
    return found;
}

/* No suspended connection may be left when the server stops. */
void http_close(http *h)
{
    if (!h) {
        return;
    }
    const double end = cli_seconds() + 1.0;
    pthread_mutex_lock(&h->lock);
    h->is_ending = 1;
    for (stream *s = h->streams; s; s = s->next) {
        resume(s);
    }
    while (h->streams && cli_seconds() < end) {
        cli_wait(&h->change, &h->lock, 0.1);
    }
    pthread_mutex_unlock(&h->lock);
    MHD_stop_daemon(h->daemon);
    pthread_cond_destroy(&h->change);
    pthread_mutex_destroy(&h->lock);
    free(h);
}
