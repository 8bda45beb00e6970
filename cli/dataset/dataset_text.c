/* Numbers in text. A row is first read by a loop that knows only numbers and separators; a line
 * it cannot read, be it quoted or wrong, is cut into fields and each is looked at. So plain data are
 * quick and messages are exact. */
#include "dataset/dataset_source.h"
#include "terminal/text.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { BLANKS = ' ', SHOWN = 40, LINE_MOST = 1 << 30 };

typedef struct text {
    source *source;
    dataset *out;
    size_t capacity;   /* doubles that out->x has room for */
    size_t line;       /* number of the current line, from 1 */
    size_t first_line; /* of header or data: what the others must look like */
    size_t blank_line; /* the last one behind the first row; 0: none */
    char separator;    /* BLANKS: runs of blanks and tabs */
} text;

typedef struct span {
    const char *begin, *end;
} span;

/* A field without the blanks around it, and without its quotes. */
typedef struct field {
    span text;
    int quoted;
    const char *fault; /* of the quotes; NULL if there is none */
} field;

/* Text for a message: one short line of whole characters. */
typedef struct excerpt {
    char text[SHOWN + 4];
} excerpt;

static excerpt excerpt_of(span s)
{
    excerpt e;
    size_t size = 0;
    while (s.begin < s.end) {
        const unsigned char c = (unsigned char)*s.begin;
        const size_t length = text_character(s.begin);
        if (size + length > SHOWN || size == SHOWN) {
            break;
        }
        memcpy(e.text + size, c < ' ' || c == 127 ? "?" : s.begin, length ? length : 1);
        size += length ? length : 1;
        s.begin += length ? length : 1;
    }
    snprintf(e.text + size, sizeof e.text - size, "%s", s.begin < s.end ? "..." : "");
    return e;
}

/* ---- Lines and fields -------------------------------------------------------- */

/* The next line without its end; 1, 0 at the end of input, -1 on failure. */
static int next_line(text *t, span *out)
{
    source *s = t->source;
    size_t searched = 0;
    for (;;) {
        const char *begin = s->buffer + s->start;
        const size_t ready = s->end - s->start;
        const char *newline = memchr(begin + searched, '\n', ready - searched);
        /* A NUL byte is no text: what is there is line enough to say so, and may have no end. */
        const int is_line = newline || s->ended || memchr(begin + searched, '\0', ready - searched);
        if (!is_line && ready > LINE_MOST) {
            source_fail(s, "line %zu is longer than a gigabyte: this is no dataset", t->line + 1);
            return -1;
        }
        if (!is_line) {
            searched = ready;
            if (source_fill(s)) {
                return -1;
            }
            continue;
        }
        if (ready == 0) {
            return 0;
        }
        const char *end = newline ? newline : begin + ready;
        s->start += (size_t)(end - begin) + (newline != NULL);
        t->line++;
        *out = (span){begin, end > begin && end[-1] == '\r' ? end - 1 : end};
        return 1;
    }
}

static inline int is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static inline const char *skip_blanks(const char *at, const char *end, char separator)
{
    while (at < end && is_blank(*at) && *at != separator) {
        at++;
    }
    return at;
}

static const char *trim_end(const char *begin, const char *end, char separator)
{
    while (end > begin && is_blank(end[-1]) && end[-1] != separator) {
        end--;
    }
    return end;
}

/* Blanks around fields are skipped; a separator is not, unless blanks separate. */
static char kept(const text *t)
{
    return (char)(t->separator == BLANKS ? '\0' : t->separator);
}

static int separates(const text *t, char c)
{
    return t->separator == BLANKS ? is_blank(c) : c == t->separator;
}

/* `at` is behind the opening quote. Gives where the field's closing quote ends. */
static const char *cut_quoted(const char *at, const char *end, field *out)
{
    out->quoted = 1;
    out->text.begin = at;
    for (; at < end; at++) {
        if (*at == '"' && (at + 1 == end || at[1] != '"')) {
            out->text.end = at;
            return at + 1;
        }
        at += *at == '"';
    }
    out->text.end = end;
    out->fault = "a quote is not closed";
    return end;
}

/* Cut off the field at `at`; gives where the next one begins, or NULL after the last. */
static const char *cut(const text *t, const char *at, const char *end, field *out)
{
    at = skip_blanks(at, end, kept(t));
    *out = (field){.text = {at, at}};
    if (at < end && *at == '"') {
        at = cut_quoted(at + 1, end, out);
        at = t->separator == BLANKS ? at : skip_blanks(at, end, t->separator);
        if (at < end && !separates(t, *at)) {
            out->fault = "text follows a closing quote";
        }
    }
    while (at < end && !separates(t, *at)) {
        at++;
    }
    if (!out->quoted) {
        out->text.end = trim_end(out->text.begin, at, kept(t));
    }
    if (t->separator == BLANKS) {
        at = skip_blanks(at, end, '\0');
    }
    if (at == end) {
        return NULL;
    }
    return t->separator == BLANKS ? at : at + 1;
}

