/* Problems by name: the table of them, and what is the same for every family. The families are the other
 * files of this folder. */
#include "problem/problem.h"

#include "base/memory.h"

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
        return zi_fail(ZILCH_EARG, "problem: \"%.*s\" is none of the known ones:%s",
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
    for (size_t k = 0; k < n; k++) {
        const double *point = x + k * dim;
        if (is_finite(dim, point)) {
            continue;
        }
        size_t i = 0;
        while (isfinite(point[i])) {
            i++;
        }
        return zi_fail(ZILCH_EARG, "%s: point %zu coordinate %zu (counted from 0) is not finite", who, k, i);
    }
    return ZILCH_OK;
}

size_t zi_active_count(size_t dim, const double *x)
{
    size_t count = 0;
    for (size_t i = 0; i < dim; i++) {
        count += x[i] != 0.0;
    }
    return count;
}

double zi_first_active_share(size_t dim, size_t active, const double *x)
{
    const size_t found = zi_active_count(active, x);
    const size_t surplus = zi_active_count(dim - active, x + active);
    return (double)(found + (dim - active - surplus)) / (double)dim;
}

zilch_status zi_active_settle(const char *who, size_t dim, size_t least, size_t *active)
{
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
