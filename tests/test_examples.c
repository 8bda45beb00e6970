/* Examples to train with: latent correlations and probabilities from their grids, observed correlations as
 * the law says, with as much noise as a sample has, and the same for any number of threads. */
#include "base/bytes.h"
#include "math/linalg.h"
#include "model/attenuation.h"
#include "support.h"
#include "train/examples.h"

static zilch_examples_options with(zilch_labels labels, uint64_t rows, uint64_t seed)
{
    zilch_examples_options options = zilch_examples_defaults();
    options.labels = labels;
    options.rows = rows;
    options.seed = seed;
    return options;
}

static zi_example make(const zilch_examples_options *options, uint64_t index)
{
    zi_example e;
    memset(&e, 0xff, sizeof e);
    assert_int_equal(zi_example_make(options, index, &e), ZILCH_OK);
    return e;
}

/* ---- The grids ------------------------------------------------------------------------------ */

/* (V_i, V_j, M_i, M_j). */
static double smallest_eigenvalue(const zi_correlations *c)
{
    double a[16] = {1, c->vv,    0, c->vm_ij, c->vv,    1, c->vm_ji, 0,
                    0, c->vm_ji, 1, c->mm,    c->vm_ij, 0, c->mm,    1};
    double value[4];
    assert_int_equal(zi_eigen(4, a, value), ZILCH_OK);
    return value[0];
}

static void examples_are_on_the_grids(void **state)
{
    (void)state;
    const zilch_examples_options options = with(ZILCH_LABELS_EXACT, 0, 1);
    worst_error p_error = {.what = "p on its grid, 3e-16"};
    size_t singular = 0;
    for (uint64_t k = 0; k < 20000; k++) {
        const zi_example e = make(&options, k);
        const double latent[] = {e.latent.mm, e.latent.vm_ij, e.latent.vm_ji, e.latent.vv};
        for (size_t i = 0; i < 4; i++) {
            assert_true(32.0 * latent[i] == floor(32.0 * latent[i]) && fabs(latent[i]) <= 1.0);
        }
        const double smallest = smallest_eigenvalue(&e.latent);
        assert_true(smallest > -1e-14);
        singular += smallest < 1e-14;
        const double p[] = {e.p_i, e.p_j};
        for (size_t i = 0; i < 2; i++) {
            assert_true(p[i] > 0.0 && p[i] < 1.0);
            const double step = round(128.0 / acos(-1.0) * acos(1.0 - 2.0 * p[i]) - 0.5);
            const double exact = 0.5 * (1.0 - cos(acos(-1.0) * (step + 0.5) / 128.0));
            note_error(&p_error, fabs(p[i] - exact) / 3e-16, "step %g", step);
        }
    }
    check_errors(&p_error);
    assert_true(singular > 0); /* the boundary belongs to it */
}

/* Chi-square, in standard deviations from its mean. */
static double excess_of(const double *count, const double *expected, size_t cells)
{
    double sum = 0.0;
    size_t used = 0;
    for (size_t i = 0; i < cells; i++) {
        if (expected[i] > 0.0) {
            sum += (count[i] - expected[i]) * (count[i] - expected[i]) / expected[i];
            used++;
        } else {
            assert_true(count[i] == 0.0);
        }
    }
    return (sum - (double)(used - 1)) / sqrt(2.0 * (double)(used - 1));
}

/* With the leading correlation drawn first, uniformly, and the others drawn until they fit: the shares of the
 * 65 values of a correlation that shares a latent with it, and of the one that does not. All 17.9 million
 * points, in integers. Correlations (V_i, M_i) x (V_j, M_j) must be a contraction: both singular values
 * at most 1. By its symmetries the same for whichever leads. */
static void count_grid(double *adjacent, double *opposite)
{
    memset(adjacent, 0, 65 * sizeof *adjacent);
    memset(opposite, 0, 65 * sizeof *opposite);
    for (int a = -32; a <= 32; a++) {
        double by_b[65] = {0};
        double by_d[65] = {0};
        double total = 0.0;
        for (int b = -32; b <= 32; b++) {
            for (int c = -32; c <= 32; c++) {
                for (int d = -32; d <= 32; d++) {
                    const long squares = a * a + b * b + c * c + d * d;
                    const long determinant = a * d - b * c;
                    const int kept =
                        squares <= 2048 && (1L << 20) - 1024 * squares + determinant * determinant >= 0;
                    by_b[b + 32] += kept;
                    by_d[d + 32] += kept;
                    total += kept;
                }
            }
        }
        for (size_t i = 0; i < 65; i++) {
            adjacent[i] += by_b[i] / total / 65.0;
            opposite[i] += by_d[i] / total / 65.0;
        }
    }
}

