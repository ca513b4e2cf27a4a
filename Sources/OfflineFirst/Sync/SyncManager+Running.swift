import Connectivity
import ConnectivityCore
import Outbox
import OutboxCore
import OutboxSQLite
import SyncCore
import Synchronization

extension SyncManager {
    /// The system's network.
    static func systemNetwork() -> AsyncStream<NetworkState> {
        AsyncStream { continuation in
            let task = Task {
                for await state in NetworkMonitor() { continuation.yield(state) }
                continuation.finish()
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }

    /// Runs, in the role of the only process that sends.
    func runAlone(
        _ others: [OperationKind: OperationHandler],
        until end: SyncEnd
    ) async throws(SyncFailure) {
        guard let role = try await takeRole() else { return }
        defer { withExtendedLifetime(role) {} }
        progress.runBegan()
        do {
            try await withThrowingDiscardingTaskGroup { tasks in
                tasks.addTask { try await self.drain(others, until: end) }
                tasks.addTask { try await self.pull() }
                tasks.addTask { try await self.lookForOthers() }
                tasks.addTask { await self.followNetwork() }
                tasks.addTask { await self.followRecords() }
            }
        } catch is EverythingDone {
            return
        } catch let failure as SyncFailure {
            throw failure
        } catch {
            preconditionFailure("an error of another type: \(type(of: error))")
        }
    }

    /// Ends the tasks of a run.
    private struct EverythingDone: Error {}

    // MARK: The role

    /// Waits for the role of the only process that sends.
    ///
    /// - Returns: `nil` when the task is cancelled.
    private func takeRole() async throws(SyncFailure) -> FileLock? {
        let path =
            "\(records.storage.path)-\(String(decoding: records.operationKind.utf8, as: UTF8.self))"
        defer { progress.setElsewhere(false) }
        while !Task.isCancelled {
            do throws(SyncError) {
                let role = try SyncError.translating { try FileLock(path: path) }
                progress.setElsewhere(role == nil)
                if let role {
                    try records.resume()
                    return role
                }
                if try records.isBehind() { try records.takeOver() }
            } catch {
                try note(error, .pull)
            }
            tellState()
            await records.clock.sleep(settings.recheck)
        }
        return nil
    }

    /// Notes a failure of the records.
    ///
    /// - Throws: The failure, if waiting does not help.
    private func note(_ error: SyncError, _ sort: SyncProgress.Sort) throws(SyncFailure) {
        if error == .storage(.closed) || error == .newerFormat { throw .records(error) }
        progress.failed(sort, .records(error))
    }

    // MARK: Changes of others, and of this process

    /// Looks for what other processes have stored.
    private func lookForOthers() async throws(SyncFailure) {
        while !Task.isCancelled {
            do throws(SyncError) {
                if try records.isBehind() { try records.takeOver() }
            } catch {
                try note(error, .push)
            }
            await records.clock.sleep(settings.recheck)
        }
    }

    /// Shows each transaction, and lets the puller look whether it asks for a pull.
    private func followRecords() async {
        for await _ in records.stored.stream(beginningWith: {}) {
            tellState()
            wakes.signal()
        }
    }

    private func followNetwork() async {
        var arrivals: Int?
        for await state in network() {
            if !state.isConnected { records.outbox.networkLost() }
            if let known = arrivals, known != state.arrivals { networkReturned() }
            arrivals = state.arrivals
        }
    }

    private func networkReturned() {
        records.outbox.networkReturned()
        wakes.hurry()
    }

    func tellState() { progress.states.send(state) }

    // MARK: Pushing

    private func drain(
        _ others: [OperationKind: OperationHandler],
        until end: SyncEnd
    ) async throws {
        var handlers = others
        handlers[records.operationKind] = { await self.deliver($0) }
        while !Task.isCancelled {
            do {
                try await records.outbox.drain(handlers, until: end == .idle ? .idle : .cancelled)
                if end == .idle {
                    if isPulled { throw EverythingDone() }
                    await untilPulled()
                    // What was stored meanwhile.
                    continue
                }
            } catch let done as EverythingDone {
                throw done
            } catch OutboxError.drainedElsewhere {
                // A drain of the app's own, or of an earlier version of it.
            } catch {
                try note(SyncError(error), .push)
            }
            await records.clock.sleep(settings.recheck)
        }
    }

    private var isPulled: Bool { progress.hasPulled && !records.wantsPull }

    private func untilPulled() async {
        for await _ in progress.states.stream(beginningWith: { state }) where isPulled { return }
    }

    /// Sends the changes of a record, one after the other.
    private func deliver(_ operation: OutboxOperation) async -> DeliveryMachine.Outcome {
        guard let key = SyncToken.keys(operation.payload)?.first else {
            return .park("sync.payload")
        }
        // A server whose answers lead to one more request for ever gets a pause.
        for _ in 0..<32 {
            do throws(SyncFailure) {
                let step = try begin(key)
                switch step {
                case .nothing: return .done
                case .push(let request): try await push(request)
                case .ask(let question): try await ask(question, of: key)
                }
            } catch {
                return Self.outcome(error)
            }
        }
        return .retry("sync.endless")
    }

    private func begin(_ key: RecordKey) throws(SyncFailure) -> SyncedRecords<Rules>.Step {
        do {
            return try records.begin(key)
        } catch {
            progress.failed(.push, .records(error))
            throw .records(error)
        }
    }

    private func push(_ request: PushRequest) async throws(SyncFailure) {
        let (id, attempt) = (request.stamp.id, request.attempt)
        try await exchange(.push, about: id, attempt, of: request.key) { [server] in
            let answer = try await server.push(request)
            return .answered(id, attempt: attempt, answer.content, serverTime: answer.serverTime)
        }
    }

    private func ask(_ question: AskRequest, of key: RecordKey) async throws(SyncFailure) {
        let (id, attempt) = (question.id, question.attempt)
        try await exchange(.push, about: id, attempt, of: key) { [server] in
            let answer = try await server.answer(to: question)
            return .asked(id, attempt: attempt, answer.content, serverTime: answer.serverTime)
        }
    }

    /// Makes one request about a change, and stores its answer, or that there is none.
    private func exchange(
        _ sort: SyncProgress.Sort,
        about id: ChangeID,
        _ attempt: UInt32,
        of key: RecordKey,
        _ call: @escaping @Sendable () async throws -> SyncEvent
    ) async throws(SyncFailure) {
        progress.began()
        tellState()
        var failure: SyncFailure?
        var event = SyncEvent.unanswered(id, attempt: attempt)
        do {
            event = try await limited(call)
        } catch {
            failure = error
        }
        do {
            try records.tell(event, about: id, of: key)
        } catch {
            failure = .records(error)
        }
        progress.ended(sort, Task.isCancelled ? nil : failure)
        tellState()
        if let failure { throw failure }
    }

    private static func outcome(_ failure: SyncFailure) -> DeliveryMachine.Outcome {
        switch failure {
        case .offline: .retryOnNetwork("sync.offline")
        case .timedOut: .retryOnNetwork("sync.timed-out")
        case .busy(let wait): .retryAfter(wait, "sync.busy")
        case .server(let code): .retry(code)
        case .failed, .stalled: .retry("sync.failed")
        case .records: .retry("sync.records")
        }
    }

    // MARK: Pulling

    private func pull() async throws(SyncFailure) {
        var schedule = PullSchedule(settings: settings)
        var timer: Task<Void, Never>?
        defer { timer?.cancel() }
        let clock = records.clock
        for await _ in wakes.stream() {
            var told = wakes.take()
            while !Task.isCancelled {
                let wait = schedule.wait(
                    isUrgent: told.isUrgent,
                    isWanted: records.wantsPull,
                    isForeground: wakes.isForeground,
                    now: clock.monotonic()
                )
                timer?.cancel()
                timer = nil
                guard wait == Milliseconds(0) else {
                    if told.isEverything { wakes.keepEverything() }
                    guard let wait else { break }
                    timer = Task { [wakes] in
                        await clock.sleep(wait)
                        if !Task.isCancelled { wakes.signal() }
                    }
                    break
                }
                progress.pullBegan()
                let failure = await pullAll(told.isEverything)
                progress.pullEnded(failure)
                tellState()
                if case .records(let error) = failure { try note(error, .pull) }
                schedule.ended(failure, now: clock.monotonic())
                told = wakes.take()
            }
        }
    }

    /// Pulls until the server has nothing more.
    private func pullAll(_ isEverything: Bool) async -> SyncFailure? {
        do throws(SyncFailure) {
            try tell(isEverything ? .refresh : .woken)
            while let request = records.takePull() { try await pull(request) }
            return nil
        } catch {
            return error
        }
    }

    /// Pulls pages, and stores them in one transaction: a transaction costs almost as much for one page as
    /// for several. A server that answers slowly has its pages stored one by one.
    private func pull(_ first: PullRequest) async throws(SyncFailure) {
        progress.began()
        tellState()
        var failure: SyncFailure?
        var pages: [PulledPage] = []
        var next: PullRequest? = first
        var rowCount = 0
        let end = records.clock.monotonic().count + PulledPage.longestGathering
        do throws(SyncFailure) {
            while let request = next {
                let answer = try await limited { [server] in try await server.pull(request) }
                let page = PulledPage(request: request, answer: answer)
                pages.append(page)
                rowCount += page.rowCount
                let isEnough =
                    rowCount >= PulledPage.enoughRows || records.clock.monotonic().count >= end
                next = isEnough ? nil : page.next
            }
        } catch {
            failure = error
        }
        do {
            if try records.tell(pages) { failure = failure ?? .stalled }
        } catch {
            failure = .records(error)
        }
        // A machine that could not store an answer asks for nothing that nobody does.
        if failure != nil, let request = next ?? pages.last?.request {
            _ = records.takePull()
            _ = try? records.tell(.pullFailed(request: request.number))
        }
        progress.ended(.pull, Task.isCancelled ? nil : failure)
        tellState()
        if let failure { throw failure }
    }

    private func tell(_ event: SyncEvent) throws(SyncFailure) {
        do {
            if try !records.tell(event) { return }
        } catch {
            throw .records(error)
        }
        throw .stalled
    }

    // MARK: Requests

    /// Waits for an answer no longer than ``SyncSettings/requestLimit``, and not beyond the run.
    private func limited<Answer: Sendable>(
        _ call: @escaping @Sendable () async throws -> Answer
    ) async throws(SyncFailure) -> Answer {
        let first = FirstAnswer<Answer>()
        let calling = Task {
            do {
                first.take(.success(try await call()))
            } catch let failure as SyncFailure {
                first.take(.failure(failure))
            } catch {
                first.take(.failure(.failed(type: "\(type(of: error))")))
            }
        }
        let timer = Task { [clock = records.clock, limit = settings.requestLimit] in
            await clock.sleep(limit)
            if !Task.isCancelled { first.take(.failure(.timedOut)) }
        }
        let result = await withTaskCancellationHandler {
            await first.answer()
        } onCancel: {
            first.take(.failure(.failed(type: "CancellationError")))
        }
        calling.cancel()
        timer.cancel()
        return try result.get()
    }
}

/// The first of several answers, for one waiting task.
private final class FirstAnswer<Answer: Sendable>: Sendable {
    private typealias Reader = CheckedContinuation<Result<Answer, SyncFailure>, Never>

    private struct State: Sendable {
        var answer: Result<Answer, SyncFailure>?
        var reader: Reader?
    }

    private let state = Mutex(State())

    func take(_ answer: Result<Answer, SyncFailure>) {
        let reader = state.withLock { state -> Reader? in
            guard state.answer == nil else { return nil }
            state.answer = answer
            return state.reader.take()
        }
        reader?.resume(returning: answer)
    }

    func answer() async -> Result<Answer, SyncFailure> {
        await withCheckedContinuation { reader in
            let answer = state.withLock { state in
                if state.answer == nil { state.reader = reader }
                return state.answer
            }
            if let answer { reader.resume(returning: answer) }
        }
    }
}
