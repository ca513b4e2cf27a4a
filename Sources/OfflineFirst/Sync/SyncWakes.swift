import Synchronization

/// The reasons to pull, collected until the puller takes them. Any thread tells them.
final class SyncWakes: Sendable {
    /// What was told since the last look.
    struct Told: Sendable {
        /// A person, or an arrival of the network: no wait of this device's own goes on.
        var isUrgent = false
        /// Everything is to be pulled from the beginning.
        var isEverything = false
    }

    private struct State: Sendable {
        var told = Told()
        var isForeground = true
    }

    private let state = Mutex(State())
    private let signals = LatestValue<Void>()

    var isForeground: Bool { state.withLock { $0.isForeground } }

    func hurry() { tell { $0.told.isUrgent = true } }

    func pullEverything() {
        tell { state in
            state.told.isUrgent = true
            state.told.isEverything = true
        }
    }

    func setForeground(_ isForeground: Bool) { tell { $0.isForeground = isForeground } }

    /// Puts back that everything is to be pulled, as it cannot be now.
    func keepEverything() { state.withLock { $0.told.isEverything = true } }

    /// Lets the puller look again.
    func signal() { signals.send(()) }

    /// The signals: one at once, and one after each call that tells something.
    func stream() -> AsyncStream<Void> { signals.stream(beginningWith: {}) }

    func take() -> Told {
        state.withLock { state in
            defer { state.told = Told() }
            return state.told
        }
    }

    private func tell(_ change: (inout State) -> Void) {
        state.withLock { change(&$0) }
        signal()
    }
}
