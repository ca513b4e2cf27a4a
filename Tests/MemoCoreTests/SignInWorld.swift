import MemoCore
import OutboxCore

/// A person at a ``SignInMachine`` and a relay, and everything that can happen to them.
struct SignInWorld: WalkedWorld {
    enum Step: Hashable {
        case ask(address: Int)
        case type(Text)
        case enter(Text)
        /// The process ends, and another goes on with what was kept.
        case restart
        /// Ten minutes pass.
        case wait
        /// The relay performs the request, and its answer comes, or is lost.
        case answer, lose
        /// The relay mails nothing: a long code is in the inbox.
        case hold
        /// The relay asks to wait; somebody else answers.
        case limit, portal
    }

    /// A text of the field for the code.
    enum Text: Hashable, CaseIterable {
        case right, wrong, short, sentence, long

        func bytes(_ code: Int) -> [UInt8] {
            switch self {
            case .long: Array("abcd-efgh-jkmn-pq\(code)".utf8)
            case .right: Array("\(code)".utf8)
            case .wrong: Array("000000".utf8)
            case .short: Array("12345".utf8)
            case .sentence: Array("Your code: \(code / 1000)-\(code % 1000).".utf8)
            }
        }
    }

    /// How often each kind of step may happen.
    struct Budget: Hashable {
        var asks = 1
        var entries = 2
        var restarts = 0
        var waits = 0
        var failures = 0
        var holds = 0
        var texts: [Text] = [.right, .wrong, .short, .sentence]
        /// The rejections of the code before.
        var rejections = 0
    }

    struct Code: Hashable {
        let address: Int
        let number: Int
        let mailedAt: Int64
        var isSpent = false
        var rejections = 0
    }

    private(set) var machine = SignInMachine()
    private(set) var budget: Budget
    private(set) var violation: String?
    private var now: Int64 = 1_800_000_000_000
    private var request: SignInMachine.Effect?
    private var field: [UInt8] = []
    /// The codes that the relay has mailed. Their numbers are their handles, too.
    private var codes: [Code] = []
    private var kept: OpenSignIn?
    /// What the person has typed or entered since the last try.
    private var isEager = false
    private(set) var signedIn: Int?
    private var granted: Int?
    private var lastWord: SignInMachine.Effect?

    init(_ budget: Budget) { self.budget = budget }

    var isAtRest: Bool { request == nil }

    var steps: [Step] {
        var steps: [Step] = []
        if signedIn != nil { return [] }
        if budget.asks > 0 { steps += [.ask(address: 1), .ask(address: 2)] }
        if budget.entries > 0 { steps += budget.texts.flatMap { [.type($0), .enter($0)] } }
        if budget.restarts > 0 { steps.append(.restart) }
        if budget.waits > 0 { steps.append(.wait) }
        guard request != nil else { return steps }
        steps.append(.answer)
        if budget.holds > 0, case .askCode = request { steps.append(.hold) }
        if budget.failures > 0 { steps += [.lose, .limit, .portal] }
        return steps
    }

