/* Writes sound files in small, for the fuzzers to begin with: fuzz_seeds FOLDER, which has a folder for each
 * fuzzer. */
#include "fuzz.h"
#include "fuzz_trainer.h"
#include "search/optimizer.h"

#include <math.h>

static const char *folder;

static void save(const char *name, const unsigned char *bytes, size_t length)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *stream = fopen(path, "wb");
    if (!stream || fwrite(bytes, 1, length, stream) != length || fclose(stream) != 0) {
        perror(path);
        exit(1);
    }
}

/* ---- Models ---------------------------------------------------------------------------------------- */

static const double data[] = {1,   0, 2.5, 0, 3, 1, 2, 2,  0, 1, 0, 0,   0, -1,  4, 3,
                              0.5, 1, -1,  0, 0, 2, 0, -2, 1, 0, 3, 1.5, 1, 0.5, 0, 0};

static void save_model(const char *name, zilch_model *model)
{
    unsigned char bytes[65536];
    size_t length;
    MUST(zilch_model_pack(model, bytes, sizeof bytes, &length) == ZILCH_OK);
    save(name, bytes, length);
    zilch_model_destroy(model);
}

static void make_models(void)
{
    static const double p[] = {0.5, 1.0}, mu[] = {0, 1}, sigma[] = {1, 0};
    zilch_model *model;
    zilch_rng rng = zilch_rng_make(1, 0);
    zilch_model_options options = zilch_model_defaults();
    MUST(zilch_model_fit(&model, 8, 4, data, NULL, &options) == ZILCH_OK);
    save_model("model/full", model);
    options.structure = ZILCH_STRUCTURE_LOW_RANK;
    options.rank = 2;
    MUST(zilch_model_fit(&model, 8, 4, data, NULL, &options) == ZILCH_OK);
    save_model("model/low-rank", model);
    options.structure = ZILCH_STRUCTURE_DIAGONAL;
    MUST(zilch_model_fit(&model, 8, 4, data, NULL, &options) == ZILCH_OK);
    save_model("model/diagonal", model);
    MUST(zilch_model_create(&model, 2, p, mu, sigma, NULL) == ZILCH_OK);
    save_model("model/made", model);
    MUST(zilch_model_random(&model, 3, &rng, 0.6, 0.1, 0.9) == ZILCH_OK);
    save_model("model/random", model);
}

/* ---- Optimisers ---------------------------------------------------------------------------------------- */

enum { DIM = 3, POPULATION = 6 };

static void save_optimizer(const char *name, const zilch_optimizer *o)
{
    unsigned char bytes[65536];
    size_t length;
    MUST(zilch_optimizer_pack(o, bytes, sizeof bytes, &length) == ZILCH_OK);
    save(name, bytes, length);
}

static void save_with_networks(const zilch_networks *networks)
{
    zilch_optimizer *o;
    zilch_optimizer_options options = zilch_optimizer_defaults();
    options.population = POPULATION;
    options.elites = 2;
    options.inverter = ZILCH_AMORTISED;
    options.networks = networks;
    MUST(zilch_optimizer_create(&o, DIM, 1, &options) == ZILCH_OK);
    save_optimizer("optimizer/networks", o);
    zilch_optimizer_destroy(o);
}

/* ---- Networks ---------------------------------------------------------------------------------------- */

static void make_networks(void)
{
    unsigned char bytes[65536];
    size_t length;
    zilch_examples *examples = fuzz_examples();
    zilch_trainer *trainer = fuzz_trainer(examples);
    MUST(zilch_trainer_pack(trainer, bytes, sizeof bytes, &length) == ZILCH_OK);
    save("trainer/begun", bytes, length);
    MUST(zilch_trainer_epoch(trainer) == ZILCH_OK);
    MUST(zilch_trainer_pack(trainer, bytes, sizeof bytes, &length) == ZILCH_OK);
    save("trainer/going-on", bytes, length);
    zilch_trainer_destroy(trainer);
    zilch_networks *networks;
    MUST(zilch_networks_create(&networks) == ZILCH_OK);
    for (int block = 0; block < ZILCH_BLOCKS; block++) {
        zilch_training_options options = zilch_training_defaults((zilch_block)block);
        options.units = 8;
        options.epochs = 1;
        options.batch = 4;
        MUST(zilch_trainer_create(&trainer, (zilch_block)block, examples, &options) == ZILCH_OK);
        MUST(zilch_trainer_epoch(trainer) == ZILCH_OK);
        MUST(zilch_networks_put(networks, trainer) == ZILCH_OK);
        zilch_trainer_destroy(trainer);
    }
    MUST(zilch_networks_pack(networks, bytes, sizeof bytes, &length) == ZILCH_OK);
    save("networks/small", bytes, length);
    save_with_networks(networks);
    zilch_networks_destroy(networks);
    zilch_examples_destroy(examples);
}

