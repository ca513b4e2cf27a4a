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

        private func until(_ text: String) async throws {
            try await waitUntil {
                Device.showFrame()
                return Device.screenText.contains(text)
            }
        }

        private func compare(_ picture: String) throws {
            let name = "\(picture).txt"
            let path = "Apple/Tests/Screens/\(name)"
            let screen = Device.screenText + "\n"
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
