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

NAMED(law)
NAMED(direction)
NAMED(archive)
NAMED(again)
NAMED(structure)
NAMED(inverter)
NAMED(shrinkage)
NAMED(projection)
NAMED(weighting)
NAMED(values)
NAMED(stop)
NAMED(landing)
NAMED(regression)
NAMED(searched)

/* ---- Tables --------------------------------------------------------------------------- */

#define AT(member) offsetof(STRUCTURE, member)
#define SIZE(name, member)                       \
    {                                            \
        name, FIELD_SIZE, AT(member), NULL, NULL \
    }
#define U64(name, member)                       \
    {                                           \
        name, FIELD_U64, AT(member), NULL, NULL \
    }
#define DOUBLE(name, member)                       \
    {                                              \
        name, FIELD_DOUBLE, AT(member), NULL, NULL \
    }
#define FLAG(name, member)                       \
    {                                            \
        name, FIELD_FLAG, AT(member), NULL, NULL \
    }
#define UNSIGNED(name, member)                       \
    {                                                \
        name, FIELD_UNSIGNED, AT(member), NULL, NULL \
    }
#define TEXT(name, member)                       \
    {                                            \
        name, FIELD_TEXT, AT(member), NULL, NULL \
    }
#define NAME(name, member, kind)                             \
    {                                                        \
        name, FIELD_NAME, AT(member), get_##kind, set_##kind \
    }
#define END                             \
    {                                   \
        NULL, FIELD_SIZE, 0, NULL, NULL \
    }

#define STRUCTURE zilch_optimizer_options
const field optimizer_fields[] = {NAME("law", law, law),
                                  NAME("direction", direction, direction),
                                  NAME("archive", archive, archive),
                                  NAME("again", again, again),
                                  SIZE("population", population),
                                  SIZE("elites", elites),
                                  DOUBLE("share", share),
                                  DOUBLE("price", price),
                                  DOUBLE("initial_p", initial_p),
                                  DOUBLE("initial_mu", initial_mu),
                                  DOUBLE("initial_sigma", initial_sigma),
                                  DOUBLE("initial_spread", initial_spread),
                                  SIZE("remember", remember),
                                  U64("restart", restart),
                                  NAME("structure", model.structure, structure),
                                  SIZE("rank", model.rank),
                                  NAME("inverter", model.inverter, inverter),
                                  NAME("shrinkage", model.shrinkage, shrinkage),
                                  NAME("projection", model.projection, projection),
                                  DOUBLE("sigma_floor", model.sigma_floor),
                                  DOUBLE("prior_p", refit.prior_p),
                                  DOUBLE("prior_mu", refit.prior_mu),
                                  DOUBLE("prior_sigma", refit.prior_sigma),
                                  DOUBLE("prior_correlation", refit.prior_correlation),
                                  NAME("weighting", refit.weighting, weighting),
                                  NAME("values", refit.values, values),
                                  DOUBLE("margin", refit.margin),
                                  DOUBLE("shift", refit.shift),
                                  DOUBLE("copied", refit.copied),
                                  DOUBLE("redrawn", refit.redrawn),
                                  DOUBLE("timid", refit.timid),
                                  FLAG("widened", refit.is_widened),
                                  SIZE("active_least", active_least),
                                  SIZE("active_most", active_most),
                                  END};
#undef STRUCTURE

#define STRUCTURE zilch_limits
const field limits_fields[] = {U64("generations", generations), U64("evaluations", evaluations),
                               DOUBLE("target", target),        U64("stagnation", stagnation),
                               DOUBLE("over_ask", over_ask),    END};
#undef STRUCTURE

#define STRUCTURE zilch_recommend_options
const field recommend_fields[] = {SIZE("shortlist", shortlist), U64("evaluations", evaluations),
                                  FLAG("prune", prune), END};
#undef STRUCTURE

#define STRUCTURE zilch_model_options
const field model_fields[] = {NAME("structure", structure, structure),
                              SIZE("rank", rank),
                              NAME("inverter", inverter, inverter),
                              NAME("shrinkage", shrinkage, shrinkage),
                              NAME("projection", projection, projection),
                              DOUBLE("sigma_floor", sigma_floor),
                              END};
#undef STRUCTURE

#define STRUCTURE zilch_fit_report
const field report_fields[] = {NAME("structure", structure, structure),
                               NAME("inverter", inverter, inverter),
                               NAME("shrinkage", shrinkage, shrinkage),
                               NAME("projection", projection, projection),
                               DOUBLE("rows", rows),
                               DOUBLE("moved", moved),
                               DOUBLE("pull", pull),
                               END};
#undef STRUCTURE

#define STRUCTURE zilch_progress
const field progress_fields[] = {U64("generations", generations),
                                 U64("evaluations", evaluations),
                                 U64("failures", failures),
                                 U64("foreign", foreign),
                                 U64("points", points),
                                 U64("improved", improved),
                                 U64("restarts", restarts),
                                 SIZE("waiting", waiting),
                                 DOUBLE("noise", noise),
                                 DOUBLE("scale", scale),
                                 DOUBLE("best_value", best_value),
                                 DOUBLE("best_fitness", best_fitness),
                                 SIZE("best_active", best_active),
                                 END};
#undef STRUCTURE

#define STRUCTURE zilch_record
const field record_fields[] = {U64("point", point),
                               DOUBLE("value", value),
                               DOUBLE("fitness", fitness),
                               SIZE("active", active),
                               U64("evaluations", evaluations),
                               U64("failures", failures),
                               END};
#undef STRUCTURE

