/* Dense linear algebra against plain loops and matrices whose spectrum is known. The upper triangle (in BLAS'
 * order) is filled with NaN wherever it must not be read, and compared where it must not be written. */
#include "math/linalg.h"

#include "support.h"

#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

enum { MOST = 160 };

int openblas_get_num_threads(void);
int openblas_get_parallel(void);

static const size_t sizes[] = {1, 2, 3, 31, 32, 33, 70};

/* Entry (i, j) in the column-major order of the header. */
#define AT(a, n, i, j) ((a)[(size_t)(j) * (n) + (size_t)(i)])

static double *new_matrix(size_t n)
{
    double *a = test_malloc(n * n * sizeof *a);
    return a;
}

static double *copy_of(const double *a, size_t count)
{
    double *copy = test_malloc(count * sizeof *copy);
    memcpy(copy, a, count * sizeof *copy);
    return copy;
}

static void poison_upper(size_t n, double *a)
{
    for (size_t j = 1; j < n; j++) {
        for (size_t i = 0; i < j; i++) {
            AT(a, n, i, j) = NAN;
        }
    }
}

/* ---- Matrices to test with -------------------------------------------------- */

static double *random_symmetric(size_t n, zilch_rng *rng)
{
    double *a = new_matrix(n);
    for (size_t j = 0; j < n; j++) {
        for (size_t i = j; i < n; i++) {
            AT(a, n, i, j) = AT(a, n, j, i) = zilch_rng_normal(rng);
        }
    }
    return a;
}

/* a <- H a H with H = I - 2 v v^T / v^T v: the same spectrum in another basis. */
static void reflect(size_t n, double *a, const double *v)
{
    double length = 0.0;
    for (size_t i = 0; i < n; i++) {
        length += v[i] * v[i];
    }
    for (int side = 0; side < 2; side++) {
        for (size_t j = 0; j < n; j++) {
            double dot = 0.0;
            for (size_t i = 0; i < n; i++) {
                dot += v[i] * (side ? AT(a, n, i, j) : AT(a, n, j, i));
            }
            for (size_t i = 0; i < n; i++) {
                *(side ? &AT(a, n, i, j) : &AT(a, n, j, i)) -= 2.0 * dot / length * v[i];
            }
        }
    }
}

/* A dense symmetric matrix with these eigenvalues. */
static double *with_spectrum(size_t n, const double *value, zilch_rng *rng)
{
    double *a = new_matrix(n);
    double v[MOST];
    memset(a, 0, n * n * sizeof *a);
    for (size_t i = 0; i < n; i++) {
        AT(a, n, i, i) = value[i];
    }
    for (int k = 0; k < 3; k++) {
        zilch_rng_normals(rng, n, v);
        reflect(n, a, v);
    }
    for (size_t j = 0; j < n; j++) { /* rounding is not symmetric */
        for (size_t i = j; i < n; i++) {
            AT(a, n, i, j) = AT(a, n, j, i) = 0.5 * (AT(a, n, i, j) + AT(a, n, j, i));
        }
    }
    return a;
}

/* Spectra: how far along, 0 to 1, an eigenvalue is -> its size. */
static double linear(double x)
{
    return 0.01 + x;
}
static double narrow(double x)
{
    return 0.5 + 0.5 * x;
}
static double geometric(double x)
{
    return pow(10.0, -6.0 * (1.0 - x));
}
static double crowded_below(double x)
{
    return 1e-3 + x * x;
}
static double inverse_linear(double x)
{
    return 1.0 / (1000.0 - 999.0 * x);
}
static double two_levels(double x)
{
    return x < 0.5 ? 0.25 : 4.0;
}
static double identity(double x)
{
    (void)x;
    return 1.0;
}

static const struct {
    const char *name;
    double (*value)(double x);
} spectra[] = {
    {"linear", linear},
    {"narrow", narrow},
    {"geometric", geometric},
    {"crowded below", crowded_below},
    {"inverse linear", inverse_linear},
    {"two levels", two_levels},
    {"identity", identity},
};

