/* Reading a study for a report. Runs of a comparison go by their methods' names; others belong together if
 * they were asked for in the same words, but for the seed and the budget. */
#include "report.h"

#include "cli.h"
#include "search_texts.h"
#include "text.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- Which runs ---------------------------------------------------------------------------- */

static int is_same_problem(const zilch_run *a, const zilch_run *b)
{
    return a->dim == b->dim && search_problem_is_same(a->texts.problem, b->texts.problem) &&
           search_data_are_same(a->texts.arguments, b->texts.arguments);
}

static int has_ended(const zilch_run *run)
{
    return run->stop != ZILCH_STOP_NONE && run->generations > 0;
}

/* The last that has ended gives the problem, unless a run was asked for. */
static const study_run *choose_model(const report *r, uint64_t number)
{
    const study_file *f = &r->file;
    if (number) {
        return study_file_find(f, number);
    }
    for (size_t i = f->count; i-- > 0;) {
        if (has_ended(&f->runs[i].run)) {
            return &f->runs[i];
        }
    }
    return &f->runs[f->count - 1];
}

static int fail_open(const report *r, const study_run *run)
{
    const char *path = r->file.path;
    return *run->run.texts.name
               ? cli_fail("%s: run %llu has not ended; the same 'zilch compare' goes on with it", path,
                          (unsigned long long)run->run.run)
               : cli_fail("%s: run %llu has not ended; 'zilch resume %s --run %llu' goes on with it", path,
                          (unsigned long long)run->run.run, path, (unsigned long long)run->run.run);
}

/* ---- Methods --------------------------------------------------------------------------------- */

static int are_same_method(const zilch_run *a, const zilch_run *b)
{
    return strcmp(a->texts.name, b->texts.name) == 0 && a->law == b->law &&
           search_words_are_same(a->texts.arguments, b->texts.arguments);
}

/* Which method each run belongs to, by the run that stands for it. */
typedef struct grouping {
    size_t *method;  /* of each run of the file; SIZE_MAX: none */
    size_t *example; /* of each method: a run's place in the file */
    size_t *runs;    /* of each method */
    size_t count, most;
} grouping;

static int grouping_create(grouping *g, size_t runs)
{
    *g = (grouping){.method = calloc(3 * runs, sizeof *g->method)};
    if (!g->method) {
        return cli_fail("out of memory");
    }
    g->example = g->method + runs;
    g->runs = g->example + runs;
    return 0;
}

/* Pages and figures of more would help nobody, and time and memory go by the square of their number. */
enum { MOST_METHODS = 200, MOST_RUNS = 10000, MOST_PLACES = 100000 };

static int grouping_is_full(const report *r, const grouping *g)
{
    return g->count > MOST_METHODS || r->ended > MOST_RUNS || g->count * g->most > MOST_PLACES;
}

static void grouping_add(grouping *g, const study_file *f, size_t index)
{
    size_t k = 0;
    while (k < g->count && !are_same_method(&f->runs[g->example[k]].run, &f->runs[index].run)) {
        k++;
    }
    if (k == g->count) {
        g->example[g->count++] = index;
    }
    g->method[index] = k;
    g->runs[k]++;
    g->most = g->runs[k] > g->most ? g->runs[k] : g->most;
}

static void group(report *r, grouping *g, const zilch_run *model)
{
    for (size_t i = 0; i < r->file.count && !grouping_is_full(r, g); i++) {
        const zilch_run *run = &r->file.runs[i].run;
        g->method[i] = SIZE_MAX;
        if (!is_same_problem(run, model)) {
            r->other++;
        } else if (!has_ended(run)) {
            r->open++;
        } else {
            r->ended++;
            grouping_add(g, &r->file, i);
        }
    }
}

