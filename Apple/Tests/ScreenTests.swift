import Foundation
import MemoCore
import MemoKit
@_spi(Device) import Security
import Synchronization
import Testing
@_spi(Device) import UIKit

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
            let name = "compose-\(state.rawValue)-\(language.tag).txt"
            let path = "Apple/Tests/Screens/\(name)"
            let screen = Device.screenText + "\n"
            if ProcessInfo.processInfo.environment["MEMO_WRITE_SCREENS"] != nil {
                try screen.write(toFile: path, atomically: true, encoding: .utf8)
            }
            let picture = try String(contentsOfFile: path, encoding: .utf8)
            #expect(screen == picture, "\(name) differs")
            phone.kill()
        }
    }
}
