/* What is said to programs, line by line. Numbers are written with 17 digits, which give the same
 * double back and are found fastest: half of a message's cost is this. */
#include "parallel/message.h"

#include "base/ids.h"
#include "base/memory.h"

#include <assert.h>
#include <string.h>

enum { NUMBER_MOST = 48, ID_MOST = 48 };

/* ---- Text ---------------------------------------------------------------------------------------- */

zilch_status zi_text_reserve(zi_text *text, size_t more)
{
    assert(text->length <= text->capacity);
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

static void put_all(zi_text *out, size_t dim, const double *x, const char *between)
{
    for (size_t i = 0; i < dim; i++) {
        put(out, i > 0 ? between : "");
        put_number(out, x[i]);
    }
}

/* Members of an object, by labels or by numbers: all coordinates, or the active ones. */
static void put_members(zi_text *out, const zi_labels *labels, int is_sparse, size_t dim, const double *x)
{
    const char *before = "";
    for (size_t i = 0; i < dim; i++) {
        if (is_sparse && x[i] == 0.0) {
            continue;
        }
        put(out, before);
        if (labels) {
            put(out, labels->text[i]);
        } else {
            out->length += (size_t)snprintf(out->bytes + out->length, NUMBER_MOST, "\"%zu\":", i);
        }
        put_number(out, x[i]);
        before = ",";
    }
}

zilch_status zi_message_write(zi_text *out, zilch_protocol protocol, const zi_labels *labels, uint64_t id,
                              size_t dim, const double *x)
{
    assert(zilch_protocol_name(protocol) && dim && x);
    const int is_sparse = protocol == ZILCH_PROTOCOL_SPARSE;
    out->length = 0;
    ZI_TRY(zi_text_reserve(out, ID_MOST + (size_t)2 * NUMBER_MOST * dim + (labels ? labels->bytes : 0)));
    if (protocol == ZILCH_PROTOCOL_PLAIN) {
        put_all(out, dim, x, " ");
        put(out, "\n");
        return ZILCH_OK;
    }
    out->length +=
        (size_t)snprintf(out->bytes, ID_MOST, "{\"id\":%llu,", (unsigned long long)zi_message_id(id));
    if (is_sparse || labels) {
        put(out, is_sparse ? "\"active\":{" : "\"x\":{");
        put_members(out, labels, is_sparse, dim, x);
        put(out, "}}\n");
    } else {
        put(out, "\"x\":[");
        put_all(out, dim, x, ",");
        put(out, "]}\n");
    }
    return ZILCH_OK;
}

/* ---- Labels ---------------------------------------------------------------------------------------- */

enum { ESCAPED_MOST = 6, LABEL_MARKS = 4 }; /* bytes of \u001f; two quotes, the colon and the end */

zilch_status zi_labels_make(zi_labels **out, size_t dim, const char *const *names)
{
    size_t most = 0;
    for (size_t i = 0; i < dim; i++) {
        most += ESCAPED_MOST * strlen(names[i]) + LABEL_MARKS;
    }
    ZI_TRY(zi_alloc_bytes(out, 1, sizeof **out + dim * sizeof *(*out)->text + most));
    char *const begin = (char *)((*out)->text + dim);
    char *at = begin;
    for (size_t i = 0; i < dim; i++) {
        (*out)->text[i] = at;
        *at++ = '"';
        for (const char *c = names[i]; *c; c++) {
            if ((unsigned char)*c < ' ') {
                at += snprintf(at, ESCAPED_MOST + 1, "\\u%04x", (unsigned)*c);
            } else {
                at += *c == '"' || *c == '\\' ? (*at = '\\', 1) : 0;
                *at++ = *c;
            }
        }
        memcpy(at, "\":", sizeof "\":");
        at += sizeof "\":";
    }
    (*out)->bytes = (size_t)(at - begin);
    return ZILCH_OK;
}
