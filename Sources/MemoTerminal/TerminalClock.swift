import LibC

/// Measures from the start of the process.
///
/// What the process had computed before `main` could look at a clock, loading and linking, is
/// counted by its processor time.
public final class TerminalClock {
    private let start: Int64
    private let before: Int64
    private var hasBeenReady = false

    /// Make it first thing in `main`.
    public init() {
        start = Self.read(CLOCK_MONOTONIC)
        before = Self.read(CLOCK_PROCESS_CPUTIME_ID)
    }

    /// Nanoseconds of a monotonic clock.
    func now() -> Int64 { Self.read(CLOCK_MONOTONIC) }

    /// Microseconds from the start of the process to now, the first time; then `nil`.
    func takeTimeToReady() -> Int64? {
        guard !hasBeenReady else { return nil }
        hasBeenReady = true
        return (now() - start + before) / 1000
    }

    private static func read(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
