/* Models from parameters: reading, sampling, packing, files, and what must be refused. */
#include "base/bytes.h"
#include "model/model.h"
#include "support.h"
#include "zilch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Two coordinates; order V1 V2 M1 M2. */
static const double p2[] = {0.3, 0.8};
static const double mu2[] = {1.5, -2.0};
static const double sigma2[] = {0.5, 3.0};
static const double corr2[] = {1, 0.6, 0, 0.2, 0.6, 1, -0.4, 0, 0, -0.4, 1, 0.5, 0.2, 0, 0.5, 1};

static zilch_model *make2(void)
{
    zilch_model *model;
    assert_int_equal(zilch_model_create(&model, 2, p2, mu2, sigma2, corr2), ZILCH_OK);
    assert_true(zi_model_is_valid(model));
    return model;
}

static zilch_model *fit_with(size_t rows, size_t dim, uint64_t seed, const zilch_model_options *options)
{
    zilch_rng rng = zilch_rng_make(seed, 0);
    zilch_model *law;
    zilch_model *fitted;
    double *x = test_malloc(rows * dim * sizeof *x);
    assert_int_equal(zilch_model_random(&law, dim, &rng, 0.6, 0.1, 0.9), ZILCH_OK);
    assert_int_equal(zilch_model_sample(law, &rng, rows, x), ZILCH_OK);
    assert_int_equal(zilch_model_fit(&fitted, rows, dim, x, NULL, options), ZILCH_OK);
    assert_true(zi_model_is_valid(law));
    assert_true(zi_model_is_valid(fitted));
    zilch_model_destroy(law);
    test_free(x);
    return fitted;
}

static zilch_model *fit_some(size_t rows, size_t dim, uint64_t seed)
{
    return fit_with(rows, dim, seed, NULL);
}

static void reading_gives_what_was_given(void **state)
{
    (void)state;
    zilch_model *model = make2();
    assert_int_equal(zilch_model_dim(model), 2);
    assert_memory_equal(zilch_model_p(model), p2, sizeof p2);
    assert_memory_equal(zilch_model_mu(model), mu2, sizeof mu2);
    assert_memory_equal(zilch_model_sigma(model), sigma2, sizeof sigma2);
    assert_memory_equal(zilch_model_correlation(model), corr2, sizeof corr2);
    for (int i = 0; i < 2; i++) { /* p = P(M >= tau), by libc's erfc */
        assert_true(fabs(0.5 * erfc(zilch_model_tau(model)[i] * sqrt(0.5)) - p2[i]) < 1e-15);
    }
    assert_null(zilch_model_observed(model));
    zilch_fit_report report;
    assert_int_equal(zilch_model_report(model, &report), ZILCH_ESTATE);
    zilch_model_destroy(model);
    zilch_model_destroy(NULL);
}

static void refuses_bad_parameters(void **state)
{
    (void)state;
    static const struct {
        size_t which, index;
        double value;
    } bad[] = {{0, 0, -0.1}, {0, 1, 1.1}, {0, 0, NAN},  {1, 0, INFINITY}, {1, 1, NAN}, {2, 0, -1.0},
               {2, 1, NAN},  {3, 0, 0.9}, {3, 1, 0.61}, {3, 1, NAN},      {3, 4, 1.5}, {2, 0, INFINITY}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        double p[2];
        double mu[2];
        double sigma[2];
        double corr[16];
        memcpy(p, p2, sizeof p);
        memcpy(mu, mu2, sizeof mu);
        memcpy(sigma, sigma2, sizeof sigma);
        memcpy(corr, corr2, sizeof corr);
        double *const arrays[] = {p, mu, sigma, corr};
        arrays[bad[i].which][bad[i].index] = bad[i].value;
        zilch_model *model = (zilch_model *)p;
        assert_int_equal(zilch_model_create(&model, 2, p, mu, sigma, corr), ZILCH_EARG);
        assert_null(model);
        assert_non_null(strstr(zilch_last_error(), "create"));
    }
    zilch_model *model;
    const double indefinite[16] = {1, 0.9, 0, 0.9, 0.9, 1, -0.9, 0, 0, -0.9, 1, 0, 0.9, 0, 0, 1};
    assert_int_equal(zilch_model_create(&model, 2, p2, mu2, sigma2, indefinite), ZILCH_ENUMERIC);
    assert_null(model);
    assert_int_equal(zilch_model_create(&model, 0, p2, mu2, sigma2, NULL), ZILCH_EARG);
    assert_int_equal(zilch_model_create(&model, 16001, p2, mu2, sigma2, NULL), ZILCH_EARG);
    assert_int_equal(zilch_model_create(&model, 2, NULL, mu2, sigma2, NULL), ZILCH_EARG);
    assert_int_equal(zilch_model_create(NULL, 2, p2, mu2, sigma2, NULL), ZILCH_EARG);
    zilch_rng rng = zilch_rng_make(1, 0);
    assert_int_equal(zilch_model_random(&model, 3, &rng, 1.0, 0.0, 1.0), ZILCH_EARG);
    assert_int_equal(zilch_model_random(&model, 3, &rng, 0.5, 0.6, 0.5), ZILCH_EARG);
    assert_int_equal(zilch_model_random(&model, 3, NULL, 0.5, 0.0, 1.0), ZILCH_EARG);
    assert_int_equal(zilch_model_random(NULL, 3, &rng, 0.5, 0.0, 1.0), ZILCH_EARG);
}

