/* Studies: runs kept in one file. */
#include "core.h"

#include <math.h>

static PyObject *study_open(PyObject *self, PyObject *args)
{
    PyObject *path;
    int mode;
    zilch_study *study;
    (void)self;
    if (!PyArg_ParseTuple(args, "O&i", PyUnicode_FSConverter, &path, &mode)) {
        return NULL;
    }
    const zilch_status status = zilch_study_open(&study, PyBytes_AsString(path), (zilch_study_mode)mode);
    Py_DECREF(path);
    return status == ZILCH_OK ? handle_wrap(HANDLE_STUDY, study) : raise_status(status);
}

/* Once closed, every use is an error, and the file is free. */
static PyObject *study_close(PyObject *self, PyObject *args)
{
    handle *h;
    (void)self;
    if (!PyArg_ParseTuple(args, "O&", handle_to_study_owned, &h)) {
        return NULL;
    }
    zilch_study_close(h->object);
    h->object = NULL;
    Py_RETURN_NONE;
}

/* ---- Writing ---------------------------------------------------------------------------- */

static PyObject *study_start(PyObject *self, PyObject *args)
{
    handle *h;
    handle *optimizer;
    PyObject *dict;
    uint64_t run;
    zilch_run_texts texts = {.name = NULL};
    zilch_status status;
    (void)self;
    if (!PyArg_ParseTuple(args, "O&OO&", handle_to_study_owned, &h, &dict, handle_to_optimizer_held,
                          &optimizer) ||
        !fields_take(texts_fields, &texts, dict, "study")) {
        return NULL;
    }
    optimizer->is_busy = 1;
    UNLOCKED(h, status, zilch_study_start(h->object, &texts, optimizer->object, &run));
    optimizer->is_busy = 0;
    return status == ZILCH_OK ? PyLong_FromUnsignedLongLong(run) : raise_status(status);
}

static PyObject *study_record(PyObject *self, PyObject *args)
{
    handle *h;
    handle *optimizer;
    unsigned long long run;
    zilch_timings timings;
    zilch_status status;
    (void)self;
    if (!PyArg_ParseTuple(args, "O&KO&dd", handle_to_study_owned, &h, &run, handle_to_optimizer_held,
                          &optimizer, &timings.evaluating, &timings.searching)) {
        return NULL;
    }
    optimizer->is_busy = 1;
    UNLOCKED(h, status, zilch_study_record(h->object, run, optimizer->object, &timings));
    optimizer->is_busy = 0;
    return status == ZILCH_OK ? Py_NewRef(Py_None) : raise_status(status);
}

static PyObject *study_resume(PyObject *self, PyObject *args)
{
    handle *h;
    unsigned long long run;
    zilch_optimizer *optimizer;
    zilch_status status;
    (void)self;
    if (!PyArg_ParseTuple(args, "O&K", handle_to_study_owned, &h, &run)) {
        return NULL;
    }
    UNLOCKED(h, status, zilch_study_resume(h->object, run, &optimizer));
    return status == ZILCH_OK ? handle_wrap(HANDLE_OPTIMIZER, optimizer) : raise_status(status);
}

static PyObject *study_conclude(PyObject *self, PyObject *args)
{
    handle *h;
    unsigned long long run;
    PyObject *dict;
    PyObject *point;
    array x = {.data = NULL};
    zilch_conclusion conclusion = {.held_out_mean = NAN, .held_out_error = NAN};
    zilch_status status;
    (void)self;
    if (!PyArg_ParseTuple(args, "O&KOO", handle_to_study_owned, &h, &run, &dict, &point) ||
        !fields_take(conclusion_fields, &conclusion, dict, "conclusion") ||
        !array_optional(&x, point, "x", 'd', ANY_COUNT)) {
        return NULL;
    }
    UNLOCKED(h, status, zilch_study_conclude(h->object, run, &conclusion, x.data));
    array_release(&x);
    return status == ZILCH_OK ? Py_NewRef(Py_None) : raise_status(status);
}

/* ---- Reading ------------------------------------------------------------------------------ */

/* Rows come while the study is read, with the interpreter's lock held: a dict for each, in a list. */
static zilch_status append(PyObject *list, PyObject *row)
{
    const int failed = !row || PyList_Append(list, row);
    Py_XDECREF(row);
    return failed ? ZILCH_EOBJECTIVE : ZILCH_OK;
}

static zilch_status take_run(void *context, const zilch_run *run)
{
    return append(context, fields_give(run_fields, run));
}

