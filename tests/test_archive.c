/* Rows, the archive, selection and the front, against naive ones: an array searched from its beginning, a
 * list of all values ever told, a full sort. */
#include "search_support.h"

/* ---- Rows --------------------------------------------------------------------------------------- */

/* Mostly zeros, some of them negative. */
static void random_row(zilch_rng *rng, size_t width, double *row)
{
    for (size_t i = 0; i < width; i++) {
        const double u = zilch_rng_uniform(rng);
        row[i] = u < 0.5 ? 0.0 : u < 0.6 ? -0.0 : zilch_rng_normal(rng);
    }
}

static void assert_row(const zi_rows *rows, size_t index, const double *expected)
{
    double row[80];
    zi_rows_read(rows, index, row);
    for (size_t i = 0; i < rows->width; i++) {
        assert_true(row[i] == expected[i]);
        assert_false(row[i] == 0.0 && signbit(row[i]));
    }
}

static void rows_are_kept(void **state)
{
    (void)state;
    static const size_t widths[] = {1, 2, 7, 8, 9, 15, 16, 17, 63, 64, 65};
    enum { ROWS = 300 };
    for (size_t k = 0; k < COUNT(widths); k++) {
        const size_t width = widths[k];
        static double all[ROWS * 65];
        zi_rows rows = {.width = width};
        zilch_rng rng = zilch_rng_make(1, k);
        for (size_t i = 0; i < ROWS; i++) {
            random_row(&rng, width, all + i * width);
            assert_int_equal(zi_rows_append(&rows, all + i * width), ZILCH_OK);
            if (i % 5 == 4) { /* one that does not stay */
                zi_rows_take_back(&rows);
                random_row(&rng, width, all + i * width);
                assert_int_equal(zi_rows_append(&rows, all + i * width), ZILCH_OK);
            }
        }
        assert_int_equal(rows.count, ROWS);
        for (size_t i = 0; i < ROWS; i++) {
            size_t length;
            double decoded[65];
            const unsigned char *bytes = zi_rows_bytes(&rows, i, &length);
            assert_row(&rows, i, all + i * width);
            assert_int_equal(length, (width + 7) / 8 + 8 * active_of(width, all + i * width));
            assert_int_equal(zi_row_decode(width, bytes, length, decoded), ZILCH_OK);
            assert_row(&rows, i, decoded);
        }
        zi_rows_free(&rows);
    }
}

/* Every third row is kept, then more are added behind them. */
static void rows_can_be_thinned(void **state)
{
    (void)state;
    enum { WIDTH = 11, ROWS = 100 };
    static double all[ROWS * WIDTH];
    zi_rows rows = {.width = WIDTH};
    zilch_rng rng = zilch_rng_make(2, 0);
    for (size_t i = 0; i < ROWS; i++) {
        random_row(&rng, WIDTH, all + i * WIDTH);
        assert_int_equal(zi_rows_append(&rows, all + i * WIDTH), ZILCH_OK);
    }
    size_t kept = 0;
    for (size_t i = 2; i < ROWS; i += 3) {
        zi_rows_keep(&rows, i, kept++);
    }
    rows.count = kept;
    assert_int_equal(zi_rows_append(&rows, all), ZILCH_OK);
    for (size_t i = 0; i < kept; i++) {
        assert_row(&rows, i, all + (2 + 3 * i) * WIDTH);
    }
    assert_row(&rows, kept, all);
    zi_rows_free(&rows);
}

