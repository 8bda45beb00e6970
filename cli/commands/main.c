/* The zilch command: finds the command named and runs it. */
#include "commands/commands.h"
#include "run/ranks.h"
#include "terminal/cli.h"
#include "zilch.h"

#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int dispatch(int argc, char **argv)
{
    if (argc < 2) {
        command_overview(stderr);
        return CLI_USAGE;
    }
    const char *name = argv[1];
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0) {
        printf("zilch %s\n", zilch_version());
        return CLI_OK;
    }
    const int is_help = strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0;
    const command *c = command_find(is_help ? "help" : name);
    return c ? command_run(c, argc - 1, argv + 1) : command_unknown(name);
}

/* A closed standard stream would give its number to the next file opened, and what is printed would
 * land there. A stand-in that refuses the stream's direction makes using it an error instead. */
static void occupy_standard_streams(void)
{
    for (int file = STDIN_FILENO; file <= STDERR_FILENO; file++) {
        if (fcntl(file, F_GETFD) < 0) { /* the lowest free number is this one */
            (void)!open("/dev/null", file == STDIN_FILENO ? O_WRONLY : O_RDONLY);
        }
    }
}

/* A search makes and frees the same large matrices again and again. Memory that stays with the program is not
 * handed out in fresh pages each time: a tenth of a generation at 1,000 coordinates. Threads share one arena:
 * one of its own would reserve 64 megabytes of addresses for each, which OpenBLAS needs where they are
 * limited. */
static void keep_memory(void)
{
#ifdef __GLIBC__
    mallopt(M_ARENA_MAX, 1);
    mallopt(M_MMAP_MAX, 0);
    mallopt(M_TRIM_THRESHOLD, -1);
#endif
}

int main(int argc, char **argv)
{
    keep_memory();
    occupy_standard_streams();
    /* Both would end the program silently; ignored, they show as write errors. */
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    zilch_set_blas_threads(1);
    int status = ranks_begin();
    if (status < 0) { /* this process is the command */
        cli_set_cleanup(ranks_end);
        status = cli_finish(dispatch(argc, argv));
        ranks_end();
    }
    return status;
}
