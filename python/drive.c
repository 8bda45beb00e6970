/* The library drives: an objective in Python, or one of the library's own on several threads. */
#include "core.h"

#include <string.h>
#include <time.h>

/* A batch of the library goes to Python, and values come back. The lock, which the driver has given up, is
 * taken for the call. What Python gets belongs to Python: an exception's frames may outlive the run. */
typedef struct driver {
    handle *optimizer;
    PyObject *objective, *observer;
    PyThreadState *state;
    zilch_objective evaluate; /* python_objective, or that of a pool of threads */
    zilch_pool pool;
    double seconds; /* spent evaluating since the observer was last called */
} driver;

static void enter(driver *d)
{
    PyEval_RestoreThread(d->state);
    d->optimizer->is_busy = 0;
}

static void leave(driver *d)
{
    d->optimizer->is_busy = 1;
    d->state = PyEval_SaveThread();
}

/* `values` has room for the values, and behind them the violations. */
static PyObject *call_objective(PyObject *objective, const zilch_batch *batch, PyObject *values)
{
    const Py_ssize_t size = (Py_ssize_t)sizeof(double);
    const Py_ssize_t n = (Py_ssize_t)batch->n;
    PyObject *id = PyByteArray_FromStringAndSize((const char *)batch->id, n * (Py_ssize_t)sizeof *batch->id);
    PyObject *x = PyByteArray_FromStringAndSize((const char *)batch->x, n * (Py_ssize_t)batch->dim * size);
    PyObject *result = NULL;
    if (id && x) {
        result =
            PyObject_CallFunction(objective, "KOOO", (unsigned long long)batch->generation, id, x, values);
    }
    Py_XDECREF(id);
    Py_XDECREF(x);
    return result;
}

