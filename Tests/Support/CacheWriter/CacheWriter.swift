import Foundation
import OfflineFirst
import Outbox
import OutboxCore
import OutboxSQLite

/// The process that the kill test of the cache kills.
///
/// `CacheWriter FOLDER FIRST` works on `FOLDER/store` under the key `FOLDER/key` until it dies. It
/// makes pending changes from the number FIRST on, each with its operation in one transaction, appends
/// the number of each to `FOLDER/promised` when it is stored, and stores answers between them, for which
/// there is no room after a while. It says `.` once it has begun.
@main struct CacheWriter {
    private struct Usage: Error {}

    static func main() throws {
        guard CommandLine.arguments.count == 3, let first = Int(CommandLine.arguments[2]) else {
            throw Usage()
        }
        let folder = CommandLine.arguments[1]
        let promised = open(folder + "/promised", O_WRONLY | O_CREAT | O_APPEND, 0o600)
        guard promised >= 0 else { throw Usage() }
        let storage = try SQLiteStorage(path: folder + "/store")
        let outbox = Outbox(storage: storage, keys: FileKeyStore(path: folder + "/key"))
        let cache = try DiskCache(
            in: storage,
            sealer: outbox.sealer,
            limits: CacheLimits(entries: 50)
        )
        FileHandle.standardOutput.write(Data(".".utf8))
        for number in first... {
            let value = Array("value \(number)".utf8)
            let key = CacheKey(place: "list", bytes: Array("\(number % 20)".utf8))
            let change = try cache.seal(
                CacheChange(key: key, bytes: value),
                at: OutboxClock.system.wallTime()
            )
            let operation = try outbox.seal(kind: "list", payload: value)
            try storage.write { database in
                try cache.apply([change], in: database)
                try storage.insert(operation, in: database)
            }
            let line = Array("\(number)\n".utf8)
            guard write(promised, line, line.count) == line.count else { throw Usage() }
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
}