static void fill_spectrum(size_t n, double (*value)(double x), double *out)
{
    for (size_t i = 0; i < n; i++) {
        out[i] = value(n > 1 ? (double)i / (double)(n - 1) : 0.0);
    }
}

/* ---- Rank updates, triangles ------------------------------------------------ */

static void check_rank_update(size_t n, size_t rows, double alpha, double beta, zilch_rng *rng)
{
    double *y = test_malloc((rows * n + 1) * sizeof *y);
    zilch_rng_normals(rng, rows * n, y);
    double *before = random_symmetric(n, rng);
    double *c = copy_of(before, n * n);
    zi_rank_update(n, rows, alpha, y, beta, c);
    for (size_t j = 0; j < n; j++) {
        for (size_t i = 0; i < n; i++) {
            double sum = 0.0;
            double size = fabs(beta * AT(before, n, i, j));
            for (size_t r = 0; r < rows; r++) {
                sum += y[r * n + i] * y[r * n + j];
                size += fabs(alpha * y[r * n + i] * y[r * n + j]);
            }
            const double expected = i < j ? AT(before, n, i, j) : beta * AT(before, n, i, j) + alpha * sum;
            const double allowed = i < j ? 0.0 : 4.0 * DBL_EPSILON * sqrt((double)rows + 1.0) * size;
            assert_true(fabs(AT(c, n, i, j) - expected) <= allowed);
        }
    }
    test_free(c);
    test_free(before);
    test_free(y);
}

static void test_rank_update(void **state)
{
    (void)state;
    static const double factors[][2] = {{1.0, 0.0}, {0.5, 1.0}, {-2.0, 0.25}, {0.0, 3.0}};
    static const size_t rows[] = {0, 1, 5, 100};
    zilch_rng rng = zilch_rng_make(21, 0);
    for (size_t s = 0; s < COUNT(sizes); s++) {
        for (size_t f = 0; f < COUNT(factors); f++) {
            for (size_t r = 0; r < COUNT(rows); r++) {
                check_rank_update(sizes[s], rows[r], factors[f][0], factors[f][1], &rng);
            }
        }
    }
}

static void test_symmetrise(void **state)
{
    (void)state;
    for (size_t s = 0; s < COUNT(sizes); s++) {
        const size_t n = sizes[s];
        double *a = new_matrix(n);
        for (size_t j = 0; j < n; j++) {
            for (size_t i = 0; i < n; i++) {
                AT(a, n, i, j) = i < j ? NAN : (double)(1000 * i + j);
            }
        }
        zi_symmetrise(n, a);
        for (size_t j = 0; j < n; j++) {
            for (size_t i = 0; i < n; i++) {
                assert_true(AT(a, n, i, j) == (double)(i < j ? 1000 * j + i : 1000 * i + j));
            }
        }
        test_free(a);
    }
}

/* ---- Eigenvalues ------------------------------------------------------------ */

static double frobenius(size_t n, const double *a)
{
    double sum = 0.0;
    for (size_t i = 0; i < n * n; i++) {
        sum += a[i] * a[i];
    }
    return sqrt(sum);
}

/* |A v - lambda v|, the largest entry. */
static double residual(size_t n, const double *a, const double *v, double lambda)
{
    double largest = 0.0;
    for (size_t i = 0; i < n; i++) {
        double sum = -lambda * v[i];
        for (size_t j = 0; j < n; j++) {
            sum += AT(a, n, i, j) * v[j];
        }
        largest = fmax(largest, fabs(sum));
    }
    return largest;
}

/* Vectors first to end - 1 are eigenvectors and orthonormal, to `n` roundings of the matrix's norm. */
static void check_vectors(size_t n, const double *a, const double *value, const double *vector, size_t first,
                          size_t end)
{
    const double rounding = 4.0 * DBL_EPSILON * (double)(n + 1);
    for (size_t k = first; k < end; k++) {
        assert_true(residual(n, a, vector + k * n, value[k]) <= rounding * frobenius(n, a));
        for (size_t l = first; l <= k; l++) {
            double dot = l == k ? -1.0 : 0.0;
            for (size_t i = 0; i < n; i++) {
                dot += vector[k * n + i] * vector[l * n + i];
            }
            assert_true(fabs(dot) <= rounding);
        }
    }
}

