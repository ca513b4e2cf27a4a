public import WireCore

extension JSON {
    /// Reads one value that fills `bytes`.
    ///
    /// - Returns: `nil` also for bytes that are not UTF-8.
    /// - Complexity: O(`bytes`).
    init?(decodingText bytes: [UInt8]) {
        guard String(validating: bytes, as: UTF8.self) != nil else { return nil }
        self.init(decoding: bytes)
    }

    /// The text of the member of this name; `nil` when there is none, or when it is another value.
    func text(_ name: StaticString) -> String? {
        self[name]?.string.map { String(decoding: $0, as: UTF8.self) }
    }

    /// A text.
    public static func string(_ text: String) -> JSON { .string(Array(text.utf8)) }

    /// A text, or null.
    public static func optional(_ text: String?) -> JSON {
        text.map { JSON.string($0) } ?? .null
    }

    /// Bytes as a text of two hexadecimal digits each.
    public static func hexadecimal(_ bytes: [UInt8]) -> JSON {
        let digits = Array("0123456789abcdef".utf8)
        return .string(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 0x0F)]] })
    }

    /// An object whose members are written in the order of the array.
    public static func object(_ members: [(String, JSON)]) -> JSON {
        .object(members.map { (name: Array($0.0.utf8), value: $0.1) })
    }

    /// The value on one line, with the newline. Characters that a terminal obeys are escaped.
    public var line: String {
        var text = String.UnicodeScalarView()
        for scalar in String(decoding: encoded(), as: UTF8.self).unicodeScalars {
            // Outside of a text there is none of these, and within one the escape means the same.
            if (0x7F..<0xA0).contains(scalar.value) {
                text += "\\u00\(String(scalar.value, radix: 16))".unicodeScalars
            } else {
                text.append(scalar)
            }
        }
        return String(text) + "\n"
    }
}
