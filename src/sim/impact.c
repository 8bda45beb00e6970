/* What would be hit within a step: for each contact the first time at which the two come closer than a
 * target distance, by conservative advancement (Mirtich); the distance by GJK (Gilbert, Johnson and
 * Keerthi 1988). The body of the earliest one is taken back to that time, its contacts alone are
 * solved there, and it goes on for the rest of the step. */
#include "sim/world.h"

#include <assert.h>
#include <string.h>

static const float target = 0x1.47ae14p-8F; /* skins of 0.02 less three slops; in single precision */
static const float tolerance = 0.25F * ZI_SLOP;
enum { MOST_IMPACTS = 8, MOST_ROUNDS = 20, MOST_GJK = 20, MOST_PUSHES = 16, MOST_ROOTS = 50 };

/* ---- Sweeps --------------------------------------------------------------------------------- */

ZI_SIM static void sweep_advance(zi_sweep *s, float to)
{
    assert(s->start < 1.0F);
    const float share = (to - s->start) / (1.0F - s->start);
    s->c0 = zi_add(zi_times(1.0F - share, s->c0), zi_times(share, s->c));
    s->a0 = (1.0F - share) * s->a0 + share * s->a;
    s->start = to;
}

ZI_SIM static zi_pose pose_at(const zi_sweep *s, zi_vec centre, float time)
{
    const zi_vec c = zi_add(zi_times(1.0F - time, s->c0), zi_times(time, s->c));
    return zi_pose_of(c, (1.0F - time) * s->a0 + time * s->a, centre);
}

/* Angles from 0 to a turn at the beginning. */
ZI_SIM static zi_sweep normalised(zi_sweep s)
{
    const float turn = 2.0F * ZI_PI;
    const float turns = turn * floorf(s.a0 / turn);
    s.a0 -= turns;
    s.a -= turns;
    return s;
}

/* ---- Distance --------------------------------------------------------------------------------- */

/* The edge (a), which does not move, and the polygon (b). */
typedef struct couple {
    zi_vec edge[2];
    const zi_shape *shape;
    zi_sweep sweep;
} couple;

ZI_SIM static int edge_support(const couple *q, zi_vec d)
{
    return zi_dot(q->edge[1], d) > zi_dot(q->edge[0], d);
}

ZI_SIM static int shape_support(const couple *q, zi_vec d)
{
    int best = 0;
    float most = zi_dot(q->shape->vertex[0], d);
    for (int i = 1; i < q->shape->count; i++) {
        const float value = zi_dot(q->shape->vertex[i], d);
        if (value > most) {
            most = value;
            best = i;
        }
    }
    return best;
}

/* A corner of the difference of the two, and its share in the nearest point. */
typedef struct corner {
    zi_vec a, b, w;
    float share;
    int ia, ib;
} corner;

typedef struct simplex {
    int count;
    corner v[3];
} simplex;

/* The simplex a distance ended with, to begin the next one from. */
typedef struct memory {
    int count, ia[3], ib[3];
    float measure;
} memory;

ZI_SIM static corner corner_of(const couple *q, zi_pose pose, int ia, int ib)
{
    corner v = {.a = q->edge[ia], .b = zi_place(pose, q->shape->vertex[ib]), .ia = ia, .ib = ib};
    v.w = zi_minus(v.b, v.a);
    return v;
}

ZI_SIM static float measure_of(const simplex *s)
{
    if (s->count == 2) {
        return zi_length(zi_minus(s->v[0].w, s->v[1].w));
    }
    return s->count == 3 ? zi_cross(zi_minus(s->v[1].w, s->v[0].w), zi_minus(s->v[2].w, s->v[0].w)) : 0.0F;
}

ZI_SIM static void recall(simplex *s, const memory *m, const couple *q, zi_pose pose)
{
    s->count = m->count;
    for (int i = 0; i < m->count; i++) {
        s->v[i] = corner_of(q, pose, m->ia[i], m->ib[i]);
    }
    if (s->count > 1) {
        const float now = measure_of(s);
        if (now < 0.5F * m->measure || 2.0F * m->measure < now || now < FLT_EPSILON) {
            s->count = 0;
        }
    }
    if (s->count == 0) {
        s->v[0] = corner_of(q, pose, 0, 0);
        s->count = 1;
    }
}

ZI_SIM static void remember(memory *m, const simplex *s)
{
    m->measure = measure_of(s);
    m->count = s->count;
    for (int i = 0; i < s->count; i++) {
        m->ia[i] = s->v[i].ia;
        m->ib[i] = s->v[i].ib;
    }
}