/* ---- Landers ------------------------------------------------------------------------------------------- */

static void save_lander(const char *name, const zilch_lander *lander)
{
    unsigned char bytes[65536];
    size_t length;
    MUST(zilch_lander_pack(lander, bytes, sizeof bytes, &length) == ZILCH_OK);
    save(name, bytes, length);
}

/* One that was never reset, and another in the air, on its legs, and when all is over. */
static void make_landers(void)
{
    static const double idle[] = {0, 0, 0, 0};
    zilch_lander *lander;
    zilch_lander_options options = zilch_lander_defaults();
    options.wind = 1;
    MUST(zilch_lander_create(&lander, 1, &options) == ZILCH_OK);
    save_lander("lander/new", lander);
    for (int k = 0; k < 200; k++) {
        char path[64];
        snprintf(path, sizeof path, "lander/step-%d", k);
        if (k == 0) {
            MUST(zilch_lander_reset(lander, 0, 3) == ZILCH_OK);
        }
        if (k % 20 == 0 || zilch_lander_terminated(lander)[0]) {
            save_lander(path, lander);
        }
        if (zilch_lander_terminated(lander)[0]) {
            break;
        }
        MUST(zilch_lander_step(lander, idle) == ZILCH_OK);
    }
    zilch_lander_destroy(lander);
    MUST(zilch_lander_create(&lander, 2, NULL) == ZILCH_OK);
    MUST(zilch_lander_reset(lander, 1, 5) == ZILCH_OK);
    save_lander("lander/two", lander);
    zilch_lander_destroy(lander);
}

/* ---- Searches ------------------------------------------------------------------------------------------ */

static void advance(zilch_optimizer *o, size_t told)
{
    uint64_t id[POPULATION];
    double x[POPULATION * DIM], value[POPULATION], error[POPULATION], violation[POPULATION];
    MUST(zilch_optimizer_ask(o, POPULATION, id, x) == ZILCH_OK);
    for (size_t i = 0; i < POPULATION; i++) {
        value[i] = id[i] % 5 == 4 ? NAN : fabs(x[i * DIM] - 1.0) + fabs(x[i * DIM + 1]);
        error[i] = id[i] % 4 ? NAN : 0.5;
        violation[i] = id[i] % 3 == 1 ? 0.25 : 0.0;
    }
    MUST(zilch_optimizer_tell_violation(o, told, id, value, error, violation) == ZILCH_OK);
}

static void make_optimizer(const char *name, const zilch_optimizer_options *options)
{
    char path[64];
    static const double known[DIM] = {0.5, 0, 0.25};
    zilch_optimizer *o;
    MUST(zilch_optimizer_create(&o, DIM, 1, options) == ZILCH_OK);
    snprintf(path, sizeof path, "optimizer/%s-new", name);
    save_optimizer(path, o);
    MUST(zilch_optimizer_tell_point(o, known, 0.5) == ZILCH_OK);
    advance(o, POPULATION);
    snprintf(path, sizeof path, "optimizer/%s-1", name);
    save_optimizer(path, o);
    advance(o, 3);
    snprintf(path, sizeof path, "optimizer/%s-open", name);
    save_optimizer(path, o);
    MUST(zilch_optimizer_advance(o) == ZILCH_OK); /* three are late */
    advance(o, POPULATION);
    snprintf(path, sizeof path, "optimizer/%s-3", name);
    save_optimizer(path, o);
    unsigned char bytes[65536];
    size_t length;
    MUST(zi_optimizer_pack_state(o, bytes, sizeof bytes, &length) == ZILCH_OK);
    snprintf(path, sizeof path, "optimizer/%s-state", name);
    save(path, bytes, length);
    zilch_optimizer_destroy(o);
}

/* The distribution and the refinement take turns; some generations are left open, and some points are late.
 */
