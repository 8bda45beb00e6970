/* Points evaluated by programs: a few of them at work, each on one point or some, looked after by one poll().
 * The text of the next point is made while they are at it.
 *
 * Of a program that breaks with several points in its hands, the oldest is blamed, and the others are given
 * out again: whichever is the cause becomes the oldest in the end. */
#include "parallel/program.h"
#include "base/ids.h"
#include "base/numbers.h"
#include "parallel/answer.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

enum {
    LINE_MOST = 1 << 20, /* bytes of an answer */
    PATIENCE = 300,      /* milliseconds that a program gets whose output has ended */
    COMPLAINT_SHOWN = 256,
    REST_SIZE = 96 /* bytes of a reason for what was left undone */
};

/* A batch under way. */
typedef struct errand {
    zilch_program *program;
    const zilch_batch *batch;
    double *value;
    size_t begun, done;
    zilch_status ending; /* other than OK: what is under way is finished, and nothing else is begun, */
    zi_error reason;     /* because of this */
} errand;

/* ---- The end of an evaluation ------------------------------------------------------------------- */

/* The next point in its hands, if there is one, gets all its time. */
static void finish(errand *e, zi_worker *w, size_t index)
{
    e->program->arrived[e->program->arrived_count++] = w->point[index];
    zi_worker_drop(w, index);
    w->answers++;
    zi_worker_set_timer(w, w->count ? e->program->options.timeout : 0.0);
    e->done++;
}

static zilch_status give_up(const zilch_program *p, const zilch_failure *failure)
{
    size_t length = strlen(failure->output);
    while (length > 0 && failure->output[length - 1] == '\n') {
        length--;
    }
    const size_t shown = length < COMPLAINT_SHOWN ? length : COMPLAINT_SHOWN;
    return zi_fail(ZILCH_EOBJECTIVE, "program: %llu evaluation%s in a row failed; the last one %s%s%.*s",
                   (unsigned long long)p->in_a_row, p->in_a_row == 1 ? "" : "s", failure->reason,
                   shown ? "; it complained: " : "", (int)shown, failure->output + length - shown);
}

static zilch_status fail(errand *e, zi_worker *w, size_t index, const char *reason)
{
    zilch_program *p = e->program;
    char output[ZI_TAIL_SIZE + 1];
    const uint64_t generation = e->batch->generation;
    const zilch_failure failure = {.generation = generation == UINT64_MAX ? 0 : generation + 1,
                                   .id = e->batch->id[w->point[index]],
                                   .reason = reason,
                                   .output = output};
    zi_worker_tail(w, output);
    e->value[w->point[index]] = NAN;
    p->in_a_row++;
    finish(e, w, index);
    if (p->options.failure) {
        ZI_TRY(p->options.failure(p->options.failure_context, &failure));
    }
    return p->options.max_failures && p->in_a_row >= p->options.max_failures ? give_up(p, &failure)
                                                                             : ZILCH_OK;
}

/* Points that it was given are for another program, but for the first `kept`. */
static void take_back(errand *e, zi_worker *w, size_t kept)
{
    zilch_program *p = e->program;
    while (w->count > kept) {
        p->again[p->again_count++] = w->point[w->count - 1];
        zi_worker_drop(w, w->count - 1);
    }
}

/* The program has ended: the oldest point is to blame. */
static zilch_status fail_all(errand *e, zi_worker *w, const char *reason)
{
    take_back(e, w, 1);
    return fail(e, w, 0, reason);
}

/* Adds what the end of the program left undone, if anything. */
static void describe_rest(const zi_ending *ending, char *out, size_t size)
{
    const size_t length = strlen(out);
    if (ending->left) {
        snprintf(out + length, size - length, "; its process %d%s could not be ended", ending->left,
                 ending->is_forbidden ? ", which belongs to another user," : "");
    } else if (ending->is_unguarded) {
        snprintf(out + length, size - length, "; its guard process was killed or did not answer");
    }
}

static zilch_status fail_for(errand *e, zi_worker *w, const char *reason)
{
    char whole[ZILCH_REASON_SIZE + REST_SIZE];
    const zi_ending ending = zi_worker_end(w, 0);
    snprintf(whole, sizeof whole, "%s", reason);
    describe_rest(&ending, whole, sizeof whole);
    return fail_all(e, w, whole);
}

