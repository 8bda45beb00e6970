/* The figures of the model. */
#ifndef FIGURES_MODEL_H
#define FIGURES_MODEL_H

#include <stddef.h>

/* Correlations recovered by one inverter, one entry a pair of latents. */
typedef struct figure_pairs {
    size_t count;
    const float *truth, *recovered; /* latent correlations, in [-1, 1] */
    const float *min_p;             /* the smaller activation probability of the pair */
    const unsigned char *is_vv;     /* 1 where both latents are values */
    double mae, mse, ccc;
} figure_pairs;

/* Writes them into `folder` (made if missing, parents too). 0, or 1 after printing why. */
int figures_draw_model(const char *folder, const figure_pairs *pairs);

#endif
