/// A JSON value ([RFC 8259](https://www.rfc-editor.org/rfc/rfc8259)) whose texts are UTF-8 bytes.
///
/// Numbers are whole: neither the relay nor the programs of the device write others.
public indirect enum JSON: Sendable {
    /// The literal `null`.
    case null
    /// The literal `true` or `false`.
    case bool(Bool)
    /// A whole number.
    case number(Int64)
    /// A text, as UTF-8.
    case string([UInt8])
    /// The elements of an array, in their order.
    case array([JSON])
    /// The members of an object, in their order. The names are UTF-8.
    case object([(name: [UInt8], value: JSON)])

    /// Reads one value that fills `bytes`.
    ///
    /// - Returns: `nil` for bytes that are malformed, or nested more than eight deep.
    /// - Complexity: O(`bytes`).
    public init?(decoding bytes: [UInt8]) {
        var reader = JSONReader(bytes)
        guard let value = reader.value(depth: 0), reader.isAtEnd else { return nil }
        self = value
    }

    /// The member of this name; `nil` when there is none, or when the value is not an object.
    ///
    /// - Complexity: O(members).
    public subscript(name: StaticString) -> JSON? {
        guard case .object(let members) = self else { return nil }
        return members.last { $0.name == name }?.value
    }

    /// The text of the member of this name; `nil` when there is none, or when it is another value.
    ///
    /// Asked for so often that a copy at each place would be a part of the web app's size.
    @inline(never)
    package subscript(string name: StaticString) -> [UInt8]? { self[name]?.string }

    /// The number of the member of this name; `nil` when there is none, or when it is another value.
    @inline(never)
    package subscript(number name: StaticString) -> Int64? { self[name]?.number }

    /// The Boolean of the member of this name; `nil` when there is none, or when it is another
    /// value.
    @inline(never)
    package subscript(bool name: StaticString) -> Bool? { self[name]?.bool }

    /// The UTF-8 of a text; `nil` for another value.
    public var string: [UInt8]? {
        if case .string(let text) = self { text } else { nil }
    }

    /// The number; `nil` for another value.
    public var number: Int64? {
        if case .number(let number) = self { number } else { nil }
    }

    /// The Boolean; `nil` for another value.
    public var bool: Bool? {
        if case .bool(let bool) = self { bool } else { nil }
    }

    /// The elements; `nil` for another value.
    public var array: [JSON]? {
        if case .array(let values) = self { values } else { nil }
    }

    /// An object whose members are written in the order of the array.
    public static func object(_ members: [(StaticString, JSON)]) -> JSON {
        .object(members.map { ($0.0.bytes, $0.1) })
    }

    /// The value as JSON, without white space between its parts.
    ///
    /// - Complexity: O(size).
    public func encoded() -> [UInt8] {
        var bytes: [UInt8] = []
        write(to: &bytes)
        return bytes
    }

    private func write(to bytes: inout [UInt8]) {
        switch self {
        case .null: bytes += StaticString("null").bytes
        case .bool(let bool): bytes += (bool ? StaticString("true") : "false").bytes
        case .number(let number): bytes += decimal(number)
        case .string(let text): Self.write(text, to: &bytes)
        case .array(let values):
            bytes.append(0x5B)
            for index in values.indices {
                if index > 0 { bytes.append(0x2C) }
                values[index].write(to: &bytes)
            }
            bytes.append(0x5D)
        case .object(let members):
            bytes.append(0x7B)
            for index in members.indices {
                if index > 0 { bytes.append(0x2C) }
                Self.write(members[index].name, to: &bytes)
                bytes.append(0x3A)
                members[index].value.write(to: &bytes)
            }
            bytes.append(0x7D)
        }
    }

    private static func write(_ text: [UInt8], to bytes: inout [UInt8]) {
        bytes.reserveCapacity(bytes.count + text.count + 16)
        bytes.append(0x22)
        for byte in text {
            switch byte {
            case 0x22, 0x5C: bytes += [0x5C, byte]
            case 0x0A: bytes += [0x5C, 0x6E]
            case 0x00..<0x20:
                bytes += [0x5C, 0x75, 0x30, 0x30, 0x30 + byte >> 4, hexDigit(byte & 0xF)]
            default: bytes.append(byte)
            }
        }
        bytes.append(0x22)
    }

    private static func hexDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? 0x30 + value : 0x57 + value
    }
}