/* Truncations, lengthenings, bits behind the last entry, entries that are zero or not finite. */
static void damaged_rows_are_refused(void **state)
{
    (void)state;
    enum { WIDTH = 11 };
    const double x[WIDTH] = {0, 1.5, 0, 0, -2, 0, 0, 0, 0, 0, 3};
    static const double bad[] = {0.0, -0.0, NAN, INFINITY, -INFINITY};
    zi_rows rows = {.width = WIDTH};
    double row[WIDTH];
    unsigned char copy[2 + 3 * 8 + 9] = {0};
    size_t length;
    assert_int_equal(zi_rows_append(&rows, x), ZILCH_OK);
    const unsigned char *bytes = zi_rows_bytes(&rows, 0, &length);
    assert_int_equal(length, 2 + 3 * 8);
    for (size_t k = 0; k < length + 9; k++) {
        memcpy(copy, bytes, length);
        assert_int_equal(zi_row_decode(WIDTH, copy, k, row), k == length ? ZILCH_OK : ZILCH_EFORMAT);
    }
    for (size_t bit = 0; bit < 16; bit++) { /* one more or fewer entry than the length says, or spare */
        memcpy(copy, bytes, length);
        copy[bit / 8] ^= (unsigned char)(1U << bit % 8);
        assert_int_equal(zi_row_decode(WIDTH, copy, length, row), ZILCH_EFORMAT);
    }
    memcpy(copy, bytes, length); /* the third entry's bit becomes a spare one: the length is right */
    copy[1] = 1U << 3;
    assert_int_equal(zi_row_decode(WIDTH, copy, length, row), ZILCH_EFORMAT);
    for (size_t k = 0; k < COUNT(bad); k++) {
        memcpy(copy, bytes, length);
        memcpy(copy + 2 + 8, &bad[k], sizeof bad[k]);
        assert_int_equal(zi_row_decode(WIDTH, copy, length, row), ZILCH_EFORMAT);
        assert_non_null(strstr(zilch_last_error(), "coordinate 4"));
    }
    zi_rows_free(&rows);
}

/* ---- A naive archive -------------------------------------------------------------------------------- */

enum { MOST_POINTS = 4000, MOST_TELLINGS = 6000 };

/* Every value ever told, in order, with the number of its point; points by searching from the beginning. */
typedef struct history {
    zilch_aggregate kind;
    zilch_direction direction;
    double penalty;
    double noise; /* of one value, where points are ordered with care */
    size_t width, points, tellings;
    double x[MOST_POINTS * MOST_COORDINATES];
    size_t point[MOST_TELLINGS];
    double value[MOST_TELLINGS], weight[MOST_TELLINGS];
} history;

static size_t look_up(history *h, const double *x)
{
    for (size_t p = 0; p < h->points; p++) {
        size_t same = 0;
        while (same < h->width && h->x[p * h->width + same] == x[same]) {
            same++;
        }
        if (same == h->width) {
            return p;
        }
    }
    assert_true(h->points < MOST_POINTS);
    memcpy(h->x + h->points * h->width, x, h->width * sizeof *x);
    return h->points++;
}

static size_t note_weighted(history *h, const double *x, double value, double weight)
{
    const size_t p = look_up(h, x);
    assert_true(h->tellings < MOST_TELLINGS);
    h->point[h->tellings] = p;
    h->weight[h->tellings] = weight;
    h->value[h->tellings++] = value;
    return p;
}

static size_t note(history *h, const double *x, double value)
{
    return note_weighted(h, x, value, 1.0);
}

/* What was told of a point; of its values, those that count. */
typedef struct counted {
    uint64_t evaluations, failures;
    double latest;
    long double sum, weight;
} counted;

static counted count(const history *h, size_t p)
{
    counted c = {.latest = NAN};
    for (size_t t = 0; t < h->tellings; t++) {
        if (h->point[t] == p) {
            const int ok = isfinite(h->value[t]);
            const int is_second = ok && c.evaluations - c.failures == 1;
            c.evaluations++;
            c.failures += !ok;
            c.latest = ok ? h->value[t] : NAN;
            if (h->kind == ZILCH_AGGREGATE_LATEST || (is_second && h->kind == ZILCH_AGGREGATE_LATER)) {
                c.sum = c.weight = 0.0L;
            }
            c.sum += ok ? (long double)h->weight[t] * h->value[t] : 0.0L;
            c.weight += ok ? h->weight[t] : 0.0L;
        }
    }
    return c;
}

