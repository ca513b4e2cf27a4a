package import OutboxCore

/// The random bits of one new operation, from the system's generator in one call.
struct OperationRandomness {
    /// 28 bytes: as many as are asked for below.
    private let words: (UInt64, UInt64, UInt64, UInt32)

    init() {
        var words: (UInt64, UInt64, UInt64, UInt32) = (0, 0, 0, 0)
        withUnsafeMutableBytes(of: &words) { SystemRandomness.fill($0) }
        self.words = words
    }

    /// For its identifier.
    var identifier: (UInt64, UInt64) { (words.0, words.1) }

    /// For its payload, from the bytes that the identifier leaves.
    var nonce: SealingNonce { SealingNonce(words.2, words.3) }
}

extension OperationID {
    /// A new identifier, of which no other is made: its time is `time`, the rest is random.
    package static func random(at time: WallTime) -> OperationID {
        var random = SystemRandomNumberGenerator()
        return OperationID(time: time, random: (random.next(), random.next()))
    }
}
