/* Pages are made in one pass over their text, straight to the stream: a place is as long as it likes, and
 * what comes from outside, a file's name or an episode, is never taken for a mark. */
#include "page_template.h"

#include <assert.h>
#include <string.h>

static const page_place *place_at(const char *at, const page_place *places)
{
    for (const page_place *place = places; place->mark; place++) {
        if (strncmp(at, place->mark, strlen(place->mark)) == 0) {
            return place;
        }
    }
    return NULL;
}

/* The file that is named between this '@' and another one. */
static const page_text *file_at(const char *at)
{
    for (const page_text *file = page_texts; *at && file->name; file++) {
        const size_t length = strlen(file->name);
        if (strncmp(at + 1, file->name, length) == 0 && at[1 + length] == '@') {
            return file;
        }
    }
    return NULL;
}

static void put_text(FILE *stream, const char *text, const page_place *places, const void *context)
{
    for (const char *at = text; *at;) {
        const size_t plain = strcspn(at, "@");
        fwrite(at, 1, plain, stream);
        at += plain;
        const page_place *place = place_at(at, places);
        const page_text *file = file_at(at);
        if (place) {
            place->put(stream, context);
            at += strlen(place->mark);
        } else if (file) {
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
