/* zilch.h - sparse black-box optimisation with the zero-inflated Gaussian law.
 *
 * A point is mostly exact zeros. The search draws points from a law, keeps the best, fits the law to
 * them, and goes on:
 *
 *     zilch_optimizer *search;
 *     if (zilch_optimizer_create(&search, dim, seed, NULL) != ZILCH_OK ||
 *         zilch_optimize(search, objective, context, NULL, NULL, NULL, NULL) != ZILCH_OK)
 *         return fail(zilch_last_error());
 *     zilch_best(search, x, NULL);
 *     zilch_optimizer_destroy(search);
 *
 * The law says which coordinates are active and what their values are, jointly: for d coordinates there
 * are 2d standard-normal latents (V_1..V_d, M_1..M_d) with one correlation matrix, and
 *
 *     X_i = 0                  if M_i <  tau_i     (inactive, exactly zero)
 *     X_i = mu_i + sigma_i V_i if M_i >= tau_i     (active)
 *
 * It can be fitted to any data, looked at and drawn from:
 *
 *     zilch_model *model;
 *     if (zilch_model_fit(&model, rows, cols, x, NULL, NULL) != ZILCH_OK)
 *         return fail(zilch_last_error());
 *     zilch_rng rng = zilch_rng_make(seed, 0);
 *     zilch_model_sample(model, &rng, n, points);
 *     zilch_model_destroy(model);
 *
 * Contract of every function below
 *   status    Fallible functions return a zilch_status; results leave through
 *             pointers. On failure *out is NULL, nothing leaks, and
 *             zilch_last_error() says what happened.
 *   memory    Inputs are copied, never kept. Output arrays belong to the caller
 *             and are sized by the caller. What X_create, X_fit, X_load or
 *             X_unpack made, X_destroy frees; it accepts NULL.
 *   threads   Different handles: any threads. One handle: any number of
 *             functions taking it const, or one that does not. No locks guard it.
 *   silence   The library never prints, exits, installs signal handlers, reads
 *             the environment or the clock, or touches global random state.
 *   arrays    Dense, row-major, `double`; a point is one row. An exact 0.0 means
 *             "absent"; -0.0 is read as 0.0; NaN and Inf in a point are rejected.
 *   bits      Same input, same bits, on one machine with one BLAS thread. BLAS
 *             kernels differ between processors in the last digits; random
 *             numbers do not: they are the same bits everywhere.
 */
#ifndef ZILCH_H
#define ZILCH_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#if defined(__GNUC__)
#define ZILCH_API __attribute__((visibility("default")))
#define ZILCH_MUST_CHECK __attribute__((warn_unused_result))
#else
#define ZILCH_API
#define ZILCH_MUST_CHECK
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Version and status -------------------------------------------------- */

#define ZILCH_VERSION_MAJOR 0
#define ZILCH_VERSION_MINOR 1
#define ZILCH_VERSION_PATCH 0

/* "0.1.0", of the linked library. */
ZILCH_API const char *zilch_version(void);

/* One list gives the enum and the texts. Values never change. */
#define ZILCH_STATUS_LIST(X)                                 \
    X(OK, 0, "success")                                      \
    X(ESTOPPED, 1, "stopped by the progress callback")       \
    X(EARG, -1, "argument out of range")                     \
    X(ENOMEM, -2, "out of memory")                           \
    X(ENUMERIC, -3, "not finite, or a factorisation failed") \
    X(ESTATE, -4, "call not allowed in this state")          \
    X(EFORMAT, -5, "not a zilch file, or damaged")           \
    X(EVERSION, -6, "written by an incompatible version")    \
    X(EIO, -7, "input or output failed")                     \
    X(EOBJECTIVE, -8, "the objective reported failure")      \
    X(EUNAVAILABLE, -9, "not available in this build")

typedef enum zilch_status {
#define X(name, value, text) ZILCH_##name = (value),
    ZILCH_STATUS_LIST(X)
#undef X
} zilch_status;

ZILCH_API const char *zilch_status_text(zilch_status status);

/* Detail of the last failure in this thread, e.g. "fit: row 3 column 7 is not
 * finite". Valid until the next zilch call of this thread; "" if there was none. */
ZILCH_API const char *zilch_last_error(void);

/* For objectives and observers: `return zilch_fail(ZILCH_EOBJECTIVE, "the valve is stuck");` makes the text
 * this thread's last error and gives the status back. NULL: no text. */
ZILCH_API zilch_status zilch_fail(zilch_status status, const char *text);

/* Replace malloc and free, before any other call; NULL, NULL restores them.
 * `alloc` must give memory aligned as malloc's is. */
ZILCH_API void zilch_set_allocator(void *(*alloc)(size_t bytes), void (*release)(void *));

/* Threads that the BLAS library may use inside one call, for the whole process.
 * The library itself never changes it. One thread gives reproducible bits, and is
 * right for a program that runs several fits at once. Threads for which there is no
 * memory are not started.
 *
 * OpenBLAS needs a buffer of 128 megabytes for each thread that is in it. Where the
 * first cannot be had, fits fail with ENOMEM; where only some can be had, threads
 * wait for each other. OpenBLAS starts threads of its own already when it is loaded:
 * where memory is limited (ulimit -v), set OPENBLAS_NUM_THREADS=1 in the environment
 * of a program that uses this library. The command does so by itself. */
ZILCH_API void zilch_set_blas_threads(unsigned threads);

/* ---- Random numbers: explicit, small, copyable ---------------------------- */

/* A counter-based stream (Philox4x32-10). Two streams of one seed never meet, so
 * a number does not depend on which thread or rank draws it. Plain data: may be
 * copied, compared and stored. Every draw, uniform or normal, advances `counter`
 * by one; adding n to it skips n draws. */
typedef struct zilch_rng {
    uint64_t key, stream, counter;
} zilch_rng;

ZILCH_API zilch_rng zilch_rng_make(uint64_t seed, uint64_t stream);
ZILCH_API double zilch_rng_uniform(zilch_rng *rng); /* in (0, 1) */
ZILCH_API double zilch_rng_normal(zilch_rng *rng);
/* The next n normals: the same numbers as n single calls, many times faster. */
ZILCH_API void zilch_rng_normals(zilch_rng *rng, size_t n, double *out);

/* ---- Attenuation: what masking does to a correlation ----------------------- */

/* Observed correlations of a pair (i, j) as functions of the latent ones. X is the
 * standardised value where active and 0 where not, I the indicator "active";
 * p_i, p_j in [0, 1] are the activation probabilities, and
 *
 *     rho_v  = corr(V_i, V_j)    rho_m  = corr(M_i, M_j)
 *     rho_ij = corr(M_i, V_j)    rho_ji = corr(M_j, V_i)
 *
 * A correlation with a constant (an indicator of p = 0 or 1, a value of p = 0) is
 * given as 0. Arguments outside their ranges give NaN. Accuracy: about 1e-14
 * absolute in the underlying expectations. */
ZILCH_API double zilch_attenuate_mm(double p_i, double p_j, double rho_m);                /* corr(I_i, I_j) */
ZILCH_API double zilch_attenuate_vm(double p_i, double p_j, double rho_ji, double rho_m); /* corr(X_i, I_j) */
ZILCH_API double zilch_attenuate_vv(double p_i, double p_j, double rho_v, double rho_ij, double rho_ji,
                                    double rho_m); /* corr(X_i, X_j) */

/* Their inverses, the exact inverter of the fit: observed correlation in, latent
 * out, clamped into [-1, 1]. Go in this order, feeding each result to the next.
 * Where the masks leave nothing to see (a co-activation below what a double can
 * resolve) the answer is 0. */
ZILCH_API double zilch_invert_mm(double p_i, double p_j, double corr_ii);
ZILCH_API double zilch_invert_vm(double p_i, double p_j, double corr_xi, double rho_m);
ZILCH_API double zilch_invert_vv(double p_i, double p_j, double corr_xx, double rho_ij, double rho_ji,
                                 double rho_m);

/* ---- Networks: the amortised inverter --------------------------------------- */

/* The published inverter is a small network for each kind of latent correlation: masks
 * (mm), value and mask (vm), values (vv). They look at p_i, p_j and the observed
 * correlations of the pair. The library carries trained ones; others can be trained
 * (below), kept in a file, and given to a fit. */
#define ZILCH_BLOCK_LIST(X) \
    X(BLOCK_MM, "mm")       \
    X(BLOCK_VM, "vm")       \
    X(BLOCK_VV, "vv")

#define X(name, text) ZILCH_##name,
typedef enum zilch_block { ZILCH_BLOCK_LIST(X) } zilch_block;
#undef X
enum { ZILCH_BLOCKS = 3 };

ZILCH_API const char *zilch_block_name(zilch_block block);
ZILCH_MUST_CHECK ZILCH_API zilch_status zilch_block_parse(const char *name, zilch_block *out);

