import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import Outbox
import OutboxCore
import RelayAPI
import Synchronization
import TemporaryFolders
import Testing

@testable import RelayServer

/// Keeps mails in memory, or answers with the outcome that a test asks for.
final class RecordingTransport: MailTransport {
    private let state = Mutex<(mails: [QueuedMail], outcome: MailOutcome)>(([], .accepted))

    var mails: [QueuedMail] { state.withLock { $0.mails } }

    func answer(_ outcome: MailOutcome) {
        state.withLock { $0.outcome = outcome }
    }

    func deliver(_ mail: QueuedMail) async -> MailOutcome {
        state.withLock { state in
            state.mails.append(mail)
            return state.outcome
        }
    }
}

/// A clock that a test sets.
final class SettableClock: Sendable {
    private let time = Mutex(OutboxClock.system.wallTime())

    var now: WallTime { time.withLock { $0 } }

    func advance(_ wait: Milliseconds) {
        time.withLock { $0 = $0.advanced(by: wait) }
    }
}

/// A relay in a folder of its own, which can be opened again as after a restart.
final class RelayFixture: Sendable {
    let folder: TemporaryFolder
    let clock = SettableClock()
    let transport = RecordingTransport()
    let log = RecordedLog()

    init() throws {
        folder = try TemporaryFolder()
    }

    func open(
        _ configure: (inout RelayConfiguration) -> Void = { _ in }
    ) throws -> Relay<SQLiteRelayStore> {
        let from = try #require(MailAddress("memo@relay.example"))
        var configuration = RelayConfiguration(
            dataFolder: folder.path,
            mail: .maildir(path: folder.path + "/unused"),
            from: from
        )
        configure(&configuration)
        return try Relay(
            configuration: configuration,
            logger: log.logger("relay"),
            queueLogger: log.logger("outbox"),
            clock: { [clock] in clock.now }
        )
    }

    /// Delivers queued mails until the queue is idle.
    func deliver(_ relay: Relay<SQLiteRelayStore>) async throws {
        try await relay.store.outbox.drain(
            relay.delivery(by: transport).handlers,
            until: .idle
        )
    }

    /// The digits of the newest verification mail.
    func newestCode(_ relay: Relay<SQLiteRelayStore>) async throws -> String {
        try await deliver(relay)
        let mail = try #require(transport.mails.last)
        let text = try DecodedMail(mail.message).text
        return try #require(
            text.split(separator: "\n").first { $0.count == 6 && $0.allSatisfy(\.isNumber) }
                .map(String.init)
        )
    }

    /// Signs a device in.
    func token(
        _ relay: Relay<SQLiteRelayStore>,
        address: String = RelayFixture.address
    ) async throws -> String {
        try await relay.application().test(.router) { client in
            let asked = try await client.post(
                RelayPath.verifications,
                VerificationRequest(address: address)
            )
            #expect(asked.status == .accepted)
            let code = try await newestCode(relay)
            let answer = try await client.confirm(address: address, code: code)
            #expect(answer.status == .ok)
            return try answer.decoded(TokenGrant.self).token
        }
    }

    static let address = "somebody@example.org"
}

extension ApplicationClient {
    func post(
        _ path: String,
        _ body: some Encodable,
        token: String? = nil,
        headers: HTTPFields = [:]
    ) async throws -> ApplicationAnswer {
        try await send(path, method: .post, RelayJSON.encode(body), token: token, headers: headers)
    }

    func put(
        _ id: OperationID,
        _ memo: MemoRequest,
        token: String?
    ) async throws -> ApplicationAnswer {
        try await send(RelayPath.memo(id), method: .put, RelayJSON.encode(memo), token: token)
    }

    func confirm(address: String, code: String) async throws -> ApplicationAnswer {
        try await post(
            RelayPath.confirmations,
            ConfirmationRequest(address: address, code: code, device: "laptop")
        )
    }

    func send(
        _ path: String,
        method: HTTPRequest.Method,
        _ body: [UInt8]? = nil,
        token: String? = nil,
        headers: HTTPFields = [:],
        declaresLength: Bool = true
    ) async throws -> ApplicationAnswer {
        var headers = headers
        if let token { headers[.authorization] = "Bearer \(token)" }
        return try await execute(
            uri: path,
            method: method,
            headers: headers,
            body: body.map { ByteBuffer(bytes: $0) },
            declaresLength: declaresLength
        )
    }
}

extension ApplicationAnswer {
    func decoded<Value: Decodable>(_: Value.Type) throws -> Value {
        try RelayJSON.decode(Value.self, from: Array(body.readableBytesView))
    }

    /// The problem's code, of an answer that is one in every respect.
    func problemCode() throws -> ProblemCode {
        let problem = try decoded(Problem.self)
        #expect(headers[.contentType] == RelayMediaType.problem)
        #expect(problem.status == status.code)
        return problem.code
    }
}

extension OperationID {
    static func new() -> OperationID {
        var random = SystemRandomNumberGenerator()
        return OperationID(high: random.next(), low: random.next())
    }
}
