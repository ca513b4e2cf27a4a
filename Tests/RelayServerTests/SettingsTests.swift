import HTTPTypes
import Hummingbird
import MemoCore
import OfflineFirstTesting
import Outbox
import OutboxCore
import OutboxSQLite
import OutboxTesting
import RelayAPI
import SQLite
import SyncCore
import TemporaryFolders
import TestSeeds
import Testing

@testable import RelayRules
@testable import RelaySQLite
@testable import RelayServer

@Suite("Shared settings")
struct SettingsTests {
    private let fixture: RelayFixture

    init() throws {
        fixture = try RelayFixture()
    }

    private static func request(
        _ number: Int64 = 1,
        _ fields: [String: String] = ["language": "de"],
        node: String = String(repeating: "ab", count: 16),
        time: Int64 = 0
    ) -> SettingsRequest {
        SettingsRequest(
            change: ChangeIdentity(
                node: node,
                number: number,
                attempt: 1,
                digest: "0123456789abcdef"
            ),
            time: time,
            settledThrough: 0,
            fields: fields
        )
    }

    private func put(
        _ request: SettingsRequest,
        _ client: ApplicationClient,
        _ token: String?,
        match: String? = nil
    ) async throws -> ApplicationAnswer {
        let condition: HTTPFields = match.map { [.ifMatch: $0] } ?? [.ifNoneMatch: "*"]
        return try await put(RelayJSON.encode(request), condition, client, token)
    }

    private func put(
        _ body: [UInt8],
        _ condition: HTTPFields,
        _ client: ApplicationClient,
        _ token: String?
    ) async throws -> ApplicationAnswer {
        try await client.send(
            RelayPath.settings,
            method: .put,
            body,
            token: token,
            headers: condition
        )
    }

    private func settings(
        _ client: ApplicationClient,
        _ token: String
    ) async throws -> ApplicationAnswer {
        try await client.send(RelayPath.settings, method: .get, token: token)
    }

    @Test("of one device are found by the others, with their version as the entity tag")
    func shared() async throws {
        let relay = try fixture.open()
        let tokens = [try await fixture.token(relay), try await fixture.token(relay)]
        let stranger = try await fixture.token(relay, address: "stranger@example.org")
        try await relay.application().test(.router) { client in
            #expect(try await settings(client, tokens[0]).status == .notFound)
            let answer = try await put(Self.request(time: 7), client, tokens[0])
            #expect(answer.status == .ok)
            let accepted = try answer.decoded(SettingsAnswer.self)
            #expect(accepted.answer == .accepted && accepted.time == 7)
            let version = try #require(accepted.version)
            #expect(answer.headers[.eTag] == "\"\(version)\"")
            for token in tokens {
                let found = try await settings(client, token)
                #expect(found.headers[.eTag] == "\"\(version)\"")
                let shared = try found.decoded(SharedSettings.self)
                #expect(shared.version == version)
                #expect(shared.fields["language"]?.value == "de")
                #expect(shared.fields["language"]?.node == String(repeating: "ab", count: 16))
            }
            #expect(try await settings(client, stranger).status == .notFound)
        }
    }

