import OutboxCore
import Testing

@Suite("The number of attempts at once follows the other side")
struct AttemptWindowTests {
    private var machine = DeliveryMachine(policy: .device, window: AttemptWindow(2...12))
    private let now = WallTime(millisecondsSinceEpoch: 1_800_000_000_000)
    private var created: UInt64 = 0

    /// Attempts as many operations as the machine begins, of so many that are queued; each has the
    /// outcome.
    private mutating func round(
        queued: Int = 100,
        _ outcome: DeliveryMachine.Outcome = .done
    ) -> Int {
        guard machine.woken() != nil else { return 0 }
        let envelopes = (0..<queued).map { _ in
            created += 1
            return Envelope(
                id: OperationID(high: created, low: 0),
                kind: "memo",
                createdAt: now,
                orderingKey: nil
            )
        }
        let begun = machine.loaded(envelopes, nextEligibleAt: nil, now: now).attempts
        for envelope in begun {
            _ = machine.attemptFinished(envelope.id, outcome, now: now, jitter: 0)
        }
        _ = machine.transitionsStored(begun.map(\.id))
        _ = machine.loaded([], nextEligibleAt: nil, now: now)
        return begun.count
    }

    @Test("doubles with each round that the other side takes, up to its greatest size")
    mutating func growth() {
        #expect((0..<5).map { _ in round() } == [2, 4, 8, 12, 12])
    }

    @Test("halves with each failure, not below its least size, and then grows by one a round")
    mutating func failure() {
        for _ in 0..<4 { _ = round() }
        #expect(round(queued: 1, .retry("smtp.421")) == 1)
        #expect((0..<3).map { _ in round() } == [6, 7, 8])
        #expect(round(.retryOnNetwork("smtp.connect")) == 9)
        #expect((0..<2).map { _ in round() } == [2, 3])
    }

    @Test("stays where a wait was asked for, and where one operation was refused")
    mutating func neutral() {
        for _ in 0..<2 { _ = round() }
        #expect(round(.retryAfter(.seconds(1), "http.429")) == 8)
        #expect(round(.park("smtp.550")) == 8)
        #expect(round() == 8)
    }

    @Test("does not grow while less than a quarter of it is in use")
    mutating func unused() {
        for _ in 0..<2 { _ = round() }
        for _ in 0..<50 { #expect(round(queued: 1) == 1) }
        #expect(machine.maximumInFlight == 8)
        for _ in 0..<50 { #expect(round(queued: 2) == 2) }
        #expect(machine.maximumInFlight > 8)
    }

    @Test("with more in flight than a window that has shrunk, no attempt begins")
    mutating func shrunk() throws {
        for _ in 0..<4 { _ = round() }
        _ = machine.woken()
        let envelopes = (0..<12).map { number in
            Envelope(
                id: OperationID(high: 1_000_000 + number, low: 0),
                kind: "memo",
                createdAt: now,
                orderingKey: nil
            )
        }
        _ = machine.loaded(envelopes, nextEligibleAt: nil, now: now)
        #expect(machine.flights.count == 12)
        _ = machine.attemptFinished(envelopes[0].id, .retry("smtp.421"), now: now, jitter: 0)
        #expect(machine.transitionStored(envelopes[0].id) == nil)
        #expect(machine.flights.count == 11)
        for envelope in envelopes[1...5] {
            _ = machine.attemptFinished(envelope.id, .park("smtp.550"), now: now, jitter: 0)
            #expect(machine.transitionStored(envelope.id) == nil)
        }
        _ = machine.attemptFinished(envelopes[6].id, .park("smtp.550"), now: now, jitter: 0)
        #expect(machine.transitionStored(envelopes[6].id)?.limit == 1)
    }

    @Test("one size never changes")
    mutating func fixed() {
        machine = DeliveryMachine(policy: .device, window: AttemptWindow(3))
        #expect(round() == 3)
        #expect(round(.retry("smtp.421")) == 3)
        #expect(round() == 3)
    }
}
