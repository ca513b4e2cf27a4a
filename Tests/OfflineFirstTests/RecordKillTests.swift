import Foundation
import KilledProcess
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

/// Kills processes that edit records, two at a time.
@Suite(.serialized, .timeLimit(.minutes(60))) struct RecordKillTests {
    @Test(
        "whatever is killed whenever, each promised change is there, with an operation that sends it",
        arguments: TestSeeds["record-kills"]
    )
    func kills(seed: UInt64) async throws {
        // On a thread of its own: it waits for processes, and the other tests need the task threads.
        try await withCheckedThrowingContinuation { done in
            Thread.detachNewThread { done.resume(with: Result { try killProcesses(seed) }) }
        }
    }

    private func killProcesses(_ seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let folder = try TemporaryFolder()
        let keys = FileKeyStore(path: folder.file("key"))
        let storage = try SQLiteStorage(path: folder.file("store"))
        let outbox = Outbox(storage: storage, keys: keys)
        let records = try SyncedRecords(in: outbox, rules: TestRules())
        var first = 0
        for _ in 0..<max(4, 24 / SearchShare().stride) {
            let processes = try [first, first + 1_000_000].map {
                try KilledProcess("RecordWriter", [folder.path, "\($0)"])
            }
            for process in processes { #expect(process.waitUntilItBegins(), "seed \(seed)") }
            usleep(UInt32.random(in: 0..<20_000, using: &random))
            for process in processes { #expect(process.kill(), "seed \(seed)") }
            first += 10_000
            try records.takeOver()
            try examine(outbox, records, folder, "seed \(seed)")
        }
        #expect(try promised(folder).count > 0)
    }

    private func promised(_ folder: TemporaryFolder) throws -> [Int] {
        let text = try String(contentsOfFile: folder.file("promised"), encoding: .utf8)
        return text.split(separator: "\n").compactMap { Int($0) }
    }

    private func examine(
        _ outbox: Outbox<SQLiteStorage>,
        _ records: SyncedRecords<TestRules>,
        _ folder: TemporaryFolder,
        _ circumstances: String
    ) throws {
        let counts = try records.counts()
        #expect(try outbox.counts().queued == counts.pending, "\(circumstances)")
        #expect(try records.countSetAside() == 0, "\(circumstances)")
        // A record has its last number, of those that were promised, or one that was not told any more.
        let promised = try promised(folder)
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
            storage: try SQLiteStorage(path: folder.file("store")),
            keys: FileKeyStore(path: folder.file("key"))
        )
        defer { again.storage.close() }
        let fresh = try SyncedRecords(in: again, rules: TestRules())
        #expect(fresh.snapshot.count == records.snapshot.count, "\(circumstances)")
    }
}
