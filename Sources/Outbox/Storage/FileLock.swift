import LibC

/// An advisory lock on a file, which the system frees when its holder dies.
///
/// Two locks on one path exclude each other within a process as well.
public final class FileLock: DrainClaim {
    private let descriptor: Int32

    /// Takes the lock without waiting.
    ///
    /// - Parameter path: Made, with mode 0600, if need be. Never removed: removing a lock file lets
    ///   two holders in.
    /// - Returns: `nil` when another holder has it.
    /// - Throws: ``StorageError``, when the file can neither be opened nor made.
    public init?(path: String) throws(StorageError) {
        let opened = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard opened >= 0 else {
            throw errno == EROFS || errno == EACCES ? .readOnly : .failed(code: errno)
        }
        while flock(opened, LOCK_EX | LOCK_NB) != 0 {
            let code = errno
            if code == EINTR { continue }
            close(opened)
            if code == EWOULDBLOCK { return nil }
            throw .failed(code: code)
        }
        descriptor = opened
    }

    deinit {
        unlockAndClose(descriptor)
    }
}

/// Gives up the `flock` of an open file, and closes it.
///
/// Closing alone would not do: a process that another thread is just starting has the same file
/// open until it runs its own program, and keeps the lock for so long.
func unlockAndClose(_ descriptor: Int32) {
    flock(descriptor, LOCK_UN)
    close(descriptor)
}
