/* Searches with random options, over the whole of what is allowed, and with random objectives, good and bad:
 * three generations each, or more where they are small, asked and told in random portions and orders, packed
 * and unpacked on the way, must end in good order, with points that keep their limits, as they are checked
 * here. And random options that are not allowed must be refused in words.
 *
 * Coordinates may be of any size, up to the largest and the smallest numbers: where they have no law, the
 * search begins anew. EOBJECTIVE is right only where all evaluations of a generation failed.
 *
 * ZILCH_CASES and ZILCH_CASE as in property_support.h; ZILCH_OPTIONS_CASES instead of 1,500 and 1,000,
 * as many with sanitizers, which see what options break. */
#include "random_settings.h"

/* ---- Limits, once more ------------------------------------------------------------------------------- */

static double lower_of(const setting *s, size_t i)
{
    return s->o.lower ? s->lower[i] : -INFINITY;
}

static double upper_of(const setting *s, size_t i)
{
    return s->o.upper ? s->upper[i] : INFINITY;
}

static int are_together(const setting *s, size_t i, size_t j)
{
    return i == j || (s->o.group && s->group[i] > 0 && s->group[i] == s->group[j]);
}

/* What is wrong with a coordinate's unit, by all coordinates of it: on 1, off 0, free -1; -2: a
 * contradiction. */
static int state_of(const setting *s, size_t i, size_t *size)
{
    int on = 0, off = 0, zero = 0;
    *size = 0;
    for (size_t j = 0; j < s->dim; j++) {
        if (are_together(s, i, j)) {
            *size += 1;
            on |= s->o.forced && s->forced[j] == ZILCH_FORCED_ON;
            off |= s->o.forced && s->forced[j] == ZILCH_FORCED_OFF;
            zero |= lower_of(s, j) == default_of(s, j) && upper_of(s, j) == default_of(s, j);
        }
    }
    if ((on && off) || (zero && (on || *size > 1))) {
        return -2;
    }
    return on ? 1 : off || zero ? 0 : -1;
}

static int is_first_of_unit(const setting *s, size_t i)
{
    for (size_t j = 0; j < i; j++) {
        if (are_together(s, i, j)) {
            return 0;
        }
    }
    return 1;
}

/* Whether any point keeps the limits: which numbers of active coordinates can be made. */
static int is_possible(const setting *s)
{
    char can[MOST_DIM + 1] = {1};
    for (size_t i = 0; i < s->dim; i++) {
        size_t size;
        const int state = state_of(s, i, &size);
        if (lower_of(s, i) > upper_of(s, i) || state == -2) {
            return 0;
        }
        for (size_t sum = s->dim + 1; is_first_of_unit(s, i) && state != 0 && sum-- > 0;) {
            const int with = sum >= size && can[sum - size];
            can[sum] = (char)(state == 1 ? with : can[sum] || with);
        }
    }
    const size_t most = s->o.max_active ? s->o.max_active : s->dim;
    for (size_t sum = s->o.min_active; sum <= most; sum++) {
        if (can[sum]) {
            return 1;
        }
    }
    return 0;
}

static void check_rows(const setting *s, const double *x, const char *who)
{
    for (size_t r = 0; r < s->o.linear_limit_count; r++) {
        const zilch_linear_limit *l = &s->limit[r];
        long double sum = 0.0, size = 0.0, base = 0.0;
        for (size_t i = 0; i < s->dim; i++) {
            sum += (long double)l->weight[i] * x[i];
            size += fabsl((long double)l->weight[i] * (x[i] - default_of(s, i)));
            base += fabsl((long double)l->weight[i] * default_of(s, i));
        }
        size = fmaxl(size, base);
        if (sum < l->lower - 1.1e-12L * fmaxl(size, fabsl(l->lower)) ||
            sum > l->upper + 1.1e-12L * fmaxl(size, fabsl(l->upper))) {
            fail_msg("%s: limit %zu is %.17Lg, from %.17g to %.17g", who, r, sum, l->lower, l->upper);
        }
    }
}

