import HTTPTypes
import Hummingbird
import MemoCore
import Outbox
import OutboxCore
import RelayAPI
import Testing

@testable import RelayRules
@testable import RelaySQLite
@testable import RelayServer

/// What a stranger does for a day.
enum Attack: String, CaseIterable, Sendable {
    case throwawayAddresses = "asks for codes of throwaway addresses"
    case ownersAddress = "asks for codes of the owner's address, in all spellings"
    case ownersCodes = "tries wrong codes of the owner's address"
    case manyCodes = "tries wrong codes of many addresses"
    case throwawayAccounts = "makes throwaway accounts that send memos"
    case catchAllDomain = "makes accounts of a catch-all domain, and signs in their devices"
    case ownAccounts = "signs in devices of accounts that are older than a week"
    case heldHandles = "keeps all codes alive, and tries none"
}

/// The networks that a stranger has.
enum Networks: String, CaseIterable, Sendable {
    case address = "one IPv4 address"
    case site = "a /48"
    case provider = "a /40"
    case blocks = "40 blocks"

    /// The requests with which a stranger has all codes that these networks get in an hour, and more.
    var requests: Int {
        switch self {
        case .address: 24
        case .site: 44
        case .provider: 56
        case .blocks: 110
        }
    }

    /// The network of a request.
    func network(_ number: Int) -> String {
        switch self {
        case .address: "198.51.100.9"
        case .site: "2001:db8:a00:\(String(number % 65_536, radix: 16))::1"
        case .provider:
            "2001:db8:b\(String(256 + number % 256, radix: 16).dropFirst()):\(number / 256 % 10)::1"
        case .blocks: "\(number % 40 + 20).\(number / 40 % 256).0.1"
        }
    }
}

/// What a stranger's day did to the people of a relay.
struct DayUnderAttack: Equatable, Sendable {
    /// How an owner signs in from a network that the relay has never seen.
    enum WayIn: String, Sendable {
        case digits
        case longCode = "long code"
        case none = "NOT"
    }

    /// The mails about codes and new devices that the relay handed over.
    var mails = 0
    /// The worst of the three sign-ins of the day.
    var way = WayIn.digits
    /// Whether each of the neighbour's memos was accepted.
    var sendsAll = true
}

/// A day of a relay with the limits of its defaults, a stranger, and two people whose accounts are older
/// than a week: an owner who signs in elsewhere, and a neighbour who sends memos from home.
struct StrangersDay {
    private let attack: Attack
    private let networks: Networks
    private let fixture: RelayFixture
    private let relay: Relay<SQLiteRelayStore>
    private let client: ApplicationClient
    private var result = DayUnderAttack()
    private var asked = 0
    private var read = 0
    /// The newest mail to each address.
    private var inbox: [String: String] = [:]
    private var tokens: [String] = []
    /// The number of times at which the neighbour has sent memos.
    private var times = 0

    private static let owner = "owner@home.example"
    private static let home = "203.0.113.7"
    private static let forwarded = HTTPField.Name("X-Forwarded-For")

    static func live(_ attack: Attack, _ networks: Networks) async throws -> DayUnderAttack {
        let fixture = try RelayFixture()
        // A limit of a day counts in steps: each day begins with one.
        let begin = WallTime(millisecondsSinceEpoch: 86_400_000 * 20_000)
        fixture.clock.advance(begin.since(fixture.clock.now))
        let relay = try fixture.open { $0.trustedProxies = 1 }
        let application = relay.application()
        let client = ApplicationClient(
            responder: try await application.responder,
            logger: application.logger,
            description: nil
        )
        var day = StrangersDay(attack, networks, fixture, relay, client)
        return try await day.live()
    }

    private init(
        _ attack: Attack,
        _ networks: Networks,
        _ fixture: RelayFixture,
        _ relay: Relay<SQLiteRelayStore>,
        _ client: ApplicationClient
    ) {
        self.attack = attack
        self.networks = networks
        self.fixture = fixture
        self.relay = relay
        self.client = client
    }

    private mutating func live() async throws -> DayUnderAttack {
        _ = try #require(try await signIn(Self.owner, from: Self.home))
        let grant = try await signIn("neighbour@house.example", from: Self.home)
        let neighbour = try #require(grant).token
        if attack == .ownAccounts {
            for number in 0..<20 {
                fixture.clock.advance(.seconds(3600))
                _ = try await signIn("own\(number)@evil.example", from: networks.network(number))
            }
        }
        fixture.clock.advance(.seconds(8 * 86_400))
        result = DayUnderAttack()
        for hour in 0..<24 {
            for _ in 0..<(hour == 0 ? networks.requests : 3) { try await attackOnce() }
            for _ in 0..<8 {
                try await readMails()
                fixture.clock.advance(.seconds(450))
                try await sendMemos(neighbour)
            }
            if [1, 11, 23].contains(hour) { try await signOwnerIn(hour) }
        }
        _ = try await readMails()
        return result
    }

