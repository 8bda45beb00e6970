/* Playing the lander. Each thread has a batch of worlds; a world whose episode has ended takes the next
 * seed that nobody has, so that the lanes stay busy to the end. Results are kept by seed, and a
 * world does not depend on its neighbours: neither threads nor lanes change them. Nothing is
 * allocated once the batches are. */
#include "play.h"

#include "cli.h"
#include "suggest.h"

#include <errno.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BATCH_MOST = 1024, TEXT_MOST = 1 << 20 };

static const double solved_return = 200.0;

/* ---- Controllers ------------------------------------------------------------------------ */

/* The whole of a small file, ending in NUL; NULL after printing. */
static char *read_stream(FILE *stream, const char *name)
{
    char *text = malloc(TEXT_MOST + 1);
    if (!text) {
        cli_fail("out of memory");
        return NULL;
    }
    errno = 0;
    const size_t length = fread(text, 1, TEXT_MOST + 1, stream);
    if (ferror(stream)) {
        cli_fail("%s: cannot read: %s", name, strerror(errno));
    } else if (length > TEXT_MOST) {
        cli_fail("%s: is larger than a megabyte: this is no controller", name);
    } else if (memchr(text, '\0', length)) {
        cli_fail("%s: has a NUL byte: this is no text file", name);
    } else {
        text[length] = '\0';
        return text;
    }
    free(text);
    return NULL;
}

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

static int read_file(const char *name, char **text)
{
    const int standard = strcmp(name, "-") == 0;
    FILE *stream = standard ? stdin : fopen(name, "rbe");
    if (!stream) {
        return cannot_open(name, errno);
    }
    *text = read_stream(stream, standard ? "standard input" : name);
    if (!standard) {
        fclose(stream);
    }
    return !*text;
}

int play_controller_read(play_controller *out, const char *name)
{
    *out = (play_controller){.is_heuristic = strcmp(name, "heuristic") == 0};
    if (out->is_heuristic) {
        return 0;
    }
    if (strcmp(name, "published") == 0) {
        return zilch_policy_parse(zilch_policy_published(), out->parameters) == ZILCH_OK ? 0
                                                                                         : cli_fail_library();
    }
    char *text = NULL;
    if (read_file(name, &text)) {
        return 1;
    }
    const zilch_status status = zilch_policy_parse(text, out->parameters);
    free(text);
    return status == ZILCH_OK
               ? 0
               : cli_fail("%s: %s", strcmp(name, "-") == 0 ? "standard input" : name, zilch_last_error());
}

static void act(const play_controller *c, size_t worlds, const zilch_lander *lander, double *actions)
{
    const float *observations = zilch_lander_observations(lander);
    if (c->is_heuristic) {
        zilch_lander_heuristic(worlds, observations, actions);
    } else {
        zilch_policy_act(c->parameters, worlds, observations, actions);
    }
}

/* ---- Many episodes ---------------------------------------------------------------------- */

typedef struct game {
    const play_setting *setting;
    play_result *result;
    size_t worlds; /* in a batch */
    play_progress progress;
    void *context;
    atomic_size_t next, done;
} game;

/* One thread's. */
typedef struct batch {
    zilch_lander *lander;
    double actions[BATCH_MOST * ZILCH_LANDER_ACTIONS];
    double total[BATCH_MOST];
    size_t episode[BATCH_MOST]; /* that the world plays; result->count: none any more */
    size_t playing;
} batch;

/* The next episode for a world, if there is one. */
static zilch_status begin_episode(game *g, batch *b, size_t world)
{
    const size_t count = g->result->count;
    size_t index = atomic_load(&g->next);
    while (index < count && !atomic_compare_exchange_weak(&g->next, &index, index + 1)) {
    }
    b->episode[world] = index;
    b->total[world] = 0.0;
    if (index >= count) {
        return ZILCH_OK;
    }
    b->playing++;
    return zilch_lander_reset(b->lander, world, g->setting->seed + index);
}

static zilch_status end_episode(game *g, batch *b, size_t world)
{
    const size_t index = b->episode[world];
    zilch_lander_view view;
    const zilch_status status = zilch_lander_look(b->lander, world, &view);
    if (status != ZILCH_OK) {
        return status;
    }
    g->result->total[index] = b->total[world];
    g->result->steps[index] = (uint16_t)view.steps;
    g->result->ending[index] = (unsigned char)view.landing;
    b->playing--;
    g->progress(g->context, atomic_fetch_add(&g->done, 1) + 1);
    return begin_episode(g, b, world);
}

static zilch_status step_batch(game *g, batch *b)
{
    act(&g->setting->controller, g->worlds, b->lander, b->actions);
    zilch_status status = zilch_lander_step(b->lander, b->actions);
    const double *reward = zilch_lander_rewards(b->lander);
    const unsigned char *terminated = zilch_lander_terminated(b->lander);
    const unsigned char *truncated = zilch_lander_truncated(b->lander);
    for (size_t i = 0; i < g->worlds && status == ZILCH_OK; i++) {
        if (b->episode[i] >= g->result->count) {
            continue;
        }
        b->total[i] += reward[i];
        if (terminated[i] || truncated[i]) {
            status = end_episode(g, b, i);
        }
    }
    return status;
}

