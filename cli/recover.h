/* The recovery experiment: random laws, samples of them, and how well the fit finds the
 * latent correlations again. */
#ifndef RECOVER_H
#define RECOVER_H

#include "zilch.h"

enum { RECOVER_INVERTERS = 2, RECOVER_BLOCKS = 3, RECOVER_BINS = 8 };
enum { RECOVER_VV, RECOVER_VM, RECOVER_MM };

extern const char *const recover_block_name[RECOVER_BLOCKS]; /* "vv", "vm", "mm" */
extern const double recover_bin_edge[RECOVER_BINS + 1];      /* of min(p_i, p_j), from 0 to 1 */

typedef struct recover_setting {
    uint64_t models, dim, rows, seed, threads;
    double decay, p_min, p_max;
    zilch_shrinkage shrinkage;
    zilch_projection projection;
    const zilch_networks *networks; /* of the amortised inverter; NULL: the library's own */
} recover_setting;

typedef struct recover_score {
    size_t count;
    double mae, mse, ccc; /* mean absolute and squared error, concordance correlation */
} recover_score;

typedef struct recover_inverter {
    float *recovered; /* one entry a correlation */
    recover_score all, block[RECOVER_BLOCKS];
    recover_score bin[RECOVER_BINS][RECOVER_BLOCKS]; /* by min(p_i, p_j) */
} recover_inverter;

typedef struct recover_result {
    size_t count;
    float *truth, *min_p;
    unsigned char *block;
    double mean_abs_rho;
    recover_inverter inverter[RECOVER_INVERTERS]; /* by zilch_inverter */
} recover_result;

/* Called after each model, from any thread, with how many are done. */
typedef void (*recover_progress)(void *context, size_t done);

/* Runs it. The result depends on the setting but not on the number of threads. Free it in
 * either case. */
zilch_status recover_run(const recover_setting *setting, recover_progress progress, void *context,
                         recover_result *result);
void recover_free(recover_result *result);

#endif
