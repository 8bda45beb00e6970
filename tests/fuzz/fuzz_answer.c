/* Lines that come from elsewhere: what evaluating programs answer, what 'zilch tell' is told, bounds from a
 * file, limits and lists of coordinates, and the values of options, such as those that a study keeps. The
 * first byte chooses. */
#include "fuzz.h"
#include "fuzz_file.h"

#include "parallel/answer.h"
#include "request/coordinates.h"
#include "terminal/cli.h"

#include <math.h>

static char message[4096]; /* of the command */

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    cli_keep_messages(message, sizeof message);
    return 0;
}

/* Inside and outside say the same. */
static void check_answer(const char *line, size_t length, zilch_protocol protocol)
{
    zi_answer answer;
    zilch_answer told;
    char reason[ZILCH_REASON_SIZE];
    const zi_verdict verdict = zi_answer_read(line, length, protocol, &answer);
    MUST(verdict == ZI_ANSWER_VALUE ? isfinite(answer.value) : isnan(answer.value));
    MUST(isnan(answer.sigma) || (answer.sigma >= 0.0 && isfinite(answer.sigma)));
    MUST(answer.violation >= 0.0 && isfinite(answer.violation));
    if (verdict != ZI_ANSWER_VALUE) {
        zi_answer_describe(&answer, verdict, line, reason);
        MUST(*reason && memchr(reason, '\0', sizeof reason));
    }
    if (strlen(line) == length) {
        const zilch_status status = zilch_answer_parse(line, protocol, &told);
        MUST((status == ZILCH_OK) == (verdict != ZI_ANSWER_WRONG));
        MUST(told.id == answer.id && isnan(told.value) == isnan(answer.value));
    }
}

/* Coordinates beside the values, be they called x1, x2, x3 or by names, make nothing right that is wrong. */
static void check_told(const uint8_t *data, size_t size, int is_named)
{
    enum { DIM = 3 };
    static const char *const names[DIM] = {"a", "y", "x2"};
    zilch_answers *told;
    FILE *stream = fopen(fuzz_file(data, size), "rb");
    MUST(stream);
    const zilch_status alone = zilch_answers_read(&told, stream, 0, NULL);
    MUST(!told || !told->x);
    zilch_answers_destroy(told);
    rewind(stream);
    const zilch_status status = zilch_answers_read(&told, stream, DIM, is_named ? names : NULL);
    MUST(alone == ZILCH_OK || status != ZILCH_OK);
    for (size_t i = 0; told && told->x && i < told->count * DIM; i++) {
        MUST(!isinf(told->x[i]));
    }
    MUST((status == ZILCH_OK) == (told != NULL));
    MUST(status == ZILCH_OK || zilch_last_error_details().line != ZILCH_NOWHERE);
    for (size_t i = 0; told && i < told->count; i++) {
        MUST(told->reason[i] ? isnan(told->value[i]) : 1);
        MUST(!isinf(told->value[i]) && (isnan(told->sigma[i]) || told->sigma[i] >= 0.0));
        MUST(told->violation[i] >= 0.0 && isfinite(told->violation[i]));
        MUST(told->line[i] > (i ? told->line[i - 1] : 0));
    }
    zilch_answers_destroy(told);
    fclose(stream);
}

static void check_bounds(const uint8_t *data, size_t size)
{
    enum { DIM = 4 };
    double low[DIM], high[DIM], x0[DIM], scale[DIM];
    double *const column[COORDINATES_COLUMNS] = {low, high, x0, scale};
    coordinates_error error;
    if (coordinates_bounds_read(fuzz_file(data, size), DIM, column, &error) == 0) {
        for (size_t i = 0; i < DIM; i++) {
            MUST(low[i] <= high[i]);
            MUST(isnan(x0[i]) == isnan(x0[0]) && isnan(scale[i]) == isnan(scale[0]));
        }
    }
}