/* The law, if no name was given; and the run's number, if that is a name already. */
static char *method_name(const compare_method *others, size_t count, const zilch_run *run)
{
    const char *name = *run->texts.name ? run->texts.name : zilch_law_name(run->law);
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

static int name_methods(report *r, const grouping *g)
{
    assert(g->count > 0);
    compare_method *method = calloc(g->count, sizeof *method);
    if (!method) {
        return cli_fail("out of memory");
    }
    r->setting.method = method;
    for (size_t k = 0; k < g->count; k++) {
        method[k].name = method_name(method, k, &r->file.runs[g->example[k]].run);
        if (!method[k].name) {
            return cli_fail("out of memory");
        }
        r->setting.methods++;
    }
    return 0;
}

static int place_runs(report *r, const grouping *g)
{
    const size_t places = g->count * g->most;
    assert(places > 0); /* the run that gave the problem has one */
    r->setting.seeds = g->most;
    r->run = calloc(places, sizeof *r->run);
    r->source = calloc(places, sizeof *r->source);
    if (!r->run || !r->source) {
        return cli_fail("out of memory");
    }
    for (size_t i = 0; i < r->file.count; i++) {
        size_t place = g->method[i] * g->most;
        if (g->method[i] == SIZE_MAX) {
            continue;
        }
        while (r->source[place].run) {
            place++;
        }
        r->source[place].run = &r->file.runs[i];
    }
    return 0;
}

/* ---- What the runs have recorded ----------------------------------------------------------------- */

static zilch_status take_generation(void *context, const zilch_generation *g)
{
    return compare_run_restore(context, g);
}

static zilch_status read_run(report *r, size_t place)
{
    compare_run *run = &r->run[place];
    const uint64_t number = r->source[place].run->run.run;
    zilch_conclusion c;
    zilch_status status = zilch_study_generations(r->file.study, number, take_generation, run);
    if (status == ZILCH_OK) {
        status = zilch_study_conclusion(r->file.study, number, &c, NULL);
    }
    if (status == ZILCH_OK && run->moments > 0) {
        run->is_finished = 1;
        run->end = compare_score_of(&r->setting, run, run->moments, &c);
        if (!c.is_recommending) { /* there is no end */
            run->end = (compare_score){.value = NAN, .fitness = NAN, .error = NAN, .support = NAN};
        }
    }
    return status;
}

static int read_runs(report *r)
{
    compare_setting *s = &r->setting;
    for (size_t place = 0; place < s->methods * s->seeds; place++) {
        const study_run *source = r->source[place].run;
        if (source && read_run(r, place) != ZILCH_OK) {
            return cli_fail_library();
        }
        if (source && source->run.generations > s->generations) {
            s->generations = source->run.generations;
        }
    }
    return 0;
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

/* The problem's name, in short. */
static char *name_problem(const char *text)
{
    char *name = strdup(text);
    char *bare = strndup(text, strcspn(text, ":"));
    zilch_problem *usual = NULL;
    if (name && bare && !search_is_regression(text) && zilch_problem_open(&usual, bare, 0) == ZILCH_OK) {
        shorten(name, zilch_problem_describe(usual).setting);
    }
    zilch_problem_close(usual);
    free(bare);
    return name;
}

static void describe(report *r, const zilch_run *model)
{
    compare_setting *s = &r->setting;
    const char *text = model->texts.problem;
    r->name = name_problem(text);
    s->problem = text;
    s->checksum = "";
    s->price = model->price;
    if (!search_is_regression(text) && zilch_problem_open(&r->problem, text, model->seed) == ZILCH_OK) {
        s->info = zilch_problem_describe(r->problem);
    } else {
        s->info = (zilch_problem_info){.name = text, .setting = ""};
    }
    s->info.dim = model->dim;
    s->info.direction = model->direction;
    compare_usual_targets(s);
}

/* What a comparison has said to all of its methods: the price that is in every fitness, and the budget. */
static void take_comparison(report *r, const zilch_run *model)
{
    char why[SEARCH_WHY];
    search_kept kept = {.request = {.program = NULL}};
    search_problem problem = {.problem = NULL};
    const search_request *base = &kept.request;
    if (*model->texts.name && search_kept_read_shared(&kept, model->texts.arguments, why) == 0) {
        double price = base->price;
        /* no comparison is of a program, whose price nobody knows */
        const int is_there = !base->program && (!base->data || access(base->data, R_OK) == 0);
        if (isnan(price) && is_there && search_problem_open(&problem, base) == 0 &&
            strcmp(problem.checksum, kept.arguments.checksum) == 0) {
            price = problem.info.price;
        }
        r->setting.price = isnan(price) ? r->setting.price : price;
        r->setting.evaluations = base->limits.evaluations == UINT64_MAX ? 0 : base->limits.evaluations;
        search_problem_close(&problem);
    }
    search_kept_free(&kept);
}

/* Values are taken from what was held out, if that was measured in any run. */
static int take_held_out(report *r)
{
    compare_setting *s = &r->setting;
    zilch_conclusion c;
    s->info.is_noisy = 0;
    for (size_t place = 0; place < s->methods * s->seeds; place++) {
        const study_run *source = r->source[place].run;
        if (source && zilch_study_conclusion(r->file.study, source->run.run, &c, NULL) != ZILCH_OK) {
            return cli_fail_library();
        }
        s->info.is_noisy |= source && c.held_out_count > 0;
    }
    return 0;
}

/* ---- The run shown ------------------------------------------------------------------------------- */

static int is_better(const report *r, size_t a, size_t b)
{
    const double x = r->run[a].end.fitness;
    const double y = r->run[b].end.fitness;
    return r->setting.info.direction == ZILCH_MAXIMIZE ? x > y || isnan(y) : x < y || isnan(y);
}

static void choose_shown(report *r, const study_run *asked)
{
    size_t best = SIZE_MAX;
    for (size_t place = 0; place < r->setting.methods * r->setting.seeds; place++) {
        if (!r->source[place].run || (asked && r->source[place].run != asked)) {
            continue;
        }
        best = best == SIZE_MAX || is_better(r, place, best) ? place : best;
    }
    r->shown = best;
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

static int look_closely(report *r, const study_run *asked)
{
    choose_shown(r, asked);
    assert(r->shown != SIZE_MAX);
    const study_run *run = r->source[r->shown].run;
    if (study_best_read(&r->best, &r->file, run)) {
        return CLI_FAILED;
    }
    study_best_open_data(&r->best, run, 0);
    return fly(r);
}

/* ---- All of it --------------------------------------------------------------------------------------- */

static int gather(report *r, const zilch_run *model)
{
    grouping g;
    int failed = grouping_create(&g, r->file.count);
    if (!failed) {
        group(r, &g, model);
        failed =
            grouping_is_full(r, &g)
                ? cli_fail("%s: a report compares at most %d methods and %d runs; 'zilch export' has all",
                           r->file.path, MOST_METHODS, MOST_RUNS)
                : name_methods(r, &g) || place_runs(r, &g);
    }
    free(g.method);
    return failed || take_held_out(r) || read_runs(r);
}

int report_open(report *out, const char *path, uint64_t run)
{
    *out = (report){.shown = SIZE_MAX, .is_chosen = run != 0};
    if (study_file_open(&out->file, path, ZILCH_STUDY_READ)) {
        return CLI_FAILED;
    }
    const study_run *model = choose_model(out, run);
    if (!model) {
        return CLI_FAILED;
    }
    if (!has_ended(&model->run)) {
        return fail_open(out, model);
    }
    describe(out, &model->run);
    if (!out->name) {
        return cli_fail("out of memory");
    }
    take_comparison(out, &model->run);
    return gather(out, &model->run) || look_closely(out, run ? model : NULL) ? CLI_FAILED : 0;
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
    free(r->source);
    study_best_free(&r->best);
    zilch_problem_close(r->problem);
    study_file_close(&r->file);
}

void report_run_name(const report *r, size_t place, char out[REPORT_NAME_SIZE])
{
    char name[REPORT_NAME_SIZE];
    text_shorten(r->setting.method[place / r->setting.seeds].name, REPORT_NAME_LETTERS, name, sizeof name);
    snprintf(out, REPORT_NAME_SIZE, "%.200s, seed %llu", name,
             (unsigned long long)r->source[place].run->run.seed);
}

const char *report_value_name(const report *r)
{
    return r->best.problem.is_lander ? "return" : "value";
}
