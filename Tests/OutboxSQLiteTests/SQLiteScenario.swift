import Outbox
import OutboxCore
import OutboxLedger
import OutboxSQLite
import SQLite
import Synchronization
import WatchedFiles

/// Everything a store can do, over a database in a watched folder, from making it on, and what only
/// SQLite's storage can: the app's own tables, check-points, a second connection.
struct SQLiteScenario {
    static let database = "outbox.sqlite"

    private let folder: WatchedFolder
    private let script: Scenario<SQLiteStorage>
    private let oldOperations: [Int]
    private let isLong: Bool

    /// - Parameters:
    ///   - oldOperations: What ``oldDatabase(holding:)`` was made with, if the folder has such a
    ///     database.
    ///   - isLong: Whether the script does everything a second time, in the log that it emptied.
    init(
        in folder: WatchedFolder,
        failing: Scenario<SQLiteStorage>.Failing = .never,
        oldOperations: [Int] = [],
        isLong: Bool = true
    ) {
        self.folder = folder
        self.isLong = isLong
        self.oldOperations = oldOperations
        script = Scenario(failing: failing)
        for number in oldOperations {
            let id = script.id(number)
            script.ledger.expect(id, payload: script.payload(number))
            script.ledger.line(id, in: ScenarioWorld.oldLane)
            script.ledger.promise(number == oldOperations[0] ? .eligible : .waiting, id)
        }
    }

    var ledger: Ledger { script.ledger }

    /// Opens the database and runs the script.
    ///
    /// - Parameters:
    ///   - settings: Run on every connection that is opened, in order to sabotage it.
    ///   - endsAtFirstFailure: Else a step that fails does not keep the next from running.
    /// - Returns: Why the opening, or steps, failed.
    func run(settings: String = "", endsAtFirstFailure: Bool = false) -> [any Error] {
        var errors: [any Error] = []
        let outbox: Outbox<SQLiteStorage>
        do {
            outbox = try Self.open(folder, settings: settings)
        } catch {
            return [error]
        }
        let other = Box()
        let openOther: Scenario<SQLiteStorage>.Step = { _ in
            other.outbox = try Self.open(folder, settings: settings)
        }
        let closeOther: Scenario<SQLiteStorage>.Step = { _ in other.outbox = nil }
        func elsewhere(
            _ step: @escaping Scenario<SQLiteStorage>.Step
        ) -> Scenario<SQLiteStorage>.Step {
            { _ in if let outbox = other.outbox { try step(outbox) } }
        }
        let checkpoint: Scenario<SQLiteStorage>.Step = { try $0.storage.checkpoint() }
        let steps: [Scenario<SQLiteStorage>.Step] =
            (oldOperations.count > 1
                ? [script.remove(oldOperations[0], next: oldOperations[1])] : []) + [
                { try $0.storage.write { try $0.execute(Self.noteTable) } }
            ] + script.everyChange() + script.everyChangeOfLane(from: 21) + [
                checkpoint, script.insert([10, 11]), withNote(12), refusedWithNote(13),
                script.insert([14], padding: 9000), openOther, elsewhere(script.insert([15])),
                script.insert([16]), elsewhere(script.remove(10)), elsewhere(withNote(17)),
                elsewhere(checkpoint), script.park(11), closeOther, script.insert([18, 19]),
                checkpoint, script.remove(14), script.insert([20]), script.wait(20, .backoff),
            ] + (isLong ? script.everyChange(from: 31) : [])
        for step in steps where errors.isEmpty || !endsAtFirstFailure {
            do { try step(outbox) } catch { errors.append(error) }
        }
        return errors
    }

    private final class Box {
        var outbox: Outbox<SQLiteStorage>?
    }

    static func open(
        _ folder: WatchedFolder,
        settings: String = ""
    ) throws -> Outbox<SQLiteStorage> {
        let storage = try SQLiteStorage(path: folder.file(database))
        if !settings.isEmpty { try storage.read { try $0.execute(settings) } }
        return ScenarioWorld.outbox(storage)
    }

