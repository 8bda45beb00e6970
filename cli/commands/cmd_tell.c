/* zilch tell: values of points that 'zilch ask' has handed out. */
#include "commands/commands.h"
#include "options/option_parser.h"
#include "study/search_report.h"
#include "study/study_file.h"
#include "study/study_json.h"
#include "terminal/cli.h"

#include <errno.h>
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
    "table has two columns, id and value. The coordinates may stay beside a value, as 'zilch ask' has "
    "printed them: then they are compared with the point that was handed out, and values of other points are "
    "refused. In any order, any portion; all of them are taken, "
    "or none: one line that is wrong, and nothing of FILE is taken. When the last of a generation is back, "
    "the next can be asked for.";

static int parse(request *r, int argc, char **argv)
{
    const cli_option options[] = {
        {"run", 'r', "N", CLI_COUNT, &r->run, 1, 0x1p64, NULL,
         "The run. Without it, the one that is evaluated by hand; needed if there are several."},
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
    printf("generation %llu has closed: best value %.6g", (unsigned long long)last.generation,
           last.best_value);
    search_report_penalised(last.best_value, last.best_fitness);
    printf(", active %zu", last.best_active);
    search_report_violation(last.best_violation);
    putchar('\n');
    return 0;
}

/* ---- Telling ------------------------------------------------------------------------------------ */

/* Where values come from. */
typedef struct source {
    FILE *stream;
    const char *name;
    zilch_answers *answers; /* NULL: none were read */
} source;

/* The first byte is waited for, so that whoever is before this command in a pipe, such as the 'zilch ask'
 * that begins the run, has done something to the study before it is looked at. */
static int open_source(const request *r, source *s)
{
    const char *path = r->operand[1];
    if (!path && r->is_advancing) {
        return 0;
    }
    const int is_standard = !path || strcmp(path, "-") == 0;
    s->name = is_standard ? "standard input" : path;
    s->stream = is_standard ? stdin : fopen(path, "r");
    if (!s->stream) {
        return cli_fail("%s: cannot be opened: %s", path, strerror(errno));
    }
    const int first = getc(s->stream);
    if (first != EOF) {
        ungetc(first, s->stream);
    }
    return 0;
}

static void close_source(source *s)
{
    zilch_answers_destroy(s->answers);
    if (s->stream && s->stream != stdin) {
        fclose(s->stream);
    }
}

/* What is wrong in the file has its place there. */
static int fail_source(const source *s, const zilch_run *run)
{
    zilch_error error = zilch_last_error_details();
    if (!s->answers) {
        error.where = s->name;
        return cli_fail("%s", cli_error_format(&error, NULL));
    }
    if (error.point >= s->answers->count || error.coordinate >= run->dim) {
        return cli_fail_library();
    }
    char number[32];
    snprintf(number, sizeof number, "x%zu", error.coordinate + 1);
    return cli_fail("%s: line %zu: %s %s", s->name, s->answers->line[error.point],
                    run->request.coordinate_names ? run->request.coordinate_names[error.coordinate] : number,
                    error.message);
}

static int tell(const request *r, const study_file *f, source *s)
{
    const study_run *found = study_file_find_by_hand(f, r->run == UINT64_MAX ? 0 : r->run);
    int is_closed = 0;
    if (!found) {
        return CLI_FAILED;
    }
    const zilch_run *run = &found->run;
    if (s->stream && (zilch_answers_read(&s->answers, s->stream, run->dim, run->request.coordinate_names) ||
                      zilch_study_tell_answers(f->study, run->run, s->answers, &is_closed))) {
        return fail_source(s, run);
    }
    if (r->is_advancing && !is_closed && zilch_study_advance(f->study, run->run, &is_closed) != ZILCH_OK) {
        return cli_fail_library();
    }
    return say(r, f, run, s->answers ? s->answers->count : 0, is_closed);
}

int cmd_tell(int argc, char **argv)
{
    request r = {.run = UINT64_MAX};
    const int usage = parse(&r, argc, argv);
    if (usage) {
        return usage;
    }
    study_file f = {0};
    source s = {0};
    int status = open_source(&r, &s);
    if (!status) {
        status = study_file_open(&f, r.operand[0], ZILCH_STUDY_WRITE);
    }
    if (!status) {
        status = tell(&r, &f, &s);
    }
    study_file_close(&f);
    close_source(&s);
    return status;
}
