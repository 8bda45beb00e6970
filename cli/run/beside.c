/* A process of its own: whatever happens to it, the search goes on. It is in a group of its own, so that
 * Ctrl-C reaches the search alone. */
#include "run/beside.h"

#include "terminal/cli.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static int start(char **words, pid_t *process)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t wishes;
    int reason = posix_spawn_file_actions_init(&actions);
    if (reason) {
        return reason;
    }
    reason = posix_spawnattr_init(&wishes);
    if (!reason) {
        reason = posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
        reason = reason ? reason : posix_spawnattr_setflags(&wishes, POSIX_SPAWN_SETPGROUP);
        reason = reason ? reason : posix_spawn(process, "/proc/self/exe", &actions, &wishes, words, environ);
        posix_spawnattr_destroy(&wishes);
    }
    posix_spawn_file_actions_destroy(&actions);
    return reason;
}

pid_t beside_begin(const char *study)
{
    char own[24];
    char *words[] = {"zilch", "serve", "--beside", own, "--", (char *)study, NULL};
    pid_t process = 0;
    snprintf(own, sizeof own, "%ld", (long)getpid());
    const int reason = start(words, &process);
    if (reason) {
        cli_fail("--live: cannot be started: %s", strerror(reason));
        return 0;
    }
    return process;
}

void beside_end(pid_t server)
{
    if (server > 0) {
        kill(server, SIGTERM);
        while (waitpid(server, NULL, 0) < 0 && errno == EINTR) {
        }
    }
}
