/* zilch.h - sparse black-box optimisation with a zero-inflated Gaussian.
 *
 * zilch finds points that are good and mostly exact zeros, from function values alone. It draws points from a
 * distribution, keeps the best ones (the elites), fits the distribution to them, and goes on:
 *
 *     zilch_optimizer *optimizer;
 *     zilch_status status = zilch_optimizer_create(&optimizer, dim, seed, NULL);
 *     if (status == ZILCH_OK)
 *         status = zilch_optimizer_run(optimizer, objective, context, NULL, NULL, NULL, NULL);
 *     if (status == ZILCH_OK)
 *         status = zilch_optimizer_best(optimizer, x, NULL);
 *     if (status != ZILCH_OK)
 *         fprintf(stderr, "%s\n", zilch_last_error());
 *     zilch_optimizer_destroy(optimizer);
 *
 * The distribution is a zero-inflated Gaussian. It describes jointly which coordinates are active (not zero)
 * and what their values are: for d coordinates there are 2d standard-normal latent variables (V_1..V_d and
 * M_1..M_d) with one correlation matrix, and
 *
 *     X_i = 0                  if M_i <  tau_i     (inactive, exactly zero)
 *     X_i = mu_i + sigma_i V_i if M_i >= tau_i     (active)
 *
 * You can also fit it to data of your own, and draw new points from it:
 *
 *     zilch_model *model;
 *     zilch_rng rng = zilch_rng_make(seed, 0);
 *     zilch_status status = zilch_model_fit(&model, rows, cols, x, NULL, NULL);
 *     if (status == ZILCH_OK)
 *         status = zilch_model_sample(model, &rng, n, points);
 *     zilch_model_destroy(model);
 *
 * Contract of every function below
 *   status    A function that can fail returns a zilch_status, and its results leave through pointers. On
 *             failure *out is NULL, nothing leaks, and zilch_last_error() says what happened.
 *   memory    Inputs are copied, never kept. You own the output arrays and give them their size. X_destroy
 *             frees what X_create, X_fit, X_load or X_unpack made; it accepts NULL.
 *   threads   Any threads may use different handles. Several threads may use one handle at the same time only
 *             in functions that take it const. No locks guard it.
 *   silence   The library never prints, exits, installs signal handlers, reads the environment or the clock,
 *             or touches global random state.
 *   arrays    Arrays are dense, row-major, of double; a point is one row. An exact 0.0 means "absent", unless
 *             an optimiser has other defaults. -0.0 is read as 0.0. NaN and Inf in a point are rejected.
 *   bits      The same input gives the same bits on one machine with one BLAS thread. BLAS kernels differ
 *             between processors in the last digits. Random numbers are the same bits everywhere.
 */
#ifndef ZILCH_H
#define ZILCH_H

#include <math.h>
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

/* ZILCH_CHECKED begins the declaration of a function that returns a zilch_status. A compiler warns where the
 * caller does not look at it. */
#define ZILCH_CHECKED ZILCH_MUST_CHECK ZILCH_API zilch_status

/* ZILCH_ENUM(inverter, INVERTER) declares the enum zilch_inverter with the values in ZILCH_INVERTER_LIST, and
 * two functions for their names in that list. The first gives NULL if there is no such value, the second EARG
 * if there is no such name:
 *
 *     const char *zilch_inverter_name(zilch_inverter value);
 *     zilch_status zilch_inverter_parse(const char *name, zilch_inverter *out);
 */
#define ZILCH_ENUM(type, LIST)                                                     \
    typedef enum zilch_##type{ZILCH_##LIST##_LIST(ZILCH_ENUM_VALUE)} zilch_##type; \
    ZILCH_API const char *zilch_##type##_name(zilch_##type value);                 \
    ZILCH_CHECKED zilch_##type##_parse(const char *name, zilch_##type *out)
#define ZILCH_ENUM_VALUE(name, text) ZILCH_##name,

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Version and status -------------------------------------------------- */

#define ZILCH_VERSION_MAJOR 0
#define ZILCH_VERSION_MINOR 2
#define ZILCH_VERSION_PATCH 0

/* The version of the linked library, "0.2.0". */
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

#define ZILCH_STATUS_VALUE(name, value, text) ZILCH_##name = (value),
typedef enum zilch_status { ZILCH_STATUS_LIST(ZILCH_STATUS_VALUE) } zilch_status;
#undef ZILCH_STATUS_VALUE

ZILCH_API const char *zilch_status_text(zilch_status status);

/* What failed last in this thread, as one sentence: "fit: row 3, column 7 (counted from 0): the value is not
 * finite". The text is valid until the next zilch call of this thread. It is "" if nothing failed. */
ZILCH_API const char *zilch_last_error(void);

/* The same as data. Fields say where the error is, so that no program needs to read that out of the text, and
 * each program can count and name the place as its users do. */
#define ZILCH_NOWHERE SIZE_MAX

typedef struct zilch_error {
    zilch_status status;
    const char *where;   /* what failed: "fit", or the name of a file; "" if the message says it */
    const char *message; /* what is wrong: "the value is not finite" */
    const char *name;    /* the name of the column or field, if the library knows it; else "" */
    /* These are counted from 0. A field that does not apply is ZILCH_NOWHERE. */
    size_t point;       /* of several points or evaluations that were given */
    size_t row, column; /* of data, or of a matrix */
    size_t coordinate;  /* of a point */
    size_t partner;     /* the second coordinate, if two of them disagree */
    /* These are places in a text, and counted from 1. */
    size_t line, character, field;
} zilch_error;

/* The texts in it are valid until the next zilch call of this thread. */
ZILCH_API zilch_error zilch_last_error_details(void);

/* Writes an error as a sentence of at most `size` bytes with its final '\0'. Rows, columns, points and
 * coordinates are counted from `first`, 0 or 1. `names` are those of the columns or coordinates, or NULL. */
ZILCH_API void zilch_error_format(const zilch_error *error, size_t first, const char *const *names,
                                  char *text, size_t size);

/* Objectives and observers may explain a failure: `return zilch_fail(ZILCH_EOBJECTIVE, "the valve is
 * stuck");` makes the text this thread's last error and returns the status. `text` may be NULL. */
ZILCH_API zilch_status zilch_fail(zilch_status status, const char *text);

/* Replaces malloc and free. Call it before any other function; NULL, NULL restores them. `alloc` must give
 * memory aligned as malloc's is. */
ZILCH_API void zilch_set_allocator(void *(*alloc)(size_t bytes), void (*release)(void *));

/* Sets how many threads the BLAS library may use inside one call, for the whole process. The library itself
 * never changes this number. One thread gives reproducible bits, and is right for a program that runs several
 * fits at once. Threads for which there is no memory are not started.
 *
 * OpenBLAS needs a buffer of 128 megabytes for each thread that is in it. If there is no memory for the
 * first, fits fail with ENOMEM; if there is memory for some, threads wait for each other. OpenBLAS starts
 * threads of its own when it is loaded. Where memory is limited (ulimit -v), set OPENBLAS_NUM_THREADS=1 in
 * the environment of your program; the command does so by itself. */
ZILCH_API void zilch_set_blas_threads(unsigned threads);

/* ---- Random numbers: explicit, small, copyable ---------------------------- */

/* A counter-based stream of random numbers (Philox4x32-10). Two streams of one seed never meet, so a number
 * does not depend on which thread or rank draws it. The struct is plain data: you may copy, compare and store
 * it. Every draw, uniform or normal, advances `counter` by one; adding n to it skips n draws. */
typedef struct zilch_rng {
    uint64_t key, stream, counter;
} zilch_rng;

ZILCH_API zilch_rng zilch_rng_make(uint64_t seed, uint64_t stream);
ZILCH_API double zilch_rng_uniform(zilch_rng *rng); /* in (0, 1) */
ZILCH_API double zilch_rng_normal(zilch_rng *rng);
/* The next n normals: the same numbers as n single calls, many times faster. */
ZILCH_API void zilch_rng_normals(zilch_rng *rng, size_t n, double *out);

/* ---- Attenuation: what masking does to a correlation ----------------------- */

/* These functions give the observed correlations of a pair of coordinates (i, j) from the latent ones. X is
 * the standardised value where the coordinate is active and 0 where it is not, I is the indicator "active",
 * p_i and p_j in [0, 1] are the probabilities of being active, and
 *
 *     rho_v  = corr(V_i, V_j)    rho_m  = corr(M_i, M_j)
 *     rho_ij = corr(M_i, V_j)    rho_ji = corr(M_j, V_i)
 *
 * A correlation with a constant (an indicator of p = 0 or 1, a value of p = 0) is given as 0. Arguments
 * outside their ranges give NaN. The underlying expectations are accurate to about 1e-14. */
ZILCH_API double zilch_attenuate_mm(double p_i, double p_j, double rho_m);                /* corr(I_i, I_j) */
ZILCH_API double zilch_attenuate_vm(double p_i, double p_j, double rho_ji, double rho_m); /* corr(X_i, I_j) */
ZILCH_API double zilch_attenuate_vv(double p_i, double p_j, double rho_v, double rho_ij, double rho_ji,
                                    double rho_m); /* corr(X_i, X_j) */

/* Their inverses are the exact inverter of the fit: they take an observed correlation and give the latent
 * one, clamped into [-1, 1]. Call them in this order and hand each result to the next. The answer is 0 where
 * the two coordinates are active together too rarely for a double to resolve. */
ZILCH_API double zilch_invert_mm(double p_i, double p_j, double corr_ii);
ZILCH_API double zilch_invert_vm(double p_i, double p_j, double corr_xi, double rho_m);
ZILCH_API double zilch_invert_vv(double p_i, double p_j, double corr_xx, double rho_ij, double rho_ji,
                                 double rho_m);

/* ---- Networks: the amortised inverter --------------------------------------- */

/* The published inverter is a small network for each kind of latent correlation: between masks (mm), between
 * a value and a mask (vm), and between values (vv). Its inputs are p_i, p_j and the observed correlations of
 * the pair. The library carries trained networks; you can train others (below), keep them in a file, and give
 * them to a fit. */
#define ZILCH_BLOCK_LIST(X) \
    X(BLOCK_MM, "mm")       \
    X(BLOCK_VM, "vm")       \
    X(BLOCK_VV, "vv")
ZILCH_ENUM(block, BLOCK);

enum { ZILCH_BLOCKS = 3 };

typedef struct zilch_networks zilch_networks;

/* A copy of the networks that the library carries. */
ZILCH_CHECKED zilch_networks_create(zilch_networks **out);
ZILCH_API void zilch_networks_destroy(zilch_networks *networks);

/* Networks as bytes and as files, as for models below. */
ZILCH_CHECKED zilch_networks_pack(const zilch_networks *networks, void *buffer, size_t capacity,
                                  size_t *length);
ZILCH_CHECKED zilch_networks_unpack(zilch_networks **out, const void *buffer, size_t length);
ZILCH_CHECKED zilch_networks_save(const zilch_networks *networks, const char *path);
ZILCH_CHECKED zilch_networks_load(zilch_networks **out, const char *path);

/* ---- Model: fit, sample, save, load --------------------------------------- */

typedef struct zilch_model zilch_model;

/* How latent correlations follow from observed ones: in closed form, or by trained networks. */
#define ZILCH_INVERTER_LIST(X) \
    X(EXACT, "exact")          \
    X(AMORTISED, "amortised")
ZILCH_ENUM(inverter, INVERTER);

/* How latent correlations are shrunk towards 0, according to their standard errors.
 *   none       they stay as they are
 *   entrywise  each by its own standard error, to rho^3 / (rho^2 + se^2)
 *   bayes      each block (values, masks, or both) as much as its spread exceeds what noise alone would give
 *   fisher     the same on the scale of atanh, and less, the more rows there are for each latent variable
 *   all        to 0: the coordinates are independent */
#define ZILCH_SHRINKAGE_LIST(X)      \
    X(SHRINK_NONE, "none")           \
    X(SHRINK_ENTRYWISE, "entrywise") \
    X(SHRINK_BAYES, "bayes")         \
    X(SHRINK_FISHER, "fisher")       \
    X(SHRINK_ALL, "all")
ZILCH_ENUM(shrinkage, SHRINKAGE);

/* How the inverted correlations become a correlation matrix, which is positive definite.
 *   clip      negative eigenvalues are replaced and the diagonal is rescaled, as published; corr(V_i, M_i)
 *             drifts from 0
 *   repair    clip; then those zeros are put back, and as little of the identity as possible is mixed in
 *   nearest   the closest such matrix, by alternating projections
 *   weighted  the closest one when each entry counts by its standard error, so that well-known entries stay
 * and uncertain ones give way; the most accurate and the slowest */
#define ZILCH_PROJECTION_LIST(X) \
    X(CLIP, "clip")              \
    X(REPAIR, "repair")          \
    X(NEAREST, "nearest")        \
    X(WEIGHTED, "weighted")
ZILCH_ENUM(projection, PROJECTION);

/* Which latent correlations are possible.
 *   full      any: a matrix of 2d x 2d
 *   diagonal  none: the coordinates are independent
 *   low-rank  those of k common factors, z = sqrt(D) e + L f, where L L^T + D has a unit diagonal. These are
 *             O(dk) numbers, and always positive definite. docs/explanation/large.md says how they are fitted
 * and what they cannot describe. */
#define ZILCH_STRUCTURE_LIST(X)       \
    X(STRUCTURE_FULL, "full")         \
    X(STRUCTURE_DIAGONAL, "diagonal") \
    X(STRUCTURE_LOW_RANK, "low-rank")
ZILCH_ENUM(structure, STRUCTURE);

enum { ZILCH_INVERTERS = 2 };

typedef struct zilch_model_options {
    size_t size;                    /* set by zilch_model_defaults(); guards the layout */
    zilch_inverter inverter;        /* exact */
    zilch_shrinkage shrinkage;      /* none */
    zilch_projection projection;    /* repair */
    double sigma_floor;             /* 0; no fitted sigma_i is below it */
    const zilch_networks *networks; /* for the amortised inverter; NULL: the library's own */
    zilch_structure structure;      /* full; the others need no inverter and no projection */
    size_t rank;                    /* 10; the greatest number of factors for low-rank, 1 to 1,000 */
} zilch_model_options;

