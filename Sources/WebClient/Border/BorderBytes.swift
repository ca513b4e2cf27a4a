/// Writes the bytes that cross the border: numbers as four little-endian bytes, fractions as eight,
/// bytes and text preceded by their length.
package struct BorderWriter {
    package private(set) var bytes: [UInt8] = []

    package init() {}

    package mutating func byte(_ value: UInt8) {
        bytes.append(value)
    }

    package mutating func number(_ value: UInt32) {
        for shift in [UInt32(0), 8, 16, 24] {
            bytes.append(UInt8(truncatingIfNeeded: value >> shift))
        }
    }

    mutating func fraction(_ value: Double) {
        let pattern = value.bitPattern
        number(UInt32(truncatingIfNeeded: pattern))
        number(UInt32(truncatingIfNeeded: pattern >> 32))
    }

    package mutating func block(_ value: [UInt8]) {
        number(UInt32(value.count))
        bytes.append(contentsOf: value)
    }

    mutating func block(_ value: StaticString) {
        value.withUTF8Buffer { buffer in
            number(UInt32(buffer.count))
            bytes.append(contentsOf: buffer)
        }
    }

    mutating func append(_ other: BorderWriter) {
        bytes.append(contentsOf: other.bytes)
    }

    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
    }
}

/// Reads the bytes of the host. The host is a part of this project, so its bytes are well formed;
/// reading past the end gives zeros and empty blocks.
final class BorderReader {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    func number() -> UInt32 {
        guard bytes.count - position >= 4 else { return 0 }
        var value: UInt32 = 0
        for index in 0..<4 { value |= UInt32(bytes[position + index]) << UInt32(8 * index) }
        position += 4
        return value
    }

    func block() -> [UInt8] {
        let length = Int(number())
        guard length <= bytes.count - position else { return [] }
        defer { position += length }
        return Array(bytes[position..<position + length])
    }
}
