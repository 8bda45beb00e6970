/* Reading a study for a report. Runs of a comparison go by their methods' names; others belong together if
 * they were asked for in the same words, but for the seed and the budget. */
#include "report/report.h"

#include "compare/compare_study.h"
#include "report/report_front.h"
#include "terminal/cli.h"
#include "terminal/text.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- Which runs ---------------------------------------------------------------------------- */

static int has_ended(const zilch_run *run)
{
    return run->stop != ZILCH_STOP_NONE && run->generations > 0;
}

/* The last run of which this is true; NULL: there is none. */
static const study_run *find_last(const study_file *f, int is_open)
{
    for (size_t i = f->count; i-- > 0;) {
        if (has_ended(&f->runs[i].run) || (is_open && f->runs[i].run.generations > 0)) {
            return &f->runs[i];
        }
    }
    return NULL;
}

/* The last that has ended gives the problem, or else the last that has begun, unless a run was asked for.
 * NULL after printing why. */
static const study_run *choose_model(report *r, uint64_t number)
{
    const study_file *f = &r->file;
    const study_run *run = number ? study_file_find(f, number) : find_last(f, 0);
    run = run || number ? run : find_last(f, 1);
    if (run && run->run.generations > 0) {
        r->is_open = !has_ended(&run->run);
        return run;
    }
    if (run || !number) {
        cli_fail("%s: %s no generation yet, so there is nothing to show", f->path,
                 number ? "the run has" : "its runs have");
    }
    return NULL;
}

static int is_shown(const report *r, const zilch_run *run)
{
    return r->is_open ? !has_ended(run) && run->generations > 0 : has_ended(run);
}

/* ---- Methods --------------------------------------------------------------------------------- */

/* Which method each run belongs to, by the run that stands for it. */
typedef struct grouping {
    size_t *method;  /* of each run of the file; SIZE_MAX: none */
    size_t *example; /* of each method: a run's place in the file */
    size_t *runs;    /* of each method */
    size_t count, most;
} grouping;

/* Pages and figures of more would help nobody, and time and memory go by the square of their number. */
enum { MOST_METHODS = 200, MOST_RUNS = 10000, MOST_PLACES = 100000 };

static int group(report *r, grouping *g, const zilch_run *model)
{
    const study_run *runs = r->file.runs;
    for (size_t i = 0; i < r->file.count; i++) {
        size_t k = 0;
        g->method[i] = SIZE_MAX;
        const zilch_run *run = &runs[i].run;
        if (run->dim != model->dim || strcmp(run->request.problem, model->request.problem) != 0 ||
            strcmp(run->request.fingerprint, model->request.fingerprint) != 0) {
            r->other++;
            continue;
        }
        if (!is_shown(r, run)) {
            r->open++;
            continue;
        }
        while (k < g->count && !zilch_run_is_same(&runs[g->example[k]].run, &runs[i].run)) {
            k++;
        }
        if (k == g->count) {
            g->example[g->count++] = i;
        }
        g->method[i] = k;
        g->runs[k]++;
        g->most = g->runs[k] > g->most ? g->runs[k] : g->most;
        r->ended++;
        if (g->count > MOST_METHODS || r->ended > MOST_RUNS || g->count * g->most > MOST_PLACES) {
            return cli_fail("%s: a report compares at most %d methods and %d runs; 'zilch export' has all",
                            r->file.path, MOST_METHODS, MOST_RUNS);
        }
    }
    return 0;
}

/* The method, if no name was given; and the run's number, if that is a name already. */
static char *method_name(const compare_method *others, size_t count, const zilch_run *run)
{
    const char *name = *run->request.name ? run->request.name : zilch_method_name(run->method);
    int is_taken = 0;
    for (size_t k = 0; k < count; k++) {
        is_taken |= strcmp(others[k].name, name) == 0;
    }
    const size_t size = strlen(name) + 32;
    char *out = malloc(size);
    if (out) {
        snprintf(out, size, is_taken ? "%s (run %llu)" : "%s", name, (unsigned long long)run->run);
    }
    return out;
}