static void check_ascending(size_t n, const double *value)
{
    for (size_t k = 1; k < n; k++) {
        assert_true(value[k - 1] <= value[k]);
    }
}

static void check_eigen(size_t n, const double *a, const double *expected)
{
    double value[MOST];
    double *vector = copy_of(a, n * n);
    poison_upper(n, vector);
    assert_int_equal(zi_eigen(n, vector, value), ZILCH_OK);
    check_ascending(n, value);
    check_vectors(n, a, value, vector, 0, n);
    for (size_t k = 0; expected && k < n; k++) {
        assert_true(fabs(value[k] - expected[k]) <= 8.0 * DBL_EPSILON * (double)n * expected[n - 1]);
    }
    test_free(vector);
}

static void test_eigen(void **state)
{
    (void)state;
    zilch_rng rng = zilch_rng_make(22, 0);
    double value[MOST];
    for (size_t s = 0; s < COUNT(sizes); s++) {
        double *a = random_symmetric(sizes[s], &rng);
        check_eigen(sizes[s], a, NULL);
        test_free(a);
        for (size_t k = 0; k < COUNT(spectra); k++) {
            fill_spectrum(sizes[s], spectra[k].value, value);
            a = with_spectrum(sizes[s], value, &rng);
            check_eigen(sizes[s], a, value);
            test_free(a);
        }
    }
}

/* `below` eigenvalues are below `least`: the fewer of the two sides comes with its vectors. */
static void check_eigen_side(size_t n, const double *a, double least, size_t below)
{
    double value[MOST];
    double *work = copy_of(a, n * n);
    double *vector = new_matrix(n);
    size_t first = 77;
    size_t end = 77;
    poison_upper(n, work);
    assert_int_equal(zi_eigen_side(n, work, least, value, vector, &first, &end), ZILCH_OK);
    check_ascending(n, value);
    const int low = first == 0 && end == below;
    const int high = first == below && end == n;
    assert_true(2 * below < n ? low : 2 * below > n ? high : low || high);
    check_vectors(n, a, value, vector, first, end);
    for (size_t k = 0; k < n; k++) {
        assert_int_equal(value[k] < least, k < below);
    }
    test_free(vector);
    test_free(work);
}

/* Eigenvalues -n/2, -n/2 + 1, ..., split between any two of them, and outside all. */
static void test_eigen_side(void **state)
{
    (void)state;
    zilch_rng rng = zilch_rng_make(23, 0);
    for (size_t s = 0; s < COUNT(sizes); s++) {
        const size_t n = sizes[s];
        double value[MOST];
        for (size_t i = 0; i < n; i++) {
            value[i] = (double)i - (double)(n / 2);
        }
        double *a = with_spectrum(n, value, &rng);
        for (size_t below = 0; below <= n; below += n > 40 ? 5 : 1) {
            check_eigen_side(n, a, value[0] + (double)below - 0.5, below);
        }
        check_eigen_side(n, a, -INFINITY, 0);
        check_eigen_side(n, a, INFINITY, n);
        test_free(a);
    }
}

/* ---- Cholesky's factor ------------------------------------------------------ */

/* L L^T is the matrix, L's diagonal positive, the other triangle as it was. */
static void check_cholesky(size_t n, const double *a)
{
    double *factor = copy_of(a, n * n);
    for (size_t j = 1; j < n; j++) {
        for (size_t i = 0; i < j; i++) {
            AT(factor, n, i, j) = -(double)(1000 * i + j);
        }
    }
    assert_true(zi_cholesky(n, factor));
    for (size_t j = 0; j < n; j++) {
        assert_true(AT(factor, n, j, j) > 0.0);
        for (size_t i = j; i < n; i++) {
            double sum = 0.0;
            for (size_t k = 0; k <= j; k++) {
                sum += AT(factor, n, i, k) * AT(factor, n, j, k);
            }
            assert_true(fabs(sum - AT(a, n, i, j)) <= 2.0 * DBL_EPSILON * (double)(n + 1));
            assert_true(i == j || AT(factor, n, j, i) == -(double)(1000 * j + i));
        }
    }
    test_free(factor);
}

