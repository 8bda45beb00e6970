/* Tables over the runs of a comparison as data, a row a method, for whatever they are written in. */
#ifndef COMPARE_PAGES_H
#define COMPARE_PAGES_H

#include "compare.h"

enum { PAGE_COLUMNS_MOST = COMPARE_METHODS_MOST, PAGE_HEAD_LETTERS = 60, PAGE_HEAD_SIZE = 256 };

/* A mean over runs with their standard deviation; of how many of them, if that is worth telling. */
typedef struct page_cell {
    double number, spread; /* NaN: none */
    size_t count, of;      /* of 0: not told */
} page_cell;

typedef struct page {
    const char *name;  /* in one word, as for a label */
    const char *title; /* in a sentence without its stop */
    int digits;        /* behind the point */
    size_t columns;
    char head[PAGE_COLUMNS_MOST][PAGE_HEAD_SIZE];
    page_cell *cell; /* methods x columns */
} page;

/* Where the budget is one of generations, these mean something: generations of populations of different sizes
 * do not compare. The generation that ends a quarter, by its number from 0; the first generation whose best
 * on record is as good as a target, and the active coordinates of the best at the end of a quarter, NaN:
 * none. */
enum { COMPARE_QUARTERS = 4 };
int compare_is_by_generations(const compare_setting *setting);
uint64_t compare_quarter(const compare_setting *setting, size_t index);
double compare_generations_to(const compare_setting *setting, const compare_run *run, size_t target);
double compare_active_at(const compare_setting *setting, const compare_run *run, size_t quarter);

/* With the page's digits, or in powers of ten where these would leave nothing of the number. */
enum { PAGE_NUMBER_SIZE = 32 };
typedef struct page_cell_text {
    char number[PAGE_NUMBER_SIZE], spread[PAGE_NUMBER_SIZE];
} page_cell_text;
void page_cell_format(const page *p, const page_cell *cell, page_cell_text *out);

/* All tables that the comparison has something for. NULL after printing why; free them. */
page *compare_pages_make(const compare_setting *setting, const compare_run *run, size_t *count);
void compare_pages_free(page *pages, size_t count);

#endif
