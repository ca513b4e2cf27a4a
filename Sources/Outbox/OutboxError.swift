public import OutboxCore

/// The reason for which the outbox refused a call. A call that throws this error has stored
/// nothing.
@nonexhaustive public enum OutboxError: Error, Hashable, Sendable {
    /// The payload is longer than the configured limit, in bytes.
    case payloadTooLong(limit: Int)
    /// A kind or an ordering key is empty or longer than ``/OutboxCore/Envelope/maximumNameLength``
    /// bytes.
    case invalidName
    /// Another process, or another call in this process, drains this storage.
    case drainedElsewhere
    /// There is no operation with this identifier.
    case notFound(OperationID)
}

/// The reason for which an entry cannot be read. The storage keeps the entry as
/// ``OperationState/quarantined``.
@nonexhaustive public enum QuarantineReason: RawRepresentable, Hashable, Sendable {
    /// The envelope is damaged, or in a format that this build does not read.
    case envelope
    /// The sealed record is damaged, or in a format that this build does not read.
    case record
    /// The key that sealed the record is not in the key store.
    case unknownKey
    /// The record fails authentication: it was changed, or it belongs to another operation.
    case notAuthentic

    /// The code of the reason, which storages keep.
    public var code: ReasonCode {
        switch self {
        case .envelope: .damagedEnvelope
        case .record: .damagedRecord
        case .unknownKey: .unknownKey
        case .notAuthentic: .notAuthentic
        }
    }

    /// The ``code`` as text.
    public var rawValue: String { code.description }

    /// - Returns: `nil` for a text that is no reason's code.
    public init?(rawValue: String) {
        let reasons: [QuarantineReason] = [.envelope, .record, .unknownKey, .notAuthentic]
        for reason in reasons where rawValue.utf8.elementsEqual(reason.code.utf8) {
            self = reason
            return
        }
        return nil
    }
}