typedef struct zilch_networks zilch_networks;

/* A copy of the networks that the library carries. */
ZILCH_MUST_CHECK ZILCH_API zilch_status zilch_networks_create(zilch_networks **out);
ZILCH_API void zilch_networks_destroy(zilch_networks *networks);

/* As bytes and files, as models are. */
ZILCH_MUST_CHECK ZILCH_API zilch_status zilch_networks_pack(const zilch_networks *networks, void *buffer,
                                                            size_t capacity, size_t *length);
ZILCH_MUST_CHECK ZILCH_API zilch_status zilch_networks_unpack(zilch_networks **out, const void *buffer,
                                                              size_t length);
ZILCH_MUST_CHECK ZILCH_API zilch_status zilch_networks_save(const zilch_networks *networks, const char *path);
ZILCH_MUST_CHECK ZILCH_API zilch_status zilch_networks_load(zilch_networks **out, const char *path);

/* ---- Model: fit, sample, save, load --------------------------------------- */

typedef struct zilch_model zilch_model;

/* From observed to latent correlations: in closed form, or by trained networks. */
#define ZILCH_INVERTER_LIST(X) \
    X(EXACT, "exact")          \
    X(AMORTISED, "amortised")

/* Of latent correlations towards 0, by their standard errors: none; each by its
 * own, rho^3 / (rho^2 + se^2); bayes, as much as the spread within its block (values,
 * masks, or both) exceeds what noise alone would give; fisher, the same on the scale of atanh,
 * and the less, the more rows there are for each latent; or all, that is independent coordinates. */
#define ZILCH_SHRINKAGE_LIST(X)      \
    X(SHRINK_NONE, "none")           \
    X(SHRINK_ENTRYWISE, "entrywise") \
    X(SHRINK_BAYES, "bayes")         \
    X(SHRINK_FISHER, "fisher")       \
    X(SHRINK_ALL, "all")

/* To a correlation matrix. clip: negative eigenvalues replaced, diagonal rescaled,
 * as published; corr(V_i, M_i) drifts from 0. repair: clip, those zeros put back,
 * then the smallest pull towards the identity that is positive definite. nearest:
 * the closest such matrix, by alternating projections. weighted: the closest when each
 * entry counts by its standard error, so that what is well known stays and what is not
 * gives way; the most accurate and the slowest. */
#define ZILCH_PROJECTION_LIST(X) \
    X(CLIP, "clip")              \
    X(REPAIR, "repair")          \
    X(NEAREST, "nearest")        \
    X(WEIGHTED, "weighted")

/* What the latent correlations may be. full: any, a matrix of 2d x 2d. diagonal: none, marginals only.
 * low-rank: those of k common factors, z = sqrt(D) e + L f with L L^T + D of unit diagonal: O(dk) numbers,
 * and always positive definite. docs/large.md has how it is fitted and what it cannot say. */
#define ZILCH_STRUCTURE_LIST(X)       \
    X(STRUCTURE_FULL, "full")         \
    X(STRUCTURE_DIAGONAL, "diagonal") \
    X(STRUCTURE_LOW_RANK, "low-rank")

#define X(name, text) ZILCH_##name,
typedef enum zilch_inverter { ZILCH_INVERTER_LIST(X) } zilch_inverter;
typedef enum zilch_structure { ZILCH_STRUCTURE_LIST(X) } zilch_structure;
typedef enum zilch_shrinkage { ZILCH_SHRINKAGE_LIST(X) } zilch_shrinkage;
typedef enum zilch_projection { ZILCH_PROJECTION_LIST(X) } zilch_projection;
#undef X

/* The names above, for people and files; NULL for a value that is none of them. */
ZILCH_API const char *zilch_inverter_name(zilch_inverter inverter);
ZILCH_API const char *zilch_structure_name(zilch_structure structure);
ZILCH_API const char *zilch_shrinkage_name(zilch_shrinkage shrinkage);
ZILCH_API const char *zilch_projection_name(zilch_projection projection);
ZILCH_MUST_CHECK ZILCH_API zilch_status zilch_inverter_parse(const char *name, zilch_inverter *out);
ZILCH_MUST_CHECK ZILCH_API zilch_status zilch_structure_parse(const char *name, zilch_structure *out);
ZILCH_MUST_CHECK ZILCH_API zilch_status zilch_shrinkage_parse(const char *name, zilch_shrinkage *out);
ZILCH_MUST_CHECK ZILCH_API zilch_status zilch_projection_parse(const char *name, zilch_projection *out);

typedef struct zilch_model_options {
    size_t size;                    /* set by zilch_model_defaults(); guards the layout */
    zilch_inverter inverter;        /* exact */
    zilch_shrinkage shrinkage;      /* none */
    zilch_projection projection;    /* repair */
    double sigma_floor;             /* 0; no fitted sigma_i is below it */
    const zilch_networks *networks; /* NULL: the library's own; used by the amortised inverter */
    zilch_structure structure;      /* full; the others need no inverter and no projection */
    size_t rank;                    /* 10; of low-rank: factors at most, 1 to 1,000 */
} zilch_model_options;

ZILCH_API zilch_model_options zilch_model_defaults(void);

/* Fit to `rows` >= 2 points of `cols` >= 1 coordinates. `weights` (rows, each >= 0,
 * at least two of them positive) or NULL for equal weights. `options` or NULL for
 * the defaults.
 *
 * Special columns: always zero gives p = 0, the constant 0. Never zero gives p = 1,
 * a plain Gaussian. Active in one row only, or constant where active, gives
 * sigma = sigma_floor. The latents that say nothing then have zero correlations.
 *
 * With structure full at most 16,000 columns, else 1,000,000. */
ZILCH_MUST_CHECK ZILCH_API zilch_status zilch_model_fit(zilch_model **out, size_t rows, size_t cols,
                                                        const double *x, const double *weights,
                                                        const zilch_model_options *options);

/* A law from its parameters: p in [0, 1], mu, sigma >= 0 (dim each) and the 2 dim x
 * 2 dim latent correlation matrix (V_1.. V_dim, M_1.. M_dim), positive semidefinite;
 * NULL for the identity. corr(V_i, M_i) need not be 0, but a fit gives 0. */
ZILCH_MUST_CHECK ZILCH_API zilch_status zilch_model_create(zilch_model **out, size_t dim, const double *p,
                                                           const double *mu, const double *sigma,
                                                           const double *correlation);

/* The same with common factors, structure low-rank: `loadings` (rank x 2 dim) has a row for each factor, with
 * what it adds to each latent; of each latent their squares' sum must be below 1, the rest is its own. rank
 * 0: structure diagonal. */
ZILCH_MUST_CHECK ZILCH_API zilch_status zilch_model_create_factors(zilch_model **out, size_t dim,
                                                                   const double *p, const double *mu,
                                                                   const double *sigma, size_t rank,
                                                                   const double *loadings);

/* A random law for experiments: a latent correlation matrix with eigenvalues
 * decay^i in a random basis, brought to unit diagonal and corr(V_i, M_i) = 0;
 * mu ~ U(-2, 2), sigma ~ U(0, 4), p ~ U(p_min, p_max). 0 < decay < 1. */
ZILCH_MUST_CHECK ZILCH_API zilch_status zilch_model_random(zilch_model **out, size_t dim, zilch_rng *rng,
                                                           double decay, double p_min, double p_max);

ZILCH_API void zilch_model_destroy(zilch_model *model);

/* Draw `rows` points into x (rows x dim). Consumes rows * (2 dim + rank) draws of rng, rank 0 but for
 * low-rank. One workspace is allocated for the call, nothing for a row. */
ZILCH_MUST_CHECK ZILCH_API zilch_status zilch_model_sample(const zilch_model *model, zilch_rng *rng,
                                                           size_t rows, double *x);

/* Read access. The arrays belong to the model and live as long as it does. */
ZILCH_API size_t zilch_model_dim(const zilch_model *model);
ZILCH_API const double *zilch_model_p(const zilch_model *model);     /* dim: P(X_i != 0) */
ZILCH_API const double *zilch_model_mu(const zilch_model *model);    /* dim: mean where active */
ZILCH_API const double *zilch_model_sigma(const zilch_model *model); /* dim: deviation where active */
ZILCH_API const double *zilch_model_tau(const zilch_model *model);   /* dim: thresholds, -Inf .. Inf */
ZILCH_API zilch_structure zilch_model_structure(const zilch_model *model);
/* 2 dim x 2 dim: the latent correlations, and the observed ones (Pearson's, of the
 * standardised values and the indicators) that the fit saw: NULL if not fitted. Both are NULL unless the
 * structure is full. */
ZILCH_API const double *zilch_model_correlation(const zilch_model *model);
ZILCH_API const double *zilch_model_observed(const zilch_model *model);
/* Factors of a low-rank law, as many as were found worth having, and their loadings (rank x 2 dim); 0 and
 * NULL of the other structures. */
