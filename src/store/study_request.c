/* What a run was asked for: kept as settings when it starts, and read back with it. */
#include "base/memory.h"
#include "base/option.h"
#include "search/optimizer.h"
#include "store/study.h"

#include <assert.h>
#include <string.h>

const char *zi_text_or_empty(const char *text)
{
    return text ? text : "";
}

/* ---- Writing ---------------------------------------------------------------------------------------- */

static zilch_status add_setting(zilch_study *study, uint64_t run, const zilch_setting *setting)
{
    zi_statement *add;
    ZI_TRY(zi_study_prepare(study, ZI_PUT_SETTING, &add));
    zi_bind_u64(add, run);
    zi_bind_text(add, zilch_setting_kind_name(setting->kind));
    zi_bind_text(add, setting->name);
    zi_bind_text(add, setting->value);
    return zi_statement_run(add);
}

/* The rows of a struct of options. */
static zilch_status add_options(zilch_study *study, uint64_t run, zilch_setting_kind kind,
                                const void *options)
{
    char text[ZILCH_OPTION_SIZE];
    size_t count;
    const zilch_option *row = zi_setting_rows(kind, &count);
    for (size_t i = 0; i < count; i++) {
        zilch_option_format(&row[i], options, text);
        const zilch_setting setting = {kind, row[i].name, text};
        ZI_TRY(add_setting(study, run, &setting));
    }
    return ZILCH_OK;
}

const zilch_option *zi_setting_rows(zilch_setting_kind kind, size_t *count)
{
    assert(kind <= ZILCH_SETTING_FINAL);
    return kind == ZILCH_SETTING_OPTION  ? zilch_optimizer_option_list(count)
           : kind == ZILCH_SETTING_LIMIT ? zilch_limit_list(count)
                                         : zilch_final_list(count);
}

zilch_status zi_request_write(zilch_study *study, uint64_t run, const zilch_request *request,
                              const zilch_optimizer *optimizer)
{
    const zilch_limits limits = request->limits ? *request->limits : zilch_limits_defaults();
    const zilch_final_options final =
        request->final ? *request->final : zilch_final_defaults(optimizer->options.method);
    zi_statement *add;
    ZI_TRY(add_options(study, run, ZILCH_SETTING_OPTION, &optimizer->options));
    ZI_TRY(add_options(study, run, ZILCH_SETTING_LIMIT, &limits));
    ZI_TRY(add_options(study, run, ZILCH_SETTING_FINAL, &final));
    for (size_t i = 0; i < request->settings; i++) {
        if (request->setting[i].kind == ZILCH_SETTING_PROBLEM ||
            request->setting[i].kind == ZILCH_SETTING_MEANS) {
            ZI_TRY(add_setting(study, run, &request->setting[i]));
        }
    }
    for (size_t i = 0; request->coordinate_names && i < optimizer->dim; i++) {
        ZI_TRY(zi_study_prepare(study, ZI_ADD_COORDINATE, &add));
        zi_bind_u64(add, run);
        zi_bind_u64(add, i);
        zi_bind_text(add, request->coordinate_names[i]);
        ZI_TRY(zi_statement_run(add));
    }
    return ZILCH_OK;
}

zilch_status zilch_study_set_limits(zilch_study *study, uint64_t run, const zilch_limits *limits)
{
    ZI_TRY(zi_study_check_writable(study, limits));
    ZI_TRY(zi_sql_begin(study->sql));
    return zi_sql_end(study->sql, add_options(study, run, ZILCH_SETTING_LIMIT, limits));
}

/* ---- Reading ---------------------------------------------------------------------------------------- */

void zi_request_free(zi_request *r)
{
    for (size_t i = 0; i < r->settings; i++) {
        zi_free((void *)r->setting[i].name);
    }
    for (size_t i = 0; i < r->names; i++) {
        zi_free((void *)r->name[i]);
    }
    zi_free(r->setting);
    zi_free(r->name);
    *r = (zi_request){0};
}

