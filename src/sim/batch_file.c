/* Worlds as bytes. Layout, little-endian:
 *
 *   8 bytes   "zilchlnd"
 *   u32       format version, 1
 *   u32       wind; doubles gravity, wind power, turbulence power; u32 max_steps, u32 lanes
 *   u64       worlds
 *   for each  all that its next step depends on, in the order of pass_world(); only the contacts that there
 *             are, so that worlds differ in length
 *   u64       CRC-64 of all before it
 *
 * Each function passes its fields either to the writer or from the reader, so that both have one order. What
 * is read is checked, because an index out of range, or a pair of edge and body that is there twice, would
 * let the simulation write out of bounds; and a number that is not finite was never a state of it. */
#include "base/bytes.h"
#include "sim/batch.h"

#include <limits.h>
#include <math.h>
#include <string.h>

static const char magic[8] = {'z', 'i', 'l', 'c', 'h', 'l', 'n', 'd'};
enum { VERSION = 1, LEAST_WORLD = 512 }; /* bytes that a world has at least */

typedef struct courier {
    zi_writer *writer; /* or, if it is NULL, */
    zi_reader *reader;
    int is_sound; /* what was read is within its limits */
} courier;

/* ---- Numbers ---------------------------------------------------------------------------------------- */

static void pass_float(courier *c, float *value)
{
    if (c->writer) {
        zi_write_floats(c->writer, value, 1);
    } else {
        zi_read_floats(c->reader, value, 1);
        c->is_sound &= isfinite(*value) != 0;
    }
}

static void pass_double(courier *c, double *value)
{
    if (c->writer) {
        zi_write_double(c->writer, *value);
    } else {
        *value = zi_read_double(c->reader);
        c->is_sound &= isfinite(*value) != 0;
    }
}

static void pass_u32(courier *c, uint32_t *value)
{
    if (c->writer) {
        zi_write_u32(c->writer, *value);
    } else {
        *value = zi_read_u32(c->reader);
    }
}

static void pass_u64(courier *c, uint64_t *value)
{
    if (c->writer) {
        zi_write_u64(c->writer, *value);
    } else {
        *value = zi_read_u64(c->reader);
    }
}

/* From 0 to `most`. */
static void pass_int(courier *c, int *value, int most)
{
    uint32_t number = (uint32_t)*value;
    pass_u32(c, &number);
    const int is_within = number <= (uint32_t)most;
    c->is_sound &= is_within;
    *value = is_within ? (int)number : 0;
}

static void pass_flag(courier *c, unsigned char *value, int most)
{
    int number = *value;
    pass_int(c, &number, most);
    *value = (unsigned char)number;
}

static void pass_clock(courier *c, int64_t *value)
{
    uint64_t number = (uint64_t)*value;
    pass_u64(c, &number);
    *value = (int64_t)number;
    c->is_sound &= *value > -(INT64_C(1) << 53) && *value < INT64_C(1) << 53; /* no step will overflow it */
}

static void pass_vec(courier *c, zi_vec *v)
{
    pass_float(c, &v->x);
    pass_float(c, &v->y);
}

static void pass_box(courier *c, zi_box *box)
{
    pass_vec(c, &box->lower);
    pass_vec(c, &box->upper);
}

/* ---- A world ------------------------------------------------------------------------------------------ */

/* Between steps no force acts. */
static void pass_rest(courier *c)
{
    for (int i = 0; i < 3; i++) {
        uint32_t bits = 0;
        pass_u32(c, &bits);
        c->is_sound &= bits == 0;
    }
}

static void pass_body(courier *c, zi_body *b)
{
    pass_vec(c, &b->sweep.c0);
    pass_vec(c, &b->sweep.c);
    pass_float(c, &b->sweep.a0);
    pass_float(c, &b->sweep.a);
    pass_float(c, &b->sweep.start);
    pass_vec(c, &b->pose.p);
    pass_float(c, &b->pose.q.s);
    pass_float(c, &b->pose.q.c);
    pass_vec(c, &b->v);
    pass_float(c, &b->w);
    pass_rest(c);
    pass_float(c, &b->still);
    pass_int(c, &b->is_awake, 1);
    pass_box(c, &b->box);
    pass_box(c, &b->swept);
}

