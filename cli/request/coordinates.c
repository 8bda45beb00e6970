/* Lists of coordinates and their bounds, as text. The lists are short and typed by hand, so every message
 * quotes what it did not understand. */
#include "request/coordinates.h"

#include "terminal/text.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int fail(coordinates_error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

static int fail(coordinates_error *error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    return 1;
}

/* ---- Lists ------------------------------------------------------------------------------ */

/* A part of a text: one item of a list, or one list of several. */
typedef struct piece {
    const char *text;
    size_t length;
} piece;

/* Cuts off what is before the next `separator`; 0 when all has been cut off. */
static int next_piece(const char **at, char separator, piece *out)
{
    if (!*at) {
        return 0;
    }
    const char *end = strchr(*at, separator);
    *out = (piece){*at, end ? (size_t)(end - *at) : strlen(*at)};
    *at = end ? end + 1 : NULL;
    return 1;
}

/* A number from 1 to dim, blanks around it; gives where it ends, or NULL. */
static const char *scan_number(const char *at, size_t *out)
{
    at += strspn(at, " ");
    const size_t digits = strspn(at, "0123456789");
    if (digits == 0 || digits > 15) {
        return NULL;
    }
    *out = (size_t)strtoull(at, NULL, 10);
    at += digits;
    return at + strspn(at, " ");
}

/* "4" or "4-7", all of it. */
static int mark_range(piece p, size_t dim, size_t value, size_t *mark, coordinates_error *error)
{
    char text[64];
    size_t first = 0;
    size_t last = 0;
    const int length = p.length < sizeof text ? (int)p.length : (int)sizeof text;
    snprintf(text, sizeof text, "%.*s", length, p.text);
    const char *at = scan_number(text, &first);
    last = first;
    if (at && *at == '-') {
        at = scan_number(at + 1, &last);
    }
    if (!at || *at || p.length >= sizeof text) {
        return fail(error, "'%.*s' is no coordinate's number and no range such as 4-7", length, p.text);
    }
    if (first == 0 || last > dim) {
        return fail(error, "'%.*s': coordinates are numbered from 1 to %zu", length, p.text, dim);
    }
    if (first > last) {
        return fail(error, "'%.*s' goes backwards", length, p.text);
    }
    for (size_t i = first - 1; i < last; i++) {
        if (mark[i]) {
            return fail(error, "coordinate %zu is named twice", i + 1);
        }
        mark[i] = value;
    }
    return 0;
}

int coordinates_mark(const char *list, size_t dim, size_t value, size_t *mark, coordinates_error *error)
{
    piece p;
    int status = 0;
    while (!status && next_piece(&list, ',', &p)) {
        status = mark_range(p, dim, value, mark, error);
    }
    return status;
}

int coordinates_group(const char *lists, size_t dim, size_t *mark, coordinates_error *error)
{
    piece p;
    int status = 0;
    for (size_t number = 1; !status && next_piece(&lists, ';', &p); number++) {
        char *list = strndup(p.text, p.length);
        status =
            list ? coordinates_mark(list, dim, number, mark, error) : fail(error, "does not fit in memory");
        free(list);
    }
    return status;
}

/* ---- Bounds ------------------------------------------------------------------------------- */

/* A number, or `none` for "none" or nothing. */
static int end_parse(char *text, double none, double *out)
{
    text += strspn(text, " \t");
    for (size_t length = strlen(text); length > 0 && strchr(" \t\r\n", text[length - 1]); length--) {
        text[length - 1] = '\0';
    }
    if (!*text || strcmp(text, "none") == 0) {
        *out = none;
        return 1;
    }
    return zilch_number_parse(text, out);
}

/* Two to `most` numbers: the bounds, x0 and scale. */
static int bounds_parse(char *text, char separator, size_t most, double number[], coordinates_error *error)
{
    static const double none[COORDINATES_COLUMNS] = {-INFINITY, INFINITY, NAN, NAN};
    size_t count = 0;
    memcpy(number, none, most * sizeof *number);
    for (char *next; text; text = next, count++) {
        next = strchr(text, separator);
        if (next) {
            *next++ = '\0';
        }
        if (count < most && !end_parse(text, none[count], &number[count])) {
            return fail(error, "'%.60s' is neither a number nor 'none'", text);
        }
    }
    if (count < 2 || count > most) {
        return fail(error, "bounds are LOW%cHIGH%s, with 'none' where there is none", separator,
                    most > 2 ? ", and x0 and scale may follow" : "");
    }
    return number[0] <= number[1]
               ? 0
               : fail(error, "the lower bound %g is above the upper %g", number[0], number[1]);
}

int coordinates_bounds(const char *text, double *low, double *high, coordinates_error *error)
{
    char *copy = strdup(text);
    if (!copy) {
        return fail(error, "does not fit in memory");
    }
    double number[2];
    const int status = bounds_parse(copy, ':', 2, number, error);
    *low = number[0];
    *high = number[1];
    free(copy);
    return status;
}

