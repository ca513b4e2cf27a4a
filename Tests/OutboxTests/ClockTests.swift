import Outbox
import OutboxCore
import OutboxTesting
import Testing

@Suite(.timeLimit(.minutes(60))) struct ClockTests {
    private static let sixHours = Milliseconds.seconds(6 * 3600)

    @Test(
        "setting the clock while waiting neither hurries nor delays the next attempt",
        arguments: [-1, 1]
    )
    func setWhileWaiting(direction: Int64) async throws {
        let fixture = OutboxFixture()
        try await fixture.outbox.enqueue(kind: "note", payload: [1])
        let monotonic = fixture.clock.clock.monotonic
        let start = monotonic()
        let handler = fixture.handler([.retry("a"), .retry("b")])
        try await fixture.drainUntilIdle { operation in
            fixture.clock.setWallTime(movedBy: Milliseconds(direction * Self.sixHours.count))
            return await handler(operation)
        }
        let elapsed = Milliseconds(monotonic().count - start.count)
        #expect(fixture.attempts.count == 3)
        // Waits of 1 and 2 s without jitter; the fixture's clock goes on while the drain works.
        #expect(elapsed >= .seconds(3) && elapsed < .seconds(5))
    }

    @Test("a clock set back while nothing ran delays by no more than the longest wait")
    func setBackWhileStopped() async throws {
        let storage = MemoryStorage()
        let keys = MemoryKeyStore()
        let clock = ManualClock()
        let first = OutboxFixture(storage: storage, keys: keys, clock: clock)
        let id = try await first.outbox.enqueue(kind: "note", payload: [1])
        var envelope = try #require(try first.outbox.entry(for: id)?.envelope)
        envelope.waitCause = .backoff
        envelope.nextEligibleAt = clock.now.advanced(by: .seconds(600))
        try storage.settle(.reschedule(envelope), for: id)

        clock.setWallTime(movedBy: Milliseconds(-Self.sixHours.count))
        let second = OutboxFixture(storage: storage, keys: keys, clock: clock)
        let start = clock.now
        try await second.drainUntilIdle(second.handler())
        #expect(second.attempts.count == 1)
        // The policy's longest wait, 600 s times 1.3; the fixture's clock goes on meanwhile.
        #expect(clock.now.since(start) <= .seconds(781))
    }

    @Test("an operation enqueued under a clock that is years ahead is attempted at once")
    func enqueuedInTheFuture() async throws {
        let fixture = OutboxFixture()
        fixture.clock.setWallTime(movedBy: .seconds(10 * 365 * 86_400))
        try await fixture.outbox.enqueue(kind: "note", payload: [1])
        fixture.clock.setWallTime(movedBy: .seconds(-10 * 365 * 86_400))
        let start = fixture.clock.now
        try await fixture.drainUntilIdle(fixture.handler())
        // No wait: the fixture's clock goes on only while the drain works.
        #expect(fixture.clock.now.since(start) < .seconds(1))
    }
}
