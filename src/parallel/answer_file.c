/* Answers from lines of JSON, {"id":7,"value":3.25}, or from a table whose fields are separated by commas,
 * semicolons, tabs or blanks. The first line decides: all lines of a file are of one format, have one
 * separator and the same number of fields. With a line of names, the columns id, value, sigma and violation
 * are read, and the coordinates that 'zilch ask' wrote beside them; others are not looked at. Without, there
 * are two columns, id and value: a third might as well be what a decimal comma, or a blank within a number,
 * has cut off. A field that is read is a number as a whole, or the line is refused. */
#include "base/memory.h"
#include "base/numbers.h"
#include "parallel/answer.h"
#include "parallel/answer_point.h"
#include "parallel/message.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { ID, VALUE, SIGMA, VIOLATION, WANTED, LINE_MOST = 1 << 30 };
static const char *const wanted_names[WANTED] = {"id", "value", "sigma", "violation"};

typedef enum format { FORMAT_UNKNOWN, FORMAT_JSON, FORMAT_TABLE } format;

typedef struct source {
    size_t line;
    size_t first; /* line that has decided the following */
    format format;
    char separator;        /* of a table; ' ': any number of blanks */
    int is_named;          /* the first line has names */
    size_t fields;         /* of each line */
    size_t column[WANTED]; /* from 0; SIZE_MAX: not there */
    zi_coordinates coordinates;
    size_t *coordinate; /* of each field of a table; SIZE_MAX: none. NULL: there are none */
    double *x;          /* room for the coordinates of a line */
} source;

#define WRONG_LINE(s, ...) \
    zi_fail_at(ZILCH_EFORMAT, &(zi_location){.at = {{ZI_LINE, (s)->line}}}, __VA_ARGS__)

/* ---- What has been read ------------------------------------------------------------------------------ */

typedef struct answers {
    zilch_answers told; /* what the caller sees: the arrays below */
    size_t capacity;
    uint64_t *id;
    double *value, *sigma, *violation;
    char **reason;
    size_t *line;
    double *x;     /* NULL: no line has any */
    size_t points; /* that x has room for */
} answers;

/* Makes room for `count` elements of `size` bytes in the array that the pointer at `array` points to. */
static zilch_status widen(void *array, size_t used, size_t count, size_t size)
{
    void *old;
    void *wider;
    memcpy(&old, array, sizeof old);
    ZI_TRY(zi_alloc_bytes(&wider, count, size));
    if (used) {
        memcpy(wider, old, used * size);
    }
    zi_free(old);
    memcpy(array, &wider, sizeof wider);
    return ZILCH_OK;
}

/* The coordinates that a line has. Lines without any have NaN, if others have some. */
static zilch_status append_point(answers *a, size_t dim, const double *x)
{
    const size_t last = a->told.count;
    if (!x && !a->x) {
        return ZILCH_OK;
    }
    if (last >= a->points) {
        const size_t used = a->x ? a->points : 0;
        const size_t points = 2 * last + 1;
        ZI_TRY(widen(&a->x, used, points, dim * sizeof *a->x));
        for (size_t i = used * dim; i < points * dim; i++) {
            a->x[i] = NAN;
        }
        a->points = points;
    }
    if (x) {
        memcpy(a->x + last * dim, x, dim * sizeof *x);
    }
    return ZILCH_OK;
}

