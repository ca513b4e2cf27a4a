/// JSON to be printed: what this command needs of it, in the order in which it is given.
public enum JSON {
    case null
    case boolean(Bool)
    case integer(Int64)
    case string(String)
    case array([JSON])
    case object([(String, JSON)])

    /// A string, or null.
    public static func optional(_ string: String?) -> JSON { string.map(JSON.string) ?? .null }

    /// Bytes as a string of two hexadecimal digits each.
    public static func hexadecimal(_ bytes: [UInt8]) -> JSON {
        let digits = Array("0123456789abcdef".unicodeScalars)
        var text = String.UnicodeScalarView()
        for byte in bytes {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 0x0F)])
        }
        return .string(String(text))
    }

    /// On one line, with the newline.
    public var line: String {
        var text = ""
        write(to: &text)
        return text + "\n"
    }

    private func write(to text: inout String) {
        switch self {
        case .null: text += "null"
        case .boolean(let value): text += value ? "true" : "false"
        case .integer(let value): text += String(value)
        case .string(let value): Self.write(value, to: &text)
        case .array(let elements):
            text += "["
            for (index, element) in elements.enumerated() {
                if index > 0 { text += "," }
                element.write(to: &text)
            }
            text += "]"
        case .object(let members):
            text += "{"
            for (index, member) in members.enumerated() {
                if index > 0 { text += "," }
                Self.write(member.0, to: &text)
                text += ":"
                member.1.write(to: &text)
            }
            text += "}"
        }
    }

    /// Escapes what RFC 8259 wants escaped, and what terminals obey.
    private static func write(_ string: String, to text: inout String) {
        text += "\""
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\t": text += "\\t"
            case "\r": text += "\\r"
            case _ where scalar.value < 0x20 || (0x7F..<0xA0).contains(scalar.value):
                let digits = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: text.unicodeScalars.append(scalar)
            }
        }
        text += "\""
    }
}
