/* The search: create, ask, tell, look, keep. */
#include "core.h"

#include <math.h>
#include <string.h>

/* ---- Creating ------------------------------------------------------------------------ */

/* Lists of values: how many each coordinate has, and all of them one after the other. */
static int lists_make(zilch_values **out, const array *counts, const array *all)
{
    const uint64_t *count = counts->data;
    const double *value = all->data;
    size_t left = all->count;
    if (!count) {
        return 1;
    }
    zilch_values *list = PyMem_Malloc(counts->count * sizeof *list);
    if (!list) {
        PyErr_NoMemory();
        return 0;
    }
    *out = list;
    for (size_t i = 0; i < counts->count; i++) {
        if (count[i] > left) {
            PyErr_SetString(PyExc_ValueError, "values: fewer than counted");
            return 0;
        }
        list[i] = (zilch_values){(size_t)count[i], value};
        value += count[i];
        left -= (size_t)count[i];
    }
    return 1;
}

static PyObject *optimizer_create(PyObject *self, PyObject *args)
{
    Py_ssize_t dim;
    unsigned long long seed;
    PyObject *dict;
    PyObject *object[11];
    PyObject *rows;
    array a[11] = {{.data = NULL}};
    zilch_values *values = NULL;
    linear_limits linear = {.count = 0};
    zilch_optimizer *optimizer = NULL;
    zilch_optimizer_options options;
    zilch_status status = ZILCH_OK;
    (void)self;
    if (!PyArg_ParseTuple(args, "nKOOOOOOOOOOOOO", &dim, &seed, &dict, &object[0], &object[1], &object[2],
                          &object[3], &object[4], &object[5], &object[6], &object[7], &object[8], &object[9],
                          &object[10], &rows) ||
        !options_take_optimizer(&options, dict)) {
        return NULL;
    }
    if (array_optional(&a[0], object[0], "bounds", 'd', dim) &&
        array_optional(&a[1], object[1], "bounds", 'd', dim) &&
        array_optional(&a[2], object[2], "groups", 'Q', dim) &&
        array_optional(&a[3], object[3], "forced", 'I', dim) &&
        array_optional(&a[4], object[4], "x0", 'd', dim) &&
        array_optional(&a[5], object[5], "scale", 'd', dim) &&
        array_optional(&a[6], object[6], "penalties", 'd', dim) &&
        array_optional(&a[7], object[7], "step", 'd', dim) &&
        array_optional(&a[8], object[8], "values", 'Q', dim) &&
        array_optional(&a[10], object[10], "default", 'd', dim) &&
        array_optional(&a[9], object[9], "values", 'd', ANY_COUNT) && lists_make(&values, &a[8], &a[9]) &&
        linear_limits_take(&linear, rows, dim)) {
        options.lower = a[0].data;
        options.upper = a[1].data;
        options.group = a[2].data;
        options.forced = a[3].data;
        options.x0 = a[4].data;
        options.scale = a[5].data;
        options.penalties = a[6].data;
        options.step = a[7].data;
        options.values = values;
        options.defaults = a[10].data;
        options.linear_limits = linear.row;
        options.linear_limit_count = linear.count;
        status = zilch_optimizer_create(&optimizer, (size_t)dim, seed, &options);
    }
    arrays_release(a, 11);
    PyMem_Free(values);
    linear_limits_release(&linear);
    return optimizer          ? handle_wrap(HANDLE_OPTIMIZER, optimizer)
           : PyErr_Occurred() ? NULL
                              : raise_status(status);
}

/* ---- Repair ---------------------------------------------------------------------------- */

/* The caller has given up the interpreter's lock. An exception stays with the thread until that has it
 * again. The function is given bytes of its own, and changes them. */