static void pass_joint(courier *c, zi_joint *j)
{
    pass_float(c, &j->x);
    pass_float(c, &j->y);
    pass_float(c, &j->z);
    pass_float(c, &j->motor);
    pass_int(c, &j->limit, ZI_LIMIT_UPPER);
}

static void pass_contact(courier *c, zi_contact *contact)
{
    zi_manifold *m = &contact->manifold;
    pass_int(c, &contact->edge, ZI_EDGES - 1);
    pass_int(c, &contact->body, ZI_BODIES - 1);
    pass_flag(c, &contact->is_touching, 1);
    pass_flag(c, &contact->is_enabled, 1);
    pass_flag(c, &contact->has_impact, 1);
    pass_flag(c, &contact->impacts, UCHAR_MAX);
    pass_float(c, &contact->impact);
    pass_int(c, &m->count, 2);
    pass_int(c, &m->is_edge_reference, 1);
    pass_vec(c, &m->normal);
    pass_vec(c, &m->plane);
    for (int i = 0; i < 2; i++) {
        pass_vec(c, &m->point[i].local);
        pass_float(c, &m->point[i].normal_impulse);
        pass_float(c, &m->point[i].tangent_impulse);
        pass_u32(c, &m->point[i].id);
    }
}

static void pass_contacts(courier *c, zi_world *w)
{
    unsigned char is_there[ZI_EDGES][ZI_BODIES] = {{0}};
    pass_int(c, &w->contacts, ZI_MOST_CONTACTS);
    for (int i = 0; i < w->contacts; i++) {
        pass_contact(c, &w->contact[i]);
        unsigned char *pair = &is_there[w->contact[i].edge][w->contact[i].body];
        c->is_sound &= !*pair;
        *pair = 1;
    }
}

static void pass_edge(courier *c, zi_edge *edge)
{
    pass_vec(c, &edge->v1);
    pass_vec(c, &edge->v2);
    pass_float(c, &edge->friction);
    pass_box(c, &edge->box);
    pass_box(c, &edge->skin);
}

static void pass_world(courier *c, zi_world *w)
{
    for (int i = 0; i < ZI_BODIES; i++) {
        pass_body(c, &w->body[i]);
    }
    for (int i = 0; i < ZI_JOINTS; i++) {
        pass_joint(c, &w->joint[i]);
    }
    pass_contacts(c, w);
    pass_u32(c, &w->moved);
    c->is_sound &= w->moved < 1U << ZI_BODIES;
    pass_float(c, &w->gravity);
    pass_float(c, &w->previous);
    pass_float(c, &w->moon_start);
    pass_int(c, &w->unrest, ZI_VELOCITY_ROUNDS);
    pass_int(c, &w->touch.leg[0], 1);
    pass_int(c, &w->touch.leg[1], 1);
    pass_int(c, &w->touch.crashed, 1);
    for (int i = 0; i < ZI_EDGES; i++) {
        pass_edge(c, &w->edge[i]);
    }
    zi_world_survey(w);
}

/* `shown` is the reward that the batch gives out, which is 0 after a reset. */
static void pass_lander(courier *c, zi_lander *l, int max_steps, double *shown)
{
    pass_world(c, &l->world);
    for (int i = 0; i < 2; i++) {
        pass_u64(c, &l->rng.state[i]);
        pass_u64(c, &l->rng.increment[i]);
    }
    pass_u32(c, &l->rng.kept);
    pass_int(c, &l->rng.has_kept, 1);
    pass_double(c, &l->shaping);
    pass_double(c, &l->main_power);
    pass_double(c, &l->side_power);
    pass_double(c, &l->side_direction);
    pass_clock(c, &l->wind);
    pass_clock(c, &l->turbulence);
    pass_int(c, &l->steps, max_steps);
    for (int i = 0; i < ZI_OBSERVATIONS; i++) {
        pass_float(c, &l->observation[i]);
    }
    pass_double(c, &l->reward);
    pass_double(c, shown);
    pass_int(c, &l->terminated, 1);
    pass_int(c, &l->truncated, 1);
    pass_int(c, &l->is_ready, 1);
}

