import Dispatch
import Outbox
import OutboxSQLite
import SQLite
import Synchronization
import TemporaryFolders
import Testing
import Waiting

@testable import RelaySQLite
@testable import RelayServer

// The time limit ends a test that hangs; no test comes near it.
@Suite("Concurrent writes", .timeLimit(.minutes(60)))
struct SharedTransactionsTests {
    private struct Refused: Error, Equatable {
        let number: Int
    }

    private let folder: TemporaryFolder
    private let storage: SQLiteStorage
    private let transactions: SharedTransactions

    init() throws {
        folder = try TemporaryFolder()
        storage = try SQLiteStorage(path: folder.path + "/test.sqlite")
        try storage.write { try $0.execute("CREATE TABLE number(value INTEGER PRIMARY KEY)") }
        transactions = SharedTransactions(storage: storage)
    }

    private func values() throws -> [Int64] {
        try storage.read { try $0.query("SELECT value FROM number") { $0.integer(0) } }
    }

    /// Has all numbers inserted by callers that come while a first transaction is held up, so that
    /// the callers share the next one.
    private func insert(
        _ numbers: Range<Int>,
        _ body: @escaping @Sendable (Int, Connection) throws -> Int
    ) async throws -> [Result<Int, any Error>] {
        let gate = DispatchSemaphore(value: 0)
        let (beginnings, beginning) = AsyncStream.makeStream(of: Void.self)
        let first = Task {
            try await transactions.write { _ in
                beginning.yield()
                gate.wait()
            }
        }
        for await _ in beginnings { break }
        return try await withThrowingTaskGroup(of: (Int, Result<Int, any Error>).self) { group in
            for number in numbers {
                group.addTask {
                    do {
                        let value = try await transactions.write { database in
                            try database.run(
                                "INSERT INTO number VALUES(?)",
                                .integer(Int64(number))
                            )
                            return try body(number, database)
                        }
                        return (number, .success(value))
                    } catch {
                        return (number, .failure(error))
                    }
                }
            }
            try await waitUntil { transactions.waiting >= numbers.count }
            gate.signal()
            try await first.value
            var results: [Int: Result<Int, any Error>] = [:]
            for try await (number, result) in group { results[number] = result }
            return numbers.compactMap { results[$0] }
        }
    }

    @Test("share a transaction, and each has its own result")
    func shared() async throws {
        let other = try SQLiteStorage(path: folder.path + "/test.sqlite")
        let count: @Sendable (Connection) throws -> Int64? = { database in
            try database.first("SELECT count(*) FROM number") { $0.integer(0) }
        }
        let results = try await insert(0..<64) { number, database in
            let here = try count(database)
            // Nothing is committed before all have run.
            #expect(try other.read(count) == 0)
            return number * 100 + Int(here ?? 0)
        }
        let values = try results.map { try $0.get() }
        #expect(values.map { $0 / 100 } == Array(0..<64))
        #expect(values.map { $0 % 100 }.sorted() == Array(1...64))
        #expect(try other.read(count) == 64)
    }

    @Test("undo only their own work when they throw")
    func refused() async throws {
        let results = try await insert(0..<64) { number, _ in
            guard number.isMultiple(of: 2) else { throw Refused(number: number) }
            return number
        }
        for (number, result) in results.enumerated() {
            switch result {
            case .success(let value): #expect(value == number && number.isMultiple(of: 2))
            case .failure(let error): #expect(error as? Refused == Refused(number: number))
            }
        }
        #expect(try values() == stride(from: 0, to: 64, by: 2).map { Int64($0) })
    }

    @Test("do not fail for a statement of another caller that fails")
    func failing() async throws {
        let results = try await insert(0..<64) { number, database in
            if number == 40 { try database.run("INSERT INTO number VALUES(40)") }
            return number
        }
        for (number, result) in results.enumerated() where number != 40 {
            #expect(try result.get() == number)
        }
        #expect(throws: StorageError.self) { try results[40].get() }
        #expect(try values() == (0..<64).filter { $0 != 40 }.map { Int64($0) })
    }

    private final class Order: Sendable {
        let names = Mutex<[String]>([])
    }

    @Test("of the background wait for others, and one of them is in each transaction")
    func behind() async throws {
        let gate = DispatchSemaphore(value: 0)
        let (beginnings, beginning) = AsyncStream.makeStream(of: Void.self)
        var begun = beginnings.makeAsyncIterator()
        let order = Order()
        typealias Body = @Sendable () -> Void
        @Sendable func write(_ name: String, _ body: @escaping Body) async throws {
            try await transactions.write { _ in
                body()
                order.names.withLock { $0.append(name) }
            }
        }
        @Sendable func held(by semaphore: DispatchSemaphore) -> Body {
            {
                beginning.yield()
                semaphore.wait()
            }
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await write("first", held(by: gate)) }
            _ = await begun.next()
            var count = 0
            func add(
                _ name: String,
                inBackground: Bool,
                _ body: @escaping Body = {}
            ) async throws {
                let executor = inBackground ? BackgroundThread.senders : nil
                group.addTask(executorPreference: executor) { try await write(name, body) }
                count += 1
                try await waitUntil { transactions.waiting >= count }
            }
            for name in ["b1", "b2", "b3"] { try await add(name, inBackground: true) }
            try await add("a1", inBackground: false, held(by: gate))
            gate.signal()
            // The transaction that begins with a1, and could take all of the background.
            _ = await begun.next()
            count = 0
            try await add("a2", inBackground: false)
            gate.signal()
            try await group.waitForAll()
        }
        #expect(order.names.withLock { $0 } == ["first", "a1", "b1", "a2", "b2", "b3"])
    }
}
