/* zilch play: the Lunar Lander flown by a controller, or by recorded actions. */
#include "commands/commands.h"
#include "dataset/dataset.h"
#include "json/json.h"
#include "options/option_parser.h"
#include "options/option_shared.h"
#include "report/draw_lander.h"
#include "run/device.h"
#include "run/play.h"
#include "terminal/cli.h"
#include "terminal/progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct request {
    play_setting setting;
    uint64_t lanes;
    const char *controller, *actions, *output, *svg, *html;
    int trace, json, device;
} request;

/* Its address tells whether --controller was given. */
static const char published[] = "published";

static const char about[] =
    "Fly the Lunar Lander, Gymnasium's LunarLanderContinuous-v3 to the bit. Prints one CSV row an episode: "
    "seed, return, steps, and outcome (landed, crashed, out or truncated); and a summary on standard "
    "error. A controller is a file of formulas such as 'a_main = -2.5988 y - 1.7162 vy' and 'a_side = 3.6608 "
    "theta' in x y vx vy theta omega l1 l2, with products (x l2) and squares (y^2); an engine without one "
    "stays off.";

/* ---- Options ---------------------------------------------------------------------------- */

static int check_files(const cli_usage *usage, const request *r)
{
    const char *const written[] = {r->output, r->svg, r->html};
    static const char *const name[] = {"-o", "--svg", "--html"};
    for (int i = 0; i < 3; i++) {
        if (written[i] && !*written[i]) {
            return cli_wrong_usage(usage, "%s: the file's name is empty", name[i]);
        }
        if (i > 0 && written[i] && strcmp(written[i], "-") == 0) {
            return cli_wrong_usage(usage, "%s: is written to a file, not to standard output", name[i]);
        }
        if (cli_is_same_file(written[i], r->controller)) {
            return cli_wrong_usage(usage, "%s: %s is the controller itself", name[i], written[i]);
        }
        if (cli_is_same_file(written[i], r->actions)) {
            return cli_wrong_usage(usage, "%s: %s holds the actions themselves", name[i], written[i]);
        }
        for (int j = 0; j < i; j++) {
            if (written[i] && written[j] && strcmp(written[i], written[j]) == 0) {
                return cli_wrong_usage(usage, "%s and %s name the same file", name[j], name[i]);
            }
        }
    }
    return 0;
}

static int check_world(const cli_usage *usage, const request *r)
{
    const zilch_lander_options *o = &r->setting.options;
    const zilch_lander_options usual = zilch_lander_defaults();
    if (!(o->gravity > -12.0 && o->gravity < 0.0)) {
        return cli_wrong_usage(usage, "--gravity: must be between -12 and 0, the ends excluded");
    }
    if (!o->wind && (o->wind_power != usual.wind_power || o->turbulence_power != usual.turbulence_power)) {
        return cli_wrong_usage(usage, "--wind-power and --turbulence-power do nothing without --wind");
    }
    if (r->lanes != 0 && r->lanes != 1 && r->lanes != 4 && r->lanes != 8 && r->lanes != 16) {
        return cli_wrong_usage(usage, "--lanes: %llu is not one of 0, 1, 4, 8 and 16",
                               (unsigned long long)r->lanes);
    }
    return 0;
}

/* What the table of options cannot check. */
static int check(const cli_usage *usage, const request *r)
{
    const play_setting *s = &r->setting;
    if (s->episodes - 1 > UINT64_MAX - s->seed) {
        return cli_wrong_usage(
            usage, "--seed %llu: %llu episodes need seeds beyond %llu, the largest of 64 bits",
            (unsigned long long)s->seed, (unsigned long long)s->episodes, (unsigned long long)UINT64_MAX);
    }
    if (r->actions && r->controller != published) {
        return cli_wrong_usage(usage, "--actions and --controller: give one of them");
    }
    if (r->actions && s->episodes > 1) {
        return cli_wrong_usage(usage, "--actions repeats one episode; leave --episodes out");
    }
    if (r->trace && s->episodes > 1) {
        return cli_wrong_usage(usage, "--trace shows one episode; leave --episodes out");
    }
    if (r->trace && r->json) {
        return cli_wrong_usage(usage, "--trace prints CSV; leave --json out");
    }
    if (r->device != DEVICE_CPU && (r->actions || r->trace)) {
        return cli_wrong_usage(usage, "--device: one episode that is looked at flies on the processor; leave "
                                      "--device out");
    }
    const int status = check_world(usage, r);
    return status ? status : check_files(usage, r);
}