/* Of so many examples in each cell. */
static void scale(size_t n, double factor, double *share)
{
    for (size_t i = 0; i < n; i++) {
        share[i] *= factor;
    }
}

/* Example k is led by correlation k % 4 of mm, vm_ij, vm_ji, vv: that one is uniform on its whole grid, the
 * others are as often as they fit it; each probability of its grid is as likely as any other. Eighteen
 * chi-squares below 5 standard deviations, false alarm 1 in 3,000. */
static void examples_are_drawn_evenly_from_the_grids(void **state)
{
    (void)state;
    enum { COUNT = 80000 };
    const zilch_examples_options options = with(ZILCH_LABELS_EXACT, 0, 2);
    double adjacent[65], opposite[65], uniform[65], uniform_p[128];
    double count[4][4][65] = {{{0}}}; /* by the one that leads */
    double count_p[2][128] = {{0}};
    double ends = 0.0;
    count_grid(adjacent, opposite);
    scale(65, COUNT / 4.0, adjacent);
    scale(65, COUNT / 4.0, opposite);
    for (size_t i = 0; i < 128; i++) {
        uniform_p[i] = COUNT / 128.0;
        uniform[i % 65] = COUNT / 4.0 / 65.0;
    }
    for (uint64_t k = 0; k < COUNT; k++) {
        const zi_example e = make(&options, k);
        const double latent[] = {e.latent.mm, e.latent.vm_ij, e.latent.vm_ji, e.latent.vv};
        const double p[] = {e.p_i, e.p_j};
        for (size_t i = 0; i < 4; i++) {
            count[k % 4][i][(size_t)(32.0 * latent[i] + 32.0)] += 1.0;
        }
        for (size_t i = 0; i < 2; i++) {
            count_p[i][(size_t)(128.0 / acos(-1.0) * acos(1.0 - 2.0 * p[i]))] += 1.0;
            ends += p[i] < 0.1 || p[i] > 0.9;
        }
    }
    for (size_t leading = 0; leading < 4; leading++) {
        for (size_t i = 0; i < 4; i++) {
            const double *expected = i == leading ? uniform : i + leading == 3 ? opposite : adjacent;
            assert_true(fabs(excess_of(count[leading][i], expected, 65)) < 5.0);
        }
    }
    for (size_t i = 0; i < 2; i++) {
        assert_true(fabs(excess_of(count_p[i], uniform_p, 128)) < 5.0);
    }
    /* Denser near 0 and 1: twice as many in the outer fifth as a uniform p would have. */
    assert_true(ends / (2.0 * COUNT) > 0.38 && ends / (2.0 * COUNT) < 0.43);
}

/* ---- Observed correlations ------------------------------------------------------------------- */

/* In one array: mm, vm_ij, vm_ji, vv. */
static void exact_correlations(const zi_example *e, double *out)
{
    out[0] = zilch_attenuate_mm(e->p_i, e->p_j, e->latent.mm);
    out[1] = zilch_attenuate_vm(e->p_i, e->p_j, e->latent.vm_ij, e->latent.mm);
    out[2] = zilch_attenuate_vm(e->p_j, e->p_i, e->latent.vm_ji, e->latent.mm);
    out[3] = zilch_attenuate_vv(e->p_i, e->p_j, e->latent.vv, e->latent.vm_ji, e->latent.vm_ij, e->latent.mm);
}

static void observed_correlations(const zi_example *e, double *out)
{
    out[0] = e->observed.mm;
    out[1] = e->observed.vm_ij;
    out[2] = e->observed.vm_ji;
    out[3] = e->observed.vv;
}

static void exact_labels_are_the_closed_forms(void **state)
{
    (void)state;
    const zilch_examples_options options = with(ZILCH_LABELS_EXACT, 0, 3);
    for (uint64_t k = 0; k < 5000; k++) {
        const zi_example e = make(&options, k);
        double exact[4];
        double got[4];
        exact_correlations(&e, exact);
        observed_correlations(&e, got);
        assert_memory_equal(got, exact, sizeof got);
    }
}

