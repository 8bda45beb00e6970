/* Branch and bound over units that are on or off. What is not decided is relaxed: a value may be anything
 * between 0 and its bounds. A value x with bounds l > 0 and u that is free to be off is l z + r, with z from
 * 0 to 1 and r from 0 to u - l, so that the number of active coordinates is the sum of z, or more than the
 * sum of |x| / u. No row ties z to x, so that there are two rows more than limits, and not one for each
 * coordinate. Points of a linear program are corners, which have few active coordinates: most questions are
 * answered at once.
 *
 * Active means not zero, and a program cannot say that. But if no single coordinate is 0 in all points of a
 * convex set, some point has none that is 0: the mean of points in which one after the other is not. */
#include "search/feasibility.h"

#include "base/memory.h"
#include "math/simplex.h"
#include "search/limit_values.h"

#include <math.h>
#include <string.h>

enum { MOST_NODES = 20000 };
enum { UNDECIDED, ON, OFF };
static const double most_work = 1e10; /* steps, times what one looks at */
static const double nothing = 1e-9;   /* a value, as a share of its bounds, that counts as 0 */

typedef struct search {
    const zi_constraints *c;
    zi_simplex program;
    size_t *first, *row; /* of two columns a coordinate */
    double *weight;
    double *scale;           /* by coordinate */
    double *row_scale;       /* by row of the program: limits, most, least */
    double *cost;            /* by column */
    double *x, *mean;        /* by coordinate */
    unsigned char *decision; /* by unit */
    unsigned char *kept;     /* by unit: decisions to go back to */
    size_t *path;            /* units in the order of decisions */
    unsigned char *is_last;  /* by depth: the other decision was tried */
    size_t depth;
    uint64_t nodes;
    zi_mover mover;
} search;

static void search_free(search *s)
{
    zi_simplex_free(&s->program);
    zi_mover_free(&s->mover);
    zi_free(s->first);
    zi_free(s->row);
    zi_free(s->weight);
    zi_free(s->scale);
    zi_free(s->row_scale);
    zi_free(s->cost);
    zi_free(s->x);
    zi_free(s->decision);
    zi_free(s->path);
    zi_free(s->is_last);
}

/* ---- The program ----------------------------------------------------------------------------------------
 */

/* A value is measured by its larger bound. */
static double scale_of(const zi_constraints *c, size_t i)
{
    const double low = isfinite(c->lower[i]) ? fabs(c->lower[i]) : 0.0;
    const double high = isfinite(c->upper[i]) ? fabs(c->upper[i]) : 0.0;
    const double larger = fmax(low, high);
    const int is_usable = larger > 0.0 && isfinite(c->lower[i]) && isfinite(c->upper[i]);
    return is_usable ? larger : fmax(1.0, larger);
}

static void set_scales(search *s)
{
    const zi_limits *l = &s->c->limits;
    for (size_t i = 0; i < s->c->dim; i++) {
        s->scale[i] = scale_of(s->c, i);
    }
    for (size_t r = 0; r < l->rows; r++) {
        double largest = 0.0;
        for (size_t k = l->first[r]; k < l->first[r + 1]; k++) {
            largest = fmax(largest, fabs(l->weight[k]) * s->scale[l->coordinate[k]]);
        }
        s->row_scale[r] = largest > 0.0 && isfinite(largest) ? 1.0 / largest : 1.0;
    }
    s->row_scale[l->rows] = s->row_scale[l->rows + 1] = 1.0;
}