/* The columns get the numbers of a row. What the first line has, all must have. */
static int keep_numbers(const double *number, size_t row, double *const column[], coordinates_error *error)
{
    for (size_t k = 0; k < COORDINATES_COLUMNS; k++) {
        column[k][row] = number[k];
        if (isnan(number[k]) != isnan(column[k][0])) {
            return fail(error, "give %s in every line, or in none", k == 2 ? "x0" : "scale");
        }
    }
    return 0;
}

/* ---- Files -------------------------------------------------------------------------------- */

/* Takes a line without its comment, which has more than blanks. */
typedef int (*line_taker)(void *context, size_t line, char *text, coordinates_error *error);

static int read_lines(FILE *stream, line_taker take, void *context, coordinates_error *error)
{
    zilch_line read = {0};
    int status = 0;
    int more = 1;
    for (size_t line = 1; !status && more; line++) {
        const zilch_status found = zilch_line_read(&read, stream, &more);
        if (found != ZILCH_OK) {
            status = found == ZILCH_EFORMAT ? fail(error, "line %zu: %s", line, zilch_last_error())
                                            : fail(error, "%s", zilch_last_error());
        } else if (more) {
            coordinates_error reason = {""};
            read.text[strcspn(read.text, "#\r")] = '\0';
            if (read.text[strspn(read.text, " \t")] && take(context, line, read.text, &reason)) {
                status = fail(error, "line %zu: %.200s", line, reason.text);
            }
        }
    }
    zilch_line_free(&read);
    return status;
}

static int read_file(const char *path, line_taker take, void *context, coordinates_error *error)
{
    FILE *stream = fopen(path, "rbe");
    if (!stream) {
        return fail(error, "cannot open: %s", strerror(errno));
    }
    const int status = read_lines(stream, take, context, error);
    fclose(stream);
    return status;
}

typedef struct bounds_reading {
    size_t dim, row;
    double *const *column;
} bounds_reading;

static int take_bounds(void *context, size_t line, char *text, coordinates_error *error)
{
    bounds_reading *b = context;
    double number[COORDINATES_COLUMNS];
    /* Letters other than those of "none" and of an exponent are names of columns. */
    if (line == 1 && strpbrk(text, "abcdfghijklmpqrstuvwxyzABCDFGHIJKLMNOPQRSTUVWXYZ_")) {
        return 0;
    }
    if (b->row >= b->dim) {
        return fail(error, "there are only %zu coordinates", b->dim);
    }
    if (bounds_parse(text, ',', COORDINATES_COLUMNS, number, error) ||
        keep_numbers(number, b->row, b->column, error)) {
        return 1;
    }
    b->row++;
    return 0;
}

int coordinates_bounds_read(const char *path, size_t dim, double *const column[COORDINATES_COLUMNS],
                            coordinates_error *error)
{
    bounds_reading b = {.dim = dim, .column = column};
    const int status = read_file(path, take_bounds, &b, error);
    return !status && b.row < dim
               ? fail(error, "has %zu lines of bounds, but there are %zu coordinates", b.row, dim)
               : status;
}

/* ---- A number for each --------------------------------------------------------------------- */

int coordinates_find(const char *word, size_t dim, const char *const *names, size_t *out,
                     coordinates_error *error)
{
    size_t number = 0;
    const char *end = scan_number(word, &number);
    for (*out = 0; names && *out < dim; (*out)++) {
        if (strcmp(names[*out], word) == 0) {
            return 0;
        }
    }
    if (!end || *end) {
        return fail(error, "'%.60s' is no coordinate's number%s", word, names ? " or name" : "");
    }
    if (number == 0 || number > dim) {
        return fail(error, "'%.60s': coordinates are numbered from 1 to %zu", word, dim);
    }
    *out = number - 1;
    return 0;
}

typedef struct numbers_reading {
    const coordinates_kind *kind;
    size_t dim, rows;
    const char *const *names;
    double *out;  /* NaN: not said yet */
    int is_named; /* lines have a coordinate before the number */
} numbers_reading;

/* Cuts off the blanks around it. */
static char *trim(char *text)
{
    text += strspn(text, " \t");
    for (size_t length = strlen(text); length > 0 && strchr(" \t", text[length - 1]); length--) {
        text[length - 1] = '\0';
    }
    return text;
}

