import DurableFiles
import LibC

/// A key ring in a file of mode 0600.
package struct KeyFile: RemovableKeyPlace {
    private let path: String

    package init(path: String) {
        self.path = path
    }

    package func read() throws(KeyStoreError) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw .unreadable(code: errno)
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .unreadable(code: errno) }
        guard status.st_mode & 0o077 == 0, status.st_uid == geteuid() else {
            throw .permissionsTooWide
        }
        let length = Int(status.st_size)
        guard length <= KeyRing.maximumLength else { throw .malformed }
        var bytes = [UInt8](repeating: 0, count: length)
        guard readFully(descriptor, into: &bytes) else { throw .unreadable(code: errno) }
        return bytes
    }

    /// Links a whole, synced file under the name, which fails when there is one already. On a file
    /// system without hard links the file is renamed: only one process changes it at a time.
    package func add(_ bytes: [UInt8]) throws(KeyStoreError) -> Bool {
        try write(bytes)
        defer { unlink(temporary) }
        if link(temporary, path) != 0 {
            let code = errno
            if code == EEXIST { return false }
            // https://man7.org/linux/man-pages/man2/link.2.html, EPERM; FUSE says ENOSYS.
            guard [EPERM, ENOSYS, ENOTSUP].contains(code) else { throw .cannotCreate(code: code) }
            var status = stat()
            if lstat(path, &status) == 0 { return false }
            guard rename(temporary, path) == 0 else { throw .cannotCreate(code: errno) }
        }
        guard syncFolder(of: path) else { throw .cannotCreate(code: errno) }
        return true
    }

    package func replace(with bytes: [UInt8]) throws(KeyStoreError) {
        try write(bytes)
        guard rename(temporary, path) == 0 else {
            let code = errno
            unlink(temporary)
            throw .cannotCreate(code: code)
        }
        guard syncFolder(of: path) else { throw .cannotCreate(code: errno) }
    }

    package func remove() throws(KeyStoreError) {
        unlink(temporary)
        guard unlink(path) == 0 || errno == ENOENT, syncFolder(of: path) else {
            throw .cannotCreate(code: errno)
        }
    }

    /// Only one process changes the file at a time: what is there under this name was left behind
    /// by one that died.
    private var temporary: String { path + ".new" }

    /// Writes the temporary file, durable but for its name.
    private func write(_ bytes: [UInt8]) throws(KeyStoreError) {
        unlink(temporary)
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .cannotCreate(code: errno) }
        defer { close(descriptor) }
        guard writeFully(bytes, to: descriptor), fsync(descriptor) == 0 else {
            let code = errno
            unlink(temporary)
            throw .cannotCreate(code: code)
        }
    }
}