/* A row of places for each method. */
static int place_runs(report *r, const grouping *g)
{
    const size_t places = g->count * g->most;
    assert(g->count > 0 && places > 0); /* the run that gave the problem has one */
    compare_method *method = calloc(g->count, sizeof *method);
    r->setting.method = method;
    r->setting.seeds = g->most;
    r->run = calloc(places, sizeof *r->run);
    r->source = calloc(places, sizeof(const study_run *));
    if (!method || !r->run || !r->source) {
        return cli_fail("out of memory");
    }
    for (size_t k = 0; k < g->count; k++) {
        method[k].name = method_name(method, k, &r->file.runs[g->example[k]].run);
        if (!method[k].name) {
            return cli_fail("out of memory");
        }
        r->setting.methods++;
    }
    for (size_t i = 0; i < r->file.count; i++) {
        size_t place = g->method[i] * g->most;
        if (g->method[i] == SIZE_MAX) {
            continue;
        }
        while (r->source[place]) {
            place++;
        }
        r->source[place] = &r->file.runs[i];
    }
    return 0;
}

static int gather(report *r, const zilch_run *model)
{
    const size_t runs = r->file.count;
    grouping g = {.method = calloc(3 * runs, sizeof *g.method)};
    if (!g.method) {
        return cli_fail("out of memory");
    }
    g.example = g.method + runs;
    g.runs = g.example + runs;
    const int failed = group(r, &g, model) || place_runs(r, &g);
    free(g.method);
    return failed;
}

/* ---- What the runs have recorded ----------------------------------------------------------------- */

static zilch_status take_generation(void *context, const zilch_generation *g)
{
    return compare_run_restore(context, g);
}

/* The best on record, by the penalty of all; nothing of a run that has ended without recommending. */
static compare_score so_far(const report *r, const compare_run *run)
{
    const compare_moment *last = &run->moment[run->moments - 1];
    const double sign = r->setting.info.direction == ZILCH_MAXIMIZE ? 1.0 : -1.0;
    return (compare_score){.value = r->is_open ? last->value : NAN,
                           .fitness = r->is_open && !r->setting.penalties
                                          ? last->value - sign * r->setting.penalty * (double)last->active
                                          : NAN,
                           .error = NAN,
                           .support = NAN,
                           .evaluations = r->is_open ? last->evaluations : 0,
                           .active = last->active};
}

/* What each run recommended; x is room for a point. */
static int read_scores(report *r, double *x)
{
    const compare_setting *s = &r->setting;
    zilch_conclusion c;
    for (size_t i = 0; i < s->methods * s->seeds; i++) {
        compare_run *run = &r->run[i];
        if (!r->source[i] || run->moments == 0) {
            continue;
        }
        if (zilch_study_conclusion(r->file.study, r->source[i]->run.run, &c, x) != ZILCH_OK) {
            return cli_fail_library();
        }
        run->is_finished = 1;
        run->end = c.is_recommending ? compare_score_of(s, run, run->moments, &c, x) : so_far(r, run);
    }
    return 0;
}

/* Values are taken from what was held out, if that was measured in any run. */
static int read_runs(report *r)
{
    compare_setting *s = &r->setting;
    const size_t places = s->methods * s->seeds;
    zilch_conclusion c;
    s->info.is_noisy = 0;
    for (size_t i = 0; i < places; i++) {
        if (r->source[i]) {
            const zilch_run *run = &r->source[i]->run;
            if (zilch_study_conclusion(r->file.study, run->run, &c, NULL) != ZILCH_OK ||
                zilch_study_generations(r->file.study, run->run, take_generation, &r->run[i]) != ZILCH_OK) {
                return cli_fail_library();
            }
            s->info.is_noisy |= c.held_out_count > 0;
            s->generations = run->generations > s->generations ? run->generations : s->generations;
        }
    }
    double *x = malloc(s->info.dim * sizeof *x);
    const int failed = x ? read_scores(r, x) : cli_fail("out of memory");
    free(x);
    return failed;
}

/* ---- The problem ----------------------------------------------------------------------------------- */

