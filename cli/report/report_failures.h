/* What failed in the run shown, in words. */
#ifndef REPORT_FAILURES_H
#define REPORT_FAILURES_H

#include "report/report.h"

#include <stdio.h>

/* A part of the page, with nothing in it if the study has no words about a failure. 0, or 1 after printing
 * why.
 */
int report_failures_print(const report *r, FILE *stream);

#endif
