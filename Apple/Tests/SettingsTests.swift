import Foundation
import MemoCore
import MemoKit
import MemoTexts
@_spi(Device) import Security
import Synchronization
import Testing
@_spi(Device) import UIKit
import Waiting
import WatchedFiles

@testable import MemoApp

extension OneDevice {
    /// The settings and the diagnostics on the screen, with the real box and a relay in memory.
    @MainActor
    @Suite("The settings screens")
    struct SettingsTests {
        private let phone: Phone

        init() throws {
            device.withLock { $0 = .init() }
            phone = try Phone()
        }

        private func say(_ text: AppText) -> String { Language.english.string(text) }

        private func until(_ condition: () throws -> Bool) async throws {
            try await waitUntil {
                Device.showFrame()
                return try condition()
            }
        }

        /// Opens the settings, and a row of them.
        private func open(_ row: AppText? = nil) async {
            Device.tap(say(.settings))
            await phone.settle()
            guard let row else { return }
            Device.tapRow(say(row))
            await phone.settle()
        }

        private func stored() throws -> MemoSettings {
            try MemoBox(folder: phone.folder, keys: .keychain).settings()
        }

        @Test("a template is stored as it is typed, with a preview of the draft's subject")
        func template() async throws {
            await phone.launch()
            Device.type("Buy milk")
            await open(.subjectTemplate)
            Device.type("[memo] {line}")
            #expect(Device.screenText.contains("“Example: [memo] Buy milk”"))
            try await until { try stored().templateSource == "[memo] {line}" }
            Device.tap(say(.close))
            await phone.settle()
            #expect(Device.rows.contains { $0.hasPrefix("Subject | [memo] {line}\n") })
            Device.tap(say(.close))
            #expect(Device.typed == "Buy milk")
            phone.kill()
        }

        @Test("a template that is not taken says why, and the former one stays in use")
        func refused() async throws {
            await phone.launch()
            await open(.subjectTemplate)
            Device.type("{line} x")
            try await until { try stored().templateSource == "{line} x" }
            Device.type(" {lime}")
            #expect(Device.announcements.last == say(.templatePlaceholder))
            await phone.settle()
            #expect(try stored().templateSource == "{line} x")
            phone.kill()
        }

        @Test("a template that is not taken says why, also while the former one is being stored")
        func refusedMeanwhile() async throws {
            await phone.launch()
            await open(.subjectTemplate)
            Device.type("{line} x")
            Device.type(" {lime}")
            try await until { try stored().templateSource == "{line} x" }
            await phone.settle()
            #expect(Device.screenText.contains(say(.templatePlaceholder)))
            phone.kill()
        }

        @Test("a signature of several lines is kept as it was typed")
        func signature() async throws {
            await phone.launch()
            await open(.signature)
            Device.type("Ann")
            Device.press(.keyboardReturnOrEnter)
            Device.type("London")
            try await until { try stored().signature.text == Array("Ann\nLondon".utf8) }
            phone.kill()
        }

        @Test("another language passes in at once, keeps the draft, and stays after a kill")
        func language() async throws {
            await phone.launch()
            Device.type("draft")
            await open(.language)
            #expect(Device.rows[0] == "\(say(.languageAutomatic)) (checkmark)")
            Device.tapRow("العربية")
            #expect(Device.journal.contains("dissolves 0.25 s"))
            #expect(Device.rows.contains("العربية (checkmark)"))
            let close = Language.arabic.string(AppText.close)
            #expect(Device.screenText.contains(" rtl"))
            Device.tap(close)
            Device.tap(close)
            #expect(Device.typed == "draft")
            #expect(Device.screenText.contains("“\(Language.arabic.string(.send))”"))
            Device.leave()
            await phone.rest()
            phone.kill()
            await phone.launch(in: .german)
            #expect(Device.screenText.contains("“\(Language.arabic.string(.send))”"))
            #expect(Device.typed == "draft")
            phone.kill()
        }

        @Test("without a choice in the app, the system's choice for the app is spoken")
        func systemsLanguage() async throws {
            await phone.launch(in: .german)
            #expect(Device.screenText.contains("“\(Language.german.string(.send))”"))
            phone.kill()
            try phone.folder.chooseLanguage(.french)
            await phone.launch(in: .german)
            #expect(Device.screenText.contains("“\(Language.french.string(.send))”"))
            Device.tap(Language.french.string(.settings))
            await phone.settle()
            Device.tapRow(Language.french.string(.language))
            Device.tapRow(Language.french.string(AppText.languageAutomatic))
            #expect(Device.rows[0].hasPrefix(Language.german.string(AppText.languageAutomatic)))
            #expect(phone.folder.chosenLanguage == nil)
            phone.kill()
        }

