/* Coordinates beside a value, in a table or in JSON. What is read here was checked to be JSON before. */
#include "parallel/answer_point.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_SIZE = 1024 };

/* Digits alone, as a number below dim + first; SIZE_MAX: something else. */
static size_t read_index(const char *text, size_t first, size_t dim)
{
    const size_t digits = strspn(text, "0123456789");
    const int is_plain = digits && !text[digits] && (*text != '0' || digits == 1);
    const unsigned long long number = is_plain && digits < 16 ? strtoull(text, NULL, 10) : 0;
    return is_plain && digits < 16 && number >= first && number - first < dim ? (size_t)number - first
                                                                              : SIZE_MAX;
}

static size_t find_name(const zi_coordinates *c, const char *text, size_t likely)
{
    if (c->names && likely < c->dim && strcmp(text, c->names[likely]) == 0) {
        return likely;
    }
    for (size_t i = 0; c->names && i < c->dim; i++) {
        if (strcmp(text, c->names[i]) == 0) {
            return i;
        }
    }
    return SIZE_MAX;
}

size_t zi_coordinate_find(const zi_coordinates *c, const char *text, size_t likely)
{
    const size_t named = find_name(c, text, likely);
    return named == SIZE_MAX && (*text == 'x' || *text == 'X') ? read_index(text + 1, 1, c->dim) : named;
}

/* ---- JSON --------------------------------------------------------------------------------------------- */

static int stop(zi_json_fault *fault, const char *at, const char *why)
{
    *fault = (zi_json_fault){at, why};
    return 0;
}

static const char *skip_blanks(const char *at)
{
    return at + strspn(at, " \t\r\n");
}

static const char *skip_string(const char *at)
{
    for (at++; *at != '"'; at++) {
        at += *at == '\\';
    }
    return at + 1;
}

/* A number to *x; gives what is behind it, NULL if something else is there. */
static const char *take_number(const char *at, double *x)
{
    char *end;
    if (!strchr("-0123456789", *at)) {
        return NULL;
    }
    *x = strtod(at, &end);
    return skip_blanks(end);
}

static int read_array(const zi_coordinates *c, const char *at, double *x, zi_json_fault *fault)
{
    size_t count = 0;
    for (at = skip_blanks(at + 1); *at != ']'; count++) {
        double number;
        const char *behind = take_number(at, &number);
        if (!behind) {
            return stop(fault, at, "a coordinate is a number");
        }
        if (count == c->dim) {
            return stop(fault, at, "the run has fewer coordinates");
        }
        x[count] = number;
        at = *behind == ',' ? skip_blanks(behind + 1) : behind;
    }
    return count == c->dim ? 1 : stop(fault, at, "the run has more coordinates");
}

static int read_object(const zi_coordinates *c, const char *at, double *x, zi_json_fault *fault)
{
    size_t likely = 0;
    for (at = skip_blanks(at + 1); *at != '}';) {
        char name[NAME_SIZE];
        const zi_json_member key = {.text = at};
        zi_json_string(&key, name, sizeof name);
        size_t which = find_name(c, name, likely);
        which = which == SIZE_MAX ? read_index(name, 0, c->dim) : which;
        if (which == SIZE_MAX) {
            return stop(fault, at, "the run has no coordinate of this name or number, counted from 0");
        }
        at = skip_blanks(skip_blanks(skip_string(at)) + 1); /* a colon is between */
        const char *behind = take_number(at, &x[which]);
        if (!behind) {
            return stop(fault, at, "a coordinate is a number");
        }
        at = *behind == ',' ? skip_blanks(behind + 1) : behind;
        likely = which + 1;
    }
    return 1;
}

int zi_point_read(const zi_coordinates *c, const char *line, double *x, int *is_said, zi_json_fault *fault)
{
    enum { X, ACTIVE, MEMBERS };
    zi_json_member member[MEMBERS] = {[X] = {.name = "x"}, [ACTIVE] = {.name = "active"}};
    assert(c->dim);
    *is_said = 0;
    if (!zi_json_read(line, MEMBERS, member, fault)) {
        return 0;
    }
    const int is_x = member[X].kind != ZI_JSON_ABSENT && member[X].kind != ZI_JSON_NULL;
    const int is_active = member[ACTIVE].kind != ZI_JSON_ABSENT && member[ACTIVE].kind != ZI_JSON_NULL;
    const zi_json_member *said = is_x ? &member[X] : &member[ACTIVE];
    *is_said = is_x || is_active;
    if (!*is_said) {
        return 1;
    }
    if (is_x && is_active) {
        return stop(fault, member[ACTIVE].text, "a point is said once, in \"x\" or in \"active\"");
    }
    for (size_t i = 0; i < c->dim; i++) {
        x[i] = is_active ? -0.0 : NAN;
    }
    if (said->kind == ZI_JSON_OTHER && *said->text == '[' && is_x) {
        return read_array(c, said->text, x, fault);
    }
    return said->kind == ZI_JSON_OTHER && *said->text == '{'
               ? read_object(c, said->text, x, fault)
               : stop(fault, said->text,
                      is_x ? "\"x\" is an array of numbers, one for each coordinate"
                           : "\"active\" is an object of coordinates");
}
