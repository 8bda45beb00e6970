/* What the files of the extension module share. zilch._core mirrors zilch.h call by call: handles are
 * capsules, arrays are anything with the buffer protocol, structures are dicts, and a status that is not OK
 * is an exception. What is comfortable is made of this in Python. */
#ifndef ZILCH_PYTHON_CORE_H
#define ZILCH_PYTHON_CORE_H

#define PY_SSIZE_T_CLEAN
#include "zilch.h"
#include <Python.h>

/* ---- Errors ---------------------------------------------------------------- */

/* Sets the exception that suits the status, in the library's words; gives NULL. */
PyObject *raise_status(zilch_status status);

/* ---- Handles ---------------------------------------------------------------- */

/* An object of the library in a capsule. Work is done without the interpreter's lock: `is_busy` then keeps
 * other threads out, and `is_driven` keeps callbacks from changing what is being driven. */
typedef struct handle {
    void *object;
    void (*destroy)(void *object);
    int is_busy, is_driven;
} handle;

typedef enum handle_kind {
    HANDLE_MODEL,
    HANDLE_OPTIMIZER,
    HANDLE_PROBLEM,
    HANDLE_LANDER,
    HANDLE_STUDY
} handle_kind;

/* Takes the object, also when it fails. */
PyObject *handle_wrap(handle_kind kind, void *object);

/* Converters for PyArg_ParseTuple's O&: to look at it, and to change it. */
int handle_to_model(PyObject *capsule, void *out);           /* const zilch_model ** */
int handle_to_problem(PyObject *capsule, void *out);         /* zilch_problem ** */
int handle_to_optimizer(PyObject *capsule, void *out);       /* const zilch_optimizer ** */
int handle_to_optimizer_owned(PyObject *capsule, void *out); /* handle ** */
int handle_to_optimizer_held(PyObject *capsule, void *out); /* handle **, to be marked busy while looked at */
int handle_to_lander(PyObject *capsule, void *out);         /* const zilch_lander ** */
int handle_to_lander_owned(PyObject *capsule, void *out);   /* handle ** */
int handle_to_study_owned(PyObject *capsule, void *out);    /* handle ** */
int handle_is(handle_kind kind, PyObject *object);

/* status = call, without the interpreter's lock and with the handle to itself. */
#define UNLOCKED(handle, status, call)             \
    do {                                           \
        (handle)->is_busy = 1;                     \
        Py_BEGIN_ALLOW_THREADS(status) = (call);   \
        Py_END_ALLOW_THREADS(handle)->is_busy = 0; \
    } while (0)

/* ---- Arrays ------------------------------------------------------------------ */

/* An argument's memory, C-contiguous. One that is zero may be released. */
typedef struct array {
    Py_buffer view;
    void *data;
    size_t count;
} array;

enum { ANY_COUNT = -1 };

/* Types by their letter in the struct module: d f Q q I, and ? for bool or byte. `name` is the argument's,
 * for errors. 0 with an exception. An optional one may be None: then data is NULL. */
int array_read(array *a, PyObject *object, const char *name, char type, Py_ssize_t count);
int array_optional(array *a, PyObject *object, const char *name, char type, Py_ssize_t count);
int array_write(array *a, PyObject *object, const char *name, char type, Py_ssize_t count);
void array_release(array *a);

/* ---- Structures as dicts ------------------------------------------------------- */

typedef enum field_kind {
    FIELD_SIZE,
    FIELD_U64,
    FIELD_DOUBLE,
    FIELD_FLAG,
    FIELD_UNSIGNED,
    FIELD_TEXT,
    FIELD_NAME
} field_kind;

typedef struct field {
    const char *name;
    field_kind kind;
    size_t offset;
    const char *(*get)(const void *at); /* of FIELD_NAME */
    zilch_status (*set)(const char *text, void *at);
} field;

extern const field optimizer_fields[], limits_fields[], model_fields[], lander_fields[], recommend_fields[],
    regression_fields[], progress_fields[], record_fields[], recommendation_fields[], report_fields[],
    info_fields[], fit_fields[], run_fields[], generation_fields[], evaluation_fields[], conclusion_fields[],
    texts_fields[], view_fields[];

/* A new dict, or one filled further. */
PyObject *fields_give(const field *fields, const void *structure);
int fields_put(const field *fields, const void *structure, PyObject *dict);
/* From a dict, or None: names that are not in the table are a TypeError, with `what` before it. */
int fields_take(const field *fields, void *structure, PyObject *dict, const char *what);

/* ---- Bytes and files ------------------------------------------------------------- */

/* How a kind of object is kept; zilch_X_pack, unpack, save and load are all alike. */
typedef struct keeping {
    handle_kind kind;
    int (*convert)(PyObject *capsule, void *out);
    zilch_status (*pack)(const void *object, void *buffer, size_t capacity, size_t *length);
    zilch_status (*unpack)(void **out, const void *buffer, size_t length);
    zilch_status (*save)(const void *object, const char *path);
    zilch_status (*load)(void **out, const char *path);
} keeping;

PyObject *keep_pack(const keeping *k, PyObject *args);
PyObject *keep_unpack(const keeping *k, PyObject *args);
PyObject *keep_save(const keeping *k, PyObject *args);
PyObject *keep_load(const keeping *k, PyObject *args);

/* ---- The functions of each file ---------------------------------------------------- */

extern PyMethodDef model_functions[], optimizer_functions[], problem_functions[], lander_functions[],
    study_functions[], drive_functions[];

#endif