static int is_ordinary(double p, double margin)
{
    return p >= margin && p <= 1.0 - margin;
}

/* Variances of what one row adds to the estimates of mm, vm_ij, vm_ji, vv, p_i and p_j, times the number of
 * rows: the influence functions, their variance from 4,000 rows drawn here. Values are standardised with
 * their own mean and deviation where active, so the errors of those count too. */
typedef struct row {
    double i, j, x, y; /* active or not, value or 0 */
} row;

typedef struct moments {
    double p_i, p_j, both, x_j, y_i; /* probabilities, E[X_i I_j], E[X_j I_i] */
    double mm, vm_ij, vm_ji, vv;
} moments;

static double influence_vm(double x, double i, double j, double p_i, double p_j, double both, double rho)
{
    const double scale = sqrt(p_i * p_j * (1.0 - p_j));
    return (x * j - x / p_i * both) / scale - rho - 0.5 * rho * (x * x - i) / p_i -
           0.5 * rho * (i - p_i) / p_i - 0.5 * rho * (1.0 - 2.0 * p_j) * (j - p_j) / (p_j * (1.0 - p_j));
}

static void influences(const moments *m, const row *r, double *out)
{
    const double q_i = 1.0 - m->p_i, q_j = 1.0 - m->p_j;
    const double di = r->i - m->p_i, dj = r->j - m->p_j;
    out[0] = (r->i * r->j - m->both - m->p_j * di - m->p_i * dj) / sqrt(m->p_i * q_i * m->p_j * q_j) -
             0.5 * m->mm *
                 ((1.0 - 2.0 * m->p_i) * di / (m->p_i * q_i) + (1.0 - 2.0 * m->p_j) * dj / (m->p_j * q_j));
    out[1] = influence_vm(r->x, r->i, r->j, m->p_i, m->p_j, m->both, m->vm_ij);
    out[2] = influence_vm(r->y, r->j, r->i, m->p_j, m->p_i, m->both, m->vm_ji);
    out[3] = (r->x * r->y - r->x / m->p_i * m->y_i - r->y / m->p_j * m->x_j) / sqrt(m->p_i * m->p_j) - m->vv -
             0.5 * m->vv * (r->x * r->x / m->p_i - 1.0 + r->y * r->y / m->p_j - 1.0);
    out[4] = di;
    out[5] = dj;
}

/* (V_j, M_j) given (V_i, M_i) has mean B^T (V_i, M_i) and covariance 1 - B^T B. */
static row draw_row(const zi_correlations *c, double tau_i, double tau_j, zilch_rng *rng)
{
    double z[4];
    zilch_rng_normals(rng, 4, z);
    const double vv = fmax(0.0, 1.0 - c->vv * c->vv - c->vm_ji * c->vm_ji);
    const double vm = -(c->vv * c->vm_ij + c->vm_ji * c->mm);
    const double mm = fmax(0.0, 1.0 - c->vm_ij * c->vm_ij - c->mm * c->mm);
    const double slope = vv > 0.0 ? vm / sqrt(vv) : 0.0;
    const double v_j = c->vv * z[0] + c->vm_ji * z[1] + sqrt(vv) * z[2];
    const double m_j =
        c->vm_ij * z[0] + c->mm * z[1] + slope * z[2] + sqrt(fmax(0.0, mm - slope * slope)) * z[3];
    const double i = z[1] >= tau_i, j = m_j >= tau_j;
    return (row){i, j, i * z[0], j * v_j};
}

static void row_variances(const zi_example *e, double *variance)
{
    enum { ROWS = 4000 };
    const double tau_i = zi_margin_of(e->p_i).tau, tau_j = zi_margin_of(e->p_j).tau;
    const double q_i = 1.0 - e->p_i, q_j = 1.0 - e->p_j;
    double rho[4];
    exact_correlations(e, rho);
    const moments m = {.p_i = e->p_i,
                       .p_j = e->p_j,
                       .both = e->p_i * e->p_j + rho[0] * sqrt(e->p_i * q_i * e->p_j * q_j),
                       .x_j = rho[1] * sqrt(e->p_i * e->p_j * q_j),
                       .y_i = rho[2] * sqrt(e->p_j * e->p_i * q_i),
                       .mm = rho[0],
                       .vm_ij = rho[1],
                       .vm_ji = rho[2],
                       .vv = rho[3]};
    zilch_rng rng = zilch_rng_make(91, 0);
    memset(variance, 0, 6 * sizeof *variance);
    for (size_t r = 0; r < ROWS; r++) {
        const row one = draw_row(&e->latent, tau_i, tau_j, &rng);
        double psi[6];
        influences(&m, &one, psi);
        for (size_t i = 0; i < 6; i++) {
            variance[i] += psi[i] * psi[i] / ROWS;
        }
    }
}