static zilch_status fail_at_end(errand *e, zi_worker *w, const zi_ending *ending)
{
    char reason[ZILCH_REASON_SIZE + REST_SIZE];
    if (ending->end == ZI_END_SIGNAL) {
        snprintf(reason, sizeof reason, "was ended by signal %d (%s)", ending->number,
                 strsignal(ending->number));
    } else if (ending->end == ZI_END_EXIT) {
        snprintf(reason, sizeof reason, "ended with status %d before it answered", ending->number);
    } else {
        snprintf(reason, sizeof reason, "closed its output before it answered");
    }
    describe_rest(ending, reason, sizeof reason);
    return fail_all(e, w, reason);
}

/* ---- Answers ------------------------------------------------------------------------------------------ */

/* Plain answers come in order; the others say which point they are about. */
static size_t find_point(const errand *e, const zi_worker *w, const zi_answer *answer)
{
    size_t index = 0;
    while (e->program->options.protocol != ZILCH_PROTOCOL_PLAIN && index < w->count &&
           zi_message_id(e->batch->id[w->point[index]]) != answer->id) {
        index++;
    }
    return index;
}

static zilch_status take_answer(errand *e, zi_worker *w, const char *line, size_t length)
{
    zi_answer answer;
    char reason[ZILCH_REASON_SIZE];
    const zi_verdict verdict = zi_answer_read(line, length, e->program->options.protocol, &answer);
    const size_t index = verdict == ZI_ANSWER_WRONG ? 0 : find_point(e, w, &answer);
    zi_worker_complain(w);
    if (verdict != ZI_ANSWER_VALUE) {
        zi_answer_describe(&answer, verdict, line, reason);
    }
    if (verdict == ZI_ANSWER_WRONG) {
        return fail_for(e, w, reason);
    }
    if (index == w->count) {
        return fail_for(e, w, "answered with an id that it was not given");
    }
    if (verdict == ZI_ANSWER_FAILED) {
        return fail(e, w, index, reason);
    }
    e->value[w->point[index]] = answer.value;
    if (e->batch->error) {
        e->batch->error[w->point[index]] = answer.sigma;
    }
    if (e->batch->violation) {
        e->batch->violation[w->point[index]] = answer.violation;
    }
    e->program->in_a_row = 0;
    finish(e, w, index);
    /* What it complained of before is forgotten, unless it may be about a point that it still has. */
    w->tail_length = w->count ? w->tail_length : 0;
    return ZILCH_OK;
}

/* A greeting, if it is one, must agree with what is known. */
static zilch_status take_greeting(errand *e, zi_worker *w)
{
    char reason[ZILCH_REASON_SIZE];
    int is_wrong;
    ZI_TRY(zi_greeting_take(w, e->batch->dim, e->program->options.names, &is_wrong, reason));
    return is_wrong ? fail_for(e, w, reason) : ZILCH_OK;
}

/* Of a program that goes on. What stands behind the last answer was not asked for. */
static zilch_status take_lines(errand *e, zi_worker *w)
{
    size_t length;
    ZI_TRY(take_greeting(e, w));
    for (char *line = zi_worker_line(w, &length); line && w->count > 0; line = zi_worker_line(w, &length)) {
        if (w->count == 1 && w->incoming.length > length + 1) {
            return fail_for(e, w, "answered more than one line");
        }
        ZI_TRY(take_answer(e, w, line, length));
        if (w->process.guard) {
            zi_worker_take(w, length);
        }
    }
    return w->count > 0 && w->incoming.length > LINE_MOST ? fail_for(e, w, "answered without end") : ZILCH_OK;
}

/* A program for one point has ended: well, and with one line. */
static zilch_status take_whole(errand *e, zi_worker *w)
{
    const zi_ending ending = zi_worker_end(w, PATIENCE);
    zi_text *text = &w->incoming;
    ZI_TRY(take_greeting(e, w));
    if (w->count == 0) {
        return ZILCH_OK; /* it greeted wrongly */
    }
    if (ending.end != ZI_END_EXIT || ending.number != 0 || text->length == 0) {
        return fail_at_end(e, w, &ending);
    }
    text->length -= text->bytes[text->length - 1] == '\n';
    text->bytes[text->length] = '\0';
    return memchr(text->bytes, '\n', text->length) ? fail_all(e, w, "answered more than one line")
                                                   : take_answer(e, w, text->bytes, text->length);
}

