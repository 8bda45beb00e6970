/* The Lunar Lander: worlds, and controllers for them. */
#include "core.h"

#include <string.h>

static PyObject *lander_create(PyObject *self, PyObject *args)
{
    Py_ssize_t worlds;
    PyObject *dict;
    zilch_lander *lander;
    zilch_lander_options options = zilch_lander_defaults();
    (void)self;
    if (!PyArg_ParseTuple(args, "nO", &worlds, &dict) ||
        !fields_take(lander_fields, &options, dict, "lander")) {
        return NULL;
    }
    const zilch_status status = zilch_lander_create(&lander, worlds < 0 ? 0 : (size_t)worlds, &options);
    return status == ZILCH_OK ? handle_wrap(HANDLE_LANDER, lander) : raise_status(status);
}

/* ---- Bytes ---------------------------------------------------------------------------- */

static zilch_status pack(const void *object, void *buffer, size_t capacity, size_t *length)
{
    return zilch_lander_pack(object, buffer, capacity, length);
}

static zilch_status unpack(void **out, const void *buffer, size_t length)
{
    zilch_lander *lander;
    const zilch_status status = zilch_lander_unpack(&lander, buffer, length);
    *out = lander;
    return status;
}

static const keeping kept = {HANDLE_LANDER, handle_to_lander, pack, unpack, NULL, NULL};
KEEPING_CALL(lander, pack)
KEEPING_CALL(lander, unpack)

/* ---- Resetting ------------------------------------------------------------------------ */

/* Worlds that are chosen begin anew, with seeds or going on in their random numbers. */
static PyObject *lander_reset(PyObject *self, PyObject *args)
{
    handle *h;
    PyObject *mask;
    PyObject *seeds;
    array chosen = {.data = NULL};
    array seed = {.data = NULL};
    zilch_status status = ZILCH_OK;
    (void)self;
    if (!PyArg_ParseTuple(args, "O&OO", handle_to_lander_owned, &h, &mask, &seeds)) {
        return NULL;
    }
    const Py_ssize_t n = (Py_ssize_t)zilch_lander_worlds(h->object);
    if (array_read(&chosen, mask, "mask", '?', n) && array_optional(&seed, seeds, "seed", 'Q', n)) {
        UNLOCKED(h, status, zilch_lander_reset_many(h->object, chosen.data, seed.data));
    }
    array_release(&chosen);
    array_release(&seed);
    return PyErr_Occurred() ? NULL : status == ZILCH_OK ? Py_NewRef(Py_None) : raise_status(status);
}

/* ---- Stepping -------------------------------------------------------------------------- */

static PyObject *lander_step(PyObject *self, PyObject *args)
{
    handle *h;
    PyObject *object;
    array actions;
    zilch_status status;
    (void)self;
    if (!PyArg_ParseTuple(args, "O&O", handle_to_lander_owned, &h, &object) ||
        !array_read(&actions, object, "actions", 'd',
                    (Py_ssize_t)zilch_lander_worlds(h->object) * ZILCH_LANDER_ACTIONS)) {
        return NULL;
    }
    UNLOCKED(h, status, zilch_lander_step(h->object, actions.data));
    array_release(&actions);
    return status == ZILCH_OK ? Py_NewRef(Py_None) : raise_status(status);
}

/* What the last step or reset gave, copied into arrays. */
static PyObject *lander_read(PyObject *self, PyObject *args)
{
    const zilch_lander *lander;
    PyObject *object[4];
    array a[4] = {{.data = NULL}};
    (void)self;
    if (!PyArg_ParseTuple(args, "O&OOOO", handle_to_lander, &lander, &object[0], &object[1], &object[2],
                          &object[3])) {
        return NULL;
    }
    const size_t n = zilch_lander_worlds(lander);
    if (array_write(&a[0], object[0], "observations", 'f', (Py_ssize_t)n * ZILCH_LANDER_OBSERVATIONS) &&
        array_write(&a[1], object[1], "rewards", 'd', (Py_ssize_t)n) &&
        array_write(&a[2], object[2], "terminations", '?', (Py_ssize_t)n) &&
        array_write(&a[3], object[3], "truncations", '?', (Py_ssize_t)n)) {
        memcpy(a[0].data, zilch_lander_observations(lander), n * ZILCH_LANDER_OBSERVATIONS * sizeof(float));
        memcpy(a[1].data, zilch_lander_rewards(lander), n * sizeof(double));
        memcpy(a[2].data, zilch_lander_terminated(lander), n);
        memcpy(a[3].data, zilch_lander_truncated(lander), n);
    }
    arrays_release(a, 4);
    return PyErr_Occurred() ? NULL : Py_NewRef(Py_None);
}