/* ---- Sampling ---------------------------------------------------------------------- */

typedef struct sums {
    double n, x, xx;
} sums;

/* Share, mean and deviation of the nonzeros, and the product of both coordinates' signs of
 * activity, against the law: 9 comparisons at 4.5 standard errors, false alarm 1 in 16,000. */
static void samples_follow_the_law(void **state)
{
    (void)state;
    enum { ROWS = 400000 };
    zilch_model *model = make2();
    zilch_rng rng = zilch_rng_make(5, 0);
    double *x = test_malloc(2 * ROWS * sizeof *x);
    assert_int_equal(zilch_model_sample(model, &rng, ROWS, x), ZILCH_OK);
    assert_int_equal(rng.counter, 4 * ROWS);
    double both = 0.0;
    sums s[2] = {{0}};
    for (size_t r = 0; r < ROWS; r++) {
        for (int i = 0; i < 2; i++) {
            const double v = x[2 * r + (size_t)i];
            s[i].n += v != 0.0;
            s[i].x += v;
            s[i].xx += v * v;
        }
        both += x[2 * r] != 0.0 && x[2 * r + 1] != 0.0;
    }
    for (int i = 0; i < 2; i++) {
        const double mean = s[i].x / s[i].n;
        const double deviation = sqrt(s[i].xx / s[i].n - mean * mean);
        assert_true(fabs(s[i].n / ROWS - p2[i]) < 4.5 * sqrt(p2[i] * (1 - p2[i]) / ROWS));
        assert_true(fabs(mean - mu2[i]) < 4.5 * sigma2[i] / sqrt(s[i].n));
        assert_true(fabs(deviation - sigma2[i]) < 4.5 * sigma2[i] / sqrt(2 * s[i].n));
    }
    const double expected =
        zilch_attenuate_mm(p2[0], p2[1], 0.5) * sqrt(p2[0] * 0.7 * p2[1] * 0.2) + p2[0] * p2[1];
    assert_true(fabs(both / ROWS - expected) < 4.5 * sqrt(expected * (1 - expected) / ROWS));
    test_free(x);
    zilch_model_destroy(model);
}

static void sampling_is_reproducible(void **state)
{
    (void)state;
    enum { ROWS = 3000, DIM = 7 };
    zilch_model *model = fit_some(500, DIM, 3);
    static double a[ROWS * DIM];
    static double b[ROWS * DIM];
    zilch_rng first = zilch_rng_make(9, 4);
    zilch_rng second = zilch_rng_make(9, 4);
    assert_int_equal(zilch_model_sample(model, &first, ROWS, a), ZILCH_OK);
    assert_int_equal(zilch_model_sample(model, &second, ROWS, b), ZILCH_OK);
    assert_memory_equal(a, b, sizeof a);
    assert_int_equal(first.counter, (uint64_t)ROWS * 2 * DIM);
    second = zilch_rng_make(10, 4);
    assert_int_equal(zilch_model_sample(model, &second, ROWS, b), ZILCH_OK);
    assert_memory_not_equal(a, b, sizeof a);
    /* No rows: nothing is touched. */
    assert_int_equal(zilch_model_sample(model, &first, 0, NULL), ZILCH_OK);
    assert_int_equal(first.counter, (uint64_t)ROWS * 2 * DIM);
    assert_int_equal(zilch_model_sample(model, NULL, 1, a), ZILCH_EARG);
    assert_int_equal(zilch_model_sample(NULL, &first, 1, a), ZILCH_EARG);
    assert_int_equal(zilch_model_sample(model, &first, 1, NULL), ZILCH_EARG);
    zilch_model_destroy(model);
}

