/* What a request to the live page asks for, and whether it may. Nothing here knows a server: a request is
 * texts, none of which is trusted. */
#ifndef LIVE_REQUEST_H
#define LIVE_REQUEST_H

#include "zilch.h"

/* NULL: was not said. */
typedef struct live_request {
    const char *method, *path;
    const char *host, *origin, *site; /* the headers Host, Origin and Sec-Fetch-Site */
    const char *length, *encoding;    /* Content-Length and Transfer-Encoding */
    const char *token;                /* the header X-Zilch-Token, or else what the address says */
    const char *run, *action, *value; /* what the address says */
} live_request;

typedef enum live_kind { LIVE_FILE, LIVE_EVENTS, LIVE_FLIGHT, LIVE_COMMAND } live_kind;

typedef struct live_call {
    live_kind kind;
    const char *file; /* of LIVE_FILE, one of the page's own */
    uint64_t run;     /* of a flight and a command; 0: not said */
    zilch_action action;
    double value;
} live_call;

enum { LIVE_TOKEN_LETTERS = 32 };

/* 200, or the status of a refusal:
 *   400  what is asked for is nothing that there is
 *   403  wrong host, another origin, or the token is missing or wrong
 *   404  no such page
 *   405  another method
 *   413  with a body */
unsigned live_request_read(const live_request *request, const char token[LIVE_TOKEN_LETTERS + 1],
                           live_call *out);

/* A new token, of random digits. 0, or 1 after printing why. */
int live_token_make(char out[LIVE_TOKEN_LETTERS + 1]);

#endif
