/* Out of memory: allocation k fails, for every k, under every function of zilch.h that allocates. Each must
 * say so, give nothing, lose nothing, and leave what it works on as it was: called again, it does what it
 * would have done. Of every other function it is seen that it allocates nothing; and that none was left out.
 *
 * A fault is one allocation, or one and all that come after it. Allocations are zilch's own and
 * SQLite's for it; where no sanitizer is in the way, also each malloc of the C library. */
#include "allocation_faults.h"
#include "faults.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- Completeness -------------------------------------------------------------------------------------- */

enum { FUNCTIONS_MOST = 400 };
static const char *covered[FUNCTIONS_MOST];
static size_t covered_count;

static int is_covered(const char *function)
{
    for (size_t i = 0; i < covered_count; i++) {
        if (strcmp(covered[i], function) == 0) {
            return 1;
        }
    }
    return 0;
}

static void cover(const char *function)
{
    if (!is_covered(function)) {
        assert_true(covered_count < FUNCTIONS_MOST);
        covered[covered_count++] = function;
    }
}

/* ---- Faults ------------------------------------------------------------------------------------------ */

static size_t faults; /* made, in all */

static void check_words(const fault_call *call, size_t k)
{
    if (!strstr(zilch_last_error(), "memory") && !strstr(zilch_last_error(), "allocated")) {
        fail_msg("%s, %s, allocation %zu: \"%s\"", call->function, call->variant, k, zilch_last_error());
    }
}

/* Without faults; a sum over what came out. */
static uint64_t run_well(const fault_call *call)
{
    object made = {.any = NULL};
    if (call->prepare) {
        call->prepare();
    }
    const zilch_status status = call->run(&made);
    if (status != ZILCH_OK) {
        fail_msg("%s, %s: %s", call->function, call->variant, zilch_last_error());
    }
    return call->finish(made);
}

/* With allocation k failing; whether it came to that. Then it is called again, on the same. */
static int run_badly(const fault_call *call, fault_scope scope, size_t k, int is_lasting, uint64_t expected)
{
    static int anything;
    object made = {.any = &anything};
    if (call->prepare) {
        call->prepare();
    }
    faults_arm(scope, k, is_lasting);
    const zilch_status status = call->run(&made);
    const int is_hit = faults_disarm() >= k;
    if (status == ZILCH_OK) {
        if (call->finish(made) != expected) {
            fail_msg("%s, %s, allocation %zu: another result", call->function, call->variant, k);
        }
        if (is_hit && !call->is_tolerant && scope == FAULTS_HOOKS) {
            fail_msg("%s, %s, allocation %zu: its failure was ignored", call->function, call->variant, k);
        }
        return is_hit;
    }
    if (status != ZILCH_ENOMEM) {
        fail_msg("%s, %s, allocation %zu: %d, %s", call->function, call->variant, k, (int)status,
                 zilch_last_error());
    }
    check_words(call, k);
    assert_true(is_hit);
    assert_null(made.any);
    const zilch_status again = call->run(&made);
    if (again != ZILCH_OK || call->finish(made) != expected) {
        fail_msg("%s, %s: allocation %zu failed; called again: %s", call->function, call->variant, k,
                 again == ZILCH_OK ? "another result" : zilch_last_error());
    }
    return 1;
}

static size_t count_allocations(const fault_call *call, fault_scope scope)
{
    object made;
    if (call->prepare) {
        call->prepare();
    }
    faults_arm(scope, 0, 0);
    const zilch_status status = call->run(&made);
    const size_t count = faults_disarm();
    assert_int_equal(status, ZILCH_OK);
    (void)call->finish(made);
    return count;
}

/* SQLite is not compiled with sanitizers: of its allocations in what is slow they see a part, and the other
 * build all. They see each of zilch's own; and all where ZILCH_CASES asks for more. */
static int is_looked_at(const fault_call *call, size_t k)
{
    return !call->is_slow || getenv("ZILCH_CASES") || k % SLOWNESS == 0 || faults_is_own(k);
}

static size_t sweep_scope(const fault_call *call, fault_scope scope, int is_lasting)
{
    const uint64_t expected = run_well(call);
    assert_int_equal(run_well(call), expected); /* and now all that is made but once is made */
    (void)count_allocations(call, scope);
    size_t k = 0, tried = 0;
    int is_hit = 1;
    while (is_hit) {
        const long before = faults_outstanding(scope);
        if (!is_looked_at(call, ++k)) {
            continue;
        }
        is_hit = run_badly(call, scope, k, is_lasting, expected);
        tried += (size_t)is_hit;
        if (faults_outstanding(scope) != before) {
            fail_msg("%s, %s, allocation %zu: %ld blocks lost", call->function, call->variant, k,
                     faults_outstanding(scope) - before);
        }
        assert_true(k < 100000);
    }
    return tried;
}

/* Where the C library allocates nothing itself, the hooks have seen all. That in what is slow all fail that
 * come after one, too, is for the build without sanitizers. */
static void sweep(const fault_call *call)
{
    const int is_sanitized = FAULTS_WIDEST == FAULTS_HOOKS;
    const int has_lasting = !call->is_alone && !(call->is_slow && is_sanitized);
    size_t count[2] = {0};
    (void)run_well(call);
    for (int scope = FAULTS_HOOKS; scope <= FAULTS_WIDEST; scope++) {
        count[scope != FAULTS_HOOKS] = count_allocations(call, (fault_scope)scope);
        if (scope == FAULTS_HOOKS || count[0] != count[1]) {
            faults += sweep_scope(call, (fault_scope)scope, 0);
            faults += has_lasting ? sweep_scope(call, (fault_scope)scope, 1) : 0;
        }
    }
    print_message("    %-28s %-14s %5zu allocations, %5zu with the C library's\n", call->function,
                  call->variant, count[0], count[1]);
    assert_true(count[FAULTS_WIDEST != FAULTS_HOOKS] > 0);
    cover(call->function);
}

/* ---- What the functions work on --------------------------------------------------------------------------
 */

enum { ROWS = 40, COLS = 3, POINTS = 3 };

static struct {
    double x[ROWS * COLS], y[ROWS], yes[ROWS];
    zilch_model *model;
    zilch_networks *networks;
    zilch_examples *examples;
    zilch_trainer *trainer;
    zilch_optimizer *optimizer;
    zilch_problem *regression, *logistic, *problem;
    zilch_program *program;
    unsigned char bytes[4096], networks_bytes[65536], search_bytes[65536], trainer_bytes[65536],
        lander_bytes[65536];
    size_t length, networks_length, search_length, trainer_length, lander_length;
    char folder[32], path[64], networks_path[64], trainer_path[64], weights_path[64], search_path[64],
        text_path[64], log_path[64];
} scene;

/* What a call wrote that makes no object. */
static unsigned char output[4096];

static uint64_t finish_output(object made)
{
    (void)made;
    const uint64_t sum = sum_of(1, output, sizeof output);
    memset(output, 0, sizeof output);
    return sum;
}

static uint64_t sum_file(const char *path)
{
    unsigned char bytes[4096];
    uint64_t sum = 1;
    size_t got;
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    while ((got = fread(bytes, 1, sizeof bytes, file)) > 0) {
        sum = sum_of(sum, bytes, got);
    }
    fclose(file);
    return sum;
}

/* ---- Models
 * ------------------------------------------------------------------------------------------------ */

static uint64_t finish_model(object made)
{
    unsigned char bytes[8192];
    size_t length;
    OK(zilch_model_pack(made.model, bytes, sizeof bytes, &length));
    zilch_model_destroy(made.model);
    return sum_of(1, bytes, length);
}

static zilch_status fit_with(object *made, zilch_shrinkage shrinkage, zilch_projection projection)
{
    zilch_model_options options = zilch_model_defaults();
    options.shrinkage = shrinkage;
    options.projection = projection;
    return zilch_model_fit(&made->model, ROWS, COLS, scene.x, NULL, &options);
}

static zilch_status fit_clip(object *made)
{
    return fit_with(made, ZILCH_SHRINK_NONE, ZILCH_CLIP);
}

static zilch_status fit_repair(object *made)
{
    return fit_with(made, ZILCH_SHRINK_ENTRYWISE, ZILCH_REPAIR);
}

static zilch_status fit_nearest(object *made)
{
    return fit_with(made, ZILCH_SHRINK_BAYES, ZILCH_NEAREST);
}

static zilch_status fit_weighted(object *made)
{
    return fit_with(made, ZILCH_SHRINK_FISHER, ZILCH_WEIGHTED);
}

static zilch_status fit_structure(object *made, zilch_structure structure)
{
    zilch_model_options options = zilch_model_defaults();
    options.structure = structure;
    options.rank = 2;
    return zilch_model_fit(&made->model, ROWS, COLS, scene.x, NULL, &options);
}

static zilch_status fit_low_rank(object *made)
{
    return fit_structure(made, ZILCH_STRUCTURE_LOW_RANK);
}

static zilch_status fit_diagonal(object *made)
{
    return fit_structure(made, ZILCH_STRUCTURE_DIAGONAL);
}

static zilch_status fit_amortised(object *made)
{
    zilch_model_options options = zilch_model_defaults();
    options.inverter = ZILCH_AMORTISED;
    return zilch_model_fit(&made->model, ROWS, COLS, scene.x, NULL, &options);
}

static zilch_status create_factors(object *made)
{
    static const double loadings[2 * COLS] = {0.5, 0.5, 0.0, 0.0, 0.0, -0.5};
    return zilch_model_create_factors(&made->model, COLS, zilch_model_p(scene.model),
                                      zilch_model_mu(scene.model), zilch_model_sigma(scene.model), 1,
                                      loadings);
}

static zilch_status create_model(object *made)
{
    return zilch_model_create(&made->model, COLS, zilch_model_p(scene.model), zilch_model_mu(scene.model),
                              zilch_model_sigma(scene.model), zilch_model_correlation(scene.model));
}

static zilch_status make_random(object *made)
{
    zilch_rng rng = zilch_rng_make(1, 0);
    return zilch_model_random(&made->model, 4, &rng, 0.5, 0.1, 0.9);
}