ZI_SIM static void keep_one(simplex *s, int i)
{
    s->v[0] = s->v[i];
    s->v[0].share = 1.0F;
    s->count = 1;
}

/* Shares by their parts; corner i becomes the first, j the second. */
ZI_SIM static void keep_two(simplex *s, float part_i, float part_j, corner i, corner j)
{
    const float inverse = 1.0F / (part_i + part_j);
    i.share = part_i * inverse;
    j.share = part_j * inverse;
    s->v[0] = i;
    s->v[1] = j;
    s->count = 2;
}

ZI_SIM static void reduce_two(simplex *s)
{
    const zi_vec w1 = s->v[0].w;
    const zi_vec w2 = s->v[1].w;
    const zi_vec e12 = zi_minus(w2, w1);
    const float d2 = -zi_dot(w1, e12);
    if (d2 <= 0.0F) {
        keep_one(s, 0);
        return;
    }
    const float d1 = zi_dot(w2, e12);
    if (d1 <= 0.0F) {
        keep_one(s, 1);
        return;
    }
    keep_two(s, d1, d2, s->v[0], s->v[1]);
}

ZI_SIM static void reduce_three(simplex *s)
{
    const corner v1 = s->v[0], v2 = s->v[1], v3 = s->v[2];
    const zi_vec e12 = zi_minus(v2.w, v1.w);
    const zi_vec e13 = zi_minus(v3.w, v1.w);
    const zi_vec e23 = zi_minus(v3.w, v2.w);
    const float d12_1 = zi_dot(v2.w, e12), d12_2 = -zi_dot(v1.w, e12);
    const float d13_1 = zi_dot(v3.w, e13), d13_2 = -zi_dot(v1.w, e13);
    const float d23_1 = zi_dot(v3.w, e23), d23_2 = -zi_dot(v2.w, e23);
    const float area = zi_cross(e12, e13);
    const float d123_1 = area * zi_cross(v2.w, v3.w);
    const float d123_2 = area * zi_cross(v3.w, v1.w);
    const float d123_3 = area * zi_cross(v1.w, v2.w);
    if (d12_2 <= 0.0F && d13_2 <= 0.0F) {
        keep_one(s, 0);
    } else if (d12_1 > 0.0F && d12_2 > 0.0F && d123_3 <= 0.0F) {
        keep_two(s, d12_1, d12_2, v1, v2);
    } else if (d13_1 > 0.0F && d13_2 > 0.0F && d123_2 <= 0.0F) {
        keep_two(s, d13_1, d13_2, v1, v3);
    } else if (d12_1 <= 0.0F && d23_2 <= 0.0F) {
        keep_one(s, 1);
    } else if (d13_1 <= 0.0F && d23_1 <= 0.0F) {
        keep_one(s, 2);
    } else if (d23_1 > 0.0F && d23_2 > 0.0F && d123_1 <= 0.0F) {
        keep_two(s, d23_2, d23_1, v3, v2); /* the third takes the first's place */
    } else {
        const float inverse = 1.0F / (d123_1 + d123_2 + d123_3);
        s->v[0].share = d123_1 * inverse;
        s->v[1].share = d123_2 * inverse;
        s->v[2].share = d123_3 * inverse;
    }
}

/* Towards the origin, from the simplex. */
ZI_SIM static zi_vec search_direction(const simplex *s)
{
    if (s->count == 1) {
        return zi_negative(s->v[0].w);
    }
    const zi_vec e12 = zi_minus(s->v[1].w, s->v[0].w);
    const float side = zi_cross(e12, zi_negative(s->v[0].w));
    return side > 0.0F ? zi_vec_of(-1.0F * e12.y, 1.0F * e12.x) : zi_right_of(e12);
}

ZI_SIM static float final_distance(const simplex *s)
{
    const corner *v = s->v;
    if (s->count == 1) {
        return zi_length(zi_minus(v[0].a, v[0].b));
    }
    if (s->count == 3) {
        return 0.0F;
    }
    const zi_vec a = zi_add(zi_times(v[0].share, v[0].a), zi_times(v[1].share, v[1].a));
    const zi_vec b = zi_add(zi_times(v[0].share, v[0].b), zi_times(v[1].share, v[1].b));
    return zi_length(zi_minus(a, b));
}

ZI_SIM static int is_known(const simplex *before, const corner *v)
{
    for (int i = 0; i < before->count; i++) {
        if (before->v[i].ia == v->ia && before->v[i].ib == v->ib) {
            return 1;
        }
    }
    return 0;
}