ZILCH_API size_t zilch_model_rank(const zilch_model *model);
ZILCH_API const double *zilch_model_loadings(const zilch_model *model);
/* One latent correlation of any structure, i and j from 0 to 2 dim - 1; NaN beyond. */
ZILCH_API double zilch_model_correlation_at(const zilch_model *model, size_t i, size_t j);

typedef struct zilch_fit_report {
    zilch_structure structure; /* only full has inverter, projection, moved and pull */
    zilch_inverter inverter;
    zilch_shrinkage shrinkage;
    zilch_projection projection;
    double rows;  /* what the data were worth: (sum w)^2 / sum w^2, the row count without weights */
    double moved; /* Frobenius distance from the inverted (and shrunk) matrix to its projection */
    double pull;  /* all but clip: share of the identity mixed in at the end */
} zilch_fit_report;

/* How the model was fitted; ESTATE if it was not. */
ZILCH_MUST_CHECK ZILCH_API zilch_status zilch_model_report(const zilch_model *model, zilch_fit_report *out);

/* Buffers are the primitive (files, database blobs and messages use them). Call
 * pack with buffer NULL to learn *length. The format is little-endian, versioned
 * and checksummed; unpack trusts nothing in it. */
ZILCH_MUST_CHECK ZILCH_API zilch_status zilch_model_pack(const zilch_model *model, void *buffer,
                                                         size_t capacity, size_t *length);
ZILCH_MUST_CHECK ZILCH_API zilch_status zilch_model_unpack(zilch_model **out, const void *buffer,
                                                           size_t length);
ZILCH_MUST_CHECK ZILCH_API zilch_status zilch_model_save(const zilch_model *model, const char *path);
ZILCH_MUST_CHECK ZILCH_API zilch_status zilch_model_load(zilch_model **out, const char *path);

/* ---- Training networks ------------------------------------------------------- */

/* Examples: pairs whose latent correlations are known. The latent ones are points of a
 * dense grid over [-1, 1]^4 that are positive semidefinite, (p_i, p_j) points of a grid that
 * is denser near 0 and 1. The observed correlations are the exact ones, if asked for
 * with the noise that a sample of so many rows would have, or those of a simulated sample. */
#define ZILCH_LABELS_LIST(X) \
    X(LABELS_EXACT, "exact") \
    X(LABELS_SIMULATED, "simulated")

#define X(name, text) ZILCH_##name,
typedef enum zilch_labels { ZILCH_LABELS_LIST(X) } zilch_labels;
#undef X

ZILCH_API const char *zilch_labels_name(zilch_labels labels);
ZILCH_MUST_CHECK ZILCH_API zilch_status zilch_labels_parse(const char *name, zilch_labels *out);

typedef struct zilch_examples_options {
    size_t size;         /* set by zilch_examples_defaults() */
    zilch_labels labels; /* exact */
    uint64_t count;      /* 200,000, at least 5: four fifths train, the rest validate */
    uint64_t rows;       /* of the sample; 0, the default: none for exact, 100,000 for simulated */
    uint64_t seed;       /* 1 */
} zilch_examples_options;

ZILCH_API zilch_examples_options zilch_examples_defaults(void);

typedef struct zilch_examples zilch_examples;

/* Called now and then, from any thread; anything but 0 stops the work: ESTOPPED. */
typedef int (*zilch_watcher)(void *context, size_t done, size_t total);

/* Makes them, on `threads` threads (0: one for each processor), which change nothing in the
 * result. `watch` may be NULL. */
ZILCH_MUST_CHECK ZILCH_API zilch_status zilch_examples_create(zilch_examples **out,
                                                              const zilch_examples_options *options,
                                                              unsigned threads, zilch_watcher watch,
                                                              void *context);
ZILCH_API void zilch_examples_destroy(zilch_examples *examples);

typedef struct zilch_training_options {
    size_t size;       /* set by zilch_training_defaults() */
    size_t units;      /* 32 in each of two layers; a multiple of 8, at most 128 */
    uint64_t epochs;   /* mm 1200, vm 250, vv 250 */
    uint64_t batch;    /* 128 */
    double rate;       /* 1e-3, Adam's */
    double final_rate; /* 1e-3; the rate falls to it along half a cosine */
    uint64_t seed;     /* 1; of the first weights and of the order of the examples */
} zilch_training_options;

ZILCH_API zilch_training_options zilch_training_defaults(zilch_block block); /* as published */

typedef struct zilch_training_report {
    uint64_t epoch;        /* how many are done */
    double training_error; /* mean squared error over the last epoch, while it went on; 0 before the first */
    double validation_error; /* mean squared error on the other examples, now */
} zilch_training_report;

typedef struct zilch_trainer zilch_trainer;

/* Trains one block's network. Copies what it needs of the examples. */
ZILCH_MUST_CHECK ZILCH_API zilch_status zilch_trainer_create(zilch_trainer **out, zilch_block block,
                                                             const zilch_examples *examples,
                                                             const zilch_training_options *options);
ZILCH_API void zilch_trainer_destroy(zilch_trainer *trainer);

/* One epoch: every training example once, in random order. ENUMERIC if the error is not
 * finite any more; ESTATE when all epochs are done. */
ZILCH_MUST_CHECK ZILCH_API zilch_status zilch_trainer_epoch(zilch_trainer *trainer);
ZILCH_API zilch_training_report zilch_trainer_report(const zilch_trainer *trainer);

/* The state of a training as bytes, and back into a trainer that was created with the same
 * block, examples and options (EARG if not): it goes on as if it had not been interrupted. */
ZILCH_MUST_CHECK ZILCH_API zilch_status zilch_trainer_pack(const zilch_trainer *trainer, void *buffer,
                                                           size_t capacity, size_t *length);
ZILCH_MUST_CHECK ZILCH_API zilch_status zilch_trainer_restore(zilch_trainer *trainer, const void *buffer,
                                                              size_t length);
ZILCH_MUST_CHECK ZILCH_API zilch_status zilch_trainer_save(const zilch_trainer *trainer, const char *path);
ZILCH_MUST_CHECK ZILCH_API zilch_status zilch_trainer_load(zilch_trainer *trainer, const char *path);
/* Whether the state in a file is of such a training, before the examples are made: EARG if not. */
ZILCH_MUST_CHECK ZILCH_API zilch_status zilch_trainer_check(const char *path, zilch_block block,
                                                            const zilch_examples_options *examples,
                                                            const zilch_training_options *options);

/* Puts the trained network among the others, in its block's place. */
ZILCH_MUST_CHECK ZILCH_API zilch_status zilch_networks_put(zilch_networks *networks,
                                                           const zilch_trainer *trainer);

/* How a network was trained. */
typedef struct zilch_training_record {
    zilch_examples_options examples;
    zilch_training_options options;
    zilch_training_report report;
} zilch_training_record;

ZILCH_MUST_CHECK ZILCH_API zilch_status zilch_networks_record(const zilch_networks *networks,
                                                              zilch_block block, zilch_training_record *out);

/* ---- The Lunar Lander --------------------------------------------------------- */

/* Gymnasium's LunarLander-v3, simulated with the same bits: the same seed and the same actions
 * give the same observations, rewards and endings. Many worlds are stepped at once, one in
 * each lane of the processor's registers; what happens in a world does not depend on the others.
 *
 *     zilch_lander *lander;
 *     zilch_lander_create(&lander, 64, NULL);
 *     for (size_t i = 0; i < 64; i++)
 *         zilch_lander_reset(lander, i, first_seed + i);
 *     while (...) {
 *         zilch_policy_act(policy, 64, zilch_lander_observations(lander), actions);
 *         zilch_lander_step(lander, actions);
 *         ... look at rewards and endings; reset the worlds that have ended
 *     }
 */
typedef struct zilch_lander zilch_lander;

enum { ZILCH_LANDER_OBSERVATIONS = 8, ZILCH_LANDER_ACTIONS = 2, ZILCH_LANDER_MOST_STEPS = 1000 };

typedef struct zilch_lander_options {
    size_t size;             /* set by zilch_lander_defaults() */
    double gravity;          /* -10; from -12 to 0, the ends excluded */
    int wind;                /* 0; 1: with wind and turbulence */
    double wind_power;       /* 15, from 0 to 20 */
    double turbulence_power; /* 1.5, from 0 to 2 */
    unsigned most_steps;     /* 1000; an episode that is longer is truncated */
    unsigned lanes;          /* 0: the widest this processor has; 1: one world after the other, by plain code;
                                4, 8 or 16. The bits are the same. */
} zilch_lander_options;

ZILCH_API zilch_lander_options zilch_lander_defaults(void);

/* How a world stands. */
#define ZILCH_LANDING_LIST(X)     \
    X(LANDING_FLYING, "flying")   \
    X(LANDING_LANDED, "landed")   \
    X(LANDING_CRASHED, "crashed") \
    X(LANDING_OUT, "out")         \
    X(LANDING_TRUNCATED, "truncated")

