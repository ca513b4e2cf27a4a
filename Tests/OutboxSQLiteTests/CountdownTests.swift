import Outbox
import OutboxCore
import OutboxLedger
import OutboxSQLite
import SQLite
import Synchronization
import TemporaryFolders
import Testing
import Waiting
import WatchedFiles

@Suite(.serialized, .timeLimit(.minutes(60))) struct CountdownTests {
    /// What happens when a request fails.
    enum Course: CaseIterable, Sendable {
        case once, forEver
        /// Once, and the process ends at the first step that fails.
        case onceAndEnd
    }

    /// How a request fails, in SQLite's words (<https://sqlite.org/rescode.html>).
    enum Failure: CaseIterable, Sendable {
        case device, fullDisk

        func code(of request: WatchedFolder.Request) -> Int32? {
            switch self {
            case .device:
                switch request {
                case .open: 14
                case .read: 266
                case .write: 778
                case .sync: 1034
                case .truncate: 1546
                case .length: 1802
                case .delete: 2570
                case .access: 3338
                case .lock: 3850
                case .lockSharedMemory: 5130
                case .mapSharedMemory: 5386
                case .close, .unlock, .syncFolder: nil
                }
            case .fullDisk:
                switch request {
                case .open: 14
                case .write: 13
                case .mapSharedMemory: 4874
                default: nil
                }
            }
        }
    }

    /// Counts requests that can fail down and fails the one at zero, and for ever after if asked
    /// to.
    private final class Countdown: Sendable {
        private let state: Mutex<(remaining: Int, isOver: Bool, failed: [WatchedFolder.Request])>
        private let failure: Failure
        private let course: Course

        init(from number: Int, _ failure: Failure, _ course: Course) {
            state = Mutex((number, false, []))
            self.failure = failure
            self.course = course
        }

        var failed: [WatchedFolder.Request] { state.withLock { $0.failed } }

        func stop() { state.withLock { $0.isOver = true } }

        func answer(_ request: WatchedFolder.Request) -> WatchedFolder.Answer {
            guard let code = failure.code(of: request) else { return .pass }
            return state.withLock { state in
                guard !state.isOver else { return .pass }
                state.remaining -= 1
                guard state.remaining == 0 || course == .forEver && state.remaining < 0 else {
                    return .pass
                }
                state.failed.append(request)
                return .fail(code)
            }
        }
    }

    private struct Tally {
        var requests = 0
        var kinds: Set<WatchedFolder.Request> = []
        var refused = 0
        var untyped = 0
        var verdict = Verdict()
        /// What was found wrong, and after which request.
        var complaints: [String] = []
    }

    private func tally(
        _ failure: Failure,
        _ course: Course,
        _ share: SearchShare
    ) throws -> Tally {
        var tally = Tally()
        for request in stride(from: share.first + 1, to: .max, by: share.stride) {
            let countdown = Countdown(from: request, failure, course)
            let folder = try WatchedFolder()
            folder.apply { request, _ in countdown.answer(request) }
            let scenario = SQLiteScenario(
                in: folder,
                failing: course == .forEver ? .forEver : .once,
                isLong: false
            )
            let errors = scenario.run(endsAtFirstFailure: course == .onceAndEnd)
            countdown.stop()
            let promises = scenario.ledger.promises
            var found = try inspect(
                SQLiteScenario.open(folder),
                promises,
                at: ScenarioWorld.now
            )
            // What was promised although a sync had failed would be gone now.
            try folder.replace(with: folder.disk.worst)
            let outbox = try SQLiteScenario.open(folder)
            found += try inspect(outbox, promises, at: ScenarioWorld.now, afterPowerCut: true)
            try outbox.enqueue(kind: "note", payload: [1])
            tally.refused += errors.count
            tally.untyped += errors.count { !($0 is StorageError) }
            tally.verdict += found
            guard let first = countdown.failed.first else { return tally }
            tally.requests += 1
            tally.kinds.insert(first)
            if !found.isClean {
                tally.complaints.append("request \(request), \(first): \(found)")
            }
        }
        return tally
    }

    @Test(
        "whichever request of SQLite fails, once or from then on, no promise is broken",
        arguments: Failure.allCases,
        Course.allCases
    )
    func everyRequest(failure: Failure, course: Course) async throws {
        let share = SearchShare()
        let tally = try await onOwnThread { try self.tally(failure, course, share) }
        print(
            """
            SQLite, countdown: \(failure) \(course), \(share): \(tally.requests) requests of \
            \(tally.kinds.count) kinds, \(tally.refused) steps refused, \(tally.untyped) untyped \
            errors, \(tally.verdict)
            """
        )
        let least = 200 / share.stride
        #expect(tally.requests > least && tally.refused > least && tally.untyped == 0)
        #expect(tally.verdict.isClean, "\(tally.complaints.prefix(9))")
    }
}