static void test_cholesky(void **state)
{
    (void)state;
    zilch_rng rng = zilch_rng_make(24, 0);
    double value[MOST];
    for (size_t s = 0; s < COUNT(sizes); s++) {
        for (size_t k = 0; k < COUNT(spectra); k++) {
            fill_spectrum(sizes[s], spectra[k].value, value);
            double *a = with_spectrum(sizes[s], value, &rng);
            check_cholesky(sizes[s], a);
            test_free(a);
        }
    }
}

/* One eigenvalue below 0, wherever it stands: not positive definite. */
static void test_cholesky_refuses(void **state)
{
    (void)state;
    zilch_rng rng = zilch_rng_make(25, 0);
    double value[MOST];
    for (size_t s = 0; s < COUNT(sizes); s++) {
        const size_t n = sizes[s];
        for (size_t wrong = 0; wrong < n; wrong += n / 3 + 1) {
            fill_spectrum(n, linear, value);
            value[wrong] = -1e-8;
            double *a = with_spectrum(n, value, &rng);
            poison_upper(n, a);
            assert_false(zi_cholesky(n, a));
            test_free(a);
        }
    }
    double zero = 0.0;
    assert_false(zi_cholesky(1, &zero));
}

/* ---- The smallest eigenvalue ------------------------------------------------ */

static double smallest_found(size_t n, const double *value, zilch_rng *rng)
{
    double found;
    double *a = with_spectrum(n, value, rng);
    assert_true(zi_cholesky(n, a));
    poison_upper(n, a);
    assert_int_equal(zi_smallest_eigenvalue(n, a, &found), ZILCH_OK);
    test_free(a);
    return found;
}

/* Too large by 5 % at most, and never too small, but for rounding: 1e-9, for conditions of up to 1e6. Up to
 * order 12 the method's space is the whole space, and nothing is left but rounding. */
static void test_smallest_eigenvalue(void **state)
{
    (void)state;
    static const size_t orders[] = {1, 2, 3, 4, 7, 11, 12, 13, 20, 40, 80, MOST};
    zilch_rng rng = zilch_rng_make(26, 0);
    worst_error above = {.what = "smallest eigenvalue, too large by, of 5 %"};
    worst_error below = {.what = "smallest eigenvalue, too small by, of 1e-9"};
    worst_error small = {.what = "up to order 12, of 1e-6"};
    for (size_t s = 0; s < COUNT(orders); s++) {
        for (size_t k = 0; k < COUNT(spectra); k++) {
            double value[MOST];
            fill_spectrum(orders[s], spectra[k].value, value);
            const double error = smallest_found(orders[s], value, &rng) / value[0] - 1.0;
            note_error(&above, error / 0.05, "%s, order %zu", spectra[k].name, orders[s]);
            note_error(&below, -error / 1e-9, "%s, order %zu", spectra[k].name, orders[s]);
            note_error(&small, orders[s] <= 12 ? error / 1e-6 : 0.0, "%s, order %zu", spectra[k].name,
                       orders[s]);
        }
    }
    check_errors(&above);
    check_errors(&below);
    check_errors(&small);
}

/* Multiples of the identity, where the first step already ends the recurrence, at any scale. */
static void test_smallest_eigenvalue_of_identity(void **state)
{
    (void)state;
    for (size_t n = 1; n <= 40; n++) {
        for (int power = -12; power <= 12; power += 6) {
            const double scale = pow(10.0, power);
            double *factor = new_matrix(n);
            memset(factor, 0, n * n * sizeof *factor);
            for (size_t i = 0; i < n; i++) {
                AT(factor, n, i, i) = sqrt(scale);
            }
            double found;
            assert_int_equal(zi_smallest_eigenvalue(n, factor, &found), ZILCH_OK);
            assert_true(fabs(found / scale - 1.0) <= 1e-14);
            test_free(factor);
        }
    }
}

/* ---- Triangular products ---------------------------------------------------- */

