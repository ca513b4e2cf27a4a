import OutboxCore

extension OutboxEvent {
    /// Makes the event that a log tells of an occurrence.
    ///
    /// - Parameter now: The beginning of the wait that the event names.
    init(_ occurrence: DrainMachine.Occurrence, now: WallTime) {
        switch occurrence {
        case .stored(let envelope, .remove):
            self.init(.delivered, envelope)
        case .stored(_, .reschedule(let next)):
            let wait = next.nextEligibleAt.since(now)
            self.init(.waiting(next.waitCause, wait), next, reason: next.lastError)
        case .stored(_, .park(let next)):
            self.init(.parked, next, reason: next.lastError)
        case .notStored(let envelope, let reason):
            self.init(.outcomeNotStored, envelope, reason: reason)
        case .leftAlone(let entry, let kind):
            let reason = ReasonCode(failure: StorageError.corrupt)
            self.init(.leftAlone, id: entry.operation, kind: kind, reason: reason)
        case .notRead(let reason):
            self.init(.queueNotRead, reason: reason)
        }
    }
}
