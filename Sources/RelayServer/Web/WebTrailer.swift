import Crypto
import OutboxCore

/// The web app behind the end of a program's own file, where the system's loader does not look.
///
/// ```
/// program | entries | SHA-256 of the entries | length of the entries, 8 bytes | "SMWEB001"
/// entry = length, 2 bytes | path | length, 4 bytes | bytes
/// ```
enum WebTrailer {
    /// What follows the entries.
    static let footLength = 32 + 8 + mark.count
    private static let mark = Array("SMWEB001".utf8)

    /// All that is put behind the program.
    ///
    /// - Parameter contents: Paths of at most 255 bytes, as ``WebBundle`` takes them.
    static func encode(_ contents: [String: [UInt8]]) -> [UInt8] {
        var entries: [UInt8] = []
        for (path, bytes) in contents.sorted(by: { $0.key < $1.key }) {
            entries.appendBigEndian(UInt16(path.utf8.count))
            entries += path.utf8
            entries.appendBigEndian(UInt32(bytes.count))
            entries += bytes
        }
        var trailer = entries + SHA256.hash(data: entries)
        trailer.appendBigEndian(UInt64(entries.count))
        return trailer + mark
    }

    /// How long the entries are, from the last ``footLength`` bytes of a program.
    ///
    /// - Returns: `nil` when there is no web app.
    static func entriesLength(foot: [UInt8]) throws(WebBundleError) -> Int? {
        guard foot.count == footLength, foot.suffix(mark.count).elementsEqual(mark) else {
            return nil
        }
        let length = integer(foot[32..<40])
        guard length <= UInt64(WebBundle.maximumSize + WebBundle.maximumCount * 512) else {
            throw .damaged
        }
        return Int(length)
    }

    /// Reads what ``encode(_:)`` wrote.
    ///
    /// - Throws: ``WebBundleError/damaged`` for anything else.
    static func decode(
        entries: [UInt8],
        foot: [UInt8]
    ) throws(WebBundleError) -> [String: [UInt8]] {
        guard Array(SHA256.hash(data: entries)).elementsEqual(foot.prefix(32)) else {
            throw .damaged
        }
        var contents: [String: [UInt8]] = [:]
        var rest = entries[...]
        while !rest.isEmpty {
            let path = try taken(from: &rest, lengthBytes: 2)
            let bytes = try taken(from: &rest, lengthBytes: 4)
            guard let path = String(validating: path, as: UTF8.self) else { throw .damaged }
            contents[path] = Array(bytes)
        }
        return contents
    }

    private static func taken(
        from rest: inout ArraySlice<UInt8>,
        lengthBytes: Int
    ) throws(WebBundleError) -> ArraySlice<UInt8> {
        guard rest.count >= lengthBytes else { throw .damaged }
        let length = integer(rest.prefix(lengthBytes))
        rest = rest.dropFirst(lengthBytes)
        guard length <= UInt64(rest.count) else { throw .damaged }
        defer { rest = rest.dropFirst(Int(length)) }
        return rest.prefix(Int(length))
    }

    private static func integer(_ bytes: some Sequence<UInt8>) -> UInt64 {
        bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }
}