/* x may be NULL. A reason is never longer than the line that it stands in. */
static zilch_status append(answers *a, const source *s, const zi_answer *answer, const double *x,
                           size_t reason_size)
{
    const size_t last = a->told.count;
    const size_t capacity = a->capacity ? 2 * a->capacity : 256;
    char *reason = NULL;
    if (last == a->capacity) {
        ZI_TRY(widen(&a->id, last, capacity, sizeof *a->id));
        ZI_TRY(widen(&a->value, last, capacity, sizeof *a->value));
        ZI_TRY(widen(&a->sigma, last, capacity, sizeof *a->sigma));
        ZI_TRY(widen(&a->violation, last, capacity, sizeof *a->violation));
        ZI_TRY(widen(&a->reason, last, capacity, sizeof *a->reason));
        ZI_TRY(widen(&a->line, last, capacity, sizeof *a->line));
        a->capacity = capacity;
    }
    ZI_TRY(append_point(a, s->coordinates.dim, x));
    if (reason_size) {
        ZI_TRY(zi_alloc(&reason, reason_size));
        zi_answer_reason(answer, reason, reason_size);
    }
    a->told.count++;
    a->id[last] = answer->id;
    a->value[last] = answer->value;
    a->sigma[last] = answer->sigma;
    a->violation[last] = answer->violation;
    a->reason[last] = reason;
    a->line[last] = s->line;
    return ZILCH_OK;
}

void zilch_answers_destroy(zilch_answers *told)
{
    answers *a = (answers *)(void *)told;
    if (!a) {
        return;
    }
    for (size_t i = 0; i < a->told.count; i++) {
        zi_free(a->reason[i]);
    }
    zi_free(a->id);
    zi_free(a->value);
    zi_free(a->sigma);
    zi_free(a->violation);
    zi_free(a->reason);
    zi_free(a->line);
    zi_free(a->x);
    zi_free(a);
}

/* ---- Fields ----------------------------------------------------------------------------------------- */

/* The text in quotes moves to where they begin, and "" within it becomes one; *end is where it ends. Gives
 * what is behind the closing quote, NULL if there is none. */
static char *unquote(char *quote, char **end)
{
    char *from = quote + 1;
    char *to = quote;
    while (*from && (*from != '"' || from[1] == '"')) {
        from += *from == '"';
        *to++ = *from++;
    }
    *end = to;
    return *from ? from + 1 : NULL;
}

/* The next field of a line, cut off in place, without blanks and quotes around it. *at is then where the one
 * behind it begins, NULL if there is none. NULL if its quotes are wrong. */
static char *take_field(char **at, char separator)
{
    const char *const blank = separator == '\t' ? " " : " \t";
    const char ends[] = {separator, (char)(separator == ' ' ? '\t' : '\0'), '\0'};
    char *begin = *at + strspn(*at, blank);
    char *end = begin + strcspn(begin, ends);
    char *behind = *begin == '"' ? unquote(begin, &end) : end;
    if (!behind) {
        return NULL;
    }
    char *next = behind + strspn(behind, blank);
    const int is_cut = !*next || (separator == ' ' ? next > behind : *next == separator);
    while (end == behind && end > begin && strchr(blank, end[-1])) { /* it has no quotes */
        behind = --end;
    }
    *at = *next ? next + (separator != ' ') : NULL;
    *end = '\0';
    return is_cut ? begin : NULL;
}

static zilch_status wrong_quotes(const source *s, size_t index)
{
    return zi_fail_at(ZILCH_EFORMAT, &(zi_location){.at = {{ZI_LINE, s->line}, {ZI_FIELD, index + 1}}},
                      "its quotes are not closed, or do not enclose all of it");
}

/* ---- A table ---------------------------------------------------------------------------------------- */

/* A column may be that of a coordinate; s->x has which column it was, counted from 1. */
static zilch_status take_coordinate(source *s, size_t j, const char *text)
{
    const size_t likely = j && s->coordinate[j - 1] != SIZE_MAX ? s->coordinate[j - 1] + 1 : 0;
    const size_t which = zi_coordinate_find(&s->coordinates, text, likely);
    s->coordinate[j] = which;
    if (which != SIZE_MAX && s->x[which] > 0.0) {
        return WRONG_LINE(s, "fields %.0f and %zu are both called %.40s; which one is meant?", s->x[which],
                          j + 1, text);
    }
    if (which != SIZE_MAX) {
        s->x[which] = (double)j + 1.0;
    }
    return ZILCH_OK;
}

