import NIOCore
import Synchronization

/// The bytes that a relay receives only to drop them: the rest of a body whose request was answered
/// before its end.
///
/// A client that still sends would lose the answer if the relay closed at once, so the relay drops what
/// follows. That costs the relay as much work as a body that it wants, so all connections together get
/// a number of bytes a second. While none is left, a connection is not read, and ends when its time
/// for that has passed: its client may then lose the answer, and tries again later.
final class DroppedBytes: Sendable {
    /// The time after which a connection asks again whether it may be read.
    static let pause: TimeAmount = .milliseconds(250)

    private struct State {
        var left: Double
        var at: NIODeadline
    }

    private let perSecond: Double
    private let state: Mutex<State>

    /// - Parameters:
    ///   - perSecond: The bytes of all connections in a second, also those of the first moment.
    ///   - now: The present time.
    init(perSecond: Int, now: NIODeadline = .now()) {
        self.perSecond = Double(perSecond)
        state = Mutex(State(left: Double(perSecond), at: now))
    }

    /// Counts bytes that were dropped.
    ///
    /// - Parameter count: In bytes; 0 to ask only.
    /// - Returns: Whether more may be received.
    func count(_ count: Int, at now: NIODeadline = .now()) -> Bool {
        state.withLock { state in
            let seconds = Double(max(0, (now - state.at).nanoseconds)) / 1e9
            state.left = min(perSecond, state.left + seconds * perSecond) - Double(count)
            state.at = max(state.at, now)
            return state.left > 0
        }
    }
}