static zilch_status take_generation(void *context, const zilch_generation *generation)
{
    return append(context, fields_give(generation_fields, generation));
}

/* Coordinates have the length of their run's. */
typedef struct points {
    PyObject *list;
    uint64_t run;
    size_t dim;
} points;

static zilch_status take_dim(void *context, const zilch_run *run)
{
    points *p = context;
    p->dim = run->run == p->run ? run->dim : p->dim;
    return ZILCH_OK;
}

/* The dict and the coordinates as bytes, or None. */
static PyObject *with_point(PyObject *dict, const double *x, size_t dim)
{
    PyObject *bytes =
        x ? PyBytes_FromStringAndSize((const char *)x, (Py_ssize_t)(dim * sizeof *x)) : Py_NewRef(Py_None);
    if (!dict || !bytes || PyDict_SetItemString(dict, "x", bytes)) {
        Py_CLEAR(dict);
    }
    Py_XDECREF(bytes);
    return dict;
}

static zilch_status take_evaluation(void *context, const zilch_evaluation *evaluation)
{
    const points *p = context;
    return append(p->list, with_point(fields_give(evaluation_fields, evaluation), evaluation->x, p->dim));
}

static zilch_status take_conclusion(void *context, uint64_t generation, const zilch_conclusion *conclusion,
                                    const double *x)
{
    const points *p = context;
    PyObject *dict = fields_give(conclusion_fields, conclusion);
    PyObject *number = PyLong_FromUnsignedLongLong(generation);
    if (!dict || !number || PyDict_SetItemString(dict, "generation", number)) {
        Py_CLEAR(dict);
    }
    Py_XDECREF(number);
    return append(p->list, dict ? with_point(dict, x, p->dim) : NULL);
}

/* Making a row may run anything that is collected as garbage: the study is busy until it is read. */
static PyObject *finish(handle *h, zilch_status status, PyObject *list)
{
    h->is_busy = 0;
    if (status != ZILCH_OK) {
        Py_DECREF(list);
        return PyErr_Occurred() ? NULL : raise_status(status);
    }
    return list;
}

static PyObject *study_runs(PyObject *self, PyObject *args)
{
    handle *h;
    (void)self;
    PyObject *list = PyArg_ParseTuple(args, "O&", handle_to_study_owned, &h) ? PyList_New(0) : NULL;
    if (!list) {
        return NULL;
    }
    h->is_busy = 1;
    return finish(h, zilch_study_runs(h->object, take_run, list), list);
}

static PyObject *study_generations(PyObject *self, PyObject *args)
{
    handle *h;
    unsigned long long run;
    (void)self;
    PyObject *list = PyArg_ParseTuple(args, "O&K", handle_to_study_owned, &h, &run) ? PyList_New(0) : NULL;
    if (!list) {
        return NULL;
    }
    h->is_busy = 1;
    return finish(h, zilch_study_generations(h->object, run, take_generation, list), list);
}

/* Rows with points in them, read by one of the two below. */
static PyObject *read_points(PyObject *args, zilch_status (*read)(zilch_study *study, points *p))
{
    handle *h;
    unsigned long long run;
    PyObject *list = PyArg_ParseTuple(args, "O&K", handle_to_study_owned, &h, &run) ? PyList_New(0) : NULL;
    if (!list) {
        return NULL;
    }
    points p = {list, run, 0};
    h->is_busy = 1;
    const zilch_status status = zilch_study_runs(h->object, take_dim, &p);
    return finish(h, status == ZILCH_OK ? read(h->object, &p) : status, list);
}

static zilch_status read_evaluations(zilch_study *study, points *p)
{
    return zilch_study_evaluations(study, p->run, take_evaluation, p);
}

static zilch_status read_conclusions(zilch_study *study, points *p)
{
    return zilch_study_conclusions(study, p->run, take_conclusion, p);
}

static PyObject *study_evaluations(PyObject *self, PyObject *args)
{
    (void)self;
    return read_points(args, read_evaluations);
}

static PyObject *study_conclusions(PyObject *self, PyObject *args)
{
    (void)self;
    return read_points(args, read_conclusions);
}

#define ROW(name)                       \
    {                                   \
#name, name, METH_VARARGS, NULL \
    }
PyMethodDef study_functions[] = {ROW(study_open),        ROW(study_close),       ROW(study_start),
                                 ROW(study_record),      ROW(study_resume),      ROW(study_conclude),
                                 ROW(study_runs),        ROW(study_generations), ROW(study_evaluations),
                                 ROW(study_conclusions), {NULL, NULL, 0, NULL}};
