/* The networks as bytes and files, and the inverter that asks them. */
#include "base/bytes.h"
#include "math/linalg.h"
#include "model/invert.h"
#include "model/model.h"
#include "model/networks.h"
#include "support.h"

/* ---- Making ------------------------------------------------------------------------------- */

/* Parameters in +- bound, a record in which all numbers differ. */
static zilch_networks *random_networks(size_t units, double bound, uint64_t seed)
{
    zilch_networks *networks;
    zilch_rng rng = zilch_rng_make(seed, 0);
    assert_int_equal(zilch_networks_create(&networks), ZILCH_OK);
    for (int b = 0; b < ZILCH_BLOCKS; b++) {
        zi_network network = {.shape = {zi_blocks[b].inputs, units}};
        const size_t size = zi_mlp_size(network.shape);
        const uint64_t first = 100 * ((uint64_t)b + 1) + seed;
        float *parameter = test_malloc(size * sizeof *parameter);
        for (size_t i = 0; i < size; i++) {
            parameter[i] = (float)(bound * (2.0 * zilch_rng_uniform(&rng) - 1.0));
        }
        network.parameter = parameter;
        network.record.examples = (zilch_examples_options){
            sizeof(zilch_examples_options), ZILCH_LABELS_SIMULATED, first + 1, first + 2, UINT64_MAX - first};
        network.record.options = (zilch_training_options){
            sizeof(zilch_training_options), units, first + 3, first + 4, 0.25, 0.125, first + 5};
        network.record.report = (zilch_training_report){first + 6, 1.0 / 3.0, 1e-300};
        assert_int_equal(zi_networks_put(networks, (zilch_block)b, &network), ZILCH_OK);
        test_free(parameter);
    }
    return networks;
}

typedef struct packed {
    unsigned char *bytes;
    size_t length;
} packed;

static packed pack(const zilch_networks *networks)
{
    packed p;
    assert_int_equal(zilch_networks_pack(networks, NULL, 0, &p.length), ZILCH_OK);
    p.bytes = test_malloc(p.length);
    size_t length;
    assert_int_equal(zilch_networks_pack(networks, p.bytes, p.length, &length), ZILCH_OK);
    assert_int_equal(length, p.length);
    return p;
}

static int same_network(const zi_network *a, const zi_network *b)
{
    return a->shape.inputs == b->shape.inputs && a->shape.units == b->shape.units &&
           memcmp(a->parameter, b->parameter, zi_mlp_size(a->shape) * sizeof *a->parameter) == 0 &&
           memcmp(&a->record.examples.count, &b->record.examples.count, 3 * sizeof(uint64_t)) == 0 &&
           a->record.examples.size == b->record.examples.size &&
           a->record.examples.labels == b->record.examples.labels &&
           memcmp(&a->record.options, &b->record.options, sizeof a->record.options) == 0 &&
           memcmp(&a->record.report, &b->record.report, sizeof a->record.report) == 0;
}

static void check_same(const zilch_networks *a, const zilch_networks *b)
{
    for (int block = 0; block < ZILCH_BLOCKS; block++) {
        assert_true(same_network(&a->block[block], &b->block[block]));
    }
}

/* A copy of what the library carries, in memory of its own. */
static void create_gives_the_librarys_own(void **state)
{
    (void)state;
    zilch_networks *networks;
    assert_int_equal(zilch_networks_create(&networks), ZILCH_OK);
    check_same(networks, &zi_shipped_networks);
    for (int b = 0; b < ZILCH_BLOCKS; b++) {
        assert_ptr_not_equal(networks->block[b].parameter, zi_shipped_networks.block[b].parameter);
        assert_int_equal(networks->block[b].shape.inputs, zi_blocks[b].inputs);
    }
    zilch_networks_destroy(networks);
    zilch_networks_destroy(NULL);
    assert_int_equal(zilch_networks_create(NULL), ZILCH_EARG);
}

/* They were trained, to the end, with what the record says; as bytes they would be accepted. */
static void the_librarys_own_are_trained(void **state)
{
    (void)state;
    zilch_networks *networks;
    zilch_networks *copy;
    assert_int_equal(zilch_networks_create(&networks), ZILCH_OK);
    for (int b = 0; b < ZILCH_BLOCKS; b++) {
        zilch_training_record record;
        assert_int_equal(zilch_networks_record(networks, (zilch_block)b, &record), ZILCH_OK);
        assert_int_equal(record.examples.size, sizeof record.examples);
        assert_int_equal(record.options.size, sizeof record.options);
        assert_int_equal(record.options.units, networks->block[b].shape.units);
        assert_true(record.report.epoch > 0 && record.report.epoch == record.options.epochs);
        assert_true(record.examples.count >= 5);
        assert_true(record.report.training_error > 0.0 && record.report.training_error < 0.1);
        assert_true(record.report.validation_error > 0.0 && record.report.validation_error < 0.1);
    }
    const packed p = pack(networks);
    assert_int_equal(zilch_networks_unpack(&copy, p.bytes, p.length), ZILCH_OK);
    check_same(copy, networks);
    test_free(p.bytes);
    zilch_networks_destroy(copy);
    zilch_networks_destroy(networks);
}

