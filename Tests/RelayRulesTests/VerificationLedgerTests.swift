import MemoCore
import OutboxCore
import OutboxTesting
import Testing

@testable import RelayRules

@Suite("The rule on mailed codes")
struct VerificationLedgerTests {
    private static let start = WallTime(millisecondsSinceEpoch: 1_800_000_000_000)

    /// One code and one network's requests for a mailbox, beside a stranger's from another network.
    private enum Event: CaseIterable {
        case ask, askElsewhere, tryRight, tryWrong, waitShortly, waitLong, setBack
    }

    /// What a mailbox lived through, as a person would write it down: nothing is ever dropped.
    private struct Diary {
        struct Request {
            let network: Int
            let time: WallTime
            /// Counts for the waits of its network.
            var isInRow = true
        }

        var rules = VerificationRules()
        var now = VerificationLedgerTests.start
        var requests: [Request] = []
        /// The latest code of the owner's network.
        var latest: SentCode?
        var isUsedUp = true
        var wrongTries = 0
        var sentAt = VerificationLedgerTests.start

        init() {
            rules.tries = 2
            rules.perPair = 2
            rules.perAddress = 3
        }

        mutating func live(_ event: Event) {
            switch event {
            case .waitShortly: now = now.advanced(by: .seconds(40))
            case .waitLong: now = now.advanced(by: .seconds(1300))
            case .setBack: now = now.advanced(by: .seconds(-7200))
            case .ask: ask(from: 0)
            case .askElsewhere: ask(from: 1)
            case .tryRight: enter([1])
            case .tryWrong: enter([255])
            }
        }

        private mutating func ask(from network: Int) {
            let pair = requests.filter { $0.network == network && $0.isInRow }.map(\.time)
            let others = requests.filter { $0.network == network }.map(\.time)
            let ledger = VerificationLedger(
                uses: rules.limits.map { limit in
                    let times =
                        switch limit.subject {
                        case .pair: pair
                        case .network, .site, .block: others
                        // Each network is a block of its own.
                        case .blockPair: others
                        case .address, .domain, .service: requests.map(\.time)
                        }
                    return limit.window(at: now).use(by: times)
                },
                knownSince: nil,
                day: CodeDay([:], at: now),
                latest: pair.max(),
                budgets: [:],
                accountSince: nil,
                hasLongCode: false
            )
            func recent(_ times: [WallTime]) -> Int {
                times.count { abs($0.since(now).count) < 3_600_000 }
            }
            let row = recent(pair)
            let cooldown: Int64 = [0, 30, 60][min(row, 2)] * 1000
            let isTooSoon = row > 0 && now.since(pair.max() ?? now).count < cooldown
            let isOften =
                row >= 2 || recent(others) >= 2 || recent(requests.map(\.time)) >= 3
            switch ledger.request(rules) {
            case .hold: #expect(isOften)
            case .wait(let wait, let names):
                #expect(isTooSoon && !isOften && names == [.cooldown])
                #expect(wait.count > 0 && wait.count <= 3_600_000)
            case .sendLongCode, .helpOwner: Issue.record("there is room for a code")
            case .send(let digits):
                #expect(!isTooSoon && !isOften && digits == 6)
                requests.append(Request(network: network, time: now))
                guard network == 0 else { return }
                latest = SentCode(code: [1], digits: 6, at: now, rules)
                (sentAt, isUsedUp, wrongTries) = (now, false, 0)
            }
        }

