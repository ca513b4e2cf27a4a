import Foundation
import Outbox
import OutboxCore
import OutboxSQLite
import OutboxTesting
import SQLite
import Synchronization
import TemporaryFolders
import Testing

/// Lanes where SQL is involved: transactions of the caller, damage, and other builds at the same
/// time.
@Suite(.timeLimit(.minutes(60))) struct LaneStoreTests {
    private let folder: TemporaryFolder
    private let storage: SQLiteStorage
    private let keys = MemoryKeyStore(keys: [.random()])
    private let now = WallTime(millisecondsSinceEpoch: 1_800_000_000_000)
    private let lane = OrderingKey(bytes: Array("lane".utf8))

    init() throws {
        folder = try TemporaryFolder()
        storage = try SQLiteStorage(path: folder.file("outbox.sqlite"))
    }

    private func outbox(_ policy: LanePolicy = .skipAndPark) -> Outbox<SQLiteStorage> {
        Outbox(storage: storage, keys: keys, lanePolicy: { _ in policy })
    }

    private func enqueue(_ count: Int) throws -> [OperationID] {
        try (0..<count).map {
            try outbox().enqueue(kind: "note", payload: [UInt8($0)], orderingKey: lane)
        }
    }

    private func eligible() throws -> [OperationID?] {
        try storage.eligible(at: now, limit: 9).entries.map(\.operationID)
    }

    private func entry(of id: OperationID) throws -> EntryID {
        try #require(try storage.entry(for: id)).id
    }

    @Test("a transaction that fails leaves a lane's front as it was")
    func rolledBack() throws {
        struct Failure: Error {}
        let ids = try enqueue(3)
        let (first, second) = (try entry(of: ids[0]), try entry(of: ids[1]))
        #expect(throws: Failure.self) {
            try storage.write { connection in
                _ = try storage.delete(first, in: connection)
                _ = try storage.makeEligible(second, in: connection)
                throw Failure()
            }
        }
        #expect(try eligible() == [ids[0]])
    }

    @Test("what a person decides in a transaction of the app keeps the order of a lane")
    func decisions() throws {
        let ids = try enqueue(4)
        for id in ids[0...1] {
            let envelope = try #require(try outbox().entry(for: id)?.envelope)
            try storage.settle(.park(envelope), for: id)
        }
        #expect(try eligible() == [ids[2]])
        try storage.write { try storage.makeAllEligible(in: $0) }
        #expect(try eligible() == [ids[0]])
        let first = try entry(of: ids[0])
        try storage.write { _ = try storage.delete(first, in: $0) }
        #expect(try eligible() == [ids[1]])
    }

    @Test("a queued entry that a person parks waits as one that a handler parks, and no other one")
    func parked() throws {
        let ids = try enqueue(2)
        let (first, second) = (try entry(of: ids[0]), try entry(of: ids[1]))
        #expect(try storage.write { try storage.park(first, in: $0) })
        #expect(try outbox().entry(for: ids[0])?.state == .parked)
        #expect(try eligible() == [ids[1]])
        #expect(try !storage.write { try storage.park(first, in: $0) })
        #expect(try storage.write { try storage.makeEligible(first, in: $0) })
        #expect(try eligible() == [ids[0]])
        try storage.write { connection in
            _ = try connection.run(
                "UPDATE outbox_operation SET envelope = x'00' WHERE entry = ?",
                .integer(second.rawValue)
            )
        }
        #expect(try !storage.write { try storage.park(second, in: $0) })
        _ = try storage.write { try storage.delete(second, in: $0) }
        #expect(try !storage.write { try storage.park(second, in: $0) })
    }

    @Test("an operation that the app inserts in its own transaction joins its lane")
    func callersTransaction() throws {
        let ids = try enqueue(1)
        let operations = try (0..<2).map {
            try outbox().seal(kind: "note", payload: [UInt8($0)], orderingKey: lane)
        }
        try storage.write { connection in
            for operation in operations { try storage.insert(operation, in: connection) }
        }
        var order: [OperationID?] = []
        while let next = try eligible().first, let id = next {
            order.append(id)
            try storage.settle(.remove, for: id)
        }
        #expect(order == ids + operations.map(\.envelope.id))
    }

    @Test("a front whose envelope cannot be read belongs to no lane, whatever the lane's policy")
    func unreadableEnvelope() async throws {
        let ids = try enqueue(3)
        try storage.write {
            try $0.run(
                "UPDATE outbox_operation SET envelope = x'00' WHERE id = ?",
                .blob(ids[0].bytes)
            )
        }
        let delivered = Mutex<[OperationID]>([])
        try await outbox(.blockLane).drain(
            [
                "note": { operation in
                    delivered.withLock { $0.append(operation.id) }
                    return .done
                }
            ],
            until: .idle
        )
        #expect(delivered.withLock { $0 } == Array(ids[1...]))
        let entries = try outbox().entries(in: .quarantined)
        #expect(entries.map(\.quarantineReason) == [.envelope])
    }

    // MARK: A build that knows no lanes, with the store open since before it had any

    private func asOlderBuild(_ sql: String, _ values: Value...) throws {
        let connection = try Connection(path: folder.file("outbox.sqlite"))
        switch values.count {
        case 1: try connection.run(sql, values[0])
        default: try connection.run(sql, values[0], values[1])
        }
    }

    @Test("a front that an older build removes makes way for the next one")
    func removedByOlderBuild() throws {
        let ids = try enqueue(3)
        for index in 0..<2 {
            try asOlderBuild(
                "DELETE FROM outbox_operation WHERE id = ?",
                .blob(ids[index].bytes)
            )
            #expect(try eligible() == [ids[index + 1]])
        }
    }

    @Test("a front that an older build parks holds its lane back until a person decides")
    func parkedByOlderBuild() throws {
        let ids = try enqueue(2)
        try asOlderBuild(
            "UPDATE outbox_operation SET state = 1, due = 0, wait = 0 WHERE id = ?",
            .blob(ids[0].bytes)
        )
        #expect(try eligible().isEmpty)
        try outbox().retry(ids[0])
        #expect(try eligible() == [ids[0]])
    }

    @Test("what an older build inserts is delivered, in no lane")
    func insertedByOlderBuild() throws {
        let ids = try enqueue(2)
        let sealed = try outbox().seal(kind: "note", payload: [7], orderingKey: lane)
        try asOlderBuild(
            """
            INSERT INTO outbox_operation(id, state, due, wait, envelope, record)
            VALUES (?1, 0, 0, 0, ?2, x'00')
            """,
            .blob(sealed.envelope.id.bytes),
            .blob(sealed.envelope.encoded())
        )
        #expect(Set(try eligible()) == [ids[0], sealed.envelope.id])
    }
}