ZILCH_API zilch_model_options zilch_model_defaults(void);

/* Fits a model to `rows` (at least 2) points of `cols` (at least 1) coordinates. `weights` has an entry of at
 * least 0 for each row, two of them positive; NULL means equal weights. `options` NULL means the defaults.
 *
 * Some columns are special. One that is always zero gets p = 0: it is the constant 0. One that is never zero
 * gets p = 1: it is a plain Gaussian. One that is active in a single row, or constant where it is active,
 * gets sigma = sigma_floor. Latent variables about which the data say nothing have zero correlations.
 *
 * There may be 16,000 columns with structure full, and 1,000,000 with the others. */
ZILCH_CHECKED zilch_model_fit(zilch_model **out, size_t rows, size_t cols, const double *x,
                              const double *weights, const zilch_model_options *options);

/* A model from its parameters: p in [0, 1], mu, sigma >= 0 (dim each), and the 2 dim x 2 dim matrix of latent
 * correlations (V_1.. V_dim, M_1.. M_dim), which is positive semidefinite; NULL means the identity.
 * corr(V_i, M_i) need not be 0, but a fit gives 0. */
ZILCH_CHECKED zilch_model_create(zilch_model **out, size_t dim, const double *p, const double *mu,
                                 const double *sigma, const double *correlation);

/* The same with common factors, which is structure low-rank. `loadings` (rank x 2 dim) has a row for each
 * factor with its part in each latent variable. For each latent variable the sum of their squares must be
 * below 1; the rest of its variance is its own. rank 0 gives structure diagonal. */
ZILCH_CHECKED zilch_model_create_factors(zilch_model **out, size_t dim, const double *p, const double *mu,
                                         const double *sigma, size_t rank, const double *loadings);

/* A random model for experiments: its latent correlation matrix has eigenvalues decay^i (0 < decay < 1) in a
 * random basis and is then brought to a unit diagonal and corr(V_i, M_i) = 0. mu ~ U(-2, 2), sigma ~ U(0, 4),
 * p ~ U(p_min, p_max). */
ZILCH_CHECKED zilch_model_random(zilch_model **out, size_t dim, zilch_rng *rng, double decay, double p_min,
                                 double p_max);

ZILCH_API void zilch_model_destroy(zilch_model *model);

/* Draws `rows` points into x (rows x dim). This takes rows * (2 dim + rank) draws of rng; rank is 0 unless
 * the structure is low-rank. */
ZILCH_CHECKED zilch_model_sample(const zilch_model *model, zilch_rng *rng, size_t rows, double *x);

/* What a model consists of. The arrays belong to the model and live as long as it does. */
ZILCH_API size_t zilch_model_dim(const zilch_model *model);
ZILCH_API const double *zilch_model_p(const zilch_model *model);     /* dim: P(X_i != 0) */
ZILCH_API const double *zilch_model_mu(const zilch_model *model);    /* dim: mean where active */
ZILCH_API const double *zilch_model_sigma(const zilch_model *model); /* dim: deviation where active */
ZILCH_API const double *zilch_model_tau(const zilch_model *model);   /* dim: thresholds, -Inf .. Inf */
ZILCH_API zilch_structure zilch_model_structure(const zilch_model *model);
/* Two matrices (2 dim x 2 dim): the latent correlations, and the observed ones that the fit saw (Pearson's,
 * of the standardised values and the indicators). The second is NULL if the model was not fitted. Both are
 * NULL unless the structure is full. */
ZILCH_API const double *zilch_model_correlation(const zilch_model *model);
ZILCH_API const double *zilch_model_observed(const zilch_model *model);
/* The number of factors that the fit found worth having with structure low-rank, and their loadings
 * (rank x 2 dim). They are 0 and NULL with the other structures. */
ZILCH_API size_t zilch_model_rank(const zilch_model *model);
ZILCH_API const double *zilch_model_loadings(const zilch_model *model);
/* One latent correlation, for any structure; i and j go from 0 to 2 dim - 1, and others give NaN. */
ZILCH_API double zilch_model_correlation_at(const zilch_model *model, size_t i, size_t j);

/* The names of the columns (dim), which are kept in files of the model; NULL: they have none. `set` copies
 * them, and takes them away for NULL. */
ZILCH_CHECKED zilch_model_set_names(zilch_model *model, const char *const *names);
ZILCH_API const char *const *zilch_model_names(const zilch_model *model);

typedef struct zilch_fit_report {
    zilch_structure structure; /* only full has an inverter, a projection and what follows from it */
    zilch_inverter inverter;
    zilch_shrinkage shrinkage;
    zilch_projection projection;
    double rows; /* what the data were worth: (sum w)^2 / sum w^2, the row count without weights */
    double projection_distance; /* from the inverted (and shrunk) matrix to its projection, Frobenius */
    double identity_weight;     /* weight of the identity that was mixed in at the end; 0 with clip */
} zilch_fit_report;

/* How the model was fitted; ESTATE if it was not. */
ZILCH_CHECKED zilch_model_report(const zilch_model *model, zilch_fit_report *out);

/* A model as bytes and as a file. Call pack with buffer NULL to learn *length. The format is little-endian,
 * versioned and checksummed; unpack trusts nothing in it. */
ZILCH_CHECKED zilch_model_pack(const zilch_model *model, void *buffer, size_t capacity, size_t *length);
ZILCH_CHECKED zilch_model_unpack(zilch_model **out, const void *buffer, size_t length);
ZILCH_CHECKED zilch_model_save(const zilch_model *model, const char *path);
ZILCH_CHECKED zilch_model_load(zilch_model **out, const char *path);

/* ---- Training networks ------------------------------------------------------- */

/* An example is a pair of coordinates whose latent correlations are known. Those are points of a dense grid
 * over
 * [-1, 1]^4 that are positive semidefinite; (p_i, p_j) are points of a grid that is denser near 0 and 1. The
 * observed correlations are the exact ones, with the noise of a sample of `rows` rows if you ask for it, or
 * those of a simulated sample. */
#define ZILCH_LABELS_LIST(X) \
    X(LABELS_EXACT, "exact") \
    X(LABELS_SIMULATED, "simulated")
ZILCH_ENUM(labels, LABELS);

typedef struct zilch_examples_options {
    size_t size;         /* set by zilch_examples_defaults() */
    zilch_labels labels; /* exact */
    uint64_t count;      /* 200,000, at least 5: four fifths train, the rest validate */
    uint64_t rows;       /* rows of the sample; 0, the default: none for exact, 100,000 for simulated */
    uint64_t seed;       /* 1 */
} zilch_examples_options;

ZILCH_API zilch_examples_options zilch_examples_defaults(void);

typedef struct zilch_examples zilch_examples;

/* Long work calls its watcher now and then, from any thread. A watcher that does not return 0 stops the work,
 * which then returns ESTOPPED. */
typedef int (*zilch_watcher)(void *context, size_t done, size_t total);

/* Makes examples on `threads` threads (0: one for each processor), which change nothing in the result.
 * `watch` may be NULL. */
ZILCH_CHECKED zilch_examples_create(zilch_examples **out, const zilch_examples_options *options,
                                    unsigned threads, zilch_watcher watch, void *context);
ZILCH_API void zilch_examples_destroy(zilch_examples *examples);

typedef struct zilch_training_options {
    size_t size;       /* set by zilch_training_defaults() */
    size_t units;      /* 32 in each of two layers; a multiple of 8, at most 128 */
    uint64_t epochs;   /* mm 1200, vm 250, vv 250 */
    uint64_t batch;    /* 128 */
    double rate;       /* 1e-3, Adam's */
    double final_rate; /* 1e-3; the rate falls to it along half a cosine */
    uint64_t seed;     /* 1; it gives the first weights and the order of the examples */
} zilch_training_options;

ZILCH_API zilch_training_options zilch_training_defaults(zilch_block block); /* as published */

typedef struct zilch_training_report {
    uint64_t epoch;        /* how many are done */
    double training_error; /* mean squared error over the last epoch, while it went on; 0 before the first */
    double validation_error; /* mean squared error on the other examples, now */
} zilch_training_report;

typedef struct zilch_trainer zilch_trainer;

/* A trainer trains the network of one block. It copies what it needs from the examples. */
ZILCH_CHECKED zilch_trainer_create(zilch_trainer **out, zilch_block block, const zilch_examples *examples,
                                   const zilch_training_options *options);
ZILCH_API void zilch_trainer_destroy(zilch_trainer *trainer);

/* Trains for one epoch: with every training example once, in random order. ENUMERIC if the error is not
 * finite any more; ESTATE when all epochs are done. */
ZILCH_CHECKED zilch_trainer_epoch(zilch_trainer *trainer);
ZILCH_API zilch_training_report zilch_trainer_report(const zilch_trainer *trainer);

/* The state of a training as bytes, and back into a trainer that was created with the same block, examples
 * and options (EARG if not). It goes on as if it had not been interrupted. */
ZILCH_CHECKED zilch_trainer_pack(const zilch_trainer *trainer, void *buffer, size_t capacity, size_t *length);
ZILCH_CHECKED zilch_trainer_restore(zilch_trainer *trainer, const void *buffer, size_t length);
ZILCH_CHECKED zilch_trainer_save(const zilch_trainer *trainer, const char *path);
ZILCH_CHECKED zilch_trainer_load(zilch_trainer *trainer, const char *path);
/* Checks, before the examples are made, that the state in a file belongs to this training: EARG if not. */
ZILCH_CHECKED zilch_trainer_check(const char *path, zilch_block block, const zilch_examples_options *examples,
                                  const zilch_training_options *options);

/* Puts the trained network into its block's place among the others. */
ZILCH_CHECKED zilch_networks_put(zilch_networks *networks, const zilch_trainer *trainer);

/* How a network was trained. */
typedef struct zilch_training_record {
    zilch_examples_options examples;
    zilch_training_options options;
    zilch_training_report report;
} zilch_training_record;

ZILCH_CHECKED zilch_networks_record(const zilch_networks *networks, zilch_block block,
                                    zilch_training_record *out);

/* ---- Training all networks, into a file ---------------------------------------- */

/* zilch_networks_train() does all of the above: it makes the examples, trains the networks side by side, and
 * writes them into a file of weights. A training that was interrupted continues when you start it again
 * with the same options: until the weights are written, the state of each network's training is in a
 * checkpoint beside them, WEIGHTS.mm.part and so on. */
typedef struct zilch_networks_options {
    size_t size;      /* set by zilch_networks_defaults() */
    int block;        /* the one zilch_block that is trained; ZILCH_BLOCKS, the default: all of them */
    unsigned threads; /* 0, the default: one for each processor; they change nothing in the result */
    zilch_examples_options examples;
    zilch_training_options training[ZILCH_BLOCKS]; /* by zilch_block */
} zilch_networks_options;

ZILCH_API zilch_networks_options zilch_networks_defaults(void); /* as published */

/* What a training is doing: it makes the examples, trains the networks, and writes the weights. */
typedef enum zilch_training_stage {
    ZILCH_TRAINING_EXAMPLES,
    ZILCH_TRAINING_EPOCHS,
    ZILCH_TRAINING_WRITING
} zilch_training_stage;

/* How far the training of one network is. */
typedef struct zilch_training_part {
    zilch_block block;
    uint64_t epochs;              /* the number that it shall have */
    zilch_training_report report; /* after the last epoch that is done */
    int is_continued;             /* it began from a checkpoint */
    int is_running;               /* a thread is training it now */
} zilch_training_part;

typedef struct zilch_training_progress {
    zilch_training_stage stage;
    size_t done, total; /* examples; or epochs, where those that run side by side count once */
    size_t parts;       /* the networks that are trained */
    zilch_training_part part[ZILCH_BLOCKS];
    size_t changed; /* the part that this call is about, after an epoch */
} zilch_training_progress;

/* What a watcher answers. After an epoch, SAVE writes the checkpoint of the part that has changed; the
 * library knows no clock, so the watcher decides how often that is. At the end, and when the training is
 * stopped, the checkpoints are written anyway. */
typedef enum zilch_training_answer {
    ZILCH_TRAINING_CONTINUE,
    ZILCH_TRAINING_SAVE,
    ZILCH_TRAINING_STOP
} zilch_training_answer;

/* The library calls the watcher when a stage begins (`done` is 0 then), after every example and after every
 * epoch. The calls come from any thread, but never two at once. */
typedef zilch_training_answer (*zilch_training_watcher)(void *context,
                                                        const zilch_training_progress *progress);

/* Trains, and puts the networks into their places in the file at `path`: a file that exists keeps its other
 * networks, a new one gets the library's own. *out is what was written. `options` and `watch` may be NULL.
 * ESTOPPED after the answer STOP. EARG if a checkpoint belongs to a training with other options. ENUMERIC
 * if a network is not finite any more: its checkpoint is removed. If the weights cannot be written (EIO), the
 * checkpoints stay, and the same call writes the weights later. */
ZILCH_CHECKED zilch_networks_train(zilch_networks **out, const char *path,
                                   const zilch_networks_options *options, zilch_training_watcher watch,
                                   void *context);

/* ---- Recovery: how well a fit finds latent correlations again ------------------- */

/* zilch_recover() draws random models, samples each, fits the sample with each inverter, and compares the
 * latent correlations that the fit found with the true ones. */
typedef struct zilch_recover_options {
    size_t size;                    /* set by zilch_recover_defaults() */
    uint64_t models;                /* 100; random models, at most 1,000,000 */
    uint64_t dim;                   /* 32; coordinates of each, 2 to 1,000 */
    uint64_t rows;                  /* 100,000; points drawn from each, at least 2 */
    uint64_t seed;                  /* 1 */
    double decay, p_min, p_max;     /* 0.6, 0 and 1; as zilch_model_random() takes them */
    zilch_shrinkage shrinkage;      /* none */
    zilch_projection projection;    /* weighted */
    const zilch_networks *networks; /* of the amortised inverter; NULL: the library's own */
    unsigned threads;               /* 0: one for each processor; they change nothing in the result */
} zilch_recover_options;

ZILCH_API zilch_recover_options zilch_recover_defaults(void);

