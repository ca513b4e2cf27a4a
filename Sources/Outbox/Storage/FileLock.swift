import LibC

/// An advisory lock on a file. The system releases the lock when its holder dies.
///
/// Two locks on one path exclude each other within a process as well.
public final class FileLock: DrainClaim {
    private let descriptor: Int32

    /// Takes the lock without waiting.
    ///
    /// - Parameter path: The file, which is created with mode 0600 if it is missing. Never remove
    ///   the file: without it, two holders can have the lock.
    /// - Returns: `nil` when another holder has the lock.
    /// - Throws: ``StorageError`` when the file can neither be opened nor created.
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

/// Releases the `flock` of an open file, and closes the file.
///
/// Closing alone is not enough: a process that another thread is starting has the same file open
/// until it runs its own program, and keeps the lock until then.
func unlockAndClose(_ descriptor: Int32) {
    flock(descriptor, LOCK_UN)
    close(descriptor)
}
