/* Text from outside. All of it that is printed goes through show(), whatever it is printed into. A terminal
 * obeys control characters, and marks of direction make a reader see another text than there is. A backslash
 * of the text itself stays single, for paths are full of them; so "\x1b" may be the control character or
 * these four letters. JSON tells them apart.
 *
 * Unicode Technical Report 36 (security considerations); RFC 4180 (CSV). */
#include "terminal/text.h"

#include <errno.h>
#include <stdint.h>
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

/* ---- What is shown ----------------------------------------------------------------- */

typedef struct range {
    uint32_t first, last;
} range;

/* Characters that cannot be seen, or that change how others around them are read (Unicode 15): controls, the
 * category "format" with the bidirectional marks, line and paragraph separators, fillers, tags, private use
 * and noncharacters. Variation selectors stay: they belong to the character before them. In order. */
static const range hidden[] = {
    {0x00, 0x1f},       {0x7f, 0x9f},       {0xad, 0xad},       {0x34f, 0x34f},     {0x600, 0x605},
    {0x61c, 0x61c},     {0x6dd, 0x6dd},     {0x70f, 0x70f},     {0x890, 0x891},     {0x8e2, 0x8e2},
    {0x115f, 0x1160},   {0x17b4, 0x17b5},   {0x180e, 0x180e},   {0x200b, 0x200f},   {0x2028, 0x202e},
    {0x2060, 0x206f},   {0x3164, 0x3164},   {0xe000, 0xf8ff},   {0xfdd0, 0xfdef},   {0xfeff, 0xfeff},
    {0xffa0, 0xffa0},   {0xfff0, 0xfffb},   {0x110bd, 0x110bd}, {0x110cd, 0x110cd}, {0x13430, 0x1343f},
    {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a}, {0xe0000, 0xe00ff}, {0xe01f0, 0xe0fff}, {0xf0000, 0x10ffff},
};

static int is_hidden(uint32_t character)
{
    size_t i = 0;
    while (hidden[i].last < character && i + 1 < sizeof hidden / sizeof *hidden) {
        i++;
    }
    return (character >= hidden[i].first && character <= hidden[i].last) || (character & 0xfffe) == 0xfffe;
}

/* The character that begins here, of so many bytes. */
static uint32_t decode(const char *text, size_t length)
{
    static const unsigned char mark[] = {0xff, 0x7f, 0x1f, 0x0f, 0x07};
    uint32_t character = (unsigned char)*text & mark[length];
    for (size_t i = 1; i < length; i++) {
        character = character << 6 | ((unsigned char)text[i] & 0x3f);
    }
    return character;
}

/* How text is written so that another program takes it for text: letters that have a meaning there, and what
 * stands for them. */
typedef struct escape {
    char letter;
    const char *text;
} escape;

static const escape no_escapes[] = {{0}};
static const escape csv_escapes[] = {{'"', "\"\""}, {0}};
static const escape html_escapes[] = {{'&', "&amp;"},  {'<', "&lt;"},   {'>', "&gt;"},
                                      {'"', "&quot;"}, {'\'', "&#39;"}, {0}};
static const escape latex_escapes[] = {{'\\', "\\textbackslash{}"},
                                       {'~', "\\~{}"},
                                       {'^', "\\^{}"},
                                       {'#', "\\#"},
                                       {'$', "\\$"},
                                       {'%', "\\%"},
                                       {'&', "\\&"},
                                       {'_', "\\_"},
                                       {'{', "\\{"},
                                       {'}', "\\}"},
                                       {0}};

enum { SHOWN_SIZE = 16 };

/* What is shown of the character that begins here; gives its bytes. A byte that is no UTF-8 is a character.
 */
static size_t show(const char *text, char out[SHOWN_SIZE])
{
    static const char named[] = "\n\t\r";
    static const char names[] = "ntr";
    const size_t length = text_character(text);
    const uint32_t character = decode(text, length);
    const char *found = strchr(named, *text);
    if (length && !is_hidden(character)) {
        memcpy(out, text, length);
        out[length] = '\0';
    } else if (found && *found) {
        snprintf(out, SHOWN_SIZE, "\\%c", names[found - named]);
    } else if (character < 0x80 || !length) {
        snprintf(out, SHOWN_SIZE, "\\x%02x", character);
    } else {
        snprintf(out, SHOWN_SIZE, character < 0x10000 ? "\\u%04x" : "\\U%08x", character);
    }
    return length ? length : 1;
}

static size_t letters_shown(const char *shown)
{
    return *shown == '\\' ? strlen(shown) : 1;
}

/* What is shown of a character, with its escapes; gives the length. */
static size_t append(char *out, const char *shown, const escape *escapes)
{
    char *end = out;
    for (; *shown; shown++) {
        const escape *e = escapes;
        while (e->letter && e->letter != *shown) {
            e++;
        }
        if (e->letter) {
            end = stpcpy(end, e->text);
        } else {
            *end++ = *shown;
        }
    }
    return (size_t)(end - out);
}

