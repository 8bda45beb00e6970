/* Starting and ending other programs so that none is left behind, whatever happens to this one.
 *
 * Between us and the program stands a guard: a process that holds one end of a socket. When our end closes,
 * because we want it so or because we were killed, the guard kills the program with all it has started, waits
 * for the last of them, and ends. The program is the leader of a group of its own, so a terminal's Ctrl-C
 * does not reach it; whatever leaves the group becomes a child of the guard (PR_SET_CHILD_SUBREAPER), which
 * finds it in /proc. Should somebody kill the guard, the kernel kills the program (PR_SET_PDEATHSIG).
 *
 * Between fork and exec, and in the guard, only system calls are made: other threads of ours may have been
 * anywhere when it was forked. */
#define _GNU_SOURCE
#include "parallel/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- The guard and the program ------------------------------------------------------------------ */

/* What both need, as descriptors. */
typedef struct launch {
    char *const *words;
    int control;      /* the guard's end */
    int stream[3];    /* the program's ends */
    int exec_failure; /* the program writes errno to it if it cannot become one; closed if it can */
} launch;

/* All but this one, which is above 2. */
static void close_others(int descriptor)
{
    (void)close_range(0, (unsigned)descriptor - 1, 0);
    (void)close_range((unsigned)descriptor + 1, ~0U, 0);
}

_Noreturn static void become_program(const launch *l, const sigset_t *signals)
{
    int error;
    (void)setpgid(0, 0);
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (int i = 0; i < 3; i++) { /* the ends are above 2, and duplicates stay open in exec */
        (void)dup2(l->stream[i], i);
    }
    (void)sigaction(SIGPIPE, &(const struct sigaction){.sa_handler = SIG_DFL}, NULL); /* Python ignores it */
    (void)sigprocmask(SIG_SETMASK, signals, NULL);
    execvp(l->words[0], l->words);
    error = errno;
    if (write(l->exec_failure, &error, sizeof error) < 0) {
        _exit(126);
    }
    _exit(127);
}

/* Kills what is still a child of this process: it was started by the program, and has outlived it. */
static int kill_children(void)
{
    char text[512];
    const int file = open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
    const ssize_t length = file < 0 ? 0 : read(file, text, sizeof text);
    int count = 0;
    int number = 0;
    for (ssize_t i = 0; i < length; i++) {
        if (text[i] >= '0' && text[i] <= '9') {
            number = 10 * number + (text[i] - '0');
        } else if (number > 0) {
            count += kill(number, SIGKILL) == 0;
            number = 0;
        }
    }
    if (file >= 0) {
        (void)close(file);
    }
    return count;
}

/* Waits for all children, who are killed, or have been; gives the status of the program. */
static int reap(int program)
{
    int status = 0;
    int is_reaped = 0;
    for (;;) {
        int last = 0;
        int child = waitpid(-1, &last, WNOHANG);
        if (child == 0) { /* somebody is still there */
            if (!kill_children() && is_reaped) {
                return status; /* and cannot be found */
            }
            child = waitpid(-1, &last, 0);
        }
        if (child < 0) {
            return status;
        }
        if (child == program) {
            status = last;
            is_reaped = 1;
        }
    }
}

/* Until the program has ended (0) or nobody holds the other end of the socket any more (1). */
static int watch(int control, int children, int program)
{
    struct pollfd look[2] = {{.fd = control, .events = POLLIN}, {.fd = children, .events = POLLIN}};
    for (;;) {
        struct signalfd_siginfo info;
        siginfo_t ended = {.si_pid = 0};
        while (read(children, &info, sizeof info) > 0) {
        }
        if (waitid(P_PID, (id_t)program, &ended, WEXITED | WNOHANG | WNOWAIT) == 0 &&
            ended.si_pid == program) {
            return 0;
        }
        if (poll(look, 2, -1) > 0 && look[0].revents) {
            return 1;
        }
    }
}

