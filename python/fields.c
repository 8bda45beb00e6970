/* The library's structures as dicts: a table for each, one way there and one back. */
#include "core.h"

#include <stddef.h>
#include <string.h>

/* ---- Names of enumerations -------------------------------------------------------- */

#define NAMED(kind)                                            \
    static const char *get_##kind(const void *at)              \
    {                                                          \
        return zilch_##kind##_name(*(const zilch_##kind *)at); \
    }                                                          \
    static zilch_status set_##kind(const char *text, void *at) \
    {                                                          \
        return zilch_##kind##_parse(text, (zilch_##kind *)at); \
    }

NAMED(method)
NAMED(direction)
NAMED(structure)
NAMED(inverter)
NAMED(shrinkage)
NAMED(projection)
NAMED(stop)
NAMED(landing)
NAMED(regression)
NAMED(searched)

/* ---- Tables --------------------------------------------------------------------------- */

/* A row has the name of its member. ROW_OF() is for a member of a member. */
#define ROW_OF(kind, name, member)                                   \
    {                                                                \
#name, FIELD_##kind, offsetof(STRUCTURE, member), NULL, NULL \
    }
#define COUNT(member) ROW_OF(COUNT, member, member)
#define DOUBLE(member) ROW_OF(DOUBLE, member, member)
#define FLAG(member) ROW_OF(FLAG, member, member)
#define UNSIGNED(member) ROW_OF(UNSIGNED, member, member)
#define TEXT(member) ROW_OF(TEXT, member, member)
#define NAME_OF(member, kind)                                                    \
    {                                                                            \
#member, FIELD_NAME, offsetof(STRUCTURE, member), get_##kind, set_##kind \
    }
#define NAME(member) NAME_OF(member, member)
#define END                              \
    {                                    \
        NULL, FIELD_COUNT, 0, NULL, NULL \
    }

#define STRUCTURE zilch_model_options
const field model_fields[] = {
    NAME(structure),     COUNT(rank), NAME(inverter), NAME(shrinkage), NAME(projection),
    DOUBLE(sigma_floor), END};
#undef STRUCTURE

#define STRUCTURE zilch_fit_report
const field report_fields[] = {NAME(structure),
                               NAME(inverter),
                               NAME(shrinkage),
                               NAME(projection),
                               DOUBLE(rows),
                               DOUBLE(projection_distance),
                               DOUBLE(identity_weight),
                               END};
#undef STRUCTURE

#define STRUCTURE zilch_progress
const field progress_fields[] = {
    COUNT(generations), COUNT(evaluations),   COUNT(failures),    COUNT(foreign),         COUNT(points),
    COUNT(improved),    COUNT(restarts),      COUNT(waiting),     DOUBLE(noise),          DOUBLE(scale),
    DOUBLE(best_value), DOUBLE(best_fitness), COUNT(best_active), DOUBLE(best_violation), END};
#undef STRUCTURE

#define STRUCTURE zilch_record
const field record_fields[] = {COUNT(point),      DOUBLE(value),      DOUBLE(fitness),
                               COUNT(active),     COUNT(evaluations), COUNT(failures),
                               DOUBLE(violation), DOUBLE(error),      END};
#undef STRUCTURE

#define STRUCTURE zilch_recommendation
const field recommendation_fields[] = {COUNT(point),
                                       DOUBLE(mean),
                                       DOUBLE(deviation),
                                       DOUBLE(fitness),
                                       COUNT(evaluations),
                                       COUNT(failures),
                                       COUNT(spent),
                                       COUNT(active),
                                       COUNT(pruned),
                                       DOUBLE(violation),
                                       END};
#undef STRUCTURE

#define STRUCTURE zilch_lander_options
const field lander_fields[] = {
    DOUBLE(gravity), FLAG(wind), DOUBLE(wind_power), DOUBLE(turbulence_power), UNSIGNED(max_steps),
    UNSIGNED(lanes), END};
#undef STRUCTURE

#define STRUCTURE zilch_world_view
const field view_fields[] = {NAME(landing),      UNSIGNED(steps), DOUBLE(main_power),
                             DOUBLE(side_power), DOUBLE(helipad), END};
#undef STRUCTURE

#define STRUCTURE zilch_regression_options
const field regression_fields[] = {NAME_OF(kind, regression), NAME(searched), DOUBLE(validation), END};
#undef STRUCTURE

#define STRUCTURE zilch_regression_fit
const field fit_fields[] = {DOUBLE(intercept),      DOUBLE(training_error),   DOUBLE(validation_error),
                            DOUBLE(training_score), DOUBLE(validation_score), END};
#undef STRUCTURE

#define STRUCTURE zilch_problem_info
const field info_fields[] = {TEXT(name),      TEXT(setting),  COUNT(dim),
                             NAME(direction), DOUBLE(lower),  DOUBLE(upper),
                             DOUBLE(penalty), FLAG(is_noisy), END};
