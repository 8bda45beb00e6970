/* Studies: runs kept in one file. */
#include "core.h"

#include <math.h>

static PyObject *study_open(PyObject *self, PyObject *args)
{
    PyObject *path;
    int mode;
    zilch_study *study;
    (void)self;
    if (!PyArg_ParseTuple(args, "O&i", PyUnicode_FSConverter, &path, &mode)) {
        return NULL;
    }
    const zilch_status status = zilch_study_open(&study, PyBytes_AsString(path), (zilch_study_mode)mode);
    Py_DECREF(path);
    return status == ZILCH_OK ? handle_wrap(HANDLE_STUDY, study) : raise_status(status);
}

/* Once closed, every use is an error, and the file is free. */
static PyObject *study_close(PyObject *self, PyObject *args)
{
    handle *h;
    (void)self;
    if (!PyArg_ParseTuple(args, "O&", handle_to_study_owned, &h)) {
        return NULL;
    }
    zilch_study_close(h->object);
    h->object = NULL;
    Py_RETURN_NONE;
}

/* ---- Writing ---------------------------------------------------------------------------- */

/* A run that was asked for, and what keeps its texts. */
typedef struct asked {
    zilch_request request;
    zilch_limits limits;
    zilch_final_options final;
    zilch_setting *setting;
    const char **name;
    const zilch_optimizer *optimizer;
    int is_new, is_over;
} asked;

static void asked_free(asked *a)
{
    PyMem_Free(a->setting);
    PyMem_Free((void *)a->name);
}

/* Settings of one kind; the texts live as long as the dict. */
static int take_settings(asked *a, zilch_setting_kind kind, PyObject *dict)
{
    PyObject *key;
    PyObject *value;
    Py_ssize_t at = 0;
    const size_t count = a->request.settings + (size_t)PyDict_Size(dict);
    zilch_setting *more = PyMem_Realloc(a->setting, (count + 1) * sizeof *more);
    if (!more) {
        PyErr_NoMemory();
        return 0;
    }
    a->setting = more;
    while (PyDict_Next(dict, &at, &key, &value)) {
        const zilch_setting setting = {kind, PyUnicode_AsUTF8AndSize(key, NULL),
                                       PyUnicode_AsUTF8AndSize(value, NULL)};
        if (!setting.name || !setting.value) {
            return 0;
        }
        more[a->request.settings++] = setting;
    }
    a->request.setting = more;
    return 1;
}

static zilch_status find_or_start(zilch_study *study, asked *a, uint64_t *run)
{
    const zilch_status status = zilch_study_find(study, &a->request, a->optimizer, run, &a->is_over);
    a->is_new = *run == 0;
    return status != ZILCH_OK ? status
           : a->is_new        ? zilch_study_start(study, &a->request, a->optimizer, run)
           : a->is_over       ? ZILCH_OK
                              : zilch_study_set_limits(study, *run, &a->limits);
}

/* The run to go on with, or a new one; whether it is new, and whether it has ended in just this way. */
static PyObject *study_begin(PyObject *self, PyObject *args)
{
    handle *h;
    handle *optimizer;
    PyObject *dict[5];
    PyObject *names;
    asked a = {.limits = zilch_limits_defaults()};
    uint64_t run = 0;
    zilch_status status = ZILCH_OK;
    (void)self;
    if (!PyArg_ParseTuple(args, "O&O&O!O!O!O!O!O", handle_to_study_owned, &h, handle_to_optimizer_held,
                          &optimizer, &PyDict_Type, &dict[0], &PyDict_Type, &dict[1], &PyDict_Type, &dict[2],
                          &PyDict_Type, &dict[3], &PyDict_Type, &dict[4], &names)) {
        return NULL;
    }
    a.optimizer = optimizer->object;
    a.final = zilch_final_defaults(zilch_optimizer_settings(a.optimizer)->method);
    a.request.limits = &a.limits;
    a.request.final = &a.final;
    if (fields_take(request_fields, &a.request, dict[0], "study") &&
        options_take(ZILCH_SETTING_LIMIT, &a.limits, dict[1]) &&
        options_take(ZILCH_SETTING_FINAL, &a.final, dict[2]) &&
        take_settings(&a, ZILCH_SETTING_PROBLEM, dict[3]) &&
        take_settings(&a, ZILCH_SETTING_MEANS, dict[4]) &&
        names_take(&a.name, names, zilch_optimizer_dim(a.optimizer))) {
        a.request.coordinate_names = a.name;
        optimizer->is_busy = 1;
        UNLOCKED(h, status, find_or_start(h->object, &a, &run));
        optimizer->is_busy = 0;
    }
    asked_free(&a);
    return PyErr_Occurred()     ? NULL
           : status == ZILCH_OK ? Py_BuildValue("KOO", (unsigned long long)run, a.is_new ? Py_True : Py_False,
                                                a.is_over ? Py_True : Py_False)
                                : raise_status(status);
}

