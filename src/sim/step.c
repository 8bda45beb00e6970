/* One step of a world, in the order of the engine it equals: look at the contacts there are, solve
 * velocities and positions, see where the bodies may be now and which contacts that makes, and
 * go back to what would have been hit within the step (impact.c). */
#include "sim/lanes.h"

#include <assert.h>
#include <string.h>

/* ---- Poses and boxes ------------------------------------------------------------------- */

ZI_SIM zi_pose zi_pose_of(zi_vec centre, float angle, zi_vec local_centre)
{
    zi_pose pose = {.q = zi_rotation_of(angle)};
    pose.p = zi_minus(centre, zi_rotate(pose.q, local_centre));
    return pose;
}

ZI_SIM static zi_vec lower_of(zi_vec a, zi_vec b)
{
    return zi_vec_of(zi_least(a.x, b.x), zi_least(a.y, b.y));
}

ZI_SIM static zi_vec upper_of(zi_vec a, zi_vec b)
{
    return zi_vec_of(zi_most(a.x, b.x), zi_most(a.y, b.y));
}

ZI_SIM static zi_box grown(zi_box box, float by)
{
    const zi_vec r = {by, by};
    return (zi_box){zi_minus(box.lower, r), zi_add(box.upper, r)};
}

ZI_SIM static zi_box box_of(const zi_shape *shape, zi_pose pose)
{
    zi_vec lower = zi_place(pose, shape->vertex[0]);
    zi_vec upper = lower;
    for (int i = 1; i < shape->count; i++) {
        const zi_vec v = zi_place(pose, shape->vertex[i]);
        lower = lower_of(lower, v);
        upper = upper_of(upper, v);
    }
    return grown((zi_box){lower, upper}, ZI_SKIN);
}

ZI_SIM static int contains(zi_box outer, zi_box inner)
{
    return outer.lower.x <= inner.lower.x && outer.lower.y <= inner.lower.y &&
           inner.upper.x <= outer.upper.x && inner.upper.y <= outer.upper.y;
}

ZI_SIM int zi_overlap(zi_box a, zi_box b)
{
    return !(b.lower.x - a.upper.x > 0.0F || b.lower.y - a.upper.y > 0.0F || a.lower.x - b.upper.x > 0.0F ||
             a.lower.y - b.upper.y > 0.0F);
}

ZI_SIM void zi_body_follow(zi_world *world, int body)
{
    assert(body >= 0 && body < ZI_BODIES);
    zi_body *b = &world->body[body];
    const zi_shape *shape = zi_shape_of(body);
    const zi_pose before = zi_pose_of(b->sweep.c0, b->sweep.a0, shape->centre);
    const zi_box first = box_of(shape, before);
    const zi_box last = box_of(shape, b->pose);
    const zi_box swept = {lower_of(first.lower, last.lower), upper_of(first.upper, last.upper)};
    b->swept = swept;
    if (contains(b->box, swept)) {
        return;
    }
    const zi_vec ahead = zi_times(ZI_BOX_AHEAD, zi_minus(b->pose.p, before.p));
    b->box = grown(swept, ZI_BOX_MARGIN);
    *(ahead.x < 0.0F ? &b->box.lower.x : &b->box.upper.x) += ahead.x;
    *(ahead.y < 0.0F ? &b->box.lower.y : &b->box.upper.y) += ahead.y;
    world->moved |= 1U << body;
}

/* ---- Contacts --------------------------------------------------------------------------- */

ZI_SIM static void wake(zi_body *body)
{
    if (!body->is_awake) {
        body->is_awake = 1;
        body->still = 0.0F;
    }
}

/* What hears of contacts: a leg's flag goes with the last thing heard, whatever else it touches. */
ZI_SIM static void tell(zi_world *world, int body, int begins)
{
    if (body != ZI_LANDER) {
        world->touch.leg[body - ZI_LEG0] = begins;
    } else if (begins) {
        world->touch.crashed = 1;
    }
}

