/* Numbers as text. The C library writes them as the user's locale says; here they are data. */
#include "base/numbers.h"

#include <stdlib.h>

zilch_status zi_locale_enter(zi_plain_locale *locale)
{
    locale->plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (locale->plain == (locale_t)0) {
        return zi_fail(ZILCH_ENOMEM, "out of memory");
    }
    locale->before = uselocale(locale->plain);
    return ZILCH_OK;
}

void zi_locale_leave(const zi_plain_locale *locale)
{
    uselocale(locale->before);
    freelocale(locale->plain);
}

const char *zi_number_format(double value, char text[ZI_NUMBER_SIZE])
{
    int digits = 15;
    do {
        snprintf(text, ZI_NUMBER_SIZE, "%.*g", digits, value);
    } while (digits++ < 17 && strtod(text, NULL) != value);
    return text;
}
