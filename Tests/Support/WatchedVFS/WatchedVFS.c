#include "WatchedVFS.h"

#include <pthread.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct watched_folder {
    char *path; /* ends in a slash */
    watched_body body; /* NULL once ended */
    void *context;
    atomic_int users; /* who began it, and each open file */
    struct watched_folder *next;
};

typedef struct {
    sqlite3_file base;
    watched_folder *folder;
    char *path;
    int32_t number;
    sqlite3_file *file;
} watched_file;

typedef int (*open_directory)(const char *path, int *descriptor);

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static watched_folder *folders;
static sqlite3_vfs *system_vfs;
static sqlite3_vfs watching_vfs;
static open_directory system_open_directory;
static atomic_int_fast32_t openings;

static watched_folder *folder_of(const char *path) {
    if (path == NULL) return NULL;
    pthread_mutex_lock(&mutex);
    watched_folder *folder = folders;
    while (folder != NULL && strncmp(path, folder->path, strlen(folder->path)) != 0) {
        folder = folder->next;
    }
    pthread_mutex_unlock(&mutex);
    return folder;
}

static void release(watched_folder *folder) {
    if (atomic_fetch_sub(&folder->users, 1) > 1) return;
    free(folder->path);
    free(folder);
}

static int ask(watched_folder *folder, watched_operation operation) {
    if (folder->body == NULL) return WATCHED_PASS;
    return folder->body(folder->context, &operation);
}

static watched_file *watched(sqlite3_file *file) { return (watched_file *)file; }

static int ask_file(watched_file *file, watched_kind kind) {
    return ask(file->folder, (watched_operation){
        .kind = kind, .file = file->number, .path = file->path});
}

/* One open file. */

static int close_file(sqlite3_file *base) {
    watched_file *file = watched(base);
    ask_file(file, WATCHED_CLOSE);
    int code = file->file->pMethods->xClose(file->file);
    free(file->path);
    release(file->folder);
    return code;
}

static int read_file(sqlite3_file *base, void *bytes, int count, sqlite3_int64 offset) {
    watched_file *file = watched(base);
    int code = ask(file->folder, (watched_operation){
        .kind = WATCHED_READ, .file = file->number, .path = file->path, .offset = offset,
        .count = count});
    if (code != WATCHED_PASS) return code;
    return file->file->pMethods->xRead(file->file, bytes, count, offset);
}

static int write_file(sqlite3_file *base, const void *bytes, int count, sqlite3_int64 offset) {
    watched_file *file = watched(base);
    int code = ask(file->folder, (watched_operation){
        .kind = WATCHED_WRITE, .file = file->number, .path = file->path, .offset = offset,
        .bytes = bytes, .count = count});
    if (code == WATCHED_REFUSE) return SQLITE_IOERR;
    if (code != WATCHED_PASS) {
        file->file->pMethods->xWrite(file->file, bytes, count / 2, offset);
        return code;
    }
    return file->file->pMethods->xWrite(file->file, bytes, count, offset);
}

static int truncate_file(sqlite3_file *base, sqlite3_int64 size) {
    watched_file *file = watched(base);
    int code = ask(file->folder, (watched_operation){
        .kind = WATCHED_TRUNCATE, .file = file->number, .path = file->path, .offset = size});
    if (code != WATCHED_PASS) return code;
    return file->file->pMethods->xTruncate(file->file, size);
}

static int sync_file(sqlite3_file *base, int flags) {
    watched_file *file = watched(base);
    int code = ask_file(file, WATCHED_SYNC);
    if (code == WATCHED_LEAVE_OUT) return SQLITE_OK;
    if (code != WATCHED_PASS) return code;
    return file->file->pMethods->xSync(file->file, flags);
}

static int file_size(sqlite3_file *base, sqlite3_int64 *size) {
    int code = ask_file(watched(base), WATCHED_FILE_SIZE);
    if (code != WATCHED_PASS) return code;
    sqlite3_file *file = watched(base)->file;
    return file->pMethods->xFileSize(file, size);
}

