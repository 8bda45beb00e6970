/* The inside of the lander's simulation: numpy's generator, sine and cosine, where two shapes meet, and the
 * solver in lanes beside the plain one. */
#include "sim/lander.h"
#include "sim/lanes.h"
#include "support.h"
#include "zilch.h"

/* ---- numpy's generator -------------------------------------------------------------------------- */

/* With numpy 1.24.2, for each seed:
 *     g = numpy.random.default_rng(seed)
 *     print([x.hex() for x in g.uniform(-1000, 1000, 5)], [g.integers(-9999, 9999) for _ in range(3)],
 *           g.uniform(-1000, 1000).hex())
 *     g = numpy.random.default_rng(seed); print([g.integers(3 * 10**9) for _ in range(6)])
 * One draw in three of the last is thrown away as unfair. */
static const struct {
    uint64_t seed;
    double uniform[5];
    int64_t integer[3];
    double last;
    int64_t large[6];
} draws[] = {
    {0,
     {0x1.11ec6247d53f8p+8, -0x1.cc6d33da81ba6p+8, -0x1.cb06c722a42bbp+9, -0x1.e378ece0c4c28p+9,
      0x1.39452e656f446p+9},
     {2988, 8254, 72},
     0x1.cafe3d3dc57c4p+8,
     {2551872677, 1910885061, 1533409439, 809360140, 923488268, 122920571}},
    {1,
     {0x1.7a4abfe226080p+4, 0x1.c276b4cd6b2aep+9, -0x1.63d7239eed25cp+9, 0x1.c0a6422ae6f18p+9,
      -0x1.78564bec0d8b0p+8},
     {7379, -1534, -4537},
     -0x1.6b3415987c084p+7,
     {1535464873, 2851391088, 104557657, 2845948340, 935494355, 2607075741}},
    {42,
     {0x1.11f4bf9921402p+9, -0x1.e8f8f4944b6e8p+6, 0x1.669911478103cp+9, 0x1.8abc6e4e0be44p+8,
      -0x1.95d299542e87dp+9},
     {529, 9511, 4714},
     0x1.1e10764f857a2p+9,
     {267752861, 2321868145, 1963714555, 1316635318, 2575793759, 282532043}},
    {123456789012345,
     {0x1.e01c8a5b7fc80p+5, -0x1.c78ed2eb4be20p+9, 0x1.015c69ebc1a18p+9, -0x1.be5c7e0b4d580p+5,
      0x1.cf6f4a09b9ea8p+7},
     {-8709, -8913, -5724},
     0x1.09240ffd938a4p+9,
     {2159960549, 133326281, 1065498955, 1416307256, 1847576042, 193589588}},
    {UINT64_MAX,
     {0x1.680da8dd67ed4p+8, 0x1.594fcf68be134p+9, -0x1.ec98cfa4f18f0p+9, 0x1.8a9170bbfc216p+9,
      -0x1.7308e663e343cp+9},
     {-3933, -3623, 6215},
     -0x1.3d4ffa5a1918cp+9,
     {1643890599, 2040080036, 1075324467, 22209244, 300392691, 1814207394}},
};

static void generator_is_numpys(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(draws); i++) {
        zi_pcg64 rng = zi_pcg64_seed(draws[i].seed);
        for (size_t j = 0; j < COUNT(draws[i].uniform); j++) {
            assert_true(zi_pcg64_uniform(&rng, -1000.0, 1000.0) == draws[i].uniform[j]);
        }
        for (size_t j = 0; j < COUNT(draws[i].integer); j++) {
            assert_int_equal(zi_pcg64_integer(&rng, -9999, 9999), draws[i].integer[j]);
        }
        assert_true(zi_pcg64_uniform(&rng, -1000.0, 1000.0) == draws[i].last);
        rng = zi_pcg64_seed(draws[i].seed);
        for (size_t j = 0; j < COUNT(draws[i].large); j++) {
            assert_int_equal(zi_pcg64_integer(&rng, 0, 3000000000), draws[i].large[j]);
        }
    }
}

/* ---- Sine and cosine ------------------------------------------------------------------------------- */