ZI_SIM static float distance(const couple *q, zi_pose pose, memory *m)
{
    simplex s;
    recall(&s, m, q, pose);
    for (int round = 0; round < MOST_GJK; round++) {
        const simplex before = s;
        if (s.count == 2) {
            reduce_two(&s);
        } else if (s.count == 3) {
            reduce_three(&s);
        }
        if (s.count == 3) {
            break; /* the origin is inside */
        }
        const zi_vec d = search_direction(&s);
        if (zi_dot(d, d) < FLT_EPSILON * FLT_EPSILON) {
            break;
        }
        const corner next =
            corner_of(q, pose, edge_support(q, zi_negative(d)), shape_support(q, zi_rotate_back(pose.q, d)));
        if (is_known(&before, &next)) {
            break;
        }
        s.v[s.count++] = next;
    }
    remember(m, &s);
    return final_distance(&s);
}

/* ---- Separation along an axis -------------------------------------------------------------------- */

/* The axis of the last distance: between two points, or a side of one of the two. */
typedef enum axis_kind { BY_POINTS, BY_EDGE, BY_SIDE } axis_kind;

typedef struct axis {
    axis_kind kind;
    zi_vec direction, point; /* in the frame of what it belongs to */
} axis;

ZI_SIM static axis axis_of(const couple *q, const memory *m, float time)
{
    const zi_pose pose = pose_at(&q->sweep, q->shape->centre, time);
    axis x = {.kind = m->count == 1 ? BY_POINTS : m->ia[0] == m->ia[1] ? BY_SIDE : BY_EDGE};
    if (x.kind == BY_POINTS) {
        const zi_vec b = zi_place(pose, q->shape->vertex[m->ib[0]]);
        x.direction = zi_direction(zi_minus(b, q->edge[m->ia[0]]), NULL);
        return x;
    }
    const int is_side = x.kind == BY_SIDE;
    const zi_vec v1 = is_side ? q->shape->vertex[m->ib[0]] : q->edge[m->ia[0]];
    const zi_vec v2 = is_side ? q->shape->vertex[m->ib[1]] : q->edge[m->ia[1]];
    x.direction = zi_direction(zi_right_of(zi_minus(v2, v1)), NULL);
    x.point = zi_times(0.5F, zi_add(v1, v2));
    const zi_vec normal = is_side ? zi_rotate(pose.q, x.direction) : x.direction;
    const zi_vec from = is_side ? zi_place(pose, x.point) : x.point;
    const zi_vec to = is_side ? q->edge[m->ia[0]] : zi_place(pose, q->shape->vertex[m->ib[0]]);
    if (zi_dot(zi_minus(to, from), normal) < 0.0F) {
        x.direction = zi_negative(x.direction);
    }
    return x;
}

/* Separation along the axis at a time, of these two vertices; with `deepest` of those that are deepest
 * then, which it gives. */
ZI_SIM static float separation(const couple *q, const axis *x, float time, int deepest, int *ia, int *ib)
{
    const zi_pose pose = pose_at(&q->sweep, q->shape->centre, time);
    if (x->kind == BY_SIDE) {
        const zi_vec normal = zi_rotate(pose.q, x->direction);
        const zi_vec b = zi_place(pose, x->point);
        *ia = deepest ? edge_support(q, zi_negative(normal)) : *ia;
        return zi_dot(zi_minus(q->edge[*ia], b), normal);
    }
    const zi_vec n = x->direction;
    *ib = deepest ? shape_support(q, zi_rotate_back(pose.q, zi_negative(n))) : *ib;
    const zi_vec b = zi_place(pose, q->shape->vertex[*ib]);
    if (x->kind == BY_EDGE) {
        return zi_dot(zi_minus(b, x->point), n);
    }
    *ia = deepest ? edge_support(q, n) : *ia;
    return zi_dot(zi_minus(b, q->edge[*ia]), n);
}

/* ---- Time of impact --------------------------------------------------------------------------------- */

/* Between t1, apart by s1, and t2, too close by s2: where the separation is the target, by bisection
 * and the secant rule in turn. */
ZI_SIM static float find_root(const couple *q, const axis *x, float t1, float s1, float t2, float s2, int *ia,
                              int *ib)
{
    float from = t1;
    float to = t2;
    for (int round = 0; round < MOST_ROOTS; round++) {
        const float t = round % 2 ? from + (target - s1) * (to - from) / (s2 - s1) : 0.5F * (from + to);
        const float s = separation(q, x, t, 0, ia, ib);
        if (fabsf(s - target) < tolerance) {
            return t;
        }
        if (s > target) {
            from = t;
            s1 = s;
        } else {
            to = t;
            s2 = s;
        }
    }
    return t2;
}

