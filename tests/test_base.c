/* The base of the library: status and errors, names, memory. */
#include "base/file.h"
#include "base/memory.h"
#include "base/status.h"
#include "support.h"

#include <pthread.h>

/* ---- Status and errors ------------------------------------------------------ */

static const struct {
    zilch_status status;
    int value;
    const char *text;
} statuses[] = {
    {ZILCH_OK, 0, "success"},
    {ZILCH_ESTOPPED, 1, "stopped by the progress callback"},
    {ZILCH_EARG, -1, "argument out of range"},
    {ZILCH_ENOMEM, -2, "out of memory"},
    {ZILCH_ENUMERIC, -3, "not finite, or a factorisation failed"},
    {ZILCH_ESTATE, -4, "call not allowed in this state"},
    {ZILCH_EFORMAT, -5, "not a zilch file, or damaged"},
    {ZILCH_EVERSION, -6, "written by an incompatible version"},
    {ZILCH_EIO, -7, "input or output failed"},
    {ZILCH_EOBJECTIVE, -8, "the objective reported failure"},
    {ZILCH_EUNAVAILABLE, -9, "not available in this build"},
};

static void test_status_texts(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(statuses); i++) {
        assert_int_equal(statuses[i].status, statuses[i].value);
        assert_string_equal(zilch_status_text(statuses[i].status), statuses[i].text);
    }
    static const int unknown[] = {2, 99, -10, -1000};
    for (size_t i = 0; i < COUNT(unknown); i++) {
        assert_string_equal(zilch_status_text((zilch_status)unknown[i]), "unknown status");
    }
}

static void test_version(void **state)
{
    (void)state;
    char expected[40];
    snprintf(expected, sizeof expected, "%d.%d.%d", ZILCH_VERSION_MAJOR, ZILCH_VERSION_MINOR,
             ZILCH_VERSION_PATCH);
    assert_string_equal(zilch_version(), expected);
}

static void test_last_error(void **state)
{
    (void)state;
    assert_int_equal(zi_fail(ZILCH_ENUMERIC, "fit: row %zu column %d is %g", (size_t)3, 7, 0.5),
                     ZILCH_ENUMERIC);
    assert_string_equal(zilch_last_error(), "fit: row 3 column 7 is 0.5");
    assert_int_equal(zi_fail(ZILCH_EIO, "again: %s", zilch_last_error()), ZILCH_EIO); /* its own argument */
    assert_string_equal(zilch_last_error(), "again: fit: row 3 column 7 is 0.5");
}

/* The place is data beside the text, and stays when a file's name comes before it. */
static void test_error_has_a_place(void **state)
{
    (void)state;
    char text[200];
    const char *const names[] = {"a", "b", "c"};
    assert_int_equal(zi_fail_at(ZILCH_EARG, &(zi_location){"fit", {{ZI_ROW, 3}, {ZI_COLUMN, 2}}, NULL},
                                "the value is %g", 0.5),
                     ZILCH_EARG);
    assert_string_equal(zilch_last_error(), "fit: row 3, column 2 (counted from 0): the value is 0.5");
    zilch_error e = zilch_last_error_details();
    assert_int_equal(e.status, ZILCH_EARG);
    assert_string_equal(e.where, "fit");
    assert_string_equal(e.message, "the value is 0.5");
    assert_string_equal(e.name, "");
    assert_int_equal(e.row, 3);
    assert_int_equal(e.column, 2);
    assert_true(e.point == ZILCH_NOWHERE && e.coordinate == ZILCH_NOWHERE && e.partner == ZILCH_NOWHERE &&
                e.line == ZILCH_NOWHERE && e.character == ZILCH_NOWHERE && e.field == ZILCH_NOWHERE);
    zilch_error_format(&e, 1, names, text, sizeof text);
    assert_string_equal(text, "fit: row 4, column 3 (c): the value is 0.5");
    zilch_error_format(&e, 0, names, text, 12);
    assert_string_equal(text, "fit: row 3,");
    assert_int_equal(zi_fail_within(ZILCH_EFORMAT, "%s", "a.csv"), ZILCH_EFORMAT);
    assert_string_equal(zilch_last_error(), "a.csv: fit: row 3, column 2 (counted from 0): the value is 0.5");
    assert_int_equal(zilch_last_error_details().row, 3);
    assert_int_equal(zilch_last_error_details().status, ZILCH_EFORMAT);
}

