/* Lines about what a search has found, shared by the end of a run and the commands that look at one later. */
#ifndef SEARCH_REPORT_H
#define SEARCH_REPORT_H

#include "zilch.h"

/* "method default, population 500, ..." and how the law is fitted. */
void search_report_settings(const zilch_optimizer *optimizer);

/* "restarts: 2" and "noise: 12.3 ...", each if there is any. */
void search_report_noise(const zilch_progress *progress);
/* "stopped by: converged" */
void search_report_stop(const char *before, zilch_stop stop);

int search_is_noisy(const zilch_progress *progress);

/* "best seen: fitness 251.3, value 277.3, active 13" */
/* ", infeasible, violation 0.3" behind what was said of a point, if it is so. */
void search_report_violation(double violation);
void search_report_seen(const zilch_record *best);

/* The end of a line about evaluations: how many of them the final check took. */
void search_report_spent(uint64_t spent);
/* "recommended: value ..." and, if it was measured, how it does on what the search never saw. */
void search_report_recommended(const zilch_conclusion *c);

/* The front of active count and value, `most` lines of it. 0, or 1 after printing why. */
int search_report_front(const zilch_optimizer *optimizer, size_t most);

/* Every point of the front, to be freed: NULL after printing why. */
zilch_record *search_front_read(const zilch_optimizer *optimizer, size_t *count);

#endif