/* Both columns of each coordinate have its limits, then the rows for most and least. */
static zilch_status create_program(search *s)
{
    const zi_constraints *c = s->c;
    const zi_limits *l = &c->limits;
    const size_t entries = 2 * l->first[l->rows] + 4 * c->dim;
    ZI_TRY(zi_alloc(&s->first, 2 * c->dim + 1));
    ZI_TRY(zi_alloc(&s->row, entries));
    ZI_TRY(zi_alloc(&s->weight, entries));
    ZI_TRY(zi_alloc(&s->scale, c->dim));
    ZI_TRY(zi_alloc(&s->row_scale, l->rows + 2));
    ZI_TRY(zi_alloc(&s->cost, 2 * c->dim));
    ZI_TRY(zi_alloc(&s->x, 2 * c->dim));
    s->mean = s->x + c->dim;
    ZI_TRY(zi_alloc(&s->decision, 2 * c->units));
    s->kept = s->decision + c->units;
    ZI_TRY(zi_alloc(&s->path, c->units + 1));
    ZI_TRY(zi_alloc(&s->is_last, c->units + 1));
    size_t at = 0;
    for (size_t j = 0; j < 2 * c->dim; j++) {
        s->first[j] = at;
        for (size_t e = l->column[j / 2]; e < l->column[j / 2 + 1]; e++) {
            s->row[at++] = l->row[e];
        }
        s->row[at++] = l->rows;
        s->row[at++] = l->rows + 1;
    }
    s->first[2 * c->dim] = at;
    memset(s->weight, 0, entries * sizeof *s->weight);
    set_scales(s);
    ZI_TRY(
        zi_simplex_create(&s->program, (zi_columns){l->rows + 2, 2 * c->dim, s->first, s->row, s->weight}));
    return zi_mover_create(&s->mover, l, c->dim, c->lower, c->upper, c->stays);
}

/* Column j stands for `part` of x each. */
static void set_column(search *s, size_t j, double part, double most, double least, double upper)
{
    const zi_limits *l = &s->c->limits;
    const size_t i = j / 2;
    size_t at = s->first[j];
    for (size_t e = l->column[i]; e < l->column[i + 1]; e++) {
        s->weight[at++] = l->by[e] * part * s->row_scale[l->row[e]];
    }
    s->weight[at++] = most;
    s->weight[at] = least;
    s->program.lower[j] = 0.0;
    s->program.upper[j] = upper;
}

/* The share of a bound that one scale of a value is; 0 for an infinite one. */
static double share_of(double bound, double scale)
{
    return isfinite(bound) && bound != 0.0 ? scale / fabs(bound) : 0.0;
}

/* Where 0 is between the bounds: x = p - n. Else, with l the bound next to 0, x = l z + r. An active value
 * has z = 1. */
static void set_coordinate(search *s, size_t i, unsigned char decision)
{
    const zi_constraints *c = s->c;
    const double low = c->lower[i];
    const double high = c->upper[i];
    const double scale = s->scale[i];
    const int is_free = decision == UNDECIDED;
    const double room = decision == OFF ? 0.0 : 1.0;
    if (low <= 0.0 && high >= 0.0) {
        set_column(s, 2 * i, scale, is_free ? share_of(high, scale) : 0.0, 0.0,
                   room > 0.0 ? high / scale : 0.0);
        set_column(s, 2 * i + 1, -scale, is_free ? share_of(low, scale) : 0.0, 0.0,
                   room > 0.0 ? -low / scale : 0.0);
        return;
    }
    const double sign = low > 0.0 ? 1.0 : -1.0;
    const double near = low > 0.0 ? low : high;
    const double far = low > 0.0 ? high : low;
    set_column(s, 2 * i, near, is_free && isfinite(far) ? near / far : 0.0, is_free ? 1.0 : 0.0, room);
    s->program.lower[2 * i] = decision == ON ? 1.0 : 0.0;
    set_column(s, 2 * i + 1, sign * scale, is_free ? share_of(far, scale) : 0.0, 0.0,
               room > 0.0 ? fabs(far - near) / scale : 0.0);
}