/* What a point is worth, from all that was told of it. */
static zilch_record naive_record(const history *h, size_t p)
{
    zilch_record r = {.point = p, .value = NAN, .active = active_of(h->width, h->x + p * h->width)};
    const counted c = count(h, p);
    r.evaluations = c.evaluations;
    r.failures = c.failures;
    r.value = h->kind == ZILCH_AGGREGATE_LATEST ? c.latest : (double)(c.sum / c.weight); /* 0 / 0 is NaN */
    const double penalty = h->penalty * (double)r.active;
    r.fitness = h->direction == ZILCH_MINIMIZE ? r.value + penalty : r.value - penalty;
    return r;
}

static int is_before(const history *h, const zilch_record *a, const zilch_record *b)
{
    const double sign = h->direction == ZILCH_MINIMIZE ? 1.0 : -1.0;
    double cost_a = sign * a->fitness;
    double cost_b = sign * b->fitness;
    if (h->noise > 0.0) {
        cost_a += 2.0 * h->noise / sqrt((double)count(h, (size_t)a->point).weight);
        cost_b += 2.0 * h->noise / sqrt((double)count(h, (size_t)b->point).weight);
    }
    if (cost_a != cost_b) {
        return cost_a < cost_b;
    }
    return a->point < b->point;
}

/* All that have a value, best first; insertion sort. */
static size_t naive_order(const history *h, zilch_record *out)
{
    size_t count = 0;
    for (size_t p = 0; p < h->points; p++) {
        const zilch_record r = naive_record(h, p);
        if (isnan(r.value)) {
            continue;
        }
        size_t at = count++;
        for (; at > 0 && is_before(h, &r, &out[at - 1]); at--) {
            out[at] = out[at - 1];
        }
        out[at] = r;
    }
    return count;
}

/* To minimise: where points are ordered with care, two standard errors worse. */
static double careful_value(const history *h, const zilch_record *r)
{
    const double value = h->direction == ZILCH_MINIMIZE ? r->value : -r->value;
    return h->noise > 0.0 ? value + 2.0 * (h->noise / sqrt((double)count(h, (size_t)r->point).weight))
                          : value;
}

/* Those that no other dominates, from the sparsest on. */
static size_t naive_front(const history *h, zilch_record *out)
{
    static zilch_record all[MOST_POINTS];
    size_t found = 0;
    const size_t points = naive_order(h, all);
    for (size_t active = 0; active <= h->width; active++) {
        for (size_t i = 0; i < points; i++) {
            int is_beaten = all[i].active != active;
            for (size_t j = 0; j < points && !is_beaten; j++) {
                const double gain = careful_value(h, &all[i]) - careful_value(h, &all[j]);
                const int older = all[j].point < all[i].point;
                is_beaten = all[j].active <= active && gain >= 0.0 &&
                            (all[j].active < active || gain > 0.0 || older) && i != j;
            }
            if (!is_beaten) {
                out[found++] = all[i];
            }
        }
    }
    return found;
}

static int is_close(double a, double b)
{
    return a == b || (isnan(a) && isnan(b)) || fabs(a - b) <= 1e-12 * (1.0 + fabs(a));
}

static void assert_record(const history *h, const zilch_record *got, const zilch_record *expected)
{
    assert_int_equal(got->point, expected->point);
    assert_int_equal(got->active, expected->active);
    assert_int_equal(got->evaluations, expected->evaluations);
    assert_int_equal(got->failures, expected->failures);
    if (h->kind == ZILCH_AGGREGATE_LATEST) {
        assert_true(got->value == expected->value || (isnan(got->value) && isnan(expected->value)));
    }
    assert_true(is_close(got->value, expected->value) && is_close(got->fitness, expected->fitness));
}

/* ---- The archive -------------------------------------------------------------------------------------- */

/* A value now and then fails. Rounded values meet often, so that age must decide; the others never do. */
static double random_value(zilch_rng *rng, int rounded)
{
    static const double failure[] = {NAN, INFINITY, -INFINITY};
    const double u = zilch_rng_uniform(rng);
    const double value = 3.0 * zilch_rng_normal(rng);
    return u < 0.15 ? failure[(int)(u / 0.05)] : rounded ? floor(value) : value;
}

