/* Starting other programs, each under guards (guard.c), talking to them, and ending them.
 *
 * No wait for a guard is without bound: a guard that somebody has stopped is continued, and one that still
 * says nothing is replaced: everything below it is killed from here, and then the guard. What is in the
 * program's cgroup (cgroup.c) is ended from here in any case: both guards may have been killed. */
#define _GNU_SOURCE
#include "parallel/process.h"

#include "parallel/offspring.h"
#include "parallel/pidfd.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- Starting ---------------------------------------------------------------------------------------- */

static void close_one(int *descriptor)
{
    if (*descriptor >= 0) {
        (void)close(*descriptor);
        *descriptor = -1;
    }
}

enum { PIPES = 4, READ = 0, WRITE = 1 }; /* input, output, complaints, failure of exec */

/* Above the standard streams, which another program's descriptors are copied to. */
static int raise_descriptor(int *descriptor)
{
    if (*descriptor <= STDERR_FILENO) {
        const int above = fcntl(*descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
        (void)close(*descriptor);
        *descriptor = above;
    }
    return *descriptor >= 0;
}

static int make_pair(int pair[2], int is_socket)
{
    const int failed =
        is_socket ? socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) : pipe2(pair, O_CLOEXEC);
    return !failed && raise_descriptor(&pair[0]) && raise_descriptor(&pair[1]);
}

static int set_nonblocking(int descriptor)
{
    return fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0;
}

/* Fills what is ours of it; everything else is closed by the caller. */
static zilch_status start(zi_process *out, char *const *words, int pipes[PIPES][2], int socket[2])
{
    int is_made = make_pair(socket, 1);
    for (int i = 0; i < PIPES; i++) {
        is_made = is_made && make_pair(pipes[i], 0);
    }
    is_made = is_made && set_nonblocking(pipes[0][WRITE]) && set_nonblocking(pipes[1][READ]) &&
              set_nonblocking(pipes[2][READ]);
    const zi_launch l = {.words = words,
                         .control = socket[1],
                         .stream = {pipes[0][READ], pipes[1][WRITE], pipes[2][WRITE]},
                         .exec_failure = pipes[3][WRITE],
                         .cgroup = out->cgroup};
    const pid_t guard = is_made ? fork() : -1;
    if (guard == 0) {
        (void)close(socket[0]);
        zi_guard_run(&l);
    }
    if (guard < 0) {
        return zi_fail(ZILCH_EIO, "program: '%s' cannot be started: %s", words[0], strerror(errno));
    }
    const int handle = zi_pidfd_open(guard);
    if (handle < 0) {
        const int error = errno;
        close_one(&socket[0]); /* so the guard ends, and the program */
        (void)waitpid(guard, NULL, 0);
        return zi_fail(ZILCH_EIO, "program: '%s' cannot be watched: %s", words[0], strerror(error));
    }
    *out =
        (zi_process){guard, handle, socket[0], pipes[0][WRITE], pipes[1][READ], pipes[2][READ], out->cgroup};
    socket[0] = pipes[0][WRITE] = pipes[1][READ] = pipes[2][READ] = -1;
    return ZILCH_OK;
}

zilch_status zi_process_start(zi_process *out, char *const *words)
{
    assert(words && words[0]);
    int pipes[PIPES][2] = {{-1, -1}, {-1, -1}, {-1, -1}, {-1, -1}};
    int socket[2] = {-1, -1};
    *out = zi_no_process;
    out->cgroup = zi_cgroup_make();
    zilch_status status = start(out, words, pipes, socket);
    for (int i = 0; i < PIPES; i++) {
        close_one(&pipes[i][WRITE]);
    }
    int error = 0; /* of exec; nothing is written if the program runs */
    if (status == ZILCH_OK &&
        zi_process_read(pipes[3][READ], (char *)&error, sizeof error) != (long)sizeof error) {
        error = 0;
    }
    for (int i = 0; i < PIPES; i++) {
        close_one(&pipes[i][READ]);
    }
    close_one(&socket[0]);
    close_one(&socket[1]);
    if (status != ZILCH_OK) {
        (void)zi_cgroup_end(&out->cgroup);
        zi_cgroup_close(&out->cgroup);
    }
    if (error) {
        (void)zi_process_end(out, 0);
        zi_process_close(out);
        status = zi_fail(ZILCH_EIO, "program: '%s' cannot be started: %s", words[0], strerror(error));
    }
    return status;
}

/* ---- Ending --------------------------------------------------------------------------------------- */

enum { STEPS_MOST = 10 * (ZI_GUARD_PATIENCE + 1) }; /* of a tenth of a second */