/* Lines are counted from 1 by all, two coordinates may disagree, and a failure without a place has none. */
static void test_error_places_differ(void **state)
{
    (void)state;
    char text[200];
    zi_fail_at(ZILCH_EFORMAT, &(zi_location){.at = {{ZI_LINE, 2}, {ZI_FIELD, 3}}, .name = "sigma"}, "wrong");
    assert_string_equal(zilch_last_error(), "line 2, field 3 (sigma): wrong");
    zi_fail_at(ZILCH_EARG, &(zi_location){"point", {{ZI_COORDINATE, 1}, {ZI_PARTNER, 4}}, NULL},
               "they differ");
    assert_string_equal(zilch_last_error(), "point: coordinates 1 and 4 (counted from 0): they differ");
    zilch_error e = zilch_last_error_details();
    assert_true(e.coordinate == 1 && e.partner == 4 && e.line == ZILCH_NOWHERE);
    zilch_error_format(&e, 1, NULL, text, sizeof text);
    assert_string_equal(text, "point: coordinates 2 and 5: they differ");
    zilch_fail(ZILCH_EOBJECTIVE, "the valve is stuck");
    e = zilch_last_error_details();
    assert_true(e.status == ZILCH_EOBJECTIVE && e.coordinate == ZILCH_NOWHERE && e.partner == ZILCH_NOWHERE);
    assert_string_equal(e.where, "");
    assert_string_equal(e.message, "the valve is stuck");
    zi_error_clear();
    e = zilch_last_error_details();
    assert_true(e.status == ZILCH_OK && e.row == ZILCH_NOWHERE && !*e.where && !*e.message);
}

static void test_long_error_keeps_its_ends(void **state)
{
    (void)state;
    char text[2000];
    for (size_t i = 0; i < sizeof text; i++) {
        text[i] = (char)('a' + i % 26);
    }
    text[sizeof text - 1] = '\0';
    zi_fail(ZILCH_EARG, "%s", text);
    const char *error = zilch_last_error();
    const size_t kept = strlen(error);
    const size_t half = (size_t)(strstr(error, "...") - error);
    assert_in_range(kept, 200, sizeof text - 2);
    assert_memory_equal(error, text, half); /* the beginning, and the end, where it is said what is wrong */
    assert_string_equal(error + half + 3, text + sizeof text - 1 - (kept - half - 3));
    zi_fail(ZILCH_EARG, "short");
    assert_string_equal(zilch_last_error(), "short");
}

static zilch_status fails(int *calls)
{
    ++*calls;
    return zi_fail(ZILCH_ESTATE, "inside");
}

static zilch_status hands_on(int *calls)
{
    ZI_TRY(ZILCH_OK);
    ZI_TRY(fails(calls));
    return ZILCH_OK;
}

static void test_try_hands_on(void **state)
{
    (void)state;
    int calls = 0;
    assert_int_equal(hands_on(&calls), ZILCH_ESTATE);
    assert_int_equal(calls, 1);
}

/* Returns NULL if the thread starts without an error and keeps its own. */
static void *thread_with_error(void *argument)
{
    if (*zilch_last_error()) {
        return "a new thread has an error";
    }
    zi_fail(ZILCH_EARG, "of thread %s", (const char *)argument);
    return strcmp(zilch_last_error(), "of thread B") == 0 ? NULL : "not its own error";
}

static void test_error_is_of_thread(void **state)
{
    (void)state;
    pthread_t thread;
    void *complaint;
    zi_fail(ZILCH_EARG, "of thread A");
    assert_int_equal(pthread_create(&thread, NULL, thread_with_error, "B"), 0);
    assert_int_equal(pthread_join(thread, &complaint), 0);
    assert_null(complaint);
    assert_string_equal(zilch_last_error(), "of thread A");
}