/* Whether they touch within the sweep; *time is when. */
ZI_SIM static int time_of_impact(const couple *q, float *time)
{
    memory m = {.count = 0};
    float t1 = 0.0F;
    *time = 1.0F;
    for (int round = 0; round < MOST_ROUNDS; round++) {
        const float gap = distance(q, pose_at(&q->sweep, q->shape->centre, t1), &m);
        if (gap <= 0.0F) {
            return 0; /* they overlap already */
        }
        if (gap < target + tolerance) {
            *time = t1;
            return 1;
        }
        const axis x = axis_of(q, &m, t1);
        float t2 = 1.0F;
        for (int push = 0; push < MOST_PUSHES; push++) {
            int ia = 0;
            int ib = 0;
            const float s2 = separation(q, &x, t2, 1, &ia, &ib);
            if (s2 > target + tolerance) {
                return 0;
            }
            if (s2 > target - tolerance) {
                t1 = t2;
                break;
            }
            const float s1 = separation(q, &x, t1, 0, &ia, &ib);
            if (s1 < target - tolerance) {
                return 0; /* the root finder has failed */
            }
            if (s1 <= target + tolerance) {
                *time = t1;
                return 1;
            }
            t2 = find_root(q, &x, t1, s1, t2, s2, &ia, &ib);
        }
    }
    return 0;
}

/* With their skins, 0.02 together, the two were apart at the beginning and at the end; between, a turn of
 * less than 0.3 makes a corner stick out by less than 0.01, so they were never as close as the target. */
ZI_SIM static int is_far(const zi_body *b, const zi_edge *edge)
{
    return !zi_overlap(edge->skin, b->swept) && fabsf(b->sweep.a - b->sweep.a0) < 0.3F;
}

/* How far the corners are from the edge's line: positive if all are above it, negative if all are below it,
 * else 0. */
ZI_SIM static float height_of(const zi_shape *shape, zi_pose pose, const zi_edge *edge)
{
    const zi_vec normal = zi_right_of(edge->along);
    float least = FLT_MAX;
    float most = -FLT_MAX;
    for (int i = 0; i < shape->count; i++) {
        const float gap = zi_dot(zi_minus(zi_place(pose, shape->vertex[i]), edge->v1), normal);
        least = zi_least(least, gap);
        most = zi_most(most, gap);
    }
    return least > 0.0F ? least : zi_least(most, 0.0F);
}

/* At rest on the ground a body keeps the distance of the skins: its corners are farther from the edge's line
 * than they move. Or they are on the same side of it before and after, by so much that no turn of less than
 * 0.1 between the two poses brings them as close as the target: the arcs take less than 0.001. */
ZI_SIM static int stays_away(const zi_body *b, const zi_shape *shape, const zi_edge *edge)
{
    const float enough = target + tolerance + 0.002F;
    const float most_arm = 0.75F; /* from a body's centre to its corners */
    const zi_sweep *s = &b->sweep;
    const float turn = fabsf(s->a - s->a0);
    const float way = fabsf(s->c.x - s->c0.x) + fabsf(s->c.y - s->c0.y) + most_arm * turn;
    const float after = height_of(shape, b->pose, edge);
    if (!(fabsf(after) > enough) || fabsf(after) > enough + way) {
        return fabsf(after) > enough;
    }
    const float before = height_of(shape, zi_pose_of(s->c0, s->a0, shape->centre), edge);
    return turn < 0.1F && fabsf(before) > enough && (before > 0.0F) == (after > 0.0F);
}

/* The time at which a contact's body first touches the edge: 1 if it does not. */
ZI_SIM static float impact_of(zi_world *world, const zi_contact *contact)
{
    zi_body *b = &world->body[contact->body];
    float start = world->moon_start;
    if (world->moon_start < b->sweep.start) {
        start = b->sweep.start;
        world->moon_start = start;
    } else if (b->sweep.start < world->moon_start) {
        sweep_advance(&b->sweep, start);
    }
    const zi_edge *edge = &world->edge[contact->edge];
    if (is_far(b, edge) || stays_away(b, zi_shape_of(contact->body), edge)) {
        return 1.0F;
    }
    const couple q = {{edge->v1, edge->v2}, zi_shape_of(contact->body), normalised(b->sweep)};
    float time;
    return time_of_impact(&q, &time) ? zi_least(start + (1.0F - start) * time, 1.0F) : 1.0F;
}