    mutating func perform(_ step: Step) {
        switch step {
        case .ask(let address):
            budget.asks -= 1
            tell(.asked(address: Self.address(address)))
        case .type(let text):
            budget.entries -= 1
            (field, isEager) = (text.bytes(lastCode), true)
            tell(.typed(field))
        case .enter(let text):
            budget.entries -= 1
            (field, isEager) = (text.bytes(lastCode), true)
            lastWord = nil
            tell(.entered(field))
            if request == nil, lastWord == nil { violate("nothing is said of what was entered") }
        case .restart:
            budget.restarts -= 1
            (machine, request, field) = (SignInMachine(), nil, [])
            if let kept, kept.code.canBeTried(at: WallTime(millisecondsSinceEpoch: now)) {
                machine.resume(kept)
            }
        case .wait:
            budget.waits -= 1
            now += 600_000
        case .answer: answer(performed())
        case .hold:
            budget.holds -= 1
            answer(Self.answer(202, "json", #"{"handle":"held","digits":6,"longCode":true}"#))
        case .lose:
            budget.failures -= 1
            _ = performed()
            answered(.failed(.connectionLost))
        case .limit:
            budget.failures -= 1
            answer(
                Self.answer(
                    429,
                    "problem+json",
                    #"{"code":"rate-limited","retryable":true,"status":429}"#
                )
            )
        case .portal:
            budget.failures -= 1
            answer(RelayAnswer(status: 200, contentType: Array("text/html".utf8)))
        }
    }

    private static func address(_ number: Int) -> [UInt8] { Array("\(number)@b.example".utf8) }

    /// The number of the code that the person reads in the latest mail.
    private var lastCode: Int { codes.last?.number ?? 123_456 }

    // MARK: The shell

    private mutating func tell(_ event: SignInMachine.Event) {
        let time = WallTime(millisecondsSinceEpoch: now)
        guard let effect = machine.handle(event, now: time) else { return }
        lastWord = effect
        switch effect {
        case .askCode:
            if request != nil { violate("two requests at once") }
            request = effect
        case .confirm(let open, let code):
            if request != nil { violate("two requests at once") }
            if !isEager { violate("a code is tried again by itself") }
            isEager = false
            let isLong = code.count == LongCode.length
            if !isLong, code.count != open.mailed.digits {
                violate("a code without all its digits")
            }
            if !isLong, open.mailed.isLong { violate("digits in place of a long code") }
            if open != machine.open { violate("another sign-in is tried") }
            if open.code.rejections >= RelayLimits.codeTries {
                violate("a code without tries left")
            }
            request = effect
        case .wait(let open): (kept, field) = (open, [])
        case .signIn(let address, _):
            signedIn = address.first.map { Int($0) - 0x30 }
            if signedIn != granted { violate("signed in at another address") }
        case .reject(let rejection, let open):
            if case .wrong = rejection { kept = open } else { kept = nil }
            if open != machine.open { violate("another sign-in is rejected") }
        case .tellDigits, .tellLongCode, .complain: break
        case .clear: field = []
        }
    }

    private mutating func answer(_ answer: RelayAnswer) { answered(.answered(answer)) }

    private mutating func answered(_ event: SignInMachine.Event) {
        let isConfirming = if case .confirm = request { true } else { false }
        request = nil
        lastWord = nil
        tell(event)
        if lastWord == nil { violate("an answer is not told") }
        if isConfirming, signedIn == nil { tell(.held(field)) }
    }

    // MARK: The relay

    private static func answer(_ status: Int, _ type: String, _ body: String) -> RelayAnswer {
        RelayAnswer(
            status: status,
            contentType: Array("application/\(type)".utf8),
            body: Array(body.utf8)
        )
    }

    private static let rejection = answer(
        403,
        "problem+json",
        #"{"code":"code-rejected","retryable":false,"status":403}"#
    )

    private mutating func performed() -> RelayAnswer {
        switch request {
        case .askCode(let address):
            let number = 123_456 + codes.count
            codes.append(
                Code(
                    address: Int(address[0]) - 0x30,
                    number: number,
                    mailedAt: now,
                    rejections: budget.rejections
                )
            )
            return Self.answer(202, "json", #"{"handle":"\#(number)","digits":6}"#)
        case .confirm(let open, let code):
            if code.count == LongCode.length {
                let mail = codes.lastIndex {
                    LongCode.read(Text.long.bytes($0.number)) == code
                        && Self.address($0.address) == open.address
                }
                guard let mail, !codes[mail].isSpent else { return Self.rejection }
                codes[mail].isSpent = true
                granted = codes[mail].address
                return Self.answer(200, "json", #"{"token":"granted"}"#)
            }
            let index = codes.firstIndex { Array("\($0.number)".utf8) == open.mailed.handle }
            guard let index, Self.address(codes[index].address) == open.address else {
                violate("a handle that is none of this address")
                return RelayAnswer(status: 500)
            }
            let isRight = Array("\(codes[index].number)".utf8) == code
            let isGood = !codes[index].isSpent && now - codes[index].mailedAt < 600_000
            if isGood, isRight, codes[index].rejections < RelayLimits.codeTries {
                codes[index].isSpent = true
                granted = codes[index].address
                return Self.answer(200, "json", #"{"token":"granted"}"#)
            }
            codes[index].rejections += 1
            return Self.rejection
        default: return RelayAnswer(status: 500)
        }
    }

    // MARK: Guarantees

    private mutating func violate(_ what: String) {
        if violation == nil { violation = what }
    }

    /// Lets the request under way be answered, and the person sign in.
    mutating func comeToRest() {
        while request != nil { perform(.answer) }
        guard signedIn == nil, violation == nil else { return }
        (budget.rejections, budget.holds) = (0, 0)
        perform(.ask(address: 1))
        while request != nil { perform(.answer) }
        perform(.type(.right))
        while request != nil { perform(.answer) }
        if signedIn != 1 { violate("nobody can sign in any more") }
    }
}
