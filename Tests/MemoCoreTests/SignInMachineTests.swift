import MemoCore
import OutboxCore
import Testing

@Suite("The machine of signing in")
struct SignInMachineTests {
    @Test(
        "whatever happens in whatever order, each try is a person's, and every answer is told",
        arguments: [
            SignInWorld.Budget(asks: 2, entries: 3),
            SignInWorld.Budget(asks: 2, entries: 2, failures: 1),
            SignInWorld.Budget(asks: 1, entries: 3, restarts: 1, failures: 1),
            SignInWorld.Budget(asks: 2, entries: 2, restarts: 1, waits: 1),
            SignInWorld.Budget(asks: 2, entries: 2, holds: 1, texts: SignInWorld.Text.allCases),
            SignInWorld.Budget(asks: 2, entries: 2, restarts: 1, holds: 2, texts: [.right, .long]),
            SignInWorld.Budget(asks: 1, entries: 7, restarts: 1, texts: [.wrong, .right]),
        ]
    )
    func exhaustive(_ budget: SignInWorld.Budget) {
        let states = SignInWorld(budget).explore()
        #expect(states > 100, "\(states) states")
    }

    private static let now = WallTime(millisecondsSinceEpoch: 1_800_000_000_000)

    private func open(
        digits: Int = 6,
        rejections: Int = 0,
        isLong: Bool = false
    ) -> OpenSignIn {
        OpenSignIn(
            address: Array("a@b.example".utf8),
            mailed: MailedCode(handle: Array("own".utf8), digits: digits, isLong: isLong),
            code: OpenCode(mailedAt: Self.now, rejections: rejections)
        )
    }

    /// A machine that waits for the answer about the code that the relay has given.
    private func machineWithGivenCode(resuming former: OpenSignIn? = nil) -> SignInMachine {
        var machine = SignInMachine()
        if let former { machine.resume(former) }
        _ = machine.handle(.asked(address: Array("max@b.example".utf8)), now: Self.now)
        let answer = RelayAnswer(
            status: 202,
            contentType: Array("application/json".utf8),
            body: Array(#"{"code":"0123abcd","digits":6,"handle":"given"}"#.utf8)
        )
        let given = OpenSignIn(
            address: Array("max@b.example".utf8),
            mailed: MailedCode(
                handle: Array("given".utf8),
                digits: 6,
                given: Array("0123abcd".utf8)
            ),
            code: OpenCode(mailedAt: Self.now)
        )
        #expect(
            machine.handle(.answered(answer), now: Self.now)
                == .confirm(given, code: Array("0123abcd".utf8))
        )
        return machine
    }

    @Test("a code that the relay gives is confirmed at once, and signs in its address")
    func givenCode() {
        var machine = machineWithGivenCode(resuming: open())
        #expect(machine.handle(.typed(Array("123456".utf8)), now: Self.now) == nil)
        let granted = RelayAnswer(
            status: 200,
            contentType: Array("application/json".utf8),
            body: Array(#"{"token":"token"}"#.utf8)
        )
        #expect(
            machine.handle(.answered(granted), now: Self.now)
                == .signIn(address: Array("max@b.example".utf8), token: Array("token".utf8))
        )
        #expect(machine.open == nil)
    }

    @Test("a code that the relay gives and does not confirm leaves the code of before")
    func givenCodeRefused() {
        let rejection = RelayAnswer(
            status: 403,
            contentType: Array("application/problem+json".utf8),
            body: Array(#"{"code":"code-rejected","retryable":false,"status":403}"#.utf8)
        )
        for event in [.answered(rejection), .failed(.unreachable)] as [SignInMachine.Event] {
            for former in [nil, open()] {
                var machine = machineWithGivenCode(resuming: former)
                guard case .complain(_, isAsking: true) = machine.handle(event, now: Self.now)
                else {
                    Issue.record("nobody is told")
                    continue
                }
                #expect(machine.open == former)
                let entered = machine.handle(.entered(Array("123456".utf8)), now: Self.now)
                #expect(
                    entered
                        == former.map { .confirm($0, code: Array("123456".utf8)) }
                        ?? .tellDigits(6)
                )
            }
        }
    }

    @Test("a code is tried once it has all its digits, whatever stands between them")
    func digits() {
        for digits in [6, 8, 10] {
            var machine = SignInMachine()
            let open = open(digits: digits)
            machine.resume(open)
            let code = String("1234567890".prefix(digits))
            for count in 0..<digits {
                let part = Array(code.prefix(count).utf8)
                #expect(machine.handle(.typed(part), now: Self.now) == nil)
                #expect(machine.handle(.entered(part), now: Self.now) == .tellDigits(digits))
            }
            let text = Array(
                "Code: \(code.prefix(3)) \(code.dropFirst(3).prefix(2))-\(code.dropFirst(5))".utf8
            )
            #expect(
                machine.handle(.typed(text), now: Self.now)
                    == .confirm(open, code: Array(code.utf8))
            )
        }
    }

    @Test("a long code is tried once it is whole, and no digits of its beginning are")
    func longCode() {
        let text = "AB12-34CD-56EF-GHJK-MNPQ"
        let code = Array("AB1234CD56EFGHJKMNPQ".utf8)
        for isLong in [false, true] {
            var machine = SignInMachine()
            let open = open(isLong: isLong)
            machine.resume(open)
            for count in 0..<text.utf8.count {
                let part = Array(text.prefix(count).utf8)
                #expect(machine.handle(.typed(part), now: Self.now) == nil)
            }
            let whole = Array(text.lowercased().utf8)
            #expect(
                machine.handle(.typed(whole), now: Self.now) == .confirm(open, code: code)
            )
        }
    }

    @Test("where a long code is in the inbox, digits are not tried")
    func onlyLongCode() {
        var machine = SignInMachine()
        machine.resume(open(isLong: true))
        let digits = Array("123456".utf8)
        #expect(machine.handle(.typed(digits), now: Self.now) == nil)
        #expect(machine.handle(.entered(digits), now: Self.now) == .tellLongCode)
    }

    @Test("a code that was typed while another one was confirmed is tried after the answer")
    func typedMeanwhile() {
        var machine = SignInMachine()
        machine.resume(open())
        let (first, second) = (Array("000000".utf8), Array("123456".utf8))
        #expect(machine.handle(.typed(first), now: Self.now) != nil)
        #expect(machine.handle(.typed(second), now: Self.now) == nil)
        #expect(machine.handle(.entered(second), now: Self.now) == nil)
        #expect(
            machine.handle(.failed(.unreachable), now: Self.now)
                == .complain(.unreachable, isAsking: false)
        )
        #expect(
            machine.handle(.held(second), now: Self.now) == .confirm(open(), code: second)
        )
    }

    @Test("a code that was rejected five times is not asked about any more")
    func spent() {
        var machine = SignInMachine()
        let spent = open(rejections: RelayLimits.codeTries)
        machine.resume(spent)
        let code = Array("123456".utf8)
        for event in [SignInMachine.Event.typed(code), .entered(code)] {
            #expect(machine.handle(event, now: Self.now) == .reject(.noTriesLeft, spent))
        }
    }

    @Test("an answer to no question changes nothing")
    func late() {
        var machine = SignInMachine()
        let answer = RelayAnswer(status: 200, contentType: Array("application/json".utf8))
        for event in [SignInMachine.Event.answered(answer), .failed(.timedOut), .held([])] {
            #expect(machine.handle(event, now: Self.now) == nil)
            #expect(machine == SignInMachine())
        }
    }
}
