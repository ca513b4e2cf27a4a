import Foundation
import MemoCore
import Outbox
import OutboxCore
import OutboxSQLite
import SQLite
import Synchronization
import Testing

@testable import MemoKit

/// A keyring in memory that can be locked, and that can die at one step.
private final class MemoryKeyring: Keyring {
    struct State {
        var items: [String: [UInt8]] = [:]
        var refusal: KeyRefusal?
        /// The steps that are left before everything fails; `nil` for as many as one likes.
        var steps: Int?
    }

    let state = Mutex(State())

    var items: [String: [UInt8]] { state.withLock { $0.items } }

    func refuse(_ refusal: KeyRefusal?) { state.withLock { $0.refusal = refusal } }

    func item(_ name: String, access: KeyringAccess) -> any RemovableKeyPlace {
        Item(keyring: self, name: name)
    }

    private struct Item: RemovableKeyPlace {
        let keyring: MemoryKeyring
        let name: String

        private func step<Result: Sendable>(
            _ body: (inout State) -> Result
        ) throws(KeyStoreError) -> Result {
            let result: Swift.Result<Result, KeyStoreError> = keyring.state.withLock { state in
                if let refusal = state.refusal { return .failure(.withheld(refusal)) }
                if let steps = state.steps {
                    if steps == 0 { return .failure(.withheld(.silent)) }
                    state.steps = steps - 1
                }
                return .success(body(&state))
            }
            return try result.get()
        }

        func read() throws(KeyStoreError) -> [UInt8]? { try step { $0.items[name] } }

        func add(_ bytes: [UInt8]) throws(KeyStoreError) -> Bool {
            try step { state in
                guard state.items[name] == nil else { return false }
                state.items[name] = bytes
                return true
            }
        }

        func replace(with bytes: [UInt8]) throws(KeyStoreError) {
            try step { $0.items[name] = bytes }
        }

        func remove() throws(KeyStoreError) {
            try step { $0.items[name] = nil }
        }
    }
}

@Suite("The place of the key")
struct KeyPlaceTests {
    private let temporary = try! TemporaryFolder()
    private let keyring = MemoryKeyring()
    private var folder: DataFolder { temporary.folder }

    private func box(newKey: KeyHome? = nil) throws -> MemoBox {
        try MemoBox(folder: folder, keys: BoxKeys(keyring: keyring, newKey: newKey))
    }

    private var hasKeyFile: Bool { FileManager.default.fileExists(atPath: folder.key) }

    @Test("of a new folder is the keyring if that is open")
    func open() throws {
        let id = try box().send("text")
        #expect(folder.keyHome == KeyHome.keyring)
        #expect(!hasKeyFile && keyring.items.count == 1)
        #expect(try box().historyEntry(id)?.text == "text")
    }

    @Test(
        "of a new folder is a file if the keyring is not open",
        arguments: [
            KeyRefusal.locked, .unreachable, .silent, .failed,
        ]
    )
    func closed(refusal: KeyRefusal) throws {
        keyring.refuse(refusal)
        try box().send("text")
        #expect(folder.keyHome == .file)
        keyring.refuse(nil)
        // An existing key goes on being used.
        try box().send("more")
        #expect(folder.keyHome == .file && keyring.items.isEmpty)
        #expect(try box().history().map(\.text) == ["more", "text"])
    }

    @Test("that was asked for and cannot be had is an error, and no key is made elsewhere")
    func asked() throws {
        keyring.refuse(.locked)
        let error = memoError { try box(newKey: .keyring).send("text") }
        #expect(error == .keyringLocked)
        #expect(!hasKeyFile && folder.keyHome == nil)
        #expect(try box().outbox.counts() == OutboxCounts())
    }

