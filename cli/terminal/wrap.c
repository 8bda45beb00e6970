/* Lines are broken where they are complete: whoever prints them need not know how long they become. */
#include "terminal/wrap.h"

#include <stdlib.h>
#include <string.h>

/* Letters of UTF-8: bytes that do not continue one. */
static size_t letters(const char *text, size_t length)
{
    size_t count = 0;
    for (size_t i = 0; i < length; i++) {
        count += ((unsigned char)text[i] & 0xc0) != 0x80;
    }
    return count;
}

/* Bytes of the word that begins here, which may be in quotes that a shell knows: '...', with '\'' within, or
 * $'...', with \' within. An apostrophe in a word of prose opens nothing. */
static size_t word_length(const char *text)
{
    const char *at = text;
    const int has_escapes = text[0] == '$' && text[1] == '\'';
    if (has_escapes || *at == '\'') {
        for (at += 1 + has_escapes; *at && *at != '\n' && !(*at == '\'' && at[1] != '\\'); at++) {
            at += has_escapes && *at == '\\' && at[1];
            at += !has_escapes && strncmp(at, "'\\''", 4) == 0 ? 3 : 0;
        }
    }
    return (size_t)(at - text) + strcspn(at, " \n");
}

enum { INDENT = 2 };

static int fits(const char *text, size_t length, size_t column, const char *ending)
{
    return column + letters(text, length) + strlen(ending) <= WRAP_COLUMNS;
}

/* Bytes of what stays on one line: a word, or an option of a command with its value, if that fits. */
static size_t piece_length(const char *text, const char *ending)
{
    const size_t length = word_length(text);
    if (!*ending || *text != '-' || text[length] != ' ' || text[length + 1] == '-') {
        return length;
    }
    const size_t both = length + 1 + word_length(text + length + 1);
    return fits(text, both, INDENT, ending) ? both : length;
}

/* Words of one line, with `ending` where it is broken; not where this would not help, and not before the
 * backslash of a line that was broken already. Blanks before a word are kept but at a break, because tables
 * have many. Gives where the line ends. */
static const char *put_line(FILE *stream, const char *line, size_t column, const char *ending)
{
    const char *at = line;
    while (*at && *at != '\n') {
        const size_t blanks = strspn(at, " ");
        const char *word = at + blanks;
        const size_t length = piece_length(word, ending);
        const int is_backslash = length == 1 && *word == '\\';
        if (at != line && !is_backslash && !fits(word, length, column + blanks, ending) &&
            fits(word, length, INDENT, ending)) {
            fprintf(stream, "%s\n%*s", ending, INDENT, "");
            column = INDENT;
        } else {
            fprintf(stream, "%*s", (int)blanks, "");
            column += blanks;
        }
        fwrite(word, 1, length, stream);
        column += letters(word, length);
        at = word + length;
    }
    return at;
}

void wrap_put_command(FILE *stream, const char *command, size_t column)
{
    put_line(stream, command, column, " \\");
}

void wrap_begin(wrap *w)
{
    *w = (wrap){.text = NULL};
    FILE *memory = open_memstream(&w->text, &w->size);
    if (memory) {
        w->page = stdout;
        stdout = memory;
    }
}

void wrap_end(wrap *w)
{
    if (!w->page) {
        return;
    }
    const int failed = fclose(stdout) != 0;
    stdout = w->page;
    for (const char *at = failed ? "" : w->text; *at;) {
        at = put_line(stdout, at, 0, "");
        if (*at) {
            putchar(*at++);
        }
    }
    free(w->text);
}
