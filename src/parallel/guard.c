/* Guards of a program, so that nothing of it is left behind, whatever happens to us or to a guard.
 *
 *     we -- outer guard -- inner guard -- program -- whatever it starts
 *
 * A guard adopts all orphans below it (PR_SET_CHILD_SUBREAPER), so that nobody below it can get away: not by
 * a double fork, not in a session of its own. The outer guard holds one end of a socket. When our end closes,
 * because we want it so or because we were killed, it kills everything below it, waits for the last of them,
 * and ends. The program is the leader of a group of its own, so a terminal's Ctrl-C does not reach it.
 *
 * A program may signal every process of its user, and its parent first. So there are two guards, each watched
 * by the other. If the inner one is killed, the outer one adopts what it had, and ends it; if it is stopped,
 * the outer one continues it. If the outer one is killed, the inner one ends everything. If the outer one is
 * stopped, zi_process_end() continues it, or does its work.
 *
 * Where the program has a cgroup of its own (cgroup.c), whoever ends it kills that first: nobody inside can
 * get away. The passes over everything below the guard are then for those that have left the cgroup.
 *
 * Between fork and exec, and in a guard, only system calls are made: other threads of ours may have been
 * anywhere when it was forked. */
#define _GNU_SOURCE
#include "parallel/guard.h"

#include "parallel/offspring.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

enum { AT_ONCE = 4096 }; /* processes that are reaped in a row: they may come faster than they are reaped */

/* One of the two. */
typedef struct guard {
    int owner;   /* a socket: its other end is held by us, or by the outer guard */
    int changes; /* a signalfd: something happened to a child */
    int child;   /* the inner guard, or the program */
    int status;  /* of the child, once it has ended */
    zi_cgroup cgroup;
} guard;

static void tell_errno(int descriptor)
{
    const int error = errno;
    if (write(descriptor, &error, sizeof error) < 0) {
        _exit(126);
    }
}

/* ---- The program ------------------------------------------------------------------------------------- */

_Noreturn static void become_program(const zi_launch *l, int parent)
{
    sigset_t none;
    (void)sigemptyset(&none);
    (void)setpgid(0, 0);
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) { /* it died before it could be of use */
        _exit(127);
    }
    for (int i = 0; i < 3; i++) { /* the ends are above 2, and duplicates stay open in exec */
        (void)dup2(l->stream[i], i);
    }
    (void)sigaction(SIGPIPE, &(const struct sigaction){.sa_handler = SIG_DFL}, NULL); /* Python ignores it */
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    execvp(l->words[0], l->words);
    tell_errno(l->exec_failure);
    _exit(127);
}

/* ---- Watching ------------------------------------------------------------------------------------------ */

static void forget_changes(const guard *g)
{
    struct signalfd_siginfo info;
    while (read(g->changes, &info, sizeof info) > 0) {
    }
}

