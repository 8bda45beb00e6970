/* Numbers as text, the same in every locale. */
#ifndef ZI_NUMBERS_H
#define ZI_NUMBERS_H

#include "base/status.h"

#include <locale.h>

/* While numbers are read and written: this thread's locale is C's. */
typedef struct zi_plain_locale {
    locale_t plain, before;
} zi_plain_locale;

zilch_status zi_locale_enter(zi_plain_locale *locale);
void zi_locale_leave(const zi_plain_locale *locale);

/* Written with the fewest of 15, 16 or 17 digits that give the same double back; gives `text`. */
enum { ZI_NUMBER_SIZE = 32 };
const char *zi_number_format(double value, char text[ZI_NUMBER_SIZE]);

#endif
