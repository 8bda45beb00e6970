/* A new run: its problem, its optimiser and its place in a study. */
#include "search.h"

#include "cli.h"
#include "ranks.h"
#include "search_texts.h"

#include <stdlib.h>
#include <string.h>

static int start(search *s, int argc, char **argv)
{
    search_texts texts;
    if (search_texts_make(&texts, s->request, &s->problem, argc, argv)) {
        return CLI_FAILED;
    }
    zilch_status status = zilch_study_open(&s->study, s->path, ZILCH_STUDY_CREATE);
    if (status == ZILCH_OK) {
        status = zilch_study_start(s->study, &texts.run, s->optimizer, &s->run);
    }
    search_texts_free(&texts);
    return status == ZILCH_OK ? 0 : cli_fail_library();
}

static int begin(search *s, char **path, int argc, char **argv)
{
    const search_request *r = s->request;
    int status = search_problem_open(&s->problem, r);
    if (!status) {
        status = search_problem_start(&s->problem, r);
    }
    if (!status) {
        status = search_optimizer_create(r, &s->problem.info, &s->optimizer);
    }
    if (status) {
        return status;
    }
    const size_t size = strlen(s->problem.info.name) + sizeof ".study";
    *path = r->study ? strdup(r->study) : malloc(size);
    if (!*path) {
        return cli_fail("out of memory");
    }
    if (!r->study) {
        snprintf(*path, size, "%s.study", s->problem.info.name);
    }
    s->path = *path;
    return start(s, argc, argv);
}

int search_begin(const search_request *r, int argc, char **argv)
{
    search s = {.request = r, .more = ""};
    char *path = NULL;
    cli_watch_signals();
    int status = begin(&s, &path, argc, argv);
    if (!status) {
        status = ranks_open(argc, argv, r->limits.threads);
    }
    if (!status) {
        status = search_run(&s);
    }
    zilch_study_close(s.study); /* before a signal ends the program: it leaves one file */
    zilch_optimizer_destroy(s.optimizer);
    search_problem_close(&s.problem);
    free(path);
    if (status) {
        cli_end_if_stopped();
    }
    return status;
}