    // MARK: The people

    /// Eight times an hour: 200 memos in a day.
    private mutating func sendMemos(_ token: String) async throws {
        times += 1
        for _ in 0..<(times * 200 / 192 - (times - 1) * 200 / 192) {
            let status = try await send(token, from: Self.home)
            result.sendsAll = result.sendsAll && status == .accepted
        }
    }

    private mutating func signOwnerIn(_ hour: Int) async throws {
        let grant = try await signIn(Self.owner, from: "192.0.\(hour).1")
        switch grant?.way {
        case .digits?: break
        case .longCode? where result.way == .digits: result.way = .longCode
        case .longCode?: break
        default: result.way = .none
        }
    }

    // MARK: The stranger

    private mutating func attackOnce() async throws {
        let number = asked
        asked += 1
        let network = networks.network(number)
        switch attack {
        case .throwawayAddresses:
            _ = try await ask("a\(number)@d\(number).example", from: network)
        case .ownersAddress:
            let address = number % 3 == 0 ? Self.owner : "Owner+\(number)@home.example"
            _ = try await ask(address, from: network)
        case .ownersCodes:
            try await guess(Self.owner, from: network)
        case .manyCodes:
            try await guess("a\(number)@d\(number).example", from: network)
        case .throwawayAccounts:
            if let grant = try await signIn("a\(number)@evil.example", from: network) {
                tokens.append(grant.token)
            }
            if !tokens.isEmpty {
                for turn in 0..<2 {
                    let token = tokens[(2 * number + turn) % tokens.count]
                    _ = try await send(token, from: network)
                }
            }
        case .catchAllDomain:
            _ = try await signIn("a\(number / 2)@evil.example", from: network)
        case .ownAccounts:
            let own = number % 20
            _ = try await signIn("own\(own)@evil.example", from: networks.network(own))
        case .heldHandles:
            _ = try await ask("a\(number)@evil.example", from: network)
        }
    }

    /// Asks for a code and tries five wrong ones.
    private func guess(_ address: String, from network: String) async throws {
        guard let acceptance = try await ask(address, from: network) else { return }
        for guess in 0..<5 {
            _ = try await client.confirm(
                address: address,
                code: String(repeating: "\(guess)", count: acceptance.digits),
                handle: acceptance.handle,
                from: network
            )
        }
    }

    // MARK: Requests

    private func ask(_ address: String, from network: String) async throws
        -> VerificationAcceptance?
    {
        let answer = try await client.askCode(address, from: network)
        guard answer.status == .accepted else { return nil }
        return try answer.decoded(VerificationAcceptance.self)
    }

    /// Asks for a code, and enters what the inbox has.
    ///
    /// - Returns: `nil` if the device is not signed in.
    private mutating func signIn(
        _ address: String,
        from network: String
    ) async throws -> (token: String, way: DayUnderAttack.WayIn)? {
        guard let acceptance = try await ask(address, from: network) else { return nil }
        try await readMails()
        let isLong = acceptance.longCode == true
        guard let mail = inbox[address] else { return nil }
        let found =
            isLong
            ? mail.firstMatch(of: /(?m)^(\w{4}-){4}\w{4}$/).map { String($0.0) }
            : mail.firstMatch(of: /(?m)^\d{6,10}$/).map { String($0.0) }
        guard let code = found else { return nil }
        let answer = try await client.confirm(
            address: address,
            code: code,
            handle: acceptance.handle,
            from: network
        )
        guard answer.status == .ok else { return nil }
        let token = try answer.decoded(TokenGrant.self).token
        return (token, isLong ? .longCode : .digits)
    }

    private func send(_ token: String, from network: String) async throws -> HTTPResponse.Status {
        let name = try #require(Self.forwarded)
        return try await client.send(
            RelayPath.memo(.new()),
            method: .put,
            RelayJSON.encode(MemoRequest(text: "x")),
            token: token,
            headers: [name: network]
        ).status
    }

    /// Hands over the queued mails about signing in.
    private mutating func readMails() async throws {
        let handlers = relay.delivery(by: fixture.transport).handlers
        try await relay.store.codes.drain(handlers, until: .idle)
        let mails = fixture.transport.mails
        for mail in mails[read...] {
            let text = try DecodedMail(mail.message).text
            // A mail about a device has no code.
            if text.firstMatch(of: /(?m)^(\w{4}-){4}\w{4}$/) != nil {
                inbox[mail.recipient] = text
            }
        }
        result.mails += mails.count - read
        read = mails.count
    }
}