static int parse(request *r, int argc, char **argv)
{
    play_setting *s = &r->setting;
    zilch_lander_options *o = &s->options;
    const cli_option options[] = {
        {"controller", 'c', "NAME", CLI_TEXT, &r->controller, 0, 0, NULL,
         "The controller: a file of formulas; published, the publication's controller of 13 coefficients; or "
         "heuristic, Gymnasium's own."},
        {"seed", 's', "A", CLI_COUNT, &s->seed, 0, 0x1p64, NULL,
         "Seed of the first episode, as for Gymnasium's reset."},
        {"episodes", 'n', "N", CLI_COUNT, &s->episodes, 1, 1e9, NULL,
         "Number of episodes; their seeds follow the first."},
        {"actions", 'a', "FILE", CLI_TEXT, &r->actions, 0, 0, NULL,
         "Repeat recorded actions: a CSV or .npy file with two columns, main engine and side engines, and a "
         "row for each step. Actions are clipped to [-1, 1]."},
        {"trace", 'T', NULL, CLI_FLAG, &r->trace, 0, 0, NULL,
         "Print a row for each step instead, below a line of names, the reset first: the 8 observations, "
         "reward, terminated, truncated."},
        {"output", 'o', "FILE", CLI_TEXT, &r->output, 0, 0, NULL,
         "Write the rows, or the JSON, to this file."},
        {"json", 0, NULL, CLI_FLAG, &r->json, 0, 0, NULL, "Print episodes and summary as JSON."},
        {"svg", 0, "FILE", CLI_TEXT, &r->svg, 0, 0, NULL,
         "Draw the first episode: the poses, coloured by time."},
        {"html", 0, "FILE", CLI_TEXT, &r->html, 0, 0, NULL, "Make a page that plays the first episode."},
        {"gravity", 0, "G", CLI_REAL, &o->gravity, -12, 0, NULL, "Gravity, the ends excluded."},
        {"wind", 0, NULL, CLI_FLAG, &o->wind, 0, 0, NULL, "With wind and turbulence."},
        {"wind-power", 0, "P", CLI_REAL, &o->wind_power, 0, 20, NULL, "Power of the wind."},
        {"turbulence-power", 0, "P", CLI_REAL, &o->turbulence_power, 0, 2, NULL, "Power of the turbulence."},
        {"threads", 't', "N", CLI_COUNT, &s->threads, 0, 1024, NULL,
         "Threads; 0: one for each processor. The result does not depend on them."},
        {"lanes", 0, "N", CLI_COUNT, &r->lanes, 0, 16, NULL,
         "Worlds stepped at once: 1, 4, 8 or 16; 0: as many as possible. The result does not depend on "
         "them."},
        OPTION_DEVICE(&r->device),
        OPTION_PROGRESS,
        OPTION_QUIET,
        {0},
    };
    const cli_usage usage = {"play", "", about, options, NULL, 0, 0};
    const int status = cli_parse(&usage, argc, argv);
    return status ? status : check(&usage, r);
}

/* ---- Printing ----------------------------------------------------------------------------- */

/* What there is to print: an episode's steps, or the episodes. */
typedef struct report {
    const request *request;
    const play_episode *trace; /* NULL: the rest */
    const play_result *result;
    const zilch_episodes_summary *summary;
    int failed; /* and said so */
} report;

static json_node *play_summary_object(const zilch_episodes_summary *s, int *failed)
{
    static const char *const name[ZILCH_QUARTILES] = {"min", "q25", "median", "q75", "max"};
    json_node *object = node_object();
    json_node *outcomes = node_object();
    node_put(object, "mean", node_real(s->mean), failed);
    node_put(object, "sd", node_real(s->deviation), failed);
    for (int k = 0; k < ZILCH_QUARTILES; k++) {
        node_put(object, name[k], node_real(s->quartile[k]), failed);
    }
    node_put(object, "share_200", node_real(s->solved), failed);
    node_put(object, "steps", node_whole(s->steps), failed);
    for (int k = 0; k < ZILCH_LANDINGS; k++) {
        if (k != ZILCH_LANDING_FLYING || s->ending[k]) {
            node_put(outcomes, zilch_landing_name((zilch_landing)k), node_whole(s->ending[k]), failed);
        }
    }
    node_put(object, "outcomes", outcomes, failed);
    return object;
}

/* controller, the options, episodes (an array of {seed, return, steps, outcome}) and their summary.
 * Episode by episode, so that memory does not grow with them. */
