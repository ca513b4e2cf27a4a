#if os(Linux)
    import LibsecretShims

    /// An object of libsecret or GLib, owned.
    final class SecretObject: Sendable {
        nonisolated(unsafe) let pointer: memo_object
        let library: memo_libsecret

        init(_ pointer: memo_object, of library: memo_libsecret) {
            self.pointer = pointer
            self.library = library
        }

        deinit {
            library.g_object_unref(pointer)
        }
    }
#endif
