/* Rows that several commands have in their tables. */
#ifndef OPTION_SHARED_H
#define OPTION_SHARED_H

#include "terminal/progress.h"

/* What is said on stderr while a command takes long. */
#define OPTION_PROGRESS                                                                 \
    {                                                                                   \
        "progress", 0, "FORM", CLI_CHOICE, &progress_form_chosen, 0, 0, progress_forms, \
            "How progress is shown; auto: a line on a terminal, else a log."            \
    }
#define OPTION_QUIET                                                                                         \
    {                                                                                                        \
        "quiet", 'q', NULL, CLI_FLAG, &progress_is_quiet, 0, 0, NULL, "Print the result only, and warnings." \
    }

/* Where episodes of the lander are flown: run/device.h. */
#define OPTION_DEVICE(value)                                                                                \
    {                                                                                                       \
        "device", 0, "NAME", CLI_CHOICE, (value), 0, 0, "cpu|cuda",                                         \
            "Where episodes of the lander are flown: on the processor, or on an NVIDIA graphics card. The " \
            "result does not depend on it."                                                                 \
    }

#endif
