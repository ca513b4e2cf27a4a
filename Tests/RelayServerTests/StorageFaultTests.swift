import Foundation
import HTTPTypes
import Hummingbird
import MemoCore
import NIOCore
import Outbox
import OutboxCore
import OutboxSQLite
import RelayAPI
import SQLite
import TemporaryFolders
import Testing

@testable import RelaySQLite
@testable import RelayServer

@Suite("A relay whose storage fails")
struct StorageFaultTests {
    private let fixture: RelayFixture

    init() throws {
        fixture = try RelayFixture()
    }

    @Test("with a full disk accepts nothing and says so, and goes on when there is room")
    func fullDisk() async throws {
        let relay = try fixture.open()
        let token = try await fixture.token(relay)
        let before = fixture.transport.mails.count
        let id = OperationID.new()
        let memo = MemoRequest(text: String(repeating: "canary ", count: 50_000))
        try await relay.application().test(.router) { client in
            try relay.store.storage.read { try $0.execute("PRAGMA max_page_count = 1") }
            let refused = try await client.put(id, memo, token: token)
            #expect(refused.status == .serviceUnavailable)
            #expect(try refused.problemCode() == .unavailable)
            #expect(refused.headers[.retryAfter] == "30")
            #expect(!String(buffer: refused.body).contains("canary"))
            let unknown = try await client.send(RelayPath.memo(id), method: .get, token: token)
            #expect(try unknown.problemCode() == .notFound)
            #expect(try relay.store.outbox.counts() == OutboxCounts())

            try relay.store.storage.read { try $0.execute("PRAGMA max_page_count = 1000000") }
            let accepted = try await client.put(id, memo, token: token)
            #expect(accepted.status == .accepted)
        }
        try await fixture.deliver(relay)
        #expect(fixture.transport.mails.count == before + 1)
    }

    @Test("does not make a new key when the key is gone")
    func missingKey() throws {
        _ = try fixture.open()
        try FileManager.default.removeItem(atPath: fixture.folder.path + "/key")
        #expect(throws: KeyStoreError.missing) { try fixture.open() }
    }

    @Test("does not make a new secret where there are accounts")
    func missingSecret() async throws {
        let relay = try fixture.open()
        let remove = "DELETE FROM relay_secret"
        try relay.store.storage.write { try $0.execute(remove) }
        #expect(try fixture.open().store.storage.path == relay.store.storage.path)
        _ = try await fixture.token(try fixture.open())
        try relay.store.storage.write { try $0.execute(remove) }
        #expect(throws: SecretMissing.self) { try fixture.open() }
        let secrets = try relay.store.storage.read { database in
            try database.query("SELECT 1 FROM relay_secret") { _ in true }
        }
        #expect(secrets.isEmpty)
    }

    @Test("refuses a key that others may read")
    func readableKey() throws {
        _ = try fixture.open()
        let key = fixture.folder.path + "/key"
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: key)
        #expect(throws: KeyStoreError.permissionsTooWide) { try fixture.open() }
    }

    @Test("keeps every file to its owner")
    func fileModes() async throws {
        let relay = try fixture.open()
        _ = try await fixture.token(relay)
        let files = FileManager.default
        let names = try files.contentsOfDirectory(atPath: fixture.folder.path)
        #expect(Set(names).isSuperset(of: ["key", "relay.sqlite", "relay.sqlite-wal"]))
        for name in names {
            let attributes = try files.attributesOfItem(atPath: fixture.folder.path + "/" + name)
            #expect(attributes[.posixPermissions] as? Int == 0o600, "\(name)")
        }
        withExtendedLifetime(relay) {}
    }
}
