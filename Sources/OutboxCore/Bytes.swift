extension [UInt8] {
    package mutating func appendBigEndian<Value: FixedWidthInteger>(_ value: Value) {
        var shift = Value.bitWidth
        while shift > 0 {
            shift -= 8
            append(UInt8(truncatingIfNeeded: value >> Value(shift)))
        }
    }
}

/// A cursor over bytes that answers `nil` instead of reading past the end.
struct ByteReader {
    private let bytes: [UInt8]
    private let end: Int
    private(set) var position: Int

    init(_ bytes: [UInt8], in range: Range<Int>) {
        self.bytes = bytes
        position = range.lowerBound
        end = range.upperBound
    }

    var isAtEnd: Bool { position == end }

    mutating func read<Value: FixedWidthInteger>(_: Value.Type) -> Value? {
        let width = Value.bitWidth / 8
        guard end - position >= width else { return nil }
        var value: Value = 0
        for _ in 0..<width {
            value = value << 8 | Value(truncatingIfNeeded: bytes[position])
            position += 1
        }
        return value
    }

    mutating func read(count: Int) -> [UInt8]? {
        guard count >= 0, end - position >= count else { return nil }
        defer { position += count }
        return Array(bytes[position..<position + count])
    }
}

/// CRC-32 with the IEEE 802.3 polynomial, as in gzip and PNG.
///
/// Detects every single-bit and double-bit flip and every burst of up to 32 bits in records of the
/// sizes used here. It guards against accidents; forgery is the sealed record's business.
///
/// - Complexity: O(*n*), half a byte at a time: envelopes are about a hundred bytes.
func crc32(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    var remainder: UInt32 = 0xFFFF_FFFF
    for byte in bytes {
        remainder ^= UInt32(byte)
        remainder = remainder >> 4 ^ remainders[Int(remainder & 0xF)]
        remainder = remainder >> 4 ^ remainders[Int(remainder & 0xF)]
    }
    return ~remainder
}

/// What four bits leave behind.
private let remainders: [UInt32] = [
    0x0000_0000, 0x1DB7_1064, 0x3B6E_20C8, 0x26D9_30AC, 0x76DC_4190, 0x6B6B_51F4, 0x4DB2_6158,
    0x5005_713C, 0xEDB8_8320, 0xF00F_9344, 0xD6D6_A3E8, 0xCB61_B38C, 0x9B64_C2B0, 0x86D3_D2D4,
    0xA00A_E278, 0xBDBD_F21C,
]