/* What was observed minus what is exact, in standard errors, of examples with neither p near 0 or 1. */
typedef struct scores {
    size_t count;
    double sum, squares, largest;
} scores;

/* The next example with ordinary probabilities, from *index on: with exact labels. Masks that almost
 * determine each other are left out: what is rare in 4,096 rows is not yet normal. */
static zi_example next_ordinary(uint64_t seed, double margin, uint64_t *index)
{
    const zilch_examples_options exact = with(ZILCH_LABELS_EXACT, 0, seed);
    zi_example e;
    do {
        e = make(&exact, (*index)++);
    } while (!is_ordinary(e.p_i, margin) || !is_ordinary(e.p_j, margin) || fabs(e.latent.mm) > 0.9);
    return e;
}

static void note_scores(const zi_example *exact, const zi_example *seen, double rows, scores *s)
{
    double variance[6];
    double a[6] = {[4] = seen->p_i, [5] = seen->p_j};
    double b[6] = {[4] = exact->p_i, [5] = exact->p_j};
    observed_correlations(seen, a);
    exact_correlations(exact, b);
    row_variances(exact, variance);
    for (size_t i = 0; i < 6; i++) {
        if (variance[i] > 1e-3) { /* not certain, as where masks determine each other */
            const double z = (a[i] - b[i]) / sqrt(variance[i] / rows);
            s->count++;
            s->sum += z;
            s->squares += z * z;
            s->largest = fmax(s->largest, fabs(z));
        }
    }
}

static scores score(zilch_labels labels, uint64_t rows, size_t count, double margin, uint64_t seed)
{
    const zilch_examples_options noisy = with(labels, rows, seed);
    scores s = {0};
    uint64_t index = 0;
    for (size_t k = 0; k < count; k++) {
        const zi_example exact = next_ordinary(seed, margin, &index);
        const zi_example seen = make(&noisy, index - 1);
        assert_memory_equal(&seen.latent, &exact.latent, sizeof seen.latent);
        note_scores(&exact, &seen, (double)rows, &s);
    }
    print_message("    %-9s %6d rows: %zu scores, mean %.3f, root mean square %.3f, at most %.2f\n",
                  zilch_labels_name(labels), (int)rows, s.count, s.sum / (double)s.count,
                  sqrt(s.squares / (double)s.count), s.largest);
    return s;
}

/* As of a normal variable: none of up to 6,000 scores beyond 6 (false alarm 1 in 80,000), their mean and
 * their root mean square within 5 of its standard errors. An example's six scores are not independent: the
 * standard errors are taken as if it had but one. */
static void check_scores(const scores *s)
{
    const double n = (double)s->count;
    const double examples = n / 6.0;
    assert_true(s->largest < 6.0);
    assert_true(fabs(s->sum / n) < 5.0 / sqrt(examples));
    assert_true(fabs(sqrt(s->squares / n) - 1.0) < 5.0 / sqrt(2.0 * examples));
}

static void simulated_labels_follow_the_law(void **state)
{
    (void)state;
    const scores s = score(ZILCH_LABELS_SIMULATED, 100000, 200 / SLOWNESS, 0.05, 4);
    check_scores(&s);
}

/* More than 4,096 rows are told by scaling the noise of so many: the spread is that of a simulation. */
static void noise_is_that_of_so_many_rows(void **state)
{
    (void)state;
    static const uint64_t rows[] = {1000, 20000};
    for (size_t i = 0; i < COUNT(rows); i++) {
        const size_t simulations = (i ? 300u : 1000u) / SLOWNESS;
        const scores simulated = score(ZILCH_LABELS_SIMULATED, rows[i], simulations, 0.2, 5);
        const scores scaled = score(ZILCH_LABELS_EXACT, rows[i], 1000 / SLOWNESS, 0.2, 6);
        const double ratio =
            sqrt(scaled.squares / (double)scaled.count) / sqrt(simulated.squares / (double)simulated.count);
        check_scores(&simulated);
        check_scores(&scaled);
        print_message("    ratio of the spreads %.3f\n", ratio);
        assert_true(fabs(ratio - 1.0) < (SLOWNESS > 1 ? 0.15 : 0.08));
    }
}

