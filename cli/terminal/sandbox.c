/* A filter for system calls (seccomp), in the language of the kernel's packet filters. The kernel runs it at
 * each call, also after exec, and no process can take its filter away. Processes are started by fork, vfork,
 * clone and clone3:
 *
 *   fork, vfork   fail with EPERM.
 *   clone         starts a thread if its flags have CLONE_THREAD, and fails with EPERM otherwise.
 *   clone3        fails with ENOSYS, since its flags are in memory, which a filter cannot read. The C library
 *                 then takes the kernel for an old one and calls clone.
 *
 * The numbers of system calls differ between processors. Calls in the manner of another processor (those of
 * 32-bit programs and of x32) all fail with EPERM. */
#include "terminal/sandbox.h"

#if defined __x86_64__ && defined __LP64__
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined __aarch64__ && defined __AARCH64EL__
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

#ifdef ARCHITECTURE

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

enum {
    CLONE3 = 435,     /* on every processor; the headers of older systems lack it */
    X32 = 0x40000000, /* the numbers from here on are those of x32; no other processor has so many */
};

/* Load a word of the call. The instruction behind IF is skipped if the condition does not hold, that behind
 * UNLESS if it does. */
#define LOAD(member) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, member))
#define IF(condition, value) BPF_JUMP(BPF_JMP | (condition) | BPF_K, (value), 0, 1)
#define UNLESS(condition, value) BPF_JUMP(BPF_JMP | (condition) | BPF_K, (value), 1, 0)
#define ALLOW BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define FAIL(error) BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (error))

/* The flags of clone are its first argument on both processors; CLONE_THREAD is in their lower half. */
static struct sock_filter filter[] = {
    LOAD(arch),
    UNLESS(BPF_JEQ, ARCHITECTURE),
    FAIL(EPERM),
    LOAD(nr),
    IF(BPF_JGE, X32),
    FAIL(EPERM),
#ifdef SYS_fork
    IF(BPF_JEQ, SYS_fork),
    FAIL(EPERM),
    IF(BPF_JEQ, SYS_vfork),
    FAIL(EPERM),
#endif
    IF(BPF_JEQ, CLONE3),
    FAIL(ENOSYS),
    UNLESS(BPF_JEQ, SYS_clone),
    ALLOW,
    LOAD(args[0]),
    UNLESS(BPF_JSET, CLONE_THREAD),
    FAIL(EPERM),
    ALLOW,
};

void sandbox_forbid_processes(void)
{
    const struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0) { /* without it only root may have a filter */
        (void)prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
    }
}

#else

void sandbox_forbid_processes(void)
{
}

#endif