/* p = 0, p = 1, sigma = 0, and latents that determine each other. */
static void samples_degenerate_laws(void **state)
{
    (void)state;
    enum { ROWS = 1000, DIM = 4 };
    const double p[DIM] = {0.0, 1.0, 0.5, 0.5};
    const double mu[DIM] = {5.0, 1.0, 7.0, -7.0};
    const double sigma[DIM] = {1.0, 1.0, 0.0, 0.0};
    double corr[64] = {0};
    for (int i = 0; i < 8; i++) {
        corr[9 * i] = 1.0;
    }
    corr[8 * 6 + 7] = corr[8 * 7 + 6] = -1.0; /* masks of 2 and 3: exactly one is active */
    zilch_model *model;
    assert_int_equal(zilch_model_create(&model, DIM, p, mu, sigma, corr), ZILCH_OK);
    zilch_rng rng = zilch_rng_make(1, 0);
    static double x[ROWS * DIM];
    assert_int_equal(zilch_model_sample(model, &rng, ROWS, x), ZILCH_OK);
    int switched = 0;
    for (int r = 0; r < ROWS; r++) {
        const double *row = x + r * DIM;
        assert_true(row[0] == 0.0 && !signbit(row[0]));
        assert_true(row[1] != 0.0);
        assert_true(row[2] == 0.0 || row[2] == 7.0);
        assert_true((row[2] == 0.0) == (row[3] == -7.0));
        switched += row[2] == 0.0;
    }
    assert_true(abs(switched - ROWS / 2) < 80); /* 5 standard deviations */
    zilch_model_destroy(model);
}

static void random_laws_are_laws(void **state)
{
    (void)state;
    double sum = 0.0;
    size_t count = 0;
    for (uint64_t k = 0; k < 10; k++) {
        enum { DIM = 32, N = 64 };
        zilch_rng rng = zilch_rng_make(k, 0);
        zilch_model *law;
        assert_int_equal(zilch_model_random(&law, DIM, &rng, 0.6, 0.25, 0.5), ZILCH_OK);
        assert_true(zi_model_is_valid(law));
        for (size_t i = 0; i < DIM; i++) {
            assert_true(zilch_model_p(law)[i] >= 0.25 && zilch_model_p(law)[i] <= 0.5);
            assert_true(fabs(zilch_model_mu(law)[i]) <= 2.0);
            assert_true(zilch_model_sigma(law)[i] >= 0.0 && zilch_model_sigma(law)[i] <= 4.0);
            assert_true(zilch_model_correlation(law)[i * N + i + DIM] == 0.0);
        }
        for (size_t i = 0; i < N * N; i++) {
            sum += fabs(zilch_model_correlation(law)[i]);
            count++;
        }
        zilch_model_destroy(law);
    }
    const double mean =
        (sum - 64.0 * 10) / (double)(count - (64 + 64) * 10); /* without diagonal and own zeros */
    assert_true(mean > 0.31 && mean < 0.34);                  /* published: 0.323 */
}

/* ---- Bytes ------------------------------------------------------------------------- */

typedef struct packed {
    unsigned char *bytes;
    size_t length;
} packed;

static packed pack(const zilch_model *model)
{
    packed p;
    assert_int_equal(zilch_model_pack(model, NULL, 0, &p.length), ZILCH_OK);
    p.bytes = test_malloc(p.length);
    size_t length;
    assert_int_equal(zilch_model_pack(model, p.bytes, p.length, &length), ZILCH_OK);
    assert_int_equal(length, p.length);
    return p;
}

