/* Text from outside: names of methods, of problems, of files. */
#ifndef TEXT_H
#define TEXT_H

#include <stddef.h>
#include <stdio.h>

/* Bytes of the UTF-8 character that begins here, 0 if there is none. */
size_t text_character(const char *text);

/* The same if the character shows as itself: 0 for control characters, and for those that have no width or
 * turn the direction of writing, which make a line look like another one. */
size_t text_visible(const char *text);

/* As it may stand in XML and HTML; what is no UTF-8, or no character of theirs, becomes '?'. */
void text_put_escaped(FILE *stream, const char *text);

/* Of a text that has more than `most` letters the beginning and the end, with an ellipsis between them. `out`
 * takes 4 bytes a letter, and 1 more. */
void text_shorten(const char *text, size_t most, char *out, size_t size);

/* The next line of a text file, without its end, in memory that grows and the caller frees: 1, or 0 at the
 * end of the file; -1, and why, if there is none to be had. */
int text_read_line(FILE *stream, char **line, size_t *capacity, const char **why);

#endif
