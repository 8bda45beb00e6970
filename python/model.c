/* The distribution: fit, sample, look, keep. */
#include "core.h"

#include <string.h>

static PyObject *model_fit(PyObject *self, PyObject *args)
{
    PyObject *points;
    PyObject *weights;
    PyObject *dict;
    Py_ssize_t rows;
    Py_ssize_t cols;
    array x = {.data = NULL};
    array w = {.data = NULL};
    zilch_model *model = NULL;
    zilch_model_options options = zilch_model_defaults();
    (void)self;
    if (!PyArg_ParseTuple(args, "nnOOO", &rows, &cols, &points, &weights, &dict) ||
        !fields_take(model_fields, &options, dict, "fit") || !array_read(&x, points, "X", 'd', rows * cols)) {
        return NULL;
    }
    zilch_status status = ZILCH_OK;
    if (array_optional(&w, weights, "weight", 'd', rows)) {
        Py_BEGIN_ALLOW_THREADS status =
            zilch_model_fit(&model, (size_t)rows, (size_t)cols, x.data, w.data, &options);
        Py_END_ALLOW_THREADS
    }
    array_release(&x);
    array_release(&w);
    return model ? handle_wrap(HANDLE_MODEL, model) : PyErr_Occurred() ? NULL : raise_status(status);
}

static PyObject *model_sample(PyObject *self, PyObject *args)
{
    const zilch_model *model;
    unsigned long long seed;
    Py_ssize_t rows;
    PyObject *points;
    array x;
    zilch_status status;
    (void)self;
    if (!PyArg_ParseTuple(args, "O&KnO", handle_to_model, &model, &seed, &rows, &points) ||
        !array_write(&x, points, "x", 'd', rows * (Py_ssize_t)zilch_model_dim(model))) {
        return NULL;
    }
    zilch_rng rng = zilch_rng_make(seed, 0);
    Py_BEGIN_ALLOW_THREADS status = zilch_model_sample(model, &rng, (size_t)rows, x.data);
    Py_END_ALLOW_THREADS array_release(&x);
    return status == ZILCH_OK ? Py_NewRef(Py_None) : raise_status(status);
}

/* From parameters. A rank from 0 on: with loadings; -1: with correlations, or without if they are None. */
static PyObject *model_create(PyObject *self, PyObject *args)
{
    PyObject *object[4];
    array a[4] = {{.data = NULL}};
    Py_ssize_t dim;
    Py_ssize_t rank;
    zilch_model *model = NULL;
    zilch_status status = ZILCH_OK;
    (void)self;
    if (!PyArg_ParseTuple(args, "nnOOOO", &dim, &rank, &object[0], &object[1], &object[2], &object[3])) {
        return NULL;
    }
    const size_t n = (size_t)dim;
    if (array_read(&a[0], object[0], "p", 'd', dim) && array_read(&a[1], object[1], "mean", 'd', dim) &&
        array_read(&a[2], object[2], "std", 'd', dim) &&
        (rank < 0 ? array_optional(&a[3], object[3], "corr", 'd', 4 * dim * dim)
                  : array_read(&a[3], object[3], "loadings", 'd', rank * 2 * dim))) {
        status = rank < 0 ? zilch_model_create(&model, n, a[0].data, a[1].data, a[2].data, a[3].data)
                          : zilch_model_create_factors(&model, n, a[0].data, a[1].data, a[2].data,
                                                       (size_t)rank, a[3].data);
    }
    arrays_release(a, 4);
    return model ? handle_wrap(HANDLE_MODEL, model) : PyErr_Occurred() ? NULL : raise_status(status);
}

static PyObject *model_structure(PyObject *self, PyObject *args)
{
    const zilch_model *model;
    (void)self;
    return PyArg_ParseTuple(args, "O&", handle_to_model, &model)
               ? Py_BuildValue("sn", zilch_structure_name(zilch_model_structure(model)),
                               (Py_ssize_t)zilch_model_rank(model))
               : NULL;
}

static PyObject *model_dim(PyObject *self, PyObject *args)
{
    const zilch_model *model;
    (void)self;
    return PyArg_ParseTuple(args, "O&", handle_to_model, &model) ? PyLong_FromSize_t(zilch_model_dim(model))
                                                                 : NULL;
}

static const struct {
    const char *name;
    const double *(*get)(const zilch_model *model);
    int is_matrix;
} parts[] = {{"p", zilch_model_p, 0},
             {"mu", zilch_model_mu, 0},
             {"sigma", zilch_model_sigma, 0},
             {"tau", zilch_model_tau, 0},
             {"correlation", zilch_model_correlation, 1},
             {"observed", zilch_model_observed, 1},
             {"loadings", zilch_model_loadings, 0}};

/* Copies a part into an array; False if the model has none. */
static PyObject *model_read(PyObject *self, PyObject *args)
{
    const zilch_model *model;
    const char *name;
    PyObject *out;
    array a;
    size_t i = 0;
    (void)self;
    if (!PyArg_ParseTuple(args, "O&sO", handle_to_model, &model, &name, &out)) {
        return NULL;
    }
    while (i + 1 < sizeof parts / sizeof *parts && strcmp(parts[i].name, name) != 0) {
        i++;
    }
    const size_t dim = zilch_model_dim(model);
    const size_t rows = parts[i].is_matrix ? 2 * dim : zilch_model_rank(model);
    const size_t count = parts[i].get == zilch_model_loadings || parts[i].is_matrix ? rows * 2 * dim : dim;
    const double *values = parts[i].get(model);
    if (!values) {
        Py_RETURN_FALSE;
    }
    if (!array_write(&a, out, "out", 'd', (Py_ssize_t)count)) {
        return NULL;
    }
    memcpy(a.data, values, count * sizeof *values);
    array_release(&a);
    Py_RETURN_TRUE;
}

static PyObject *model_report(PyObject *self, PyObject *args)
{
    const zilch_model *model;
    zilch_fit_report report;
    (void)self;
    if (!PyArg_ParseTuple(args, "O&", handle_to_model, &model)) {
        return NULL;
    }
    const zilch_status status = zilch_model_report(model, &report);
    return status == ZILCH_OK ? fields_give(report_fields, &report) : raise_status(status);
}

/* A tuple of texts; None takes them away. */
static PyObject *model_set_names(PyObject *self, PyObject *args)
{
    zilch_model *model;
    PyObject *names;
    const char **name;
    (void)self;
    if (!PyArg_ParseTuple(args, "O&O", handle_to_model, &model, &names)) {
        return NULL;
    }
    if (!names_take(&name, names, zilch_model_dim(model))) {
        return NULL;
    }
    const zilch_status status = zilch_model_set_names(model, name);
    PyMem_Free((void *)name);
    return status == ZILCH_OK ? Py_NewRef(Py_None) : raise_status(status);
}

static PyObject *model_names(PyObject *self, PyObject *args)
{
    const zilch_model *model;
    (void)self;
    return PyArg_ParseTuple(args, "O&", handle_to_model, &model)
               ? names_give(zilch_model_names(model), zilch_model_dim(model))
               : NULL;
}

/* ---- Bytes and files ------------------------------------------------------------- */

KEEPING(model, HANDLE_MODEL)

PyMethodDef model_functions[] = {
    ROW(model_fit),  ROW(model_create), ROW(model_structure), ROW(model_sample),    ROW(model_dim),
    ROW(model_read), ROW(model_report), ROW(model_pack),      ROW(model_unpack),    ROW(model_save),
    ROW(model_load), ROW(model_names),  ROW(model_set_names), {NULL, NULL, 0, NULL}};
