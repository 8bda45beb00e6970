/* A server for this machine alone: answers that are whole, and streams of events (server-sent events, WHATWG
 * HTML) that go to everybody who listens. The only file that knows libmicrohttpd is http.c; without it,
 * http_none.c stands in its place. */
#ifndef HTTP_H
#define HTTP_H

#include "live/live_request.h"

#include <stddef.h>

typedef struct http http;

typedef struct http_answer {
    unsigned status;
    const char *type; /* of the body */
    char *body;       /* to be freed; NULL: the status alone */
    int is_stream;    /* instead of a body: events from now on */
} http_answer;

/* Called on the server's own thread, for each request. */
typedef http_answer (*http_handler)(void *context, const live_request *request);

/* Listens at 127.0.0.1, at this port, or at a free one if it is 0. 0, or 1 after printing why. */
int http_open(http **out, unsigned port, http_handler handler, void *context);
unsigned http_port(const http *h);

/* 0, or 1 after printing that this build has no live page. */
int http_is_missing(void);

/* Waits until somebody has begun to listen or http_wake() was called, at most so many seconds. Gives how
 * many have begun to listen and have heard nothing yet. */
size_t http_wait(http *h, double seconds);
void http_wake(http *h);
size_t http_listeners(http *h);

/* An event, to those who have heard something, or to those who have not. A name of letters; `data` is one
 * line, NULL: a sign of life, which is no event. Whoever is too slow to take it hears anew later. */
void http_tell(http *h, int is_new, const char *name, const char *data);

/* What was told is sent, for a second at most, and all connections are closed. */
void http_close(http *h);

#endif
