/* Linear limits as text: what they become, and what is said of texts that are none. */
#include "search_support.h"

#include <math.h>

static const char *const names[] = {"salt", "pepper", "corn flour", "x2"};
enum { DIM = 4 };

static void is_limit(const zilch_linear_limit *l, double lower, double upper, const double weight[DIM])
{
    double found[DIM] = {0.0};
    assert_true(l->lower == lower && l->upper == upper);
    for (size_t i = 0; i < l->count; i++) {
        assert_true(l->coordinate[i] < DIM && l->weight[i] != 0.0);
        found[l->coordinate[i]] += l->weight[i];
    }
    for (size_t i = 0; i < DIM; i++) {
        assert_true(found[i] == weight[i]);
    }
}

static void limits_are_read(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double lower, upper, weight[DIM];
    } cases[] = {
        {"sum = 1", 1, 1, {1, 1, 1, 1}},
        {"sum==1 # all of it", 1, 1, {1, 1, 1, 1}},
        {"salt + pepper <= .1", -INFINITY, 0.1, {1, 1, 0, 0}},
        {" 2 salt-0.5*\"corn flour\">= -3e-1 ;", -0.3, INFINITY, {2, 0, -0.5, 0}},
        {"0.2 <= salt + x2 <= 0.4", 0.2, 0.4, {1, 0, 0, 1}},
        {"0.4 >= salt", -INFINITY, 0.4, {1, 0, 0, 0}},
        {"-1<=-pepper", -1, INFINITY, {0, -1, 0, 0}},
        {"\n\n# a comment; and more\nsalt + salt - sum <= 2", -INFINITY, 2, {1, -1, -1, -1}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        zilch_linear_limit *limit;
        size_t count;
        assert_int_equal(zilch_linear_limits_parse(cases[i].text, DIM, names, &limit, &count), ZILCH_OK);
        assert_int_equal(count, 1);
        is_limit(limit, cases[i].lower, cases[i].upper, cases[i].weight);
        zilch_linear_limits_free(limit, count);
    }
}

static void there_may_be_many(void **state)
{
    (void)state;
    zilch_linear_limit *limit;
    size_t count;
    assert_int_equal(
        zilch_linear_limits_parse("sum = 1; x1 <= 2\nx4 + x3 >= 1 # end", DIM, NULL, &limit, &count),
        ZILCH_OK);
    assert_int_equal(count, 3);
    is_limit(&limit[1], -INFINITY, 2, (const double[DIM]){1, 0, 0, 0});
    is_limit(&limit[2], 1, INFINITY, (const double[DIM]){0, 0, 1, 1});
    zilch_linear_limits_free(limit, count);
    assert_int_equal(zilch_linear_limits_parse(" \n#nothing", DIM, NULL, &limit, &count), ZILCH_OK);
    assert_int_equal(count, 0);
    zilch_linear_limits_free(limit, count);
}

static void what_is_none_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"salt + suger <= 1", "limit 'salt + suger <= 1': there is no coordinate 'suger'"},
        {"salt < 1", "limit 'salt < 1': <=, >= or = is expected before '< 1'"},
        {"salt", "limit 'salt': <=, >= or = is expected before ''"},
        {"salt <= much", "limit 'salt <= much': a number is expected before 'much'"},
        {"salt <= 1 or 2", "limit 'salt <= 1 or 2': 'or 2' is left over"},
        {"salt + <= 1", "the name of a coordinate is missing before '<= 1'"},
        {"\"salt <= 1", "a double quote is missing"},
        {"salt <= 1e999", "'1e999' is not a number"},
        {"sum = 1\nx1 = 2", "there is no coordinate 'x1'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        zilch_linear_limit *limit;
        size_t count;
        assert_int_equal(zilch_linear_limits_parse(cases[i].text, DIM, names, &limit, &count), ZILCH_EARG);
        assert_non_null(strstr(zilch_last_error(), cases[i].message));
        assert_null(limit);
    }
    zilch_linear_limit *limit;
    size_t count;
    assert_int_equal(zilch_linear_limits_parse("x5 = 1", DIM, NULL, &limit, &count), ZILCH_EARG);
    assert_non_null(
        strstr(zilch_last_error(), "no coordinate 'x5'; without names they are x1, x2 and so on"));
    assert_int_equal(zilch_linear_limits_parse(NULL, DIM, NULL, &limit, &count), ZILCH_EARG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(limits_are_read), cmocka_unit_test(there_may_be_many),
                                       cmocka_unit_test(what_is_none_is_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
