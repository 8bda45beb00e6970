/* The greeting of a program, {"names":["flour","sugar"]} or {"dim":2}: a line of its own, before its first
 * answer, each time that it is started. */
#include "parallel/greeting.h"

#include "base/memory.h"
#include "parallel/json_reader.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LINE_MOST = 1 << 20 };
enum { NAMES, DIM, ID, MEMBERS, DIM_MOST = 1000000 };

static int read_members(const char *line, zi_json_member member[MEMBERS])
{
    zi_json_fault fault;
    member[NAMES] = (zi_json_member){.name = "names"};
    member[DIM] = (zi_json_member){.name = "dim"};
    member[ID] = (zi_json_member){.name = "id"};
    return zi_json_read(line, MEMBERS, member, &fault);
}

static int is_greeting(const char *line)
{
    zi_json_member member[MEMBERS];
    return line[strspn(line, " \t")] == '{' && read_members(line, member) &&
           member[ID].kind == ZI_JSON_ABSENT &&
           (member[NAMES].kind != ZI_JSON_ABSENT || member[DIM].kind != ZI_JSON_ABSENT);
}

/* ---- An array of texts, which is known to be JSON ---------------------------------------------------- */

/* The next of its strings, with the quotes around it; NULL at its end, or where something else stands, which
 * is then at *at. */
static const char *next_text(const char **at)
{
    *at += strspn(*at, " \t\r\n,");
    if (**at != '"') {
        return NULL;
    }
    const char *text = (*at)++;
    while (**at != '"') {
        *at += **at == '\\' ? 2 : 1;
    }
    (*at)++;
    return text;
}

/* How many there are, and how many bytes they take at most. 0: there are none, or not only texts. */
static size_t count_texts(const zi_json_member *member, size_t *bytes)
{
    size_t count = 0;
    const char *at = member->text;
    if (member->kind != ZI_JSON_OTHER || *at++ != '[') {
        return 0;
    }
    for (const char *text = next_text(&at); text; text = next_text(&at)) {
        *bytes += (size_t)(at - text); /* quotes included: room for the end */
        count++;
    }
    return *at == ']' ? count : 0;
}

static int fill_texts(const zi_json_member *member, zi_greeting *out, char *texts)
{
    const char *at = member->text + 1;
    int is_whole = 1;
    for (size_t i = 0; i < out->dim; i++) {
        const zi_json_member one = {.kind = ZI_JSON_STRING, .text = next_text(&at)};
        zi_json_string(&one, texts, (size_t)(at - one.text));
        out->name[i] = texts;
        is_whole &= *texts != '\0';
        texts += strlen(texts) + 1;
    }
    return is_whole;
}

/* ---- The whole ------------------------------------------------------------------------------------------
 */

zilch_status zi_greeting_read(const char *line, zi_greeting **out)
{
    zi_json_member member[MEMBERS];
    zi_greeting *g;
    size_t bytes = 0;
    *out = NULL;
    if (!is_greeting(line) || !read_members(line, member)) {
        return zi_fail(ZILCH_EFORMAT, "is no greeting");
    }
    const int has_names = member[NAMES].kind != ZI_JSON_ABSENT;
    const size_t count = has_names ? count_texts(&member[NAMES], &bytes) : 0;
    const int64_t dim = member[DIM].kind == ZI_JSON_INTEGER ? zi_json_integer(&member[DIM]) : 0;
    if (has_names && count == 0) {
        return zi_fail(ZILCH_EFORMAT, "has \"names\" that are not an array of texts");
    }
    if (member[DIM].kind != ZI_JSON_ABSENT &&
        (dim < 1 || dim > DIM_MOST || (has_names && (uint64_t)dim != count))) {
        return zi_fail(ZILCH_EFORMAT, "has a \"dim\" that is not the number of coordinates, from 1 to %d",
                       DIM_MOST);
    }
    ZI_TRY(zi_alloc_bytes(&g, 1, sizeof *g + count * sizeof *g->name + bytes));
    *g = (zi_greeting){.dim = has_names ? count : (size_t)dim, .name = has_names ? (char **)(g + 1) : NULL};
    if (has_names && !fill_texts(&member[NAMES], g, (char *)(g->name + count))) {
        zi_free(g);
        return zi_fail(ZILCH_EFORMAT, "has an empty name");
    }
    *out = g;
    return ZILCH_OK;
}

