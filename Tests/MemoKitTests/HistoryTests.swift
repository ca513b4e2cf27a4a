import Foundation
import MemoCore
import Outbox
import OutboxCore
import OutboxSQLite
import SQLite
import Synchronization
import Testing
import Waiting

@testable import MemoKit

@Suite("The history")
struct HistoryTests {
    let temporary = try! TemporaryFolder()

    private func drain(_ box: MemoBox, _ outcome: DeliveryMachine.Outcome) async throws {
        try await box.outbox.drain([.memo: { _ in outcome }], until: .idle)
    }

    private func setRecord(_ record: [UInt8], of id: OperationID, in box: MemoBox) throws {
        try box.storage.write { connection in
            _ = try connection.run(
                "UPDATE outbox_operation SET record = ? WHERE id = ?",
                .blob(record),
                .blob(id.bytes)
            )
        }
    }

    @Test("an entry that cannot be read is told as such, and as queued once it is readable again")
    func quarantined() async throws {
        let box = try MemoBox(folder: temporary.folder)
        let id = try box.send("still readable here")
        let item = try box.outboxItem(id)
        let record = try box.export(item).record
        try setRecord(Array(record.prefix(20)), of: id, in: box)
        try await drain(box, .done)
        let status = HistoryStatus.quarantined("quarantine.record")
        #expect(try box.historyEntry(id)?.status == status)
        #expect(try box.history().map(\.status) == [status])
        #expect(try box.history().first?.text == "still readable here")
        #expect(memoError { try box.retry(id) } == .entryDamaged)
        #expect(try box.historyEntry(id)?.status == status)
        try setRecord(record, of: id, in: box)
        try box.retry(id)
        #expect(try box.historyEntry(id)?.status == .queued)
        try box.delete(id)
        #expect(try box.historyEntry(id)?.status == .deleted)
    }

    @Test("an outcome is stored with its memo's status, or not at all; the memo is not sent again")
    func together() async throws {
        let box = try MemoBox(folder: temporary.folder)
        let id = try box.send("memo")
        try execute(
            """
            CREATE TRIGGER refuse BEFORE UPDATE ON memo_history
            BEGIN SELECT RAISE(ABORT, 'no'); END
            """,
            in: box
        )
        let attempts = Mutex(0)
        let drain = Task {
            try await box.outbox.drain(
                [
                    .memo: { _ in
                        attempts.withLock { $0 += 1 }
                        return .done
                    }
                ],
                until: .idle
            )
        }
        try await waitUntil { logged(in: box).contains("outcome-not-stored") }
        #expect(try box.outboxItem(id).state == .queued)
        #expect(try box.historyEntry(id)?.status == .queued)
        try execute("DROP TRIGGER refuse", in: box)
        try await drain.value
        #expect(try box.historyEntry(id)?.status == .sent)
        #expect(memoError { _ = try box.outboxItem(id) } == .unknownOperation)
        #expect(attempts.withLock { $0 } == 1)
    }

    @Test(
        "a memo that an earlier build found unreadable, without a word in the history, is told as such"
    )
    func quarantinedEarlier() async throws {
        let id: OperationID
        do {
            let box = try MemoBox(folder: temporary.folder)
            id = try box.send("memo")
            try setRecord([1], of: id, in: box)
            try await drain(box, .done)
            try execute(
                "UPDATE memo_history SET status = 'queued', reason = NULL, is_unseen = 0",
                in: box
            )
            try execute("DROP TABLE memo_shared_view; DROP TABLE schema_component", in: box)
            try execute("ALTER TABLE memo_history DROP COLUMN is_told", in: box)
            try execute("PRAGMA user_version = 5", in: box)
        }
        let box = try MemoBox(folder: temporary.folder)
        #expect(try box.historyEntry(id)?.status == .quarantined("quarantine.record"))
    }

    private func execute(_ statement: String, in box: MemoBox) throws {
        try box.storage.write { try $0.execute(statement) }
    }

    private func logged(in box: MemoBox) -> String {
        (try? String(contentsOfFile: box.folder.log, encoding: .utf8)) ?? ""
    }

    @Test("a memo that the outbox parked says so, unless it waits for a sign-in")
    func parked() async throws {
        let box = try MemoBox(folder: temporary.folder)
        let id = try box.send("memo")
        // The drain parks what is too old.
        try await drain(box, .park(.expired))
        #expect(try box.historyEntry(id)?.status == .refused(.expired))
        try box.retryAll()
        #expect(try box.historyEntry(id)?.status == .queued)
        try await drain(box, .park(.unauthorized))
        #expect(try box.historyEntry(id)?.status == .queued)
    }

