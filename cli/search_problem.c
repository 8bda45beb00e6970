/* Opening the problem of a search: a named one, the lander with its options, or a regression on a table that
 * is read from a file. A checksum of the table's numbers tells, when a run goes on, whether they are still
 * those it began with. */
#include "search_problem.h"

#include "cli.h"
#include "number.h"
#include "search_program.h"
#include "suggest.h"
#include "text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_SIZE = 1024 };

/* ---- Named problems ------------------------------------------------------------------------ */

#define X(name, about) #name,
static const char *const problem_names[] = {ZILCH_PROBLEM_LIST(X)};
#undef X
enum { PROBLEMS = sizeof problem_names / sizeof *problem_names };

/* The library says what it does not know; here is what may have been meant. */
static int wrong_problem(const search_request *r, const char *name)
{
    const size_t length = strcspn(name, ":");
    suggestion near = suggestion_for(name, length);
    for (size_t i = 0; i < PROBLEMS; i++) {
        if (strlen(problem_names[i]) == length && strncmp(problem_names[i], name, length) == 0) {
            return search_wrong_usage(r->command, "--problem: %s", zilch_last_error());
        }
        suggestion_offer(&near, problem_names[i]);
    }
    suggestion_offer(&near, "linear");
    suggestion_offer(&near, "logistic");
    if (near.best) {
        return search_wrong_usage(r->command, "--problem: unknown problem '%.*s'; did you mean '%s'?",
                                  (int)(length < 64 ? length : 64), name, near.best);
    }
    return search_wrong_usage(r->command, "--problem: %s", zilch_last_error());
}

/* A name that grows by settings: the first behind a colon, the others behind commas. */
static void name_add(char name[NAME_SIZE], const char *setting, const char *value)
{
    const size_t used = strlen(name);
    snprintf(name + used, NAME_SIZE - used, "%s%s=%s", strchr(name, ':') ? "," : ":", setting, value);
}

static void name_add_count(char name[NAME_SIZE], const char *setting, uint64_t value)
{
    char digits[24];
    snprintf(digits, sizeof digits, "%llu", (unsigned long long)value);
    name_add(name, setting, digits);
}

static void name_add_real(char name[NAME_SIZE], const char *setting, double value)
{
    char number[NUMBER_SIZE];
    number_format(value, number);
    name_add(name, setting, number);
}

/* The library adds what is not said, and complains of what is said twice. */
static void name_make(const search_request *r, char out[NAME_SIZE])
{
    const zilch_lander_options *o = &r->lander;
    snprintf(out, NAME_SIZE, "%s", r->problem);
    if (r->dim != UINT64_MAX) {
        name_add_count(out, "dim", r->dim);
    }
    if (r->said & SEARCH_EPISODES) {
        name_add_count(out, "episodes", r->episodes);
    }
    if (r->said & SEARCH_SEEDS) {
        name_add(out, "seeds", r->seeds ? "common" : "fresh");
    }
    if (r->said & SEARCH_GRAVITY) {
        name_add_real(out, "gravity", o->gravity);
    }
    if (r->said & SEARCH_WIND) {
        name_add(out, "wind", "1");
    }
    if (r->said & SEARCH_WIND_POWER) {
        name_add_real(out, "wind_power", o->wind_power);
    }
    if (r->said & SEARCH_TURBULENCE_POWER) {
        name_add_real(out, "turbulence_power", o->turbulence_power);
    }
}

/* After it is open. */
static void describe(search_problem *p)
{
    p->objective = zilch_problem_objective;
    p->context = p->problem;
    p->info = zilch_problem_describe(p->problem);
}

static int open_named(search_problem *p, const search_request *r)
{
    char name[NAME_SIZE];
    name_make(r, name);
    const zilch_status status = zilch_problem_open(&p->problem, name, r->seed);
    if (status != ZILCH_OK) {
        return status == ZILCH_EARG ? wrong_problem(r, name) : cli_fail_library();
    }
    describe(p);
    p->text = strdup(p->info.setting);
    p->is_lander = strcmp(p->info.name, "lander") == 0;
    return p->text ? 0 : cli_fail("out of memory");
}