static void same_samples(const zilch_model *a, const zilch_model *b)
{
    enum { ROWS = 50 };
    double x[ROWS * 8];
    double y[ROWS * 8];
    zilch_rng rng = zilch_rng_make(2, 2);
    zilch_rng again = rng;
    const size_t bytes = ROWS * zilch_model_dim(a) * sizeof *x;
    assert_true(zilch_model_dim(a) <= 8);
    assert_int_equal(zilch_model_sample(a, &rng, ROWS, x), ZILCH_OK);
    assert_int_equal(zilch_model_sample(b, &again, ROWS, y), ZILCH_OK);
    assert_memory_equal(x, y, bytes);
}

static void unpack_undoes_pack(void **state)
{
    (void)state;
    zilch_model *models[] = {make2(), fit_some(60, 6, 1)};
    for (int i = 0; i < 2; i++) {
        const packed p = pack(models[i]);
        zilch_model *copy;
        assert_int_equal(zilch_model_unpack(&copy, p.bytes, p.length), ZILCH_OK);
        assert_true(zi_model_is_valid(copy));
        const packed again = pack(copy);
        assert_int_equal(again.length, p.length);
        assert_memory_equal(again.bytes, p.bytes, p.length);
        same_samples(models[i], copy);
        zilch_fit_report a;
        zilch_fit_report b;
        assert_int_equal(zilch_model_report(copy, &b), i ? ZILCH_OK : ZILCH_ESTATE);
        if (i) {
            assert_int_equal(zilch_model_report(models[i], &a), ZILCH_OK);
            assert_memory_equal(&a, &b, sizeof a);
        }
        zilch_model_destroy(copy);
        zilch_model_destroy(models[i]);
        test_free(p.bytes);
        test_free(again.bytes);
    }
}

static void refuses_every_truncation_and_bit_flip(void **state)
{
    (void)state;
    zilch_model *model = fit_some(40, 2, 8);
    const packed p = pack(model);
    zilch_model *out;
    for (size_t length = 0; length < p.length; length++) {
        /* A block of just this length, so that a sanitizer sees any read past it. */
        unsigned char *cut = test_malloc(length + !length);
        memcpy(cut, p.bytes, length);
        assert_int_equal(zilch_model_unpack(&out, cut, length), ZILCH_EFORMAT);
        assert_null(out);
        test_free(cut);
    }
    for (size_t bit = 0; bit < 8 * p.length; bit++) {
        p.bytes[bit / 8] ^= (unsigned char)(1 << (bit % 8));
        const zilch_status status = zilch_model_unpack(&out, p.bytes, p.length);
        assert_true(status == ZILCH_EFORMAT || status == ZILCH_EVERSION);
        assert_null(out);
        p.bytes[bit / 8] ^= (unsigned char)(1 << (bit % 8));
    }
    assert_int_equal(zilch_model_unpack(&out, p.bytes, p.length), ZILCH_OK);
    zilch_model_destroy(out);
    zilch_model_destroy(model);
    test_free(p.bytes);
}

/* What is behind the model is none of it; what it says it holds must be there, before any
 * memory is asked for: 16,000 dimensions would need tens of gigabytes. */
static void refuses_other_lengths(void **state)
{
    (void)state;
    zilch_model *model = make2();
    const packed p = pack(model);
    unsigned char *longer = test_calloc(p.length + 8, 1);
    memcpy(longer, p.bytes, p.length);
    zilch_model *out;
    for (size_t extra = 1; extra <= 8; extra++) {
        assert_int_equal(zilch_model_unpack(&out, longer, p.length + extra), ZILCH_EFORMAT);
        assert_null(out);
    }
    longer[16] = 16000 % 256;
    longer[17] = 16000 / 256;
    assert_int_equal(zilch_model_unpack(&out, longer, p.length), ZILCH_EFORMAT);
    assert_non_null(strstr(zilch_last_error(), "do not fit what it says"));
    test_free(longer);
    test_free(p.bytes);
    zilch_model_destroy(model);
}

static void set_checksum(const packed *p)
{
    const uint64_t crc = zi_crc64(p->bytes, p->length - 8);
    for (int i = 0; i < 8; i++) {
        p->bytes[p->length - 8 + (size_t)i] = (unsigned char)(crc >> (8 * i));
    }
}

