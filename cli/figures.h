/* Figures, drawn by gnuplot from data and scripts that stay beside the pictures. Each function gives 0, or 1
 * after printing why. */
#ifndef FIGURES_H
#define FIGURES_H

#include "zilch.h"

#include <stddef.h>

enum { FIGURES_NAME_SIZE = 32 }; /* of a figure, such as "histogram" */

/* Makes the folder if it is missing, parents too: before long work whose figures it shall hold. */
int figures_make_folder(const char *folder);

/* A file there, whole or not at all, so that a picture is never drawn from half of its data. */
int figures_write(const char *folder, const char *name, const char *extension, zilch_file_writer write,
                  void *context);

/* Draws a figure whose data are there: puts its script beside them, with those that it loads, and makes an
 * SVG, a PNG and a PDF. And takes these away. */
int figures_draw(const char *folder, const char *name);
int figures_remove(const char *folder, const char *name);

/* The scripts of cli/figures, put into the command by embed.cmake when it is built. A NULL name ends the
 * list. */
typedef struct figure_script {
    const char *name, *text;
} figure_script;
extern const figure_script figure_scripts[];

#endif