/* ---- What a problem's text says -------------------------------------------------------------- */

/* The data's name may hold anything; what follows it does not hold a comma. */
static const char *last_setting(const char *text, const char *name)
{
    const char *found = NULL;
    for (const char *at = strstr(text, name); at; at = strstr(at + 1, name)) {
        found = at + strlen(name);
    }
    return found;
}

void search_problem_recognise(search_problem *out, const char *text)
{
    *out = (search_problem){.is_lander = search_problem_is_lander(text),
                            .is_regression = search_is_regression(text)};
    const char *response = out->is_regression ? last_setting(text, ",response=") : NULL;
    const char *searched = response ? strchr(response, ',') : NULL;
    const unsigned long long number = response ? strtoull(response, NULL, 10) : 0;
    out->response = number > 0 ? (size_t)number - 1 : SIZE_MAX;
    out->is_subset = searched && strncmp(searched, ",searched=subset", strlen(",searched=subset")) == 0;
}

int search_problem_is_same(const char *a, const char *b)
{
    const char *behind_a = search_is_regression(a) ? last_setting(a, ",response=") : NULL;
    const char *behind_b = search_is_regression(b) ? last_setting(b, ",response=") : NULL;
    if (!behind_a || !behind_b) {
        return strcmp(a, b) == 0;
    }
    const size_t name = strcspn(a, ":") + 1;
    return strncmp(a, b, name) == 0 && strcmp(behind_a, behind_b) == 0;
}

int search_problem_is_lander(const char *text)
{
    const size_t length = strcspn(text, ":");
    return length == strlen("lander") && strncmp(text, "lander", length) == 0;
}

static void setting_number(const char *text, const char *name, double *out)
{
    const char *value = search_setting_find(text, name);
    double number;
    if (value && number_scan(value, &number)) {
        *out = number;
    }
}

zilch_lander_options search_problem_lander(const char *text)
{
    zilch_lander_options o = zilch_lander_defaults();
    double wind = 0;
    setting_number(text, "wind", &wind);
    o.wind = wind != 0;
    setting_number(text, "gravity", &o.gravity);
    setting_number(text, "wind_power", &o.wind_power);
    setting_number(text, "turbulence_power", &o.turbulence_power);
    return o;
}

/* ---- Regression -------------------------------------------------------------------------------- */

/* FNV-1a, of 64 bits. */
static uint64_t hash_bytes(uint64_t hash, const void *data, size_t size)
{
    const unsigned char *byte = data;
    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ byte[i]) * UINT64_C(0x100000001b3);
    }
    return hash;
}

static void table_checksum(const table *t, char out[17])
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    hash = hash_bytes(hash, &t->rows, sizeof t->rows);
    hash = hash_bytes(hash, &t->cols, sizeof t->cols);
    hash = hash_bytes(hash, t->x, t->rows * t->cols * sizeof *t->x);
    snprintf(out, 17, "%016llx", (unsigned long long)hash);
}

/* By name, else by number; the last without either. */
static int find_response(search_problem *p, const search_request *r)
{
    const table *t = &p->data;
    double number;
    p->response = t->cols - 1;
    if (!r->response) {
        return 0;
    }
    for (size_t j = 0; t->names && j < t->cols; j++) {
        if (strcmp(t->names[j], r->response) == 0) {
            p->response = j;
            return 0;
        }
    }
    if (number_parse(r->response, &number) && number >= 1 && number <= (double)t->cols &&
        number == floor(number)) {
        p->response = (size_t)number - 1;
        return 0;
    }
    return search_wrong_usage(r->command,
                              "--response: '%s' is neither a column's name nor a number from 1 to %zu",
                              r->response, t->cols);
}

