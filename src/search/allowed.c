/* Allowed values. A multiple k of a step is the double next to the number that is meant: 3 times 0.05 is
 * 0.15, as 3 / 20. Beyond 2^53 steps from zero there are no more multiples. */
#include "search/allowed.h"

#include "base/memory.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

static const double greatest_number = 0x1p53;

/* ---- Multiples ----------------------------------------------------------------------------------- */

static double multiple_of(double step, double k)
{
    const double inverse = 1.0 / step;
    return (inverse == floor(inverse) && isfinite(inverse) ? k / inverse : k * step) + 0.0;
}

/* The number of the multiple next to x. */
static double number_of(double step, double x)
{
    const double most = fmin(greatest_number, floor(DBL_MAX / step)); /* x may be infinite */
    const double k = round(fmin(fmax(x / step, -most), most));
    return isfinite(multiple_of(step, k)) ? k : k - copysign(1.0, k);
}

/* The first multiple that is not below a number, or the last that is not above it: its number. */
static double number_within(double step, double x, int direction)
{
    double k = number_of(step, x);
    if (direction * (multiple_of(step, k) - x) < 0.0 && fabs(k) < greatest_number) {
        k += direction;
    }
    return k;
}

/* ---- Making --------------------------------------------------------------------------------------- */

void zi_allowed_free(zi_allowed *a)
{
    zi_free(a->step);
    zi_free(a->first);
    zi_free(a->value);
    *a = (zi_allowed){0};
}

static zilch_status fail_at(size_t i, const char *what, double low, double high)
{
    return zi_fail_at(ZILCH_EARG, &(zi_location){.at = {{ZI_COORDINATE, i}}},
                      "%s is within its bounds %g and %g", what, low, high);
}

static zilch_status set_step(zi_allowed *a, size_t i, double step, double *lower, double *upper)
{
    if (!(step >= 0.0 && isfinite(step))) {
        return zi_fail_at(ZILCH_EARG, &(zi_location){.at = {{ZI_COORDINATE, i}}},
                          "its step is %g; it must be a finite number above 0, or 0 for none", step);
    }
    a->step[i] = step + 0.0;
    if (step == 0.0) {
        return ZILCH_OK;
    }
    const double low = isfinite(*lower) ? multiple_of(step, number_within(step, *lower, 1)) : *lower;
    const double high = isfinite(*upper) ? multiple_of(step, number_within(step, *upper, -1)) : *upper;
    if (!(low >= *lower && high <= *upper && low <= high) || isinf(low) != isinf(*lower) ||
        isinf(high) != isinf(*upper)) {
        return fail_at(i, "no multiple of its step", *lower, *upper);
    }
    *lower = low;
    *upper = high;
    return ZILCH_OK;
}

/* Those within the bounds, without zero and without repetition; the list is sorted. */
static zilch_status set_list(zi_allowed *a, size_t i, const zilch_values *list, double *lower, double *upper)
{
    size_t *count = &a->first[i + 1];
    int has_zero = 0;
    *count = a->first[i];
    for (size_t k = 0; k < list->count; k++) {
        const double value = list->value[k];
        const int is_new = *count == a->first[i] || value > a->value[*count - 1];
        if (value >= *lower && value <= *upper) {
            has_zero |= value == 0.0;
            if (value != 0.0 && is_new) {
                a->value[(*count)++] = value;
            }
        }
    }
    if (list->count == 0) {
        return ZILCH_OK;
    }
    if (*count == a->first[i] && !has_zero) {
        return fail_at(i, "none of its values", *lower, *upper);
    }
    *lower = *count > a->first[i] ? a->value[a->first[i]] : 0.0;
    *upper = *count > a->first[i] ? a->value[*count - 1] : 0.0;
    return ZILCH_OK;
}

zilch_status zi_allowed_create(zi_allowed *out, size_t dim, const zilch_optimizer_options *o, double *lower,
                               double *upper)
{
    size_t count = 0;
    *out = (zi_allowed){.dim = dim, .lower = lower, .upper = upper};
    if (!o->step && !o->values) {
        return ZILCH_OK;
    }
    for (size_t i = 0; o->values && i < dim; i++) {
        count += o->values[i].count;
    }
    ZI_TRY(zi_alloc(&out->step, dim));
    ZI_TRY(zi_alloc(&out->first, dim + 1));
    ZI_TRY(zi_alloc(&out->value, count));
    out->first[0] = 0;
    for (size_t i = 0; i < dim; i++) {
        const zilch_values none = {0, NULL};
        const zilch_values *list = o->values ? &o->values[i] : &none;
        ZI_TRY(set_step(out, i, o->step ? o->step[i] : 0.0, &lower[i], &upper[i]));
        if (out->step[i] > 0.0 && list->count) {
            return zi_fail_at(ZILCH_EARG, &(zi_location){.at = {{ZI_COORDINATE, i}}},
                              "it has a step and a list of values; give one of them");
        }
        ZI_TRY(set_list(out, i, list, &lower[i], &upper[i]));
    }
    return ZILCH_OK;
}

/* ---- Asking --------------------------------------------------------------------------------------- */

