/* Dense linear algebra: the one file that knows BLAS and LAPACK (OpenBLAS), through
 * their Fortran names; see linalg.h for the order of entries.
 *
 * OpenBLAS maps a buffer for each thread that is in it at one time, keeps it for the next that comes, and
 * where it cannot map one it tries again for ever. So no more threads are let in than there are buffers, and
 * a new one is asked for only when the memory for it has just been seen to be there. */
#include "math/linalg.h"

#include "base/memory.h"

#include <assert.h>
#include <math.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

void dsyrk_(const char *uplo, const char *trans, const int *n, const int *k, const double *alpha,
            const double *a, const int *lda, const double *beta, double *c, const int *ldc);
void dsyevd_(const char *job, const char *uplo, const int *n, double *a, const int *lda, double *w,
             double *work, const int *lwork, int *iwork, const int *liwork, int *info);
void dsytrd_(const char *uplo, const int *n, double *a, const int *lda, double *d, double *e, double *tau,
             double *work, const int *lwork, int *info);
void dstedc_(const char *compz, const int *n, double *d, double *e, double *z, const int *ldz, double *work,
             const int *lwork, int *iwork, const int *liwork, int *info);
void dormtr_(const char *side, const char *uplo, const char *trans, const int *m, const int *n,
             const double *a, const int *lda, const double *tau, double *c, const int *ldc, double *work,
             const int *lwork, int *info);
void dtrsv_(const char *uplo, const char *trans, const char *diag, const int *n, const double *a,
            const int *lda, double *x, const int *incx);
double ddot_(const int *n, const double *x, const int *incx, const double *y, const int *incy);
void dpotrf_(const char *uplo, const int *n, double *a, const int *lda, int *info);
void dtrmm_(const char *side, const char *uplo, const char *trans, const char *diag, const int *m,
            const int *n, const double *alpha, const double *a, const int *lda, double *b, const int *ldb);
void dtrsm_(const char *side, const char *uplo, const char *trans, const char *diag, const int *m,
            const int *n, const double *alpha, const double *a, const int *lda, double *b, const int *ldb);
void dgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k,
            const double *alpha, const double *a, const int *lda, const double *b, const int *ldb,
            const double *beta, double *c, const int *ldc);
void dgesv_(const int *n, const int *nrhs, double *a, const int *lda, int *ipiv, double *b, const int *ldb,
            int *info);
void openblas_set_num_threads(int threads);
int openblas_get_num_threads(void);
/* What OpenBLAS itself takes its buffers with; another build may not show it. */
__attribute__((weak)) void *blas_memory_alloc(int which);
__attribute__((weak)) void blas_memory_free(void *buffer);

static const double one = 1.0;

/* ---- Memory of OpenBLAS ----------------------------------------------------------- */