static zilch_status python_objective(void *context, const zilch_batch *batch, double *value)
{
    driver *d = context;
    enter(d);
    const size_t bytes = batch->n * sizeof *value;
    PyObject *values = PyByteArray_FromStringAndSize(NULL, (Py_ssize_t)(2 * bytes));
    PyObject *result = values ? call_objective(d->objective, batch, values) : NULL;
    const int is_whole = result && (size_t)PyByteArray_Size(values) == 2 * bytes;
    if (is_whole) {
        memcpy(value, PyByteArray_AsString(values), bytes);
        memcpy(batch->violation, PyByteArray_AsString(values) + bytes, bytes);
    }
    Py_XDECREF(result);
    Py_XDECREF(values);
    leave(d);
    return is_whole ? ZILCH_OK : ZILCH_EOBJECTIVE;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static zilch_status timed_objective(void *context, const zilch_batch *batch, double *value)
{
    driver *d = context;
    const double began = now();
    const zilch_status status =
        d->evaluate(d->evaluate == python_objective ? context : &d->pool, batch, value);
    d->seconds += now() - began;
    return status;
}

/* Also where a signal, such as Ctrl-C, is looked for. */
static zilch_status python_observer(void *context, const zilch_optimizer *optimizer)
{
    driver *d = context;
    zilch_status status = ZILCH_OK;
    (void)optimizer;
    enter(d);
    if (PyErr_CheckSignals()) {
        status = ZILCH_EOBJECTIVE;
    } else if (d->observer != Py_None) {
        PyObject *result = PyObject_CallFunction(d->observer, "d", d->seconds);
        d->seconds = 0.0;
        const int is_over = result ? PyObject_IsTrue(result) : -1;
        status = is_over < 0 ? ZILCH_EOBJECTIVE : is_over ? ZILCH_ESTOPPED : ZILCH_OK;
        Py_XDECREF(result);
    }
    leave(d);
    return status;
}

/* A problem of the library's own runs on threads, anything else in Python. */
static int choose_objective(driver *d, PyObject *objective, unsigned threads)
{
    void *problem;
    d->objective = objective;
    d->evaluate = python_objective;
    if (!handle_is(HANDLE_PROBLEM, objective)) {
        return 1;
    }
    if (!handle_to_problem(objective, &problem)) {
        return 0;
    }
    d->evaluate = zilch_pool_objective;
    d->pool = (zilch_pool){.threads = threads, .inner = zilch_problem_objective, .context = problem};
    return 1;
}

static void begin(driver *d)
{
    d->optimizer->is_driven = 1;
    leave(d);
}

static void end(driver *d)
{
    enter(d);
    d->optimizer->is_driven = 0;
}

/* When the search ends, and what follows it. */
typedef struct ending {
    zilch_limits limits;
    zilch_final_options final;
} ending;

/* `final` is None if there is no final check. */
static int ending_take(ending *e, const zilch_optimizer *optimizer, PyObject *limits, PyObject *final,
                       int is_noisy)
{
    e->limits = zilch_limits_defaults();
    e->final = zilch_final_defaults(zilch_optimizer_settings(optimizer)->method);
    e->final.is_noisy = is_noisy;
    if (!options_take(ZILCH_SETTING_LIMIT, &e->limits, limits) ||
        (final != Py_None && !options_take(ZILCH_SETTING_FINAL, &e->final, final))) {
        return 0;
    }
    e->final.budget = e->limits.evaluations;
    e->limits.final = final == Py_None ? NULL : &e->final;
    return 1;
}

static PyObject *optimize(PyObject *self, PyObject *args)
{
    PyObject *objective;
    PyObject *limits;
    PyObject *final;
    int is_noisy;
    unsigned threads;
    driver d = {.optimizer = NULL};
    ending e;
    zilch_stop reason;
    (void)self;
    if (!PyArg_ParseTuple(args, "O&OOOOpI", handle_to_optimizer_owned, &d.optimizer, &objective, &d.observer,
                          &limits, &final, &is_noisy, &threads) ||
        !ending_take(&e, d.optimizer->object, limits, final, is_noisy) ||
        !choose_objective(&d, objective, threads)) {
        return NULL;
    }
    begin(&d);
    const zilch_status status = zilch_optimizer_run(d.optimizer->object, timed_objective, &d, &e.limits,
                                                    python_observer, &d, &reason);
    end(&d);
    if (PyErr_Occurred()) {
        return NULL;
    }
    return status == ZILCH_OK ? PyUnicode_FromString(zilch_stop_name(reason)) : raise_status(status);
}

/* Which limit is reached, and how many evaluations the search may still make. */
static PyObject *reached(PyObject *self, PyObject *args)
{
    const zilch_optimizer *optimizer;
    PyObject *limits;
    PyObject *final;
    int is_noisy;
    ending e;
    zilch_stop reason;
    (void)self;
    if (!PyArg_ParseTuple(args, "O&OOp", handle_to_optimizer, &optimizer, &limits, &final, &is_noisy) ||
        !ending_take(&e, optimizer, limits, final, is_noisy)) {
        return NULL;
    }
    const zilch_status status = zilch_limits_reached(&e.limits, optimizer, &reason);
    return status == ZILCH_OK ? Py_BuildValue("sK", zilch_stop_name(reason),
                                              (unsigned long long)zilch_limits_left(&e.limits, optimizer))
                              : raise_status(status);
}

static PyObject *recommend(PyObject *self, PyObject *args)
{
    PyObject *objective;
    PyObject *limits;
    PyObject *final;
    PyObject *out;
    unsigned threads;
    array x = {.data = NULL};
    driver d = {.observer = Py_None};
    ending e;
    int is_noisy;
    zilch_recommendation result;
    (void)self;
    if (!PyArg_ParseTuple(args, "O&OOOpOI", handle_to_optimizer_owned, &d.optimizer, &objective, &limits,
                          &final, &is_noisy, &out, &threads) ||
        !ending_take(&e, d.optimizer->object, limits, final, is_noisy) ||
        !choose_objective(&d, objective, threads) ||
        !array_write(&x, out, "x", 'd', (Py_ssize_t)zilch_optimizer_dim(d.optimizer->object))) {
        return NULL;
    }
    begin(&d);
    const zilch_status status =
        zilch_optimizer_recommend(d.optimizer->object, timed_objective, &d, &e.final, x.data, &result);
    end(&d);
    array_release(&x);
    if (PyErr_Occurred()) {
        return NULL;
    }
    return status == ZILCH_OK ? fields_give(recommendation_fields, &result) : raise_status(status);
}

PyMethodDef drive_functions[] = {ROW(optimize), ROW(reached), ROW(recommend), {NULL, NULL, 0, NULL}};