ZI_SIM void zi_contact_update(zi_world *world, zi_contact *contact)
{
    const zi_manifold old = contact->manifold;
    const int was_touching = contact->is_touching;
    zi_manifold *now = &contact->manifold;
    contact->is_enabled = 1;
    zi_collide(&world->edge[contact->edge], zi_shape_of(contact->body), world->body[contact->body].pose, now);
    for (int i = 0; i < now->count; i++) {
        zi_point *point = &now->point[i];
        point->normal_impulse = 0.0F;
        point->tangent_impulse = 0.0F;
        for (int j = 0; j < old.count; j++) {
            if (old.point[j].id == point->id) {
                point->normal_impulse = old.point[j].normal_impulse;
                point->tangent_impulse = old.point[j].tangent_impulse;
                break;
            }
        }
    }
    contact->is_touching = now->count > 0;
    if (contact->is_touching != was_touching) {
        wake(&world->body[contact->body]);
        tell(world, contact->body, contact->is_touching);
    }
}

ZI_SIM static int has_contact(const zi_world *world, int edge, int body)
{
    for (int i = 0; i < world->contacts; i++) {
        if (world->contact[i].edge == edge && world->contact[i].body == body) {
            return 1;
        }
    }
    return 0;
}

ZI_SIM static void add_contact(zi_world *world, int edge, int body)
{
    for (int i = world->contacts; i > 0; i--) {
        world->contact[i] = world->contact[i - 1];
    }
    world->contact[0] = (zi_contact){.edge = edge, .body = body, .is_enabled = 1};
    world->contacts++;
    wake(&world->body[body]);
}

ZI_SIM static void look_at_edge(zi_world *world, int edge)
{
    for (int body = 0; body < ZI_BODIES; body++) {
        if (world->moved >> body & 1 && zi_overlap(world->edge[edge].box, world->body[body].box) &&
            !has_contact(world, edge, body)) {
            add_contact(world, edge, body);
        }
    }
}

/* The bottom, and the pieces of the ground near the bodies that moved: number e spans 2 (e - 1) to 2 e, and
 * the margin. */
ZI_SIM void zi_find_contacts(zi_world *world)
{
    const float margin = 0.2F;
    float left = FLT_MAX;
    float right = -FLT_MAX;
    float low = FLT_MAX;
    for (int body = 0; body < ZI_BODIES; body++) {
        if (world->moved >> body & 1) {
            left = zi_least(left, world->body[body].box.lower.x);
            right = zi_most(right, world->body[body].box.upper.x);
            low = zi_least(low, world->body[body].box.lower.y);
        }
    }
    if (low > world->summit) {
        world->moved = 0;
        return;
    }
    const int first = (int)zi_clamp(0.5F * (left - margin), 1.0F, ZI_EDGES - 1);
    const int last = (int)zi_clamp(0.5F * (right + margin) + 1.0F, 1.0F, ZI_EDGES - 1);
    look_at_edge(world, 0);
    for (int edge = first; edge <= last; edge++) {
        if (low <= world->edge[edge].box.upper.y) {
            look_at_edge(world, edge);
        }
    }
    world->moved = 0;
}

/* Whether the two may touch: points of contact are no farther apart than the two skins are thick, but for
 * rounding, and the boxes have the skins. */
ZI_SIM static int is_near(const zi_edge *edge, const zi_body *body)
{
    const float rounding = 0.001F;
    return zi_overlap(grown(edge->skin, rounding), body->swept);
}

/* Those whose boxes have come apart go, the others are looked at again. */
ZI_SIM void zi_world_collide(zi_world *world)
{
    zi_find_contacts(world); /* new ones only before the first step */
    int kept = 0;
    for (int i = 0; i < world->contacts; i++) {
        zi_contact *contact = &world->contact[i];
        const zi_body *body = &world->body[contact->body];
        if (body->is_awake && !zi_overlap(world->edge[contact->edge].box, body->box)) {
            if (contact->is_touching) {
                tell(world, contact->body, 0);
            }
            continue;
        }
        if (body->is_awake && !contact->is_touching && !is_near(&world->edge[contact->edge], body)) {
            contact->is_enabled = 1;
        } else if (body->is_awake) {
            zi_contact_update(world, contact);
        }
        if (kept != i) {
            world->contact[kept] = *contact;
        }
        kept++;
    }
    world->contacts = kept;
}

