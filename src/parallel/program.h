/* The inside of an objective that programs evaluate, for program.c and program_open.c. */
#ifndef ZI_PROGRAM_H
#define ZI_PROGRAM_H

#include "parallel/greeting.h"

#define ZI_NO_POINT SIZE_MAX

struct zilch_program {
    zilch_program_options options;
    char **words;
    size_t count; /* of workers */
    zi_worker *worker;
    struct pollfd *look; /* at all workers, and behind them at */
    int tick;            /* a timer that rings five times a second, for the watcher; -1: there is none */
    size_t *again;       /* points to be given out once more, */
    size_t again_count;
    size_t *arrived; /* points that were answered since the last time that somebody was told, */
    size_t arrived_count;
    zi_greeting *greeting; /* as zilch_program_greeting() has it; NULL: not asked for */
    zi_labels *labels;     /* of the points; NULL: coordinates go by their numbers */
    zi_text next;          /* the text of point number `prepared`, unless that is ZI_NO_POINT */
    size_t prepared;
    uint64_t in_a_row, starts;
};

#endif
