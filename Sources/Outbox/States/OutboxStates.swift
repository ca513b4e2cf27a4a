import OutboxCore

/// The states of an outbox: the current one first, then each that differs from the one before by
/// more than the age of the oldest entry. Made by ``Outbox/states(patience:recheck:)``.
///
/// The sequence notices changes by this object at once, and changes by other processes after the
/// given time. A slow consumer misses intermediate states and receives the newest. Each iteration
/// reads the storage itself and spends at most a tenth of the time reading: with a million entries,
/// where counting takes tens of milliseconds, states come less often. While the storage cannot be
/// read, the sequence gives no state and reads again after a while.
///
/// Ends when the task is cancelled, and after ``Outbox/close()``: at once if the sequence waits for
/// a change, otherwise after its pause between two readings. The sequence keeps its outbox alive.
public struct OutboxStates<Storage: OutboxStorage>: AsyncSequence, Sendable {
    public typealias Element = OutboxState
    public typealias Failure = Never

    let outbox: Outbox<Storage>
    let patience: Milliseconds
    let recheck: Milliseconds

    /// Creates an iterator, which begins to receive changes. The first state is the current state.
    public func makeAsyncIterator() -> Iterator { Iterator(self) }

    /// Iterates over an outbox's states.
    public struct Iterator: AsyncIteratorProtocol {
        private let states: OutboxStates
        private let listener: StateWatch.Listener
        private var signals: AsyncStream<Void>.Iterator
        private var last: OutboxState?
        private var pause = Milliseconds(0)

        init(_ states: OutboxStates) {
            self.states = states
            listener = states.outbox.watch.listen()
            signals = listener.signals.makeAsyncIterator()
        }

        /// - Returns: `nil` once the task is cancelled or the outbox is closed.
        public mutating func next() async -> OutboxState? {
            while true {
                if last != nil || pause.count > 0 { await waitForNews() }
                if Task.isCancelled || states.outbox.watch.isClosed { return nil }
                let clock = states.outbox.clock
                let start = clock.monotonic()
                let state = try? states.outbox.state(patience: states.patience)
                pause = Milliseconds(9 * (clock.monotonic().count - start.count))
                guard let state else {
                    pause = Swift.max(pause, states.recheck)
                    continue
                }
                if last.map({ !$0.isSame(as: state) }) ?? true {
                    last = state
                    return state
                }
            }
        }

        private mutating func waitForNews() async {
            let clock = states.outbox.clock
            if pause.count > 0 { await clock.sleep(pause) }
            let (listener, wait) = (listener, untilNextLook)
            let timer = Task {
                await clock.sleep(wait)
                if !Task.isCancelled { listener.signal() }
            }
            _ = await signals.next()
            timer.cancel()
        }

        private var untilNextLook: Milliseconds {
            guard let last, !last.needsAttention, let age = last.oldestAge else {
                return states.recheck
            }
            let untilLate = Milliseconds(states.patience.count - age.count)
            return Swift.max(Milliseconds(1), Swift.min(states.recheck, untilLate))
        }
    }
}
