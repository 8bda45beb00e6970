/* Controllers from files, and the episodes that the library flies with them. */
#include "run/play.h"

#include "options/suggest.h"
#include "run/device.h"
#include "terminal/cli.h"
#include "terminal/progress.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_MOST = 1 << 20 };

/* ---- Controllers ------------------------------------------------------------------------ */

static int cannot_open(const char *name, int reason)
{
    suggestion near = suggestion_for(name, strlen(name));
    suggestion_offer(&near, "published");
    suggestion_offer(&near, "heuristic");
    if (near.best) {
        return cli_fail("%s: cannot open: %s; did you mean '%s'?", name, strerror(reason), near.best);
    }
    return cli_fail("%s: cannot open: %s; --controller is a file, 'published' or 'heuristic'", name,
                    strerror(reason));
}

static int parse(FILE *stream, const char *name, char *text, double *parameters)
{
    errno = 0;
    const size_t length = fread(text, 1, TEXT_MOST + 1, stream);
    if (ferror(stream)) {
        return cli_fail("%s: cannot read: %s", name, strerror(errno));
    }
    if (length > TEXT_MOST) {
        return cli_fail("%s: is larger than a megabyte: this is no controller", name);
    }
    if (memchr(text, '\0', length)) {
        return cli_fail("%s: has a NUL byte: this is no text file", name);
    }
    text[length] = '\0';
    if (zilch_policy_parse(text, parameters) != ZILCH_OK) {
        zilch_error error = zilch_last_error_details();
        error.where = name;
        return cli_fail("%s", cli_error_format(&error, NULL));
    }
    return 0;
}

int play_controller_read(play_controller *out, const char *name)
{
    const int is_standard = strcmp(name, "-") == 0;
    *out = (play_controller){.is_heuristic = strcmp(name, "heuristic") == 0};
    if (out->is_heuristic) {
        return 0;
    }
    if (strcmp(name, "published") == 0) {
        return zilch_policy_parse(zilch_policy_published(), out->parameters) == ZILCH_OK ? 0
                                                                                         : cli_fail_library();
    }
    FILE *stream = is_standard ? stdin : fopen(name, "rbe");
    if (!stream) {
        return cannot_open(name, errno);
    }
    char *text = malloc(TEXT_MOST + 1);
    const int failed = text ? parse(stream, is_standard ? "standard input" : name, text, out->parameters)
                            : cli_fail("out of memory");
    free(text);
    if (!is_standard) {
        fclose(stream);
    }
    return failed;
}

/* ---- Episodes --------------------------------------------------------------------------- */

/* NULL: the heuristic flies. */
static const double *parameters_of(const play_controller *c)
{
    return c->is_heuristic ? NULL : c->parameters;
}

/* A part of all episodes, whose progress is that of all. */
typedef struct part {
    struct progress *line;
    size_t before, of;
} part;

static int watch_part(void *context, size_t done, size_t total)
{
    const part *p = context;
    (void)total;
    return progress_watch(p->line, p->before + done, p->of);
}

/* In parts, so that the memory for their seeds stays small. */
static zilch_status play_on_device(const play_setting *s, struct progress *line, zilch_episode *out)
{
    enum { MOST = 1 << 22 };
    uint64_t *seed = malloc((s->episodes < MOST ? s->episodes : MOST) * sizeof *seed);
    zilch_status status = ZILCH_OK;
    if (!seed) {
        return zilch_fail(ZILCH_ENOMEM, "out of memory");
    }
    for (size_t begin = 0; begin < s->episodes && status == ZILCH_OK; begin += MOST) {
        const size_t left = s->episodes - begin;
        part p = {line, begin, s->episodes};
        const zilch_flights flights = {.count = left < MOST ? left : MOST,
                                       .each = MOST,
                                       .parameters = parameters_of(&s->controller),
                                       .seed = seed,
                                       .options = &s->options,
                                       .watch = watch_part,
                                       .watch_context = &p};
        for (size_t i = 0; i < flights.count; i++) {
            seed[i] = s->seed + begin + i;
        }
        status = device_fly(s->device, &flights, out + begin);
    }
    free(seed);
    return status;
}

zilch_status play_run(const play_setting *s, struct progress *line, play_result *result)
{
    *result = (play_result){.count = s->episodes, .episode = calloc(s->episodes, sizeof *result->episode)};
    if (!result->episode) {
        return zilch_fail(ZILCH_ENOMEM, "out of memory");
    }
    if (s->device) {
        return play_on_device(s, line, result->episode);
    }
    return zilch_episodes_run(parameters_of(&s->controller), &s->options, s->seed, s->episodes,
                              (unsigned)s->threads, progress_watch, line, result->episode);
}

zilch_status play_record(const play_setting *s, const play_actions *actions, play_episode **out)
{
    const zilch_pilot pilot = {.parameters = parameters_of(&s->controller),
                               .actions = actions ? actions->x : NULL,
                               .action_count = actions ? actions->count : 0};
    play_episode *e = calloc(1, sizeof *e);
    *out = NULL;
    if (!e) {
        return ZILCH_ENOMEM;
    }
    e->seed = s->seed;
    const zilch_status status = zilch_episode_record(&pilot, &s->options, s->seed,
                                                     sizeof e->frame / sizeof *e->frame, e->frame, &e->steps);
    if (status != ZILCH_OK) {
        free(e);
        return status;
    }
    *out = e;
    return ZILCH_OK;
}
