/* Whole files in, whole files out. */
#ifndef ZI_FILE_H
#define ZI_FILE_H

#include "base/status.h"

/* The bytes of a regular file in new memory (zi_free). */
zilch_status zi_file_read(const char *path, unsigned char **out, size_t *length);

/* What packs an object to bytes, as zilch_model_pack does, and what unpacks it. */
typedef zilch_status (*zi_packer)(const void *object, void *buffer, size_t capacity, size_t *length);
typedef zilch_status (*zi_unpacker)(void *out, const void *buffer, size_t length);

/* An object to a file and back. */
zilch_status zi_file_save(const char *path, zi_packer pack, const void *object);
zilch_status zi_file_load(const char *path, zi_unpacker unpack, void *out);

#endif
