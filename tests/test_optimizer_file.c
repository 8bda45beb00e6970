/* Optimisers as bytes: at every moment of a search packing and unpacking is the identity and an interruption
 * changes nothing; from parts, as a study keeps them; and nothing hostile gets through. */
#include "base/bytes.h"
#include "search_support.h"

enum { DIM = 3, N = 6, K = 2 };

/* ---- A search, moment by moment ------------------------------------------------------------------------ */

/* All that was taken by the archive: what a study would have kept. */
typedef struct ledger {
    size_t count;
    zi_evaluation told[2000];
} ledger;

/* A search with half a generation's share, so that there is always something late. */
typedef struct search {
    zilch_optimizer *optimizer;
    asked now, late;
    ledger kept; /* of closed generations */
    zilch_optimizer_options options;
    zilch_forced forced[DIM];
    size_t group[DIM];
    double lower[DIM], upper[DIM];
    int has_errors;  /* are told with the values */
    int is_restless; /* begins anew whenever a generation has found nothing better */
} search;

/* After a generation has closed. */
static void keep_news(search *s)
{
    size_t count;
    const zi_evaluation *told = zi_optimizer_new_evaluations(s->optimizer, &count);
    for (size_t i = 0; i < count; i++) {
        s->kept.told[s->kept.count++] = told[i];
    }
    if (s->is_restless) {
        restart_if_stalled(s->optimizer, 1);
    }
}

static void tell_and_keep(search *s, const asked *a, size_t first, size_t n)
{
    const uint64_t before = zilch_optimizer_progress(s->optimizer).generations;
    double error[N];
    for (size_t i = 0; i < n; i++) { /* of every third it is not known */
        const uint64_t id = a->id[first + i];
        error[i] = id % 3 ? 0.25 * (double)(1 + id % 4) : NAN;
    }
    assert_int_equal(zilch_optimizer_tell_error(s->optimizer, n, a->id + first, a->value + first,
                                                s->has_errors ? error : NULL),
                     ZILCH_OK);
    assert_true(zi_optimizer_is_valid(s->optimizer));
    if (zilch_optimizer_progress(s->optimizer).generations > before) {
        keep_news(s);
    }
}

static void ask_now(search *s)
{
    s->now.n = 0;
    ask_more(s->optimizer, N, &s->now);
    s->now.value[1] = NAN;
}

static void tell_two(search *s)
{
    tell_and_keep(s, &s->now, 0, 2);
}

static void tell_third(search *s) /* closes */
{
    tell_and_keep(s, &s->now, 2, 1);
    s->late = s->now;
}

static void tell_late(search *s)
{
    tell_and_keep(s, &s->late, 3, 1);
}

static void tell_later(search *s)
{
    tell_and_keep(s, &s->late, 4, 1);
}

static void tell_foreign(search *s)
{
    static const double points[3][DIM] = {{0.5, 0, 0.25}, {0.125, 0, 0.5}, {0.75, 0, 0.5}};
    const double value = s->kept.count % 3 ? 0.5 : INFINITY;
    assert_int_equal(zilch_optimizer_tell_point(s->optimizer, points[s->kept.count % 3], value), ZILCH_OK);
}

static void ask_too_many(search *s)
{
    ask_more(s->optimizer, 2 * N, &s->now);
}

static void fail_all(search *s)
{
    const double failure[3] = {NAN, INFINITY, -INFINITY};
    double value[N];
    for (size_t i = 0; i < N; i++) {
        value[i] = failure[i % 3];
    }
    assert_int_equal(zilch_optimizer_tell(s->optimizer, N, s->now.id, value), ZILCH_EOBJECTIVE);
}

static void ask_again(search *s)
{
    ask_now(s);
}

static void advance(search *s)
{
    assert_int_equal(zilch_optimizer_advance(s->optimizer), ZILCH_OK);
    keep_news(s);
    s->late = s->now;
}

typedef void (*step)(search *s);

/* What happens, one after the other; an interruption may come after each. */
static const step steps[] = {tell_foreign, ask_now,      tell_two,   tell_third,   tell_late,    ask_now,
                             tell_two,     tell_foreign, tell_third, tell_late,    tell_foreign, ask_now,
                             ask_too_many, tell_two,     tell_later, advance,      ask_now,      fail_all,
                             ask_again,    tell_two,     tell_third, tell_foreign, ask_now,      tell_two};
enum { STEPS = COUNT(steps) };

enum { KINDS = 13 };

/* Kinds of searches beyond the published one: the defaults; few factors in the place of all correlations;
 * with restarts, soon; other weights and no second looks. */
static void change_options(search *s, unsigned kind)
{
    zilch_optimizer_options *o = &s->options;
    if (kind == 9 || kind == 11) {
        o->structure = ZILCH_STRUCTURE_LOW_RANK;
        o->rank = 2;
        o->prior_sigma = 2.0;
    }
    s->is_restless = kind >= 10;
    if (kind == 12) {
        o->reevaluate = ZILCH_REEVALUATE_NONE;
        o->weighting = ZILCH_WEIGHTING_EQUAL;
    }
}

/* Four laws as published, without and with limits on points, and others. */
static void begin(search *s, unsigned kind)
{
    memset(s, 0, sizeof *s);
    s->options =
        kind < 8 ? small_options(four_methods[kind % 4], N, K) : small_defaults(ZILCH_METHOD_DEFAULT, N, K);
    s->options.quorum = 0.5;
    s->has_errors = kind >= 8 && kind != 10;
    change_options(s, kind);
    s->options.direction = kind & 1 ? ZILCH_MAXIMIZE : ZILCH_MINIMIZE;
    s->options.aggregate = kind & 2 || kind == 9 ? ZILCH_AGGREGATE_MEAN : ZILCH_AGGREGATE_LATEST;
    s->options.penalty = kind & 1 ? 0.25 : 0.0;
    if (kind >= 4 && kind < 8) {
        s->forced[0] = ZILCH_FORCED_ON;
        s->group[0] = s->group[2] = 7;
        for (size_t i = 0; i < DIM; i++) {
            s->lower[i] = -1.0;
            s->upper[i] = 2.0;
        }
        s->options.forced = s->forced;
        s->options.group = s->group;
        s->options.lower = s->lower;
        s->options.upper = s->upper;
        s->options.min_active = 1;
        s->options.max_active = 2;
        s->options.sigma_floor = 0.01;
        s->options.shrinkage = ZILCH_SHRINK_ENTRYWISE;
        s->options.projection = ZILCH_CLIP;
    }
    s->optimizer = create_with(DIM, 1 + kind, &s->options);
}