/* Limits that are read and can be kept are kept, with steps and without. */
static void check_limits(const char *text)
{
    enum { DIM = 4, POINTS = 3, ROWS_MOST = 8 };
    static const double step[DIM] = {0, 1, 0.25, 0};
    static const double lower[DIM] = {0, -2, 0, -INFINITY}, upper[DIM] = {1, 5, INFINITY, 3};
    zilch_optimizer_options options = zilch_optimizer_defaults();
    zilch_linear_limit *limit;
    zilch_optimizer *o;
    size_t count;
    if (zilch_linear_limits_parse(text, DIM, NULL, &limit, &count) != ZILCH_OK) {
        MUST(*zilch_last_error());
        return;
    }
    options.linear_limits = limit;
    options.linear_limit_count = count;
    options.lower = lower;
    options.upper = upper;
    options.step = count % 2 ? step : NULL;
    if (count <= ROWS_MOST && zilch_optimizer_create(&o, DIM, 1, &options) == ZILCH_OK) {
        uint64_t id[POINTS];
        double x[POINTS * DIM];
        MUST(zilch_optimizer_ask(o, POINTS, id, x) == ZILCH_OK);
        for (size_t i = 0; i < POINTS; i++) {
            MUST(zilch_optimizer_tell_point(o, x + i * DIM, 1.0) == ZILCH_OK);
        }
        zilch_optimizer_destroy(o);
    }
    zilch_linear_limits_free(limit, count);
}

static void check_lists(const char *text)
{
    enum { DIM = 20 };
    size_t mark[DIM] = {0};
    size_t group[DIM] = {0};
    double low, high, step[DIM];
    coordinates_error error;
    check_limits(text);
    MUST(coordinates_steps(text, DIM, NULL, step, &error) || step[0] == step[0]);
    (void)coordinates_mark(text, DIM, 1, mark, &error);
    (void)coordinates_group(text, DIM, group, &error);
    MUST(coordinates_bounds(text, &low, &high, &error) || low <= high);
}

/* What is read is written as the same value, and never is one that the check would refuse. */
static void check_rows(const char *text, const zilch_option *row, size_t count, void *options)
{
    for (size_t i = 0; i < count; i++) {
        char written[ZILCH_OPTION_SIZE], again[ZILCH_OPTION_SIZE];
        if (zilch_option_parse(&row[i], text, options) == ZILCH_OK) {
            zilch_option_format(&row[i], options, written);
            MUST(memchr(written, '\0', sizeof written));
            MUST(zilch_option_parse(&row[i], written, options) == ZILCH_OK);
            zilch_option_format(&row[i], options, again);
            MUST(strcmp(written, again) == 0);
        } else {
            MUST(*zilch_last_error());
        }
    }
}

static void check_options(const char *text)
{
    zilch_optimizer_options options = zilch_optimizer_defaults();
    zilch_limits limits = zilch_limits_defaults();
    zilch_final_options final = zilch_final_defaults(ZILCH_METHOD_DEFAULT);
    size_t count;
    char **words;
    const zilch_option *row = zilch_optimizer_option_list(&count);
    check_rows(text, row, count, &options);
    row = zilch_limit_list(&count);
    check_rows(text, row, count, &limits);
    row = zilch_final_list(&count);
    check_rows(text, row, count, &final);
    const char *now = zilch_option_renamed(text);
    MUST(!now || !zilch_option_renamed(now));
    if (zilch_program_words(&words, text) == ZILCH_OK) {
        MUST(words[0]);
        zilch_program_words_destroy(words);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) {
        return 0;
    }
    char *line = fuzz_text(data + 1, size - 1);
    switch (data[0] % 8) {
    case 0:
    case 1:
    case 2:
        check_answer(line, size - 1, (zilch_protocol)(data[0] % 8));
        break;
    case 3:
    case 4:
        check_told(data + 1, size - 1, data[0] % 8 == 4);
        break;
    case 5:
        check_bounds(data + 1, size - 1);
        break;
    case 6:
        check_lists(line);
        break;
    default:
        check_options(line);
    }
    free(line);
    return 0;
}
