/* Files of figures, and gnuplot. A figure is a data file, numbers that only the caller knows (NAME.meta.gp)
 * and a script of cli/figures; all of them stay in the folder, so that a user can restyle a picture with
 * gnuplot alone. How a picture looks is decided in its script and in style.gp. */
#include "figures.h"

#include "cli.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- Files ------------------------------------------------------------------- */

/* "folder/name" + extension, in new memory; NULL after printing. */
static char *path_join(const char *folder, const char *name, const char *extension)
{
    const size_t size = strlen(folder) + strlen(name) + strlen(extension) + 2;
    char *path = malloc(size);
    if (path) {
        snprintf(path, size, "%s/%s%s", folder, name, extension);
    } else {
        cli_fail("out of memory");
    }
    return path;
}

/* Like mkdir -p. */
int figures_make_folder(const char *folder)
{
    if (!*folder) {
        return cli_fail("the name of the folder for figures is empty");
    }
    char *path = path_join(folder, "", "");
    if (!path) {
        return 1;
    }
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

/* Whole or not at all, so that a picture is never drawn from half of its data. */
int figures_write(const char *folder, const char *name, const char *extension, zilch_file_writer write,
                  void *context)
{
    char *path = path_join(folder, name, extension);
    if (!path) {
        return 1;
    }
    const zilch_status status = zilch_file_replace(path, write, context);
    free(path);
    return status == ZILCH_OK ? 0 : cli_fail_library();
}

static zilch_status script_write(void *context, FILE *stream)
{
    const figure_script *script = context;
    fputs(script->text, stream);
    return ZILCH_OK;
}

static const figure_script *script_find(const char *name, size_t length)
{
    for (const figure_script *script = figure_scripts; script->name; script++) {
        if (strlen(script->name) == length && strncmp(script->name, name, length) == 0) {
            return script;
        }
    }
    return NULL;
}

/* With all scripts that it loads; what is none of ours, the caller has written. */
static int script_copy(const char *folder, const figure_script *script)
{
    static const char load[] = "load \"";
    figure_script copy = *script;
    int failed = figures_write(folder, copy.name, "", script_write, &copy);
    for (const char *at = strstr(copy.text, load); at && !failed; at = strstr(at, load)) {
        at += strlen(load);
        const figure_script *loaded = script_find(at, strcspn(at, "\""));
        failed = loaded ? script_copy(folder, loaded) : 0;
    }
    return failed;
}

/* ---- gnuplot --------------------------------------------------------------------- */

enum { CANNOT_ENTER = 125, CANNOT_RUN = 126, NOT_FOUND = 127 }; /* exit statuses, as a shell has them */

/* What stands before the name of a picture that is being drawn. */
enum { BEFORE_SIZE = 32 };

static void name_before(char out[BEFORE_SIZE])
{
    snprintf(out, BEFORE_SIZE, "tmp-%ld-", (long)getpid());
}

/* The child: gnuplot in the folder, started without a shell, so that any name will do,
 * and without the user's start-up file. What it says goes to stderr; it says something
 * about our UTF-8 in any locale that has another encoding. It goes when zilch does. */
static _Noreturn void gnuplot_become(const char *folder, const char *script, const char *before)
{
    char setting[BEFORE_SIZE + sizeof "drawn_as = ''"];
    snprintf(setting, sizeof setting, "drawn_as = '%s'", before);
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (chdir(folder) != 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0 || setenv("LC_ALL", "C.UTF-8", 1) != 0) {
        _exit(CANNOT_ENTER);
    }
    execlp("gnuplot", "gnuplot", "-d", "-e", setting, script, (char *)NULL);
    _exit(errno == ENOENT ? NOT_FOUND : CANNOT_RUN);
}

static int gnuplot_judge(const char *folder, const char *script, int status)
{
    if (cli_is_stopped()) { /* Ctrl-C has ended it too, and that is said elsewhere */
        return CLI_FAILED;
    }
    if (WIFSIGNALED(status)) {
        return cli_fail("%s/%s: gnuplot was ended by signal %d", folder, script, WTERMSIG(status));
    }
    switch (WEXITSTATUS(status)) {
    case 0:
        return 0;
    case NOT_FOUND:
        return cli_fail("gnuplot is not installed (apt install gnuplot-nox); data and scripts are kept in %s",
                        folder);
    default:
        return cli_fail("%s/%s: gnuplot failed with status %d", folder, script, WEXITSTATUS(status));
    }
}

static int gnuplot_run(const char *folder, const char *script)
{
    char before[BEFORE_SIZE];
    name_before(before);
    const pid_t child = fork();
    if (child < 0) {
        return cli_fail("cannot start gnuplot: %s", strerror(errno));
    }
    if (child == 0) {
        gnuplot_become(folder, script, before);
    }
    int status;
    while (waitpid(child, &status, 0) < 0) {
        if (errno != EINTR) {
            return cli_fail("cannot wait for gnuplot: %s", strerror(errno));
        }
    }
    return gnuplot_judge(folder, script, status);
}

/* ---- Pictures -------------------------------------------------------------------- */

/* With what a whole one ends, but for a few bytes. */
static const struct {
    const char *extension, *end;
} pictures[] = {{".svg", "</svg>"}, {".png", "IEND"}, {".pdf", "%%EOF"}};
enum { PICTURES = sizeof pictures / sizeof *pictures };

/* Whether the file ends as it should; -1 if it is not there, or empty. */
static int picture_is_whole(const char *path, const char *end)
{
    enum { LAST = 16 };
    char last[LAST + 1] = "";
    FILE *file = fopen(path, "rbe");
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
static int picture_check(const char *drawn, const char *path, const char *end)
{
    const int is_whole = picture_is_whole(drawn, end);
    return is_whole > 0   ? 0
           : is_whole < 0 ? cli_fail("%s: gnuplot did not write it", path)
                          : cli_fail("%s: gnuplot did not write all of it; is the disk full?", path);
}

static int picture_rename(const char *drawn, const char *path, const char *end)
{
    (void)end;
    return rename(drawn, path) != 0 ? cli_fail("%s: cannot be written: %s", path, strerror(errno)) : 0;
}

static int picture_drop(const char *drawn, const char *path, const char *end)
{
    (void)path;
    (void)end;
    (void)unlink(drawn);
    return 0;
}

static int picture_remove(const char *drawn, const char *path, const char *end)
{
    (void)drawn;
    (void)end;
    return unlink(path) != 0 && errno != ENOENT ? cli_fail("%s: cannot remove: %s", path, strerror(errno))
                                                : 0;
}

/* Each of a figure's pictures, as it is drawn and as it shall be called, until one fails. */
static int pictures_each(const char *folder, const char *name,
                         int (*act)(const char *drawn, const char *path, const char *end))
{
    char before[BEFORE_SIZE];
    char drawn_name[BEFORE_SIZE + FIGURES_NAME_SIZE];
    int failed = 0;
    name_before(before);
    snprintf(drawn_name, sizeof drawn_name, "%s%s", before, name);
    for (size_t i = 0; i < PICTURES && !failed; i++) {
        char *drawn = path_join(folder, drawn_name, pictures[i].extension);
        char *path = path_join(folder, name, pictures[i].extension);
        failed = !drawn || !path || act(drawn, path, pictures[i].end);
        free(drawn);
        free(path);
    }
    return failed;
}

int figures_remove(const char *folder, const char *name)
{
    return pictures_each(folder, name, picture_remove);
}

/* A picture is there whole or not at all, and never of other data than those beside it: if the new ones fail,
 * the old ones go. */
static int figure_draw(const char *folder, const char *script, const char *name)
{
    const int failed = gnuplot_run(folder, script) || pictures_each(folder, name, picture_check) ||
                       pictures_each(folder, name, picture_rename);
    if (failed) {
        (void)pictures_each(folder, name, picture_drop);
        (void)figures_remove(folder, name);
    }
    return failed;
}

int figures_draw(const char *folder, const char *name)
{
    char script[FIGURES_NAME_SIZE + sizeof ".gp"];
    const int length = snprintf(script, sizeof script, "%s.gp", name);
    const figure_script *found = script_find(script, (size_t)length);
    return !found ? cli_fail("%s: no such script", script)
                  : script_copy(folder, found) || figure_draw(folder, script, name);
}
