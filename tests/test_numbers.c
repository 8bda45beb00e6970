/* Numbers as text: exact both ways, and the same in every locale. */
#include "base/numbers.h"

#include "support.h"

#include <locale.h>

/* Every decimal reads as strtod reads it, on both sides of the quick path's limits. */
static void numbers_read_exactly(void **state)
{
    (void)state;
    zilch_rng rng = zilch_rng_make(1, 0);
    for (size_t k = 0; k < 300000; k++) {
        char text[64];
        const int digits = 1 + (int)(20 * zilch_rng_uniform(&rng));
        const int exponent = (int)(60 * zilch_rng_uniform(&rng)) - 30;
        const double value = (zilch_rng_uniform(&rng) - 0.5) * pow(10, exponent);
        snprintf(text, sizeof text, k % 3 ? "%.*e" : "%.*f", digits, value);
        double x;
        const double expected = strtod(text, NULL);
        const int zero = strspn(text, "-0.") == strcspn(text, "e"); /* all its digits */
        assert_int_equal(zilch_number_parse(text, &x), expected != 0 || zero);
        assert_true(x == expected && signbit(x) == signbit(expected));
    }
}

static void numbers_not_parsed(void **state)
{
    (void)state;
    const char *wrong[] = {"",   " 1",  "1 ",  "+",   "-",     ".",   "e5",     "1e",    "1e+", "x",
                           "1x", "0x1", "nan", "inf", "1e999", "--1", "1e-999", "1.2.3", "1,5"};
    double x;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_false(zilch_number_parse(wrong[i], &x));
    }
}

/* Any double comes back, and in no more digits than it needs. */
static void numbers_written_exactly(void **state)
{
    (void)state;
    zilch_rng rng = zilch_rng_make(2, 0);
    for (size_t k = 0; k < 300000; k++) {
        const uint64_t bits =
            (uint64_t)(zilch_rng_uniform(&rng) * 0x1p32) << 32 | (uint64_t)(zilch_rng_uniform(&rng) * 0x1p32);
        double value, back;
        memcpy(&value, &bits, sizeof value);
        char text[ZILCH_NUMBER_SIZE];
        if (isfinite(value)) {
            const size_t length = zilch_number_format(value, text);
            assert_int_equal(length, strlen(text));
            assert_true(strtod(text, NULL) == value);
            assert_true(zilch_number_parse(text, &back) && back == value);
        }
    }
    const double values[] = {0, -0.0, 0.1, -2.5, 1e22, 1.0 / 3, 5e-324, 0.30000000000000004};
    const char *texts[] = {"0",
                           "0",
                           "0.1",
                           "-2.5",
                           "1e+22",
                           "0.3333333333333333",
                           "4.94065645841247e-324",
                           "0.30000000000000004"};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        char text[ZILCH_NUMBER_SIZE];
        zilch_number_format(values[i], text);
        assert_string_equal(text, texts[i]);
    }
}

/* A number ends where its digits do: what follows is another one's business. */
static void numbers_end(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        ptrdiff_t length;
        double value;
    } row[] = {{"1e x", 1, 1},   {"2.5E+,", 3, 2.5},  {"0x1", 1, 0},      {"7.", 2, 7},
               {".5.5", 2, 0.5}, {"-3e2e4", 4, -300}, {"1e-2\n", 4, 0.01}};
    for (size_t i = 0; i < COUNT(row); i++) {
        double x = NAN;
        const char *end = zilch_number_scan(row[i].text, &x);
        assert_ptr_equal(end, row[i].text + row[i].length);
        assert_true(x == row[i].value);
    }
}

/* Inside the library the end of a number that does not fit is known too. */
static void numbers_that_do_not_fit(void **state)
{
    (void)state;
    static const char *const text[] = {"1e999 y", "-2e400,", "0.00001e-400;"};
    for (size_t i = 0; i < COUNT(text); i++) {
        double x = 1;
        assert_ptr_equal(zi_number_scan(text[i], &x), text[i] + strcspn(text[i], " ,;"));
        assert_true(isnan(x));
        x = 1;
        assert_null(zilch_number_scan(text[i], &x));
        assert_true(x == 1);
    }
}

/* Written with a point and read with one, quickly or not. Skipped where no locale has a decimal comma. */
static void numbers_in_every_locale(void **state)
{
    (void)state;
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE"};
    static const char *const text[] = {"0.5", "-1.25e-300", "0.30000000000000004", "-1234567.8901234567",
                                       "1.7976931348623157e+308"};
    size_t k = 0;
    while (k < COUNT(names) && !setlocale(LC_ALL, names[k])) {
        k++;
    }
    if (k == COUNT(names)) {
        skip();
    }
    for (size_t i = 0; i < COUNT(text); i++) {
        double x = NAN;
        char back[ZILCH_NUMBER_SIZE];
        assert_true(zilch_number_parse(text[i], &x));
        assert_int_equal(zilch_number_format(x, back), strlen(text[i]));
        assert_string_equal(back, text[i]);
    }
    assert_false(zilch_number_parse("0,5", &(double){0}));
    setlocale(LC_ALL, "C");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_read_exactly),    cmocka_unit_test(numbers_not_parsed),
        cmocka_unit_test(numbers_written_exactly), cmocka_unit_test(numbers_end),
        cmocka_unit_test(numbers_that_do_not_fit), cmocka_unit_test(numbers_in_every_locale),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