_Noreturn static void become_guard(const launch *l)
{
    sigset_t all;
    sigset_t none;
    sigset_t child;
    (void)sigfillset(&all);
    (void)sigemptyset(&none);
    (void)sigemptyset(&child);
    (void)sigaddset(&child, SIGCHLD);
    (void)sigprocmask(SIG_SETMASK, &all, NULL);
    (void)setpgid(0, 0);
    (void)prctl(PR_SET_NAME, "evaluator guard");
    (void)prctl(PR_SET_CHILD_SUBREAPER, 1);
    const pid_t program = fork();
    if (program == 0) {
        become_program(l, &none);
    }
    close_others(l->control);
    if (program < 0) {
        _exit(1);
    }
    (void)setpgid(program, program); /* here too: whoever comes first */
    const int children = signalfd(-1, &child, SFD_NONBLOCK | SFD_CLOEXEC);
    const int is_killed = watch(l->control, children, program);
    (void)kill(-program, SIGKILL);
    const int status = reap(program);
    const zi_ending ending = {.end = is_killed             ? ZI_END_KILLED
                                     : WIFSIGNALED(status) ? ZI_END_SIGNAL
                                                           : ZI_END_EXIT,
                              .number = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status)};
    (void)send(l->control, &ending, sizeof ending, MSG_NOSIGNAL);
    _exit(0);
}

/* ---- From here --------------------------------------------------------------------------------------- */

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

/* EOF: it runs. */
static int exec_error(int descriptor)
{
    int error = 0;
    ssize_t got;
    do {
        got = read(descriptor, &error, sizeof error);
    } while (got < 0 && errno == EINTR);
    return got == (ssize_t)sizeof error ? error : 0;
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
    const launch l = {.words = words,
                      .control = socket[1],
                      .stream = {pipes[0][READ], pipes[1][WRITE], pipes[2][WRITE]},
                      .exec_failure = pipes[3][WRITE]};
    const pid_t guard = is_made ? fork() : -1;
    if (guard == 0) {
        (void)close(socket[0]);
        become_guard(&l);
    }
    if (guard < 0) {
        return zi_fail(ZILCH_EIO, "program: '%s' cannot be started: %s", words[0], strerror(errno));
    }
    *out = (zi_process){guard, socket[0], pipes[0][WRITE], pipes[1][READ], pipes[2][READ]};
    socket[0] = pipes[0][WRITE] = pipes[1][READ] = pipes[2][READ] = -1;
    return ZILCH_OK;
}

zilch_status zi_process_start(zi_process *out, char *const *words)
{
    int pipes[PIPES][2] = {{-1, -1}, {-1, -1}, {-1, -1}, {-1, -1}};
    int socket[2] = {-1, -1};
    *out = zi_no_process;
    zilch_status status = start(out, words, pipes, socket);
    for (int i = 0; i < PIPES; i++) {
        close_one(&pipes[i][WRITE]);
    }
    const int error = status == ZILCH_OK ? exec_error(pipes[3][READ]) : 0;
    for (int i = 0; i < PIPES; i++) {
        close_one(&pipes[i][READ]);
    }
    close_one(&socket[0]);
    close_one(&socket[1]);
    if (error) {
        (void)zi_process_end(out, 0);
        zi_process_close(out);
        status = zi_fail(ZILCH_EIO, "program: '%s' cannot be started: %s", words[0], strerror(error));
    }
    return status;
}

zi_ending zi_process_end(zi_process *process, int milliseconds)
{
    zi_ending ending = {.end = ZI_END_KILLED};
    struct pollfd look = {.fd = process->control, .events = POLLIN};
    if (!process->guard) {
        return ending;
    }
    close_one(&process->input);
    (void)poll(&look, 1, milliseconds);
    (void)shutdown(process->control, SHUT_WR);
    ssize_t got;
    do {
        got = recv(process->control, &ending, sizeof ending, MSG_WAITALL);
    } while (got < 0 && errno == EINTR);
    if (got != (ssize_t)sizeof ending) {
        ending = (zi_ending){.end = ZI_END_KILLED};
    }
    while (waitpid(process->guard, NULL, 0) < 0 && errno == EINTR) {
    }
    process->guard = 0;
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

/* SIGPIPE is held back in this thread and, if this write caused it, taken away. */
long zi_process_write(zi_process *process, const char *bytes, size_t count)
{
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
    ssize_t got;
    do {
        got = read(descriptor, bytes, capacity);
    } while (got < 0 && errno == EINTR);
    return got > 0 ? (long)got : got < 0 && errno == EAGAIN ? 0 : -1;
}
