/* Lines that come from elsewhere: what evaluating programs answer, what 'zilch tell' is told, bounds from a
 * file, and the words of a run that a study keeps. The first byte chooses. */
#include "fuzz.h"
#include "fuzz_file.h"

#include "cli.h"
#include "coordinates.h"
#include "json.h"
#include "parallel/message.h"
#include "search_texts.h"
#include "tell_read.h"

#include <math.h>

static char message[4096]; /* of the command */

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    cli_keep_messages(message, sizeof message);
    return 0;
}

static void check_answer(const char *line, size_t length, zilch_protocol protocol)
{
    zi_answer answer;
    const zi_verdict verdict = zi_answer_read(line, length, protocol, &answer);
    MUST(memchr(answer.reason, '\0', sizeof answer.reason));
    MUST(verdict == ZI_ANSWER_VALUE ? isfinite(answer.value) : *answer.reason && isnan(answer.value));
    MUST(isnan(answer.error) || (answer.error >= 0.0 && isfinite(answer.error)));
}

static void check_told(const uint8_t *data, size_t size)
{
    told_values told;
    FILE *stream = fopen(fuzz_file(data, size), "rb");
    MUST(stream);
    *message = '\0';
    const int failed = told_read(&told, stream, "values");
    MUST((failed != 0) == (*message != '\0'));
    for (size_t i = 0; i < told.count; i++) {
        MUST(told.reason[i] ? isnan(told.value[i]) : 1);
        MUST(!isinf(told.value[i]) && (isnan(told.error[i]) || told.error[i] >= 0.0));
    }
    told_free(&told);
    fclose(stream);
}

static void check_bounds(const uint8_t *data, size_t size)
{
    enum { DIM = 4 };
    double low[DIM], high[DIM];
    coordinates_error error;
    if (coordinates_bounds_read(fuzz_file(data, size), DIM, low, high, &error) == 0) {
        for (size_t i = 0; i < DIM; i++) {
            MUST(low[i] <= high[i]);
        }
    }
}

static void check_lists(const char *text)
{
    enum { DIM = 20 };
    size_t mark[DIM] = {0};
    size_t group[DIM] = {0};
    double low, high;
    coordinates_error error;
    (void)coordinates_mark(text, DIM, 1, mark, &error);
    (void)coordinates_group(text, DIM, group, &error);
    MUST(coordinates_bounds(text, &low, &high, &error) || low <= high);
}

/* What is read is written as the same words. */
static void check_arguments(const char *text)
{
    json_arguments arguments, again;
    FILE *nowhere = fopen("/dev/null", "w");
    MUST(nowhere);
    if (json_arguments_parse(text, &arguments) == 0) {
        char *written = json_arguments_format(arguments.count, arguments.words, arguments.checksum);
        MUST(written && json_arguments_parse(written, &again) == 0 && again.count == arguments.count);
        for (size_t i = 0; i < again.count; i++) {
            MUST(strcmp(again.words[i], arguments.words[i]) == 0);
        }
        MUST(search_words_shared(&arguments) <= arguments.count);
        json_arguments_free(&again);
        json_arguments_free(&arguments);
        free(written);
    }
    search_words_print(nowhere, text);
    (void)search_words_are_same(text, text);
    (void)search_data_are_same(text, text);
    fclose(nowhere);
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
        check_told(data + 1, size - 1);
        break;
    case 5:
        check_bounds(data + 1, size - 1);
        break;
    case 6:
        check_lists(line);
        break;
    default:
        check_arguments(line);
    }
    free(line);
    return 0;
}
