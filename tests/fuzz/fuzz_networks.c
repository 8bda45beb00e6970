/* Weights of networks. What is read is used: a fit with the amortised inverter. */
#include "fuzz.h"

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    zilch_set_blas_threads(1);
    return 0;
}

static void check_packed(const zilch_networks *networks, const unsigned char *bytes, size_t size)
{
    size_t length;
    unsigned char *packed = malloc(size);
    MUST(packed && zilch_networks_pack(networks, NULL, 0, &length) == ZILCH_OK && length == size);
    MUST(zilch_networks_pack(networks, packed, size, &length) == ZILCH_OK);
    MUST(memcmp(packed, bytes, size) == 0);
    free(packed);
}

static void check_fit(const zilch_networks *networks)
{
    static const double x[] = {1, 0, 2, 0, 3, 1, 2, 2, 0, 1, 0, 0, 0, -1, 4, 3, 0, 1};
    zilch_model *model;
    zilch_model_options options = zilch_model_defaults();
    options.inverter = ZILCH_AMORTISED;
    options.networks = networks;
    if (zilch_model_fit(&model, 6, 3, x, NULL, &options) == ZILCH_OK) {
        const double *correlation = zilch_model_correlation(model);
        for (size_t i = 0; i < 36; i++) {
            MUST(correlation[i] >= -1.0 && correlation[i] <= 1.0);
        }
    }
    zilch_model_destroy(model);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    zilch_networks *networks;
    unsigned char *bytes = fuzz_copy(data, size);
    fuzz_repair(bytes, size);
    const zilch_status status = zilch_networks_unpack(&networks, bytes, size);
    MUST((status == ZILCH_OK) == (networks != NULL));
    if (networks) {
        check_packed(networks, bytes, size);
        check_fit(networks);
    }
    zilch_networks_destroy(networks);
    free(bytes);
    return 0;
}
