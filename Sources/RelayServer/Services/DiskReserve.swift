import LibC

/// The space on the relay's disk that new memos and codes may not use, so that there is room for
/// the fates of accepted memos and for the removal of their mails.
///
/// Space inside of the store's files that new rows use before the files grow counts as free, up to half
/// of the reserve: the other half must be free on the disk, for a database's log.
package struct DiskReserve: Sendable {
    /// The space of a file system, in bytes.
    struct Space: Hashable, Sendable {
        var free: Int64
        var total: Int64
    }

    /// Whether there is room for a new memo, as far as this can be told.
    let hasRoom: @Sendable () -> Bool

    /// A reserve of nothing.
    package static let none = DiskReserve(bytes: 0, space: { nil })

    /// - Parameters:
    ///   - bytes: The reserve; on a small file system, a twentieth of it where that is less.
    ///   - space: Reads the space; `nil` when it cannot be read: then there is room.
    ///   - reusable: Reads the space inside of the store's files that new rows use, in bytes. Called
    ///     only where the disk alone has too little.
    init(
        bytes: Int64,
        space: @escaping @Sendable () -> Space?,
        reusable: @escaping @Sendable () -> Int64 = { 0 }
    ) {
        hasRoom = {
            guard let space = space() else { return true }
            let reserve = min(bytes, space.total / 20)
            if space.free >= reserve { return true }
            return space.free >= reserve / 2 && space.free + reusable() >= reserve
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
