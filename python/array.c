/* Arguments with the buffer protocol, NumPy's arrays above all. */
#include "core.h"

#include <string.h>

static const struct {
    char type;
    const char *formats; /* that mean it here, in the letters of the struct module */
    Py_ssize_t size;
    const char *noun;
} types[] = {
    {'d', "d", 8, "float64"}, {'f', "f", 4, "float32"}, {'Q', "QLN", 8, "uint64"},
    {'q', "qln", 8, "int64"}, {'I', "IL", 4, "uint32"}, {'?', "?B", 1, "bool"},
};

static size_t find_type(char type)
{
    size_t i = 0;
    while (types[i].type != type) {
        i++;
    }
    return i;
}

/* Native order, one letter. */
static int is_of_type(const Py_buffer *view, size_t type)
{
    const char *format = view->format ? view->format : "B";
    format += *format == '@' || *format == '=';
    return format[0] && !format[1] && strchr(types[type].formats, format[0]) &&
           view->itemsize == types[type].size;
}

static int is_rightly_made(const array *a, const char *name, size_t type, Py_ssize_t count)
{
    if (!is_of_type(&a->view, type)) {
        PyErr_Format(PyExc_TypeError, "%s: must be an array of %s, not of '%s'", name, types[type].noun,
                     a->view.format ? a->view.format : "B");
        return 0;
    }
    if (count != ANY_COUNT && a->count != (size_t)count) {
        PyErr_Format(PyExc_ValueError, "%s: must have %zd values, not %zu", name, count, a->count);
        return 0;
    }
    return 1;
}

static int open_view(array *a, PyObject *object, const char *name, int is_written)
{
    const int flags = PyBUF_C_CONTIGUOUS | PyBUF_FORMAT | (is_written ? PyBUF_WRITABLE : 0);
    if (!PyObject_CheckBuffer(object)) {
        PyErr_Format(PyExc_TypeError, "%s: must be an array", name);
        return 0;
    }
    if (PyObject_GetBuffer(object, &a->view, flags) == 0) {
        return 1;
    }
    PyErr_Clear();
    PyErr_Format(PyExc_ValueError, "%s: must be a %sC-contiguous array", name,
                 is_written ? "writable, " : "");
    return 0;
}

static int open_array(array *a, PyObject *object, const char *name, char type, Py_ssize_t count,
                      int is_written)
{
    const size_t t = find_type(type);
    *a = (array){.data = NULL};
    if (!open_view(a, object, name, is_written)) {
        return 0;
    }
    a->data = a->view.buf;
    a->count = (size_t)(a->view.len / types[t].size);
    if (is_rightly_made(a, name, t, count)) {
        return 1;
    }
    array_release(a);
    return 0;
}

int array_read(array *a, PyObject *object, const char *name, char type, Py_ssize_t count)
{
    return open_array(a, object, name, type, count, 0);
}

int array_write(array *a, PyObject *object, const char *name, char type, Py_ssize_t count)
{
    return open_array(a, object, name, type, count, 1);
}

int array_optional(array *a, PyObject *object, const char *name, char type, Py_ssize_t count)
{
    *a = (array){.data = NULL};
    return object == Py_None || array_read(a, object, name, type, count);
}

void array_release(array *a)
{
    if (a->view.obj) {
        PyBuffer_Release(&a->view);
    }
    *a = (array){.data = NULL};
}

void arrays_release(array *a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        array_release(&a[i]);
    }
}
