/* zilch_networks_train() and zilch_recover(): what they give is what their steps by hand give; stopped at any
 * moment and started again, a training ends with the same bytes; checkpoints are written when they are asked
 * for; and nothing is believed that does not belong. */
#include "support.h"
#include "train/trainer.h"

#include <sys/stat.h>

/* ---- Training ----------------------------------------------------------------------------------- */

static zilch_networks_options small_options(void)
{
    zilch_networks_options o = zilch_networks_defaults();
    o.threads = 2;
    o.examples.count = 300;
    for (int b = 0; b < ZILCH_BLOCKS; b++) {
        o.training[b].units = 8;
        o.training[b].epochs = 3 + (uint64_t)b;
        o.training[b].batch = 32;
    }
    return o;
}

/* What a watcher saw, and what it shall answer. */
typedef struct watching {
    size_t calls, stages, epochs;
    size_t stop_at;    /* call number, from 1; 0: never */
    size_t stop_stage; /* its beginning, from 1; 0: never */
    int save;
    int last_stage;
    int continued;
    zilch_training_progress last;
} watching;

static zilch_training_answer watch(void *context, const zilch_training_progress *p)
{
    watching *w = context;
    w->calls++;
    if (!w->stages || w->last_stage != (int)p->stage) {
        assert_int_equal(p->done, 0);
        assert_int_equal(p->stage, w->stages); /* in this order, none left out */
        w->stages++;
        w->last_stage = (int)p->stage;
        if (w->stages == w->stop_stage) {
            return ZILCH_TRAINING_STOP;
        }
    }
    assert_true(p->done <= p->total && p->changed < p->parts);
    w->epochs += p->stage == ZILCH_TRAINING_EPOCHS && p->part[p->changed].is_running;
    w->last = *p;
    w->continued = 0;
    for (size_t i = 0; i < p->parts; i++) {
        w->continued += p->part[i].is_continued;
        assert_true(p->part[i].report.epoch <= p->part[i].epochs);
    }
    return w->calls == w->stop_at ? ZILCH_TRAINING_STOP
           : w->save              ? ZILCH_TRAINING_SAVE
                                  : ZILCH_TRAINING_CONTINUE;
}

typedef struct bytes {
    unsigned char *data;
    size_t length;
} bytes;

static bytes packed(zilch_networks *networks)
{
    bytes b;
    assert_int_equal(zilch_networks_pack(networks, NULL, 0, &b.length), ZILCH_OK);
    b.data = test_malloc(b.length);
    assert_int_equal(zilch_networks_pack(networks, b.data, b.length, &b.length), ZILCH_OK);
    zilch_networks_destroy(networks);
    return b;
}

static void expect_same(bytes a, bytes b)
{
    assert_int_equal(a.length, b.length);
    assert_memory_equal(a.data, b.data, a.length);
}

/* Epoch by epoch, with the functions for one network. */
static bytes by_hand(const zilch_networks_options *o)
{
    zilch_networks *networks;
    zilch_examples *examples;
    assert_int_equal(zilch_networks_create(&networks), ZILCH_OK);
    assert_int_equal(zilch_examples_create(&examples, &o->examples, 1, NULL, NULL), ZILCH_OK);
    for (int b = 0; b < ZILCH_BLOCKS; b++) {
        zilch_trainer *t;
        if (o->block != ZILCH_BLOCKS && o->block != b) {
            continue;
        }
        assert_int_equal(zilch_trainer_create(&t, (zilch_block)b, examples, &o->training[b]), ZILCH_OK);
        for (uint64_t e = 0; e < o->training[b].epochs; e++) {
            assert_int_equal(zilch_trainer_epoch(t), ZILCH_OK);
        }
        assert_int_equal(zilch_networks_put(networks, t), ZILCH_OK);
        zilch_trainer_destroy(t);
    }
    zilch_examples_destroy(examples);
    return packed(networks);
}

static int part_exists(const char *block)
{
    char path[128];
    struct stat info;
    snprintf(path, sizeof path, "%s.%s.part", scratch.file, block);
    return stat(path, &info) == 0;
}

static int weights_exist(void)
{
    struct stat info;
    return stat(scratch.file, &info) == 0;
}

