/* What the networks see: pairs that a symmetry of the law takes to one another look the same, the answer's
 * sign follows, and the symmetries are those of the law. */
#include "model/block.h"
#include "support.h"

/* A pair's numbers, latent or observed; vm_ij is of i's value with j's mask. */
typedef struct pair {
    double p_i, p_j, mm, vm_ij, vm_ji, vv;
} pair;

/* ---- Symmetries --------------------------------------------------------------------------- */

/* Sets of these, in this order: signs of values, opposites of masks, then i and j exchanged. */
enum { TURN_VI = 1, TURN_VJ = 2, TURN_MI = 4, TURN_MJ = 8, SWAP = 16, EVERY = 32 };

static pair turned(pair a, unsigned symmetry)
{
    const double vi = symmetry & TURN_VI ? -1.0 : 1.0, vj = symmetry & TURN_VJ ? -1.0 : 1.0;
    const double mi = symmetry & TURN_MI ? -1.0 : 1.0, mj = symmetry & TURN_MJ ? -1.0 : 1.0;
    const pair b = {.p_i = mi < 0.0 ? 1.0 - a.p_i : a.p_i,
                    .p_j = mj < 0.0 ? 1.0 - a.p_j : a.p_j,
                    .mm = mi * mj * a.mm,
                    .vm_ij = vi * mj * a.vm_ij,
                    .vm_ji = vj * mi * a.vm_ji,
                    .vv = vi * vj * a.vv};
    const pair swapped = {b.p_j, b.p_i, b.mm, b.vm_ji, b.vm_ij, b.vv};
    return symmetry & SWAP ? swapped : b;
}

/* What a block looks at, in the order of its network's inputs. */
static void look_mm(const pair *a, double *out)
{
    const double seen[] = {a->p_i, a->p_j, a->mm};
    memcpy(out, seen, sizeof seen);
}
static void look_vm(const pair *a, double *out)
{
    const double seen[] = {a->p_i, a->p_j, a->vm_ij, a->mm};
    memcpy(out, seen, sizeof seen);
}
static void look_vv(const pair *a, double *out)
{
    const double seen[] = {a->p_i, a->p_j, a->vv, a->vm_ij, a->vm_ji, a->mm};
    memcpy(out, seen, sizeof seen);
}

static const struct {
    size_t inputs;
    void (*look)(const pair *a, double *out);
    size_t answer;                   /* where the observed counterpart of the answer stands */
    unsigned symmetries, turn_signs; /* those that the law has, and those that turn the answer */
} blocks[ZILCH_BLOCKS] = {
    [ZILCH_BLOCK_MM] = {3, look_mm, 2, TURN_MI | TURN_MJ | SWAP, TURN_MI | TURN_MJ},
    [ZILCH_BLOCK_VM] = {4, look_vm, 2, TURN_VI | TURN_MJ, TURN_VI | TURN_MJ},
    [ZILCH_BLOCK_VV] = {6, look_vv, 2, TURN_VI | TURN_VJ | SWAP, TURN_VI | TURN_VJ},
};

static int has(int block, unsigned symmetry)
{
    return (symmetry & ~blocks[block].symmetries) == 0;
}

static float sign_of(int block, unsigned symmetry)
{
    return __builtin_popcount(symmetry & blocks[block].turn_signs) % 2 ? -1.0F : 1.0F;
}

/* ---- Pairs --------------------------------------------------------------------------------- */

/* Probabilities in steps of 2^-20, never 1/2: their opposites are floats too. */
static double random_probability(zilch_rng *rng)
{
    return (floor(zilch_rng_uniform(rng) * 0x1p19) * 2.0 + 1.0) * 0x1p-20;
}

static double random_correlation(zilch_rng *rng)
{
    return 2.0 * zilch_rng_uniform(rng) - 1.0;
}

/* Latent, positive definite: the correlations between i's latents and j's are a contraction. */
static pair random_latent(zilch_rng *rng)
{
    pair a = {.p_i = random_probability(rng), .p_j = random_probability(rng)};
    double squares;
    double determinant;
    do {
        a.mm = random_correlation(rng);
        a.vm_ij = random_correlation(rng);
        a.vm_ji = random_correlation(rng);
        a.vv = random_correlation(rng);
        squares = a.mm * a.mm + a.vm_ij * a.vm_ij + a.vm_ji * a.vm_ji + a.vv * a.vv;
        determinant = a.vv * a.mm - a.vm_ij * a.vm_ji;
    } while (squares > 1.99 || 1.0 - squares + determinant * determinant < 0.01);
    return a;
}

