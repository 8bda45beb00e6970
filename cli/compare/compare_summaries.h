/* Summaries of a comparison's runs as numbers, a row for each method, for whatever they are written in. */
#ifndef COMPARE_SUMMARIES_H
#define COMPARE_SUMMARIES_H

#include "compare/compare.h"

enum { SUMMARY_COLUMNS_MOST = COMPARE_METHODS_MOST, SUMMARY_HEAD_LETTERS = 60, SUMMARY_HEAD_SIZE = 256 };

/* A mean over runs with their standard deviation; of how many of them, if that is worth telling. */
typedef struct summary_cell {
    double number, spread; /* NaN: none */
    size_t count, of;      /* of 0: not told */
} summary_cell;

typedef struct summary {
    const char *name;  /* in one word, as for a label */
    const char *title; /* in a sentence without its stop */
    int digits;        /* behind the point */
    size_t columns;
    char head[SUMMARY_COLUMNS_MOST][SUMMARY_HEAD_SIZE];
    summary_cell *cell; /* methods x columns */
} summary;

/* Where the budget is one of generations, these mean something: generations of populations of different sizes
 * do not compare. The generation that ends a quarter, by its number from 0; the first generation whose best
 * on record is as good as a target, and the active coordinates of the best at the end of a quarter, NaN:
 * none. */
enum { COMPARE_QUARTERS = 4 };
int compare_is_by_generations(const compare_setting *setting);
uint64_t compare_quarter(const compare_setting *setting, size_t index);
double compare_generations_to(const compare_setting *setting, const compare_run *run, size_t target);
double compare_active_at(const compare_setting *setting, const compare_run *run, size_t quarter);

/* With the summary's digits, or in powers of ten where these would leave nothing of the number. */
enum { SUMMARY_NUMBER_SIZE = 32 };
typedef struct summary_cell_text {
    char number[SUMMARY_NUMBER_SIZE], spread[SUMMARY_NUMBER_SIZE];
} summary_cell_text;
void summary_cell_format(const summary *p, const summary_cell *cell, summary_cell_text *out);

/* All tables that the comparison has something for. NULL after printing why; free them. */
summary *compare_summaries_make(const compare_setting *setting, const compare_run *run, size_t *count);
void compare_summaries_free(summary *summaries, size_t count);

#endif
