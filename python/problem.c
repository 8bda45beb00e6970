/* The library's problems: open, describe, evaluate. */
#include "core.h"

static PyObject *problem_open(PyObject *self, PyObject *args)
{
    const char *name;
    unsigned long long seed;
    zilch_problem *problem;
    (void)self;
    if (!PyArg_ParseTuple(args, "sK", &name, &seed)) {
        return NULL;
    }
    const zilch_status status = zilch_problem_open(&problem, name, seed);
    return status == ZILCH_OK ? handle_wrap(HANDLE_PROBLEM, problem) : raise_status(status);
}

static PyObject *problem_regression(PyObject *self, PyObject *args)
{
    Py_ssize_t rows;
    Py_ssize_t cols;
    PyObject *columns;
    PyObject *response;
    PyObject *dict;
    unsigned long long seed;
    array x = {.data = NULL};
    array y = {.data = NULL};
    zilch_problem *problem = NULL;
    zilch_regression_options options = zilch_regression_defaults();
    zilch_status status = ZILCH_OK;
    (void)self;
    if (!PyArg_ParseTuple(args, "nnOOOK", &rows, &cols, &columns, &response, &dict, &seed) ||
        !fields_take(regression_fields, &options, dict, "regression") ||
        !array_read(&x, columns, "X", 'd', rows * cols)) {
        return NULL;
    }
    if (array_read(&y, response, "y", 'd', rows)) {
        status =
            zilch_problem_regression(&problem, (size_t)rows, (size_t)cols, x.data, y.data, &options, seed);
    }
    array_release(&x);
    array_release(&y);
    return problem ? handle_wrap(HANDLE_PROBLEM, problem) : PyErr_Occurred() ? NULL : raise_status(status);
}

static PyObject *problem_describe(PyObject *self, PyObject *args)
{
    const zilch_problem *problem;
    (void)self;
    if (!PyArg_ParseTuple(args, "O&", handle_to_problem, &problem)) {
        return NULL;
    }
    const zilch_problem_info info = zilch_problem_describe(problem);
    return fields_give(info_fields, &info);
}

static PyObject *problem_evaluate(PyObject *self, PyObject *args)
{
    zilch_problem *problem;
    unsigned long long generation;
    unsigned threads;
    PyObject *object[3];
    array a[3] = {{.data = NULL}};
    zilch_status status = ZILCH_OK;
    (void)self;
    if (!PyArg_ParseTuple(args, "O&KOOOI", handle_to_problem, &problem, &generation, &object[0], &object[1],
                          &object[2], &threads) ||
        !array_read(&a[0], object[0], "id", 'Q', ANY_COUNT)) {
        return NULL;
    }
    const size_t n = a[0].count;
    const size_t dim = zilch_problem_describe(problem).dim;
    if (array_read(&a[1], object[1], "x", 'd', (Py_ssize_t)(n * dim)) &&
        array_write(&a[2], object[2], "value", 'd', (Py_ssize_t)n)) {
        zilch_pool pool = {.threads = threads, .inner = zilch_problem_objective, .context = problem};
        const zilch_batch batch = {
            .n = n, .dim = dim, .generation = generation, .id = a[0].data, .x = a[1].data};
        Py_BEGIN_ALLOW_THREADS status = zilch_pool_objective(&pool, &batch, a[2].data);
        Py_END_ALLOW_THREADS
    }
    arrays_release(a, 3);
    return PyErr_Occurred() ? NULL : status == ZILCH_OK ? Py_NewRef(Py_None) : raise_status(status);
}

static PyObject *problem_support(PyObject *self, PyObject *args)
{
    const zilch_problem *problem;
    PyObject *point;
    array x;
    double share;
    (void)self;
    if (!PyArg_ParseTuple(args, "O&O", handle_to_problem, &problem, &point) ||
        !array_read(&x, point, "x", 'd', (Py_ssize_t)zilch_problem_describe(problem).dim)) {
        return NULL;
    }
    const zilch_status status = zilch_problem_support(problem, x.data, &share);
    array_release(&x);
    return status == ZILCH_OK ? PyFloat_FromDouble(share) : raise_status(status);
}

static PyObject *problem_held_out(PyObject *self, PyObject *args)
{
    zilch_problem *problem;
    PyObject *point;
    Py_ssize_t count;
    unsigned threads;
    array x;
    signals s;
    double mean;
    double error;
    (void)self;
    if (!PyArg_ParseTuple(args, "O&OnI", handle_to_problem, &problem, &point, &count, &threads) ||
        !array_read(&x, point, "x", 'd', (Py_ssize_t)zilch_problem_describe(problem).dim)) {
        return NULL;
    }
    signals_begin(&s);
    const zilch_status status =
        zilch_problem_held_out(problem, x.data, (size_t)count, threads, signals_watch, &s, &mean, &error);
    signals_end(&s);
    array_release(&x);
    return PyErr_Occurred()     ? NULL
           : status == ZILCH_OK ? Py_BuildValue("dd", mean, error)
                                : raise_status(status);
}

static PyObject *problem_fit(PyObject *self, PyObject *args)
{
    const zilch_problem *problem;
    PyObject *point;
    PyObject *out;
    array x = {.data = NULL};
    array coefficients = {.data = NULL};
    zilch_regression_fit fit;
    zilch_status status = ZILCH_OK;
    (void)self;
    if (!PyArg_ParseTuple(args, "O&OO", handle_to_problem, &problem, &point, &out)) {
        return NULL;
    }
    const Py_ssize_t dim = (Py_ssize_t)zilch_problem_describe(problem).dim;
    if (array_read(&x, point, "x", 'd', dim) && array_write(&coefficients, out, "coefficients", 'd', dim)) {
        status = zilch_problem_fit(problem, x.data, coefficients.data, &fit);
    }
    array_release(&x);
    array_release(&coefficients);
    return PyErr_Occurred()     ? NULL
           : status == ZILCH_OK ? fields_give(fit_fields, &fit)
                                : raise_status(status);
}

PyMethodDef problem_functions[] = {ROW(problem_open),     ROW(problem_regression), ROW(problem_describe),
                                   ROW(problem_evaluate), ROW(problem_support),    ROW(problem_held_out),
                                   ROW(problem_fit),      {NULL, NULL, 0, NULL}};