static pair observed(const pair *latent)
{
    const pair *a = latent;
    return (pair){.p_i = a->p_i,
                  .p_j = a->p_j,
                  .mm = zilch_attenuate_mm(a->p_i, a->p_j, a->mm),
                  .vm_ij = zilch_attenuate_vm(a->p_i, a->p_j, a->vm_ij, a->mm),
                  .vm_ji = zilch_attenuate_vm(a->p_j, a->p_i, a->vm_ji, a->mm),
                  .vv = zilch_attenuate_vv(a->p_i, a->p_j, a->vv, a->vm_ji, a->vm_ij, a->mm)};
}

enum { PAIRS = 1000 };

/* Pairs as the columns that features are made from, and what is made. */
typedef struct batch {
    float p_i[PAIRS], p_j[PAIRS], mm[PAIRS], vm_ij[PAIRS], vm_ji[PAIRS], vv[PAIRS];
    float input[ZI_MOST_INPUTS * PAIRS], sign[PAIRS];
} batch;

static void set_pair(batch *b, size_t k, const pair *a)
{
    b->p_i[k] = (float)a->p_i;
    b->p_j[k] = (float)a->p_j;
    b->mm[k] = (float)a->mm;
    b->vm_ij[k] = (float)a->vm_ij;
    b->vm_ji[k] = (float)a->vm_ji;
    b->vv[k] = (float)a->vv;
}

static zi_pairs columns(const batch *b, size_t first, size_t count)
{
    return (zi_pairs){count,         b->p_i + first,   b->p_j + first,
                      b->mm + first, b->vm_ij + first, b->vm_ji + first,
                      b->vv + first};
}

/* One pair's inputs and sign. */
static float features(int block, const pair *a, float *input)
{
    static batch b;
    float sign = 7.0F;
    set_pair(&b, 0, a);
    const zi_pairs one = columns(&b, 0, 1);
    zi_blocks[block].features(&one, input, &sign);
    return sign;
}

/* ---- Tests ----------------------------------------------------------------------------------- */

/* The law itself, by the closed forms: the observed correlations of a turned pair are the turned observed
 * correlations, as far as the block looks at them. */
static void the_law_has_the_symmetries(void **state)
{
    (void)state;
    for (int block = 0; block < ZILCH_BLOCKS; block++) {
        worst_error w = {.what = zilch_block_name((zilch_block)block)};
        zilch_rng rng = zilch_rng_make(71, (uint64_t)block);
        for (size_t k = 0; k < 500; k++) {
            const pair latent = random_latent(&rng);
            const pair seen = observed(&latent);
            for (unsigned symmetry = 0; symmetry < EVERY; symmetry++) {
                const pair other = turned(latent, symmetry);
                const pair got = observed(&other);
                const pair expected = turned(seen, symmetry);
                double a[ZI_MOST_INPUTS];
                double b[ZI_MOST_INPUTS];
                blocks[block].look(&got, a);
                blocks[block].look(&expected, b);
                for (size_t i = 0; has(block, symmetry) && i < blocks[block].inputs; i++) {
                    note_error(&w, fabs(a[i] - b[i]) / 1e-14, "symmetry %u, input %zu", symmetry, i);
                }
            }
        }
        check_errors(&w);
    }
}

/* And it has no others: where the mask of a value that is looked at is replaced by its opposite, much
 * changes. Exchanging i and j is none for value and mask. */
static void the_law_has_no_other_symmetries(void **state)
{
    (void)state;
    for (int block = 0; block < ZILCH_BLOCKS; block++) {
        const size_t inputs = blocks[block].inputs;
        for (unsigned symmetry = 1; symmetry < EVERY; symmetry *= 2) {
            zilch_rng rng = zilch_rng_make(72, 0);
            double largest = 0.0;
            for (size_t k = 0; k < 500; k++) {
                const pair latent = random_latent(&rng);
                const pair seen = observed(&latent);
                const pair other = turned(latent, symmetry);
                const pair got = observed(&other);
                const pair expected = turned(seen, symmetry);
                double a[ZI_MOST_INPUTS];
                double b[ZI_MOST_INPUTS];
                blocks[block].look(&got, a);
                blocks[block].look(&expected, b);
                for (size_t i = 2; i < inputs; i++) {
                    largest = fmax(largest, fabs(a[i] - b[i]));
                }
            }
            const unsigned forbidden = block == ZILCH_BLOCK_VM ? TURN_MI : TURN_MI | TURN_MJ;
            const int hides_a_value = block != ZILCH_BLOCK_MM && (symmetry & forbidden);
            assert_true(hides_a_value ? largest > 0.1 : largest < 1e-14);
        }
    }
}

