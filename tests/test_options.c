/* Options: each row of the three lists against its struct, as text and back, its range where it is read and
 * where it is used, the methods, and the names that zilch 0.1 had. */
#include "search_support.h"

/* ---- The lists ------------------------------------------------------------------------------------ */

typedef union any_options {
    zilch_optimizer_options optimizer;
    zilch_limits limits;
    zilch_final_options final;
    unsigned char bytes[sizeof(zilch_optimizer_options)];
} any_options;

typedef struct list {
    const char *name;
    const zilch_option *row;
    size_t count, size; /* rows; bytes of the struct */
    any_options usual;
} list;

enum { LISTS = 3, OPTIMIZER = 0, LIMITS = 1, FINAL = 2 };

static list list_of(int which)
{
    list l = {.name = "optimizer", .size = sizeof(zilch_optimizer_options)};
    switch (which) {
    case OPTIMIZER:
        l.row = zilch_optimizer_option_list(&l.count);
        l.usual.optimizer = zilch_optimizer_defaults();
        break;
    case LIMITS:
        l.name = "limits";
        l.size = sizeof(zilch_limits);
        l.row = zilch_limit_list(&l.count);
        l.usual.limits = zilch_limits_defaults();
        break;
    default:
        l.name = "final";
        l.size = sizeof(zilch_final_options);
        l.row = zilch_final_list(&l.count);
        l.usual.final = zilch_final_defaults(ZILCH_METHOD_DEFAULT);
        break;
    }
    return l;
}

static size_t size_of(const zilch_option *row)
{
    return row->type == ZILCH_OPTION_COUNT    ? sizeof(uint64_t)
           : row->type == ZILCH_OPTION_NUMBER ? sizeof(double)
                                              : sizeof(int);
}

/* Each row once, in the order of the fields, which do not overlap; each explains itself in a sentence. */
static void rows_follow_the_struct(void **state)
{
    (void)state;
    for (int which = 0; which < LISTS; which++) {
        const list l = list_of(which);
        size_t end = sizeof(size_t);
        assert_true(l.count >= 3);
        for (size_t i = 0; i < l.count; i++) {
            const zilch_option *row = &l.row[i];
            const size_t length = strlen(row->about);
            assert_true(row->offset >= end && row->offset + size_of(row) <= l.size);
            end = row->offset + size_of(row);
            assert_true(strspn(row->name, "abcdefghijklmnopqrstuvwxyz_") == strlen(row->name));
            assert_true(length > 20 && row->about[0] >= 'A' && row->about[0] <= 'Z' &&
                        row->about[length - 1] == '.');
            assert_true((row->type == ZILCH_OPTION_CHOICE) == (row->choices != NULL));
            assert_true(row->group == ZILCH_OPTION_COMMON || row->group == ZILCH_OPTION_EXPERT);
            for (size_t j = 0; j < i; j++) {
                assert_string_not_equal(row->name, l.row[j].name);
            }
        }
    }
}

