/* What a command without MPI does when it is one of several: the beginning of main(). */
#include "run/ranks.h"

#include <stdio.h>

int main(void)
{
    const int status = ranks_begin();
    if (status < 0) {
        puts("runs");
    }
    return status < 0 ? 0 : status;
}
