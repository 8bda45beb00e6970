/* What of an optimiser is in the making, as bytes. */
#ifndef ZI_GENERATION_FILE_H
#define ZI_GENERATION_FILE_H

#include "base/bytes.h"
#include "search/optimizer.h"

/* A genome, with its length before it. */
void zi_row_write(zi_writer *w, const zi_rows *rows, size_t index);
zilch_status zi_row_read(zi_reader *r, size_t width, double *row);

/* Read in this order, into an optimiser that has its options and counters; `row` is room for a genome. What
 * they say of the archive must be checked when it is there. `version` is that of the bytes. */
void zi_turns_write(zi_writer *w, const zi_turns *turns);
zilch_status zi_turns_read(zi_reader *r, uint32_t version, zilch_optimizer *optimizer);
zilch_status zi_generation_write(zi_writer *w, const zilch_optimizer *optimizer);
zilch_status zi_generation_read(zi_reader *r, uint32_t version, zilch_optimizer *optimizer);
void zi_stragglers_write(zi_writer *w, const zi_stragglers *late);
zilch_status zi_stragglers_read(zi_reader *r, zilch_optimizer *optimizer, double *row);
void zi_new_evaluations_write(zi_writer *w, const zi_new_evaluations *fresh);
zilch_status zi_new_evaluations_read(zi_reader *r, zilch_optimizer *optimizer);

/* What the optimiser knows of violations, but for the archive's: behind the rest, if there are any. */
int zi_optimizer_has_violations(const zilch_optimizer *optimizer);
void zi_violations_write(zi_writer *writer, const zilch_optimizer *optimizer);
int zi_violation_read(zi_reader *reader, double *out); /* 0 if it is none */
zilch_status zi_violations_read(zi_reader *reader, zilch_optimizer *optimizer);

#endif
