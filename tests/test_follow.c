/* Following a run that somebody else goes on with, and what is asked of it. */
#include "search_support.h"

#include <sqlite3.h>
#include <string.h>

enum { DIM = 5, N = 12, GENERATIONS = 4 };

#define OK(call)                                        \
    do {                                                \
        if ((call) != ZILCH_OK) {                       \
            fail_msg(#call ": %s", zilch_last_error()); \
        }                                               \
    } while (0)

static zilch_status objective(void *context, const zilch_batch *batch, double *value)
{
    (void)context;
    for (size_t i = 0; i < batch->n; i++) {
        value[i] = noisy_value(batch->dim, batch->id[i], batch->x + i * batch->dim);
    }
    return ZILCH_OK;
}

static zilch_status record(void *context, const zilch_optimizer *optimizer)
{
    const uint64_t generation = zilch_optimizer_progress(optimizer).generations;
    const uint64_t id = 1000; /* no value has it, which would mend the failure */
    const zilch_failure failure = {.generation = generation, .id = id, .reason = "why", .output = "out"};
    OK(zilch_study_fail(context, 1, 1, &failure));
    return zilch_study_record(context, 1, optimizer, NULL);
}

static zilch_study *make_study(void)
{
    zilch_study *study;
    uint64_t run;
    const zilch_optimizer_options options = small_defaults(ZILCH_METHOD_DEFAULT, N, 4);
    zilch_optimizer *o = create_with(DIM, 3, &options);
    zilch_limits limits = zilch_limits_defaults();
    limits.generations = GENERATIONS;
    (void)remove(scratch.file);
    OK(zilch_study_open(&study, scratch.file, ZILCH_STUDY_CREATE));
    OK(zilch_study_start(study, NULL, o, &run));
    OK(zilch_optimizer_run(o, objective, NULL, &limits, record, study, NULL));
    zilch_optimizer_destroy(o);
    return study;
}

static void edit(const char *text)
{
    sqlite3 *database;
    assert_int_equal(sqlite3_open(scratch.file, &database), SQLITE_OK);
    assert_int_equal(sqlite3_exec(database, text, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(database);
}

/* ---- Parts ------------------------------------------------------------------------------------------- */

typedef struct seen {
    uint64_t first, last;
    size_t count;
} seen;

static void see(seen *s, uint64_t generation)
{
    s->first = s->count ? s->first : generation;
    s->last = generation;
    s->count++;
}

static zilch_status see_generation(void *context, const zilch_generation *g)
{
    see(context, g->generation);
    return ZILCH_OK;
}

static zilch_status see_evaluation(void *context, const zilch_evaluation *e)
{
    assert_non_null(e->x);
    see(context, e->generation);
    return ZILCH_OK;
}

static zilch_status see_failure(void *context, const zilch_failure *f)
{
    assert_string_equal(f->reason, "why");
    see(context, f->generation);
    return ZILCH_OK;
}

static void parts_are_read_alone(void **state)
{
    (void)state;
    zilch_study *study = make_study();
    static const struct {
        zilch_span span;
        uint64_t first, last;
    } cases[] = {{{0, UINT64_MAX}, 1, GENERATIONS},
                 {{1, 1}, 1, 1},
                 {{2, 3}, 2, 3},
                 {{GENERATIONS, 99}, GENERATIONS, GENERATIONS},
                 {{GENERATIONS + 1, UINT64_MAX}, 0, 0},
                 {{UINT64_MAX, UINT64_MAX}, 0, 0},
                 {{3, 2}, 0, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const zilch_span span = cases[i].span;
        seen g = {0}, e = {0}, f = {0};
        OK(zilch_study_generations_between(study, 1, span, see_generation, &g));
        OK(zilch_study_evaluations_between(study, 1, span, see_evaluation, &e));
        OK(zilch_study_failures_between(study, 1, span, see_failure, &f));
        const size_t count = cases[i].last ? cases[i].last - cases[i].first + 1 : 0;
        assert_int_equal(g.count, count);
        assert_int_equal(f.count, count);
        assert_true(count ? e.count >= count : e.count == 0);
        assert_int_equal(g.first, cases[i].first);
        assert_int_equal(g.last, cases[i].last);
        assert_int_equal(e.first, cases[i].first);
        assert_int_equal(e.last, cases[i].last);
    }
    assert_int_equal(zilch_study_generations_between(study, 2, cases[0].span, see_generation, NULL),
                     ZILCH_EARG);
    assert_int_equal(zilch_study_generations_between(study, 1, cases[0].span, NULL, NULL), ZILCH_EARG);
    zilch_study_close(study);
}

static void a_missing_generation_is_damage(void **state)
{
    (void)state;
    zilch_study_close(make_study());
    edit("PRAGMA foreign_keys = OFF; DELETE FROM generations WHERE generation = 3");
    zilch_study *study;
    seen s = {0};
    OK(zilch_study_open(&study, scratch.file, ZILCH_STUDY_READ));
    OK(zilch_study_generations_between(study, 1, (zilch_span){1, 2}, see_generation, &s));
    assert_int_equal(zilch_study_generations_between(study, 1, (zilch_span){2, 4}, see_generation, &s),
                     ZILCH_EFORMAT);
    assert_int_equal(zilch_study_generations_between(study, 1, (zilch_span){3, 4}, see_generation, &s),
                     ZILCH_EFORMAT);
    zilch_study_close(study);
}

/* ---- Changes ------------------------------------------------------------------------------------------- */

static void changes_of_others_are_noticed(void **state)
{
    (void)state;
    zilch_study *writer = make_study();
    zilch_study *reader;
    uint64_t first, same, later;
    OK(zilch_study_open(&reader, scratch.file, ZILCH_STUDY_READ));
    OK(zilch_study_changes(reader, &first));
    OK(zilch_study_changes(reader, &same));
    assert_int_equal(first, same);
    for (int i = 0; i < 20; i++) {
        OK(zilch_study_ask_run(writer, 1, ZILCH_ACTION_PAUSE, NAN, "now"));
        OK(zilch_study_changes(reader, &later));
        assert_int_not_equal(later, same);
        same = later;
    }
    zilch_study_close(writer); /* the log goes away, and the next writer makes another one */
    OK(zilch_study_changes(reader, &same));
    OK(zilch_study_open(&writer, scratch.file, ZILCH_STUDY_WRITE));
    OK(zilch_study_ask_run(writer, 1, ZILCH_ACTION_GO_ON, NAN, "now"));
    OK(zilch_study_changes(reader, &later));
    assert_int_not_equal(later, same);
    assert_int_equal(zilch_study_changes(NULL, &later), ZILCH_EARG);
    assert_int_equal(zilch_study_changes(reader, NULL), ZILCH_EARG);
    zilch_study_close(reader);
    zilch_study_close(writer);
}

/* ---- Commands ------------------------------------------------------------------------------------------ */

typedef struct listed {
    zilch_command command[8];
    size_t count;
} listed;

static zilch_status list(void *context, const zilch_command *command)
{
    listed *l = context;
    assert_string_equal(command->asked, "then");
    l->command[l->count++] = *command;
    return ZILCH_OK;
}

static void commands_wait_until_they_are_heeded(void **state)
{
    (void)state;
    zilch_study *study = make_study();
    listed l = {0};
    OK(zilch_study_ask_run(study, 1, ZILCH_ACTION_PAUSE, NAN, "then"));
    OK(zilch_study_ask_run(study, 1, ZILCH_ACTION_EVALUATIONS, 400.0, "then"));
    OK(zilch_study_heed(study, 1, 0));
    OK(zilch_study_heed(study, 1, 3)); /* once */
    OK(zilch_study_commands(study, 1, 0, list, &l));
    assert_int_equal(l.count, 2);
    assert_true(l.command[0].is_heeded && l.command[0].generation == 0 && isnan(l.command[0].value));
    assert_int_equal(l.command[0].action, ZILCH_ACTION_PAUSE);
    assert_false(l.command[1].is_heeded);
    assert_true(l.command[1].value == 400.0);
    l.count = 0;
    OK(zilch_study_commands(study, 1, 1, list, &l));
    assert_int_equal(l.count, 1);
    assert_int_equal(l.command[0].command, 2);
    zilch_study_close(study);
}

static void what_is_no_command_is_refused(void **state)
{
    (void)state;
    zilch_study *study = make_study();
    assert_int_equal(zilch_study_ask_run(study, 2, ZILCH_ACTION_STOP, NAN, ""), ZILCH_EARG);
    assert_int_equal(zilch_study_ask_run(study, 1, ZILCH_ACTION_STOP, 1.0, ""), ZILCH_EARG);
    assert_int_equal(zilch_study_ask_run(study, 1, (zilch_action)99, NAN, ""), ZILCH_EARG);
    static const double wrong[] = {NAN, -1.0, 1.5, INFINITY, 0x1p60};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(zilch_study_ask_run(study, 1, ZILCH_ACTION_GENERATIONS, wrong[i], ""), ZILCH_EARG);
        const int is_penalty = wrong[i] >= 0.0 && isfinite(wrong[i]);
        assert_int_equal(zilch_action_takes(ZILCH_ACTION_PENALTY, wrong[i]), is_penalty);
    }
    assert_int_equal(zilch_study_commands(study, 1, 0, NULL, NULL), ZILCH_EARG);
    zilch_study_close(study);
    OK(zilch_study_open(&study, scratch.file, ZILCH_STUDY_READ));
    assert_int_equal(zilch_study_ask_run(study, 1, ZILCH_ACTION_STOP, NAN, ""), ZILCH_ESTATE);
    assert_int_equal(zilch_study_heed(study, 1, 1), ZILCH_ESTATE);
    zilch_study_close(study);
    static const char *const damage[] = {"('dance', NULL)",       "('stop', 1.0)",
                                         "('evaluations', NULL)", "('generations', -1.0)",
                                         "('penalty', NULL)",     "('penalty', -1.0)"};
    for (size_t i = 0; i < sizeof damage / sizeof *damage; i++) {
        char text[200];
        listed l = {0};
        snprintf(text, sizeof text,
                 "DELETE FROM commands; INSERT INTO commands (run, asked, action, value)"
                 " SELECT 1, 'then', column1, column2 FROM (VALUES %s)",
                 damage[i]);
        edit(text);
        OK(zilch_study_open(&study, scratch.file, ZILCH_STUDY_READ));
        assert_int_equal(zilch_study_commands(study, 1, 0, list, &l), ZILCH_EFORMAT);
        zilch_study_close(study);
    }
}

/* ---- Another penalty ------------------------------------------------------------------------------------
 */

static double search_on(zilch_study *study, double penalty, uint64_t generations)
{
    zilch_optimizer *o;
    zilch_limits limits = zilch_limits_defaults();
    limits.generations = generations;
    OK(zilch_study_resume(study, 1, &o));
    if (!isnan(penalty)) {
        OK(zilch_optimizer_set_penalty(o, penalty));
        OK(zilch_study_set_penalty(study, 1, o));
    }
    OK(zilch_optimizer_run(o, objective, NULL, &limits, record, study, NULL));
    const zilch_progress p = zilch_optimizer_progress(o);
    assert_true(zilch_optimizer_settings(o)->penalty == (isnan(penalty) ? 2.0 : penalty));
    assert_true(fabs(p.best_fitness - p.best_value) == 2.0 * (double)p.best_active);
    zilch_optimizer_destroy(o);
    return p.best_fitness;
}

static zilch_status first_run(void *context, const zilch_run *run)
{
    const zilch_optimizer_options options = small_defaults(ZILCH_METHOD_DEFAULT, N, 4);
    const double penalty[] = {options.penalty, 2.0, 1.0};
    assert_true(run->penalty == 2.0);
    for (size_t i = 0; i < COUNT(penalty); i++) {
        zilch_optimizer_options other = options;
        other.penalty = penalty[i];
        zilch_optimizer *o = create_with(DIM, 3, &other);
        assert_int_equal(zilch_run_matches(run, &run->request, o), i < 2);
        zilch_optimizer_destroy(o);
    }
    ++*(size_t *)context;
    return zilch_run_is_same(run, run) ? ZILCH_OK : ZILCH_EARG;
}

/* It is in force after an interruption, and the same call still means the run. */
static void a_penalty_that_has_changed_is_kept(void **state)
{
    (void)state;
    size_t count = 0;
    uint64_t run;
    int is_over;
    zilch_study *study = make_study();
    const double at_once = search_on(study, 2.0, GENERATIONS + 4);
    zilch_study_close(study);
    study = make_study();
    (void)search_on(study, 2.0, GENERATIONS + 2);
    assert_true(search_on(study, NAN, GENERATIONS + 4) == at_once);
    OK(zilch_study_runs(study, first_run, &count));
    assert_int_equal(count, 1);
    const zilch_optimizer_options options = small_defaults(ZILCH_METHOD_DEFAULT, N, 4);
    zilch_optimizer *o = create_with(DIM, 3, &options);
    OK(zilch_study_find(study, &(zilch_request){0}, o, &run, &is_over));
    assert_int_equal(run, 1);
    assert_int_equal(zilch_study_set_penalty(study, 1, o), ZILCH_ESTATE); /* of another generation */
    assert_int_equal(zilch_study_set_penalty(study, 2, o), ZILCH_EARG);
    assert_int_equal(zilch_study_set_penalty(study, 1, NULL), ZILCH_EARG);
    zilch_optimizer_destroy(o);
    zilch_study_close(study);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_are_read_alone),
        cmocka_unit_test(a_missing_generation_is_damage),
        cmocka_unit_test(changes_of_others_are_noticed),
        cmocka_unit_test(commands_wait_until_they_are_heeded),
        cmocka_unit_test(what_is_no_command_is_refused),
        cmocka_unit_test(a_penalty_that_has_changed_is_kept),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
