import OutboxCore
import Testing

@testable import RelayServer

@Suite("The rule on a device's memos")
struct DeviceQuotaTests {
    private static let limits = DeviceLimits(perMinute: 2, perDay: 3)

    private func decision(_ times: [Int64], at now: Int64) -> DeviceQuota.Decision {
        let quota = DeviceQuota(Self.limits, at: WallTime(millisecondsSinceEpoch: now))
        let times = times.map { WallTime(millisecondsSinceEpoch: $0) }
        return quota.decision(quota.windows.map { $0.use(by: times) })
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
                #expect(usages.map(\.remaining) == [1 - inMinute.count, 2 - inDay.count])
            case .refused(let usages):
                #expect(!isGranted, "\(chosen)")
                let left = [max(0, 2 - inMinute.count), max(0, 3 - inDay.count)]
                #expect(usages.map(\.remaining) == left)
                for (usage, counted) in zip(usages, [inMinute, inDay]) {
                    let window = usage.limit.window.count
                    let end = (counted.min() ?? 0) + window
                    #expect(usage.reset.count == min(end, window), "\(chosen)")
                    #expect(usage.reset.count > 0)
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
        let quota = DeviceQuota(DeviceLimits(perMinute: 0, perDay: 5), at: now)
        let none = RateUse(count: 0, oldest: nil)
        guard case .refused(let usages) = quota.decision([none, none]) else {
            Issue.record("granted")
            return
        }
        #expect(usages[0].reset == .seconds(60) && usages[1].remaining == 5)
    }
}