#define X(name, text) ZILCH_##name,
typedef enum zilch_landing { ZILCH_LANDING_LIST(X) } zilch_landing;
#undef X
ZILCH_API const char *zilch_landing_name(zilch_landing landing);
ZILCH_MUST_CHECK ZILCH_API zilch_status zilch_landing_parse(const char *name, zilch_landing *out);

/* `worlds` worlds, all of them to be reset before the first step. This allocates all they need. */
ZILCH_MUST_CHECK ZILCH_API zilch_status zilch_lander_create(zilch_lander **out, size_t worlds,
                                                            const zilch_lander_options *options);
ZILCH_API void zilch_lander_destroy(zilch_lander *lander);

/* World number `world` begins anew, as Gymnasium's reset(seed=seed) does. */
ZILCH_MUST_CHECK ZILCH_API zilch_status zilch_lander_reset(zilch_lander *lander, size_t world, uint64_t seed);

/* It begins anew and goes on in its random numbers, as Gymnasium's reset() without a seed does. ESTATE if it
 * was never reset. */
ZILCH_MUST_CHECK ZILCH_API zilch_status zilch_lander_again(zilch_lander *lander, size_t world);

/* One step of every world that has not ended; the others stay as they are, with their last reward. `actions`
 * (worlds x 2): main engine, off up to 0 and then from half to full thrust at 1; side engines, -1 to -0.5
 * left, 0.5 to 1 right. What is beyond -1 or 1 is cut off; NaN is EARG, and then no world moves. */
ZILCH_MUST_CHECK ZILCH_API zilch_status zilch_lander_step(zilch_lander *lander, const double *actions);

/* Gymnasium's discrete actions 0 to 3 (nothing, left, main, right) as these two. */
ZILCH_MUST_CHECK ZILCH_API zilch_status zilch_lander_discrete(unsigned action, double out[2]);

/* What the last step, or the reset, gave; the arrays belong to the lander. */
ZILCH_API size_t zilch_lander_worlds(const zilch_lander *lander);
ZILCH_API const float *zilch_lander_observations(const zilch_lander *lander); /* worlds x 8 */
ZILCH_API const double *zilch_lander_rewards(const zilch_lander *lander);     /* worlds */
ZILCH_API const unsigned char *zilch_lander_terminated(const zilch_lander *lander);
ZILCH_API const unsigned char *zilch_lander_truncated(const zilch_lander *lander);

/* A world to look at: lengths in metres, angles in radians, the pad between x = 8 and 12. */
typedef struct zilch_lander_view {
    zilch_landing landing;
    unsigned steps;
    double x[3], y[3], angle[3]; /* of the lander and its legs: where their drawings' origins are */
    int leg_touches[2];
    double main_power, side_power; /* of the last step's engines; side_power < 0 pushes left */
    double ground[11];             /* heights at x = 0, 2, .. 20 */
    double helipad;                /* height of the flags */
} zilch_lander_view;

ZILCH_MUST_CHECK ZILCH_API zilch_status zilch_lander_look(const zilch_lander *lander, size_t world,
                                                          zilch_lander_view *out);

/* ---- Controllers for it ------------------------------------------------------------ */

/* The sparse quadratic policy: for each engine a bias, 8 linear and 36 quadratic terms of the
 * observation s: b, w_1 .. w_8, u_11, u_12 .. u_18, u_22 .. u_88; first the main engine's 45
 * parameters, then the side engines'. In double precision, acc = b, then acc += w_i s_i in order, then
 * acc += u_ij (s_i s_j) in order, cut off at -1 and 1; a sum whose terms are beyond all bounds is 0. Zeros
 * cost nothing. */
enum { ZILCH_POLICY_TERMS = 45, ZILCH_POLICY_PARAMETERS = 90 };

/* Actions (n x 2) for n observations (n x 8). */
ZILCH_API void zilch_policy_act(const double parameters[ZILCH_POLICY_PARAMETERS], size_t n,
                                const float *observations, double *actions);

/* As formulas, one line for each engine, such as
 *     a_main = -2.5988 y - 1.7162 vy - 0.0226 x l2
 *     a_side = 3.6608 theta
 * in the names x y vx vy theta omega l1 l2. Reading gives the same bits again. `format` writes at
 * most `capacity` bytes, the ending 0 included, and says in *length how many it needs without it. */
ZILCH_MUST_CHECK ZILCH_API zilch_status zilch_policy_format(const double parameters[ZILCH_POLICY_PARAMETERS],
                                                            char *text, size_t capacity, size_t *length);
ZILCH_MUST_CHECK ZILCH_API zilch_status zilch_policy_parse(const char *text,
                                                           double parameters[ZILCH_POLICY_PARAMETERS]);

/* The publication's controller of 13 coefficients, as text for zilch_policy_parse. */
ZILCH_API const char *zilch_policy_published(void);

/* Gymnasium's own heuristic, for n observations. */
ZILCH_API void zilch_lander_heuristic(size_t n, const float *observations, double *actions);

/* ---- Optimiser: ask and tell ---------------------------------------------------- */

/* A search in generations. Each time the best points of all that were ever evaluated, the elites, are
 * chosen; a law is fitted to them; the next population is those elites whose rank is uncertain, evaluated
 * again because values may be noisy, and new points drawn from the law.
 *
 *     zilch_optimizer *search;
 *     if (zilch_optimizer_create(&search, dim, seed, NULL) != ZILCH_OK)
 *         return fail(zilch_last_error());
 *     zilch_limits limits = zilch_limits_defaults();
 *     zilch_optimize(search, objective, context, &limits, NULL, NULL, &reason);
 *     zilch_best(search, x, &record);
 *     zilch_optimizer_destroy(search);
 *
 * or, where the evaluations happen elsewhere,
 *
 *     zilch_ask(search, n, id, x);      any number of points
 *     zilch_tell(search, n, id, value); in any order, any portion, late, or never
 *
 * The run is a function of dim, seed, options and the told values, not of the order in which the values of a
 * generation are told, nor of the numbers asked for at once. */
typedef struct zilch_optimizer zilch_optimizer;

/* What new points are drawn from: the zero-inflated Gaussian; a Gaussian without zeros; a Gaussian over a
 * weight and a threshold for each coordinate, active where the threshold is not negative; or no law:
 * crossover and mutation of elites by hand-made rules. */
#define ZILCH_LAW_LIST(X) \
    X(LAW_ZIG, "zig")     \
    X(LAW_DENSE, "dense") \
    X(LAW_ADHOC, "adhoc") \
    X(LAW_EA, "ea")

#define ZILCH_DIRECTION_LIST(X) \
    X(MINIMIZE, "minimize")     \
    X(MAXIMIZE, "maximize")

/* What a point is worth that was evaluated more than once: its latest value, as published, or the mean. */
#define ZILCH_ARCHIVE_LIST(X)   \
    X(ARCHIVE_LATEST, "latest") \
    X(ARCHIVE_MEAN, "mean")

/* Which elites are evaluated again in the next generation: all, as published; those that noise may have put
 * among the elites, and the best; or none. */
#define ZILCH_AGAIN_LIST(X)         \
    X(AGAIN_ALL, "all")             \
    X(AGAIN_UNCERTAIN, "uncertain") \
    X(AGAIN_NONE, "none")

/* What an elite counts for in the refit: all the same, as published; or by its rank r of K, as K + 1 - r, or
 * as log(K + 1/2) - log(r) (Hansen and Ostermeier 2001). */
#define ZILCH_WEIGHTING_LIST(X)   \
    X(WEIGHTING_EQUAL, "equal")   \
    X(WEIGHTING_LINEAR, "linear") \
    X(WEIGHTING_LOG, "log")

/* How the values of an active coordinate are distributed: normally, as published; or as those of the elites,
 * through their normal scores (a Gaussian copula: Salinas-Gutierrez et al. 2009). */
#define ZILCH_VALUES_LIST(X)   \
    X(VALUES_NORMAL, "normal") \
    X(VALUES_SCORES, "scores")

/* Whether a coordinate may choose. */
#define ZILCH_FORCED_LIST(X) \
    X(FORCED_NOT, "free")    \
    X(FORCED_ON, "on")       \
    X(FORCED_OFF, "off")

/* Why zilch_optimize() came back. converged: the elites are so close together that a law of theirs is too
 * narrow to compute with. diverged: they are so large that it is too wide. */
#define ZILCH_STOP_LIST(X)             \
    X(STOP_NONE, "not stopped")        \
    X(STOP_GENERATIONS, "generations") \
    X(STOP_EVALUATIONS, "evaluations") \
    X(STOP_TARGET, "target")           \
    X(STOP_STAGNATION, "stagnation")   \
    X(STOP_OBSERVER, "observer")       \
    X(STOP_CONVERGED, "converged")     \
    X(STOP_DIVERGED, "diverged")

