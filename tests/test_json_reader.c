/* The reader of JSON, against Jansson: on texts that are right, on each of them with every byte changed, left
 * out or doubled, and with every end cut off. */
#include "parallel/json_reader.h"
#include "support.h"

#include <jansson.h>
#include <locale.h>

enum { LINE_MOST = 512 };

static const char *const names[] = {"id", "value", "error", "sigma"};

static const char *const lines[] = {
    "{}",
    " { } ",
    "{\"id\":7,\"value\":3.25}",
    " {\t\"sigma\" : 0 ,\r\n \"value\" : -3 , \"id\" : 7, \"more\": [1, [], {\"a\": [true, false, null]}] } ",
    "{\"value\":1e-3,\"sigma\":2E+5,\"error\":null,\"id\":-0}",
    "{\"value\":-0.0,\"sigma\":123456789012345678,\"id\":9223372036854775807}",
    "{\"value\":0.1234567890123456789012345678901234567890,\"id\":-9223372036854775808}",
    "{\"value\":9223372036854775808}",
    "{\"value\":1e308,\"sigma\":1e309}",
    "{\"value\":4.9e-324,\"sigma\":1e-400}",
    "{\"value\":01}",
    "{\"value\":+1}",
    "{\"value\":.5,\"sigma\":5.}",
    "{\"value\":NaN}",
    "{\"value\":0x10}",
    "{\"error\":\"a \\\"word\\\" \\\\ \\/ \\b\\f\\n\\r\\t and \\u00e9 \\u20AC \\uD83D\\uDE00\"}",
    "{\"error\":\"\303\251 \342\202\254 \360\237\230\200 \355\237\277 \356\200\200 \364\217\277\277\"}",
    "{\"error\":\"\\u0000\"}",
    "{\"error\":\"\\uD83D\"}",
    "{\"error\":\"\\uDE00\\uD83D\"}",
    "{\"error\":\"\300\200 \355\240\200 \364\220\200\200 \370\210\200\200\200\"}",
    "{\"\\u0069d\":7,\"v\\u0061lue\":1,\"a name that is longer than any that is looked for\":2}",
    "[7,3.25]",
    "3.25",
    "\"text\"",
    "",
    "{\"id\":7}}",
    "{\"id\":7,}",
    "{,}",
    "{\"id\"}",
    "{id:7}",
};

static int is_same_value(const zi_json_member *found, const json_t *expected)
{
    char text[LINE_MOST];
    switch (found->kind) {
    case ZI_JSON_ABSENT:
        return !expected;
    case ZI_JSON_NULL:
        return json_is_null(expected);
    case ZI_JSON_INTEGER:
        return json_is_integer(expected) && zi_json_integer(found) == json_integer_value(expected) &&
               zi_json_number(found) == json_number_value(expected);
    case ZI_JSON_REAL:
        return json_is_real(expected) && zi_json_number(found) == json_real_value(expected);
    case ZI_JSON_STRING:
        zi_json_string(found, text, sizeof text);
        return json_is_string(expected) && strcmp(text, json_string_value(expected)) == 0;
    default:
        return json_is_boolean(expected) || json_is_array(expected) || json_is_object(expected);
    }
}

/* Whether one of the names is there twice, which Jansson does not say of these alone. */
static int is_twice(const char *line)
{
    json_t *strict = json_loads(line, JSON_REJECT_DUPLICATES, NULL);
    json_t *loose = json_loads(line, 0, NULL);
    const int answer = !strict && loose;
    json_decref(strict);
    json_decref(loose);
    return answer;
}

static size_t checked, right;

