public import OfflineFirst
public import Outbox
import OutboxCore
public import SyncCore
import Synchronization

/// A server in memory for the tests of an app that syncs, behind a network that fails when the test says
/// so.
///
/// ```swift
/// let server = MemorySyncServer()
/// let manager = SyncManager(records, server: server)
/// server.inject(.answerLost(), times: 2, into: [.push])  // the change is applied, nobody hears of it
/// server.update(milk, [Field("name", "oat milk")])       // another device
/// ```
///
/// It keeps the seven duties of a server, which the article *What a server owes a device* of `SyncCore`
/// lists, under every fault: so a change that is lost or doubled in a test is a fault of the device or of
/// the app's own code.
///
/// Any thread may use it, any number of devices at once. A call is O(*n*) for *n* rows and tombstones, and
/// all that was ever applied stays in memory: it is no server for an app.
public final class MemorySyncServer: SyncServer {
    /// The numbers of calls that came through the network, and of their effects.
    public struct Counts: Hashable, Sendable {
        /// The pulls.
        public var pulls = 0
        /// The pushes.
        public var pushes = 0
        /// The questions for the answers to earlier pushes.
        public var questions = 0
        /// The changes that were applied, those of ``MemorySyncServer/update(_:_:)`` and the like included.
        public var applied = 0
        /// The most calls that were under way at once.
        public var mostAtOnce = 0

        /// Makes numbers that are 0.
        public init() {}
    }

    typealias FaultRule = @Sendable (SyncCall) -> SyncFault?

    struct State: Sendable {
        var server: ReferenceServer
        /// The faults, the earliest first.
        var faults: [FaultRule] = []
        var refusal: (@Sendable (PushRequest) -> RefusalReason?)?
        var counts = Counts()
        var pushes: [PushRequest] = []
        var underWay = 0
        /// A function that hears of each push, its answer, and the change that was applied.
        var observer: (@Sendable (PushRequest, PushAnswer, ReferenceServer.Applied?) -> Void)?
        /// The number of the last change of ``MemorySyncServer/update(_:_:)`` and the like.
        var lastOwnNumber: UInt64 = 0
    }

    let state: Mutex<State>
    let gate = Gate()
    private let clock: OutboxClock

    /// Makes a server without a row.
    ///
    /// - Parameters:
    ///   - pageSize: The number of rows in a page, 1 or more.
    ///   - clock: The source of the server's wall-clock time. A ``/OutboxTesting/ManualClock`` makes the
    ///     server's time differ from the devices'.
    public init(pageSize: Int = 100, clock: OutboxClock = .system) {
        precondition(pageSize > 0, "a page has rows")
        var server = ReferenceServer(now: clock.wallTime())
        server.pageSize = pageSize
        server.forbidden = nil
        state = Mutex(State(server: server))
        self.clock = clock
    }

    public func pull(_ request: PullRequest) async throws -> ServerAnswer<PullAnswer> {
        try await call(.pull) { state, _ in
            state.counts.pulls += 1
            return state.server.pull(request)
        }
    }

    public func push(_ request: PushRequest) async throws -> ServerAnswer<PushAnswer> {
        try await call(.push) { state, fault in
            state.counts.pushes += 1
            state.pushes.append(request)
            let verdict: ReferenceServer.Verdict? =
                switch fault {
                case .preconditionFailed: .conflict
                case .refused(let reason): .refused(reason)
                default: state.refusal?(request).map { .refused($0) }
                }
            return state.push(request, verdict)
        }
    }

    public func answer(to question: AskRequest) async throws -> ServerAnswer<PushAnswer?> {
        try await call(.ask) { state, _ in
            state.counts.questions += 1
            return state.server.answer(question)
        }
    }

    private func call<Answer: Sendable>(
        _ call: SyncCall,
        _ body: (inout State, SyncFault?) -> Answer
    ) async throws -> ServerAnswer<Answer> {
        state.withLock { state in
            state.underWay += 1
            state.counts.mostAtOnce = max(state.counts.mostAtOnce, state.underWay)
        }
        defer { state.withLock { $0.underWay -= 1 } }
        // Without this, calls on one thread would never overlap.
        await Task.yield()
        try await gate.pass()
        let answer = withServer { state -> Result<ServerAnswer<Answer>, SyncFailure> in
            let fault = state.fault(of: call)
            if case .requestLost(let failure) = fault { return .failure(failure) }
            var content = body(&state, fault)
            if fault == .repeated { content = body(&state, fault) }
            if case .answerLost(let failure) = fault { return .failure(failure) }
            return .success(ServerAnswer(content, serverTime: state.server.now))
        }
        return try answer.get()
    }

    /// Makes the server break one of its duties, so that a checker can be seen to find it.
    package func plant(_ bug: PlantedBug) { state.withLock { $0.server.bug = bug } }

    /// Lets a checker hear of each push under the server's lock, whether its answer arrives or not.
    package func observe(
        _ observer: @escaping @Sendable (PushRequest, PushAnswer, ReferenceServer.Applied?) -> Void
    ) {
        state.withLock { $0.observer = observer }
    }

    /// Calls `body` with the server at the time of its clock.
    func withServer<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
        state.withLock { state in
            state.server.now = clock.wallTime()
            return body(&state)
        }
    }
}

extension MemorySyncServer.State {
    /// The fault of a call. A rule counts its calls, so it is asked once.
    func fault(of call: SyncCall) -> SyncFault? {
        for rule in faults {
            if let fault = rule(call) { return fault }
        }
        return nil
    }

    mutating func push(
        _ request: PushRequest,
        _ verdict: ReferenceServer.Verdict? = nil
    ) -> PushAnswer {
        let (answer, applied) = server.push(request, verdict: verdict)
        if applied != nil { counts.applied += 1 }
        observer?(request, answer, applied)
        return answer
    }
}