/* Errors of a set of correlations; NaN where the set is empty. */
typedef struct zilch_recovery_score {
    size_t count;
    double mae, mse, ccc; /* mean absolute error, mean squared error, Lin's concordance correlation */
} zilch_recovery_score;

/* Bin k holds the correlations with min(p_i, p_j) from edge k up to edge k + 1. The edges go from 0 to 1. */
enum { ZILCH_RECOVERY_BINS = 8 };
ZILCH_API double zilch_recovery_edge(size_t k);

typedef struct zilch_recovery_inverter {
    const float *recovered; /* what the fit found, one entry for each correlation */
    zilch_recovery_score all, block[ZILCH_BLOCKS];
    zilch_recovery_score bin[ZILCH_RECOVERY_BINS][ZILCH_BLOCKS];
} zilch_recovery_inverter;

/* The arrays have one entry for each correlation: those of the first model, then those of the second, and so
 * on. */
typedef struct zilch_recovery {
    size_t count;
    const float *truth, *min_p; /* min(p_i, p_j) */
    const unsigned char *block; /* a zilch_block */
    double mean_abs_rho;        /* of the true ones */
    zilch_recovery_inverter inverter[ZILCH_INVERTERS];
} zilch_recovery;

/* Runs the experiment. `options` and `watch` may be NULL; the watcher is called after each model. */
ZILCH_CHECKED zilch_recover(zilch_recovery **out, const zilch_recover_options *options, zilch_watcher watch,
                            void *context);
ZILCH_API void zilch_recovery_destroy(zilch_recovery *recovery);

/* ---- The Lunar Lander --------------------------------------------------------- */

/* Gymnasium's LunarLander-v3, simulated with the same bits: the same seed and the same actions give the same
 * observations, rewards and endings. Many worlds are stepped at once, one in each lane of the processor's
 * registers. What happens in a world does not depend on the others.
 *
 *     zilch_lander *lander;
 *     zilch_status status = zilch_lander_create(&lander, 64, NULL);
 *     if (status == ZILCH_OK)
 *         status = zilch_lander_reset_many(lander, NULL, seeds);
 *     while (status == ZILCH_OK && ...) {
 *         zilch_policy_act(policy, 64, zilch_lander_observations(lander), actions);
 *         status = zilch_lander_step(lander, actions);
 *         ... look at rewards and endings; reset the worlds that have ended
 *     }
 */
typedef struct zilch_lander zilch_lander;

enum { ZILCH_LANDER_OBSERVATIONS = 8, ZILCH_LANDER_ACTIONS = 2, ZILCH_LANDER_MAX_STEPS = 1000 };

typedef struct zilch_lander_options {
    size_t size;             /* set by zilch_lander_defaults() */
    double gravity;          /* -10; from -12 to 0, the ends excluded */
    int wind;                /* 0; 1: with wind and turbulence */
    double wind_power;       /* 15, from 0 to 20 */
    double turbulence_power; /* 1.5, from 0 to 2 */
    unsigned max_steps;      /* 1000; an episode that is longer is truncated */
    unsigned lanes;          /* 0: as many as this processor has; 1, plain code; 4, 8 or 16. The bits are the
                                same. */
} zilch_lander_options;

ZILCH_API zilch_lander_options zilch_lander_defaults(void);

/* The state of a world: it still flies, or how its episode has ended. */
#define ZILCH_LANDING_LIST(X)     \
    X(LANDING_FLYING, "flying")   \
    X(LANDING_LANDED, "landed")   \
    X(LANDING_CRASHED, "crashed") \
    X(LANDING_OUT, "out")         \
    X(LANDING_TRUNCATED, "truncated")
ZILCH_ENUM(landing, LANDING);

/* Makes `worlds` worlds. Reset all of them before the first step. Nothing is allocated after this. */
ZILCH_CHECKED zilch_lander_create(zilch_lander **out, size_t worlds, const zilch_lander_options *options);
ZILCH_API void zilch_lander_destroy(zilch_lander *lander);

/* Begins a new episode in one world, as Gymnasium's reset(seed=seed) does. */
ZILCH_CHECKED zilch_lander_reset(zilch_lander *lander, size_t world, uint64_t seed);

/* Begins a new episode that goes on with the world's random numbers, as Gymnasium's reset() without a seed
 * does. ESTATE if the world was never reset. */
ZILCH_CHECKED zilch_lander_restart(zilch_lander *lander, size_t world);

/* Begins new episodes in all worlds, or in those whose byte in `mask` (worlds) is not 0, at once, which is
 * several times as fast as one after the other. `seeds` (worlds) as above; NULL: each goes on with its random
 * numbers. */
ZILCH_CHECKED zilch_lander_reset_many(zilch_lander *lander, const unsigned char *mask, const uint64_t *seeds);

/* Steps every world whose episode has not ended; the others stay as they are, with their last reward.
 * `actions` (worlds x 2) are the main engine, which is off up to 0 and then goes from half to full thrust at
 * 1, and the side engines: left from -1 to -0.5, right from 0.5 to 1. Actions are clipped to [-1, 1]. NaN is
 * EARG, and then no world moves. */
ZILCH_CHECKED zilch_lander_step(zilch_lander *lander, const double *actions);

/* Gymnasium's discrete actions 0 to 3 (nothing, left, main, right) as two such numbers. */
ZILCH_CHECKED zilch_lander_discrete(unsigned action, double out[2]);

/* What the last step, or the reset, gave. The arrays belong to the lander. */
ZILCH_API size_t zilch_lander_worlds(const zilch_lander *lander);
ZILCH_API const float *zilch_lander_observations(const zilch_lander *lander); /* worlds x 8 */
ZILCH_API const double *zilch_lander_rewards(const zilch_lander *lander);     /* worlds */
ZILCH_API const unsigned char *zilch_lander_terminated(const zilch_lander *lander);
ZILCH_API const unsigned char *zilch_lander_truncated(const zilch_lander *lander);

/* A world to draw. Lengths are in metres, angles in radians; the pad is between x = 8 and 12. */
typedef struct zilch_world_view {
    zilch_landing landing;
    unsigned steps;
    double x[3], y[3], angle[3]; /* of the lander and its legs: where their drawings' origins are */
    int leg_touches[2];
    double main_power, side_power; /* of the last step's engines; side_power < 0 pushes left */
    double ground[11];             /* heights at x = 0, 2, .. 20 */
    double helipad;                /* height of the flags */
} zilch_world_view;

ZILCH_CHECKED zilch_lander_view(const zilch_lander *lander, size_t world, zilch_world_view *out);

/* All worlds as bytes, in the middle of their episodes too. What is unpacked goes on with the same bits, on
 * every processor that has the lanes that the options ask for. `length` as with zilch_model_pack(). */
ZILCH_CHECKED zilch_lander_pack(const zilch_lander *lander, void *buffer, size_t capacity, size_t *length);
ZILCH_CHECKED zilch_lander_unpack(zilch_lander **out, const void *buffer, size_t length);

/* ---- Controllers for it ------------------------------------------------------------ */

/* The sparse quadratic policy has for each engine a bias, 8 linear and 36 quadratic terms of the observation
 * s: b, w_1 .. w_8, u_11, u_12 .. u_18, u_22 .. u_88. The main engine's 45 parameters come first, then those
 * of the side engines. The sum is made in double precision: acc = b, then acc += w_i s_i in order, then acc
 * += u_ij (s_i s_j) in order; it is clipped to [-1, 1], and it is 0 if it is not a number. Zeros cost
 * nothing. */
enum { ZILCH_POLICY_TERMS = 45, ZILCH_POLICY_PARAMETERS = 90 };

/* Actions (n x 2) for n observations (n x 8). */
ZILCH_API void zilch_policy_act(const double parameters[ZILCH_POLICY_PARAMETERS], size_t n,
                                const float *observations, double *actions);

/* A policy as formulas, one line for each engine, such as
 *     a_main = -2.5988 y - 1.7162 vy - 0.0226 x l2
 *     a_side = 3.6608 theta
 * in the names x y vx vy theta omega l1 l2. Reading gives the same bits again. `format` writes at most
 * `capacity` bytes with the final '\0', and *length gets how many it needs without it. */
ZILCH_CHECKED zilch_policy_format(const double parameters[ZILCH_POLICY_PARAMETERS], char *text,
                                  size_t capacity, size_t *length);
ZILCH_CHECKED zilch_policy_parse(const char *text, double parameters[ZILCH_POLICY_PARAMETERS]);

/* The publication's controller of 13 coefficients, as text for zilch_policy_parse. */
ZILCH_API const char *zilch_policy_published(void);

/* Gymnasium's own heuristic, for n observations. */
ZILCH_API void zilch_lander_heuristic(size_t n, const float *observations, double *actions);

/* ---- Episodes --------------------------------------------------------------------- */

/* Whole flights, from the reset to the end. An episode is solved if its return is 200 or more. */
typedef struct zilch_episode {
    double total; /* the return: the sum of its rewards */
    unsigned steps;
    zilch_landing ending;
} zilch_episode;

/* Fly `count` episodes of the seeds seed, seed + 1, ... with the quadratic policy of these parameters
 * (ZILCH_POLICY_PARAMETERS of them), or with Gymnasium's heuristic if `parameters` is NULL. `options` is NULL
 * for the defaults. The episodes are flown on `threads` threads (0: one for each processor), which change
 * nothing in the result. `out` has a place for each episode, in the order of the seeds. `watch` may be NULL;
 * it is called before every step of a thread's worlds. */
ZILCH_CHECKED zilch_episodes_run(const double *parameters, const zilch_lander_options *options, uint64_t seed,
                                 size_t count, unsigned threads, zilch_watcher watch, void *context,
                                 zilch_episode *out);

/* Episodes of many controllers and seeds, as a graphics card flies them (zilch_cuda.h). Episode k has the
 * seed seed[k] and is flown by controller k / each. */
typedef struct zilch_flights {
    size_t count;                        /* of episodes, at least 1 */
    size_t each;                         /* episodes of a controller, at least 1 */
    const double *parameters;            /* ZILCH_POLICY_PARAMETERS of each controller; NULL: the heuristic */
    const uint64_t *seed;                /* of each episode */
    const zilch_lander_options *options; /* NULL: the defaults */
    zilch_watcher watch;                 /* may be NULL */
    void *watch_context;
} zilch_flights;

/* Flies them. `out` has a place for each episode. What is flown must have the bits of zilch_episodes_run().
 */
typedef zilch_status (*zilch_flyer)(void *context, const zilch_flights *flights, zilch_episode *out);

enum { ZILCH_QUARTILES = 5, ZILCH_LANDINGS = ZILCH_LANDING_TRUNCATED + 1 };

typedef struct zilch_episodes_summary {
    uint64_t steps;                   /* of all episodes together */
    double mean, deviation;           /* of the returns; the sample's deviation, NaN for one episode */
    double quartile[ZILCH_QUARTILES]; /* of the returns: least, first quartile, median, third, largest */
    double solved;                    /* share of the episodes that are solved */
    size_t ending[ZILCH_LANDINGS];    /* number of episodes with each ending */
} zilch_episodes_summary;

ZILCH_CHECKED zilch_episodes_summarise(size_t count, const zilch_episode *episode,
                                       zilch_episodes_summary *out);

/* What flies one episode: `actions` (action_count x 2), one row a step, if they are not NULL; otherwise the
 * quadratic policy of `parameters`; otherwise Gymnasium's heuristic. */
typedef struct zilch_pilot {
    const double *parameters;
    const double *actions;
    size_t action_count;
} zilch_pilot;

/* An episode after its reset, or after a step. */
typedef struct zilch_lander_frame {
    float observation[ZILCH_LANDER_OBSERVATIONS];
    double reward, total; /* of the step; of all steps so far */
    int terminated, truncated;
    zilch_world_view view;
} zilch_lander_frame;

/* Fly one episode and keep every step: frame[0] is the reset, frame[*steps] the last step. It ends with the
 * episode, with the actions, or when `capacity` frames are full; max_steps + 1 of them hold any episode. */
ZILCH_CHECKED zilch_episode_record(const zilch_pilot *pilot, const zilch_lander_options *options,
                                   uint64_t seed, size_t capacity, zilch_lander_frame *frame, size_t *steps);

/* ---- Options: one row each --------------------------------------------------- */

/* An option of the optimiser, or of what surrounds it, is one row of a list below. The fields of the structs,
 * their defaults, the checks and their messages, what files and studies keep, the command line with its help,
 * JSON, the keywords of Python and the reference page all follow from the row. The forms of a row:
 *
 *     CHOICE(name, LIST, default, group, "sentence")           one of the names in ZILCH_LIST_LIST
 *     COUNT(name, default, least, greatest, group, "sentence")  a whole number, uint64_t
 *     NUMBER(name, default, least, greatest, group, "sentence") a number, double; NAN is "none"
 *     FLAG(name, default, group, "sentence")                    0 or 1, int
 */
#define ZILCH_OPTION_TYPE_LIST(X) \
    X(OPTION_CHOICE, "choice")    \
    X(OPTION_COUNT, "count")      \
    X(OPTION_NUMBER, "number")    \
    X(OPTION_FLAG, "flag")

/* Common options are those that a user may want to set in the first hour. */
#define ZILCH_OPTION_GROUP_LIST(X) \
    X(OPTION_COMMON, "common")     \
    X(OPTION_EXPERT, "expert")

typedef enum zilch_option_type { ZILCH_OPTION_TYPE_LIST(ZILCH_ENUM_VALUE) } zilch_option_type;
typedef enum zilch_option_group { ZILCH_OPTION_GROUP_LIST(ZILCH_ENUM_VALUE) } zilch_option_group;

/* A row, for programs that offer options to their own users. */
typedef struct zilch_option {
    const char *name;
    zilch_option_type type;
    zilch_option_group group;
    double least, greatest; /* of a count or a number; both ends are allowed */
    int may_be_none;        /* whether NaN, "none" as text, is allowed */
    const char *choices;    /* of a choice: the names, separated by '|' */
    const char *about;      /* a sentence */
    size_t offset;          /* of the field in its struct */
} zilch_option;

