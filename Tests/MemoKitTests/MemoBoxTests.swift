import Foundation
import MemoCore
import Outbox
import OutboxCore
import OutboxSQLite
import RelayAPI
import SQLite
import TemporaryFolders
import Testing
import Waiting

@testable import MemoKit

@Suite("Sending")
struct SendingTests {
    let temporary = try! TemporaryFolder()

    @Test("a sent memo is in the outbox and in the history, under one identifier")
    func both() throws {
        let box = try MemoBox(folder: temporary.folder)
        let id = try box.send("Buy milk\nand bread")
        let entry = try #require(try box.history().first)
        #expect(entry.id == id)
        #expect(entry.text == "Buy milk\nand bread")
        #expect(entry.status == .queued)
        #expect(try box.outboxItem(id).state == .queued)
        #expect(try box.outboxText(id) == "Buy milk\nand bread")
        let body = try RelayJSON.decode(MemoRequest.self, from: box.outbox.open(id).payload)
        #expect(body == MemoRequest(text: "Buy milk\nand bread", subject: "Buy milk"))
    }

    @Test("what was sent is there after reopening, the latest first")
    func reopened() throws {
        let ids = try (1...3).map { try MemoBox(folder: temporary.folder).send("memo \($0)") }
        let box = try MemoBox(folder: temporary.folder)
        #expect(try box.history().map(\.id) == ids.reversed())
        #expect(try box.history(limit: 1).map(\.text) == ["memo 3"])
        #expect(try box.outboxState().queued == 3)
    }

    @Test("equal memos have their own entries")
    func equal() throws {
        let box = try MemoBox(folder: temporary.folder)
        let first = try box.send("same")
        let second = try box.send("same")
        #expect(first != second)
        try box.record(.accepted, of: first)
        #expect(try box.historyEntry(first)?.status == .sent)
        #expect(try box.historyEntry(second)?.status == .queued)
    }

    @Test("operation and history entry are one transaction: when one fails, neither is there")
    func atomic() throws {
        let box = try MemoBox(folder: temporary.folder)
        try box.saveDraft("kept")
        try box.storage.write { connection in
            try connection.execute(
                """
                CREATE TRIGGER refuse BEFORE INSERT ON memo_history
                BEGIN SELECT RAISE(ABORT, 'no'); END
                """
            )
        }
        #expect(memoError { try box.send("text") } != nil)
        #expect(try box.outboxState().total == 0)
        #expect(try box.history().isEmpty)
        #expect(try box.draft() == "kept")
    }

    @Test("a memo of 1 MiB is taken, one byte more is refused")
    func lengths() throws {
        let box = try MemoBox(folder: temporary.folder)
        // The longest request: JSON has six bytes for each of these controls.
        let longest = String(repeating: "\u{1}", count: (1 << 20) - 1) + "x"
        let id = try box.send(longest)
        #expect(try box.outboxText(id) == longest)
        #expect(memoError { try box.send(longest + "x") } == .tooLong(limit: 1 << 20))
        #expect(try box.history().count == 1)
    }

    @Test(
        "an empty memo is refused and nothing is stored",
        arguments: [
            "", " ", "\n\t \r\n", "\u{3000}\u{2028}", "\u{200B}", "\u{FEFF}\u{2060}", "\u{1}\u{1B}",
        ]
    )
    func empty(text: String) throws {
        let box = try MemoBox(folder: temporary.folder)
        #expect(memoError { try box.send(text) } == .emptyMemo)
        #expect(try box.outboxState().total == 0)
    }

    @Test("a NUL is refused")
    func nul() throws {
        let box = try MemoBox(folder: temporary.folder)
        #expect(memoError { try box.send("a\u{0}b") } == .containsNUL)
    }

