/* Reading a study as it grows. Rows of generations are read first, as they are few; then evaluations, for
 * what was active when and for the coordinates of the best point. */
#include "study/follow_inside.h"

#include "study/follow_parts.h"
#include "terminal/cli.h"
#include "terminal/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Opening --------------------------------------------------------------------------------------- */

static void free_run(followed *r)
{
    for (size_t i = 0; i < FAILURES_SHOWN; i++) {
        free(r->failure[i].reason);
        free(r->failure[i].output);
    }
    free(r->row);
    free(r->active);
    free(r->defaults);
    free(r->best_x);
    free(r->next_x);
    free(r->commands);
    free(r->conclusion);
    free(r->look);
}

/* Runs that were there keep what is known of them. */
static int take_runs(follow *f)
{
    followed *grown = realloc(f->list, f->file.count * sizeof *grown);
    if (!grown) {
        return cli_fail("out of memory");
    }
    f->list = grown;
    for (size_t i = f->count; i < f->file.count; i++) {
        const zilch_run *run = &f->file.runs[i].run;
        followed *r = &grown[i];
        *r = (followed){.run = run->run, .dim = run->dim, .width = 1, .best_point = UINT64_MAX};
        f->count = i + 1;
        r->best_x = calloc(run->dim, sizeof *r->best_x);
        r->next_x = calloc(run->dim, sizeof *r->next_x);
        r->active = calloc(run->dim, BINS * sizeof *r->active);
        if (!r->best_x || !r->next_x || !r->active) {
            return cli_fail("out of memory");
        }
    }
    for (size_t i = 0; i < f->count; i++) {
        f->list[i].source = &f->file.runs[i];
    }
    return 0;
}

int follow_open(follow **out, const char *path)
{
    follow *f = calloc(1, sizeof *f);
    *out = f;
    if (!f || !(f->path = strdup(path))) {
        return cli_fail("out of memory");
    }
    f->has_more = 1;
    return study_file_open(&f->file, f->path, ZILCH_STUDY_READ) || take_runs(f);
}

void follow_close(follow *f)
{
    if (f) {
        for (size_t i = 0; i < f->count; i++) {
            free_run(&f->list[i]);
        }
        study_file_close(&f->file);
        free(f->list);
        free(f->path);
        free(f);
    }
}

/* ---- Runs ------------------------------------------------------------------------------------------ */

typedef struct counting {
    follow *follow;
    size_t count;
} counting;

static zilch_status take_state(void *context, const zilch_run *run)
{
    counting *c = context;
    followed *r = c->count < c->follow->count ? &c->follow->list[c->count] : NULL;
    c->count++;
    if (r && r->run == run->run) {
        const zilch_limits *l = run->request.limits;
        r->is_new |= r->stop != run->stop || r->limits.evaluations != l->evaluations ||
                     r->limits.generations != l->generations || r->penalty != run->penalty;
        r->penalty = run->penalty;
        r->stop = run->stop;
        r->limits = *l;
        r->spent = (double)run->spent;
    }
    return ZILCH_OK;
}

/* New ones are few and far between: then everything about runs is read again. */
static int read_runs(follow *f)
{
    counting c = {.follow = f};
    if (zilch_study_runs(f->file.study, take_state, &c) != ZILCH_OK) {
        return cli_fail_library();
    }
    if (c.count == f->count) {
        return 0;
    }
    study_file anew;
    if (study_file_open(&anew, f->path, ZILCH_STUDY_READ)) {
        study_file_close(&anew);
        return CLI_FAILED;
    }
    study_file_close(&f->file);
    f->file = anew;
    c = (counting){.follow = f};
    if (f->file.count < f->count) {
        return cli_fail("%s: is another study than it was", f->path);
    }
    return take_runs(f) ||
           (zilch_study_runs(f->file.study, take_state, &c) != ZILCH_OK && cli_fail_library());
}

/* ---- Generations ----------------------------------------------------------------------------------- */

