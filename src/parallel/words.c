/* A command line as words, without a shell. */
#include "base/memory.h"

#include <string.h>

static const char blanks[] = " \t\n";

/* One word into `out`, from `text` on, up to a blank or the end; gives what is behind it, NULL if a quote is
 * not closed. */
static const char *take_word(const char *text, char **out)
{
    char quote = '\0';
    for (; *text && (quote || !strchr(blanks, *text)); text++) {
        if (quote && *text == quote) {
            quote = '\0';
        } else if (!quote && (*text == '\'' || *text == '"')) {
            quote = *text;
        } else {
            text += *text == '\\' && quote != '\'' && text[1] ? 1 : 0;
            *(*out)++ = *text;
        }
    }
    *(*out)++ = '\0';
    return quote ? NULL : text;
}

/* The letters stand behind the words, in one block of memory. */
zilch_status zilch_program_words(char ***out, const char *text)
{
    char **words;
    size_t count = 0;
    if (!out || !text) {
        return zi_fail(ZILCH_EARG, "words: a text and a place for its words must be given");
    }
    *out = NULL;
    const size_t most = strlen(text) / 2 + 2; /* words, with the NULL at the end */
    ZI_TRY(zi_alloc_bytes(&words, most * sizeof *words + 2 * strlen(text) + 2, 1));
    char *letters = (char *)(words + most);
    text += strspn(text, blanks);
    while (text && *text) {
        words[count++] = letters;
        text = take_word(text, &letters);
        text = text ? text + strspn(text, blanks) : NULL;
    }
    if (!text || count == 0) {
        zi_free(words);
        return zi_fail_at(ZILCH_EARG, &(zi_location){.where = "words"}, "%s",
                          text ? "is empty" : "a quote is not closed");
    }
    words[count] = NULL;
    *out = words;
    return ZILCH_OK;
}

void zilch_program_words_destroy(char **words)
{
    zi_free(words);
}