static void end(search *s)
{
    zilch_optimizer_destroy(s->optimizer);
}

/* ---- Whole ------------------------------------------------------------------------------------ */

static void interrupt(search *s)
{
    zilch_optimizer *copy = copy_of(s->optimizer);
    assert_true(is_same_state(copy, s->optimizer));
    zilch_optimizer_destroy(s->optimizer);
    s->optimizer = copy;
}

/* Interrupted once, after each step in turn, and after every step: the same in the end. */
static void an_interruption_changes_nothing(void **state)
{
    (void)state;
    for (unsigned kind = 0; kind < KINDS; kind++) {
        static search plain, broken;
        begin(&plain, kind);
        for (size_t i = 0; i < STEPS; i++) {
            steps[i](&plain);
        }
        for (size_t at = 0; at <= STEPS; at++) {
            begin(&broken, kind);
            for (size_t i = 0; i < STEPS; i++) {
                if (at == i || at == STEPS) {
                    interrupt(&broken);
                }
                steps[i](&broken);
            }
            assert_true(is_same_state(plain.optimizer, broken.optimizer));
            end(&broken);
        }
        end(&plain);
    }
}

/* What was packed is what is read: options and all that can be asked. */
static void all_is_there_again(void **state)
{
    (void)state;
    static search s;
    begin(&s, 7);
    for (size_t i = 0; i < STEPS; i++) {
        steps[i](&s);
    }
    zilch_optimizer *copy = copy_of(s.optimizer);
    const zilch_optimizer_options *o = zilch_optimizer_settings(copy);
    assert_true(o->method == ZILCH_METHOD_EA && o->direction == ZILCH_MAXIMIZE &&
                o->aggregate == ZILCH_AGGREGATE_MEAN);
    assert_true(o->population == N && o->elites == K && o->quorum == 0.5 && o->penalty == 0.25);
    assert_true(o->min_active == 1 && o->max_active == 2 && o->sigma_floor == 0.01);
    assert_true(o->shrinkage == ZILCH_SHRINK_ENTRYWISE && o->projection == ZILCH_CLIP);
    assert_memory_equal(o->forced, s.forced, sizeof s.forced);
    assert_memory_equal(o->group, s.group, sizeof s.group);
    assert_memory_equal(o->lower, s.lower, sizeof s.lower);
    assert_memory_equal(o->upper, s.upper, sizeof s.upper);
    assert_int_equal(zilch_optimizer_seed(copy), 8);
    assert_int_equal(zilch_optimizer_dim(copy), DIM);
    const zilch_progress p = zilch_optimizer_progress(s.optimizer), q = zilch_optimizer_progress(copy);
    assert_true(p.generations == q.generations && p.evaluations == q.evaluations && p.failures == q.failures);
    assert_true(p.points == q.points && p.improved == q.improved && p.waiting == q.waiting);
    assert_true(p.best_value == q.best_value && p.best_fitness == q.best_fitness && p.waiting > 0);
    assert_true(p.restarts == q.restarts && p.scale == q.scale && p.noise == q.noise);
    for (uint64_t i = 0; i < p.points; i++) {
        zilch_record a, b;
        double x[DIM], y[DIM];
        assert_int_equal(zilch_optimizer_point(s.optimizer, i, x, &a), ZILCH_OK);
        assert_int_equal(zilch_optimizer_point(copy, i, y, &b), ZILCH_OK);
        assert_memory_equal(x, y, sizeof x);
        assert_true(a.evaluations == b.evaluations && a.failures == b.failures && a.active == b.active);
        assert_true(a.value == b.value || (isnan(a.value) && isnan(b.value)));
    }
    zilch_optimizer_destroy(copy);
    end(&s);
}

/* Each option has a value of its own. */
static void all_options_are_there_again(void **state)
{
    (void)state;
    zilch_optimizer_options options = {.size = sizeof options,
                                       .method = ZILCH_METHOD_PUBLISHED,
                                       .direction = ZILCH_MAXIMIZE,
                                       .population = 1234567,
                                       .elites = 123456,
                                       .penalty = 1.0 / 3.0,
                                       .min_active = 1,
                                       .max_active = 2,
                                       .initial_p = 0.3,
                                       .initial_mu = -1e300,
                                       .initial_sigma = 5e-324,
                                       .aggregate = ZILCH_AGGREGATE_MEAN,
                                       .reevaluate = ZILCH_REEVALUATE_NONE,
                                       .quorum = 0.7,
                                       .archive_size = 1000000000,
                                       .initial_spread = 0.125,
                                       .structure = ZILCH_STRUCTURE_LOW_RANK,
                                       .rank = 999,
                                       .inverter = ZILCH_AMORTISED,
                                       .shrinkage = ZILCH_SHRINK_ALL,
                                       .projection = ZILCH_NEAREST,
                                       .sigma_floor = 0.1,
                                       .weighting = ZILCH_WEIGHTING_EQUAL,
                                       .prior_sigma = 3.5,
                                       .margin = 0.25,
                                       .mean_shift = 0.375,
                                       .recombination = 0.0625,
                                       .immigrants = 0.1875,
                                       .reactivation = 0.75,
                                       .expected_evaluations = 4321,
                                       .smoothing = 0,
                                       .variance_scaling = 0};
    zilch_optimizer *o = create_with(DIM, 9, &options);
    zilch_optimizer *copy = copy_of(o);
    const zilch_optimizer_options *got = zilch_optimizer_settings(copy);
    const zilch_optimizer_options usual = zilch_optimizer_defaults();
    size_t count;
    const zilch_option *row = zilch_optimizer_option_list(&count);
    for (size_t i = 0; i < count; i++) {
        char expected[ZILCH_OPTION_SIZE], found[ZILCH_OPTION_SIZE], not_this[ZILCH_OPTION_SIZE];
        zilch_option_format(&row[i], &options, expected);
        zilch_option_format(&row[i], got, found);
        zilch_option_format(&row[i], &usual, not_this);
        assert_string_equal(found, expected);
        assert_string_not_equal(found, not_this); /* none is forgotten here */
    }
    zilch_optimizer_destroy(o);
    zilch_optimizer_destroy(copy);
}