/* Finite, no negative zero, inactive only at the default, and all limits kept. */
static void check_point(const setting *s, const double *x, const char *who)
{
    size_t active = 0;
    for (size_t i = 0; i < s->dim; i++) {
        size_t size;
        const int state = state_of(s, i, &size);
        const int on = x[i] != default_of(s, i);
        active += (size_t)on;
        const int is_right = isfinite(x[i]) && (x[i] != 0.0 || !signbit(x[i])) &&
                             (state == -1 || state == on) &&
                             (!on || (x[i] >= lower_of(s, i) && x[i] <= upper_of(s, i)));
        int is_allowed = !on || !s->o.values || s->values[i].count == 0;
        for (size_t k = 0; s->o.values && k < s->values[i].count; k++) {
            is_allowed |= x[i] == s->list[k];
        }
        const double steps = on && s->o.step && s->step[i] > 0.0 ? x[i] / s->step[i] : 0.0;
        if (!is_right || !is_allowed || fabs(steps - round(steps)) > 1e-6 + 1e-15 * fabs(steps)) {
            fail_msg("%s: coordinate %zu is %g (%a), from %g to %g, state %d", who, i, x[i], x[i],
                     lower_of(s, i), upper_of(s, i), state);
        }
        for (size_t j = 0; j < i; j++) {
            assert_true(!are_together(s, i, j) || on == (x[j] != default_of(s, j)));
        }
    }
    const size_t most = s->o.max_active ? s->o.max_active : s->dim;
    if (active < s->o.min_active || active > most) {
        fail_msg("%s: %zu active, not from %zu to %zu", who, active, s->o.min_active, most);
    }
    check_rows(s, x, who);
}

static size_t active_in(const setting *s, const double *x)
{
    size_t active = 0;
    for (size_t i = 0; i < s->dim; i++) {
        active += x[i] != default_of(s, i);
    }
    return active;
}

/* ---- Random objectives -------------------------------------------------------------------------------- */

enum objective_kind { SPHERE, NOISY, SOMETIMES_FAILS, CONSTANT, HUGE_VALUES, TINY, WHOLE, NEVER, KINDS };

typedef struct judge {
    enum objective_kind kind;
    int has_errors, has_violations;
} judge;

static double value_of(const judge *j, size_t dim, uint64_t id, const double *x)
{
    static const double failure[] = {NAN, INFINITY, -INFINITY};
    static const double huge[] = {1e300, -1e300, DBL_MAX, -DBL_MAX, 1.0, 0.0};
    zilch_rng rng = zilch_rng_make(99, id);
    double sum = 0.0;
    for (size_t i = 0; i < dim; i++) {
        sum += fmin(fabs(x[i] - (i % 3 == 0)), 1e100);
    }
    switch (j->kind) {
    case NOISY:
        return sum + zilch_rng_normal(&rng);
    case SOMETIMES_FAILS:
        return chance(&rng, 0.5) ? failure[pick(&rng, 0, 2)] : sum;
    case CONSTANT:
        return 7.0;
    case HUGE_VALUES:
        return huge[pick(&rng, 0, COUNT(huge) - 1)];
    case TINY:
        return sum * 1e-300 * zilch_rng_normal(&rng);
    case WHOLE:
        return floor(3.0 * zilch_rng_uniform(&rng));
    case NEVER:
        return failure[pick(&rng, 0, 2)];
    default:
        return sum;
    }
}

static double error_of(uint64_t id)
{
    static const double error[] = {NAN, 0.0, 1.0, 1e-300, 1e300, 0.01, DBL_TRUE_MIN, DBL_MAX};
    zilch_rng rng = zilch_rng_make(98, id);
    return chance(&rng, 0.5) ? of_any_size(&rng, -2.0, 2.0) : error[pick(&rng, 0, COUNT(error) - 1)];
}

static double violation_of(const judge *j, uint64_t id)
{
    static const double violation[] = {0.0, 0.0, 1.0, 1e-300, 1e300, 0.01};
    zilch_rng rng = zilch_rng_make(97, id);
    return j->has_violations ? violation[pick(&rng, 0, COUNT(violation) - 1)] : 0.0;
}

