/* Status texts, the thread's last error, and names of enum values. */
#include "base/status.h"

#include <stdarg.h>
#include <string.h>

enum { ERROR_TEXT_SIZE = 512 };

static _Thread_local char last_error[ERROR_TEXT_SIZE];

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

const char *zilch_last_error(void)
{
    return last_error;
}

zilch_status zilch_fail(zilch_status status, const char *text)
{
    return zi_fail(status, "%s", text ? text : "");
}

/* What is too long, a path most likely, is left out in the middle: what went wrong is said at the end. */
zilch_status zi_fail(zilch_status status, const char *format, ...)
{
    enum { LONG = 8192 }; /* two of the longest paths */
    /* An argument may be the last error itself: write beside it first. */
    char text[LONG];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    const size_t length = strlen(text);
    const size_t half = (sizeof last_error - sizeof "...") / 2;
    if (length < sizeof last_error) {
        memcpy(last_error, text, length + 1);
    } else {
        snprintf(last_error, sizeof last_error, "%.*s...%s", (int)half, text, text + length - half);
    }
    return status;
}

void zi_error_clear(void)
{
    *last_error = '\0';
}

const char *zi_name(const zi_names *names, unsigned value)
{
    return value < names->count ? names->name[value] : NULL;
}

zilch_status zi_name_parse(const zi_names *names, const char *name, unsigned *value)
{
    for (size_t i = 0; name && i < names->count; i++) {
        if (strcmp(names->name[i], name) == 0) {
            *value = (unsigned)i;
            return ZILCH_OK;
        }
    }
    return zi_fail(ZILCH_EARG, "\"%s\" is no %s", name ? name : "(null)", names->what);
}
