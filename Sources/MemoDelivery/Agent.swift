import Logging
public import MemoKit
import Outbox
import OutboxCore
import OutboxLogging
import OutboxSQLite

/// The process that delivers: one for each data folder, started on demand, ended when nothing is
/// left.
///
/// A run takes the lock, or wakes the agent that holds the lock; opens the bell; delivers until
/// nothing is queued, not even for later; lingers; closes the bell; looks once more, because a
/// sender may have stored a memo and rung just before; and ends. A further round begins only when
/// the queue is not as it was before the last one.
public struct Agent: Sendable {
    /// The end of a run.
    public enum End: String, Hashable, Sendable {
        /// No operation is left that will be attempted.
        case idle
        /// The task was cancelled. Undelivered memos stay in the outbox.
        case stopped
        /// Another agent runs, and was woken.
        case otherRuns = "other-runs"
        /// Nobody is signed in.
        case noAccount = "no-account"
    }

    private let folder: DataFolder
    private let client: RelayClient
    private let linger: Duration
    private let patience: Duration
    private let logger: Logger

    /// - Parameters:
    ///   - linger: The wait for more memos before the run ends.
    ///   - patience: The longest wait for another agent that neither answers nor ends.
    public init(
        folder: DataFolder,
        client: RelayClient = RelayClient(),
        linger: Duration = .seconds(2),
        patience: Duration = .seconds(30)
    ) {
        self.folder = folder
        self.client = client
        self.linger = linger
        self.patience = patience
        logger = Logger(label: "outbox") { AgentLog(label: $0, path: folder.log) }
    }

    /// Delivers until nothing is left or the task is cancelled.
    ///
    /// - Throws: ``MemoError`` when the folder, the database or the bell cannot be used. Failures
    ///   of deliveries are not thrown: they are logged and tried again.
    public func run() async throws(MemoError) -> End {
        let logger = logger
        let box = try MemoBox(folder: folder) { logger.log($0) }
        guard try box.hasAccount() else { return .noAccount }
        guard let role = try await takeRole() else {
            return Task.isCancelled ? .stopped : .otherRuns
        }
        defer { withExtendedLifetime(role) {} }
        logger.info("started")
        var resumed: Account?
        var queued = try box.queuedEntries()
        var isMoreToDo = true
        while isMoreToDo {
            try await serve(box, &resumed)
            let left = try box.queuedEntries()
            // Entries of a damaged database may stay whatever a drain does: they call for no round.
            isMoreToDo = !Task.isCancelled && !left.isEmpty && left != queued
            queued = left
        }
        // The next sender then finds a short log. A failure costs time, not data.
        try? box.outbox.storage.checkpoint()
        await box.outbox.close()
        let end = Task.isCancelled ? End.stopped : .idle
        logger.info("ended", metadata: ["end": "\(end.rawValue)"])
        return end
    }

    /// - Returns: `nil` when another agent has the role and heard the bell, or on cancellation.
    private func takeRole() async throws(MemoError) -> FileLock? {
        let end = ContinuousClock.now + patience
        while !Task.isCancelled {
            guard ContinuousClock.now < end else { throw .agentSilent }
            do {
                if let role = try FileLock(path: folder.agentLock) { return role }
            } catch {
                throw MemoError(error, folder: folder)
            }
            if Bell.ring(folder.bell) { return nil }
            // The lock's holder is about to open the bell, or to end.
            try? await Task.sleep(for: .milliseconds(10))
        }
        return nil
    }

    /// - Parameter resumed: The account for which parked memos were queued again.
    private func serve(_ box: MemoBox, _ resumed: inout Account?) async throws(MemoError) {
        let ring = RingFlag()
        let bell = try BellPipe(folder: folder) {
            ring.raise()
            box.outbox.wake()
        }
        let failure = await drain(box, ring, &resumed)
        await bell.close()
        if let failure { throw failure }
    }

    private func drain(
        _ box: MemoBox,
        _ ring: RingFlag,
        _ resumed: inout Account?
    ) async -> MemoError? {
        let delivery = Delivery(box: box, client: client)
        let network = Task { await NetworkReturn.watch { box.outbox.networkReturned() } }
        defer { network.cancel() }
        do {
            repeat {
                resume(box, &resumed)
                try await box.outbox.drain([.memo: { await delivery.deliver($0) }], until: .idle)
            } while await ring.wait(within: linger)
            return nil
        } catch {
            return MemoError(error, folder: folder)
        }
    }

    /// Queues memos again that were parked without an accepted token, once for each account.
    ///
    /// Signing in does so too, but may be cut short before, or meet a refusal that is not stored yet.
    private func resume(_ box: MemoBox, _ resumed: inout Account?) {
        do {
            guard let account = try box.account(), account != resumed else { return }
            try box.retryUnauthorized()
            resumed = account
        } catch {
            logger.warning(
                "parked memos not queued again",
                metadata: ["error": "parked.not-queued"]
            )
        }
    }
}