static void put_replaces_one_block(void **state)
{
    (void)state;
    zilch_networks *other = random_networks(24, 1.0, 9);
    for (int b = 0; b < ZILCH_BLOCKS; b++) {
        zilch_networks *networks = random_networks(16, 1.0, 1);
        zilch_networks *before = random_networks(16, 1.0, 1);
        assert_int_equal(zi_networks_put(networks, (zilch_block)b, &other->block[b]), ZILCH_OK);
        for (int c = 0; c < ZILCH_BLOCKS; c++) {
            assert_true(same_network(&networks->block[c], &(c == b ? other : before)->block[c]));
        }
        assert_ptr_not_equal(networks->block[b].parameter, other->block[b].parameter);
        zilch_networks_destroy(networks);
        zilch_networks_destroy(before);
    }
    zilch_networks_destroy(other);
}

static void record_gives_what_was_put(void **state)
{
    (void)state;
    zilch_networks *networks = random_networks(8, 1.0, 3);
    zilch_training_record record;
    assert_int_equal(zilch_networks_record(networks, ZILCH_BLOCK_VV, &record), ZILCH_OK);
    assert_int_equal(record.examples.rows, 305);
    assert_int_equal(record.options.batch, 307);
    assert_int_equal(record.report.epoch, 309);
    assert_int_equal(zilch_networks_record(networks, (zilch_block)3, &record), ZILCH_EARG);
    assert_int_equal(zilch_networks_record(NULL, ZILCH_BLOCK_MM, &record), ZILCH_EARG);
    assert_int_equal(zilch_networks_record(networks, ZILCH_BLOCK_MM, NULL), ZILCH_EARG);
    zilch_networks_destroy(networks);
}

/* ---- Bytes ---------------------------------------------------------------------------------- */

/* Where things stand in the bytes of networks with 8 units each. */
enum { HEADER = 12, SHAPE = 8, RECORD = ZI_RECORD_BYTES };

static size_t network_bytes(int block)
{
    return SHAPE + RECORD + 4 * zi_mlp_size((zi_mlp_shape){zi_blocks[block].inputs, 8});
}

static size_t begin_of(int block)
{
    size_t at = HEADER;
    for (int b = 0; b < block; b++) {
        at += network_bytes(b);
    }
    return at;
}

static void unpack_undoes_pack(void **state)
{
    (void)state;
    for (size_t units = 8; units <= 128; units += 40) {
        zilch_networks *networks = random_networks(units, 3.0, units);
        const packed p = pack(networks);
        zilch_networks *copy;
        assert_int_equal(zilch_networks_unpack(&copy, p.bytes, p.length), ZILCH_OK);
        check_same(copy, networks);
        const packed again = pack(copy);
        assert_int_equal(again.length, p.length);
        assert_memory_equal(again.bytes, p.bytes, p.length);
        if (units == 8) {
            assert_int_equal(p.length, begin_of(ZILCH_BLOCKS) + 8);
        }
        test_free(p.bytes);
        test_free(again.bytes);
        zilch_networks_destroy(copy);
        zilch_networks_destroy(networks);
    }
}

static uint64_t number_at(const unsigned char *bytes, int count)
{
    uint64_t value = 0;
    for (int i = 0; i < count; i++) {
        value |= (uint64_t)bytes[i] << (8 * i);
    }
    return value;
}

/* As the head of networks.c says, byte by byte. */
static void bytes_are_as_documented(void **state)
{
    (void)state;
    zilch_networks *networks = random_networks(8, 1.0, 3);
    const packed p = pack(networks);
    assert_memory_equal(p.bytes, "zilchnet\1\0\0\0", HEADER);
    for (int b = 0; b < ZILCH_BLOCKS; b++) {
        const unsigned char *at = p.bytes + begin_of(b);
        const uint64_t first = 100 * ((uint64_t)b + 1) + 3;
        double real;
        assert_int_equal(number_at(at, 4), zi_blocks[b].inputs);
        assert_int_equal(number_at(at + 4, 4), 8);
        assert_int_equal(number_at(at + 8, 4), ZILCH_LABELS_SIMULATED);
        const uint64_t expected[] = {first + 1, first + 2, UINT64_MAX - first, 8, first + 3, first + 4};
        for (size_t i = 0; i < COUNT(expected); i++) {
            assert_true(number_at(at + 12 + 8 * i, 8) == expected[i]);
        }
        const uint64_t rate = number_at(at + 60, 8);
        memcpy(&real, &rate, sizeof real);
        assert_true(real == 0.25);
        assert_true(number_at(at + 76, 8) == first + 5);
        assert_true(number_at(at + 84, 8) == first + 6);
        const uint32_t weight = (uint32_t)number_at(at + SHAPE + RECORD, 4);
        assert_memory_equal(&weight, networks->block[b].parameter, sizeof weight);
    }
    assert_true(number_at(p.bytes + p.length - 8, 8) == zi_crc64(p.bytes, p.length - 8));
    test_free(p.bytes);
    zilch_networks_destroy(networks);
}

