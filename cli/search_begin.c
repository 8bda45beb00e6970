/* A new run: its problem, its optimiser, its place in a study, and beside it what is needed to go on in
 * another process: the words it was asked for in, with files by their whole paths. */
#include "search.h"

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

/* ---- The run ------------------------------------------------------------------------------------- */

static int start(search *s, int argc, char **argv)
{
    char machine[512];
    char started[64];
    char *arguments = words_format(s->request, argc, argv, s->problem.checksum);
    if (!arguments) {
        return CLI_FAILED;
    }
    machine_text(machine, sizeof machine);
    time_text(started, sizeof started);
    const zilch_run_texts texts = {
        .problem = s->problem.text, .arguments = arguments, .machine = machine, .started = started};
    zilch_status status = zilch_study_open(&s->study, s->path, ZILCH_STUDY_CREATE);
    if (status == ZILCH_OK) {
        status = zilch_study_start(s->study, &texts, s->optimizer, &s->run);
    }
    free(arguments);
    return status == ZILCH_OK ? 0 : cli_fail_library();
}

static int begin(search *s, char **path, int argc, char **argv)
{
    const search_request *r = s->request;
    int status = search_problem_open(&s->problem, r);
    if (!status) {
        status = search_optimizer_create(r, &s->problem.info, &s->optimizer);
    }
    if (status) {
        return status;
    }
    const size_t size = strlen(s->problem.info.name) + sizeof ".study";
    *path = r->study ? strdup(r->study) : malloc(size);
    if (!*path) {
        return cli_fail("out of memory");
    }
    if (!r->study) {
        snprintf(*path, size, "%s.study", s->problem.info.name);
    }
    s->path = *path;
    return start(s, argc, argv);
}

int search_begin(const search_request *r, int argc, char **argv)
{
    search s = {.request = r, .more = ""};
    char *path = NULL;
    cli_watch_signals();
    int status = begin(&s, &path, argc, argv);
    if (!status) {
        status = search_run(&s);
    }
    zilch_study_close(s.study); /* before a signal ends the program: it leaves one file */
    zilch_optimizer_destroy(s.optimizer);
    search_problem_close(&s.problem);
    free(path);
    if (status) {
        cli_end_if_stopped();
    }
    return status;
}
