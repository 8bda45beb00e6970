/* Linear limits as text.
 *
 *     limit = [number relation] sum relation number
 *     sum   = [sign] term {sign term}
 *     term  = [number [*]] name
 *
 * A relation is <=, >= or =. A name is that of a coordinate, x1 or x2 and so on where there are no names, or
 * "sum" for all coordinates; one with other characters than letters, digits, _ and . is put into double
 * quotes. */
#include "base/memory.h"
#include "base/numbers.h"
#include "search/sparse_rows.h"

#include <math.h>
#include <string.h>

/* What is read, and the row that it becomes. */
typedef struct parser {
    const char *text, *at; /* of one limit, which ends at `end` */
    const char *end;
    size_t dim;
    const char *const *names;
    double *weight; /* dim: the row so far */
} parser;

enum { SHOWN = 60 }; /* characters of a limit in a message */

/* A piece of the text in messages: where it begins, and how long it is. */
static int shown(const char *begin, const char *end)
{
    return end - begin < SHOWN ? (int)(end - begin) : SHOWN;
}

#define FAIL(p, format, ...) \
    zi_fail(ZILCH_EARG, "limit '%.*s': " format, shown((p)->text, (p)->end), (p)->text, __VA_ARGS__)

/* ---- Words --------------------------------------------------------------------------------------- */

static int is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static void skip_blanks(parser *p)
{
    while (p->at < p->end && is_blank(*p->at)) {
        p->at++;
    }
}

static int take(parser *p, const char *word)
{
    skip_blanks(p);
    const size_t length = strlen(word);
    if ((size_t)(p->end - p->at) < length || memcmp(p->at, word, length) != 0) {
        return 0;
    }
    p->at += length;
    return 1;
}

static int is_letter(char c)
{
    const unsigned char u = (unsigned char)c;
    return (u >= 'a' && u <= 'z') || (u >= 'A' && u <= 'Z') || u == '_' || u >= 0x80;
}

static int is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* A number without a sign, which begins with a digit or a point. */
static zilch_status take_number(parser *p, double *out, int *is_there)
{
    skip_blanks(p);
    *is_there = p->at < p->end && (is_digit(*p->at) || *p->at == '.');
    if (*is_there) {
        const char *end = zi_number_scan(p->at, out);
        if (!end || end > p->end || !isfinite(*out)) {
            return FAIL(p, "'%.*s' is not a number", shown(p->at, p->end), p->at);
        }
        p->at = end;
    }
    return ZILCH_OK;
}

/* ---- Names ---------------------------------------------------------------------------------------- */

static int is_name(const char *name, const char *begin, size_t length)
{
    return strlen(name) == length && memcmp(name, begin, length) == 0;
}

/* "x12" is the twelfth; gives `dim` if it is none. */
static size_t numbered(const parser *p, const char *begin, size_t length)
{
    size_t number = 0;
    if (length < 2 || *begin != 'x' || begin[1] == '0') {
        return p->dim;
    }
    for (size_t i = 1; i < length; i++) {
        if (!is_digit(begin[i]) || number > p->dim) {
            return p->dim;
        }
        number = 10 * number + (size_t)(begin[i] - '0');
    }
    return number <= p->dim ? number - 1 : p->dim;
}

static zilch_status add_term(parser *p, double factor, const char *begin, size_t length)
{
    size_t i = p->names ? 0 : numbered(p, begin, length);
    while (p->names && i < p->dim && !is_name(p->names[i], begin, length)) {
        i++;
    }
    if (i < p->dim) {
        p->weight[i] += factor;
        return ZILCH_OK;
    }
    if (!is_name("sum", begin, length)) {
        return FAIL(p, "there is no coordinate '%.*s'%s", shown(begin, begin + length), begin,
                    p->names ? "" : "; without names they are x1, x2 and so on");
    }
    for (i = 0; i < p->dim; i++) {
        p->weight[i] += factor;
    }
    return ZILCH_OK;
}

static zilch_status take_name(parser *p, double factor)
{
    skip_blanks(p);
    const char *begin = p->at;
    if (begin < p->end && *begin == '"') {
        const char *close = memchr(begin + 1, '"', (size_t)(p->end - begin - 1));
        if (!close) {
            return FAIL(p, "%s", "a double quote is missing");
        }
        p->at = close + 1;
        return add_term(p, factor, begin + 1, (size_t)(close - begin - 1));
    }
    while (p->at < p->end && (is_letter(*p->at) || is_digit(*p->at) || *p->at == '.')) {
        p->at++;
    }
    if (p->at == begin) {
        return FAIL(p, "the name of a coordinate is missing before '%.*s'", shown(begin, p->end), begin);
    }
    return add_term(p, factor, begin, (size_t)(p->at - begin));
}

/* ---- A limit -------------------------------------------------------------------------------------- */

static int take_sign(parser *p, double *sign)
{
    *sign = take(p, "-") ? -1.0 : 1.0;
    return *sign < 0.0 || take(p, "+");
}

static zilch_status take_sum(parser *p)
{
    double sign, factor;
    int is_there;
    take_sign(p, &sign);
    do {
        ZI_TRY(take_number(p, &factor, &is_there));
        if (is_there) {
            take(p, "*");
        }
        ZI_TRY(take_name(p, is_there ? sign * factor : sign));
    } while (take_sign(p, &sign));
    return ZILCH_OK;
}

static zilch_status take_relation(parser *p, int *out)
{
    *out = take(p, "<=") ? '<' : take(p, ">=") ? '>' : take(p, "==") || take(p, "=") ? '=' : '\0';
    return *out ? ZILCH_OK : FAIL(p, "<=, >= or = is expected before '%.*s'", shown(p->at, p->end), p->at);
}

