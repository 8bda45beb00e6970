/* A cgroup for each program, so that the kernel ends everything in it at once. */
#ifndef ZI_CGROUP_H
#define ZI_CGROUP_H

/* A leaf below the cgroup of this process. */
typedef struct zi_cgroup {
    int folder;    /* a descriptor of it; -1: there is none, and all calls below do without */
    char name[32]; /* "zilch.PID.NUMBER", in the folder above */
} zi_cgroup;

static const zi_cgroup zi_no_cgroup = {.folder = -1};

/* A new one; zi_no_cgroup where this process may not make any, or the kernel cannot end one. */
zi_cgroup zi_cgroup_make(void);

/* These three make only system calls. */
int zi_cgroup_fork(const zi_cgroup *cgroup);  /* fork(), with the child inside */
void zi_cgroup_kill(const zi_cgroup *cgroup); /* everybody inside; those that are forked meanwhile too */
int zi_cgroup_end(const zi_cgroup *cgroup);   /* kills, waits a moment, removes; who is left, or 0: nobody */

void zi_cgroup_close(zi_cgroup *cgroup);

/* For tests: from now on, zi_cgroup_make() makes none, or makes them again. */
void zi_cgroup_forbid(int is_forbidden);

#endif
