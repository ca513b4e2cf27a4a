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
    /// What is on the screen, as text: Apple/Tests/Screens has a file for each state and language, and for
    /// some languages one more at the largest text size.
    @MainActor
    @Suite("The screens")
    struct ScreenTests {
        /// The shortest words, the longest ones, and those from right to left.
        nonisolated static let enlarged = [Language.english, .german, .arabic]

        init() {
            device.withLock { $0 = .init() }
        }

        enum ComposeState: String, CaseIterable {
            case empty, written, sent, failed, waiting, covered
        }

        @Test("look as their pictures say", arguments: ComposeState.allCases, Language.allCases)
        func compose(state: ComposeState, language: Language) async throws {
            let phone = try Phone()
            await phone.launch(in: language)
            if state != .empty { Device.type("Buy milk") }
            if state == .failed { phone.fillDisk() }
            if [.sent, .failed, .waiting].contains(state) { Device.tap(language.string(.send)) }
            await phone.settle()
            Device.endAnimations()
            if state == .covered || state == .waiting { Device.leave() }
            if state == .waiting {
                await phone.rest()
                phone.wait(milliseconds: 61 * 60_000)
                Device.comeBack()
                try await until(language.string(AppText.waitingLong))
            }
            try compare("compose-\(state)", in: language)
            await phone.rest()
            phone.kill()
        }

        enum SignInState: String, CaseIterable {
            case address, code, wrong, unreached, signedin
        }

        @Test(
            "for signing in look as their pictures say",
            arguments: SignInState.allCases,
            Language.allCases
        )
        func signIn(state: SignInState, language: Language) async throws {
            let phone = try Phone()
            if state == .signedin { try phone.signIn() }
            if state == .unreached { phone.relay.answer(.unreachable) }
            await phone.launch(in: language)
            Device.tap(language.string(.settings))
            await phone.settle()
            Device.tapRow(language.string(.address))
            await phone.settle()
            if state != .address && state != .signedin {
                Device.write("a@b.example")
                Device.tap(language.string(AppText.askCode))
                let answer: AppText = state == .unreached ? .relayUnreachable : .codeSent
                try await until(language.string(answer))
            }
            if state == .wrong {
                Device.write("000000")
                Device.tap(language.string(AppText.confirmCode))
                try await until(language.string(AppText.codeRejected))
            }
            try compare("signin-\(state)", in: language)
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
            if state == .queued { phone.relay.answer(.unreachable) }
            await phone.launch(in: language)
            if state != .none {
                Device.type("Buy milk")
                Device.tap(language.string(.send))
                try await waitUntil { phone.relay.attempts == 1 }
                Device.endAnimations()
            }
            if state == .bounced || state == .question {
                try await waitUntil { phone.relay.memos.count == 1 }
                let id = try #require(phone.relay.memos.keys.first)
                phone.relay.tell("bounced", because: "smtp.550", of: id)
            }
            Device.tap(language.string(.history))
            // The outcome of the attempt is stored after the relay was asked.
            let words = state == .queued ? "network.unreachable" : language.string(state.says)
            try await until(words)
            if state == .question { Device.swipe("Buy milk", language.string(.delete)) }
            try compare("history-\(state)", in: language)
            phone.kill()
        }

        enum HistoryState: String, CaseIterable {
            case none, queued, sent, bounced, question

            var says: AppText {
                switch self {
                case .none: .historyEmpty
                case .queued: .statusQueued
                case .sent: .statusSent
                case .bounced, .question: .statusBounced
                }
            }
        }

        enum OtherScreen: String, CaseIterable {
            case settings, signedout, subject, refused, signature, languages
            case devices, revoke, diagnostics, queue
        }

        @Test(
            "of the settings look as their pictures say",
            arguments: OtherScreen.allCases,
            Language.allCases
        )
        func settings(screen: OtherScreen, language: Language) async throws {
            let phone = try Phone()
            if screen != .signedout { try phone.signIn() }
            await phone.launch(in: language)
            if screen == .queue {
                phone.relay.answer(.unreachable)
                Device.type("Buy bread")
                Device.tap(language.string(.send))
                try await waitUntil { phone.relay.attempts == 1 }
            }
            Device.type("Buy milk")
            try await open(screen, of: phone, in: language)
            try compare("\(screen)", in: language)
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
            case .settings, .signedout: return
            case .subject, .refused: Device.tapRow(language.string(.subjectTemplate))
            case .signature: Device.tapRow(language.string(.signature))
            case .languages: Device.tapRow(language.string(.language))
            case .devices, .revoke:
                Device.tapRow(language.string(.devices))
                try await until("Old phone")
                if screen == .revoke { Device.swipe("Old phone", language.string(.signOut)) }
            case .diagnostics, .queue:
                for _ in 0..<SettingsModel.tapsToDiagnostics { Device.tapRow("Simple Memo") }
                let queue =
                    screen == .queue
                    ? language.string(AppText.attempts, "1") : language.string(.queueEmpty)
                try await until(queue)
            }
            await phone.settle()
            if screen == .refused { Device.type("{lime}") }
            if screen == .signature { Device.type("Ann\nLondon") }
            await phone.settle()
        }

        @Test("for a rating look as their pictures say", arguments: enlarged)
        func rating(language: Language) async throws {
            let phone = try Phone()
            try phone.signIn()
            let box = try MemoBox(folder: phone.folder, keys: .keychain)
            for _ in 0..<99 { try box.delete(box.send("memo")) }
            await phone.launch(in: language)
            Device.type("Buy milk")
            Device.tap(language.string(.send))
            try await waitUntil { try phone.waiting() == 0 }
            Device.endAnimations()
            phone.wait(milliseconds: RatingModel.quiet)
            try await until(language.string(.ratingQuestion))
            try compare("rating-asks", in: language)
            Device.tap(language.string(AppText.ratingStars, "4"))
            try compare("rating-thanks", in: language)
            phone.kill()
        }

        private func until(_ text: String) async throws {
            try await waitUntil {
                Device.showFrame()
                return Device.screenText.contains(text)
            }
        }

        /// Compares what is on the screen with its picture; where the language is one of ``enlarged``, also
        /// after the person has chosen the largest text size.
        private func compare(_ picture: String, in language: Language) throws {
            try compare("\(picture)-\(language.tag)")
            guard Self.enlarged.contains(language) else { return }
            Device.textScale = 3.1
            Device.showFrame()
            try compare("large-\(picture)-\(language.tag)")
            #expect(Device.cutViews == [])
            Device.textScale = 1
            Device.showFrame()
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
