/* What a report shows of a study: the runs of one problem that have ended, as a comparison of methods, and
 * one of them closely. Where none has ended, or a run that has not is asked for, they are shown as far as
 * they have come. */
#ifndef REPORT_H
#define REPORT_H

#include "compare/compare.h"
#include "run/play.h"
#include "study/study_file.h"
#include "terminal/private_folder.h"

enum { REPORT_EPISODES = 12 }; /* flown, of a lander, with the seeds from 1 on */

/* A point of the front: as it is on record, and with the mean and standard error of fresh evaluations; NaN:
 * there were none. */
typedef struct report_front_point {
    zilch_record record;
    double mean, error;
} report_front_point;

enum { REPORT_FRONT_MOST = 40 };
typedef struct report_front {
    size_t count, all;  /* points here, and on the whole front, which may be longer */
    size_t recommended; /* among them, where it is not in the archive; SIZE_MAX: it is, or it is not there */
    uint64_t again;     /* fresh evaluations of each; 0: none */
    int is_noisy;
    report_front_point point[REPORT_FRONT_MOST];
} report_front;

typedef struct report {
    study_file file;
    zilch_problem *problem;   /* NULL: cannot be opened by its text alone */
    char *name;               /* of the problem, in short */
    compare_setting setting;  /* its methods have only names; generations: the most of a run */
    compare_run *run;         /* methods x seeds, as compare_run_all() gives them; some may be empty */
    const study_run **source; /* of each; NULL: there is none in this place */
    int is_open;              /* the runs shown have not ended: none has, or the one asked for */
    size_t ended, open,
        other;       /* runs shown, not shown because they have not ended, or have, and of other problems */
    int is_chosen;   /* the run shown was asked for */
    size_t shown;    /* the place of the run that is shown closely */
    study_best best; /* its points */
    report_front front;     /* of it */
    zilch_optimizer *model; /* that has the penalties of single coordinates; NULL: there are none */
    play_episode *episode[REPORT_EPISODES]; /* of a lander, flown by what it recommends; else NULL */
} report;

/* The run to be shown closely, 0 for the best. 0, or 1 after printing why; close it in any case. */
int report_open(report *out, const char *path, uint64_t run);
void report_close(report *r);

/* "zig, seed 3" */
enum { REPORT_NAME_LETTERS = 48, REPORT_NAME_SIZE = 256 };
void report_run_name(const report *r, size_t place, char out[REPORT_NAME_SIZE]);

/* What it recommends, or else the best seen. */
const double *report_point(const report *r);

/* What a problem's values are called. */
const char *report_value_name(const report *r);

/* ---- Its forms; each gives 0, or 1 after printing why ---- */

/* Figures there is something for, and whether they were drawn. */
enum { REPORT_FIGURES_MOST = 16 };
typedef struct report_figures {
    size_t count;
    const char *name[REPORT_FIGURES_MOST];
    int is_drawn[REPORT_FIGURES_MOST];
    int has_data;   /* all of them */
    int is_undrawn; /* one of them, although its data are there */
} report_figures;

/* Draws them in the folder. */
int report_draw(const report *r, const private_folder *folder, report_figures *out);

/* One page with all of it; figures that were drawn are taken from the folder, which may be NULL if none was.
 */
int report_write_page(const report *r, const private_folder *folder, const report_figures *figures,
                      const char *path);

/* Publishes the figures; older ones of a report that this one has not go away. */
int report_publish(const private_folder *folder);

#endif
