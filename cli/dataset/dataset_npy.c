/* NumPy's .npy, versions 1.0 to 3.0: magic, version, header length, a header that is the text of a
 * Python dict, the elements. The header is trusted in nothing: memory grows with the bytes that
 * really come. Format: numpy/lib/format.py. */
#include "dataset/dataset_source.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { PREFIX = 8, HEADER_MOST = 1 << 20, CHUNK = 1 << 17, TILE = 32, DIMENSIONS_MOST = 2 };

typedef struct header {
    size_t shape[DIMENSIONS_MOST];
    size_t dimensions; /* as many as the file says, also beyond DIMENSIONS_MOST */
    size_t width;      /* bytes of an element: 4 or 8 */
    int fortran;       /* columns first */
    char shape_text[64], dtype[32];
} header;

static int damaged(const source *s)
{
    return source_fail(s, "is a damaged .npy file: its header cannot be read");
}

static int truncated_header(const source *s)
{
    return source_fail(s, "is a truncated .npy file: it ends within its header");
}

static inline uint64_t little_endian(const unsigned char *bytes, size_t count)
{
    uint64_t value = 0;
    for (size_t i = 0; i < count; i++) {
        value |= (uint64_t)bytes[i] << 8 * i;
    }
    return value;
}

/* The header's text as a new string, or NULL. */
static char *header_text(source *s)
{
    unsigned char prefix[PREFIX + 4] = {0};
    size_t taken;
    if (source_take(s, prefix, PREFIX, &taken)) {
        return NULL;
    }
    const unsigned version = prefix[6];
    if (taken == PREFIX && (version < 1 || version > 3)) {
        source_fail(s, "is .npy of version %u; 1 to 3 can be read", version);
        return NULL;
    }
    const size_t size = version == 1 ? 2 : 4;
    if (source_take(s, prefix + PREFIX, size, &taken) || (taken < size && truncated_header(s))) {
        return NULL;
    }
    const size_t length = (size_t)little_endian(prefix + PREFIX, 4); /* version 1: the upper half is 0 */
    if (length > HEADER_MOST && damaged(s)) {
        return NULL;
    }
    char *text = calloc(length + 1, 1);
    if (!text) {
        source_fail(s, "does not fit in memory");
    } else if (source_take(s, text, length, &taken) || (taken < length && truncated_header(s))) {
        free(text);
        return NULL;
    }
    return text;
}

/* What follows 'key': in the dict, or NULL. */
static const char *dict_value(const char *dict, const char *key)
{
    const char *at = strstr(dict, key);
    if (!at) {
        return NULL;
    }
    at += strlen(key);
    at += strspn(at, " ");
    return *at == ':' ? at + 1 + strspn(at + 1, " ") : NULL;
}

static int wrong_dtype(const source *s, const char *dtype)
{
    static const struct {
        char code;
        const char *name;
    } kinds[] = {{'f', "floats of another size"},
                 {'i', "integers"},
                 {'u', "unsigned integers"},
                 {'b', "booleans"},
                 {'c', "complex numbers"},
                 {'O', "Python objects"},
                 {'S', "bytes"},
                 {'U', "text"},
                 {'M', "dates"},
                 {'m', "time spans"},
                 {'V', "records"}};
    const char *kind = "elements";
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        kind = dtype[0] && dtype[1] == kinds[i].code ? kinds[i].name : kind;
    }
    kind = strcmp(dtype, ">f4") == 0 || strcmp(dtype, ">f8") == 0 ? "big-endian floats" : kind;
    return source_fail(s, "holds %s (dtype '%s'), not little-endian float32 or float64; save x.astype(float)",
                       kind, dtype);
}

static int parse_dtype(const source *s, const char *at, header *h)
{
    if (!at || (*at != '\'' && *at != '[')) {
        return damaged(s);
    }
    if (*at == '[') {
        return source_fail(s, "holds records (a structured dtype), not float64; save one array of them with "
                              "x.astype(float)");
    }
    const size_t length = strcspn(at + 1, "'");
    if (length == 0 || length >= sizeof h->dtype || !at[1 + length]) {
        return damaged(s);
    }
    memcpy(h->dtype, at + 1, length);
    for (size_t i = 0; i < length; i++) {
        if (h->dtype[i] < ' ' || h->dtype[i] > '~') {
            return damaged(s);
        }
    }
    if ((h->dtype[0] != '<' && h->dtype[0] != '=') || h->dtype[1] != 'f' ||
        (strcmp(h->dtype + 2, "4") != 0 && strcmp(h->dtype + 2, "8") != 0)) {
        return wrong_dtype(s, h->dtype);
    }
    h->width = h->dtype[2] == '4' ? 4 : 8;
    return 0;
}

/* One number of a shape, "12" or Python 2's "12L"; NULL if there is none or it is too large. */
static const char *parse_extent(const char *at, size_t *out)
{
    const char *first = at;
    *out = 0;
    for (; *at >= '0' && *at <= '9'; at++) {
        if (*out > (SIZE_MAX - 9) / 10) {
            return NULL;
        }
        *out = 10 * *out + (size_t)(*at - '0');
    }
    return at == first ? NULL : at + (*at == 'L');
}