/* ---- Names ------------------------------------------------------------------ */

static void test_name_table(void **state)
{
    (void)state;
    static const char *const name[] = {"red", "green", "blue"}; /* the last is beyond the count */
    static const zi_names colours = {"colour", 2, name};
    unsigned value = 42;
    assert_string_equal(zi_name(&colours, 0), "red");
    assert_string_equal(zi_name(&colours, 1), "green");
    assert_null(zi_name(&colours, 2));
    assert_null(zi_name(&colours, (unsigned)-1));
    assert_int_equal(zi_name_parse(&colours, "green", &value), ZILCH_OK);
    assert_int_equal(value, 1);
    static const char *const bad[] = {"", "gree", "greens", "Green", " green", NULL};
    for (size_t i = 0; i < COUNT(bad); i++) {
        value = 42;
        assert_int_equal(zi_name_parse(&colours, bad[i], &value), ZILCH_EARG);
        assert_int_equal(value, 42);
    }
    assert_int_equal(zi_name_parse(&colours, "blue", &value), ZILCH_EARG);
    assert_string_equal(zilch_last_error(), "\"blue\" is no colour");
}

/* The public lists as one kind of function. */
#define PLAIN_NAMES(list)                                               \
    static const char *list##_name(unsigned value)                      \
    {                                                                   \
        return zilch_##list##_name((zilch_##list)value);                \
    }                                                                   \
    static zilch_status list##_parse(const char *name, unsigned *out)   \
    {                                                                   \
        zilch_##list value = (zilch_##list)0;                           \
        const zilch_status status = zilch_##list##_parse(name, &value); \
        *out = (unsigned)value;                                         \
        return status;                                                  \
    }
PLAIN_NAMES(inverter)
PLAIN_NAMES(structure)
PLAIN_NAMES(shrinkage)
PLAIN_NAMES(projection)
PLAIN_NAMES(method)
PLAIN_NAMES(direction)
PLAIN_NAMES(aggregate)
PLAIN_NAMES(reevaluate)
PLAIN_NAMES(weighting)
PLAIN_NAMES(forced)
PLAIN_NAMES(stop)
PLAIN_NAMES(setting_kind)
PLAIN_NAMES(action)

static const struct {
    const char *what;
    const char *(*name)(unsigned value);
    zilch_status (*parse)(const char *name, unsigned *out);
    const char *names[11]; /* by value; NULL ends them */
} public_names[] = {
    {"inverter", inverter_name, inverter_parse, {"exact", "amortised"}},
    {"structure", structure_name, structure_parse, {"full", "diagonal", "low-rank"}},
    {"shrinkage", shrinkage_name, shrinkage_parse, {"none", "entrywise", "bayes", "fisher", "all"}},
    {"projection", projection_name, projection_parse, {"clip", "repair", "nearest", "weighted"}},
    {"method", method_name, method_parse, {"default", "published", "gaussian", "adhoc", "ea"}},
    {"direction", direction_name, direction_parse, {"minimize", "maximize"}},
    {"aggregate", aggregate_name, aggregate_parse, {"latest", "mean", "later"}},
    {"reevaluate", reevaluate_name, reevaluate_parse, {"all", "uncertain", "none"}},
    {"weighting", weighting_name, weighting_parse, {"equal", "linear"}},
    {"forced", forced_name, forced_parse, {"free", "on", "off"}},
    {"stop",
     stop_name,
     stop_parse,
     {"not stopped", "generations", "evaluations", "target", "stagnation", "observer", "converged",
      "diverged", "exhausted", "asked"}},
    {"setting", setting_kind_name, setting_kind_parse, {"option", "limit", "final", "problem", "means"}},
    {"action",
     action_name,
     action_parse,
     {"stop", "stop-now", "pause", "go-on", "evaluations", "generations", "penalty", "recommend"}},
};

