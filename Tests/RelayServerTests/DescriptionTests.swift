import Dispatch
import HTTPTypes
import Hummingbird
import MemoCore
import MemoTexts
import NIOCore
import OutboxCore
import OutboxSQLite
import RelayAPI
import SQLite
import Synchronization
import Testing
import WireCore

@testable import RelayRules
@testable import RelaySQLite
@testable import RelayServer

/// The document at `/openapi.json`, compared with the relay in both directions. The other direction
/// is compared in all tests of the relay, too: ``ApplicationClient`` compares every answer.
@Suite("The description of the API")
struct DescriptionTests {
    private let fixture: RelayFixture
    private let kept = KeptPromises()
    private static let revokedAddress = "revoked@example.org"

    init() throws {
        fixture = try RelayFixture()
    }

    @Test("is served as JSON, says its version, and names every route and no other")
    func routes() async throws {
        let relay = try fixture.open()
        try await relay.application().test(.router) { client in
            let answer = try await client.send(RelayPath.description, method: .get)
            #expect(answer.status == .ok)
            #expect(answer.headers[.contentType] == "application/json")
            #expect(Array(answer.body.readableBytesView) == OpenAPIDocument.bytes)
        }
        #expect(ServedDescription.own.root["openapi"] == .string("3.1.1"))
        let routed = relay.router().routes.filter { $0.method != .head }
            .map { "\($0.method.rawValue.lowercased()) \($0.path)" }
        let described = ServedDescription.own.root["paths"]?.members.flatMap { path, methods in
            methods.members.keys.map { "\($0) \(path)" }
        }
        #expect(Set(routed) == Set(described ?? []))
        #expect(routed.count == Set(routed).count)
    }

    @Test("has no object with two members of one name, of which readers take one or the other")
    func names() {
        func check(_ node: JSON, at path: String) {
            switch node {
            case .object(let members):
                let names = members.map { String(decoding: $0.name, as: UTF8.self) }
                #expect(Set(names).count == names.count, "\(path): \(names)")
                for (name, member) in zip(names, members) {
                    check(member.value, at: "\(path)/\(name)")
                }
            case .array(let nodes): for node in nodes { check(node, at: path) }
            case .null, .bool, .number, .string: break
            }
        }
        check(OpenAPIDocument.root.json, at: "")
    }

