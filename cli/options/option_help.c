/* Help: what the command does, then a row for each option, in groups. Lines are no longer than 79 characters.
 */
#include "options/option_help.h"

#include <math.h>
#include <string.h>

enum { WIDTH = 79, COLUMN = 25, TEXT_SIZE = 1024 };

const cli_option option_help_rows[2] = {
    {"help", 'h', NULL, CLI_FLAG, NULL, 0, 0, NULL, "Show this help."},
    {"help-all", 0, NULL, CLI_FLAG, NULL, 0, 0, NULL, "Show all options."}};

/* Words of a text in lines that begin at a column; `at` is where the first line stands. */
static void print_wrapped(const char *text, int at, int column)
{
    int is_first = 1;
    for (text += strspn(text, " "); *text; text += strspn(text, " ")) {
        const int length = (int)strcspn(text, " ");
        if (!is_first && at + 1 + length > WIDTH) {
            printf("\n%*s", column, "");
            at = column;
        } else if (!is_first) {
            putchar(' ');
            at++;
        }
        printf("%.*s", length, text);
        at += length;
        text += length;
        is_first = 0;
    }
    putchar('\n');
}

/* "1 to 1000", "at least 3", the names of a choice, or "" where the range says nothing. */
static void range_text(const cli_option *option, char *out, size_t size)
{
    *out = '\0';
    if (option->kind == CLI_CHOICE) {
        snprintf(out, size, "%s", option->choices);
    } else if ((option->kind == CLI_COUNT || option->kind == CLI_REAL) && option->low < option->high &&
               option->low != -INFINITY) {
        if (option->high < 1e6) { /* a larger end says nothing to anybody */
            snprintf(out, size, "%.15g to %.15g", option->low, option->high);
        } else if (option->low > 1) {
            snprintf(out, size, "at least %.15g", option->low);
        }
    }
}

/* The default as help shows it; "" for none. */
static void default_text(const cli_option *option, char out[CLI_VALUE_SIZE])
{
    *out = '\0';
    if (option->kind == CLI_FLAG || (option->kind == CLI_COUNT && *(uint64_t *)option->value == UINT64_MAX) ||
        (option->kind == CLI_REAL && isnan(*(double *)option->value)) ||
        (option->kind == CLI_CHOICE && *(int *)option->value < 0)) {
        return;
    }
    cli_option_format(option, out);
}

void option_help_text(const cli_option *option, char out[OPTION_HELP_SIZE])
{
    char range[TEXT_SIZE];
    char usual[CLI_VALUE_SIZE];
    range_text(option, range, sizeof range);
    default_text(option, usual);
    snprintf(out, OPTION_HELP_SIZE, "%s%s%s%s%s%s%s", option->help, *range || *usual ? " (" : "", range,
             *range && *usual ? "; " : "", *usual ? "default " : "", usual, *range || *usual ? ")" : "");
}

static void print_option(const cli_option *option)
{
    char name[TEXT_SIZE];
    char text[OPTION_HELP_SIZE];
    char letter[] = "    ";
    if (option->letter) {
        snprintf(letter, sizeof letter, "-%c, ", option->letter);
    }
    option_help_text(option, text);
    int at = snprintf(name, sizeof name, "  %s--%s%s%s", letter, option->name, option->argument ? "=" : "",
                      option->argument ? option->argument : "");
    fputs(name, stdout);
    if (at + 2 > COLUMN) {
        putchar('\n');
        at = 0;
    }
    printf("%*s", COLUMN - at, "");
    print_wrapped(text, COLUMN, COLUMN);
}

void option_help_print(const cli_usage *usage, const cli_layout *layout, int is_all)
{
    const char *heading = NULL;
    printf("Usage: zilch %s [OPTION...]%s%s\n", usage->command, *usage->operands ? " " : "", usage->operands);
    print_wrapped(usage->about, 0, 0);
    if (!layout) {
        putchar('\n');
    }
    for (size_t k = 0; usage->options[k].name; k++) {
        heading = layout && layout->heading[k] ? layout->heading[k] : heading;
        if (layout && layout->is_expert[k] && !is_all) {
            continue;
        }
        if (heading) {
            printf("\n%s\n", heading);
            heading = NULL;
        }
        print_option(&usage->options[k]);
    }
    if (layout) {
        putchar('\n');
    }
    print_option(&option_help_rows[0]);
    if (layout) {
        print_option(&option_help_rows[1]);
    }
}