static void pack_never_writes_past_its_buffer(void **state)
{
    (void)state;
    zilch_networks *networks = random_networks(8, 1.0, 4);
    size_t needed;
    assert_int_equal(zilch_networks_pack(networks, NULL, 0, &needed), ZILCH_OK);
    for (size_t capacity = 0; capacity < needed; capacity += capacity < needed - 20 ? 5 : 1) {
        unsigned char *buffer = test_malloc(capacity + !capacity);
        size_t length;
        assert_int_equal(zilch_networks_pack(networks, buffer, capacity, &length), ZILCH_EARG);
        assert_int_equal(length, needed);
        test_free(buffer);
    }
    assert_int_equal(zilch_networks_pack(NULL, NULL, 0, &needed), ZILCH_EARG);
    assert_int_equal(zilch_networks_pack(networks, NULL, 0, NULL), ZILCH_EARG);
    zilch_networks_destroy(networks);
}

static void expect_text(const char *text)
{
    if (!strstr(zilch_last_error(), text)) {
        fail_msg("\"%s\" does not say \"%s\"", zilch_last_error(), text);
    }
}

/* What is said of the bytes that end there. */
static void expect_truncation(size_t length)
{
    char text[100] = "not the weights";
    if (length >= begin_of(ZILCH_BLOCKS)) {
        snprintf(text, sizeof text, "checksum");
    } else if (length >= 8) {
        const int block = length < begin_of(1) ? 0 : length < begin_of(2) ? 1 : 2;
        snprintf(text, sizeof text, "truncated: %zu bytes end inside the %s network", length,
                 zilch_block_name((zilch_block)block));
    }
    expect_text(text);
}

static void refuses_every_truncation_and_flipped_byte(void **state)
{
    (void)state;
    zilch_networks *networks = random_networks(8, 1.0, 5);
    const packed p = pack(networks);
    zilch_networks *out;
    for (size_t length = 0; length < p.length; length++) {
        /* A block of just this length, so that a sanitizer sees any read past it. */
        unsigned char *cut = test_malloc(length + !length);
        memcpy(cut, p.bytes, length);
        out = networks;
        assert_int_equal(zilch_networks_unpack(&out, cut, length), ZILCH_EFORMAT);
        assert_null(out);
        test_free(cut);
        expect_truncation(length);
    }
    for (size_t i = 0; i < p.length; i++) { /* all bits where they mean much, else one of a byte's */
        for (size_t bit = i % 8; bit < 8; bit += i < 256 ? 1 : 8) {
            p.bytes[i] ^= (unsigned char)(1u << bit);
            out = networks;
            const zilch_status status = zilch_networks_unpack(&out, p.bytes, p.length);
            assert_true(status == ZILCH_EFORMAT || status == ZILCH_EVERSION);
            assert_null(out);
            p.bytes[i] ^= (unsigned char)(1u << bit);
        }
    }
    assert_int_equal(zilch_networks_unpack(&out, p.bytes, p.length), ZILCH_OK);
    zilch_networks_destroy(out);
    assert_int_equal(zilch_networks_unpack(&out, NULL, p.length), ZILCH_EARG);
    assert_null(out);
    assert_int_equal(zilch_networks_unpack(NULL, p.bytes, p.length), ZILCH_EARG);
    zilch_networks_destroy(networks);
    test_free(p.bytes);
}

static void refuses_bytes_behind_the_end(void **state)
{
    (void)state;
    zilch_networks *networks = random_networks(8, 1.0, 6);
    const packed p = pack(networks);
    unsigned char *longer = test_calloc(p.length + 8, 1);
    memcpy(longer, p.bytes, p.length);
    zilch_networks *out;
    for (size_t extra = 1; extra <= 8; extra++) {
        assert_int_equal(zilch_networks_unpack(&out, longer, p.length + extra), ZILCH_EFORMAT);
        assert_null(out);
        assert_non_null(strstr(zilch_last_error(), "follow"));
    }
    test_free(longer);
    test_free(p.bytes);
    zilch_networks_destroy(networks);
}

static void put_number(const packed *p, size_t at, int count, uint64_t value)
{
    for (int i = 0; i < count; i++) {
        p->bytes[at + (size_t)i] = (unsigned char)(value >> (8 * i));
    }
}

static void expect_refusal(const packed *p, zilch_status expected, const char *text)
{
    zilch_networks *out = (zilch_networks *)p->bytes;
    put_number(p, p->length - 8, 8, zi_crc64(p->bytes, p->length - 8));
    assert_int_equal(zilch_networks_unpack(&out, p->bytes, p->length), expected);
    assert_null(out);
    expect_text(text);
}