/* Room for the coordinate of each field, of which there are no more than separators and one. */
static zilch_status make_coordinates(source *s, const char *line)
{
    size_t most = 1;
    for (const char *at = line; *at; at++) {
        most += *at == s->separator || *at == '\t';
    }
    for (size_t i = 0; i < s->coordinates.dim; i++) {
        s->x[i] = 0.0;
    }
    return zi_alloc(&s->coordinate, most);
}

/* Columns that are not read may be called alike. */
static zilch_status take_header(source *s, char *line)
{
    size_t j = 0;
    if (s->coordinates.dim) {
        ZI_TRY(make_coordinates(s, line));
    }
    for (char *at = line; at; j++) {
        const char *text = take_field(&at, s->separator);
        int is_wanted = 0;
        for (size_t i = 0; i < WANTED && text; i++) {
            if (strcasecmp(text, wanted_names[i]) != 0) {
                continue;
            }
            if (s->column[i] != SIZE_MAX) {
                return WRONG_LINE(s, "fields %zu and %zu are both called %s; which one is meant?",
                                  s->column[i] + 1, j + 1, wanted_names[i]);
            }
            s->column[i] = j;
            is_wanted = 1;
        }
        if (!text) {
            return wrong_quotes(s, j);
        }
        if (s->coordinate) {
            ZI_TRY(take_coordinate(s, j, is_wanted ? "" : text));
        }
    }
    s->fields = j;
    return s->column[ID] == SIZE_MAX || s->column[VALUE] == SIZE_MAX
               ? WRONG_LINE(s, "names columns, but not both id and value")
               : ZILCH_OK;
}

static zilch_status wrong_count(const source *s, size_t count)
{
    if (s->is_named) {
        return WRONG_LINE(s,
                          "has %zu field%s, but line %zu names %zu; a number has no blanks in it, and a "
                          "decimal point, not a comma",
                          count, count == 1 ? "" : "s", s->first, s->fields);
    }
    return WRONG_LINE(
        s,
        "has %zu field%s; without a line of names there are two, an id and a value. For more, begin "
        "with a line such as 'id,value,sigma'; a number has no blanks in it, and a decimal point, "
        "not a comma",
        count, count == 1 ? "" : "s");
}

/* What kind of number is meant, if it is none. */
static zilch_status wrong_number(const source *s, size_t column, const char *name, const char *text,
                                 const char *what)
{
    const zi_location place = {.at = {{ZI_LINE, s->line}, {ZI_FIELD, column + 1}}, .name = name};
    return zi_fail_at(ZILCH_EFORMAT, &place, "'%.40s' is not %s%s", text, what,
                      strpbrk(text, ", ") ? "; write 1000.5, with a decimal point and without blanks" : "");
}

static zilch_status wrong_field(const source *s, size_t which, const char *text, const char *what)
{
    return wrong_number(s, s->column[which], wanted_names[which], text, what);
}

/* A field that is empty says nothing of its coordinate. */
static zilch_status take_coordinate_field(const source *s, size_t column, const char *text)
{
    const size_t which = s->coordinate[column];
    char name[32];
    if (which == SIZE_MAX || !*text) {
        return ZILCH_OK;
    }
    if (zilch_number_parse(text, &s->x[which])) {
        return ZILCH_OK;
    }
    snprintf(name, sizeof name, "x%zu", which + 1);
    return wrong_number(s, column, s->coordinates.names ? s->coordinates.names[which] : name, text,
                        "a number");
}

static int is_one_of(const char *text, const char *const *list)
{
    while (*list && strcasecmp(text, *list) != 0) {
        list++;
    }
    return *list != NULL;
}

