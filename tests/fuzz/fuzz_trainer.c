/* States of a training, given to a trainer that was made for it. */
#include "fuzz_trainer.h"
#include "fuzz.h"

static zilch_examples *examples;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    zilch_set_blas_threads(1);
    examples = fuzz_examples();
    return 0;
}

/* What was refused has changed nothing; what was taken is packed as it came. */
static void check_packed(const zilch_trainer *trainer, const unsigned char *bytes, size_t size)
{
    size_t length;
    MUST(zilch_trainer_pack(trainer, NULL, 0, &length) == ZILCH_OK && length == size);
    unsigned char *packed = malloc(length);
    MUST(packed && zilch_trainer_pack(trainer, packed, length, &length) == ZILCH_OK);
    MUST(memcmp(packed, bytes, size) == 0);
    free(packed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    zilch_trainer *trainer = fuzz_trainer(examples);
    unsigned char *bytes = fuzz_copy(data, size);
    fuzz_repair(bytes, size);
    if (zilch_trainer_restore(trainer, bytes, size) == ZILCH_OK) {
        zilch_networks *networks;
        check_packed(trainer, bytes, size);
        const zilch_status status = zilch_trainer_epoch(trainer);
        MUST(status == ZILCH_OK || status == ZILCH_ENUMERIC || status == ZILCH_ESTATE);
        MUST(zilch_networks_create(&networks) == ZILCH_OK);
        const zilch_status put = zilch_networks_put(networks, trainer);
        MUST(put == ZILCH_OK || put == ZILCH_ESTATE);
        zilch_networks_destroy(networks);
    }
    zilch_trainer_destroy(trainer);
    free(bytes);
    return 0;
}