static PyObject *numbers(const double *value, size_t n)
{
    PyObject *tuple = PyTuple_New((Py_ssize_t)n);
    for (size_t i = 0; tuple && i < n; i++) {
        PyObject *number = PyFloat_FromDouble(value[i]);
        if (!number || PyTuple_SetItem(tuple, (Py_ssize_t)i, number)) {
            Py_CLEAR(tuple);
        }
    }
    return tuple;
}

static PyObject *lander_view(PyObject *self, PyObject *args)
{
    const zilch_lander *lander;
    Py_ssize_t world;
    zilch_world_view view;
    (void)self;
    if (!PyArg_ParseTuple(args, "O&n", handle_to_lander, &lander, &world)) {
        return NULL;
    }
    const zilch_status status = zilch_lander_view(lander, (size_t)world, &view);
    PyObject *dict = status == ZILCH_OK ? fields_give(view_fields, &view) : raise_status(status);
    if (dict &&
        !(dict_put(dict, "x", numbers(view.x, 3)) && dict_put(dict, "y", numbers(view.y, 3)) &&
          dict_put(dict, "angle", numbers(view.angle, 3)) &&
          dict_put(dict, "ground", numbers(view.ground, 11)) &&
          dict_put(dict, "leg_touches", Py_BuildValue("(ii)", view.leg_touches[0], view.leg_touches[1])))) {
        Py_CLEAR(dict);
    }
    return dict;
}

/* ---- Controllers ------------------------------------------------------------------------- */

static PyObject *policy_act(PyObject *self, PyObject *args)
{
    PyObject *object[3];
    array a[3] = {{.data = NULL}};
    (void)self;
    if (!PyArg_ParseTuple(args, "OOO", &object[0], &object[1], &object[2]) ||
        !array_optional(&a[0], object[0], "parameters", 'd', ZILCH_POLICY_PARAMETERS)) {
        return NULL;
    }
    if (array_read(&a[1], object[1], "observations", 'f', ANY_COUNT) &&
        array_write(&a[2], object[2], "actions", 'd', (Py_ssize_t)a[1].count / 4)) {
        const size_t n = a[1].count / ZILCH_LANDER_OBSERVATIONS;
        if (a[0].data) {
            zilch_policy_act(a[0].data, n, a[1].data, a[2].data);
        } else {
            zilch_lander_heuristic(n, a[1].data, a[2].data);
        }
    }
    arrays_release(a, 3);
    return PyErr_Occurred() ? NULL : Py_NewRef(Py_None);
}

static PyObject *policy_format(PyObject *self, PyObject *args)
{
    PyObject *object;
    array x;
    size_t length = 0;
    (void)self;
    if (!PyArg_ParseTuple(args, "O", &object) ||
        !array_read(&x, object, "parameters", 'd', ZILCH_POLICY_PARAMETERS)) {
        return NULL;
    }
    zilch_status status = zilch_policy_format(x.data, NULL, 0, &length);
    char *text = status == ZILCH_OK ? PyMem_Malloc(length + 1) : NULL;
    PyObject *result = NULL;
    if (text && (status = zilch_policy_format(x.data, text, length + 1, &length)) == ZILCH_OK) {
        result = PyUnicode_FromString(text);
    } else if (status == ZILCH_OK) {
        PyErr_NoMemory();
    }
    PyMem_Free(text);
    array_release(&x);
    return status == ZILCH_OK ? result : raise_status(status);
}

