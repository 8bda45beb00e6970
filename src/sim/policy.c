/* The sparse quadratic policy: its actions, and its text.
 *
 * Actions: the terms that are not zero are collected once, in the order of the parameters, and
 * added up in that order for each observation. Leaving zeros out changes no bit: a sum that begins
 * at +0 or at a number is never -0, and 0 times a finite number adds nothing to it.
 *
 * Text: formulas are read by recursive descent. A number is written with the fewest of 15, 16 or 17
 * digits that give the same double back, so reading what was written is exact. */
#include "sim/pilot.h"

#include "base/bytes.h"
#include "base/numbers.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { INPUTS = ZILCH_LANDER_OBSERVATIONS, ENGINES = ZILCH_LANDER_ACTIONS };
enum { LINEAR = 1 };

static const char *const input_name[INPUTS] = {"x", "y", "vx", "vy", "theta", "omega", "l1", "l2"};
static const char *const engine_name[ENGINES] = {"a_main", "a_side"};

/* ---- Actions ---------------------------------------------------------------------------- */

void zilch_policy_act(const double parameters[ZILCH_POLICY_PARAMETERS], size_t n, const float *observations,
                      double *actions)
{
    const zi_policy policy = zi_policy_of(parameters);
    for (size_t k = 0; k < n; k++) {
        zi_policy_act(&policy, observations + k * INPUTS, actions + k * ENGINES);
    }
}

const char *zilch_policy_published(void)
{
    return "a_main = -2.5988 y - 1.7162 vy - 0.0226 x l2 - 2.8239 y^2 + 4.0005 vy^2 - 0.4014 l2^2\n"
           "a_side = -1.6502 vx + 3.6608 theta - 2.1 x y + 2.7215 y omega + 3.0316 vx vy - 3.3986 vy omega "
           "+ 0.0506 theta l2\n";
}

/* ---- Writing ------------------------------------------------------------------------------------ */

static void put(zi_writer *w, const char *text)
{
    zi_write_bytes(w, text, strlen(text));
}

static void put_number(zi_writer *w, double value)
{
    char text[ZILCH_NUMBER_SIZE];
    zi_write_bytes(w, text, zilch_number_format(value, text));
}

static void put_term(zi_writer *w, int is_first, double coefficient, const char *first, const char *second)
{
    const char *minus = is_first ? "-" : " - ";
    const char *plus = is_first ? "" : " + ";
    put(w, coefficient < 0.0 ? minus : plus);
    put_number(w, fabs(coefficient));
    if (first) {
        put(w, " ");
        put(w, first);
    }
    if (second) {
        put(w, first == second ? "^" : " ");
        put(w, first == second ? "2" : second);
    }
}

static void put_engine(zi_writer *w, const char *name, const double *parameters)
{
    const zi_formula f = zi_formula_of(parameters);
    put(w, name);
    put(w, " = ");
    if (f.bias != 0.0) {
        put_term(w, 1, f.bias, NULL, NULL);
    }
    for (int k = 0; k < f.count; k++) {
        const zi_term *t = &f.term[k];
        put_term(w, f.bias == 0.0 && k == 0, t->coefficient, input_name[t->first],
                 t->second < 0 ? NULL : input_name[t->second]);
    }
    put(w, f.bias == 0.0 && f.count == 0 ? "0\n" : "\n");
}

zilch_status zilch_policy_format(const double parameters[ZILCH_POLICY_PARAMETERS], char *text,
                                 size_t capacity, size_t *length)
{
    if (!parameters || !length) {
        return zi_fail(ZILCH_EARG, "policy: parameters and a place for the length must be given");
    }
    for (int k = 0; k < ZILCH_POLICY_PARAMETERS; k++) {
        if (!isfinite(parameters[k])) {
            return zi_fail(ZILCH_EARG, "policy: parameter %d is not finite", k);
        }
    }
    zi_writer w = {.data = (unsigned char *)text, .capacity = capacity};
    for (int e = 0; e < ENGINES; e++) {
        put_engine(&w, engine_name[e], parameters + (ptrdiff_t)e * ZILCH_POLICY_TERMS);
    }
    zi_write_bytes(&w, "", 1);
    *length = w.length - 1;
    if (text && w.length > capacity) {
        return zi_fail(ZILCH_EARG, "policy: needs %zu bytes, the buffer has %zu", w.length, capacity);
    }
    return ZILCH_OK;
}

