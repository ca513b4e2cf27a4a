import Logging
import Outbox
import OutboxCore
import RelayAPI

/// The answer of `/readyz`: whether this relay can accept memos and hand their mails on. Names
/// codes and never numbers: strangers may read it.
struct ReadinessReport: Encodable, Hashable, Sendable {
    /// The results of the checks: ``fine``, or a code that says what is wrong.
    struct Checks: Encodable, Hashable, Sendable {
        var database: String
        var disk: String
        var key: String
        var queue: String
    }

    static let fine = "ok"

    var checks: Checks
    /// The failures for which accepted mails wait. A mail server that refuses this relay is named
    /// here, and does not make the relay unready: memos are accepted, and wait.
    var waits: [String]
    let ready: Bool

    init(checks: Checks, waits: [String] = []) {
        self.checks = checks
        self.waits = waits
        let results = [checks.database, checks.disk, checks.key, checks.queue]
        ready = results.allSatisfy { $0 == Self.fine }
    }

    /// The database did not answer in time, and the other checks may wait for the same disk.
    static let late = ReadinessReport(
        checks: Checks(
            database: "storage.slow",
            disk: "unknown",
            key: "unknown",
            queue: "unknown"
        )
    )
}

/// Tries what the relay needs, for any number of callers.
///
/// | check | fails when |
/// |---|---|
/// | database | a durable write fails, or takes longer than 5 s |
/// | disk | the free space is below the reserve |
/// | key | the key file cannot be read, or has lost the key of the relay's secret |
/// | queue | a mail has been due for ``longestStand``, and no attempt of any relay has begun or ended for as long |
///
/// However many strangers ask, one trial runs at a time, and the next one begins when the report is
/// 5 s old.
actor Readiness<Store: ExaminedStore> {
    private let store: Store
    private let reserve: DiskReserve
    private let activity: MailActivity
    private let clock: WallClock
    private let logger: Logger
    private let patience: Duration
    private let lifetime: Duration
    private var latest: (report: ReadinessReport, at: ContinuousClock.Instant)?
    private var trial: Task<ReadinessReport, Never>?

    /// The longest time of one attempt (``MailServer/timeout``), and a minute: another relay's movements
    /// are noted by half a minute.
    static var longestStand: Milliseconds { .seconds(660) }

    /// - Parameters:
    ///   - store: The store to try.
    ///   - reserve: The disk's reserve.
    ///   - activity: The movements of the mail queue.
    ///   - clock: Reads the wall clock.
    ///   - logger: Logs when the relay becomes unready, and ready again.
    ///   - patience: The longest wait for a trial.
    ///   - lifetime: The time for which a report is given again.
    init(
        store: Store,
        reserve: DiskReserve,
        activity: MailActivity,
        clock: @escaping WallClock,
        logger: Logger,
        patience: Duration,
        lifetime: Duration = .seconds(5)
    ) {
        self.store = store
        self.reserve = reserve
        self.activity = activity
        self.clock = clock
        self.logger = logger
        self.patience = patience
        self.lifetime = lifetime
    }

    /// The present report, at most its lifetime old.
    func report() async -> ReadinessReport {
        if let latest, latest.at.duration(to: .now) < lifetime { return latest.report }
        let trial = trial ?? begin()
        return await Self.result(of: trial, within: patience) ?? .late
    }

    private func begin() -> Task<ReadinessReport, Never> {
        let trial = Task { [self] in
            let report = await tryAll()
            ended(with: report)
            return report
        }
        self.trial = trial
        return trial
    }

    private func ended(with report: ReadinessReport) {
        if report.ready != (latest?.report.ready ?? true) {
            logger.log(
                level: report.ready ? .notice : .error,
                report.ready ? "ready again" : "not ready",
                metadata: [
                    "database": "\(report.checks.database)", "disk": "\(report.checks.disk)",
                    "key": "\(report.checks.key)", "queue": "\(report.checks.queue)",
                ]
            )
        }
        latest = (report, .now)
        trial = nil
    }

    private func tryAll() async -> ReadinessReport {
        let now = clock()
        var waits: [ReasonCode: Int] = [:]
        let database = await result { try await store.tryWriting(at: now) }
        let key = await result { try await store.tryKeys() }
        var queue = ReadinessReport.fine
        do {
            let condition = try await store.queueCondition(at: now)
            waits = condition.waits
            let moved = try await store.lastMovement()
            if isStanding(condition, since: moved, at: now) { queue = "queue.standing" }
        } catch {
            queue = "\(ReasonCode(failure: error))"
        }
        return ReadinessReport(
            checks: ReadinessReport.Checks(
                database: database,
                disk: reserve.hasRoom() ? ReadinessReport.fine : "disk.reserve",
                key: key,
                queue: queue
            ),
            waits: waits.keys.map { "\($0)" }.sorted()
        )
    }

    /// - Parameter moved: The latest movement by whichever relay, as the store has it.
    private func isStanding(
        _ condition: QueueCondition,
        since moved: WallTime?,
        at now: WallTime
    ) -> Bool {
        guard let dueSince = condition.dueSince else { return false }
        let latest = max(activity.lastMoved, moved ?? .distantPast)
        return now.since(dueSince) >= Self.longestStand
            && now.since(latest) >= Self.longestStand
    }

    private func result(of check: () async throws -> Void) async -> String {
        do {
            try await check()
            return ReadinessReport.fine
        } catch {
            return "\(ReasonCode(failure: error))"
        }
    }

    /// - Returns: `nil` when the task takes longer. The task goes on.
    private static func result(
        of task: Task<ReadinessReport, Never>,
        within patience: Duration
    ) async -> ReadinessReport? {
        let (results, result) = AsyncStream<ReadinessReport?>.makeStream()
        let timer = Task {
            try await Task.sleep(for: patience)
            result.yield(nil)
        }
        let waiter = Task { result.yield(await task.value) }
        defer {
            timer.cancel()
            waiter.cancel()
        }
        for await first in results { return first }
        return nil
    }
}