static const zilch_aggregate aggregates[] = {ZILCH_AGGREGATE_LATEST, ZILCH_AGGREGATE_MEAN,
                                             ZILCH_AGGREGATE_LATER};

/* Thousands of points, many of which come again, through several widenings of the table. */
static void a_point_is_found_again(void **state)
{
    (void)state;
    enum { WIDTH = 5, TELLINGS = 6000 };
    static history h;
    h = (history){.width = WIDTH};
    zi_archive a = {.sign = 1.0, .rows.width = WIDTH};
    zilch_rng rng = zilch_rng_make(3, 0);
    for (size_t t = 0; t < TELLINGS; t++) {
        double x[WIDTH];
        size_t point;
        for (size_t i = 0; i < WIDTH; i++) { /* 5^5 different ones */
            x[i] = floor(5.0 * zilch_rng_uniform(&rng)) - 2.0;
        }
        const size_t expected = note(&h, x, 0.0);
        assert_int_equal(zi_archive_find(&a, x, active_of(WIDTH, x), 0.0, &point), ZILCH_OK);
        assert_int_equal(point, expected);
        assert_int_equal(a.entry[point].active, active_of(WIDTH, x));
        zi_archive_put(&a, &(zi_evaluation){.point = point, .weight = 1.0});
    }
    assert_int_equal(a.rows.count, h.points);
    assert_true(h.points > 2500); /* the table began with 1,024 places */
    zi_archive_free(&a);
}

/* `last` gets the number of each point's last telling. */
static void fill_both(zi_archive *a, history *h, uint64_t stream, size_t tellings, size_t *last)
{
    zilch_rng rng = zilch_rng_make(4, stream);
    for (size_t t = 0; t < tellings; t++) {
        double x[6];
        size_t point;
        for (size_t i = 0; i < h->width; i++) {
            x[i] = floor(3.0 * zilch_rng_uniform(&rng));
        }
        const double value = random_value(&rng, h->kind == ZILCH_AGGREGATE_LATEST);
        const double weight = stream % 3 ? exp(3.0 * zilch_rng_normal(&rng)) : 1.0;
        note_weighted(h, x, value, weight);
        assert_int_equal(zi_archive_find(a, x, active_of(h->width, x), 0.0, &point), ZILCH_OK);
        zi_archive_put(a, &(zi_evaluation){.id = t, .point = point, .value = value, .weight = weight});
        last[point] = t;
    }
}

/* Of the points whose last telling has the number `since` or a later one. */
static void check_selection(const zi_archive *a, const zilch_record *order, size_t count, const size_t *last,
                            size_t since, size_t most)
{
    size_t best[300], seen = 0;
    const size_t found = zi_archive_select(a, since, most, best);
    for (size_t i = 0; i < count && seen < most; i++) {
        if (last[order[i].point] >= since) {
            assert_true(seen < found);
            assert_int_equal(best[seen++], order[i].point);
        }
    }
    assert_int_equal(found, seen);
}

/* Latest, mean and later, both directions, with and without care, with and without a penalty, with failures:
 * every record, and the selection of any number of points, of all or of those that were told lately. */
static void selection_is_that_of_a_full_sort(void **state)
{
    (void)state;
    for (unsigned k = 0; k < 40; k++) {
        static history h;
        static zilch_record order[MOST_POINTS];
        static size_t last[MOST_POINTS];
        h = (history){.kind = aggregates[k % COUNT(aggregates)],
                      .direction = k & 2 ? ZILCH_MAXIMIZE : ZILCH_MINIMIZE,
                      .penalty = k & 4 ? 0.5 : 0.0,
                      .noise = k & 8 ? 1.5 : 0.0,
                      .width = 1 + k % 6};
        zi_archive a = {.aggregate = h.kind,
                        .penalty = h.penalty,
                        .noise = h.noise,
                        .sign = k & 2 ? -1.0 : 1.0,
                        .rows.width = h.width};
        fill_both(&a, &h, k, 10 * k, last);
        const size_t count = naive_order(&h, order);
        for (size_t p = 0; p < h.points; p++) {
            const zilch_record got = zi_archive_record(&a, p);
            const zilch_record expected = naive_record(&h, p);
            assert_record(&h, &got, &expected);
        }
        for (size_t most = 0; most <= (count < 298 ? count + 2 : 300); most++) {
            check_selection(&a, order, count, last, 0, most);
            check_selection(&a, order, count, last, 4 * k, most);
        }
        check_selection(&a, order, count, last, 10 * k, 5); /* none is left */
        zi_archive_free(&a);
    }
}