static PyObject *study_record(PyObject *self, PyObject *args)
{
    handle *h;
    handle *optimizer;
    unsigned long long run;
    zilch_timings timings;
    zilch_status status;
    (void)self;
    if (!PyArg_ParseTuple(args, "O&KO&dd", handle_to_study_owned, &h, &run, handle_to_optimizer_held,
                          &optimizer, &timings.evaluating, &timings.searching)) {
        return NULL;
    }
    optimizer->is_busy = 1;
    UNLOCKED(h, status, zilch_study_record(h->object, run, optimizer->object, &timings));
    optimizer->is_busy = 0;
    return status == ZILCH_OK ? Py_NewRef(Py_None) : raise_status(status);
}

static PyObject *study_resume(PyObject *self, PyObject *args)
{
    handle *h;
    unsigned long long run;
    zilch_optimizer *optimizer;
    zilch_status status;
    (void)self;
    if (!PyArg_ParseTuple(args, "O&K", handle_to_study_owned, &h, &run)) {
        return NULL;
    }
    UNLOCKED(h, status, zilch_study_resume(h->object, run, &optimizer));
    return status == ZILCH_OK ? handle_wrap(HANDLE_OPTIMIZER, optimizer) : raise_status(status);
}

static PyObject *study_conclude(PyObject *self, PyObject *args)
{
    handle *h;
    unsigned long long run;
    PyObject *dict;
    PyObject *point;
    array x = {.data = NULL};
    zilch_conclusion conclusion = {.held_out_mean = NAN, .held_out_error = NAN};
    zilch_status status;
    (void)self;
    if (!PyArg_ParseTuple(args, "O&KOO", handle_to_study_owned, &h, &run, &dict, &point) ||
        !fields_take(conclusion_fields, &conclusion, dict, "conclusion") ||
        !array_optional(&x, point, "x", 'd', ANY_COUNT)) {
        return NULL;
    }
    UNLOCKED(h, status, zilch_study_conclude(h->object, run, &conclusion, x.data));
    array_release(&x);
    return status == ZILCH_OK ? Py_NewRef(Py_None) : raise_status(status);
}

/* ---- Reading ------------------------------------------------------------------------------ */

/* What is read goes into a list. Coordinates have the length of their run's. */
typedef struct rows {
    PyObject *list;
    uint64_t run;
    size_t dim;
} rows;

/* Rows come while the study is read, with the interpreter's lock held: a dict for each, in a list. */
static zilch_status append(const rows *r, PyObject *row)
{
    const int failed = !row || PyList_Append(r->list, row);
    Py_XDECREF(row);
    return failed ? ZILCH_EOBJECTIVE : ZILCH_OK;
}

static zilch_status take_dim(void *context, const zilch_run *run)
{
    rows *r = context;
    r->dim = run->run == r->run ? run->dim : r->dim;
    return ZILCH_OK;
}