static zilch_status call_repair(void *context, size_t dim, double *x)
{
    const size_t bytes = dim * sizeof *x;
    const PyGILState_STATE lock = PyGILState_Ensure();
    PyObject *point = PyByteArray_FromStringAndSize((const char *)x, (Py_ssize_t)bytes);
    PyObject *result = point ? PyObject_CallFunctionObjArgs(context, point, NULL) : NULL;
    const int is_whole = result && (size_t)PyByteArray_Size(point) == bytes;
    if (is_whole) {
        memcpy(x, PyByteArray_AsString(point), bytes);
    }
    Py_XDECREF(result);
    Py_XDECREF(point);
    PyGILState_Release(lock);
    return is_whole ? ZILCH_OK : ZILCH_EOBJECTIVE;
}

static PyObject *set_repair(PyObject *self, PyObject *args)
{
    handle *h;
    PyObject *function;
    (void)self;
    if (!PyArg_ParseTuple(args, "O&O", handle_to_optimizer_owned, &h, &function)) {
        return NULL;
    }
    const zilch_status status = zilch_optimizer_set_repair(h->object, call_repair, function);
    if (status != ZILCH_OK) {
        return raise_status(status);
    }
    Py_XDECREF(h->repair);
    h->repair = Py_NewRef(function);
    return Py_NewRef(Py_None);
}

/* ---- Ask and tell ---------------------------------------------------------------------- */

static PyObject *ask(PyObject *self, PyObject *args)
{
    handle *h;
    PyObject *ids;
    PyObject *points;
    array id = {.data = NULL};
    array x = {.data = NULL};
    zilch_status status = ZILCH_OK;
    (void)self;
    if (!PyArg_ParseTuple(args, "O&OO", handle_to_optimizer_owned, &h, &ids, &points) ||
        !array_write(&id, ids, "id", 'Q', ANY_COUNT)) {
        return NULL;
    }
    if (array_write(&x, points, "x", 'd', (Py_ssize_t)(id.count * zilch_optimizer_dim(h->object)))) {
        UNLOCKED(h, status, zilch_optimizer_ask(h->object, id.count, id.data, x.data));
    }
    array_release(&id);
    array_release(&x);
    return PyErr_Occurred() ? NULL : status == ZILCH_OK ? Py_NewRef(Py_None) : raise_status(status);
}

static PyObject *wanted(PyObject *self, PyObject *args)
{
    handle *h;
    size_t n = 0;
    zilch_status status = ZILCH_OK;
    (void)self;
    if (!PyArg_ParseTuple(args, "O&", handle_to_optimizer_owned, &h)) {
        return NULL;
    }
    UNLOCKED(h, status, zilch_optimizer_wanted(h->object, &n));
    return PyErr_Occurred() ? NULL : status == ZILCH_OK ? PyLong_FromSize_t(n) : raise_status(status);
}

static PyObject *tell(PyObject *self, PyObject *args)
{
    handle *h;
    PyObject *object[4];
    array a[4] = {{.data = NULL}};
    zilch_status status = ZILCH_OK;
    (void)self;
    if (!PyArg_ParseTuple(args, "O&OOOO", handle_to_optimizer_owned, &h, &object[0], &object[1], &object[2],
                          &object[3]) ||
        !array_read(&a[0], object[0], "id", 'Q', ANY_COUNT)) {
        return NULL;
    }
    const Py_ssize_t n = (Py_ssize_t)a[0].count;
    if (array_read(&a[1], object[1], "value", 'd', n) && array_optional(&a[2], object[2], "error", 'd', n) &&
        array_optional(&a[3], object[3], "violation", 'd', n)) {
        UNLOCKED(h, status,
                 zilch_optimizer_tell_violation(h->object, a[0].count, a[0].data, a[1].data, a[2].data,
                                                a[3].data));
    }
    arrays_release(a, 4);
    return PyErr_Occurred() ? NULL : status == ZILCH_OK ? Py_NewRef(Py_None) : raise_status(status);
}

