/* Another process of this program that shows a study while this one searches. */
#ifndef BESIDE_H
#define BESIDE_H

#include <sys/types.h>

/* 'zilch serve', which says on stderr where it is found, and ends with this process at the latest. 0: it
 * could not be started, which was said; a search goes on without it. */
pid_t beside_begin(const char *study);

/* It tells what there is to tell, and ends. */
void beside_end(pid_t server);

#endif
