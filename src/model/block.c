/* The networks' inputs. The law has symmetries: i and j may be swapped, a value's sign
 * may be turned, and a mask may be replaced by its opposite where no value of the same
 * coordinate is looked at. Each turns the answer's sign or leaves it. A pair is brought into a
 * standard position first, so a network learns an eighth (mm, vv) or a quarter (vm) of its
 * domain, and a pair and its mirror image give the very same answer. So do turned pairs, but for
 * masks of p = 1/2, which are their own opposite. */
#include "model/block.h"

#include "base/simd.h"

/* p_i <= p_j <= 1/2: a mask that is active more often is replaced by its opposite. */
ZI_CLONES
static void mm_features(const zi_pairs *pairs, float *restrict input, float *restrict sign)
{
    const size_t n = pairs->count;
    ZI_INDEPENDENT
    for (size_t k = 0; k < n; k++) {
        const float p_i = pairs->p_i[k];
        const float p_j = pairs->p_j[k];
        const float turned_i = p_i > 0.5F ? 1.0F - p_i : p_i;
        const float turned_j = p_j > 0.5F ? 1.0F - p_j : p_j;
        const float turn = (p_i > 0.5F ? -1.0F : 1.0F) * (p_j > 0.5F ? -1.0F : 1.0F);
        input[k] = turned_i < turned_j ? turned_i : turned_j;
        input[n + k] = turned_i < turned_j ? turned_j : turned_i;
        input[2 * n + k] = turn * pairs->mm[k];
        sign[k] = turn;
    }
}

/* p_j <= 1/2, and no negative correlation of the value with the mask. The opposite mask turns
 * both that and the answer, so only the value's sign is left; an observed 0 is a latent 0. */
ZI_CLONES
static void vm_features(const zi_pairs *pairs, float *restrict input, float *restrict sign)
{
    const size_t n = pairs->count;
    ZI_INDEPENDENT
    for (size_t k = 0; k < n; k++) {
        const float p_j = pairs->p_j[k];
        const float vm = pairs->vm_ij[k];
        const float mm = pairs->mm[k];
        input[k] = pairs->p_i[k];
        input[n + k] = p_j > 0.5F ? 1.0F - p_j : p_j;
        input[2 * n + k] = vm < 0.0F ? -vm : vm;
        input[3 * n + k] = p_j > 0.5F ? -mm : mm;
        sign[k] = vm < 0.0F ? -1.0F : vm > 0.0F ? 1.0F : 0.0F;
    }
}

/* No negative correlation of a value with a mask, and p_i <= p_j; between equals the smaller
 * correlation comes first. Where one of the former is 0, none of the values either. */
ZI_CLONES
static void vv_features(const zi_pairs *pairs, float *restrict input, float *restrict sign)
{
    const size_t n = pairs->count;
    ZI_INDEPENDENT
    for (size_t k = 0; k < n; k++) {
        const float p_i = pairs->p_i[k];
        const float p_j = pairs->p_j[k];
        const float ij = pairs->vm_ij[k];
        const float ji = pairs->vm_ji[k];
        const float vm_ij = ij < 0.0F ? -ij : ij;
        const float vm_ji = ji < 0.0F ? -ji : ji;
        const float vv = pairs->vv[k];
        /* Where one is 0 its value is free to be turned. */
        const float by_masks = (ij < 0.0F ? -1.0F : 1.0F) * (ji < 0.0F ? -1.0F : 1.0F);
        const float by_values = vv < 0.0F ? -1.0F : 1.0F;
        const float smaller = vm_ij < vm_ji ? vm_ij : vm_ji;
        const float turn = smaller > 0.0F ? by_masks : by_values;
        const float order = p_i == p_j ? vm_ji - vm_ij : p_j - p_i;
        input[k] = order < 0.0F ? p_j : p_i;
        input[n + k] = order < 0.0F ? p_i : p_j;
        input[2 * n + k] = turn * vv;
        input[3 * n + k] = order < 0.0F ? vm_ji : vm_ij;
        input[4 * n + k] = order < 0.0F ? vm_ij : vm_ji;
        input[5 * n + k] = pairs->mm[k];
        sign[k] = turn;
    }
}

const zi_block zi_blocks[ZILCH_BLOCKS] = {
    [ZILCH_BLOCK_MM] = {3, mm_features},
    [ZILCH_BLOCK_VM] = {4, vm_features},
    [ZILCH_BLOCK_VV] = {6, vv_features},
};