        private mutating func enter(_ code: [UInt8]) {
            guard let sent = latest else { return }
            let age = now.since(sentAt).count
            let isAlive = !isUsedUp && wrongTries < 2 && age < 600_000 && age >= -60_000
            switch sent.tried(code, at: now, rules) {
            case .right:
                #expect(isAlive && code == [1])
                (latest, isUsedUp) = (nil, true)
                for index in requests.indices where requests[index].network == 0 {
                    requests[index].isInRow = false
                }
            case .wrong(let after):
                #expect(isAlive && code != [1])
                (latest, wrongTries) = (after, wrongTries + 1)
                #expect((after == nil) == (wrongTries == 2))
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
        let rules = VerificationRules()
        let now = Self.start
        let none = RateUse(count: 0, oldest: nil)
        let latest = now.advanced(by: .seconds(-10))
        let once = RateUse(count: 1, oldest: latest)
        /// The limits in their order, the seconds since the oldest request, the wait of a stranger
        /// and of a known network, and the names of the limits.
        typealias Case = (
            limits: [Int], age: Int64, stranger: Int64, known: Int64, names: Set<CodeLimitName>
        )
        let cases: [Case] = [
            ([6], 1000, 2600, 2600, [.networkHour]), ([7], 3599, 1, 1, [.siteHour]),
            ([8], 20, 40, 0, [.domainMinute]), ([9], 59, 1, 0, [.serviceMinute]),
            ([6, 8], 20, 3580, 3580, [.networkHour, .domainMinute]),
        ]
        let shared: Set<CodeLimitName> = [.domainMinute, .serviceMinute]
        for (limits, age, stranger, known, names) in cases {
            let oldest = now.advanced(by: .seconds(-age))
            let uses = rules.limits.enumerated().map { index, limit in
                limits.contains(index) ? RateUse(count: limit.count, oldest: oldest) : none
            }
            for (isKnown, wait) in [(false, stranger), (true, known)] {
                let ledger = VerificationLedger(
                    uses: uses,
                    knownSince: isKnown ? now : nil,
                    day: CodeDay([:], at: now),
                    latest: nil,
                    budgets: [:],
                    accountSince: nil,
                    hasLongCode: false
                )
                let decision = ledger.request(rules)
                let reasons = isKnown ? names.subtracting(shared) : names
                #expect(
                    decision
                        == (wait == 0 ? .send(digits: 6) : .wait(.seconds(wait), for: reasons))
                )
            }
        }
        let uses = [once] + rules.limits.dropFirst().map { _ in none }
        for isKnown in [false, true] {
            let ledger = VerificationLedger(
                uses: uses,
                knownSince: isKnown ? now : nil,
                day: CodeDay([:], at: now),
                latest: latest,
                budgets: [:],
                accountSince: nil,
                hasLongCode: false
            )
            #expect(ledger.request(rules) == .wait(.seconds(20), for: [.cooldown]))
        }
    }

    /// Each set of limits that are used up, on both kinds of network, with and without a long code.
    @Test("a mailbox that has had its mails has a long code: nobody is refused for its limits")
    func longCodes() {
        let rules = VerificationRules()
        let now = Self.start
        let none = RateUse(count: 0, oldest: nil)
        let oldest = now.advanced(by: .seconds(-10))
        for set in 0..<1 << rules.limits.count {
            let uses = rules.limits.enumerated().map { index, limit in
                set >> index & 1 == 1 ? RateUse(count: limit.count, oldest: oldest) : none
            }
            for (isKnown, lacks) in [(false, false), (false, true), (true, false), (true, true)] {
                let ledger = VerificationLedger(
                    uses: uses,
                    knownSince: isKnown ? now : nil,
                    day: CodeDay([:], at: now),
                    latest: oldest,
                    budgets: [:],
                    accountSince: lacks ? now : nil,
                    hasLongCode: false
                )
                let binding = rules.limits.enumerated().filter { index, limit in
                    set >> index & 1 == 1 && !(isKnown && limit.subject.isShared)
                }.map(\.element)
                let ofMailbox = binding.filter {
                    [.pair, .blockPair, .address].contains($0.subject)
                }
                let expected: Set<String> =
                    switch (binding.count - ofMailbox.count, ofMailbox.count) {
                    case (0, 0): ["send"]
                    case (_, 0): ["wait"]
                    case (0, _): [lacks ? "sendLongCode" : "hold"]
                    default: ["hold"]
                    }
                let name =
                    switch ledger.request(rules) {
                    case .send: "send"
                    case .sendLongCode: "sendLongCode"
                    case .helpOwner: "helpOwner"
                    case .hold: "hold"
                    case .wait: "wait"
                    }
                #expect(expected.contains(name), "\(binding.map(\.name)), lacks: \(lacks)")
            }
        }
    }