static void test_public_names(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(public_names); i++) {
        unsigned value = 0;
        unsigned found;
        for (; public_names[i].names[value]; value++) {
            assert_string_equal(public_names[i].name(value), public_names[i].names[value]);
            assert_int_equal(public_names[i].parse(public_names[i].names[value], &found), ZILCH_OK);
            assert_int_equal(found, value);
        }
        assert_null(public_names[i].name(value));
        assert_int_equal(public_names[i].parse("none such", &found), ZILCH_EARG);
        assert_int_equal(found, 0);
        assert_non_null(strstr(zilch_last_error(), public_names[i].what));
    }
}

/* ---- Memory ----------------------------------------------------------------- */

/* A hook that promises malloc's alignment and no more: blocks `offset` past a multiple of 64, with guards. */
enum { HEADER = 64, GUARD = 64, GUARD_BYTE = 0xA5 };

static struct {
    size_t offset, allocated, released;
    size_t fail_from; /* number of the first allocation that fails */
} hook;

static void *hook_alloc(size_t bytes)
{
    if (hook.allocated >= hook.fail_from) {
        return NULL;
    }
    hook.allocated++;
    const size_t whole = HEADER + hook.offset + bytes + GUARD;
    unsigned char *raw = aligned_alloc(64, (whole + 63) / 64 * 64);
    memcpy(raw, &bytes, sizeof bytes);
    memset(raw + HEADER + hook.offset + bytes, GUARD_BYTE, GUARD);
    return raw + HEADER + hook.offset;
}

static void hook_release(void *block)
{
    unsigned char *raw = (unsigned char *)block - hook.offset - HEADER;
    size_t bytes;
    memcpy(&bytes, raw, sizeof bytes);
    for (size_t i = 0; i < GUARD; i++) {
        assert_int_equal(((unsigned char *)block)[bytes + i], GUARD_BYTE);
    }
    hook.released++;
    free(raw);
}

static void use_hook(size_t offset, size_t fail_from)
{
    memset(&hook, 0, sizeof hook);
    hook.offset = offset;
    hook.fail_from = fail_from;
    zilch_set_allocator(hook_alloc, hook_release);
}

/* Room for every byte asked for, 64-aligned. */
static void check_blocks(void)
{
    static const size_t counts[] = {0, 1, 7, 8, 63, 64, 65, 1000, 100000};
    for (size_t i = 0; i < COUNT(counts); i++) {
        double *block;
        assert_int_equal(zi_alloc(&block, counts[i]), ZILCH_OK);
        assert_non_null(block);
        assert_int_equal((uintptr_t)block % ZI_ALIGNMENT, 0);
        memset(block, 0x5A, counts[i] * sizeof *block);
        zi_free(block);
    }
}

static void test_alignment(void **state)
{
    (void)state;
    assert_int_equal(ZI_ALIGNMENT, 64);
    check_blocks();
    for (size_t offset = 0; offset < 64; offset += 16) {
        use_hook(offset, SIZE_MAX);
        check_blocks();
        assert_int_equal(hook.allocated, 9);
        assert_int_equal(hook.released, 9);
    }
    zilch_set_allocator(NULL, NULL);
    zi_free(NULL);
}

/* What does not fit in memory fails before the allocator is asked. */
static void test_size_overflow(void **state)
{
    (void)state;
    static const struct {
        size_t count, size;
    } rows[] = {{SIZE_MAX / 4, 8},  {SIZE_MAX, 2},     {SIZE_MAX, 1},
                {SIZE_MAX - 63, 1}, {SIZE_MAX / 8, 8}, {SIZE_MAX / 8 + 2, 8}};
    use_hook(0, SIZE_MAX);
    for (size_t i = 0; i < COUNT(rows); i++) {
        void *block = &hook;
        assert_int_equal(zi_alloc_bytes(&block, rows[i].count, rows[i].size), ZILCH_ENOMEM);
        assert_null(block);
        assert_non_null(strstr(zilch_last_error(), "do not fit in memory"));
    }
    assert_int_equal(hook.allocated, 0);
    zilch_set_allocator(NULL, NULL);
}