/* What is minimised falls where what the user sees improves. */
static void a_price_makes_active_coordinates_dear(void **state)
{
    (void)state;
    const zi_archive low = {.penalty = 0.25, .sign = 1.0};
    const zi_archive high = {.penalty = 0.25, .sign = -1.0};
    assert_true(zi_archive_cost(&low, 3.0, 4, 0.0) == 4.0 && zi_archive_fitness(&low, 3.0, 4, 0.0) == 4.0);
    assert_true(zi_archive_cost(&high, 3.0, 4, 0.0) == -2.0 && zi_archive_fitness(&high, 3.0, 4, 0.0) == 2.0);
}

/* Their difference is beyond all numbers, their mean is not. */
static void a_mean_of_values_far_apart_is_a_number(void **state)
{
    (void)state;
    const double x[] = {1.0};
    zi_archive a = {.aggregate = ZILCH_AGGREGATE_MEAN, .sign = 1.0, .rows.width = 1};
    size_t point;
    assert_int_equal(zi_archive_find(&a, x, 1, 0.0, &point), ZILCH_OK);
    zi_archive_put(&a, &(zi_evaluation){.point = point, .value = DBL_MAX, .weight = 1.0});
    zi_archive_put(&a, &(zi_evaluation){.point = point, .value = -DBL_MAX, .weight = 1.0});
    assert_true(zi_archive_record(&a, point).value == 0.0);
    zi_archive_put(&a, &(zi_evaluation){.point = point, .value = 0.75 * DBL_MAX, .weight = 1.0});
    assert_double_equal(zi_archive_record(&a, point).value, 0.25 * DBL_MAX, 1e-12 * DBL_MAX);
    zi_archive_free(&a);
}

/* ---- A whole search ---------------------------------------------------------------------------------- */

static void check_progress(const history *h, const zilch_optimizer *o, size_t generations,
                           const zilch_record *order, size_t count)
{
    const zilch_progress progress = zilch_optimizer_progress(o);
    size_t failures = 0;
    for (size_t t = 0; t < h->tellings; t++) {
        failures += isfinite(h->value[t]) ? 0 : 1;
    }
    assert_int_equal(progress.generations, generations);
    assert_int_equal(progress.evaluations, h->tellings);
    assert_int_equal(progress.failures, failures);
    assert_int_equal(progress.points, h->points);
    assert_int_equal(progress.waiting, 0);
    assert_true(count > 0);
    assert_true(is_close(progress.best_value, order->value));
    assert_true(is_close(progress.best_fitness, order->fitness));
    assert_int_equal(progress.best_active, order->active);
}

static void check_reading(const history *h, const zilch_optimizer *o, const zilch_record *order, size_t count)
{
    static zilch_record got[MOST_POINTS], front[MOST_POINTS];
    double x[MOST_COORDINATES];
    size_t found;
    for (size_t p = 0; p < h->points; p++) {
        const zilch_record expected = naive_record(h, p);
        assert_int_equal(zilch_optimizer_point(o, p, x, got), ZILCH_OK);
        assert_record(h, got, &expected);
        assert_memory_equal(x, h->x + p * h->width, h->width * sizeof *x);
    }
    assert_int_equal(zilch_optimizer_best(o, x, got), ZILCH_OK);
    assert_record(h, got, order);
    assert_memory_equal(x, h->x + order->point * h->width, h->width * sizeof *x);
    assert_int_equal(zilch_optimizer_top(o, MOST_POINTS, got, &found), ZILCH_OK);
    assert_int_equal(found, count);
    for (size_t i = 0; i < count; i++) {
        assert_record(h, &got[i], &order[i]);
    }
    const size_t expected = naive_front(h, front);
    assert_int_equal(zilch_optimizer_front(o, h->width + 1, got, &found), ZILCH_OK);
    assert_int_equal(found, expected);
    for (size_t i = 0; i < found; i++) {
        assert_record(h, &got[i], &front[i]);
    }
}

