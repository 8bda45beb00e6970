/* A request as settings of a study, and back again; and in words, for other ranks. */
#include "request/search_table.h"
#include "terminal/cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A file is kept by its whole path. NULL without memory. */
static char *copy_value(const cli_option *row, const char *value)
{
    const int is_file = row->argument && strcmp(row->argument, "FILE") == 0;
    char *path = is_file ? realpath(value, NULL) : NULL;
    return path ? path : strdup(value);
}

/* A row's value as text: a text of any length itself, another value in the buffer. NULL: there is none. */
static const char *value_text(const cli_option *row, char buffer[CLI_VALUE_SIZE])
{
    if (row->kind == CLI_TEXT) {
        return *(const char *const *)row->value;
    }
    if (row->kind == CLI_REAL && isnan(*(const double *)row->value)) {
        return NULL;
    }
    cli_option_format(row, buffer);
    return buffer;
}

int search_settings_make(search_settings *out, const search_request *r)
{
    search_request request = *r;
    search_request usual = search_request_defaults(r->command, r->options.method);
    search_table t = {.count = 0};
    search_table u = {.count = 0};
    search_table_add_kept(&request, &t);
    search_table_add_kept(&usual, &u);
    *out = (search_settings){.count = 0};
    for (size_t k = 0; k < t.count; k++) {
        char buffer[CLI_VALUE_SIZE];
        char other[CLI_VALUE_SIZE];
        const size_t i = out->count;
        const char *value = value_text(&t.row[k], buffer);
        const char *same = value_text(&u.row[k], other);
        if (t.kind[k] == SEARCH_NOT_KEPT || !value || !*value || (same && strcmp(value, same) == 0)) {
            continue; /* what is as it always is says nothing */
        }
        snprintf(out->name[i], sizeof out->name[i], "%s", t.row[k].name);
        for (char *at = out->name[i]; (at = strchr(at, '-')) != NULL;) {
            *at = '_';
        }
        out->value[i] = copy_value(&t.row[k], value);
        if (!out->value[i]) {
            return cli_fail("out of memory");
        }
        out->setting[i] = (zilch_setting){(zilch_setting_kind)t.kind[k], out->name[i], out->value[i]};
        out->count++;
    }
    if (search_is_regression(r->problem) && !(r->said & SEARCH_PENALTY)) { /* it follows from the seed */
        out->setting[out->count++] = (zilch_setting){ZILCH_SETTING_PROBLEM, "penalty", "automatic"};
    }
    return 0;
}

void search_settings_free(search_settings *s)
{
    for (size_t i = 0; i < s->count; i++) {
        free(s->value[i]);
    }
    s->count = 0;
}

int search_request_restore(search_request *out, const zilch_run *run, char why[SEARCH_WHY])
{
    const zilch_request *kept = &run->request;
    search_table t = {.count = 0};
    *why = '\0';
    if (search_is_regression(kept->problem) && (!*kept->data || strcmp(kept->data, "-") == 0)) {
        snprintf(why, SEARCH_WHY, "it is a regression, but names no file with data");
        return 1;
    }
    *out = search_request_defaults("resume", run->method);
    out->problem = kept->problem;
    out->dim =
        search_is_regression(kept->problem) || !strcmp(kept->problem, "program") ? run->dim : UINT64_MAX;
    out->data = *kept->data ? kept->data : NULL;
    out->fingerprint = *kept->fingerprint ? kept->fingerprint : NULL;
    out->options.direction = run->direction;
    out->options.penalty = run->penalty;
    out->said = SEARCH_PENALTY;
    out->is_kept = 1;
    out->limits = *kept->limits;
    out->final = *kept->final;
    out->seed = run->seed;
    search_table_add_kept(out, &t);
    for (size_t i = 0; i < kept->settings; i++) {
        char name[SEARCH_NAME_SIZE];
        const zilch_setting *s = &kept->setting[i];
        if ((s->kind != ZILCH_SETTING_PROBLEM && s->kind != ZILCH_SETTING_MEANS) ||
            search_setting_is_own_penalty(s)) {
            continue;
        }
        search_name_with_dashes(s->name, name);
        const size_t k = search_table_find(&t, name);
        const char *renamed = zilch_option_renamed(s->name);
        if (k == t.count && s->kind == ZILCH_SETTING_MEANS && !renamed) {
            continue; /* of another command, such as 'zilch compare'; it changes no result */
        }
        if (k == t.count || t.kind[k] != (int)s->kind) {
            snprintf(why, SEARCH_WHY,
                     renamed ? "it uses %.64s, which this version no longer has; zilch 0.1 can go on with it"
                             : "it has the setting %.64s, which this command does not know",
                     s->name);
            return 1;
        }
        const char *value = t.row[k].kind == CLI_FLAG && strcmp(s->value, "no") == 0 ? NULL : s->value;
        if (value && cli_option_parse(&t.row[k], value) != ZILCH_OK) {
            snprintf(why, SEARCH_WHY, "its %.64s: %.300s", s->name, zilch_last_error());
            return 1;
        }
    }
    return 0;
}

char *search_request_words(const search_request *r, size_t *size)
{
    search_settings settings;
    char *text = NULL;
    FILE *stream = search_settings_make(&settings, r) ? NULL : open_memstream(&text, size);
    const int is_regression = search_is_regression(r->problem);
    if (!stream) {
        search_settings_free(&settings);
        return NULL;
    }
    fprintf(stream, "optimize%c--seed=%llu%c", 0, (unsigned long long)r->seed, 0);
    if (r->program) {
        fprintf(stream, "--dim=%llu%c", (unsigned long long)r->dim, 0);
    } else {
        fprintf(stream, "--problem=%.*s%c",
                is_regression ? (int)strcspn(r->problem, ":") : (int)strlen(r->problem), r->problem, 0);
    }
    if (r->data) {
        fprintf(stream, "--data=%s%c", r->data, 0);
    }
    for (size_t i = 0; i < settings.count; i++) {
        const char *value = settings.value[i];
        char name[SEARCH_NAME_SIZE];
        if (settings.setting[i].kind != ZILCH_SETTING_PROBLEM ||
            search_setting_is_own_penalty(&settings.setting[i])) {
            continue;
        }
        search_name_with_dashes(settings.name[i], name);
        const int is_flag = search_setting_is_flag(settings.name[i]);
        fprintf(stream, "--%s%s%s%c", name, is_flag ? "" : "=", is_flag ? "" : value, 0);
    }
    if (r->program) {
        fprintf(stream, "--jobs=%llu%c", (unsigned long long)r->jobs, 0);
    }
    fprintf(stream, "--threads=%llu%c", (unsigned long long)(r->threads ? r->threads : 1), 0);
    search_settings_free(&settings);
    return fclose(stream) == 0 ? text : NULL;
}