static void set_program(search *s)
{
    const zi_constraints *c = s->c;
    const size_t rows = c->limits.rows;
    double *lower = s->program.lower + 2 * c->dim;
    double *upper = s->program.upper + 2 * c->dim;
    size_t on = 0;
    size_t easy = 0; /* undecided, and as small as may be */
    for (size_t u = 0; u < c->units; u++) {
        for (size_t k = c->first[u]; k < c->first[u + 1]; k++) {
            const size_t i = c->member[k];
            set_coordinate(s, i, s->decision[u]);
            on += s->decision[u] == ON;
            easy += s->decision[u] == UNDECIDED && c->lower[i] <= 0.0 && c->upper[i] >= 0.0;
        }
    }
    for (size_t r = 0; r < rows; r++) {
        lower[r] = c->limits.lower[r] * s->row_scale[r];
        upper[r] = c->limits.upper[r] * s->row_scale[r];
    }
    lower[rows] = -INFINITY;
    upper[rows] = (double)c->most - (double)on;
    lower[rows + 1] = (double)c->least - (double)on - (double)easy;
    upper[rows + 1] = INFINITY;
}

static double value_of(const search *s, size_t i)
{
    const zi_constraints *c = s->c;
    const double *x = s->program.x + 2 * i;
    if (c->lower[i] <= 0.0 && c->upper[i] >= 0.0) {
        return s->scale[i] * (x[0] - x[1]);
    }
    const double near = c->lower[i] > 0.0 ? c->lower[i] : c->upper[i];
    return near * x[0] + (c->lower[i] > 0.0 ? s->scale[i] : -s->scale[i]) * x[1];
}

/* ---- A node
 * ------------------------------------------------------------------------------------------------ */

static int is_zero(const search *s, size_t i, double x)
{
    return fabs(x) <= nothing * s->scale[i];
}

/* Moves the mean towards a point in which this coordinate is not 0; 0 if there is none. */
static int leave_zero(search *s, size_t i)
{
    for (int column = 0; column < 2; column++) {
        memset(s->cost, 0, 2 * s->c->dim * sizeof *s->cost);
        s->cost[2 * i] = column ? 1.0 : -1.0;
        s->cost[2 * i + 1] = -s->cost[2 * i];
        const zi_simplex_end end = zi_simplex_solve(&s->program, s->cost);
        if ((end == ZI_SIMPLEX_OPTIMAL || end == ZI_SIMPLEX_UNBOUNDED) && !is_zero(s, i, value_of(s, i))) {
            return 1;
        }
    }
    return 0;
}

/* Every coordinate that is decided to be active is so in some point: x gets the mean of these points. The
 * mean of opposite values may be 0 again; then there is another round, of other weights. */
static int leave_zeros(search *s)
{
    enum { ROUNDS = 3 };
    const zi_constraints *c = s->c;
    double points = 1.0;
    int is_done = 0;
    memcpy(s->mean, s->x, c->dim * sizeof *s->x);
    for (int round = 0; round < ROUNDS && !is_done; round++) {
        is_done = 1;
        for (size_t k = 0; k < c->dim; k++) {
            const size_t i = c->member[k];
            const int must = s->decision[c->unit_of[i]] == ON && c->lower[i] <= 0.0 && c->upper[i] >= 0.0;
            if (!must || !is_zero(s, i, s->mean[i])) {
                continue;
            }
            if (!leave_zero(s, i)) {
                return 0;
            }
            is_done = 0;
            points += 1.0;
            for (size_t j = 0; j < c->dim; j++) {
                s->mean[j] += (value_of(s, j) - s->mean[j]) / points;
            }
        }
    }
    memcpy(s->x, s->mean, c->dim * sizeof *s->x);
    return 1;
}

/* Whether the program has a point, which goes to x. */
static int relax(search *s)
{
    set_program(s);
    s->nodes++;
    if (zi_simplex_solve(&s->program, NULL) != ZI_SIMPLEX_OPTIMAL) {
        return 0;
    }
    for (size_t i = 0; i < s->c->dim; i++) {
        s->x[i] = value_of(s, i);
    }
    return 1;
}