    /// Each limit that is used up alone, or beside the wait of a network.
    @Test("an older account has a long code beyond each limit but those that end within an hour")
    func owners() {
        let rules = VerificationRules()
        let now = Self.start
        let none = RateUse(count: 0, oldest: nil)
        let oldest = now.advanced(by: .seconds(-10))
        let settled = now.advanced(by: .seconds(-7 * 86_400))
        let created: [WallTime?] = [nil, now, settled.advanced(by: Milliseconds(1)), settled]
        let names =
            rules.limits.map(\.name) + rules.dayLimits.map(\.name) + [.strangersDay, .serviceDay]
        for name in names {
            let uses = rules.limits.map { limit in
                limit.name == name ? RateUse(count: limit.count, oldest: oldest) : none
            }
            let day = CodeDay.Uses(
                limited: rules.dayLimits.map { $0.name == name ? $0.count : 0 },
                service: name == .strangersDay ? rules.strangersDay : 0
            )
            for (created, hasLongCode) in created.flatMap({ [($0, false), ($0, true)] }) {
                let ledger = VerificationLedger(
                    uses: uses,
                    knownSince: nil,
                    day: CodeDay(
                        [.strangers: day],
                        announcements: name == .serviceDay ? rules.perDay : 0,
                        at: now
                    ),
                    latest: nil,
                    budgets: [:],
                    accountSince: created,
                    hasLongCode: hasLongCode
                )
                let isShort = [.networkHour, .siteHour, .domainMinute, .serviceMinute].contains(
                    name
                )
                let isOfMailbox = rules.limits.contains {
                    $0.name == name && [.pair, .blockPair, .address].contains($0.subject)
                }
                let expected: CodeDecision? =
                    switch created {
                    case _ where isShort: nil
                    case let created? where !hasLongCode && created <= settled: .helpOwner([name])
                    case _? where !hasLongCode && isOfMailbox: .sendLongCode
                    default: .hold([name])
                    }
                let decision = ledger.request(rules)
                if let expected {
                    #expect(decision == expected, "\(name)")
                } else if case .wait(_, for: [name]) = decision {
                } else {
                    Issue.record("\(name) does not make wait: \(decision)")
                }
            }
        }
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
            let use = RateUse(count: 1000, oldest: other)
            // The limits of a mailbox keep nobody waiting.
            let uses = rules.limits.map { limit in
                [.pair, .blockPair, .address].contains(limit.subject)
                    ? RateUse(count: 0, oldest: nil) : use
            }
            let ledger = VerificationLedger(
                uses: uses,
                knownSince: nil,
                day: CodeDay([:], at: now),
                latest: other,
                budgets: [:],
                accountSince: nil,
                hasLongCode: false
            )
            guard case .wait(let wait, _) = ledger.request(rules) else {
                Issue.record("a thousand codes were mailed, and one more was")
                return
            }
            #expect(wait.count > 0 && wait <= rules.window)
        }
    }
}

@Suite("The budget of guesses")
struct GuessBudgetTests {
    private static let start = WallTime(millisecondsSinceEpoch: 1_800_000_000_123)

    @Test("is less than one account in ten years")
    func tenYears() {
        let days = 10 * 365.25
        #expect(Double(VerificationRules().guessBudget) / 1e10 * days < 1)
        #expect(GuessBudget.chance(digits: 6) == 10_000)
        #expect(GuessBudget.chance(digits: RelayLimits.longestCode) == 1)
    }

