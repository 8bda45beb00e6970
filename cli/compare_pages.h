/* Tables over the runs of a comparison as data, a row a method, for whatever they are written in. */
#ifndef COMPARE_PAGES_H
#define COMPARE_PAGES_H

#include "compare.h"

enum { PAGE_COLUMNS_MOST = COMPARE_METHODS_MOST, PAGE_HEAD_SIZE = 64 };

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

/* With the page's digits, or in powers of ten where these would leave nothing of it. */
enum { PAGE_NUMBER_SIZE = 32 };
void page_number_format(const page *p, double number, char out[PAGE_NUMBER_SIZE]);

/* All tables that the comparison has something for. NULL after printing why; free them. */
page *compare_pages_make(const compare_setting *setting, const compare_run *run, size_t *count);
void compare_pages_free(page *pages, size_t count);

#endif
