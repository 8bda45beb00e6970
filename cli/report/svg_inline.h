/* A picture of gnuplot as a part of a page. */
#ifndef SVG_INLINE_H
#define SVG_INLINE_H

#include <stdio.h>

/* The <svg> of the picture (NULL: could not be opened), with a label for those who do not see it, without the
 * title and description that gnuplot gives it, and with ids that begin with `name`: several of them may stand
 * in one page. 0, or 1 after printing why. */
int svg_put_inline(FILE *stream, FILE *picture, const char *name, const char *label);

#endif
