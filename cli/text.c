/* Text from outside. */
#include "text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Overlong forms and surrogates are none. */
size_t text_character(const char *text)
{
    const unsigned char *at = (const unsigned char *)text;
    const size_t length = at[0] < 0x80 ? 1 : at[0] < 0xc2 ? 0 : at[0] < 0xe0 ? 2 : at[0] < 0xf0 ? 3 : 4;
    for (size_t i = 1; i < length; i++) {
        if ((at[i] & 0xc0) != 0x80) {
            return 0;
        }
    }
    const int is_wrong = (at[0] == 0xe0 && at[1] < 0xa0) || (at[0] == 0xed && at[1] >= 0xa0) ||
                         (at[0] == 0xf0 && at[1] < 0x90) || (at[0] == 0xf4 && at[1] >= 0x90) ||
                         at[0] > 0xf4 || (at[0] == 0xef && at[1] == 0xbf && at[2] >= 0xbe);
    return is_wrong ? 0 : length;
}

size_t text_visible(const char *text)
{
    static const struct {
        unsigned first, last;
    } hidden[] = {{0, 0x1f},        {0x7f, 0x9f},     {0xad, 0xad},     {0x61c, 0x61c},
                  {0x180e, 0x180e}, {0x200b, 0x200f}, {0x2028, 0x202e}, {0x2060, 0x206f},
                  {0xfe00, 0xfe0f}, {0xfeff, 0xfeff}, {0xfff9, 0xfffb}, {0xe0000, 0xe0fff}};
    const unsigned char *at = (const unsigned char *)text;
    const size_t length = text_character(text);
    unsigned code = length > 1 ? at[0] & (0x7fU >> length) : at[0];
    for (size_t i = 1; i < length; i++) {
        code = code << 6 | (at[i] & 0x3f);
    }
    for (size_t i = 0; i < sizeof hidden / sizeof *hidden; i++) {
        if (code >= hidden[i].first && code <= hidden[i].last) {
            return 0;
        }
    }
    return length;
}

void text_put_escaped(FILE *stream, const char *text)
{
    static const char *const name[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};
    static const char special[] = "&<>\"'";
    for (const char *at = text; *at;) {
        const char *found = strchr(special, *at);
        const size_t length = text_character(at);
        if (found) {
            fputs(name[found - special], stream);
        } else if (length == 0 || (unsigned char)*at < ' ' || *at == 0x7f) {
            fputc('?', stream);
        } else {
            fwrite(at, 1, length, stream);
        }
        at += length ? length : 1;
    }
}

/* Letters of the text, and of what is no UTF-8 bytes. */
static size_t count_letters(const char *text)
{
    size_t count = 0;
    for (; *text; count++) {
        const size_t length = text_character(text);
        text += length ? length : 1;
    }
    return count;
}

/* What is behind so many letters. */
static const char *skip_letters(const char *text, size_t count)
{
    for (; *text && count > 0; count--) {
        const size_t length = text_character(text);
        text += length ? length : 1;
    }
    return text;
}

void text_shorten(const char *text, size_t most, char *out, size_t size)
{
    const size_t letters = count_letters(text);
    const int is_short = letters <= most;
    const size_t before = is_short ? letters : most / 2;
    const char *middle = skip_letters(text, before);
    const char *behind = is_short ? middle : skip_letters(text, letters - (most - 1 - before));
    snprintf(out, size, "%.*s%s%s", (int)(middle - text), text, is_short ? "" : "…", behind);
}

/* ---- Lines ----------------------------------------------------------------------- */

enum { LINE_FIRST = 256, LINE_MOST = 1 << 30 };

/* Room for one more letter and the NUL; 0, or -1 and why. */
static int make_room(char **line, size_t *capacity, size_t length, const char **why)
{
    if (length + 2 <= *capacity) {
        return 0;
    }
    const size_t more = *capacity ? 2 * *capacity : LINE_FIRST;
    char *grown = more <= LINE_MOST ? realloc(*line, more) : NULL;
    if (!grown) {
        *why = more <= LINE_MOST ? "out of memory" : "is longer than a gigabyte: this is no text file";
        return -1;
    }
    *line = grown;
    *capacity = more;
    return 0;
}

/* Not getline(), for which a device without an end is one long line, and memory that is not to be had the end
 * of the file. */
int text_read_line(FILE *stream, char **line, size_t *capacity, const char **why)
{
    size_t length = 0;
    int letter;
    while ((letter = getc_unlocked(stream)) != EOF && letter != '\n') {
        if (letter == '\0') {
            *why = "a NUL byte: this is no text file";
            return -1;
        }
        if (make_room(line, capacity, length, why)) {
            return -1;
        }
        (*line)[length++] = (char)letter;
    }
    if (ferror(stream)) {
        *why = strerror(errno);
        return -1;
    }
    if ((letter == EOF && length == 0) || make_room(line, capacity, length, why)) {
        return letter == EOF && length == 0 ? 0 : -1;
    }
    (*line)[length] = '\0';
    return 1;
}
