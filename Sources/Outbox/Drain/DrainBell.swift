internal import Synchronization

/// Carries wake-ups to whoever drains. One that comes while nobody drains is not needed: a drain
/// begins by looking at the queue.
final class DrainBell: Sendable {
    enum Ring: Sendable {
        case wake
        case networkReturned
    }

    private let listener = Mutex<(@Sendable (Ring) -> Void)?>(nil)

    func ring(_ ring: Ring) {
        listener.withLock { $0 }?(ring)
    }

    func listen(_ listener: (@Sendable (Ring) -> Void)?) {
        self.listener.withLock { $0 = listener }
    }
}
