/* Numbers and words as gnuplot takes them. */
#include "report_figures.h"

#include "number.h"
#include "text.h"

#include <math.h>
#include <string.h>

/* ---- Numbers --------------------------------------------------------------------- */

void figure_put_number(FILE *stream, double number)
{
    if (isfinite(number)) {
        fprintf(stream, " %.10g", number);
    } else {
        fputs(" NaN", stream);
    }
}

void figure_put_numbers(FILE *stream, const char *name, size_t count, const double *number)
{
    fprintf(stream, "array %s[%zu]", name, count ? count : 1);
    for (size_t i = 0; i < count; i++) {
        fprintf(stream, "%s%.10g", i ? ", " : " = [", number[i]);
    }
    fputs(count ? "]\n" : "\n", stream);
}

/* ---- Text ------------------------------------------------------------------------ */

/* Between single quotes nothing is run, and a backslash takes the meaning of what is behind it. A quote is a
 * string of its own between two others: doubled, as gnuplot's manual has it, it is misread at the beginning
 * and beside another. What is no UTF-8 becomes '?'. */
static void put_letters(FILE *stream, const char *text)
{
    while (*text) {
        const size_t length = text_character(text);
        if (length == 0 || (unsigned char)*text < ' ') {
            fputc('?', stream);
        } else if (*text == '\'') {
            fputs("'.\"'\".'", stream);
        } else {
            fprintf(stream, "%s%.*s", strchr("_^{}@&~\\", *text) ? "\\" : "", (int)length, text);
        }
        text += length ? length : 1;
    }
}

void figure_put_text(FILE *stream, const char *text)
{
    fputc('\'', stream);
    put_letters(stream, text);
    fputc('\'', stream);
}

void figure_put_title(FILE *stream, const report *r)
{
    char name[REPORT_NAME_SIZE];
    report_run_name(r, r->shown, name);
    fputs("title = ", stream);
    figure_put_text(stream, name);
    fputc('\n', stream);
}

/* ---- Formulas -------------------------------------------------------------------- */

/* The names in formulas. */
static const struct {
    const char *name, *markup;
    size_t width;
} names[] = {
    {"a_main", "{/:Italic a}_{main}", 5},
    {"a_side", "{/:Italic a}_{side}", 5},
    {"x", "{/:Italic x}", 1},
    {"y", "{/:Italic y}", 1},
    {"vx", "{/:Italic v}_{/:Italic x}", 2},
    {"vy", "{/:Italic v}_{/:Italic y}", 2},
    {"theta", "{/:Italic θ}", 1},
    {"omega", "{/:Italic ω}", 1},
    {"l1", "{/:Italic l}_1", 2},
    {"l2", "{/:Italic l}_2", 2},
    {"-", "−", 1},
};

static size_t put_name(const char *word, size_t length, char *out, size_t size)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strlen(names[i].name) == length && strncmp(names[i].name, word, length) == 0) {
            snprintf(out, size, "%s", names[i].markup);
            return names[i].width;
        }
    }
    snprintf(out, size, "%.*s", (int)length, word);
    return length;
}

static size_t put_rounded(double number, char *out, size_t size)
{
    char digits[NUMBER_SIZE];
    snprintf(digits, sizeof digits, "%.4g", fabs(number));
    snprintf(out, size, "%s%s", number < 0.0 ? "−" : "", digits);
    return strlen(digits) + (number < 0.0);
}

const char *figure_word(const char *text, char out[FIGURE_WORD_SIZE], size_t *width)
{
    text += strspn(text, " ");
    const size_t length = strcspn(text, " \n");
    const size_t name = strcspn(text, " \n^");
    double number;
    const char *end = number_scan(text, &number);
    if (length == 0) {
        return NULL;
    }
    if (end == text + length) {
        *width = put_rounded(number, out, FIGURE_WORD_SIZE);
    } else {
        *width = put_name(text, name, out, FIGURE_WORD_SIZE - (length - name)) + length - name;
        strncat(out, text + name, length - name); /* a power */
    }
    return text + length;
}

/* Of a lander: the formula of a one there and zeros elsewhere, without the one. */
static void put_term(FILE *stream, size_t index)
{
    double unit[ZILCH_POLICY_PARAMETERS] = {0};
    char formulas[512];
    char word[FIGURE_WORD_SIZE];
    size_t length, width;
    unit[index] = 1.0;
    if (zilch_policy_format(unit, formulas, sizeof formulas, &length) != ZILCH_OK) {
        return;
    }
    const int is_main = index < ZILCH_POLICY_PARAMETERS / ZILCH_LANDER_ACTIONS;
    const char *line = strstr(formulas, is_main ? "a_main" : "a_side");
    const char *at = line ? strchr(line, '=') : NULL;
    at = at ? figure_word(at + 1, word, &width) : NULL; /* the one */
    fputs(is_main ? "main:" : "side:", stream);
    at = at ? figure_word(at, word, &width) : NULL;
    if (!at) {
        fputs(FIGURE_SPACE "1", stream);
    }
    for (; at; at = figure_word(at, word, &width)) {
        fprintf(stream, FIGURE_SPACE "%s", word);
    }
}

/* A column of the data, by its name if it has one. */
static void put_column(FILE *stream, const search_problem *problem, size_t index)
{
    enum { LETTERS = 24 };
    const size_t column = search_problem_column(problem, index);
    char name[4 * LETTERS + 4];
    if (problem->problem && problem->data.names) {
        text_shorten(problem->data.names[column - 1], LETTERS, name, sizeof name);
        put_letters(stream, name);
    } else {
        fprintf(stream, "column %zu", column);
    }
}

void figure_put_coordinate(FILE *stream, const report *r, size_t index)
{
    fputc('\'', stream);
    if (r->best.problem.is_lander && index < ZILCH_POLICY_PARAMETERS) {
        put_term(stream, index);
    } else if (r->best.problem.is_regression) {
        put_column(stream, &r->best.problem, index);
    } else {
        fprintf(stream, "x%zu", index + 1);
    }
    fputc('\'', stream);
}
