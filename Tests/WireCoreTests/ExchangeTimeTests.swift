import OutboxCore
import Testing
import WireCore

@Suite("The time of an exchange")
struct ExchangeTimeTests {
    @Test("a memo of 1 MiB arrives at 8 KB a second, and a short one has about a minute")
    func lengths() {
        let time = ExchangeTime()
        #expect(time.total(for: 1 << 20) > .seconds((1 << 20) / 8_000))
        #expect(time.total(for: 0) == .seconds(60))
        #expect(time.total(for: 1000) < .seconds(61))
    }
}