static int lock_file(sqlite3_file *base, int level) {
    int code = ask_file(watched(base), WATCHED_LOCK);
    if (code != WATCHED_PASS) return code;
    sqlite3_file *file = watched(base)->file;
    return file->pMethods->xLock(file, level);
}

static int unlock_file(sqlite3_file *base, int level) {
    ask_file(watched(base), WATCHED_UNLOCK);
    sqlite3_file *file = watched(base)->file;
    return file->pMethods->xUnlock(file, level);
}

static int check_reserved_lock(sqlite3_file *base, int *result) {
    sqlite3_file *file = watched(base)->file;
    return file->pMethods->xCheckReservedLock(file, result);
}

static int control_file(sqlite3_file *base, int request, void *argument) {
    sqlite3_file *file = watched(base)->file;
    return file->pMethods->xFileControl(file, request, argument);
}

static int sector_size(sqlite3_file *base) {
    sqlite3_file *file = watched(base)->file;
    return file->pMethods->xSectorSize(file);
}

static int device_characteristics(sqlite3_file *base) {
    sqlite3_file *file = watched(base)->file;
    return file->pMethods->xDeviceCharacteristics(file);
}

static int map_shm(sqlite3_file *base, int page, int size, int extends, void volatile **memory) {
    int code = ask_file(watched(base), WATCHED_SHM_MAP);
    if (code != WATCHED_PASS) {
        *memory = NULL;
        return code;
    }
    sqlite3_file *file = watched(base)->file;
    return file->pMethods->xShmMap(file, page, size, extends, memory);
}

static int lock_shm(sqlite3_file *base, int offset, int count, int flags) {
    /* SQLite takes it for granted that it can unlock. */
    if (flags & SQLITE_SHM_LOCK) {
        int code = ask_file(watched(base), WATCHED_SHM_LOCK);
        if (code != WATCHED_PASS) return code;
    }
    sqlite3_file *file = watched(base)->file;
    return file->pMethods->xShmLock(file, offset, count, flags);
}

static void pass_shm_barrier(sqlite3_file *base) {
    sqlite3_file *file = watched(base)->file;
    file->pMethods->xShmBarrier(file);
}

static int unmap_shm(sqlite3_file *base, int deletes) {
    sqlite3_file *file = watched(base)->file;
    return file->pMethods->xShmUnmap(file, deletes);
}

/* Version 2: without memory mapping. */
static const sqlite3_io_methods methods = {
    .iVersion = 2,
    .xClose = close_file,
    .xRead = read_file,
    .xWrite = write_file,
    .xTruncate = truncate_file,
    .xSync = sync_file,
    .xFileSize = file_size,
    .xLock = lock_file,
    .xUnlock = unlock_file,
    .xCheckReservedLock = check_reserved_lock,
    .xFileControl = control_file,
    .xSectorSize = sector_size,
    .xDeviceCharacteristics = device_characteristics,
    .xShmMap = map_shm,
    .xShmLock = lock_shm,
    .xShmBarrier = pass_shm_barrier,
    .xShmUnmap = unmap_shm,
};

/* Files by path. */

static int open_file(
    sqlite3_vfs *vfs, const char *path, sqlite3_file *base, int flags, int *opened_flags
) {
    watched_folder *folder = folder_of(path);
    if (folder == NULL) {
        return system_vfs->xOpen(system_vfs, path, base, flags, opened_flags);
    }
    watched_file *file = watched(base);
    *file = (watched_file){
        .folder = folder, .path = strdup(path),
        .number = (int32_t)atomic_fetch_add(&openings, 1) + 1,
        .file = (sqlite3_file *)(file + 1)};
    if (file->path == NULL) return SQLITE_NOMEM;
    int code = ask_file(file, WATCHED_OPEN);
    if (code == WATCHED_PASS) {
        code = system_vfs->xOpen(system_vfs, path, file->file, flags, opened_flags);
        /* SQLite closes what has methods, also after a failure. */
        if (code != SQLITE_OK && file->file->pMethods != NULL) {
            file->file->pMethods->xClose(file->file);
        }
    }
    if (code != SQLITE_OK) {
        free(file->path);
        return code;
    }
    atomic_fetch_add(&folder->users, 1);
    ask_file(file, WATCHED_OPENED);
    base->pMethods = &methods;
    return SQLITE_OK;
}