/* A dict for each kind, of texts by their names. */
static PyObject *give_settings(const zilch_request *r)
{
    PyObject *dict = PyDict_New();
    int is_whole = dict != NULL;
    for (int k = ZILCH_SETTING_OPTION; is_whole && k <= ZILCH_SETTING_MEANS; k++) {
        is_whole = dict_put(dict, zilch_setting_kind_name((zilch_setting_kind)k), PyDict_New());
    }
    for (size_t i = 0; is_whole && i < r->settings; i++) {
        const zilch_setting *s = &r->setting[i];
        PyObject *kind = PyDict_GetItemString(dict, zilch_setting_kind_name(s->kind));
        is_whole = dict_put(kind, s->name, text_give(s->value));
    }
    if (!is_whole) {
        Py_CLEAR(dict);
    }
    return dict;
}

static zilch_status take_run(void *context, const zilch_run *run)
{
    PyObject *dict = fields_give(run_fields, run);
    if (dict && !(dict_put(dict, "settings", give_settings(&run->request)) &&
                  dict_put(dict, "names", names_give(run->request.coordinate_names, run->dim)))) {
        Py_CLEAR(dict);
    }
    return append(context, dict);
}

static zilch_status take_generation(void *context, const zilch_generation *generation)
{
    return append(context, fields_give(generation_fields, generation));
}

/* The dict and the coordinates as bytes, or None. */
static PyObject *with_point(PyObject *dict, const double *x, size_t dim)
{
    PyObject *bytes =
        x ? PyBytes_FromStringAndSize((const char *)x, (Py_ssize_t)(dim * sizeof *x)) : Py_NewRef(Py_None);
    if (!dict || !bytes || PyDict_SetItemString(dict, "x", bytes)) {
        Py_CLEAR(dict);
    }
    Py_XDECREF(bytes);
    return dict;
}

static zilch_status take_evaluation(void *context, const zilch_evaluation *evaluation)
{
    const rows *r = context;
    return append(r, with_point(fields_give(evaluation_fields, evaluation), evaluation->x, r->dim));
}

static zilch_status take_conclusion(void *context, uint64_t generation, const zilch_conclusion *conclusion,
                                    const double *x)
{
    const rows *r = context;
    PyObject *dict = fields_give(conclusion_fields, conclusion);
    if (dict && !dict_put(dict, "generation", PyLong_FromUnsignedLongLong(generation))) {
        Py_CLEAR(dict);
    }
    return append(r, dict ? with_point(dict, x, r->dim) : NULL);
}

/* Making a row may run anything that is collected as garbage: the study is busy until it is read. */
static PyObject *read_rows(PyObject *args, zilch_status (*read)(zilch_study *study, rows *r))
{
    handle *h;
    unsigned long long run = 0;
    PyObject *list = PyArg_ParseTuple(args, "O&|K", handle_to_study_owned, &h, &run) ? PyList_New(0) : NULL;
    if (!list) {
        return NULL;
    }
    rows r = {list, run, 0};
    h->is_busy = 1;
    zilch_status status = run ? zilch_study_runs(h->object, take_dim, &r) : ZILCH_OK;
    status = status == ZILCH_OK ? read(h->object, &r) : status;
    h->is_busy = 0;
    if (status != ZILCH_OK) {
        Py_DECREF(list);
        return PyErr_Occurred() ? NULL : raise_status(status);
    }
    return list;
}

static zilch_status read_runs(zilch_study *study, rows *r)
{
    return zilch_study_runs(study, take_run, r);
}

#define READER(noun, take)                                       \
    static zilch_status read_##noun(zilch_study *study, rows *r) \
    {                                                            \
        return zilch_study_##noun(study, r->run, take, r);       \
    }
READER(generations, take_generation)
READER(evaluations, take_evaluation)
READER(conclusions, take_conclusion)

#define FUNCTION(noun)                                            \
    static PyObject *study_##noun(PyObject *self, PyObject *args) \
    {                                                             \
        (void)self;                                               \
        return read_rows(args, read_##noun);                      \
    }
FUNCTION(runs)
FUNCTION(generations)
FUNCTION(evaluations)
FUNCTION(conclusions)

PyMethodDef study_functions[] = {ROW(study_open),        ROW(study_close),       ROW(study_begin),
                                 ROW(study_record),      ROW(study_resume),      ROW(study_conclude),
                                 ROW(study_runs),        ROW(study_generations), ROW(study_evaluations),
                                 ROW(study_conclusions), {NULL, NULL, 0, NULL}};