/* Networks of the caller's go with it. */
static void networks_are_packed_too(void **state)
{
    (void)state;
    zilch_networks *networks;
    zilch_optimizer_options options = small_options(ZILCH_METHOD_DEFAULT, 12, 4);
    assert_int_equal(zilch_networks_create(&networks), ZILCH_OK);
    options.inverter = ZILCH_AMORTISED;
    options.networks = networks;
    zilch_optimizer *with = create_with(DIM, 3, &options);
    zilch_networks_destroy(networks);
    options.networks = NULL;
    zilch_optimizer *without = create_with(DIM, 3, &options);
    zilch_optimizer *copy = copy_of(with);
    assert_true(is_same_state(copy, with));
    assert_non_null(zilch_optimizer_settings(copy)->networks);
    const packed p = pack_of(with), q = pack_of(without);
    assert_true(p.length > q.length + 1000);
    for (size_t k = 8 * 20; k < 8 * p.length; k += 4001) { /* damage in them is seen */
        zilch_optimizer *out;
        p.data[k / 8] ^= (unsigned char)(1U << k % 8);
        const uint64_t crc = zi_crc64(p.data, p.length - 8);
        zi_writer w = {.data = p.data, .capacity = p.length, .length = p.length - 8};
        zi_write_u64(&w, crc);
        const zilch_status status = zilch_optimizer_unpack(&out, p.data, p.length);
        assert_true(status == ZILCH_OK ? zi_optimizer_is_valid(out) : out == NULL);
        zilch_optimizer_destroy(out);
        p.data[k / 8] ^= (unsigned char)(1U << k % 8);
    }
    free(p.data);
    free(q.data);
    run_generations(with, 2);
    run_generations(without, 2);
    run_generations(copy, 2);
    assert_true(is_same_state(copy, with));
    double x[DIM], y[DIM];
    assert_int_equal(zilch_optimizer_best(with, x, NULL), ZILCH_OK);
    assert_int_equal(zilch_optimizer_best(without, y, NULL), ZILCH_OK);
    assert_memory_equal(x, y, sizeof x); /* they are the library's own */
    zilch_optimizer_destroy(with);
    zilch_optimizer_destroy(without);
    zilch_optimizer_destroy(copy);
}

static void pack_never_writes_past_its_buffer(void **state)
{
    (void)state;
    zilch_optimizer *o = small_optimizer(ZILCH_METHOD_ADHOC, DIM, 4);
    run_generations(o, 1);
    const packed p = pack_of(o);
    unsigned char *room = malloc(p.length + 1);
    size_t length;
    for (size_t capacity = 0; capacity < p.length; capacity += 1 + capacity / 37) {
        memset(room, 0xa5, p.length + 1);
        assert_int_equal(zilch_optimizer_pack(o, room, capacity, &length), ZILCH_EARG);
        assert_int_equal(length, p.length);
        for (size_t i = capacity; i <= p.length; i++) {
            assert_int_equal(room[i], 0xa5);
        }
    }
    assert_int_equal(zilch_optimizer_pack(o, room, p.length + 1, &length), ZILCH_OK);
    assert_memory_equal(room, p.data, p.length);
    assert_int_equal(zilch_optimizer_pack(o, room, p.length, NULL), ZILCH_EARG);
    assert_int_equal(zilch_optimizer_pack(NULL, room, p.length, &length), ZILCH_EARG);
    free(room);
    free(p.data);
    zilch_optimizer_destroy(o);
}

static void files_round_trip(void **state)
{
    (void)state;
    zilch_optimizer *o = small_optimizer(ZILCH_METHOD_GAUSSIAN, DIM, 5);
    zilch_optimizer *copy;
    run_generations(o, 2);
    assert_int_equal(zilch_optimizer_save(o, scratch.file), ZILCH_OK);
    assert_int_equal(zilch_optimizer_load(&copy, scratch.file), ZILCH_OK);
    assert_true(is_same_state(o, copy));
    zilch_optimizer_destroy(copy);
    copy = o;
    assert_int_equal(zilch_optimizer_load(&copy, "/nowhere/at/all"), ZILCH_EIO);
    assert_null(copy);
    assert_int_equal(zilch_optimizer_load(NULL, scratch.file), ZILCH_EARG);
    assert_int_equal(zilch_optimizer_save(o, "/nowhere/at/all"), ZILCH_EIO);
    zilch_optimizer_destroy(o);
}

/* ---- From parts ------------------------------------------------------------------------------- */

static packed state_of(const zilch_optimizer *o)
{
    packed p;
    assert_int_equal(zi_optimizer_pack_state(o, NULL, 0, &p.length), ZILCH_OK);
    p.data = malloc(p.length);
    assert_int_equal(zi_optimizer_pack_state(o, p.data, p.length, &p.length), ZILCH_OK);
    return p;
}

/* The state, the points and every value ever taken, in order. */
static zilch_optimizer *put_together(const search *s)
{
    const zi_archive *archive = &s->optimizer->archive;
    const zi_new_evaluations *news = &s->optimizer->fresh;
    const packed p = state_of(s->optimizer);
    zilch_optimizer *o;
    assert_int_equal(zi_optimizer_unpack_state(&o, p.data, p.length), ZILCH_OK);
    free(p.data);
    for (size_t i = 0; i < archive->rows.count; i++) {
        size_t length;
        const unsigned char *bytes = zi_rows_bytes(&archive->rows, i, &length);
        assert_int_equal(zi_optimizer_restore_point(o, bytes, length), ZILCH_OK);
    }
    for (size_t i = 0; i < s->kept.count; i++) {
        assert_int_equal(zi_optimizer_restore_value(o, &s->kept.told[i]), ZILCH_OK);
    }
    for (size_t i = 0; i < news->count && !news->is_closed; i++) { /* of the generation that is open */
        assert_int_equal(zi_optimizer_restore_value(o, &news->list[i]), ZILCH_OK);
    }
    assert_int_equal(zi_optimizer_restored(o), ZILCH_OK);
    assert_true(zi_optimizer_is_valid(o));
    return o;
}