/* Each row becomes L b, as by loops; solving brings it back. */
static void check_triangular(size_t n, size_t rows, zilch_rng *rng)
{
    double value[MOST];
    fill_spectrum(n, linear, value);
    double *factor = with_spectrum(n, value, rng);
    assert_true(zi_cholesky(n, factor));
    poison_upper(n, factor);
    double *b = test_malloc((rows * n + 1) * sizeof *b);
    zilch_rng_normals(rng, rows * n, b);
    double *product = copy_of(b, rows * n + 1);
    zi_multiply_lower(n, rows, factor, product);
    for (size_t r = 0; r < rows; r++) {
        for (size_t i = 0; i < n; i++) {
            double sum = 0.0;
            for (size_t j = 0; j <= i; j++) {
                sum += AT(factor, n, i, j) * b[r * n + j];
            }
            assert_true(fabs(product[r * n + i] - sum) <= 8.0 * DBL_EPSILON * sqrt((double)n));
        }
    }
    zi_solve_lower(n, rows, factor, product);
    for (size_t i = 0; i < rows * n; i++) {
        assert_true(fabs(product[i] - b[i]) <= 1e-13);
    }
    test_free(product);
    test_free(b);
    test_free(factor);
}

static void test_triangular(void **state)
{
    (void)state;
    static const size_t rows[] = {0, 1, 7, 64};
    zilch_rng rng = zilch_rng_make(27, 0);
    for (size_t s = 0; s < COUNT(sizes); s++) {
        for (size_t r = 0; r < COUNT(rows); r++) {
            check_triangular(sizes[s], rows[r], &rng);
        }
    }
}

/* ---- Workspace, threads ----------------------------------------------------- */

static void *no_memory(size_t bytes)
{
    (void)bytes;
    return NULL;
}

static void test_out_of_memory(void **state)
{
    (void)state;
    double a[4] = {2.0, 1.0, 1.0, 2.0};
    double value[2];
    double vector[4];
    size_t first;
    size_t end;
    zilch_set_allocator(no_memory, free);
    const zilch_status status[] = {
        zi_eigen(2, a, value),
        zi_eigen_side(2, a, 0.0, value, vector, &first, &end),
        zi_smallest_eigenvalue(2, a, value),
    };
    zilch_set_allocator(NULL, NULL);
    for (size_t i = 0; i < COUNT(status); i++) {
        assert_int_equal(status[i], ZILCH_ENOMEM);
    }
}

static void test_blas_threads(void **state)
{
    (void)state;
    const unsigned before = (unsigned)openblas_get_num_threads();
    if (openblas_get_parallel() == 0) {
        skip(); /* as that of a wheel */
    }
    static const unsigned asked[] = {1, 2, 1, 0};
    static const int expected[] = {1, 2, 1, 1};
    for (size_t i = 0; i < COUNT(asked); i++) {
        zilch_set_blas_threads(asked[i]);
        assert_int_equal(openblas_get_num_threads(), expected[i]);
    }
    zilch_set_blas_threads(before);
}

/* ---- Threads and the buffers of OpenBLAS -------------------------------------------------------- */

enum { ORDER = 90, ROWS = 70, JOBS = 400 };

typedef struct crowd {
    double *y, *product; /* ROWS x ORDER, and what all must give */
} crowd;

static zilch_status multiply_again(void *context, size_t index)
{
    const crowd *c = context;
    double *mine = calloc(ORDER * ORDER, sizeof *mine); /* cmocka's counts in one thread only */
    (void)index;
    if (!mine) {
        return zilch_fail(ZILCH_ENOMEM, "no memory for a product");
    }
    zi_rank_update(ORDER, ROWS, 1.0, c->y, 0.0, mine);
    const int is_same = memcmp(mine, c->product, ORDER * ORDER * sizeof *mine) == 0;
    free(mine);
    return is_same ? ZILCH_OK : zilch_fail(ZILCH_ENUMERIC, "another product");
}

static void multiply_in_crowd(const char *what)
{
    crowd c = {test_malloc(ROWS * ORDER * sizeof(double)), new_matrix(ORDER)};
    zilch_rng rng = zilch_rng_make(8, 1);
    zilch_rng_normals(&rng, ROWS * ORDER, c.y);
    memset(c.product, 0, ORDER * ORDER * sizeof *c.product);
    zi_rank_update(ORDER, ROWS, 1.0, c.y, 0.0, c.product);
    if (zilch_parallel(6, JOBS, multiply_again, &c) != ZILCH_OK) {
        fail_msg("%s: %s", what, zilch_last_error());
    }
    test_free(c.y);
    test_free(c.product);
}

