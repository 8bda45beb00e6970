/* JSON as RFC 8259 has it, gone through from left to right; what is nested deeper than 2048 is refused.
 *
 * Nothing is allocated, so that nothing can go wrong but the text. A library that builds the whole document
 * says "not JSON" when memory runs out, and some lose a digit of a number then and say nothing. */
#include "parallel/json_reader.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DEPTH = 2048, NAME_SIZE = 32 };

/* Where a scan is; NULL: the text is wrong, and the fault says where. */
typedef const char *place;

static place stop(zi_json_fault *fault, const char *at, const char *why)
{
    *fault = (zi_json_fault){at, why};
    return NULL;
}

static place skip_blanks(place at)
{
    return at ? at + strspn(at, " \t\r\n") : NULL;
}

static place expect(place at, const char *text, zi_json_fault *fault)
{
    const size_t length = strlen(text);
    return !at ? NULL
           : strncmp(at, text, length) == 0
               ? at + length
               : stop(fault, at, *at ? "something else is expected" : "it ends here");
}

/* ---- Strings ------------------------------------------------------------------------------------------ */

/* Bytes of the character, 0 if there is none: too long a form, half a pair, or beyond the last. */
static size_t character_length(const char *text)
{
    const unsigned char *c = (const unsigned char *)text;
    const size_t length = c[0] < 0x80 ? 1 : c[0] < 0xc2 ? 0 : c[0] < 0xe0 ? 2 : c[0] < 0xf0 ? 3 : 4;
    if (length <= 1) {
        return length;
    }
    for (size_t i = 1; i < length; i++) {
        if ((c[i] & 0xc0) != 0x80) {
            return 0;
        }
    }
    const int is_wrong = (c[0] == 0xe0 && c[1] < 0xa0) || (c[0] == 0xed && c[1] > 0x9f) ||
                         (c[0] == 0xf0 && c[1] < 0x90) || (c[0] == 0xf4 && c[1] > 0x8f) || c[0] > 0xf4;
    return is_wrong ? 0 : length;
}

/* Four hexadecimal digits; -1 if they are none. */
static long read_unit(place at)
{
    long unit = 0;
    for (int i = 0; i < 4; i++) {
        static const char digits[] = "0123456789abcdef0123456789ABCDEF";
        const char *digit = at[i] ? strchr(digits, at[i]) : NULL;
        if (!digit) {
            return -1;
        }
        unit = 16 * unit + (digit - digits) % 16;
    }
    return unit;
}

/* Behind "\u": the character, of one unit or a pair; neither 0 nor half of a pair. */
static place read_escape(place at, uint32_t *character)
{
    const long first = read_unit(at);
    if (first <= 0 || (first >= 0xdc00 && first < 0xe000)) {
        return NULL;
    }
    if (first < 0xd800 || first >= 0xe000) {
        *character = (uint32_t)first;
        return at + 4;
    }
    const long second = at[4] == '\\' && at[5] == 'u' ? read_unit(at + 6) : -1;
    if (second < 0xdc00 || second >= 0xe000) {
        return NULL;
    }
    *character = (uint32_t)(0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00));
    return at + 10;
}

