/* A new run: its problem, its optimiser and its place in a study. */
#include "run/search.h"

#include "request/search_program.h"
#include "run/device.h"
#include "run/ranks.h"
#include "study/run_record.h"
#include "study/show_study.h"
#include "terminal/cli.h"

#include <stdlib.h>
#include <string.h>

/* The run goes on from what was recorded, or is over. */
static zilch_status go_on(search *s)
{
    zilch_optimizer_destroy(s->optimizer);
    s->optimizer = NULL;
    const zilch_status status = zilch_study_resume(s->study, s->run, &s->optimizer);
    return status == ZILCH_OK && !s->is_over ? zilch_study_set_limits(s->study, s->run, &s->request->limits)
                                             : status;
}

/* The same request twice is one run: every value of it would be the same again. */
static int start(search *s)
{
    run_record record;
    const int failed = run_record_make(&record, s->request, &s->problem);
    zilch_status status = failed ? ZILCH_OK : zilch_study_open(&s->study, s->path, ZILCH_STUDY_CREATE);
    if (!failed && status == ZILCH_OK) {
        status = zilch_study_find(s->study, &record.request, s->optimizer, &s->run, &s->is_over);
    }
    if (!failed && status == ZILCH_OK) {
        status = s->run ? go_on(s) : zilch_study_start(s->study, &record.request, s->optimizer, &s->run);
    }
    run_record_free(&record);
    return failed || status == ZILCH_OK ? failed : cli_fail_library();
}

static int begin(search *s, char **path)
{
    const search_request *r = s->request;
    int status = device_open(&s->device, r->command, r->device);
    status = status ? status : search_problem_open(&s->problem, r);
    status = status ? status : device_attach(s->device, s->problem.problem);
    status = status ? status : search_problem_start(&s->problem, r);
    status = status ? status : search_optimizer_create(r, &s->problem, &s->optimizer);
    if (status) {
        return status;
    }
    const char *name = r->study ? r->study : s->problem.info.name;
    const size_t size = strlen(name) + sizeof ".study";
    *path = malloc(size);
    if (!*path) {
        return cli_fail("out of memory");
    }
    snprintf(*path, size, "%s%s", name, r->study ? "" : ".study");
    s->path = *path;
    return start(s);
}

int search_begin(const search_request *r)
{
    search_request asked = *r;
    search s = {.request = &asked, .more = r->device == DEVICE_CUDA ? " --device cuda" : ""};
    char *path = NULL;
    char *names;
    cli_watch_signals();
    int status = search_program_greet(&asked, &names);
    status = status ? status : begin(&s, &path);
    status = status ? status : ranks_open(&asked, s.problem.text);
    status = status ? status : search_run(&s);
    zilch_study_close(s.study); /* before a signal ends the program: it leaves one file */
    zilch_optimizer_destroy(s.optimizer);
    search_problem_close(&s.problem);
    device_close(s.device);
    if (!status && r->is_json) {
        status = show_study(path, s.run, 1, 0);
    }
    free(path);
    free(names);
    if (status) {
        cli_end_if_stopped();
    }
    return status;
}
