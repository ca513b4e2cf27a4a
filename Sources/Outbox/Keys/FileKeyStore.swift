import DurableFiles
import LibC
public import OutboxCore

/// A key store in a file that only its owner may read.
///
/// The store refuses a file that another user may read or write, and a file behind a symbolic link.
/// It locks two empty files beside the key file: `PATH-lock` while keys change and `PATH-use` while
/// keys are in use.
public struct FileKeyStore: KeyStore {
    private let store: KeyRingStore<KeyFile>

    /// - Parameter path: The path of the key file. Its folder must exist when the first key is
    ///   made.
    public init(path: String) {
        store = KeyRingStore(place: KeyFile(path: path), locks: KeyLocks(prefix: path))
    }

    public func keys(creating: Bool) throws(KeyStoreError) -> [SealingKey] {
        try store.keys(creating: creating)
    }

    public func addKey() throws(KeyStoreError) -> KeyID {
        try store.addKey()
    }

    public func retireKeys(needed: () throws -> Set<KeyID>) throws -> Set<KeyID>? {
        try store.retireKeys(needed: needed)
    }
}

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

    /// Links a whole, synced file under the path; the link fails if the path exists. On a file
    /// system without hard links renames it: only one process changes the keys at a time.
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

    /// Only one process changes the key file at a time: a file of this name was left behind by a
    /// process that died.
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