static void make_turns(const char *name, const zilch_optimizer_options *options)
{
    enum { GENERATIONS = 12, MOST = 64 };
    zilch_optimizer *o;
    MUST(zilch_optimizer_create(&o, DIM, 1, options) == ZILCH_OK);
    for (int g = 0; g < GENERATIONS; g++) {
        char path[64];
        uint64_t id[MOST];
        double x[MOST * DIM], value[MOST];
        size_t n;
        MUST(zilch_optimizer_wanted(o, &n) == ZILCH_OK && n < MOST);
        n += g % 4 == 3;
        MUST(zilch_optimizer_ask(o, n, id, x) == ZILCH_OK);
        for (size_t i = 0; i < n; i++) {
            value[i] =
                fabs(x[i * DIM] - 1.0) + x[i * DIM + 1] * x[i * DIM + 1] + 0.5 * x[i * DIM] * x[i * DIM + 2];
        }
        snprintf(path, sizeof path, "optimizer/%s-%d", name, g);
        MUST(zilch_optimizer_tell(o, n / 2, id, value) == ZILCH_OK);
        save_optimizer(path, o);
        MUST(zilch_optimizer_tell(o, n - n / 2, id + n / 2, value + n / 2) == ZILCH_OK);
    }
    zilch_optimizer_destroy(o);
}

/* Linear limits, steps, a list of values and penalties, together. */
static void make_limited(void)
{
    static const double lower[DIM] = {-2, -2, 0}, upper[DIM] = {2, 2, 2}, step[DIM] = {0.25, 0, 0};
    static const double list[] = {0.25, 0.5, 1}, weight[] = {1, -1, 2}, penalties[DIM] = {0.1, 0, 0.2};
    static const zilch_values values[DIM] = {[2] = {3, list}};
    static const size_t some[] = {0, 2};
    const zilch_linear_limit limit[2] = {{.count = DIM, .weight = weight, .lower = 0.5, .upper = 3},
                                         {.count = 2, .coordinate = some, .lower = -INFINITY, .upper = 1.5}};
    zilch_optimizer_options options = zilch_optimizer_defaults();
    options.lower = lower;
    options.upper = upper;
    options.step = step;
    options.values = values;
    options.penalties = penalties;
    options.linear_limits = limit;
    options.linear_limit_count = 2;
    make_turns("turns-limited", &options);
    options.population = POPULATION;
    options.elites = 2;
    make_optimizer("limited", &options);
}

static void make_optimizers(void)
{
    static const double lower[DIM] = {-1, -INFINITY, 0}, upper[DIM] = {1, INFINITY, 2};
    static const zilch_forced forced[DIM] = {ZILCH_FORCED_ON, ZILCH_FORCED_NOT, ZILCH_FORCED_NOT};
    static const size_t group[DIM] = {1, 0, 1};
    zilch_optimizer_options options = zilch_optimizer_defaults();
    options.population = POPULATION;
    options.elites = 2;
    make_optimizer("default", &options);
    options.prior_sigma = 2.0;
    options.weighting = ZILCH_WEIGHTING_EQUAL;
    options.aggregate = ZILCH_AGGREGATE_MEAN;
    options.quorum = 0.75;
    options.archive_size = 3;
    make_optimizer("memory", &options);
    options = zilch_optimizer_defaults();
    options.population = POPULATION;
    options.elites = 2;
    options.structure = ZILCH_STRUCTURE_LOW_RANK;
    options.rank = 1;
    options.lower = lower;
    options.upper = upper;
    options.forced = forced;
    options.group = group;
    options.min_active = 1;
    options.max_active = 3;
    make_optimizer("bound", &options);
    options.population = options.elites = 0;
    make_turns("turns-bound", &options);
    options.defaults = (const double[DIM]){0.25, 0, -3};
    make_turns("turns-defaults", &options);
    options.population = POPULATION;
    options.elites = 2;
    options.step = (const double[DIM]){0.25, 0, 0.125};
    make_optimizer("defaults", &options);
    options = zilch_optimizer_defaults();
    options.x0 = (const double[DIM]){0.5, 0, 3};
    options.scale = (const double[DIM]){1, 0.25, 10};
    make_turns("turns", &options);
    for (int method = ZILCH_METHOD_PUBLISHED; method <= ZILCH_METHOD_EA; method++) {
        zilch_optimizer_options other = zilch_method_defaults((zilch_method)method);
        other.population = POPULATION;
        other.elites = 2;
        make_optimizer(zilch_method_name((zilch_method)method), &other);
    }
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: fuzz_seeds FOLDER\n");
        return 2;
    }
    folder = argv[1];
    zilch_set_blas_threads(1);
    make_models();
    make_networks();
    make_landers();
    make_optimizers();
    make_limited();
    return 0;
}
