/* Names of the enums in zilch.h, from the lists there: for each a name function and a parse
 * function. */
#include "base/status.h"

#define X(name, text) text,
static const char *const inverter[] = {ZILCH_INVERTER_LIST(X)};
static const char *const structure[] = {ZILCH_STRUCTURE_LIST(X)};
static const char *const shrinkage[] = {ZILCH_SHRINKAGE_LIST(X)};
static const char *const projection[] = {ZILCH_PROJECTION_LIST(X)};
static const char *const block[] = {ZILCH_BLOCK_LIST(X)};
static const char *const labels[] = {ZILCH_LABELS_LIST(X)};
static const char *const landing[] = {ZILCH_LANDING_LIST(X)};
static const char *const law[] = {ZILCH_LAW_LIST(X)};
static const char *const direction[] = {ZILCH_DIRECTION_LIST(X)};
static const char *const archive[] = {ZILCH_ARCHIVE_LIST(X)};
static const char *const again[] = {ZILCH_AGAIN_LIST(X)};
static const char *const weighting[] = {ZILCH_WEIGHTING_LIST(X)};
static const char *const values[] = {ZILCH_VALUES_LIST(X)};
static const char *const forced[] = {ZILCH_FORCED_LIST(X)};
static const char *const stop[] = {ZILCH_STOP_LIST(X)};
static const char *const regression[] = {ZILCH_REGRESSION_LIST(X)};
static const char *const searched[] = {ZILCH_SEARCHED_LIST(X)};
static const char *const protocol[] = {ZILCH_PROTOCOL_LIST(X)};
#undef X

#define DEFINE_NAMES(what)                                                               \
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

DEFINE_NAMES(inverter)
DEFINE_NAMES(structure)
DEFINE_NAMES(shrinkage)
DEFINE_NAMES(projection)
DEFINE_NAMES(block)
DEFINE_NAMES(labels)
DEFINE_NAMES(landing)
DEFINE_NAMES(law)
DEFINE_NAMES(direction)
DEFINE_NAMES(archive)
DEFINE_NAMES(again)
DEFINE_NAMES(weighting)
DEFINE_NAMES(values)
DEFINE_NAMES(forced)
DEFINE_NAMES(stop)
DEFINE_NAMES(regression)
DEFINE_NAMES(searched)
DEFINE_NAMES(protocol)
