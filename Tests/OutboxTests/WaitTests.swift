import Outbox
import OutboxCore
import OutboxTesting
import Testing

/// What ends a wait that is under way, and what does not.
@Suite(.timeLimit(.minutes(60))) struct WaitTests {
    private let fixture = OutboxFixture()

    /// Runs `body` while an operation, whose first attempt ended with `outcome`, waits for its
    /// second one.
    private func whileWaiting(
        after outcome: DeliveryMachine.Outcome,
        _ body: (OperationID) async throws -> Void
    ) async throws {
        let id = try await fixture.outbox.enqueue(kind: "note", payload: [1])
        let handler = fixture.handler([outcome])
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await fixture.outbox.drain(["note": handler]) }
            try await untilDeliveredOrWaiting()
            try await body(id)
            tasks.cancelAll()
        }
    }

    /// Returns when the drain has handled all that was asked of it before.
    private func untilLookedAgain() async throws {
        let id = try await fixture.outbox.enqueue(kind: "note", payload: [2])
        while try fixture.outbox.entry(for: id) != nil {
            try Task.checkCancellation()
            await Task.yield()
        }
    }

    /// Returns when nothing is left, or all that is left is waited for.
    private func untilDeliveredOrWaiting() async throws {
        while try fixture.outbox.counts() != OutboxCounts(), fixture.clock.sleeperCount == 0 {
            try Task.checkCancellation()
            await Task.yield()
        }
    }

    @Test("the network's return ends the wait of what waited for it, without any time passing")
    func network() async throws {
        try await whileWaiting(after: .retryOnNetwork("offline")) { _ in
            fixture.outbox.networkReturned()
            try await untilLookedAgain()
            try await untilDeliveredOrWaiting()
            #expect(try fixture.outbox.counts() == OutboxCounts())
        }
    }

    @Test(
        "the network's return ends no wait that a server asked for, nor one after a failure",
        arguments: [.retryAfter(.seconds(60), "busy"), .retry("failed")]
            as [DeliveryMachine.Outcome]
    )
    func otherCauses(outcome: DeliveryMachine.Outcome) async throws {
        try await whileWaiting(after: outcome) { id in
            fixture.outbox.networkReturned()
            try await untilLookedAgain()
            try await untilDeliveredOrWaiting()
            #expect(fixture.attempts.filter { $0.id == id }.count == 1)
            #expect(try fixture.outbox.counts() == OutboxCounts(queued: 1))
        }
    }

    @Test("setting the clock during a wait neither hurries nor delays its end", arguments: [-6, 6])
    func clock(hours: Int64) async throws {
        try await whileWaiting(after: .retry("failed")) { id in
            fixture.clock.setWallTime(movedBy: .seconds(hours * 3600))
            try await untilLookedAgain()
            try await untilDeliveredOrWaiting()
            #expect(fixture.attempts.filter { $0.id == id }.count == 1)
            fixture.clock.advance(by: .seconds(1))
            try await untilDeliveredOrWaiting()
            #expect(try fixture.outbox.counts() == OutboxCounts())
        }
    }
}