/* Up to 4,096 rows exact labels with noise are those of the simulated sample. */
static void noise_of_few_rows_is_the_samples(void **state)
{
    (void)state;
    static const uint64_t rows[] = {2, 50, 1000, 4096};
    for (size_t i = 0; i < COUNT(rows); i++) {
        const zilch_examples_options noisy = with(ZILCH_LABELS_EXACT, rows[i], 7);
        const zilch_examples_options simulated = with(ZILCH_LABELS_SIMULATED, rows[i], 7);
        for (uint64_t k = 0; k < 100; k++) {
            const zi_example a = make(&noisy, k);
            const zi_example b = make(&simulated, k);
            double x[4];
            double y[4];
            observed_correlations(&a, x);
            observed_correlations(&b, y);
            assert_true(fabs(a.p_i - b.p_i) < 1e-15 && fabs(a.p_j - b.p_j) < 1e-15);
            for (size_t c = 0; c < 4; c++) {
                assert_true(fabs(x[c] - y[c]) < 1e-14 && fabs(x[c]) <= 1.0 && fabs(y[c]) <= 1.0);
            }
            assert_true(a.p_i * (double)rows[i] - round(a.p_i * (double)rows[i]) < 1e-9); /* a count */
        }
    }
}

/* With as many rows as one likes the noise vanishes, and nothing takes long. */
static void noise_of_many_rows_is_none(void **state)
{
    (void)state;
    const zilch_examples_options exact = with(ZILCH_LABELS_EXACT, 0, 8);
    const zilch_examples_options noisy = with(ZILCH_LABELS_EXACT, UINT64_MAX, 8);
    for (uint64_t k = 0; k < 50; k++) {
        const zi_example a = make(&exact, k);
        const zi_example b = make(&noisy, k);
        double x[4];
        double y[4];
        observed_correlations(&a, x);
        observed_correlations(&b, y);
        for (size_t c = 0; c < 4; c++) {
            assert_true(fabs(x[c] - y[c]) < 1e-6);
        }
        assert_true(fabs(a.p_i - b.p_i) < 1e-8 && fabs(a.p_j - b.p_j) < 1e-8);
    }
}

/* ---- All of them -------------------------------------------------------------------------------- */

enum { COLUMNS = 9 };

static zilch_examples *create(const zilch_examples_options *options, unsigned threads)
{
    zilch_examples *examples;
    assert_int_equal(zilch_examples_create(&examples, options, threads, NULL, NULL), ZILCH_OK);
    return examples;
}

/* Columns are what was made, example by example. */
static void columns_hold_the_examples(void **state)
{
    (void)state;
    static const uint64_t counts[] = {5, 63, 64, 65, 300};
    for (size_t i = 0; i < COUNT(counts); i++) {
        zilch_examples_options options = with(ZILCH_LABELS_EXACT, 100, 9);
        options.count = counts[i];
        zilch_examples *examples = create(&options, 1);
        const zi_pairs *o = &examples->observed;
        assert_int_equal(o->count, counts[i]);
        assert_int_equal(examples->options.count, counts[i]);
        for (uint64_t k = 0; k < counts[i]; k++) {
            const zi_example e = make(&options, k);
            assert_true(o->p_i[k] == (float)e.p_i && o->p_j[k] == (float)e.p_j);
            assert_true(o->mm[k] == (float)e.observed.mm && o->vv[k] == (float)e.observed.vv);
            assert_true(o->vm_ij[k] == (float)e.observed.vm_ij && o->vm_ji[k] == (float)e.observed.vm_ji);
            assert_true(examples->answer[ZILCH_BLOCK_MM][k] == (float)e.latent.mm);
            assert_true(examples->answer[ZILCH_BLOCK_VM][k] == (float)e.latent.vm_ij);
            assert_true(examples->answer[ZILCH_BLOCK_VV][k] == (float)e.latent.vv);
        }
        zilch_examples_destroy(examples);
    }
}