/* Here the lists are gone through once more, with macros of this test. */
#define IS_USUAL(field, usual)                                                         \
    do {                                                                               \
        assert_true(o.field == (usual) || (o.field != o.field && (usual) != (usual))); \
        assert_string_equal(row[k].name, #field);                                      \
        assert_int_equal(row[k].offset, (const char *)&o.field - (const char *)&o);    \
        k++;                                                                           \
    } while (0);
#define USUAL_CHOICE(name, names, usual, group, about) IS_USUAL(name, usual)
#define USUAL_COUNT(name, usual, least, greatest, group, about) IS_USUAL(name, usual)
#define USUAL_NUMBER(name, usual, least, greatest, group, about) IS_USUAL(name, usual)
#define USUAL_FLAG(name, usual, group, about) IS_USUAL(name, usual)

static void defaults_are_those_of_the_rows(void **state)
{
    (void)state;
    size_t count, k = 0;
    {
        const zilch_optimizer_options o = zilch_optimizer_defaults();
        const zilch_option *row = zilch_optimizer_option_list(&count);
        ZILCH_OPTIMIZER_OPTION_LIST(USUAL_CHOICE, USUAL_COUNT, USUAL_NUMBER, USUAL_FLAG)
        assert_int_equal(k, count);
        assert_true(o.size == sizeof o && !o.networks && !o.forced && !o.group && !o.lower && !o.upper);
    }
    k = 0;
    {
        const zilch_limits o = zilch_limits_defaults();
        const zilch_option *row = zilch_limit_list(&count);
        ZILCH_LIMIT_LIST(USUAL_CHOICE, USUAL_COUNT, USUAL_NUMBER, USUAL_FLAG)
        assert_int_equal(k, count);
        assert_int_equal(o.size, sizeof o);
    }
    k = 0;
    {
        const zilch_final_options o = zilch_final_defaults(ZILCH_METHOD_DEFAULT);
        const zilch_option *row = zilch_final_list(&count);
        ZILCH_FINAL_LIST(USUAL_CHOICE, USUAL_COUNT, USUAL_NUMBER, USUAL_FLAG)
        assert_int_equal(k, count);
        assert_true(o.size == sizeof o && o.is_noisy == 1);
    }
}

/* ---- Text ----------------------------------------------------------------------------------------- */

/* The text is read, changes this field alone, and is written as `expected`. */
static void reads(const list *l, const zilch_option *row, const char *text, const char *expected)
{
    any_options o = l->usual, again = l->usual;
    char written[ZILCH_OPTION_SIZE];
    if (zilch_option_parse(row, text, &o) != ZILCH_OK) {
        fail_msg("%s '%s': %s", row->name, text, zilch_last_error());
    }
    zilch_option_format(row, &o, written);
    assert_string_equal(written, expected);
    assert_int_equal(zilch_option_parse(row, written, &again), ZILCH_OK);
    assert_memory_equal(&o, &again, l->size);
    memcpy((char *)&again + row->offset, (const char *)&l->usual + row->offset, size_of(row));
    assert_memory_equal(&again, &l->usual, l->size);
}

/* The text is refused with this message, and nothing is changed. */
static void refuses(const list *l, const zilch_option *row, const char *text, const char *message)
{
    any_options o = l->usual;
    if (zilch_option_parse(row, text, &o) != ZILCH_EARG) {
        fail_msg("%s takes '%s'", row->name, text);
    }
    assert_memory_equal(&o, &l->usual, l->size);
    if (message) {
        assert_string_equal(zilch_last_error(), message);
    }
}

static void check_choice(const list *l, const zilch_option *row)
{
    const char *choices = row->type == ZILCH_OPTION_FLAG ? "no|yes" : row->choices;
    char name[64], message[300];
    int number = 0;
    for (const char *at = choices; *at; number++) {
        const size_t length = strcspn(at, "|");
        any_options o = l->usual;
        int value;
        snprintf(name, sizeof name, "%.*s", (int)length, at);
        reads(l, row, name, name);
        assert_int_equal(zilch_option_parse(row, name, &o), ZILCH_OK);
        memcpy(&value, (const char *)&o + row->offset, sizeof value);
        assert_int_equal(value, number); /* in the order of the enum */
        name[length - 1] = '\0';         /* no part of a name is one */
        refuses(l, row, name, NULL);
        at += length + (at[length] == '|');
    }
    assert_true(number >= 2);
    snprintf(message, sizeof message, "'no such thing' is not one of %s", choices);
    refuses(l, row, "no such thing", message);
    refuses(l, row, choices, NULL);
    refuses(l, row, "|", NULL);
    refuses(l, row, "0", NULL);
    refuses(l, row, "1", NULL);
}

static void check_count(const list *l, const zilch_option *row)
{
    const int is_endless = row->greatest >= 0x1p64;
    const uint64_t least = (uint64_t)row->least;
    const uint64_t greatest = is_endless ? UINT64_MAX : (uint64_t)row->greatest;
    const uint64_t inside[] = {least, least + 1, least + 7, greatest / 2, greatest - 1, greatest};
    char text[64], message[300];
    for (size_t i = 0; i < COUNT(inside); i++) {
        snprintf(text, sizeof text, "%llu", (unsigned long long)inside[i]);
        reads(l, row, text, text);
    }
    reads(l, row, "1e2", "100"); /* in the range of each */
    reads(l, row, "100.0", "100");
    reads(l, row, "0100", "100");
    static const char *const wrong[] = {"-1",
                                        "",
                                        " 5",
                                        "5 ",
                                        "5x",
                                        "5.5",
                                        "1e-3",
                                        "none",
                                        "0x10",
                                        "nan",
                                        "inf",
                                        "1e400",
                                        "18446744073709551616",
                                        "yes"};
    for (size_t i = 0; i < COUNT(wrong); i++) {
        snprintf(message, sizeof message, "'%s' is not a whole number from %llu to %llu%s", wrong[i],
                 (unsigned long long)least, (unsigned long long)greatest,
                 is_endless ? ", the largest of 64 bits" : "");
        refuses(l, row, wrong[i], message);
    }
    if (!is_endless) {
        snprintf(text, sizeof text, "%llu", (unsigned long long)greatest + 1);
        refuses(l, row, text, NULL);
    }
    if (least) {
        snprintf(text, sizeof text, "%llu", (unsigned long long)least - 1);
        refuses(l, row, text, NULL);
    }
}

static void check_number(const list *l, const zilch_option *row)
{
    const double least = isfinite(row->least) ? row->least : -DBL_MAX;
    const double greatest = isfinite(row->greatest) ? row->greatest : DBL_MAX;
    const double share = nextafter(greatest, -INFINITY);
    const double inside[] = {least, greatest, share, least / 2 + greatest / 2, fmin(greatest, 1.0 / 3.0)};
    char text[ZILCH_NUMBER_SIZE];
    for (size_t i = 0; i < COUNT(inside); i++) {
        any_options o = l->usual;
        double value;
        zilch_number_format(inside[i], text);
        reads(l, row, text, text);
        assert_int_equal(zilch_option_parse(row, text, &o), ZILCH_OK);
        memcpy(&value, (const char *)&o + row->offset, sizeof value);
        assert_true(value == inside[i]);
    }
    reads(l, row, "2e-1", "0.2"); /* in the range of each */
    static const char *const wrong[] = {"", " 1", "1 ", "1,5", "nan", "inf", "-inf", "0x1p0", "1e400", "yes"};
    for (size_t i = 0; i < COUNT(wrong); i++) {
        refuses(l, row, wrong[i], NULL);
    }
    if (isfinite(row->greatest)) {
        zilch_number_format(nextafter(greatest, INFINITY), text);
        refuses(l, row, text, NULL);
    }
    if (isfinite(row->least)) {
        zilch_number_format(nextafter(least, -INFINITY), text);
        refuses(l, row, text, NULL);
    }
    if (row->may_be_none) {
        reads(l, row, "none", "none");
    } else {
        refuses(l, row, "none", NULL);
    }
}

static void rows_are_read_and_written(void **state)
{
    (void)state;
    static void (*const check[])(const list *, const zilch_option *) = {[ZILCH_OPTION_CHOICE] = check_choice,
                                                                        [ZILCH_OPTION_COUNT] = check_count,
                                                                        [ZILCH_OPTION_NUMBER] = check_number,
                                                                        [ZILCH_OPTION_FLAG] = check_choice};
    for (int which = 0; which < LISTS; which++) {
        const list l = list_of(which);
        for (size_t i = 0; i < l.count; i++) {
            check[l.row[i].type](&l, &l.row[i]);
        }
    }
}

static const zilch_option *find(const list *l, const char *name)
{
    for (size_t i = 0; i < l->count; i++) {
        if (strcmp(l->row[i].name, name) == 0) {
            return &l->row[i];
        }
    }
    fail_msg("%s has no %s", l->name, name);
    return NULL;
}

/* What a user is told. */
static void messages_say_what_is_allowed(void **state)
{
    (void)state;
    const list o = list_of(OPTIMIZER), limits = list_of(LIMITS), final = list_of(FINAL);
    refuses(&o, find(&o, "method"), "zig", "'zig' is not one of default|published|gaussian|adhoc|ea");
    refuses(&o, find(&o, "population"), "16777217", "'16777217' is not a whole number from 0 to 16777216");
    refuses(&o, find(&o, "penalty"), "-1", "'-1' is not a number of at least 0");
    refuses(&o, find(&o, "initial_mu"), "none", "'none' is not a number");
    refuses(&o, find(&o, "initial_spread"), "1", "'1' is not a number from 0 to 0.999999");
    refuses(&o, find(&o, "variance_scaling"), "true", "'true' is not one of no|yes");
    refuses(&limits, find(&limits, "target"), "low", "'low' is not a number, nor 'none'");
    refuses(&limits, find(&limits, "generations"), "-1",
            "'-1' is not a whole number from 0 to 18446744073709551615, the largest of 64 bits");
    refuses(&final, find(&final, "final_candidates"), "100001",
            "'100001' is not a whole number from 0 to 100000");
    any_options any = o.usual;
    assert_int_equal(zilch_option_parse(NULL, "1", &any), ZILCH_EARG);
    assert_int_equal(zilch_option_parse(o.row, NULL, &any), ZILCH_EARG);
    assert_int_equal(zilch_option_parse(o.row, "ea", NULL), ZILCH_EARG);
}

/* ---- Checks --------------------------------------------------------------------------------------- */

enum { DIM = 4 };

static zilch_status evaluate(void *context, const zilch_batch *batch, double *value)
{
    (*(size_t *)context)++;
    return noisy_objective(NULL, batch, value);
}

/* What uses the options: creating, running, recommending. */
static zilch_status use(int which, zilch_optimizer *search, const any_options *o)
{
    size_t calls = 0;
    zilch_recommendation out;
    double x[DIM];
    zilch_optimizer *created = NULL;
    zilch_status status;
    if (which == OPTIMIZER) {
        status = zilch_optimizer_create(&created, DIM, 1, &o->optimizer);
        assert_int_equal(status == ZILCH_OK, created != NULL);
        zilch_optimizer_destroy(created);
    } else if (which == LIMITS) {
        zilch_optimizer *copy = copy_of(search);
        status = zilch_optimizer_run(copy, evaluate, &calls, &o->limits, NULL, NULL, NULL);
        zilch_optimizer_destroy(copy);
    } else {
        status = zilch_optimizer_recommend(search, evaluate, &calls, &o->final, x, &out);
    }
    assert_true(status == ZILCH_OK || calls == 0); /* before anything else */
    return status;
}

static void refuses_field(int which, zilch_optimizer *search, const zilch_option *row, const void *field,
                          const char *words)
{
    any_options o = list_of(which).usual;
    char expected[200];
    memcpy((char *)&o + row->offset, field, size_of(row));
    if (use(which, search, &o) != ZILCH_EARG) {
        fail_msg("%s: a value out of range was taken, where it must be %s", row->name, words);
    }
    snprintf(expected, sizeof expected, "%s: %s must be %s",
             which == OPTIMIZER ? "optimizer"
             : which == LIMITS  ? "limits"
                                : "recommend",
             row->name, words);
    if (strncmp(zilch_last_error(), expected, strlen(expected)) != 0) {
        fail_msg("'%s' does not begin with '%s'", zilch_last_error(), expected);
    }
}

static size_t refuses_all(int which, zilch_optimizer *search, const zilch_option *row)
{
    int number = 0;
    for (const char *at = row->choices; at; at = strchr(at, '|') ? strchr(at, '|') + 1 : NULL) {
        number++;
    }
    const int choices[] = {-1, number, 1000000, INT32_MIN}, flags[] = {-1, 2, INT32_MAX};
    const uint64_t counts[] = {(uint64_t)row->greatest + 1, UINT64_MAX};
    const uint64_t below = (uint64_t)row->least - 1;
    const double numbers[] = {NAN, INFINITY, -INFINITY, nextafter(row->greatest, INFINITY),
                              nextafter(row->least, -INFINITY)};
    size_t refused = 0;
    switch (row->type) {
    case ZILCH_OPTION_CHOICE:
        for (; refused < COUNT(choices); refused++) {
            refuses_field(which, search, row, &choices[refused], "one of ");
        }
        break;
    case ZILCH_OPTION_FLAG:
        for (; refused < COUNT(flags); refused++) {
            refuses_field(which, search, row, &flags[refused], "0 or 1, not ");
        }
        break;
    case ZILCH_OPTION_COUNT:
        for (; row->greatest < 0x1p64 && refused < COUNT(counts); refused++) {
            refuses_field(which, search, row, &counts[refused], "a whole number from ");
        }
        if (row->least > 0) {
            refuses_field(which, search, row, &below, "a whole number from ");
            refused++;
        }
        break;
    case ZILCH_OPTION_NUMBER:
        for (size_t i = row->may_be_none ? 1 : 0; i < COUNT(numbers); i++) {
            if (i < 3 || isfinite(i == 3 ? row->greatest : row->least)) {
                refuses_field(which, search, row, &numbers[i], "a finite number");
                refused++;
            }
        }
        break;
    }
    return refused;
}

/* Every row that has a range is checked where the options are used, whoever filled the struct. */
static void what_is_out_of_range_is_refused(void **state)
{
    (void)state;
    zilch_optimizer *search = small_optimizer(ZILCH_METHOD_EA, DIM, 3);
    run_generations(search, 1);
    for (int which = 0; which < LISTS; which++) {
        const list l = list_of(which);
        any_options o = l.usual;
        assert_int_equal(use(which, search, &o), ZILCH_OK);
        memset(&o, 0, sizeof(size_t)); /* the size of the struct comes first */
        assert_int_equal(use(which, search, &o), ZILCH_EARG);
        assert_non_null(strstr(zilch_last_error(), "begin from zilch_"));
        for (size_t i = 0; i < l.count; i++) {
            const size_t refused = refuses_all(which, search, &l.row[i]);
            assert_true(refused > 0 || (l.row[i].type == ZILCH_OPTION_COUNT && l.row[i].greatest >= 0x1p64));
        }
    }
    any_options o = list_of(OPTIMIZER).usual;
    o.optimizer.population = 2;
    assert_int_equal(use(OPTIMIZER, search, &o), ZILCH_EARG);
    assert_string_equal(zilch_last_error(),
                        "optimizer: population must be at least 3, or 0 for an automatic one, not 2");
    zilch_optimizer_destroy(search);
}

/* ---- Methods -------------------------------------------------------------------------------------- */

/* The publication's search: a population of 500 with 100 elites that are all evaluated again, of which the
 * latest value counts; masks and values are independent at first, p 0.5, mu 0, sigma 2; the law is fitted to
 * the elites alone, by networks, without shrinkage, and clipped. At the end nothing is left out. */
static void published_is_the_publication(void **state)
{
    (void)state;
    static const char *const published[][2] = {{"method", "published"},   {"direction", "minimize"},
                                               {"population", "500"},     {"expected_evaluations", "0"},
                                               {"elites", "100"},         {"penalty", "0"},
                                               {"min_active", "0"},       {"max_active", "0"},
                                               {"initial_p", "0.5"},      {"initial_mu", "0"},
                                               {"initial_sigma", "2"},    {"aggregate", "latest"},
                                               {"reevaluate", "all"},     {"quorum", "1"},
                                               {"archive_size", "0"},     {"initial_spread", "0"},
                                               {"structure", "full"},     {"rank", "10"},
                                               {"inverter", "amortised"}, {"shrinkage", "none"},
                                               {"projection", "clip"},    {"sigma_floor", "0"},
                                               {"weighting", "equal"},    {"prior_sigma", "0"},
                                               {"margin", "0"},           {"mean_shift", "0"},
                                               {"recombination", "0"},    {"immigrants", "0"},
                                               {"reactivation", "0"},     {"refinement", "no"},
                                               {"smoothing", "no"},       {"variance_scaling", "no"}};
    const zilch_optimizer_options o = zilch_method_defaults(ZILCH_METHOD_PUBLISHED);
    const list l = list_of(OPTIMIZER);
    assert_int_equal(l.count, COUNT(published));
    for (size_t i = 0; i < l.count; i++) {
        char text[ZILCH_OPTION_SIZE];
        zilch_option_format(find(&l, published[i][0]), &o, text);
        if (strcmp(text, published[i][1]) != 0) {
            fail_msg("%s is %s, not %s", published[i][0], text, published[i][1]);
        }
    }
    assert_true(o.size == sizeof o && !o.networks && !o.forced && !o.group && !o.lower && !o.upper);
    const zilch_final_options final = zilch_final_defaults(ZILCH_METHOD_PUBLISHED);
    assert_true(final.final_pruning == 0 && final.final_candidates == 0 && final.final_evaluations == 0 &&
                final.is_noisy == 1 && final.size == sizeof final);
}

/* The other methods draw in another way, and count the latest value, as published; otherwise they are the
 * default. */
static void other_methods_are_the_default(void **state)
{
    (void)state;
    const zilch_option *row = list_of(OPTIMIZER).row;
    for (size_t k = 0; k < COUNT(four_methods); k++) {
        zilch_optimizer_options o = zilch_method_defaults(four_methods[k]);
        const zilch_optimizer_options usual = zilch_optimizer_defaults();
        assert_int_equal(o.method, four_methods[k]);
        assert_int_equal(o.aggregate,
                         o.method == ZILCH_METHOD_DEFAULT ? ZILCH_AGGREGATE_LATER : ZILCH_AGGREGATE_LATEST);
        o.method = usual.method;
        o.aggregate = usual.aggregate;
        for (size_t i = 0; i < list_of(OPTIMIZER).count; i++) {
            assert_memory_equal((char *)&o + row[i].offset, (const char *)&usual + row[i].offset,
                                size_of(&row[i]));
        }
        assert_int_equal(zilch_final_defaults(four_methods[k]).final_pruning, 1);
    }
}

/* ---- Names of before ------------------------------------------------------------------------------ */

static void old_names_are_known(void **state)
{
    (void)state;
    static const char *const names[][2] = {{"law", "method"},
                                           {"preset", "method"},
                                           {"price", "penalty"},
                                           {"archive", "aggregate"},
                                           {"again", "reevaluate"},
                                           {"share", "quorum"},
                                           {"remember", "archive_size"},
                                           {"shift", "mean_shift"},
                                           {"copied", "recombination"},
                                           {"redrawn", "immigrants"},
                                           {"timid", "reactivation"},
                                           {"widened", "variance_scaling"},
                                           {"active_least", "min_active"},
                                           {"active-least", "min_active"},
                                           {"active-most", "max_active"},
                                           {"shortlist", "final_candidates"},
                                           {"recheck", "final_evaluations"},
                                           {"prune", "final_pruning"},
                                           {"restart", ""},
                                           {"over-ask", ""},
                                           {"prior_p", ""},
                                           {"prior-mu", ""},
                                           {"prior-correlation", ""},
                                           {"values", ""}};
    for (size_t i = 0; i < COUNT(names); i++) {
        const char *now = zilch_option_renamed(names[i][0]);
        assert_non_null(now);
        assert_string_equal(now, names[i][1]);
        assert_null(*now ? zilch_option_renamed(now) : NULL); /* of today */
    }
    static const char *const never[] = {"",          "-", "pric", "prices", "active--least", "prior_sigma",
                                        "population"};
    for (size_t i = 0; i < COUNT(never); i++) {
        assert_null(zilch_option_renamed(never[i]));
    }
    assert_null(zilch_option_renamed(NULL));
    for (int which = 0; which < LISTS; which++) { /* no option of today has a name of before */
        const list l = list_of(which);
        for (size_t i = 0; i < l.count; i++) {
            assert_null(zilch_option_renamed(l.row[i].name));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_follow_the_struct),          cmocka_unit_test(defaults_are_those_of_the_rows),
        cmocka_unit_test(rows_are_read_and_written),       cmocka_unit_test(messages_say_what_is_allowed),
        cmocka_unit_test(what_is_out_of_range_is_refused), cmocka_unit_test(published_is_the_publication),
        cmocka_unit_test(other_methods_are_the_default),   cmocka_unit_test(old_names_are_known),
    };
    return cmocka_run_group_tests_name("options", tests, NULL, NULL);
}
