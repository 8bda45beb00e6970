/* A convex polygon against an edge, by separating axes: the edge's normal, and those of the
 * polygon's sides. The axis with the largest gap is the reference; the side of the other that faces it
 * is clipped to it and gives one or two points (PHYSICS: narrow phase). */
#include "sim/world.h"

#include <stddef.h>

/* Which features meet in a point; as bytes of its id: index on the edge, index on the polygon,
 * kind on the edge, kind on the polygon. */
enum { VERTEX, FACE };

typedef struct feature {
    unsigned char edge, polygon, edge_kind, polygon_kind;
} feature;

typedef struct clip {
    zi_vec v;
    feature id;
} clip;

/* The reference side: its ends, their numbers and its outward normal. */
typedef struct reference {
    int i1, i2;
    zi_vec v1, v2, normal;
} reference;

ZI_SIM static uint32_t id_of(feature f, int is_swapped)
{
    const uint32_t a = is_swapped ? f.polygon : f.edge;
    const uint32_t b = is_swapped ? f.edge : f.polygon;
    const uint32_t c = is_swapped ? f.polygon_kind : f.edge_kind;
    const uint32_t d = is_swapped ? f.edge_kind : f.polygon_kind;
    return a | b << 8 | c << 16 | d << 24;
}

/* The part of a segment on the inner side of a line; the new end comes last. */
ZI_SIM static int clip_to(const clip in[2], zi_vec normal, float offset, int index, clip out[2])
{
    int count = 0;
    const float distance0 = zi_dot(normal, in[0].v) - offset;
    const float distance1 = zi_dot(normal, in[1].v) - offset;
    if (distance0 <= 0.0F) {
        out[count++] = in[0];
    }
    if (distance1 <= 0.0F) {
        out[count++] = in[1];
    }
    if (distance0 * distance1 < 0.0F) {
        const float share = distance0 / (distance0 - distance1);
        out[count].v = zi_add(in[0].v, zi_times(share, zi_minus(in[1].v, in[0].v)));
        out[count].id = (feature){(unsigned char)index, in[0].id.polygon, VERTEX, FACE};
        count++;
    }
    return count;
}

typedef struct polygon {
    int count;
    zi_vec vertex[ZI_MOST_VERTICES], normal[ZI_MOST_VERTICES];
} polygon;

ZI_SIM static float edge_gap(const polygon *p, zi_vec normal, zi_vec v1)
{
    float least = FLT_MAX;
    for (int i = 0; i < p->count; i++) {
        const float gap = zi_dot(normal, zi_minus(p->vertex[i], v1));
        if (gap < least) {
            least = gap;
        }
    }
    return least;
}

/* The polygon's side with the largest gap to the edge; as soon as one is too large, that one. */
ZI_SIM static float polygon_gap(const polygon *p, const zi_edge *edge, float most, int *side)
{
    float largest = -FLT_MAX;
    for (int i = 0; i < p->count; i++) {
        const zi_vec inward = zi_negative(p->normal[i]);
        const float gap = zi_least(zi_dot(inward, zi_minus(p->vertex[i], edge->v1)),
                                   zi_dot(inward, zi_minus(p->vertex[i], edge->v2)));
        if (gap > largest) {
            largest = gap;
            *side = i;
        }
        if (gap > most) {
            return gap;
        }
    }
    return largest;
}

/* The side that faces against a normal most. */
ZI_SIM static int facing_side(const polygon *p, zi_vec normal)
{
    int best = 0;
    float least = zi_dot(normal, p->normal[0]);
    for (int i = 1; i < p->count; i++) {
        const float value = zi_dot(normal, p->normal[i]);
        if (value < least) {
            least = value;
            best = i;
        }
    }
    return best;
}

ZI_SIM static int next_vertex(const polygon *p, int i)
{
    return i + 1 < p->count ? i + 1 : 0;
}

ZI_SIM static reference edge_reference(const polygon *p, const zi_edge *edge, zi_vec normal, int is_front,
                                       clip in[2])
{
    const int i1 = facing_side(p, normal);
    const int i2 = next_vertex(p, i1);
    in[0] = (clip){p->vertex[i1], {0, (unsigned char)i1, FACE, VERTEX}};
    in[1] = (clip){p->vertex[i2], {0, (unsigned char)i2, FACE, VERTEX}};
    return is_front ? (reference){0, 1, edge->v1, edge->v2, normal}
                    : (reference){1, 0, edge->v2, edge->v1, normal};
}

ZI_SIM static reference side_reference(const polygon *p, const zi_edge *edge, int side, clip in[2])
{
    const int next = next_vertex(p, side);
    in[0] = (clip){edge->v1, {0, (unsigned char)side, VERTEX, FACE}};
    in[1] = (clip){edge->v2, {0, (unsigned char)side, VERTEX, FACE}};
    return (reference){side, next, p->vertex[side], p->vertex[next], p->normal[side]};
}

/* Both ends of the reference cut; fewer than two points are none. */
ZI_SIM static int clip_to_reference(const reference *r, const clip in[2], clip out[2])
{
    const zi_vec side1 = {r->normal.y, -r->normal.x};
    const zi_vec side2 = zi_negative(side1);
    clip middle[2];
    return clip_to(in, side1, zi_dot(side1, r->v1), r->i1, middle) == 2 &&
           clip_to(middle, side2, zi_dot(side2, r->v2), r->i2, out) == 2;
}

ZI_SIM static void place_vertices(const zi_shape *shape, zi_pose pose, polygon *p)
{
    p->count = shape->count;
    for (int i = 0; i < p->count; i++) {
        p->vertex[i] = zi_place(pose, shape->vertex[i]);
    }
}

ZI_SIM static void place_normals(const zi_shape *shape, zi_pose pose, polygon *p)
{
    for (int i = 0; i < p->count; i++) {
        p->normal[i] = zi_rotate(pose.q, shape->normal[i]);
    }
}

ZI_SIM void zi_collide(const zi_edge *edge, const zi_shape *shape, zi_pose pose, zi_manifold *out)
{
    const float most = 2.0F * ZI_SKIN;
    out->count = 0;
    const zi_vec up = {edge->along.y, -edge->along.x};
    const int is_front = zi_dot(up, zi_minus(zi_place(pose, shape->centroid), edge->v1)) >= 0.0F;
    const zi_vec normal = is_front ? up : zi_negative(up);
    polygon p;
    place_vertices(shape, pose, &p);
    const float to_edge = edge_gap(&p, normal, edge->v1);
    if (to_edge > most) {
        return;
    }
    place_normals(shape, pose, &p);
    int side = 0;
    const float to_side = polygon_gap(&p, edge, most, &side);
    if (to_side > most) {
        return;
    }
    out->is_edge_reference = !(to_side > 0.98F * to_edge + 0.001F);
    clip in[2];
    clip cut[2];
    const reference r = out->is_edge_reference ? edge_reference(&p, edge, normal, is_front, in)
                                               : side_reference(&p, edge, side, in);
    if (!clip_to_reference(&r, in, cut)) {
        return;
    }
    out->normal = out->is_edge_reference ? r.normal : shape->normal[r.i1];
    out->plane = out->is_edge_reference ? r.v1 : shape->vertex[r.i1];
    for (int i = 0; i < 2; i++) {
        if (zi_dot(r.normal, zi_minus(cut[i].v, r.v1)) <= most) {
            zi_point *point = &out->point[out->count++];
            point->local = out->is_edge_reference ? zi_unplace(pose, cut[i].v) : cut[i].v;
            point->id = id_of(cut[i].id, !out->is_edge_reference);
        }
    }
}
