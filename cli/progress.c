/* The live line. */
#include "progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

static const double interval_seconds = 0.1;

static double now_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* "9 s", "3 min 05 s", "2 h 07 min" */
static void duration_text(double seconds, char *out, size_t size)
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

static void draw(const progress *p, double elapsed)
{
    char past[32];
    char left[48] = "";
    const double share = p->total > 0 ? (double)p->done / (double)p->total : 1;
    duration_text(elapsed, past, sizeof past);
    if (p->done > 0) {
        char ahead[32];
        duration_text(elapsed * (1 - share) / share, ahead, sizeof ahead);
        snprintf(left, sizeof left, ", %s left", ahead);
    }
    fprintf(stderr, "\r\033[K%s: %zu/%zu, %.0f %%, %s%s", p->label, p->done, p->total, 100 * share, past,
            left);
    fflush(stderr);
}

void progress_begin(progress *p, const char *label, size_t total)
{
    *p = (progress){.label = label, .total = total, .shown = isatty(STDERR_FILENO), .start = now_seconds()};
    p->drawn = p->start;
    pthread_mutex_init(&p->lock, NULL);
}

void progress_update(progress *p, size_t done)
{
    if (!p->shown) {
        return;
    }
    pthread_mutex_lock(&p->lock);
    const double now = now_seconds();
    p->done = done > p->done ? done : p->done;
    if (now - p->drawn >= interval_seconds) {
        draw(p, now - p->start);
        p->drawn = now;
    }
    pthread_mutex_unlock(&p->lock);
}

void progress_end(progress *p)
{
    if (p->shown) {
        fputs("\r\033[K", stderr);
        fflush(stderr);
    }
    pthread_mutex_destroy(&p->lock);
}
