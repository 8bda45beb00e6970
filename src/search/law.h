/* The laws: how each method makes new genomes from those of the elites. */
#ifndef ZI_LAW_H
#define ZI_LAW_H

#include "search/refit.h"

/* Whether the method's law is the zero-inflated Gaussian, which is fitted beforehand. */
int zi_law_is_zig(zilch_method method);

/* A genome is a point, but for adhoc, where it is dim weights and dim thresholds. */
size_t zi_law_width(zilch_method method, size_t dim);
void zi_law_point(zilch_method method, size_t dim, const double *genome, double *x);
size_t zi_law_active(zilch_method method, size_t dim, const double *genome);
/* What the penalties of the active coordinates add up to; 0 where `penalties` is NULL. */
double zi_law_penalties(zilch_method method, size_t dim, const double *penalties, const double *genome);
/* Changes the genome so that it gives the point x, as little as possible. */
void zi_law_follow(zilch_method method, size_t dim, const double *x, double *genome);

typedef struct zi_draw {
    const zilch_optimizer_options *options;
    size_t dim, width;
    size_t elites; /* at least 2, but for the first points, which need none */
    const double *elite;
    const zi_fitted *fitted; /* of the zero-inflated Gaussian */
    const zi_first *first;
    zilch_rng rng;
    size_t rows;
    double *genome; /* rows x width: the result */
} zi_draw;

/* The first points, the same for every method. */
zilch_status zi_draw_first(const zi_draw *draw);

/* Fits the law, unless it is the zero-inflated Gaussian, and draws from it. */
zilch_status zi_draw_next(const zi_draw *draw);

zilch_status zi_draw_zig(const zi_draw *draw);
zilch_status zi_draw_gaussian(const zi_draw *draw);
zilch_status zi_draw_ea(const zi_draw *draw);

#endif
