#if os(Linux)
    import LibC

    /// The D-Bus of the person's session, where a Secret Service answers if there is one.
    package enum SessionBus {
        /// Whether the environment names a session bus. A login by ssh, `cron` and a service of the
        /// system may have none. Asks no process, and starts no bus.
        package static var isNamed: Bool {
            let address = getenv("DBUS_SESSION_BUS_ADDRESS")
            if let address, address.pointee != 0 { return true }
            guard let folder = getenv("XDG_RUNTIME_DIR"), folder.pointee != 0 else { return false }
            var status = stat()
            return stat(String(cString: folder) + "/bus", &status) == 0
                && status.st_mode & S_IFMT == S_IFSOCK
        }
    }
#endif
