/* Which worlds share a vector. Those in the air whose velocities settled soon in the last step come first:
 * they are solved quickly, and the few that do not settle this time are solved again with all others. Of
 * these, worlds that are alike (the same joints at a limit, contacts of the same bodies with as many points)
 * fill whole vectors; what is left over of each kind is put together, those beside each other that need like
 * contacts, and lanes pass over the contacts that they do not have. */
#include "sim/grouping.h"

enum { MOST_TOGETHER = 32 }; /* two vectors of 16 */

int zi_slots_take(zi_slots *slots, zi_rider *in)
{
    zi_slots all = *slots;
    int next[ZI_BODIES] = {0}; /* by body: the first slot behind its last contact */
    for (int k = 0; k < in->contacts; k++) {
        const zi_constraint *c = &in->contact[k];
        int s = next[c->body];
        while (s < all.count && (all.body[s] != c->body || all.points[s] != c->count)) {
            s++;
        }
        if (s == ZI_SLOTS) {
            return 0;
        }
        if (s == all.count) {
            all.body[s] = c->body;
            all.points[s] = c->count;
            all.count++;
        }
        in->slot[k] = (signed char)s;
        next[c->body] = s + 1;
    }
    *slots = all;
    return 1;
}

/* Riders that are solved with the next call. */
typedef struct crew {
    zi_lanes_solve solve;
    size_t most, count;
    zi_rider *rider[MOST_TOGETHER];
    zi_slots slots;
} crew;

static void solve_crew(crew *c, int is_quick)
{
    if (c->count) {
        c->solve(c->rider, (int)c->count, &c->slots, is_quick);
    }
    c->count = 0;
    c->slots.count = 0;
}

static void join_crew(crew *c, zi_rider *in)
{
    if (c->count == c->most || !zi_slots_take(&c->slots, in)) {
        solve_crew(c, 0);
        zi_slots_take(&c->slots, in);
    }
    c->rider[c->count++] = in;
}

/* ---- Kinds -------------------------------------------------------------------------------------------- */

static int is_quick(const zi_rider *in)
{
    return !in->contacts && !in->unrest && in->world->joint[0].limit != ZI_LIMIT_NONE &&
           in->world->joint[1].limit != ZI_LIMIT_NONE;
}

/* What worlds have in common that fill a vector. */
static uint64_t kind_of(const zi_rider *in)
{
    uint64_t kind = 1;
    for (int k = 0; k < ZI_JOINTS; k++) {
        kind = kind << 1 | (in->world->joint[k].limit != ZI_LIMIT_NONE);
    }
    for (int k = 0; k < in->contacts; k++) {
        kind = kind << 3 | (uint64_t)in->contact[k].body << 1 | (uint64_t)(in->contact[k].count - 1);
    }
    return kind << 3 | (uint64_t)in->contacts;
}

/* Which slots a world needs: a bit for each body and number of points, the rarest highest, and higher ones
 * where there are several of these. Worlds whose bits are near need few slots together. */
static unsigned needs_of(const zi_rider *in)
{
    static const unsigned bit[ZI_BODIES][2] = {{4, 5}, {1, 3}, {0, 2}};
    unsigned needs = 0;
    for (int k = 0; k < in->contacts; k++) {
        unsigned one = 1U << bit[in->contact[k].body][in->contact[k].count - 1];
        while (needs & one) {
            one <<= 6;
        }
        needs |= one;
    }
    return needs;
}

#define NOTHING SIZE_MAX

typedef struct task {
    uint64_t kind;
    size_t next; /* of this kind */
    zi_rider *rider;
} task;

/* A kind: its first and last task, and how many there are. */
typedef struct family {
    size_t first, last, count;
} family;

/* By order of appearance. There are few kinds, so they are looked for one by one. */
static size_t group_by_kind(task *t, size_t count, family *f)
{
    size_t kinds = 0;
    for (size_t i = 0; i < count; i++) {
        size_t k = 0;
        while (k < kinds && t[f[k].first].kind != t[i].kind) {
            k++;
        }
        if (k == kinds) {
            f[kinds++] = (family){.first = i};
        } else {
            t[f[k].last].next = i;
        }
        f[k].last = i;
        f[k].count++;
        t[i].next = NOTHING;
    }
    return kinds;
}

/* By what they need, those that need most last; few at a time. */
static void sort_by_needs(zi_rider **rider, size_t count)
{
    unsigned needs[ZI_CHUNK];
    for (size_t i = 0; i < count; i++) {
        zi_rider *const in = rider[i];
        const unsigned own = needs_of(in);
        size_t k = i;
        for (; k > 0 && needs[k - 1] > own; k--) {
            needs[k] = needs[k - 1];
            rider[k] = rider[k - 1];
        }
        needs[k] = own;
        rider[k] = in;
    }
}

/* Whole vectors of each kind, then what is left over. */
static void solve_by_kind(crew *c, size_t lanes, task *t, size_t count)
{
    family f[ZI_CHUNK];
    zi_rider *rest[ZI_CHUNK];
    size_t left_over = 0;
    const size_t kinds = group_by_kind(t, count, f);
    for (size_t k = 0; k < kinds; k++) {
        const size_t whole = f[k].count - f[k].count % lanes;
        size_t taken = 0;
        for (size_t i = f[k].first; i != NOTHING; i = t[i].next) {
            if (taken++ < whole) {
                join_crew(c, t[i].rider);
            } else {
                rest[left_over++] = t[i].rider;
            }
        }
        solve_crew(c, 0);
    }
    sort_by_needs(rest, left_over);
    for (size_t i = 0; i < left_over; i++) {
        join_crew(c, rest[i]);
    }
    solve_crew(c, 0);
}

/* ---- All of them -------------------------------------------------------------------------------------- */

static void add_task(task *t, size_t *count, zi_rider *in)
{
    t[(*count)++] = (task){kind_of(in), NOTHING, in};
}

/* Those of the crew that did not settle become tasks. */
static void solve_quickly(crew *c, task *t, size_t *count)
{
    const size_t together = c->count;
    solve_crew(c, 1);
    for (size_t i = 0; i < together; i++) {
        if (c->rider[i]->unrest) {
            add_task(t, count, c->rider[i]);
        }
    }
}

void zi_riders_solve(zi_lanes_solve solve, size_t lanes, zi_rider *rider, size_t count)
{
    task t[ZI_CHUNK];
    size_t tasks = 0;
    crew c = {.solve = solve, .most = 2 * lanes};
    for (size_t i = 0; i < count; i++) {
        zi_rider *in = &rider[i];
        if (!is_quick(in)) {
            add_task(t, &tasks, in);
        } else {
            c.rider[c.count++] = in;
            if (c.count == c.most) {
                solve_quickly(&c, t, &tasks);
            }
        }
    }
    solve_quickly(&c, t, &tasks);
    solve_by_kind(&c, lanes, t, tasks);
}