/* Damage behind a right checksum, told with the name of the network that has it. */
static void refuses_impossible_values(void **state)
{
    (void)state;
    static const char *const named[] = {"mm network", "vm network", "vv network"};
    static const uint32_t poison[] = {0x7f800000, 0xff800000, 0x7fc00000, 0xffc00001, 0x7f800001};
    static const uint64_t units[] = {0, 4, 7, 12, 136, 256, 0xffffffff, 0x80000008};
    zilch_networks *networks = random_networks(8, 1.0, 7);
    const packed p = pack(networks);
    unsigned char *original = test_malloc(p.length);
    memcpy(original, p.bytes, p.length);
    for (int b = 0; b < ZILCH_BLOCKS; b++) {
        const size_t begin = begin_of(b);
        const size_t first_weight = begin + SHAPE + RECORD;
        const size_t end = begin + network_bytes(b);
        for (size_t at = first_weight; at < end; at += at + 4 < end && at + 404 > end ? end - 4 - at : 400) {
            char weight[64];
            put_number(&p, at, 4, poison[(at / 4) % COUNT(poison)]);
            snprintf(weight, sizeof weight, "weight %zu of the %s is not finite", (at - first_weight) / 4,
                     named[b]);
            expect_refusal(&p, ZILCH_EFORMAT, weight);
            memcpy(p.bytes, original, p.length);
        }
        for (uint64_t inputs = 0; inputs < 10; inputs++) {
            if (inputs != zi_blocks[b].inputs) {
                put_number(&p, begin, 4, inputs);
                expect_refusal(&p, ZILCH_EFORMAT, named[b]);
                expect_text("shape");
            }
        }
        memcpy(p.bytes, original, p.length);
        for (size_t i = 0; i < COUNT(units); i++) {
            put_number(&p, begin + 4, 4, units[i]);
            expect_refusal(&p, ZILCH_EFORMAT, named[b]);
            expect_text("shape");
        }
        put_number(&p, begin + 4, 4, 128); /* more than there are bytes for */
        expect_refusal(&p, ZILCH_EFORMAT, named[b]);
        expect_text("truncated");
        memcpy(p.bytes, original, p.length);
        put_number(&p, begin + SHAPE, 4, 2); /* no such labels */
        expect_refusal(&p, ZILCH_EFORMAT, named[b]);
        memcpy(p.bytes, original, p.length);
    }
    put_number(&p, 8, 4, 2);
    expect_refusal(&p, ZILCH_EVERSION, "version 2");
    memcpy(p.bytes, original, p.length);
    memcpy(p.bytes, "zilchmod", 8);
    expect_refusal(&p, ZILCH_EFORMAT, "not the weights");
    test_free(original);
    test_free(p.bytes);
    zilch_networks_destroy(networks);
}

static void files_round_trip(void **state)
{
    (void)state;
    zilch_networks *networks = random_networks(32, 1.0, 8);
    zilch_networks *copy;
    char path[100];
    assert_int_equal(zilch_networks_save(networks, scratch.file), ZILCH_OK);
    assert_int_equal(zilch_networks_load(&copy, scratch.file), ZILCH_OK);
    check_same(copy, networks);
    zilch_networks_destroy(copy);
    assert_int_equal(truncate(scratch.file, 100), 0);
    copy = networks;
    assert_int_equal(zilch_networks_load(&copy, scratch.file), ZILCH_EFORMAT);
    assert_null(copy);
    assert_ptr_equal(strstr(zilch_last_error(), scratch.file), zilch_last_error());
    assert_non_null(strstr(zilch_last_error(), "truncated"));
    unlink(scratch.file);
    copy = networks;
    assert_int_equal(zilch_networks_load(&copy, scratch.file), ZILCH_EIO);
    assert_null(copy);
    snprintf(path, sizeof path, "%s/none/file", scratch.folder);
    assert_int_equal(zilch_networks_save(networks, path), ZILCH_EIO);
    assert_int_equal(zilch_networks_save(networks, NULL), ZILCH_EARG);
    assert_int_equal(zilch_networks_save(NULL, scratch.file), ZILCH_EARG);
    assert_int_equal(zilch_networks_load(&copy, NULL), ZILCH_EARG);
    assert_int_equal(zilch_networks_load(NULL, scratch.file), ZILCH_EARG);
    zilch_networks_destroy(networks);
}

/* ---- Inversion -------------------------------------------------------------------------------- */

/* What an inverter is given, of data drawn from a random law. */
typedef struct sight {
    size_t dim, n;
    zi_margin *margin;
    double *observed;
} sight;

static sight sight_of(const double *x, size_t rows, size_t dim)
{
    zilch_model *model;
    sight s = {.dim = dim, .n = 2 * dim, .margin = test_malloc(dim * sizeof *s.margin)};
    s.observed = test_malloc(s.n * s.n * sizeof *s.observed);
    assert_int_equal(zilch_model_fit(&model, rows, dim, x, NULL, NULL), ZILCH_OK);
    memcpy(s.observed, zilch_model_observed(model), s.n * s.n * sizeof *s.observed);
    for (size_t i = 0; i < dim; i++) {
        s.margin[i] = zi_margin_of(zilch_model_p(model)[i]);
    }
    zilch_model_destroy(model);
    return s;
}

static double *draw(size_t rows, size_t dim, uint64_t seed)
{
    zilch_rng rng = zilch_rng_make(seed, 0);
    zilch_model *law;
    double *x = test_malloc(rows * dim * sizeof *x);
    assert_int_equal(zilch_model_random(&law, dim, &rng, 0.6, 0.2, 0.8), ZILCH_OK);
    assert_int_equal(zilch_model_sample(law, &rng, rows, x), ZILCH_OK);
    zilch_model_destroy(law);
    return x;
}

static sight random_sight(size_t dim, uint64_t seed)
{
    double *x = draw(300, dim, seed);
    const sight s = sight_of(x, 300, dim);
    test_free(x);
    return s;
}