    @Test("withholds the key: nothing is stored, nothing is lost, and no other key is made")
    func withheld() throws {
        let id = try box().send("text")
        for (refusal, expected) in [
            (KeyRefusal.locked, MemoError.keyringLocked), (.unreachable, .keyringUnreachable),
            (.silent, .keyringUnreachable), (.failed, .keyringUnreachable),
        ] {
            keyring.refuse(refusal)
            #expect(memoError { try box().send("more") } == expected)
            #expect(memoError { _ = try box().history() } == expected)
            #expect(!hasKeyFile)
        }
        keyring.refuse(nil)
        #expect(try box().history().map(\.id) == [id])
        #expect(try box().outbox.counts().queued == 1)
    }

    @Test("that lost the key is told apart from one that withholds it")
    func lost() throws {
        try box().send("text")
        keyring.state.withLock { $0.items = [:] }
        #expect(memoError { try box().send("more") } == .keyringItemMissing)
        #expect(keyring.items.isEmpty && !hasKeyFile)
    }

    @Test("a damaged marker is no reason to make a key", arguments: ["", "keyring", "tpm 1\n"])
    func damagedMarker(content: String) throws {
        try box().send("text")
        try Data(content.utf8).write(to: URL(fileURLWithPath: folder.keyMarker))
        #expect(memoError { try box().send("more") } != nil)
        #expect(!hasKeyFile && keyring.items.count == 1)
    }

    @Test("is changed there and back, and a new folder's chosen before there is a key")
    func moved() throws {
        try box().moveKey(to: .file)
        #expect(folder.keyHome == .file && keyring.items.isEmpty)
        let id = try box().send("text")
        for home in [KeyHome.keyring, .keyring, .file, .file, .keyring] {
            try box().moveKey(to: home)
            #expect(folder.keyHome == home)
            #expect(keyring.items.count == (home == .file ? 0 : 1))
            #expect(hasKeyFile == (home == .file))
            #expect(try box().historyEntry(id)?.text == "text")
        }
    }

    @Test("a process that has the key goes on while another moves it")
    func beside() throws {
        let running = try box(newKey: .file)
        try running.send("text")
        try box().moveKey(to: .keyring)
        try running.send("more")
        #expect(try box().history().map(\.text) == ["more", "text"])
    }

    @Test("cut short after any step, the key is where the folder says, and a repetition finishes")
    func cutShort() throws {
        let id = try box(newKey: .file).send("text")
        var cuts = 0
        for (home, other) in [(KeyHome.keyring, KeyHome.file), (.file, .keyring)] {
            for steps in 0... {
                keyring.state.withLock { $0.steps = steps }
                let error = memoError { try box().moveKey(to: home) }
                keyring.state.withLock { $0.steps = nil }
                #expect(try box().historyEntry(id)?.text == "text")
                if error == nil { break }
                cuts += 1
                if error == .keyCopyLeft { #expect(folder.keyHome == .file) }
                // Whatever a person asks for next.
                try box().moveKey(to: home)
                #expect(folder.keyHome == home)
                #expect(keyring.items.count == (home == .file ? 0 : 1))
                #expect(try box().historyEntry(id)?.text == "text")
                try box().moveKey(to: other)
            }
        }
        #expect(cuts > 4)
    }

    @Test("a name that is not offered is refused")
    func names() {
        #expect(memoError { _ = try KeyHome(name: "drawer") } == .keyStoreUnknown("drawer"))
        for home in KeyHome.offered {
            #expect(try! KeyHome(name: home.rawValue) == home)
        }
        #expect(KeyHome.offered.count == 2)
    }
}

@Suite("A new key")
struct KeyRotationTests {
    private let temporary = try! TemporaryFolder()
    private let keyring = MemoryKeyring()

    private func box() throws -> MemoBox {
        try MemoBox(folder: temporary.folder, keys: BoxKeys(keyring: keyring, newKey: .file))
    }

    /// Every record at rest, by its table.
    private func records(_ box: MemoBox) throws -> [String: [[UInt8]]] {
        var records: [String: [[UInt8]]] = [:]
        for (table, column) in [
            ("outbox_operation", "record"), ("memo_history", "sealed"), ("memo_draft", "sealed"),
            ("memo_account", "sealed"), ("memo_settings", "sealed"),
        ] {
            records[table] = try box.storage.read { connection in
                try connection.query("SELECT \(column) FROM \(table)", row: { $0.blob(0) })
            }
        }
        return records
    }

