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
    PyObject *repair; /* a function that the object calls, or NULL */
} handle;

typedef enum handle_kind {
    HANDLE_MODEL,
    HANDLE_OPTIMIZER,
    HANDLE_PROBLEM,
    HANDLE_LANDER,
    HANDLE_STUDY,
    HANDLE_JOURNAL
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
int handle_to_journal_owned(PyObject *capsule, void *out);  /* handle ** */
int handle_is(handle_kind kind, PyObject *object);

/* status = call, without the interpreter's lock and with the handle to itself. */
#define UNLOCKED(handle, status, call)             \
    do {                                           \
        (handle)->is_busy = 1;                     \
        Py_BEGIN_ALLOW_THREADS(status) = (call);   \
        Py_END_ALLOW_THREADS(handle)->is_busy = 0; \
    } while (0)

/* A zilch_watcher that looks for signals, such as Ctrl-C, now and then: while the library works on its own.
 * Only the thread that gave up the interpreter's lock looks; the others work on. */
typedef struct signals {
    PyThreadState *state;
    unsigned long thread;
    unsigned calls;
} signals;

void signals_begin(signals *s); /* gives up the lock */
int signals_watch(void *context, size_t done, size_t total);
void signals_end(signals *s); /* takes the lock; PyErr_Occurred() after a signal */

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
void arrays_release(array *a, size_t n);

/* ---- Linear limits ------------------------------------------------------------- */

/* (matrix, lower, upper), as rows for the search; or none, from None. One that is zero may be released. */
typedef struct linear_limits {
    array array[3];
    zilch_linear_limit *row;
    size_t count;
} linear_limits;

int linear_limits_take(linear_limits *out, PyObject *object, Py_ssize_t dim); /* 0 with an exception */
void linear_limits_release(linear_limits *l);

/* ---- Structures as dicts ------------------------------------------------------- */

typedef enum field_kind {
    FIELD_COUNT, /* uint64_t or size_t, which are the same */
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

extern const field model_fields[], lander_fields[], regression_fields[], progress_fields[], record_fields[],
    recommendation_fields[], report_fields[], info_fields[], fit_fields[], request_fields[], run_fields[],
    generation_fields[], evaluation_fields[], conclusion_fields[], view_fields[], summary_fields[];

PyObject *fields_give(const field *fields, const void *structure);
/* NULL is ""; bytes that are no UTF-8 come through. */
PyObject *text_give(const char *text);
/* A tuple of texts, one for each coordinate; NULL for None. To be freed by PyMem_Free(); the texts live as
 * long as the tuple. 0 with an exception. */
int names_take(const char ***out, PyObject *names, size_t dim);
PyObject *names_give(const char *const *names, size_t dim); /* a list; None for NULL */
/* Takes the value, which may be NULL after an exception: then 0. */
int dict_put(PyObject *dict, const char *name, PyObject *value);
/* From a dict, or None: names that are not in the table are a TypeError, with `what` before it. */
int fields_take(const field *fields, void *structure, PyObject *dict, const char *what);

/* ---- Options as dicts of texts ---------------------------------------------------- */

/* Options of the library's tables, of kind option, limit or final, go through zilch_option_parse() and
 * zilch_option_format(): here they are texts by their names. Python makes its own types of them. */
int options_take(zilch_setting_kind kind, void *options, PyObject *dict);
PyObject *options_give(zilch_setting_kind kind, const void *options);
/* From the defaults of the method that is in it. */
int options_take_optimizer(zilch_optimizer_options *options, PyObject *dict);

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

/* The eight functions of a kind of object, zilch_NOUN_pack and the others, for its table of functions. */
#define KEEPING(noun, id)                                                                       \
    static zilch_status pack(const void *object, void *buffer, size_t capacity, size_t *length) \
    {                                                                                           \
        return zilch_##noun##_pack(object, buffer, capacity, length);                           \
    }                                                                                           \
    static zilch_status unpack(void **out, const void *buffer, size_t length)                   \
    {                                                                                           \
        zilch_##noun *object;                                                                   \
        const zilch_status status = zilch_##noun##_unpack(&object, buffer, length);             \
        *out = object;                                                                          \
        return status;                                                                          \
    }                                                                                           \
    static zilch_status save(const void *object, const char *path)                              \
    {                                                                                           \
        return zilch_##noun##_save(object, path);                                               \
    }                                                                                           \
    static zilch_status load(void **out, const char *path)                                      \
    {                                                                                           \
        zilch_##noun *object;                                                                   \
        const zilch_status status = zilch_##noun##_load(&object, path);                         \
        *out = object;                                                                          \
        return status;                                                                          \
    }                                                                                           \
    static const keeping kept = {id, handle_to_##noun, pack, unpack, save, load};               \
    KEEPING_CALL(noun, pack)                                                                    \
    KEEPING_CALL(noun, unpack)                                                                  \
    KEEPING_CALL(noun, save)                                                                    \
    KEEPING_CALL(noun, load)
#define KEEPING_CALL(noun, verb)                                   \
    static PyObject *noun##_##verb(PyObject *self, PyObject *args) \
    {                                                              \
        (void)self;                                                \
        return keep_##verb(&kept, args);                           \
    }

/* A clock that is never set back. */
double journal_seconds(void);

/* ---- The functions of each file ---------------------------------------------------- */

extern PyMethodDef model_functions[], optimizer_functions[], problem_functions[], lander_functions[],
    study_functions[], steer_functions[], journal_functions[], drive_functions[], options_functions[],
    limits_functions[], dlpack_functions[];

#define ROW(name)                       \
    {                                   \
#name, name, METH_VARARGS, NULL \
    }

#endif
