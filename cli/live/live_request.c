/* Requests. A page of another host that a browser is led to must not reach this one: the address that it was
 * asked for by has to be this machine's own (against names that are made to lead here), requests that say
 * where they come from have to come from the page itself, and whatever is of the study needs the token, which
 * no other page knows. */
#include "live/live_request.h"

#include "terminal/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- The token ------------------------------------------------------------------------------------- */

int live_token_make(char out[LIVE_TOKEN_LETTERS + 1])
{
    unsigned char bytes[LIVE_TOKEN_LETTERS / 2];
    const int file = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
    const ssize_t got = file >= 0 ? read(file, bytes, sizeof bytes) : -1;
    if (file >= 0) {
        close(file);
    }
    if (got != (ssize_t)sizeof bytes) {
        return cli_fail("/dev/urandom: cannot be read: %s", strerror(errno));
    }
    for (size_t i = 0; i < sizeof bytes; i++) {
        snprintf(out + 2 * i, 3, "%02x", bytes[i]);
    }
    return 0;
}

/* In the same time wherever they differ. */
static int is_token(const char *said, const char *token)
{
    unsigned difference = 0;
    if (!said || strlen(said) != LIVE_TOKEN_LETTERS) {
        return 0;
    }
    for (size_t i = 0; i < LIVE_TOKEN_LETTERS; i++) {
        difference |= (unsigned)(unsigned char)said[i] ^ (unsigned char)token[i];
    }
    return difference == 0;
}

/* ---- Where it comes from ---------------------------------------------------------------------------- */

/* Behind a name that is this machine's own, a port or nothing: any port, as ssh forwards from another. */
static int is_own_host(const char *host)
{
    static const char *const names[] = {"127.0.0.1", "localhost", "[::1]"};
    for (size_t i = 0; host && i < sizeof names / sizeof *names; i++) {
        const size_t length = strlen(names[i]);
        if (strncmp(host, names[i], length) == 0) {
            const char *port = host + length;
            const size_t digits = *port == ':' ? strspn(port + 1, "0123456789") : 0;
            if (!*port || (digits >= 1 && digits <= 5 && !port[1 + digits])) {
                return 1;
            }
        }
    }
    return 0;
}

/* Browsers say from which page a request comes, and others need not. */
static int is_from_here(const live_request *r)
{
    static const char scheme[] = "http://";
    const size_t length = strlen(scheme);
    const int is_origin =
        !r->origin || (strncmp(r->origin, scheme, length) == 0 && strcmp(r->origin + length, r->host) == 0);
    const int is_site = !r->site || strcmp(r->site, "same-origin") == 0 || strcmp(r->site, "none") == 0;
    return is_origin && is_site;
}

/* ---- What it asks for --------------------------------------------------------------------------------- */

static const struct {
    const char *path, *method;
    live_kind kind;
    const char *file;
} places[] = {
    {"/", "GET", LIVE_FILE, "live.html"},
    {"/page.css", "GET", LIVE_FILE, "page.css"},
    {"/charts.css", "GET", LIVE_FILE, "charts.css"},
    {"/live.css", "GET", LIVE_FILE, "live.css"},
    {"/charts.js", "GET", LIVE_FILE, "charts.js"},
    {"/landing.js", "GET", LIVE_FILE, "landing.js"},
    {"/live.js", "GET", LIVE_FILE, "live.js"},
    {"/events", "GET", LIVE_EVENTS, NULL},
    {"/flight", "GET", LIVE_FLIGHT, NULL},
    {"/command", "POST", LIVE_COMMAND, NULL},
};
enum { PLACES = sizeof places / sizeof *places };

static int read_run(const char *text, uint64_t *out)
{
    const size_t digits = text ? strspn(text, "0123456789") : 0;
    if (!digits || digits > 15 || text[digits]) {
        return 0;
    }
    *out = strtoull(text, NULL, 10);
    return *out > 0;
}

static unsigned read_command(const live_request *r, live_call *out)
{
    const int has_value = r->value && *r->value;
    out->value = NAN;
    if (!read_run(r->run, &out->run) || !r->action ||
        zilch_action_parse(r->action, &out->action) != ZILCH_OK ||
        (has_value && !zilch_number_parse(r->value, &out->value))) {
        return 400;
    }
    return zilch_action_takes(out->action, out->value) ? 200 : 400;
}

static int has_body(const live_request *r)
{
    return r->encoding || (r->length && strcmp(r->length, "0") != 0);
}

unsigned live_request_read(const live_request *r, const char token[LIVE_TOKEN_LETTERS + 1], live_call *out)
{
    size_t i = 0;
    *out = (live_call){.value = NAN};
    if (!r->method || !r->path) {
        return 400;
    }
    if (!is_own_host(r->host) || !is_from_here(r)) {
        return 403;
    }
    while (i < PLACES && strcmp(r->path, places[i].path) != 0) {
        i++;
    }
    if (i == PLACES) {
        return 404;
    }
    if (strcmp(r->method, places[i].method) != 0) {
        return 405;
    }
    if (has_body(r)) {
        return 413;
    }
    out->kind = places[i].kind;
    out->file = places[i].file;
    if (out->kind == LIVE_FILE) {
        return 200;
    }
    if (!is_token(r->token, token)) {
        return 403;
    }
    if (out->kind == LIVE_COMMAND) {
        return read_command(r, out);
    }
    return out->kind == LIVE_FLIGHT && !read_run(r->run, &out->run) ? 400 : 200;
}
