/* gnuplot's SVG, copied with small changes at the places that are found by their text. */
#include "report/svg_inline.h"

#include "terminal/cli.h"
#include "terminal/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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
    const char *end = begins(text, "<title>")  ? strstr(text, "</title>")
                      : begins(text, "<desc>") ? strstr(text, "</desc>")
                                               : NULL;
    return end ? strchr(end, '>') + 1 : text;
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
    char *text = NULL;
    size_t size = 0;
    if (!picture || getdelim(&text, &size, '\0', picture) < 0) { /* all of it */
        free(text);
        return cli_fail("%s.svg: cannot be read: %s", name, strerror(errno));
    }
    const char *svg = strstr(text, element);
    if (svg) {
        fprintf(stream, "%s role=\"img\" aria-label=\"", element);
        text_put_escaped(stream, label);
        fputc('"', stream);
        put_renamed(stream, svg + strlen(element), name);
    }
    free(text);
    return svg ? 0 : cli_fail("%s.svg: is no SVG", name);
}
