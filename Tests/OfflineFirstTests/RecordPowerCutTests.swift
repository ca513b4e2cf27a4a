import OfflineFirst
import OfflineFirstTesting
import Outbox
import OutboxCore
import OutboxSQLite
import OutboxTesting
import SQLite
import SyncCore
import Synchronization
import TemporaryFolders
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

    private struct Moment: Sendable {
        let disk: RecordedDisk
        let promises: Promises
    }

    private let keys = MemoryKeyStore(keys: [.random()])

    private func moments() async throws -> [Moment] {
        let folder = try WatchedFolder()
        let promises = Mutex(Promises())
        let all = Mutex<[Moment]>([])
        folder.observe { disk in
            let promises = promises.withLock { $0 }
            all.withLock { $0.append(Moment(disk: disk, promises: promises)) }
        }
        let server = MemorySyncServer.strict()
        let device = try SyncDevice(folder.file("store"), keys: keys, server: server)
        let add: @Sendable (String) throws -> RecordKey = { name in
            promises.withLock { $0.uncertain = name }
            let key = try device.records.create("item", [Field("name", name)])
            promises.withLock { promises in
                promises.items.insert(name)
                promises.uncertain = nil
            }
            return key
        }
        for number in 0..<3 { _ = try add("before \(number)") }
        try await device.running {
            for number in 0..<3 { _ = try add("during \(number)") }
            try await device.settle()
        }
        let last = promises.withLock { $0 }
        return all.withLock { $0 } + [Moment(disk: folder.disk, promises: last)]
    }

    @Test(
        "after a power cut at any moment each promised change is shown, and comes to a server once",
        arguments: TestSeeds["record-power-cuts"]
    )
    func powerCuts(seed: UInt64) async throws {
        var random = SeededRandom(seed: seed)
        let moments = try await moments()
        let share = SearchShare()
        let folder = try WatchedFolder()
        var states = 0
        for moment in share.of(moments) {
            let cut = PowerCut(moment.disk, &random)
            var contents = [moment.disk.worst, moment.disk.latest]
            for _ in 0..<2 { contents.append(cut.any(using: &random)) }
            for content in contents {
                states += 1
                try folder.replace(with: content.filter { !$0.key.hasSuffix("-shm") })
                try examine(folder, moment.promises, "seed \(seed), state \(states)")
            }
        }
        print("power cuts of records: \(moments.count) moments, \(share), \(states) states")
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
