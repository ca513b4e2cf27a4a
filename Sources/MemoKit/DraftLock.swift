internal import Synchronization

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// Which drafts are being written right now, over all processes.
///
/// Each draft has a number and its composer locks the byte of that number in one file. The system
/// frees the byte when the composer dies, which is what makes its draft an interrupted one.
final class DraftLock: Sendable {
    private let descriptor: Int32

    /// - Throws: ``MemoError`` when the file can neither be opened nor made.
    init(folder: DataFolder) throws(MemoError) {
        descriptor = open(folder.draftLock, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw MemoError(folder: folder.path, errno: errno) }
    }

    deinit {
        close(descriptor)
    }

    /// Locks the byte of `number` for as long as this object lives.
    ///
    /// - Returns: `false` when another composer has it.
    func take(_ number: Int64) -> Bool {
        var range = flock()
        range.l_type = Int16(F_WRLCK)
        range.l_whence = Int16(SEEK_SET)
        range.l_start = off_t(number)
        range.l_len = 1
        while fcntl(descriptor, Self.setLock, &range) != 0 {
            guard errno == EINTR else { return false }
        }
        return true
    }

    #if canImport(Darwin)
        private static let setLock = F_SETLK
    #else
        /// `F_OFD_SETLK`: owned by the open file rather than by the process, so that two composers
        /// within one process exclude each other as well (fcntl(2)).
        private static let setLock: Int32 = 37
    #endif
}
