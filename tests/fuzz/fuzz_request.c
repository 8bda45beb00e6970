/* Requests to the live page: nothing that a browser or anybody else says is taken without its reason. */
#include "fuzz.h"

#include "live/live_request.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char token[] = "0123456789abcdef0123456789abcdef";
enum { FIELDS = 11, MOST = 4096 };

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    return 0;
}

/* The fields stand on lines; an empty one was not said. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char text[MOST + 1];
    const char *field[FIELDS] = {0};
    const size_t length = size < MOST ? size : MOST;
    live_call call;
    memcpy(text, data, length);
    text[length] = '\0';
    char *at = text;
    for (size_t i = 0; i < FIELDS && at; i++) {
        char *end = strchr(at, '\n');
        if (end) {
            *end = '\0';
        }
        field[i] = *at ? at : NULL;
        at = end ? end + 1 : NULL;
    }
    const live_request r = {.method = field[0],
                            .path = field[1],
                            .host = field[2],
                            .origin = field[3],
                            .site = field[4],
                            .length = field[5],
                            .encoding = field[6],
                            .token = field[7],
                            .run = field[8],
                            .action = field[9],
                            .value = field[10]};
    const unsigned status = live_request_read(&r, token, &call);
    assert(status == 200 || status == 400 || status == 403 || status == 404 || status == 405 ||
           status == 413);
    if (status != 200) {
        return 0;
    }
    assert(strncmp(r.host, "127.0.0.1", 9) == 0 || strncmp(r.host, "localhost", 9) == 0 ||
           strncmp(r.host, "[::1]", 5) == 0);
    assert(!r.origin || strcmp(r.origin + strlen("http://"), r.host) == 0);
    assert(strcmp(r.method, call.kind == LIVE_COMMAND ? "POST" : "GET") == 0);
    assert((call.kind == LIVE_FILE) == (call.file != NULL));
    assert(call.kind == LIVE_FILE || strcmp(r.token, token) == 0);
    if (call.kind == LIVE_COMMAND) {
        const int is_limit =
            call.action == ZILCH_ACTION_EVALUATIONS || call.action == ZILCH_ACTION_GENERATIONS;
        const int is_number = is_limit || call.action == ZILCH_ACTION_PENALTY;
        assert(call.run > 0 && zilch_action_name(call.action));
        assert(is_number ? call.value >= 0.0 && isfinite(call.value) : isnan(call.value));
        assert(!is_limit || call.value == floor(call.value));
    }
    return 0;
}