static zilch_status objective(void *context, const zilch_batch *batch, double *value)
{
    const judge *j = context;
    for (size_t i = 0; i < batch->n; i++) {
        value[i] = value_of(j, batch->dim, batch->id[i], batch->x + i * batch->dim);
        if (batch->error && j->has_errors) {
            batch->error[i] = error_of(batch->id[i]);
        }
        if (batch->violation) {
            batch->violation[i] = violation_of(j, batch->id[i]);
        }
    }
    return ZILCH_OK;
}

enum { MOST_PENDING = 1000 };

/* ---- Running ------------------------------------------------------------------------------------------- */

typedef struct run {
    const setting *s;
    judge judge;
    zilch_rng rng;
    zilch_optimizer *search;
    size_t pending; /* asked for, not told */
    uint64_t id[MOST_PENDING];
    double x[MOST_PENDING * MOST_DIM];
} run;

/* What may come but OK, and in words. */
static void check_status(run *r, zilch_status status, const char *who)
{
    const int may_fail = r->judge.kind == SOMETIMES_FAILS || r->judge.kind == NEVER;
    if (status == ZILCH_OK || (status == ZILCH_EOBJECTIVE && may_fail)) {
        return;
    }
    fail_msg("%s: %s: %s", who, zilch_status_text(status), zilch_last_error());
}

static void ask_any(run *r)
{
    const size_t dim = r->s->dim;
    size_t wanted = 0;
    check_status(r, zilch_optimizer_wanted(r->search, &wanted), "wanted");
    const int is_alone = r->s->o.population && !r->search->turns.refine;  /* the distribution */
    const size_t most = is_alone ? 3 * r->s->o.population : MOST_PENDING; /* so many are remembered */
    const size_t room = most - (r->pending < most ? r->pending : most);
    const size_t n = pick(&r->rng, 0, room < 2 * wanted + 2 ? room : 2 * wanted + 2);
    double *x = r->x + r->pending * dim;
    const zilch_status status = zilch_optimizer_ask(r->search, n, r->id + r->pending, x);
    check_status(r, status, "ask");
    if (status == ZILCH_OK) {
        for (size_t i = 0; i < n; i++) {
            check_point(r->s, x + i * dim, "ask");
        }
        r->pending += n;
    }
}

/* Some of those that are out, in random order. */
static void tell_any(run *r)
{
    const size_t dim = r->s->dim;
    const size_t n = chance(&r->rng, 0.5) ? r->pending : pick(&r->rng, 0, r->pending);
    uint64_t id[MOST_PENDING];
    double value[MOST_PENDING], error[MOST_PENDING], violation[MOST_PENDING];
    for (size_t k = 0; k < n; k++) {
        const size_t at = pick(&r->rng, 0, r->pending - 1);
        id[k] = r->id[at];
        value[k] = value_of(&r->judge, dim, id[k], r->x + at * dim);
        error[k] = r->judge.has_errors ? error_of(id[k]) : NAN;
        violation[k] = violation_of(&r->judge, id[k]);
        r->pending--;
        r->id[at] = r->id[r->pending];
        memmove(r->x + at * dim, r->x + r->pending * dim, dim * sizeof *r->x);
    }
    const zilch_status status =
        r->judge.has_violations ? zilch_optimizer_tell_violation(r->search, n, id, value, error, violation)
        : r->judge.has_errors   ? zilch_optimizer_tell_error(r->search, n, id, value, error)
                                : zilch_optimizer_tell(r->search, n, id, value);
    check_status(r, status, "tell");
    if (status == ZILCH_EOBJECTIVE) {
        r->pending = 0; /* they may be asked again */
    }
}

/* A point that is out, told as if it came from elsewhere. */
static void tell_foreign(run *r)
{
    if (r->pending) {
        check_status(r, zilch_optimizer_tell_point(r->search, r->x, value_of(&r->judge, r->s->dim, 5, r->x)),
                     "tell point");
    }
}

