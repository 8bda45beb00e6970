/* Which run of a study a request means: so that the same call goes on with it, or gets its result, and does
 * not begin it once more. */
#include "store/study.h"

#include "search/optimizer.h"

#include <string.h>

typedef struct seeking {
    zilch_study *study;
    const zilch_request *request;
    const zilch_optimizer *optimizer;
    zilch_limits limits;
    uint64_t run;
    int is_over;
} seeking;

static int has_limits(const zilch_limits *a, const zilch_limits *b)
{
    char one[ZILCH_OPTION_SIZE];
    char other[ZILCH_OPTION_SIZE];
    size_t count;
    const zilch_option *row = zilch_limit_list(&count);
    for (size_t i = 0; i < count; i++) {
        zilch_option_format(&row[i], a, one);
        zilch_option_format(&row[i], b, other);
        if (strcmp(one, other) != 0) {
            return 0;
        }
    }
    return 1;
}

static int is_within(const zilch_run *run, const zilch_limits *limits)
{
    return (!limits->evaluations || run->evaluations <= limits->evaluations) &&
           (!limits->generations || run->generations <= limits->generations);
}

/* Bounds, penalties and other arrays are not settings of a run, or only as names of files. */
static zilch_status has_same_options(const seeking *s, const zilch_run *run, int *is_same)
{
    zilch_optimizer *kept;
    ZI_TRY(zilch_study_resume(s->study, run->run, &kept));
    if (run->penalty != zi_run_first_penalty(run)) {
        kept->options.penalty = s->optimizer->options.penalty; /* which zilch_run_matches() has compared */
    }
    const zilch_status status = zi_optimizer_options_same(s->optimizer, kept, is_same);
    zilch_optimizer_destroy(kept);
    return status;
}

/* The first that has not ended, or else the last that has. */
static zilch_status consider(void *context, const zilch_run *run)
{
    seeking *s = context;
    int is_same;
    const int is_open =
        run->stop == ZILCH_STOP_NONE || run->stop == ZILCH_STOP_OBSERVER || run->stop == ZILCH_STOP_ASKED;
    if ((s->run && !s->is_over) || run->seed != s->optimizer->seed ||
        !zilch_run_matches(run, s->request, s->optimizer)) {
        return ZILCH_OK;
    }
    const int is_over = !is_open && has_limits(run->request.limits, &s->limits);
    if (!is_open && !is_over && !is_within(run, &s->limits)) {
        return ZILCH_OK;
    }
    ZI_TRY(has_same_options(s, run, &is_same));
    if (is_same) {
        s->run = run->run;
        s->is_over = is_over;
    }
    return ZILCH_OK;
}

zilch_status zilch_study_find(zilch_study *study, const zilch_request *request,
                              const zilch_optimizer *optimizer, uint64_t *run, int *is_over)
{
    if (!study || !request || !optimizer || !run || !is_over) {
        return zi_fail(ZILCH_EARG,
                       "study: it, a request, its optimiser and places for the answer must be given");
    }
    seeking s = {.study = study,
                 .request = request,
                 .optimizer = optimizer,
                 .limits = request->limits ? *request->limits : zilch_limits_defaults()};
    *run = 0;
    *is_over = 0;
    ZI_TRY(zilch_study_runs(study, consider, &s));
    *run = s.run;
    *is_over = s.is_over;
    return ZILCH_OK;
}