#define X(name, text) ZILCH_##name,
typedef enum zilch_law { ZILCH_LAW_LIST(X) } zilch_law;
typedef enum zilch_direction { ZILCH_DIRECTION_LIST(X) } zilch_direction;
typedef enum zilch_archive { ZILCH_ARCHIVE_LIST(X) } zilch_archive;
typedef enum zilch_again { ZILCH_AGAIN_LIST(X) } zilch_again;
typedef enum zilch_weighting { ZILCH_WEIGHTING_LIST(X) } zilch_weighting;
typedef enum zilch_values { ZILCH_VALUES_LIST(X) } zilch_values;
typedef enum zilch_forced { ZILCH_FORCED_LIST(X) } zilch_forced;
typedef enum zilch_stop { ZILCH_STOP_LIST(X) } zilch_stop;
#undef X

ZILCH_API const char *zilch_law_name(zilch_law law);
ZILCH_API const char *zilch_direction_name(zilch_direction direction);
ZILCH_API const char *zilch_archive_name(zilch_archive archive);
ZILCH_API const char *zilch_again_name(zilch_again again);
ZILCH_API const char *zilch_weighting_name(zilch_weighting weighting);
ZILCH_API const char *zilch_values_name(zilch_values values);
ZILCH_API const char *zilch_forced_name(zilch_forced forced);
ZILCH_API const char *zilch_stop_name(zilch_stop stop);
ZILCH_MUST_CHECK ZILCH_API zilch_status zilch_law_parse(const char *name, zilch_law *out);
ZILCH_MUST_CHECK ZILCH_API zilch_status zilch_direction_parse(const char *name, zilch_direction *out);
ZILCH_MUST_CHECK ZILCH_API zilch_status zilch_archive_parse(const char *name, zilch_archive *out);
ZILCH_MUST_CHECK ZILCH_API zilch_status zilch_again_parse(const char *name, zilch_again *out);
ZILCH_MUST_CHECK ZILCH_API zilch_status zilch_weighting_parse(const char *name, zilch_weighting *out);
ZILCH_MUST_CHECK ZILCH_API zilch_status zilch_values_parse(const char *name, zilch_values *out);
ZILCH_MUST_CHECK ZILCH_API zilch_status zilch_forced_parse(const char *name, zilch_forced *out);
ZILCH_MUST_CHECK ZILCH_API zilch_status zilch_stop_parse(const char *name, zilch_stop *out);

/* How the zig law learns from one generation to the next: parts that can be combined, each of them off at 0.
 * All off, it is the publication's: fitted to the elites from scratch every time. A prior pulls what the
 * elites show to what the law had last, with the weight of so many elites. A coordinate that no elite has
 * active keeps its last values. docs/search.md has what each part is for. */
typedef struct zilch_refit {
    double prior_p, prior_mu, prior_sigma; /* 0, 0, 5; with a prior, sigma^2 is divided by n - 1 */
    double prior_correlation;  /* 0; the elites that count against it are those that have both active */
    zilch_weighting weighting; /* linear */
    zilch_values values;       /* normal */
    double margin; /* 0.5; every p stays in [e, 1 - e], e = margin / dim, at most 0.1: so many coordinates of
                      a new point are expected to differ from what all elites agree on */
    double shift;  /* 0.25; share of new points moved on by twice the last step of mu (anticipated mean shift,
                      Bosman, Grahl and Thierens 2008) */
    double copied; /* 0.02; share of new points whose active values are elites', each from another one (gene
                      pool recombination, Muehlenbein and Voigt 1996) */
    double redrawn; /* 0.05; share of new points with one active value from the first law: the way out of a
                       local optimum when the law has become narrow (random immigrants, Grefenstette 1992) */
    double timid;   /* 0.5; share of the other points in which a coordinate that the elites have given up
                       comes back as small as the law has become narrow since */
    int is_widened; /* 1; sigma grows while improvements come from far outside (variance control, by the
                       same), and then shrinks back */
} zilch_refit;

typedef struct zilch_optimizer_options {
    size_t size;               /* set by zilch_optimizer_defaults() */
    zilch_law law;             /* zig */
    zilch_direction direction; /* minimize */
    zilch_archive archive;     /* latest */
    zilch_again again;         /* uncertain */
    size_t population;         /* 500 points a generation */
    size_t elites;             /* 0: a fifth of them; points the law is fitted to, at least 2, not all */
    double share;              /* 1; a generation closes when this share of the population is back */
    double price;              /* 0; of each active coordinate: what its value must improve the rest by */
    double initial_p;          /* 0.5; the first points: share of active coordinates, */
    double initial_mu;         /* 0; their mean */
    double initial_sigma;      /* 2; and their deviation */
    double initial_spread; /* 0.1; correlation of their masks: above 0 some points are dense and some sparse,
                              at 0.5 every number of active coordinates is as likely as any other */
    size_t remember;  /* 0: all; how many of the best points the archive keeps the coordinates of, at least
                         `elites`; of the others only what they are worth. One of these that comes
                              again counts as another point */
    uint64_t restart; /* 0: never; begin anew after so many generations without a new best, or when the law
                         has become too narrow or too wide to go on */
    zilch_model_options model; /* how the zig law is fitted: exact, fisher, clip */
    zilch_refit refit;         /* and what it keeps */

    /* Limits on what a point may be. A new point that breaks them is mended: coordinates are switched with
     * the frequencies that the elites show, a value out of bounds is drawn anew and, if that does not
     * help, cut off. Arrays of dim entries, or NULL. Zero is always allowed where a coordinate is
     * not forced on, whatever its bounds. */
    size_t active_least, active_most; /* 0, 0: how many coordinates are active; most 0: any number */
    const zilch_forced *forced;       /* NULL: all are free */
    const size_t *group;         /* NULL; coordinates of one number > 0 are active together or not at all */
    const double *lower, *upper; /* NULL: no bounds; -INFINITY and INFINITY are none */
} zilch_optimizer_options;

ZILCH_API zilch_optimizer_options zilch_optimizer_defaults(void);

ZILCH_MUST_CHECK ZILCH_API zilch_status zilch_optimizer_create(zilch_optimizer **out, size_t dim,
                                                               uint64_t seed,
                                                               const zilch_optimizer_options *options);
ZILCH_API void zilch_optimizer_destroy(zilch_optimizer *optimizer);

/* Points to evaluate: n ids and n x dim coordinates. First the population of the generation; who asks for
 * more than that gets more points of the same law. Where zilch_optimize() would end because the search has
 * converged or diverged, ask begins anew instead, as `restart` does: the archive is kept, and
 * zilch_progress.restarts grows. */
ZILCH_MUST_CHECK ZILCH_API zilch_status zilch_ask(zilch_optimizer *optimizer, size_t n, uint64_t *id,
                                                  double *x);

/* Values of points that were asked for, each id once. A value that is not finite is a failed evaluation:
 * counted, ranked last, never fitted. An unknown id, or one told before, is EARG, and then none of the n is
 * taken. When enough are back (`share`), the generation closes; what comes later counts in the
 * next. Of points that never come back as many as four populations are remembered; older ids are unknown
 * then. If it cannot close for want of memory, the values are taken all the same, and zilch_advance() tries
 * again. If not one evaluation of a generation succeeded: EOBJECTIVE, the failures are counted, and the next
 * ask begins the generation again, with the same points. */
ZILCH_MUST_CHECK ZILCH_API zilch_status zilch_tell(zilch_optimizer *optimizer, size_t n, const uint64_t *id,
                                                   const double *value);

/* The same, with the standard error of each value (NULL, or NaN where it is not known). In an archive of
 * means a value then counts by 1 / error^2, one without an error as much as the first that had one; and what
 * is known of the noise is known from the beginning. */
ZILCH_MUST_CHECK ZILCH_API zilch_status zilch_tell_error(zilch_optimizer *optimizer, size_t n,
                                                         const uint64_t *id, const double *value,
                                                         const double *error);

/* A point that was not asked for, and its value: a warm start. Its id is 2^62 or more. Must keep the limits
 * on points. As many as there are elites, told before the first ask, and the first population is drawn from a
 * law fitted to them.
 */
ZILCH_MUST_CHECK ZILCH_API zilch_status zilch_tell_point(zilch_optimizer *optimizer, const double *x,
                                                         double value);

/* Closes the generation with what is back; nothing happens if nothing is. Before the first ask, takes the
 * points that were told into the archive. */
ZILCH_MUST_CHECK ZILCH_API zilch_status zilch_advance(zilch_optimizer *optimizer);

