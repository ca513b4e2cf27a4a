public import OutboxCore

/// The condition under which a drain ends.
public enum DrainEnd: Hashable, Sendable {
    /// The drain ends only when its task is cancelled.
    case cancelled
    /// The drain ends when no operation is in flight and none is queued, not even for later.
    /// Operations behind one that blocks its lane do not count: only a person can unblock the lane.
    case idle
}

extension Outbox {
    /// Attempts every eligible operation, at once and whenever another operation becomes eligible.
    ///
    /// Ends under the condition `end`, or when the task is cancelled. A cancelled drain cancels its
    /// running handlers and waits for them. A drain parks an operation without a handler as
    /// ``/OutboxCore/ReasonCode/noHandler``; a drain that has the handler queues the operation
    /// again.
    ///
    /// - Throws: ``OutboxError/drainedElsewhere`` at once while another drain of the same storage
    ///   is alive, in any process; ``StorageError`` when the drain cannot claim the role of the
    ///   drainer; ``StorageError/closed`` after ``close()``, and when another object closes the
    ///   storage of a running drain. A drain does not throw for other failures: it logs them and
    ///   tries again.
    public func drain(
        _ handlers: [OperationKind: OperationHandler],
        until end: DrainEnd = .cancelled
    ) async throws {
        let events = try drains.begin()
        defer { drains.end(events) }
        try await drain(handlers, until: end, events)
    }

    /// Holds the role of the drainer from before its first look at the queue until it returns.
    private func drain(
        _ handlers: [OperationKind: OperationHandler],
        until end: DrainEnd,
        _ events: DrainEvents
    ) async throws {
        guard let claim = try storage.claimDrain() else { throw OutboxError.drainedElsewhere }
        defer { withExtendedLifetime(claim) {} }
        defer { watch.drainEnded() }
        try await Drainer(outbox: self, handlers: handlers, end: end, events: events).run()
    }
}
