/// A list of tags, `name=value; name=value`, as records of DKIM and DMARC have it
/// ([RFC 6376, section 3.2](https://www.rfc-editor.org/rfc/rfc6376#section-3.2)).
struct TagList {
    private let tags: [(name: String, value: String)]

    /// - Returns: `nil` for a text that is no such list, or that has a tag twice.
    init?(_ text: [UInt8]) {
        var tags: [(name: String, value: String)] = []
        for part in text.split(separator: 0x3B, omittingEmptySubsequences: false) {
            let trimmed = Self.trimmed(part)
            // A semicolon may stand at the end.
            if trimmed.isEmpty, part.endIndex == text.endIndex { continue }
            guard trimmed.allSatisfy({ $0 == 9 || (0x20...0x7E).contains($0) }),
                let equals = trimmed.firstIndex(of: 0x3D)
            else { return nil }
            let name = String(decoding: Self.trimmed(trimmed[..<equals]), as: UTF8.self)
            let value = Self.trimmed(trimmed[(equals + 1)...])
            guard !name.isEmpty, !tags.contains(where: { $0.name == name }) else { return nil }
            tags.append((name, String(decoding: value, as: UTF8.self)))
        }
        self.tags = tags
    }

    /// The first tag; `nil` for an empty list.
    var first: (name: String, value: String)? { tags.first }

    /// The value of a tag; `nil` where it is not given.
    subscript(name: String) -> String? { tags.first { $0.name == name }?.value }

    private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let isSpace: (UInt8) -> Bool = { $0 == 0x20 || $0 == 9 }
        let start = bytes.drop(while: isSpace)
        return start.dropLast(start.reversed().prefix(while: isSpace).count)
    }
}
