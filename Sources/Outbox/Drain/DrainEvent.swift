import OutboxCore

/// What a drain is told.
enum DrainEvent: Sendable {
    case wake
    case networkReturned
    case timerFired(generation: Int)
    case attemptFinished(Attempt, DeliveryMachine.Outcome)
    case settle(Settling)
    case stop

    /// What is attempted: an entry as it was when the attempt began.
    struct Attempt: Sendable {
        let entry: EntryID
        let envelope: Envelope
    }

    /// An outcome on its way into the storage.
    struct Settling: Sendable {
        let attempt: Attempt
        let settle: DeliveryMachine.Settle
    }
}