/* ---- Solving ------------------------------------------------------------------------------ */

/* In which order a search from body to body meets bodies and joints, by the body that it
 * begins with: the newest that is awake. */
typedef struct order {
    int body[ZI_BODIES], joint[ZI_JOINTS];
} order;

ZI_SIM static const order *order_from(const zi_world *world)
{
    static const order from_leg1 = {{ZI_LEG1, ZI_LANDER, ZI_LEG0}, {1, 0}};
    static const order from_leg0 = {{ZI_LEG0, ZI_LANDER, ZI_LEG1}, {0, 1}};
    static const order from_lander = {{ZI_LANDER, ZI_LEG0, ZI_LEG1}, {1, 0}};
    return world->body[ZI_LEG1].is_awake     ? &from_leg1
           : world->body[ZI_LEG0].is_awake   ? &from_leg0
           : world->body[ZI_LANDER].is_awake ? &from_lander
                                             : NULL;
}

ZI_SIM static void begin_motion(zi_world *world, int body, zi_motion *m)
{
    zi_body *b = &world->body[body];
    const zi_shape *s = zi_shape_of(body);
    wake(b);
    const zi_vec force = body == ZI_LANDER ? world->force : zi_vec_of(0.0F, 0.0F);
    const float torque = body == ZI_LANDER ? world->torque : 0.0F;
    b->sweep.c0 = b->sweep.c;
    b->sweep.a0 = b->sweep.a;
    const zi_vec pull = {0.0F + s->inverse_mass * force.x, world->gravity + s->inverse_mass * force.y};
    m->c = b->sweep.c;
    m->a = b->sweep.a;
    m->v = zi_add(b->v, zi_times(ZI_STEP_SECONDS, pull));
    m->w = b->w + ZI_STEP_SECONDS * s->inverse_inertia * torque;
}

ZI_SIM static int is_solved_for(const zi_contact *contact)
{
    return contact->is_enabled && contact->is_touching;
}

/* Gives how many there are. */
ZI_SIM static int set_up_contacts(zi_world *world, const order *o, zi_constraint *out)
{
    int count = 0;
    for (int k = 0; k < ZI_BODIES; k++) {
        const zi_body *b = &world->body[o->body[k]];
        for (int i = 0; i < world->contacts; i++) {
            zi_contact *contact = &world->contact[i];
            if (contact->body == o->body[k] && is_solved_for(contact)) {
                zi_constraint_begin(&out[count], world, contact, world->previous);
                zi_constraint_set_up(&out[count], b->sweep.c, b->pose);
                count++;
            }
        }
    }
    return count;
}

ZI_SIM void zi_solve_scalar(zi_island *in)
{
    for (int round = 0; round < ZI_VELOCITY_ROUNDS; round++) {
        for (int i = 0; i < ZI_JOINTS; i++) {
            zi_joint_solve(&in->joint[i], in->motion);
        }
        for (int i = 0; i < in->contacts; i++) {
            zi_constraint_solve(&in->contact[i], &in->motion[in->contact[i].body]);
        }
    }
}

ZI_SIM static int solve_positions(zi_island *in)
{
    for (int round = 0; round < ZI_POSITION_ROUNDS; round++) {
        float least = 0.0F;
        for (int i = 0; i < in->contacts; i++) {
            zi_constraint *c = &in->contact[i];
            least = zi_least(least, zi_constraint_separate(c, 0.2F, &in->motion[c->body]));
        }
        int is_good = least >= -3.0F * ZI_SLOP;
        for (int i = 0; i < ZI_JOINTS; i++) {
            is_good &= zi_joint_correct(&in->joint[i], in->motion);
        }
        if (is_good) {
            return 1;
        }
    }
    return 0;
}

