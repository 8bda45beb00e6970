/* One table of options. Names may be shortened, letters may be clustered, and operands may stand anywhere.
 * The library reads the values and checks their ranges; every message names the option, what was given and
 * what is allowed. */
#include "options/option_parser.h"

#include "options/option_help.h"
#include "options/suggest.h"
#include "terminal/cli.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

enum { TEXT_SIZE = 512 };

/* A command line while it is read. */
typedef struct parse {
    const cli_usage *usage;
    const cli_layout *layout;
    size_t rows;                             /* of the usage */
    cli_option option[CLI_OPTIONS_MOST + 3]; /* those rows, then --help and --help-all */
    unsigned char *given;                    /* rows that were said */
    int argc;
    char **argv;
    int next; /* the word to read next */
} parse;

static cli_help_printer *print_help = option_help_print;

void cli_set_help_printer(cli_help_printer *print)
{
    print_help = print;
}

int cli_wrong_usage(const cli_usage *usage, const char *format, ...)
{
    char text[TEXT_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    cli_fail("%s", text);
    if (!cli_kept_messages().buffer) {
        fprintf(stderr, "Try 'zilch %s --help'.\n", usage->command);
    }
    return CLI_USAGE;
}

/* ---- Values ---------------------------------------------------------------- */

/* A row as the library knows options; its value is then the struct. */
static zilch_option library_option(const cli_option *o)
{
    static const zilch_option_type types[] = {[CLI_FLAG] = ZILCH_OPTION_FLAG,
                                              [CLI_COUNT] = ZILCH_OPTION_COUNT,
                                              [CLI_REAL] = ZILCH_OPTION_NUMBER,
                                              [CLI_CHOICE] = ZILCH_OPTION_CHOICE};
    return (zilch_option){.name = o->name,
                          .type = types[o->kind],
                          .least = o->low,
                          .greatest = o->high,
                          .may_be_none = o->kind == CLI_REAL && isnan(*(const double *)o->value),
                          .choices = o->choices};
}

zilch_status cli_option_parse(const cli_option *option, const char *text)
{
    if (option->kind == CLI_TEXT) {
        *(const char **)option->value = text;
        return ZILCH_OK;
    }
    const zilch_option row = library_option(option);
    return zilch_option_parse(&row, text, option->value);
}

void cli_option_format(const cli_option *option, char out[CLI_VALUE_SIZE])
{
    if (option->kind == CLI_TEXT) {
        const char *text = *(const char *const *)option->value;
        snprintf(out, CLI_VALUE_SIZE, "%s", text ? text : "");
        return;
    }
    const zilch_option row = library_option(option);
    zilch_option_format(&row, option->value, out);
}

/* ---- Names ------------------------------------------------------------------ */

static int is_known(const parse *p, const char *name)
{
    const cli_option *option = p->option;
    while (option->name && strcmp(option->name, name) != 0) {
        option++;
    }
    return option->name != NULL;
}

/* An option of zilch 0.1, whose name is never taken for the beginning of another. 0 if it is not one that
 * this command had. */
static int check_renamed(const parse *p, const char *name, const char *renamed)
{
    char now[64];
    if (!*renamed && is_known(p, "population")) {
        return cli_wrong_usage(p->usage, "unknown option '--%s'; zilch 0.2 has it no longer", name);
    }
    snprintf(now, sizeof now, "%s", renamed);
    for (char *at = now; (at = strchr(at, '_')) != NULL;) {
        *at = '-';
    }
    return is_known(p, now)
               ? cli_wrong_usage(p->usage, "unknown option '--%s'; since zilch 0.2 it is called '--%s'", name,
                                 now)
               : 0;
}

/* Letters that had several meanings in zilch 0.1 have one: -j is --jobs, -m is --methods, and -n is how many
 * rows come out.
 */
static int check_letter(const parse *p, char letter)
{
    static const struct {
        char letter;
        const char *name;
    } before[] = {{'j', "json"}, {'m', "models"}, {'n', "episodes"}, {'n', "seeds"}, {'n', "rows"}};
    for (size_t i = 0; i < sizeof before / sizeof *before; i++) {
        if (before[i].letter == letter && is_known(p, before[i].name)) {
            return cli_wrong_usage(p->usage, "unknown option '-%c'; since zilch 0.2 it is written '--%s'",
                                   letter, before[i].name);
        }
    }
    return cli_wrong_usage(p->usage, "unknown option '-%c'", letter);
}

/* The option that the first `length` letters of `name` stand for: they are its name, or begin no other.
 * NULL after printing why there is none. */
static const cli_option *find_long(const parse *p, const char *name, size_t length)
{
    const cli_option *found = NULL;
    char whole[64];
    size_t matches = 0;
    suggestion near = suggestion_for(name, length);
    for (const cli_option *option = p->option; option->name; option++) {
        suggestion_offer(&near, option->name);
        if (strncmp(option->name, name, length) == 0) {
            found = option;
            matches++;
            if (!option->name[length]) {
                return option;
            }
        }
    }
    snprintf(whole, sizeof whole, "%.*s", (int)length, name);
    const char *renamed = length < sizeof whole ? zilch_option_renamed(whole) : NULL;
    if (renamed && check_renamed(p, whole, renamed)) {
        return NULL;
    }
    matches = renamed ? 0 : matches;
    if (matches > 1) {
        cli_wrong_usage(p->usage, "option '--%.*s' is short for more than one", (int)length, name);
    } else if (matches == 0) {
        cli_wrong_usage(p->usage, "unknown option '--%.*s'%s%s%s", (int)length, name,
                        near.best ? "; did you mean '--" : "", near.best ? near.best : "",
                        near.best ? "'?" : "");
    }
    return matches == 1 ? found : NULL;
}

/* ---- Words ------------------------------------------------------------------ */

static int take(parse *p, const cli_option *option, const char *text)
{
    const size_t row = (size_t)(option - p->option);
    if (row < p->rows) {
        p->given[row] = 1;
        return cli_option_parse(option, text) == ZILCH_OK
                   ? 0
                   : cli_wrong_usage(p->usage, "--%s: %s", option->name, zilch_last_error());
    }
    if (!p->usage->about) {
        return cli_wrong_usage(p->usage, "--help: is not allowed here");
    }
    print_help(p->usage, p->layout, row > p->rows);
    return CLI_HELPED;
}

/* "--name", "--name=value", or "--name" and the value in the next word. */
static int take_long(parse *p, const char *name)
{
    const size_t length = strcspn(name, "=");
    const cli_option *option = find_long(p, name, length);
    if (!option) {
        return CLI_USAGE;
    }
    if (option->argument && !name[length] && p->next == p->argc) {
        return cli_wrong_usage(p->usage, "option '--%s' needs a value: %s", option->name, option->argument);
    }
    if (option->argument) {
        return take(p, option, name[length] ? name + length + 1 : p->argv[p->next++]);
    }
    return name[length] ? cli_wrong_usage(p->usage, "option '--%.*s' takes no value", (int)length, name)
                        : take(p, option, "yes");
}

/* A cluster of letters, "-jn5", or "-jn" and the value in the next word. */
static int take_letters(parse *p, const char *letters)
{
    int status = 0;
    for (; *letters && !status; letters++) {
        const cli_option *option = p->option;
        while (option->name && option->letter != (unsigned char)*letters) {
            option++;
        }
        if (!option->name) {
            return check_letter(p, *letters);
        }
        if (option->argument && !letters[1] && p->next == p->argc) {
            return cli_wrong_usage(p->usage, "option '-%c' needs a value: %s", *letters, option->argument);
        }
        if (option->argument) {
            return take(p, option, letters[1] ? letters + 1 : p->argv[p->next++]);
        }
        status = take(p, option, "yes");
    }
    return status;
}

int cli_parse_given(const cli_usage *usage, const cli_layout *layout, int argc, char **argv,
                    unsigned char given[CLI_OPTIONS_MOST])
{
    parse p = {.usage = usage, .layout = layout, .given = given, .argc = argc, .argv = argv, .next = 1};
    const char *excess = NULL;
    size_t operands = 0;
    int is_operand = 0; /* all that follows */
    while (usage->options[p.rows].name) {
        assert(p.rows < CLI_OPTIONS_MOST);
        p.option[p.rows] = usage->options[p.rows];
        p.rows++;
    }
    memcpy(p.option + p.rows, option_help_rows, (layout ? 2 : 1) * sizeof *option_help_rows);
    memset(given, 0, CLI_OPTIONS_MOST);
    while (p.next < argc) {
        const char *word = argv[p.next++];
        int status = 0;
        if (!is_operand && strcmp(word, "--") == 0) {
            is_operand = 1;
        } else if (!is_operand && word[0] == '-' && word[1]) {
            status = word[1] == '-' ? take_long(&p, word + 2) : take_letters(&p, word + 1);
        } else if (operands < usage->operand_most) {
            usage->operand[operands++] = word;
        } else {
            excess = excess ? excess : word;
        }
        if (status) {
            return status;
        }
    }
    if (excess) {
        return cli_wrong_usage(usage, "unexpected argument '%s'", excess);
    }
    return operands < usage->operand_least ? cli_wrong_usage(usage, "%s is missing", usage->operands) : 0;
}

int cli_parse(const cli_usage *usage, int argc, char **argv)
{
    unsigned char given[CLI_OPTIONS_MOST];
    return cli_parse_given(usage, NULL, argc, argv, given);
}
