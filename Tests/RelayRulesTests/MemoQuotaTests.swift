import OutboxCore
import OutboxTesting
import TestSeeds
import Testing

@testable import RelayRules

@Suite("The rule on accepted memos")
struct MemoQuotaTests {
    private static let sender = MemoSender(mailbox: MailboxID(bits: OperationID(high: 0, low: 1)))
    private static let limits = MemoLimits(device: DeviceLimits(perMinute: 2, perDay: 3))

    private func decision(_ times: [Int64], at now: Int64) -> MemoQuota.Decision {
        let now = WallTime(millisecondsSinceEpoch: now)
        let quota = MemoQuota(Self.limits, for: Self.sender, at: now)
        let times = times.map { WallTime(millisecondsSinceEpoch: $0) }
        return quota.decision(
            of: 1,
            MemoQuota.Found(
                uses: quota.counters.map { counter in
                    guard case .accepted(_, let window) = counter else { return MemoUse(memos: 0) }
                    let use = window.use(by: times)
                    return MemoUse(memos: use.count, bytes: use.count, oldest: use.oldest)
                }
            )
        )
    }

    @Test("grants a memo exactly when no window is full, for every choice of five times")
    func exhaustive() {
        let minute: Int64 = 60_000
        let day: Int64 = 86_400_000
        // The edges of both windows, seen from now = 0, and a millisecond on either side.
        let times: [Int64] = [
            -day - 1, -day, -day + 1, -minute - 1, -minute, -minute + 1, 0, minute - 1, minute,
            day - 1, day,
        ]
        func choose(_ chosen: [Int64], _ rest: ArraySlice<Int64>) {
            check(chosen)
            guard chosen.count < 5 else { return }
            for index in rest.indices { choose(chosen + [rest[index]], rest[index...]) }
        }
        func check(_ chosen: [Int64]) {
            let inMinute = chosen.filter { abs($0) < minute }
            let inDay = chosen.filter { abs($0) < day }
            let isGranted = inMinute.count < 2 && inDay.count < 3
            switch decision(chosen, at: 0) {
            case .granted(let usages):
                #expect(isGranted, "\(chosen)")
                #expect(usages.prefix(2).map(\.remaining) == [1 - inMinute.count, 2 - inDay.count])
            case .refused(let usages):
                #expect(!isGranted, "\(chosen)")
                let left = [max(0, 2 - inMinute.count), max(0, 3 - inDay.count)]
                #expect(usages.prefix(2).map(\.remaining) == left)
                for (usage, counted) in zip(usages, [inMinute, inDay]) {
                    let window = usage.limit.window?.count ?? 0
                    let end = (counted.min() ?? 0) + window
                    #expect(usage.reset == Milliseconds(min(end, window)), "\(chosen)")
                }
            }
        }
        choose([], times[...])
    }

    @Test("a refused memo is granted once the told wait is over, and not a millisecond before")
    func waitIsExact() {
        let times: [Int64] = [10, 500]
        guard case .refused(let usages) = decision(times, at: 1000) else {
            Issue.record("a third memo within a minute")
            return
        }
        #expect(usages[0].reset == Milliseconds(59_010))
        guard case .refused = decision(times, at: 1000 + 59_009) else {
            Issue.record("granted too early")
            return
        }
        guard case .granted = decision(times, at: 1000 + 59_010) else {
            Issue.record("refused for too long")
            return
        }
    }

    @Test("a limit of zero grants nothing, and tells a whole window")
    func zero() {
        let now = WallTime(millisecondsSinceEpoch: 0)
        let limits = MemoLimits(device: DeviceLimits(perMinute: 0, perDay: 5))
        let quota = MemoQuota(limits, for: Self.sender, at: now)
        let none = quota.counters.map { _ in MemoUse(memos: 0) }
        guard case .refused(let usages) = quota.decision(of: 1, MemoQuota.Found(uses: none)) else {
            Issue.record("granted")
            return
        }
        #expect(usages[0].reset == .seconds(60) && usages[1].remaining == 5)
    }

