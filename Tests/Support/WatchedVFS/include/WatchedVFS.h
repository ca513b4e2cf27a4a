#ifndef WATCHED_VFS_H
#define WATCHED_VFS_H

#include <stdint.h>

/*
 * Sees, refuses or leaves out what SQLite asks of the files in some folders.
 *
 * A layer over SQLite's own VFS (https://sqlite.org/vfs.html), of which it becomes the default:
 * files outside the watched folders are not touched by it. Memory mapping of the database is left
 * out, so that every read passes.
 */

typedef enum {
    WATCHED_OPEN,
    /* After an opening that succeeded. */
    WATCHED_OPENED,
    WATCHED_CLOSE,
    WATCHED_READ,
    WATCHED_WRITE,
    WATCHED_TRUNCATE,
    WATCHED_SYNC,
    WATCHED_FILE_SIZE,
    WATCHED_LOCK,
    WATCHED_UNLOCK,
    WATCHED_DELETE,
    WATCHED_ACCESS,
    WATCHED_SHM_MAP,
    WATCHED_SHM_LOCK,
    /* SQLite syncs the folder that the file is in, so that its name is durable. */
    WATCHED_SYNC_FOLDER,
} watched_kind;

typedef struct {
    watched_kind kind;
    /* Names one opening of a file; 0 for operations on paths. */
    int32_t file;
    /* Absolute. */
    const char *path;
    /* Of reads and writes; the new length of a truncation. */
    int64_t offset;
    /* Of writes. */
    const void *bytes;
    int64_t count;
} watched_operation;

/* What becomes of an operation, beside an error code of SQLite that it is to fail with. */
enum {
    WATCHED_PASS = 0,
    /* It reports success and does nothing. For syncs only. */
    WATCHED_LEAVE_OUT = -1,
    /* It fails with SQLITE_IOERR and has done nothing. */
    WATCHED_REFUSE = -2,
};

/*
 * Called before each operation, on the thread that asks for it. Closing, unlocking and syncing of
 * a folder cannot be refused, nor what has happened. A write that is refused has written its first
 * half.
 */
typedef int (*watched_body)(void *context, const watched_operation *operation);

typedef struct watched_folder watched_folder;

/* The folder's path is absolute. NULL when SQLite cannot start or there is no memory. */
watched_folder *watched_folder_begin(const char *path, watched_body body, void *context);

/* Never calls the body again. No thread may be using the folder's files just now. */
void watched_folder_end(watched_folder *folder);

#endif