/* The share of a unit that is on: what its values have of the least that they must have. */
static double share_on(const search *s, size_t u)
{
    const zi_constraints *c = s->c;
    double share = 1.0;
    double largest = 0.0;
    for (size_t k = c->first[u]; k < c->first[u + 1]; k++) {
        const size_t i = c->member[k];
        const double near = fmax(fmax(c->lower[i], -c->upper[i]), 0.0);
        const double own = is_zero(s, i, s->x[i]) ? 0.0 : near > 0.0 ? fmin(1.0, fabs(s->x[i]) / near) : 1.0;
        share = fmin(share, own > 1.0 - 1e-9 ? 1.0 : own);
        largest = fmax(largest, own);
    }
    return largest == 0.0 ? 0.0 : share == 1.0 ? 1.0 : 0.5 * (share + largest);
}

/* What is nearly a point that keeps everything becomes one, or does not. */
static int finish(search *s)
{
    const zi_constraints *c = s->c;
    for (size_t u = 0; u < c->units; u++) {
        const int is_on = s->decision[u] == ON || (s->decision[u] == UNDECIDED && share_on(s, u) > 0.0);
        for (size_t k = c->first[u]; k < c->first[u + 1]; k++) {
            const size_t i = c->member[k];
            s->x[i] = is_on ? fmin(fmax(s->x[i], c->lower[i]), c->upper[i]) : 0.0;
        }
    }
    if (zi_limits_broken(&c->limits, s->x) != c->limits.rows &&
        !zi_mover_project(&s->mover, s->scale, 1, s->x)) {
        return 0;
    }
    const int is_right = zi_constraints_check(c, s->x) == ZILCH_OK;
    if (!is_right) {
        zi_error_clear();
    }
    return is_right;
}

/* Whether x has only units that are on or off, and the right number of them. */
static int is_whole(const search *s)
{
    size_t active = 0;
    for (size_t u = 0; u < s->c->units; u++) {
        const double share = s->decision[u] == OFF ? 0.0 : s->decision[u] == ON ? 1.0 : share_on(s, u);
        if (share > 0.0 && share < 1.0) {
            return 0;
        }
        active += share > 0.0 ? zi_unit_size(s->c, u) : 0;
    }
    return active >= s->c->least && active <= s->c->most;
}

/* Decides all that is open as the program's point suggests, the clearest cases first; counts are kept. */
static void round_off(search *s)
{
    const zi_constraints *c = s->c;
    size_t active = 0;
    for (size_t u = 0; u < c->units; u++) {
        active += s->decision[u] == ON ? zi_unit_size(c, u) : 0;
    }
    static const double step[] = {1.0, 0.5, 1e-6, 0.0};
    for (size_t pass = 0; pass < sizeof step / sizeof *step; pass++) {
        for (size_t u = 0; u < c->units; u++) {
            const int is_wanted = step[pass] > 0.0 ? share_on(s, u) >= step[pass] : active < c->least;
            if (s->decision[u] == UNDECIDED && is_wanted && active + zi_unit_size(c, u) <= c->most) {
                s->decision[u] = ON;
                active += zi_unit_size(c, u);
            }
        }
    }
    for (size_t u = 0; u < c->units; u++) {
        s->decision[u] = s->decision[u] == UNDECIDED ? OFF : s->decision[u];
    }
}

/* Whether that gives a point. */
static int dive(search *s)
{
    memcpy(s->kept, s->decision, s->c->units);
    round_off(s);
    const int is_found = relax(s) && leave_zeros(s) && is_whole(s) && finish(s);
    memcpy(s->decision, s->kept, s->c->units);
    return is_found;
}

/* ---- The tree
 * ------------------------------------------------------------------------------------------------ */

/* What to decide next: the unit that is most neither, else one that is off or on where the count is wrong;
 * SIZE_MAX if all are decided. */