static int same_single(float a, float b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

static void check_angle(float angle)
{
    float sine;
    float cosine;
    zi_sincos_single(angle, &sine, &cosine);
    if (fabsf(angle) < ZI_NEAR_ANGLE) {
        float near_sine, near_cosine;
        zi_sincos_near(angle, &near_sine, &near_cosine);
        assert_true(same_single(sine, near_sine) && same_single(cosine, near_cosine));
    }
    if (!same_single(sine, sinf(angle)) || !same_single(cosine, cosf(angle))) {
        fail_msg("at %a: %a and %a, not %a and %a", (double)angle, (double)sine, (double)cosine,
                 (double)sinf(angle), (double)cosf(angle));
    }
}

static void sines_are_the_c_librarys(void **state)
{
    (void)state;
#if defined(__GLIBC__)
    const float most = 1600.0F;
    uint32_t end;
    memcpy(&end, &most, sizeof end);
    size_t count = 0;
    for (uint32_t bits = 0; bits < end; bits += 1009) {
        float angle;
        memcpy(&angle, &bits, sizeof angle);
        check_angle(angle);
        check_angle(-angle);
        count += 2;
    }
    print_message("    %zu angles\n", count);
#else
    print_message("    skipped: not the C library that was measured\n");
#endif
}

/* ---- Where two shapes meet ---------------------------------------------------------------------------- */

static const zi_edge flat = {.v1 = {0.0F, 0.0F}, .v2 = {2.0F, 0.0F}};
static const float half_width = 0x1.111112p-4F; /* of a leg */
static const float half_height = 0x1.111112p-2F;

static zi_manifold collide_leg(const zi_edge *edge, float x, float y, float angle)
{
    zi_manifold m = {.count = -1};
    const zi_pose pose = {{x, y}, zi_rotation_of(angle)};
    zi_edge measured = *edge;
    measured.along = zi_direction(zi_minus(edge->v2, edge->v1), NULL);
    zi_collide(&measured, zi_shape_of(ZI_LEG0), pose, &m);
    return m;
}

static void check_vector(zi_vec got, float x, float y)
{
    assert_double_equal(got.x, x, 1e-6);
    assert_double_equal(got.y, y, 1e-6);
}

/* Above and below the ground: two corners, the normal towards the leg. */
static void a_leg_stands_on_two_points(void **state)
{
    (void)state;
    for (int is_above = 0; is_above < 2; is_above++) {
        const float up = is_above ? 1.0F : -1.0F;
        const zi_manifold m = collide_leg(&flat, 1.0F, up * (half_height + 0.01F), 0.0F);
        assert_int_equal(m.count, 2);
        assert_true(m.is_edge_reference);
        check_vector(m.normal, 0.0F, up);
        assert_double_equal(m.plane.y, 0.0F, 0.0);
        assert_int_not_equal(m.point[0].id, m.point[1].id);
        for (int i = 0; i < 2; i++) {
            assert_double_equal(fabsf(m.point[i].local.x), half_width, 1e-6);
            assert_double_equal(m.point[i].local.y, -up * half_height, 1e-6);
        }
        assert_true(m.point[0].local.x * m.point[1].local.x < 0.0F);
    }
}

static void a_leg_stands_on_a_corner(void **state)
{
    (void)state;
    for (int left = 0; left < 2; left++) {
        const float side = left ? -1.0F : 1.0F;
        const float angle = -0.5F * side;
        const float low = half_height * cosf(angle) + half_width * sinf(fabsf(angle));
        const zi_manifold m = collide_leg(&flat, 1.0F, low + 0.01F, angle);
        assert_int_equal(m.count, 1);
        assert_true(m.is_edge_reference);
        check_vector(m.normal, 0.0F, 1.0F);
        check_vector(m.point[0].local, side * half_width, -half_height);
        /* A point keeps its name while it is the same corner. */
        assert_int_equal(m.point[0].id, collide_leg(&flat, 1.1F, low + 0.015F, angle).point[0].id);
        assert_int_equal(collide_leg(&flat, 1.0F, low + 0.0201F, angle).count, 0);
    }
}

static void what_is_apart_does_not_meet(void **state)
{
    (void)state;
    assert_int_equal(collide_leg(&flat, 1.0F, 1.0F, 0.0F).count, 0);
    assert_int_equal(collide_leg(&flat, 1.0F, half_height + 0.0201F, 0.0F).count, 0);
    assert_int_equal(collide_leg(&flat, 1.0F, half_height + 0.0199F, 0.0F).count, 2);
    /* Beyond both ends, at the right height. */
    assert_int_equal(collide_leg(&flat, 3.0F, half_height, 0.0F).count, 0);
    assert_int_equal(collide_leg(&flat, -1.0F, half_height, 0.0F).count, 0);
    assert_int_equal(collide_leg(&flat, 2.0F + half_width + 0.0201F, half_height, 0.0F).count, 0);
}

/* Half of the leg is over the edge's end, where its bottom is cut. */
static void a_bottom_is_cut_at_the_end(void **state)
{
    (void)state;
    const zi_manifold whole = collide_leg(&flat, 1.0F, half_height + 0.01F, 0.0F);
    const zi_manifold m = collide_leg(&flat, 2.03F, half_height + 0.01F, 0.0F);
    assert_int_equal(m.count, 2);
    assert_int_not_equal(m.point[0].id, m.point[1].id);
    int cut = -1;
    for (int i = 0; i < 2; i++) {
        if (m.point[i].id != whole.point[0].id && m.point[i].id != whole.point[1].id) {
            assert_int_equal(cut, -1);
            cut = i;
        }
    }
    assert_true(cut >= 0);
    check_vector(m.point[cut].local, -0.03F, -half_height);
    check_vector(m.point[1 - cut].local, -half_width, -half_height);
}

/* A steep edge's upper end under the leg's bottom, which is the reference then. */
static void a_bottom_stands_on_a_peak(void **state)
{
    (void)state;
    const zi_edge steep = {.v1 = {0.0F, -2.0F}, .v2 = {1.0F, 0.0F}};
    const zi_manifold m = collide_leg(&steep, 1.0F, half_height + 0.01F, 0.0F);
    assert_int_equal(m.count, 1);
    assert_false(m.is_edge_reference);
    check_vector(m.normal, 0.0F, -1.0F);
    check_vector(m.plane, -half_width, -half_height);
    check_vector(m.point[0].local, 1.0F, 0.0F);
}

/* ---- The solver in lanes ----------------------------------------------------------------------------------
 */

static const struct {
    int lanes;
    zi_lanes_solve solve;
} solvers[] = {{4, zi_solve_lanes4}, {8, zi_solve_lanes8}, {16, zi_solve_lanes16}};

enum { WORLDS = 64, MOST_TOGETHER = 32 };

/* A world, and what points into it. */
typedef struct solvable {
    zi_world world;
    zi_rider rider;
    zi_island island;
    int is_ready;
} solvable;

/* What no episode brings, or seldom: impulses at a limit that are next to nothing, pushes. */
static void disturb_world(zi_world *world, zilch_rng *rng)
{
    const float small = (float)pow(10.0, -7.0 * zilch_rng_uniform(rng));
    for (int k = 0; k < ZI_JOINTS; k++) {
        world->joint[k].z *= small;
    }
    for (int k = 0; k < world->contacts; k++) {
        world->body[world->contact[k].body].v.y += (float)zilch_rng_uniform(rng) - 0.5F;
    }
}

/* And frictions that differ from lane to lane. */
static void disturb_contacts(zi_constraint *contact, int count, zilch_rng *rng)
{
    for (int k = 0; k < count; k++) {
        contact[k].friction *= (float)zilch_rng_uniform(rng);
    }
}

/* At a step of the lander's; every other world is disturbed. */
static void prepare(const zi_lander *l, uint64_t number, int is_in_lane, solvable *out)
{
    zilch_rng rng = zilch_rng_make(1000 * number + (uint64_t)l->steps, 3);
    out->world = l->world;
    for (int k = 0; k < ZI_BODIES; k++) {
        out->world.body[k].sweep.start = 0.0F;
    }
    if (number % 2) {
        disturb_world(&out->world, &rng);
    }
    out->is_ready = zi_world_board(&out->world, &out->rider);
    if (out->is_ready && !is_in_lane) {
        zi_world_prepare(&out->world, &out->island);
    }
    if (out->is_ready && number % 2) {
        disturb_contacts(is_in_lane ? out->rider.contact : out->island.contact, out->rider.contacts, &rng);
    }
}

/* How many groups were solved, by contacts; how many were of two whole vectors, and of lanes that differ; how
 * many worlds settled quickly or not, and how many contacts have one point and two. */
typedef struct census {
    size_t groups[ZI_SLOTS + 1], whole, mixed, quick, slow, two_points, one_point;
} census;

static void count_group(census *c, zi_rider *const *rider, int count, const zi_slots *slots, int lanes)
{
    int is_mixed = 0;
    for (int i = 0; i < count; i++) {
        is_mixed |= rider[i]->contacts != slots->count;
        for (int k = 0; k < ZI_JOINTS; k++) {
            is_mixed |= rider[i]->world->joint[k].limit != rider[0]->world->joint[k].limit;
        }
    }
    c->groups[slots->count]++;
    c->whole += count == 2 * lanes;
    c->mixed += (size_t)is_mixed;
    for (int k = 0; k < slots->count; k++) {
        *(slots->points[k] == 2 ? &c->two_points : &c->one_point) += 1;
    }
}

/* A group is solved quickly first if it can be, and then what is left of it. */
static void compare_group(size_t number, zi_rider *const *rider, const solvable *const *solved, int count,
                          const zi_slots *slots, census *seen)
{
    static zi_world before[MOST_TOGETHER];
    zi_rider *slow[MOST_TOGETHER];
    int left = 0;
    for (int k = 0; k < count && !slots->count; k++) {
        before[k] = *rider[k]->world;
    }
    if (!slots->count) {
        solvers[number].solve(rider, count, slots, 1);
    }
    for (int k = 0; k < count; k++) {
        if (slots->count || rider[k]->unrest) {
            slow[left++] = rider[k];
            if (!slots->count) {
                assert_memory_equal(rider[k]->world, &before[k], sizeof before[k]);
            }
        }
    }
    seen->quick += (size_t)(count - left);
    seen->slow += slots->count ? 0 : (size_t)left;
    if (left) {
        solvers[number].solve(slow, left, slots, 0);
    }
    for (int k = 0; k < count; k++) {
        zi_world_rest(rider[k]->world, rider[k]->is_solved);
        assert_memory_equal(rider[k]->world, &solved[k]->world, sizeof(zi_world));
    }
}

/* Groups as large as can be, in the air and with contacts in turn, or of 1, 2, .. islands whatever they are.
 * The list of riders ends where its array does. */
static void compare_groups(const zi_lander *worlds, const solvable *solved, size_t number, int is_filled,
                           census *seen)
{
    static solvable mine[WORLDS];
    static int turn[COUNT(solvers)];
    const int most = 2 * solvers[number].lanes;
    int is_done[WORLDS] = {0};
    for (size_t i = 0; i < WORLDS; i++) {
        prepare(&worlds[i], i, 1, &mine[i]);
        is_done[i] = !mine[i].is_ready;
    }
    for (size_t i = 0; i < WORLDS; i++) {
        zi_rider *list[MOST_TOGETHER];
        const solvable *expected[MOST_TOGETHER];
        zi_slots slots = {0};
        const int wanted = is_filled ? most : turn[number] + 1;
        int count = 0;
        for (size_t j = i; j < WORLDS && count < wanted && !is_done[i]; j++) {
            const int is_like_first = !mine[i].rider.contacts == !mine[j].rider.contacts;
            if (!is_done[j] && (!is_filled || is_like_first) && zi_slots_take(&slots, &mine[j].rider)) {
                list[count] = &mine[j].rider;
                expected[count++] = &solved[j];
                is_done[j] = j > i;
            }
        }
        is_done[i] = 1;
        if (count) {
            zi_rider **first = list + MOST_TOGETHER - count;
            memmove(first, list, (size_t)count * sizeof *list);
            compare_group(number, first, expected, count, &slots, seen);
            count_group(seen, first, count, &slots, solvers[number].lanes);
            turn[number] = (turn[number] + 1) % most;
        }
    }
}

static int has_lanes(int lanes)
{
    zilch_lander *lander;
    zilch_lander_options options = zilch_lander_defaults();
    options.lanes = (unsigned)lanes;
    const zilch_status status = zilch_lander_create(&lander, 1, &options);
    assert_true(status == ZILCH_OK || status == ZILCH_EUNAVAILABLE);
    zilch_lander_destroy(lander);
    return status == ZILCH_OK;
}

static void print_census(const census *c, int lanes)
{
    print_message("    %2d lanes: %zu groups in the air, %zu and %zu with 1 and 2 contacts, %zu mixed\n",
                  lanes, c->groups[0], c->groups[1], c->groups[2], c->mixed);
    const size_t many = 80 / SLOWNESS;
    assert_true(c->groups[0] > many && c->groups[1] > many && c->groups[2] > many);
    assert_true(c->groups[3] + c->groups[4] + c->groups[5] > 0);
    assert_true(c->whole > many && c->mixed > many && c->quick > many && c->slow > many);
    assert_true(c->one_point > many && c->two_points > many);
}

/* The published controller lands; two worlds in four have random actions. */
static void act(const zi_lander *worlds, const double *policy, zilch_rng *rng, double *actions)
{
    for (size_t i = 0; i < WORLDS; i++) {
        zilch_policy_act(policy, 1, worlds[i].observation, actions + 2 * i);
        if (i % 4 >= 2) {
            actions[2 * i] = 2.0 * zilch_rng_uniform(rng) - 0.7;
            actions[2 * i + 1] = 2.0 * zilch_rng_uniform(rng) - 1.0;
        }
    }
}

/* What has crashed is left to tumble on: it is there that whole sides touch. */
static int is_done_with(const zi_lander *l)
{
    return !l->world.body[ZI_LANDER].is_awake || fabsf(l->observation[0]) >= 1.0F || l->steps > 350;
}

/* In real episodes: the worlds of each step, solved by plain code and in lanes. */
static void lanes_solve_as_plain_code_does(void **state)
{
    (void)state;
    static zi_lander worlds[WORLDS];
    static solvable solved[WORLDS];
    double policy[ZILCH_POLICY_PARAMETERS];
    double actions[2 * WORLDS];
    census seen[COUNT(solvers)] = {{{0}, 0, 0, 0, 0, 0, 0}};
    int is_there[COUNT(solvers)];
    uint64_t seed = 0;
    zilch_rng rng = zilch_rng_make(1, 0);
    assert_int_equal(zilch_policy_parse(zilch_policy_published(), policy), ZILCH_OK);
    for (size_t number = 0; number < COUNT(solvers); number++) {
        is_there[number] = has_lanes(solvers[number].lanes);
    }
    for (size_t i = 0; i < WORLDS; i++) {
        zi_lander_reset(&worlds[i], seed++, -10.0);
    }
    for (size_t k = 0; k < 600; k++) {
        act(worlds, policy, &rng, actions);
        const int is_looked_at = k % SLOWNESS == 0;
        for (size_t i = 0; i < WORLDS; i++) {
            zi_lander_fire(&worlds[i], actions + 2 * i);
            zi_world_collide(&worlds[i].world);
            prepare(&worlds[i], i, 0, &solved[i]);
            if (is_looked_at && solved[i].is_ready) {
                zi_solve_scalar(&solved[i].island);
                zi_world_conclude(&solved[i].world, &solved[i].island);
            }
        }
        for (size_t number = 0; number < COUNT(solvers) && is_looked_at; number++) {
            if (is_there[number]) {
                compare_groups(worlds, solved, number, k / SLOWNESS % 2, &seen[number]);
            }
        }
        for (size_t i = 0; i < WORLDS; i++) {
            zi_world_step(&worlds[i].world);
            zi_lander_observe(&worlds[i]);
            if (is_done_with(&worlds[i])) {
                zi_lander_reset(&worlds[i], seed++, -10.0);
            }
        }
    }
    for (size_t number = 0; number < COUNT(solvers); number++) {
        if (is_there[number]) {
            print_census(&seen[number], solvers[number].lanes);
        } else {
            print_message("    skipped: this processor has no %d lanes\n", solvers[number].lanes);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(generator_is_numpys),         cmocka_unit_test(sines_are_the_c_librarys),
        cmocka_unit_test(a_leg_stands_on_two_points),  cmocka_unit_test(a_leg_stands_on_a_corner),
        cmocka_unit_test(what_is_apart_does_not_meet), cmocka_unit_test(a_bottom_is_cut_at_the_end),
        cmocka_unit_test(a_bottom_stands_on_a_peak),   cmocka_unit_test(lanes_solve_as_plain_code_does),
    };
    return cmocka_run_group_tests_name("sim", tests, NULL, NULL);
}