#undef STRUCTURE

#define STRUCTURE zilch_request
const field request_fields[] = {TEXT(name), TEXT(problem), TEXT(machine), TEXT(started), END};
#undef STRUCTURE

#define STRUCTURE zilch_run
const field run_fields[] = {COUNT(run),
                            ROW_OF(TEXT, name, request.name),
                            ROW_OF(TEXT, problem, request.problem),
                            ROW_OF(TEXT, data, request.data),
                            ROW_OF(TEXT, fingerprint, request.fingerprint),
                            ROW_OF(TEXT, machine, request.machine),
                            ROW_OF(TEXT, started, request.started),
                            TEXT(version),
                            COUNT(seed),
                            COUNT(dim),
                            NAME(method),
                            NAME(direction),
                            DOUBLE(penalty),
                            COUNT(generations),
                            COUNT(evaluations),
                            COUNT(failures),
                            COUNT(spent),
                            COUNT(arrived),
                            NAME(stop),
                            END};
#undef STRUCTURE

#define STRUCTURE zilch_generation
const field generation_fields[] = {COUNT(generation),
                                   COUNT(evaluations),
                                   COUNT(failures),
                                   COUNT(points),
                                   DOUBLE(best_value),
                                   DOUBLE(best_fitness),
                                   COUNT(best_active),
                                   COUNT(best_point),
                                   DOUBLE(noise),
                                   DOUBLE(best_violation),
                                   ROW_OF(DOUBLE, evaluating, timings.evaluating),
                                   ROW_OF(DOUBLE, searching, timings.searching),
                                   END};
#undef STRUCTURE

#define STRUCTURE zilch_episodes_summary
const field summary_fields[] = {DOUBLE(mean), DOUBLE(deviation), DOUBLE(solved), END};
#undef STRUCTURE

#define STRUCTURE zilch_evaluation
const field evaluation_fields[] = {COUNT(generation), COUNT(id),         COUNT(point),
                                   DOUBLE(value),     DOUBLE(fitness),   DOUBLE(weight),
                                   COUNT(active),     DOUBLE(violation), END};
#undef STRUCTURE

#define STRUCTURE zilch_conclusion
const field conclusion_fields[] = {NAME(stop),
                                   FLAG(is_recommending),
                                   ROW_OF(COUNT, point, recommendation.point),
                                   ROW_OF(DOUBLE, mean, recommendation.mean),
                                   ROW_OF(DOUBLE, deviation, recommendation.deviation),
                                   ROW_OF(DOUBLE, fitness, recommendation.fitness),
                                   ROW_OF(COUNT, evaluations, recommendation.evaluations),
                                   ROW_OF(COUNT, failures, recommendation.failures),
                                   ROW_OF(COUNT, spent, recommendation.spent),
                                   ROW_OF(COUNT, active, recommendation.active),
                                   ROW_OF(COUNT, pruned, recommendation.pruned),
                                   ROW_OF(DOUBLE, violation, recommendation.violation),
                                   DOUBLE(held_out_mean),
                                   DOUBLE(held_out_error),
                                   COUNT(held_out_count),
                                   END};
#undef STRUCTURE

/* ---- Giving ------------------------------------------------------------------------------ */

PyObject *text_give(const char *text)
{
    return PyUnicode_DecodeUTF8(text ? text : "", (Py_ssize_t)strlen(text ? text : ""), "surrogateescape");
}

int names_take(const char ***out, PyObject *names, size_t dim)
{
    *out = NULL;
    if (names == Py_None) {
        return 1;
    }
    if (!PyTuple_Check(names) || (size_t)PyTuple_Size(names) != dim) {
        PyErr_Format(PyExc_ValueError, "names: must be %zu texts, one for each coordinate", dim);
        return 0;
    }
    const char **name = PyMem_Calloc(dim + 1, sizeof *name);
    if (!name) {
        PyErr_NoMemory();
        return 0;
    }
    for (size_t i = 0; i < dim; i++) {
        name[i] = PyUnicode_AsUTF8AndSize(PyTuple_GetItem(names, (Py_ssize_t)i), NULL);
        if (!name[i]) {
            PyMem_Free((void *)name);
            return 0;
        }
    }
    *out = name;
    return 1;
}

PyObject *names_give(const char *const *names, size_t dim)
{
    PyObject *list = names ? PyList_New((Py_ssize_t)dim) : Py_NewRef(Py_None);
    for (size_t i = 0; list && names && i < dim; i++) {
        PyObject *name = text_give(names[i]);
        if (!name || PyList_SetItem(list, (Py_ssize_t)i, name)) {
            Py_CLEAR(list);
        }
    }
    return list;
}