/// Reads JSON ([RFC 8259](https://www.rfc-editor.org/rfc/rfc8259)).
private struct JSONReader {
    private static let deepest = 8
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    var isAtEnd: Bool {
        mutating get {
            skipSpace()
            return position == bytes.count
        }
    }

    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    @inline(never)
    private mutating func skipSpace() {
        while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
            position += 1
        }
    }

    @inline(never)
    private mutating func take(_ byte: UInt8) -> Bool {
        skipSpace()
        guard next == byte else { return false }
        position += 1
        return true
    }

    @inline(never)
    private mutating func take(_ word: StaticString) -> Bool {
        let word = word.bytes
        guard bytes[position...].starts(with: word) else { return false }
        position += word.count
        return true
    }

    mutating func value(depth: Int) -> JSON? {
        skipSpace()
        guard depth < Self.deepest, let first = next else { return nil }
        switch first {
        case 0x7B: return object(depth: depth)
        case 0x5B: return array(depth: depth)
        case 0x22: return string().map { .string($0) }
        case 0x74: return take("true") ? .bool(true) : nil
        case 0x66: return take("false") ? .bool(false) : nil
        case 0x6E: return take("null") ? .null : nil
        default: return number()
        }
    }

    private mutating func object(depth: Int) -> JSON? {
        position += 1
        var members: [(name: [UInt8], value: JSON)] = []
        if take(0x7D) { return .object(members) }
        repeat {
            skipSpace()
            guard next == 0x22, let name = string(), take(0x3A), let value = value(depth: depth + 1)
            else { return nil }
            members.append((name, value))
        } while take(0x2C)
        return take(0x7D) ? .object(members) : nil
    }

    private mutating func array(depth: Int) -> JSON? {
        position += 1
        var values: [JSON] = []
        if take(0x5D) { return .array(values) }
        repeat {
            guard let value = value(depth: depth + 1) else { return nil }
            values.append(value)
        } while take(0x2C)
        return take(0x5D) ? .array(values) : nil
    }

    private mutating func number() -> JSON? {
        let isNegative = take(0x2D)
        var value: Int64 = 0
        var digits = 0
        while let byte = next, (0x30...0x39).contains(byte) {
            guard digits < 18 else { return nil }
            value = value * 10 + Int64(byte - 0x30)
            digits += 1
            position += 1
        }
        return digits > 0 ? .number(isNegative ? -value : value) : nil
    }

    private mutating func string() -> [UInt8]? {
        position += 1
        var text: [UInt8] = []
        while let byte = next {
            position += 1
            switch byte {
            case 0x22: return text
            case 0x00..<0x20: return nil
            case 0x5C:
                guard let escape = next else { return nil }
                position += 1
                switch escape {
                case 0x22, 0x5C, 0x2F: text.append(escape)
                case 0x62: text.append(0x08)
                case 0x66: text.append(0x0C)
                case 0x6E: text.append(0x0A)
                case 0x72: text.append(0x0D)
                case 0x74: text.append(0x09)
                case 0x75:
                    guard let scalar = escapedScalar() else { return nil }
                    text.appendUTF8(scalar)
                default: return nil
                }
            default: text.append(byte)
            }
        }
        return nil
    }

    private mutating func escapedScalar() -> UInt32? {
        guard let first = codeUnit() else { return nil }
        switch first {
        case 0xD800..<0xDC00:
            guard take("\\u"), let second = codeUnit(), (0xDC00..<0xE000).contains(second) else {
                return nil
            }
            return 0x10000 + (first - 0xD800) << 10 + (second - 0xDC00)
        case 0xDC00..<0xE000: return nil
        default: return first
        }
    }

    @inline(never)
    private mutating func codeUnit() -> UInt32? {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = next else { return nil }
            switch byte {
            case 0x30...0x39: value = value << 4 | UInt32(byte - 0x30)
            case 0x41...0x46: value = value << 4 | UInt32(byte - 0x37)
            case 0x61...0x66: value = value << 4 | UInt32(byte - 0x57)
            default: return nil
            }
            position += 1
        }
        return value
    }
}
