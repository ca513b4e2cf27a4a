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
/// ``AgentCourse`` decides what a run does, and has the rules of that.
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
    private let notifier: String?
    private let logger: Logger

    /// - Parameters:
    ///   - linger: The wait for more memos before the run ends.
    ///   - patience: The longest wait for another agent that neither answers nor ends.
    ///   - bells: The paths of the pipe; `nil` for the folder's own.
    ///   - look: The wait between two looks at the outbox, where the folder takes no pipe.
    ///   - notifier: The program that tells of memos that did not arrive; `nil` for none. See
    ///     ``notifierOfEnvironment``.
    public init(
        folder: DataFolder,
        client: RelayClient = .ofEnvironment,
        linger: Duration = .seconds(2),
        patience: Duration = .seconds(30),
        bells: BellPaths? = nil,
        look: Duration = .seconds(2),
        notifier: String? = nil
    ) {
        self.folder = folder
        self.client = client
        self.linger = linger
        self.patience = patience
        self.bells = bells ?? BellPaths(folder: folder)
        self.look = look
        self.notifier = notifier
        logger = Logger(label: "outbox") { AgentLog(label: $0, path: folder.log) }
    }

    /// The program that tells the person of this process: itself, where a desktop may be listening.
    public static var notifierOfEnvironment: String? { NoticeWatch.program }

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
        var run = Run(box: box, courier: Courier(box: box, client: client, logger: logger))
        // The role is the run's until it has ended.
        defer {
            run.notices?.cancel()
            withExtendedLifetime(run) {}
        }
        var course = AgentCourse(patience: patience, look: look)
        var action = course.began(isSignedIn: try box.hasAccount())
        while true {
            switch action {
            case .end(let end):
                await run.notices?.end()
                if course.hasRole { await leave(box, end) }
                return end
            case .giveUp: throw .agentSilent
            case .fail: throw run.failure ?? .agentSilent
            default: action = try await perform(action, of: &course, in: &run)
            }
        }
    }

    /// The things that a run holds.
    private struct Run {
        let box: MemoBox
        let courier: Courier
        let start = ContinuousClock.now
        var role: FileLock?
        var notices: NoticeWatch?
        var round: Round?
        /// The queue before the last round.
        var queued: [OutboxEntry] = []
        var failure: MemoError?
    }

    /// The open bell of one round, and the tasks beside its deliveries.
    private struct Round {
        /// Raised by each call of a sender.
        let ring: RingFlag
        let bell: BellPipe?
        let looks: Task<Void, any Error>?
        let watch: CourierWatch
        let sharing: SharingWatch
    }

    /// Performs an action, and tells the course its result.
    private func perform(
        _ action: AgentCourse.Action,
        of course: inout AgentCourse,
        in run: inout Run
    ) async throws(MemoError) -> AgentCourse.Action {
        switch action {
        case .askForRole:
            let waited = ContinuousClock.now - run.start
            let answer = try askForRole(&run)
            if answer == .taken {
                logger.info("started")
                run.notices = notifier.map { NoticeWatch(box: run.box, program: $0) }
                run.queued = try run.box.queuedEntries()
            }
            return tell(&course) { $0.roleAsked(answer, after: waited) }
        case .waitForRole:
            try? await Task.sleep(for: .milliseconds(10))
            let waited = ContinuousClock.now - run.start
            return tell(&course) { $0.waitedForRole(waited) }
        case .openBell:
            return openRound(&course, &run)
        case .deliver:
            do throws(MemoError) {
                try await run.courier.deliver()
            } catch {
                run.failure = error
                return tell(&course) { $0.deliveryFailed() }
            }
            return tell(&course) { $0.delivered() }
        case .linger:
            let isCalled = await run.round?.ring.wait(within: linger) ?? false
            return tell(&course) { $0.lingered(isCalled: isCalled) }
        case .askForNews:
            // Mail takes a moment: the last question comes after the lingering.
            let (watch, sharing) = (run.round?.watch, run.round?.sharing)
            let isCalled =
                await run.round?.ring.wait {
                    await watch?.readNewsOfSent()
                    await sharing?.untilSynced()
                } ?? false
            return tell(&course) { $0.newsAsked(isCalled: isCalled) }
        case .closeBell:
            run.round?.watch.cancel()
            await run.round?.sharing.end()
            run.round?.looks?.cancel()
            await run.round?.bell?.close()
            run.round = nil
            return tell(&course) { $0.bellClosed() }
        case .lookAtQueue:
            let left = try run.box.queuedEntries()
            let isAsBefore = left == run.queued
            run.queued = left
            return tell(&course) { $0.queueLooked(isEmpty: left.isEmpty, isAsBefore: isAsBefore) }
        case .end, .giveUp, .fail:
            return action
        }
    }

    private func tell(
        _ course: inout AgentCourse,
        _ event: (inout AgentCourse) -> AgentCourse.Action
    ) -> AgentCourse.Action {
        if Task.isCancelled { course.stop() }
        return event(&course)
    }

    private func askForRole(_ run: inout Run) throws(MemoError) -> AgentCourse.RoleAnswer {
        do {
            run.role = try FileLock(path: folder.agentLock)
        } catch {
            throw MemoError(error, folder: folder)
        }
        if run.role != nil { return .taken }
        return bells.ring()
            ? .heardElsewhere : .heldElsewhere(looksByItself: folder.agentLooksByItself)
    }

    private func openRound(_ course: inout AgentCourse, _ run: inout Run) -> AgentCourse.Action {
        let (ring, questions, changes, box) = (RingFlag(), RingFlag(), RingFlag(), run.box)
        let bell = openBell { calls in
            if calls.contains(.news) {
                questions.raise()
                changes.raise()
            }
            ring.raise()
            box.outbox.wake()
        }
        folder.noteAgentFailure(nil)
        let isInFolder = bell?.path == bells.inFolder
        let action = tell(&course) { $0.bellOpened(isInFolder: isInFolder) }
        folder.noteAgentLooks(course.looksByItself)
        run.round = Round(
            ring: ring,
            bell: bell,
            looks: course.looksByItself ? Task { try await lookByItself(box) } : nil,
            watch: CourierWatch(of: run.courier, calls: ring, questions: questions),
            sharing: SharingWatch(box: box, client: client, logger: logger, calls: changes)
        )
        return action
    }

    private func leave(_ box: MemoBox, _ end: End) async {
        // The next sender then finds a short log. A failure costs time, not data.
        try? box.outbox.storage.base.checkpoint()
        await box.outbox.close()
        logger.info("ended", metadata: ["end": "\(end.rawValue)"])
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
}