static zilch_status take_generation(void *context, const zilch_generation *g)
{
    followed *r = context;
    if (r->rows == r->row_capacity) {
        const size_t capacity = r->row_capacity ? 2 * r->row_capacity : 256;
        zilch_generation *grown = realloc(r->row, capacity * sizeof *grown);
        if (!grown) {
            return ZILCH_ENOMEM;
        }
        r->row = grown;
        r->row_capacity = capacity;
    }
    r->row[r->rows++] = *g;
    return ZILCH_OK;
}

/* ---- Evaluations ----------------------------------------------------------------------------------- */

typedef struct evaluations_taking {
    followed *run;
    zilch_study *study;
    uint64_t generation; /* that is being taken */
    int needs_defaults;  /* where they are not active, coordinates are not 0 */
} evaluations_taking;

static int is_active(const followed *r, size_t i, double value)
{
    return value != (r->defaults ? r->defaults[i] : 0.0);
}

static void count_active(followed *r, const zilch_evaluation *e)
{
    while ((e->generation - 1) / r->width >= BINS) { /* two become one */
        for (size_t b = 0; b < BINS; b++) {
            const size_t to = b / 2;
            for (size_t i = 0; i < r->dim; i++) {
                const uint32_t moved = r->active[b * r->dim + i];
                r->active[b * r->dim + i] = 0;
                r->active[to * r->dim + i] += moved;
            }
            const uint32_t moved = r->all[b];
            r->all[b] = 0;
            r->all[to] += moved;
        }
        r->width *= 2;
    }
    const size_t bin = (size_t)((e->generation - 1) / r->width);
    r->all[bin]++;
    for (size_t i = 0; i < r->dim; i++) {
        r->active[bin * r->dim + i] += (uint32_t)is_active(r, i, e->x[i]);
    }
}

/* Which coordinates the new best point has, and the last had not, and the other way round. */
static void note_change(followed *r, uint64_t generation)
{
    follow_change c = {.generation = generation, .is_known = r->is_best_known && r->is_next_known};
    for (size_t i = 0; i < r->dim && c.is_known; i++) {
        const int was = is_active(r, i, r->best_x[i]);
        const int is = is_active(r, i, r->next_x[i]);
        if (is && !was && c.gained++ < 4) {
            c.first_gained[c.gained - 1] = i;
        }
        if (was && !is && c.lost++ < 4) {
            c.first_lost[c.lost - 1] = i;
        }
    }
    r->change[r->changes++ % CHANGES_SHOWN] = c;
}

typedef struct finding {
    double *x;
    size_t dim;
    uint64_t point;
    int is_found;
} finding;

static zilch_status find_evaluation(void *context, const zilch_evaluation *e)
{
    finding *s = context;
    if (e->point == s->point && e->x && !s->is_found) {
        memcpy(s->x, e->x, s->dim * sizeof *s->x);
        s->is_found = 1;
    }
    return ZILCH_OK;
}

/* Points are numbered in the order of their first evaluation: the counts of the rows say in which generation
 * that was. */
static void find_point(zilch_study *study, followed *r, uint64_t point)
{
    size_t first = 0;
    for (size_t step = r->rows; step > 0; step /= 2) {
        while (first + step <= r->rows && r->row[first + step - 1].points <= point) {
            first += step;
        }
    }
    finding s = {.x = r->next_x, .dim = r->dim, .point = point};
    const zilch_span span = {first + 1, first + 1};
    r->is_next_known =
        zilch_study_evaluations_between(study, r->run, span, find_evaluation, &s) == ZILCH_OK && s.is_found;
}

