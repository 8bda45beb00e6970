/* The options of the library's tables, as texts by their names. */
#include "core.h"

#include <string.h>

static const zilch_option *rows(zilch_setting_kind kind, size_t *count)
{
    return kind == ZILCH_SETTING_OPTION  ? zilch_optimizer_option_list(count)
           : kind == ZILCH_SETTING_LIMIT ? zilch_limit_list(count)
                                         : zilch_final_list(count);
}

/* The error names the option. */
static int refuse(const char *name)
{
    PyObject *text = PyUnicode_FromFormat("%s: %s", name, zilch_last_error());
    const char *words = text ? PyUnicode_AsUTF8AndSize(text, NULL) : NULL;
    if (words) {
        raise_status(zilch_fail(ZILCH_EARG, words));
    }
    Py_XDECREF(text);
    return 0;
}

int options_take(zilch_setting_kind kind, void *options, PyObject *dict)
{
    PyObject *key;
    PyObject *value;
    Py_ssize_t at = 0;
    size_t count;
    const zilch_option *row = rows(kind, &count);
    while (PyDict_Next(dict, &at, &key, &value)) {
        const char *name = PyUnicode_AsUTF8AndSize(key, NULL);
        const char *text = name ? PyUnicode_AsUTF8AndSize(value, NULL) : NULL;
        size_t i = 0;
        while (text && i < count && strcmp(row[i].name, name) != 0) {
            i++;
        }
        if (!text) {
            return 0;
        }
        if (i == count) {
            PyErr_Format(PyExc_TypeError, "%U: there is no option of this name", key);
            return 0;
        }
        if (zilch_option_parse(&row[i], text, options) != ZILCH_OK) {
            return refuse(name);
        }
    }
    return 1;
}

int options_take_optimizer(zilch_optimizer_options *options, PyObject *dict)
{
    *options = zilch_optimizer_defaults();
    if (!options_take(ZILCH_SETTING_OPTION, options, dict)) {
        return 0;
    }
    *options = zilch_method_defaults(options->method);
    return options_take(ZILCH_SETTING_OPTION, options, dict);
}

PyObject *options_give(zilch_setting_kind kind, const void *options)
{
    char text[ZILCH_OPTION_SIZE];
    size_t count;
    const zilch_option *row = rows(kind, &count);
    PyObject *dict = PyDict_New();
    for (size_t i = 0; dict && i < count; i++) {
        zilch_option_format(&row[i], options, text);
        if (!dict_put(dict, row[i].name, PyUnicode_FromString(text))) {
            Py_CLEAR(dict);
        }
    }
    return dict;
}

/* ---- The tables --------------------------------------------------------------------------------- */

/* A converter: the kind of a table. */
static int kind_of(PyObject *object, void *out)
{
    zilch_setting_kind *kind = out;
    const char *name = PyUnicode_AsUTF8AndSize(object, NULL);
    const zilch_status status = name ? zilch_setting_kind_parse(name, kind) : ZILCH_OK;
    if (name && status == ZILCH_OK && *kind > ZILCH_SETTING_FINAL) {
        PyErr_Format(PyExc_ValueError, "%s: there is no table of this kind", name);
    }
    return name && (status == ZILCH_OK || raise_status(status)) && !PyErr_Occurred();
}

static PyObject *give_row(const zilch_option *o, const void *usual)
{
    char text[ZILCH_OPTION_SIZE];
    zilch_option_format(o, usual, text);
    return Py_BuildValue("{ss,si,si,sd,sd,sO,ss,ss,ss}", "name", o->name, "type", (int)o->type, "group",
                         (int)o->group, "least", o->least, "greatest", o->greatest, "may_be_none",
                         o->may_be_none ? Py_True : Py_False, "choices", o->choices ? o->choices : "",
                         "about", o->about, "default", text);
}

static PyObject *option_rows(PyObject *self, PyObject *args)
{
    size_t count;
    zilch_setting_kind kind;
    const zilch_optimizer_options options = zilch_optimizer_defaults();
    const zilch_limits limits = zilch_limits_defaults();
    const zilch_final_options final = zilch_final_defaults(options.method);
    const void *const usual[] = {
        [ZILCH_SETTING_OPTION] = &options, [ZILCH_SETTING_LIMIT] = &limits, [ZILCH_SETTING_FINAL] = &final};
    (void)self;
    if (!PyArg_ParseTuple(args, "O&", kind_of, &kind)) {
        return NULL;
    }
    const zilch_option *row = rows(kind, &count);
    PyObject *list = PyList_New((Py_ssize_t)count);
    for (size_t i = 0; list && i < count; i++) {
        PyObject *each = give_row(&row[i], usual[kind]);
        if (!each || PyList_SetItem(list, (Py_ssize_t)i, each)) {
            Py_CLEAR(list);
        }
    }
    return list;
}

/* What an option of 0.1 is called today: "" if it is gone, None if there never was one. */
static PyObject *option_renamed(PyObject *self, PyObject *args)
{
    const char *name;
    (void)self;
    return PyArg_ParseTuple(args, "s", &name) ? Py_BuildValue("z", zilch_option_renamed(name)) : NULL;
}

/* Reads the options of one kind, to see that they are right. */
static PyObject *option_check(PyObject *self, PyObject *args)
{
    PyObject *dict;
    zilch_setting_kind kind;
    union {
        zilch_optimizer_options options;
        zilch_limits limits;
        zilch_final_options final;
    } unused;
    (void)self;
    const int is_right =
        PyArg_ParseTuple(args, "O&O", kind_of, &kind, &dict) && options_take(kind, &unused, dict);
    return is_right ? Py_NewRef(Py_None) : NULL;
}

PyMethodDef options_functions[] = {
    ROW(option_rows), ROW(option_renamed), ROW(option_check), {NULL, NULL, 0, NULL}};
