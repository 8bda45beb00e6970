/* JSON documents on stdout, one function each: one line, doubles with the 17 digits that bring them
 * back exactly, null for what is infinite or absent. 0, or 1 after printing why. */
#ifndef JSON_H
#define JSON_H

#include "bench.h"
#include "recover.h"
#include "zilch.h"

/* dim, p, mu, sigma, tau, correlation and observed (arrays of rows), report. */
int json_print_model(const zilch_model *model);

/* The setting, mean_abs_rho, and for each inverter (null if not available) mae, mse, ccc, the same
 * by block, and the mean absolute errors by min(p_i, p_j). */
int json_print_recover(const recover_setting *setting, const recover_result *result);

/* An array of {case, value, unit, limit, ratio}. */
int json_print_bench(const bench_row *rows, size_t count);

#endif
