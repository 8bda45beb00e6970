/* Numbers as text: decimal only, the same in every locale, exact both ways. */
#ifndef NUMBER_H
#define NUMBER_H

#include <stddef.h>

/* The number that `text` begins with, rounded to the nearest double; gives where it ends. NULL if
 * there is none, or if it does not fit: beyond the largest double, or not zero and yet rounded to 0.
 * `text` must end in a character that is no part of a number, e.g. NUL or a newline. */
const char *number_scan(const char *text, double *out);

/* The whole of `text` as a finite number: 1 or 0. */
int number_parse(const char *text, double *out);

/* The shortest of 15, 16 or 17 digits that reads back as the same double; both zeros as "0". Gives
 * the length without the NUL. */
enum { NUMBER_SIZE = 32 };
size_t number_format(double value, char out[NUMBER_SIZE]);

#endif
