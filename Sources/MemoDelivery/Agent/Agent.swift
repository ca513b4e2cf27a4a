import Logging
public import MemoCourier
public import MemoKit
public import MemoProcesses
import Outbox
import OutboxCore
import OutboxLogging
import OutboxSQLite

/// The process that delivers: one for each data folder, started on demand, ended when nothing is
/// left.
///
/// A run takes the lock, or wakes the agent that holds the lock; opens the bell; delivers until
/// nothing is queued, not even for later; lingers; asks what became of sent memos; closes the bell;
/// looks once more, because a sender may have stored a memo and rung just before; and ends. A
/// further round begins only when the queue is not as it was before the last one.
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
    private let bells: BellPaths
    private let look: Duration
    private let logger: Logger

    /// - Parameters:
    ///   - linger: The wait for more memos before the run ends.
    ///   - patience: The longest wait for another agent that neither answers nor ends.
    ///   - bells: The paths of the pipe; `nil` for the folder's own.
    ///   - look: The wait between two looks at the outbox, where the folder takes no pipe.
    public init(
        folder: DataFolder,
        client: RelayClient = .ofEnvironment,
        linger: Duration = .seconds(2),
        patience: Duration = .seconds(30),
        bells: BellPaths? = nil,
        look: Duration = .seconds(2)
    ) {
        self.folder = folder
        self.client = client
        self.linger = linger
        self.patience = patience
        self.bells = bells ?? BellPaths(folder: folder)
        self.look = look
        logger = Logger(label: "outbox") { AgentLog(label: $0, path: folder.log) }
    }

    /// Delivers until nothing is left or the task is cancelled.
    ///
    /// - Throws: ``MemoError`` when the folder, the lock or the database cannot be used; it is also
    ///   logged, and noted for the next sender. Failures of deliveries are not thrown: they are
    ///   logged and tried again.
    public func run() async throws(MemoError) -> End {
        do {
            return try await deliver()
        } catch {
            logger.error("cannot work", metadata: ["error": "\(error.agentFailure)"])
            folder.noteAgentFailure(error.agentFailure)
            throw error
        }
    }

    private func deliver() async throws(MemoError) -> End {
        let logger = logger
        let box = try MemoBox(folder: folder) { logger.log($0) }
        guard try box.hasAccount() else { return .noAccount }
        guard let role = try await takeRole() else {
            return Task.isCancelled ? .stopped : .otherRuns
        }
        defer { withExtendedLifetime(role) {} }
        logger.info("started")
        let courier = Courier(box: box, client: client, logger: logger)
        var queued = try box.queuedEntries()
        var isMoreToDo = true
        while isMoreToDo {
            try await serve(box, courier)
            let left = try box.queuedEntries()
            // Entries of a damaged database may stay whatever a drain does: they call for no round.
            isMoreToDo = !Task.isCancelled && !left.isEmpty && left != queued
            queued = left
        }
        // The next sender then finds a short log. A failure costs time, not data.
        try? box.outbox.storage.base.checkpoint()
        await box.outbox.close()
        let end = Task.isCancelled ? End.stopped : .idle
        logger.info("ended", metadata: ["end": "\(end.rawValue)"])
        return end
    }

    /// - Returns: `nil` when another agent has the role and heard the bell, or on cancellation.
    private func takeRole() async throws(MemoError) -> FileLock? {
        let start = ContinuousClock.now
        while !Task.isCancelled {
            let waited = ContinuousClock.now - start
            guard waited < patience else { throw .agentSilent }
            do {
                if let role = try FileLock(path: folder.agentLock) { return role }
            } catch {
                throw MemoError(error, folder: folder)
            }
            if bells.ring() { return nil }
            // By now that agent has ended, or has looked at the outbox.
            if waited > look * 2, folder.agentLooksByItself { return nil }
            // The lock's holder is about to open the bell, or to end.
            try? await Task.sleep(for: .milliseconds(10))
        }
        return nil
    }

    private func serve(_ box: MemoBox, _ courier: Courier) async throws(MemoError) {
        let ring = RingFlag()
        let questions = RingFlag()
        let bell = openBell { calls in
            if calls.contains(.news) { questions.raise() }
            ring.raise()
            box.outbox.wake()
        }
        folder.noteAgentFailure(nil)
        let isInFolder = bell?.path == bells.inFolder
        folder.noteAgentLooks(!isInFolder)
        let looks = isInFolder ? nil : Task { try await lookByItself(box) }
        let failure = await deliver(with: courier, ring, questions)
        looks?.cancel()
        await bell?.close()
        if let failure { throw failure }
    }

    /// The first pipe that can be opened.
    private func openBell(_ rung: @escaping @Sendable (Set<Bell.Call>) -> Void) -> BellPipe? {
        if let bell = BellPipe(path: bells.inFolder, rung: rung) { return bell }
        logger.notice("the data folder takes no named pipe")
        return bells.inRuntimeFolder.flatMap { BellPipe(path: $0, rung: rung) }
    }

    /// Looks for memos of senders that have no pipe, or another runtime folder, until the task is
    /// cancelled.
    private func lookByItself(_ box: MemoBox) async throws {
        while true {
            try await Task.sleep(for: look)
            box.outbox.wake()
        }
    }

    /// Delivers, lingers, and begins again whenever a sender has called.
    private func deliver(
        with courier: Courier,
        _ ring: RingFlag,
        _ questions: RingFlag
    ) async -> MemoError? {
        let watch = CourierWatch(of: courier, calls: ring, questions: questions)
        defer { watch.cancel() }
        do throws(MemoError) {
            repeat {
                try await courier.deliver()
            } while await isCalled(ring, watch)
            return nil
        } catch {
            return error
        }
    }

    /// Lingers, and then asks what became of the memos that were sent: mail takes a moment.
    ///
    /// - Returns: Whether a sender has called. A call cuts the question short.
    private func isCalled(_ ring: RingFlag, _ watch: CourierWatch) async -> Bool {
        if await ring.wait(within: linger) { return true }
        return await ring.wait { await watch.readNewsOfSent() }
    }
}