static zilch_status sample(object *made)
{
    double x[20 * COLS];
    zilch_rng rng = zilch_rng_make(1, 0);
    made->any = NULL;
    const zilch_status status = zilch_model_sample(scene.model, &rng, 20, x);
    memcpy(output, x, status == ZILCH_OK ? sizeof x : 0);
    return status;
}

static zilch_status set_names(object *made)
{
    const char *names[COLS];
    made->any = NULL;
    for (size_t i = 0; i < COLS; i++) {
        names[i] = "flour";
    }
    const zilch_status status = zilch_model_set_names(scene.model, names);
    if (status == ZILCH_OK) {
        output[0] = (unsigned char)strlen(zilch_model_names(scene.model)[COLS - 1]);
        OK(zilch_model_set_names(scene.model, NULL));
    }
    assert_null(zilch_model_names(scene.model));
    return status;
}

static zilch_status unpack_model(object *made)
{
    return zilch_model_unpack(&made->model, scene.bytes, scene.length);
}

static zilch_status save_model(object *made)
{
    made->any = NULL;
    return zilch_model_save(scene.model, scene.path);
}

static uint64_t finish_save(object made)
{
    (void)made;
    return sum_file(scene.path);
}

static zilch_status load_model(object *made)
{
    return zilch_model_load(&made->model, scene.path);
}

/* ---- Networks
 * ---------------------------------------------------------------------------------------------- */

static uint64_t finish_networks(object made)
{
    static unsigned char bytes[65536];
    size_t length;
    OK(zilch_networks_pack(made.networks, bytes, sizeof bytes, &length));
    zilch_networks_destroy(made.networks);
    return sum_of(1, bytes, length);
}

static zilch_status create_networks(object *made)
{
    return zilch_networks_create(&made->networks);
}

static zilch_status unpack_networks(object *made)
{
    return zilch_networks_unpack(&made->networks, scene.networks_bytes, scene.networks_length);
}

static zilch_status save_networks(object *made)
{
    made->any = NULL;
    return zilch_networks_save(scene.networks, scene.networks_path);
}

static uint64_t finish_networks_save(object made)
{
    (void)made;
    return sum_file(scene.networks_path);
}

static zilch_status load_networks(object *made)
{
    return zilch_networks_load(&made->networks, scene.networks_path);
}

static zilch_networks *others;

static void copy_networks(void)
{
    zilch_networks_destroy(others);
    OK(zilch_networks_unpack(&others, scene.networks_bytes, scene.networks_length));
}

/* Replaces a network by one of another size; all are whole afterwards, whatever happened. */
static zilch_status put_network(object *made)
{
    static unsigned char bytes[65536];
    size_t length;
    made->any = NULL;
    const zilch_status status = zilch_networks_put(others, scene.trainer);
    if (status != ZILCH_OK) {
        (void)!zilch_networks_pack(others, bytes, sizeof bytes, &length);
        assert_int_equal(length, scene.networks_length);
        assert_memory_equal(bytes, scene.networks_bytes, length);
    }
    return status;
}

static uint64_t finish_put(object made)
{
    const uint64_t sum = finish_networks((object){.networks = others});
    (void)made;
    others = NULL;
    return sum;
}

/* ---- Training
 * ---------------------------------------------------------------------------------------------- */

static zilch_training_options small_training(void)
{
    zilch_training_options options = zilch_training_defaults(ZILCH_BLOCK_VM);
    options.units = 40;
    options.batch = 2;
    return options;
}

static zilch_status make_trainer(zilch_trainer **out, const zilch_examples *examples)
{
    const zilch_training_options options = small_training();
    return zilch_trainer_create(out, ZILCH_BLOCK_VM, examples, &options);
}

static uint64_t finish_trainer(object made)
{
    static unsigned char bytes[65536];
    size_t length;
    OK(zilch_trainer_pack(made.trainer, bytes, sizeof bytes, &length));
    zilch_trainer_destroy(made.trainer);
    return sum_of(1, bytes, length);
}

/* By what they train. */
static uint64_t finish_examples(object made)
{
    zilch_trainer *trainer;
    OK(make_trainer(&trainer, made.examples));
    OK(zilch_trainer_epoch(trainer));
    zilch_examples_destroy(made.examples);
    return finish_trainer((object){.trainer = trainer});
}

static zilch_examples_options small_examples(zilch_labels labels)
{
    zilch_examples_options options = zilch_examples_defaults();
    options.labels = labels;
    options.count = 7;
    options.rows = 10;
    return options;
}

static zilch_status noisy_examples(object *made)
{
    const zilch_examples_options options = small_examples(ZILCH_LABELS_EXACT);
    return zilch_examples_create(&made->examples, &options, 1, NULL, NULL);
}

static zilch_status simulated_examples(object *made)
{
    const zilch_examples_options options = small_examples(ZILCH_LABELS_SIMULATED);
    return zilch_examples_create(&made->examples, &options, 1, NULL, NULL);
}

static zilch_status create_trainer(object *made)
{
    return make_trainer(&made->trainer, scene.examples);
}

static zilch_status save_trainer(object *made)
{
    made->any = NULL;
    return zilch_trainer_save(scene.trainer, scene.trainer_path);
}

static uint64_t finish_trainer_save(object made)
{
    (void)made;
    return sum_file(scene.trainer_path);
}

/* On failure it is as it was. */
static zilch_status load_trainer(object *made)
{
    static unsigned char bytes[65536];
    size_t length;
    made->any = NULL;
    const zilch_status status = zilch_trainer_load(scene.trainer, scene.trainer_path);
    if (status != ZILCH_OK) {
        char words[200];
        snprintf(words, sizeof words, "%s", zilch_last_error());
        assert_int_equal(zilch_trainer_pack(scene.trainer, bytes, sizeof bytes, &length), ZILCH_OK);
        assert_memory_equal(bytes, scene.trainer_bytes, length);
        return zilch_fail(status, words);
    }
    return status;
}

static void remove_weights(void)
{
    static const char *const part[] = {"", ".mm.part", ".vm.part", ".vv.part"};
    for (size_t i = 0; i < COUNT(part); i++) {
        char path[sizeof scene.weights_path + 16];
        snprintf(path, sizeof path, "%s%s", scene.weights_path, part[i]);
        unlink(path);
    }
}

/* Where it failed it goes on; the weights are those of a training that did not. */
static zilch_status train_networks(object *made)
{
    zilch_networks_options options = zilch_networks_defaults();
    options.threads = 1;
    options.block = ZILCH_BLOCK_VM;
    options.examples = small_examples(ZILCH_LABELS_EXACT);
    options.examples.rows = 0; /* noise allocates in every example, which is seen elsewhere */
    options.training[ZILCH_BLOCK_VM] = small_training();
    options.training[ZILCH_BLOCK_VM].epochs = 2;
    return zilch_networks_train(&made->networks, scene.weights_path, &options, NULL, NULL);
}

static zilch_status recover(object *made)
{
    zilch_recover_options options = zilch_recover_defaults();
    options.threads = 1;
    options.models = 2;
    options.dim = 2;
    options.rows = 20;
    return zilch_recover(&made->recovery, &options, NULL, NULL);
}

static uint64_t finish_recovery(object made)
{
    const zilch_recovery *r = made.recovery;
    uint64_t sum = sum_of(1, r->truth, r->count * sizeof *r->truth);
    for (int k = 0; k < ZILCH_INVERTERS; k++) {
        sum = sum_of(sum, r->inverter[k].recovered, r->count * sizeof *r->truth);
    }
    zilch_recovery_destroy(made.recovery);
    return sum;
}

static zilch_status check_trainer(object *made)
{
    const zilch_examples_options examples = small_examples(ZILCH_LABELS_EXACT);
    const zilch_training_options options = small_training();
    made->any = NULL;
    return zilch_trainer_check(scene.trainer_path, ZILCH_BLOCK_VM, &examples, &options);
}

/* ---- The lander, problems and programs
 * ---------------------------------------------------------------------- */

static zilch_status create_lander(object *made)
{
    return zilch_lander_create(&made->lander, 20, NULL);
}

static zilch_status unpack_lander(object *made)
{
    return zilch_lander_unpack(&made->lander, scene.lander_bytes, scene.lander_length);
}

static uint64_t finish_lander(object made)
{
    double actions[40] = {0.5, -0.7, 1.0};
    for (size_t i = 0; i < 20; i++) {
        OK(zilch_lander_reset(made.lander, i, i));
    }
    OK(zilch_lander_step(made.lander, actions));
    const uint64_t sum = sum_of(1, zilch_lander_observations(made.lander), 20 * 8 * sizeof(float));
    zilch_lander_destroy(made.lander);
    return sum;
}

static zilch_batch some_points(size_t dim)
{
    static double x[POINTS * 100];
    static const uint64_t id[POINTS] = {3, 4, 5};
    zilch_rng rng = zilch_rng_make(5, dim);
    assert_true(dim <= 100);
    zilch_rng_normals(&rng, POINTS * dim, x);
    for (size_t i = 0; i < POINTS * dim; i += 3) {
        x[i] = 0.0;
    }
    return (zilch_batch){.n = POINTS, .dim = dim, .id = id, .x = x};
}

static uint64_t finish_problem(object made)
{
    double value[POINTS] = {0};
    const zilch_problem_info info = zilch_problem_describe(made.problem);
    const zilch_batch batch = some_points(info.dim);
    OK(zilch_problem_objective(made.problem, &batch, value));
    const uint64_t sum = sum_of(sum_of(1, value, sizeof value), info.setting, strlen(info.setting));
    zilch_problem_close(made.problem);
    return sum;
}

