/* JSON documents on stdout, one function each: one line, doubles with the 17 digits that bring them
 * back exactly, null for what is infinite or absent. 0, or 1 after printing why. */
#ifndef JSON_H
#define JSON_H

#include "bench.h"
#include "play.h"
#include "recover.h"
#include "study_file.h"
#include "zilch.h"

/* dim, p, mu, sigma, tau, correlation and observed (arrays of rows), report. */
int json_print_model(const zilch_model *model);

/* weights, the file's name, and networks: for each block (or the one given, if it is not
 * ZILCH_BLOCKS) how its network was trained. */
int json_print_networks(const char *weights, const zilch_networks *networks, int block);

/* The setting with the weights' file (null: the library's own), mean_abs_rho, and for each inverter
 * mae, mse, ccc, the same by block, and the mean absolute errors by min(p_i, p_j). */
int json_print_recover(const recover_setting *setting, const char *weights, const recover_result *result);

/* controller, the options, episodes (an array of {seed, return, steps, outcome}) and their summary.
 * Episode by episode, so that memory does not grow with them; to any stream, whose errors are for its owner.
 */
int json_write_play(FILE *stream, const char *controller, const play_setting *setting,
                    const play_result *result, const play_summary *summary);

/* The words of a command line and the checksum of its data ("" without), as a text to be freed, and back.
 * NULL, or 1, without a message, if it cannot be done. */
typedef struct json_arguments {
    size_t count;
    char **words; /* and NULL behind them */
    char checksum[17];
} json_arguments;

char *json_arguments_format(size_t count, char *const *words, const char *checksum);
int json_arguments_parse(const char *text, json_arguments *out);
void json_arguments_free(json_arguments *arguments);

/* An answer to a point: {"id":7,"value":3.25}, with "sigma" or, in place of a value, "error". `reason` is a
 * text to be freed if the evaluation failed. 0; 1 with what is wrong in `wrong`, which is no longer than
 * `size`. */
#define JSON_ID_END 0x1p53 /* ids are below: a double has them all */
typedef struct json_answer {
    uint64_t id;         /* below JSON_ID_END */
    double value, sigma; /* NaN: failed, not known */
    char *reason;
} json_answer;
int json_answer_parse(const char *line, json_answer *out, char *wrong, size_t size);

/* {"id":7,"x":[0,1.5]}, or sparsely {"id":7,"active":{"1":1.5}}, to any stream, whose errors are for its
 * owner. */
void json_write_point(FILE *stream, uint64_t id, size_t dim, const double *x, int is_sparse);

/* study, the file's name, and runs: what is known about each, with the best seen so far. */
int json_print_study(const study_file *file);

/* One run, as above, and its settings, generations, front, best seen and what is recommended. */
int json_print_run(const study_file *file, const study_run *run, const study_best *best);

/* study, run, problem, the best seen and what is recommended, both with their coordinates. */
int json_print_best(const study_file *file, const study_run *run, const study_best *best);

/* An object for one row, to any stream, whose errors are for its owner. */
int json_write_evaluation(FILE *stream, const zilch_run *run, const zilch_evaluation *evaluation);
int json_write_generation(FILE *stream, const zilch_run *run, const zilch_generation *generation);
int json_write_failure(FILE *stream, const zilch_run *run, const zilch_failure *failure);

/* An array of {case, value, unit, limit, ratio}. */
int json_print_bench(const bench_row *rows, size_t count);

#endif
