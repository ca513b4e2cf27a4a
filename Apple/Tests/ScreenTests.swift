import Foundation
import MemoKit
import MemoTexts
@_spi(Device) import Security
import Synchronization
import Testing
@_spi(Device) import UIKit
import Waiting

@testable import MemoApp

extension OneDevice {
    /// What is on the screen, as text: Apple/Tests/Screens has a file for each state and language.
    @MainActor
    @Suite("The screens")
    struct ScreenTests {
        init() {
            device.withLock { $0 = .init() }
        }

        enum State: String, CaseIterable {
            case empty, written, sent, failed
        }

        @Test("look as their pictures say", arguments: State.allCases, Language.allCases)
        func compose(state: State, language: Language) async throws {
            let phone = try Phone()
            await phone.launch(in: language)
            if state != .empty { Device.type("Buy milk") }
            if state == .failed { phone.fillDisk() }
            if state == .failed || state == .sent { Device.tap(language.string(.send)) }
            await phone.settle()
            Device.endAnimations()
            try compare("compose-\(state.rawValue)-\(language.tag)")
            phone.kill()
        }

        enum SignInState: String, CaseIterable {
            case address, code, wrong, signedin
        }

        @Test(
            "for signing in look as their pictures say",
            arguments: SignInState.allCases,
            Language.allCases
        )
        func signIn(state: SignInState, language: Language) async throws {
            let phone = try Phone()
            if state == .signedin { try phone.signIn() }
            await phone.launch(in: language)
            Device.tap(language.string(.settings))
            await phone.settle()
            Device.tapRow(language.string(.address))
            await phone.settle()
            if state == .code || state == .wrong {
                Device.write("a@b.example")
                Device.tap(language.string(AppText.askCode))
                try await until(language.string(AppText.codeSent))
            }
            if state == .wrong {
                Device.write("000000")
                Device.tap(language.string(AppText.confirmCode))
                try await until(language.string(AppText.codeRejected))
            }
            try compare("signin-\(state.rawValue)-\(language.tag)")
            phone.kill()
        }

        @Test(
            "of the history look as their pictures say",
            arguments: HistoryState.allCases,
            Language.allCases
        )
        func history(state: HistoryState, language: Language) async throws {
            let phone = try Phone()
            try phone.signIn()
            await phone.launch(in: language)
            if state != .none {
                Device.type("Buy milk")
                Device.tap(language.string(.send))
                try await waitUntil { phone.relay.memos.count == 1 }
                Device.endAnimations()
            }
            if state == .bounced || state == .question {
                let id = try #require(phone.relay.memos.keys.first)
                phone.relay.tell("bounced", because: "smtp.550", of: id)
            }
            Device.tap(language.string(.history))
            try await until(language.string(state.says))
            if state == .question { Device.swipe("Buy milk", language.string(.delete)) }
            try compare("history-\(state.rawValue)-\(language.tag)")
            phone.kill()
        }

        enum HistoryState: String, CaseIterable {
            case none, sent, bounced, question

            var says: AppText {
                switch self {
                case .none: .historyEmpty
                case .sent: .statusSent
                case .bounced, .question: .statusBounced
                }
            }
        }

        enum OtherScreen: String, CaseIterable {
            case settings, subject, languages, devices, diagnostics
        }

        @Test(
            "of the settings look as their pictures say",
            arguments: OtherScreen.allCases,
            Language.allCases
        )
        func settings(screen: OtherScreen, language: Language) async throws {
            let phone = try Phone()
            try phone.signIn()
            await phone.launch(in: language)
            Device.type("Buy milk")
            try await open(screen, of: phone, in: language)
            try compare("\(screen.rawValue)-\(language.tag)")
            phone.kill()
        }

        private func open(
            _ screen: OtherScreen,
            of phone: Phone,
            in language: Language
        ) async throws {
            Device.tap(language.string(.settings))
            await phone.settle()
            switch screen {
            case .settings: return
            case .subject: Device.tapRow(language.string(.subjectTemplate))
            case .languages: Device.tapRow(language.string(.language))
            case .devices:
                Device.tapRow(language.string(.devices))
                try await until("Old phone")
            case .diagnostics:
                for _ in 0..<SettingsModel.tapsToDiagnostics { Device.tapRow("Simple Memo") }
                try await until(language.string(.queueEmpty))
            }
            await phone.settle()
        }

        @Test(
            "at the largest text size look as their pictures say, and nothing is cut off",
            arguments: [Language.english, .german, .arabic]
        )
        func large(language: Language) async throws {
            let phone = try Phone()
            try phone.signIn()
            Device.textScale = 3.1
            await phone.launch(in: language)
            try compare("large-compose-\(language.tag)")
            #expect(Device.cutViews == [])
            Device.type("Buy milk")
            for screen in OtherScreen.allCases {
                // The size changes while the app runs: the lists do not scroll here.
                Device.textScale = 1
                Device.showFrame()
                try await open(screen, of: phone, in: language)
                Device.textScale = 3.1
                Device.showFrame()
                try compare("large-\(screen.rawValue)-\(language.tag)")
                #expect(Device.cutViews == [])
                while Device.typed != "Buy milk" {
                    Device.tap(language.string(.close))
                    await phone.settle()
                }
            }
            phone.kill()
        }

        private func until(_ text: String) async throws {
            try await waitUntil {
                Device.showFrame()
                return Device.screenText.contains(text)
            }
        }

        private func compare(_ picture: String) throws {
            let name = "\(picture).txt"
            let path = "Apple/Tests/Screens/\(name)"
            let time = /\d{4}-\d{2}-\d{2} \d{2}:\d{2}/
            let screen = Device.screenText.replacing(time, with: "TIME") + "\n"
            if ProcessInfo.processInfo.environment["MEMO_WRITE_SCREENS"] != nil {
                try screen.write(toFile: path, atomically: true, encoding: .utf8)
            }
            #expect(
                screen == (try String(contentsOfFile: path, encoding: .utf8)),
                "\(name) differs"
            )
        }
    }
}