    @Test("bytes that are not UTF-8 are refused, not repaired")
    func notUTF8() throws {
        for bytes: [UInt8] in [[0xFF], [0x61, 0xC3], [0xED, 0xA0, 0x80], [0xC0, 0xAF]] {
            #expect(memoError { _ = try MemoBox.text(decoding: bytes) } == .notUTF8)
        }
        let text = try MemoBox.text(decoding: Array("a\r\nb\rc\u{FEFF}👍".utf8))
        #expect(Array(text.utf8) == Array("a\r\nb\rc\u{FEFF}👍".utf8))
    }

    @Test("deleting from the outbox keeps the history entry, as deleted")
    func delete() throws {
        let box = try MemoBox(folder: temporary.folder)
        let id = try box.send("text")
        try box.delete(id)
        #expect(try box.historyEntry(id)?.status == .deleted)
        #expect(memoError { try box.delete(id) } == .unknownOperation)
        #expect(memoError { try box.retry(id) } == .unknownOperation)
        #expect(memoError { _ = try box.outboxItem(id) } == .unknownOperation)
    }

    @Test("the outbox and the history change in one transaction: when one fails, neither does")
    func deciding() throws {
        let box = try MemoBox(folder: temporary.folder)
        let id = try box.send("text")
        let entry = try #require(try box.outbox.entry(for: id))
        let parked = DeliveryMachine.Transition.park(try #require(entry.envelope))
        try box.outbox.storage.settle([
            Settlement(entry: entry.entryID, id: id, transition: parked)
        ])
        try box.record(.parked("no"), of: id)
        try box.storage.write { connection in
            try connection.execute(
                """
                CREATE TRIGGER refuse BEFORE UPDATE ON memo_history
                BEGIN SELECT RAISE(ABORT, 'no'); END
                """
            )
        }
        #expect(memoError { try box.retry(id) } != nil)
        #expect(try box.outboxItem(id).state == .parked)
        #expect(memoError { try box.retryAll() } != nil)
        #expect(try box.outboxItem(id).state == .parked)
        #expect(memoError { try box.delete(id) } != nil)
        #expect(try box.outboxItem(id).state == .parked)
        try box.storage.write { try $0.execute("DROP TRIGGER refuse") }
        try box.retryAll()
        #expect(try box.outboxItem(id).state == .queued)
        #expect(try box.historyEntry(id)?.status == .queued)
    }

    @Test("measurements are written with the next memo and read back, the latest first")
    func timings() throws {
        let box = try MemoBox(folder: temporary.folder)
        box.recordTiming(.timeToText, microseconds: 900)
        box.recordTiming(.sendToReset, microseconds: 50)
        #expect(try box.timings(.timeToText).isEmpty)
        try box.send("text")
        box.recordTiming(.sendToReset, microseconds: 60)
        try box.flushTimings()
        let reopened = try MemoBox(folder: temporary.folder)
        #expect(try reopened.timings(.timeToText).map(\.microseconds) == [900])
        #expect(try reopened.timings(.sendToReset).map(\.microseconds) == [60, 50])
    }

    @Test("the account survives reopening and signing out forgets it alone")
    func account() throws {
        let account = Account(relay: "https://r.example", address: "a@b.example", token: "t")
        let box = try MemoBox(folder: temporary.folder)
        #expect(try box.account() == nil)
        try box.setAccount(account)
        try box.send("text")
        let reopened = try MemoBox(folder: temporary.folder)
        #expect(try reopened.account() == account)
        try reopened.removeAccount()
        #expect(try box.account() == nil)
        #expect(try box.history().count == 1)
        #expect("\(account)" == "Account")
    }

    @Test("four processes' worth of boxes store memos at once and none is lost")
    func concurrent() async throws {
        let folder = temporary.folder
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<4 {
                group.addTask {
                    let box = try MemoBox(folder: folder)
                    for number in 0..<10 { try box.send("\(writer)-\(number)") }
                }
            }
            try await group.waitForAll()
        }
        let texts = try MemoBox(folder: folder).history().compactMap(\.text)
        #expect(Set(texts).count == 40)
    }
}
