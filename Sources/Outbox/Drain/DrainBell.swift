import Synchronization

/// Carries wake-ups to whoever drains.
///
/// One that comes while nobody drains is not needed: a drain begins by looking at the queue. One
/// that comes while another of its sort has not been heard yet says nothing new, and is passed over.
final class DrainBell: Sendable {
    enum Ring: Sendable {
        case wake
        case networkReturned
    }

    private struct State: Sendable {
        var listener: (@Sendable (Ring) -> Void)?
        var unheard: Set<Ring> = []
    }

    private let state = Mutex(State())

    func ring(_ ring: Ring) {
        let listener = state.withLock { state in
            state.unheard.insert(ring).inserted ? state.listener : nil
        }
        listener?(ring)
    }

    /// The listener is about to act on `ring`: from here on another one is news.
    func heard(_ ring: Ring) {
        state.withLock { _ = $0.unheard.remove(ring) }
    }

    func listen(_ listener: (@Sendable (Ring) -> Void)?) {
        state.withLock { $0 = State(listener: listener) }
    }
}
