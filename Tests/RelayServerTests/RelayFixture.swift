import HTTPTypes
import Hummingbird
import Logging
import MemoCore
import NIOCore
import Outbox
import OutboxCore
import RelayAPI
import Synchronization
import TemporaryFolders
import Testing

@testable import RelayRules
@testable import RelaySQLite
@testable import RelayServer

/// Keeps mails in memory, or answers with the outcome that a test asks for.
final class RecordingTransport: MailTransport {
    private let state = Mutex<(mails: [QueuedMail], outcome: MailOutcome)>(([], .accepted))

    private let window = Mutex<Milliseconds?>(nil)
    private let script = Mutex<[@Sendable () -> MailOutcome]>([])

    var mails: [QueuedMail] { state.withLock { $0.mails } }
    var repetitionWindow: Milliseconds? { window.withLock { $0 } }

    func isUnknown(_ reason: ReasonCode) -> Bool { reason == "test.unknown" }

    /// Forgets mails after a time, as a provider does.
    func recognisesRepetitions(for time: Milliseconds) { window.withLock { $0 = time } }

    func answer(_ outcome: MailOutcome) {
        state.withLock { $0.outcome = outcome }
    }

    /// Answers the next attempts, one each. The time of each attempt passes on the clock.
    func answer(_ script: [(MailOutcome, Milliseconds)], _ clock: SettableClock) {
        let answers = script.map { outcome, time -> @Sendable () -> MailOutcome in
            {
                clock.advance(time)
                return outcome
            }
        }
        self.script.withLock { $0 = answers }
    }

    func deliver(_ mail: QueuedMail) async -> MailOutcome {
        let scripted = script.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        return state.withLock { state in
            state.mails.append(mail)
            return scripted?() ?? state.outcome
        }
    }
}

/// A wall clock that stands still until a test sets it. Waits in a process pass as ever.
final class SettableClock: Sendable {
    private let time = Mutex(OutboxClock.system.wallTime())

    var now: WallTime { time.withLock { $0 } }

    /// The clock of a relay and of its mail queue.
    var clock: OutboxClock {
        var clock = OutboxClock.system
        clock.wallTime = { self.now }
        return clock
    }

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
        _ configure: (inout RelayConfiguration) throws -> Void = { _ in }
    ) throws -> Relay<SQLiteRelayStore> {
        let from = try #require(MailAddress("memo@relay.example"))
        var configuration = RelayConfiguration(
            store: .folder(folder.path),
            mail: .maildir(path: folder.path + "/unused"),
            from: from
        )
        // A test of a busy machine is no test of a slow database.
        configuration.readinessPatience = .seconds(3600)
        try configure(&configuration)
        return try Relay(
            configuration: configuration,
            logger: log.logger("relay"),
            queueLogger: log.logger("outbox"),
            clock: clock.clock
        ) { settings in
            // Not the one of a relay that serves, which a second relay cannot open meanwhile.
            try SQLiteRelayStore(
                folder: folder.path,
                keys: FileKeyStore(path: settings.keyPath),
                policy: settings.mailPolicy,
                clock: settings.clock,
                log: settings.log,
                fateLost: settings.fateLost
            )
        }
    }

    /// Delivers queued mails until the queue is idle.
    func deliver(_ relay: Relay<SQLiteRelayStore>) async throws {
        let handlers = relay.delivery(by: transport).handlers
        try await relay.store.codes.drain(handlers, until: .idle)
        try await relay.store.outbox.drain(handlers, until: .idle)
    }

    /// The digits of the newest verification mail.
    func newestCode(_ relay: Relay<SQLiteRelayStore>) async throws -> String {
        try await deliver(relay)
        let lines = try transport.mails.flatMap {
            try DecodedMail($0.message).text.split(separator: "\n")
        }
        return try #require(
            lines.last { $0.count >= 6 && $0.allSatisfy(\.isNumber) }.map(String.init)
        )
    }

    /// The long code of the newest verification mail to an address.
    func newestLongCode(
        _ relay: Relay<SQLiteRelayStore>,
        to address: String = RelayFixture.address
    ) async throws -> String {
        try await deliver(relay)
        let lines = try transport.mails.filter { $0.recipient == address }.flatMap {
            try DecodedMail($0.message).text.split(separator: "\n")
        }
        let code = lines.last { $0.wholeMatch(of: /(\w{4}-){4}\w{4}/) != nil }
        return String(try #require(code))
    }

    /// Signs a device in.
    func token(
        _ relay: Relay<SQLiteRelayStore>,
        address: String = RelayFixture.address,
        language: String? = nil
    ) async throws -> String {
        try await relay.application().test(.router) { client in
            let asked = try await client.post(
                RelayPath.verifications,
                VerificationRequest(address: address, language: language)
            )
            #expect(asked.status == .accepted)
            let handle = try asked.decoded(VerificationAcceptance.self).handle
            let code = try await newestCode(relay)
            let answer = try await client.confirm(address: address, code: code, handle: handle)
            #expect(answer.status == .ok)
            return try answer.decoded(TokenGrant.self).token
        }
    }

    static let address = "somebody@example.org"
}

extension ApplicationClient {
    func post(
        _ path: some CustomStringConvertible & Sendable,
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

    /// - Parameter network: The network that a proxy in front of the relay names.
    func askCode(_ address: String, from network: String? = nil) async throws -> ApplicationAnswer {
        try await post(
            RelayPath.verifications,
            VerificationRequest(address: address),
            headers: Self.fields(of: network)
        )
    }

    func confirm(
        address: String,
        code: String,
        handle: String?,
        from network: String? = nil
    ) async throws -> ApplicationAnswer {
        try await post(
            RelayPath.confirmations,
            ConfirmationRequest(address: address, code: code, device: "laptop", handle: handle),
            headers: Self.fields(of: network)
        )
    }

    private static func fields(of network: String?) -> HTTPFields {
        var headers = HTTPFields()
        if let network, let field = HTTPField.Name("X-Forwarded-For") { headers[field] = network }
        return headers
    }

    func send(
        _ path: some CustomStringConvertible & Sendable,
        method: HTTPRequest.Method,
        _ body: [UInt8]? = nil,
        token: String? = nil,
        headers: HTTPFields = [:],
        declaresLength: Bool = true
    ) async throws -> ApplicationAnswer {
        var headers = headers
        if let token { headers[.authorization] = "Bearer \(token)" }
        return try await execute(
            uri: path.description,
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
        #expect(headers[.contentType] == "\(RelayMediaType.problem)")
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