static double searched_value(const history *h, uint64_t id, const double *x)
{
    static const double failure[] = {NAN, INFINITY, -INFINITY};
    const double noise = noise_of(id);
    double value = distance_of(h->width, x) + 4.0 * noise;
    value = h->kind == ZILCH_AGGREGATE_LATEST ? floor(value) : value;
    value = h->direction == ZILCH_MINIMIZE ? value : -value;
    return id % 11 == 3 ? failure[id % 3] : value;
}

/* The generation that last had a better best than all before it. */
typedef struct watch {
    double best;
    size_t improved;
} watch;

static void watch_best(watch *w, const history *h, const zilch_record *best, size_t generation)
{
    const double cost = h->direction == ZILCH_MINIMIZE ? best->fitness : -best->fitness;
    if (generation == 1 || cost < w->best) {
        w->best = cost;
        w->improved = generation;
    }
}

/* Ten generations. At each, everything is computed from the history: the first of the population are the
 * best K of all points ever, best first, of equals the older. */
static void search_with(unsigned k, zilch_method law)
{
    enum { DIM = 8, N = 30, K = 7, GENERATIONS = 10 };
    static history h;
    static asked a;
    static zilch_record order[MOST_POINTS];
    watch w = {0};
    h = (history){.kind = aggregates[k % COUNT(aggregates)],
                  .direction = k & 2 ? ZILCH_MAXIMIZE : ZILCH_MINIMIZE,
                  .penalty = k & 4 ? 0.75 : 0.0,
                  .width = DIM};
    zilch_optimizer_options options = small_options(law, N, K);
    options.aggregate = h.kind;
    options.direction = h.direction;
    options.penalty = h.penalty;
    zilch_optimizer *o = create_with(DIM, 100 + k, &options);
    for (size_t g = 0; g < GENERATIONS; g++) {
        a.n = 0;
        ask_more(o, N, &a);
        h.noise = 0.0;
        const size_t elites = naive_order(&h, order) < K ? 0 : K;
        for (size_t i = 0; i < elites; i++) {
            assert_memory_equal(a.x + i * DIM, h.x + order[i].point * DIM, DIM * sizeof(double));
        }
        assert_int_equal(elites, g ? K : 0);
        for (size_t i = 0; i < N; i++) {
            assert_int_equal(a.id[i], g * N + i);
            a.value[i] = searched_value(&h, a.id[i], a.x + i * DIM);
            note(&h, a.x + i * DIM, a.value[i]);
        }
        tell_some(o, &a, 0, N);
        h.noise =
            law == ZILCH_METHOD_DEFAULT ? zi_noise_deviation(&o->noise) : 0.0; /* the default is careful */
        const size_t count = naive_order(&h, order);
        check_progress(&h, o, g + 1, order, count);
        check_reading(&h, o, order, count);
        watch_best(&w, &h, order, g + 1);
        assert_int_equal(zilch_optimizer_progress(o).improved, w.improved);
    }
    zilch_optimizer_destroy(o);
}

static void a_search_is_what_its_history_says(void **state)
{
    (void)state;
    for (unsigned k = 0; k < 8; k++) {
        search_with(k, ZILCH_METHOD_EA);
    }
    search_with(0, ZILCH_METHOD_DEFAULT);
    search_with(7, ZILCH_METHOD_DEFAULT);
    search_with(8, ZILCH_METHOD_DEFAULT);
    search_with(6, ZILCH_METHOD_GAUSSIAN);
}

/* ---- Reading what is not there ------------------------------------------------------------------------- */

