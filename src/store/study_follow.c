/* Following a run that another process goes on with, and what people ask of it. A command is a row that waits
 * until the search has heeded it: neither needs to know whether the other is there. */
#include "store/study.h"

#include "base/memory.h"

#include <math.h>

static zilch_status read_version(zi_statement *row, void *context)
{
    *(uint64_t *)context = zi_column_u64(row);
    return zi_columns_check(row, "the version of the data", 0);
}

/* SQLite counts what others have committed, for each connection anew. */
zilch_status zilch_study_changes(zilch_study *study, uint64_t *out)
{
    uint64_t version;
    if (!study || !out) {
        return zi_fail(ZILCH_EARG, "study: it and a place for the number must be given");
    }
    ZI_TRY(zi_study_refresh(study));
    ZI_TRY(zi_sql_rows(study->sql, "PRAGMA data_version", NULL, read_version, &version));
    *out = study->openings << 32 | (version & UINT32_MAX);
    return ZILCH_OK;
}

/* ---- Commands -------------------------------------------------------------------------------------- */

int zilch_action_takes(zilch_action action, double value)
{
    if (action == ZILCH_ACTION_EVALUATIONS || action == ZILCH_ACTION_GENERATIONS) {
        return value >= 0.0 && value < 0x1p53 && value == floor(value);
    }
    return action == ZILCH_ACTION_PENALTY ? value >= 0.0 && isfinite(value) : isnan(value);
}

static zilch_status add(zilch_study *study, uint64_t run, zilch_action action, double value,
                        const char *asked)
{
    zi_run_shape shape;
    zi_statement *put;
    ZI_TRY(zi_run_shape_find(study, run, &shape));
    ZI_TRY(zi_study_prepare(study, ZI_ADD_COMMAND, &put));
    zi_bind_u64(put, run);
    zi_bind_text(put, zilch_action_name(action));
    zi_bind_double(put, value);
    zi_bind_text(put, zi_text_or_empty(asked));
    return zi_statement_run(put);
}

zilch_status zilch_study_ask_run(zilch_study *study, uint64_t run, zilch_action action, double value,
                                 const char *asked)
{
    ZI_TRY(zi_study_check_writable(study, study));
    if (!zilch_action_name(action)) {
        return zi_fail(ZILCH_EARG, "study: %d is nothing to ask of a run", (int)action);
    }
    if (!zilch_action_takes(action, value)) {
        return zi_fail(ZILCH_EARG,
                       action == ZILCH_ACTION_PENALTY    ? "study: %s: must be a number, 0 or more"
                       : zilch_action_takes(action, 1.0) ? "study: %s: must be a whole number"
                                                         : "study: %s: takes no value",
                       zilch_action_name(action));
    }
    ZI_TRY(zi_sql_begin(study->sql));
    return zi_sql_end(study->sql, add(study, run, action, value, asked));
}

typedef struct commands_reading {
    uint64_t run;
    zilch_command_reader reader;
    void *context;
} commands_reading;

static zilch_status read_command(zi_statement *row, void *context)
{
    const commands_reading *reading = context;
    zilch_command c = {.command = zi_column_count(row), .run = reading->run};
    row->is_sound &= zilch_action_parse(zi_column_text(row), &c.action) == ZILCH_OK;
    c.value = zi_column_double(row);
    row->is_sound &= zilch_action_takes(c.action, c.value);
    c.asked = zi_column_text(row);
    c.is_heeded = !zi_column_is_null(row);
    if (c.is_heeded) {
        c.generation = zi_column_count(row);
    }
    ZI_TRY(zi_columns_check(row, "command", c.command));
    return reading->reader(reading->context, &c);
}

#define COMMANDS "SELECT command, action, value, asked, generation FROM commands WHERE run = ?"

zilch_status zilch_study_commands(zilch_study *study, uint64_t run, int is_waiting,
                                  zilch_command_reader reader, void *context)
{
    if (!study || !reader) {
        return zi_fail(ZILCH_EARG, "study: it and a reader must be given");
    }
    commands_reading reading = {.run = run, .reader = reader, .context = context};
    return zi_study_rows(study,
                         is_waiting ? COMMANDS " AND generation IS NULL ORDER BY command"
                                    : COMMANDS " ORDER BY command",
                         run, read_command, &reading);
}

static zilch_status heed(zilch_study *study, uint64_t command, uint64_t generation)
{
    zi_statement *put;
    ZI_TRY(zi_study_prepare(study, ZI_HEED_COMMAND, &put));
    zi_bind_u64(put, generation);
    zi_bind_u64(put, command);
    return zi_statement_run(put);
}

zilch_status zilch_study_heed(zilch_study *study, uint64_t command, uint64_t generation)
{
    ZI_TRY(zi_study_check_writable(study, study));
    ZI_TRY(zi_sql_begin(study->sql));
    return zi_sql_end(study->sql, heed(study, command, generation));
}
