package import Outbox
import OutboxCore

/// A question of `memo` to the process that talks to the keyring. On the socket pair between the
/// two, a length of four bytes precedes the fields.
package struct KeyringRequest: Hashable, Sendable {
    package enum Operation: UInt8, Sendable {
        case read = 1
        case add = 2
        case replace = 3
        case remove = 4
    }

    /// The longest message, in bytes; a key ring is far shorter.
    package static let maximumLength = 1 << 20

    package let operation: Operation
    /// Whether the person may be asked to unlock the keyring.
    package let mayAsk: Bool
    package let patienceMilliseconds: UInt32
    /// The item's name, at most 255 bytes.
    package let item: [UInt8]
    /// The value to store.
    package let value: [UInt8]

    init(
        _ operation: Operation,
        mayAsk: Bool,
        patienceMilliseconds: UInt32,
        item: [UInt8],
        value: [UInt8]
    ) {
        self.operation = operation
        self.mayAsk = mayAsk
        self.patienceMilliseconds = patienceMilliseconds
        self.item = item
        self.value = value
    }

    /// - Parameter bytes: The message without its length.
    package init?(decoding bytes: [UInt8]) {
        guard bytes.count >= 7, let operation = Operation(rawValue: bytes[0]), bytes[1] < 2,
            bytes.count >= 7 + Int(bytes[6])
        else { return nil }
        self.operation = operation
        mayAsk = bytes[1] == 1
        patienceMilliseconds = bytes[2..<6].reduce(0) { $0 << 8 | UInt32($1) }
        item = Array(bytes[7..<7 + Int(bytes[6])])
        value = Array(bytes[(7 + Int(bytes[6]))...])
    }

    package func encoded() -> [UInt8] {
        precondition(item.count < 256)
        var bytes: [UInt8] = [operation.rawValue, mayAsk ? 1 : 0]
        bytes.appendBigEndian(patienceMilliseconds)
        return bytes + [UInt8(item.count)] + item + value
    }
}

/// The answer to a ``KeyringRequest``.
package enum KeyringAnswer: Hashable, Sendable {
    /// The operation succeeded. The bytes are the value for `read`, else empty.
    case done([UInt8])
    /// The keyring is unchanged: for `read` and `replace` there is no item, for `add` there is one
    /// already.
    case unchanged
    /// The item does not hold the bytes that were stored.
    case malformed
    case refused(KeyRefusal)

    /// - Parameter bytes: The message without its length.
    package init?(decoding bytes: [UInt8]) {
        switch (bytes.first, bytes.count) {
        case (0?, _): self = .done(Array(bytes.dropFirst()))
        case (1?, 1): self = .unchanged
        case (2?, 1): self = .malformed
        case (3?, 2):
            guard let refusal = KeyRefusal(rawValue: bytes[1]) else { return nil }
            self = .refused(refusal)
        default: return nil
        }
    }

    package func encoded() -> [UInt8] {
        switch self {
        case .done(let value): [0] + value
        case .unchanged: [1]
        case .malformed: [2]
        case .refused(let refusal): [3, refusal.rawValue]
        }
    }
}

/// A message on a socket.
package enum KeyringChannel {
    /// Puts the length in front.
    package static func framed(_ message: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.appendBigEndian(UInt32(message.count))
        return bytes + message
    }

    /// The length in the first four bytes of a message.
    ///
    /// - Returns: `nil` when the length is greater than ``KeyringRequest/maximumLength``.
    package static func length(_ header: some Sequence<UInt8>) -> Int? {
        let length = header.reduce(0) { $0 << 8 | Int($1) }
        return length <= KeyringRequest.maximumLength ? length : nil
    }
}
