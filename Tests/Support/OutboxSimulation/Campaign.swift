import Foundation
import Synchronization

/// Many runs, on as many threads as are worth it.
package final class Campaign: Sendable {
    /// The results of the runs so far.
    package struct Result: Sendable {
        package var seeds = 0
        package var tally = Tally()
        /// Equal for two campaigns of the same seeds of which every run is equal, in whatever order.
        package var hash: UInt64 = 0
        /// The runs with violations, without their lines.
        package var failures: [Simulation] = []
    }

    private struct State: Sendable {
        var next: UInt64
        var left: Int
        var result = Result()
    }

    private let state: Mutex<State>
    private let step: UInt64
    private let sabotage: Sabotage?
    /// Called before each run with the worker's number and the seed.
    private let begins: @Sendable (Int, UInt64) -> Void

    /// - Parameters:
    ///   - first: The first of `count` seeds.
    ///   - step: The distance between two seeds: with 4, all run on one platform.
    ///   - begins: Called before each run, with the worker's number and the seed.
    package init(
        first: UInt64,
        count: Int,
        step: UInt64 = 1,
        sabotage: Sabotage? = nil,
        begins: @escaping @Sendable (Int, UInt64) -> Void = { _, _ in }
    ) {
        state = Mutex(State(next: first, left: count))
        self.step = step
        self.sabotage = sabotage
        self.begins = begins
    }

    /// Runs until no seed is left, or, if wanted, until one has failed.
    package func run(workers: Int, stopsAtFailure: Bool = false) -> Result {
        let group = DispatchGroup()
        for worker in 0..<workers {
            group.enter()
            let thread = Thread {
                while let seed = self.nextSeed(stopsAtFailure: stopsAtFailure) {
                    self.begins(worker, seed)
                    self.add(Simulation(seed: seed, sabotage: self.sabotage))
                }
                group.leave()
            }
            thread.stackSize = 8 << 20
            thread.start()
        }
        group.wait()
        return state.withLock { $0.result }
    }

    private func nextSeed(stopsAtFailure: Bool) -> UInt64? {
        state.withLock { state in
            guard state.left > 0, !stopsAtFailure || state.result.failures.isEmpty else {
                return nil
            }
            state.left -= 1
            defer { state.next &+= step }
            return state.next
        }
    }

    private func add(_ simulation: Simulation) {
        state.withLock { state in
            state.result.seeds += 1
            state.result.tally += simulation.tally
            state.result.hash &+= simulation.hash
            if !simulation.violations.isEmpty { state.result.failures.append(simulation) }
        }
    }
}
