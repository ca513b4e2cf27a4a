import OutboxCore
import Synchronization

/// An event that one drain acts on.
enum DrainEvent: Sendable {
    /// The queue may have changed.
    case wake
    case networkReturned
    /// The timer with this number fired; a later number has replaced it when the drain has a greater
    /// one.
    case timerFired(number: Int)
    case attemptFinished(OperationID, DeliveryMachine.Outcome)
    /// The outcome of this operation could not be stored before and is due once more.
    case outcomeDue(OperationID)
    case stop
}

/// The events of one drain, in their order. Any thread sends; the drain alone takes.
final class DrainEvents: Sendable {
    fileprivate struct State: Sendable {
        var events: [DrainEvent] = []
        /// Whether `events` holds a ``DrainEvent/wake``, which says as much as two.
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
    /// Whether an equal event waits already, so that another one says nothing new.
    fileprivate mutating func isKnown(_ event: DrainEvent) -> Bool {
        switch event {
        case .wake:
            defer { hasWake = true }
            return hasWake
        case .networkReturned:
            defer { hasNetworkReturn = true }
            return hasNetworkReturn
        case .timerFired, .attemptFinished, .outcomeDue, .stop:
            return false
        }
    }
}

/// The drains of one outbox that have begun and not ended. At most one of them has the drainer's
/// role; another one is about to hear that it has not.
final class RunningDrains: Sendable {
    private let drains = Mutex<[DrainEvents]>([])

    /// A drain begins. It ends with ``end(_:)``.
    ///
    /// An event that is told to nobody, because no drain runs, is not needed: a drain begins by
    /// looking at the queue.
    func begin() -> DrainEvents {
        let events = DrainEvents()
        drains.withLock { $0.append(events) }
        return events
    }

    func end(_ events: DrainEvents) {
        drains.withLock { $0.removeAll { $0 === events } }
    }

    func tell(_ event: DrainEvent) {
        for events in drains.withLock({ $0 }) { events.send(event) }
    }
}