/* The evaluations of a generation are read. */
static void close_generation(zilch_study *study, followed *r, uint64_t generation)
{
    const zilch_generation *g = &r->row[generation - 1];
    r->seen = generation;
    if (isnan(g->best_fitness) || g->best_point == r->best_point) {
        return;
    }
    if (!r->is_next_known) { /* it has become the best because another one did worse when evaluated again */
        find_point(study, r, g->best_point);
    }
    note_change(r, generation);
    r->best_point = g->best_point;
    r->is_best_known = r->is_next_known;
    memcpy(r->best_x, r->next_x, r->dim * sizeof *r->best_x);
    r->best_version++;
}

static size_t count_nonzero(const zilch_evaluation *e, size_t dim)
{
    size_t count = 0;
    for (size_t i = 0; i < dim; i++) {
        count += e->x[i] != 0.0;
    }
    return count;
}

static zilch_status take_evaluation(void *context, const zilch_evaluation *e)
{
    evaluations_taking *t = context;
    followed *r = t->run;
    for (; t->generation < e->generation; t->generation++) {
        close_generation(t->study, r, t->generation);
        r->is_next_known = 0;
    }
    if (!e->x) {
        return ZILCH_OK;
    }
    if (!r->defaults && count_nonzero(e, r->dim) != e->active) {
        t->needs_defaults = 1;
        return ZILCH_ESTOPPED;
    }
    count_active(r, e);
    if (e->point == r->row[e->generation - 1].best_point) {
        memcpy(r->next_x, e->x, r->dim * sizeof *r->next_x);
        r->is_next_known = 1;
    }
    return ZILCH_OK;
}

/* What was counted before they were known is counted again. */
static zilch_status read_defaults(follow *f, followed *r)
{
    memset(r->active, 0, BINS * r->dim * sizeof *r->active);
    memset(r->all, 0, sizeof r->all);
    r->seen = r->changes = 0;
    r->best_point = UINT64_MAX;
    r->is_best_known = 0;
    zilch_optimizer *optimizer = NULL;
    const zilch_status status = zilch_study_resume(f->file.study, r->run, &optimizer);
    const double *defaults = status == ZILCH_OK ? zilch_optimizer_settings(optimizer)->defaults : NULL;
    r->defaults = calloc(r->dim, sizeof *r->defaults);
    if (r->defaults && defaults) {
        memcpy(r->defaults, defaults, r->dim * sizeof *r->defaults);
    }
    zilch_optimizer_destroy(optimizer);
    return status == ZILCH_OK && !r->defaults ? ZILCH_ENOMEM : status;
}

/* So many generations that about `most` evaluations are read. */
static zilch_span next_span(const followed *r, size_t most)
{
    const uint64_t each = r->rows ? r->row[r->rows - 1].evaluations / r->rows + 1 : 1;
    const uint64_t count = most / each + 1;
    const uint64_t last = most == FOLLOW_ALL || r->seen + count > r->rows ? r->rows : r->seen + count;
    return (zilch_span){r->seen + 1, last};
}

static zilch_status read_evaluations(follow *f, followed *r, size_t most)
{
    const zilch_span span = next_span(r, most);
    evaluations_taking t = {.run = r, .study = f->file.study, .generation = span.first};
    if (span.first > span.last) {
        return ZILCH_OK;
    }
    r->is_next_known = 0;
    const zilch_status status =
        zilch_study_evaluations_between(f->file.study, r->run, span, take_evaluation, &t);
    if (t.needs_defaults) {
        return read_defaults(f, r);
    }
    for (; t.generation <= span.last && status == ZILCH_OK; t.generation++) {
        close_generation(f->file.study, r, t.generation);
        r->is_next_known = 0;
    }
    return status;
}

/* ---- Failures --------------------------------------------------------------------------------------- */

static char *shorten(const char *text)
{
    enum { SIZE = 4 * LETTERS_SHOWN + 8 };
    char out[SIZE];
    text_shorten(text, LETTERS_SHOWN, out, sizeof out);
    return strdup(out);
}