/* Something is there to be read, within so many milliseconds; no signal shortens them. */
static int wait_for(int descriptor, int milliseconds)
{
    struct pollfd look = {.fd = descriptor, .events = POLLIN};
    const struct timespec time = {.tv_sec = milliseconds / 1000, .tv_nsec = milliseconds % 1000 * 1000000L};
    sigset_t all;
    (void)sigfillset(&all);
    return ppoll(&look, 1, &time, &all) > 0;
}

/* The guard tells when it is done, or its socket closes: it was killed. If that takes long, it may have been
 * stopped. Returns the steps that it took. */
static int wait_for_guard(const zi_process *process)
{
    enum { STEP = 100 };
    int step = 0;
    for (; step < STEPS_MOST; step++) {
        (void)zi_pidfd_signal(process->handle, SIGCONT);
        if (wait_for(process->control, STEP)) {
            break;
        }
        zi_cgroup_kill(&process->cgroup);
    }
    return step;
}

/* The guard does not do its work: somebody stops it again and again, or the machine is too busy. */
static zi_ending replace_guard(const zi_process *process)
{
    enum { PASSES = 100, SOON = 10 };
    zi_offspring met = zi_offspring_kill(process->guard);
    for (int k = 0; k < PASSES && met.alive; k++) {
        (void)wait_for(-1, SOON);
        met = zi_offspring_kill(process->guard);
    }
    (void)zi_pidfd_signal(process->handle, SIGKILL);
    return (zi_ending){
        .end = ZI_END_KILLED, .left = met.last, .is_forbidden = met.is_forbidden, .is_unguarded = 1};
}

zi_ending zi_process_end(zi_process *process, int milliseconds)
{
    assert(milliseconds >= 0);
    enum { MOMENT = 1000 };
    zi_ending ending = {.end = ZI_END_KILLED};
    if (!process->guard) {
        return ending;
    }
    close_one(&process->input);
    (void)wait_for(process->control, milliseconds);
    (void)shutdown(process->control, SHUT_WR);
    const int steps = wait_for_guard(process);
    if (steps == STEPS_MOST) {
        ending = replace_guard(process);
    } else if (recv(process->control, &ending, sizeof ending, MSG_DONTWAIT) != (ssize_t)sizeof ending) {
        ending = (zi_ending){.end = ZI_END_KILLED, .is_unguarded = 1};
    }
    if (steps > 0 && ending.end == ZI_END_SIGNAL && ending.number == SIGKILL) { /* it was us */
        ending.end = ZI_END_KILLED;
    }
    if (!wait_for(process->handle, MOMENT)) { /* it has nothing to do any more */
        (void)zi_pidfd_signal(process->handle, SIGKILL);
        (void)wait_for(process->handle, MOMENT);
    }
    (void)waitpid(process->guard, NULL, WNOHANG);
    const int left = zi_cgroup_end(&process->cgroup);
    ending.left = ending.left ? ending.left : left;
    zi_cgroup_close(&process->cgroup);
    process->guard = 0;
    close_one(&process->handle);
    close_one(&process->control);
    return ending;
}

void zi_process_close(zi_process *process)
{
    (void)zi_process_end(process, 0);
    close_one(&process->input);
    close_one(&process->output);
    close_one(&process->complaints);
}

/* ---- Talking -------------------------------------------------------------------------------------- */

/* SIGPIPE is held back in this thread and, if this write caused it, taken away. */
long zi_process_write(zi_process *process, const char *bytes, size_t count)
{
    assert(bytes || !count);
    const struct timespec now = {0};
    sigset_t pipe_signal;
    sigset_t before;
    sigset_t pending;
    (void)sigemptyset(&pipe_signal);
    (void)sigaddset(&pipe_signal, SIGPIPE);
    (void)sigpending(&pending);
    (void)pthread_sigmask(SIG_BLOCK, &pipe_signal, &before);
    ssize_t written;
    do {
        written = write(process->input, bytes, count);
    } while (written < 0 && errno == EINTR);
    const int error = errno;
    if (written < 0 && error == EPIPE && !sigismember(&pending, SIGPIPE)) {
        (void)sigtimedwait(&pipe_signal, NULL, &now);
    }
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return written >= 0 ? (long)written : error == EAGAIN ? 0 : -1;
}

long zi_process_read(int descriptor, char *bytes, size_t capacity)
{
    assert(bytes && capacity);
    ssize_t got;
    do {
        got = read(descriptor, bytes, capacity);
    } while (got < 0 && errno == EINTR);
    return got > 0 ? (long)got : got < 0 && errno == EAGAIN ? 0 : -1;
}
