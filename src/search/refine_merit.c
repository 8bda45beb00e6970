/* What a violation costs the refinement, which models one number. A point that breaks limits which only its
 * evaluation knows has a merit: its value and rho times its violation, an exact penalty (Zangwill 1967;
 * Conn, Gould and Toint 2000, section 14.5). Which of two points is better is never a matter of rho: the one
 * of the lesser violation is (refine.c). So rho may follow from the points that are known now, and may fall
 * as well as rise.
 *
 * While the incumbent is feasible, rho is twice the least that makes no known point cheaper than it; a
 * violation that is tiny beside the largest one counts as a hundredth of that, or it would make rho without
 * bound and the model a cliff. While it is not, violations outweigh values a hundred times, and what is
 * minimised is the violation. */
#include "search/refine.h"
#include "search/refine_model.h"

#include <math.h>

static const double margin = 2.0;
static const double tiny = 0.01;      /* as a share of the largest violation */
static const double outweigh = 100.0; /* values by violations, while nothing is feasible */

/* Numbers of the points that are known. */
typedef struct spread {
    double least_cost, most_cost;
    double least_violation, most_violation;
} spread;

/* The point's cost, with the penalty. `base_parts` are what the base costs (zi_refine_parts()). */
static double cost_at(const zi_refine *r, size_t row, double base_parts)
{
    const zi_points *p = &r->points;
    double parts = base_parts;
    for (size_t k = p->begin[row]; k < p->begin[row] + p->length[row]; k++) {
        const size_t i = p->coordinate[k];
        parts += r->part[i] * ((double)(p->entry[k] != 0.0) - (double)(p->base[i] != 0.0));
    }
    return p->value[row] + r->state.penalty * parts;
}

static spread look_at_points(const zi_refine *r, double base_parts)
{
    const zi_points *p = &r->points;
    spread s = {INFINITY, -INFINITY, INFINITY, 0.0};
    for (size_t age = 0; age < p->count; age++) {
        const size_t row = zi_points_row(p, age);
        const double cost = cost_at(r, row, base_parts);
        s.least_cost = fmin(s.least_cost, cost);
        s.most_cost = fmax(s.most_cost, cost);
        s.least_violation = fmin(s.least_violation, p->violation[row]);
        s.most_violation = fmax(s.most_violation, p->violation[row]);
    }
    return s;
}

static double rho_of_feasible(const zi_refine *r, const spread *s, double base_parts)
{
    const zi_points *p = &r->points;
    const double cost = zi_refine_cost(r, r->state.told, r->x);
    const double floor = tiny * s->most_violation;
    double rho = 0.0;
    for (size_t age = 0; age < p->count; age++) {
        const size_t row = zi_points_row(p, age);
        if (p->violation[row] > 0.0) {
            const double gain = cost - cost_at(r, row, base_parts);
            rho = fmax(rho, margin * gain / fmax(p->violation[row], floor));
        }
    }
    return rho;
}

static double rho_of_infeasible(const spread *s)
{
    const double costs = s->most_cost - s->least_cost;
    const double violations = s->most_violation - s->least_violation;
    return violations > 0.0 && costs > 0.0 ? outweigh * costs / violations : violations > 0.0;
}

int zi_refine_has_violations(const zi_refine *r)
{
    for (size_t age = 0; age < r->points.count; age++) {
        if (r->points.violation[zi_points_row(&r->points, age)] > 0.0) {
            return 1;
        }
    }
    return r->state.violation > 0.0 || r->state.rho > 0.0;
}

void zi_refine_weigh(zi_refine *r)
{
    zi_refine_state *state = &r->state;
    if (!zi_refine_has_violations(r)) {
        state->rho = 0.0;
        return;
    }
    const double base_parts = zi_refine_parts(r, r->points.base);
    const spread s = look_at_points(r, base_parts);
    const double rho = state->violation > 0.0 ? rho_of_infeasible(&s) : rho_of_feasible(r, &s, base_parts);
    state->rho = isfinite(rho * (s.most_violation + state->violation)) ? rho : 0.0;
    state->value = zi_refine_merit(r, state->told, state->violation);
    if (!isfinite(state->value)) { /* beyond all numbers: nothing but values is left to go by */
        state->rho = 0.0;
        state->value = state->told;
    }
}
