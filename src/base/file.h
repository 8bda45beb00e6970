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

/* zilch_TYPE_save() and zilch_TYPE_load(), from zilch_TYPE_pack() and zilch_TYPE_unpack(). */
#define ZI_DEFINE_FILES(type)                                                                       \
    static zilch_status pack_any(const void *object, void *buffer, size_t capacity, size_t *length) \
    {                                                                                               \
        return zilch_##type##_pack(object, buffer, capacity, length);                               \
    }                                                                                               \
    static zilch_status unpack_any(void *out, const void *buffer, size_t length)                    \
    {                                                                                               \
        return zilch_##type##_unpack(out, buffer, length);                                          \
    }                                                                                               \
    zilch_status zilch_##type##_save(const zilch_##type *object, const char *path)                  \
    {                                                                                               \
        return zi_file_save(path, pack_any, object);                                                \
    }                                                                                               \
    zilch_status zilch_##type##_load(zilch_##type **out, const char *path)                          \
    {                                                                                               \
        if (!out) {                                                                                 \
            return zi_fail(ZILCH_EARG, "load: no place for the " #type " given");                   \
        }                                                                                           \
        *out = NULL;                                                                                \
        return zi_file_load(path, unpack_any, out);                                                 \
    }

#endif
