/* Pages: the files of cli/report/pages/, with places that are filled while they are written. */
#ifndef PAGE_TEMPLATE_H
#define PAGE_TEMPLATE_H

#include <stdio.h>

/* What stands at a mark such as "@TITLE@". What it puts is not read again: it may hold any '@'. */
typedef struct page_place {
    const char *mark;
    void (*put)(FILE *stream, const void *context);
} page_place;

/* Writes the file of that name. A mark of `places`, whose last has none, gives way to what its function
 * puts; one that names a file, such as "@page.css@", to that file, written in the same way. Any other '@'
 * stands for itself. A function may call this for a part that is not always there. */
void page_template_put(FILE *stream, const char *file, const page_place *places, const void *context);

/* cli/report/pages/, put into the command by embed.cmake; the last has no name. */
typedef struct page_text {
    const char *name, *text;
} page_text;
extern const page_text page_texts[];

#endif
