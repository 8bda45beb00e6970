/* Opening the problem of a search: a named one, the lander with its options, or a regression on a dataset
 * that is read from a file. A checksum of its numbers tells, when a run goes on, whether they are still those
 * it began with. */
#include "request/search_problem.h"

#include "options/suggest.h"
#include "request/search_program.h"
#include "terminal/cli.h"
#include "terminal/text.h"

#include <assert.h>
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
            return search_wrong_request(r, "--problem: %s", zilch_last_error());
        }
        suggestion_offer(&near, problem_names[i]);
    }
    suggestion_offer(&near, "linear");
    suggestion_offer(&near, "logistic");
    if (near.best) {
        return search_wrong_request(r, "--problem: unknown problem '%.*s'; did you mean '%s'?",
                                    (int)(length < 64 ? length : 64), name, near.best);
    }
    return search_wrong_request(r, "--problem: %s", zilch_last_error());
}

/* The problem with what options say: the first setting stands behind a colon, the others behind commas. The
 * library adds what is not said, and complains of what is said twice. */
static void name_make(const search_request *r, char out[NAME_SIZE])
{
    const double real[] = {r->lander.gravity, r->lander.wind_power, r->lander.turbulence_power};
    char text[3][ZILCH_NUMBER_SIZE];
    char count[2][24];
    for (int i = 0; i < 3; i++) {
        zilch_number_format(real[i], text[i]);
    }
    snprintf(count[0], sizeof count[0], "%llu", (unsigned long long)r->dim);
    snprintf(count[1], sizeof count[1], "%llu", (unsigned long long)r->episodes);
    const struct {
        unsigned is_said;
        const char *name, *value;
    } settings[] = {{r->dim != UINT64_MAX, "dim", count[0]},
                    {r->said & SEARCH_EPISODES, "episodes", count[1]},
                    {r->said & SEARCH_SEEDS, "seeds", r->seeds ? "common" : "fresh"},
                    {r->said & SEARCH_GRAVITY, "gravity", text[0]},
                    {r->said & SEARCH_WIND, "wind", "1"},
                    {r->said & SEARCH_WIND_POWER, "wind_power", text[1]},
                    {r->said & SEARCH_TURBULENCE_POWER, "turbulence_power", text[2]}};
    snprintf(out, NAME_SIZE, "%s", r->problem);
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        const size_t used = strlen(out);
        if (settings[i].is_said) {
            snprintf(out + used, NAME_SIZE - used, "%s%s=%s", strchr(out, ':') ? "," : ":", settings[i].name,
                     settings[i].value);
        }
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

/* ---- What a study says of a problem -------------------------------------------------------------- */

/* What stands behind "name=" in "problem:name=value,..."; NULL if it does not. */
static const char *setting_find(const char *problem, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = strchr(problem, ':'); at; at = strchr(at + 1, ',')) {
        if (strncmp(at + 1, name, length) == 0 && at[1 + length] == '=') {
            return at + 2 + length;
        }
    }
    return NULL;
}

void search_problem_recognise(search_problem *out, const zilch_request *request)
{
    const char *text = request->problem;
    const char *response = setting_find(text, "response");
    const char *searched = setting_find(text, "searched");
    *out = (search_problem){.is_lander = search_problem_is_lander(text),
                            .is_regression = search_is_regression(text),
                            .names = request->coordinate_names,
                            .response = SIZE_MAX};
    if (out->is_regression && response && strtoull(response, NULL, 10) > 0) {
        out->response = (size_t)strtoull(response, NULL, 10) - 1;
        out->is_subset = searched && strncmp(searched, "subset", strlen("subset")) == 0;
    }
}

int search_problem_is_lander(const char *text)
{
    const size_t length = strcspn(text, ":");
    return length == strlen("lander") && strncmp(text, "lander", length) == 0;
}

