/* Manual pages from the tables that give help: the same sentences, defaults and ranges. */
#include "options/option_man.h"

#include "options/option_help.h"

#include <ctype.h>
#include <string.h>

/* ---- Text ----------------------------------------------------------------------------------------- */

/* What roff would take for a command, or would draw as another character, is spelled out. A line never begins
 * with a text that is not ours, but a full stop or an apostrophe at its head would be a command. */
static void put_length(const char *text, size_t length)
{
    static const struct {
        char letter;
        const char *roff;
    } spelled[] = {{'\\', "\\e"},  {'-', "\\-"},   {'\'', "\\(aq"}, {'`', "\\(ga"},
                   {'^', "\\(ha"}, {'~', "\\(ti"}, {'.', "\\&."}};
    for (size_t i = 0; i < length; i++) {
        size_t k = 0;
        while (k < sizeof spelled / sizeof *spelled && spelled[k].letter != text[i]) {
            k++;
        }
        if (k < sizeof spelled / sizeof *spelled) {
            fputs(spelled[k].roff, stdout);
        } else {
            putchar(text[i]);
        }
    }
}

static void put(const char *text)
{
    put_length(text, strlen(text));
}

/* A sentence a line, so that roff knows where they end. */
static void put_sentences(const char *text)
{
    const char *end;
    while ((end = strstr(text, ". ")) != NULL) {
        put_length(text, (size_t)(end - text));
        puts(".");
        text = end + 1 + strspn(end + 1, " ");
    }
    const size_t length = strlen(text);
    const size_t stops = length > 0 && text[length - 1] == '.';
    put_length(text, length - stops);
    puts(stops ? "." : "");
}

void man_begin(const char *page, const char *summary)
{
    fputs(".TH ", stdout);
    for (const char *c = page; *c; c++) {
        putchar(toupper((unsigned char)*c));
    }
    printf(" 1 \"\" \"zilch %s\" \"zilch manual\"\n.nh\n.SH NAME\n", zilch_version());
    put(page);
    fputs(" \\- ", stdout);
    put(summary);
    putchar('\n');
}

void man_section(const char *title)
{
    printf(".SH %s\n", title);
}

void man_paragraph(const char *text)
{
    puts(".PP");
    put_sentences(text);
}

void man_item(const char *tag, const char *text)
{
    fputs(".TP\n\\fB", stdout);
    put(tag);
    fputs("\\fR\n", stdout);
    put_sentences(text);
}

void man_reference(const char *page, int is_last)
{
    fputs(".BR ", stdout);
    put(page);
    printf(" (1)%s\n", is_last ? "" : ",");
}

/* ---- A table ------------------------------------------------------------------------------------------- */

static void put_option(const cli_option *option)
{
    char text[OPTION_HELP_SIZE];
    fputs(".TP\n", stdout);
    if (option->letter) {
        printf("\\fB\\-%c\\fR, ", option->letter);
    }
    fputs("\\fB\\-\\-", stdout);
    put(option->name);
    fputs("\\fR", stdout);
    if (option->argument) {
        fputs("=\\fI", stdout);
        put(option->argument);
        fputs("\\fR", stdout);
    }
    putchar('\n');
    option_help_text(option, text);
    put_sentences(text);
}

/* A heading of help ends with a colon, and may explain itself in parentheses. */
static void put_heading(const char *heading)
{
    fputs(".SS \"", stdout);
    put_length(heading, strcspn(heading, ":("));
    puts("\"");
    const char *behind = strchr(heading, '(');
    if (behind) {
        put_length(behind, strcspn(behind, ":"));
        putchar('\n');
    }
}

void option_man_print(const cli_usage *usage, const cli_layout *layout, int is_all)
{
    (void)is_all;
    man_section("SYNOPSIS");
    fputs("\\fBzilch ", stdout);
    put(usage->command);
    fputs("\\fR [\\fIOPTION\\fR...]", stdout);
    if (*usage->operands) {
        fputs(" \\fI", stdout);
        put(usage->operands);
        fputs("\\fR", stdout);
    }
    putchar('\n');
    man_section("DESCRIPTION");
    put_sentences(usage->about);
    man_section("OPTIONS");
    for (size_t k = 0; usage->options[k].name; k++) {
        if (layout && layout->heading[k]) {
            put_heading(layout->heading[k]);
        }
        put_option(&usage->options[k]);
    }
    if (layout) {
        put_heading("Help:");
    }
    for (size_t k = 0; k < (layout ? 2 : 1); k++) {
        put_option(&option_help_rows[k]);
    }
}
