/* A folder of our own inside a folder that others may write to, for files that are not finished yet. Nobody
 * else can put a file, or a link to a file of ours, in their place. Functions that return int give 0, or 1
 * after printing why. */
#ifndef PRIVATE_FOLDER_H
#define PRIVATE_FOLDER_H

#include "zilch.h"

enum { PRIVATE_FOLDER_NAME_SIZE = 64 };

typedef struct private_folder {
    const char *path;    /* of the folder around it, which messages name */
    int outside, inside; /* both folders, open; -1: not there */
    char name[PRIVATE_FOLDER_NAME_SIZE];
} private_folder;

/* In the folder `path`, which exists. */
int private_folder_make(private_folder *p, const char *path);

/* A new file there. The writer need not look for errors of the stream. */
int private_folder_write(const private_folder *p, const char *name, zilch_file_writer write, void *context);

/* Moves all files to the folder around it, each at once and whole. Whatever has the same name there is
 * replaced: a link is not followed. A folder is not replaced, which is a failure. */
int private_folder_publish(const private_folder *p);

/* Removes it, with all that is still in it. */
void private_folder_remove(private_folder *p);

#endif
