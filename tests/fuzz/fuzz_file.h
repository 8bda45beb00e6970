/* A file for those who read files: of this process, in memory where there is a file system for that. */
#ifndef ZILCH_FUZZ_FILE_H
#define ZILCH_FUZZ_FILE_H

#include "fuzz.h"

#include <unistd.h>

enum { FUZZ_PATH_SIZE = 64 };

static inline const char *fuzz_path(void)
{
    static char path[FUZZ_PATH_SIZE];
    const char *folder = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    snprintf(path, sizeof path, "%s/zilch-fuzz-%ld", folder, (long)getpid());
    return path;
}

static inline void fuzz_remove(void)
{
    remove(fuzz_path());
}

/* The bytes as a file; its path. */
static inline const char *fuzz_file(const uint8_t *data, size_t size)
{
    static int is_known;
    FILE *stream = fopen(fuzz_path(), "wb");
    if (!is_known) {
        is_known = !atexit(fuzz_remove);
    }
    MUST(stream && fwrite(data, 1, size, stream) == size && fclose(stream) == 0);
    return fuzz_path();
}

#endif
