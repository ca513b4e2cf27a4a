import CSQLite
import Outbox
import OutboxCore
import OutboxLedger
import OutboxSQLite
import OutboxTesting
import SQLite
import Testing
import WatchedFiles

/// A small store whose files a test changes, to see what becomes of its operations.
struct CorruptibleStore {
    /// What became of one operation after one change.
    enum Fate: Hashable {
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

    struct Tally: CustomStringConvertible {
        var changes = 0
        var fates: [Fate: Int] = [:]
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
                untyped errors \(untyped), halves \(halves)
                """
        }
    }

    typealias Change = @Sendable ([UInt8]) -> [UInt8]

    static let database = SQLiteScenario.database
    static let log = database + "-wal"

    /// Five operations are in the database, three are in its log.
    let logged: [String: [UInt8]]
    /// All are in the database, and its log is empty.
    let settled: [String: [UInt8]]
    let promises: Ledger.Promises
    /// Inserted together, in the log.
    private let batch: [OperationID]
    private let folder: WatchedFolder

    /// Pages of 512 bytes, so that a small database has every kind of page.
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
        logged = made.disk.worst
        try SQLiteScenario.open(made).storage.checkpoint()
        // Nobody syncs the log's being emptied.
        settled = made.disk.worst.merging([Self.log: []]) { $1 }
        promises = script.ledger.promises
        batch = [7, 8].map(script.id)
        folder = try WatchedFolder()
    }

    func tally(
        _ name: String,
        of whole: [String: [UInt8]],
        _ changes: [Change]
    ) throws -> Tally {
        let bytes = try #require(whole[name])
        var tally = Tally()
        for change in changes {
            var contents = whole
            contents[name] = change(bytes)
            try folder.replace(with: contents)
            tally.changes += 1
            let fates = fates(&tally.untyped)
            for fate in fates.values { tally.fates[fate, default: 0] += 1 }
            if (fates[batch[0]] == .missing) != (fates[batch[1]] == .missing) {
                tally.halves += 1
            }
        }
        return tally
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
            let isTold = (try? storage.damage(checkingUpTo: .max))?.isEmpty != true
            var fates = Dictionary(
                uniqueKeysWithValues: promises.operations.map { id, promise in
                    let fate = fate(of: id, promise, in: outbox, listed, eligible)
                    let isWrong = fate == .missing || fate == .displaced
                    return (id, isWrong && isTold ? .reported : fate)
                }
            )
            // The drain quarantines what is there under another name than its envelope's.
            let nameless = eligible.count { entry in
                (try? Envelope(decoding: entry.envelope))?.id != entry.operationID
                    || entry.operationID == nil
            }
            if fates.values.count(where: { $0 == .missing }) <= nameless {
                fates = fates.mapValues { $0 == .missing ? .quarantined : $0 }
            }
            return fates
        } catch {
            if !(error is StorageError) { untyped += 1 }
            return promises.operations.mapValues { _ in .reported }
        }
    }

    private func fate(
        of id: OperationID,
        _ promise: Ledger.Promise,
        in outbox: Outbox<SQLiteStorage>,
        _ listed: [StoredEntry],
        _ eligible: [StoredEntry]
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
        } catch OutboxError.notFound {
            return .displaced
        } catch {
            return .reported
        }
        return promise.standings.contains(standing) ? .intact : .displaced
    }

    static func flip(_ bit: Int) -> Change {
        { bytes in
            var bytes = bytes
            bytes[bit / 8] ^= 1 << UInt8(bit % 8)
            return bytes
        }
    }

    static func cut(to length: Int) -> Change { { Array($0.prefix(length)) } }
}
