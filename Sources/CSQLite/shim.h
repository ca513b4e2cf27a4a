#include <sqlite3.h>

/* sqlite3_db_config is variadic, which Swift cannot call. */
static inline int sqlite_disable_checkpoint_on_close(sqlite3 *database) {
    return sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}

/* Is variadic, too. */
static inline int sqlite_disable_memory_statistics(void) {
    return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}