/* In the file and given back; no part is left, as the folder's removal sees. */
static void gives_what_its_steps_give(void **state)
{
    (void)state;
    zilch_networks_options o = small_options();
    zilch_networks *out, *loaded;
    const int blocks[] = {ZILCH_BLOCK_VM, ZILCH_BLOCKS};
    for (size_t i = 0; i < COUNT(blocks); i++) {
        watching w = {0};
        o.block = blocks[i];
        const bytes expected = by_hand(&o);
        assert_int_equal(zilch_networks_train(&out, scratch.file, &o, watch, &w), ZILCH_OK);
        assert_int_equal(zilch_networks_load(&loaded, scratch.file), ZILCH_OK);
        const bytes given = packed(out), kept = packed(loaded);
        expect_same(expected, given);
        expect_same(expected, kept);
        assert_int_equal(w.stages, 3);
        assert_int_equal(w.last.stage, ZILCH_TRAINING_WRITING);
        assert_int_equal(w.last.parts, o.block == ZILCH_BLOCKS ? 3 : 1);
        assert_int_equal(w.epochs, o.block == ZILCH_BLOCKS ? 3 + 4 + 5 : 4);
        assert_int_equal(w.continued, 0);
        test_free(expected.data);
        test_free(given.data);
        test_free(kept.data);
        unlink(scratch.file);
    }
}

/* A file that exists keeps the networks that are not trained. */
static void keeps_the_other_networks(void **state)
{
    (void)state;
    zilch_networks_options o = small_options();
    zilch_networks *out;
    const bytes expected = by_hand(&o);
    for (int b = ZILCH_BLOCKS; b-- > 0;) {
        o.block = b;
        assert_int_equal(zilch_networks_train(&out, scratch.file, &o, NULL, NULL), ZILCH_OK);
        const bytes now = packed(out);
        assert_int_equal(now.length == expected.length && !memcmp(now.data, expected.data, now.length),
                         b == 0);
        test_free(now.data);
    }
    test_free(expected.data);
}

/* Stopped at every call of the watcher after the examples, one after the other, until it gets to the end. */
static void goes_on_where_it_was_stopped(void **state)
{
    (void)state;
    const zilch_networks_options o = small_options();
    zilch_networks *out;
    const bytes expected = by_hand(&o);
    watching w = {.stop_at = 100};
    assert_int_equal(zilch_networks_train(&out, scratch.file, &o, watch, &w), ZILCH_ESTOPPED);
    assert_null(out);
    assert_false(part_exists("mm") || weights_exist()); /* examples leave nothing */
    for (size_t stage = 2; stage <= 3; stage++) {
        w = (watching){.stop_stage = stage};
        assert_int_equal(zilch_networks_train(&out, scratch.file, &o, watch, &w), ZILCH_ESTOPPED);
        assert_true(part_exists("mm") && part_exists("vm") && part_exists("vv"));
        assert_int_equal(w.epochs, stage == 2 ? 0 : 12);
    }
    w = (watching){0};
    assert_int_equal(zilch_networks_train(&out, scratch.file, &o, watch, &w), ZILCH_OK);
    assert_int_equal(w.epochs, 0);
    assert_int_equal(w.continued, 3);
    bytes given = packed(out);
    expect_same(expected, given);
    test_free(given.data);
    unlink(scratch.file);
    zilch_status status = ZILCH_ESTOPPED;
    size_t rounds = 0;
    for (; status == ZILCH_ESTOPPED && rounds < 100; rounds++) {
        w = (watching){.stop_at = 303 + rounds}; /* 1 + 300 + 1 calls come before the first epoch */
        status = zilch_networks_train(&out, scratch.file, &o, watch, &w);
    }
    assert_int_equal(status, ZILCH_OK);
    assert_true(rounds >= 3);
    given = packed(out);
    expect_same(expected, given);
    test_free(given.data);
    test_free(expected.data);
}

/* How often the part of one network is written. */
typedef struct spying {
    int save;
    size_t seen;
    size_t changes;
    ino_t file;
} spying;

static zilch_training_answer spy(void *context, const zilch_training_progress *p)
{
    spying *s = context;
    char path[128];
    struct stat info;
    snprintf(path, sizeof path, "%s.vm.part", scratch.file);
    if (p->stage == ZILCH_TRAINING_EPOCHS && stat(path, &info) == 0) {
        s->changes += info.st_ino != s->file;
        s->file = info.st_ino;
        s->seen++;
    }
    return s->save ? ZILCH_TRAINING_SAVE : ZILCH_TRAINING_CONTINUE;
}