/* An option's value as text, such as "uncertain", "500", "0.25", "none" or "yes", and back. `options` is the
 * struct that the row belongs to. Reading checks the range: EARG says what is allowed, without the option's
 * name. */
enum { ZILCH_OPTION_SIZE = 40 };
ZILCH_API void zilch_option_format(const zilch_option *option, const void *options,
                                   char text[ZILCH_OPTION_SIZE]);
ZILCH_CHECKED zilch_option_parse(const zilch_option *option, const char *text, void *options);

/* What zilch 0.1 called an option of this name; dashes count as underscores. The answer is the name of today,
 * "" if the option is gone, and NULL if there never was one of this name. */
ZILCH_API const char *zilch_option_renamed(const char *name);

/* ---- Optimiser ----------------------------------------------------------------- */

/* A search proceeds in generations. In each generation the optimiser selects the best points that were ever
 * evaluated (the elites) and fits a distribution to them. The next population consists of those elites whose
 * rank is uncertain, which are evaluated again because values may be noisy, and of new points that are drawn
 * from the distribution. As long as values show no noise, the default method takes turns: between these
 * generations there are others, of a few points, that improve the best one by local models (`refinement`).
 * zilch_optimizer_run() does all of this:
 *
 *     zilch_optimizer *optimizer;
 *     zilch_status status = zilch_optimizer_create(&optimizer, dim, seed, NULL);
 *     if (status == ZILCH_OK)
 *         status = zilch_optimizer_run(optimizer, objective, context, NULL, NULL, NULL, NULL);
 *     if (status == ZILCH_OK)
 *         status = zilch_optimizer_best(optimizer, x, NULL);
 *     zilch_optimizer_destroy(optimizer);
 *
 * Where the evaluations happen elsewhere, ask for points and tell their values. You may tell them in any
 * order, in any portion, late, or never:
 *
 *     status = zilch_optimizer_ask(optimizer, n, id, x);
 *     ... evaluate ...
 *     status = zilch_optimizer_tell(optimizer, n, id, value);
 *
 * A run depends on dim, seed, options and the told values. It does not depend on the order in which the
 * values of a generation are told, nor on how many of its points you ask for at once. */
typedef struct zilch_optimizer zilch_optimizer;

/* How new points are made.
 *   default    from a zero-inflated Gaussian, which learns from one generation to the next
 *   published  from a zero-inflated Gaussian that is fitted to the elites alone, as in the publication
 *   gaussian   from a Gaussian without zeros
 *   adhoc      from a Gaussian over a weight and a threshold for each coordinate; where a threshold
 *              is negative, its coordinate is zero
 *   ea         by crossover and mutation of elites, without a distribution
 * The last three are there to compare with. */
#define ZILCH_METHOD_LIST(X)         \
    X(METHOD_DEFAULT, "default")     \
    X(METHOD_PUBLISHED, "published") \
    X(METHOD_GAUSSIAN, "gaussian")   \
    X(METHOD_ADHOC, "adhoc")         \
    X(METHOD_EA, "ea")
ZILCH_ENUM(method, METHOD);

#define ZILCH_DIRECTION_LIST(X) \
    X(MINIMIZE, "minimize")     \
    X(MAXIMIZE, "maximize")
ZILCH_ENUM(direction, DIRECTION);

/* Which value counts for a point that was evaluated more than once: the latest one, the mean, or the mean of
 * all but the first. A point is evaluated again because its first value was good, and with noise that value
 * was lucky, too. */
#define ZILCH_AGGREGATE_LIST(X)   \
    X(AGGREGATE_LATEST, "latest") \
    X(AGGREGATE_MEAN, "mean")     \
    X(AGGREGATE_LATER, "later")
ZILCH_ENUM(aggregate, AGGREGATE);

/* Which elites the next generation evaluates again: all of them; the best one and those that noise may have
 * put among the elites; or none. */
#define ZILCH_REEVALUATE_LIST(X)         \
    X(REEVALUATE_ALL, "all")             \
    X(REEVALUATE_UNCERTAIN, "uncertain") \
    X(REEVALUATE_NONE, "none")
ZILCH_ENUM(reevaluate, REEVALUATE);

/* How much an elite counts when the distribution is fitted: all the same, or K + 1 - r for the elite of rank
 * r among K. */
#define ZILCH_WEIGHTING_LIST(X) \
    X(WEIGHTING_EQUAL, "equal") \
    X(WEIGHTING_LINEAR, "linear")
ZILCH_ENUM(weighting, WEIGHTING);

/* Whether a coordinate is free, always active, or always zero (at its default, where there is one). */
#define ZILCH_FORCED_LIST(X) \
    X(FORCED_NOT, "free")    \
    X(FORCED_ON, "on")       \
    X(FORCED_OFF, "off")
ZILCH_ENUM(forced, FORCED);

/* Why a search has ended. converged: the elites are so close together that a distribution fitted to them is
 * too narrow to compute with, or a search without limits has found nothing better for long. diverged: the
 * elites are so large that it is too wide. exhausted: every point that the limits leave was evaluated. */
#define ZILCH_STOP_LIST(X)             \
    X(STOP_NONE, "not stopped")        \
    X(STOP_GENERATIONS, "generations") \
    X(STOP_EVALUATIONS, "evaluations") \
    X(STOP_TARGET, "target")           \
    X(STOP_STAGNATION, "stagnation")   \
    X(STOP_OBSERVER, "observer")       \
    X(STOP_CONVERGED, "converged")     \
    X(STOP_DIVERGED, "diverged")       \
    X(STOP_EXHAUSTED, "exhausted")     \
    X(STOP_ASKED, "asked")
ZILCH_ENUM(stop, STOP);

/* The options of the optimiser. docs/explanation/search.md has what each of them is for. */
#define ZILCH_OPTIMIZER_OPTION_LIST(CHOICE, COUNT, NUMBER, FLAG)                                            \
    CHOICE(method, METHOD, ZILCH_METHOD_DEFAULT, COMMON,                                                    \
           "How new points are made; the last three are there to compare with.")                            \
    CHOICE(direction, DIRECTION, ZILCH_MINIMIZE, COMMON, "Whether small or large values are good.")         \
    NUMBER(penalty, 0, 0, INFINITY, COMMON,                                                                 \
           "Penalty for each active (nonzero) coordinate. A coordinate stays active only if it "            \
           "improves the value by more than this.")                                                         \
    COUNT(max_active, 0, 0, 1000000, COMMON, "The greatest number of active coordinates; 0: no limit.")     \
    NUMBER(initial_sigma, 2, 0, INFINITY, EXPERT,                                                           \
           "Standard deviation of the active coordinates in the first points, where neither two "           \
           "bounds nor a scale say it.")                                                                    \
    COUNT(population, 0, 0, 16777216, COMMON, "Points in each generation; 0: automatic.")                   \
    COUNT(expected_evaluations, 0, 0, 1000000000000, EXPERT,                                                \
          "Evaluations that the search will have, which say how large an automatic population is; "         \
          "0: the limit of evaluations that it is run with, if there is one.")                              \
    COUNT(elites, 0, 0, 16777216, EXPERT,                                                                   \
          "Best points, to which the distribution is fitted; fewer than the population; 0: a "              \
          "fifth of it. They can be given only with a population.")                                         \
    COUNT(min_active, 0, 0, 1000000, EXPERT, "The least number of active coordinates.")                     \
    NUMBER(initial_p, 0.5, 0, 1, EXPERT, "Share of active coordinates in the first points.")                \
    NUMBER(initial_mu, 0, -INFINITY, INFINITY, EXPERT,                                                      \
           "Mean of the active coordinates in the first points, where neither bounds nor x0 say it.")       \
    NUMBER(initial_spread, 0.1, 0, 0.999999, EXPERT,                                                        \
           "Correlation between the masks of the first points. Above 0 some points are dense and "          \
           "some are sparse; at 0.5 every number of active coordinates is equally likely.")                 \
    CHOICE(aggregate, AGGREGATE, ZILCH_AGGREGATE_LATER, EXPERT,                                             \
           "Which value counts for a point that was evaluated more than once: the latest, the mean, "       \
           "or the mean of all but the first, which was a lucky one.")                                      \
    CHOICE(reevaluate, REEVALUATE, ZILCH_REEVALUATE_UNCERTAIN, EXPERT,                                      \
           "Which elites are evaluated again: all, those that noise may have put among the elites, "        \
           "or none.")                                                                                      \
    NUMBER(quorum, 1, 1e-6, 1, EXPERT,                                                                      \
           "A generation closes when this share of its population has been told.")                          \
    COUNT(archive_size, 0, 0, 1000000000, EXPERT,                                                           \
          "How many of the best points keep their coordinates, at least as many as elites; 0: "             \
          "all.")                                                                                           \
    CHOICE(structure, STRUCTURE, ZILCH_STRUCTURE_FULL, EXPERT,                                              \
           "Correlations of the distribution: any; none; or those of a few common factors, for "            \
           "thousands of coordinates.")                                                                     \
    COUNT(rank, 10, 1, 1000, EXPERT, "The greatest number of factors, for structure low-rank.")             \
    CHOICE(inverter, INVERTER, ZILCH_EXACT, EXPERT,                                                         \
           "How latent correlations follow from observed ones: in closed form, or by trained "              \
           "networks.")                                                                                     \
    CHOICE(shrinkage, SHRINKAGE, ZILCH_SHRINK_FISHER, EXPERT,                                               \
           "How latent correlations shrink towards 0, by their standard errors.")                           \
    CHOICE(projection, PROJECTION, ZILCH_CLIP, EXPERT,                                                      \
           "How the correlations become a positive definite matrix.")                                       \
    NUMBER(sigma_floor, 0, 0, INFINITY, EXPERT, "No standard deviation of the distribution is below this.") \
    CHOICE(weighting, WEIGHTING, ZILCH_WEIGHTING_LINEAR, EXPERT,                                            \
           "How much an elite counts in the fit: all the same, or by rank.")                                \
    NUMBER(prior_sigma, 5, 0, 1000000, EXPERT,                                                              \
           "The standard deviations of the last generation count like this many elites in the "             \
           "fit.")                                                                                          \
    NUMBER(margin, 0.5, 0, INFINITY, EXPERT,                                                                \
           "Number of coordinates in which a new point is expected to differ from what all elites "         \
           "agree on, at most a tenth of all; 0: what all elites have lost never comes back.")              \
    NUMBER(mean_shift, 0.25, 0, 1, EXPERT,                                                                  \
           "Share of the new points that are moved on by twice the last step of the mean.")                 \
    NUMBER(recombination, 0.02, 0, 1, EXPERT,                                                               \
           "Share of the new points whose active values are copied from elites, each from another "         \
           "one.")                                                                                          \
    NUMBER(immigrants, 0.05, 0, 1, EXPERT,                                                                  \
           "Share of the new points in which one active value is drawn as in the first points.")            \
    NUMBER(reactivation, 0.5, 0, 1, EXPERT,                                                                 \
           "Share of the other points in which a dropped coordinate is tried again with small "             \
           "values: its old spread times how much the others have narrowed since.")                         \
    FLAG(refinement, 1, EXPERT,                                                                             \
         "Whether the best point is improved by local models too, where values have no noise and "          \
         "archive_size is 0.")                                                                              \
    FLAG(smoothing, 1, EXPERT,                                                                              \
         "Whether noisy values are smoothed by what each coordinate adds on average, so that points "       \
         "are not ranked by luck.")                                                                         \
    FLAG(variance_scaling, 1, EXPERT,                                                                       \
         "Whether the standard deviations grow while improvements come from far outside.")

#define ZILCH_CHOICE_FIELD(name, list, usual, group, about) zilch_##name name;
#define ZILCH_COUNT_FIELD(name, usual, least, greatest, group, about) uint64_t name;
#define ZILCH_NUMBER_FIELD(name, usual, least, greatest, group, about) double name;
#define ZILCH_FLAG_FIELD(name, usual, group, about) int name;

/* Values that a coordinate may have where it is active; 0 of them: any. */
typedef struct zilch_values {
    size_t count;
    const double *value;
} zilch_values;

/* A linear limit: lower <= sum of weight * x over some coordinates <= upper. With equal ends it is an
 * equation; an infinite end is none. A point keeps it to 1e-12 of the sum of |weight * x|, or of |end|. */
typedef struct zilch_linear_limit {
    size_t count;
    const size_t *coordinate; /* count, each at most once; NULL: the first `count` coordinates in order */
    const double *weight;     /* count; NULL: all 1 */
    double lower, upper;
} zilch_linear_limit;

/* Reads linear limits from a text, one in each line or between semicolons:
 *
 *     sum = 1                          all coordinates
 *     salt + pepper <= 0.1
 *     0.2 <= flour + 0.5 * sugar <= 0.4
 *
 * A line may end in a comment that begins with #. `names` (dim) are those of the coordinates, NULL: x1, x2
 * and so on. A name with other characters than letters, digits, _ and . stands in double quotes. The result
 * is yours: zilch_linear_limits_free(). */
ZILCH_CHECKED zilch_linear_limits_parse(const char *text, size_t dim, const char *const *names,
                                        zilch_linear_limit **out, size_t *count);
ZILCH_API void zilch_linear_limits_free(zilch_linear_limit *limits, size_t count);

