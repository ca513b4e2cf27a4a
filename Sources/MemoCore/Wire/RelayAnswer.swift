public import OutboxCore
public import WireCore

/// An answer that arrived whole, from the relay or from a server in between.
///
/// Terminal and web app take the parts from HTTP; what the answer means is said here.
public struct RelayAnswer: Hashable, Sendable {
    /// The HTTP status.
    public var status: Int
    /// In lower case, without parameters.
    private let mediaType: [UInt8]
    private let retryAfter: [UInt8]
    private let rateLimit: [UInt8]
    private let date: [UInt8]
    private let relayTimeField: [UInt8]
    private let relayVersionField: [UInt8]
    /// The body, perhaps not yet whole.
    public var body: [UInt8]

    /// Makes an answer of its parts; a field that the answer does not have is empty.
    ///
    /// - Parameters:
    ///   - contentType: The field's value, with or without parameters.
    ///   - retryAfter: The field's value, without white space around it.
    ///   - rateLimit: The field's value.
    ///   - date: The field's value, without white space around it.
    ///   - relayTime: The field's value, without white space around it.
    ///   - relayVersion: The field's value, without white space around it.
    public init(
        status: Int,
        contentType: [UInt8] = [],
        retryAfter: [UInt8] = [],
        rateLimit: [UInt8] = [],
        date: [UInt8] = [],
        relayTime: [UInt8] = [],
        relayVersion: [UInt8] = [],
        body: [UInt8] = []
    ) {
        self.status = status
        mediaType = contentType.prefix { $0 != 0x3B && $0 != 0x20 && $0 != 0x09 }.map {
            0x41...0x5A ~= $0 ? $0 | 0x20 : $0
        }
        self.retryAfter = retryAfter
        self.rateLimit = rateLimit
        self.date = date
        relayTimeField = relayTime
        relayVersionField = relayVersion
        self.body = body
    }

    /// The relay's clock at its answer; `nil` for an answer that does not tell it, such as a proxy's.
    public var relayTime: WallTime? {
        JSON(decoding: relayTimeField)?.number.map { WallTime(millisecondsSinceEpoch: $0) }
    }

    /// The number of the account's change that a `DELETE` has made; `nil` where the answer does not
    /// tell it.
    public var relayVersion: UInt64? { JSON(decoding: relayVersionField)?.number?.changeNumber }

    /// The members of a body of JSON, whatever the status: an answer about a change of the settings has
    /// them beside an error.
    package var members: JSON? {
        guard mediaType == RelayMediaType.json, let json = JSON(decoding: body),
            case .object = json
        else { return nil }
        return json
    }

    /// The body's members, when this is a success of our relay. A captive portal answers 200, too.
    public var success: JSON? {
        200..<300 ~= status ? members : nil
    }

    /// The problem that the relay states. `nil` for an answer that is not our relay's own: an error
    /// page of a proxy, a captive portal, a problem with a code that this build does not know.
    public var problem: RelayProblem? {
        guard mediaType == RelayMediaType.problem, let json = JSON(decoding: body),
            json[number: "status"] == Int64(status),
            let code = json[string: "code"].flatMap({ ProblemCode(name: $0) }),
            let isRetryable = json[bool: "retryable"]
        else { return nil }
        return RelayProblem(code: code, isRetryable: isRetryable)
    }

    /// The longest wait that a server in between can ask for. What it says is not the relay's word: a
    /// mistake of a gateway shall not hold memos for days.
    public static let longestForeignWait = Milliseconds.seconds(600)

    /// The wait that the answer asks for; see ``RetryAfter``.
    public func wait(now: WallTime) -> Milliseconds? {
        RetryAfter.parse(retryAfter, date: date, now: now).map(believed)
    }

    /// A wait, as far as the answer's sender can ask for it.
    private func believed(_ wait: Milliseconds) -> Milliseconds {
        success != nil || problem != nil ? wait : min(wait, Self.longestForeignWait)
    }

    /// The number of further memos that the relay takes, and for how long; `nil` if the answer does
    /// not say it. A longer wait that the answer asks for holds for them, too.
    public func allowance(now: WallTime) -> AttemptAllowance? {
        guard let limit = RateLimit(rateLimit) else { return nil }
        var wait = believed(limit.reset ?? RetryPolicy.device.unhintedServerWait)
        if limit.remaining == 0, let asked = self.wait(now: now) { wait = max(wait, asked) }
        return AttemptAllowance(attempts: limit.remaining, wait: wait)
    }

    /// The token that the relay grants; `nil` for an answer without one that a header field holds.
    public var grantedToken: [UInt8]? {
        guard let token = success?[string: "token"],
            1...RelayLimits.tokenLength ~= token.count, token.allSatisfy({ 0x21...0x7E ~= $0 })
        else { return nil }
        return token
    }

    /// The code that the relay mails; `nil` for an answer that is no success.
    public var mailedCode: MailedCode? { success.map { MailedCode($0) } }

    /// Whether the relay itself says that the token is not valid.
    public var refusesToken: Bool {
        (status == 401 || status == 403) && problem?.code.refusesToken == true
    }

    /// Whether the token of a request to revoke it is not valid any more.
    public var confirmsRevocation: Bool { status == 204 || refusesToken }