/* Copies of two texts, one behind the other; the first begins the memory. */
static zilch_status copy_texts(const char *first, const char *second, const char **a, const char **b)
{
    const size_t length = strlen(first) + 1;
    const size_t other = strlen(second) + 1;
    char *text;
    ZI_TRY(zi_alloc(&text, length + other));
    memcpy(text, first, length);
    memcpy(text + length, second, other);
    *a = text;
    *b = text + length;
    return ZILCH_OK;
}

static zilch_status read_setting(zi_statement *row, void *context)
{
    zi_request *r = context;
    zilch_setting setting = {.kind = ZILCH_SETTING_OPTION};
    row->is_sound &= zilch_setting_kind_parse(zi_column_text(row), &setting.kind) == ZILCH_OK;
    const char *name = zi_column_text(row);
    const char *value = zi_column_text(row);
    ZI_TRY(zi_columns_check(row, "a setting of a run", r->run));
    ZI_TRY(zi_grow(&r->setting, sizeof *r->setting, r->settings, r->settings + 1, &r->setting_capacity));
    ZI_TRY(copy_texts(name, value, &setting.name, &setting.value));
    r->setting[r->settings++] = setting;
    return ZILCH_OK;
}

static zilch_status read_name(zi_statement *row, void *context)
{
    zi_request *r = context;
    const char *end;
    row->is_sound &= zi_column_count(row) == r->names && r->names < r->dim;
    const char *name = zi_column_text(row);
    ZI_TRY(zi_columns_check(row, "a coordinate of run", r->run));
    ZI_TRY(zi_grow(&r->name, sizeof *r->name, r->names, r->names + 1, &r->name_capacity));
    ZI_TRY(copy_texts(name, "", &r->name[r->names], &end));
    r->names++;
    return ZILCH_OK;
}

/* The options of one kind from their settings. */
static zilch_status read_options(const zilch_study *study, const zi_request *r, zilch_setting_kind kind,
                                 void *options)
{
    size_t count;
    const zilch_option *row = zi_setting_rows(kind, &count);
    const zilch_request request = {.settings = r->settings, .setting = r->setting};
    for (size_t i = 0; i < count; i++) {
        const char *value = zilch_request_find(&request, kind, row[i].name);
        if (value && zilch_option_parse(&row[i], value, options) != ZILCH_OK) {
            return zi_sql_fail(study->sql, ZILCH_EFORMAT, "damaged: run %llu: its %s",
                               (unsigned long long)r->run, row[i].name);
        }
    }
    return ZILCH_OK;
}

/* A run without this limit was begun by zilch 0.1, which had no words for its default. */
static const uint64_t old_generations = 100;

zilch_status zi_request_read(zilch_study *study, uint64_t run, size_t dim, zilch_method method,
                             zi_request *out)
{
    *out = (zi_request){
        .run = run, .dim = dim, .limits = zilch_limits_defaults(), .final = zilch_final_defaults(method)};
    out->limits.generations = old_generations;
    ZI_TRY(zi_study_rows(study, "SELECT kind, name, value FROM settings WHERE run = ? ORDER BY kind, name",
                         run, read_setting, out));
    ZI_TRY(zi_study_rows(study, "SELECT coordinate, name FROM coordinates WHERE run = ? ORDER BY coordinate",
                         run, read_name, out));
    if (out->names && out->names != dim) {
        return zi_sql_fail(study->sql, ZILCH_EFORMAT, "damaged: run %llu: names of coordinates are missing",
                           (unsigned long long)run);
    }
    ZI_TRY(read_options(study, out, ZILCH_SETTING_LIMIT, &out->limits));
    return read_options(study, out, ZILCH_SETTING_FINAL, &out->final);
}

void zi_request_give(const zi_request *r, zilch_request *out)
{
    out->limits = &r->limits;
    out->final = &r->final;
    out->settings = r->settings;
    out->setting = r->setting;
    out->coordinate_names = r->names ? (const char *const *)r->name : NULL;
}

/* ---- Identity --------------------------------------------------------------------------------------- */

const char *zilch_request_find(const zilch_request *request, zilch_setting_kind kind, const char *name)
{
    for (size_t i = 0; request && name && i < request->settings; i++) {
        const zilch_setting *s = &request->setting[i];
        if (s->kind == kind && strcmp(s->name, name) == 0) {
            return s->value;
        }
    }
    return NULL;
}

