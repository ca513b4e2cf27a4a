import NIOCore
import Synchronization

/// The order in which the requests of an event loop begin.
///
/// Those of senders that were refused lately (``RefusedSenders``) wait for each other, and begin a few at a
/// time; between two such turns the event loop does everything else that is due. So a flood of requests
/// that will be refused does not fill the time between the steps of an honest person's request.
final class RequestTurns {
    /// The number of requests that begin in a turn.
    static let most = 2
    /// The time between two turns, for the event loop to look at its connections.
    static let pause: TimeAmount = .microseconds(50)

    private let loop: any EventLoop
    private var waiting = CircularBuffer<() -> Void>()
    private var isDue = false

    init(_ loop: any EventLoop) {
        self.loop = loop
    }

    /// Called on the event loop.
    ///
    /// - Parameter isBehind: Whether the request's sender was refused lately.
    func begin(isBehind: Bool, _ request: @escaping () -> Void) {
        guard isBehind else { return request() }
        waiting.append(request)
        if !isDue { turn() }
    }

    private func turn() {
        isDue = true
        for _ in 0..<Self.most { waiting.popFirst()?() }
        // Also after the last one: the next turn is not at once.
        loop.assumeIsolated().scheduleTask(in: Self.pause) { [self] in
            if waiting.isEmpty { isDue = false } else { turn() }
        }
    }
}

/// The turns of each event loop.
final class LoopTurns: Sendable {
    private let all = Mutex<[ObjectIdentifier: NIOLoopBound<RequestTurns>]>([:])

    /// The turns of the event loop on which this is called.
    func turns(of loop: any EventLoop) -> RequestTurns {
        all.withLock { all in
            if let known = all[ObjectIdentifier(loop)] { return known }
            let new = NIOLoopBound(RequestTurns(loop), eventLoop: loop)
            all[ObjectIdentifier(loop)] = new
            return new
        }.value
    }
}
