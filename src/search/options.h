/* The optimiser's options as it keeps them. */
#ifndef ZI_OPTIONS_H
#define ZI_OPTIONS_H

#include "base/bytes.h"
#include "base/status.h"

zilch_status zi_options_check(size_t dim, const zilch_optimizer_options *options);

/* Whatever it returns, zi_options_free() the copy. */
zilch_status zi_options_copy(zilch_optimizer_options *out, size_t dim,
                             const zilch_optimizer_options *options);
void zi_options_free(zilch_optimizer_options *options);

/* As bytes (options_file.c). What was read must be checked; whatever it returns, zi_options_free(). */
zilch_status zi_options_write(zi_writer *w, size_t dim, const zilch_optimizer_options *options);
zilch_status zi_options_read(zi_reader *r, uint32_t version, size_t dim, zilch_optimizer_options *out);

#endif
