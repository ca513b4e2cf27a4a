#if os(Linux)
    import LibsecretShims

    enum Libsecret {
        /// libsecret's functions, looked up once; `nil` on a machine without the library.
        static let functions: memo_libsecret? = {
            var functions = memo_libsecret()
            return memo_libsecret_load(&functions) != 0 ? functions : nil
        }()
    }
#endif