    @Test(
        "makes codes longer, the more of it is used, and mails long codes alone beyond it",
        arguments: [
            (0, 6), (625_000, 6), (625_001, 8), (1_012_000, 8), (1_012_001, 10),
            (1_349_995, 10), (1_349_996, nil), (.max / 2, nil),
        ] as [(Int64, Int?)]
    )
    func lengths(used: Int64, digits: Int?) {
        let budget = GuessBudget(used: used)
        #expect(budget.digits(VerificationRules()) == digits)
        let rules = VerificationRules()
        let ledger = VerificationLedger(
            uses: rules.limits.map { _ in RateUse(count: 0, oldest: nil) },
            knownSince: Self.start,
            day: CodeDay([:], at: Self.start),
            latest: nil,
            budgets: [.strangers: budget, .established: GuessBudget(used: .max / 2)],
            accountSince: nil,
            hasLongCode: false
        )
        let decision = ledger.request(rules)
        #expect(
            decision == digits.map { .send(digits: $0) } ?? .sendLongCode
        )
    }

    @Test("no failure of one share makes a code of the other one longer, or keeps it back")
    func shares() {
        let rules = VerificationRules()
        let settled = Self.start.advanced(by: .seconds(-8 * 86_400))
        let spent = GuessBudget(used: .max / 2)
        for (spender, knownSince, decision) in [
            (.strangers, settled, .send(digits: 6)), (.established, nil, .send(digits: 6)),
            (.established, settled, .sendLongCode), (.strangers, nil, .sendLongCode),
        ] as [(CodeShare, WallTime?, CodeDecision)] {
            let ledger = VerificationLedger(
                uses: rules.limits.map { _ in RateUse(count: 0, oldest: nil) },
                knownSince: knownSince,
                day: CodeDay([:], at: Self.start),
                latest: nil,
                budgets: [spender: spent],
                accountSince: nil,
                hasLongCode: false
            )
            #expect(ledger.request(rules) == decision)
        }
    }

    /// One who asks for codes of any mailboxes from any networks, keeps them, and tries them when
    /// it seems best: no limit but the budget is in the way.
    @Test("holds against every attacker, for each day wherever it begins", arguments: 1...6)
    func attacker(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var rules = VerificationRules()
        rules.guessBudget = 500_000
        var now = Self.start
        var codes: [(code: SentCode, share: CodeShare)] = []
        var failed: [CodeShare: [WallTime: Int64]] = [:]
        var tries: [(time: WallTime, chance: Int64)] = []
        while now < Self.start.advanced(by: .seconds(4 * 86_400)) {
            now = now.advanced(by: .seconds(Int64.random(in: 1...1200, using: &random)))
            codes.removeAll { !$0.code.isAlive(at: now) }
            let isAsking = Bool.random(using: &random)
            let counted = GuessBudget.counted(at: now)
            for share in CodeShare.allCases {
                var budget = GuessBudget(
                    used: (failed[share] ?? [:]).filter { counted.contains($0.key) }.values
                        .reduce(0, +)
                )
                for open in codes where open.share == share {
                    budget.add(tries: 5 - open.code.tries, digits: open.code.digits)
                }
                for _ in 0..<(isAsking ? Int.random(in: 1...40, using: &random) : 0) {
                    guard let digits = budget.digits(rules) else { break }
                    budget.add(tries: 5, digits: digits)
                    codes.append((SentCode(code: [1], digits: digits, at: now, rules), share))
                }
            }
            let isTrying = seed % 3 == 0 || Bool.random(using: &random)
            guard isTrying else { continue }
            codes = codes.compactMap { open in
                var code: SentCode? = open.code
                for _ in 0..<Int.random(in: 0...5, using: &random) {
                    guard let sent = code, case .wrong(let after) = sent.tried([2], at: now, rules)
                    else { break }
                    let chance = GuessBudget.chance(digits: sent.digits)
                    failed[open.share, default: [:]][GuessBudget.step(of: now), default: 0] +=
                        chance
                    tries.append((now, chance))
                    code = after
                }
                return code.map { ($0, open.share) }
            }
        }
        // The chances of the tries of the day that ends with each try.
        var (worst, day, first): (Int64, Int64, Int) = (0, 0, 0)
        for last in tries {
            day += last.chance
            while tries[first].time <= last.time.advanced(by: Milliseconds(-86_400_000)) {
                day -= tries[first].chance
                first += 1
            }
            worst = max(worst, day)
        }
        #expect(worst <= rules.guessBudget)
        #expect(worst > rules.guessBudget / 4)
    }
}
