/* The tables of a report in HTML. */
#ifndef REPORT_TABLES_H
#define REPORT_TABLES_H

#include "report/report.h"

#include <stdio.h>

/* All of them. 0, or 1 after printing why. */
int report_tables_print(const report *r, FILE *stream);

#endif