/* The response apart from the other columns. */
static void split(const search_problem *p, double *x, double *y)
{
    const table *t = &p->data;
    for (size_t i = 0; i < t->rows; i++) {
        const double *row = t->x + i * t->cols;
        for (size_t j = 0; j < t->cols; j++) {
            if (j != p->response) {
                *x++ = row[j];
            }
        }
        y[i] = row[p->response];
    }
}

/* The library does not know the response's place among the columns. */
static int fail_regression(const search_problem *p, const search_request *r)
{
    static const char word[] = "regression: column ";
    const char *error = zilch_last_error();
    if (strncmp(error, word, strlen(word)) == 0) {
        char *rest;
        const size_t column = (size_t)strtoull(error + strlen(word), &rest, 10);
        const char *behind = strstr(rest, ") ");
        return cli_fail("%s: column %zu %s", r->data, column + (column >= p->response) + 1,
                        behind ? behind + 2 : rest);
    }
    return cli_fail("%s: %s", r->data, cli_error_text());
}

static int open_regression(search_problem *p, const search_request *r, zilch_regression kind)
{
    const table *t = &p->data;
    zilch_regression_options o = zilch_regression_defaults();
    o.kind = kind;
    o.searched = (zilch_searched)r->searched;
    o.validation = r->validation;
    double *x = malloc(t->rows * t->cols * sizeof *x); /* the response behind the others */
    if (!x) {
        return cli_fail("out of memory");
    }
    double *y = x + t->rows * (t->cols - 1);
    split(p, x, y);
    const zilch_status status =
        zilch_problem_regression(&p->problem, t->rows, t->cols - 1, x, y, &o, r->seed);
    free(x);
    return status == ZILCH_OK ? 0 : fail_regression(p, r);
}

static int read_data(search_problem *p, const search_request *r)
{
    table_error error;
    if (table_read_file(&p->data, r->data, 1, &error)) {
        return cli_fail("%s", error.text);
    }
    if (p->data.cols < 2) {
        return cli_fail("%s: has one column: a regression needs one to be explained and at least one to "
                        "explain it by; is the separator comma, tab, semicolon or blank?",
                        r->data);
    }
    table_checksum(&p->data, p->checksum);
    p->is_changed = r->checksum && strcmp(p->checksum, r->checksum) != 0;
    return p->is_changed ? CLI_FAILED : 0;
}

static int open_data(search_problem *p, const search_request *r, zilch_regression kind)
{
    char share[NUMBER_SIZE];
    int status = read_data(p, r);
    if (!status) {
        status = find_response(p, r);
    }
    if (!status) {
        status = open_regression(p, r, kind);
    }
    if (status) {
        return status;
    }
    p->is_regression = 1;
    p->is_subset = r->searched == ZILCH_SEARCHED_SUBSET;
    describe(p);
    number_format(r->validation, share);
    const size_t size = strlen(r->data) + NAME_SIZE;
    p->text = malloc(size);
    if (!p->text) {
        return cli_fail("out of memory");
    }
    snprintf(p->text, size, "%s:data=%s,response=%zu,searched=%s,validation=%s", p->info.name, r->data,
             p->response + 1, zilch_searched_name((zilch_searched)r->searched), share);
    return 0;
}

int search_problem_open(search_problem *out, const search_request *r)
{
    zilch_regression kind;
    *out = (search_problem){0};
    if (r->program) {
        return search_program_open(out, r);
    }
    return zilch_regression_parse(r->problem, &kind) == ZILCH_OK ? open_data(out, r, kind)
                                                                 : open_named(out, r);
}

int search_problem_start(search_problem *p, const search_request *r)
{
    return p->program ? search_program_start(p, r) : 0;
}

void search_problem_close(search_problem *p)
{
    search_program_close(p->program);
    zilch_problem_close(p->problem);
    table_free(&p->data);
    free(p->text);
}

/* ---- A point in words ---------------------------------------------------------------------------- */

