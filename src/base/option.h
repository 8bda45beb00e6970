/* Options as rows of tables: how a list of zilch.h becomes an array of rows and a struct's defaults. */
#ifndef ZI_OPTION_H
#define ZI_OPTION_H

#include "base/status.h"

#define ZI_CHOICE_NAME(name, text) "|" text
#define ZI_ROW(name, type, group, ...) \
    {#name, ZILCH_OPTION_##type, ZILCH_OPTION_##group, __VA_ARGS__, offsetof(zi_options, name)},
#define ZI_CHOICE_ROW(name, list, usual, group, about) \
    ZI_ROW(name, CHOICE, group, 0, 0, 0, &ZILCH_##list##_LIST(ZI_CHOICE_NAME)[1], about)
#define ZI_COUNT_ROW(name, usual, least, greatest, group, about) \
    ZI_ROW(name, COUNT, group, least, greatest, 0, NULL, about)
#define ZI_NUMBER_ROW(name, usual, least, greatest, group, about) \
    ZI_ROW(name, NUMBER, group, least, greatest, (usual) != (usual), NULL, about)
#define ZI_FLAG_ROW(name, usual, group, about) ZI_ROW(name, FLAG, group, 0, 0, 0, NULL, about)

#define ZI_CHOICE_DEFAULT(name, list, usual, group, about) .name = (usual),
#define ZI_COUNT_DEFAULT(name, usual, least, greatest, group, about) .name = (usual),
#define ZI_NUMBER_DEFAULT(name, usual, least, greatest, group, about) .name = (usual),
#define ZI_FLAG_DEFAULT(name, usual, group, about) .name = (usual),

/* Once in a file: `rows`, of which there are ROWS, and the public function that gives them. */
#define ZI_OPTION_TABLE(type, LIST, list)                                                               \
    typedef type zi_options;                                                                            \
    static const zilch_option rows[] = {LIST(ZI_CHOICE_ROW, ZI_COUNT_ROW, ZI_NUMBER_ROW, ZI_FLAG_ROW)}; \
    enum { ROWS = sizeof rows / sizeof *rows };                                                         \
    const zilch_option *list(size_t *count)                                                             \
    {                                                                                                   \
        *count = ROWS;                                                                                  \
        return rows;                                                                                    \
    }

/* The struct of that table with its defaults. */
#define ZI_OPTION_DEFAULTS(LIST)              \
    ((zi_options){.size = sizeof(zi_options), \
                  LIST(ZI_CHOICE_DEFAULT, ZI_COUNT_DEFAULT, ZI_NUMBER_DEFAULT, ZI_FLAG_DEFAULT)})

/* EARG if an option of the struct is not what its row allows; `who` begins the message. */
zilch_status zi_options_check(const char *who, size_t count, const zilch_option *row, const void *options);

#endif
