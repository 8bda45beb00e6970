/* Status texts, the thread's last error, and names of enum values. */
#include "base/status.h"

#include <assert.h>
#include <stdarg.h>
#include <string.h>

static _Thread_local zi_error last;

#define STRING_OF(x) #x
#define STRING(x) STRING_OF(x)

const char *zilch_version(void)
{
    return STRING(ZILCH_VERSION_MAJOR) "." STRING(ZILCH_VERSION_MINOR) "." STRING(ZILCH_VERSION_PATCH);
}

const char *zilch_status_text(zilch_status status)
{
    switch (status) {
#define X(name, value, text) \
    case ZILCH_##name:       \
        return text;
        ZILCH_STATUS_LIST(X)
#undef X
    }
    return "unknown status";
}

/* ---- Errors --------------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    size_t offset; /* of its field */
    int is_index;  /* counted from 0, as programs count; else from 1, as editors do */
} axes[] = {[ZI_POINT] = {"point", offsetof(zilch_error, point), 1},
            [ZI_ROW] = {"row", offsetof(zilch_error, row), 1},
            [ZI_COLUMN] = {"column", offsetof(zilch_error, column), 1},
            [ZI_COORDINATE] = {"coordinate", offsetof(zilch_error, coordinate), 1},
            [ZI_PARTNER] = {NULL, offsetof(zilch_error, partner), 1},
            [ZI_LINE] = {"line", offsetof(zilch_error, line), 0},
            [ZI_CHARACTER] = {"column", offsetof(zilch_error, character), 0},
            [ZI_FIELD] = {"field", offsetof(zilch_error, field), 0}};
enum { AXES = sizeof axes / sizeof *axes };

static size_t *field_of(zilch_error *error, size_t axis)
{
    return (size_t *)(void *)((char *)error + axes[axis].offset);
}

zilch_error zilch_last_error_details(void)
{
    zilch_error e = {.status = last.status, .where = last.where, .message = last.message, .name = last.name};
    for (size_t i = 1; i < AXES; i++) {
        *field_of(&e, i) = ZILCH_NOWHERE;
    }
    for (size_t k = 0; k < ZI_PLACE_AXES; k++) {
        if (last.at[k].axis != ZI_NO_AXIS) {
            *field_of(&e, last.at[k].axis) = last.at[k].index;
        }
    }
    return e;
}

/* Text that grows to the end of a buffer. */
typedef struct sentence {
    char *text;
    size_t size, length;
} sentence;

static void put(sentence *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put(sentence *s, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(s->text + s->length, s->size - s->length, format, arguments);
    va_end(arguments);
    s->length += (size_t)(length > 0 ? length : 0);
    s->length = s->length < s->size ? s->length : s->size - 1;
}

static void put_place(sentence *s, const zilch_error *error, size_t first, const char *const *names)
{
    zilch_error e = *error;
    const char *name = e.name ? e.name : "";
    const char *before = "";
    int is_index = 0;
    for (size_t i = 1; i < AXES; i++) {
        const size_t index = *field_of(&e, i);
        const int has_partner = e.partner != ZILCH_NOWHERE && (i == ZI_COLUMN || i == ZI_COORDINATE);
        if (!axes[i].name || index == ZILCH_NOWHERE) {
            continue;
        }
        put(s, "%s%s%s %zu", before, axes[i].name, has_partner ? "s" : "",
            index + (axes[i].is_index ? first : 0));
        if (has_partner) {
            put(s, " and %zu", e.partner + first);
        } else if (names && (i == ZI_COLUMN || i == ZI_COORDINATE)) {
            name = names[index];
        }
        is_index |= axes[i].is_index;
        before = ", ";
    }
    if (*before) {
        put(s, "%s%s%s%s: ", *name ? " (" : "", name, *name ? ")" : "",
            is_index && first == 0 ? " (counted from 0)" : "");
    }
}

void zilch_error_format(const zilch_error *error, size_t first, const char *const *names, char *text,
                        size_t size)
{
    sentence s = {text, size, 0};
    if (!error || !text || size == 0) {
        return;
    }
    *text = '\0';
    put(&s, "%s%s", error->where && *error->where ? error->where : "",
        error->where && *error->where ? ": " : "");
    put_place(&s, error, first, names);
    put(&s, "%s", error->message ? error->message : "");
}

enum { LONG = 8192 }; /* two of the longest paths */

/* What is too long, a path most likely, is left out in the middle: what went wrong is said at the end. */
static void shorten(char out[ZI_ERROR_SIZE], const char *text)
{
    const size_t length = strlen(text);
    const size_t half = (ZI_ERROR_SIZE - sizeof "...") / 2;
    if (length < ZI_ERROR_SIZE) {
        memcpy(out, text, length + 1);
    } else {
        snprintf(out, ZI_ERROR_SIZE, "%.*s...%s", (int)half, text, text + length - half);
    }
}

static void compose(void)
{
    char text[LONG];
    const zilch_error e = zilch_last_error_details();
    zilch_error_format(&e, 0, NULL, text, sizeof text);
    shorten(last.text, text);
}

const char *zilch_last_error(void)
{
    return last.text;
}

zi_error *zi_error_last(void)
{
    return &last;
}

zilch_status zilch_fail(zilch_status status, const char *text)
{
    return zi_fail(status, "%s", text ? text : "");
}

/* An argument may be the last error itself: the text is written beside it first. */
static zilch_status fail_at(zilch_status status, const zi_location *place, const char *format,
                            va_list arguments) __attribute__((format(printf, 3, 0)));
static zilch_status fail_at(zilch_status status, const zi_location *place, const char *format,
                            va_list arguments)
{
    char text[LONG];
    vsnprintf(text, sizeof text, format, arguments);
    zi_error_clear();
    last.status = status;
    shorten(last.message, text);
    shorten(last.where, place->where ? place->where : "");
    snprintf(last.name, sizeof last.name, "%s", place->name ? place->name : "");
    memcpy(last.at, place->at, sizeof last.at);
    compose();
    return status;
}

zilch_status zi_fail_at(zilch_status status, const zi_location *place, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fail_at(status, place, format, arguments);
    va_end(arguments);
    return status;
}

zilch_status zi_fail(zilch_status status, const char *format, ...)
{
    const zi_location nowhere = {0};
    va_list arguments;
    va_start(arguments, format);
    fail_at(status, &nowhere, format, arguments);
    va_end(arguments);
    return status;
}

zilch_status zi_fail_within(zilch_status status, const char *format, ...)
{
    char text[LONG];
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(text, sizeof text / 2, format, arguments);
    va_end(arguments);
    if (*last.where && length > 0) {
        const size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, ": %s", last.where);
    }
    last.status = status;
    shorten(last.where, text);
    compose();
    return status;
}

void zi_error_clear(void)
{
    last = (zi_error){0};
}

/* ---- Names ---------------------------------------------------------------------------------------- */

const char *zi_name(const zi_names *names, unsigned value)
{
    return value < names->count ? names->name[value] : NULL;
}

zilch_status zi_name_parse(const zi_names *names, const char *name, unsigned *value)
{
    assert(names->count && value);
    for (size_t i = 0; name && i < names->count; i++) {
        if (strcmp(names->name[i], name) == 0) {
            *value = (unsigned)i;
            return ZILCH_OK;
        }
    }
    return zi_fail(ZILCH_EARG, "\"%s\" is no %s", name ? name : "(null)", names->what);
}