static zilch_status take_row(const source *s, char *line, answers *out)
{
    static const char *const failed[] = {"nan", "-nan", "inf", "-inf", "null", "failed", "na", "", NULL};
    static const char *const unknown[] = {"nan", "", NULL};
    char *text[WANTED] = {0};
    size_t count = 0;
    double number;
    zi_answer row = {.value = NAN, .sigma = NAN};
    for (size_t i = 0; s->coordinate && i < s->coordinates.dim; i++) {
        s->x[i] = NAN;
    }
    for (char *at = line; at; count++) {
        char *field = take_field(&at, s->separator);
        if (!field) {
            return wrong_quotes(s, count);
        }
        for (size_t i = 0; i < WANTED; i++) {
            text[i] = s->column[i] == count ? field : text[i];
        }
        if (s->coordinate && count < s->fields) {
            ZI_TRY(take_coordinate_field(s, count, field));
        }
    }
    if (count != s->fields) {
        return wrong_count(s, count);
    }
    if (!zilch_number_parse(text[ID], &number) || !(number >= 0) || !(number < (double)ZI_ID_END) ||
        number != floor(number)) {
        return wrong_field(s, ID, text[ID], "a whole number from 0 to 2^53 - 1");
    }
    row.id = (uint64_t)number;
    if (!is_one_of(text[VALUE], failed) && !zilch_number_parse(text[VALUE], &row.value)) {
        return wrong_field(s, VALUE, text[VALUE], "a number, nor nan for an evaluation that failed");
    }
    if (text[SIGMA] && !is_one_of(text[SIGMA], unknown) &&
        !(zilch_number_parse(text[SIGMA], &row.sigma) && row.sigma >= 0)) {
        return wrong_field(s, SIGMA, text[SIGMA], "a number from 0 on");
    }
    if (text[VIOLATION] && *text[VIOLATION] && is_one_of(text[VIOLATION], failed)) {
        row.value = NAN;
    } else if (text[VIOLATION] && *text[VIOLATION]) {
        if (!zilch_number_parse(text[VIOLATION], &row.violation)) {
            return wrong_field(s, VIOLATION, text[VIOLATION], "a number");
        }
        row.violation = isnan(row.value) ? 0.0 : zilch_violation(1, &row.violation);
    }
    return append(out, s, &row, s->coordinate ? s->x : NULL, 0);
}

/* The first line: names, or the first row, which is then read like the others. */
static zilch_status begin_table(source *s, char *line)
{
    const char *first = line + strspn(line, " \t\"");
    /* A comma may be a decimal one, where there is something else that separates. */
    s->separator = (char)(strchr(line, '\t')  ? '\t'
                          : strchr(line, ';') ? ';'
                          : strchr(line, ',') ? ','
                                              : ' ');
    s->is_named = !strchr("0123456789+-.", *first);
    s->fields = 2;
    s->column[ID] = s->is_named ? SIZE_MAX : 0;
    s->column[VALUE] = s->is_named ? SIZE_MAX : 1;
    s->column[SIGMA] = s->column[VIOLATION] = SIZE_MAX;
    return s->is_named ? take_header(s, line) : ZILCH_OK;
}

/* ---- Lines --------------------------------------------------------------------------------------------- */

static zilch_status wrong_json(const source *s, const char *line, const char *what,
                               const zi_json_fault *fault)
{
    const zi_location place = {.at = {{ZI_LINE, s->line}, {ZI_CHARACTER, (size_t)(fault->at - line) + 1}}};
    return zi_fail_at(ZILCH_EFORMAT, &place, "%s: %s", what, fault->why);
}

static zilch_status take_json(const source *s, const char *line, answers *out)
{
    zi_answer answer;
    zi_json_fault fault;
    int is_point = 0;
    const size_t length = strlen(line);
    const zi_verdict verdict = zi_answer_read(line, length, ZILCH_PROTOCOL_JSON, &answer);
    if (verdict == ZI_ANSWER_WRONG) {
        return answer.fault.at ? wrong_json(s, line, answer.why, &answer.fault)
                               : WRONG_LINE(s, "%s", answer.why);
    }
    if (s->coordinates.dim && !zi_point_read(&s->coordinates, line, s->x, &is_point, &fault)) {
        return wrong_json(s, line, "is not a point of the run", &fault);
    }
    return append(out, s, &answer, is_point ? s->x : NULL, verdict == ZI_ANSWER_FAILED ? length + 1 : 0);
}

