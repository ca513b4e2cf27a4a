import OutboxCore
import Synchronization

/// Keeps the part of an outbox's state that is not in its storage, and signals each change to the
/// sequences of states.
final class StateWatch: Sendable {
    private struct State: Sendable {
        var inFlight: Set<OperationID> = []
        var isOnline: Bool?
        var listeners: [UInt64: AsyncStream<Void>.Continuation] = [:]
        var nextListener: UInt64 = 0
        var isClosed = false
    }

    private let state = Mutex(State())

    var seen: (inFlight: Int, isOnline: Bool?) {
        state.withLock { ($0.inFlight.count, $0.isOnline) }
    }

    func saw(_ event: OutboxEvent) {
        change { state in
            guard let id = event.id else { return }
            switch event.change {
            case .attempting: state.inFlight.insert(id)
            case .delivered, .waiting, .parked, .leftAlone: state.inFlight.remove(id)
            case .enqueued, .waitEnded, .waitCut, .requeued, .deleted, .quarantined,
                .outcomeNotStored, .queueNotRead, .damaged:
                break
            }
        }
    }

    /// Notes a change that no event reports.
    func changed() {
        change { _ in }
    }

    func networkChanged(isOnline: Bool) {
        change { $0.isOnline = isOnline }
    }

    /// Notes that a stopped drain has left its operations in flight as they were.
    func drainEnded() {
        change { $0.inFlight = [] }
    }

    /// Whether the outbox is closed, so that no other state follows.
    var isClosed: Bool { state.withLock { $0.isClosed } }

    func close() {
        state.withLock { $0.isClosed = true }
        changed()
    }

    func listen() -> Listener {
        let (signals, continuation) = AsyncStream<Void>.makeStream(
            bufferingPolicy: .bufferingNewest(1)
        )
        let number = state.withLock { state in
            defer { state.nextListener += 1 }
            state.listeners[state.nextListener] = continuation
            return state.nextListener
        }
        return Listener(watch: self, number: number, signals: signals, continuation: continuation)
    }

    private func change(_ body: (inout State) -> Void) {
        let listeners = state.withLock { state in
            body(&state)
            return state.listeners.isEmpty ? [] : Array(state.listeners.values)
        }
        for listener in listeners { listener.yield() }
    }

    /// Receives a signal after each change, for as long as the listener lives.
    final class Listener: Sendable {
        let signals: AsyncStream<Void>
        private let watch: StateWatch
        private let number: UInt64
        private let continuation: AsyncStream<Void>.Continuation

        fileprivate init(
            watch: StateWatch,
            number: UInt64,
            signals: AsyncStream<Void>,
            continuation: AsyncStream<Void>.Continuation
        ) {
            self.watch = watch
            self.number = number
            self.signals = signals
            self.continuation = continuation
        }

        func signal() {
            continuation.yield()
        }

        deinit {
            _ = watch.state.withLock { $0.listeners.removeValue(forKey: number) }
            continuation.finish()
        }
    }
}
