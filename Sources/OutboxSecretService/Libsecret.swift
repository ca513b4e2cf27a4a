#if os(Linux)
    import LibsecretShims

    enum Libsecret {
        /// libsecret's functions, looked up once; `nil` on a machine without the library.
        static let functions: memo_libsecret? = {
            var functions = memo_libsecret()
            return memo_libsecret_load(&functions) != 0 ? functions : nil
        }()
    }

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
