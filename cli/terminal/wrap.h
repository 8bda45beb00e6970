/* Lines that fit a page. */
#ifndef WRAP_H
#define WRAP_H

#include <stddef.h>
#include <stdio.h>

enum { WRAP_COLUMNS = 100 };

/* What is printed on standard output between the two calls comes out in lines of at most WRAP_COLUMNS
 * letters. A longer one is broken at blanks and goes on behind two of them. A word that is longer than a line
 * stays whole, and so does one in single quotes, so that it can be copied. Without memory, lines stay as they
 * are. */
typedef struct wrap {
    FILE *page; /* standard output; NULL: it was not replaced */
    char *text;
    size_t size;
} wrap;
void wrap_begin(wrap *w);
void wrap_end(wrap *w);

/* A command for a shell in lines of so many letters, the first of which begins at a column: each but the last
 * ends with a backslash. */
void wrap_put_command(FILE *stream, const char *command, size_t column);

#endif
