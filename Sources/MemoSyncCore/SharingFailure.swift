import MemoCore
public import OutboxCore
import WireCore

/// An answer of the relay to one call of the sync, with the relay's clock.
public struct Told<Content> {
    /// The answer.
    public let content: Content
    /// The relay's clock when it answered.
    public let relayTime: WallTime

    init(_ content: Content, _ relayTime: WallTime) {
        self.content = content
        self.relayTime = relayTime
    }
}

extension Told: Sendable where Content: Sendable {}

/// The reason for which an exchange of the sync has no answer. Nothing is confirmed by one: a change that
/// was sent may be applied or not.
@nonexhaustive public enum SharingFailure: Error, Hashable, Sendable {
    /// The relay says that the token is not valid.
    ///
    /// `wasRevoked`: it was valid once, and a person has signed this device out.
    case unauthorized(wasRevoked: Bool)
    /// The relay asks for a wait; `nil` where it does not say how long.
    case busy(wait: Milliseconds?)
    /// The relay is of a build that shares nothing.
    case unsupported
    /// The relay failed, with this status.
    case relay(status: Int)
    /// The answer is not the relay's, or one that nobody can read: a proxy, a captive portal.
    case notOurAnswer

    /// The meaning of an answer without what was asked for.
    ///
    /// - Parameter now: The wall clock, for a wait until a date.
    init(_ answer: RelayAnswer, now: WallTime) {
        let problem = answer.problem
        if answer.refusesToken {
            self = .unauthorized(wasRevoked: problem?.code == .tokenRevoked)
        } else if answer.status == 429 || answer.status == 503 || problem?.code == .inProgress {
            self = .busy(wait: answer.wait(now: now))
        } else if problem?.code == .notFound || problem?.code == .methodNotAllowed {
            self = .unsupported
        } else if problem != nil || answer.status >= 500 {
            self = .relay(status: answer.status)
        } else {
            self = .notOurAnswer
        }
    }
}
