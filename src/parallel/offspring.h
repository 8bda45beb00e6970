/* All processes below one: its children, their children, and so on. */
#ifndef ZI_OFFSPRING_H
#define ZI_OFFSPRING_H

/* What one pass met. Processes that have ended and wait for their parent do not count. */
typedef struct zi_offspring {
    int alive; /* processes, all of them killed now, but for those that we may not kill */
    int last;  /* one of those that we may not kill, or else one of the others; 0: there was none */
    int is_forbidden;
} zi_offspring;

/* One pass: kills everything below the process `root`. What is forked meanwhile is for the next pass. Only
 * system calls are made. */
zi_offspring zi_offspring_kill(int root);

#endif
