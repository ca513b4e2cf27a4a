import LibC
import Outbox

/// A small file that names the keyring and the item of a data folder's key. Where there is a key
/// file as well, the key file counts.
struct KeyMarker: Hashable {
    /// More than the length of any marker, in bytes; a longer file is not a marker.
    private static let maximumLength = 256

    let home: KeyHome
    /// The name of the folder's item in the keyring: random, so that it stays when the folder
    /// moves.
    let item: String

    /// Makes a marker with the name of a new item.
    init() {
        home = .keyring
        item = String(UInt64.random(in: 1 << 60 ... .max), radix: 16)
    }

    /// - Returns: `nil` when there is no marker.
    /// - Throws: ``KeyStoreError``.
    init?(in folder: DataFolder) throws(KeyStoreError) {
        let descriptor = open(folder.keyMarker, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw .unreadable(code: errno)
        }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: Self.maximumLength)
        let count = read(descriptor, &bytes, bytes.count)
        guard count >= 0 else { throw .unreadable(code: errno) }
        let words = String(decoding: bytes[..<count], as: UTF8.self).split(whereSeparator: {
            $0 == " " || $0 == "\n"
        })
        guard words.count == 2, let home = KeyHome(rawValue: String(words[0])), home == .keyring
        else { throw .malformed }
        self.home = home
        item = String(words[1])
    }

    /// Stores the marker durably, in place of any present marker.
    func write(in folder: DataFolder) throws(KeyStoreError) {
        let file = KeyFile(path: folder.keyMarker)
        try file.replace(with: Array("\(home.rawValue) \(item)\n".utf8))
    }

    static func remove(in folder: DataFolder) throws(KeyStoreError) {
        try KeyFile(path: folder.keyMarker).remove()
    }
}

extension DataFolder {
    var keyMarker: String { path + "/key-place" }

    /// The key file, or the marker that names the keyring's item.
    var keyLocation: String { keyHome == KeyHome.keyring ? keyMarker : key }

    /// The key's place; `nil` before there is a key, and when the marker cannot be read.
    public var keyHome: KeyHome? {
        var status = stat()
        if lstat(key, &status) == 0 { return .file }
        return (try? KeyMarker(in: self))?.home
    }
}
