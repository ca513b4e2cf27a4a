import CSQLite
import Outbox
import OutboxCore
import OutboxLedger
import OutboxSQLite
import OutboxTesting
import SQLite
import Testing

@Suite(.serialized, .timeLimit(.minutes(20))) struct CorruptionTests {
    /// What became of one operation after one change.
    private enum Fate: Hashable {
        /// There as it was.
        case intact
        /// There, and its record or envelope does not open: the drain quarantines it.
        case quarantined
        /// The storage says that it is damaged.
        case reported
        /// There, but elsewhere in the queue.
        case displaced
        /// Not there, and nobody says so.
        case missing
        /// There with other bytes than were enqueued.
        case forged
    }

    private struct Tally: CustomStringConvertible {
        var changes = 0
        var fates: [Fate: Int] = [:]
        /// Changes that displaced or hid something and that SQLite's own check finds.
        var found = 0
        /// Those that it does not find either.
        var silent = 0
        /// Errors that are not of the storage's own type.
        var untyped = 0
        /// Of a batch one is missing and another is not.
        var halves = 0

        var description: String {
            func count(_ fate: Fate) -> Int { fates[fate, default: 0] }
            return """
                \(changes) changes; operations intact \(count(.intact)), quarantined \
                \(count(.quarantined)), reported \(count(.reported)), displaced \
                \(count(.displaced)), missing \(count(.missing)), forged \(count(.forged)); \
                of the changes behind displaced and missing ones integrity_check finds \(found), \
                not \(silent); untyped errors \(untyped), halves \(halves)
                """
        }
    }

    private typealias Change = @Sendable ([UInt8]) -> [UInt8]

    private static let database = SQLiteScenario.database
    private static let log = database + "-wal"

    private let contents: [String: [UInt8]]
    private let promises: Ledger.Promises
    /// Inserted together, in the log.
    private let batch: [OperationID]
    private let folder: WatchedFolder

    /// Pages of 512 bytes, so that a small database has every kind of page. Five operations are in
    /// the database, three are in its log.
    init() throws {
        let made = try WatchedFolder()
        var handle: OpaquePointer?
        try #require(sqlite3_open(made.file(Self.database), &handle) == SQLITE_OK)
        let sql = "PRAGMA page_size=512; CREATE TABLE note(id); DROP TABLE note"
        try #require(sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK)
        try #require(sqlite3_close(handle) == SQLITE_OK)
        let script = Scenario<SQLiteStorage>()
        do {
            let outbox = try SQLiteScenario.open(made)
            let steps: [Scenario<SQLiteStorage>.Step] = [
                { try $0.storage.markUsed() },
                script.insert([1]), script.insert([2, 3], padding: 900), script.insert([4, 5]),
                script.wait(4, .network), script.park(5),
                { try $0.storage.checkpoint() },
                script.insert([6]), script.insert([7, 8]), script.wait(1, .server),
            ]
            for step in steps { try step(outbox) }
        }
        contents = made.disk.worst
        promises = script.ledger.promises
        batch = [7, 8].map(script.id)
        folder = try WatchedFolder()
    }

    private func tally(
        _ name: String, _ changes: [Change]
    ) throws -> Tally {
        let bytes = try #require(contents[name])
        var tally = Tally()
        for change in changes {
            var contents = contents
            contents[name] = change(bytes)
            try folder.replace(with: contents)
            tally.changes += 1
            let fates = fates(&tally.untyped)
            for fate in fates.values { tally.fates[fate, default: 0] += 1 }
            if (fates[batch[0]] == .missing) != (fates[batch[1]] == .missing) {
                tally.halves += 1
            }
            if fates.values.contains(where: { $0 == .displaced || $0 == .missing }) {
                if (try? isWhole()) == true { tally.silent += 1 } else { tally.found += 1 }
            }
        }
        return tally
    }

    private func isWhole() throws -> Bool {
        try SQLiteStorage(path: folder.file(Self.database)).read { connection in
            try connection.first("PRAGMA integrity_check") { $0.text(0) } == "ok"
        }
    }

    private func fates(_ untyped: inout Int) -> [OperationID: Fate] {
        do {
            let outbox = try SQLiteScenario.open(folder)
            defer {
                // Whatever it says; it must not crash.
                _ = try? outbox.enqueue(kind: "note", payload: [1])
                _ = try? outbox.counts()
                _ = try? outbox.storage.endWaits(for: .network)
            }
            let storage = outbox.storage
            let eligible = try storage.eligible(at: ScenarioWorld.now, limit: 99).entries
            let listed = try OperationState.allCases.flatMap {
                try storage.entries(in: $0, after: nil, limit: 99)
            }
            return Dictionary(
                uniqueKeysWithValues: promises.operations.map { id, promise in
                    (id, fate(of: id, promise, in: outbox, listed, eligible))
                })
        } catch {
            if !(error is StorageError) { untyped += 1 }
            return promises.operations.mapValues { _ in .reported }
        }
    }

    private func fate(
        of id: OperationID, _ promise: Ledger.Promise, in outbox: Outbox<SQLiteStorage>,
        _ listed: [StoredEntry], _ eligible: [StoredEntry]
    ) -> Fate {
        guard let entry = listed.first(where: { $0.operationID == id }) else { return .missing }
        let isEligible = eligible.contains { $0.id == entry.id }
        let standing: Standing =
            switch entry.state {
            case .queued: isEligible ? .eligible : .waiting
            case .parked: .parked
            case .quarantined: .quarantined
            }
        do {
            guard try outbox.open(id).payload == promise.payload else { return .forged }
        } catch is UnreadableRecord {
            return .quarantined
        } catch {
            return .reported
        }
        return promise.standings.contains(standing) ? .intact : .displaced
    }

    private func flip(_ bit: Int) -> Change {
        { bytes in
            var bytes = bytes
            bytes[bit / 8] ^= 1 << UInt8(bit % 8)
            return bytes
        }
    }

    private func cut(to length: Int) -> Change { { Array($0.prefix(length)) } }

    @Test("a flipped bit of the database never crashes, forges, or passes as another error")
    func flippedBits() async throws {
        var random = SeededRandom(seed: .random(in: 0 ... .max))
        let count = try #require(contents[Self.database]).count
        let bits = (0..<count).map { $0 * 8 + Int.random(in: 0..<8, using: &random) }
        let changes = bits.map(flip)
        let tally = try await onOwnThread { try self.tally(Self.database, changes) }
        print("SQLite, one bit of each byte of the database, seed \(random.seed): \(tally)")
        #expect(tally.changes == count && tally.untyped == 0, "seed \(random.seed)")
        #expect(tally.fates[.forged, default: 0] == 0, "seed \(random.seed)")
        // A page holds several operations; those on other pages are not concerned.
        let all = count * promises.operations.count
        #expect(tally.fates[.intact, default: 0] * 10 > all * 8, "seed \(random.seed)")
    }

    /// To SQLite a damaged log is one that ends early, as after a power cut: the transactions from
    /// the damage on are gone, and nothing tells.
    @Test("damage to the log takes back its last transactions, whole ones, and nothing else")
    func damagedLog() async throws {
        var random = SeededRandom(seed: .random(in: 0 ... .max))
        let count = try #require(contents[Self.log]).count
        let bits = stride(from: 0, to: count, by: 4).map {
            $0 * 8 + Int.random(in: 0..<32, using: &random)
        }
        let changes = bits.map(flip) + stride(from: 0, to: count, by: 13).map(cut)
        let tally = try await onOwnThread { try self.tally(Self.log, changes) }
        print("SQLite, one bit of four bytes of the log, and truncations: \(tally)")
        #expect(tally.untyped == 0 && tally.halves == 0, "seed \(random.seed)")
        for fate in [Fate.forged, .quarantined, .reported] {
            #expect(tally.fates[fate, default: 0] == 0, "\(fate), seed \(random.seed)")
        }
        // The log holds three insertions, and the wait of an operation that was there before.
        #expect(tally.fates[.missing, default: 0] <= tally.changes * 3, "seed \(random.seed)")
        #expect(tally.fates[.displaced, default: 0] <= tally.changes, "seed \(random.seed)")
    }

    @Test("a truncated database never crashes, forges, or passes as another error")
    func truncations() async throws {
        let count = try #require(contents[Self.database]).count
        let lengths = (0..<count).filter { $0 % 7 == 0 || ($0 + 1) % 512 < 3 }
        let changes = lengths.map(cut)
        let tally = try await onOwnThread { try self.tally(Self.database, changes) }
        print("SQLite, truncations of the database: \(tally)")
        #expect(tally.changes == lengths.count && tally.untyped == 0)
        #expect(tally.fates[.forged, default: 0] == 0)
    }
}
