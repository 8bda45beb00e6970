/* The library drives: an objective in Python, or one of the library's own on several threads. */
#include "core.h"

#include <string.h>

/* A batch of the library goes to Python, and values come back. The lock, which the driver has given up, is
 * taken for the call. What Python gets belongs to Python: an exception's frames may outlive the run. */
typedef struct driver {
    handle *optimizer;
    PyObject *objective, *observer;
    PyThreadState *state;
    unsigned long thread;     /* that drives */
    zilch_objective evaluate; /* python_objective, or that of a pool of threads */
    zilch_pool pool;
    void *problem;             /* of the pool */
    zilch_journaled journaled; /* around all of it */
    const zilch_batch *batch;  /* that Python evaluates, */
    double *value;             /* where its values go, */
    PyObject *values;          /* and where Python puts them, with the violations behind */
    double seconds;            /* spent evaluating since the observer was last called */
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

/* ---- An objective of Python's --------------------------------------------------------------------- */

static const char courier_name[] = "zilch.arrived";
static const char courier_over[] = "zilch.arrived, which is over";

/* Copies values that Python has put there; 0 if it has changed the size. */
static int fetch(driver *d, size_t first, size_t n)
{
    const size_t all = d->batch->n;
    const double *from = (const double *)(void *)PyByteArray_AsString(d->values);
    if ((size_t)PyByteArray_Size(d->values) != 2 * all * sizeof *from || first > all || n > all - first) {
        return 0;
    }
    memcpy(d->value + first, from + first, n * sizeof *from);
    memcpy(d->batch->violation + first, from + all + first, n * sizeof *from);
    return 1;
}

/* arrived(first, n): so many values from there on are in their place. */
static PyObject *arrived(PyObject *self, PyObject *args)
{
    driver *d = PyCapsule_GetPointer(self, courier_name);
    Py_ssize_t first;
    Py_ssize_t n;
    zilch_status status = ZILCH_OK;
    if (!d || !PyArg_ParseTuple(args, "nn", &first, &n)) {
        return NULL;
    }
    if (first < 0 || n < 0 || !fetch(d, (size_t)first, (size_t)n)) {
        PyErr_SetString(PyExc_ValueError, "arrived: these are no values of the batch");
        return NULL;
    }
    const zilch_batch part = zilch_batch_part(d->batch, (size_t)first, (size_t)n);
    leave(d);
    status =
        part.arrived ? part.arrived(part.arrived_context, &part, part.n, NULL, d->value + first) : status;
    enter(d);
    return status == ZILCH_OK ? Py_NewRef(Py_None) : raise_status(status);
}

static PyMethodDef courier = {"arrived", arrived, METH_VARARGS, NULL};

/* The function is of use during the call only. */
static PyObject *call_objective(driver *d)
{
    const zilch_batch *batch = d->batch;
    const Py_ssize_t size = (Py_ssize_t)sizeof(double);
    const Py_ssize_t n = (Py_ssize_t)batch->n;
    PyObject *id = PyByteArray_FromStringAndSize((const char *)batch->id, n * (Py_ssize_t)sizeof *batch->id);
    PyObject *x = PyByteArray_FromStringAndSize((const char *)batch->x, n * (Py_ssize_t)batch->dim * size);
    PyObject *capsule = PyCapsule_New(d, courier_name, NULL);
    PyObject *tell = capsule ? PyCFunction_New(&courier, capsule) : NULL;
    PyObject *result = NULL;
    if (id && x && tell) {
        result = PyObject_CallFunction(d->objective, "KOOOO", (unsigned long long)batch->generation, id, x,
                                       d->values, tell);
    }
    if (capsule) {
        PyCapsule_SetName(capsule, courier_over);
    }
    Py_XDECREF(tell);
    Py_XDECREF(capsule);
    Py_XDECREF(id);
    Py_XDECREF(x);
    return result;
}

/* What an exception means: Ctrl-C is nobody's failure. */
static zilch_status failure_status(void)
{
    return PyErr_ExceptionMatches(PyExc_KeyboardInterrupt) ? ZILCH_ESTOPPED : ZILCH_EOBJECTIVE;
}

static zilch_status python_objective(void *context, const zilch_batch *batch, double *value)
{
    driver *d = context;
    enter(d);
    d->batch = batch;
    d->value = value;
    d->values = PyByteArray_FromStringAndSize(NULL, (Py_ssize_t)(2 * batch->n * sizeof *value));
    PyObject *result = d->values ? call_objective(d) : NULL;
    const int is_whole = result && fetch(d, 0, batch->n);
    const zilch_status status = is_whole                   ? ZILCH_OK
                                : PyErr_Occurred() == NULL ? ZILCH_EOBJECTIVE
                                                           : failure_status();
    Py_XDECREF(result);
    Py_CLEAR(d->values);
    leave(d);
    return status;
}

/* A part of a batch of the library's own problem. The thread that drives looks for signals. */
static zilch_status native_objective(void *context, const zilch_batch *batch, double *value)
{
    driver *d = context;
    if (PyThread_get_thread_ident() == d->thread) {
        enter(d);
        const int is_stopped = PyErr_CheckSignals() != 0;
        leave(d);
        if (is_stopped) {
            return ZILCH_ESTOPPED;
        }
    }
    return zilch_problem_objective(d->problem, batch, value);
}

/* ---- Driving -------------------------------------------------------------------------------------- */

static zilch_status timed_objective(void *context, const zilch_batch *batch, double *value)
{
    driver *d = context;
    const double began = journal_seconds();
    const zilch_status status =
        d->evaluate(d->evaluate == python_objective ? context : &d->pool, batch, value);
    d->seconds += journal_seconds() - began;
    return status;
}

/* Also where a signal, such as Ctrl-C, is looked for, once the generation is recorded. */
static zilch_status python_observer(void *context, const zilch_optimizer *optimizer)
{
    driver *d = context;
    int is_over = 0;
    (void)optimizer;
    enter(d);
    if (d->observer != Py_None) {
        PyObject *result = PyObject_CallFunction(d->observer, "d", d->seconds);
        d->seconds = 0.0;
        is_over = result ? PyObject_IsTrue(result) : -1;
        Py_XDECREF(result);
    }
    if (is_over >= 0 && PyErr_CheckSignals()) {
        is_over = -1;
    }
    const zilch_status status = is_over < 0 ? failure_status() : is_over ? ZILCH_ESTOPPED : ZILCH_OK;
    leave(d);
    return status;
}

/* A problem of the library's own runs on threads, anything else in Python. */
static int choose_objective(driver *d, PyObject *objective, unsigned threads)
{
    d->objective = objective;
    d->evaluate = python_objective;
    if (!handle_is(HANDLE_PROBLEM, objective)) {
        return 1;
    }
    if (!handle_to_problem(objective, &d->problem)) {
        return 0;
    }
    d->evaluate = zilch_pool_objective;
    d->pool = (zilch_pool){.threads = threads, .inner = native_objective, .context = d};
    return 1;
}

static void begin(driver *d, handle *journal)
{
    d->thread = PyThread_get_thread_ident();
    d->journaled = (zilch_journaled){.journal = journal->object, .inner = timed_objective, .context = d};
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
    handle *journal;
    ending e;
    zilch_stop reason;
    (void)self;
    if (!PyArg_ParseTuple(args, "O&OOOOpIO&", handle_to_optimizer_owned, &d.optimizer, &objective,
                          &d.observer, &limits, &final, &is_noisy, &threads, handle_to_journal_owned,
                          &journal) ||
        !ending_take(&e, d.optimizer->object, limits, final, is_noisy) ||
        !choose_objective(&d, objective, threads)) {
        return NULL;
    }
    begin(&d, journal);
    const zilch_status status = zilch_optimizer_run(d.optimizer->object, zilch_journal_objective,
                                                    &d.journaled, &e.limits, python_observer, &d, &reason);
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

/* How many points of the front there are to ask for, once a limit is reached. */
static PyObject *open_front(PyObject *self, PyObject *args)
{
    zilch_optimizer *optimizer;
    PyObject *limits;
    PyObject *final;
    int is_noisy;
    ending e;
    size_t n;
    (void)self;
    if (!PyArg_ParseTuple(args, "O&OOp", handle_to_optimizer, &optimizer, &limits, &final, &is_noisy) ||
        !ending_take(&e, optimizer, limits, final, is_noisy)) {
        return NULL;
    }
    const zilch_status status = zilch_optimizer_open_front(optimizer, &e.limits, &n);
    return status == ZILCH_OK ? PyLong_FromSize_t(n) : raise_status(status);
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
    handle *journal;
    ending e;
    int is_noisy;
    zilch_recommendation result;
    (void)self;
    if (!PyArg_ParseTuple(args, "O&OOOpOIO&", handle_to_optimizer_owned, &d.optimizer, &objective, &limits,
                          &final, &is_noisy, &out, &threads, handle_to_journal_owned, &journal) ||
        !ending_take(&e, d.optimizer->object, limits, final, is_noisy) ||
        !choose_objective(&d, objective, threads) ||
        !array_write(&x, out, "x", 'd', (Py_ssize_t)zilch_optimizer_dim(d.optimizer->object))) {
        return NULL;
    }
    begin(&d, journal);
    const zilch_status status = zilch_optimizer_recommend(d.optimizer->object, zilch_journal_objective,
                                                          &d.journaled, &e.final, x.data, &result);
    end(&d);
    array_release(&x);
    if (PyErr_Occurred()) {
        return NULL;
    }
    return status == ZILCH_OK ? fields_give(recommendation_fields, &result) : raise_status(status);
}

PyMethodDef drive_functions[] = {
    ROW(optimize), ROW(reached), ROW(open_front), ROW(recommend), {NULL, NULL, 0, NULL}};
