public import OutboxCore

/// A sign-in whose code was mailed, and which waits for the code.
public struct OpenSignIn: Hashable, Sendable {
    /// The address that the code was mailed to.
    public let address: [UInt8]
    /// The relay's answer to the request for the code.
    public let mailed: MailedCode
    /// The state of the code.
    public var code: OpenCode

    /// Makes a sign-in of a code that was mailed.
    public init(address: [UInt8], mailed: MailedCode, code: OpenCode) {
        self.address = address
        self.mailed = mailed
        self.code = code
    }
}

/// A state machine of signing in: it has a code mailed, counts the digits that the person enters,
/// has the code confirmed, and says what went wrong. Pure: no clock, no network, no storage. Terminal
/// and web app both use it.
///
/// A shell tells an event to ``handle(_:now:)``, performs the task that it returns, and tells the
/// answer to a request as the next event. Where the field takes typing while a code is confirmed, the
/// shell tells ``Event/held(_:)`` after that answer: the field may hold another code by then.
///
/// ## States
/// ```
/// rest ──asked──▶ asking ──answered──▶ rest, with an open sign-in
///  ▲ ▲              ├──failed──▶ rest, with the open sign-in of before
///  │ │              └──answered with the code itself──▶ confirmingGiven ──granted, refused, failed──▶ rest
///  │ └───rejected, failed────────┐
///  └──granted── confirming ◀─────┴──typed, entered── rest, with an open sign-in
/// ```
///
/// ## Invariants
/// 1. At most one request is under way.
/// 2. A code is tried only with all its digits, a ``LongCode`` with all its characters; and with the
///    address and the handle of the open sign-in.
/// 3. Each try is a person's, but for the one of a code that the relay itself has given: a code that was
///    not confirmed is tried again only when the person types or enters it again.
/// 4. A code that was rejected as often as the relay takes tries is not tried any more.
/// 5. A new code takes the place of the former one only when the relay has mailed it, or says that a
///    long code is in the inbox. Then nothing but a long code is tried.
/// 6. Each answer leads to a task, so that the person hears of each.
///
/// ## Failures
/// | failure | outcome |
/// |---|---|
/// | no code is mailed | the person hears why; a code that was mailed before is still good |
/// | the code is rejected | the person hears whether it is wrong, used up or expired |
/// | the code is not confirmed for another reason | the person hears why, and may enter the code again |
/// | the answer that grants the token is lost | the code is used up: the person asks for another |
/// | a code that the relay itself has given is not confirmed | as if no code was mailed |
/// | the process ends | the sign-in that the shell has kept goes on by ``resume(_:)`` |
public struct SignInMachine: Hashable, Sendable {
    /// An event that the shell tells.
    public enum Event: Sendable {
        /// The person wants a code, mailed to this address.
        case asked(address: [UInt8])
        /// The person has typed, and the field holds this text. A whole code needs no further word.
        case typed([UInt8])
        /// After the answer about a code the field holds this text.
        case held([UInt8])
        /// The person says that this is the code.
        case entered([UInt8])
        /// The relay's answer.
        case answered(RelayAnswer)
        /// There is no answer.
        case failed(RelayFailure)
    }

    /// A task of the shell.
    public enum Effect: Hashable, Sendable {
        /// Ask the relay for a code.
        case askCode(address: [UInt8])
        /// A code was mailed, or a long code is in the inbox (``MailedCode/isLong``): keep this sign-in,
        /// and ask the person for the code.
        case wait(OpenSignIn)
        /// Ask the relay to confirm this code.
        case confirm(OpenSignIn, code: [UInt8])
        /// Keep the account: the person is signed in.
        case signIn(address: [UInt8], token: [UInt8])
        /// Tell the person that the code was rejected. Keep this sign-in, unless it is over.
        case reject(OpenCode.Rejection, OpenSignIn)
        /// Tell the person how many digits a code has.
        case tellDigits(Int)
        /// Tell the person that the long code of a mail is asked for.
        case tellLongCode
        /// Tell the person the failure.
        ///
        /// - Parameter isAsking: Whether a code was asked for, and not confirmed.
        case complain(RelayTrouble, isAsking: Bool)
        /// Empty the field: it holds a code that was rejected.
        case clear
    }

    private enum Step: Hashable {
        case rest
        case asking(address: [UInt8], since: WallTime)
        case confirming([UInt8])
        /// Confirms the code that the relay has given for this sign-in. Nobody is asked for it.
        case confirmingGiven(OpenSignIn)
    }

