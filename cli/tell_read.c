/* Values from lines of JSON, {"id":7,"value":3.25}, or from a table whose fields are separated by commas,
 * semicolons, tabs or blanks. The first line decides: all lines of a file are of one format, have one
 * separator and the same number of fields. With a line of names, the columns id, value and sigma are read,
 * and the others, such as the coordinates that 'zilch ask' wrote, are not looked at. Without, there are two
 * columns, id and value: a third might as well be what a decimal comma, or a blank within a number, has cut
 * off. A field that is read is a number as a whole, or the line is refused. */
#include "tell_read.h"

#include "cli.h"
#include "json.h"
#include "number.h"
#include "text.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { ID, VALUE, SIGMA, WANTED };
static const char *const names[WANTED] = {"id", "value", "sigma"};

typedef enum format { FORMAT_UNKNOWN, FORMAT_JSON, FORMAT_TABLE } format;

typedef struct source {
    const char *name;
    size_t line;
    size_t first; /* line that has decided the following */
    format format;
    char separator;        /* of a table; ' ': any number of blanks */
    int is_named;          /* the first line has names */
    size_t fields;         /* of each line */
    size_t column[WANTED]; /* from 0; SIZE_MAX: not there */
} source;

static int wrong_line(const source *s, const char *pattern, ...) __attribute__((format(printf, 2, 3)));

static int wrong_line(const source *s, const char *pattern, ...)
{
    char why[512];
    va_list arguments;
    va_start(arguments, pattern);
    vsnprintf(why, sizeof why, pattern, arguments);
    va_end(arguments);
    return cli_fail("%s: line %zu: %s", s->name, s->line, why);
}

/* Makes room for `count` elements of `size` bytes in the array that the pointer at `array` points to. */
static int widen(void *array, size_t count, size_t size)
{
    void *old;
    memcpy(&old, array, sizeof old);
    void *wider = realloc(old, count * size);
    if (!wider) {
        return cli_fail("out of memory");
    }
    memcpy(array, &wider, sizeof wider);
    return 0; /* cppcheck-suppress memleak ; copied just now */
}

static int grow(told_values *t)
{
    if (t->count < t->capacity) {
        return 0;
    }
    const size_t capacity = t->capacity ? 2 * t->capacity : 256;
    if (widen(&t->id, capacity, sizeof *t->id) || widen(&t->value, capacity, sizeof *t->value) ||
        widen(&t->error, capacity, sizeof *t->error) || widen(&t->reason, capacity, sizeof *t->reason)) {
        return 1;
    }
    t->capacity = capacity;
    return 0;
}

static int append(told_values *t, const json_answer *answer)
{
    if (grow(t)) {
        free(answer->reason);
        return 1;
    }
    t->id[t->count] = answer->id;
    t->value[t->count] = answer->value;
    t->error[t->count] = answer->sigma;
    t->reason[t->count++] = answer->reason;
    return 0;
}

/* ---- Fields ----------------------------------------------------------------------------------------- */

/* What the first line has. A comma may be a decimal one, where there is something else that separates. */
static char find_separator(const char *line)
{
    static const char candidate[] = "\t;,";
    size_t k = 0;
    while (candidate[k] && !strchr(line, candidate[k])) {
        k++;
    }
    return (char)(candidate[k] ? candidate[k] : ' ');
}

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

static int wrong_quotes(const source *s, size_t index)
{
    return wrong_line(s, "field %zu: its quotes are not closed, or do not enclose all of it", index + 1);
}

/* Cuts a line into its fields. Those that are wanted go to `out`, and how many there are to *count. */
static int cut_line(const source *s, char *line, char *out[WANTED], size_t *count)
{
    size_t j = 0;
    for (char *at = line; at; j++) {
        char *text = take_field(&at, s->separator);
        if (!text) {
            return wrong_quotes(s, j);
        }
        for (size_t i = 0; i < WANTED; i++) {
            out[i] = s->column[i] == j ? text : out[i];
        }
    }
    *count = j;
    return 0;
}

/* ---- A table ---------------------------------------------------------------------------------------- */

/* Columns that are not read may be called alike. */
static int take_header(source *s, char *line)
{
    size_t j = 0;
    for (char *at = line; at; j++) {
        const char *text = take_field(&at, s->separator);
        for (size_t i = 0; i < WANTED && text; i++) {
            if (strcasecmp(text, names[i]) != 0) {
                continue;
            }
            if (s->column[i] != SIZE_MAX) {
                return wrong_line(s, "fields %zu and %zu are both called %s; which one is meant?",
                                  s->column[i] + 1, j + 1, names[i]);
            }
            s->column[i] = j;
        }
        if (!text) {
            return wrong_quotes(s, j);
        }
    }
    s->fields = j;
    return s->column[ID] == SIZE_MAX || s->column[VALUE] == SIZE_MAX
               ? wrong_line(s, "names columns, but not both id and value")
               : 0;
}

static int wrong_count(const source *s, size_t count)
{
    if (s->is_named) {
        return wrong_line(s,
                          "has %zu field%s, but line %zu names %zu; a number has no blanks in it, and a "
                          "decimal point, not a comma",
                          count, count == 1 ? "" : "s", s->first, s->fields);
    }
    return wrong_line(
        s,
        "has %zu field%s; without a line of names there are two, an id and a value. For more, begin "
        "with a line such as 'id,value,sigma'; a number has no blanks in it, and a decimal point, "
        "not a comma",
        count, count == 1 ? "" : "s");
}

