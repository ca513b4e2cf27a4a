import Foundation
import Hummingbird
import MemoCore
import Outbox
import OutboxCore
import OutboxSQLite
import RelayAPI
import SQLite
import TemporaryFolders
import Testing

@testable import RelayRules
@testable import RelaySQLite
@testable import RelayServer

@Suite("A rotation of the relay's key", .timeLimit(.minutes(60)))
struct KeyRotationTests {
    private let fixture: RelayFixture
    private let now = WallTime(millisecondsSinceEpoch: 1_800_000_000_000)

    init() throws {
        fixture = try RelayFixture()
    }

    private var folder: String { fixture.folder.path }

    private struct Interruption: Error {}

    /// Relay data of every kind that is sealed: the token of a device, and what the relay tells it.
    private func fill() async throws -> (token: String, answers: [String]) {
        let relay = try fixture.open()
        let token = try await fixture.token(relay)
        try await relay.application().test(.router) { client in
            for number in 0..<3 {
                let sent = try await client.put(
                    .new(),
                    MemoRequest(text: "memo \(number)"),
                    token: token
                )
                #expect(sent.status == .accepted)
            }
        }
        let device = try #require(
            try await relay.store.device(tokenHash: DeviceToken(text: token).hash)
        )
        let change = SettingsChange(
            account: device.account,
            name: ChangeName(node: Array(1...16), number: 1, attempt: 1, digest: [1]),
            time: fixture.clock.now,
            settledThrough: 0,
            madeOn: 0,
            fields: ["a": "1"],
            rateKey: [9]
        )
        _ = try await relay.store.change(change, at: fixture.clock.now)
        let operators = try OperatorDatabase(folder: folder)
        try await operators.keep(try mailbox, at: now)
        #expect(try await operators.invite(guest, at: now) == .invited)
        return (token, try await answers(relay, token))
    }

    private func answers(
        _ relay: Relay<SQLiteRelayStore>,
        _ token: String
    ) async throws -> [String] {
        try await relay.application().test(.router) { client in
            var answers: [String] = []
            for path in [RelayPath.devices, RelayPath.settings] {
                let answer = try await client.send(path, method: .get, token: token)
                #expect(answer.status == .ok)
                answers.append(String(buffer: answer.body))
            }
            return answers
        }
    }

    private var guest: MailAddress {
        get throws { try #require(MailAddress("guest@inbox.example")) }
    }

    private var mailbox: OwnMailbox {
        get throws {
            try #require(OwnMailbox(address: guest, user: "guest", password: "of a mailbox"))
        }
    }

    private func storage() throws -> SQLiteStorage {
        try SQLiteStorage(path: folder + "/relay.sqlite")
    }

    private func keyIDs() throws -> [KeyID] {
        try FileKeyStore(path: folder + "/key").keys(creating: false).map(\.id)
    }

    @Test("seals everything under a new key, removes the old one, and loses nothing")
    func whole() async throws {
        let (token, before) = try await fill()
        let old = try keyIDs()
        let report = try OperatorDatabase.rotateKey(in: folder, at: now)
        // Two parts of the secret, address, device, settings, mailbox, invitation, three mails. The new part of the secret is
        // sealed under the new key at once.
        #expect(report.resealed == 9 && report.unreadable == 0)
        #expect(report.isFinished && report.isOldKeyGone && !report.isContinued)
        let new = try keyIDs()
        #expect(new.count == 1 && Set(new).isDisjoint(with: old))
        #expect(try KeyRotation.keysInUse(in: storage()) == Set(new))
        let relay = try fixture.open()
        #expect(try await answers(relay, token) == before)
        try await fixture.deliver(relay)
        let texts = try fixture.transport.mails.map { try DecodedMail($0.message).text }
        #expect(texts.filter { $0.hasPrefix("memo") }.count == 3)
        let kept = try await relay.store.ownMailbox(of: relay.secret.key(of: guest))
        #expect(try kept == mailbox)
        let invitations = try OperatorDatabase(folder: folder).invitations(at: now)
        #expect(try invitations.map(\.address) == [guest])
        // The account of the address is found.
        let second = try await fixture.token(relay)
        let ids = try await [token, second].asyncMap { token in
            try await relay.store.device(tokenHash: DeviceToken(text: token).hash)?.account
        }
        #expect(ids[0] != nil && ids[0] == ids[1])
    }

    @Test("ends the links, tags and cursors of before, and keeps what is stored")
    func secrets() async throws {
        _ = try await fill()
        func codes() throws -> [RelaySecret.Purpose: [UInt8]] {
            let secret = try OperatorDatabase(folder: folder).relaySecret()
            return Dictionary(
                uniqueKeysWithValues: RelaySecret.Purpose.allCases.map {
                    ($0, secret.authenticationCode($0, [1]))
                }
            )
        }
        let before = try codes()
        _ = try OperatorDatabase.rotateKey(in: folder, at: now)
        let after = try codes()
        let changed = RelaySecret.Purpose.allCases.filter { before[$0] != after[$0] }
        #expect(Set(changed) == [.cursor, .accountCursor, .bounce, .revocation, .voucher])
    }

    @Test(
        "that is interrupted after any transaction leaves all readable, and is finished by the next"
    )
    func interrupted() async throws {
        let (token, before) = try await fill()
        var transactions = 0
        while true {
            let old = try keyIDs()
            var count = 0
            do {
                let storage = try storage()
                let sealer = Sealer(
                    store: FileKeyStore(path: folder + "/key"),
                    storage: storage
                )
                var rotation = KeyRotation(storage: storage, sealer: sealer)
                rotation.sealed = { _ in
                    count += 1
                    if count > transactions { throw Interruption() }
                }
                #expect(try !rotation.begin(at: now))
                _ = try rotation.reseal()
                // It was interrupted before the old key was removed.
            } catch is Interruption {}
            #expect(try keyIDs().count == old.count + 1)
            #expect(try await answers(fixture.open(), token) == before)
            let report = try OperatorDatabase.rotateKey(in: folder, at: now)
            #expect(report.isContinued && report.isFinished && report.isOldKeyGone)
            #expect(try keyIDs().count == 1)
            #expect(try await answers(fixture.open(), token) == before)
            guard count > transactions else { break }
            transactions += 1
        }
        // Secret, addresses, devices, settings, invitations, mailboxes, mails.
        #expect(transactions == 7)
    }

    @Test("that made its key, and noted nothing, is begun anew")
    func begun() async throws {
        let (token, before) = try await fill()
        for _ in 0..<2 { _ = try FileKeyStore(path: folder + "/key").addKey() }
        #expect(try await answers(fixture.open(), token) == before)
        let report = try OperatorDatabase.rotateKey(in: folder, at: now)
        #expect(!report.isContinued && report.isFinished)
        #expect(try keyIDs().count == 1)
        #expect(try await answers(fixture.open(), token) == before)
    }

    @Test("is refused while a relay serves, and while another rotation runs")
    func refused() async throws {
        _ = try await fill()
        let old = try keyIDs()
        let claim = try SQLiteRelayStore.claim(folder)
        #expect(throws: KeyRotationError.relayRuns) {
            _ = try OperatorDatabase.rotateKey(in: folder, at: now)
        }
        withExtendedLifetime(claim) {}
        #expect(try keyIDs() == old)
        #expect(throws: KeyRotationError.relay(.noDatabase)) {
            _ = try OperatorDatabase.rotateKey(in: folder + "/none", at: now)
        }
    }

    @Test("keeps the old key while another command has read it, and is finished afterwards")
    func read() async throws {
        _ = try await fill()
        do {
            let reader = try OperatorDatabase(folder: folder)
            _ = try reader.relaySecret()
            let report = try OperatorDatabase.rotateKey(in: folder, at: now)
            #expect(!report.isFinished)
            #expect(try keyIDs().count == 2)
            _ = try reader.relaySecret()
        }
        let report = try OperatorDatabase.rotateKey(in: folder, at: now)
        #expect(report.isContinued && report.isFinished && report.isOldKeyGone)
        #expect(report.resealed == 0)
    }

    @Test("leaves a mail that no key opens, and the key that it names")
    func unreadable() async throws {
        _ = try await fill()
        try storage().write { database in
            try database.execute(
                """
                UPDATE outbox_operation
                SET record = CAST(substr(record, 1, length(record) - 1) || X'00' AS BLOB)
                WHERE entry = (SELECT max(entry) FROM outbox_operation)
                """
            )
        }
        let report = try OperatorDatabase.rotateKey(in: folder, at: now)
        #expect(report.unreadable == 1 && report.isFinished && !report.isOldKeyGone)
        #expect(try keyIDs().count == 2)
    }
}

extension Array {
    fileprivate func asyncMap<Result>(
        _ body: (Element) async throws -> Result
    ) async throws -> [Result] {
        var results: [Result] = []
        for element in self { results.append(try await body(element)) }
        return results
    }
}
