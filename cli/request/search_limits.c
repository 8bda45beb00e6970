#include "request/search_limits.h"

#include "terminal/cli.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The file, or "" if there is none, to be freed; NULL after printing why. */
static char *read_text(const char *path)
{
    enum { MOST = 1 << 24 }; /* bytes */
    FILE *stream = path ? fopen(path, "rbe") : NULL;
    if (path && !stream) {
        cli_fail("%s: cannot open: %s", path, strerror(errno));
        return NULL;
    }
    char *text = malloc((size_t)MOST + 1);
    const size_t length = text && stream ? fread(text, 1, (size_t)MOST + 1, stream) : 0;
    const int is_whole = !stream || (length <= MOST && !ferror(stream));
    if (stream) {
        fclose(stream);
    }
    if (!text || !is_whole || memchr(text, '\0', length)) {
        cli_fail(text ? "%s: is not a file of limits, or it is larger than 16 megabytes"
                      : "%s: out of memory",
                 path);
        free(text);
        return NULL;
    }
    text[length] = '\0';
    return text;
}

/* Behind --sum a number alone is what all coordinates add up to. */
static int is_number(const char *text)
{
    double number;
    return zilch_number_parse(text, &number);
}

int search_limits_read(const search_request *r, size_t dim, const char *const *names,
                       zilch_linear_limit **out, size_t *count)
{
    if (!r->sum && !r->limits_file) {
        return 0;
    }
    char *file = read_text(r->limits_file);
    char *all = NULL;
    size_t size;
    FILE *stream = file ? open_memstream(&all, &size) : NULL;
    if (stream) {
        fprintf(stream, "%s%s\n%s", r->sum && is_number(r->sum) ? "sum = " : "", r->sum ? r->sum : "", file);
    }
    const int is_there = stream && fclose(stream) == 0;
    const int is_read = is_there && zilch_linear_limits_parse(all, dim, names, out, count) == ZILCH_OK;
    const int status = is_read     ? 0
                       : !file     ? CLI_FAILED
                       : !is_there ? cli_fail("out of memory")
                                   : search_wrong_usage(r->command, "%s", zilch_last_error());
    free(file);
    free(all);
    return status;
}
