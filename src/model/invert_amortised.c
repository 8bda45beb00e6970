/* Amortised inversion, as published: a network for each kind of correlation, from p_i, p_j
 * and the observed correlations of the pair. All pairs of the matrix are one batch, taken in
 * tiles that fit the cache. Mirrored pairs agree because the inputs are symmetric (block.c), so
 * each pair is evaluated once; value and mask twice, for they are two correlations. */
#include "base/memory.h"
#include "math/linalg.h"
#include "model/invert.h"
#include "model/networks.h"

#include <assert.h>
#include <math.h>

enum { TILE = 64 };

typedef struct tile {
    size_t count;
    size_t i[TILE], j[TILE];
    float p_i[TILE], p_j[TILE], mm[TILE], vm_ij[TILE], vm_ji[TILE], vv[TILE]; /* observed */
} tile;

typedef struct answers {
    float mm[TILE], vm_ij[TILE], vm_ji[TILE], vv[TILE]; /* latent */
} answers;

static void add_pair(const zi_inversion *in, size_t i, size_t j, tile *t)
{
    const size_t d = in->dim;
    const size_t n = 2 * d;
    const size_t k = t->count++;
    t->i[k] = i;
    t->j[k] = j;
    t->p_i[k] = (float)in->margin[i].p;
    t->p_j[k] = (float)in->margin[j].p;
    t->mm[k] = (float)in->observed[(d + i) * n + d + j];
    t->vm_ij[k] = (float)in->observed[i * n + d + j];
    t->vm_ji[k] = (float)in->observed[(d + i) * n + j];
    t->vv[k] = (float)in->observed[i * n + j];
}

/* A value's correlation with a mask keeps its sign (the inputs have it positive), so an answer below
 * 0 is none. */
static int ask(const zilch_networks *networks, zilch_block block, const zi_pairs *pairs, float *space,
               float *answer)
{
    const float least = block == ZILCH_BLOCK_VM ? 0.0F : -1.0F;
    const zi_network *network = &networks->block[block];
    float input[TILE * ZI_MOST_INPUTS];
    float sign[TILE];
    int is_good = 1;
    zi_blocks[block].features(pairs, input, sign);
    zi_mlp_evaluate(network->shape, network->parameter, pairs->count, input, space, answer);
    for (size_t k = 0; k < pairs->count; k++) {
        answer[k] = sign[k] * (answer[k] < least ? least : answer[k]);
        is_good &= fabsf(answer[k]) <= 1.0F;
    }
    return is_good;
}

static int ask_all(const zilch_networks *networks, const tile *t, float *space, answers *out)
{
    const zi_pairs pairs = {t->count, t->p_i, t->p_j, t->mm, t->vm_ij, t->vm_ji, t->vv};
    const zi_pairs swapped = {t->count, t->p_j, t->p_i, t->mm, t->vm_ji, t->vm_ij, t->vv};
    const int mm = ask(networks, ZILCH_BLOCK_MM, &pairs, space, out->mm);
    const int vm_ij = ask(networks, ZILCH_BLOCK_VM, &pairs, space, out->vm_ij);
    const int vm_ji = ask(networks, ZILCH_BLOCK_VM, &swapped, space, out->vm_ji);
    const int vv = ask(networks, ZILCH_BLOCK_VV, &pairs, space, out->vv);
    return mm && vm_ij && vm_ji && vv;
}

static void set_pair(const zi_inversion *in, const unsigned char *speaks, size_t i, size_t j,
                     const answers *a, size_t k, double *latent)
{
    const size_t d = in->dim;
    const size_t n = 2 * d;
    zi_set_entry(n, latent, d + i, d + j, speaks[d + i] && speaks[d + j] ? (double)a->mm[k] : 0.0);
    zi_set_entry(n, latent, i, d + j, speaks[i] && speaks[d + j] ? (double)a->vm_ij[k] : 0.0);
    zi_set_entry(n, latent, j, d + i, speaks[j] && speaks[d + i] ? (double)a->vm_ji[k] : 0.0);
    zi_set_entry(n, latent, i, j, speaks[i] && speaks[j] ? (double)a->vv[k] : 0.0);
}

static int answer_tile(const zi_inversion *in, const zilch_networks *networks, const unsigned char *speaks,
                       tile *t, float *space, double *latent)
{
    answers a;
    const int is_good = ask_all(networks, t, space, &a);
    for (size_t k = 0; k < t->count; k++) {
        set_pair(in, speaks, t->i[k], t->j[k], &a, k, latent);
    }
    t->count = 0;
    return is_good;
}

/* Whether a latent says anything: its observed row is not all zero beside the diagonal. */
static void find_speaking(size_t n, const double *observed, unsigned char *speaks)
{
    for (size_t i = 0; i < n; i++) {
        size_t j = 0;
        while (j < n && (j == i || observed[i * n + j] == 0.0)) {
            j++;
        }
        speaks[i] = j < n;
    }
}

static int answer_all(const zi_inversion *in, const zilch_networks *networks, const unsigned char *speaks,
                      float *space, double *latent)
{
    tile t = {.count = 0};
    int is_good = 1;
    for (size_t i = 0; i < in->dim; i++) {
        for (size_t j = i + 1; j < in->dim; j++) {
            add_pair(in, i, j, &t);
            if (t.count == TILE) {
                is_good &= answer_tile(in, networks, speaks, &t, space, latent);
            }
        }
    }
    return is_good & answer_tile(in, networks, speaks, &t, space, latent);
}

zilch_status zi_invert_amortised(const zi_inversion *in, double *latent)
{
    assert(in->margin && in->observed && latent);
    const zilch_networks *networks = in->networks ? in->networks : &zi_shipped_networks;
    const size_t n = 2 * in->dim;
    size_t space = 0;
    for (int b = 0; b < ZILCH_BLOCKS; b++) {
        const size_t needed = zi_mlp_evaluate_space(networks->block[b].shape, TILE);
        space = needed > space ? needed : space;
    }
    float *block;
    ZI_TRY(zi_alloc(&block, space + n));
    unsigned char *speaks = (unsigned char *)(block + space);
    find_speaking(n, in->observed, speaks);
    zi_identity(n, latent);
    const int is_good = answer_all(in, networks, speaks, block, latent);
    zi_free(block);
    return is_good ? ZILCH_OK
                   : zi_fail(ZILCH_ENUMERIC, "the networks' answers are not finite; train other weights");
}
