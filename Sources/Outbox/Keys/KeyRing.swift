import OutboxCore

/// The keys of one storage as one value: `SMK1` and then, for each key, its id, its 32 bytes and a
/// check value; the last key is the current one.
package struct KeyRing: Sendable {
    private static let magic: [UInt8] = Array("SMK1".utf8)
    private static let entryLength = 8 + SealingCipher.keyLength + 4
    /// Room for a thousand rotations; longer bytes are not a key ring.
    package static let maximumLength = 64 * 1024

    /// The keys; at least one.
    private(set) var keys: [SealingKey]

    /// A ring with a first key.
    package init() {
        keys = [.random()]
    }

    init(keys: [SealingKey]) {
        precondition(!keys.isEmpty)
        self.keys = keys
    }

    /// - Throws: ``KeyStoreError/malformed``.
    package init(decoding bytes: [UInt8]) throws(KeyStoreError) {
        guard bytes.count <= Self.maximumLength, bytes.count > Self.magic.count,
            bytes.starts(with: Self.magic),
            (bytes.count - Self.magic.count) % Self.entryLength == 0
        else { throw .malformed }
        keys = []
        for start in stride(from: Self.magic.count, to: bytes.count, by: Self.entryLength) {
            keys.append(try Self.decode(bytes[start..<start + Self.entryLength]))
        }
    }

    package func encoded() -> [UInt8] {
        keys.reduce(into: Self.magic) { bytes, key in bytes += Self.encode(key) }
    }

    /// - Throws: ``KeyStoreError/cannotCreate(code:)`` when the ring is full.
    mutating func add(_ key: SealingKey) throws(KeyStoreError) {
        guard Self.magic.count + (keys.count + 1) * Self.entryLength <= Self.maximumLength else {
            throw .cannotCreate(code: 0)
        }
        keys.append(key)
    }

    private static func encode(_ key: SealingKey) -> [UInt8] {
        var bytes: [UInt8] = []
        for shift in stride(from: 56, through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: key.id.rawValue >> UInt64(shift)))
        }
        key.withUnsafeBytes { bytes.append(contentsOf: $0) }
        return bytes + SealingHash.check(bytes)
    }

    private static func decode(_ entry: ArraySlice<UInt8>) throws(KeyStoreError) -> SealingKey {
        let content = entry.dropLast(4)
        guard SealingHash.check(Array(content)).elementsEqual(entry.suffix(4)) else {
            throw .malformed
        }
        let id = content.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return SealingKey(
            id: KeyID(rawValue: id),
            bytes: content.dropFirst(8)
        )
    }
}
