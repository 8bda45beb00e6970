/* A wall around a program that draws or computes, and has no reason to start another one. */
#ifndef SANDBOX_H
#define SANDBOX_H

/* From now on this process, and the program that it becomes, can start threads but no process. Where the
 * kernel or the processor does not support that, nothing changes. */
void sandbox_forbid_processes(void);

#endif
