/* Figures, drawn by gnuplot from data and scripts that stay beside the pictures. */
#ifndef CLI_FIGURES_H
#define CLI_FIGURES_H

#include <stddef.h>

/* Correlations recovered by one inverter, one entry a pair of latents. */
typedef struct figure_pairs {
    size_t count;
    const float *truth, *recovered; /* latent correlations, in [-1, 1] */
    const float *min_p;             /* the smaller activation probability of the pair */
    const unsigned char *is_vv;     /* 1 where both latents are values */
    double mae, mse, ccc;
} figure_pairs;

/* Makes the folder if it is missing, parents too: before long work whose figures it shall hold.
 * 0, or 1 after printing why. */
int figures_make_folder(const char *folder);

/* Writes the four figures of the model into `folder` (made if missing, parents too):
 * data, scripts, SVG and PNG. 0, or 1 after printing why. */
int figures_draw_model(const char *folder, const figure_pairs *pairs);

/* The scripts of cli/figures, put into the command by embed.cmake when it is built.
 * A NULL name ends the list. */
typedef struct figure_script {
    const char *name, *text;
} figure_script;
extern const figure_script figure_scripts[];

#endif