/* A program that goes on has ended. If it has answered before and ends well, it did not want to go on: who
 * comes next gets its points. */
static zilch_status take_end(errand *e, zi_worker *w)
{
    const zi_ending ending = zi_worker_end(w, PATIENCE);
    if (w->answers == 0 || ending.end != ZI_END_EXIT || ending.number != 0) {
        return fail_at_end(e, w, &ending);
    }
    take_back(e, w, 0);
    zi_worker_set_timer(w, 0.0);
    return ZILCH_OK;
}

static zilch_status hear(errand *e, zi_worker *w)
{
    const int is_once = e->program->options.is_once;
    int more;
    ZI_TRY(zi_worker_hear(w, &more));
    if (more < 0) {
        return is_once ? take_whole(e, w) : take_end(e, w);
    }
    if (is_once) {
        return w->incoming.length > LINE_MOST ? fail_for(e, w, "answered without end") : ZILCH_OK;
    }
    return take_lines(e, w);
}

/* ---- Waiting ------------------------------------------------------------------------------------------- */

static zilch_status attend(errand *e, zi_worker *w, const struct pollfd *look)
{
    if (look[2].revents) {
        zi_worker_complain(w);
    }
    if (look[0].revents) {
        zi_worker_send(w, e->program->options.is_once);
    }
    if (look[1].revents) {
        ZI_TRY(hear(e, w));
    }
    if (look[1].revents || !look[3].revents) {
        return ZILCH_OK;
    }
    char reason[ZILCH_REASON_SIZE];
    snprintf(reason, sizeof reason, "did not answer within %g seconds", e->program->options.timeout);
    return fail_for(e, w, reason);
}

/* Before another point is given out: so never more values are in danger than points are out. */
static void announce(errand *e)
{
    zilch_program *p = e->program;
    const zilch_batch *b = e->batch;
    const zilch_status status =
        b->arrived ? b->arrived(b->arrived_context, b, p->arrived_count, p->arrived, e->value) : ZILCH_OK;
    p->arrived_count = 0;
    if (status != ZILCH_OK && e->ending == ZILCH_OK) {
        e->ending = status;
        e->reason = *zi_error_last();
    }
}

/* Who sleeps must be woken, on a virtual machine for 20 microseconds and more; an answer that comes sooner
 * than that is looked for without sleeping. */
static int wait_for_events(zilch_program *p, int is_told)
{
    enum { LOOKS = 60, TURN = 100 }; /* less than 100 microseconds; milliseconds between two announcements */
    int events = 0;
    for (int k = 0; k < LOOKS && events == 0; k++) {
        events = poll(p->look, ZI_WORKER_POLLED * p->count + 1, 0);
    }
    return events ? events : poll(p->look, ZI_WORKER_POLLED * p->count + 1, is_told ? TURN : -1);
}

static int is_ringing(const struct pollfd *timer)
{
    uint64_t times;
    return timer->revents && read(timer->fd, &times, sizeof times) == (ssize_t)sizeof times;
}

static zilch_status wait_and_attend(errand *e)
{
    zilch_program *p = e->program;
    const size_t done = e->done;
    for (size_t k = 0; k < p->count; k++) {
        zi_worker_look(&p->worker[k], p->look + ZI_WORKER_POLLED * k);
    }
    struct pollfd *tick = p->look + ZI_WORKER_POLLED * p->count;
    *tick = (struct pollfd){.fd = p->tick, .events = POLLIN};
    const int events = wait_for_events(p, e->batch->arrived != NULL);
    if (events < 0 && errno != EINTR) {
        return zi_fail(ZILCH_EIO, "program: cannot be waited for: %s", strerror(errno));
    }
    for (size_t k = 0; k < p->count && events > 0; k++) {
        ZI_TRY(attend(e, &p->worker[k], p->look + ZI_WORKER_POLLED * k));
    }
    announce(e);
    const zilch_program_options *o = &p->options;
    return (events < 0 || e->done > done || is_ringing(tick)) && o->watcher &&
                   o->watcher(o->watcher_context, e->done, e->batch->n)
               ? zi_fail(ZILCH_ESTOPPED, "program: stopped")
               : ZILCH_OK;
}

/* ---- Giving out ----------------------------------------------------------------------------------- */

