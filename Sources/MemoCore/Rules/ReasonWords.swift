public import MemoTexts
public import OutboxCore
import WireCore

/// A reason in a person's words: the sentence, and the code that stands in it in parentheses.
///
/// One table for terminal and web app. A code that this build does not know gets the general
/// sentence of its situation, so that later relays may have more codes.
///
/// | situation | codes | sentence |
/// |---|---|---|
/// | waits, or is parked | `unauthorized` | ``AppText/reasonSignedOut`` |
/// | | `no-handler` | ``AppText/reasonUnsupported`` |
/// | waits | `network.unreachable` | ``AppText/reasonOffline`` |
/// | | `network.timed-out`, `network.connection-lost` | ``AppText/reasonRelay`` |
/// | | `relay.http.429`, `relay.http.503` | ``AppText/reasonWait`` |
/// | | `relay.not-our-answer` | ``AppText/reasonForeign`` |
/// | | `relay.untrusted-certificate` | ``AppText/reasonUntrusted`` |
/// | | others, as `relay.http.500` | ``AppText/reasonFailed`` |
/// | is parked, or refused | others, as `relay.too-large` | ``AppText/reasonRefused`` |
/// | refused | `quarantine.…` | ``AppText/reasonLost`` |
/// | bounced | `dsn.5.1.1` and others about the address | ``AppText/reasonNoMailbox`` |
/// | | `dsn.5.2.2` | ``AppText/reasonMailboxFull`` |
/// | | others, as `smtp.550` | ``AppText/reasonBounced`` |
/// | expired | all | ``AppText/reasonExpired`` |
/// | cannot be read | all | ``AppText/reasonUnreadable`` |
public struct ReasonWords: Hashable, Sendable {
    /// The sentence. `{1}` in it is the ``code``.
    public let text: AppText
    /// The code, for a search and for the operator of a relay. Never empty.
    public let code: [UInt8]

    /// The values for `{1}`, `{2}` … of ``text``.
    public var values: [[UInt8]] { [code] }

    /// Says why an operation has not left, and what happens next.
    ///
    /// - Parameters:
    ///   - reason: The last error of a queued operation, or the reason for parking.
    ///   - isParked: Whether the operation waits for a person rather than for another attempt.
    public init(_ reason: ReasonCode, isParked: Bool) {
        if reason == .unauthorized {
            text = .reasonSignedOut
        } else if reason == .noHandler {
            text = .reasonUnsupported
        } else if isParked {
            text = .reasonRefused
        } else {
            text =
                switch WaitingReason(reason) {
                case .connection: .reasonOffline
                case .silence: .reasonRelay
                case .wait: .reasonWait
                case .foreign: .reasonForeign
                case .untrusted: .reasonUntrusted
                case .failure: .reasonFailed
                }
        }
        code = Self.code(reason, orName: isParked ? "parked" : "queued")
    }

    /// Says why an entry of the outbox cannot be read.
    public init(unreadable reason: ReasonCode) {
        text = .reasonUnreadable
        code = Self.code(reason, orName: "quarantined")
    }

    /// Says why a memo of this status did not arrive, and what can be done.
    ///
    /// - Returns: `nil` for a status that is no failure.
    public init?(_ status: HistoryStatus) {
        switch status {
        case .quarantined: text = .reasonUnreadable
        case .bounced(let reason):
            text =
                switch reason.enhancedStatus {
                // RFC 3463, section 3.2: bad mailbox, system, syntax; ambiguous; moved; null MX.
                case (1, 1)?, (1, 2)?, (1, 3)?, (1, 4)?, (1, 6)?, (1, 10)?: .reasonNoMailbox
                // Section 3.3: mailbox full.
                case (2, 2)?: .reasonMailboxFull
                default: .reasonBounced
                }
        case .expired: text = .reasonExpired
        case .refused(let reason):
            text = reason.utf8.isPrefixed(by: "quarantine.") ? .reasonLost : .reasonRefused
        case .queued, .sent, .delivered, .deleted, .resent, .unknown: return nil
        }
        let reason = status.reason?.utf8 ?? []
        code = reason.isEmpty ? status.name : reason
    }

    /// A sentence has no empty parentheses: where the reason is not known, its situation stands in
    /// them.
    private static func code(_ reason: ReasonCode, orName name: StaticString) -> [UInt8] {
        reason.utf8.isEmpty ? name.bytes : reason.utf8
    }
}

/// The kinds of reasons for which a queued operation waits.
enum WaitingReason {
    /// There is no connection.
    case connection
    /// The server does not answer, or not to the end.
    case silence
    /// The server asks to wait.
    case wait
    /// Another server has answered.
    case foreign
    /// The server's certificate is not trusted.
    case untrusted
    /// The server, or the device, failed.
    case failure

    init(_ reason: ReasonCode) {
        if reason == .unreachable {
            self = .connection
        } else if reason.utf8.isPrefixed(by: "network.") {
            self = .silence
        } else if reason.asksForWait {
            self = .wait
        } else if reason == .notOurAnswer {
            self = .foreign
        } else if reason == .untrustedCertificate {
            self = .untrusted
        } else {
            self = .failure
        }
    }
}

extension ReasonCode {
    /// Whether the relay, or a server in its place, gave the reason.
    var isAboutRelay: Bool { utf8.isPrefixed(by: "relay.") }

    /// Subject and detail of `dsn.5.2.2`: the code of a delivery report
    /// ([RFC 3463, section 2](https://www.rfc-editor.org/rfc/rfc3463#section-2)); `nil` for another
    /// code.
    fileprivate var enhancedStatus: (subject: Int, detail: Int)? {
        guard utf8.isPrefixed(by: "dsn.") else { return nil }
        let numbers = utf8.dropFirst(4).split(separator: 0x2E, omittingEmptySubsequences: false)
        guard numbers.count == 3, let subject = Self.number(numbers[1]),
            let detail = Self.number(numbers[2])
        else { return nil }
        return (subject, detail)
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        guard 1...3 ~= digits.count, digits.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
        return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }
}