static PyObject *tell_point(PyObject *self, PyObject *args)
{
    handle *h;
    PyObject *point;
    double value;
    double violation;
    array x;
    (void)self;
    if (!PyArg_ParseTuple(args, "O&Odd", handle_to_optimizer_owned, &h, &point, &value, &violation) ||
        !array_read(&x, point, "x", 'd', (Py_ssize_t)zilch_optimizer_dim(h->object))) {
        return NULL;
    }
    const zilch_status status = zilch_optimizer_tell_point_violation(h->object, x.data, value, violation);
    array_release(&x);
    return status == ZILCH_OK ? Py_NewRef(Py_None) : raise_status(status);
}

static PyObject *advance(PyObject *self, PyObject *args)
{
    handle *h;
    zilch_status status;
    (void)self;
    if (!PyArg_ParseTuple(args, "O&", handle_to_optimizer_owned, &h)) {
        return NULL;
    }
    UNLOCKED(h, status, zilch_optimizer_advance(h->object));
    return status == ZILCH_OK ? Py_NewRef(Py_None) : raise_status(status);
}

/* ---- Looking ------------------------------------------------------------------------------ */

/* dim doubles as bytes, or None where all are 0. */
static PyObject *optimizer_default(PyObject *self, PyObject *args)
{
    const zilch_optimizer *optimizer;
    (void)self;
    if (!PyArg_ParseTuple(args, "O&", handle_to_optimizer, &optimizer)) {
        return NULL;
    }
    const double *defaults = zilch_optimizer_settings(optimizer)->defaults;
    if (!defaults) {
        Py_RETURN_NONE;
    }
    return PyBytes_FromStringAndSize((const char *)defaults,
                                     (Py_ssize_t)(zilch_optimizer_dim(optimizer) * sizeof *defaults));
}

static PyObject *optimizer_settings(PyObject *self, PyObject *args)
{
    const zilch_optimizer *optimizer;
    (void)self;
    if (!PyArg_ParseTuple(args, "O&", handle_to_optimizer, &optimizer)) {
        return NULL;
    }
    return options_give(ZILCH_SETTING_OPTION, zilch_optimizer_settings(optimizer));
}

static PyObject *optimizer_identity(PyObject *self, PyObject *args)
{
    const zilch_optimizer *optimizer;
    (void)self;
    if (!PyArg_ParseTuple(args, "O&", handle_to_optimizer, &optimizer)) {
        return NULL;
    }
    return Py_BuildValue("(nK)", (Py_ssize_t)zilch_optimizer_dim(optimizer),
                         (unsigned long long)zilch_optimizer_seed(optimizer));
}

static PyObject *optimizer_progress(PyObject *self, PyObject *args)
{
    const zilch_optimizer *optimizer;
    (void)self;
    if (!PyArg_ParseTuple(args, "O&", handle_to_optimizer, &optimizer)) {
        return NULL;
    }
    const zilch_progress progress = zilch_optimizer_progress(optimizer);
    return fields_give(progress_fields, &progress);
}

static PyObject *archive_read(PyObject *self, PyObject *args)
{
    const zilch_optimizer *optimizer;
    unsigned long long point;
    PyObject *out;
    array x;
    zilch_record record;
    (void)self;
    if (!PyArg_ParseTuple(args, "O&KO", handle_to_optimizer, &optimizer, &point, &out) ||
        !array_write(&x, out, "x", 'd', (Py_ssize_t)zilch_optimizer_dim(optimizer))) {
        return NULL;
    }
    const zilch_status status = zilch_optimizer_point(optimizer, point, x.data, &record);
    array_release(&x);
    return status == ZILCH_OK ? fields_give(record_fields, &record) : raise_status(status);
}

typedef zilch_status (*lister)(const zilch_optimizer *optimizer, size_t capacity, zilch_record *out,
                               size_t *count);

static PyObject *give_records(const zilch_record *record, size_t count)
{
    PyObject *result = PyList_New((Py_ssize_t)count);
    for (size_t i = 0; result && i < count; i++) {
        PyObject *row = fields_give(record_fields, &record[i]);
        if (!row || PyList_SetItem(result, (Py_ssize_t)i, row)) {
            Py_CLEAR(result);
        }
    }
    return result;
}