typedef struct zilch_progress {
    uint64_t generations; /* closed */
    uint64_t evaluations; /* told, foreign points and failures among them */
    uint64_t failures;
    uint64_t foreign;  /* of the evaluations, those of points that were not asked for */
    uint64_t points;   /* different ones evaluated */
    uint64_t improved; /* the generation that last improved the best fitness ever seen; 0: none yet */
    uint64_t restarts; /* how often the search began anew */
    size_t waiting;    /* points asked for and not yet told, of this generation */
    double noise;      /* standard deviation of one evaluation of a good point, from those that came again
                          lately, or from the errors told; NaN: not known */
    double scale;      /* of the zig law's sigma: above 1 while it is widened */
    /* The best of the archive, which takes values when a generation closes, and what was told late or
     * beside it when the next one opens; NaN before there is one. */
    double best_value, best_fitness; /* as the objective gave it, and with the price */
    size_t best_active;
} zilch_progress;

ZILCH_API zilch_progress zilch_optimizer_progress(const zilch_optimizer *optimizer);
ZILCH_API size_t zilch_optimizer_dim(const zilch_optimizer *optimizer);
ZILCH_API uint64_t zilch_optimizer_seed(const zilch_optimizer *optimizer);
/* What it was created with; the arrays and networks belong to the optimiser. */
ZILCH_API const zilch_optimizer_options *zilch_optimizer_settings(const zilch_optimizer *optimizer);

/* The archive: every point that was ever evaluated, in the order of their first values. */
typedef struct zilch_record {
    uint64_t point;        /* its number, from 0 */
    double value, fitness; /* latest or mean; NaN if it failed */
    size_t active;
    uint64_t evaluations, failures;
} zilch_record;

/* One of progress.points; x (dim) may be NULL. ESTATE if its coordinates were forgotten (`remember`). */
ZILCH_MUST_CHECK ZILCH_API zilch_status zilch_archive_read(const zilch_optimizer *optimizer, uint64_t point,
                                                           double *x, zilch_record *out);

/* The point of the best fitness that is on record, as published: with noise, the luckiest. ESTATE if
 * none has succeeded. Any of x (dim) and out may be NULL. */
ZILCH_MUST_CHECK ZILCH_API zilch_status zilch_best(const zilch_optimizer *optimizer, double *x,
                                                   zilch_record *out);

/* The best points, best first: at most `capacity`, how many in *count. */
ZILCH_MUST_CHECK ZILCH_API zilch_status zilch_top(const zilch_optimizer *optimizer, size_t capacity,
                                                  zilch_record *out, size_t *count);

/* The front of active count and value: points whose value is better than that of every sparser one, from the
 * sparsest on, of those that are remembered. At most `capacity` of them; dim + 1 is always enough. */
ZILCH_MUST_CHECK ZILCH_API zilch_status zilch_front(const zilch_optimizer *optimizer, size_t capacity,
                                                    zilch_record *out, size_t *count);

/* The law zig as it is fitted to the best on record, as for the next generation: a new model, to be
 * destroyed. ESTATE of another law, or while the first points are still drawn from the options. */
ZILCH_MUST_CHECK ZILCH_API zilch_status zilch_optimizer_model(const zilch_optimizer *optimizer,
                                                              zilch_model **out);

/* The whole state as bytes and files: unpacked, it goes on as if it had not been interrupted. */
ZILCH_MUST_CHECK ZILCH_API zilch_status zilch_optimizer_pack(const zilch_optimizer *optimizer, void *buffer,
                                                             size_t capacity, size_t *length);
ZILCH_MUST_CHECK ZILCH_API zilch_status zilch_optimizer_unpack(zilch_optimizer **out, const void *buffer,
                                                               size_t length);
ZILCH_MUST_CHECK ZILCH_API zilch_status zilch_optimizer_save(const zilch_optimizer *optimizer,
                                                             const char *path);
ZILCH_MUST_CHECK ZILCH_API zilch_status zilch_optimizer_load(zilch_optimizer **out, const char *path);

/* ---- Or let the library drive --------------------------------------------------------- */

/* Points to evaluate, all in one call, so that the callee may vectorise, thread or distribute them. Noise
 * should follow from the id, or from the generation: then neither threads nor an interruption change a run.
 * In a search all ids are different; after it, in zilch_recommend(), points that are to be compared come with
 * the same ids, and so meet the same noise. */
typedef struct zilch_batch {
    size_t n, dim;
    uint64_t generation; /* from 0; UINT64_MAX in zilch_recommend() */
    const uint64_t *id;  /* n */
    const double *x;     /* n x dim */
    double *error;       /* n, or NULL: nobody asks; for the standard error of each value, where it is known:
                            they are NaN, not known, and may be written like the values */
} zilch_batch;

/* Writes n values; not finite: that evaluation failed. A status other than ZILCH_OK ends the run with it. */
typedef zilch_status (*zilch_objective)(void *context, const zilch_batch *batch, double *value);

/* Called after each generation. ESTOPPED ends the run in good order; another status but OK is its failure. */
typedef zilch_status (*zilch_observer)(void *context, const zilch_optimizer *optimizer);

/* Counted over the optimiser's life, so that a resumed run ends where it would have. */
typedef struct zilch_limits {
    size_t size;          /* set by zilch_limits_defaults() */
    uint64_t generations; /* 100; 0: no limit */
    uint64_t evaluations; /* 0: no limit; of points asked for; the last generation is cut short to keep it */
    double target;        /* NaN: none; the best point's value, not its fitness */
    uint64_t stagnation;  /* 0: no limit; generations without a new best fitness */
    double over_ask;      /* 0; share of points asked for beyond the population, against stragglers */
} zilch_limits;

ZILCH_API zilch_limits zilch_limits_defaults(void);

/* Which limit is met, if any: for those who ask and tell by themselves. */
ZILCH_MUST_CHECK ZILCH_API zilch_status zilch_limits_reached(const zilch_limits *limits,
                                                             const zilch_optimizer *optimizer,
                                                             zilch_stop *reason);

/* Runs until a limit is met; which one, goes to *reason (may be NULL). A search that has converged or
 * diverged ends too, unless `restart` lets it begin anew. Any failure leaves the optimiser as it was after
 * the last generation that closed, and the points of the one begun are asked again. */
ZILCH_MUST_CHECK ZILCH_API zilch_status zilch_optimize(zilch_optimizer *optimizer, zilch_objective objective,
                                                       void *context, const zilch_limits *limits,
                                                       zilch_observer observer, void *observer_context,
                                                       zilch_stop *reason);

/* The best supported point, not the luckiest: the best of the archive are evaluated again, each round the
 * better half is kept and evaluated more often (successive halving). */
typedef struct zilch_recommend_options {
    size_t size;          /* set by zilch_recommend_defaults() */
    size_t shortlist;     /* 20 points */
    uint64_t evaluations; /* 500, for all of it; at least as many as the shortlist is long */
    int prune;            /* 1; then try without each coefficient, the smallest first, and leave out what is
                             not missed, all on the same noise; half of the evaluations are kept for this */
} zilch_recommend_options;

ZILCH_API zilch_recommend_options zilch_recommend_defaults(void);

typedef struct zilch_recommendation {
    uint64_t point;       /* in the archive, before pruning */
    double mean;          /* value, of the fresh evaluations alone */
    double deviation;     /* of one such evaluation; 0: the objective is not noisy; NaN: there was but one */
    double fitness;       /* mean with the price */
    uint64_t evaluations; /* behind the mean; mean's standard error is deviation / sqrt of this */
    uint64_t failures;    /* beside them; a point with fewer is preferred to any with more */
    uint64_t spent;       /* evaluations in all */
    size_t active, pruned;
} zilch_recommendation;

/* x (dim) gets the point. The optimiser is not changed: asked again, it gives the same. */
ZILCH_MUST_CHECK ZILCH_API zilch_status zilch_recommend(const zilch_optimizer *optimizer,
                                                        zilch_objective objective, void *context,
                                                        const zilch_recommend_options *options, double *x,
                                                        zilch_recommendation *out);

/* Threads: an objective around an objective. `inner` is called with parts of a batch, on several threads at
 * once; what it gives for a point must not depend on the others. threads 0: one for each processor. */
typedef struct zilch_pool {
    unsigned threads;
    zilch_objective inner;
    void *context;
} zilch_pool;
ZILCH_API zilch_status zilch_pool_objective(void *pool, const zilch_batch *batch, double *value);

/* ---- External programs ---------------------------------------------------------------- */

/* An objective in another language: a program reads points from its standard input and writes values to its
 * standard output, a line each (docs/programs.md). It goes on from point to point, or is started anew for
 * each. When it crashes, hangs or talks nonsense, that evaluation has failed, and it is started again. With
 * the handle, or with this process, whatever happens to it, end all programs and what they have started. */
typedef struct zilch_program zilch_program;

/* json: {"id":7,"x":[0,1.5]}; sparse: {"id":7,"active":{"1":1.5}}, coordinates counted from 0; answered by
 * {"id":7,"value":3.25}, with "sigma", its standard error, where that is known, or with "error", a text, in
 * place of a value that there is not. plain: 0 1.5, answered by 3.25. */
