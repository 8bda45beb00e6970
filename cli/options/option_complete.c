/* Completion by the table of a command: its options, the names of a choice, and which values are files. The
 * shell keeps of what is printed only what begins as the word does. */
#include "options/option_complete.h"

#include "options/option_help.h"

#include <string.h>

static const char *previous_word = "", *current_word = "";

void option_complete_set(const char *previous, const char *current)
{
    previous_word = previous;
    current_word = current;
}

void complete_words_begin(void)
{
    puts("words");
}

void complete_word(const char *before, const char *word, size_t length, const char *meaning)
{
    printf("%s%.*s%s%s\n", before, (int)length, word, *meaning ? "\t" : "", meaning);
}

static void print_options(const cli_option *rows, size_t count)
{
    for (size_t k = 0; k < count && rows[k].name; k++) {
        complete_word("--", rows[k].name, strlen(rows[k].name), rows[k].help);
    }
}

/* What a value is, by the word that help has for it. */
static const char *value_kind(const char *argument)
{
    static const char *const kinds[][2] = {{"FILE", "files"},  {"CSV", "files"},       {"DATA", "files"},
                                           {"MODEL", "files"}, {"WEIGHTS", "files"},   {"STUDY", "files"},
                                           {"DIR", "folders"}, {"COMMAND", "programs"}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (strncmp(argument, kinds[i][0], strlen(kinds[i][0])) == 0) {
            return kinds[i][1];
        }
    }
    return "words";
}

/* Values with what stands before them in the word: "--method=", or the part of a list that is there. */
static void print_values(const cli_option *option, const char *word, size_t prefix)
{
    char before[512];
    const char *comma = strcmp(option->argument, "LIST") == 0 ? strrchr(word, ',') : NULL;
    puts(option->choices ? "words" : value_kind(option->argument));
    snprintf(before, sizeof before, "%.*s", (int)(comma ? (size_t)(comma + 1 - word) : prefix), word);
    for (const char *name = option->choices; name;) {
        const size_t length = strcspn(name, "|");
        complete_word(before, name, length, "");
        name = name[length] ? name + length + 1 : NULL;
    }
}

/* "--name" up to its end or an equals sign, or "-n". */
static const cli_option *find(const cli_option *option, const char *word)
{
    const int is_long = strncmp(word, "--", 2) == 0;
    const size_t length = is_long ? strcspn(word + 2, "=") : strlen(word);
    for (; option->name; option++) {
        if (is_long ? strlen(option->name) == length && strncmp(option->name, word + 2, length) == 0
                    : length == 2 && word[0] == '-' && option->letter == (unsigned char)word[1]) {
            return option;
        }
    }
    return NULL;
}

void option_complete_print(const cli_usage *usage, const cli_layout *layout, int is_all)
{
    (void)is_all;
    const int is_assigned = strncmp(current_word, "--", 2) == 0 && strchr(current_word, '=');
    const cli_option *option = find(usage->options, is_assigned ? current_word : previous_word);
    if (option && option->argument) {
        const char *value = is_assigned ? strchr(current_word, '=') + 1 : current_word;
        print_values(option, current_word, (size_t)(value - current_word));
    } else if (*current_word != '-' && *usage->operands) {
        puts(value_kind(usage->operands));
    } else {
        complete_words_begin();
        print_options(usage->options, CLI_OPTIONS_MOST);
        print_options(option_help_rows, layout ? 2 : 1);
    }
}