/* What a seed gives is part of what a training record says: it never changes. Made when this was written. */
static void a_seed_gives_the_same_for_ever(void **state)
{
    (void)state;
    static const double made[][6] = {{-25, -13, -16, 26, 0.87456819726172963, 0.44488889635305845},
                                     {-20, -16, 11, 15, 0.50613576914285996, 0.62743282980225734},
                                     {-10, -7, 3, 0, 0.84030049889772651, 0.094771400873702616}};
    zilch_examples_options options = with(ZILCH_LABELS_EXACT, 0, 1);
    for (uint64_t k = 0; k < COUNT(made); k++) {
        const zi_example e = make(&options, k);
        assert_true(32.0 * e.latent.vv == made[k][0] && 32.0 * e.latent.vm_ij == made[k][1]);
        assert_true(32.0 * e.latent.vm_ji == made[k][2] && 32.0 * e.latent.mm == made[k][3]);
        assert_true(e.p_i == made[k][4] && e.p_j == made[k][5]);
    }
    options.count = 300;
    zilch_examples *examples = create(&options, 1);
    assert_true(zi_crc64(examples->column, COLUMNS * 300 * sizeof(float)) == 0x277816ad32995d79);
    zilch_examples_destroy(examples);
}

static void threads_change_nothing(void **state)
{
    (void)state;
    static const unsigned threads[] = {0, 2, 5};
    for (int labels = 0; labels < 2; labels++) {
        zilch_examples_options options = with((zilch_labels)labels, 200, 10);
        options.count = 1000;
        zilch_examples *one = create(&options, 1);
        for (size_t i = 0; i < COUNT(threads); i++) {
            zilch_examples *many = create(&options, threads[i]);
            assert_memory_equal(many->column, one->column, COLUMNS * options.count * sizeof *one->column);
            zilch_examples_destroy(many);
        }
        options.seed = 11;
        zilch_examples *other = create(&options, 1);
        assert_memory_not_equal(other->column, one->column, COLUMNS * options.count * sizeof *one->column);
        zilch_examples_destroy(other);
        zilch_examples_destroy(one);
    }
}

/* ---- The watcher ---------------------------------------------------------------------------------- */

typedef struct watch {
    size_t calls, stop_at, largest, total;
} watch;

static int watcher(void *context, size_t done, size_t total)
{
    watch *w = context;
    w->calls++;
    w->largest = done > w->largest ? done : w->largest;
    w->total = total;
    return w->calls == w->stop_at;
}

static long outstanding;

static void *counting_alloc(size_t bytes)
{
    outstanding++;
    return malloc(bytes);
}

static void counting_release(void *memory)
{
    outstanding--;
    free(memory);
}

static void watcher_is_told(void **state)
{
    (void)state;
    zilch_examples_options options = with(ZILCH_LABELS_EXACT, 0, 12);
    options.count = 1000;
    watch w = {0};
    zilch_examples *examples;
    assert_int_equal(zilch_examples_create(&examples, &options, 1, watcher, &w), ZILCH_OK);
    assert_true(w.calls > 1 && w.largest == 1000 && w.total == 1000);
    zilch_examples_destroy(examples);
}

/* Stopped, at the first call or at the last: nothing is left. */
static void watcher_stops(void **state)
{
    (void)state;
    zilch_examples_options options = with(ZILCH_LABELS_SIMULATED, 20, 12);
    options.count = 1000;
    watch all = {0};
    zilch_set_allocator(counting_alloc, counting_release);
    zilch_examples *examples;
    assert_int_equal(zilch_examples_create(&examples, &options, 1, watcher, &all), ZILCH_OK);
    zilch_examples_destroy(examples);
    for (size_t stop = 1; stop <= all.calls; stop++) {
        watch w = {.stop_at = stop};
        examples = (zilch_examples *)&w;
        assert_int_equal(zilch_examples_create(&examples, &options, 1, watcher, &w), ZILCH_ESTOPPED);
        assert_null(examples);
        assert_int_equal(w.calls, stop); /* and is not asked again */
        assert_int_equal(outstanding, 0);
        assert_non_null(strstr(zilch_last_error(), "stopped"));
    }
    zilch_set_allocator(NULL, NULL);
}

/* ---- Options ------------------------------------------------------------------------------------------ */

static void expect_refusal(const zilch_examples_options *options, const char *text)
{
    zilch_examples *out = (zilch_examples *)(uintptr_t)options;
    assert_int_equal(zilch_examples_create(&out, options, 1, NULL, NULL), ZILCH_EARG);
    assert_null(out);
    assert_non_null(strstr(zilch_last_error(), text));
}