static void put_double(const packed *p, size_t at, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    for (int i = 0; i < 8; i++) {
        p->bytes[at + (size_t)i] = (unsigned char)(bits >> (8 * i));
    }
}

/* Damage behind a right checksum: every double replaced by what it must not be. */
static void refuses_impossible_values(void **state)
{
    (void)state;
    static const double poison[] = {NAN, INFINITY, -INFINITY, -2.0, 1e300};
    zilch_model *model = fit_some(40, 2, 8);
    const packed p = pack(model);
    unsigned char *original = test_malloc(p.length);
    memcpy(original, p.bytes, p.length);
    zilch_model *out;
    for (size_t at = 40; at + 16 <= p.length; at += 8) {
        for (size_t k = 0; k < sizeof poison / sizeof *poison; k++) {
            put_double(&p, at, poison[k]);
            set_checksum(&p);
            const zilch_status status = zilch_model_unpack(&out, p.bytes, p.length);
            assert_true(status == ZILCH_OK || status == ZILCH_EFORMAT);
            assert_true(status == ZILCH_OK || !out);
            if (status == ZILCH_OK) { /* -2 may be a mean, 1e300 a deviation */
                assert_true(poison[k] == -2.0 || poison[k] == 1e300);
                assert_true(zi_model_is_valid(out));
            }
            zilch_model_destroy(out);
            memcpy(p.bytes, original, p.length);
        }
    }
    p.bytes[36] = 1; /* what is always 0 */
    set_checksum(&p);
    assert_int_equal(zilch_model_unpack(&out, p.bytes, p.length), ZILCH_EFORMAT);
    memcpy(p.bytes, original, p.length);
    p.bytes[8] = 4; /* another version */
    set_checksum(&p);
    assert_int_equal(zilch_model_unpack(&out, p.bytes, p.length), ZILCH_EVERSION);
    assert_non_null(strstr(zilch_last_error(), "version 4"));
    test_free(original);
    test_free(p.bytes);
    zilch_model_destroy(model);
}

static void pack_never_writes_past_its_buffer(void **state)
{
    (void)state;
    zilch_model *model = make2();
    size_t needed;
    assert_int_equal(zilch_model_pack(model, NULL, 0, &needed), ZILCH_OK);
    for (size_t capacity = 0; capacity < needed; capacity++) {
        unsigned char *buffer = test_malloc(capacity + !capacity);
        size_t length;
        assert_int_equal(zilch_model_pack(model, buffer, capacity, &length), ZILCH_EARG);
        assert_int_equal(length, needed);
        test_free(buffer);
    }
    assert_int_equal(zilch_model_pack(NULL, NULL, 0, &needed), ZILCH_EARG);
    assert_int_equal(zilch_model_pack(model, NULL, 0, NULL), ZILCH_EARG);
    zilch_model_destroy(model);
}

static void files_round_trip(void **state)
{
    (void)state;
    char folder[] = "/tmp/zilch-test-XXXXXX";
    char path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/m.zilch", folder);
    zilch_model *model = fit_some(60, 6, 2);
    zilch_model *copy;
    assert_int_equal(zilch_model_save(model, path), ZILCH_OK);
    assert_int_equal(zilch_model_load(&copy, path), ZILCH_OK);
    same_samples(model, copy);
    zilch_model_destroy(copy);
    unlink(path);
    assert_int_equal(zilch_model_load(&copy, path), ZILCH_EIO);
    assert_null(copy);
    assert_non_null(strstr(zilch_last_error(), path));
    assert_int_equal(zilch_model_load(&copy, folder), ZILCH_EIO);
    snprintf(path, sizeof path, "%s/none/m.zilch", folder);
    assert_int_equal(zilch_model_save(model, path), ZILCH_EIO);
    assert_int_equal(zilch_model_save(model, NULL), ZILCH_EARG);
    assert_int_equal(zilch_model_load(&copy, NULL), ZILCH_EARG);
    assert_int_equal(zilch_model_load(NULL, path), ZILCH_EARG);
    assert_int_equal(rmdir(folder), 0); /* nothing was left behind */
    zilch_model_destroy(model);
}

