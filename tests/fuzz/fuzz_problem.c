/* Problems by name and settings: "smop1:dim=10". What a problem says of itself opens it again. */
#include "fuzz.h"

#include <math.h>

enum { DIM_MOST = 200, PLACES = 3 };

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    zilch_set_blas_threads(1);
    return 0;
}

/* Large ones are not wrong, but slow: numbers here have three digits at most, and no exponent. */
static int is_small(const char *text)
{
    size_t digits = 0;
    for (; *text; text++) {
        const int is_digit = *text >= '0' && *text <= '9';
        if (digits > PLACES || (digits && (*text == 'e' || *text == 'E'))) {
            return 0;
        }
        digits = is_digit ? digits + 1 : *text == '.' ? digits : 0;
    }
    return digits <= PLACES;
}

static void evaluate(zilch_problem *problem, const zilch_problem_info *info)
{
    double x[2 * DIM_MOST], value[2];
    double share;
    const uint64_t id[2] = {0, 1};
    for (size_t i = 0; i < 2 * info->dim; i++) {
        x[i] = i % 3 == 1 ? 0.5 : 0.0;
    }
    const zilch_batch batch = {.n = 2, .dim = info->dim, .id = id, .x = x};
    MUST(zilch_problem_objective(problem, &batch, value) == ZILCH_OK);
    MUST(!isnan(value[0]) && !isnan(value[1]));
    MUST(zilch_problem_support(problem, x, &share) != ZILCH_OK || (share >= 0.0 && share <= 1.0));
}

static void check_again(const zilch_problem_info *info)
{
    zilch_problem *again;
    MUST(zilch_problem_open(&again, info->setting, 1) == ZILCH_OK);
    const zilch_problem_info other = zilch_problem_describe(again);
    MUST(other.dim == info->dim && strcmp(other.setting, info->setting) == 0);
    zilch_problem_close(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    zilch_problem *problem = NULL;
    char *text = fuzz_text(data, size);
    if (is_small(text) && zilch_problem_open(&problem, text, 1) == ZILCH_OK) {
        const zilch_problem_info info = zilch_problem_describe(problem);
        check_again(&info);
        if (info.dim <= DIM_MOST && strcmp(info.name, "lander") != 0) {
            evaluate(problem, &info);
        }
    }
    zilch_problem_close(problem);
    free(text);
    return 0;
}