static void free_sight(const sight *s)
{
    test_free(s->margin);
    test_free(s->observed);
}

static double *invert(zi_inverter inverter, const sight *s, const zilch_networks *networks)
{
    const zi_inversion in = {s->dim, s->margin, s->observed, networks, 0};
    double *latent = test_malloc(s->n * s->n * sizeof *latent);
    memset(latent, 0xff, s->n * s->n * sizeof *latent);
    assert_int_equal(inverter(&in, latent), ZILCH_OK);
    return latent;
}

/* A correlation matrix but for definiteness: symmetric, unit diagonal, corr(V_i, M_i) = 0, in [-1, 1]. */
static void check_matrix(const sight *s, const double *latent)
{
    for (size_t i = 0; i < s->n; i++) {
        for (size_t j = 0; j < s->n; j++) {
            const double entry = latent[i * s->n + j];
            assert_true(entry == latent[j * s->n + i]);
            assert_true(i == j ? entry == 1.0 : fabs(entry) <= 1.0);
            assert_true(i + s->dim != j || entry == 0.0);
        }
    }
}

/* Pair (i, j) alone, by the features and the evaluation. */
static double answer_by_hand(const zilch_networks *networks, zilch_block block, const sight *s, size_t i,
                             size_t j)
{
    const size_t d = s->dim, n = s->n;
    const float p_i = (float)s->margin[i].p, p_j = (float)s->margin[j].p;
    const float mm = (float)s->observed[(d + i) * n + d + j], vv = (float)s->observed[i * n + j];
    const float vm_ij = (float)s->observed[i * n + d + j], vm_ji = (float)s->observed[j * n + d + i];
    const zi_pairs one = {1, &p_i, &p_j, &mm, &vm_ij, &vm_ji, &vv};
    const zi_network *network = &networks->block[block];
    float input[ZI_MOST_INPUTS];
    float space[3 * ZI_MLP_MOST_UNITS];
    float sign;
    float y;
    zi_blocks[block].features(&one, input, &sign);
    zi_mlp_evaluate(network->shape, network->parameter, 1, input, space, &y);
    return (double)(sign * (block == ZILCH_BLOCK_VM && y < 0.0F ? 0.0F : y));
}

/* Dimensions with no pair, one, fewer than a tile has, more, and a whole number of tiles (128: 8,128 pairs);
 * to the bit. */
static void inversion_asks_the_networks(void **state)
{
    (void)state;
    static const size_t dims[] = {1, 2, 3, 11, 12, 40, 128};
    for (size_t k = 0; k < COUNT(dims); k++) {
        const size_t d = dims[k];
        const sight s = random_sight(d, 20 + k);
        zilch_networks *networks = random_networks(8 * (k + 1), 1.0, k);
        double *latent = invert(zi_invert_amortised, &s, networks);
        check_matrix(&s, latent);
        for (size_t i = 0; i < d; i++) {
            for (size_t j = 0; j < d; j++) {
                if (i != j) {
                    assert_true(latent[(d + i) * s.n + d + j] ==
                                answer_by_hand(networks, ZILCH_BLOCK_MM, &s, i, j));
                    assert_true(latent[i * s.n + d + j] ==
                                answer_by_hand(networks, ZILCH_BLOCK_VM, &s, i, j));
                    assert_true(latent[i * s.n + j] == answer_by_hand(networks, ZILCH_BLOCK_VV, &s, i, j));
                }
            }
        }
        test_free(latent);
        zilch_networks_destroy(networks);
        free_sight(&s);
    }
}

/* Networks of different sizes: the room is enough for the largest. */
static void inversion_with_networks_of_different_sizes(void **state)
{
    (void)state;
    const sight s = random_sight(13, 30);
    zilch_networks *small = random_networks(8, 1.0, 1);
    zilch_networks *large = random_networks(128, 0.3, 2);
    for (int b = 0; b < ZILCH_BLOCKS; b++) {
        zilch_networks *mixed = random_networks(8, 1.0, 1);
        assert_int_equal(zi_networks_put(mixed, (zilch_block)b, &large->block[b]), ZILCH_OK);
        double *latent = invert(zi_invert_amortised, &s, mixed);
        check_matrix(&s, latent);
        assert_true(latent[1] ==
                    answer_by_hand(b == ZILCH_BLOCK_VV ? large : small, ZILCH_BLOCK_VV, &s, 0, 1));
        test_free(latent);
        zilch_networks_destroy(mixed);
    }
    zilch_networks_destroy(small);
    zilch_networks_destroy(large);
    free_sight(&s);
}

