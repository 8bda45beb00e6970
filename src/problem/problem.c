/* Problems by name: the table of them, and what is the same for every family. The families are the other
 * files of this folder. */
#include "problem/problem.h"

#include "base/ids.h"
#include "base/memory.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* ---- The table ------------------------------------------------------------------------------- */

typedef struct row {
    const char *name;
    const zi_family *family;
    unsigned variant;
} row;

static const row table[] = {
    {"lander", &zi_lander_family, 0},       {"sphere", &zi_sphere_family, 0},
    {"smop1", &zi_smop_family, 1},          {"smop2", &zi_smop_family, 2},
    {"smop3", &zi_smop_family, 3},          {"smop4", &zi_smop_family, 4},
    {"smop5", &zi_smop_family, 5},          {"smop6", &zi_smop_family, 6},
    {"smop7", &zi_smop_family, 7},          {"smop8", &zi_smop_family, 8},
    {"ellipsoid", &zi_ellipsoid_family, 0}, {"rosenbrock", &zi_rosenbrock_family, 0},
};
enum { ROWS = sizeof table / sizeof *table };

#define X(name, text) LISTED_##name,
enum { ZILCH_PROBLEM_LIST(X) LISTED };
#undef X
_Static_assert((int)ROWS == (int)LISTED, "every problem that zilch.h lists has a row");

#define X(name, text) " " #name
static const char *const known = "" ZILCH_PROBLEM_LIST(X);
#undef X

static const row *row_find(const char *name, size_t length)
{
    for (size_t i = 0; i < ROWS; i++) {
        if (strlen(table[i].name) == length && memcmp(table[i].name, name, length) == 0) {
            return &table[i];
        }
    }
    return NULL;
}

/* ---- Opening and closing --------------------------------------------------------------------- */

zilch_status zi_problem_allocate(zilch_problem **out, const zi_family *family, const char *name,
                                 uint64_t seed)
{
    assert(out && family && name);
    const size_t header = (sizeof(zilch_problem) + ZI_ALIGNMENT - 1) / ZI_ALIGNMENT * ZI_ALIGNMENT;
    char *block;
    ZI_TRY(zi_alloc(&block, header + family->state_bytes));
    memset(block, 0, header + family->state_bytes);
    zilch_problem *problem = (zilch_problem *)(void *)block;
    problem->family = family;
    problem->seed = seed;
    problem->state = block + header;
    problem->info = (zilch_problem_info){.name = name,
                                         .setting = problem->setting,
                                         .direction = ZILCH_MINIMIZE,
                                         .lower = -INFINITY,
                                         .upper = INFINITY};
    *out = problem;
    return ZILCH_OK;
}

void zilch_problem_close(zilch_problem *problem)
{
    if (problem && problem->family->close) {
        problem->family->close(problem);
    }
    zi_free(problem);
}

static zilch_status open_with(zilch_problem *problem, const char *settings)
{
    const zi_family *family = problem->family;
    const char *name = problem->info.name;
    ZI_TRY(zi_settings_parse(&family->settings, name, settings, problem->state));
    ZI_TRY(family->open(problem));
    return zi_settings_format(&family->settings, name, problem->state, problem->setting, ZI_SETTING_CAPACITY);
}

zilch_status zilch_problem_open(zilch_problem **out, const char *name, uint64_t seed)
{
    if (!out) {
        return zi_fail(ZILCH_EARG, "problem: no place for the problem given");
    }
    *out = NULL;
    if (!name) {
        return zi_fail(ZILCH_EARG, "problem: no name given");
    }
    const size_t length = strcspn(name, ":");
    const row *found = row_find(name, length);
    if (!found) {
        return zi_fail(ZILCH_EARG, "problem: \"%.*s\" is not one of the known ones:%s",
                       length > 40 ? 40 : (int)length, name, known);
    }
    if (name[length] && !name[length + 1]) {
        return zi_fail(ZILCH_EARG, "%s: settings are missing behind the colon", found->name);
    }
    zilch_problem *problem;
    ZI_TRY(zi_problem_allocate(&problem, found->family, found->name, seed));
    problem->variant = found->variant;
    const zilch_status status = open_with(problem, name[length] ? name + length + 1 : "");
    if (status != ZILCH_OK) {
        zilch_problem_close(problem);
        return status;
    }
    *out = problem;
    return ZILCH_OK;
}

zilch_problem_info zilch_problem_describe(const zilch_problem *problem)
{
    return problem->info;
}

/* ---- Points ---------------------------------------------------------------------------------- */

/* x - x is 0 of every finite x, and NaN of the others: a sum tells of all at once, and quickly. */
static int is_finite(size_t count, const double *x)
{
    double sum = 0.0;
    for (size_t i = 0; i < count; i++) {
        sum += x[i] - x[i];
    }
    return sum == 0.0;
}

zilch_status zi_points_check(const char *who, size_t n, size_t dim, const double *x)
{
    assert(who && dim);
    for (size_t k = 0; k < n; k++) {
        const double *point = x + k * dim;
        if (is_finite(dim, point)) {
            continue;
        }
        size_t i = 0;
        while (isfinite(point[i])) {
            i++;
        }
        return zi_fail_at(ZILCH_EARG, &(zi_location){who, {{ZI_POINT, k}, {ZI_COORDINATE, i}}, NULL},
                          "the value is not finite");
    }
    return ZILCH_OK;
}

size_t zi_active_count(size_t dim, const double *x)
{
    assert(x || !dim);
    size_t count = 0;
    for (size_t i = 0; i < dim; i++) {
        count += x[i] != 0.0;
    }
    return count;
}

