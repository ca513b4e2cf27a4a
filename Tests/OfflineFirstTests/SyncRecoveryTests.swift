import Foundation
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
import Testing
import Waiting

/// Servers and libraries of another time.
@Suite(.timeLimit(.minutes(60))) struct SyncRecoveryTests {
    private let folder: TemporaryFolder
    private let server = MemorySyncServer.strict()
    private let keys = MemoryKeyStore()

    init() throws { folder = try TemporaryFolder() }

    private func device(_ name: String = "one") throws -> SyncDevice {
        try SyncDevice(folder.file(name), keys: keys, server: server)
    }

    @Test(
        "a device that comes back after the server forgot the tombstones loses the deleted records"
    )
    func forgottenTombstones() async throws {
        let one = try device("one")
        let two = try device("two")
        let milk = try one.records.create("item", [Field("name", "milk")])
        try one.records.create("item", [Field("name", "bread")])
        try await one.running { try await one.settle() }
        try await two.running { try await waitUntil { two.texts() == ["bread", "milk"] } }
        try one.records.delete(milk)
        try await one.running { try await one.settle() }
        server.dropTombstones()
        // What it changed meanwhile is not given up.
        try two.records.create("item", [Field("name", "eggs")])
        try await two.running {
            try await two.settle()
            try await waitUntil { two.texts() == ["bread", "eggs"] }
        }
        #expect(server.texts("name") == ["bread", "eggs"])
    }

    @Test("a server restored from an older backup: devices have what it has, and send what waits")
    func restoredServer() async throws {
        let one = try device("one")
        let milk = try one.records.create("item", [Field("name", "milk")])
        try await one.running { try await one.settle() }
        let backup = server.backup()
        try one.records.create("item", [Field("name", "lost with the server")])
        try one.records.update(milk, [Field("name", "lost, too")])
        try await one.running { try await one.settle() }
        server.restore(backup)
        try one.records.create("item", [Field("name", "eggs")])
        try one.records.update(milk, [Field("count", "2")])
        try await one.running {
            try await one.settle()
            try await waitUntil { one.texts() == server.texts("name") }
        }
        #expect(server.texts("name").contains("eggs"))
        #expect(server.texts("name").contains("milk") || server.texts("name").contains("lost, too"))
        #expect(server.texts("count") == ["2"])
        #expect(try one.outbox.counts() == OutboxCounts())
    }

    @Test("a device restored from an older backup takes a new node, and applies nothing twice")
    func restoredDevice() async throws {
        let before = try device("one")
        try before.records.create("item", [Field("name", "milk")])
        try before.storage.checkpoint()
        before.storage.close()
        try FileManager.default.copyItem(atPath: folder.file("one"), toPath: folder.file("two"))
        let one = try device("one")
        try await one.running { try await one.settle() }
        let two = try device("two")
        try two.records.create("item", [Field("name", "bread")])
        try await two.running { try await two.settle() }
        #expect(server.texts("name") == ["bread", "milk"])
        #expect(two.texts() == ["bread", "milk"])
    }

    @Test("a library that is downgraded changes nothing of a full queue, and the newer one goes on")
    func downgrade() async throws {
        let device = try device()
        try device.records.create("item", [Field("name", "milk")])
        let newest = try device.newerBodies(keys: keys)
        device.storage.close()
        #expect(throws: SyncError.newerFormat) { try self.device() }
        #expect(throws: SyncError.newerFormat) { try self.device() }
        let storage = try SQLiteStorage(path: folder.file("one"))
        #expect(try SyncDevice.bodies(storage) == newest)
        #expect(try storage.counts().queued == 1)
    }

    @Test(
        "an operation of a newer build is parked and not lost; a drain without a manager parks, too"
    )
    func strangeOperation() async throws {
        let device = try device()
        let kind = device.records.operationKind
        let operation = try device.outbox.seal(kind: kind, payload: [9, 9])
        try device.storage.insert([operation])
        try device.records.create("item", [Field("name", "milk")])
        try await device.running {
            try await waitUntil { server.texts("name") == ["milk"] }
            try await waitUntil { try device.outbox.counts().queued == 0 }
        }
        #expect(try device.outbox.counts().parked == 1)
        try device.records.create("item", [Field("name", "bread")])
        try await device.outbox.drain([:], until: .idle)
        #expect(try device.outbox.counts().parked == 2)
        try await device.running { try await device.settle() }
        #expect(server.texts("name") == ["bread", "milk"])
    }
}

extension SyncDevice {
    /// Seals each record again as a build with a newer form would.
    func newerBodies(keys: MemoryKeyStore) throws -> [[UInt8]] {
        let names = try storage.read { database in
            try database.query("SELECT kind, id, body FROM sync_records") {
                (kind: $0.blob(0), id: $0.blob(1), body: $0.blob(2))
            }
        }
        for (kind, id, body) in names {
            var context = Array("sync.records".utf8) + [0, 1]
            withUnsafeBytes(of: UInt64(kind.count).bigEndian) { context.append(contentsOf: $0) }
            context += kind + id
            var bytes = try outbox.sealer.open(body, context: context)
            bytes[0] = 200
            let sealed = try outbox.sealer.seal(bytes, context: context)
            try storage.write {
                try $0.run(
                    "UPDATE sync_records SET body = ? WHERE id = ?",
                    .blob(sealed),
                    .blob(id)
                )
            }
        }
        return try Self.bodies(storage)
    }

    static func bodies(_ storage: SQLiteStorage) throws -> [[UInt8]] {
        try storage.read {
            try $0.query("SELECT body FROM sync_records ORDER BY id") { $0.blob(0) }
        }
    }
}
