/* Allowed values. A multiple k of a step is the double next to the number that is meant: 3 times 0.05 is
 * 0.15, as 3 / 20. Beyond 2^49 steps from zero there are no more multiples: the
 * quotient of a multiple and its step, by way of its offset from a default, is off by up to 7 * 2^-53 of
 * itself, and must still be nearest to its own number. */
#include "search/allowed.h"

#include "base/memory.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

static const double greatest_number = 0x1p49;

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
    zi_free(a->origin);
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

/* Those within the bounds, without the default and without repetition; the list is sorted. */
static zilch_status set_list(zi_allowed *a, size_t i, const zilch_values *list, double *lower, double *upper)
{
    const double zero = a->origin ? a->origin[i] : 0.0;
    size_t *count = &a->first[i + 1];
    int has_zero = 0;
    *count = a->first[i];
    for (size_t k = 0; k < list->count; k++) {
        const double value = list->value[k];
        const int is_new = *count == a->first[i] || value > a->value[*count - 1];
        if (value >= *lower && value <= *upper) {
            has_zero |= value == zero;
            if (value != zero && is_new) {
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
    *lower = *count > a->first[i] ? a->value[a->first[i]] : zero;
    *upper = *count > a->first[i] ? a->value[*count - 1] : zero;
    return ZILCH_OK;
}

/* Steps and lists, as values of the user's. */
static zilch_status set_allowed(zi_allowed *out, const zilch_optimizer_options *o, size_t count,
                                double *lower, double *upper)
{
    const size_t dim = out->dim;
    if (!o->step && !o->values) {
        return ZILCH_OK;
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

/* Values must be told apart by their offsets from the default. */
static zilch_status check_offsets(const zi_allowed *a, size_t i)
{
    int is_right = a->step[i] == 0.0 || fabs(a->origin[i]) <= greatest_number * a->step[i];
    for (size_t k = a->first[i] + 1; k < a->first[i + 1]; k++) {
        is_right &= a->value[k] > a->value[k - 1];
    }
    return is_right ? ZILCH_OK
                    : zi_fail_at(ZILCH_EARG, &(zi_location){.at = {{ZI_COORDINATE, i}}},
                                 "its default %g is so far away that its %s cannot be told apart",
                                 a->origin[i], a->step[i] > 0.0 ? "steps" : "values");
}

/* Bounds and lists become offsets; what they were is kept. */
static zilch_status shift(zi_allowed *a, double *lower, double *upper)
{
    for (size_t i = 0; i < a->dim; i++) {
        a->least[i] = lower[i];
        a->greatest[i] = upper[i];
        lower[i] = zi_offset(a->origin, i, lower[i]);
        upper[i] = zi_offset(a->origin, i, upper[i]);
        for (size_t k = a->first ? a->first[i] : 0; a->first && k < a->first[i + 1]; k++) {
            a->listed[k] = a->value[k];
            a->value[k] = zi_offset(a->origin, i, a->value[k]);
        }
        ZI_TRY(a->first ? check_offsets(a, i) : ZILCH_OK);
    }
    return ZILCH_OK;
}

zilch_status zi_allowed_create(zi_allowed *out, size_t dim, const zilch_optimizer_options *o, double *lower,
                               double *upper)
{
    size_t count = 0;
    *out = (zi_allowed){.dim = dim, .lower = lower, .upper = upper};
    for (size_t i = 0; o->values && i < dim; i++) {
        count += o->values[i].count;
    }
    if (o->defaults) {
        ZI_TRY(zi_alloc(&out->origin, 3 * dim + count));
        out->least = out->origin + dim;
        out->greatest = out->least + dim;
        out->listed = out->greatest + dim;
        memcpy(out->origin, o->defaults, dim * sizeof *out->origin);
    }
    ZI_TRY(set_allowed(out, o, count, lower, upper));
    return out->origin ? shift(out, lower, upper) : ZILCH_OK;
}

/* ---- Asking --------------------------------------------------------------------------------------- */

/* Number k of the multiples of a step, and the number of the one next to an offset. */
static double multiple_at(const zi_allowed *a, size_t i, double k)
{
    return zi_offset(a->origin, i, multiple_of(a->step[i], k));
}

static double number_at(const zi_allowed *a, size_t i, double x)
{
    return number_of(a->step[i], a->origin ? a->origin[i] + x : x);
}

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
    return multiple_at(a, i, number_at(a, i, fmin(fmax(x, a->lower[i]), a->upper[i])));
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
        double k = number_at(a, i, x);
        k += direction * (multiple_at(a, i, k) - x) > 0.0 ? 0 : direction;
        const double next = multiple_at(a, i, k);
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
    zilch_number_format(a->origin ? a->origin[i] + x : x, value);
    zilch_number_format(zi_allowed_value(a, i, zi_allowed_nearest(a, i, x)), nearest);
    return zi_fail_at(ZILCH_EARG, &(zi_location){"point", {{ZI_COORDINATE, i}}, NULL},
                      "the value %s is not one of those it may have; the nearest is %s", value, nearest);
}

/* ---- Values and offsets --------------------------------------------------------------------------- */

double zi_allowed_value(const zi_allowed *a, size_t i, double offset)
{
    if (!a->origin || !isfinite(offset)) {
        return offset;
    }
    if (offset == 0.0) {
        return a->origin[i];
    }
    const double sum = fmin(fmax(a->origin[i] + offset, a->least[i]), a->greatest[i]);
    const double value = fmin(fmax(sum, -DBL_MAX), DBL_MAX);
    if (!zi_allowed_has(a, i)) { /* an offset that is lost in the sum is still one */
        return value != a->origin[i] ? value : nextafter(value, offset > 0.0 ? INFINITY : -INFINITY);
    }
    return a->step[i] == 0.0 ? a->listed[nearest_place(a, i, offset)]
                             : multiple_of(a->step[i], number_of(a->step[i], value));
}

/* A difference is rounded, so that the sum may be next to the value: then a neighbour may do better. */
double zi_allowed_offset(const zi_allowed *a, size_t i, double value)
{
    const double offset = zi_offset(a->origin, i, value);
    if (!a->origin || offset == 0.0 || zi_allowed_has(a, i)) {
        return offset;
    }
    const double near[] = {offset, nextafter(offset, -INFINITY), nextafter(offset, INFINITY)};
    for (size_t k = 0; k < sizeof near / sizeof *near; k++) {
        const int is_inside = near[k] != 0.0 && near[k] >= a->lower[i] && near[k] <= a->upper[i];
        if (is_inside && a->origin[i] + near[k] == value) {
            return near[k];
        }
    }
    return offset;
}

void zi_allowed_values(const zi_allowed *a, double *x)
{
    for (size_t i = 0; a->origin && i < a->dim; i++) {
        x[i] = zi_allowed_value(a, i, x[i]);
    }
}

void zi_allowed_offsets(const zi_allowed *a, double *x)
{
    for (size_t i = 0; a->origin && i < a->dim; i++) {
        x[i] = zi_allowed_offset(a, i, x[i]);
    }
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
    const double multiples = number_at(a, i, high) - number_at(a, i, low) + 1.0;
    return (uint64_t)multiples - (low <= 0.0 && high >= 0.0 && zi_allowed_is(a, i, 0.0));
}

double zi_allowed_at(const zi_allowed *a, size_t i, uint64_t k)
{
    if (a->lower[i] == a->upper[i]) {
        return a->lower[i];
    }
    if (a->step[i] == 0.0) {
        return a->value[a->first[i] + k];
    }
    const double first = number_at(a, i, a->lower[i]);
    const double zero = zi_allowed_is(a, i, 0.0) ? number_at(a, i, 0.0) : INFINITY; /* is left out */
    const double number = first + (double)k;
    return multiple_at(a, i, first <= zero && number >= zero ? number + 1.0 : number);
}
