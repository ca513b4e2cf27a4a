import OutboxCore
@_spi(Device) import Security
import Synchronization
import TemporaryFolders
import Testing

@testable import Outbox

extension OneDevice {
    /// What stands behind `canImport(Security)`, over the stand-in of the keychain.
    @Suite("The Keychain")
    struct KeychainTests {
        private let folder = try! TemporaryFolder()

        init() {
            device.withLock { $0 = Device() }
        }

        private func store(account: String = "box", group: String? = nil) -> KeychainKeyStore {
            KeychainKeyStore(
                service: "org.example.app",
                account: account,
                locks: folder.file("keys"),
                accessGroup: group
            )
        }

        private func ids(_ store: KeychainKeyStore, creating: Bool = false) throws -> [KeyID] {
            try store.keys(creating: creating).map { $0.id }
        }

        @Test("keeps the keys: the first is made once, a new one is added, an old one is retired")
        func life() throws {
            #expect(throws: KeyStoreError.missing) { try store().keys(creating: false) }
            let first = try ids(store(), creating: true)
            #expect(first.count == 1)
            #expect(try ids(store(), creating: true) == first)
            let added = try store().addKey()
            #expect(try ids(store()) == first + [added])
            #expect(device.withLock { $0.count } == 1)
        }

        @Test("tells storages of one app apart")
        func accounts() throws {
            let first = try ids(store(), creating: true)
            let second = try ids(store(account: "other"), creating: true)
            #expect(first != second)
            #expect(try ids(store()) == first)
        }

        @Test("before the first unlock withholds the keys, and no other key is ever made")
        func locked() throws {
            device.withLock { $0.isUnlockedOnce = false }
            #expect(throws: KeyStoreError.withheld(.locked)) { try store().keys(creating: true) }
            #expect(device.withLock { $0.count } == 0)
            device.withLock { $0.isUnlockedOnce = true }
            let first = try ids(store(), creating: true)
            device.withLock { $0.isUnlockedOnce = false }
            #expect(throws: KeyStoreError.withheld(.locked)) { try store().keys(creating: true) }
            #expect(throws: KeyStoreError.withheld(.locked)) { try store().addKey() }
            #expect(device.withLock { $0.count } == 1)
            device.withLock { $0.isUnlockedOnce = true }
            #expect(try ids(store()) == first)
        }

        @Test("of a group is shared by the programs of that group, and withheld from any other")
        func group() throws {
            device.withLock { $0.accessGroups = ["app", "group"] }
            let shared = try ids(store(group: "group"), creating: true)
            #expect(device.withLock { $0.groupsOfItems } == ["group"])
            // The extension.
            device.withLock { $0.accessGroups = ["extension", "group"] }
            #expect(try ids(store(group: "group")) == shared)
            device.withLock { $0.accessGroups = ["stranger"] }
            #expect(throws: KeyStoreError.withheld(.unreachable)) {
                try store(group: "group").keys(creating: true)
            }
            #expect(device.withLock { $0.count } == 1)
        }

        @Test(
            "says why it withholds the keys, and says of no refusal that there is no key",
            arguments: [
                (errSecUserCanceled, KeyStoreError.withheld(.locked)),
                (errSecAuthFailed, .withheld(.locked)),
                (errSecInteractionRequired, .withheld(.locked)),
                (errSecInteractionNotAllowed, .withheld(.locked)),
                (errSecNotAvailable, .withheld(.unreachable)),
                (errSecMissingEntitlement, .withheld(.unreachable)),
                (errSecNoSuchKeychain, .withheld(.unreachable)),
                (-26275, .unreadable(code: -26275)),
            ] as [(OSStatus, KeyStoreError)]
        )
        func refusals(status: OSStatus, error: KeyStoreError) throws {
            let first = try ids(store(), creating: true)
            device.withLock { $0.refusal = status }
            #expect(throws: error) { try store().keys(creating: true) }
            #expect(throws: error) { try store().addKey() }
            device.withLock { $0.refusal = nil }
            #expect(try ids(store()) == first)
        }

        @Test("gives up an item that is removed; a missing one is no error")
        func removed() throws {
            let item = KeychainItem(service: "org.example.app", account: "box")
            #expect(try item.read() == nil)
            #expect(throws: KeyStoreError.missing) { try item.replace(with: [1]) }
            #expect(try item.add([1, 2]))
            #expect(try !item.add([3]))
            #expect(try item.read() == [1, 2])
            try item.replace(with: [4])
            #expect(try item.read() == [4])
            try item.remove()
            try item.remove()
            #expect(try item.read() == nil)
        }
    }
}
