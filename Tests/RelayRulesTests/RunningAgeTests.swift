import OutboxCore
import Testing

@testable import RelayRules

@Suite("The age of a dead letter")
struct RunningAgeTests {
    private let age = RunningAge(lifetime: .seconds(100))

    @Test("is reached once the relay has run for the lifetime since it saw the letter")
    func reached() {
        #expect(!age.isReached(since: .seconds(7), at: .seconds(7)))
        #expect(!age.isReached(since: .seconds(7), at: Milliseconds(106_999)))
        #expect(age.isReached(since: .seconds(7), at: .seconds(107)))
        #expect(age.isReached(since: .seconds(0), at: .seconds(1_000_000)))
    }

    @Test("counts a span of the monotonic clock, of a machine that slept twenty minutes at most")
    func spans() {
        #expect(age.running(.seconds(5), after: .seconds(600)) == .seconds(605))
        #expect(age.running(.seconds(5), after: Milliseconds(0)) == .seconds(5))
        #expect(age.running(.seconds(5), after: .seconds(-600)) == .seconds(5))
        #expect(age.running(.seconds(5), after: .seconds(30 * 86_400)) == .seconds(1205))
    }
}
