/* Numbers as text. Reading: an integer of up to 19 digits times a power of ten. Where both are exact doubles,
 * one multiplication or division rounds once and is therefore right (Clinger 1990). strtod does the rest: it
 * is right too, at some 90 ns a number. The C library reads and writes the decimal point of the user's
 * locale; here it is always a point. */
#include "base/numbers.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

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
    assert(locale->plain);
    uselocale(locale->before);
    freelocale(locale->plain);
}

/* ---- Reading --------------------------------------------------------------------------------- */

enum { DIGITS_MOST = 19, TEN_MOST = 22, EXPONENT_MOST = 9999 };

static const double ten[TEN_MOST + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                         1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                         1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

typedef struct decimal {
    uint64_t digits; /* without point; wraps if there are more than DIGITS_MOST */
    size_t count;    /* of digits, leading zeros included */
    int exponent;    /* value = digits * 10^exponent */
} decimal;

static inline const char *scan_digits(const char *at, decimal *d)
{
    const char *first = at;
    for (; (unsigned)(*at - '0') < 10; at++) {
        d->digits = 10 * d->digits + (uint64_t)(*at - '0');
    }
    d->count += (size_t)(at - first);
    return at;
}

/* "e-5" into *exponent, which saturates. An e without a digit behind it is no part of the number. */
static const char *scan_exponent(const char *e, int *exponent)
{
    const char *at = e + 1 + (e[1] == '-' || e[1] == '+');
    const int negative = e[1] == '-';
    if ((unsigned)(*at - '0') >= 10) {
        return e;
    }
    int value = 0;
    for (; (unsigned)(*at - '0') < 10; at++) {
        value = value < EXPONENT_MOST ? 10 * value + (*at - '0') : value;
    }
    *exponent += negative ? -value : value;
    return at;
}

static inline int exact(const decimal *d, double *out)
{
    if (FLT_EVAL_METHOD != 0 || d->count > DIGITS_MOST || d->digits > UINT64_C(1) << 53) {
        return 0;
    }
    if (d->exponent < -TEN_MOST || d->exponent > TEN_MOST) {
        return 0;
    }
    const double whole = (double)d->digits;
    *out = d->exponent < 0 ? whole / ten[-d->exponent] : whole * ten[d->exponent];
    return 1;
}

/* The hard cases. strtod stops early where the locale's point is another: then once more, in C's locale. NaN
 * if the number does not fit: it is infinite, or 0 although a digit is not. */
static double from_strtod(const char *text, const char *end)
{
    char *found;
    zi_plain_locale locale = {0};
    double value = strtod(text, &found);
    if (found != end && zi_locale_enter(&locale) == ZILCH_OK) {
        value = strtod(text, NULL);
        zi_locale_leave(&locale);
    }
    const char first = text[strspn(text, "+-.0")];
    return isfinite(value) && (value != 0 || first < '1' || first > '9') ? value : NAN;
}

const char *zi_number_scan(const char *text, double *out)
{
    const char *at = text + (*text == '-' || *text == '+');
    decimal d = {0};
    at = scan_digits(at, &d);
    if (*at == '.') {
        const size_t whole = d.count;
        at = scan_digits(at + 1, &d);
        d.exponent = -(int)(d.count - whole);
    }
    if (d.count == 0) {
        return NULL;
    }
    if (*at == 'e' || *at == 'E') {
        at = scan_exponent(at, &d.exponent);
    }
    double value;
    if (exact(&d, &value)) {
        *out = *text == '-' ? -value : value;
    } else {
        *out = from_strtod(text, at);
    }
    return at;
}

const char *zilch_number_scan(const char *text, double *out)
{
    double value;
    const char *end = zi_number_scan(text, &value);
    if (!end || isnan(value)) {
        return NULL;
    }
    *out = value;
    return end;
}

int zilch_number_parse(const char *text, double *out)
{
    const char *end = zilch_number_scan(text, out);
    return end && !*end;
}

/* ---- Writing --------------------------------------------------------------------------------- */

/* What stands between the first digits and the rest becomes a point. */
static size_t put_point(char *text, size_t length)
{
    char *mark = text + (*text == '-');
    mark += strspn(mark, "0123456789");
    const size_t size = strcspn(mark, "0123456789e");
    if (size == 0 || mark[size] == '\0' || *mark == '.') { /* no point, no number, or as it should be */
        return length;
    }
    *mark = '.';
    memmove(mark + 1, mark + size, strlen(mark + size) + 1);
    return length - size + 1;
}

size_t zilch_number_format(double value, char text[ZILCH_NUMBER_SIZE])
{
    if (value == 0) {
        memcpy(text, "0", 2);
        return 1;
    }
    size_t length = 0;
    for (int digits = 15; digits <= 17; digits++) {
        double back;
        length = put_point(text, (size_t)snprintf(text, ZILCH_NUMBER_SIZE, "%.*g", digits, value));
        if (zilch_number_parse(text, &back) && back == value) {
            break;
        }
    }
    return length;
}

/* ---- Limits that are kept where a number is not above 0 --------------------------------------- */

double zilch_violation(size_t count, const double *number)
{
    double sum = 0.0;
    for (size_t i = 0; i < count; i++) {
        sum += number[i] > 0.0 || isnan(number[i]) ? number[i] : 0.0;
    }
    return sum;
}