/* To the bit. */
static void features_have_the_symmetries(void **state)
{
    (void)state;
    for (int block = 0; block < ZILCH_BLOCKS; block++) {
        assert_int_equal(zi_blocks[block].inputs, blocks[block].inputs);
        const size_t bytes = blocks[block].inputs * sizeof(float);
        size_t checked = 0;
        zilch_rng rng = zilch_rng_make(73, (uint64_t)block);
        for (size_t k = 0; k < 3000; k++) {
            const pair latent = random_latent(&rng);
            pair seen = observed(&latent);
            if (k % 3 == 0) { /* ties */
                seen.p_j = seen.p_i;
            }
            if (k % 9 == 0) {
                seen.vm_ji = k % 2 ? seen.vm_ij : -seen.vm_ij;
            }
            if ((float)seen.vm_ij == 0.0F || (float)seen.vm_ji == 0.0F) {
                continue; /* too small for a float: below */
            }
            float input[ZI_MOST_INPUTS];
            const float sign = features(block, &seen, input);
            assert_true(fabsf(sign) == 1.0F);
            checked++;
            for (unsigned symmetry = 0; symmetry < EVERY; symmetry++) {
                if (has(block, symmetry)) {
                    const pair other = turned(seen, symmetry);
                    float mirrored[ZI_MOST_INPUTS];
                    assert_true(features(block, &other, mirrored) == sign * sign_of(block, symmetry));
                    assert_memory_equal(mirrored, input, bytes);
                }
            }
        }
        assert_true(checked > 2900);
    }
}

/* The inputs are one of the pair's own images, with that image's sign: nothing is lost, nothing invented. */
static void features_are_an_image_of_the_pair(void **state)
{
    (void)state;
    for (int block = 0; block < ZILCH_BLOCKS; block++) {
        zilch_rng rng = zilch_rng_make(74, (uint64_t)block);
        for (size_t k = 0; k < 3000; k++) {
            const pair latent = random_latent(&rng);
            const pair seen = observed(&latent);
            float input[ZI_MOST_INPUTS];
            const float sign = features(block, &seen, input);
            size_t found = 0;
            for (unsigned symmetry = 0; symmetry < EVERY; symmetry++) {
                const pair image = turned(seen, symmetry);
                double exact[ZI_MOST_INPUTS];
                size_t same = 0;
                blocks[block].look(&image, exact);
                for (size_t i = 0; i < blocks[block].inputs; i++) {
                    same += input[i] == (float)exact[i];
                }
                found +=
                    has(block, symmetry) && same == blocks[block].inputs && sign == sign_of(block, symmetry);
            }
            assert_int_equal(found, 1);
        }
    }
}

/* As the comments in block.c say. */
static void features_are_in_standard_position(void **state)
{
    (void)state;
    zilch_rng rng = zilch_rng_make(75, 0);
    for (size_t k = 0; k < 3000; k++) {
        const pair latent = random_latent(&rng);
        pair seen = observed(&latent);
        float in[ZI_MOST_INPUTS];
        (void)features(ZILCH_BLOCK_MM, &seen, in);
        assert_true(in[0] <= in[1] && in[1] <= 0.5F);
        (void)features(ZILCH_BLOCK_VM, &seen, in);
        assert_true(in[0] == (float)seen.p_i && in[1] <= 0.5F && in[2] >= 0.0F);
        (void)features(ZILCH_BLOCK_VV, &seen, in);
        assert_true(in[0] <= in[1] && in[3] >= 0.0F && in[4] >= 0.0F);
        seen.p_j = seen.p_i;
        (void)features(ZILCH_BLOCK_VV, &seen, in);
        assert_true(in[0] == in[1] && in[3] <= in[4]);
    }
}

/* What the network learns to say is then the latent correlation of the image, and of the same sign as what is
 * observed of it where that decides. */
static void answers_follow_the_sign(void **state)
{
    (void)state;
    zilch_rng rng = zilch_rng_make(76, 0);
    for (size_t k = 0; k < 3000; k++) {
        const pair latent = random_latent(&rng);
        const pair seen = observed(&latent);
        float in[ZI_MOST_INPUTS];
        const double mm = (double)features(ZILCH_BLOCK_MM, &seen, in) * latent.mm;
        assert_true(mm * (double)in[2] >= 0.0);
        const double vm = (double)features(ZILCH_BLOCK_VM, &seen, in) * latent.vm_ij;
        assert_true(vm >= 0.0);
    }
}

/* A value that no mask knows of: nothing is to be answered. Zeros and equal probabilities are no reason for
 * the order of i and j to matter. */
