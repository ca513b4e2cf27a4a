import DurableFiles
import LibC

extension ServiceFiles.Entry {
    /// The state of an entry on the disk.
    enum State: Hashable, Sendable {
        case missing
        /// As this version writes it.
        case current
        /// Of an installation, with another content.
        case outdated
        /// Not of an installation.
        case foreign
    }

    /// The most bytes that are read of a file: more than any version writes.
    private static var limit: Int { 65536 }

    /// - Throws: ``ServiceError/failed(_:code:)``.
    func state() throws(ServiceError) -> State {
        var status = stat()
        guard lstat(path, &status) == 0 else {
            if errno == ENOENT || errno == ENOTDIR { return .missing }
            throw .failed(path, code: errno)
        }
        let found: Content
        switch status.st_mode & S_IFMT {
        // No link is followed in place of a file: one to /dev/null is how a person forbids a unit.
        case S_IFLNK: found = .link(try destination())
        case S_IFREG where status.st_size <= Self.limit: found = .text(try text())
        default: return .foreign
        }
        if found == content { return .current }
        return isOurs(found) ? .outdated : .foreign
    }

    private func destination() throws(ServiceError) -> String {
        let bytes = [UInt8](unsafeUninitializedCapacity: Int(PATH_MAX)) { buffer, count in
            let length = buffer.withMemoryRebound(to: CChar.self) {
                readlink(path, $0.baseAddress!, $0.count)
            }
            count = max(0, length)
        }
        guard !bytes.isEmpty else { throw .failed(path, code: errno) }
        return String(decoding: bytes, as: UTF8.self)
    }

    private func text() throws(ServiceError) -> String {
        let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw .failed(path, code: errno) }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: Self.limit)
        let count = read(descriptor, &bytes, bytes.count)
        guard count >= 0 else { throw .failed(path, code: errno) }
        return String(decoding: bytes[..<count], as: UTF8.self)
    }

    /// Writes the entry in place of that of an earlier installation, and the folders above it that
    /// are missing. A reader finds the former entry or the new one.
    ///
    /// - Throws: ``ServiceError/failed(_:code:)``.
    func write() throws(ServiceError) {
        try makeFolders()
        let slash = path.lastIndex(of: "/") ?? path.startIndex
        let new = "\(path[...slash]).\(path[path.index(after: slash)...]).memo-new"
        unlink(new)
        let isWritten =
            switch content {
            case .text(let text): Self.write(text, to: new)
            case .link(let destination): symlink(destination, new) == 0
            }
        guard isWritten, rename(new, path) == 0, syncFolder(of: path) else {
            let code = errno
            unlink(new)
            throw .failed(path, code: code)
        }
    }

    /// Removes the entry. One that is not there is not an error.
    ///
    /// - Throws: ``ServiceError/failed(_:code:)``.
    func remove() throws(ServiceError) {
        guard unlink(path) == 0 || errno == ENOENT else { throw .failed(path, code: errno) }
    }

    private func makeFolders() throws(ServiceError) {
        var folder = ""
        for part in path.split(separator: "/").dropLast() {
            folder += "/" + part
            guard mkdir(folder, 0o755) != 0, errno != EEXIST else { continue }
            let code = errno
            // A file system that cannot be written may say so of a folder that is there.
            guard access(folder, X_OK) == 0 else { throw .failed(folder, code: code) }
        }
    }

    private static func write(_ text: String, to path: String) -> Bool {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { return false }
        let isWritten = writeFully(Array(text.utf8), to: descriptor) && fsync(descriptor) == 0
        let code = errno
        close(descriptor)
        errno = code
        return isWritten
    }
}
