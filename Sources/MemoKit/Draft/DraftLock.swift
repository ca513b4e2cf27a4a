import LibC
import Synchronization

/// The locks of the drafts that running processes are writing.
///
/// Each draft has a number, and its composer locks the byte of that number in one file. The system
/// unlocks the byte when the composer ends: its draft is then an interrupted one.
final class DraftLock: Sendable {
    private let descriptor: Int32

    /// - Throws: ``MemoError`` when the file can neither be opened nor made.
    init(folder: DataFolder) throws(MemoError) {
        descriptor = open(folder.draftLock, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw MemoError(folder: folder.path, errno: errno) }
    }

    deinit {
        // A process that another thread is just starting has the same file open until it runs its
        // own program, which would keep the locks.
        var all = Self.range(F_UNLCK, from: 0, length: 0)
        _ = fcntl(descriptor, Self.setLock, &all)
        close(descriptor)
    }

    /// Locks the byte of `number` for as long as this object lives.
    ///
    /// - Returns: `false` when another composer has it.
    func take(_ number: Int64) -> Bool {
        var range = Self.range(F_WRLCK, from: number, length: 1)
        while fcntl(descriptor, Self.setLock, &range) != 0 {
            guard errno == EINTR else { return false }
        }
        return true
    }

    /// - Parameter length: 0 reaches to the end.
    private static func range(_ type: Int32, from start: Int64, length: Int64) -> flock {
        var range = flock()
        range.l_type = Int16(type)
        range.l_whence = Int16(SEEK_SET)
        range.l_start = off_t(start)
        range.l_len = off_t(length)
        return range
    }

    #if canImport(Darwin)
        private static let setLock = F_SETLK
    #else
        /// `F_OFD_SETLK`: owned by the open file rather than by the process, so that two composers
        /// within one process exclude each other as well (fcntl(2)).
        private static let setLock: Int32 = 37
    #endif
}