double zi_first_active_share(size_t dim, size_t active, const double *x)
{
    assert(active <= dim && x);
    const size_t found = zi_active_count(active, x);
    const size_t surplus = zi_active_count(dim - active, x + active);
    return (double)(found + (dim - active - surplus)) / (double)dim;
}

zilch_status zi_active_settle(const char *who, size_t dim, size_t least, size_t *active)
{
    assert(who && active && least <= dim);
    if (*active == 0) {
        const size_t tenth = zi_tenth(dim);
        *active = tenth > least ? tenth : least;
    }
    if (*active < least || *active > dim) {
        return zi_fail(ZILCH_EARG, "%s: active (%zu) must be from %zu to dim (%zu), or 0 for a tenth of it",
                       who, *active, least, dim);
    }
    return ZILCH_OK;
}

zilch_rng zi_problem_rng(const zilch_problem *problem, uint64_t stream)
{
    const uint64_t problem_as_text = 0x70726f626c656d00u;
    return zilch_rng_make(problem->seed ^ problem_as_text, stream);
}

zilch_status zilch_problem_objective(void *problem, const zilch_batch *batch, double *value)
{
    const zilch_problem *p = problem;
    if (!p || !batch || (batch->n && (!batch->id || !batch->x || !value))) {
        return zi_fail(ZILCH_EARG,
                       "problem: a problem, a batch with ids and points, and a place for the values must "
                       "be given");
    }
    if (batch->dim != p->info.dim) {
        return zi_fail(ZILCH_EARG, "%s: its points have %zu coordinates, not %zu", p->info.name, p->info.dim,
                       batch->dim);
    }
    ZI_TRY(zi_points_check(p->info.name, batch->n, batch->dim, batch->x));
    return p->family->evaluate(p, batch, value);
}

zilch_status zilch_problem_set_flyer(zilch_problem *problem, zilch_flyer fly, void *context)
{
    if (!problem) {
        return zi_fail(ZILCH_EARG, "problem: none given");
    }
    if (problem->family != &zi_lander_family) {
        return zi_fail(ZILCH_ESTATE, "%s: it has no episodes to fly", problem->info.name);
    }
    problem->fly = fly;
    problem->fly_context = context;
    return ZILCH_OK;
}

zilch_status zilch_problem_support(const zilch_problem *problem, const double *x, double *share)
{
    if (!problem || !x || !share) {
        return zi_fail(ZILCH_EARG, "support: a problem, a point and a place for the share must be given");
    }
    if (!problem->family->support) {
        return zi_fail(ZILCH_ESTATE, "%s: its optimum is not known", problem->info.name);
    }
    ZI_TRY(zi_points_check(problem->info.name, 1, problem->info.dim, x));
    *share = problem->family->support(problem, x);
    return ZILCH_OK;
}

/* ---- Held-out values ------------------------------------------------------------------------- */

/* The mean is that of the plain sum; the squares are of deviations from it (Welford). */
static zilch_status hold_out(zilch_problem *problem, const double *x, size_t count, unsigned threads,
                             zilch_watcher watch, void *context, double *mean, double *error)
{
    enum { EACH = 64 };
    const size_t dim = problem->info.dim;
    zilch_pool pool = {.threads = threads, .inner = zilch_problem_objective, .context = problem};
    uint64_t id[EACH];
    double value[EACH];
    double sum = 0.0;
    double squares = 0.0;
    double *points;
    ZI_TRY(zi_alloc(&points, EACH * dim));
    for (size_t i = 0; i < EACH; i++) {
        memcpy(points + i * dim, x, dim * sizeof *x);
    }
    zilch_status status = ZILCH_OK;
    for (size_t begin = 0; begin < count && status == ZILCH_OK; begin += EACH) {
        const size_t n = count - begin < EACH ? count - begin : EACH;
        const zilch_batch batch = {.n = n, .dim = dim, .generation = UINT64_MAX, .id = id, .x = points};
        for (size_t i = 0; i < n; i++) {
            id[i] = ZI_HELD_OUT_ID + begin + i;
        }
        status = watch && watch(context, begin, count) ? zi_fail(ZILCH_ESTOPPED, "held out: stopped")
                                                       : zilch_pool_objective(&pool, &batch, value);
        for (size_t i = 0; i < n && status == ZILCH_OK; i++) {
            const double k = (double)(begin + i);
            const double delta = k > 0.0 ? value[i] - sum / k : 0.0;
            sum += value[i];
            squares += delta * (value[i] - sum / (k + 1.0));
        }
    }
    zi_free(points);
    ZI_TRY(status);
    const double n = (double)count;
    *mean = sum / n;
    *error = n > 1.0 ? sqrt(squares / (n - 1.0) / n) : NAN;
    return ZILCH_OK;
}

zilch_status zilch_problem_held_out(zilch_problem *problem, const double *x, size_t count, unsigned threads,
                                    zilch_watcher watch, void *context, double *mean, double *error)
{
    if (!problem || !x || count == 0 || !mean || !error) {
        return zi_fail(ZILCH_EARG, "held out: a problem, a point, a count of at least 1 and places for mean "
                                   "and error must be given");
    }
    if (!problem->info.is_noisy) {
        return zi_fail(ZILCH_ESTATE, "%s: it has no noise, so there is nothing to hold out",
                       problem->info.name);
    }
    ZI_TRY(zi_points_check(problem->info.name, 1, problem->info.dim, x));
    if (problem->family->hold_out) {
        return problem->family->hold_out(problem, x, count, threads, watch, context, mean, error);
    }
    return hold_out(problem, x, count, threads, watch, context, mean, error);
}