    @Test(
        "a failure is untold until a notification has told of it, and again when the memo fails again"
    )
    func untold() async throws {
        let box = try MemoBox(folder: temporary.folder)
        func untold(_ limit: Int = 9) throws -> [OperationID] {
            try box.untoldFailures(limit: limit).map(\.id)
        }
        let (first, second) = (try box.send("first"), try box.send("second"))
        #expect(try untold() == [])
        try await drain(box, .park(.expired))
        #expect(try untold() == [first, second])
        #expect(try box.untoldFailures(limit: 1).map(\.status) == [.refused(.expired)])
        try box.noteTold([first])
        #expect(try untold() == [second])
        #expect(try box.unseenFailures() == 2)
        // Seen in the history: no notification is needed.
        #expect(try box.isUnseenFailure(second))
        try box.noteSeen([try #require(try box.historyEntry(second))])
        #expect(try untold() == [])
        #expect(try [first, second].map { id in try box.isUnseenFailure(id) } == [true, false])
        // From one failure to another is no news.
        try setRecord([1], of: first, in: box)
        try execute("UPDATE outbox_operation SET state = 0 WHERE id = x'\(hex(first))'", in: box)
        try await drain(box, .done)
        #expect(try box.historyEntry(first)?.status == .quarantined("quarantine.record"))
        #expect(try untold() == [])
        #expect(try box.sendAgain(second) == second)
        #expect(try untold() == [])
        try await drain(box, .park(.expired))
        #expect(try untold() == [second])
        // A memo that is under way is not told of, even if somebody says so.
        let third = try box.send("third")
        try box.noteTold([third])
        #expect(try untold() == [second])
        try await drain(box, .park(.expired))
        #expect(try untold() == [second, third])
    }

    private func hex(_ id: OperationID) -> String {
        id.bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    @Test("a memo is sent again from where it is, and one that is under way is not")
    func sentAgain() async throws {
        let box = try MemoBox(folder: temporary.folder)
        let id = try box.send("memo")
        #expect(memoError { try box.sendAgain(id) } == .notResendable)
        try await drain(box, .done)
        #expect(memoError { try box.sendAgain(id) } == .notResendable)
        let bounced = HistoryStatus.bounced("dsn.5.1.1")
        #expect(try box.store([MemoChange(id: id, status: bounced)], cursor: "c", after: nil))
        let again = try box.sendAgain(id)
        #expect(again != id)
        #expect(try box.history().map(\.status) == [.queued, .resent])
        #expect(memoError { try box.sendAgain(id) } == .notResendable)
    }

    @Test("trying everything again does not make queued what the relay lost")
    func lost() throws {
        let box = try MemoBox(folder: temporary.folder)
        let id = try box.send("memo")
        try box.outbox.delete(id)
        try box.record(.accepted, of: id)
        let lost = HistoryStatus.refused("quarantine.record")
        #expect(try box.store([MemoChange(id: id, status: lost)], cursor: "c", after: nil))
        try box.retryAll()
        #expect(try box.historyEntry(id)?.status == lost)
    }

    @Test("a folder of a build that never asked for news gets what the news need")
    func upgrade() throws {
        let id: OperationID
        do {
            let box = try MemoBox(folder: temporary.folder)
            id = try box.send("memo")
            try box.record(.accepted, of: id)
            try box.storage.write { connection in
                try connection.execute(
                    """
                    DROP TABLE memo_verification; DROP INDEX memo_history_unseen;
                    ALTER TABLE memo_history DROP COLUMN is_unseen;
                    ALTER TABLE memo_history DROP COLUMN is_told;
                    ALTER TABLE memo_account DROP COLUMN refused_at;
                    DROP TABLE memo_changes; DROP INDEX memo_history_news;
                    DROP TABLE memo_shared_view; DROP TABLE schema_component; PRAGMA user_version = 2
                    """
                )
            }
        }
        let box = try MemoBox(folder: temporary.folder)
        #expect(try box.awaitsNews())
        #expect(try box.changesCursor() == nil)
        #expect(try box.historyEntry(id)?.status == .sent)
    }

    @Test("a memo that is sent again leaves the draft that is being written alone")
    func resendBesideDraft() throws {
        let box = try MemoBox(folder: temporary.folder)
        let old = try box.send("comes back")
        try box.record(.accepted, of: old)
        let bounced = MemoChange(id: old, status: .bounced("dsn.5.1.1"))
        #expect(try box.store([bounced], cursor: "c1", after: nil))
        try box.saveDraft("draft")
        try box.resend(old)
        #expect(try box.draft() == "draft")
    }

    @Test("a memo that did not arrive is sent again once; the old entry stays, and says so")
    func resend() throws {
        let box = try MemoBox(folder: temporary.folder)
        let old = try box.send("comes back")
        #expect(throws: MemoError.notResendable) { try box.resend(old) }
        try box.record(.accepted, of: old)
        try box.outbox.delete(EntryID(rawValue: box.outboxItem(old).number))
        let bounced = MemoChange(id: old, status: .bounced("dsn.5.1.1"))
        #expect(try box.store([bounced], cursor: "c1", after: nil))
        let new = try box.resend(old)
        #expect(throws: MemoError.notResendable) { try box.resend(old) }
        #expect(throws: MemoError.notResendable) { try box.resend(.random(at: .distantPast)) }
        let history = try box.history()
        #expect(history.map(\.id) == [new, old])
        #expect(history.map(\.status) == [.queued, .resent])
        #expect(history.map(\.text) == ["comes back", "comes back"])
        #expect(try box.outboxText(new) == "comes back")
        // A relay that forgot a cursor tells everything again.
        #expect(try box.store([bounced], cursor: "c2", after: "c1"))
        #expect(try box.historyEntry(old)?.status == .resent)
    }
}