ZI_SIM void zi_motion_advance(zi_motion *m, float seconds)
{
    assert(seconds >= 0.0F);
    const float most_way = 2.0F;
    const float most_turn = 0.5F * ZI_PI;
    const zi_vec way = zi_times(seconds, m->v);
    if (zi_dot(way, way) > most_way * most_way) {
        m->v = zi_times(most_way / zi_length(way), m->v);
    }
    const float turn = seconds * m->w;
    if (turn * turn > most_turn * most_turn) {
        m->w *= most_turn / fabsf(turn);
    }
    m->c = zi_add(m->c, zi_times(seconds, m->v));
    m->a += seconds * m->w;
}

ZI_SIM static void end_motion(zi_body *b, const zi_shape *s, const zi_motion *m)
{
    b->sweep.c = m->c;
    b->sweep.a = m->a;
    b->v = m->v;
    b->w = m->w;
    b->pose = zi_pose_of(m->c, m->a, s->centre);
}

/* Half a second without motion, of all of them: they fall asleep. */
ZI_SIM void zi_world_rest(zi_world *world, int is_solved)
{
    const float most_turn = ZI_ANGULAR_SLOP;
    const float most_speed = 0.01F;
    float least = FLT_MAX;
    for (int i = 0; i < ZI_BODIES; i++) {
        zi_body *b = &world->body[i];
        if (b->w * b->w > most_turn * most_turn || zi_dot(b->v, b->v) > most_speed * most_speed) {
            b->still = 0.0F;
            least = 0.0F;
        } else {
            b->still += ZI_STEP_SECONDS;
            least = zi_least(least, b->still);
        }
    }
    for (int i = 0; i < ZI_BODIES && least >= 0.5F && is_solved; i++) {
        zi_body *b = &world->body[i];
        b->is_awake = 0;
        b->still = 0.0F;
        b->v = zi_vec_of(0.0F, 0.0F);
        b->w = 0.0F;
    }
}

ZI_SIM int zi_world_prepare(zi_world *world, zi_island *in)
{
    const order *o = order_from(world);
    if (!o) {
        return 0;
    }
    for (int i = 0; i < ZI_BODIES; i++) {
        begin_motion(world, i, &in->motion[i]);
    }
    in->contacts = set_up_contacts(world, o, in->contact);
    for (int i = 0; i < in->contacts; i++) {
        zi_constraint_warm_start(&in->contact[i], &in->motion[in->contact[i].body]);
    }
    for (int i = 0; i < ZI_JOINTS; i++) {
        zi_joint_begin(&in->joint[i], world, o->joint[i], in->motion);
    }
    return 1;
}

ZI_SIM int zi_world_board(zi_world *world, zi_rider *r)
{
    const order *o = order_from(world);
    int touching = 0;
    for (int i = 0; i < world->contacts; i++) {
        touching += is_solved_for(&world->contact[i]);
    }
    if (!o || o->body[0] != ZI_LEG1 || touching > ZI_LANE_CONTACTS) {
        return 0;
    }
    r->world = world;
    r->unrest = world->unrest;
    r->contacts = set_up_contacts(world, o, r->contact);
    for (int i = 0; i < ZI_BODIES; i++) {
        wake(&world->body[i]);
    }
    for (int i = 0; i < ZI_JOINTS; i++) {
        const zi_hinge *h = &zi_hinges[i];
        zi_joint_limit(&world->joint[i], h, world->body[ZI_LANDER].sweep.a, world->body[h->leg].sweep.a);
    }
    return 1;
}

