/* Data sets as text: CSV and its relatives. Also what begins like another format. */
#include "fuzz_dataset.h"

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    dataset_check(data, size);
    return 0;
}