static size_t count_fields(const text *t, span line)
{
    size_t count = 0;
    field f;
    for (const char *at = line.begin; at; count++) {
        at = cut(t, at, line.end, &f);
    }
    return count;
}

/* ---- Values ------------------------------------------------------------------ */

/* Where: "line 3 (row 2), column 2 (b): " and what. */
static int wrong_field(const text *t, size_t column, const char *before, span shown, const char *what)
{
    excerpt name = {""};
    if (t->out->names) {
        const char *full = t->out->names[column];
        name = excerpt_of((span){full, full + strlen(full)});
    }
    const int named = name.text[0] != '\0';
    return source_fail(t->source, "line %zu (row %zu), column %zu%s%s%s: %s%s%s", t->line, t->out->rows + 1,
                       column + 1, named ? " (" : "", name.text, named ? ")" : "", before,
                       excerpt_of(shown).text, what);
}

static const char *skip_digits(const char *at, const char *end)
{
    while (at < end && *at >= '0' && *at <= '9') {
        at++;
    }
    return at;
}

static const char *skip_sign(const char *at, const char *end)
{
    return at + (at < end && (*at == '-' || *at == '+'));
}

/* The spellings of what is no finite number and yet no text. */
static int is_nan_or_inf(span s)
{
    static const char *const words[] = {"nan", "inf", "infinity"};
    s.begin = skip_sign(s.begin, s.end);
    const size_t length = (size_t)(s.end - s.begin);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strlen(words[i]) == length && strncasecmp(words[i], s.begin, length) == 0) {
            return 1;
        }
    }
    return 0;
}

/* Has the form of a decimal number, whether it fits a double or not. */
static int looks_numeric(span s)
{
    const char *first = skip_sign(s.begin, s.end);
    const char *at = skip_digits(first, s.end);
    ptrdiff_t digits = at - first;
    if (at < s.end && *at == '.') {
        const char *fraction = ++at;
        at = skip_digits(at, s.end);
        digits += at - fraction;
    }
    if (digits > 0 && at < s.end && (*at == 'e' || *at == 'E')) {
        const char *exponent = skip_sign(at + 1, s.end);
        at = skip_digits(exponent, s.end);
        digits = at - exponent;
    }
    return digits > 0 && at == s.end;
}

static span trimmed(const field *f)
{
    span s = f->text;
    s.begin = skip_blanks(s.begin, s.end, '\0');
    s.end = trim_end(s.begin, s.end, '\0');
    return s;
}

static int read_field(const text *t, const field *f, size_t column, double *x)
{
    const span s = trimmed(f);
    if (f->fault) {
        return wrong_field(t, column, f->fault, (span){0}, "");
    }
    if (s.begin == s.end) {
        return wrong_field(t, column, "the field is empty", (span){0}, "");
    }
    if (zilch_number_scan(s.begin, x) == s.end) {
        return 0;
    }
    if (memchr(s.begin, '\0', (size_t)(s.end - s.begin))) {
        return wrong_field(t, column, "a NUL byte: this is no text file", (span){0}, "");
    }
    if (is_nan_or_inf(s)) {
        return wrong_field(t, column, "", s, " is not allowed");
    }
    if (looks_numeric(s)) {
        return wrong_field(t, column, "'", s, "' does not fit a double: too large, or too close to 0");
    }
    return wrong_field(t, column, "'", s,
                       memchr(s.begin, ',', (size_t)(s.end - s.begin))
                           ? "' is not a number (the decimal sign is a point)"
                           : "' is not a number");
}

/* ---- Rows -------------------------------------------------------------------- */

/* Numbers and separators, nothing else: 1. Anything else, 0; then row_careful() looks again. */
static int row_quick(const text *t, span line, double *x)
{
    const char keep = kept(t);
    const char *at = line.begin;
    for (size_t j = 0; j < t->out->cols; j++) {
        at = zilch_number_scan(skip_blanks(at, line.end, keep), x + j);
        if (!at) {
            return 0;
        }
        const char *behind = skip_blanks(at, line.end, keep);
        if (j + 1 == t->out->cols) {
            return behind == line.end;
        }
        if (t->separator == BLANKS ? behind == at : *behind != t->separator) {
            return 0;
        }
        at = behind + (t->separator != BLANKS);
    }
    return 0;
}

