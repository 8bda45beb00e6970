/* The commands. argv[0] is the command's own name; the result is an exit status. */
#ifndef COMMANDS_H
#define COMMANDS_H

#include <stdio.h>

int cmd_search(int argc, char **argv); /* of lander and of optimize */
int cmd_compare(int argc, char **argv);
int cmd_resume(int argc, char **argv);
int cmd_ask(int argc, char **argv);
int cmd_tell(int argc, char **argv);
int cmd_best(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_serve(int argc, char **argv);
int cmd_steer(int argc, char **argv);
int cmd_watch(int argc, char **argv);
int cmd_export(int argc, char **argv);
int cmd_fit(int argc, char **argv);
int cmd_sample(int argc, char **argv);
int cmd_show(int argc, char **argv);
int cmd_train(int argc, char **argv);
int cmd_recover(int argc, char **argv);
int cmd_play(int argc, char **argv);
int cmd_bench(int argc, char **argv);
int cmd_help(int argc, char **argv);

/* All of them, in the order of the overview; ends with name NULL. */
typedef struct command {
    const char *name, *summary;
    int (*run)(int argc, char **argv);
} command;
extern const command commands[];

const command *command_find(const char *name); /* NULL: there is none */
int command_run(const command *c, int argc, char **argv);

/* Says that a word is no command, and which one may be meant. Gives CLI_USAGE. */
int command_unknown(const char *name);

/* What 'zilch --help' prints: a line for each command. */
void command_overview(FILE *stream);

#endif
