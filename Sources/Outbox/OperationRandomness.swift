import Crypto
import LibC
package import OutboxCore

/// The random bits of one new operation, from the system's generator in one call.
struct OperationRandomness {
    /// 28 bytes: as many as are asked for below.
    private let words: (UInt64, UInt64, UInt64, UInt32)

    init() {
        var words: (UInt64, UInt64, UInt64, UInt32) = (0, 0, 0, 0)
        withUnsafeMutableBytes(of: &words) { bytes in
            #if canImport(Darwin)
                arc4random_buf(bytes.baseAddress, bytes.count)
            #else
                let code = getentropy(bytes.baseAddress, bytes.count)
                precondition(code == 0, "the system has no random bytes")
            #endif
        }
        self.words = words
    }

    /// For its identifier.
    var identifier: (UInt64, UInt64) { (words.0, words.1) }

    /// For its payload, from the bytes that the identifier leaves.
    func nonce() throws -> AES.GCM.Nonce {
        try withUnsafeBytes(of: (words.2, words.3)) { bytes in
            // For an array, `Crypto` looks up each time what arrays conform to: 10,000 instructions.
            try AES.GCM.Nonce(data: UnsafeRawBufferPointer(rebasing: bytes.prefix(12)))
        }
    }
}

extension OperationID {
    /// A new identifier, of which no other is made: its time is `time`, the rest is random.
    package static func random(at time: WallTime) -> OperationID {
        var random = SystemRandomNumberGenerator()
        return OperationID(time: time, random: (random.next(), random.next()))
    }
}
