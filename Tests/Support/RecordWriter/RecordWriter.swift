import Foundation
import LibC
import OfflineFirst
import Outbox
import OutboxCore
import OutboxSQLite
import SyncCore

/// The process that the kill test of the records kills.
///
/// `RecordWriter FOLDER FIRST` works on `FOLDER/store` under the key `FOLDER/key` until it dies: it
/// creates records and updates them, 200 times from the number FIRST on, and appends the number of each change to
/// `FOLDER/promised` when it is stored. Then it waits. It says `.` once it has begun.
@main struct RecordWriter {
    private struct Usage: Error {}

    private struct Rules: SyncRules {
        func policy(for kind: [UInt8]) -> ConflictPolicy { .newerWins }
    }

    static func main() throws {
        guard CommandLine.arguments.count == 3, let first = Int(CommandLine.arguments[2]) else {
            throw Usage()
        }
        let folder = CommandLine.arguments[1]
        let promised = open(folder + "/promised", O_WRONLY | O_CREAT | O_APPEND, 0o600)
        guard promised >= 0 else { throw Usage() }
        let storage = try SQLiteStorage(path: folder + "/store")
        let outbox = Outbox(storage: storage, keys: FileKeyStore(path: folder + "/key"))
        let records = try SyncedRecords(
            in: outbox,
            rules: Rules(),
            limits: SyncLimits(pending: .max)
        )
        FileHandle.standardOutput.write(Data(".".utf8))
        var last: RecordKey?
        for number in first..<first + 200 {
            if let last, number % 3 > 0 {
                try records.update(last, [Field("number", "\(number)")])
            } else {
                last = try records.create("item", [Field("number", "\(number)")])
            }
            let line = Array("\(number)\n".utf8)
            guard write(promised, line, line.count) == line.count else { throw Usage() }
        }
        while true { pause() }
    }
}
