/* Places and files in a text: what gives way to what, and what stands for itself. The pages are those below.
 */
#include "report/page_template.h"

#include "support.h"

const page_text page_texts[] = {
    {"plain", "a page"},
    {"places", "@ONE@, @TWO@@ONE@; @THREE@"},
    {"whole", "<@outer@>"},
    {"outer", "(@inner.css@)"},
    {"inner.css", "@media print { @ONE@ }"},
    {"stray", "@ @@ @ONE @inner.css ONE@ @media@"},
    {"ends", "@ONE@ @"},
    {"empty", ""},
    {NULL, NULL},
};

/* What is put looks like marks. */
static void put_one(FILE *stream, const void *context)
{
    fprintf(stream, "%s@TWO@", (const char *)context);
}

static void put_two(FILE *stream, const void *context)
{
    fprintf(stream, "%s@inner.css@", (const char *)context);
}

static const page_place places[] = {{"@ONE@", put_one}, {"@TWO@", put_two}, {NULL, NULL}};

static void put_part(FILE *stream, const void *context)
{
    page_template_put(stream, "inner.css", places, context);
}

static void expect(const char *file, const page_place *with, const char *text)
{
    char *written = NULL;
    size_t length = 0;
    FILE *stream = open_memstream(&written, &length);
    assert_non_null(stream);
    page_template_put(stream, file, with, "x");
    assert_int_equal(fclose(stream), 0);
    assert_string_equal(written, text);
    free(written);
}

static void test_places(void **state)
{
    (void)state;
    expect("plain", places, "a page");
    expect("empty", places, "");
    expect("places", places, "x@TWO@, x@inner.css@x@TWO@; @THREE@");
    expect("places", places + 2, "@ONE@, @TWO@@ONE@; @THREE@");
}

static void test_files(void **state)
{
    (void)state;
    expect("whole", places, "<(@media print { x@TWO@ })>");
    static const page_place part[] = {{"@ONE@", put_part}, {NULL, NULL}};
    expect("inner.css", part, "@media print { @media print { x@TWO@ } }");
}

/* A caller's place goes before a file. */
static void test_place_before_file(void **state)
{
    (void)state;
    static const page_place over[] = {{"@outer@", put_two}, {NULL, NULL}};
    expect("whole", over, "<x@inner.css@>");
}

static void test_stray(void **state)
{
    (void)state;
    expect("stray", places, "@ @@ @ONE @inner.css ONE@ @media@");
    expect("ends", places, "x@TWO@ @");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_places),
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_place_before_file),
        cmocka_unit_test(test_stray),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