static zilch_status take_failure(void *context, const zilch_failure *failure)
{
    followed *r = context;
    const follow_failure *last = r->failures ? &r->failure[(r->failures - 1) % FAILURES_SHOWN] : NULL;
    if (last && (failure->generation < last->generation ||
                 (failure->generation == last->generation && failure->id <= last->id))) {
        return ZILCH_OK; /* is there */
    }
    follow_failure *to = &r->failure[r->failures++ % FAILURES_SHOWN];
    free(to->reason);
    free(to->output);
    *to = (follow_failure){failure->generation, failure->id, shorten(failure->reason),
                           shorten(failure->output)};
    r->is_new = 1;
    return to->reason && to->output ? ZILCH_OK : ZILCH_ENOMEM;
}

static zilch_status read_failures(follow *f, followed *r)
{
    const uint64_t first = r->failures ? r->failure[(r->failures - 1) % FAILURES_SHOWN].generation : 1;
    return zilch_study_failures_between(f->file.study, r->run, (zilch_span){first, UINT64_MAX}, take_failure,
                                        r);
}

/* ---- All of it -------------------------------------------------------------------------------------- */

static void replace(char **held, char *text, int *is_new)
{
    *is_new |= text && (!*held || strcmp(*held, text) != 0);
    if (text) {
        free(*held);
        *held = text;
    }
}

static zilch_status read_run(follow *f, followed *r, size_t most)
{
    const zilch_span rest = {r->rows + 1, UINT64_MAX};
    char *commands = NULL;
    char *conclusion = NULL;
    zilch_status status = zilch_study_generations_between(f->file.study, r->run, rest, take_generation, r);
    status = status == ZILCH_OK ? read_evaluations(f, r, most) : status;
    status = status == ZILCH_OK ? read_failures(f, r) : status;
    status = status == ZILCH_OK ? follow_commands(f->file.study, r->run, &commands) : status;
    status = status == ZILCH_OK ? follow_conclusion(f->file.study, r, &conclusion) : status;
    replace(&r->commands, commands, &r->is_new);
    replace(&r->conclusion, conclusion, &r->is_new);
    return status;
}

int follow_read(follow *f, size_t most, int *is_more)
{
    uint64_t changes;
    zilch_status status = zilch_study_changes(f->file.study, &changes);
    if (status != ZILCH_OK) {
        return cli_fail_library();
    }
    *is_more = 0;
    if (f->is_read && changes == f->changes && !f->has_more) {
        return 0;
    }
    if ((!f->is_read || changes != f->changes) && read_runs(f)) {
        return CLI_FAILED;
    }
    f->changes = changes;
    f->is_read = 1;
    for (size_t i = 0; i < f->count && status == ZILCH_OK; i++) {
        if (f->only && f->list[i].run != f->only) {
            continue;
        }
        status = read_run(f, &f->list[i], most);
        *is_more |= f->list[i].seen < f->list[i].rows;
    }
    f->has_more = *is_more;
    return status == ZILCH_OK ? 0 : cli_fail_library();
}

void follow_only(follow *f, uint64_t run)
{
    f->only = run;
}

size_t follow_count(const follow *f)
{
    return f->count;
}

follow_state follow_at(const follow *f, size_t index)
{
    const followed *r = &f->list[index];
    return (follow_state){.run = r->run,
                          .generations = r->rows,
                          .is_over = r->stop != ZILCH_STOP_NONE,
                          .is_lander = search_problem_is_lander(r->source->run.request.problem) &&
                                       r->dim == ZILCH_POLICY_PARAMETERS,
                          .best = r->is_best_known ? r->best_x : NULL,
                          .best_version = r->best_version,
                          .dim = r->dim};
}

const char *follow_problem(const follow *f, size_t index)
{
    return f->list[index].source->run.request.problem;
}

void follow_take_look(follow *f, uint64_t run, char *look)
{
    for (size_t i = 0; i < f->count; i++) {
        if (f->list[i].run == run) {
            replace(&f->list[i].look, look, &f->list[i].is_new);
            return;
        }
    }
    free(look);
}