/* Models of every structure keep names; without names, the bytes are those of 0.1. */
static void names_of_columns(void **state)
{
    (void)state;
    static const char *const names[] = {"flour", "", "a name with \xff and , in it", "b", "c", "d"};
    for (int kind = 0; kind < 3; kind++) {
        zilch_model_options o = zilch_model_defaults();
        o.structure = (zilch_structure)kind;
        zilch_model *model = fit_with(60, 6, 2, &o);
        zilch_model *copy;
        const packed bare = pack(model);
        assert_null(zilch_model_names(model));
        assert_int_equal(zilch_model_set_names(model, names), ZILCH_OK);
        packed p = pack(model);
        assert_int_equal(p.bytes[8], 3);
        assert_int_equal(zilch_model_unpack(&copy, p.bytes, p.length), ZILCH_OK);
        same_samples(model, copy);
        for (size_t i = 0; i < 6; i++) {
            assert_string_equal(zilch_model_names(copy)[i], names[i]);
        }
        assert_int_equal(zilch_model_structure(copy), zilch_model_structure(model));
        zilch_model_destroy(copy);
        for (size_t length = 0; length < p.length; length++) {
            assert_int_equal(zilch_model_unpack(&copy, p.bytes, length), ZILCH_EFORMAT);
        }
        p.bytes[p.length - 9] = 'x'; /* the last name does not end */
        set_checksum(&p);
        assert_int_equal(zilch_model_unpack(&copy, p.bytes, p.length), ZILCH_EFORMAT);
        p.bytes[p.length - 9] = '\0';
        p.bytes[p.length - 10] = '\0'; /* a name too many */
        set_checksum(&p);
        assert_int_equal(zilch_model_unpack(&copy, p.bytes, p.length), ZILCH_EFORMAT);
        assert_non_null(strstr(zilch_last_error(), "one for each column"));
        assert_int_equal(zilch_model_set_names(model, NULL), ZILCH_OK);
        const packed after = pack(model);
        assert_int_equal(after.length, bare.length);
        assert_memory_equal(after.bytes, bare.bytes, bare.length);
        test_free(bare.bytes);
        test_free(after.bytes);
        test_free(p.bytes);
        zilch_model_destroy(model);
    }
    assert_int_equal(zilch_model_set_names(NULL, names), ZILCH_EARG);
    assert_null(zilch_model_names(NULL));
}

static void names_and_values(void **state)
{
    (void)state;
    zilch_projection projection;
    zilch_shrinkage shrinkage;
    zilch_inverter inverter;
    assert_int_equal(zilch_projection_parse("nearest", &projection), ZILCH_OK);
    assert_int_equal(projection, ZILCH_NEAREST);
    assert_int_equal(zilch_shrinkage_parse("bayes", &shrinkage), ZILCH_OK);
    assert_int_equal(shrinkage, ZILCH_SHRINK_BAYES);
    assert_int_equal(zilch_inverter_parse("amortised", &inverter), ZILCH_OK);
    assert_int_equal(inverter, ZILCH_AMORTISED);
    assert_string_equal(zilch_projection_name(ZILCH_CLIP), "clip");
    assert_string_equal(zilch_shrinkage_name(ZILCH_SHRINK_NONE), "none");
    assert_string_equal(zilch_inverter_name(ZILCH_EXACT), "exact");
    assert_null(zilch_inverter_name((zilch_inverter)99));
    assert_int_equal(zilch_projection_parse("clipp", &projection), ZILCH_EARG);
    assert_string_equal(zilch_last_error(), "\"clipp\" is no projection");
    assert_int_equal(zilch_inverter_parse(NULL, &inverter), ZILCH_EARG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reading_gives_what_was_given),
        cmocka_unit_test(refuses_bad_parameters),
        cmocka_unit_test(samples_follow_the_law),
        cmocka_unit_test(sampling_is_reproducible),
        cmocka_unit_test(samples_degenerate_laws),
        cmocka_unit_test(random_laws_are_laws),
        cmocka_unit_test(unpack_undoes_pack),
        cmocka_unit_test(refuses_every_truncation_and_bit_flip),
        cmocka_unit_test(refuses_other_lengths),
        cmocka_unit_test(refuses_impossible_values),
        cmocka_unit_test(pack_never_writes_past_its_buffer),
        cmocka_unit_test(files_round_trip),
        cmocka_unit_test(names_of_columns),
        cmocka_unit_test(names_and_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