/* Begin from zilch_optimizer_defaults() or zilch_method_defaults() and change what you need. */
typedef struct zilch_optimizer_options {
    size_t size; /* set by the defaults; it guards the layout */
    ZILCH_OPTIMIZER_OPTION_LIST(ZILCH_CHOICE_FIELD, ZILCH_COUNT_FIELD, ZILCH_NUMBER_FIELD, ZILCH_FLAG_FIELD)
    const zilch_networks *networks; /* for the amortised inverter; NULL: those that the library carries */

    /* What a coordinate is where it is not active: an array of dim numbers of at most 1e300. NULL, or all of
     * them 0: zero. With defaults, active means different from the default, and wherever zero is said of a
     * coordinate of a point, here and in what follows, its default is meant. It may be out of the bounds:
     * "12, or from 20 to 60". An inactive coordinate is exactly the default, and bounds, steps and lists of
     * values are kept exactly. An active value is the default plus an offset, which is what the search works
     * on. So a value that you tell, or that a repair function leaves, is kept to 16 digits of itself or of
     * its default, whichever is larger, and a linear limit to 1e-12 of the largest of |end| and the sums of
     * |weight * offset| and of |weight * default|. */
    const double *defaults;

    /* What a single coordinate may be: arrays of dim entries, or NULL. A new point that breaks a limit is
     * repaired: coordinates are switched on or off as often as the elites have them so, and a value out of
     * bounds is reflected at the bound (by methods other than the default: drawn again and, if that does not
     * help, clipped). Zero is always allowed, whatever the bounds, unless a coordinate is forced on. */
    const zilch_forced *forced;  /* NULL: all are free */
    const size_t *group;         /* NULL; those of one number above 0 are active together or not at all */
    const double *lower, *upper; /* NULL: no bounds; an infinite one means no bound for its coordinate */

    /* What values a coordinate may have where it is active, beside its bounds: multiples of a step, such as
     * whole numbers or multiples of 0.05, or those of a list, in any order. Zero stays allowed unless a
     * coordinate is forced on. Every point that is asked for or recommended keeps this; a point that is told
     * must. Where all coordinates have finitely many values, the search ends when all points have been
     * evaluated. */
    const double *step;         /* NULL: none; 0: none for its coordinate */
    const zilch_values *values; /* NULL: any */

    /* A penalty of each coordinate, beside the common one: the penalty of a point is `penalty` times the
     * number of its active coordinates, and the sum of their own penalties. Coordinates of a group are active
     * together, so the penalty of a group is the sum of its members' penalties. Finite, 0 or more. */
    const double *penalties; /* NULL: none has one of its own */

    /* Linear limits that every point keeps, together with all of the above: "at most 5 active, each from 5 to
     * 60 % in steps of 5 %, 100 % in all". A new point that breaks one is moved: other coordinates are
     * switched on where that is needed, and then all active values change a little. A set of limits that no
     * point can keep is refused, and the message has the numbers, from 1, of those that contradict each
     * other. So is a set for which it takes too long to find out, which can happen with dozens of rows, or
     * with equations of many values that have steps. */
    const zilch_linear_limit *linear_limits; /* linear_limit_count */
    size_t linear_limit_count;

    /* What is known of the values of a coordinate where it is active, in your units: arrays of dim entries,
     * or NULL. The first values are normal, with a mean and a standard deviation for each coordinate. Two
     * finite bounds give the centre and 0.3 of the width; one gives a mean that is one standard deviation
     * inside. x0 and scale replace these. Without any of them it is initial_mu, counted from the default, and
     * initial_sigma. x0 must be within the bounds; a 0 that they exclude counts as not given. Only the
     * default method takes x0 and scale or looks at the bounds here. */
    const double *x0;    /* a first guess of each value */
    const double *scale; /* the size of a sensible change of each value, above 0 */
} zilch_optimizer_options;

ZILCH_API zilch_optimizer_options zilch_optimizer_defaults(void);

/* The options of a method, which is the same struct with other values. */
ZILCH_API zilch_optimizer_options zilch_method_defaults(zilch_method method);

/* The rows of the list above; *count gets their number. */
ZILCH_API const zilch_option *zilch_optimizer_option_list(size_t *count);

ZILCH_CHECKED zilch_optimizer_create(zilch_optimizer **out, size_t dim, uint64_t seed,
                                     const zilch_optimizer_options *options);
ZILCH_API void zilch_optimizer_destroy(zilch_optimizer *optimizer);

/* A rule of your own, which the options cannot say: a function that changes a point x (dim coordinates) into
 * one that is allowed. It is called for every point that the search makes, by the thread that asks, runs or
 * recommends, with a point that keeps all limits of the options. What it leaves must keep them too; if not,
 * the call that asked fails with EARG and says which limit the function broke. The changed point is the one
 * that is handed out, kept and recommended. The function must give the same result for the same point. A
 * status other than ZILCH_OK is handed on, with the text of zilch_fail(); nothing is lost, and the next call
 * tries the same points again. Points that are evaluated again, or told by zilch_optimizer_tell_point(), are
 * taken as they are. Where few points are allowed, the search may hand out a point twice. */
typedef zilch_status (*zilch_repair)(void *context, size_t dim, double *x);

/* Before the first ask; ESTATE later. A file or study remembers that the run has a function of this kind, but
 * cannot keep it. After you load or resume the optimiser, it can be read, but asking, running and pruning
 * fail with ESTATE until you set the function again. NULL, before the first ask: none. */
ZILCH_CHECKED zilch_optimizer_set_repair(zilch_optimizer *optimizer, zilch_repair repair, void *context);

/* Points to evaluate: n ids and n x dim coordinates. If you ask for more points than the generation has left,
 * you get extra samples from the distribution. Where zilch_optimizer_run() would end because the search
 * has converged or diverged, ask begins anew: the archive is kept, the next elites come from what is found
 * from here on, and zilch_progress.restarts grows. */
ZILCH_CHECKED zilch_optimizer_ask(zilch_optimizer *optimizer, size_t n, uint64_t *id, double *x);

/* How many points of the generation have not been asked for. A generation opens if none is open; its size may
 * differ from that of the last one. */
ZILCH_CHECKED zilch_optimizer_wanted(zilch_optimizer *optimizer, size_t *n);

/* Values of points that were asked for, each id once. A value that is not finite is a failed evaluation: it
 * is counted, ranked last and never fitted. An unknown id, or one that was told before, is EARG, and then
 * none of the n values is taken. The generation closes when enough values are there (`quorum`); values that
 * come later count in the next one. Points that never come back are remembered up to four populations; older
 * ids are unknown then. If the generation cannot close because memory is missing, the values are taken all
 * the same, and zilch_optimizer_advance() tries again. If no evaluation of a generation succeeded, the status
 * is EOBJECTIVE, the failures are counted, and the next ask begins the generation again with the same points.
 */
ZILCH_CHECKED zilch_optimizer_tell(zilch_optimizer *optimizer, size_t n, const uint64_t *id,
                                   const double *value);

/* The same with the standard error of each value (NULL, or NaN where an error is not known). With aggregate
 * mean a value then counts by 1 / error^2; one without an error counts as much as the first that had one. */
ZILCH_CHECKED zilch_optimizer_tell_error(zilch_optimizer *optimizer, size_t n, const uint64_t *id,
                                         const double *value, const double *error);

/* The same where a point must also keep limits that only its evaluation knows. `error` is as above.
 * violation[i] says by how much point i breaks them, as zilch_violation() gives it; 0 or less: it keeps them
 * all, and is feasible. NULL: all are. A violation that is NaN or infinite is a failed evaluation. Feasible
 * points come before all others, whatever their values; of the others, the one of the lesser violation. */
ZILCH_CHECKED zilch_optimizer_tell_violation(zilch_optimizer *optimizer, size_t n, const uint64_t *id,
                                             const double *value, const double *error,
                                             const double *violation);

/* The violation of a point whose limits are kept where these numbers are 0 or less: the sum of those above 0.
 * NaN if one of them is. */
ZILCH_API double zilch_violation(size_t count, const double *number);

/* A point that was not asked for, and its value: a warm start. The point must keep the limits on coordinates.
 * If you tell as many points as there are elites before the first ask, the first population is drawn from a
 * distribution that is fitted to them. */
ZILCH_CHECKED zilch_optimizer_tell_point(zilch_optimizer *optimizer, const double *x, double value);
/* The same with its violation. */
ZILCH_CHECKED zilch_optimizer_tell_point_violation(zilch_optimizer *optimizer, const double *x, double value,
                                                   double violation);

/* Closes the generation with the values that are there; without any, nothing happens. Before the first ask,
 * it puts the points of zilch_optimizer_tell_point() into the archive. */
ZILCH_CHECKED zilch_optimizer_advance(zilch_optimizer *optimizer);

/* Between two generations: another penalty of each active coordinate from now on. What is best, and what is
 * to be improved on, is judged anew by it. ESTATE if the first point of a generation was asked for. */
ZILCH_CHECKED zilch_optimizer_set_penalty(zilch_optimizer *optimizer, double penalty);

typedef struct zilch_progress {
    uint64_t generations; /* that have closed */
    uint64_t evaluations; /* that were told, with warm-start points and failures */
    uint64_t failures;    /* evaluations that failed */
    uint64_t foreign;     /* evaluations of points that were not asked for */
    uint64_t points;      /* different points that were evaluated */
    uint64_t improved;    /* the generation that last improved the best fitness; 0: none yet */
    uint64_t restarts;    /* how often the search began anew */
    size_t waiting;       /* points of this generation that were asked for and not yet told */
    double noise; /* standard deviation of one evaluation of a good point, from points that were evaluated
                     again or from told errors; NaN: not known */
    double scale; /* factor of the standard deviations: above 1 while variance scaling is at work */
    /* The best point of the archive. Values enter the archive when their generation closes; NaN before. To
     * look at those that were told since, too: zilch_optimizer_best(). */
    double best_value, best_fitness; /* as the objective gave it, and with the penalty */
    size_t best_active;
    double best_violation; /* 0: it is feasible; above 0: no feasible point is known */
} zilch_progress;

ZILCH_API zilch_progress zilch_optimizer_progress(const zilch_optimizer *optimizer);
ZILCH_API size_t zilch_optimizer_dim(const zilch_optimizer *optimizer);
ZILCH_API uint64_t zilch_optimizer_seed(const zilch_optimizer *optimizer);
/* The options it was created with, elites filled in. The arrays and networks belong to the optimiser. */
ZILCH_API const zilch_optimizer_options *zilch_optimizer_settings(const zilch_optimizer *optimizer);

/* The archive holds every point that was ever evaluated, in the order of their first values. It takes values
 * when their generation closes. The functions that follow also count what was told since then; the numbers of
 * points that are new in it may change until the generation closes. */
typedef struct zilch_record {
    uint64_t point;        /* its number, from 0 */
    double value, fitness; /* as `aggregate` says; NaN if it failed */
    size_t active;
    uint64_t evaluations, failures;
    double violation; /* aggregated like the value; 0: it is feasible; NaN if it failed */
    double error;     /* standard error of the value, from zilch_progress.noise; NaN: not known */
} zilch_record;

/* Point number `point` of the archive, from 0 to progress.points - 1, or of the new ones; x (dim) and out may
 * be NULL. ESTATE if its coordinates were dropped (`archive_size`). */
ZILCH_CHECKED zilch_optimizer_point(const zilch_optimizer *optimizer, uint64_t point, double *x,
                                    zilch_record *out);

/* The feasible point with the best fitness on record; if there is none, that of the least violation. With
 * noise the default method counts on two standard errors less, so that a lucky value is not taken for a good
 * point; with the other methods this is the luckiest one. zilch_optimizer_recommend() evaluates the best ones
 * again. ESTATE if no evaluation has succeeded. x (dim) and out may be NULL. */
ZILCH_CHECKED zilch_optimizer_best(const zilch_optimizer *optimizer, double *x, zilch_record *out);

/* The best points in this sense, best first: at most `capacity`; *count gets how many. */
ZILCH_CHECKED zilch_optimizer_top(const zilch_optimizer *optimizer, size_t capacity, zilch_record *out,
                                  size_t *count);

/* The front of active count and value: points whose value is better than that of every sparser point, the
 * sparsest first. As for zilch_optimizer_best(), the default method then counts on two standard errors less
 * where there is noise. Only feasible points are on it, if there are any. At most `capacity` of them; dim + 1
 * is always enough. */
ZILCH_CHECKED zilch_optimizer_front(const zilch_optimizer *optimizer, size_t capacity, zilch_record *out,
                                    size_t *count);

/* The zero-inflated Gaussian that is fitted to the best points on record, as for the next generation: a new
 * model, which you destroy. With defaults it is one of offsets: a sample of it plus the defaults is a point.
 * ESTATE with methods that have none, or while the first points are still drawn. */
ZILCH_CHECKED zilch_optimizer_model(const zilch_optimizer *optimizer, zilch_model **out);

/* The whole state as bytes and as files. A checkpoint is one call, and a loaded optimiser goes on as if
 * nothing had happened:
 *
 *     status = zilch_optimizer_save(optimizer, "search.checkpoint");
 *     ...
 *     status = zilch_optimizer_load(&optimizer, "search.checkpoint");
 */
ZILCH_CHECKED zilch_optimizer_pack(const zilch_optimizer *optimizer, void *buffer, size_t capacity,
                                   size_t *length);
ZILCH_CHECKED zilch_optimizer_unpack(zilch_optimizer **out, const void *buffer, size_t length);
ZILCH_CHECKED zilch_optimizer_save(const zilch_optimizer *optimizer, const char *path);
ZILCH_CHECKED zilch_optimizer_load(zilch_optimizer **out, const char *path);

/* ---- Running an objective ------------------------------------------------------- */

/* Points to evaluate, all in one call, so that the objective may vectorise, thread or distribute them. If
 * your objective is noisy, derive the noise from the id or the generation: then neither threads nor an
 * interruption change a run. During a search all ids are different. After it, in zilch_optimizer_recommend(),
 * points that are compared come with the same ids, and so meet the same noise. */
typedef struct zilch_batch zilch_batch;

/* Values that have arrived. An objective may tell of them before the whole batch is evaluated, so that they
 * can be kept: it calls batch->arrived with the batch, or with a part of it (zilch_batch_part()), with the
 * places of n values that are there now (index NULL: the first n), and with all values of that batch. A value
 * may arrive more than once. It may also be called with n 0 while time passes and nothing arrives. Any thread
 * may call it. After a status other than OK the objective begins no other evaluation, finishes those that
 * are under way, tells of them, and returns that status. */
typedef zilch_status (*zilch_arrival)(void *context, const zilch_batch *batch, size_t n, const size_t *index,
                                      const double *value);

struct zilch_batch {
    size_t n, dim;
    uint64_t generation; /* from 0; UINT64_MAX in zilch_optimizer_recommend() */
    const uint64_t *id;  /* n */
    const double *x;     /* n x dim */
    double *error; /* n, or NULL: write the standard error of each value here if you know it; they are NaN */
    double *violation; /* n, or NULL: write here by how much each point breaks limits that only its evaluation
                          knows, as for zilch_optimizer_tell_violation(); they are 0 */
    zilch_arrival arrived; /* NULL: nobody wants to know */
    void *arrived_context;
};

