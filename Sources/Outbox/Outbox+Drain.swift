public import OutboxCore

/// When a drain ends by itself.
public enum DrainEnd: Hashable, Sendable {
    /// Never: only with its task.
    case cancelled
    /// When nothing is in flight and nothing is queued, not even for later, but for what is behind
    /// an operation that blocks its lane: only a person moves that on.
    case idle
}

extension Outbox {
    /// Attempts what is eligible, now and whenever something becomes so.
    ///
    /// Ends as `end` says, or when the task is cancelled; running handlers are then cancelled and
    /// awaited. An operation without a handler is parked as ``/OutboxCore/ReasonCode/noHandler``
    /// and queued again by a drain that has one.
    ///
    /// - Throws: ``OutboxError/drainedElsewhere`` at once while another drain of the same storage
    ///   is alive, in any process; ``StorageError`` when the role could not be claimed;
    ///   ``StorageError/closed`` after ``close()``, and when another object closes the storage of a
    ///   running drain. Other failures while draining are not thrown: they are logged, and what
    ///   failed is tried again.
    public func drain(
        _ handlers: [OperationKind: OperationHandler],
        until end: DrainEnd = .cancelled
    ) async throws {
        let events = try drains.begin()
        defer { drains.end(events) }
        try await drain(handlers, until: end, events)
    }

    /// Has the role from before its first look at the queue until it returns, and not longer.
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
