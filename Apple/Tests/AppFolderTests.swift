import Foundation
import MemoKit
import MemoTexts
@_spi(Device) import Security
import Synchronization
import Testing
@_spi(Device) import UIKit
import Waiting

@testable import MemoApp
@testable import MemoDoors

extension OneDevice {
    /// The folder of the app's data, in the container of the app group.
    @MainActor
    @Suite("The folder of the app group")
    struct AppFolderTests {
        private static let group = "group.org.example.simple-memo"
        private let phone: Phone

        init() throws {
            device.withLock { $0 = .init() }
            phone = try Phone()
            Device.groupIdentifier = nil
        }

        private func say(_ text: AppText) -> String { Language.english.string(text) }

        private func box() throws -> MemoBox {
            try MemoBox(folder: AppFolder(group: Self.group).open(), keys: .keychain)
        }

        @Test(
            "is made in the group's container, for its owner, and protected before a file is in it"
        )
        func protected() throws {
            Device.groupIdentifier = Self.group
            let protected = Mutex<[String: [String]]>([:])
            var folder = AppFolder(group: Self.group)
            folder.protect = { path in
                let files = try FileManager.default.contentsOfDirectory(atPath: path)
                protected.withLock { $0[path] = files }
            }
            let path = try folder.open().path
            #expect(path == "\(phone.folder.path)/Simple Memo")
            #expect(protected.withLock { $0 } == [path: []])
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
            #expect(mode as? Int == 0o700)
            #expect(folder.ofChoices.path == path)
        }

        @Test("a folder that cannot be protected is used: what is in it is sealed")
        func notProtected() throws {
            Device.groupIdentifier = Self.group
            var folder = AppFolder(group: Self.group)
            folder.protect = { _ in throw CocoaError(.fileWriteNoPermission) }
            #expect(try folder.open() == AppFolder(group: Self.group).open())
        }

        @Test(
            "without the group a sentence names it, the text stays, and is sent once the group is there"
        )
        func missing() async throws {
            phone.appFolder = AppFolder(group: Self.group)
            await phone.launch()
            #expect(Device.screenText.contains(Self.group))
            Device.type("kept")
            Device.tap(say(.send))
            #expect(Device.typed == "kept")
            #expect(Device.announcements.last == say(.memoNotStored))
            #expect(!FileManager.default.fileExists(atPath: "\(phone.folder.path)/Simple Memo"))
            Device.groupIdentifier = Self.group
            Device.tap(say(.send))
            #expect(Device.typed == "")
            #expect(try box().history().map(\.text) == ["kept"])
            phone.kill()
        }

        @Test("is left without a lock when the app is suspended, for an extension to go on")
        func suspended() async throws {
            Device.groupIdentifier = Self.group
            phone.appFolder = AppFolder(group: Self.group)
            await phone.launch()
            await phone.write("draft")
            // The stand-in ends the test at a lock in the group's container.
            Device.leave()
            await phone.rest()
            #expect(try box().draft() == "draft")
            phone.kill()
        }
    }
}
