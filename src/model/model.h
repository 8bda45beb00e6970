/* The model's inside. */
#ifndef ZI_MODEL_H
#define ZI_MODEL_H

#include "base/status.h"
#include "math/linalg.h"

/* Of any structure, and of full. */
enum { ZI_MOST_DIM = 1000000, ZI_MOST_FULL_DIM = ZI_MOST_ORDER / 2, ZI_MOST_RANK = 1000 };

/* A column whose nonzeros differ by less than this, but differ, has no fit: their squares would be no
 * numbers. */
#define ZI_LEAST_SPREAD 1e-140

/* One block holds the struct and all arrays of numbers. */
struct zilch_model {
    size_t dim;
    zilch_structure structure;
    int fitted;
    zilch_fit_report report;      /* if fitted */
    double *p, *mu, *sigma, *tau; /* dim each */
    /* Of full; NULL of the others. */
    double *correlation; /* n x n, n = 2 dim */
    double *factor;      /* n x n: its lower Cholesky factor, in BLAS' order */
    double *observed;    /* n x n, NULL if not fitted */
    /* Of low-rank. */
    size_t rank;
    double *loading; /* rank x n */
    double *own;     /* n: square root of what the loadings leave */
    char **name;     /* dim, a block of its own; NULL: the columns have no names */
};

/* What the size of a model depends on. */
typedef struct zi_shape {
    size_t dim;
    zilch_structure structure;
    size_t rank; /* of low-rank: at most */
    int fitted;
    uint64_t name_bytes; /* of a file; 0: without names */
} zi_shape;

zilch_status zi_model_check_options(const zilch_model_options *options);

/* Memory for a model of this size, arrays not initialised. */
zilch_status zi_model_allocate(zilch_model **out, const zi_shape *shape);

/* Whether there can be a model of this size: EARG. */
zilch_status zi_model_check_dim(size_t dim, zilch_structure structure, const char *who);

/* What follows from p and the correlations: thresholds and the factor. */
void zi_model_thresholds(zilch_model *model);
void zi_model_own(zilch_model *model); /* of low-rank */
zilch_status zi_model_factorise(zilch_model *model);

/* The names as one text: how many bytes with the zeros behind each, 0 without names; and from there, where
 * `texts` holds dim of them. */
size_t zi_model_name_bytes(const zilch_model *model);
zilch_status zi_model_adopt_names(zilch_model *model, const char *texts, size_t bytes);

/* Checks parameters that come from outside; `who` begins the error text. */
zilch_status zi_model_check_parameters(const zilch_model *model, zilch_status failure, const char *who);

/* Everything a model promises, for the tests: parameters in range, correlations symmetric
 * with unit diagonal, the factor's product equal to them. */
int zi_model_is_valid(const zilch_model *model);

#endif
