/* Parts of the document that are made whole each time, as JSON; to be freed. */
#ifndef FOLLOW_PARTS_H
#define FOLLOW_PARTS_H

#include "study/follow_inside.h"

/* What was asked of a run: the last of it. */
zilch_status follow_commands(zilch_study *study, uint64_t run, char **out);

/* What it recommends; null if nothing. */
zilch_status follow_conclusion(zilch_study *study, const followed *r, char **out);

#endif
