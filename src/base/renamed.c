/* What zilch 0.1 called its options, so that a script of then is told the name of today. */
#include "base/status.h"

#include <string.h>

static const struct {
    const char *before, *now; /* "": there is no such option any more */
} names[] = {
    {"law", "method"},
    {"preset", "method"},
    {"price", "penalty"},
    {"archive", "aggregate"},
    {"again", "reevaluate"},
    {"share", "quorum"},
    {"remember", "archive_size"},
    {"shift", "mean_shift"},
    {"copied", "recombination"},
    {"redrawn", "immigrants"},
    {"timid", "reactivation"},
    {"widened", "variance_scaling"},
    {"active_least", "min_active"},
    {"active_most", "max_active"},
    {"on", "forced_on"},
    {"off", "forced_off"},
    {"shortlist", "final_candidates"},
    {"recheck", "final_evaluations"},
    {"recommend", "final_evaluations"},
    {"prune", "final_pruning"},
    {"most_failures", "max_failures"},
    {"most_steps", "max_steps"},
    {"restart", ""},
    {"over_ask", ""},
    {"prior_p", ""},
    {"prior_mu", ""},
    {"prior_correlation", ""},
    {"values", ""},
};

static int is_same(const char *name, const char *given)
{
    for (; *name && (*name == *given || (*name == '_' && *given == '-')); name++, given++) {
    }
    return !*name && !*given;
}

const char *zilch_option_renamed(const char *name)
{
    for (size_t i = 0; name && i < sizeof names / sizeof *names; i++) {
        if (is_same(names[i].before, name)) {
            return names[i].now;
        }
    }
    return NULL;
}