static void setting_number(const char *text, const char *name, double *out)
{
    const char *value = setting_find(text, name);
    double number;
    if (value && zilch_number_scan(value, &number)) {
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

/* By name, else by number; the last without either. */
static int find_response(search_problem *p, const search_request *r)
{
    const dataset *t = &p->data;
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
    if (zilch_number_parse(r->response, &number) && number >= 1 && number <= (double)t->cols &&
        number == floor(number)) {
        p->response = (size_t)number - 1;
        return 0;
    }
    return search_wrong_request(r, "--response: '%s' is neither a column's name nor a number from 1 to %zu",
                                r->response, t->cols);
}

/* The library does not know the response's place among the columns, nor where the data are from. */
static int fail_regression(const search_problem *p, const search_request *r)
{
    zilch_error error = zilch_last_error_details();
    error.where = r->data;
    if (error.column != ZILCH_NOWHERE) {
        error.column = search_problem_column(p, error.column) - 1;
    } else if (error.row != ZILCH_NOWHERE) {
        error.column = p->response;
    }
    return cli_fail("%s", cli_error_format(&error, p->data.names));
}

static int open_regression(search_problem *p, const search_request *r, zilch_regression kind)
{
    const dataset *t = &p->data;
    zilch_regression_options o = zilch_regression_defaults();
    o.kind = kind;
    o.searched = (zilch_searched)r->searched;
    o.validation = r->validation;
    double *x = malloc((t->rows * t->cols + 1) * sizeof *x); /* the response behind the others; never empty */
    if (!x) {
        return cli_fail("out of memory");
    }
    double *y = x + t->rows * (t->cols - 1);
    assert(t->cols > 1);
    for (size_t i = 0; i < t->rows * t->cols; i++) {
        const size_t row = i / t->cols;
        const size_t column = i % t->cols;
        if (column == p->response) {
            y[row] = t->x[i];
        } else {
            x[row * (t->cols - 1) + column - (column > p->response)] = t->x[i];
        }
    }
    const zilch_status status =
        zilch_problem_regression(&p->problem, t->rows, t->cols - 1, x, y, &o, r->seed);
    free(x);
    return status == ZILCH_OK ? 0 : fail_regression(p, r);
}

static int read_data(search_problem *p, const search_request *r)
{
    const dataset *t = &p->data;
    uint64_t hash = ZILCH_FINGERPRINT_BEGIN;
    dataset_error error;
    if (dataset_read_file(&p->data, r->data, 1, &error)) {
        return cli_fail("%s", error.text);
    }
    if (t->cols < 2) {
        return cli_fail("%s: has one column: a regression needs one to be explained and at least one to "
                        "explain it by; is the separator comma, tab, semicolon or blank?",
                        r->data);
    }
    hash = zilch_fingerprint(hash, &t->rows, sizeof t->rows);
    hash = zilch_fingerprint(hash, &t->cols, sizeof t->cols);
    hash = zilch_fingerprint(hash, t->x, t->rows * t->cols * sizeof *t->x);
    snprintf(p->fingerprint, sizeof p->fingerprint, "%016llx", (unsigned long long)hash);
    p->is_changed = r->fingerprint && strcmp(p->fingerprint, r->fingerprint) != 0;
    return p->is_changed ? CLI_FAILED : 0;
}

static int open_data(search_problem *p, const search_request *r, zilch_regression kind)
{
    char share[ZILCH_NUMBER_SIZE];
    int status = read_data(p, r);
    status = status ? status : find_response(p, r);
    status = status ? status : open_regression(p, r, kind);
    if (status) {
        return status;
    }
    p->is_regression = 1;
    p->is_subset = r->searched == ZILCH_SEARCHED_SUBSET;
    describe(p);
    zilch_number_format(r->validation, share);
    p->text = malloc(NAME_SIZE);
    if (!p->text) {
        return cli_fail("out of memory");
    }
    snprintf(p->text, NAME_SIZE, "%s:response=%zu,searched=%s,validation=%s", p->info.name, p->response + 1,
             zilch_searched_name((zilch_searched)r->searched), share);
    return 0;
}

int search_problem_open(search_problem *out, const search_request *r)
{
    char name[32];
    zilch_regression kind;
    *out = (search_problem){0};
    snprintf(name, sizeof name, "%.*s", r->program ? 0 : (int)strcspn(r->problem, ":"),
             r->program ? "" : r->problem);
    const int status = r->program                                        ? search_program_open(out, r)
                       : zilch_regression_parse(name, &kind) == ZILCH_OK ? open_data(out, r, kind)
                                                                         : open_named(out, r);
    return status ? status : search_problem_name(out, r);
}

/* Ends a name where the next comma is, and gives what is behind that comma; end_of_names if there is none. A
 * name in double quotes, as in CSV, may have commas, and "" is one quote in it. NULL: its quotes are wrong.
 */
static char end_of_names[] = "";

static char *cut_name(char *name)
{
    char *from = name;
    char *to = name;
    if (*from == '"') {
        for (from++; *from && (*from != '"' || from[1] == '"'); from++) {
            from += *from == '"';
            *to++ = *from;
        }
        if (*from++ != '"' || (*from && *from != ',')) {
            return NULL;
        }
    } else {
        from = to = name + strcspn(name, ",");
    }
    char *const next = *from ? from + 1 : end_of_names;
    *to = '\0';
    return next;
}

/* "a,b,c", of which the commas become ends. 0 if there are not as many as coordinates, or one is empty. */
static int split_names(search_problem *p)
{
    size_t count = 0;
    for (char *at = p->name_text; at; count++) {
        char *const name = at;
        at = cut_name(name);
        if (count >= p->info.dim || !at || !*name) {
            return 0;
        }
        p->own_names[count] = name;
        at = at == end_of_names ? NULL : at;
    }
    return count == p->info.dim;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* A name that two have; NULL: there is none, or no memory to look for it. */
static const char *find_double(size_t count, const char *const *names)
{
    const char **sorted = malloc(count * sizeof *sorted);
    const char *found = NULL;
    if (sorted) {
        memcpy(sorted, names, count * sizeof *sorted);
        qsort(sorted, count, sizeof *sorted, by_text);
    }
    for (size_t i = 1; i < count && sorted && !found; i++) {
        found = strcmp(sorted[i - 1], sorted[i]) == 0 ? sorted[i] : NULL;
    }
    free(sorted);
    return found;
}

int search_problem_name(search_problem *p, const search_request *r)
{
    if (!r->names && !p->data.names) {
        return 0;
    }
    if (r->names && p->data.names) {
        return search_wrong_usage(r->command, "--names: the columns of the data have names");
    }
    p->own_names = calloc(p->info.dim, sizeof *p->own_names);
    p->name_text = r->names ? strdup(r->names) : NULL;
    if (!p->own_names || (r->names && !p->name_text)) {
        return cli_fail("out of memory");
    }
    for (size_t i = 0; i < p->info.dim && !r->names; i++) {
        p->own_names[i] = p->data.names[search_problem_column(p, i) - 1];
    }
    if (r->names && !split_names(p)) {
        return search_wrong_usage(r->command, "--names: %zu names must be given, separated by commas",
                                  p->info.dim);
    }
    const char *doubled = r->names ? find_double(p->info.dim, p->own_names) : NULL;
    if (doubled) {
        return search_wrong_usage(r->command, "--names: two coordinates are called '%s'", doubled);
    }
    p->names = p->own_names;
    return 0;
}

int search_problem_start(search_problem *p, const search_request *r)
{
    return p->program ? search_program_start(p, r) : 0;
}

void search_problem_close(search_problem *p)
{
    search_program_close(p->program);
    zilch_problem_close(p->problem);
    dataset_free(&p->data);
    free(p->own_names);
    free(p->name_text);
    free(p->text);
}

/* ---- A point in words ---------------------------------------------------------------------------- */

size_t search_problem_column(const search_problem *p, size_t index)
{
    return index + (index >= p->response) + 1;
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

static int print_regression(const search_problem *p, const double *x, FILE *stream)
{
    const int is_logistic = strcmp(p->info.name, "logistic") == 0;
    const char *error = is_logistic ? "mean log loss" : "mean squared error";
    const char *score = is_logistic ? "accuracy" : "R^2";
    zilch_regression_fit fit;
    char number[ZILCH_NUMBER_SIZE];
    double *coefficient = search_problem_fit(p, x, &fit);
    if (!coefficient) {
        return CLI_FAILED;
    }
    zilch_number_format(fit.intercept, number);
    fprintf(stream, "intercept: %s\n", number);
    for (size_t i = 0; i < p->info.dim; i++) {
        const size_t column = search_problem_column(p, i);
        zilch_number_format(coefficient[i], number);
        if (coefficient[i] != 0 && p->data.names) {
            text_put_between(stream, "", p->data.names[column - 1], ": ");
            fprintf(stream, "%s\n", number);
        } else if (coefficient[i] != 0) {
            fprintf(stream, "column %zu: %s\n", column, number);
        }
    }
    fprintf(stream, "training: %s %.6g, %s %.6g\n", error, fit.training_error, score, fit.training_score);
    fprintf(stream, "validation: %s %.6g, %s %.6g\n", error, fit.validation_error, score,
            fit.validation_score);
    free(coefficient);
    return 0;
}

/* A regression whose data are not at hand is told by what was searched: its columns, by name or by number. */
int search_point_print(const search_problem *p, size_t dim, const double *x, size_t most, FILE *stream)
{
    char number[ZILCH_NUMBER_SIZE];
    size_t active = 0;
    if (p->is_lander && dim == ZILCH_POLICY_PARAMETERS) {
        return print_controller(x, stream);
    }
    if (p->is_regression && p->problem) {
        return print_regression(p, x, stream);
    }
    for (size_t i = 0; i < dim; i++) {
        const double usual = p->defaults ? p->defaults[i] : 0.0;
        if (x[i] == usual || (active++ >= most && !p->is_regression)) {
            continue;
        }
        char name[32];
        zilch_number_format(x[i], number);
        snprintf(name, sizeof name, "x%zu", i + 1);
        if (p->is_regression && p->names) {
            text_put_between(stream, "", p->names[i], ": ");
        } else if (p->is_regression) {
            fprintf(stream, "column %zu: ", search_problem_column(p, i));
        } else {
            text_put_between(stream, "", p->names ? p->names[i] : name, " = ");
        }
        fprintf(stream, "%s%s", p->is_subset ? "used" : number,
                p->is_regression && !p->is_subset ? " where it is standardised" : "");
        if (p->defaults) {
            zilch_number_format(usual, number);
            fprintf(stream, ", not %s", number);
        }
        fputc('\n', stream);
    }
    if (active > most && !p->is_regression) {
        fprintf(stream, "... %zu in all (zilch best STUDY prints them)\n", active);
    }
    return 0;
}
