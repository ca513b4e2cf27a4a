import SyncCore

/// The stored forms of names and values: of an operation's payload, which says that a record has something
/// to send; of a revision's names; and of a note. Each string of bytes has its length before it, in four
/// bytes. The first byte is the version of the form.
enum SyncToken {
    private static let version: UInt8 = 1

    static func encoded(_ keys: [RecordKey]) -> [UInt8] {
        var bytes = [version]
        for key in keys {
            append(key.kind, to: &bytes)
            append(key.id, to: &bytes)
        }
        return bytes
    }

    /// - Returns: `nil` for other bytes, or those of a newer build.
    static func keys(_ bytes: [UInt8]) -> [RecordKey]? {
        guard let strings = strings(bytes), strings.count % 2 == 0 else { return nil }
        return stride(from: 0, to: strings.count, by: 2).map {
            RecordKey(kind: strings[$0], id: strings[$0 + 1])
        }
    }

    static func encoded(_ key: RecordKey, _ values: [Field]) -> [UInt8] {
        var bytes = encoded([key])
        for value in values {
            append(value.name, to: &bytes)
            append(value.value, to: &bytes)
        }
        return bytes
    }

    /// - Returns: `nil` for other bytes, or those of a newer build.
    static func note(_ bytes: [UInt8]) -> (key: RecordKey, values: [Field])? {
        guard let strings = strings(bytes), strings.count >= 2, strings.count % 2 == 0 else {
            return nil
        }
        let values = stride(from: 2, to: strings.count, by: 2).map {
            Field(name: strings[$0], value: strings[$0 + 1])
        }
        return (RecordKey(kind: strings[0], id: strings[1]), values)
    }

    private static func append(_ string: [UInt8], to bytes: inout [UInt8]) {
        withUnsafeBytes(of: UInt32(string.count).bigEndian) { bytes.append(contentsOf: $0) }
        bytes.append(contentsOf: string)
    }

    private static func strings(_ bytes: [UInt8]) -> [[UInt8]]? {
        guard bytes.first == version else { return nil }
        var rest = bytes.dropFirst()
        var strings: [[UInt8]] = []
        while !rest.isEmpty {
            guard rest.count >= 4 else { return nil }
            let length = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
            rest = rest.dropFirst(4)
            guard rest.count >= length else { return nil }
            strings.append(Array(rest.prefix(length)))
            rest = rest.dropFirst(length)
        }
        return strings
    }
}