static void parts_make_the_whole(void **state)
{
    (void)state;
    for (unsigned kind = 0; kind < KINDS; kind++) {
        static search s;
        begin(&s, kind);
        for (size_t i = 0; i < STEPS; i++) {
            zilch_optimizer *o = put_together(&s);
            assert_true(is_same_state(o, s.optimizer));
            if (i % 3 == 0) { /* and it goes on */
                zilch_optimizer_destroy(s.optimizer);
                s.optimizer = o;
            } else {
                zilch_optimizer_destroy(o);
            }
            steps[i](&s);
        }
        end(&s);
    }
}

/* The news are the evaluations of the generation that closed: foreign and late ones, then its own by id. */
static void news_are_what_the_generation_brought(void **state)
{
    (void)state;
    static search s;
    begin(&s, 3);
    size_t count;
    for (size_t i = 0; i < 9; i++) {
        steps[i](&s);
    }
    const zi_evaluation *told = zi_optimizer_new_evaluations(s.optimizer, &count);
    const uint64_t expected[] = {3, ZI_FOREIGN_ID + 1, 6, 7, 8}; /* one late, one foreign, three of six */
    assert_int_equal(count, COUNT(expected));
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(told[i].id, expected[i]);
    }
    assert_true(isnan(told[3].value) && told[4].value == s.now.value[2]);
    end(&s);
}

static void wrong_parts_are_refused(void **state)
{
    (void)state;
    static search s;
    begin(&s, 0);
    for (size_t i = 0; i < 5; i++) {
        steps[i](&s);
    }
    const packed whole = pack_of(s.optimizer), rest = state_of(s.optimizer);
    zilch_optimizer *o = s.optimizer;
    assert_int_equal(zi_optimizer_unpack_state(&o, whole.data, whole.length), ZILCH_EFORMAT);
    assert_null(o);
    assert_int_equal(zilch_optimizer_unpack(&o, rest.data, rest.length), ZILCH_EFORMAT);
    assert_int_equal(zi_optimizer_unpack_state(&o, rest.data, rest.length), ZILCH_OK);
    size_t length;
    const unsigned char *bytes = zi_rows_bytes(&s.optimizer->archive.rows, 0, &length);
    assert_int_equal(zi_optimizer_restored(o), ZILCH_EFORMAT);
    assert_int_equal(zi_optimizer_restore_value(o, &(zi_evaluation){.value = 1.0, .weight = 1.0}),
                     ZILCH_EFORMAT);
    assert_int_equal(zi_optimizer_restore_point(o, bytes, length - 1), ZILCH_EFORMAT);
    assert_int_equal(zi_optimizer_restore_point(o, bytes, length), ZILCH_OK);
    assert_int_equal(zi_optimizer_restore_point(o, bytes, length), ZILCH_EFORMAT); /* twice */
    static const double no_weight[] = {0.0, -1.0, NAN, INFINITY};
    for (size_t i = 0; i < COUNT(no_weight); i++) {
        assert_int_equal(
            zi_optimizer_restore_value(o, &(zi_evaluation){.value = 1.0, .weight = no_weight[i]}),
            ZILCH_EFORMAT);
    }
    assert_int_equal(zi_optimizer_restored(o), ZILCH_EFORMAT);
    for (size_t i = 1; i < s.optimizer->archive.rows.count; i++) {
        bytes = zi_rows_bytes(&s.optimizer->archive.rows, i, &length);
        assert_int_equal(zi_optimizer_restore_point(o, bytes, length), ZILCH_OK);
    }
    assert_int_equal(zi_optimizer_restore_point(o, (const unsigned char[]){0}, 1), ZILCH_OK);
    assert_int_equal(zi_optimizer_restored(o), ZILCH_EFORMAT); /* one too many */
    bytes = zi_rows_bytes(&s.optimizer->archive.rows, 0, &length);
    double x[DIM], y[DIM];
    const zi_allowed *any = &s.optimizer->constraints.allowed;
    size_t active;
    assert_int_equal(zi_point_decode(ZILCH_METHOD_DEFAULT, any, bytes, length, x, &active), ZILCH_OK);
    assert_int_equal(active, s.optimizer->archive.entry[0].active);
    assert_int_equal(zilch_optimizer_point(s.optimizer, 0, y, NULL), ZILCH_OK);
    assert_memory_equal(x, y, sizeof x);
    assert_int_equal(zi_point_decode(ZILCH_METHOD_DEFAULT, any, bytes, length + 1, x, &active),
                     ZILCH_EFORMAT);
    zilch_optimizer_destroy(o);
    free(whole.data);
    free(rest.data);
    end(&s);
}

/* ---- Hostile bytes ---------------------------------------------------------------------------- */

static void repair(const packed *p)
{
    zi_writer w = {.data = p->data, .capacity = p->length, .length = p->length - 8};
    zi_write_checksum(&w);
}

static void refused(const packed *p, size_t length, const char *how, size_t where)
{
    zilch_optimizer *o = (zilch_optimizer *)(uintptr_t)64;
    unsigned char *copy = malloc(length ? length : 1); /* so that reading past the end is seen */
    memcpy(copy, p->data, length);
    const zilch_status status = zilch_optimizer_unpack(&o, copy, length);
    free(copy);
    if ((status != ZILCH_EFORMAT && status != ZILCH_EVERSION) || o || !*zilch_last_error()) {
        fail_msg("%s %zu: status %d", how, where, status);
    }
}

/* After all steps: late, foreign, told and untold points, all arrays of limits. */
static packed much_to_damage(unsigned kind, size_t moment)
{
    static search s;
    begin(&s, kind);
    for (size_t i = 0; i < moment; i++) {
        steps[i](&s);
    }
    const packed p = pack_of(s.optimizer);
    end(&s);
    return p;
}

