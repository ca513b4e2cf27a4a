#include "GIOShims.h"

#include <dlfcn.h>

#define LOAD(function) \
    (*(void **)&library->function = dlsym(handle, #function), library->function != NULL)

int memo_gio_load(memo_gio *library) {
    void *handle = dlopen("libgio-2.0.so.0", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (handle == NULL) return 0;
    // dlsym finds what the libraries behind this one export as well: GLib and GObject.
    return LOAD(g_bus_get_sync)
        && LOAD(g_dbus_connection_set_exit_on_close)
        && LOAD(g_dbus_connection_is_closed)
        && LOAD(g_dbus_connection_call_sync)
        && LOAD(g_dbus_connection_signal_subscribe)
        && LOAD(g_dbus_connection_signal_unsubscribe)
        && LOAD(g_cancellable_new)
        && LOAD(g_cancellable_cancel)
        && LOAD(g_variant_parse)
        && LOAD(g_variant_ref)
        && LOAD(g_variant_is_of_type)
        && LOAD(g_variant_n_children)
        && LOAD(g_variant_get_child_value)
        && LOAD(g_variant_get_uint32)
        && LOAD(g_variant_get_string)
        && LOAD(g_variant_unref)
        && LOAD(g_main_context_new)
        && LOAD(g_main_context_push_thread_default)
        && LOAD(g_main_context_pop_thread_default)
        && LOAD(g_main_context_iteration)
        && LOAD(g_main_context_unref)
        && LOAD(g_timeout_source_new)
        && LOAD(g_source_set_callback)
        && LOAD(g_source_attach)
        && LOAD(g_source_destroy)
        && LOAD(g_source_unref)
        && LOAD(g_object_unref)
        && LOAD(g_error_free);
}