/* Whether the child has ended; it is left to reap(). Some orphans that have ended are forgotten. */
static int has_ended(const guard *g)
{
    siginfo_t ended = {.si_pid = 0};
    for (int k = 0; k < AT_ONCE; k++) {
        ended.si_pid = 0;
        if (waitid(P_ALL, 0, &ended, WEXITED | WNOHANG | WNOWAIT) != 0 || ended.si_pid == 0 ||
            ended.si_pid == g->child) {
            break;
        }
        (void)waitpid(ended.si_pid, NULL, WNOHANG);
    }
    ended.si_pid = 0;
    return waitid(P_PID, (id_t)g->child, &ended, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           ended.si_pid == g->child;
}

/* Until the child has ended (0) or nobody holds the other end of the socket any more (1). An inner guard that
 * was stopped is continued. */
static int watch(const guard *g, int is_inner)
{
    struct pollfd look[2] = {{.fd = g->owner, .events = POLLIN}, {.fd = g->changes, .events = POLLIN}};
    for (;;) {
        forget_changes(g);
        if (has_ended(g)) {
            return 0;
        }
        if (!is_inner) {
            (void)kill(g->child, SIGCONT);
        }
        if (poll(look, 2, -1) > 0 && look[0].revents) {
            return 1;
        }
    }
}

/* ---- Ending ------------------------------------------------------------------------------------------- */

/* Some that have ended; 1: somebody is still there. */
static int reap(guard *g)
{
    int child = 1;
    for (int k = 0; k < AT_ONCE && child > 0; k++) {
        int status;
        child = waitpid(-1, &status, WNOHANG);
        if (child == g->child) {
            g->status = status;
        }
    }
    return child >= 0;
}

/* Pass after pass over everything below this process, until nobody is there. The living come before the dead:
 * they take our share of the processor. Without a /proc nobody can be found, and only the program's group is
 * killed. */
static zi_offspring end_all(guard *g)
{
    enum { SOON = 10, HASTY = 1000, FORBIDDEN_PASSES = 100 };
    const struct itimerspec at = {.it_value = {.tv_sec = ZI_GUARD_PATIENCE}};
    const int timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
    struct pollfd look[2] = {{.fd = g->changes, .events = POLLIN}, {.fd = timer, .events = POLLIN}};
    int forbidden = 0;
    (void)zi_offspring_kill(getpid());
    (void)timerfd_settime(timer, 0, &at, NULL);
    for (int pass = 0; reap(g); pass++) {
        forget_changes(g);
        const zi_offspring met = zi_offspring_kill(getpid());
        forbidden = met.is_forbidden ? forbidden + 1 : 0;
        (void)poll(look, 2, met.alive || pass > HASTY ? SOON : 0);
        if (look[1].revents || forbidden > FORBIDDEN_PASSES) {
            return met;
        }
    }
    return (zi_offspring){.last = zi_cgroup_end(&g->cgroup)};
}

static zi_ending ending_of(const guard *g, int is_killed)
{
    const int is_signal = WIFSIGNALED(g->status);
    return (zi_ending){.end = is_killed   ? ZI_END_KILLED
                              : is_signal ? ZI_END_SIGNAL
                                          : ZI_END_EXIT,
                       .number = is_signal ? WTERMSIG(g->status) : WEXITSTATUS(g->status)};
}

/* ---- The guards ---------------------------------------------------------------------------------------- */

/* Those between two. */
static void close_between(int low, int high)
{
    if (high - low > 1) {
        (void)close_range((unsigned)(low + 1), (unsigned)(high - 1), 0);
    }
}

/* All but those of the guard, and another one. */
static void close_others(const guard *g, int other)
{
    int kept[] = {g->owner, g->changes, g->cgroup.folder, other};
    enum { COUNT = sizeof kept / sizeof *kept };
    int low = -1;
    for (int k = 0; k < COUNT; k++) { /* the least of the rest comes next */
        for (int i = k + 1; i < COUNT; i++) {
            const int least = kept[i] < kept[k] ? kept[i] : kept[k];
            kept[i] += kept[k] - least;
            kept[k] = least;
        }
        close_between(low, kept[k]);
        low = kept[k];
    }
    (void)close_range((unsigned)low + 1, ~0U, 0);
}

/* What every guard does before it forks. */
static void prepare(guard *g)
{
    sigset_t all;
    sigset_t child;
    (void)sigfillset(&all);
    (void)sigemptyset(&child);
    (void)sigaddset(&child, SIGCHLD);
    (void)sigprocmask(SIG_SETMASK, &all, NULL);
    (void)setpgid(0, 0);
    (void)prctl(PR_SET_NAME, "evaluator guard");
    (void)prctl(PR_SET_CHILD_SUBREAPER, 1);
    g->changes = signalfd(-1, &child, SFD_NONBLOCK | SFD_CLOEXEC);
}

/* The inner guard tells the outer one how the program ended, and leaves the rest to it; if there is no outer
 * guard any more, it does all and tells us. */
_Noreturn static void run_inner(const zi_launch *l, int owner)
{
    guard g = {.owner = owner, .cgroup = l->cgroup};
    const int self = getpid();
    const int outer = getppid();
    prepare(&g);
    g.child = zi_cgroup_fork(&g.cgroup);
    if (g.child == 0) {
        become_program(l, self);
    }
    if (g.child < 0) {
        tell_errno(l->exec_failure);
        _exit(127);
    }
    (void)setpgid(g.child, g.child); /* here too: whoever comes first */
    close_others(&g, l->control);
    const int is_alone = watch(&g, 1);
    (void)kill(-g.child, SIGKILL);
    if (!is_alone) {
        (void)waitpid(g.child, &g.status, 0);
        const zi_ending ending = ending_of(&g, 0);
        (void)send(g.owner, &ending, sizeof ending, MSG_NOSIGNAL);
        _exit(0);
    }
    zi_cgroup_kill(&g.cgroup);
    const zi_offspring left = end_all(&g);
    if (getppid() == outer) {
        _exit(0);
    }
    zi_ending ending = ending_of(&g, 1);
    ending.left = left.last;
    ending.is_forbidden = left.is_forbidden;
    ending.is_unguarded = 1;
    (void)send(l->control, &ending, sizeof ending, MSG_NOSIGNAL);
    _exit(0);
}

_Noreturn static void run_outer(const zi_launch *l, const int link[2])
{
    guard g = {.owner = l->control, .cgroup = l->cgroup};
    prepare(&g);
    g.child = fork();
    if (g.child == 0) {
        (void)close(link[0]);
        (void)close(g.changes);
        run_inner(l, link[1]);
    }
    if (g.child < 0) {
        tell_errno(l->exec_failure);
        _exit(127);
    }
    close_others(&g, link[0]);
    const int is_killed = watch(&g, 0);
    zi_cgroup_kill(&g.cgroup);
    (void)zi_offspring_kill(g.child); /* as long as they are all below the inner guard */
    (void)shutdown(link[0], SHUT_WR); /* the inner one wakes up too, and kills the program's group */
    const zi_offspring left = end_all(&g);
    zi_ending ending = ending_of(&g, is_killed);
    if (!is_killed && recv(link[0], &ending, sizeof ending, MSG_DONTWAIT) != (ssize_t)sizeof ending) {
        ending.is_unguarded = 1;
    }
    ending.left = left.last;
    ending.is_forbidden = left.is_forbidden;
    (void)send(g.owner, &ending, sizeof ending, MSG_NOSIGNAL);
    _exit(0);
}

_Noreturn void zi_guard_run(const zi_launch *launch)
{
    int link[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, link) != 0) {
        tell_errno(launch->exec_failure);
        _exit(127);
    }
    run_outer(launch, link);
}