static const size_t buffer_bytes = (size_t)128 << 20; /* of OpenBLAS on most processors; on others less */
static const size_t stack_bytes = (size_t)8 << 20;    /* of one of its own threads, as usual */
enum { MOST_BUFFERS = 64 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards what follows */
static pthread_cond_t is_left = PTHREAD_COND_INITIALIZER;
static void *known[MOST_BUFFERS]; /* buffers that OpenBLAS has shown to have */
static size_t buffers, inside;    /* how many those are, and how many threads are in it */

static int is_obtainable(size_t bytes)
{
    void *map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return map != MAP_FAILED && munmap(map, bytes) == 0;
}

static int is_known(const void *buffer)
{
    size_t k = 0;
    while (k < buffers && known[k] != buffer) {
        k++;
    }
    return k < buffers;
}

/* One more buffer: some are taken at once, until there is a new one among them; then all are given back, for
 * whoever comes. */
static int get_buffer(void)
{
    void *taken[MOST_BUFFERS];
    size_t count = 0;
    int is_new = 0;
    while (!is_new && count < MOST_BUFFERS && buffers < MOST_BUFFERS && is_obtainable(buffer_bytes)) {
        void *buffer = blas_memory_alloc ? blas_memory_alloc(0) : NULL;
        is_new = !buffer || !is_known(buffer);
        taken[count++] = buffer;
        if (is_new) {
            known[buffers++] = buffer;
        }
    }
    for (size_t k = 0; k < count; k++) {
        if (taken[k]) {
            blas_memory_free(taken[k]);
        }
    }
    return is_new;
}

zilch_status zi_blas_reserve(void)
{
    pthread_mutex_lock(&lock);
    const int is_there = buffers > 0 || get_buffer();
    pthread_mutex_unlock(&lock);
    return is_there ? ZILCH_OK
                    : zi_fail(ZILCH_ENOMEM,
                              "out of memory: OpenBLAS needs a buffer of %zu bytes; allow more (ulimit -v)",
                              buffer_bytes);
}

/* Where there is no memory for another buffer, a thread waits for one that is in use. */
static void enter(void)
{
    pthread_mutex_lock(&lock);
    while (inside >= buffers && !get_buffer() && inside > 0) {
        pthread_cond_wait(&is_left, &lock);
    }
    inside++;
    pthread_mutex_unlock(&lock);
}

static void leave(void)
{
    pthread_mutex_lock(&lock);
    inside--;
    pthread_cond_signal(&is_left);
    pthread_mutex_unlock(&lock);
}

/* ---- Threads of OpenBLAS ---------------------------------------------------------- */

static int blas_int(size_t n)
{
    assert(n <= INT32_MAX);
    return (int)n;
}

/* A new thread takes its buffer when it starts: those for which there is no memory are not started. */
void zilch_set_blas_threads(unsigned threads)
{
    const unsigned most = 1024;
    const int now = openblas_get_num_threads();
    const int wanted = (int)(threads < 1 ? 1 : threads < most ? threads : most);
    if (wanted <= now || is_obtainable((size_t)(wanted - now) * (buffer_bytes + stack_bytes))) {
        openblas_set_num_threads(wanted);
    }
}

/* ---- Matrices --------------------------------------------------------------------- */

void zi_rank_update(size_t n, size_t rows, double alpha, const double *y, double beta, double *c)
{
    assert(y || !rows);
    assert(c || !n);
    const int order = blas_int(n);
    const int count = blas_int(rows);
    enter();
    dsyrk_("L", "N", &order, &count, &alpha, y, &order, &beta, c, &order);
    leave();
}

/* In BLAS' order every matrix is its transpose: c^T = b^T a^T. */
void zi_multiply_add(size_t rows, size_t inner, size_t cols, double alpha, const double *a, const double *b,
                     double *c)
{
    assert(a && b && c);
    const int m = blas_int(cols);
    const int n = blas_int(rows);
    const int k = blas_int(inner);
    enter();
    dgemm_("N", "N", &m, &n, &k, &alpha, b, &m, a, &k, &one, c, &m);
    leave();
}

void zi_identity(size_t n, double *a)
{
    assert(a || !n);
    memset(a, 0, n * n * sizeof *a);
    for (size_t i = 0; i < n; i++) {
        a[i * n + i] = 1.0;
    }
}

void zi_symmetrise(size_t n, double *a)
{
    assert(a || !n);
    /* In square tiles, so that the strided side stays in the cache. */
    enum { TILE = 32 };
    for (size_t tile_j = 0; tile_j < n; tile_j += TILE) {
        for (size_t tile_i = tile_j; tile_i < n; tile_i += TILE) {
            for (size_t j = tile_j; j < n && j < tile_j + TILE; j++) {
                for (size_t i = tile_i > j ? tile_i : j + 1; i < n && i < tile_i + TILE; i++) {
                    a[i * n + j] = a[j * n + i];
                }
            }
        }
    }
}

static zilch_status eigen_failed(size_t n)
{
    return zi_fail(ZILCH_ENUMERIC, "eigendecomposition of order %zu failed", n);
}

zilch_status zi_eigen(size_t n, double *a, double *value)
{
    assert(a && value && n <= ZI_MOST_ORDER);
    const int order = blas_int(n);
    const int work_size = 1 + 6 * order + 2 * order * order; /* dsyevd's stated minimum */
    const int iwork_size = 3 + 5 * order;
    double *work; /* and the integers, which need less room as doubles */
    ZI_TRY(zi_blas_reserve());
    ZI_TRY(zi_alloc(&work, (size_t)work_size + (size_t)iwork_size));
    int *iwork = (int *)(work + work_size);
    int info;
    enter();
    dsyevd_("V", "L", &order, a, &order, value, work, &work_size, iwork, &iwork_size, &info);
    leave();
    zi_free(work);
    return info == 0 ? ZILCH_OK : eigen_failed(n);
}

/* The three stages of dsyevd, with the last, the way back from the tridiagonal matrix,
 * gone by the wanted vectors only. */
zilch_status zi_eigen_side(size_t n, double *a, double least, double *value, double *vector, size_t *first,
                           size_t *end)
{
    assert(a && value && vector && first && end);
    assert(n <= ZI_MOST_ORDER);
    const int order = blas_int(n);
    const int work_size = 1 + 4 * order + order * order; /* dstedc's minimum; plenty for the others */
    const int iwork_size = 3 + 5 * order;
    double *work;
    ZI_TRY(zi_blas_reserve());
    ZI_TRY(zi_alloc(&work, 2 * n + (size_t)work_size + (size_t)iwork_size));
    double *beside = work + work_size; /* the tridiagonal matrix's second diagonal */
    double *reflector = beside + n;
    int *iwork = (int *)(reflector + n);
    int info;
    enter();
    dsytrd_("L", &order, a, &order, value, beside, reflector, work, &work_size, &info);
    dstedc_("I", &order, value, beside, vector, &order, work, &work_size, iwork, &iwork_size, &info);
    if (info == 0) {
        size_t below = 0;
        while (below < n && value[below] < least) {
            below++;
        }
        *first = below > n / 2 ? below : 0;
        *end = below > n / 2 ? n : below;
        const int wanted = blas_int(*end - *first);
        dormtr_("L", "L", "N", &order, &wanted, a, &order, reflector, vector + *first * n, &order, work,
                &work_size, &info);
    }
    leave();
    zi_free(work);
    return info == 0 ? ZILCH_OK : eigen_failed(n);
}

int zi_cholesky(size_t n, double *a)
{
    assert(a && n <= ZI_MOST_ORDER);
    const int order = blas_int(n);
    int info;
    enter();
    dpotrf_("L", &order, a, &order, &info);
    leave();
    assert(info >= 0);
    return info == 0 && a[n * n - 1] > 0.0; /* a NaN anywhere shows in the last pivot */
}

/* Lanczos' three-term recurrence for the inverse, from a fixed random vector; the
 * tridiagonal matrix of its coefficients goes to `small` (steps x steps). Ends early when
 * the space is exhausted. */
static void lanczos(size_t n, const double *factor, size_t steps, double *basis, double *small)
{
    static const int stride = 1;
    const int order = blas_int(n);
    double *previous = basis;
    double *current = basis + n;
    double *next = basis + 2 * n;
    zilch_rng rng = zilch_rng_make(0, n);
    zilch_rng_normals(&rng, n, current);
    double norm = sqrt(ddot_(&order, current, &stride, current, &stride));
    for (size_t k = 0; k < steps; k++) {
        for (size_t i = 0; i < n; i++) {
            next[i] = current[i] /= norm;
        }
        dtrsv_("L", "N", "N", &order, factor, &order, next, &stride);
        dtrsv_("L", "T", "N", &order, factor, &order, next, &stride);
        const double alpha = ddot_(&order, current, &stride, next, &stride);
        for (size_t i = 0; i < n; i++) {
            next[i] -= alpha * current[i] + (k ? norm * previous[i] : 0.0);
        }
        const double length = sqrt(ddot_(&order, next, &stride, next, &stride));
        small[k * steps + k] = alpha;
        if (k + 1 == steps || length < 1e-10 * alpha) {
            return;
        }
        small[k * steps + k + 1] = small[(k + 1) * steps + k] = length;
        norm = length;
        double *spare = previous;
        previous = current;
        current = next;
        next = spare;
    }
}

zilch_status zi_smallest_eigenvalue(size_t n, const double *factor, double *smallest)
{
    assert(n && factor && smallest);
    enum { STEPS = 12 };
    const size_t steps = n < STEPS ? n : STEPS;
    double small[STEPS * STEPS] = {0}; /* steps not done leave zeros, far below the largest */
    double value[STEPS];
    double *basis;
    ZI_TRY(zi_blas_reserve());
    ZI_TRY(zi_alloc(&basis, 3 * n));
    enter();
    lanczos(n, factor, steps, basis, small);
    leave();
    zi_free(basis);
    ZI_TRY(zi_eigen(steps, small, value));
    *smallest = 1.0 / value[steps - 1];
    return ZILCH_OK;
}

void zi_multiply_lower(size_t n, size_t rows, const double *factor, double *b)
{
    assert(factor && (b || !rows));
    const int order = blas_int(n);
    const int count = blas_int(rows);
    enter();
    dtrmm_("L", "L", "N", "N", &order, &count, &one, factor, &order, b, &order);
    leave();
}

void zi_solve_lower(size_t n, size_t rows, const double *factor, double *b)
{
    assert(factor && (b || !rows));
    const int order = blas_int(n);
    const int count = blas_int(rows);
    enter();
    dtrsm_("L", "L", "N", "N", &order, &count, &one, factor, &order, b, &order);
    leave();
}

void zi_solve_definite(size_t n, const double *factor, double *b)
{
    assert(factor && b);
    static const int stride = 1;
    const int order = blas_int(n);
    enter();
    dtrsv_("L", "N", "N", &order, factor, &order, b, &stride);
    dtrsv_("L", "T", "N", &order, factor, &order, b, &stride);
    leave();
}

int zi_solve(size_t n, double *a, int32_t *pivot, double *b)
{
    assert(a && pivot && b && n <= ZI_MOST_ORDER);
    static const int columns = 1;
    const int order = blas_int(n);
    int info;
    enter();
    dgesv_(&order, &columns, a, &order, pivot, b, &order, &info);
    leave();
    assert(info >= 0);
    return info == 0;
}
