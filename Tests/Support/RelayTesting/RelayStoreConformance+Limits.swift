import OutboxCore
import RelayRules
import RelayServer

extension RelayStoreConformance {
    static var limitChecks: [Check] { spaceChecks + networkChecks + ageChecks + clockChecks }

    private static var spaceChecks: [Check] {
        [
            Check(description: "the bytes of all devices of an account in a day are limited") {
                store in
                let limits = MemoLimits(account: AccountLimits(bytesPerDay: 100, waiting: 9))
                let mine = [try await device(1, in: store), try await device(2, in: store)]
                let first = memo(1, from: mine[0], bytes: 60)
                try expect(try await exceeded(by: first, limits, in: store) == nil)
                let long = memo(2, from: mine[1], bytes: 41)
                try expect(try await exceeded(by: long, limits, in: store) == ["account-day"])
                let fitting = memo(2, from: mine[1], bytes: 40)
                try expect(try await exceeded(by: fitting, limits, in: store) == nil)
                let usages = try await store.usages(of: sender(mine[0]), limits: limits, at: now)
                let day = try value(usages.first { $0.limit.name == "account-day" })
                try expect(day.remaining == 0 && day.reset == .seconds(86_400))
                let stranger = try await device(3, of: 2, in: store)
                let theirs = memo(3, from: stranger, bytes: 100)
                try expect(try await exceeded(by: theirs, limits, in: store) == nil)
                let later = now.advanced(by: .seconds(86_400))
                let next = memo(4, from: mine[0], at: later, bytes: 100)
                try expect(try await exceeded(by: next, limits, in: store) == nil)
            },
            Check(description: "the mails that wait are limited, by number and by bytes") { store in
                var limits = MemoLimits(account: AccountLimits(waiting: 2, waitingBytes: 100))
                let device = try await device(1, in: store)
                for number: UInt64 in 1...2 {
                    let memo = memo(number, from: device, bytes: 45)
                    try expect(try await exceeded(by: memo, limits, in: store) == nil)
                }
                let third = memo(3, from: device, bytes: 11)
                try expect(
                    try await exceeded(by: third, limits, in: store) == [
                        "waiting", "waiting-bytes",
                    ]
                )
                limits.account.waiting = 3
                try expect(try await exceeded(by: third, limits, in: store) == ["waiting-bytes"])
                let usages = try await store.usages(of: sender(device), limits: limits, at: now)
                let waiting = usages.filter { $0.limit.window == nil }
                try expect(waiting.map(\.remaining) == [1, 10])
                try expect(waiting.allSatisfy { $0.reset == nil })
                // One mail is delivered and another one refused: neither waits any more.
                try await drain(store) { $0.messageID == "memo-1" ? .done : .park("smtp.550") }
                let more = memo(3, from: device, bytes: 100)
                try expect(try await exceeded(by: more, limits, in: store) == nil)
            },
            Check(description: "of \(crowd) memos, as many bytes as the limit are accepted") {
                store in
                let device = try await device(1, in: store)
                let limits = MemoLimits(
                    device: DeviceLimits(perMinute: 100, perDay: 100),
                    account: AccountLimits(bytesPerDay: 1000, waiting: 100, waitingBytes: 2000)
                )
                let refusals = try await inCrowd { number in
                    let memo = memo(UInt64(number), from: device, bytes: 90)
                    return try await exceeded(by: memo, limits, in: store)
                }
                try expect(refusals.count { $0 == nil } == 11)
                try expect(refusals.allSatisfy { $0 == nil || $0 == ["account-day"] })
            },
            Check(description: "of \(crowd) memos, as many as may wait are accepted") { store in
                let device = try await device(1, in: store)
                let limits = MemoLimits(
                    device: DeviceLimits(perMinute: 100, perDay: 100),
                    account: AccountLimits(waiting: 7)
                )
                let refusals = try await inCrowd { number in
                    try await exceeded(by: memo(UInt64(number), from: device), limits, in: store)
                }
                try expect(refusals.count { $0 == nil } == 7)
            },
        ]
    }