    @Test(
        "names no method that a path does not have: the relay answers 405 with the others"
    )
    func otherMethods() async throws {
        let relay = try fixture.open()
        try await relay.application().test(.router) { client in
            for (method, path, allowed) in [
                (HTTPRequest.Method.patch, "/v1/devices", "GET, HEAD"),
                (.options, "//v1/memos/\(OperationID.new())", "PUT, GET, HEAD"),
                (.put, "/v1/memos/changes", "GET, HEAD"), (.get, "/v1/devices/current", "DELETE"),
                (.head, "/v1/send", "POST"), (.delete, "/openapi.json", "GET, HEAD"),
            ] {
                let answer = try await client.send(path, method: method)
                #expect(answer.status == .methodNotAllowed, "\(method) \(path)")
                #expect(answer.headers[.allow] == allowed, "\(method) \(path)")
                if method != .head { #expect(try answer.problemCode() == .methodNotAllowed) }
            }
        }
    }

    @Test("promises no status, problem and header field that the relay never answers")
    func promises() async throws {
        try await grants()
        try await refusals()
        try await slowBodies()
        try await repetitions()
        try await brokenDatabase()
        try await usedUp()
        try await refusedAccounts()
        try await otherHost()
        try await notReady()
        try await noEvents()
        try turnedAway()
        let missing = ServedDescription.own.promises.subtracting(kept.all)
        #expect(missing.isEmpty, "\(missing.sorted())")
    }

    private static func takeEvents(_ configuration: inout RelayConfiguration) throws {
        configuration.mail = .resend(try ResendEventTests.endpoint())
    }

    /// A request of an endpoint that the relay grants, except for what a test changes.
    private struct Ask {
        var path: String
        var method: HTTPRequest.Method
        var token: String?
        var headers = HTTPFields()
        var body: String?

        init(
            _ endpoint: Endpoint,
            token: String?,
            id: String,
            address: String,
            event: ResendEventTests.Event
        ) {
            path = endpoint.path.replacing("{id}", with: id)
            method = endpoint.method
            if endpoint.needsToken { self.token = token }
            if endpoint.path == "\(RelayPath.send)" { headers[DescriptionTests.key] = id }
            switch endpoint.requestBody {
            case "MemoRequest": body = #"{"text":"x"}"#
            case "VerificationRequest": body = #"{"address":"\#(address)"}"#
            case "ConfirmationRequest":
                body = #"{"address":"\#(address)","code":"000000","device":"d","handle":"h"}"#
            case "ErasureRequest": body = #"{"code":"000000","handle":"h"}"#
            case "SettingsRequest":
                body = Self.settings(1)
                if let field = HTTPField.Name("If-None-Match") { headers[field] = "*" }
            case "ChangeIdentity": body = Self.change(1)
            case "ResendEvent":
                body = event.body
                headers = event.headers()
            default: break
            }
        }

        static func change(_ number: Int) -> String {
            let node = String(repeating: "a", count: 32)
            return
                #"{"attempt":1,"digest":"0123456789abcdef","node":"\#(node)","number":\#(number)}"#
        }

        static func settings(_ number: Int, name: String = "a") -> String {
            #"{"change":\#(change(number)),"fields":{"\#(name)":""},"settledThrough":0,"time":0}"#
        }
    }

    private static let key = HTTPField.Name("\(RelayHeader.idempotencyKey)") ?? .accept

    private func see(_ ask: Ask, _ client: ApplicationClient, host: String = "localhost")
        async throws -> ApplicationAnswer
    {
        var headers = ask.headers
        if let token = ask.token { headers[.authorization] = "Bearer \(token)" }
        let answer = try await client.execute(
            uri: ask.path,
            method: ask.method,
            headers: headers,
            body: ask.body.map { ByteBuffer(string: $0) },
            authority: host
        )
        kept.add(ServedDescription.own.compare(ask.method, ask.path, answer).kept)
        return answer
    }

    private func ask(
        _ endpoint: Endpoint,
        token: String? = nil,
        id: OperationID = .new(),
        address: String = "\(OperationID.new())@example.org",
        link: String = "none",
        tag: String = "none"
    ) -> Ask {
        let event = ResendEventTests.Event(
            time: fixture.clock.now,
            body: ResendEventTests.Event.bounced(tag)
        )
        var ask = Ask(
            endpoint,
            token: token,
            id: id.description,
            address: address,
            event: event
        )
        ask.path = ask.path.replacing("{link}", with: link)
        return ask
    }

    private func grants() async throws {
        let relay = try fixture.open(Self.takeEvents)
        let token = try await fixture.token(relay)
        try await relay.application().test(.router) { client in
            let id = OperationID.new()
            for endpoint in [Endpoint.putMemo, .putMemo, .sendMemo, .memoStatus] {
                _ = try await see(ask(endpoint, token: token, id: id), client)
            }
            for (body, status) in [
                (Ask.settings(1), 200), (Ask.settings(2), 412),
            ] {
                var change = ask(.changeSettings, token: token)
                change.body = body
                let answer = try await see(change, client)
                #expect(answer.status.code == status)
                guard let tag = answer.headers[.eTag] else { continue }
                change.headers = [.ifMatch: tag]
                change.body = Ask.settings(3, name: "")
                #expect(try await see(change, client).status == .unprocessableContent)
                change.body = change.body?.replacing("0123", with: "4567")
                #expect(try await see(change, client).status == .conflict)
            }
            _ = try await see(ask(.settingsAnswer, token: token), client)
            // The first answer of the other way to send.
            _ = try await see(ask(.sendMemo, token: token), client)
            for endpoint in Endpoint.all where endpoint.method == .get {
                _ = try await see(ask(endpoint, token: token, id: id), client)
            }
            try await fixture.deliver(relay)
            let address = "new@example.org"
            let asked = try await see(ask(.requestCode, address: address), client)
            let handle = try asked.decoded(VerificationAcceptance.self).handle
            var confirmation = ask(.confirmCode)
            confirmation.body = try String(
                decoding: RelayJSON.encode(
                    ConfirmationRequest(
                        address: address,
                        code: try await fixture.newestCode(relay),
                        device: "d",
                        handle: handle
                    )
                ),
                as: UTF8.self
            )
            let grant = try await see(confirmation, client).decoded(TokenGrant.self)
            let list = try await see(ask(.devices, token: grant.token), client)
            let device = try #require(try list.decoded(DeviceList.self).devices.first)
            var revoke = ask(.revokeDevice, token: grant.token)
            revoke.path = revoke.path.split(separator: "/").dropLast().map { "/\($0)" }.joined()
            revoke.path += "/\(device.id)"
            #expect(try await see(revoke, client).status == .noContent)
            _ = try await see(ask(.revokeCurrentDevice, token: token), client)
            try await erase(relay, client)
            #expect(try await see(ask(.resendEvent), client).status == .noContent)
            for endpoint in [Endpoint.revocationPage, .revokeByLink] {
                let link = try await link(to: grant.token, of: relay)
                #expect(try await see(ask(endpoint, link: link), client).status == .ok)
                #expect(try await see(ask(endpoint), client).status == .gone)
            }
        }
    }

    private func erase(
        _ relay: Relay<SQLiteRelayStore>,
        _ client: ApplicationClient
    ) async throws {
        let address = "erased@example.org"
        let token = try await fixture.token(relay, address: address)
        let asked = try await see(ask(.requestCode, address: address), client)
        let handle = try asked.decoded(VerificationAcceptance.self).handle
        let code = try await fixture.newestCode(relay)
        var erasure = ask(.eraseAccount, token: token)
        erasure.body = #"{"code":"\#(code)","handle":"\#(handle)"}"#
        #expect(try await see(erasure, client).status == .noContent)
    }

    /// The end of the link that signs out the device of a token.
    private func link(to token: String, of relay: Relay<SQLiteRelayStore>) async throws -> String {
        let hash = DeviceToken(text: token).hash
        let device = try #require(try await relay.store.device(tokenHash: hash))
        let new = NewDevice(
            id: device.id,
            account: device.account,
            address: device.address,
            language: .english
        )
        return RevocationRight(to: new, expiresAt: WallTime(millisecondsSinceEpoch: .max)).text(
            relay.secret
        )
    }

    private func refusals() async throws {
        let relay = try fixture.open(Self.takeEvents)
        let token = try await fixture.token(relay, address: "refused@example.org")
        let revoked = try await fixture.token(relay, address: Self.revokedAddress)
        try await relay.application().test(.router) { client in
            _ = try await client.send(RelayPath.currentDevice, method: .delete, token: revoked)
            for endpoint in Endpoint.all {
                for problem in endpoint.problems {
                    var ask = ask(endpoint, token: token)
                    switch problem {
                    case .unauthorized: ask.token = nil
                    case .tokenRevoked: ask.token = revoked
                    case .crossOrigin: ask.headers[.origin] = "https://evil.example"
                    case .malformedBody: ask.body = "no JSON"
                    case .tooLarge:
                        ask.body = nil
                        ask.headers[.contentLength] = "99999999"
                    case .invalidAddress: ask.body = ask.body?.replacing("@", with: " ")
                    case .handleMissing: ask.body = ask.body?.replacing("handle", with: "other")
                    case .emptyMemo: ask.body = #"{"text":""}"#
                    case .idempotencyKeyMissing: ask.headers[Self.key] = nil
                    case .idempotencyKeyMalformed:
                        ask.headers[Self.key] = "none"
                        if endpoint.path.hasSuffix("{id}") { ask.path += "x" }
                    case .cursorForgotten: ask.path += "?after=none"
                    case .preconditionRequired: ask.headers = [:]
                    case .idempotencyKeyReused:
                        _ = try await see(ask, client)
                        ask.body = #"{"text":"y"}"#
                    case .tooManyRequests where !endpoint.ownProblems.contains(problem):
                        // Of those that are turned away.
                        continue
                    case .tooManyRequests where endpoint.needsToken:
                        // Of a relay of its own.
                        continue
                    case .tooManyRequests: _ = try await see(ask, client)
                    case .notFound where endpoint.path == ResendEvent.path:
                        // Another relay's.
                        continue
                    case .codeRejected, .notFound: break
                    case .tooSlow, .inProgress, .unavailable, .quotaExceeded, .internalError,
                        .methodNotAllowed:
                        // Another relay's.
                        continue
                    }
                    #expect(try await see(ask, client).problemCode() == problem)
                }
            }
        }
    }

    /// Every body that does not end.
    private func slowBodies() async throws {
        let fixture = try RelayFixture()
        let token = try await fixture.token(try fixture.open())
        let relay = try fixture.open {
            try Self.takeEvents(&$0)
            $0.connectionBounds.body = ExchangeTime(base: Milliseconds(1), slowestUplink: 1 << 30)
        }
        let application = relay.application()
        let client = ApplicationClient(
            responder: try await application.responder,
            logger: application.logger,
            chunks: { _ in AsyncStream { _ in } }
        )
        for endpoint in Endpoint.all where endpoint.problems.contains(.tooSlow) {
            let answer = try await see(ask(endpoint, token: token), client)
            #expect(try answer.problemCode() == .tooSlow)
        }
    }

    /// Every memo that is sent twice at once, to a relay whose store waits and which does not.
    private func repetitions() async throws {
        let fixture = try RelayFixture()
        let relay = try fixture.open { $0.repetitionPatience = .zero }
        let token = try await fixture.token(relay)
        try await relay.application().test(.router) { client in
            for endpoint in Endpoint.all where endpoint.problems.contains(.inProgress) {
                let ask = ask(endpoint, token: token)
                // The device's use is noted here, which the requests below would wait for.
                _ = try await client.send(RelayPath.devices, method: .get, token: token)
                let end = try await holdWrites(of: relay)
                try await withThrowingTaskGroup(of: ApplicationAnswer.self) { group in
                    defer { end.signal() }
                    for _ in 1...2 { group.addTask { try await see(ask, client) } }
                    let first = try #require(try await group.next())
                    end.signal()
                    #expect(try first.problemCode() == .inProgress)
                    #expect(first.headers[.retryAfter] == "5")
                    #expect(try await group.next()?.status == .accepted)
                }
            }
        }
    }

    /// Keeps the relay from writing until the semaphore is signalled: by the lock of this process, for
    /// which a write waits however long it takes, while a lock in the file is waited for with a limit.
    private func holdWrites(of relay: Relay<SQLiteRelayStore>) async throws -> DispatchSemaphore {
        let end = DispatchSemaphore(value: 0)
        try await withCheckedThrowingContinuation { held in
            DispatchQueue(label: "hold-writes").async {
                do {
                    try relay.store.storage.read { _ in
                        held.resume()
                        end.wait()
                    }
                } catch {
                    held.resume(throwing: error)
                }
            }
        }
        return end
    }

    private func brokenDatabase() async throws {
        let fixture = try RelayFixture()
        let relay = try fixture.open(Self.takeEvents)
        let token = try await fixture.token(relay)
        let link = try await link(to: token, of: relay)
        let tag = relay.secret.bounceTag(of: .new())
        for table in ["device", "mailed_code", "code_request", "memo"] {
            try relay.store.storage.read {
                try $0.execute("ALTER TABLE \(table) RENAME TO gone_\(table)")
            }
        }
        try await relay.application().test(.router) { client in
            for endpoint in Endpoint.all where endpoint.problems.contains(.unavailable) {
                let ask = ask(endpoint, token: token, link: link, tag: tag)
                let answer = try await see(ask, client)
                #expect(try answer.problemCode() == .unavailable)
            }
        }
    }

    private func usedUp() async throws {
        let fixture = try RelayFixture()
        let relay = try fixture.open { $0.memoLimits.device = DeviceLimits(perMinute: 1) }
        let token = try await fixture.token(relay)
        try await relay.application().test(.router) { client in
            _ = try await see(ask(.putMemo, token: token), client)
            for endpoint in Endpoint.all where endpoint.problems.contains(.quotaExceeded) {
                let answer = try await see(ask(endpoint, token: token), client)
                #expect(try answer.problemCode() == .quotaExceeded)
            }
            for number in 1...(SettingsRate.perHour + 1) {
                var change = ask(.changeSettings, token: token)
                change.body = Ask.settings(number)
                let answer = try await see(change, client)
                guard number > SettingsRate.perHour else { continue }
                #expect(try answer.problemCode() == .tooManyRequests)
            }
        }
    }

    /// Refusals of memos whose sender is known.
    private func refusedAccounts() async throws {
        let fixture = try RelayFixture()
        let token = try await fixture.token(try fixture.open())
        let relay = try fixture.open {
            $0.space = { _ in DiskReserve.Space(free: 1, total: 1 << 40) }
        }
        let long = String(repeating: "x", count: MemoRule.longest + 1)
        for (relay, body, status) in [
            (relay, nil, .serviceUnavailable),
            (try fixture.open(), #"{"text":"\#(long)"}"#, .contentTooLarge),
        ] as [(Relay<SQLiteRelayStore>, String?, HTTPResponse.Status)] {
            try await relay.application().test(.router) { client in
                for endpoint in Endpoint.all
                where body == nil
                    ? endpoint.refusesKnownAccounts : endpoint.problems.contains(.quotaExceeded)
                {
                    var ask = ask(endpoint, token: token)
                    ask.body = body ?? ask.body
                    let answer = try await see(ask, client)
                    #expect(answer.status == status)
                }
            }
        }
    }

    private func otherHost() async throws {
        let url = try #require(PublicURL("https://memo.example"))
        let fixture = try RelayFixture()
        let relay = try fixture.open { $0.publicURL = url }
        let token = try await fixture.token(relay)
        try await relay.application().test(.router) { client in
            for endpoint in Endpoint.all where !endpoint.admitsEveryHost {
                let ask = ask(endpoint, token: endpoint.needsToken ? token : nil)
                let answer = try await see(ask, client, host: "evil.example")
                #expect(answer.status == .misdirectedRequest)
            }
        }
    }

    /// What ``RequestGate`` answers in place of every endpoint.
    private func turnedAway() throws {
        let gate = RequestGate(
            rates: RequestRates(perSecond: 1),
            source: RequestSource(trustedProxies: 0),
            metrics: RelayMetrics(),
            policy: MemoLimits().policies
        )
        for endpoint in Endpoint.all {
            let ask = ask(endpoint)
            let answer = gate.answer(toPath: ask.path)
            let found = ServedDescription.own.compare(
                ask.method,
                ask.path,
                ApplicationAnswer(head: answer.head, body: answer.body)
            )
            #expect(found.faults.isEmpty, "\(found.faults)")
            kept.add(found.kept)
        }
    }

    private func noEvents() async throws {
        let relay = try RelayFixture().open()
        try await relay.application().test(.router) { client in
            let answer = try await see(ask(.resendEvent), client)
            #expect(try answer.problemCode() == .notFound)
        }
    }

    private func notReady() async throws {
        let relay = try RelayFixture().open {
            $0.space = { _ in DiskReserve.Space(free: 1, total: 1 << 40) }
        }
        try await relay.application().test(.router) { client in
            let answer = try await see(ask(.readiness), client)
            #expect(answer.status == .serviceUnavailable)
        }
    }
}

/// What the document says and the relay has done.
private final class KeptPromises: Sendable {
    private let kept = Mutex<Set<String>>([])

    var all: Set<String> { kept.withLock { $0 } }

    func add(_ more: Set<String>) {
        kept.withLock { $0.formUnion(more) }
    }
}