ZI_SIM static zi_contact *earliest_impact(zi_world *world, float *time)
{
    zi_contact *earliest = NULL;
    *time = 1.0F;
    for (int i = 0; i < world->contacts; i++) {
        zi_contact *c = &world->contact[i];
        if (!c->is_enabled || c->impacts > MOST_IMPACTS) {
            continue;
        }
        if (!c->has_impact) {
            if (!world->body[c->body].is_awake) {
                continue;
            }
            c->impact = impact_of(world, c);
            c->has_impact = 1;
        }
        if (c->impact < *time) {
            earliest = c;
            *time = c->impact;
        }
    }
    return earliest;
}

/* ---- Solving at the time of impact ---------------------------------------------------------------- */

ZI_SIM static void go_to(zi_world *world, int body, float time)
{
    zi_body *b = &world->body[body];
    sweep_advance(&b->sweep, time);
    b->sweep.c = b->sweep.c0;
    b->sweep.a = b->sweep.a0;
    b->pose = zi_pose_of(b->sweep.c, b->sweep.a, zi_shape_of(body)->centre);
}

/* The contact of the impact first, then the body's others that touch at its pose. */
ZI_SIM static int collect(zi_world *world, zi_contact *first, zi_constraint *out)
{
    int count = 0;
    zi_constraint_begin(&out[count++], world, first, 0.0F);
    for (int i = 0; i < world->contacts; i++) {
        zi_contact *c = &world->contact[i];
        if (c == first || c->body != first->body) {
            continue;
        }
        zi_contact_update(world, c);
        if (c->is_enabled && c->is_touching) {
            zi_constraint_begin(&out[count++], world, c, 0.0F);
        }
    }
    return count;
}

ZI_SIM static void solve_impact(zi_world *world, int body, zi_constraint *c, int count, float seconds)
{
    zi_body *b = &world->body[body];
    zi_motion m = {b->sweep.c, b->v, b->sweep.a, b->w};
    for (int round = 0; round < 20; round++) {
        float least = 0.0F;
        for (int i = 0; i < count; i++) {
            least = zi_least(least, zi_constraint_separate(&c[i], 0.75F, &m));
        }
        if (least >= -1.5F * ZI_SLOP) {
            break;
        }
    }
    b->sweep.c0 = m.c;
    b->sweep.a0 = m.a;
    const zi_pose pose = zi_pose_of(m.c, m.a, zi_shape_of(body)->centre);
    for (int i = 0; i < count; i++) {
        zi_constraint_set_up(&c[i], m.c, pose);
    }
    for (int round = 0; round < ZI_VELOCITY_ROUNDS && zi_constraint_round(c, count, &m); round++) {
    }
    zi_motion_advance(&m, seconds);
    b->sweep.c = m.c;
    b->sweep.a = m.a;
    b->v = m.v;
    b->w = m.w;
    b->pose = zi_pose_of(m.c, m.a, zi_shape_of(body)->centre);
}

ZI_SIM static void forget_impacts(zi_world *world, int body)
{
    for (int i = 0; i < world->contacts; i++) {
        if (world->contact[i].body == body) {
            world->contact[i].has_impact = 0;
        }
    }
}

/* One impact: its body goes back to it and on from there. */
ZI_SIM static void resolve(zi_world *world, zi_contact *contact, float time)
{
    const int body = contact->body;
    zi_body *b = &world->body[body];
    const zi_sweep before = b->sweep;
    const float moon_before = world->moon_start;
    world->moon_start = time;
    go_to(world, body, time);
    zi_contact_update(world, contact);
    contact->has_impact = 0;
    contact->impacts++;
    if (!contact->is_touching) {
        contact->is_enabled = 0;
        b->sweep = before;
        world->moon_start = moon_before;
        b->pose = zi_pose_of(b->sweep.c, b->sweep.a, zi_shape_of(body)->centre);
        return;
    }
    if (!b->is_awake) {
        b->is_awake = 1;
        b->still = 0.0F;
    }
    zi_constraint constraint[ZI_EDGES];
    const int count = collect(world, contact, constraint);
    solve_impact(world, body, constraint, count, (1.0F - time) * ZI_STEP_SECONDS);
    zi_body_follow(world, body);
    forget_impacts(world, body);
    zi_find_contacts(world);
}

ZI_SIM void zi_world_impacts(zi_world *world)
{
    world->moon_start = 0.0F;
    for (int i = 0; i < ZI_BODIES; i++) {
        world->body[i].sweep.start = 0.0F;
    }
    for (int i = 0; i < world->contacts; i++) {
        world->contact[i].has_impact = 0;
        world->contact[i].impacts = 0;
        world->contact[i].impact = 1.0F;
    }
    for (;;) {
        float time;
        zi_contact *contact = earliest_impact(world, &time);
        if (!contact || 1.0F - 10.0F * FLT_EPSILON < time) {
            return;
        }
        resolve(world, contact, time);
    }
}
