import Outbox
import OutboxCore
import OutboxLedger
import OutboxSQLite
import OutboxTesting
import SQLite
import TemporaryFolders
import TestSeeds
import Testing
import Waiting
import WatchedFiles

@Suite(.timeLimit(.minutes(60))) struct SettlementTests {
    private static let database = SQLiteScenario.database

    private func operations(_ count: Int) -> [SealedOperation] {
        (1...count).map { number in
            let id = OperationID(time: ScenarioWorld.now, random: (0, UInt64(number)))
            return SealedOperation(
                envelope: Envelope(id: id, kind: "note", createdAt: ScenarioWorld.now),
                record: [UInt8](repeating: 7, count: 300)
            )
        }
    }

    private func removals(_ count: Int, in storage: SQLiteStorage) throws -> [Settlement] {
        try storage.eligible(at: ScenarioWorld.now, limit: count).entries.map {
            Settlement(entry: $0.id, id: try #require($0.operationID), transition: .remove)
        }
    }

    @Test(
        "however many are removed at once, a power cut brings back as many as it may, and no more",
        arguments: [0, 1, 3, 31],
        TestSeeds["unsynced-removals"]
    )
    func unsynced(maximum: Int, seed: UInt64) async throws {
        try await onOwnThread {
            var random = SeededRandom(seed: seed)
            let folder = try WatchedFolder()
            let storage = try SQLiteStorage(
                path: folder.file(Self.database),
                maximumUnsyncedRemovals: maximum
            )
            try storage.insert(self.operations(120))
            let afterPowerCut = try WatchedFolder()
            var most = 0
            while true {
                let removals = try self.removals(
                    .random(in: 1...5, using: &random),
                    in: storage
                )
                guard !removals.isEmpty else { break }
                try storage.settle(removals)
                try afterPowerCut.replace(with: folder.disk.worst)
                let left = try SQLiteStorage(path: afterPowerCut.file(Self.database)).counts()
                let back = left.queued - (try storage.counts().queued)
                #expect(back <= maximum, "seed \(random.seed)")
                most = max(most, back)
            }
            #expect(most > maximum - 5, "seed \(random.seed)")
        }
    }

    @Test("a transaction that changes nothing syncs nothing, and takes no removal off the count")
    func unchanged() async throws {
        let left = try await onOwnThread {
            let folder = try WatchedFolder()
            let storage = try SQLiteStorage(
                path: folder.file(Self.database),
                maximumUnsyncedRemovals: 1
            )
            try storage.insert(self.operations(3))
            for _ in 0..<2 {
                try storage.settle(self.removals(1, in: storage))
                // Nothing waits.
                try storage.endWaits(for: .network)
            }
            let afterPowerCut = try WatchedFolder(folder.disk.worst)
            return try SQLiteStorage(path: afterPowerCut.file(Self.database)).counts()
        }
        #expect(left.queued <= 2)
    }

    @Test("outcomes that are not all removals are durable when they are recorded")
    func mixed() async throws {
        try await onOwnThread {
            let folder = try WatchedFolder()
            let storage = try SQLiteStorage(path: folder.file(Self.database))
            let operations = self.operations(3)
            try storage.insert(operations)
            var settlements = try self.removals(2, in: storage)
            settlements[1] = Settlement(
                entry: settlements[1].entry,
                id: settlements[1].id,
                transition: .park(operations[1].envelope)
            )
            try storage.settle(settlements)
            let afterPowerCut = try WatchedFolder(folder.disk.worst)
            let left = try SQLiteStorage(path: afterPowerCut.file(Self.database)).counts()
            #expect(left == OutboxCounts(queued: 1, parked: 1))
        }
    }

    @Test("outcomes of which one cannot be recorded change nothing")
    func allOrNone() throws {
        let folder = try TemporaryFolder()
        let storage = try SQLiteStorage(path: folder.file(Self.database))
        try storage.insert(operations(3))
        let removals = try removals(3, in: storage)
        try storage.write { connection in
            try connection.execute(
                """
                CREATE TRIGGER refuse BEFORE DELETE ON outbox_operation
                WHEN OLD.entry = \(removals[1].entry.rawValue)
                BEGIN SELECT RAISE(ABORT, 'no'); END
                """
            )
        }
        #expect(throws: StorageError.self) { try storage.settle(removals) }
        #expect(try storage.counts() == OutboxCounts(queued: 3))
        try storage.settle([removals[0], removals[2]])
        #expect(try storage.counts() == OutboxCounts(queued: 1))
    }
}