/* The records of a list, at most `capacity`. */
static PyObject *list_records(lister list, const zilch_optimizer *optimizer, size_t capacity)
{
    size_t count = 0;
    zilch_record *record = PyMem_Malloc(capacity * sizeof *record);
    if (!record) {
        return PyErr_NoMemory();
    }
    const zilch_status status = list(optimizer, capacity, record, &count);
    PyObject *result = status == ZILCH_OK ? give_records(record, count) : raise_status(status);
    PyMem_Free(record);
    return result;
}

static PyObject *top(PyObject *self, PyObject *args)
{
    const zilch_optimizer *optimizer;
    Py_ssize_t n;
    (void)self;
    if (!PyArg_ParseTuple(args, "O&n", handle_to_optimizer, &optimizer, &n)) {
        return NULL;
    }
    const uint64_t most = zilch_optimizer_progress(optimizer).evaluations; /* points are not more */
    return list_records(zilch_optimizer_top, optimizer,
                        n < 1                ? 1
                        : (uint64_t)n < most ? (size_t)n
                                             : (size_t)most + 1);
}

static PyObject *front(PyObject *self, PyObject *args)
{
    const zilch_optimizer *optimizer;
    (void)self;
    if (!PyArg_ParseTuple(args, "O&", handle_to_optimizer, &optimizer)) {
        return NULL;
    }
    return list_records(zilch_optimizer_front, optimizer, zilch_optimizer_dim(optimizer) + 1);
}

/* The records, and the place of the recommended point among them, or None. */
static PyObject *front_with(PyObject *self, PyObject *args)
{
    const zilch_optimizer *optimizer;
    PyObject *dict;
    zilch_recommendation recommendation = {.pruned = 0};
    size_t count = 0;
    size_t place = SIZE_MAX;
    (void)self;
    if (!PyArg_ParseTuple(args, "O&O", handle_to_optimizer, &optimizer, &dict) ||
        !fields_take(recommendation_fields, &recommendation, dict, "recommendation")) {
        return NULL;
    }
    const size_t capacity = zilch_optimizer_dim(optimizer) + 2;
    zilch_record *record = PyMem_Malloc(capacity * sizeof *record);
    if (!record) {
        return PyErr_NoMemory();
    }
    const zilch_status status =
        zilch_optimizer_front_with(optimizer, &recommendation, capacity, record, &count, &place);
    PyObject *records = status == ZILCH_OK ? give_records(record, count) : raise_status(status);
    PyMem_Free(record);
    return place == SIZE_MAX ? Py_BuildValue("(NO)", records, Py_None)
                             : Py_BuildValue("(Nn)", records, (Py_ssize_t)place);
}

static PyObject *optimizer_model(PyObject *self, PyObject *args)
{
    const zilch_optimizer *optimizer;
    zilch_model *model;
    (void)self;
    if (!PyArg_ParseTuple(args, "O&", handle_to_optimizer, &optimizer)) {
        return NULL;
    }
    const zilch_status status = zilch_optimizer_model(optimizer, &model);
    return status == ZILCH_OK ? handle_wrap(HANDLE_MODEL, model) : raise_status(status);
}

/* ---- Bytes and files ------------------------------------------------------------- */

KEEPING(optimizer, HANDLE_OPTIMIZER)

PyMethodDef optimizer_functions[] = {ROW(optimizer_create),
                                     ROW(set_repair),
                                     ROW(wanted),
                                     ROW(ask),
                                     ROW(tell),
                                     ROW(tell_point),
                                     ROW(advance),
                                     ROW(optimizer_settings),
                                     ROW(optimizer_default),
                                     ROW(optimizer_identity),
                                     ROW(optimizer_progress),
                                     ROW(archive_read),
                                     ROW(top),
                                     ROW(front),
                                     ROW(front_with),
                                     ROW(optimizer_model),
                                     ROW(optimizer_pack),
                                     ROW(optimizer_unpack),
                                     ROW(optimizer_save),
                                     ROW(optimizer_load),
                                     {NULL, NULL, 0, NULL}};