static int is_text(const char *a, const char *b)
{
    return strcmp(zi_text_or_empty(a), zi_text_or_empty(b)) == 0;
}

/* Whether the options of one kind are those that the run has, but for the penalty, which runs have
 * themselves. What an earlier version did not keep is not compared. */
static int has_options(const zilch_run *run, zilch_setting_kind kind, const void *options)
{
    char text[ZILCH_OPTION_SIZE];
    size_t count;
    const zilch_option *row = zi_setting_rows(kind, &count);
    for (size_t i = 0; i < count; i++) {
        const char *value = zilch_request_find(&run->request, kind, row[i].name);
        zilch_option_format(&row[i], options, text);
        if (value && strcmp(value, text) != 0 && strcmp(row[i].name, "penalty") != 0) {
            return 0;
        }
    }
    return 1;
}

/* Whether each setting of a kind in `a` is in `b` too, but for the number of the penalty. */
static int has_settings(const zilch_request *a, const zilch_request *b, zilch_setting_kind kind)
{
    for (size_t i = 0; i < a->settings; i++) {
        const zilch_setting *s = &a->setting[i];
        const int is_penalty = s->kind == ZILCH_SETTING_OPTION && strcmp(s->name, "penalty") == 0;
        const char *value = s->kind == kind && !is_penalty ? zilch_request_find(b, kind, s->name) : s->value;
        if (!value || strcmp(value, s->value) != 0) {
            return 0;
        }
    }
    return 1;
}

/* Name, problem and data. */
static int is_same_subject(const zilch_request *a, const zilch_request *b)
{
    return is_text(a->name, b->name) && is_text(a->problem, b->problem) &&
           is_text(a->fingerprint, b->fingerprint) &&
           (*zi_text_or_empty(a->fingerprint) || is_text(a->data, b->data)) &&
           has_settings(a, b, ZILCH_SETTING_PROBLEM) && has_settings(b, a, ZILCH_SETTING_PROBLEM);
}

/* A penalty that nobody said is the problem's own, which may follow from the seed. */
static int has_own_penalty(const zilch_request *r)
{
    return is_text(zilch_request_find(r, ZILCH_SETTING_PROBLEM, "penalty"), "automatic");
}

double zi_run_first_penalty(const zilch_run *run)
{
    const char *text = zilch_request_find(&run->request, ZILCH_SETTING_OPTION, "penalty");
    double number;
    return text && zilch_number_parse(text, &number) ? number : run->penalty;
}

static int has_kept_penalty(const zilch_run *run)
{
    return run->penalty == zi_run_first_penalty(run);
}

int zilch_run_is_same(const zilch_run *a, const zilch_run *b)
{
    return is_same_subject(&a->request, &b->request) && a->dim == b->dim && a->method == b->method &&
           a->direction == b->direction &&
           (a->penalty == b->penalty ||
            (has_own_penalty(&a->request) && has_kept_penalty(a) && has_kept_penalty(b))) &&
           has_settings(&a->request, &b->request, ZILCH_SETTING_OPTION) &&
           has_settings(&b->request, &a->request, ZILCH_SETTING_OPTION) &&
           has_settings(&a->request, &b->request, ZILCH_SETTING_FINAL) &&
           has_settings(&b->request, &a->request, ZILCH_SETTING_FINAL);
}

int zilch_run_matches(const zilch_run *run, const zilch_request *request, const zilch_optimizer *optimizer)
{
    const zilch_optimizer_options *o = &optimizer->options;
    const zilch_final_options usual = zilch_final_defaults(o->method);
    return is_same_subject(&run->request, request) && run->dim == optimizer->dim &&
           run->method == o->method && run->direction == o->direction &&
           (run->penalty == o->penalty || zi_run_first_penalty(run) == o->penalty ||
            has_own_penalty(request)) &&
           has_options(run, ZILCH_SETTING_OPTION, o) &&
           has_options(run, ZILCH_SETTING_FINAL, request->final ? request->final : &usual);
}
