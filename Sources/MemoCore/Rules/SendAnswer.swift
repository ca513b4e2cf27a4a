public import MemoTexts
public import OutboxCore

/// The device's knowledge of its account at the relay.
public enum AccountStanding: UInt8, CaseIterable, Sendable {
    /// The relay has not refused the device's token.
    case signedIn
    /// The device has no token.
    case signedOut
    /// The device has no token, and a code was mailed that a person has not entered.
    case codeAsked
    /// The relay has refused the device's token: the person signed this device out elsewhere.
    case signedOutElsewhere
    /// The account is not read yet, or cannot be read.
    case unknown
}

/// The device's knowledge of the way to the relay, from its last attempt.
public enum WayOut: UInt8, CaseIterable, Sendable {
    /// The relay answered, or nothing was attempted.
    case open
    /// The device has no network.
    case offline
    /// The relay, or a server in its place, did not answer as a relay that works.
    case unreached
    /// The relay, or a server in between, asks to wait.
    case limited
    /// The device itself cannot deliver.
    case blocked

    /// The way of which the last attempt ended with this reason.
    ///
    /// - Parameter reason: `nil` for an attempt that did not fail, and for none. A reason that this
    ///   build does not know is one of the device's own.
    public init(lastError reason: ReasonCode?) {
        // Neither the account, nor the build, nor the end of a process is a matter of the way.
        guard let reason, reason != .unauthorized, reason != .noHandler, reason != .cancelled else {
            self = .open
            return
        }
        switch WaitingReason(reason) {
        case .connection, .silence, .foreign, .untrusted: self = .unreached
        case .wait: self = .limited
        case .failure: self = reason.isAboutRelay ? .unreached : .blocked
        }
    }
}

/// The memos of the outbox, apart from the memo that a person has just sent.
public enum Backlog: UInt8, CaseIterable, Sendable {
    /// No memo waits.
    case none
    /// Memos wait, all for less than ``WaitingRule/patience``.
    case waiting
    /// A memo has been waiting for longer.
    case late
}

/// The answer to a person who has sent a memo: one rule for terminal and web app.
///
/// The answer never promises an arrival that is in doubt. The account stands above the way out: a
/// memo without a valid token leaves by no way.
public struct SendAnswer: Hashable, Sendable {
    /// The prospect of the memo. In each case the memo is stored durably.
    public enum Prospect: UInt8, CaseIterable, Sendable {
        /// The memo is about to leave.
        case leaves
        /// The memo leaves when the device has a network.
        case leavesOnline
        /// The memo leaves when the relay answers.
        case leavesWhenReached
        /// The memo leaves when the wait that the relay asked for is over.
        case leavesLater
        /// The memo leaves when a person has signed in.
        case leavesSignedIn
        /// The memo leaves when the person has signed in again, which the device has done before.
        case leavesSignedInAgain
        /// The memo is kept. Nothing is known of its leaving.
        case kept

        /// The sentence that a person reads.
        public var text: AppText {
            switch self {
            case .leaves: .saved
            case .leavesOnline: .savedOffline
            case .leavesWhenReached: .savedUnreached
            case .leavesLater: .savedLimited
            case .leavesSignedIn: .savedSignedOut
            case .leavesSignedInAgain: .tokenRevoked
            case .kept: .savedKept
            }
        }

        /// Whether only a person can make the memo leave, by signing in.
        public var needsSignIn: Bool {
            switch self {
            case .leavesSignedIn, .leavesSignedInAgain: true
            case .leaves, .leavesOnline, .leavesWhenReached, .leavesLater, .kept: false
            }
        }
    }

    /// A sentence that a person has to hear after the answer.
    public enum Addition: UInt8, CaseIterable, Sendable {
        /// An earlier memo did not arrive, and the person has not seen that yet.
        case notArrived
        /// An earlier memo has been waiting for long.
        case late

        /// The sentence that a person reads.
        public var text: AppText {
            switch self {
            case .notArrived: .notArrived
            case .late: .waitingLong
            }
        }
    }

    /// The prospect of the memo.
    public let prospect: Prospect
    /// Further things to say, the most important first. A face with room for one sentence says none
    /// of them before the person has read the answer.
    public let additions: [Addition]

    /// Makes the answer to a memo that was stored.
    ///
    /// - Parameters:
    ///   - backlog: The earlier memos.
    ///   - hasUnseenFailure: Whether the history has a memo with ``HistoryStatus/isFailure`` that the
    ///     person has not seen since it failed.
    public init(
        account: AccountStanding,
        way: WayOut,
        backlog: Backlog,
        hasUnseenFailure: Bool
    ) {
        prospect =
            switch account {
            case .signedOut, .codeAsked: .leavesSignedIn
            case .signedOutElsewhere: .leavesSignedInAgain
            case .unknown: .kept
            case .signedIn:
                switch way {
                // Where earlier memos do not leave by an open way, the reason is not known.
                case .open: backlog == .late ? .kept : .leaves
                case .offline: .leavesOnline
                case .unreached: .leavesWhenReached
                case .limited: .leavesLater
                case .blocked: .kept
                }
            }
        var additions: [Addition] = []
        if hasUnseenFailure { additions.append(.notArrived) }
        // A person who has to sign in knows why memos wait.
        if backlog == .late, !prospect.needsSignIn { additions.append(.late) }
        self.additions = additions
    }
}