static void test_multiply(void **state)
{
    (void)state;
    size_t product = 0;
    assert_true(zi_multiply(SIZE_MAX, 1, &product));
    assert_true(product == SIZE_MAX);
    assert_true(zi_multiply(0, SIZE_MAX, &product));
    assert_true(product == 0);
    assert_true(zi_multiply(1000, 1001, &product));
    assert_true(product == 1001000);
    assert_false(zi_multiply(SIZE_MAX / 2 + 1, 2, &product));
    assert_false(zi_multiply(SIZE_MAX, SIZE_MAX, &product));
}

/* NULL for either restores both. */
static void test_hook_restored(void **state)
{
    (void)state;
    for (int which = 0; which < 3; which++) {
        use_hook(0, 0);
        double *block;
        assert_int_equal(zi_alloc(&block, 10), ZILCH_ENOMEM);
        zilch_set_allocator(which == 1 ? hook_alloc : NULL, which == 2 ? hook_release : NULL);
        assert_int_equal(zi_alloc(&block, 10), ZILCH_OK);
        zi_free(block);
        assert_int_equal(hook.allocated + hook.released, 0);
    }
    zilch_set_allocator(NULL, NULL);
}

/* ---- Memory, of all that allocates -------------------------------------------- */

static zilch_status make_model(void)
{
    zilch_rng rng = zilch_rng_make(1, 1);
    zilch_model *model;
    const zilch_status status = zilch_model_random(&model, 3, &rng, 0.5, 0.2, 0.8);
    zilch_model_destroy(model);
    return status;
}

static zilch_status do_nothing(void *context, size_t index)
{
    (void)context;
    (void)index;
    return ZILCH_OK;
}

static zilch_status run_jobs(void)
{
    return zilch_parallel(2, 3, do_nothing, NULL);
}

static zilch_status write_letters(void *context, FILE *stream)
{
    (void)context;
    for (int i = 0; i < 100; i++) {
        fputc('a', stream);
    }
    return ZILCH_OK;
}

static zilch_status write_file(void)
{
    return zilch_file_replace(scratch.file, write_letters, NULL);
}

static zilch_status read_file_back(void)
{
    unsigned char *bytes;
    size_t length;
    const zilch_status status = zi_file_read(scratch.file, &bytes, &length);
    if (status == ZILCH_OK) {
        assert_int_equal(length, 100);
        for (size_t i = 0; i < length; i++) {
            assert_int_equal(bytes[i], 'a');
        }
    }
    zi_free(bytes);
    return status;
}

/* Each allocates through the hook, gives all back, and says so when it got nothing. */
static void test_hook_serves_all(void **state)
{
    (void)state;
    static zilch_status (*const parts[])(void) = {make_model, run_jobs, write_file, read_file_back};
    for (size_t i = 0; i < COUNT(parts); i++) {
        use_hook(16, SIZE_MAX);
        assert_int_equal(parts[i](), ZILCH_OK);
        const size_t needed = hook.allocated;
        assert_true(needed > 0);
        assert_int_equal(hook.released, needed);
        for (size_t fail_from = 0; fail_from < needed; fail_from++) {
            use_hook(16, fail_from);
            assert_int_equal(parts[i](), ZILCH_ENOMEM);
            assert_non_null(strstr(zilch_last_error(), "could not be allocated"));
            assert_int_equal(hook.released, hook.allocated);
        }
    }
    zilch_set_allocator(NULL, NULL);
    assert_int_equal(read_file_back(), ZILCH_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_status_texts),
        cmocka_unit_test(test_version),
        cmocka_unit_test(test_last_error),
        cmocka_unit_test(test_error_has_a_place),
        cmocka_unit_test(test_error_places_differ),
        cmocka_unit_test(test_long_error_keeps_its_ends),
        cmocka_unit_test(test_try_hands_on),
        cmocka_unit_test(test_error_is_of_thread),
        cmocka_unit_test(test_name_table),
        cmocka_unit_test(test_public_names),
        cmocka_unit_test(test_alignment),
        cmocka_unit_test(test_size_overflow),
        cmocka_unit_test(test_multiply),
        cmocka_unit_test(test_hook_restored),
        cmocka_unit_test_setup_teardown(test_hook_serves_all, make_folder, remove_folder),
    };
    return cmocka_run_group_tests_name("base", tests, NULL, NULL);
}