int dict_put(PyObject *dict, const char *name, PyObject *value)
{
    const int is_put = value && PyDict_SetItemString(dict, name, value) == 0;
    Py_XDECREF(value);
    return is_put;
}

static PyObject *give(const field *f, const void *at)
{
    const char *text;
    switch (f->kind) {
    case FIELD_COUNT:
        return PyLong_FromUnsignedLongLong(*(const uint64_t *)at);
    case FIELD_DOUBLE:
        return PyFloat_FromDouble(*(const double *)at);
    case FIELD_FLAG:
        return PyBool_FromLong(*(const int *)at);
    case FIELD_UNSIGNED:
        return PyLong_FromUnsignedLong(*(const unsigned *)at);
    case FIELD_TEXT:
        text = *(const char *const *)at;
        break;
    default:
        text = f->get(at);
    }
    return text_give(text);
}

PyObject *fields_give(const field *fields, const void *structure)
{
    PyObject *dict = PyDict_New();
    for (const field *f = fields; dict && f->name; f++) {
        if (!dict_put(dict, f->name, give(f, (const char *)structure + f->offset))) {
            Py_CLEAR(dict);
        }
    }
    return dict;
}

/* ---- Taking -------------------------------------------------------------------------------- */

/* An integer that is not negative, also one of NumPy's; the error names the option. */
static int take_count(const field *f, PyObject *value, unsigned long long most, unsigned long long *out)
{
    PyObject *number = PyNumber_Index(value);
    *out = number ? PyLong_AsUnsignedLongLong(number) : 0;
    Py_XDECREF(number);
    if (!PyErr_Occurred() && *out <= most) {
        return 1;
    }
    PyObject *kind = number ? PyExc_ValueError : PyExc_TypeError;
    PyErr_Clear();
    PyErr_Format(kind, "%s: must be a whole number from 0 on, not %R", f->name, value);
    return 0;
}

static int take_double(const field *f, PyObject *value, double *out)
{
    *out = PyFloat_AsDouble(value);
    if (!PyErr_Occurred()) {
        return 1;
    }
    PyErr_Clear();
    PyErr_Format(PyExc_TypeError, "%s: must be a number, not %R", f->name, value);
    return 0;
}

static int take_name(const field *f, PyObject *value, void *at)
{
    Py_ssize_t length;
    const char *text = PyUnicode_Check(value) ? PyUnicode_AsUTF8AndSize(value, &length) : NULL;
    if (!text || strlen(text) != (size_t)length) {
        PyErr_Format(PyExc_TypeError, "%s: must be a name, not %R", f->name, value);
        return 0;
    }
    const zilch_status status = f->set(text, at);
    return status == ZILCH_OK || raise_status(status);
}

static int take_text(PyObject *value, void *at)
{
    const char *text = PyUnicode_AsUTF8AndSize(value, NULL); /* lives as long as the dict */
    *(const char **)at = text;
    return text != NULL;
}

static int take(const field *f, PyObject *value, void *at)
{
    unsigned long long count;
    switch (f->kind) {
    case FIELD_DOUBLE:
        return take_double(f, value, at);
    case FIELD_NAME:
        return take_name(f, value, at);
    case FIELD_TEXT:
        return take_text(value, at);
    case FIELD_FLAG:
        *(int *)at = PyObject_IsTrue(value);
        return *(int *)at >= 0;
    case FIELD_UNSIGNED:
        if (!take_count(f, value, UINT_MAX, &count)) {
            return 0;
        }
        *(unsigned *)at = (unsigned)count;
        return 1;
    default: /* both 64 bits wide */
        if (!take_count(f, value, UINT64_MAX, &count)) {
            return 0;
        }
        memcpy(at, &count, sizeof count);
        return 1;
    }
}

_Static_assert(sizeof(size_t) == sizeof(unsigned long long) && sizeof(uint64_t) == sizeof(size_t), "64 bits");

static const field *find(const field *fields, const char *name)
{
    while (fields->name && strcmp(fields->name, name) != 0) {
        fields++;
    }
    return fields->name ? fields : NULL;
}

int fields_take(const field *fields, void *structure, PyObject *dict, const char *what)
{
    PyObject *key;
    PyObject *value;
    Py_ssize_t at = 0;
    if (dict == Py_None) {
        return 1;
    }
    if (!PyDict_Check(dict)) {
        PyErr_Format(PyExc_TypeError, "%s: must be a dict", what);
        return 0;
    }
    while (PyDict_Next(dict, &at, &key, &value)) {
        const char *name = PyUnicode_Check(key) ? PyUnicode_AsUTF8AndSize(key, NULL) : NULL;
        const field *f = name ? find(fields, name) : NULL;
        if (!f) {
            PyErr_Format(PyExc_TypeError, "%s: there is no option %R", what, key);
            return 0;
        }
        if (!take(f, value, (char *)structure + f->offset)) {
            return 0;
        }
    }
    return 1;
}
