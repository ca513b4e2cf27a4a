import Crypto
import LibC
import OutboxCore

/// Random nonces of one piece of work that seals many records, drawn from the system's generator some at a
/// time: one call of the system for each nonce takes as long as a third of the sealing.
///
/// They are drawn for this work only. Keep none of it beyond: a copy of the process's memory would seal
/// under the same nonces.
package struct SealingNonces: ~Copyable {
    /// The most nonces that the system gives at once: 256 bytes.
    private static let most = 256 / SealedRecord.nonceLength

    private var bytes: [UInt8]
    private var position: Int

    /// - Parameter count: The number of nonces that are needed; more are given, too.
    package init(count: Int) {
        let length = min(max(count, 1), Self.most) * SealedRecord.nonceLength
        bytes = [UInt8](repeating: 0, count: length)
        position = length
    }

    mutating func next() throws -> AES.GCM.Nonce {
        if position == bytes.count {
            bytes.withUnsafeMutableBytes { bytes in
                #if canImport(Darwin)
                    arc4random_buf(bytes.baseAddress, bytes.count)
                #else
                    let code = getentropy(bytes.baseAddress, bytes.count)
                    precondition(code == 0, "the system has no random bytes")
                #endif
            }
            position = 0
        }
        let range = position..<position + SealedRecord.nonceLength
        position = range.upperBound
        return try bytes.withUnsafeBytes {
            try AES.GCM.Nonce(data: UnsafeRawBufferPointer(rebasing: $0[range]))
        }
    }
}
