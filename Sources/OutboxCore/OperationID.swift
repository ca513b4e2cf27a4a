/// The identity of an operation: a UUID version 7, made by the client.
///
/// Two 64-bit halves rather than a `String`: comparing and hashing stay free of Unicode tables.
/// Ordering follows the bytes, hence the time of creation to the millisecond
/// ([RFC 9562, section 5.7](https://www.rfc-editor.org/rfc/rfc9562#section-5.7)).
public struct OperationID: Hashable, Comparable, Sendable {
    /// The first eight bytes: time, version and twelve random bits.
    public let high: UInt64
    /// The last eight bytes: variant and 62 random bits.
    public let low: UInt64

    /// Creates an identifier with exactly these bits. The bits are not checked.
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Makes a UUIDv7 from a time and 74 random bits.
    ///
    /// - Parameters:
    ///   - time: The wall clock; only its low 48 bits are used, a negative time counts as zero.
    ///   - random: Uniformly random words from a cryptographic source. 54 of their 128 bits are
    ///     dropped.
    public init(time: WallTime, random: (UInt64, UInt64)) {
        let milliseconds = UInt64(max(0, time.millisecondsSinceEpoch)) & 0xFFFF_FFFF_FFFF
        high = milliseconds << 16 | 0x7000 | random.0 & 0x0FFF
        low = 0x8000_0000_0000_0000 | random.1 & 0x3FFF_FFFF_FFFF_FFFF
    }

    /// Reads the 16 bytes of a UUID, most significant first; `nil` if there are not exactly 16.
    public init?(bytes: some Collection<UInt8>) {
        self.init(bytes: Array(bytes.prefix(17)))
    }

    /// Reads the 16 bytes of a UUID, most significant first; `nil` if there are not exactly 16.
    ///
    /// Not generic, so that code of other modules need not look each byte up.
    public init?(bytes: [UInt8]) {
        var reader = ByteReader(bytes, in: 0..<bytes.count)
        guard let high = reader.read(UInt64.self), let low = reader.read(UInt64.self),
            reader.isAtEnd
        else { return nil }
        self.init(high: high, low: low)
    }

    /// Reads the canonical text form, 8-4-4-4-12 hexadecimal digits of either case.
    ///
    /// - Returns: `nil` for anything else: braces, missing hyphens, white space, other lengths.
    public init?(text: some Collection<UInt8>) {
        guard text.count == 36 else { return nil }
        var halves: (UInt64, UInt64) = (0, 0)
        var digits = 0
        var position = 0
        for character in text {
            if position == 8 || position == 13 || position == 18 || position == 23 {
                guard character == 0x2D else { return nil }
            } else {
                guard let digit = Self.value(ofHexDigit: character) else { return nil }
                if digits < 16 {
                    halves.0 = halves.0 << 4 | digit
                } else {
                    halves.1 = halves.1 << 4 | digit
                }
                digits += 1
            }
            position += 1
        }
        self.init(high: halves.0, low: halves.1)
    }

    /// The 16 bytes, most significant first.
    public var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(16)
        bytes.appendBigEndian(high)
        bytes.appendBigEndian(low)
        return bytes
    }

    /// The canonical lower-case text form as 36 ASCII bytes.
    public var text: [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(36)
        var position = 0
        for byte in bytes {
            if position == 4 || position == 6 || position == 8 || position == 10 {
                text.append(0x2D)
            }
            text.append(Self.hexDigit(byte >> 4))
            text.append(Self.hexDigit(byte & 0x0F))
            position += 1
        }
        return text
    }

    /// Whether the version and variant bits are those of a UUIDv7.
    public var isVersion7: Bool {
        high >> 12 & 0xF == 7 && low >> 62 == 0b10
    }

    public static func < (left: Self, right: Self) -> Bool {
        left.high != right.high ? left.high < right.high : left.low < right.low
    }

    private static func hexDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? 0x30 + value : 0x57 + value
    }

    private static func value(ofHexDigit character: UInt8) -> UInt64? {
        switch character {
        case 0x30...0x39: UInt64(character - 0x30)
        case 0x41...0x46: UInt64(character - 0x37)
        case 0x61...0x66: UInt64(character - 0x57)
        default: nil
        }
    }
}

#if !hasFeature(Embedded)
    extension OperationID: CustomStringConvertible {
        /// The canonical lower-case text form.
        public var description: String { String(decoding: text, as: UTF8.self) }
    }
#endif
