#include "compare/compare_shared.h"

#include "request/search_options.h"
#include "terminal/cli.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name, *about;
    unsigned char is_expert;
} rows[COMPARE_SHARED] = {
#define X(constant, name, about, is_expert, is_fixed) {name, about, is_expert},
    COMPARE_SHARED_LIST(X)
#undef X
};

/* Values are read by the search that gets the words. */
void compare_shared_rows(compare_shared *shared, cli_option *row, unsigned char *is_expert)
{
    for (size_t k = 0; k < COMPARE_SHARED; k++) {
        row[k] = search_option_row(rows[k].name);
        row[k].help = rows[k].about ? rows[k].about : row[k].help;
        is_expert[k] = rows[k].is_expert;
        if (row[k].kind == CLI_FLAG) {
            row[k].value = &shared->flag[k];
        } else {
            row[k].kind = CLI_TEXT;
            row[k].value = &shared->text[k];
        }
    }
}

int compare_shared_words(const compare_shared *shared, char **words, size_t *count)
{
    for (size_t k = 0; k < COMPARE_SHARED; k++) {
        const char *text = shared->text[k];
        const size_t size = sizeof "--=" + strlen(rows[k].name) + (text ? strlen(text) : 0);
        char *word = shared->flag[k] || text ? malloc(size) : NULL;
        if (!shared->flag[k] && !text) {
            continue;
        }
        if (!word) {
            return cli_fail("out of memory");
        }
        snprintf(word, size, "--%s%s%s", rows[k].name, text ? "=" : "", text ? text : "");
        words[(*count)++] = word;
    }
    return 0;
}
