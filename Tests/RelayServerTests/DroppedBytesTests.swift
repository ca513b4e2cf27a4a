import NIOCore
import Testing

@testable import RelayServer

@Suite("The bytes that a relay drops")
struct DroppedBytesTests {
    private let start = NIODeadline.uptimeNanoseconds(0)

    @Test("are so many in a second for all connections together, and none are saved up")
    func rate() {
        let dropped = DroppedBytes(perSecond: 1000, now: start)
        #expect(dropped.count(999, at: start))
        #expect(!dropped.count(1, at: start))
        #expect(!dropped.count(500, at: start))
        // What was received beyond them is owed.
        #expect(!dropped.count(0, at: start + .milliseconds(500)))
        #expect(dropped.count(0, at: start + .milliseconds(501)))
        #expect(dropped.count(999, at: start + .hours(1)))
        #expect(!dropped.count(1, at: start + .hours(1)))
    }

    @Test("are none of a clock that goes back")
    func clock() {
        let dropped = DroppedBytes(perSecond: 1000, now: start + .hours(1))
        #expect(!dropped.count(1000, at: start))
        #expect(!dropped.count(0, at: start + .hours(1)))
        #expect(dropped.count(0, at: start + .hours(1) + .milliseconds(1)))
    }
}
