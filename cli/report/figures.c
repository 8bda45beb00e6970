/* Files of figures, and gnuplot. A figure is a data file, numbers that only the caller knows (NAME.meta.gp),
 * texts (NAME.text.dat) and a script of cli/report/figures; all of them stay in the folder, so that a user
 * can restyle a picture with gnuplot alone. How a picture looks is decided in its script and in style.gp.
 *
 * Texts come from studies and tables of other people. None of them is ever part of a script: gnuplot reads
 * them as numbers, a byte each. Whatever a script says, gnuplot cannot start a program (sandbox.c). It reads
 * and writes in a folder that only we can write to (private_folder.c); finished files are then moved out. */
#include "report/figures.h"

#include "terminal/cli.h"
#include "terminal/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- Files ------------------------------------------------------------------- */

/* Like mkdir -p. */
int figures_make_folder(const char *folder)
{
    if (!*folder) {
        return cli_fail("the name of the folder for figures is empty");
    }
    const size_t size = strlen(folder) + sizeof "/";
    char *path = malloc(size);
    if (!path) {
        return cli_fail("out of memory");
    }
    snprintf(path, size, "%s/", folder);
    int reason = 0;
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        reason = mkdir(path, 0777) != 0 && errno != EEXIST ? errno : reason;
        *slash = '/';
    }
    /* What counts is whether it is there now; with its final slash, a file is not. */
    struct stat info;
    const int missing = stat(path, &info) != 0;
    reason = reason ? reason : errno;
    free(path);
    return missing ? cli_fail("%s: cannot make the folder: %s", folder, strerror(reason)) : 0;
}

/* ---- Names ----------------------------------------------------------------------- */

enum { FILE_NAME_SIZE = FIGURES_NAME_SIZE + 16 };

static const char *file_name(const char *name, const char *extension, char out[FILE_NAME_SIZE])
{
    snprintf(out, FILE_NAME_SIZE, "%s%s", name, extension);
    return out;
}

int figures_write(const private_folder *f, const char *name, const char *extension, zilch_file_writer write,
                  void *context)
{
    char file[FILE_NAME_SIZE];
    return private_folder_write(f, file_name(name, extension, file), write, context);
}

FILE *figures_read(const private_folder *f, const char *name, const char *extension)
{
    char path[FILE_NAME_SIZE];
    const int file = openat(f->inside, file_name(name, extension, path), O_RDONLY | O_CLOEXEC);
    FILE *stream = file >= 0 ? fdopen(file, "rb") : NULL;
    if (!stream && file >= 0) {
        close(file);
    }
    return stream;
}

/* ---- Scripts --------------------------------------------------------------------- */

static zilch_status script_write(void *context, FILE *stream)
{
    const figure_script *script = context;
    fputs(script->text, stream);
    return ZILCH_OK;
}

/* With all scripts that it loads, unless they are there already; what is not ours, the caller has written. */
static int script_copy(const private_folder *f, const char *name, size_t length)
{
    static const char load[] = "load \"";
    figure_script script = {NULL, NULL};
    for (const figure_script *s = figure_scripts; s->name; s++) {
        script = strlen(s->name) == length && strncmp(s->name, name, length) == 0 ? *s : script;
    }
    if (!script.name || faccessat(f->inside, script.name, F_OK, 0) == 0) {
        return 0;
    }
    int failed = private_folder_write(f, script.name, script_write, &script);
    for (const char *at = strstr(script.text, load); at && !failed; at = strstr(at, load)) {
        at += strlen(load);
        failed = script_copy(f, at, strcspn(at, "\""));
    }
    return failed;
}

/* ---- gnuplot --------------------------------------------------------------------- */

enum { CANNOT_ENTER = 125, CANNOT_RUN = 126, NOT_FOUND = 127 }; /* exit statuses, as a shell has them */

enum { MOST_SECONDS = 300 }; /* of a processor, for one figure: numbers of a study may ask for more */

/* The child: gnuplot in the folder, started without a shell and without the user's start-up file. What it
 * says goes to stderr; it says something about our UTF-8 in any locale that has another encoding. It goes
 * when zilch does. */
static _Noreturn void gnuplot_become(const private_folder *f, const char *script)
{
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (fchdir(f->inside) != 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0 ||
        setenv("LC_ALL", "C.UTF-8", 1) != 0) {
        _exit(CANNOT_ENTER);
    }
    (void)setrlimit(RLIMIT_CPU, &(const struct rlimit){MOST_SECONDS, MOST_SECONDS});
    sandbox_forbid_processes();
    execlp("gnuplot", "gnuplot", "-d", script, (char *)NULL);
    _exit(errno == ENOENT ? NOT_FOUND : CANNOT_RUN);
}