static int take_number(void *context, size_t line, char *text, coordinates_error *error)
{
    numbers_reading *p = context;
    char *comma = strrchr(text, ',');
    char *number = trim(comma ? comma + 1 : text);
    size_t i = p->rows;
    double value;
    if (!zilch_number_parse(number, &value)) {
        return line == 1 && isalpha((unsigned char)*number) ? 0 : fail(error, "'%.60s' is no number", number);
    }
    if (p->rows++ == 0) {
        p->is_named = comma != NULL;
    }
    if (p->is_named != (comma != NULL)) {
        return fail(error, "give a coordinate before the number in every line, or in none");
    }
    if (comma) {
        *comma = '\0';
    }
    if (comma && coordinates_find(trim(text), p->dim, p->names, &i, error)) {
        return 1;
    }
    if (i >= p->dim) {
        return fail(error, "there are only %zu coordinates", p->dim);
    }
    if (!isnan(p->out[i])) {
        return fail(error, "coordinate %zu is named twice", i + 1);
    }
    if (!(value >= p->kind->least && isfinite(value))) {
        return fail(error, "a %s must be a finite number, 0 or more, not %g", p->kind->name, value);
    }
    p->out[i] = value;
    return 0;
}

int coordinates_numbers_read(const char *path, const coordinates_kind *kind, size_t dim,
                             const char *const *names, double *out, coordinates_error *error)
{
    numbers_reading p = {.kind = kind, .dim = dim, .names = names, .out = out};
    for (size_t i = 0; i < dim; i++) {
        out[i] = NAN;
    }
    if (read_file(path, take_number, &p, error)) {
        return 1;
    }
    if (!p.is_named && p.rows < dim) {
        return fail(error, "has %zu %s, but there are %zu coordinates", p.rows, kind->plural, dim);
    }
    for (size_t i = 0; i < dim; i++) {
        out[i] = isnan(out[i]) ? 0.0 : out[i];
    }
    return 0;
}

/* ---- Allowed values ------------------------------------------------------------------------- */

/* "COORDINATE=STEP" */
static int take_step(char *text, size_t dim, const char *const *names, double *out, coordinates_error *error)
{
    char *sign = strrchr(text, '=');
    size_t i;
    double step;
    if (!sign) {
        return fail(error, "'%.60s' is neither a number nor COORDINATE=STEP", text);
    }
    *sign = '\0';
    if (coordinates_find(trim(text), dim, names, &i, error)) {
        return 1;
    }
    if (!zilch_number_parse(trim(sign + 1), &step)) {
        return fail(error, "'%.60s' is no number", sign + 1);
    }
    if (out[i] != 0.0) {
        return fail(error, "coordinate %zu is named twice", i + 1);
    }
    out[i] = step;
    return 0;
}

int coordinates_steps(const char *text, size_t dim, const char *const *names, double *out,
                      coordinates_error *error)
{
    double step;
    piece p;
    int status = 0;
    const int is_one = zilch_number_parse(text, &step);
    for (size_t i = 0; i < dim; i++) {
        out[i] = is_one ? step : 0.0;
    }
    while (!is_one && !status && next_piece(&text, ',', &p)) {
        char *word = strndup(p.text, p.length);
        status = word ? take_step(word, dim, names, out, error) : fail(error, "does not fit in memory");
        free(word);
    }
    return status;
}

typedef struct values_reading {
    size_t dim;
    const char *const *names;
    zilch_values *out;
} values_reading;

static int take_values(void *context, size_t line, char *text, coordinates_error *error)
{
    const values_reading *v = context;
    char *at = strchr(text, ',');
    size_t most = 0;
    size_t i;
    for (const char *comma = at; comma; comma = strchr(comma + 1, ',')) {
        most++;
    }
    if (!at) {
        return fail(error, "a coordinate and its values are expected, with commas between them");
    }
    *at = '\0';
    if (coordinates_find(trim(text), v->dim, v->names, &i, error)) {
        return line == 1 && isalpha((unsigned char)*trim(at + 1)) ? 0 : 1; /* names of columns */
    }
    if (v->out[i].count) {
        return fail(error, "coordinate %zu is named twice", i + 1);
    }
    double *value = malloc(most * sizeof *value);
    if (!value) {
        return fail(error, "does not fit in memory");
    }
    v->out[i] = (zilch_values){most, value};
    for (size_t k = 0; k < most; k++) {
        char *word = at + 1;
        at = word + strcspn(word, ",");
        *at = '\0';
        if (!zilch_number_parse(trim(word), &value[k])) {
            return fail(error, "'%.60s' is no number", word);
        }
    }
    return 0;
}

int coordinates_values_read(const char *path, size_t dim, const char *const *names, zilch_values *out,
                            coordinates_error *error)
{
    values_reading v = {dim, names, out};
    size_t count = 0;
    if (read_file(path, take_values, &v, error)) {
        return 1;
    }
    for (size_t i = 0; i < dim; i++) {
        count += out[i].count;
    }
    return count ? 0 : fail(error, "has no values");
}

void coordinates_values_free(size_t dim, zilch_values *values)
{
    for (size_t i = 0; values && i < dim; i++) {
        free((void *)values[i].value);
    }
    free(values);
}
