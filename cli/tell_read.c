/* Values from lines of JSON, {"id":7,"value":3.25}, or from a table whose fields are separated by commas,
 * semicolons, tabs or blanks. With a line of names, the columns id, value and sigma are read, and the others,
 * such as the coordinates that 'zilch ask' wrote, are not looked at; without, they are the first two or
 * three. */
#include "tell_read.h"

#include "cli.h"
#include "json.h"
#include "number.h"
#include "text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { ID, VALUE, SIGMA, WANTED };

typedef struct source {
    const char *name;
    size_t line;
    size_t column[WANTED]; /* of a table, from 0; SIZE_MAX: not there */
} source;

static int wrong_line(const source *s, const char *why)
{
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

/* ---- A table ---------------------------------------------------------------------------------------- */

static const char separators[] = ",;\t \r";

static const char *first_field(const char *line)
{
    return line + strspn(line, " \r");
}

/* The field behind this one, NULL if there is none. Commas, semicolons and tabs may have nothing between
 * them; blanks are just blanks. */
static const char *next_field(const char *at)
{
    at += strcspn(at, separators);
    at += strspn(at, " \r");
    if (!*at) {
        return NULL;
    }
    at += strspn(at, ",;\t") ? 1 : 0;
    return at + strspn(at, " \r");
}

/* Without the quotes around it. */
static void copy_field(const char *at, char *out, size_t size)
{
    size_t length = strcspn(at, separators);
    if (length >= 2 && *at == '"' && at[length - 1] == '"') {
        at++;
        length -= 2;
    }
    snprintf(out, size, "%.*s", (int)(length < size ? length : size - 1), at);
}

/* The field of that number; NULL if there are fewer. */
static const char *field(const char *line, size_t index, char *out, size_t size)
{
    const char *at = first_field(line);
    for (size_t i = 0; at && i < index; i++) {
        at = next_field(at);
    }
    if (at) {
        copy_field(at, out, size);
    }
    return at;
}

static int take_header(source *s, const char *line)
{
    static const char *const names[WANTED] = {"id", "value", "sigma"};
    char text[64];
    size_t j = 0;
    for (size_t i = 0; i < WANTED; i++) {
        s->column[i] = SIZE_MAX;
    }
    for (const char *at = first_field(line); at; at = next_field(at), j++) {
        copy_field(at, text, sizeof text);
        for (size_t i = 0; i < WANTED; i++) {
            s->column[i] = strcasecmp(text, names[i]) == 0 ? j : s->column[i];
        }
    }
    return s->column[ID] == SIZE_MAX || s->column[VALUE] == SIZE_MAX
               ? wrong_line(s, "names columns, but not both id and value")
               : 0;
}

/* Not a number is a failed evaluation, if it says so in a usual way. */
static int take_value(const source *s, const char *text, double *out)
{
    static const char *const failed[] = {"nan", "-nan", "inf", "-inf", "null", "failed", "na", ""};
    for (size_t i = 0; i < sizeof failed / sizeof *failed; i++) {
        if (strcasecmp(text, failed[i]) == 0) {
            return 0;
        }
    }
    return number_parse(text, out) ? 0
                                   : wrong_line(s, "its value is not a number, nor nan for one that failed");
}

static int take_row(const source *s, const char *line, told_values *out)
{
    char text[64];
    double number;
    json_answer row = {.value = NAN, .sigma = NAN};
    if (!field(line, s->column[ID], text, sizeof text) || !number_parse(text, &number) || !(number >= 0) ||
        !(number < 0x1p62) || number != floor(number)) {
        return wrong_line(s, "has no id, a whole number");
    }
    row.id = (uint64_t)number;
    if (!field(line, s->column[VALUE], text, sizeof text)) {
        return wrong_line(s, "has no value");
    }
    if (take_value(s, text, &row.value)) {
        return 1;
    }
    if (s->column[SIGMA] != SIZE_MAX && field(line, s->column[SIGMA], text, sizeof text) && *text &&
        strcasecmp(text, "nan") != 0 && !(number_parse(text, &row.sigma) && row.sigma >= 0)) {
        return wrong_line(s, "its sigma is not a number from 0 on");
    }
    return append(out, &row);
}

/* ---- Lines --------------------------------------------------------------------------------------------- */

static int take_line(source *s, const char *line, told_values *out, int *is_begun)
{
    char why[256];
    const char *first = line + strspn(line, separators);
    if (!*first || *first == '#') {
        return 0;
    }
    if (*first == '{') {
        json_answer answer;
        return json_answer_parse(first, &answer, why, sizeof why) ? wrong_line(s, why) : append(out, &answer);
    }
    const int is_header = !*is_begun && !strchr("0123456789+-.", *first);
    *is_begun = 1;
    return is_header ? take_header(s, line) : take_row(s, line, out);
}

int told_read(told_values *out, FILE *stream, const char *name)
{
    source s = {.name = name, .column = {0, 1, 2}};
    char *line = NULL;
    size_t capacity = 0;
    const char *why = "";
    int is_begun = 0;
    int status = 0;
    int more = 1;
    *out = (told_values){0};
    while (!status && (more = text_read_line(stream, &line, &capacity, &why)) > 0) {
        s.line++;
        status = take_line(&s, line, out, &is_begun);
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