static void check_truncations(unsigned kind)
{
    const packed p = much_to_damage(kind, STEPS);
    for (size_t length = 0; length < p.length; length++) {
        refused(&p, length, "first bytes", length);
        if (length >= 8) { /* with a checksum of what is left */
            const packed cut = {malloc(length), length};
            memcpy(cut.data, p.data, length);
            repair(&cut);
            refused(&cut, length, "mended bytes", length);
            free(cut.data);
        }
    }
    const packed longer = {calloc(1, p.length + 8), p.length + 8};
    memcpy(longer.data, p.data, p.length);
    refused(&longer, p.length + 1, "bytes", p.length + 1);
    repair(&longer);
    refused(&longer, p.length + 8, "bytes", p.length + 8);
    free(longer.data);
    free(p.data);
}

static void truncations_are_refused(void **state)
{
    (void)state;
    check_truncations(7);
    check_truncations(9);
}

static void every_flipped_bit_is_seen(void **state)
{
    (void)state;
    const packed p = much_to_damage(7, STEPS);
    for (size_t bit = 0; bit < 8 * p.length; bit++) {
        p.data[bit / 8] ^= (unsigned char)(1U << bit % 8);
        refused(&p, p.length, "bit", bit);
        p.data[bit / 8] ^= (unsigned char)(1U << bit % 8);
    }
    free(p.data);
}

/* What a valid optimiser has besides, of what others rely on. */
static int is_sound(const zilch_optimizer *o)
{
    size_t count;
    int sound = zi_optimizer_is_valid(o) && (o->slots > 0 || o->elites == 0) && !isnan(o->least_cost);
    const zi_evaluation *told = zi_optimizer_new_evaluations(o, &count);
    for (size_t i = 0; i < count; i++) {
        sound = sound && told[i].point < zilch_optimizer_progress(o).points;
    }
    for (size_t i = 0; i < o->stragglers.rows.count; i++) {
        const zi_slot *late = &o->stragglers.slot[i];
        sound = sound && (zi_id_number(late->id) < o->first_id ||
                          (late->id >= ZI_FOREIGN_ID && late->state == ZI_SLOT_TOLD));
    }
    for (size_t i = 0; i < o->elites; i++) {
        sound = sound && o->elite[i] < zilch_optimizer_progress(o).points;
    }
    const double noise = zilch_optimizer_progress(o).noise;
    sound = sound && zilch_optimizer_progress(o).scale >= 1.0 && !(noise < 0.0);
    return sound && (o->slots - o->reevaluated) % (o->options.population - o->reevaluated) == 0;
}

/* What was taken can be used: late values told, generations asked for and told, packed again. */
static void use(zilch_optimizer *o)
{
    static asked a;
    zilch_record record;
    size_t count;
    assert_int_equal(zilch_optimizer_front(o, 1, &record, &count), ZILCH_OK);
    for (size_t i = 0; i < o->stragglers.rows.count; i++) {
        const double value = 1.0;
        const zilch_status status = zilch_optimizer_tell(o, 1, &o->stragglers.slot[i].id, &value);
        assert_true(status == ZILCH_OK || status == ZILCH_EARG || status == ZILCH_EOBJECTIVE);
        assert_true(zi_optimizer_is_valid(o));
    }
    for (int g = 0; g < 2; g++) {
        const size_t n = zilch_optimizer_settings(o)->population;
        if (zilch_optimizer_ask(o, n, a.id, a.x) == ZILCH_OK) {
            for (size_t i = 0; i < n; i++) {
                a.value[i] = (double)i;
            }
            const zilch_status status = zilch_optimizer_tell(o, n, a.id, a.value);
            assert_true(status == ZILCH_OK);
        }
        assert_true(zi_optimizer_is_valid(o));
    }
    zilch_optimizer_destroy(copy_of(o));
}

/* With the checksum made right again, a flipped bit is refused or gives an optimiser that is whole and packs
 * as it was read; every fifth of those is used. */
static void nothing_hostile_gets_through(void **state)
{
    (void)state;
    size_t taken = 0, all = 0;
    for (unsigned kind = 6; kind < KINDS; kind++) {
        const packed p = much_to_damage(kind, STEPS);
        for (size_t bit = 0; bit < 8 * (p.length - 8); bit += kind == 7 ? 1 : 11, all++) {
            zilch_optimizer *o;
            p.data[bit / 8] ^= (unsigned char)(1U << bit % 8);
            repair(&p);
            const zilch_status status = zilch_optimizer_unpack(&o, p.data, p.length);
            if (status == ZILCH_OK) {
                const packed again = pack_of(o);
                if (!is_sound(o) || again.length != p.length || memcmp(again.data, p.data, p.length) != 0) {
                    fail_msg("kind %u, byte %zu, bit %zu of %zu bytes", kind, bit / 8, bit % 8, p.length);
                }
                free(again.data);
                if (taken++ % 5 == 0 && zilch_optimizer_settings(o)->population <= 3 * N) {
                    use(o);
                }
                zilch_optimizer_destroy(o);
            } else {
                assert_null(o);
                assert_true(status == ZILCH_EFORMAT || status == ZILCH_EVERSION);
            }
            p.data[bit / 8] ^= (unsigned char)(1U << bit % 8);
        }
        free(p.data);
    }
    print_message("    %zu of %zu flips taken\n", taken, all);
    assert_in_range(taken, all / 10, all);
}

/* Bytes of other values, after all steps, with no generation open, and before the first. */
static void other_bytes_do_not_get_through_either(void **state)
{
    (void)state;
    static const unsigned char values[] = {0, 1, 2, 5, 0xff};
    static const size_t moments[] = {STEPS, 5, 1};
    for (size_t k = 0; k < 2 * COUNT(moments); k++) {
        const packed p = much_to_damage(k % 2 ? 9 : 7, moments[k / 2]);
        for (size_t i = 0; i < COUNT(values) * (p.length - 8); i++) {
            zilch_optimizer *o;
            unsigned char *byte = &p.data[i / COUNT(values)];
            const unsigned char before = *byte;
            *byte = values[i % COUNT(values)];
            repair(&p);
            if (zilch_optimizer_unpack(&o, p.data, p.length) == ZILCH_OK && !is_sound(o)) {
                fail_msg("byte %zu is %d instead of %d", i / COUNT(values), *byte, before);
            }
            zilch_optimizer_destroy(o);
            *byte = before;
        }
        free(p.data);
    }
}