/* As much of it as fits so many letters; in few writes, for stderr has no buffer. */
static void put(FILE *stream, const char *text, const escape *escapes, size_t most)
{
    enum { LONGEST = 64 }; /* of a character */
    char ready[512] = "";
    size_t used = 0;
    size_t letters = 0;
    while (*text) {
        char shown[SHOWN_SIZE];
        const size_t length = show(text, shown);
        letters += letters_shown(shown);
        if (letters > most) {
            break;
        }
        text += length;
        used += append(ready + used, shown, escapes);
        if (used > sizeof ready - LONGEST) {
            fwrite(ready, 1, used, stream);
            used = 0;
        }
    }
    fwrite(ready, 1, used, stream);
}

void text_put(FILE *stream, const char *text)
{
    put(stream, text, no_escapes, SIZE_MAX);
}

void text_put_within(FILE *stream, const char *text, size_t most)
{
    put(stream, text, no_escapes, most);
}

void text_put_between(FILE *stream, const char *before, const char *text, const char *behind)
{
    fputs(before, stream);
    text_put(stream, text);
    fputs(behind, stream);
}

size_t text_width(const char *text)
{
    char shown[SHOWN_SIZE];
    size_t width = 0;
    while (*text) {
        text += show(text, shown);
        width += letters_shown(shown);
    }
    return width;
}

void text_put_aligned(FILE *stream, const char *text, int width)
{
    const int blanks = abs(width) - (int)text_width(text);
    fprintf(stream, "%*s", width > 0 && blanks > 0 ? blanks : 0, "");
    text_put(stream, text);
    fprintf(stream, "%*s", width < 0 && blanks > 0 ? blanks : 0, "");
}

void text_put_escaped(FILE *stream, const char *text)
{
    put(stream, text, html_escapes, SIZE_MAX);
}

void text_put_latex(FILE *stream, const char *text)
{
    put(stream, text, latex_escapes, SIZE_MAX);
}

/* ---- Fields of CSV ------------------------------------------------------------------- */

static const char formula[] = "=+-@"; /* what a spreadsheet takes for the beginning of one */

size_t text_guard(const char *field)
{
    return *field == '\'' && field[1] && strchr(formula, field[1]) ? 1 : 0;
}

void text_put_field(FILE *stream, const char *text, int is_quoted)
{
    const char *quote = is_quoted || strpbrk(text, ",;\"") ? "\"" : "";
    fputs(quote, stream);
    fputs(*text && strchr(formula, *text) ? "'" : "", stream);
    put(stream, text, csv_escapes, SIZE_MAX);
    fputs(quote, stream);
}

/* ---- Words of a shell ------------------------------------------------------------------ */

static int is_shown_as_it_is(const char *text)
{
    char shown[SHOWN_SIZE];
    while (*text) {
        const size_t length = show(text, shown);
        if (strncmp(text, shown, length) != 0) {
            return 0;
        }
        text += length;
    }
    return 1;
}

/* Bytes that would be shown otherwise are octal numbers of three digits, which no shell reads further. */
void text_put_word(FILE *stream, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./+,:@%=";
    static const escape quoted[] = {{'\'', "'\\''"}, {0}};
    static const escape inside[] = {{'\'', "\\'"}, {'\\', "\\\\"}, {0}};
    if (*word && strspn(word, plain) == strlen(word)) {
        fputs(word, stream);
        return;
    }
    const int is_plain = is_shown_as_it_is(word);
    fputs(is_plain ? "'" : "$'", stream);
    while (*word) {
        char shown[SHOWN_SIZE];
        char ready[SHOWN_SIZE] = "";
        const size_t length = show(word, shown);
        const int is_same = strncmp(word, shown, length) == 0;
        if (is_same) {
            fwrite(ready, 1, append(ready, shown, is_plain ? quoted : inside), stream);
        }
        for (size_t i = 0; i < length && !is_same; i++) {
            fprintf(stream, "\\%03o", (unsigned)(unsigned char)word[i]);
        }
        word += length;
    }
    fputc('\'', stream);
}

/* ---- JSON ---------------------------------------------------------------------------- */

void text_put_json(FILE *stream, const char *json)
{
    while (*json) {
        const size_t length = text_character(json);
        const uint32_t c = decode(json, length);
        if (c < 0x7f || !is_hidden(c)) {
            fwrite(json, 1, length ? length : 1, stream);
        } else if (c < 0x10000) {
            fprintf(stream, "\\u%04x", c);
        } else {
            fprintf(stream, "\\u%04x\\u%04x", 0xd7c0 + (c >> 10), 0xdc00 + (c & 0x3ff));
        }
        json += length ? length : 1;
    }
}

/* ---- Letters --------------------------------------------------------------------------- */

/* Skips so many letters, or all there are, and gives how many; of what is no UTF-8 a byte is a letter. */
static size_t skip_letters(const char **text, size_t most)
{
    size_t count = 0;
    for (; **text && count < most; count++) {
        const size_t length = text_character(*text);
        *text += length ? length : 1;
    }
    return count;
}

void text_shorten(const char *text, size_t most, char *out, size_t size)
{
    const char *middle = text;
    const char *behind = text;
    const size_t letters = skip_letters(&behind, SIZE_MAX);
    const int is_short = letters <= most;
    const size_t before = skip_letters(&middle, is_short ? letters : most / 2);
    behind = text;
    skip_letters(&behind, is_short ? letters : letters - (most - 1 - before));
    snprintf(out, size, "%.*s%s%s", (int)(middle - text), text, is_short ? "" : "…", behind);
}
