import MemoKit
import MemoTexts
import OutboxCore
@_spi(Device) import Security
import Store
import Synchronization
import Testing
@_spi(Device) import UIKit
import Waiting

@testable import MemoApp

extension OneDevice {
    /// The history on the screen, with the real box and a relay in memory.
    @MainActor
    @Suite("The history screen")
    struct HistoryTests {
        private let phone: Phone

        init() throws {
            device.withLock { $0 = .init() }
            phone = try Phone()
        }

        private func say(_ text: AppText) -> String { Language.english.string(text) }

        private func send(_ text: String) {
            Device.type(text)
            Device.tap(say(.send))
        }

        private func until(_ condition: () throws -> Bool) async throws {
            try await waitUntil {
                Device.showFrame()
                return try condition()
            }
        }

        private func row(_ text: String, says words: String) -> Bool {
            Device.rows.contains { $0.hasPrefix("\(text) | ") && $0.contains(words) }
        }

        /// Opens the history, and waits for a word in the row of a memo.
        private func open(until text: String, says status: AppText) async throws {
            Device.tap(say(.history))
            try await until { row(text, says: say(status)) }
        }

        private func id(of text: String) throws -> OperationID {
            let entries = try MemoBox(folder: phone.folder, keys: .keychain).history()
            return try #require(entries.first { $0.text == text }?.id)
        }

        /// A signed-in person has sent one memo, and the relay tells that it bounced.
        private func bounce() async throws {
            try phone.signIn()
            await phone.launch()
            send("lost")
            try await until { phone.relay.memos.count == 1 }
            phone.relay.tell("bounced", because: "dsn.5.1.1", of: try id(of: "lost"))
        }

        @Test("two equal memos have a row each, the latest first, and statuses of their own")
        func equal() async throws {
            try phone.signIn()
            await phone.launch()
            send("same")
            try await until { phone.relay.memos.count == 1 }
            phone.relay.answer(.unreachable)
            send("same")
            try await open(until: "same", says: .statusQueued)
            #expect(Device.rows.count == 2)
            try await until { Device.rows[1].contains(say(.statusSent)) }
            #expect(Device.rows[0].contains(say(.statusQueued)))
            phone.kill()
        }

        @Test("a status that changes draws its own row again, and no other")
        func oneRow() async throws {
            try phone.signIn()
            await phone.launch()
            for text in ["one", "two", "three"] { send(text) }
            try await until { phone.relay.memos.count == 3 }
            try await open(until: "two", says: .statusSent)
            let cells = Device.journal.count { $0.hasPrefix("cell ") }
            phone.relay.tell("delivered", of: try id(of: "two"))
            Device.pull()
            try await until { row("two", says: say(.statusDelivered)) }
            #expect(row("one", says: say(.statusSent)))
            #expect(Device.journal.count { $0.hasPrefix("cell ") } == cells)
            #expect(!Device.isRefreshing)
            phone.kill()
        }

        @Test("a memo that is sent while the history is shown needs no pull")
        func follows() async throws {
            try await phone.launch(signedInTo: .acceptsInSilence)
            send("one")
            await phone.relay.holdsAttempt()
            try await open(until: "one", says: .statusQueued)
            phone.relay.answerAll()
            try await until { row("one", says: say(.statusSent)) }
            phone.kill()
        }

        @Test("a memo that bounced says why, is sent again once, and is then a memo of its own")
        func resend() async throws {
            try await bounce()
            try await open(until: "lost", says: .statusBounced)
            #expect(row("lost", says: "dsn.5.1.1"))
            #expect(Device.offers(of: "lost") == [say(.delete), say(.copy), say(.resend)])
            Device.swipe("lost", say(.resend))
            try await until { phone.relay.memos.count == 2 }
            try await until { Device.rows.count == 2 && row("lost", says: say(.statusResent)) }
            #expect(Device.announcements.last == say(.resent))
            let statuses = try MemoBox(folder: phone.folder, keys: .keychain).history()
            #expect(statuses.map(\.text) == ["lost", "lost"])
            phone.kill()
        }

        @Test("a failure that was seen in the history is not told of again")
        func seen() async throws {
            try await bounce()
            try await open(until: "lost", says: .statusBounced)
            let box = try MemoBox(folder: phone.folder, keys: .keychain)
            try await until { try box.unseenFailures() == 0 }
            phone.kill()
        }

        @Test("a memo that waits is tried at once when the person asks for it")
        func retry() async throws {
            try await phone.launch(signedInTo: .unreachable)
            send("one")
            try await until { phone.relay.attempts > 0 }
            try await open(until: "one", says: .statusQueued)
            phone.relay.answer(.accepts)
            Device.swipe("one", say(.retryNow))
            try await until { row("one", says: say(.statusSent)) }
            phone.kill()
        }

        @Test("deleting asks first, and takes the memo from the outbox too")
        func delete() async throws {
            await phone.launch()
            send("one")
            send("two")
            try await open(until: "one", says: .statusQueued)
            Device.swipe("one", say(.delete))
            #expect(Device.question == say(.deleteQuestion))
            #expect(Device.screenText.contains(say(.deleteQueuedHint)))
            Device.answer(say(.cancel))
            #expect(try phone.memos() == ["two", "one"])
            Device.swipe("one", say(.delete))
            Device.answer(say(.delete))
            try await until { Device.rows.count == 1 }
            #expect(try phone.memos() == ["two"])
            #expect(try phone.waiting() == 1)
            phone.kill()
        }

        @Test("copies the whole text, of a long memo too, which a tap shows")
        func long() async throws {
            let text = String(repeating: "long ", count: 100) + "end"
            await phone.launch()
            send(text)
            Device.tap(say(.history))
            try await until { Device.rows.first?.contains("(503") == true }
            let title = text.prefix(200) + "…"
            Device.swipe(String(title), say(.copy))
            #expect(phone.copied == text)
            Device.tapRow(String(title))
            #expect(Device.rows[0].hasPrefix(text))
            phone.kill()
        }

        @Test("shows more memos when the person asks for them")
        func pages() async throws {
            let box = try MemoBox(folder: phone.folder, keys: .keychain)
            for number in 1...51 { try box.send("memo \(number)") }
            let model = HistoryModel(phone.parts(.english))
            model.begin()
            try await waitUntil { model.rows().value.count == 51 }
            #expect(model.rows().value.last == .more)
            model.tapped(.more)
            try await waitUntil { model.rows().value.last != .more }
            #expect(model.rows().value.count == 51)
        }

        @Test("says that there are no memos; the compose screen comes back with its draft")
        func empty() async throws {
            await phone.launch()
            Device.type("draft")
            Device.tap(say(.history))
            try await until { Device.rows == [say(.historyEmpty)] }
            Device.tap(say(.close))
            #expect(Device.typed == "draft")
            phone.kill()
        }
    }
}
