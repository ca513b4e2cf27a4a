public import OutboxCore

/// An entry of the outbox as a person may see it: bookkeeping, no content.
public struct OutboxItem: Sendable {
    /// Where an entry stands.
    public enum State: String, Hashable, Sendable {
        /// Will be attempted.
        case queued
        /// Refused for good, or without a handler: a person decides.
        case parked
        /// Bytes that cannot be read, kept as they are.
        case quarantined
    }

    /// `nil` for an entry whose bookkeeping cannot be read.
    public let id: OperationID?
    /// The entry's number in the store: names it when it has no readable identifier.
    public let number: Int64
    /// Such as `memo`; `nil` when it cannot be read.
    public let kind: OperationKind?
    public let state: State
    public let createdAt: WallTime?
    /// Attempts that failed.
    public let attempts: UInt32
    /// The earliest moment of the next attempt; `nil` when it is eligible now or waits for a person.
    public let nextEligibleAt: WallTime?
    /// The type of the last failure, or the reason of parking or quarantine.
    public let reason: String?
}
