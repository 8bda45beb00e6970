/* One table of options on top of glibc's argp. argp cuts the command line and lays out the help; the
 * values, their ranges and every message are ours, so that a message can name the option, what was
 * given and what is allowed. */
#include "options.h"

#include "cli.h"
#include "number.h"
#include "suggest.h"

#include <argp.h>
#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_SIZE = 256, HELP_SIZE = 1024, HELP_KEY = 'h' };

/* While argp runs. */
typedef struct parse {
    const cli_usage *usage;
    size_t operands;
    unsigned char *given; /* rows that were said */
    int status;           /* of a message already printed */
} parse;

int cli_wrong_usage(const cli_usage *usage, const char *format, ...)
{
    char text[2 * TEXT_SIZE];
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

/* Position of `text` among "one|two|three", or -1. */
static int choice_find(const char *choices, const char *text)
{
    const size_t length = strlen(text);
    for (int index = 0;; index++) {
        const size_t size = strcspn(choices, "|");
        if (size == length && strncmp(choices, text, size) == 0) {
            return index;
        }
        if (!choices[size]) {
            return -1;
        }
        choices += size + 1;
    }
}

static const char *choice_name(const char *choices, int index, int *length)
{
    for (; index > 0; index--) {
        choices += strcspn(choices, "|") + 1;
    }
    *length = (int)strcspn(choices, "|");
    return choices;
}

/* Digits alone are read as an integer, for a seed may need all 64 bits; otherwise as a real
 * (1e5), which must be whole and exact. */
static int count_parse(const char *text, uint64_t *out)
{
    if (*text && strspn(text, "0123456789") == strlen(text)) {
        errno = 0;
        *out = strtoull(text, NULL, 10);
        return errno == 0;
    }
    double real;
    if (!number_parse(text, &real) || real < 0 || real > 0x1p53 || real != floor(real)) {
        return 0;
    }
    *out = (uint64_t)real;
    return 1;
}

/* "from 1 to 1000", "of at least 0", or "" without a range. */
static void range_text(const cli_option *option, char *out, size_t size)
{
    if (!(option->low < option->high) || option->low == -INFINITY) {
        *out = '\0';
    } else if (option->high == INFINITY || (option->kind == CLI_COUNT && option->high >= 0x1p64)) {
        snprintf(out, size, "of at least %.15g", option->low);
    } else {
        snprintf(out, size, "from %.15g to %.15g", option->low, option->high);
    }
}

static int in_range(const cli_option *option, double value)
{
    return !(option->low < option->high) || (value >= option->low && value <= option->high);
}

static int wrong_number(const parse *p, const cli_option *option, const char *what, const char *text)
{
    char range[TEXT_SIZE];
    range_text(option, range, sizeof range);
    if (option->kind == CLI_COUNT && option->high >= 0x1p64) {
        snprintf(range, sizeof range, "from %.15g to %llu, the largest of 64 bits", option->low,
                 (unsigned long long)UINT64_MAX);
    }
    return cli_wrong_usage(p->usage, "--%s: '%s' is not a %s%s%s", option->name, text, what,
                           *range ? " " : "", range);
}

static int store_count(const parse *p, const cli_option *option, const char *text)
{
    uint64_t value;
    if (!count_parse(text, &value) || !in_range(option, (double)value)) {
        return wrong_number(p, option, "whole number", text);
    }
    memcpy(option->value, &value, sizeof value);
    return 0;
}

static int store_real(const parse *p, const cli_option *option, const char *text)
{
    double value;
    if (!number_parse(text, &value) || !in_range(option, value)) {
        return wrong_number(p, option, "number", text);
    }
    memcpy(option->value, &value, sizeof value);
    return 0;
}

static int store_choice(const parse *p, const cli_option *option, const char *text)
{
    const int index = choice_find(option->choices, text);
    if (index < 0) {
        return cli_wrong_usage(p->usage, "--%s: '%s' is none of %s", option->name, text, option->choices);
    }
    memcpy(option->value, &index, sizeof index);
    return 0;
}

static int store(const parse *p, const cli_option *option, const char *text)
{
    switch (option->kind) {
    case CLI_FLAG:
        *(int *)option->value = 1;
        return 0;
    case CLI_COUNT:
        return store_count(p, option, text);
    case CLI_REAL:
        return store_real(p, option, text);
    case CLI_TEXT:
        *(const char **)option->value = text;
        return 0;
    case CLI_CHOICE:
        return store_choice(p, option, text);
    }
    return 0;
}

/* ---- Help ------------------------------------------------------------------ */

/* The default as help shows it; "" for none. */
static void default_text(const cli_option *option, char *out, size_t size)
{
    const char *text;
    int length;
    *out = '\0';
    switch (option->kind) {
    case CLI_FLAG:
        return;
    case CLI_COUNT:
        if (*(const uint64_t *)option->value != UINT64_MAX) {
            snprintf(out, size, "%llu", (unsigned long long)*(const uint64_t *)option->value);
        }
        return;
    case CLI_REAL:
        if (!isnan(*(const double *)option->value)) {
            snprintf(out, size, "%.15g", *(const double *)option->value);
        }
        return;
    case CLI_TEXT:
        text = *(const char *const *)option->value;
        snprintf(out, size, "%s", text ? text : "");
        return;
    case CLI_CHOICE:
        if (*(const int *)option->value >= 0) {
            text = choice_name(option->choices, *(const int *)option->value, &length);
            snprintf(out, size, "%.*s", length, text);
        }
        return;
    }
}

/* "Rows to draw (a number from 1 to 1000; default 10)" */
static void help_text(const cli_option *option, char *out, size_t size)
{
    char range[TEXT_SIZE] = "";
    char fallback[TEXT_SIZE];
    if (option->kind == CLI_COUNT || option->kind == CLI_REAL) {
        range_text(option, range, sizeof range);
    } else if (option->kind == CLI_CHOICE) {
        snprintf(range, sizeof range, "%s", option->choices);
    }
    const int number = *range && option->kind != CLI_CHOICE;
    default_text(option, fallback, sizeof fallback);
    const int any = *range || *fallback;
    snprintf(out, size, "%s%s%s%s%s%s%s%s", option->help, any ? " (" : "", number ? "a number " : "", range,
             *range && *fallback ? "; " : "", *fallback ? "default " : "", fallback, any ? ")" : "");
}

/* ---- What argp could not make sense of --------------------------------------- */

/* How many options the first `length` letters of `name` may stand for (an exact name counts as
 * one); the last of them goes to *out, NULL for --help. */
static size_t match_long(const cli_usage *usage, const char *name, size_t length, const cli_option **out)
{
    size_t matches = strncmp("help", name, length) == 0;
    *out = NULL;
    for (const cli_option *option = usage->options; option->name; option++) {
        if (strncmp(option->name, name, length) == 0) {
            *out = option;
            if (strlen(option->name) == length) {
                return 1;
            }
            matches++;
        }
    }
    return matches;
}

static int unknown_long(const cli_usage *usage, const char *name, size_t length)
{
    suggestion near = suggestion_for(name, length);
    suggestion_offer(&near, "help");
    for (const cli_option *option = usage->options; option->name; option++) {
        suggestion_offer(&near, option->name);
    }
    return cli_wrong_usage(usage, "unknown option '--%.*s'%s%s%s", (int)length, name,
                           near.best ? "; did you mean '--" : "", near.best ? near.best : "",
                           near.best ? "'?" : "");
}

static const cli_option *find_key(const cli_usage *usage, int key)
{
    for (const cli_option *option = usage->options; option->name; option++) {
        if (option->key == key) {
            return option;
        }
    }
    return NULL;
}

/* Words what is wrong with "--name" or "--name=value"; 0 if nothing is. *skip: the next word is its value. */
static int check_long(const cli_usage *usage, const char *name, int last, int *skip)
{
    const size_t length = strcspn(name, "=");
    const cli_option *option;
    const size_t matches = match_long(usage, name, length, &option);
    if (matches == 0) {
        return unknown_long(usage, name, length);
    }
    if (matches > 1) {
        return cli_wrong_usage(usage, "option '--%.*s' is short for more than one", (int)length, name);
    }
    const int takes = option && option->argument;
    if (!takes && name[length]) {
        return cli_wrong_usage(usage, "option '--%.*s' takes no value", (int)length, name);
    }
    *skip = takes && !name[length];
    return *skip && last
               ? cli_wrong_usage(usage, "option '--%s' needs a value: %s", option->name, option->argument)
               : 0;
}

/* The same with a cluster of letters, "-jn". */
static int check_short(const cli_usage *usage, const char *letters, int last, int *skip)
{
    for (; *letters; letters++) {
        const cli_option *option = find_key(usage, (unsigned char)*letters);
        if (!option && *letters != HELP_KEY) {
            return cli_wrong_usage(usage, "unknown option '-%c'", *letters);
        }
        if (option && option->argument) {
            *skip = !letters[1];
            return *skip && last
                       ? cli_wrong_usage(usage, "option '-%c' needs a value: %s", *letters, option->argument)
                       : 0;
        }
    }
    return 0;
}

static int explain(const cli_usage *usage, int argc, char **argv)
{
    int status = 0;
    for (int i = 1; i < argc && !status && strcmp(argv[i], "--") != 0; i++) {
        const int last = i + 1 == argc;
        int skip = 0;
        if (strncmp(argv[i], "--", 2) == 0) {
            status = check_long(usage, argv[i] + 2, last, &skip);
        } else if (argv[i][0] == '-') {
            status = check_short(usage, argv[i] + 1, last, &skip);
        }
        i += skip;
    }
    return status ? status : cli_wrong_usage(usage, "wrong usage");
}

/* ---- Parsing ---------------------------------------------------------------- */

static int take_operand(parse *p, const char *text)
{
    if (p->operands == p->usage->operand_most) {
        return cli_wrong_usage(p->usage, "unexpected argument '%s'", text);
    }
    p->usage->operand[p->operands++] = text;
    return 0;
}

/* argp would add a note on the arguments of short options. */
static char *filter_help(int key, const char *text, void *input)
{
    (void)input;
    return key == ARGP_KEY_HELP_DUP_ARGS_NOTE ? NULL : (char *)text;
}

static _Noreturn void print_help(const parse *p, struct argp_state *state)
{
    char name[TEXT_SIZE];
    snprintf(name, sizeof name, "zilch %s", p->usage->command);
    state->name = name;
    state->flags &= ~(unsigned)ARGP_NO_ERRS; /* which would keep help back too */
    argp_state_help(state, stdout, ARGP_HELP_SHORT_USAGE | ARGP_HELP_LONG | ARGP_HELP_DOC);
    exit(cli_finish(CLI_OK));
}

static error_t on_key(int key, char *text, struct argp_state *state)
{
    parse *p = state->input;
    const cli_option *option = find_key(p->usage, key);
    if (key == ARGP_KEY_ARG) {
        p->status = take_operand(p, text);
    } else if (option) {
        p->status = store(p, option, text);
        p->given[option - p->usage->options] = 1;
    } else if (key == HELP_KEY && !p->usage->about) {
        p->status = cli_wrong_usage(p->usage, "--help: is not allowed here");
    } else if (key == HELP_KEY) {
        print_help(p, state);
    } else {
        return ARGP_ERR_UNKNOWN;
    }
    return p->status ? EINVAL : 0;
}

/* argp's own table from ours, --help at its end. Groups keep the order; `text` holds the help. */
static void argp_table(const cli_usage *usage, struct argp_option *out, char (*text)[HELP_SIZE])
{
    size_t count = 0;
    for (const cli_option *option = usage->options; option->name; option++, count++) {
        assert(count < CLI_OPTIONS_MOST && (option->kind == CLI_FLAG) == !option->argument);
        help_text(option, text[count], sizeof text[count]);
        out[count] = (struct argp_option){.name = option->name,
                                          .key = option->key,
                                          .arg = option->argument,
                                          .doc = text[count],
                                          .group = (int)count + 1};
    }
    out[count] = (struct argp_option){
        .name = "help", .key = HELP_KEY, .doc = "Show this help", .group = CLI_OPTIONS_MOST + 1};
    out[count + 1] = (struct argp_option){0};
}

int cli_parse_given(const cli_usage *usage, int argc, char **argv, unsigned char given[CLI_OPTIONS_MOST])
{
    struct argp_option options[CLI_OPTIONS_MOST + 2];
    char text[CLI_OPTIONS_MOST][HELP_SIZE];
    char about[4 * TEXT_SIZE];
    argp_table(usage, options, text);
    snprintf(about, sizeof about, "%s\v",
             usage->about ? usage->about : ""); /* before the options, nothing behind */
    const struct argp argp = {.options = options,
                              .parser = on_key,
                              .args_doc = usage->operands,
                              .doc = about,
                              .help_filter = filter_help};
    parse p = {.usage = usage, .given = given};
    memset(given, 0, CLI_OPTIONS_MOST);
    const unsigned flags = ARGP_NO_ERRS | ARGP_NO_HELP | ARGP_NO_EXIT;
    if (argp_parse(&argp, argc, argv, flags, NULL, &p) != 0) {
        return p.status ? p.status : explain(usage, argc, argv);
    }
    if (p.operands < usage->operand_least) {
        return cli_wrong_usage(usage, "%s is missing", usage->operands);
    }
    return 0;
}

int cli_parse(const cli_usage *usage, int argc, char **argv)
{
    unsigned char given[CLI_OPTIONS_MOST];
    return cli_parse_given(usage, argc, argv, given);
}
