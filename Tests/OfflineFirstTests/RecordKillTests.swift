import OfflineFirst
import Outbox
import OutboxCore
import OutboxSQLite
import OutboxTesting
import SQLite
import SyncCore
import TemporaryFolders
import TestSeeds
import Testing
import Waiting

/// Kills processes that edit records, two at a time.
@Suite(.serialized, .timeLimit(.minutes(60))) struct RecordKillTests {
    @Test(
        "whatever is killed whenever, each promised change is there, with an operation that sends it",
        arguments: TestSeeds["record-kills"]
    )
    func kills(seed: UInt64) async throws {
        try await onOwnThread { try killProcesses(seed) }
    }

    private func killProcesses(_ seed: UInt64) throws {
        let folder = try TemporaryFolder()
        let keys = FileKeyStore(path: folder.file("key"))
        let storage = try SQLiteStorage(path: folder.file("store"))
        let outbox = Outbox(storage: storage, keys: keys)
        let records = try SyncedRecords(in: outbox, rules: TestRules())
        let pairs = KilledPairs(work: "records", folder: folder, seed: seed)
        try pairs.run(rounds: 24, longest: 20_000) { circumstances in
            try records.takeOver()
            try examine(outbox, records, pairs, circumstances)
        }
    }

    private func examine(
        _ outbox: Outbox<SQLiteStorage>,
        _ records: SyncedRecords<TestRules>,
        _ pairs: KilledPairs,
        _ circumstances: String
    ) throws {
        let counts = try records.counts()
        #expect(try outbox.counts().queued == counts.pending, "\(circumstances)")
        #expect(try records.countSetAside() == 0, "\(circumstances)")
        // A record has its last number, of those that were promised, or one that was not told any more.
        let promised = try pairs.promised()
        let shown = records.snapshot.records(of: "item").compactMap {
            $0.text("number").flatMap { Int($0) }
        }
        #expect(counts.pending >= promised.count, "\(circumstances)")
        let groups = Set(promised.map { $0 - ($0 % 10_000) % 3 })
        #expect(shown.count >= groups.count, "\(circumstances)")
        for number in promised {
            let last = shown.contains { $0 >= number && $0 <= number + 2 }
            #expect(last, "\(circumstances)")
        }
        // A process that opens the folder anew sees the same.
        let again = Outbox(
            storage: try SQLiteStorage(path: pairs.folder.file("store")),
            keys: FileKeyStore(path: pairs.folder.file("key"))
        )
        defer { again.storage.close() }
        let fresh = try SyncedRecords(in: again, rules: TestRules())
        #expect(fresh.snapshot.count == records.snapshot.count, "\(circumstances)")
    }
}