/* The n points of a batch from `begin` on, in the same arrays. */
ZILCH_API zilch_batch zilch_batch_part(const zilch_batch *batch, size_t begin, size_t n);

/* Writes n values. A value that is not finite is a failed evaluation. A status other than ZILCH_OK ends the
 * run. */
typedef zilch_status (*zilch_objective)(void *context, const zilch_batch *batch, double *value);

/* Called after each generation. ESTOPPED ends the run in good order; any other status but OK is a failure of
 * the run. */
typedef zilch_status (*zilch_observer)(void *context, const zilch_optimizer *optimizer);

/* When a search ends. All limits are counted over the optimiser's life, so that a resumed run ends where it
 * would have ended. Without `evaluations`, `generations` and `stagnation`, a search ends when it has
 * converged: when half of its evaluations, and at least 1000 + 20 dim of them, have found nothing better. The
 * other methods than the default then end after 100 generations, as the publication's searches do. */
#define ZILCH_LIMIT_LIST(CHOICE, COUNT, NUMBER, FLAG)                                                     \
    COUNT(evaluations, 0, 0, 0x1p64, COMMON,                                                              \
          "Evaluations in all: those of the search and of the final check; 0: no limit.")                 \
    COUNT(generations, 0, 0, 0x1p64, COMMON,                                                              \
          "Stop the search after this many generations, before the final check; 0: no limit.")            \
    NUMBER(target, NAN, -INFINITY, INFINITY, COMMON, "Stop when a feasible point has a value this good.") \
    COUNT(stagnation, 0, 0, 0x1p64, EXPERT,                                                               \
          "Stop after this many generations without a better fitness; 0: no limit.")

typedef struct zilch_limits {
    size_t size; /* set by zilch_limits_defaults() */
    ZILCH_LIMIT_LIST(ZILCH_CHOICE_FIELD, ZILCH_COUNT_FIELD, ZILCH_NUMBER_FIELD, ZILCH_FLAG_FIELD)
    /* NULL; or what zilch_optimizer_recommend() is given after the search, which then leaves it its share of
     * `evaluations` (zilch_final_budget()). */
    const struct zilch_final_options *final;
} zilch_limits;

ZILCH_API zilch_limits zilch_limits_defaults(void);
ZILCH_API const zilch_option *zilch_limit_list(size_t *count);

/* Which limit is reached, if any: for those who ask and tell by themselves. EARG if `final` asks for all of
 * the evaluations, or more. */
ZILCH_CHECKED zilch_limits_reached(const zilch_limits *limits, const zilch_optimizer *optimizer,
                                   zilch_stop *reason);

/* How many evaluations the search may still make; UINT64_MAX if `evaluations` is 0. It may grow or shrink
 * when a generation closes, because the share of the final check depends on what is known about noise. */
ZILCH_API uint64_t zilch_limits_left(const zilch_limits *limits, const zilch_optimizer *optimizer);

/* For those who ask and tell by themselves, once a limit is reached: opens a generation that evaluates points
 * of the front again, as zilch_final_options.final_front asks for. *n gets how many points there are to ask
 * for; 0: none is missing, or there is no budget left for it. zilch_optimizer_run() does this by itself.
 * After it, the search may have evaluations left, and go on. */
ZILCH_CHECKED zilch_optimizer_open_front(zilch_optimizer *optimizer, const zilch_limits *limits, size_t *n);

/* Runs until a limit is reached, or until the search has converged or diverged. *reason (may be NULL) gets
 * which. Any failure leaves the optimiser as it was after the last generation that closed; the points of the
 * generation that had begun are asked for again. */
ZILCH_CHECKED zilch_optimizer_run(zilch_optimizer *optimizer, zilch_objective objective, void *context,
                                  const zilch_limits *limits, zilch_observer observer, void *observer_context,
                                  zilch_stop *reason);

/* The final check: it finds the best supported point, not the luckiest. The best points of the archive are
 * evaluated again; in each round the better half is kept and evaluated more often (successive halving). Then
 * each coefficient is left out once, the smallest first; what is not missed stays out. Where values have no
 * noise, no point is evaluated again: the best on record is the best, and only the leaving out is tried. */
#define ZILCH_FINAL_LIST(CHOICE, COUNT, NUMBER, FLAG)                                                  \
    COUNT(final_candidates, 0, 0, 100000, EXPERT,                                                      \
          "Best points that are evaluated again at the end if values have noise; 0: up to 20.")        \
    COUNT(final_evaluations, 0, 0, 10000000, EXPERT,                                                   \
          "At most so many evaluations for the final check, which are a part of evaluations if "       \
          "that is given; 0: automatic, a fifth of evaluations and 500 at most, or less if values "    \
          "have no noise.")                                                                            \
    FLAG(final_pruning, 1, EXPERT, "Whether coordinates that are not missed are left out at the end.") \
    COUNT(final_front, 0, 0, 10000000, EXPERT,                                                         \
          "If values have noise, evaluate each point of the front again at the end until it has "      \
          "this many evaluations. They are a part of evaluations, a fifth of them at first.")

typedef struct zilch_final_options {
    size_t size; /* set by zilch_final_defaults() */
    ZILCH_FINAL_LIST(ZILCH_CHOICE_FIELD, ZILCH_COUNT_FIELD, ZILCH_NUMBER_FIELD, ZILCH_FLAG_FIELD)
    int is_noisy;    /* 1: values may be noisy, unless the search has shown that they are not; 0: never */
    uint64_t budget; /* 0; zilch_limits.evaluations, of which the final check takes only what is left */
} zilch_final_options;

/* What the method does at the end: published does not prune. */
ZILCH_API zilch_final_options zilch_final_defaults(zilch_method method);
ZILCH_API const zilch_option *zilch_final_list(size_t *count);

#undef ZILCH_CHOICE_FIELD
#undef ZILCH_COUNT_FIELD
#undef ZILCH_NUMBER_FIELD
#undef ZILCH_FLAG_FIELD

typedef struct zilch_recommendation {
    uint64_t point;   /* in the archive, before pruning */
    double mean;      /* value, from the fresh evaluations alone, or as on record if there are none */
    double deviation; /* of one evaluation; 0: the objective is not noisy; NaN: not known */
    double fitness;   /* the mean with the penalty */
    uint64_t
        evaluations;   /* that are fresh; the standard error of the mean is deviation / sqrt(evaluations) */
    uint64_t failures; /* beside them; a point with fewer failures is preferred */
    uint64_t spent;    /* evaluations in all */
    size_t active, pruned;
    double violation; /* mean, as that of the value; 0: the point is feasible */
} zilch_recommendation;

/* x (dim) gets the recommended point. The optimiser does not change: asked again, it gives the same. options
 * NULL: zilch_final_defaults() of the optimiser's method. */
ZILCH_CHECKED zilch_optimizer_recommend(const zilch_optimizer *optimizer, zilch_objective objective,
                                        void *context, const zilch_final_options *options, double *x,
                                        zilch_recommendation *out);

/* The front after the final check: that of zilch_optimizer_front(), and on it the recommended point, if
 * coordinates were left out of it and nothing as sparse is as good. This point is not in the archive; its
 * `point` is the one that it was made of. `capacity` is at least dim + 2. *recommended gets its place in out,
 * or SIZE_MAX if it is not there. */
ZILCH_CHECKED zilch_optimizer_front_with(const zilch_optimizer *optimizer,
                                         const zilch_recommendation *recommendation, size_t capacity,
                                         zilch_record *out, size_t *count, size_t *recommended);

/* How many evaluations zilch_optimizer_recommend() may take now. This is the one rule by which a budget is
 * divided; the search may use the rest of it.
 *   with noise, or as long as it is not known whether there is some: a fifth of the budget, 500 at most;
 *   without noise: one for each active coordinate of the best point, at most a tenth of the budget; none
 *     without pruning;
 *   never more than final_evaluations, and never more than what is left of the budget.
 * Without a budget the check comes on top of the search: 500, or as many as there are final_candidates;
 * without noise, one for each active coordinate. */
ZILCH_API uint64_t zilch_final_budget(const zilch_final_options *options, const zilch_optimizer *optimizer);

/* Threads: an objective around an objective. `inner` is called with parts of a batch, on several threads at
 * once, so its value for a point must not depend on the other points of its part. The values of a part arrive
 * when it is evaluated. threads 0: one for each processor.
 *
 *     zilch_pool pool = {.threads = 8, .inner = objective, .context = context};
 *     status = zilch_optimizer_run(optimizer, zilch_pool_objective, &pool, NULL, NULL, NULL, NULL);
 */
typedef struct zilch_pool {
    unsigned threads;
    zilch_objective inner;
    void *context;
} zilch_pool;
ZILCH_API zilch_status zilch_pool_objective(void *pool, const zilch_batch *batch, double *value);

/* ---- External programs ---------------------------------------------------------------- */

/* An objective in another language: a program reads points from its standard input and writes values to its
 * standard output, a line each (docs/how-to/programs.md). It runs from point to point, or is started anew for
 * each of them. When it crashes, hangs or prints something else, that evaluation has failed, and the program
 * is started again. All programs, and what they have started, end with the handle or with this process,
 * however that ends. */
typedef struct zilch_program zilch_program;

/* json: {"id":7,"x":[0,1.5]}; sparse: {"id":7,"active":{"1":1.5}}, coordinates counted from 0; both are
 * answered by {"id":7,"value":3.25}. By names they are {"id":7,"x":{"flour":0,"sugar":1.5}} and
 * {"id":7,"active":{"sugar":1.5}}. The answer may have "sigma", the standard error of the value, and
 * "violations", an array of numbers, or "violation", one number: limits that are kept where they are 0 or
 * less. An "error" that is not null, or a value that is null, says that the evaluation failed. plain: 0 1.5,
 * answered by 3.25. */
#define ZILCH_PROTOCOL_LIST(X)   \
    X(PROTOCOL_JSON, "json")     \
    X(PROTOCOL_SPARSE, "sparse") \
    X(PROTOCOL_PLAIN, "plain")
ZILCH_ENUM(protocol, PROTOCOL);

/* An answer of an evaluator. */
enum { ZILCH_REASON_SIZE = 256 };
typedef struct zilch_answer {
    uint64_t id;                    /* below 2^53; 0 for a plain answer */
    double value;                   /* NaN: the evaluation failed */
    double sigma;                   /* NaN: not known */
    double violation;               /* 0: the point is feasible */
    char reason[ZILCH_REASON_SIZE]; /* why the evaluation failed, cut off where it is longer; else "" */
} zilch_answer;

/* Reads one line, without its end. EFORMAT if it is no answer: the error says what is wrong, and its
 * `character` where. */
ZILCH_CHECKED zilch_answer_parse(const char *line, zilch_protocol protocol, zilch_answer *out);

/* Answers from a file: lines of JSON, or a table with the columns id, value and perhaps sigma and violation.
 * The first line decides which of both it is (docs/how-to/ask-and-tell.md). Coordinates may stand beside a
 * value: columns with their names, or "x" and "active" as in a point. They are read if you give their number;
 * without names they are called x1, x2, and so on; dim 0: they are not looked at. All lines are read, or
 * none: EFORMAT with the `line`, and the `field` or `character`, that is wrong. */
typedef struct zilch_answers {
    size_t count;
    const uint64_t *id;
    const double *value;       /* NaN: the evaluation failed */
    const double *sigma;       /* NaN: not known */
    const double *violation;   /* 0: the point is feasible */
    const char *const *reason; /* why the evaluation failed; NULL: not said, or it did not fail */
    const size_t *line;        /* of the file, from 1; NULL: there is no file */
    size_t dim;
    const double *x; /* count x dim coordinates; NaN: not said; -0: it is not among the "active" ones, and so
                        0 or its default. NULL: none is */
} zilch_answers;
ZILCH_CHECKED zilch_answers_read(zilch_answers **out, FILE *stream, size_t dim, const char *const *names);
ZILCH_API void zilch_answers_destroy(zilch_answers *answers);

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
    uint64_t max_failures;   /* 100; the objective gives up after so many in a row: EOBJECTIVE; 0: never */
    zilch_failure_reader failure; /* NULL; called after every failure; a status but OK ends the evaluations */
    void *failure_context;
    zilch_watcher watcher; /* NULL; called after every evaluation, after a signal, and five times a
                              second; other than 0 stops */
    void *watcher_context;
    size_t dim;               /* of the names */
    const char *const *names; /* NULL; of the coordinates, which must stay until the program is closed */
    int is_named;             /* 0; 1: json and sparse points have the names instead of numbers */
} zilch_program_options;

ZILCH_API zilch_program_options zilch_program_defaults(void);

/* Cuts a command line into words, for zilch_program_open(), with a NULL behind them. Blanks separate words.
 * Quotes, single or double, and a backslash keep characters from being special. EARG if there is no word, or
 * a quote is not closed. */
ZILCH_CHECKED zilch_program_words(char ***out, const char *text);
ZILCH_API void zilch_program_words_destroy(char **words);

/* Opens a program: `words` are its name and its arguments, with a NULL behind them. No shell is involved, so
 * a character that is special to a shell is a character like any other. The first program starts now: EIO if
 * it cannot. */
ZILCH_CHECKED zilch_program_open(zilch_program **out, const char *const *words,
                                 const zilch_program_options *options);
ZILCH_API void zilch_program_close(zilch_program *program);

/* A program may greet: each time that it is started, its first line may be {"names":["flour","sugar"]}, or
 * {"dim":2} without names. A greeting that contradicts the points, or the names of the options, is a failure.
 * This call waits for that line: EOBJECTIVE if the program ends, says something else, or is silent for so
 * many seconds. *names lives until the program is closed, and may be NULL. */
ZILCH_CHECKED zilch_program_greeting(zilch_program *program, double seconds, size_t *dim,
                                     const char *const **names);

/* The objective, with the program as its context. Call it from one thread at a time. */
ZILCH_API zilch_status zilch_program_objective(void *program, const zilch_batch *batch, double *value);

