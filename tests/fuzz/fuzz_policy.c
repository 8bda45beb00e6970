/* Formulas of controllers: read, flown, written and read again. */
#include "fuzz.h"

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    return 0;
}

/* Actions are numbers from -1 to 1 whatever is seen, and the lander takes them. */
static void check_actions(const double *parameters)
{
    static const float seen[3][ZILCH_LANDER_OBSERVATIONS] = {
        {0}, {0.1F, 1.4F, -0.3F, 0.2F, 0.5F, -1.0F, 1.0F, 0.0F}, {-3e38F, 3e38F, 1e30F, -1e-40F, 9, 9, 9, 9}};
    double action[3][ZILCH_LANDER_ACTIONS];
    zilch_policy_act(parameters, 3, seen[0], action[0]);
    for (size_t i = 0; i < 3; i++) {
        MUST(action[i][0] >= -1.0 && action[i][0] <= 1.0 && action[i][1] >= -1.0 && action[i][1] <= 1.0);
    }
}

static int is_same(const double *a, const double *b)
{
    for (size_t i = 0; i < ZILCH_POLICY_PARAMETERS; i++) {
        if (a[i] != b[i]) { /* -0 is 0 */
            return 0;
        }
    }
    return 1;
}

static void check_text(const double *parameters)
{
    double again[ZILCH_POLICY_PARAMETERS];
    size_t length;
    MUST(zilch_policy_format(parameters, NULL, 0, &length) == ZILCH_OK);
    char *text = malloc(length + 1);
    MUST(text && zilch_policy_format(parameters, text, length + 1, &length) == ZILCH_OK);
    MUST(strlen(text) == length && zilch_policy_format(parameters, text, length, &length) == ZILCH_EARG);
    MUST(zilch_policy_format(parameters, text, length + 1, &length) == ZILCH_OK);
    MUST(zilch_policy_parse(text, again) == ZILCH_OK && is_same(parameters, again));
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    double parameters[ZILCH_POLICY_PARAMETERS];
    char *text = fuzz_text(data, size);
    if (zilch_policy_parse(text, parameters) == ZILCH_OK) {
        check_actions(parameters);
        check_text(parameters);
    }
    free(text);
    return 0;
}
