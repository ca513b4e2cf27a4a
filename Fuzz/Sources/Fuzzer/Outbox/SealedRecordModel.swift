import Crypto
import Outbox
import OutboxCore

/// A sealed record as docs/wire-format.md has it, and how it is opened.
struct SealedRecordModel: Equatable {
    var keyID: UInt64
    var nonce: [UInt8]
    var ciphertext: [UInt8]
    var tag: [UInt8]

    static func reading(_ bytes: [UInt8]) -> Result<SealedRecordModel, SealedRecordError> {
        if bytes.isEmpty { return .failure(.truncated) }
        if bytes[0] != 1 { return .failure(.unsupportedVersion) }
        if bytes.count < 37 { return .failure(.truncated) }
        return .success(
            SealedRecordModel(
                keyID: number(bytes[1..<9]),
                nonce: Array(bytes[9..<21]),
                ciphertext: Array(bytes[21..<bytes.count - 16]),
                tag: Array(bytes.suffix(16))
            )
        )
    }

    /// The payload of the bytes under the operation's identity, or the reason why there is none.
    static func opening(
        _ bytes: [UInt8],
        _ identity: OperationIdentity,
        with key: SealingKey
    ) -> Result<[UInt8], UnreadableRecord> {
        guard case .success(let record) = reading(bytes) else {
            return .failure(UnreadableRecord(reason: .record))
        }
        guard record.keyID == key.id.rawValue else {
            return .failure(UnreadableRecord(reason: .unknownKey))
        }
        let associated =
            [1] + bigEndian(record.keyID, bytes: 8) + identity.id
            + bigEndian(identity.createdAt, bytes: 8) + identity.kind
        guard
            let box = try? AES.GCM.SealedBox(
                combined: record.nonce + record.ciphertext + record.tag
            ),
            let payload = try? AES.GCM.open(
                box,
                using: SymmetricKey(data: key.withUnsafeBytes { Array($0) }),
                authenticating: associated
            )
        else { return .failure(UnreadableRecord(reason: .notAuthentic)) }
        return .success(Array(payload))
    }
}

/// The identity that a sealed record is bound to.
struct OperationIdentity {
    var id: [UInt8]
    var kind: [UInt8]
    var createdAt: UInt64
}
