/* zilch tell: values of points that 'zilch ask' has handed out. */
#include "commands/commands.h"
#include "options/option_parser.h"
#include "study/search_report.h"
#include "study/study_file.h"
#include "study/study_json.h"
#include "terminal/cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

typedef struct request {
    const char *operand[2]; /* the study, and the file with values */
    uint64_t run;
    int is_advancing, json;
} request;

static const char about[] =
    "Take values of points that 'zilch ask' has handed out, from FILE or from standard input: lines of JSON, "
    "{\"id\":7,\"value\":3.25}, with \"sigma\" for a known standard error, \"violations\" for limits that "
    "are kept where a number is 0 or less, or \"error\" for an evaluation that failed; or a table with the "
    "columns id, value and perhaps sigma and violation, nan for what failed. Without a line of names, a "
    "table has two columns, id and value. In any order, any portion; all of them are taken, "
    "or none: one line that is wrong, and nothing of FILE is taken. When the last of a generation is back, "
    "the next can be asked for.";

static int parse(request *r, int argc, char **argv)
{
    const cli_option options[] = {
        {"run", 'r', "N", CLI_COUNT, &r->run, 1, 0x1p64, NULL, "The run. Without it, the last."},
        {"advance", 0, NULL, CLI_FLAG, &r->is_advancing, 0, 0, NULL,
         "Close the generation with the values that are there, after taking FILE if one is given. Late "
         "values count in the next generation."},
        {"json", 0, NULL, CLI_FLAG, &r->json, 0, 0, NULL, "Print what became of them as JSON."},
        {0},
    };
    const cli_usage usage = {"tell", "STUDY [FILE]", about, options, r->operand, 1, 2};
    return cli_parse(&usage, argc, argv);
}

/* ---- What is said ------------------------------------------------------------------------------- */

static int say(const request *r, const study_file *f, const zilch_run *run, size_t values, int is_closed)
{
    zilch_generation last;
    if (is_closed && zilch_study_last(f->study, run->run, &last) != ZILCH_OK) {
        return cli_fail_library();
    }
    if (r->json) {
        return study_json_print_told(f, run, values, is_closed ? &last : NULL);
    }
    if (!is_closed) {
        printf("%zu value%s taken; the generation is still open\n", values, values == 1 ? "" : "s");
        return 0;
    }
    printf("generation %llu has closed: best fitness %.6g, value %.6g, active %zu",
           (unsigned long long)last.generation, last.best_fitness, last.best_value, last.best_active);
    search_report_violation(last.best_violation);
    putchar('\n');
    return 0;
}

/* ---- Telling ------------------------------------------------------------------------------------ */

static zilch_status keep_reasons(zilch_study *study, const zilch_run *run, const zilch_answers *t)
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

static int tell(const request *r, const study_file *f, const zilch_answers *t)
{
    const study_run *found = study_file_find(f, r->run == UINT64_MAX ? 0 : r->run);
    int is_closed = 0;
    if (!found) {
        return CLI_FAILED;
    }
    const zilch_run *run = &found->run;
    zilch_status status = zilch_study_tell_violation(f->study, run->run, t->count, t->id, t->value, t->sigma,
                                                     t->violation, &is_closed);
    status = status == ZILCH_OK ? keep_reasons(f->study, run, t) : status;
    if (status == ZILCH_OK && r->is_advancing && !is_closed) {
        status = zilch_study_advance(f->study, run->run, &is_closed);
    }
    if (status != ZILCH_OK) {
        return cli_fail_library();
    }
    return say(r, f, run, t->count, is_closed);
}

static int read_values(const request *r, zilch_answers **out)
{
    const char *path = r->operand[1];
    if (!path && r->is_advancing) {
        return 0;
    }
    const int is_standard = !path || strcmp(path, "-") == 0;
    FILE *stream = is_standard ? stdin : fopen(path, "r");
    if (!stream) {
        return cli_fail("%s: cannot be opened: %s", path, strerror(errno));
    }
    const zilch_status status = zilch_answers_read(out, stream);
    zilch_error error = zilch_last_error_details();
    error.where = is_standard ? "standard input" : path;
    if (!is_standard) {
        fclose(stream);
    }
    return status == ZILCH_OK ? 0 : cli_fail("%s", cli_error_format(&error, NULL));
}

int cmd_tell(int argc, char **argv)
{
    request r = {.run = UINT64_MAX};
    const int usage = parse(&r, argc, argv);
    if (usage) {
        return usage;
    }
    study_file f = {0};
    zilch_answers *read = NULL;
    const zilch_answers none = {0};
    int status = read_values(&r, &read);
    if (!status) {
        status = study_file_open(&f, r.operand[0], ZILCH_STUDY_WRITE);
    }
    if (!status) {
        status = tell(&r, &f, read ? read : &none);
    }
    study_file_close(&f);
    zilch_answers_destroy(read);
    return status;
}