static zilch_status take_end(parser *p, double *out)
{
    double sign;
    int is_there;
    take_sign(p, &sign);
    ZI_TRY(take_number(p, out, &is_there));
    if (!is_there) {
        return FAIL(p, "a number is expected before '%.*s'", shown(p->at, p->end), p->at);
    }
    *out *= sign;
    return ZILCH_OK;
}

/* Whether a number and a relation come first. */
static int begins_with_end(const parser *p)
{
    parser ahead = *p;
    double sign, number;
    take_sign(&ahead, &sign);
    skip_blanks(&ahead);
    if (ahead.at == ahead.end || (!is_digit(*ahead.at) && *ahead.at != '.')) {
        return 0;
    }
    const char *end = zi_number_scan(ahead.at, &number);
    ahead.at = end && end <= ahead.end ? end : ahead.at;
    return take(&ahead, "<") || take(&ahead, ">") || take(&ahead, "=");
}

static void narrow(int relation, double end, double *lower, double *upper)
{
    *upper = relation != '>' ? fmin(*upper, end) : *upper;
    *lower = relation != '<' ? fmax(*lower, end) : *lower;
}

static zilch_status take_limit(parser *p, double *lower, double *upper)
{
    int relation;
    double end;
    const int has_two = begins_with_end(p);
    *lower = -INFINITY;
    *upper = INFINITY;
    memset(p->weight, 0, p->dim * sizeof *p->weight);
    if (has_two) {
        ZI_TRY(take_end(p, &end));
        ZI_TRY(take_relation(p, &relation));
        narrow(relation == '<'   ? '>'
               : relation == '>' ? '<'
                                 : relation,
               end, lower, upper); /* it is on the left */
    }
    ZI_TRY(take_sum(p));
    skip_blanks(p);
    if (!has_two || p->at < p->end) {
        ZI_TRY(take_relation(p, &relation));
        ZI_TRY(take_end(p, &end));
        narrow(relation, end, lower, upper);
    }
    skip_blanks(p);
    return p->at == p->end ? ZILCH_OK : FAIL(p, "'%.*s' is left over", shown(p->at, p->end), p->at);
}

/* A limit with the coordinates whose weight is not 0. */
static zilch_status keep(const parser *p, double lower, double upper, zilch_linear_limit *out)
{
    size_t *coordinate = NULL;
    double *weight = NULL;
    size_t count = 0;
    for (size_t i = 0; i < p->dim; i++) {
        count += p->weight[i] != 0.0;
    }
    ZI_TRY(zi_alloc(&coordinate, count));
    const zilch_status status = zi_alloc(&weight, count);
    if (status != ZILCH_OK) {
        zi_free(coordinate);
        return status;
    }
    *out = (zilch_linear_limit){
        .count = 0, .coordinate = coordinate, .weight = weight, .lower = lower, .upper = upper};
    for (size_t i = 0; i < p->dim; i++) {
        if (p->weight[i] != 0.0) {
            coordinate[out->count] = i;
            weight[out->count++] = p->weight[i];
        }
    }
    return ZILCH_OK;
}

/* ---- Texts of many -------------------------------------------------------------------------------- */

void zilch_linear_limits_free(zilch_linear_limit *limits, size_t count)
{
    for (size_t i = 0; i < count && limits; i++) {
        zi_free((void *)limits[i].coordinate);
        zi_free((void *)limits[i].weight);
    }
    zi_free(limits);
}

/* A limit ends with its line, at a semicolon or before a comment, but not within quotes. */
static const char *end_of_limit(const char *at)
{
    for (int is_quoted = 0; *at && *at != '\n' && (is_quoted || (*at != ';' && *at != '#')); at++) {
        is_quoted ^= *at == '"';
    }
    return at;
}

/* The next line, or part of one before a semicolon, without its comment; 0 if there is none. */
static int next_limit(const char **from, parser *p)
{
    while (**from) {
        const char *begin = *from;
        *from = end_of_limit(begin);
        p->text = begin;
        p->end = *from;
        *from += **from == '#' ? strcspn(*from, "\n") : 0;
        *from += **from != '\0';
        while (p->text < p->end && is_blank(*p->text)) {
            p->text++;
        }
        while (p->end > p->text && is_blank(p->end[-1])) {
            p->end--;
        }
        p->at = p->text;
        if (p->text < p->end) {
            return 1;
        }
    }
    return 0;
}

static zilch_status parse_all(parser *p, const char *text, zilch_linear_limit **out, size_t *count)
{
    size_t capacity = 0;
    double lower, upper;
    while (next_limit(&text, p)) {
        ZI_TRY(take_limit(p, &lower, &upper));
        ZI_TRY(zi_grow(out, sizeof **out, *count, *count + 1, &capacity));
        ZI_TRY(keep(p, lower, upper, &(*out)[*count]));
        *count += 1;
    }
    return ZILCH_OK;
}

zilch_status zilch_linear_limits_parse(const char *text, size_t dim, const char *const *names,
                                       zilch_linear_limit **out, size_t *count)
{
    if (!text || !out || !count) {
        return zi_fail(ZILCH_EARG, "limits: a text and places for the result must be given");
    }
    parser p = {.dim = dim, .names = names};
    *out = NULL;
    *count = 0;
    ZI_TRY(zi_alloc(&p.weight, dim));
    const zilch_status status = parse_all(&p, text, out, count);
    zi_free(p.weight);
    if (status != ZILCH_OK) {
        zilch_linear_limits_free(*out, *count);
        *out = NULL;
        *count = 0;
    }
    return status;
}
