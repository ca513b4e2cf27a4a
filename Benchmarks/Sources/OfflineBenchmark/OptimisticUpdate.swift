import Foundation
import Measurement
import OfflineFirst
import Outbox
import OutboxCore
import OutboxSQLite
import SyncCore

/// A durable update of a record, with its operation, against a bare enqueue of as many bytes, and against
/// an append with a sync, which says what the disk needs.
struct OptimisticUpdate {
    private static let recordCount = 1000

    private let records: SyncedRecords<Rules>
    private let names: [RecordKey]
    private let bare: Outbox<SQLiteStorage>
    private let file: FileHandle

    init(folder: String) throws {
        let outbox = try Self.outbox(folder + "/optimistic.sqlite")
        let records = try SyncedRecords(
            in: outbox,
            rules: Rules(),
            limits: SyncLimits(pending: .max)
        )
        self.records = records
        names = try records.change { edits in
            try (0..<Self.recordCount).map {
                try edits.create("memo", [Field("subject", "Memo \($0)"), Field("text", "text")])
            }
        }
        bare = try Self.outbox(folder + "/bare.sqlite")
        let path = folder + "/append"
        try Data().write(to: URL(filePath: path))
        file = try FileHandle(forWritingTo: URL(filePath: path))
    }

    var contenders: [Contender] {
        var last = 0
        let text = String(repeating: "x", count: 100)
        return [
            Contender("SyncedRecords") { count in
                for _ in 0..<count {
                    last += 1
                    let name = names[last % names.count]
                    do {
                        try records.update(name, [Field("text", "\(text)\(last)")])
                    } catch {
                        fatalError("\(error)")
                    }
                }
            },
            Contender("Outbox.enqueue") { count in
                for number in 0..<count {
                    let payload = Array("\(text)\(number)".utf8)
                    do {
                        try bare.enqueue(kind: "memo", payload: payload)
                    } catch {
                        fatalError("\(error)")
                    }
                }
            },
            Contender("append and sync") { count in
                let bytes = Data(count: 200)
                for _ in 0..<count {
                    file.write(bytes)
                    fdatasync(file.fileDescriptor)
                }
            },
        ]
    }

    private static func outbox(_ path: String) throws -> Outbox<SQLiteStorage> {
        Outbox(storage: try SQLiteStorage(path: path), keys: OneKey(key: .random()))
    }
}
