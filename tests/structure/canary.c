/* Deliberate faults, to see that whoever watches notices: a read past a heap block, a signed overflow, a
 * decision by memory that was never written, and two threads that write the same variable. Each is reached
 * through what the compiler cannot see. */
#include <limits.h>
#include <pthread.h>
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

static int uninitialised(size_t count)
{
    int *block = malloc(count * sizeof *block);
    const int *volatile seen = block;
    const int result = block && seen[count / 2] == 7 ? 1 : 2;
    free(block);
    return result;
}

static int shared;

static void *add(void *unused)
{
    for (int i = 0; i < 1000; i++) {
        shared++;
    }
    return unused;
}

static int race(void)
{
    pthread_t other;
    if (pthread_create(&other, NULL, add, NULL) != 0) {
        return 0;
    }
    add(NULL);
    pthread_join(other, NULL);
    return shared;
}

int main(int argc, char **argv)
{
    const char *fault = argc == 2 ? argv[1] : "none";
    int result = 0;
    if (strcmp(fault, "heap") == 0) {
        result = heap_overflow((size_t)argc);
    } else if (strcmp(fault, "signed") == 0) {
        result = signed_overflow(argc);
    } else if (strcmp(fault, "uninitialised") == 0) {
        result = uninitialised((size_t)argc);
    } else if (strcmp(fault, "race") == 0) {
        result = race();
    }
    printf("survived with %d\n", result);
    return 0;
}