/* Columns in another order: the same numbers in that order, to the bit. */
static void inversion_does_not_depend_on_the_order(void **state)
{
    (void)state;
    enum { DIM = 23, N = 2 * DIM };
    const sight s = random_sight(DIM, 31);
    sight other = {.dim = DIM, .n = N, .margin = test_malloc(DIM * sizeof *other.margin)};
    other.observed = test_malloc(sizeof(double[N][N]));
    zilch_networks *networks = random_networks(16, 1.0, 5);
    double *latent = invert(zi_invert_amortised, &s, networks);
    for (size_t shift = 1; shift < DIM; shift += 4) {
        size_t from[N];
        for (size_t i = 0; i < DIM;
             i++) { /* multiplication by what has no factor in common with 23, and backwards */
            from[i] = (DIM - 1) - (i * shift) % DIM;
            from[DIM + i] = DIM + from[i];
            other.margin[i] = s.margin[from[i]];
        }
        for (size_t i = 0; i < N; i++) {
            for (size_t j = 0; j < N; j++) {
                other.observed[i * N + j] = s.observed[from[i] * N + from[j]];
            }
        }
        double *permuted = invert(zi_invert_amortised, &other, networks);
        for (size_t i = 0; i < N; i++) {
            for (size_t j = 0; j < N; j++) {
                assert_true(permuted[i * N + j] == latent[from[i] * N + from[j]]);
            }
        }
        test_free(permuted);
    }
    test_free(latent);
    zilch_networks_destroy(networks);
    free_sight(&other);
    free_sight(&s);
}

/* Few rows, and few of them active: many correlations of a value with a mask are 0 but for rounding. Neither
 * the order of the rows nor the units of a column may then decide an answer's sign. And none has the
 * opposite of the observed one. */
static void inversion_does_not_depend_on_rounding(void **state)
{
    (void)state;
    enum { ROWS = 40, DIM = 30, N = 2 * DIM };
    double *x = test_malloc(sizeof(double[ROWS][DIM]));
    double *other = test_malloc(sizeof(double[ROWS][DIM]));
    zilch_rng rng = zilch_rng_make(44, 0);
    for (size_t i = 0; i < (size_t)ROWS * DIM; i++) {
        const double value = 1.0 + zilch_rng_normal(&rng);
        x[i] = zilch_rng_uniform(&rng) < 0.1 ? value : 0.0;
    }
    for (size_t i = 0; i < (size_t)ROWS * DIM; i++) {
        other[i] = x[(ROWS - 1 - i / DIM) * DIM + i % DIM] * (1.0 + (double)(i % DIM) / 7.0);
    }
    const sight a = sight_of(x, ROWS, DIM);
    const sight b = sight_of(other, ROWS, DIM);
    double *latent = invert(zi_invert_amortised, &a, NULL);
    double *again = invert(zi_invert_amortised, &b, NULL);
    size_t zeros = 0;
    for (size_t i = 0; i < N; i++) {
        for (size_t j = 0; j < N; j++) {
            assert_double_equal(latent[i * N + j], again[i * N + j], 1e-5);
            zeros += a.observed[i * N + j] == 0.0;
            if (i < DIM && j >= DIM) {
                assert_true(latent[i * N + j] * a.observed[i * N + j] >= 0.0);
            }
        }
    }
    assert_true(zeros > N * N / 10);
    test_free(latent);
    test_free(again);
    free_sight(&a);
    free_sight(&b);
    test_free(x);
    test_free(other);
}

/* Weights that are finite, but too large for the answers to be. */
static void answers_must_be_finite(void **state)
{
    (void)state;
    const sight s = random_sight(5, 32);
    double latent[100];
    zilch_networks *networks = random_networks(8, 1e38, 7);
    const zi_inversion in = {s.dim, s.margin, s.observed, networks, 0};
    assert_int_equal(zi_invert_amortised(&in, latent), ZILCH_ENUMERIC);
    assert_non_null(strstr(zilch_last_error(), "not finite"));
    zilch_networks_destroy(networks);
    free_sight(&s);
}

static int is_zero_row(const double *matrix, size_t n, size_t i)
{
    for (size_t j = 0; j < n; j++) {
        if (i != j && matrix[i * n + j] != 0.0) {
            return 0;
        }
    }
    return 1;
}

/* Columns that are always zero, never, constant where active, active once, and constant: latents of which
 * nothing is seen have zero rows, as the exact inverter gives them, whatever the networks answer. */
static void latents_that_say_nothing_have_zero_rows(void **state)
{
    (void)state;
    enum { ROWS = 200, DIM = 9, N = 2 * DIM };
    double *x = draw(ROWS, DIM, 33);
    for (size_t r = 0; r < ROWS; r++) {
        double *row = x + r * DIM;
        row[0] = 0.0;
        row[2] = row[2] == 0.0 ? 0.5 + (double)r : row[2];
        row[4] = row[4] == 0.0 ? 0.0 : 3.0;
        row[5] = r == 17 ? 2.0 : 0.0;
        row[7] = -1.0;
        row[8] = 0.0;
    }
    const sight s = sight_of(x, ROWS, DIM);
    assert_true(s.margin[0].p == 0.0 && s.margin[8].p == 0.0 && s.margin[2].p == 1.0 && s.margin[7].p == 1.0);
    static const int silent[N] = {
        [0] = 1, [4] = 1, [5] = 1, [7] = 1, [8] = 1, [DIM] = 1, [DIM + 2] = 1, [DIM + 7] = 1, [DIM + 8] = 1};
    double *exact = invert(zi_invert_exact, &s, NULL);
    for (uint64_t seed = 0; seed < 5; seed++) {
        zilch_networks *networks = random_networks(8, 1.0, seed);
        double *latent = invert(zi_invert_amortised, &s, networks);
        check_matrix(&s, latent);
        for (size_t i = 0; i < N; i++) {
            assert_int_equal(is_zero_row(s.observed, N, i), silent[i]);
            assert_int_equal(is_zero_row(exact, N, i), silent[i]);
            if (is_zero_row(latent, N, i) != silent[i]) {
                fail_msg("row %zu: zero %d, observed zero %d", i, is_zero_row(latent, N, i), silent[i]);
            }
        }
        test_free(latent);
        zilch_networks_destroy(networks);
    }
    test_free(exact);
    free_sight(&s);
    test_free(x);
}

