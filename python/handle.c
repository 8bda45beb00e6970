/* Objects of the library as capsules, and as bytes and files. */
#include "core.h"

#include <stdlib.h>

#define DESTROYER(noun, function)            \
    static void destroy_##noun(void *object) \
    {                                        \
        function(object);                    \
    }

DESTROYER(model, zilch_model_destroy)
DESTROYER(optimizer, zilch_optimizer_destroy)
DESTROYER(problem, zilch_problem_close)
DESTROYER(lander, zilch_lander_destroy)
DESTROYER(study, zilch_study_close)
DESTROYER(journal, zilch_journal_close)

/* ---- Signals --------------------------------------------------------------------------------------- */

void signals_begin(signals *s)
{
    *s = (signals){.thread = PyThread_get_thread_ident()};
    s->state = PyEval_SaveThread();
}

int signals_watch(void *context, size_t done, size_t total)
{
    enum { EACH = 64 };
    signals *s = context;
    (void)done;
    (void)total;
    if (PyThread_get_thread_ident() != s->thread || s->calls++ % EACH != 0) {
        return 0;
    }
    PyEval_RestoreThread(s->state);
    const int is_stopped = PyErr_CheckSignals() != 0;
    s->state = PyEval_SaveThread();
    return is_stopped;
}

void signals_end(signals *s)
{
    PyEval_RestoreThread(s->state);
}

/* ---- Capsules -------------------------------------------------------------------------------------- */

static const struct {
    const char *capsule, *noun;
    void (*destroy)(void *object);
} kinds[] = {
    [HANDLE_MODEL] = {"zilch.model", "model", destroy_model},
    [HANDLE_OPTIMIZER] = {"zilch.optimizer", "optimizer", destroy_optimizer},
    [HANDLE_PROBLEM] = {"zilch.problem", "problem", destroy_problem},
    [HANDLE_LANDER] = {"zilch.lander", "lander", destroy_lander},
    [HANDLE_STUDY] = {"zilch.study", "study", destroy_study},
    [HANDLE_JOURNAL] = {"zilch.journal", "journal", destroy_journal},
};

static void handle_free(PyObject *capsule)
{
    handle *h = PyCapsule_GetPointer(capsule, PyCapsule_GetName(capsule));
    h->destroy(h->object);
    Py_XDECREF(h->repair);
    free(h);
}

PyObject *handle_wrap(handle_kind kind, void *object)
{
    handle *h = malloc(sizeof *h);
    PyObject *capsule = NULL;
    if (!h) {
        PyErr_NoMemory();
    } else {
        *h = (handle){.object = object, .destroy = kinds[kind].destroy};
        capsule = PyCapsule_New(h, kinds[kind].capsule, handle_free);
    }
    if (!capsule) {
        kinds[kind].destroy(object);
        free(h);
    }
    return capsule;
}

int handle_is(handle_kind kind, PyObject *object)
{
    return PyCapsule_IsValid(object, kinds[kind].capsule);
}

static handle *find(handle_kind kind, PyObject *capsule)
{
    if (!handle_is(kind, capsule)) {
        PyErr_Format(PyExc_TypeError, "%s: must be a handle of one", kinds[kind].noun);
        return NULL;
    }
    handle *h = PyCapsule_GetPointer(capsule, kinds[kind].capsule);
    if (!h->object) {
        PyErr_Format(PyExc_ValueError, "%s: is closed", kinds[kind].noun);
        return NULL;
    }
    if (h->is_busy) {
        PyErr_Format(PyExc_RuntimeError, "%s: another thread is using it", kinds[kind].noun);
        return NULL;
    }
    return h;
}

static int look(handle_kind kind, PyObject *capsule, void **out)
{
    const handle *h = find(kind, capsule);
    *out = h ? h->object : NULL;
    return h != NULL;
}

static int hold(handle_kind kind, PyObject *capsule, handle **out)
{
    *out = find(kind, capsule);
    return *out != NULL;
}

static int own(handle_kind kind, PyObject *capsule, handle **out)
{
    handle *h = find(kind, capsule);
    if (h && h->is_driven) {
        PyErr_Format(PyExc_RuntimeError, "%s: cannot be changed by what it calls", kinds[kind].noun);
        h = NULL;
    }
    *out = h;
    return h != NULL;
}

#define CONVERTER(name, how, kind)                     \
    int handle_to_##name(PyObject *capsule, void *out) \
    {                                                  \
        return how(kind, capsule, out);                \
    }

CONVERTER(model, look, HANDLE_MODEL)
CONVERTER(problem, look, HANDLE_PROBLEM)
CONVERTER(optimizer, look, HANDLE_OPTIMIZER)
CONVERTER(optimizer_owned, own, HANDLE_OPTIMIZER)
CONVERTER(optimizer_held, hold, HANDLE_OPTIMIZER)
CONVERTER(lander, look, HANDLE_LANDER)
CONVERTER(lander_owned, own, HANDLE_LANDER)
CONVERTER(study_owned, own, HANDLE_STUDY)
CONVERTER(journal_owned, own, HANDLE_JOURNAL)

/* ---- Bytes and files ------------------------------------------------------------- */

PyObject *keep_pack(const keeping *k, PyObject *args)
{
    void *object;
    size_t length;
    if (!PyArg_ParseTuple(args, "O&", k->convert, &object)) {
        return NULL;
    }
    zilch_status status = k->pack(object, NULL, 0, &length);
    if (status != ZILCH_OK) {
        return raise_status(status);
    }
    PyObject *bytes = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)length);
    status = bytes ? k->pack(object, PyBytes_AsString(bytes), length, &length) : ZILCH_OK;
    if (status != ZILCH_OK) {
        Py_DECREF(bytes);
        return raise_status(status);
    }
    return bytes;
}

PyObject *keep_unpack(const keeping *k, PyObject *args)
{
    const char *bytes;
    Py_ssize_t length;
    void *object;
    if (!PyArg_ParseTuple(args, "y#", &bytes, &length)) {
        return NULL;
    }
    const zilch_status status = k->unpack(&object, bytes, (size_t)length);
    return status == ZILCH_OK ? handle_wrap(k->kind, object) : raise_status(status);
}

PyObject *keep_save(const keeping *k, PyObject *args)
{
    void *object;
    PyObject *path;
    if (!PyArg_ParseTuple(args, "O&O&", k->convert, &object, PyUnicode_FSConverter, &path)) {
        return NULL;
    }
    const zilch_status status = k->save(object, PyBytes_AsString(path));
    Py_DECREF(path);
    return status == ZILCH_OK ? Py_NewRef(Py_None) : raise_status(status);
}

PyObject *keep_load(const keeping *k, PyObject *args)
{
    PyObject *path;
    void *object;
    if (!PyArg_ParseTuple(args, "O&", PyUnicode_FSConverter, &path)) {
        return NULL;
    }
    const zilch_status status = k->load(&object, PyBytes_AsString(path));
    Py_DECREF(path);
    return status == ZILCH_OK ? handle_wrap(k->kind, object) : raise_status(status);
}
