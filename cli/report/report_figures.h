/* The data of a report's figures, a file for each kind of them. Functions that return int give 0, or 1 after
 * printing why; those that write figures add their names. */
#ifndef REPORT_FIGURES_H
#define REPORT_FIGURES_H

#include "report/report.h"

#include <stdio.h>

int report_write_shown(const report *r, const private_folder *folder, report_figures *out);

/* The front of the run shown, if it has two points at least. */
int report_write_front(const report *r, const private_folder *folder, report_figures *out);

/* Of a regression whose data are there: predicted against observed values, or the probabilities of two
 * classes. */
int report_write_fit(const report *r, const private_folder *folder, report_figures *out);

/* Of a lander: a landing, and the formulas. */
int report_write_landing(const report *r, const private_folder *folder, report_figures *out);

/* Positive values that are minimised over several decades. */
int report_is_logarithmic(const report *r);

/* ---- For gnuplot ----------------------------------------------------------------- */

/* " 1.5"; what is no number becomes NaN, which gnuplot leaves out. */
void figure_put_number(FILE *stream, double number);

/* Lines of NAME.meta.gp: "name = 1.5" and "array name[2] = [1, 2]". No text may be there: it is a script. */
void figure_put_setting(FILE *stream, const char *name, double number);
void figure_put_numbers(FILE *stream, const char *name, size_t count, const double *number);

/* A text, in gnuplot's markup, as data: a row for each byte, with the number of the text and the byte. The
 * script texts.gp puts them together again. */
void figure_put_text(FILE *stream, size_t number, const char *markup);

/* Texts of other people, each of them in markup that shows the very letters. A long one is shortened. */
enum { FIGURE_TEXT_LETTERS = 200, FIGURE_TEXT_SIZE = 1024 };
const char *figure_escape(const char *text, char out[FIGURE_TEXT_SIZE]);

/* The name of the run shown: "zig, seed 3" */
const char *figure_title(const report *r, char out[FIGURE_TEXT_SIZE]);

/* A coordinate's name: "main: v_y" of a lander, else its own, "column 3" of a regression, or "x17". */
const char *figure_coordinate(const report *r, size_t index, char out[FIGURE_TEXT_SIZE]);

/* A space that no line is broken at: plain ones next to markup get lost in some readers of SVG. */
#define FIGURE_SPACE "\u00a0"

/* Formulas are parted by spaces: the next of their words in gnuplot's markup, and how wide it is, in letters.
 * Numbers get four digits. Gives what is behind it; NULL at the end of the line. */
enum { FIGURE_WORD_SIZE = 64 };
const char *figure_word(const char *text, char out[FIGURE_WORD_SIZE], size_t *width);

#endif
