/* Pages are made in one pass over their text, straight to the stream: a place is as long as it likes, and
 * what comes from outside, a file's name or an episode, is never taken for a mark. */
#include "report/page_template.h"

#include <assert.h>
#include <string.h>

static void put_text(FILE *stream, const char *text, const page_place *places, const void *context)
{
    for (const char *at = text; *at;) {
        const size_t plain = strcspn(at, "@");
        fwrite(at, 1, plain, stream);
        at += plain;
        const page_place *place = places;
        while (place->mark && strncmp(at, place->mark, strlen(place->mark)) != 0) {
            place++;
        }
        const page_text *file = page_texts; /* whose name stands between this '@' and another one */
        while (file->name && (!*at || strncmp(at + 1, file->name, strlen(file->name)) != 0 ||
                              at[1 + strlen(file->name)] != '@')) {
            file++;
        }
        if (place->mark) {
            place->put(stream, context);
            at += strlen(place->mark);
        } else if (file->name) {
            put_text(stream, file->text, places, context);
            at += strlen(file->name) + 2;
        } else if (*at) {
            fputc(*at++, stream);
        }
    }
}

void page_template_put(FILE *stream, const char *file, const page_place *places, const void *context)
{
    const page_text *found = page_texts;
    while (found->name && strcmp(found->name, file) != 0) {
        found++;
    }
    assert(found->name);
    put_text(stream, found->text, places, context);
}