#define X(name, text)                                         \
    static zilch_status open_##name(object *made)             \
    {                                                         \
        return zilch_problem_open(&made->problem, #name, 11); \
    }
ZILCH_PROBLEM_LIST(X)
#undef X

static zilch_status open_with_settings(object *made)
{
    return zilch_problem_open(&made->problem, "ellipsoid:dim=50,active=30", 11);
}

static zilch_status open_regression(object *made, zilch_regression kind, zilch_searched searched)
{
    zilch_regression_options options = zilch_regression_defaults();
    options.kind = kind;
    options.searched = searched;
    return zilch_problem_regression(&made->problem, ROWS, COLS, scene.x,
                                    kind == ZILCH_REGRESSION_LINEAR ? scene.y : scene.yes, &options, 3);
}

static zilch_status open_linear_subset(object *made)
{
    return open_regression(made, ZILCH_REGRESSION_LINEAR, ZILCH_SEARCHED_SUBSET);
}

static zilch_status open_linear(object *made)
{
    return open_regression(made, ZILCH_REGRESSION_LINEAR, ZILCH_SEARCHED_COEFFICIENTS);
}

static zilch_status open_logistic_subset(object *made)
{
    return open_regression(made, ZILCH_REGRESSION_LOGISTIC, ZILCH_SEARCHED_SUBSET);
}

static zilch_status open_logistic(object *made)
{
    return open_regression(made, ZILCH_REGRESSION_LOGISTIC, ZILCH_SEARCHED_COEFFICIENTS);
}

static zilch_status evaluate(object *made, zilch_objective objective, void *context, size_t dim)
{
    double value[POINTS] = {0};
    const zilch_batch batch = some_points(dim);
    made->any = NULL;
    const zilch_status status = objective(context, &batch, value);
    memcpy(output, value, status == ZILCH_OK ? sizeof value : 0);
    return status;
}

static zilch_status evaluate_lander(object *made)
{
    return evaluate(made, zilch_problem_objective, scene.problem, 90);
}

static zilch_status evaluate_regression(object *made)
{
    return evaluate(made, zilch_problem_objective, scene.regression, COLS);
}

static zilch_status evaluate_logistic(object *made)
{
    return evaluate(made, zilch_problem_objective, scene.logistic, COLS);
}

static zilch_status evaluate_in_pool(object *made)
{
    zilch_pool pool = {.threads = 2, .inner = zilch_problem_objective, .context = scene.logistic};
    return evaluate(made, zilch_pool_objective, &pool, COLS);
}

static zilch_status fit_problem(object *made, const zilch_problem *problem)
{
    static const double x[COLS] = {1.0, 0.0, 1.0};
    zilch_regression_fit fit;
    double coefficients[COLS];
    made->any = NULL;
    const zilch_status status = zilch_problem_fit(problem, x, coefficients, &fit);
    if (status == ZILCH_OK) {
        memcpy(output, &fit, sizeof fit);
        memcpy(output + sizeof fit, coefficients, sizeof coefficients);
    }
    return status;
}

static zilch_status fit_regression(object *made)
{
    return fit_problem(made, scene.regression);
}

static zilch_status fit_logistic(object *made)
{
    return fit_problem(made, scene.logistic);
}

static zilch_status open_evaluator(object *made, zilch_protocol protocol)
{
    const char *words[] = {getenv("ZILCH_EVALUATOR"), zilch_protocol_name(protocol), NULL};
    zilch_program_options options = zilch_program_defaults();
    options.protocol = protocol;
    options.jobs = 2;
    options.ahead = 2;
    options.timeout = 60.0;
    return zilch_program_open(&made->program, words, &options);
}

static zilch_status open_program(object *made)
{
    return open_evaluator(made, ZILCH_PROTOCOL_JSON);
}

static uint64_t finish_program(object made)
{
    double value[POINTS] = {0};
    const zilch_batch batch = some_points(COLS);
    OK(zilch_program_objective(made.program, &batch, value));
    assert_true(isfinite(value[0]) && zilch_program_starts(made.program) == 2);
    zilch_program_close(made.program);
    return sum_of(1, value, sizeof value);
}

/* More than there is room for at first, some of them with reasons. */
static FILE *answers_stream;

static void write_answers(void)
{
    static char buffer[BUFSIZ];
    if (answers_stream) {
        return;
    }
    answers_stream = tmpfile();
    assert_non_null(answers_stream);
    setvbuf(answers_stream, buffer, _IOFBF, sizeof buffer);
    for (int i = 0; i < 300; i++) {
        fprintf(answers_stream,
                i % 20 ? "{\"id\":%d,\"x\":[1,2],\"value\":2}\n" : "{\"id\":%d,\"error\":\"e\"}\n", i);
    }
}

static zilch_status read_answers(object *made)
{
    rewind(answers_stream);
    return zilch_answers_read(&made->answers, answers_stream, 2, NULL);
}

/* A line for which memory grows twice. */
static FILE *line_stream;

static void write_line(void)
{
    static char buffer[BUFSIZ];
    line_stream = line_stream ? line_stream : tmpfile();
    assert_non_null(line_stream);
    setvbuf(line_stream, buffer, _IOFBF, sizeof buffer);
    rewind(line_stream);
    fprintf(line_stream, "%0600d\n", 7);
}

static zilch_status read_line(object *made)
{
    int is_line;
    made->line = (zilch_line){0};
    rewind(line_stream);
    const zilch_status status = zilch_line_read(&made->line, line_stream, &is_line);
    if (status != ZILCH_OK) {
        zilch_line_free(&made->line);
    }
    return status;
}

static uint64_t finish_line(object made)
{
    assert_int_equal(made.line.length, 600);
    const uint64_t sum = sum_of(1, made.line.text, made.line.length);
    zilch_line_free(&made.line);
    return sum;
}

static uint64_t finish_answers(object made)
{
    const zilch_answers *a = made.answers;
    assert_int_equal(a->count, 300);
    const uint64_t sum =
        sum_of(sum_of(1, a->value, a->count * sizeof *a->value), a->x, a->count * 2 * sizeof *a->x);
    zilch_answers_destroy(made.answers);
    return sum;
}

static zilch_status cut_words(object *made)
{
    return zilch_program_words(&made->words, "sh -c 'a b'");
}

static uint64_t finish_words(object made)
{
    const uint64_t sum = sum_of(1, made.words[2], strlen(made.words[2]));
    zilch_program_words_destroy(made.words);
    return sum;
}

static void new_program(zilch_protocol protocol)
{
    object made;
    zilch_program_close(scene.program);
    unlink(scene.log_path);
    OK(open_evaluator(&made, protocol));
    scene.program = made.program;
}

static void new_json_program(void)
{
    new_program(ZILCH_PROTOCOL_JSON);
}

static void new_plain_program(void)
{
    new_program(ZILCH_PROTOCOL_PLAIN);
}

static zilch_status evaluate_by_program(object *made)
{
    return evaluate(made, zilch_program_objective, scene.program, COLS);
}

static void new_greeting_program(void)
{
    const char *const words[] = {"echo", "{\"names\":[\"flour\"]}", NULL};
    const zilch_program_options options = zilch_program_defaults();
    zilch_program_close(scene.program);
    OK(zilch_program_open(&scene.program, words, &options));
}

static zilch_status wait_for_greeting(object *made)
{
    const char *const *names;
    size_t dim = 0;
    made->any = NULL;
    const zilch_status status = zilch_program_greeting(scene.program, 30.0, &dim, &names);
    output[0] = status == ZILCH_OK ? (unsigned char)(10 * dim + strlen(names[0])) : 0;
    return status;
}

static uint64_t finish_greeting(object made)
{
    zilch_program_close(scene.program);
    scene.program = NULL;
    return finish_output(made);
}

static uint64_t count_started(void)
{
    char line[100];
    uint64_t count = 0;
    FILE *log = fopen(scene.log_path, "r");
    while (log && fgets(line, sizeof line, log)) {
        count += strncmp(line, "pid ", 4) == 0;
    }
    if (log) {
        fclose(log);
    }
    return count;
}

/* Whatever has ended and was started again, it was counted. Who was killed early has left no line. */
static uint64_t finish_evaluation(object made)
{
    assert_true(zilch_program_starts(scene.program) >= count_started());
    zilch_program_close(scene.program);
    scene.program = NULL;
    return finish_output(made);
}

/* ---- The search
 * -------------------------------------------------------------------------------------------- */

enum { DIM = 4, N = 12, K = 4 };

enum { WITH_MEMORY = ZILCH_METHOD_EA + 1, TAKING_TURNS, WITH_LIMITS, KINDS };

/* One of the methods as published, or the default one with all that it can learn by; every second with all
 * kinds of limits on points. */
static zilch_status create_search(int kind, const zilch_networks *networks, zilch_optimizer **out)
{
    static const zilch_forced forced[DIM] = {ZILCH_FORCED_NOT, ZILCH_FORCED_ON};
    static const size_t group[DIM] = {5, 0, 5, 0};
    static const double lower[DIM] = {-1, -1, -1, 0}, upper[DIM] = {2, 2, 2, 2};
    static const double penalties[DIM] = {0.01, 0, 0.02, 0.03}, step[DIM] = {0, 0.01}, list[] = {2, 0.5, 1};
    static const zilch_values values[DIM] = {[3] = {3, list}};
    static const double defaults[DIM] = {0.25, 0.125};
    static const size_t some[2] = {0, 1};
    static const double weight[2] = {1, -1};
    static const zilch_linear_limit limit[2] = {{.count = DIM, .lower = 1, .upper = 3},
                                                {2, some, weight, 0, 0}};
    zilch_optimizer_options options = kind == TAKING_TURNS || kind == WITH_LIMITS ? zilch_optimizer_defaults()
                                      : kind == WITH_MEMORY ? small_defaults(ZILCH_METHOD_DEFAULT, N, K)
                                                            : small_options((zilch_method)kind, N, K);
    options.quorum = 0.75;
    options.networks = networks;
    if (kind == WITH_MEMORY) {
        options.structure = ZILCH_STRUCTURE_LOW_RANK;
    }
    if (kind % 2 == 0) {
        options.forced = forced;
        options.group = group;
        options.lower = lower;
        options.upper = upper;
        options.penalties = penalties;
        options.step = step;
        options.values = values;
        options.defaults = defaults;
        options.min_active = 2;
        options.max_active = 3;
    }
    if (kind == WITH_LIMITS) {
        options.lower = lower;
        options.upper = upper;
        options.step = step;
        options.values = values;
        options.linear_limits = limit;
        options.linear_limit_count = 2;
        options.defaults = defaults;
    }
    return zilch_optimizer_create(out, DIM, 9, &options);
}

static uint64_t finish_optimizer(object made)
{
    static unsigned char bytes[65536];
    size_t length;
    OK(zilch_optimizer_pack(made.optimizer, bytes, sizeof bytes, &length));
    assert_true(zi_optimizer_is_valid(made.optimizer));
    zilch_optimizer_destroy(made.optimizer);
    return sum_of(1, bytes, length);
}

static zilch_status create_optimizer(object *made)
{
    return create_search(WITH_MEMORY, scene.networks, &made->optimizer);
}

static zilch_status create_limited(object *made)
{
    return create_search(WITH_LIMITS, NULL, &made->optimizer);
}

static const char limit_text[] = "sum = 1\nx1 + 2 * x3 <= 0.5 # a comment\n0.1 <= x2 - x4 <= 3";
enum { TEXT_LIMITS = 3 };

static zilch_status parse_limits(object *made)
{
    size_t count = 0;
    const zilch_status status = zilch_linear_limits_parse(limit_text, DIM, NULL, &made->limits, &count);
    assert_int_equal(count, status == ZILCH_OK ? TEXT_LIMITS : 0);
    return status;
}

static uint64_t finish_limits(object made)
{
    uint64_t sum = 1;
    for (size_t k = 0; k < TEXT_LIMITS; k++) {
        const zilch_linear_limit *limit = &made.limits[k];
        sum = sum_of(sum, (const double[]){limit->lower, limit->upper}, 2 * sizeof(double));
        sum = limit->coordinate ? sum_of(sum, limit->coordinate, limit->count * sizeof *limit->coordinate)
                                : sum;
        sum = limit->weight ? sum_of(sum, limit->weight, limit->count * sizeof *limit->weight) : sum;
    }
    zilch_linear_limits_free(made.limits, TEXT_LIMITS);
    return sum;
}

static zilch_status unpack_optimizer(object *made)
{
    return zilch_optimizer_unpack(&made->optimizer, scene.search_bytes, scene.search_length);
}

static zilch_status save_optimizer(object *made)
{
    made->any = NULL;
    return zilch_optimizer_save(scene.optimizer, scene.search_path);
}

static uint64_t finish_optimizer_save(object made)
{
    (void)made;
    return sum_file(scene.search_path);
}

static zilch_status load_optimizer(object *made)
{
    return zilch_optimizer_load(&made->optimizer, scene.search_path);
}

static zilch_status model_of_optimizer(object *made)
{
    return zilch_optimizer_model(scene.optimizer, &made->model);
}

static zilch_status pack_optimizer(object *made)
{
    static unsigned char bytes[65536];
    size_t length;
    made->any = NULL;
    const zilch_status status = zilch_optimizer_pack(scene.optimizer, bytes, sizeof bytes, &length);
    const uint64_t sum = status == ZILCH_OK ? sum_of(1, bytes, length) : 0;
    memcpy(output, &sum, sizeof sum);
    return status;
}

static zilch_status read_top(object *made)
{
    zilch_record record[3];
    size_t count = 0;
    made->any = NULL;
    memset(record, 0, sizeof record);
    const zilch_status status = zilch_optimizer_top(scene.optimizer, 3, record, &count);
    memcpy(output, record, status == ZILCH_OK ? count * sizeof *record : 0);
    return status;
}

static zilch_status read_archive(object *made)
{
    zilch_record record;
    double x[DIM];
    made->any = NULL;
    memset(&record, 0, sizeof record);
    const zilch_status status = zilch_optimizer_point(scene.optimizer, 1, x, &record);
    memcpy(output, &record, status == ZILCH_OK ? sizeof record : 0);
    return status;
}

static zilch_status read_best(object *made)
{
    zilch_record record;
    double x[DIM];
    made->any = NULL;
    memset(&record, 0, sizeof record);
    const zilch_status status = zilch_optimizer_best(scene.optimizer, x, &record);
    memcpy(output, x, status == ZILCH_OK ? sizeof x : 0);
    return status;
}

static zilch_status read_front(object *made)
{
    zilch_record record[DIM + 1];
    size_t count = 0;
    made->any = NULL;
    memset(record, 0, sizeof record);
    const zilch_status status = zilch_optimizer_front(scene.optimizer, DIM + 1, record, &count);
    memcpy(output, record, status == ZILCH_OK ? count * sizeof *record : 0);
    return status;
}

static zilch_status read_front_with(object *made)
{
    const zilch_recommendation recommendation = {
        .mean = -1e9, .deviation = 1.0, .fitness = -1e9, .active = 1, .pruned = 1, .evaluations = 4};
    zilch_record record[DIM + 2];
    size_t count = 0;
    size_t place;
    made->any = NULL;
    memset(record, 0, sizeof record);
    const zilch_status status =
        zilch_optimizer_front_with(scene.optimizer, &recommendation, DIM + 2, record, &count, &place);
    memcpy(output, record, status == ZILCH_OK ? count * sizeof *record : 0);
    return status;
}

static zilch_status recommend_point(object *made)
{
    zilch_recommendation recommendation;
    double x[DIM];
    made->any = NULL;
    memset(&recommendation, 0, sizeof recommendation);
    const zilch_status status =
        zilch_optimizer_recommend(scene.optimizer, noisy_objective, NULL, NULL, x, &recommendation);
    if (status == ZILCH_OK) {
        memcpy(output, x, sizeof x);
        memcpy(output + sizeof x, &recommendation, sizeof recommendation);
    }
    return status;
}

/* ---- Files and threads
 * --------------------------------------------------------------------------------------- */

static zilch_status write_words(void *context, FILE *stream)
{
    (void)context;
    for (int i = 0; i < 3000; i++) {
        fprintf(stream, "word %d\n", i);
    }
    return ZILCH_OK;
}

static zilch_status replace_file(object *made)
{
    made->any = NULL;
    return zilch_file_replace(scene.text_path, write_words, NULL);
}

static uint64_t finish_replace(object made)
{
    (void)made;
    return sum_file(scene.text_path);
}

/* Through a link, which must stay one. */
static void link_file(void)
{
    char target[80];
    snprintf(target, sizeof target, "%s.target", scene.text_path);
    unlink(scene.text_path);
    FILE *file = fopen(target, "w");
    assert_non_null(file);
    fclose(file);
    assert_int_equal(symlink(target, scene.text_path), 0);
}

static uint64_t finish_link(object made)
{
    char target[80];
    const uint64_t sum = finish_replace(made);
    assert_true(readlink(scene.text_path, target, sizeof target) > 0);
    snprintf(target, sizeof target, "%s.target", scene.text_path);
    assert_int_equal(sum_file(target), sum);
    unlink(scene.text_path);
    unlink(target);
    return sum;
}

static zilch_status note_index(void *context, size_t index)
{
    (void)context;
    output[index] = (unsigned char)(index + 1);
    return ZILCH_OK;
}

/* ---- Episodes and statistics
 * -------------------------------------------------------------------------------
 */

static zilch_status fly_episodes(object *made)
{
    double parameters[ZILCH_POLICY_PARAMETERS];
    zilch_episode episode[3] = {{0}};
    made->any = NULL;
    memset(output, 0, sizeof output);
    OK(zilch_policy_parse(zilch_policy_published(), parameters));
    const zilch_status status = zilch_episodes_run(parameters, NULL, 5, 3, 1, NULL, NULL, episode);
    memcpy(output, episode, sizeof episode);
    return status;
}

static zilch_status summarise_episodes(object *made)
{
    const zilch_episode episode[] = {{2.0, 3, ZILCH_LANDING_LANDED}, {1.0, 4, ZILCH_LANDING_OUT}};
    zilch_episodes_summary summary = {0};
    made->any = NULL;
    memset(output, 0, sizeof output);
    const zilch_status status = zilch_episodes_summarise(2, episode, &summary);
    memcpy(output, &summary, sizeof summary);
    return status;
}

static zilch_status record_episode(object *made)
{
    static zilch_lander_frame frame[8];
    const zilch_pilot pilot = {.parameters = NULL};
    size_t steps;
    made->any = NULL;
    memset(output, 0, sizeof output);
    const zilch_status status = zilch_episode_record(&pilot, NULL, 5, 8, frame, &steps);
    memcpy(output, &frame[steps].total, sizeof frame[steps].total);
    return status;
}

static zilch_status hold_out(object *made, const char *name)
{
    static const double x[ZILCH_POLICY_PARAMETERS] = {0.5};
    double found[2] = {0};
    zilch_problem *problem;
    made->any = NULL;
    memset(output, 0, sizeof output);
    zilch_status status = zilch_problem_open(&problem, name, 11);
    if (status == ZILCH_OK) {
        status = zilch_problem_held_out(problem, x, 3, 1, NULL, NULL, &found[0], &found[1]);
    }
    zilch_problem_close(problem);
    memcpy(output, found, sizeof found);
    return status;
}

static zilch_status hold_out_lander(object *made)
{
    return hold_out(made, "lander");
}

static zilch_status hold_out_sphere(object *made)
{
    return hold_out(made, "sphere:dim=10,noise=1");
}

/* It says so by NaN. */
static zilch_status sum_ranks(object *made)
{
    const double a[] = {1, 2, 5};
    const double b[] = {3, 4, 6};
    made->any = NULL;
    memset(output, 0, sizeof output);
    const double p = zilch_rank_sum(3, a, 3, b);
    memcpy(output, &p, sizeof p);
    return isnan(p) ? ZILCH_ENOMEM : ZILCH_OK;
}

static zilch_status in_parallel(object *made)
{
    made->any = NULL;
    memset(output, 0, sizeof output);
    return zilch_parallel(2, 5, note_index, NULL);
}

/* ---- All of them
 * --------------------------------------------------------------------------------------------- */

#define X(name, text) {"zilch_problem_open", #name, NULL, open_##name, finish_problem, 0, 0, 0},
static const fault_call calls[] = {
    {"zilch_model_fit", "clip", NULL, fit_clip, finish_model, 0, 0, 0},
    {"zilch_model_fit", "repair", NULL, fit_repair, finish_model, 0, 0, 0},
    {"zilch_model_fit", "nearest", NULL, fit_nearest, finish_model, 0, 0, 0},
    {"zilch_model_fit", "weighted", NULL, fit_weighted, finish_model, 0, 0, 0},
    {"zilch_model_fit", "low-rank", NULL, fit_low_rank, finish_model, 0, 0, 0},
    {"zilch_model_fit", "diagonal", NULL, fit_diagonal, finish_model, 0, 0, 0},
    {"zilch_model_fit", "amortised", NULL, fit_amortised, finish_model, 0, 0, 0},
    {"zilch_model_create_factors", "", NULL, create_factors, finish_model, 0, 0, 0},
    {"zilch_model_create", "", NULL, create_model, finish_model, 0, 0, 0},
    {"zilch_model_random", "", NULL, make_random, finish_model, 0, 0, 0},
    {"zilch_model_sample", "", NULL, sample, finish_output, 0, 0, 0},
    {"zilch_model_set_names", "", NULL, set_names, finish_output, 0, 0, 0},
    {"zilch_model_unpack", "", NULL, unpack_model, finish_model, 0, 0, 0},
    {"zilch_model_save", "", NULL, save_model, finish_save, 0, 0, 0},
    {"zilch_model_load", "", NULL, load_model, finish_model, 0, 0, 0},
    {"zilch_networks_create", "", NULL, create_networks, finish_networks, 0, 0, 0},
    {"zilch_networks_unpack", "", NULL, unpack_networks, finish_networks, 0, 0, 0},
    {"zilch_networks_save", "", NULL, save_networks, finish_networks_save, 0, 0, 0},
    {"zilch_networks_load", "", NULL, load_networks, finish_networks, 0, 0, 0},
    {"zilch_networks_put", "", copy_networks, put_network, finish_put, 0, 0, 0},
    {"zilch_examples_create", "noisy", NULL, noisy_examples, finish_examples, 0, 0, 0},
    {"zilch_examples_create", "simulated", NULL, simulated_examples, finish_examples, 0, 0, 0},
    {"zilch_trainer_create", "", NULL, create_trainer, finish_trainer, 0, 0, 0},
    {"zilch_trainer_save", "", NULL, save_trainer, finish_trainer_save, 0, 0, 0},
    {"zilch_trainer_load", "", NULL, load_trainer, finish_output, 0, 0, 0},
    {"zilch_networks_train", "", remove_weights, train_networks, finish_networks, 0, 0, 1},
    {"zilch_recover", "", NULL, recover, finish_recovery, 0, 0, 0},
    {"zilch_trainer_check", "", NULL, check_trainer, finish_output, 0, 0, 0},
    {"zilch_lander_create", "", NULL, create_lander, finish_lander, 0, 0, 0},
    {"zilch_lander_unpack", "", NULL, unpack_lander, finish_lander, 0, 0, 0},
    ZILCH_PROBLEM_LIST(X){"zilch_problem_open", "settings", NULL, open_with_settings, finish_problem, 0, 0,
                          0},
    {"zilch_problem_regression", "linear subset", NULL, open_linear_subset, finish_problem, 0, 0, 0},
    {"zilch_problem_regression", "linear", NULL, open_linear, finish_problem, 0, 0, 0},
    {"zilch_problem_regression", "logistic subset", NULL, open_logistic_subset, finish_problem, 0, 0, 0},
    {"zilch_problem_regression", "logistic", NULL, open_logistic, finish_problem, 0, 0, 0},
    {"zilch_problem_objective", "lander", NULL, evaluate_lander, finish_output, 0, 0, 0},
    {"zilch_problem_objective", "linear", NULL, evaluate_regression, finish_output, 0, 0, 0},
    {"zilch_problem_objective", "logistic", NULL, evaluate_logistic, finish_output, 0, 0, 0},
    {"zilch_problem_fit", "linear", NULL, fit_regression, finish_output, 0, 0, 0},
    {"zilch_problem_fit", "logistic", NULL, fit_logistic, finish_output, 0, 0, 0},
    {"zilch_pool_objective", "", NULL, evaluate_in_pool, finish_output, 0, 0, 0},
    {"zilch_program_open", "", NULL, open_program, finish_program, 0, 0, 0},
    {"zilch_program_greeting", "", new_greeting_program, wait_for_greeting, finish_greeting, 0, 0, 0},
    {"zilch_program_words", "", NULL, cut_words, finish_words, 0, 0, 0},
    {"zilch_answers_read", "", write_answers, read_answers, finish_answers, 0, 0, 0},
    {"zilch_line_read", "", write_line, read_line, finish_line, 0, 0, 0},
    {"zilch_program_objective", "json", new_json_program, evaluate_by_program, finish_evaluation, 0, 0, 0},
    {"zilch_program_objective", "plain", new_plain_program, evaluate_by_program, finish_evaluation, 0, 0, 0},
    {"zilch_optimizer_create", "", NULL, create_optimizer, finish_optimizer, 0, 0, 0},
    {"zilch_optimizer_create", "with limits", NULL, create_limited, finish_optimizer, 0, 0, 0},
    {"zilch_linear_limits_parse", "", NULL, parse_limits, finish_limits, 0, 0, 0},
    {"zilch_optimizer_unpack", "", NULL, unpack_optimizer, finish_optimizer, 0, 0, 0},
    {"zilch_optimizer_save", "", NULL, save_optimizer, finish_optimizer_save, 0, 0, 0},
    {"zilch_optimizer_load", "", NULL, load_optimizer, finish_optimizer, 0, 0, 0},
    {"zilch_optimizer_model", "", NULL, model_of_optimizer, finish_model, 0, 0, 0},
    {"zilch_optimizer_pack", "", NULL, pack_optimizer, finish_output, 0, 0, 0},
    {"zilch_optimizer_point", "", NULL, read_archive, finish_output, 0, 0, 0},
    {"zilch_optimizer_best", "", NULL, read_best, finish_output, 0, 0, 0},
    {"zilch_optimizer_top", "", NULL, read_top, finish_output, 0, 0, 0},
    {"zilch_optimizer_front", "", NULL, read_front, finish_output, 0, 0, 0},
    {"zilch_optimizer_front_with", "", NULL, read_front_with, finish_output, 0, 0, 0},
    {"zilch_optimizer_recommend", "", NULL, recommend_point, finish_output, 0, 0, 0},
    {"zilch_file_replace", "", NULL, replace_file, finish_replace, 0, 0, 0},
    {"zilch_file_replace", "through a link", link_file, replace_file, finish_link, 0, 0, 0},
    {"zilch_episodes_run", "", NULL, fly_episodes, finish_output, 0, 0, 0},
    {"zilch_episodes_summarise", "", NULL, summarise_episodes, finish_output, 0, 0, 0},
    {"zilch_episode_record", "", NULL, record_episode, finish_output, 0, 0, 0},
    {"zilch_problem_held_out", "lander", NULL, hold_out_lander, finish_output, 0, 0, 0},
    {"zilch_problem_held_out", "sphere", NULL, hold_out_sphere, finish_output, 0, 0, 0},
    {"zilch_rank_sum", "", NULL, sum_ranks, finish_output, 0, 0, 0},
    {"zilch_parallel", "", NULL, in_parallel, finish_output, 0, 0, 0},
};
#undef X

/* An optimiser in the middle of things, with late and foreign points, also as bytes. */
static void make_search(void)
{
    static asked a;
    zilch_optimizer *o;
    OK(create_search(WITH_MEMORY, scene.networks, &o));
    run_generations(o, 1);
    a.n = 0;
    ask_more(o, N, &a);
    tell_some(o, &a, 0, 10);
    ask_more(o, N, &a);
    tell_some(o, &a, 10, 3);
    OK(zilch_optimizer_tell_point(o, (const double[DIM]){1, 1, 1, 0}, 2.0));
    OK(zilch_optimizer_pack(o, scene.search_bytes, sizeof scene.search_bytes, &scene.search_length));
    OK(zilch_optimizer_save(o, scene.search_path));
    scene.optimizer = o;
}

static void make_data(void)
{
    zilch_model *law;
    zilch_rng rng = zilch_rng_make(3, 0);
    OK(zilch_model_random(&law, COLS, &rng, 0.5, 0.3, 0.7));
    OK(zilch_model_sample(law, &rng, ROWS, scene.x));
    zilch_model_destroy(law);
    for (size_t i = 0; i < ROWS; i++) {
        scene.y[i] = 2.0 * scene.x[i * COLS] - scene.x[i * COLS + 2] + zilch_rng_normal(&rng);
        scene.yes[i] = scene.y[i] > 0.0;
    }
}

static void make_files(void)
{
    strcpy(scene.folder, "/tmp/zilch_test_XXXXXX");
    assert_non_null(mkdtemp(scene.folder));
    snprintf(scene.path, sizeof scene.path, "%s/model", scene.folder);
    snprintf(scene.networks_path, sizeof scene.networks_path, "%s/networks", scene.folder);
    snprintf(scene.weights_path, sizeof scene.weights_path, "%s/weights", scene.folder);
    snprintf(scene.trainer_path, sizeof scene.trainer_path, "%s/trainer", scene.folder);
    snprintf(scene.search_path, sizeof scene.search_path, "%s/search", scene.folder);
    snprintf(scene.text_path, sizeof scene.text_path, "%s/text", scene.folder);
    snprintf(scene.log_path, sizeof scene.log_path, "%s/log", scene.folder);
    assert_int_equal(setenv("ZILCH_TEST_LOG", scene.log_path, 1), 0);
    OK(zilch_model_save(scene.model, scene.path));
    OK(zilch_networks_save(scene.networks, scene.networks_path));
    OK(zilch_trainer_save(scene.trainer, scene.trainer_path));
}

static int make_scene(void **state)
{
    (void)state;
    object made;
    make_data();
    OK(zilch_model_fit(&scene.model, ROWS, COLS, scene.x, NULL, NULL));
    OK(zilch_model_pack(scene.model, scene.bytes, sizeof scene.bytes, &scene.length));
    OK(zilch_networks_create(&scene.networks));
    OK(zilch_networks_pack(scene.networks, scene.networks_bytes, sizeof scene.networks_bytes,
                           &scene.networks_length));
    OK(noisy_examples(&made));
    scene.examples = made.examples;
    OK(create_trainer(&made));
    scene.trainer = made.trainer;
    OK(zilch_trainer_pack(scene.trainer, scene.trainer_bytes, sizeof scene.trainer_bytes,
                          &scene.trainer_length));
    OK(create_lander(&made));
    OK(zilch_lander_pack(made.lander, scene.lander_bytes, sizeof scene.lander_bytes, &scene.lander_length));
    zilch_lander_destroy(made.lander);
    OK(open_linear_subset(&made));
    scene.regression = made.problem;
    OK(open_logistic_subset(&made));
    scene.logistic = made.problem;
    OK(zilch_problem_open(&scene.problem, "lander:episodes=2", 11));
    make_files();
    make_search();
    return 0;
}

/* The folder is empty but for the files: no temporary one is left. */
static int drop_scene(void **state)
{
    (void)state;
    zilch_model_destroy(scene.model);
    zilch_networks_destroy(scene.networks);
    zilch_networks_destroy(others);
    others = NULL;
    zilch_examples_destroy(scene.examples);
    zilch_trainer_destroy(scene.trainer);
    zilch_optimizer_destroy(scene.optimizer);
    zilch_problem_close(scene.regression);
    zilch_problem_close(scene.logistic);
    zilch_problem_close(scene.problem);
    zilch_program_close(scene.program);
    scene.program = NULL;
    unlink(scene.path);
    unlink(scene.networks_path);
    unlink(scene.trainer_path);
    remove_weights();
    unlink(scene.search_path);
    unlink(scene.text_path);
    unlink(scene.log_path);
    return rmdir(scene.folder);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(calls); i++) {
        if (strncmp(calls[i].function, "zilch_program", 13) != 0 || getenv("ZILCH_EVALUATOR")) {
            sweep(&calls[i]);
        }
    }
}

