/* Model files. */
#include "fuzz.h"

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    zilch_set_blas_threads(1);
    return 0;
}

/* As many bytes as the file had, and the same. */
static void check_packed(const zilch_model *model, const unsigned char *bytes, size_t size)
{
    size_t length;
    unsigned char *packed = malloc(size);
    MUST(packed && zilch_model_pack(model, NULL, 0, &length) == ZILCH_OK && length == size);
    MUST(zilch_model_pack(model, packed, size, &length) == ZILCH_OK && memcmp(packed, bytes, size) == 0);
    free(packed);
}

static void check_points(const zilch_model *model)
{
    enum { ROWS = 3, MOST = 64 };
    double x[ROWS * MOST];
    const size_t dim = zilch_model_dim(model);
    zilch_rng rng = zilch_rng_make(1, 0);
    if (dim <= MOST) {
        MUST(zilch_model_sample(model, &rng, ROWS, x) == ZILCH_OK);
        for (size_t i = 0; i < 2 * dim; i++) {
            const double rho = zilch_model_correlation_at(model, i, 0);
            MUST(rho >= -1.0 && rho <= 1.0);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    zilch_model *model;
    zilch_fit_report report;
    unsigned char *bytes = fuzz_copy(data, size);
    fuzz_repair(bytes, size);
    const zilch_status status = zilch_model_unpack(&model, bytes, size);
    MUST((status == ZILCH_OK) == (model != NULL));
    if (model) {
        check_packed(model, bytes, size);
        check_points(model);
        MUST(zilch_model_report(model, &report) != ZILCH_OK || report.rows > 0.0);
    }
    zilch_model_destroy(model);
    free(bytes);
    return 0;
}