static size_t length_of(const zi_allowed *a, size_t i)
{
    return a->first[i + 1] - a->first[i];
}

int zi_allowed_has(const zi_allowed *a, size_t i)
{
    return a->step && (a->step[i] > 0.0 || length_of(a, i) > 0);
}

/* The place in its list of the first value that is not below x. */
static size_t place_of(const zi_allowed *a, size_t i, double x)
{
    size_t low = a->first[i];
    size_t high = a->first[i + 1];
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (a->value[middle] < x) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* The place of the one nearest to x; of two, that of the lower. */
static size_t nearest_place(const zi_allowed *a, size_t i, double x)
{
    const size_t place = place_of(a, i, x);
    if (place == a->first[i + 1] || (place > a->first[i] && x - a->value[place - 1] <= a->value[place] - x)) {
        return place - 1;
    }
    return place;
}

double zi_allowed_nearest(const zi_allowed *a, size_t i, double x)
{
    if (!zi_allowed_has(a, i)) {
        return x;
    }
    if (a->step[i] == 0.0) {
        return a->value[nearest_place(a, i, x)];
    }
    const double inside = fmin(fmax(x, a->lower[i]), a->upper[i]);
    return multiple_of(a->step[i], number_of(a->step[i], inside));
}

double zi_allowed_active(const zi_allowed *a, size_t i, double x)
{
    const double nearest = zi_allowed_nearest(a, i, x);
    if (nearest != 0.0 || !zi_allowed_has(a, i)) {
        return nearest;
    }
    const double above = zi_allowed_next(a, i, 0.0, 1);
    const double below = zi_allowed_next(a, i, 0.0, -1);
    if (isnan(above) || isnan(below)) {
        return !isnan(above) ? above : !isnan(below) ? below : 0.0;
    }
    return x < 0.0 ? below : above;
}

double zi_allowed_next(const zi_allowed *a, size_t i, double x, int direction)
{
    assert(zi_allowed_has(a, i));
    if (direction > 0 ? x < a->lower[i] : x > a->upper[i]) {
        return direction > 0 ? a->lower[i] : a->upper[i];
    }
    if (a->step[i] > 0.0) {
        double k = number_of(a->step[i], x);
        k += direction * (multiple_of(a->step[i], k) - x) > 0.0 ? 0 : direction;
        const double next = multiple_of(a->step[i], k);
        return direction * (next - x) > 0.0 && next >= a->lower[i] && next <= a->upper[i] && isfinite(next)
                   ? next
                   : NAN;
    }
    size_t place = place_of(a, i, x);
    if (direction > 0) {
        place += place < a->first[i + 1] && a->value[place] == x;
        return place < a->first[i + 1] ? a->value[place] : NAN;
    }
    return place > a->first[i] ? a->value[place - 1] : NAN;
}

double zi_allowed_spacing(const zi_allowed *a, size_t i, double x)
{
    if (!zi_allowed_has(a, i)) {
        return 0.0;
    }
    const double nearest = zi_allowed_nearest(a, i, x);
    const double above = zi_allowed_next(a, i, nearest, 1) - nearest;
    const double below = nearest - zi_allowed_next(a, i, nearest, -1);
    const double least = fmin(above, below); /* of a number and NaN, the number */
    return isfinite(least) ? least : 0.0;
}

int zi_allowed_is(const zi_allowed *a, size_t i, double x)
{
    return zi_allowed_nearest(a, i, x) == x;
}

zilch_status zi_allowed_check(const zi_allowed *a, size_t i, double x)
{
    char value[ZILCH_NUMBER_SIZE];
    char nearest[ZILCH_NUMBER_SIZE];
    if (zi_allowed_is(a, i, x)) {
        return ZILCH_OK;
    }
    zilch_number_format(x, value);
    zilch_number_format(zi_allowed_nearest(a, i, x), nearest);
    return zi_fail_at(ZILCH_EARG, &(zi_location){"point", {{ZI_COORDINATE, i}}, NULL},
                      "the value %s is not one of those it may have; the nearest is %s", value, nearest);
}

/* ---- Counting ------------------------------------------------------------------------------------- */

uint64_t zi_allowed_count(const zi_allowed *a, size_t i)
{
    const double low = a->lower[i];
    const double high = a->upper[i];
    if (low == high) {
        return low != 0.0;
    }
    if (!zi_allowed_has(a, i) || (a->step[i] > 0.0 && !(isfinite(low) && isfinite(high)))) {
        return 0;
    }
    if (a->step[i] == 0.0) {
        return length_of(a, i);
    }
    const double multiples = number_of(a->step[i], high) - number_of(a->step[i], low) + 1.0;
    return (uint64_t)multiples - (low <= 0.0 && high >= 0.0);
}

double zi_allowed_at(const zi_allowed *a, size_t i, uint64_t k)
{
    if (a->lower[i] == a->upper[i]) {
        return a->lower[i];
    }
    if (a->step[i] == 0.0) {
        return a->value[a->first[i] + k];
    }
    const double first = number_of(a->step[i], a->lower[i]);
    const double number = first + (double)k;
    return multiple_of(a->step[i], first <= 0.0 && number >= 0.0 ? number + 1.0 : number);
}
