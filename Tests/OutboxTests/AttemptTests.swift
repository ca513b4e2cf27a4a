import Outbox
import OutboxCore
import OutboxTesting
import Testing

/// Where handlers run.
@Suite(.timeLimit(.minutes(60))) struct AttemptTests {
    /// How many attempts had been begun when the handler of each operation was heard of.
    private func beginnings(_ world: SimulatedDrain, computing: Milliseconds) -> [Int: Int] {
        nonisolated(unsafe) var begun: [Int: Int] = [:]
        world.run(until: .seconds(1)) { number in
            begun[number] = world.events.count { $0.change == .attempting(number: 1) }
            if number == 0 { world.compute(computing) }
            return .done
        }
        return begun
    }

    @Test("a handler begins at once, and the next one when it waits or has ended")
    func atOnce() throws {
        let world = try SimulatedDrain(seed: 1, operations: 6)
        let beginnings = beginnings(world, computing: Milliseconds(0))
        #expect(beginnings == [0: 1, 1: 2, 2: 3, 3: 4, 4: 5, 5: 6])
        #expect(world.isDrained)
    }

    @Test("a handler that computes for long keeps others from beginning, but only once")
    func computing() throws {
        for seed in UInt64(1)...8 {
            let world = try SimulatedDrain(seed: seed, operations: 6)
            let beginnings = beginnings(world, computing: Milliseconds(500))
            #expect(beginnings[0] == 1, "seed \(seed)")
            // The drain has gone on to the next attempt without it.
            #expect(try #require(beginnings[1]) > 2, "seed \(seed)")
            #expect(world.isDrained, "seed \(seed)")
        }
    }

    @Test("handlers that wait for nothing do not keep other tasks from running")
    func others() throws {
        let world = try SimulatedDrain(seed: 1, operations: 600)
        nonisolated(unsafe) var attemptsBefore: Int?
        world.run(until: .seconds(1)) { number in
            if number == 0 { Task { attemptsBefore = world.attempts.count } }
            return .done
        }
        #expect(world.isDrained)
        #expect(try #require(attemptsBefore) < 300)
    }
}