/* With memory for one buffer, threads wait for each other; OpenBLAS alone would try for ever to get more. */
static void test_few_buffers(void **state)
{
    (void)state;
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    struct rlimit before;
    unsigned long long pages = 0;
    FILE *statm = fopen("/proc/self/statm", "r");
    if (!statm) {
        skip();
    }
    assert_int_equal(fscanf(statm, "%llu", &pages), 1);
    fclose(statm);
    assert_int_equal(zi_blas_reserve(), ZILCH_OK);
    assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
    struct rlimit tight = before;
    tight.rlim_cur = (rlim_t)(pages * (unsigned long long)sysconf(_SC_PAGESIZE) + (UINT64_C(240) << 20));
    assert_int_equal(setrlimit(RLIMIT_AS, &tight), 0);
    multiply_in_crowd("with few buffers");
    zilch_set_blas_threads(1);
    zilch_set_blas_threads(8); /* for whose buffers there is no memory */
    assert_int_equal(openblas_get_num_threads(), 1);
    assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
#endif
}

static void test_many_buffers(void **state)
{
    (void)state;
    multiply_in_crowd("with as many buffers as threads");
}

/* b = a x for a known x. */
static void multiply(size_t n, const double *a, const double *x, double *b)
{
    for (size_t i = 0; i < n; i++) {
        b[i] = 0.0;
        for (size_t j = 0; j < n; j++) {
            b[i] += AT(a, n, i, j) * x[j];
        }
    }
}

/* A symmetric matrix that is not definite; its square is. */
static void test_solve(void **state)
{
    (void)state;
    for (size_t s = 0; s < COUNT(sizes); s++) {
        const size_t n = sizes[s];
        double *a = new_matrix(n);
        double *square = new_matrix(n);
        double x[MOST], b[MOST], c[MOST];
        int32_t pivot[MOST];
        zilch_rng rng = zilch_rng_make(5, n);
        for (size_t i = 0; i < n; i++) {
            x[i] = zilch_rng_normal(&rng);
            for (size_t j = 0; j <= i; j++) {
                zi_set_entry(n, a, i, j,
                             i == j ? (i % 2 ? 9.0 : -9.0) : zilch_rng_normal(&rng) / sqrt((double)n));
            }
        }
        memset(square, 0, n * n * sizeof *square);
        zi_rank_update(n, n, 1.0, a, 0.0, square);
        zi_symmetrise(n, square);
        multiply(n, a, x, b);
        multiply(n, square, x, c);
        assert_true(zi_cholesky(n, square));
        poison_upper(n, square);
        zi_solve_definite(n, square, c);
        assert_true(zi_solve(n, a, pivot, b));
        for (size_t i = 0; i < n; i++) {
            assert_double_equal(b[i], x[i], 1e-12);
            assert_double_equal(c[i], x[i], 1e-11);
        }
        memset(a, 0, n * n * sizeof *a);
        assert_false(zi_solve(n, a, pivot, b));
        test_free(a);
        test_free(square);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_few_buffers), /* first: OpenBLAS keeps what it has */
        cmocka_unit_test(test_many_buffers),
        cmocka_unit_test(test_rank_update),
        cmocka_unit_test(test_symmetrise),
        cmocka_unit_test(test_eigen),
        cmocka_unit_test(test_eigen_side),
        cmocka_unit_test(test_cholesky),
        cmocka_unit_test(test_cholesky_refuses),
        cmocka_unit_test(test_smallest_eigenvalue),
        cmocka_unit_test(test_smallest_eigenvalue_of_identity),
        cmocka_unit_test(test_triangular),
        cmocka_unit_test(test_solve),
        cmocka_unit_test(test_out_of_memory),
        cmocka_unit_test(test_blas_threads),
    };
    return cmocka_run_group_tests_name("linalg", tests, NULL, NULL);
}
