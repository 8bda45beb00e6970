/* The commands. argv[0] is the command's own name; the result is an exit status. */
#ifndef COMMANDS_H
#define COMMANDS_H

int cmd_search(int argc, char **argv); /* of lander and of optimize */
int cmd_compare(int argc, char **argv);
int cmd_resume(int argc, char **argv);
int cmd_ask(int argc, char **argv);
int cmd_tell(int argc, char **argv);
int cmd_best(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_export(int argc, char **argv);
int cmd_fit(int argc, char **argv);
int cmd_sample(int argc, char **argv);
int cmd_show(int argc, char **argv);
int cmd_train(int argc, char **argv);
int cmd_recover(int argc, char **argv);
int cmd_play(int argc, char **argv);
int cmd_bench(int argc, char **argv);

#endif
