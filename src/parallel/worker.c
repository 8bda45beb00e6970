/* One program at work. Nothing here waits: the owner polls. The kernel's timers watch the time, so that no
 * clock is read. */
#include "parallel/worker.h"

#include "base/memory.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/timerfd.h>
#include <unistd.h>

zilch_status zi_worker_make(zi_worker *out, size_t ahead, int is_timed)
{
    assert(ahead);
    memset(out, 0, sizeof *out);
    out->process = zi_no_process;
    out->timer = -1;
    ZI_TRY(zi_alloc(&out->point, ahead));
    out->timer = is_timed ? timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC) : -1;
    return is_timed && out->timer < 0 ? zi_fail(ZILCH_EIO, "program: no timer: %s", strerror(errno))
                                      : ZILCH_OK;
}

void zi_worker_free(zi_worker *w)
{
    zi_process_close(&w->process);
    zi_text_free(&w->outgoing);
    zi_text_free(&w->incoming);
    zi_free(w->point);
    if (w->timer >= 0) {
        (void)close(w->timer);
    }
}

/* Rounded up to whole nanoseconds: a timer of 0 would never ring. */
void zi_worker_set_timer(const zi_worker *w, double seconds)
{
    assert(seconds >= 0.0);
    enum { SECOND = 1000000000 };
    const double whole = floor(seconds);
    const long rest = (long)ceil((seconds - whole) * SECOND);
    const struct itimerspec at = {
        .it_value = {.tv_sec = (time_t)whole + rest / SECOND, .tv_nsec = rest % SECOND}};
    if (w->timer >= 0) {
        (void)timerfd_settime(w->timer, 0, &at, NULL);
    }
}

/* ---- What it is given ---------------------------------------------------------------------------- */

zilch_status zi_worker_ready(zi_worker *w, char *const *words, int *is_new)
{
    assert(words && is_new);
    int more = -1;
    *is_new = 0;
    if (w->count > 0) { /* what it says now are answers, which wait in the pipe for who polls */
        return ZILCH_OK;
    }
    if (w->process.guard) {
        ZI_TRY(zi_worker_hear(w, &more));
    }
    if (more == 0 || (more > 0 && w->answers == 0 && !w->has_greeted)) {
        return ZILCH_OK;
    }
    (void)zi_worker_end(w, 0);
    ZI_TRY(zi_process_start(&w->process, words));
    w->tail_length = w->incoming.length = w->outgoing.length = w->sent = 0;
    w->answers = 0;
    w->has_greeted = 0;
    *is_new = 1;
    return ZILCH_OK;
}

zilch_status zi_worker_give(zi_worker *w, size_t point, const zi_text *message, int is_last)
{
    assert(message->bytes && w->sent <= w->outgoing.length);
    if (w->sent == w->outgoing.length) {
        w->sent = w->outgoing.length = 0;
    }
    ZI_TRY(zi_text_reserve(&w->outgoing, message->length));
    memcpy(w->outgoing.bytes + w->outgoing.length, message->bytes, message->length);
    w->outgoing.length += message->length;
    w->point[w->count++] = point;
    zi_worker_send(w, is_last);
    return ZILCH_OK;
}

void zi_worker_drop(zi_worker *w, size_t index)
{
    assert(index < w->count);
    w->count--;
    memmove(w->point + index, w->point + index + 1, (w->count - index) * sizeof *w->point);
}

/* A program that reads no more is found out by its silence. */
void zi_worker_send(zi_worker *w, int is_last)
{
    if (w->process.input >= 0) {
        const long written =
            zi_process_write(&w->process, w->outgoing.bytes + w->sent, w->outgoing.length - w->sent);
        w->sent = written < 0 ? w->outgoing.length : w->sent + (size_t)written;
    }
    if (is_last && w->sent == w->outgoing.length && w->process.input >= 0) {
        (void)close(w->process.input);
        w->process.input = -1;
    }
}

/* ---- What it says ---------------------------------------------------------------------------------- */

void zi_worker_look(const zi_worker *w, struct pollfd look[ZI_WORKER_POLLED])
{
    const int is_busy = w->count > 0;
    const int is_sending = is_busy && w->sent < w->outgoing.length;
    look[0] = (struct pollfd){.fd = is_sending ? w->process.input : -1, .events = POLLOUT};
    look[1] = (struct pollfd){.fd = is_busy ? w->process.output : -1, .events = POLLIN};
    look[2] = (struct pollfd){.fd = is_busy ? w->process.complaints : -1, .events = POLLIN};
    look[3] = (struct pollfd){.fd = is_busy ? w->timer : -1, .events = POLLIN};
}

zilch_status zi_worker_hear(zi_worker *w, int *more)
{
    assert(more);
    enum { EACH = 4096 };
    ZI_TRY(zi_text_reserve(&w->incoming, EACH + 1));
    const long got = zi_process_read(w->process.output, w->incoming.bytes + w->incoming.length, EACH);
    w->incoming.length += got > 0 ? (size_t)got : 0;
    w->incoming.bytes[w->incoming.length] = '\0';
    *more = got > 0 ? 1 : (int)got;
    return ZILCH_OK;
}

char *zi_worker_line(const zi_worker *w, size_t *length)
{
    assert(length);
    char *end = w->incoming.length ? memchr(w->incoming.bytes, '\n', w->incoming.length) : NULL;
    if (!end) {
        return NULL;
    }
    *end = '\0';
    *length = (size_t)(end - w->incoming.bytes);
    return w->incoming.bytes;
}

/* With the end of the line. */
void zi_worker_take(zi_worker *w, size_t length)
{
    assert(length < w->incoming.length);
    w->incoming.length -= length + 1;
    memmove(w->incoming.bytes, w->incoming.bytes + length + 1, w->incoming.length);
}

/* The older part makes room for the newer one. A program that never stops complaining is heard again the next
 * time. */
void zi_worker_complain(zi_worker *w)
{
    enum { READS_MOST = 1024 };
    char bytes[ZI_TAIL_SIZE];
    for (int k = 0; k < READS_MOST; k++) {
        const long got = zi_process_read(w->process.complaints, bytes, sizeof bytes);
        if (got <= 0) {
            return;
        }
        const size_t count = (size_t)got;
        const size_t kept = w->tail_length + count <= ZI_TAIL_SIZE ? w->tail_length : ZI_TAIL_SIZE - count;
        memmove(w->tail, w->tail + w->tail_length - kept, kept);
        memcpy(w->tail + kept, bytes, count);
        w->tail_length = kept + count;
    }
}

/* Whatever bytes they were. */
void zi_worker_tail(zi_worker *w, char out[ZI_TAIL_SIZE + 1])
{
    assert(w->tail_length <= ZI_TAIL_SIZE);
    for (size_t i = 0; i < w->tail_length; i++) {
        const unsigned char c = (unsigned char)w->tail[i];
        out[i] = (char)(c == '\n' || c == '\t' || (c >= 0x20 && c < 0x7f) ? c : '?');
    }
    out[w->tail_length] = '\0';
    w->tail_length = 0;
}

zi_ending zi_worker_end(zi_worker *w, int milliseconds)
{
    const zi_ending ending = zi_process_end(&w->process, milliseconds);
    if (w->process.complaints >= 0) {
        zi_worker_complain(w);
    }
    zi_process_close(&w->process);
    return ending;
}
