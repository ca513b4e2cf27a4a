#ifndef MEMO_GIO_SHIMS_H
#define MEMO_GIO_SHIMS_H

// GLib's GIO, found while running instead of when linking: a machine without a desktop does not have
// it, and needs none of it. These are the functions that are used, of a stable C interface
// (libgio-2.0.so.0): https://docs.gtk.org/gio/

#include <stddef.h>

// GBusType.
enum {
    memo_gio_session_bus = 2,
};

// Each is the function of that name. A `void *` is an object of GLib; a `void **error` is a GError.
// Where GLib has a type of a GVariant, it is the type's text.
typedef struct {
    void *(*g_bus_get_sync)(int type, void *cancellable, void **error);
    void (*g_dbus_connection_set_exit_on_close)(void *connection, int exit);
    int (*g_dbus_connection_is_closed)(void *connection);
    void *(*g_dbus_connection_call_sync)(
        void *connection, const char *bus_name, const char *path, const char *interface,
        const char *method, void *parameters, const char *reply_type, int flags, int milliseconds,
        void *cancellable, void **error);
    unsigned (*g_dbus_connection_signal_subscribe)(
        void *connection, const char *sender, const char *interface, const char *member,
        const char *path, const char *argument, int flags,
        void (*callback)(
            void *connection, const char *sender, const char *path, const char *interface,
            const char *member, void *parameters, void *user_data),
        void *user_data, void (*release)(void *user_data));
    void (*g_dbus_connection_signal_unsubscribe)(void *connection, unsigned subscription);
    void *(*g_cancellable_new)(void);
    void (*g_cancellable_cancel)(void *cancellable);
    void *(*g_variant_parse)(
        const char *type, const char *text, const char *limit, const char **end, void **error);
    void *(*g_variant_ref)(void *variant);
    int (*g_variant_is_of_type)(void *variant, const char *type);
    size_t (*g_variant_n_children)(void *variant);
    void *(*g_variant_get_child_value)(void *variant, size_t index);
    unsigned (*g_variant_get_uint32)(void *variant);
    const char *(*g_variant_get_string)(void *variant, size_t *length);
    void (*g_variant_unref)(void *variant);
    void *(*g_main_context_new)(void);
    void (*g_main_context_push_thread_default)(void *context);
    void (*g_main_context_pop_thread_default)(void *context);
    int (*g_main_context_iteration)(void *context, int may_block);
    void (*g_main_context_unref)(void *context);
    void *(*g_timeout_source_new)(unsigned milliseconds);
    void (*g_source_set_callback)(
        void *source, int (*callback)(void *), void *data, void (*release)(void *));
    unsigned (*g_source_attach)(void *source, void *context);
    void (*g_source_destroy)(void *source);
    void (*g_source_unref)(void *source);
    void (*g_object_unref)(void *object);
    void (*g_error_free)(void *error);
} memo_gio;

/// Loads the library, and keeps it loaded. Fills `library`.
///
/// Returns 0 when the library, or one of the functions, is not on this machine.
int memo_gio_load(memo_gio *library);

#endif