    private static var networkChecks: [Check] {
        [
            Check(description: "the memos from a network, and from its site, are limited") {
                store in
                let limits = MemoLimits(network: NetworkLimits(perHour: 2, perSiteHour: 3))
                let devices = [
                    try await device(1, in: store), try await device(2, of: 2, in: store),
                ]
                let (here, there, away): ([[UInt8]], [[UInt8]], [[UInt8]]) = (
                    [[1], [9]], [[2], [9]], [[3], [8]]
                )
                func refusal(
                    _ number: UInt64,
                    _ networks: [[UInt8]],
                    at time: WallTime = now
                ) async throws -> [String]? {
                    let sender = devices[Int(number % 2)]
                    let memo = memo(number, from: sender, at: time, networks: networks)
                    return try await exceeded(by: memo, limits, in: store)
                }
                try expect(try await refusal(1, here) == nil)
                try expect(try await refusal(2, here) == nil)
                try expect(try await refusal(3, here) == ["network-hour"])
                try expect(try await refusal(4, there) == nil)
                try expect(try await refusal(5, there) == ["site-hour"])
                try expect(try await refusal(6, away) == nil)
                let stranger = MemoSender(mailbox: nil, networks: here)
                let usages = try await store.usages(of: stranger, limits: limits, at: now)
                try expect(usages.map(\.limit.name) == ["network-hour", "site-hour"])
                try expect(usages.map(\.remaining) == [0, 0])
                let soon = now.advanced(by: .seconds(3599))
                try expect(try await refusal(7, here, at: soon) == ["network-hour", "site-hour"])
                let wait = try value(usages[0].reset)
                try expect(try await refusal(7, here, at: now.advanced(by: wait)) == nil)
            },
            Check(description: "of \(crowd) people of a network, as many as its limit are served") {
                store in
                let limits = MemoLimits(network: NetworkLimits(perHour: 5))
                let refusals = try await inCrowd { number in
                    let device = try await device(number + 1, of: UInt8(number), in: store)
                    let memo = memo(1, from: device, networks: [[1]])
                    return try await exceeded(by: memo, limits, in: store)
                }
                try expect(refusals.count { $0 == nil } == 5)
                try expect(refusals.allSatisfy { $0 == nil || $0 == ["network-hour"] })
            },
            Check(description: "of \(crowd) people, as many as the service's limit are served") {
                store in
                let limits = MemoLimits(servicePerDay: 6)
                let refusals = try await inCrowd { number in
                    let device = try await device(number + 1, of: UInt8(number), in: store)
                    let memo = memo(1, from: device, networks: [[UInt8(number)]])
                    return try await exceeded(by: memo, limits, in: store)
                }
                try expect(refusals.count { $0 == nil } == 6)
                try expect(refusals.allSatisfy { $0 == nil || $0 == ["service-day"] })
            },
        ]
    }

    private static var week: WallTime { now.advanced(by: .seconds(7 * 86_400)) }

    private static var ageChecks: [Check] {
        [
            Check(description: "young accounts share a third of the day, and leave the rest") {
                store in
                let limits = MemoLimits(servicePerDay: 9)
                let old = try await device(1, in: store)
                var refusals: [[String]?] = []
                for number in 2...6 {
                    let young = try await device(number, of: UInt8(number), in: store, at: week)
                    let memo = memo(1, from: young, at: week)
                    refusals.append(try await exceeded(by: memo, limits, in: store))
                }
                try expect(refusals == [nil, nil, nil, ["young-day"], ["young-day"]])
                for number: UInt64 in 1...7 {
                    let memo = memo(number, from: old, at: week, networks: [[1]])
                    let refusal = try await exceeded(by: memo, limits, in: store)
                    try expect(refusal == (number < 7 ? nil : ["service-day"]))
                }
            },
            Check(description: "before any account is a week old, young ones have the whole day") {
                store in
                let limits = MemoLimits(servicePerDay: 9)
                let young = try await device(1, in: store)
                let time = week.advanced(by: Milliseconds(-1))
                for number: UInt64 in 1...10 {
                    let memo = memo(number, from: young, at: time)
                    let refusal = try await exceeded(by: memo, limits, in: store)
                    try expect(refusal == (number < 10 ? nil : ["service-day"]))
                }
            },
            Check(description: "where an account is known for a week, its own limits alone hold") {
                store in
                let limits = MemoLimits(
                    device: DeviceLimits(perMinute: 4, perDay: 4),
                    network: NetworkLimits(perHour: 1, perSiteHour: 1),
                    servicePerDay: 1
                )
                let known = try await device(1, in: store)
                let old = try await device(2, in: store)
                let pair: [UInt8] = [0, 1, 1]
                func refusal(_ number: UInt64, _ pair: [UInt8]) async throws -> [String]? {
                    let memo = memo(number, from: old, at: week, pair: pair, networks: [[1], [2]])
                    return try await exceeded(by: memo, limits, in: store)
                }
                for number: UInt64 in 1...3 { try expect(try await refusal(number, pair) == nil) }
                let shared = ["network-hour", "site-hour", "service-day"]
                try expect(try await refusal(4, [0, 1, 2]) == shared)
                try expect(try await refusal(4, pair) == nil)
                try expect(try await refusal(5, pair) == ["device-minute", "device-day"])
                _ = try await store.revoke(known.id, of: known.account, at: week)
                try expect(try await refusal(6, pair)?.contains("service-day") == true)
            },
        ]
    }

    private static var clockChecks: [Check] {
        [
            Check(description: "a clock that jumps years ahead and back refills no limit") {
                store in
                let device = try await device(1, in: store)
                let limits = MemoLimits(
                    account: AccountLimits(bytesPerDay: 100, waiting: 9),
                    network: NetworkLimits(perHour: 1),
                    servicePerDay: 1
                )
                func refusal(_ number: UInt64, at time: WallTime) async throws -> [String]? {
                    let memo = memo(number, from: device, at: time, bytes: 100, networks: [[1]])
                    return try await exceeded(by: memo, limits, in: store)
                }
                let all = ["account-day", "network-hour", "service-day"]
                try expect(try await refusal(1, at: now) == nil)
                try expect(try await refusal(2, at: now) == all)
                // Some steps later, too, so that the steps have different rows.
                let step: Int64 = 86_400 / 60
                let ahead = now.advanced(by: .seconds(step * (64 * 5000 + 2)))
                try expect(try await refusal(2, at: ahead) == nil)
                try expect(try await refusal(3, at: ahead) == all)
                try expect(try await refusal(3, at: now) == all)
                let back = now.advanced(by: .seconds(-3000))
                try expect(try await refusal(3, at: back) == all)
            }
        ]
    }
}
