import Foundation
import HTTPTypes
import MemoCore
import NIOCore
import Outbox
import OutboxCore
import OutboxSQLite
import RelayAPI
import SQLite
import TemporaryFolders
import Testing
import Waiting

@testable import RelayRules
@testable import RelaySQLite
@testable import RelayServer

@Suite("A relay that is asked whether it is ready", .timeLimit(.minutes(60)))
struct ReadinessTests {
    private let fixture: RelayFixture

    init() throws {
        fixture = try RelayFixture()
    }

    private static let fine = [
        #"{"checks":{"database":"ok","disk":"ok","key":"ok","queue":"ok"},"#,
        #""ready":true,"waits":[]}"#,
    ].joined()

    /// Asks once, a relay that was not asked before.
    private func answer(_ relay: Relay<SQLiteRelayStore>) async throws -> ApplicationAnswer {
        try await relay.application().test(.router) { client in
            try await client.send(RelayPath.readiness, method: .get)
        }
    }

    private func expect(
        _ relay: Relay<SQLiteRelayStore>,
        _ check: String,
        _ code: String,
        _ location: SourceLocation = #_sourceLocation
    ) async throws {
        let answer = try await answer(relay)
        let body = Self.fine
            .replacingOccurrences(of: #""\#(check)":"ok""#, with: #""\#(check)":"\#(code)""#)
            .replacingOccurrences(of: "true", with: "false")
        #expect(answer.status == .serviceUnavailable, sourceLocation: location)
        #expect(String(buffer: answer.body) == body, sourceLocation: location)
    }

    @Test("says yes in JSON that no cache keeps, and to HEAD without a body")
    func ready() async throws {
        let relay = try fixture.open()
        let answer = try await answer(relay)
        #expect(answer.status == .ok)
        #expect(answer.headers[.contentType] == "application/json")
        #expect(answer.headers[.cacheControl] == "no-store")
        #expect(String(buffer: answer.body) == Self.fine)
        try await relay.application().test(.router) { client in
            let head = try await client.send(RelayPath.readiness, method: .head)
            #expect(head.status == .ok && head.body.readableBytes == 0)
        }
    }

    @Test("says no while the database cannot be written, and yes again after")
    func unwritable() async throws {
        let relay = try fixture.open()
        try relay.store.storage.read { try $0.execute("PRAGMA query_only = 1") }
        try await expect(relay, "database", "storage.read-only")
        try relay.store.storage.read { try $0.execute("PRAGMA query_only = 0") }
        #expect(try await answer(relay).status == .ok)
    }

    @Test("says no, after a bounded wait, while another process keeps the database")
    func kept() async throws {
        let relay = try fixture.open()
        let other = try Connection(path: fixture.folder.path + "/relay.sqlite")
        let readiness = Readiness(
            store: relay.store,
            reserve: .none,
            activity: relay.activity,
            clock: relay.clock,
            logger: relay.logger,
            patience: .milliseconds(20)
        )
        try other.run("BEGIN IMMEDIATE")
        #expect(await readiness.report() == .late)
        #expect(await readiness.report() == .late)
        try other.run("ROLLBACK")
        try await waitUntil { await readiness.report() != .late }
    }

    @Test("says no while the key file is gone, is another one, or is open to others")
    func key() async throws {
        let relay = try fixture.open()
        let path = fixture.folder.path + "/key"
        let kept = try Data(contentsOf: URL(fileURLWithPath: path))
        try FileManager.default.removeItem(atPath: path)
        try await expect(relay, "key", "key.missing")
        #expect(!FileManager.default.fileExists(atPath: path))
        _ = try FileKeyStore(path: path).keys(creating: true)
        try await expect(relay, "key", "key.missing")
        try kept.write(to: URL(fileURLWithPath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
        try await expect(relay, "key", "key.permissions")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        #expect(try await answer(relay).status == .ok)
    }

    @Test("says no while the disk is below its reserve")
    func disk() async throws {
        let relay = try fixture.open { configuration in
            configuration.space = { _ in DiskReserve.Space(free: 1, total: 1 << 40) }
        }
        try await expect(relay, "disk", "disk.reserve")
    }

    @Test("says no when a due mail does not leave and no other mail is attempted")
    func standing() async throws {
        let relay = try fixture.open()
        let token = try await fixture.token(relay)
        try await relay.application().test(.router) { client in
            _ = try await client.put(.new(), MemoRequest(text: "canary"), token: token)
        }
        // The store's clock is the system's.
        let envelope = try relay.store.outbox.entries(in: .queued).first?.envelope
        let queuedAt = try #require(envelope).createdAt
        fixture.clock.advance(queuedAt.since(fixture.clock.now))
        fixture.clock.advance(.seconds(659))
        #expect(try await answer(relay).status == .ok)
        fixture.clock.advance(.seconds(1))
        try await expect(relay, "queue", "queue.standing")
        relay.activity.began(at: fixture.clock.now)
        #expect(try await answer(relay).status == .ok, "other mails leave")
        fixture.clock.advance(.seconds(662))
        try await expect(relay, "queue", "queue.standing")
        try await relay.store.noteMovement(at: fixture.clock.now)
        #expect(try await answer(relay).status == .ok, "mails leave by another relay")
        fixture.clock.advance(.seconds(662))
        try await expect(relay, "queue", "queue.standing")
        let before = try await relay.store.lastMovement()
        try await fixture.deliver(relay)
        #expect(try await relay.store.lastMovement() != before, "an attempt has ended")
        fixture.clock.advance(.seconds(662))
        #expect(try await answer(relay).status == .ok, "nothing is due")
    }

    @Test("names the failures for which mails wait, and nothing of the mails")
    func waits() async throws {
        let relay = try fixture.open()
        let token = try await fixture.token(relay)
        for reason: ReasonCode in ["smtp.relay.550", "smtp.451", "smtp.relay.550"] {
            try await relay.application().test(.router) { client in
                _ = try await client.put(.new(), MemoRequest(text: "canary"), token: token)
            }
            fixture.transport.answer(.tryLater(reason))
            let handlers = relay.delivery(by: fixture.transport).handlers
            let drain = Task { try await relay.store.outbox.drain(handlers) }
            while try relay.store.storage.read({ database in
                try database.first(
                    "SELECT 1 FROM outbox_operation WHERE state = 0 AND due = 0"
                ) { _ in true }
            }) != nil { await Task.yield() }
            drain.cancel()
            _ = try? await drain.value
        }
        let answer = try await answer(relay)
        #expect(answer.status == .ok, "memos are accepted, and wait")
        let body = String(buffer: answer.body)
        #expect(body.hasSuffix(#""waits":["smtp.451","smtp.relay.550"]}"#), "\(body)")
        let condition = try await relay.store.queueCondition(at: fixture.clock.now)
        #expect(condition.waits == ["smtp.relay.550": 2, "smtp.451": 1])
    }

    @Test("writes once, however many ask")
    func oneWrite() async throws {
        let relay = try fixture.open()
        let count = "SELECT total_changes()"
        let before = try relay.store.storage.read { try $0.first(count) { $0.integer(0) } }
        let readiness = Readiness(
            store: relay.store,
            reserve: .none,
            activity: relay.activity,
            clock: relay.clock,
            logger: relay.logger,
            patience: .seconds(3600),
            lifetime: .seconds(3600)
        )
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<64 { group.addTask { await readiness.report().ready } }
            for await ready in group { #expect(ready) }
        }
        #expect(await readiness.report().ready)
        let after = try relay.store.storage.read { try $0.first(count) { $0.integer(0) } }
        #expect(try #require(after) == #require(before) + 1)
    }

    @Test("does not open a database for a request for its health")
    func health() async throws {
        let relay = try fixture.open()
        relay.store.close()
        try await relay.application().test(.router) { client in
            #expect(try await client.send(RelayPath.health, method: .get).status == .ok)
            let ready = try await client.send(RelayPath.readiness, method: .get)
            #expect(ready.status == .serviceUnavailable)
            #expect(String(buffer: ready.body).contains(#""database":"storage.closed""#))
        }
    }
}