    /// The sign-in that waits for its code.
    public private(set) var open: OpenSignIn?
    private var step = Step.rest
    /// The code that was tried last.
    private var tried: [UInt8] = []
    /// Whether the relay has rejected that code.
    private var isRejected = false

    /// Makes a machine of nobody's sign-in.
    public init() {}

    /// Goes on with a sign-in that was kept.
    public mutating func resume(_ open: OpenSignIn) {
        self.open = open
    }

    /// Handles one event. An event that does not fit the state changes nothing.
    ///
    /// - Parameter now: The present, by the device's clock.
    /// - Returns: The task to perform.
    public mutating func handle(_ event: Event, now: WallTime) -> Effect? {
        switch event {
        case .asked(let address):
            guard step == .rest else { return nil }
            step = .asking(address: address, since: now)
            return .askCode(address: address)
        case .typed(let text):
            // Nobody types a long code at once: its first digits are no code.
            guard step == .rest, let open, !LongCode.isBegun(in: text) else { return nil }
            return Self.code(in: text, for: open).flatMap { confirm($0, open) }
        case .held(let text):
            guard let open, Self.code(in: text, for: open) == tried else {
                return handle(.typed(text), now: now)
            }
            return step == .rest && isRejected ? .clear : nil
        case .entered(let text):
            guard step == .rest else { return nil }
            guard let open else { return .tellDigits(RelayLimits.codeLength) }
            guard let code = Self.code(in: text, for: open) else {
                return open.mailed.isLong ? .tellLongCode : .tellDigits(open.mailed.digits)
            }
            return confirm(code, open)
        case .answered(let answer):
            let before = step
            step = .rest
            switch before {
            case .rest: return nil
            case .asking(let address, let since): return mailed(answer, address, since, now)
            case .confirming: return confirmed(answer, now)
            case .confirmingGiven(let given): return confirmed(answer, of: given, now)
            }
        case .failed(let failure):
            defer { step = .rest }
            switch step {
            case .rest: return nil
            case .asking, .confirmingGiven:
                return .complain(RelayTrouble(failure), isAsking: true)
            case .confirming: return .complain(RelayTrouble(failure), isAsking: false)
            }
        }
    }

    /// The whole code in a text; `nil` for none. People write a code with spaces or hyphens, or paste
    /// the sentence around its digits.
    private static func code(in text: [UInt8], for open: OpenSignIn) -> [UInt8]? {
        if let long = LongCode.read(text) { return long }
        if open.mailed.isLong { return nil }
        let digits = text.filter { 0x30...0x39 ~= $0 }
        return digits.count == open.mailed.digits ? digits : nil
    }

    private mutating func confirm(_ code: [UInt8], _ open: OpenSignIn) -> Effect {
        guard open.code.rejections < RelayLimits.codeTries else {
            return .reject(.noTriesLeft, open)
        }
        (step, tried, isRejected) = (.confirming(code), code, false)
        return .confirm(open, code: code)
    }

    private mutating func mailed(
        _ answer: RelayAnswer,
        _ address: [UInt8],
        _ since: WallTime,
        _ now: WallTime
    ) -> Effect {
        guard let mailed = answer.mailedCode else {
            return .complain(RelayTrouble(answer, now: now), isAsking: true)
        }
        let open = OpenSignIn(address: address, mailed: mailed, code: OpenCode(mailedAt: since))
        guard mailed.given.isEmpty else {
            step = .confirmingGiven(open)
            return .confirm(open, code: mailed.given)
        }
        self.open = open
        (tried, isRejected) = ([], false)
        return .wait(open)
    }

    /// The answer about a code that the relay has given. A code that was mailed before stays good.
    private mutating func confirmed(
        _ answer: RelayAnswer,
        of given: OpenSignIn,
        _ now: WallTime
    ) -> Effect {
        guard let token = answer.grantedToken else {
            return .complain(RelayTrouble(answer, now: now), isAsking: true)
        }
        open = nil
        return .signIn(address: given.address, token: token)
    }

    private mutating func confirmed(_ answer: RelayAnswer, _ now: WallTime) -> Effect? {
        guard var open else { return nil }
        if let token = answer.grantedToken {
            self.open = nil
            return .signIn(address: open.address, token: token)
        }
        guard answer.problem?.code == .codeRejected else {
            return .complain(RelayTrouble(answer, now: now), isAsking: false)
        }
        isRejected = true
        let rejection = open.code.rejected(at: now)
        self.open = open
        return .reject(rejection, open)
    }
}
