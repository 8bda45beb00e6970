/* The functions that ZILCH_ENUM declares in zilch.h: names of enums, from the lists there. */
#include "base/status.h"

#define TEXT(name, text) text,
#define DEFINE_NAMES(what, LIST)                                                         \
    static const char *const what[] = {ZILCH_##LIST##_LIST(TEXT)};                       \
    static const zi_names what##_names = {#what, sizeof(what) / sizeof *(what), (what)}; \
    const char *zilch_##what##_name(zilch_##what value)                                  \
    {                                                                                    \
        return zi_name(&what##_names, (unsigned)value);                                  \
    }                                                                                    \
    zilch_status zilch_##what##_parse(const char *name, zilch_##what *out)               \
    {                                                                                    \
        unsigned value = 0;                                                              \
        ZI_TRY(zi_name_parse(&what##_names, name, &value));                              \
        *out = (zilch_##what)value;                                                      \
        return ZILCH_OK;                                                                 \
    }

DEFINE_NAMES(inverter, INVERTER)
DEFINE_NAMES(structure, STRUCTURE)
DEFINE_NAMES(shrinkage, SHRINKAGE)
DEFINE_NAMES(projection, PROJECTION)
DEFINE_NAMES(block, BLOCK)
DEFINE_NAMES(labels, LABELS)
DEFINE_NAMES(landing, LANDING)
DEFINE_NAMES(method, METHOD)
DEFINE_NAMES(direction, DIRECTION)
DEFINE_NAMES(aggregate, AGGREGATE)
DEFINE_NAMES(reevaluate, REEVALUATE)
DEFINE_NAMES(weighting, WEIGHTING)
DEFINE_NAMES(forced, FORCED)
DEFINE_NAMES(setting_kind, SETTING_KIND)
DEFINE_NAMES(action, ACTION)
DEFINE_NAMES(stop, STOP)
DEFINE_NAMES(regression, REGRESSION)
DEFINE_NAMES(searched, SEARCHED)
DEFINE_NAMES(protocol, PROTOCOL)
