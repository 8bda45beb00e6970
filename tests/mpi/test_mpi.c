/* Ranks, seen from a program: started by mpirun with any number of them, it passes or aborts. Every test is
 * called on every rank; rank 0 makes the demands, the others serve. */
#include "zilch_mpi.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define DEMAND(fact)                                                                                    \
    do {                                                                                                \
        if (!(fact)) {                                                                                  \
            fprintf(stderr, "%s:%d: not so: %s (%s)\n", __FILE__, __LINE__, #fact, zilch_last_error()); \
            MPI_Abort(MPI_COMM_WORLD, 1);                                                               \
        }                                                                                               \
    } while (0)

enum { POINTS = 501, COLUMNS = 3 };

/* What the objective shall do: rank 0 sends it. */
typedef struct order {
    uint64_t fail_from; /* ids from here on fail */
    int is_silent;      /* without a word */
    int only_others;    /* not on rank 0 */
    int sleeps;         /* milliseconds at most, by the id */
    size_t rising;      /* not at random, but the longer the higher the id is, of so many; 0: at random */
    int gives_errors, gives_violations;
    int refuses; /* the order itself, on ranks from here on; 0: none */
} order;

typedef struct state {
    order order;
    int rank, ranks;
    size_t done, calls, idle;
    double busy; /* seconds in the objective */
} state;

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double value_of(uint64_t id, size_t dim, const double *x)
{
    zilch_rng rng = zilch_rng_make(17, id);
    double sum = zilch_rng_normal(&rng);
    for (size_t j = 0; j < dim; j++) {
        sum += (double)(j + 1) * x[j] * x[j];
    }
    return id % 50 == 7 ? NAN : sum; /* some fail by themselves */
}

static void sleep_by_id(uint64_t id, const order *o)
{
    zilch_rng rng = zilch_rng_make(18, id);
    const double share = o->rising ? (double)(id - 1000) / (double)o->rising : zilch_rng_uniform(&rng);
    const double length = 0.001 * (1.0 + (o->sleeps - 1.0) * share);
    const struct timespec pause = {0, (long)(1e9 * length)};
    nanosleep(&pause, NULL);
}

static zilch_status evaluate(state *s, const zilch_batch *batch, double *value)
{
    DEMAND(batch->n > 0 && batch->generation == 5);
    DEMAND(s->ranks == 1 || batch->n == 1 || batch->n * batch->dim < (1 << 20)); /* a message's most */
    s->calls++;
    for (size_t i = 0; i < batch->n; i++) {
        const uint64_t id = batch->id[i];
        if (id >= s->order.fail_from && !(s->order.only_others && s->rank == 0)) {
            return s->order.is_silent ? ZILCH_ESTATE : zilch_fail(ZILCH_EOBJECTIVE, "the valve is stuck");
        }
        if (s->order.sleeps) {
            sleep_by_id(id, &s->order);
        }
        value[i] = value_of(id, batch->dim, batch->x + i * batch->dim);
        if (s->order.gives_errors && id % 3 == 0) {
            DEMAND(batch->error && isnan(batch->error[i]));
            batch->error[i] = 0.5 * (double)id;
        }
        if (s->order.gives_violations && id % 4 == 1) {
            DEMAND(batch->violation && batch->violation[i] == 0.0);
            batch->violation[i] = 0.25 * (double)id;
        }
        s->done++;
    }
    return ZILCH_OK;
}

static zilch_status objective(void *context, const zilch_batch *batch, double *value)
{
    state *s = context;
    const double begin = seconds();
    const zilch_status status = evaluate(s, batch, value);
    s->busy += seconds() - begin;
    return status;
}

static zilch_status receive(void *context, const void *bytes, size_t count)
{
    state *s = context;
    if (count != sizeof s->order) {
        return ZILCH_OK; /* bytes for their own sake */
    }
    memcpy(&s->order, bytes, count);
    char text[64];
    snprintf(text, sizeof text, "rank %d refuses", s->rank);
    return s->order.refuses && s->rank >= s->order.refuses ? zilch_fail(ZILCH_EUNAVAILABLE, text) : ZILCH_OK;
}

static void count_idle(void *context)
{
    ((state *)context)->idle++;
}

/* A handle on every rank; gives whether this is rank 0. The others come back when it has closed its own. */
static int open_handle(state *s, zilch_mpi **mpi)
{
    const zilch_mpi_setup setup = {.inner = objective, .context = s, .receive = receive, .idle = count_idle};
    *s = (state){.order = {.fail_from = UINT64_MAX}};
    MPI_Comm_rank(MPI_COMM_WORLD, &s->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &s->ranks);
    DEMAND(zilch_mpi_create(mpi, MPI_COMM_WORLD, &setup) == ZILCH_OK);
    DEMAND(zilch_mpi_rank(*mpi) == s->rank);
    if (s->rank == 0) {
        return 1;
    }
    DEMAND(zilch_mpi_serve(*mpi) == ZILCH_OK);
    return 0;
}

static zilch_status command(state *s, zilch_mpi *mpi, order given)
{
    s->order = given;
    return zilch_mpi_send(mpi, &s->order, sizeof s->order);
}

static size_t sum_over_ranks(size_t here)
{
    unsigned long long mine = here;
    unsigned long long sum = 0;
    MPI_Allreduce(&mine, &sum, 1, MPI_UNSIGNED_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
    return (size_t)sum;
}

static zilch_batch some_points(size_t n, size_t dim, double *error)
{
    zilch_rng rng = zilch_rng_make(3, n);
    uint64_t *id = malloc((n + 1) * sizeof *id);
    double *x = malloc((n + 1) * dim * sizeof *x);
    DEMAND(id && x);
    zilch_rng_normals(&rng, n * dim, x);
    for (size_t i = 0; i < n; i++) {
        id[i] = 1000 + i;
        if (error) {
            error[i] = NAN;
        }
    }
    return (zilch_batch){.n = n, .dim = dim, .generation = 5, .id = id, .x = x, .error = error};
}

static void free_points(const zilch_batch *batch)
{
    free((void *)batch->id);
    free((void *)batch->x);
}

static int is_same(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

/* What was given for a point is in its place. */
static void check_answers(const zilch_batch *batch, const double *value)
{
    for (size_t i = 0; i < batch->n; i++) {
        const uint64_t id = batch->id[i];
        DEMAND(is_same(value[i], value_of(id, COLUMNS, batch->x + i * COLUMNS)));
        DEMAND(!batch->error || (id % 3 == 0 ? batch->error[i] == 0.5 * (double)id : isnan(batch->error[i])));
        DEMAND(!batch->violation || batch->violation[i] == (id % 4 == 1 ? 0.25 * (double)id : 0.0));
    }
}

/* Each point once, its value in its place and nothing behind; with errors and violations where they are asked
 * for, one without the other, too. */
static void values_do_not_depend_on_ranks(void)
{
    static const size_t counts[] = {0, 1, 2, 3, 4, 5, 7, 16, 17, 64, 499, POINTS};
    state s;
    zilch_mpi *mpi;
    size_t points = 0;
    const int is_first = open_handle(&s, &mpi);
    for (size_t k = 0; k < 8 * COUNT(counts) && is_first; k++) {
        const size_t n = counts[k / 8];
        double value[POINTS + 1];
        double error[POINTS + 1];
        double violation[POINTS + 1];
        const order o = {
            .fail_from = UINT64_MAX, .gives_errors = k % 2 != 0, .gives_violations = k / 2 % 2 != 0};
        zilch_mpi_set_least(mpi, k % 8 < 4 ? 0 : 3);
        DEMAND(command(&s, mpi, o) == ZILCH_OK);
        value[n] = error[n] = violation[n] = -1.0;
        zilch_batch batch = some_points(n, COLUMNS, o.gives_errors ? error : NULL);
        batch.violation = o.gives_violations ? violation : NULL;
        for (size_t i = 0; i < n; i++) {
            violation[i] = 0.0;
        }
        DEMAND(zilch_mpi_objective(mpi, &batch, value) == ZILCH_OK);
        check_answers(&batch, value);
        DEMAND(value[n] == -1.0 && error[n] == -1.0 && violation[n] == -1.0);
        points += n;
        free_points(&batch);
    }
    zilch_mpi_destroy(mpi);
    const size_t done = sum_over_ranks(s.done);
    DEMAND(s.rank > 0 || done == points);
}

/* Points of which few fit into a message, or none. */
static void points_may_be_long(void)
{
    state s;
    zilch_mpi *mpi;
    if (open_handle(&s, &mpi)) {
        static const struct {
            size_t n, dim;
        } sizes[] = {{40, 100000}, {3, (1 << 20) + 5}};
        zilch_mpi_set_least(mpi, 40); /* more than a message takes */
        for (size_t k = 0; k < COUNT(sizes); k++) {
            const size_t n = sizes[k].n;
            const size_t dim = sizes[k].dim;
            double value[40];
            const zilch_batch batch = some_points(n, dim, NULL);
            DEMAND(zilch_mpi_objective(mpi, &batch, value) == ZILCH_OK);
            for (size_t i = 0; i < n; i++) {
                DEMAND(is_same(value[i], value_of(batch.id[i], dim, batch.x + i * dim)));
            }
            free_points(&batch);
        }
        zilch_batch batch = some_points(1, 1, NULL);
        batch.dim = SIZE_MAX / 2;
        double value;
        DEMAND(zilch_mpi_objective(mpi, &batch, &value) == ZILCH_EARG);
        free_points(&batch);
    }
    zilch_mpi_destroy(mpi);
}

/* Status and text come out, whoever fails, nothing is begun behind a failure, and what comes next is served.
 */
static void failures_are_handed_on(void)
{
    state s;
    zilch_mpi *mpi;
    int ranks;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (open_handle(&s, &mpi)) {
        for (int k = 0; k < 12; k++) {
            double value[POINTS];
            const zilch_batch batch = some_points(POINTS, COLUMNS, NULL);
            order o = {.fail_from = k % 3 ? 1100 : 0, .is_silent = k % 2, .only_others = k % 4 < 2};
            /* rank 0 must not do it all before another begins */
            o.sleeps = ranks > 1 && o.only_others;
            DEMAND(command(&s, mpi, o) == ZILCH_OK);
            zilch_fail(ZILCH_EARG, "stale");
            const zilch_status status = zilch_mpi_objective(mpi, &batch, value);
            if (ranks == 1 && o.only_others) {
                DEMAND(status == ZILCH_OK);
            } else if (o.is_silent) {
                DEMAND(status == ZILCH_ESTATE && (ranks == 1 || strcmp(zilch_last_error(), "") == 0));
            } else {
                DEMAND(status == ZILCH_EOBJECTIVE && strcmp(zilch_last_error(), "the valve is stuck") == 0);
            }
            DEMAND(command(&s, mpi, (order){.fail_from = UINT64_MAX}) == ZILCH_OK);
            DEMAND(zilch_mpi_objective(mpi, &batch, value) == ZILCH_OK);
            DEMAND(is_same(value[POINTS - 1],
                           value_of(1000 + POINTS - 1, COLUMNS, batch.x + (POINTS - 1) * COLUMNS)));
            free_points(&batch);
        }
    }
    zilch_mpi_destroy(mpi);
}

/* Of 501 points all fail, and each would sleep: few are tried. */
static void nothing_is_begun_after_a_failure(void)
{
    state s;
    zilch_mpi *mpi;
    if (open_handle(&s, &mpi)) {
        double value[POINTS];
        const zilch_batch batch = some_points(POINTS, COLUMNS, NULL);
        DEMAND(command(&s, mpi, (order){.fail_from = 0}) == ZILCH_OK);
        DEMAND(zilch_mpi_objective(mpi, &batch, value) == ZILCH_EOBJECTIVE);
        free_points(&batch);
    }
    zilch_mpi_destroy(mpi);
    int ranks;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const size_t calls = sum_over_ranks(s.calls);
    DEMAND(calls >= 1 && calls <= (size_t)ranks);
}

static void bytes_are_handed_over(void)
{
    state s;
    zilch_mpi *mpi;
    int ranks;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (open_handle(&s, &mpi)) {
        zilch_status status = command(&s, mpi, (order){.refuses = 2});
        DEMAND(status == (ranks > 2 ? ZILCH_EUNAVAILABLE : ZILCH_OK));
        DEMAND(ranks <= 2 || strcmp(zilch_last_error(), "rank 2 refuses") == 0);
        status = command(&s, mpi, (order){.fail_from = 12345});
        DEMAND(status == ZILCH_OK);
        DEMAND(zilch_mpi_send(mpi, NULL, 1) == ZILCH_EARG);
    }
    zilch_mpi_destroy(mpi);
    DEMAND(s.order.fail_from == 12345 || ranks == 1);
}

static void wrong_calls_are_refused(void)
{
    state s;
    zilch_mpi *mpi;
    zilch_mpi *none;
    double value;
    const zilch_batch batch = some_points(1, 1, NULL);
    const zilch_batch empty = some_points(0, 1, NULL);
    const zilch_mpi_setup without = {.context = &s};
    DEMAND(zilch_mpi_create(&none, MPI_COMM_WORLD, &without) == ZILCH_EARG);
    DEMAND(zilch_mpi_create(&none, MPI_COMM_WORLD, NULL) == ZILCH_EARG);
    DEMAND(zilch_mpi_create(NULL, MPI_COMM_WORLD, &without) == ZILCH_EARG);
    zilch_mpi_destroy(NULL);
    if (open_handle(&s, &mpi)) {
        DEMAND(zilch_mpi_serve(mpi) == ZILCH_ESTATE);
        DEMAND(zilch_mpi_objective(NULL, &batch, &value) == ZILCH_EARG);
        DEMAND(zilch_mpi_objective(mpi, NULL, &value) == ZILCH_EARG);
        DEMAND(zilch_mpi_objective(mpi, &batch, NULL) == ZILCH_EARG);
        DEMAND(zilch_mpi_objective(mpi, &empty, NULL) == ZILCH_OK);
    } else {
        DEMAND(zilch_mpi_objective(mpi, &batch, &value) == ZILCH_ESTATE);
        DEMAND(zilch_mpi_send(mpi, "", 1) == ZILCH_ESTATE);
    }
    zilch_mpi_destroy(mpi);
    free_points(&batch);
    free_points(&empty);
}

/* A whole search, on any number of ranks the same bytes: a checksum of them is printed. */
static zilch_status any_generation(void *context, const zilch_batch *batch, double *value)
{
    zilch_batch b = *batch;
    b.generation = 5;
    return objective(context, &b, value);
}

static void a_search_has_the_same_bits(void)
{
    state s = {.order = {.fail_from = UINT64_MAX, .gives_violations = 1}};
    zilch_mpi *mpi;
    const zilch_mpi_setup setup = {.inner = any_generation, .context = &s};
    MPI_Comm_rank(MPI_COMM_WORLD, &s.rank);
    DEMAND(zilch_mpi_create(&mpi, MPI_COMM_WORLD, &setup) == ZILCH_OK);
    if (s.rank == 0) {
        zilch_optimizer *search;
        zilch_limits limits = zilch_limits_defaults();
        limits.generations = 4;
        DEMAND(zilch_optimizer_create(&search, 6, 11, NULL) == ZILCH_OK);
        DEMAND(zilch_optimizer_run(search, zilch_mpi_objective, mpi, &limits, NULL, NULL, NULL) == ZILCH_OK);
        size_t length;
        DEMAND(zilch_optimizer_pack(search, NULL, 0, &length) == ZILCH_OK);
        unsigned char *bytes = malloc(length);
        DEMAND(bytes && zilch_optimizer_pack(search, bytes, length, &length) == ZILCH_OK);
        uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV-1a */
        for (size_t i = 0; i < length; i++) {
            hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
        }
        printf("search: %016llx\n", (unsigned long long)hash);
        free(bytes);
        zilch_optimizer_destroy(search);
    } else {
        DEMAND(zilch_mpi_serve(mpi) == ZILCH_OK);
    }
    zilch_mpi_destroy(mpi);
}

/* ---- Measurements ---------------------------------------------------------------------------------- */

typedef struct load {
    size_t points, dim;
    int sleeps;    /* milliseconds, from 1 to these, uniformly */
    int is_rising; /* in order */
    double least_busy;
} load;

/* The share of the time in which ranks are busy. */
static void measure(const load *l)
{
    state s;
    zilch_mpi *mpi;
    double wall = 0.0;
    double busy = 0.0;
    int ranks;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (open_handle(&s, &mpi)) {
        double *value = malloc(l->points * sizeof *value);
        const zilch_batch batch = some_points(l->points, l->dim, NULL);
        const order o = {
            .fail_from = UINT64_MAX, .sleeps = l->sleeps, .rising = l->is_rising ? l->points : 0};
        DEMAND(value && command(&s, mpi, o) == ZILCH_OK);
        const double begin = seconds();
        DEMAND(zilch_mpi_objective(mpi, &batch, value) == ZILCH_OK);
        wall = seconds() - begin;
        DEMAND(ranks == 1 || s.idle > 0);
        free_points(&batch);
        free(value);
    }
    zilch_mpi_destroy(mpi);
    MPI_Reduce(&s.busy, &busy, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    const size_t calls = sum_over_ranks(s.calls);
    if (s.rank == 0) {
        const double share = busy / ((double)ranks * wall);
        printf("ranks %d, points %zu, parts %zu, seconds %.6f, busy %.4f\n", ranks, l->points, calls, wall,
               share);
        DEMAND(share >= l->least_busy);
    }
}

/* Bytes to every other rank, and its answer: the least of several times. */
static void measure_send(size_t bytes)
{
    state s;
    zilch_mpi *mpi;
    double least = INFINITY;
    if (open_handle(&s, &mpi)) {
        char *text = calloc(bytes, 1);
        DEMAND(text);
        for (int k = 0; k < 30; k++) {
            const double begin = seconds();
            DEMAND(zilch_mpi_send(mpi, text, bytes) == ZILCH_OK);
            const double now = seconds() - begin;
            least = now < least ? now : least;
        }
        printf("ranks %d, bytes %zu, seconds %.7f\n", zilch_mpi_ranks(mpi), bytes, least);
        free(text);
    }
    zilch_mpi_destroy(mpi);
}

static double processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* While rank 0 does something else for so long, what the others use of a processor, at most. */
static void measure_idle(unsigned length, double most)
{
    state s;
    zilch_mpi *mpi;
    double share = 0.0;
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = processor_seconds();
    if (open_handle(&s, &mpi)) {
        sleep(length);
    }
    const double mine = s.rank ? (processor_seconds() - begin) / length : 0.0;
    zilch_mpi_destroy(mpi);
    MPI_Reduce(&mine, &share, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (s.rank == 0) {
        printf("idle %.5f of a processor\n", share);
        DEMAND(share <= most);
    }
}

static size_t number(int argc, char **argv, int index, size_t usual)
{
    return argc > index ? strtoul(argv[index], NULL, 10) : usual;
}

/* test_mpi [busy [POINTS] | rising [POINTS] | measure POINTS DIM MILLISECONDS | send BYTES | idle SECONDS] */
int main(int argc, char **argv)
{
    DEMAND(zilch_mpi_begin() == ZILCH_OK);
    zilch_set_blas_threads(1);
    DEMAND(zilch_mpi_begin() == ZILCH_OK); /* once more does no harm */
    const char *what = argc > 1 ? argv[1] : "";
    if (strcmp(what, "busy") == 0 || strcmp(what, "rising") == 0) {
        measure(&(load){number(argc, argv, 2, 500), 90, 50, *what == 'r', 0.9});
    } else if (strcmp(what, "measure") == 0) {
        measure(&(load){number(argc, argv, 2, 500), number(argc, argv, 3, 90), (int)number(argc, argv, 4, 50),
                        0, 0.0});
    } else if (strcmp(what, "send") == 0) {
        measure_send(number(argc, argv, 2, 8));
    } else if (strcmp(what, "idle") == 0) {
        measure_idle((unsigned)number(argc, argv, 2, 2), 0.2);
    } else {
        values_do_not_depend_on_ranks();
        points_may_be_long();
        failures_are_handed_on();
        nothing_is_begun_after_a_failure();
        bytes_are_handed_over();
        wrong_calls_are_refused();
        a_search_has_the_same_bits();
    }
    zilch_mpi_end();
    zilch_mpi *late;
    const zilch_mpi_setup setup = {.inner = objective};
    if (zilch_mpi_create(&late, MPI_COMM_WORLD, &setup) != ZILCH_ESTATE) {
        return 1;
    }
    return 0;
}