#define ZILCH_PROTOCOL_LIST(X)   \
    X(PROTOCOL_JSON, "json")     \
    X(PROTOCOL_SPARSE, "sparse") \
    X(PROTOCOL_PLAIN, "plain")

#define X(name, text) ZILCH_##name,
typedef enum zilch_protocol { ZILCH_PROTOCOL_LIST(X) } zilch_protocol;
#undef X
ZILCH_API const char *zilch_protocol_name(zilch_protocol protocol);
ZILCH_MUST_CHECK ZILCH_API zilch_status zilch_protocol_parse(const char *name, zilch_protocol *out);

/* An evaluation that failed, in words. */
typedef struct zilch_failure {
    uint64_t generation; /* from 1; 0: after the search */
    uint64_t id;
    const char *reason;
    const char *output; /* the end of what the program wrote to its standard error since its last answer */
} zilch_failure;
typedef zilch_status (*zilch_failure_reader)(void *context, const zilch_failure *failure);

typedef struct zilch_program_options {
    size_t size;             /* set by zilch_program_defaults() */
    size_t jobs;             /* 1; programs side by side; 0: one for each processor */
    size_t ahead;            /* 1; points that a program is given before it has answered the first */
    zilch_protocol protocol; /* json */
    int is_once;             /* 0; 1: started for each point, whose value must be its only line */
    double timeout;          /* 0: none; seconds that an evaluation may take */
    uint64_t most_failures;  /* 100; after so many in a row the objective gives up: EOBJECTIVE; 0: never */
    zilch_failure_reader failure; /* NULL; told of every failure; a status but OK ends the evaluations */
    void *failure_context;
    zilch_watcher watcher; /* NULL; called after every evaluation, and after a signal; other than 0 stops */
    void *watcher_context;
} zilch_program_options;

ZILCH_API zilch_program_options zilch_program_defaults(void);

/* The program and its arguments; NULL ends them. No shell is between: what looks special to one is an
 * argument like any other. One program is started at once: EIO if that cannot be. */
ZILCH_MUST_CHECK ZILCH_API zilch_status zilch_program_open(zilch_program **out, const char *const *words,
                                                           const zilch_program_options *options);
ZILCH_API void zilch_program_close(zilch_program *program);

/* The objective; the program is its context. One call at a time. */
ZILCH_API zilch_status zilch_program_objective(void *program, const zilch_batch *batch, double *value);

/* How often a program was started: `jobs` times, and again after each failure. */
ZILCH_API uint64_t zilch_program_starts(const zilch_program *program);

/* ---- Problems ------------------------------------------------------------------------- */

/* Objectives to try the search on. A problem is named with its settings: "smop1:dim=100",
 * "lander:episodes=32".
 *   lander     the quadratic policy's 90 parameters; mean return of `episodes` (8) landings, on seeds fresh
 *              for each evaluation or, with seeds=common, the same for a generation; maximised. gravity,
 *              wind, wind_power and turbulence_power as in zilch_lander_options.
 *   sphere     dim (100) coordinates; the first `active` (10) have their optimum at 1, the others at 0;
 *              `noise` (0) is the deviation of what is added to each value
 *   smop1..8   Tian, Zhang, Wang and Jin's sparse problems in single-objective form; dim (100), a tenth
 *              active
 *   ellipsoid  a rotated ellipsoid of condition 1,000 on the first `active` (0: a tenth; up to 1,000) of dim
 *              (100) coordinates, the others at a price of 0.1 each; active=dim: dense
 *   rosenbrock Rosenbrock's bent valley through the first `active` (0: a tenth; at least 2) of dim (100)
 *              coordinates, with their optimum at 1, the others' at 0; active=dim: dense
 * Minimised, unless said otherwise. */
#define ZILCH_PROBLEM_LIST(X)                                                           \
    X(lander, "land Gymnasium's Lunar Lander with a quadratic policy of 90 parameters") \
    X(sphere, "sum of squares around a sparse optimum, with noise if asked for")        \
    X(smop1, "easy on the support, multimodal off it")                                  \
    X(smop2, "multimodal on the support, deceptive off it")                             \
    X(smop3, "blocks of ten that must be switched off together")                        \
    X(smop4, "any tenth of the coordinates may stay active")                            \
    X(smop5, "exactly a tenth active, each at pi/3")                                    \
    X(smop6, "the tenth that fits best stays active")                                   \
    X(smop7, "zeros that depend on their neighbours")                                   \
    X(smop8, "values and zeros that depend on their neighbours")                        \
    X(ellipsoid, "a rotated, ill-conditioned ellipsoid on a tenth of the coordinates")  \
    X(rosenbrock, "a narrow, bent valley through a tenth of the coordinates")

typedef struct zilch_problem zilch_problem;

/* `seed` gives the problem's noise and, in ellipsoid, its rotation. */
ZILCH_MUST_CHECK ZILCH_API zilch_status zilch_problem_open(zilch_problem **out, const char *name,
                                                           uint64_t seed);
ZILCH_API void zilch_problem_close(zilch_problem *problem);

/* Sparse regression on the caller's data: a coordinate for each column of x (rows x cols), which is
 * standardised; an intercept is always there. */
#define ZILCH_REGRESSION_LIST(X)   \
    X(REGRESSION_LINEAR, "linear") \
    X(REGRESSION_LOGISTIC, "logistic")

/* subset: a point's zeros choose columns, their coefficients are fitted to the training rows, and the value
 * is the error on the validation rows; the values are bound to 1. coefficients: a point's coordinates are the
 * coefficients of the standardised columns, and the value is the error on the training rows, the intercept
 * the best for them. */
#define ZILCH_SEARCHED_LIST(X)   \
    X(SEARCHED_SUBSET, "subset") \
    X(SEARCHED_COEFFICIENTS, "coefficients")

#define X(name, text) ZILCH_##name,
typedef enum zilch_regression { ZILCH_REGRESSION_LIST(X) } zilch_regression;
typedef enum zilch_searched { ZILCH_SEARCHED_LIST(X) } zilch_searched;
#undef X
ZILCH_API const char *zilch_regression_name(zilch_regression regression);
ZILCH_API const char *zilch_searched_name(zilch_searched searched);
ZILCH_MUST_CHECK ZILCH_API zilch_status zilch_regression_parse(const char *name, zilch_regression *out);
ZILCH_MUST_CHECK ZILCH_API zilch_status zilch_searched_parse(const char *name, zilch_searched *out);

typedef struct zilch_regression_options {
    size_t size;             /* set by zilch_regression_defaults() */
    zilch_regression kind;   /* linear: mean squared error; logistic: mean log loss, y is 0 or 1 */
    zilch_searched searched; /* subset */
    double validation;       /* 0.3; share of the rows, drawn by the seed, that are held out */
} zilch_regression_options;

ZILCH_API zilch_regression_options zilch_regression_defaults(void);

ZILCH_MUST_CHECK ZILCH_API zilch_status zilch_problem_regression(zilch_problem **out, size_t rows,
                                                                 size_t cols, const double *x,
                                                                 const double *y,
                                                                 const zilch_regression_options *options,
                                                                 uint64_t seed);

/* What a point says as a regression: coefficients in the units of the data (cols), the intercept, and the
 * errors. */
typedef struct zilch_regression_fit {
    double intercept;
    double training_error, validation_error; /* mean squared error, or mean log loss */
    double training_score, validation_score; /* linear: R^2; logistic: share of rows told apart rightly */
} zilch_regression_fit;

/* ESTATE if the problem is no regression. `coefficients` may be NULL. */
ZILCH_MUST_CHECK ZILCH_API zilch_status zilch_problem_fit(const zilch_problem *problem, const double *x,
                                                          double *coefficients, zilch_regression_fit *out);

typedef struct zilch_problem_info {
    const char *name;    /* "smop1"; "linear", "logistic"; the problem's */
    const char *setting; /* what opens it again: "smop1:dim=100", all settings in it; "" of a regression */
    size_t dim;
    zilch_direction direction;
    double lower, upper; /* of every coordinate; -INFINITY, INFINITY: none */
    double price;        /* that suits it */
    int is_noisy;
} zilch_problem_info;

ZILCH_API zilch_problem_info zilch_problem_describe(const zilch_problem *problem);

/* The objective; the problem is its context. Any number of threads at once. */
ZILCH_API zilch_status zilch_problem_objective(void *problem, const zilch_batch *batch, double *value);

/* Share of coordinates that are active or not as in the optimum; where only their number is known, 1 minus
 * the difference of the counts divided by dim. ESTATE where the optimum is not known. */
ZILCH_MUST_CHECK ZILCH_API zilch_status zilch_problem_support(const zilch_problem *problem, const double *x,
                                                              double *share);

/* ---- Studies: runs kept in one SQLite file ------------------------------------------------ */

/* A study survives what happens to the program: each generation is one transaction, with its points, values
 * and what is needed to go on. One process may write while others read. Times come from the caller. */
typedef struct zilch_study zilch_study;

