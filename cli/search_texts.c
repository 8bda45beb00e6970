/* What a study keeps beside a run, so that another process can go on with it: the words it was asked for in,
 * with files by their whole paths, where and when. */
#include "search_texts.h"

#include "cli.h"
#include "json.h"

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

int search_texts_make(search_texts *out, const search_request *r, const search_problem *problem, int argc,
                      char **argv)
{
    *out = (search_texts){.arguments = words_format(r, argc, argv, problem->checksum)};
    if (!out->arguments) {
        return CLI_FAILED;
    }
    machine_text(out->machine, sizeof out->machine);
    time_text(out->started, sizeof out->started);
    out->run = (zilch_run_texts){.problem = problem->text,
                                 .arguments = out->arguments,
                                 .machine = out->machine,
                                 .started = out->started};
    return 0;
}

void search_texts_free(search_texts *texts)
{
    free(texts->arguments);
    texts->arguments = NULL;
}
