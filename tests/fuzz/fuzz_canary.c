/* A deliberate fault behind a word of four letters: a fuzzer that sees what it covers finds it in seconds,
 * and one that does not find it finds nothing else either. */
#include "fuzz.h"

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char word[] = "cage";
    unsigned char *bytes = fuzz_copy(data, size);
    size_t found = 0;
    while (found < size && found < 4 && bytes[found] == (unsigned char)word[found]) {
        found++;
    }
    if (found == 4) {
        volatile unsigned char *seen = bytes; /* not to be left out */
        seen[size] = 0;
    }
    free(bytes);
    return 0;
}
