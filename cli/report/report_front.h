/* The front of active count and value in a report. */
#ifndef REPORT_FRONT_H
#define REPORT_FRONT_H

#include "report/report.h"

/* Reads the front of the run shown, whose points have been read. 0, or 1 after printing why. */
int report_front_read(report *r);

#endif