static void an_empty_archive_has_no_best(void **state)
{
    (void)state;
    zilch_optimizer *o = small_optimizer(ZILCH_METHOD_EA, 3, 1);
    zilch_record record[4];
    double x[3];
    size_t count = 9;
    const zilch_progress progress = zilch_optimizer_progress(o);
    assert_true(isnan(progress.best_value) && isnan(progress.best_fitness));
    assert_int_equal(progress.best_active + progress.points + progress.evaluations + progress.improved, 0);
    assert_int_equal(zilch_optimizer_best(o, x, record), ZILCH_ESTATE);
    assert_non_null(strstr(zilch_last_error(), "succeeded"));
    assert_int_equal(zilch_optimizer_point(o, 0, x, record), ZILCH_EARG);
    assert_int_equal(zilch_optimizer_top(o, 4, record, &count), ZILCH_OK);
    assert_int_equal(count, 0);
    count = 9;
    assert_int_equal(zilch_optimizer_front(o, 4, record, &count), ZILCH_OK);
    assert_int_equal(count, 0);
    zilch_optimizer_destroy(o);
}

static void reading_asks_for_no_more_than_there_is_room(void **state)
{
    (void)state;
    enum { DIM = 6 };
    zilch_optimizer *o = small_optimizer(ZILCH_METHOD_EA, DIM, 2);
    zilch_record all[DIM + 1], some[DIM + 1];
    size_t count, found;
    double x[DIM] = {0};
    for (size_t i = 0; i < DIM; i++) { /* the fuller the better */
        x[i] = 1.0;
        assert_int_equal(zilch_optimizer_tell_point(o, x, -1000.0 - (double)i), ZILCH_OK);
    }
    static asked a;
    a.n = 0;
    ask_more(o, 1, &a);
    assert_int_equal(zilch_optimizer_front(o, DIM + 1, all, &count), ZILCH_OK);
    assert_int_equal(count, DIM);
    for (size_t capacity = 0; capacity <= count; capacity++) {
        memset(some, 0x5a, sizeof some);
        assert_int_equal(zilch_optimizer_front(o, capacity, some, &found), ZILCH_OK);
        assert_int_equal(found, capacity);
        assert_memory_equal(some, all, capacity * sizeof *some);
        assert_int_equal(((unsigned char *)&some[capacity])[0], 0x5a);
        assert_int_equal(zilch_optimizer_top(o, capacity, some, &found), ZILCH_OK);
        assert_int_equal(found, capacity);
    }
    assert_int_equal(zilch_optimizer_best(o, NULL, NULL), ZILCH_OK);
    assert_int_equal(zilch_optimizer_point(o, 1, NULL, NULL), ZILCH_OK);
    assert_int_equal(zilch_optimizer_point(o, zilch_optimizer_progress(o).points, NULL, all), ZILCH_EARG);
    assert_int_equal(zilch_optimizer_top(o, 1, NULL, &found), ZILCH_EARG);
    assert_int_equal(zilch_optimizer_top(o, 0, NULL, NULL), ZILCH_EARG);
    assert_int_equal(zilch_optimizer_front(o, 1, NULL, &found), ZILCH_EARG);
    assert_int_equal(zilch_optimizer_front(NULL, 0, NULL, &found), ZILCH_EARG);
    assert_int_equal(zilch_optimizer_best(NULL, NULL, NULL), ZILCH_EARG);
    zilch_optimizer_destroy(o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_kept),
        cmocka_unit_test(rows_can_be_thinned),
        cmocka_unit_test(damaged_rows_are_refused),
        cmocka_unit_test(a_point_is_found_again),
        cmocka_unit_test(selection_is_that_of_a_full_sort),
        cmocka_unit_test(a_price_makes_active_coordinates_dear),
        cmocka_unit_test(a_mean_of_values_far_apart_is_a_number),
        cmocka_unit_test(a_search_is_what_its_history_says),
        cmocka_unit_test(an_empty_archive_has_no_best),
        cmocka_unit_test(reading_asks_for_no_more_than_there_is_room),
    };
    return cmocka_run_group_tests_name("aggregate", tests, NULL, NULL);
}
