/* What a report shows of a study: the runs of one problem that have ended, as a comparison of methods, and
 * one of them closely. */
#ifndef REPORT_H
#define REPORT_H

#include "compare.h"
#include "play.h"
#include "study_file.h"

enum { REPORT_EPISODES = 12 }; /* flown, of a lander, with the seeds from 1 on */

/* Where a run comes from. */
typedef struct report_source {
    const study_run *run; /* NULL: there is none in this place */
} report_source;

typedef struct report {
    study_file file;
    zilch_problem *problem;    /* NULL: cannot be opened by its text alone */
    char *name;                /* of the problem, in short */
    compare_setting setting;   /* its methods have only names; generations: the most of a run */
    compare_run *run;          /* methods x seeds, as compare_run_all() gives them; some may be empty */
    report_source *source;     /* of each */
    size_t ended, open, other; /* runs shown, not ended yet, and of other problems */
    size_t shown;              /* the place of the run that is shown closely */
    study_best best;           /* its points */
    play_episode *episode[REPORT_EPISODES]; /* of a lander, flown by what it recommends; else NULL */
} report;

/* The run to be shown closely, 0 for the best. 0, or 1 after printing why; close it in any case. */
int report_open(report *out, const char *path, uint64_t run);
void report_close(report *r);

/* "zig, seed 3" */
enum { REPORT_NAME_SIZE = 128 };
void report_run_name(const report *r, size_t place, char out[REPORT_NAME_SIZE]);

/* What a problem's values are called. */
const char *report_value_name(const report *r);

/* ---- Its forms; each gives 0, or 1 after printing why ------------------------------------------------ */

/* Draws every figure there is something for into the folder, which exists; *drawn has their names, a NULL
 * behind them, to which nothing is added any more where gnuplot fails. */
enum { REPORT_FIGURES_MOST = 16 };
typedef struct report_figures {
    size_t count;
    const char *name[REPORT_FIGURES_MOST];
    int are_drawn;
} report_figures;
int report_draw(const report *r, const char *folder, report_figures *out);

/* One page with all of it; figures are taken from the folder. */
int report_write_page(const report *r, const char *folder, const report_figures *figures, const char *path);

#endif
