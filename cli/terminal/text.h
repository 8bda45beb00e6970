/* Text from outside: names of methods, of problems, of files. */
#ifndef TEXT_H
#define TEXT_H

#include <stddef.h>
#include <stdio.h>

/* Bytes of the UTF-8 character that begins here, 0 if there is none. */
size_t text_character(const char *text);

/* Prints a text of others on one line. Control and format characters, and bytes that are not UTF-8, are shown
 * as text, such as \n, \x1b or \u202e. Every text of a study, of a dataset, of an evaluator, and every
 * name of a file is printed by one of the functions here. */
void text_put(FILE *stream, const char *text);

/* Prints as much of it as fits in so many letters. */
void text_put_within(FILE *stream, const char *text, size_t most);

/* Prints it between two texts of our own, which are printed as they are. */
void text_put_between(FILE *stream, const char *before, const char *text, const char *behind);

/* The number of letters that text_put() prints. */
size_t text_width(const char *text);

/* Prints it with blanks up to a width: before it, or behind it if the width is negative, as printf() does. */
void text_put_aligned(FILE *stream, const char *text, int width);

/* The same, escaped for XML and HTML. */
void text_put_escaped(FILE *stream, const char *text);

/* The same, escaped for LaTeX; it may also stand in a comment there. */
void text_put_latex(FILE *stream, const char *text);

/* The same as a field of CSV (RFC 4180), in quotes where they are needed, or always. A spreadsheet computes a
 * field that begins with = + - or @, so an apostrophe is put before it. */
void text_put_field(FILE *stream, const char *text, int is_quoted);

/* How many letters of a field that was read are this apostrophe: 1 or 0. */
size_t text_guard(const char *field);

/* Prints a word that a shell reads as the same bytes: in quotes where they are needed, and as $'...', which
 * bash, zsh and ksh know, where text_put() would have to show something. */
void text_put_word(FILE *stream, const char *word);

/* Prints a piece of valid JSON. Characters that text_put() would show become \uXXXX; valid JSON has them only
 * in strings. */
void text_put_json(FILE *stream, const char *json);

/* Of a text that has more than `most` letters the beginning and the end, with an ellipsis between them. `out`
 * takes 4 bytes a letter, and 1 more. */
void text_shorten(const char *text, size_t most, char *out, size_t size);

#endif
