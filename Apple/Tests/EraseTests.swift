import MemoCore
import MemoTexts
@_spi(Device) import Security
import Synchronization
import Testing
@_spi(Device) import UIKit
import Waiting

@testable import MemoApp
@testable import MemoKit

extension OneDevice {
    /// Erasing the account in the app, over the stand-ins, with a relay in memory.
    @MainActor
    @Suite("Erasing the account")
    struct EraseTests {
        private let phone: Phone

        init() throws {
            device.withLock { $0 = .init() }
            phone = try Phone()
        }

        private func say(_ text: CommandText, _ values: String...) -> String {
            Language.english.string(text, values.first ?? "")
        }

        private func say(_ text: AppText) -> String { Language.english.string(text) }

        private func box() throws -> MemoBox { try MemoBox(folder: phone.folder, keys: .keychain) }

        private func until(_ condition: () throws -> Bool) async throws {
            try await waitUntil {
                Device.showFrame()
                return try condition()
            }
        }

        /// Opens the screen, which tells what will be erased.
        private func open() async throws {
            Device.tap(say(.settings))
            try await until { Device.rows.contains { $0.hasPrefix(say(.eraseAccount)) } }
            Device.tapRow(say(.eraseAccount))
            try await until {
                Device.screenText.contains(say(.eraseWarning, "a@b.example"))
            }
        }

        private func askCode() async throws {
            Device.tap(say(.askCode))
            try await until { Device.announcements.last == say(.codeSent) }
        }

        @Test("goes by a code from the mail, signs out, and keeps memos and draft on the telephone")
        func erased() async throws {
            try await phone.launch(signedInTo: .accepts)
            Device.type("kept")
            Device.tap(say(.send))
            try await until { try box().history().first?.status == .sent }
            await phone.write("draft")
            try await open()
            // Nothing has been asked for by then.
            #expect(phone.relay.erasures == 0)
            #expect(!Device.announcements.contains(say(.codeSent)))
            try await askCode()
            Device.write("123 456")
            Device.tap(say(.eraseAccount))
            try await until { Device.screenText.contains(say(.accountErased)) }
            #expect(phone.relay.erasures == 1)
            #expect(try box().account() == nil)
            #expect(try box().sharedView() == nil)
            #expect(!phone.folder.hasSharedRecords)
            #expect(try phone.memos() == ["kept"])
            Device.tap(say(.close))
            try await until { Device.rows.contains { $0.contains(say(.signIn)) } }
            #expect(!Device.rows.contains { $0.hasPrefix(say(.eraseAccount)) })
            Device.tap(say(.close))
            #expect(Device.typed == "draft")
            phone.kill()
        }

        @Test("a wrong code erases nothing, and is asked for again")
        func wrongCode() async throws {
            try await phone.launch(signedInTo: .accepts)
            try await open()
            try await askCode()
            Device.write("999999")
            Device.tap(say(.eraseAccount))
            try await until { Device.announcements.last == say(.codeRejected) }
            #expect(phone.relay.erasures == 0)
            #expect(try box().account() != nil)
            phone.kill()
        }

        @Test("the person may leave the app to read the mail")
        func away() async throws {
            try await phone.launch(signedInTo: .accepts)
            try await open()
            try await askCode()
            Device.leave()
            await phone.rest()
            Device.comeBack()
            await phone.settle()
            Device.write("123456")
            Device.tap(say(.eraseAccount))
            try await until { phone.relay.erasures == 1 }
            try await until { Device.screenText.contains(say(.accountErased)) }
            phone.kill()
        }

        @Test("without a network nothing is erased, and a sentence says so")
        func offline() async throws {
            try await phone.launch(signedInTo: .unreachable)
            try await open()
            Device.tap(say(.askCode))
            try await until { Device.announcements.last == say(.relayUnreachable) }
            #expect(try box().account() != nil)
            #expect(phone.relay.erasures == 0)
            phone.kill()
        }
    }
}
