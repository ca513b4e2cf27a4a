import OutboxCore
import Synchronization
import Testing
import Waiting

@testable import RelayRules
@testable import RelayServer

@Suite("The memos that are being stored")
struct MemosUnderWayTests {
    private struct Failure: Error {}

    private func memo(_ mailbox: UInt64, _ id: UInt64) -> MemosUnderWay.Key {
        MemosUnderWay.Key(
            mailbox: MailboxID(bits: OperationID(high: 1, low: mailbox)),
            id: OperationID(high: 2, low: id)
        )
    }

    /// Counts the requests that store at once.
    private final class Storing: Sendable {
        private let count = Mutex((now: 0, most: 0))

        var most: Int { count.withLock { $0.most } }

        func begin() {
            count.withLock { count in
                count.now += 1
                count.most = max(count.most, count.now)
            }
        }

        func end() { count.withLock { $0.now -= 1 } }
    }

    /// A request that stores until it is told to end.
    private struct Request {
        let task: Task<Int, any Error>
        let end: AsyncStream<Void>.Continuation

        init(
            _ memos: MemosUnderWay,
            _ memo: MemosUnderWay.Key,
            _ store: @escaping @Sendable () throws -> Int
        ) {
            let (stream, end) = AsyncStream.makeStream(of: Void.self)
            self.end = end
            task = Task {
                try await memos.alone(memo) {
                    for await _ in stream {}
                    return try store()
                }
            }
        }
    }

    @Test("keep their repetitions waiting, which store one at a time, also after a failure")
    func repetitions() async throws {
        let memos = MemosUnderWay(patience: .seconds(3600))
        let storing = Storing()
        let key = memo(1, 1)
        let first = Request(memos, memo(1, 1)) { throw Failure() }
        try await waitUntil { memos.counts == (1, 0) }
        let others = (1...8).map { number in
            Task {
                try await memos.alone(key) {
                    storing.begin()
                    await Task.yield()
                    storing.end()
                    return number
                }
            }
        }
        try await waitUntil { memos.counts == (1, 8) }
        first.end.finish()
        await #expect(throws: Failure.self) { try await first.task.value }
        for (number, other) in others.enumerated() { #expect(try await other.value == number + 1) }
        #expect(storing.most == 1)
        #expect(memos.counts == (0, 0))
    }

    @Test("of another identifier or mailbox do not wait for each other")
    func others() async throws {
        let memos = MemosUnderWay(patience: .seconds(3600))
        let first = Request(memos, memo(1, 1)) { 1 }
        try await waitUntil { memos.counts == (1, 0) }
        #expect(try await memos.alone(memo(1, 2)) { 2 } == 2)
        #expect(try await memos.alone(memo(2, 1)) { 3 } == 3)
        first.end.finish()
        #expect(try await first.task.value == 1)
    }

    @Test("keep a repetition waiting no longer than its patience, and go on")
    func patience() async throws {
        let memos = MemosUnderWay(patience: .zero)
        let first = Request(memos, memo(1, 1)) { 1 }
        try await waitUntil { memos.counts == (1, 0) }
        // Many: the patience of some is over on another thread while they begin to wait.
        let refused = Mutex(0)
        let others = Task {
            for _ in 1...2_000 {
                await #expect(throws: Refusal.stillStoring) {
                    try await memos.alone(memo(1, 1)) { 2 }
                }
                refused.withLock { $0 += 1 }
            }
        }
        try await waitUntil { refused.withLock { $0 } == 2_000 }
        await others.value
        #expect(memos.counts == (1, 0))
        first.end.finish()
        #expect(try await first.task.value == 1)
        #expect(try await memos.alone(memo(1, 1)) { 3 } == 3)
        #expect(memos.counts == (0, 0))
    }
}