    // MARK: An app's own table

    private static let noteTable = "CREATE TABLE IF NOT EXISTS note(id BLOB PRIMARY KEY)"

    private func withNote(_ number: Int) -> Scenario<SQLiteStorage>.Step {
        script.insert([number]) { outbox, operations in
            try outbox.storage.write { connection in
                for operation in operations {
                    try outbox.storage.insert(operation, in: connection)
                    try connection.run(
                        "INSERT INTO note VALUES (?)",
                        .blob(operation.envelope.id.bytes)
                    )
                }
            }
        }
    }

    private func refusedWithNote(_ number: Int) -> Scenario<SQLiteStorage>.Step {
        struct Refusal: Error {}
        return { outbox in
            script.ledger.expect(script.id(number), payload: script.payload(number))
            let operation = try outbox.seal(
                kind: "note",
                payload: script.payload(number),
                id: script.id(number)
            )
            do {
                try outbox.storage.write { connection in
                    try outbox.storage.insert(operation, in: connection)
                    try connection.run(
                        "INSERT INTO note VALUES (?)",
                        .blob(operation.envelope.id.bytes)
                    )
                    throw Refusal()
                }
            } catch is Refusal {}
        }
    }

    /// How many operations of an app's transaction are there without its own row, or the other way
    /// round. The script removes none of them.
    static func halves(in outbox: Outbox<SQLiteStorage>) throws -> Int {
        let notes = try outbox.storage.read { connection in
            let hasTable = try connection.first(
                "SELECT 1 FROM sqlite_schema WHERE name = 'note'",
                row: { _ in true }
            )
            return try hasTable == nil
                ? [] : connection.query("SELECT id FROM note", row: { $0.blob(0) })
        }
        let script = Scenario<SQLiteStorage>()
        return try [12, 13, 17].map(script.id).count { id in
            try notes.contains(id.bytes) != (outbox.storage.entry(for: id) != nil)
        }
    }

    // MARK: A database of an earlier build

    /// The files of a database in the first schema, which knew no lanes, as its process left them
    /// behind. All its operations are of one lane.
    static func oldDatabase(holding numbers: [Int]) throws -> [String: [UInt8]] {
        let folder = try WatchedFolder()
        do {
            let connection = try Connection(path: folder.file(database))
            try connection.execute(
                """
                CREATE TABLE outbox_operation(
                    entry INTEGER PRIMARY KEY,
                    id BLOB NOT NULL UNIQUE,
                    state INTEGER NOT NULL,
                    due INTEGER NOT NULL,
                    wait INTEGER NOT NULL,
                    quarantine TEXT,
                    envelope BLOB NOT NULL,
                    record BLOB NOT NULL
                );
                CREATE INDEX outbox_due ON outbox_operation(state, due, id);
                CREATE TABLE outbox_use(used INTEGER PRIMARY KEY);
                INSERT INTO outbox_use VALUES (1);
                """
            )
            let outbox = ScenarioWorld.outbox(
                try SQLiteStorage(path: folder.file("elsewhere.sqlite"))
            )
            let script = Scenario<SQLiteStorage>()
            for number in numbers {
                let operation = try outbox.seal(
                    kind: "note",
                    payload: script.payload(number),
                    id: script.id(number),
                    orderingKey: ScenarioWorld.oldLane
                )
                try connection.run(
                    """
                    INSERT INTO outbox_operation(id, state, due, wait, envelope, record)
                    VALUES (?, 0, 0, 0, ?, ?)
                    """,
                    .blob(operation.envelope.id.bytes),
                    .blob(operation.envelope.encoded()),
                    .blob(operation.record)
                )
            }
        }
        let worst = folder.disk.worst
        return worst.filter { $0.key == database || $0.key == database + "-wal" }
    }
}
