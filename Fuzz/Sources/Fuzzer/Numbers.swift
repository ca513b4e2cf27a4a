import Crypto

/// Big-endian, as every number of docs/wire-format.md.
func number(_ bytes: some Collection<UInt8>) -> UInt64 {
    bytes.reduce(0) { $0 * 256 + UInt64($1) }
}

func bigEndian(_ value: UInt64, bytes count: Int) -> [UInt8] {
    (0..<count).reversed().map { UInt8(value >> (8 * UInt64($0)) & 255) }
}

/// The CRC-32 of gzip by its table (https://www.rfc-editor.org/rfc/rfc1952#section-8).
func checksum(_ bytes: some Collection<UInt8>) -> [UInt8] {
    let remainder = bytes.reduce(0xFFFF_FFFF) { remainder, byte in
        remainder / 256 ^ checksumTable[Int(remainder % 256 ^ UInt64(byte))]
    }
    return bigEndian(remainder ^ 0xFFFF_FFFF, bytes: 4)
}

private let checksumTable: [UInt64] = (0..<256).map { index in
    (0..<8).reduce(index) { value, _ in
        value % 2 == 1 ? 0xEDB8_8320 ^ value / 2 : value / 2
    }
}

/// The first eight bytes of the SHA-256.
func digest(_ bytes: some Collection<UInt8>) -> [UInt8] {
    Array(SHA256.hash(data: Array(bytes)).prefix(8))
}
