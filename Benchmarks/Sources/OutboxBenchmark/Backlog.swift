import Foundation
import Measurement
import Outbox
import OutboxCore
import OutboxSQLite

/// A SQLite outbox with a given number of operations.
///
/// Its wall clock always shows one moment, so that filling may take its time.
struct Backlog {
    let outbox: Outbox<SQLiteStorage>

    static let now = WallTime(millisecondsSinceEpoch: 1_800_000_000_000)
    /// When all that waits is due.
    static let later = now.advanced(by: .seconds(2 * 86_400))

    init(_ folder: String, at now: WallTime = Self.now) throws {
        let system = OutboxClock.system
        let clock = OutboxClock(
            wallTime: { now },
            monotonic: system.monotonic,
            sleep: system.sleep,
            jitter: system.jitter
        )
        let storage = try SQLiteStorage(path: "\(folder)/outbox.sqlite")
        outbox = makeOutbox(storage, folder, clock: clock)
    }

    /// All but one wait for one of the three causes, as long as the policy may have written.
    func fill(_ count: Int) throws {
        try outbox.fill(count) { number, envelope in
            guard number != count / 2 else { return }
            let causes: [WaitCause] = [.backoff, .network, .server]
            envelope.waitCause = causes[number % 3]
            envelope.attemptCount = 11
            let longest = RetryPolicy.device.longestWait(for: envelope.waitCause).count
            let wait = Milliseconds(.random(in: longest / 2...longest))
            envelope.nextEligibleAt = Self.now.advanced(by: wait)
        }
    }

    /// Seconds for one look-up of a drain's next operations.
    func secondsOfNext() throws -> Double {
        try seconds {
            let found = try outbox.storage.eligible(at: Self.now, limit: 3)
            precondition(!found.entries.isEmpty && found.nextEligibleAt != nil)
        }
    }

    /// Seconds for a durable enqueue, whose operation is removed again.
    func secondsOfEnqueue() throws -> Double {
        var made: OperationID?
        let time = try seconds { made = try outbox.enqueue(kind: "benchmark", payload: payload) }
        if let made { try outbox.delete(made) }
        return time
    }

    /// Seconds from opening a store to its first attempt, which changes nothing.
    static func secondsOfReopening(_ folder: String) async throws -> Double {
        let (attempts, attempt) = AsyncStream.makeStream(of: ContinuousClock.Instant.self)
        let start = ContinuousClock.now
        let backlog = try Backlog(folder)
        let drain = Task {
            try await backlog.outbox.drain([
                "benchmark": { _ in
                    attempt.yield(.now)
                    // The outcome of an attempt that was cut short is not stored.
                    await OutboxClock.system.sleep(.seconds(600))
                    return .retry("cut-short")
                }
            ])
        }
        var first = attempts.makeAsyncIterator()
        let time = await first.next().map { ($0 - start) / .seconds(1) }
        drain.cancel()
        try await drain.value
        return time!
    }
}

private struct MeasuredBacklogs: Encodable {
    /// With few and with many queued.
    var next: [[Double]] = [[], []]
    var enqueue: [[Double]] = [[], []]
    var reopen: [[Double]] = [[], []]
    var fillSeconds = 0.0
    /// The larger database.
    var bytes = 0
}

/// Compares a store of `few` with one of `many`, all but one operation waiting, in turn.
func measureBacklogs(_ path: String, few: Int, many: Int, rounds: Int) async throws {
    let folders = ["\(path)/few", "\(path)/many"]
    var measured = MeasuredBacklogs()
    for (folder, count) in zip(folders, [few, many]) {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let backlog = try Backlog(folder)
        measured.fillSeconds = try seconds { try backlog.fill(count) }
        try backlog.outbox.storage.checkpoint()
    }
    let database = try FileManager.default.attributesOfItem(atPath: "\(folders[1])/outbox.sqlite")
    measured.bytes = database[.size] as? Int ?? 0

    let backlogs = try folders.map { try Backlog($0) }
    for round in 0..<rounds + rounds / 10 {
        for (index, backlog) in backlogs.enumerated() {
            let next = try backlog.secondsOfNext()
            let enqueue = try backlog.secondsOfEnqueue()
            guard round >= rounds / 10 else { continue }
            measured.next[index].append(next)
            measured.enqueue[index].append(enqueue)
        }
    }
    for _ in 0..<max(rounds / 20, 2) {
        for (index, folder) in folders.enumerated() {
            measured.reopen[index].append(try await Backlog.secondsOfReopening(folder))
        }
    }
    try report(measured)
}

private struct MeasuredWork: Encodable {
    let seconds: Double
    let idleKilobytes: Int
    let peakKilobytes: Int
}

/// Lets the network return to a drain of what ``measureBacklogs(_:few:many:rounds:)`` left in a
/// folder, and waits for the first attempt that this causes.
func measureFirstAttempt(_ folder: String) async throws {
    let backlog = try Backlog(folder)
    let (attempts, attempt) = AsyncStream.makeStream(of: UInt32.self)
    let drain = Task {
        try await backlog.outbox.drain([
            "benchmark": { operation in
                attempt.yield(operation.attemptCount)
                // The outcome of an attempt that was cut short is not stored.
                await OutboxClock.system.sleep(.seconds(600))
                return .retry("cut-short")
            }
        ])
    }
    var counts = attempts.makeAsyncIterator()
    // The only operation that does not wait: the drain runs.
    let dueCount = await counts.next()
    let start = ContinuousClock.now
    backlog.outbox.networkReturned()
    let waitedCount = await counts.next()
    let time = (ContinuousClock.now - start) / .seconds(1)
    precondition(dueCount == 0 && waitedCount == 11)
    drain.cancel()
    try await drain.value
    try report(["seconds": time])
}

/// Ends every wait of what ``measureBacklogs(_:few:many:rounds:)`` left in a folder, as the return
/// of the network ends those of its own, in a process that has done nothing else.
func measureNetworkReturn(_ folder: String) throws {
    let storage = try Backlog(folder).outbox.storage
    let idle = try Memory.resident()
    let time = try seconds {
        for cause in [WaitCause.network, .backoff, .server] { try storage.endWaits(for: cause) }
    }
    let peak = try Memory.peak()
    let left = try storage.eligible(at: Backlog.now, limit: 1)
    precondition(left.entries.count == 1)
    try report(MeasuredWork(seconds: time, idleKilobytes: idle, peakKilobytes: peak))
}

/// Drains what ``measureBacklogs(_:few:many:rounds:)`` left in a folder, in a process that has done
/// nothing else.
func measureDrain(_ folder: String) async throws {
    let backlog = try Backlog(folder, at: Backlog.later)
    _ = try backlog.outbox.storage.eligible(at: Backlog.later, limit: 3)
    let idle = try Memory.resident()
    let start = ContinuousClock.now
    try await backlog.outbox.drain(1)
    let time = (ContinuousClock.now - start) / .seconds(1)
    let peak = try Memory.peak()
    let left = try backlog.outbox.counts()
    precondition(left == OutboxCounts())
    try report(MeasuredWork(seconds: time, idleKilobytes: idle, peakKilobytes: peak))
}
