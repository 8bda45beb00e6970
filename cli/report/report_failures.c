/* Failures of the run shown: each reason once, with how often it was given, the point that it was given for
 * last, and what the program wrote to its standard error then. */
#include "report/report_failures.h"

#include "terminal/cli.h"
#include "terminal/text.h"

#include <stdlib.h>
#include <string.h>

enum { REASONS_MOST = 20 };

typedef struct reason {
    char *text, *output; /* the output of the last */
    uint64_t count, generation, id;
} reason;

typedef struct reasons {
    reason list[REASONS_MOST];
    size_t count;
    uint64_t others; /* failures for further reasons */
} reasons;

static zilch_status take(void *context, const zilch_failure *f)
{
    reasons *r = context;
    size_t k = 0;
    while (k < r->count && strcmp(r->list[k].text, f->reason) != 0) {
        k++;
    }
    if (k == REASONS_MOST) {
        r->others++;
        return ZILCH_OK;
    }
    reason *one = &r->list[k];
    if (k == r->count) {
        one->text = strdup(f->reason);
        r->count += one->text != NULL;
    }
    free(one->output);
    one->output = strdup(f->output);
    one->count++;
    one->generation = f->generation;
    one->id = f->id;
    return one->text && one->output ? ZILCH_OK : ZILCH_ENOMEM;
}

/* Line by line, each behind a bar as on a terminal, so that no newline of theirs begins a line. */
static void put_output(FILE *stream, const char *output)
{
    fputs("<pre>", stream);
    while (*output) {
        const size_t length = strcspn(output, "\n");
        char *line = strndup(output, length);
        fputs("| ", stream);
        text_put_escaped(stream, line ? line : "");
        free(line);
        fputc('\n', stream);
        output += length + (output[length] == '\n');
    }
    fputs("</pre>\n", stream);
}

static void put_reasons(FILE *stream, const zilch_run *run, const reasons *r)
{
    fprintf(stream, "<p>%llu of the %llu evaluations of the search failed.</p>\n",
            (unsigned long long)run->failures, (unsigned long long)run->evaluations);
    for (size_t k = 0; k < r->count; k++) {
        const reason *one = &r->list[k];
        fprintf(stream, "<p>%llu time%s: <strong>", (unsigned long long)one->count,
                one->count == 1 ? "" : "s");
        text_put_escaped(stream, one->text);
        if (one->generation) {
            fprintf(stream, "</strong>. The last was point %llu of generation %llu",
                    (unsigned long long)one->id, (unsigned long long)one->generation);
        } else {
            fputs("</strong>. The last was after the search", stream);
        }
        fputs(*one->output ? "; its standard error ended with:</p>\n" : ".</p>\n", stream);
        if (*one->output) {
            put_output(stream, one->output);
        }
    }
    if (r->others) {
        fprintf(stream, "<p>%llu failed for further reasons: 'zilch export STUDY --failures' has all.</p>\n",
                (unsigned long long)r->others);
    }
}

int report_failures_print(const report *r, FILE *stream)
{
    reasons found = {.count = 0};
    const zilch_run *run = &r->source[r->shown]->run;
    const zilch_status status = zilch_study_failures(r->file.study, run->run, take, &found);
    if (status == ZILCH_OK && found.count > 0) {
        put_reasons(stream, run, &found);
    }
    for (size_t k = 0; k < found.count; k++) {
        free(found.list[k].text);
        free(found.list[k].output);
    }
    return status == ZILCH_OK ? 0 : status == ZILCH_ENOMEM ? cli_fail("out of memory") : cli_fail_library();
}