static size_t choose_unit(const search *s, unsigned char *decision)
{
    size_t best = SIZE_MAX;
    double most = -1.0;
    size_t active = 0;
    for (size_t u = 0; u < s->c->units; u++) {
        active += s->decision[u] == ON || (s->decision[u] == UNDECIDED && share_on(s, u) > 0.0)
                      ? zi_unit_size(s->c, u)
                      : 0;
    }
    for (size_t u = 0; u < s->c->units; u++) {
        if (s->decision[u] != UNDECIDED) {
            continue;
        }
        const double share = share_on(s, u);
        const int is_whole = share == 0.0 || share == 1.0;
        const double worth = !is_whole                              ? 2.0 - fabs(share - 0.5)
                             : active < s->c->least && share == 0.0 ? 1.0
                             : active > s->c->most && share == 1.0  ? 1.0
                                                                    : 0.0;
        if (worth > most) {
            most = worth;
            best = u;
            *decision = !is_whole ? (share >= 0.5 ? ON : OFF) : active < s->c->least ? ON : OFF;
        }
    }
    return best;
}

static int back_up(search *s)
{
    while (s->depth > 0) {
        const size_t u = s->path[s->depth - 1];
        if (!s->is_last[s->depth - 1]) {
            s->is_last[s->depth - 1] = 1;
            s->decision[u] = s->decision[u] == ON ? OFF : ON;
            return 1;
        }
        s->decision[u] = UNDECIDED;
        s->depth--;
    }
    return 0;
}

static int count_is_possible(const search *s)
{
    size_t on = 0;
    size_t off = 0;
    for (size_t u = 0; u < s->c->units; u++) {
        on += s->decision[u] == ON ? zi_unit_size(s->c, u) : 0;
        off += s->decision[u] == OFF ? zi_unit_size(s->c, u) : 0;
    }
    return on <= s->c->most && s->c->dim - off >= s->c->least;
}

static zi_answer search_tree(search *s)
{
    for (;;) {
        unsigned char decision = ON;
        size_t unit = SIZE_MAX;
        if (s->nodes > MOST_NODES || (double)s->program.steps * (double)s->first[2 * s->c->dim] > most_work) {
            return ZI_ANSWER_UNKNOWN;
        }
        if (count_is_possible(s) && relax(s) && leave_zeros(s)) {
            unit = choose_unit(s, &decision);
            if ((is_whole(s) && finish(s)) || (unit != SIZE_MAX && dive(s))) {
                return ZI_ANSWER_YES;
            }
        }
        if (unit != SIZE_MAX) {
            s->decision[unit] = decision;
            s->path[s->depth] = unit;
            s->is_last[s->depth++] = 0;
        } else if (!back_up(s)) {
            return ZI_ANSWER_NO;
        }
    }
}

static void begin(search *s)
{
    for (size_t u = 0; u < s->c->units; u++) {
        s->decision[u] = s->c->forced[u] == ZILCH_FORCED_ON    ? ON
                         : s->c->forced[u] == ZILCH_FORCED_OFF ? OFF
                                                               : UNDECIDED;
    }
}

/* Whether no coordinate can be anything else than in x. The first that can ends it. */
static int is_alone(search *s, const double *x)
{
    begin(s);
    set_program(s);
    for (size_t i = 0; i < s->c->dim; i++) {
        for (int way = -1; way <= 1; way += 2) {
            const int is_split = s->c->lower[i] <= 0.0 && s->c->upper[i] >= 0.0;
            const double near = fmax(s->c->lower[i], -s->c->upper[i]) / s->scale[i];
            memset(s->cost, 0, 2 * s->c->dim * sizeof *s->cost);
            s->cost[2 * i] = is_split ? way : way * near;
            s->cost[2 * i + 1] = is_split ? -way : way;
            if (zi_simplex_solve(&s->program, s->cost) != ZI_SIMPLEX_OPTIMAL ||
                !is_zero(s, i, value_of(s, i) - x[i])) {
                return 0;
            }
        }
    }
    return 1;
}

zilch_status zi_feasibility_find(const zi_constraints *c, double *x, zi_answer *answer, int *is_single)
{
    search s = {.c = c};
    const zilch_status status = create_program(&s);
    if (status == ZILCH_OK) {
        begin(&s);
        *answer = search_tree(&s);
        memcpy(x, s.x, c->dim * sizeof *x);
        if (is_single) {
            *is_single = *answer == ZI_ANSWER_YES && is_alone(&s, x);
        }
    }
    search_free(&s);
    return status;
}
