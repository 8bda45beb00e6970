/* What a study keeps beside a run, so that another process can go on with it: the words it was asked for in,
 * with files by their whole paths, where and when. */
#include "search_texts.h"

#include "cli.h"
#include "json.h"
#include "text.h"

#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

/* ---- Words ----------------------------------------------------------------------------------- */

/* Whether `part` points into `word`: then it is an option's value there. */
static int is_part(const char *word, const char *part)
{
    const uintptr_t first = (uintptr_t)word;
    return part && (uintptr_t)part >= first && (uintptr_t)part <= first + strlen(word);
}

/* A copy, in which the name of a file that is read is the whole path. NULL without memory. */
static char *word_copy(const search_request *r, const char *word)
{
    const char *const file[] = {r->data, r->weights, r->bounds_file, r->warm_start};
    for (size_t i = 0; i < sizeof file / sizeof *file; i++) {
        char *path = is_part(word, file[i]) ? realpath(file[i], NULL) : NULL;
        if (path) {
            const int before = (int)(file[i] - word);
            const size_t size = (size_t)before + strlen(path) + 1;
            char *whole = malloc(size);
            if (whole) {
                snprintf(whole, size, "%.*s%s", before, word, path);
            }
            free(path);
            return whole;
        }
    }
    return strdup(word);
}

/* How many of the words from this one on name the study: it is the one they are kept in, and its name need
 * not be UTF-8. No other option begins so. */
static int study_words(int argc, char **argv)
{
    const int is_option = strncmp(argv[0], "--stu", strlen("--stu")) == 0;
    return !is_option ? 0 : strchr(argv[0], '=') || argc == 1 ? 1 : 2;
}

/* The words as one text, to be freed; NULL after printing why. */
static char *words_format(const search_request *r, int argc, char **argv, const char *checksum)
{
    size_t count = 0;
    char **words = calloc((size_t)argc, sizeof *words);
    int is_whole = words != NULL;
    for (int i = 0; i < argc && is_whole; i++) {
        const int skipped = study_words(argc - i, argv + i);
        if (skipped) {
            i += skipped - 1;
            continue;
        }
        words[count] = word_copy(r, argv[i]);
        is_whole = words[count++] != NULL;
    }
    char *text = is_whole ? json_arguments_format(count, words, checksum) : NULL;
    for (size_t i = 0; i < count && words; i++) {
        free(words[i]);
    }
    free(words);
    if (!text) {
        cli_fail(is_whole
                     ? "an option's value is not UTF-8, as what a study keeps must be; only --study may be so"
                     : "out of memory");
    }
    return text;
}

/* A comparison gives each run its own seed behind the first one. */
static int is_said_again(const json_arguments *a, size_t index)
{
    static const char seed[] = "--seed=";
    const size_t last = a->count - 1;
    return index < last && strncmp(a->words[index], seed, strlen(seed)) == 0 &&
           strncmp(a->words[last], seed, strlen(seed)) == 0;
}

void search_words_print(FILE *stream, const char *arguments)
{
    json_arguments parsed;
    if (json_arguments_parse(arguments, &parsed)) {
        return;
    }
    fputs("zilch", stream);
    for (size_t i = 0; i < parsed.count; i++) {
        if (!is_said_again(&parsed, i)) {
            fputc(' ', stream);
            text_put_word(stream, parsed.words[i]);
        }
    }
    json_arguments_free(&parsed);
}

size_t search_words_shared(const json_arguments *arguments)
{
    static const char last[] = "--threads=";
    size_t count = 0;
    while (count < arguments->count && strncmp(arguments->words[count], last, strlen(last)) != 0) {
        count++;
    }
    return count < arguments->count ? count + 1 : arguments->count;
}

/* ---- What they ask for ------------------------------------------------------------------------- */

static int kept_read(search_kept *out, int is_shared, const char *arguments, char why[SEARCH_WHY])
{
    *out = (search_kept){.request = {.program = NULL}};
    *why = '\0';
    if (json_arguments_parse(arguments, &out->arguments)) {
        return 1;
    }
    const size_t count = is_shared ? search_words_shared(&out->arguments) : out->arguments.count;
    const cli_messages before = cli_kept_messages();
    cli_keep_messages(why, SEARCH_WHY);
    const int failed = search_request_parse_kept(&out->request, (int)count, out->arguments.words);
    out->request.checksum = out->arguments.checksum;
    cli_keep_messages(before.buffer, before.size);
    return failed != 0;
}