    @Test("that have changed meanwhile come with the 412, and nothing is written")
    func met() async throws {
        let relay = try fixture.open()
        let token = try await fixture.token(relay)
        try await relay.application().test(.router) { client in
            let first = try await put(Self.request(), client, token)
            let tag = try #require(first.headers[.eTag])
            let second = Self.request(2, ["signature": "Anna"])
            #expect(try await put(second, client, token).status == .preconditionFailed)
            let next = Self.request(3, ["signature": "Anna"])
            #expect(try await put(next, client, token, match: tag).status == .ok)
            let late = try await put(Self.request(4, ["language": "fr"]), client, token, match: tag)
            #expect(late.status == .preconditionFailed)
            let answer = try late.decoded(SettingsAnswer.self)
            #expect(answer.answer == .conflict)
            #expect(
                answer.settings?.fields.mapValues(\.value)
                    == ["language": "de", "signature": "Anna"]
            )
        }
    }

    @Test("whose answer was lost are answered to the question, and to a repetition")
    func lost() async throws {
        let relay = try fixture.open()
        let token = try await fixture.token(relay)
        try await relay.application().test(.router) { client in
            let request = Self.request()
            let asked = try await client.post(
                RelayPath.settingsAnswer,
                request.change,
                token: token
            )
            #expect(asked.status == .notFound)
            let first = try await put(request, client, token)
            let again = try await put(request, client, token)
            let told = try await client.post(RelayPath.settingsAnswer, request.change, token: token)
            #expect(told.status == .ok && again.status == .ok)
            #expect(first.body == again.body && first.body == told.body)
            var copy = request
            copy.change.digest = "ffffffffffffffff"
            #expect(try await put(copy, client, token).status == .conflict)
        }
    }

    @Test("are changed only on a version that the request says")
    func conditions() async throws {
        let relay = try fixture.open()
        let token = try await fixture.token(relay)
        let body = try RelayJSON.encode(Self.request())
        try await relay.application().test(.router) { client in
            for headers: HTTPFields in [
                [:], [.ifMatch: "*"], [.ifNoneMatch: "\"1\""],
                [.ifMatch: "\"1\"", .ifNoneMatch: "*"],
            ] {
                let answer = try await put(body, headers, client, token)
                #expect(try answer.problemCode() == .preconditionRequired, "\(headers)")
            }
            for tag in ["W/\"1\"", "\"0\"", "\"1\", \"2\"", "1", "\"01\"", "\"-1\""] {
                let answer = try await put(body, [.ifMatch: tag], client, token)
                #expect(answer.status == .preconditionFailed, "\(tag)")
            }
            #expect(try await settings(client, token).status == .notFound)
        }
    }

    @Test("whose change is not well-formed are refused")
    func malformed() async throws {
        let relay = try fixture.open()
        let token = try await fixture.token(relay)
        var requests = [Self.request(0), Self.request(1 << 53), Self.request(node: "AB")]
        requests += [Self.request(node: String(repeating: "AB", count: 16))]
        requests.append(Self.request(time: 1 << 53))
        var settled = Self.request()
        settled.settledThrough = -1
        var attempt = Self.request()
        attempt.change.attempt = -1
        var digest = Self.request()
        digest.change.digest = "0"
        requests += [settled, attempt, digest]
        try await relay.application().test(.router) { [requests] client in
            for request in requests {
                let answer = try await put(request, client, token)
                #expect(try answer.problemCode() == .malformedBody)
            }
            let long = Self.request(1, ["a": String(repeating: "x", count: 60_000)])
            #expect(try await put(long, client, token).problemCode() == .tooLarge)
            let refused = try await put(Self.request(1, ["": ""]), client, token)
            #expect(refused.status == .unprocessableContent)
            #expect(try refused.decoded(SettingsAnswer.self).reason == "bad-name")
        }
    }

    @Test("are not taken while the disk's reserve is used, and answered answers are")
    func reserve() async throws {
        let token = try await fixture.token(try fixture.open())
        try await fixture.open().application().test(.router) { client in
            let answer = try await put(Self.request(), client, token)
            #expect(answer.status == .ok)
        }
        let full = try fixture.open {
            $0.space = { _ in DiskReserve.Space(free: 1, total: 1 << 40) }
        }
        try await full.application().test(.router) { client in
            #expect(try await put(Self.request(), client, token).status == .ok)
            let next = try await put(Self.request(2), client, token)
            #expect(try next.problemCode() == .unavailable)
        }
    }

    @Test("are sealed: neither the database nor its log has a value, a name or a digest")
    func sealed() async throws {
        let relay = try fixture.open()
        let token = try await fixture.token(relay)
        let value = "Grüße von der kleinen Insel"
        try await relay.application().test(.router) { client in
            let answer = try await put(Self.request(1, ["signature": value]), client, token)
            #expect(answer.status == .ok)
        }
        let digest: [UInt8] = [0x01, 0x23, 0x45, 0x67, 0x89, 0xAB, 0xCD, 0xEF]
        for secret in [Array(value.utf8), Array("signature".utf8), digest] {
            for bytes in try fixture.folder.allBytes() {
                #expect(!bytes.contains(secret))
            }
        }
        for line in fixture.log.lines { #expect(!"\(line)".contains("signature")) }
    }

    @Test("have numbers after those of the memos of a former relay")
    func formerRelay() async throws {
        var relay = try fixture.open()
        let token = try await fixture.token(relay)
        try await relay.application().test(.router) { client in
            for _ in 1...3 {
                _ = try await client.put(.new(), MemoRequest(text: "x"), token: token)
            }
        }
        try relay.store.storage.write { database in
            try database.execute(
                """
                DROP TABLE account_change;
                DROP TABLE account_settings;
                DROP TABLE change_ledger;
                DROP TABLE schema_component;
                DROP INDEX device_change;
                ALTER TABLE device DROP COLUMN change;
                """
            )
        }
        relay = try fixture.open()
        try await relay.application().test(.router) { client in
            let answer = try await put(Self.request(), client, token)
            let version = try answer.decoded(SettingsAnswer.self).version
            #expect(version ?? 0 > 3)
            let memo = OperationID.new()
            _ = try await client.put(memo, MemoRequest(text: "x"), token: token)
            let list = try await client.send(RelayPath.memoChanges, method: .get, token: token)
            #expect(try list.decoded(MemoChanges.self).changes.last?.id == "\(memo)")
        }
    }

    /// The naive server of the worlds of `SyncCore` is the oracle: any course of requests of two nodes
    /// gets the same answers from both.
    @Test(
        "are answered as the naive server answers that keeps every duty to a device",
        arguments: TestSeeds["relay-settings"]
    )
    func oracle(seed: UInt64) async throws {
        let folder = try TemporaryFolder()
        let store = try SQLiteRelayStore(
            folder: folder.path,
            keys: FileKeyStore(path: folder.file("key"))
        )
        var random = SeededRandom(seed: seed)
        for course in 0..<40 {
            let account = AccountID(bits: OperationID(high: 1, low: UInt64(course)))
            try store.storage.write { database in
                try database.run(
                    "INSERT INTO account(id, address_key, address, created_at) VALUES(?1, ?1, ?1, 0)",
                    .blob(account.bits.bytes)
                )
            }
            var now = WallTime(millisecondsSinceEpoch: 1_800_000_000_000)
            var reference = ReferenceServer(now: now)
            for _ in 0..<30 {
                now = now.advanced(by: Milliseconds(Int64.random(in: 0...90_000, using: &random)))
                reference.now = now
                let number = UInt64.random(in: 1...5, using: &random)
                let content = UInt8.random(in: 0...1, using: &random)
                let node = UInt64.random(in: 1...2, using: &random)
                let ahead = Int64.random(in: -200_000...200_000, using: &random)
                let row = reference.rows.values.first
                let version = row?.version ?? 0
                let madeOn = Bool.random(using: &random) ? version : version + 1
                let push = PushRequest(
                    stamp: Stamp(
                        time: WallTime(
                            millisecondsSinceEpoch: now.millisecondsSinceEpoch + ahead
                        ),
                        id: ChangeID(number: number, node: NodeID(high: 0, low: node))
                    ),
                    attempt: UInt32.random(in: 1...2, using: &random),
                    key: RecordKey(kind: [1], id: [1]),
                    madeOn: madeOn,
                    write: .put([Field(name: Array("a".utf8), value: [0x30 + content])]),
                    settledThrough: UInt64.random(in: 0..<number, using: &random) / 2
                )
                let change = Self.change(push, of: account)
                let asked = try await store.answer(
                    to: change.name,
                    of: account,
                    isRepeated: false
                )
                #expect(Self.summary(asked) == Self.summary(reference.answer(push.question)))
                let told = try await store.change(change, at: now)
                #expect(Self.summary(told) == Self.summary(reference.push(push).0))
                let settings = try await store.settings(of: account)
                let field = reference.rows.values.first?.fields.first
                #expect(settings.map { UInt64($0.version) } == reference.rows.values.first?.version)
                #expect(settings?.fields["a"]?.value.utf8.first == field?.value.first)
                #expect(
                    settings?.fields["a"]?.time == field?.stamp.time.millisecondsSinceEpoch
                )
            }
        }
    }

    private static func change(_ push: PushRequest, of account: AccountID) -> SettingsChange {
        let id = push.stamp.id
        return SettingsChange(
            account: account,
            name: ChangeName(
                node: Array(repeating: UInt8(id.node.low), count: 16),
                number: Int64(id.number),
                attempt: Int64(push.attempt),
                digest: bigEndian(push.digest)
            ),
            time: push.stamp.time,
            settledThrough: Int64(push.settledThrough),
            madeOn: Int64(push.madeOn),
            fields: ["a": String(decoding: push.write.fields[0].value, as: UTF8.self)],
            rateKey: [9] + account.bits.bytes
        )
    }

    private static func summary(_ answer: SettingsDecision?) -> String {
        switch answer {
        case nil: "none"
        case .accepted(let version, let time): "\(version) \(time.millisecondsSinceEpoch)"
        case .conflict(_, let time): "conflict \(time.millisecondsSinceEpoch)"
        case .refused: "refused"
        case .newNode: "new node"
        case .wait: "wait"
        }
    }

    private static func summary(_ answer: PushAnswer?) -> String {
        switch answer {
        case nil: "none"
        case .accepted(_, let version, let stamp):
            "\(version) \(stamp.time.millisecondsSinceEpoch)"
        case .conflict(_, let stamp): "conflict \(stamp.time.millisecondsSinceEpoch)"
        case .refused: "refused"
        case .newNode: "new node"
        }
    }
}