static int print_json(FILE *stream, const char *controller, const play_setting *setting,
                      const play_result *result, const zilch_episodes_summary *summary)
{
    const zilch_lander_options *o = &setting->options;
    int failed = 0;
    fputs("{\"controller\": ", stream);
    failed |= node_dump(stream, node_name(controller), failed);
    fputs(", \"gravity\": ", stream);
    failed |= node_dump(stream, node_real(o->gravity), failed);
    fprintf(stream, ", \"wind\": %s, \"wind_power\": ", o->wind ? "true" : "false");
    failed |= node_dump(stream, node_real(o->wind_power), failed);
    fputs(", \"turbulence_power\": ", stream);
    failed |= node_dump(stream, node_real(o->turbulence_power), failed);
    fputs(", \"episodes\": [", stream);
    for (size_t i = 0; i < result->count && !failed && !ferror(stream); i++) {
        fputs(i ? ", " : "", stream);
        json_node *object = node_object();
        node_put(object, "seed", node_whole(setting->seed + i), &failed);
        node_put(object, "return", node_real(result->episode[i].total), &failed);
        node_put(object, "steps", node_whole(result->episode[i].steps), &failed);
        node_put(object, "outcome", node_text(zilch_landing_name(result->episode[i].ending)), &failed);
        failed |= node_dump(stream, object, failed);
    }
    fputs("], \"summary\": ", stream);
    json_node *object = play_summary_object(summary, &failed);
    failed |= node_dump(stream, object, failed);
    fputs("}\n", stream);
    return failed ? cli_fail("out of memory") : 0;
}

static void print_trace(const play_episode *e, FILE *stream)
{
    fputs("x,y,vx,vy,theta,omega,l1,l2,reward,terminated,truncated\n", stream);
    for (size_t k = 0; k <= e->steps; k++) {
        const zilch_lander_frame *f = &e->frame[k];
        for (int i = 0; i < ZILCH_LANDER_OBSERVATIONS; i++) {
            fprintf(stream, "%.9g,", (double)f->observation[i]);
        }
        fprintf(stream, "%.17g,%d,%d\n", f->reward, f->terminated, f->truncated);
    }
}

static void print_rows(const report *p, FILE *stream)
{
    fputs("seed,return,steps,outcome\n", stream);
    for (size_t i = 0; i < p->result->count && !ferror(stream); i++) {
        const zilch_episode *e = &p->result->episode[i];
        fprintf(stream, "%llu,%.17g,%u,%s\n", (unsigned long long)(p->request->setting.seed + i), e->total,
                e->steps, zilch_landing_name(e->ending));
    }
}

static zilch_status print_report(void *context, FILE *stream)
{
    report *p = context;
    const request *r = p->request;
    if (p->trace) {
        print_trace(p->trace, stream);
    } else if (r->json) {
        p->failed = print_json(stream, r->actions ? NULL : r->controller, &r->setting, p->result, p->summary);
    } else {
        print_rows(p, stream);
    }
    return p->failed ? ZILCH_ENOMEM : ZILCH_OK;
}

static int print(report *p)
{
    const char *path = p->request->output;
    if (!path || strcmp(path, "-") == 0) {
        print_report(p, stdout);
        return p->failed ? p->failed : cli_finish(CLI_OK); /* before anything is said on stderr */
    }
    const zilch_status status = zilch_file_replace(path, print_report, p);
    return status == ZILCH_OK || p->failed ? p->failed : cli_fail_library();
}

static void print_summary(const zilch_episodes_summary *s, size_t episodes)
{
    fprintf(stderr, "%zu episode%s, %llu steps\n", episodes, episodes == 1 ? "" : "s",
            (unsigned long long)s->steps);
    fprintf(stderr, "return    mean %.2f", s->mean);
    if (episodes > 1) {
        fprintf(stderr, ", s.d. %.2f", s->deviation);
    }
    fprintf(stderr, ", at least 200 in %.4g %%\n", 100.0 * s->solved);
    if (episodes > 1) {
        fprintf(stderr, "quartiles min %.2f, 25 %% %.2f, median %.2f, 75 %% %.2f, max %.2f\n", s->quartile[0],
                s->quartile[1], s->quartile[2], s->quartile[3], s->quartile[4]);
    }
    fputs("outcome  ", stderr);
    const char *before = " ";
    for (int k = 0; k < ZILCH_LANDINGS; k++) {
        if (s->ending[k] || k != ZILCH_LANDING_FLYING) {
            fprintf(stderr, "%s%s %zu", before, zilch_landing_name((zilch_landing)k), s->ending[k]);
            before = ", ";
        }
    }
    fputc('\n', stderr);
}

/* ---- Episodes ------------------------------------------------------------------------------- */

static int fail_status(const request *r, zilch_status status)
{
    cli_end_if_stopped();
    return status == ZILCH_ENOMEM && !r->setting.device ? cli_fail("out of memory") : cli_fail_library();
}