        @Test("a choice that cannot be stored says so, and the former one stays")
        func notStored() async throws {
            await phone.launch()
            for name in ["language", "cover"] {
                let folder = phone.disk.file("\(name)/x")
                try FileManager.default.createDirectory(
                    atPath: folder,
                    withIntermediateDirectories: true
                )
            }
            await open()
            Device.toggle(say(.privacyOverlay))
            #expect(Device.announcements == [say(.settingsNotSaved)])
            #expect(Device.screenText.contains("UISwitch 0 0 0 0 “on”"))
            Device.tapRow(say(.language))
            Device.tapRow("Deutsch")
            #expect(Device.rows[0] == "\(say(.languageAutomatic)) (checkmark)")
            #expect(Device.announcements.count == 2)
            phone.kill()
        }

        @Test("the cover over the text can be switched off, for good")
        func cover() async throws {
            await phone.launch()
            await open()
            Device.toggle(say(.privacyOverlay))
            for _ in 0..<2 {
                Device.leave()
                #expect(!Device.screenText.contains(say(.hidden)))
                await phone.rest()
                phone.kill()
                await phone.launch()
            }
            await open()
            Device.toggle(say(.privacyOverlay))
            Device.leave()
            #expect(Device.screenText.contains(say(.hidden)))
            await phone.rest()
            phone.kill()
        }

        @Test("lists the person's devices, and signs out another one after a question")
        func devices() async throws {
            try phone.signIn()
            await phone.launch()
            await open(.devices)
            try await until { Device.rows.count == 2 }
            #expect(Device.offers(of: "This phone") == [])
            Device.swipe("Old phone", say(.signOut))
            #expect(Device.screenText.contains(Language.english.string(.deviceHint, "Old phone")))
            Device.answer(say(.signOut))
            try await until { Device.rows.count == 1 }
            #expect(Device.announcements.last == say(.deviceSignedOut))
            #expect(phone.relay.revocations == 1)
            phone.kill()
        }

        @Test("without an account there are no devices; without a network a sentence says so")
        func noDevices() async throws {
            await phone.launch()
            await open()
            #expect(!Device.rows.contains { $0.hasPrefix(say(.devices)) })
            phone.kill()
            try await phone.launch(signedInTo: .unreachable)
            await open(.devices)
            try await until { Device.announcements.last == say(.relayUnreachable) }
            Device.pull()
            try await until { !Device.isRefreshing }
            phone.kill()
        }

        @Test("seven taps on the version open the diagnostics, six do not")
        func diagnostics() async throws {
            await phone.launch()
            await open()
            for _ in 1..<SettingsModel.tapsToDiagnostics { Device.tapRow("Simple Memo") }
            #expect(Device.rows.contains { $0.hasPrefix("Simple Memo") })
            Device.tapRow("Simple Memo")
            try await until { Device.rows.first == "Queue | \(say(.queueEmpty))" }
            #expect(Device.rows.contains { $0.hasPrefix(say(.timeToText)) && $0.contains("500") })
            #expect(Device.rows.contains("\(say(.sendToReset)) | \(say(.notMeasured))"))
            phone.kill()
        }

        @Test("the diagnostics show what waits, try it now, and delete it after a question")
        func queue() async throws {
            try await phone.launch(signedInTo: .unreachable)
            for text in ["one", "two"] {
                Device.type(text)
                Device.tap(say(.send))
            }
            try await until { phone.relay.attempts == 2 }
            await open()
            for _ in 0..<SettingsModel.tapsToDiagnostics { Device.tapRow("Simple Memo") }
            try await until { Device.rows.first?.contains("Queued: 2") == true }
            #expect(!Device.screenText.contains("“one”"))
            Device.swipe(say(.statusQueued), say(.delete))
            Device.answer(say(.delete))
            try await until { Device.rows.first?.contains("Queued: 1") == true }
            phone.relay.answer(.accepts)
            Device.tapRow(say(.retryAll))
            try await until { Device.rows.first == "Queue | \(say(.queueEmpty))" }
            #expect(phone.relay.memos.count == 1)
            phone.kill()
        }

        @Test("the diagnostics count all that waits, and list the oldest hundred of it")
        func longQueue() async throws {
            let box = try MemoBox(folder: phone.folder, keys: .keychain)
            for _ in 0..<101 { try box.send("memo") }
            await phone.launch()
            await open()
            for _ in 0..<SettingsModel.tapsToDiagnostics { Device.tapRow("Simple Memo") }
            try await until { Device.rows.first?.hasPrefix("Queue | Queued") == true }
            #expect(Device.rows[0].hasPrefix("Queue | Queued: 101\n"))
            phone.kill()
        }
    }
}
