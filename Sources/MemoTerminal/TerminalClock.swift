import LibC

/// Measures from the start of the process, and from the key that sends to the empty field.
///
/// The processor time of the process counts for the time before `main`, in which the program is
/// loaded and linked, and cannot look at a clock.
public final class TerminalClock {
    private let start: Int64
    private let before: Int64
    private var hasBeenReady = false
    private var sendStart: Int64?

    /// Starts measuring. Make the clock first thing in `main`.
    public init() {
        start = Self.read(CLOCK_MONOTONIC)
        before = Self.read(CLOCK_PROCESS_CPUTIME_ID)
    }

    /// Microseconds from the start of the process until this call, the first time; then `nil`.
    func takeTimeToReady() -> Int64? {
        guard !hasBeenReady else { return nil }
        hasBeenReady = true
        return (Self.read(CLOCK_MONOTONIC) - start + before) / 1000
    }

    /// Notes that the key that sends was read.
    func beginSend() {
        sendStart = Self.read(CLOCK_MONOTONIC)
    }

    /// Forgets the send that has begun: nothing was sent.
    func abandonSend() {
        sendStart = nil
    }

    /// Microseconds from the last ``beginSend()`` until this call, the first time; then `nil`.
    func takeTimeOfSend() -> Int64? {
        guard let sendStart else { return nil }
        self.sendStart = nil
        return (Self.read(CLOCK_MONOTONIC) - sendStart) / 1000
    }

    /// Nanoseconds that `clock` shows.
    private static func read(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
