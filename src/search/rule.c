/* The user's own rule: a function that turns a point into an allowed one. It is called wherever a point is
 * made, after the library has made the point keep the limits on coordinates, and before anything looks at the
 * point. So the archive, the search for repeats and the models know only what the rule has left. */
#include "search/optimizer.h"

#include <float.h>
#include <math.h>

zilch_status zi_rule_apply(const zi_constraints *c, double *x)
{
    const zi_rule *rule = &c->rule;
    if (!rule->repair) {
        return ZILCH_OK;
    }
    for (size_t i = 0; i < c->dim; i++) {
        x[i] = fmax(-DBL_MAX, fmin(DBL_MAX, x[i])); /* of a law that is too wide */
    }
    zi_error_clear();
    zi_allowed_values(&c->allowed, x);
    const zilch_status status = rule->repair(rule->context, c->dim, x);
    if (status != ZILCH_OK) {
        return *zilch_last_error()
                   ? status
                   : zi_fail(status, "ask: the repair function failed: %s", zilch_status_text(status));
    }
    zi_allowed_offsets(&c->allowed, x);
    for (size_t i = 0; i < c->dim; i++) {
        x[i] += 0.0; /* not -0.0 */
    }
    const zilch_status kept = zi_constraints_check(c, x);
    return kept == ZILCH_OK ? ZILCH_OK : zi_fail_within(kept, "ask: the repair function broke a limit");
}

zilch_status zi_rule_check(const zi_constraints *c)
{
    return !c->rule.is_needed || c->rule.repair
               ? ZILCH_OK
               : zi_fail(
                     ZILCH_ESTATE,
                     "this run has a repair function, and a file cannot keep one; set it again before you "
                     "go on: zilch_optimizer_set_repair(), or repair= in Python");
}

zilch_status zilch_optimizer_set_repair(zilch_optimizer *o, zilch_repair repair, void *context)
{
    if (!o) {
        return zi_fail(ZILCH_EARG, "repair: no optimizer given");
    }
    zi_rule *rule = &o->constraints.rule;
    const int has_begun = o->generations > 0 || o->slots > 0;
    if (has_begun && !rule->is_needed) {
        return zi_fail(ZILCH_ESTATE, "repair: the function must be set before the first ask");
    }
    if (has_begun && (!repair || rule->repair)) {
        return zi_fail(ZILCH_ESTATE, "repair: the function cannot be %s after the first ask",
                       repair ? "set again" : "taken away");
    }
    *rule = (zi_rule){.repair = repair, .context = context, .is_needed = repair != NULL};
    return ZILCH_OK;
}