static zilch_status play_batch(game *g, batch *b)
{
    zilch_status status = zilch_lander_create(&b->lander, g->worlds, &g->setting->options);
    for (size_t i = 0; i < g->worlds && status == ZILCH_OK; i++) {
        status = begin_episode(g, b, i);
        if (b->episode[i] >=
            g->result->count) { /* none was left, but a batch steps only when all were reset */
            status = zilch_lander_reset(b->lander, i, g->setting->seed);
        }
    }
    while (status == ZILCH_OK && b->playing > 0) {
        status = cli_is_stopped() ? ZILCH_ESTOPPED : step_batch(g, b);
    }
    zilch_lander_destroy(b->lander);
    return status;
}

static zilch_status run_batch(void *context, size_t index)
{
    (void)index;
    batch *b = calloc(1, sizeof *b);
    if (!b) {
        return ZILCH_ENOMEM;
    }
    const zilch_status status = play_batch(context, b);
    free(b);
    return status;
}

zilch_status play_allocate(play_result *result, size_t count)
{
    *result = (play_result){.count = count};
    result->total = calloc(count, sizeof *result->total);
    result->steps = calloc(count, sizeof *result->steps);
    result->ending = calloc(count, sizeof *result->ending);
    result->sorted = calloc(count, sizeof *result->sorted);
    return result->total && result->steps && result->ending && result->sorted ? ZILCH_OK : ZILCH_ENOMEM;
}

void play_free(play_result *result)
{
    free(result->total);
    free(result->steps);
    free(result->ending);
    free(result->sorted);
}

zilch_status play_run(const play_setting *setting, play_progress progress, void *context, play_result *result)
{
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    size_t threads = setting->threads ? setting->threads : (size_t)(processors > 0 ? processors : 1);
    zilch_status status = play_allocate(result, setting->episodes);
    if (status != ZILCH_OK) {
        return status;
    }
    threads = threads < result->count ? threads : result->count;
    const size_t each = (result->count + threads - 1) / threads;
    game g = {.setting = setting,
              .result = result,
              .worlds = each < BATCH_MOST ? each : BATCH_MOST,
              .progress = progress,
              .context = context};
    return zilch_parallel((unsigned)threads, threads, run_batch, &g);
}

/* ---- Summary ------------------------------------------------------------------------------ */

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Between order statistics linearly. */
static double quantile(const double *sorted, size_t count, double share)
{
    const double position = share * (double)(count - 1);
    const size_t low = (size_t)position;
    const size_t high = low + 1 < count ? low + 1 : low;
    return sorted[low] + (position - (double)low) * (sorted[high] - sorted[low]);
}

play_summary play_summarise(play_result *result)
{
    play_summary s = {0};
    const size_t n = result->count;
    size_t solved = 0;
    for (size_t i = 0; i < n; i++) {
        s.steps += result->steps[i];
        s.mean += result->total[i];
        s.ending[result->ending[i]]++;
        solved += result->total[i] >= solved_return;
    }
    s.mean /= (double)n;
    s.solved = (double)solved / (double)n;
    double squares = 0.0;
    for (size_t i = 0; i < n; i++) {
        squares += (result->total[i] - s.mean) * (result->total[i] - s.mean);
    }
    s.deviation = n > 1 ? sqrt(squares / (double)(n - 1)) : NAN;
    memcpy(result->sorted, result->total, n * sizeof *result->sorted);
    qsort(result->sorted, n, sizeof *result->sorted, ascending);
    for (int k = 0; k < PLAY_QUARTILES; k++) {
        s.quantile[k] = quantile(result->sorted, n, (double)k / (PLAY_QUARTILES - 1));
    }
    return s;
}

/* ---- One episode ---------------------------------------------------------------------------- */

static zilch_status take_frame(const zilch_lander *lander, double total, play_frame *out)
{
    memcpy(out->observation, zilch_lander_observations(lander), sizeof out->observation);
    out->reward = *zilch_lander_rewards(lander);
    out->total = total + out->reward;
    out->terminated = *zilch_lander_terminated(lander);
    out->truncated = *zilch_lander_truncated(lander);
    return zilch_lander_look(lander, 0, &out->view);
}

static zilch_status record(const play_setting *s, const play_actions *actions, zilch_lander *lander,
                           play_episode *e)
{
    zilch_status status = zilch_lander_reset(lander, 0, s->seed);
    status = status == ZILCH_OK ? take_frame(lander, 0.0, &e->frame[0]) : status;
    while (status == ZILCH_OK && e->steps < ZILCH_LANDER_MOST_STEPS) {
        const play_frame *last = &e->frame[e->steps];
        double action[ZILCH_LANDER_ACTIONS];
        if (last->terminated || last->truncated || (actions && e->steps == actions->count)) {
            break;
        }
        if (actions) {
            memcpy(action, actions->x + e->steps * ZILCH_LANDER_ACTIONS, sizeof action);
        } else {
            act(&s->controller, 1, lander, action);
        }
        status = zilch_lander_step(lander, action);
        if (status == ZILCH_OK) {
            e->steps++;
            status = take_frame(lander, last->total, &e->frame[e->steps]);
        }
    }
    return status;
}

zilch_status play_record(const play_setting *setting, const play_actions *actions, play_episode **out)
{
    zilch_lander *lander;
    *out = NULL;
    zilch_status status = zilch_lander_create(&lander, 1, &setting->options);
    if (status != ZILCH_OK) {
        return status;
    }
    play_episode *e = calloc(1, sizeof *e);
    if (e) {
        e->seed = setting->seed;
        status = record(setting, actions, lander, e);
    } else {
        status = ZILCH_ENOMEM;
    }
    zilch_lander_destroy(lander);
    if (status != ZILCH_OK) {
        free(e);
        return status;
    }
    *out = e;
    return ZILCH_OK;
}
