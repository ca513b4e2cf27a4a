public import MemoCore
import Outbox
public import OutboxCore
import OutboxSQLite
import SQLite
import Synchronization

/// One measurement.
public struct Timing: Hashable, Sendable {
    /// The span of time that was measured.
    public let kind: TimingKind
    /// The time at which the span ended, by the clock of the device.
    public let at: WallTime
    /// The length of the span in microseconds, by a clock that never goes back.
    public let microseconds: Int64

    /// Makes a measurement of its parts.
    ///
    /// - Parameters:
    ///   - kind: The span of time.
    ///   - at: The time at which the span ended.
    ///   - microseconds: The length of the span in microseconds.
    public init(kind: TimingKind, at: WallTime, microseconds: Int64) {
        self.kind = kind
        self.at = at
        self.microseconds = microseconds
    }
}

/// Measurements that are not written yet. Safe to use from any thread.
final class PendingTimings: Sendable {
    private let timings = Mutex<[Timing]>([])

    /// The measurements, the earliest first.
    var all: [Timing] { timings.withLock { $0 } }

    func append(_ timing: Timing) {
        timings.withLock { $0.append(timing) }
    }

    /// Forgets the earliest measurements, which have been written.
    func removeFirst(_ count: Int) {
        timings.withLock { $0.removeFirst(count) }
    }
}

extension MemoBox {
    /// Notes a measurement. The next ``send(_:of:)``, or ``flushTimings()``, writes the measurement.
    public func recordTiming(_ kind: TimingKind, microseconds: Int64) {
        let timing = Timing(
            kind: kind,
            at: OutboxClock.system.wallTime(),
            microseconds: microseconds
        )
        pendingTimings.append(timing)
    }

    /// Writes the noted measurements. Call this at the end of a compose, after the last memo.
    ///
    /// - Throws: ``MemoError``; the measurements are kept for another try.
    public func flushTimings() throws(MemoError) {
        let timings = pendingTimings.all
        guard !timings.isEmpty else { return }
        try translatingErrors {
            try storage.write { try Self.insert(timings, in: $0) }
        }
        pendingTimings.removeFirst(timings.count)
    }

    /// Recent measurements, the latest first.
    public func timings(_ kind: TimingKind, limit: Int = 20) throws(MemoError) -> [Timing] {
        try translatingErrors {
            try storage.read { connection in
                try connection.query(
                    """
                    SELECT at, microseconds FROM memo_timing WHERE kind = ?
                    ORDER BY number DESC LIMIT ?
                    """,
                    .integer(kind.rawValue),
                    .integer(Int64(max(0, limit))),
                    row: { row in
                        Timing(
                            kind: kind,
                            at: WallTime(millisecondsSinceEpoch: row.integer(0)),
                            microseconds: row.integer(1)
                        )
                    }
                )
            }
        }
    }

    /// Adds measurements and forgets all but the latest thousand.
    static func insert(_ timings: [Timing], in connection: Connection) throws {
        guard !timings.isEmpty else { return }
        for timing in timings {
            try connection.run(
                "INSERT INTO memo_timing (kind, at, microseconds) VALUES (?, ?, ?)",
                .integer(timing.kind.rawValue),
                .integer(timing.at.millisecondsSinceEpoch),
                .integer(timing.microseconds)
            )
        }
        try connection.run(
            "DELETE FROM memo_timing WHERE number <= (SELECT max(number) FROM memo_timing) - 1000"
        )
    }
}