/* ---- Reading: characters ------------------------------------------------------------------------ */

typedef struct reader {
    const char *at;
    const char *line_begin;
    size_t line; /* from 1 */
} reader;

/* "line 2, column 14: " and the message. */
static zilch_status fail_at(const reader *r, const char *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static zilch_status fail_at(const reader *r, const char *at, const char *format, ...)
{
    char message[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return zi_fail_at(
        ZILCH_EFORMAT,
        &(zi_location){.at = {{ZI_LINE, r->line}, {ZI_CHARACTER, (size_t)(at - r->line_begin) + 1}}}, "%s",
        message);
}

static int is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* What is beyond ASCII counts as a letter: an unknown Greek name is shown whole. */
static int is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (unsigned char)c >= 0x80;
}

static int begins_number(const char *at)
{
    return is_digit(*at) || (*at == '.' && is_digit(at[1]));
}

/* Blanks and comments; a new line only if asked for. Gives whether one was met. */
static int skip(reader *r, int lines_too)
{
    const size_t before = r->line;
    for (;; r->at++) {
        if (*r->at == '#') {
            r->at += strcspn(r->at, "\n");
        }
        if (*r->at == '\n' && lines_too) {
            r->line++;
            r->line_begin = r->at + 1;
        } else if (!*r->at || !strchr(" \t\r\v\f", *r->at)) {
            return r->line > before;
        }
    }
}

static size_t name_length(const char *at)
{
    size_t length = 0;
    while (is_letter(at[length]) || is_digit(at[length])) {
        length++;
    }
    return length;
}

/* What stands here, for a message. */
typedef struct excerpt {
    char text[48];
} excerpt;

static excerpt excerpt_of(const char *at)
{
    excerpt e;
    const unsigned char c = (unsigned char)*at;
    const size_t length = name_length(at);
    if (!c || c == '\n') {
        snprintf(e.text, sizeof e.text, "the end of the %s", c ? "line" : "text");
    } else if (c < ' ' || c == 0x7f) {
        snprintf(e.text, sizeof e.text, "the byte %u", c);
    } else {
        snprintf(e.text, sizeof e.text, "'%.*s'", length > 32 ? 32 : length ? (int)length : 1, at);
    }
    return e;
}

/* ---- Reading: terms ------------------------------------------------------------------------------- */

static zilch_status read_number(reader *r, double *out)
{
    const char *begin = r->at;
    r->at = zi_number_scan(begin, out);
    if (isnan(*out)) {
        const int shown = r->at - begin > 32 ? 32 : (int)(r->at - begin);
        return fail_at(r, begin, "'%.*s' does not fit a double: too large, or too close to 0", shown, begin);
    }
    return ZILCH_OK;
}

static int find_name(const char *const *names, int count, const char *at)
{
    const size_t length = name_length(at);
    for (int i = 0; i < count; i++) {
        if (strlen(names[i]) == length && strncmp(names[i], at, length) == 0) {
            return i;
        }
    }
    return -1;
}

/* The inputs that a term multiplies. */
typedef struct product {
    int count, input[2];
} product;

static zilch_status multiply(const reader *r, const char *at, product *p, int input)
{
    if (p->count == 2) {
        return fail_at(r, at, "a third factor; a term has at most two, as in 2.5 x l2 or 2.5 y^2");
    }
    p->input[p->count++] = input;
    return ZILCH_OK;
}

/* A name, or its square. */
static zilch_status read_factor(reader *r, product *p)
{
    const char *begin = r->at;
    const int input = find_name(input_name, INPUTS, begin);
    if (!is_letter(*begin)) {
        return fail_at(r, begin, "expected a name, not %s; a term's number stands first",
                       excerpt_of(begin).text);
    }
    if (input < 0) {
        return fail_at(r, begin, "unknown name %s; the names are x y vx vy theta omega l1 l2",
                       excerpt_of(begin).text);
    }
    ZI_TRY(multiply(r, begin, p, input));
    r->at += name_length(begin);
    skip(r, 0);
    if (*r->at != '^') {
        return ZILCH_OK;
    }
    const char *power = r->at++;
    skip(r, 0);
    if (*r->at != '2' || is_digit(r->at[1]) || r->at[1] == '.' || is_letter(r->at[1])) {
        return fail_at(r, power, "the only power is ^2");
    }
    r->at++;
    return multiply(r, begin, p, input);
}

static int parameter_of(const product *p)
{
    if (p->count < 2) {
        return p->count ? LINEAR + p->input[0] : 0;
    }
    const int in_order = p->input[0] <= p->input[1];
    return zi_quadratic_index(p->input[!in_order], p->input[in_order]);
}

/* "2.5 x l2", "y^2", "3"; what it says is added to the parameters. */
static zilch_status read_term(reader *r, double sign, double *parameters)
{
    const char *begin = r->at;
    double coefficient = 1.0;
    product p = {0};
    if (begins_number(begin)) {
        ZI_TRY(read_number(r, &coefficient));
    } else if (!is_letter(*begin)) {
        return fail_at(r, begin, "expected a number or a name, not %s", excerpt_of(begin).text);
    } else {
        ZI_TRY(read_factor(r, &p));
    }
    for (;;) {
        skip(r, 0);
        const int is_marked = *r->at == '*';
        r->at += is_marked;
        skip(r, 0);
        if (!is_marked && !is_letter(*r->at)) {
            break;
        }
        ZI_TRY(read_factor(r, &p));
    }
    double *parameter = &parameters[parameter_of(&p)];
    *parameter += sign * coefficient;
    if (!isfinite(*parameter)) {
        return fail_at(r, begin, "with this term, its coefficients add up to more than a double holds");
    }
    return ZILCH_OK;
}

/* ---- Reading: formulas ------------------------------------------------------------------------------ */

static double read_signs(reader *r)
{
    double sign = 1.0;
    for (skip(r, 1); *r->at == '+' || *r->at == '-'; skip(r, 1)) {
        sign = *r->at++ == '-' ? -sign : sign;
    }
    return sign;
}

/* Terms up to the end or to a line that does not begin with a sign. */
static zilch_status read_sum(reader *r, double *parameters)
{
    int is_new_line;
    do {
        const double sign = read_signs(r);
        ZI_TRY(read_term(r, sign, parameters));
        is_new_line = skip(r, 1);
    } while (*r->at == '+' || *r->at == '-');
    if (*r->at && !is_new_line) {
        return fail_at(r, r->at, "expected + or - between terms, not %s%s", excerpt_of(r->at).text,
                       begins_number(r->at) ? "; a term's number stands first" : "");
    }
    return ZILCH_OK;
}

/* "a_main = ..." */
static zilch_status read_engine(reader *r, int given[ENGINES], double *parameters)
{
    const char *begin = r->at;
    const int engine = find_name(engine_name, ENGINES, begin);
    if (engine < 0) {
        return fail_at(r, begin, "expected 'a_main =' or 'a_side =', not %s", excerpt_of(begin).text);
    }
    if (given[engine]) {
        return fail_at(r, begin, "%s is given twice; its first formula is in line %d", engine_name[engine],
                       given[engine]);
    }
    given[engine] = (int)r->line;
    r->at += strlen(engine_name[engine]);
    skip(r, 0);
    if (*r->at != '=') {
        return fail_at(r, r->at, "expected = behind %s, not %s", engine_name[engine], excerpt_of(r->at).text);
    }
    r->at++;
    return read_sum(r, parameters + (ptrdiff_t)engine * ZILCH_POLICY_TERMS);
}

static zilch_status read_all(const char *text, double *parameters)
{
    const int has_mark = strncmp(text, "\xEF\xBB\xBF", 3) == 0;
    reader r = {.at = text + 3 * (ptrdiff_t)has_mark, .line = 1};
    int given[ENGINES] = {0};
    r.line_begin = r.at;
    skip(&r, 1);
    if (!*r.at) {
        return zi_fail(
            ZILCH_EFORMAT,
            "there is no formula; expected lines such as 'a_main = -2.5988 y' and 'a_side = theta'");
    }
    while (*r.at) {
        ZI_TRY(read_engine(&r, given, parameters));
    }
    return ZILCH_OK;
}

zilch_status zilch_policy_parse(const char *text, double parameters[ZILCH_POLICY_PARAMETERS])
{
    if (!text || !parameters) {
        return zi_fail(ZILCH_EARG, "policy: text and a place for the parameters must be given");
    }
    double read[ZILCH_POLICY_PARAMETERS] = {0};
    ZI_TRY(read_all(text, read));
    memcpy(parameters, read, sizeof read);
    return ZILCH_OK;
}
