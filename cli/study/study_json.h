/* JSON about studies: runs, their generations, and the points that they found. Each function gives 0, or 1
 * after printing why. */
#ifndef STUDY_JSON_H
#define STUDY_JSON_H

#include "study/study_file.h"

/* study, the file's name, and runs: what is known about each, with the best seen so far. */
int study_json_print_all(const study_file *file);

/* One run, as above, and its settings, generations, front, best seen and what is recommended. */
int study_json_print_run(const study_file *file, const study_run *run, const study_best *best);

/* study, run, problem, the best seen and what is recommended, both with their coordinates. */
int study_json_print_best(const study_file *file, const study_run *run, const study_best *best);

/* study, run, how many values were taken, and the generation that they closed, or null. */
int study_json_print_told(const study_file *file, const zilch_run *run, size_t values,
                          const zilch_generation *closed);

/* An object for one row, to any stream, whose errors are for its owner. */
int study_json_write_evaluation(FILE *stream, const zilch_run *run, const double *defaults,
                                const zilch_evaluation *e);
int study_json_write_generation(FILE *stream, const zilch_run *run, const zilch_generation *generation);
int study_json_write_failure(FILE *stream, const zilch_run *run, const zilch_failure *failure);

#endif