/* ---- Functions that allocate nothing
 * ------------------------------------------------------------------------- */

static void end_quiet(const char *function)
{
    const size_t count = faults_disarm();
    if (count) {
        fail_msg("%s: %zu allocations", function, count);
    }
    cover(function);
}

/* Calls it; it must not allocate. */
#define QUIET(function, arguments)       \
    do {                                 \
        faults_arm(FAULTS_WIDEST, 0, 0); \
        (void)function arguments;        \
        end_quiet(#function);            \
    } while (0)

/* And give that status. */
#define QUIET_STATUS(expected, function, arguments)     \
    do {                                                \
        faults_arm(FAULTS_WIDEST, 0, 0);                \
        const zilch_status status = function arguments; \
        end_quiet(#function);                           \
        assert_int_equal(status, expected);             \
    } while (0)
#define QUIET_OK(function, arguments) QUIET_STATUS(ZILCH_OK, function, arguments)

#define QUIET_NAMES(type)                                                               \
    do {                                                                                \
        zilch_##type value;                                                             \
        QUIET(zilch_##type##_name, ((zilch_##type)0));                                  \
        QUIET_OK(zilch_##type##_parse, (zilch_##type##_name((zilch_##type)0), &value)); \
    } while (0)

static void names_are_quiet(void)
{
    QUIET_NAMES(block);
    QUIET_NAMES(inverter);
    QUIET_NAMES(structure);
    QUIET_NAMES(shrinkage);
    QUIET_NAMES(projection);
    QUIET_NAMES(labels);
    QUIET_NAMES(landing);
    QUIET_NAMES(method);
    QUIET_NAMES(direction);
    QUIET_NAMES(aggregate);
    QUIET_NAMES(reevaluate);
    QUIET_NAMES(weighting);
    QUIET_NAMES(forced);
    QUIET_NAMES(stop);
    QUIET_NAMES(setting_kind);
    QUIET_NAMES(action);
    QUIET_NAMES(protocol);
    QUIET_NAMES(regression);
    QUIET_NAMES(searched);
}

static double no_clock(void)
{
    return 0.0;
}

/* Nothing is known. */
static void empty_journals_are_quiet(void)
{
    zilch_journal *journal;
    const uint64_t id = 1;
    const double x = 1.0;
    double value;
    unsigned char is_known;
    const zilch_batch batch = {.n = 1, .dim = 1, .id = &id, .x = &x};
    OK(zilch_journal_open(&journal, NULL, 0, no_clock));
    QUIET_OK(zilch_journal_recall, (journal, &batch, &value, &is_known));
    zilch_journal_close(journal);
}

static void small_things_are_quiet(void)
{
    empty_journals_are_quiet();
    zilch_rng rng = zilch_rng_make(1, 2);
    zilch_tally tally = {0};
    double x[8];
    char text[ZILCH_NUMBER_SIZE];
    QUIET(zilch_version, ());
    QUIET(zilch_status_text, (ZILCH_EIO));
    QUIET(zilch_fail, (ZILCH_EIO, "no"));
    QUIET(zilch_last_error, ());
    QUIET(zilch_last_error_details, ());
    QUIET(zilch_error_format, (NULL, 0, NULL, NULL, 0));
    QUIET(zilch_study_is_moved, (NULL));
    QUIET(zilch_journal_close, (NULL));
    QUIET(zilch_batch_part, (&(zilch_batch){.n = 8, .dim = 1, .id = (const uint64_t[8]){0}, .x = x}, 1, 2));
    QUIET(zilch_set_blas_threads, (1));
    QUIET(zilch_rng_make, (1, 2));
    QUIET(zilch_rng_uniform, (&rng));
    QUIET(zilch_rng_normal, (&rng));
    QUIET(zilch_rng_normals, (&rng, 8, x));
    QUIET(zilch_processors, ());
    QUIET(zilch_line_free, (&(zilch_line){0}));
    QUIET(zilch_quantile, (8, x, 0.3));
    QUIET(zilch_violation, (8, x));
    QUIET(zilch_tally_add, (&tally, 1.0));
    QUIET(zilch_tally_deviation, (&tally));
    QUIET(zilch_fingerprint, (ZILCH_FINGERPRINT_BEGIN, x, sizeof x));
    QUIET(zilch_number_scan, ("0.12345678901234567", x));
    QUIET(zilch_number_parse, ("0.12345678901234567", x));
    QUIET(zilch_number_format, (1.0 / 3.0, text));
    QUIET(zilch_attenuate_mm, (0.3, 0.4, 0.5));
    QUIET(zilch_attenuate_vm, (0.3, 0.4, 0.5, 0.1));
    QUIET(zilch_attenuate_vv, (0.3, 0.4, 0.5, 0.1, 0.2, 0.3));
    QUIET(zilch_invert_mm, (0.3, 0.4, 0.2));
    QUIET(zilch_invert_vm, (0.3, 0.4, 0.2, 0.1));
    QUIET(zilch_invert_vv, (0.3, 0.4, 0.2, 0.1, 0.2, 0.3));
    QUIET(zilch_model_defaults, ());
    QUIET(zilch_examples_defaults, ());
    QUIET(zilch_networks_defaults, ());
    QUIET(zilch_recover_defaults, ());
    QUIET(zilch_recovery_edge, (1));
    QUIET(zilch_training_defaults, (ZILCH_BLOCK_VV));
    QUIET(zilch_lander_defaults, ());
    QUIET(zilch_optimizer_defaults, ());
    QUIET(zilch_limits_defaults, ());
    QUIET(zilch_final_defaults, (ZILCH_METHOD_PUBLISHED));
    QUIET(zilch_method_defaults, (ZILCH_METHOD_PUBLISHED));
    QUIET(zilch_program_defaults, ());
    QUIET(zilch_regression_defaults, ());
    cover("zilch_set_allocator"); /* it is how this is seen */
}

static void options_are_quiet(void)
{
    size_t count;
    char text[ZILCH_OPTION_SIZE];
    zilch_optimizer_options options = zilch_optimizer_defaults();
    const zilch_final_options final = zilch_final_defaults(ZILCH_METHOD_DEFAULT);
    const zilch_limits limits = zilch_limits_defaults();
    const zilch_setting setting = {ZILCH_SETTING_PROBLEM, "program", "true"};
    const zilch_request request = {.settings = 1, .setting = &setting};
    const zilch_run run = {.request = request};
    zilch_optimizer *optimizer;
    OK(zilch_optimizer_create(&optimizer, 3, 1, NULL));
    const zilch_option *row = zilch_optimizer_option_list(&count);
    QUIET(zilch_optimizer_option_list, (&count));
    QUIET(zilch_limit_list, (&count));
    QUIET(zilch_final_list, (&count));
    QUIET(zilch_option_format, (row, &options, text));
    QUIET_OK(zilch_option_parse, (row, "ea", &options));
    QUIET(zilch_option_renamed, ("price"));
    QUIET(zilch_final_budget, (&final, optimizer));
    QUIET(zilch_limits_left, (&limits, optimizer));
    QUIET(zilch_request_find, (&request, ZILCH_SETTING_PROBLEM, "program"));
    QUIET(zilch_run_is_same, (&run, &run));
    QUIET(zilch_run_matches, (&run, &request, optimizer));
    zilch_optimizer_destroy(optimizer);
}

static void models_are_quiet(void)
{
    zilch_fit_report report;
    object made;
    size_t length;
    OK(fit_clip(&made));
    zilch_model *m = made.model;
    QUIET(zilch_model_dim, (m));
    QUIET(zilch_model_names, (m));
    QUIET(zilch_model_p, (m));
    QUIET(zilch_model_mu, (m));
    QUIET(zilch_model_sigma, (m));
    QUIET(zilch_model_tau, (m));
    QUIET(zilch_model_structure, (m));
    QUIET(zilch_model_correlation, (m));
    QUIET(zilch_model_observed, (m));
    QUIET(zilch_model_rank, (m));
    QUIET(zilch_model_loadings, (m));
    QUIET(zilch_model_correlation_at, (m, 0, 1));
    QUIET_OK(zilch_model_report, (m, &report));
    QUIET_OK(zilch_model_pack, (m, scene.bytes, sizeof scene.bytes, &length));
    QUIET(zilch_model_destroy, (m));
}

static void training_is_quiet(void)
{
    static unsigned char bytes[65536];
    zilch_training_record record;
    object made;
    size_t length;
    OK(create_networks(&made));
    QUIET_OK(zilch_networks_pack, (made.networks, bytes, sizeof bytes, &length));
    QUIET_OK(zilch_networks_record, (made.networks, ZILCH_BLOCK_VM, &record));
    QUIET(zilch_networks_destroy, (made.networks));
    OK(create_trainer(&made));
    QUIET_OK(zilch_trainer_epoch, (made.trainer));
    QUIET(zilch_trainer_report, (made.trainer));
    QUIET_OK(zilch_trainer_pack, (made.trainer, bytes, sizeof bytes, &length));
    QUIET_OK(zilch_trainer_restore, (made.trainer, scene.trainer_bytes, scene.trainer_length));
    QUIET(zilch_trainer_destroy, (made.trainer));
    OK(recover(&made));
    QUIET(zilch_recovery_destroy, (made.recovery));
    OK(noisy_examples(&made));
    QUIET(zilch_examples_destroy, (made.examples));
}

static void landers_are_quiet(void)
{
    static const double actions[40] = {0.5};
    zilch_answer answer;
    double parameters[ZILCH_POLICY_PARAMETERS], action[40];
    char text[4000];
    zilch_world_view view;
    object made;
    size_t length;
    OK(create_lander(&made));
    for (size_t i = 0; i < 20; i++) {
        QUIET_OK(zilch_lander_reset, (made.lander, i, 3));
    }
    QUIET_OK(zilch_lander_step, (made.lander, actions));
    QUIET_OK(zilch_lander_restart, (made.lander, 1));
    QUIET_OK(zilch_lander_reset_many, (made.lander, NULL, NULL));
    QUIET_OK(zilch_lander_discrete, (2, action));
    QUIET_OK(zilch_lander_view, (made.lander, 1, &view));
    QUIET_OK(zilch_lander_pack, (made.lander, scene.lander_bytes, sizeof scene.lander_bytes, &length));
    QUIET(zilch_lander_worlds, (made.lander));
    QUIET(zilch_lander_observations, (made.lander));
    QUIET(zilch_lander_rewards, (made.lander));
    QUIET(zilch_lander_terminated, (made.lander));
    QUIET(zilch_lander_truncated, (made.lander));
    QUIET(zilch_policy_published, ());
    QUIET_OK(zilch_policy_parse, (zilch_policy_published(), parameters));
    QUIET_OK(zilch_answer_parse, ("{\"id\":7,\"error\":\"e\"}", ZILCH_PROTOCOL_JSON, &answer));
    QUIET_OK(zilch_policy_format, (parameters, text, sizeof text, &length));
    QUIET(zilch_policy_act, (parameters, 20, zilch_lander_observations(made.lander), action));
    QUIET(zilch_lander_heuristic, (20, zilch_lander_observations(made.lander), action));
    QUIET(zilch_lander_destroy, (made.lander));
    QUIET(zilch_answers_destroy, (NULL));
    QUIET(zilch_program_words_destroy, (NULL));
}

static void searches_are_quiet(void)
{
    const zilch_optimizer *o = scene.optimizer;
    const zilch_limits limits = zilch_limits_defaults();
    zilch_stop stop;
    double share;
    object made;
    QUIET(zilch_optimizer_progress, (o));
    QUIET(zilch_optimizer_dim, (o));
    QUIET(zilch_optimizer_seed, (o));
    QUIET(zilch_optimizer_settings, (o));
    OK(create_search(WITH_MEMORY, NULL, &made.optimizer));
    QUIET_OK(zilch_optimizer_set_repair, (made.optimizer, NULL, NULL));
    zilch_optimizer_destroy(made.optimizer);
    QUIET_OK(zilch_limits_reached, (&limits, o, &stop));
    OK(parse_limits(&made));
    QUIET(zilch_linear_limits_free, (made.limits, TEXT_LIMITS));
    QUIET(zilch_action_takes, (ZILCH_ACTION_PENALTY, 0.5));
    QUIET(zilch_violation, (2, (const double[]){0.5, -1.0}));
    OK(create_optimizer(&made));
    QUIET(zilch_optimizer_destroy, (made.optimizer));
    OK(open_sphere(&made));
    const zilch_batch batch = some_points(100);
    QUIET(zilch_problem_describe, (made.problem));
    QUIET_OK(zilch_problem_support, (made.problem, batch.x, &share));
    QUIET(zilch_problem_close, (made.problem));
    OK(zilch_problem_open(&made.problem, "lander", 1));
    QUIET_OK(zilch_problem_set_flyer, (made.problem, NULL, NULL));
    zilch_problem_close(made.problem);
    if (getenv("ZILCH_EVALUATOR")) {
        OK(open_program(&made));
        QUIET(zilch_program_starts, (made.program));
        QUIET(zilch_program_close, (made.program));
    }
}

static void others_allocate_nothing(void **state)
{
    (void)state;
    names_are_quiet();
    small_things_are_quiet();
    options_are_quiet();
    models_are_quiet();
    training_is_quiet();
    landers_are_quiet();
    searches_are_quiet();
}

/* ---- A search goes on after a failure -------------------------------------------------------- */

/* What is done with an optimiser; done again after a failure, until it succeeds. The values are
 * noisy_value's, so that what is asked again gets the same; without noise where the refinement has turns. */
typedef struct deed {
    int is_exact;
    asked a;
    double x[DIM];
    zilch_recommendation recommendation;
    unsigned char bytes[65536];
    size_t length;
} deed;
typedef zilch_status (*act)(zilch_optimizer *o, deed *d);

static void evaluate_asked(deed *d, size_t i)
{
    const double *x = d->a.x + i * DIM;
    d->a.value[i] = d->is_exact ? distance_of(DIM, x) : noisy_value(DIM, d->a.id[i], x);
}

static zilch_status objective(void *context, const zilch_batch *batch, double *value)
{
    const deed *d = context;
    if (!d->is_exact) {
        return noisy_objective(NULL, batch, value);
    }
    for (size_t i = 0; i < batch->n; i++) {
        value[i] = distance_of(DIM, batch->x + i * DIM);
    }
    return ZILCH_OK;
}

static zilch_status want(zilch_optimizer *o, deed *d)
{
    (void)d;
    size_t n = 0;
    const zilch_status status = zilch_optimizer_wanted(o, &n);
    assert_true((status == ZILCH_OK) == (n > 0));
    return status;
}

static zilch_status ask_all(zilch_optimizer *o, deed *d)
{
    const zilch_status status = zilch_optimizer_ask(o, N, d->a.id, d->a.x);
    d->a.n = status == ZILCH_OK ? N : 0;
    return status;
}

static zilch_status ask_beyond(zilch_optimizer *o, deed *d)
{
    const zilch_status status = zilch_optimizer_ask(o, 3 * N, d->a.id, d->a.x);
    d->a.n = status == ZILCH_OK ? 3 * N : 0;
    return status;
}

/* If the values were taken and only the closing failed, advance closes. */
static zilch_status tell_all(zilch_optimizer *o, deed *d)
{
    const size_t n = 10; /* two stay open */
    double error[10];
    double violation[10];
    for (size_t i = 0; i < n; i++) {
        evaluate_asked(d, i);
        violation[i] = i % 3 == 1 ? 0.25 : 0.0;
        error[i] = d->is_exact ? NAN : 0.25 + noise_of(d->a.id[i]);
    }
    return zilch_optimizer_progress(o).waiting == d->a.n
               ? zilch_optimizer_tell_violation(o, n, d->a.id, d->a.value, error, violation)
               : zilch_optimizer_advance(o);
}

static zilch_status tell_few(zilch_optimizer *o, deed *d)
{
    evaluate_asked(d, 0);
    return zilch_optimizer_tell(o, 1, d->a.id, d->a.value);
}

static zilch_status tell_late_error(zilch_optimizer *o, deed *d)
{
    const double error = d->is_exact ? NAN : 0.5;
    evaluate_asked(d, 10);
    return zilch_optimizer_tell_error(o, 1, d->a.id + 10, d->a.value + 10, &error);
}

static zilch_status tell_late(zilch_optimizer *o, deed *d)
{
    evaluate_asked(d, 11);
    return zilch_optimizer_tell(o, 1, d->a.id + 11, d->a.value + 11);
}

static zilch_status advance(zilch_optimizer *o, deed *d)
{
    (void)d;
    return zilch_optimizer_advance(o);
}

static zilch_status tell_foreign(zilch_optimizer *o, deed *d)
{
    static const double x[DIM] = {1, 1, 1, 0};
    return zilch_optimizer_tell_point(o, x, d->is_exact ? distance_of(DIM, x) : 0.5);
}

static zilch_status tell_foreign_violation(zilch_optimizer *o, deed *d)
{
    static const double x[DIM] = {1, 1, 0.5, 0};
    return zilch_optimizer_tell_point_violation(o, x, d->is_exact ? distance_of(DIM, x) : 0.5, 0.75);
}

static zilch_status pack(zilch_optimizer *o, deed *d)
{
    return zilch_optimizer_pack(o, d->bytes, sizeof d->bytes, &d->length);
}

static zilch_status optimize(zilch_optimizer *o, deed *d)
{
    zilch_limits limits = zilch_limits_defaults();
    const uint64_t first = d->is_exact ? 30 : 6;
    limits.generations = zilch_optimizer_progress(o).generations < first ? first : first + 3;
    return zilch_optimizer_run(o, objective, d, &limits, NULL, NULL, NULL);
}

static zilch_status set_penalty(zilch_optimizer *o, deed *d)
{
    (void)d;
    return zilch_optimizer_set_penalty(o, 0.5);
}

static zilch_status recommend(zilch_optimizer *o, deed *d)
{
    zilch_final_options options = zilch_final_defaults(ZILCH_METHOD_DEFAULT);
    options.final_pruning = 1;
    return zilch_optimizer_recommend(o, objective, d, &options, d->x, &d->recommendation);
}

/* What is open then is closed by the run that follows. */
static zilch_status open_front(zilch_optimizer *o, deed *d)
{
    (void)d;
    size_t n;
    zilch_final_options final = zilch_final_defaults(ZILCH_METHOD_DEFAULT);
    zilch_limits limits = zilch_limits_defaults();
    final.final_front = 5;
    limits.final = &final;
    limits.evaluations = 100000;
    return zilch_optimizer_open_front(o, &limits, &n);
}

static zilch_status read_all(zilch_optimizer *o, deed *d)
{
    zilch_record record[DIM + 1];
    size_t count;
    zilch_model *model = NULL;
    zilch_status status = zilch_optimizer_best(o, d->x, record);
    status = status == ZILCH_OK ? zilch_optimizer_top(o, 3, record, &count) : status;
    if (status == ZILCH_OK && zilch_optimizer_settings(o)->method == ZILCH_METHOD_DEFAULT) {
        status = zilch_optimizer_model(o, &model);
        zilch_model_destroy(model);
    }
    return status == ZILCH_OK ? zilch_optimizer_front(o, DIM + 1, record, &count) : status;
}

static const struct {
    const char *function; /* of zilch.h */
    act run;
} story[] = {
    {"zilch_optimizer_wanted", want},
    {"zilch_optimizer_ask", ask_all},
    {"zilch_optimizer_tell", tell_few},
    {"zilch_optimizer_advance", advance},
    {"zilch_optimizer_ask", ask_all},
    {"zilch_optimizer_tell_violation", tell_all},
    {"zilch_optimizer_tell", tell_late},
    {"zilch_optimizer_tell_error", tell_late_error},
    {"zilch_optimizer_tell_point", tell_foreign},
    {"zilch_optimizer_tell_point_violation", tell_foreign_violation},
    {"zilch_optimizer_wanted", want},
    {"zilch_optimizer_ask", ask_beyond},
    {"zilch_optimizer_tell_violation", tell_all},
    {"zilch_optimizer_run", optimize},
    {"zilch_optimizer_set_penalty", set_penalty},
    {"zilch_optimizer_recommend", recommend},
    {"zilch_optimizer_open_front", open_front},
    {"zilch_optimizer_best", read_all},
    {"zilch_optimizer_pack", pack},
    {"zilch_optimizer_run", optimize},
};

/* A fault in a story: allocation k of one of its chapters. */
typedef struct story_fault {
    fault_scope scope;
    size_t chapter, k;
    int is_lasting;
} story_fault;

/* The story with that fault; gives whether it came to that. */
static int tell_story(int kind, const story_fault *fault, deed *d, packed *end)
{
    zilch_optimizer *o;
    int is_hit = 0;
    d->is_exact = kind >= TAKING_TURNS;
    assert_int_equal(create_search(kind, NULL, &o), ZILCH_OK);
    for (size_t i = 0; i < COUNT(story); i++) {
        const int is_faulty = fault && i == fault->chapter;
        faults_arm(is_faulty ? fault->scope : FAULTS_NONE, is_faulty ? fault->k : 0,
                   is_faulty && fault->is_lasting);
        zilch_status status = story[i].run(o, d);
        const size_t count = faults_disarm();
        is_hit |= is_faulty && count >= fault->k;
        assert_true(zi_optimizer_is_valid(o));
        if (status != ZILCH_OK) {
            assert_true(is_faulty && is_hit);
            assert_int_equal(status, ZILCH_ENOMEM);
            assert_non_null(strstr(zilch_last_error(), "allocated"));
            status = story[i].run(o, d);
        } else if (is_faulty && fault->scope == FAULTS_HOOKS) {
            /* It was not ignored; but what smoothes values is put off until the next generation opens. */
            assert_true(count < fault->k || zilch_optimizer_settings(o)->smoothing);
        }
        if (status != ZILCH_OK) {
            fail_msg("%s: %s", story[i].function, zilch_last_error());
        }
        assert_true(zi_optimizer_is_valid(o));
    }
    assert_true((o->turns.evaluations > 40) == (kind >= TAKING_TURNS));
    *end = pack_of(o);
    zilch_optimizer_destroy(o);
    return is_hit;
}

static size_t sweep_story(int kind, story_fault fault, const deed *plain, const packed *expected)
{
    static deed d;
    packed got;
    const long before = faults_outstanding(fault.scope);
    int is_hit = 1;
    for (fault.k = 1; is_hit; fault.k++) {
        is_hit = tell_story(kind, &fault, &d, &got);
        if (got.length != expected->length || memcmp(got.data, expected->data, got.length) != 0) {
            fail_msg("kind %d, %s, allocation %zu: another end", kind, story[fault.chapter].function,
                     fault.k);
        }
        assert_memory_equal(d.x, plain->x, sizeof d.x);
        assert_memory_equal(&d.recommendation, &plain->recommendation, sizeof d.recommendation);
        free(got.data);
        assert_int_equal(faults_outstanding(fault.scope), before);
    }
    return fault.k - 2;
}

static void a_search_goes_on_after_a_failure(void **state)
{
    (void)state;
    static deed plain;
    for (int kind = 0; kind < KINDS; kind++) {
        packed expected;
        size_t count = 0;
        assert_false(tell_story(kind, NULL, &plain, &expected));
        for (size_t chapter = 0; chapter < COUNT(story); chapter++) {
            for (int way = 0; way < 3; way++) { /* of the two scopes, and of one fault or many */
                const story_fault fault = {.scope = way < 2 ? FAULTS_HOOKS : FAULTS_WIDEST,
                                           .chapter = chapter,
                                           .is_lasting = way == 1};
                count += way < 2 || FAULTS_WIDEST != FAULTS_HOOKS
                             ? sweep_story(kind, fault, &plain, &expected)
                             : 0;
            }
            cover(story[chapter].function);
        }
        print_message("    %-6s %zu faults\n",
                      kind == WITH_LIMITS    ? "limits"
                      : kind == TAKING_TURNS ? "turns"
                      : kind == WITH_MEMORY  ? "all"
                                             : zilch_method_name((zilch_method)kind),
                      count);
        faults += count;
        free(expected.data);
    }
}

/* The next function that zilch.h declares, from *at on: the name before the first parenthesis behind
 * ZILCH_API or ZILCH_CHECKED. ZILCH_ENUM declares two at once, whose common beginning *name becomes. */
static int next_function(const char **at, char *name, size_t size, int *is_enum)
{
    const char *begin = strstr(*at, "\nZILCH_");
    while (begin && strncmp(begin, "\nZILCH_API ", 11) != 0 && strncmp(begin, "\nZILCH_CHECKED ", 15) != 0 &&
           strncmp(begin, "\nZILCH_ENUM(", 12) != 0) {
        begin = strstr(begin + 1, "\nZILCH_");
    }
    const char *end = begin ? strchr(begin, '(') : NULL;
    if (!end) {
        return 0;
    }
    *at = end;
    *is_enum = strncmp(begin, "\nZILCH_ENUM(", 12) == 0;
    if (*is_enum) {
        snprintf(name, size, "zilch_%.*s", (int)strcspn(end + 1, ","), end + 1);
        return 1;
    }
    for (begin = end; isalnum((unsigned char)begin[-1]) || begin[-1] == '_';) {
        begin--;
    }
    snprintf(name, size, "%.*s", (int)(end - begin), begin);
    return 1;
}

static size_t missing_function(const char *name, const char *ending)
{
    char whole[120];
    snprintf(whole, sizeof whole, "%s%s", name, ending);
    if (is_covered(whole)) {
        return 0;
    }
    print_error("%s: neither swept nor seen to allocate nothing\n", whole);
    return 1;
}

static void nothing_was_left_out(void **state)
{
    (void)state;
    static char text[200000];
    char path[1024], name[100];
    const char *source = getenv("ZILCH_SOURCE_DIR");
    snprintf(path, sizeof path, "%s/include/zilch.h", source ? source : ".");
    FILE *header = fopen(path, "r");
    assert_non_null(header);
    text[fread(text, 1, sizeof text - 1, header)] = '\0';
    assert_true(feof(header) && strlen(text) < sizeof text - 1);
    fclose(header);
    size_t declared = 0, missing = 0;
    const char *at = strstr(text, "/* ---- Version and status");
    assert_non_null(at);
    for (int is_enum; next_function(&at, name, sizeof name, &is_enum);) {
        declared += is_enum ? 2 : 1;
        missing += missing_function(name, is_enum ? "_name" : "");
        missing += is_enum ? missing_function(name, "_parse") : 0;
    }
    print_message("    %zu functions declared, %zu faults\n", declared, faults);
    assert_int_equal(missing, 0);
    assert_int_equal(declared, covered_count);
    assert_true(declared > 150);
}

/* ---- Studies ----------------------------------------------------------------------------------------------
 */

static void studies_may_lack_memory(void **state)
{
    (void)state;
    study_scene_make();
    for (size_t i = 0; i < study_call_count; i++) {
        sweep(&study_calls[i]);
    }
    study_scene_drop();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_allocation_may_fail, make_scene, drop_scene),
        cmocka_unit_test_setup_teardown(others_allocate_nothing, make_scene, drop_scene),
        cmocka_unit_test(a_search_goes_on_after_a_failure),
        cmocka_unit_test(studies_may_lack_memory),
        cmocka_unit_test(nothing_was_left_out), /* the last */
    };
    faults_install();
    return cmocka_run_group_tests_name("faults_memory", tests, NULL, NULL);
}
