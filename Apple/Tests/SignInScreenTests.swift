import MemoCore
import MemoKit
import MemoTexts
@_spi(Device) import Security
import Synchronization
import Testing
@_spi(Device) import UIKit
import Waiting

@testable import MemoApp

extension OneDevice {
    /// Signing in and out on the screen, with the real box and a relay in memory.
    @MainActor
    @Suite("The screen for signing in")
    struct SignInScreenTests {
        private let phone: Phone

        init() throws {
            device.withLock { $0 = .init() }
            phone = try Phone()
        }

        private func say(_ text: AppText, _ value: String...) -> String {
            let language = Language.english
            return value.isEmpty ? language.string(text) : language.string(text, value[0])
        }

        private func until(_ text: String) async throws {
            try await waitUntil {
                Device.showFrame()
                return Device.screenText.contains(text)
            }
        }

        private func open(on phone: Phone) async {
            Device.tap(say(.settings))
            await phone.settle()
            Device.tapRow(say(.address))
            await phone.settle()
        }

        private func askCode() async throws {
            Device.write("a@b.example")
            Device.tap(say(.askCode))
            try await until(say(.codeSent))
        }

        @Test("an address, a code, and the memo that has waited leaves")
        func signsIn() async throws {
            await phone.launch()
            Device.type("one")
            Device.tap(say(.send))
            Device.type("draft")
            await open(on: phone)
            try await askCode()
            #expect(Device.screenText.contains("(oneTimeCode)"))
            #expect(Device.announcements.last == say(.codeSent))
            Device.write("123456")
            Device.tap(say(.confirmCode))
            try await until(say(.signedInAs, "a@b.example"))
            try await waitUntil { phone.relay.memos.count == 1 }
            Device.tap(say(.close))
            Device.tap(say(.close))
            #expect(Device.typed == "draft")
            phone.kill()
        }

        @Test("a person who reads the mail meanwhile goes on with the same code, also after a kill")
        func goesOn() async throws {
            for isKilled in [false, true] {
                let phone = try Phone()
                await phone.launch()
                await open(on: phone)
                try await askCode()
                Device.leave()
                await phone.rest()
                if isKilled {
                    phone.kill()
                    await phone.launch()
                    await open(on: phone)
                } else {
                    Device.comeBack()
                }
                Device.write("123456")
                Device.tap(say(.confirmCode))
                try await until(say(.signedInAs, "a@b.example"))
                phone.kill()
            }
        }

        @Test("a wrong code can be tried again, and another one asked for")
        func wrong() async throws {
            await phone.launch()
            await open(on: phone)
            try await askCode()
            Device.write("000000")
            Device.tap(say(.confirmCode))
            try await until(say(.codeRejected))
            Device.tap(say(.askCode))
            try await until(say(.codeSent))
            phone.kill()
        }

        @Test("a relay that is not reached: a sentence, and the address stays in the field")
        func unreached() async throws {
            await phone.launch()
            phone.relay.answer(.unreachable)
            await open(on: phone)
            Device.write("a@b.example")
            Device.tap(say(.askCode))
            try await waitUntil { !Device.announcements.isEmpty }
            #expect(Device.screenText.contains("a@b.example"))
            phone.kill()
        }

        @Test("a revoked token: the memo waits, and leaves after the next sign-in")
        func revoked() async throws {
            try await phone.launch(signedInTo: .refusesToken)
            Device.type("one")
            Device.tap(say(.send))
            try await waitUntil {
                try MemoBox(folder: phone.folder, keys: .keychain).accountStanding()
                    == .signedOutElsewhere
            }
            await open(on: phone)
            try await askCode()
            Device.write("123456")
            Device.tap(say(.confirmCode))
            try await until(say(.signedInAs, "a@b.example"))
            try await waitUntil { phone.relay.memos.count == 1 }
            phone.kill()
        }

        @Test("signing out tells the relay, and forgets the account")
        func signsOut() async throws {
            try phone.signIn()
            await phone.launch()
            await open(on: phone)
            Device.tap(say(.signOut))
            try await until(say(.addressHint))
            #expect(phone.relay.revocations == 1)
            #expect(try !MemoBox(folder: phone.folder, keys: .keychain).hasAccount())
            phone.kill()
        }
    }
}
