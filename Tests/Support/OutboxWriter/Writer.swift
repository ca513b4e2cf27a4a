import Foundation
import Outbox
import OutboxCore
import OutboxFiles
import OutboxSQLite

/// The process that the kill tests kill, and whose memory other tests measure.
///
/// `OutboxWriter enqueue|drain files|sqlite FOLDER RECORD` works on the store in FOLDER under the
/// key `FOLDER/key` until it dies, and appends to the file RECORD, 16 bytes each, the identifiers
/// that it was promised, or that it delivered. It says `.` once it was promised something, or is
/// about to drain.
///
/// `OutboxWriter measure sqlite FOLDER RECORD` opens and closes the store, and prints by how many
/// bytes the most memory that the process has had grew meanwhile.
@main struct Writer {
    private static let payload = Array("a canary in a coal mine".utf8)

    private struct Usage: Error {}

    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 5 else { throw Usage() }
        if arguments[1] == "measure" { return try measure(arguments[3] + "/store.sqlite") }
        let (folder, record) = (arguments[3], try Record(path: arguments[4]))
        switch arguments[2] {
        case "files":
            let storage = try FileStorage(folder: folder + "/store")
            try await run(arguments[1], storage, folder, record)
        case "sqlite":
            let storage = try SQLiteStorage(path: folder + "/store.sqlite")
            try await run(arguments[1], storage, folder, record)
        default: throw Usage()
        }
    }

    private static func run(
        _ mode: String,
        _ storage: some OutboxStorage,
        _ folder: String,
        _ record: Record
    ) async throws {
        let outbox = Outbox(storage: storage, keys: FileKeyStore(path: folder + "/key"))
        switch mode {
        case "enqueue": try await enqueue(outbox, record)
        case "drain": try await drain(outbox, record)
        default: throw Usage()
        }
    }

    /// One caller that waits, and four that share their waits.
    private static func enqueue(
        _ outbox: Outbox<some OutboxStorage>,
        _ record: Record
    ) async throws {
        try await withThrowingTaskGroup { tasks in
            for _ in 0..<4 {
                tasks.addTask {
                    while true {
                        record.append(try await outbox.enqueue(kind: "note", payload: payload))
                    }
                }
            }
            tasks.addTask {
                record.append(try enqueueWaiting(outbox))
                begin()
                while true { record.append(try enqueueWaiting(outbox)) }
            }
            try await tasks.waitForAll()
        }
    }

    private static func enqueueWaiting(
        _ outbox: Outbox<some OutboxStorage>
    ) throws -> OperationID {
        try outbox.enqueue(kind: "note", payload: payload)
    }

    private static func drain(_ outbox: Outbox<some OutboxStorage>, _ record: Record) async throws {
        begin()
        try await outbox.drain([
            "note": { operation in
                guard operation.payload == payload else { return .park("wrong-payload") }
                record.append(operation.id)
                return .done
            }
        ])
    }

    private static func measure(_ path: String) throws {
        let before = try peakMemory()
        try SQLiteStorage(path: path).close()
        print(try peakMemory() - before, terminator: "")
    }

    /// The most memory that this process has had, in bytes; 0 where the system has no `/proc`.
    private static func peakMemory() throws -> Int {
        let file = "/proc/self/status"
        guard FileManager.default.fileExists(atPath: file) else { return 0 }
        let status = try String(contentsOfFile: file, encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        guard let number = line?.split(whereSeparator: { !$0.isNumber }).first,
            let kilobytes = Int(number)
        else { throw Usage() }
        return kilobytes << 10
    }

    private static func begin() {
        FileHandle.standardOutput.write(Data(".".utf8))
    }
}
