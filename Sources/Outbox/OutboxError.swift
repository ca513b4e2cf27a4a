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
@nonexhaustive public enum QuarantineReason: String, Hashable, Sendable {
    /// The envelope is damaged, or in a format that this build does not read.
    case envelope = "quarantine.envelope"
    /// The sealed record is damaged, or in a format that this build does not read.
    case record = "quarantine.record"
    /// The key that sealed the record is not in the key store.
    case unknownKey = "quarantine.unknown-key"
    /// The record fails authentication: it was changed, or it belongs to another operation.
    case notAuthentic = "quarantine.not-authentic"
}