static int parse_shape(const source *s, const char *at, header *h)
{
    if (!at || *at != '(') {
        return damaged(s);
    }
    const int length = (int)strcspn(at, ")") + 1;
    snprintf(h->shape_text, sizeof h->shape_text, "%.*s", length, at);
    at++;
    while (*(at += strspn(at, " ")) != ')') {
        size_t extent;
        at = parse_extent(at, &extent);
        if (!at || (*at != ',' && *at != ')')) {
            return damaged(s);
        }
        if (h->dimensions < DIMENSIONS_MOST) {
            h->shape[h->dimensions] = extent;
        }
        h->dimensions++;
        at += *at == ',';
    }
    return 0;
}

/* Rows and columns, both positive. A single dimension is a column where one column is enough. */
static int set_shape(const source *s, header *h, size_t least_cols, dataset *out)
{
    if (h->dimensions == 1 && least_cols <= 1) {
        h->shape[1] = 1;
    } else if (h->dimensions != 2) {
        return source_fail(s, "has the shape %s: %zu dimension%s, but rows and columns are needed",
                           h->shape_text, h->dimensions, h->dimensions == 1 ? "" : "s");
    }
    if (h->shape[0] == 0 || h->shape[1] == 0) {
        return source_fail(s, "has no %s: its shape is %s", h->shape[0] == 0 ? "rows" : "columns",
                           h->shape_text);
    }
    size_t bytes;
    if (__builtin_mul_overflow(h->shape[0], h->shape[1], &bytes) ||
        __builtin_mul_overflow(bytes, (size_t)8, &bytes)) {
        return source_fail(s, "claims the shape %s, which is more than memory can hold", h->shape_text);
    }
    out->rows = h->shape[0];
    out->cols = h->shape[1];
    return 0;
}

static void convert(const unsigned char *bytes, size_t count, size_t width, double *x)
{
    for (size_t i = 0; i < count && width == 8; i++) {
        const uint64_t word = little_endian(bytes + 8 * i, 8);
        memcpy(x + i, &word, 8);
    }
    for (size_t i = 0; i < count && width == 4; i++) {
        const uint32_t word = (uint32_t)little_endian(bytes + 4 * i, 4);
        float value;
        memcpy(&value, &word, 4);
        x[i] = (double)value;
    }
}

/* All elements in the file's order, through `chunk` (CHUNK elements). */
static int read_elements(source *s, const header *h, unsigned char *chunk, dataset *out)
{
    const size_t total = out->rows * out->cols;
    size_t capacity = 0;
    size_t taken;
    for (size_t done = 0; done < total;) {
        const size_t count = total - done < CHUNK ? total - done : CHUNK;
        void *memory = out->x;
        if (source_reserve(s, &memory, &capacity, done + count, sizeof *out->x)) {
            return 1;
        }
        out->x = memory;
        if (source_take(s, chunk, count * h->width, &taken)) {
            return 1;
        }
        if (taken < count * h->width) {
            return source_fail(s, "is a truncated .npy file: the shape %s needs %zu bytes, %zu are there",
                               h->shape_text, total * h->width, done * h->width + taken);
        }
        convert(chunk, count, h->width, out->x + done);
        done += count;
    }
    if (source_take(s, chunk, 1, &taken)) {
        return 1;
    }
    return taken ? source_fail(s, "has bytes behind its array of shape %s: one array a file", h->shape_text)
                 : 0;
}

/* cols x rows into rows x cols, tile by tile: both sides stay in the cache. */
static int transpose(const source *s, dataset *t)
{
    void *memory = NULL;
    size_t capacity = 0;
    if (source_reserve(s, &memory, &capacity, t->rows * t->cols, sizeof *t->x)) {
        return 1;
    }
    double *x = memory;
    for (size_t i0 = 0; i0 < t->rows; i0 += TILE) {
        const size_t i1 = t->rows - i0 < TILE ? t->rows : i0 + TILE;
        for (size_t j = 0; j < t->cols; j++) {
            for (size_t i = i0; i < i1; i++) {
                x[i * t->cols + j] = t->x[j * t->rows + i];
            }
        }
    }
    free(t->x);
    t->x = x;
    return 0;
}

static int check_finite(const source *s, const dataset *t)
{
    for (size_t k = 0; k < t->rows * t->cols; k++) {
        if (!isfinite(t->x[k])) {
            const char *what = isnan(t->x[k]) ? "NaN" : t->x[k] > 0 ? "Inf" : "-Inf";
            return source_fail(s, "row %zu, column %zu: %s is not allowed", k / t->cols + 1, k % t->cols + 1,
                               what);
        }
    }
    return 0;
}

int dataset_read_npy(source *s, size_t least_cols, dataset *out)
{
    header h = {0};
    char *dict = header_text(s);
    const char *order = dict ? dict_value(dict, "'fortran_order'") : NULL;
    h.fortran = order && strncmp(order, "True", 4) == 0;
    const int is_known = h.fortran || (order && strncmp(order, "False", 5) == 0);
    const int wrong = !dict || (!is_known && damaged(s)) || parse_shape(s, dict_value(dict, "'shape'"), &h) ||
                      parse_dtype(s, dict_value(dict, "'descr'"), &h) || set_shape(s, &h, least_cols, out);
    free(dict);
    unsigned char *chunk = wrong ? NULL : malloc((size_t)CHUNK * sizeof *out->x);
    if (!chunk) {
        return wrong ? 1 : source_fail(s, "does not fit in memory");
    }
    const int status =
        read_elements(s, &h, chunk, out) || (h.fortran && transpose(s, out)) || check_finite(s, out);
    free(chunk);
    return status;
}
