public import OutboxCore

/// The tightest limit in a `RateLimit` field
/// ([draft-ietf-httpapi-ratelimit-headers-10, section
/// 4](https://datatracker.ietf.org/doc/html/draft-ietf-httpapi-ratelimit-headers-10#section-4)): a
/// list of strings with parameters ([RFC 9651](https://www.rfc-editor.org/rfc/rfc9651)).
public struct RateLimit: Hashable, Sendable {
    /// The longest field that is read, in bytes.
    public static let longest = 2048

    /// The least rest of all limits in the field.
    public private(set) var remaining: Int
    /// The time until more is left; `nil` where the field does not say it.
    public private(set) var reset: Milliseconds?

    /// Reads the field's value. The value of a parameter with another name is a comment: only its end
    /// is looked for.
    ///
    /// - Returns: `nil` for a malformed value, which the draft says is to be ignored, for an empty
    ///   or too long one, and where a limit lacks its rest.
    /// - Complexity: O(`value`).
    public init?(_ value: [UInt8]) {
        guard value.count <= Self.longest else { return nil }
        var reader = FieldReader(bytes: value)
        var (least, wait) = (Int64.max, FieldReader.missing)
        reader.skipSpaces()
        while true {
            guard reader.byte == 0x22, reader.value() != FieldReader.malformed else { return nil }
            var (rest, time) = (FieldReader.missing, FieldReader.missing)
            while reader.take(0x3B) {
                reader.skipSpaces()
                let (key, length) = (reader.byte, reader.skipWord(isKey: true))
                let value = reader.take(0x3D) ? reader.value() : FieldReader.other
                guard length > 0, value != FieldReader.malformed else { return nil }
                if length == 1, key == 0x72 { rest = value }
                if length == 1, key == 0x74 { time = value }
            }
            guard rest >= 0, time >= FieldReader.missing else { return nil }
            if rest < least || rest == least && time > wait { (least, wait) = (rest, time) }
            reader.skipSpaces()
            guard reader.take(0x2C) else { break }
            reader.skipSpaces()
        }
        guard reader.isAtEnd else { return nil }
        remaining = Int(min(least, Int64(Int32.max)))
        reset = wait < 0 ? nil : .seconds(min(wait, Int64(Int32.max)))
    }
}

/// Reads the parts of a structured field. Small rather than fast: the web app loads it.
private struct FieldReader {
    /// Stand in place of an integer that is not negative.
    static let missing: Int64 = -1
    static let other: Int64 = -2
    static let malformed: Int64 = -3

    let bytes: [UInt8]
    private var index = 0

    init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    var isAtEnd: Bool { index == bytes.count }

    /// The next byte; 0, which no field may contain, at the end.
    var byte: UInt8 { isAtEnd ? 0 : bytes[index] }

    mutating func take(_ byte: UInt8) -> Bool {
        guard self.byte == byte else { return false }
        index += 1
        return true
    }

    mutating func skipSpaces() {
        while byte == 0x20 || byte == 0x09 { index += 1 }
    }

    /// Passes over visible bytes up to a quote, a comma or a semicolon; for a key, also up to `=`.
    ///
    /// - Returns: Their number.
    mutating func skipWord(isKey: Bool = false) -> Int {
        let start = index
        while 0x21...0x7E ~= byte, byte != 0x22, byte != 0x2C, byte != 0x3B,
            !isKey || byte != 0x3D
        {
            index += 1
        }
        return index - start
    }

    /// Reads a bare item.
    ///
    /// - Returns: An integer that is not negative, ``other`` or ``malformed``.
    mutating func value() -> Int64 {
        // A percent sign before the quote begins a display string, in which a backslash escapes nothing.
        let escapes = !take(0x25)
        if take(0x22) {
            while 0x20...0x7E ~= byte {
                if take(0x22) { return Self.other }
                if escapes, take(0x5C), byte != 0x22, byte != 0x5C { return Self.malformed }
                index += 1
            }
            return Self.malformed
        }
        guard escapes else { return Self.malformed }
        let isNegative = take(0x2D)
        let start = index
        let length = skipWord()
        guard length > 0 else { return Self.malformed }
        var number: Int64 = 0
        for digit in bytes[start..<index] {
            guard 0x30...0x39 ~= digit else { return Self.other }
            number = min(number, 1 << 50) * 10 + Int64(digit - 0x30)
        }
        guard length <= 15 else { return Self.malformed }
        return isNegative && number > 0 ? Self.other : number
    }
}