static void exchange(run *r)
{
    zilch_optimizer *copy = copy_of(r->search);
    assert_true(is_same_state(copy, r->search));
    zilch_optimizer_destroy(r->search);
    r->search = copy;
}

static void take_a_step(run *r)
{
    ask_any(r);
    if (chance(&r->rng, 0.3)) {
        exchange(r);
    }
    tell_any(r);
    if (chance(&r->rng, 0.1)) {
        tell_foreign(r);
    }
    if (chance(&r->rng, 0.1)) {
        check_status(r, zilch_optimizer_advance(r->search), "advance");
    }
    assert_true(zi_optimizer_is_valid(r->search));
}

/* ---- What it says in the end ------------------------------------------------------------------------------
 */

/* To minimise: the default method counts on two standard errors less. */
static double careful_value(const run *r, const zilch_record *record)
{
    const double value = r->s->o.direction == ZILCH_MINIMIZE ? record->value : -record->value;
    const int is_careful =
        r->s->o.method == ZILCH_METHOD_DEFAULT && record->error > 0.0 && !(record->violation > 0.0);
    return is_careful ? value + 2.0 * record->error : value;
}

static void read_all(run *r)
{
    const zilch_progress p = zilch_optimizer_progress(r->search);
    double x[MOST_DIM];
    zilch_record record;
    zilch_record front[MOST_DIM + 1];
    size_t count;
    assert_true(!isinf(p.noise));
    for (uint64_t k = 0; k < p.points; k++) {
        const zilch_status status = zilch_optimizer_point(r->search, k, x, &record);
        assert_true(status == ZILCH_OK || (status == ZILCH_ESTATE && r->s->o.archive_size));
        if (status == ZILCH_OK) {
            check_point(r->s, x, "aggregate");
            assert_int_equal(record.active, active_in(r->s, x));
        }
    }
    assert_int_equal(zilch_optimizer_front(r->search, COUNT(front), front, &count), ZILCH_OK);
    for (size_t k = 1; k < count; k++) {
        assert_true(front[k].active > front[k - 1].active &&
                    careful_value(r, &front[k]) < careful_value(r, &front[k - 1]));
    }
    const zilch_status best =
        zilch_optimizer_best(r->search, x, &record); /* counts an open generation, as the front */
    assert_int_equal(best, count ? ZILCH_OK : ZILCH_ESTATE);
    const int may_fall = r->s->o.aggregate == ZILCH_AGGREGATE_LATEST; /* of the only one, if it fails now */
    assert_true(count || may_fall || isnan(p.best_value));
}

static void draw_from_model(run *r)
{
    zilch_model *model;
    double x[MOST_DIM];
    const zilch_status status = zilch_optimizer_model(r->search, &model);
    if (status != ZILCH_OK) {
        assert_null(model);
        assert_true(*zilch_last_error());
        assert_true(status == ZILCH_ESTATE || (status == ZILCH_ENUMERIC && r->s->is_wild));
        return;
    }
    assert_int_equal(zilch_model_sample(model, &r->rng, 1, x), ZILCH_OK);
    zilch_model_destroy(model);
}

static void recommend(run *r)
{
    zilch_final_options o = zilch_final_defaults(ZILCH_METHOD_DEFAULT);
    o.final_candidates = pick(&r->rng, 1, 30);
    o.final_evaluations = o.final_candidates + pick(&r->rng, 0, 200);
    o.final_pruning = (int)pick(&r->rng, 0, 1);
    double x[MOST_DIM];
    zilch_recommendation out;
    const zilch_status status = zilch_optimizer_recommend(r->search, objective, &r->judge, &o, x, &out);
    if (isnan(zilch_optimizer_progress(r->search).best_value)) {
        assert_int_equal(status, ZILCH_ESTATE);
        return;
    }
    assert_int_equal(status, ZILCH_OK);
    check_point(r->s, x, "recommend");
    assert_int_equal(out.active, active_in(r->s, x));
    assert_true(out.evaluations || !out.failures ? isfinite(out.mean) : isnan(out.mean));
    assert_true(out.spent <= o.final_evaluations);
}

