/* Journals: values that are kept as they arrive. */
#include "core.h"

#include <time.h>

double journal_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Without a study, in memory. */
static PyObject *journal_open(PyObject *self, PyObject *args)
{
    PyObject *study;
    handle *h = NULL;
    unsigned long long run;
    zilch_journal *journal;
    (void)self;
    if (!PyArg_ParseTuple(args, "OK", &study, &run) ||
        (study != Py_None && !handle_to_study_owned(study, &h))) {
        return NULL;
    }
    const zilch_status status = zilch_journal_open(&journal, h ? h->object : NULL, run, journal_seconds);
    return status == ZILCH_OK ? handle_wrap(HANDLE_JOURNAL, journal) : raise_status(status);
}

/* A batch from arrays; `column` has values, and violations behind them. */
typedef struct batch_arrays {
    array id, x, column;
    zilch_batch batch;
} batch_arrays;

static int take_batch(batch_arrays *a, unsigned long long generation, PyObject *const object[3])
{
    if (!array_read(&a->id, object[0], "id", 'Q', ANY_COUNT) ||
        !array_read(&a->x, object[1], "x", 'd', ANY_COUNT) ||
        !array_write(&a->column, object[2], "value", 'd', (Py_ssize_t)(2 * a->id.count))) {
        return 0;
    }
    a->batch = (zilch_batch){.n = a->id.count,
                             .dim = a->id.count ? a->x.count / a->id.count : 0,
                             .generation = generation,
                             .id = a->id.data,
                             .x = a->x.data,
                             .violation = (double *)a->column.data + a->id.count};
    return 1;
}

static void release_batch(batch_arrays *a)
{
    array_release(&a->id);
    array_release(&a->x);
    array_release(&a->column);
}

static PyObject *journal_recall(PyObject *self, PyObject *args)
{
    handle *h;
    unsigned long long generation;
    PyObject *object[3];
    PyObject *known;
    batch_arrays a = {.id = {.data = NULL}};
    array is_known = {.data = NULL};
    zilch_status status = ZILCH_OK;
    (void)self;
    if (!PyArg_ParseTuple(args, "O&KOOOO", handle_to_journal_owned, &h, &generation, &object[0], &object[1],
                          &object[2], &known)) {
        return NULL;
    }
    if (take_batch(&a, generation, object) &&
        array_write(&is_known, known, "known", '?', (Py_ssize_t)a.batch.n)) {
        status = zilch_journal_recall(h->object, &a.batch, a.column.data, is_known.data);
    }
    release_batch(&a);
    array_release(&is_known);
    return PyErr_Occurred() ? NULL : status == ZILCH_OK ? Py_NewRef(Py_None) : raise_status(status);
}

static PyObject *journal_keep(PyObject *self, PyObject *args)
{
    handle *h;
    unsigned long long generation;
    PyObject *object[3];
    batch_arrays a = {.id = {.data = NULL}};
    zilch_status status = ZILCH_OK;
    (void)self;
    if (!PyArg_ParseTuple(args, "O&KOOO", handle_to_journal_owned, &h, &generation, &object[0], &object[1],
                          &object[2])) {
        return NULL;
    }
    if (take_batch(&a, generation, object)) {
        UNLOCKED(h, status, zilch_journal_keep(h->object, &a.batch, a.batch.n, NULL, a.column.data));
    }
    release_batch(&a);
    return PyErr_Occurred() ? NULL : status == ZILCH_OK ? Py_NewRef(Py_None) : raise_status(status);
}

static PyObject *journal_flush(PyObject *self, PyObject *args)
{
    handle *h;
    zilch_status status;
    (void)self;
    if (!PyArg_ParseTuple(args, "O&", handle_to_journal_owned, &h)) {
        return NULL;
    }
    UNLOCKED(h, status, zilch_journal_flush(h->object));
    return status == ZILCH_OK ? Py_NewRef(Py_None) : raise_status(status);
}

static PyObject *journal_tell(PyObject *self, PyObject *args)
{
    handle *h;
    handle *optimizer;
    (void)self;
    if (!PyArg_ParseTuple(args, "O&O&", handle_to_journal_owned, &h, handle_to_optimizer_owned, &optimizer)) {
        return NULL;
    }
    const zilch_status status = zilch_journal_tell(h->object, optimizer->object);
    return PyErr_Occurred() ? NULL : status == ZILCH_OK ? Py_NewRef(Py_None) : raise_status(status);
}

PyMethodDef journal_functions[] = {ROW(journal_open),  ROW(journal_recall), ROW(journal_keep),
                                   ROW(journal_flush), ROW(journal_tell),   {NULL, NULL, 0, NULL}};
