/* Controllers of the lander: their actions against recorded ones, bit for bit, and their text. */
#include "support.h"
#include "zilch.h"

#include <locale.h>

/* ---- Recorded episodes -------------------------------------------------------- */

/* tests/reference/lander/README.md tells the format. */
enum { HEAD = 72, STEP = 57, KIND_PUBLISHED = 0, KIND_HEURISTIC = 1 };

typedef struct recording {
    unsigned char *bytes;
    size_t length;
} recording;

static recording read_recording(const char *name)
{
    FILE *file = open_table(name);
    recording r = {.bytes = malloc(1 << 21)};
    assert_non_null(r.bytes);
    r.length = fread(r.bytes, 1, 1 << 21, file);
    fclose(file);
    assert_true(r.length > 12 && r.length < 1 << 21);
    assert_memory_equal(r.bytes, "zlander1", 8);
    return r;
}

static uint32_t u32_at(const unsigned char *bytes)
{
    uint32_t value;
    memcpy(&value, bytes, sizeof value);
    return value;
}

/* The actions that a controller gives at each recorded observation, beside the recorded ones. Gives how many.
 */
static size_t replay(const unsigned char *episode, uint32_t steps, const double *parameters)
{
    size_t differ = 0;
    float *observations = malloc(steps * 8 * sizeof *observations);
    double *actions = malloc(steps * 2 * sizeof *actions);
    assert_true(observations && actions);
    memcpy(observations, episode + HEAD - 32, 32);
    for (uint32_t k = 0; k + 1 < steps; k++) {
        memcpy(observations + 8 * (size_t)(k + 1), episode + HEAD + STEP * (size_t)k + 16, 32);
    }
    if (parameters) {
        zilch_policy_act(parameters, steps, observations, actions);
    } else {
        zilch_lander_heuristic(steps, observations, actions);
    }
    for (uint32_t k = 0; k < steps; k++) {
        differ += memcmp(actions + 2 * (size_t)k, episode + HEAD + STEP * (size_t)k, 16) != 0;
    }
    assert_int_equal(differ, 0);
    free(observations);
    free(actions);
    return steps;
}

static void test_recorded_actions(void **state)
{
    (void)state;
    const recording r = read_recording("lander/episodes.bin");
    double published[ZILCH_POLICY_PARAMETERS];
    size_t compared[2] = {0, 0};
    assert_int_equal(zilch_policy_parse(zilch_policy_published(), published), ZILCH_OK);
    const unsigned char *at = r.bytes + 12;
    for (uint32_t k = u32_at(r.bytes + 8); k > 0; k--) {
        const uint32_t steps = u32_at(at + 4);
        assert_true(at + HEAD + (size_t)steps * STEP <= r.bytes + r.length);
        if (at[0] <= KIND_HEURISTIC) {
            compared[at[0]] += replay(at, steps, at[0] == KIND_PUBLISHED ? published : NULL);
        }
        at += HEAD + (size_t)steps * STEP;
    }
    assert_ptr_equal(at, r.bytes + r.length);
    free(r.bytes);
    print_message("    %zu actions of the published controller, %zu of the heuristic\n", compared[0],
                  compared[1]);
    assert_true(compared[0] > 3000 && compared[1] > 3000);
}

/* ---- Arithmetic ------------------------------------------------------------------ */

/* Every term, none skipped, in the order that zilch.h tells. */
static double dense(const double *p, const float *s)
{
    double sum = *p++;
    for (int i = 0; i < 8; i++) {
        sum += *p++ * (double)s[i];
    }
    for (int i = 0; i < 8; i++) {
        for (int j = i; j < 8; j++) {
            sum += *p++ * ((double)s[i] * (double)s[j]);
        }
    }
    return fmax(-1.0, fmin(1.0, sum));
}