/* The point that is next; ZI_NO_POINT: all are given out. */
static size_t next_point(const errand *e)
{
    const zilch_program *p = e->program;
    return p->again_count ? p->again[p->again_count - 1] : e->begun < e->batch->n ? e->begun : ZI_NO_POINT;
}

static zilch_status prepare(errand *e, size_t point)
{
    zilch_program *p = e->program;
    const zilch_batch *b = e->batch;
    if (point == ZI_NO_POINT || point == p->prepared) {
        return ZILCH_OK;
    }
    p->prepared = ZI_NO_POINT;
    ZI_TRY(zi_message_write(&p->next, p->options.protocol, p->labels, b->id[point], b->dim,
                            b->x + point * b->dim));
    p->prepared = point;
    return ZILCH_OK;
}

/* After a search different points come with the same id, for the same noise: a program that has several must
 * be able to tell them apart. */
static int may_have(const errand *e, const zi_worker *w, size_t point)
{
    int is_there = 0;
    for (size_t i = 0; i < w->count; i++) {
        is_there |= e->batch->id[w->point[i]] == e->batch->id[point];
    }
    return w->count < (e->program->options.is_once ? 1 : e->program->options.ahead) && !is_there;
}

static zilch_status give(errand *e, zi_worker *w, size_t point)
{
    zilch_program *p = e->program;
    int is_new;
    ZI_TRY(zi_worker_ready(w, p->words, &is_new));
    p->starts += is_new ? 1 : 0;
    ZI_TRY(prepare(e, point));
    ZI_TRY(zi_worker_give(w, point, &p->next, p->options.is_once));
    p->prepared = ZI_NO_POINT;
    if (w->count == 1) {
        zi_worker_set_timer(w, p->options.timeout);
    }
    if (p->again_count) {
        p->again_count--;
    } else {
        e->begun++;
    }
    return ZILCH_OK;
}

/* One each, as long as there are points and hands. */
static zilch_status give_out(errand *e)
{
    zilch_program *p = e->program;
    int is_given = 1;
    while (is_given) {
        is_given = 0;
        for (size_t k = 0; k < p->count; k++) {
            const size_t point = next_point(e);
            if (point != ZI_NO_POINT && may_have(e, &p->worker[k], point)) {
                ZI_TRY(give(e, &p->worker[k], point));
                is_given = 1;
            }
        }
    }
    return ZILCH_OK;
}

static int is_under_way(const errand *e)
{
    return e->begun - e->program->again_count > e->done;
}

static zilch_status evaluate(errand *e)
{
    while (e->done < e->batch->n && e->ending == ZILCH_OK) {
        ZI_TRY(give_out(e));
        ZI_TRY(prepare(e, next_point(e)));
        ZI_TRY(wait_and_attend(e));
    }
    while (is_under_way(e)) {
        ZI_TRY(wait_and_attend(e));
    }
    return ZILCH_OK;
}

/* What was answered before something else went wrong has arrived too. */
static zilch_status end(errand *e, zilch_status status)
{
    if (status != ZILCH_OK) {
        const zi_error reason = *zi_error_last();
        announce(e);
        *zi_error_last() = reason;
    } else if (e->ending != ZILCH_OK) {
        *zi_error_last() = e->reason;
    }
    return status != ZILCH_OK ? status : e->ending;
}

/* Who is still at work is not waited for. */
static void abandon(zilch_program *p)
{
    for (size_t k = 0; k < p->count; k++) {
        if (p->worker[k].count > 0) {
            (void)zi_worker_end(&p->worker[k], 0);
            p->worker[k].count = 0;
        }
    }
    p->again_count = 0;
    p->prepared = ZI_NO_POINT;
}

zilch_status zilch_program_objective(void *program, const zilch_batch *batch, double *value)
{
    zilch_program *p = program;
    zi_plain_locale locale;
    if (!p || !batch || (batch->n && !value)) {
        return zi_fail(ZILCH_EARG, "program: it, a batch and place for the values must be given");
    }
    if (p->options.names && p->options.dim != batch->dim) {
        return zi_fail(ZILCH_EARG, "program: there are names of %zu coordinates, but the points have %zu",
                       p->options.dim, batch->dim);
    }
    errand e = {.program = p, .batch = batch, .value = value};
    ZI_TRY(zi_locale_enter(&locale));
    p->arrived_count = 0;
    const zilch_status status = end(&e, evaluate(&e));
    abandon(p);
    zi_locale_leave(&locale);
    return status;
}
