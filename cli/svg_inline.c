/* gnuplot's SVG, copied with small changes at the places that are found by their text. */
#include "svg_inline.h"

#include "cli.h"
#include "text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* All that is left of the file, in new memory; NULL if it cannot be had. */
static char *read_all(FILE *file)
{
    char *text = NULL;
    size_t size = 0;
    size_t room = 0;
    do {
        room = room ? 2 * room : 1 << 16;
        char *more = realloc(text, room);
        if (!more) {
            free(text);
            return NULL;
        }
        text = more;
        size += fread(text + size, 1, room - size - 1, file);
    } while (!feof(file) && !ferror(file));
    text[size] = '\0';
    if (ferror(file)) {
        free(text);
        return NULL;
    }
    return text;
}

static int begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* Where an id stands behind, or is referred to: how many letters, 0 for none. */
static size_t id_mark(const char *text)
{
    static const char *const marks[] = {" id='", " id=\"", "href='#", "href=\"#", "url(#"};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        if (begins(text, marks[i])) {
            return strlen(marks[i]);
        }
    }
    return 0;
}

/* What is behind an element that is left out; the text itself if none begins there. */
static const char *skip_element(const char *text)
{
    static const char *const elements[][2] = {{"<title>", "</title>"}, {"<desc>", "</desc>"}};
    for (size_t i = 0; i < sizeof elements / sizeof *elements; i++) {
        const char *end = begins(text, elements[i][0]) ? strstr(text, elements[i][1]) : NULL;
        if (end) {
            return end + strlen(elements[i][1]);
        }
    }
    return text;
}

/* From within the first tag on. Ids stand in tags only. */
static void put_renamed(FILE *stream, const char *text, const char *name)
{
    int is_tag = 1;
    while (*text) {
        const size_t mark = is_tag ? id_mark(text) : 0;
        const char *behind = skip_element(text);
        if (mark) {
            fprintf(stream, "%.*s%s-", (int)mark, text, name);
            text += mark;
        } else if (behind != text) {
            text = behind;
        } else {
            is_tag = *text == '<' || (is_tag && *text != '>');
            fputc(*text++, stream);
        }
    }
}

int svg_put_inline(FILE *stream, FILE *picture, const char *name, const char *label)
{
    static const char element[] = "<svg";
    char *text = picture ? read_all(picture) : NULL;
    const char *svg = text ? strstr(text, element) : NULL;
    if (!text) {
        return cli_fail("%s.svg: cannot be read: %s", name, strerror(errno));
    }
    if (svg) {
        fprintf(stream, "%s role=\"img\" aria-label=\"", element);
        text_put_escaped(stream, label);
        fputc('"', stream);
        put_renamed(stream, svg + strlen(element), name);
    }
    free(text);
    return svg ? 0 : cli_fail("%s.svg: is no SVG", name);
}