static void test_sparse_is_dense(void **state)
{
    (void)state;
    zilch_rng rng = zilch_rng_make(5, 0);
    size_t inside = 0;
    for (int round = 0; round < 3000; round++) {
        double p[ZILCH_POLICY_PARAMETERS];
        float s[3 * 8];
        double a[3 * 2];
        const double share = zilch_rng_uniform(&rng);
        for (int k = 0; k < ZILCH_POLICY_PARAMETERS; k++) {
            const double value = 0.3 * zilch_rng_normal(&rng);
            p[k] = zilch_rng_uniform(&rng) < share ? value : 0.0;
        }
        for (int k = 0; k < 3 * 8; k++) {
            s[k] = k % 8 < 6 ? (float)zilch_rng_normal(&rng) : (float)(zilch_rng_uniform(&rng) < 0.5);
        }
        zilch_policy_act(p, 3, s, a);
        for (int k = 0; k < 3 * 2; k++) {
            const double expected = dense(p + k % 2 * ZILCH_POLICY_TERMS, s + k / 2 * 8);
            assert_memory_equal(&a[k], &expected, sizeof expected);
            inside += fabs(expected) < 1.0 && expected != 0.0;
        }
    }
    assert_true(inside > 1000);
}

static void test_ends(void **state)
{
    (void)state;
    double p[ZILCH_POLICY_PARAMETERS] = {[0] = 2.0, [ZILCH_POLICY_TERMS] = -0.0};
    const float s[8] = {0.0F};
    double a[2] = {9.0, 9.0};
    zilch_policy_act(p, 0, s, a);
    assert_true(a[0] == 9.0 && a[1] == 9.0);
    zilch_policy_act(p, 1, s, a);
    assert_true(a[0] == 1.0 && a[1] == 0.0 && !signbit(a[1]));
    p[0] = -1e300;
    zilch_policy_act(p, 1, s, a);
    assert_true(a[0] == -1.0);
}

/* ---- Text -------------------------------------------------------------------------- */

static void format(const double *p, char *text, size_t capacity)
{
    size_t length = 0;
    assert_int_equal(zilch_policy_format(p, text, capacity, &length), ZILCH_OK);
    assert_int_equal(length, strlen(text));
}

/* Reads `text`; written again it is `expected`. */
static void expect_text(const char *text, const char *expected)
{
    double p[ZILCH_POLICY_PARAMETERS];
    char written[4096];
    if (zilch_policy_parse(text, p) != ZILCH_OK) {
        fail_msg("'%s': %s", text, zilch_last_error());
    }
    format(p, written, sizeof written);
    assert_string_equal(written, expected);
}

static void test_published(void **state)
{
    (void)state;
    static const struct {
        int index;
        double value;
    } expected[] = {{2, -2.5988},     {4, -1.7162},      {16, -0.0226},     {17, -2.8239},
                    {30, 4.0005},     {44, -0.4014},     {45 + 3, -1.6502}, {45 + 5, 3.6608},
                    {45 + 10, -2.1},  {45 + 21, 2.7215}, {45 + 25, 3.0316}, {45 + 32, -3.3986},
                    {45 + 38, 0.0506}};
    double p[ZILCH_POLICY_PARAMETERS];
    char text[1024];
    assert_int_equal(zilch_policy_parse(zilch_policy_published(), p), ZILCH_OK);
    for (size_t k = 0; k < COUNT(expected); k++) {
        assert_true(p[expected[k].index] == expected[k].value);
        p[expected[k].index] = 0.0;
    }
    for (int k = 0; k < ZILCH_POLICY_PARAMETERS; k++) {
        assert_true(p[k] == 0.0);
    }
    expect_text(zilch_policy_published(), zilch_policy_published());
    FILE *file = open_table("../../examples/published.controller");
    const size_t length = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[length] = '\0';
    assert_string_equal(text, zilch_policy_published());
}

static void test_round_trip(void **state)
{
    (void)state;
    zilch_rng rng = zilch_rng_make(7, 0);
    for (int round = 0; round < 2000; round++) {
        double p[ZILCH_POLICY_PARAMETERS];
        double back[ZILCH_POLICY_PARAMETERS];
        char text[8192];
        for (int k = 0; k < ZILCH_POLICY_PARAMETERS; k++) {
            const double value =
                zilch_rng_normal(&rng) * pow(10.0, floor(600 * zilch_rng_uniform(&rng) - 300));
            p[k] = zilch_rng_uniform(&rng) < 0.5 ? value : 0.0;
        }
        format(p, text, sizeof text);
        assert_int_equal(zilch_policy_parse(text, back), ZILCH_OK);
        assert_memory_equal(p, back, sizeof p);
    }
}

