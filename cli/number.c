/* Reading: an integer of up to 19 digits times a power of ten. Where both are exact doubles, one
 * multiplication or division rounds once and is therefore right (Clinger 1990). strtod does the
 * rest: it is right too, at some 90 ns a number. */
#include "number.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* "e-5" into *exponent, which saturates; NULL without a digit. */
static const char *scan_exponent(const char *at, int *exponent)
{
    const int negative = *at == '-';
    at += *at == '-' || *at == '+';
    if ((unsigned)(*at - '0') >= 10) {
        return NULL;
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

/* The hard cases. Infinite, or 0 although a digit is not: does not fit. */
static int from_strtod(const char *text, double *out)
{
    *out = strtod(text, NULL);
    const char first = text[strspn(text, "+-.0")];
    return isfinite(*out) && (*out != 0 || first < '1' || first > '9');
}

const char *number_scan(const char *text, double *out)
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
    if ((*at == 'e' || *at == 'E') && !(at = scan_exponent(at + 1, &d.exponent))) {
        return NULL;
    }
    double value;
    if (exact(&d, &value)) {
        *out = *text == '-' ? -value : value;
        return at;
    }
    return from_strtod(text, out) ? at : NULL;
}

int number_parse(const char *text, double *out)
{
    const char *end = number_scan(text, out);
    return end && !*end;
}

size_t number_format(double value, char out[NUMBER_SIZE])
{
    if (value == 0) {
        return (size_t)snprintf(out, NUMBER_SIZE, "0");
    }
    int length = 0;
    for (int digits = 15; digits <= 17; digits++) {
        length = snprintf(out, NUMBER_SIZE, "%.*g", digits, value);
        double back;
        if (number_parse(out, &back) && back == value) {
            break;
        }
    }
    return (size_t)length;
}
