/* Guards: processes between us and a program, which end it and everything that it has started. */
#ifndef ZI_GUARD_H
#define ZI_GUARD_H

#include "parallel/cgroup.h"

/* How a program ended. */
typedef enum zi_end { ZI_END_EXIT, ZI_END_SIGNAL, ZI_END_KILLED } zi_end;
typedef struct zi_ending {
    zi_end end;
    int number;       /* status of an exit, or the signal; KILLED was done here */
    int left;         /* a process below it that could not be ended; 0: nobody is left */
    int is_forbidden; /* that one belongs to another user */
    int is_unguarded; /* a guard was killed, or did not answer */
} zi_ending;

/* What guards and the program need. All descriptors are above 2, and closed by exec. */
typedef struct zi_launch {
    char *const *words;
    int control;      /* the guards' end of a socket */
    int stream[3];    /* the program's ends of pipes */
    int exec_failure; /* gets errno if the program cannot be started; closed if it can */
    zi_cgroup cgroup; /* of the program, if there is one; the guards are outside */
} zi_launch;

enum { ZI_GUARD_PATIENCE = 5 }; /* seconds that a guard tries to end what it guards */

/* Turns this process, a fork, into a guard, and starts the program. When the program has ended, or nobody
 * holds the other end of the socket any more, a guard ends what is left and sends a zi_ending. */
_Noreturn void zi_guard_run(const zi_launch *launch);

#endif
