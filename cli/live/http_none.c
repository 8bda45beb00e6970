/* A build without libmicrohttpd. */
#include "live/http.h"

#include "terminal/cli.h"

int http_is_missing(void)
{
    return cli_fail("this zilch was built without the live page, which needs libmicrohttpd");
}

int http_open(http **out, unsigned port, http_handler handler, void *context)
{
    (void)port;
    (void)handler;
    (void)context;
    *out = NULL;
    return http_is_missing();
}

unsigned http_port(const http *h)
{
    (void)h;
    return 0;
}

size_t http_wait(http *h, double seconds)
{
    (void)h;
    (void)seconds;
    return 0;
}

void http_wake(http *h)
{
    (void)h;
}

size_t http_listeners(http *h)
{
    (void)h;
    return 0;
}

void http_tell(http *h, int is_new, const char *name, const char *data)
{
    (void)h;
    (void)is_new;
    (void)name;
    (void)data;
}

void http_close(http *h)
{
    (void)h;
}