/* The least cost so far is a number. */
static void a_cost_of_nothing_is_refused(void **state)
{
    (void)state;
    zilch_optimizer *o = small_optimizer(ZILCH_METHOD_EA, DIM, 6), *out;
    run_generations(o, 1);
    const packed p = pack_of(o);
    const double nan = NAN;
    size_t at = 0;
    while (memcmp(p.data + at, &o->least_cost, 8) != 0) {
        at++;
    }
    memcpy(p.data + at, &nan, 8);
    repair(&p);
    assert_int_equal(zilch_optimizer_unpack(&out, p.data, p.length), ZILCH_EFORMAT);
    assert_non_null(strstr(zilch_last_error(), "counters"));
    free(p.data);
    zilch_optimizer_destroy(o);
}

/* ---- Where the fields are ------------------------------------------------------------------------------ */

enum { TURNS = 6 * 8 + 4 }; /* of a search without refinement */

/* Where it is written whose turn it is: after the options, the counters and the state of the law. */
static size_t turns_of(const zilch_optimizer *o, const packed *p)
{
    enum { BEFORE_OPTIONS = 32, COUNTERS = 15 * 8 };
    zi_reader r = {.data = p->data, .length = p->length, .position = BEFORE_OPTIONS, .ok = 1};
    zilch_optimizer_options options;
    const char *gone;
    assert_int_equal(zi_optimizer_options_read(&r, 5, o->dim, &options, &gone), ZILCH_OK);
    zi_optimizer_options_free(&options);
    return r.position + COUNTERS + 4 + (o->law_state.p ? (4 * o->dim + 2) * 8 : 0);
}

/* ---- Numbers that cannot be, in the fields of format version 3 ---------------------------------------- */

/* The place of these 8 bytes, which are there once. */
static size_t find_double(const packed *p, double number)
{
    size_t at = p->length, found = 0;
    for (size_t i = 0; i + 8 <= p->length; i++) {
        if (memcmp(p->data + i, &number, 8) == 0) {
            at = i;
            found++;
        }
    }
    assert_int_equal(found, 1);
    return at;
}

static void assert_damaged(const packed *p, size_t at, double number, const char *words)
{
    unsigned char before[8];
    zilch_optimizer *o;
    memcpy(before, p->data + at, 8);
    memcpy(p->data + at, &number, 8);
    repair(p);
    const zilch_status status = zilch_optimizer_unpack(&o, p->data, p->length);
    if (status != ZILCH_EFORMAT || !strstr(zilch_last_error(), words)) {
        fail_msg("%g for %s: status %d, %s", number, words, status, zilch_last_error());
    }
    memcpy(p->data + at, before, 8);
}

/* Of the memory every coordinate, of the noise every number: what no search can have is refused by name. */
static void impossible_numbers_are_refused(void **state)
{
    (void)state;
    static search s;
    begin(&s, 9);
    for (size_t i = 0; i < STEPS; i++) {
        steps[i](&s);
    }
    const packed p = pack_of(s.optimizer);
    const zilch_optimizer *o = s.optimizer;
    const zi_law_state *m = &o->law_state;
    const size_t noise = find_double(&p, o->noise.squares);
    for (size_t k = 0; k < 3; k++) { /* squares, count, unit */
        assert_damaged(&p, noise + 8 * k, -1.0, "counters");
        assert_damaged(&p, noise + 8 * k, NAN, "counters");
    }
    const size_t memory = noise + 3 * 8 + 4;
    assert_memory_equal(p.data + memory, m->p, 4 * DIM * sizeof *m->p);
    for (size_t i = 0; i < DIM; i++) {
        const size_t at = memory + 8 * i;
        assert_damaged(&p, at, -0.001, "the law's state"); /* p */
        assert_damaged(&p, at, 1.001, "the law's state");
        assert_damaged(&p, at + 8 * DIM, INFINITY, "the law's state"); /* mu */
        assert_damaged(&p, at + 16 * DIM, -1.0, "the law's state");    /* sigma */
        assert_damaged(&p, at + 16 * DIM, INFINITY, "the law's state");
        assert_damaged(&p, at + 24 * DIM, -0.001, "the law's state"); /* ratio */
        assert_damaged(&p, at + 24 * DIM, 1.001, "the law's state");
        for (size_t k = 0; k < 4; k++) {
            assert_damaged(&p, at + 8 * k * DIM, NAN, "the law's state");
        }
    }
    const size_t scale = memory + 4 * 8 * DIM;
    assert_damaged(&p, scale, 0.999, "the law's state");
    assert_damaged(&p, scale, INFINITY, "the law's state");
    assert_damaged(&p, scale, NAN, "the law's state");
    assert_damaged(&p, scale + 8, NAN, "the law's state"); /* best */
    const size_t turns = scale + 16;
    assert_int_equal(turns, turns_of(o, &p));
    for (size_t k = 0; k < 6; k++) { /* evaluations, starts, checked, improved, share, cost */
        assert_damaged(&p, turns + 8 * k, NAN, "whose turn it is");
    }
    assert_damaged(&p, turns + 8 * 4, -0.001, "whose turn it is");
    assert_damaged(&p, turns + 8 * 4, 1.0, "whose turn it is");
    const size_t elite = turns + TURNS + 6 * 8;
    const uint64_t beyond = o->archive.rows.count;
    double as_double;
    assert_int_equal(p.data[elite], o->elite[0]);
    memcpy(&as_double, &beyond, sizeof beyond);
    assert_damaged(&p, elite, as_double, "elites");
    const size_t error = elite + 8 * o->elites + 4 + 8;
    assert_damaged(&p, error, -1.0, "open generation");
    assert_damaged(&p, error, INFINITY, "open generation");
    free(p.data);
    end(&s);
}

