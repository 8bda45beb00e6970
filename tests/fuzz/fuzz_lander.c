/* Worlds of the lander as bytes: what is taken is packed as it came, and can be steered. */
#include "fuzz.h"

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    return 0;
}

enum { MOST_WORLDS = 8, STEPS = 40 };

static void check_packed(const zilch_lander *lander, const unsigned char *bytes, size_t size)
{
    size_t length;
    MUST(zilch_lander_pack(lander, NULL, 0, &length) == ZILCH_OK && length == size);
    unsigned char *packed = malloc(length);
    MUST(packed && zilch_lander_pack(lander, packed, length, &length) == ZILCH_OK);
    MUST(memcmp(packed, bytes, size) == 0);
    free(packed);
}

/* Worlds that were never reset refuse to be stepped. */
static void steer(zilch_lander *lander)
{
    double actions[2 * MOST_WORLDS];
    for (size_t k = 0; k < STEPS; k++) {
        for (size_t i = 0; i < 2 * MOST_WORLDS; i++) {
            actions[i] = (double)((k * 7 + i * 3) % 5) / 2.0 - 1.0;
        }
        const zilch_status status = zilch_lander_step(lander, actions);
        MUST(status == ZILCH_OK || status == ZILCH_ESTATE);
    }
    MUST(zilch_lander_reset(lander, 0, 1) == ZILCH_OK);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    zilch_lander *lander;
    unsigned char *bytes = fuzz_copy(data, size);
    fuzz_repair(bytes, size);
    if (zilch_lander_unpack(&lander, bytes, size) == ZILCH_OK) {
        check_packed(lander, bytes, size);
        if (zilch_lander_worlds(lander) <= MOST_WORLDS) {
            steer(lander);
        }
        zilch_lander_destroy(lander);
    }
    free(bytes);
    return 0;
}