static void saves_when_it_is_asked_to(void **state)
{
    (void)state;
    zilch_networks_options o = small_options();
    zilch_networks *out;
    o.block = ZILCH_BLOCK_VM;
    o.training[ZILCH_BLOCK_VM].epochs = 20;
    for (int save = 0; save <= 1; save++) {
        spying s = {.save = save};
        assert_int_equal(zilch_networks_train(&out, scratch.file, &o, spy, &s), ZILCH_OK);
        zilch_networks_destroy(out);
        assert_int_equal(s.seen, 22);
        /* When it began, and at the end; or after each epoch. A file that is replaced is another one. */
        assert_int_equal(s.changes, save ? 21 : 2);
    }
}

static void expect_failure(zilch_status expected, const char *path, const zilch_networks_options *o,
                           const char *text)
{
    zilch_networks *out = (zilch_networks *)&expected;
    assert_int_equal(zilch_networks_train(&out, path, o, NULL, NULL), expected);
    assert_null(out);
    if (!strstr(zilch_last_error(), text)) {
        fail_msg("\"%s\", not \"%s\"", zilch_last_error(), text);
    }
}

static void training_refuses_what_does_not_belong(void **state)
{
    (void)state;
    const zilch_networks_options good = small_options();
    zilch_networks_options o = good;
    assert_int_equal(zilch_networks_train(NULL, scratch.file, &o, NULL, NULL), ZILCH_EARG);
    expect_failure(ZILCH_EARG, NULL, &o, "path");
    expect_failure(ZILCH_EARG, "", &o, "path");
    o.size--;
    expect_failure(ZILCH_EARG, scratch.file, &o, "zilch_networks_defaults()");
    o = good;
    o.block = ZILCH_BLOCKS + 1;
    expect_failure(ZILCH_EARG, scratch.file, &o, "block");
    o.block = -1;
    expect_failure(ZILCH_EARG, scratch.file, &o, "block");
    o = good;
    o.examples.count = 4;
    expect_failure(ZILCH_EARG, scratch.file, &o, "5");
    o = good;
    o.training[ZILCH_BLOCK_VV].units = 7;
    expect_failure(ZILCH_EARG, scratch.file, &o, "units");
    expect_failure(ZILCH_EIO, scratch.folder, &good, "not a regular file");
    expect_failure(ZILCH_EIO, "/nowhere/weights", &good, "cannot write into its folder");
    assert_false(part_exists("mm") || part_exists("vm") || part_exists("vv") || weights_exist());
    FILE *file = fopen(scratch.file, "w");
    assert_non_null(file);
    fputs("text", file);
    fclose(file);
    expect_failure(ZILCH_EFORMAT, scratch.file, &good, "give another name, or remove it");
    assert_true(weights_exist());
}

/* A checkpoint of other options; the right ones then continue. */
static void a_checkpoint_belongs_to_its_options(void **state)
{
    (void)state;
    zilch_networks_options o = small_options();
    zilch_networks *out;
    watching w = {.stop_stage = 2};
    assert_int_equal(zilch_networks_train(&out, scratch.file, &o, watch, &w), ZILCH_ESTOPPED);
    o.training[ZILCH_BLOCK_VM].seed = 9;
    expect_failure(ZILCH_EARG, scratch.file, &o, "give the same options, or remove the file to begin anew");
    char path[128];
    snprintf(path, sizeof path, "%s.vm.part", scratch.file);
    assert_int_equal(truncate(path, 100), 0);
    o = small_options();
    expect_failure(ZILCH_EFORMAT, scratch.file, &o, "remove the file to begin anew");
    assert_int_equal(unlink(path), 0);
    w = (watching){0};
    assert_int_equal(zilch_networks_train(&out, scratch.file, &o, watch, &w), ZILCH_OK);
    assert_int_equal(w.continued, 2);
    zilch_networks_destroy(out);
}