static void run_generations_of(const setting *s, zilch_rng rng, size_t *anew)
{
    static run r;
    r = (run){.s = s, .rng = rng, .search = create_with(s->dim, rng.stream, &s->o)};
    r.judge.kind = chance(&r.rng, 0.3) ? SPHERE : (enum objective_kind)pick(&r.rng, 0, KINDS - 1);
    r.judge.has_errors = chance(&r.rng, 0.3);
    r.judge.has_violations = chance(&r.rng, 0.2);
    for (int step = 0; step < 100; step++) {
        take_a_step(&r);
        const zilch_progress p = zilch_optimizer_progress(r.search);
        if ((p.generations >= 3 && p.evaluations >= 60) || p.evaluations >= 400 ||
            (r.judge.kind == NEVER && step > 5)) {
            break;
        }
    }
    const zilch_progress p = zilch_optimizer_progress(r.search);
    assert_true(r.judge.kind == NEVER || p.generations >= 3 || p.evaluations >= 400);
    *anew += zilch_optimizer_progress(r.search).restarts > 0;
    exchange(&r);
    read_all(&r);
    draw_from_model(&r);
    recommend(&r);
    zilch_optimizer_destroy(r.search);
}

static void pick_both(zilch_rng *rng, zilch_rng *defaults, setting *s)
{
    pick_setting(rng, s);
    pick_defaults(defaults, s);
}

/* Limits for which zilch says that it cannot find out in time whether a point keeps them. There is one. */
static int takes_too_long(const setting *s)
{
    zilch_optimizer *o = NULL;
    const int is_refused = s->o.linear_limit_count &&
                           zilch_optimizer_create(&o, s->dim, 1, &s->o) == ZILCH_EARG &&
                           strstr(zilch_last_error(), "it takes too long to find out");
    zilch_optimizer_destroy(o);
    return is_refused;
}

static void random_options_run(void **state)
{
    (void)state;
    const cases c =
        cases_of("options: three generations", SLOWNESS * number_from("ZILCH_OPTIONS_CASES", 1500));
    size_t impossible = 0, anew = 0, too_long = 0;
    for (size_t k = c.first; k < c.end; k++) {
        zilch_rng rng = zilch_rng_make(21, k);
        setting s;
        at_case = k;
        zilch_rng defaults = zilch_rng_make(22, k);
        for (pick_both(&rng, &defaults, &s); !is_possible(&s); pick_both(&rng, &defaults, &s)) {
            zilch_optimizer *none;
            assert_int_equal(zilch_optimizer_create(&none, s.dim, k, &s.o), ZILCH_EARG);
            assert_null(none);
            assert_true(*zilch_last_error());
            impossible++;
        }
        pick_linear_limits(&rng, &s);
        if (takes_too_long(&s)) {
            too_long++;
            continue;
        }
        run_generations_of(&s, rng, &anew);
    }
    at_case = SIZE_MAX;
    report_cases(&c);
    assert_true(too_long <= 1 + (c.end - c.first) / 2000); /* one of 12,000 does */
    print_message("      %zu others had limits that no point keeps; %zu began anew beyond all numbers\n",
                  impossible, anew);
}

/* ---- Options that are not allowed
 * -------------------------------------------------------------------------- */

static double not_a_share(zilch_rng *rng, double most)
{
    const double bad[] = {
        NAN, INFINITY, -INFINITY, -DBL_TRUE_MIN, -1.0, nextafter(most, INFINITY), 2.0 * most + 1.0};
    return bad[pick(rng, 0, COUNT(bad) - 1)];
}

static double not_finite(zilch_rng *rng)
{
    const double bad[] = {NAN, INFINITY, -INFINITY};
    return bad[pick(rng, 0, COUNT(bad) - 1)];
}

