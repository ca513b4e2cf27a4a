internal import Crypto
internal import OutboxCore

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// Keeps keys in a file that only its owner may read.
///
/// The file is `SMK1` and then, for each key, its id, its 32 bytes and a check value; the last is
/// the current one. A file that anybody else may read or write is refused.
public struct FileKeyStore: KeyStore {
    private static let magic: [UInt8] = Array("SMK1".utf8)
    private static let keyLength = 32
    private static let entryLength = 8 + keyLength + 4
    /// Room for a thousand rotations; a longer file is not a key file.
    private static let maximumLength = 64 * 1024

    private let path: String

    /// - Parameter path: The file; its folder must exist when the first key is made.
    public init(path: String) {
        self.path = path
    }

    public func keys(creating: Bool) throws(KeyStoreError) -> [SealingKey] {
        if let keys = try read() { return keys }
        guard creating else { throw .missing }
        try create(SealingKey.random())
        guard let keys = try read() else { throw .missing }
        return keys
    }

    /// `nil` when there is no file.
    private func read() throws(KeyStoreError) -> [SealingKey]? {
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
        guard length <= Self.maximumLength, length > Self.magic.count,
            (length - Self.magic.count) % Self.entryLength == 0
        else { throw .malformed }
        var bytes = [UInt8](repeating: 0, count: length)
        guard readFully(descriptor, into: &bytes) else { throw .unreadable(code: errno) }
        guard bytes.starts(with: Self.magic) else { throw .malformed }
        var keys: [SealingKey] = []
        for start in stride(from: Self.magic.count, to: length, by: Self.entryLength) {
            keys.append(try Self.decode(bytes[start..<start + Self.entryLength]))
        }
        return keys
    }

    /// Writes a temporary file, syncs it, and links it under its name, which fails when another
    /// process was first; that process's key then counts.
    private func create(_ key: SealingKey) throws(KeyStoreError) {
        let temporary = "\(path).\(getpid()).\(UInt32.random(in: 0 ... .max)).tmp"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .cannotCreate(code: errno) }
        defer {
            close(descriptor)
            unlink(temporary)
        }
        let bytes = Self.magic + Self.encode(key)
        guard writeFully(bytes, to: descriptor), fsync(descriptor) == 0 else {
            throw .cannotCreate(code: errno)
        }
        guard link(temporary, path) == 0 || errno == EEXIST else {
            throw .cannotCreate(code: errno)
        }
        guard syncFolder(of: path) else { throw .cannotCreate(code: errno) }
    }

    private static func encode(_ key: SealingKey) -> [UInt8] {
        var bytes: [UInt8] = []
        for shift in stride(from: 56, through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: key.id.rawValue >> UInt64(shift)))
        }
        key.key.withUnsafeBytes { bytes.append(contentsOf: $0) }
        return bytes + SHA256.hash(data: bytes).prefix(4)
    }

    private static func decode(_ entry: ArraySlice<UInt8>) throws(KeyStoreError) -> SealingKey {
        let content = entry.dropLast(4)
        guard SHA256.hash(data: content).prefix(4).elementsEqual(entry.suffix(4)) else {
            throw .malformed
        }
        let id = content.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return SealingKey(
            id: KeyID(rawValue: id), key: SymmetricKey(data: Array(content.dropFirst(8))))
    }
}
