import OutboxCore

/// A nonce of one sealing.
struct SealingNonce {
    private let words: (UInt64, UInt32)

    /// Makes a nonce of random bits, of which no other nonce is made.
    init(_ first: UInt64, _ second: UInt32) {
        words = (first, second)
    }

    /// A nonce from the system's generator, by one call of the system.
    static func random() -> SealingNonce {
        var nonces = SealingNonces(count: 1)
        return nonces.next()
    }

    /// Calls `body` with the bytes of the nonce.
    func withUnsafeBytes<Result>(
        _ body: (UnsafeRawBufferPointer) throws -> Result
    ) rethrows -> Result {
        try Swift.withUnsafeBytes(of: words) { bytes in
            try body(UnsafeRawBufferPointer(rebasing: bytes.prefix(SealedRecord.nonceLength)))
        }
    }
}

/// Random nonces of one piece of work that seals many records, drawn from the system's generator some at a
/// time: one call of the system for each nonce takes as long as a third of the sealing.
///
/// They are drawn for this work only. Keep none of it beyond: a copy of the process's memory would seal
/// under the same nonces.
package struct SealingNonces: ~Copyable {
    /// The most nonces that the system gives at once.
    private static let most = SystemRandomness.most / SealedRecord.nonceLength

    private var bytes: [UInt8]
    private var position: Int

    /// - Parameter count: The number of nonces that are needed; more are given, too.
    package init(count: Int) {
        let length = min(max(count, 1), Self.most) * SealedRecord.nonceLength
        bytes = [UInt8](repeating: 0, count: length)
        position = length
    }

    mutating func next() -> SealingNonce {
        if position == bytes.count {
            bytes.withUnsafeMutableBytes { SystemRandomness.fill($0) }
            position = 0
        }
        defer { position += SealedRecord.nonceLength }
        return bytes.withUnsafeBytes { bytes in
            SealingNonce(
                bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self),
                bytes.loadUnaligned(fromByteOffset: position + 8, as: UInt32.self)
            )
        }
    }
}
