/* zilch tell: values of points that 'zilch ask' has handed out. */
#include "cli.h"
#include "commands.h"
#include "options.h"
#include "study_file.h"
#include "tell_read.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { KEY_ADVANCE = 256 };

typedef struct request {
    const char *operand[2]; /* the study, and the file with values */
    uint64_t run;
    int is_advancing;
} request;

static const char about[] =
    "Take values of points that 'zilch ask' has handed out, from FILE or from standard input: lines of JSON, "
    "{\"id\":7,\"value\":3.25}, with \"sigma\" for a known standard error or \"error\" for an evaluation "
    "that failed; "
    "or a table with the columns id, value and perhaps sigma, nan for what failed. Without a line of names, "
    "a "
    "table has two columns, id and value. In any order, any "
    "portion; all of "
    "them are taken, or none: one line that is wrong, and nothing of FILE is taken. When the last of a "
    "generation is back, the next can be asked for.";

static int parse(request *r, int argc, char **argv)
{
    const cli_option options[] = {
        {"run", 'r', "N", CLI_COUNT, &r->run, 1, 0x1p64, NULL, "The run; without it the last"},
        {"advance", KEY_ADVANCE, NULL, CLI_FLAG, &r->is_advancing, 0, 0, NULL,
         "Close the generation with what is back, after taking FILE, if one is given; what comes late counts "
         "in the "
         "next"},
        {0},
    };
    const cli_usage usage = {"tell", "STUDY [FILE]", about, options, r->operand, 1, 2};
    return cli_parse(&usage, argc, argv);
}

/* ---- What is said ---------------------------------------------------------------------------------------
 */

static zilch_status keep_last(void *context, const zilch_generation *generation)
{
    zilch_generation *last = context;
    *last = *generation;
    return ZILCH_OK;
}

static int say_closed(zilch_study *study, uint64_t run)
{
    zilch_generation last = {0};
    if (zilch_study_generations(study, run, keep_last, &last) != ZILCH_OK) {
        return cli_fail_library();
    }
    printf("generation %llu has closed: best fitness %.6g, value %.6g, active %zu\n",
           (unsigned long long)last.generation, last.best_fitness, last.best_value, last.best_active);
    return 0;
}

static int say_open(size_t told)
{
    printf("%zu value%s taken; the generation is still open\n", told, told == 1 ? "" : "s");
    return 0;
}

/* ---- Telling
 * ------------------------------------------------------------------------------------------------ */

static zilch_status keep_reasons(zilch_study *study, const zilch_run *run, const told_values *t)
{
    zilch_failure *list = calloc(t->count + 1, sizeof *list);
    size_t count = 0;
    for (size_t i = 0; i < t->count && list; i++) {
        if (t->reason[i]) {
            list[count++] = (zilch_failure){run->generations + 1, t->id[i], t->reason[i], ""};
        }
    }
    const zilch_status status = list ? zilch_study_fail(study, run->run, count, list) : ZILCH_ENOMEM;
    free(list);
    return status;
}

static int tell(const request *r, const study_file *f, const told_values *t)
{
    const study_run *found = study_file_find(f, r->run == UINT64_MAX ? 0 : r->run);
    int is_closed = 0;
    if (!found) {
        return CLI_FAILED;
    }
    const zilch_run *run = &found->run;
    zilch_status status =
        zilch_study_tell(f->study, run->run, t->count, t->id, t->value, t->error, &is_closed);
    status = status == ZILCH_OK ? keep_reasons(f->study, run, t) : status;
    if (status == ZILCH_OK && r->is_advancing && !is_closed) {
        status = zilch_study_advance(f->study, run->run, &is_closed);
    }
    if (status != ZILCH_OK) {
        return cli_fail_library();
    }
    return is_closed ? say_closed(f->study, run->run) : say_open(t->count);
}

static int read_values(const request *r, told_values *out)
{
    const char *path = r->operand[1];
    *out = (told_values){0};
    if (!path && r->is_advancing) {
        return 0;
    }
    if (!path || strcmp(path, "-") == 0) {
        return told_read(out, stdin, "standard input");
    }
    FILE *stream = fopen(path, "r");
    if (!stream) {
        return cli_fail("%s: cannot be opened: %s", path, strerror(errno));
    }
    const int status = told_read(out, stream, path);
    fclose(stream);
    return status;
}

int cmd_tell(int argc, char **argv)
{
    request r = {.run = UINT64_MAX};
    const int usage = parse(&r, argc, argv);
    if (usage) {
        return usage;
    }
    study_file f = {0};
    told_values values;
    int status = read_values(&r, &values);
    if (!status) {
        status = study_file_open(&f, r.operand[0], ZILCH_STUDY_WRITE);
    }
    if (!status) {
        status = tell(&r, &f, &values);
    }
    study_file_close(&f);
    told_free(&values);
    return status;
}