/* Whether a list "a=1,b=2" has this part. */
static int has_part(const char *list, const char *part, size_t length)
{
    for (; *list; list += strcspn(list, ","), list += *list == ',') {
        if (strcspn(list, ",") == length && strncmp(list, part, length) == 0) {
            return 1;
        }
    }
    return 0;
}

/* "lander:episodes=8,wind=1" without the parts that it has anyway. */
static void shorten(char *text, const char *usual)
{
    char *end = strchr(text, ':');
    const char *left = strchr(usual, ':');
    const char *at = end ? end + 1 : "";
    char mark = ':';
    while (*at && left) {
        const size_t length = strcspn(at, ",");
        const char *next = at + length + (at[length] == ',');
        if (!has_part(left + 1, at, length)) {
            *end++ = mark;
            memmove(end, at, length);
            end += length;
            mark = ',';
        }
        at = next;
    }
    if (end && left) {
        *end = '\0';
    }
}

/* Its name in short, and what is known of it. 0, or 1 after printing why. */
static int describe(report *r, const zilch_run *model)
{
    compare_setting *s = &r->setting;
    const char *text = model->request.problem;
    const int is_named = !search_is_regression(text);
    char *bare = strndup(text, strcspn(text, ":"));
    zilch_problem *usual = NULL;
    r->name = strdup(text);
    if (r->name && bare && is_named && zilch_problem_open(&usual, bare, 0) == ZILCH_OK) {
        shorten(r->name, zilch_problem_describe(usual).setting);
    }
    zilch_problem_close(usual);
    free(bare);
    s->problem = text;
    s->penalty = model->penalty;
    s->info = (zilch_problem_info){.name = text, .setting = ""};
    if (is_named && zilch_problem_open(&r->problem, text, model->seed) == ZILCH_OK) {
        s->info = zilch_problem_describe(r->problem);
    }
    s->info.dim = model->dim;
    s->info.direction = model->direction;
    if (r->problem) { /* of others the optimum is not known */
        compare_usual_targets(s);
    }
    return r->name ? 0 : cli_fail("out of memory");
}

/* What a comparison has said to all of its methods: the penalty that is in every fitness, and the budget. A
 * study of zilch 0.1 does not have that penalty; then it is the problem's own. */
static void take_comparison(report *r, const zilch_run *model)
{
    const char *penalty = zilch_request_find(&model->request, ZILCH_SETTING_MEANS, STUDY_COMPARISON);
    double number;
    if (!*model->request.name) {
        return;
    }
    if (penalty && zilch_number_parse(penalty, &number)) {
        r->setting.penalty = number;
    } else if (r->problem) {
        r->setting.penalty = r->setting.info.penalty;
    }
    r->setting.evaluations = model->request.limits->evaluations;
}

/* Penalties of single coordinates are in the optimiser alone, which takes time to make; so the settings say
 * whether there are any: the command's, or Python's. 0, or 1 after printing why. */
static int take_penalties(report *r, const zilch_run *model)
{
    const zilch_request *request = &model->request;
    if (!zilch_request_find(request, ZILCH_SETTING_PROBLEM, "penalty_file") &&
        !zilch_request_find(request, ZILCH_SETTING_PROBLEM, "penalties")) {
        return 0;
    }
    if (zilch_study_resume(r->file.study, model->run, &r->model) != ZILCH_OK) {
        return cli_fail_library();
    }
    r->setting.penalties = zilch_optimizer_settings(r->model)->penalties;
    r->setting.defaults = zilch_optimizer_settings(r->model)->defaults;
    return 0;
}

/* ---- The run shown ------------------------------------------------------------------------------- */

/* The one asked for, or the best. */
static size_t choose_shown(const report *r, const study_run *asked)
{
    const double sign = r->setting.info.direction == ZILCH_MAXIMIZE ? 1.0 : -1.0;
    size_t best = SIZE_MAX;
    for (size_t i = 0; i < r->setting.methods * r->setting.seeds; i++) {
        if (!r->source[i] || (asked && r->source[i] != asked)) {
            continue;
        }
        const compare_score *end = &r->run[i].end;
        const compare_score *greatest = best == SIZE_MAX ? NULL : &r->run[best].end;
        const int is_better = !greatest || isnan(greatest->fitness) ||
                              (end->violation != greatest->violation && !isnan(end->fitness)
                                   ? end->violation < greatest->violation
                                   : sign * end->fitness > sign * greatest->fitness);
        best = is_better ? i : best;
    }
    assert(best != SIZE_MAX);
    return best;
}