int search_kept_read(search_kept *out, const char *arguments, char why[SEARCH_WHY])
{
    return kept_read(out, 0, arguments, why);
}

int search_kept_read_shared(search_kept *out, const char *arguments, char why[SEARCH_WHY])
{
    return kept_read(out, 1, arguments, why);
}

void search_kept_free(search_kept *kept)
{
    json_arguments_free(&kept->arguments);
}

/* ---- The same words ---------------------------------------------------------------------------- */

/* Whether the word, up to its value, is the option or short for it. */
static int is_option(const char *word, const char *option)
{
    enum { SHORTEST = 4 }; /* "--ge" */
    const size_t length = strcspn(word, "=");
    return length >= SHORTEST && strncmp(word, option, length) == 0;
}

/* How many of the words from this one on only say with which seed, how long, and on how many threads. */
static size_t free_words(char *const *word, size_t left)
{
    static const struct {
        const char *name, *letter;
    } options[] = {{"--seed", "-s"},        {"--generations", "-g"}, {"--threads", "-t"},
                   {"--evaluations", NULL}, {"--time", NULL},        {"--held-out", NULL}};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        const int is_long = is_option(word[0], options[i].name);
        const int is_short = options[i].letter && strncmp(word[0], options[i].letter, 2) == 0;
        if (is_long || is_short) {
            const int has_value = is_long ? strchr(word[0], '=') != NULL : word[0][2] != '\0';
            return has_value || left == 1 ? 1 : 2;
        }
    }
    return 0;
}

static const char *next_word(const json_arguments *a, size_t *at)
{
    while (*at < a->count) {
        const size_t skipped = free_words(a->words + *at, a->count - *at);
        if (!skipped) {
            return a->words[(*at)++];
        }
        *at += skipped;
    }
    return NULL;
}

static int have_same_words(const json_arguments *a, const json_arguments *b)
{
    size_t i = 0;
    size_t j = 0;
    for (;;) {
        const char *x = next_word(a, &i);
        const char *y = next_word(b, &j);
        if (!x || !y) {
            return !x && !y;
        }
        if (strcmp(x, y) != 0) {
            return 0;
        }
    }
}

int search_words_are_same(const char *a, const char *b)
{
    json_arguments x;
    json_arguments y = {0};
    const int are_read = !json_arguments_parse(a, &x) && !json_arguments_parse(b, &y);
    const int are_same = are_read && strcmp(x.checksum, y.checksum) == 0 && have_same_words(&x, &y);
    json_arguments_free(&x);
    json_arguments_free(&y);
    return are_same;
}

int search_data_are_same(const char *a, const char *b)
{
    json_arguments x;
    json_arguments y = {0};
    const int are_read = !json_arguments_parse(a, &x) && !json_arguments_parse(b, &y);
    const int are_same = !are_read || strcmp(x.checksum, y.checksum) == 0;
    json_arguments_free(&x);
    json_arguments_free(&y);
    return are_same;
}

/* ---- Where and when ----------------------------------------------------------------------------- */

static void machine_text(char *out, size_t size)
{
    struct utsname name;
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    if (uname(&name) != 0) {
        *out = '\0';
        return;
    }
    snprintf(out, size, "%s, %s %s, %s, %ld processor%s", name.nodename, name.sysname, name.release,
             name.machine, processors, processors == 1 ? "" : "s");
}

static void time_text(char *out, size_t size)
{
    const time_t now = time(NULL);
    struct tm utc;
    if (!gmtime_r(&now, &utc) || strftime(out, size, "%Y-%m-%dT%H:%M:%SZ", &utc) == 0) {
        *out = '\0';
    }
}

/* ---- All of it ----------------------------------------------------------------------------------- */

void search_texts_place(search_texts *out, const char *problem)
{
    *out = (search_texts){.arguments = NULL};
    machine_text(out->machine, sizeof out->machine);
    time_text(out->started, sizeof out->started);
    out->run = (zilch_run_texts){.problem = problem, .machine = out->machine, .started = out->started};
}

int search_texts_make(search_texts *out, const search_request *r, const search_problem *problem, int argc,
                      char **argv)
{
    search_texts_place(out, problem->text);
    out->arguments = words_format(r, argc, argv, problem->checksum);
    out->run.arguments = out->arguments;
    return out->arguments ? 0 : CLI_FAILED;
}

void search_texts_free(search_texts *texts)
{
    free(texts->arguments);
    texts->arguments = NULL;
}
