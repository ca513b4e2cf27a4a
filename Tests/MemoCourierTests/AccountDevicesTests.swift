import CourierTesting
import Foundation
import MemoCore
import MemoKit
import OutboxCore
import Synchronization
import Testing

@testable import MemoCourier

/// The list of a person's devices, over a relay that is a function.
@Suite("The devices of an account")
struct AccountDevicesTests {
    private typealias Failure = AccountDevices.Failure

    private static let url = "https://relay.example.org"
    private let device: Device

    init() throws {
        device = try Device(signedInAt: Self.url)
    }

    // MARK: The relay

    /// The requests that have reached the relay: method, URL and the field `Authorization`.
    private final class Requests: Sendable {
        private let all = Mutex<[[String]]>([])
        var list: [[String]] { all.withLock { $0 } }

        func note(_ request: PreparedRequest) {
            let token = request.fields.first { $0.name.lowercased() == "authorization" }?.value
            all.withLock { $0.append([request.method, request.url, token ?? "none"]) }
        }
    }

    private let requests = Requests()

    /// The devices of the box, at a relay that answers each request with this.
    private func devices(
        _ answer: Result<RelayAnswer, RelayFailure>,
        meanwhile: @escaping @Sendable () -> Void = {}
    ) -> AccountDevices {
        let client = RelayClient { [requests] request in
            requests.note(request)
            meanwhile()
            return answer
        }
        return AccountDevices(box: device.box, client: client)
    }

    private func answered(_ status: Int, _ body: String = "") -> Result<RelayAnswer, RelayFailure> {
        let type = body.isEmpty ? "" : "application/json"
        return .success(
            RelayAnswer(status: status, contentType: Array(type.utf8), body: Array(body.utf8))
        )
    }

    private func problem(_ status: Int, _ code: String) -> Result<RelayAnswer, RelayFailure> {
        let members = #""status":\#(status),"code":"\#(code)","retryable":false"#
        return .success(
            RelayAnswer(
                status: status,
                contentType: Array("application/problem+json".utf8),
                body: Array(#"{"type":"about:blank","title":"No.",\#(members)}"#.utf8)
            )
        )
    }

    private func failure(_ work: () async throws(Failure) -> Void) async -> Failure? {
        do throws(Failure) {
            try await work()
            return nil
        } catch {
            return error
        }
    }

    private var standing: AccountStanding {
        get throws { try device.box.accountStanding() }
    }

    // MARK: The list

    @Test("are those that the relay tells of, in its order, asked for by the device's token")
    func list() async throws {
        let body = #"""
            {"devices":[{"id":"d1","name":"This phone","createdAt":2,"current":true},
            {"id":"d2","name":"Old phone","createdAt":1,"usedAt":3,"current":false},{"name":"x"}]}
            """#
        let list = try await devices(answered(200, body)).list()
        #expect(list.map { String(decoding: $0.id, as: UTF8.self) } == ["d1", "d2"])
        #expect(list.map(\.isCurrent) == [true, false])
        #expect(list.map(\.usedAt) == [nil, WallTime(millisecondsSinceEpoch: 3)])
        #expect(requests.list == [["GET", "\(Self.url)/v1/devices", "Bearer first"]])
    }

    @Test("an answer that is not the list is the relay's trouble, and the device stays signed in")
    func noList() async throws {
        let cases: [(Result<RelayAnswer, RelayFailure>, RelayTrouble)] = [
            (answered(200, #"{"devices":1}"#), .notARelay),
            (answered(200, "<html>"), .notARelay),
            (answered(502), .relayFailed(status: 502)),
            (problem(404, "not-found"), .relayFailed(status: 404)),
            (.failure(.unreachable), .unreachable),
            (.failure(.timedOut), .unreachable),
            (.failure(.untrusted), .untrusted),
            (.failure(.answerTooLong), .notARelay),
        ]
        for (answer, trouble) in cases {
            let failure = await failure { () throws(Failure) in
                _ = try await devices(answer).list()
            }
            #expect(failure == .relay(trouble))
        }
        #expect(try standing == .signedIn)
    }

    // MARK: Revoking

    @Test("a revoked device, and one that the relay does not know, are no failure")
    func revokes() async throws {
        for answer in [answered(204), problem(404, "not-found")] {
            try await devices(answer).revoke(Array("d2".utf8))
        }
        let request = ["DELETE", "\(Self.url)/v1/devices/d2", "Bearer first"]
        #expect(requests.list == [request, request])
    }

    @Test("a success of another kind, and the page of a portal, revoke nothing")
    func notRevoked() async throws {
        for (answer, trouble) in [
            (answered(200, "{}"), RelayTrouble.notARelay), (answered(404), .notARelay),
            (answered(500), .relayFailed(status: 500)), (.failure(.connectionLost), .unreachable),
        ] {
            let failure = await failure { () throws(Failure) in
                try await devices(answer).revoke(Array("d2".utf8))
            }
            #expect(failure == .relay(trouble))
        }
    }

    // MARK: The account

    @Test("nobody is signed in: the relay is not asked")
    func noAccount() async throws {
        try device.box.removeAccount()
        let failure = await failure { () throws(Failure) in
            _ = try await devices(answered(204)).list()
        }
        #expect(failure == .device(.noAccount))
        #expect(requests.list == [])
    }

    @Test("an account whose relay is no URL is damaged", arguments: ["ftp://x", ""])
    func damaged(url: String) async throws {
        device.signIn(at: url, token: "first")
        let failure = await failure { () throws(Failure) in
            _ = try await devices(answered(204)).list()
        }
        #expect(failure == .device(.accountDamaged))
        #expect(requests.list == [])
    }

    @Test("a refused token is noted, and said", arguments: [401, 403])
    func refused(status: Int) async throws {
        let refusing = devices(problem(status, "token-revoked"))
        var failures: [Failure?] = []
        failures.append(await failure { () throws(Failure) in _ = try await refusing.list() })
        failures.append(await failure { () throws(Failure) in try await refusing.revoke([0x64]) })
        #expect(failures == [.device(.signedOutElsewhere), .device(.signedOutElsewhere)])
        #expect(try standing == .signedOutElsewhere)
    }

    @Test("a refusal of the former token does not sign out a person who has signed in meanwhile")
    func signedInMeanwhile() async throws {
        let refusing = devices(problem(401, "token-revoked")) { [device] in
            device.signIn(at: Self.url, token: "second")
        }
        let failure = await failure { () throws(Failure) in _ = try await refusing.list() }
        #expect(failure == .device(.signedOutElsewhere))
        #expect(try standing == .signedIn)
    }
}
