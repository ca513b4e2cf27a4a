import LibC
public import OutboxCore

/// The outbox's source of time and of randomness. A test provides its own.
public struct OutboxClock: Sendable {
    /// The wall clock. The outbox uses it only for times that it persists.
    public var wallTime: @Sendable () -> WallTime
    /// The time since an arbitrary moment. Setting the wall clock does not affect it.
    public var monotonic: @Sendable () -> Milliseconds
    /// Waits on the monotonic clock; returns early, without throwing, when the task is cancelled.
    public var sleep: @Sendable (Milliseconds) async -> Void
    /// A uniformly random word for jitter.
    public var jitter: @Sendable () -> UInt32

    /// Creates a clock from its functions. Any thread may call each function.
    public init(
        wallTime: @escaping @Sendable () -> WallTime,
        monotonic: @escaping @Sendable () -> Milliseconds,
        sleep: @escaping @Sendable (Milliseconds) async -> Void,
        jitter: @escaping @Sendable () -> UInt32
    ) {
        self.wallTime = wallTime
        self.monotonic = monotonic
        self.sleep = sleep
        self.jitter = jitter
    }
}

extension OutboxClock {
    /// The system's clocks. The monotonic clock continues while the machine sleeps.
    public static let system = OutboxClock(
        wallTime: { WallTime(millisecondsSinceEpoch: milliseconds(of: CLOCK_REALTIME)) },
        monotonic: { Milliseconds(milliseconds(of: monotonicClock)) },
        sleep: { try? await Task.sleep(for: .milliseconds($0.count), clock: .continuous) },
        jitter: { .random(in: 0 ... .max) }
    )

    #if canImport(Darwin)
        private static var monotonicClock: clockid_t { CLOCK_MONOTONIC_RAW }
    #else
        private static var monotonicClock: clockid_t { CLOCK_BOOTTIME }
    #endif

    private static func milliseconds(of clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }
}

/// A wall clock that cannot be set: the wall time at its creation plus the time that has passed on
/// the monotonic clock.
///
/// While a process lives, setting the wall clock neither shortens nor lengthens a wait.
struct AnchoredClock: Sendable {
    private let clock: OutboxClock
    private let wallTimeAtStart: WallTime
    private let monotonicAtStart: Milliseconds

    init(_ clock: OutboxClock) {
        self.clock = clock
        wallTimeAtStart = clock.wallTime()
        monotonicAtStart = clock.monotonic()
    }

    var now: WallTime {
        wallTimeAtStart.advanced(
            by: Milliseconds(clock.monotonic().count - monotonicAtStart.count)
        )
    }
}
