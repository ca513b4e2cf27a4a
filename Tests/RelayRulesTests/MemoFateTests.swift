import OutboxCore
import Testing

@testable import RelayRules

@Suite("A memo's fate")
struct MemoFateTests {
    /// The change that an outcome makes to a queue.
    private func transition(
        after outcome: DeliveryMachine.Outcome
    ) -> DeliveryMachine.Transition {
        let time = WallTime(millisecondsSinceEpoch: 1_800_000_000_000)
        let id = OperationID(high: 1, low: 1)
        var machine = DeliveryMachine(policy: .mail)
        _ = machine.woken()
        let mail = Envelope(id: id, kind: .memoMail, createdAt: time)
        _ = machine.loaded([mail], nextEligibleAt: nil, now: time)
        return machine.attemptFinished(id, outcome, now: time, jitter: 0)
    }

    @Test(
        "is read from the queue's change as the handler decided it",
        arguments: [
            MemoFate.delivered, .bounced("smtp.550"), .expired("smtp.relay.553"),
            .expired("expired.smtp.451"), .malformed,
        ]
    )
    func roundTrip(fate: MemoFate) {
        #expect(MemoFate(transition(after: fate.outcome)) == fate)
    }

    @Test("is open while the mail waits, and while no build at hand can send it")
    func undecided() {
        let outcomes: [DeliveryMachine.Outcome] = [
            .retry("smtp.451"), .retryOnNetwork("smtp.connect"), .retryAfter(nil, "smtp.421"),
            .park(.noHandler),
        ]
        for outcome in outcomes { #expect(MemoFate(transition(after: outcome)) == nil) }
    }
}
