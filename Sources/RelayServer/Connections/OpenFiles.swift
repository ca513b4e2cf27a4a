import LibC

/// The limit of this process on open files, sockets included.
enum OpenFiles {
    /// The open files besides connections: the database, its log and index, mails in delivery, the
    /// event loops' own (three for each processor), and connections that are accepted while others
    /// close.
    static var reserve: Int { 64 + 4 * max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }

    /// The number of connections that the limit has room for.
    ///
    /// - Parameter maximum: The most connections, whatever the limit.
    static func connections(atMost maximum: Int) -> Int {
        max(1, min(maximum, limits.map { Int(clamping: $0.rlim_cur) - reserve } ?? maximum))
    }

    /// Raises the soft limit, as far as the hard limit lets it, so that there is room for as many
    /// connections. Never lowers it. A system that refuses leaves the limit as it is.
    static func makeRoom(forConnections count: Int) {
        guard var limits else { return }
        let wanted = min(limits.rlim_max, rlim_t(clamping: count + reserve))
        guard wanted > limits.rlim_cur else { return }
        limits.rlim_cur = wanted
        #if canImport(Glibc)
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits)
        #else
            setrlimit(RLIMIT_NOFILE, &limits)
        #endif
    }

    private static var limits: rlimit? {
        var limits = rlimit()
        #if canImport(Glibc)
            let result = getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits)
        #else
            let result = getrlimit(RLIMIT_NOFILE, &limits)
        #endif
        return result == 0 ? limits : nil
    }
}
