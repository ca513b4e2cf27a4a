#include "LibsecretShims.h"

#include <dlfcn.h>

#define LOAD(function) \
    (*(void **)&library->function = dlsym(handle, #function), library->function != NULL)

int memo_libsecret_load(memo_libsecret *library) {
    void *handle = dlopen("libsecret-1.so.0", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (handle == NULL) return 0;
    // dlsym finds what the libraries behind this one export as well: GLib, GObject and GIO.
    return LOAD(secret_service_get_type)
        && LOAD(secret_service_open_sync)
        && LOAD(secret_service_get_collections)
        && LOAD(secret_service_search_sync)
        && LOAD(secret_service_unlock_sync)
        && LOAD(secret_service_store_sync)
        && LOAD(secret_collection_get_locked)
        && LOAD(secret_collection_for_alias_sync)
        && LOAD(secret_item_get_locked)
        && LOAD(secret_item_load_secret_sync)
        && LOAD(secret_item_get_secret)
        && LOAD(secret_item_delete_sync)
        && LOAD(secret_value_new)
        && LOAD(secret_value_get)
        && LOAD(secret_value_unref)
        && LOAD(g_bus_get_sync)
        && LOAD(g_dbus_connection_set_exit_on_close)
        && LOAD(g_cancellable_new)
        && LOAD(g_cancellable_cancel)
        && LOAD(g_cancellable_is_cancelled)
        && LOAD(g_str_hash)
        && LOAD(g_str_equal)
        && LOAD(g_hash_table_new)
        && LOAD(g_hash_table_insert)
        && LOAD(g_hash_table_unref)
        && LOAD(g_object_unref)
        && LOAD(g_list_free)
        && LOAD(g_error_free);
}