static int no_choice(zilch_rng *rng, int count)
{
    return chance(rng, 0.5) ? count + (int)pick(rng, 0, 100) : -1 - (int)pick(rng, 0, 100);
}

/* Choices, sizes and counts. */
static void break_choice(zilch_rng *rng, setting *s)
{
    zilch_optimizer_options *o = &s->o;
    switch (pick(rng, 0, 14)) {
    case 0:
        o->size += pick(rng, 1, 8);
        break;
    case 1:
        o->method = (zilch_method)no_choice(rng, 5);
        break;
    case 2:
        o->direction = (zilch_direction)no_choice(rng, 2);
        break;
    case 3:
        o->aggregate = (zilch_aggregate)no_choice(rng, 3);
        break;
    case 4:
        o->reevaluate = (zilch_reevaluate)no_choice(rng, 3);
        break;
    case 5:
        o->inverter = (zilch_inverter)no_choice(rng, 2);
        break;
    case 6:
        o->shrinkage = (zilch_shrinkage)no_choice(rng, 5);
        break;
    case 7:
        o->projection = (zilch_projection)no_choice(rng, 4);
        break;
    case 8:
        o->structure = (zilch_structure)no_choice(rng, 3);
        break;
    case 9:
        o->rank = chance(rng, 0.5) ? 0 : 1000 + pick(rng, 1, SIZE_MAX / 2);
        break;
    case 10:
        o->weighting = (zilch_weighting)no_choice(rng, 2);
        break;
    case 11:
        o->variance_scaling = no_choice(rng, 2);
        break;
    case 12:
        o->refinement = no_choice(rng, 2);
        break;
    case 13:
        o->smoothing = no_choice(rng, 2);
        break;
    default:
        s->dim = chance(rng, 0.5) ? 0 : 1000001 + pick(rng, 0, SIZE_MAX / 2);
        break;
    }
}

static void break_count(zilch_rng *rng, setting *s)
{
    zilch_optimizer_options *o = &s->o;
    switch (pick(rng, 0, 7)) {
    case 0:
        o->population = pick(rng, 1, 2);
        break;
    case 1:
        o->population = ((size_t)1 << 24) + pick(rng, 1, SIZE_MAX / 2);
        break;
    case 2:
        o->elites = 1;
        break;
    case 3:
        o->elites = o->population + pick(rng, o->population ? 0 : 1, SIZE_MAX / 2);
        break;
    case 4:
        o->archive_size = 1;
        break;
    case 7: /* of an automatic population */
        o->population = 0;
        o->elites = pick(rng, 2, 100);
        o->method = ZILCH_METHOD_DEFAULT;
        break;
    case 5:
        o->max_active = s->dim + pick(rng, 1, SIZE_MAX / 2);
        break;
    default:
        o->min_active = s->dim + pick(rng, 1, SIZE_MAX / 2);
        break;
    }
}

static void break_number(zilch_rng *rng, setting *s)
{
    zilch_optimizer_options *o = &s->o;
    double *const share[] = {&o->initial_p, &o->mean_shift, &o->recombination, &o->immigrants,
                             &o->reactivation};
    double *const finite[] = {&o->initial_mu, &o->penalty, &o->initial_sigma, &o->sigma_floor};
    switch (pick(rng, 0, 6)) {
    case 0:
        *share[pick(rng, 0, COUNT(share) - 1)] = not_a_share(rng, 1.0);
        break;
    case 1:
        o->prior_sigma = not_a_share(rng, 1e6);
        break;
    case 2:
        *finite[pick(rng, 0, COUNT(finite) - 1)] = not_finite(rng);
        break;
    case 3:
        *finite[pick(rng, 1, COUNT(finite) - 1)] = -of_any_size(rng, -300.0, 300.0);
        break;
    case 4:
        o->quorum = chance(rng, 0.3) ? 0.0 : not_a_share(rng, 1.0);
        break;
    case 5:
        o->initial_spread = chance(rng, 0.3) ? 1.0 : not_a_share(rng, 1.0);
        break;
    default:
        o->margin = not_a_share(rng, (double)s->dim / 2.0);
        break;
    }
}