static zilch_status take_line(source *s, char *line, answers *out)
{
    char *const end = strchr(line, '\r');
    if (end && end[1]) {
        return WRONG_LINE(s,
                          "has a carriage return within it. If the lines of the file end with nothing else, "
                          "convert it: tr '\\r' '\\n' <FILE");
    }
    if (end) {
        *end = '\0';
    }
    const char *first = line + strspn(line, " \t");
    if (!*first || *first == '#') {
        return ZILCH_OK;
    }
    const format found = *first == '{' ? FORMAT_JSON : FORMAT_TABLE;
    const int is_first = s->format == FORMAT_UNKNOWN;
    if (!is_first && found != s->format) {
        return found == FORMAT_JSON
                   ? WRONG_LINE(s, "is JSON, but line %zu begins a table; a file has one format", s->first)
                   : WRONG_LINE(s, "is not a JSON object, but line %zu is one; a file has one format",
                                s->first);
    }
    if (is_first) {
        s->format = found;
        s->first = s->line;
    }
    if (found == FORMAT_JSON) {
        return take_json(s, line, out);
    }
    if (is_first) {
        ZI_TRY(begin_table(s, line));
    }
    return is_first && s->is_named ? ZILCH_OK : take_row(s, line, out);
}

static zilch_status read_lines(source *s, FILE *stream, answers *out)
{
    static const char mark[] = "\xef\xbb\xbf"; /* of UTF-8, which some spreadsheets write */
    zilch_line line = {0};
    zilch_status status = ZILCH_OK;
    int more = 1;
    while (status == ZILCH_OK && more) {
        s->line++;
        status = zilch_line_read(&line, stream, &more);
        if (status == ZILCH_EFORMAT) {
            status = WRONG_LINE(s, "%s", zilch_last_error());
        } else if (status == ZILCH_OK && more) {
            const int is_marked = s->line == 1 && strncmp(line.text, mark, strlen(mark)) == 0;
            status = take_line(s, line.text + (is_marked ? strlen(mark) : 0), out);
        }
    }
    zilch_line_free(&line);
    return status;
}

static zilch_status read_all(const zi_coordinates *coordinates, FILE *stream, answers *out)
{
    zi_plain_locale locale;
    source s = {.coordinates = *coordinates};
    ZI_TRY(zi_alloc(&s.x, coordinates->dim));
    zilch_status status = zi_locale_enter(&locale);
    if (status == ZILCH_OK) {
        status = read_lines(&s, stream, out);
        zi_locale_leave(&locale);
    }
    zi_free(s.x);
    zi_free(s.coordinate);
    return status;
}

zilch_status zilch_answers_read(zilch_answers **out, FILE *stream, size_t dim, const char *const *names)
{
    answers *a;
    if (!out || !stream) {
        return zi_fail(ZILCH_EARG, "answers: a stream and a place for them must be given");
    }
    *out = NULL;
    ZI_TRY(zi_alloc(&a, 1));
    *a = (answers){0};
    const zilch_status status = read_all(&(zi_coordinates){dim, names}, stream, a);
    if (status != ZILCH_OK) {
        zilch_answers_destroy(&a->told);
        return status;
    }
    a->told.id = a->id;
    a->told.value = a->value;
    a->told.sigma = a->sigma;
    a->told.violation = a->violation;
    a->told.reason = (const char *const *)a->reason;
    a->told.line = a->line;
    a->told.dim = dim;
    a->told.x = a->x;
    *out = &a->told;
    return ZILCH_OK;
}