/* A network that is not finite any more: the error names it, its part goes, the others' stay. */
static void a_network_that_fails_is_named(void **state)
{
    (void)state;
    const zilch_networks_options o = small_options();
    zilch_networks *out;
    zilch_examples *examples;
    zilch_trainer *t;
    char path[128];
    snprintf(path, sizeof path, "%s.vm.part", scratch.file);
    assert_int_equal(zilch_examples_create(&examples, &o.examples, 1, NULL, NULL), ZILCH_OK);
    assert_int_equal(zilch_trainer_create(&t, ZILCH_BLOCK_VM, examples, &o.training[ZILCH_BLOCK_VM]),
                     ZILCH_OK);
    t->first[0] = NAN;
    assert_int_equal(zilch_trainer_save(t, path), ZILCH_OK);
    zilch_trainer_destroy(t);
    zilch_examples_destroy(examples);
    expect_failure(ZILCH_ENUMERIC, scratch.file, &o, "vm: training: the network is not finite");
    assert_true(part_exists("mm") && !part_exists("vm") && part_exists("vv") && !weights_exist());
    assert_int_equal(zilch_networks_train(&out, scratch.file, &o, NULL, NULL), ZILCH_OK);
    const bytes given = packed(out), expected = by_hand(&o);
    expect_same(expected, given);
    test_free(given.data);
    test_free(expected.data);
}

/* ---- Recovery ------------------------------------------------------------------------------------ */

static zilch_recover_options small_recovery(void)
{
    zilch_recover_options o = zilch_recover_defaults();
    o.models = 4;
    o.dim = 5;
    o.rows = 500;
    o.seed = 7;
    o.threads = 2;
    return o;
}

static zilch_recovery *recover(const zilch_recover_options *o)
{
    zilch_recovery *r;
    assert_int_equal(zilch_recover(&r, o, NULL, NULL), ZILCH_OK);
    return r;
}

static void defaults_are_those_of_the_command(void **state)
{
    (void)state;
    const zilch_recover_options o = zilch_recover_defaults();
    assert_int_equal(o.size, sizeof o);
    assert_true(o.models == 100 && o.dim == 32 && o.rows == 100000 && o.seed == 1 && o.threads == 0);
    assert_true(o.decay == 0.6 && o.p_min == 0.0 && o.p_max == 1.0 && !o.networks);
    assert_true(o.shrinkage == ZILCH_SHRINK_NONE && o.projection == ZILCH_WEIGHTED);
    const zilch_networks_options n = zilch_networks_defaults();
    assert_int_equal(n.size, sizeof n);
    assert_true(n.block == ZILCH_BLOCKS && n.threads == 0 && n.examples.count == 200000);
    assert_true(n.training[ZILCH_BLOCK_MM].epochs == 1200 && n.training[ZILCH_BLOCK_VV].epochs == 250);
    assert_true(zilch_recovery_edge(0) == 0.0 && zilch_recovery_edge(ZILCH_RECOVERY_BINS) == 1.0);
    assert_true(zilch_recovery_edge(ZILCH_RECOVERY_BINS + 1) == 1.0);
    for (size_t k = 0; k < ZILCH_RECOVERY_BINS; k++) {
        assert_true(zilch_recovery_edge(k) < zilch_recovery_edge(k + 1));
    }
}

/* The truth and the fits of each law, made by hand. */
static void recovery_is_fits_of_random_laws(void **state)
{
    (void)state;
    const zilch_recover_options o = small_recovery();
    const size_t d = o.dim;
    double *x = test_malloc(o.rows * d * sizeof *x);
    zilch_recovery *r = recover(&o);
    size_t at = 0;
    for (uint64_t k = 0; k < o.models; k++) {
        zilch_model *truth, *fitted[ZILCH_INVERTERS];
        zilch_rng rng = zilch_rng_make(o.seed, 2 * k);
        assert_int_equal(zilch_model_random(&truth, d, &rng, o.decay, o.p_min, o.p_max), ZILCH_OK);
        rng = zilch_rng_make(o.seed, 2 * k + 1);
        assert_int_equal(zilch_model_sample(truth, &rng, o.rows, x), ZILCH_OK);
        for (int v = 0; v < ZILCH_INVERTERS; v++) {
            zilch_model_options fit = zilch_model_defaults();
            fit.inverter = (zilch_inverter)v;
            fit.projection = ZILCH_WEIGHTED;
            assert_int_equal(zilch_model_fit(&fitted[v], o.rows, d, x, NULL, &fit), ZILCH_OK);
        }
        for (size_t i = 0; i < 2 * d; i++) {
            for (size_t j = i + 1; j < 2 * d; j++) {
                if (j == i + d) {
                    continue;
                }
                const double *p = zilch_model_p(truth);
                const int block = (i >= d) + (j >= d); /* masks in it */
                assert_int_equal(r->block[at], block == 0   ? ZILCH_BLOCK_VV
                                               : block == 1 ? ZILCH_BLOCK_VM
                                                            : ZILCH_BLOCK_MM);
                assert_true(r->min_p[at] == (float)fmin(p[i % d], p[j % d]));
                assert_true(r->truth[at] == (float)zilch_model_correlation(truth)[i * 2 * d + j]);
                for (int v = 0; v < ZILCH_INVERTERS; v++) {
                    assert_true(r->inverter[v].recovered[at] ==
                                (float)zilch_model_correlation(fitted[v])[i * 2 * d + j]);
                }
                at++;
            }
        }
        for (int v = 0; v < ZILCH_INVERTERS; v++) {
            zilch_model_destroy(fitted[v]);
        }
        zilch_model_destroy(truth);
    }
    assert_int_equal(r->count, at);
    zilch_recovery_destroy(r);
    test_free(x);
}

