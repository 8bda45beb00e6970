/* zilch._core: the extension module, on CPython's limited API. */
#include "core.h"

#include <string.h>

/* A message may have words of others in it, such as those of a program that evaluates. What is printable to
 * Python stays as it is; what is not, control characters and marks of direction among it, is escaped as
 * repr() does, for a traceback is printed on a terminal. */
static PyObject *message(const char *words)
{
    PyObject *text = PyUnicode_DecodeUTF8(words, (Py_ssize_t)strlen(words), "backslashreplace");
    PyObject *answer = text ? PyObject_CallMethod(text, "isprintable", NULL) : NULL;
    PyObject *quoted = answer && answer != Py_True ? PyObject_Repr(text) : NULL;
    PyObject *shown = quoted ? PyUnicode_Substring(quoted, 1, PyUnicode_GetLength(quoted) - 1) : NULL;
    Py_XDECREF(quoted);
    if (answer == Py_True) {
        shown = text;
    } else {
        Py_XDECREF(text);
    }
    Py_XDECREF(answer);
    return shown;
}

/* Where it is, as attributes of the exception: only those that apply. */
static int set_places(PyObject *error, const zilch_error *e)
{
    const struct {
        const char *name;
        size_t value;
    } places[] = {{"point", e->point},           {"row", e->row},         {"column", e->column},
                  {"coordinate", e->coordinate}, {"partner", e->partner}, {"line", e->line},
                  {"character", e->character},   {"field", e->field}};
    int failed = 0;
    for (size_t i = 0; i < sizeof places / sizeof *places && !failed; i++) {
        if (places[i].value != ZILCH_NOWHERE) {
            PyObject *number = PyLong_FromSize_t(places[i].value);
            failed = !number || PyObject_SetAttrString(error, places[i].name, number) != 0;
            Py_XDECREF(number);
        }
    }
    return failed;
}

PyObject *raise_status(zilch_status status)
{
    const zilch_error details = zilch_last_error_details();
    const char *words = *zilch_last_error() ? zilch_last_error() : zilch_status_text(status);
    PyObject *kind = PyExc_RuntimeError;
    switch (status) {
    case ZILCH_EARG:
    case ZILCH_EFORMAT:
    case ZILCH_EVERSION:
        kind = PyExc_ValueError;
        break;
    case ZILCH_ENOMEM:
        kind = PyExc_MemoryError;
        break;
    case ZILCH_ENUMERIC:
        kind = PyExc_ArithmeticError;
        break;
    case ZILCH_EIO:
        kind = PyExc_OSError;
        break;
    case ZILCH_EUNAVAILABLE:
        kind = PyExc_NotImplementedError;
        break;
    default:
        break;
    }
    PyObject *text = message(words);
    PyObject *error = text ? PyObject_CallFunctionObjArgs(kind, text, NULL) : NULL;
    if (error && set_places(error, &details) == 0) {
        PyErr_SetObject(kind, error);
    }
    Py_XDECREF(text);
    Py_XDECREF(error);
    return NULL;
}

static PyObject *version(PyObject *self, PyObject *args)
{
    (void)self;
    (void)args;
    return PyUnicode_FromString(zilch_version());
}

static PyObject *set_blas_threads(PyObject *self, PyObject *args)
{
    unsigned threads;
    (void)self;
    if (!PyArg_ParseTuple(args, "I", &threads)) {
        return NULL;
    }
    zilch_set_blas_threads(threads);
    Py_RETURN_NONE;
}

static PyMethodDef module_functions[] = {{"version", version, METH_NOARGS, NULL},
                                         {"set_blas_threads", set_blas_threads, METH_VARARGS, NULL},
                                         {NULL, NULL, 0, NULL}};

/* With one BLAS thread the same seed gives the same bits as the command. */
static int fill(PyObject *module)
{
    PyMethodDef *const functions[] = {module_functions,
                                      model_functions,
                                      optimizer_functions,
                                      problem_functions,
                                      lander_functions,
                                      study_functions,
                                      steer_functions,
                                      journal_functions,
                                      drive_functions,
                                      options_functions,
                                      limits_functions,
                                      dlpack_functions,
                                      NULL};
    for (size_t i = 0; functions[i]; i++) {
        if (PyModule_AddFunctions(module, functions[i])) {
            return -1;
        }
    }
    zilch_set_blas_threads(1);
    return 0;
}

/* The name that the interpreter looks for. */
PyMODINIT_FUNC PyInit__core(void); // NOLINT(readability-identifier-naming)

PyMODINIT_FUNC PyInit__core(void) // NOLINT(readability-identifier-naming)
{
    static PyModuleDef_Slot slots[] = {{Py_mod_exec, fill}, {0, NULL}};
    static PyModuleDef definition = {
        .m_base = PyModuleDef_HEAD_INIT, .m_name = "zilch._core", .m_slots = slots};
    return PyModuleDef_Init(&definition);
}
