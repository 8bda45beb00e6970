/* Figures, drawn by gnuplot from data and scripts that stay beside the pictures. All files are made in a
 * private folder inside the folder that shall hold them, and published together. Functions that return int
 * give 0, or 1 after printing why. */
#ifndef FIGURES_H
#define FIGURES_H

#include "terminal/private_folder.h"
#include "zilch.h"

#include <stddef.h>
#include <stdio.h>

enum { FIGURES_NAME_SIZE = 32 }; /* of a figure, such as "histogram" */

/* Makes the folder if it is missing, parents too: before long work whose figures it shall hold. */
int figures_make_folder(const char *folder);

/* A file that figures are drawn from. */
int figures_write(const private_folder *f, const char *name, const char *extension, zilch_file_writer write,
                  void *context);

/* Draws figures whose data are there, each as SVG, PNG and PDF: puts the scripts beside the data and calls
 * gnuplot. Says which of them were drawn; if the first fails, so will the others: gnuplot is missing. */
int figures_draw(const private_folder *f, size_t count, const char *const *name, int *is_drawn);

/* One of the files, to read before it is published; NULL and errno if it cannot be opened. */
FILE *figures_read(const private_folder *f, const char *name, const char *extension);

/* Moves all files to the folder. A picture is there whole or not at all, and never of other data than those
 * beside it: of the figures named, those that were not drawn go away. */
int figures_publish(const private_folder *f, size_t count, const char *const *name);

/* The scripts of cli/report/figures, put into the command by embed.cmake when it is built. A NULL name ends
 * the list. */
typedef struct figure_script {
    const char *name, *text;
} figure_script;
extern const figure_script figure_scripts[];

#endif
