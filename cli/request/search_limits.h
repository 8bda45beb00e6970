/* Linear limits from the command line: --sum and --limits. */
#ifndef SEARCH_LIMITS_H
#define SEARCH_LIMITS_H

#include "request/search_options.h"

/* To be freed by zilch_linear_limits_free(). `names` (dim), or NULL. 0, or the exit status after printing
 * why. */
int search_limits_read(const search_request *r, size_t dim, const char *const *names,
                       zilch_linear_limit **out, size_t *count);

#endif
