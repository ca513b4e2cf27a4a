import Foundation
import Outbox
import OutboxCore
import OutboxLedger
import OutboxSQLite
import OutboxTesting
import Synchronization
import TemporaryFolders
import TestSeeds
import Testing
import Waiting
import WatchedFiles

@Suite(.serialized, .timeLimit(.minutes(60))) struct LogCorruptionTests {
    private typealias Store = CorruptibleStore

    private static let frameLength = 24 + 512
    /// In bits: of the headers all are flipped, of the pages one of so many, from a random one on.
    /// With 1 it takes minutes.
    private static let step = 5
    private let store: Store
    private let log: [UInt8]

    init() throws {
        store = try Store()
        log = try #require(store.logged[Store.log])
    }

    /// The lengths of the log with each of its transactions.
    private var ends: [Int] {
        stride(from: 32, to: log.count, by: Self.frameLength).compactMap { frame in
            log[frame + 4..<frame + 8].contains { $0 != 0 } ? frame + Self.frameLength : nil
        }
    }

    @Test(
        "a flipped bit of the log loses nothing in silence: all is there, or it is reported",
        arguments: TestSeeds["log-bits"]
    )
    func flippedBits(seed: UInt64) async throws {
        let store = store
        let phase = Int(seed % UInt64(Self.step))
        let share = SearchShare()
        let bits = share.of(
            (0..<log.count * 8).filter {
                let byte = $0 / 8
                let isInHeader = byte < 32 || (byte - 32) % Self.frameLength < 24
                return isInHeader || $0 % Self.step == phase
            }
        )
        let tally = try await onOwnThread {
            try store.tally(Store.log, of: store.logged, bits.map(Store.flip))
        }
        print("SQLite, bits of the log, \(share), phase \(phase): \(tally)")
        #expect(tally.changes == bits.count && tally.untyped == 0, "phase \(phase)")
        for fate in [Store.Fate.forged, .quarantined, .displaced, .missing] {
            #expect(tally.fates[fate, default: 0] == 0, "\(fate), phase \(phase)")
        }
        // Of most bits the checksum tells which it is.
        #expect(tally.fates[.intact, default: 0] * 10 > bits.count * 8 * 9, "phase \(phase)")
    }

    @Test(
        "noise anywhere before the last transaction of the log is reported",
        arguments: TestSeeds["log-noise"]
    )
    func noise(seed: UInt64) async throws {
        var random = SeededRandom(seed: seed)
        let (store, length) = (store, 48)
        let last = try #require(ends.dropLast().last) - length
        let changes: [Store.Change] = stride(from: 0, through: last, by: 3).map { place in
            let noise = (0..<length).map { _ in UInt8.random(in: 1...255, using: &random) }
            return { bytes in
                var bytes = bytes
                for (index, mask) in zip(place..., noise) { bytes[index] ^= mask }
                return bytes
            }
        }
        let tally = try await onOwnThread {
            try store.tally(Store.log, of: store.logged, changes)
        }
        print("SQLite, noise in the log, seed \(random.seed): \(tally)")
        #expect(tally.untyped == 0 && tally.halves == 0, "seed \(random.seed)")
        for fate in [Store.Fate.forged, .quarantined, .displaced, .missing] {
            #expect(tally.fates[fate, default: 0] == 0, "\(fate), seed \(random.seed)")
        }
    }

    /// Nothing in the files tells a log that was cut from one that was never longer.
    @Test("a truncated log is one that ended there: whole transactions are gone, nothing else")
    func truncations() async throws {
        let (store, log) = (store, log)
        let tally = try await onOwnThread {
            try store.tally(Store.log, of: store.logged, (0..<log.count).map(Store.cut))
        }
        print("SQLite, every truncation of the log: \(tally)")
        #expect(tally.changes == log.count && tally.untyped == 0 && tally.halves == 0)
        for fate in [Store.Fate.forged, .quarantined, .reported] {
            #expect(tally.fates[fate, default: 0] == 0, "\(fate)")
        }
        // The log holds three insertions, and the wait of an operation that was there before.
        #expect(tally.fates[.missing, default: 0] <= tally.changes * 3)
        #expect(tally.fates[.displaced, default: 0] <= tally.changes)
    }

    @Test("what was dropped is set aside as it was, for its owner's eyes, until it is deleted")
    func copy() throws {
        var damaged = log
        let second = try #require(ends.first) + 24
        for index in second..<second + 100 { damaged[index] ^= 0xFF }
        let folder = try WatchedFolder(store.logged.merging([Store.log: damaged]) { $1 })
        let copy = folder.file(Store.database) + "-damaged-1"
        for _ in 0..<3 {
            let outbox = try SQLiteScenario.open(folder)
            #expect(try outbox.storage.damage(checkingUpTo: .max) == [.dropped(copy: copy)])
            try outbox.enqueue(kind: "note", payload: [1])
        }
        #expect(try [UInt8](Data(contentsOf: URL(filePath: copy))) == damaged)
        // As when the power is cut between the copy and the cut.
        try Data(damaged).write(to: URL(filePath: folder.file(Store.log)))
        #expect(
            try SQLiteScenario.open(folder).storage.damage(checkingUpTo: .max)
                == [.dropped(copy: copy)]
        )
        let attributes = try FileManager.default.attributesOfItem(atPath: copy)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        try FileManager.default.removeItem(atPath: copy)
        #expect(try SQLiteScenario.open(folder).storage.damage(checkingUpTo: .max) == [])
    }

    @Test("a log whose beginning is zeros is reported")
    func zeros() throws {
        var damaged = log
        // Two frames of zeros: one follows on the other.
        for index in 0..<32 + 2 * Self.frameLength { damaged[index] = 0 }
        let folder = try WatchedFolder(store.logged.merging([Store.log: damaged]) { $1 })
        let copy = folder.file(Store.database) + "-damaged-1"
        let storage = try SQLiteScenario.open(folder).storage
        #expect(try storage.damage(checkingUpTo: .max) == [.dropped(copy: copy)])
    }

    @Test(
        "many that open a damaged log at once and write lose nothing and set one copy aside",
        arguments: [false, true]
    )
    func openedAtOnce(isMendable: Bool) async throws {
        let (store, log, ends) = (store, log, ends)
        try await onOwnThread {
            for round in 0..<20 {
                var damaged = log
                // The low bits of a word are those of which the checksum tells where they are.
                let place = ends[0] + 24 + 4 * round
                for index in place..<place + (isMendable ? 1 : 64) { damaged[index] ^= 1 }
                let folder = try WatchedFolder(store.logged.merging([Store.log: damaged]) { $1 })
                let enqueued = Mutex<[OperationID]>([])
                DispatchQueue.concurrentPerform(iterations: 8) { _ in
                    guard let outbox = try? SQLiteScenario.open(folder),
                        let id = try? outbox.enqueue(kind: "note", payload: [1])
                    else { return }
                    enqueued.withLock { $0.append(id) }
                }
                let outbox = try SQLiteScenario.open(folder)
                let all = enqueued.withLock { $0 }
                #expect(all.count == 8)
                for id in all { #expect(try outbox.open(id).payload == [1]) }
                let damage = try outbox.storage.damage(checkingUpTo: .max)
                let copy = folder.file(Store.database) + "-damaged-1"
                #expect(damage == (isMendable ? [] : [.dropped(copy: copy)]))
                guard isMendable else { continue }
                for (id, promise) in store.promises.operations {
                    #expect(try outbox.open(id).payload == promise.payload)
                }
            }
        }
    }

    @Test("a drain begins with the report, and the state says that a person should look")
    func drain() async throws {
        var damaged = log
        let second = try #require(ends.first) + 24
        for index in second..<second + 100 { damaged[index] ^= 0xFF }
        let folder = try WatchedFolder(store.logged.merging([Store.log: damaged]) { $1 })
        let path = folder.file(Store.database)
        let events = Mutex<[OutboxEvent]>([])
        let outbox = Outbox(
            storage: try SQLiteStorage(path: path),
            keys: ScenarioWorld.keys,
            log: { event in events.withLock { $0.append(event) } }
        )
        for cause in [WaitCause.network, .server] { try outbox.storage.endWaits(for: cause) }
        let handled = Mutex<Set<OperationID>>([])
        try await outbox.drain(
            [
                "note": { operation in
                    _ = handled.withLock { $0.insert(operation.id) }
                    return .done
                }
            ],
            until: .idle
        )
        let first = events.withLock { $0.first }
        #expect(first?.change == .damaged && first?.reason == "storage.dropped")
        let state = try outbox.state()
        #expect(state.damage == [.dropped(copy: path + "-damaged-1")] && state.needsAttention)
        // All that was in the database, and before the damage; one of them is parked.
        #expect(handled.withLock { $0.count } == 5)
    }

    @Test("a database that was emptied beside its log is refused, and the log left as it is")
    func emptied() throws {
        let folder = try WatchedFolder(store.logged.merging([Store.database: []]) { $1 })
        #expect(throws: StorageError.corrupt) { try SQLiteScenario.open(folder) }
        let left = try Data(contentsOf: URL(filePath: folder.file(Store.log)))
        #expect([UInt8](left) == log)
    }
}