static void test_freedom(void **state)
{
    (void)state;
    expect_text("a_main = y", "a_main = 1 y\na_side = 0\n");
    expect_text("a_side=-y", "a_main = 0\na_side = -1 y\n");
    expect_text("a_side = 3\na_main = 0", "a_main = 0\na_side = 3\n");
    expect_text("\xEF\xBB\xBF# a comment\r\n\r\n a_main\t=  2 *y* x # and this\r\n",
                "a_main = 2 x y\na_side = 0\n");
    expect_text("a_main = l2 x + y y - vy^2 + theta ^ 2",
                "a_main = 1 x l2 + 1 y^2 - 1 vy^2 + 1 theta^2\na_side = 0\n");
    expect_text("a_main = 2 y + 3 y - y x + x y", "a_main = 5 y\na_side = 0\n");
    expect_text("a_main =\n  1e-3 x\n  - 2.5E+2 y -\n .5\n\n# end\na_side = +omega",
                "a_main = -0.5 + 0.001 x - 250 y\na_side = 1 omega\n");
    expect_text("a_main = 2x + 0x + -3vx - -4", "a_main = 4 + 2 x - 3 vx\na_side = 0\n");
    expect_text("a_main = 0.1 y + 0.30000000000000004 vy + 5e-324 l1^2 + 1.7976931348623157e308 l1 l2",
                "a_main = 0.1 y + 0.30000000000000004 vy + 4.94065645841247e-324 l1^2 + "
                "1.7976931348623157e+308 l1 l2\na_side = 0\n");
}

static const struct {
    const char *text, *message;
} faults[] = {
    {"", "there is no formula"},
    {" \n# only a comment\n", "there is no formula"},
    {"a_main = y\na_side = 2 x + 3 vz",
     "line 2, column 18: unknown name 'vz'; the names are x y vx vy theta omega l1 l2"},
    {"a_main = 2 \xCE\xB8", "line 1, column 12: unknown name '\xCE\xB8'"},
    {"a_main = y2", "line 1, column 10: unknown name 'y2'"},
    {"a_main = nan", "line 1, column 10: unknown name 'nan'"},
    {"a_main = 0x10", "line 1, column 11: unknown name 'x10'"},
    {"a_main = 2 x y vx", "line 1, column 16: a third factor"},
    {"a_main = x y^2", "line 1, column 12: a third factor"},
    {"a_main = y^3", "line 1, column 11: the only power is ^2"},
    {"a_main = y^2.5", "the only power is ^2"},
    {"a_main = 1e999 y", "line 1, column 10: '1e999' does not fit a double"},
    {"a_main = 1e-999 y", "line 1, column 10: '1e-999' does not fit a double"},
    {"a_main = 1e308 y + 1e308 y", "line 1, column 20: with this term"},
    {"a_main = y\n\na_main = x", "line 3, column 1: a_main is given twice; its first formula is in line 1"},
    {"main = y", "line 1, column 1: expected 'a_main =' or 'a_side =', not 'main'"},
    {"2 y", "expected 'a_main =' or 'a_side =', not '2'"},
    {"a_main y", "line 1, column 8: expected = behind a_main, not 'y'"},
    {"a_main", "expected = behind a_main, not the end of the text"},
    {"a_main =", "line 1, column 9: expected a number or a name, not the end of the text"},
    {"a_main = y +", "expected a number or a name, not the end of the text"},
    {"a_main = y -\na_side = x", "line 2, column 1: unknown name 'a_side'"},
    {"a_main = 2 * 3 y", "line 1, column 14: expected a name, not '3'"},
    {"a_main = y *\nx", "line 1, column 13: expected a name, not the end of the line"},
    {"a_main = y 2",
     "line 1, column 12: expected + or - between terms, not '2'; a term's number stands first"},
    {"a_main = (y)", "line 1, column 10: expected a number or a name, not '('"},
    {"a_main = y / 2", "line 1, column 12: expected + or - between terms, not '/'"},
    {"a_main = y\nvy", "line 2, column 1: expected 'a_main =' or 'a_side =', not 'vy'"},
    {"a_main = 1.2.3", "line 1, column 13: expected + or - between terms, not '.'"},
    {"a_main = \x01", "not the byte 1"},
};