static int print_controller(const double *x, FILE *stream)
{
    size_t length;
    char *text = NULL;
    if (zilch_policy_format(x, NULL, 0, &length) == ZILCH_OK && (text = malloc(length + 1)) &&
        zilch_policy_format(x, text, length + 1, &length) == ZILCH_OK) {
        fputs(text, stream);
        fputs(length > 0 && text[length - 1] == '\n' ? "" : "\n", stream);
        free(text);
        return 0;
    }
    const int status = text ? cli_fail_library() : cli_fail("out of memory");
    free(text);
    return status;
}

static void print_coordinates(size_t dim, const double *x, size_t most, FILE *stream)
{
    char number[NUMBER_SIZE];
    size_t active = 0;
    for (size_t i = 0; i < dim; i++) {
        if (x[i] != 0 && active++ < most) {
            number_format(x[i], number);
            fprintf(stream, "x[%zu] = %s\n", i + 1, number);
        }
    }
    if (active > most) {
        fprintf(stream, "... %zu in all (zilch best STUDY prints them)\n", active);
    }
}

size_t search_problem_column(const search_problem *p, size_t index)
{
    return index + (index >= p->response) + 1;
}

/* Of a regression whose data are not at hand: what was searched, by the columns' numbers. */
static void print_columns(const search_problem *p, size_t dim, const double *x, FILE *stream)
{
    char number[NUMBER_SIZE];
    for (size_t i = 0; i < dim; i++) {
        if (x[i] != 0) {
            number_format(x[i], number);
            fprintf(stream, "column %zu: %s%s\n", search_problem_column(p, i), p->is_subset ? "used" : number,
                    p->is_subset ? "" : " where it is standardised");
        }
    }
}

static void print_coefficient(const search_problem *p, size_t index, double value, FILE *stream)
{
    const size_t column = search_problem_column(p, index);
    char number[NUMBER_SIZE];
    number_format(value, number);
    if (p->data.names) {
        text_put_between(stream, "", p->data.names[column - 1], ": ");
        fprintf(stream, "%s\n", number);
    } else {
        fprintf(stream, "column %zu: %s\n", column, number);
    }
}

static void print_errors(const search_problem *p, const zilch_regression_fit *fit, FILE *stream)
{
    const int is_logistic = strcmp(p->info.name, "logistic") == 0;
    const char *error = is_logistic ? "mean log loss" : "mean squared error";
    const char *score = is_logistic ? "told apart rightly" : "R^2";
    fprintf(stream, "training: %s %.6g, %s %.6g\n", error, fit->training_error, score, fit->training_score);
    fprintf(stream, "validation: %s %.6g, %s %.6g\n", error, fit->validation_error, score,
            fit->validation_score);
}

double *search_problem_fit(const search_problem *p, const double *x, zilch_regression_fit *fit)
{
    double *coefficient = malloc(p->info.dim * sizeof *coefficient);
    if (!coefficient) {
        cli_fail("out of memory");
    } else if (zilch_problem_fit(p->problem, x, coefficient, fit) != ZILCH_OK) {
        cli_fail_library();
        free(coefficient);
        coefficient = NULL;
    }
    return coefficient;
}

static int print_regression(const search_problem *p, const double *x, FILE *stream)
{
    zilch_regression_fit fit;
    char number[NUMBER_SIZE];
    double *coefficient = search_problem_fit(p, x, &fit);
    if (!coefficient) {
        return CLI_FAILED;
    }
    number_format(fit.intercept, number);
    fprintf(stream, "intercept: %s\n", number);
    for (size_t i = 0; i < p->info.dim; i++) {
        if (coefficient[i] != 0) {
            print_coefficient(p, i, coefficient[i], stream);
        }
    }
    print_errors(p, &fit, stream);
    free(coefficient);
    return 0;
}

int search_point_print(const search_problem *p, size_t dim, const double *x, size_t most, FILE *stream)
{
    if (p->is_lander && dim == ZILCH_POLICY_PARAMETERS) {
        return print_controller(x, stream);
    }
    if (p->is_regression && p->problem) {
        return print_regression(p, x, stream);
    }
    if (p->is_regression) {
        print_columns(p, dim, x, stream);
    } else {
        print_coordinates(dim, x, most, stream);
    }
    return 0;
}
