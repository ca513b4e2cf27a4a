public import Outbox
public import OutboxCore

/// The clocks of one simulated machine: the monotonic one is its scheduler's, the wall clock can be set.
///
/// A clock is confined to its scheduler's thread. It is `Sendable` for this reason only.
public final class SimulatedClock: @unchecked Sendable {
    private let scheduler: SimulatedScheduler
    private var random: SeededRandom
    private var wallTimeAtStart: WallTime

    /// - Parameters:
    ///   - scheduler: The scheduler whose virtual time the clock shows.
    ///   - seed: The seed of the jitter.
    ///   - wallTime: The wall clock's time at this moment.
    public init(
        scheduler: SimulatedScheduler,
        seed: UInt64,
        wallTime: WallTime = WallTime(millisecondsSinceEpoch: 1_800_000_000_000)
    ) {
        self.scheduler = scheduler
        random = SeededRandom(seed: seed)
        wallTimeAtStart = wallTime.advanced(by: Milliseconds(-scheduler.now.count))
    }

    /// The wall clock's time.
    public var wallTime: WallTime { wallTimeAtStart.advanced(by: scheduler.now) }

    /// Sets the wall clock, as a person or a time server does. The monotonic clock does not change.
    public func moveWallTime(by difference: Milliseconds) {
        wallTimeAtStart = wallTimeAtStart.advanced(by: difference)
    }

    /// The clock to give to an outbox.
    public var clock: OutboxClock {
        OutboxClock(
            wallTime: { self.wallTime },
            monotonic: { self.scheduler.now },
            sleep: { await self.scheduler.sleep($0) },
            jitter: { UInt32(truncatingIfNeeded: self.random.next()) }
        )
    }
}
