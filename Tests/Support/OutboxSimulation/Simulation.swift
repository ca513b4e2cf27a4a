/// One run of the simulated world.
package struct Simulation: Sendable {
    package let seed: UInt64
    package let violations: [Violation]
    package let tally: Tally
    /// Equal for two runs of which every line, and every operation of a disk, is equal.
    package let hash: UInt64
    /// The observations of the run, line by line; empty unless asked for.
    package let lines: [String]

    /// Runs the world of `seed` to its end.
    ///
    /// - Parameter sabotage: A fault that is made on purpose.
    package init(seed: UInt64, sabotage: Sabotage? = nil, keepsLines: Bool = false) {
        let world = World(seed: seed, sabotage: sabotage, keepsLines: keepsLines)
        world.run()
        self.seed = seed
        violations = world.history.violations
        tally = world.history.tally
        hash = world.history.hash
        lines = world.history.lines
    }
}
