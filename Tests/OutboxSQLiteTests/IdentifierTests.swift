import Foundation
import Outbox
import OutboxCore
import OutboxSQLite
import OutboxTesting
import SQLite
import Synchronization
import TemporaryFolders
import Testing
import WatchedFiles

@Suite(.timeLimit(.minutes(60))) struct IdentifierTests {
    private static let later = WallTime(millisecondsSinceEpoch: 1_900_000_000_000)
    private static let lane = OrderingKey(bytes: Array("lane".utf8))

    /// Where an operation stands.
    enum Standing: CaseIterable {
        case eligible, waiting, behind, parked, quarantined
    }

    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func id(_ number: UInt64) -> OperationID {
        OperationID(high: 0x0193_0000_0000_7000, low: 0x8000_0000_0000_0000 | number)
    }

    private func operation(
        _ number: UInt64,
        _ standing: Standing = .eligible,
        createdAt: WallTime = later
    ) -> SealedOperation {
        var envelope = Envelope(
            id: id(number),
            kind: "note",
            createdAt: createdAt,
            orderingKey: standing == .behind ? Self.lane : nil
        )
        if standing == .waiting {
            envelope.nextEligibleAt = Self.later
            envelope.waitCause = .backoff
        }
        return SealedOperation(envelope: envelope, record: [1])
    }

    /// Adds the operation 2 and brings it to its standing.
    private func put(_ standing: Standing, into storage: SQLiteStorage) throws {
        if standing == .behind { try storage.insert([operation(1, .behind)]) }
        let added = operation(2, standing)
        try storage.insert([added])
        switch standing {
        case .eligible, .waiting, .behind: break
        case .parked: try storage.settle(.park(added.envelope), for: id(2))
        case .quarantined:
            let entry = try #require(try storage.entry(for: id(2)))
            try storage.quarantine(entry.id, reason: .record, as: nil)
        }
    }

    /// - Parameter isEarlier: As the build before made it: one index of all identifiers.
    private func open(isEarlier: Bool) throws -> SQLiteStorage {
        let path = folder.file("outbox.sqlite")
        if isEarlier {
            try Connection(path: path).execute(
                """
                CREATE TABLE outbox_operation(
                    entry INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE, state INTEGER NOT NULL,
                    due INTEGER NOT NULL, wait INTEGER NOT NULL, quarantine TEXT,
                    envelope BLOB NOT NULL, record BLOB NOT NULL);
                CREATE INDEX outbox_due ON outbox_operation(state, due, id);
                CREATE TABLE outbox_use(used INTEGER PRIMARY KEY);
                """
            )
        }
        return try SQLiteStorage(path: path)
    }

    @Test(
        "an identifier is taken wherever its operation stands",
        arguments: Standing.allCases,
        [false, true]
    )
    func isTaken(standing: Standing, isEarlier: Bool) throws {
        let storage = try open(isEarlier: isEarlier)
        try put(standing, into: storage)
        let before = try storage.counts()
        for another in [Standing.eligible, .waiting, .behind] {
            #expect(throws: StorageError.duplicate) {
                try storage.insert([operation(3), operation(2, another)])
            }
        }
        #expect(try storage.counts() == before)
    }

    @Test(
        "an operation is found, and removed, wherever it stands",
        arguments: Standing.allCases,
        [false, true]
    )
    func isFound(standing: Standing, isEarlier: Bool) throws {
        let storage = try open(isEarlier: isEarlier)
        try put(standing, into: storage)
        #expect(try storage.entry(for: id(2))?.operationID == id(2))
        try storage.settle(.remove, for: id(2))
        #expect(try storage.entry(for: id(2)) == nil)
        try storage.insert([operation(2)])
    }

    /// Turns a store into one of the builds that kept new entries in no index: all that are queued,
    /// with whatever in the columns that such an entry does not need.
    private func keepQueuedUnindexed(_ storage: SQLiteStorage) throws {
        try storage.write {
            try $0.execute(
                """
                DROP TABLE schema_component;
                DROP INDEX outbox_due;
                DROP INDEX outbox_id;
                UPDATE outbox_operation SET entry = entry + (1 << 62) WHERE state = 0 AND due = 0;
                CREATE UNIQUE INDEX outbox_due ON outbox_operation(state, due, id)
                WHERE entry < 4611686018427387904;
                CREATE UNIQUE INDEX outbox_id ON outbox_operation(id)
                WHERE (state <> 0 OR due <> 0) AND entry < 4611686018427387904;
                """
            )
        }
        storage.close()
    }

    @Test("a store with entries in no index keeps them, in their order, and their identifiers")
    func unindexed() throws {
        let first = try open(isEarlier: false)
        try first.insert([operation(4, .waiting), operation(3), operation(2)])
        let before = try first.entries(in: .queued, after: nil, limit: 9)
        try keepQueuedUnindexed(first)
        let storage = try open(isEarlier: false)
        let after = try storage.entries(in: .queued, after: nil, limit: 9)
        #expect(after.map(\.id) == before.map(\.id))
        #expect(after.map(\.operationID) == [4, 3, 2].map(id))
        #expect(
            try storage.eligible(at: .distantPast, limit: 9).entries.map(\.operationID)
                == [id(2), id(3)]
        )
        for number: UInt64 in 2...4 {
            #expect(throws: StorageError.duplicate) { try storage.insert([operation(number)]) }
            try storage.settle(.remove, for: id(number))
        }
        try storage.insert([operation(2)])
        #expect(try storage.counts() == OutboxCounts(queued: 1))
    }

    @Test("an operation that is eligible leaves the queue like any other")
    func leavesQueue() throws {
        let storage = try open(isEarlier: false)
        try storage.insert([operation(2), operation(3)])
        let entry = try #require(try storage.entry(for: id(2)))
        try storage.quarantine(entry.id, reason: .record, as: nil)
        try storage.settle(.park(operation(3).envelope), for: id(3))
        #expect(try storage.eligible(at: Self.later, limit: 9).entries.isEmpty)
        #expect(try storage.counts() == OutboxCounts(parked: 1, quarantined: 1))
        let listed = try storage.entries(in: .quarantined, after: nil, limit: 9)
        #expect(listed.map(\.id) == [entry.id])
    }

    @Test(
        "the number of one that is gone is not given to the next",
        arguments: [Standing.eligible, .behind],
        [Standing.eligible, .behind]
    )
    func numbers(first: Standing, next: Standing) throws {
        let storage = try open(isEarlier: false)
        try storage.insert([operation(2, first)])
        let gone = try #require(try storage.entry(for: id(2))).id
        try storage.delete(gone)
        try storage.insert([operation(3, next)])
        #expect(try #require(try storage.entry(for: id(3))).id != gone)
        try storage.delete(gone)
        #expect(try storage.entry(for: id(3)) != nil)
    }

    @Test(
        "a number is greater than those before although the clock was set back",
        arguments: [Standing.eligible, .behind],
        [Standing.eligible, .behind]
    )
    func numbersGrow(first: Standing, next: Standing) throws {
        let storage = try open(isEarlier: false)
        try storage.insert([operation(2, first)])
        try storage.insert([operation(3, next, createdAt: .distantPast)])
        let numbers = try storage.entries(in: .queued, after: nil, limit: 9)
        #expect(numbers.map(\.operationID) == [id(2), id(3)])
    }

    @Test("adding an operation changes two pages")
    func pages() throws {
        let watched = try WatchedFolder()
        let storage = try SQLiteStorage(path: watched.file("outbox.sqlite"))
        let pages = Mutex(0)
        watched.apply { request, name in
            if request == .write, name.hasSuffix("-wal") { pages.withLock { $0 += 1 } }
            return .pass
        }
        let costs = try (0..<30).map { number in
            try storage.insert([operation(UInt64(number))])
            return pages.withLock { pages in
                defer { pages = 0 }
                // The page and, before it, its header.
                return pages / 2
            }
        }
        // Now and then a page is full.
        #expect(costs.sorted()[15] == 2)
    }
}