static void check(const char *line)
{
    zi_json_member member[COUNT(names)];
    for (size_t i = 0; i < COUNT(names); i++) {
        member[i].name = names[i];
    }
    zi_json_fault fault = {NULL, NULL};
    const int is_read = zi_json_read(line, COUNT(names), member, &fault);
    json_t *expected = json_loads(line, 0, NULL);
    checked++;
    if (!is_read && !(fault.at >= line && fault.at <= line + strlen(line) && fault.why)) {
        fail_msg("%s: the fault is not in it", line);
    }
    if (is_read != json_is_object(expected) && !(is_twice(line) && !is_read)) {
        fail_msg("%s: %s", line, is_read ? "read, but no JSON" : "JSON, but not read");
    }
    for (size_t i = 0; is_read && i < COUNT(names); i++) {
        if (!is_same_value(&member[i], json_object_get(expected, names[i]))) {
            fail_msg("%s: %s is another", line, names[i]);
        }
    }
    right += (size_t)is_read;
    json_decref(expected);
}

static void reads_as_another_does(void **state)
{
    (void)state;
    static const char other[] = "\"\\{}[],:0123456789.eE+-utfnb aZ\t\x01\x7f\x80\xc3\xa9\xed\xff";
    char text[LINE_MOST];
    assert_non_null(setlocale(LC_ALL, "C"));
    for (size_t k = 0; k < COUNT(lines); k++) {
        const size_t length = strlen(lines[k]);
        check(lines[k]);
        for (size_t i = 0; i < length; i++) {
            snprintf(text, sizeof text, "%.*s", (int)i, lines[k]); /* cut off */
            check(text);
            snprintf(text, sizeof text, "%.*s%s", (int)i, lines[k], lines[k] + i + 1); /* left out */
            check(text);
            snprintf(text, sizeof text, "%.*s%s", (int)i + 1, lines[k], lines[k] + i); /* doubled */
            check(text);
            for (size_t j = 0; j + 1 < sizeof other; j++) {
                snprintf(text, sizeof text, "%s", lines[k]);
                text[i] = other[j];
                check(text);
            }
        }
    }
    print_message("    %zu texts, %zu of them objects\n", checked, right);
    assert_true(right > 1000 && checked > 30000);
}

static void none_comes_twice(void **state)
{
    (void)state;
    zi_json_fault fault;
    zi_json_member member[] = {{.name = "id"}, {.name = "value"}};
    assert_false(zi_json_read("{\"id\":7,\"value\":1,\"id\":7}", COUNT(member), member, &fault));
    assert_false(zi_json_read("{\"id\":7,\"value\":1,\"\\u0069d\":7}", COUNT(member), member, &fault));
    assert_true(zi_json_read("{\"id\":7,\"value\":1,\"more\":{\"id\":8}}", COUNT(member), member, &fault));
    assert_int_equal(zi_json_integer(&member[0]), 7);
}

/* What is nested without end is refused before the stack ends. */
static void depth_is_bounded(void **state)
{
    (void)state;
    zi_json_fault fault;
    enum { DEEP = 200000 };
    static char text[2 * DEEP + 20];
    zi_json_member member[] = {{.name = "id"}};
    for (size_t depth = 1000; depth <= DEEP; depth *= 200) {
        strcpy(text, "{\"id\":");
        memset(text + 6, '[', depth);
        memset(text + 6 + depth, ']', depth);
        strcpy(text + 6 + 2 * depth, "}");
        assert_int_equal(zi_json_read(text, COUNT(member), member, &fault), depth == 1000);
    }
}

/* As much as there is room for, and no half of a character. */
static void strings_are_cut(void **state)
{
    (void)state;
    zi_json_fault fault;
    zi_json_member member[] = {{.name = "error"}};
    char out[8];
    assert_true(zi_json_read("{\"error\":\"ab\\u20ac\\u20ac!\"}", COUNT(member), member, &fault));
    zi_json_string(member, out, sizeof out);
    assert_string_equal(out, "ab\342\202\254");
    zi_json_string(member, out, 1);
    assert_string_equal(out, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_as_another_does),
        cmocka_unit_test(none_comes_twice),
        cmocka_unit_test(depth_is_bounded),
        cmocka_unit_test(strings_are_cut),
    };
    return cmocka_run_group_tests_name("json", tests, NULL, NULL);
}
