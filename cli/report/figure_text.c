/* Numbers and words as gnuplot takes them. */
#include "report/report_figures.h"

#include "terminal/text.h"

#include <math.h>
#include <string.h>

/* ---- Numbers --------------------------------------------------------------------- */

/* gnuplot does not read numbers that are too small to be normal, and computes with sums and ranges of others.
 */
void figure_put_number(FILE *stream, double number)
{
    static const double least = 1e-290;
    static const double most = 1e290;
    if (fabs(number) < most) {
        fprintf(stream, " %.10g", fabs(number) < least ? 0.0 : number);
    } else {
        fputs(" NaN", stream);
    }
}

void figure_put_setting(FILE *stream, const char *name, double number)
{
    fprintf(stream, "%s =", name);
    figure_put_number(stream, number);
    fputc('\n', stream);
}

void figure_put_numbers(FILE *stream, const char *name, size_t count, const double *number)
{
    fprintf(stream, "array %s[%zu]", name, count ? count : 1);
    for (size_t i = 0; i < count; i++) {
        fputs(i ? "," : " = [", stream);
        figure_put_number(stream, number[i]);
    }
    fputs(count ? "]\n" : "\n", stream);
}

/* ---- Text ------------------------------------------------------------------------ */

/* The comment is for people. Numbers are the same in any version of gnuplot; quotes, backslashes and long
 * words in a column of texts are not. */
void figure_put_text(FILE *stream, size_t number, const char *markup)
{
    fprintf(stream, "# %zu: %s\n", number, markup);
    for (const char *at = markup; *at; at++) {
        fprintf(stream, "%zu %d\n", number, (unsigned char)*at);
    }
}

/* A backslash takes the meaning of what is behind it. What is no UTF-8 becomes '?'. */
const char *figure_escape(const char *text, char out[FIGURE_TEXT_SIZE])
{
    char part[4 * FIGURE_TEXT_LETTERS + 4];
    char *end = out;
    text_shorten(text, FIGURE_TEXT_LETTERS, part, sizeof part);
    for (const char *at = part; *at;) {
        const size_t length = text_character(at);
        if (length == 0 || (unsigned char)*at < ' ') {
            *end++ = '?';
            at++;
            continue;
        }
        if (strchr("_^{}@&~\\", *at)) {
            *end++ = '\\';
        }
        memcpy(end, at, length);
        end += length;
        at += length;
    }
    *end = '\0';
    return out;
}

const char *figure_title(const report *r, char out[FIGURE_TEXT_SIZE])
{
    char name[REPORT_NAME_SIZE];
    report_run_name(r, r->shown, name);
    return figure_escape(name, out);
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

const char *figure_word(const char *text, char out[FIGURE_WORD_SIZE], size_t *width)
{
    text += strspn(text, " ");
    const size_t length = strcspn(text, " \n");
    const size_t name = strcspn(text, " \n^");
    double number;
    if (length == 0) {
        return NULL;
    }
    *width = length;
    if (zilch_number_scan(text, &number) == text + length) {
        char digits[ZILCH_NUMBER_SIZE];
        snprintf(digits, sizeof digits, "%.4g", fabs(number));
        snprintf(out, FIGURE_WORD_SIZE, "%s%s", number < 0.0 ? "−" : "", digits);
        *width = strlen(digits) + (number < 0.0);
        return text + length;
    }
    snprintf(out, FIGURE_WORD_SIZE - (length - name), "%.*s", (int)name, text);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strlen(names[i].name) == name && strncmp(names[i].name, text, name) == 0) {
            snprintf(out, FIGURE_WORD_SIZE - (length - name), "%s", names[i].markup);
            *width = names[i].width + length - name;
        }
    }
    strncat(out, text + name, length - name); /* a power */
    return text + length;
}

/* Of a lander: the formula of a one there and zeros elsewhere, without the one. */
static void name_term(size_t index, char out[FIGURE_TEXT_SIZE])
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
    at = at ? figure_word(at, word, &width) : NULL;
    length = (size_t)snprintf(out, FIGURE_TEXT_SIZE, "%s%s",
                              is_main ? "main:" : "side:", at ? "" : FIGURE_SPACE "1");
    for (; at && length < FIGURE_TEXT_SIZE; at = figure_word(at, word, &width)) {
        length += (size_t)snprintf(out + length, FIGURE_TEXT_SIZE - length, FIGURE_SPACE "%s", word);
    }
}

/* A coordinate goes by its name if it has one. */
const char *figure_coordinate(const report *r, size_t index, char out[FIGURE_TEXT_SIZE])
{
    enum { LETTERS = 24 };
    const search_problem *p = &r->best.problem;
    const size_t column = search_problem_column(p, index);
    char name[4 * LETTERS + 4];
    *out = '\0';
    if (p->is_lander && index < ZILCH_POLICY_PARAMETERS) {
        name_term(index, out);
    } else if (p->names) {
        text_shorten(p->names[index], LETTERS, name, sizeof name);
        figure_escape(name, out);
    } else if (p->is_regression) {
        snprintf(out, FIGURE_TEXT_SIZE, "column %zu", column);
    } else {
        snprintf(out, FIGURE_TEXT_SIZE, "x%zu", index + 1);
    }
    return out;
}
