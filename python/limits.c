/* Linear limits: from a text, and as arrays for the search. */
#include "core.h"

/* ---- From a text --------------------------------------------------------------------- */

/* (lower, upper, {coordinate: weight}) */
static PyObject *limit_row(const zilch_linear_limit *limit)
{
    PyObject *weights = PyDict_New();
    for (size_t i = 0; i < limit->count && weights; i++) {
        PyObject *key = PyLong_FromSize_t(limit->coordinate[i]);
        PyObject *value = PyFloat_FromDouble(limit->weight[i]);
        if (!key || !value || PyDict_SetItem(weights, key, value)) {
            Py_CLEAR(weights);
        }
        Py_XDECREF(key);
        Py_XDECREF(value);
    }
    return weights ? Py_BuildValue("(ddN)", limit->lower, limit->upper, weights) : NULL;
}

static PyObject *limits_parse(PyObject *self, PyObject *args)
{
    const char *text;
    Py_ssize_t dim;
    PyObject *names;
    zilch_linear_limit *limit = NULL;
    size_t count = 0;
    (void)self;
    if (!PyArg_ParseTuple(args, "snO", &text, &dim, &names)) {
        return NULL;
    }
    const char **name;
    if (!names_take(&name, names, (size_t)dim)) {
        return NULL;
    }
    const zilch_status status = zilch_linear_limits_parse(text, (size_t)dim, name, &limit, &count);
    PyMem_Free((void *)name);
    if (status != ZILCH_OK) {
        return raise_status(status);
    }
    PyObject *list = PyList_New(0);
    for (size_t i = 0; i < count && list; i++) {
        PyObject *row = limit_row(&limit[i]);
        if (!row || PyList_Append(list, row)) {
            Py_CLEAR(list);
        }
        Py_XDECREF(row);
    }
    zilch_linear_limits_free(limit, count);
    return list;
}

/* ---- For the search ------------------------------------------------------------------ */

int linear_limits_take(linear_limits *out, PyObject *object, Py_ssize_t dim)
{
    PyObject *matrix, *lower, *upper;
    *out = (linear_limits){{{.data = NULL}}, NULL, 0};
    if (object == Py_None) {
        return 1;
    }
    if (!PyArg_ParseTuple(object, "OOO", &matrix, &lower, &upper) ||
        !array_read(&out->array[0], lower, "limits", 'd', ANY_COUNT)) {
        return 0;
    }
    const Py_ssize_t rows = (Py_ssize_t)out->array[0].count;
    if (!array_read(&out->array[1], upper, "limits", 'd', rows) ||
        !array_read(&out->array[2], matrix, "limits", 'd', rows * dim)) {
        return 0;
    }
    out->row = PyMem_Calloc((size_t)rows + 1, sizeof *out->row);
    if (!out->row) {
        PyErr_NoMemory();
        return 0;
    }
    out->count = (size_t)rows;
    for (size_t i = 0; i < out->count; i++) {
        out->row[i] = (zilch_linear_limit){.count = (size_t)dim,
                                           .weight = (const double *)out->array[2].data + i * (size_t)dim,
                                           .lower = ((const double *)out->array[0].data)[i],
                                           .upper = ((const double *)out->array[1].data)[i]};
    }
    return 1;
}

void linear_limits_release(linear_limits *l)
{
    arrays_release(l->array, 3);
    PyMem_Free(l->row);
}

PyMethodDef limits_functions[] = {{"limits_parse", limits_parse, METH_VARARGS, NULL}, {NULL, NULL, 0, NULL}};
