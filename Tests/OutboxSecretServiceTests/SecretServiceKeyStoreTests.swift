#if os(Linux)
    import Foundation
    import Outbox
    import OutboxCore
    import OutboxSecretService
    import TemporaryFolders
    import Testing

    /// Against a real GNOME Keyring on a private session bus.
    @Suite(
        .serialized,
        .enabled(if: Requirement.isMet(PrivateKeyring.missing.isEmpty), "GNOME Keyring is missing")
    )
    struct SecretServiceKeyStoreTests {
        private let keyring: PrivateKeyring
        private let account = UUID().uuidString

        init() throws {
            keyring = try PrivateKeyring.shared
        }

        private func store(
            mayAsk: Bool = false,
            // Longer than any answer of a busy machine: only a missing answer passes it.
            patience: Duration = .seconds(60)
        ) -> SecretServiceKeyStore {
            SecretServiceKeyStore(
                application: "org.example.outbox",
                account: account,
                label: "Outbox tests",
                locks: keyring.folder + "/" + account,
                mayAsk: mayAsk,
                patience: patience
            )
        }

        private func ids(_ keys: [SealingKey]) -> [UInt64] { keys.map(\.id.rawValue) }

        private func bytes(_ key: SealingKey) -> [UInt8] { key.withUnsafeBytes { Array($0) } }

        @Test("the first key is made once, and read back by other stores and other programs")
        func made() throws {
            #expect(throws: KeyStoreError.missing) { try store().keys(creating: false) }
            let made = try store().keys(creating: true)
            let read = try store().keys(creating: true)
            #expect(made.count == 1)
            #expect(made.map(bytes) == read.map(bytes) && ids(made) == ids(read))
            let text = try keyring.lookUp("application", "org.example.outbox", "account", account)
            #expect(text.contains(Self.hexadecimal(bytes(made[0]))))
        }

        @Test("no byte of a key is in a file")
        func canary() throws {
            let key = try store().keys(creating: true)[0]
            let bytes = Data(self.bytes(key))
            let files = try keyring.files()
            #expect(files.keys.contains { $0.hasSuffix(".keyring") })
            for (name, content) in files {
                #expect(content.range(of: bytes) == nil, "\(name)")
                let text = Data(Self.hexadecimal(Array(bytes)).utf8)
                #expect(content.range(of: text) == nil, "\(name)")
            }
        }

        @Test("those who make the first key at once end with the same one")
        func race() async throws {
            let stores = (0..<8).map { _ in store() }
            let found = try await withThrowingTaskGroup { tasks in
                for store in stores {
                    tasks.addTask { try store.keys(creating: true).map(\.id.rawValue) }
                }
                return try await tasks.reduce(into: Set()) { $0.insert($1) }
            }
            #expect(found.count == 1)
            #expect(found.first?.count == 1)
        }

        @Test("while the keyring is locked the key is withheld, and no other is made")
        func locked() throws {
            let made = try store().keys(creating: true)
            try keyring.lock()
            for creating in [false, true] {
                #expect(throws: KeyStoreError.withheld(.locked)) {
                    try store().keys(creating: creating)
                }
            }
            #expect(throws: KeyStoreError.withheld(.locked)) { try store().addKey() }
            // There is nobody on this bus to ask: the question counts as dismissed.
            #expect(throws: KeyStoreError.withheld(.locked)) {
                try store(mayAsk: true).keys(creating: true)
            }
            try keyring.unlock()
            #expect(ids(try store().keys(creating: true)) == ids(made))
        }

        @Test("a key that was never made is not made while the keyring is locked")
        func lockedBefore() throws {
            try keyring.lock()
            #expect(throws: KeyStoreError.withheld(.locked)) { try store().keys(creating: true) }
            try keyring.unlock()
            #expect(throws: KeyStoreError.missing) { try store().keys(creating: false) }
        }

        @Test("without a keyring on the bus the key is withheld; one started again has it")
        func killed() throws {
            let made = try store().keys(creating: true)
            try keyring.kill()
            for creating in [false, true] {
                #expect(throws: KeyStoreError.withheld(.unreachable)) {
                    try store().keys(creating: creating)
                }
            }
            try keyring.start()
            #expect(ids(try store().keys(creating: true)) == ids(made))
        }

        @Test("a keyring that does not answer is waited for as long as one was told")
        func silent() throws {
            let made = try store().keys(creating: true)
            try keyring.whileStopped {
                #expect(throws: KeyStoreError.withheld(.silent)) {
                    try store(patience: .milliseconds(200)).keys(creating: true)
                }
            }
            #expect(ids(try store().keys(creating: true)) == ids(made))
        }

        @Test("keys are added and removed, and removed only when nobody else has read them")
        func rotation() throws {
            let first = try store().keys(creating: true)
            var other: SecretServiceKeyStore? = store()
            _ = try other?.keys(creating: false)
            let store = store()
            let second = try store.addKey()
            #expect(ids(try store.keys(creating: false)) == ids(first) + [second.rawValue])
            #expect(try store.retireKeys { [] } == nil)
            other = nil
            #expect(try store.retireKeys { [first[0].id] } == [])
            #expect(try store.retireKeys { [] } == [first[0].id])
            #expect(ids(try store.keys(creating: false)) == [second.rawValue])
        }

        private static func hexadecimal(_ bytes: [UInt8]) -> String {
            bytes.map { String(format: "%02x", $0) }.joined()
        }
    }
#endif
