import Foundation
import LibC
import OfflineFirst
import Outbox
import OutboxCore
import OutboxSQLite
import SyncCore

/// The process that the kill tests of the cache and of the records kill.
///
/// `OfflineWriter cache|records FOLDER FIRST` works on `FOLDER/store` under the key `FOLDER/key` until it
/// dies: it makes 200 changes from the number FIRST on, and appends the number of each to
/// `FOLDER/promised` when it is stored. Then it waits. It says `.` once it has begun.
@main struct OfflineWriter {
    private struct Usage: Error {}

    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 4, let first = Int(arguments[3]) else { throw Usage() }
        let folder = arguments[2]
        let promised = open(folder + "/promised", O_WRONLY | O_CREAT | O_APPEND, 0o600)
        guard promised >= 0 else { throw Usage() }
        let storage = try SQLiteStorage(path: folder + "/store")
        let outbox = Outbox(storage: storage, keys: FileKeyStore(path: folder + "/key"))
        let promise = { (number: Int) in
            let line = Array("\(number)\n".utf8)
            guard write(promised, line, line.count) == line.count else { throw Usage() }
        }
        let numbers = first..<first + 200
        switch arguments[1] {
        case "cache": try changeCache(outbox, numbers, promise)
        case "records": try changeRecords(outbox, numbers, promise)
        default: throw Usage()
        }
        while true { pause() }
    }

    /// Makes pending changes, each with its operation in one transaction, and stores answers between
    /// them, for which there is no room after a while.
    private static func changeCache(
        _ outbox: Outbox<SQLiteStorage>,
        _ numbers: Range<Int>,
        _ promise: (Int) throws -> Void
    ) throws {
        let cache = try DiskCache(
            in: outbox.storage,
            sealer: outbox.sealer,
            limits: CacheLimits(entries: 50)
        )
        begin()
        for number in numbers {
            let value = Array("value \(number)".utf8)
            let key = CacheKey(place: "list", bytes: Array("\(number % 20)".utf8))
            let change = try cache.seal(
                CacheChange(key: key, bytes: value),
                at: OutboxClock.system.wallTime()
            )
            let operation = try outbox.seal(kind: "list", payload: value)
            try outbox.storage.write { database in
                try cache.apply([change], in: database)
                try outbox.storage.insert(operation, in: database)
            }
            try promise(number)
            let answers = (0..<5).map { part in
                CacheAnswer(
                    key: CacheKey(place: "page", bytes: Array("\(number) \(part)".utf8)),
                    bytes: value
                )
            }
            try cache.store(
                answers,
                ticket: try cache.nextTicket(),
                at: OutboxClock.system.wallTime()
            )
        }
    }

    /// Creates a record and updates it twice, again and again.
    private static func changeRecords(
        _ outbox: Outbox<SQLiteStorage>,
        _ numbers: Range<Int>,
        _ promise: (Int) throws -> Void
    ) throws {
        struct Rules: SyncRules {
            func policy(for kind: [UInt8]) -> ConflictPolicy { .newerWins }
        }
        let records = try SyncedRecords(
            in: outbox,
            rules: Rules(),
            limits: SyncLimits(pending: .max)
        )
        begin()
        var last: RecordKey?
        for number in numbers {
            if let last, number % 3 > 0 {
                try records.update(last, [Field("number", "\(number)")])
            } else {
                last = try records.create("item", [Field("number", "\(number)")])
            }
            try promise(number)
        }
    }

    private static func begin() { FileHandle.standardOutput.write(Data(".".utf8)) }
}