/* How many programs were started: `jobs`, and one more after each failure. */
ZILCH_API uint64_t zilch_program_starts(const zilch_program *program);

/* ---- Problems ------------------------------------------------------------------------- */

/* Problems to try the search on. The name of a problem includes its settings: "smop1:dim=100",
 * "lander:episodes=32". All are minimised but the lander.
 *   lander     the quadratic policy's 90 parameters; mean return of `episodes` (8) landings, on seeds fresh
 *              for each evaluation or, with seeds=common, the same for a generation; maximised. gravity,
 *              wind, wind_power and turbulence_power as in zilch_lander_options.
 *   sphere     dim (100) coordinates; the first `active` (10) have their optimum at 1, the others at 0;
 *              `noise` (0) is the deviation of what is added to each value
 *   smop1..8   Tian, Zhang, Wang and Jin's sparse problems in single-objective form; dim (100), a tenth
 *              active
 *   ellipsoid  a rotated ellipsoid of condition 1,000 on the first `active` (0: a tenth; up to 1,000) of dim
 *              (100) coordinates, the others at a penalty of 0.1 each; active=dim: dense
 *   rosenbrock Rosenbrock's bent valley through the first `active` (0: a tenth; at least 2) of dim (100)
 *              coordinates, with their optimum at 1, the others' at 0; active=dim: dense
 */
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
ZILCH_CHECKED zilch_problem_open(zilch_problem **out, const char *name, uint64_t seed);
ZILCH_API void zilch_problem_close(zilch_problem *problem);

/* Sparse regression on your own data. There is a coordinate for each column of x (rows x cols). The columns
 * are standardised, and an intercept is always there. */
#define ZILCH_REGRESSION_LIST(X)   \
    X(REGRESSION_LINEAR, "linear") \
    X(REGRESSION_LOGISTIC, "logistic")
ZILCH_ENUM(regression, REGRESSION);

/* What a point means.
 *   subset        The active coordinates choose columns. Their coefficients are fitted to the training rows,
 * and the value is the error on the validation rows. Coordinates are 0 or 1. coefficients  The coordinates
 * are the coefficients of the standardised columns, and the value is the error on the training rows, with the
 * best intercept for them. */
#define ZILCH_SEARCHED_LIST(X)   \
    X(SEARCHED_SUBSET, "subset") \
    X(SEARCHED_COEFFICIENTS, "coefficients")
ZILCH_ENUM(searched, SEARCHED);

typedef struct zilch_regression_options {
    size_t size;             /* set by zilch_regression_defaults() */
    zilch_regression kind;   /* linear: mean squared error; logistic: mean log loss, y is 0 or 1 */
    zilch_searched searched; /* subset */
    double validation;       /* 0.3; share of the rows, drawn by the seed, that are held out */
} zilch_regression_options;

ZILCH_API zilch_regression_options zilch_regression_defaults(void);

ZILCH_CHECKED zilch_problem_regression(zilch_problem **out, size_t rows, size_t cols, const double *x,
                                       const double *y, const zilch_regression_options *options,
                                       uint64_t seed);

/* A point as a regression: the intercept, the errors, and coefficients in the units of the data (cols). */
typedef struct zilch_regression_fit {
    double intercept;
    double training_error, validation_error; /* mean squared error, or mean log loss */
    double training_score, validation_score; /* linear: R^2; logistic: accuracy */
} zilch_regression_fit;

/* ESTATE if the problem is no regression. `coefficients` may be NULL. */
ZILCH_CHECKED zilch_problem_fit(const zilch_problem *problem, const double *x, double *coefficients,
                                zilch_regression_fit *out);

typedef struct zilch_problem_info {
    const char *name;    /* "smop1", "linear", ...; the text belongs to the problem */
    const char *setting; /* the whole name, which opens it again: "smop1:dim=100"; "" for a regression */
    size_t dim;
    zilch_direction direction;
    double lower, upper; /* bounds of every coordinate; -INFINITY, INFINITY: none */
    double penalty;      /* a penalty that suits the problem */
    int is_noisy;
} zilch_problem_info;

ZILCH_API zilch_problem_info zilch_problem_describe(const zilch_problem *problem);

/* The objective, with the problem as its context. Any number of threads may call it at once. */
ZILCH_API zilch_status zilch_problem_objective(void *problem, const zilch_batch *batch, double *value);

/* From now on `fly` flies the episodes of a lander, of its objective and of zilch_problem_held_out(), in
 * place of the library. It is called by each thread that evaluates, with all episodes of its batch. NULL: the
 * library again. ESTATE if the problem is no lander. */
ZILCH_CHECKED zilch_problem_set_flyer(zilch_problem *problem, zilch_flyer fly, void *context);

/* The share of coordinates that are active or zero as in the optimum. If only the number of active
 * coordinates in the optimum is known, it is 1 minus the difference of the numbers divided by dim. ESTATE if
 * the optimum is not known. */
ZILCH_CHECKED zilch_problem_support(const zilch_problem *problem, const double *x, double *share);

/* The mean value of a point, and its standard error, on `count` evaluations whose noise no search and no
 * recommendation has met. The lander flies episodes of the seeds 0, 1, ...; the seeds of its searches are all
 * 2^63 and above. `threads` (0: one for each processor) change nothing in the result; `watch` may be NULL.
 * The error of one evaluation is NaN. ESTATE if the problem has no noise. */
ZILCH_CHECKED zilch_problem_held_out(zilch_problem *problem, const double *x, size_t count, unsigned threads,
                                     zilch_watcher watch, void *context, double *mean, double *error);

/* ---- Studies: runs kept in one SQLite file ------------------------------------------------ */

/* A study survives whatever happens to the program: each generation is one transaction, with its points, its
 * values and what is needed to go on, and a journal keeps the values of the generation that is under way. One
 * process may write while others read. The library knows no clock, so that times come from you. */
typedef struct zilch_study zilch_study;

typedef enum zilch_study_mode {
    ZILCH_STUDY_READ,
    ZILCH_STUDY_WRITE, /* the file must exist */
    ZILCH_STUDY_CREATE /* the file is made if it does not exist */
} zilch_study_mode;

/* EFORMAT if the file is no study, EVERSION if it is of a later version, EIO with the reason otherwise. A
 * study of an earlier version is read as it is; opened for writing, it is brought up to date. The file may
 * come from somebody else: it is data, and so is what lies beside it. Opening it for reading changes nothing
 * on the disk. It is not opened for writing while it has several names (hard links). */
ZILCH_CHECKED zilch_study_open(zilch_study **out, const char *path, zilch_study_mode mode);
ZILCH_API void zilch_study_close(zilch_study *study);

/* Whether the file is no longer at the path where it was opened: it was moved, deleted or replaced by another
 * one. Then nothing more is recorded, and what was recorded last may be in the -wal file beside the old name.
 */
ZILCH_API int zilch_study_is_moved(const zilch_study *study);

/* What was asked for is kept as names and values. Those of the first three kinds follow from the optimiser,
 * the limits and the final options. Those of kind problem say what is optimised, beyond its name, such as a
 * program or a column of data. Those of kind means say how it is done without changing a result, such as
 * threads. */
#define ZILCH_SETTING_KIND_LIST(X) \
    X(SETTING_OPTION, "option")    \
    X(SETTING_LIMIT, "limit")      \
    X(SETTING_FINAL, "final")      \
    X(SETTING_PROBLEM, "problem")  \
    X(SETTING_MEANS, "means")
ZILCH_ENUM(setting_kind, SETTING_KIND);

typedef struct zilch_setting {
    zilch_setting_kind kind;
    const char *name, *value;
} zilch_setting;

/* A run as it was asked for. Texts may be NULL, which is "". */
typedef struct zilch_request {
    const char *name;                 /* what the run is called, such as its method in a comparison */
    const char *problem;              /* what is optimised, such as zilch_problem_info.setting */
    const char *data;                 /* the file with the data of a regression */
    const char *fingerprint;          /* of the data */
    const char *machine;              /* where the run began */
    const char *started;              /* when */
    const zilch_limits *limits;       /* NULL: zilch_limits_defaults() */
    const zilch_final_options *final; /* NULL: zilch_final_defaults() of the method */
    size_t settings;                  /* when a run starts, those of kind problem and means */
    const zilch_setting *setting;
    const char *const *coordinate_names; /* dim of them, or NULL */
    int is_first; /* 1: the study must not have a run yet; zilch_study_start() is ESTATE if it has. Not kept
                   */
} zilch_request;

/* The value of a setting; NULL if there is none of this kind and name. */
ZILCH_API const char *zilch_request_find(const zilch_request *request, zilch_setting_kind kind,
                                         const char *name);

/* Starts a run of this optimiser. *run gets its number, from 1. */
ZILCH_CHECKED zilch_study_start(zilch_study *study, const zilch_request *request,
                                const zilch_optimizer *optimizer, uint64_t *run);

typedef struct zilch_timings {
    double evaluating, searching; /* seconds of this generation, in the objective and outside it */
} zilch_timings;

/* Records a generation after it has closed: all of it, or nothing. ESTATE if the run in the file is not one
 * generation behind the optimiser, because another process has gone on with it. */
ZILCH_CHECKED zilch_study_record(zilch_study *study, uint64_t run, const zilch_optimizer *optimizer,
                                 const zilch_timings *timings);

/* Gives the optimiser as it was after the last recorded generation. What a journal has kept since then is
 * used when the run goes on. */
ZILCH_CHECKED zilch_study_resume(zilch_study *study, uint64_t run, zilch_optimizer **out);

/* A journal keeps values as they arrive, before their generation closes, so that after any interruption only
 * the evaluations under way are repeated. It is an objective around an objective, and the outermost one:
 *
 *     status = zilch_journal_open(&journal, study, run, seconds);
 *     const zilch_journaled journaled = {.journal = journal, .inner = objective, .context = context};
 *     status = zilch_optimizer_run(optimizer, zilch_journal_objective, &journaled, NULL, observer, ...);
 *
 * where the observer records each generation. A value that is in the journal is not evaluated again. The same
 * holds for the final check: zilch_optimizer_recommend() takes the same objective. What is kept of a run is
 * forgotten when its generation is recorded, or its conclusion.
 *
 * Where the first value of a batch takes a tenth of a second or longer, every value is on the disk before
 * `arrived` returns. Faster ones are written together, as soon as a tenth of a second, and fifty times as
 * long as writing took the last time, has passed since then. Failed evaluations are kept too, but not those
 * of a batch in which all have failed, or after which the objective has given up (EOBJECTIVE).
 *
 * Several threads may each have the journal of a run in one study, while another one uses the study itself.
 *
 * `seconds` is your clock; only differences matter. With study NULL the journal is in memory only: a run that
 * goes on in the same process repeats nothing. */
typedef struct zilch_journal zilch_journal;
typedef struct zilch_journaled {
    zilch_journal *journal;
    zilch_objective inner;
    void *context;
} zilch_journaled;

ZILCH_CHECKED zilch_journal_open(zilch_journal **out, zilch_study *study, uint64_t run,
                                 double (*seconds)(void));
ZILCH_API void zilch_journal_close(zilch_journal *journal); /* before the study; writes nothing */
ZILCH_API zilch_status zilch_journal_objective(void *journaled, const zilch_batch *batch, double *value);

/* Keeps why an evaluation has failed, as zilch_study_fail() does, but together with the values: on the disk
 * are both, or neither. Called before the value arrives, or else before zilch_journal_flush(); an observer
 * calls this one before it records the generation. */
ZILCH_CHECKED zilch_journal_fail(zilch_journal *journal, const zilch_failure *failure);

/* Writes what waits to be written, now. */
ZILCH_CHECKED zilch_journal_flush(zilch_journal *journal);

/* For those who ask and tell by themselves. recall begins a batch: it writes the values that are known, with
 * errors and violations, and whether each is (n). keep takes values of the batch, as `arrived` does. */
ZILCH_CHECKED zilch_journal_recall(zilch_journal *journal, const zilch_batch *batch, double *value,
                                   unsigned char *is_known);
ZILCH_CHECKED zilch_journal_keep(zilch_journal *journal, const zilch_batch *batch, size_t n,
                                 const size_t *index, const double *value);

/* After a run was stopped in the midst of a generation: the generation closes with the values that are known.
 * The optimiser then knows everything there is, but is no longer where the run in the study would go on. */
ZILCH_CHECKED zilch_journal_tell(zilch_journal *journal, zilch_optimizer *optimizer);

/* You can evaluate by hand, or through a queue: the study also keeps the open generation, so that its points
 * may be handed out and its values come back in any order, days apart, through any number of processes at
 * once. The run is the same as with zilch_optimizer_ask() and zilch_optimizer_tell(). ask      gives the next
 * points of the generation: at most n, and as many as the population has left. With `is_more` it gives n, up
 * to 2^20 beyond the population. *count gets how many; 0: all are handed out. waiting  gives the points that
 * are handed out and have no value yet, late ones too. *count gets their number, even if only the first
 * `capacity` are written. tell     takes values as zilch_optimizer_tell_error() does. When enough are there,
 * the generation is recorded, and *is_closed is 1. advance  closes the generation with the values that are
 * there; the others may come late. EOBJECTIVE if all evaluations failed: then the same points are asked for
 * again. */
ZILCH_CHECKED zilch_study_ask(zilch_study *study, uint64_t run, size_t n, int is_more, uint64_t *id,
                              double *x, size_t *count);
ZILCH_CHECKED zilch_study_waiting(zilch_study *study, uint64_t run, size_t capacity, uint64_t *id, double *x,
                                  size_t *count);
ZILCH_CHECKED zilch_study_tell(zilch_study *study, uint64_t run, size_t n, const uint64_t *id,
                               const double *value, const double *error, int *is_closed);
/* The same as zilch_optimizer_tell_violation() does. */
ZILCH_CHECKED zilch_study_tell_violation(zilch_study *study, uint64_t run, size_t n, const uint64_t *id,
                                         const double *value, const double *error, const double *violation,
                                         int *is_closed);
