/* What is said to programs and by them, line by line. Numbers are written with 17 digits, which give the same
 * double back and are found fastest: half of a message's cost is this. */
#include "parallel/message.h"

#include "base/memory.h"
#include "parallel/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBER_MOST = 48, ID_MOST = 48, SHOWN_MOST = 60 };

/* ---- Text ---------------------------------------------------------------------------------------- */

zilch_status zi_text_reserve(zi_text *text, size_t more)
{
    char *bytes;
    const size_t wanted = text->length + more;
    if (wanted <= text->capacity) {
        return ZILCH_OK;
    }
    const size_t capacity = wanted < 2 * text->capacity ? 2 * text->capacity : wanted;
    ZI_TRY(zi_alloc(&bytes, capacity));
    memcpy(bytes, text->bytes ? text->bytes : "", text->length);
    zi_free(text->bytes);
    text->bytes = bytes;
    text->capacity = capacity;
    return ZILCH_OK;
}

void zi_text_free(zi_text *text)
{
    zi_free(text->bytes);
    *text = (zi_text){0};
}

static void put(zi_text *out, const char *text)
{
    const size_t length = strlen(text);
    memcpy(out->bytes + out->length, text, length);
    out->length += length;
}

static void put_number(zi_text *out, double value)
{
    if (value == 0.0) { /* most are; -0 is 0 */
        out->bytes[out->length++] = '0';
        return;
    }
    out->length += (size_t)snprintf(out->bytes + out->length, NUMBER_MOST, "%.17g", value);
}

/* ---- Messages -------------------------------------------------------------------------------------- */

/* Search and what comes after it have ids of their own: 2^52 tells them apart here. */
uint64_t zi_message_id(uint64_t id)
{
    const uint64_t half = UINT64_C(1) << 52;
    return id < half ? id : half | (id & (half - 1));
}

static void put_all(zi_text *out, size_t dim, const double *x, const char *between)
{
    for (size_t i = 0; i < dim; i++) {
        put(out, i > 0 ? between : "");
        put_number(out, x[i]);
    }
}

static void put_active(zi_text *out, size_t dim, const double *x)
{
    const char *before = "";
    for (size_t i = 0; i < dim; i++) {
        if (x[i] != 0.0) {
            out->length += (size_t)snprintf(out->bytes + out->length, NUMBER_MOST, "%s\"%zu\":", before, i);
            put_number(out, x[i]);
            before = ",";
        }
    }
}

zilch_status zi_message_write(zi_text *out, zilch_protocol protocol, uint64_t id, size_t dim, const double *x)
{
    out->length = 0;
    ZI_TRY(zi_text_reserve(out, ID_MOST + (size_t)2 * NUMBER_MOST * dim));
    if (protocol != ZILCH_PROTOCOL_PLAIN) {
        out->length +=
            (size_t)snprintf(out->bytes, ID_MOST, "{\"id\":%llu,", (unsigned long long)zi_message_id(id));
    }
    switch (protocol) {
    case ZILCH_PROTOCOL_PLAIN:
        put_all(out, dim, x, " ");
        put(out, "\n");
        break;
    case ZILCH_PROTOCOL_SPARSE:
        put(out, "\"active\":{");
        put_active(out, dim, x);
        put(out, "}}\n");
        break;
    default:
        put(out, "\"x\":[");
        put_all(out, dim, x, ",");
        put(out, "]}\n");
    }
    return ZILCH_OK;
}

/* ---- Answers ------------------------------------------------------------------------------------------ */

/* "answered 'abc', ..." with as much of it as can be shown. */
static zi_verdict wrong(zi_answer *out, const char *line, const char *why)
{
    char shown[SHOWN_MOST + 4];
    const int is_long = strlen(line) > SHOWN_MOST;
    snprintf(shown, sizeof shown, "%.*s%s", SHOWN_MOST, line, is_long ? "..." : "");
    for (char *c = shown; *c; c++) {
        if ((unsigned char)*c < 0x20 || (unsigned char)*c >= 0x7f) {
            *c = '?';
        }
    }
    snprintf(out->reason, sizeof out->reason, "answered '%s', %s", shown, why);
    return ZI_ANSWER_WRONG;
}

static zi_verdict failed(zi_answer *out, const char *why)
{
    snprintf(out->reason, sizeof out->reason, "said: %s", why);
    return ZI_ANSWER_FAILED;
}

static zi_verdict read_plain(const char *line, zi_answer *out)
{
    static const char blanks[] = " \t\r\n";
    char *end;
    const double value = strtod(line, &end);
    if (end == line || end[strspn(end, blanks)]) {
        return wrong(out, line, "which is not a number");
    }
    if (!isfinite(value)) {
        return failed(out, "a value that is not finite");
    }
    out->value = value;
    return ZI_ANSWER_VALUE;
}

enum { ID, VALUE, ERROR, SIGMA, MEMBERS };

static zi_verdict read_object(const zi_json_member member[MEMBERS], const char *line, zi_answer *out)
{
    const zi_json_kind sigma = member[SIGMA].kind;
    if (member[ID].kind != ZI_JSON_INTEGER || zi_json_integer(&member[ID]) < 0) {
        return wrong(out, line, "which has no id");
    }
    out->id = (uint64_t)zi_json_integer(&member[ID]);
    if (member[ERROR].kind != ZI_JSON_ABSENT && member[ERROR].kind != ZI_JSON_NULL) {
        char text[ZI_REASON_SIZE - sizeof "said: "] = "an error";
        if (member[ERROR].kind == ZI_JSON_STRING) {
            zi_json_string(&member[ERROR], text, sizeof text);
        }
        return failed(out, text);
    }
    if (member[VALUE].kind == ZI_JSON_NULL) {
        return failed(out, "no value");
    }
    if (!zi_json_is_number(&member[VALUE])) {
        return wrong(out, line, "which has no number as its value");
    }
    if (sigma != ZI_JSON_ABSENT && sigma != ZI_JSON_NULL &&
        !(zi_json_is_number(&member[SIGMA]) && zi_json_number(&member[SIGMA]) >= 0.0)) {
        return wrong(out, line, "whose sigma is not a number from 0 on");
    }
    out->value = zi_json_number(&member[VALUE]);
    out->error = zi_json_is_number(&member[SIGMA]) ? zi_json_number(&member[SIGMA]) : NAN;
    return ZI_ANSWER_VALUE;
}

zi_verdict zi_answer_read(const char *line, size_t length, zilch_protocol protocol, zi_answer *out)
{
    *out = (zi_answer){.value = NAN, .error = NAN};
    if (strlen(line) != length) {
        return wrong(out, line, "with a zero byte in it");
    }
    if (protocol == ZILCH_PROTOCOL_PLAIN) {
        return read_plain(line, out);
    }
    zi_json_member member[MEMBERS] = {[ID] = {.name = "id"},
                                      [VALUE] = {.name = "value"},
                                      [ERROR] = {.name = "error"},
                                      [SIGMA] = {.name = "sigma"}};
    return zi_json_read(line, MEMBERS, member) ? read_object(member, line, out)
                                               : wrong(out, line, "which is not a JSON object");
}