/* There is a state of a law, or there is none. */
static void other_kinds_of_states_are_refused(void **state)
{
    (void)state;
    static search s;
    begin(&s, 8);
    for (size_t i = 0; i < STEPS; i++) {
        steps[i](&s);
    }
    const packed p = pack_of(s.optimizer);
    const size_t at = find_double(&p, s.optimizer->noise.squares) + 3 * 8;
    for (unsigned char other = 0; other < 5; other++) {
        zilch_optimizer *o;
        p.data[at] = other;
        repair(&p);
        const zilch_status status = zilch_optimizer_unpack(&o, p.data, p.length);
        assert_int_equal(status, other == 1 ? ZILCH_OK : ZILCH_EFORMAT);
        zilch_optimizer_destroy(o);
    }
    free(p.data);
    end(&s);
}

/* ---- What zilch 0.1 wrote ------------------------------------------------------------------------------ */

/* Options that zilch 0.1 had beside those of today. */
typedef struct old_options {
    int is_weighted_by_log;
    uint32_t values;
    uint64_t restart;
    double prior_p, prior_mu, prior_correlation;
} old_options;

/* The options as versions 3 and 4 of the format had them. */
static void write_old_options(zi_writer *w, uint32_t version, const zilch_optimizer_options *o,
                              const old_options *old)
{
    static const uint32_t law[] = {
        [ZILCH_METHOD_GAUSSIAN] = 1, [ZILCH_METHOD_ADHOC] = 2, [ZILCH_METHOD_EA] = 3};
    const uint32_t choices[] = {law[o->method], o->direction,
                                o->aggregate,   o->reevaluate,
                                o->inverter,    o->shrinkage,
                                o->projection,  old->is_weighted_by_log ? 2 : o->weighting,
                                old->values,    (uint32_t)o->variance_scaling};
    const uint64_t counts[] = {o->population, o->elites, o->min_active, o->max_active, old->restart};
    const double numbers[] = {o->quorum,        o->penalty,        o->initial_p,           o->initial_mu,
                              o->initial_sigma, o->initial_spread, o->sigma_floor,         old->prior_p,
                              old->prior_mu,    o->prior_sigma,    old->prior_correlation, o->margin,
                              o->mean_shift,    o->recombination,  o->immigrants,          o->reactivation};
    for (size_t i = 0; i < COUNT(choices); i++) {
        zi_write_u32(w, choices[i]);
    }
    for (size_t i = 0; i < COUNT(counts); i++) {
        zi_write_u64(w, counts[i]);
    }
    zi_write_doubles(w, numbers, COUNT(numbers));
    if (version == 4) {
        zi_write_u32(w, o->structure);
        zi_write_u64(w, o->rank);
        zi_write_u64(w, o->archive_size);
    }
}

/* The bytes of an optimiser without refinement as zilch 0.1 would have written them. */
static packed pack_old(const zilch_optimizer *o, uint32_t version, const old_options *old)
{
    enum { HEAD = 8 + 4, BEFORE_OPTIONS = 32, MORE = 400 };
    const packed p = pack_of(o);
    zi_reader r = {.data = p.data, .length = p.length, .position = BEFORE_OPTIONS, .ok = 1};
    const uint32_t texts = 2 * zi_read_u32(&r);
    for (uint32_t i = 0; i < texts; i++) {
        const uint32_t length = zi_read_u32(&r);
        r.position += length;
    }
    const size_t arrays = r.position;
    const size_t turns = turns_of(o, &p);
    const size_t open = turns + TURNS + 4 * 8;
    const size_t elites = open + 2 * 8; /* after population and refined */
    zi_writer w = {.data = malloc(p.length + MORE), .capacity = p.length + MORE};
    zi_write_bytes(&w, p.data, 8);
    zi_write_u32(&w, version);
    zi_write_bytes(&w, p.data + HEAD, BEFORE_OPTIONS - HEAD);
    write_old_options(&w, version, zilch_optimizer_settings(o), old);
    zi_write_bytes(&w, p.data + arrays, turns - arrays);
    zi_write_bytes(&w, p.data + turns + TURNS, 4 * 8);
    zi_write_bytes(&w, p.data + elites, p.length - 8 - elites);
    zi_write_checksum(&w);
    assert_true(w.length <= w.capacity);
    free(p.data);
    return (packed){w.data, w.length};
}

/* At every moment of every kind of search. Version 3 had no structure but the full one. */
static void versions_3_and_4_are_read(void **state)
{
    (void)state;
    const old_options none = {0};
    for (unsigned kind = 0; kind < KINDS; kind++) {
        static search s;
        begin(&s, kind);
        for (size_t i = 0; i < STEPS; i++) {
            steps[i](&s);
            for (uint32_t version = s.options.structure == ZILCH_STRUCTURE_FULL ? 3 : 4; version <= 4;
                 version++) {
                const packed p = pack_old(s.optimizer, version, &none);
                zilch_optimizer *o;
                if (zilch_optimizer_unpack(&o, p.data, p.length) != ZILCH_OK) {
                    fail_msg("kind %u, version %u: %s", kind, version, zilch_last_error());
                }
                assert_true(o->is_old);
                assert_true(!o->turns.refine && o->turns.improved == o->evaluations);
                o->is_old = 0; /* which is written too, and when points were found and checked */
                o->turns = s.optimizer->turns;
                o->options.smoothing = s.optimizer->options.smoothing;
                assert_true(is_same_state(o, s.optimizer));
                zilch_optimizer_destroy(o);
                free(p.data);
            }
        }
        end(&s);
    }
}

