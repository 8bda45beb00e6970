/* JSON documents on stdout, one function each: one line, doubles with the 17 digits that bring them
 * back exactly, null for what is infinite or absent. 0, or 1 after printing why. */
#ifndef JSON_H
#define JSON_H

#include "bench.h"
#include "play.h"
#include "recover.h"
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

/* An array of {case, value, unit, limit, ratio}. */
int json_print_bench(const bench_row *rows, size_t count);

#endif
