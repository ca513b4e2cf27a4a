public import Outbox
public import OutboxCore
import Synchronization

/// A clock that moves only when a test moves it.
///
/// A sleeping task wakes when the monotonic time reaches the end of its sleep. Jitter is always 0.
public final class ManualClock: Sendable {
    private struct Sleeper: Sendable {
        let id: UInt64
        let wakesAt: Int64
        let continuation: CheckedContinuation<Void, Never>
    }

    private struct State: Sendable {
        var wall: Int64
        var monotonic: Int64 = 0
        var nextSleeper: UInt64 = 0
        var cancelled: Set<UInt64> = []
        var sleepers: [Sleeper] = []
    }

    private let state: Mutex<State>

    /// Makes a clock that shows `wallTime`.
    public init(wallTime: WallTime = WallTime(millisecondsSinceEpoch: 1_800_000_000_000)) {
        state = Mutex(State(wall: wallTime.millisecondsSinceEpoch))
    }

    /// The clock to give to an outbox.
    public var clock: OutboxClock {
        OutboxClock(
            wallTime: { self.now },
            monotonic: { Milliseconds(self.state.withLock { $0.monotonic }) },
            sleep: { await self.sleep($0) },
            jitter: { 0 }
        )
    }

    /// The wall clock's time.
    public var now: WallTime {
        WallTime(millisecondsSinceEpoch: state.withLock { $0.wall })
    }

    /// The number of tasks that sleep on this clock.
    public var sleeperCount: Int { state.withLock { $0.sleepers.count } }

    /// Moves the wall clock and the monotonic clock forward, and ends each sleep that is over.
    public func advance(by duration: Milliseconds) {
        let awake = state.withLock { state in
            state.wall += duration.count
            state.monotonic += duration.count
            let monotonic = state.monotonic
            defer { state.sleepers.removeAll { $0.wakesAt <= monotonic } }
            return state.sleepers.filter { $0.wakesAt <= monotonic }
        }
        for sleeper in awake { sleeper.continuation.resume() }
    }

    /// Sets the wall clock, as a person or a time server does. The monotonic clock does not change.
    public func setWallTime(movedBy difference: Milliseconds) {
        state.withLock { $0.wall += difference.count }
    }

    private func sleep(_ duration: Milliseconds) async {
        let id = state.withLock { state in
            state.nextSleeper += 1
            return state.nextSleeper
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if duration.count <= 0 || state.cancelled.remove(id) != nil { return true }
                    let wakesAt = state.monotonic + duration.count
                    state.sleepers.append(
                        Sleeper(id: id, wakesAt: wakesAt, continuation: continuation)
                    )
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            let cancelled = state.withLock { state -> Sleeper? in
                guard let index = state.sleepers.firstIndex(where: { $0.id == id }) else {
                    state.cancelled.insert(id)
                    return nil
                }
                return state.sleepers.remove(at: index)
            }
            cancelled?.continuation.resume()
        }
    }
}