static size_t encode(uint32_t character, char out[4])
{
    const size_t length = character < 0x80 ? 1 : character < 0x800 ? 2 : character < 0x10000 ? 3 : 4;
    static const unsigned char first[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (size_t i = length - 1; i > 0; i--) {
        out[i] = (char)(0x80 | (character & 0x3f));
        character >>= 6;
    }
    out[0] = (char)(first[length] | character);
    return length;
}

/* The next character of a string: its bytes to out, how many to *length. */
static place read_character(place at, char out[4], size_t *length)
{
    static const char escapes[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
    if (*at != '\\') {
        *length = (unsigned char)*at < 0x20 ? 0 : character_length(at);
        memcpy(out, at, *length);
        return *length ? at + *length : NULL;
    }
    if (at[1] == 'u') {
        uint32_t character = 0;
        at = read_escape(at + 2, &character);
        *length = at ? encode(character, out) : 0;
        return at;
    }
    const char *escape = at[1] ? strchr(escapes, at[1]) : NULL;
    if (!escape) {
        return NULL;
    }
    out[0] = meanings[escape - escapes];
    *length = 1;
    return at + 2;
}

/* A string, the marks around it among it; as much of what it says as there is room for goes to out. */
static place read_string(place at, char *out, size_t size, zi_json_fault *fault)
{
    size_t filled = 0;
    at = expect(at, "\"", fault);
    while (at && *at != '"') {
        char bytes[4];
        size_t length;
        const place next = read_character(at, bytes, &length);
        at =
            next ? next : stop(fault, at, *at ? "this is no character of a string" : "the string has no end");
        if (at && filled + length < size) {
            memcpy(out + filled, bytes, length);
            filled += length;
        } else {
            size = 0; /* what comes behind a gap is not to be told */
        }
    }
    out[filled] = '\0';
    return at ? at + 1 : NULL;
}

/* ---- Values ------------------------------------------------------------------------------------------- */

static place skip_digits(place at)
{
    const size_t digits = at ? strspn(at, "0123456789") : 0;
    return digits ? at + digits : NULL;
}

static place read_number(const char *text, zi_json_kind *kind)
{
    place at = text + (*text == '-');
    at = *at == '0' ? at + 1 : skip_digits(at);
    const char *whole = at;
    if (at && *at == '.') {
        at = skip_digits(at + 1);
    }
    if (at && (*at == 'e' || *at == 'E')) {
        at += at[1] == '+' || at[1] == '-' ? 2 : 1;
        at = skip_digits(at);
    }
    if (!at) {
        return NULL;
    }
    *kind = at == whole ? ZI_JSON_INTEGER : ZI_JSON_REAL;
    errno = 0;
    const int is_beyond =
        *kind == ZI_JSON_INTEGER ? (strtoll(text, NULL, 10), errno == ERANGE) : !isfinite(strtod(text, NULL));
    return is_beyond ? NULL : at;
}

static place read_value(place at, int depth, zi_json_kind *kind, zi_json_fault *fault);

/* The rest of an array or of an object, whose members are noted if they are looked for. */
static place read_members(place at, int depth, size_t count, zi_json_member *member, zi_json_fault *fault)
{
    const int is_object = *at == '{';
    const char *end = is_object ? "}" : "]";
    at = skip_blanks(at + 1);
    if (*at == *end) {
        return at + 1;
    }
    for (;;) {
        char name[NAME_SIZE] = "";
        if (is_object) {
            at = skip_blanks(expect(skip_blanks(read_string(at, name, sizeof name, fault)), ":", fault));
        }
        const char *text = at;
        zi_json_kind kind = ZI_JSON_ABSENT;
        at = skip_blanks(read_value(at, depth, &kind, fault));
        for (size_t i = 0; at && i < count; i++) {
            if (strcmp(name, member[i].name) == 0) {
                at = member[i].kind == ZI_JSON_ABSENT ? at : stop(fault, text, "duplicate object key");
                member[i].kind = kind;
                member[i].text = text;
            }
        }
        if (!at || *at == *end) {
            return at ? at + 1 : NULL;
        }
        at = skip_blanks(expect(at, ",", fault));
    }
}

static place read_value(place at, int depth, zi_json_kind *kind, zi_json_fault *fault)
{
    char ignored[1];
    place end;
    if (!at) {
        return NULL;
    }
    *kind = ZI_JSON_OTHER;
    switch (*at) {
    case '{':
    case '[':
        return depth < MOST_DEPTH ? read_members(at, depth + 1, 0, NULL, fault)
                                  : stop(fault, at, "it is nested too deeply");
    case '"':
        *kind = ZI_JSON_STRING;
        return read_string(at, ignored, sizeof ignored, fault);
    case 't':
        return expect(at, "true", fault);
    case 'f':
        return expect(at, "false", fault);
    case 'n':
        *kind = ZI_JSON_NULL;
        return expect(at, "null", fault);
    default:
        end = read_number(at, kind);
        return end ? end
                   : stop(fault, at,
                          *at ? "this is no value, or a number that is too large" : "it ends here");
    }
}

/* ---- Outside -------------------------------------------------------------------------------------- */

int zi_json_read(const char *line, size_t count, zi_json_member *member, zi_json_fault *fault)
{
    assert(line && (member || !count));
    for (size_t i = 0; i < count; i++) {
        member[i].kind = ZI_JSON_ABSENT;
        member[i].text = NULL;
    }
    place at = skip_blanks(line);
    at = skip_blanks(*at == '{' ? read_members(at, 1, count, member, fault)
                                : stop(fault, at, "an object begins with {"));
    if (at && *at) {
        at = stop(fault, at, "the object has ended before");
    }
    return at != NULL;
}

int zi_json_is_number(const zi_json_member *member)
{
    return member->kind == ZI_JSON_INTEGER || member->kind == ZI_JSON_REAL;
}

double zi_json_number(const zi_json_member *member)
{
    return strtod(member->text, NULL);
}

int64_t zi_json_integer(const zi_json_member *member)
{
    assert(member->kind == ZI_JSON_INTEGER);
    return strtoll(member->text, NULL, 10);
}

void zi_json_string(const zi_json_member *member, char *out, size_t size)
{
    zi_json_fault none;
    (void)read_string(member->text, out, size, &none);
}