static int row_careful(const text *t, span line, double *x)
{
    const size_t count = count_fields(t, line);
    if (count != t->out->cols) {
        return source_fail(t->source, "line %zu (row %zu): %zu field%s, but %zu expected as in line %zu",
                           t->line, t->out->rows + 1, count, count == 1 ? "" : "s", t->out->cols,
                           t->first_line);
    }
    field f;
    const char *at = line.begin;
    for (size_t j = 0; j < count; j++) {
        at = cut(t, at, line.end, &f);
        if (read_field(t, &f, j, x + j)) {
            return 1;
        }
    }
    return 0;
}

static int read_row(text *t, span line)
{
    dataset *out = t->out;
    size_t needed;
    if (t->blank_line) {
        return source_fail(t->source, "line %zu is blank, but data follow in line %zu", t->blank_line,
                           t->line);
    }
    if (__builtin_mul_overflow(out->rows + 1, out->cols, &needed)) {
        return source_fail(t->source, "does not fit in memory");
    }
    void *memory = out->x;
    if (source_reserve(t->source, &memory, &t->capacity, needed, sizeof *out->x)) {
        return 1;
    }
    out->x = memory;
    double *x = out->x + out->rows * out->cols;
    if (!row_quick(t, line, x) && row_careful(t, line, x)) {
        return 1;
    }
    out->rows++;
    return 0;
}

/* ---- The first line ------------------------------------------------------------ */

/* Tab, else comma, else semicolon, whichever stands outside quotes; else blanks. */
static char find_separator(span line)
{
    static const char candidates[] = "\t,;";
    for (const char *c = candidates; *c; c++) {
        int quoted = 0;
        for (const char *at = line.begin; at < line.end; at++) {
            quoted ^= *at == '"';
            if (*at == *c && !quoted) {
                return *c;
            }
        }
    }
    return BLANKS;
}

/* Names and no number make a header; one text among numbers is a mistake in the first row. */
static int is_header(const text *t, span line)
{
    field f;
    int named = 0;
    for (const char *at = line.begin; at;) {
        at = cut(t, at, line.end, &f);
        const span s = trimmed(&f);
        if (s.begin < s.end && (looks_numeric(s) || is_nan_or_inf(s))) {
            return 0;
        }
        named |= s.begin < s.end;
    }
    return named;
}

/* The field as a string of its own, without what guards it; doubled quotes are one. */
static char *name_of(const field *f)
{
    span s = trimmed(f);
    s.begin += s.end - s.begin > 1 ? text_guard(s.begin) : 0;
    char *name = malloc((size_t)(s.end - s.begin) + 1);
    char *to = name;
    for (const char *at = s.begin; name && at < s.end; at++) {
        at += f->quoted && *at == '"';
        *to++ = *at;
    }
    if (name) {
        *to = '\0';
    }
    return name;
}

static int read_header(text *t, span line)
{
    if (memchr(line.begin, '\0', (size_t)(line.end - line.begin))) {
        return source_fail(t->source, "line %zu: a NUL byte: this is no text file", t->line);
    }
    char **names = calloc(t->out->cols, sizeof *names);
    if (!names) {
        return source_fail(t->source, "does not fit in memory");
    }
    t->out->names = names;
    field f;
    const char *at = line.begin;
    for (size_t j = 0; j < t->out->cols; j++) {
        at = cut(t, at, line.end, &f);
        if (f.fault) {
            return source_fail(t->source, "line %zu, column %zu: %s", t->line, j + 1, f.fault);
        }
        names[j] = name_of(&f);
        if (!names[j]) {
            return source_fail(t->source, "does not fit in memory");
        }
    }
    return 0;
}

/* A comment, or blank: skipped. A blank line is remembered: data must not follow. */
static int is_skipped(text *t, span line)
{
    const char *at = skip_blanks(line.begin, line.end, t->separator == '\t' ? '\t' : '\0');
    if (at == line.end && t->out->rows > 0) {
        t->blank_line = t->line;
    }
    return at == line.end || *at == '#';
}

int dataset_read_text(source *s, dataset *out)
{
    text t = {.source = s, .out = out};
    span line;
    int more;
    if (s->end >= 3 && memcmp(s->buffer, "\xEF\xBB\xBF", 3) == 0) {
        s->start = 3; /* byte order mark */
    }
    while ((more = next_line(&t, &line)) > 0) {
        if (is_skipped(&t, line)) {
            continue;
        }
        const int is_first = !t.first_line;
        if (is_first) {
            t.first_line = t.line;
            t.separator = find_separator(line);
            out->cols = count_fields(&t, line);
        }
        if (is_first && is_header(&t, line) ? read_header(&t, line) : read_row(&t, line)) {
            return 1;
        }
    }
    if (more < 0) {
        return 1;
    }
    if (out->rows == 0) {
        return source_fail(s, out->names ? "has a header but no rows" : "is empty");
    }
    return 0;
}
