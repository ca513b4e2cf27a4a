extension [UInt8] {
    package mutating func appendBigEndian<Value: FixedWidthInteger>(_ value: Value) {
        Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0) }
    }
}

/// Returns the bytes of a number, the most significant byte first.
package func bigEndian(_ number: some FixedWidthInteger) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.appendBigEndian(number)
    return bytes
}

/// Returns the number with these bytes, the most significant byte first.
///
/// - Precondition: There are at most eight bytes.
package func number(bigEndian bytes: some Collection<UInt8>) -> UInt64 {
    precondition(bytes.count <= 8, "A number has at most eight bytes.")
    return bytes.reduce(0) { $0 << 8 | UInt64($1) }
}

/// A cursor over bytes that answers `nil` instead of reading past the end.
package struct ByteReader {
    private let bytes: [UInt8]
    private let end: Int
    package private(set) var position: Int

    package init(_ bytes: [UInt8], in range: Range<Int>) {
        self.bytes = bytes
        position = range.lowerBound
        end = range.upperBound
    }

    package var isAtEnd: Bool { position == end }

    package mutating func read<Value: FixedWidthInteger & BitwiseCopyable>(_: Value.Type) -> Value?
    {
        let width = Value.bitWidth / 8
        guard end - position >= width else { return nil }
        defer { position += width }
        return bytes[position..<position + width].withUnsafeBytes {
            Value(bigEndian: $0.loadUnaligned(as: Value.self))
        }
    }

    package mutating func read(count: Int) -> [UInt8]? {
        guard count >= 0, end - position >= count else { return nil }
        defer { position += count }
        return Array(bytes[position..<position + count])
    }
}

/// CRC-32 with the IEEE 802.3 polynomial, as in gzip and PNG.
///
/// Detects every single-bit and double-bit flip and every burst of up to 32 bits in records of the
/// sizes used here. The checksum detects accidents; the sealed record detects forgery.
///
/// - Complexity: O(*n*), four bytes at a time.
func crc32(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    bytes.withUnsafeBytes { bytes in
        let table = remainders
        var remainder: UInt32 = 0xFFFF_FFFF
        var position = 0
        while bytes.count - position >= 4 {
            let next = bytes.loadUnaligned(fromByteOffset: position, as: UInt32.self)
            remainder ^= UInt32(littleEndian: next)
            remainder =
                table[0x300 + Int(remainder & 0xFF)] ^ table[0x200 + Int(remainder >> 8 & 0xFF)]
                ^ table[0x100 + Int(remainder >> 16 & 0xFF)] ^ table[Int(remainder >> 24)]
            position += 4
        }
        for byte in bytes[position...] {
            remainder = remainder >> 8 ^ table[Int((remainder ^ UInt32(byte)) & 0xFF)]
        }
        return ~remainder
    }
}

/// The remainder of each byte: alone, and followed by one to three zero bytes ("slicing-by-4",
/// Kounavis and Berry, 2005).
private let remainders: [UInt32] = {
    var table = [UInt32](repeating: 0, count: 4 * 256)
    for index in table.indices {
        if index < 256 {
            var left = UInt32(index)
            for _ in 0..<8 { left = left >> 1 ^ (left & 1) &* 0xEDB8_8320 }
            table[index] = left
        } else {
            let left = table[index - 256]
            table[index] = left >> 8 ^ table[Int(left & 0xFF)]
        }
    }
    return table
}()
