import Crypto
import OutboxCore

/// The web app behind the end of a program's own file, where the system's loader does not look.
///
/// ```
/// program | entries | SHA-256 of the entries | length of the entries, 8 bytes | "SMWEB001"
/// entry = length, 2 bytes | path | length, 4 bytes | bytes
/// ```
enum WebTrailer {
    /// The length of everything behind the entries.
    static let footLength = 32 + 8 + mark.count
    private static let mark = Array("SMWEB001".utf8)

    /// The bytes to append to the program.
    ///
    /// - Parameter contents: Files by path; paths of at most 255 bytes, as ``WebBundle`` takes
    ///   them.
    static func encode(_ contents: [String: [UInt8]]) -> [UInt8] {
        var entries: [UInt8] = []
        for (path, bytes) in contents.sorted(by: { $0.key < $1.key }) {
            entries += bigEndian(UInt16(path.utf8.count)) + Array(path.utf8)
            entries += bigEndian(UInt32(bytes.count)) + bytes
        }
        return entries + SHA256.hash(data: entries) + bigEndian(UInt64(entries.count)) + mark
    }

    /// The length of the entries, from the last ``footLength`` bytes of a program.
    ///
    /// - Returns: The length in bytes; `nil` when the program holds no web app.
    /// - Throws: ``WebBundleError/damaged`` for a length that no web app has.
    static func entriesLength(foot: [UInt8]) throws(WebBundleError) -> Int? {
        guard foot.count == footLength, foot.suffix(mark.count).elementsEqual(mark) else {
            return nil
        }
        let length = number(bigEndian: foot[32..<40])
        guard length <= UInt64(WebBundle.maximumSize + WebBundle.maximumCount * 512) else {
            throw .damaged
        }
        return Int(length)
    }

    /// Reads the bytes of ``encode(_:)``.
    ///
    /// - Throws: ``WebBundleError/damaged`` for any other bytes.
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
        let length = number(bigEndian: rest.prefix(lengthBytes))
        rest = rest.dropFirst(lengthBytes)
        guard length <= UInt64(rest.count) else { throw .damaged }
        defer { rest = rest.dropFirst(Int(length)) }
        return rest.prefix(Int(length))
    }
}