/* Flies them, but for a recorded one, which is the only result. */
static int report_episodes(const request *r, const play_episode *recorded)
{
    play_result result = {0};
    zilch_episode only;
    zilch_episodes_summary summary;
    zilch_status status = ZILCH_OK;
    report p = {.request = r, .result = &result, .summary = &summary};
    if (recorded) {
        const zilch_lander_frame *last = &recorded->frame[recorded->steps];
        only = (zilch_episode){.total = last->total, .steps = last->view.steps, .ending = last->view.landing};
        result = (play_result){.count = 1, .episode = &only};
    } else {
        progress line;
        progress_begin(&line, "play", "episodes", r->setting.episodes);
        status = play_run(&r->setting, &line, &result);
        progress_end(&line);
    }
    status = status == ZILCH_OK ? zilch_episodes_summarise(result.count, result.episode, &summary) : status;
    const int failed = status == ZILCH_OK ? print(&p) : fail_status(r, status);
    if (!failed && !r->json) {
        print_summary(&summary, result.count);
    }
    if (!recorded) {
        free(result.episode);
    }
    return failed;
}

static int draw(const request *r, const play_episode *e)
{
    char flown[512];
    const char *path = r->actions ? r->actions : r->controller;
    const char *slash = strrchr(path, '/');
    const char *name = slash && slash[1] ? slash + 1 : path;
    const int is_own = !r->actions && (strcmp(path, published) == 0 || strcmp(path, "heuristic") == 0);
    snprintf(flown, sizeof flown, is_own ? "%s %s controller" : "%s %s",
             r->actions ? "flown by the actions in"
             : is_own   ? "flown by the"
                        : "flown by the controller",
             name);
    return (r->svg && draw_lander_picture(r->svg, e, flown)) ||
           (r->html && draw_lander_page(r->html, e, flown));
}

static void compare_lengths(const play_episode *e, size_t actions)
{
    const zilch_lander_frame *last = &e->frame[e->steps];
    if (!last->terminated && !last->truncated) {
        fprintf(stderr, "zilch play: the actions ended after %zu steps, before the episode\n", e->steps);
    } else if (actions > e->steps) {
        fprintf(stderr, "zilch play: the episode ended after %zu steps; %zu actions were left over\n",
                e->steps, actions - e->steps);
    }
}

/* One episode, recorded: for a trace, for pictures, or because the actions are given. */
static int play_one(const request *r, const play_actions *actions)
{
    play_episode *e;
    report p = {.request = r};
    const zilch_status status = play_record(&r->setting, actions, &e);
    if (status != ZILCH_OK) {
        return fail_status(r, status);
    }
    p.trace = e;
    int failed = draw(r, e);
    if (!failed && r->trace) {
        failed = print(&p);
    } else if (!failed) {
        failed = report_episodes(r, r->setting.episodes == 1 ? e : NULL);
    }
    if (!failed && actions) {
        compare_lengths(e, actions->count);
    }
    free(e);
    return failed;
}

/* ---- Recorded actions ------------------------------------------------------------------------- */

static const char remedy[] = "actions are two numbers a row, main engine and side engines, from -1 to 1";

static int replay(const request *r)
{
    dataset t;
    dataset_error error;
    int status = CLI_FAILED;
    if (dataset_read_any(&t, r->actions, &error)) {
        return error.is_unreadable ? cli_fail("%s", error.text) : cli_fail("%s; %s", error.text, remedy);
    }
    if (t.cols != ZILCH_LANDER_ACTIONS) {
        cli_fail("%s: has %zu column%s; %s", strcmp(r->actions, "-") == 0 ? "standard input" : r->actions,
                 t.cols, t.cols == 1 ? "" : "s", remedy);
    } else {
        const play_actions actions = {t.x, t.rows};
        status = play_one(r, &actions);
    }
    dataset_free(&t);
    return status;
}

int cmd_play(int argc, char **argv)
{
    request r = {.setting = {.options = zilch_lander_defaults(), .episodes = 1}, .controller = published};
    const int usage = parse(&r, argc, argv);
    if (usage) {
        return usage;
    }
    r.setting.options.lanes = (unsigned)r.lanes;
    cli_watch_signals();
    if (r.actions) {
        return replay(&r);
    }
    if (play_controller_read(&r.setting.controller, r.controller)) {
        return CLI_FAILED;
    }
    int status = device_open(&r.setting.device, "play", r.device);
    if (!status) {
        status = r.trace || r.svg || r.html ? play_one(&r, NULL) : report_episodes(&r, NULL);
    }
    device_close(r.setting.device);
    return status;
}