/* What kind of number is meant, if it is none. */
static int wrong_field(const source *s, size_t which, const char *text, const char *what)
{
    return wrong_line(s, "field %zu (%s): '%.40s' is not %s%s", s->column[which] + 1, names[which], text,
                      what,
                      strpbrk(text, ", ") ? "; write 1000.5, with a decimal point and without blanks" : "");
}

static int is_one_of(const char *text, const char *const *list)
{
    while (*list && strcasecmp(text, *list) != 0) {
        list++;
    }
    return *list != NULL;
}

static int take_row(const source *s, char *line, told_values *out)
{
    static const char *const failed[] = {"nan", "-nan", "inf", "-inf", "null", "failed", "na", "", NULL};
    static const char *const unknown[] = {"nan", "", NULL};
    char *text[WANTED] = {0};
    size_t count = 0;
    double number;
    json_answer row = {.value = NAN, .sigma = NAN};
    if (cut_line(s, line, text, &count)) {
        return 1;
    }
    if (count != s->fields) {
        return wrong_count(s, count);
    }
    if (!number_parse(text[ID], &number) || !(number >= 0) || !(number < JSON_ID_END) ||
        number != floor(number)) {
        return wrong_field(s, ID, text[ID], "a whole number from 0 to 2^53 - 1");
    }
    row.id = (uint64_t)number;
    if (!is_one_of(text[VALUE], failed) && !number_parse(text[VALUE], &row.value)) {
        return wrong_field(s, VALUE, text[VALUE], "a number, nor nan for an evaluation that failed");
    }
    if (text[SIGMA] && !is_one_of(text[SIGMA], unknown) &&
        !(number_parse(text[SIGMA], &row.sigma) && row.sigma >= 0)) {
        return wrong_field(s, SIGMA, text[SIGMA], "a number from 0 on");
    }
    return append(out, &row);
}

/* The first line: names, or the first row, which is then read like the others. */
static int begin_table(source *s, char *line)
{
    const char *first = line + strspn(line, " \t\"");
    s->separator = find_separator(line);
    s->is_named = !strchr("0123456789+-.", *first);
    s->fields = 2;
    s->column[ID] = s->is_named ? SIZE_MAX : 0;
    s->column[VALUE] = s->is_named ? SIZE_MAX : 1;
    s->column[SIGMA] = SIZE_MAX;
    return s->is_named ? take_header(s, line) : 0;
}

/* ---- Lines --------------------------------------------------------------------------------------------- */

static int take_json(const source *s, const char *line, told_values *out)
{
    char why[256];
    json_answer answer;
    return json_answer_parse(line, &answer, why, sizeof why) ? wrong_line(s, "%s", why)
                                                             : append(out, &answer);
}

static int take_line(source *s, char *line, told_values *out)
{
    char *const end = strchr(line, '\r');
    if (end && end[1]) {
        return wrong_line(s,
                          "has a carriage return within it. If the lines of the file end with nothing else, "
                          "convert it: tr '\\r' '\\n' <FILE");
    }
    if (end) {
        *end = '\0';
    }
    const char *first = line + strspn(line, " \t");
    if (!*first || *first == '#') {
        return 0;
    }
    const format found = *first == '{' ? FORMAT_JSON : FORMAT_TABLE;
    const int is_first = s->format == FORMAT_UNKNOWN;
    if (!is_first && found != s->format) {
        return wrong_line(s,
                          found == FORMAT_JSON
                              ? "is JSON, but line %zu begins a table; a file has one format"
                              : "is not a JSON object, but line %zu is one; a file has one format",
                          s->first);
    }
    if (is_first) {
        s->format = found;
        s->first = s->line;
    }
    if (found == FORMAT_JSON) {
        return take_json(s, first, out);
    }
    if (is_first && begin_table(s, line)) {
        return 1;
    }
    return is_first && s->is_named ? 0 : take_row(s, line, out);
}

int told_read(told_values *out, FILE *stream, const char *name)
{
    static const char mark[] = "\xef\xbb\xbf"; /* of UTF-8, which some spreadsheets write */
    source s = {.name = name};
    char *line = NULL;
    size_t capacity = 0;
    const char *why = "";
    int status = 0;
    int more = 1;
    *out = (told_values){0};
    while (!status && (more = text_read_line(stream, &line, &capacity, &why)) > 0) {
        s.line++;
        const int is_marked = s.line == 1 && strncmp(line, mark, strlen(mark)) == 0;
        status = take_line(&s, line + (is_marked ? strlen(mark) : 0), out);
    }
    free(line);
    if (more < 0) {
        return ferror(stream) ? cli_fail("%s: cannot be read: %s", name, why)
                              : cli_fail("%s: line %zu: %s", name, s.line + 1, why);
    }
    return status;
}

void told_free(told_values *t)
{
    for (size_t i = 0; i < t->count; i++) {
        free(t->reason[i]);
    }
    free(t->id);
    free(t->value);
    free(t->error);
    free(t->reason);
}
