/* The one function of gfortran's runtime that the LAPACK routines of linalg.c call: it joins the letters of
 * their options, as in "UT". A wheel takes OpenBLAS in as an archive, and the archive of that runtime cannot
 * be a part of a shared library, because Debian compiles it without -fPIC. So this file is a part of wheels
 * alone. */
#include <stddef.h>
#include <string.h>

void _gfortran_concat_string(size_t length, char *joined, size_t first_length, const char *first,
                             size_t second_length, const char *second);

/* As in Fortran: what is too long is cut, and what is too short is filled up with blanks. */
void _gfortran_concat_string(size_t length, char *joined, size_t first_length, const char *first,
                             size_t second_length, const char *second)
{
    const size_t from_first = first_length < length ? first_length : length;
    const size_t left = length - from_first;
    const size_t from_second = second_length < left ? second_length : left;
    memcpy(joined, first, from_first);
    memcpy(joined + from_first, second, from_second);
    memset(joined + from_first + from_second, ' ', left - from_second);
}
