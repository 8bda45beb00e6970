/* zilch show STUDY: its runs, or one of them. */
#ifndef SHOW_STUDY_H
#define SHOW_STUDY_H

#include <stdint.h>

/* `run` UINT64_MAX: all of them, a line each. Gives the exit status. */
int show_study(const char *path, uint64_t run, int is_json, int is_all);

#endif
