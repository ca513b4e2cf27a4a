import Foundation
import Outbox
import OutboxSQLite
import SQLite
import Testing

@testable import MemoKit

@Suite("The log of a data folder")
struct LogFileTests {
    let temporary = try! TemporaryFolder()

    private var lines: [String] {
        let text = try? String(contentsOfFile: temporary.folder.log, encoding: .utf8)
        return (text ?? "").split(separator: "\n").map { String($0) }
    }

    @Test("sending, retrying and deleting by a person are in it, and nothing of the memo")
    func transitions() async throws {
        let box = try MemoBox(folder: temporary.folder)
        let first = try box.send("canary-5c1")
        let second = try box.send("canary-5c1 too")
        try box.retry(first)
        try box.retryAll()
        try box.delete(second)
        let told = lines.map { $0.split(separator: " ").dropFirst(2).joined(separator: " ") }
        #expect(
            told == [
                "outbox: operation id=\(first) kind=memo state=queued",
                "outbox: operation id=\(second) kind=memo state=queued",
                "outbox: operation id=\(first) kind=memo state=requeued",
                "outbox: operation state=requeued",
                "outbox: operation id=\(second) kind=memo state=deleted",
            ]
        )
        #expect(!lines.joined().contains("canary"))
        let attributes = try FileManager.default.attributesOfItem(atPath: temporary.folder.log)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
    }

    @Test("a deletion that was not stored is not in it")
    func failed() throws {
        let box = try MemoBox(folder: temporary.folder)
        let id = try box.send("memo")
        try box.storage.write { connection in
            try connection.execute(
                """
                CREATE TRIGGER refuse BEFORE DELETE ON outbox_operation
                BEGIN SELECT RAISE(ABORT, 'no'); END
                """
            )
        }
        #expect(memoError { try box.delete(id) } != nil)
        #expect(lines.count == 1)
    }

    @Test("it never grows far beyond its limit, and keeps the latest lines")
    func bounded() throws {
        try temporary.folder.create()
        let log = LogFile(path: temporary.folder.log, maximumLength: 1000)
        for number in 0..<500 { log.append("info", label: "test", "line", [("n", "\(number)")]) }
        let size = try FileManager.default.attributesOfItem(atPath: temporary.folder.log)[.size]
        #expect(try #require(size as? Int) <= 1100)
        #expect(lines.last?.hasSuffix("n=499") == true)
    }

    @Test("it follows no symbolic link, and a folder that takes no file costs nothing but the line")
    func link() throws {
        try temporary.folder.create()
        let target = temporary.folder.path + "/target"
        try FileManager.default.createSymbolicLink(
            atPath: temporary.folder.log,
            withDestinationPath: target
        )
        let box = try MemoBox(folder: temporary.folder)
        try box.send("memo")
        #expect(!FileManager.default.fileExists(atPath: target))
        #expect(try box.outboxState().queued == 1)
    }
}