static int delete_file(sqlite3_vfs *vfs, const char *path, int syncs_folder) {
    watched_folder *folder = folder_of(path);
    if (folder != NULL) {
        int code = ask(folder, (watched_operation){.kind = WATCHED_DELETE, .path = path});
        if (code != WATCHED_PASS) return code;
    }
    return system_vfs->xDelete(system_vfs, path, syncs_folder);
}

static int access_file(sqlite3_vfs *vfs, const char *path, int flags, int *result) {
    watched_folder *folder = folder_of(path);
    if (folder != NULL) {
        int code = ask(folder, (watched_operation){.kind = WATCHED_ACCESS, .path = path});
        if (code != WATCHED_PASS) return code;
    }
    return system_vfs->xAccess(system_vfs, path, flags, result);
}

static int watching_open_directory(const char *path, int *descriptor) {
    watched_folder *folder = folder_of(path);
    if (folder != NULL) {
        ask(folder, (watched_operation){.kind = WATCHED_SYNC_FOLDER, .path = path});
    }
    return system_open_directory(path, descriptor);
}

static bool install(void) {
    static bool is_installed;
    if (is_installed) return true;
    if (sqlite3_initialize() != SQLITE_OK) return false;
    system_vfs = sqlite3_vfs_find(NULL);
    if (system_vfs == NULL || system_vfs->iVersion < 3) return false;
    /* The only place where SQLite's VFS for unix opens a folder is to sync it. */
    system_open_directory =
        (open_directory)system_vfs->xGetSystemCall(system_vfs, "openDirectory");
    if (system_open_directory == NULL) return false;
    if (system_vfs->xSetSystemCall(
            system_vfs, "openDirectory", (sqlite3_syscall_ptr)watching_open_directory)
        != SQLITE_OK) {
        return false;
    }
    watching_vfs = *system_vfs;
    watching_vfs.zName = "watching";
    watching_vfs.szOsFile = (int)sizeof(watched_file) + system_vfs->szOsFile;
    watching_vfs.xOpen = open_file;
    watching_vfs.xDelete = delete_file;
    watching_vfs.xAccess = access_file;
    is_installed = sqlite3_vfs_register(&watching_vfs, 1) == SQLITE_OK;
    return is_installed;
}

watched_folder *watched_folder_begin(const char *path, watched_body body, void *context) {
    size_t length = strlen(path);
    watched_folder *folder = calloc(1, sizeof *folder);
    char *prefix = malloc(length + 2);
    if (folder == NULL || prefix == NULL) {
        free(folder);
        free(prefix);
        return NULL;
    }
    memcpy(prefix, path, length);
    memcpy(prefix + length, "/", 2);
    folder->path = prefix;
    folder->body = body;
    folder->context = context;
    atomic_init(&folder->users, 1);
    pthread_mutex_lock(&mutex);
    bool is_installed = install();
    if (is_installed) {
        folder->next = folders;
        folders = folder;
    }
    pthread_mutex_unlock(&mutex);
    if (is_installed) return folder;
    free(prefix);
    free(folder);
    return NULL;
}

void watched_folder_end(watched_folder *folder) {
    pthread_mutex_lock(&mutex);
    watched_folder **place = &folders;
    while (*place != folder) place = &(*place)->next;
    *place = folder->next;
    pthread_mutex_unlock(&mutex);
    folder->body = NULL;
    release(folder);
}
