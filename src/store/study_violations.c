/* Violations in a study. Their columns are there only if there has been one: a study without any is as it
 * always was, and one that an earlier zilch made gets them when it needs them, in the transaction that writes
 * the first. */
#include "store/schema.h"
#include "store/study.h"

#include <assert.h>
#include <math.h>

static zilch_status read_answer(zi_statement *row, void *context)
{
    *(int *)context = zi_column_count(row) != 0;
    return zi_columns_check(row, "the tables", 0);
}

/* The tables are ours to the letter: one that has the word has the column. */
static zilch_status look(zi_sql *sql, int *is_there)
{
    *is_there = 0;
    return zi_sql_rows(sql,
                       "SELECT count(*) FROM main.sqlite_schema WHERE name = 'evaluations'"
                       " AND sql LIKE '%violation%'",
                       NULL, read_answer, is_there);
}

zilch_status zi_study_choose(zilch_study *study, const char *with, const char *without, const char **out)
{
    int is_there;
    *out = without;
    ZI_TRY(zi_study_refresh(study));
    ZI_TRY(look(study->sql, &is_there));
    *out = is_there ? with : without;
    return ZILCH_OK;
}

zilch_status zi_study_set_violation(zilch_study *study, zi_study_write which, double violation, uint64_t run,
                                    size_t keys, const uint64_t *key)
{
    zi_statement *set;
    int is_there;
    if (!(violation > 0.0) || !isfinite(violation)) {
        return ZILCH_OK;
    }
    ZI_TRY(look(study->sql, &is_there));
    if (!is_there) {
        ZI_TRY(zi_sql_execute(study->sql, zi_schema_texts[2].text));
    }
    ZI_TRY(zi_study_prepare(study, which, &set));
    zi_bind_double(set, violation);
    zi_bind_u64(set, run);
    for (size_t i = 0; i < keys; i++) {
        zi_bind_u64(set, key[i]);
    }
    return zi_statement_run(set);
}

double zi_column_violation(zi_statement *row)
{
    const double violation = zi_column_double(row);
    row->is_sound &= violation >= 0.0 && isfinite(violation);
    return violation >= 0.0 ? violation : 0.0;
}

zilch_status zilch_study_has_violations(zilch_study *study, int *result)
{
    if (!study || !result) {
        return zi_fail(ZILCH_EARG, "study: it and a place for the result must be given");
    }
    *result = 0;
    ZI_TRY(zi_study_refresh(study));
    return look(study->sql, result);
}