/* ---- Of a program ---------------------------------------------------------------------------------------
 */

static int agrees(const zi_greeting *greeting, size_t dim, const char *const *names,
                  char out[ZILCH_REASON_SIZE])
{
    if (greeting->dim != dim) {
        snprintf(out, ZILCH_REASON_SIZE, "greeted with %zu coordinate%s, but the points have %zu",
                 greeting->dim, greeting->dim == 1 ? "" : "s", dim);
        return 0;
    }
    for (size_t i = 0; i < dim && names && greeting->name; i++) {
        if (strcmp(greeting->name[i], names[i]) != 0) {
            snprintf(out, ZILCH_REASON_SIZE, "greeted with the name %.80s for coordinate %zu, which is %.80s",
                     greeting->name[i], i + 1, names[i]);
            return 0;
        }
    }
    return 1;
}

zilch_status zi_greeting_take(zi_worker *w, size_t dim, const char *const *names, int *is_wrong,
                              char reason[ZILCH_REASON_SIZE])
{
    size_t length;
    zi_greeting *greeting;
    char *line = w->answers == 0 && !w->has_greeted ? zi_worker_line(w, &length) : NULL;
    *is_wrong = 0;
    if (!line) {
        return ZILCH_OK;
    }
    if (strlen(line) != length || !is_greeting(line)) {
        line[length] = '\n';
        return ZILCH_OK;
    }
    const zilch_status status = zi_greeting_read(line, &greeting);
    if (status == ZILCH_EFORMAT) {
        *is_wrong = 1;
        snprintf(reason, ZILCH_REASON_SIZE, "greeted with a line that %s",
                 zilch_last_error_details().message);
    } else if (status != ZILCH_OK) {
        return status;
    } else {
        *is_wrong = !agrees(greeting, dim, names, reason);
    }
    zi_free(greeting);
    w->has_greeted = 1;
    zi_worker_take(w, length);
    return ZILCH_OK;
}

zilch_status zi_greeting_await(zi_worker *w, double seconds, const zilch_program_options *options,
                               zi_greeting **out)
{
    size_t length;
    int more = 1;
    char *line;
    while (!(line = zi_worker_line(w, &length)) && more >= 0 && w->incoming.length <= LINE_MOST) {
        struct pollfd look[] = {{.fd = w->process.output, .events = POLLIN},
                                {.fd = w->process.complaints, .events = POLLIN}};
        const int events = poll(look, 2, (int)ceil(1000.0 * seconds));
        if (events < 0 && options->watcher && options->watcher(options->watcher_context, 0, 0)) {
            return zi_fail(ZILCH_ESTOPPED, "program: stopped");
        }
        if (events == 0) {
            return zi_fail(ZILCH_EOBJECTIVE, "program: said nothing for %g seconds, not even its greeting",
                           seconds);
        }
        if (events > 0 && look[1].revents) {
            zi_worker_complain(w);
            look[0].revents =
                (short)(look[0].revents | (look[1].revents & POLLHUP)); /* its end is heard there */
        }
        if (events > 0 && look[0].revents) {
            ZI_TRY(zi_worker_hear(w, &more));
        }
    }
    if (!line) {
        return zi_fail(ZILCH_EOBJECTIVE, "program: ended without a greeting");
    }
    const zilch_status status = zi_greeting_read(line, out);
    line[length] = '\n';
    return status == ZILCH_EFORMAT
               ? zi_fail(ZILCH_EOBJECTIVE, "program: its first line %s", zilch_last_error_details().message)
               : status;
}
