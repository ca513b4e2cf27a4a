import OutboxCore
import Testing

@Suite struct StopTests {
    @Test("a look-up that was under way at a stop starts nothing when its answer comes")
    func lateAnswer() {
        let now = WallTime(millisecondsSinceEpoch: 1_800_000_000_000)
        let envelope = Envelope(id: OperationID(high: 0, low: 1), kind: "k", createdAt: now)
        var machine = DeliveryMachine(policy: .device)
        #expect(machine.woken() != nil)
        machine.stopped()
        let start = machine.loaded([envelope], nextEligibleAt: now, now: now)
        #expect(start.attempts.isEmpty && start.timer == nil && start.load == nil)
        #expect(machine.isIdle)
    }
}