static void special_pairs(void **state)
{
    (void)state;
    static const pair specials[] = {{0.5, 0.5, 0.3, 0.1, 0.2, -0.4},  {0.5, 0.2, -0.3, 0.0, 0.2, 0.4},
                                    {0.3, 0.3, 0.1, 0.0, 0.0, 0.2},   {1.0, 1.0, 0.0, 0.0, 0.0, -0.7},
                                    {1.0, 0.25, 0.0, -0.5, 0.0, 0.3}, {0.0, 0.5, 0.0, 0.0, 0.0, 0.0},
                                    {0.4, 0.4, 0.2, -0.1, 0.1, 0.5},  {0.25, 0.75, 0.2, 0.1, 0.1, 0.5}};
    for (size_t k = 0; k < COUNT(specials); k++) {
        const pair other = turned(specials[k], SWAP);
        for (int block = 0; block < ZILCH_BLOCKS; block++) {
            float a[ZI_MOST_INPUTS];
            float b[ZI_MOST_INPUTS];
            const float sign = features(block, &specials[k], a);
            const float mirrored = features(block, &other, b);
            if (block == ZILCH_BLOCK_VM) {
                const double vm = specials[k].vm_ij;
                assert_true(sign == (vm > 0.0 ? 1.0F : vm < 0.0 ? -1.0F : 0.0F));
            } else {
                assert_true(sign == mirrored);
                assert_memory_equal(a, b, blocks[block].inputs * sizeof *a);
            }
        }
    }
}

/* What a block does not look at may be anything. */
static void features_look_at_nothing_else(void **state)
{
    (void)state;
    zilch_rng rng = zilch_rng_make(77, 0);
    for (size_t k = 0; k < 1000; k++) {
        const pair latent = random_latent(&rng);
        const pair seen = observed(&latent);
        const pair hidden[ZILCH_BLOCKS] = {{seen.p_i, seen.p_j, seen.mm, NAN, NAN, NAN},
                                           {seen.p_i, seen.p_j, seen.mm, seen.vm_ij, NAN, NAN},
                                           seen};
        for (int block = 0; block < ZILCH_BLOCKS; block++) {
            float a[ZI_MOST_INPUTS];
            float b[ZI_MOST_INPUTS];
            assert_true(features(block, &seen, a) == features(block, &hidden[block], b));
            assert_memory_equal(a, b, blocks[block].inputs * sizeof *a);
        }
    }
}

/* Many at once, and in parts of any length, as one at a time. */
static void features_do_not_depend_on_the_batch(void **state)
{
    (void)state;
    static const size_t counts[] = {1, 7, 64, PAIRS};
    static batch b;
    static pair pairs[PAIRS];
    zilch_rng rng = zilch_rng_make(78, 0);
    for (size_t k = 0; k < PAIRS; k++) {
        const pair latent = random_latent(&rng);
        pairs[k] = observed(&latent);
        set_pair(&b, k, &pairs[k]);
    }
    for (size_t c = 0; c < COUNT(counts) * ZILCH_BLOCKS; c++) {
        const size_t most = counts[c / ZILCH_BLOCKS];
        const int block = (int)(c % ZILCH_BLOCKS);
        for (size_t first = 0; first < PAIRS; first += most) {
            const size_t count = PAIRS - first < most ? PAIRS - first : most;
            const zi_pairs some = columns(&b, first, count);
            zi_blocks[block].features(&some, b.input, b.sign);
            for (size_t k = 0; k < count; k++) {
                float input[ZI_MOST_INPUTS];
                assert_true(features(block, &pairs[first + k], input) == b.sign[k]);
                for (size_t i = 0; i < blocks[block].inputs; i++) {
                    assert_true(input[i] == b.input[i * count + k]);
                }
            }
        }
    }
}

static void names_of_blocks(void **state)
{
    (void)state;
    static const char *const names[] = {"mm", "vm", "vv"};
    for (int b = 0; b < ZILCH_BLOCKS; b++) {
        zilch_block block;
        assert_string_equal(zilch_block_name((zilch_block)b), names[b]);
        assert_int_equal(zilch_block_parse(names[b], &block), ZILCH_OK);
        assert_int_equal(block, b);
    }
    zilch_block block = ZILCH_BLOCK_VM;
    assert_null(zilch_block_name((zilch_block)ZILCH_BLOCKS));
    assert_int_equal(zilch_block_parse("mv", &block), ZILCH_EARG);
    assert_string_equal(zilch_last_error(), "\"mv\" is no block");
    assert_int_equal(block, ZILCH_BLOCK_VM);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_law_has_the_symmetries),
        cmocka_unit_test(the_law_has_no_other_symmetries),
        cmocka_unit_test(features_have_the_symmetries),
        cmocka_unit_test(features_are_an_image_of_the_pair),
        cmocka_unit_test(features_are_in_standard_position),
        cmocka_unit_test(answers_follow_the_sign),
        cmocka_unit_test(special_pairs),
        cmocka_unit_test(features_look_at_nothing_else),
        cmocka_unit_test(features_do_not_depend_on_the_batch),
        cmocka_unit_test(names_of_blocks),
    };
    return cmocka_run_group_tests_name("block", tests, NULL, NULL);
}