static int gnuplot_run(const private_folder *f, const char *script)
{
    const pid_t child = fork();
    if (child < 0) {
        return cli_fail("cannot start gnuplot: %s", strerror(errno));
    }
    if (child == 0) {
        gnuplot_become(f, script);
    }
    int status;
    while (waitpid(child, &status, 0) < 0) {
        if (errno != EINTR) {
            return cli_fail("cannot wait for gnuplot: %s", strerror(errno));
        }
    }
    if (cli_is_stopped()) { /* Ctrl-C has ended it too, and that is said elsewhere */
        return CLI_FAILED;
    }
    if (WIFSIGNALED(status)) {
        return cli_fail("%s/%s: gnuplot was ended by signal %d", f->path, script, WTERMSIG(status));
    }
    if (WEXITSTATUS(status) == NOT_FOUND) {
        return cli_fail("gnuplot is not installed (apt install gnuplot-nox); data and scripts are kept in %s",
                        f->path);
    }
    return WEXITSTATUS(status) == 0
               ? 0
               : cli_fail("%s/%s: gnuplot failed with status %d", f->path, script, WEXITSTATUS(status));
}

/* ---- Pictures -------------------------------------------------------------------- */

/* With what a whole one ends, but for a few bytes. */
static const struct {
    const char *extension, *end;
} pictures[] = {{".svg", "</svg>"}, {".png", "IEND"}, {".pdf", "%%EOF"}};
enum { PICTURES = sizeof pictures / sizeof *pictures };

/* Whether the file ends as it should; -1 if it is not there, or empty. */
static int picture_is_whole(const private_folder *f, const char *name, size_t kind)
{
    enum { LAST = 16 };
    const char *end = pictures[kind].end;
    char last[LAST + 1] = "";
    FILE *file = figures_read(f, name, pictures[kind].extension);
    if (!file) {
        return -1;
    }
    const int is_long = fseek(file, -LAST, SEEK_END) == 0;
    const size_t taken = is_long ? fread(last, 1, LAST, file) : 0;
    fclose(file);
    for (size_t i = 0; i < taken; i++) {
        if (strncmp(last + i, end, strlen(end)) == 0) {
            return 1;
        }
    }
    return taken ? 0 : -1;
}

/* gnuplot may end with 0 and have written nothing, for want of a terminal, say, or not all, for want of room.
 */
static int figure_draw(const private_folder *f, const char *name)
{
    char file[FILE_NAME_SIZE];
    int failed = gnuplot_run(f, file_name(name, ".gp", file));
    for (size_t kind = 0; kind < PICTURES && !failed; kind++) {
        const int is_whole = picture_is_whole(f, name, kind);
        if (is_whole <= 0) {
            failed = cli_fail("%s/%s%s: gnuplot did not write %s", f->path, name, pictures[kind].extension,
                              is_whole < 0 ? "it" : "all of it; is the disk full?");
        }
    }
    for (size_t kind = 0; failed && kind < PICTURES; kind++) {
        (void)unlinkat(f->inside, file_name(name, pictures[kind].extension, file), 0);
    }
    return failed;
}

int figures_draw(const private_folder *f, size_t count, const char *const *name, int *is_drawn)
{
    int failed = 0;
    for (size_t i = 0; i < count && !failed; i++) {
        char file[FILE_NAME_SIZE];
        file_name(name[i], ".gp", file);
        failed = script_copy(f, file, strlen(file));
    }
    for (size_t i = 0; i < count && !(failed && i <= 1) && !cli_is_stopped(); i++) {
        is_drawn[i] = !figure_draw(f, name[i]);
        failed |= !is_drawn[i];
    }
    return failed;
}

/* ---- The folder around ----------------------------------------------------------- */

/* Older pictures that are not replaced go away, since they are of other data. */
int figures_publish(const private_folder *f, size_t count, const char *const *name)
{
    int failed = 0;
    for (size_t i = 0; i < count * PICTURES; i++) {
        char file[FILE_NAME_SIZE];
        file_name(name[i / PICTURES], pictures[i % PICTURES].extension, file);
        const int is_new = faccessat(f->inside, file, F_OK, 0) == 0;
        if (!is_new && unlinkat(f->outside, file, 0) != 0 && errno != ENOENT) {
            failed = cli_fail("%s/%s: cannot remove: %s", f->path, file, strerror(errno));
        }
    }
    return private_folder_publish(f) || failed;
}
