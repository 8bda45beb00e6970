/* Coordinates that stand beside a value, by which it is known whose value it is. */
#ifndef ZI_ANSWER_POINT_H
#define ZI_ANSWER_POINT_H

#include "parallel/json_reader.h"

/* The coordinates of a run. */
typedef struct zi_coordinates {
    size_t dim;               /* 0: they are not looked at */
    const char *const *names; /* dim; NULL: x1, x2, ... */
} zi_coordinates;

/* The coordinate that a column is called after, by its name or as x1, x2, ...; SIZE_MAX: none. `likely` is
 * looked at first. */
size_t zi_coordinate_find(const zi_coordinates *coordinates, const char *text, size_t likely);

/* What a line of JSON, which is known to be an object, says of its point: "x":[0,1.5], or
 * "active":{"1":1.5}, whose other coordinates become -0, as they are 0 or their default; in an object, names
 * may stand for numbers. x (dim) gets NaN for what is not said; *is_said tells whether anything is. 0 if that
 * is no point of the run: then *fault says where and why. The locale is C's. */
int zi_point_read(const zi_coordinates *coordinates, const char *line, double *x, int *is_said,
                  zi_json_fault *fault);

#endif