/* Without networks the library's own are asked. */
static void inversion_has_networks_of_its_own(void **state)
{
    (void)state;
    const sight s = random_sight(6, 34);
    double *a = invert(zi_invert_amortised, &s, NULL);
    double *b = invert(zi_invert_amortised, &s, &zi_shipped_networks);
    assert_memory_equal(a, b, s.n * s.n * sizeof *a);
    test_free(a);
    test_free(b);
    free_sight(&s);
}

/* ---- The fit -------------------------------------------------------------------------------------- */

static zilch_model *fit(const double *x, size_t rows, size_t dim, const zilch_networks *networks)
{
    zilch_model_options options = zilch_model_defaults();
    zilch_model *model;
    options.inverter = ZILCH_AMORTISED;
    options.networks = networks;
    assert_int_equal(zilch_model_fit(&model, rows, dim, x, NULL, &options), ZILCH_OK);
    assert_true(zi_model_is_valid(model));
    return model;
}

/* Small answers make a definite matrix, which no projection changes: the model's is the inverted one. */
static void fit_uses_the_given_networks(void **state)
{
    (void)state;
    enum { ROWS = 300, DIM = 5, N = 2 * DIM };
    double *x = draw(ROWS, DIM, 41);
    const sight s = sight_of(x, ROWS, DIM);
    zilch_networks *quiet = random_networks(16, 0.15, 6);
    double *latent = invert(zi_invert_amortised, &s, quiet);
    zilch_model *model = fit(x, ROWS, DIM, quiet);
    zilch_fit_report report;
    double off_diagonal = 0.0;
    assert_int_equal(zilch_model_report(model, &report), ZILCH_OK);
    assert_int_equal(report.inverter, ZILCH_AMORTISED);
    for (size_t i = 0; i < sizeof(double[N][N]) / sizeof(double); i++) {
        assert_true(fabs(zilch_model_correlation(model)[i] - latent[i]) < 1e-12);
        off_diagonal = fmax(off_diagonal, latent[i] < 1.0 ? fabs(latent[i]) : 0.0);
    }
    assert_true(off_diagonal > 0.01);
    zilch_model *own = fit(x, ROWS, DIM, NULL);
    assert_memory_not_equal(zilch_model_correlation(own), zilch_model_correlation(model),
                            sizeof(double[N][N]));
    assert_memory_equal(zilch_model_p(own), zilch_model_p(model), DIM * sizeof(double));
    assert_memory_equal(zilch_model_observed(own), zilch_model_observed(model), sizeof(double[N][N]));
    zilch_model_destroy(own);
    zilch_model_destroy(model);
    test_free(latent);
    zilch_networks_destroy(quiet);
    free_sight(&s);
    test_free(x);
}

/* With the library's own networks, on many data: a model each time. */
static void fit_with_the_librarys_own(void **state)
{
    (void)state;
    static const size_t dims[] = {1, 2, 3, 7, 30};
    for (size_t k = 0; k < COUNT(dims); k++) {
        double *x = draw(100, dims[k], 50 + k);
        zilch_model *model = fit(x, 100, dims[k], NULL);
        zilch_model_destroy(model);
        test_free(x);
    }
}

/* ---- Accuracy of the library's own ------------------------------------------------------------------ */

static double uniform(zilch_rng *rng, double low, double high)
{
    return low + (high - low) * zilch_rng_uniform(rng);
}

/* Correlations between i's latents (V_i, M_i) and j's: a contraction, so the 4 x 4 matrix is definite. */
static void draw_pair(zilch_rng *rng, double *p, double *latent)
{
    double squares;
    double determinant;
    p[0] = uniform(rng, 0.1, 0.9);
    p[1] = uniform(rng, 0.1, 0.9);
    do {
        squares = 0.0;
        for (size_t i = 0; i < 4; i++) { /* vv, vm_ij, vm_ji, mm */
            latent[i] = uniform(rng, -1.0, 1.0);
            squares += latent[i] * latent[i];
        }
        determinant = latent[0] * latent[3] - latent[1] * latent[2];
    } while (squares >= 2.0 || 1.0 - squares + determinant * determinant <= 0.0);
}