/* A run that uses an option that is gone can be looked at. Nothing is drawn for it, and it is not written. */
static void options_that_are_gone_are_named(void **state)
{
    (void)state;
    static const struct {
        old_options old;
        const char *name;
    } cases[] = {{{.is_weighted_by_log = 1}, "the option weighting log of zilch 0.1"},
                 {{.values = 1}, "the option values of zilch 0.1"},
                 {{.restart = 7}, "the option restart of zilch 0.1"},
                 {{.prior_p = 0.5}, "the option prior_p of zilch 0.1"},
                 {{.prior_mu = 1e-300}, "the option prior_mu of zilch 0.1"},
                 {{.prior_correlation = 20.0}, "the option prior_correlation of zilch 0.1"}};
    static search s;
    begin(&s, 8);
    for (size_t i = 0; i < 16; i++) { /* no generation is open then */
        steps[i](&s);
    }
    assert_int_equal(s.optimizer->slots, 0);
    zilch_record expected, found;
    assert_int_equal(zilch_optimizer_best(s.optimizer, NULL, &expected), ZILCH_OK);
    for (size_t k = 0; k < COUNT(cases); k++) {
        const packed p = pack_old(s.optimizer, 4, &cases[k].old);
        zilch_optimizer *o;
        uint64_t id;
        double x[DIM];
        size_t length;
        assert_int_equal(zilch_optimizer_unpack(&o, p.data, p.length), ZILCH_OK);
        assert_int_equal(zilch_optimizer_best(o, NULL, &found), ZILCH_OK);
        assert_true(found.point == expected.point && found.value == expected.value);
        assert_int_equal(zilch_optimizer_ask(o, 1, &id, x), ZILCH_EVERSION);
        assert_non_null(strstr(zilch_last_error(), cases[k].name));
        assert_int_equal(zilch_optimizer_run(o, noisy_objective, NULL, NULL, NULL, NULL, NULL),
                         ZILCH_EVERSION);
        assert_non_null(strstr(zilch_last_error(), cases[k].name));
        assert_int_equal(zilch_optimizer_pack(o, NULL, 0, &length), ZILCH_EVERSION);
        assert_non_null(strstr(zilch_last_error(), cases[k].name));
        assert_true(zi_optimizer_is_valid(o));
        zilch_optimizer_destroy(o);
        free(p.data);
    }
    end(&s);
}

/* Choices that zilch 0.1 did not have. */
static void choices_that_never_were_are_refused(void **state)
{
    (void)state;
    static const size_t at[] = {0, 1, 2, 3, 4, 5, 6, 7, 9};
    static search s;
    begin(&s, 8);
    for (size_t i = 0; i < COUNT(at); i++) {
        const packed p = pack_old(s.optimizer, 4, &(old_options){0});
        zilch_optimizer *o;
        p.data[32 + 4 * at[i]] = 9;
        repair(&p);
        assert_int_equal(zilch_optimizer_unpack(&o, p.data, p.length), ZILCH_EFORMAT);
        assert_non_null(strstr(zilch_last_error(), "its options"));
        free(p.data);
    }
    end(&s);
}

/* A value is written in one way: texts that mean the same are damage, and so is a zero with a sign. */
static void a_value_has_one_text(void **state)
{
    (void)state;
    zilch_optimizer_options options = small_defaults(ZILCH_METHOD_DEFAULT, N, K);
    options.initial_mu = -0.0;
    options.sigma_floor = 0.25;
    zilch_optimizer *o = create_with(DIM, 1, &options), *copy;
    assert_false(signbit(zilch_optimizer_settings(o)->initial_mu));
    const packed p = pack_of(o);
    unsigned char *at = p.data;
    while (memcmp(at, "0.25", 4) != 0 || memcmp(at - 8, "loor", 4) != 0) { /* the length is between */
        at++;
    }
    memcpy(at, "25e-2", 4);
    repair(&p);
    assert_int_equal(zilch_optimizer_unpack(&copy, p.data, p.length), ZILCH_EFORMAT);
    memcpy(at, ".250", 4);
    repair(&p);
    assert_int_equal(zilch_optimizer_unpack(&copy, p.data, p.length), ZILCH_EFORMAT);
    memcpy(at, "0.75", 4);
    repair(&p);
    assert_int_equal(zilch_optimizer_unpack(&copy, p.data, p.length), ZILCH_OK);
    assert_true(zilch_optimizer_settings(copy)->sigma_floor == 0.75);
    zilch_optimizer_destroy(copy);
    zilch_optimizer_destroy(o);
    free(p.data);
}

static void other_versions_are_named(void **state)
{
    (void)state;
    const packed p = much_to_damage(0, STEPS);
    zilch_optimizer *o;
    static const unsigned char others[] = {0, 1, 2, 6, 255};
    for (size_t i = 0; i < COUNT(others); i++) {
        p.data[8] = others[i];
        repair(&p);
        assert_int_equal(zilch_optimizer_unpack(&o, p.data, p.length), ZILCH_EVERSION);
        assert_non_null(strstr(zilch_last_error(), "reads versions 3 to 5"));
    }
    p.data[0] = 'Z';
    assert_int_equal(zilch_optimizer_unpack(&o, p.data, p.length), ZILCH_EFORMAT);
    assert_non_null(strstr(zilch_last_error(), "not a zilch optimizer"));
    assert_int_equal(zilch_optimizer_unpack(&o, NULL, 0), ZILCH_EARG);
    assert_null(o);
    assert_int_equal(zilch_optimizer_unpack(NULL, p.data, p.length), ZILCH_EARG);
    free(p.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_interruption_changes_nothing),
        cmocka_unit_test(all_is_there_again),
        cmocka_unit_test(all_options_are_there_again),
        cmocka_unit_test(networks_are_packed_too),
        cmocka_unit_test(pack_never_writes_past_its_buffer),
        cmocka_unit_test_setup_teardown(files_round_trip, make_folder, remove_folder),
        cmocka_unit_test(parts_make_the_whole),
        cmocka_unit_test(news_are_what_the_generation_brought),
        cmocka_unit_test(wrong_parts_are_refused),
        cmocka_unit_test(truncations_are_refused),
        cmocka_unit_test(every_flipped_bit_is_seen),
        cmocka_unit_test(nothing_hostile_gets_through),
        cmocka_unit_test(other_bytes_do_not_get_through_either),
        cmocka_unit_test(a_cost_of_nothing_is_refused),
        cmocka_unit_test(impossible_numbers_are_refused),
        cmocka_unit_test(other_kinds_of_states_are_refused),
        cmocka_unit_test(versions_3_and_4_are_read),
        cmocka_unit_test(options_that_are_gone_are_named),
        cmocka_unit_test(choices_that_never_were_are_refused),
        cmocka_unit_test(a_value_has_one_text),
        cmocka_unit_test(other_versions_are_named),
    };
    return cmocka_run_group_tests_name("optimizer_file", tests, NULL, NULL);
}
