import Outbox
@_spi(Device) import Security
import Synchronization
import TemporaryFolders
import Testing

@testable import MemoKit

extension OneDevice {
    /// The data folder's key on an Apple system.
    @Suite("The key of a data folder in the Keychain")
    struct KeyHomeTests {
        private let temporary = try! TemporaryFolder()
        private var folder: DataFolder { DataFolder(path: temporary.file("data")) }

        init() {
            device.withLock { $0 = Device() }
        }

        private func box(newKey: KeyHome? = nil) throws -> MemoBox {
            try MemoBox(folder: folder, keys: BoxKeys(keyring: KeychainKeyring(), newKey: newKey))
        }

        private func error(_ body: () throws -> Void) -> MemoError? {
            do {
                try body()
                return nil
            } catch {
                return error as? MemoError
            }
        }

        @Test("is made there, and offered under its name")
        func made() throws {
            #expect(KeyHome.offered == [.file, .keychain])
            try box().send("text")
            #expect(folder.keyHome == .keychain)
            #expect(device.withLock { $0.count } == 1)
            #expect(try box().history().map(\.text) == ["text"])
        }

        @Test("moves there from a file and back, and every memo stays readable")
        func moved() throws {
            try box(newKey: .file).send("text")
            #expect(folder.keyHome == .file)
            try box().moveKey(to: .keychain)
            #expect(folder.keyHome == .keychain)
            #expect(try box().history().map(\.text) == ["text"])
            try box().moveKey(to: .file)
            #expect(folder.keyHome == .file)
            #expect(device.withLock { $0.count } == 0)
            #expect(try box().history().map(\.text) == ["text"])
        }

        @Test("of a program without an entitlement, as scripts/install makes memo, is in a file")
        func unsigned() throws {
            device.withLock { $0.accessGroups = [] }
            try box().send("text")
            #expect(folder.keyHome == .file)
            #expect(device.withLock { $0.count } == 0)
            #expect(try box().history().map(\.text) == ["text"])
            #expect(error { try box().moveKey(to: .keychain) } == .keyringUnreachable)
            #expect(folder.keyHome == .file)
            #expect(try box().history().map(\.text) == ["text"])
        }

        @Test(
            "in the Keychain is out of reach of a program without an entitlement, and nothing is lost"
        )
        func outOfReach() throws {
            try box().send("text")
            device.withLock { $0.accessGroups = [] }
            #expect(error { try box().send("more") } == .keyringUnreachable)
            #expect(error { try box(newKey: .file).send("more") } == .keyringUnreachable)
            device.withLock { $0.accessGroups = ["app"] }
            #expect(try box().history().map(\.text) == ["text"])
        }

        @Test("while the Keychain is locked: an error, no other key, and nothing is lost")
        func locked() throws {
            try box().send("text")
            device.withLock { $0.isUnlockedOnce = false }
            #expect(error { try box().send("more") } == .keyringLocked)
            #expect(error { try box(newKey: .file).send("more") } == .keyringLocked)
            #expect(device.withLock { $0.count } == 1)
            device.withLock { $0.isUnlockedOnce = true }
            #expect(try box().history().map(\.text) == ["text"])
        }
    }
}
