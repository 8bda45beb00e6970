/* Numbers as text, the same in every locale. Reading and writing them is public: zilch_number_scan(),
 * zilch_number_parse() and zilch_number_format(). */
#ifndef ZI_NUMBERS_H
#define ZI_NUMBERS_H

#include "base/status.h"

#include <locale.h>
#if defined(__APPLE__)
#include <xlocale.h>
#endif

/* While numbers are read and written by the C library: this thread's locale is C's. */
typedef struct zi_plain_locale {
    locale_t plain, before;
} zi_plain_locale;

zilch_status zi_locale_enter(zi_plain_locale *locale);
void zi_locale_leave(const zi_plain_locale *locale);

/* zilch_number_scan(), which gives the end also of a number that does not fit; *out is NaN then. */
const char *zi_number_scan(const char *text, double *out);

#endif