#define STRUCTURE zilch_recommendation
const field recommendation_fields[] = {U64("point", point),
                                       DOUBLE("mean", mean),
                                       DOUBLE("deviation", deviation),
                                       DOUBLE("fitness", fitness),
                                       U64("evaluations", evaluations),
                                       U64("failures", failures),
                                       U64("spent", spent),
                                       SIZE("active", active),
                                       SIZE("pruned", pruned),
                                       END};
#undef STRUCTURE

#define STRUCTURE zilch_lander_options
const field lander_fields[] = {DOUBLE("gravity", gravity),
                               FLAG("wind", wind),
                               DOUBLE("wind_power", wind_power),
                               DOUBLE("turbulence_power", turbulence_power),
                               UNSIGNED("most_steps", most_steps),
                               UNSIGNED("lanes", lanes),
                               END};
#undef STRUCTURE

#define STRUCTURE zilch_lander_view
const field view_fields[] = {NAME("landing", landing, landing), UNSIGNED("steps", steps),
                             DOUBLE("main_power", main_power),  DOUBLE("side_power", side_power),
                             DOUBLE("helipad", helipad),        END};
#undef STRUCTURE

#define STRUCTURE zilch_regression_options
const field regression_fields[] = {NAME("kind", kind, regression), NAME("searched", searched, searched),
                                   DOUBLE("validation", validation), END};
#undef STRUCTURE

#define STRUCTURE zilch_regression_fit
const field fit_fields[] = {DOUBLE("intercept", intercept),
                            DOUBLE("training_error", training_error),
                            DOUBLE("validation_error", validation_error),
                            DOUBLE("training_score", training_score),
                            DOUBLE("validation_score", validation_score),
                            END};
#undef STRUCTURE

#define STRUCTURE zilch_problem_info
const field info_fields[] = {TEXT("name", name),
                             TEXT("setting", setting),
                             SIZE("dim", dim),
                             NAME("direction", direction, direction),
                             DOUBLE("lower", lower),
                             DOUBLE("upper", upper),
                             DOUBLE("price", price),
                             FLAG("is_noisy", is_noisy),
                             END};
#undef STRUCTURE

#define STRUCTURE zilch_run_texts
const field texts_fields[] = {TEXT("name", name),           TEXT("problem", problem),
                              TEXT("arguments", arguments), TEXT("machine", machine),
                              TEXT("started", started),     END};
#undef STRUCTURE

#define STRUCTURE zilch_run
const field run_fields[] = {U64("run", run),
                            TEXT("name", texts.name),
                            TEXT("problem", texts.problem),
                            TEXT("arguments", texts.arguments),
                            TEXT("machine", texts.machine),
                            TEXT("started", texts.started),
                            TEXT("version", version),
                            U64("seed", seed),
                            SIZE("dim", dim),
                            NAME("law", law, law),
                            NAME("direction", direction, direction),
                            DOUBLE("price", price),
                            U64("generations", generations),
                            U64("evaluations", evaluations),
                            U64("failures", failures),
                            NAME("stop", stop, stop),
                            END};
#undef STRUCTURE

#define STRUCTURE zilch_generation
const field generation_fields[] = {U64("generation", generation),
                                   U64("evaluations", evaluations),
                                   U64("failures", failures),
                                   U64("points", points),
                                   DOUBLE("best_value", best_value),
                                   DOUBLE("best_fitness", best_fitness),
                                   SIZE("best_active", best_active),
                                   U64("best_point", best_point),
                                   DOUBLE("noise", noise),
                                   DOUBLE("evaluating", timings.evaluating),
                                   DOUBLE("searching", timings.searching),
                                   END};
#undef STRUCTURE

#define STRUCTURE zilch_evaluation
const field evaluation_fields[] = {U64("generation", generation), U64("id", id),
                                   U64("point", point),           DOUBLE("value", value),
                                   DOUBLE("fitness", fitness),    DOUBLE("weight", weight),
                                   SIZE("active", active),        END};
#undef STRUCTURE

#define STRUCTURE zilch_conclusion
const field conclusion_fields[] = {NAME("stop", stop, stop),
                                   FLAG("is_recommending", is_recommending),
                                   U64("point", recommendation.point),
                                   DOUBLE("mean", recommendation.mean),
                                   DOUBLE("deviation", recommendation.deviation),
                                   DOUBLE("fitness", recommendation.fitness),
                                   U64("evaluations", recommendation.evaluations),
                                   U64("failures", recommendation.failures),
                                   U64("spent", recommendation.spent),
                                   SIZE("active", recommendation.active),
                                   SIZE("pruned", recommendation.pruned),
                                   DOUBLE("held_out_mean", held_out_mean),
                                   DOUBLE("held_out_error", held_out_error),
                                   U64("held_out_count", held_out_count),
                                   END};
#undef STRUCTURE

/* ---- Giving ------------------------------------------------------------------------------ */

static PyObject *give(const field *f, const void *at)
{
    const char *text;
    switch (f->kind) {
    case FIELD_SIZE:
        return PyLong_FromSize_t(*(const size_t *)at);
    case FIELD_U64:
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
    return PyUnicode_DecodeUTF8(text ? text : "", (Py_ssize_t)strlen(text ? text : ""), "surrogateescape");
}

int fields_put(const field *fields, const void *structure, PyObject *dict)
{
    for (const field *f = fields; f->name; f++) {
        PyObject *value = give(f, (const char *)structure + f->offset);
        const int failed = !value || PyDict_SetItemString(dict, f->name, value);
        Py_XDECREF(value);
        if (failed) {
            return 0;
        }
    }
    return 1;
}

PyObject *fields_give(const field *fields, const void *structure)
{
    PyObject *dict = PyDict_New();
    if (dict && !fields_put(fields, structure, dict)) {
        Py_CLEAR(dict);
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