/* "linear regression of height", or of column 7 if the data are gone or have no names. */
static int name_regression(report *r)
{
    const search_problem *p = &r->best.problem;
    char *text = NULL;
    size_t size = 0;
    if (!p->is_regression || p->response == SIZE_MAX) {
        return 0;
    }
    FILE *stream = open_memstream(&text, &size);
    if (stream) {
        fprintf(stream, "%.*s regression of ", (int)strcspn(r->setting.problem, ":"), r->setting.problem);
        if (p->data.names) {
            fputs(p->data.names[p->response], stream);
        } else {
            fprintf(stream, "column %zu", p->response + 1);
        }
    }
    if (!stream || fclose(stream) != 0) {
        return cli_fail("out of memory");
    }
    free(r->name);
    r->name = text;
    return 0;
}

/* What it recommends, on the first seeds. */
static int fly(report *r)
{
    play_setting setting = {
        .options = search_problem_lander(r->setting.problem), .episodes = 1, .threads = 1};
    if (!r->best.problem.is_lander || r->best.dim != ZILCH_POLICY_PARAMETERS ||
        !r->best.conclusion.is_recommending) {
        return 0;
    }
    memcpy(setting.controller.parameters, r->best.recommended_x, sizeof setting.controller.parameters);
    for (size_t i = 0; i < REPORT_EPISODES; i++) {
        setting.seed = i + 1;
        if (play_record(&setting, NULL, &r->episode[i]) != ZILCH_OK) {
            return cli_fail_library();
        }
    }
    return 0;
}

/* ---- All of it --------------------------------------------------------------------------------------- */

int report_open(report *out, const char *path, uint64_t run)
{
    *out = (report){.shown = SIZE_MAX, .is_chosen = run != 0};
    if (study_file_open(&out->file, path, ZILCH_STUDY_READ)) {
        return CLI_FAILED;
    }
    const study_run *model = choose_model(out, run);
    if (!model || describe(out, &model->run)) {
        return CLI_FAILED;
    }
    take_comparison(out, &model->run);
    if (take_penalties(out, &model->run) || gather(out, &model->run) || read_runs(out)) {
        return CLI_FAILED;
    }
    out->shown = choose_shown(out, run ? model : NULL);
    if (study_best_read(&out->best, &out->file, out->source[out->shown])) {
        return CLI_FAILED;
    }
    study_best_open_data(&out->best, out->source[out->shown], 0);
    if (name_regression(out)) {
        return CLI_FAILED;
    }
    return report_front_read(out) || fly(out);
}

void report_close(report *r)
{
    for (size_t i = 0; i < REPORT_EPISODES; i++) {
        free(r->episode[i]);
    }
    for (size_t i = 0; r->run && i < r->setting.methods * r->setting.seeds; i++) {
        free(r->run[i].moment);
    }
    for (size_t k = 0; k < r->setting.methods; k++) {
        free(r->setting.method[k].name);
    }
    free((void *)r->setting.method);
    free(r->name);
    free(r->run);
    free((void *)r->source);
    study_best_free(&r->best);
    zilch_optimizer_destroy(r->model);
    zilch_problem_close(r->problem);
    study_file_close(&r->file);
}

void report_run_name(const report *r, size_t place, char out[REPORT_NAME_SIZE])
{
    char name[REPORT_NAME_SIZE];
    text_shorten(r->setting.method[place / r->setting.seeds].name, REPORT_NAME_LETTERS, name, sizeof name);
    snprintf(out, REPORT_NAME_SIZE, "%.200s, seed %llu", name,
             (unsigned long long)r->source[place]->run.seed);
}

const double *report_point(const report *r)
{
    return r->best.conclusion.is_recommending ? r->best.recommended_x : r->best.seen_x;
}

const char *report_value_name(const report *r)
{
    return r->best.problem.is_lander ? "return" : "value";
}
