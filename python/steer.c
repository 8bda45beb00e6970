/* What is asked of a run while it searches, and how it is heeded. */
#include "core.h"

#include <math.h>

static PyObject *study_changes(PyObject *self, PyObject *args)
{
    handle *h;
    uint64_t changes = 0;
    zilch_status status;
    (void)self;
    if (!PyArg_ParseTuple(args, "O&", handle_to_study_owned, &h)) {
        return NULL;
    }
    UNLOCKED(h, status, zilch_study_changes(h->object, &changes));
    return status == ZILCH_OK ? PyLong_FromUnsignedLongLong(changes) : raise_status(status);
}

/* The value is None for an action that takes none. */
static PyObject *study_ask_run(PyObject *self, PyObject *args)
{
    handle *h;
    unsigned long long run;
    const char *name;
    const char *asked;
    PyObject *given;
    zilch_action action;
    zilch_status status;
    (void)self;
    if (!PyArg_ParseTuple(args, "O&KsOs", handle_to_study_owned, &h, &run, &name, &given, &asked)) {
        return NULL;
    }
    const double value = given == Py_None ? NAN : PyFloat_AsDouble(given);
    if (PyErr_Occurred()) {
        return NULL;
    }
    status = zilch_action_parse(name, &action);
    if (status == ZILCH_OK) {
        UNLOCKED(h, status, zilch_study_ask_run(h->object, run, action, value, asked));
    }
    return status == ZILCH_OK ? Py_NewRef(Py_None) : raise_status(status);
}

static zilch_status take_command(void *context, const zilch_command *c)
{
    PyObject *value = isnan(c->value) ? Py_NewRef(Py_None) : PyFloat_FromDouble(c->value);
    PyObject *generation = c->is_heeded ? PyLong_FromUnsignedLongLong(c->generation) : Py_NewRef(Py_None);
    PyObject *dict = PyDict_New();
    int is_whole = dict != NULL;
    is_whole = is_whole && dict_put(dict, "command", PyLong_FromUnsignedLongLong(c->command));
    is_whole = is_whole && dict_put(dict, "action", text_give(zilch_action_name(c->action)));
    is_whole = is_whole && value && dict_put(dict, "value", Py_NewRef(value));
    is_whole = is_whole && dict_put(dict, "asked", text_give(c->asked));
    is_whole = is_whole && generation && dict_put(dict, "generation", Py_NewRef(generation));
    is_whole = is_whole && PyList_Append(context, dict) == 0;
    Py_XDECREF(value);
    Py_XDECREF(generation);
    Py_XDECREF(dict);
    return is_whole ? ZILCH_OK : ZILCH_EOBJECTIVE;
}

/* A dict for each; the study is busy meanwhile, as making one may run anything that is collected as garbage.
 */
static PyObject *study_commands(PyObject *self, PyObject *args)
{
    handle *h;
    unsigned long long run;
    int is_waiting;
    (void)self;
    PyObject *list =
        PyArg_ParseTuple(args, "O&Kp", handle_to_study_owned, &h, &run, &is_waiting) ? PyList_New(0) : NULL;
    if (!list) {
        return NULL;
    }
    h->is_busy = 1;
    const zilch_status status = zilch_study_commands(h->object, run, is_waiting, take_command, list);
    h->is_busy = 0;
    if (status != ZILCH_OK) {
        Py_DECREF(list);
        return PyErr_Occurred() ? NULL : raise_status(status);
    }
    return list;
}

static PyObject *study_heed(PyObject *self, PyObject *args)
{
    handle *h;
    unsigned long long command;
    unsigned long long generation;
    zilch_status status;
    (void)self;
    if (!PyArg_ParseTuple(args, "O&KK", handle_to_study_owned, &h, &command, &generation)) {
        return NULL;
    }
    UNLOCKED(h, status, zilch_study_heed(h->object, command, generation));
    return status == ZILCH_OK ? Py_NewRef(Py_None) : raise_status(status);
}

static PyObject *study_set_limits(PyObject *self, PyObject *args)
{
    handle *h;
    unsigned long long run;
    PyObject *dict;
    zilch_limits limits = zilch_limits_defaults();
    zilch_status status;
    (void)self;
    if (!PyArg_ParseTuple(args, "O&KO!", handle_to_study_owned, &h, &run, &PyDict_Type, &dict) ||
        !options_take(ZILCH_SETTING_LIMIT, &limits, dict)) {
        return NULL;
    }
    UNLOCKED(h, status, zilch_study_set_limits(h->object, run, &limits));
    return status == ZILCH_OK ? Py_NewRef(Py_None) : raise_status(status);
}

/* The optimizer may be driven: between two generations it takes another penalty. */
static PyObject *study_set_penalty(PyObject *self, PyObject *args)
{
    handle *h;
    handle *optimizer;
    unsigned long long run;
    double penalty;
    zilch_status status;
    (void)self;
    if (!PyArg_ParseTuple(args, "O&KO&d", handle_to_study_owned, &h, &run, handle_to_optimizer_held,
                          &optimizer, &penalty)) {
        return NULL;
    }
    status = zilch_optimizer_set_penalty(optimizer->object, penalty);
    if (status == ZILCH_OK) {
        optimizer->is_busy = 1;
        UNLOCKED(h, status, zilch_study_set_penalty(h->object, run, optimizer->object));
        optimizer->is_busy = 0;
    }
    return status == ZILCH_OK ? Py_NewRef(Py_None) : raise_status(status);
}

PyMethodDef steer_functions[] = {ROW(study_changes),   ROW(study_ask_run),    ROW(study_commands),
                                 ROW(study_heed),      ROW(study_set_limits), ROW(study_set_penalty),
                                 {NULL, NULL, 0, NULL}};
