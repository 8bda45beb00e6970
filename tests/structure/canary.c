/* Two deliberate faults, to see that a sanitizer build notices: a read past a heap
 * block, and a signed overflow. Each is reached through what the compiler cannot see. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int heap_overflow(size_t count)
{
    int *block = calloc(count, sizeof *block);
    if (!block) {
        return 0;
    }
    const int *volatile seen = block; /* now of unknown size */
    const int past = seen[count];
    free(block);
    return past;
}

static int signed_overflow(int step)
{
    volatile int top = INT_MAX;
    return top + step;
}

int main(int argc, char **argv)
{
    int result = 0;
    if (argc == 2 && strcmp(argv[1], "heap") == 0) {
        result = heap_overflow((size_t)argc);
    } else if (argc == 2 && strcmp(argv[1], "signed") == 0) {
        result = signed_overflow(argc);
    }
    printf("survived with %d\n", result);
    return 0;
}
