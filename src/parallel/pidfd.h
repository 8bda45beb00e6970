/* Descriptors of processes, whose functions the C library has only from glibc 2.36 on: wheels do with 2.34.
 */
#ifndef ZI_PIDFD_H
#define ZI_PIDFD_H

#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

static inline int zi_pidfd_open(int process)
{
    return (int)syscall(SYS_pidfd_open, process, 0);
}

static inline int zi_pidfd_signal(int handle, int number)
{
    return (int)syscall(SYS_pidfd_send_signal, handle, number, NULL, 0);
}

#endif
