public import Outbox
public import OutboxCore

/// The settings with which a relay opens its store, beside the store's place.
public struct StoreSettings: Sendable {
    /// The path of the key file.
    public let keyPath: String
    /// The waits between attempts to hand a mail over, and the mail's lifetime.
    public let mailPolicy: RetryPolicy
    /// The clock of the mail queue.
    public let clock: OutboxClock
    /// Called for every transition of the mail queue.
    public let log: @Sendable (OutboxEvent) -> Void
    /// Called for a mail that leaves the queue without its memo's fate: the memo stays accepted.
    public let fateLost: @Sendable (OperationID) -> Void
}
