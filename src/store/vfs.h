/* What SQLite may do on the disk for one connection to a study. A study may come from anybody, and so may the
 * files beside it: nothing in them decides which files are opened, written or deleted. */
#ifndef ZI_VFS_H
#define ZI_VFS_H

#include <sqlite3.h>

#include <stddef.h>
#include <sys/types.h>

enum { ZI_PATH_SIZE = 600, ZI_REFUSAL_SIZE = 256 }; /* SQLite takes no path of more than 512 */

typedef struct zi_vfs {
    sqlite3_vfs vfs;     /* what SQLite calls; it is the first field, so that the two have one address */
    sqlite3_vfs *system; /* SQLite's own, which does the work */
    char name[32];
    int is_reader;  /* nothing on the disk is changed */
    int is_private; /* the index of the write-ahead log is in memory, as there is none on the disk */
    dev_t device;   /* of the study that was opened, */
    ino_t inode;
    uid_t owner;
    char path[ZI_PATH_SIZE];       /* and its whole path; "" before */
    char refusal[ZI_REFUSAL_SIZE]; /* why a file was refused; "": none was */
} zi_vfs;

/* Makes it known to SQLite under vfs->name, until zi_vfs_withdraw(). Connections that were opened in between
 * keep it: it must live as long as they do. */
int zi_vfs_offer(zi_vfs *vfs, int is_reader);
void zi_vfs_withdraw(zi_vfs *vfs);

/* Whether the study that was opened is no longer at its path: another file is there, or none. */
int zi_vfs_is_moved(const zi_vfs *vfs);

#endif