    /// The identifier, in its text form, of the memo that the relay says it holds.
    private var held: [UInt8]? {
        guard let success, success[string: "status"] != nil else { return nil }
        return success[string: "id"]
    }

    /// The outcome of an attempt whose PUT of the memo `id` got this answer.
    ///
    /// Only the relay can accept a memo, or refuse a memo for good, and does both in its own
    /// formats. Every other answer, whatever its status, leads to another attempt: a proxy or a
    /// captive portal may have sent it.
    public func outcome(for id: OperationID, now: WallTime) -> DeliveryMachine.Outcome {
        if let held { return held == id.text ? .done : .retry(.notOurAnswer) }
        switch status {
        case 200..<400:
            return .retry(.notOurAnswer)
        case 429, 503:
            return .retryAfter(wait(now: now), .relay(status: status))
        case 409:
            guard let wait = wait(now: now) else { return .retry(.relay(status: status)) }
            return .retryAfter(wait, .relay(status: status))
        case 400, 401, 403, 413, 422:
            guard let problem else { return .retry(.notOurAnswer) }
            if status == 401 || status == 403 {
                // Another 403 is about how the request came here, not about the memo.
                return problem.code.refusesToken
                    ? .park(.unauthorized) : .retry(.relay(status: status))
            }
            if problem.isRetryable { return .retry(.relay(status: status)) }
            return .park(.relay(problem.code))
        default:
            return .retry(.relay(status: status))
        }
    }
}

extension Int64 {
    /// The number of a change of an account; `nil` for a number that no change can have.
    package var changeNumber: UInt64? {
        (1...RelayLimits.greatestNumber).contains(self) ? UInt64(self) : nil
    }
}

/// The relay's answer to a request for a code, about the code that it mails.
public struct MailedCode: Hashable, Sendable {
    /// Has to be shown with the code. Empty for a relay that takes codes without handles.
    public let handle: [UInt8]
    /// The number of digits.
    public let digits: Int
    /// Whether no digits were mailed: the ``LongCode`` of the latest mail in the inbox signs in.
    public let isLong: Bool
    /// The code itself, where a proxy vouches for the address: nothing was mailed. Else empty. Never
    /// stored: it is confirmed at once.
    public let given: [UInt8]

    public init(handle: [UInt8], digits: Int, isLong: Bool = false, given: [UInt8] = []) {
        self.handle = handle
        self.digits = digits
        self.isLong = isLong
        self.given = given
    }

    /// Reads the members of the relay's answer.
    public init(_ json: JSON) {
        handle = json[string: "handle"] ?? []
        let digits = json[number: "digits"] ?? 0
        self.digits =
            digits > RelayLimits.codeLength && digits <= RelayLimits.longestCode
            ? Int(digits) : RelayLimits.codeLength
        isLong = json[bool: "longCode"] ?? false
        // The code of a problem has the same name.
        given = handle.isEmpty ? [] : json[string: "code"] ?? []
    }
}

/// The reason for which there is no answer.
@nonexhaustive public enum RelayFailure: Error, Hashable, Sendable {
    /// There is no connection: no network, no such host, or no server on the port. Nothing was
    /// sent.
    case unreachable
    /// A limit of time is over. The relay may or may not have the request.
    case timedOut
    /// The connection broke. The relay may or may not have the request.
    case connectionLost
    /// The server's certificate is not trusted.
    case untrusted
    /// The answer is longer than ``RelayLimits/answerLength``.
    case answerTooLong
    /// The task was cancelled.
    case cancelled

    /// The outcome of an attempt without an answer.
    public var outcome: DeliveryMachine.Outcome {
        self == .unreachable ? .retryOnNetwork(reason) : .retry(reason)
    }

    /// The type of the failure, for a log.
    public var reason: ReasonCode {
        switch self {
        case .unreachable: .unreachable
        case .timedOut: "network.timed-out"
        case .connectionLost: "network.connection-lost"
        case .untrusted: .untrustedCertificate
        case .answerTooLong: .notOurAnswer
        case .cancelled: .cancelled
        }
    }
}

extension ReasonCode {
    /// The token is not valid, or not valid any more: sign in again.
    public static let unauthorized: ReasonCode = "unauthorized"
    /// The answer is not from the relay.
    public static let notOurAnswer: ReasonCode = "relay.not-our-answer"
    /// The relay's certificate is not trusted.
    public static let untrustedCertificate: ReasonCode = "relay.untrusted-certificate"
    /// The process that made the attempt was about to end.
    public static let cancelled: ReasonCode = "cancelled"
    /// There is no connection to the relay.
    public static let unreachable: ReasonCode = "network.unreachable"

    /// The relay, or a server in between, answered with this status.
    static func relay(status: Int) -> ReasonCode {
        ReasonCode(utf8: StaticString("relay.http.").bytes + decimal(Int64(status)))
    }

    /// The relay stated this problem.
    public static func relay(_ problem: ProblemCode) -> ReasonCode {
        ReasonCode(utf8: StaticString("relay.").bytes + problem.name.bytes)
    }

    /// Whether the relay, or a server in between, asked for a wait.
    var asksForWait: Bool { self == .relay(status: 429) || self == .relay(status: 503) }
}
