import LibC

/// The space on the relay's disk that new memos and codes may not use, so that there is room for
/// the fates of accepted memos and for the removal of their mails.
package struct DiskReserve: Sendable {
    /// The space of a file system, in bytes.
    struct Space: Hashable, Sendable {
        var free: Int64
        var total: Int64
    }

    /// Whether there is room for a new memo, as far as this can be told.
    let hasRoom: @Sendable () -> Bool

    /// A reserve of nothing.
    package static let none = DiskReserve(bytes: 0) { nil }

    /// - Parameters:
    ///   - bytes: The reserve; on a small file system, a twentieth of it where that is less.
    ///   - space: Reads the space; `nil` when it cannot be read: then there is room.
    init(bytes: Int64, space: @escaping @Sendable () -> Space?) {
        hasRoom = {
            guard let space = space() else { return true }
            return space.free >= min(bytes, space.total / 20)
        }
    }

    /// The space that this process may use, and all space.
    static func space(of folder: String) -> Space? {
        var system = statvfs()
        guard statvfs(folder, &system) == 0 else { return nil }
        let block = UInt64(system.f_frsize)
        return Space(
            free: Int64(clamping: UInt64(system.f_bavail) * block),
            total: Int64(clamping: UInt64(system.f_blocks) * block)
        )
    }
}
