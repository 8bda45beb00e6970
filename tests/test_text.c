/* Texts of others, as they are shown. */
#include "support.h"
#include "terminal/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void (*putter)(FILE *stream, const char *text);

/* It writes exactly this. */
static void expect(putter put, const char *text, const char *wanted)
{
    char *written = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&written, &size);
    assert_non_null(stream);
    put(stream, text);
    assert_int_equal(fclose(stream), 0);
    assert_string_equal(written, wanted);
    free(written);
}

static void ordinary_letters_stay(void **state)
{
    (void)state;
    static const char *const texts[] = {"",
                                        "sphere:dim=5",
                                        "C:\\data\\x1b.csv",
                                        "\xc3\xa9\xd0\x96\xe6\x97\xa5\xf0\x9f\x98\x80",
                                        "e\xcc\x81",
                                        "\xe2\x9d\xa4\xef\xb8\x8f" /* with a variation selector */};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        expect(text_put, texts[i], texts[i]);
    }
}

static void hidden_characters_are_shown(void **state)
{
    (void)state;
    expect(text_put, "a\x1b[31m\n\t\r\x01\x7f", "a\\x1b[31m\\n\\t\\r\\x01\\x7f");
    expect(text_put, "\xc2\x80\xc2\x9b\xc2\xa0\xc2\xad", "\\u0080\\u009b\xc2\xa0\\u00ad");
    expect(text_put, "\xe2\x80\xae\xe2\x80\xa8\xef\xbb\xbf\xee\x80\x80", "\\u202e\\u2028\\ufeff\\ue000");
    expect(text_put, "\xf3\xa0\x81\x81\xf0\x9f\xbf\xbf\xf4\x8f\xbf\xbf", "\\U000e0041\\U0001ffff\\U0010ffff");
    expect(text_put, "\xff\xc3(\xed\xa0\x80\xc3", "\\xff\\xc3(\\xed\\xa0\\x80\\xc3");
}

/* Longer than what is written at once, an escape at each place. */
static void long_texts_are_whole(void **state)
{
    (void)state;
    enum { LETTERS = 3000 };
    static char text[LETTERS + 1];
    static char wanted[4 * LETTERS + 1];
    size_t used = 0;
    for (size_t i = 0; i < LETTERS; i++) {
        text[i] = (char)(i % 3 ? 'a' : 27);
        used += (size_t)sprintf(wanted + used, i % 3 ? "a" : "\\x1b");
    }
    expect(text_put, text, wanted);
    assert_int_equal(text_width(text), strlen(wanted));
}

static void put_5(FILE *stream, const char *text)
{
    text_put_within(stream, text, 5);
}

static void put_right(FILE *stream, const char *text)
{
    text_put_aligned(stream, text, 5);
}

static void put_left(FILE *stream, const char *text)
{
    text_put_aligned(stream, text, -5);
}

static void letters_are_counted_as_shown(void **state)
{
    (void)state;
    assert_int_equal(text_width("\xc3\xa9\x1b\\"), 6);
    expect(put_5, "abcdefg", "abcde");
    expect(put_5, "\xc3\xa9\xc3\xa9\x1b", "\xc3\xa9\xc3\xa9");
    expect(put_right, "\xc3\xa9\n", "  \xc3\xa9\\n");
    expect(put_left, "\xc3\xa9\n", "\xc3\xa9\\n  ");
    expect(put_left, "abcdefg", "abcdefg");
}

static void put_field(FILE *stream, const char *text)
{
    text_put_field(stream, text, 0);
}

static void put_quoted(FILE *stream, const char *text)
{
    text_put_field(stream, text, 1);
}

static void other_programs_read_text(void **state)
{
    (void)state;
    expect(text_put_escaped, "<b>&\"'\x1b", "&lt;b&gt;&amp;&quot;&#39;\\x1b");
    expect(text_put_latex, "\\{}$&#^_~%\n",
           "\\textbackslash{}\\{\\}\\$\\&\\#\\^{}\\_\\~{}\\%\\textbackslash{}n");
    expect(put_field, "a b", "a b");
    expect(put_field, "a,\"b\"\r\n", "\"a,\"\"b\"\"\\r\\n\"");
    expect(put_field, "=1", "'=1");
    expect(put_field, "-1;", "\"'-1;\"");
    expect(put_quoted, "+1", "\"'+1\"");
    expect(put_quoted, "\t@", "\"\\t@\"");
    expect(put_field, "", "");
    assert_int_equal(text_guard("'=1"), 1);
    assert_int_equal(text_guard("'a"), 0);
    assert_int_equal(text_guard("'"), 0);
    assert_int_equal(text_guard("=1"), 0);
}

static void words_are_taken_back(void **state)
{
    (void)state;
    expect(text_put_word, "a/b.csv", "a/b.csv");
    expect(text_put_word, "", "''");
    expect(text_put_word, "it's $x\\", "'it'\\''s $x\\'");
    expect(text_put_word,
           "it's\\\n\x1b"
           "1\xe2\x80\xae\xff\xc3\xa9",
           "$'it\\'s\\\\\\012\\0331\\342\\200\\256\\377\xc3\xa9'");
}

static void json_stays_json(void **state)
{
    (void)state;
    expect(text_put_json, "{\"\xc3\xa9\\n\": \"\x7f\xc2\x9b\xe2\x80\xae\xf3\xa0\x81\x81\"}",
           "{\"\xc3\xa9\\n\": \"\\u007f\\u009b\\u202e\\udb40\\udc41\"}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ordinary_letters_stay),    cmocka_unit_test(hidden_characters_are_shown),
        cmocka_unit_test(long_texts_are_whole),     cmocka_unit_test(letters_are_counted_as_shown),
        cmocka_unit_test(other_programs_read_text), cmocka_unit_test(words_are_taken_back),
        cmocka_unit_test(json_stays_json),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
