import LibC

/// Fills `bytes` from `descriptor`, however the system splits the reads.
///
/// - Returns: `false` on failure: `errno` gives the cause, or the file ends too early.
package func readFully(_ descriptor: Int32, into bytes: inout [UInt8]) -> Bool {
    var filled = 0
    while filled < bytes.count {
        let count = bytes.withUnsafeMutableBytes {
            read(descriptor, $0.baseAddress! + filled, $0.count - filled)
        }
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return false }
        filled += count
    }
    return true
}

/// Writes all of `bytes`, however the system splits the writes.
///
/// - Returns: `false` on failure; `errno` gives the cause.
package func writeFully(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Bool {
    var written = 0
    while written < bytes.count {
        let count = write(descriptor, bytes.baseAddress! + written, bytes.count - written)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return false }
        written += count
    }
    return true
}

/// Writes all of `bytes` from an array, however the system splits the writes.
package func writeFully(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
    bytes.withUnsafeBytes { writeFully($0, to: descriptor) }
}

/// Syncs the folder of `path`, so that the folder's entry for `path` survives a power cut. Syncing
/// the file alone does not guarantee this.
///
/// - Returns: `false` on failure; `errno` gives the cause.
package func syncFolder(of path: String) -> Bool {
    let folder = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) }
    let descriptor = open(folder ?? ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    return fsync(descriptor) == 0
}

/// The whole content of a regular file, read at once.
package struct FileContent: Sendable {
    package let bytes: [UInt8]
    /// Whether others than the file's owner may read or write it.
    package let isOpenToOthers: Bool

    /// Reads a file without waiting, whatever the path leads to.
    ///
    /// - Returns: `nil` for what cannot be read, is no regular file, or is longer than `limit`.
    package init?(path: String, limit: Int) {
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            status.st_size <= limit
        else { return nil }
        var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
        guard readFully(descriptor, into: &bytes) else { return nil }
        self.bytes = bytes
        isOpenToOthers = status.st_mode & 0o077 != 0
    }
}
