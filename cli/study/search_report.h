/* Lines about what a search has found, shared by the end of a run and the commands that look at one later. */
#ifndef SEARCH_REPORT_H
#define SEARCH_REPORT_H

#include "zilch.h"

/* "budget: 200 evaluations": what ends it. `seconds` may be NaN. */
void search_report_budget(const zilch_limits *limits, double seconds);

/* "penalty: 2 for each active (nonzero) coordinate"; with defaults, active (not default) ones. */
void search_report_penalty(const zilch_optimizer *optimizer);

/* "method default, population 500, ..." and how the law is fitted, and the seed. */
void search_report_settings(const zilch_optimizer *optimizer);

/* "restarts: 2" and "noise: 12.3 ...", each if there is any. */
void search_report_noise(const zilch_progress *state);
/* "stopped by: converged" */
void search_report_stop(const char *before, zilch_stop stop);

int search_is_noisy(const zilch_progress *state);

/* ", infeasible, violation 0.3" behind what was said of a point, if it is so. */
void search_report_penalised(double value, double fitness);
void search_report_violation(double violation);

/* "best seen: value 277.3 with 13 active (nonzero) coordinates, 251.3 after the penalty" */
void search_report_seen(const zilch_optimizer *optimizer, const zilch_record *best);

/* The end of a line about evaluations: how many of them the final check took. */
void search_report_spent(uint64_t spent);
/* "recommended: value ..." and, if it was measured, how it does on what the search never saw. */
void search_report_recommended(const zilch_optimizer *optimizer, const zilch_conclusion *c);

/* The front of active count and value, `most` lines of it. 0, or 1 after printing why. */
int search_report_front(const zilch_optimizer *optimizer, const zilch_conclusion *c, size_t most);

/* Every point of the front, to be freed: NULL after printing why. What the final check has found by leaving
 * out coordinates is not in the archive, but it is on the front if nothing as sparse is as good: `conclusion`
 * (NULL: none is known). *recommended is its place, SIZE_MAX if it has none; then its `point` is the one that
 * it was made of. */
zilch_record *search_front_read(const zilch_optimizer *optimizer, const zilch_conclusion *conclusion,
                                size_t *count, size_t *recommended);

#endif
