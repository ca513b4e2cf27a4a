import OutboxCore
import Synchronization

/// An event that one drain acts on.
enum DrainEvent: Sendable {
    /// The queue may have changed.
    case wake
    case networkReturned
    /// A step of the waits that the network's return ends is over.
    case waitsEnded(isLast: Bool)
    /// The other side said how many more attempts it takes, with its answer about this operation.
    case allowed(AttemptAllowance, after: OperationID)
    /// The timer with this number fired. If the drain has a greater number, another timer has
    /// replaced this timer.
    case timerFired(number: Int)
    case attemptFinished(OperationID, DeliveryMachine.Outcome)
    /// The outcome of this operation could not be stored before, and is to be stored once more.
    case outcomeDue(OperationID)
    case stop
}

/// The events of one drain, in their order. Any thread sends events; only the drain takes them.
final class DrainEvents: Sendable {
    fileprivate struct State: Sendable {
        var events: [DrainEvent] = []
        /// Whether `events` holds a ``DrainEvent/wake``: a second one adds nothing.
        var hasWake = false
        var hasNetworkReturn = false
        /// The drain, while it waits for an event.
        var reader: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())

    func send(_ event: DrainEvent) {
        let reader: CheckedContinuation<Void, Never>? = state.withLock { state in
            guard !state.isKnown(event) else { return nil }
            state.events.append(event)
            defer { state.reader = nil }
            return state.reader
        }
        reader?.resume()
    }

    /// Waits for an event. Ignores task cancellation; ``DrainEvent/stop`` ends the wait.
    ///
    /// - Returns: All events since the last call; at least one.
    func takeAll() async -> [DrainEvent] {
        let events = take()
        guard events.isEmpty else { return events }
        await withCheckedContinuation { reader in
            let isThere = state.withLock { state in
                precondition(state.reader == nil, "two readers")
                if state.events.isEmpty { state.reader = reader }
                return !state.events.isEmpty
            }
            if isThere { reader.resume() }
        }
        return take()
    }

    private func take() -> [DrainEvent] {
        state.withLock { state in
            defer {
                state.events = []
                (state.hasWake, state.hasNetworkReturn) = (false, false)
            }
            return state.events
        }
    }
}

extension DrainEvents.State {
    /// Whether an equal event waits already, so that this event adds nothing.
    fileprivate mutating func isKnown(_ event: DrainEvent) -> Bool {
        switch event {
        case .wake:
            defer { hasWake = true }
            return hasWake
        case .networkReturned:
            defer { hasNetworkReturn = true }
            return hasNetworkReturn
        case .waitsEnded, .allowed, .timerFired, .attemptFinished, .outcomeDue, .stop:
            return false
        }
    }
}

/// The drains of one outbox that have begun and not ended. At most one of them has the drainer's
/// role; any other drain is about to learn that it lacks the role.
final class RunningDrains: Sendable {
    private struct State: Sendable {
        var drains: [DrainEvents] = []
        var isClosed = false
        /// Callers of ``close()``.
        var closers: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    /// A drain begins. It ends with ``end(_:)``.
    ///
    /// An event that comes while no drain runs is not needed: a drain begins by looking at the
    /// queue.
    ///
    /// - Throws: ``StorageError/closed`` after ``close()``.
    func begin() throws(StorageError) -> DrainEvents {
        let events = DrainEvents()
        let isOpen = state.withLock { state in
            if !state.isClosed { state.drains.append(events) }
            return !state.isClosed
        }
        guard isOpen else { throw .closed }
        return events
    }

    /// A drain has ended: it does nothing more, and has given up the drainer's role.
    func end(_ events: DrainEvents) {
        let closers = state.withLock { state in
            state.drains.removeAll { $0 === events }
            guard state.drains.isEmpty else { return [] as [CheckedContinuation<Void, Never>] }
            defer { state.closers = [] }
            return state.closers
        }
        for closer in closers { closer.resume() }
    }

    func tell(_ event: DrainEvent) {
        for events in state.withLock({ $0.drains }) { events.send(event) }
    }

    /// Lets no drain begin any more, stops the running drains, and waits until they have ended.
    /// Ignores task cancellation.
    func close() async {
        await withCheckedContinuation { closer in
            let drains = state.withLock { state in
                state.isClosed = true
                if !state.drains.isEmpty { state.closers.append(closer) }
                return state.drains
            }
            for events in drains { events.send(.stop) }
            if drains.isEmpty { closer.resume() }
        }
    }
}