/* Exact observed correlations of random laws of two coordinates, and what the networks make of them. */
static void the_librarys_own_are_accurate(void **state)
{
    (void)state;
    enum { LAWS = 20000 };
    static const double bound[] = {
        [ZILCH_BLOCK_MM] = 0.01, [ZILCH_BLOCK_VM] = 0.015, [ZILCH_BLOCK_VV] = 0.025};
    zilch_rng rng = zilch_rng_make(61, 0);
    double sum[ZILCH_BLOCKS] = {0};
    double largest[ZILCH_BLOCKS] = {0};
    for (size_t k = 0; k < LAWS; k++) {
        double p[2];
        double c[4];
        double latent[16];
        draw_pair(&rng, p, c);
        const double vv = zilch_attenuate_vv(p[0], p[1], c[0], c[2], c[1], c[3]);
        const double vm_ij = zilch_attenuate_vm(p[0], p[1], c[1], c[3]);
        const double vm_ji = zilch_attenuate_vm(p[1], p[0], c[2], c[3]);
        const double mm = zilch_attenuate_mm(p[0], p[1], c[3]);
        const double observed[16] = {1, vv, 0, vm_ij, vv, 1, vm_ji, 0, 0, vm_ji, 1, mm, vm_ij, 0, mm, 1};
        const zi_margin margin[2] = {zi_margin_of(p[0]), zi_margin_of(p[1])};
        const zi_inversion in = {2, margin, observed, NULL, 0};
        assert_int_equal(zi_invert_amortised(&in, latent), ZILCH_OK);
        const double error[ZILCH_BLOCKS] = {[ZILCH_BLOCK_MM] = fabs(latent[11] - c[3]),
                                            [ZILCH_BLOCK_VM] =
                                                0.5 * (fabs(latent[3] - c[1]) + fabs(latent[6] - c[2])),
                                            [ZILCH_BLOCK_VV] = fabs(latent[1] - c[0])};
        for (int b = 0; b < ZILCH_BLOCKS; b++) {
            sum[b] += error[b] / LAWS;
            largest[b] = fmax(largest[b], error[b]);
        }
    }
    for (int b = 0; b < ZILCH_BLOCKS; b++) {
        print_message("    %s: mean absolute error %.4f, at most %.3f\n", zilch_block_name((zilch_block)b),
                      sum[b], largest[b]);
    }
    for (int b = 0; b < ZILCH_BLOCKS; b++) {
        assert_true(sum[b] < bound[b]);
    }
}

/* Masks that go together, or exclude each other, as far as to certainty: the answer may be less, never the
 * opposite. Correlations of values with masks and of values are 0, as they must be at +-1. */
static void the_librarys_own_never_answer_the_opposite(void **state)
{
    (void)state;
    enum { STEPS = 40 };
    size_t opposite = 0;
    double worst = 0.0;
    for (size_t k = 0; k < (size_t)STEPS * STEPS * STEPS; k++) {
        const double p[2] = {0.1 + 0.8 * (double)(k % STEPS) / (STEPS - 1),
                             0.1 + 0.8 * (double)(k / STEPS % STEPS) / (STEPS - 1)};
        const double size = 0.5 + 0.5 * (double)(k / STEPS / STEPS) / (STEPS - 1);
        const double latent = k % 2 ? size : -size;
        const double mm = zilch_attenuate_mm(p[0], p[1], latent);
        const double observed[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, mm, 0, 0, mm, 1};
        const zi_margin margin[2] = {zi_margin_of(p[0]), zi_margin_of(p[1])};
        const zi_inversion in = {2, margin, observed, NULL, 0};
        double answer[16];
        assert_int_equal(zi_invert_amortised(&in, answer), ZILCH_OK);
        opposite += answer[11] * latent <= 0.0;
        worst = fmax(worst, fabs(answer[11] - latent));
    }
    print_message("    mm from 1/2 to 1: the opposite in %.2f %%, at most %.3f off\n",
                  100.0 * (double)opposite / (STEPS * STEPS * STEPS), worst);
    assert_int_equal(opposite, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(create_gives_the_librarys_own),
        cmocka_unit_test(the_librarys_own_are_trained),
        cmocka_unit_test(put_replaces_one_block),
        cmocka_unit_test(record_gives_what_was_put),
        cmocka_unit_test(unpack_undoes_pack),
        cmocka_unit_test(bytes_are_as_documented),
        cmocka_unit_test(pack_never_writes_past_its_buffer),
        cmocka_unit_test(refuses_every_truncation_and_flipped_byte),
        cmocka_unit_test(refuses_bytes_behind_the_end),
        cmocka_unit_test(refuses_impossible_values),
        cmocka_unit_test_setup_teardown(files_round_trip, make_folder, remove_folder),
        cmocka_unit_test(inversion_asks_the_networks),
        cmocka_unit_test(inversion_with_networks_of_different_sizes),
        cmocka_unit_test(inversion_does_not_depend_on_the_order),
        cmocka_unit_test(inversion_does_not_depend_on_rounding),
        cmocka_unit_test(answers_must_be_finite),
        cmocka_unit_test(latents_that_say_nothing_have_zero_rows),
        cmocka_unit_test(inversion_has_networks_of_its_own),
        cmocka_unit_test(fit_uses_the_given_networks),
        cmocka_unit_test(fit_with_the_librarys_own),
        cmocka_unit_test(the_librarys_own_are_accurate),
        cmocka_unit_test(the_librarys_own_never_answer_the_opposite),
    };
    return cmocka_run_group_tests_name("networks", tests, NULL, NULL);
}