static void refuses_bad_options(void **state)
{
    (void)state;
    zilch_examples_options options = zilch_examples_defaults();
    options.size = 0;
    expect_refusal(&options, "zilch_examples_defaults");
    options = zilch_examples_defaults();
    options.labels = (zilch_labels)17;
    expect_refusal(&options, "labels");
    options = zilch_examples_defaults();
    options.count = 4;
    expect_refusal(&options, "5 to 100000000");
    options.count = 100000001;
    expect_refusal(&options, "5 to 100000000");
    options.count = UINT64_MAX;
    expect_refusal(&options, "5 to 100000000");
    for (int labels = 0; labels < 2; labels++) {
        options = with((zilch_labels)labels, 1, 1);
        expect_refusal(&options, "one row");
    }
    assert_int_equal(zilch_examples_create(NULL, &options, 1, NULL, NULL), ZILCH_EARG);
    zilch_examples_destroy(NULL);
}

/* Samples that no memory holds, one whose size in bytes is no size_t among them. */
static void refuses_samples_that_do_not_fit(void **state)
{
    (void)state;
    static const uint64_t rows[] = {(uint64_t)1 << 60, (uint64_t)1 << 62, ((uint64_t)1 << 63) - 1,
                                    (uint64_t)1 << 63, UINT64_MAX};
    for (size_t i = 0; i < COUNT(rows); i++) {
        zilch_examples_options options = with(ZILCH_LABELS_SIMULATED, rows[i], 1);
        zilch_examples *out = (zilch_examples *)&options;
        options.count = 5;
        const zilch_status status = zilch_examples_create(&out, &options, 1, NULL, NULL);
        assert_true(status == ZILCH_EARG || status == ZILCH_ENOMEM);
        assert_null(out);
    }
}

static void defaults_are_as_documented(void **state)
{
    (void)state;
    const zilch_examples_options d = zilch_examples_defaults();
    assert_int_equal(d.size, sizeof d);
    assert_int_equal(d.labels, ZILCH_LABELS_EXACT);
    assert_int_equal(d.count, 200000);
    assert_int_equal(d.rows, 0);
    assert_int_equal(d.seed, 1);
    zilch_examples_options options = with(ZILCH_LABELS_SIMULATED, 0, 1);
    options.count = 5;
    zilch_examples *examples = create(&options, 1);
    assert_int_equal(examples->options.rows, 100000);
    options.rows = 100000;
    zilch_examples *same = create(&options, 1);
    assert_memory_equal(same->column, examples->column, COLUMNS * options.count * sizeof *same->column);
    zilch_examples_destroy(same);
    zilch_examples_destroy(examples);
}

static void names_of_labels(void **state)
{
    (void)state;
    zilch_labels labels = ZILCH_LABELS_EXACT;
    assert_string_equal(zilch_labels_name(ZILCH_LABELS_EXACT), "exact");
    assert_string_equal(zilch_labels_name(ZILCH_LABELS_SIMULATED), "simulated");
    assert_null(zilch_labels_name((zilch_labels)2));
    assert_int_equal(zilch_labels_parse("simulated", &labels), ZILCH_OK);
    assert_int_equal(labels, ZILCH_LABELS_SIMULATED);
    assert_int_equal(zilch_labels_parse("inexact", &labels), ZILCH_EARG);
    assert_string_equal(zilch_last_error(), "\"inexact\" is no labels");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(examples_are_on_the_grids),
        cmocka_unit_test(examples_are_drawn_evenly_from_the_grids),
        cmocka_unit_test(exact_labels_are_the_closed_forms),
        cmocka_unit_test(simulated_labels_follow_the_law),
        cmocka_unit_test(noise_is_that_of_so_many_rows),
        cmocka_unit_test(noise_of_few_rows_is_the_samples),
        cmocka_unit_test(noise_of_many_rows_is_none),
        cmocka_unit_test(columns_hold_the_examples),
        cmocka_unit_test(a_seed_gives_the_same_for_ever),
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(watcher_is_told),
        cmocka_unit_test(watcher_stops),
        cmocka_unit_test(refuses_bad_options),
        cmocka_unit_test(defaults_are_as_documented),
        cmocka_unit_test(names_of_labels),
        cmocka_unit_test(refuses_samples_that_do_not_fit),
    };
    return cmocka_run_group_tests_name("examples", tests, NULL, NULL);
}