    private func fill() throws -> Account {
        let box = try box()
        for number in 0..<5 { try box.send("memo \(number)") }
        let account = Account(relay: "https://relay.example.org", address: "a@b.c", token: "t")
        try box.setAccount(account)
        var settings = MemoSettings()
        try settings.setSignature("Ann")
        try box.setSettings(settings)
        try box.saveDraft("draft")
        return account
    }

    private func expectAllReadable(_ account: Account) throws {
        let box = try box()
        #expect(try box.history().map(\.text) == (0..<5).reversed().map { "memo \($0)" })
        for item in try box.outboxItems() {
            #expect(try box.outboxText(item).hasPrefix("memo "))
        }
        #expect(try box.account() == account)
        #expect(try String(decoding: box.settings().signature.text, as: UTF8.self) == "Ann")
        #expect(try box.draft() == "draft")
    }

    @Test("seals all that is stored again, and the old one is gone")
    func everything() throws {
        let account = try fill()
        let rotation = try box().rotateKey()
        #expect(rotation == KeyRotation(resealed: 5 + 5 + 3, isOldKeyGone: true))
        try expectAllReadable(account)
        let box = try box()
        let keys = try box.keys.keys(creating: false).map(\.id)
        #expect(keys.count == 1)
        for (table, records) in try records(box) {
            #expect(!records.isEmpty, "\(table)")
            #expect(records.allSatisfy { Sealer.keyID(of: $0) == keys[0] }, "\(table)")
        }
    }

    @Test("knows every table whose rows are sealed")
    func tables() throws {
        let tables = try box().storage.read { connection in
            try connection.query(
                """
                SELECT t.name FROM sqlite_schema t, pragma_table_info(t.name) c
                WHERE t.type = 'table' AND c.name = 'sealed'
                """,
                row: { $0.text(0) }
            )
        }
        #expect(Set(tables) == Set(SealedTable.all.map(\.name)))
    }

    @Test("leaves the old one while another program has it, which loses nothing")
    func beside() throws {
        let account = try fill()
        let running = try box()
        #expect(try running.draft() == "draft")
        let rotation = try box().rotateKey()
        #expect(!rotation.isOldKeyGone)
        // It still seals under the old key, and reads what others seal under the new one.
        try running.saveDraft("written on")
        let id = try box().send("under the new key")
        #expect(try running.historyEntry(id)?.text == "under the new key")
        #expect(try running.account() == account)
        #expect(try box().history(limit: 1).map(\.text) == ["under the new key"])
    }

    @Test("keeps the old one for an entry that cannot be read, until that is gone")
    func unreadable() throws {
        _ = try fill()
        try box().storage.write { connection in
            _ = try connection.run("UPDATE memo_history SET created_at = 0 WHERE number = 1")
        }
        #expect(try !box().rotateKey().isOldKeyGone)
        #expect(try box().history().count == 5)
        try box().storage.write { connection in
            _ = try connection.run("DELETE FROM memo_history WHERE number = 1")
        }
        #expect(try box().rotateKey().isOldKeyGone)
    }

    @Test("changes nothing when the keyring is locked")
    func locked() throws {
        let account = try fill()
        try box().moveKey(to: .keyring)
        let before = try records(box())
        keyring.refuse(.locked)
        #expect(memoError { _ = try box().rotateKey() } == .keyringLocked)
        #expect(try records(box()) == before)
        keyring.refuse(nil)
        try expectAllReadable(account)
    }

    @Test("goes to the place where the key is")
    func place() throws {
        let account = try fill()
        try box().moveKey(to: .keyring)
        let before = keyring.items
        #expect(try box().rotateKey().isOldKeyGone)
        #expect(keyring.items.keys == before.keys && keyring.items != before)
        try expectAllReadable(account)
    }
}
