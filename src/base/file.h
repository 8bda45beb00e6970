/* Whole files in, whole files out. */
#ifndef ZI_FILE_H
#define ZI_FILE_H

#include "base/status.h"

/* The bytes of a regular file in new memory (zi_free). */
zilch_status zi_file_read(const char *path, unsigned char **out, size_t *length);

#endif
