import OutboxCore
import Testing

@testable import OfflineFirst

@Suite struct PullScheduleTests {
    private let settings = SyncSettings(
        foregroundInterval: Milliseconds(1000),
        firstWait: Milliseconds(100),
        longestWait: Milliseconds(350)
    )

    private func wait(
        _ schedule: PullSchedule,
        isUrgent: Bool = false,
        isWanted: Bool = false,
        isForeground: Bool = true,
        at now: Int64
    ) -> Int64? {
        schedule.wait(
            isUrgent: isUrgent,
            isWanted: isWanted,
            isForeground: isForeground,
            now: Milliseconds(now)
        )?.count
    }

    @Test("the first pull begins at once; the next after the interval, in the foreground only")
    func interval() {
        var schedule = PullSchedule(settings: settings)
        #expect(wait(schedule, isForeground: false, at: 5) == 0)
        schedule.ended(nil, now: Milliseconds(10))
        #expect(wait(schedule, at: 10) == 1000)
        #expect(wait(schedule, at: 700) == 310)
        #expect(wait(schedule, at: 2000) == 0)
        #expect(wait(schedule, isForeground: false, at: 2000) == nil)
        #expect(wait(schedule, isUrgent: true, isForeground: false, at: 11) == 0)
    }

    @Test("each failure doubles the wait up to the longest, and a success ends it")
    func failures() {
        var schedule = PullSchedule(settings: settings)
        for expected: Int64 in [100, 200, 350, 350] {
            schedule.ended(.offline, now: Milliseconds(10))
            #expect(wait(schedule, isForeground: false, at: 10) == expected)
            #expect(wait(schedule, isUrgent: true, at: 10) == 0)
        }
        schedule.ended(nil, now: Milliseconds(10))
        #expect(wait(schedule, at: 10) == 1000)
    }

    @Test("records that ask for a pull get it at once, after a failure behind the wait")
    func wanted() {
        var schedule = PullSchedule(settings: settings)
        schedule.ended(nil, now: Milliseconds(10))
        #expect(wait(schedule, isWanted: true, isForeground: false, at: 11) == 0)
        schedule.ended(.records(.newerFormat), now: Milliseconds(20))
        #expect(wait(schedule, isWanted: true, isForeground: false, at: 20) == 100)
        #expect(wait(schedule, isWanted: true, isForeground: false, at: 120) == 0)
        schedule.ended(nil, now: Milliseconds(130))
        #expect(wait(schedule, isWanted: true, isForeground: false, at: 130) == 0)
    }

    @Test("no pull begins before the server's moment, whatever the reason")
    func busy() {
        var schedule = PullSchedule(settings: settings)
        schedule.ended(.busy(retryAfter: Milliseconds(5000)), now: Milliseconds(10))
        #expect(wait(schedule, isUrgent: true, at: 10) == 5000)
        #expect(wait(schedule, at: 4010) == 1000)
        schedule.ended(.busy(retryAfter: Milliseconds(.max)), now: Milliseconds(10))
        let day: Int64 = 24 * 3600 * 1000
        #expect(wait(schedule, isUrgent: true, at: 10) == day)
        schedule.ended(.busy(retryAfter: nil), now: Milliseconds(10))
        #expect(wait(schedule, isUrgent: true, at: 10) == 100)
    }
}