static PyObject *policy_parse(PyObject *self, PyObject *args)
{
    const char *text;
    PyObject *object;
    array x;
    (void)self;
    if (!PyArg_ParseTuple(args, "sO", &text, &object) ||
        !array_write(&x, object, "parameters", 'd', ZILCH_POLICY_PARAMETERS)) {
        return NULL;
    }
    const zilch_status status = zilch_policy_parse(text, x.data);
    array_release(&x);
    return status == ZILCH_OK ? Py_NewRef(Py_None) : raise_status(status);
}

static PyObject *policy_published(PyObject *self, PyObject *args)
{
    (void)self;
    (void)args;
    return PyUnicode_FromString(zilch_policy_published());
}

/* ---- Episodes ------------------------------------------------------------------------------ */

/* Number of episodes by ending. */
static PyObject *endings(const size_t *count)
{
    PyObject *dict = PyDict_New();
    for (int k = ZILCH_LANDING_LANDED; dict && k < ZILCH_LANDINGS; k++) {
        if (!dict_put(dict, zilch_landing_name((zilch_landing)k), PyLong_FromSize_t(count[k]))) {
            Py_CLEAR(dict);
        }
    }
    return dict;
}

static PyObject *give_summary(size_t count, const zilch_episode *episode)
{
    zilch_episodes_summary summary;
    const zilch_status status = zilch_episodes_summarise(count, episode, &summary);
    PyObject *dict = status == ZILCH_OK ? fields_give(summary_fields, &summary) : raise_status(status);
    if (dict && !(dict_put(dict, "quartiles", numbers(summary.quartile, ZILCH_QUARTILES)) &&
                  dict_put(dict, "endings", endings(summary.ending)))) {
        Py_CLEAR(dict);
    }
    return dict;
}

/* Returns and steps go to the arrays; the rest is a dict. */
static PyObject *episodes_run(PyObject *self, PyObject *args)
{
    PyObject *object[3];
    PyObject *dict;
    unsigned long long seed;
    unsigned threads;
    array a[3] = {{.data = NULL}};
    zilch_lander_options options = zilch_lander_defaults();
    zilch_episode *episode = NULL;
    PyObject *result = NULL;
    signals s;
    (void)self;
    if (!PyArg_ParseTuple(args, "OOKIOO", &object[0], &dict, &seed, &threads, &object[1], &object[2]) ||
        !fields_take(lander_fields, &options, dict, "lander") ||
        !array_optional(&a[0], object[0], "parameters", 'd', ZILCH_POLICY_PARAMETERS)) {
        return NULL;
    }
    if (!array_write(&a[1], object[1], "returns", 'd', ANY_COUNT) ||
        !array_write(&a[2], object[2], "steps", 'I', (Py_ssize_t)a[1].count)) {
        goto done;
    }
    episode = PyMem_Malloc(a[1].count * sizeof *episode);
    if (!episode) {
        PyErr_NoMemory();
        goto done;
    }
    signals_begin(&s);
    const zilch_status status =
        zilch_episodes_run(a[0].data, &options, seed, a[1].count, threads, signals_watch, &s, episode);
    signals_end(&s);
    for (size_t k = 0; status == ZILCH_OK && k < a[1].count; k++) {
        ((double *)a[1].data)[k] = episode[k].total;
        ((unsigned *)a[2].data)[k] = episode[k].steps;
    }
    result = PyErr_Occurred()     ? NULL
             : status == ZILCH_OK ? give_summary(a[1].count, episode)
                                  : raise_status(status);
done:
    PyMem_Free(episode);
    arrays_release(a, 3);
    return result;
}

PyMethodDef lander_functions[] = {
    ROW(lander_create),    ROW(lander_reset), ROW(lander_step),     ROW(lander_read),   ROW(lander_pack),
    ROW(lander_unpack),    ROW(lander_view),  ROW(policy_act),      ROW(policy_format), ROW(policy_parse),
    ROW(policy_published), ROW(episodes_run), {NULL, NULL, 0, NULL}};
