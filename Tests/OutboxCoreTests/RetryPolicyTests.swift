import OutboxCore
import Testing

@Suite struct RetryPolicyTests {
    @Test("a device waits 1, 2, 4 … 512, 600, 600 seconds")
    func device() {
        let waits = (1...12).map { RetryPolicy.device.delay(afterAttempt: $0, jitter: 0) }
        let seconds: [Int64] = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 600, 600]
        #expect(waits == seconds.map(Milliseconds.seconds))
    }

    @Test("jitter lengthens a wait by at most 30 percent", arguments: [1, 5, 11, UInt32.max])
    func jitter(attempt: UInt32) {
        let policy = RetryPolicy.device
        let plain = policy.delay(afterAttempt: attempt, jitter: 0)
        let longest = policy.delay(afterAttempt: attempt, jitter: .max)
        #expect(longest.count == plain.count * 13 / 10)
        let middle = policy.delay(afterAttempt: attempt, jitter: .max / 2)
        #expect(plain < middle && middle < longest)
    }

    @Test("no number of attempts overflows, and none shortens the wait")
    func neverShorter() {
        let policy = RetryPolicy(
            base: .seconds(1),
            cap: Milliseconds(.max / 2),
            serverWaitCap: .seconds(1),
            unhintedServerWait: .seconds(1)
        )
        var last = Milliseconds(0)
        for attempt in UInt32(0)...80 {
            let wait = policy.delay(afterAttempt: attempt, jitter: 0)
            #expect(wait >= last)
            last = wait
        }
    }

    @Test("a server's wait is kept between the base and its cap")
    func serverWait() {
        let policy = RetryPolicy.device
        #expect(policy.serverDelay(asked: .seconds(30), jitter: 0) == .seconds(30))
        #expect(policy.serverDelay(asked: Milliseconds(.max), jitter: 0) == .seconds(86_400))
        #expect(policy.serverDelay(asked: Milliseconds(.min), jitter: 0) == policy.base)
        #expect(policy.serverDelay(asked: nil, jitter: 0) == .seconds(60))
    }
}
