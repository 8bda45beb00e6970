/* Options as text, and their ranges. Numbers are written so that they come back to the same double. */
#include "base/option.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { RANGE_SIZE = 128 };

/* ---- Ranges -------------------------------------------------------------------------------------- */

/* " from 3 to 1000", " of at least 0", or "" without limits. */
static const char *range_of(const zilch_option *o, char text[RANGE_SIZE])
{
    *text = '\0';
    if (o->least < o->greatest && o->least != -INFINITY) {
        if (o->type == ZILCH_OPTION_COUNT && o->greatest >= 0x1p64) {
            snprintf(text, RANGE_SIZE, " from %.15g to %llu, the largest of 64 bits", o->least,
                     (unsigned long long)UINT64_MAX);
        } else if (o->greatest == INFINITY) {
            snprintf(text, RANGE_SIZE, " of at least %.15g", o->least);
        } else {
            snprintf(text, RANGE_SIZE, " from %.15g to %.15g", o->least, o->greatest);
        }
    }
    return text;
}

/* Without a range (both ends are equal) any number is allowed. */
static int is_in_range(const zilch_option *o, double value)
{
    return !(o->least < o->greatest) || (value >= o->least && value <= o->greatest);
}

static int choice_find(const char *choices, const char *text)
{
    const size_t length = strlen(text);
    for (int index = 0;; index++, choices++) {
        const size_t size = strcspn(choices, "|");
        if (size == length && strncmp(choices, text, size) == 0) {
            return index;
        }
        choices += size;
        if (!*choices) {
            return -1;
        }
    }
}

static size_t choice_count(const char *choices)
{
    size_t count = 1;
    for (; *choices; choices++) {
        count += *choices == '|';
    }
    return count;
}

/* ---- Text ---------------------------------------------------------------------------------------- */

/* Digits alone are read as an integer, because a seed may need all 64 bits. Anything else (1e5) is read as a
 * number, which must be whole and exact. */
static zilch_status parse_count(const zilch_option *o, const char *text, void *field)
{
    uint64_t count = 0;
    double number;
    char range[RANGE_SIZE];
    int is_right = 0;
    if (*text && strspn(text, "0123456789") == strlen(text)) {
        errno = 0;
        count = strtoull(text, NULL, 10);
        is_right = errno == 0;
    } else if (zilch_number_parse(text, &number) && number >= 0.0 && number <= 0x1p53) {
        count = (uint64_t)number;
        is_right = (double)count == number;
    }
    if (!is_right || !is_in_range(o, (double)count)) {
        return zi_fail(ZILCH_EARG, "'%s' is not a whole number%s", text, range_of(o, range));
    }
    memcpy(field, &count, sizeof count);
    return ZILCH_OK;
}

static zilch_status parse_number(const zilch_option *o, const char *text, void *field)
{
    double number = NAN;
    char range[RANGE_SIZE];
    const int is_none = o->may_be_none && strcmp(text, "none") == 0;
    if (!is_none && (!zilch_number_parse(text, &number) || !is_in_range(o, number))) {
        return zi_fail(ZILCH_EARG, "'%s' is not a number%s%s", text, range_of(o, range),
                       o->may_be_none ? ", nor 'none'" : "");
    }
    memcpy(field, &number, sizeof number);
    return ZILCH_OK;
}

static zilch_status parse_choice(const zilch_option *o, const char *text, void *field)
{
    const char *choices = o->type == ZILCH_OPTION_FLAG ? "no|yes" : o->choices;
    const int index = choice_find(choices, text);
    if (index < 0) {
        return zi_fail(ZILCH_EARG, "'%s' is not one of %s", text, choices);
    }
    memcpy(field, &index, sizeof index);
    return ZILCH_OK;
}

zilch_status zilch_option_parse(const zilch_option *o, const char *text, void *options)
{
    static zilch_status (*const parse[])(const zilch_option *, const char *,
                                         void *) = {[ZILCH_OPTION_CHOICE] = parse_choice,
                                                    [ZILCH_OPTION_COUNT] = parse_count,
                                                    [ZILCH_OPTION_NUMBER] = parse_number,
                                                    [ZILCH_OPTION_FLAG] = parse_choice};
    if (!o || !text || !options) {
        return zi_fail(ZILCH_EARG, "option: it, its text and the options must be given");
    }
    return parse[o->type](o, text, (char *)options + o->offset);
}

static void format_choice(const char *choices, int index, char text[ZILCH_OPTION_SIZE])
{
    for (; index > 0 && *choices; index--) {
        choices += strcspn(choices, "|");
        choices += *choices == '|';
    }
    snprintf(text, ZILCH_OPTION_SIZE, "%.*s", (int)strcspn(choices, "|"), choices);
}

void zilch_option_format(const zilch_option *o, const void *options, char text[ZILCH_OPTION_SIZE])
{
    const void *field = (const char *)options + o->offset;
    int index;
    uint64_t count;
    double number;
    switch (o->type) {
    case ZILCH_OPTION_CHOICE:
    case ZILCH_OPTION_FLAG:
        memcpy(&index, field, sizeof index);
        format_choice(o->type == ZILCH_OPTION_FLAG ? "no|yes" : o->choices, index, text);
        break;
    case ZILCH_OPTION_COUNT:
        memcpy(&count, field, sizeof count);
        snprintf(text, ZILCH_OPTION_SIZE, "%llu", (unsigned long long)count);
        break;
    case ZILCH_OPTION_NUMBER:
        memcpy(&number, field, sizeof number);
        if (isnan(number)) {
            snprintf(text, ZILCH_OPTION_SIZE, "none");
        } else {
            zilch_number_format(number, text);
        }
        break;
    }
}

/* ---- Checks -------------------------------------------------------------------------------------- */

static zilch_status check(const char *who, const zilch_option *o, const void *options)
{
    const void *field = (const char *)options + o->offset;
    char range[RANGE_SIZE];
    char text[ZILCH_OPTION_SIZE];
    int index;
    uint64_t count;
    double number;
    switch (o->type) {
    case ZILCH_OPTION_CHOICE:
        memcpy(&index, field, sizeof index);
        return index >= 0 && (size_t)index < choice_count(o->choices)
                   ? ZILCH_OK
                   : zi_fail_at(ZILCH_EARG, &(zi_location){.where = who}, "%s must be one of %s", o->name,
                                o->choices);
    case ZILCH_OPTION_FLAG:
        memcpy(&index, field, sizeof index);
        return index == 0 || index == 1 ? ZILCH_OK
                                        : zi_fail_at(ZILCH_EARG, &(zi_location){.where = who},
                                                     "%s must be 0 or 1, not %d", o->name, index);
    case ZILCH_OPTION_COUNT:
        memcpy(&count, field, sizeof count);
        if (is_in_range(o, (double)count)) {
            return ZILCH_OK;
        }
        break;
    case ZILCH_OPTION_NUMBER:
        memcpy(&number, field, sizeof number);
        if ((isfinite(number) && is_in_range(o, number)) || (isnan(number) && o->may_be_none)) {
            return ZILCH_OK;
        }
        break;
    }
    zilch_option_format(o, options, text);
    return zi_fail_at(ZILCH_EARG, &(zi_location){.where = who}, "%s must be a %snumber%s, not %s", o->name,
                      o->type == ZILCH_OPTION_COUNT ? "whole " : "finite ", range_of(o, range), text);
}

zilch_status zi_options_check(const char *who, size_t count, const zilch_option *row, const void *options)
{
    assert(who && row && options);
    for (size_t i = 0; i < count; i++) {
        ZI_TRY(check(who, &row[i], options));
    }
    return ZILCH_OK;
}