typedef enum zilch_study_mode {
    ZILCH_STUDY_READ,
    ZILCH_STUDY_WRITE, /* one that exists */
    ZILCH_STUDY_CREATE /* or make it */
} zilch_study_mode;

/* EFORMAT if the file is no study, EVERSION if it is of another version, EIO with the reason otherwise. The
 * file may come from somebody else: it is data, and so is what lies beside it. Opening it for reading changes
 * nothing on the disk. It is not opened for writing while it has several names (hard links). */
ZILCH_MUST_CHECK ZILCH_API zilch_status zilch_study_open(zilch_study **out, const char *path,
                                                         zilch_study_mode mode);
ZILCH_API void zilch_study_close(zilch_study *study);

/* Whether the file is no longer at the path where it was opened: it was moved, deleted or replaced by another
 * one. Then nothing more is recorded, and what was recorded last may be in the -wal file beside the old name.
 */
ZILCH_API int zilch_study_is_moved(const zilch_study *study);

/* Texts about a run, kept as they are; NULL is "". */
typedef struct zilch_run_texts {
    const char *name;      /* what the run is called, such as its method in a comparison */
    const char *problem;   /* what was optimised, such as zilch_problem_info.setting */
    const char *arguments; /* what the caller needs to go on, such as the command's arguments */
    const char *machine;   /* where it began */
    const char *started;   /* when */
} zilch_run_texts;

/* A new run of this optimiser; its number, from 1, goes to *run. */
ZILCH_MUST_CHECK ZILCH_API zilch_status zilch_study_start(zilch_study *study, const zilch_run_texts *texts,
                                                          const zilch_optimizer *optimizer, uint64_t *run);

typedef struct zilch_timings {
    double evaluating, searching; /* seconds of this generation, in the objective and outside it */
} zilch_timings;

/* After each generation: all of it, or nothing. ESTATE if the run on file is not one generation behind the
 * optimiser: another process has gone on with it. */
ZILCH_MUST_CHECK ZILCH_API zilch_status zilch_study_record(zilch_study *study, uint64_t run,
                                                           const zilch_optimizer *optimizer,
                                                           const zilch_timings *timings);

/* The optimiser as it was after the last generation recorded. */
ZILCH_MUST_CHECK ZILCH_API zilch_status zilch_study_resume(zilch_study *study, uint64_t run,
                                                           zilch_optimizer **out);

/* For those who evaluate by hand, or through a queue: the generation that is open is in the study too, so
 * that its points may be handed out and its values come back in any order, days apart, by any number of
 * processes at once. The run is the same as with zilch_ask() and zilch_tell().
 *
 * ask: the next points of the generation, at most n of them; as many as are left of the population, unless
 * `is_more`: then n, up to 2^20 beyond the population. *count gets how many; 0: all are out. waiting: those
 * that are out; *count gets their number, even if only the first `capacity` are written.
 * tell: as zilch_tell_error(); when enough are back, the generation is recorded, and *is_closed is 1.
 * advance: it closes with what is back, and the others may come late. If all evaluations failed: EOBJECTIVE,
 * and the same points will be asked again. */
ZILCH_MUST_CHECK ZILCH_API zilch_status zilch_study_ask(zilch_study *study, uint64_t run, size_t n,
                                                        int is_more, uint64_t *id, double *x, size_t *count);
ZILCH_MUST_CHECK ZILCH_API zilch_status zilch_study_waiting(zilch_study *study, uint64_t run, size_t capacity,
                                                            uint64_t *id, double *x, size_t *count);
ZILCH_MUST_CHECK ZILCH_API zilch_status zilch_study_tell(zilch_study *study, uint64_t run, size_t n,
                                                         const uint64_t *id, const double *value,
                                                         const double *error, int *is_closed);
ZILCH_MUST_CHECK ZILCH_API zilch_status zilch_study_advance(zilch_study *study, uint64_t run, int *is_closed);

/* What is said of evaluations that failed is kept; told again, it replaces what was said. */
ZILCH_MUST_CHECK ZILCH_API zilch_status zilch_study_fail(zilch_study *study, uint64_t run, size_t n,
                                                         const zilch_failure *failure);

/* What a run recommends after the last generation recorded, and why it has ended; with STOP_NONE it goes on.
 * May be called again, and is kept for each generation. A run that goes on has not ended. */
typedef struct zilch_conclusion {
    zilch_stop stop;
    int is_recommending; /* the rest says something */
    zilch_recommendation recommendation;
    double held_out_mean, held_out_error; /* of the point on what the search never saw; NaN: not measured */
    uint64_t held_out_count;
} zilch_conclusion;

ZILCH_MUST_CHECK ZILCH_API zilch_status zilch_study_conclude(zilch_study *study, uint64_t run,
                                                             const zilch_conclusion *conclusion,
                                                             const double *x);
/* After the last generation recorded. x (dim) may be NULL. stop is STOP_NONE for a run that has not ended. */
ZILCH_MUST_CHECK ZILCH_API zilch_status zilch_study_conclusion(zilch_study *study, uint64_t run,
                                                               zilch_conclusion *out, double *x);

/* Reading: a function is called for each row; what it is given is valid during the call; a status other than
 * OK ends the reading with it. */
typedef struct zilch_run {
    uint64_t run;
    zilch_run_texts texts;
    const char *version; /* of zilch */
    uint64_t seed;
    size_t dim;
    zilch_law law;
    zilch_direction direction;
    double price;
    uint64_t generations, evaluations, failures; /* recorded */
    zilch_stop stop;
} zilch_run;

typedef struct zilch_generation {
    uint64_t generation;                    /* from 1 */
    uint64_t evaluations, failures, points; /* so far */
    double best_value, best_fitness;        /* NaN: nothing has succeeded */
    size_t best_active;
    uint64_t best_point;
    double noise; /* as in zilch_progress */
    zilch_timings timings;
} zilch_generation;

typedef struct zilch_evaluation {
    uint64_t generation, id, point; /* generation from 1 */
    double value, fitness;          /* of this evaluation; NaN: failed */
    double weight;                  /* in the mean of its point: 1, or by the error told */
    size_t active;
    const double *x; /* dim; NULL if they were forgotten */
} zilch_evaluation;

typedef zilch_status (*zilch_run_reader)(void *context, const zilch_run *run);
typedef zilch_status (*zilch_generation_reader)(void *context, const zilch_generation *generation);
typedef zilch_status (*zilch_evaluation_reader)(void *context, const zilch_evaluation *evaluation);
/* x is NULL if nothing is recommended. */
typedef zilch_status (*zilch_conclusion_reader)(void *context, uint64_t generation,
                                                const zilch_conclusion *conclusion, const double *x);

ZILCH_MUST_CHECK ZILCH_API zilch_status zilch_study_runs(zilch_study *study, zilch_run_reader reader,
                                                         void *context);
ZILCH_MUST_CHECK ZILCH_API zilch_status zilch_study_generations(zilch_study *study, uint64_t run,
                                                                zilch_generation_reader reader,
                                                                void *context);
/* Of one run, in the order of generations, and in each as the archive took them: late and foreign points
 * first, the others by id. */
ZILCH_MUST_CHECK ZILCH_API zilch_status zilch_study_evaluations(zilch_study *study, uint64_t run,
                                                                zilch_evaluation_reader reader,
                                                                void *context);
/* Of one run, by generation and id, those after the search last. */
ZILCH_MUST_CHECK ZILCH_API zilch_status zilch_study_failures(zilch_study *study, uint64_t run,
                                                             zilch_failure_reader reader, void *context);
/* Of one run, by generation. */
ZILCH_MUST_CHECK ZILCH_API zilch_status zilch_study_conclusions(zilch_study *study, uint64_t run,
                                                                zilch_conclusion_reader reader,
                                                                void *context);

/* ---- Files and threads, for programs around the library ---------------------- */

/* Write `path` whole or not at all: `write` fills a stream on a temporary file in
 * the same folder, which is flushed to the disk and renamed over `path`. On any
 * failure `path` is as it was. A path that is no regular file (a pipe, a device)
 * is written directly. The stream's own errors are looked for afterwards: `write`
 * need not check each call. */
typedef zilch_status (*zilch_file_writer)(void *context, FILE *stream);
ZILCH_MUST_CHECK ZILCH_API zilch_status zilch_file_replace(const char *path, zilch_file_writer write,
                                                           void *context);

/* Call job(context, 0) .. job(context, n - 1) on `threads` threads (0: one for each
 * processor), in any order. The first failing job, in index order among those that
 * ran, gives the status and the error text; no further job is started then. */
typedef zilch_status (*zilch_job)(void *context, size_t index);
ZILCH_MUST_CHECK ZILCH_API zilch_status zilch_parallel(unsigned threads, size_t n, zilch_job job,
                                                       void *context);

#ifdef __cplusplus
}
#endif
#endif /* ZILCH_H */