static void pass_options(courier *c, zilch_lander_options *o)
{
    pass_int(c, &o->wind, 1);
    pass_double(c, &o->gravity);
    pass_double(c, &o->wind_power);
    pass_double(c, &o->turbulence_power);
    pass_u32(c, &o->max_steps);
    pass_u32(c, &o->lanes);
}

/* ---- All of them ----------------------------------------------------------------------------------------
 */

zilch_status zilch_lander_pack(const zilch_lander *lander, void *buffer, size_t capacity, size_t *length)
{
    if (!lander || !length) {
        return zi_fail(ZILCH_EARG, "pack: lander and place for the length must be given");
    }
    zi_writer writer = {.data = buffer, .capacity = capacity};
    courier c = {.writer = &writer};
    zilch_lander_options options = lander->options;
    zi_write_bytes(&writer, magic, sizeof magic);
    zi_write_u32(&writer, VERSION);
    pass_options(&c, &options);
    zi_write_u64(&writer, lander->worlds);
    for (size_t i = 0; i < lander->worlds; i++) {
        zi_lander world = lander->world[i]; /* a writer changes nothing, but takes what it could change */
        double shown = lander->reward[i];
        pass_lander(&c, &world, (int)options.max_steps, &shown);
    }
    return zi_write_end(&writer, length);
}

static void read_world(courier *c, zilch_lander *l, size_t i)
{
    zi_lander *w = &l->world[i];
    w->has_wind = l->options.wind;
    w->wind_power = l->options.wind_power;
    w->turbulence_power = l->options.turbulence_power;
    w->max_steps = (int)l->options.max_steps;
    pass_lander(c, w, w->max_steps, &l->reward[i]);
    memcpy(l->observation + i * ZI_OBSERVATIONS, w->observation, sizeof w->observation);
    l->terminated[i] = (unsigned char)w->terminated;
    l->truncated[i] = (unsigned char)w->truncated;
}

static zilch_status read_header(zi_reader *reader, zilch_lander_options *options, uint64_t *worlds)
{
    char found[sizeof magic];
    courier c = {.reader = reader, .is_sound = 1};
    zi_read_bytes(reader, found, sizeof found);
    if (!reader->ok || memcmp(found, magic, sizeof magic) != 0) {
        return zi_fail(ZILCH_EFORMAT, "lander: these are not the worlds of a lander");
    }
    const uint32_t version = zi_read_u32(reader);
    if (reader->ok && version != VERSION) {
        return zi_fail(ZILCH_EVERSION, "lander: format version %u, this library reads version %d", version,
                       VERSION);
    }
    *options = zilch_lander_defaults();
    pass_options(&c, options);
    *worlds = zi_read_u64(reader);
    if (!reader->ok || !c.is_sound || *worlds < 1 || !zi_read_fits(reader, *worlds, LEAST_WORLD)) {
        return zi_fail(ZILCH_EFORMAT, "lander: truncated or damaged: its first fields are out of range");
    }
    return ZILCH_OK;
}

zilch_status zilch_lander_unpack(zilch_lander **out, const void *buffer, size_t length)
{
    if (!out || (!buffer && length)) {
        return zi_fail(ZILCH_EARG, "unpack: bytes and a place for the lander must be given");
    }
    *out = NULL;
    zi_reader reader = {.data = buffer, .length = length, .ok = 1};
    courier c = {.reader = &reader, .is_sound = 1};
    zilch_lander_options options;
    uint64_t worlds = 0;
    zilch_lander *lander;
    ZI_TRY(read_header(&reader, &options, &worlds));
    ZI_TRY(zilch_lander_create(&lander, (size_t)worlds, &options));
    for (size_t i = 0; i < lander->worlds && reader.ok; i++) {
        read_world(&c, lander, i);
    }
    if (!zi_read_checksum(&reader) || !c.is_sound || reader.position != length) {
        zilch_lander_destroy(lander);
        return zi_fail(ZILCH_EFORMAT, "lander: truncated or damaged: a world is not one that can be");
    }
    *out = lander;
    return ZILCH_OK;
}
