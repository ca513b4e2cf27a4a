import Synchronization

/// What a drain has been told and has not heard yet, in order. Anybody tells; one reader takes all
/// that is there at once.
final class DrainInbox: Sendable {
    private struct State: Sendable {
        var events: [DrainEvent] = []
        /// Waits while there is no event.
        var reader: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())

    func put(_ event: DrainEvent) {
        let reader = state.withLock { state in
            state.events.append(event)
            defer { state.reader = nil }
            return state.reader
        }
        reader?.resume()
    }

    /// Waits for an event. Not cancelled with its task: who waits here is told to stop by an event.
    ///
    /// - Returns: Everything that was put until now; at least one event.
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
            defer { state.events = [] }
            return state.events
        }
    }
}