/* Where no search can begin. */
static void break_guess(zilch_rng *rng, setting *s)
{
    const size_t i = pick(rng, 0, s->dim - 1);
    switch (pick(rng, 0, 5)) {
    case 5:
        s->o.defaults = s->defaults;
        s->defaults[i] = not_finite(rng);
        break;
    case 0:
        s->o.x0 = s->x0;
        s->x0[i] = not_finite(rng);
        break;
    case 3:
        s->o.penalties = s->penalties;
        s->penalties[i] = chance(rng, 0.5) ? -1e-300 : not_finite(rng);
        break;
    case 1:
        s->o.scale = s->scale;
        s->scale[i] = chance(rng, 0.3) ? 0.0 : chance(rng, 0.3) ? -1.0 : not_finite(rng);
        break;
    case 2:
        s->o.upper = s->upper;
        s->o.x0 = s->x0;
        s->upper[i] = 0.5;
        s->x0[i] = nextafter(0.5, 1.0);
        break;
    default:
        s->o.method = chance(rng, 0.5) ? ZILCH_METHOD_PUBLISHED : ZILCH_METHOD_EA;
        s->o.x0 = chance(rng, 0.5) ? s->x0 : NULL;
        s->o.scale = s->o.x0 ? NULL : s->scale;
        break;
    }
}

/* Limits that no point keeps, or that are none. */
static void break_limits(zilch_rng *rng, setting *s)
{
    const size_t i = pick(rng, 0, s->dim - 1);
    switch (pick(rng, 0, 5)) {
    case 0:
        s->o.lower = s->lower;
        s->o.upper = s->upper;
        s->lower[i] = fmin(nextafter(s->upper[i], INFINITY), DBL_MAX);
        s->upper[i] = s->lower[i] == DBL_MAX ? 0.0 : s->upper[i];
        break;
    case 1:
        s->o.lower = s->lower;
        s->lower[i] = chance(rng, 0.5) ? NAN : INFINITY;
        break;
    case 2:
        s->o.upper = s->upper;
        s->upper[i] = chance(rng, 0.5) ? NAN : -INFINITY;
        break;
    case 3:
        s->o.forced = s->forced;
        s->forced[i] = (zilch_forced)no_choice(rng, 3);
        break;
    case 4:
        s->o.forced = s->forced;
        s->o.lower = s->lower;
        s->o.upper = s->upper;
        s->forced[i] = ZILCH_FORCED_ON;
        s->lower[i] = s->upper[i] = 0.0;
        break;
    default:
        s->o.forced = s->forced;
        s->o.min_active = s->dim;
        s->o.max_active = chance(rng, 0.5) ? 0 : s->dim;
        s->forced[i] = ZILCH_FORCED_OFF;
        break;
    }
}

static void bad_options_are_refused(void **state)
{
    (void)state;
    static void (*const breakers[])(zilch_rng *, setting *) = {break_choice, break_count, break_number,
                                                               break_limits, break_guess};
    const cases c = cases_of("options: refused", SLOWNESS * number_from("ZILCH_OPTIONS_CASES", 1000));
    for (size_t k = c.first; k < c.end; k++) {
        zilch_rng rng = zilch_rng_make(22, k);
        setting s;
        do {
            pick_setting(&rng, &s);
        } while (!is_possible(&s));
        breakers[k % COUNT(breakers)](&rng, &s);
        zilch_optimizer *none = (zilch_optimizer *)&s; /* anything */
        (void)zilch_fail(ZILCH_OK, NULL);
        const zilch_status status = zilch_optimizer_create(&none, s.dim, k, &s.o);
        if (status != ZILCH_EARG || none || !*zilch_last_error()) {
            fail_msg("case %zu: %s: %s", k, zilch_status_text(status), zilch_last_error());
        }
        for (const char *at = zilch_last_error(); *at; at++) {
            assert_true(*at != '\n');
        }
    }
    report_cases(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(random_options_run, say_case),
        cmocka_unit_test(bad_options_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
