/* What a user says about single coordinates: which (by number, from 1), and how far they may go. */
#ifndef COORDINATES_H
#define COORDINATES_H

#include "zilch.h"

#include <stddef.h>

/* What is wrong with a text, without the option's name. */
typedef struct coordinates_error {
    char text[256];
} coordinates_error;

/* Gives each coordinate in "1,4-7" the mark `value` (not 0). `mark` has dim entries, 0 for those not marked
 * yet; marking one twice is an error. 0, or 1 with *error filled. */
int coordinates_mark(const char *list, size_t dim, size_t value, size_t *mark, coordinates_error *error);

/* "1-3;4,6": those of the first list get 1, those of the second 2, and so on. */
int coordinates_group(const char *lists, size_t dim, size_t *mark, coordinates_error *error);

/* "LOW:HIGH"; an end that is "none" or empty is infinite. */
int coordinates_bounds(const char *text, double *low, double *high, coordinates_error *error);

/* A file with a line "LOW,HIGH" for each coordinate, or "LOW,HIGH,X0" or "LOW,HIGH,X0,SCALE", after a header
 * line or not; # begins a comment. column[k] gets the dim numbers of column k; those of X0 and SCALE are NaN
 * in all lines or in none. */
enum { COORDINATES_COLUMNS = 4 };
int coordinates_bounds_read(const char *path, size_t dim, double *const column[COORDINATES_COLUMNS],
                            coordinates_error *error);

/* The coordinate, from 0, that a word names: by its number from 1, or by its name if `names` is not NULL. */
int coordinates_find(const char *word, size_t dim, const char *const *names, size_t *out,
                     coordinates_error *error);

/* A file with a line "NUMBER" for each coordinate, or "COORDINATE,NUMBER" for some, the others having 0;
 * after a header line or not; # begins a comment. The numbers are finite, and 0 or more if `least` is 0. */
typedef struct coordinates_kind {
    const char *name, *plural; /* "penalty", "penalties" */
    double least;              /* 0, or -INFINITY */
} coordinates_kind;
int coordinates_numbers_read(const char *path, const coordinates_kind *kind, size_t dim,
                             const char *const *names, double *out, coordinates_error *error);

/* "0.05" for all, or "1=1,4=0.05" for some, by number or name. */
int coordinates_steps(const char *text, size_t dim, const char *const *names, double *out,
                      coordinates_error *error);

/* A file with lines "COORDINATE,VALUE,VALUE,..."; out (dim) is empty before. To be freed, also on failure. */
int coordinates_values_read(const char *path, size_t dim, const char *const *names, zilch_values *out,
                            coordinates_error *error);
void coordinates_values_free(size_t dim, zilch_values *values);

#endif
