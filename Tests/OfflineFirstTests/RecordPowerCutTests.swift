import OfflineFirst
import OfflineFirstTesting
import Outbox
import OutboxCore
import OutboxSQLite
import OutboxTesting
import SyncCore
import TestSeeds
import Testing
import Waiting
import WatchedFiles

/// Cuts the power before each operation of SQLite on its files, while a device edits and synchronises.
@Suite(.serialized, .timeLimit(.minutes(60))) struct RecordPowerCutTests {
    /// The names of the items that were promised.
    private struct Promises: Sendable {
        var items: Set<String> = []
        /// An item whose call is under way: it is there or not.
        var uncertain: String?
    }

    private let keys = MemoryKeyStore(keys: [.random()])

    private func edit(_ run: PowerCuts<Promises>.Run) async throws {
        let server = MemorySyncServer.strict()
        let device = try SyncDevice(run.folder.file("store"), keys: keys, server: server)
        let add: @Sendable (String) throws -> Void = { name in
            run.promise { $0.uncertain = name }
            _ = try device.records.create("item", [Field("name", name)])
            run.promise { promises in
                promises.items.insert(name)
                promises.uncertain = nil
            }
        }
        for number in 0..<3 { try add("before \(number)") }
        try await device.running {
            for number in 0..<3 { try add("during \(number)") }
            try await device.settle()
        }
    }

    @Test(
        "after a power cut at any moment each promised change is shown, and comes to a server once",
        arguments: TestSeeds["record-power-cuts"]
    )
    func powerCuts(seed: UInt64) async throws {
        let cuts = try await PowerCuts(Promises()) { try await edit($0) }
        print("power cuts of records:", try cuts.examine(seed: seed, contents: 2, examine))
    }

    private func examine(
        _ folder: WatchedFolder,
        _ promises: Promises,
        _ circumstances: String
    ) throws {
        let device = try SyncDevice(
            folder.file("store"),
            keys: keys,
            server: MemorySyncServer.strict()
        )
        defer { device.storage.close() }
        var names = Set(device.texts())
        #expect(device.texts().count == names.count, "\(circumstances)")
        if let uncertain = promises.uncertain { names.remove(uncertain) }
        #expect(names == promises.items, "\(circumstances)")
        #expect(try device.records.countSetAside() == 0, "\(circumstances)")
        // Each record that the server does not have, for certain, has an operation that sends it.
        let pending = try device.records.counts().pending
        #expect(try device.outbox.counts().queued >= pending, "\(circumstances)")
        #expect(
            device.records.snapshot.records(of: "item").filter { $0.word != .confirmed }.count
                == pending,
            "\(circumstances)"
        )
        // It goes on.
        _ = try device.records.create("item", [Field("name", "later")])
        #expect(device.texts().contains("later"), "\(circumstances)")
    }
}