/* Errors over all, and counts of blocks and bins, from the arrays. */
static void scores_are_those_of_the_arrays(void **state)
{
    (void)state;
    const zilch_recover_options o = small_recovery();
    zilch_recovery *r = recover(&o);
    for (int v = 0; v < ZILCH_INVERTERS; v++) {
        const zilch_recovery_inverter *inverter = &r->inverter[v];
        double mae = 0.0, mse = 0.0, rho = 0.0;
        for (size_t i = 0; i < r->count; i++) {
            const double e = (double)inverter->recovered[i] - (double)r->truth[i];
            mae += fabs(e) / (double)r->count;
            mse += e * e / (double)r->count;
            rho += fabs((double)r->truth[i]) / (double)r->count;
        }
        assert_double_equal(inverter->all.mae, mae, 1e-12);
        assert_double_equal(inverter->all.mse, mse, 1e-12);
        assert_double_equal(r->mean_abs_rho, rho, 1e-12);
        assert_true(inverter->all.ccc > 0.5 && inverter->all.ccc < 1.0);
        size_t of_blocks = 0, of_bins = 0;
        for (int b = 0; b < ZILCH_BLOCKS; b++) {
            of_blocks += inverter->block[b].count;
            for (int bin = 0; bin < ZILCH_RECOVERY_BINS; bin++) {
                of_bins += inverter->bin[bin][b].count;
            }
        }
        assert_int_equal(inverter->all.count, r->count);
        assert_int_equal(of_blocks, r->count);
        assert_int_equal(of_bins, r->count);
        assert_int_equal(inverter->block[ZILCH_BLOCK_VM].count, 2 * inverter->block[ZILCH_BLOCK_VV].count);
    }
    zilch_recovery_destroy(r);
}

static int stop_at_two(void *context, size_t done, size_t total)
{
    size_t *calls = context;
    assert_true(done <= total);
    ++*calls;
    return done == 2;
}

static void recovery_stops_and_refuses(void **state)
{
    (void)state;
    zilch_recover_options o = small_recovery();
    zilch_recovery *r;
    size_t calls = 0;
    o.threads = 1;
    assert_int_equal(zilch_recover(&r, &o, stop_at_two, &calls), ZILCH_ESTOPPED);
    assert_null(r);
    assert_int_equal(calls, 2);
    assert_int_equal(zilch_recover(NULL, &o, NULL, NULL), ZILCH_EARG);
    const zilch_recover_options good = small_recovery();
    zilch_recover_options bad[] = {good, good, good, good, good, good, good, good, good};
    bad[0].size--;
    bad[1].models = 0;
    bad[2].dim = 1;
    bad[3].rows = 1;
    bad[4].dim = 1001;
    bad[5].models = 1000001;
    bad[6].p_min = 0.9;
    bad[6].p_max = 0.1;
    bad[7].decay = 0.0;
    bad[8].projection = (zilch_projection)99;
    for (size_t i = 0; i < COUNT(bad); i++) {
        r = (zilch_recovery *)&o;
        assert_int_equal(zilch_recover(&r, &bad[i], NULL, NULL), ZILCH_EARG);
        assert_null(r);
    }
    zilch_recovery_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(gives_what_its_steps_give, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(keeps_the_other_networks, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(goes_on_where_it_was_stopped, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(saves_when_it_is_asked_to, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(training_refuses_what_does_not_belong, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(a_checkpoint_belongs_to_its_options, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(a_network_that_fails_is_named, make_folder, remove_folder),
        cmocka_unit_test(defaults_are_those_of_the_command),
        cmocka_unit_test(recovery_is_fits_of_random_laws),
        cmocka_unit_test(scores_are_those_of_the_arrays),
        cmocka_unit_test(recovery_stops_and_refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