    @Test("a memo is granted exactly when its bytes fit, to the byte")
    func bytes() {
        let now = WallTime(millisecondsSinceEpoch: 0)
        let account = AccountLimits(bytesPerDay: 100, waiting: 9, waitingBytes: 50)
        let limits = MemoLimits(account: account)
        let quota = MemoQuota(limits, for: Self.sender, at: now)
        for (sent, waiting) in [(0, 0), (60, 10), (99, 0), (100, 0), (0, 49), (0, 50), (120, 70)] {
            let uses = quota.counters.map { counter in
                switch counter {
                case .accepted: MemoUse(memos: 1, bytes: sent, oldest: now)
                case .waiting: MemoUse(memos: 1, bytes: waiting)
                case .stepped: MemoUse(memos: 1, oldest: now)
                }
            }
            for size in 0...101 {
                let fits = sent + size <= 100 && waiting + size <= 50
                let isFull = (sent > 100 || waiting > 50) && size == 0
                switch quota.decision(of: size, MemoQuota.Found(uses: uses)) {
                case .granted(let after):
                    #expect(fits || isFull, "\(sent) \(waiting) \(size)")
                    let left = after.filter { $0.limit.unit == .bytes }.map(\.remaining)
                    if fits { #expect(left == [100 - sent - size, 50 - waiting - size]) }
                case .refused(let usages):
                    #expect(!fits, "\(sent) \(waiting) \(size)")
                    let names = usages.filter { $0.isExceeded(by: size) }.map(\.limit.name)
                    #expect(names.contains("account-day") == (sent + size > 100))
                    #expect(names.contains("waiting-bytes") == (waiting + size > 50))
                }
            }
        }
    }

    /// Every age of the account, of the oldest account and of the one that knows the network, and every set
    /// of shared limits that are used up.
    @Test("young accounts share a third, and an older one has its own limits where it is known")
    func ages() {
        let now = WallTime(millisecondsSinceEpoch: 1 << 40)
        let week = now.advanced(by: .seconds(-7 * 86_400))
        let ages: [WallTime?] = [
            nil, week.advanced(by: Milliseconds(-1)), week, week.advanced(by: Milliseconds(1)), now,
            now.advanced(by: .seconds(1)),
        ]
        func isOld(_ time: WallTime?) -> Bool { time.map { $0 <= week } ?? false }
        for created in ages {
            for (oldest, knownSince) in ages.flatMap({ oldest in ages.map { (oldest, $0) } }) {
                for bounds in [true, false] {
                    var limits = MemoLimits(network: NetworkLimits(perHour: 100))
                    limits.boundsYoungAccounts = bounds
                    let sender = MemoSender(
                        mailbox: Self.sender.mailbox,
                        createdAt: created,
                        pair: [1],
                        networks: [[2], [3]]
                    )
                    let quota = MemoQuota(limits, for: sender, at: now)
                    let full = MemoUse(memos: .max, oldest: now)
                    let found = MemoQuota.Found(
                        uses: quota.counters.map { counter in
                            if case .stepped = counter { full } else { MemoUse(memos: 0) }
                        },
                        oldest: quota.asksForOldest ? oldest : nil,
                        knownSince: quota.askedPair == nil ? nil : knownSince
                    )
                    let names = Set(
                        quota.usages(found).filter { $0.isExceeded(by: 1) }.map(\.limit.name)
                    )
                    let isYoung = created != nil && !isOld(created)
                    let isKnown = isOld(created) && isOld(knownSince)
                    #expect(names.contains("young-day") == (isYoung && bounds && isOld(oldest)))
                    for name in ["network-hour", "site-hour", "service-day"] {
                        #expect(names.contains(name) == !isKnown)
                    }
                }
            }
        }
        #expect(MemoLimits().youngLimit.quota == 100)
        for perDay in [1, 2, 3, 4, 1000] {
            let quota = MemoLimits(servicePerDay: perDay).youngLimit.quota
            #expect(quota == max(1, perDay / 3))
        }
    }

    @Test(
        "steps never let more pass in a window than the limit, and are at most a step late",
        arguments: TestSeeds["rate-steps"]
    )
    func steps(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let (length, step): (Int64, Int64) = (3_600_000, 60_000)
        for _ in 0..<200 {
            var accepted: [Int64] = []
            var rows: [Int64: (begins: WallTime, memos: Int)] = [:]
            var now = Int64.random(in: -5_000_000...5_000_000, using: &random)
            for _ in 0..<60 {
                let longest: Int64 = .random(using: &random) ? 1000 : 600_000
                now += Int64.random(in: 0...longest, using: &random)
                let steps = RateSteps(
                    Milliseconds(length),
                    at: WallTime(millisecondsSinceEpoch: now)
                )
                let counted = rows.values.filter { steps.window.contains($0.begins) }
                let use = counted.reduce(0) { $0 + $1.memos }
                let inWindow = accepted.count { $0 > now - length }
                #expect(use >= inWindow, "a memo of the window does not count")
                let inLonger = accepted.count { $0 > now - length - step }
                #expect(use <= inLonger, "a memo counts for too long")
                guard use < 5 else { continue }
                accepted.append(now)
                let earlier = rows[steps.row]
                let memos = earlier?.begins == steps.current ? earlier?.memos ?? 0 : 0
                rows[steps.row] = (steps.current, memos + 1)
            }
        }
    }

    @Test(
        "the steps of a range count as their window says",
        arguments: TestSeeds["rate-steps"]
    )
    func countedSteps(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        for length in [Int64(1), 59, 60, 61, 90_000, 3_600_000, 86_400_000] {
            let step = max(1, length / 60)
            for _ in 0..<50 {
                let number = Int64.random(in: -100...100, using: &random)
                let rest =
                    [0, 1, step - 1, .random(in: 0..<step, using: &random)]
                    .randomElement(using: &random) ?? 0
                let now = WallTime(millisecondsSinceEpoch: number * step + rest)
                let steps = RateSteps(Milliseconds(length), at: now)
                for other in number - 70...number + 70 {
                    let begins = WallTime(millisecondsSinceEpoch: other * step)
                    #expect(steps.counted.contains(begins) == steps.window.contains(begins))
                }
            }
        }
    }

    @Test("limits that contradict each other are refused with the reason, and no others")
    func contradictions() throws {
        #expect(MemoLimits().contradictions == [] && MemoLimits().warning != nil)
        for perDay in [30, 31, 200, 1_000_000] {
            let limits = MemoLimits(device: DeviceLimits(perMinute: 30, perDay: perDay))
            #expect(limits.contradictions == [])
        }
        let changes: [(String, (inout MemoLimits) -> Void)] = [
            ("--device-day 29 is less than --device-minute 30", { $0.device.perDay = 29 }),
            ("--network-hour 29 is less than --device-minute 30", { $0.network.perHour = 29 }),
            ("--site-hour 119 is less than --network-hour 120", { $0.network.perSiteHour = 119 }),
            ("--service-day 199 is less than --device-day 200", { $0.servicePerDay = 199 }),
            ("at least 1", { $0.device.perMinute = 0 }), ("at least 1", { $0.account.waiting = 0 }),
            ("must be at least 2", { $0.account.bytesPerDay = 1 << 20 }),
            ("must be at least 2", { $0.account.waitingBytes = 1 << 20 }),
        ]
        for (sentence, change) in changes {
            var limits = MemoLimits()
            change(&limits)
            #expect(limits.contradictions.count == 1)
            #expect(try #require(limits.contradictions.first).contains(sentence))
        }
        var several = MemoLimits(device: DeviceLimits(perMinute: 30, perDay: 29))
        several.network.perSiteHour = 119
        #expect(several.contradictions.count == 2)
        #expect(MemoLimits(servicePerDay: 400).warning == nil)
    }
}
