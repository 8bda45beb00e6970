/* Gives a fuzzer the files named, and all files in the folders named: what libFuzzer does with them, in
 * ordinary builds. Fails if there are none. */
#include "fuzz.h"

#include <dirent.h>
#include <sys/stat.h>

static size_t replayed;

static void replay_file(const char *path)
{
    struct stat info;
    FILE *stream = fopen(path, "rb");
    if (!stream || fstat(fileno(stream), &info) != 0) {
        perror(path);
        exit(1);
    }
    const size_t size = (size_t)info.st_size;
    unsigned char *bytes = malloc(size ? size : 1);
    if (!bytes || fread(bytes, 1, size, stream) != size) {
        perror(path);
        exit(1);
    }
    fclose(stream);
    fprintf(stderr, "%s\n", path); /* the last one is what failed */
    LLVMFuzzerTestOneInput(bytes, size);
    free(bytes);
    replayed++;
}

static int is_shown(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static void replay_folder(const char *path)
{
    struct dirent **entry;
    const int count = scandir(path, &entry, is_shown, alphasort);
    for (int i = 0; i < count; i++) {
        char name[4096];
        snprintf(name, sizeof name, "%s/%s", path, entry[i]->d_name);
        replay_file(name);
        free(entry[i]);
    }
    if (count >= 0) {
        free(entry);
    }
}

int main(int argc, char **argv)
{
    struct stat info;
    LLVMFuzzerInitialize(&argc, &argv);
    for (int i = 1; i < argc; i++) {
        if (stat(argv[i], &info) == 0 && S_ISDIR(info.st_mode)) {
            replay_folder(argv[i]);
        } else {
            replay_file(argv[i]);
        }
    }
    printf("%zu inputs replayed\n", replayed);
    return replayed == 0;
}
