/* What a study keeps about a run, so that another process can go on with it, and people can ask for the same
 * again. */
#include "study/run_record.h"

#include "study/study_file.h"
#include "terminal/cli.h"
#include "terminal/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

/* ---- Where and when ----------------------------------------------------------------------------- */

void run_record_place(run_record *out, const char *problem)
{
    struct utsname name;
    struct tm utc;
    const time_t now = time(NULL);
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    *out = (run_record){.data = NULL};
    if (uname(&name) == 0) {
        snprintf(out->machine, sizeof out->machine, "%s, %s %s, %s, %ld processor%s", name.nodename,
                 name.sysname, name.release, name.machine, processors, processors == 1 ? "" : "s");
    }
    if (!gmtime_r(&now, &utc) ||
        strftime(out->started, sizeof out->started, "%Y-%m-%dT%H:%M:%SZ", &utc) == 0) {
        *out->started = '\0';
    }
    out->request = (zilch_request){.problem = problem, .machine = out->machine, .started = out->started};
}

/* ---- A request ----------------------------------------------------------------------------------- */

int run_record_make(run_record *out, const search_request *r, const search_problem *problem)
{
    run_record_place(out, problem->text);
    if (search_settings_make(&out->settings, r)) {
        return CLI_FAILED;
    }
    if (r->data) {
        out->data = realpath(r->data, NULL);
        out->data = out->data ? out->data : strdup(r->data);
        if (!out->data) {
            return cli_fail("out of memory");
        }
    }
    out->request.coordinate_names = problem->names;
    out->request.name = r->name;
    out->request.data = out->data;
    out->request.fingerprint = problem->fingerprint;
    out->request.limits = &r->limits;
    out->request.final = &r->final;
    out->request.settings = out->settings.count;
    out->request.setting = out->settings.setting;
    return 0;
}

void run_record_free(run_record *record)
{
    search_settings_free(&record->settings);
    free(record->data);
}

/* ---- A command ------------------------------------------------------------------------------------- */

static void print_word(FILE *stream, const char *name, const char *value)
{
    char option[64];
    snprintf(option, sizeof option, "%s", name);
    for (char *at = option; (at = strchr(at, '_')) != NULL;) {
        *at = '-';
    }
    text_put_between(stream, " --", option, ""); /* the name may be somebody else's, too */
    if (value) {
        fputc(' ', stream);
        text_put_word(stream, value);
    }
}

/* The settings of one kind that are not as `usual` has them. */
static void print_options(FILE *stream, const zilch_run *run, zilch_setting_kind kind,
                          const zilch_option *list, size_t count, const void *usual)
{
    for (size_t i = 0; i < count; i++) {
        char text[ZILCH_OPTION_SIZE];
        const char *value = zilch_request_find(&run->request, kind, list[i].name);
        zilch_option_format(&list[i], usual, text);
        if (value && strcmp(value, text) != 0) {
            print_word(stream, list[i].name, value);
        }
    }
}

/* Elites are a fifth of the population unless somebody said otherwise; the direction is the problem's, unless
 * it is a program or somebody's work; a penalty is always said. */
static zilch_optimizer_options usual_options(const zilch_run *run)
{
    zilch_optimizer_options usual = zilch_method_defaults(run->method);
    const char *population = zilch_request_find(&run->request, ZILCH_SETTING_OPTION, "population");
    const char *elites = zilch_request_find(&run->request, ZILCH_SETTING_OPTION, "elites");
    const uint64_t fifth = population ? strtoull(population, NULL, 10) / 5 : 0;
    if (elites && usual.elites == 0 && strtoull(elites, NULL, 10) == fifth) {
        usual.elites = fifth;
    }
    const char *problem = run->request.problem;
    if (strcmp(problem, "program") != 0 && strcmp(problem, study_by_hand) != 0) {
        usual.direction = run->direction;
    }
    usual.method = run->method == ZILCH_METHOD_DEFAULT ? run->method : ZILCH_METHOD_DEFAULT;
    usual.penalty = -1.0;
    return usual;
}

void run_print_command(FILE *stream, const zilch_run *run)
{
    const zilch_request *r = &run->request;
    zilch_optimizer_options options = usual_options(run);
    const zilch_limits limits = zilch_limits_defaults();
    const zilch_final_options final = zilch_final_defaults(run->method);
    const char *program = zilch_request_find(r, ZILCH_SETTING_PROBLEM, "program");
    char number[32];
    size_t count;
    const int is_by_hand = strcmp(r->problem, study_by_hand) == 0;
    if (!zilch_request_find(r, ZILCH_SETTING_OPTION, "method")) {
        return;
    }
    fputs(is_by_hand ? "zilch ask STUDY" : "zilch optimize", stream);
    if (program || is_by_hand) {
        snprintf(number, sizeof number, "%zu", run->dim);
        print_word(stream, "dim", number);
    } else if (search_is_regression(r->problem)) {
        char name[32];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(r->problem, ":"), r->problem);
        print_word(stream, "problem", name);
        print_word(stream, "data", r->data);
    } else {
        print_word(stream, "problem", r->problem);
    }
    for (size_t i = 0; i < r->settings; i++) {
        const zilch_setting *s = &r->setting[i];
        if (search_setting_is_own_penalty(s)) {
            const char *first = zilch_request_find(r, ZILCH_SETTING_OPTION, "penalty");
            options.penalty = run->penalty;
            (void)(first && zilch_number_parse(first, &options.penalty)); /* it may have changed since */
        } else if (s->kind == ZILCH_SETTING_PROBLEM) {
            print_word(stream, s->name, search_setting_is_flag(s->name) ? NULL : s->value);
        }
    }
    const zilch_option *list = zilch_optimizer_option_list(&count);
    print_options(stream, run, ZILCH_SETTING_OPTION, list, count, &options);
    list = zilch_limit_list(&count);
    print_options(stream, run, ZILCH_SETTING_LIMIT, list, count, &limits);
    list = zilch_final_list(&count);
    print_options(stream, run, ZILCH_SETTING_FINAL, list, count, &final);
    snprintf(number, sizeof number, "%llu", (unsigned long long)run->seed);
    print_word(stream, "seed", number);
}

/* ---- What was asked of it since ------------------------------------------------------------------- */

typedef struct steered {
    FILE *stream;
    const char *before; /* the next one */
    size_t count;
} steered;

static zilch_status print_heeded(void *context, const zilch_command *c)
{
    steered *s = context;
    char number[ZILCH_NUMBER_SIZE];
    if (!c->is_heeded) {
        return ZILCH_OK;
    }
    zilch_number_format(c->value, number);
    fprintf(s->stream, "%s%s%s%s after generation %llu", s->count++ ? ", " : s->before,
            zilch_action_name(c->action), isnan(c->value) ? "" : " ", isnan(c->value) ? "" : number,
            (unsigned long long)c->generation);
    return ZILCH_OK;
}

int run_print_steered(FILE *stream, const char *before, zilch_study *study, uint64_t run, const char *after)
{
    steered s = {.stream = stream, .before = before};
    if (zilch_study_commands(study, run, 0, print_heeded, &s) != ZILCH_OK) {
        return cli_fail_library();
    }
    fputs(s.count ? after : "", stream);
    return 0;
}
