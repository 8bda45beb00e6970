/* The optimiser's options as it keeps them. */
#ifndef ZI_OPTIMIZER_OPTIONS_H
#define ZI_OPTIMIZER_OPTIONS_H

#include "base/bytes.h"
#include "base/option.h"

zilch_status zi_optimizer_options_check(size_t dim, const zilch_optimizer_options *options);

/* Whatever it returns, zi_optimizer_options_free() the copy. */
zilch_status zi_optimizer_options_copy(zilch_optimizer_options *out, size_t dim,
                                       const zilch_optimizer_options *options);
void zi_optimizer_options_free(zilch_optimizer_options *options);

/* How the distribution is fitted, as the model takes it. */
zilch_model_options zi_optimizer_options_model(const zilch_optimizer_options *options);

/* As bytes (optimizer_options_file.c). What was read must be checked; whatever it returns, free it. *gone is
 * the name of an option that zilch no longer has, but that the bytes of an earlier version use; NULL if there
 * is none. */
zilch_status zi_optimizer_options_write(zi_writer *w, size_t dim, const zilch_optimizer_options *options);
zilch_status zi_optimizer_options_read(zi_reader *r, uint32_t version, size_t dim,
                                       zilch_optimizer_options *out, const char **gone);
/* EFORMAT: `what` of an optimiser's bytes is damaged. */
zilch_status zi_optimizer_damaged(const char *what);

/* Room for lists of so many values in all, in one block; the lists are not filled in. */
zilch_status zi_values_create(zilch_values **out, size_t dim, size_t count, double **value);

#endif