static void test_faults(void **state)
{
    (void)state;
    for (size_t k = 0; k < COUNT(faults); k++) {
        double p[ZILCH_POLICY_PARAMETERS] = {[7] = 7.0};
        assert_int_equal(zilch_policy_parse(faults[k].text, p), ZILCH_EFORMAT);
        if (!strstr(zilch_last_error(), faults[k].message)) {
            fail_msg("'%s': %s", faults[k].text, zilch_last_error());
        }
        assert_true(p[7] == 7.0); /* untouched */
    }
    double p[ZILCH_POLICY_PARAMETERS];
    assert_int_equal(zilch_policy_parse(NULL, p), ZILCH_EARG);
    assert_int_equal(zilch_policy_parse("a_main = y", NULL), ZILCH_EARG);
}

/* Any bytes: read or refused, never more. */
static void test_noise(void **state)
{
    (void)state;
    static const char alphabet[] = "a_main = a_side -+*^^2.15e9 x y vx vy theta omega l1 l2\n\n#\t()\xCE\x01";
    zilch_rng rng = zilch_rng_make(11, 0);
    size_t read = 0;
    for (int round = 0; round < 30000; round++) {
        char text[80] = "a_main = ";
        double p[ZILCH_POLICY_PARAMETERS];
        size_t length = strlen(text);
        const size_t end = length + (size_t)(zilch_rng_uniform(&rng) * 12);
        for (; length < end; length++) {
            text[length] = alphabet[(size_t)(zilch_rng_uniform(&rng) * (sizeof alphabet - 1))];
        }
        text[length] = '\0';
        read += zilch_policy_parse(text, p) == ZILCH_OK;
    }
    assert_true(read > 30);
}

static void test_capacity(void **state)
{
    (void)state;
    double p[ZILCH_POLICY_PARAMETERS];
    char text[512];
    size_t length = 0;
    assert_int_equal(zilch_policy_parse(zilch_policy_published(), p), ZILCH_OK);
    assert_int_equal(zilch_policy_format(p, NULL, 0, &length), ZILCH_OK);
    assert_int_equal(length, strlen(zilch_policy_published()));
    memset(text, '!', sizeof text);
    assert_int_equal(zilch_policy_format(p, text, length, &length), ZILCH_EARG);
    assert_true(text[length] == '!');
    assert_int_equal(zilch_policy_format(p, text, length + 1, &length), ZILCH_OK);
    assert_string_equal(text, zilch_policy_published());
    assert_true(text[length + 1] == '!');
    assert_int_equal(zilch_policy_format(p, text, sizeof text, NULL), ZILCH_EARG);
    p[3] = NAN;
    assert_int_equal(zilch_policy_format(p, text, sizeof text, &length), ZILCH_EARG);
}

/* A locale with a decimal comma changes nothing; skipped where there is none. */
static void test_locale(void **state)
{
    (void)state;
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE"};
    for (size_t k = 0; k < COUNT(names); k++) {
        if (setlocale(LC_NUMERIC, names[k])) {
            expect_text(zilch_policy_published(), zilch_policy_published());
            setlocale(LC_NUMERIC, "C");
            return;
        }
    }
    skip();
}

/* Terms beyond all bounds, with opposite signs: no number, and no action. */
static void a_sum_that_is_no_number_is_no_action(void **state)
{
    (void)state;
    double parameters[ZILCH_POLICY_PARAMETERS] = {0};
    const float s[ZILCH_LANDER_OBSERVATIONS] = {4.0F, 4.0F};
    double action[2] = {0.5, 0.5};
    parameters[1] = 1.7e308;
    parameters[2] = -1.7e308;
    parameters[ZILCH_POLICY_TERMS + 1] = 1.7e308;
    zilch_policy_act(parameters, 1, s, action);
    assert_true(action[0] == 0.0);
    assert_true(action[1] == 1.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_recorded_actions),
        cmocka_unit_test(test_sparse_is_dense),
        cmocka_unit_test(test_ends),
        cmocka_unit_test(test_published),
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_freedom),
        cmocka_unit_test(test_faults),
        cmocka_unit_test(test_noise),
        cmocka_unit_test(test_capacity),
        cmocka_unit_test(a_sum_that_is_no_number_is_no_action),
        cmocka_unit_test(test_locale),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
