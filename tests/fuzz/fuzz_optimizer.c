/* Checkpoints of the optimiser, with and without the archive; what is read goes on with its search. */
#include "fuzz.h"
#include "search/optimizer.h"

enum { DIM_MOST = 32, NUMBERS_MOST = 2000, POINTS_MOST = 500, STEPS = 3 };

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    zilch_set_blas_threads(1);
    return 0;
}

/* Networks are in it with a checksum of their own. */
static void repair_networks(unsigned char *bytes, size_t size)
{
    static const char magic[8] = {'z', 'i', 'l', 'c', 'h', 'n', 'e', 't'};
    for (size_t at = 8; at + sizeof magic <= size; at++) {
        zi_reader reader = {.data = bytes, .length = size, .position = at - 8, .ok = 1};
        const uint64_t length = zi_read_u64(&reader);
        if (memcmp(bytes + at, magic, sizeof magic) == 0 && length <= size - at) {
            fuzz_repair(bytes + at, (size_t)length);
        }
    }
}

/* Packed, it is what it was read from; but of an older version it is what that gives. */
static void check_packed(const zilch_optimizer *o, const unsigned char *bytes, size_t size)
{
    enum { VERSION_AT = 8, VERSION = 5 };
    size_t length, second;
    zilch_optimizer *again;
    if (o->gone) { /* it can be read, and nothing else */
        MUST(bytes[VERSION_AT] < VERSION && zilch_optimizer_pack(o, NULL, 0, &length) == ZILCH_EVERSION);
        return;
    }
    MUST(zilch_optimizer_pack(o, NULL, 0, &length) == ZILCH_OK);
    unsigned char *packed = malloc(2 * length);
    MUST(packed && zilch_optimizer_pack(o, packed, length, &length) == ZILCH_OK);
    MUST(bytes[VERSION_AT] != VERSION || (length == size && memcmp(packed, bytes, size) == 0));
    MUST(zilch_optimizer_unpack(&again, packed, length) == ZILCH_OK);
    MUST(zilch_optimizer_pack(again, packed + length, length, &second) == ZILCH_OK && second == length);
    MUST(memcmp(packed, packed + length, length) == 0);
    zilch_optimizer_destroy(again);
    free(packed);
}

static double value_of(size_t dim, const double *x)
{
    double sum = 0.0;
    for (size_t i = 0; i < dim; i++) {
        sum += (x[i] - 1.0) * (x[i] - 1.0);
    }
    return sum;
}

/* What the generation wants, and one more: the generation that is open closes, and another begins. */
static void go_on(zilch_optimizer *o, size_t dim)
{
    uint64_t *id = malloc(POINTS_MOST * sizeof *id);
    double *x = malloc(POINTS_MOST * dim * sizeof *x);
    double *value = malloc(POINTS_MOST * sizeof *value);
    MUST(id && x && value);
    for (int step = 0; step < STEPS; step++) {
        size_t wanted = 0;
        (void)!zilch_optimizer_wanted(o, &wanted);
        const size_t n = wanted < POINTS_MOST ? wanted + 1 : POINTS_MOST;
        const zilch_status asked = zilch_optimizer_ask(o, n, id, x);
        MUST(!o->gone || asked == ZILCH_EVERSION || step == 0); /* one that is open is handed out */
        if (asked != ZILCH_OK) {
            break;
        }
        MUST(zi_optimizer_is_valid(o));
        for (size_t i = 0; i < n; i++) {
            value[i] = value_of(dim, x + i * dim);
        }
        const zilch_status told = zilch_optimizer_tell(o, n, id, value);
        MUST(told != ZILCH_EARG && zi_optimizer_is_valid(o));
        (void)!zilch_optimizer_advance(o);
    }
    free(id);
    free(x);
    free(value);
}

static void look(const zilch_optimizer *o, size_t dim)
{
    zilch_record record;
    zilch_record top[4];
    size_t count;
    zilch_model *model = NULL;
    double *x = malloc(dim * sizeof *x);
    MUST(x && zilch_optimizer_top(o, 4, top, &count) == ZILCH_OK &&
         zilch_optimizer_front(o, 4, top, &count) == ZILCH_OK);
    for (uint64_t point = 0; point < zilch_optimizer_progress(o).points; point++) {
        const zilch_status status = zilch_optimizer_point(o, point, x, &record);
        MUST(status == ZILCH_OK || status == ZILCH_ESTATE);
    }
    (void)!zilch_optimizer_best(o, x, &record);
    (void)!zilch_optimizer_model(o, &model);
    zilch_model_destroy(model);
    free(x);
}

static void check(zilch_optimizer *o, const unsigned char *bytes, size_t size)
{
    const size_t dim = zilch_optimizer_dim(o);
    const size_t given = zilch_optimizer_settings(o)->population;
    const size_t population = given ? given : 20; /* what an automatic one begins with */
    MUST(zi_optimizer_is_valid(o));
    check_packed(o, bytes, size);
    if (dim <= DIM_MOST && population <= NUMBERS_MOST / dim) {
        look(o, dim);
        go_on(o, dim);
        look(o, dim);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    zilch_optimizer *o;
    unsigned char *bytes = fuzz_copy(data, size);
    repair_networks(bytes, size);
    fuzz_repair(bytes, size);
    if (zilch_optimizer_unpack(&o, bytes, size) == ZILCH_OK) {
        check(o, bytes, size);
    } else { /* without its archive it is not complete: the fuzzer of studies goes on with such */
        (void)!zi_optimizer_unpack_state(&o, bytes, size);
    }
    zilch_optimizer_destroy(o);
    free(bytes);
    return 0;
}
