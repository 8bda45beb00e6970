/* The only file that knows Jansson. Its constructors give NULL without memory, its setters take NULL for a
 * failure; so documents are put together without a check at each step, and one at the end. */
#include "json/json.h"

#include "terminal/cli.h"
#include "terminal/text.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Jansson has no infinite number: those are null. */
json_t *node_real(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

/* Jansson's integers end at 2^63; a seed beyond is its digits. */
json_t *node_whole(uint64_t value)
{
    char digits[24];
    snprintf(digits, sizeof digits, "%llu", (unsigned long long)value);
    return value <= INT64_MAX ? json_integer((json_int_t)value) : json_string(digits);
}

json_t *node_truth(int value)
{
    return json_boolean(value);
}

/* null for NULL. JSON is UTF-8, a file's name need not be: then what is not ASCII becomes '?'. */
json_t *node_name(const char *path)
{
    if (!path) {
        return json_null();
    }
    json_t *name = json_string(path);
    char *plain = name ? NULL : strdup(path);
    if (plain) {
        for (char *c = plain; *c; c++) {
            if ((unsigned char)*c >= 0x80) {
                *c = '?';
            }
        }
        name = json_string(plain);
    }
    free(plain);
    return name;
}

/* Steals `value`; a failure is kept in *failed. */
void node_put(json_t *object, const char *name, json_t *value, int *failed)
{
    *failed |= json_object_set_new(object, name, value) != 0;
}

json_t *node_vector(const double *x, size_t count, int *failed)
{
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++) {
        *failed |= json_array_append_new(array, node_real(x[i])) != 0;
    }
    return array;
}

json_t *node_names(const char *const *names, size_t count, int *failed)
{
    json_t *array = names ? json_array() : json_null();
    for (size_t i = 0; i < count && names; i++) {
        *failed |= json_array_append_new(array, node_name(names[i])) != 0;
    }
    return array;
}

/* Jansson escapes what JSON must have escaped; the rest that would not be seen, and might be obeyed, is
 * escaped here. Other letters stay as they are, unlike with JSON_ENSURE_ASCII: names shall be read. */
static int dump_piece(const char *piece, size_t size, void *stream)
{
    size_t plain = 0;
    while (plain < size && (unsigned char)piece[plain] < 0x7f) {
        plain++;
    }
    if (plain == size) {
        return fwrite(piece, 1, size, stream) == size ? 0 : -1;
    }
    char *text = strndup(piece, size); /* of whole characters */
    if (text) {
        text_put_json(stream, text);
    }
    free(text);
    return text && !ferror(stream) ? 0 : -1;
}

int node_print(json_t *document, int failed)
{
    if (failed || !document) {
        json_decref(document);
        return cli_fail("out of memory");
    }
    const int written = json_dump_callback(document, dump_piece, stdout, JSON_REAL_PRECISION(17));
    json_decref(document);
    putchar('\n');
    return written != 0 && !ferror(stdout) ? cli_fail("out of memory")
                                           : 0; /* cli_finish() words the others */
}

int node_dump(FILE *stream, json_t *value, int failed)
{
    failed |= !value ||
              json_dump_callback(value, dump_piece, stream, JSON_REAL_PRECISION(17) | JSON_ENCODE_ANY) != 0;
    json_decref(value);
    return failed && !ferror(stream);
}

json_node *node_object(void)
{
    return json_object();
}

json_node *node_array(void)
{
    return json_array();
}

json_node *node_null(void)
{
    return json_null();
}

json_node *node_text(const char *text)
{
    return json_string(text);
}

void node_append(json_node *array, json_node *value, int *failed)
{
    *failed |= json_array_append_new(array, value) != 0;
}

void node_free(json_node *node)
{
    json_decref(node);
}
