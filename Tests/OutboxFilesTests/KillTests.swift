import Foundation
import KilledProcess
import Outbox
import OutboxCore
import OutboxFiles
import OutboxSQLite
import OutboxTesting
import Synchronization
import TemporaryFolders
import TestSeeds
import Testing

@Suite(.serialized, .timeLimit(.minutes(60))) struct KillTests {
    private static let kills = 1000 / SearchShare().stride / 2 * 2

    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test(
        "files: whatever is killed whenever, what was promised is there, or was delivered",
        arguments: TestSeeds["file-kills"]
    )
    func files(seed: UInt64) async throws {
        try await run("files", seed: seed) { try FileStorage(folder: folder.file("store")) }
        let left = try FileManager.default.contentsOfDirectory(
            atPath: folder.file("store/temporary")
        )
        #expect(left.isEmpty)
    }

    @Test(
        "SQLite: whatever is killed whenever, what was promised is there, or was delivered",
        arguments: TestSeeds["database-kills"]
    )
    func sqlite(seed: UInt64) async throws {
        try await run("sqlite", seed: seed) { try SQLiteStorage(path: folder.file("store.sqlite")) }
    }

    private func run(
        _ name: String,
        seed: UInt64,
        open: () throws -> some OutboxStorage
    ) async throws {
        let random = SeededRandom(seed: seed)
        let (promised, delivered) = (folder.file("promised"), folder.file("delivered"))
        let keys = FileKeyStore(path: folder.file("key"))
        _ = try keys.keys(creating: true)
        let folder = folder.path
        let storage = try open()
        try storage.markUsed()
        // On a thread of its own: it waits for processes, and the other tests need the task threads.
        let (kills, begun, claims) = try await withCheckedThrowingContinuation { done in
            Thread.detachNewThread {
                done.resume(
                    with: Result {
                        try Self.killProcesses(
                            of: storage,
                            name,
                            in: folder,
                            promised: promised,
                            delivered: delivered,
                            random: random,
                            seed: seed
                        )
                    }
                )
            }
        }
        let outbox = Outbox(storage: try open(), keys: keys)
        let left = try outbox.counts()
        let rest = Deliveries()
        try await outbox.drain(["note": { rest.add($0.id) }], until: .idle)
        let acknowledged = Set(try identifiers(inRecord: promised))
        let handled = try identifiers(inRecord: delivered) + rest.all
        let lost = acknowledged.subtracting(handled)
        let unpromised = Set(handled).subtracting(acknowledged)
        print(
            """
            kills, \(name): \(kills), promised \(acknowledged.count), delivered \
            \(Set(handled).count), lost \(lost.count), repeated \
            \(handled.count - Set(handled).count), stored without a promise \(unpromised.count), \
            left at the end \(left.queued), seed \(seed)
            """
        )
        #expect(lost.isEmpty, "seed \(seed)")
        #expect(begun > 0 && acknowledged.count >= begun && claims == kills / 2, "seed \(seed)")
        // A process had at most five calls under way.
        #expect(unpromised.count <= kills / 2 * 5, "seed \(seed)")
        #expect(left.parked == 0 && left.quarantined == 0, "seed \(seed)")
        #expect(try outbox.counts() == OutboxCounts(), "seed \(seed)")
    }

    /// - Returns: How many were killed, how many of them had been promised something, and how often
    ///   the drainer's role was free afterwards.
    private static func killProcesses(
        of storage: some OutboxStorage,
        _ name: String,
        in folder: String,
        promised: String,
        delivered: String,
        random: SeededRandom,
        seed: UInt64
    ) throws -> (kills: Int, begun: Int, claims: Int) {
        var random = random
        var (kills, begun, claims) = (0, 0, 0)
        while kills < Self.kills {
            let writer = try KilledProcess("OutboxWriter", ["enqueue", name, folder, promised])
            let drainer = try KilledProcess("OutboxWriter", ["drain", name, folder, delivered])
            // Now and then one is killed that is still starting.
            if Int.random(in: 0..<8, using: &random) > 0 {
                #expect(writer.waitUntilItBegins() && drainer.waitUntilItBegins(), "seed \(seed)")
                begun += 1
            }
            usleep(UInt32.random(in: 0..<6000, using: &random))
            #expect(writer.kill(), "seed \(seed)")
            usleep(UInt32.random(in: 0..<2000, using: &random))
            #expect(drainer.kill(), "seed \(seed)")
            if try storage.claimDrain() != nil { claims += 1 }
            kills += 2
        }
        return (kills, begun, claims)
    }
}

private final class Deliveries: Sendable {
    private let ids = Mutex<[OperationID]>([])

    var all: [OperationID] { ids.withLock { $0 } }

    func add(_ id: OperationID) -> DeliveryMachine.Outcome {
        ids.withLock { $0.append(id) }
        return .done
    }
}
