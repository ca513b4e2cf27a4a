import Dispatch
import Foundation
import Outbox
import OutboxSQLite
import SQLite
import Synchronization
import TemporaryFolders
import Testing

@testable import RelaySQLite
@testable import RelayServer

// The time limit ends a test that hangs; no test comes near it.
@Suite("Reads beside transactions", .timeLimit(.minutes(60)))
struct ReadConnectionsTests {
    private let folder: TemporaryFolder
    private let storage: SQLiteStorage
    private let reads: ReadConnections

    init() throws {
        folder = try TemporaryFolder()
        storage = try SQLiteStorage(path: folder.path + "/test.sqlite")
        try storage.write { try $0.execute("CREATE TABLE number(value INTEGER PRIMARY KEY)") }
        reads = ReadConnections(path: storage.path, count: 2)
    }

    private func count() throws -> Int64? {
        try reads.read { try $0.first(Self.counting) { $0.integer(0) } }
    }

    private static let counting = "SELECT count(*) FROM number"

    private func insert(_ number: Int64) throws {
        _ = try storage.write { try $0.run("INSERT INTO number VALUES(?)", .integer(number)) }
    }

    @Test("a token is looked up while a transaction is being written")
    func beside() async throws {
        let fixture = try RelayFixture()
        let relay = try fixture.open()
        let (beginnings, beginning) = AsyncStream.makeStream(of: Void.self)
        let isRead = DispatchSemaphore(value: 0)
        let held = HeldTransaction {
            beginning.yield()
            // A look-up that waited for this transaction would never come.
            return isRead.wait(timeout: .now() + .seconds(30)) == .success
        }
        let transaction = Task { try await relay.store.run(held) }
        for await _ in beginnings { break }
        let unknown = DeviceToken(text: String(repeating: "x", count: 43))
        let device = try await relay.store.device(tokenHash: unknown.hash)
        #expect(device == nil)
        isRead.signal()
        #expect(try await transaction.value)
    }

    @Test("see every transaction that has returned, and none that is open")
    func latest() throws {
        for number in 1...100 {
            try insert(Int64(number))
            #expect(try count() == Int64(number))
        }
        let seen = try storage.write { database in
            try database.run("DELETE FROM number")
            return try count()
        }
        #expect(seen == 100)
        #expect(try count() == 0)
    }

    @Test("are as many at once as there are connections, and further ones wait for their turn")
    func atOnce() throws {
        try insert(1)
        let isRead = DispatchSemaphore(value: 0)
        let seen = Mutex<Int64?>(nil)
        let look: @Sendable () -> Void = { [reads] in
            let count = try? reads.read { try $0.first(Self.counting) { $0.integer(0) } }
            seen.withLock { $0 = count }
            isRead.signal()
        }
        try reads.read { _ in
            Thread.detachNewThread(look)
            // A read that waited for this one would never end.
            #expect(isRead.wait(timeout: .now() + .seconds(30)) == .success)
        }
        #expect(seen.withLock { $0 } == 1)
        // Also a read that throws gives its connection back.
        struct Refused: Error {}
        for _ in 0..<10 {
            #expect(throws: Refused.self) { try reads.read { _ in throw Refused() } }
        }
        #expect(try count() == 1)
        DispatchQueue.concurrentPerform(iterations: 100) { _ in
            #expect((try? count()) == 1)
        }
    }

    #if os(Linux)
        @Test("open no file before the first read, and no more connections than reads at once")
        func lazily() throws {
            func files() throws -> Int {
                try folder.openFiles().count { $0.hasSuffix("/test.sqlite") }
            }
            let before = try files()
            // The one of the suite has not read yet.
            #expect(before == 1)
            #expect(try count() == 0)
            #expect(try count() == 0)
            #expect(try files() == before + 1)
            let during = try reads.read { _ in
                _ = (try count(), try count())
                return try files()
            }
            #expect(during == before + 2)
        }

        @Test("open nothing once they are closed, even if they never read")
        func closedBefore() throws {
            reads.close()
            #expect(throws: StorageError.closed) { try count() }
            let files = try folder.openFiles().filter { $0.hasSuffix("/test.sqlite") }
            #expect(files.count == 1)
        }
    #endif

    @Test("can change nothing")
    func reading() throws {
        #expect(throws: StorageError.readOnly) {
            _ = try reads.read { try $0.run("INSERT INTO number VALUES(1)") }
        }
        #expect(try count() == 0)
    }

    @Test("fail once the store is closed")
    func closed() async throws {
        let fixture = try RelayFixture()
        let relay = try fixture.open()
        relay.store.close()
        await #expect(throws: StorageError.closed) {
            _ = try await relay.store.device(tokenHash: [1])
        }
        await #expect(throws: StorageError.closed) { _ = try await relay.store.queueFigures() }
    }
}

/// A transaction that stays open until its decision is made.
private struct HeldTransaction: RelayTransaction {
    let decision: @Sendable () -> Bool

    func find(in tables: some RelayReads) {}

    func decide(_ found: Void) -> RelayDecision<Bool> { RelayDecision(decision()) }
}
