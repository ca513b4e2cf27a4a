import OfflineFirst
import OutboxCore
import SyncCore
import SyncWorlds
import Synchronization

/// The reference server of the sync worlds behind a network that fails on demand.
final class TestServer: SyncServer {
    /// The faults of the network, and what the server was asked.
    struct Line: Sendable {
        var server = ReferenceServer(now: WallTime(millisecondsSinceEpoch: 1_800_000_000_000))
        /// The failure of each call, before it reaches the server.
        var failure: SyncFailure?
        /// The number of pushes whose answers are lost.
        var lostAnswers = 0
        var pulls = 0
        var pushes: [PushRequest] = []
        var questions = 0
        /// The most calls that were under way at once.
        var mostAtOnce = 0
        var underWay = 0
    }

    let line = Mutex(Line())

    func pull(_ request: PullRequest) async throws -> ServerAnswer<PullAnswer> {
        try await call { line in
            line.pulls += 1
            return line.server.pull(request)
        }
    }

    func push(_ request: PushRequest) async throws -> ServerAnswer<PushAnswer> {
        try await call { line in
            line.pushes.append(request)
            let answer = line.server.push(request).0
            if line.lostAnswers > 0 {
                line.lostAnswers -= 1
                throw SyncFailure.offline
            }
            return answer
        }
    }

    func answer(to question: AskRequest) async throws -> ServerAnswer<PushAnswer?> {
        try await call { line in
            line.questions += 1
            return line.server.answer(question)
        }
    }

    private func call<Answer: Sendable>(
        _ body: (inout Line) throws -> Answer
    ) async throws -> ServerAnswer<Answer> {
        line.withLock { line in
            line.underWay += 1
            line.mostAtOnce = max(line.mostAtOnce, line.underWay)
        }
        defer { line.withLock { $0.underWay -= 1 } }
        await Task.yield()
        var result: Result<ServerAnswer<Answer>, any Error>?
        line.withLock { line in
            result = Result {
                if let failure = line.failure { throw failure }
                return ServerAnswer(try body(&line), serverTime: line.server.now)
            }
        }
        return try result!.get()
    }

    /// The texts of a field of the server's records, sorted.
    func texts(_ name: String) -> [String] {
        line.withLock { line in
            line.server.live.values.compactMap { row in
                row.fields[Array(name.utf8)].map { String(decoding: $0.value, as: UTF8.self) }
            }
        }.sorted()
    }
}

/// The rules of the tests: items refer to lists.
struct TestRules: SyncRules {
    var policy = ConflictPolicy.newerWins

    func policy(for kind: [UInt8]) -> ConflictPolicy { policy }

    func reference(of field: [UInt8], in kind: [UInt8]) -> [UInt8]? {
        field == Array("list".utf8) ? Array("list".utf8) : nil
    }
}
