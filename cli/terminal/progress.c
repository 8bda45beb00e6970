/* The live line, and the log. */
#include "terminal/progress.h"

#include "terminal/cli.h"
#include "terminal/text.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static const double interval_seconds = 0.1;
static const double log_first = 5;
static const double log_interval_most = 600;

const char *const progress_forms = "auto|line|log|none";
int progress_form_chosen = PROGRESS_AUTO;
int progress_is_quiet;

static atomic_int is_drawn; /* a live line is on the terminal */

void progress_duration(double seconds, char *out, size_t size)
{
    const unsigned long whole = seconds > 0 ? (unsigned long)(seconds + 0.5) : 0;
    if (whole < 60) {
        snprintf(out, size, "%lu s", whole);
    } else if (whole < 3600) {
        snprintf(out, size, "%lu min %02lu s", whole / 60, whole % 60);
    } else {
        snprintf(out, size, "%lu h %02lu min", whole / 3600, whole / 60 % 60);
    }
}

/* A longer line would wrap, and only its last row could be drawn over. */
static int line_width(void)
{
    struct winsize size;
    const int known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
    return (known ? size.ws_col : 80) - 1;
}

static void draw_line(const char *line, int width)
{
    fputs("\r\033[K", stderr);
    text_put_within(stderr, line, (size_t)width);
    fflush(stderr);
    is_drawn = 1;
}

void progress_clear(void)
{
    if (atomic_exchange(&is_drawn, 0)) {
        fputs("\r\033[K", stderr);
        fflush(stderr);
    }
}

/* Whether something is to be written now. */
static int is_due(progress *p, double now)
{
    if (p->form == PROGRESS_LINE) {
        return now - p->drawn >= interval_seconds;
    }
    if (p->form == PROGRESS_NONE || now - p->start < p->next) {
        return 0;
    }
    while (p->next <= now - p->start) {
        p->next += p->next < log_interval_most ? p->next : log_interval_most;
    }
    return 1;
}

static void draw(const progress *p, double elapsed)
{
    char past[32];
    char left[48] = "";
    char line[384];
    const double share = p->total > 0 ? (double)p->done / (double)p->total : 1;
    progress_duration(elapsed, past, sizeof past);
    if (p->done > 0) {
        char ahead[32];
        const double each = elapsed / (double)p->done;
        progress_duration(each * (double)(p->total - p->done), ahead, sizeof ahead);
        snprintf(left, sizeof left, ", %s left", ahead);
    }
    snprintf(line, sizeof line, "%s: %zu/%zu %s, %.0f %%, %s%s%s%s", p->label, p->done, p->total, p->unit,
             100 * share, past, left, *p->note ? "; " : "", p->note);
    if (p->form == PROGRESS_LOG) {
        cli_say("%s", line);
    } else {
        draw_line(line, line_width());
    }
}

static progress_form form_now(void)
{
    if (progress_form_chosen != PROGRESS_AUTO) {
        return (progress_form)progress_form_chosen;
    }
    return progress_is_quiet ? PROGRESS_NONE : isatty(STDERR_FILENO) ? PROGRESS_LINE : PROGRESS_LOG;
}

void progress_begin(progress *p, const char *label, const char *unit, size_t total)
{
    *p = (progress){.label = label,
                    .unit = unit,
                    .total = total,
                    .form = form_now(),
                    .next = log_first,
                    .start = cli_seconds()};
    p->drawn = p->start;
    pthread_mutex_init(&p->lock, NULL);
}

void progress_note(progress *p, const char *note)
{
    pthread_mutex_lock(&p->lock);
    snprintf(p->note, sizeof p->note, "%s", note);
    pthread_mutex_unlock(&p->lock);
}

void progress_update(progress *p, size_t done)
{
    if (p->form == PROGRESS_NONE) {
        return;
    }
    pthread_mutex_lock(&p->lock);
    const double now = cli_seconds();
    p->done = done > p->done ? done : p->done;
    if (is_due(p, now)) {
        draw(p, now - p->start);
        p->drawn = now;
    }
    pthread_mutex_unlock(&p->lock);
}

int progress_watch(void *line, size_t done, size_t total)
{
    (void)total;
    progress_update(line, done);
    return cli_is_stopped();
}

/* As much of it as fits, in whole parts, which two blanks separate: half a number would be another one. */
static void draw_parts(const char *line)
{
    int length = (int)strlen(line);
    const int width = line_width();
    while (length > width) {
        do {
            length--;
        } while (length > 0 && strncmp(line + length, "  ", 2) != 0);
    }
    draw_line(line, length);
}

void progress_show(progress *p, const char *line, int is_first)
{
    char past[32];
    if (p->form == PROGRESS_NONE) {
        return;
    }
    pthread_mutex_lock(&p->lock);
    const double now = cli_seconds();
    if (p->form == PROGRESS_LINE && (is_first || is_due(p, now))) {
        draw_parts(line);
        p->drawn = now;
    } else if (p->form == PROGRESS_LOG && is_due(p, now)) {
        progress_duration(now - p->start, past, sizeof past);
        cli_say("after %s: %s", past, line);
    }
    pthread_mutex_unlock(&p->lock);
}

void progress_end(progress *p)
{
    if (p->form == PROGRESS_LINE) {
        progress_clear();
    }
    pthread_mutex_destroy(&p->lock);
}