/* The same with all that answers may say. The reasons of failures are kept as by zilch_study_fail(). Where an
 * answer has coordinates, they must be those of its point in all of six digits, and 0 where it has 0. If they
 * are not, the value belongs to another point: EARG with the `point`, which is the answer's number from 0,
 * and the `coordinate`; no answer is taken. */
ZILCH_CHECKED zilch_study_tell_answers(zilch_study *study, uint64_t run, const zilch_answers *answers,
                                       int *is_closed);
ZILCH_CHECKED zilch_study_advance(zilch_study *study, uint64_t run, int *is_closed);

/* Keeps why evaluations failed. What is said again about the same evaluation replaces what was said before;
 * a generation that is recorded with a value for it makes it forgotten. */
ZILCH_CHECKED zilch_study_fail(zilch_study *study, uint64_t run, size_t n, const zilch_failure *failure);

/* What a run recommends after its last recorded generation, and why it has ended; STOP_NONE if it goes on. A
 * conclusion is kept for each generation, and replaces an earlier one of the same generation. */
typedef struct zilch_conclusion {
    zilch_stop stop;
    int is_recommending; /* 1: a point is recommended, and the following holds */
    zilch_recommendation recommendation;
    double held_out_mean, held_out_error; /* as zilch_problem_held_out() gives them; NaN: not measured */
    uint64_t held_out_count;
} zilch_conclusion;

ZILCH_CHECKED zilch_study_conclude(zilch_study *study, uint64_t run, const zilch_conclusion *conclusion,
                                   const double *x);
/* The conclusion after the last recorded generation. x (dim) may be NULL. */
ZILCH_CHECKED zilch_study_conclusion(zilch_study *study, uint64_t run, zilch_conclusion *out, double *x);

/* Readers are called for each row. What they are given is valid during the call. A status other than OK ends
 * the reading and is returned. */
typedef struct zilch_run {
    uint64_t run;
    zilch_request request; /* with all its settings */
    const char *version;   /* of the zilch that began it */
    uint64_t seed;
    size_t dim;
    zilch_method method;
    zilch_direction direction;
    double penalty;
    uint64_t generations, evaluations, failures; /* recorded */
    uint64_t spent;   /* those among the evaluations that the final check took, if the run has ended */
    uint64_t arrived; /* values that are kept since then: of the open generation, or of the final check */
    zilch_stop stop;
} zilch_run;

/* Whether two recorded runs were asked for in the same way: the same name, problem and data, the same
 * options, and the same settings of kind final and problem. Seeds, limits and means do not count, and neither
 * does a file's path if its fingerprint is known, nor the number of a penalty if the setting "penalty" of
 * kind problem says that it is "automatic". Runs whose penalty was changed on the way are the same if they
 * have the same one in the end. */
ZILCH_API int zilch_run_is_same(const zilch_run *a, const zilch_run *b);
/* The same for a run that is to start. Its penalty may be the one that the recorded run began with, or the
 * one that it has now. */
ZILCH_API int zilch_run_matches(const zilch_run *run, const zilch_request *request,
                                const zilch_optimizer *optimizer);

/* The run that a request means, if the study has one: it matches, its seed is the optimiser's, and so are all
 * options, arrays included. A run that has not ended goes on. One that has ended is over, if its limits are
 * those of the request; it goes on if it has not used more evaluations or generations than these allow; else
 * it is not the one. *run is 0 if there is none. */
ZILCH_CHECKED zilch_study_find(zilch_study *study, const zilch_request *request,
                               const zilch_optimizer *optimizer, uint64_t *run, int *is_over);
/* From now on a run has these limits: for one that goes on with others than it began with. */
ZILCH_CHECKED zilch_study_set_limits(zilch_study *study, uint64_t run, const zilch_limits *limits);
/* From now on a run has the penalty that its optimiser was given by zilch_optimizer_set_penalty() after the
 * generation that was recorded last. Its settings keep the one that it began with. */
ZILCH_CHECKED zilch_study_set_penalty(zilch_study *study, uint64_t run, const zilch_optimizer *optimizer);

typedef struct zilch_generation {
    uint64_t generation;                    /* from 1 */
    uint64_t evaluations, failures, points; /* so far */
    double best_value, best_fitness;        /* NaN: nothing has succeeded */
    size_t best_active;
    uint64_t best_point;
    double noise; /* as in zilch_progress */
    double best_violation;
    zilch_timings timings;
} zilch_generation;

typedef struct zilch_evaluation {
    uint64_t generation, id, point; /* generation from 1 */
    double value, fitness;          /* of this evaluation; NaN: failed */
    double weight;                  /* in the mean of its point: 1, or by the error told */
    double violation;               /* of this evaluation; 0: it kept all limits */
    size_t active;
    const double *x; /* dim; NULL if the coordinates were dropped */
} zilch_evaluation;

typedef zilch_status (*zilch_run_reader)(void *context, const zilch_run *run);
typedef zilch_status (*zilch_generation_reader)(void *context, const zilch_generation *generation);
typedef zilch_status (*zilch_evaluation_reader)(void *context, const zilch_evaluation *evaluation);
/* x is NULL if nothing is recommended. */
typedef zilch_status (*zilch_conclusion_reader)(void *context, uint64_t generation,
                                                const zilch_conclusion *conclusion, const double *x);

ZILCH_CHECKED zilch_study_runs(zilch_study *study, zilch_run_reader reader, void *context);
ZILCH_CHECKED zilch_study_generations(zilch_study *study, uint64_t run, zilch_generation_reader reader,
                                      void *context);
/* The last recorded generation of a run; generation 0 if there is none. */
ZILCH_CHECKED zilch_study_last(zilch_study *study, uint64_t run, zilch_generation *out);
/* The evaluations of a run, generation by generation, in the order in which the archive took them: late
 * points and those that were not asked for first, the others by id. */
ZILCH_CHECKED zilch_study_evaluations(zilch_study *study, uint64_t run, zilch_evaluation_reader reader,
                                      void *context);
/* Whether an evaluation of any run has violated a limit. */
ZILCH_CHECKED zilch_study_has_violations(zilch_study *study, int *result);
/* The failures of a run, by generation and id; those after the search come last. */
ZILCH_CHECKED zilch_study_failures(zilch_study *study, uint64_t run, zilch_failure_reader reader,
                                   void *context);
/* The conclusions of a run, by generation. */
ZILCH_CHECKED zilch_study_conclusions(zilch_study *study, uint64_t run, zilch_conclusion_reader reader,
                                      void *context);

/* ---- Following a run, and steering it ------------------------------------------------------ */

/* A number that is another one as soon as somebody else has written to the study: who follows a run asks for
 * it now and then, which costs next to nothing. */
ZILCH_CHECKED zilch_study_changes(zilch_study *study, uint64_t *out);

/* Generations from the first to the last, both from 1. Only these are read, and their order is checked; 0 are
 * failures after the search. */
typedef struct zilch_span {
    uint64_t first, last;
} zilch_span;
ZILCH_CHECKED zilch_study_generations_between(zilch_study *study, uint64_t run, zilch_span span,
                                              zilch_generation_reader reader, void *context);
ZILCH_CHECKED zilch_study_evaluations_between(zilch_study *study, uint64_t run, zilch_span span,
                                              zilch_evaluation_reader reader, void *context);
ZILCH_CHECKED zilch_study_failures_between(zilch_study *study, uint64_t run, zilch_span span,
                                           zilch_failure_reader reader, void *context);

/* What people may ask of a run that is searching, by any process that can write to its study:
 *   stop         after the generation that is under way, with the final check
 *   stop-now     as soon as it can be heard, without it; what has arrived is in the journal
 *   pause        before the next generation, until
 *   go-on        is asked for
 *   evaluations  as limits: `value` is the new one, 0 for none
 *   generations
 *   penalty      `value` is the penalty of each active coordinate from now on
 *   recommend    after the generation that is under way: the final check is made, and the search goes on
 * The study keeps what was asked, and after which generation it was heeded. */
#define ZILCH_ACTION_LIST(X)             \
    X(ACTION_STOP, "stop")               \
    X(ACTION_STOP_NOW, "stop-now")       \
    X(ACTION_PAUSE, "pause")             \
    X(ACTION_GO_ON, "go-on")             \
    X(ACTION_EVALUATIONS, "evaluations") \
    X(ACTION_GENERATIONS, "generations") \
    X(ACTION_PENALTY, "penalty")         \
    X(ACTION_RECOMMEND, "recommend")
ZILCH_ENUM(action, ACTION);

typedef struct zilch_command {
    uint64_t command; /* its number in the study, from 1 */
    uint64_t run;
    zilch_action action;
    double value;        /* NaN: none */
    const char *asked;   /* when */
    int is_heeded;       /* and after which generation: */
    uint64_t generation; /* 0: before the first */
} zilch_command;
typedef zilch_status (*zilch_command_reader)(void *context, const zilch_command *command);

/* Whether such an action takes this value: a limit a whole number, a penalty a finite one that is not below
 * 0, and all others NaN, for none. */
ZILCH_API int zilch_action_takes(zilch_action action, double value);
/* EARG if the action does not take the value. */
ZILCH_CHECKED zilch_study_ask_run(zilch_study *study, uint64_t run, zilch_action action, double value,
                                  const char *asked);
/* What was asked of a run, in order; `is_waiting`: only what has not been heeded. */
ZILCH_CHECKED zilch_study_commands(zilch_study *study, uint64_t run, int is_waiting,
                                   zilch_command_reader reader, void *context);
/* For who searches: a command was heeded, after so many generations. */
ZILCH_CHECKED zilch_study_heed(zilch_study *study, uint64_t command, uint64_t generation);

/* ---- Numbers as text ------------------------------------------------------------ */

/* Decimal numbers, the same in every locale: the decimal point is always a point. Reading rounds to the
 * nearest double, and what was written reads back as the same double. */

/* Reads the number that `text` begins with, and returns where it ends. NULL if there is none, or if it does
 * not fit: it is beyond the largest double, or it is not zero and would be rounded to 0. A sign, a fraction
 * and an exponent are read; blanks, hexadecimal digits, "inf" and "nan" are not. `text` must end in a
 * character that is no part of a number, for example NUL or a newline. */
ZILCH_API const char *zilch_number_scan(const char *text, double *out);

/* Reads the whole of `text` as one such number. Returns 1, or 0 if it is none. */
ZILCH_API int zilch_number_parse(const char *text, double *out);

/* Writes the shortest of 15, 16 or 17 digits that reads back as the same double; both zeros are "0". Returns
 * the length without the NUL. */
enum { ZILCH_NUMBER_SIZE = 32 };
ZILCH_API size_t zilch_number_format(double value, char text[ZILCH_NUMBER_SIZE]);

/* ---- Statistics of samples ------------------------------------------------------- */

/* Mean and deviation of values that come one by one. Begin with (zilch_tally){0}. */
typedef struct zilch_tally {
    uint64_t count;
    double mean;
    double squares; /* the sum of squared deviations from the mean */
} zilch_tally;

ZILCH_API void zilch_tally_add(zilch_tally *tally, double value);

/* The sample's standard deviation, with count - 1; NaN for fewer than two values. */
ZILCH_API double zilch_tally_deviation(const zilch_tally *tally);

/* The value below which `share` (0 to 1) of the sample lies: 0.5 gives the median. It is interpolated
 * linearly between the two nearest values. Sorts x (count) ascending, if it is not sorted yet. Values may be
 * infinite; NaN is not allowed. NaN if count is 0. */
ZILCH_API double zilch_quantile(size_t count, double *x, double share);

/* Whether one sample tends to be larger than another: the two-sided p-value of the rank-sum test of Wilcoxon,
 * also called Mann and Whitney's, for n values a and m values b. Values may be infinite, and equal infinities
 * are ties; NaN is not allowed. The p-value is exact if no two values are equal and neither sample has more
 * than 50; otherwise it is the normal approximation, corrected for ties and for continuity. 1 if a sample is
 * empty or all values are equal. NaN if there is not enough memory. */
ZILCH_API double zilch_rank_sum(size_t n, const double *a, size_t m, const double *b);

/* ---- Fingerprints ---------------------------------------------------------------- */

/* A 64-bit sum over `count` bytes that tells data apart (FNV-1a). Begin with ZILCH_FINGERPRINT_BEGIN; to go
 * on with more bytes, begin with the sum of those before. It is no protection against forgery. */
#define ZILCH_FINGERPRINT_BEGIN UINT64_C(0xcbf29ce484222325)
ZILCH_API uint64_t zilch_fingerprint(uint64_t begin, const void *bytes, size_t count);

/* ---- Files and threads, for programs around the library ---------------------- */

/* Writes `path` whole or not at all: `write` fills a stream on a temporary file in the same folder, which is
 * flushed to the disk and renamed over `path`. On any failure `path` is as it was. A path that is no regular
 * file (a pipe, a device) is written directly. `write` need not check each call: errors of the stream are
 * found afterwards. */
typedef zilch_status (*zilch_file_writer)(void *context, FILE *stream);
ZILCH_CHECKED zilch_file_replace(const char *path, zilch_file_writer write, void *context);

/* Reads the next line of a text file, without its end. Begin with (zilch_line){0}; the memory grows, and
 * zilch_line_free() frees it. *is_line is 0 at the end of the file. EFORMAT if the line has a NUL byte or is
 * longer than a gigabyte: then it is no text. */
typedef struct zilch_line {
    char *text;
    size_t length, capacity;
} zilch_line;
ZILCH_CHECKED zilch_line_read(zilch_line *line, FILE *stream, int *is_line);
ZILCH_API void zilch_line_free(zilch_line *line);

/* The number of processors that are online, at least 1: what 0 threads mean everywhere. */
ZILCH_API unsigned zilch_processors(void);

/* Calls job(context, 0) .. job(context, n - 1) on `threads` threads (0: one for each processor), in any
 * order. After a failure no further job is started; the failing job with the lowest index gives the status
 * and the error text. */
typedef zilch_status (*zilch_job)(void *context, size_t index);
ZILCH_CHECKED zilch_parallel(unsigned threads, size_t n, zilch_job job, void *context);

#undef ZILCH_ENUM
#undef ZILCH_ENUM_VALUE

#ifdef __cplusplus
}
#endif
#endif /* ZILCH_H */
