import OutboxCore
import OutboxTesting
import Testing

@testable import RelayServer

/// Walks over all short lives of one address, and compares the rule with the list of everything
/// that happened, which nothing ever shortens.
@Suite("The rule on mailed codes")
struct VerificationLedgerTests {
    private static let start = WallTime(millisecondsSinceEpoch: 1_800_000_000_000)

    private enum Event: CaseIterable {
        case ask, tryRight, tryWrong, tryFormer, waitShortly, waitLong, setBack
    }

    /// What an address lived through, as a person would write it down.
    private struct Diary {
        var rules = VerificationRules()
        var now = VerificationLedgerTests.start
        var latest: SentCode?
        var requests: [WallTime] = []
        /// The number of the latest code; its hash is its number.
        var number: UInt8 = 0
        var isUsedUp = true
        var wrongTries = 0
        var sentAt = VerificationLedgerTests.start
        var row = 0

        init() {
            rules.tries = 2
            rules.perAddress = 3
            rules.firstCooldown = .seconds(30)
            rules.codeLifetime = .seconds(600)
            rules.window = .seconds(3600)
        }

        mutating func live(_ event: Event) {
            switch event {
            case .waitShortly: now = now.advanced(by: .seconds(40))
            case .waitLong: now = now.advanced(by: .seconds(1300))
            case .setBack: now = now.advanced(by: .seconds(-7200))
            case .ask: ask()
            case .tryRight: enter([number])
            case .tryWrong: enter([255])
            case .tryFormer: enter([number &- 1])
            }
        }

        private mutating func ask() {
            let window = rules.requestWindow(at: now)
            let use = window.use(by: requests)
            let ledger = VerificationLedger(latest: latest, toAddress: use, fromSource: use)
            let cooldown: Int64 = row == 0 ? 0 : [30, 60, 120, 240, 480][min(row - 1, 4)] * 1000
            let isTooSoon = row > 0 && now.since(sentAt).count < cooldown
            let isOften = requests.count { abs($0.since(now).count) < 3_600_000 } >= 3
            switch ledger.request([number + 1], at: now, rules) {
            case .wait(let wait):
                #expect(isTooSoon || isOften)
                #expect(wait.count > 0 && wait.count <= 3_600_000)
            case .send(let code):
                #expect(!isTooSoon && !isOften)
                #expect(code.tries == 0 && code.code == [number + 1])
                latest = code
                requests.append(now)
                (number, isUsedUp, wrongTries) = (number + 1, false, 0)
                (sentAt, row) = (now, row + 1)
            }
        }

        private mutating func enter(_ code: [UInt8]) {
            let age = now.since(sentAt).count
            let isAlive = !isUsedUp && wrongTries < 2 && age < 600_000 && age >= -60_000
            switch latest?.tried(code, at: now, rules) ?? .refused {
            case .right(let after):
                #expect(isAlive && code == [number])
                (latest, isUsedUp, row) = (after, true, 0)
            case .wrong(let after):
                #expect(isAlive && code != [number])
                (latest, wrongTries) = (after, wrongTries + 1)
            case .refused:
                #expect(!isAlive)
            }
        }
    }

    @Test("holds through every life of six events")
    func everyLife() {
        func walk(_ diary: Diary, _ length: Int) {
            guard length > 0 else { return }
            for event in Event.allCases {
                var next = diary
                next.live(event)
                walk(next, length - 1)
            }
        }
        walk(Diary(), 6)
    }

    @Test("tells each of the reasons to wait, and the longest of several")
    func longestWait() {
        var rules = VerificationRules()
        rules.perAddress = 2
        rules.perSource = 3
        let now = Self.start
        let sent = SentCode(
            code: [1],
            expiresAt: now.advanced(by: rules.codeLifetime),
            tries: 0,
            inARow: 1,
            sentAt: now.advanced(by: .seconds(-10))
        )
        let none = RateUse(count: 0, oldest: nil)
        let address = RateUse(count: 2, oldest: now.advanced(by: .seconds(-3000)))
        let source = RateUse(count: 3, oldest: now.advanced(by: .seconds(-1000)))
        for (ledger, wait) in [
            (VerificationLedger(latest: sent, toAddress: none, fromSource: none), 20),
            (VerificationLedger(latest: sent, toAddress: address, fromSource: none), 600),
            (VerificationLedger(latest: nil, toAddress: none, fromSource: source), 2600),
            (VerificationLedger(latest: sent, toAddress: address, fromSource: source), 2600),
        ] as [(VerificationLedger, Int64)] {
            #expect(ledger.request([2], at: now, rules) == .wait(.seconds(wait)))
        }
    }

    @Test("forgets a row of codes after a day, but no code that is still alive")
    func forgets() {
        var rules = VerificationRules()
        let sent = SentCode(
            code: [1],
            expiresAt: Self.start.advanced(by: rules.codeLifetime),
            tries: 5,
            inARow: 9,
            sentAt: Self.start
        )
        let day = Self.start.advanced(by: rules.forgetAfter)
        #expect(rules.forgets(sent, at: day))
        #expect(!rules.forgets(sent, at: day.advanced(by: Milliseconds(-1))))
        let none = RateUse(count: 0, oldest: nil)
        let ledger = VerificationLedger(latest: sent, toAddress: none, fromSource: none)
        guard case .send(let code) = ledger.request([2], at: day, rules) else {
            Issue.record("the first code of a new row has no wait")
            return
        }
        #expect(code.inARow == 1 && code.tries == 0)
        rules.forgetAfter = .seconds(1)
        #expect(!rules.forgets(sent, at: Self.start.advanced(by: .seconds(599))))
    }

    @Test("makes nobody wait longer than a whole wait, wherever the clock jumps")
    func clockJumps() {
        let rules = VerificationRules()
        var random = SeededRandom(seed: 12)
        for _ in 0..<2000 {
            let now = WallTime(
                millisecondsSinceEpoch: Int64.random(in: 0...1 << 50, using: &random)
            )
            let other = WallTime(
                millisecondsSinceEpoch: Int64.random(in: 0...1 << 50, using: &random)
            )
            let sent = SentCode(
                code: nil,
                expiresAt: other,
                tries: 0,
                inARow: Int.random(in: 0...100, using: &random),
                sentAt: other
            )
            let use = RateUse(count: 1000, oldest: other)
            let ledger = VerificationLedger(latest: sent, toAddress: use, fromSource: use)
            guard case .wait(let wait) = ledger.request([1], at: now, rules) else {
                Issue.record("a thousand codes were mailed, and one more was")
                return
            }
            #expect(wait.count > 0 && wait <= rules.longestCooldown)
        }
    }
}
