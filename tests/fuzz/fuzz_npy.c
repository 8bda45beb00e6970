/* Data sets as .npy, without the six bytes that they begin with. */
#include "fuzz_dataset.h"

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char magic[6] = {'\x93', 'N', 'U', 'M', 'P', 'Y'};
    unsigned char *bytes = malloc(sizeof magic + size);
    MUST(bytes);
    memcpy(bytes, magic, sizeof magic);
    if (size) {
        memcpy(bytes + sizeof magic, data, size);
    }
    dataset_check(bytes, sizeof magic + size);
    free(bytes);
    return 0;
}
