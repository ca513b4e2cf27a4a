#ifndef MEMO_LIBSECRET_SHIMS_H
#define MEMO_LIBSECRET_SHIMS_H

// libsecret, found while running instead of when linking: a machine without a desktop does not have
// it, and needs none of it. These are the functions that are used, of a stable C interface
// (libsecret-1.so.0): https://gnome.pages.gitlab.gnome.org/libsecret/

#include <stddef.h>

typedef void *memo_object;
typedef struct memo_list {
    memo_object data;
    struct memo_list *next;
    struct memo_list *previous;
} memo_list;

// GBusType, SecretServiceFlags and SecretSearchFlags.
enum {
    memo_bus_session = 2,
    memo_service_open_session = 1 << 1,
    memo_service_load_collections = 1 << 2,
    memo_search_all = 1 << 1,
};

// Each is the function of that name. Where one takes a `memo_object *error`, it is a GError.
typedef struct {
    size_t (*secret_service_get_type)(void);
    memo_object (*secret_service_open_sync)(
        size_t type, const char *bus_name, int flags, memo_object cancellable, memo_object *error);
    memo_list *(*secret_service_get_collections)(memo_object service);
    memo_list *(*secret_service_search_sync)(
        memo_object service, const void *schema, memo_object attributes, int flags,
        memo_object cancellable, memo_object *error);
    int (*secret_service_unlock_sync)(
        memo_object service, memo_list *objects, memo_object cancellable, memo_list **unlocked,
        memo_object *error);
    int (*secret_service_store_sync)(
        memo_object service, const void *schema, memo_object attributes, const char *collection,
        const char *label, memo_object value, memo_object cancellable, memo_object *error);
    int (*secret_collection_get_locked)(memo_object collection);
    memo_object (*secret_collection_for_alias_sync)(
        memo_object service, const char *alias, int flags, memo_object cancellable,
        memo_object *error);
    int (*secret_item_get_locked)(memo_object item);
    int (*secret_item_load_secret_sync)(
        memo_object item, memo_object cancellable, memo_object *error);
    memo_object (*secret_item_get_secret)(memo_object item);
    int (*secret_item_delete_sync)(memo_object item, memo_object cancellable, memo_object *error);
    memo_object (*secret_value_new)(const char *bytes, ptrdiff_t length, const char *content_type);
    const char *(*secret_value_get)(memo_object value, size_t *length);
    void (*secret_value_unref)(memo_object value);
    memo_object (*g_bus_get_sync)(int type, memo_object cancellable, memo_object *error);
    void (*g_dbus_connection_set_exit_on_close)(memo_object connection, int exit);
    memo_object (*g_cancellable_new)(void);
    void (*g_cancellable_cancel)(memo_object cancellable);
    int (*g_cancellable_is_cancelled)(memo_object cancellable);
    unsigned (*g_str_hash)(const void *text);
    int (*g_str_equal)(const void *one, const void *other);
    memo_object (*g_hash_table_new)(
        unsigned (*hash)(const void *), int (*equal)(const void *, const void *));
    int (*g_hash_table_insert)(memo_object table, void *key, void *value);
    void (*g_hash_table_unref)(memo_object table);
    void (*g_object_unref)(memo_object object);
    void (*g_list_free)(memo_list *list);
    void (*g_error_free)(memo_object error);
} memo_libsecret;

/// Loads the library, and keeps it loaded. Fills `library`.
///
/// Returns 0 when the library, or one of the functions, is not on this machine.
int memo_libsecret_load(memo_libsecret *library);

#endif