ZI_SIM void zi_world_conclude(zi_world *world, zi_island *in)
{
    for (int i = 0; i < in->contacts; i++) {
        zi_constraint_store(&in->contact[i]);
    }
    for (int i = 0; i < ZI_BODIES; i++) {
        zi_motion_advance(&in->motion[i], ZI_STEP_SECONDS);
    }
    const int is_solved = solve_positions(in);
    for (int i = 0; i < ZI_BODIES; i++) {
        end_motion(&world->body[i], zi_shape_of(i), &in->motion[i]);
    }
    zi_world_rest(world, is_solved);
    for (int i = 0; i < ZI_BODIES; i++) {
        zi_body_follow(world, i);
    }
}

ZI_SIM void zi_world_finish(zi_world *world)
{
    zi_find_contacts(world);
    zi_world_impacts(world);
    world->force = zi_vec_of(0.0F, 0.0F);
    world->torque = 0.0F;
    world->previous = 1.0F;
}

ZI_SIM void zi_world_solve(zi_world *world)
{
    zi_island in;
    if (zi_world_prepare(world, &in)) {
        zi_solve_scalar(&in);
        zi_world_conclude(world, &in);
    }
}

ZI_SIM void zi_world_step(zi_world *world)
{
    zi_world_collide(world);
    zi_world_solve(world);
    zi_world_finish(world);
}

/* ---- Building ------------------------------------------------------------------------------ */

ZI_SIM static void build_edge(zi_edge *edge, double x1, double y1, double x2, double y2, float friction)
{
    edge->v1 = zi_vec_of((float)x1, (float)y1);
    edge->v2 = zi_vec_of((float)x2, (float)y2);
    edge->friction = friction;
    const zi_box box = {lower_of(edge->v1, edge->v2), upper_of(edge->v1, edge->v2)};
    edge->skin = grown(box, ZI_SKIN);
    edge->box = grown(edge->skin, ZI_BOX_MARGIN);
}

ZI_SIM void zi_world_survey(zi_world *world)
{
    world->summit = -FLT_MAX;
    for (int i = 0; i < ZI_EDGES; i++) {
        zi_edge *edge = &world->edge[i];
        edge->along = zi_direction(zi_minus(edge->v2, edge->v1), NULL);
        world->summit = zi_most(world->summit, edge->box.upper.y);
    }
}

ZI_SIM static void build_body(zi_world *world, int body, double x, double y, double angle)
{
    zi_body *b = &world->body[body];
    const zi_shape *s = zi_shape_of(body);
    b->pose = (zi_pose){{(float)x, (float)y}, zi_rotation_of((float)angle)};
    b->sweep = (zi_sweep){.a0 = (float)angle, .a = (float)angle};
    b->sweep.c = zi_place(b->pose, s->centre);
    b->sweep.c0 = b->sweep.c;
    b->is_awake = 1;
    b->swept = box_of(s, b->pose);
    b->box = grown(b->swept, ZI_BOX_MARGIN);
}

ZI_SIM void zi_world_build(zi_world *world, const double *ground, double gravity)
{
    assert(ground);
    const double top = 400.0 / 30.0;
    memset(world, 0, sizeof *world);
    world->gravity = (float)gravity;
    build_edge(&world->edge[0], 0.0, 0.0, 20.0, 0.0, 0.2F);
    for (int i = 1; i < ZI_EDGES; i++) {
        build_edge(&world->edge[i], 2.0 * (i - 1), ground[i - 1], 2.0 * i, ground[i], 0.1F);
    }
    zi_world_survey(world);
    build_body(world, ZI_LANDER, 10.0, top, 0.0);
    build_body(world, ZI_LEG0, 10.0 + 20.0 / 30.0, top, -0.05);
    build_body(world, ZI_LEG1, 10.0 - 20.0 / 30.0, top, 0.05);
    world->moved = (1U << ZI_BODIES) - 1;
}

ZI_SIM void zi_world_push(zi_world *world, zi_vec impulse, zi_vec point)
{
    zi_body *b = &world->body[ZI_LANDER];
    const zi_shape *s = zi_shape_of(ZI_LANDER);
    b->v = zi_add(b->v, zi_times(s->inverse_mass, impulse));
    b->w += s->inverse_inertia * zi_cross(zi_minus(point, b->sweep.c), impulse);
}
