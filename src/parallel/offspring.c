/* Processes below one, found in /proc/PID/task/TID/children and killed from the top down.
 *
 * A process that has a fatal signal pending cannot fork any more, so a pass needs not stop them first. A
 * process may still exit between the moment that its number is read and the moment that it is killed, and
 * leave a child: that child belongs to the next pass. Passes are repeated by the caller until nobody is left.
 * The time between both moments is a few microseconds, a fork takes longer, so a chain of processes that fork
 * and exit loses soon.
 *
 * A number may have been given to another process meanwhile. The signal is therefore sent through a
 * descriptor of the process, after its parent was looked at. */
#define _GNU_SOURCE
#include "parallel/offspring.h"

#include "parallel/pidfd.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

enum {
    PATH_SIZE = 64, /* of "/proc/NUMBER/task/NUMBER/children" */
    STAT_SIZE = 512,
    LIST_SIZE = 4096,    /* the kernel gives no more at a time */
    ENTRIES_SIZE = 1024, /* of a folder, what is read at a time */
    DEEPEST = 8,         /* children of what is deeper move up when their parents die */
    VISITS_MOST = 8192,  /* in a pass: more may come all the time */
    ENDED_MOST = 256,    /* processes that have ended and are looked at */
    NUMBER_DIGITS = 10
};

/* ---- Files of /proc --------------------------------------------------------------------------------- */

static char *append(char *at, const char *text)
{
    while (*text) {
        *at++ = *text++;
    }
    *at = '\0';
    return at;
}

static char *append_number(char *at, int number)
{
    char digits[NUMBER_DIGITS + 1] = "";
    int first = NUMBER_DIGITS;
    do {
        digits[--first] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0 && first > 0);
    return append(at, digits + first);
}

static int open_of(int process, const char *what, int flags)
{
    char path[PATH_SIZE];
    (void)append(append_number(append(path, "/proc/"), process), what);
    return open(path, O_RDONLY | O_CLOEXEC | flags);
}

/* The number that begins there; 0: none does. */
static int number_at(const char *at)
{
    int number = 0;
    for (; *at >= '0' && *at <= '9'; at++) {
        number = 10 * number + (*at - '0');
    }
    return number;
}

typedef struct relatives {
    int parent, group, session; /* 0: outside; parent -1: they cannot be read */
} relatives;

/* "12 (name) S 11 10 10 ...", where a name may have brackets too. */
static relatives relatives_of(int process)
{
    char text[STAT_SIZE];
    int number[3] = {-1, 0, 0};
    const int file = open_of(process, "/stat", 0);
    const ssize_t length = file < 0 ? 0 : read(file, text, sizeof text - 1);
    if (file >= 0) {
        (void)close(file);
    }
    text[length > 0 ? length : 0] = '\0';
    const char *at = strrchr(text, ')');
    at = at ? strchr(at + 1, ' ') : NULL; /* before the state */
    for (int i = 0; i < 3 && at; i++) {
        at = strchr(at + 1, ' ');
        number[i] = at ? number_at(at + 1) : number[i];
    }
    return (relatives){number[0], number[1], number[2]};
}

/* ---- The walk ---------------------------------------------------------------------------------------- */

typedef struct walk {
    int root, depth;
    int session; /* of the root */
    int visits, ended;
    zi_offspring met;
} walk;

static void visit_children(walk *w, int parent);

/* Everything below the root began in its session and outside of the groups that it leads now. So a group in
 * another session, and one that is led by a process below the root, has only processes below the root in it.
 */
static void kill_group(const walk *w, int process, const relatives *r)
{
    if (r->group > 1 && (r->session != w->session || r->group == process)) {
        (void)kill(-r->group, SIGKILL);
    }
}

/* With its group. Where relatives cannot be read, it is of another user, in a /proc that hides them. */
static int kill_child(walk *w, int child, int parent, int handle)
{
    const relatives r = relatives_of(child);
    if (r.parent != parent && r.parent != w->root && r.parent >= 0) {
        return 0;
    }
    kill_group(w, child, &r);
    return zi_pidfd_signal(handle, SIGKILL) != 0 && errno == EPERM ? -1 : 1;
}

/* One that has ended may still have a group. There may be thousands of them, so not all are looked at. */
static int visit_child(walk *w, int child, int parent)
{
    const int handle = zi_pidfd_open(child);
    struct pollfd look = {.fd = handle, .events = POLLIN};
    const int has_ended = handle < 0 || poll(&look, 1, 0) != 0;
    const int is_looked_at = handle >= 0 && (!has_ended || w->ended++ < ENDED_MOST);
    const int is_killed = is_looked_at ? kill_child(w, child, parent, handle) : 0;
    if (handle >= 0) {
        (void)close(handle);
    }
    if (has_ended || !is_killed) {
        return 0;
    }
    w->met.alive++;
    w->met.last = is_killed < 0 || !w->met.is_forbidden ? child : w->met.last;
    w->met.is_forbidden |= is_killed < 0;
    return 1;
}

static void visit(walk *w, int child, int parent)
{
    if (w->visits++ < VISITS_MOST && visit_child(w, child, parent) && w->depth < DEEPEST) {
        w->depth++;
        visit_children(w, child);
        w->depth--;
    }
}

/* Numbers, each with a space behind it. */
static void visit_listed(walk *w, int list, int parent)
{
    char text[LIST_SIZE];
    int number = 0;
    ssize_t length;
    while (w->visits < VISITS_MOST && (length = read(list, text, sizeof text)) > 0) {
        for (ssize_t i = 0; i < length; i++) {
            if (text[i] >= '0' && text[i] <= '9') {
                number = 10 * number + (text[i] - '0');
            } else if (number > 0) {
                visit(w, number, parent);
                number = 0;
            }
        }
    }
}

/* A child belongs to the thread that forked it. */
static void visit_thread(walk *w, int process, int thread)
{
    char path[PATH_SIZE];
    (void)append(append_number(append(path, "/task/"), thread), "/children");
    const int list = open_of(process, path, 0);
    if (list >= 0) {
        visit_listed(w, list, process);
        (void)close(list);
    }
}

static void visit_children(walk *w, int parent)
{
    _Alignas(struct dirent64) char entries[ENTRIES_SIZE];
    const int folder = open_of(parent, "/task", O_DIRECTORY);
    ssize_t length;
    while (folder >= 0 && (length = getdents64(folder, entries, sizeof entries)) > 0) {
        for (ssize_t at = 0; at < length;) {
            const struct dirent64 *entry = (const void *)(entries + at);
            const int thread = number_at(entry->d_name);
            if (thread > 0) {
                visit_thread(w, parent, thread);
            }
            at += entry->d_reclen;
        }
    }
    if (folder >= 0) {
        (void)close(folder);
    }
}

zi_offspring zi_offspring_kill(int root)
{
    walk w = {.root = root, .session = getsid(root)};
    if (w.session >= 0) {
        visit_children(&w, root);
    }
    return w.met;
}
