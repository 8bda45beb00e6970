/* Settings of a problem, from text and to text, by the family's table. A number is written with the fewest of
 * 15, 16 or 17 digits that give the same double back, so that the text opens the very same problem again. */
#include "base/bytes.h"
#include "problem/problem.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { LIST_SIZE = 160, ITEM_SIZE = 64 };

/* ---- One value ------------------------------------------------------------------------------- */

static void value_store(const zi_setting *s, double value, void *state)
{
    char *place = (char *)state + s->offset;
    const size_t count = s->kind == ZI_REAL ? 0 : (size_t)value;
    const unsigned choice = (unsigned)count;
    switch (s->kind) {
    case ZI_COUNT:
        memcpy(place, &count, sizeof count);
        break;
    case ZI_REAL:
        memcpy(place, &value, sizeof value);
        break;
    case ZI_CHOICE:
        memcpy(place, &choice, sizeof choice);
        break;
    }
}

static double value_load(const zi_setting *s, const void *state)
{
    const char *place = (const char *)state + s->offset;
    size_t count = 0;
    unsigned choice = 0;
    double value = 0.0;
    switch (s->kind) {
    case ZI_COUNT:
        memcpy(&count, place, sizeof count);
        return (double)count;
    case ZI_REAL:
        memcpy(&value, place, sizeof value);
        return value;
    case ZI_CHOICE:
        memcpy(&choice, place, sizeof choice);
        return (double)choice;
    }
    return value;
}

/* ---- Error texts ----------------------------------------------------------------------------- */

/* Appends ", item", as far as there is room. */
static void list_add(char *list, const char *item)
{
    const size_t length = strlen(list);
    snprintf(list + length, LIST_SIZE - length, "%s%s", length ? ", " : "", item);
}

static zilch_status fail_range(const zi_setting *s, const char *who, const char *value)
{
    char low[ZILCH_NUMBER_SIZE];
    char high[ZILCH_NUMBER_SIZE];
    zilch_number_format(s->low, low);
    zilch_number_format(s->high, high);
    return zi_fail(ZILCH_EARG, "%s: %s must be a %snumber from %s to %s%s, not \"%s\"", who, s->name,
                   s->kind == ZI_COUNT ? "whole " : "", low, high, s->is_open ? ", the ends excluded" : "",
                   value);
}

/* ---- From text ------------------------------------------------------------------------------- */

static zilch_status value_parse(const zi_setting *s, const char *who, const char *text, void *state)
{
    if (s->kind == ZI_CHOICE) {
        char known[LIST_SIZE] = "";
        for (size_t i = 0; i < ZI_MOST_CHOICES && s->choice[i]; i++) {
            list_add(known, s->choice[i]);
            if (strcmp(s->choice[i], text) == 0) {
                value_store(s, (double)i, state);
                return ZILCH_OK;
            }
        }
        return zi_fail(ZILCH_EARG, "%s: %s must be one of %s, not \"%s\"", who, s->name, known, text);
    }
    double value;
    if (!zilch_number_parse(text, &value) || value < s->low || value > s->high ||
        (s->is_open && (value == s->low || value == s->high)) ||
        (s->kind == ZI_COUNT && value != floor(value))) {
        return fail_range(s, who, text);
    }
    value_store(s, value + 0.0, state); /* -0 is 0 */
    return ZILCH_OK;
}

/* One "name=value"; `given` remembers which were. */
static zilch_status item_parse(const zi_settings *settings, const char *who, char *item, int *given,
                               void *state)
{
    char known[LIST_SIZE] = "";
    char *equals = strchr(item, '=');
    if (!equals) {
        return zi_fail(ZILCH_EARG, "%s: \"%s\" is no setting, which is a name, = and a value", who, item);
    }
    *equals = '\0';
    for (size_t i = 0; i < settings->count; i++) {
        list_add(known, settings->setting[i].name);
        if (strcmp(settings->setting[i].name, item) == 0) {
            if (given[i]++) {
                return zi_fail(ZILCH_EARG, "%s: %s is given twice", who, item);
            }
            return value_parse(&settings->setting[i], who, equals + 1, state);
        }
    }
    return zi_fail(ZILCH_EARG, "%s: \"%s\" is not one of its settings, which are %s", who, item, known);
}

zilch_status zi_settings_parse(const zi_settings *settings, const char *who, const char *text, void *state)
{
    assert(who && text && state);
    assert(settings->count <= ZI_MOST_SETTINGS);
    for (size_t i = 0; i < settings->count; i++) {
        value_store(&settings->setting[i], settings->setting[i].fallback, state);
    }
    int given[ZI_MOST_SETTINGS] = {0};
    for (const char *next = *text ? text : NULL; next;) {
        char item[ITEM_SIZE];
        const size_t length = strcspn(next, ",");
        if (length >= sizeof item) {
            return zi_fail(ZILCH_EARG, "%s: \"%.*s...\" is too long for a setting", who, ITEM_SIZE, next);
        }
        memcpy(item, next, length);
        item[length] = '\0';
        ZI_TRY(item_parse(settings, who, item, given, state));
        next = next[length] ? next + length + 1 : NULL;
    }
    return ZILCH_OK;
}

/* ---- To text --------------------------------------------------------------------------------- */

static void put(zi_writer *w, const char *text)
{
    zi_write_bytes(w, text, strlen(text));
}

zilch_status zi_settings_format(const zi_settings *settings, const char *who, const void *state, char *text,
                                size_t capacity)
{
    zi_writer w = {.data = (unsigned char *)text, .capacity = capacity};
    char number[ZILCH_NUMBER_SIZE];
    put(&w, who);
    for (size_t i = 0; i < settings->count; i++) {
        const zi_setting *s = &settings->setting[i];
        const double value = value_load(s, state);
        put(&w, i ? "," : ":");
        put(&w, s->name);
        put(&w, "=");
        zilch_number_format(value, number);
        put(&w, s->kind == ZI_CHOICE ? s->choice[(size_t)value] : number);
    }
    zi_write_bytes(&w, "", 1);
    assert(w.length <= capacity); /* ZI_SETTING_CAPACITY holds the longest text of every family */
    return ZILCH_OK;
}
